//! Tournaments of report 001's file in the window.

use std::{fs, path::Path, process::Command, time::Duration};

use canopy_viewer::{
    app::{Action, GameAction},
    play::game_state::Turn,
};
use serde_json::{Value, json};

use super::{
    play::own_command,
    stage::Harness,
    support::{Scratch, wait_until},
};

/// A tournament at a small board, written to a file.
fn write_config(scratch: &Scratch, players: &Value) -> String {
    let config = json!({
        "game": "kalah:2x2",
        "game_type": "tournament",
        "seed": 666,
        "output_file": scratch.0.join("results.csv"),
        "players": players,
    });
    let path = scratch.0.join("config.json");
    fs::write(&path, config.to_string()).expect("a file can be written");
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// A harness that plays a tournament without pauses.
fn start_tournament(config: &str, out: &Path) -> Harness {
    let mut stage = Harness::with_real_time();
    stage.app.own_engine_command = own_command();
    stage.run_action(Action::StartTournament {
        config: config.into(),
        out: Some(out.to_owned()),
        exit: true,
    });
    stage.run_action(Action::Game(GameAction::Pace(0)));
    stage
}

/// Makes the first legal move of a person, or goes on to the next game.
fn take_turn(stage: &mut Harness) {
    let playing = stage.app.session.as_ref().expect("a game");
    match playing.game.turn() {
        Turn::Person(_) => {
            let mv = playing.game.shown_position().legal_moves[0].clone();
            stage.run_action(Action::Game(GameAction::Move(mv)));
        }
        Turn::Over(_) => {
            stage.run_action(Action::Game(GameAction::NextGame));
        }
        Turn::Engine(..) => std::thread::sleep(Duration::from_millis(1)),
    }
}

/// Plays it to its end: a person makes the first legal move. The place of every game.
fn play_to_the_end(stage: &mut Harness) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    wait_until("the tournament is over", || {
        stage.draw_frame();
        let Some(playing) = &stage.app.session else {
            return stage.app.is_closing;
        };
        if let Some(place) = &playing.tournament_place
            && places.last() != Some(place)
        {
            places.push(place.clone());
        }
        take_turn(stage);
        stage.app.is_closing
    });
    places
}

/// The games of a results file.
fn results(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn engines_play_the_same_tournament_in_the_window_and_in_the_terminal() {
    let scratch = Scratch::new("window-tournament");
    let players = json!([
        {"player_type": "mcts_uct"},
        {"player_type": "random"},
        {"search": "random", "name": "chance"},
    ]);
    let config = write_config(&scratch, &players);
    let window = scratch.0.join("window");
    let mut stage = start_tournament(&config, &window);
    let places = play_to_the_end(&mut stage);
    assert_eq!(places[0], "series 1 of 3, game 1");
    assert_eq!(places[1], "series 1 of 3, game 2");
    assert!(
        places
            .iter()
            .any(|place| place.starts_with("series 3 of 3")),
        "{places:?}"
    );
    let told = stage
        .app
        .message
        .as_ref()
        .expect("the end is told")
        .text
        .clone();
    assert!(
        told.starts_with("The tournament is over: ") && told.contains("MCTSPlayer-UCT "),
        "{told}"
    );
    let shown = results(&scratch.0.join("results.csv"));
    assert_eq!(shown.lines().count(), 1 + places.len(), "{shown}");

    let terminal = scratch.0.join("terminal");
    let own = own_command();
    let output = Command::new(&own[0])
        .args(&own[1..])
        .args(["tournament", &config, "--terminal", "--out"])
        .arg(&terminal)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(results(&scratch.0.join("results.csv")), shown);
    let games = |directory: &Path| results(&directory.join("games.txt"));
    assert_eq!(games(&window), games(&terminal), "move for move");
}

#[test]
fn a_person_plays_a_tournament_and_goes_on_with_it_later() {
    let scratch = Scratch::new("window-tournament-person");
    let players =
        json!([{"player_type": "user"}, {"player_type": "random"}, {"player_type": "user"}]);
    let config = write_config(&scratch, &players);
    let out = scratch.0.join("run");
    // The window is closed in the second series.
    let mut stage = start_tournament(&config, &out);
    wait_until("the second series is played", || {
        stage.draw_frame();
        take_turn(&mut stage);
        let place =
            (stage.app.session.as_ref()).and_then(|playing| playing.tournament_place.clone());
        place.is_some_and(|place| place.starts_with("series 2"))
    });
    stage.app.shut_down();
    let mut later = start_tournament(&config, &out);
    let places = play_to_the_end(&mut later);
    assert_eq!(
        places[0], "series 2 of 3, game 1",
        "the first series is kept"
    );
    let table = results(&out.join("results.csv"));
    assert!(
        table.contains("UserPlayer") && table.contains("RandomPlayer"),
        "{table}"
    );
    assert!(
        out.join("parts")
            .read_dir()
            .is_ok_and(|mut parts| parts.next().is_some())
    );
    // A complete tournament has nothing to play.
    let mut done = start_tournament(&config, &out);
    assert_eq!(play_to_the_end(&mut done), [""; 0]);
}

#[test]
fn mistakes_of_a_file_are_told_before_a_window_opens() {
    let scratch = Scratch::new("window-tournament-mistakes");
    let config = write_config(
        &scratch,
        &json!([{"player_type": "robot"}, {"player_type": "random"}]),
    );
    let output = Command::new(&own_command()[0])
        .args(["tournament", &config])
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("players[0].player_type: \"robot\" is not known"),
        "{said}"
    );
}
