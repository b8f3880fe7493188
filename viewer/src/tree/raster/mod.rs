//! From a scene to pixels.

use std::sync::{Mutex, PoisonError};

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, PixmapMut, Stroke, StrokeDash,
    Transform,
};

use crate::{
    draw::theme::{Theme, mix},
    tree::{
        camera::Canvas,
        model::TreeModel,
        scene::{EdgeLine, FOLD_HALF_WIDTH, FoldMarker, NodeDisc, Scene},
    },
};

mod label_text;
mod lines;
mod node_sprites;

use label_text::LabelRenderer;
pub use label_text::label_colours;
pub use lines::LineCanvas;
use node_sprites::NodeSprites;

/// Rendering quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderQuality {
    /// For transient frames.
    Draft,
    /// For pictures that stay.
    Fine,
}

/// Minimum number of edges for drawing on several threads, and maximum number of threads.
const MIN_EDGES_FOR_THREADS: usize = 1000;
const MAX_THREADS: usize = 4;
/// More edges than these are drawn as thin lines even in pictures that stay.
const MAX_STROKED_EDGES: usize = 40_000;

/// Distance of the ring around a shared node from its disc, in points.
pub const SHARED_RING_GAP: f32 = 2.0;
/// Lengths of the dashes and gaps of the last iteration's path, in points.
pub const LAST_PATH_DASH: [f32; 2] = [9.0, 4.0];
/// The same of the edges of folds.
pub const FOLD_DOTS: [f32; 2] = [1.5, 3.0];

/// Draws scenes.
#[derive(Default)]
pub struct TreeRenderer {
    label_renderer: LabelRenderer,
    node_sprites: NodeSprites,
}

impl TreeRenderer {
    /// Draws a scene over the whole picture.
    pub fn paint(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        model: &TreeModel,
        scene: &Scene,
        canvas: &Canvas,
        theme: &Theme,
        quality: RenderQuality,
    ) {
        pixmap
            .pixels_mut()
            .fill(crate::draw::pixel::opaque(theme.canvas));
        let scale = canvas.scale as f32;
        if quality == RenderQuality::Fine && scene.edges.len() <= MAX_STROKED_EDGES {
            draw_strokes(pixmap, scene, theme);
        } else {
            draw_thin_lines(pixmap, scene, theme, scale);
        }
        for fold in &scene.folds {
            draw_fold(pixmap, fold, theme, scale);
        }
        // Where the way to the selected node is the principal variation, that one is seen.
        draw_polyline(pixmap, &scene.selected_path, theme.warm, 1.6 * scale, None);
        draw_polyline(pixmap, &scene.pv, theme.cool, pv_width(model) * scale, None);
        let dash = LAST_PATH_DASH.map(|length| length * scale);
        draw_polyline(
            pixmap,
            &scene.last_path,
            theme.good,
            2.4 * scale,
            Some(dash),
        );
        match quality {
            RenderQuality::Fine => {
                for disc in &scene.nodes {
                    draw_disc(pixmap, model, disc, theme, scale);
                }
            }
            RenderQuality::Draft => {
                self.node_sprites
                    .paint(pixmap, model, &scene.nodes, theme, scale)
            }
        }
        if model.has_shared_nodes() {
            for disc in &scene.nodes {
                if model.is_shared(model.row(disc.node as usize)) {
                    let radius = disc.radius + SHARED_RING_GAP * scale;
                    draw_ring(pixmap, disc.at, radius, theme.dim, scale);
                }
            }
        }
        for disc in &scene.nodes {
            draw_lacking_ring(pixmap, model, disc, theme, scale);
        }
        if let Some(&at) = scene.selected_path.last() {
            let radius = (scene.nodes.iter())
                .find(|disc| (disc.at.0 - at.0).abs() < 0.5 && (disc.at.1 - at.1).abs() < 0.5)
                .map_or(3.0 * scale, |disc| disc.radius);
            draw_ring(pixmap, at, radius + 3.5 * scale, theme.warm, 2.2 * scale);
        }
        for label in &scene.labels {
            self.label_renderer.draw(pixmap, label, theme, scale);
        }
    }
}

