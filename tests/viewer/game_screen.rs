//! The screen of a game: who plays and who has won, refused clicks, the list of moves, room for everything.

use std::{fs, process::Command, time::Duration};

use canopy_viewer::{
    app::{Action, App, GameAction},
    board::BoardPlace,
};
use egui::{Key, pos2};

use crate::{
    keyboard::assert_tooltips,
    pictures::show_game,
    play::{
        await_turn, click_squares, game_plan, game_state, move_list, parse_engine, random_game,
        start_game, start_game_of_people,
    },
    stage::Harness,
    support::{Scratch, data},
};

fn message(stage: &Harness) -> String {
    let message = stage.app.message.as_ref();
    message.map_or_else(String::new, |message| message.text.clone())
}

fn player_names(app: &App) -> Vec<String> {
    let state = app.match_state().expect("a game is played");
    state.meta.players.clone()
}

/// An engine of another program that plays connect four column after column.
fn rogue(name: &str) -> Option<canopy_engine::arena::engine_config::EngineConfig> {
    let script = data("engines/rogue.sh");
    parse_engine(&format!(
        "name={name} go='movetime 2000' sh {} good",
        script.display()
    ))
}

#[test]
fn an_opened_game_keeps_names_and_date_and_stands_at_its_last_move() {
    let scratch = Scratch::new("screen-opened");
    let path = scratch.0.join("immortal.pgn");
    let record = "[Event \"London\"]\n[Date \"1851.06.21\"]\n[White \"Adolf Anderssen\"]\n\
                  [Black \"Lionel Kieseritzky\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 1-0\n";
    fs::write(&path, record).expect("a file can be written");
    let mut stage = Harness::dark();
    stage.run_action(Action::Open(vec![path]));
    stage.wait_until("it is open", |app| app.session.is_some());
    assert_eq!(
        player_names(&stage.app),
        ["Adolf Anderssen", "Lionel Kieseritzky"]
    );
    let state = game_state(&stage.app);
    assert_eq!(
        (&state["shown"], move_list(&stage.app).len()),
        (&6.into(), 6)
    );
    let saved = scratch.0.join("again.pgn");
    stage.run_action(Action::Game(GameAction::Save(saved.clone())));
    let text = fs::read_to_string(saved).expect("it is saved");
    for line in [
        "[Date \"1851.06.21\"]",
        "[White \"Adolf Anderssen\"]",
        "[Black \"Lionel Kieseritzky\"]",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn saved_games_have_the_date_of_the_day() {
    let scratch = Scratch::new("screen-date");
    let today = || {
        let output = Command::new("date").args(["-u", "+%Y.%m.%d"]).output();
        let output = output.expect("the system tells the date");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let before = today();
    for (game, name, mv, lead) in [
        ("chess", "game.pgn", "e2e4", "[Date \""),
        ("othello", "game.ggf", "f5", "DT["),
        ("kalah", "game.txt", "1", "date: "),
    ] {
        let mut stage = start_game_of_people(game, "");
        let path = scratch.0.join(name);
        stage.run_action(Action::Game(GameAction::Move(mv.to_owned())));
        stage.run_action(Action::Game(GameAction::Save(path.clone())));
        let text = fs::read_to_string(path).expect("it is saved");
        let dated = [&before, &today()].map(|day| format!("{lead}{day}"));
        assert!(dated.iter().any(|dated| text.contains(dated)), "{text}");
    }
}

#[test]
fn the_winner_is_called_by_name() {
    let mut stage = start_game(game_plan("connect-four", "", [None, rogue("stockfish")]));
    stage.size = (1280, 800);
    // It plays columns 2, 4, 6, 1, 3 and has four in line on the ground.
    for column in ["7", "7", "7", "5", "5"] {
        await_turn(&mut stage);
        stage.run_action(Action::Game(GameAction::Move(column.to_owned())));
    }
    stage.wait_until("it is over", |app| {
        game_state(app)["status"] != "Game in progress"
    });
    assert_eq!(game_state(&stage.app)["status"], "stockfish wins");
    let mut stage = start_game(game_plan("connect-four", "", [None, rogue("stockfish")]));
    for column in ["7", "7", "7", "7"] {
        await_turn(&mut stage);
        stage.run_action(Action::Game(GameAction::Move(column.to_owned())));
    }
    assert_eq!(game_state(&stage.app)["status"], "You win");
}

#[test]
fn the_tree_of_a_move_that_is_taken_back_goes() {
    let seats = [None, parse_engine("search=uct go='nodes 100'")];
    let mut stage = start_game(game_plan("connect-four", "", seats));
    let shown_ply = |app: &App| {
        let meta = app.document.model.as_ref()?.meta.as_ref()?;
        meta.is_final.then_some(meta.ply)
    };
    for (square, ply) in [("d1", 1), ("c1", 3)] {
        click_squares(&mut stage, &[square]);
        await_turn(&mut stage);
        stage.wait_until("its tree is shown", |app| shown_ply(app) == Some(ply));
    }
    let files: Vec<_> = stage.app.document.sequence.paths().to_vec();
    assert_eq!(files.len(), 2);
    stage.click("undo");
    stage.wait_until("the tree before it is shown", |app| {
        shown_ply(app) == Some(1) && app.document.sequence.len() == 1
    });
    assert!(files[0].exists() && !files[1].exists());
    stage.click("undo");
    stage.wait_until("no tree is left", |app| {
        app.document.model.is_none() && app.document.sequence.is_empty()
    });
}

#[test]
fn the_list_shows_the_newest_moves() {
    let line = random_game("othello", |moves, _| moves.len() >= 50);
    let mut stage = show_game(Harness::dark(), "othello", "", "");
    for (index, mv) in line.iter().enumerate().take(45) {
        stage.run_action(Action::Game(GameAction::Move(mv.clone())));
        stage.draw_frame();
        assert!(stage.has_control(&format!("move {}", index + 1)), "{index}");
    }
    assert!(!stage.has_control("move 1"), "the first ones are above");
    // Who goes back sees that move.
    stage.run_action(Action::Game(GameAction::ShowPly(1)));
    stage.draw_frame();
    assert!(stage.has_control("move 1") && !stage.has_control("move 45"));
}

#[test]
fn clicks_that_are_no_move_say_why_and_shake_the_place() {
    let cases: [(&str, &str, &[&str], &str); 9] = [
        ("chess", "", &["e5"], "There is no piece on e5."),
        (
            "chess",
            "",
            &["e7"],
            "The pawn on e7 is Black’s; White is to move.",
        ),
        ("chess", "", &["a1"], "The rook on a1 has no legal move."),
        (
            "chess",
            "",
            &["e2", "e5"],
            "The pawn on e2 cannot go to e5.",
        ),
        (
            "othello",
            "",
            &["a1"],
            "A disc of Black on a1 would turn none over.",
        ),
        ("othello", "", &["d4"], "There is a disc on d4 already."),
        ("connect-four", "1 1 1 1 1 1", &["a6"], "Column 1 is full."),
        (
            "kalah",
            "",
            &["second pit 1"],
            "This is a pit of North; South is to move.",
        ),
        (
            "kalah",
            "1",
            &["first pit 1"],
            "This is a pit of South; North is to move.",
        ),
    ];
    for (game, moves, squares, reason) in cases {
        let mut stage = show_game(Harness::dark(), game, "", moves);
        stage.advance_time(Duration::from_secs(5));
        let before = move_list(&stage.app).len();
        click_squares(&mut stage, squares);
        assert_eq!(message(&stage), reason, "{game} {squares:?}");
        assert_eq!(move_list(&stage.app).len(), before);
        let session = stage.app.session.as_ref().expect("a game is played");
        assert!(session.shaken_place(stage.app.now).is_some(), "{reason}");
        stage.advance_time(Duration::from_secs(1));
        let session = stage.app.session.as_ref().expect("a game is played");
        assert!(session.shaken_place(stage.app.now).is_none(), "at rest");
    }
}

#[test]
fn clicks_out_of_turn_say_why() {
    let mut stage = show_game(Harness::dark(), "connect-four", "", "1 2 1");
    stage.run_action(Action::Game(GameAction::ShowPly(1)));
    click_squares(&mut stage, &["a1"]);
    assert_eq!(
        message(&stage),
        "This is an earlier position; go to the last one to make a move."
    );
    for mv in ["2", "1", "2", "1"] {
        stage.run_action(Action::Game(GameAction::ShowPly(9)));
        stage.run_action(Action::Game(GameAction::Move(mv.to_owned())));
    }
    click_squares(&mut stage, &["a1"]);
    assert_eq!(message(&stage), "The game is over.");
    let seats = [parse_engine("search=uct go='movetime 20000'"), None];
    let mut stage = start_game(game_plan("connect-four", "", seats));
    stage.wait_until("it thinks", |app| game_state(app)["thinking"] == true);
    let place = BoardPlace::Square { column: 3, row: 0 };
    stage.run_action(Action::Game(GameAction::Click(place)));
    assert_eq!(message(&stage), "uct is to move.");
}

#[test]
fn the_panel_of_a_game_is_as_wide_as_it_is_dragged() {
    let mut stage = show_game(Harness::dark(), "chess", "", "");
    stage.draw_frame();
    let edge = stage.app.navigation.canvas_origin.0 as f32;
    stage.drag(pos2(edge - 2.0, 400.0), pos2(edge + 78.0, 400.0));
    stage.draw_frame();
    let wider = stage.app.navigation.canvas_origin.0 as f32;
    assert!((wider - edge - 80.0).abs() < 6.0, "{edge} {wider}");
}

#[test]
fn everything_about_a_game_is_above_the_fold() {
    let line = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5 c2c3 d7d6 b2b4 c5b6";
    for (game, moves) in [
        ("chess", line),
        ("othello", "f5 d6 c3 d3 c4"),
        ("kalah", "3 5"),
        ("connect-four", "4 4 3 3"),
        ("delta", "b2 c3"),
    ] {
        for scale in [1.0, 2.0] {
            let mut stage = Harness::dark();
            stage.scale = scale;
            let mut stage = show_game(stage, game, "", moves);
            for _ in 0..3 {
                stage.draw_frame();
            }
            let bottom = 768.0 * scale;
            let newest = format!("move {}", move_list(&stage.app).len());
            for name in [
                "undo",
                "move field",
                "flip",
                &newest,
                "analyse",
                "copy moves",
                "save game",
                "open game",
                "leave",
            ] {
                let at = stage.place_of(name).expect(name).y;
                assert!(at < bottom, "{game} at {scale}: {name} at {at}");
            }
        }
    }
}

#[test]
fn every_control_of_a_game_has_a_tooltip() {
    let mut stage = show_game(Harness::dark(), "chess", "", "e2e4 e7e5");
    stage.size = (1280, 1000);
    assert_tooltips(&mut stage, Key::F6, 15);
    let mut over = show_game(Harness::dark(), "connect-four", "", "1 2 1 2 1 2 1");
    over.size = (1280, 1000);
    assert_tooltips(&mut over, Key::F6, 15);
}

#[test]
fn a_long_name_leaves_room_for_the_rest() {
    let name = "a-program-with-a-name-that-nobody-would-type-twice-and-its-version-number-17.1.2";
    let mut stage = start_game(game_plan("connect-four", "", [rogue(name), None]));
    await_turn(&mut stage);
    stage.run_action(Action::Game(GameAction::Move("7".to_owned())));
    stage.draw_frame();
    let edge = stage.app.navigation.canvas_origin.0 as f32;
    for control in ["flip", "board", "undo"] {
        let at = stage.place_of(control).expect(control).x;
        assert!(at < edge, "{control} at {at} of {edge}");
    }
    let usual = 0.34 * stage.size.0 as f32;
    assert!((edge - usual).abs() < 2.0, "the panel keeps its width");
}
