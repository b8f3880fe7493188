//! The protocol server, in this process and as a child process.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use canopy_engine::{
    games::{Outcome, Player, notation::Style},
    protocol::{ProtocolKind, ServerConfig, options},
    rng::Rng,
    session,
    tree::{files, meta},
};
use support::{
    Scratch, data, every_game,
    transcript::{self, EngineProcess, InProcessServer, Peer as _, REPLY_TIMEOUT},
};

#[cfg(unix)]
#[path = "protocol/client_exit.rs"]
mod client_exit;
#[path = "protocol/depth.rs"]
mod depth;
mod support;

fn transcripts() -> Vec<(String, String)> {
    let mut found: Vec<_> = fs::read_dir(data("transcripts"))
        .expect("there are transcripts")
        .map(|entry| entry.expect("the folder can be read").path())
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a transcript can be read");
            (path.display().to_string(), text)
        })
        .collect();
    // The examples of the contract are transcripts too.
    let page = fs::read_to_string(data("../../protocol.md")).expect("there is a contract");
    for (index, block) in page.split("```transcript\n").skip(1).enumerate() {
        let block = block.split("```").next().unwrap_or_default();
        found.push((
            format!("protocol.md, transcript {}", index + 1),
            block.to_owned(),
        ));
    }
    found.sort();
    assert!(found.len() > 10);
    found
}

/// The option table of protocol.md is the server's.
#[test]
fn the_contract_lists_every_option() {
    let mut table =
        String::from("| option | values | default | what it does |\n|---|---|---|---|\n");
    for row in options::option_definitions() {
        let default = match row.default_value() {
            default if default.is_empty() => String::new(),
            default => format!("`{default}`"),
        };
        let values = match &row.kind {
            options::OptionKind::Combo(_) if row.name == "Search" => {
                "a search of section 3".to_owned()
            }
            _ => row.allowed_values(),
        };
        table += &format!("| `{}` | {values} | {default} | {} |\n", row.name, row.help);
    }
    support::assert_doc_table("the options", &table);
}

/// The lines `NAME: TEXT` that the help of a dialect prints, until the line `end`.
fn printed_help(dialect: &str, lines: &[&str], end: &str) -> Vec<(String, String)> {
    let arguments = ["--protocol".to_owned(), dialect.to_owned()];
    let mut peer = InProcessServer::new(&transcript::setup(&arguments)).expect("a dialect");
    lines.iter().for_each(|line| peer.send(line));
    let mut rows = Vec::new();
    while let Some(line) = peer.read_line(REPLY_TIMEOUT)
        && line != end
    {
        let text = line.trim_start_matches("info string ");
        let row = text.trim_start_matches("= ").split_once(": ");
        rows.extend(row.map(|(name, help)| (name.to_owned(), help.to_owned())));
    }
    rows
}

/// The command tables of protocol.md are what `help` prints.
#[test]
fn the_contract_lists_every_command() {
    let table = |rows: Vec<(String, String)>| {
        let mut table = String::from("| command | what it does |\n|---|---|\n");
        for (name, help) in rows {
            table += &format!("| `{name}` | {help} |\n");
        }
        table
    };
    let uci = printed_help("uci", &["help", "isready"], "readyok");
    let ugi = printed_help("ugi", &["help", "isready"], "readyok");
    // Each flavour has its own word of greeting, and they share the rest.
    let names = |rows: &[(String, String)]| -> Vec<String> {
        (rows.iter().map(|(name, _)| name.clone()))
            .filter(|name| name != "uci" && name != "ugi")
            .collect()
    };
    assert_eq!(names(&uci), names(&ugi));
    assert_eq!((uci[0].0.as_str(), ugi[0].0.as_str()), ("uci", "ugi"));
    let both = ugi.into_iter().take(1).chain(uci).collect();
    support::assert_doc_table("the commands of UCI and UGI", &table(both));
    let gtp = printed_help("gtp", &["canopy-help", "9 name"], "=9 Canopy");
    let listed: Vec<&String> = gtp.iter().map(|(name, _)| name).collect();
    assert!(listed.is_sorted() && listed.len() > 30, "{listed:?}");
    support::assert_doc_table("the commands of GTP", &table(gtp));
}

#[test]
fn transcripts_are_followed_in_this_process() {
    for (name, text) in transcripts() {
        let setup = transcript::setup(&transcript::arguments(&text));
        let mut peer =
            InProcessServer::new(&setup).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        if let Err(problem) = transcript::play_transcript(&text, &mut peer) {
            panic!("{name}: {problem}");
        }
        assert!(peer.is_over(), "{name}: the server is still there");
    }
}

#[test]
fn transcripts_are_followed_by_the_program() {
    for (name, text) in transcripts() {
        let mut peer = EngineProcess::new(&transcript::arguments(&text));
        if let Err(problem) = transcript::play_transcript(&text, &mut peer) {
            panic!("{name}: {problem}");
        }
        let (_, well) = peer.wait();
        assert!(well, "{name}: it ended badly");
    }
}

#[test]
fn every_option_stands_in_a_transcript_or_sets_a_search() {
    let all: String = transcripts().into_iter().map(|(_, text)| text).collect();
    for row in options::option_definitions() {
        assert!(
            all.contains(&row.name) || row.parameter_name().is_some(),
            "{} is in no transcript",
            row.name
        );
    }
}

