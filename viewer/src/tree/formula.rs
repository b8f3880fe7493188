//! Why a search prefers a child: the terms of the formula by which it chooses, as far as the files tell them. What is hidden
//! of a tree counts as much as what is shown: the search knows nothing of filters.

use canopy_engine::{
    catalog::{self, ChildStats, ParentStats, Selection, Terms},
    games::{Outcome, Player},
    tree::{expression::Expression, extra::Extra},
};

use crate::tree::{model::TreeModel, scene::format_thousands};

/// A child and its terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChildTerms {
    /// The row of the child.
    pub row: usize,
    /// The node that is drawn for it; none if the move is only the first of several in one edge.
    pub node: Option<usize>,
    /// The mean that counts, for the player who chooses; none if it was never visited and nothing stands for its mean.
    pub mean: Option<f64>,
    /// What is added for exploring; none if it is not known.
    pub exploration: Option<f64>,
    /// The certain result, where the search heeds it.
    pub proven: Option<Outcome>,
    /// The figures that the terms are made of.
    pub stats: ChildStats,
    /// Who chooses.
    to_move: Player,
}

impl ChildTerms {
    /// What decides.
    pub fn score(&self) -> Option<f64> {
        Some(self.mean? + self.exploration?)
    }

    /// Whether the choice ever fell on it.
    pub fn is_visited(&self) -> bool {
        self.stats.edge_visits > 0.0
    }

    /// Whether it comes before all visited children because it was never visited.
    pub fn is_infinite(&self) -> bool {
        !self.is_visited() && self.mean.is_none()
    }

    /// The certain result for the player who chooses.
    pub fn proven_result(&self) -> Option<ProvenResult> {
        Some(match self.proven? {
            Outcome::Draw => ProvenResult::Drawn,
            Outcome::Win(winner) if winner == self.to_move => ProvenResult::Won,
            Outcome::Win(_) => ProvenResult::Lost,
        })
    }

    /// How it stands beside its siblings; the highest is followed, the first of equals. None if that is not known.
    fn priority(&self) -> Option<f64> {
        match (self.proven_result(), self.mean) {
            (Some(ProvenResult::Won), _) => Some(f64::INFINITY),
            // There is nothing to find out any more: worse than anything open, but better than nothing.
            (Some(ProvenResult::Drawn), _) => Some(-1e299),
            (Some(ProvenResult::Lost), _) => Some(-1e300),
            (None, None) => Some(f64::INFINITY),
            (None, Some(_)) => self.score(),
        }
    }
}

/// A certain result for the player who chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProvenResult {
    /// The move wins.
    Won,
    /// The move draws.
    Drawn,
    /// The move loses.
    Lost,
}

impl ProvenResult {
    /// In a word.
    pub fn label(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Drawn => "drawn",
            Self::Lost => "lost",
        }
    }
}

/// The children of a node, and how the search chooses among them.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectionExplanation {
    /// The children that are shown, the most visited first.
    pub children: Vec<ChildTerms>,
    /// Those that the tree has and does not show, the most visited first.
    pub hidden_children: Vec<ChildTerms>,
    /// How many are not shown, with those that the tree does not have.
    pub hidden: usize,
    /// The child that the next iteration goes to, which may be hidden: its row.
    pub next_row: Option<usize>,
    /// The formula, where it and all it needs are known.
    pub formula: Option<Selection>,
    /// The visits N of the node that the formula reads.
    pub parent_visits: u64,
    /// Who chooses.
    pub to_move: Player,
    /// The formula, or why there is none, in a sentence.
    pub text: String,
}

impl SelectionExplanation {
    /// All children that the tree has, shown or not.
    pub fn all_children(&self) -> impl Iterator<Item = &ChildTerms> {
        self.children.iter().chain(&self.hidden_children)
    }

    /// Whether the next iteration goes to a child that is not shown.
    pub fn is_next_hidden(&self) -> bool {
        (self.next_row).is_some_and(|next| self.children.iter().all(|terms| terms.row != next))
    }
}

