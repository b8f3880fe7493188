//! An experiment in shards: split, killed, repeated, joined, and always the same experiment.

use canopy_engine::runs::plan::Plan;

use super::*;

/// Runs all shards until they are complete. Every third attempt is killed when it has done some trials, and some shards are
/// attempted twice at the same time.
fn run_in_shards(file: &ExperimentFile, out: &Path, count: u32) {
    let mut random = canopy_engine::rng::Rng::new(count.into());
    for number in 1..=count {
        let shard = format!("{number}/{count}");
        let flags = ["--shard", &shard];
        if number % 3 == 1 {
            let mut child = file.start(out, &flags);
            let wanted = result_count(out) + random.below(3) as usize;
            wait_until("some trials are done", || {
                result_count(out) >= wanted || child.try_wait().expect("it can be asked").is_some()
            });
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
        }
        let second = (number % 4 == 2).then(|| file.start(out, &flags));
        let said = file.run(out, &[&flags[..], &["--concurrency", "2"]].concat());
        assert!(said.starts_with(&format!("shard {shard}: ")), "{said}");
        if let Some(second) = second {
            assert!(second.wait_with_output().expect("it ends").status.success());
        }
    }
}

/// Names the first file that differs, as pages are too long to be shown.
fn assert_same_files(
    files: &BTreeMap<String, String>,
    expected: &BTreeMap<String, String>,
    what: &str,
) {
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(files), names(expected), "{what}");
    for (name, text) in expected {
        assert!(files[name] == *text, "{what}: {name} differs");
    }
}

#[test]
fn any_number_of_shards_gives_the_same_files() {
    let file = ExperimentFile::new("shards", SMALL);
    let whole = file.beside("whole");
    let table = file.run(&whole, &[]);
    assert!(
        table.contains("uct") && table.contains("H1: UCT beats chance."),
        "{table}"
    );
    let expected = timeless_files(&whole);
    assert!(expected.contains_key("games.csv") && expected.contains_key("report.html"));
    assert!(expected.len() >= 6, "{:?}", expected.keys());
    for count in [2, 3, 8] {
        let split = file.beside(&format!("split-{count}"));
        run_in_shards(&file, &split, count);
        assert_same_files(
            &timeless_files(&split),
            &expected,
            &format!("{count} shards"),
        );
        let merged = file.beside(&format!("merged-{count}"));
        let arguments = ["merge", text(&split), "--out", text(&merged), "--no-times"];
        success(&mut engine(&arguments));
        assert_same_files(
            &timeless_files(&merged),
            &expected,
            &format!("{count} merged"),
        );
    }
}

#[test]
fn missing_shards_are_named_and_a_part_can_be_reported() {
    let file = ExperimentFile::new("missing", SMALL);
    let out = file.beside("run");
    file.run(&out, &["--shard", "1/3"]);
    let (missing, _) = success(&mut engine(&["status", text(&out), "--missing"]));
    assert_eq!(missing, "2-3\n");
    let said = failure(&mut engine(&["report", text(&out)]), 1);
    assert!(
        said.contains("12 of 18 rows are missing, of shards 2-3 of 3"),
        "{said}"
    );
    let table = report(&out, &["--partial"]);
    assert!(
        table.contains("\nPARTIAL: 6 of 18 games, missing: shards 2-3 of 3\n"),
        "{table}"
    );
    // The whole goes on after what the shard has done.
    let (_, said) = success(&mut engine(&file.arguments(&out, &[])));
    assert!(said.contains("going on after 6 games"), "{said}");
    report(&out, &[]);
}

#[test]
fn a_run_that_is_told_to_stop_keeps_its_trials_and_goes_on() {
    let slow = SMALL.replace("iterations = 100", "iterations = 30000");
    let file = ExperimentFile::new("stopped", &slow);
    let out = file.beside("run");
    let child = file.start(&out, &[]);
    wait_until("a trial is done", || result_count(&out) >= 1);
    stop_resumable(child, "TERM");
    let kept = result_count(&out);
    let (_, said) = success(&mut engine(&file.arguments(&out, &["--shard", "1/9"])));
    assert!(!said.contains("error"), "{said}");
    assert!(kept >= 1 && result_count(&out) >= kept);
}