/// Sends `input` at once and closes the pipe; returns the output and whether the program exited with success.
fn run_piped(arguments: &[&str], input: &[u8]) -> (String, bool) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("its input is piped");
    stdin.write_all(input).expect("the program reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let text = String::from_utf8(output.stdout).expect("it says UTF-8");
    (text, output.status.success())
}

/// The last line that is not blank.
fn last_line(text: &str) -> &str {
    text.lines().rfind(|line| !line.is_empty()).unwrap_or("")
}

#[test]
fn lines_sent_before_the_input_closes_are_worked_off() {
    let (text, well) = run_piped(&[], b"ugi\nposition startpos\ngo nodes 1000\n");
    assert!(well && last_line(&text).starts_with("bestmove "), "{text}");
    assert!(text.contains(" nodes 1000 "), "{text}");
    // Without a line end too, and with those of other systems.
    let (text, _) = run_piped(&[], b"uci\r\nposition startpos moves e2e4\r\ngo nodes 50");
    assert!(
        last_line(&text).starts_with("bestmove ") && !text.contains('\r'),
        "{text}"
    );
    // What would never end is stopped.
    let begun = Instant::now();
    for go in ["infinite", "ponder wtime 100000 btime 100000", "mate 9"] {
        let (text, well) = run_piped(&[], format!("go {go}\n").as_bytes());
        assert!(
            well && last_line(&text).starts_with("bestmove "),
            "{go}: {text}"
        );
    }
    assert!(begun.elapsed() < Duration::from_secs(20));
    // Genmove is answered before the end, and one answer a command.
    let script = "boardsize 8\nclear_board\ngenmove b\ngenmove w\n9 name\n";
    let (text, well) = run_piped(
        &["--game", "othello", "--option", "Nodes=50"],
        script.as_bytes(),
    );
    assert!(well && last_line(&text) == "=9 Canopy", "{text}");
    assert_eq!(
        text.lines().filter(|line| line.starts_with('=')).count(),
        5,
        "{text}"
    );
    // Scripts may wait.
    let (text, _) = run_piped(&[], b"go nodes 500\nwait\ngo nodes 400\nwait\nquit\n");
    assert!(
        text.contains(" nodes 500 ") && text.contains(" nodes 400 "),
        "{text}"
    );
    assert_eq!(text.matches("bestmove").count(), 2, "{text}");
    // Nothing asked, nothing said.
    assert_eq!(run_piped(&[], b""), (String::new(), true));
    assert_eq!(run_piped(&[], b"\n \n"), (String::new(), true));
}

/// The moves of a random game, without the last one.
fn random_chess(seed: u64) -> Vec<String> {
    let mut session = session::open("chess").expect("there is chess");
    let mut rng = Rng::new(seed);
    let mut moves = Vec::new();
    while session.outcome().is_none() {
        let legal = session.moves(Style::Own);
        let mv = legal[rng.below(legal.len() as u32) as usize].clone();
        session.play(&mv).expect("it is legal");
        moves.push(mv);
    }
    moves.pop();
    moves
}

#[test]
fn long_lines_are_read_or_refused_and_nothing_is_lost() {
    // Random games of chess are long; one of the first few has more than 400 plies.
    let moves = (0..50)
        .map(random_chess)
        .find(|moves| moves.len() > 400)
        .expect("one of fifty random games is long");
    let line = format!("position startpos moves {}\ngo nodes 5\n", moves.join(" "));
    let (text, _) = run_piped(&[], line.as_bytes());
    assert!(
        last_line(&text).starts_with("bestmove ") && !text.contains("0000"),
        "{text}"
    );
    // A megabyte of blanks is a line; more is refused, and the position with it.
    let blanks = " ".repeat(1 << 20);
    let short = &blanks[..(1 << 20) - 100];
    let (text, _) = run_piped(
        &[],
        format!("position{short}startpos\ngo nodes 5\n").as_bytes(),
    );
    assert!(
        last_line(&text).starts_with("bestmove ") && !text.contains("0000"),
        "{text}"
    );
    let script = format!("uci\nposition startpos moves{blanks}e2e4\nisready\ngo nodes 5\n");
    let (text, _) = run_piped(&[], script.as_bytes());
    assert!(text.contains("a line of more than 1048576 bytes"), "{text}");
    assert!(
        text.contains("readyok") && last_line(&text) == "bestmove 0000",
        "{text}"
    );
    let script = format!("name\n{blanks}x\nname\n");
    let (text, _) = run_piped(&[], script.as_bytes());
    assert_eq!(text.matches("= Canopy").count(), 2, "{text}");
    assert_eq!(text.matches("? syntax error").count(), 1, "{text}");
    // Bytes that are no text.
    let (text, well) = run_piped(
        &[],
        b"uci\n\xff\xfe\0\nsetoption name \xff value \xff\nisready\n",
    );
    assert!(well && last_line(&text) == "readyok", "{text}");
}

#[test]
fn quit_ends_the_process_soon_whatever_it_does() {
    for before in [
        vec![],
        vec!["go infinite"],
        vec!["setoption name Threads value 2", "go nodes 1000000000"],
        vec!["setoption name Search value alpha-beta", "go depth 60"],
        vec!["go perft 9"],
        vec![
            "setoption name Game value connect-four",
            "go movetime 100000",
        ],
    ] {
        let mut process = EngineProcess::new(&[]);
        process.send("uci");
        for line in &before {
            process.send(line);
        }
        process.send("isready");
        while let Some(line) = process.read_line(REPLY_TIMEOUT) {
            if line == "readyok" {
                break;
            }
        }
        // A busy machine may be slow; `bench protocol` measures.
        process.send("quit");
        let (time, well) = process.wait();
        assert!(
            well && time < Duration::from_secs(2),
            "{before:?}: {time:?}"
        );
    }
}

