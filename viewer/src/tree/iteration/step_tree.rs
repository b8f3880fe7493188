//! The part of a tree that is drawn for one iteration: all of a small one, else the path and its siblings.

use std::sync::Arc;

use canopy_engine::games::Player;

use super::{by_visits, children_owner, share_of, visited_filter};
use crate::tree::model::TreeModel;

/// Larger trees are drawn as the path and its siblings.
pub const MAX_WHOLE_NODES: usize = 200;
/// Siblings that are drawn beside a node of the path.
const MAX_SIBLINGS: usize = 8;
/// Distance between siblings, as a part of the width, and the margin at the sides.
const SIBLING_DISTANCE: f64 = 0.088;
const SIDE_MARGIN: f64 = 0.05;
/// Room for a card beside a node of the path, as a part of the width.
const CARD_WIDTH: f64 = 0.21;

/// A node that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct StepNode {
    /// The node above it, an index of [`StepTree::nodes`]; the root is its own.
    pub parent: usize,
    /// The move into it, as people read it; empty at the root.
    pub name: String,
    /// Visits after the iteration.
    pub visits: u64,
    /// The owner's share of wins after the iteration.
    pub share: f64,
    /// Whether the side with the light pieces decides there.
    pub is_light: bool,
    /// Its place from left to right, from 0 to 1.
    pub x: f64,
    /// Its level.
    pub depth: usize,
    /// Its place on the path of the iteration; none beside it.
    pub on_path: Option<usize>,
}

/// The part of a tree that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTree {
    /// The nodes, each after the one above it.
    pub nodes: Vec<StepNode>,
    /// Number of levels.
    pub levels: usize,
    /// Visited nodes that are not drawn.
    pub hidden: usize,
    /// Whether the last node of the path is new.
    pub has_new: bool,
}

impl StepTree {
    /// What is drawn of `model` for a path of its nodes.
    pub(super) fn new(
        model: &Arc<TreeModel>,
        path: &[Option<usize>],
        has_new: bool,
        owner: Player,
    ) -> Self {
        let visited = (0..model.len())
            .filter(|&node| model.visits(node) > 0)
            .count();
        let path: Vec<usize> = path.iter().map_while(|&node| node).collect();
        let is_whole = visited <= MAX_WHOLE_NODES && !has_shared_nodes(model);
        let nodes = match is_whole {
            true => whole(model, &path, owner),
            false => path_and_siblings(model, &path, owner),
        };
        Self {
            levels: nodes.iter().map(|node| node.depth + 1).max().unwrap_or(1),
            hidden: visited.saturating_sub(nodes.len()),
            nodes,
            has_new,
        }
    }

    /// The least distance between two nodes of a level, as a part of the width.
    pub fn distance_in(&self, level: usize) -> f64 {
        let mut places: Vec<f64> = (self.nodes.iter())
            .filter(|node| node.depth == level)
            .map(|node| node.x)
            .collect();
        places.sort_by(f64::total_cmp);
        let distances = places.windows(2).map(|pair| pair[1] - pair[0]);
        distances.fold(1.0, f64::min)
    }

    /// The least of these distances.
    pub fn least_distance(&self) -> f64 {
        let levels = (0..self.levels).map(|level| self.distance_in(level));
        levels.fold(1.0, f64::min)
    }
}

/// Whether some position has its children elsewhere.
fn has_shared_nodes(model: &TreeModel) -> bool {
    (0..model.len()).any(|node| model.expanded_elsewhere(model.row(node)).is_some())
}

fn step_node(model: &TreeModel, node: usize, owner: Player) -> StepNode {
    StepNode {
        parent: 0,
        name: model.row_reading(model.row(node)).into_owned(),
        visits: model.visits(node).max(0) as u64,
        share: share_of(model, node, owner).unwrap_or(0.5),
        is_light: model.is_light(node),
        x: 0.5,
        depth: 0,
        on_path: None,
    }
}

