//! No source of the two crates asks for a game by name: what differs between games is a fact that the game states.
//!
//! The rule: outside a game's own files no string literal is a game's name, alias or name in another program, with or without a
//! variant, and no name of one game's type is compared. A game's own files are `engine/src/games/<game>/`,
//! `engine/src/search/<game>` and `viewer/src/board/<game>.rs`. Excepted are `only_game` of catalogue rows, comments, code under
//! `#[cfg(test)]`, and names within longer texts, such as examples in help texts.

use std::{fs, ops::Range, path::Path, process::Command};

use canopy_engine::{
    catalog,
    games::{self, GameFacts, Playable, Visitor},
    protocol::options::option_definitions,
};
use sources::rust_files;

#[path = "support/sources.rs"]
mod sources;

#[test]
fn no_game_is_asked_for_by_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut violations = Vec::new();
    let mut seen = 0;
    for src in ["engine/src", "viewer/src"] {
        for file in rust_files(&root.join(src)) {
            let name = file.strip_prefix(&root).expect("found below the root");
            let name = name.to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&file).expect("source files are UTF-8");
            seen += 1;
            if !is_test_file(&file) {
                violations.extend(violations_in(&name, &text));
            }
        }
    }
    assert!(seen > 100, "the sources are there");
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn the_check_itself_sees_names() {
    let elsewhere = |text: &str| violations_in("engine/src/protocol/server.rs", text).len();
    assert_eq!(elsewhere("match name { \"chess\" => 1, _ => 2 }"), 1);
    assert_eq!(elsewhere("if name == \"Chess:960\" {}"), 1);
    assert_eq!(elsewhere("[\"reversi\", \"cfour\"].contains(&name)"), 2);
    assert_eq!(elsewhere("let name = r#\"kalah\"#;"), 1);
    assert_eq!(elsewhere("let quote = '\"'; let name = \"delta\";"), 1);
    assert_eq!(elsewhere("if G::NAME == Othello::NAME {}"), 1);
    assert_eq!(elsewhere("if othello::Othello::NAME != name {}"), 1);
    assert_eq!(elsewhere("only_game: Some(\"chess\"),"), 1);
    assert_eq!(
        elsewhere("#[cfg(test)]\nmod tests { fn f() {} }\nlet name = \"chess\";"),
        1
    );
}

#[test]
fn the_check_itself_passes_what_is_allowed() {
    let none = |file: &str, text: &str| assert_eq!(violations_in(file, text), [""; 0], "{text}");
    let file = "engine/src/protocol/server.rs";
    none(
        file,
        "// \"chess\"\n/* \"chess\" */ let help = \"such as chess:960\";",
    );
    none(
        file,
        "#[cfg(test)]\nmod tests { const GAME: &str = \"chess\"; }",
    );
    none(file, "start(Othello::NAME); if G::NAME == name {}");
    none(file, "let escaped = \"\\\"chess\\\" is a game\";");
    none("engine/src/catalog.rs", "only_game: Some(\"chess\"),");
    none("engine/src/games/chess/facts.rs", "name: \"chess\"");
    none("engine/src/search/connect_four/mod.rs", "\"connect-four\"");
    none("engine/src/search/othello.rs", "\"othello\"");
    none("viewer/src/board/kalah.rs", "\"kalah\"");
    assert_eq!(
        violations_in("viewer/src/board/kalah.rs", "\"delta\"").len(),
        1
    );
}

