//! The processes of a match: crashes, signals and children leave nothing behind.

use super::*;

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
    let mut engines = Vec::new();
    wait_until("two engines are started", || {
        engines = child_pids(runner);
        engines.len() == 2
    });
    engines
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
        for game in read_games(&scratch.0) {
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
        let played = read_games(&scratch.0);
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
    // between a crash and the collection of its exit status.
    assert!(
        most.0 <= 24 && most.1 <= 3,
        "{most:?} handles and processes"
    );
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        report.contains(&format!("and {} more games ended by a fault", count - 3)),
        "{report}"
    );
    assert_eq!(read_games(&scratch.0).len(), count);
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

/// A second Ctrl-C waits for nothing, not even for an engine that does not quit.
#[test]
fn a_second_ctrl_c_ends_everything_at_once() {
    let scratch = Scratch::new("impatient");
    let child = spawn_match(&format!(
        "--game|connect-four|--engine|search=uct|--engine|{}|--games|100000|--go|nodes 5|--timeouts|quit=60|--out|{}",
        rogue_engine("deaf"),
        scratch.0.display()
    ));
    wait_for_games(&scratch.0, 1);
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

/// An engine that is ended may not have written its last trees.
#[test]
fn an_engine_that_does_not_quit_in_time_is_ended_and_the_user_is_told() {
    let scratch = Scratch::new("no-quit");
    let output = run_match(&format!(
        "--game|connect-four|--engine|search=uct|--engine|{}|--games|2|--go|nodes 5|--timeouts|quit=0.3|--trees|{}",
        rogue_engine("deaf"),
        scratch.0.display()
    ));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let expected =
        "rogue did not end within 0.3 s of quit and was ended: its last trees may be missing";
    assert!(said.contains(expected), "{said}");
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
