//! `canopy-engine fit`: the same games give the same weights, in the form the engine is built with.

use std::fs;

use super::*;

fn fit(game: &str, more: &str, scratch: &Scratch, file: &str) -> (String, Vec<u8>) {
    fs::create_dir_all(&scratch.0).expect("a directory can be made");
    let out = scratch.0.join(file);
    let line = format!("fit --game {game} --games 20 --nodes 30 --rounds 30 --seed 3 {more} --out");
    let mut arguments: Vec<&str> = line.split_whitespace().collect();
    let path = out.display().to_string();
    arguments.push(&path);
    (
        engine_stdout(&arguments),
        fs::read(out).expect("a file of weights"),
    )
}

#[test]
fn a_fit_repeats_itself_whatever_the_threads() {
    let scratch = Scratch::new("fit");
    let (said, weights) = fit("connect-four", "", &scratch, "one.rs");
    let (_, again) = fit("connect-four", "--concurrency 2", &scratch, "two.rs");
    assert_eq!(weights, again);
    let (_, others) = fit(
        "connect-four",
        "--search deepening,depth=1",
        &scratch,
        "three.rs",
    );
    assert_ne!(weights, others);
    let text = String::from_utf8(weights).expect("a Rust file");
    assert!(
        text.contains("fit --game connect-four --games 20 --search deepening"),
        "{text}"
    );
    assert!(
        text.contains("pub(super) const KNOTS: usize = 3;"),
        "{text}"
    );
    // The fit is better than nothing on the games that it has seen.
    let line = said
        .lines()
        .find(|line| line.starts_with("loss on the games learned from: "));
    let numbers = line
        .expect(&said)
        .trim_start_matches("loss on the games learned from: ");
    let losses: Vec<f64> = (numbers.split(", "))
        .map(|part| {
            part.split(' ')
                .next()
                .expect("a number")
                .parse()
                .expect("a number")
        })
        .collect();
    // Without weights every game is as likely won as lost.
    assert!((losses[0] - std::f64::consts::LN_2).abs() < 1e-4, "{said}");
    assert!(losses[1] < losses[0], "{said}");
}

#[test]
fn weights_of_othello_are_a_file_of_numbers() {
    let scratch = Scratch::new("fit-othello");
    let (said, weights) = fit("othello", "--opening 20", &scratch, "weights.bin");
    assert!(
        said.starts_with("othello, evaluation patterns: 14130 features, 3 knots\n"),
        "{said}"
    );
    assert_eq!(weights.len(), 14130 * 3 * 2);
    assert!(weights.iter().any(|&byte| byte != 0));
}

#[test]
fn what_cannot_be_fitted_or_written_is_said_before_any_game() {
    let said = usage_error(&["fit", "--game", "tic-tac-toe", "--out", "weights.rs"]);
    assert!(
        said.contains("tic-tac-toe has no evaluation with weights to fit"),
        "{said}"
    );
    let said = usage_error(&[
        "fit",
        "--game",
        "chess",
        "--out",
        "no/such/directory/weights.rs",
    ]);
    assert!(
        said.contains("--out needs a file in a directory that exists"),
        "{said}"
    );
    let said = usage_error(&[
        "fit",
        "--game",
        "chess",
        "--search",
        "nonsense",
        "--out",
        "weights.rs",
    ]);
    assert!(said.contains("unknown search"), "{said}");
}
