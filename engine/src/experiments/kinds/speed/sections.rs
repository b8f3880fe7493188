//! The sections of a report on the viewer's speed, and its verdict.

use super::{Speed, SpeedClaim, SpeedRow, TreeForm};
use crate::{
    arena::stats::Sample,
    experiments::{
        file::{ExperimentFile, HypothesisForm},
        report::answer,
    },
    reports::{
        Axis, Cell, Column, DotPlot, DotRow, Hypothesis, Mark, Outcome, Plot, Report, Role,
        Section, Table, Tone, Unit, Verdict, comparison::outcome_cell, numbers, verdict,
    },
};

/// Adds everything about the measurements to a report.
pub(super) fn add(file: &ExperimentFile<Speed>, rows: &[SpeedRow], report: &mut Report) {
    let runs = file.trials.runs;
    report.sections.extend([
        Section::plot(
            "Seconds until a tree is shown",
            format!("parsing, layout and first frame; mean of {runs} measurements, bar: 95 % interval (Student); published times are of another machine"),
            seconds_plot(file, rows),
        )
        .time(),
        Section::table(
            "The trees",
            "times in milliseconds; all: sum of the three, in seconds",
            trees_table(file, rows),
        ),
    ]);
    report.hypotheses = (file.hypotheses.iter())
        .map(|form| test(file, rows, form))
        .collect();
    report.verdict = answer(&file.answered_by, &report.hypotheses);
}

fn rows_of(rows: &[SpeedRow], tree: usize) -> Vec<&SpeedRow> {
    rows.iter().filter(|row| row.tree == tree).collect()
}

fn sample(rows: &[SpeedRow], tree: usize) -> Option<Sample> {
    let seconds: Vec<f64> = (rows_of(rows, tree).iter())
        .map(|row| row.seconds())
        .collect();
    Sample::of(&seconds)
}

fn seconds_plot(file: &ExperimentFile<Speed>, rows: &[SpeedRow]) -> Plot {
    let row = |(index, tree): (usize, &TreeForm)| {
        let published = tree.published.map(|seconds| Mark {
            role: Role::Published,
            value: seconds,
            interval: None,
        });
        let ours = sample(rows, index).map(|sample| Mark {
            role: Role::Ours,
            value: sample.mean,
            interval: sample.interval(),
        });
        DotRow {
            label: tree.name.clone(),
            note: format!("limit {}", Unit::Seconds.format(tree.limit)),
            marks: published.into_iter().chain(ours).collect(),
        }
    };
    Plot::Dots(DotPlot {
        axis: Axis::new("seconds", Unit::Seconds),
        reference: None,
        rows: file.trials.trees.iter().enumerate().map(row).collect(),
    })
}

fn trees_table(file: &ExperimentFile<Speed>, rows: &[SpeedRow]) -> Table {
    let columns = [
        Column::text("tree"),
        Column::text("search"),
        Column::number("nodes"),
        Column::number("megabytes"),
        Column::number("limit, s"),
        Column::number("published, s"),
        Column::number("parsing").time(),
        Column::number("layout").time(),
        Column::number("first frame").time(),
        Column::number("all, s").time(),
        Column::number("slowest, s").time(),
    ];
    let row = |(index, tree): (usize, &TreeForm)| {
        let own = rows_of(rows, index);
        let mean = |part: fn(&SpeedRow) -> f64| {
            let values: Vec<f64> = own.iter().map(|row| part(row)).collect();
            let sample = Sample::of(&values);
            sample.map_or_else(Cell::empty, |sample| Cell::number(sample.mean, 1))
        };
        let first = own.first();
        let all = sample(rows, index);
        let slowest = own.iter().map(|row| row.seconds()).reduce(f64::max);
        vec![
            Cell::text(&tree.name),
            Cell::text(&tree.search),
            first.map_or_else(Cell::empty, |row| Cell::count(row.nodes)),
            first.map_or_else(Cell::empty, |row| Cell::number(row.bytes as f64 / 1e6, 1)),
            Cell::value(numbers::short(tree.limit), tree.limit),
            (tree.published).map_or_else(Cell::empty, |seconds| {
                Cell::value(numbers::short(seconds), seconds)
            }),
            mean(|row| row.parse_ms),
            mean(|row| row.layout_ms),
            mean(|row| row.first_frame_ms),
            all.map_or_else(Cell::empty, |all| {
                Cell::number(all.mean, 3).tone(Tone::Strong)
            }),
            slowest.map_or_else(Cell::empty, |seconds| Cell::number(seconds, 3)),
        ]
    };
    Table::plain(columns, file.trials.trees.iter().enumerate().map(row))
}

fn test(
    file: &ExperimentFile<Speed>,
    rows: &[SpeedRow],
    form: &HypothesisForm<SpeedClaim>,
) -> Hypothesis {
    let wanted = &form.claim.within_limit;
    let trees = (file.trials.trees.iter().enumerate())
        .filter(|(_, tree)| wanted.is_empty() || wanted.contains(&tree.name));
    let columns = [
        Column::text("tree"),
        Column::number("limit, s"),
        Column::number("mean, s").time(),
        Column::number("95 % interval").time(),
        Column::number("verdict"),
    ];
    let (mut cells, mut outcomes) = (Vec::new(), Vec::new());
    for (index, tree) in trees {
        let sample = sample(rows, index);
        let outcome = sample.map_or(Outcome::NotTested, |sample| {
            verdict::judge_limit(sample, tree.limit)
        });
        let interval = sample.and_then(|sample| sample.interval());
        let interval = interval.map(|interval| {
            format!(
                "{} to {}",
                numbers::decimal(interval.low, 3),
                numbers::decimal(interval.high, 3)
            )
        });
        cells.push(vec![
            Cell::text(&tree.name),
            Cell::value(numbers::short(tree.limit), tree.limit),
            sample.map_or_else(Cell::empty, |sample| Cell::number(sample.mean, 3)),
            interval.map_or_else(Cell::empty, Cell::text),
            outcome_cell(outcome, "measurements"),
        ]);
        outcomes.push(outcome);
    }
    let within = outcomes.iter().filter(|outcome| outcome.is_confirmed());
    let text = format!(
        "{} of {} trees are shown within their limits.",
        within.count(),
        outcomes.len()
    );
    let verdict = Verdict::new(Outcome::of_all(&outcomes), "measurements", text);
    form.tested(verdict, Table::plain(columns, cells))
}
