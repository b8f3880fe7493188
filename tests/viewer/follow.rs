//! Following a match of another process, without a window.

use std::{fs, path::Path};

use canopy_viewer::app::{Action, App};
use serde_json::Value;

use crate::{
    stage::Harness,
    support::{
        Scratch,
        match_fixture::{MatchFixture, write_file},
    },
};

/// A harness that follows the match in `directory`.
fn follow_match(directory: &Path) -> Harness {
    let mut stage = Harness::dark();
    stage.run_action(Action::FollowMatch {
        directory: directory.to_owned(),
        exit: false,
    });
    stage
}

fn is_showing(app: &App, path: &Path) -> bool {
    app.document.shown_path.as_deref() == Some(path) && app.document.model.is_some()
}

fn match_state(app: &App) -> Value {
    app.dump()["match"].clone()
}

fn message_text(app: &App) -> String {
    let message = app.message.as_ref();
    message.map_or_else(String::new, |message| message.text.clone())
}

/// Number of moves of the current game that the viewer has read.
fn move_count(app: &App) -> usize {
    app.match_state().map_or(0, |standing| standing.moves.len())
}

#[test]
fn a_match_that_begins_later_is_followed_move_by_move() {
    let scratch = Scratch::new("follow-moves");
    let directory = scratch.0.join("not/yet");
    let mut stage = follow_match(&directory);
    let awaits = |app: &App, what: &str| app.waiting_text().is_some_and(|text| text.contains(what));
    stage.wait_until("the folder is waited for", |app| awaits(app, "the folder"));
    fs::create_dir_all(&directory).expect("it can be made");
    stage.wait_until("the match is waited for", |app| awaits(app, "match.json"));
    assert!(stage.app.settings.recent[0].ends_with("not/yet"));

    let mut fixture = MatchFixture::new(directory, "connect-four", 4);
    fixture.begin_game();
    fixture.write_match_json();
    stage.wait_until("the match is there", |app| app.match_state().is_some());
    assert!(stage.app.document.model.is_none() && awaits(&stage.app, "Trees are shown"));
    for (count, mv) in ["4", "4", "3", "5"].into_iter().enumerate() {
        let tree = fixture.write_tree(&[(mv, 30), ("1", 10)]);
        stage.wait_until("its tree is shown", |app| is_showing(app, &tree));
        fixture.play(mv);
        stage.wait_until("the move is told", |app| move_count(app) == count + 1);
        let told = match_state(&stage.app);
        assert_eq!(told["last"], mv);
        assert_eq!(told["position"], fixture.position());
        assert_eq!(told["to_move"], ["O to move", "X to move"][count % 2]);
        assert_eq!(stage.app.dump()["board"], "now");
    }
    assert_eq!(match_state(&stage.app)["players"][0], "uct");
    assert_eq!(stage.app.document.sequence.len(), 4);
}

#[test]
fn what_the_numbers_say_and_the_newest_move_are_above_the_fold() {
    let scratch = Scratch::new("follow-fold");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "othello", 4);
    fixture.begin_game();
    fixture.end_game(Some(0), "discs");
    fixture.begin_game();
    let moves = ["f5", "d6", "c3", "d3", "c4", "f4", "f6", "f3"];
    for mv in moves {
        fixture.meta.moves.push(mv.to_owned());
    }
    fixture.write_match_json();
    let tree = fixture.write_tree(&[("e6", 700), ("e3", 300)]);
    let mut stage = follow_match(&scratch.0);
    stage.size = (1280, 800);
    stage.wait_until("its tree is shown", |app| is_showing(app, &tree));
    for _ in 0..3 {
        stage.draw_frame();
    }
    // The status line begins at 768.
    for (name, half) in [
        ("in words", 48.0),
        ("move 8", 10.0),
        ("term Move chosen", 10.0),
        ("parameters", 10.0),
    ] {
        let at = stage.place_of(name).expect(name).y;
        assert!(at + half < 768.0, "{name} at {at}");
    }
}

