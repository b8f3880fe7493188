//! `solve`, `suite` and `judge`.

use super::*;

/// Output of a command that ends with this exit code.
fn output_with_code(arguments: &[&str], code: i32) -> (String, String) {
    let output = run_engine(arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{stdout}{stderr}");
    (stdout, stderr)
}

/// Three discs of X in column 1: X wins at once, and loses elsewhere, for O has three in column 7.
const THREE_EACH: &str = "1 7 1 7 1 7";

#[test]
fn a_position_is_solved_with_its_moves_and_a_line() {
    let page = engine_stdout(&[
        "solve",
        "--game",
        "connect-four",
        "--moves",
        THREE_EACH,
        "--cache",
        "none",
    ]);
    assert!(
        page.contains("X to move: X wins in 1 ply, score +18\n"),
        "{page}"
    );
    assert!(
        page.contains("\n  1  X wins in 1 ply, score +18\n"),
        "{page}"
    );
    assert!(
        page.contains("\n  2  O wins in 2 plies, score -18\n"),
        "{page}"
    );
    assert!(page.contains("\nbest line: 1\n"), "{page}");
}

#[test]
fn json_has_an_object_a_line() {
    let scratch = Scratch::new("solve-json");
    let list = scratch.0.join("positions.txt");
    std::fs::write(
        &list,
        "# two games\nconnect-four\tstartpos\t1 7 1 7 1 7\tvalue=win:18\nkalah:2x2\tstartpos\n",
    )
    .expect("a file can be written");
    let list = list.to_str().expect("a path in UTF-8");
    let text = engine_stdout(&[
        "solve", "--file", list, "--all", "--json", "--cache", "none",
    ]);
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is an object"))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["value"]["class"], "win");
    assert_eq!(lines[0]["value"]["score"], 18);
    assert_eq!(lines[0]["moves"].as_array().map(Vec::len), Some(7));
    assert_eq!(lines[0]["pv"][0], "1");
    // The published value of kalah with two pits and two stones each.
    assert_eq!(lines[1]["value"]["score"], -2);
}

#[test]
fn a_value_that_differs_from_the_file_is_a_failure() {
    let scratch = Scratch::new("solve-differs");
    let list = scratch.0.join("pons.txt");
    std::fs::write(&list, "171717 18\n171717 17\n").expect("a file can be written");
    let list = list.to_str().expect("a path in UTF-8");
    let arguments = [
        "solve",
        "--game",
        "connect-four",
        "--file",
        list,
        "--cache",
        "none",
    ];
    let (stdout, stderr) = output_with_code(&arguments, 1);
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines[0].starts_with("171717\twin:18:1\t"), "{stdout}");
    assert!(lines[1].ends_with("\texpected win:17"), "{stdout}");
    assert!(stderr.contains("1 of 2 values differ"), "{stderr}");
}

#[test]
fn what_cannot_be_solved_in_time_is_said() {
    let arguments = [
        "solve", "--game", "chess", "--time", "20", "--cache", "none",
    ];
    let (stdout, stderr) = output_with_code(&arguments, 1);
    assert!(stdout.contains("White to move: not solved\n"), "{stdout}");
    assert!(
        stderr.contains("the position could not be solved in 20 ms"),
        "{stderr}"
    );
}

