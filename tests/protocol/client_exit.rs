//! An engine exits when its client dies, and still answers a client that has only closed its end of the pipe.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
    sync::mpsc::channel,
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{
    last_line, run_piped,
    support::{
        Scratch,
        transcript::{EngineProcess, Peer as _, REPLY_TIMEOUT},
    },
};

/// Deadline for the exit of an engine without a client: two seconds on an idle machine, more on a busy one.
const EXIT_TIMEOUT: Duration = Duration::from_secs(15);

/// A shell in its own process group, which is killed on drop.
struct Shell(Child);

impl Shell {
    /// Runs `script` with the engine's path as `$0`.
    fn new(script: &str, arguments: &[&str], stdout: Stdio) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_canopy-engine")]);
        shell.args(arguments).process_group(0);
        let shell = shell.stdin(Stdio::null()).stdout(stdout);
        let shell = shell.stderr(Stdio::piped()).spawn();
        Self(shell.expect("there is a shell"))
    }

    /// True if all processes of the shell exit before the deadline, seen by the end of their standard error.
    fn exits_in_time(&mut self) -> bool {
        let mut errors = self.0.stderr.take().expect("it is piped");
        let (sender, ended) = channel();
        thread::spawn(move || {
            let mut said = Vec::new();
            let _ = errors.read_to_end(&mut said);
            let _ = sender.send(());
        });
        ended.recv_timeout(EXIT_TIMEOUT).is_ok()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.0.id() as i32) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

#[test]
fn nothing_is_left_of_an_engine_that_nobody_hears() {
    for (arguments, input) in [
        ("", "position startpos\\ngo perft 9\\n"),
        ("", "go nodes 4000000000\\n"),
        ("", "go movetime 600000\\nposition startpos\\n"),
        ("--option Threads=2", "go movetime 600000\\n"),
        ("--option Search=alpha-beta", "go depth 60\\n"),
        ("", "uci\\nbench 4000000000\\n"),
        ("--game othello --option MoveTime=600000", "genmove b\\n"),
        (
            "--protocol nboard --option MoveTime=600000",
            "nboard 2\\ngo\\n",
        ),
        ("perft --game chess --depth 9", ""),
        ("bench rate --game kalah --iterations 1000000000000", ""),
    ] {
        let script = "printf \"$2\" | \"$0\" $1 | true";
        let mut shell = Shell::new(script, &[arguments, input], Stdio::null());
        assert!(
            shell.exits_in_time(),
            "{arguments} {input}: it is still there"
        );
    }
}

/// The engine's input stays open and its output is read, but by other processes than the client.
#[test]
fn an_engine_ends_with_the_process_that_started_it() {
    let scratch = Scratch::new("protocol-orphan");
    let pipe = scratch.0.join("input");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    let path = pipe.to_str().expect("a plain name");
    let mut shell = Shell::new("\"$0\" <\"$1\" & wait", &[path], Stdio::piped());
    // Opened to be read, too, it opens at once, and never ends.
    let mut input = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&pipe)
        .expect("the pipe is there");
    writeln!(input, "go infinite").expect("a pipe takes a line");
    let output = BufReader::new(shell.0.stdout.take().expect("it is piped"));
    let mut lines = output.lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("info ")));
    shell.0.kill().expect("it runs");
    thread::spawn(move || lines.for_each(drop));
    assert!(shell.exits_in_time(), "it is still there");
}

#[test]
fn an_input_that_closes_changes_no_answer() {
    // About five seconds of searching, so that the engine has time to find its input closed.
    let go = "go nodes 900000";
    let options = ["--option", "Seed=5", "--option", "Hash=256"];
    let (text, well) = run_piped(&options, format!("uci\nisready\n{go}\n").as_bytes());
    assert!(well, "{text}");
    let mut process = EngineProcess::new(&options.map(str::to_owned));
    for line in ["uci", "isready", go] {
        process.send(line);
    }
    let mut held = Vec::new();
    while let Some(line) = process.read_line(6 * REPLY_TIMEOUT) {
        let is_answer = line.starts_with("bestmove ");
        held.push(line);
        if is_answer {
            break;
        }
    }
    let variation = |line: &str| line.split(" pv ").nth(1).map(str::to_owned);
    let before_last = |lines: &[&str]| variation(lines[lines.len() - 2]);
    let lines: Vec<&str> = text.lines().collect();
    let held: Vec<&str> = held.iter().map(String::as_str).collect();
    assert_eq!(held.last(), Some(&last_line(&text)));
    assert!(before_last(&lines).is_some());
    assert_eq!(before_last(&held), before_last(&lines));
    assert!(lines[lines.len() - 2].contains(" nodes 900000 "), "{text}");
}
