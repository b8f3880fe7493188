//! Matches between engine processes: runner, referee, match log and records.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use support::{Scratch, data, program, signal, untested};

mod support;

fn engine_path() -> &'static str {
    program(option_env!("CARGO_BIN_EXE_canopy-engine"))
}

/// Arguments of a match; words are separated by `|`.
fn match_arguments(text: &str) -> Vec<String> {
    let mut words = vec!["match".to_owned()];
    words.extend(text.split('|').map(|word| word.trim().to_owned()));
    words
}

fn spawn_match(text: &str) -> Child {
    Command::new(engine_path())
        .args(match_arguments(text))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn run_match(text: &str) -> Output {
    spawn_match(text)
        .wait_with_output()
        .expect("the program ends")
}

/// Standard output of a match that must succeed.
fn match_report(text: &str) -> String {
    let output = run_match(text);
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}: {complaints}");
    String::from_utf8(output.stdout).expect("reports are UTF-8")
}

/// Standard error of a match that must fail with exit code `code`.
fn match_error(text: &str, code: i32) -> String {
    let output = run_match(text);
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}: {complaints}");
    complaints
}

/// An engine description of tests/data/engines/rogue.sh, which misbehaves as `mode` says.
fn rogue_engine(mode: &str) -> String {
    format!(
        "name=rogue sh {} {mode}",
        data("engines/rogue.sh").display()
    )
}

const SHORT_TIMEOUTS: &str = "--timeouts|start=3,ready=0.5,move=0.5,stop=0.3,quit=0.3";

/// The games of a match log, without its header line.
fn read_match_log(directory: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(directory.join("match.jsonl")).expect("there is a journal");
    (text.lines().skip(1))
        .map(|line| serde_json::from_str(line).expect("every line is an object"))
        .collect()
}

/// The fields of each game that must be the same when it is replayed; no times and paths.
fn reproducible_fields(directory: &Path) -> BTreeSet<String> {
    let keys = [
        "game", "players", "seed", "start", "plies", "moves", "result", "ending", "reason", "nodes",
    ];
    (read_match_log(directory).iter())
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

/// Plays one game between our engine and a rogue one; returns its match log entry.
fn play_rogue(mode: &str, go: &str) -> serde_json::Value {
    let scratch = Scratch::new(&format!("ending-{}", mode.replace(' ', "-")));
    let out = scratch.0.display();
    let begun = Instant::now();
    match_report(&format!(
        "--game|connect-four|--engine|search=uct|--engine|{}|--games|1|--go|{go}|{SHORT_TIMEOUTS}|--out|{out}",
        rogue_engine(mode)
    ));
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{mode} held the match up"
    );
    let mut games = read_match_log(&scratch.0);
    assert_eq!(games.len(), 1, "{mode}");
    games.remove(0)
}

