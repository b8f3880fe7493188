//! The sections of a report on games, and its verdict.

use super::{
    GameRow, Games, PublishedPlayer, SectionName,
    claims::{self, GamesClaim, ratings},
    starts,
    style::{self, GameStyle},
    tally::{GamesContext, PlayerSums, by_colour},
};
use crate::{
    arena::stats::{WdlByColour, WdlCounts},
    experiments::{file::ExperimentFile, report::answer},
    reports::{
        Axis, Bar, BarGroup, BarPlot, Cell, Column, DotPlot, DotRow, Mark, Palette, Plot, Report,
        Role, RowGroup, Section, Table, Tone, Unit,
        comparison::{self, Comparison, Judgement},
        numbers,
        verdict::{Claim, DEFAULT_MARGIN},
    },
};

/// Whether games must be replayed for a report.
pub(in crate::experiments::kinds) fn needs_style(file: &ExperimentFile<Games>) -> bool {
    file.trials.show.contains(&SectionName::Style)
        || (file.hypotheses.iter()).any(|form| !form.claim.style.is_empty())
}

/// Adds everything about the games to a report.
pub(super) fn add(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    styles: &[GameStyle],
    report: &mut Report,
) {
    let file = context.file;
    let (pairs, judged) = judge_pairs(context, rows);
    for &name in &file.trials.show {
        report
            .sections
            .extend(section(context, rows, styles, name, (&pairs, &judged)));
    }
    report.hypotheses = (file.hypotheses.iter())
        .map(|form| claims::test(context, rows, styles, form))
        .collect();
    report.verdict = answer(&file.answered_by, &report.hypotheses);
}

/// The results of all pairs, tested.
pub(in crate::experiments::kinds) fn judge_pairs(
    context: &GamesContext<'_>,
    rows: &[GameRow],
) -> (Vec<Comparison>, Vec<Judgement>) {
    let pairs: Vec<Comparison> = (context.pairs.iter())
        .map(|&pair| context.comparison(rows, pair))
        .collect();
    let judged = comparison::judge(claim_of(context.file), &pairs);
    (pairs, judged)
}

/// The claim by which pairs are judged in tables: that of the first hypothesis about pairs.
fn claim_of(file: &ExperimentFile<Games>) -> Claim {
    let margin = |claim: &GamesClaim| claim.margin.unwrap_or(DEFAULT_MARGIN);
    let claims = file.hypotheses.iter().map(|form| &form.claim);
    let claim = claims.into_iter().find_map(|claim| {
        if !claim.stronger.is_empty() {
            return Some(Claim::Stronger {
                margin: margin(claim),
            });
        }
        (!claim.equal.is_empty()).then(|| Claim::Equal {
            margin: margin(claim),
        })
    });
    claim.unwrap_or(Claim::Stronger {
        margin: DEFAULT_MARGIN,
    })
}

/// A part of a report, of the results in `rows`.
pub(in crate::experiments::kinds) fn section(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    styles: &[GameStyle],
    name: SectionName,
    (pairs, judged): (&[Comparison], &[Judgement]),
) -> Vec<Section> {
    let unit = context.unit;
    let games = numbers::decimal(rows.len() as f64 / context.pairs.len().max(1) as f64, 0);
    let sides = context.sides;
    let names: Vec<&str> = (0..context.file.players.len())
        .map(|player| context.name(player))
        .collect();
    let section = match name {
        SectionName::Scores => Section::plot(
            scores_heading(context),
            format!(
                "points of {games} {unit}; dot: score, bar: 95 % interval ({}); right of the dashed line the first named is stronger",
                match context.has_openings {
                    true => "pairs of games with one opening are one unit",
                    false => "Wilson, computed here for published and own results",
                }
            ),
            comparison::score_plot(pairs),
        ),
        SectionName::Games => Section::table(
            "The games",
            "wins, draws and losses of the side that moves first; χ²: McNemar on wins, critical value 3.84",
            comparison::games_table(pairs, judged),
        ),
        SectionName::Results => Section::plot(
            "Games won, drawn and lost",
            format!("by the first named of each pair, of {games} {unit}"),
            comparison::results_plot(pairs),
        ),
        SectionName::Ranking => Section::table(
            "Ranking",
            "one point a win, half a point a draw, over all games",
            ranking_table(context, rows),
        ),
        SectionName::Strength => Section::plot(
            "Strength",
            "Elo by maximum likelihood (Bradley and Terry) with 95 % intervals; the mean of all is 0",
            strength_plot(context, rows),
        ),
        SectionName::Pairs => {
            let results = |one: usize, other: usize| by_colour(rows, (one, other)).total();
            Section::table(
                "By pair",
                "won, drawn and lost by the player of the row",
                comparison::cross_table(&names, results),
            )
        }
        SectionName::Colours => Section::table(
            "By colour",
            format!("{} moves first", sides[0]),
            colours_table(context, rows, sides),
        ),
        SectionName::FirstPlayer => return starts::sections(context, rows),
        SectionName::Points => Section::plot(
            "Share of the points",
            "one point a win, half a point a draw, of one point a game",
            points_plot(context, rows),
        ),
        SectionName::Time => Section::plot(
            "Mean time of a game",
            match context.file.trials.published_players.iter().any(|row| row.seconds.is_some()) {
                true => "thought of one player in a whole game, as a share of the slowest player's; published times are of another machine",
                false => "thought of one player in a whole game",
            },
            time_plot(context, rows),
        )
        .time(),
        SectionName::Style => return style::sections(&names, rows, styles),
    };
    vec![section]
}

