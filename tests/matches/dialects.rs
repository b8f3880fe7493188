//! Matches through every dialect, against Canopy and against the engines of others.

use super::*;

/// Our engine plays through every dialect, and a match between dialects is even.
#[test]
fn our_engine_plays_through_every_dialect() {
    let own = |game: &str, dialect: &str| {
        format!(
            "name={dialect} dialect={dialect} option.Search=uct {} --game {game}",
            engine_path()
        )
    };
    for (game, dialect) in [
        ("connect-four", "uci"),
        ("connect-four", "gtp"),
        ("othello", "uci"),
        ("othello", "gtp"),
        ("chess", "uci"),
        ("chess", "gtp"),
        ("chess:960", "uci"),
        ("kalah:4x3", "uci"),
        ("kalah:4x3", "gtp"),
        ("delta:forced", "uci"),
        ("delta:forced", "gtp"),
        ("tic-tac-toe", "uci"),
        ("tic-tac-toe", "gtp"),
    ] {
        let scratch = Scratch::new(&format!("dialect-{}-{dialect}", game.replace(':', "-")));
        match_report(&format!(
            "--game|{game}|--engine|{}|--engine|{}|--games|2|--plies|4|--go|nodes 12|--max-plies|80|--out|{}",
            own(game, "ugi"),
            own(game, dialect),
            scratch.0.display()
        ));
        for played in read_games(&scratch.0) {
            let ending = played["ending"].as_str().expect("an ending is text");
            assert!(
                ["rules", "too-long"].contains(&ending),
                "{game} over {dialect}: {played}"
            );
            assert_eq!(
                played["remarks"],
                serde_json::Value::Null,
                "{game} over {dialect}: {played}"
            );
        }
    }
}

/// Third-party engines play ours over UCI without complaints from either side.
#[test]
fn chess_programs_of_others_are_opponents() {
    for (name, command) in [("stockfish", "stockfish"), ("gnuchess", "gnuchess --uci")] {
        let path = std::env::var_os("PATH").unwrap_or_default();
        // Debian puts games where not everybody looks for programs.
        let mut places = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
        let Some(place) = places.find(|place| place.join(name).is_file()) else {
            untested(&format!("there is no {name}"));
            continue;
        };
        let command = place.join(command).display().to_string();
        let scratch = Scratch::new(&format!("against-{name}"));
        let text = match_report(&format!(
            "--game|chess|--engine|name=ours search=uct,playout_limit=10|--engine|name=other dialect=uci go='depth 1' {command}|--games|4|--plies|2|--go|nodes 60|--max-plies|120|--out|{}",
            scratch.0.display()
        ));
        let played = read_games(&scratch.0);
        assert_eq!(played.len(), 4);
        for game in played {
            let ending = game["ending"].as_str().expect("an ending is text");
            assert!(["rules", "too-long"].contains(&ending), "{name}: {game}");
            assert_eq!(game["remarks"], serde_json::Value::Null, "{name}: {game}");
            let depths = game["depths"].as_array().expect("depths are kept");
            assert!(depths.iter().any(|depth| depth == 1), "{name}: {game}");
        }
        assert!(text.contains("faults\n"), "{text}");
        let pgn = fs::read_to_string(scratch.0.join("games.pgn")).expect("there are games");
        assert_eq!(pgn.matches("[White \"other\"]").count(), 2, "{pgn}");
    }
}

/// An engine that ponders is told of hits and misses, and to stop when the game is over.
#[test]
fn an_engine_ponders_on_the_move_it_expects() {
    let scratch = Scratch::new("ponder");
    let log = scratch.0.join("log");
    let script = |name: &str| data(&format!("engines/{name}")).display().to_string();
    match_report(&format!(
        "--game|chess|--engine|name=white dialect=uci ponder=true sh {} {}|--engine|name=black dialect=uci sh {}|--games|1|--go|tc 60+1|--max-plies|6",
        script("ponder.sh"),
        log.display(),
        script("uci.sh"),
    ));
    let log = fs::read_to_string(log).expect("it was told something");
    let words = |line: &str| -> String {
        let end = if line.starts_with("go ponder") { 2 } else { 1 };
        line.split(' ').take(end).collect::<Vec<_>>().join(" ")
    };
    let told: Vec<String> = log.lines().map(words).collect();
    let searches: Vec<&str> = (told.iter().map(String::as_str))
        .filter(|line| ["go", "go ponder", "ponderhit", "stop", "quit"].contains(line))
        .collect();
    let expected = [
        "go",
        "go ponder",
        "ponderhit",
        "go ponder",
        "stop",
        "go",
        "go ponder",
        "stop",
        "quit",
    ];
    assert_eq!(searches, expected, "{log}");
    assert!(log.contains("setoption name Ponder value true\n"), "{log}");
    assert!(
        log.contains("position startpos moves e2e4 e7e5\ngo ponder wtime "),
        "{log}"
    );
}

#[test]
fn our_engine_plays_a_match_with_pondering_on() {
    for game in ["connect-four", "kalah:4x3"] {
        let scratch = Scratch::new(&format!("own-ponder-{}", game.replace(':', "-")));
        let own = |name: &str| {
            format!(
                "name={name} dialect=uci ponder=true option.Search=uct option.Hash=16 {} --game {game}",
                engine_path()
            )
        };
        match_report(&format!(
            "--game|{game}|--engine|{}|--engine|{}|--games|2|--plies|4|--go|tc 0.4+0.02|--margin|5000|--out|{}",
            own("one"),
            own("two"),
            scratch.0.display()
        ));
        let played = read_games(&scratch.0);
        assert_eq!(played.len(), 2);
        for game in played {
            assert_eq!(game["ending"], "rules", "{game}");
            assert_eq!(game["remarks"], serde_json::Value::Null, "{game}");
        }
    }
}

#[test]
fn only_uci_engines_ponder() {
    let problem = match_error(
        "--game|kalah|--engine|ponder=true search=uct|--engine|search=uct",
        2,
    );
    assert!(
        problem.contains("ponder=true needs dialect=uci"),
        "{problem}"
    );
}
