//! An engine as a process: lines with deadlines in both directions, and a kill that no descendant escapes.
//!
//! One thread does it all. Pipes do not block; reads and writes are polled together, so an engine that floods its output,
//! stops reading, or hangs blocks nobody. Every engine leads its own process group, so that Ctrl-C does not reach it. All
//! its descendants are killed with it, also those that left the group.

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
    /// Whether it was apparently stopped from outside: it ended before we asked, by SIGTERM, SIGINT, SIGHUP or SIGKILL, with
    /// an exit code that stands for one of them, or with 0.
    pub is_stopped_externally: bool,
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The time is up.
    Timeout,
    /// Its output has ended: it has exited, or closed it.
    Closed,
    /// The match was told to stop.
    Halted,
}
