//! Dialogs and the result of a game: what lies on top, where files go, and what is opened.

use std::fs;

use canopy_engine::tree::files;
use canopy_viewer::app::{Action, GameAction};
use egui::{Key, Modifiers};

use crate::{
    keyboard::assert_tooltips,
    pictures::{grow_model, show_game},
    stage::Harness,
    support::{Scratch, data},
};

fn show_tree(stage: &mut Harness) {
    stage.show_model("othello.tree", grow_model("othello", "uct", 300));
}

/// What stands in the field of the dialog.
fn field_text(stage: &Harness) -> String {
    let texts = stage.controls_after("path: ");
    assert_eq!(texts.len(), 1, "{texts:?}");
    texts[0].clone()
}

/// Connect four that the first player has won.
fn finished_game() -> Harness {
    let mut stage = show_game(Harness::dark(), "connect-four", "", "1 2 1 2 1 2 1");
    stage.draw_frame();
    assert!(stage.has_control("result"));
    stage
}

#[test]
fn a_tree_is_saved_in_a_folder_that_was_browsed_to_in_the_format_that_was_clicked() {
    let scratch = Scratch::new("dialogs-browse");
    fs::create_dir_all(scratch.0.join("inner/most")).expect("folders can be made");
    fs::write(scratch.0.join("inner/old.csv"), "old").expect("a file can be written");
    fs::write(scratch.0.join("inner/old.txt"), "no tree").expect("a file can be written");
    let mut stage = Harness::dark();
    show_tree(&mut stage);
    stage.click("save");
    let start = scratch.0.join("tree.png").display().to_string();
    stage.fill_field("dialog path", &start);
    stage.draw_frame();
    assert!(stage.has_control("picture 2×"));
    stage.click("folder inner").draw_frame();
    let path = |name: &str| scratch.0.join("inner").join(name).display().to_string();
    assert_eq!(field_text(&stage), path("tree.png"));
    assert!(stage.has_control("folder most") && stage.has_control("file old.csv"));
    assert!(!stage.has_control("file old.txt"), "it is no tree");
    for (format, name) in [("csv", "tree.csv"), ("tree", "tree.tree")] {
        stage.click(&format!("format {format}")).draw_frame();
        assert_eq!(field_text(&stage), path(name));
    }
    assert!(!stage.has_control("picture 2×"), "it is no picture now");
    stage.click("dialog yes").draw_frame();
    let saved = files::read(&scratch.0.join("inner/tree.tree"), None).expect("a tree");
    assert!(saved.tree.nodes().len() > 100);
    // The folder above, and a file whose name is taken.
    stage
        .click("save")
        .fill_field("dialog path", &path("x.csv"));
    stage.click("file old.csv").draw_frame();
    assert_eq!(field_text(&stage), path("old.csv"));
    stage.click("folder above").draw_frame();
    let above = scratch.0.join("old.csv").display().to_string();
    assert_eq!(field_text(&stage), above);
}

#[test]
fn a_game_is_saved_in_the_formats_of_its_kind() {
    let scratch = Scratch::new("dialogs-game");
    let mut stage = show_game(Harness::dark(), "chess", "", "e2e4 e7e5");
    stage.size = (1280, 1000);
    stage.click("save game").draw_frame();
    let path = scratch.0.join("mine.pgn");
    stage.fill_field("dialog path", &path.display().to_string());
    stage.draw_frame();
    assert_eq!(stage.controls_after("format "), ["pgn", "txt"]);
    stage.click("format txt").click("dialog yes").draw_frame();
    let text = fs::read_to_string(scratch.0.join("mine.txt")).expect("it is saved");
    assert!(text.contains("moves: e2e4 e7e5"), "{text}");
}

