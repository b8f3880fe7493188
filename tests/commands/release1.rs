//! Files that the first release wrote (version 0.1.0, the program before `strong`): every format opens as it did. Made by
//!
//! ```sh
//! canopy-engine grow --game connect-four --search puct,seed=3 --iterations 40 --journal --extra --out trees
//! canopy-engine grow --game kalah:3x2 --search transposition-002,entries=100 --iterations 30 --format csv --extra --out trees
//! canopy-engine grow --game othello --search alpha-beta,depth=2 --iterations 100 --extra --out trees
//! canopy-engine grow --game delta --search grouping --iterations 25 --extra --journal --out trees
//! canopy-engine match --game delta --engine search=uct --engine search=random --games 2 --go "nodes 10" --out match --trees live
//! canopy-engine book make --game kalah:2x2 --plies 2 --out small.cbook
//! ```
//!
//! with shorter names of the trees' files, and another name of the machine.

use std::{fs, path::PathBuf};

use canopy_engine::tree::files;

use super::*;
use crate::support::data;

/// The samples in a directory of their own, because reports are written beside what they report on.
fn samples(scratch: &Scratch) -> PathBuf {
    fn copy(from: &std::path::Path, to: &std::path::Path) {
        fs::create_dir_all(to).expect("a directory can be made");
        for entry in fs::read_dir(from).expect("the samples are there") {
            let entry = entry.expect("a file").path();
            let target = to.join(entry.file_name().expect("a name"));
            if entry.is_dir() {
                copy(&entry, &target);
            } else {
                fs::copy(&entry, &target).expect("it can be copied");
            }
        }
    }
    copy(&data("release1"), &scratch.0);
    scratch.0.clone()
}

#[test]
fn trees_sidecars_extras_columns_and_journals_of_the_first_release_open() {
    let scratch = Scratch::new("release1-trees");
    let trees = samples(&scratch).join("trees");
    let mut opened = 0;
    for entry in fs::read_dir(&trees).expect("the samples are there") {
        let path = entry.expect("a file").path();
        let text = path.to_str().expect("UTF-8");
        if !text.ends_with(".tree") && !text.ends_with(".csv") && !text.ends_with(".growth") {
            continue;
        }
        opened += 1;
        let about = engine_stdout(&["inspect", text, "--strict"]);
        if text.ends_with(".growth") {
            continue;
        }
        assert!(about.contains("everything adds up"), "{text}: {about}");
        let document = files::read(&path, None).expect("a tree");
        let has_extra = document.extra.is_some();
        assert!(has_extra, "{text}: its extras are read");
        let converted = scratch.0.join("converted.json");
        let converted = converted.to_str().expect("UTF-8");
        engine_stdout(&["convert", text, converted]);
        fs::remove_file(converted).expect("it was written");
    }
    assert_eq!(opened, 6);
    let about = engine_stdout(&[
        "inspect",
        trees
            .join("connect-four-puct.tree")
            .to_str()
            .expect("UTF-8"),
    ]);
    assert!(about.contains("puct, finished: 40 iterations"), "{about}");
    let document = files::read(&trees.join("connect-four-puct.tree"), None).expect("a tree");
    assert!(document.columns.is_some(), "the priors are read");
}

#[test]
fn runs_and_books_of_the_first_release_open() {
    let scratch = Scratch::new("release1-runs");
    let home = samples(&scratch);
    let path = |name: &str| home.join(name).to_str().expect("UTF-8").to_owned();
    let published = fs::read_to_string(home.join("match/report.txt")).expect("its own report");
    let report = engine_stdout(&["report", &path("match")]);
    let table = |text: &str| {
        let lines = text.lines().skip_while(|line| !line.starts_with("engine "));
        lines
            .map(str::trim_end)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(table(&report), table(&published));
    let book = engine_stdout(&["book", "show", &path("small.cbook")]);
    assert!(book.contains("best"), "{book}");
}
