//! The sections of a report on a grid, and its verdict.

use super::{
    GridContext, GridSection, claims,
    known::{Figures, KnownGame},
};
use crate::{
    experiments::{kinds::games::GameRow, report::answer},
    reports::{
        Axis, Cell, Column, Line, LinePlot, Plot, Point, Report, Role, RowGroup, Section, Table,
        Tone, Unit, numbers,
    },
};

/// Adds everything about the games to a report.
pub(super) fn add(context: &GridContext<'_>, report: &mut Report) {
    for &name in &context.file.trials.show {
        report.sections.extend(section(context, name));
    }
    report.hypotheses = (context.file.hypotheses.iter())
        .map(|form| claims::test(context, form))
        .collect();
    report.verdict = answer(&context.file.answered_by, &report.hypotheses);
}

fn section(context: &GridContext<'_>, name: GridSection) -> Vec<Section> {
    match name {
        GridSection::Known => (context.file.trials.known.iter())
            .map(|table| {
                Section::table(
                    format!("Games of {}", table.source),
                    format!(
                        "{} moves first; moves without passes; leaves are evaluated positions. Score, moves and leaves of both sides must be equal",
                        context.sides[0]
                    ),
                    known_table(context, &table.source),
                )
            })
            .collect(),
        GridSection::Scores => (context.file.trials.depths.iter())
            .map(|&depth| {
                let random = match context.file.trials.random.is_empty() {
                    true => String::new(),
                    false => "; dim: random numbers, not comparable with other programs".to_owned(),
                };
                Section::table(
                    format!("All games at depth {depth}"),
                    format!(
                        "pieces at the end, {} (row) – {} (column){random}",
                        context.sides[0], context.sides[1]
                    ),
                    scores_table(context, depth),
                )
            })
            .collect(),
        GridSection::Cost => vec![
            Section::plot(
                "Leaves by depth",
                "evaluated positions of both players in a game, mean over all games",
                leaves_plot(context),
            ),
            Section::table(
                "Cost by depth",
                "means over all games; published times are of another machine and of one pair that is not named",
                cost_table(context),
            ),
        ],
    }
}

/// Two figures with a symbol between them.
fn two([first, second]: [u64; 2], symbol: &str) -> String {
    let [first, second] = [first, second].map(|count| numbers::decimal(count as f64, 0));
    format!("{first}{symbol}{second}")
}

fn figure_cells(figures: Option<Figures>) -> [Cell; 3] {
    match figures {
        None => [Cell::empty(), Cell::empty(), Cell::empty()],
        Some(figures) => [
            Cell::text(two(figures.score, " – ")),
            Cell::text(two(figures.moves, " / ")),
            Cell::text(two(figures.leaves, " / ")),
        ],
    }
}

fn known_table(context: &GridContext<'_>, source: &str) -> Table {
    let [first, second] = context.sides;
    let mut columns = vec![
        Column::text(first),
        Column::text(second),
        Column::number("depth"),
    ];
    let has_again = !context.file.trials.again_with.is_empty();
    for group in [source, "Ours"] {
        let headings = ["score", "moves", "leaves"];
        columns.extend(headings.map(|heading| Column::number(heading).under(group)));
        if has_again {
            let name = format!("leaves, {}", context.file.trials.again_with);
            columns.push(Column::number(name).under(group));
        }
    }
    columns.push(Column::number("verdict"));
    let row = |game: &KnownGame| {
        let [first, second] = game.players.map(|player| context.name(player));
        let depth = match game.depths {
            [one, other] if one == other => one.to_string(),
            [one, other] => format!("{one} / {other}"),
        };
        let ours = context.row(game.game(false)).map(Figures::of);
        let verdict = match game.is_equal(context) {
            Some(true) => Cell::text("equal").tone(Tone::Good),
            Some(false) => Cell::text("differs").tone(Tone::Bad),
            None if ours.is_some() => Cell::text("not comparable").tone(Tone::Dim),
            None => Cell::text("not played").tone(Tone::Dim),
        };
        let mut cells = vec![Cell::text(first), Cell::text(second), Cell::text(depth)];
        let again = context.row(game.game(true)).map(|row| row.leaves);
        let leaves = |leaves: Option<[u64; 2]>| {
            let text = leaves.map(|leaves| Cell::text(two(leaves, " / ")));
            has_again.then(|| text.unwrap_or_else(Cell::empty))
        };
        cells.extend(figure_cells(Some(game.figures)));
        cells.extend(leaves(game.again));
        let own = figure_cells(ours).into_iter().chain(leaves(again));
        cells.extend(own.map(|cell| match cell.tone {
            Tone::Plain => cell.tone(Tone::Strong),
            _ => cell,
        }));
        cells.push(verdict);
        RowGroup::row(cells)
    };
    Table {
        columns,
        groups: context.known_of(source).map(row).collect(),
    }
}

