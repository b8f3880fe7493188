//! The writer thread: running searches, slow disks, lost directories, and panics.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use canopy_engine::search::{EdgeView, Reward, RootEdge, TreeCopy};

use super::*;

#[test]
fn snapshots_of_a_running_search_replace_each_other() {
    let scratch = Scratch::new("running");
    for threads in [1, 2] {
        let output = TreeOutput::open(
            TreeOutputSettings {
                snapshot_interval: Some(Duration::from_millis(2)),
                ..writer_settings(&scratch.0)
            },
            no_warning(),
        )
        .unwrap();
        let (start, history) = start_position();
        let name = format!("uct,threads={threads}");
        let spec = catalog::parse::<ConnectFour>(&name).unwrap();
        search_and_write(
            &mut *catalog::build(&spec).unwrap(),
            &start,
            &history,
            100_000,
            Some(&output),
        );
        drop(output);
        let trees = scratch.files("tree");
        assert_eq!(trees.len(), threads);
        let document = files::read(&trees[threads - 1], None).unwrap();
        assert_eq!(document.tree.nodes()[0].visits, 100_000);
        assert_eq!(summary::summarize(&document).inconsistencies, []);
        assert!(document.meta.unwrap().is_final);
    }
    assert!(scratch.files("tmp").is_empty());
}

/// A tree that is slow to read, which keeps the writer busy.
struct SlowTree(ConnectFour);

impl TreeView<ConnectFour> for SlowTree {
    fn root_position(&self) -> &ConnectFour {
        &self.0
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        std::thread::sleep(Duration::from_millis(50));
        (1, 1, Reward::EVEN)
    }

    fn for_each_edge(&self, _: u32, _: &mut dyn FnMut(EdgeView<<ConnectFour as Game>::Move>)) {}

    fn root_edge(&self) -> RootEdge {
        RootEdge::default()
    }
}

#[test]
fn a_slow_disk_holds_nobody_up_and_fills_no_memory() {
    let scratch = Scratch::new("slow");
    let warnings = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&warnings);
    let output = TreeOutput::open(
        writer_settings(&scratch.0),
        Box::new(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        }),
    )
    .unwrap();
    // All of these would take 5 seconds.
    for _ in 0..100 {
        let files = output.begin_search("connect-four", "slow");
        files.finish(
            || Ok(Box::new(SlowTree(ConnectFour::start(())))),
            Meta::default(),
        );
    }
    assert!(scratch.files("tree").len() < 50);
    drop(output);
    let trees = scratch.files("tree").len();
    assert!((1..50).contains(&trees), "{trees}");
    // The first that was lost is told, then that it were ten, and in the end how many.
    assert!((2..10).contains(&warnings.load(Ordering::Relaxed)));
}

#[test]
fn a_directory_that_goes_and_comes_back_is_told_of_once() {
    let scratch = Scratch::new("gone");
    let inner = scratch.0.join("trees");
    let warnings = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&warnings);
    let warn = move |warning: &str| {
        let known = [
            "cannot write the tree to ",
            "2 trees could not be written to ",
        ];
        assert!(
            known.iter().any(|begin| warning.starts_with(begin)),
            "{warning}"
        );
        counted.fetch_add(1, Ordering::Relaxed);
    };
    let output = TreeOutput::open(writer_settings(&inner), Box::new(warn)).unwrap();
    let write = || {
        let files = output.begin_search("connect-four", "quick");
        let start = ConnectFour::start(());
        files.finish(|| Ok(Box::new(SlowTree(start))), Meta::default());
        // The writer is done when it is idle.
        while !output.begin_search("connect-four", "quick").is_idle() {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    let trees = || {
        fs::read_dir(&inner).map_or(0, |entries| {
            let names = entries.map(|entry| entry.unwrap().path());
            names
                .filter(|path| path.extension().is_some_and(|name| name == "tree"))
                .count()
        })
    };
    write();
    assert_eq!(trees(), 1);
    fs::remove_dir_all(&inner).unwrap();
    write();
    write();
    assert_eq!(warnings.load(Ordering::Relaxed), 1);
    fs::create_dir(&inner).unwrap();
    write();
    assert_eq!(trees(), 1);
    // Now it is told that two were lost.
    assert_eq!(warnings.load(Ordering::Relaxed), 2);
    fs::remove_dir_all(&inner).unwrap();
    write();
    assert_eq!(warnings.load(Ordering::Relaxed), 3);
    assert_eq!(output.finish(), 3);
}

#[test]
fn whoever_keeps_all_trees_waits_for_the_disk() {
    let scratch = Scratch::new("patient");
    let output = TreeOutput::open_blocking(writer_settings(&scratch.0), no_warning()).unwrap();
    for _ in 0..20 {
        let files = output.begin_search("connect-four", "slow");
        files.finish(
            || Ok(Box::new(SlowTree(ConnectFour::start(())))),
            Meta::default(),
        );
    }
    assert_eq!(output.finish(), 0);
    assert_eq!(scratch.files("tree").len(), 20);
}

/// A tree on which the writer fails.
struct BrokenTree(ConnectFour);

impl TreeView<ConnectFour> for BrokenTree {
    fn root_position(&self) -> &ConnectFour {
        &self.0
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        panic!("broken on purpose")
    }

    fn for_each_edge(&self, _: u32, _: &mut dyn FnMut(EdgeView<<ConnectFour as Game>::Move>)) {}

    fn root_edge(&self) -> RootEdge {
        RootEdge::default()
    }
}

#[test]
fn a_writer_that_panics_loses_that_tree_alone_and_says_so() {
    let scratch = Scratch::new("panics");
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&warnings);
    let warn = move |warning: &str| heard.lock().unwrap().push(warning.to_owned());
    let output = TreeOutput::open(writer_settings(&scratch.0), Box::new(warn)).unwrap();
    let start = ConnectFour::start(());
    let write = |copy: io::Result<TreeCopy<ConnectFour>>| {
        let files = output.begin_search("connect-four", "broken");
        files.finish(|| copy, Meta::default());
    };
    write(Ok(Box::new(BrokenTree(start))));
    // No memory for a copy is a lost tree, too.
    write(Err(io::ErrorKind::OutOfMemory.into()));
    write(Ok(Box::new(SlowTree(start))));
    assert_eq!(output.finish(), 2);
    assert_eq!(scratch.files("tree").len(), 1);
    let warnings = warnings.lock().unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings[0].contains("the writer failed: broken on purpose"),
        "{warnings:?}"
    );
    assert!(
        warnings[1].starts_with("2 trees could not be written"),
        "{warnings:?}"
    );
}

#[test]
fn a_directory_that_is_a_file_is_refused_at_once() {
    let scratch = Scratch::new("file");
    let path = scratch.0.join("file");
    fs::write(&path, "text").unwrap();
    let error = TreeOutput::open(writer_settings(&path), no_warning())
        .err()
        .unwrap();
    assert!(
        [io::ErrorKind::AlreadyExists, io::ErrorKind::NotADirectory].contains(&error.kind()),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_directory() {
    let scratch = Scratch::new("links");
    let outside = scratch.0.join("outside");
    fs::write(&outside, "precious").unwrap();
    let inner = scratch.0.join("trees");
    fs::create_dir(&inner).unwrap();
    let target = inner.join("x.tree");
    std::os::unix::fs::symlink(&outside, &target).unwrap();
    let hidden = inner.join(format!(".{}-x.tree.tmp", std::process::id()));
    std::os::unix::fs::symlink(&outside, &hidden).unwrap();
    files::write_atomic(&target, |out| io::Write::write_all(out, b"new")).unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
    assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    assert!(!target.is_symlink());
}
