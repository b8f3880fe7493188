//! A match that somebody else plays is followed, without the window.

use std::{fs, path::Path};

use canopy_viewer::app::{Action, App};
use serde_json::Value;

use crate::{
    stage::Stage,
    support::{
        Scratch,
        contest::{Contest, put},
    },
};

/// A stage on which a match is followed.
fn following(directory: &Path) -> Stage {
    let mut stage = Stage::dark();
    stage.act(Action::FollowMatch {
        directory: directory.to_owned(),
        exit: false,
    });
    stage
}

fn shows(app: &App, path: &Path) -> bool {
    app.shown.as_deref() == Some(path) && app.model.is_some()
}

fn told(app: &App) -> Value {
    app.dump()["match"].clone()
}

fn said(app: &App) -> String {
    let message = app.message.as_ref();
    message.map_or_else(String::new, |message| message.text.clone())
}

/// How many moves were told of.
fn moves(app: &App) -> usize {
    app.standing().map_or(0, |standing| standing.moves.len())
}

#[test]
fn a_match_that_begins_later_is_followed_move_by_move() {
    let scratch = Scratch::new("follow-moves");
    let directory = scratch.0.join("not/yet");
    let mut stage = following(&directory);
    let awaits = |app: &App, what: &str| app.awaits().is_some_and(|text| text.contains(what));
    stage.until("the folder is waited for", |app| awaits(app, "the folder"));
    fs::create_dir_all(&directory).expect("it can be made");
    stage.until("the match is waited for", |app| awaits(app, "match.json"));
    assert!(stage.app.settings.recent[0].ends_with("not/yet"));

    let mut contest = Contest::new(directory, "connect-four", 4);
    contest.begin();
    contest.tell();
    stage.until("the match is there", |app| app.standing().is_some());
    assert!(stage.app.model.is_none() && awaits(&stage.app, "Trees are shown"));
    for (count, mv) in ["4", "4", "3", "5"].into_iter().enumerate() {
        let tree = contest.think(&[(mv, 30), ("1", 10)]);
        stage.until("its tree is shown", |app| shows(app, &tree));
        contest.play(mv);
        stage.until("the move is told", |app| moves(app) == count + 1);
        let told = told(&stage.app);
        assert_eq!(told["last"], mv);
        assert_eq!(told["position"], contest.position());
        assert_eq!(told["to_move"], ["O to move", "X to move"][count % 2]);
        assert_eq!(stage.app.dump()["board"], "now");
    }
    assert_eq!(told(&stage.app)["players"][0], "uct");
    assert_eq!(stage.app.sequence.len(), 4);
}

#[test]
fn the_next_game_is_shown_from_its_first_tree_on_to_the_end_of_the_match() {
    let scratch = Scratch::new("follow-games");
    let directory = scratch.0.join("match");
    fs::create_dir(&directory).expect("it can be made");
    let mut contest = Contest::new(directory.clone(), "othello", 2);
    contest.begin();
    contest.think(&[("f5", 9)]);
    contest.play("f5");
    let mut stage = Stage::dark();
    stage.act(Action::Open(vec![directory.clone()]));
    stage.until("the match is opened", |app| moves(app) == 1);
    contest.end(None, "agreed");
    stage.until("the game is over", |app| told(app)["result"] == "draw");
    let told_then = told(&stage.app);
    assert_eq!(told_then["to_move"], "Draw (agreed)");
    assert!(told_then["over"] == false && told_then["drawn"] == 1);

    // The trees of the next game are there before anybody can watch its directory.
    contest.begin();
    contest.directory = scratch.0.join("aside");
    let aside = contest.think(&[("d3", 5), ("c4", 7)]);
    fs::rename(contest.game(), directory.join("game-0002")).expect("it can be renamed");
    contest.directory = directory.clone();
    let first = contest.game().join(aside.file_name().expect("a name"));
    stage.until("its first tree is shown", |app| shows(app, &first));
    contest.play("d3");
    let second = contest.think(&[("c3", 8)]);
    stage.until("its second tree is shown", |app| {
        shows(app, &second) && told(app)["number"] == 2
    });
    assert_eq!(told(&stage.app)["players"][0], "lgr2");
    assert_eq!(stage.app.sequence.len(), 3);

    // A tree that comes late does not lead back.
    contest.think_at(&first, &[("d3", 50), ("c4", 70)]);
    contest.think_at(&directory.join("game-0001/late.tree"), &[("f5", 1)]);
    stage.until("it is known", |app| app.sequence.len() == 4);
    assert_eq!(stage.app.sequence.path(), Some(second.as_path()));

    contest.end(Some(0), "time");
    stage.until("the match is over", |app| told(app)["over"] == true);
    let told = told(&stage.app);
    assert_eq!(told["to_move"], "White wins (time)");
    assert_eq!(told["verdict"], "uct wins the match");
    assert!(!stage.app.is_over && shows(&stage.app, &second));
}

