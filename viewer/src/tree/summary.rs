//! What the figures of a node say, in one or two sentences.

use canopy_engine::games::notation::escape_invisible;

use crate::tree::{
    certainty::{is_clearly_better, margin},
    formula::{ChildTerms, ProvenResult, SelectionExplanation},
    model::TreeModel,
    node_value::NodeValues,
    title::middle_ellipsis,
    value_text::{Value, percent},
};

/// Longer moves are shortened in the middle.
const MAX_MOVE_CHARS: usize = 24;

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// Its words.
    pub text: String,
    /// Whether they matter most.
    pub is_strong: bool,
}

fn plain(text: impl Into<String>) -> Phrase {
    Phrase {
        text: text.into(),
        is_strong: false,
    }
}

fn strong(text: impl Into<String>) -> Phrase {
    Phrase {
        text: text.into(),
        is_strong: true,
    }
}

/// What the figures of a node say: its value, and which move was tried most and why. Empty if they say nothing.
pub fn in_words(values: &NodeValues<'_>, node: usize, why: &SelectionExplanation) -> Vec<Phrase> {
    let mut phrases = value_in_words(values, node);
    let model = values.model();
    let choice = if model.is_classical() || model.is_of_lines() {
        chosen_in_words(values.model(), node)
    } else {
        most_tried_in_words(values, node, why)
    };
    if !phrases.is_empty() && !choice.is_empty() {
        phrases.push(plain(" "));
    }
    phrases.extend(choice);
    phrases
}

/// A move as people read it.
fn move_name(model: &TreeModel, row: usize) -> Phrase {
    let name = middle_ellipsis(&model.row_reading(row), MAX_MOVE_CHARS);
    strong(escape_invisible(&name))
}

fn value_in_words(values: &NodeValues<'_>, node: usize) -> Vec<Phrase> {
    let value = values.value(node);
    let owner = values.owner(node);
    match value {
        Value::Share { share, visits } if values.model().is_of_lines() => vec![
            plain("By the engine’s last score "),
            plain(format!("{} wins ", values.wording.name(owner))),
            strong(percent(share, visits)),
            plain("."),
        ],
        Value::Share { share, visits } => vec![
            plain(format!("{} wins ", values.wording.name(owner))),
            strong(percent(share, visits)),
            plain(format!(
                " of the games tried from here, give or take {} by chance.",
                margin(share, visits)
            )),
        ],
        Value::Proven { winner: None, .. } => vec![
            plain("With best play it is a "),
            strong("draw"),
            plain(": that is proven."),
        ],
        Value::Proven { .. } => vec![
            strong(values.wording.figure(&value)),
            plain(", whatever the other side plays: that is proven."),
        ],
        Value::Points { .. } => vec![
            strong(values.wording.sentence(owner, &value)),
            plain(", if both sides play their best moves."),
        ],
        Value::Unknown | Value::Foreign(_) | Value::Over { .. } => Vec::new(),
    }
}

/// The move that a classical search chooses.
fn chosen_in_words(model: &TreeModel, node: usize) -> Vec<Phrase> {
    let Some(best) = model.best_child(node) else {
        return Vec::new();
    };
    let name = move_name(model, model.row(best));
    vec![plain("The best move found is "), name, plain(".")]
}

fn most_tried_in_words(
    values: &NodeValues<'_>,
    node: usize,
    why: &SelectionExplanation,
) -> Vec<Phrase> {
    let model = values.model();
    let visits = |terms: &ChildTerms| model.tree.nodes()[terms.row].visits.max(0);
    let tried: Vec<&ChildTerms> = why
        .all_children()
        .filter(|&child| visits(child) > 0)
        .collect();
    // Of equals the first.
    let Some(&most) = (tried.iter().rev()).max_by_key(|child| visits(child)) else {
        return Vec::new();
    };
    let name = move_name(model, most.row);
    if most.proven_result() == Some(ProvenResult::Won) {
        return vec![name, plain(" is proven to win.")];
    }
    if tried.len() == 1 {
        return vec![name, plain(" is the only move that was tried.")];
    }
    let total: i64 = tried.iter().map(|&child| i64::from(visits(child))).sum();
    let share = f64::from(visits(most)) / total.max(1) as f64;
    let mut phrases = vec![
        name,
        plain(" was tried most, "),
        strong(percent(share, 0)),
        plain(" of the time"),
    ];
    let mean = |child: &ChildTerms| child.mean.unwrap_or(f64::NEG_INFINITY);
    let better = (tried.iter()).max_by(|one, other| mean(one).total_cmp(&mean(other)));
    match better.filter(|&&other| mean(other) > mean(most)) {
        None => {
            phrases.push(plain(", because it did best"));
            phrases.extend(how_well(values, node, most));
            let others = tried.iter().filter(|child| child.row != most.row);
            let second = others.rev().max_by_key(|child| visits(child));
            if let Some(second) = second {
                phrases.extend(how_surely(values, node, most, second));
            }
        }
        Some(&other) => {
            let tries = match visits(other) < visits(most) {
                true => " did better in fewer tries",
                false => " did better in as many tries",
            };
            phrases.extend([plain(". "), move_name(model, other.row), plain(tries)]);
            phrases.extend(how_well(values, node, other));
        }
    }
    phrases
}

/// The end of a sentence about a move: for whom it is good, and its value.
fn how_well(values: &NodeValues<'_>, node: usize, child: &ChildTerms) -> Vec<Phrase> {
    let owner = values.owner(node);
    let value = values.child_value(child.row, child.node, node);
    let chooser = values.chooser(node);
    let (whose, text) = match owner == chooser {
        true => (String::new(), values.wording.figure(&value)),
        false => (
            format!(" for {}", values.wording.name(chooser)),
            values.wording.sentence(owner, &value),
        ),
    };
    vec![plain(format!("{whose}: ")), strong(text), plain(".")]
}

