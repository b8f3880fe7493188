//! What hypotheses claim of good moves, and what the searches say to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MoveRow, Positions, tally::PositionsContext};
use crate::{
    arena::stats::Correlation,
    experiments::{
        document::Problem,
        file::{ExperimentFile, HypothesisForm},
        kinds::games::PairNames,
    },
    reports::{
        Cell, Column, Hypothesis, Outcome, Table, Tone, Verdict,
        comparison::{self, Comparison, outcome_cell},
        numbers,
        verdict::{self, ALPHA, Claim, DEFAULT_MARGIN},
    },
};

/// Correlations that explain less than a quarter of the variance do not matter, where nothing else is said.
const DEFAULT_CORRELATION_MARGIN: f64 = 0.5;

/// What a hypothesis claims; exactly one of better and grows.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionsClaim {
    /// In each of these pairs the first player finds more good moves
    #[serde(default)]
    pub better: Vec<PairNames>,
    /// The larger the value of a player, the more good moves it finds
    #[serde(default)]
    pub grows: Option<GrowthClaim>,
    /// The smallest difference that matters: 0.05 is a good move more in one of ten positions
    #[serde(default)]
    #[schemars(range(min = 0.001, max = 0.5))]
    pub margin: Option<f64>,
}

/// A claim that good moves grow with the value of players.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrowthClaim {
    /// What the values are, such as table size
    pub with: String,
    /// Whether the verdict goes by the logarithm of the values
    #[serde(default)]
    pub logarithm: bool,
    /// Coefficients below this do not matter
    #[serde(default)]
    #[schemars(range(min = 0.01, max = 0.99))]
    pub margin: Option<f64>,
}

/// What is wrong with the claims of a file.
pub(super) fn check(file: &ExperimentFile<Positions>) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    for (number, hypothesis) in (1..).zip(&file.hypotheses) {
        let claim = &hypothesis.claim;
        let key = format!("hypotheses.{number}.claim");
        if claim.better.is_empty() != claim.grows.is_some() {
            problems.push(Problem::at(
                key.as_str(),
                "it claims nothing, or two things: expected one of better and grows",
            ));
        }
        let with_value = (file.players.iter()).filter(|player| player.value.is_some());
        let positive = (file.players.iter()).filter(|player| player.value > Some(0.0));
        let is_logarithmic = claim.grows.as_ref().is_some_and(|claim| claim.logarithm);
        if claim.grows.is_some() && with_value.clone().count() < 3 {
            problems.push(Problem::at(
                format!("{key}.grows"),
                "fewer than three players have a value: expected value = in three or more [[players]]",
            ));
        } else if is_logarithmic && positive.count() < with_value.count() {
            problems.push(Problem::at(
                format!("{key}.grows.logarithm"),
                "a player's value is not above 0 and has no logarithm: expected false, or positive values",
            ));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// Tests a hypothesis.
pub(super) fn test(
    context: &PositionsContext<'_>,
    rows: &[MoveRow],
    form: &HypothesisForm<PositionsClaim>,
) -> Hypothesis {
    let (verdict, tests) = match &form.claim.grows {
        Some(growth) => test_growth(context, rows, growth),
        None => test_pairs(context, rows, &form.claim),
    };
    form.tested(verdict, tests)
}

/// The sign test on searches of the same position and run in which one of the two alone found a good move: McNemar's test as it is
/// meant, on matched pairs.
fn test_pairs(
    context: &PositionsContext<'_>,
    rows: &[MoveRow],
    claim: &PositionsClaim,
) -> (Verdict, Table) {
    let index = |name: &str| context.file.player_index(name).unwrap_or(usize::MAX);
    let comparisons: Vec<Comparison> = (claim.better.iter())
        .map(|[one, other]| context.comparison(rows, (index(&one.0), index(&other.0))))
        .collect();
    let margin = claim.margin.unwrap_or(DEFAULT_MARGIN);
    let judged = comparison::judge(Claim::Stronger { margin }, &comparisons);
    let mut verdict = comparison::verdict(&comparisons, &judged, "searches");
    let means = claim.better.iter().flatten().map(|name| &name.0);
    let mut said: Vec<&String> = Vec::new();
    let mut texts = Vec::new();
    for name in means {
        let Some(sample) = context.sample(rows, index(name)) else {
            continue;
        };
        if !said.contains(&name) {
            said.push(name);
            let published = context.published(index(name));
            let published = published.map(|good| format!(" (published {})", numbers::short(good)));
            let mean = numbers::decimal(sample.mean, 1);
            texts.push(format!("{name} {mean}{}", published.unwrap_or_default()));
        }
    }
    if !texts.is_empty() {
        let count = context.positions.len();
        let text = format!(
            "{} Good moves of {count}: {}.",
            verdict.text,
            texts.join(", ")
        );
        verdict.text = text.trim().to_owned();
    }
    let tests = pairs_table(&comparisons, &judged);
    (verdict, tests)
}

fn pairs_table(comparisons: &[Comparison], judged: &[comparison::Judgement]) -> Table {
    let columns = [
        Column::text("pair"),
        Column::number("first alone"),
        Column::number("second alone"),
        Column::number("both or neither"),
        Column::number("sign test p"),
        Column::number("p by Holm"),
        Column::number("verdict"),
    ];
    let rows = comparisons.iter().zip(judged);
    let rows = rows.filter_map(|(comparison, judgement)| {
        let test = judgement.ours?;
        Some(vec![
            Cell::text(&comparison.name),
            Cell::count(test.results.wins.into()),
            Cell::count(test.results.losses.into()),
            Cell::count(test.results.draws.into()),
            Cell::p_value(test.p_value),
            Cell::p_value(test.corrected_p),
            outcome_cell(test.outcome, "searches"),
        ])
    });
    Table::plain(columns, rows)
}

/// Whose good moves a correlation is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Published,
    Means,
    Runs,
}

/// Points of value and good moves.
fn points(context: &PositionsContext<'_>, rows: &[MoveRow], source: Source) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for (index, player) in context.players() {
        let Some(value) = player.value else {
            continue;
        };
        let good = match source {
            Source::Published => context.published(index).into_iter().collect(),
            Source::Means => {
                let sample = context.sample(rows, index);
                sample.map(|sample| sample.mean).into_iter().collect()
            }
            Source::Runs => context.runs(rows, index),
        };
        points.extend(good.into_iter().map(|good: f64| (value, good)));
    }
    points
}