#[test]
fn the_next_game_is_shown_from_its_first_tree_on_to_the_end_of_the_match() {
    let scratch = Scratch::new("follow-games");
    let directory = scratch.0.join("match");
    fs::create_dir(&directory).expect("it can be made");
    let mut fixture = MatchFixture::new(directory.clone(), "othello", 2);
    fixture.begin_game();
    fixture.write_tree(&[("f5", 9)]);
    fixture.play("f5");
    let mut stage = Harness::dark();
    stage.run_action(Action::Open(vec![directory.clone()]));
    stage.wait_until("the match is opened", |app| move_count(app) == 1);
    fixture.end_game(None, "agreed");
    stage.wait_until("the game is over", |app| {
        match_state(app)["result"] == "draw"
    });
    let told_then = match_state(&stage.app);
    assert_eq!(told_then["to_move"], "Draw (agreed)");
    assert!(told_then["over"] == false && told_then["drawn"] == 1);

    // The trees of the next game are there before anybody can watch its directory.
    fixture.begin_game();
    fixture.directory = scratch.0.join("aside");
    let aside = fixture.write_tree(&[("d3", 5), ("c4", 7)]);
    fs::rename(fixture.game_directory(), directory.join("game-0002")).expect("it can be renamed");
    fixture.directory = directory.clone();
    let first = fixture
        .game_directory()
        .join(aside.file_name().expect("a name"));
    stage.wait_until("its first tree is shown", |app| is_showing(app, &first));
    fixture.play("d3");
    let second = fixture.write_tree(&[("c3", 8)]);
    stage.wait_until("its second tree is shown", |app| {
        is_showing(app, &second) && match_state(app)["number"] == 2
    });
    assert_eq!(match_state(&stage.app)["players"][0], "lgr2");
    assert_eq!(stage.app.document.sequence.len(), 3);

    // A tree that comes late does not lead back.
    fixture.write_tree_at(&first, &[("d3", 50), ("c4", 70)]);
    fixture.write_tree_at(&directory.join("game-0001/late.tree"), &[("f5", 1)]);
    stage.wait_until("it is known", |app| app.document.sequence.len() == 4);
    assert_eq!(stage.app.document.sequence.path(), Some(second.as_path()));

    fixture.end_game(Some(0), "time");
    stage.wait_until("the match is over", |app| match_state(app)["over"] == true);
    let told = match_state(&stage.app);
    assert_eq!(told["to_move"], "White wins (time)");
    assert_eq!(told["verdict"], "uct wins the match");
    assert!(!stage.app.is_closing && is_showing(&stage.app, &second));
}

#[test]
fn a_file_that_is_torn_disturbs_nobody() {
    let scratch = Scratch::new("follow-torn");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "kalah", 2);
    fixture.begin_game();
    fixture.play("3");
    let mut stage = follow_match(&scratch.0);
    stage.wait_until("a move is told", |app| move_count(app) == 1);
    let file = scratch.0.join("match.json");
    let whole = fs::read(&file).expect("it can be read");
    write_file(&file, &whole[..whole.len() / 2]);
    stage.wait_until("it is told", |app| {
        message_text(app).starts_with("match.json: ")
    });
    assert_eq!(move_count(&stage.app), 1);
    for bad in ["", "[]", "{\"format\": 99}", "{\"moves\": 3}"] {
        write_file(&file, bad);
        stage.draw_frame();
    }
    fs::remove_file(&file).expect("it can be removed");
    fixture.play("6");
    stage.wait_until("a move is told", |app| move_count(app) == 2);
    // One that was good in between is told of again.
    stage.app.message = None;
    write_file(&file, "nonsense");
    stage.wait_until("it is told", |app| {
        message_text(app).starts_with("match.json: ")
    });
    assert_eq!(move_count(&stage.app), 2);
    // Moves that nobody could have played are shown as text, and the board says so.
    fixture.play("nowhere");
    stage.wait_until("a move is told", |app| move_count(app) == 3);
    assert!(match_state(&stage.app)["position"].is_null());
    stage.draw_frame();
}

#[test]
fn one_stays_where_one_steps_back_to_until_one_returns() {
    let scratch = Scratch::new("follow-back");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "connect-four", 2);
    fixture.begin_game();
    let mut trees = Vec::new();
    for mv in ["4", "4", "3"] {
        trees.push(fixture.write_tree(&[(mv, 30), ("1", 10)]));
        fixture.play(mv);
    }
    let mut stage = follow_match(&scratch.0);
    stage.wait_until("the last is shown", |app| {
        is_showing(app, &trees[2]) && move_count(app) == 3
    });
    stage.run_action(Action::StepTree(-1));
    stage.wait_until("one back", |app| is_showing(app, &trees[1]));
    assert_eq!(stage.app.dump()["board"], "tree");
    assert_eq!(stage.app.tree_label(), "Game 1 after 1 move");
    trees.push(fixture.write_tree(&[("5", 3)]));
    fixture.play("5");
    stage.wait_until("more is known", |app| {
        app.document.sequence.len() == 4 && move_count(app) == 4
    });
    assert!(is_showing(&stage.app, &trees[1]) && !stage.app.folder.is_following_newest);
    stage.run_action(Action::Select(Some(1)));
    assert_eq!(stage.app.dump()["board"], "node");

    // A click on a move leads to its tree, and another back to the game.
    stage.click("move 1");
    stage.wait_until("the first is shown", |app| is_showing(app, &trees[0]));
    assert_eq!(stage.app.tree_label(), "Game 1 at the start");
    assert_eq!(stage.app.shown_move(), Some(0));
    stage.click("now");
    stage.wait_until("the last is shown", |app| is_showing(app, &trees[3]));
    assert_eq!(stage.app.dump()["board"], "now");
    assert!(stage.app.folder.is_following_newest && stage.app.navigation.selected.is_none());

    // A move of which there is no tree.
    fixture.play("5");
    stage.wait_until("the move is told", |app| move_count(app) == 5);
    stage.click("move 5");
    stage.wait_until("it is told", |app| {
        message_text(app) == "there is no tree of this move"
    });
    assert!(is_showing(&stage.app, &trees[3]));
}

