//! Fault injection with real faults: full disks, directories that disappear, killed processes.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, Command, Output, Stdio},
    time::{Duration, Instant},
};

use canopy_engine::{
    rng::Rng,
    tree::{files, growth::Growth, meta},
};
use support::{Scratch, untested};

mod support;

const ENGINE: &str = env!("CARGO_BIN_EXE_canopy-engine");

/// An engine command that grows trees in `directory` for `plies` plies.
fn grow_command(directory: &Path, plies: u32, more: &[&str]) -> Command {
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

fn wait_for_output(child: Child) -> (Vec<String>, String, Option<i32>) {
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

/// Asserts that every file without a leading dot is complete; returns the number of tree files.
fn count_whole_trees(directory: &Path) -> usize {
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
                Growth::read(&bytes[..]).unwrap_or_else(|error| failed(error));
            }
            "json" | "extra" | "columns" => {}
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
        let mut child = grow_command(&directory, 1000, &more).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(u64::from(rng.below(150_000))));
        child.kill().unwrap();
        child.wait().unwrap();
        if directory.exists() {
            most = most.max(count_whole_trees(&directory));
            // The next process clears up what this one could not.
            let (moves, errors, code) = wait_for_output(
                grow_command(&directory, 1, &["--iterations", "10"])
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
        grow_command(&scratch.0, 8, &["--iterations", "2000", "--journal"])
            .spawn()
            .unwrap()
    };
    for child in [start(), start(), start()] {
        let (moves, errors, code) = wait_for_output(child);
        assert_eq!((moves.len(), errors.as_str(), code), (8, "", Some(0)));
    }
    assert_eq!(count_whole_trees(&scratch.0), 24);
}

/// True if the program runs here with these arguments; records the test as untested if not.
fn is_runnable(program: &str, arguments: &[&str]) -> bool {
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
fn a_full_disk_stops_no_game_but_grow_fails_in_the_end() {
    if !is_runnable("unshare", &["--mount", "true"]) {
        return;
    }
    let scratch = Scratch::new("full");
    // A disk of 300 kilobytes that only this process and its children see. A tree of the first move fits, later ones do not.
    let script = format!(
        "mount -t tmpfs -o size=300k none {dir} && {ENGINE} grow --game connect-four --search uct,reuse=false \
         --plies 6 --iterations 20000 --journal --out {dir}; echo exit $?; ls -A {dir} | grep -c '^\\.' ; \
         find {dir} -type f -size 0 | wc -l; rm -f {dir}/*; \
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
    // Six moves, a failure in the end, no temporary file and no empty one; then a move whose tree fits again.
    assert_eq!(lines.len(), 11, "{text}{errors}");
    assert_eq!(&lines[6..9], ["exit 1", "0", "0"], "{text}{errors}");
    assert_eq!(lines[10], "1", "{text}{errors}");
    assert_eq!(errors.lines().count(), 2, "{errors}");
    assert!(errors.contains("No space left on device"), "{errors}");
    assert!(
        errors.contains(" of 6 trees could not be written to "),
        "{errors}"
    );
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
    if is_root && !is_runnable("setpriv", &[&as_nobody[..], &["true"]].concat()) {
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
    let (moves, errors, code) = wait_for_output(child);
    assert_eq!(code, Some(1), "{errors}");
    assert!(moves.len() > 15, "{moves:?}");
    assert_eq!(errors.lines().count(), 2, "{errors}");
    assert!(errors.contains("Permission denied"), "{errors}");
    assert!(
        errors.contains("trees could not be written to "),
        "{errors}"
    );
    assert!(
        fs::read_dir(&directory).unwrap().count() > before,
        "it never recovered"
    );
    count_whole_trees(&directory);
}

#[test]
fn a_directory_that_is_removed_stops_no_game() {
    let scratch = Scratch::new("removed");
    let directory = scratch.0.join("trees");
    let more = ["--millis", "30", "--every", "5"];
    let child = grow_command(&directory, 30, &more).spawn().unwrap();
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
    let (moves, errors, code) = wait_for_output(child);
    assert_eq!(code, Some(1), "{errors}");
    assert!(moves.len() > 6, "{moves:?}");
    assert!(
        errors.lines().count() <= 3 && errors.contains("No such file"),
        "{errors}"
    );
    assert!(
        errors.contains("trees could not be written to "),
        "{errors}"
    );
    assert!(count_whole_trees(&directory) > 0, "it never recovered");
}

/// The engine under strace, which injects `inject` into `calls` and writes them to `log`.
fn strace_command(log: &Path, calls: &str, inject: &str) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-o"]).arg(log);
    command.args(["-e", &format!("trace={calls}")]);
    command.args(["-e", &format!("inject={calls}:{inject}"), ENGINE]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Number of system calls into which strace injected a fault or delay.
fn injection_count(log: &Path) -> usize {
    let log = fs::read_to_string(log).unwrap();
    log.matches("(INJECTED)").count() + log.matches("(DELAYED)").count()
}

fn has_strace() -> bool {
    is_runnable("strace", &["-o", "/dev/null", "true"])
}

/// The system calls that give a finished file its name; delaying them slows down nothing else.
const RENAME_SYSCALLS: &str = "rename,linkat";

#[test]
fn grow_waits_for_a_slow_disk_and_loses_no_tree() {
    if !has_strace() {
        return;
    }
    let scratch = Scratch::new("slow");
    let (directory, log) = (scratch.0.join("trees"), scratch.0.join("log"));
    let output = strace_command(&log, RENAME_SYSCALLS, "delay_exit=60000")
        .args(["grow", "--game", "othello", "--iterations", "200"])
        .args(["--plies", "20", "--out"])
        .arg(&directory)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((errors.as_str(), output.status.code()), ("", Some(0)));
    assert_eq!(injection_count(&log), 40);
    assert_eq!(count_whole_trees(&directory), 20);
}

/// Sends a script to a server; returns its output and whether it exited with success.
fn run_server_script(command: &mut Command, script: &str) -> (String, bool) {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = String::from_utf8(output.stdout).unwrap();
    (text + &errors, output.status.success())
}

#[test]
fn a_live_game_waits_for_no_disk_and_says_how_many_trees_it_lost() {
    if !has_strace() {
        return;
    }
    let scratch = Scratch::new("slow-live");
    let (directory, log) = (scratch.0.join("trees"), scratch.0.join("log"));
    let script = format!(
        "ugi\nsetoption name TreeDir value {}\n{}",
        directory.display(),
        "go nodes 100\n".repeat(30)
    );
    let mut command = strace_command(&log, RENAME_SYSCALLS, "delay_exit=100000");
    let (text, well) = run_server_script(command.args(["--game", "othello"]), &script);
    assert!(well && injection_count(&log) > 0, "{text}");
    assert_eq!(text.matches("bestmove").count(), 30, "{text}");
    // Each time the first that is lost is told, and how many it were when a tree is written again.
    let mut lost = Vec::new();
    for line in text.lines() {
        let count = line
            .strip_prefix("info string ")
            .and_then(|line| line.split_once(" trees could not be written to "));
        if line.contains("waiting for the disk") {
            lost.push(1);
        } else if let Some((count, _)) = count {
            *lost.last_mut().unwrap() = count.parse::<usize>().unwrap();
        }
    }
    let trees = count_whole_trees(&directory);
    assert!((8..30).contains(&trees), "{trees} trees\n{text}");
    assert_eq!(trees + lost.iter().sum::<usize>(), 30, "{text}");
}

#[test]
fn a_file_that_grows_too_large_kills_nobody() {
    let scratch = Scratch::new("large");
    let dir = scratch.0.display();
    // Ten blocks of 512 bytes: a sidecar fits, a tree does not.
    let script = format!(
        "ulimit -f 10; {ENGINE} grow --game connect-four --search uct,reuse=false --plies 2 --iterations 5000 \
         --journal --out {dir}; echo exit $?; \
         printf 'ugi\\nsetoption name TreeDir value {dir}\\ngo nodes 5000\\n' | {ENGINE} --game connect-four; echo exit $?"
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[2], "exit 1", "{text}{errors}");
    assert_eq!(lines.last(), Some(&"exit 0"), "{text}{errors}");
    assert!(
        errors.contains("File too large") && errors.contains("2 of 2 trees"),
        "{errors}"
    );
    assert!(text.contains("\nbestmove "), "{text}");
    assert!(
        text.contains("info string cannot write the tree to "),
        "{text}"
    );
    let left = fs::read_dir(&scratch.0).unwrap().flatten();
    let hidden = left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0);
    // At most the roots alone that tell of the journals.
    assert!(count_whole_trees(&scratch.0) <= 2);
}

#[test]
fn faults_of_the_disk_are_told_and_leave_no_half_file() {
    if !has_strace() {
        return;
    }
    let scratch = Scratch::new("injected");
    // The calls, what happens to them, how many trees are lost, how many are there.
    for (calls, inject, sentence, lost, written) in [
        // The engine writes a move a tree and an error; its writer a sidecar and then a tree in several pieces.
        ("write", "error=EIO:when=3", "Input/output error", 1, 0),
        ("rename", "error=EIO", "Input/output error", 1, 0),
        // Where there are no hard links files are renamed.
        ("linkat", "error=EPERM", "", 0, 1),
        ("mkdir", "error=EACCES", "Permission denied", 1, 0),
    ] {
        let directory = scratch.0.join(calls);
        let log = scratch.0.join(format!("{calls}.log"));
        let output = strace_command(&log, calls, inject)
            .args([
                "grow",
                "--game",
                "connect-four",
                "--iterations",
                "30000",
                "--out",
            ])
            .arg(&directory)
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(injection_count(&log) > 0, "{calls}: nothing happened");
        assert_eq!(output.status.code(), Some(lost), "{calls}: {errors}");
        assert!(errors.contains(sentence), "{calls}: {errors}");
        if !directory.exists() {
            assert_eq!(calls, "mkdir");
            continue;
        }
        let names = fs::read_dir(&directory).unwrap().flatten();
        let hidden = names.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
        assert_eq!(hidden.count(), 0, "{calls}");
        assert_eq!(count_whole_trees(&directory), written, "{calls}");
    }
}

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

#[test]
fn a_match_whose_records_cannot_be_synced_fails_with_a_sentence() {
    if !has_strace() {
        return;
    }
    let scratch = Scratch::new("unsynced");
    let (directory, log) = (scratch.0.join("match"), scratch.0.join("log"));
    let output = strace_command(&log, "fdatasync", "error=EIO")
        .args(random_match("2", "--out"))
        .arg(&directory)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(injection_count(&log) > 0, "{errors}");
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("Input/output error"), "{errors}");
}

#[test]
fn a_match_file_that_cannot_be_renamed_stops_no_match() {
    if !has_strace() {
        return;
    }
    let scratch = Scratch::new("unnamed");
    let (directory, log) = (scratch.0.join("match"), scratch.0.join("log"));
    let output = strace_command(&log, "rename", "error=EIO")
        .args(random_match("2", "--trees"))
        .arg(&directory)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(injection_count(&log) > 0, "{errors}");
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(errors.contains("match.json is not written: "), "{errors}");
    let names = fs::read_dir(&directory).unwrap().flatten();
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
        let begun = Instant::now();
        while !path.exists() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
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

#[test]
fn a_tree_directory_that_becomes_a_file_is_told_once() {
    let scratch = Scratch::new("replaced");
    let directory = scratch.0.join("trees");
    let mut child = Command::new(ENGINE)
        .args(["--game", "connect-four"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut heard = Vec::new();
    let mut go = |input: &mut ChildStdin, until: &str| {
        writeln!(input, "go nodes 200").unwrap();
        // The tree is written behind the answer.
        let mut waiting_for = vec!["bestmove", until];
        while !waiting_for.is_empty() {
            let line = lines.next().unwrap().unwrap();
            waiting_for.retain(|word| !line.contains(word));
            heard.push(line);
        }
    };
    writeln!(
        input,
        "ugi\nsetoption name TreeDir value {}",
        directory.display()
    )
    .unwrap();
    go(&mut input, "bestmove");
    let begun = Instant::now();
    while count_scratch_trees(&directory) == 0 && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    fs::remove_dir_all(&directory).unwrap();
    fs::write(&directory, "a file").unwrap();
    go(&mut input, "cannot write the tree to ");
    go(&mut input, "bestmove");
    drop(input);
    heard.extend(lines.map(Result::unwrap));
    assert!(child.wait().unwrap().success());
    let told = |text: &str| heard.iter().filter(|line| line.contains(text)).count();
    assert_eq!(told("cannot write the tree to "), 1, "{heard:?}");
    assert_eq!(told("2 trees could not be written to "), 1, "{heard:?}");
    assert_eq!(fs::read_to_string(&directory).unwrap(), "a file");
    // A command asked for trees refuses such a directory, and says so.
    let (_, errors, code) = wait_for_output(
        grow_command(&directory, 1, &["--iterations", "10"])
            .spawn()
            .unwrap(),
    );
    assert_eq!(code, Some(1), "{errors}");
}

/// Size of a process's address space in bytes.
fn address_space_bytes(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kb: u64 = size
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kb << 10
}

#[test]
fn memory_that_is_refused_costs_the_tree_and_not_the_game() {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

    let scratch = Scratch::new("refused");
    let mut child = Command::new(ENGINE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // A search of short playouts grows soon.
    let script = format!(
        "uci\nsetoption name TreeDir value {}\nsetoption name Hash value 100\n\
         setoption name PlayoutLimit value 1\nsetoption name ExpandOn value 1\ngo nodes 1000\n",
        scratch.0.display()
    );
    input.write_all(script.as_bytes()).unwrap();
    let begun = Instant::now();
    while count_scratch_trees(&scratch.0) == 0 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    // From now on there is room for another thread's stack, but not for a copy of a large tree.
    let limit = Rlimit {
        current: Some(address_space_bytes(&child) + (20 << 20)),
        ..getrlimit(Resource::As)
    };
    let pid = Pid::from_raw(child.id() as i32).unwrap();
    prlimit(Some(pid), Resource::As, limit).unwrap();
    input
        .write_all(b"go nodes 60000\nwait\ngo nodes 1000\nwait\n")
        .unwrap();
    drop(input);
    let (lines, _, code) = wait_for_output(child);
    let told = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
    assert_eq!(code, Some(0), "{lines:?}");
    assert_eq!(told("bestmove "), 3, "{lines:?}");
    assert_eq!(told("cannot write the tree to "), 1, "{lines:?}");
    assert_eq!(told("Cannot allocate memory"), 1, "{lines:?}");
    assert_eq!(
        told("info string 2 trees could not be written"),
        1,
        "{lines:?}"
    );
    assert_eq!(count_whole_trees(&scratch.0), 1);
}

#[test]
fn a_search_that_gets_less_memory_than_it_asked_for_says_so() {
    let scratch = Scratch::new("less");
    let search = "transposition-002,memory=1024,entries=40000000";
    let script = format!(
        "ulimit -v 300000; exec {ENGINE} grow --game connect-four --search {search} --iterations 3000 --plies 3 --out {}",
        scratch.0.display()
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(errors.lines().count(), 2, "{errors}");
    assert!(
        errors.contains(" of the 1024 MB of memory asked for"),
        "{errors}"
    );
    assert!(
        errors.contains(" of the 40000000 entries asked for"),
        "{errors}"
    );
    assert_eq!(count_whole_trees(&scratch.0), 3);
    for path in scratch.files("json") {
        let sidecar = meta::read(fs::File::open(&path).unwrap()).unwrap();
        assert_eq!(sidecar.shortfalls.len(), 2, "{sidecar:?}");
        for shortfall in &sidecar.shortfalls {
            assert!(errors.contains(shortfall), "{shortfall}\n{errors}");
        }
    }
}

#[test]
fn a_table_for_which_the_limit_leaves_no_room_is_told_of_once() {
    let scratch = Scratch::new("shrunk");
    let script = format!(
        "ugi\nsetoption name TreeDir value {}\nsetoption name Search value transposition-002\n\
         setoption name Hash value 16\ngo nodes 10\ngo nodes 10\ngo nodes 10 searchmoves 4\ngo nodes 10\n",
        scratch.0.display()
    );
    let mut command = Command::new(ENGINE);
    command.args(["--game", "connect-four"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (text, well) = run_server_script(&mut command, &script);
    assert!(well && text.matches("bestmove").count() == 4, "{text}");
    let sentence = "the table has 349525 of the 8000000 entries asked for";
    assert_eq!(
        text.matches(&format!("info string {sentence}")).count(),
        1,
        "{text}"
    );
    let sidecars = scratch.files("json");
    assert_eq!(sidecars.len(), 4);
    for path in sidecars {
        let sidecar = meta::read(fs::File::open(&path).unwrap()).unwrap();
        assert!(sidecar.shortfalls[0].starts_with(sentence), "{sidecar:?}");
        let tree = path.with_extension("tree");
        let inspected = Command::new(ENGINE).arg("inspect").arg(tree).output();
        let inspected = String::from_utf8(inspected.unwrap().stdout).unwrap();
        assert!(inspected.contains(sentence), "{inspected}");
    }
}

#[test]
fn commands_say_that_a_table_is_smaller_than_asked_for() {
    let search = "transposition-002,memory=16,iterations=5";
    let duel = ["duel", "--games", "1", "--search", "uct,iterations=5"];
    let rate = ["bench", "rate", "--iterations", "5"];
    for words in [&duel[..], &rate] {
        let mut command = Command::new(ENGINE);
        command.args(words).args(["--game", "connect-four"]);
        let output = command.args(["--search", search]).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        let sentence = "the table has 349525 of the 8000000 entries asked for";
        assert_eq!(errors.matches(sentence).count(), 1, "{words:?}: {errors}");
        assert!(output.status.success());
    }
}

fn count_scratch_trees(directory: &Path) -> usize {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.path().extension().is_some_and(|name| name == "tree"))
        .count()
}
