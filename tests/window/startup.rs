//! Starting where something is missing: no display, no library, absurd settings, a display that goes away.

use super::*;

#[test]
fn without_a_display_there_is_a_sentence() {
    let output = Command::new(viewer())
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .expect("the viewer runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("no display") && said.contains("canopy-viewer render"),
        "{said}"
    );
}

/// The error of a viewer that cannot open a window: one line without source locations, and exit code 1.
fn startup_error(command: &mut Command) -> String {
    let output = command.output().expect("the viewer runs");
    let (_, errors) = output_texts(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        !errors.contains(".rs") && !errors.contains("panicked"),
        "{errors}"
    );
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors
}

#[test]
fn without_a_display_or_a_library_a_sentence_says_what_to_do() {
    let scratch = Scratch::new("no-display");
    let errors = startup_error(&mut without_display(&scratch.0, &[]));
    assert!(
        errors.contains("neither DISPLAY nor WAYLAND_DISPLAY"),
        "{errors}"
    );
    assert!(errors.contains("--terminal"), "{errors}");
    if cfg!(target_os = "linux") {
        let mut command = without_display(&scratch.0, &[]);
        let errors = startup_error(command.env("DISPLAY", ":54321"));
        assert!(
            errors.contains("display :54321") || errors.contains("Install"),
            "{errors}"
        );
        // A library that is there and empty cannot be loaded.
        let libraries = scratch.0.join("libraries");
        fs::create_dir(&libraries).expect("a directory can be made");
        fs::write(libraries.join("libXcursor.so.1"), "").expect("a file can be written");
        let mut command = without_display(&scratch.0, &[]);
        command
            .env("DISPLAY", ":54321")
            .env("LD_LIBRARY_PATH", &libraries);
        let errors = startup_error(&mut command);
        assert!(
            errors.contains("Install ") && errors.contains("libxcursor1"),
            "{errors}"
        );
    }
    // One without which the libraries themselves panic, on a display.
    let Some(display) = Display::start() else {
        return;
    };
    let libraries = scratch.0.join("keyboard");
    fs::create_dir(&libraries).expect("a directory can be made");
    fs::write(libraries.join("libxkbcommon-x11.so.0"), "").expect("a file can be written");
    let mut command = without_display(&scratch.0, &[]);
    command
        .env("DISPLAY", display.name())
        .env("LD_LIBRARY_PATH", &libraries);
    let errors = startup_error(&mut command);
    assert!(
        errors.contains("Install ") && errors.contains("libxkbcommon-x11-0"),
        "{errors}"
    );
}

#[test]
fn absurd_settings_do_not_stop_a_start() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("absurd");
    let file = scratch.0.join("canopy/viewer.json");
    fs::create_dir_all(scratch.0.join("canopy")).expect("a directory can be made");
    fs::write(
        &file,
        "{\"window\": [1e9, 1e9], \"dark\": false, \"labels\": 7}",
    )
    .expect("a file can be written");
    let window = Window::open(&display, &scratch.0, &[]);
    let state = window.wait_until("there is a start screen", |state| state["trees"] == 0);
    assert_eq!(state["theme"], "light", "what is sound is heeded");
    assert!(window.close().success());
    let stored = fs::read_to_string(&file).expect("the settings are kept");
    let stored: Value = serde_json::from_str(&stored).expect("the settings are JSON");
    assert!(as_number(&stored["window"][0]) <= 7680.0, "{stored}");
    let left = fs::read_dir(scratch.0.join("canopy"))
        .expect("the folder is there")
        .count();
    assert_eq!(left, 1, "nothing temporary is left");
}

#[test]
fn a_display_that_goes_away_ends_the_program_with_a_sentence() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("crash");
    let window = Window::open(&display, &scratch.0, &[]);
    window.wait_until("there is a start screen", |state| state["trees"] == 0);
    display.crash();
    let (status, errors) = window.wait_for_exit_with_stderr();
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(
        !errors.is_empty() && !errors.contains("panicked") && !errors.contains(".rs"),
        "{errors}"
    );
}
