//! The visible part of a tree as shapes, before pixels.
//!
//! A layer is a range of nodes from left to right, and edges do not cross, so the visible edges of a layer are one range,
//! found by bisection. Neighbours whose visible ends fall into the same pixels are merged, in the colour of the most visited
//! of them. The result is a few thousand shapes, however large the tree.

use canopy_engine::games::notation::escape_invisible;

use crate::tree::{
    camera::{Camera, Canvas, TreeBounds},
    model::TreeModel,
    node_value::{NodeValues, ValueView},
    title::middle_ellipsis,
    value_colour::{self, EdgeColours, ValueSpread},
};

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
            Self::Mean => EdgeColours::Diverging,
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

/// Rendering options of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderOptions {
    /// How edges are coloured.
    pub scale: ColourScale,
    /// Whether edge widths and node sizes follow the visits.
    pub size_by_visits: bool,
    /// Whether nodes have labels where there is room.
    pub shows_labels: bool,
    /// Whose values labels tell.
    pub value_view: ValueView,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            scale: ColourScale::default(),
            size_by_visits: true,
            shows_labels: true,
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
            (self.width * 8.0).round() as u16,
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

/// A text beside a node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeLabel {
    /// The node.
    pub node: u32,
    /// Where it begins, in pixels: left, and the middle of its height.
    pub at: (f32, f32),
    /// Its text.
    pub text: String,
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
    /// The labels.
    pub labels: Vec<NodeLabel>,
    /// The principal variation, in pixels.
    pub pv: Vec<(f32, f32)>,
    /// The way to the selected node, in pixels.
    pub selected_path: Vec<(f32, f32)>,
    /// The way of the last iteration, in pixels.
    pub last_path: Vec<(f32, f32)>,
    /// Markers of hidden descendants.
    pub hidden_markers: Vec<HiddenMarker>,
}

/// Marks a node with hidden descendants.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenMarker {
    /// The upper corner in the middle, in pixels.
    pub at: (f32, f32),
    /// The number of hidden nodes, where there is room for it.
    pub text: Option<String>,
}

/// More nodes than these around the pointer are a crowd.
const MAX_HIT_CANDIDATES: usize = 64;
/// Layers closer than this, in pixels, are drawn in steps.
const MIN_LAYER_SPACING: f64 = 2.0;
/// Nodes smaller than this, in points, are not drawn.
const MIN_NODE_RADIUS: f64 = 1.4;
const MAX_NODE_RADIUS: f64 = 7.0;
/// Largest node diameter, as a share of the distance between neighbours.
const MAX_NODE_SHARE: f64 = 0.36;
/// Size of a label's type in points, and the assumed width of a letter.
pub const LABEL_SIZE: f64 = 11.0;
const CHAR_WIDTH: f64 = 6.2;
/// Half the width of a marker, in points.
pub const HIDDEN_MARKER_HALF_WIDTH: f64 = 5.0;

/// Builds the shapes of `model` seen through `camera`. Neighbours whose ends are closer than `grain` pixels are merged.
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
        size_heat: HeatScale::new(
            model,
            ColourScale {
                measure: Measure::Visits,
                ..options.scale
            },
        ),
        values: NodeValues::new(model, options.value_view),
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
    scene.pv = points(&model.pv);
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

/// The range of a column that is not there.
const NO_RANGE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// From figures to colours.
#[derive(Clone, Copy)]
struct HeatScale {
    scale: ColourScale,
    /// The ends of the range, on the colour scale.
    least: f64,
    most: f64,
}

impl HeatScale {
    /// For the whole tree.
    fn new(model: &TreeModel, scale: ColourScale) -> Self {
        Self::from_range(
            scale,
            match scale.measure {
                Measure::Visits => to_f64_range(model.visit_range),
                Measure::SearchVisits => to_f64_range(model.second_range),
                Measure::Mean => value_range(model.value_spread),
                Measure::Column(index) => {
                    (model.column_range(index)).map_or(NO_RANGE, |range| range.whole)
                }
            },
        )
    }

    /// The same for one layer.
    fn for_layer(&self, model: &TreeModel, depth: usize) -> Self {
        let ranges = &model.layer_ranges[depth];
        Self::from_range(
            self.scale,
            match self.scale.measure {
                Measure::Visits => to_f64_range(ranges.visits),
                Measure::SearchVisits => to_f64_range(ranges.second),
                Measure::Mean => value_range(ranges.value_spread),
                Measure::Column(index) => {
                    (model.column_range(index)).map_or(NO_RANGE, |range| range.layers[depth])
                }
            },
        )
    }

    fn from_range(scale: ColourScale, (least, most): (f64, f64)) -> Self {
        let flat = Self { scale, least, most };
        Self {
            least: flat.transform(least),
            most: flat.transform(most),
            ..flat
        }
    }

    fn transform(&self, value: f64) -> f64 {
        if self.scale.logarithmic && self.scale.measure.is_count() {
            (value.max(0.0) + 1.0).ln()
        } else {
            value
        }
    }

    fn heat_of(&self, model: &TreeModel, node: usize) -> f32 {
        let value = measured_value(model, node, self.scale.measure);
        if self.scale.measure == Measure::Mean {
            return value_colour::heat(value, (self.most - self.least) / 2.0);
        }
        // Where all are alike, all are the most.
        if self.most == self.least && value.is_finite() {
            return 1.0;
        }
        let part = (self.transform(value) - self.least) / (self.most - self.least);
        if part.is_finite() {
            part.clamp(0.0, 1.0) as f32
        } else {
            0.0
        }
    }
}

