//! From a scene to pixels.

use std::sync::{Mutex, PoisonError};

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, PixmapMut, Stroke, Transform,
};

use crate::{
    camera::Canvas,
    fonts::Text,
    model::Model,
    scene::{EdgeLine, LABEL_SIZE, MARK, Mark, NodeDisc, Scene},
    theme::Theme,
};

mod lines;
mod stamps;

pub use lines::Lines;
use stamps::Stamps;

/// How much care is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// For pictures that are gone in a moment.
    Quick,
    /// For pictures that stay.
    Fine,
}

/// Fewer edges than these are not worth sharing out among threads, and more threads than these are not asked to help.
const FEW: usize = 1000;
const MOST_THREADS: usize = 4;
/// More edges than these are drawn as thin lines even in pictures that stay.
const TOO_DENSE: usize = 40_000;

/// Draws scenes.
#[derive(Default)]
pub struct Raster {
    text: Text,
    stamps: Stamps,
}

impl Raster {
    /// Draws a scene over the whole picture.
    pub fn paint(
        &mut self,
        pixmap: &mut PixmapMut<'_>,
        model: &Model,
        scene: &Scene,
        canvas: &Canvas,
        theme: &Theme,
        care: Care,
    ) {
        pixmap.pixels_mut().fill(crate::pixel::opaque(theme.canvas));
        let scale = canvas.scale as f32;
        if care == Care::Fine && scene.edges.len() <= TOO_DENSE {
            strokes(pixmap, &scene.edges, theme);
        } else {
            thin_lines(pixmap, &scene.edges, theme, scale);
        }
        polyline(pixmap, &scene.principal, theme.cool, 2.4 * scale);
        polyline(pixmap, &scene.way, theme.good, 2.0 * scale);
        polyline(pixmap, &scene.selected, theme.warm, 1.6 * scale);
        match care {
            Care::Fine => {
                for disc in &scene.nodes {
                    node(pixmap, model, disc, theme, scale);
                }
            }
            Care::Quick => self.stamps.paint(pixmap, model, &scene.nodes, theme, scale),
        }
        if let Some(&at) = scene.selected.last() {
            let radius = (scene.nodes.iter())
                .find(|disc| (disc.at.0 - at.0).abs() < 0.5 && (disc.at.1 - at.1).abs() < 0.5)
                .map_or(3.0 * scale, |disc| disc.radius);
            ring(pixmap, at, radius + 3.5 * scale, theme.warm, 2.2 * scale);
        }
        for mark in &scene.marks {
            self.mark(pixmap, mark, theme, scale);
        }
        for label in &scene.labels {
            let size = LABEL_SIZE as f32 * scale;
            let (x, y) = label.at;
            let anchor = egui::Align2::LEFT_CENTER;
            self.text
                .draw(pixmap, &label.text, x, y, size, theme.text, anchor);
        }
    }
}

impl Raster {
    /// A small triangle that points to what is hidden, and how much that is.
    fn mark(&mut self, pixmap: &mut PixmapMut<'_>, mark: &Mark, theme: &Theme, scale: f32) {
        let (x, y) = mark.at;
        let (half, height) = (MARK as f32 * scale, MARK as f32 * 1.2 * scale);
        let mut path = PathBuilder::new();
        path.move_to(x, y);
        path.line_to(x + half, y + height);
        path.line_to(x - half, y + height);
        path.close();
        if let Some(path) = path.finish() {
            pixmap.fill_path(
                &path,
                &paint_of(theme.dim),
                FillRule::Winding,
                Transform::identity(),
                None,
            );
        }
        if let Some(text) = &mark.text {
            let size = LABEL_SIZE as f32 * scale;
            let below = y + height + 0.7 * size;
            let half = 0.31 * size * text.chars().count() as f32;
            let ground = tiny_skia::Rect::from_ltrb(
                x - half,
                below - 0.6 * size,
                x + half,
                below + 0.6 * size,
            );
            if let Some(ground) = ground {
                let mut paint = Paint::default();
                let [red, green, blue, _] = theme.canvas.to_array();
                paint.set_color_rgba8(red, green, blue, 200);
                pixmap.fill_rect(ground, &paint, Transform::identity(), None);
            }
            let anchor = egui::Align2::CENTER_CENTER;
            self.text
                .draw(pixmap, text, x, below, size, theme.dim, anchor);
        }
    }
}

