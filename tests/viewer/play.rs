//! Games in the viewer without a window: people, engines, and both.

use std::{fs, path::PathBuf, time::Duration};

use canopy_engine::{
    arena::engine_config::EngineConfig,
    games::{self, History, Playable, Visitor, notation},
    rng::Rng,
};
use canopy_viewer::{
    app::{Action, App, GameAction},
    board::{Board, BoardPlace},
    play::{GameConfig, files},
};
use serde_json::Value;

use crate::{
    stage::Harness,
    support::{Scratch, data, program},
};

/// The command of our engine, which is built into the viewer.
pub(crate) fn own_command() -> Vec<String> {
    let viewer = program(option_env!("CARGO_BIN_EXE_canopy-viewer"));
    vec![viewer.to_owned(), "engine".to_owned()]
}

pub(crate) fn parse_engine(text: &str) -> Option<EngineConfig> {
    Some(EngineConfig::parse(text, &own_command()).expect("a sound engine"))
}

pub(crate) fn game_plan(
    game: &str,
    position: &str,
    seats: [Option<EngineConfig>; 2],
) -> GameConfig {
    GameConfig {
        game: game.to_owned(),
        position: position.to_owned(),
        participants: seats,
        games: 1,
        animate: false,
        min_move_time: Duration::ZERO,
    }
}

/// A harness in real time with a game started.
pub(crate) fn start_game(plan: GameConfig) -> Harness {
    let mut stage = Harness::with_real_time();
    stage.app.own_engine_command = own_command();
    stage.run_action(Action::StartGame(Box::new(plan)));
    stage
}

/// [`start_game`] with finished games recorded in `scratch`.
fn start_recorded_game(plan: GameConfig, scratch: &Scratch) -> Harness {
    let mut stage = Harness::with_real_time();
    stage.app.own_engine_command = own_command();
    stage.app.records_directory = Some(scratch.0.clone());
    stage.run_action(Action::StartGame(Box::new(plan)));
    stage
}

/// A game between two people.
pub(crate) fn start_game_of_people(game: &str, position: &str) -> Harness {
    start_game(game_plan(game, position, [None, None]))
}

pub(crate) fn game_state(app: &App) -> Value {
    app.dump()["game"].clone()
}

pub(crate) fn move_list(app: &App) -> Vec<String> {
    let told = game_state(app);
    let moves = told["moves"].as_array().expect("moves are a list");
    moves
        .iter()
        .filter_map(|mv| mv.as_str().map(str::to_owned))
        .collect()
}

fn control_name(place: BoardPlace) -> String {
    match place {
        BoardPlace::Square { column, row } => {
            format!("square {}{}", char::from(b'a' + column), row + 1)
        }
        BoardPlace::Pit { owner, number } => {
            format!(
                "square {} pit {}",
                ["first", "second"][owner.index()],
                number + 1
            )
        }
        other => panic!("{other:?} is not clicked"),
    }
}

pub(crate) fn click_squares(stage: &mut Harness, squares: &[&str]) {
    for square in squares {
        stage.click(&format!("square {square}"));
    }
}

/// Makes a move as a person does: by clicks on its places, or with a button for moves without a place. An engine may already
/// have answered on return.
fn click_move(stage: &mut Harness, mv: &str) {
    let before = move_list(&stage.app).len();
    let playing = stage.app.session.as_ref().expect("a game is played");
    let places = playing.game.shown_position().board.move_places(mv);
    if places.is_empty() {
        stage.click("forced");
    }
    for place in places {
        if move_list(&stage.app).len() == before {
            stage.click(&control_name(place));
        }
    }
    let choices = game_state(&stage.app)["choices"].clone();
    if choices
        .as_array()
        .is_some_and(|choices| !choices.is_empty())
    {
        stage.click(&format!("choose {mv}"));
    }
    let made = move_list(&stage.app).get(before).cloned();
    assert_eq!(made.as_deref(), Some(mv), "{}", game_state(&stage.app));
}