/// GTP's `quit` cuts short the commands queued before it; each is still answered.
#[test]
fn quit_cuts_short_what_waits_before_it() {
    let setup = ServerConfig {
        protocol: Some(ProtocolKind::Gtp),
        game: Some("othello".to_owned()),
        options: vec![("MoveTime".to_owned(), "100000".to_owned())],
        ..ServerConfig::default()
    };
    let mut peer = InProcessServer::new(&setup).expect("the set-up is sound");
    for line in [
        "genmove b",
        "genmove w",
        "name",
        "genmove b",
        "genmove w",
        "quit",
    ] {
        peer.send(line);
    }
    let mut answers = 0;
    while let Some(line) = peer.read_line(REPLY_TIMEOUT) {
        answers += usize::from(line.starts_with('='));
    }
    assert!(peer.is_over());
    assert_eq!(answers, 6);
}

/// Asserts that the numeric fields of an info line are integers and that `pv` comes last.
fn check_info(line: &str) {
    let words: Vec<&str> = line.split(' ').collect();
    let mut index = 1;
    while index < words.len() {
        let values = match words[index] {
            "depth" | "seldepth" | "multipv" | "nodes" | "nps" | "hashfull" | "time" => 1,
            "score" => {
                assert!(["cp", "mate"].contains(&words[index + 1]), "{line}");
                index += 1;
                1
            }
            "wdl" => 3,
            "pv" => {
                assert!(index + 1 < words.len(), "{line}");
                return;
            }
            other => panic!("{other} in {line}"),
        };
        for value in &words[index + 1..=index + values] {
            assert!(value.parse::<i64>().is_ok(), "{value} in {line}");
        }
        index += values + 1;
    }
}

#[test]
fn lines_are_legal_to_the_end_and_begin_with_the_best_move() {
    for (index, game) in every_game().enumerate() {
        let setup = ServerConfig {
            protocol: Some(ProtocolKind::Uci),
            game: Some(game.to_owned()),
            options: vec![
                ("MultiPV".to_owned(), "4".to_owned()),
                ("Solver".to_owned(), "true".to_owned()),
                ("PlayoutLimit".to_owned(), "60".to_owned()),
            ],
            ..ServerConfig::default()
        };
        let mut peer = InProcessServer::new(&setup).expect("the set-up is sound");
        let mut rng = Rng::new(index as u64);
        for _ in 0..25 {
            let mut session = session::open(game).expect("there is the game");
            let mut moves: Vec<String> = Vec::new();
            for _ in 0..rng.below(60) {
                let legal = session.moves(Style::Own);
                if legal.is_empty() {
                    break;
                }
                moves.push(legal[rng.below(legal.len() as u32) as usize].clone());
                session.play(&moves[moves.len() - 1]).expect("it is legal");
            }
            if session.outcome().is_some() {
                session.undo().expect("there was a move");
                moves.pop();
            }
            peer.send(&format!("position startpos moves {}", moves.join(" ")));
            peer.send("go nodes 400");
            let mut first = String::new();
            let best = loop {
                let line = peer.read_line(REPLY_TIMEOUT).expect("an answer");
                if let Some(best) = line.strip_prefix("bestmove ") {
                    break best.split(' ').next().unwrap_or("").to_owned();
                }
                check_info(&line);
                let Some((_, pv)) = line.split_once(" pv ") else {
                    panic!("no line in {line}")
                };
                if line.contains("multipv 1 ") {
                    first = pv.to_owned();
                }
                let mut board = session::open(game).expect("there is the game");
                board
                    .set_position("startpos", &format!("{} {pv}", moves.join(" ")))
                    .unwrap_or_else(|problem| panic!("{game} {moves:?}: {line}: {problem}"));
            };
            assert_eq!(
                first.split(' ').next(),
                Some(best.as_str()),
                "{game}: {moves:?}"
            );
        }
    }
}

