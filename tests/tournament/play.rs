//! Tournaments played in the terminal: results, early ends, run directories and shards.

use super::*;

/// Three quick players at a small game; series of the first two, the first and third, and the last two.
fn small_tournament(repetitions: u64) -> Value {
    json!({
        "game": "kalah:3x2",
        "game_type": "tournament",
        "game_repetitions": repetitions,
        "seed": 666,
        "show_visualisation": false,
        "players": [
            {"search": "uct,iterations=30", "name": "uct"},
            {"player_type": "random"},
            {"search": "alpha-beta,depth=3", "name": "deep"},
        ],
    })
}

/// The rows of a six-column file after its header.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("player1,color1,result1,player2,color2,result2")
    );
    lines
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

/// The points of the first player of a row.
fn points(row: &[String]) -> f64 {
    let [own, other] = [2, 5].map(|column| row[column].parse::<f64>().expect("a number"));
    match own.total_cmp(&other) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 1.0,
    }
}

#[test]
fn report_001s_players_play_series_with_a_file_of_six_columns() {
    let scratch = Scratch::new("tournament-001-output");
    let results = scratch.0.join("results.csv");
    fs::write(&results, "old").expect("a file can be written");
    let file = ConfigFile::new(
        "001",
        &json!({
            "game_type": "tournament",
            "seed": 666,
            "heuristic_simulation_depth": 2,
            "mcts_simulation_count": 10,
            "show_visualisation": false,
            "output_file": results,
            "players": [
                {"player_type": "mcts_uct"},
                {"player_type": "mcts_grouping"},
                {"player_type": "simple_heuristic"},
                {"player_type": "heuristic"},
            ],
        }),
    );
    let table = file.play(&[]);
    assert!(
        table.starts_with("tournament of 6 series, best of three\n"),
        "{table}"
    );
    let rows = rows(&read(&results));
    assert!((12..=18).contains(&rows.len()), "{rows:?}");
    assert_eq!(
        rows[0][..2],
        ["MCTSPlayer-UCT", "black"],
        "the player listed first begins"
    );
    assert_eq!(rows[0][3..5], ["MCTSPlayer-UCT_GROUPING", "white"]);
    assert_eq!(
        (&*rows[1][1], &*rows[1][4]),
        ("white", "black"),
        "sides are swapped in game 2"
    );
    for row in &rows {
        let discs: u32 = [2, 5]
            .map(|column| row[column].parse::<u32>().expect("discs"))
            .iter()
            .sum();
        assert!((4..=64).contains(&discs), "{row:?}");
    }
}

/// A series has a third game exactly if nobody has two points after two.
#[test]
fn a_series_ends_as_soon_as_a_player_has_two_points() {
    let file = ConfigFile::new("early", &small_tournament(8));
    let out = file.beside("run");
    file.play(&["--out", &out]);
    let rows = rows(&read(Path::new(&out).join("results.csv")));
    let mut lengths = [0; 4];
    let mut rest = rows.as_slice();
    for _ in 0..24 {
        let sum = points(&rest[0]) + points(&rest[1]);
        let length = if sum == 0.0 || sum == 2.0 { 2 } else { 3 };
        assert!(
            rest[..length]
                .iter()
                .all(|row| row[0] == rest[0][0] && row[3] == rest[0][3])
        );
        lengths[length] += 1;
        rest = &rest[length..];
    }
    assert!(rest.is_empty(), "24 series and no more");
    assert!(lengths[2] > 0 && lengths[3] > 0, "{lengths:?}");
}

#[test]
fn a_match_is_one_game_for_each_repetition() {
    let file = ConfigFile::new(
        "match",
        &json!({
            "game": "connect-four",
            "game_type": "match",
            "game_repetitions": 3,
            "seed": 1,
            "show_visualisation": false,
            "players": [
                {"search": "uct,iterations=20", "name": "uct", "player_color": "white"},
                {"player_type": "random", "player_color": "black"},
            ],
        }),
    );
    let out = file.beside("run");
    let table = file.play(&["--out", &out]);
    assert!(
        table.starts_with("tournament of 3 series, single games\n"),
        "{table}"
    );
    let rows = rows(&read(Path::new(&out).join("results.csv")));
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert_eq!(
            [&*row[0], &*row[1], &*row[3], &*row[4]],
            ["uct", "o", "RandomPlayer", "x"]
        );
        let results = [&*row[2], &*row[5]];
        assert!(
            [["1", "0"], ["0", "1"], ["0.5", "0.5"]].contains(&results),
            "{row:?}"
        );
    }
}

/// Everything that is written from the results, without times.
fn timeless_files(directory: &str) -> Vec<String> {
    success(&mut engine(&["report", directory, "--no-times"]));
    ["results.csv", "games.csv", "report.txt", "games.txt"]
        .map(|name| read(Path::new(directory).join(name)))
        .to_vec()
}

