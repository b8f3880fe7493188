//! The experiments of reports 000, 002 and 003: quick runs, published figures computed again by hand, and what positions claim.

use canopy_engine::{
    experiments::{
        builtin, experiment,
        report::{self, ExperimentTerms},
        run::{Attempt, AttemptEnd},
        scale::{RunOptions, Scale},
    },
    reports::{Cell, Hypothesis, Report, Table},
    runs::{directory::RunDirectory, halt::Halt, shard::Shard},
};
use support::Scratch;

mod support;

#[path = "experiments_002_003/nodes.rs"]
mod nodes;
#[path = "experiments_002_003/positions.rs"]
mod positions;
#[path = "experiments_002_003/published.rs"]
mod published;
#[path = "experiments_002_003/speed.rs"]
mod speed;

/// A run that is over: its report and the files beside it, by name.
struct Finished {
    end: AttemptEnd,
    report: Report,
    files: Vec<(String, String)>,
}

impl Finished {
    fn file(&self, name: &str) -> &str {
        let file = self.files.iter().find(|(file, _)| file == name);
        &file.expect("the file is there").1
    }

    fn hypothesis(&self, id: &str) -> &Hypothesis {
        let mut found = self.report.hypotheses.iter();
        found.find(|one| one.id == id).expect("a hypothesis")
    }
}

/// Runs an experiment's file.
fn run(test: &str, text: &str, options: RunOptions) -> Finished {
    let scratch = Scratch::new(test);
    let experiment = experiment::load(text, &options).expect("the file is right");
    let terms = ExperimentTerms {
        file: text.to_owned(),
        asked: test.to_owned(),
        options,
    };
    let attempt = Attempt {
        experiment: &experiment,
        terms: &terms,
        shard: Shard::WHOLE,
        only: None,
        concurrency: 1,
        own_command: &[],
    };
    let end = (attempt.run(&scratch.0, &Halt::new(), &mut |_| ())).expect("the trials are done");
    let run = RunDirectory::open(&scratch.0).and_then(|directory| directory.load(true));
    let (report, files) = report::make(&run.expect("a run"), true).expect("a report");
    let files = files.into_iter().map(|file| (file.name, file.text));
    Finished {
        end,
        report,
        files: files.collect(),
    }
}

/// A quick run of an experiment that comes with the program.
fn quick(test: &str, name: &str) -> Finished {
    let options = RunOptions {
        scale: Scale::Quick,
        ..RunOptions::default()
    };
    run(test, builtin_text(name), options)
}

fn builtin_text(name: &str) -> &'static str {
    builtin::find(name).expect("it comes with the program").text
}

/// The cells of a column, by its heading and the one above, in the rows for which `is_wanted`.
fn column(
    table: &Table,
    (group, heading): (&str, &str),
    is_wanted: impl Fn(&[Option<Cell>]) -> bool,
) -> Vec<Cell> {
    let is_column = |column: &canopy_engine::reports::Column| {
        column.heading == heading && column.group == group
    };
    let index = table.columns.iter().position(is_column).expect("a column");
    let rows = table.groups.iter().flat_map(|group| &group.rows);
    rows.filter(|row| is_wanted(row))
        .map(|row| row[index].clone().expect("a cell"))
        .collect()
}

fn has_text(row: &[Option<Cell>], text: &str) -> bool {
    row.iter().flatten().any(|cell| cell.text == text)
}
