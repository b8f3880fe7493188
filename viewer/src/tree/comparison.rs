//! Two trees of one position laid out alike: every node lies where the node of the same moves lies in the other tree.

use std::{cmp::Ordering, collections::HashMap, sync::Arc};

use canopy_engine::tree::{Tree, TreeRow};

use crate::tree::{
    camera::TreeBounds,
    model::{ModelSource, SideOfComparison, TreeModel},
    node_value::{NodeValues, ValueView},
    scene,
    value_text::Value,
};

/// Stands for a node that a tree has not.
const NONE: u32 = u32::MAX;
/// The longest expected lines that are compared.
const MAX_LINE: usize = 24;
/// Nodes with more children than these are matched with a table.
const MAX_LINEAR: usize = 12;

/// How much of two trees is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparisonFilter {
    /// Upper bound of children of a node below the root, the most visited of both trees; none for all.
    pub max_children: Option<u32>,
    /// Nodes with a smaller share of the visits of both trees than one in this many are hidden; none for no bound.
    pub min_share: Option<u32>,
}

impl Default for ComparisonFilter {
    fn default() -> Self {
        Self {
            max_children: Some(4),
            min_share: Some(100),
        }
    }
}

/// A move of the root in both trees.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedMove {
    /// The move as people read it.
    pub name: String,
    /// The move as the tree has it.
    pub mv: String,
    /// Its visits; none in a tree that has not got it.
    pub visits: [Option<u64>; 2],
    /// Its share of the visits of all moves, from 0 to 1.
    pub shares: [f64; 2],
    /// Its value for the side to move.
    pub values: [Value; 2],
    /// Whether the search chose it.
    pub is_chosen: [bool; 2],
    /// Its node in the shared shape; none if it is hidden.
    pub node: Option<usize>,
}

impl ComparedMove {
    /// The first share less the second.
    pub fn difference(&self) -> f64 {
        self.shares[0] - self.shares[1]
    }
}

/// Two trees laid out alike.
#[derive(Debug)]
pub struct Comparison {
    /// The trees, each with its own nodes alone.
    pub sides: [Arc<TreeModel>; 2],
    /// The room that both need.
    pub bounds: TreeBounds,
    /// By side, by place in the shared shape: the node, or [`NONE`].
    nodes: [Vec<u32>; 2],
    /// By side and node: the place in the shared shape.
    places: [Vec<u32>; 2],
    /// By place in the shared shape: the place above.
    parents: Vec<u32>,
    /// By place: the move into it.
    moves: Vec<String>,
    /// The moves of the root, those with the most visits of both first.
    pub root_moves: Vec<ComparedMove>,
    /// The expected line of each search, as its tree writes the moves.
    pub lines: [Vec<String>; 2],
}

impl Comparison {
    /// Compares two trees; an error is a sentence.
    pub fn new(sources: &[ModelSource; 2], filter: &ComparisonFilter) -> Result<Self, String> {
        check_positions(sources)?;
        let shape = Shape::new(sources, filter);
        shape.into_comparison(sources)
    }

    /// The node of a side at a place of the shared shape, if it has one.
    pub fn node(&self, side: usize, place: usize) -> Option<usize> {
        let node = *self.nodes[side].get(place)?;
        (node != NONE).then_some(node as usize)
    }

    /// The place of a side's node.
    pub fn place(&self, side: usize, node: usize) -> Option<usize> {
        self.places[side].get(node).map(|&place| place as usize)
    }

    /// The moves from the root to a place.
    pub fn moves_to(&self, place: usize) -> Vec<String> {
        let mut moves = Vec::new();
        let mut at = place;
        while at != 0 {
            moves.push(self.moves[at].clone());
            at = self.parents[at] as usize;
        }
        moves.reverse();
        moves
    }

