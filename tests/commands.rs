//! The command line of `canopy-engine`.

use std::process::{Command, Output};

use support::{Scratch, commands::engine_stdout};

#[path = "commands/fit.rs"]
mod fit;
#[path = "commands/manual.rs"]
mod manual;
#[path = "commands/release1.rs"]
mod release1;
#[path = "commands/solve.rs"]
mod solve;
mod support;

fn run_engine(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// Standard error of a command that must fail with exit code 2 and print nothing else.
fn usage_error(arguments: &[&str]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = run_engine(arguments);
    let stderr = String::from_utf8(stderr).expect("messages are UTF-8");
    assert_eq!(status.code(), Some(2), "{arguments:?}: {stderr}");
    assert_eq!(String::from_utf8_lossy(&stdout), "");
    stderr
}

#[test]
fn perft_prints_a_line_a_depth_that_ends_in_the_count() {
    assert_eq!(
        engine_stdout(&["perft", "--game", "delta", "--depth", "3"]),
        "perft 1: 25\nperft 2: 600\nperft 3: 3768\n"
    );
    let divided = engine_stdout(&["perft", "--game", "mancala", "--depth", "2", "--divide"]);
    assert_eq!(
        divided,
        "perft 1: 6\n1: 6\n2: 6\n3: 5\n4: 6\n5: 6\n6: 6\nperft 2: 35\n"
    );
    let fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -";
    assert!(
        engine_stdout(&[
            "perft",
            "--game",
            "chess",
            "--depth",
            "4",
            "--position",
            fen
        ])
        .ends_with("perft 4: 43238\n")
    );
    // An OBF position begins with a hyphen.
    let obf = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let counts = engine_stdout(&[
        "perft",
        "--game",
        "othello",
        "--depth",
        "1",
        "--position",
        obf,
    ]);
    assert_eq!(counts, "perft 1: 8\n");
}

#[test]
fn show_draws_a_position_with_all_there_is_to_know() {
    let shown = engine_stdout(&["show", "--game", "connect4", "--moves", "4453"]);
    assert_eq!(
        shown,
        "6  . . . . . . .\n5  . . . . . . .\n4  . . . . . . .\n3  . . . . . . .\n2  . . . O . . .\n1  . . O X X . .\n   \
         1 2 3 4 5 6 7\n\n\
         game:     connect-four\n\
         position: ......./......./......./......./...O.../..OXX.. X\n\
         to move:  X (first player)\n\
         moves:    1 2 3 4 5 6 7 (7)\n"
    );
    let mate = engine_stdout(&["show", "--game", "chess", "--moves", "f3 e5 g4 Qh4#"]);
    assert!(
        mate.ends_with("result:   Black wins (checkmate)\n"),
        "{mate}"
    );
    let dance = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8";
    assert!(
        engine_stdout(&["show", "--game", "chess", "--moves", dance])
            .ends_with("draw (threefold repetition)\n")
    );
    let over = engine_stdout(&["show", "--game", "kalah:1x1", "--moves", "1"]);
    assert!(
        over.contains("result:") && over.contains("one side is empty"),
        "{over}"
    );
    let mirrored = engine_stdout(&["show", "--game", "reversi", "--position", "mirrored"]);
    assert!(
        mirrored.contains("4  . . . X O . . .\n5  . . . O X . . .\n"),
        "{mirrored}"
    );
    assert!(engine_stdout(&["show", "--game", "chess"]).contains("g1f3=Nf3"));
    for game in [
        "chess:960",
        "kalah:4x3",
        "kalah:6x4:empty-capture",
        "delta:forced",
        "delta:off",
    ] {
        assert!(engine_stdout(&["show", "--game", game]).contains(&format!("game:     {game}\n")));
    }
}

#[test]
fn bad_input_is_told_in_a_sentence() {
    assert_eq!(
        usage_error(&["show", "--game", "go"]),
        "canopy-engine: unknown game \"go\": expected chess, othello, kalah, connect-four or delta, with a variant after a \
         colon if wanted\n"
    );
    let position = usage_error(&[
        "perft",
        "--game",
        "chess",
        "--depth",
        "1",
        "--position",
        "8/8/8/8 w - -",
    ]);
    assert!(
        position.contains("4 ranks instead of 8") && position.contains("expected a FEN"),
        "{position}"
    );
    let full = usage_error(&["show", "--game", "connect-four", "--moves", "4444444"]);
    assert!(
        full.contains(
            "illegal connect-four move \"4\": that column is full; expected one of 1 2 3 5 6 7"
        ),
        "{full}"
    );
    assert!(usage_error(&["perft", "--game", "chess", "--depth", "0"]).contains("1..=64"));
    assert!(usage_error(&["perft", "--game", "chess"]).contains("--depth"));
    assert!(usage_error(&["dance"]).contains("dance"));
    assert!(
        usage_error(&["bench", "playouts", "--seconds", "nan"]).contains("between 0.01 and 3600")
    );
    assert!(usage_error(&["--game", "go"]).contains("unknown game \"go\""));
    assert!(usage_error(&["--protocol", "xboard"]).contains("expected uci, ugi, gtp or nboard"));
    assert!(usage_error(&["--option", "Threads"]).contains("expected NAME=VALUE"));
    assert!(usage_error(&["--option", "Threads=0"]).contains("expected 1 to 512"));
    assert!(usage_error(&["--option", "Colour=red"]).contains("unknown option \"Colour\""));
    assert!(usage_error(&["--option", "Search=rules-002"]).contains("expected connect-four"));
    assert!(usage_error(&["--game", "delta", "show"]).contains("Usage: canopy-engine"));
}

#[test]
fn bench_playouts_prints_a_table_or_json() {
    let table = engine_stdout(&["bench", "playouts", "--seconds", "0.02"]);
    for game in ["chess", "othello", "kalah", "connect-four", "delta"] {
        assert_eq!(
            table
                .lines()
                .filter(|line| line.starts_with(&format!("{game} ")))
                .count(),
            1,
            "{table}"
        );
    }
    let json = engine_stdout(&[
        "bench",
        "playouts",
        "--seconds",
        "0.02",
        "--json",
        "--game",
        "kalah:4x3",
        "--game",
        "delta",
    ]);
    let rows: Vec<serde_json::Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["game"], "kalah:4x3");
    for row in &rows {
        assert_eq!(
            (&row["bench"], &row["unit"], &row["threads"]),
            (&"playouts".into(), &"playouts/s".into(), &1.into())
        );
        assert_eq!(row["search"], "uniform");
        for number in ["value", "plies", "ns_per_ply"] {
            assert!(row[number].as_f64().expect("a number") > 0.0, "{row}");
        }
    }
}