/// Looks at the children of a node; `legal` is how many moves there are by the rules, if that is known.
pub fn explain_selection(
    model: &TreeModel,
    node: usize,
    legal: Option<usize>,
) -> SelectionExplanation {
    let (all, shown) = (model.child_rows(node), model.shown_rows(node));
    let formula = formula_of(model);
    let to_move = if model.node_states[node].is_first() {
        Player::First
    } else {
        Player::Second
    };
    let total = extra(model, model.row(node)).map_or_else(
        || f64::from(model.node(node).visits),
        |extra| extra.node_visits as f64,
    );
    let parent = ParentStats {
        visits: total as u32,
        mean: mean_for_chooser(model, node),
    };
    let has_solver = parameter(model, "solver") == Some("true");
    let terms_of = |row: usize| {
        let figures = &model.tree.nodes()[row];
        let is_visited = figures.visits > 0;
        let stats = child_stats(model, row);
        let terms = (formula.as_ref().ok())
            .filter(|formula| is_visited || !formula.fpu.is_infinite())
            .map(|formula| known_terms(formula, &parent, &stats));
        let own = is_visited.then(|| stats.sum / stats.visits);
        let mean = terms.map_or(own, |terms| Some(terms.mean));
        let explore = (terms.map(|terms| terms.exploration)).filter(|term| term.is_finite());
        let result = extra(model, row).and_then(|extra| extra.proven);
        ChildTerms {
            row,
            node: None,
            mean,
            exploration: explore,
            proven: result.filter(|_| has_solver),
            stats,
            to_move,
        }
    };
    let terms: Vec<ChildTerms> = all.iter().map(|&row| terms_of(row)).collect();
    // Moves that are legal and not in the tree: never tried, or left out of it.
    let is_partial = model.left_out > 0;
    let tries_one_by_one = parameter(model, "expansion") == Some("one");
    let absent = legal
        .filter(|_| !all.is_empty() && (is_partial || tries_one_by_one))
        .map_or(0, |legal| legal.saturating_sub(all.len()));
    let (mut rows, mut hidden_children) = (Vec::new(), Vec::new());
    for &terms in &terms {
        match shown.binary_search_by_key(&terms.row, |&(row, _)| row) {
            Ok(at) => rows.push(ChildTerms {
                node: shown[at].1,
                ..terms
            }),
            Err(_) => hidden_children.push(terms),
        }
    }
    let visits_of = |row: usize| model.tree.nodes()[row].visits;
    for list in [&mut rows, &mut hidden_children] {
        list.sort_by_key(|terms: &ChildTerms| std::cmp::Reverse(visits_of(terms.row)));
    }
    let explanation = SelectionExplanation {
        hidden: hidden_children.len() + if is_partial { absent } else { 0 },
        children: rows,
        hidden_children,
        next_row: None,
        formula: formula.as_ref().ok().copied(),
        parent_visits: total as u64,
        to_move,
        text: String::new(),
    };
    let formula = match formula {
        Ok(formula) => formula,
        Err(text) => {
            let stated = stated_formula_text(model, &explanation);
            return SelectionExplanation {
                text: stated.unwrap_or(text),
                ..explanation
            };
        }
    };
    let written = format!(
        "{}, N = {}",
        formula.describe(),
        format_thousands(total as u64)
    );
    if absent > 0 && is_partial {
        let children = if absent == 1 {
            "child is"
        } else {
            "children are"
        };
        let text = format!(
            "{written}; {absent} of its {children} not in this part of the tree, so the next descent is not known."
        );
        return SelectionExplanation {
            text,
            ..explanation
        };
    }
    if absent > 0 && !formula.fpu.is_infinite() {
        let text = format!(
            "{written}; {absent} of its moves were never tried, so the next descent is not known."
        );
        return SelectionExplanation {
            text,
            ..explanation
        };
    }
    if absent > 0
        && terms
            .iter()
            .all(|terms| terms.proven_result() != Some(ProvenResult::Won))
    {
        let text = format!("{written}; the next descent goes to a move that was never tried.");
        return SelectionExplanation {
            text,
            ..explanation
        };
    }
    let next = next_child(&terms);
    let to = next.map_or(String::new(), |row| {
        let is_hidden = explanation.children.iter().all(|terms| terms.row != row);
        let hidden = if is_hidden { " (hidden)" } else { "" };
        format!(
            "; the next descent goes to {}{hidden}",
            model.row_reading(row)
        )
    });
    SelectionExplanation {
        next_row: next,
        text: format!("{written}{to}."),
        ..explanation
    }
}

/// The most children whose values by a stated formula are told.
const MAX_STATED_CHILDREN: usize = 4;

