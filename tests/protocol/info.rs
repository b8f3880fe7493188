//! What a search says while it runs: info lines, principal variations and analyses.

use super::*;

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
                // An ending's solver says what it has found before the line.
                if line.starts_with("info string exact") {
                    continue;
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