/// Each fault ends the game for its own reason, and against the engine at fault.
#[test]
fn misbehaving_engines_lose_for_what_they_did() {
    for (mode, wanted, reason) in [
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
    ] {
        let game = play_rogue(mode, "nodes 10");
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

#[test]
fn command_lines_are_checked() {
    let common = "--game|connect-four|--engine|search=uct|--engine|search=lgr1";
    for (text, wanted) in [
        (
            "--game|connect-four|--engine|search=uct".to_owned(),
            "1 engines cannot play a match: expected 2",
        ),
        (
            format!("{common}|--go|nodes many"),
            "\"many\" is no whole number above 0",
        ),
        (format!("{common}|--go|time 3"), "\"time\" is no limit"),
        (format!("{common}|--go|tc 0"), "\"0\" is no time control"),
        (
            format!("{common}|--go|movetime 10 tc 5"),
            "a time for each move and a clock",
        ),
        (
            "--game|connect-four|--engine|'sh x|--engine|search=uct".to_owned(),
            "a quote is not closed",
        ),
        (
            "--game|connect-four|--engine|name=x|--engine|search=uct".to_owned(),
            "no command",
        ),
        (
            "--game|connect-four|--engine|skill=3 sh|--engine|search=uct".to_owned(),
            "no setting \"skill\"",
        ),
        (
            "--game|connect-four|--engine|dialect=xboard sh|--engine|search=uct".to_owned(),
            "no dialect \"xboard\"",
        ),
        (
            format!("{common}|--sprt|elo0=5,elo1=0"),
            "elo0 is 5 and elo1 is 0",
        ),
        (
            format!("{common}|--draw|moves=3"),
            "expected moves, at least 1, and score",
        ),
        (
            format!("{common}|--timeouts|begin=3"),
            "\"begin\" means nothing here: expected start, ready",
        ),
        (
            format!("{common}|--openings|/no/such/file"),
            "/no/such/file: No such file",
        ),
        (format!("{common}|--game|go"), ""),
    ] {
        let message = match_error(&text, 2);
        assert!(message.contains(wanted), "{text}: {message}");
    }
    let scratch = Scratch::new("openings");
    let path = scratch.0.join("list");
    fs::write(&path, "4453\n# a comment\n\n99\n").expect("a file can be written");
    let message = match_error(&format!("{common}|--openings|{}", path.display()), 2);
    assert!(message.contains("line 4"), "{message}");
}

#[test]
fn searches_are_checked_before_the_match() {
    let common = "--game|kalah|--engine|search=random|--games|2|--engine";
    for (search, wanted) in [
        ("uct,exploraton=0.7", "exploraton"),
        ("rules-002", "rules-002"),
        ("dijkstra", "dijkstra"),
    ] {
        let message = match_error(&format!("{common}|search={search}"), 2);
        assert!(message.contains(wanted), "{search}: {message}");
    }
    // One that is given as a command says so itself.
    let own = engine_path();
    let output = run_match(&format!(
        "{common}|option.Search=rules-002 {own} --game kalah --option Seed=3|--go|nodes 5"
    ));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("searching with uct"), "{said}");
}

/// A match without a completed game does not block its directory.
#[test]
fn a_failed_start_leaves_the_directory_free() {
    let scratch = Scratch::new("failed-start");
    let common = format!(
        "--game|connect-four|--games|2|--go|nodes 5|--out|{}|--engine|search=uct|--engine",
        scratch.0.display()
    );
    match_error(&format!("{common}|/no/such/engine"), 1);
    match_report(&format!("{common}|search=random"));
}

/// A sequential test that has decided stays decided.
#[test]
fn a_decided_match_is_not_played_on() {
    let scratch = Scratch::new("decided");
    let command = format!(
        "--game|connect-four|--engine|search=uct|--engine|search=random|--games|1000|--go|nodes 100|--sprt|elo0=0,elo1=200|--out|{}",
        scratch.0.display()
    );
    match_report(&command);
    let played = read_match_log(&scratch.0).len();
    let again = match_report(&command);
    assert!(again.contains("H1 accepted"), "{again}");
    assert_eq!(read_match_log(&scratch.0).len(), played);
}

/// Followers see the last move and the result of every game.
#[test]
fn the_end_of_every_game_can_be_followed() {
    let scratch = Scratch::new("every-end");
    let mut child = spawn_match(&format!(
        "--game|connect-four|--engine|search=uct|--engine|search=random|--games|3|--go|nodes 20|--pace|60|--trees|{}",
        scratch.0.display()
    ));
    let mut seen = BTreeSet::new();
    while child.try_wait().expect("it can be asked").is_none() {
        let text = fs::read_to_string(scratch.0.join("match.json")).unwrap_or_default();
        if let Ok(meta) = canopy_engine::tree::meta::read_match(text.as_bytes())
            && meta.result.is_some()
        {
            seen.insert(meta.number);
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(child.wait().expect("it ends").success());
    assert_eq!(seen, BTreeSet::from([1, 2, 3]));
}

/// Process ids of a process's children.
fn child_pids(parent: &Child) -> Vec<u32> {
    let wanted = format!("PPid:\t{}\n", parent.id());
    let is_child = |path: &Path| {
        fs::read_to_string(path.join("status")).is_ok_and(|text| text.contains(&wanted))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| is_child(&entry.path()))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// Numbers of open file descriptors and of children of a process.
fn handle_and_child_counts(child: &Child) -> (usize, usize) {
    let handles = fs::read_dir(format!("/proc/{}/fd", child.id()));
    (
        handles.map_or(0, |entries| entries.count()),
        child_pids(child).len(),
    )
}

/// Process ids of a match's two engines, once both have started.
fn wait_for_engines(runner: &Child) -> Vec<u32> {
    let begun = Instant::now();
    loop {
        let engines = child_pids(runner);
        if engines.len() == 2 {
            return engines;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "no engines are started: {engines:?}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// Signals matches together with their engines, engines first, as a batch system, a closed terminal or a container does.
fn stop_with_engines(times: u64) {
    let mut random = canopy_engine::rng::Rng::new(times);
    for turn in 0..times {
        let scratch = Scratch::new(&format!("cancelled-{times}-{turn}"));
        let child = spawn_match(&format!(
            "--game|connect-four|--engine|search=uct|--engine|search=lgr1|--games|100|--go|nodes 20|--pace|50|--out|{}",
            scratch.0.display()
        ));
        let mut processes = wait_for_engines(&child);
        thread::sleep(Duration::from_millis(random.below(1000).into()));
        processes.push(child.id());
        signal(["TERM", "INT", "HUP"][turn as usize % 3], &processes);
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(130), "{said}");
        for game in read_match_log(&scratch.0) {
            assert_eq!(game["ending"], "rules", "{game}");
        }
    }
}

#[test]
fn a_match_that_is_stopped_with_its_engines_records_no_losses() {
    if !Path::new("/proc/self/fd").exists() {
        return untested("there is no /proc");
    }
    stop_with_engines(4);
}

#[test]
#[ignore = "a minute"]
fn fifty_matches_that_are_stopped_with_their_engines_record_no_losses() {
    stop_with_engines(50);
}

/// An engine killed from outside decides no game.
#[test]
fn a_game_whose_engine_was_ended_from_outside_is_played_again() {
    if !Path::new("/proc/self/fd").exists() {
        return untested("there is no /proc");
    }
    for name in ["TERM", "KILL"] {
        let scratch = Scratch::new(&format!("sniped-{name}"));
        let child = spawn_match(&format!(
            "--game|connect-four|--engine|search=uct|--engine|search=lgr1|--games|2|--go|nodes 20|--pace|60|--out|{}",
            scratch.0.display()
        ));
        let engines = wait_for_engines(&child);
        signal(name, &engines[..1]);
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        // The engine may have been hit before its first game, in which case it has just been started again.
        assert!(
            said.contains("game 1 is played again") || !said.contains("played again"),
            "{said}"
        );
        let played = read_match_log(&scratch.0);
        assert_eq!(played.len(), 2, "{played:?}");
        for game in played {
            assert_eq!(game["ending"], "rules", "{game}");
        }
    }
}

/// An engine that kills itself in every game, as if from outside, loses in the end.
#[test]
fn an_engine_that_is_ended_again_and_again_loses() {
    let game = play_rogue("term", "nodes 10");
    assert_eq!(game["ending"], "crashed", "{game}");
    assert_eq!(game["blame"], 2, "{game}");
    assert!(game["reason"].to_string().contains("signal: 15"), "{game}");
}

/// Plays games in which an engine crashes; asserts that no file descriptors and processes accumulate.
fn crash_games(count: usize) {
    let scratch = Scratch::new(&format!("crashes-{count}"));
    let mut child = spawn_match(&format!(
        "--game|connect-four|--engine|search=random|--engine|{}|--games|{count}|--go|nodes 1|{SHORT_TIMEOUTS}|--out|{}",
        rogue_engine("crash"),
        scratch.0.display()
    ));
    let mut most = (0, 0);
    while child.try_wait().expect("it can be asked").is_none() {
        let (handles, children) = handle_and_child_counts(&child);
        most = (most.0.max(handles), most.1.max(children));
        thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("the program ends");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Three pipes for each of two engines, the standard ones, the journal, and some for signals; a zombie at most
    // between a crash and its funeral.
    assert!(
        most.0 <= 24 && most.1 <= 3,
        "{most:?} handles and processes"
    );
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        report.contains(&format!("and {} more games ended by a fault", count - 3)),
        "{report}"
    );
    let text = fs::read_to_string(scratch.0.join("match.jsonl")).expect("there is a journal");
    assert_eq!(text.lines().count(), count + 1);
}

#[test]
fn a_hundred_crashes_leave_nothing_behind() {
    if !Path::new("/proc/self/fd").exists() {
        return untested("there is no /proc");
    }
    crash_games(100);
}

#[test]
#[ignore = "minutes"]
fn two_thousand_crashes_leave_nothing_behind() {
    crash_games(2000);
}

/// Descendants of an engine are killed with it.
#[test]
fn what_an_engine_starts_ends_with_it() {
    if !Path::new("/proc/self/fd").exists() {
        return untested("there is no /proc");
    }
    let scratch = Scratch::new("family");
    let mark = scratch.0.join("marked");
    fs::create_dir_all(&mark).expect("a directory can be made");
    for mode in ["parent", "deaf", "sessions", "sessions-crash"] {
        match_report(&format!(
            "--game|connect-four|--engine|search=uct|--engine|dir={} {}|--games|1|--go|nodes 10|{SHORT_TIMEOUTS}",
            mark.display(),
            rogue_engine(mode)
        ));
        let left: Vec<PathBuf> = fs::read_dir("/proc")
            .expect("there is /proc")
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == mark))
            .collect();
        assert!(left.is_empty(), "{mode}: {left:?}");
    }
}

const RESUMED_MATCH: &str = "--game|kalah:4x3|--engine|search=uct|--engine|search=lgr2|--engine|search=random|--go|nodes 20|--plies|3|--seed|7";

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

/// An incomplete last line of a match log is ignored; any other damage is an error.
#[test]
fn journals_are_read_with_care() {
    let scratch = Scratch::new("torn");
    let command = |games: u32| {
        format!(
            "{RESUMED_MATCH}|--games|{games}|--out|{}",
            scratch.0.display()
        )
    };
    let expected = match_report(&command(4));
    let path = scratch.0.join("match.jsonl");
    let text = fs::read_to_string(&path).expect("there is a journal");
    fs::write(&path, &text[..text.len() - 40]).expect("it can be written");
    assert_eq!(
        timeless_lines(&match_report(&command(4))),
        timeless_lines(&expected)
    );
    // More games, and then the same ones again.
    let longer = match_report(&command(6));
    assert!(longer.starts_with("kalah:4x3, 18 games"), "{longer}");
    assert_eq!(read_match_log(&scratch.0).len(), 18);
    assert_eq!(
        timeless_lines(&match_report(&command(6))),
        timeless_lines(&longer)
    );
    let again = Command::new(engine_path())
        .args(["report", &scratch.0.display().to_string()])
        .output()
        .expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&again.stdout), longer);
    let other = match_error(&command(4).replace("--seed|7", "--seed|8"), 2);
    assert!(
        other.contains("another match was played there: its seed is 7, now 8"),
        "{other}"
    );
    let other = match_error(&command(4).replace("lgr2", "lgr1"), 2);
    assert!(other.contains("its engine lgr2 is"), "{other}");
    fs::write(&path, text.replacen("\"game\":2,", "\"game\":\"two\",", 1))
        .expect("it can be written");
    let bad = match_error(&command(4), 2);
    assert!(bad.contains("match.jsonl, line 3: not a game"), "{bad}");
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
    let played = read_match_log(&scratch.0);
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

/// A second Ctrl-C waits for nothing, not even for an engine that does not quit.
#[test]
fn a_second_ctrl_c_ends_everything_at_once() {
    let scratch = Scratch::new("impatient");
    let child = spawn_match(&format!(
        "--game|connect-four|--engine|search=uct|--engine|{}|--games|100000|--go|nodes 5|--timeouts|quit=60|--out|{}",
        rogue_engine("deaf"),
        scratch.0.display()
    ));
    let begun = Instant::now();
    while fs::read_to_string(scratch.0.join("match.jsonl")).map_or(0, |text| text.lines().count())
        < 2
    {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "no games are played"
        );
        thread::sleep(Duration::from_millis(5));
    }
    signal("INT", &[child.id()]);
    thread::sleep(Duration::from_millis(300));
    let urged = Instant::now();
    signal("INT", &[child.id()]);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(
        urged.elapsed() < Duration::from_secs(10),
        "it took {:?}",
        urged.elapsed()
    );
}

/// Two runners cannot write to one match log.
#[test]
fn a_journal_is_one_runners_alone() {
    let scratch = Scratch::new("lock");
    let command = format!(
        "{RESUMED_MATCH}|--games|100000|--out|{}",
        scratch.0.display()
    );
    let mut child = spawn_match(&command);
    let begun = Instant::now();
    while !scratch.0.join("match.jsonl").exists() && begun.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(50));
    // "Try again", as batch systems know it.
    let message = match_error(&command, 75);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert!(
        message.contains("another match is being played there"),
        "{message}"
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
    let path = scratch.0.join("match.jsonl");
    let begun = Instant::now();
    while fs::read_to_string(&path).map_or(0, |text| text.lines().count()) < 12 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "no games are played"
        );
        thread::sleep(Duration::from_millis(5));
    }
    signal("INT", &[child.id()]);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("the same command goes on from there"),
        "{said}"
    );
    let played = read_match_log(&scratch.0).len();
    assert!(played >= 11, "{played}");
    assert!(
        String::from_utf8_lossy(&output.stdout).starts_with(&format!("kalah:4x3, {played} games"))
    );
}

