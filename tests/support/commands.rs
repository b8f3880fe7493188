//! Commands of the engine, run as a user runs them; for tests of the crate that has the program.

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use super::program;

/// The path of the engine.
pub(crate) fn engine_path() -> &'static str {
    program(option_env!("CARGO_BIN_EXE_canopy-engine"))
}

/// The engine's command without a display.
pub(crate) fn engine(arguments: &[&str]) -> Command {
    let mut command = Command::new(engine_path());
    command
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::null());
    command
}

/// Standard output and standard error of a command that must succeed.
pub(crate) fn success(command: &mut Command) -> (String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the program starts");
    let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    assert!(status.success(), "{command:?}: {stderr}");
    (stdout, stderr)
}

/// Standard output of the engine with these arguments, which must succeed.
pub(crate) fn engine_stdout(arguments: &[&str]) -> String {
    success(&mut engine(arguments)).0
}

/// Standard error of a command that must fail with this exit code.
pub(crate) fn failure(command: &mut Command, code: i32) -> String {
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{command:?}: {stderr}");
    stderr
}

/// The text of a file.
pub(crate) fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path.as_ref()).expect("the file is there")
}
