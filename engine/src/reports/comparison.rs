//! Published results beside ours: tests, verdicts, and the plots and tables made of them.

use serde::{Deserialize, Serialize};

use super::{
    numbers,
    plot::{Axis, Bar, BarGroup, BarPlot, DotPlot, DotRow, Mark, Palette, Plot, Role, Unit},
    table::{Cell, Column, RowGroup, Table, Tone},
    verdict::{self, Claim, Finding, GamesTest, Outcome, Relation, Verdict},
};
use crate::{
    arena::stats::{PairCounts, WdlByColour, WdlCounts},
    games::notation::join_words,
};

/// The results of one side against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// All games.
    pub total: WdlCounts,
    /// The same by who moved first, where that is known.
    #[serde(default)]
    pub by_colour: Option<WdlByColour>,
    /// The same by pairs of games, where one opening is played with both colours; then they are tested as pairs.
    #[serde(default)]
    pub pairs: Option<PairCounts>,
}

impl Tally {
    /// Results without more about them.
    pub fn of(total: WdlCounts) -> Self {
        Self {
            total,
            ..Self::default()
        }
    }

    /// Results by colour.
    pub fn by_colour(results: WdlByColour) -> Self {
        Self {
            total: results.total(),
            by_colour: Some(results),
            pairs: None,
        }
    }
}

/// Two sides, what was published of them and what came out here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Comparison {
    /// Its name in plots and sentences.
    pub name: String,
    /// A second line below the name; empty for none.
    pub note: String,
    /// The side whose results they are, and its opponent.
    pub sides: [String; 2],
    /// The published results.
    pub published: Option<Tally>,
    /// The statistic that was published with them.
    pub published_chi_squared: Option<f64>,
    /// Our results.
    pub ours: Option<Tally>,
}

impl Comparison {
    /// A comparison without results.
    pub fn new(name: impl Into<String>, sides: [&str; 2]) -> Self {
        Self {
            name: name.into(),
            sides: sides.map(str::to_owned),
            ..Self::default()
        }
    }

    /// Whose results there are, published ones first.
    fn tallies(&self) -> impl Iterator<Item = (Role, &Tally)> {
        let published = self.published.iter().map(|tally| (Role::Published, tally));
        published.chain(self.ours.iter().map(|tally| (Role::Ours, tally)))
    }
}

/// A comparison tested.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The published results, tested as ours are.
    pub published: Option<GamesTest>,
    /// Our results.
    pub ours: Option<GamesTest>,
}

impl Judgement {
    /// How ours stand to the published ones.
    pub fn relation(&self) -> Option<Relation> {
        Some(Relation::of(self.ours.as_ref()?, self.published.as_ref()?))
    }

    /// Our results, or the published ones where there are none of ours.
    pub fn decisive(&self) -> Option<&GamesTest> {
        self.ours.as_ref().or(self.published.as_ref())
    }

    /// The outcome of the claim.
    pub fn outcome(&self) -> Outcome {
        self.decisive()
            .map_or(Outcome::NotTested, |test| test.outcome)
    }
}

/// Tests a claim on all comparisons, the published and our results apart, each corrected for the number of comparisons.
pub fn judge(claim: Claim, comparisons: &[Comparison]) -> Vec<Judgement> {
    let test = |tally: fn(&Comparison) -> Option<Tally>| -> Vec<Option<GamesTest>> {
        let known: Vec<(WdlCounts, Option<PairCounts>)> = (comparisons.iter())
            .filter_map(tally)
            .map(|tally| (tally.total, tally.pairs))
            .collect();
        let mut tests = verdict::test_games(claim, &known).into_iter();
        let each = comparisons.iter();
        each.map(|comparison| tally(comparison).and_then(|_| tests.next()))
            .collect()
    };
    let published = test(|comparison| comparison.published);
    let ours = test(|comparison| comparison.ours);
    let both = published.into_iter().zip(ours);
    both.map(|(published, ours)| Judgement { published, ours })
        .collect()
}