/// The ends of the scale of values, for the first player.
fn value_range(spread: ValueSpread) -> (f64, f64) {
    let half = spread.half_width();
    (0.5 - half, 0.5 + half)
}

fn to_f64_range((least, most): (i32, i32)) -> (f64, f64) {
    (f64::from(least), f64::from(most))
}

fn measured_value(model: &TreeModel, node: usize, measure: Measure) -> f64 {
    match measure {
        Measure::Visits => f64::from(model.visits(node)),
        Measure::SearchVisits => f64::from(model.node(node).second),
        Measure::Mean => value_colour::first_share(model, node),
        Measure::Column(index) => {
            (model.columns().get(index)).map_or(f64::NAN, |column| column.value(model.row(node)))
        }
    }
}

struct SceneBuilder<'a> {
    model: &'a TreeModel,
    view: SceneTransform,
    options: &'a RenderOptions,
    heat: HeatScale,
    /// Visits over the whole tree, for widths and sizes.
    size_heat: HeatScale,
    values: NodeValues<'a>,
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
        let [heat, size_heat] = [self.heat, self.size_heat].map(|heat| match is_per_layer {
            true => heat.for_layer(model, depth),
            false => heat,
        });
        let is_classical = model.is_classical();
        let (top, bottom) = (view.y(depth.saturating_sub(step)), view.y(depth));
        let mut node = begin;
        let mut last_x = f64::NEG_INFINITY;
        let mut discs: Vec<(usize, f64)> = Vec::new();
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
                let heat = heat.heat_of(model, shown);
                let width = if self.options.size_by_visits {
                    0.6 + 1.6 * size_heat.heat_of(model, shown)
                } else {
                    1.0
                };
                let colours = self.scene.colours;
                self.scene.edges.push(EdgeLine {
                    from: (up as f32, top as f32),
                    to: (x as f32, bottom as f32),
                    heat,
                    opacity: colours.opacity(heat, model.visits(shown), is_classical),
                    width: width * view.scale as f32,
                });
            }
            if x > -20.0 && x < view.width + 20.0 && bottom > -20.0 && bottom < view.height + 20.0 {
                discs.push((shown, x));
            }
            last_x = last_x.max(x);
            node = stop;
        }
        self.add_nodes(&discs, bottom);
    }

    /// The nodes of a layer that have room, with their labels.
    fn add_nodes(&mut self, discs: &[(usize, f64)], y: f64) {
        let view = &self.view;
        let points = view.scale;
        let begin = self.scene.nodes.len();
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
                0.45 + 0.55 * f64::from(self.size_heat.heat_of(self.model, node))
            } else {
                0.8
            };
            let radius = (room * MAX_NODE_SHARE).min(MAX_NODE_RADIUS * points * size);
            if radius >= MIN_NODE_RADIUS * points {
                self.scene.nodes.push(NodeDisc {
                    node: node as u32,
                    at: (x as f32, y as f32),
                    radius: radius as f32,
                });
                let hidden = self.model.hidden_below(node);
                if hidden > 0 {
                    let text = format!("+{}", format_thousands(hidden.into()));
                    let width = text.chars().count() as f64 * CHAR_WIDTH * points;
                    let fits = self.options.shows_labels && room > width;
                    self.scene.hidden_markers.push(HiddenMarker {
                        at: (x as f32, (y + radius + 2.0 * points) as f32),
                        text: fits.then_some(text),
                    });
                }
            }
        }
        if !self.options.shows_labels || view.layer_spacing < 3.0 * LABEL_SIZE * points {
            return;
        }
        // The most visited get their labels first, as long as none overlaps another.
        let mut wanted: Vec<usize> = (begin..self.scene.nodes.len()).collect();
        wanted.sort_by_key(|&index| {
            std::cmp::Reverse(self.model.visits(self.scene.nodes[index].node as usize))
        });
        let mut taken: Vec<(f32, f32)> = (self.scene.nodes[begin..].iter())
            .map(|disc| (disc.at.0 - disc.radius, disc.at.0 + disc.radius))
            .collect();
        for index in wanted.into_iter().take(400) {
            let disc = self.scene.nodes[index];
            let node = disc.node as usize;
            let name = shorten(&self.model.reading(node));
            let figures = self.model.node(node);
            let visits = format_thousands(u64::from(figures.visits.unsigned_abs()));
            let text = match (
                name.is_empty(),
                view.sibling_spacing > 110.0 * points && figures.visits > 0,
            ) {
                (true, _) => visits,
                (_, false) => format!("{name} {visits}"),
                (_, true) => format!("{name} {visits} · {}", self.values.label(node)),
            };
            let width = (text.chars().count() as f64 * CHAR_WIDTH * points) as f32;
            let gap = disc.radius + 4.0 * points as f32;
            // On the right, or where the canvas ends on the left.
            let is_free = |left: f32| {
                let right = left + width;
                right < view.width as f32
                    && left > 0.0
                    && (taken.iter().enumerate()).all(|(other, &(from, to))| {
                        other == index - begin || right < from || left > to
                    })
            };
            let sides = [disc.at.0 + gap, disc.at.0 - gap - width];
            if let Some(&left) = sides.iter().find(|&&left| is_free(left)) {
                taken.push((left, left + width));
                self.scene.labels.push(NodeLabel {
                    node: disc.node,
                    at: (left, disc.at.1),
                    text,
                });
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

/// A name that is not too long for a label.
fn shorten(name: &str) -> String {
    const MAX_CHARS: usize = 24;
    escape_invisible(&middle_ellipsis(name, MAX_CHARS)).into_owned()
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
        assert!(!scene.labels.is_empty());
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
