//! What reports 002 published, tested again: by arithmetic here, and by the product.

use canopy_engine::reports::Outcome;

use super::{column, has_text, quick, run};

/// McNemar's statistic as report 002 defines it, from its rows: the first named moves first in the first, and second in the second.
fn chi_squared([one_first, other_first]: [[f64; 3]; 2]) -> f64 {
    let one = one_first[0] + other_first[2];
    let other = one_first[2] + other_first[0];
    (one - other) * (one - other) / (one + other)
}

fn assert_chi_squared(name: &str, id: &str, tables: &[[[f64; 3]; 2]], expected: &[f64]) {
    let finished = quick(&format!("published-{name}"), name);
    let tests = finished.hypothesis(id).tests.as_ref().expect("tests");
    let cells = column(tests, ("McNemar, as published", "χ²"), |row| {
        has_text(row, "published")
    });
    let values: Vec<f64> = cells
        .iter()
        .map(|cell| cell.value.expect("a number"))
        .collect();
    assert_eq!(values.len(), expected.len());
    for ((value, rows), expected) in values.iter().zip(tables).zip(expected) {
        assert!(
            (value - chi_squared(*rows)).abs() < 1e-9,
            "{value} {rows:?}"
        );
        assert!((value - expected).abs() < 0.0006, "{value} {expected}");
    }
    let ours = column(tests, ("", "score"), |row| has_text(row, "ours"));
    assert_eq!(ours.len(), expected.len(), "every pair has played");
}

#[test]
fn the_statistics_of_hypothesis_1_are_those_of_its_table() {
    let tables = [
        [[14.0, 10.0, 76.0], [15.0, 10.0, 75.0]],
        [[11.0, 3.0, 86.0], [20.0, 33.0, 47.0]],
        [[14.0, 1.0, 85.0], [23.0, 23.0, 54.0]],
        [[24.0, 1.0, 75.0], [23.0, 23.0, 54.0]],
    ];
    assert_chi_squared("002-h1", "H1", &tables, &[0.0222, 14.049, 9.091, 2.273]);
}

#[test]
fn the_statistics_of_hypothesis_3_are_those_of_its_table() {
    let tables = [
        [[15.0, 23.0, 62.0], [21.0, 3.0, 76.0]],
        [[60.0, 16.0, 24.0], [61.0, 12.0, 27.0]],
        [[61.0, 15.0, 24.0], [61.0, 14.0, 25.0]],
    ];
    assert_chi_squared("002-h3", "H3", &tables, &[0.368, 0.023, 0.0058]);
}

#[test]
fn every_kind_of_uct_meets_the_rules_of_thumb() {
    let finished = quick("published-h2", "002-h2");
    assert_eq!(finished.end.done, 10, "two games of five pairs");
    let tests = finished.hypothesis("H2").tests.as_ref().expect("tests");
    let scores = column(tests, ("", "score"), |row| has_text(row, "published"));
    let scores: Vec<f64> = scores.iter().filter_map(|cell| cell.value).collect();
    assert_eq!(scores, [0.995, 0.995, 1.0, 1.0, 1.0]);
}

/// Pearson's coefficient by its definition.
fn pearson(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| points.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let sum = |part: &dyn Fn(f64, f64) -> f64| -> f64 {
        points
            .iter()
            .map(|point| part(point.0 - x, point.1 - y))
            .sum()
    };
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

#[test]
fn table_size_and_good_moves_are_correlated_as_recomputed() {
    let finished = quick("published-h4", "002-h4");
    assert_eq!(finished.end.done, 8 * 36 * 2, "two runs of each size");
    let tests = finished.hypothesis("H4").tests.as_ref().expect("tests");
    let published = |heading: &str| -> Vec<f64> {
        let cells = column(tests, ("", heading), |row| has_text(row, "published means"));
        cells
            .iter()
            .map(|cell| cell.value.expect("a number"))
            .collect()
    };
    let sizes = [1e4, 2.5e4, 5e4, 1e5, 2.5e5, 5e5, 1e6, 8e6];
    let good = [18.0, 18.0, 20.0, 19.0, 19.0, 20.0, 17.0, 19.0];
    let points: Vec<(f64, f64)> = sizes.into_iter().zip(good).collect();
    let logarithms: Vec<(f64, f64)> = (points.iter())
        .map(|&(size, good)| (size.log10(), good))
        .collect();
    let coefficients = published("Pearson's r");
    for ((ours, points), expected) in coefficients
        .iter()
        .zip([&points, &logarithms])
        .zip([0.050, 0.077])
    {
        assert!((ours - pearson(points)).abs() < 1e-12);
        assert!((ours - expected).abs() < 0.0005, "{ours}");
    }
    // Student's distribution with six degrees of freedom, by scipy.
    for (ours, expected) in published("p").iter().zip([0.906, 0.856]) {
        assert!((ours - expected).abs() < 0.0005, "{ours}");
    }
}

/// Random games favour the first player of connect four, by 55.6 % of wins to 44.1 %.
const MIRROR: &str = r#"
name = "mirror"
title = "Random games"
question = "Are the columns exchanged?"
kind = "games"
game = "connect-four"

[[players]]
name = "random"
search = "random"

[trials]
games = 3000
pairs = [["random", "random"]]
show = ["first-player"]

[[trials.published_starts]]
pair = "A – B"
rows = [[10, 0, 90], [30, 0, 70]]

[[trials.published_starts]]
pair = "C – D"
rows = [[90, 0, 10], [40, 20, 40]]

[[trials.published_starts]]
pair = "E – F"
rows = [[60, 0, 40], [40, 0, 60]]

[[hypotheses]]
id = "M"
statement = "The columns are exchanged."

[hypotheses.claim.exchanged]
mirror = "random"
"#;

#[test]
fn columns_that_favour_the_other_side_than_a_mirror_match_are_exchanged() {
    let finished = run("published-mirror", MIRROR, Default::default());
    let tests = finished.hypothesis("M").tests.as_ref().expect("tests");
    let columns = column(tests, ("", "columns"), |_| true);
    let labels: Vec<&str> = columns.iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(labels, ["exchanged", "as they should be", "not settled"]);
    let verdict = &finished.report.verdict;
    assert_eq!(verdict.outcome, Outcome::PartlyConfirmed);
    assert!(
        verdict.text.contains(
            "Columns that are exchanged: A – B. Columns that are as they should be: C – D."
        )
    );
    let wins = |word: &str| finished.file("games.csv").matches(word).count() as f64 / 3000.0;
    assert!(
        (wins(",p1win,") - 0.556).abs() < 0.03,
        "{}",
        wins(",p1win,")
    );
    assert!(
        (wins(",p2win,") - 0.441).abs() < 0.03,
        "{}",
        wins(",p2win,")
    );
}

#[test]
fn the_mirror_match_of_report_002_has_all_its_budgets_and_rows() {
    let finished = quick("published-002-mirror", "002-mirror");
    assert_eq!(finished.end.done, 12, "two games of six budgets");
    let tests = finished.hypothesis("M2").tests.as_ref().expect("tests");
    let shares = column(tests, ("whoever moves first", "share"), |_| true);
    let shares: Vec<f64> = shares.iter().filter_map(|cell| cell.value).collect();
    // Points of the first player in both rows of a pair: wins and half of the draws, of 200.
    let expected = [39.0, 49.0, 49.0, 59.0, 49.0, 135.0, 136.5];
    let expected = expected.map(|points| points / 200.0);
    assert_eq!(shares, expected);
}
