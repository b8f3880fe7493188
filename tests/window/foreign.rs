//! Engines of others in the window: a match of two chess programs, and a game against an engine that speaks GTP.

use super::*;
use support::{data, untested, window::engine_command};

/// Chess programs of Debian, which write no trees.
const CHESS_PROGRAMS: [&str; 2] = ["/usr/games/stockfish", "/usr/games/gnuchess"];

/// What the engines say becomes trees, which grow in the window while they think.
#[test]
fn a_match_of_stockfish_and_gnu_chess_is_followed_with_trees_that_grow() {
    let missing = CHESS_PROGRAMS
        .iter()
        .find(|program| !Path::new(program).is_file());
    if let Some(program) = missing {
        untested(&format!("there is no {program}"));
        return;
    }
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-chess");
    let directory = scratch.0.join("match");
    let window = Window::open(&display, &scratch.0, &["follow", path_text(&directory)]);
    let [stockfish, gnu_chess] = CHESS_PROGRAMS;
    let stockfish = format!("name=Stockfish dialect=uci go='movetime 3000' {stockfish}");
    let gnu_chess = format!("name='GNU Chess' dialect=uci go='movetime 3000' {gnu_chess} --uci");
    let mut runner = engine_command(&["match", "--game", "chess", "--games", "1"])
        .args(["--engine", &stockfish, "--engine", &gnu_chess, "--trees"])
        .arg(&directory)
        .stdout(Stdio::null())
        .spawn()
        .expect("the engine runs");

    let names = serde_json::json!(["Stockfish", "GNU Chess"]);
    for mover in ["Stockfish", "GNU_Chess"] {
        let is_shown = |state: &Value| {
            let file = state["file"].as_str().unwrap_or_default();
            file.contains(mover) && state["match"]["names"] == names
        };
        let first = window.wait_until(&format!("a tree of {mover} begins"), |state| {
            is_shown(state) && state["final"] == false && state["nodes"].is_u64()
        });
        let nodes = as_number(&first["nodes"]);
        window.wait_until(&format!("a tree of {mover} grows"), |state| {
            is_shown(state) && as_number(&state["nodes"]) > nodes
        });
    }
    window.save_screenshot("stockfish-gnuchess");
    // Ctrl-C: the runner ends its engines.
    support::signal("INT", &[runner.id()]);
    let status = runner.wait().expect("it ends");
    assert_eq!(status.code(), Some(130), "{status}");
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}

/// The form takes the command of an engine that speaks GTP; the window plays against it, and shows what it says as a tree.
#[test]
fn a_game_is_played_against_an_engine_that_speaks_gtp() {
    let script = data("engines/lines.sh")
        .canonicalize()
        .expect("it is there");
    let is_typing = |state: &Value| state["typing"] == true;
    in_window("window-gtp", |window, _| {
        window.resize(1400, 1000);
        window.press("start setup");
        window.press("setup game connect-four");
        window.press("setup other second");
        window.press("setup command second");
        window.wait_until("the field for the command is there", is_typing);
        window.press_keys(&["ctrl+a"]);
        window.type_text(&format!("sh {} gtp", script.display()));
        // The limit becomes a time, the only one that GTP has.
        window.press("setup gtp second");
        window.press("start game");
        window.wait_until("the game has begun", |state| {
            state["game"]["status"].is_string() && state["game"]["legal"].is_array()
        });
        let mut last = Value::Null;
        for (index, mv) in ["4", "5"].into_iter().enumerate() {
            if window.state()["typing"] != true {
                window.press_keys(&["m"]);
                // Before the field has the focus, digits are other keys.
                window.wait_until("the field for moves is there", is_typing);
            }
            window.type_text(mv);
            window.press_keys(&["Return"]);
            let state = window.wait_until("the engine answers", |state| {
                let moves = state["game"]["moves"].as_array();
                moves.is_some_and(|moves| moves.len() == 2 * index + 2)
            });
            assert_eq!(state["game"]["moves"][2 * index], mv);
            // Two moves, the line of one of them, and the root.
            let state = window.wait_until("what it said is a tree", |state| {
                state["nodes"] == 4 && state["visits"] == 100 && state["file"] != last
            });
            last = state["file"].clone();
        }
        assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    });
}