fn solid(colour: egui::Color32) -> Color {
    Color::from_rgba8(colour.r(), colour.g(), colour.b(), colour.a())
}

fn paint_of(colour: egui::Color32) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(solid(colour));
    paint.anti_alias = true;
    paint
}

/// The colour between the least and the most visited.
pub fn shade(theme: &Theme, heat: f32) -> [u8; 3] {
    let mix = |least: u8, most: u8| {
        (f32::from(least) + (f32::from(most) - f32::from(least)) * heat).round() as u8
    };
    let (least, most) = (theme.edge_least, theme.edge_most);
    [
        mix(least.r(), most.r()),
        mix(least.g(), most.g()),
        mix(least.b(), most.b()),
    ]
}

/// How much of its colour an edge lays on: quiet ones step back.
pub fn strength(heat: f32) -> f32 {
    0.45 + 0.55 * heat
}

/// Lines are drawn in bands of so many rows, which stay close at hand while all lines go through them.
const BAND: usize = 48;

fn thin_lines(pixmap: &mut PixmapMut<'_>, edges: &[EdgeLine], theme: &Theme, scale: f32) {
    let shades: Vec<[u8; 3]> = (0..EdgeLine::SHADES)
        .map(|index| shade(theme, index as f32 / (EdgeLine::SHADES - 1) as f32))
        .collect();
    let draw = |mut lines: Lines<'_>| {
        for edge in edges {
            let thinness = (edge.width / scale).min(1.0);
            let strength = strength(edge.heat) * thinness;
            lines.draw(edge.from, edge.to, shades[edge.shade()], strength);
        }
    };
    let bands = Lines::bands(pixmap, BAND);
    let threads = if edges.len() < FEW {
        1
    } else {
        std::thread::available_parallelism().map_or(1, |count| count.get().min(MOST_THREADS))
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

fn strokes(pixmap: &mut PixmapMut<'_>, edges: &[EdgeLine], theme: &Theme) {
    // They come sorted by heat, so those of a shade lie together.
    for group in edges.chunk_by(|one, other| one.shade() == other.shade()) {
        let mut path = PathBuilder::new();
        for edge in group {
            path.move_to(edge.from.0, edge.from.1);
            path.line_to(edge.to.0, edge.to.1);
        }
        let Some(path) = path.finish() else { continue };
        let heat = group[0].heat;
        let [red, green, blue] = shade(theme, heat);
        let alpha = (strength(heat) * 255.0) as u8;
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

fn polyline(pixmap: &mut PixmapMut<'_>, points: &[(f32, f32)], colour: egui::Color32, width: f32) {
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
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        stroke(pixmap, &path, colour, &round);
    }
}

/// A node: light or dark as the men of who decides; the end of a game is a square.
fn node(pixmap: &mut PixmapMut<'_>, model: &Model, disc: &NodeDisc, theme: &Theme, scale: f32) {
    let node = disc.node as usize;
    let shape = (model.is_light(node), model.deciders[node].is_end());
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
    outline(pixmap, &path, border, width);
}

/// The colours of a light or dark node and of its border, which stays visible on either canvas.
pub fn node_colours(theme: &Theme, is_light: bool) -> (egui::Color32, egui::Color32) {
    if is_light {
        (theme.first_player, theme.dim)
    } else {
        (theme.second_player, theme.first_player)
    }
}

/// The outline of a closed path.
fn outline(pixmap: &mut PixmapMut<'_>, path: &Path, colour: egui::Color32, width: f32) {
    let sharp = Stroke {
        width,
        ..Stroke::default()
    };
    stroke(pixmap, path, colour, &sharp);
}

fn stroke(pixmap: &mut PixmapMut<'_>, path: &Path, colour: egui::Color32, stroke: &Stroke) {
    let identity = Transform::identity();
    pixmap.stroke_path(path, &paint_of(colour), stroke, identity, None);
}

fn ring(
    pixmap: &mut PixmapMut<'_>,
    at: (f32, f32),
    radius: f32,
    colour: egui::Color32,
    width: f32,
) {
    if let Some(path) = PathBuilder::from_circle(at.0, at.1, radius) {
        outline(pixmap, &path, colour, width);
    }
}