/// Finished searches write their trees, classical ones too. Problems with the directory are reported once.
#[test]
fn trees_go_to_the_directory() {
    let scratch = Scratch::new("protocol-trees");
    let directory = scratch.0.join("trees here");
    let script = format!(
        "uci\nsetoption name TreeDir value {}\nsetoption name TreeJournal value true\n\
         setoption name TreeExtra value true\nsetoption name TreeStates value all\nsetoption name TreeMaxNodes value 100\n\
         setoption name TreeMinVisits value 2\nposition startpos moves e2e4\ngo nodes 2000\nwait\n\
         setoption name TreeFormat value csv\nsetoption name Search value alpha-beta\ngo depth 2\nwait\n\
         setoption name Game value kalah\nsetoption name TreeEvery value 1\nsetoption name Search value uct\n\
         go nodes 30000\nwait\nquit\n",
        directory.display()
    );
    let (text, well) = run_piped(&[], script.as_bytes());
    assert!(well && text.matches("bestmove").count() == 3, "{text}");
    let scratch = Scratch(directory);
    assert_eq!(scratch.files("tree").len(), 1);
    assert_eq!(scratch.files("csv").len(), 2);
    assert_eq!(scratch.files("growth").len(), 2);
    for path in scratch.files("json") {
        let sidecar = meta::read(fs::File::open(&path).expect("it is there")).expect("it is sound");
        assert!(sidecar.is_final && sidecar.chosen.is_some(), "{sidecar:?}");
        assert_eq!(sidecar.cut.max_nodes, Some(100));
    }
    for extension in ["tree", "csv"] {
        for path in scratch.files(extension) {
            let tree = files::read(&path, None).expect("it is a tree");
            assert!(tree.tree.nodes().len() <= 100 && tree.extra.is_some());
        }
    }
    // A file where the directory should be.
    let script = format!(
        "uci\nsetoption name TreeDir value {}\ngo nodes 10\n",
        scratch.files("tree")[0].display()
    );
    let (text, well) = run_piped(&[], script.as_bytes());
    assert!(
        well && text.contains("info string cannot write trees to "),
        "{text}"
    );
    assert!(last_line(&text).starts_with("bestmove "), "{text}");
}

/// The parameters in the sidecars of all trees below a directory.
fn sidecar_parameters(directory: &Path) -> Vec<BTreeMap<String, String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("there are trees") {
        let path = entry.expect("the directory can be read").path();
        if path.is_dir() {
            found.extend(sidecar_parameters(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "tree")
        {
            let sidecar = fs::File::open(path.with_extension("json")).expect("it is there");
            found.push(meta::read(sidecar).expect("it is sound").parameters);
        }
    }
    found
}

/// A parameter written in the search overrides an option's default; of a written one and a set option the later wins.
#[test]
fn the_last_thing_said_of_a_parameter_counts() {
    let scratch = Scratch::new("protocol-parameters");
    let directory = scratch.0.join("trees");
    for (number, (options, memory, exploration)) in [
        (
            vec!["Search=uct,memory=24,exploration=0.3"],
            "24",
            Some("0.3"),
        ),
        (vec!["Hash=32", "Search=uct,memory=24"], "24", None),
        (vec!["Search=uct,memory=24", "Hash=32"], "32", None),
        (vec!["Hash=32", "Search=uct"], "32", None),
        (
            vec!["Search=uct,memory=24", "Search=uct,Memory=16,memory=17"],
            "17",
            None,
        ),
        (
            vec!["Exploration=0.2", "Search=uct,exploration=0.3", "Hash=16"],
            "16",
            Some("0.3"),
        ),
        (
            vec!["Search=uct,exploration=0.3", "Exploration=0.2", "Hash=16"],
            "16",
            Some("0.2"),
        ),
        (
            vec!["Search=uct,exploration=0.3", "Exploration=auto", "Hash=16"],
            "16",
            Some("0.3"),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let directory = directory.join(number.to_string());
        let trees = format!("TreeDir={}", directory.display());
        let mut arguments = vec!["--game", "connect-four", "--option", &trees];
        for option in &options {
            arguments.extend(["--option", option]);
        }
        let (text, well) = run_piped(&arguments, b"ugi\ngo nodes 50\n");
        assert!(well && last_line(&text).starts_with("bestmove"), "{text}");
        let found = sidecar_parameters(&directory);
        assert_eq!(found.len(), 1, "{options:?}");
        assert_eq!(found[0]["memory"], memory, "{options:?}");
        if let Some(exploration) = exploration {
            assert_eq!(found[0]["exploration"], exploration, "{options:?}");
        }
    }
}

/// With `--trees-under` no client can write trees elsewhere: not by an absolute path, `..`, or a link.
#[cfg(unix)]
#[test]
fn trees_stay_under_a_directory_on_request() {
    let scratch = Scratch::new("trees-under");
    let (inside, outside) = (scratch.0.join("inside"), scratch.0.join("outside"));
    for directory in [&inside, &outside] {
        fs::create_dir(directory).expect("it can be made");
    }
    std::os::unix::fs::symlink(&outside, inside.join("link")).expect("it can be made");
    std::os::unix::fs::symlink(scratch.0.join("nowhere"), inside.join("dangling"))
        .expect("it can be made");
    std::os::unix::fs::symlink(&inside, scratch.0.join("way-in")).expect("it can be made");
    let under = inside.to_str().expect("the path is UTF-8");
    let search = |directory: &str| {
        let script = format!("uci\nsetoption name TreeDir value {directory}\ngo nodes 50\n");
        let (text, well) = run_piped(
            &["--game", "kalah", "--trees-under", under],
            script.as_bytes(),
        );
        assert!(well && last_line(&text).starts_with("bestmove "), "{text}");
        text
    };
    let place = |name: &str| format!("{}/{name}", scratch.0.display());
    for refused in [
        "outside",
        "outside/new",
        "inside/../outside",
        "inside/link",
        "inside/link/deeper",
        "inside/new/../../outside",
        "inside/dangling",
        "inside/dangling/deeper",
        "inside-out",
    ] {
        let text = search(&place(refused));
        assert!(
            text.contains("info string TreeDir \"") && text.contains("expected a directory under"),
            "{refused}: {text}"
        );
    }
    let relative = search("somewhere");
    assert!(relative.contains("lies elsewhere"), "{relative}");
    assert_eq!(fs::read_dir(&outside).expect("it is there").count(), 0);
    assert!(!scratch.0.join("nowhere").exists() && !scratch.0.join("inside-out").exists());
    for taken in ["inside", "inside/a/b", "inside/x/./y", "way-in/c"] {
        let text = search(&place(taken));
        assert!(!text.contains("info string TreeDir"), "{taken}: {text}");
        let written = fs::read_dir(scratch.0.join(taken)).expect("it is there");
        let is_tree =
            |entry: &fs::DirEntry| entry.path().extension().is_some_and(|name| name == "tree");
        assert_eq!(written.flatten().filter(is_tree).count(), 1, "{taken}");
    }
    // A set-up that asks for the impossible is refused at once.
    let output = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args([
            "--trees-under",
            under,
            "--option",
            &format!("TreeDir={}", place("outside")),
        ])
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
}

/// `TreeKeep` keeps the newest trees with their companion files over all directories, and touches no other files.
#[test]
fn only_the_newest_trees_stay_on_request() {
    let scratch = Scratch::new("tree-keep");
    let (first, second) = (scratch.0.join("first"), scratch.0.join("second"));
    fs::create_dir(&first).expect("it can be made");
    fs::write(first.join("old.tree"), "of somebody else").expect("it can be written");
    let script = format!(
        "ugi\nsetoption name Search value puct\nsetoption name TreeKeep value 3\nsetoption name TreeExtra value true\nsetoption name TreeJournal value true\n\
         setoption name TreeDir value {}\ngo nodes 50\nwait\ngo nodes 50\nwait\ngo nodes 50\nwait\ngo nodes 50\nwait\n\
         setoption name TreeDir value {}\ngo nodes 50\nwait\nsetoption name TreeFormat value csv\ngo nodes 50\n",
        first.display(),
        second.display()
    );
    let (text, well) = run_piped(&["--game", "connect-four"], script.as_bytes());
    assert!(well && text.matches("bestmove").count() == 6, "{text}");
    let names = |directory: &Path| -> Vec<String> {
        let entries = fs::read_dir(directory).expect("it is there");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("it can be read")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    };
    let (older, newer) = (names(&first), names(&second));
    // The fourth tree of the first directory with four companions, and a file that is not ours.
    assert_eq!(older.len(), 6, "{older:?}");
    assert!(
        older
            .iter()
            .all(|name| name.contains("-000004-") || name == "old.tree"),
        "{older:?}"
    );
    assert_eq!(newer.len(), 10, "{newer:?}");
    assert_eq!(
        newer.iter().filter(|name| name.ends_with(".csv")).count(),
        1,
        "{newer:?}"
    );
}

/// Option ranges fit into 32 bits, for clients that parse them as such.
#[test]
fn ranges_fit_32_bits() {
    for row in options::option_definitions() {
        if let options::OptionKind::Spin { default, min, max } = row.kind {
            for number in [default, min, max] {
                assert!(i32::try_from(number).is_ok(), "{}: {number}", row.name);
            }
        }
    }
}

#[test]
fn the_engines_of_a_match_search_as_they_are_written() {
    let scratch = Scratch::new("protocol-match-parameters");
    let trees = scratch.0.join("trees");
    let status = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["match", "--game", "connect-four", "--games", "1"])
        .args(["--engine", "search=uct,memory=24,threads=2"])
        .args(["--engine", "search=uct,memory=25", "--go", "nodes 50"])
        .args(["--max-plies", "2", "--trees"])
        .arg(&trees)
        .stdout(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()));
    let told = sidecar_parameters(&trees).into_iter();
    let mut used: Vec<(String, String)> = told
        .map(|all| (all["memory"].clone(), all["threads"].clone()))
        .collect();
    used.sort();
    let pair = |memory: &str, threads: &str| (memory.to_owned(), threads.to_owned());
    assert_eq!(used, [pair("24", "2"), pair("25", "1")]);
}

