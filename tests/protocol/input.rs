//! Reading commands: input that closes, long lines, and quit at any moment.

use super::*;

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
    let mut moves = random_game("chess", seed);
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