/// The score of every game of a depth: a row for who moves first, a column for who moves second.
fn scores_table(context: &GridContext<'_>, depth: u32) -> Table {
    let players = 0..context.file.players.len();
    let mut columns = vec![Column::text(format!(
        "{} \\ {}",
        context.sides[0], context.sides[1]
    ))];
    columns.extend(
        players
            .clone()
            .map(|player| Column::number(context.name(player))),
    );
    let row = |first: usize| {
        let mut cells = vec![Cell::text(context.name(first))];
        cells.extend(players.clone().map(|second| {
            let mut games = context.at_depth(depth, false);
            let found = games.find(|(game, _)| game.players == [first, second]);
            let Some(score) = found.and_then(|(_, row)| row.score) else {
                return Cell::empty();
            };
            let cell = Cell::text(two(score.map(u64::from), " – "));
            match context.is_random([first, second]) {
                true => cell.tone(Tone::Dim),
                false => cell,
            }
        }));
        cells
    };
    Table::plain(columns, players.clone().map(row))
}

/// Means of all games of a depth.
#[derive(Clone, Copy, Debug)]
struct Means {
    games: u64,
    leaves: f64,
    seconds: f64,
}

fn means(context: &GridContext<'_>, depth: u32, is_again: bool) -> Option<Means> {
    let rows: Vec<&GameRow> = (context.at_depth(depth, is_again))
        .map(|(_, row)| row)
        .collect();
    let games = rows.len() as u64;
    let mean = |figures: fn(&GameRow) -> [u64; 2]| {
        let sum: u64 = rows.iter().flat_map(|row| figures(row)).sum();
        sum as f64 / games as f64
    };
    (games > 0).then(|| Means {
        games,
        leaves: mean(|row| row.leaves),
        seconds: mean(|row| row.micros) / 1e6,
    })
}

/// The searches of a grid with their names: the players', and the one that plays the games again.
fn variants(context: &GridContext<'_>) -> Vec<(bool, String)> {
    let first = context.file.players.first();
    let own = first.and_then(|player| player.search.split(',').next());
    let mut variants = vec![(false, own.unwrap_or_default().to_owned())];
    if !context.file.trials.again_with.is_empty() {
        variants.push((true, context.file.trials.again_with.clone()));
    }
    variants
}

fn leaves_plot(context: &GridContext<'_>) -> Plot {
    let line = |(series, (is_again, name)): (u8, (bool, String))| {
        let depths = context.file.trials.depths.iter();
        let point = |&depth: &u32| {
            Some(Point {
                x: f64::from(depth),
                y: means(context, depth, is_again)?.leaves,
                interval: None,
            })
        };
        Line {
            name,
            role: Role::Series(series),
            points: depths.filter_map(point).collect(),
        }
    };
    Plot::Lines(LinePlot {
        x: Axis::new("depth", Unit::Number),
        y: Axis::new("leaves a game", Unit::Number).logarithmic(),
        lines: (0..).zip(variants(context)).map(line).collect(),
    })
}

fn cost_table(context: &GridContext<'_>) -> Table {
    let variants = variants(context);
    let published = &context.file.trials.published_times;
    let mut columns = vec![Column::number("depth"), Column::number("games")];
    let names = variants.iter().map(|(_, name)| name);
    columns.extend(
        names
            .clone()
            .map(|name| Column::number(name).under("leaves a game")),
    );
    if variants.len() > 1 {
        columns.push(Column::number("ratio").under("leaves a game"));
    }
    if !published.is_empty() {
        columns.extend(
            names
                .clone()
                .map(|name| Column::number(name).under("published, ms a game")),
        );
    }
    columns.extend(names.map(|name| Column::number(name).under("ours, ms a game").time()));
    let row = |&depth: &u32| {
        let figures: Vec<Option<Means>> = (variants.iter())
            .map(|&(is_again, _)| means(context, depth, is_again))
            .collect();
        let games = figures.first().copied().flatten()?.games;
        let mut cells = vec![Cell::count(depth.into()), Cell::count(games)];
        let number = |value: Option<f64>, decimals| {
            value.map_or_else(Cell::empty, |value| Cell::number(value, decimals))
        };
        let leaves: Vec<Option<f64>> = (figures.iter())
            .map(|means| means.map(|means| means.leaves))
            .collect();
        cells.extend(leaves.iter().map(|&leaves| number(leaves, 0)));
        if let [own, again] = leaves.as_slice() {
            let ratio = own.zip(*again).map(|(own, again)| again / own.max(1.0));
            cells.push(number(ratio, 1).tone(Tone::Strong));
        }
        if !published.is_empty() {
            let found = published.iter().find(|row| row.depth == depth);
            cells.push(number(found.map(|row| row.ms), 0));
            if variants.len() > 1 {
                cells.push(number(found.map(|row| row.again_ms), 0));
            }
        }
        cells.extend(
            (figures.iter()).map(|means| number(means.map(|means| 1000.0 * means.seconds), 1)),
        );
        Some(cells)
    };
    Table::plain(columns, context.file.trials.depths.iter().filter_map(row))
}
