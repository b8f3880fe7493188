//! Figures of a whole tree: how deep and how wide it is, where its visits went, how sure the moves of its root are, and when the
//! search last changed its mind. As CSV and as SVG.

use std::fmt::Write as _;

use canopy_engine::tree::replay_reader::RootMoveHistory;

use crate::tree::{
    certainty,
    model::TreeModel,
    node_value::{NodeValues, ValueView},
    scene::format_thousands,
    value_text::Value,
};

/// Moves of the root that are compared.
const MAX_MOVES: usize = 12;

/// A level of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelFigures {
    /// Nodes.
    pub nodes: u64,
    /// Nodes that were visited.
    pub visited: u64,
    /// The sum of their visits.
    pub visits: u64,
}

/// A move of the root and where its true share of wins is likely to lie.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveInterval {
    /// The move.
    pub name: String,
    /// Visits.
    pub visits: u64,
    /// The share of wins of the side to move, and the ends of its 95 % interval.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// When the most visited move of the root changed for the last time.
#[derive(Clone, Debug, PartialEq)]
pub struct LastChange {
    /// The first iteration that is known to have the last leader.
    pub iteration: u32,
    /// Who led before; none if it led from the start.
    pub before: Option<String>,
    /// Who has led since.
    pub leader: String,
}

/// The figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeCharts {
    /// By level, the root first.
    pub levels: Vec<LevelFigures>,
    /// By number of visited children, from 1: how many nodes have so many.
    pub branching: Vec<u64>,
    /// The most visited moves of the root; empty where values are no shares of wins.
    pub moves: Vec<MoveInterval>,
    /// Only where a journal tells it.
    pub last_change: Option<LastChange>,
    /// The name of the side to move at the root.
    pub owner: String,
    /// Whether visits are nodes searched.
    pub is_classical: bool,
}

impl TreeCharts {
    /// The figures of a tree that is shown whole; those of its growth if there is a journal.
    pub fn new(model: &TreeModel, history: Option<(&RootMoveHistory, u32)>) -> Self {
        let visits = |node: usize| u64::try_from(model.visits(node)).unwrap_or(0);
        let levels = (0..model.depth())
            .map(|depth| {
                let layer = model.layer(depth);
                LevelFigures {
                    nodes: layer.len() as u64,
                    visited: layer.clone().filter(|&node| visits(node) > 0).count() as u64,
                    visits: layer.map(visits).sum(),
                }
            })
            .collect();
        let mut branching: Vec<u64> = Vec::new();
        for node in 0..model.len() {
            let children = model.children_of(node).filter(|&child| visits(child) > 0);
            let count = children.count();
            if count > branching.len() {
                branching.resize(count, 0);
            }
            if let Some(entry) = count.checked_sub(1).and_then(|at| branching.get_mut(at)) {
                *entry += 1;
            }
        }
        let values = NodeValues::new(model, ValueView::Root);
        Self {
            levels,
            branching,
            moves: move_intervals(&values),
            last_change: history.and_then(|(history, end)| last_change(history, end)),
            owner: values.wording.name(values.owner(0)).to_owned(),
            is_classical: model.is_classical(),
        }
    }

    /// The mean number of visited children of a node that has any.
    pub fn mean_branching(&self) -> Option<f64> {
        let nodes: u64 = self.branching.iter().sum();
        let children: u64 = (1..)
            .zip(&self.branching)
            .map(|(count, nodes)| count * nodes)
            .sum();
        (nodes > 0).then(|| children as f64 / nodes as f64)
    }

