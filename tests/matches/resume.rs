//! A match directory: continued after a kill or Ctrl-C, replayed game by game, and used by one runner alone.

use canopy_engine::runs::plan::Plan;

use super::*;

/// The fields of each game that must be the same when it is replayed; no times and paths.
fn reproducible_fields(directory: &Path) -> BTreeSet<String> {
    let keys = [
        "game", "players", "seed", "start", "plies", "moves", "result", "ending", "reason", "nodes",
    ];
    (read_games(directory).iter())
        .map(|game| keys.map(|key| game[key].to_string()).join(" "))
        .collect()
}

/// The lines of a report without time and node columns.
fn timeless_lines(report: &str) -> Vec<String> {
    let timeless = |line: &str| match line.split_once('%') {
        // The columns of a standing: time and nodes come after its percentage.
        Some((before, after)) if after.matches('-').count() == 4 => {
            let words: Vec<&str> = after.split_whitespace().take(2).collect();
            format!("{before}% {}", words.join(" "))
        }
        _ => line.to_owned(),
    };
    report.lines().map(timeless).collect()
}

/// Kills a match `kills` times at random moments and resumes it; asserts that the result is that of an undisturbed match.
fn kill_and_resume(kills: u32, games: u32) {
    let whole = Scratch::new(&format!("whole-{kills}"));
    let arguments = |scratch: &Scratch| {
        format!(
            "{RESUMED_MATCH}|--games|{games}|--concurrency|2|--out|{}",
            scratch.0.display()
        )
    };
    let begun = Instant::now();
    let expected = match_report(&arguments(&whole));
    let time = begun.elapsed();
    let broken = Scratch::new(&format!("broken-{kills}"));
    let mut random = canopy_engine::rng::Rng::new(u64::from(kills));
    for _ in 0..kills {
        let mut child = spawn_match(&arguments(&broken));
        // All of them together are shorter than the match, so that there is something left to do.
        let longest = (time / kills).max(Duration::from_millis(5));
        thread::sleep(longest.mul_f64(f64::from(random.below(1000)) / 1000.0));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    let resumed = match_report(&arguments(&broken));
    assert_eq!(timeless_lines(&resumed), timeless_lines(&expected));
    assert_eq!(
        reproducible_fields(&broken.0),
        reproducible_fields(&whole.0)
    );
    for file in ["games.txt", "games.csv"] {
        assert!(broken.0.join(file).exists(), "{file}");
    }
    assert_eq!(
        fs::read_to_string(broken.0.join("games.txt")).expect("there are games"),
        fs::read_to_string(whole.0.join("games.txt")).expect("there are games"),
    );
}

#[test]
fn a_match_that_is_killed_goes_on_to_the_same_table() {
    kill_and_resume(5, 70);
}

#[test]
#[ignore = "a minute"]
fn a_match_that_is_killed_fifty_times_goes_on_to_the_same_table() {
    kill_and_resume(50, 200);
}

/// The only part of a run directory.
fn only_part(directory: &Path) -> PathBuf {
    let mut parts = fs::read_dir(directory.join("parts")).expect("there are parts");
    let part = parts.next().expect("there is a part").expect("it is there");
    assert!(parts.next().is_none(), "there is one part");
    part.path()
}

/// An incomplete last line of a part is ignored; any other damage is an error.
#[test]
fn parts_are_read_with_care() {
    let scratch = Scratch::new("torn");
    let command = |games: u32| {
        format!(
            "{RESUMED_MATCH}|--games|{games}|--out|{}",
            scratch.0.display()
        )
    };
    let expected = match_report(&command(4));
    let path = only_part(&scratch.0);
    let text = fs::read_to_string(&path).expect("there is a part");
    // Without its end record and the end of the last game.
    let last = text.rfind("{\"time\"").expect("there is an end record");
    fs::write(&path, &text[..last - 40]).expect("it can be written");
    assert_eq!(
        timeless_lines(&match_report(&command(4))),
        timeless_lines(&expected)
    );
    // More games, and then the same ones again.
    let longer = match_report(&command(6));
    assert!(longer.starts_with("kalah:4x3, 18 games"), "{longer}");
    assert_eq!(read_games(&scratch.0).len(), 18);
    assert_eq!(
        timeless_lines(&match_report(&command(6))),
        timeless_lines(&longer)
    );
    assert_eq!(report(&scratch.0, &[]), longer);
    let other = match_error(&command(4).replace("--seed|7", "--seed|8"), 2);
    assert!(
        other.contains("another match was run there: its seed is 7, now 8"),
        "{other}"
    );
    let other = match_error(&command(4).replace("lgr2", "lgr1"), 2);
    assert!(
        other.contains("its engines.2.build.signature is"),
        "{other}"
    );
    fs::write(&path, text.replacen("\"game\":2,", "\"game\":\"two\",", 1))
        .expect("it can be written");
    let bad = match_error(&command(4), 2);
    assert!(bad.contains("jsonl: game 2: invalid type"), "{bad}");
    fs::write(&path, text.replacen("{\"trial\":2,", "{\"trial\":0,", 1))
        .expect("it can be written");
    let bad = match_error(&command(4), 2);
    assert!(
        bad.contains(", line 3: expected a trial with a result"),
        "{bad}"
    );
    // A part that lost lines in its middle does not agree with its end.
    let lines: Vec<&str> = text.lines().collect();
    let short = [&lines[..2], &lines[3..]].concat().join("\n") + "\n";
    fs::write(&path, short).expect("it can be written");
    let bad = match_error(&command(4), 2);
    assert!(
        bad.contains("the end of 12 results, but 11 are there"),
        "{bad}"
    );
}

/// Two runners may use one directory: they waste time, and harm nothing.
#[test]
fn two_runners_share_a_directory() {
    let scratch = Scratch::new("shared");
    let command = format!("{RESUMED_MATCH}|--games|20|--out|{}", scratch.0.display());
    let runners = [spawn_match(&command), spawn_match(&command)];
    let reports = runners.map(|runner| {
        let output = runner.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
    });
    assert_eq!(reports.len(), 2);
    let whole = Scratch::new("unshared");
    match_report(&format!(
        "{RESUMED_MATCH}|--games|20|--out|{}",
        whole.0.display()
    ));
    assert_eq!(
        report(&scratch.0, &["--no-times"]),
        report(&whole.0, &["--no-times"])
    );
}

/// Ctrl-C ends a match in order and keeps the games played.
#[test]
fn ctrl_c_stops_and_the_match_goes_on_later() {
    let scratch = Scratch::new("interrupted");
    let command = |games: u32| {
        format!(
            "{RESUMED_MATCH}|--games|{games}|--out|{}",
            scratch.0.display()
        )
    };
    let child = spawn_match(&command(100_000));
    wait_for_games(&scratch.0, 12);
    let output = stop_resumable(child, "INT");
    let played = read_games(&scratch.0).len();
    assert!(played >= 11, "{played}");
    assert!(
        String::from_utf8_lossy(&output.stdout).starts_with(&format!(
            "PARTIAL: {played} of 300000 games\nkalah:4x3, {played} games"
        ))
    );
}

/// `--only` replays any game move for move, whatever was played before it.
#[test]
fn any_game_is_played_again_alone() {
    let scratch = Scratch::new("only");
    let command = format!("{RESUMED_MATCH}|--games|4|--out|{}", scratch.0.display());
    match_report(&command);
    for number in [1, 5, 6, 11, 12] {
        let text = match_report(&format!("{command}|--only|{number}"));
        assert!(
            text.contains("it is the same as on record"),
            "{number}: {text}"
        );
    }
    let text = match_report(&format!("{command}|--only|2-4,11"));
    assert_eq!(
        text.matches("it is the same as on record").count(),
        4,
        "{text}"
    );
    let other = match_error(&format!("{command}|--only|13"), 2);
    assert!(
        other.contains("--only 13: expected games from 1 to 12"),
        "{other}"
    );
}

/// A game replayed alone is logged with its match, which continues around it.
#[test]
fn a_game_that_is_played_alone_is_kept() {
    let scratch = Scratch::new("only-kept");
    let command = format!("{RESUMED_MATCH}|--games|2|--out|{}", scratch.0.display());
    let text = match_report(&format!("{command}|--only|4"));
    assert!(text.contains("it is on record now"), "{text}");
    let text = match_report(&format!("{command}|--only|4"));
    assert!(text.contains("it is the same as on record"), "{text}");
    let kept = read_games(&scratch.0);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0]["game"], 4);
    match_report(&command);
    let whole = Scratch::new("only-whole");
    match_report(&format!(
        "{RESUMED_MATCH}|--games|2|--out|{}",
        whole.0.display()
    ));
    assert_eq!(
        reproducible_fields(&scratch.0),
        reproducible_fields(&whole.0)
    );
    // It is kept nowhere else than in its own match.
    let other = match_error(
        &format!("{command}|--only|4").replace("--seed|7", "--seed|8"),
        2,
    );
    assert!(other.contains("another match was run there"), "{other}");
}

