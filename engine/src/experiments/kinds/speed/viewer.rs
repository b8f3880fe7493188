//! Measurements by the viewer.

use std::{
    io::Read as _,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use serde::Deserialize;

use super::tree_file::TreeFile;
use crate::search::StopFlag;

/// Poll interval while the viewer works.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// What the viewer says of a tree; it says more.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(super) struct Measured {
    pub(super) nodes: u64,
    pub(super) parse_ms: f64,
    pub(super) layout_ms: f64,
    pub(super) first_frame_ms: f64,
}

/// Has the viewer read, lay out and draw a tree.
pub(super) fn measure(
    program: &Path,
    file: &TreeFile,
    stop: &StopFlag,
) -> Result<Measured, String> {
    let failed = |problem: &dyn std::fmt::Display| format!("{}: {problem}", program.display());
    let mut viewer = Command::new(program)
        .args(["bench", "--json", "--first-frame"])
        .arg(file.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error))?;
    // A line of output fits into the pipe, so the viewer never waits for its reader.
    let status = loop {
        match viewer.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if !stop.is_set() => thread::sleep(POLL_INTERVAL),
            Ok(None) => {
                let _ = viewer.kill().and_then(|()| viewer.wait());
                return Err("stopped".to_owned());
            }
            Err(error) => return Err(failed(&error)),
        }
    };
    let (mut text, mut errors) = (String::new(), String::new());
    if let Some(mut out) = viewer.stdout.take() {
        out.read_to_string(&mut text)
            .map_err(|error| failed(&error))?;
    }
    if let Some(mut out) = viewer.stderr.take() {
        let _ = out.read_to_string(&mut errors);
    }
    if !status.success() {
        return Err(failed(&format!("{status} {}", errors.trim())));
    }
    serde_json::from_str(text.trim()).map_err(|error| {
        failed(&format!(
            "it does not say how long a tree takes: {error}; expected a viewer of this version"
        ))
    })
}
