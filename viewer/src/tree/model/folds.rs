//! Nodes of which only a part of the children is shown, and the room for the triangles that stand for the others.

use super::{TreeModel, node_order::NodeOrder};
use crate::tree::layout::{TreeShape, layout};

/// By layer: how many places are free for the triangle beside a node's children; it takes the one in the middle. In deeper
/// layers it stands between two neighbours.
const RESERVED_PLACES: [u32; 3] = [5, 3, 1];
/// Place of a triangle for which no room is reserved: from the last child on the way to its neighbour.
const SHARED_OFFSET: f64 = 0.5;

/// The hidden children of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    /// The node.
    pub node: u32,
    /// Number of moves that are not shown.
    pub moves: u32,
    /// Horizontal position of the triangle in the layer of the children; none if no child is shown.
    pub x: Option<f64>,
    /// Free distance to either side of the triangle, in units of neighbours.
    pub room: f64,
    /// Whether the node was folded by hand.
    pub is_collapsed: bool,
}

/// The position of every node, with room for triangles.
pub(super) fn layout_with_folds(order: &mut NodeOrder) -> Vec<f64> {
    let places_of = |fold: &Fold| {
        let depth = order.layers.partition_point(|&first| first <= fold.node) - 1;
        let places = RESERVED_PLACES.get(depth).copied();
        places.filter(|_| order.children[fold.node as usize] > 0)
    };
    let reserved: Vec<(usize, u32)> = (order.folds.iter().enumerate())
        .filter_map(|(index, fold)| Some((index, places_of(fold)?)))
        .collect();
    let (x, reserved_x) = if reserved.is_empty() {
        (layout(&order.shape()), Vec::new())
    } else {
        let extended: Vec<(u32, u32)> = (reserved.iter())
            .map(|&(index, places)| (order.folds[index].node, places))
            .collect();
        layout_with_extra_children(&order.shape(), &extended)
    };
    for fold in &mut order.folds {
        let node = fold.node as usize;
        let last = (order.first_child[node] + order.children[node]).checked_sub(1);
        fold.x = last
            .filter(|_| order.children[node] > 0)
            .map(|last| x[last as usize] + SHARED_OFFSET);
        fold.room = SHARED_OFFSET;
    }
    for ((index, places), x) in reserved.into_iter().zip(reserved_x) {
        let room = f64::from(places.div_ceil(2));
        (order.folds[index].x, order.folds[index].room) = (Some(x), room);
    }
    x
}

/// The layout of a tree in which the named nodes, in ascending order, have so many more children at their right end: the
/// positions of the nodes, and those of the middle ones of the additional children.
fn layout_with_extra_children(
    shape: &TreeShape<'_>,
    extended: &[(u32, u32)],
) -> (Vec<f64>, Vec<f64>) {
    let count = shape.children.len();
    let extra: u32 = extended.iter().map(|&(_, extra)| extra).sum();
    let total = count + extra as usize;
    let (mut parents, mut first_child) = (vec![0_u32; total], vec![0_u32; total]);
    let mut children = vec![0_u32; total];
    let mut place = vec![0_u32; count];
    let mut extra_places = Vec::with_capacity(extended.len());
    let mut extended = extended.iter().copied().peekable();
    let mut next = 1;
    for node in 0..count {
        let (at, own) = (place[node] as usize, shape.children[node]);
        let extra = extended.next_if(|&(other, _)| other == node as u32);
        let extra = extra.map_or(0, |(_, extra)| extra);
        (first_child[at], children[at]) = (next, own + extra);
        for child in 0..own {
            place[(shape.first_child[node] + child) as usize] = next + child;
        }
        parents[next as usize..(next + own + extra) as usize].fill(at as u32);
        next += own + extra;
        if extra > 0 {
            extra_places.push(next - extra.div_ceil(2));
        }
    }
    let x = layout(&TreeShape {
        parents: &parents,
        first_child: &first_child,
        children: &children,
    });
    let at = |places: Vec<u32>| places.into_iter().map(|place| x[place as usize]).collect();
    (at(place), at(extra_places))
}