/// The formula that STEM.json states for a search of another program, with its values for the children, the highest first.
fn stated_formula_text(model: &TreeModel, explanation: &SelectionExplanation) -> Option<String> {
    let written = model.meta.as_ref()?.formula.as_ref()?;
    let formula = match Expression::parse(written) {
        Ok(formula) => formula,
        Err(problem) => {
            return Some(format!(
                "The formula of the file cannot be read: {problem}."
            ));
        }
    };
    let value_of = |terms: &ChildTerms| {
        formula.value(&|name: &str| match name {
            "visits" | "N" => Some(terms.stats.edge_visits),
            "mean" | "Q" => terms.mean,
            "parent_visits" => Some(explanation.parent_visits as f64),
            name => Some(model.column(name)?.value(terms.row)),
        })
    };
    let mut values: Vec<(f64, usize)> = (explanation.all_children())
        .map(|terms| (value_of(terms), terms.row))
        .filter(|(value, _)| value.is_finite())
        .collect();
    values.sort_by(|one, other| other.0.total_cmp(&one.0));
    let named = values
        .iter()
        .take(MAX_STATED_CHILDREN)
        .map(|&(value, row)| format!("{} {value:.3}", model.row_reading(row)));
    let named: Vec<String> = named.collect();
    Some(match named.is_empty() {
        true => format!("The file states {written}; the figures that it needs are not here."),
        false => format!("The file states {written}: {}.", named.join(", ")),
    })
}

/// The child with the highest claim, the first of equals; none if a claim is not known. Children come in the search's order.
fn next_child(terms: &[ChildTerms]) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for terms in terms {
        let claim = terms.priority()?;
        if best.is_none_or(|(_, most)| claim > most) {
            best = Some((terms.row, claim));
        }
    }
    best.map(|(row, _)| row)
}

fn extra(model: &TreeModel, row: usize) -> Option<&Extra> {
    model.extra.as_ref().and_then(|all| all.get(row))
}

/// The column that has the priors of moves.
const PRIOR_COLUMN: &str = "prior";

fn prior(model: &TreeModel, row: usize) -> Option<f64> {
    let prior = model.column(PRIOR_COLUMN)?.value(row);
    (!prior.is_nan()).then_some(prior)
}

/// The mean of a node for the player who decides there.
fn mean_for_chooser(model: &TreeModel, node: usize) -> f64 {
    let stats = child_stats(model, model.row(node));
    let mean = stats.sum / stats.visits;
    if model.is_mean_of_first(node) == model.node_states[node].is_first() {
        mean
    } else {
        1.0 - mean
    }
}

/// The terms of a child; what is added for exploring is not a number where the files do not tell enough.
fn known_terms(selection: &Selection, parent: &ParentStats, child: &ChildStats) -> Terms {
    let mut terms = selection.terms(parent, child);
    if selection.formula.needs_squares() && child.squares.is_nan() && child.edge_visits > 0.0 {
        terms.exploration = f64::NAN;
    }
    terms
}

/// A row as the search sees it: a table's figures go before its own. Squares and priors that are not known are NaN.
fn child_stats(model: &TreeModel, row: usize) -> ChildStats {
    let own = &model.tree.nodes()[row];
    let (visits, mean, squares) = match extra(model, row) {
        Some(Extra {
            table: Some(table), ..
        }) => (table.visits as f64, table.mean, table.squares),
        Some(extra) if extra.node_visits > 0 => (extra.node_visits as f64, own.mean, extra.squares),
        _ => (f64::from(own.visits), own.mean, f64::NAN),
    };
    ChildStats {
        edge_visits: own.visits.into(),
        visits,
        sum: mean * visits,
        squares,
        prior: prior(model, row).unwrap_or(f64::NAN),
    }
}

fn parameter<'a>(model: &'a TreeModel, name: &str) -> Option<&'a str> {
    let meta = model.meta.as_ref()?;
    meta.parameters.get(name).map(String::as_str)
}

/// Whether the formula of a tree has terms that are not in its rows.
pub fn needs_extras(model: &TreeModel) -> bool {
    let selection = model
        .meta
        .as_ref()
        .and_then(|meta| catalog::selection(&meta.parameters));
    selection.is_some_and(|selection| selection.formula.needs_squares())
        || parameter(model, "store").is_some_and(|store| store != "tree")
        || parameter(model, "solver") == Some("true")
}

/// Said where a formula needs priors and there are none.
const PRIORS: &str = "PUCT needs the priors of moves, which are not known here.";