#[test]
fn what_is_to_be_opened_is_a_full_path_or_a_number_of_files() {
    let scratch = Scratch::new("dialogs-open");
    for name in ["a.csv", "b.csv"] {
        fs::copy(data("trees/small.csv"), scratch.0.join(name)).expect("a file can be copied");
    }
    let path = |name: &str| scratch.0.join(name).display().to_string();
    let mut stage = Harness::dark();
    stage.press_key(Key::O);
    stage.fill_field("dialog path", &scratch.0.display().to_string());
    stage.draw_frame();
    stage.click("file a.csv").draw_frame();
    assert_eq!(field_text(&stage), path("a.csv"));
    stage.click("file b.csv").draw_frame();
    assert_eq!(field_text(&stage), "2 files");
    stage.click("file a.csv").draw_frame();
    assert_eq!(field_text(&stage), path("b.csv"));
    stage.click("file a.csv").press_key(Key::Enter);
    stage.wait_until("both are open", |app| {
        app.document.sequence.len() == 2 && app.document.model.is_some()
    });
}

#[test]
fn every_control_of_the_file_dialogs_has_a_tooltip() {
    let mut stage = Harness::dark();
    stage.size = (1280, 800);
    show_tree(&mut stage);
    stage.press_key_with(Modifiers::COMMAND, Key::S);
    stage.fill_field("dialog path", &data("trees/x.png").display().to_string());
    assert_tooltips(&mut stage, Key::Tab, 10);
    let mut stage = Harness::dark();
    stage.size = (1280, 800);
    stage.press_key(Key::O);
    stage.fill_field("dialog path", &data("trees").display().to_string());
    assert_tooltips(&mut stage, Key::Tab, 5);
}

#[test]
fn escape_closes_the_dialog_over_a_result_first_and_then_the_result() {
    let mut stage = finished_game();
    stage.press_key(Key::O);
    stage.draw_frame();
    assert!(stage.has_control("dialog yes") && stage.has_control("result"));
    stage.press_key(Key::Escape);
    stage.draw_frame();
    assert!(!stage.has_control("dialog yes") && stage.has_control("result"));
    stage.press_key(Key::Escape);
    stage.draw_frame();
    assert!(!stage.has_control("result"));
    assert!(stage.app.session.is_some(), "the game is still there");
}

#[test]
fn a_result_under_a_dialog_cannot_be_clicked() {
    for key in [Key::O, Key::R, Key::Questionmark] {
        let mut stage = finished_game();
        stage.draw_frame();
        let again = stage.place_of("play again").expect("it is placed");
        stage.press_key(key);
        stage.draw_frame();
        stage.click_at(again, Modifiers::NONE);
        let moves = |stage: &Harness| {
            stage
                .app
                .session
                .as_ref()
                .map(|game| game.game.moves().len())
        };
        assert_eq!(moves(&stage), Some(7), "{key:?}");
        stage.press_key(Key::Escape);
        stage.draw_frame();
        stage.click("play again");
        assert_eq!(moves(&stage), Some(0), "{key:?}");
    }
}

#[test]
fn the_window_is_closed_by_a_key_while_a_text_is_typed() {
    let mut stage = Harness::dark();
    show_tree(&mut stage);
    stage.click("find");
    stage.draw_frame();
    assert_eq!(stage.frame.dump(&stage.app)["typing"], true);
    stage.press_key_with(Modifiers::COMMAND, Key::Q);
    assert!(stage.app.is_closing);
    let mut stage = show_game(Harness::dark(), "chess", "", "");
    stage.press_key(Key::M).draw_frame();
    stage.press_key_with(Modifiers::COMMAND, Key::Q);
    assert!(stage.app.is_closing, "in the field for a move");
}

#[test]
fn the_same_game_can_be_played_again_after_its_result_was_put_away() {
    let mut stage = finished_game();
    stage.press_key(Key::Escape);
    stage.run_action(Action::Game(GameAction::NextGame));
    for mv in ["1", "2", "1", "2", "1", "2", "1"] {
        stage.run_action(Action::Game(GameAction::Move(mv.to_owned())));
    }
    stage.draw_frame();
    assert!(
        stage.has_control("result"),
        "the new game has its own result"
    );
}
