//! The visible part of a tree as shapes, before pixels.
//!
//! A layer is a range of nodes from left to right, and edges do not cross, so the visible edges of a layer are one range,
//! found by bisection. Neighbours whose visible ends fall into the same pixels are merged, in the colour of the most visited
//! of them. The result is a few thousand shapes, however large the tree.

use crate::tree::{
    camera::{Camera, Canvas, TreeBounds},
    labels::{EdgeRow, PlacedLabel},
    model::TreeModel,
    node_value::ValueView,
    value_colour::EdgeColours,
};

pub use hit::{fold_at, is_fold_drawn, node_at};
use scales::{EDGE_WIDTH, HeatScale, SizeScale};

mod hit;
mod scales;

/// The value that colours the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Visits.
    #[default]
    Visits,
    /// The second counter: visits of this search alone.
    SearchVisits,
    /// The value, on a diverging scale.
    Mean,
    /// The proven result, where there is one, at the ends and in the middle of the same scale.
    Proof,
    /// The share of visits in the first of two trees less that in the second.
    Difference,
    /// One of the columns beside the tree, by its index.
    Column(usize),
}

impl Measure {
    /// Whether it counts something.
    fn is_count(self) -> bool {
        matches!(self, Self::Visits | Self::SearchVisits)
    }

    /// The kind of its colour scale.
    pub fn colours(self) -> EdgeColours {
        match self {
            Self::Mean | Self::Proof | Self::Difference => EdgeColours::Diverging,
            _ => EdgeColours::Sequential,
        }
    }
}

/// The mapping of a measure to a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColourScale {
    /// The coloured value.
    pub measure: Measure,
    /// Whether visits are scaled logarithmically.
    pub logarithmic: bool,
    /// Whether each layer has its own range, or the whole tree one.
    pub per_layer: bool,
}

impl Default for ColourScale {
    fn default() -> Self {
        Self {
            measure: Measure::Visits,
            logarithmic: true,
            per_layer: false,
        }
    }
}

/// What the labels of nodes tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabelStyle {
    /// The move and its visits, and its value where there is room.
    #[default]
    Full,
    /// The move and its visits.
    Visits,
    /// The move, and the share of visits of the root's moves.
    Shares,
    /// The move alone.
    Moves,
}

/// Rendering options of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderOptions {
    /// How edges are coloured.
    pub scale: ColourScale,
    /// Whether edge widths and node sizes follow the visits.
    pub size_by_visits: bool,
    /// Whether nodes have labels where there is room.
    pub shows_labels: bool,
    /// Whether the principal variation is drawn.
    pub shows_line: bool,
    /// What labels tell.
    pub label_style: LabelStyle,
    /// Whose values labels tell.
    pub value_view: ValueView,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            scale: ColourScale::default(),
            size_by_visits: true,
            shows_labels: true,
            shows_line: true,
            label_style: LabelStyle::default(),
            value_view: ValueView::default(),
        }
    }
}

/// A line from a parent to a child, or several that fall into one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeLine {
    /// Where it begins, in pixels.
    pub from: (f32, f32),
    /// Where it ends.
    pub to: (f32, f32),
    /// Where on the colour scale, from 0 to 1.
    pub heat: f32,
    /// From 0 to 1.
    pub opacity: f32,
    /// Width in pixels.
    pub width: f32,
}

impl EdgeLine {
    /// Number of distinct edge colours.
    pub const SHADE_COUNT: usize = 32;

    /// Which of the colours it has.
    pub fn shade_index(&self) -> usize {
        (self.heat * (Self::SHADE_COUNT - 1) as f32).round() as usize
    }

    /// Width and opacity in steps that the eye cannot tell apart.
    fn steps(&self) -> (u16, u8) {
        (
            (self.width * 5.0).round() as u16,
            (self.opacity * 32.0).round() as u8,
        )
    }

    /// Whether two lines can be drawn as one path.
    pub fn looks_like(&self, other: &Self) -> bool {
        (self.shade_index(), self.steps()) == (other.shade_index(), other.steps())
    }
}