/// The verdict on a claim that all comparisons must bear out, with a sentence that counts and names them.
pub fn verdict(comparisons: &[Comparison], judged: &[Judgement], unit: &str) -> Verdict {
    let outcomes: Vec<Outcome> = judged.iter().map(Judgement::outcome).collect();
    let names = |is_wanted: fn(Outcome) -> bool| -> Vec<&str> {
        (comparisons.iter().zip(&outcomes))
            .filter(|(_, outcome)| is_wanted(**outcome))
            .map(|(comparison, _)| comparison.name.as_str())
            .collect()
    };
    let groups = [
        ("holds for", names(Outcome::is_confirmed)),
        (
            "does not hold for",
            names(|outcome| outcome == Outcome::Rejected),
        ),
        (
            "is not settled for",
            names(|outcome| matches!(outcome, Outcome::NotSettled { .. })),
        ),
    ];
    let parts: Vec<String> = (groups.iter())
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what} {}", join_words(names, "and")))
        .collect();
    let text = match parts.as_slice() {
        [] => String::new(),
        _ if comparisons.len() == 1 => String::new(),
        parts => format!("It {}.", parts.join("; it ")),
    };
    Verdict::new(Outcome::of_all(&outcomes), unit, text)
}

/// Scores of the first sides with 95 % intervals; half the points are marked.
pub fn score_plot(comparisons: &[Comparison]) -> Plot {
    let mark = |(role, tally): (Role, &Tally)| Mark {
        role,
        value: tally.total.score(),
        interval: Some(match tally.pairs {
            Some(pairs) => pairs.interval(),
            None => tally.total.wilson_interval(),
        }),
    };
    let row = |comparison: &Comparison| DotRow {
        label: comparison.name.clone(),
        note: comparison.note.clone(),
        marks: comparison.tallies().map(mark).collect(),
    };
    Plot::Dots(DotPlot {
        axis: Axis::new("score", Unit::Percent),
        reference: Some(0.5),
        rows: comparisons.iter().map(row).collect(),
    })
}

/// Games won, drawn and lost by the first sides, as bars.
pub fn results_plot(comparisons: &[Comparison]) -> Plot {
    let bar = |(role, tally): (Role, &Tally)| {
        let WdlCounts {
            wins,
            draws,
            losses,
        } = tally.total;
        Bar {
            role,
            values: [wins, draws, losses].map(f64::from).to_vec(),
        }
    };
    let group = |comparison: &Comparison| BarGroup {
        label: comparison.name.clone(),
        note: comparison.note.clone(),
        bars: comparison.tallies().map(bar).collect(),
    };
    Plot::Bars(BarPlot {
        axis: Axis::new("games", Unit::Number),
        parts: ["won", "drawn", "lost"].map(str::to_owned).to_vec(),
        palette: Palette::Sides,
        groups: comparisons.iter().map(group).collect(),
    })
}

/// The look of a finding: one that contradicts a publication stands out.
fn tone(judgement: &Judgement) -> Tone {
    let finding = judgement.decisive().map(|test| test.finding);
    match (judgement.relation(), finding) {
        (Some(Relation::Differs { .. }), _) => Tone::Attention,
        (_, Some(Finding::Stronger)) => Tone::Good,
        _ => Tone::Strong,
    }
}

fn wdl_cell(results: Option<WdlCounts>, tone: Tone) -> Cell {
    results.map_or_else(Cell::empty, |results| {
        Cell::text(numbers::wdl(results)).tone(tone)
    })
}

/// Games by who moves first, as report 002 prints them: wins, draws and losses of the side that moves first, McNemar's statistic, and what
/// the games show. Comparisons without colours have one row for both. Where nothing is published, there are no columns for it.
pub fn games_table(comparisons: &[Comparison], judged: &[Judgement]) -> Table {
    let columns = vec![
        Column::text("moves first"),
        Column::text("moves second"),
        Column::number("won – drawn – lost").under("Published"),
        Column::number("won – drawn – lost").under("Ours"),
        Column::number("published").under("χ²"),
        Column::number("ours").under("χ²"),
        Column::number("finding"),
    ];
    let groups = comparisons.iter().zip(judged);
    let groups = groups.map(|(comparison, judgement)| games_rows(comparison, judgement));
    let table = Table {
        columns,
        groups: groups.collect(),
    };
    let is_published = comparisons.iter().any(|comparison| {
        comparison.published.is_some() || comparison.published_chi_squared.is_some()
    });
    match is_published {
        true => table,
        false => table
            .retain_columns(|column| column.group != "Published" && column.heading != "published"),
    }
}

