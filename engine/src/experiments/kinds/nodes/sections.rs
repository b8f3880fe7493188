//! The sections of a report on nodes, and its verdict.

use super::{
    NodesRow, PublishedNodes, StateSpace, claims,
    tally::{NodesContext, fewest, sums},
};
use crate::{
    experiments::report::answer,
    games::notation::join_words,
    reports::{
        Axis, Cell, Column, Line, LinePlot, Plot, Point, Report, Role, RowGroup, Section, Table,
        Tone, Unit, numbers,
    },
};

/// Adds everything about the searches to a report.
pub(super) fn add(context: &NodesContext<'_>, rows: &[NodesRow], report: &mut Report) {
    let trials = &context.file.trials;
    let count = context.positions.len();
    report.sections.extend([
        Section::plot(
            "Nodes by depth",
            format!("positions visited below the root, over all iterations; sum of {count} positions"),
            depth_plot(context, rows),
        ),
        Section::table(
            "Sums by depth",
            "fewest: of all players, and in how many positions each has the fewest, ties counted for all",
            depth_table(context, rows),
        ),
        Section::table(
            "By kind of position",
            format!("sums at depth {}", trials.depth),
            kind_table(context, rows),
        ),
        Section::table(
            "By position",
            format!(
                "nodes at depth {}; value: for the side to move, in the evaluation's units",
                trials.depth
            ),
            position_table(context, rows),
        ),
    ]);
    if !trials.published.is_empty() {
        report.sections.push(Section::table(
            "As published",
            "of other positions, so for reference only",
            published_table(context),
        ));
    }
    if let Some(space) = &trials.state_space {
        let text = state_space_text(space);
        report
            .sections
            .push(Section::text("The number of positions", text));
    }
    report.hypotheses = (context.file.hypotheses.iter())
        .map(|form| claims::test(context, rows, form))
        .collect();
    report.verdict = answer(&context.file.answered_by, &report.hypotheses);
}

fn depth_plot(context: &NodesContext<'_>, rows: &[NodesRow]) -> Plot {
    let players = &context.file.players;
    let line = |index: usize| Line {
        name: context.name(index).to_owned(),
        role: Role::Series(index as u8),
        points: (1..=context.file.trials.depth)
            .filter_map(|depth| {
                let nodes = sums(players.len(), rows, |row| row.depth == depth);
                let nodes = nodes.get(index).copied().filter(|&count| count > 0)?;
                Some(Point {
                    x: f64::from(depth),
                    y: nodes as f64,
                    interval: None,
                })
            })
            .collect(),
    };
    Plot::Lines(LinePlot {
        x: Axis::new("depth", Unit::Number),
        y: Axis::new("nodes", Unit::Number).logarithmic(),
        lines: (0..players.len()).map(line).collect(),
    })
}

/// A column for each player.
fn player_columns(context: &NodesContext<'_>) -> Vec<Column> {
    let players = 0..context.file.players.len();
    players
        .map(|player| Column::number(context.name(player)).under("nodes"))
        .collect()
}

/// The counts of all players, the fewest in green, and who that is.
fn count_cells(context: &NodesContext<'_>, nodes: &[u64]) -> Vec<Cell> {
    let best = fewest(nodes);
    let mut cells: Vec<Cell> = (nodes.iter().enumerate())
        .map(|(player, &count)| {
            let is_best = best.contains(&player) && best.len() < nodes.len();
            let tone = if is_best { Tone::Good } else { Tone::Plain };
            Cell::count(count).tone(tone)
        })
        .collect();
    let names: Vec<&str> = best.iter().map(|&player| context.name(player)).collect();
    cells.push(match names.len() {
        0 => Cell::empty(),
        all if all == nodes.len() && all > 1 => Cell::text("equal"),
        _ => Cell::text(join_words(&names, "and")),
    });
    cells
}

fn depth_table(context: &NodesContext<'_>, rows: &[NodesRow]) -> Table {
    let players = context.file.players.len();
    let mut columns = vec![Column::number("depth")];
    columns.extend(player_columns(context));
    columns.push(Column::text("fewest"));
    columns.extend(
        (0..players)
            .map(|player| Column::number(context.name(player)).under("positions with fewest")),
    );
    let row = |depth: u32| {
        let nodes = sums(players, rows, |row| row.depth == depth);
        let mut cells = vec![Cell::count(depth.into())];
        cells.extend(count_cells(context, &nodes));
        let mut best = vec![0u64; players];
        for position in 0..context.positions.len() {
            let is_here = |row: &NodesRow| row.depth == depth && row.position == position;
            for player in fewest(&sums(players, rows, is_here)) {
                if let Some(count) = best.get_mut(player) {
                    *count += 1;
                }
            }
        }
        cells.extend(best.into_iter().map(Cell::count));
        cells
    };
    let mut table = Table::plain(columns, (1..=context.file.trials.depth).map(row));
    let all = sums(players, rows, |_| true);
    let mut cells = vec![Cell::text("all")];
    cells.extend(count_cells(context, &all));
    cells.extend((0..players).map(|_| Cell::empty()));
    table.groups.push(RowGroup::row(cells));
    table
}