/// A node that is far enough from its neighbours to be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeDisc {
    /// Which.
    pub node: u32,
    /// Where, in pixels.
    pub at: (f32, f32),
    /// Radius in pixels.
    pub radius: f32,
}

/// Everything that is to be drawn of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The lines, the least visited first.
    pub edges: Vec<EdgeLine>,
    /// The colours of their scale.
    pub colours: EdgeColours,
    /// The nodes.
    pub nodes: Vec<NodeDisc>,
    /// The labels; [`build_scene`] leaves them to a [`Labeller`](crate::tree::labels::Labeller).
    pub labels: Vec<PlacedLabel>,
    /// The principal variation, in pixels.
    pub pv: Vec<(f32, f32)>,
    /// The path from the root to the selected node, in pixels.
    pub selected_path: Vec<(f32, f32)>,
    /// The path of the last iteration, in pixels.
    pub last_path: Vec<(f32, f32)>,
    /// Triangles that stand for hidden moves.
    pub folds: Vec<FoldMarker>,
    /// The edges once more, layer by layer, where layers are far enough apart for labels.
    pub edge_rows: Vec<EdgeRow>,
}

/// A triangle that stands for the hidden moves of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoldMarker {
    /// The node whose moves are hidden.
    pub node: u32,
    /// The upper corner in the middle, in pixels.
    pub at: (f32, f32),
    /// Where its dotted edge begins; none for a triangle at the node itself.
    pub from: Option<(f32, f32)>,
    /// Number of hidden moves.
    pub moves: u32,
}

/// Layers closer than this, in pixels, are drawn in steps.
const MIN_LAYER_SPACING: f64 = 2.0;
/// Layers closer than this, in pixels, have no labels, and so nothing has to know where their edges run.
const MIN_LABELLED_SPACING: f64 = 10.0;
/// Nodes smaller than this, in points, are not drawn.
const MIN_NODE_RADIUS: f64 = 1.4;
/// Radius where sizes do not follow the visits.
const EVEN_NODE_RADIUS: f64 = 4.4;
/// Largest node diameter, as a share of the distance between neighbours.
const MAX_NODE_SHARE: f64 = 0.36;
/// Half the width and height of a fold's triangle, in points.
pub const FOLD_HALF_WIDTH: f64 = 5.0;
/// Least distance of a fold's triangle from its neighbours, in points.
const MIN_FOLD_ROOM: f64 = 9.0;
/// Distance between a node and the triangle at it, in points.
const FOLD_GAP: f64 = 3.0;

/// Builds the shapes of `model` seen through `camera`. Neighbours whose ends are closer than `merge_distance` pixels are merged.
pub fn build_scene(
    model: &TreeModel,
    camera: &Camera,
    canvas: &Canvas,
    options: &RenderOptions,
    selected: Option<usize>,
    merge_distance: f64,
) -> Scene {
    let mut builder = SceneBuilder {
        model,
        view: SceneTransform {
            merge_distance,
            ..SceneTransform::new(camera, canvas)
        },
        options,
        heat: HeatScale::new(model, options.scale),
        size: SizeScale::new(model),
        selected,
        scene: Scene {
            colours: options.scale.measure.colours(),
            ..Scene::default()
        },
    };
    builder.add_layers();
    builder.sort_edges();
    let SceneBuilder {
        view, mut scene, ..
    } = builder;
    let points = |path: &[usize]| -> Vec<(f32, f32)> {
        // From the first that can be seen to the last; a deep tree has more nodes than pixels on its way.
        let first = (-view.origin_y / view.layer_spacing - 1.0).max(0.0) as usize;
        let last = ((canvas.height + canvas.scale * 200.0 - view.origin_y) / view.layer_spacing)
            .max(0.0) as usize;
        let end = path.len().min(last.saturating_add(1));
        let stride = ((0.5 / view.layer_spacing).ceil() as usize).max(1);
        let is_left_out = |last: &usize| *last < first || !(*last - first).is_multiple_of(stride);
        let last = end.checked_sub(1).filter(is_left_out);
        let shown = (first..end).step_by(stride).chain(last);
        shown
            .map(|depth| view.at(model.x[path[depth]], depth))
            .map(|(x, y)| (x as f32, y as f32))
            .collect()
    };
    if options.shows_line {
        scene.pv = points(&model.pv);
    }
    scene.last_path = points(&model.last_path);
    if let Some(node) = selected {
        scene.selected_path = points(&model.path(node));
    }
    scene
}

