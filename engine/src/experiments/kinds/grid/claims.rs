//! What hypotheses claim of a grid, and what its games say to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Grid, GridContext, GridGame, KnownGame};
use crate::{
    experiments::{
        document::Problem,
        file::{ExperimentFile, HypothesisForm},
        kinds::games::GameRow,
    },
    games::notation::{join_words, quote},
    reports::{
        Cell, Column, Hypothesis, Outcome, Table, Verdict, comparison::outcome_cell, numbers,
        verdict::judge_rows,
    },
};

/// What a hypothesis claims; exactly one of the keys.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridClaim {
    /// Every game of the known tables with these sources is the same here, figure by figure
    #[serde(default)]
    pub equal_to: Vec<String>,
    /// The search that plays the games again plays the same games, move by move
    #[serde(default)]
    pub same_games: bool,
    /// The players' searches evaluate fewer leaves at every depth than the search that plays the games again
    #[serde(default)]
    pub fewer_leaves: bool,
}

/// What is wrong with the claims of a file.
pub(super) fn check(file: &ExperimentFile<Grid>) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    let sources: Vec<&str> = (file.trials.known.iter())
        .map(|table| table.source.as_str())
        .collect();
    for (number, hypothesis) in (1..).zip(&file.hypotheses) {
        let claim = &hypothesis.claim;
        let key = format!("hypotheses.{number}.claim");
        let given = [
            !claim.equal_to.is_empty(),
            claim.same_games,
            claim.fewer_leaves,
        ];
        if given.into_iter().filter(|&given| given).count() != 1 {
            problems.push(Problem::at(
                key.as_str(),
                "it claims nothing, or several things: expected one of equal_to, same_games and fewer_leaves",
            ));
        }
        if (claim.same_games || claim.fewer_leaves) && file.trials.again_with.is_empty() {
            problems.push(Problem::at(
                key.as_str(),
                "nothing plays the games again: expected trials.again_with",
            ));
        }
        for (place, source) in (1..).zip(&claim.equal_to) {
            if !sources.contains(&source.as_str()) {
                let known = match sources.is_empty() {
                    true => "a [[trials.known]] table with that source".to_owned(),
                    false => join_words(&sources, "or"),
                };
                problems.push(Problem::at(
                    format!("{key}.equal_to.{place}"),
                    format!("no games are from {}: expected {known}", quote(source)),
                ));
            }
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// Tests a hypothesis.
pub(super) fn test(context: &GridContext<'_>, form: &HypothesisForm<GridClaim>) -> Hypothesis {
    let claim = &form.claim;
    let (verdict, tests) = if !claim.equal_to.is_empty() {
        test_equal(context, &claim.equal_to)
    } else if claim.same_games {
        test_same_games(context)
    } else {
        test_fewer_leaves(context)
    };
    form.tested(verdict, tests)
}

/// Trials of which some agree with a claim.
#[derive(Clone, Copy, Debug, Default)]
struct Agreement {
    agree: u64,
    tested: u64,
}

impl Agreement {
    fn of(agreements: impl IntoIterator<Item = bool>) -> Self {
        let mut sum = Self::default();
        for agrees in agreements {
            sum.agree += u64::from(agrees);
            sum.tested += 1;
        }
        sum
    }

    fn outcome(self) -> Outcome {
        judge_rows(self.agree, self.tested)
    }

    /// `8 of 8`
    fn text(self) -> String {
        let [agree, tested] = [self.agree, self.tested].map(|count| count as f64);
        format!(
            "{} of {}",
            numbers::decimal(agree, 0),
            numbers::decimal(tested, 0)
        )
    }

    fn row(self, name: String) -> Vec<Cell> {
        vec![
            Cell::text(name),
            Cell::count(self.tested),
            Cell::count(self.agree),
            outcome_cell(self.outcome(), "games"),
        ]
    }
}

/// The columns of a table of agreements.
fn columns(what: &str, agree: &str) -> [Column; 4] {
    [
        Column::text(what),
        Column::number("compared"),
        Column::number(agree),
        Column::number("verdict"),
    ]
}

fn test_equal(context: &GridContext<'_>, sources: &[String]) -> (Verdict, Table) {
    let mut rows = Vec::new();
    let (mut texts, mut outcomes) = (Vec::new(), Vec::new());
    for source in sources {
        let games = context.known_of(source);
        let agreement = Agreement::of(games.filter_map(|game| game.is_equal(context)));
        texts.push(format!("{source}: {} games are equal", agreement.text()));
        outcomes.push(agreement.outcome());
        rows.push(agreement.row(source.clone()));
    }
    let text = format!("{}.", texts.join("; "));
    let verdict = Verdict::new(Outcome::of_all(&outcomes), "games", text);
    (verdict, Table::plain(columns("source", "equal"), rows))
}

/// The depths at which both searches have played, with their games: the players' own and those played again.
fn by_depth<'c>(context: &'c GridContext<'_>) -> Vec<(u32, Vec<(&'c GameRow, &'c GameRow)>)> {
    let pair = |(game, row): (GridGame, &'c GameRow)| {
        let again = context.row(GridGame {
            is_again: true,
            ..game
        });
        Some((row, again?))
    };
    let depths = context.file.trials.depths.iter();
    depths
        .map(|&depth| {
            let games = context.at_depth(depth, false).filter_map(pair);
            (depth, games.collect::<Vec<_>>())
        })
        .filter(|(_, games)| !games.is_empty())
        .collect()
}

fn test_same_games(context: &GridContext<'_>) -> (Verdict, Table) {
    let mut all = Agreement::default();
    let rows: Vec<Vec<Cell>> = (by_depth(context).into_iter())
        .map(|(depth, games)| {
            let same = |(own, again): &(&GameRow, &GameRow)| own.moves == again.moves;
            let agreement = Agreement::of(games.iter().map(same));
            all.agree += agreement.agree;
            all.tested += agreement.tested;
            agreement.row(depth.to_string())
        })
        .collect();
    let text = format!("{} games are the same, move by move.", all.text());
    let verdict = Verdict::new(all.outcome(), "games", text);
    (verdict, Table::plain(columns("depth", "the same"), rows))
}

fn test_fewer_leaves(context: &GridContext<'_>) -> (Verdict, Table) {
    let columns = [
        Column::text("depth"),
        Column::number("games"),
        Column::number("with fewer leaves"),
        Column::number("leaves, of those of the other search"),
        Column::number("verdict"),
    ];
    let (mut outcomes, mut texts, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for (depth, games) in by_depth(context) {
        let leaves = |row: &GameRow| row.leaves.iter().sum::<u64>();
        let fewer = |(own, again): &(&GameRow, &GameRow)| leaves(own) < leaves(again);
        let agreement = Agreement::of(games.iter().map(fewer));
        let (own, again) = games.iter().fold((0, 0), |(own, again), (one, other)| {
            (own + leaves(one), again + leaves(other))
        });
        let outcome = judge_rows(u64::from(own < again), 1);
        let share = own as f64 / (again as f64).max(1.0);
        texts.push(format!("{} at depth {depth}", numbers::percent(share)));
        outcomes.push(outcome);
        rows.push(vec![
            Cell::text(depth.to_string()),
            Cell::count(agreement.tested),
            Cell::count(agreement.agree),
            Cell::percent(share),
            outcome_cell(outcome, "games"),
        ]);
    }
    let text = format!("Leaves left: {}.", join_words(&texts, "and"));
    let verdict = Verdict::new(Outcome::of_all(&outcomes), "games", text);
    (verdict, Table::plain(columns, rows))
}

impl GridContext<'_> {
    /// The known games from a source.
    pub(super) fn known_of(&self, source: &str) -> impl Iterator<Item = &KnownGame> {
        let tables = &self.file.trials.known;
        let is_from = move |game: &&KnownGame| {
            let table = tables.get(game.table);
            table.is_some_and(|table| table.source == source)
        };
        self.known.iter().filter(is_from)
    }
}