/// The moves of the first random game whose moves and end reason satisfy `is_wanted`.
pub(crate) fn random_game(game: &str, is_wanted: impl Fn(&[String], &str) -> bool) -> Vec<String> {
    struct PlayRandomGame(u64);
    impl Visitor for PlayRandomGame {
        type Out = (Vec<String>, String);

        fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
            let mut rng = Rng::new(self.0);
            let mut position = G::start(rules);
            let mut history = History::new();
            history.push(&position);
            let mut moves = Vec::new();
            while history.outcome(&position).is_none() {
                let mv = position
                    .random_move(&mut rng)
                    .expect("the game is not over");
                moves.push(notation::move_text(&position, mv));
                position.play(mv);
                history.push(&position);
            }
            (moves, position.end_reason().to_owned())
        }
    }
    for seed in 0..200_000 {
        let (moves, reason) =
            games::with_game(game, PlayRandomGame(seed)).expect("there is such a game");
        if is_wanted(&moves, &reason) {
            return moves;
        }
    }
    panic!("no game of {game} is as wanted")
}

/// Plays a whole game by clicks and compares it with the rules after every move; returns the final state.
fn click_through(game: &str, line: &[String]) -> Value {
    let mut stage = start_game_of_people(game, "");
    for (index, mv) in line.iter().enumerate() {
        click_move(&mut stage, mv);
        let expected = Board::after_moves(game, "", &line[..=index]).expect("the game is legal");
        assert_eq!(
            game_state(&stage.app)["position"],
            expected.position.as_str()
        );
    }
    game_state(&stage.app)
}

#[test]
fn whole_games_are_played_by_clicks() {
    // With passes at othello, extra turns at kalah, pick-ups at delta.
    for (game, wanted) in [
        ("othello", "pass"),
        ("kalah", ""),
        ("delta", "x"),
        ("connect-four", ""),
        // On the plain board.
        ("tic-tac-toe", ""),
    ] {
        let line = random_game(game, |moves, _| moves.iter().any(|mv| mv.contains(wanted)));
        let told = click_through(game, &line);
        assert_ne!(told["status"], "Game in progress", "{told}");
        assert_ne!(told["reason"], Value::Null, "{told}");
    }
}

