//! `canopy-engine check`: ours passes, rogues fail where they should, and what other engines get is on record.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
};

use support::{data, data_lines, read_data, untested};

mod support;

const ENGINE: &str = env!("CARGO_BIN_EXE_canopy-engine");

/// The exit code and the report of a check.
fn check(arguments: &[&str], command: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(ENGINE)
        .arg("check")
        .args(arguments)
        .arg("--")
        .args(command)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

/// The names of the steps with this verdict.
fn steps(report: &str, verdict: &str) -> Vec<String> {
    let named = report.lines().filter_map(|line| {
        let (_, rest) = line.trim_start().split_once(' ')?;
        rest.strip_prefix(verdict)?.strip_prefix("  ")
    });
    named
        .map(|rest| rest.split(':').next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn our_engine_passes_in_every_dialect() {
    // Most of a check is waiting, so all run at once. The margin is generous: other tests run at the same time.
    thread::scope(|scope| {
        for (dialect, game) in [
            ("uci", "chess"),
            ("uci", "connect-four"),
            ("ugi", "kalah:4x3"),
            ("gtp", "delta"),
            ("nboard", "othello"),
        ] {
            scope.spawn(move || {
                let arguments = ["--dialect", dialect, "--game", game, "--margin", "5000"];
                let command = [ENGINE, "--protocol", dialect, "--option", "Nodes=300"];
                let (code, report) = check(&arguments, &command);
                assert_eq!(
                    steps(&report, "FAIL"),
                    [""; 0],
                    "{dialect} {game}\n{report}"
                );
                assert_eq!(code, Some(0), "{dialect} {game}\n{report}");
                assert!(steps(&report, "pass").len() >= 12, "{report}");
            });
        }
    });
}

#[test]
fn rogues_fail_where_they_should() {
    let script = data("engines/rogue.sh").display().to_string();
    thread::scope(|scope| {
        for (mode, step) in [
            ("illegal", "positions by moves"),
            ("claim", "positions by moves"),
            ("crash", "positions by moves"),
            ("garbage", "positions by moves"),
            ("noisy-death", "handshake"),
        ] {
            let script = &script;
            scope.spawn(move || {
                let arguments = [
                    "--dialect",
                    "ugi",
                    "--game",
                    "connect-four",
                    "--margin",
                    "3000",
                ];
                let (code, report) = check(&arguments, &["sh", script, mode]);
                assert_eq!(code, Some(1), "{mode}\n{report}");
                let failed = steps(&report, "FAIL");
                assert!(
                    failed.contains(&step.to_owned()),
                    "{mode}: {failed:?}\n{report}"
                );
                let shown = report
                    .lines()
                    .any(|line| line.trim_start().starts_with("> "));
                assert!(shown, "{mode}: no exchange\n{report}");
            });
        }
    });
}

#[test]
fn a_check_that_cannot_begin_says_why() {
    let (code, report) = check(&["--dialect", "uci"], &["/no/such/engine"]);
    assert_eq!(code, Some(1));
    assert!(
        report.contains("1 FAIL  handshake: /no/such/engine could not be started"),
        "{report}"
    );
}

/// What engines of others get: tests/data/check has the steps that pass, fail and are skipped. Lines that begin with `varies` may
/// go either way.
#[test]
fn what_stockfish_and_gnu_chess_get_is_on_record() {
    for (name, arguments) in [("stockfish", &[][..]), ("gnuchess", &["--uci"])] {
        let path = Path::new("/usr/games").join(name);
        if !path.is_file() {
            untested(&format!("there is no {name}"));
            continue;
        }
        let program = path.display().to_string();
        let command: Vec<&str> = std::iter::once(program.as_str())
            .chain(arguments.iter().copied())
            .collect();
        let (_, report) = check(&["--margin", "5000"], &command);
        let record = read_data(&format!("check/{name}.txt"));
        let mut count = 0;
        for (line, text) in data_lines(&record) {
            let (verdict, step) = text.split_once(' ').expect("a verdict and a step");
            count += 1;
            let verdicts = ["pass", "FAIL", "skip"];
            let found = verdicts
                .into_iter()
                .find(|verdict| steps(&report, verdict).contains(&step.to_owned()));
            let found =
                found.unwrap_or_else(|| panic!("{name}, line {line}: no step {step:?}\n{report}"));
            assert!(
                verdict == "varies" || verdict == found,
                "{name}: {step} is {found}\n{report}"
            );
        }
        assert_eq!(
            count + 1,
            report
                .lines()
                .filter(|line| !line.starts_with("   "))
                .count(),
            "{report}"
        );
    }
}
