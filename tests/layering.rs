//! Source files may use only their own layer and the layers below it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use sources::rust_files;

#[path = "support/sources.rs"]
mod sources;

/// The engine's layers, lowest first.
const ENGINE_LAYERS: &[&str] = &[
    "machine",
    "rng",
    "games",
    "search",
    "tree",
    "catalog",
    "session",
    "protocol",
    "runs",
    "arena",
    "reports",
    "explain",
    "experiments",
    "cli",
];

/// The viewer's layers, lowest first.
const VIEWER_LAYERS: &[&str] = &[
    "system", "draw", "tree", "board", "play", "settings", "workers", "app", "ui", "terminal",
    "cli",
];

/// The modules of the viewer's `ui`, lowest first.
const UI_LAYERS: &[&str] = &[
    "controls", "keys", "glossary", "input", "panels", "frame", "window",
];

/// The sources of the two crates and their layers.
fn crates() -> [(PathBuf, &'static [&'static str]); 2] {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR"));
    [
        (engine.join("src"), ENGINE_LAYERS),
        (engine.join("../viewer/src"), VIEWER_LAYERS),
    ]
}

/// The only engine files that may read the clock.
const CLOCK_FILES: &[&str] = &["search/budget.rs", "runs/", "arena/", "cli/bench"];

#[test]
fn no_file_names_a_layer_above_its_own() {
    let mut violations = Vec::new();
    for (src, layers) in crates() {
        for (height, layer) in layers.iter().enumerate() {
            let files = rust_files(&src.join(layer));
            for file in files
                .into_iter()
                .chain(rust_files(&src.join(format!("{layer}.rs"))))
            {
                let text = from_root(&strip_comments(&file), module_depth(&src, &file));
                violations.extend(
                    upper_layers_named(&text, &layers[height + 1..])
                        .map(|above| format!("{} names crate::{above}", file.display())),
                );
            }
        }
    }
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn panels_do_not_name_the_frame_that_shows_them() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../viewer/src/ui");
    let mut violations = Vec::new();
    for (height, layer) in UI_LAYERS.iter().enumerate() {
        let files = [ui.join(layer), ui.join(format!("{layer}.rs"))];
        let files: Vec<PathBuf> = files.iter().flat_map(|path| rust_files(path)).collect();
        assert!(!files.is_empty(), "there is no {layer}");
        for file in files {
            // Paths below `crate::ui` are read as if `ui` were the root.
            let text = from_root(&strip_comments(&file), module_depth(&ui, &file));
            let text = text
                .replace("egui::", "")
                .replace("crate::ui::", "crate::")
                .replace("ui::", "crate::");
            violations.extend(
                upper_layers_named(&text, &UI_LAYERS[height + 1..])
                    .map(|above| format!("{} names {above}", file.display())),
            );
        }
    }
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn every_module_of_a_crate_is_a_layer_and_none_is_re_exported() {
    for (src, layers) in crates() {
        let lib = strip_comments(&src.join("lib.rs"));
        let modules: Vec<&str> = (lib.lines())
            .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "))
            .filter_map(|line| line.trim_end().strip_suffix(';'))
            .collect();
        assert_eq!(modules, layers, "lib.rs lists its layers lowest first");
        // An item that the root hands on would hide the layer it comes from.
        assert!(!lib.contains("pub use"), "{} re-exports", src.display());
    }
}

/// In the viewer only the window layer uses the window system, and only the program uses the engine's command line. The rest
/// uses of the engine its games, tree files, search catalogue, clients and explanations.
#[test]
fn the_viewer_stays_in_its_rooms() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../viewer/src");
    let files = rust_files(&src);
    assert!(files.len() > 10, "the viewer is there");
    for file in files {
        let name = file.strip_prefix(&src).expect("found below src");
        let text = strip_comments(&file);
        for word in ["winit::", "softbuffer"] {
            let is_window = name == Path::new("ui/window.rs") || name.starts_with("ui/window");
            let is_allowed = is_window || !text.contains(word);
            assert!(is_allowed, "{} names {word}", name.display());
        }
        for layer in ENGINE_LAYERS {
            let is_allowed = [
                "games", "tree", "rng", "catalog", "runs", "arena", "explain",
            ]
            .contains(layer)
                || name == Path::new("main.rs")
                || !text.contains(&format!("canopy_engine::{layer}"));
            assert!(is_allowed, "{} names the engine's {layer}", name.display());
        }
    }
}

#[test]
fn few_files_look_at_a_clock() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in rust_files(&src) {
        let name = file
            .strip_prefix(&src)
            .expect("found below src")
            .to_string_lossy()
            .replace('\\', "/");
        if !CLOCK_FILES.iter().any(|allowed| name.starts_with(allowed)) {
            assert!(
                !strip_comments(&file).contains("Instant"),
                "{name} looks at a clock"
            );
        }
    }
}

#[test]
fn the_check_itself_sees_grouped_imports() {
    let above = &["search", "cli"];
    let names = |text: &str| upper_layers_named(text, above).collect::<Vec<_>>();
    assert_eq!(names("use crate::search::Limits;"), ["search"]);
    assert_eq!(names("use crate::{games::Game, search};"), ["search"]);
    assert_eq!(
        names("use crate::{\n    games::{Game, search as local},\n    cli::run,\n};"),
        ["cli"]
    );
    assert_eq!(names("let x = crate::cli::run();"), ["cli"]);
    assert_eq!(names("use crate::{games::cli, rng};"), [""; 0]);
    assert_eq!(names("use crate::searching;"), [""; 0]);
}

#[test]
fn the_check_itself_sees_paths_through_super() {
    // In `a/b.rs`, whose module is `crate::a::b`.
    assert_eq!(
        from_root("use super::super::cli::run;", 2),
        "use crate::cli::run;"
    );
    assert_eq!(
        from_root("use super::{super::cli, c};", 2),
        "use super::{super::cli, c};"
    );
    assert_eq!(from_root("use super::cli;", 2), "use super::cli;");
    assert_eq!(from_root("use super::cli;", 1), "use crate::cli;");
}

/// Number of names in the module path of a file.
fn module_depth(src: &Path, file: &Path) -> usize {
    let name = file.strip_prefix(src).expect("found below src");
    let is_mod = name.file_name().is_some_and(|name| name == "mod.rs");
    name.components().count() - usize::from(is_mod)
}

/// `text` with `super::` paths that reach the crate's root rewritten to `crate::`.
fn from_root(text: &str, depth: usize) -> String {
    text.replace(&"super::".repeat(depth), "crate::")
}

/// A file's text without line comments.
fn strip_comments(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("source files are UTF-8");
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The layers of `above` that follow `crate::`, alone or in a group.
fn upper_layers_named<'a>(text: &str, above: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let mut named = Vec::new();
    for (start, _) in text.match_indices("crate::") {
        let rest = &text[start + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            named.push(leading_word(rest));
            continue;
        };
        // The words that stand at depth 1 of the group, each after `{` or `,`.
        let (mut depth, mut fresh) = (1, true);
        for (index, symbol) in group.char_indices() {
            match symbol {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => fresh = true,
                _ if symbol.is_whitespace() => {}
                _ if depth == 1 && fresh => {
                    named.push(leading_word(&group[index..]));
                    fresh = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    above
        .iter()
        .copied()
        .filter(move |layer| named.iter().any(|name| name == layer))
}

fn leading_word(text: &str) -> String {
    text.chars()
        .take_while(|symbol| symbol.is_alphanumeric() || *symbol == '_')
        .collect()
}
