//! Random commands of every dialect are answered.

use super::*;

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