fn games_rows(comparison: &Comparison, judgement: &Judgement) -> RowGroup {
    let [side, opponent] = &comparison.sides;
    let colours = |tally: &Option<Tally>| tally.as_ref().and_then(|tally| tally.by_colour);
    let total = |tally: &Option<Tally>| tally.as_ref().map(|tally| tally.total);
    let (published, ours) = (colours(&comparison.published), colours(&comparison.ours));
    let shared = [
        comparison
            .published_chi_squared
            .map_or_else(Cell::empty, printed_cell),
        total(&comparison.ours).map_or_else(Cell::empty, |results| {
            Cell::statistic(results.mcnemar().chi_squared).tone(Tone::Strong)
        }),
        finding_cell(judgement),
    ];
    let is_by_colour = [
        (&comparison.published, &published),
        (&comparison.ours, &ours),
    ];
    if is_by_colour
        .into_iter()
        .any(|(tally, colours)| tally.is_some() && colours.is_none())
    {
        let sides = [
            Cell::text(side),
            Cell::text(format!("{opponent}, both ways")),
        ];
        let results = [
            wdl_cell(total(&comparison.published), Tone::Plain),
            wdl_cell(total(&comparison.ours), Tone::Strong),
        ];
        return RowGroup::row(sides.into_iter().chain(results).chain(shared));
    }
    let row = |first: &str, second: &str, results: fn(WdlByColour) -> WdlCounts| {
        [
            Cell::text(first),
            Cell::text(second),
            wdl_cell(published.map(results), Tone::Plain),
            wdl_cell(ours.map(results), Tone::Strong),
        ]
        .map(Some)
        .to_vec()
    };
    // The opponent's games first, as it is the one everybody is compared with.
    let mut upper = row(opponent, side, |results| results.second.reversed());
    let mut lower = row(side, opponent, |results| results.first);
    upper.extend(shared.map(Some));
    lower.extend([None, None, None]);
    RowGroup {
        rows: vec![upper, lower],
    }
}

/// A figure with the digits that were printed.
fn printed_cell(value: f64) -> Cell {
    Cell::value(value.to_string(), value)
}

fn finding_cell(judgement: &Judgement) -> Cell {
    let Some(test) = judgement.decisive() else {
        return Cell::empty();
    };
    let relation = judgement.relation().map(Relation::label);
    Cell::text(test.finding.label())
        .tone(tone(judgement))
        .note(relation.unwrap_or_default())
}

/// All tests of all comparisons: McNemar's as published and recomputed, and the exact sign test with Holm's correction, for published and
/// own results.
pub fn tests_table(comparisons: &[Comparison], judged: &[Judgement], unit: &str) -> Table {
    let has_printed = (comparisons.iter()).any(|row| row.published_chi_squared.is_some());
    let mut columns = vec![
        Column::text("comparison"),
        Column::text("source"),
        Column::number("score"),
        Column::number("95 % interval"),
    ];
    if has_printed {
        columns.push(Column::number("χ² printed").under("McNemar, as published"));
    }
    columns.extend([
        Column::number("χ²").under("McNemar, as published"),
        Column::number("p").under("McNemar, as published"),
        Column::number("p").under("Exact sign test"),
        Column::number("p by Holm").under("Exact sign test"),
        Column::number("verdict"),
    ]);
    let groups = comparisons
        .iter()
        .zip(judged)
        .map(|(comparison, judgement)| {
            let mut rows: Vec<Vec<Option<Cell>>> = Vec::new();
            for (role, test) in [
                (Role::Published, &judgement.published),
                (Role::Ours, &judgement.ours),
            ] {
                if let Some(test) = test {
                    let name = rows.is_empty().then(|| Cell::text(&comparison.name));
                    let printed = comparison.published_chi_squared;
                    let printed = printed.filter(|_| role == Role::Published);
                    let printed = printed.map_or_else(Cell::empty, printed_cell);
                    let cells = tests_row(role, test, has_printed.then_some(printed), unit);
                    let cells = cells.into_iter().map(Some);
                    rows.push(std::iter::once(name).chain(cells).collect());
                }
            }
            RowGroup { rows }
        });
    Table {
        columns,
        groups: groups.collect(),
    }
}

