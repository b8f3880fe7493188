//! Disks that fill up, directories that go, and processes that are killed: real ones.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use canopy_engine::{
    rng::Rng,
    tree::{files, growth::Growth},
};
use support::{Scratch, untested};

mod support;

const ENGINE: &str = env!("CARGO_BIN_EXE_canopy-engine");

/// The engine, growing trees in `directory` for so many plies.
fn grow(directory: &Path, plies: u32, more: &[&str]) -> Command {
    let mut command = Command::new(ENGINE);
    command.args([
        "grow",
        "--game",
        "connect-four",
        "--search",
        "uct,memory=64",
    ]);
    command
        .args(["--plies", &plies.to_string(), "--out"])
        .arg(directory);
    command.args(more);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn finish(child: Child) -> (Vec<String>, String, Option<i32>) {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().unwrap();
    let moves = String::from_utf8(stdout).unwrap();
    (
        moves.lines().map(str::to_owned).collect(),
        String::from_utf8(stderr).unwrap(),
        status.code(),
    )
}

/// Every file in a directory that does not begin with a dot is whole. How many tree files there are.
fn all_whole(directory: &Path) -> usize {
    let mut trees = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with('.') {
            continue;
        }
        let failed = |error| -> ! { panic!("{name}: {error}") };
        match path.extension().unwrap().to_str().unwrap() {
            "tree" | "csv" => {
                trees += 1;
                let document = files::read(&path, None).unwrap_or_else(|error| failed(error));
                // The extras may be those of the next snapshot, but whole they are.
                let torn = document
                    .problems
                    .iter()
                    .any(|problem| !problem.contains("records for"));
                assert!(!torn, "{:?}", document.problems);
                assert!(document.meta.is_some(), "{name} has no sidecar");
            }
            "growth" => {
                let bytes = fs::read(&path).unwrap();
                // Killed before the header was written, it is not a journal yet.
                if !bytes.is_empty() {
                    Growth::read(&bytes[..]).unwrap_or_else(|error| failed(error));
                }
            }
            "json" | "extra" => {}
            other => panic!("what is {name}, a {other}?"),
        }
    }
    trees
}

fn kill_at_random_moments(times: u32) {
    let scratch = Scratch::new("killed");
    let mut rng = Rng::new(1);
    let mut most = 0;
    for round in 0..times {
        let directory = scratch.0.join(format!("round-{round}"));
        let more = [
            "--iterations",
            "20000",
            "--every",
            "5",
            "--extra",
            "--journal",
        ];
        let mut child = grow(&directory, 1000, &more).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(u64::from(rng.below(150_000))));
        child.kill().unwrap();
        child.wait().unwrap();
        if directory.exists() {
            most = most.max(all_whole(&directory));
            // The next process clears up what this one could not.
            let (moves, errors, code) = finish(
                grow(&directory, 1, &["--iterations", "10"])
                    .spawn()
                    .unwrap(),
            );
            assert_eq!((moves.len(), errors.as_str(), code), (1, "", Some(0)));
            let left = fs::read_dir(&directory).unwrap().filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                name.to_string_lossy().starts_with('.')
            });
            assert_eq!(left.count(), 0);
            fs::remove_dir_all(&directory).unwrap();
        }
    }
    assert!(most > 0, "the engine never got as far as a tree");
}

#[test]
fn a_killed_engine_leaves_no_half_file() {
    kill_at_random_moments(10);
}

#[test]
#[ignore = "takes a minute"]
fn an_engine_killed_at_200_moments_leaves_no_half_file() {
    kill_at_random_moments(200);
}

#[test]
fn two_engines_share_a_directory() {
    let scratch = Scratch::new("shared");
    let start = || {
        grow(&scratch.0, 8, &["--iterations", "2000", "--journal"])
            .spawn()
            .unwrap()
    };
    for child in [start(), start(), start()] {
        let (moves, errors, code) = finish(child);
        assert_eq!((moves.len(), errors.as_str(), code), (8, "", Some(0)));
    }
    assert_eq!(all_whole(&scratch.0), 24);
}

/// Whether a program can be run here with these arguments, told if it cannot.
fn can(program: &str, arguments: &[&str]) -> bool {
    let works = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !works {
        untested(&format!("{program} {} does not work", arguments.join(" ")));
    }
    works
}