    /// The place that moves lead to.
    pub fn find(&self, moves: &[String]) -> Option<usize> {
        moves.iter().try_fold(0, |at, mv| {
            // Places are in the order of rows: what lies below a place follows it.
            (at + 1..self.moves.len())
                .find(|&place| self.parents[place] as usize == at && self.moves[place] == *mv)
        })
    }

    /// How many moves both expected lines have in common.
    pub fn common_moves(&self) -> usize {
        let [one, other] = &self.lines;
        one.iter()
            .zip(other)
            .take_while(|(one, other)| one == other)
            .count()
    }

    /// How many shown nodes of a side the other has not.
    pub fn only_in(&self, side: usize) -> usize {
        let lacks = |&(here, there): &(&u32, &u32)| *here != NONE && *there == NONE;
        self.nodes[side]
            .iter()
            .zip(&self.nodes[1 - side])
            .filter(lacks)
            .count()
    }
}

/// Two trees can be compared only if they begin with one position.
fn check_positions(sources: &[ModelSource; 2]) -> Result<(), String> {
    let [Some(one), Some(other)] = [0, 1].map(|side| sources[side].meta.as_ref()) else {
        return Ok(());
    };
    if one.game != other.game {
        return Err(format!(
            "The trees are of two games, {} and {}. Choose trees of one position.",
            one.game, other.game
        ));
    }
    if one.position != other.position {
        return Err(
            "The trees begin with two different positions. Choose trees of one position."
                .to_owned(),
        );
    }
    Ok(())
}

/// The nodes that are shown of either tree, in the order of rows.
struct Shape {
    /// By place: the row in each tree, or [`NONE`].
    rows: Vec<[u32; 2]>,
    parents: Vec<u32>,
    children: Vec<u32>,
}

impl Shape {
    fn new(sources: &[ModelSource; 2], filter: &ComparisonFilter) -> Self {
        let trees = [0, 1].map(|side| &*sources[side].tree);
        let sizes = trees.map(Tree::subtree_sizes);
        let matcher = ChildMatcher {
            trees,
            sizes: &sizes,
            filter,
        };
        let mut shape = Self {
            rows: vec![[0, 0]],
            parents: vec![0],
            children: vec![0],
        };
        // Places whose children are still to be added, the first one on top; what it takes is added at once, in order.
        let mut stack: Vec<(u32, [u32; 2])> = Vec::new();
        let mut kept = Vec::new();
        matcher.select([0, 0], 0, &mut kept);
        shape.children[0] = kept.len() as u32;
        stack.extend(kept.drain(..).rev().map(|rows| (0, rows)));
        while let Some((parent, rows)) = stack.pop() {
            let place = shape.rows.len() as u32;
            shape.rows.push(rows);
            shape.parents.push(parent);
            matcher.select(rows, place, &mut kept);
            shape.children.push(kept.len() as u32);
            stack.extend(kept.drain(..).rev().map(|rows| (place, rows)));
        }
        shape
    }