/// A sentence that says whether the lead of a move over another may be chance; none where values are no shares of playouts.
fn how_surely(
    values: &NodeValues<'_>,
    node: usize,
    best: &ChildTerms,
    other: &ChildTerms,
) -> Vec<Phrase> {
    let chooser = values.chooser(node);
    let share = |child: &ChildTerms| match values.row_value(child.row, chooser, chooser) {
        Value::Share { share, visits } => Some((share, visits)),
        _ => None,
    };
    let (Some(best), Some(rival)) = (share(best), share(other)) else {
        return Vec::new();
    };
    let end = match is_clearly_better(best, rival) {
        true => " is more than chance.",
        false => " may still be chance.",
    };
    let name = move_name(values.model(), other.row);
    vec![plain(" Its lead over "), name, plain(end)]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{TreeBuilder, TreeRow, extra::Extra, meta::Meta};

    use super::*;
    use crate::tree::{formula::explain_selection, model::ModelSource, node_value::ValueView};

    /// Black to move in othello, after which White chooses below the first child.
    fn source(rows: &[(&str, i32, f64, u32)], parameters: &[(&str, &str)]) -> ModelSource {
        let mut builder = TreeBuilder::default();
        for &(move_name, visits, mean, children) in rows {
            let row = TreeRow {
                move_name,
                visits,
                second: visits,
                mean,
                children,
                ..TreeRow::default()
            };
            builder.push(&row).expect("a sound row");
        }
        ModelSource {
            meta: Some(Arc::new(Meta {
                game: "othello".to_owned(),
                to_move: 1,
                parameters: (parameters.iter())
                    .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
                ..Meta::default()
            })),
            ..ModelSource::of(builder.finish().expect("a whole tree"))
        }
    }

    fn words(source: ModelSource, node: usize, view: ValueView) -> String {
        let model = TreeModel::new(source);
        let why = explain_selection(&model, node, None);
        let phrases = in_words(&NodeValues::new(&model, view), node, &why);
        phrases.into_iter().map(|phrase| phrase.text).collect()
    }

    #[test]
    fn the_most_tried_move_is_told_with_its_share_and_its_value() {
        let rows = [("", 100, 0.52, 2), ("c2", 60, 0.55, 0), ("f3", 40, 0.41, 0)];
        assert_eq!(
            words(source(&rows, &[]), 0, ValueView::Root),
            "Black wins 48 % of the games tried from here, give or take 10 by chance. c2 was tried most, 60 % of the time, because it did best: 55 %. Its lead over f3 may still be chance."
        );
    }

    #[test]
    fn a_lead_that_is_more_than_chance_is_told() {
        let rows = [
            ("", 10_000, 0.52, 2),
            ("c2", 6_000, 0.55, 0),
            ("f3", 4_000, 0.51, 0),
        ];
        let told = words(source(&rows, &[]), 0, ValueView::Root);
        assert!(
            told.ends_with(": 55.0 %. Its lead over f3 is more than chance."),
            "{told}"
        );
    }

    #[test]
    fn a_move_that_did_better_in_fewer_tries_is_told() {
        let rows = [("", 100, 0.52, 2), ("c2", 60, 0.41, 0), ("f3", 40, 0.55, 0)];
        let told = words(source(&rows, &[]), 0, ValueView::Root);
        assert!(
            told.ends_with(
                "c2 was tried most, 60 % of the time. f3 did better in fewer tries: 55 %."
            ),
            "{told}"
        );
    }

    #[test]
    fn where_the_other_side_chooses_that_is_said() {
        let rows = [
            ("", 101, 0.5, 1),
            ("c2", 100, 0.52, 2),
            ("b4", 70, 0.6, 0),
            ("b3", 30, 0.3, 0),
        ];
        assert_eq!(
            words(source(&rows, &[]), 1, ValueView::Root),
            "Black wins 52 % of the games tried from here, give or take 10 by chance. b4 was tried most, 70 % of the time, because it did best for White: Black wins 40 %. Its lead over b3 is more than chance."
        );
    }

    #[test]
    fn what_is_proven_is_told_as_proven() {
        let rows = [("", 10, 0.2, 1), ("c2", 9, 0.9, 0)];
        let proven = |winner| Extra {
            proven: Some(canopy_engine::games::Outcome::Win(winner)),
            ..Extra::default()
        };
        let black = canopy_engine::games::Player::First;
        let extra = Some(Arc::new(vec![proven(black), proven(black)]));
        let told = words(
            ModelSource {
                extra,
                ..source(&rows, &[("solver", "true")])
            },
            0,
            ValueView::Root,
        );
        assert_eq!(
            told,
            "Black wins, whatever the other side plays: that is proven. c2 is proven to win."
        );
    }

    #[test]
    fn a_classical_search_tells_its_value_and_its_move() {
        let rows = [("", 3, 0.3, 2), ("c2", 1, 0.7, 0), ("f3", 1, 0.4, 0)];
        let told = words(source(&rows, &[("depth", "4")]), 0, ValueView::Root);
        assert!(
            told.starts_with("Black +") && told.ends_with("The best move found is c2."),
            "{told}"
        );
    }

    #[test]
    fn a_tree_without_figures_says_nothing() {
        assert_eq!(
            words(source(&[("", 0, 0.0, 0)], &[]), 0, ValueView::Root),
            ""
        );
    }
}