/// Too many threads are clamped and reported; the rest respect the time limit.
#[test]
fn many_threads_are_clamped_and_keep_the_time() {
    let mut process = EngineProcess::new(&[]);
    process.send("uci");
    process.send("setoption name Threads value 512");
    let said = std::iter::from_fn(|| process.read_line(REPLY_TIMEOUT))
        .find(|line| line.starts_with("info string"))
        .expect("it is told");
    assert!(
        said.starts_with("info string 512 threads are more than this machine"),
        "{said}"
    );
    process.send("setoption name Search value uct,threads=500");
    let said = process.read_line(REPLY_TIMEOUT).expect("it is told");
    assert!(
        said.starts_with("info string 500 threads are more than"),
        "{said}"
    );
    assert!(movetime_latency(&mut process, 200) < Duration::from_secs(5));
}

/// Time from `go movetime` to `bestmove`.
fn movetime_latency(process: &mut EngineProcess, millis: u64) -> Duration {
    let begun = Instant::now();
    process.send(&format!("go movetime {millis}"));
    while !process
        .read_line(REPLY_TIMEOUT)
        .expect("an answer comes")
        .starts_with("bestmove ")
    {}
    begun.elapsed()
}

#[test]
#[ignore = "for an idle machine"]
fn sixty_four_threads_answer_within_a_tenth_of_a_second() {
    let mut process = EngineProcess::new(&["--option".to_owned(), "Threads=64".to_owned()]);
    process.send("uci");
    while process
        .read_line(REPLY_TIMEOUT)
        .expect("it introduces itself")
        != "uciok"
    {}
    for _ in 0..20 {
        let time = movetime_latency(&mut process, 200);
        assert!(time < Duration::from_millis(300), "{time:?}");
        process.send("ucinewgame");
    }
}

