//! Tree layout: against d3, against a reference implementation, by invariants, and at sizes that expose quadratic time.

use std::collections::HashMap;

use canopy_viewer::tree::layout::{TreeShape, layout};
use proptest::prelude::*;

#[path = "layout/d3.rs"]
mod d3;
#[path = "layout/large.rs"]
mod large;

/// A tree with nodes in breadth-first order.
#[derive(Clone, Debug, Default, PartialEq)]
struct LayoutTree {
    parents: Vec<u32>,
    first_child: Vec<u32>,
    children: Vec<u32>,
}

impl LayoutTree {
    /// Builds a tree from parent indices, each smaller than its children's; siblings keep their order. The root's parent is 0.
    fn new(parents: &[u32]) -> Self {
        let mut first = vec![0; parents.len() + 1];
        for &parent in &parents[1..] {
            first[parent as usize + 1] += 1;
        }
        for index in 0..parents.len() {
            first[index + 1] += first[index];
        }
        let mut next = first.clone();
        let mut below = vec![0; parents.len() - 1];
        for (node, &parent) in parents.iter().enumerate().skip(1) {
            below[next[parent as usize]] = node;
            next[parent as usize] += 1;
        }
        let mut order = vec![0];
        // Anything may stand where there is no first child.
        let mut tree = Self {
            parents: vec![u32::MAX],
            first_child: vec![u32::MAX; parents.len()],
            children: vec![0; parents.len()],
        };
        for node in 0..parents.len() {
            let old = order[node];
            let children = &below[first[old]..first[old + 1]];
            tree.children[node] = children.len() as u32;
            if !children.is_empty() {
                tree.first_child[node] = order.len() as u32;
            }
            order.extend_from_slice(children);
            tree.parents
                .extend(std::iter::repeat_n(node as u32, children.len()));
        }
        tree
    }

    fn len(&self) -> usize {
        self.parents.len()
    }

    fn layout(&self) -> Vec<f64> {
        layout(&TreeShape {
            parents: &self.parents,
            first_child: &self.first_child,
            children: &self.children,
        })
    }

    fn children(&self, node: usize) -> std::ops::Range<usize> {
        let count = self.children[node] as usize;
        let first = if count == 0 {
            0
        } else {
            self.first_child[node] as usize
        };
        first..first + count
    }

    /// Index of the first node of each layer, then the number of nodes.
    fn layers(&self) -> Vec<usize> {
        let mut starts = vec![0, 1];
        while starts[starts.len() - 1] < self.len() {
            let [.., start, end] = starts[..] else {
                unreachable!("there are two")
            };
            let below: u32 = self.children[start..end].iter().sum();
            starts.push(end + below as usize);
        }
        starts
    }

    /// The mirror image of the tree.
    fn mirrored(&self) -> Self {
        let mut order = vec![0];
        let mut tree = Self {
            parents: vec![0],
            ..Self::default()
        };
        for node in 0..self.len() {
            let children = self.children(order[node]);
            tree.first_child.push(order.len() as u32);
            tree.children.push(children.len() as u32);
            tree.parents
                .extend(std::iter::repeat_n(node as u32, children.len()));
            order.extend(children.rev());
        }
        tree
    }
}

/// 32-bit xorshift (Marsaglia 2003).
struct XorShift32(u32);

impl XorShift32 {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % bound
    }
}

/// A generated tree of a kind; data/layout/make.mjs generates the same ones.
fn generate_tree(kind: &str, size: usize, seed: u32) -> LayoutTree {
    let mut draw = XorShift32(seed);
    let mut parents: Vec<usize> = vec![0];
    match kind {
        // Walks down from the root, far more often to the left, and adds a node where there is room for another child.
        "uct" => {
            let mut room = vec![35];
            let mut children = vec![vec![]];
            while parents.len() < size {
                let mut node = 0;
                while children[node].len() == room[node] {
                    let mut choice = room[node];
                    for _ in 0..6 {
                        choice = choice.min(draw.below(room[node]));
                    }
                    node = children[node][choice];
                }
                children[node].push(parents.len());
                parents.push(node);
                room.push(7 + draw.below(29));
                children.push(vec![]);
            }
        }
        // Every earlier node is as likely to be the parent.
        "recursive" => parents.extend((1..size).map(|node| draw.below(node))),
        // Few parents with many children each.
        "wide" => parents.extend((1..size).map(|node| draw.below(node.min(60)))),
        // The parent is one of the last few nodes.
        "deep" => parents.extend((1..size).map(|node| node - 1 - draw.below(node.min(6)))),
        // One long path with leaves on both sides of it.
        "caterpillar" => {
            let (mut before, mut now) = (0, 0);
            for node in 1..size {
                let choice = draw.below(4);
                parents.push(if choice == 0 { before } else { now });
                if choice == 3 {
                    (before, now) = (now, node);
                }
            }
        }
        // Paths of many lengths side by side, each with a tuft of leaves at its end.
        "brooms" => {
            while parents.len() < size {
                let mut node = draw.below(parents.len().min(3));
                let longest = draw.below(40);
                for _ in 0..draw.below(1 + longest) {
                    parents.push(node);
                    node = parents.len() - 1;
                }
                let most = draw.below(25);
                for _ in 0..draw.below(1 + most) {
                    parents.push(node);
                }
            }
            parents.truncate(size);
        }
        "star" => parents.resize(size, 0),
        "chain" => parents.extend(0..size - 1),
        _ => panic!("no tree is called {kind}"),
    }
    let parents: Vec<u32> = parents.into_iter().map(|parent| parent as u32).collect();
    LayoutTree::new(&parents)
}

