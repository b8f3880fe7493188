//! A match in shards: split, killed, repeated, joined, and always the same match.

use super::*;

/// The arguments of [`RESUMED_MATCH`] with so many games a pairing, in a directory.
fn sharded(games: u32, directory: &Path, more: &str) -> String {
    format!(
        "{RESUMED_MATCH}|--games|{games}|--out|{}{more}",
        directory.display()
    )
}

/// The files that are written from the games, without times.
fn timeless_files(directory: &Path) -> Vec<(&'static str, String)> {
    report(directory, &["--no-times"]);
    ["match.jsonl", "games.csv", "games.txt", "report.txt"]
        .map(|name| {
            let text = fs::read_to_string(directory.join(name)).expect("the file is written");
            (name, text)
        })
        .to_vec()
}

/// The names of the parts of a directory.
fn part_names(directory: &Path) -> BTreeSet<String> {
    let parts = fs::read_dir(directory.join("parts")).into_iter().flatten();
    parts
        .map(|part| {
            let name = part.expect("the folder can be read").file_name();
            name.to_string_lossy().into_owned()
        })
        .collect()
}

/// Standard output of a command that must succeed.
fn success(arguments: &[&str]) -> String {
    let output = run_engine(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// Standard error of a command that must fail with this exit code.
fn failure(arguments: &[&str], code: i32) -> String {
    let output = run_engine(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Plays shards until all are complete: every third attempt is killed at a random moment, and some shards are attempted twice at
/// the same time.
fn play_in_shards(count: u64, games: u32, directory: &Path) {
    let mut random = canopy_engine::rng::Rng::new(count);
    for number in 1..=count {
        let concurrency = 1 + number % 2;
        let more = format!("|--shard|{number}/{count}|--concurrency|{concurrency}");
        if number % 3 == 1 {
            let mut child = spawn_match(&sharded(games, directory, &more));
            thread::sleep(Duration::from_millis(random.below(150).into()));
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
        }
        let second = (number % 4 == 2).then(|| spawn_match(&sharded(games, directory, &more)));
        let said = match_report(&sharded(games, directory, &more));
        assert!(
            said.starts_with(&format!("shard {number}/{count}: ")),
            "{said}"
        );
        if let Some(second) = second {
            assert!(second.wait_with_output().expect("it ends").status.success());
        }
    }
}

#[test]
fn any_number_of_shards_gives_the_same_files() {
    let scratch = Scratch::new("any-shards");
    let whole = scratch.0.join("whole");
    match_report(&sharded(6, &whole, ""));
    let expected = timeless_files(&whole);
    for count in [2, 3, 8] {
        let split = scratch.0.join(format!("split-{count}"));
        play_in_shards(count, 6, &split);
        assert_eq!(timeless_files(&split), expected, "{count} shards");
        let merged = scratch.0.join(format!("merged-{count}"));
        success(&[
            "merge",
            &text(&split),
            "--out",
            &text(&merged),
            "--no-times",
        ]);
        assert_eq!(timeless_files(&merged), expected, "{count} shards merged");
    }
    let both = scratch.0.join("concurrent");
    match_report(&sharded(6, &both, "|--concurrency|2"));
    assert_eq!(timeless_files(&both), expected, "two games at a time");
}

/// A shard has both games of its openings, and all pairings.
#[test]
fn a_shard_has_whole_pairs_of_every_pairing() {
    let scratch = Scratch::new("pairs");
    match_report(&sharded(8, &scratch.0, "|--shard|1/2"));
    let games = read_games(&scratch.0);
    let mut pairs: BTreeSet<String> = BTreeSet::new();
    let mut pairings: BTreeSet<u64> = BTreeSet::new();
    for game in &games {
        let (pairing, round) = (
            game["pairing"].as_u64().expect("a number"),
            game["round"].as_u64().expect("a number"),
        );
        pairings.insert(pairing);
        pairs.insert(format!("{pairing} {}", (round - 1) / 2));
    }
    assert_eq!(games.len(), 12, "half of the games");
    assert_eq!(pairs.len(), 6, "both games of every pair: {pairs:?}");
    assert_eq!(pairings.len(), 3, "every pairing");
}

#[test]
fn a_complete_shard_plays_nothing_and_other_numbers_of_shards_go_on() {
    let scratch = Scratch::new("complete");
    match_report(&sharded(4, &scratch.0, "|--shard|2/3"));
    let before = part_names(&scratch.0);
    assert_eq!(before.len(), 1);
    let name = before.first().expect("there is a part");
    assert!(name.starts_with("2-of-3."), "{name}");
    let said = match_report(&sharded(4, &scratch.0, "|--shard|2/3"));
    assert!(said.contains("0 of them played now"), "{said}");
    assert_eq!(part_names(&scratch.0), before);
    // Another number of shards plays what is left; more games are the same match.
    match_report(&sharded(4, &scratch.0, "|--shard|1/2"));
    match_report(&sharded(4, &scratch.0, "|--shard|2/2"));
    assert_eq!(read_games(&scratch.0).len(), 12);
    match_report(&sharded(6, &scratch.0, ""));
    assert_eq!(read_games(&scratch.0).len(), 18);
}

#[test]
fn missing_shards_are_named() {
    let scratch = Scratch::new("missing");
    let (directory, merged) = (scratch.0.join("run"), scratch.0.join("merged"));
    for number in [1, 4, 8] {
        match_report(&sharded(16, &directory, &format!("|--shard|{number}/8")));
    }
    let missing = success(&["status", &text(&directory), "--missing"]);
    assert_eq!(missing, "2-3,5-7\n");
    let missing = success(&["status", &text(&directory), "--shards", "1", "--missing"]);
    assert_eq!(missing, "1\n");
    let said = failure(&["merge", &text(&directory), "--out", &text(&merged)], 1);
    assert!(
        said.contains("30 of 48 games are missing, of shards 2-3,5-7 of 8"),
        "{said}"
    );
    assert!(!merged.exists(), "nothing is merged");
    failure(&["report", &text(&directory)], 1);
    let table = report(&directory, &["--partial"]);
    assert!(table.starts_with("PARTIAL: 18 of 48 games\n"), "{table}");
    success(&[
        "merge",
        &text(&directory),
        "--out",
        &text(&merged),
        "--partial",
    ]);
    assert_eq!(read_games(&merged).len(), 18);
    // What is merged can be gone on with, and merged again.
    match_report(&sharded(16, &directory, ""));
    success(&["merge", &text(&directory), "--out", &text(&merged)]);
    assert_eq!(part_names(&merged).len(), 1);
    assert_eq!(timeless_files(&merged), timeless_files(&directory));
    assert_eq!(success(&["status", &text(&merged), "--missing"]), "\n");
}

#[test]
fn the_status_tells_how_far_every_shard_is() {
    let scratch = Scratch::new("status");
    match_report(&sharded(4, &scratch.0, "|--shard|1/2"));
    let table = success(&["status", &text(&scratch.0)]);
    assert!(
        table.starts_with("match: 6 of 12 games (50.0 %)\n"),
        "{table}"
    );
    assert!(
        table.contains("6 of 6") && table.contains("0 of 6"),
        "{table}"
    );
    assert!(table.contains("missing shards: 2\n"), "{table}");
    let json = success(&["status", &text(&scratch.0), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!((&json["kind"], &json["done"]), (&"match".into(), &6.into()));
    assert_eq!(json["shards"][0]["done"], 6);
    assert!(json["shards"][0]["age_ms"].is_number(), "{json}");
    assert_eq!(json["shards"][1]["attempts"], 0);
    failure(&["status", &text(&scratch.0.join("nothing"))], 2);
}

/// Two results of one game that differ are an error where nothing depends on time.
#[test]
fn a_disagreement_is_found() {
    let scratch = Scratch::new("disagreement");
    let [one, other] = ["one", "other"].map(|name| scratch.0.join(name));
    for directory in [&one, &other] {
        match_report(&sharded(2, directory, ""));
    }
    let merged = scratch.0.join("merged");
    success(&["merge", &text(&one), &text(&other), "--out", &text(&merged)]);
    let name = part_names(&other).first().expect("there is a part").clone();
    let path = other.join("parts").join(&name);
    let part = fs::read_to_string(&path).expect("it can be read");
    let lines: Vec<String> = (part.lines())
        .map(|line| match line.starts_with("{\"trial\":3,") {
            true => {
                let nodes = line.find("\"nodes\":[").expect("there are nodes") + 9;
                format!("{}1{}", &line[..nodes], &line[nodes..])
            }
            false => line.to_owned(),
        })
        .collect();
    fs::write(&path, lines.join("\n") + "\n").expect("it can be written");
    let merged = scratch.0.join("again");
    let said = failure(
        &["merge", &text(&one), &text(&other), "--out", &text(&merged)],
        1,
    );
    assert!(
        said.contains("game 3 has two results that differ in nodes"),
        "{said}"
    );
    for name in [part_names(&one).first().expect("a part"), &name] {
        assert!(said.contains(name.as_str()), "{said}");
    }
    // Other matches are not merged at all.
    let foreign = scratch.0.join("foreign");
    match_report(&sharded(2, &foreign, "").replace("--seed|7", "--seed|9"));
    let said = failure(
        &[
            "merge",
            &text(&one),
            &text(&foreign),
            "--out",
            &text(&merged),
        ],
        2,
    );
    assert!(said.contains("its seed is 9, now 7"), "{said}");
}

/// Where time limits moves, the earliest of several results counts, and the report says so.
#[test]
fn games_with_a_clock_may_be_played_twice() {
    let scratch = Scratch::new("twice");
    let [one, other] = ["one", "other"].map(|name| scratch.0.join(name));
    for directory in [&one, &other] {
        match_report(&format!(
            "--game|connect-four|--engine|search=uct|--engine|search=random|--games|2|--go|movetime 2|--margin|60000|--out|{}",
            directory.display()
        ));
    }
    let merged = scratch.0.join("merged");
    let table = success(&["merge", &text(&one), &text(&other), "--out", &text(&merged)]);
    assert!(
        table.contains("2 games were played more than once: the earliest counts"),
        "{table}"
    );
    let first: Vec<serde_json::Value> = read_games(&one);
    assert_eq!(read_games(&merged), first);
}

#[test]
fn a_test_that_stops_early_is_not_split() {
    let scratch = Scratch::new("sprt-shards");
    let two =
        "--game|connect-four|--engine|search=uct|--engine|search=random|--games|40|--go|nodes 100";
    let out = format!("{two}|--out|{}", scratch.0.display());
    let said = match_error(&format!("{out}|--shard|1/2|--sprt|elo0=0,elo1=200"), 2);
    assert!(said.contains("--sprt with --shard 1/2"), "{said}");
    for number in [2, 1] {
        match_report(&format!("{out}|--shard|{number}/2"));
    }
    // The merged games are judged in order.
    let judged = report(&scratch.0, &["--sprt", "elo0=0,elo1=200"]);
    let whole = match_report(&format!("{two}|--sprt|elo0=0,elo1=200"));
    assert_eq!(judged.lines().last(), whole.lines().last());
    assert!(judged.contains("H1 accepted"), "{judged}");
}

#[test]
fn wrong_shards_are_refused() {
    let scratch = Scratch::new("wrong-shards");
    for shard in ["3/2", "0/2", "1", "x"] {
        let said = match_error(&sharded(2, &scratch.0, &format!("|--shard|{shard}")), 2);
        assert!(said.contains("is no shard: expected K/N"), "{said}");
    }
    match_error(&format!("{RESUMED_MATCH}|--shard|1/2"), 2);
    assert!(!scratch.0.join("plan.json").exists());
}

/// A directory of the first release has a match.jsonl and no plan.
#[test]
fn a_directory_of_the_first_release_is_one_more_part() {
    let scratch = Scratch::new("first-release");
    let (old, whole) = (scratch.0.join("old"), scratch.0.join("whole"));
    match_report(&sharded(4, &whole, ""));
    let log = fs::read_to_string(whole.join("match.jsonl")).expect("there is a log");
    fs::create_dir(&old).expect("it can be made");
    // The first games, and the beginning of one more, in the order in which they ended.
    let mut lines: Vec<&str> = log.lines().take(6).collect();
    lines.swap(2, 4);
    let torn = &log.lines().nth(6).expect("there are more")[..50];
    fs::write(old.join("match.jsonl"), lines.join("\n") + "\n" + torn).expect("it can be written");
    let table = report(&old, &[]);
    assert!(table.starts_with("kalah:4x3, 5 games"), "{table}");
    let missing = success(&["status", &text(&old), "--missing"]);
    assert_eq!(missing, "\n", "how many games there should be is not known");
    // It is merged, and gone on with.
    let merged = scratch.0.join("merged");
    success(&["merge", &text(&whole), &text(&old), "--out", &text(&merged)]);
    assert_eq!(timeless_files(&merged), timeless_files(&whole));
    let output = run_match(&sharded(4, &old, ""));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("going on after 5 games"), "{said}");
    assert_eq!(timeless_files(&old), timeless_files(&whole));
    assert_eq!(part_names(&old).len(), 2);
}

/// The search of a player is compared with today's.
#[test]
fn a_report_of_searches_that_have_changed_says_stale() {
    let scratch = Scratch::new("stale");
    match_report(&sharded(2, &scratch.0, ""));
    let fresh = report(&scratch.0, &[]);
    assert!(
        fresh.contains("uct: canopy-engine ") && fresh.contains(", signature "),
        "{fresh}"
    );
    assert!(!fresh.contains("stale"), "{fresh}");
    let old = scratch.0.join("old");
    fs::create_dir(&old).expect("it can be made");
    let log = fs::read_to_string(scratch.0.join("match.jsonl")).expect("there is a log");
    let at = log.find("\"signature\":\"").expect("there is a signature") + 13;
    let changed = format!("{}0123456789abcdef{}", &log[..at], &log[at + 16..]);
    fs::write(old.join("match.jsonl"), changed).expect("it can be written");
    let stale = report(&old, &[]);
    assert!(
        stale.contains("stale: the search of uct has changed since: its signature is "),
        "{stale}"
    );
}

/// A game that could not be played three times is left out until it is asked for.
#[test]
fn a_game_that_is_void_three_times_is_left_out_and_named() {
    let scratch = Scratch::new("void");
    match_report(&sharded(2, &scratch.0, "|--only|1"));
    let name = part_names(&scratch.0)
        .first()
        .expect("there is a part")
        .clone();
    let path = scratch.0.join("parts").join(name);
    let part = fs::read_to_string(&path).expect("it can be read");
    let void = "{\"trial\":4,\"time\":1,\"void\":\"uct could not be started: no memory\"}\n";
    fs::write(&path, part + &void.repeat(3)).expect("it can be written");
    let said = match_error(&sharded(2, &scratch.0, ""), 1);
    assert!(
        said.contains("game 4 could not be played 3 times"),
        "{said}"
    );
    assert_eq!(read_games(&scratch.0).len(), 5);
    let table = success(&["status", &text(&scratch.0)]);
    assert!(
        table.contains("game 4 was void 3 times: uct could not be started"),
        "{table}"
    );
    failure(&["report", &text(&scratch.0)], 1);
    match_report(&sharded(2, &scratch.0, "|--only|4"));
    let table = match_report(&sharded(2, &scratch.0, ""));
    assert!(table.starts_with("kalah:4x3, 6 games"), "{table}");
}

/// Every signal of a batch system ends a shard soon, even if an engine does not quit, and keeps its games.
#[test]
fn a_shard_that_is_told_to_stop_stops_soon() {
    for name in ["TERM", "INT", "USR1"] {
        let scratch = Scratch::new(&format!("told-{name}"));
        let child = spawn_match(&format!(
            "--game|connect-four|--engine|search=uct|--engine|{}|--games|100000|--go|nodes 5|--timeouts|quit=300|--shard|2/3|--out|{}",
            rogue_engine("deaf"),
            scratch.0.display()
        ));
        wait_for_games(&scratch.0, 1);
        let told = Instant::now();
        signal(name, &[child.id()]);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{name}");
        // Without a limit of its own it would have waited five minutes for the engine.
        assert!(
            told.elapsed() < Duration::from_secs(60),
            "{name}: {:?}",
            told.elapsed()
        );
    }
}