/// With `--attended` a match ends when its input closes, as it does when the process that started it dies.
#[test]
fn an_attended_match_ends_with_its_input() {
    let mut child = Command::new(engine_path())
        .args(match_arguments(&format!(
            "{RESUMED_MATCH}|--games|100000|--attended"
        )))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("it can be asked").is_none());
    drop(child.stdin.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
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
    let other = match_error(&format!("{command}|--only|13"), 2);
    assert!(
        other.contains("--only 13: expected a game from 1 to 12"),
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
    let kept = read_match_log(&scratch.0);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0]["game"], 4);
    assert!(scratch.0.join("games.csv").exists());
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
    assert!(other.contains("another match was played there"), "{other}");
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
    assert_eq!(read_match_log(&out).len(), 6);
    let path = out.join("match.jsonl");
    let text = fs::read_to_string(&path).expect("there is a journal");
    let heading: serde_json::Value =
        serde_json::from_str(text.lines().next().expect("there is a heading")).expect("an object");
    let signature = heading["engines"][0]["build"]["signature"].to_string();
    fs::write(&path, text.replacen(&signature, "\"0123456789abcdef\"", 1))
        .expect("it can be written");
    let other = match_error(&command(2), 2);
    assert!(
        other.contains("another match was played there: its engine uct is")
            && other.contains("0123456789abcdef"),
        "{other}"
    );
}