/// The bounds of a whole tree.
pub fn tree_bounds(model: &TreeModel) -> TreeBounds {
    TreeBounds {
        left: model.extent.0,
        right: model.extent.1,
        top: 0.0,
        bottom: (model.depth() - 1) as f64,
    }
}

/// The bounds of a node's subtree.
pub fn subtree_bounds(model: &TreeModel, node: usize) -> TreeBounds {
    let top = model.depth_of(node);
    let mut range = node..node + 1;
    let mut bounds = TreeBounds {
        left: model.x[node],
        right: model.x[node],
        top: top as f64,
        bottom: top as f64,
    };
    // The subtree's part of every layer is a range too.
    loop {
        // A triangle stands for children that are not shown.
        if !model.folds.is_empty() {
            let folds = range.clone().filter_map(|node| model.fold_of(node)?.x);
            bounds.right = folds.fold(bounds.right, f64::max);
        }
        let inner = range.clone().find(|&node| model.children[node] > 0);
        let last = range.clone().rfind(|&node| model.children[node] > 0);
        let (Some(first), Some(last)) = (inner, last) else {
            return bounds;
        };
        range = model.children_of(first).start..model.children_of(last).end;
        bounds.left = bounds.left.min(model.x[range.start]);
        bounds.right = bounds.right.max(model.x[range.end - 1]);
        bounds.bottom += 1.0;
    }
}

/// The transform from tree to pixels, constant within a frame.
struct SceneTransform {
    width: f64,
    height: f64,
    scale: f64,
    sibling_spacing: f64,
    layer_spacing: f64,
    origin_x: f64,
    origin_y: f64,
    /// Ends closer than this, in pixels, are one.
    merge_distance: f64,
}

impl SceneTransform {
    fn new(camera: &Camera, canvas: &Canvas) -> Self {
        Self {
            width: canvas.width,
            height: canvas.height,
            scale: canvas.scale,
            sibling_spacing: camera.sibling_spacing,
            layer_spacing: camera.layer_spacing,
            origin_x: canvas.width / 2.0 - camera.x * camera.sibling_spacing,
            origin_y: canvas.height / 2.0 - camera.y * camera.layer_spacing,
            merge_distance: 1.0,
        }
    }

    fn x(&self, x: f64) -> f64 {
        self.origin_x + x * self.sibling_spacing
    }

    fn y(&self, depth: usize) -> f64 {
        self.origin_y + depth as f64 * self.layer_spacing
    }

    fn at(&self, x: f64, depth: usize) -> (f64, f64) {
        (self.x(x), self.y(depth))
    }
}

struct SceneBuilder<'a> {
    model: &'a TreeModel,
    view: SceneTransform,
    options: &'a RenderOptions,
    heat: HeatScale,
    size: SizeScale,
    selected: Option<usize>,
    scene: Scene,
}

