//! Where a tournament is played: the window of the viewer, or the terminal.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn shown_tournament(player: &str) -> Value {
    json!({
        "game": "kalah:2x2",
        "seed": 1,
        "players": [{"player_type": player}, {"player_type": "random"}],
    })
}

/// A copy of the engine in a folder of its own, so that no viewer is beside it.
fn lonely_engine(file: &ConfigFile) -> PathBuf {
    let path = file.scratch.0.join("bin/canopy-engine");
    fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    fs::copy(engine_path(), &path).expect("a program can be copied");
    path
}

/// A program in the place of the viewer that prints how it was started.
fn fake_viewer(directory: &Path) {
    fs::create_dir_all(directory).expect("it can be made");
    let path = directory.join("canopy-viewer");
    fs::write(&path, "#!/bin/sh\necho \"$0 $*\"\n").expect("a file can be written");
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&path, executable).expect("it can be made executable");
}

#[test]
fn without_a_display_it_is_played_in_the_terminal_and_says_so() {
    let file = ConfigFile::new("no-display", &shown_tournament("random"));
    let (stdout, stderr) = success(&mut engine(&["tournament", file.path()]));
    assert!(stdout.starts_with("tournament of 1 series"), "{stdout}");
    assert!(
        stderr.contains("there is no display: the tournament is played here, without a window"),
        "{stderr}"
    );
}

#[test]
fn without_a_viewer_it_is_played_in_the_terminal_and_says_so() {
    let file = ConfigFile::new("no-viewer", &shown_tournament("random"));
    let mut command = Command::new(lonely_engine(&file));
    command
        .args(["tournament", file.path()])
        .env("DISPLAY", ":99")
        .env("PATH", "");
    let (stdout, stderr) = success(&mut command);
    assert!(stdout.starts_with("tournament of 1 series"), "{stdout}");
    assert!(
        stderr.contains("canopy-viewer is neither beside this program nor on the PATH: the tournament is played here"),
        "{stderr}"
    );
}

#[test]
fn users_are_refused_where_there_is_no_window_and_told_the_viewers_command() {
    let file = ConfigFile::new("user", &shown_tournament("user"));
    let command = format!("expected canopy-viewer tournament {} on", file.path());
    for flags in [&[][..], &["--terminal"], &["--concurrency", "2"]] {
        let stderr = failure(
            &mut engine(&[&["tournament", file.path()], flags].concat()),
            2,
        );
        assert!(
            stderr.contains("a user takes part") && stderr.contains(&command),
            "{stderr}"
        );
    }
}

#[test]
fn the_viewer_beside_the_engine_is_started_before_the_one_on_the_path() {
    let file = ConfigFile::new("viewer", &shown_tournament("random"));
    let lonely = lonely_engine(&file);
    let on_path = file.scratch.0.join("path");
    fake_viewer(&on_path);
    let start = |flags: &[&str]| {
        let mut command = Command::new(&lonely);
        command.args(["tournament", file.path()]).args(flags);
        command
            .env("DISPLAY", ":99")
            .env("PATH", format!("{}:/usr/bin:/bin", on_path.display()));
        success(&mut command).0
    };
    let expected = |viewer: &Path, rest: &str| {
        format!(
            "{} tournament {}{rest}\n",
            viewer.join("canopy-viewer").display(),
            file.path()
        )
    };
    assert_eq!(start(&[]), expected(&on_path, ""));
    let beside = lonely.parent().expect("a folder");
    fake_viewer(beside);
    assert_eq!(
        start(&["--out", "somewhere"]),
        expected(beside, " --out somewhere")
    );
    assert!(start(&["--terminal"]).starts_with("tournament of 1 series"));
}
