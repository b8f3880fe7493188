//! Why a search prefers a child: the terms of the formula by which it chooses, as far as the files tell them.

use crate::{model::Model, scene::thousands};

/// A child and its terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// The child.
    pub child: usize,
    /// The mean that counts, for the player who chooses; none if it was never visited.
    pub mean: Option<f64>,
    /// What is added for exploring; none if it is not known.
    pub explore: Option<f64>,
}

impl Terms {
    /// What decides.
    pub fn score(&self) -> Option<f64> {
        Some(self.mean? + self.explore?)
    }
}

/// The children of a node, and how the search chooses among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// The children, the most visited first.
    pub rows: Vec<Terms>,
    /// The child that the next iteration goes to.
    pub next: Option<usize>,
    /// The formula, or why there is none, in a sentence.
    pub text: String,
}

/// What decides among children.
enum Formula {
    Uct { constant: f64, scale: f64 },
    Tuned { stretch: f64, scale: f64 },
}

/// Looks at the children of a node.
pub fn why(model: &Model, node: usize) -> Why {
    let mut order: Vec<usize> = model.children_of(node).collect();
    order.sort_by_key(|&child| std::cmp::Reverse(model.node(child).visits));
    let extra = |node: usize| {
        model
            .extra
            .as_ref()
            .and_then(|all| all.get(model.row(node)))
    };
    let mean = |child: usize| {
        let figures = model.node(child);
        let table = extra(child).map_or(f64::NAN, |extra| extra.table);
        (figures.visits > 0).then_some(if table.is_nan() { figures.mean } else { table })
    };
    let without = |text: &str| Why {
        rows: (order.iter())
            .map(|&child| Terms {
                child,
                mean: mean(child),
                explore: None,
            })
            .collect(),
        next: None,
        text: text.to_owned(),
    };
    let formula = match formula_of(model) {
        Ok(formula) => formula,
        Err(text) => return without(text),
    };
    let is_direct = |child: usize| {
        let parent = model.tree.nodes()[model.row(child)].parent;
        parent as usize == model.row(node)
    };
    if !order.iter().all(|&child| is_direct(child)) {
        return without("Several moves are one edge here; each was chosen on its own.");
    }
    let parameter = |name: &str| parameter(model, name);
    if model.extra.is_none() {
        if matches!(formula, Formula::Tuned { .. }) {
            return without(
                "UCB1-tuned needs the sums of squared rewards, which are in the file of extras; there is none for this tree.",
            );
        }
        if parameter("store").is_some_and(|store| store != "tree") {
            return without(
                "Nodes are shared here, and how often each was visited in all is in the file of extras; there is none for this tree.",
            );
        }
    }
    let visits = |node: usize| f64::from(model.node(node).visits);
    let total = extra(node).map_or(visits(node), |extra| extra.node_visits as f64);
    let explore = |child: usize| {
        let share = total.max(1.0).ln() / visits(child);
        match formula {
            Formula::Uct { constant, scale } => constant * scale * share.sqrt(),
            Formula::Tuned { stretch, scale } => {
                let (mean, squares, count) = extra(child).map_or((0.0, f64::NAN, 1.0), |extra| {
                    (
                        model.node(child).mean,
                        extra.squares,
                        extra.node_visits as f64,
                    )
                });
                let variance = squares / count - mean * mean;
                let bound = variance * stretch + (2.0 * share).sqrt();
                scale * (bound.min(0.25) * share).sqrt()
            }
        }
    };
    let rows: Vec<Terms> = (order.iter())
        .map(|&child| Terms {
            child,
            mean: mean(child),
            explore: Some(child)
                .filter(|&child| model.node(child).visits > 0)
                .map(explore)
                .filter(|term| term.is_finite()),
        })
        .collect();
    // A child that was never visited goes before all others.
    let next = (model.children_of(node))
        .find(|&child| model.node(child).visits == 0)
        .or_else(|| {
            let scored = rows
                .iter()
                .filter_map(|row| Some((row.child, row.score()?)));
            scored
                .reduce(|best, other| if other.1 > best.1 { other } else { best })
                .map(|(child, _)| child)
        });
    let formula = match formula {
        Formula::Uct { constant, scale } => {
            let halved = if scale == 1.0 { "" } else { "½ " };
            format!("mean + {halved}C·√(ln N / n), C = {constant}")
        }
        Formula::Tuned { .. } => "mean + √(ln N / n · min(¼, σ² + √(2 ln N / n)))".to_owned(),
    };
    let to = next.map_or(String::new(), |child| {
        format!("; the next descent goes to {}", model.move_text(child))
    });
    Why {
        rows,
        next,
        text: format!("{formula}, N = {}{to}.", thousands(total as u64)),
    }
}