/// The formula of the search that grew a tree, or why there is none.
fn formula_of(model: &TreeModel) -> Result<Selection, String> {
    const UNKNOWN: &str = "The file does not say by which formula children are chosen.";
    let Some(meta) = &model.meta else {
        return Err(UNKNOWN.to_owned());
    };
    if !meta.parameters.contains_key("select") {
        return Err("This search does not choose children by a formula.".to_owned());
    }
    let formula = catalog::selection(&meta.parameters).ok_or(UNKNOWN)?;
    match missing_data(model, formula) {
        // Journals do not have priors; files of columns are written with those of extras.
        Some(PRIORS) if model.journal.is_some() && meta.columns.is_some() => {
            Err(format!("{PRIORS} Go to the end of the timeline."))
        }
        Some(PRIORS) => Err(format!(
            "{PRIORS} The option TreeExtra (grow --extra) records them."
        )),
        Some(term) => Err(format!("{term} {}", remedy_text(model))),
        None => Ok(formula),
    }
}

/// What the formula needs and the files do not tell, if there is such a thing.
fn missing_data(model: &TreeModel, formula: Selection) -> Option<&'static str> {
    const SQUARES: &str = "UCB1-tuned needs the sums of squared rewards, which are not known here.";
    const TABLE: &str = "The means come from a table of positions, which is not known here.";
    const SHARED: &str =
        "Nodes are shared here, and how often each was visited in all is not known.";
    if formula.formula.needs_priors() && model.column(PRIOR_COLUMN).is_none() {
        return Some(PRIORS);
    }
    let is_tuned = formula.formula.needs_squares();
    let store = parameter(model, "store").unwrap_or("tree");
    let Some(all) = &model.extra else {
        return match store {
            _ if is_tuned => Some(SQUARES),
            "tree" => None,
            "bounded" => Some(TABLE),
            _ => Some(SHARED),
        };
    };
    let is_unknown = |extra: &Extra| extra.squares.is_nan();
    if is_tuned && all.first().is_none_or(is_unknown) {
        return Some(SQUARES);
    }
    let lacks_table = (model.journal).is_some_and(|journal| !journal.has_table);
    (store == "bounded" && lacks_table).then_some(TABLE)
}

