//! Runs the commands of README.md, protocol.md and the manual as written: in a fresh directory, with relative paths and this build's
//! programs on the PATH. Examples with output (`console`) are compared in commands.rs, dialogues (`transcript`) in
//! protocol.rs.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use support::{Scratch, data, untested, window::Display};

mod support;

/// The pages that describe the programs.
const PAGES: [&str; 6] = [
    "README.md",
    "protocol.md",
    "engine/RESULTS.md",
    "engine/ARCHITECTURE.md",
    "engine/CHANGELOG.md",
    MANUAL,
];

/// Deadline of one block of commands, with matches capped and in full length.
const CAPPED_TIMEOUT: Duration = Duration::from_secs(120);
const UNCAPPED_TIMEOUT: Duration = Duration::from_secs(3600);

/// The manual of the window.
const MANUAL: &str = "viewer/manual/README.md";

/// A stub for cargo: `cargo run` starts this build's program; `cargo test` does nothing, as it would run this very test.
const CARGO_STUB: &str = r#"#!/bin/sh
case "$1 $2 $3 $4" in
"run --release -p canopy-engine") shift 4; program=canopy-engine ;;
"run --release"*) shift 2; program=canopy-viewer ;;
"test --workspace"*) exit 0 ;;
*) echo "cargo $*: a command that tests/documents.rs does not know" >&2; exit 99 ;;
esac
if [ "$1" = -- ]; then shift; fi
exec "$program" "$@"
"#;

/// A block of shell commands on a page.
struct ShellBlock {
    page: &'static str,
    line: usize,
    script: String,
}

/// The `sh` blocks of a page. Panics on a block in a language that no test covers.
fn shell_blocks(page: &'static str) -> Vec<ShellBlock> {
    let text = fs::read_to_string(data("../..").join(page)).expect("the page is there");
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        assert!(
            // Writers of trees are run by writers.rs; lessons are checked below.
            [
                "sh",
                "console",
                "transcript",
                "text",
                "toml",
                "c",
                "python",
                "javascript"
            ]
            .contains(&language),
            "{page}:{}: a block of {language:?} is run by no test",
            index + 1
        );
        let inside = lines.by_ref().take_while(|(_, line)| *line != "```");
        let script: String = inside.map(|(_, line)| format!("{line}\n")).collect();
        if language == "sh" {
            blocks.push(ShellBlock {
                page,
                line: index + 1,
                script,
            });
        }
    }
    blocks
}

/// True if the command always opens a window.
fn opens_window(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["canopy-viewer", "render" | "bench" | "engine", ..] => false,
        ["canopy-viewer", ..] => !words.contains(&"--terminal"),
        ["cargo", "run", "--release"] => true,
        _ => false,
    }
}

/// A directory of this build's programs under their installed names.
struct Programs {
    scratch: Scratch,
}

impl Programs {
    /// Installs the programs in a directory of the test `test`.
    fn install(test: &str) -> Self {
        let scratch = Scratch::new(&format!("{test}-bin"));
        let viewer = env!("CARGO_BIN_EXE_canopy-viewer");
        let put = |name: &str, script: &str| {
            let path = scratch.0.join(name);
            fs::write(&path, script).expect("a script can be written");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(&path, mode).expect("it can be made a program");
            }
        };
        put("cargo", CARGO_STUB);
        put(
            "canopy-viewer",
            &format!("#!/bin/sh\nexec {viewer} \"$@\"\n"),
        );
        put(
            "canopy-engine",
            &format!("#!/bin/sh\nexec {viewer} engine \"$@\"\n"),
        );
        Self { scratch }
    }

    /// A shell in `directory` with these programs first on the PATH and its own home.
    fn shell(&self, script: &str, directory: &Path, display: Option<&Display>) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("sh");
        shell
            .args(["-ec", script])
            .current_dir(directory)
            .env(
                "PATH",
                format!("{}:{path}:/usr/games", self.scratch.0.display()),
            )
            .env("XDG_CONFIG_HOME", directory.join("home"))
            .env("XDG_DATA_HOME", directory.join("home"))
            .env("XDG_CACHE_HOME", directory.join("home"))
            .env("CANOPY_TEST_CLOSE", "1")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env_remove("DISPLAY")
            .stdin(Stdio::null());
        if let Some(display) = display {
            shell.env("DISPLAY", display.name());
        }
        shell
    }
}

/// Runs a block until its shell exits, then kills the processes it left in the background.
fn run_block(block: &ShellBlock, mut shell: Command, timeout: Duration) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    let log = Scratch::new("documents-log");
    let file = |name: &str| fs::File::create(log.0.join(name)).expect("a file can be made");
    let mut child = shell
        .stdout(file("out"))
        .stderr(file("err"))
        .spawn()
        .expect("there is a shell");
    let said = || {
        let read = |name: &str| fs::read_to_string(log.0.join(name)).unwrap_or_default();
        format!("{}\n{}\n{}", block.script, read("out"), read("err"))
    };
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().expect("a child can be asked") {
            Some(status) => break Some(status),
            None if begun.elapsed() > timeout => break None,
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    let group = format!("kill -TERM -- -{0} 2>/dev/null; true", child.id());
    let ended = Command::new("sh").args(["-c", &group]).status();
    assert!(ended.expect("there is a shell").success());
    let _ = child.wait();
    let ShellBlock { page, line, .. } = block;
    let status = status.unwrap_or_else(|| panic!("{page}:{line} took too long:\n{}", said()));
    assert!(status.success(), "{page}:{line}: {status}:\n{}", said());
}