#[test]
fn a_file_that_is_torn_disturbs_nobody() {
    let scratch = Scratch::new("follow-torn");
    let mut contest = Contest::new(scratch.0.clone(), "kalah", 2);
    contest.begin();
    contest.play("3");
    let mut stage = following(&scratch.0);
    stage.until("a move is told", |app| moves(app) == 1);
    let file = scratch.0.join("match.json");
    let whole = fs::read(&file).expect("it can be read");
    put(&file, &whole[..whole.len() / 2]);
    stage.until("it is told", |app| said(app).starts_with("match.json: "));
    assert_eq!(moves(&stage.app), 1);
    for bad in ["", "[]", "{\"format\": 99}", "{\"moves\": 3}"] {
        put(&file, bad);
        stage.frame();
    }
    fs::remove_file(&file).expect("it can be removed");
    contest.play("6");
    stage.until("a move is told", |app| moves(app) == 2);
    // One that was good in between is told of again.
    stage.app.message = None;
    put(&file, "nonsense");
    stage.until("it is told", |app| said(app).starts_with("match.json: "));
    assert_eq!(moves(&stage.app), 2);
    // Moves that nobody could have played are shown as text, and the board says so.
    contest.play("nowhere");
    stage.until("a move is told", |app| moves(app) == 3);
    assert!(told(&stage.app)["position"].is_null());
    stage.frame();
}

#[test]
fn one_stays_where_one_steps_back_to_until_one_returns() {
    let scratch = Scratch::new("follow-back");
    let mut contest = Contest::new(scratch.0.clone(), "connect-four", 2);
    contest.begin();
    let mut trees = Vec::new();
    for mv in ["4", "4", "3"] {
        trees.push(contest.think(&[(mv, 30), ("1", 10)]));
        contest.play(mv);
    }
    let mut stage = following(&scratch.0);
    stage.until("the last is shown", |app| {
        shows(app, &trees[2]) && moves(app) == 3
    });
    stage.act(Action::Step(-1));
    stage.until("one back", |app| shows(app, &trees[1]));
    assert_eq!(stage.app.dump()["board"], "tree");
    assert_eq!(stage.app.which_tree(), "Game 1 after 1 move");
    trees.push(contest.think(&[("5", 3)]));
    contest.play("5");
    stage.until("more is known", |app| {
        app.sequence.len() == 4 && moves(app) == 4
    });
    assert!(shows(&stage.app, &trees[1]) && !stage.app.follow);
    stage.act(Action::Select(Some(1)));
    assert_eq!(stage.app.dump()["board"], "node");

    // A click on a move leads to its tree, and another back to the game.
    stage.click("move 1");
    stage.until("the first is shown", |app| shows(app, &trees[0]));
    assert_eq!(stage.app.which_tree(), "Game 1 at the start");
    assert_eq!(stage.app.shown_move(), Some(0));
    stage.click("now");
    stage.until("the last is shown", |app| shows(app, &trees[3]));
    assert_eq!(stage.app.dump()["board"], "now");
    assert!(stage.app.follow && stage.app.selected.is_none());

    // A move of which there is no tree.
    contest.play("5");
    stage.until("the move is told", |app| moves(app) == 5);
    stage.click("move 5");
    stage.until("it is told", |app| {
        said(app) == "there is no tree of this move"
    });
    assert!(shows(&stage.app, &trees[3]));
}