/// NBoard's `analyze` reports the value of every position of the game, last first. The game is unchanged, also after an
/// interruption.
#[test]
fn nboard_analyzes_whole_games() {
    let game = |moves: &str| {
        format!(
            "set game (;GM[Othello]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]{moves};)"
        )
    };
    // The shortest game there is: black has all discs after nine moves.
    let short = "B[E6]W[F4]B[E3]W[F6]B[G5]W[D6]B[E7]W[F5]B[C5]";
    let script = format!("nboard 2\n{}\nset depth 1\nanalyze\n", game(short));
    let (text, well) = run_piped(&[], script.as_bytes());
    let told: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("analysis "))
        .collect();
    assert!(well && told.len() == 10, "{text}");
    for (line, plies) in told.iter().zip((0..=9).rev()) {
        let value = line
            .strip_prefix(&format!("analysis {plies} "))
            .expect(line);
        let value: f64 = value.parse().expect(line);
        assert!((-64.0..=64.0).contains(&value), "{line}");
    }
    // White is to move and has lost all thirteen.
    assert_eq!(told[0], "analysis 9 -13.00", "{text}");
    assert!(text.trim_end().ends_with("status Done"), "{text}");
    let script = format!(
        "nboard 2\n{}\nset depth 100000\nanalyze\nping 1\nmove d6\nset depth 1\nanalyze\n",
        game("B[F5]")
    );
    let (text, well) = run_piped(&[], script.as_bytes());
    let rest = text.split("pong 1\n").nth(1).unwrap_or_default();
    assert!(
        well && rest.contains("analysis 2 ") && rest.contains("analysis 0 "),
        "{text}"
    );
}

/// Control and bidirectional characters quoted in an `info string` are escaped.
#[test]
fn info_strings_write_out_what_would_deceive_the_eye() {
    let script =
        "uci\nsetoption name TreeDir value /dev/null/\u{1b}[2J\u{202e}x\ngo nodes 10\nwait\nquit\n";
    let (text, well) = run_piped(&[], script.as_bytes());
    assert!(well, "{text:?}");
    assert!(
        text.contains("info string cannot write trees to /dev/null/\\u{1b}[2J\\u{202e}x"),
        "{text:?}"
    );
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
}

/// Valid and invalid lines of a client, by dialect.
fn sample_lines(talk: ProtocolKind) -> Vec<&'static str> {
    let uci = [
        "uci",
        "ugi",
        "isready",
        "isready",
        "ucinewgame",
        "uginewgame",
        "debug on",
        "debug off",
        "position startpos",
        "position startpos moves e2e4",
        "position startpos moves 1",
        "position startpos moves e2e4 e7e5 g1f3",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen",
        "position",
        "position startpos moves x",
        "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "go nodes 20",
        "go nodes 2000",
        "go infinite",
        "go ponder nodes 30",
        "go movetime 3",
        "go wtime 50 btime 50",
        "go depth 2",
        "go wtime 0",
        "go mate 1 nodes 50",
        "go searchmoves e2e4 nodes 9",
        "go nodes x",
        "go perft 1",
        "stop",
        "stop",
        "ponderhit",
        "setoption name MultiPV value 3",
        "setoption name MultiPV value 1",
        "setoption name Game value kalah",
        "setoption name Game value chess",
        "setoption name UCI_Variant value cfour",
        "setoption name UCI_Variant value chess",
        "setoption name Game value othello",
        "setoption name Game value delta",
        "setoption name Search value deepening",
        "setoption name Search value uct",
        "setoption name Search value grouping",
        "setoption name Search value nonsense",
        "setoption name Threads value 2",
        "setoption name Threads value 1",
        "setoption name Clear Hash",
        "setoption name Hash value 16",
        "setoption",
        "query p1turn",
        "query gameover",
        "query result",
        "query",
        "d",
        "eval",
        "wait",
        "bench 10",
        "",
        "   ",
        "nonsense",
        "register",
        "\u{7f}\u{0}",
        "go go go",
        "position position",
    ];
    let gtp = [
        "name",
        "1 version",
        "protocol_version",
        "list_commands",
        "known_command play",
        "boardsize 8",
        "boardsize 7",
        "clear_board",
        "komi 5",
        "play b d3",
        "play w c3",
        "play b pass",
        "play w 4",
        "play b",
        "2 genmove b",
        "genmove w",
        "genmove",
        "reg_genmove b",
        "undo",
        "undo",
        "time_settings 1 0 0",
        "time_settings 0 1 0",
        "time_left b 1 0",
        "time_left x",
        "showboard",
        "final_score",
        "list_games",
        "set_game Othello",
        "set_game Kalah",
        "set_game Connect Four",
        "set_game Chess",
        "set_game Delta",
        "set_game Go",
        "loadsgf x",
        "lz-analyze 1",
        "lz-analyze b 1",
        "kata-analyze interval 1",
        "lz-genmove_analyze b 1",
        "lz-genmove_analyze w",
        "stop",
        "gogui-rules_board",
        "gogui-rules_legal_moves",
        "gogui-rules_final_result",
        "gogui-rules_side_to_move",
        "gogui-rules_board_size",
        "gogui-rules_game_id",
        "set_option Nodes 30",
        "set_option Threads 2",
        "set_option Threads x",
        "get_option Nodes",
        "set_option Search lgr1",
        "list_options",
        "clear_cache",
        "set_position startpos",
        "set_position x",
        "nonsense",
        "17",
        "# only a comment",
        "",
        "\t",
        "99 nonsense",
    ];
    let nboard = [
        "nboard 2",
        "set depth 1",
        "set depth x",
        "set contempt 5",
        "set game nonsense",
        "set game",
        "move d3",
        "move D3/1.0/2.5",
        "move c3",
        "move f5//",
        "move PA",
        "move zz",
        "hint 2",
        "hint",
        "go",
        "go",
        "ping 1",
        "ping 2",
        "ping 3",
        "learn",
        "analyze",
        "",
        "nonsense",
        "set",
        "set x y",
    ];
    match talk {
        ProtocolKind::Uci | ProtocolKind::Ugi => uci.to_vec(),
        ProtocolKind::Gtp => gtp.to_vec(),
        ProtocolKind::NBoard => nboard.to_vec(),
    }
}

