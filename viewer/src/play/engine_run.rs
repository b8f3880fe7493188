//! A command of the engine that runs beside the window: it ends with its owner, and its error output is kept until it has ended.

use std::{
    io::{self, Read as _},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
};

use crate::system::wake::Wake;

/// Upper bound of error output that is kept, in bytes. Usually it is a few lines.
const MAX_STDERR_BYTES: u64 = 1 << 16;

/// A process that runs or has run. It is killed when this is dropped.
#[derive(Debug)]
pub(super) struct EngineRun {
    child: Child,
    stderr_text: Receiver<String>,
}

impl EngineRun {
    /// Starts it; `wake` is called when it has ended. `name` is that of the thread that listens.
    pub(super) fn start(command: &mut Command, name: &str, wake: Wake) -> io::Result<Self> {
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let (sender, stderr_text) = channel();
        let stderr = child.stderr.take();
        let run = Self { child, stderr_text };
        let listener = thread::Builder::new().name(name.to_owned());
        listener.spawn(move || {
            let mut text = Vec::new();
            if let Some(said) = stderr {
                let _ = said.take(MAX_STDERR_BYTES).read_to_end(&mut text);
            }
            let _ = sender.send(String::from_utf8_lossy(&text).into_owned());
            wake();
        })?;
        Ok(run)
    }

    /// Whether it has ended, well or not.
    pub(super) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// How it has ended and what it wrote to standard error, once; none while it runs.
    pub(super) fn take_end(&mut self) -> Option<(io::Result<ExitStatus>, String)> {
        let said = self.stderr_text.try_recv().ok()?;
        Some((self.child.wait(), said))
    }
}

impl Drop for EngineRun {
    fn drop(&mut self) {
        // Engines exit when their client is gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command of an engine with its words, to which more can be added; an error is a sentence.
pub(super) fn engine_command(engine: &[String]) -> Result<Command, String> {
    let (program, words) = engine
        .split_first()
        .ok_or_else(|| "there is no command that starts an engine".to_owned())?;
    let mut command = Command::new(program);
    command.args(words);
    Ok(command)
}
