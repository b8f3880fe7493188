//! Games in a real window with real engines, from the start screen to the result.

use std::{
    fs,
    path::{Path, PathBuf},
};

use canopy_engine::rng::Rng;
use canopy_viewer::board::{Board, BoardPlace};
use serde_json::Value;
use support::window::{Window, control_at, in_window};

mod support;

/// Replaces the text of a field on the start screen.
fn fill_field(window: &Window<'_>, field: &str, text: &str) {
    window.press(field);
    // What is typed before the field has been drawn with the cursor in it goes nowhere.
    window.state();
    window.press_keys(&["ctrl+a"]);
    window.type_text(text);
    // The cursor leaves before what was typed in the same moment is read.
    window.state();
    window.press_keys(&["Escape"]);
    window.state();
}

fn control_name(place: BoardPlace) -> String {
    match place {
        BoardPlace::Square { column, row } => {
            format!("square {}{}", char::from(b'a' + column), row + 1)
        }
        BoardPlace::Pit { owner, number } => {
            let whose = ["first", "second"][owner.index()];
            format!("square {whose} pit {}", number + 1)
        }
        other => panic!("{other:?} is not clicked"),
    }
}

fn move_count(state: &Value) -> usize {
    state["game"]["moves"].as_array().map_or(0, Vec::len)
}

fn is_over(state: &Value) -> bool {
    let status = &state["game"]["status"];
    status.is_string() && *status != "Game in progress"
}

/// True if the window waits for a person's move.
fn is_persons_turn(state: &Value) -> bool {
    state["controls"]["move field"]["on"] == true && !is_over(state)
}

/// Makes a move by clicks on the board, and waits until it is made.
fn click_move(window: &Window<'_>, state: &Value, mv: &str) {
    let before = move_count(state);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let game = text(&state["game"]["game"]);
    let position = text(&state["game"]["position"]);
    let replayed = Board::after_moves(&game, &position, &[""; 0]).expect("a sound position");
    let places = replayed.board.move_places(mv);
    if places.is_empty() {
        window.press("forced");
    }
    for place in places {
        window.click(control_at(state, &control_name(place)));
    }
    window.wait_until("the move is made", |state| move_count(state) > before);
}

/// Plays to the end with random moves of the person. Returns the final state.
fn play_game(window: &Window<'_>, seed: u64) -> Value {
    let mut rng = Rng::new(seed);
    loop {
        let state = window.wait_until("somebody is to move, or the game is over", |state| {
            is_over(state) || is_persons_turn(state)
        });
        assert_eq!(state["game"]["trouble"], Value::Null, "{}", state["game"]);
        if is_over(&state) {
            return state;
        }
        let legal = state["game"]["legal"]
            .as_array()
            .expect("there are moves")
            .clone();
        let mv = &legal[rng.below(legal.len() as u32) as usize];
        click_move(window, &state, mv.as_str().expect("moves are texts"));
    }
}

/// Asserts what a finished game must show: result and reason, disabled controls, a row in the table of games.
fn check_finished_game(state: &Value, games: usize) {
    let game = &state["game"];
    let status = game["status"].as_str().expect("a status is text");
    assert!(
        ["You win", "Draw"].contains(&status) || status.ends_with(" wins"),
        "{game}"
    );
    assert!(
        game["reason"]
            .as_str()
            .is_some_and(|reason| !reason.is_empty()),
        "{game}"
    );
    for (control, is_on) in [
        ("pause", false),
        ("next move", false),
        ("move field", false),
    ] {
        assert_eq!(state["controls"][control]["on"], is_on, "{control}");
    }
    let directory = PathBuf::from(game["records"].as_str().expect("it is recorded"));
    let table = fs::read_to_string(directory.join("games.csv")).expect("there is a table of games");
    assert_eq!(table.lines().count(), games + 1, "{table}");
    let last = table.lines().last().unwrap_or_default();
    let moves = game["moves"].as_array().expect("moves are a list");
    let moves: Vec<&str> = moves.iter().filter_map(Value::as_str).collect();
    let listed = format!(",{},", moves.join(" "));
    assert!(last.contains(&listed), "{last}");
}

/// Three setups of the start screen for each mode: the games that are played, the controls to press, the fields to fill.
const SETUPS: &str = "\
1: setup mode engine, setup person first, setup report 000 second; setup iterations second = 5
1: setup mode engine, setup person second, setup report 002 first, setup by milliseconds first; setup milliseconds first = 15
1: setup mode engine, setup person first, setup report 001 second, setup animate; setup iterations second = 40, setup exploration second = 0.5
1: setup mode engines, setup report 000 first, setup report 000 second, setup animate; setup iterations first = 5, setup iterations second = 9
1: setup mode engines, setup report 002 first, setup report 000 second; setup iterations first = 60, setup iterations second = 4
2: setup mode engines, setup report 000 first, setup report 000 second; setup iterations first = 20, setup iterations second = 3, setup games = 2
1: setup mode people; setup games = 1
1: setup mode people, green and red
1: setup mode people, theme";

