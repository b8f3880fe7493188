//! The sections of a report on positions, and its verdict.

use super::{
    MoveRow, claims,
    tally::{PositionsContext, score},
};
use crate::{
    experiments::report::answer,
    reports::{
        Axis, Cell, Column, DotPlot, DotRow, Line, LinePlot, Mark, Plot, Point, Report, Role,
        Section, Table, Tone, Unit, numbers,
    },
};

/// Adds everything about the searches to a report.
pub(super) fn add(context: &PositionsContext<'_>, rows: &[MoveRow], report: &mut Report) {
    let count = context.positions.len();
    let runs = context.file.trials.runs;
    let caption = format!(
        "mean of {runs} runs over {count} positions; bar: 95 % interval over runs (Student)"
    );
    let valued = context
        .players()
        .filter(|(_, player)| player.value.is_some());
    let plot = match valued.count() >= 3 {
        true => value_plot(context, rows),
        false => player_plot(context, rows),
    };
    report
        .sections
        .push(Section::plot("Good moves", caption, plot));
    report.sections.push(Section::table(
        "All moves",
        "good: the result under best play stays the same; optimal: no other move has a better result or score; lost: mean for each move",
        moves_table(context, rows),
    ));
    report.sections.push(Section::table(
        "By position",
        format!("runs of {runs} in which a good move was played"),
        position_table(context, rows),
    ));
    report.hypotheses = (context.file.hypotheses.iter())
        .map(|form| claims::test(context, rows, form))
        .collect();
    report.verdict = answer(&context.file.answered_by, &report.hypotheses);
}

/// Good moves by player, published ones beside ours.
fn player_plot(context: &PositionsContext<'_>, rows: &[MoveRow]) -> Plot {
    let row = |(index, player): (usize, &crate::experiments::file::Player)| {
        let published = context.published(index).map(|good| Mark {
            role: Role::Published,
            value: good,
            interval: None,
        });
        let ours = context.sample(rows, index).map(|sample| Mark {
            role: Role::Ours,
            value: sample.mean,
            interval: sample.interval(),
        });
        DotRow {
            label: player.label().to_owned(),
            note: match player.label() == player.name {
                true => String::new(),
                false => player.name.clone(),
            },
            marks: published.into_iter().chain(ours).collect(),
        }
    };
    Plot::Dots(DotPlot {
        axis: Axis::new("good moves", Unit::Number),
        reference: None,
        rows: context.players().map(row).collect(),
    })
}

/// Good moves by the value of players.
fn value_plot(context: &PositionsContext<'_>, rows: &[MoveRow]) -> Plot {
    let (mut published, mut ours) = (Vec::new(), Vec::new());
    for (index, player) in context.players() {
        let Some(x) = player.value else {
            continue;
        };
        published.extend(context.published(index).map(|good| Point {
            x,
            y: good,
            interval: None,
        }));
        ours.extend(context.sample(rows, index).map(|sample| Point {
            x,
            y: sample.mean,
            interval: sample.interval(),
        }));
    }
    let claims = context.file.hypotheses.iter();
    let growth = claims.filter_map(|form| form.claim.grows.as_ref()).next();
    let label = growth.map_or("value", |claim| claim.with.as_str());
    let x = Axis::new(label, Unit::Number);
    let line = |name: &str, role, points| Line {
        name: name.to_owned(),
        role,
        points,
    };
    let mut lines = vec![
        line("published", Role::Published, published),
        line("ours", Role::Ours, ours),
    ];
    lines.retain(|line| !line.points.is_empty());
    for line in &mut lines {
        line.points.sort_by(|one, other| one.x.total_cmp(&other.x));
    }
    Plot::Lines(LinePlot {
        x: match growth.is_some_and(|claim| claim.logarithm) {
            true => x.logarithmic(),
            false => x,
        },
        y: Axis::new("good moves", Unit::Number),
        lines,
    })
}

fn moves_table(context: &PositionsContext<'_>, rows: &[MoveRow]) -> Table {
    let columns = [
        Column::text("player"),
        Column::number("published").under("good moves"),
        Column::number("ours").under("good moves"),
        Column::number("95 % interval").under("good moves"),
        Column::number("share").under("optimal moves"),
        Column::number("95 % interval").under("optimal moves"),
        Column::number("points").under("lost"),
        Column::number("score").under("lost"),
        Column::number("ms a move").time(),
    ];
    let row = |(index, player): (usize, &crate::experiments::file::Player)| {
        let score = score(rows, index);
        let sample = context.sample(rows, index);
        let interval = sample.and_then(|sample| sample.interval());
        let interval = interval.map(|interval| {
            format!(
                "{} to {}",
                numbers::decimal(interval.low, 1),
                numbers::decimal(interval.high, 1)
            )
        });
        let own = rows.iter().filter(|row| row.player == index);
        let micros: u64 = own.map(|row| row.micros).sum();
        let millis = micros as f64 / 1e3 / f64::from(score.trials.max(1));
        vec![
            Cell::text(player.label()),
            context
                .published(index)
                .map_or_else(Cell::empty, |good| Cell::value(numbers::short(good), good)),
            sample.map_or_else(Cell::empty, |sample| {
                Cell::number(sample.mean, 1).tone(Tone::Strong)
            }),
            interval.map_or_else(Cell::empty, Cell::text),
            Cell::percent(score.optimal_rate()),
            Cell::text(numbers::percent_interval(score.optimal_interval())),
            Cell::number(score.mean_points_lost(), 3),
            Cell::number(score.mean_score_lost(), 2),
            Cell::number(millis, 1),
        ]
    };
    Table::plain(columns, context.players().map(row))
}

fn position_table(context: &PositionsContext<'_>, rows: &[MoveRow]) -> Table {
    let mut columns = vec![Column::text("position")];
    let names = context.players().map(|(_, player)| player.name.as_str());
    columns.extend(names.map(Column::number));
    let row = |(position, text): (usize, &&str)| {
        let mut cells = vec![Cell::text(*text)];
        for (player, _) in context.players() {
            let own = rows.iter().filter(|row| row.position == position);
            let good = own.filter(|row| row.player == player && row.good).count();
            cells.push(Cell::count(good as u64));
        }
        cells
    };
    let rows = context.positions.iter().enumerate().map(row);
    Table::plain(columns, rows)
}