/// Sends random lines in random order. Each `go` gets one best move, each command one answer, `isready` always `readyok`.
fn fuzz_protocol(talk: ProtocolKind, seed: u64, steps: usize) {
    let setup = ServerConfig {
        protocol: Some(talk),
        game: None,
        options: vec![
            ("Nodes".to_owned(), "50".to_owned()),
            ("Hash".to_owned(), "16".to_owned()),
        ],
        ..ServerConfig::default()
    };
    let mut peer = InProcessServer::new(&setup).expect("the set-up is sound");
    let mut rng = Rng::new(seed);
    let sayings = sample_lines(talk);
    let (mut asked, mut answered, mut ready) = (0, 0, 0);
    let mut heard: Vec<String> = Vec::new();
    let mut said: Vec<&str> = Vec::new();
    for step in 0..steps {
        let line = sayings[rng.below(sayings.len() as u32) as usize];
        said.push(line);
        let word = line.split_whitespace().next().unwrap_or("");
        match talk {
            ProtocolKind::Uci | ProtocolKind::Ugi => {
                asked += usize::from(word == "go" && !line.contains("perft"));
                ready += usize::from(word == "isready");
            }
            ProtocolKind::Gtp => asked += usize::from(!word.is_empty() && word != "#"),
            ProtocolKind::NBoard => asked += usize::from(word == "ping"),
        }
        peer.send(line);
        // Now and then somebody waits for what comes.
        let timeout = Duration::from_millis(u64::from(rng.below(40) / 39 * 20));
        let begun = Instant::now();
        while let Some(line) = peer.read_line(timeout) {
            heard.push(line);
            // An analysis goes on until something else is said.
            if begun.elapsed() > Duration::from_millis(200) {
                break;
            }
        }
        if matches!(talk, ProtocolKind::Uci | ProtocolKind::Ugi) {
            for line in heard.drain(..) {
                answered += usize::from(line.starts_with("bestmove "));
                if line == "readyok" {
                    ready -= 1;
                }
                assert!(
                    answered <= asked,
                    "{talk:?} {seed} at {step}: {line} after {said:?}"
                );
                let idle = answered == asked && !line.starts_with("bestmove ");
                assert!(
                    !(idle && line.starts_with("info depth")),
                    "{talk:?} {seed} at {step}: {line} while nothing is searched"
                );
            }
        }
    }
    peer.close();
    while let Some(line) = peer.read_line(REPLY_TIMEOUT) {
        heard.push(line);
    }
    assert!(peer.is_over(), "{talk:?} {seed}: it does not end");
    match talk {
        ProtocolKind::Uci | ProtocolKind::Ugi => {
            answered += heard
                .iter()
                .filter(|line| line.starts_with("bestmove "))
                .count();
            ready -= heard.iter().filter(|line| *line == "readyok").count();
            assert_eq!(ready, 0, "{talk:?} {seed}");
        }
        ProtocolKind::Gtp => {
            let mut begins = true;
            for line in &heard {
                if begins {
                    assert!(
                        line.starts_with(['=', '?']),
                        "{seed}: {line} begins an answer"
                    );
                    answered += 1;
                }
                begins = line.is_empty();
            }
            assert!(begins, "{seed}: the last answer is not complete");
        }
        ProtocolKind::NBoard => {
            answered = heard
                .iter()
                .filter(|line| line.starts_with("pong "))
                .count()
        }
    }
    assert_eq!(asked, answered, "{talk:?} {seed}");
}

#[test]
fn whatever_is_said_is_answered() {
    for (_, talk) in ProtocolKind::all() {
        for seed in 0..3 {
            fuzz_protocol(talk, seed, 500);
        }
    }
}

#[test]
#[ignore = "ten minutes of babble"]
fn whatever_is_said_for_long_is_answered() {
    for (_, talk) in ProtocolKind::all() {
        for seed in 100..200 {
            fuzz_protocol(talk, seed, 2000);
        }
    }
}