#[test]
fn without_a_match_a_folder_is_what_it_was() {
    let scratch = Scratch::new("follow-plain");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "connect-four", 2);
    fixture.begin_game();
    fixture.write_tree(&[("4", 3)]);
    let plain = scratch.0.join("a.tree");
    fixture.write_tree_at(&plain, &[("4", 3)]);
    let mut stage = Harness::dark();
    stage.run_action(Action::Open(vec![scratch.0.clone()]));
    stage.wait_until("it is opened", |app| is_showing(app, &plain));
    fixture.write_tree(&[("4", 3)]);
    let later = scratch.0.join("b.tree");
    fixture.write_tree_at(&later, &[("4", 3)]);
    stage.wait_until("the new one is shown", |app| is_showing(app, &later));
    assert_eq!(
        stage.app.document.sequence.len(),
        2,
        "those of the game are not"
    );
    assert!(stage.app.followed_match.is_none() && stage.app.dump()["match"].is_null());
}

#[test]
fn a_folder_that_goes_and_comes_back_is_followed_on() {
    let scratch = Scratch::new("follow-again");
    let directory = scratch.0.join("match");
    fs::create_dir(&directory).expect("it can be made");
    let mut fixture = MatchFixture::new(directory.clone(), "delta", 2);
    fixture.begin_game();
    fixture.write_match_json();
    let mut stage = follow_match(&directory);
    stage.wait_until("it is there", |app| app.match_state().is_some());
    fs::remove_dir_all(&directory).expect("it can be removed");
    fs::create_dir(&directory).expect("it can be made");
    let tree = fixture.write_tree(&[("a1", 3)]);
    fixture.play("a1");
    stage.wait_until("it goes on", |app| {
        is_showing(app, &tree) && move_count(app) == 1
    });
}

#[test]
fn the_window_closes_when_the_match_is_over_if_that_is_wanted() {
    let scratch = Scratch::new("follow-exit");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "connect-four", 2);
    let mut stage = Harness::dark();
    stage.run_action(Action::FollowMatch {
        directory: scratch.0.clone(),
        exit: true,
    });
    fixture.begin_game();
    fixture.end_game(Some(1), "four in line");
    stage.wait_until("a game is over", |app| {
        match_state(app)["result"] == "p2win" && match_state(app)["number"] == 1
    });
    assert!(!stage.app.is_closing, "there is another");
    fixture.begin_game();
    fixture.play("4");
    stage.wait_until("the last has begun", |app| match_state(app)["number"] == 2);
    assert!(!stage.app.is_closing, "it goes on");
    fixture.end_game(Some(1), "four in line");
    stage.wait_until("it closes", |app| app.is_closing);
}

#[test]
fn a_match_of_absurd_size_is_shown_as_far_as_it_goes() {
    let scratch = Scratch::new("follow-absurd");
    let mut fixture = MatchFixture::new(scratch.0.clone(), "othello", u64::MAX);
    let long = "x\n".repeat(5000);
    fixture.meta.number = u64::MAX;
    fixture.meta.directory = Some("../..".to_owned());
    fixture.meta.players = vec![long.clone(); 3];
    fixture.meta.score.names = vec![long.clone(); 100];
    fixture.meta.score.won = vec![u64::MAX; 2];
    fixture.meta.score.drawn = u64::MAX;
    fixture.meta.clocks = vec![u64::MAX; 9];
    fixture.meta.moves = vec!["y".repeat(200); 3000];
    fixture.meta.reason = Some(long.clone());
    fixture.write_match_json();
    let mut stage = follow_match(&scratch.0);
    stage.wait_until("it is told", |app| move_count(app) == 3000);
    fixture.meta.result = Some(long);
    fixture.write_match_json();
    stage.wait_until("it is over", |app| match_state(app)["over"] == true);
    stage.draw_frame();
    fixture.meta = canopy_engine::tree::meta::MatchMeta::default();
    fixture.write_match_json();
    stage.wait_until("there is nothing", |app| move_count(app) == 0);
    stage.draw_frame();
}