impl SceneBuilder<'_> {
    fn add_layers(&mut self) {
        let depth = self.model.depth();
        let step = (MIN_LAYER_SPACING / self.view.layer_spacing)
            .ceil()
            .max(1.0) as usize;
        let first =
            ((-self.view.origin_y / self.view.layer_spacing).floor() - 1.0).max(0.0) as usize;
        let last = ((self.view.height - self.view.origin_y) / self.view.layer_spacing).ceil()
            + step as f64;
        let last = last.clamp(0.0, (depth - 1) as f64) as usize;
        let mut layer = (first / step) * step;
        while layer <= last {
            self.add_layer(layer, step.min(layer));
            layer += step;
        }
    }

    /// The edges that end in a layer, from `step` layers above, and its nodes.
    fn add_layer(&mut self, depth: usize, step: usize) {
        let Self { model, view, .. } = self;
        let range = model.layer(depth);
        let above = |node: usize| {
            let mut at = node;
            for _ in 0..step {
                at = model.parents[at] as usize;
            }
            at
        };
        let child_x = |node: usize| view.x(model.x[node]);
        let parent_x = |node: usize| view.x(model.x[above(node)]);
        // Both ends increase to the right together, so the visible edges are one range.
        let begin = range.start
            + partition(range.len(), |index| {
                let node = range.start + index;
                child_x(node).max(parent_x(node)) < -1.0
            });
        let end = range.start
            + partition(range.len(), |index| {
                let node = range.start + index;
                child_x(node).min(parent_x(node)) <= view.width + 1.0
            });
        let is_per_layer = self.heat.scale.per_layer && depth > 0;
        let heat = match is_per_layer {
            true => self.heat.for_layer(model, depth),
            false => self.heat,
        };
        let (top, bottom) = (view.y(depth.saturating_sub(step)), view.y(depth));
        let mut node = begin;
        let mut last_x = f64::NEG_INFINITY;
        let mut discs: Vec<(usize, f64)> = Vec::new();
        let mut lines: Vec<(f32, f32)> = Vec::new();
        while node < end {
            let key = |node: usize| {
                let (child, parent) = ((child_x(node), bottom), (parent_x(node), top));
                (
                    pixel_cell(view, child, parent),
                    pixel_cell(view, parent, child),
                )
            };
            let first = key(node);
            // Far ahead in growing steps, then back by bisection.
            let mut reach = 1;
            while node + reach < end && key(node + reach) == first {
                reach *= 2;
            }
            let from = node + reach / 2;
            let to = (node + reach).min(end);
            let stop = from + partition(to - from, |index| key(from + index) == first);
            let stop = stop.max(node + 1);
            let shown = model.most_visited(node..stop);
            let (x, up) = (child_x(shown), parent_x(shown));
            if depth > 0 {
                let scale = heat;
                let (heat, opacity) = scale.heat_and_opacity(model, shown);
                let width = if scale.scale.measure == Measure::Difference {
                    scale.difference_width(model, shown)
                } else if self.options.size_by_visits {
                    self.size.edge_width(model, shown)
                } else {
                    EDGE_WIDTH.0
                };
                self.scene.edges.push(EdgeLine {
                    from: (up as f32, top as f32),
                    to: (x as f32, bottom as f32),
                    heat,
                    opacity,
                    width: (width * view.scale) as f32,
                });
                lines.push((up as f32, x as f32));
            }
            if x > -20.0 && x < view.width + 20.0 && bottom > -20.0 && bottom < view.height + 20.0 {
                discs.push((shown, x));
            }
            last_x = last_x.max(x);
            node = stop;
        }
        self.add_nodes(&discs, bottom);
        if depth > 0 && step == 1 && self.view.layer_spacing >= MIN_LABELLED_SPACING {
            self.add_folds(depth, &mut lines);
            self.scene.edge_rows.push(EdgeRow {
                top: top as f32,
                bottom: bottom as f32,
                lines,
            });
        }
    }

    /// The triangles in a layer, whose edges join `lines`.
    fn add_folds(&mut self, depth: usize, lines: &mut Vec<(f32, f32)>) {
        let Self { model, view, .. } = self;
        let (top, bottom) = (view.y(depth - 1), view.y(depth));
        let half = FOLD_HALF_WIDTH * view.scale;
        let min_room = MIN_FOLD_ROOM * view.scale;
        let mut is_sorted = true;
        for fold in model.folds_in_layer(depth) {
            let Some(tree_x) = fold.x else { continue };
            let (x, up) = (view.x(tree_x), view.x(model.x[fold.node as usize]));
            let is_seen = x.max(up) > -half && x.min(up) < view.width + half;
            if !is_seen || fold.room * view.sibling_spacing < min_room {
                continue;
            }
            self.scene.folds.push(FoldMarker {
                node: fold.node,
                at: (x as f32, (bottom - half) as f32),
                from: Some((up as f32, top as f32)),
                moves: fold.moves,
            });
            lines.push((up as f32, x as f32));
            is_sorted = false;
        }
        if !is_sorted {
            lines.sort_by(|one, other| (one.1.total_cmp(&other.1)).then(one.0.total_cmp(&other.0)));
        }
    }

    /// The nodes of a layer that have room.
    fn add_nodes(&mut self, discs: &[(usize, f64)], y: f64) {
        let view = &self.view;
        let points = view.scale;
        let roots = discs.len() == 1;
        for (index, &(node, x)) in discs.iter().enumerate() {
            let gap = |other: Option<&(usize, f64)>| {
                other.map_or(f64::INFINITY, |&(_, at)| (at - x).abs())
            };
            let before = index.checked_sub(1).and_then(|index| discs.get(index));
            let room = gap(before)
                .min(gap(discs.get(index + 1)))
                .min(view.layer_spacing);
            let room = if roots {
                room.min(view.layer_spacing)
            } else {
                room
            };
            let size = if self.options.size_by_visits {
                self.size.node_radius(self.model, node)
            } else {
                EVEN_NODE_RADIUS
            };
            let radius = (room * MAX_NODE_SHARE).min(points * size);
            if radius >= MIN_NODE_RADIUS * points {
                self.scene.nodes.push(NodeDisc {
                    node: node as u32,
                    at: (x as f32, y as f32),
                    radius: radius as f32,
                });
                // The way to open a node whose children are all hidden, where somebody looks for it.
                let fold = (self.model.fold_of(node)).filter(|fold| {
                    fold.x.is_none() && (fold.is_collapsed || self.selected == Some(node))
                });
                if let Some(fold) = fold {
                    self.scene.folds.push(FoldMarker {
                        node: node as u32,
                        at: (x as f32, (y + radius + FOLD_GAP * points) as f32),
                        from: None,
                        moves: fold.moves,
                    });
                }
            }
        }
    }

    /// The hottest are drawn last, so that nothing hides them. Those of a shade stay in order, from left to right, which
    /// is how the memory of a picture likes it.
    fn sort_edges(&mut self) {
        match self.scene.colours {
            EdgeColours::Sequential => {
                (self.scene.edges).sort_by_key(|edge| (edge.shade_index(), edge.steps()));
            }
            // Neither end is hotter: the most visited are last.
            EdgeColours::Diverging => {
                (self.scene.edges).sort_by_key(|edge| (edge.steps(), edge.shade_index()));
            }
        }
    }
}