/// A small triangle that stands for hidden moves, on a dotted edge.
fn draw_fold(pixmap: &mut PixmapMut<'_>, fold: &FoldMarker, theme: &Theme, scale: f32) {
    let (x, y) = fold.at;
    let half = FOLD_HALF_WIDTH as f32 * scale;
    if let Some(from) = fold.from {
        let dots = FOLD_DOTS.map(|length| length * scale);
        draw_polyline(
            pixmap,
            &[from, (x, y + half)],
            fold_edge(theme),
            scale,
            Some(dots),
        );
    }
    let mut path = PathBuilder::new();
    path.move_to(x, y);
    path.line_to(x + half, y + 1.8 * half);
    path.line_to(x - half, y + 1.8 * half);
    path.close();
    if let Some(path) = path.finish() {
        let paint = paint_of(theme.dim);
        pixmap.fill_path(
            &path,
            &paint,
            FillRule::Winding,
            Transform::identity(),
            None,
        );
    }
}

/// Width of the principal variation in points. Over the wide edges of a comparison it is thin, so that both are seen.
fn pv_width(model: &TreeModel) -> f32 {
    match model.comparison {
        Some(_) => 1.6,
        None => 2.4,
    }
}

/// The ring around a node that the other one of two trees lacks, in the colour of its tree.
fn draw_lacking_ring(
    pixmap: &mut PixmapMut<'_>,
    model: &TreeModel,
    disc: &NodeDisc,
    theme: &Theme,
    scale: f32,
) {
    let Some(told) = &model.comparison else {
        return;
    };
    if told.only_here.get(disc.node as usize) == Some(&true) {
        let colour = [theme.side_a, theme.side_b][told.side.min(1)];
        let radius = disc.radius + SHARED_RING_GAP * scale;
        draw_ring(pixmap, disc.at, radius, colour, 1.4 * scale);
    }
}

/// The colour of the edges of folds, which recede.
pub fn fold_edge(theme: &Theme) -> egui::Color32 {
    mix(theme.canvas, theme.dim, 0.6)
}

fn skia_colour(colour: egui::Color32) -> Color {
    Color::from_rgba8(colour.r(), colour.g(), colour.b(), colour.a())
}

fn paint_of(colour: egui::Color32) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(skia_colour(colour));
    paint.anti_alias = true;
    paint
}

/// Rows of a band; lines are drawn band by band, so that its pixels stay in the cache.
const BAND_ROWS: usize = 48;