/// Without file locks a match is played, with one warning.
#[cfg(target_os = "linux")]
#[test]
fn a_match_is_played_where_files_cannot_be_locked() {
    let strace = |arguments: &[&str]| {
        let mut command = Command::new("strace");
        command
            .args(["-f", "-qq", "-o", "/dev/null"])
            .args(arguments);
        command
    };
    let probe = strace(&["true"]).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|status| status.success()) {
        return untested("there is no strace");
    }
    for fault in ["ENOLCK", "ENOSYS", "EOPNOTSUPP"] {
        let scratch = Scratch::new(&format!("unlocked-{fault}"));
        let inject = format!("inject=flock:error={fault}");
        let output = strace(&["-e", "trace=flock", "-e", &inject, engine_path()])
            .args(match_arguments(&format!(
                "--game|connect-four|--engine|search=random|--engine|search=random|--games|2|--out|{}",
                scratch.0.display()
            )))
            .output()
            .expect("strace starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{fault}: {said}");
        assert_eq!(
            said.matches("files cannot be locked there").count(),
            1,
            "{said}"
        );
        assert_eq!(read_match_log(&scratch.0).len(), 2);
    }
}

/// Records are written for every game, in the formats of their readers.
#[test]
fn records_are_written_for_every_game() {
    for (game, file, wanted) in [
        ("chess", "games.pgn", "[White \"uct\"]"),
        (
            "othello",
            "games.ggf",
            "(;GM[Othello]PC[Canopy match]PB[uct]PW[random]RE[",
        ),
        ("connect-four", "games.txt", "win "),
        ("delta", "games.txt", "win "),
        ("kalah", "games.txt", "win "),
    ] {
        let scratch = Scratch::new(&format!("records-{game}"));
        match_report(&format!(
            "--game|{game}|--engine|search=uct,playout_limit=10|--engine|name=random search=random|--games|4|--go|nodes 30|--max-plies|60|--out|{}",
            scratch.0.display()
        ).replace("search=uct,", "name=uct search=uct,"));
        let text = fs::read_to_string(scratch.0.join(file)).expect("there are records");
        assert!(text.contains(wanted), "{game}: {text}");
        let mut reader =
            csv::Reader::from_path(scratch.0.join("games.csv")).expect("there is a table");
        let header = reader.headers().expect("it has a header").clone();
        // Report 001's columns, in its order.
        let joined = header.iter().collect::<Vec<_>>().join(",");
        assert!(
            joined.contains("player1,color1,result1,player2,color2,result2"),
            "{joined}"
        );
        let rows: Vec<csv::StringRecord> = reader
            .records()
            .map(|row| row.expect("a sound row"))
            .collect();
        assert_eq!(rows.len(), 4, "{game}");
        let at = |row: &csv::StringRecord, name: &str| -> String {
            let index = header
                .iter()
                .position(|column| column == name)
                .expect("the column is there");
            row[index].to_owned()
        };
        for (row, number) in rows.iter().zip(1..) {
            assert_eq!(at(row, "game"), number.to_string());
            let names = [at(row, "player1"), at(row, "player2")];
            let expected = if number % 2 == 1 {
                ["uct", "random"]
            } else {
                ["random", "uct"]
            };
            assert_eq!(names, expected, "{game}");
            let moves: u32 = at(row, "moves").parse().expect("a number");
            let sides =
                ["moves1", "moves2"].map(|name| at(row, name).parse::<u32>().expect("a number"));
            assert_eq!(moves, sides[0] + sides[1], "{game}");
            assert_eq!(at(row, "record").split_whitespace().count(), moves as usize);
            let nodes =
                ["nodes1", "nodes2"].map(|name| at(row, name).parse::<u64>().expect("a number"));
            let uct = usize::from(number % 2 == 0);
            assert_eq!(nodes[uct], u64::from(sides[uct]) * 30, "{game}");
        }
    }
}