#[test]
fn shards_killed_and_repeated_give_the_same_files() {
    let file = ConfigFile::new("shards", &small_tournament(4));
    let whole = file.beside("whole");
    file.play(&["--out", &whole]);
    let expected = timeless_files(&whole);
    let split = file.beside("split");
    for shard in ["3/3", "1/3", "1/3", "2/3"] {
        let arguments = ["tournament", file.path(), "--out", &split, "--shard", shard];
        let mut killed = engine(&arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        killed.kill().expect("it can be killed");
        killed.wait().expect("it ends");
        let (stdout, _) = success(&mut engine(&arguments));
        assert!(stdout.starts_with(&format!("shard {shard}: ")), "{stdout}");
    }
    assert_eq!(timeless_files(&split), expected);
    let both = file.beside("concurrent");
    file.play(&["--out", &both, "--concurrency", "2"]);
    assert_eq!(timeless_files(&both), expected);
}

#[test]
fn status_merge_and_report_work_on_tournaments() {
    let file = ConfigFile::new("merge", &small_tournament(2));
    let [one, other, joint] = ["one", "other", "joint"].map(|name| file.beside(name));
    file.play(&["--out", &one, "--shard", "1/2"]);
    let (status, _) = success(&mut engine(&["status", &one]));
    assert!(
        status.starts_with("tournament: 3 of 6 series (50.0 %)\n"),
        "{status}"
    );
    let (missing, _) = success(&mut engine(&["status", &one, "--missing"]));
    assert_eq!(missing, "2\n");
    let stderr = failure(&mut engine(&["report", &one]), 1);
    assert!(stderr.contains("3 of 6 series are missing"), "{stderr}");
    let (partial, _) = success(&mut engine(&["report", &one, "--partial"]));
    assert!(partial.starts_with("PARTIAL: 3 of 6 series\n"), "{partial}");
    file.play(&["--out", &other, "--shard", "2/2"]);
    let (merged, _) = success(&mut engine(&["merge", &one, &other, "--out", &joint]));
    assert!(
        merged.starts_with("tournament of 6 series, best of three\n"),
        "{merged}"
    );
    let whole = file.beside("whole");
    file.play(&["--out", &whole]);
    assert_eq!(timeless_files(&joint), timeless_files(&whole));
    let stderr = failure(&mut engine(&["report", &joint, "--sprt", "elo0=0"]), 2);
    assert!(stderr.contains("--sprt on a tournament"), "{stderr}");
}

#[test]
fn a_file_without_a_seed_goes_on_with_the_seed_of_its_directory() {
    let mut config = small_tournament(1);
    config.as_object_mut().expect("an object").remove("seed");
    let file = ConfigFile::new("no-seed", &config);
    let out = file.beside("run");
    file.play(&["--out", &out, "--shard", "1/2"]);
    file.play(&["--out", &out, "--shard", "2/2"]);
    let plan: Value = serde_json::from_str(&read(Path::new(&out).join("plan.json"))).expect("JSON");
    assert_eq!(plan["kind"], "tournament");
    assert!(
        plan["content"]["seed"]
            .as_u64()
            .is_some_and(|seed| seed > 0),
        "{plan}"
    );
    assert_eq!(plan["repeatable"], true);
    let other = file.beside("other");
    file.play(&["--out", &other]);
    let second: Value =
        serde_json::from_str(&read(Path::new(&other).join("plan.json"))).expect("JSON");
    assert_ne!(
        plan["content"]["seed"], second["content"]["seed"],
        "every run is another one"
    );
}

#[test]
fn another_tournament_in_the_directory_is_refused() {
    let file = ConfigFile::new("other", &small_tournament(1));
    let out = file.beside("run");
    file.play(&["--out", &out]);
    let mut config = small_tournament(1);
    config["seed"] = 667.into();
    let changed = ConfigFile::new("other-seed", &config);
    let stderr = failure(
        &mut engine(&["tournament", changed.path(), "--out", &out]),
        2,
    );
    assert!(
        stderr.contains("another tournament was run there: its seed is 666, now 667"),
        "{stderr}"
    );
    let mut config = small_tournament(2);
    config["players"][0]["name"] = "uct".into();
    let longer = ConfigFile::new("longer", &config);
    let (_, stderr) = success(&mut engine(&["tournament", longer.path(), "--out", &out]));
    assert!(
        stderr.contains("3 of 6 series are there already"),
        "more repetitions go on: {stderr}"
    );
}

#[test]
fn an_output_file_that_cannot_be_written_is_told_before_the_first_game() {
    let mut config = small_tournament(1);
    config["output_file"] = "/nonexistent/results.csv".into();
    let file = ConfigFile::new("unwritable", &config);
    let stderr = failure(&mut engine(&["tournament", file.path()]), 2);
    assert!(
        stderr.contains("output_file: /nonexistent/results.csv: No such file"),
        "{stderr}"
    );
}
