//! Whether the client is still there, as far as the system can tell: a client that has died must not leave an engine behind.

use std::{io, process, thread};

/// What is seen to be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientLoss {
    /// Whoever read the output.
    Output,
    /// The process that started this one.
    Parent,
}

/// Watches for losses on a thread of its own and tells each once, until `tell` answers false. Where the system cannot say,
/// nothing is ever lost.
pub(super) fn watch(on_loss: impl Fn(ClientLoss) -> bool + Send + 'static) -> io::Result<()> {
    let Some(watcher) = system::ClientWatcher::new() else {
        return Ok(());
    };
    let watching = thread::Builder::new().name("client".to_owned());
    watching.spawn(move || watcher.run(on_loss)).map(|_| ())
}

/// Ends the process, with exit code 0, as soon as nobody reads its output any more: for commands that do nothing but talk.
pub fn exit_when_stdout_closes() {
    let watching = thread::Builder::new().name("client".to_owned());
    // Without a thread the next line that cannot be written ends it.
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

    /// How often the parent is looked at. The end of the output wakes the thread by itself.
    const POLL_INTERVAL: Duration = Duration::from_millis(500);
    /// A server that has not ended so long after its parent is ended: it may be writing to a pipe that nobody empties.
    const EXIT_GRACE_PERIOD: Duration = Duration::from_secs(5);

    /// What is watched.
    pub(super) struct ClientWatcher {
        /// The process that started this one, if its end means anything.
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
                // An orphan gets another parent.
                if self.parent.is_some() && getppid() != self.parent {
                    on_loss(ClientLoss::Parent);
                    thread::sleep(EXIT_GRACE_PERIOD);
                    process::exit(0);
                }
            }
        }
    }

    /// Whether the input is a file, or nothing at all: then nobody talks with the engine, and it may outlive who started it.
    fn is_scripted() -> bool {
        fstat(io::stdin()).is_ok_and(|status| {
            let kind = FileType::from_raw_mode(status.st_mode);
            kind == FileType::RegularFile
                || kind == FileType::CharacterDevice && !io::stdin().is_terminal()
        })
    }

    /// Waits a while; whether nobody reads the output any more.
    pub(super) fn has_lost_output() -> bool {
        let stdout = io::stdout();
        // Errors are told without being asked for.
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
