//! Ends of games and matches before their time: decided matches, adjudication and SPRT.

use super::*;

/// A sequential test that has decided stays decided.
#[test]
fn a_decided_match_is_not_played_on() {
    let scratch = Scratch::new("decided");
    let command = format!(
        "--game|connect-four|--engine|search=uct|--engine|search=random|--games|1000|--go|nodes 100|--sprt|elo0=0,elo1=200|--out|{}",
        scratch.0.display()
    );
    match_report(&command);
    let played = read_games(&scratch.0).len();
    let again = match_report(&command);
    assert!(again.contains("H1 accepted"), "{again}");
    assert_eq!(read_games(&scratch.0).len(), played);
}

/// `--resign` ends games that one side has long evaluated as lost.
#[test]
fn hopeless_games_are_ended_on_request() {
    let scratch = Scratch::new("hopeless");
    let common = format!(
        "--game|connect-four|--engine|search=uct|--engine|search=uct|--games|8|--go|nodes 2000|--out|{}",
        scratch.0.display()
    );
    match_report(&format!("{common}|--resign|moves=2,score=150"));
    let played = read_games(&scratch.0);
    let hopeless: Vec<_> = played
        .iter()
        .filter(|game| game["ending"] == "hopeless")
        .collect();
    assert!(!hopeless.is_empty(), "{played:?}");
    for game in hopeless {
        // The loser's own last two scores are as low as was asked for.
        let loser = if game["result"] == "p1win" { '2' } else { '1' };
        let movers = game["movers"].as_str().expect("movers are text");
        let scores = game["scores"].as_array().expect("scores are kept");
        let own: Vec<i64> = (movers.chars().zip(scores))
            .filter(|(mover, _)| *mover == loser)
            .filter_map(|(_, score)| score.as_i64())
            .collect();
        assert!(
            own.iter().rev().take(2).all(|&score| score <= -150),
            "{game}"
        );
    }
}

/// Games that the engines evaluate as decided are adjudicated on request.
#[test]
fn games_are_adjudicated_on_request() {
    let scratch = Scratch::new("adjudicated");
    let command = |more: &str| {
        format!(
            "--game|othello|--engine|search=alpha-beta,depth=3|--engine|search=random|--games|4|--go|nodes 300|{more}|--out|{}",
            scratch.0.display()
        )
    };
    match_report(&command("--max-plies|10"));
    for game in read_games(&scratch.0) {
        assert_eq!(
            (&game["ending"], &game["result"]),
            (&"too-long".into(), &"draw".into()),
            "{game}"
        );
        assert_eq!(game["movers"].as_str().map(str::len), Some(10));
    }
    fs::remove_dir_all(&scratch.0).expect("it can be removed");
    // Two who think little of everything agree on a draw as soon as they may.
    match_report(
        &command("--draw|moves=2,score=3000,after=12").replace("search=random", "search=uct"),
    );
    for game in read_games(&scratch.0) {
        assert_eq!(
            (&game["ending"], &game["result"]),
            (&"draw-agreed".into(), &"draw".into()),
            "{game}"
        );
        assert_eq!(game["movers"].as_str().map(str::len), Some(12));
    }
}

/// A clear sequential test stops the match early.
#[test]
fn sprt_stops_a_clear_match() {
    let text = match_report(
        "--game|connect-four|--engine|search=uct|--engine|search=random|--games|1000|--go|nodes 100|--sprt|elo0=0,elo1=100",
    );
    assert!(text.contains("H1 accepted"), "{text}");
    let games: u32 = (text.lines().next())
        .and_then(|line| line.split(", ").nth(1)?.split(' ').next()?.parse().ok())
        .expect("the report begins with the number of games");
    assert!(games < 200, "{games} games");
}

/// The verdict of a sequential test does not depend on the concurrency.
#[test]
fn sprt_says_the_same_at_any_concurrency() {
    let verdict = |concurrency: u32| {
        let text = match_report(&format!(
            "--game|connect-four|--engine|search=uct|--engine|search=uct|--games|400|--go|nodes 20|--plies|2\
             |--sprt|elo0=-100,elo1=50|--concurrency|{concurrency}"
        ));
        let line = text.lines().last().expect("there is a verdict").to_owned();
        assert!(line.contains("accepted"), "{line}");
        line
    };
    assert_eq!(verdict(1), verdict(4));
}
