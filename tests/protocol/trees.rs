//! Trees that the server writes: where they go, how many stay, and what their sidecars say.

use std::collections::BTreeMap;

use canopy_engine::tree::meta;

use super::*;

/// Finished searches write their trees, classical ones too. Problems with the directory are reported once.
#[test]
fn trees_go_to_the_directory() {
    let scratch = Scratch::new("protocol-trees");
    let directory = scratch.0.join("trees here");
    let script = format!(
        "uci\nsetoption name TreeDir value {}\nsetoption name TreeJournal value true\n\
         setoption name TreeExtra value true\nsetoption name TreeStates value all\nsetoption name TreeMaxNodes value 100\n\
         setoption name TreeMinVisits value 2\nposition startpos moves e2e4\ngo nodes 2000\nwait\n\
         setoption name TreeFormat value csv\nsetoption name Search value alpha-beta\ngo depth 2\nwait\n\
         setoption name Game value kalah\nsetoption name TreeEvery value 1\nsetoption name Search value uct\n\
         go nodes 30000\nwait\nquit\n",
        directory.display()
    );
    let (text, well) = run_piped(&[], script.as_bytes());
    assert!(well && text.matches("bestmove").count() == 3, "{text}");
    let scratch = Scratch(directory);
    assert_eq!(scratch.files("tree").len(), 1);
    assert_eq!(scratch.files("csv").len(), 2);
    assert_eq!(scratch.files("growth").len(), 2);
    for path in scratch.files("json") {
        let sidecar = meta::read(fs::File::open(&path).expect("it is there")).expect("it is sound");
        assert!(sidecar.is_final && sidecar.chosen.is_some(), "{sidecar:?}");
        assert_eq!(sidecar.cut.max_nodes, Some(100));
    }
    for extension in ["tree", "csv"] {
        for path in scratch.files(extension) {
            let tree = files::read(&path, None).expect("it is a tree");
            assert!(tree.tree.nodes().len() <= 100 && tree.extra.is_some());
        }
    }
    // A file where the directory should be.
    let script = format!(
        "uci\nsetoption name TreeDir value {}\ngo nodes 10\n",
        scratch.files("tree")[0].display()
    );
    let (text, well) = run_piped(&[], script.as_bytes());
    assert!(
        well && text.contains("info string cannot write trees to "),
        "{text}"
    );
    assert!(last_line(&text).starts_with("bestmove "), "{text}");
}

