//! The selection formula of one child with its numbers filled in, and where the next iteration goes, in sentences.

use canopy_engine::catalog::{ChildStats, RewardRange, SelectFormula, Selection};

use crate::tree::{
    formula::{ChildTerms, ProvenResult, SelectionExplanation},
    scene::format_thousands,
    value_text::{INFINITE, MAX_DECIMALS, NO_DATA, decimals, fixed, score_decimals},
};

/// Scores whose range is no larger than this are told to be close.
const CLOSE_SCORES: f64 = 0.05;

/// The decimals of a table of children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableDecimals {
    /// Of means and exploration terms.
    pub terms: usize,
    /// Of scores, and of everything in the arithmetic of one of them.
    pub scores: usize,
}

impl TableDecimals {
    /// For the children of a node, hidden ones included.
    pub fn new(why: &SelectionExplanation) -> Self {
        let terms = decimals(why.parent_visits);
        let scores = why.all_children().filter_map(ChildTerms::score);
        Self {
            terms,
            scores: score_decimals(scores, terms),
        }
    }
}

/// The score of a child as its column has it.
pub fn score_text(terms: &ChildTerms, decimals: usize) -> String {
    // A search with a solver ignores the scores of proven children.
    match (terms.proven_result(), terms.score()) {
        (Some(result), _) => result.label().to_owned(),
        (None, Some(score)) => fixed(score, decimals),
        (None, None) if terms.is_infinite() => INFINITE.to_owned(),
        (None, None) => NO_DATA.to_owned(),
    }
}

/// The formula of a child with its numbers, line by line; none where no formula is known.
pub fn in_full(why: &SelectionExplanation, terms: &ChildTerms) -> Option<Vec<String>> {
    let selection = why.formula.as_ref()?;
    if let Some(result) = terms.proven_result() {
        let text = match result {
            ProvenResult::Won => "Proven: the move wins, and no other is looked at.",
            ProvenResult::Drawn => {
                "Proven: the move draws. It is followed only after all open ones."
            }
            ProvenResult::Lost => "Proven: the move loses. It is followed only if all others do.",
        };
        return Some(vec![text.to_owned()]);
    }
    if terms.is_infinite() {
        let text = format!("{INFINITE}: a move that was never tried comes before all others.");
        return Some(vec![text]);
    }
    let (Some(mean), Some(exploration)) = (terms.mean, terms.exploration) else {
        return None;
    };
    let digits = sum_decimals(mean, exploration, TableDecimals::new(why).scores);
    let number = |value: f64| fixed(value, digits);
    let written = match terms.is_visited() {
        true => written_term(selection, why.parent_visits, &terms.stats, digits),
        false => unvisited_term(selection, why.parent_visits, &terms.stats, digits),
    };
    let (mean, explored) = (number(mean), number(exploration));
    let score = number(terms.score()?);
    Some(match written {
        Some(written) => vec![
            format!("{mean} + {written}"),
            format!("= {mean} + {explored} = {score}"),
        ],
        None => vec![format!(
            "{mean}, which stands for the mean of a move never tried"
        )],
    })
}

/// So many decimals, from `decimals` on, that the rounded terms add up to the rounded score.
fn sum_decimals(mean: f64, exploration: f64, decimals: usize) -> usize {
    let adds_up = |&digits: &usize| {
        let unit = 10_f64.powi(digits as i32);
        let rounded = |value: f64| (value * unit).round();
        rounded(mean) + rounded(exploration) == rounded(mean + exploration)
    };
    (decimals..=MAX_DECIMALS).find(adds_up).unwrap_or(decimals)
}

