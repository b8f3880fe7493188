//! An engine as a process: lines to it and from it, each with a time by which it must have come, and an end that nothing escapes.
//!
//! One thread does it all. Pipes do not block; what is to be written and what can be read is waited for together, so that
//! an engine that floods its output, stops reading, or hangs can hold nobody up. Every engine leads a process group of its own,
//! so that whatever it starts ends with it, and a Ctrl-C meant for us does not reach it.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use elsewhere::Process;
#[cfg(unix)]
pub use unix::Process;

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The time is up.
    TimeOut,
    /// Its output has ended: it has exited, or closed it.
    Closed,
    /// Somebody said stop.
    Halted,
}