fn kind_table(context: &NodesContext<'_>, rows: &[NodesRow]) -> Table {
    let mut columns = vec![Column::text("kind"), Column::number("positions")];
    columns.extend(player_columns(context));
    columns.push(Column::text("fewest"));
    let depth = context.file.trials.depth;
    let row = |kind: &str| {
        let is_wanted = |row: &NodesRow| row.depth == depth && context.kind_of(row) == kind;
        let nodes = sums(context.file.players.len(), rows, is_wanted);
        let count = (context.positions.iter()).filter(|(_, other)| *other == kind);
        let name = if kind.is_empty() { "other" } else { kind };
        let mut cells = vec![Cell::text(name), Cell::count(count.count() as u64)];
        cells.extend(count_cells(context, &nodes));
        cells
    };
    Table::plain(columns, context.kinds().into_iter().map(row))
}

fn position_table(context: &NodesContext<'_>, rows: &[NodesRow]) -> Table {
    let mut columns = vec![
        Column::text("position"),
        Column::text("kind"),
        Column::number("value"),
    ];
    columns.extend(player_columns(context));
    columns.push(Column::text("fewest"));
    let depth = context.file.trials.depth;
    let row = |(position, (text, kind)): (usize, &(&str, &str))| {
        let is_here = |row: &NodesRow| row.depth == depth && row.position == position;
        let nodes = sums(context.file.players.len(), rows, is_here);
        let value = rows
            .iter()
            .find(|row| is_here(row))
            .and_then(|row| row.value);
        let value = value.map_or_else(Cell::empty, |value| Cell::number(f64::from(value), 0));
        let mut cells = vec![Cell::text(*text), Cell::text(*kind), value];
        cells.extend(count_cells(context, &nodes));
        cells
    };
    Table::plain(columns, context.positions.iter().enumerate().map(row))
}

/// The published counts: a group of rows for each table, with their sum below.
fn published_table(context: &NodesContext<'_>) -> Table {
    let published = &context.file.trials.published;
    let players = context.file.players.len();
    let mut tables: Vec<&str> = Vec::new();
    for row in published {
        if !tables.contains(&row.table.as_str()) {
            tables.push(&row.table);
        }
    }
    let mut columns = vec![Column::text("position"), Column::number("depth")];
    columns.extend(player_columns(context));
    columns.push(Column::text("fewest"));
    let group = |table: &&str| {
        let counts = |player: usize| -> &[u64] {
            let is_wanted = |row: &&PublishedNodes| {
                row.table == **table && row.player.0 == context.name(player)
            };
            let row = published.iter().find(is_wanted);
            row.map_or(&[], |row| row.nodes.as_slice())
        };
        let depths = (0..players).map(|player| counts(player).len()).max();
        let depths = depths.unwrap_or(0);
        let mut rows = Vec::new();
        for depth in 0..=depths {
            let nodes: Vec<u64> = (0..players)
                .map(|player| match depth == depths {
                    true => counts(player).iter().sum(),
                    false => counts(player).get(depth).copied().unwrap_or(0),
                })
                .collect();
            let number = match depth == depths {
                true => Cell::text("all"),
                false => Cell::count(depth as u64 + 1),
            };
            let name = (depth == 0).then(|| Cell::text(*table));
            let cells = std::iter::once(number).chain(count_cells(context, &nodes));
            rows.push(std::iter::once(name).chain(cells.map(Some)).collect());
        }
        RowGroup { rows }
    };
    Table {
        columns,
        groups: tables.iter().map(group).collect(),
    }
}

/// The published number of positions beside the true one.
fn state_space_text(space: &StateSpace) -> Vec<String> {
    let StateSpace {
        squares,
        stones: [first, second],
        published,
    } = space;
    let Some(full) = space.full() else {
        return vec![format!(
            "{first} and {second} stones do not fit on {squares} squares."
        )];
    };
    let shown = |count: u128| numbers::decimal(count as f64, 0);
    let rest = squares.saturating_sub(first + second);
    let relation = match full == u128::from(*published) {
        true => "as published".to_owned(),
        false => format!("published: {}", shown((*published).into())),
    };
    let mut text = vec![format!(
        "{squares}! / ({first}! · {second}! · {rest}!) = {} ({relation}). That counts boards with all stones on them.",
        shown(full)
    )];
    let bound = 3u128.checked_pow(*squares);
    if let (Some(partial), Some(bound)) = (space.partial(), bound) {
        text.push(format!(
            "With up to {first} and {second} stones there are {} boards; three states of every square would make {}.",
            shown(partial),
            shown(bound)
        ));
    }
    text
}