#[test]
fn without_a_match_a_folder_is_what_it_was() {
    let scratch = Scratch::new("follow-plain");
    let mut contest = Contest::new(scratch.0.clone(), "connect-four", 2);
    contest.begin();
    contest.think(&[("4", 3)]);
    let plain = scratch.0.join("a.tree");
    contest.think_at(&plain, &[("4", 3)]);
    let mut stage = Stage::dark();
    stage.act(Action::Open(vec![scratch.0.clone()]));
    stage.until("it is opened", |app| shows(app, &plain));
    contest.think(&[("4", 3)]);
    let later = scratch.0.join("b.tree");
    contest.think_at(&later, &[("4", 3)]);
    stage.until("the new one is shown", |app| shows(app, &later));
    assert_eq!(stage.app.sequence.len(), 2, "those of the game are not");
    assert!(stage.app.following.is_none() && stage.app.dump()["match"].is_null());
}

#[test]
fn a_folder_that_goes_and_comes_back_is_followed_on() {
    let scratch = Scratch::new("follow-again");
    let directory = scratch.0.join("match");
    fs::create_dir(&directory).expect("it can be made");
    let mut contest = Contest::new(directory.clone(), "delta", 2);
    contest.begin();
    contest.tell();
    let mut stage = following(&directory);
    stage.until("it is there", |app| app.standing().is_some());
    fs::remove_dir_all(&directory).expect("it can be removed");
    fs::create_dir(&directory).expect("it can be made");
    let tree = contest.think(&[("a1", 3)]);
    contest.play("a1");
    stage.until("it goes on", |app| shows(app, &tree) && moves(app) == 1);
}

#[test]
fn the_window_closes_when_the_match_is_over_if_that_is_wanted() {
    let scratch = Scratch::new("follow-exit");
    let mut contest = Contest::new(scratch.0.clone(), "connect-four", 2);
    let mut stage = Stage::dark();
    stage.act(Action::FollowMatch {
        directory: scratch.0.clone(),
        exit: true,
    });
    contest.begin();
    contest.end(Some(1), "four in line");
    stage.until("a game is over", |app| {
        told(app)["result"] == "p2win" && told(app)["number"] == 1
    });
    assert!(!stage.app.is_over, "there is another");
    contest.begin();
    contest.play("4");
    stage.until("the last has begun", |app| told(app)["number"] == 2);
    assert!(!stage.app.is_over, "it goes on");
    contest.end(Some(1), "four in line");
    stage.until("it closes", |app| app.is_over);
}

#[test]
fn a_match_of_absurd_size_is_shown_as_far_as_it_goes() {
    let scratch = Scratch::new("follow-absurd");
    let mut contest = Contest::new(scratch.0.clone(), "othello", u64::MAX);
    let long = "x\n".repeat(5000);
    contest.meta.number = u64::MAX;
    contest.meta.directory = Some("../..".to_owned());
    contest.meta.players = vec![long.clone(); 3];
    contest.meta.score.names = vec![long.clone(); 100];
    contest.meta.score.won = vec![u64::MAX; 2];
    contest.meta.score.drawn = u64::MAX;
    contest.meta.clocks = vec![u64::MAX; 9];
    contest.meta.moves = vec!["y".repeat(200); 3000];
    contest.meta.reason = Some(long.clone());
    contest.tell();
    let mut stage = following(&scratch.0);
    stage.until("it is told", |app| moves(app) == 3000);
    contest.meta.result = Some(long);
    contest.tell();
    stage.until("it is over", |app| told(app)["over"] == true);
    stage.frame();
    contest.meta = canopy_engine::tree::meta::MatchMeta::default();
    contest.tell();
    stage.until("there is nothing", |app| moves(app) == 0);
    stage.frame();
}
