//! Manual pages and completions.

use std::fs;

use super::{engine_stdout, run_engine, support::Scratch};

/// The commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = engine_stdout(&["--help"]);
    let after = help
        .split("Commands:\n")
        .nth(1)
        .expect("commands are listed");
    let list = after.split("\n\n").next().unwrap_or_default();
    // What a line is too short for goes on in the next one, further in.
    let rows = list.lines().filter_map(|line| line.strip_prefix("  "));
    let names = rows.filter_map(|row| row.split(' ').next());
    names
        .filter(|name| !name.is_empty() && *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_has_a_manual_page() {
    let scratch = Scratch::new("manual-pages");
    let directory = scratch.0.join("new/man1");
    let told = engine_stdout(&["man", "--out", &directory.display().to_string()]);
    let commands = commands();
    assert!(commands.len() >= 20, "{commands:?}");
    for command in &commands {
        let path = directory.join(format!("canopy-engine-{command}.1"));
        let page = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{command}: {error}"));
        assert!(page.contains(".TH canopy-engine-"), "{command}: {page}");
    }
    assert!(directory.join("canopy-engine-book-make.1").exists());
    let page = fs::read_to_string(directory.join("canopy-engine-grow.1")).expect("it is there");
    assert!(page.contains("\\-\\-iterations"), "{page}");
    let written = fs::read_dir(&directory).expect("it is there").count();
    assert!(told.starts_with(&format!("{written} pages in ")), "{told}");
    assert!(engine_stdout(&["man"]).contains(".SH SYNOPSIS"));
}

#[test]
fn completions_know_commands_and_options() {
    for shell in ["bash", "zsh", "fish"] {
        let script = engine_stdout(&["completions", shell]);
        for word in ["tournament", "journal", "canopy-engine"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn pages_that_cannot_be_written_are_an_error_that_names_them() {
    let scratch = Scratch::new("manual-file");
    let file = scratch.0.join("file");
    fs::write(&file, "").expect("a file can be written");
    let inside = file.join("man1").display().to_string();
    let output = run_engine(&["man", "--out", &inside]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("file/man1"), "{said}");
}