#[test]
fn bench_scale_prints_sizes_and_how_cost_grows() {
    let line =
        "bench scale --game kalah --store tree --store graph --max 10000 --search uct,seed=1";
    let words: Vec<&str> = line.split(' ').collect();
    let rows: Vec<serde_json::Value> = engine_stdout(&[&words[..], &["--json"]].concat())
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(rows.len(), 6, "two sizes and their growth for two stores");
    for (group, store) in rows.chunks_exact(3).zip(["tree", "graph"]) {
        for (row, iterations) in group.iter().zip([1000, 10_000]) {
            assert_eq!(row["store"], store);
            assert_eq!(row["iterations"], iterations);
            assert!(row["seconds"].as_f64().expect("a time") > 0.0, "{row}");
        }
        let bytes = |row: usize| group[row]["bytes"].as_f64().expect("a size");
        let exponent = group[2]["memory_exponent"].as_f64().expect("a number");
        assert!((exponent - (bytes(1) / bytes(0)).log10()).abs() < 1e-9);
    }
    assert!(engine_stdout(&words).contains("memory as n^"));
    let refused = usage_error(&["bench", "scale", "--game", "kalah", "--search", "minimax"]);
    assert!(refused.contains("no parameter \"store\""), "{refused}");
}

/// A seed of 0 is drawn from the operating system and told: with the seed that is told, everything repeats.
#[test]
fn a_seed_of_zero_is_drawn_and_told() {
    let duel = |seed: &str| {
        let line = format!(
            "duel --game connect-four --search uct,iterations=20 --search random --games 4 --opening 3 --seed {seed}"
        );
        engine_stdout(&line.split(' ').collect::<Vec<_>>())
    };
    let seed_of = |text: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix("seed "));
        line.expect(text).parse().expect(text)
    };
    let drawn = duel("0");
    let seed = seed_of(&drawn);
    assert_ne!(seed, 0);
    assert_eq!(drawn, duel(&seed.to_string()));
    assert_eq!(seed_of(&duel("7")), 7);
    for (line, asked) in [
        (
            "bench playouts --seconds 0.01 --game kalah --json --seed 0",
            0,
        ),
        ("bench playouts --seconds 0.01 --game kalah --json", 1),
        (
            "bench rate --iterations 5 --game kalah --json --search uct,seed=0",
            0,
        ),
        ("bench rate --iterations 5 --game kalah --json", 1),
    ] {
        let row = engine_stdout(&line.split(' ').collect::<Vec<_>>());
        let row: serde_json::Value = serde_json::from_str(&row).expect("JSON");
        let seed = row["seed"].as_u64().expect("a seed");
        assert!(if asked == 0 { seed > 0 } else { seed == asked }, "{row}");
    }
}