fn scores_heading(context: &GamesContext<'_>) -> String {
    let mut opponents = context.pairs.iter().map(|&(_, other)| other);
    match opponents.next() {
        Some(other) if opponents.all(|another| another == other) => {
            format!("Score against {}", context.label(other))
        }
        _ => "Score of the first named".to_owned(),
    }
}

/// Points, results, discs and time by player, published figures above ours.
fn ranking_table(context: &GamesContext<'_>, rows: &[GameRow]) -> Table {
    let file = context.file;
    let sums: Vec<(usize, PlayerSums)> = (0..file.players.len())
        .map(|player| (player, PlayerSums::of(rows, player)))
        .collect();
    let has_pieces = sums.iter().any(|(_, sums)| sums.has_pieces);
    let has_published = !file.trials.published_players.is_empty();
    let mut columns = vec![Column::text("player")];
    if has_published {
        columns.push(Column::text("source"));
    }
    columns.extend([
        Column::number("points"),
        Column::number("won – drawn – lost"),
        Column::number("score"),
    ]);
    if has_pieces {
        let pieces =
            ["for", "against"].map(|heading| Column::number(heading).under("discs a game"));
        columns.extend(pieces);
    }
    columns.push(Column::number("seconds a game").time());
    let mut order = sums.clone();
    order.sort_by(|(_, one), (_, other)| {
        let score = |sums: &PlayerSums| sums.results.total().score();
        score(other).total_cmp(&score(one))
    });
    let cells = |results: Option<WdlCounts>,
                 (points, games): (f64, f64),
                 pieces: Option<[f64; 2]>,
                 seconds: Option<f64>| {
        let mut cells = vec![
            Cell::number(points, 1),
            results.map_or_else(Cell::empty, |results| Cell::text(numbers::wdl(results))),
            match games > 0.0 {
                true => Cell::percent(points / games),
                false => Cell::empty(),
            },
        ];
        if has_pieces {
            let pieces = pieces.map(|pieces| pieces.map(|count| Cell::number(count, 1)));
            cells.extend(pieces.unwrap_or_else(|| [Cell::empty(), Cell::empty()]));
        }
        cells.push(seconds.map_or_else(Cell::empty, |seconds| Cell::number(seconds, 2)));
        cells
    };
    let group = |&(player, sums): &(usize, PlayerSums)| {
        let mut group = RowGroup::default();
        let total = sums.results.total();
        let games = total.games() as f64;
        let published = file.trials.published_players.iter();
        for row in published.filter(|row| row.player.0 == context.name(player)) {
            let (points, games) = row.points_of_games();
            let pieces = row.pieces.zip(row.against);
            let mean = |sum: u64| sum as f64 / games.max(1.0);
            let pieces = pieces.map(|(own, other)| [mean(own), mean(other)]);
            let name = [
                Some(Cell::text(context.label(player))),
                Some(Cell::text("published")),
            ];
            let figures = cells(row.results(), (points, games), pieces, row.seconds);
            let figures = figures.into_iter().map(Some);
            group.rows.push(name.into_iter().chain(figures).collect());
        }
        let pieces = sums
            .has_pieces
            .then(|| sums.pieces.map(|sum| sum as f64 / games.max(1.0)));
        // Nothing is known of the time of recorded games.
        let seconds = Some(sums.seconds / games.max(1.0)).filter(|&seconds| seconds > 0.0);
        let figures = cells(Some(total), (total.points(), games), pieces, seconds).into_iter();
        let figures = figures.map(|cell| Some(cell.tone(Tone::Strong)));
        let name = group
            .rows
            .is_empty()
            .then(|| Cell::text(context.label(player)));
        let mut first = vec![name];
        if has_published {
            first.push(Some(Cell::text("ours").tone(Tone::Strong)));
        }
        group.rows.push(first.into_iter().chain(figures).collect());
        group
    };
    Table {
        columns,
        groups: order.iter().map(group).collect(),
    }
}