#[test]
fn an_unlisted_game_is_accepted_by_name_and_shown_nowhere() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
            .args(arguments)
            .output()
            .expect("the program starts");
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).expect("it writes UTF-8")
    };
    let mut lists = games::NAMES.join(" ");
    for row in option_definitions() {
        lists += &format!("{}\n{}\n", row.declaration(), row.allowed_values());
    }
    for arguments in [
        "--help",
        "show --help",
        "bench --help",
        "searches",
        "show --game go",
    ] {
        lists += &run(&arguments.split(' ').collect::<Vec<_>>());
    }
    assert!(lists.contains("kalah"), "{lists}");
    let mut unlisted = games::FACTS.iter().filter(|facts| !facts.is_listed);
    let fixture = unlisted.next().expect("tests have the fixture");
    assert_eq!(unlisted.next(), None);
    for name in [fixture.name, fixture.title, fixture.foreign.gtp] {
        assert!(!lists.contains(name), "{name} in {lists}");
    }
    for name in fixture.aliases.iter().chain([&fixture.name]) {
        let counts = run(&["perft", "--game", name, "--depth", "2"]);
        assert_eq!(counts, "perft 1: 9\nperft 2: 72\n", "{name}");
    }
}

/// What a game states must be something that the places it is read in can use.
#[test]
fn facts_are_sound() {
    struct DefaultSearch;
    impl Visitor for DefaultSearch {
        type Out = bool;

        fn visit<G: Playable>(self, _: G::Rules) -> bool {
            let players = G::FACTS.demo_players.map(|player| {
                let search = player.split("search=").nth(1).unwrap_or_default();
                search.split(' ').next().unwrap_or_default()
            });
            let mut searches = [G::FACTS.default_search].into_iter().chain(players);
            searches.all(|search| catalog::parse::<G>(search).is_ok())
        }
    }
    let mut names: Vec<String> = Vec::new();
    for facts in games::FACTS {
        let name = facts.name;
        assert_eq!(games::with_game(name, DefaultSearch), Ok(true), "{name}");
        assert_eq!(games::facts_of(&format!("{name}:x")), Some(*facts));
        let own = [name].into_iter().chain(facts.aliases.iter().copied());
        names.extend(own.map(str::to_lowercase));
        assert_ne!(facts.players[0], facts.players[1], "{name}");
        if let Some(option) = facts.foreign.variant_option {
            assert!(facts.variants.contains(&option.variant), "{name}");
        }
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "no two games share a name: {names:?}");
    for default in [games::DEFAULT, games::DEMO, games::PROPOSED] {
        assert!(default.is_listed, "{}", default.name);
    }
    assert_eq!(games::facts_of("go"), None);
}

/// What breaks the rule in a file, whose name is its path from the root of the repository.
fn violations_in(name: &str, text: &str) -> Vec<String> {
    let source = Source::parse(text);
    let mut violations = Vec::new();
    for (range, literal) in &source.literals {
        let Some(game) = game_called(literal) else {
            continue;
        };
        let before = source.code[..range.start].trim_end();
        let is_catalogue_row =
            name == "engine/src/catalog.rs" && before.ends_with("only_game: Some(");
        if !is_own_file(name, game) && !is_catalogue_row {
            let line = text[..range.start].lines().count();
            violations.push(format!("{name}:{line}: {literal:?}"));
        }
    }
    for (at, _) in source.code.match_indices("::NAME") {
        let path = |symbol: char| symbol.is_alphanumeric() || symbol == '_' || symbol == ':';
        let before = source.code[..at].trim_end_matches(path).trim_end();
        let owner = source.code[..at].rsplit(|symbol| !path(symbol)).next();
        let owner = owner.unwrap_or_default().rsplit(':').next();
        let after = source.code[at + "::NAME".len()..].trim_start();
        let is_compared = ["==", "!="]
            .iter()
            .any(|sign| before.ends_with(sign) || after.starts_with(sign));
        // A type parameter is one letter.
        let is_game = owner.is_some_and(|owner| owner.len() > 1 && owner != "Self");
        if is_game && (is_compared || after.starts_with("=>")) {
            let line = text[..at].lines().count();
            violations.push(format!("{name}:{line}: a game's NAME is compared"));
        }
    }
    violations
}

/// The game that a literal names, with or without a variant.
fn game_called(literal: &str) -> Option<&'static GameFacts> {
    let word = literal.split(':').next().unwrap_or_default();
    games::FACTS.iter().copied().find(|facts| {
        let fairy = facts.foreign.fairy_stockfish.unwrap_or(facts.name);
        !literal.contains(char::is_whitespace)
            && (facts.is_called(word) || fairy.eq_ignore_ascii_case(word))
    })
}