/// Values of any length leave the columns aligned. A search for one game is shown for that game.
#[test]
fn searches_are_described_in_two_columns() {
    let shown = engine_stdout(&["searches", "uct-001"]);
    let line = (shown.lines())
        .find(|line| line.starts_with("exploration="))
        .expect("it is listed");
    let (what, help) = line.split_once("  ").expect("there are two columns");
    assert!(what.len() > 24, "{line}");
    assert!(help.trim().starts_with("The constant C"), "{line}");
    let column = line.find("The constant").expect("it is there");
    for line in shown.lines().take_while(|line| !line.is_empty()) {
        let (before, after) = line.split_at(column);
        assert!(before.ends_with("  ") && !after.starts_with(' '), "{line}");
    }
    assert!(engine_stdout(&["searches", "heuristic-001"]).contains("depth=6"));
    assert!(engine_stdout(&["searches", "rules-002,seed=3"]).contains("seed=3"));
    assert_eq!(
        usage_error(&["searches", "heuristic-001", "--game", "chess"]),
        "canopy-engine: heuristic-001 cannot play chess: expected othello\n"
    );
    assert!(engine_stdout(&["searches"]).contains("\nheuristic-001           Report 001's"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["perft", "--game", "chess", "--depth", "5", "--divide"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    assert!(child.wait().expect("it ends").success());
}

/// The `console` examples of a page: shell lines after `$`, and the output they must give.
fn console_examples(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        let (command, expected) = block.split_once('\n').expect("a command and its output");
        let command = command.strip_prefix("$ ").expect("a prompt");
        assert!(command.contains("canopy-engine"), "{command} is no example");
        let command = command.replace("cargo run --release -p canopy-engine --", "canopy-engine");
        found.push((command, expected.to_owned()));
    }
    found
}

#[test]
fn documented_examples_are_true() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (page, least) in [("README.md", 2), ("protocol.md", 3)] {
        let text = std::fs::read_to_string(root.join(page)).expect("the page is there");
        let examples = console_examples(&text);
        assert!(examples.len() >= least, "{page}");
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_canopy-engine"));
        let folder = program.parent().expect("it lies in a folder").display();
        for (command, expected) in examples {
            let output = Command::new("sh")
                .args(["-c", &command])
                .env("PATH", format!("{folder}:/usr/bin:/bin"))
                .output()
                .expect("there is a shell");
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(text, expected, "{page}: {command}");
        }
    }
}

/// In a graph a node has visits by other edges than its parent's. `inspect` accepts that with and without extras, and after
/// the graph was compacted or its root moved.
#[test]
fn graphs_add_up() {
    for game in ["connect-four", "othello", "delta"] {
        for search in ["transposition", "grouping"] {
            for more in [&[][..], &["--extra"], &["--max-nodes", "200"]] {
                let scratch = Scratch::new(&format!("graphs-{game}-{search}-{}", more.concat()));
                let directory = scratch.0.to_str().expect("the path is UTF-8");
                let grow = format!("grow --game {game} --search {search} --plies 3");
                let grow: Vec<&str> = grow.split(' ').collect();
                let limits = ["--iterations", "800", "--out", directory];
                engine_stdout(&[&grow[..], &limits, more].concat());
                let trees = scratch.files("tree");
                assert_eq!(trees.len(), 3);
                for tree in trees {
                    let seen =
                        engine_stdout(&["inspect", tree.to_str().expect("the path is UTF-8")]);
                    assert!(seen.ends_with("everything adds up\n"), "{seen}");
                }
            }
        }
    }
}

/// Control and bidirectional characters from a file are escaped.
#[test]
fn inspect_writes_out_what_would_deceive_the_eye() {
    let scratch = Scratch::new("deceiving");
    let tree = scratch.0.join("a\u{202e}b.csv");
    std::fs::write(
        &tree,
        ",2,2,0.5,root\u{1b}[2J,1\ne\u{200f}4,1,1,0.5,\u{7},0\n",
    )
    .expect("it can be written");
    std::fs::write(
        scratch.0.join("a\u{202e}b.json"),
        r#"{"game": "ch\u202eess", "search": "u\u001bct", "chosen": "e\u009b4", "position": "x\ny"}"#,
    )
    .expect("it can be written");
    let seen = engine_stdout(&["inspect", tree.to_str().expect("the path is UTF-8")]);
    for part in [
        "a\\u{202e}b.csv",
        "ch\\u{202e}ess x\\ny",
        "u\\u{1b}ct",
        "e\\u{9b}4",
        "e\\u{200f}4",
    ] {
        assert!(seen.contains(part), "{part}: {seen:?}");
    }
    let is_bare = |symbol: char| symbol != '\n' && (symbol.is_control() || symbol == '\u{202e}');
    assert!(!seen.contains(is_bare), "{seen:?}");
    let missing = scratch.0.join("\u{1b}[2J.tree");
    let missing = run_engine(&["inspect", missing.to_str().expect("the path is UTF-8")]);
    let said = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(
        said.contains("\\u{1b}[2J.tree") && !said.contains('\u{1b}'),
        "{said:?}"
    );
}

#[test]
fn trees_are_grown_looked_at_and_converted() {
    let scratch = Scratch::new("commands");
    let directory = scratch.0.to_str().expect("the path is UTF-8");
    let grow = [
        "grow",
        "--game",
        "kalah",
        "--iterations",
        "500",
        "--out",
        directory,
    ];
    let moves = engine_stdout(&[&grow[..], &["--plies", "2", "--journal", "--extra"]].concat());
    assert_eq!(moves.lines().count(), 2);
    let trees = scratch.files("tree");
    assert_eq!(trees.len(), 2);
    let tree = trees[0].to_str().expect("the path is UTF-8");
    let seen = engine_stdout(&["inspect", tree]);
    for line in [
        "game        kalah <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s",
        "visits      500 (500 in the second counter)",
        "everything adds up",
    ] {
        assert!(
            seen.lines().any(|other| other == line),
            "{line} is not in\n{seen}"
        );
    }
    assert!(seen.contains("\nwidth       1 6 ") && seen.contains("\nline        "));
    let journal = tree.replace(".tree", ".growth");
    let journal = engine_stdout(&["inspect", &journal]);
    assert!(journal.contains("iterations  500\n") && journal.contains("state       complete\n"));
    // With its sidecars a tree goes to the other format and back without a loss.
    let text = scratch.0.join("copy.csv");
    let text = text.to_str().expect("the path is UTF-8");
    let said = engine_stdout(&["convert", tree, text]);
    assert_eq!(said.matches("carried along: ").count(), 3, "{said}");
    let begin = std::fs::read_to_string(text).expect("it was written");
    assert!(begin.starts_with(",500,500,0."), "{}", &begin[..40]);
    let back = scratch.0.join("back.data");
    let back = back.to_str().expect("the path is UTF-8");
    engine_stdout(&["convert", text, back, "--to", "tree"]);
    let bytes = |path: &str| std::fs::read(path).expect("it was written");
    assert_eq!(bytes(back), bytes(tree));
    // Without one, the root's own figures have no place in a .tree file.
    let alone = scratch.0.join("alone.csv");
    std::fs::copy(text, &alone).expect("it can be copied");
    let alone = alone.to_str().expect("the path is UTF-8");
    let said = engine_stdout(&["convert", alone, back, "--to", "tree"]);
    assert!(
        said.contains("lost: the root's own move and figures (500, 500, 0."),
        "{said}"
    );
    assert!(usage_error(&["convert", tree, "x.txt"]).contains("expected .tree or .csv at the end"));
    assert!(usage_error(&["inspect", "--format", "csv", tree]).contains(": line 1: "));
    assert!(usage_error(&["grow", "--game", "kalah", "--out", directory]).contains("--iterations"));
}

/// A list of duels is a table, the same every time, and can be put into a page.
#[test]
fn a_list_of_duels_becomes_a_table_in_a_page() {
    let scratch = Scratch::new("duels");
    std::fs::create_dir_all(&scratch.0).expect("a directory can be made");
    let path = |name: &str| scratch.0.join(name).to_str().expect("UTF-8").to_owned();
    let (list, page) = (path("list.txt"), path("page.md"));
    let write = |path: &str, text: &str| std::fs::write(path, text).expect("it can be written");
    write(
        &list,
        "# Two duels\n\nconnect-four uct,iterations=20 random games=6 opening=2 seed=5\n\
         kalah:3x3 random random games=4 nodes=3\n",
    );
    let mark = "<!-- duels: written by canopy-engine duel --list -->";
    write(&page, &format!("above\n{mark}\nold\n<!-- end -->\nbelow\n"));
    let table = engine_stdout(&["duel", "--list", &list, "--into", &page]);
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(
        table.contains("| connect-four | `uct,iterations=20` | `random` | their own | 2 | 5 | 6 |"),
        "{table}"
    );
    assert!(table.contains("| kalah:3x3 | `random` | `random` | 3 | 0 | 1 | 4 |"));
    let text = std::fs::read_to_string(&page).expect("the page");
    assert_eq!(
        text,
        format!("above\n{mark}\n\n{}\n\n<!-- end -->\nbelow\n", table.trim())
    );
    // One duel of the table by itself.
    let line = "duel --game connect-four --search uct,iterations=20 --search random --games 6 --opening 2 --seed 5";
    let single = engine_stdout(&line.split(' ').collect::<Vec<_>>());
    let score = single.lines().last().expect("a score");
    let share = score
        .split("score ")
        .nth(1)
        .and_then(|text| text.split(',').next());
    assert!(
        share.is_some_and(|share| table.contains(share)),
        "{single}{table}"
    );
    for (wrong, expected) in [
        ("kalah uct\n", "line 1: expected GAME SEARCH SEARCH"),
        ("\nkalah uct uct games=0\n", "line 2: \"games=0\""),
        ("kalah uct nothing\n", "unknown search"),
        ("go uct uct\n", "go"),
    ] {
        write(&list, wrong);
        let told = usage_error(&["duel", "--list", &list]);
        assert!(told.contains(expected), "{told}");
    }
    write(&list, "kalah random random games=2\n");
    write(&page, "a page without marks");
    let told = usage_error(&["duel", "--list", &list, "--into", &page]);
    assert!(told.contains("expected a line"), "{told}");
    assert!(usage_error(&["duel", "--game", "kalah", "--search", "uct"]).contains("twice"));
}
