//! Engines that cheat, hang, crash or lie lose for what they did; the referee keeps the clock.

use super::*;

/// Faults of the rogue engine, how they end the game, and what is told of it.
const FAULTS: [(&str, &str, &str); 11] = [
    ("illegal", "illegal-move", "\"9\""),
    ("nonsense", "illegal-move", "\"e2e4\""),
    ("garbage", "false-claim", "no move"),
    ("claim 2", "false-claim", "0000"),
    ("crash 2", "crashed", "exit status: 7"),
    ("kill", "crashed", "signal: 11"),
    ("close", "crashed", "ended while it looked for a move"),
    (
        "hang-move",
        "silent",
        "did not answer while it looked for a move",
    ),
    (
        "hang-ready 1",
        "silent",
        "did not answer while it got ready",
    ),
    ("flood", "silent", "did not answer"),
    ("endless", "silent", "did not answer"),
];

/// Each fault ends the game for its own reason, and against the engine at fault, with these variables in the environment.
pub(super) fn check_faults(variables: &[(&str, &str)]) {
    for (mode, wanted, reason) in FAULTS {
        let game = play_rogue_with(variables, mode, "nodes 10");
        assert_eq!(game["ending"], wanted, "{mode}: {game}");
        assert_eq!(game["blame"], 2, "{mode}: {game}");
        assert_eq!(game["result"], "p1win", "{mode}: {game}");
        let told = game["reason"].as_str().expect("a reason is text");
        assert!(told.contains(reason), "{mode}: {told}");
        assert_ne!(game["position"], "", "{mode}: {game}");
        let lines = game["remains"]["lines"].to_string();
        assert!(lines.contains("> "), "{mode}: {lines}");
        // An illegal move never gets into the record.
        assert!(
            !game["moves"]
                .as_str()
                .expect("moves are text")
                .contains('9'),
            "{mode}: {game}"
        );
    }
}

#[test]
fn misbehaving_engines_lose_for_what_they_did() {
    check_faults(&[]);
    let crash = play_rogue("crash", "nodes 10");
    assert!(
        crash["remains"]["complaints"]
            .to_string()
            .contains("out of luck"),
        "{crash}"
    );
}

/// An engine over its time loses on time; one that ignores `stop` is killed.
#[test]
fn the_clock_is_the_referees() {
    let late = play_rogue("late", "movetime 100");
    assert_eq!(
        (&late["ending"], &late["blame"]),
        (&"late".into(), &2.into()),
        "{late}"
    );
    let game = play_rogue("stubborn", "movetime 100");
    assert_eq!(
        (&game["ending"], &game["blame"]),
        (&"silent".into(), &2.into()),
        "{game}"
    );
    let clock = play_rogue("late", "tc 0.2+0.1");
    assert_eq!(
        (&clock["ending"], &clock["blame"]),
        (&"late".into(), &2.into()),
        "{clock}"
    );
    // As much time as it takes.
    let patient = play_rogue("late", "movetime 1000");
    assert_eq!(patient["ending"], "rules", "{patient}");
}

/// Oddities that are no faults are logged and change no result.
#[test]
fn lies_about_the_result_and_bad_manners_change_nothing() {
    for (mode, remark) in [
        (
            "lie-draw",
            Some("says that the result is \"draw\": it is p1win"),
        ),
        (
            "lie-open",
            Some("says that the result is \"none\": it is p1win"),
        ),
        ("slow-start", None),
        ("deaf", None),
        ("parent", None),
        ("twice", None),
    ] {
        let game = play_rogue(mode, "nodes 200");
        assert_eq!(game["ending"], "rules", "{mode}: {game}");
        assert_eq!(game["result"], "p1win", "{mode}: {game}");
        let told = game["remarks"].to_string();
        match remark {
            Some(remark) => assert!(
                told.contains(&remark.replace('"', "\\\"")),
                "{mode}: {told}"
            ),
            None => assert_eq!(told, "null", "{mode}: {told}"),
        }
    }
}

/// An engine that fails to start stops the match at once; the message gives the cause, its output and its exit status.
#[test]
fn an_engine_that_never_starts_is_told_before_a_game_is_played() {
    let against = |other: &str| {
        format!(
            "--game|connect-four|--engine|search=uct|--engine|{other}|--games|2|{SHORT_TIMEOUTS}"
        )
    };
    let message = match_error(&against("name=ghost /no/such/engine"), 1);
    assert!(
        message.contains("ghost could not be started: /no/such/engine: No such file"),
        "{message}"
    );
    let message = match_error(&against(&rogue_engine("hang-start")), 1);
    assert!(
        message.contains("rogue did not answer while it introduced itself"),
        "{message}"
    );
    assert!(message.contains("> ugi"), "{message}");
    let message = match_error(&against(&rogue_engine("noisy-death")), 1);
    assert!(
        message.contains("exit status: 3") && message.contains("so am I"),
        "{message}"
    );
    let message = match_error(
        &against(&format!("option.Contempt=3 {}", rogue_engine("good"))),
        1,
    );
    assert!(
        message.contains("has no option \"Contempt\"; it has skill"),
        "{message}"
    );
}

/// Clocks run down, and an engine that respects its clock does not lose on time.
#[test]
fn clocks_are_kept() {
    for dialect in ["ugi", "uci", "gtp"] {
        let scratch = Scratch::new(&format!("clock-{dialect}"));
        let own = format!("dialect={dialect} {} --game connect-four", engine_path());
        match_report(&format!(
            "--game|connect-four|--engine|{own}|--engine|{own}|--games|2|--go|tc 1+0.02|--margin|400|--out|{}",
            scratch.0.display()
        ));
        for played in read_games(&scratch.0) {
            assert_eq!(played["ending"], "rules", "{dialect}: {played}");
            let micros = played["micros"].as_array().expect("times are kept");
            let sum: u64 = micros.iter().filter_map(serde_json::Value::as_u64).sum();
            assert!(
                sum > 100_000,
                "{dialect}: {sum} microseconds were used of two seconds"
            );
        }
    }
}