/// Runs every block of the pages, each page in its own directory. `cap` limits matches in games and plies.
fn run_pages(cap: Option<&str>) {
    let programs = Programs::install("documents");
    let display = Display::start();
    let has_stockfish = programs
        .shell("stockfish quit", &programs.scratch.0, None)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let mut commands = 0;
    for page in ["README.md", "protocol.md", MANUAL] {
        let scratch = Scratch::new(&format!("documents-{}", page.replace('/', "-")));
        for mut block in shell_blocks(page) {
            let joined = block.script.replace("\\\n", " ");
            let mut kept = String::new();
            for line in joined.lines() {
                if display.is_none() && opens_window(line) {
                    untested(&format!("no display for: {line}"));
                } else if !has_stockfish && line.contains("stockfish") {
                    untested(&format!("no stockfish for: {line}"));
                } else {
                    commands += 1;
                    kept += &format!("{line}\n");
                }
            }
            block.script = kept;
            if cap.is_none() {
                block.script += "wait\n";
            }
            let mut shell = programs.shell(&block.script, &scratch.0, display.as_ref());
            let timeout = match cap {
                Some(cap) => {
                    shell.env("CANOPY_TEST_GAMES", cap);
                    CAPPED_TIMEOUT
                }
                None => UNCAPPED_TIMEOUT,
            };
            run_block(&block, shell, timeout);
        }
    }
    assert!(commands >= 10, "only {commands} commands were found");
}

#[test]
fn the_commands_of_the_pages_work_as_written() {
    run_pages(Some("2x12"));
}

#[test]
#[ignore = "plays whole matches: up to an hour"]
fn the_commands_of_the_pages_work_to_their_end() {
    run_pages(None);
}

/// The README is a page to be read in one go; tables and figures belong to protocol.md and engine/RESULTS.md.
#[test]
fn the_readme_is_shorter_than_200_lines() {
    let text = fs::read_to_string(data("../../README.md")).expect("the page is there");
    let lines = text.lines().count();
    assert!(lines < 200, "README.md has {lines} lines");
}

/// What stands between backquotes on a page, outside of blocks.
fn inline_code(page: &str) -> Vec<String> {
    let text = fs::read_to_string(data("../..").join(page)).expect("the page is there");
    let prose: Vec<&str> = text.split("```").step_by(2).collect();
    let prose = prose.join(" ");
    let pieces = prose.split('`').skip(1).step_by(2);
    pieces
        .map(|piece| piece.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The long options of a command line, such as `--game`.
fn flags(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.starts_with("--") && word.len() > 2)
}

/// Commands in the text and in the README's synopses use only options that the programs accept.
#[test]
fn the_options_named_in_the_text_exist() {
    let programs = Programs::install("options");
    let help = |command: &str| {
        let output = programs
            .shell(&format!("{command} --help"), &programs.scratch.0, None)
            .output()
            .expect("there is a shell");
        assert!(output.status.success(), "{command} --help");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let engine = help("canopy-engine");
    let is_engine_command = |word: &str| {
        let mut lines = engine.lines().map(str::trim_start);
        lines.any(|line| {
            line.strip_prefix(word)
                .is_some_and(|rest| rest.starts_with("  "))
        })
    };
    let mut checked = 0;
    for page in PAGES {
        for piece in inline_code(page) {
            let words: Vec<&str> = piece.split(' ').collect();
            let line = match words[..] {
                ["canopy-engine" | "canopy-viewer", _, ..] => piece.clone(),
                [first, second, ..] if is_engine_command(first) && second.starts_with("--") => {
                    format!("canopy-engine {piece}")
                }
                _ => continue,
            };
            let mut words = line.split(' ');
            let program = words.next().unwrap_or_default();
            // The command, and what is one of several kinds of it: `bench rate`.
            let is_word = |word: &&str| {
                word.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            };
            let command: Vec<&str> = words
                .take_while(|word| is_word(word) && !word.starts_with('-'))
                .collect();
            let text = help(&format!("{program} {}", command.join(" ")));
            for flag in flags(&line).filter(|flag| *flag != "--help") {
                assert!(
                    text.contains(&format!("{flag} ")) || text.contains(&format!("{flag}\n")),
                    "{page}: `{line}`: there is no {flag}:\n{text}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked >= 20, "only {checked} options were found");
}

/// Links from one page to another lead somewhere.
#[test]
fn the_links_of_the_pages_lead_to_files() {
    let root = data("../..");
    let mut checked = 0;
    for page in PAGES.into_iter().chain([".github/CONTRIBUTING.md"]) {
        let path = root.join(page);
        let text = fs::read_to_string(&path).expect("the page is there");
        for link in text.split("](").skip(1) {
            let link = link.split([')', '#']).next().unwrap_or_default();
            if link.is_empty() || link.contains("://") {
                continue;
            }
            let target = path.parent().expect("it is in a folder").join(link);
            assert!(target.exists(), "{page}: {link} is not there");
            checked += 1;
        }
    }
    assert!(checked >= 8, "only {checked} links were found");
}

/// The lesson of protocol.md can be taken: the program reads it without complaint.
#[test]
fn the_lesson_of_the_contract_is_read() {
    let programs = Programs::install("lesson");
    let text = fs::read_to_string(data("../../protocol.md")).expect("the page is there");
    let lessons: Vec<&str> = (text.split("```toml\n").skip(1))
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(!lessons.is_empty(), "protocol.md has no lesson");
    for lesson in lessons {
        fs::write(programs.scratch.0.join("lesson.toml"), lesson).expect("a file can be written");
        let output = programs
            .shell(
                "canopy-viewer lesson lesson.toml --check",
                &programs.scratch.0,
                None,
            )
            .output()
            .expect("there is a shell");
        assert!(output.status.success(), "{output:?}");
    }
}
