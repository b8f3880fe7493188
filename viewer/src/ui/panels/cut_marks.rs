//! Marks of a classical search over the tree: scissors where moves were not looked at, diamonds where a value came from the
//! table, and the windows along the way to the selected node.

use canopy_engine::explain::Cut;
use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};

use crate::{
    app::App,
    draw::theme::{SMALL_SIZE, Theme},
    tree::{
        model::TreeModel,
        node_value::NodeValues,
        search_window::{ClassicalColumns, window_text},
    },
};

/// Levels with more nodes in view have no marks: they would lie over each other.
const MAX_NODES_IN_VIEW: usize = 160;
/// Half the room that a mark takes, in points.
const SCISSORS_ROOM: f32 = 7.0;
/// Least distance between marks with a number, in points.
const MIN_DISTANCE_FOR_NUMBERS: f32 = 30.0;

/// Draws the marks of what is in view. Returns the places of those with a number, which labels keep free.
pub(super) fn draw(
    app: &App,
    model: &TreeModel,
    canvas: Rect,
    ui: &Ui,
    theme: &Theme,
) -> Vec<Rect> {
    let mut taken = Vec::new();
    let (Some(columns), Some(camera)) = (ClassicalColumns::of(model), &app.navigation.camera)
    else {
        return taken;
    };
    let size = &app.navigation.canvas;
    let scale = ui.ctx().pixels_per_point();
    let painter = ui.painter_at(canvas);
    let place = |node: usize, depth: usize| {
        let (x, y) = camera.to_canvas(size, model.x[node], depth as f64);
        canvas.min + vec2(x as f32, y as f32) / scale
    };
    let (left, _) = camera.to_tree(size, 0.0, 0.0);
    let (right, _) = camera.to_tree(size, size.width, 0.0);
    for depth in 0..model.depth() {
        let layer = model.layer(depth);
        let nodes = &model.x[layer.clone()];
        let first = layer.start + nodes.partition_point(|&x| x < left);
        let last = layer.start + nodes.partition_point(|&x| x <= right);
        if last.saturating_sub(first) > MAX_NODES_IN_VIEW || first >= last {
            continue;
        }
        let width = place(last - 1, depth).x - place(first, depth).x;
        let distance = width / (last - first).saturating_sub(1).max(1) as f32;
        let has_numbers = last - first == 1 || distance >= MIN_DISTANCE_FOR_NUMBERS;
        // Where the last scissors of the layer end.
        let mut end = f32::NEG_INFINITY;
        for node in first..last {
            let at = place(node, depth);
            if columns.cut(model.row(node)) == Cut::Table {
                draw_diamond(at, theme.good, &painter, theme);
                continue;
            }
            let unsearched = columns.unsearched(model, node);
            if unsearched == 0 {
                continue;
            }
            let mark = at + vec2(16.0, 20.0);
            if mark.x - SCISSORS_ROOM < end {
                draw_bar(at, &painter, theme);
                continue;
            }
            let line = Shape::dashed_line(&[at, mark], Stroke::new(1.0, theme.dim), 3.0, 3.0);
            painter.extend(line);
            draw_scissors(mark, &painter, theme);
            end = mark.x + SCISSORS_ROOM;
            if has_numbers {
                let font = FontId::proportional(SMALL_SIZE);
                let text = unsearched.to_string();
                let number = mark + vec2(9.0, 0.0);
                let written = painter.text(number, Align2::LEFT_CENTER, text, font, theme.dim);
                end = written.right() + 2.0;
                let scissors = Rect::from_center_size(mark, vec2(2.0, 2.0) * SCISSORS_ROOM);
                taken.push(scissors.union(written).shrink(2.0));
            }
        }
    }
    draw_windows(app, model, columns, &place, &painter, theme);
    taken
}

/// A short bar below a node, where there is no room for scissors.
fn draw_bar(at: Pos2, painter: &Painter, theme: &Theme) {
    let end = at + vec2(0.0, 20.0);
    let line = Shape::dashed_line(&[at, end], Stroke::new(1.0, theme.dim), 3.0, 3.0);
    painter.extend(line);
    painter.hline(
        end.x - 3.0..=end.x + 3.0,
        end.y,
        Stroke::new(1.6, theme.warm),
    );
}

/// A diamond, 14 points high.
pub(super) fn draw_diamond(at: Pos2, colour: Color32, painter: &Painter, theme: &Theme) {
    let corners = [
        vec2(0.0, -7.0),
        vec2(6.0, 0.0),
        vec2(0.0, 7.0),
        vec2(-6.0, 0.0),
    ];
    let corners = corners.map(|corner| at + corner).to_vec();
    let outline = Stroke::new(1.0, theme.canvas);
    painter.add(Shape::convex_polygon(corners, colour, outline));
}

/// Open scissors, 12 points high.
pub(super) fn draw_scissors(at: Pos2, painter: &Painter, theme: &Theme) {
    let stroke = Stroke::new(1.3, theme.warm);
    for side in [-1.0, 1.0] {
        painter.line_segment(
            [at + vec2(3.5 * side, -6.0), at + vec2(-2.4 * side, 2.5)],
            stroke,
        );
        painter.circle_stroke(at + vec2(3.4 * side, 4.2), 2.0, stroke);
    }
}

/// The windows of the nodes on the way to the selected one.
fn draw_windows(
    app: &App,
    model: &TreeModel,
    columns: ClassicalColumns<'_>,
    place: &dyn Fn(usize, usize) -> Pos2,
    painter: &Painter,
    theme: &Theme,
) {
    let values = NodeValues::new(model, app.settings.value_view);
    let selected = app.navigation.focused_node();
    for (depth, node) in model.path(selected).into_iter().enumerate() {
        let told = columns.row(model.row(node), values.mean_owner(node), values.owner(node));
        let Some(window) = told.window else { continue };
        let at = place(node, depth);
        let text = format!("window {}", window_text(window));
        let font = FontId::proportional(SMALL_SIZE);
        let galley = painter.layout_no_wrap(text, font, theme.warm);
        let corner = pos2(at.x - galley.size().x / 2.0, at.y - 44.0);
        let ground = Rect::from_min_size(corner, galley.size()).expand(2.0);
        painter.rect_filled(ground, 2.0, theme.canvas);
        painter.galley(corner, galley, theme.warm);
    }
}
