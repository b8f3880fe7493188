//! What hypotheses claim of nodes, and what the searches say to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Nodes, NodesRow,
    tally::{NodesContext, fewer, sums},
};
use crate::{
    experiments::{
        document::Problem,
        file::{ExperimentFile, HypothesisForm},
        kinds::games::PairNames,
    },
    games::notation::{join_words, quote},
    reports::{
        Cell, Column, Hypothesis, Outcome, Table, Verdict,
        comparison::outcome_cell,
        numbers,
        verdict::{self, Claim, DEFAULT_MARGIN},
    },
};

/// What a hypothesis claims; exactly one of fewer and same_values.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodesClaim {
    /// In each of these pairs the first player visits fewer nodes at the largest depth
    #[serde(default)]
    pub fewer: Vec<PairNames>,
    /// The kinds of positions of which that is claimed; all if none is listed
    #[serde(default)]
    pub kinds: Vec<String>,
    /// All players find the same value in every position at every depth
    #[serde(default)]
    pub same_values: bool,
}

/// What is wrong with the claims of a file whose positions are of these kinds.
pub(super) fn check(file: &ExperimentFile<Nodes>, kinds: &[&str]) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    for (number, hypothesis) in (1..).zip(&file.hypotheses) {
        let claim = &hypothesis.claim;
        let key = format!("hypotheses.{number}.claim");
        if claim.fewer.is_empty() != claim.same_values {
            problems.push(Problem::at(
                key.as_str(),
                "it claims nothing, or two things: expected one of fewer and same_values",
            ));
        }
        for (place, kind) in (1..).zip(&claim.kinds) {
            if !kinds.contains(&kind.as_str()) {
                let mut known: Vec<&str> = kinds.to_vec();
                known.dedup();
                problems.push(Problem::at(
                    format!("{key}.kinds.{place}"),
                    format!(
                        "no position is of the kind {}: expected {}",
                        quote(kind),
                        join_words(&known, "or")
                    ),
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
pub(super) fn test(
    context: &NodesContext<'_>,
    rows: &[NodesRow],
    form: &HypothesisForm<NodesClaim>,
) -> Hypothesis {
    let (verdict, tests) = match form.claim.same_values {
        true => test_values(context, rows),
        false => test_fewer(context, rows, &form.claim),
    };
    form.tested(verdict, tests)
}

fn test_values(context: &NodesContext<'_>, rows: &[NodesRow]) -> (Verdict, Table) {
    let (equal, all) = context.equal_values(rows);
    let columns = [
        Column::text("searches of the same position and depth"),
        Column::number("count"),
    ];
    let table = Table::plain(
        columns,
        [
            vec![Cell::text("all values equal"), Cell::count(equal)],
            vec![Cell::text("values that differ"), Cell::count(all - equal)],
        ],
    );
    let text = format!("The values are equal in {equal} of {all} cases.");
    let verdict = Verdict::new(verdict::judge_rows(equal, all), "positions", text);
    (verdict, table)
}

/// The exact sign test over positions at the largest depth.
fn test_fewer(
    context: &NodesContext<'_>,
    rows: &[NodesRow],
    claim: &NodesClaim,
) -> (Verdict, Table) {
    let depth = context.file.trials.depth;
    let is_wanted = |row: &NodesRow| {
        let is_kind = |kind: &String| kind == context.kind_of(row);
        row.depth == depth && (claim.kinds.is_empty() || claim.kinds.iter().any(is_kind))
    };
    let index = |name: &str| context.file.player_index(name).unwrap_or(usize::MAX);
    let pairs: Vec<(usize, usize)> = (claim.fewer.iter())
        .map(|[one, other]| (index(&one.0), index(&other.0)))
        .collect();
    let counts: Vec<_> = (pairs.iter())
        .map(|&pair| (fewer(rows, pair, is_wanted), None))
        .collect();
    let margin = DEFAULT_MARGIN;
    let tests = verdict::test_games(Claim::Stronger { margin }, &counts);
    let nodes = sums(context.file.players.len(), rows, is_wanted);
    let columns = [
        Column::text("claim"),
        Column::number("ratio of nodes"),
        Column::number("fewer").under("positions"),
        Column::number("as many").under("positions"),
        Column::number("more").under("positions"),
        Column::number("sign test p"),
        Column::number("p by Holm"),
        Column::number("verdict"),
    ];
    let (mut cells, mut outcomes, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for (&(one, other), test) in pairs.iter().zip(&tests) {
        let count = |player: usize| nodes.get(player).copied().unwrap_or(0) as f64;
        let ratio = count(one) / count(other).max(1.0);
        let (name, than) = (context.name(one), context.name(other));
        texts.push(format!(
            "{name} visits {} times the nodes of {than}, fewer in {} of {} positions",
            numbers::decimal(ratio, 2),
            test.results.wins,
            test.results.games()
        ));
        cells.push(vec![
            Cell::text(format!("{name} below {than}")),
            Cell::number(ratio, 2),
            Cell::count(test.results.wins.into()),
            Cell::count(test.results.draws.into()),
            Cell::count(test.results.losses.into()),
            Cell::p_value(test.p_value),
            Cell::p_value(test.corrected_p),
            outcome_cell(test.outcome, "positions"),
        ]);
        outcomes.push(test.outcome);
    }
    let text = format!("At depth {depth}, {}.", texts.join("; "));
    let verdict = Verdict::new(Outcome::of_all(&outcomes), "positions", text);
    (verdict, Table::plain(columns, cells))
}