#[track_caller]
fn assert_close(ours: &[f64], theirs: &[f64], tolerance: f64) {
    assert_eq!(ours.len(), theirs.len());
    for (node, (x, expected)) in ours.iter().zip(theirs).enumerate() {
        assert!(
            (x - expected).abs() <= tolerance,
            "node {node} is at {x}, not at {expected}"
        );
    }
}

/// Contour of a subtree: smallest and largest x in each layer, relative to the root.
type Outline = Vec<(f64, f64)>;

/// Reference layout by definition, without threaded contours and deferred shifts: every subtree keeps its whole contour, and is
/// compared with each left sibling in each layer.
fn reference_layout(tree: &LayoutTree) -> Vec<f64> {
    let mut x = vec![0.0; tree.len()];
    let mut outlines: Vec<Outline> = vec![vec![]; tree.len()];
    for node in (0..tree.len()).rev() {
        let children: Vec<usize> = tree.children(node).collect();
        let drawn: Vec<&Outline> = children.iter().map(|&child| &outlines[child]).collect();
        let mut places: Vec<f64> = vec![];
        let mut extra = vec![0.0; children.len()];
        for right in 0..children.len() {
            let mut place = places.last().map_or(0.0, |before| before + 1.0);
            for depth in 1..drawn[right].len() {
                // Who is seen from the right in this layer.
                let Some(left) = (0..right).rfind(|&left| drawn[left].len() > depth) else {
                    break;
                };
                let missing =
                    places[left] + drawn[left][depth].1 + 1.0 - place - drawn[right][depth].0;
                if missing > 0.0 {
                    place += missing;
                    let share = missing / (right - left) as f64;
                    for (steps, between) in (left + 1..right).enumerate() {
                        extra[between] += share * (steps + 1) as f64;
                    }
                }
            }
            places.push(place);
        }
        let middle = places.last().map_or(0.0, |last| last / 2.0);
        let mut outline: Outline = vec![(0.0, 0.0)];
        for (index, &child) in children.iter().enumerate() {
            x[child] = places[index] + extra[index] - middle;
            for (depth, &(left, right)) in outlines[child].iter().enumerate() {
                let (left, right) = (left + x[child], right + x[child]);
                match outline.get_mut(depth + 1) {
                    Some(layer) => *layer = (layer.0.min(left), layer.1.max(right)),
                    None => outline.push((left, right)),
                }
            }
        }
        outlines[node] = outline;
    }
    for node in 1..tree.len() {
        x[node] += x[tree.parents[node] as usize];
    }
    x
}

/// Asserts that neighbours in a layer are ordered and separated, and that parents are centred over their children.
#[track_caller]
fn assert_tidy(tree: &LayoutTree, x: &[f64], tolerance: f64) {
    assert_eq!(x[0], 0.0);
    for layer in tree.layers().windows(2) {
        for pair in x[layer[0]..layer[1]].windows(2) {
            assert!(pair[1] - pair[0] >= 1.0 - tolerance, "{pair:?}");
        }
    }
    for (node, place) in x.iter().enumerate() {
        let children = &x[tree.children(node)];
        if let (Some(first), Some(last)) = (children.first(), children.last()) {
            assert!(
                ((first + last) / 2.0 - place).abs() <= tolerance,
                "{place} over {first} and {last}"
            );
        }
    }
}

/// Asserts that equal subtrees are drawn alike, relative to their roots.
#[track_caller]
fn assert_equal_subtrees_alike(tree: &LayoutTree, x: &[f64]) {
    // Subtrees are equal if their children are, and so equal subtrees have one number.
    let mut numbers: HashMap<Vec<usize>, usize> = HashMap::new();
    let mut number = vec![0; tree.len()];
    let mut drawn: HashMap<usize, Vec<f64>> = HashMap::new();
    for node in (0..tree.len()).rev() {
        let children = tree.children(node);
        let key: Vec<usize> = number[children.clone()].to_vec();
        let fresh = numbers.len();
        number[node] = *numbers.entry(key).or_insert(fresh);
        // If the children are alike, and at the same places, so is all that is below them.
        let places: Vec<f64> = x[children].iter().map(|child| child - x[node]).collect();
        let known = drawn.entry(number[node]).or_insert(places.clone());
        for (one, other) in places.iter().zip(known) {
            assert!((one - *other).abs() < 1e-9, "{one} and {other}");
        }
    }
}