#[test]
fn a_full_disk_stops_no_game() {
    if !can("unshare", &["--mount", "true"]) {
        return;
    }
    let scratch = Scratch::new("full");
    // A disk of 300 kilobytes that only this process and its children see. A tree of the first move fits, later ones do not.
    let script = format!(
        "mount -t tmpfs -o size=300k none {dir} && {ENGINE} grow --game connect-four --search uct,reuse=false \
         --plies 6 --iterations 20000 --journal --out {dir}; echo exit $?; ls -A {dir} | grep -c '^\\.' ; rm -f {dir}/*; \
         {ENGINE} grow --game connect-four --search uct --iterations 100 --out {dir}; ls {dir} | grep -c 'tree$'",
        dir = scratch.0.display()
    );
    let output = Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // Six moves, no failure, no temporary file; then a move whose tree fits again.
    assert_eq!(lines.len(), 10, "{text}{errors}");
    assert_eq!(&lines[6..8], ["exit 0", "0"], "{text}{errors}");
    assert_eq!(lines[9], "1", "{text}{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains("No space left on device"), "{errors}");
}

#[test]
fn a_directory_that_may_not_be_written_stops_no_game() {
    // Root may write everywhere, so somebody else must try.
    let as_nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let Ok(owner) =
        fs::metadata("/proc/self").map(|meta| std::os::unix::fs::MetadataExt::uid(&meta))
    else {
        return;
    };
    let is_root = owner == 0;
    if is_root && !can("setpriv", &[&as_nobody[..], &["true"]].concat()) {
        return;
    }
    let scratch = Scratch::new("forbidden");
    let directory = scratch.0.join("trees");
    fs::create_dir(&directory).unwrap();
    let mode = |path: &Path, bits| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
    };
    mode(&scratch.0, 0o777);
    mode(&directory, 0o777);
    // The program may lie where nobody else may look.
    let engine = scratch.0.join("engine");
    fs::copy(ENGINE, &engine).unwrap();
    mode(&engine, 0o755);
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command.args(as_nobody).arg(&engine);
        command
    } else {
        Command::new(&engine)
    };
    command.args([
        "grow", "--game", "kalah", "--plies", "60", "--millis", "30", "--every", "5", "--out",
    ]);
    command
        .arg(&directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    while fs::read_dir(&directory).unwrap().count() == 0
        && begun.elapsed() < Duration::from_secs(20)
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    mode(&directory, 0o555);
    std::thread::sleep(Duration::from_millis(300));
    let before = fs::read_dir(&directory).unwrap().count();
    mode(&directory, 0o777);
    let (moves, errors, code) = finish(child);
    assert_eq!(code, Some(0), "{errors}");
    assert!(moves.len() > 15, "{moves:?}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains("Permission denied"), "{errors}");
    assert!(
        fs::read_dir(&directory).unwrap().count() > before,
        "it never recovered"
    );
    all_whole(&directory);
}

#[test]
fn a_directory_that_is_removed_stops_no_game() {
    let scratch = Scratch::new("removed");
    let directory = scratch.0.join("trees");
    let more = ["--millis", "30", "--every", "5"];
    let child = grow(&directory, 30, &more).spawn().unwrap();
    let begun = Instant::now();
    while !directory.exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
    // Files may appear while it is removed.
    while directory.exists() {
        let _ = fs::remove_dir_all(&directory);
    }
    std::thread::sleep(Duration::from_millis(200));
    fs::create_dir(&directory).unwrap();
    let (moves, errors, code) = finish(child);
    assert_eq!(code, Some(0), "{errors}");
    assert!(moves.len() > 6, "{moves:?}");
    assert!(
        errors.lines().count() <= 2 && errors.contains("No such file"),
        "{errors}"
    );
    assert!(all_whole(&directory) > 0, "it never recovered");
}

#[test]
fn a_slow_disk_stops_no_game() {
    if !can("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let scratch = Scratch::new("slow");
    let directory = scratch.0.join("trees");
    // Every file takes a third of a second to get its name; nothing else the engine does is slower.
    let mut child = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "-e", "trace=rename,linkat"])
        .args(["-e", "inject=rename,linkat:delay_exit=300000", ENGINE])
        .args(["grow", "--game", "othello", "--iterations", "200"])
        .args(["--plies", "20", "--out"])
        .arg(&directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut moves = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in 0..20 {
        moves.next().unwrap().unwrap();
    }
    // All moves are made; the disk is far behind.
    let trees = scratch_trees(&directory);
    assert!(trees < 15, "{trees} trees were waited for");
    let (_, errors, code) = finish(child);
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("waiting for the disk"), "{errors}");
    assert!(all_whole(&directory) >= 8);
}

fn scratch_trees(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.path().extension().is_some_and(|name| name == "tree"))
        .count()
}
