//! Each file of the engine may name only its own layer and the layers below it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Lowest first.
const LAYERS: &[&str] = &[
    "machine",
    "rng",
    "games",
    "search",
    "tree",
    "catalog",
    "session",
    "protocol",
    "arena",
    "experiments",
    "cli",
];

/// The only files that may look at a clock.
const CLOCK_FILES: &[&str] = &["search/budget.rs", "arena/", "cli/bench"];

#[test]
fn no_file_looks_up() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut faults = Vec::new();
    for (height, layer) in LAYERS.iter().enumerate() {
        for file in rust_files(&src.join(layer))
            .into_iter()
            .chain(rust_files(&src.join(format!("{layer}.rs"))))
        {
            let text = strip_comments(&file);
            faults.extend(
                upper_layers_named(&text, &LAYERS[height + 1..])
                    .map(|above| format!("{} names crate::{above}", file.display())),
            );
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_layer_is_known() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"))
        .expect("lib.rs is there");
    let modules: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    assert!(!modules.is_empty());
    let heights: Vec<usize> = modules
        .iter()
        .map(|module| {
            LAYERS
                .iter()
                .position(|layer| layer == module)
                .unwrap_or_else(|| panic!("{module} is no layer"))
        })
        .collect();
    assert!(
        heights.is_sorted(),
        "lib.rs lists its modules lowest first: {modules:?}"
    );
}

/// Of the viewer only the window knows of windows, and only the program itself carries the engine's command line; the rest
/// sees of the engine games, tree files, the list of searches and how to talk to an engine.
#[test]
fn the_viewer_stays_in_its_rooms() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../viewer/src");
    let files = rust_files(&src);
    assert!(files.len() > 10, "the viewer is there");
    for file in files {
        let name = file.strip_prefix(&src).expect("found below src");
        let text = strip_comments(&file);
        for word in ["winit::", "softbuffer"] {
            let is_window = name == Path::new("window.rs") || name.starts_with("window");
            let is_allowed = is_window || !text.contains(word);
            assert!(is_allowed, "{} names {word}", name.display());
        }
        for layer in LAYERS {
            let is_allowed = ["games", "tree", "rng", "catalog", "arena"].contains(layer)
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

/// A file without its line comments.
fn strip_comments(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("source files are UTF-8");
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Which of `above` are named right after `crate::`, alone or in a group.
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

fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return if path.extension().is_some_and(|extension| extension == "rs") {
            vec![path.to_owned()]
        } else {
            vec![]
        };
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| rust_files(&entry.path()))
        .collect()
}