/// A match resumes with the same program under another path, not with one that searches differently.
#[test]
fn a_match_goes_on_wherever_the_program_lies() {
    let scratch = Scratch::new("moved");
    let out = scratch.0.join("match");
    let command = |games: u32| format!("{RESUMED_MATCH}|--games|{games}|--out|{}", out.display());
    match_report(&command(1));
    let moved = scratch.0.join("other-name");
    fs::copy(engine_path(), &moved).expect("it can be copied");
    let output = Command::new(&moved)
        .args(match_arguments(&command(2)))
        .output()
        .expect("the copy starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("going on after 3 games"), "{said}");
    assert_eq!(read_games(&out).len(), 6);
    // A plan of a build that searches differently.
    let path = out.join("plan.json");
    let text = fs::read_to_string(&path).expect("there is a plan");
    let mut plan: Plan = serde_json::from_str(&text).expect("it is a plan");
    plan.content["engines"][0]["build"]["signature"] = "0123456789abcdef".into();
    let other = Plan::new(plan.kind, plan.trials, plan.content).with_units(plan.units);
    fs::write(&path, serde_json::to_string(&other).expect("JSON")).expect("it can be written");
    let other = match_error(&command(2), 2);
    assert!(
        other.contains(
            "another match was run there: its engines.1.build.signature is \"0123456789abcdef\""
        ),
        "{other}"
    );
}