    /// The move into a place.
    fn move_name<'a>(&self, place: usize, trees: &[&'a Tree; 2]) -> &'a str {
        let [one, other] = self.rows[place];
        match one {
            NONE => trees[1].move_name(other as usize),
            row => trees[0].move_name(row as usize),
        }
    }

    fn into_comparison(self, sources: &[ModelSource; 2]) -> Result<Comparison, String> {
        let trees = [&*sources[0].tree, &*sources[1].tree];
        let whole = TreeModel::new(ModelSource::of(self.union_tree(&trees)?));
        let node_of_place = place_to_node(&whole);
        let totals = trees.map(child_total);
        let mut nodes = [Vec::new(), Vec::new()];
        let mut places = [Vec::new(), Vec::new()];
        let mut models = Vec::with_capacity(2);
        for side in 0..2 {
            let own: Vec<u32> = (0..self.rows.len() as u32)
                .filter(|&place| self.rows[place as usize][side] != NONE)
                .collect();
            let source = ModelSource {
                meta: sources[side].meta.clone(),
                last_path_rows: Arc::default(),
                ..ModelSource::of(self.side_tree(side, &own, trees[side])?)
            };
            let mut model = TreeModel::new(source);
            places[side] = model.rows.iter().map(|&row| own[row as usize]).collect();
            nodes[side] = vec![NONE; self.rows.len()];
            for (node, &place) in places[side].iter().enumerate() {
                nodes[side][place as usize] = node as u32;
                model.x[node] = whole.x[node_of_place[place as usize] as usize];
            }
            model.extent = whole.extent;
            model.comparison = Some(self.side_of_comparison(side, &places[side], trees, totals));
            models.push(Arc::new(model));
        }
        let sides: [Arc<TreeModel>; 2] =
            (models.try_into()).map_err(|_| "a tree is missing".to_owned())?;
        let moves = (0..self.rows.len()).map(|place| match place {
            0 => String::new(),
            _ => self.move_name(place, &trees).to_owned(),
        });
        Ok(Comparison {
            bounds: scene::tree_bounds(&whole),
            root_moves: root_moves(sources, &self)?,
            lines: [0, 1].map(|side| expected_line(&sources[side])),
            moves: moves.collect(),
            parents: self.parents,
            sides,
            nodes,
            places,
        })
    }

    /// A tree with all places.
    fn union_tree(&self, trees: &[&Tree; 2]) -> Result<Tree, String> {
        let rows = (0..self.rows.len()).map(|place| {
            let visits: i64 = (0..2)
                .map(|side| i64::from(visits(trees[side], self.rows[place][side])))
                .sum();
            let visits = i32::try_from(visits).unwrap_or(i32::MAX);
            TreeRow::new(
                self.move_name(place, trees),
                visits,
                0.5,
                self.children[place],
            )
        });
        Tree::from_rows(rows)
    }

    /// The tree of a side, with the places that it has.
    fn side_tree(&self, side: usize, own: &[u32], tree: &Tree) -> Result<Tree, String> {
        let mut children = vec![0_u32; self.rows.len()];
        for &place in own.iter().skip(1) {
            children[self.parents[place as usize] as usize] += 1;
        }
        Tree::from_rows(own.iter().map(|&place| {
            let row = self.rows[place as usize][side] as usize;
            TreeRow {
                children: children[place as usize],
                ..tree.row(row)
            }
        }))
    }

    /// The difference of every node of a side, and whether the other side lacks it.
    fn side_of_comparison(
        &self,
        side: usize,
        places: &[u32],
        trees: [&Tree; 2],
        totals: [f64; 2],
    ) -> SideOfComparison {
        let share = |place: u32, side: usize| {
            f64::from(visits(trees[side], self.rows[place as usize][side])) / totals[side].max(1.0)
        };
        SideOfComparison {
            side,
            difference: (places.iter())
                .map(|&place| (share(place, 0) - share(place, 1)) as f32)
                .collect(),
            only_here: (places.iter())
                .map(|&place| self.rows[place as usize][1 - side] == NONE)
                .collect(),
        }
    }
}

/// By row of a tree in which all is shown: its node.
fn place_to_node(model: &TreeModel) -> Vec<u32> {
    let mut nodes = vec![0; model.len()];
    for (node, &row) in model.rows.iter().enumerate() {
        nodes[row as usize] = node as u32;
    }
    nodes
}

fn visits(tree: &Tree, row: u32) -> i32 {
    match row {
        NONE => 0,
        row => tree.nodes()[row as usize].visits.max(0),
    }
}

/// Visits of all moves of the root.
fn child_total(tree: &Tree) -> f64 {
    let nodes = tree.nodes().iter().skip(1);
    let below_root = nodes.filter(|node| node.parent == 0);
    below_root.map(|node| f64::from(node.visits.max(0))).sum()
}