    /// What is counted as visits.
    fn visits_word(&self) -> &'static str {
        if self.is_classical {
            "nodes searched"
        } else {
            "visits"
        }
    }

    /// A line a figure: chart, what it is of, figure, value.
    pub fn to_csv(&self) -> String {
        let mut out = "chart,of,figure,value\n".to_owned();
        let word = self.visits_word();
        for (depth, level) in self.levels.iter().enumerate() {
            for (figure, value) in [
                ("nodes", level.nodes),
                ("visited nodes", level.visited),
                (word, level.visits),
            ] {
                let _ = writeln!(out, "levels,{depth},{figure},{value}");
            }
        }
        for (children, nodes) in (1..).zip(&self.branching) {
            let _ = writeln!(out, "branching,{children},nodes,{nodes}");
        }
        for one in &self.moves {
            let name = quoted(&one.name);
            let _ = writeln!(out, "root moves,{name},visits,{}", one.visits);
            for (figure, value) in [("share", one.share), ("low", one.low), ("high", one.high)] {
                let _ = writeln!(out, "root moves,{name},{figure},{value:.6}");
            }
        }
        if let Some(change) = &self.last_change {
            let _ = writeln!(
                out,
                "choice,{},leads since iteration,{}",
                quoted(&change.leader),
                change.iteration
            );
        }
        out
    }

    /// When the choice last changed, in a sentence; none if that is not known.
    pub fn change_text(&self) -> Option<String> {
        let change = self.last_change.as_ref()?;
        let at = format_thousands(change.iteration.into());
        Some(match &change.before {
            Some(before) => format!(
                "The choice last changed at iteration {at}, from {before} to {}.",
                change.leader
            ),
            None => format!(
                "{} was the most visited move from the start.",
                change.leader
            ),
        })
    }

    /// The bar charts: title, and by bar its label and value.
    pub fn bar_charts(&self) -> Vec<(String, Vec<(String, f64)>)> {
        let by_level = |figure: fn(&LevelFigures) -> u64| {
            let levels = self.levels.iter().enumerate();
            levels
                .map(|(depth, level)| (depth.to_string(), figure(level) as f64))
                .collect()
        };
        let word = match self.is_classical {
            true => "Nodes searched, by level",
            false => "Visits by level",
        };
        vec![
            (
                "Visited nodes by level".to_owned(),
                by_level(|level| level.visited),
            ),
            (word.to_owned(), by_level(|level| level.visits)),
            (
                "Nodes by number of visited children".to_owned(),
                (1..)
                    .zip(&self.branching)
                    .map(|(count, &nodes): (u32, _)| (count.to_string(), nodes as f64))
                    .collect(),
            ),
        ]
    }

    /// The charts as a picture for a page: white ground, black text.
    pub fn to_svg(&self) -> String {
        const WIDTH: f64 = 640.0;
        const CHART: f64 = 150.0;
        const MOVE: f64 = 22.0;
        let charts = self.bar_charts();
        let moves_height = if self.moves.is_empty() {
            0.0
        } else {
            50.0 + MOVE * self.moves.len() as f64
        };
        let height = 20.0 + CHART * charts.len() as f64 + moves_height + 40.0;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"Inter, sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        let mut top = 20.0;
        for (title, bars) in &charts {
            write_bars(&mut out, title, bars, top, (WIDTH, CHART));
            top += CHART;
        }
        if !self.moves.is_empty() {
            let title = format!("{} wins, by move, with 95 % intervals", self.owner);
            let _ = writeln!(
                out,
                "<text x=\"20\" y=\"{:.1}\" font-weight=\"600\">{}</text>",
                top + 12.0,
                escaped(&title)
            );
            for (index, one) in self.moves.iter().enumerate() {
                write_interval(&mut out, one, top + 34.0 + MOVE * index as f64, WIDTH);
            }
            top += moves_height;
        }
        if let Some(text) = self.change_text() {
            let _ = writeln!(
                out,
                "<text x=\"20\" y=\"{:.1}\">{}</text>",
                top + 16.0,
                escaped(&text)
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

fn move_intervals(values: &NodeValues<'_>) -> Vec<MoveInterval> {
    let model = values.model();
    let mut moves: Vec<MoveInterval> = (model.children_of(0))
        .filter_map(|child| {
            let visits = u64::try_from(model.visits(child))
                .ok()
                .filter(|&visits| visits > 0)?;
            let value =
                values.row_value(model.row(child), values.mean_owner(child), values.owner(0));
            let Value::Share { share, .. } = value else {
                return None;
            };
            let interval = certainty::interval(share, visits);
            Some(MoveInterval {
                name: model.reading(child).into_owned(),
                visits,
                share,
                low: interval.low,
                high: interval.high,
            })
        })
        .collect();
    moves.sort_by_key(|one| std::cmp::Reverse(one.visits));
    moves.truncate(MAX_MOVES);
    moves
}

/// When the move that leads at the end took the lead, from samples over `end` iterations.
fn last_change(history: &RootMoveHistory, end: u32) -> Option<LastChange> {
    let leader = |visits: &Vec<u32>| {
        let most = visits.iter().copied().max().filter(|&most| most > 0)?;
        visits.iter().position(|&count| count == most)
    };
    let leaders: Vec<Option<usize>> = history.visits.iter().map(leader).collect();
    let last = (*leaders.last()?)?;
    let name = |index: usize| history.moves.get(index).cloned().unwrap_or_default();
    let since = leaders
        .iter()
        .rposition(|&other| other != Some(last))
        .map_or(0, |before| before + 1);
    let parts = (leaders.len() - 1).max(1) as u64;
    let before = since
        .checked_sub(1)
        .and_then(|before| leaders.get(before).copied().flatten());
    Some(LastChange {
        iteration: (u64::from(end) * since as u64 / parts) as u32,
        before: before.map(name),
        leader: name(last),
    })
}

/// A field of a CSV file.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Text of an SVG file.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A bar chart with its title, every bar with its value.
fn write_bars(
    out: &mut String,
    title: &str,
    bars: &[(String, f64)],
    top: f64,
    (width, height): (f64, f64),
) {
    let _ = writeln!(
        out,
        "<text x=\"20\" y=\"{:.1}\" font-weight=\"600\">{}</text>",
        top + 12.0,
        escaped(title)
    );
    let most = bars.iter().map(|(_, value)| *value).fold(1.0, f64::max);
    let (left, room, base) = (20.0, width - 40.0, top + height - 30.0);
    let step = room / bars.len().max(1) as f64;
    let most_height = height - 66.0;
    for (index, (label, value)) in bars.iter().enumerate() {
        let (x, tall) = (left + step * index as f64, most_height * value / most);
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\" fill=\"#2e8fb5\"/>",
            x + step * 0.1,
            base - tall,
            step * 0.8
        );
        let middle = x + step / 2.0;
        if step >= 16.0 {
            let _ = writeln!(
                out,
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                base + 14.0,
                escaped(label)
            );
        }
        if step >= 44.0 {
            let number = format_thousands(*value as u64);
            let _ = writeln!(
                out,
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{number}</text>",
                base - tall - 4.0
            );
        }
    }
}

/// A move with a dot and whiskers on a scale from 0 to 100 %.
fn write_interval(out: &mut String, one: &MoveInterval, y: f64, width: f64) {
    let x = |share: f64| 90.0 + (width - 290.0) * share;
    let _ = writeln!(
        out,
        "<text x=\"20\" y=\"{:.1}\">{}</text>",
        y + 4.0,
        escaped(&one.name)
    );
    let _ = writeln!(
        out,
        "<path d=\"M{:.1} {y:.1}H{:.1}\" stroke=\"#d3d9e1\"/>",
        x(0.0),
        x(1.0)
    );
    let _ = writeln!(
        out,
        "<path d=\"M{:.1} {y:.1}H{:.1}\" stroke=\"#2e8fb5\" stroke-width=\"2\"/>",
        x(one.low),
        x(one.high)
    );
    let _ = writeln!(
        out,
        "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#2e8fb5\"/>",
        x(one.share)
    );
    let text = format!(
        "{:.1} %, {} visits",
        100.0 * one.share,
        format_thousands(one.visits)
    );
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
        width - 180.0,
        y + 4.0
    );
}

#[cfg(test)]
mod tests {
    use canopy_engine::tree::{Tree, TreeRow};

    use super::*;
    use crate::tree::model::ModelSource;

    fn charts() -> TreeCharts {
        let rows = [
            ("", 10, 3),
            ("a", 6, 2),
            ("b", 4, 0),
            ("c", 2, 0),
            ("d", 3, 1),
            ("e", 1, 0),
            ("f", 0, 0),
        ];
        let rows = rows.map(|(name, visits, children)| TreeRow::new(name, visits, 0.5, children));
        let model = TreeModel::new(ModelSource::of(
            Tree::from_rows(rows).expect("a whole tree"),
        ));
        let history = RootMoveHistory {
            moves: ["a", "d", "f"].map(str::to_owned).to_vec(),
            visits: vec![
                vec![0, 0, 0],
                vec![1, 2, 0],
                vec![3, 3, 0],
                vec![4, 3, 0],
                vec![6, 3, 0],
            ],
            means: Vec::new(),
        };
        TreeCharts::new(&model, Some((&history, 10)))
    }

    /// By hand: the root; a, d and f below it; b, c and e below them. Visited inner nodes: the root with two visited children, a
    /// with two, d with one.
    #[test]
    fn levels_and_branching_are_counted() {
        let charts = charts();
        let levels: Vec<_> = charts
            .levels
            .iter()
            .map(|level| (level.nodes, level.visited, level.visits))
            .collect();
        assert_eq!(levels, [(1, 1, 10), (3, 2, 9), (3, 3, 7)]);
        assert_eq!(charts.branching, [1, 2]);
        assert_eq!(charts.mean_branching(), Some(5.0 / 3.0));
    }

    /// d leads after 2 of 10 iterations; a, the first of equals, from the third sample on, at iteration 5.
    #[test]
    fn the_last_change_of_the_choice_is_found() {
        let charts = charts();
        assert_eq!(
            charts.change_text().as_deref(),
            Some("The choice last changed at iteration 5, from d to a.")
        );
    }

    #[test]
    fn the_charts_are_written_as_csv_and_svg() {
        let charts = charts();
        let csv = charts.to_csv();
        assert!(
            csv.contains("levels,1,visited nodes,2\nlevels,1,visits,9\n"),
            "{csv}"
        );
        assert!(
            csv.contains("branching,2,nodes,2\n") && csv.contains("root moves,a,share,0.500000\n"),
            "{csv}"
        );
        assert!(csv.lines().all(|line| line.split(',').count() == 4));
        assert_eq!(quoted("a,\"b"), "\"a,\"\"b\"");
        let svg = charts.to_svg();
        assert!(
            svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains("Visits by level")
        );
    }
}