/// The parameters in the sidecars of all trees below a directory.
fn sidecar_parameters(directory: &Path) -> Vec<BTreeMap<String, String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("there are trees") {
        let path = entry.expect("the directory can be read").path();
        if path.is_dir() {
            found.extend(sidecar_parameters(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "tree")
        {
            let sidecar = fs::File::open(path.with_extension("json")).expect("it is there");
            found.push(meta::read(sidecar).expect("it is sound").parameters);
        }
    }
    found
}

/// A parameter written in the search overrides an option's default; of a written one and a set option the later wins.
#[test]
fn the_last_thing_said_of_a_parameter_counts() {
    let scratch = Scratch::new("protocol-parameters");
    let directory = scratch.0.join("trees");
    for (number, (options, memory, exploration)) in [
        (
            vec!["Search=uct,memory=24,exploration=0.3"],
            "24",
            Some("0.3"),
        ),
        (vec!["Hash=32", "Search=uct,memory=24"], "24", None),
        (vec!["Search=uct,memory=24", "Hash=32"], "32", None),
        (vec!["Hash=32", "Search=uct"], "32", None),
        (
            vec!["Search=uct,memory=24", "Search=uct,Memory=16,memory=17"],
            "17",
            None,
        ),
        (
            vec!["Exploration=0.2", "Search=uct,exploration=0.3", "Hash=16"],
            "16",
            Some("0.3"),
        ),
        (
            vec!["Search=uct,exploration=0.3", "Exploration=0.2", "Hash=16"],
            "16",
            Some("0.2"),
        ),
        (
            vec!["Search=uct,exploration=0.3", "Exploration=auto", "Hash=16"],
            "16",
            Some("0.3"),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let directory = directory.join(number.to_string());
        let trees = format!("TreeDir={}", directory.display());
        let mut arguments = vec!["--game", "connect-four", "--option", &trees];
        for option in &options {
            arguments.extend(["--option", option]);
        }
        let (text, well) = run_piped(&arguments, b"ugi\ngo nodes 50\n");
        assert!(well && last_line(&text).starts_with("bestmove"), "{text}");
        let found = sidecar_parameters(&directory);
        assert_eq!(found.len(), 1, "{options:?}");
        assert_eq!(found[0]["memory"], memory, "{options:?}");
        if let Some(exploration) = exploration {
            assert_eq!(found[0]["exploration"], exploration, "{options:?}");
        }
    }
}

/// With `--trees-under` no client can write trees elsewhere: not by an absolute path, `..`, or a link.
#[cfg(unix)]
#[test]
fn trees_stay_under_a_directory_on_request() {
    let scratch = Scratch::new("trees-under");
    let (inside, outside) = (scratch.0.join("inside"), scratch.0.join("outside"));
    for directory in [&inside, &outside] {
        fs::create_dir(directory).expect("it can be made");
    }
    std::os::unix::fs::symlink(&outside, inside.join("link")).expect("it can be made");
    std::os::unix::fs::symlink(scratch.0.join("nowhere"), inside.join("dangling"))
        .expect("it can be made");
    std::os::unix::fs::symlink(&inside, scratch.0.join("way-in")).expect("it can be made");
    let under = inside.to_str().expect("the path is UTF-8");
    let search = |directory: &str| {
        let script = format!("uci\nsetoption name TreeDir value {directory}\ngo nodes 50\n");
        let (text, well) = run_piped(
            &["--game", "kalah", "--trees-under", under],
            script.as_bytes(),
        );
        assert!(well && last_line(&text).starts_with("bestmove "), "{text}");
        text
    };
    let place = |name: &str| format!("{}/{name}", scratch.0.display());
    for refused in [
        "outside",
        "outside/new",
        "inside/../outside",
        "inside/link",
        "inside/link/deeper",
        "inside/new/../../outside",
        "inside/dangling",
        "inside/dangling/deeper",
        "inside-out",
    ] {
        let text = search(&place(refused));
        assert!(
            text.contains("info string TreeDir \"") && text.contains("expected a directory under"),
            "{refused}: {text}"
        );
    }
    let relative = search("somewhere");
    assert!(relative.contains("lies elsewhere"), "{relative}");
    assert_eq!(fs::read_dir(&outside).expect("it is there").count(), 0);
    assert!(!scratch.0.join("nowhere").exists() && !scratch.0.join("inside-out").exists());
    for taken in ["inside", "inside/a/b", "inside/x/./y", "way-in/c"] {
        let text = search(&place(taken));
        assert!(!text.contains("info string TreeDir"), "{taken}: {text}");
        let written = fs::read_dir(scratch.0.join(taken)).expect("it is there");
        let is_tree =
            |entry: &fs::DirEntry| entry.path().extension().is_some_and(|name| name == "tree");
        assert_eq!(written.flatten().filter(is_tree).count(), 1, "{taken}");
    }
    // A set-up that asks for the impossible is refused at once.
    let output = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args([
            "--trees-under",
            under,
            "--option",
            &format!("TreeDir={}", place("outside")),
        ])
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
}

/// `--trees-under` holds for the cache of solvers, too.
#[cfg(unix)]
#[test]
fn a_cache_stays_under_the_directory_of_trees() {
    let scratch = Scratch::new("cache-under");
    let inside = scratch.0.join("inside");
    fs::create_dir(&inside).expect("it can be made");
    let under = inside.to_str().expect("the path is UTF-8");
    for (directory, is_refused) in [("inside/cache", false), ("outside", true)] {
        let path = scratch.0.join(directory);
        let script = format!(
            "ugi\nsetoption name CacheDir value {}\nquery value movetime 100\n",
            path.display()
        );
        let arguments = ["--game", "connect-four", "--trees-under", under];
        let (text, well) = run_piped(&arguments, script.as_bytes());
        assert!(
            well && last_line(&text).starts_with("response value "),
            "{text}"
        );
        assert_eq!(
            text.contains("info string CacheDir \""),
            is_refused,
            "{text}"
        );
    }
    assert!(!scratch.0.join("outside").exists());
}

/// `TreeKeep` keeps the newest trees with their companion files over all directories, and touches no other files.
#[test]
fn only_the_newest_trees_stay_on_request() {
    let scratch = Scratch::new("tree-keep");
    let (first, second) = (scratch.0.join("first"), scratch.0.join("second"));
    fs::create_dir(&first).expect("it can be made");
    fs::write(first.join("old.tree"), "of somebody else").expect("it can be written");
    let script = format!(
        "ugi\nsetoption name Search value puct\nsetoption name TreeKeep value 3\nsetoption name TreeExtra value true\nsetoption name TreeJournal value true\n\
         setoption name TreeDir value {}\ngo nodes 50\nwait\ngo nodes 50\nwait\ngo nodes 50\nwait\ngo nodes 50\nwait\n\
         setoption name TreeDir value {}\ngo nodes 50\nwait\nsetoption name TreeFormat value csv\ngo nodes 50\n",
        first.display(),
        second.display()
    );
    let (text, well) = run_piped(&["--game", "connect-four"], script.as_bytes());
    assert!(well && text.matches("bestmove").count() == 6, "{text}");
    let names = |directory: &Path| -> Vec<String> {
        let entries = fs::read_dir(directory).expect("it is there");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("it can be read")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    };
    let (older, newer) = (names(&first), names(&second));
    // The fourth tree of the first directory with four companions, and a file that is not ours.
    assert_eq!(older.len(), 6, "{older:?}");
    assert!(
        older
            .iter()
            .all(|name| name.contains("-000004-") || name == "old.tree"),
        "{older:?}"
    );
    assert_eq!(newer.len(), 10, "{newer:?}");
    assert_eq!(
        newer.iter().filter(|name| name.ends_with(".csv")).count(),
        1,
        "{newer:?}"
    );
}

#[test]
fn the_engines_of_a_match_search_as_they_are_written() {
    let scratch = Scratch::new("protocol-match-parameters");
    let trees = scratch.0.join("trees");
    let status = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["match", "--game", "connect-four", "--games", "1"])
        .args(["--engine", "search=uct,memory=24,threads=2"])
        .args(["--engine", "search=uct,memory=25", "--go", "nodes 50"])
        .args(["--max-plies", "2", "--trees"])
        .arg(&trees)
        .stdout(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()));
    let told = sidecar_parameters(&trees).into_iter();
    let mut used: Vec<(String, String)> = told
        .map(|all| (all["memory"].clone(), all["threads"].clone()))
        .collect();
    used.sort();
    let pair = |memory: &str, threads: &str| (memory.to_owned(), threads.to_owned());
    assert_eq!(used, [pair("24", "2"), pair("25", "1")]);
}
