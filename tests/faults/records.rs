//! Records of a match on a failing disk.

use super::*;

/// The words of a match between two random players; its directory comes last.
fn random_match<'a>(games: &'a str, output: &'a str) -> [&'a str; 10] {
    let second = "search=random,seed=2";
    [
        "match",
        "--game",
        "connect-four",
        "--engine",
        "search=random",
        "--engine",
        second,
        "--games",
        games,
        output,
    ]
}

/// Standard error and exit code of a match of two games whose directory is the option `output`, while `calls` fail.
fn match_with_fault(scratch: &Scratch, calls: &str, output: &str) -> Option<(String, Option<i32>)> {
    let directory = scratch.0.join("match");
    run_with_fault(
        scratch,
        calls,
        "error=EIO",
        &random_match("2", output),
        &directory,
    )
}

#[test]
fn a_match_whose_records_cannot_be_synced_fails_with_a_sentence() {
    let scratch = Scratch::new("unsynced");
    let Some((errors, code)) = match_with_fault(&scratch, "fdatasync", "--out") else {
        return;
    };
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("Input/output error"), "{errors}");
}

/// A full disk is a reason to try again: what was kept is whole, and the same command goes on once there is room.
#[test]
fn a_match_on_a_full_disk_keeps_whole_games_and_goes_on_later() {
    let scratch = Scratch::new("full-match");
    let dir = scratch.0.display();
    let command = format!(
        "{ENGINE} match --game connect-four --engine search=random --engine search=random,seed=2 --games 200 --out {dir}/run"
    );
    let script = format!(
        "mount -t tmpfs -o size=40k none {dir}; {command}; echo exit $?; \
         mount -o remount,size=4m {dir}; {command} | head -n 1; \
         {ENGINE} status {dir}/run --missing; {ENGINE} report {dir}/run | head -n 1"
    );
    let Some((text, errors)) = run_with_own_mounts(&script) else {
        return;
    };
    assert!(errors.contains("No space left on device"), "{errors}");
    let table = "connect-four, 200 games, seed 1";
    assert_eq!(text, format!("exit 75\n{table}\n\n{table}\n"), "{errors}");
}

#[test]
fn a_match_in_a_directory_that_cannot_be_written_fails_with_a_sentence() {
    let scratch = Scratch::new("no-directory");
    let file = scratch.0.join("file");
    fs::write(&file, "a file").unwrap();
    let output = Command::new(ENGINE)
        .args(random_match("2", "--out"))
        .arg(file.join("run"))
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("file/run: Not a directory"), "{errors}");
    // A disk that is mounted read-only, before the first game and before the report.
    let dir = scratch.0.join("disk");
    fs::create_dir(&dir).unwrap();
    let run = dir.join("run").display().to_string();
    let arguments = random_match("2", "--out").join(" ");
    let script = format!(
        "mount -t tmpfs none {dir} && {ENGINE} {arguments} {run} >/dev/null && mount -o remount,ro {dir} && \
         {ENGINE} {arguments} {run}2; echo exit $?; {ENGINE} report {run} >/dev/null; echo exit $?; \
         {ENGINE} status {run} --missing",
        dir = dir.display()
    );
    let Some((text, errors)) = run_with_own_mounts(&script) else {
        return;
    };
    assert_eq!(text, "exit 1\nexit 1\n\n", "{errors}");
    assert_eq!(
        errors.matches("Read-only file system").count(),
        2,
        "{errors}"
    );
}

#[test]
fn a_match_file_that_cannot_be_renamed_stops_no_match() {
    let scratch = Scratch::new("unnamed");
    let Some((errors, code)) = match_with_fault(&scratch, "rename", "--trees") else {
        return;
    };
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("match.json is not written: "), "{errors}");
    let names = fs::read_dir(scratch.0.join("match")).unwrap().flatten();
    let files = names.filter(|entry| entry.path().is_file());
    assert_eq!(files.count(), 0);
}

#[test]
fn a_full_standard_error_kills_nobody() {
    let scratch = Scratch::new("mute");
    fs::write(scratch.0.join("trees"), "a file").unwrap();
    // Whatever is said there fails with "no space left on device".
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = grow_command(&scratch.0.join("trees"), 1, &["--iterations", "10"]);
    let status = command.stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn a_match_file_is_whole_whenever_the_match_is_killed() {
    let scratch = Scratch::new("match-killed");
    let mut rng = Rng::new(3);
    let mut seen = 0;
    for round in 0..12 {
        let directory = scratch.0.join(format!("round-{round}"));
        let mut child = Command::new(ENGINE)
            .args(random_match("100000", "--trees"))
            .arg(&directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let path = directory.join("match.json");
        wait_until("there is a match file", || path.exists());
        std::thread::sleep(Duration::from_micros(u64::from(rng.below(50_000))));
        child.kill().unwrap();
        child.wait().unwrap();
        let text = fs::read(&path).unwrap();
        let standing = meta::read_match(&text[..]).unwrap_or_else(|error| panic!("{error}"));
        assert!(!standing.over);
        seen += standing.moves.len();
    }
    assert!(seen > 0, "no match ever came to a move");
}