/// Our engine plays through every dialect, and a match between dialects is even.
#[test]
fn our_engine_plays_through_every_dialect() {
    let own = |game: &str, dialect: &str| {
        format!(
            "name={dialect} dialect={dialect} option.Search=uct {} --game {game}",
            engine_path()
        )
    };
    for (game, dialect) in [
        ("connect-four", "uci"),
        ("connect-four", "gtp"),
        ("othello", "uci"),
        ("othello", "gtp"),
        ("chess", "uci"),
        ("chess", "gtp"),
        ("chess:960", "uci"),
        ("kalah:4x3", "uci"),
        ("kalah:4x3", "gtp"),
        ("delta:forced", "uci"),
        ("delta:forced", "gtp"),
        ("tic-tac-toe", "uci"),
        ("tic-tac-toe", "gtp"),
    ] {
        let scratch = Scratch::new(&format!("dialect-{}-{dialect}", game.replace(':', "-")));
        match_report(&format!(
            "--game|{game}|--engine|{}|--engine|{}|--games|2|--plies|4|--go|nodes 12|--max-plies|80|--out|{}",
            own(game, "ugi"),
            own(game, dialect),
            scratch.0.display()
        ));
        for played in read_match_log(&scratch.0) {
            let ending = played["ending"].as_str().expect("an ending is text");
            assert!(
                ["rules", "too-long"].contains(&ending),
                "{game} over {dialect}: {played}"
            );
            assert_eq!(
                played["remarks"],
                serde_json::Value::Null,
                "{game} over {dialect}: {played}"
            );
        }
    }
}

