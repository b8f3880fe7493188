//! The answer is not given away: a move is shown once the tree that led to it has grown.

use std::time::Duration;

use canopy_viewer::app::{Action, App};

use crate::{
    play::{click_squares, game_plan, move_list, parse_engine},
    stage::Harness,
    support::{Scratch, match_fixture::MatchFixture},
};

fn shown_moves(app: &App) -> usize {
    app.match_state().map_or(0, |standing| standing.moves.len())
}

/// A followed match whose trees grow on the screen, after its start was read.
fn follow(fixture: &mut MatchFixture) -> Harness {
    fixture.begin_game();
    fixture.write_match_json();
    let mut stage = Harness::dark();
    stage.run_action(Action::FollowMatch {
        directory: fixture.directory.clone(),
        exit: false,
    });
    stage.app.growth_animation = Some(Duration::from_secs(1));
    stage.wait_until("the match is there", |app| app.match_state().is_some());
    stage
}

#[test]
fn a_move_of_a_watched_match_waits_for_its_tree() {
    let scratch = Scratch::new("held-match");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "connect-four", 2);
    let mut stage = follow(&mut fixture);
    fixture.meta.moves.push("4".to_owned());
    fixture.write_match_json();
    stage.wait_until("the move is held back", |app| {
        app.shows_answer_at().is_some()
    });
    assert_eq!(shown_moves(&stage.app), 0);
    assert_eq!(stage.app.dump()["match"]["to_move"], "X to move");
    // It is not held for ever.
    stage.advance_time(Duration::from_secs(3));
    assert_eq!(shown_moves(&stage.app), 1);
}

#[test]
fn a_setting_shows_the_answer_at_once() {
    let scratch = Scratch::new("held-told");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "connect-four", 2);
    let mut stage = follow(&mut fixture);
    stage
        .press_key_with(egui::Modifiers::COMMAND, egui::Key::Comma)
        .click("settings answer")
        .press_key(egui::Key::Escape);
    assert!(stage.app.settings.show_answer);
    fixture.meta.moves.push("4".to_owned());
    fixture.write_match_json();
    stage.wait_until("the move is shown", |app| {
        assert!(app.shows_answer_at().is_none(), "nothing is held back");
        shown_moves(app) == 1
    });
}

#[test]
fn an_engine_moves_when_its_tree_has_grown() {
    let seats = [None, parse_engine("search=uct go='nodes 300'")];
    let mut plan = game_plan("connect-four", "", seats);
    plan.animate = true;
    let mut stage = Harness::with_real_time();
    stage.app.own_engine_command = crate::play::own_command();
    stage.run_action(Action::StartGame(Box::new(plan)));
    click_squares(&mut stage, &["d1"]);
    stage.wait_until("its tree grows", |app| {
        app.document.model.is_some() && app.document.timeline.is_playing()
    });
    assert_eq!(move_list(&stage.app), ["4"], "its move is not made yet");
    stage.wait_until("it has moved", |app| move_list(app).len() == 2);
    let timeline = &stage.app.document.timeline;
    assert!(!timeline.is_playing(), "the tree is as it was in the end");
    let model = stage.app.document.model.as_ref().expect("its tree");
    assert_eq!(model.node(0).visits, 300);
}