fn strength_plot(context: &GamesContext<'_>, rows: &[GameRow]) -> Plot {
    let players: Vec<usize> = (0..context.file.players.len()).collect();
    let ratings = ratings(context, rows, &players).ok();
    let row = |&player: &usize| {
        let rating = ratings.as_ref()?.rating(player)?;
        Some(DotRow {
            label: context.label(player).to_owned(),
            note: String::new(),
            marks: vec![Mark {
                role: Role::Ours,
                value: rating.elo,
                interval: Some(rating.interval()),
            }],
        })
    };
    let mut rows: Vec<DotRow> = players.iter().filter_map(row).collect();
    rows.sort_by(|one, other| {
        let value = |row: &DotRow| row.marks.first().map_or(0.0, |mark| mark.value);
        value(other).total_cmp(&value(one))
    });
    Plot::Dots(DotPlot {
        axis: Axis::new("Elo", Unit::Elo),
        reference: Some(0.0),
        rows,
    })
}

/// Results of each player by colour, and of all games.
fn colours_table(context: &GamesContext<'_>, rows: &[GameRow], sides: [&str; 2]) -> Table {
    let players: Vec<(&str, WdlByColour)> = (0..context.file.players.len())
        .map(|player| (context.name(player), PlayerSums::of(rows, player).results))
        .filter(|(_, results)| results.total().games() > 0)
        .collect();
    let mut table = comparison::colour_table(&players, sides);
    let mut add = |name: &str, results: WdlCounts| {
        let share = |results: WdlCounts| Cell::percent(results.score());
        table.groups.push(RowGroup::row([
            Cell::text(name),
            Cell::text(numbers::wdl(results)),
            share(results),
            Cell::text(numbers::wdl(results.reversed())),
            share(results.reversed()),
            Cell::empty(),
            Cell::text(numbers::percent_interval(results.wilson_interval())),
        ]));
    };
    let first = rows.iter().fold(WdlCounts::default(), |sum, row| {
        sum + super::tally::result_of(row, 0)
    });
    add("all games", first);
    if let Some(published) = &context.file.trials.published_first {
        let results = WdlCounts::new(published.won, published.drawn, published.lost);
        add("all games, published", results);
    }
    table
}

/// A figure of each player, published and ours, as bars.
fn player_bars(
    context: &GamesContext<'_>,
    axis: Axis,
    published: impl Fn(&PublishedPlayer) -> Option<f64>,
    ours: impl Fn(usize) -> f64,
) -> Plot {
    let group = |player: usize| {
        let bar = |role, value| Bar {
            role,
            values: vec![value],
        };
        let mut rows = context.file.trials.published_players.iter();
        let row = rows.find(|row| row.player.0 == context.name(player));
        let published = row.and_then(&published);
        let published = published.map(|value| bar(Role::Published, value));
        BarGroup {
            label: context.label(player).to_owned(),
            note: String::new(),
            bars: (published.into_iter())
                .chain([bar(Role::Ours, ours(player))])
                .collect(),
        }
    };
    Plot::Bars(BarPlot {
        parts: vec![axis.label.clone()],
        axis,
        palette: Palette::Roles,
        groups: (0..context.file.players.len()).map(group).collect(),
    })
}

fn points_plot(context: &GamesContext<'_>, rows: &[GameRow]) -> Plot {
    player_bars(
        context,
        Axis::new("share of the points", Unit::Percent),
        |row| {
            let (points, games) = row.points_of_games();
            Some(points / games.max(1.0))
        },
        |player| PlayerSums::of(rows, player).results.total().score(),
    )
}

/// Times of a game. Beside published ones, of another machine, both are shares of the slowest player's.
fn time_plot(context: &GamesContext<'_>, rows: &[GameRow]) -> Plot {
    let ours = |player: usize| {
        let sums = PlayerSums::of(rows, player);
        sums.seconds / (sums.results.total().games() as f64).max(1.0)
    };
    let published = context.file.trials.published_players.iter();
    let slowest = published
        .filter_map(|row| row.seconds)
        .reduce(f64::max)
        .filter(|&seconds| seconds > 0.0);
    let Some(slowest) = slowest else {
        let axis = Axis::new("seconds a game", Unit::Seconds);
        return player_bars(context, axis, |_| None, ours);
    };
    let players = 0..context.file.players.len();
    let our_slowest = players.map(ours).fold(f64::MIN_POSITIVE, f64::max);
    player_bars(
        context,
        Axis::new("of the slowest player's time", Unit::Percent),
        |row| Some(row.seconds? / slowest),
        |player| ours(player) / our_slowest,
    )
}