/// Third-party engines play ours over UCI without complaints from either side.
#[test]
fn chess_programs_of_others_are_opponents() {
    for (name, command) in [("stockfish", "stockfish"), ("gnuchess", "gnuchess --uci")] {
        let path = std::env::var_os("PATH").unwrap_or_default();
        // Debian puts games where not everybody looks for programs.
        let mut places = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
        let Some(place) = places.find(|place| place.join(name).is_file()) else {
            untested(&format!("there is no {name}"));
            continue;
        };
        let command = place.join(command).display().to_string();
        let scratch = Scratch::new(&format!("against-{name}"));
        let text = match_report(&format!(
            "--game|chess|--engine|name=ours search=uct,playout_limit=10|--engine|name=other dialect=uci go='depth 1' {command}|--games|4|--plies|2|--go|nodes 60|--max-plies|120|--out|{}",
            scratch.0.display()
        ));
        let played = read_match_log(&scratch.0);
        assert_eq!(played.len(), 4);
        for game in played {
            let ending = game["ending"].as_str().expect("an ending is text");
            assert!(["rules", "too-long"].contains(&ending), "{name}: {game}");
            assert_eq!(game["remarks"], serde_json::Value::Null, "{name}: {game}");
            let depths = game["depths"].as_array().expect("depths are kept");
            assert!(depths.iter().any(|depth| depth == 1), "{name}: {game}");
        }
        assert!(text.contains("faults\n"), "{text}");
        let pgn = fs::read_to_string(scratch.0.join("games.pgn")).expect("there are games");
        assert_eq!(pgn.matches("[White \"other\"]").count(), 2, "{pgn}");
    }
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
        for played in read_match_log(&scratch.0) {
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
    for game in read_match_log(&scratch.0) {
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
    for game in read_match_log(&scratch.0) {
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

/// Control and bidirectional characters in names and last words are escaped.
#[test]
fn reports_deceive_no_eye() {
    let scratch = Scratch::new("escape");
    let name = "name='a\u{1b}[31mb\u{202e}c' search=random";
    let text = match_report(&format!(
        "--game|connect-four|--engine|{name}|--engine|{}|--games|1|--go|nodes 1|{SHORT_TIMEOUTS}|--out|{}",
        rogue_engine("crash"),
        scratch.0.display()
    ));
    let kept = fs::read_to_string(scratch.0.join("report.txt")).expect("there is a report");
    for text in [text, kept] {
        assert!(text.contains("a\\u{1b}[31mb\\u{202e}c"), "{text:?}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}

/// Each opening is played by both sides, in order.
#[test]
fn openings_are_played_twice_each() {
    let scratch = Scratch::new("book");
    let path = scratch.0.join("list");
    fs::write(
        &path,
        "44\nstartpos moves 1 2 3\n......./......./......./......./......./...X... O\n",
    )
    .expect("a file can be written");
    match_report(&format!(
        "--game|connect-four|--engine|search=uct|--engine|search=lgr1|--games|6|--go|nodes 20|--openings|{}|--out|{}",
        path.display(),
        scratch.0.display()
    ));
    let mut played = read_match_log(&scratch.0);
    played.sort_by_key(|game| game["game"].as_u64());
    let begins = |index: usize, text: &str| {
        played[index]["moves"]
            .as_str()
            .is_some_and(|moves| moves.starts_with(text))
    };
    assert!(begins(0, "4 4 ") && begins(1, "4 4 ") && begins(2, "1 2 3 ") && begins(3, "1 2 3 "));
    assert_eq!(
        played[4]["start"],
        "......./......./......./......./......./...X... O"
    );
    assert_eq!(
        played[4]["movers"]
            .as_str()
            .and_then(|movers| movers.chars().next()),
        Some('2')
    );
    assert_eq!(played[0]["players"], serde_json::json!([0, 1]));
    assert_eq!(played[1]["players"], serde_json::json!([1, 0]));
}

/// Repeated games are counted and warned of.
#[test]
fn games_that_repeat_themselves_are_told() {
    let text = match_report(
        "--game|connect-four|--engine|search=alpha-beta,depth=2|--engine|search=alpha-beta,depth=1|--games|10|--go|depth 2",
    );
    assert!(
        text.contains("2 of 10 games are different\nwarning: "),
        "{text}"
    );
    for word in ["inf", "NaN", "nan"] {
        assert!(
            !text.split_whitespace().any(|found| found == word),
            "{text}"
        );
    }
}

/// A match leaves what a viewer follows: match.json after every move, and a directory of trees for each game.
#[test]
fn a_match_can_be_followed() {
    let scratch = Scratch::new("followed");
    match_report(&format!(
        "--game|connect-four|--engine|search=uct|--engine|search=lgr1|--games|2|--go|nodes 50|--trees|{}",
        scratch.0.display()
    ));
    let text = fs::read_to_string(scratch.0.join("match.json")).expect("there is a match.json");
    let meta = canopy_engine::tree::meta::read_match(text.as_bytes()).expect("it is sound");
    assert_eq!(
        (meta.number, meta.games, meta.game.as_str()),
        (2, 2, "connect-four")
    );
    assert_eq!(meta.players, ["lgr1", "uct"]);
    assert_eq!(meta.score.names, ["uct", "lgr1"]);
    assert_eq!(meta.score.won.iter().sum::<u64>() + meta.score.drawn, 2);
    assert!(meta.result.is_some() && meta.reason.is_some() && meta.over);
    assert_eq!(meta.directory.as_deref(), Some("game-0002"));
    let trees = fs::read_dir(scratch.0.join("game-0002")).expect("there are trees");
    let trees = trees
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|name| name == "tree"));
    assert_eq!(trees.count(), meta.moves.len());
}