/// A correlation that is shown.
struct GrowthTest {
    source: &'static str,
    against: String,
    correlation: Correlation,
    outcome: Outcome,
    /// Whether the verdict goes by it.
    is_deciding: bool,
}

/// The correlations of published means, our means and our runs with the players' values and their logarithms, as far as there are any.
fn growth_tests(
    context: &PositionsContext<'_>,
    rows: &[MoveRow],
    claim: &GrowthClaim,
) -> Vec<GrowthTest> {
    let margin = claim.margin.unwrap_or(DEFAULT_CORRELATION_MARGIN);
    let mut tests = Vec::new();
    for (source, name) in [
        (Source::Published, "published means"),
        (Source::Means, "our means"),
        (Source::Runs, "our runs, one by one"),
    ] {
        let points = points(context, rows, source);
        for is_logarithmic in [false, true] {
            let scaled: Vec<(f64, f64)> = (points.iter())
                .map(|&(value, good)| match is_logarithmic {
                    true => (libm::log10(value), good),
                    false => (value, good),
                })
                .collect();
            let Some(correlation) = Correlation::pearson(&scaled) else {
                continue;
            };
            tests.push(GrowthTest {
                source: name,
                against: match is_logarithmic {
                    true => format!("logarithm of {}", claim.with),
                    false => claim.with.clone(),
                },
                correlation,
                outcome: judge_growth(correlation, margin),
                is_deciding: source == Source::Runs && is_logarithmic == claim.logarithm,
            });
        }
    }
    tests
}

fn test_growth(
    context: &PositionsContext<'_>,
    rows: &[MoveRow],
    claim: &GrowthClaim,
) -> (Verdict, Table) {
    let tests = growth_tests(context, rows, claim);
    let verdict = match tests.iter().find(|test| test.is_deciding) {
        None => {
            let text = "All runs found the same number of good moves, or there are too few.";
            Verdict::new(Outcome::NotSettled { more: None }, "runs", text)
        }
        Some(test) => {
            let text = format!(
                "Good moves and the {} are correlated by r = {} (p = {}) over {} runs.",
                test.against,
                numbers::decimal(test.correlation.r, 3),
                numbers::p_value(test.correlation.p_value()),
                test.correlation.points
            );
            Verdict::new(test.outcome, "runs", text)
        }
    };
    let columns = [
        Column::text("good moves"),
        Column::text("against"),
        Column::number("points"),
        Column::number("Pearson's r"),
        Column::number("95 % interval"),
        Column::number("p"),
        Column::number("verdict"),
    ];
    let cells = tests.iter().map(|test| {
        let mut cells = vec![Cell::text(test.source), Cell::text(&test.against)];
        cells.extend(correlation_cells(test.correlation));
        cells.push(match test.is_deciding {
            true => outcome_cell(test.outcome, "runs"),
            false => Cell::text(test.outcome.short_label("runs").0).tone(Tone::Dim),
        });
        cells
    });
    (verdict, Table::plain(columns, cells))
}

/// Whether good moves grow. A correlation the other way round contradicts it.
fn judge_growth(correlation: Correlation, margin: f64) -> Outcome {
    match correlation.p_value() <= ALPHA && correlation.r < 0.0 {
        true => Outcome::Rejected,
        false => verdict::judge_correlation(correlation, margin),
    }
}

fn correlation_cells(correlation: Correlation) -> [Cell; 4] {
    let interval = correlation.interval();
    let p = correlation.p_value();
    [
        Cell::count(correlation.points.into()),
        Cell::number(correlation.r, 3),
        Cell::text(format!(
            "{} to {}",
            numbers::decimal(interval.low, 2),
            numbers::decimal(interval.high, 2)
        )),
        match p < 0.001 {
            true => Cell::p_value(p),
            false => Cell::number(p, 3),
        },
    ]
}