/// Which option records what is missing, and where it can be seen.
fn remedy_text(model: &TreeModel) -> &'static str {
    let has_file = (model.meta.as_ref()).is_some_and(|meta| meta.extra.is_some());
    match model.journal {
        Some(_) if has_file => {
            "The journal does not tell it, but the tree has a file of extras: go to the end of the timeline."
        }
        Some(_) => {
            "The journal does not tell it, as those of older engines do not; the option TreeExtra (grow --extra) records it for the end."
        }
        None => "The options TreeExtra (grow --extra) and TreeJournal (grow --journal) record it.",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{
        Tree, TreeRow,
        columns::{Column, ColumnValues, Columns},
        extra::ExtraTableEntry,
        meta::Meta,
    };

    use super::*;
    use crate::tree::model::{Filter, JournalFeatures, ModelSource};

    /// A tree of rows given as move, visits, mean and number of children.
    fn tree_of(rows: [(&str, i32, f64, u32); 3]) -> Tree {
        let rows =
            rows.map(|(name, visits, mean, children)| TreeRow::new(name, visits, mean, children));
        Tree::from_rows(rows).expect("a whole tree")
    }

    /// A root with two children, a and b.
    fn source(parameters: &[(&str, &str)], squares: Option<[f64; 3]>) -> ModelSource {
        let tree = tree_of([("", 100, 0.4, 2), ("a", 40, 0.5, 0), ("b", 60, 0.6, 0)]);
        let mut source = ModelSource::of(tree);
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
                ..Extra::default()
            };
            Arc::new([0, 1, 2].map(extra).to_vec())
        });
        source
    }

    fn model(parameters: &[(&str, &str)], squares: Option<[f64; 3]>) -> TreeModel {
        TreeModel::new(source(parameters, squares))
    }

    fn why_at_root(parameters: &[(&str, &str)], squares: Option<[f64; 3]>) -> SelectionExplanation {
        explain_selection(&model(parameters, squares), 0, None)
    }

    fn near(one: Option<f64>, other: f64) {
        assert!(
            one.is_some_and(|one| (one - other).abs() < 1e-4),
            "{one:?} {other}"
        );
    }

    const UCT: [(&str, &str); 2] = [("select", "uct"), ("exploration", "1.41")];

    /// The terms were worked out by hand: ln 100 = 4.60517.
    #[test]
    fn the_terms_of_uct_and_of_ucb1_tuned() {
        let uct = why_at_root(&UCT, None);
        assert_eq!(uct.children[0].row, 2, "the most visited first");
        near(uct.children[0].exploration, 0.390_63);
        near(uct.children[1].exploration, 0.478_42);
        assert_eq!(uct.next_row, Some(2), "0.9906 against 0.9784");
        let tuned = why_at_root(&[("select", "ucb1-tuned")], Some([50.0, 10.8, 22.2]));
        // a: variance 0.27 - 0.25 = 0.02, bound 0.02 + 0.4799 -> 1/4; b: 0.37 - 0.36 = 0.01, bound 0.4018 -> 1/4.
        near(tuned.children[1].exploration, 0.169_65);
        near(tuned.children[0].exploration, 0.138_52);
        assert!(tuned.text.contains("N = 100"));
    }

    /// By hand: a 0.5 + 2 * 0.75 * 10 / 41 = 0.8659, b 0.6 + 2 * 0.25 * 10 / 61 = 0.6820.
    #[test]
    fn a_formula_that_the_file_states_is_shown_with_its_values() {
        let mut source = source(&[], None);
        source.columns = Some(Arc::new(Columns {
            rows: 3,
            columns: vec![Column {
                name: "P".to_owned(),
                unit: String::new(),
                labels: Vec::new(),
                values: ColumnValues::F64(vec![f64::NAN, 0.75, 0.25]),
            }],
        }));
        let mut stated = |formula: &str| {
            if let Some(meta) = &mut source.meta {
                Arc::make_mut(meta).formula = Some(formula.to_owned());
            }
            explain_selection(&TreeModel::new(source.clone()), 0, None).text
        };
        let known = stated("Q + 2 * P * sqrt(parent_visits) / (1 + visits)");
        assert!(known.ends_with(": a 0.866, b 0.682."), "{known}");
        assert!(known.starts_with("The file states Q + 2 * P"), "{known}");
        assert!(stated("Q + missing").contains("are not here"));
        assert!(stated("Q +").contains("cannot be read"));
    }

    /// C = 1.41, P = 0.5, sqrt(100) = 10: 7.05 / 41 and 7.05 / 61.
    #[test]
    fn the_terms_of_puct_and_of_urgencies() {
        let parameters = [("select", "puct"), ("exploration", "1.41")];
        let without = why_at_root(&parameters, None);
        assert!(without.text.contains("TreeExtra") && without.next_row.is_none());
        let mut source = source(&parameters, None);
        source.columns = Some(Arc::new(Columns {
            rows: 3,
            columns: vec![Column {
                name: "prior".to_owned(),
                unit: String::new(),
                labels: Vec::new(),
                values: ColumnValues::F64(vec![f64::NAN, 0.5, 0.5]),
            }],
        }));
        let puct = explain_selection(&TreeModel::new(source.clone()), 0, None);
        near(puct.children[1].exploration, 0.171_95);
        near(puct.children[0].exploration, 0.115_57);
        assert_eq!(puct.next_row, Some(2), "0.7156 against 0.6720");
        assert!(puct.text.starts_with("mean + C·P·√N / (1 + n), C = 1.41"));
        // A child that was never visited: its urgency is the root's mean for who chooses, 1 - 0.4, less 0.2.
        let tree = tree_of([("", 100, 0.4, 2), ("a", 100, 0.5, 0), ("b", 0, 0.0, 0)]);
        source.tree = Arc::new(tree);
        if let Some(meta) = &mut source.meta {
            let parameters = &mut Arc::make_mut(meta).parameters;
            parameters.insert("fpu".to_owned(), "reduction".to_owned());
            parameters.insert("fpu_value".to_owned(), "0.2".to_owned());
        }
        let fpu = explain_selection(&TreeModel::new(source), 0, None);
        near(fpu.children[1].mean, 0.4);
        near(fpu.children[1].exploration, 7.05);
        assert_eq!(fpu.next_row, Some(2));
    }

    #[test]
    fn a_table_goes_before_what_the_tree_knows() {
        let mut source = source(&UCT, Some([f64::NAN; 3]));
        let table = ExtraTableEntry {
            visits: 50,
            mean: 0.9,
            squares: f64::NAN,
        };
        if let Some(extra) = &mut source.extra {
            Arc::make_mut(extra)[1].table = Some(table);
        }
        let why = explain_selection(&TreeModel::new(source), 0, None);
        assert_eq!((why.children[1].mean, why.next_row), (Some(0.9), Some(1)));
    }

    #[test]
    fn a_filter_does_not_change_what_the_search_does() {
        let parameters = [("select", "uct"), ("exploration", "3")];
        let whole = why_at_root(&parameters, None);
        // 0.5 + 1.018 against 0.6 + 0.831: the less visited child is next.
        assert_eq!((whole.next_row, whole.hidden), (Some(1), 0));
        assert!(whole.text.ends_with("the next descent goes to a."));
        let filter = Filter {
            max_children: Some(1),
            ..Filter::default()
        };
        let part = explain_selection(
            &TreeModel::filtered(source(&parameters, None), &filter),
            0,
            None,
        );
        let scores = |why: &SelectionExplanation| -> Vec<_> {
            why.children.iter().map(ChildTerms::score).collect()
        };
        assert_eq!(scores(&part), scores(&whole)[..1]);
        assert_eq!((part.next_row, part.is_next_hidden()), (Some(1), true));
        assert_eq!(part.hidden, 1);
        assert!(part.text.ends_with("the next descent goes to a (hidden)."));
    }

    #[test]
    fn moves_that_are_not_in_the_tree_are_told_of() {
        let one_by_one = [UCT[0], UCT[1], ("expansion", "one")];
        let new = explain_selection(&model(&one_by_one, None), 0, Some(7));
        assert_eq!((new.next_row, new.hidden), (None, 0));
        assert!(new.text.contains("goes to a move that was never tried"));
        let cut = ModelSource {
            left_out: 12,
            ..source(&UCT, None)
        };
        let cut = explain_selection(&TreeModel::new(cut), 0, Some(7));
        assert_eq!((cut.next_row, cut.hidden), (None, 5));
        assert!(cut.text.contains("5 of its children are not in this part"));
    }

    #[test]
    fn a_solver_heeds_certain_results() {
        let next = |outcome: Outcome, row: usize| {
            let mut source = source(&[UCT[0], UCT[1], ("solver", "true")], Some([0.0; 3]));
            if let Some(extra) = &mut source.extra {
                Arc::make_mut(extra)[row].proven = Some(outcome);
            }
            explain_selection(&TreeModel::new(source), 0, None).next_row
        };
        assert_eq!(next(Outcome::Win(Player::First), 1), Some(1));
        assert_eq!(next(Outcome::Win(Player::Second), 2), Some(1));
        assert_eq!(next(Outcome::Draw, 2), Some(1));
    }

    #[test]
    fn what_is_not_known_is_said_with_the_option_that_records_it() {
        let tuned = why_at_root(&[("select", "ucb1-tuned")], None);
        assert!(tuned.next_row.is_none() && tuned.text.contains("squared rewards"));
        assert!(tuned.text.contains("TreeExtra") && tuned.text.contains("TreeJournal"));
        let graph = [("select", "uct"), ("exploration", "1"), ("store", "graph")];
        assert!(why_at_root(&graph, None).text.contains("shared"));
        assert!(why_at_root(&[], None).text.contains("does not choose"));
        let halved = [
            ("select", "uct"),
            ("exploration", "2"),
            ("reward_range", "pm1"),
        ];
        near(why_at_root(&halved, None).children[0].exploration, 0.277_05);
    }

    #[test]
    fn what_an_old_journal_does_not_know_is_said() {
        let said = |parameters: &[(&str, &str)], has_file: bool| {
            let mut source = source(parameters, Some([f64::NAN; 3]));
            source.journal = Some(JournalFeatures { has_table: false });
            if let Some(meta) = source.meta.as_mut().filter(|_| has_file) {
                Arc::make_mut(meta).extra = Some("x.extra".to_owned());
            }
            explain_selection(&TreeModel::new(source), 0, None).text
        };
        let tuned = [("select", "ucb1-tuned")];
        assert!(said(&tuned, false).contains("TreeExtra"));
        assert!(said(&tuned, true).contains("go to the end of the timeline"));
        let table = [UCT[0], UCT[1], ("store", "bounded")];
        assert!(said(&table, true).contains("table of positions"));
        // Of the part of a large journal nothing is known beside its rows.
        let part = ModelSource {
            extra: Some(Arc::default()),
            ..source(&tuned, None)
        };
        let part = explain_selection(&TreeModel::new(part), 0, None).text;
        assert!(part.contains("squared rewards"), "{part}");
    }
}
