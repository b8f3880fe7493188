//! The sections of a report on series, and its verdict.

use super::SeriesRow;
use crate::{
    arena::stats::WdlCounts,
    experiments::{
        kinds::games::{
            GameRow, SectionName, claims, judge_pairs, section,
            style::GameStyle,
            tally::{GamesContext, by_colour},
        },
        report::answer,
    },
    reports::{Cell, Column, Report, RowGroup, Section, Table, Tone, numbers},
};

/// Adds everything about the series to a report. Pairs are judged by whole series; what is counted by game is made of `games`.
pub(super) fn add(
    context: &GamesContext<'_>,
    (series, games): (&[SeriesRow], &[GameRow]),
    styles: &[GameStyle],
    report: &mut Report,
) {
    let units: Vec<GameRow> = series.iter().map(SeriesRow::as_game).collect();
    let (pairs, judged) = judge_pairs(context, &units);
    for &name in &context.file.trials.show {
        let sections = match name {
            // Nothing is known of the time of recorded games.
            SectionName::Time if games.iter().all(|game| game.micros == [0; 2]) => Vec::new(),
            SectionName::Games => vec![Section::table(
                "The series",
                "series won, drawn and lost by the player against its opponent, and the points of their games",
                series_table(context, &units, games),
            )],
            SectionName::Scores | SectionName::Results => {
                section(context, &units, styles, name, (&pairs, &judged))
            }
            _ => section(context, games, styles, name, (&pairs, &judged)),
        };
        report.sections.extend(sections);
    }
    // The way to play is one of games, everything else is tested by series.
    report.hypotheses = (context.file.hypotheses.iter())
        .map(|form| {
            let rows = match form.claim.style.is_empty() {
                true => &units,
                false => games,
            };
            claims::test(context, rows, styles, form)
        })
        .collect();
    report.verdict = answer(&context.file.answered_by, &report.hypotheses);
}

fn series_table(context: &GamesContext<'_>, units: &[GameRow], games: &[GameRow]) -> Table {
    let wdl = || Column::number("won – drawn – lost");
    let columns = vec![
        Column::text("player"),
        Column::text("opponent"),
        wdl().under("Series, published"),
        wdl().under("Series, ours"),
        Column::number("games").under("Ours"),
        Column::number("points").under("Ours"),
        Column::number("share").under("Ours"),
    ];
    let cell = |results: Option<WdlCounts>| {
        let known = results.filter(|results| results.games() > 0);
        known.map_or_else(Cell::empty, |results| Cell::text(numbers::wdl(results)))
    };
    let row = |&pair: &(usize, usize)| {
        let comparison = context.comparison(units, pair);
        let results = by_colour(games, pair).total();
        RowGroup::row([
            Cell::text(context.label(pair.0)),
            Cell::text(context.label(pair.1)),
            cell(comparison.published.map(|tally| tally.total)),
            cell(comparison.ours.map(|tally| tally.total)).tone(Tone::Strong),
            Cell::count(results.games()),
            Cell::number(results.points(), 1),
            match results.games() {
                0 => Cell::empty(),
                _ => Cell::percent(results.score()),
            },
        ])
    };
    Table {
        columns,
        groups: context.pairs.iter().map(row).collect(),
    }
}
