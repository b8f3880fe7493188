//! Reports: verdicts from data, and pages, Markdown and CSV from reports.
//!
//! The pages of the published experiments are left in `target/tmp/reports`, where tests/chromium/check_report.py opens them.

use std::{fs, path::PathBuf};

#[path = "reports/published.rs"]
mod published;
#[path = "reports/verdicts.rs"]
mod verdicts;
#[path = "reports/writers.rs"]
mod writers;

/// A file of tests/data/reports.
fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data/reports")
        .join(name)
}

/// Compares a text with a golden file, or writes it when `UPDATE` is set.
#[track_caller]
fn compare_with_golden(name: &str, text: &str) {
    let path = golden(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).expect("tests/data can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name} differs; UPDATE=1 rewrites it");
}
