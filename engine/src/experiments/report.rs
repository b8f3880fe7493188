//! The report on an experiment's run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    experiment::{self, Experiment},
    kinds::OutputFile,
    scale::RunOptions,
};
use crate::{
    catalog::signature::signature_in,
    reports::{
        Caveat, Hypothesis, Outcome, Partial, Provenance, Report, SearchSignature, Verdict, numbers,
    },
    runs::{RunError, union::Run},
    tree::writer::timestamp,
};

/// The caveat of runs that are not as large as their file asks for.
pub(super) const REDUCED_SCALE: &str = "Not at full scale.";

/// What every part of a run says of its experiment, so that a run directory needs no other file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExperimentTerms {
    /// The text of the file.
    pub file: String,
    /// What the command asked for: the name of a built-in experiment or of a file.
    pub asked: String,
    /// How much was asked for.
    #[serde(flatten)]
    pub options: RunOptions,
}

/// The experiment of a run, by its newest attempt.
pub fn experiment_of(run: &Run) -> Result<(Experiment, ExperimentTerms), RunError> {
    let newest = run.newest_attempt();
    let malformed = |problem: String| RunError::Malformed {
        path: newest
            .map_or("the run", |attempt| attempt.file.as_str())
            .to_owned(),
        line: 1,
        problem,
    };
    let Some(attempt) = newest else {
        return Err(malformed(
            "nothing has been done yet: expected a part".to_owned(),
        ));
    };
    let terms: ExperimentTerms = serde_json::from_value(attempt.header.terms.clone())
        .map_err(|error| malformed(format!("no experiment in it: {error}")))?;
    let loaded = experiment::load(&terms.file, &terms.options).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        malformed(format!(
            "its experiment cannot be read: {}",
            problems.join("; ")
        ))
    })?;
    Ok((loaded, terms))
}

/// The report on a run, and the other files that are made of it.
pub fn make(run: &Run, without_times: bool) -> Result<(Report, Vec<OutputFile>), RunError> {
    let (experiment, terms) = experiment_of(run)?;
    let header = &experiment.header;
    let mut report = Report {
        question: header.question.clone(),
        method: header.method.clone(),
        date: last_day(run),
        caveats: (header.deviations.iter())
            .map(|deviation| Caveat::new(deviation.lead.as_str(), deviation.text.as_str()))
            .collect(),
        provenance: provenance(run, &experiment, &terms),
        ..Report::new("Experiment", header.name.as_str(), header.title.as_str())
    };
    if terms.options != RunOptions::default() {
        report.caveats.push(Caveat::new(
            REDUCED_SCALE,
            format!(
                "It was run with{}; the file alone asks for more.",
                terms.options.arguments()
            ),
        ));
    }
    let missing = run.missing();
    if !missing.is_empty() {
        let shards = run.shard_count();
        report.partial = Some(Partial {
            done: run.done_count(),
            total: run.total(),
            unit: experiment.trials.unit_name().to_owned(),
            missing: match shards {
                1 => String::new(),
                shards => format!("shards {} of {shards}", run.missing_shards(shards)),
            },
        });
    }
    if !run.plan().repeatable && run.repeated_count() > 0 {
        let count = run.repeated_count();
        report.caveats.push(Caveat::new(
            "Some trials were done more than once.",
            format!("Of {count} of them the earliest result counts."),
        ));
    }
    experiment.trials.report(run, &mut report)?;
    let files = experiment.trials.files(run, !without_times)?;
    if without_times {
        report = report.without_times();
    }
    Ok((report, files))
}

/// The verdict on hypotheses that answer a question together: those listed, or all.
pub fn answer(answered_by: &[String], hypotheses: &[Hypothesis]) -> Verdict {
    let own: Vec<&Hypothesis> = (hypotheses.iter())
        .filter(|hypothesis| answered_by.is_empty() || answered_by.contains(&hypothesis.id))
        .collect();
    if let [only] = own.as_slice() {
        return only.verdict.clone();
    }
    let outcomes: Vec<Outcome> = own.iter().map(|one| one.verdict.outcome).collect();
    let unit = own.first().map_or("", |first| first.verdict.unit.as_str());
    let parts: Vec<String> = (own.iter())
        .map(|one| {
            let label = one.verdict.outcome.label(&one.verdict.unit);
            let published = match one.published.as_str() {
                "" => String::new(),
                published => format!(" (published: {published})"),
            };
            format!("{} {label}{published}", one.id)
        })
        .collect();
    let text = match parts.is_empty() {
        true => String::new(),
        false => format!("{}.", parts.join("; ")),
    };
    Verdict::new(Outcome::of_all(&outcomes), unit, text)
}

fn provenance(run: &Run, experiment: &Experiment, terms: &ExperimentTerms) -> Provenance {
    let header = &experiment.header;
    let plan = &run.plan().content;
    let signature_then = |index: usize| {
        let players = plan.get("players").and_then(|players| players.get(index));
        let signature = players.and_then(|player| player.get("signature"));
        signature.and_then(|text| text.as_str()).map(str::to_owned)
    };
    let searches = (header.players.iter().enumerate()).map(|(index, player)| {
        let is_own = !player.search.is_empty();
        SearchSignature {
            player: player.name.clone(),
            search: match is_own {
                true => player.search.clone(),
                false => player.engine.clone(),
            },
            signature: signature_then(index).unwrap_or_default(),
            current: signature_in(&header.game, &player.search).filter(|_| is_own),
        }
    });
    let version = plan.get("version").and_then(|version| version.as_str());
    let (done, unit) = (run.done_count(), experiment.trials.unit_name());
    Provenance {
        trials: format!("{} {unit}", numbers::decimal(done as f64, 0)),
        seeds: header.seed.to_string(),
        source: header.source.clone(),
        versions: vec![(
            "canopy-engine".to_owned(),
            version.unwrap_or_default().to_owned(),
        )],
        searches: searches.collect(),
        run: run_facts(run),
        command: format!(
            "canopy-engine experiment run {}{} --out {name}\ncanopy-engine report {name}",
            terms.asked,
            terms.options.arguments(),
            name = header.name,
        ),
    }
}

/// Facts about this run alone.
fn run_facts(run: &Run) -> Vec<(String, String)> {
    let mut hosts: Vec<&str> = (run.attempts().iter())
        .map(|attempt| attempt.header.host.as_str())
        .collect();
    hosts.sort_unstable();
    hosts.dedup();
    let seconds = run.attempts().iter().map(|attempt| {
        let millis = attempt.last_time.saturating_sub(attempt.header.time);
        millis as f64 / 1000.0
    });
    let time = crate::runs::status::duration_text(seconds.sum());
    let attempts = run.attempts().len();
    let count = if attempts == 1 { "attempt" } else { "attempts" };
    vec![
        ("Machines".to_owned(), hosts.join(", ")),
        (
            "Time taken".to_owned(),
            format!("{time} in {attempts} {count}"),
        ),
    ]
}

/// The day of the last result: `17 November 2026`.
fn last_day(run: &Run) -> Option<String> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let last = run
        .attempts()
        .iter()
        .map(|attempt| attempt.last_time)
        .max()?;
    let stamp = timestamp(Duration::from_millis(last));
    let month: usize = stamp.get(4..6)?.parse().ok()?;
    let day: u32 = stamp.get(6..8)?.parse().ok()?;
    let month = MONTHS.get(month.checked_sub(1)?)?;
    Some(format!("{day} {month} {}", stamp.get(..4)?))
}