/// What a line of [`SETUPS`] says: games, controls, fields with their texts.
fn parse_setup(line: &str) -> (usize, Vec<&str>, Vec<(&str, &str)>) {
    let (games, acts) = line.split_once(": ").expect("games before a colon");
    let (presses, fields) = acts.split_once("; ").unwrap_or((acts, ""));
    let fields = fields
        .split(", ")
        .filter_map(|field| field.split_once(" = "));
    let games = games.parse().expect("a number of games");
    (games, presses.split(", ").collect(), fields.collect())
}

/// Plays a game with every setup, from the start screen to the result and back.
fn play_every_setup(game: &str, position: &str) {
    in_window(&format!("playing-{game}"), |window, _| {
        window.press("start setup");
        window.press(&format!("setup game {game}"));
        fill_field(window, "setup delay", "0");
        if !position.is_empty() {
            fill_field(window, "setup position", position);
        }
        for (line, number) in SETUPS.lines().zip(1..) {
            let (games, presses, fields) = parse_setup(line);
            for control in presses {
                window.press(control);
            }
            for (field, text) in fields {
                fill_field(window, field, text);
            }
            let state = window.state();
            assert_eq!(
                state["setup"]["problems"],
                serde_json::json!([]),
                "{game}, way {number}"
            );
            window.press("start game");
            for played in 1..=games {
                play_game(window, number);
                let state = window.wait_until("the result is shown", |state| {
                    let is_shown = state["controls"]["play again"]["on"] == true;
                    is_shown && is_over(state) && state["game"]["number"] == played
                });
                check_finished_game(&state, played);
                if number <= 6 && game != "chess" {
                    window.wait_until("a tree is shown", |state| state["nodes"].is_u64());
                }
                if played < games {
                    window.press("play again");
                    window.wait_until("the next game has begun", |state| {
                        state["game"]["number"] == played + 1
                    });
                }
            }
            window.press("new game");
            window.wait_until("the start screen is back", |state| {
                state["controls"]["start game"]["on"] == true
            });
        }
    });
}

/// A test of its own for each game: name, game, position.
macro_rules! games_in_every_way {
    ($($test:ident: $game:literal from $position:literal;)*) => {$(
        #[test]
        fn $test() {
            play_every_setup($game, $position);
        }
    )*};
}

// The position of chess: White mates in two, or Black makes the only moves there are; anything else is decided soon.
games_in_every_way! {
    kalah_in_every_way: "kalah" from "";
    connect_four_in_every_way: "connect-four" from "";
    othello_in_every_way: "othello" from "";
    delta_in_every_way: "delta" from "";
    chess_in_every_way: "chess" from "7k/R7/5K2/8/8/8/8/8 w - - 96 90";
}