/// Plays games over UGI at 5 ms a move; returns the number of answers more than `late` over time.
fn play_short_games(game: &str, games: usize, late: Duration) -> usize {
    let scratch = Scratch::new(&format!("short-{game}"));
    let arguments = |seed: usize| {
        let mut words = vec!["--game".to_owned(), game.to_owned()];
        words.extend(["--option".to_owned(), format!("Seed={seed}")]);
        words.extend(["--option".to_owned(), "Hash=64".to_owned()]);
        words
    };
    let mut watched = arguments(2);
    let directory = scratch.0.display();
    watched.extend(["--option".to_owned(), format!("TreeDir={directory}")]);
    watched.extend(["--option".to_owned(), "TreeMaxNodes=50".to_owned()]);
    let mut players = [
        EngineProcess::new(&arguments(1)),
        EngineProcess::new(&watched),
    ];
    for player in &mut players {
        player.send("ugi");
        player.send("isready");
        while player.read_line(REPLY_TIMEOUT).expect("it answers") != "readyok" {}
    }
    let handles = |player: &EngineProcess| {
        fs::read_dir(format!("/proc/{}/fd", player.id())).map_or(0, Iterator::count)
    };
    let before = players.each_ref().map(handles);
    let (mut too_late, mut searches) = (0, 0);
    for number in 0..games {
        let mut session = session::open(game).expect("there is the game");
        let mut moves: Vec<String> = Vec::new();
        for player in &mut players {
            player.send("uginewgame");
        }
        while session.outcome().is_none() && moves.len() < 200 {
            let turn = (session.to_move().index() + number) % 2;
            let player = &mut players[turn];
            player.send(&format!("position startpos moves {}", moves.join(" ")));
            player.send("go movetime 5");
            let begun = Instant::now();
            let best = loop {
                let line = player.read_line(REPLY_TIMEOUT).expect("a move comes");
                if let Some(best) = line.strip_prefix("bestmove ") {
                    break best.to_owned();
                }
                check_info(&line);
            };
            too_late += usize::from(begun.elapsed() > Duration::from_millis(5) + late);
            searches += usize::from(turn == 1);
            session
                .play(&best)
                .unwrap_or_else(|problem| panic!("{game} {moves:?}: {problem}"));
            moves.push(best);
        }
        // Both say how it ended, as the referee does.
        let result = match session.outcome() {
            Some((Outcome::Win(Player::First), _)) => "response p1win",
            Some((Outcome::Win(Player::Second), _)) => "response p2win",
            Some((Outcome::Draw, _)) => "response draw",
            None => "response none",
        };
        for player in &mut players {
            player.send(&format!("position startpos moves {}", moves.join(" ")));
            player.send("query result");
            assert_eq!(
                player.read_line(REPLY_TIMEOUT).as_deref(),
                Some(result),
                "{game} {moves:?}"
            );
        }
        // A tree may be being written just now.
        let begun = Instant::now();
        while players.each_ref().map(handles) != before {
            let now = players.each_ref().map(handles);
            assert!(
                begun.elapsed() < REPLY_TIMEOUT,
                "{game}: {now:?} handles after {number} games, {before:?} before"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    for player in &mut players {
        player.send("quit");
        assert!(player.wait().1, "{game}: it ended badly");
    }
    assert_eq!(
        scratch.files("tree").len(),
        searches,
        "{game}: a tree for every search"
    );
    too_late
}

#[test]
fn short_games_go_well() {
    for game in every_game() {
        let games = if game == "chess" { 4 } else { 11 };
        // A busy machine is late now and then; the long run is for idle ones.
        play_short_games(game, games, Duration::from_secs(5));
    }
}

#[test]
#[ignore = "a thousand games, for an idle machine"]
fn a_thousand_short_games_go_well_and_in_time() {
    // All are played before anything is said of the clock: chess, the longest, last.
    let late: Vec<(&str, usize)> = (every_game().rev())
        .map(|game| (game, play_short_games(game, 200, Duration::from_millis(25))))
        .collect();
    assert!(
        late.iter().all(|&(_, count)| count == 0),
        "moves that came late: {late:?}"
    );
}

/// The script in protocol.md, for every game.
#[test]
fn a_shell_script_plays_games_between_processes() {
    let page = fs::read_to_string(data("../../protocol.md")).expect("there is a contract");
    let script = page
        .split("```sh\n")
        .find_map(|block| {
            block
                .starts_with("# A game between")
                .then(|| block.split("```").next())
        })
        .flatten()
        .expect("protocol.md has the script");
    let program = Path::new(env!("CARGO_BIN_EXE_canopy-engine"));
    let folder = program.parent().expect("it lies in a folder").display();
    for game in every_game() {
        let output = Command::new("sh")
            .args(["-c", script, "game.sh", game])
            .env("PATH", format!("{folder}:/usr/bin:/bin"))
            .output()
            .expect("there is a shell");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{game}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let parts: Vec<&str> = text.trim().split(':').map(str::trim).collect();
        let [name, moves, result] = parts[..] else {
            panic!("{game}: {text}")
        };
        assert_eq!(name, game);
        let mut session = session::open(game).expect("there is the game");
        session
            .set_position("startpos", moves)
            .expect("every move is legal");
        let expected = match session.outcome() {
            Some((Outcome::Win(Player::First), _)) => "p1win",
            Some((Outcome::Win(Player::Second), _)) => "p2win",
            Some((Outcome::Draw, _)) => "draw",
            None => "nothing: the game is not over",
        };
        assert_eq!(result, expected, "{game}: {moves}");
    }
}