/// Finds the children of a node of both trees that are one.
struct ChildMatcher<'a> {
    trees: [&'a Tree; 2],
    sizes: &'a [Vec<u32>; 2],
    filter: &'a ComparisonFilter,
}

impl ChildMatcher<'_> {
    /// Puts the shown children of a pair of rows into `kept`, in the order of their moves.
    fn select(&self, rows: [u32; 2], place: u32, kept: &mut Vec<[u32; 2]>) {
        kept.clear();
        let [one, other] = [0, 1].map(|side| self.children(side, rows[side]));
        kept.extend(one.iter().map(|&row| [row, NONE]));
        let table: HashMap<(&str, u32), usize> = match one.len() > MAX_LINEAR {
            true => (one.iter().enumerate())
                .map(|(index, &row)| ((self.name(0, row), 0), index))
                .collect(),
            false => HashMap::new(),
        };
        for &row in &other {
            let name = self.name(1, row);
            let found = match table.is_empty() {
                false => table.get(&(name, 0)).copied(),
                true => one.iter().position(|&own| self.name(0, own) == name),
            };
            match found.filter(|&index| kept[index][1] == NONE) {
                Some(index) => kept[index][1] = row,
                None => kept.push([NONE, row]),
            }
        }
        self.cut(kept, place == 0);
        kept.sort_by(|one, other| by_move(self.name_of(*one), self.name_of(*other)));
    }

    fn children(&self, side: usize, row: u32) -> Vec<u32> {
        match row {
            NONE => Vec::new(),
            row => (self.trees[side].children(row as usize, &self.sizes[side]))
                .map(|child| child as u32)
                .collect(),
        }
    }

    fn name(&self, side: usize, row: u32) -> &str {
        self.trees[side].move_name(row as usize)
    }

    fn name_of(&self, [one, other]: [u32; 2]) -> &str {
        match one {
            NONE => self.name(1, other),
            row => self.name(0, row),
        }
    }

    /// The share of a pair in the visits of both trees, from 0 to 2.
    fn weight(&self, rows: [u32; 2]) -> f64 {
        (0..2)
            .map(|side| {
                let root = f64::from(self.trees[side].nodes()[0].visits.max(1));
                f64::from(visits(self.trees[side], rows[side])) / root
            })
            .sum()
    }

    fn cut(&self, kept: &mut Vec<[u32; 2]>, is_root: bool) {
        if is_root {
            return;
        }
        if let Some(share) = self.filter.min_share {
            kept.retain(|&rows| self.weight(rows) * f64::from(share) >= 1.0);
        }
        if let Some(best) = self.filter.max_children.map(|best| best as usize)
            && kept.len() > best
        {
            kept.sort_by(|one, other| self.weight(*other).total_cmp(&self.weight(*one)));
            kept.truncate(best);
        }
    }
}

/// Moves in the order in which people list them: numbers by value, others by letters.
fn by_move(one: &str, other: &str) -> Ordering {
    match (one.parse::<u32>(), other.parse::<u32>()) {
        (Ok(one), Ok(other)) => one.cmp(&other),
        _ => one.cmp(other),
    }
}