fn width(x: &[f64]) -> f64 {
    let left = x.iter().copied().fold(0.0, f64::min);
    x.iter().copied().fold(0.0, f64::max) - left
}

/// Random trees of all shapes: a node's parent is among the last, the first, or any of the nodes before it.
fn arbitrary_trees(most: usize) -> impl Strategy<Value = LayoutTree> {
    let step = (any::<u16>(), 0..4u8);
    (prop::collection::vec(step, 0..most), 1..40usize).prop_map(|(steps, reach)| {
        let mut parents = vec![0];
        for (draw, way) in steps {
            let nodes = parents.len();
            let near = draw as usize % nodes.min(reach);
            parents.push(match way {
                0 => draw as usize % nodes,
                1 => near,
                2 => nodes - 1 - near,
                _ => nodes - 1,
            } as u32);
        }
        LayoutTree::new(&parents)
    })
}

/// Siblings of varied heights, each a path that ends in several leaves: the case in which siblings between them are spread.
fn arbitrary_tufts() -> impl Strategy<Value = LayoutTree> {
    prop::collection::vec((0..4usize, 0..8usize, 0..8usize), 0..20).prop_map(|tufts| {
        let mut parents = vec![0];
        for (at, length, leaves) in tufts {
            let mut node = at % parents.len();
            for _ in 0..length {
                parents.push(node as u32);
                node = parents.len() - 1;
            }
            parents.extend(std::iter::repeat_n(node as u32, leaves));
        }
        LayoutTree::new(&parents)
    })
}

fn check_layout(tree: &LayoutTree) {
    let x = tree.layout();
    assert_tidy(tree, &x, 1e-9);
    assert_equal_subtrees_alike(tree, &x);
    assert_close(&x, &reference_layout(tree), 1e-9);
    let mirrored = tree.mirrored();
    assert_eq!(mirrored.mirrored().children, tree.children);
    let mut reflected = mirrored.layout();
    for layer in tree.layers().windows(2) {
        reflected[layer[0]..layer[1]].reverse();
    }
    reflected.iter_mut().for_each(|x| *x = -*x);
    assert_close(&x, &reflected, 1e-9);
    // A column for every leaf is a drawing that keeps all this too.
    let leaves = tree.children.iter().filter(|&&count| count == 0).count();
    assert!(
        width(&x) <= (leaves - 1) as f64 + 1e-9,
        "{} for {leaves} leaves",
        width(&x)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn drawings_of_random_trees_are_tidy(tree in arbitrary_trees(400)) {
        check_layout(&tree);
    }

    #[test]
    fn drawings_of_siblings_that_spread_out_are_tidy(tree in arbitrary_tufts()) {
        check_layout(&tree);
    }

    #[test]
    fn a_subtree_is_drawn_the_same_wherever_it_is(one in arbitrary_trees(60), around in arbitrary_trees(60), at in any::<[u16; 2]>()) {
        let mut parents = around.parents.clone();
        parents[0] = 0;
        for place in at {
            let start = parents.len() as u32;
            parents.push(u32::from(place) % around.len() as u32);
            parents.extend(one.parents[1..].iter().map(|parent| parent + start));
        }
        let tree = LayoutTree::new(&parents);
        assert_equal_subtrees_alike(&tree, &tree.layout());
    }
}

#[test]
fn the_made_trees_are_drawn_tidily() {
    for (seed, kind) in ["uct", "recursive", "wide", "deep", "caterpillar", "brooms"]
        .into_iter()
        .enumerate()
    {
        let tree = generate_tree(kind, 3000, seed as u32 + 10);
        check_layout(&tree);
    }
}

#[test]
fn small_drawings_are_as_one_would_make_them() {
    assert_eq!(
        layout(&TreeShape {
            parents: &[],
            first_child: &[],
            children: &[]
        }),
        [0.0; 0]
    );
    assert_eq!(LayoutTree::new(&[0]).layout(), [0.0]);
    assert_eq!(
        LayoutTree::new(&[0, 0, 0, 0]).layout(),
        [0.0, -1.0, 0.0, 1.0]
    );
    // Two subtrees of three leaves push the leaf between them to the middle.
    assert_eq!(
        LayoutTree::new(&[0, 0, 0, 0, 1, 1, 1, 3, 3, 3]).layout(),
        [0.0, -1.5, 0.0, 1.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5]
    );
    // A leaf stands beside a subtree, not outside of it.
    assert_eq!(
        LayoutTree::new(&[0, 0, 0, 1, 1, 1]).layout(),
        [0.0, -0.5, 0.5, -1.5, -0.5, 0.5]
    );
}
