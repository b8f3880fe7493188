//! tests/data/requirements.csv: what the five reports require, and what shows that it holds.

use std::{collections::BTreeMap, fs, path::PathBuf};

use canopy_engine::experiments::builtin;
use serde::Deserialize;
use support::{data, read_data};

mod support;

/// What stands in `shown_by` where the product does something else; the note then has the reason.
const DECIDED_OTHERWISE: &str = "decided otherwise";

/// The sections of the reports. Report 004 has no numbers: its chapters are counted.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "000",
        &[
            "1", "1.1", "1.2", "1.3", "2.1", "2.1.1", "2.2", "3.1", "3.2", "3.3", "3.4", "3.5",
            "3.6", "3.7", "3.8", "3.8.1", "3.9", "4.1", "4.2", "4.3", "4.4", "4.5", "5.1", "5.2",
            "5.3", "6", "7.1", "7.2", "8",
        ],
    ),
    (
        "001",
        &[
            "1", "1.1", "1.2", "1.3", "1.4", "1.4.1", "1.4.2", "1.5", "2", "3", "4", "4.1", "4.2",
            "4.3", "5", "5.1", "6",
        ],
    ),
    (
        "002",
        &[
            "1", "1.1", "2", "2.1", "2.2", "2.3", "2.4", "3", "4", "4.1", "4.2", "4.3", "4.4",
            "4.5", "4.6", "5", "6",
        ],
    ),
    (
        "003",
        &[
            "1", "2", "3", "4", "5", "6", "6.1", "6.2", "6.3", "7", "8", "8.1", "8.2", "8.3",
            "9.1", "9.2", "9.3", "9.4", "9.5", "9.6", "10",
        ],
    ),
    (
        "004",
        &["1", "2", "3.1", "3.2", "3.3", "3.4", "3.5", "4", "5"],
    ),
];

/// A row of the file.
#[derive(Debug, Deserialize)]
struct Requirement {
    /// Report, section and number: `000-1.1-3`.
    id: String,
    requirement: String,
    /// Tests (`tests/x.rs::name`) and experiments (`experiment 002-h1`), with `; ` between them.
    shown_by: String,
    note: String,
}

impl Requirement {
    /// Report, section, and the number in it.
    fn place(&self) -> (&str, &str, usize) {
        let parts: Vec<&str> = self.id.split('-').collect();
        let [report, section, number] = parts[..] else {
            panic!("{}: expected report-section-number", self.id);
        };
        (report, section, number.parse().expect("a number"))
    }
}

fn requirements() -> Vec<Requirement> {
    let text = read_data("requirements.csv");
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
    rows.map(|row| row.expect("a row of the file")).collect()
}

/// Whether a source file has a test of this name, written out or as the first word of a line for a macro that makes tests.
fn has_test(path: &PathBuf, name: &str) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    let is_made = text.contains("fn $test()") && text.contains(&format!("    {name}: "));
    is_made || written_tests(&text).any(|test| test == name)
}

/// The functions after `#[test]`, with other attributes between.
fn written_tests(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[test]").skip(1).filter_map(|after| {
        let (before, rest) = after.split_once("fn ")?;
        let is_attributes = before.lines().all(|line| {
            let line = line.trim();
            line.is_empty() || line.starts_with("#[") || line.starts_with("//")
        });
        let (name, _) = rest.split_once('(')?;
        is_attributes.then_some(name)
    })
}

#[test]
fn every_named_test_exists() {
    let root = data("../..");
    let mut missing = Vec::new();
    for row in requirements() {
        let tests = row
            .shown_by
            .split("; ")
            .filter(|shown| shown.contains(".rs"));
        for shown in tests {
            let (path, name) = shown.split_once("::").expect("a file and a name");
            if !has_test(&root.join(path), name) {
                missing.push(format!("{}: {shown}", row.id));
            }
        }
    }
    assert!(missing.is_empty(), "no such tests:\n{}", missing.join("\n"));
}

#[test]
fn every_named_experiment_comes_with_the_program() {
    let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in requirements() {
        let experiments = row.shown_by.split("; ");
        for name in experiments.filter_map(|shown| shown.strip_prefix("experiment ")) {
            if builtin::find(name).is_none() {
                missing
                    .entry(name.to_owned())
                    .or_default()
                    .push(row.id.clone());
            }
        }
    }
    assert!(missing.is_empty(), "no such experiments: {missing:?}");
}

#[test]
fn everything_is_shown_or_decided_otherwise_with_a_reason() {
    for row in requirements() {
        assert!(!row.requirement.trim().is_empty(), "{}", row.id);
        let is_known = |shown: &str| {
            shown.starts_with("experiment ")
                || shown.contains(".rs::")
                || shown == DECIDED_OTHERWISE
        };
        let all: Vec<&str> = row.shown_by.split("; ").collect();
        assert!(all.iter().all(|shown| is_known(shown)), "{row:?}");
        if all.contains(&DECIDED_OTHERWISE) {
            assert!(all.len() == 1 && !row.note.is_empty(), "{row:?}");
        }
    }
}

/// Sections stand in the order of the reports, numbers count from 1 in each.
#[test]
fn every_section_of_the_reports_has_rows_in_order() {
    let rows = requirements();
    let mut places: Vec<(&str, &str)> = Vec::new();
    let mut last = 0;
    for row in &rows {
        let (report, section, number) = row.place();
        if places.last() != Some(&(report, section)) {
            places.push((report, section));
            last = 0;
        }
        assert_eq!(number, last + 1, "{}", row.id);
        last = number;
    }
    let expected: Vec<(&str, &str)> = (SECTIONS.iter())
        .flat_map(|(report, sections)| sections.iter().map(move |section| (*report, *section)))
        .collect();
    assert_eq!(places, expected);
}

#[test]
fn the_check_itself_sees_tests_and_nothing_else() {
    let text = "#[test]\nfn one() {}\n#[test]\n#[ignore = \"slow\"]\nfn two() {}\nfn three() {}\n";
    assert_eq!(written_tests(text).collect::<Vec<_>>(), ["one", "two"]);
    assert!(!has_test(&data("../requirements.rs"), "written_tests"));
    assert!(has_test(&data("../playing.rs"), "kalah_in_every_way"));
}
