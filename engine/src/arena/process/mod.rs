//! An engine as a process: lines to it and from it, each with a time by which it must have come, and an end that nothing escapes.
//!
//! One thread does it all. Pipes do not block; what is to be written and what can be read is waited for together, so that
//! an engine that floods its output, stops reading, or hangs can hold nobody up. Every engine leads a process group of its own,
//! so that a Ctrl-C meant for us does not reach it, and whatever it starts ends with it, also what has left the group.

#[cfg(target_os = "linux")]
mod descendants;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod unsupported;

#[cfg(unix)]
pub use unix::Process;
#[cfg(not(unix))]
pub use unsupported::Process;

/// How a process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessExit {
    /// In words.
    pub text: String,
    /// Whether somebody else seems to have stopped it: it ended before we said so, by SIGTERM, SIGINT, SIGHUP or SIGKILL, or
    /// with an exit code that tells of one of them, or with 0.
    pub is_stopped_externally: bool,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The time is up.
    Timeout,
    /// Its output has ended: it has exited, or closed it.
    Closed,
    /// Somebody said stop.
    Halted,
}