/// The cells of a row after the name of its comparison.
fn tests_row(role: Role, test: &GamesTest, printed: Option<Cell>, unit: &str) -> Vec<Cell> {
    let mcnemar = test.results.mcnemar();
    let mut cells = vec![
        Cell::text(role.name()),
        Cell::percent(test.results.score()),
        Cell::text(numbers::percent_interval(test.interval)),
    ];
    cells.extend(printed);
    cells.extend([
        Cell::statistic(mcnemar.chi_squared),
        Cell::p_value(mcnemar.p_value()),
        Cell::p_value(test.p_value),
        Cell::p_value(test.corrected_p),
        outcome_cell(test.outcome, unit),
    ]);
    if role == Role::Ours {
        for cell in cells.iter_mut().filter(|cell| cell.tone == Tone::Plain) {
            cell.tone = Tone::Strong;
        }
    }
    cells
}

/// An outcome in its colour, with what would settle it below.
pub fn outcome_cell(outcome: Outcome, unit: &str) -> Cell {
    let (label, note) = outcome.short_label(unit);
    Cell::text(label).note(note).tone(outcome_tone(outcome))
}

/// The look of an outcome.
pub fn outcome_tone(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Confirmed => Tone::Good,
        Outcome::Rejected => Tone::Bad,
        Outcome::PartlyConfirmed | Outcome::NotSettled { .. } => Tone::Attention,
        Outcome::NotTested => Tone::Dim,
    }
}

/// Who scored how against whom: a row and a column for each player, wins, draws and losses of the row's player.
pub fn cross_table(players: &[&str], results: impl Fn(usize, usize) -> WdlCounts) -> Table {
    let mut columns = vec![Column::text("against")];
    columns.extend(players.iter().map(|name| Column::number(*name)));
    columns.push(Column::number("points"));
    let rows = players.iter().enumerate().map(|(row, name)| {
        let mut cells = vec![Cell::text(*name)];
        let mut all = WdlCounts::default();
        for column in 0..players.len() {
            let games = results(row, column);
            if row == column || games.games() == 0 {
                cells.push(Cell::empty());
            } else {
                all = all + games;
                cells.push(Cell::value(numbers::wdl(games), games.score()));
            }
        }
        cells.push(Cell::number(all.points(), 1).tone(Tone::Strong));
        cells
    });
    Table::plain(columns, rows)
}

/// Results of each player as the first and as the second to move.
pub fn colour_table(players: &[(&str, WdlByColour)], sides: [&str; 2]) -> Table {
    let [first, second] = sides;
    let columns = [
        Column::text("player"),
        Column::number("won – drawn – lost").under(first),
        Column::number("score").under(first),
        Column::number("won – drawn – lost").under(second),
        Column::number("score").under(second),
        Column::number("score").under("both"),
        Column::number("95 % interval").under("both"),
    ];
    let row = |name: &str, results: WdlByColour| {
        let total = results.total();
        vec![
            Cell::text(name),
            Cell::text(numbers::wdl(results.first)),
            Cell::percent(results.first.score()),
            Cell::text(numbers::wdl(results.second)),
            Cell::percent(results.second.score()),
            Cell::percent(total.score()).tone(Tone::Strong),
            Cell::text(numbers::percent_interval(total.wilson_interval())),
        ]
    };
    Table::plain(
        columns,
        players.iter().map(|(name, results)| row(name, *results)),
    )
}
