//! `canopy-engine watch` and matches: trees of engines that write none.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use canopy_engine::tree::{files, meta::Meta, summary};
use support::{Scratch, data, untested, wait_until};

mod support;

const ENGINE: &str = env!("CARGO_BIN_EXE_canopy-engine");

fn lines_engine(dialect: &str) -> Vec<String> {
    let script = data("engines/lines.sh").display().to_string();
    ["sh".to_owned(), script, dialect.to_owned()].to_vec()
}

/// `watch` with these arguments before the engine's command.
fn watch_command(scratch: &Scratch, arguments: &[&str], command: &[String]) -> Command {
    let mut watch = Command::new(ENGINE);
    watch.args(["watch", "--trees"]).arg(&scratch.0);
    watch.args(arguments).arg("--").args(command);
    watch
}

/// Runs `watch` with standard input closed.
fn watch(scratch: &Scratch, arguments: &[&str], command: &[String]) -> Output {
    let mut watch = watch_command(scratch, arguments, command);
    watch.stdin(Stdio::null());
    watch.output().expect("the program starts")
}

fn watch_server(scratch: &Scratch, arguments: &[&str], command: &[String]) -> Child {
    let mut watch = watch_command(scratch, arguments, command);
    watch.stdin(Stdio::piped()).stdout(Stdio::piped());
    watch.spawn().expect("the program starts")
}

