//! Sentences for a window that does not open or has ended, with what to do about it.
//!
//! Window libraries put source locations into errors, and panic where a shared library is missing; both become sentences here.

use std::{
    cell::RefCell,
    fmt,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
};

/// Packages a window needs on Debian, and on Fedora, and their derivatives.
pub const WINDOW_PACKAGES: [&str; 2] = [
    "libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0 libwayland-client0",
    "libX11 libX11-xcb libXcursor libXi libxkbcommon-x11 libwayland-client",
];

/// Why there is no window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowError {
    /// It could not be opened.
    NoDisplay(String),
    /// It was open and was lost.
    Ended(String),
}

impl fmt::Display for WindowError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDisplay(text) | Self::Ended(text) => out.write_str(text),
        }
    }
}

/// The display that the environment names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct DisplayEnvironment {
    x11: Option<String>,
    wayland: Option<String>,
}

impl DisplayEnvironment {
    fn from_env() -> Self {
        let named = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(|value| value.to_string_lossy().into_owned())
        };
        Self {
            x11: named("DISPLAY"),
            wayland: named("WAYLAND_DISPLAY").or_else(|| named("WAYLAND_SOCKET")),
        }
    }

    /// The sentence for a library's error.
    fn no_window_text(&self, said: &str) -> String {
        let said = without_source(said);
        let is_library = [
            "librar",
            "could not be loaded",
            "Could not load",
            "Wayland lib",
        ]
        .iter()
        .any(|sign| said.contains(sign));
        if is_library {
            return format!(
                "no window can be opened because the system lacks a library ({}). Install {} on Debian and Ubuntu, {} on Fedora",
                said.trim_end_matches('.'),
                WINDOW_PACKAGES[0],
                WINDOW_PACKAGES[1]
            );
        }
        match (&self.wayland, &self.x11) {
            _ if !cfg!(all(unix, not(target_os = "macos"))) => {
                format!("no window can be opened ({said})")
            }
            (None, None) => "there is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set. \
                 Over ssh, connect with ssh -X"
                .to_owned(),
            (Some(name), _) => {
                format!("no window can be opened on the Wayland display {name} ({said})")
            }
            (None, Some(name)) => {
                format!("no window can be opened on the X display {name} ({said})")
            }
        }
    }
}

/// The sentence for a library's error on opening a window.
pub fn no_window_error(said: &str) -> WindowError {
    WindowError::NoDisplay(DisplayEnvironment::from_env().no_window_text(said))
}

/// The sentence for a window that was lost.
pub fn window_ended_error(said: &str) -> WindowError {
    let said = without_source(said);
    WindowError::Ended(format!(
        "the window is gone because the display is ({said}); trees and games on disk are whole"
    ))
}

/// A library's error without its source location.
fn without_source(said: &str) -> &str {
    said.strip_prefix("os error at ")
        .and_then(|rest| rest.split_once(": "))
        .map_or(said, |(_, reason)| reason)
}

thread_local! {
    /// Message of a display library's panic on this thread.
    static LIBRARY_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs code that talks to the display. A panic in a library whose directory begins with one of these names becomes an error with its
/// message; any other panic continues.
pub fn catch_library_panics<T>(
    libraries: &'static [&str],
    work: impl FnOnce() -> T,
) -> Result<T, String> {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        match library_panic_text(info, libraries) {
            Some(text) => LIBRARY_PANIC.set(Some(text)),
            None => before(info),
        }
    }));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    drop(panic::take_hook());
    result.or_else(|panic| match LIBRARY_PANIC.take() {
        Some(text) => Err(text),
        None => panic::resume_unwind(panic),
    })
}

/// The message of a panic, if one of the libraries raised it.
fn library_panic_text(info: &PanicHookInfo<'_>, libraries: &[&str]) -> Option<String> {
    let file = info.location()?.file();
    let is_theirs =
        (file.split(['/', '\\'])).any(|part| libraries.iter().any(|name| part.starts_with(name)));
    let text = info.payload_as_str().unwrap_or("a library failed");
    is_theirs.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_library_says_becomes_a_sentence_without_its_source() {
        let said = "os error at /home/x/.cargo/registry/src/winit-0.30.13/src/mod.rs:788: Failed to open connection to X server";
        let with = |x11: Option<&str>, wayland: Option<&str>| DisplayEnvironment {
            x11: x11.map(str::to_owned),
            wayland: wayland.map(str::to_owned),
        };
        if cfg!(not(all(unix, not(target_os = "macos")))) {
            return;
        }
        let text = with(Some(":7"), None).no_window_text(said);
        assert_eq!(
            text,
            "no window can be opened on the X display :7 (Failed to open connection to X server)"
        );
        let text = with(None, None).no_window_text(said);
        assert!(
            text.contains("neither DISPLAY nor WAYLAND_DISPLAY"),
            "{text}"
        );
        let text = with(Some(":7"), Some("wayland-9")).no_window_text("nobody");
        assert!(text.contains("wayland-9 (nobody)"), "{text}");
    }

    #[test]
    fn a_missing_library_is_answered_with_what_to_install() {
        for said in [
            "os error at /x/winit/mod.rs:1: Failed to load one of xlib's shared libraries",
            "Library libxkbcommon-x11.so could not be loaded.",
        ] {
            let text = DisplayEnvironment::default().no_window_text(said);
            assert!(
                text.contains("libxkbcommon-x11-0 ") && text.contains(" on Fedora"),
                "{text}"
            );
            assert!(!text.contains(".rs"), "{text}");
        }
    }
}
