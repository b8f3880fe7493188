//! What lies at a pixel of the canvas.

use super::{FOLD_GAP, FOLD_HALF_WIDTH, MIN_FOLD_ROOM, scales::NODE_RADIUS};
use crate::tree::{
    camera::{Camera, Canvas},
    model::{Fold, TreeModel},
};

/// More nodes than these around the pointer are a crowd.
const MAX_HIT_CANDIDATES: usize = 64;

/// The node at a pixel, if there is one: of those within reach the most visited, or the one after `before` in that order.
pub fn node_at(
    model: &TreeModel,
    camera: &Camera,
    canvas: &Canvas,
    x: f64,
    y: f64,
    before: Option<usize>,
) -> Option<usize> {
    let (_, tree_y) = camera.to_tree(canvas, x, y);
    let depth = tree_y.round();
    if depth < 0.0 || depth >= model.depth() as f64 {
        return None;
    }
    let reach = 9.0 * canvas.scale;
    let mut found: Vec<usize> = Vec::new();
    // Where layers lie close together several are within reach.
    let layers = (reach / camera.layer_spacing).floor().min(64.0);
    let first = (depth - layers).max(0.0) as usize;
    let last = (depth + layers).min((model.depth() - 1) as f64) as usize;
    for layer in first..=last {
        let (_, layer_y) = camera.to_canvas(canvas, 0.0, layer as f64);
        if (layer_y - y).abs() > reach.max(camera.layer_spacing / 2.0).min(3.0 * reach) {
            continue;
        }
        let range = model.layer(layer);
        let xs = &model.x[range.clone()];
        let within = |reach: f64| {
            let (left, _) = camera.to_tree(canvas, x - reach, y);
            let (right, _) = camera.to_tree(canvas, x + reach, y);
            let begin = xs.partition_point(|&at| at < left);
            let end = xs.partition_point(|&at| at <= right);
            range.start + begin..range.start + end
        };
        let mut near = within(reach);
        // In a crowd only nodes that share the pixel are candidates.
        if near.len() > MAX_HIT_CANDIDATES {
            near = Some(within(0.75))
                .filter(|pixel| !pixel.is_empty())
                .unwrap_or(near);
        }
        if near.len() > MAX_HIT_CANDIDATES && before.is_none() {
            found.push(model.most_visited(near));
        } else {
            found.extend(near);
        }
    }
    let distance = |node: usize| {
        let depth = model.depth_of(node);
        let (node_x, node_y) = camera.to_canvas(canvas, model.x[node], depth as f64);
        (node_x - x).hypot(node_y - y)
    };
    // Nodes drawn apart are ranked by distance, nodes that share a pixel by visits.
    let pixel = |node: usize| (distance(node) / 1.5).round() as i64;
    found.sort_by_key(|&node| {
        (
            pixel(node),
            std::cmp::Reverse(model.node(node).visits),
            node,
        )
    });
    let nearest = pixel(*found.first()?);
    let share: Vec<usize> = (found.into_iter())
        .filter(|&node| pixel(node) == nearest)
        .collect();
    let next = before
        .and_then(|before| share.iter().position(|&node| node == before))
        .map_or(0, |at| (at + 1) % share.len());
    share.get(next).copied()
}

/// Whether there is room for the triangle of a fold beside the node's children.
pub fn is_fold_drawn(fold: &Fold, camera: &Camera, canvas: &Canvas) -> bool {
    fold.x.is_some() && fold.room * camera.sibling_spacing >= MIN_FOLD_ROOM * canvas.scale
}

/// The node whose triangle of hidden moves lies at a pixel.
pub fn fold_at(
    model: &TreeModel,
    camera: &Camera,
    canvas: &Canvas,
    selected: Option<usize>,
    (x, y): (f64, f64),
) -> Option<usize> {
    let reach = 10.0 * canvas.scale;
    let depth = camera.to_tree(canvas, x, y).1.round().max(0.0) as usize;
    if depth >= model.depth() {
        return None;
    }
    let distance = |tree_x: f64, below: f64| {
        let (at_x, at_y) = camera.to_canvas(canvas, tree_x, depth as f64);
        ((at_x - x).powi(2) + (at_y + below - y).powi(2)).sqrt()
    };
    let beside = (model.folds_in_layer(depth).iter())
        .filter(|fold| is_fold_drawn(fold, camera, canvas))
        .filter_map(|fold| Some((distance(fold.x?, 0.0), fold.node)));
    // The triangle at a node hangs below it.
    let below = (NODE_RADIUS.1 + FOLD_GAP + FOLD_HALF_WIDTH) * canvas.scale;
    let at_node = (model.folds_in_layer(depth + 1).iter())
        .filter(|fold| fold.x.is_none())
        .filter(|fold| fold.is_collapsed || selected == Some(fold.node as usize))
        .map(|fold| (distance(model.x[fold.node as usize], below), fold.node))
        // The node itself is to be hit, too.
        .filter(|_| y > camera.to_canvas(canvas, 0.0, depth as f64).1 + below / 2.0);
    beside
        .chain(at_node)
        .filter(|&(distance, _)| distance <= reach)
        .min_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, node)| node as usize)
}