fn draw_thin_lines(pixmap: &mut PixmapMut<'_>, scene: &Scene, theme: &Theme, scale: f32) {
    let edges = &scene.edges;
    let heat_of = |index: usize| index as f32 / (EdgeLine::SHADE_COUNT - 1) as f32;
    let shades: Vec<[u8; 3]> = (0..EdgeLine::SHADE_COUNT)
        .map(|index| scene.colours.rgb(theme, heat_of(index)))
        .collect();
    let draw = |mut lines: LineCanvas<'_>| {
        for edge in edges {
            let thinness = (edge.width / scale).min(1.0);
            let strength = edge.opacity * thinness;
            lines.draw(edge.from, edge.to, shades[edge.shade_index()], strength);
        }
    };
    let bands = LineCanvas::bands(pixmap, BAND_ROWS);
    let threads = if edges.len() < MIN_EDGES_FOR_THREADS {
        1
    } else {
        std::thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS))
    };
    let bands = Mutex::new(bands.into_iter());
    let work = || {
        let next = || bands.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(band) = next() {
            draw(band);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

fn draw_strokes(pixmap: &mut PixmapMut<'_>, scene: &Scene, theme: &Theme) {
    // Edges are sorted by what they look like, so those of one look are adjacent.
    for group in scene.edges.chunk_by(EdgeLine::looks_like) {
        let mut path = PathBuilder::new();
        for edge in group {
            path.move_to(edge.from.0, edge.from.1);
            path.line_to(edge.to.0, edge.to.1);
        }
        let Some(path) = path.finish() else { continue };
        let [red, green, blue] = scene.colours.rgb(theme, group[0].heat);
        let alpha = (group[0].opacity * 255.0) as u8;
        let mut paint = Paint::default();
        paint.set_color_rgba8(red, green, blue, alpha);
        paint.anti_alias = true;
        let stroke = Stroke {
            width: group[0].width,
            ..Stroke::default()
        };
        pixmap.stroke_path(&path, &paint, &stroke, Transform::identity(), None);
    }
}

fn draw_polyline(
    pixmap: &mut PixmapMut<'_>,
    points: &[(f32, f32)],
    colour: egui::Color32,
    width: f32,
    dash: Option<[f32; 2]>,
) {
    let mut path = PathBuilder::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        if index == 0 {
            path.move_to(x, y);
        } else {
            path.line_to(x, y);
        }
    }
    if points.len() < 2 {
        return;
    }
    if let Some(path) = path.finish() {
        let round = Stroke {
            width,
            line_cap: if dash.is_some() {
                LineCap::Butt
            } else {
                LineCap::Round
            },
            line_join: LineJoin::Round,
            dash: dash.and_then(|lengths| StrokeDash::new(lengths.to_vec(), 0.0)),
            ..Stroke::default()
        };
        stroke_path(pixmap, &path, colour, &round);
    }
}

/// A node: light or dark as the pieces of the player to move; a square at the end of a game.
fn draw_disc(
    pixmap: &mut PixmapMut<'_>,
    model: &TreeModel,
    disc: &NodeDisc,
    theme: &Theme,
    scale: f32,
) {
    let node = disc.node as usize;
    let shape = (model.is_light(node), model.node_states[node].is_terminal());
    draw_node(pixmap, shape, disc.at, disc.radius, theme, scale);
}

fn draw_node(
    pixmap: &mut PixmapMut<'_>,
    (is_light, is_end): (bool, bool),
    (x, y): (f32, f32),
    radius: f32,
    theme: &Theme,
    scale: f32,
) {
    let (fill, border) = node_colours(theme, is_light);
    let path = if is_end {
        let side = radius * 0.86;
        let rectangle = tiny_skia::Rect::from_ltrb(x - side, y - side, x + side, y + side);
        rectangle.map(PathBuilder::from_rect)
    } else {
        PathBuilder::from_circle(x, y, radius)
    };
    let Some(path) = path else { return };
    let identity = Transform::identity();
    pixmap.fill_path(&path, &paint_of(fill), FillRule::Winding, identity, None);
    let width = (radius * 0.25).clamp(0.6 * scale, 1.2 * scale);
    stroke_outline(pixmap, &path, border, width);
}

/// The colours of a light or dark node and of its border, which stays visible on either canvas.
pub fn node_colours(theme: &Theme, is_light: bool) -> (egui::Color32, egui::Color32) {
    if is_light {
        (theme.light_player, theme.dim)
    } else {
        (theme.dark_player, theme.light_player)
    }
}

/// The outline of a closed path.
fn stroke_outline(pixmap: &mut PixmapMut<'_>, path: &Path, colour: egui::Color32, width: f32) {
    let sharp = Stroke {
        width,
        ..Stroke::default()
    };
    stroke_path(pixmap, path, colour, &sharp);
}

fn stroke_path(pixmap: &mut PixmapMut<'_>, path: &Path, colour: egui::Color32, stroke: &Stroke) {
    let identity = Transform::identity();
    pixmap.stroke_path(path, &paint_of(colour), stroke, identity, None);
}

fn draw_ring(
    pixmap: &mut PixmapMut<'_>,
    at: (f32, f32),
    radius: f32,
    colour: egui::Color32,
    width: f32,
) {
    if let Some(path) = PathBuilder::from_circle(at.0, at.1, radius) {
        stroke_outline(pixmap, &path, colour, width);
    }
}
