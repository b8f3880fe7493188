//! Detects a client that has gone, so that no engine outlives it.

use std::{io, process, thread};

/// Which end of the connection is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientLoss {
    /// The reader of our output.
    Output,
    /// The parent process.
    Parent,
}

/// Watches on its own thread and reports each loss once, until `on_loss` returns false. Systems without support report nothing.
pub(super) fn watch(on_loss: impl Fn(ClientLoss) -> bool + Send + 'static) -> io::Result<()> {
    let Some(watcher) = system::ClientWatcher::new() else {
        return Ok(());
    };
    let watching = thread::Builder::new().name("client".to_owned());
    watching.spawn(move || watcher.run(on_loss)).map(|_| ())
}

/// Ends the process with exit code 0 once nobody reads its output: for commands whose output is their only effect.
pub fn exit_when_stdout_closes() {
    let watching = thread::Builder::new().name("client".to_owned());
    // Without the thread, the next failed write ends the process.
    let _ = watching.spawn(|| {
        while !system::has_lost_output() {}
        process::exit(0);
    });
}

#[cfg(unix)]
mod system {
    use std::{
        io::{self, IsTerminal as _},
        os::fd::AsFd as _,
        process, thread,
        time::Duration,
    };

    use rustix::{
        event::{PollFd, PollFlags, Timespec, poll},
        fs::{FileType, fstat},
        process::{Pid, getppid},
    };

    use super::ClientLoss;

    /// How often the parent is checked. A closed output wakes the thread at once.
    const POLL_INTERVAL: Duration = Duration::from_millis(500);
    /// How long a server may outlive its parent; it may be blocked on a full pipe.
    const EXIT_GRACE_PERIOD: Duration = Duration::from_secs(5);

    /// The watcher's state.
    pub(super) struct ClientWatcher {
        /// The parent process; none if the engine may outlive it.
        parent: Option<Pid>,
    }

    impl ClientWatcher {
        pub(super) fn new() -> Option<Self> {
            let parent = if is_scripted() { None } else { getppid() };
            Some(Self { parent })
        }

        pub(super) fn run(self, on_loss: impl Fn(ClientLoss) -> bool) {
            let mut is_output_open = true;
            loop {
                if !is_output_open {
                    thread::sleep(POLL_INTERVAL);
                } else if has_lost_output() {
                    is_output_open = false;
                    if !on_loss(ClientLoss::Output) {
                        return;
                    }
                }
                // An orphan is adopted by another process.
                if self.parent.is_some() && getppid() != self.parent {
                    on_loss(ClientLoss::Parent);
                    thread::sleep(EXIT_GRACE_PERIOD);
                    process::exit(0);
                }
            }
        }
    }

    /// Whether input is a file or `/dev/null`: there is no client then, and the engine may outlive its parent.
    fn is_scripted() -> bool {
        fstat(io::stdin()).is_ok_and(|status| {
            let kind = FileType::from_raw_mode(status.st_mode);
            kind == FileType::RegularFile
                || kind == FileType::CharacterDevice && !io::stdin().is_terminal()
        })
    }

    /// Waits up to [`POLL_INTERVAL`]; whether the output has lost its reader.
    pub(super) fn has_lost_output() -> bool {
        let stdout = io::stdout();
        // Errors are reported without being requested.
        let mut output = [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::empty())];
        let wait = Timespec {
            tv_sec: 0,
            tv_nsec: POLL_INTERVAL.subsec_nanos().into(),
        };
        match poll(&mut output, Some(&wait)) {
            Ok(_) => output[0]
                .revents()
                .intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL),
            Err(_) => {
                thread::sleep(POLL_INTERVAL);
                false
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::thread;

    use super::ClientLoss;

    pub(super) struct ClientWatcher;

    impl ClientWatcher {
        pub(super) fn new() -> Option<Self> {
            None
        }

        pub(super) fn run(self, _: impl Fn(ClientLoss) -> bool) {}
    }

    pub(super) fn has_lost_output() -> bool {
        thread::park();
        false
    }
}
