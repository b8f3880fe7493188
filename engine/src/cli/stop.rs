//! Has signals, and the end of standard input, stop a command that runs long.

use std::io;

use super::CliError;
use crate::runs::halt::Halt;

/// Has Ctrl-C, and the signals by which batch systems announce their limits, request a stop.
#[cfg(unix)]
pub(super) fn on_signals(halt: &Halt) -> Result<(), CliError> {
    raise_file_limit();
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1},
        iterator::Signals,
    };
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGUSR1])?;
    let halt = halt.clone();
    let listener = std::thread::Builder::new().name("signals".to_owned());
    listener.spawn(move || {
        for _ in signals.forever() {
            halt.request();
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn on_signals(_: &Halt) -> Result<(), CliError> {
    Ok(())
}

/// Raises the limit of open files: every engine takes three, and default limits are low.
#[cfg(unix)]
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    );
}

/// Has the end of standard input request a stop.
pub(super) fn on_end_of_input(halt: &Halt) -> Result<(), CliError> {
    let halt = halt.clone();
    let listener = std::thread::Builder::new().name("attendance".to_owned());
    listener.spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        halt.request();
    })?;
    Ok(())
}
