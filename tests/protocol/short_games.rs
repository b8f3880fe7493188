//! Whole games with a fast clock, by this program and by a shell script.

use canopy_engine::games::{Outcome, Player};

use super::*;

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
    // A disk that is too slow for so many trees loses some, and the engine says so.
    let mut loses_trees = false;
    let mut tells_of_lost_trees = |line: &str| {
        let is_told = line.starts_with("info string ")
            && (line.contains("cannot write the tree") || line.contains("could not be written"));
        loses_trees |= is_told;
        is_told
    };
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
                tells_of_lost_trees(&line);
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
            let mut answer = player.read_line(REPLY_TIMEOUT);
            while answer.as_deref().is_some_and(&mut tells_of_lost_trees) {
                answer = player.read_line(REPLY_TIMEOUT);
            }
            assert_eq!(answer.as_deref(), Some(result), "{game} {moves:?}");
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
    let trees = scratch.files("tree").len();
    assert!(
        trees == searches || loses_trees && trees < searches,
        "{game}: {trees} trees of {searches} searches"
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