/// A trial that could not be done three times is left out until it is asked for.
#[test]
fn a_trial_that_is_void_three_times_is_left_out_and_named() {
    let file = ExperimentFile::new("void", SMALL);
    let out = file.beside("run");
    file.run(&out, &["--only", "1"]);
    let part = part_files(&out).remove(0);
    let void = "{\"trial\":4,\"time\":1,\"void\":\"no memory\"}\n";
    fs::write(&part, read(&part) + &void.repeat(3)).expect("it can be written");
    let said = file.fail(&out, &[], 1);
    assert!(
        said.contains("1 of 18 games could not be done; number 4 was void 3 times: no memory; it is left out; --only 4 tries it again"),
        "{said}"
    );
    assert_eq!(result_count(&out), 17);
    let (table, _) = success(&mut engine(&["status", text(&out)]));
    assert!(
        table.contains("row 4 was void 3 times: no memory"),
        "{table}"
    );
    failure(&mut engine(&["report", text(&out)]), 1);
    let said = file.run(&out, &["--only", "4"]);
    assert!(
        said.starts_with("numbers 4: 1 of 1 games, 1 of them done now"),
        "{said}"
    );
    assert!(report(&out, &[]).starts_with("Experiment small: "));
}

#[test]
fn a_sequential_test_of_an_experiment_is_refused() {
    let file = ExperimentFile::new("sprt", SMALL);
    let out = file.beside("run");
    file.run(&out, &["--games", "2"]);
    let sprt = ["report", text(&out), "--sprt", "elo0=0,elo1=5"];
    let said = failure(&mut engine(&sprt), 2);
    assert!(
        said.contains("--sprt on an experiment: expected a match of two engines"),
        "{said}"
    );
}

/// Makes a directory look as if the search of its first player had another signature when it was run.
fn age(out: &Path) {
    let path = out.join("plan.json");
    let plan: Plan = serde_json::from_str(&read(&path)).expect("a plan");
    let mut content = plan.content.clone();
    content["players"][0]["signature"] = "0123456789abcdef".into();
    let old = Plan::new(plan.kind, plan.trials, content).with_units(plan.units);
    let old = Plan {
        repeatable: plan.repeatable,
        time_fields: plan.time_fields.clone(),
        ..old
    };
    fs::write(&path, serde_json::to_string(&old).expect("JSON")).expect("it can be written");
    for part in part_files(out) {
        let new = read(&part).replace(&plan.digest, &old.digest);
        fs::write(&part, new).expect("it can be written");
    }
}

#[test]
fn a_report_on_searches_that_have_changed_says_stale() {
    let file = ExperimentFile::new("stale", SMALL);
    let out = file.beside("run");
    let fresh = file.run(&out, &["--games", "2"]);
    assert!(!fresh.contains("STALE"), "{fresh}");
    age(&out);
    let stale = report(&out, &[]);
    assert!(
        stale.contains(
            "STALE: changed since the trials were done: uct. Run it again in a new directory."
        ),
        "{stale}"
    );
    assert!(read(out.join("report.md")).contains("**Stale.**"));
    let (table, _) = success(&mut engine(&["report", "--summary", text(&out)]));
    assert!(table.contains("| stale: uct |"), "{table}");
    // It cannot be gone on with: its trials would be of two programs.
    let said = file.fail(&out, &["--games", "4"], 2);
    assert!(said.contains("another experiment was run there"), "{said}");
}

#[test]
fn progress_that_nobody_watches_leaves_short_runs_silent() {
    let file = ExperimentFile::new("silent", SMALL);
    let (_, said) = success(&mut engine(
        &file.arguments(&file.beside("run"), &["--games", "2"]),
    ));
    assert_eq!(said, "");
}
