//! The map of the whole tree in a corner of the canvas, while only a part of it is in view.

use std::sync::Arc;

use egui::{Painter, Pos2, Rect, Stroke, StrokeKind, pos2, vec2};

use crate::{
    app::App,
    draw::theme::Theme,
    tree::{
        camera::{Camera, Canvas},
        model::TreeModel,
    },
};

/// There is a map while less than this share of the tree is in view.
const MAX_SHARE_IN_VIEW: f64 = 0.6;
/// Size of the map, and its distance from the canvas's edges, in points.
const SIZE: egui::Vec2 = vec2(176.0, 96.0);
const MARGIN: f32 = 16.0;
/// A canvas narrower or lower than this has no room for it, in points.
const MIN_CANVAS: (f32, f32) = (480.0, 300.0);

/// The map of the last frame.
#[derive(Default)]
pub(super) struct Minimap {
    /// Where it lies; none while there is none.
    rect: Option<Rect>,
    shape: Option<Silhouette>,
}

impl Minimap {
    /// Forgets the tree.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Decides whether there is a map on this canvas, and in which corner.
    pub(super) fn update(&mut self, app: &App, canvas: Rect) -> Option<Rect> {
        self.rect = find_place(app, canvas);
        self.rect
    }

    /// Which place of the tree a point of the map means, as fractions of its width and depth.
    pub(super) fn hit(&self, at: Pos2) -> Option<(f64, f64)> {
        let map = self.rect.filter(|map| map.contains(at))?;
        let part = (at - map.min) / map.size();
        Some((f64::from(part.x), f64::from(part.y)))
    }

    /// Draws it.
    pub(super) fn draw(&mut self, app: &App, painter: &Painter, theme: &Theme) {
        let (Some(map), Some(model), Some(camera)) =
            (self.rect, &app.document.model, &app.navigation.camera)
        else {
            return;
        };
        painter.rect(
            map,
            4.0,
            theme.card,
            Stroke::new(1.0, theme.line),
            StrokeKind::Inside,
        );
        let colour = theme.edge_least.gamma_multiply(0.8);
        for &part in Silhouette::get_or_compute(&mut self.shape, model, map) {
            painter.rect_filled(part, 0.0, colour);
        }
        let (left, top, right, bottom) = view_shares(model, camera, &app.navigation.canvas);
        let at = |x: f64, y: f64| {
            pos2(
                map.left() + map.width() * x as f32,
                map.top() + map.height() * y as f32,
            )
        };
        let view = Rect::from_min_max(at(left, top), at(right, bottom));
        let view = Rect::from_center_size(view.center(), view.size().max(vec2(4.0, 4.0)));
        let stroke = Stroke::new(1.5, theme.warm);
        painter.rect_stroke(view, 2.0, stroke, StrokeKind::Inside);
    }
}

/// The part of the tree in view: left, top, right and bottom as shares of its width and depth.
fn view_shares(model: &TreeModel, camera: &Camera, canvas: &Canvas) -> (f64, f64, f64, f64) {
    let (left, right) = model.extent;
    let share = |x: f64, y: f64| {
        let (x, y) = camera.to_tree(canvas, x, y);
        let depth = (model.depth() as f64 - 1.0).max(1e-9);
        (
            ((x - left) / (right - left).max(1e-9)).clamp(0.0, 1.0),
            (y / depth).clamp(0.0, 1.0),
        )
    };
    let (from_x, from_y) = share(0.0, 0.0);
    let (to_x, to_y) = share(canvas.width, canvas.height);
    (from_x, from_y, to_x, to_y)
}

/// The lower corner with fewer nodes, while too little of the tree is in view.
fn find_place(app: &App, area: Rect) -> Option<Rect> {
    let (model, camera) = (
        app.document.model.as_ref()?,
        app.navigation.camera.as_ref()?,
    );
    let canvas = &app.navigation.canvas;
    let (left, top, right, bottom) = view_shares(model, camera, canvas);
    let is_small = area.width() < MIN_CANVAS.0 || area.height() < MIN_CANVAS.1;
    if is_small || (right - left) * (bottom - top) >= MAX_SHARE_IN_VIEW {
        return None;
    }
    let y = area.bottom() - MARGIN - SIZE.y;
    let corner = |x: f32| Rect::from_min_size(pos2(x, y), SIZE);
    let corners = [
        corner(area.right() - MARGIN - SIZE.x),
        corner(area.left() + MARGIN),
    ];
    let nodes =
        |corner: &Rect| nodes_in(model, camera, canvas, corner.translate(-area.min.to_vec2()));
    corners.into_iter().min_by_key(nodes)
}

/// Number of nodes under a rectangle of the canvas, in points.
fn nodes_in(model: &TreeModel, camera: &Camera, canvas: &Canvas, area: Rect) -> usize {
    let tree = |at: Pos2| {
        let (x, y) = (
            f64::from(at.x) * canvas.scale,
            f64::from(at.y) * canvas.scale,
        );
        camera.to_tree(canvas, x, y)
    };
    let ((left, top), (right, bottom)) = (tree(area.min), tree(area.max));
    let first = top.max(0.0).ceil() as usize;
    let last = bottom.min((model.depth() - 1) as f64).floor();
    if last < 0.0 {
        return 0;
    }
    (first..=last as usize)
        .map(|depth| {
            let xs = &model.x[model.layer(depth)];
            xs.partition_point(|&x| x <= right) - xs.partition_point(|&x| x < left)
        })
        .sum()
}

/// The shape of a whole tree, for the minimap: the extent of every layer.
struct Silhouette {
    model: Arc<TreeModel>,
    rect: Rect,
    parts: Vec<Rect>,
}

impl Silhouette {
    /// The shape of a tree on a map, worked out again only if either has changed.
    fn get_or_compute<'a>(
        last: &'a mut Option<Self>,
        model: &Arc<TreeModel>,
        map: Rect,
    ) -> &'a [Rect] {
        *last = last
            .take()
            .filter(|last| Arc::ptr_eq(&last.model, model) && last.rect == map);
        let silhouette = last.get_or_insert_with(|| Self {
            model: Arc::clone(model),
            rect: map,
            parts: silhouette_parts(model, map),
        });
        &silhouette.parts
    }
}

/// Stretches of layers without a gap of more than a pixel or two.
fn silhouette_parts(model: &TreeModel, map: Rect) -> Vec<Rect> {
    const COLUMNS: usize = 88;
    let (left, right) = model.extent;
    let width = (right - left).max(1e-9);
    let depth = model.depth();
    let rows = depth.min(map.height() as usize);
    let mut parts = Vec::new();
    for row in 0..rows {
        let xs = &model.x[model.layer(row * depth / rows)];
        let y = map.top() + map.height() * (row as f32 + 0.5) / rows as f32;
        let half = map.height() / rows as f32 / 2.0;
        let place = |column: usize| left + width * column as f64 / COLUMNS as f64;
        let mut begin: Option<usize> = None;
        for column in 0..=COLUMNS {
            let first = xs.partition_point(|&x| x < place(column));
            let is_full = column < COLUMNS && xs.get(first).is_some_and(|&x| x < place(column + 1));
            match (begin, is_full) {
                (None, true) => begin = Some(column),
                (Some(start), false) => {
                    let at =
                        |column: usize| map.left() + map.width() * column as f32 / COLUMNS as f32;
                    parts.push(Rect::from_min_max(
                        pos2(at(start), y - half),
                        pos2(at(column), y + half),
                    ));
                    begin = None;
                }
                _ => {}
            }
        }
    }
    parts
}
