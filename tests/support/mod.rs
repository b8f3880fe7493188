//! Helpers shared by the test programs: data files, golden files, scratch directories, skipped tests, game variants.
#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each test program uses a part of this"
)]

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Output},
    time::{Duration, Instant},
};

use canopy_engine::games::{self, Playable, Visitor};

pub(crate) mod commands;
pub(crate) mod match_fixture;
pub(crate) mod transcript;
pub(crate) mod window;

/// Calls the generic function `check` with the type and the rules of each game that `names` lists.
macro_rules! check_each_game {
    ($names:expr, $check:ident) => {{
        struct Check;
        impl canopy_engine::games::Visitor for Check {
            type Out = ();

            fn visit<G: canopy_engine::games::Playable>(self, rules: G::Rules) {
                $check::<G>(rules);
            }
        }
        for name in $names {
            canopy_engine::games::with_game(&name, Check).expect("a game of the table");
        }
    }};
}
pub(crate) use check_each_game;

/// Unwraps the path of a program that cargo built. `None` means the test runs in the wrong package.
pub(crate) fn program(built: Option<&'static str>) -> &'static str {
    built.expect("this package has the program")
}

/// The path of a file or folder under tests/data.
pub(crate) fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data")
        .join(name)
}

/// A temporary directory for one test, removed on drop.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("canopy-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("the directory can be made");
        Self(path)
    }

    /// The files with this extension, sorted by path.
    pub(crate) fn files(&self, extension: &str) -> Vec<PathBuf> {
        files_of(&self.0, extension)
    }
}

/// The files of a directory that have this extension, sorted by path.
pub(crate) fn files_of(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the directory can be read")
        .map(|entry| entry.expect("the directory can be read").path())
        .filter(|path| path.extension().is_some_and(|name| name == extension))
        .collect();
    found.sort();
    found
}

/// The words of a command line; single and double quotes group.
pub(crate) use transcript::split_words;

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Waits until `is_so` holds; panics with `what` after a minute, which is generous for a busy machine.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "not so: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Records that a part of the running test is skipped because the machine lacks something, and prints it at once. Fails with
/// `CANOPY_TEST_ALL=1` in the environment. The last test program, wrap_up, lists all records again.
pub(crate) fn untested(why: &str) {
    let test = std::thread::current().name().unwrap_or("main").to_owned();
    let is_everything_wanted =
        std::env::var_os("CANOPY_TEST_ALL").is_some_and(|value| value == "1");
    assert!(
        !is_everything_wanted,
        "{test} needs what is missing: {why}; CANOPY_TEST_ALL=1 makes that a failure"
    );
    untested_data(why);
}

/// [`untested`] for third-party files that the repository does not contain; their absence never fails.
pub(crate) fn untested_data(why: &str) {
    let test = std::thread::current().name().unwrap_or("main").to_owned();
    let note = format!("{test}: {why}");
    print_uncaptured(&format!("NOT TESTED {note}\n"));
    let log = untested_log(parent_id());
    let log = OpenOptions::new().create(true).append(true).open(log);
    // One write per note: other tests append at the same time.
    let _ = log.and_then(|mut log| log.write_all(format!("{note}\n").as_bytes()));
}

/// Reads and deletes the notes of all test programs started by the process `parent`.
pub(crate) fn take_untested(parent: u32) -> Vec<String> {
    let path = untested_log(parent);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let _ = fs::remove_file(path);
    let mut notes: Vec<String> = text.lines().map(str::to_owned).collect();
    notes.sort();
    notes.dedup();
    notes
}

/// The notes of one `cargo test` run, keyed by its process id, the parent of every test program.
fn untested_log(parent: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("untested-{parent}.txt"))
}

/// The parent's process id; 0 where the system does not tell.
pub(crate) fn parent_id() -> u32 {
    #[cfg(unix)]
    return std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    return 0;
}

/// Writes to standard output past the test harness, which captures only `print!`.
pub(crate) fn print_uncaptured(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Sends a signal by name, such as `TERM`, with the shell's built-in `kill`, which every system has.
pub(crate) fn signal(name: &str, processes: &[u32]) {
    let processes: String = processes.iter().map(|id| format!(" {id}")).collect();
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{name}{processes}")])
        .status();
    assert!(sent.expect("there is a shell").success(), "kill -{name}");
}

/// Stops a command with a signal. It must end as commands that can go on do.
pub(crate) fn stop_resumable(child: Child, name: &str) -> Output {
    signal(name, &[child.id()]);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("the same command goes on from there"),
        "{said}"
    );
    output
}

/// Reads a file under tests/data.
pub(crate) fn read_data(name: &str) -> String {
    let path = data(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a data file with their numbers, without blank lines and `#` comments.
pub(crate) fn data_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line));
    numbered.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

/// Asserts that a golden file contains `actual`; with `UPDATE=1` in the environment, rewrites the file instead.
pub(crate) fn assert_golden(name: &str, actual: &str) {
    let path = data(name);
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::create_dir_all(path.parent().expect("a golden file lies in a folder"))
            .expect("the folder can be made");
        fs::write(&path, actual).expect("the golden file can be written");
        return;
    }
    let expected = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; UPDATE=1 writes it", path.display()));
    if expected != actual {
        let line = expected
            .lines()
            .zip(actual.lines())
            .position(|(old, new)| old != new);
        let line = line.unwrap_or_else(|| expected.lines().count().min(actual.lines().count()));
        panic!(
            "{}, line {}:\nexpected {:?}\nbut got  {:?}\n(UPDATE=1 accepts the new text)",
            path.display(),
            line + 1,
            expected.lines().nth(line),
            actual.lines().nth(line),
        );
    }
}

/// Every game of the table by name, unlisted ones included.
pub(crate) fn every_game() -> impl DoubleEndedIterator<Item = &'static str> {
    games::FACTS.iter().map(|facts| facts.name)
}

/// Every game with every variant it lists, by name.
pub(crate) fn every_variant() -> Vec<String> {
    struct Names;
    impl Visitor for Names {
        type Out = Vec<String>;

        fn visit<G: Playable>(self, _: G::Rules) -> Vec<String> {
            let variants = G::VARIANTS
                .iter()
                .map(|variant| format!("{}:{variant}", G::NAME));
            std::iter::once(G::NAME.to_owned())
                .chain(variants)
                .collect()
        }
    }
    every_game()
        .flat_map(|name| games::with_game(name, Names).expect("games of the table exist"))
        .collect()
}

/// Asserts that the table of protocol.md marked `name` is `table`; with `UPDATE=1` in the environment, rewrites it instead.
pub(crate) fn assert_doc_table(name: &str, table: &str) {
    assert_page_table("protocol.md", name, table);
}

/// [`assert_doc_table`] for any page, named by its path from the root of the repository.
pub(crate) fn assert_page_table(page: &str, name: &str, table: &str) {
    static PAGE_LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
    // Tests of one program that rewrite the same page take turns.
    let _guard = PAGE_LOCK.lock();
    let path = data("../..").join(page);
    let page = fs::read_to_string(&path).expect("the page is there");
    let begin = format!("<!-- {name}: written by UPDATE=1 cargo test -->\n");
    let start = page.find(&begin).expect("the table's beginning is marked") + begin.len();
    let length = page[start..]
        .find("<!-- end -->\n")
        .expect("the table's end is marked");
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        let (before, after) = (&page[..start], &page[start + length..]);
        fs::write(&path, format!("{before}\n{table}\n{after}")).expect("it can be written");
        return;
    }
    assert_eq!(
        page[start..start + length].trim(),
        table.trim(),
        "UPDATE=1 accepts the table"
    );
}