/// Runs `test` in a person's game of connect four against an engine that answers soon, with the state in which the person is to
/// move and the window's home.
fn in_quick_game(name: &str, test: impl FnOnce(&Window<'_>, Value, &Path)) {
    in_window(name, |window, home| {
        window.press("start setup");
        window.press("setup game connect-four");
        fill_field(window, "setup delay", "0");
        fill_field(window, "setup iterations second", "200");
        window.press("start game");
        let state = window.wait_until("the game has begun", is_persons_turn);
        test(window, state, home);
    });
}

#[test]
fn a_typed_move_that_is_none_is_told_of() {
    in_quick_game("playing-typed", |window, _, _| {
        window.press("move field");
        window.type_text("9");
        window.press_keys(&["Return"]);
        let told = window.wait_until("it is told", |state| state["error"] == true);
        assert_eq!(move_count(&told), 0);
        window.press_keys(&["Escape"]);
        window.wait_until("the field is left", |state| state["typing"] == false);
    });
}

#[test]
fn a_move_and_its_reply_are_taken_back() {
    in_quick_game("playing-undo", |window, state, _| {
        click_move(window, &state, "4");
        let state = window.wait_until("the engine has replied", |state| {
            move_count(state) == 2 && is_persons_turn(state)
        });
        window.wait_until("its tree is shown, with its move chosen", |state| {
            state["nodes"].is_u64() && state["final"] == true && state["selected"].is_u64()
        });
        assert!(state["game"]["can_undo"] == true);
        window.press("undo");
        window.wait_until("both moves are taken back", |state| move_count(state) == 0);
        let state = window.wait_until("it is the person's turn", is_persons_turn);
        click_move(window, &state, "3");
        window.wait_until("the engine has replied", |state| move_count(state) == 2);
    });
}

#[test]
fn a_game_is_started_over_after_a_question() {
    in_quick_game("playing-over", |window, state, _| {
        click_move(window, &state, "3");
        window.wait_until("the engine has replied", |state| move_count(state) == 2);
        window.press("start over");
        window.press("start over no");
        assert_eq!(move_count(&window.state()), 2);
        window.press("start over");
        window.press("start over yes");
        let state = window.wait_until("it begins again", |state| {
            move_count(state) == 0 && is_persons_turn(state)
        });
        click_move(window, &state, "4");
    });
}

#[test]
fn the_tree_of_a_reply_is_saved_in_every_way_and_read_again() {
    in_quick_game("playing-saved", |window, state, home| {
        click_move(window, &state, "4");
        let shown = window.wait_until("a tree is shown", |state| {
            move_count(state) == 2 && state["final"] == true && state["nodes"].is_u64()
        });
        for name in ["saved.csv", "saved.tree", "saved.png"] {
            let path = home.join(name);
            window.press_keys(&["ctrl+s"]);
            window.wait_until("the question is there", |state| {
                state["controls"]["dialog yes"]["on"] == true
            });
            window.press_keys(&["ctrl+a"]);
            window.type_text(&path.display().to_string());
            window.press_keys(&["Return"]);
            window.wait_until("it is saved", |state| {
                path.exists()
                    && state["message"]
                        .as_str()
                        .is_some_and(|text| text.contains(name))
            });
        }
        for name in ["saved.csv", "saved.tree"] {
            let read =
                canopy_engine::tree::files::read(&home.join(name), None).expect("it can be read");
            assert_eq!(
                Some(read.tree.nodes().len() as u64),
                shown["nodes"]
                    .as_u64()
                    .zip(shown["hidden"].as_u64())
                    .map(|(shown, hidden)| shown + hidden),
                "{name}: all of it, also what is folded"
            );
        }
        let picture = fs::read(home.join("saved.png")).expect("it can be read");
        assert!(picture.starts_with(b"\x89PNG"));
    });
}

/// Invalid settings are reported at their field before anything starts.
#[test]
fn settings_that_cannot_be_are_refused() {
    in_window("playing-refused", |window, _| {
        window.press("start setup");
        for (field, texts, wanted) in [
            (
                "setup iterations second",
                ["0", "-1", "1e9", "10001", "many"],
                "limit second",
            ),
            (
                "setup playout limit second",
                ["0", "9", "100001", "-1", "x"],
                "playout limit second",
            ),
            (
                "setup exploration second",
                ["-1", "21", "1e9", "root", ""],
                "exploration second",
            ),
            ("setup games", ["0", "-1", "100", "1e9", "x"], "games"),
            ("setup position", ["x", "<6>", "0", "-1", "1e9"], "position"),
        ] {
            for text in texts {
                if text.is_empty() {
                    window.press(field);
                    window.state();
                    window.press_keys(&["ctrl+a", "BackSpace"]);
                    window.state();
                    window.press_keys(&["Escape"]);
                } else {
                    fill_field(window, field, text);
                }
                let state =
                    window.wait_until(&format!("{text:?} is refused at {field}"), |state| {
                        let problems = state["setup"]["problems"].as_array();
                        problems.is_some_and(|problems| {
                            problems.iter().any(|problem| problem["field"] == wanted)
                        })
                    });
                assert_eq!(
                    state["controls"]["start game"]["on"], false,
                    "{field} {text}"
                );
            }
            let good = match field {
                "setup iterations second" => "30",
                "setup playout limit second" => "25",
                "setup exploration second" => "1.41",
                "setup games" => "1",
                _ => "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s",
            };
            fill_field(window, field, good);
            window.wait_until("it is right again", |state| {
                state["controls"]["start game"]["on"] == true
            });
        }
    });
}

/// While an engine searches on two threads, the window's own counters record input latency and frame times. Their targets are
/// for an idle machine; here they must only be counted and plausible.
#[test]
fn the_window_answers_while_an_engine_thinks() {
    in_window("playing-counters", |window, _| {
        window.press("start setup");
        window.press("setup game connect-four");
        window.press("setup report 002 second");
        window.press("setup by milliseconds second");
        fill_field(window, "setup milliseconds second", "4000");
        window.press("start game");
        let state = window.wait_until("the game has begun", is_persons_turn);
        click_move(window, &state, "4");
        let state = window.wait_until("it thinks", |state| state["game"]["thinking"] == true);
        let clicks = |state: &Value| state["counters"]["clicks"].as_u64().unwrap_or(0);
        let mut state = state;
        for _ in 0..30 {
            let before = clicks(&state);
            window.click(control_at(&state, "flip"));
            state = window.wait_until("the click is answered", |state| clicks(state) > before);
        }
        let counters = &state["counters"];
        assert!(
            counters["clicks"]
                .as_u64()
                .is_some_and(|clicks| clicks >= 30),
            "{counters}"
        );
        assert!(
            counters["click_ms"]
                .as_f64()
                .is_some_and(|time| time < 500.0),
            "{counters}"
        );
        assert!(
            counters["grown_per_second"]
                .as_f64()
                .is_some_and(|states| states > 3.0),
            "{counters}"
        );
    });
}