#[test]
fn special_moves_of_chess_are_clicked() {
    let mut castling = start_game_of_people("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    click_squares(&mut castling, &["e1", "g1", "e8", "c8"]);
    assert_eq!(move_list(&castling.app), ["e1g1", "e8c8"]);

    let mut passing = start_game_of_people("chess", "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1");
    click_squares(&mut passing, &["d2", "d4", "e4", "d3"]);
    assert_eq!(move_list(&passing.app), ["d2d4", "e4d3"]);
    assert!(
        game_state(&passing.app)["position"]
            .as_str()
            .is_some_and(|text| text.starts_with("4k3/8/8/8/8/3p4/8/4K3"))
    );

    let mut promoting = start_game_of_people("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
    click_squares(&mut promoting, &["a7", "a8"]);
    assert_eq!(
        game_state(&promoting.app)["choices"]
            .as_array()
            .map(Vec::len),
        Some(4)
    );
    promoting.click("choose a7a8n");
    assert!(
        game_state(&promoting.app)["position"]
            .as_str()
            .is_some_and(|text| text.starts_with("N3k3"))
    );

    let mut stalemate = start_game_of_people("chess", "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1");
    click_squares(&mut stalemate, &["g5", "g6"]);
    let told = game_state(&stalemate.app);
    assert_eq!(
        (&told["status"], &told["reason"]),
        (&"Draw".into(), &"stalemate".into())
    );

    let mut mate = start_game_of_people("chess", "");
    for squares in [["f2", "f3"], ["e7", "e5"], ["g2", "g4"], ["d8", "h4"]] {
        click_squares(&mut mate, &squares);
    }
    let told = game_state(&mate.app);
    assert_eq!(
        (&told["status"], &told["reason"]),
        (&"Player 2 wins".into(), &"checkmate".into())
    );
}

#[test]
fn special_cases_of_the_other_games_are_clicked() {
    // Nobody is left: the shortest wipe-out.
    let line: Vec<String> = "e6 f4 e3 f6 g5 d6 e7 f5 c5"
        .split(' ')
        .map(str::to_owned)
        .collect();
    let told = click_through("othello", &line);
    assert_eq!(told["status"], "Player 1 wins", "{told}");

    // Two extra turns one after the other, then a capture.
    let mut kalah = start_game_of_people("kalah", "<6,10,11,0,0,0,0,2,1,4,4,4,4,4,4> s");
    click_squares(&mut kalah, &["first pit 6"]);
    assert_eq!(game_state(&kalah.app)["turn"], "South to move");
    click_squares(&mut kalah, &["first pit 5"]);
    assert_eq!(game_state(&kalah.app)["turn"], "South to move");
    assert_eq!(move_list(&kalah.app), ["6", "5"]);
    let mut capture = start_game_of_people("kalah", "<6,0,0,1,0,3,3,3,3,5,5,5,5,5,10> s");
    click_squares(&mut capture, &["first pit 1"]);
    let position = game_state(&capture.app)["position"].clone();
    assert_eq!(position, "<6,6,0,0,0,3,3,3,3,5,5,5,5,0,10> n");
    // The last stone leaves South's side: North sweeps what is left.
    let mut sweep = start_game_of_people("kalah", "<6,24,20,0,0,0,0,0,1,1,0,2,0,0,0> s");
    click_squares(&mut sweep, &["first pit 6"]);
    let told = game_state(&sweep.app);
    assert_eq!(told["status"], "Player 1 wins", "{told}");

    let draw = random_game("connect-four", |moves, _| {
        let replayed = Board::after_moves("connect-four", "", moves).expect("the game is legal");
        moves.len() == 42 && replayed.outcome == Some(games::Outcome::Draw)
    });
    assert_eq!(click_through("connect-four", &draw)["status"], "Draw");

    // Delta: a stone placed a second time in a turn of the other, which the rules call the equaliser.
    let equalised = random_game("delta", |moves, _| {
        (1..=moves.len()).any(|count| {
            let replayed =
                Board::after_moves("delta", "", &moves[..count]).expect("the game is legal");
            replayed
                .note
                .is_some_and(|told| told.contains("placed a stone again (equaliser)"))
        })
    });
    click_through("delta", &equalised);

    // Delta: a game that a block decides, and one in which stones are picked up.
    let block = random_game("delta", |_, reason| reason == "blocked");
    let told = click_through("delta", &block);
    assert_ne!(told["status"], "Draw", "{told}");
}

#[test]
fn what_cannot_be_done_is_not() {
    let mut stage = start_game_of_people("chess", "");
    click_squares(&mut stage, &["e5", "e2", "e5"]);
    assert_eq!(move_list(&stage.app), [""; 0]);
    assert_eq!(game_state(&stage.app)["selected"], Value::Null);
    click_squares(&mut stage, &["e2", "d2", "d4"]);
    assert_eq!(move_list(&stage.app), ["d2d4"]);
    stage.draw_frame();
    let controls = stage.frame.dump(&stage.app)["controls"].clone();
    assert_eq!(controls["pause"]["on"], false);
    assert_eq!(controls["next move"]["on"], false);
    assert_eq!(controls["undo"]["on"], true);
    stage.click("move field").type_and_enter("e5");
    assert_eq!(move_list(&stage.app), ["d2d4", "e7e5"]);
    stage.click("move field").type_and_enter("Ke7");
    assert_eq!(move_list(&stage.app).len(), 2);
    let said = stage.app.message.as_ref().expect("a sentence says why");
    assert!(said.text.contains("illegal"), "{}", said.text);
    stage.click("undo").click("undo");
    assert_eq!(move_list(&stage.app), [""; 0]);
    stage.draw_frame();
    let controls = stage.frame.dump(&stage.app)["controls"].clone();
    assert_eq!(
        (&controls["undo"]["on"], &controls["start over"]["on"]),
        (&false.into(), &false.into())
    );
}

/// Waits until it is a person's turn or the game is over.
pub(crate) fn await_turn(stage: &mut Harness) {
    stage.wait_until("the engine has moved", |app| {
        let game = app.session.as_ref().expect("a game is played");
        game.game.is_person_to_move()
            || game_state(app)["status"] != "Game in progress"
            || game.failure.is_some()
    });
    assert_eq!(game_state(&stage.app)["trouble"], Value::Null);
}

#[test]
fn a_person_plays_an_engine_to_the_end() {
    for (game, search, first) in [
        ("kalah", "search=uct-000 go='nodes 30'", true),
        ("connect-four", "search=lgr2 go='nodes 200'", false),
        ("delta", "search=alpha-beta go='depth 2'", true),
        ("othello", "search=uct go='movetime 10'", false),
    ] {
        let seats = if first {
            [None, parse_engine(search)]
        } else {
            [parse_engine(search), None]
        };
        let scratch = Scratch::new(&format!("records-{game}"));
        let mut stage = start_recorded_game(game_plan(game, "", seats), &scratch);
        let mut rng = Rng::new(7);
        loop {
            await_turn(&mut stage);
            let state = game_state(&stage.app);
            if state["status"] != "Game in progress" {
                break;
            }
            let legal = state["legal"].as_array().expect("there are moves").clone();
            let mv = legal[rng.below(legal.len() as u32) as usize]
                .as_str()
                .expect("a move is text")
                .to_owned();
            click_move(&mut stage, &mv);
        }
        // Of a short game, too, the engine made several moves; their trees are listed as the folder is read.
        stage.wait_until("more than two trees are listed and one is shown", |app| {
            app.document.model.is_some() && app.dump()["trees"].as_u64() > Some(2)
        });
        let directory = PathBuf::from(
            game_state(&stage.app)["records"]
                .as_str()
                .expect("it is recorded"),
        );
        let table =
            fs::read_to_string(directory.join("games.csv")).expect("there is a table of games");
        assert_eq!(table.lines().count(), 2, "{table}");
        assert!(table.contains("You"), "{table}");
    }
}

#[test]
fn an_engine_is_undone_started_over_and_paused() {
    let mut stage = start_game(game_plan(
        "connect-four",
        "",
        [None, parse_engine("search=uct go='nodes 100'")],
    ));
    click_squares(&mut stage, &["d1"]);
    await_turn(&mut stage);
    assert_eq!(move_list(&stage.app).len(), 2);
    // Undo takes the reply back too.
    stage.click("undo");
    assert_eq!(move_list(&stage.app), [""; 0]);
    click_squares(&mut stage, &["c1"]);
    await_turn(&mut stage);
    assert_eq!(move_list(&stage.app).first().map(String::as_str), Some("3"));
    stage.click("start over").click("start over no");
    assert_eq!(move_list(&stage.app).len(), 2);
    stage.click("start over").click("start over yes");
    assert_eq!(move_list(&stage.app), [""; 0]);
    // While it thinks, a move can be taken back, and a pause lets it wait.
    let mut slow = start_game(game_plan(
        "connect-four",
        "",
        [None, parse_engine("search=uct go='movetime 20000'")],
    ));
    click_squares(&mut slow, &["d1"]);
    slow.wait_until("it thinks", |app| game_state(app)["thinking"] == true);
    slow.click("undo");
    assert_eq!(
        (
            move_list(&slow.app).len(),
            &game_state(&slow.app)["thinking"]
        ),
        (0, &Value::Bool(false))
    );
    click_squares(&mut slow, &["a1"]);
    slow.wait_until("it thinks", |app| game_state(app)["thinking"] == true);
    slow.click("pause");
    assert_eq!(game_state(&slow.app)["thinking"], false);
    slow.click("pause");
    slow.wait_until("it thinks again", |app| game_state(app)["thinking"] == true);
}

#[test]
fn engines_play_each_other_and_are_stepped() {
    let seats = [
        parse_engine("search=uct go='nodes 50'"),
        parse_engine("search=random go='nodes 1'"),
    ];
    let mut series = game_plan("kalah:4x3", "", seats);
    series.games = 3;
    let scratch = Scratch::new("records-series");
    let mut stage = start_recorded_game(series, &scratch);
    stage.wait_until("the first game is over", |app| {
        game_state(app)["status"] != "Game in progress"
    });
    stage.click("play again");
    stage.wait_until("the second game is over", |app| {
        game_state(app)["number"] == 2 && game_state(app)["status"] != "Game in progress"
    });
    let state = game_state(&stage.app);
    let by_colour = state["by_colour"].as_array().expect("points by colour");
    let games: u64 = by_colour
        .iter()
        .flat_map(|row| row.as_array().expect("three counts"))
        .filter_map(Value::as_u64)
        .sum();
    assert_eq!(games, 2, "{state}");
    let directory = PathBuf::from(state["records"].as_str().expect("it is recorded"));
    let table = fs::read_to_string(directory.join("games.csv")).expect("there is a table of games");
    assert_eq!(table.lines().count(), 3, "{table}");
    // One move at a time.
    stage
        .run_action(Action::Game(GameAction::Restart))
        .click("pause");
    let before = move_list(&stage.app).len();
    stage.click("next move");
    stage.wait_until("one move is made", |app| {
        move_list(app).len() == before + 1 && game_state(app)["paused"] == true
    });
}

#[test]
fn an_engine_that_fails_costs_nothing() {
    let rogue = |mode: &str| {
        parse_engine(&format!(
            "name=rogue go='movetime 2000' sh {} {mode}",
            data("engines/rogue.sh").display()
        ))
    };
    for (mode, text) in [
        (
            "crash 2",
            "rogue ended while it looked for a move (exit status: 7)",
        ),
        ("illegal 2", "rogue made a move that it may not make"),
        ("hang-move 2", "rogue has said nothing for 17 seconds"),
        (
            "hang-start",
            "rogue did not answer while it introduced itself",
        ),
    ] {
        let hangs = mode == "hang-move 2";
        let mut stage = start_game(game_plan("connect-four", "", [None, rogue(mode)]));
        click_squares(&mut stage, &["d1"]);
        if mode != "hang-start" {
            await_turn(&mut stage);
            click_squares(&mut stage, &["d1"]);
        }
        let before = move_list(&stage.app);
        if hangs {
            // Two seconds are its own, and fifteen more are waited for.
            stage.wait_until("it thinks", |app| game_state(app)["thinking"] == true);
            stage.advance_time(Duration::from_secs(16));
            assert_eq!(game_state(&stage.app)["trouble"], Value::Null);
            stage.advance_time(Duration::from_secs(2));
        }
        stage.wait_until("the trouble is told", |app| {
            game_state(app)["trouble"] != Value::Null
        });
        let trouble = game_state(&stage.app)["trouble"]
            .as_str()
            .expect("it is a text")
            .to_owned();
        assert!(trouble.starts_with(text), "{mode}: {trouble}");
        assert_eq!(move_list(&stage.app), before, "the game is as it was");
        if hangs {
            // Who waits on is told again.
            stage.click("wait");
            assert_eq!(game_state(&stage.app)["trouble"], Value::Null);
            stage.advance_time(Duration::from_secs(18));
            assert_ne!(game_state(&stage.app)["trouble"], Value::Null);
        }
        stage.click("revive");
        if mode == "hang-start" {
            stage.wait_until("it is told again", |app| {
                game_state(app)["trouble"] != Value::Null
            });
            assert_eq!(move_list(&stage.app), before);
        } else {
            // It was started again, so that this is its first move, and the game goes on.
            await_turn(&mut stage);
            assert_eq!(move_list(&stage.app).len(), before.len() + 1);
            assert_eq!(game_state(&stage.app)["trouble"], Value::Null);
        }
    }
}

#[test]
fn games_are_saved_and_laid_out_again() {
    let scratch = Scratch::new("saved-games");
    for (game, name, line) in [
        ("chess", "game.pgn", "e2e4 e7e5 g1f3 b8c6"),
        ("chess:960", "fischer.pgn", "e2e4 e7e5"),
        ("othello", "game.ggf", "f5 d6 c3"),
        ("othello", "game.txt", "f5 d6 c3"),
        ("connect-four", "columns.txt", "4 4 5"),
        ("kalah:4x3", "kalah.txt", "1 2 3"),
        ("delta", "delta.txt", "b2 c3 d4"),
        ("tic-tac-toe", "crosses.txt", "b2 a1 c3"),
    ] {
        let mut stage = start_game_of_people(game, "");
        for mv in line.split(' ') {
            stage.run_action(Action::Game(GameAction::Move(mv.to_owned())));
        }
        let expected = move_list(&stage.app);
        let path = scratch.0.join(name);
        stage.run_action(Action::Game(GameAction::Save(path.clone())));
        let mut other = start_game_of_people("kalah", "");
        other.run_action(Action::LoadGame(path.clone()));
        let state = game_state(&other.app);
        assert_eq!(state["game"], game, "{state}");
        assert_eq!(move_list(&other.app), expected, "{name}");
        // It stands at its last move, and is stepped through from its beginning.
        assert_eq!(state["shown"], expected.len());
        assert_eq!(state["position"], game_state(&stage.app)["position"]);
        other.click("first position").click("position on");
        assert_eq!(game_state(&other.app)["shown"], 1);
    }
    let digits = fs::read_to_string(scratch.0.join("columns.txt")).expect("it was saved");
    assert!(digits.contains("moves: 445\n"), "{digits}");
    assert_eq!(
        files::parse_game("4455", "connect-four")
            .expect("digits are moves")
            .moves,
        ["4", "4", "5", "5"]
    );
    assert!(files::parse_game("49", "connect-four").is_err());
}

#[test]
fn a_position_is_looked_at_by_any_search() {
    let mut stage = start_game_of_people("connect-four", "");
    click_squares(&mut stage, &["d1"]);
    let analyst = parse_engine("search=lgr2 go='nodes 300'").expect("there is one");
    stage.run_action(Action::Game(GameAction::Analyse(Box::new(analyst))));
    stage.wait_until("its tree is shown", |app| {
        app.document
            .model
            .as_ref()
            .and_then(|model| model.meta.as_ref())
            .is_some_and(|meta| meta.is_final)
    });
    assert_eq!(move_list(&stage.app), ["4"], "no move was made");
    let model = stage.app.document.model.as_ref().expect("its tree");
    assert_eq!(model.meta.as_ref().map(|meta| meta.ply), Some(1));
}

#[test]
fn looking_at_a_position_does_not_disturb_an_engine_that_thinks() {
    let seats = [None, parse_engine("search=uct go='movetime 700'")];
    let mut stage = start_game(game_plan("connect-four", "", seats));
    click_squares(&mut stage, &["d1"]);
    stage.wait_until("it thinks", |app| game_state(app)["thinking"] == true);
    let analyst = parse_engine("search=lgr2 go='nodes 50'").expect("there is one");
    stage.run_action(Action::Game(GameAction::Analyse(Box::new(analyst))));
    await_turn(&mut stage);
    assert_eq!(move_list(&stage.app).len(), 2);
}

/// After a takeback, an engine that keeps its own board is told, in every dialect.
#[test]
fn every_dialect_follows_what_is_taken_back() {
    let engine = |dialect: &str| {
        let own = own_command().join(" ");
        parse_engine(&format!(
            "dialect={dialect} option.Search=uct go='nodes 20' {own} --game othello"
        ))
    };
    for dialect in ["gtp", "uci", "ugi"] {
        let mut stage = start_game(game_plan("othello", "", [None, engine(dialect)]));
        for _ in 0..3 {
            click_move(&mut stage, "d3");
            await_turn(&mut stage);
            assert_eq!(move_list(&stage.app).len(), 2, "{dialect}");
            stage.click("undo");
            assert_eq!(move_list(&stage.app).len(), 0, "{dialect}");
        }
        click_move(&mut stage, "c4");
        await_turn(&mut stage);
        assert_eq!(
            move_list(&stage.app).first().map(String::as_str),
            Some("c4"),
            "{dialect}"
        );
    }
}

#[test]
fn a_result_that_is_taken_back_does_not_count() {
    let scratch = Scratch::new("records-undone");
    let mut series = game_plan("connect-four", "", [None, None]);
    series.games = 3;
    let mut stage = start_recorded_game(series, &scratch);
    let win = |stage: &mut Harness| {
        for mv in ["1", "2", "1", "2", "1", "2", "1"]
            .iter()
            .skip(move_list(&stage.app).len())
        {
            stage.run_action(Action::Game(GameAction::Move((*mv).to_owned())));
        }
    };
    win(&mut stage);
    let score = |stage: &Harness| game_state(&stage.app)["score"].clone();
    assert_eq!(score(&stage), serde_json::json!([1, 0]));
    stage.run_action(Action::Game(GameAction::Undo));
    assert_eq!(score(&stage), serde_json::json!([0, 0]));
    win(&mut stage);
    assert_eq!(score(&stage), serde_json::json!([1, 0]));
    let directory = PathBuf::from(
        game_state(&stage.app)["records"]
            .as_str()
            .expect("it is recorded"),
    );
    let table = fs::read_to_string(directory.join("games.csv")).expect("there is a table of games");
    assert_eq!(table.lines().count(), 2, "{table}");
    // Two wins of three decide the series; another one begins at nothing.
    stage.run_action(Action::Game(GameAction::NextGame));
    for mv in ["1", "2", "1", "2", "1", "2", "3", "2"] {
        stage.run_action(Action::Game(GameAction::Move(mv.to_owned())));
    }
    assert_eq!(score(&stage), serde_json::json!([2, 0]));
    stage.run_action(Action::Game(GameAction::NextGame));
    assert_eq!(
        (score(&stage), &game_state(&stage.app)["number"]),
        (serde_json::json!([0, 0]), &1.into())
    );
}

#[test]
fn what_is_opened_takes_the_place_of_what_is_played() {
    let mut stage = start_game_of_people("connect-four", "");
    let tree = data("trees/small.csv");
    stage.run_action(Action::Open(vec![tree]));
    stage.wait_until("the game is gone", |app| game_state(app) == Value::Null);
}

#[test]
fn a_game_that_is_not_over_is_left_only_on_purpose() {
    for control in ["leave", "home"] {
        let mut stage = start_game_of_people("connect-four", "");
        stage.size = (1280, 1000);
        click_squares(&mut stage, &["d1"]);
        let ask = |stage: &mut Harness| {
            stage.click(control);
            stage.draw_frame();
            stage.draw_frame();
        };
        ask(&mut stage);
        stage.click("leave no");
        assert_eq!(move_list(&stage.app), ["4"], "{control}");
        ask(&mut stage);
        stage.click("leave yes");
        assert!(stage.app.session.is_none(), "{control}");
    }
    // Where nothing is lost nothing is asked.
    let mut stage = start_game_of_people("connect-four", "");
    stage.size = (1280, 1000);
    stage.draw_frame();
    stage.click("leave");
    assert!(stage.app.session.is_none());
}

#[test]
fn a_series_of_people_names_who_wins_whatever_the_side() {
    let mut series = game_plan("connect-four", "", [None, None]);
    series.games = 3;
    let mut stage = start_game(series);
    let win = |stage: &mut Harness| {
        for mv in ["1", "2", "1", "2", "1", "2", "1"] {
            stage.run_action(Action::Game(GameAction::Move(mv.to_owned())));
        }
    };
    win(&mut stage);
    assert_eq!(game_state(&stage.app)["status"], "Player 1 wins");
    // Who looks at the end can go on from there.
    stage.click("look");
    stage.click("again");
    assert_eq!(game_state(&stage.app)["number"], 2);
    // Now the other one begins.
    win(&mut stage);
    assert_eq!(game_state(&stage.app)["status"], "Player 2 wins");
}

#[test]
fn a_move_of_the_list_is_shown_on_the_board() {
    let mut stage = start_game_of_people("connect-four", "");
    for mv in ["4", "4", "3"] {
        stage.run_action(Action::Game(GameAction::Move(mv.to_owned())));
    }
    stage.run_action(Action::GoToMove(0));
    let shown = |stage: &Harness| stage.app.session.as_ref().map(|game| game.game.shown_ply());
    assert_eq!((shown(&stage), stage.app.shown_move()), (Some(1), Some(0)));
    assert_eq!(move_list(&stage.app).len(), 3);
}

#[test]
fn engines_go_on_with_their_series_by_themselves() {
    let seat = || parse_engine("search=random go='nodes 1'");
    let mut series = game_plan("connect-four", "", [seat(), seat()]);
    series.games = 5;
    let mut stage = start_game(series);
    let is_over = |app: &App| game_state(app)["status"] != "Game in progress";
    stage.wait_until("the first game is over", is_over);
    stage.advance_time(Duration::from_secs(3));
    stage.wait_until("the second game is over", |app| {
        game_state(app)["number"] == 2 && is_over(app)
    });
    // Who wants to look at it is not disturbed.
    stage.click("look");
    stage.advance_time(Duration::from_secs(30));
    assert_eq!(game_state(&stage.app)["number"], 2);
}

#[test]
fn looking_at_a_position_can_be_stopped() {
    let mut stage = start_game_of_people("connect-four", "");
    let searcher = parse_engine("search=uct go='nodes 500000000'").expect("an engine");
    stage.run_action(Action::Game(GameAction::Analyse(Box::new(searcher))));
    let is_looking = |app: &App| app.session.as_ref().is_some_and(|game| game.is_analysing);
    assert!(is_looking(&stage.app));
    stage.click("stop analysis");
    assert!(!is_looking(&stage.app));
}