/// The moves of the root, in both trees.
fn root_moves(sources: &[ModelSource; 2], shape: &Shape) -> Result<Vec<ComparedMove>, String> {
    let heads = [head(&sources[0])?, head(&sources[1])?];
    let totals = [0, 1].map(|side| child_total(&sources[side].tree));
    let trees = [&*sources[0].tree, &*sources[1].tree];
    let mut moves = Vec::new();
    for place in (1..shape.rows.len()).filter(|&place| shape.parents[place] == 0) {
        let mv = shape.move_name(place, &trees);
        let node_of = |side: usize| {
            let head: &TreeModel = &heads[side];
            (head.children_of(0)).find(|&node| head.move_text(node) == mv)
        };
        let nodes = [node_of(0), node_of(1)];
        let value = |side: usize| {
            let values = NodeValues::new(&heads[side], ValueView::Root);
            nodes[side].map_or(Value::Unknown, |node| {
                values.child_value(heads[side].row(node), None, 0)
            })
        };
        let reading = (0..2).find_map(|side| Some(heads[side].reading(nodes[side]?)));
        let count = |side: usize| {
            let row = shape.rows[place][side];
            (row != NONE).then(|| u64::from(visits(trees[side], row).unsigned_abs()))
        };
        let counts = [count(0), count(1)];
        moves.push(ComparedMove {
            name: reading.map_or_else(|| mv.to_owned(), |text| text.into_owned()),
            mv: mv.to_owned(),
            shares: [0, 1].map(|side| counts[side].unwrap_or(0) as f64 / totals[side].max(1.0)),
            visits: counts,
            values: [value(0), value(1)],
            is_chosen: [0, 1].map(|side| chosen(&sources[side]).as_deref() == Some(mv)),
            node: Some(place),
        });
    }
    moves.sort_by(|one, other| {
        let sum = |mv: &ComparedMove| mv.shares[0] + mv.shares[1];
        sum(other).total_cmp(&sum(one))
    });
    Ok(moves)
}

/// The root and its children alone.
fn head(source: &ModelSource) -> Result<TreeModel, String> {
    let tree = &source.tree;
    let below = (1..tree.nodes().len()).filter(|&row| tree.nodes()[row].parent == 0);
    let rows: Vec<usize> = std::iter::once(0).chain(below).collect();
    let count = rows.len() as u32 - 1;
    let row_of = |row: usize| TreeRow {
        children: if row == 0 { count } else { 0 },
        ..tree.row(row)
    };
    let tree = Tree::from_rows(rows.into_iter().map(row_of))?;
    Ok(TreeModel::new(ModelSource {
        meta: source.meta.clone(),
        ..ModelSource::of(tree)
    }))
}

/// The move that a search has chosen, or would choose now: its most visited one.
fn chosen(source: &ModelSource) -> Option<String> {
    let told = (source.meta.as_ref()).and_then(|meta| meta.chosen.clone());
    told.filter(|_| source.journal.is_none())
        .or_else(|| expected_line(source).into_iter().next())
}