/// The exploration term of a visited child.
fn written_term(
    selection: &Selection,
    parent_visits: u64,
    child: &ChildStats,
    digits: usize,
) -> Option<String> {
    let is_half = selection.reward_range == RewardRange::MinusOneToOne;
    let half = if is_half { "½ × " } else { "" };
    let (constant, all) = (selection.exploration, format_thousands(parent_visits));
    let visits = format_thousands(child.edge_visits as u64);
    Some(match selection.formula {
        SelectFormula::Uct => format!("{half}{constant} × √(ln {all} / {visits})"),
        SelectFormula::Ucb1Tuned => {
            let mean = child.sum / child.visits;
            let variance = child.squares / child.visits - mean * mean;
            let stretch = if is_half { 4.0 } else { 1.0 };
            let variance = fixed(variance * stretch, digits);
            format!(
                "{half}√(ln {all} / {visits} × min(¼, {variance} + √(2 × ln {all} / {visits})))"
            )
        }
        SelectFormula::Puct => {
            let prior = fixed(child.prior, digits.min(4));
            format!("{half}{constant} × {prior} × √{all} / (1 + {visits})")
        }
    })
}

/// The exploration term of a child that was never tried; none where its urgency is all.
fn unvisited_term(
    selection: &Selection,
    parent_visits: u64,
    child: &ChildStats,
    digits: usize,
) -> Option<String> {
    match selection.formula {
        SelectFormula::Puct => written_term(selection, parent_visits, child, digits),
        SelectFormula::Uct | SelectFormula::Ucb1Tuned => None,
    }
}

/// Where the next iteration goes, and why; none where that is not known.
pub fn next_text(why: &SelectionExplanation, name: &str) -> Option<String> {
    let next = why.next_row?;
    let terms = why.all_children().find(|terms| terms.row == next)?;
    let hidden = if why.is_next_hidden() {
        ", which the tree hides"
    } else {
        ""
    };
    let reason = match terms.proven_result() {
        Some(ProvenResult::Won) => "it is proven to win".to_owned(),
        Some(_) => "everything is proven".to_owned(),
        None if terms.is_infinite() => "it was never tried".to_owned(),
        None if why.all_children().count() == 1 => "it is the only one".to_owned(),
        None => "its score is the highest".to_owned(),
    };
    let text = format!("The next iteration goes to {name}{hidden}: {reason}.");
    Some(text + &spread_text(why))
}