/// The rows of a tree as `move visits mean`, and its sidecar. Everything must add up.
fn tree(path: &Path) -> (Vec<String>, Meta) {
    let document = files::read(path, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(document.problems, [""; 0]);
    let faults = summary::summarize(&document).inconsistencies;
    assert!(faults.is_empty(), "{faults:?}");
    let tree = &document.tree;
    let row = |row: usize| {
        let node = &tree.nodes()[row];
        format!("{} {} {:.2}", tree.move_name(row), node.visits, node.mean)
    };
    let rows = (0..tree.nodes().len()).map(row).collect();
    (rows, document.meta.expect("there is a sidecar"))
}

fn only_tree(directory: &Scratch) -> PathBuf {
    let mut found = directory.files("tree");
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn bytes_pass_a_watched_engine_unchanged_and_at_once() {
    let scratch = Scratch::new("watch-bytes");
    let mut server = watch_server(&scratch, &[], &["cat".to_owned()]);
    let mut input = server.stdin.take().expect("it has an input");
    let mut output = server.stdout.take().expect("it has an output");
    // Not even the end of a line is needed.
    for piece in [&b"half a li"[..], b"ne\r\n\xff\xfe\0go\nbestmove", b" x"] {
        input.write_all(piece).expect("it reads");
        input.flush().expect("it reads");
        let mut echo = vec![0; piece.len()];
        output.read_exact(&mut echo).expect("it echoes");
        assert_eq!(echo, piece);
    }
    let long: Vec<u8> = (0..3_000_000_u32).map(|byte| (byte % 251) as u8).collect();
    let expected = long.clone();
    let writer = std::thread::spawn(move || input.write_all(&long));
    let mut rest = Vec::new();
    output.read_to_end(&mut rest).expect("it echoes");
    writer.join().expect("it is written").expect("it reads");
    assert!(rest == expected, "the long rest has changed");
    assert!(server.wait().expect("it ends").success());
}

#[test]
fn a_tree_grows_while_the_engine_thinks() {
    let scratch = Scratch::new("watch-live");
    let mut server = watch_server(&scratch, &["--game", "connect-four"], &lines_engine("uci"));
    let mut input = server.stdin.take().expect("it has an input");
    input
        .write_all(b"uci\nposition startpos moves 1\ngo infinite\n")
        .expect("it reads");
    let is_complete = || {
        let found = scratch.files("tree");
        let path = found.first();
        path.is_some_and(|path| tree(path).0.len() == 5)
    };
    wait_until("the tree of the running search has all lines", is_complete);
    let (rows, meta) = tree(&only_tree(&scratch));
    assert_eq!(
        rows,
        [" 3 0.64", "2 2 0.36", "3 1 0.64", "3 1 0.00", "4 1 1.00"]
    );
    assert_eq!(
        (meta.is_final, meta.chosen, meta.line),
        (false, None, vec![])
    );
    input.write_all(b"stop\nquit\n").expect("it reads");
    assert!(server.wait().expect("it ends").success());
    let (_, meta) = tree(&only_tree(&scratch));
    assert!(meta.is_final);
    assert_eq!(
        (meta.chosen.as_deref(), meta.to_move, meta.ply),
        (Some("2"), 2, 1)
    );
    assert_eq!(meta.line, ["2", "3"]);
    assert_eq!((meta.search.as_str(), meta.nodes), ("Lines 1.0", 49));
    assert_eq!(meta.game, "connect-four");
}

#[test]
fn watch_drives_an_engine_itself() {
    let scratch = Scratch::new("watch-go");
    for (dialect, moves, root) in [("ugi", "1 2", 1), ("uci", "", 1)] {
        let arguments = [
            "--dialect",
            dialect,
            "--game",
            "connect-four",
            "--go",
            "depth 2",
            "--moves",
            moves,
        ];
        let output = watch(&scratch, &arguments, &lines_engine(dialect));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{output:?}");
        assert!(said.contains("\nbestmove "), "{said}");
        let newest = scratch.files("tree").pop().expect("there is a tree");
        let (rows, meta) = tree(&newest);
        assert_eq!((rows.len(), meta.to_move), (5, root));
        assert_eq!(meta.limits.depth, Some(2));
    }
}

#[test]
fn a_gtp_engine_that_analyses_becomes_a_tree_with_its_own_visits() {
    let scratch = Scratch::new("watch-gtp");
    let arguments = [
        "--dialect",
        "gtp",
        "--game",
        "connect-four",
        "--go",
        "movetime 200",
    ];
    let output = watch(&scratch, &arguments, &lines_engine("gtp"));
    assert!(output.status.success(), "{output:?}");
    let (rows, meta) = tree(&only_tree(&scratch));
    assert_eq!(rows, [" 100 0.40", "1 90 0.60", "2 1 0.40", "2 10 0.25"]);
    assert!(meta.is_final);
    let refused = watch(
        &scratch,
        &["--dialect", "gtp", "--go", "depth 3"],
        &lines_engine("gtp"),
    );
    assert!(String::from_utf8_lossy(&refused.stderr).contains("expected --go 'movetime"));
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn an_unknown_game_gives_a_tree_of_names_without_a_board() {
    let scratch = Scratch::new("watch-unknown");
    let arguments = ["--game", "go-moku", "--go", "depth 2"];
    let output = watch(&scratch, &arguments, &lines_engine("uci"));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let (rows, meta) = tree(&only_tree(&scratch));
    assert_eq!(rows.len(), 5);
    assert_eq!(
        (meta.game.as_str(), meta.position.as_str()),
        ("go-moku", "startpos")
    );
}

#[test]
fn moves_that_are_none_are_left_out_and_said_once() {
    let scratch = Scratch::new("watch-wrong-game");
    let output = watch(&scratch, &["--go", "depth 2"], &lines_engine("uci"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("which is none here").count(), 1, "{said}");
    assert!(scratch.files("tree").is_empty());
}

#[test]
fn what_cannot_be_watched_is_a_sentence() {
    let scratch = Scratch::new("watch-errors");
    let missing = watch(
        &scratch,
        &["--go", "depth 2"],
        &["/no/such/engine".to_owned()],
    );
    assert_eq!(missing.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&missing.stderr).contains("/no/such/engine could not be started")
    );
    let mute = watch(&scratch, &["--go", "depth 2"], &["true".to_owned()]);
    assert_eq!(mute.status.code(), Some(1));
    let said = String::from_utf8_lossy(&mute.stderr).into_owned();
    assert!(
        said.contains("ended before it answered with uciok"),
        "{said}"
    );
    let failed = watch(&scratch, &[], &["false".to_owned()]);
    assert_eq!(failed.status.code(), Some(1));
    let clock = watch(&scratch, &["--go", "tc 10+0.1"], &["true".to_owned()]);
    assert_eq!(clock.status.code(), Some(2));
}

#[test]
fn engines_that_write_no_trees_get_them_in_matches() {
    for dialect in ["ugi", "gtp"] {
        let scratch = Scratch::new(&format!("match-lines-{dialect}"));
        let engine = format!(
            "name=other dialect={dialect} {}",
            lines_engine(dialect).join(" ")
        );
        let game = [
            "--game",
            "connect-four",
            "--go",
            "movetime 1000",
            "--max-plies",
            "4",
        ];
        let mut arguments = game.to_vec();
        arguments.extend(["--engine", &engine, "--engine", "search=uct,iterations=50"]);
        let directory = scratch.0.join("game-0001");
        let output = Command::new(ENGINE)
            .args(["match", "--games", "1", "--trees"])
            .arg(&scratch.0)
            .args(&arguments)
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        let mut found: Vec<PathBuf> = fs::read_dir(&directory)
            .expect("the game has a directory")
            .map(|entry| entry.expect("it can be read").path())
            .filter(|path| path.extension().is_some_and(|name| name == "tree"))
            .collect();
        found.sort();
        let searches: Vec<String> = found.iter().map(|path| tree(path).1.search).collect();
        assert_eq!(searches.len(), 4, "{dialect}: {searches:?}");
        assert_eq!(searches.iter().filter(|name| *name == "other").count(), 2);
        for path in found.iter().filter(|path| tree(path).1.search == "other") {
            let (rows, meta) = tree(path);
            assert!(rows.len() >= 4 && meta.is_final, "{rows:?}");
            assert_eq!(meta.game, "connect-four");
        }
    }
}

#[test]
fn trees_of_stockfish_and_gnu_chess_follow_their_lines() {
    for (name, command) in [("stockfish", "stockfish"), ("gnuchess", "gnuchess --uci")] {
        let path = Path::new("/usr/games").join(name);
        if !path.is_file() {
            untested(&format!("there is no {}", path.display()));
            continue;
        }
        let program = path.display().to_string();
        let scratch = Scratch::new(&format!("watch-{name}"));
        let command: Vec<String> = std::iter::once(program)
            .chain(command.split(' ').skip(1).map(str::to_owned))
            .collect();
        let arguments = ["--go", "depth 7", "--moves", "e2e4 e7e5"];
        let output = watch(&scratch, &arguments, &command);
        assert!(output.status.success(), "{output:?}");
        let said = BufReader::new(&output.stdout[..]);
        let lines: Vec<String> = said.lines().map_while(Result::ok).collect();
        let last_pv = (lines.iter().rev())
            .find_map(|line| line.starts_with("info ").then(|| line.split_once(" pv "))?)
            .map(|(_, pv)| pv.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
            .expect("it says lines");
        let (rows, meta) = tree(&only_tree(&scratch));
        let chosen = lines
            .iter()
            .rev()
            .find_map(|line| line.strip_prefix("bestmove "));
        let chosen = chosen
            .and_then(|rest| rest.split(' ').next())
            .map(str::to_owned);
        assert_eq!(meta.chosen, chosen, "{name}");
        assert_eq!(meta.line, last_pv, "{name}");
        assert!(rows.len() >= 5, "{name}: {rows:?}");
        assert_eq!((meta.game.as_str(), meta.ply), ("chess", 2));
    }
}