/// The moves that a search expects: the line it tells, else the most visited path.
fn expected_line(source: &ModelSource) -> Vec<String> {
    let told = (source.meta.as_ref()).map(|meta| meta.line.clone());
    if let Some(line) = told.filter(|line| !line.is_empty() && source.journal.is_none()) {
        return line.into_iter().take(MAX_LINE).collect();
    }
    let tree = &source.tree;
    let sizes = tree.subtree_sizes();
    let mut line = Vec::new();
    let mut row = 0;
    while line.len() < MAX_LINE {
        let children = tree.children(row, &sizes);
        let visited = children.filter(|&child| tree.nodes()[child].visits > 0);
        // The first of equals, as in the picture.
        let best = visited.reduce(|best, other| {
            match tree.nodes()[other].visits > tree.nodes()[best].visits {
                true => other,
                false => best,
            }
        });
        let Some(best) = best else { break };
        line.push(tree.move_name(best).to_owned());
        row = best;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(rows: &[(&str, i32, u32)]) -> ModelSource {
        let rows = (rows.iter())
            .map(|&(name, visits, children)| TreeRow::new(name, visits, 0.5, children));
        ModelSource::of(Tree::from_rows(rows).expect("a whole tree"))
    }

    fn pair() -> [ModelSource; 2] {
        let one = source(&[
            ("", 100, 3),
            ("10", 10, 0),
            ("2", 80, 2),
            ("x", 50, 0),
            ("y", 30, 0),
            ("1", 10, 0),
        ]);
        let other = source(&[
            ("", 200, 2),
            ("2", 50, 1),
            ("z", 50, 0),
            ("1", 150, 1),
            ("w", 150, 0),
        ]);
        [one, other]
    }

    fn all() -> ComparisonFilter {
        ComparisonFilter {
            max_children: None,
            min_share: None,
        }
    }

    #[test]
    fn nodes_of_one_path_lie_at_one_place_and_the_others_are_marked() {
        let made = Comparison::new(&pair(), &all()).expect("one position");
        let path = |moves: &[&str]| {
            let moves: Vec<String> = moves.iter().map(|&mv| mv.to_owned()).collect();
            made.find(&moves).expect("it is shown")
        };
        for moves in [&["1"][..], &["2"]] {
            let place = path(moves);
            let x = [0, 1].map(|side| {
                let node = made.node(side, place).expect("both have it");
                made.sides[side].x[node]
            });
            assert_eq!(x[0], x[1]);
            assert_eq!(made.moves_to(place), moves);
        }
        assert_eq!(made.node(1, path(&["10"])), None);
        assert_eq!(made.node(0, path(&["1", "w"])), None);
        assert_eq!((made.only_in(0), made.only_in(1)), (3, 2));
        for side in 0..2 {
            let model = &made.sides[side];
            let told = model.comparison.as_ref().expect("it is one of two");
            for node in 0..model.len() {
                let place = made.place(side, node).expect("it has a place");
                assert_eq!(told.only_here[node], made.node(1 - side, place).is_none());
                assert_eq!(made.node(side, place), Some(node));
            }
            for depth in 0..model.depth() {
                let layer = model.layer(depth);
                assert!(model.x[layer].is_sorted_by(|one, other| one < other));
            }
        }
    }

    #[test]
    fn shares_and_their_difference_are_those_of_the_visits() {
        let made = Comparison::new(&pair(), &all()).expect("one position");
        let told: Vec<_> = (made.root_moves.iter())
            .map(|mv| (mv.mv.as_str(), mv.shares, mv.visits))
            .collect();
        assert_eq!(
            told,
            [
                ("2", [0.8, 0.25], [Some(80), Some(50)]),
                ("1", [0.1, 0.75], [Some(10), Some(150)]),
                ("10", [0.1, 0.0], [Some(10), None]),
            ]
        );
        let place = made.find(&["1".to_owned()]).expect("it is shown");
        let node = made.node(0, place).expect("it has it");
        let told = made.sides[0].comparison.as_ref().expect("it is one of two");
        assert!((told.difference[node] + 0.65).abs() < 1e-6);
        assert_eq!(made.lines, [vec!["2", "x"], vec!["1", "w"]]);
        assert_eq!(made.common_moves(), 0);
    }

    #[test]
    fn the_best_children_are_those_of_both_trees_together() {
        let filter = ComparisonFilter {
            max_children: Some(1),
            min_share: None,
        };
        let made = Comparison::new(&pair(), &filter).expect("one position");
        let has = |moves: &[&str]| {
            let moves: Vec<String> = moves.iter().map(|&mv| mv.to_owned()).collect();
            made.find(&moves).is_some()
        };
        // All moves of the root stay; of x, y and z below 2 the one with half of all visits of its tree.
        assert!(has(&["10"]) && has(&["2", "x"]));
        assert!(!has(&["2", "y"]) && !has(&["2", "z"]));
    }

    #[test]
    fn trees_of_two_positions_are_refused() {
        let [one, other] = pair();
        let with = |source: ModelSource, game: &str, position: &str| ModelSource {
            meta: Some(Arc::new(canopy_engine::tree::meta::Meta {
                game: game.to_owned(),
                position: position.to_owned(),
                ..Default::default()
            })),
            ..source
        };
        let told = |one: ModelSource, other: ModelSource| {
            Comparison::new(&[one, other], &all()).expect_err("they differ")
        };
        let chess = with(one.clone(), "chess", "p");
        assert!(told(chess.clone(), with(other.clone(), "kalah", "p")).contains("two games"));
        assert!(told(chess, with(other, "chess", "q")).contains("two different positions"));
    }
}