fn parameter<'a>(model: &'a Model, name: &str) -> Option<&'a str> {
    let meta = model.meta.as_ref()?;
    meta.parameters.get(name).map(String::as_str)
}

/// The formula of the search that grew a tree, or why there is none.
fn formula_of(model: &Model) -> Result<Formula, &'static str> {
    const UNKNOWN: &str = "The file does not say by which formula children are chosen.";
    let halves = parameter(model, "reward_range") == Some("pm1");
    let (stretch, scale) = if halves { (4.0, 0.5) } else { (1.0, 1.0) };
    match parameter(model, "select") {
        Some("uct") => {
            let constant = parameter(model, "exploration").and_then(|text| text.parse().ok());
            let constant = constant.ok_or(UNKNOWN)?;
            Ok(Formula::Uct { constant, scale })
        }
        Some("ucb1-tuned") => Ok(Formula::Tuned { stretch, scale }),
        Some(_) => Err(UNKNOWN),
        None if model.meta.is_some() => Err("This search does not choose children by a formula."),
        None => Err(UNKNOWN),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{Builder, Row, extra::Extra, meta::Meta};

    use super::*;
    use crate::model::Source;

    fn model(parameters: &[(&str, &str)], squares: Option<[f64; 3]>) -> Model {
        let mut builder = Builder::default();
        for (mv, visits, mean, children) in
            [("", 100, 0.4, 2), ("a", 40, 0.5, 0), ("b", 60, 0.6, 0)]
        {
            let row = Row {
                move_name: mv,
                state: "",
                visits,
                second: visits,
                mean,
                children,
            };
            builder.push(&row).expect("a sound row");
        }
        let mut source = Source::of(builder.finish().expect("a whole tree"));
        let parameters = parameters
            .iter()
            .map(|&(name, value)| (name.into(), value.into()));
        source.meta = Some(Arc::new(Meta {
            parameters: parameters.collect(),
            ..Meta::default()
        }));
        source.extra = squares.map(|squares| {
            let visits = [100, 40, 60];
            let extra = |row: usize| Extra {
                squares: squares[row],
                node_visits: visits[row],
                table: f64::NAN,
                proven: None,
                cut: false,
            };
            Arc::new([0, 1, 2].map(extra).to_vec())
        });
        Model::new(source)
    }

    fn near(one: Option<f64>, other: f64) {
        assert!(
            one.is_some_and(|one| (one - other).abs() < 1e-4),
            "{one:?} {other}"
        );
    }

    /// The terms were worked out by hand: ln 100 = 4.60517.
    #[test]
    fn the_terms_of_uct_and_of_ucb1_tuned() {
        let uct = why(
            &model(&[("select", "uct"), ("exploration", "1.41")], None),
            0,
        );
        assert_eq!(uct.rows[0].child, 2, "the most visited first");
        near(uct.rows[0].explore, 0.390_63);
        near(uct.rows[1].explore, 0.478_42);
        assert_eq!(uct.next, Some(2), "0.9906 against 0.9784");
        let tuned = why(
            &model(&[("select", "ucb1-tuned")], Some([50.0, 10.8, 22.2])),
            0,
        );
        // a: variance 0.27 - 0.25 = 0.02, bound 0.02 + 0.4799 -> 1/4; b: 0.37 - 0.36 = 0.01, bound 0.4018 -> 1/4.
        near(tuned.rows[1].explore, 0.169_65);
        near(tuned.rows[0].explore, 0.138_52);
        assert!(tuned.text.contains("N = 100"));
    }

    #[test]
    fn what_is_not_known_is_said() {
        let tuned = why(&model(&[("select", "ucb1-tuned")], None), 0);
        assert!(tuned.next.is_none() && tuned.text.contains("extras"));
        let graph = [("select", "uct"), ("exploration", "1"), ("store", "graph")];
        assert!(why(&model(&graph, None), 0).text.contains("shared"));
        assert!(why(&model(&[], None), 0).text.contains("does not choose"));
        let halved = [
            ("select", "uct"),
            ("exploration", "2"),
            ("reward_range", "pm1"),
        ];
        near(why(&model(&halved, None), 0).rows[0].explore, 0.277_05);
    }
}
