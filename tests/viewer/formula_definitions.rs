//! The terms that the panel shows are those of the papers, worked out from the rewards of a growth journal alone.

use std::collections::{BTreeMap, BTreeSet};

use canopy_engine::{
    catalog::SelectFormula,
    tree::{files, meta, replay_reader::ReplayReader},
};
use canopy_viewer::tree::{formula, model::TreeModel};

use crate::{formula::grow_trees, support::Scratch};

/// What the iterations through a node told: how many they were, and the sums of the first player's rewards and of their squares.
#[derive(Clone, Copy, Default)]
struct Rewards {
    visits: f64,
    sum: f64,
    squares: f64,
}

impl Rewards {
    /// The mean for a player.
    fn mean(self, is_first: bool) -> f64 {
        let mean = self.sum / self.visits;
        if is_first { mean } else { 1.0 - mean }
    }

    /// The variance, which is the same for both players.
    fn variance(self) -> f64 {
        let mean = self.sum / self.visits;
        self.squares / self.visits - mean * mean
    }
}

/// What stands for the mean of a child that was never visited.
#[derive(Clone, Copy)]
enum Unvisited {
    /// It comes before all others.
    First,
    /// A constant.
    Constant(f64),
    /// The node's own mean less so much.
    BelowParent(f64),
}

/// A formula as its paper has it.
#[derive(Clone, Copy)]
enum Definition {
    /// Kocsis and Szepesvári (2006).
    Uct { constant: f64 },
    /// Auer, Cesa-Bianchi and Fischer (2002), for rewards from 0 to 1 or from -1 to 1.
    Tuned { is_plus_minus: bool },
    /// Rosin (2011), with equal priors.
    Puct { constant: f64 },
}

impl Definition {
    /// What is added to the mean of a child; `count` is the number of its siblings and itself.
    fn exploration(self, parent: Rewards, child: Rewards, count: usize) -> f64 {
        let (all, visits) = (parent.visits, child.visits);
        match self {
            Self::Uct { constant } => constant * (all.ln() / visits).sqrt(),
            Self::Tuned {
                is_plus_minus: false,
            } => {
                let bound = child.variance() + (2.0 * all.ln() / visits).sqrt();
                (all.ln() / visits * bound.min(0.25)).sqrt()
            }
            // Rewards from -1 to 1 have four times the variance, and the mean, which is shown from 0 to 1, counts twice.
            Self::Tuned {
                is_plus_minus: true,
            } => {
                let bound = 4.0 * child.variance() + (2.0 * all.ln() / visits).sqrt();
                (all.ln() / visits * bound.min(0.25)).sqrt() / 2.0
            }
            Self::Puct { constant } => constant / count as f64 * all.sqrt() / (1.0 + visits),
        }
    }
}

#[test]
fn the_terms_of_hundreds_of_nodes_are_those_of_the_papers() {
    let uct = |constant| Definition::Uct { constant };
    let mut formulas = BTreeSet::new();
    let mut all_nodes = 0;
    for (game, search, definition, unvisited) in [
        (
            "connect-four",
            "uct,exploration=1.41",
            uct(1.41),
            Unvisited::First,
        ),
        ("kalah", "uct,exploration=0.7", uct(0.7), Unvisited::First),
        (
            "kalah",
            "uct,exploration=1,reward_range=pm1",
            uct(0.5),
            Unvisited::First,
        ),
        (
            "connect-four",
            "uct-fpu,exploration=0.5,fpu_value=0.8",
            uct(0.5),
            Unvisited::Constant(0.8),
        ),
        (
            "kalah",
            "uct,exploration=0.6,fpu=reduction,fpu_value=0.2",
            uct(0.6),
            Unvisited::BelowParent(0.2),
        ),
        (
            "kalah",
            "ucb1-tuned",
            Definition::Tuned {
                is_plus_minus: false,
            },
            Unvisited::First,
        ),
        (
            "connect-four",
            "ucb1-tuned,reward_range=pm1",
            Definition::Tuned {
                is_plus_minus: true,
            },
            Unvisited::First,
        ),
        (
            "connect-four",
            "puct,exploration=1.5,fpu=constant,fpu_value=0.5",
            Definition::Puct { constant: 1.5 },
            Unvisited::Constant(0.5),
        ),
    ] {
        let (formula, nodes) = check_terms(game, search, definition, unvisited);
        formulas.insert(formula);
        assert!(nodes > 5, "{game}, {search}: {nodes} nodes");
        all_nodes += nodes;
    }
    assert!(all_nodes > 500, "{all_nodes} nodes");
    let all = SelectFormula::ALL
        .iter()
        .map(|formula| format!("{formula:?}"));
    assert_eq!(formulas, all.collect(), "every formula is checked");
}

