//! Memory that is refused costs the tree and not the game.

use super::*;

/// Size of a process's address space in bytes.
fn address_space_bytes(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kb: u64 = size
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kb << 10
}

#[test]
fn memory_that_is_refused_costs_the_tree_and_not_the_game() {
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

    let scratch = Scratch::new("refused");
    let mut child = Command::new(ENGINE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // A search of short playouts grows soon.
    let script = format!(
        "uci\nsetoption name TreeDir value {}\nsetoption name Hash value 100\n\
         setoption name PlayoutLimit value 1\nsetoption name ExpandOn value 1\ngo nodes 1000\n",
        scratch.0.display()
    );
    input.write_all(script.as_bytes()).unwrap();
    wait_until("there is a tree", || count_scratch_trees(&scratch.0) > 0);
    // From now on there is room for another thread's stack, but not for a copy of a large tree.
    let limit = Rlimit {
        current: Some(address_space_bytes(&child) + (20 << 20)),
        ..getrlimit(Resource::As)
    };
    let pid = Pid::from_raw(child.id() as i32).unwrap();
    prlimit(Some(pid), Resource::As, limit).unwrap();
    input
        .write_all(b"go nodes 60000\nwait\ngo nodes 1000\nwait\n")
        .unwrap();
    drop(input);
    let (lines, _, code) = wait_for_output(child);
    let told = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
    assert_eq!(code, Some(0), "{lines:?}");
    assert_eq!(told("bestmove "), 3, "{lines:?}");
    assert_eq!(told("cannot write the tree to "), 1, "{lines:?}");
    assert_eq!(told("Cannot allocate memory"), 1, "{lines:?}");
    assert_eq!(
        told("info string 2 trees could not be written"),
        1,
        "{lines:?}"
    );
    assert_eq!(count_whole_trees(&scratch.0), 1);
}

#[test]
fn a_search_that_gets_less_memory_than_it_asked_for_says_so() {
    let scratch = Scratch::new("less");
    let search = "transposition-002,memory=1024,entries=40000000";
    let script = format!(
        "ulimit -v 300000; exec {ENGINE} grow --game connect-four --search {search} --iterations 3000 --plies 3 --out {}",
        scratch.0.display()
    );
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(errors.lines().count(), 2, "{errors}");
    assert!(
        errors.contains(" of the 1024 MB of memory asked for"),
        "{errors}"
    );
    assert!(
        errors.contains(" of the 40000000 entries asked for"),
        "{errors}"
    );
    assert_eq!(count_whole_trees(&scratch.0), 3);
    for path in scratch.files("json") {
        let sidecar = meta::read(fs::File::open(&path).unwrap()).unwrap();
        assert_eq!(sidecar.shortfalls.len(), 2, "{sidecar:?}");
        for shortfall in &sidecar.shortfalls {
            assert!(errors.contains(shortfall), "{shortfall}\n{errors}");
        }
    }
}

#[test]
fn a_table_for_which_the_limit_leaves_no_room_is_told_of_once() {
    let scratch = Scratch::new("shrunk");
    let script = format!(
        "ugi\nsetoption name TreeDir value {}\nsetoption name Search value transposition-002\n\
         setoption name Hash value 16\ngo nodes 10\ngo nodes 10\ngo nodes 10 searchmoves 4\ngo nodes 10\n",
        scratch.0.display()
    );
    let mut command = Command::new(ENGINE);
    command.args(["--game", "connect-four"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let (text, well) = run_server_script(&mut command, &script);
    assert!(well && text.matches("bestmove").count() == 4, "{text}");
    let sentence = "the table has 349525 of the 8000000 entries asked for";
    assert_eq!(
        text.matches(&format!("info string {sentence}")).count(),
        1,
        "{text}"
    );
    let sidecars = scratch.files("json");
    assert_eq!(sidecars.len(), 4);
    for path in sidecars {
        let sidecar = meta::read(fs::File::open(&path).unwrap()).unwrap();
        assert!(sidecar.shortfalls[0].starts_with(sentence), "{sidecar:?}");
        let tree = path.with_extension("tree");
        let inspected = Command::new(ENGINE).arg("inspect").arg(tree).output();
        let inspected = String::from_utf8(inspected.unwrap().stdout).unwrap();
        assert!(inspected.contains(sentence), "{inspected}");
    }
}

#[test]
fn commands_say_that_a_table_is_smaller_than_asked_for() {
    let search = "transposition-002,memory=16,iterations=5";
    let duel = ["duel", "--games", "1", "--search", "uct,iterations=5"];
    let rate = ["bench", "rate", "--iterations", "5"];
    for words in [&duel[..], &rate] {
        let mut command = Command::new(ENGINE);
        command.args(words).args(["--game", "connect-four"]);
        let output = command.args(["--search", search]).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        let sentence = "the table has 349525 of the 8000000 entries asked for";
        assert_eq!(errors.matches(sentence).count(), 1, "{words:?}: {errors}");
        assert!(output.status.success());
    }
}
