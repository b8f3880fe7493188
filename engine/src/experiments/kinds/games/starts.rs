//! What moving first is worth, and whether published columns of the first and of the second player are exchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    GameRow, Games, PlayerName,
    claims::{first_player, pair_name},
    pairs_of,
    tally::GamesContext,
};
use crate::{
    arena::stats::WdlCounts,
    experiments::{document::Problem, file::ExperimentFile},
    games::notation::join_words,
    reports::{
        Axis, Cell, Column, DotPlot, DotRow, Line, LinePlot, Mark, Outcome, Plot, Point, Role,
        Section, Table, Unit, Verdict, comparison::outcome_tone, numbers, verdict,
    },
};

/// Published results of whoever moved first in the games of a pair.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedStarts {
    /// The pair
    pub pair: String,
    /// Won, drawn and lost by whoever moved first: a row for each of the two who began
    pub rows: Vec<[u32; 3]>,
}

impl PublishedStarts {
    /// All rows together, so that it does not matter which of the two is stronger.
    fn total(&self) -> WdlCounts {
        (self.rows.iter()).fold(WdlCounts::default(), |sum, &[won, drawn, lost]| {
            sum + WdlCounts::new(won, drawn, lost)
        })
    }
}

/// A claim about the columns of published tables.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExchangedClaim {
    /// The player whose games against itself say which side is favoured
    pub mirror: PlayerName,
}

/// What is wrong with such a claim.
pub(super) fn check(
    file: &ExperimentFile<Games>,
    key: &str,
    claim: Option<&ExchangedClaim>,
) -> Option<Problem> {
    let player = file.player_index(&claim?.mirror.0)?;
    let is_played = pairs_of(file).contains(&(player, player));
    (!is_played).then(|| {
        let text = "it does not meet itself: expected one of trials.pairs with the same name twice";
        Problem::at(format!("{key}.exchanged.mirror"), text)
    })
}

fn mark(role: Role, results: WdlCounts) -> Mark {
    Mark {
        role,
        value: results.score(),
        interval: Some(results.wilson_interval()),
    }
}

/// The share of the first player by pair, published ones too, and along the values of players that meet themselves.
pub(super) fn sections(context: &GamesContext<'_>, rows: &[GameRow]) -> Vec<Section> {
    let mut sections = vec![Section::plot(
        "Share of the points for whoever moves first",
        "dot: share, bar: 95 % interval (Wilson); right of the dashed line the first player is ahead",
        share_plot(context, rows),
    )];
    let mut points: Vec<Point> = (context.pairs.iter())
        .filter(|(one, other)| one == other)
        .filter_map(|&pair| {
            let results = first_player(rows, pair);
            let player = context.file.players.get(pair.0)?;
            Some(Point {
                x: player.value?,
                y: results.score(),
                interval: Some(results.wilson_interval()),
            })
        })
        .collect();
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    if points.len() >= 3 {
        sections.push(Section::plot(
            "The share along the budget",
            "games of a player against itself; bar: 95 % interval (Wilson)",
            Plot::Lines(LinePlot {
                x: Axis::new("iterations", Unit::Number).logarithmic(),
                y: Axis::new("share of the first player", Unit::Percent),
                lines: vec![Line {
                    name: "ours".to_owned(),
                    role: Role::Ours,
                    points,
                }],
            }),
        ));
    }
    sections
}

fn share_plot(context: &GamesContext<'_>, rows: &[GameRow]) -> Plot {
    let games = |results: WdlCounts| format!("{} games", results.games());
    let own = context.pairs.iter().map(|&pair| {
        let results = first_player(rows, pair);
        let published = context.comparison(rows, pair).published;
        let published = published.and_then(|tally| tally.by_colour);
        let published = published.map(|colours| mark(Role::Published, colours.first_player()));
        DotRow {
            label: pair_name(context, pair),
            note: games(results),
            marks: published
                .into_iter()
                .chain([mark(Role::Ours, results)])
                .collect(),
        }
    });
    let others = context.file.trials.published_starts.iter().map(|starts| {
        let results = starts.total();
        DotRow {
            label: starts.pair.clone(),
            note: games(results),
            marks: vec![mark(Role::Published, results)],
        }
    });
    Plot::Dots(DotPlot {
        axis: Axis::new("share of the first player", Unit::Percent),
        reference: Some(0.5),
        rows: own.chain(others).collect(),
    })
}

/// Compares the side that published rows favour with the one that a mirror match favours.
pub(super) fn test_exchanged(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    claim: &ExchangedClaim,
) -> (Verdict, Table) {
    let mirror = context.index(&claim.mirror.0);
    let ours = first_player(rows, (mirror, mirror));
    let favoured = favours_first(ours);
    let published = &context.file.trials.published_starts;
    let outcomes: Vec<Outcome> = (published.iter())
        .map(|starts| match (favoured, favours_first(starts.total())) {
            (Some(one), Some(other)) if one != other => Outcome::Confirmed,
            (Some(_), Some(_)) => Outcome::Rejected,
            _ => Outcome::NotSettled { more: None },
        })
        .collect();
    let columns = [
        Column::text("pair"),
        Column::number("rows as printed").under("whoever moves first"),
        Column::number("won – drawn – lost").under("whoever moves first"),
        Column::number("share").under("whoever moves first"),
        Column::number("95 % interval").under("whoever moves first"),
        Column::number("share if exchanged"),
        Column::number("columns"),
    ];
    let cells = published.iter().zip(&outcomes);
    let table = Table::plain(
        columns,
        cells.map(|(starts, outcome)| starts_cells(starts, *outcome)),
    );
    let mut text = format!(
        "When {} plays against itself, whoever moves first takes {} of the points ({}).",
        context.label(mirror),
        numbers::percent(ours.score()),
        numbers::percent_interval(ours.wilson_interval())
    );
    for wanted in [Outcome::Confirmed, Outcome::Rejected] {
        let pairs = published.iter().zip(&outcomes);
        let names: Vec<&str> = pairs
            .filter(|(_, outcome)| **outcome == wanted)
            .map(|(starts, _)| starts.pair.as_str())
            .collect();
        if !names.is_empty() {
            let names = join_words(&names, "and");
            text += &format!(" Columns that are {}: {names}.", columns_label(wanted));
        }
    }
    let verdict = Verdict::new(Outcome::of_all(&outcomes), "games", text);
    (verdict, table)
}

fn columns_label(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Confirmed => "exchanged",
        Outcome::Rejected => "as they should be",
        _ => "not settled",
    }
}

fn starts_cells(starts: &PublishedStarts, outcome: Outcome) -> Vec<Cell> {
    let results = starts.total();
    let printed = starts
        .rows
        .iter()
        .map(|&[won, drawn, lost]| numbers::wdl(WdlCounts::new(won, drawn, lost)));
    vec![
        Cell::text(&starts.pair),
        Cell::text(printed.collect::<Vec<_>>().join("; ")),
        Cell::text(numbers::wdl(results)),
        Cell::percent(results.score()),
        Cell::text(numbers::percent_interval(results.wilson_interval())),
        Cell::percent(results.reversed().score()),
        Cell::text(columns_label(outcome)).tone(outcome_tone(outcome)),
    ]
}

/// Whether results favour whoever moves first; none if they may be even.
fn favours_first(results: WdlCounts) -> Option<bool> {
    match verdict::judge_share(results.points(), results.games(), 0.5) {
        Outcome::Confirmed => Some(true),
        Outcome::Rejected => Some(false),
        _ => None,
    }
}