/// Compares the terms of all children of all nodes of a search. Returns the formula, and how many nodes it has chosen at.
fn check_terms(
    game: &str,
    search: &str,
    definition: Definition,
    unvisited: Unvisited,
) -> (String, usize) {
    let name = format!("papers-{game}-{search}").replace([',', '='], "-");
    let scratch = Scratch::new(&name);
    let tree = grow_trees(&scratch, game, search, true, 700).remove(0);
    let sidecar = std::fs::File::open(tree.with_extension("json")).expect("a sidecar");
    let meta = meta::read(sidecar).expect("a sidecar");
    let journal = tree.with_extension("growth");
    let mut reader = ReplayReader::open(&journal, &meta.game, &meta.position).expect("a journal");
    reader.poll().expect("it can be read");
    let mut told: BTreeMap<Vec<String>, Rewards> = BTreeMap::new();
    for iteration in 1..=reader.iterations() {
        let record = reader.iteration_record(iteration).expect("it can be read");
        let record = record.expect("it is there");
        for end in 0..=record.path.len() {
            let rewards = told.entry(record.path[..end].to_vec()).or_default();
            rewards.visits += 1.0;
            rewards.sum += record.reward;
            rewards.squares += record.reward * record.reward;
        }
    }
    let model = TreeModel::new(files::read(&tree, None).expect("a tree"));
    let (mut formula, mut nodes) = (String::new(), 0);
    for node in 0..model.len() {
        let count = model.child_rows(node).len();
        if count == 0 {
            continue;
        }
        let why = formula::explain_selection(&model, node, None);
        let selection = why
            .formula
            .unwrap_or_else(|| panic!("{search}: {}", why.text));
        formula = format!("{:?}", selection.formula);
        let above: Vec<String> = (model.moves_to(node).into_iter())
            .map(str::to_owned)
            .collect();
        let parent = told.get(&above).copied().unwrap_or_default();
        let is_first = model.node_states[node].is_first();
        for terms in why.all_children() {
            let mut line = above.clone();
            line.push(model.tree.move_name(terms.row).to_owned());
            let child = told.get(&line).copied().unwrap_or_default();
            assert_eq!(terms.stats.edge_visits, child.visits, "{search}: {line:?}");
            let mean = match (child.visits > 0.0, unvisited) {
                (true, _) => child.mean(is_first),
                (false, Unvisited::First) => {
                    assert!(terms.is_infinite(), "{search}: {line:?} {terms:?}");
                    continue;
                }
                (false, Unvisited::Constant(value)) => value,
                (false, Unvisited::BelowParent(less)) => parent.mean(is_first) - less,
            };
            let exploration = match (child.visits > 0.0, definition) {
                (false, Definition::Uct { .. } | Definition::Tuned { .. }) => 0.0,
                _ => definition.exploration(parent, child, count),
            };
            let is = |found: Option<f64>, expected: f64| {
                found.is_some_and(|found| (found - expected).abs() < 1e-6)
            };
            assert!(
                is(terms.mean, mean) && is(terms.exploration, exploration),
                "{game}, {search}, {line:?}: {terms:?}, not {mean} and {exploration}"
            );
        }
        nodes += 1;
    }
    (formula, nodes)
}
