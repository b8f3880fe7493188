//! Directories that are full, slow, read-only, removed or broken stop no game.

use std::{io::BufReader, process::ChildStdin};

use super::*;

#[test]
fn a_full_disk_stops_no_game_but_grow_fails_in_the_end() {
    let scratch = Scratch::new("full");
    // A disk of 300 kilobytes that only this process and its children see. A tree of the first move fits, later ones do not.
    let script = format!(
        "mount -t tmpfs -o size=300k none {dir} && {ENGINE} grow --game connect-four --search uct,reuse=false \
         --plies 6 --iterations 20000 --journal --out {dir}; echo exit $?; ls -A {dir} | grep -c '^\\.' ; \
         find {dir} -type f -size 0 | wc -l; rm -f {dir}/*; \
         {ENGINE} grow --game connect-four --search uct --iterations 100 --out {dir}; ls {dir} | grep -c 'tree$'",
        dir = scratch.0.display()
    );
    let Some((text, errors)) = run_with_own_mounts(&script) else {
        return;
    };
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
    wait_until("there is a file", || {
        fs::read_dir(&directory).unwrap().count() > 0
    });
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
    wait_until("there is a directory", || directory.exists());
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
        let grow = "grow --game connect-four --iterations 30000 --out";
        let words: Vec<&str> = grow.split(' ').collect();
        let Some((errors, code)) = run_with_fault(&scratch, calls, inject, &words, &directory)
        else {
            return;
        };
        assert_eq!(code, Some(lost), "{calls}: {errors}");
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
    wait_until("there is a tree", || count_scratch_trees(&directory) > 0);
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