/// A file stands where the directory should be: whoever runs the test, nothing can be written there.
#[test]
fn a_cache_that_was_named_and_cannot_be_written_is_an_error() {
    let scratch = Scratch::new("solve-cache");
    let file = scratch.0.join("file");
    std::fs::write(&file, "").expect("a file can be written");
    let inside = file.join("cache");
    let name = inside.to_str().expect("a path in UTF-8");
    let error = usage_error(&["solve", "--game", "connect-four", "--cache", name]);
    let expected = format!("nothing can be kept in the cache directory {name} (");
    assert!(error.contains(&expected), "{error}");
    assert!(
        error.contains("name one that can be written, auto or none"),
        "{error}"
    );
    let option = format!("CacheDir={name}");
    let error = usage_error(&["--game", "kalah", "--option", &option]);
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn a_cache_that_is_named_is_made_and_has_nothing_but_values() {
    let scratch = Scratch::new("solve-cache-made");
    let cache = scratch.0.join("new").join("cache");
    let name = cache.to_str().expect("a path in UTF-8");
    let cached = ["solve", "--game", "connect-four", "--cache", name];
    let page = engine_stdout(&[&cached[..], &["--moves", THREE_EACH]].concat());
    assert!(page.contains("X wins in 1 ply"), "{page}");
    let files = std::fs::read_dir(&cache).expect("the directory is there");
    for file in files {
        let path = file.expect("it can be read").path();
        let extension = path.extension();
        assert!(
            extension.is_some_and(|name| name == "canopy-cache"),
            "{path:?}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_list_is_said_with_its_line() {
    let scratch = Scratch::new("solve-wrong");
    let list = scratch.0.join("list.txt");
    let path = list.to_str().expect("a path in UTF-8").to_owned();
    for (text, message) in [
        (
            "chess\tstartpos\ngo\tstartpos\n",
            "line 2: unknown game \"go\"",
        ),
        (
            "connect-four\tstartpos\t9\n",
            "line 1: not a connect-four move: \"9\"",
        ),
        (
            "chess\tstartpos\tvalue=good\n",
            "line 1: value=\"good\": not a value",
        ),
        ("# nothing\n", "has no positions"),
    ] {
        std::fs::write(&list, text).expect("a file can be written");
        let error = usage_error(&["solve", "--file", &path, "--cache", "none"]);
        assert!(error.contains(message), "{error}");
    }
    let error = usage_error(&["solve", "--file", "/nowhere/at-all", "--cache", "none"]);
    assert!(error.contains("cannot read /nowhere/at-all"), "{error}");
}

#[test]
fn slow_values_are_kept_in_the_cache() {
    let scratch = Scratch::new("solve-cache");
    let cache = scratch.0.join("cache");
    let cache_text = cache.to_str().expect("a path in UTF-8");
    let solve = || {
        engine_stdout(&[
            "solve",
            "--game",
            "connect-four",
            "--moves",
            "4 4 4 4 4 2 1 1 2 3 3 5 7",
            "--json",
            "--cache",
            cache_text,
        ])
    };
    let nodes = |text: &str| {
        let answer: serde_json::Value = serde_json::from_str(text).expect("an object");
        answer["nodes"].as_u64().expect("a count")
    };
    let (first, second) = (solve(), solve());
    let stored = std::fs::read_dir(&cache).map_or(0, Iterator::count);
    // A fast machine may have nothing worth storing.
    if stored > 0 {
        assert!(nodes(&second) < nodes(&first), "{first}{second}");
    }
    let value = |text: &str| {
        let answer: serde_json::Value = serde_json::from_str(text).expect("an object");
        answer["moves"].clone()
    };
    assert_eq!(value(&first), value(&second));
}

#[test]
fn searches_are_judged_by_positions_of_a_suite() {
    let scratch = Scratch::new("judge");
    let arguments = [
        "suite",
        "--game",
        "tic-tac-toe",
        "--count",
        "5",
        "--plies",
        "2-5",
    ];
    // All positions of tic-tac-toe are easy: there are not five levels of them.
    let (list, _) = output_with_code(&arguments, 1);
    let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(!lines.is_empty(), "{list}");
    assert!(lines.iter().all(|line| line.contains("\tvalue=")), "{list}");
    let path = scratch.0.join("suite.txt");
    std::fs::write(&path, &list).expect("a file can be written");
    let path = path.to_str().expect("a path in UTF-8");
    let judge = |search: &str| {
        let text = engine_stdout(&[
            "judge",
            "--game",
            "tic-tac-toe",
            "--search",
            search,
            "--iterations",
            "2000",
            "--seeds",
            "2",
            "--json",
            path,
        ]);
        serde_json::from_str::<serde_json::Value>(text.trim()).expect("one object")
    };
    let exact = judge("exact");
    assert_eq!(
        (&exact["kept_rate"], &exact["points_lost"]),
        (&1.0.into(), &0.0.into())
    );
    assert_eq!(exact["trials"].as_u64(), Some(2 * lines.len() as u64));
    let random = judge("random");
    let rate = random["kept_rate"].as_f64().expect("a rate");
    assert!(rate <= 1.0, "{random}");
    let table = engine_stdout(&[
        "judge",
        "--game",
        "tic-tac-toe",
        "--search",
        "uct",
        "--iterations",
        "100,1000",
        "--details",
        path,
    ]);
    assert_eq!(
        table.lines().count(),
        2 + 2 * (lines.len() + 1) + 1,
        "{table}"
    );
}

#[test]
fn a_win_at_delta_is_written_as_a_certificate() {
    let scratch = Scratch::new("certificate");
    let path = scratch.0.join("win.txt");
    let file = path.to_str().expect("a path in UTF-8");
    let base = ["solve", "--game"];
    let said = engine_stdout(&[&base[..], &["delta:off", "--certificate", file]].concat());
    assert!(said.starts_with("Black wins (proven): "), "{said}");
    let count: usize = said
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .next()
        .expect("a count");
    let text = std::fs::read_to_string(&path).expect("it is written");
    assert!(count > 1000 && text.lines().count() > count, "{said}");
    std::fs::remove_file(&path).expect("it can be removed");
    let error = usage_error(&[&base[..], &["chess", "--certificate", file]].concat());
    assert!(
        error.contains("the solver of chess writes no certificates"),
        "{error}"
    );
    let missing = "/nowhere/at-all/win.txt";
    let arguments = [&base[..], &["delta:off", "--certificate", missing]].concat();
    let (_, error) = output_with_code(&arguments, 1);
    assert!(
        error.contains("cannot write /nowhere/at-all/win.txt"),
        "{error}"
    );
}
