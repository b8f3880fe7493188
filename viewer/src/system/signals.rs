//! Signals that ask the program to end.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::system::wake::Wake;

/// Has Ctrl-C and other termination signals set a flag and call `wake`, instead of ending the program.
pub fn install_termination_flag(wake: &Wake) -> Arc<AtomicBool> {
    let is_requested = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::{
            consts::{SIGHUP, SIGINT, SIGTERM},
            iterator::Signals,
        };
        let (heard, wake) = (Arc::clone(&is_requested), Arc::clone(wake));
        // Without the thread the program ends at once.
        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
            let listener = std::thread::Builder::new().name("signals".to_owned());
            let _ = listener.spawn(move || {
                for _ in signals.forever() {
                    heard.store(true, Ordering::Relaxed);
                    wake();
                }
            });
        }
    }
    #[cfg(not(unix))]
    let _ = (wake, Ordering::Relaxed);
    is_requested
}