/// All visited nodes. Leaves stand at equal distances, with room for a card beside every node of the path.
fn whole(model: &Arc<TreeModel>, path: &[usize], owner: Player) -> Vec<StepNode> {
    let shown = TreeModel::filtered(model.source(), &visited_filter());
    let rows: Vec<usize> = path.iter().map(|&node| model.row(node)).collect();
    let path_index = |node: usize| rows.iter().position(|&row| row == shown.row(node));
    let leaves = (0..shown.len())
        .filter(|&node| shown.children_of(node).is_empty())
        .count();
    let mut places = LeafPlaces {
        model: &shown,
        is_on_path: (0..shown.len())
            .map(|node| path_index(node).is_some())
            .collect(),
        card: CARD_WIDTH / (1.0 - CARD_WIDTH) * leaves as f64,
        next: 0.0,
        x: vec![0.0; shown.len()],
    };
    places.place(0, 0);
    let (least, most) = (places.x.iter()).fold((f64::MAX, f64::MIN), |(least, most), &x| {
        (least.min(x), most.max(x))
    });
    let room = 1.0 - 2.0 * SIDE_MARGIN;
    let scale = |x: f64| match most > least {
        true => SIDE_MARGIN + room * (x - least) / (most - least),
        false => 0.5,
    };
    (0..shown.len())
        .map(|node| StepNode {
            parent: shown.parents[node] as usize,
            x: scale(places.x[node]),
            depth: shown.depth_of(node),
            on_path: path_index(node),
            ..step_node(&shown, node, owner)
        })
        .collect()
}

/// Gives every leaf the next place, and every other node the middle of its children.
struct LeafPlaces<'a> {
    model: &'a TreeModel,
    is_on_path: Vec<bool>,
    /// Places that a card takes.
    card: f64,
    next: f64,
    x: Vec<f64>,
}

impl LeafPlaces<'_> {
    /// Between families, in places.
    const FAMILY_GAP: f64 = 0.4;

    fn place(&mut self, node: usize, depth: usize) {
        let children = self.model.children_of(node);
        if children.is_empty() {
            self.x[node] = self.next;
            self.next += 1.0;
            return;
        }
        let (first, last) = (children.start, children.end - 1);
        for child in children {
            self.place(child, depth + 1);
            // Cards stand on the right; the first moves are far apart anyway.
            let has_card = self.is_on_path[child] && depth > 0;
            if has_card && (depth == 1 || child != last) {
                self.next += self.card;
            }
        }
        self.next += Self::FAMILY_GAP;
        self.x[node] = (self.x[first] + self.x[last]) / 2.0;
    }
}

/// The path with the most visited siblings of each of its nodes.
fn path_and_siblings(model: &TreeModel, path: &[usize], owner: Player) -> Vec<StepNode> {
    let mut nodes = vec![StepNode {
        on_path: Some(0),
        ..step_node(model, 0, owner)
    }];
    let mut above = 0;
    for (index, pair) in path.windows(2).enumerate() {
        let (parent, next) = (pair[0], pair[1]);
        let mut siblings: Vec<usize> = (model.children_of(children_owner(model, parent)))
            .filter(|&child| child != next && model.visits(child) > 0)
            .collect();
        by_visits(model, &mut siblings);
        siblings.truncate(MAX_SIBLINGS);
        siblings.push(next);
        siblings.sort_unstable();
        let on_path = siblings
            .iter()
            .position(|&child| child == next)
            .unwrap_or(0);
        let card = if on_path + 1 < siblings.len() {
            CARD_WIDTH - SIBLING_DISTANCE
        } else {
            0.0
        };
        let span = SIBLING_DISTANCE * (siblings.len() - 1) as f64 + card;
        let middle = nodes[above].x;
        let least = SIDE_MARGIN;
        let most = (1.0 - SIDE_MARGIN - span).max(least);
        let left = (middle - span / 2.0).clamp(least, most);
        let parent_index = above;
        for (place, &child) in siblings.iter().enumerate() {
            let is_next = child == next;
            if is_next {
                above = nodes.len();
            }
            nodes.push(StepNode {
                parent: parent_index,
                x: left
                    + SIBLING_DISTANCE * place as f64
                    + if place > on_path { card } else { 0.0 },
                depth: index + 1,
                on_path: is_next.then_some(index + 1),
                ..step_node(model, child, owner)
            });
        }
    }
    nodes
}