fn is_own_file(name: &str, game: &GameFacts) -> bool {
    let module = game.name.replace('-', "_");
    let folders = [
        format!("engine/src/games/{module}/"),
        format!("engine/src/search/{module}/"),
    ];
    let files = [
        format!("engine/src/search/{module}.rs"),
        format!("viewer/src/board/{module}.rs"),
    ];
    folders.iter().any(|folder| name.starts_with(folder)) || files.iter().any(|file| name == file)
}

/// Whether a file, or a folder around it, is declared under `#[cfg(test)]`.
fn is_test_file(file: &Path) -> bool {
    file.ancestors().any(|path| {
        let (Some(stem), Some(parent)) = (path.file_stem(), path.parent()) else {
            return false;
        };
        let stem = stem.to_string_lossy();
        let declaration = format!("#[cfg(test)]\nmod {stem};");
        let beside = ["mod.rs", "lib.rs"].map(|name| parent.join(name));
        (beside.into_iter().chain([parent.with_extension("rs")]))
            .filter_map(|declaring| fs::read_to_string(declaring).ok())
            .any(|text| text.contains(&declaration))
    })
}

/// A file as a tokeniser sees it, of the same length in bytes.
struct Source {
    /// The code with comments, literals and tests blanked.
    code: String,
    /// The string literals outside tests, with what stands between their quotes.
    literals: Vec<(Range<usize>, String)>,
}

impl Source {
    fn parse(text: &str) -> Self {
        let mut code = text.as_bytes().to_vec();
        let mut literals = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if let Some((length, content)) = string_literal(rest) {
                literals.push((at..at + length, content.to_owned()));
                length
            } else if let Some(length) = char_literal(rest) {
                length
            } else {
                let identifier = |symbol: char| symbol.is_alphanumeric() || symbol == '_';
                // Whole words, so that an r at the end of a name begins no raw literal.
                at += match rest.find(|symbol| !identifier(symbol)) {
                    Some(0) => rest.chars().next().map_or(1, char::len_utf8),
                    Some(end) => end,
                    None => rest.len(),
                };
                continue;
            };
            code[at..at + length].fill(b' ');
            at += length;
        }
        let mut code = String::from_utf8(code).expect("only whole tokens are blanked");
        while let Some(range) = test_item(&code) {
            literals.retain(|(literal, _)| !range.contains(&literal.start));
            code.replace_range(range.clone(), &" ".repeat(range.len()));
        }
        Self { code, literals }
    }
}

/// The length of the string literal that a text begins with, and what is in it.
fn string_literal(text: &str) -> Option<(usize, &str)> {
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let content = raw[hashes..].strip_prefix('"')?;
        let end = content.find(&format!("\"{}", "#".repeat(hashes)))?;
        return Some((end + 3 + 2 * hashes, &content[..end]));
    }
    let content = text.strip_prefix('"')?;
    let mut symbols = content.char_indices();
    while let Some((index, symbol)) = symbols.next() {
        match symbol {
            '\\' => drop(symbols.next()),
            '"' => return Some((index + 2, &content[..index])),
            _ => {}
        }
    }
    None
}

/// The length of the character literal that a text begins with; none for a lifetime.
fn char_literal(text: &str) -> Option<usize> {
    let content = text.strip_prefix('\'')?;
    let first = content.chars().next()?;
    let end = if first == '\\' {
        2 + content.get(2..)?.find('\'')?
    } else {
        first.len_utf8()
    };
    content[end..].starts_with('\'').then_some(end + 2)
}

/// The first item under `#[cfg(test)]`.
fn test_item(code: &str) -> Option<Range<usize>> {
    let start = code.find("#[cfg(test)]")?;
    let mut depth = 0;
    for (index, symbol) in code[start..].char_indices() {
        match symbol {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(symbol, '}' | ';') {
            return Some(start..start + index + 1);
        }
    }
    Some(start..code.len())
}