/// Number of the first `count` that fit; all that fit come first.
fn partition(count: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = usize::midpoint(low, high);
        if fits(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// The pixel in which the end of an edge is seen, numbered from left to right: outside the view, where the edge crosses its
/// border, which moves on with the end.
fn pixel_cell(view: &SceneTransform, end: (f64, f64), other: (f64, f64)) -> i64 {
    let cross = |border: f64| {
        let part = ((border - other.0) / (end.0 - other.0)).clamp(0.0, 1.0);
        // From the end's own height towards the other's.
        (1.0 - part) * (end.1 - other.1).abs()
    };
    if end.0 > view.width {
        ((view.width + cross(view.width)) / view.merge_distance + 1.0) as i64
    } else if end.0 < 0.0 {
        -1 - (cross(0.0) / view.merge_distance) as i64
    } else {
        (end.0 / view.merge_distance) as i64
    }
}

/// A counter for people; those of others may be negative.
pub fn format_signed(number: i32) -> String {
    let sign = if number < 0 { "−" } else { "" };
    format!("{sign}{}", format_thousands(number.unsigned_abs().into()))
}

/// A number with its thousands apart.
pub fn format_thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use canopy_engine::tree::{Tree, TreeBuilder, TreeRow};

    use super::*;
    use crate::tree::model::ModelSource;

    /// A tree in which every node of the first layers has `width` children, with visits that differ.
    fn tree(width: u32, depth: u32) -> Tree {
        fn grow(builder: &mut TreeBuilder, width: u32, depth: u32, next: &mut i32) {
            *next = (*next * 7 + 3) % 1009;
            let row = TreeRow {
                move_name: "a",
                state: "",
                visits: *next + 1,
                second: *next + 1,
                mean: 0.5,
                children: if depth > 0 { width } else { 0 },
            };
            builder.push(&row).expect("a sound row");
            for _ in 0..row.children {
                grow(builder, width, depth - 1, next);
            }
        }
        let mut builder = TreeBuilder::default();
        grow(&mut builder, width, depth, &mut 1);
        builder.finish().expect("a whole tree")
    }

    const CANVAS: Canvas = Canvas {
        width: 1600.0,
        height: 1000.0,
        scale: 1.0,
    };

    fn model(width: u32, depth: u32) -> TreeModel {
        TreeModel::new(ModelSource::of(tree(width, depth)))
    }

    #[test]
    fn a_small_tree_is_drawn_whole_and_every_node_can_be_hit() {
        let model = model(3, 3);
        let camera = Camera::fit(&tree_bounds(&model), &CANVAS);
        let scene = build_scene(
            &model,
            &camera,
            &CANVAS,
            &RenderOptions::default(),
            Some(5),
            1.0,
        );
        assert_eq!(scene.edges.len(), model.len() - 1);
        assert_eq!(scene.nodes.len(), model.len());
        assert_eq!(scene.edge_rows.len(), model.depth() - 1);
        assert_eq!(scene.selected_path.len(), model.depth_of(5) + 1);
        for disc in &scene.nodes {
            let (x, y) = (f64::from(disc.at.0), f64::from(disc.at.1));
            assert_eq!(
                node_at(&model, &camera, &CANVAS, x, y, None),
                Some(disc.node as usize)
            );
        }
        assert_eq!(node_at(&model, &camera, &CANVAS, 5.0, 995.0, None), None);
    }

    #[test]
    fn a_large_tree_is_drawn_with_few_lines_at_every_zoom() {
        let model = model(10, 5);
        assert_eq!(model.len(), 111_111);
        let fitting = Camera::fit(&tree_bounds(&model), &CANVAS);
        for step in 0..20 {
            let mut camera = fitting;
            camera.zoom_at(&CANVAS, 1.8_f64.powi(step), 500.0, 900.0);
            let scene = build_scene(
                &model,
                &camera,
                &CANVAS,
                &RenderOptions::default(),
                None,
                1.0,
            );
            assert!(
                !scene.edges.is_empty() && scene.edges.len() < 20_000,
                "{step}: {}",
                scene.edges.len()
            );
            assert!(scene.edges.is_sorted_by_key(EdgeLine::shade_index));
        }
    }

    /// Where several nodes share a pixel the most visited is hit, and clicking again goes through the others.
    #[test]
    fn nodes_that_share_a_pixel_are_hit_in_turn() {
        let model = model(40, 2);
        let mut camera = Camera::fit(&tree_bounds(&model), &CANVAS);
        camera.zoom_at(&CANVAS, 0.13, 800.0, 500.0);
        let depth = 2.0;
        let (x, y) = camera.to_canvas(&CANVAS, model.x[model.layer(2).start + 700], depth);
        let first = node_at(&model, &camera, &CANVAS, x, y, None).expect("a node");
        let second = node_at(&model, &camera, &CANVAS, x, y, Some(first)).expect("another");
        assert_ne!(first, second);
        assert!(model.node(first).visits >= model.node(second).visits);
    }

    #[test]
    fn a_subtree_lies_within_its_bounds() {
        let model = model(4, 3);
        let all = subtree_bounds(&model, 0);
        assert_eq!(all, tree_bounds(&model));
        let child = subtree_bounds(&model, 2);
        assert!(
            child.left >= all.left
                && child.right <= all.right
                && child.top == 1.0
                && child.bottom == 3.0
        );
        assert_eq!(format_thousands(1_234_567), "1,234,567");
        assert_eq!(format_thousands(12), "12");
    }
}