/// How close the scores are, where that is worth a sentence.
fn spread_text(why: &SelectionExplanation) -> String {
    let scores: Option<Vec<f64>> = why.all_children().map(ChildTerms::score).collect();
    let Some(scores) = scores.filter(|scores| scores.len() > 1) else {
        return String::new();
    };
    let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = most - least;
    if range.is_nan() || range > CLOSE_SCORES {
        return String::new();
    }
    // Rounded up, so that "within" is true.
    let digits = decimals(why.parent_visits);
    let unit = 10_f64.powi(digits as i32);
    let range = fixed((range * unit).ceil() / unit, digits);
    format!(" All {} moves are within {range}.", scores.len())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{
        Tree, TreeRow,
        columns::{Column, ColumnValues, Columns},
        extra::Extra,
        meta::Meta,
    };

    use super::*;
    use crate::tree::{
        formula::explain_selection,
        model::{ModelSource, TreeModel},
    };

    /// A root with children of the given visits and means; the root's visits are 1,500,000.
    fn source(parameters: &[(&str, &str)], children: &[(i32, f64)]) -> ModelSource {
        let root = TreeRow::new("", 1_500_000, 0.5, children.len() as u32);
        let rows = (children.iter()).map(|&(visits, mean)| TreeRow::new("m", visits, mean, 0));
        let tree = Tree::from_rows([root].into_iter().chain(rows)).expect("a whole tree");
        let parameters = (parameters.iter()).map(|&(name, value)| (name.into(), value.into()));
        ModelSource {
            meta: Some(Arc::new(Meta {
                parameters: parameters.collect(),
                ..Meta::default()
            })),
            ..ModelSource::of(tree)
        }
    }

    fn lines(source: ModelSource, child: usize) -> Vec<String> {
        let model = TreeModel::new(source);
        let why = explain_selection(&model, 0, None);
        let terms = why.children.iter().find(|terms| terms.row == child);
        in_full(&why, terms.expect("it is shown")).expect("a formula")
    }

    const UCT: [(&str, &str); 2] = [("select", "uct"), ("exploration", "1.41")];

    /// By hand: ln 1,500,000 = 14.22098; / 552,900 = 2.572070e-5; its root 0.005071558, times 1.41 = 0.007150897.
    #[test]
    fn uct_is_written_with_its_numbers() {
        let source = source(&UCT, &[(552_900, 0.48604), (206_543, 0.48172)]);
        assert_eq!(
            lines(source, 1),
            [
                "0.48604 + 1.41 × √(ln 1,500,000 / 552,900)",
                "= 0.48604 + 0.00715 = 0.49319"
            ]
        );
    }

    /// 0.333 + 0.284 = 0.617: with two decimals 0.33 + 0.28 would be 0.62.
    #[test]
    fn rounded_terms_add_up() {
        assert_eq!(sum_decimals(0.333_3, 0.283_7, 2), 3);
        assert_eq!(sum_decimals(0.486_04, 0.007_150_9, 5), 5);
    }

    #[test]
    fn a_move_that_was_never_tried_is_infinite_unless_something_stands_for_its_mean() {
        let never = lines(source(&UCT, &[(10, 0.5), (0, 0.0)]), 2);
        assert_eq!(
            never,
            ["∞: a move that was never tried comes before all others."]
        );
        let urgency = [UCT[0], UCT[1], ("fpu", "constant"), ("fpu_value", "1.1")];
        let urgent = lines(source(&urgency, &[(10, 0.5), (0, 0.0)]), 2);
        assert_eq!(
            urgent,
            ["1.10000, which stands for the mean of a move never tried"]
        );
    }

    /// σ² = 300,000 / 552,900 - 0.48604² = 0.542594 - 0.236235 = 0.306359; so ¼ is the least: √(2.57207e-5 / 4) =
    /// 0.0025358.
    #[test]
    fn ucb1_tuned_and_puct_are_written_with_their_numbers() {
        let mut tuned = source(&[("select", "ucb1-tuned")], &[(552_900, 0.48604)]);
        let extra = |squares: f64, node_visits: u64| Extra {
            squares,
            node_visits,
            ..Extra::default()
        };
        tuned.extra = Some(Arc::new(vec![extra(9e5, 1_500_000), extra(3e5, 552_900)]));
        assert_eq!(
            lines(tuned, 1),
            [
                "0.48604 + √(ln 1,500,000 / 552,900 × min(¼, 0.30636 + √(2 × ln 1,500,000 / 552,900)))",
                "= 0.48604 + 0.00254 = 0.48858"
            ]
        );
        // 1.41 · 0.25 · √1,500,000 / 552,901 = 431.724 / 552,901 = 0.000780834.
        let mut puct = source(
            &[("select", "puct"), ("exploration", "1.41")],
            &[(552_900, 0.48604)],
        );
        puct.columns = Some(Arc::new(Columns {
            rows: 2,
            columns: vec![Column {
                name: "prior".to_owned(),
                unit: String::new(),
                labels: Vec::new(),
                values: ColumnValues::F64(vec![f64::NAN, 0.25]),
            }],
        }));
        assert_eq!(
            lines(puct, 1),
            [
                "0.48604 + 1.41 × 0.2500 × √1,500,000 / (1 + 552,900)",
                "= 0.48604 + 0.00078 = 0.48682"
            ]
        );
    }

    #[test]
    fn the_next_iteration_is_told_with_its_reason() {
        let said = |children: &[(i32, f64)]| {
            let model = TreeModel::new(source(&UCT, children));
            let why = explain_selection(&model, 0, None);
            next_text(&why, "f3").expect("it is known")
        };
        assert_eq!(
            said(&[(552_900, 0.48604), (206_543, 0.48172)]),
            "The next iteration goes to f3: its score is the highest. All 2 moves are within 0.00023."
        );
        assert_eq!(
            said(&[(10, 0.5), (0, 0.0)]),
            "The next iteration goes to f3: it was never tried."
        );
        assert_eq!(
            said(&[(10, 0.5)]),
            "The next iteration goes to f3: it is the only one."
        );
    }
}