impl TreeModel {
    /// The hidden children of a node, if there are any.
    pub fn fold_of(&self, node: usize) -> Option<&Fold> {
        let found = (self.folds).binary_search_by_key(&(node as u32), |fold| fold.node);
        found.ok().map(|index| &self.folds[index])
    }

    /// The folds whose triangles lie in a layer, from left to right.
    pub fn folds_in_layer(&self, depth: usize) -> &[Fold] {
        let Some(above) = depth.checked_sub(1) else {
            return &[];
        };
        let nodes = self.layer(above);
        let at = |node: usize| {
            self.folds
                .partition_point(|fold| (fold.node as usize) < node)
        };
        &self.folds[at(nodes.start)..at(nodes.end)]
    }
}

#[cfg(test)]
mod tests {
    use canopy_engine::tree::{Tree, TreeBuilder, TreeRow};
    use std::sync::Arc;

    use super::*;
    use crate::tree::model::{Filter, ModelSource};

    /// A root with six children of falling visits; the first has five children.
    fn tree() -> Tree {
        let mut builder = TreeBuilder::default();
        let mut push = |move_name: &str, visits: i32, children: u32| {
            let row = TreeRow::new(move_name, visits, 0.0, children);
            builder.push(&row).expect("a sound row");
        };
        push("", 10_000, 6);
        push("a", 6_000, 5);
        for (name, visits) in [("p", 50), ("q", 3000), ("r", 2000), ("s", 15), ("t", 900)] {
            push(name, visits, 0);
        }
        for (name, visits) in [
            ("b", 100),
            ("c", 2_000),
            ("d", 1_500),
            ("e", 19),
            ("f", 300),
        ] {
            push(name, visits, 0);
        }
        builder.finish().expect("a whole tree")
    }

    fn names(model: &TreeModel) -> String {
        let names = (0..model.len()).map(|node| model.tree.move_name(model.row(node)));
        names.collect::<Vec<_>>().join(" ")
    }

    fn shown(filter: &Filter) -> TreeModel {
        TreeModel::filtered(ModelSource::of(tree()), filter)
    }

    fn readable() -> Filter {
        Filter {
            readable: true,
            ..Filter::default()
        }
    }

    #[test]
    fn the_readable_part_is_the_three_best_children_of_some_weight() {
        let model = shown(&readable());
        assert_eq!(names(&model), " a c d q r t");
        let folds: Vec<(u32, u32)> = (model.folds.iter())
            .map(|fold| (fold.node, fold.moves))
            .collect();
        assert_eq!(folds, [(0, 3), (1, 2)]);
        assert_eq!(model.hidden, 5);
    }

    #[test]
    fn the_readable_part_has_the_chosen_move_however_rarely_it_was_visited() {
        let meta = canopy_engine::tree::meta::Meta {
            chosen: Some("e".to_owned()),
            ..Default::default()
        };
        let source = ModelSource {
            meta: Some(Arc::new(meta)),
            ..ModelSource::of(tree())
        };
        let model = TreeModel::filtered(source, &readable());
        assert_eq!(names(&model), " a c e q r t");
    }

    #[test]
    fn an_opened_node_shows_all_its_children_and_one_opened_below_everything() {
        let root = || Arc::new(Vec::new());
        let opened = shown(&Filter {
            opened: vec![root()],
            ..readable()
        });
        assert_eq!(names(&opened), " a c d f b e q r t");
        let below = shown(&Filter {
            opened_below: vec![root()],
            ..readable()
        });
        assert_eq!(below.hidden, 0);
        assert!(below.folds.is_empty());
    }

    #[test]
    fn triangles_have_room_to_the_right_of_the_last_child() {
        let model = shown(&readable());
        for fold in &model.folds {
            let depth = model.depth_of(fold.node as usize) + 1;
            let x = fold.x.expect("some of its children are shown");
            let children = model.children_of(fold.node as usize);
            assert!(model.x[children.end - 1] < x);
            for node in model.layer(depth) {
                assert!((model.x[node] - x).abs() >= fold.room - 1e-9);
            }
            assert!(x <= model.extent.1);
        }
    }
}
