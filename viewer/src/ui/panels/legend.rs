//! The strip below the tree that says what its colours, lines and shapes mean.

use std::sync::Arc;

use canopy_engine::games::notation::escape_invisible;
use egui::{
    Color32, FontId, Frame, Galley, Painter, Panel, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2,
};

use crate::{
    app::App,
    draw::theme::Theme,
    tree::{
        model::TreeModel,
        raster::{LAST_PATH_DASH, node_colours},
        scene::{Measure, format_signed},
        value_colour::{self, EdgeColours},
    },
};

/// Height of a row, and the space above the first and below the last, in points.
const ROW_HEIGHT: f32 = 20.0;
const PADDING: f32 = 10.0;
/// Distance from the sides, between a sample and its text, and between entries.
const SIDE: f32 = 16.0;
const TEXT_GAP: f32 = 6.0;
const ENTRY_GAP: f32 = 20.0;

/// The sample drawn before an entry's text.
#[derive(Clone, Copy)]
enum Sample {
    /// A line of this colour.
    Line(Color32),
    /// A dashed line of this colour.
    Dashes(Color32),
    /// A node with this fill and border.
    Node(Color32, Color32),
    /// The ring around the selected node.
    Ring(Color32),
    /// The triangle of hidden moves.
    Triangle(Color32),
    /// The ring around a shared node.
    SharedRing(Color32),
    /// The colours of the edges.
    Colours(EdgeColours),
}

impl Sample {
    fn width(self) -> f32 {
        match self {
            Self::Line(_) | Self::Dashes(_) => 22.0,
            Self::Node(..) | Self::Ring(_) | Self::SharedRing(_) | Self::Triangle(_) => 12.0,
            Self::Colours(_) => 84.0,
        }
    }

    /// Draws it with the middle of its left end at a point.
    fn draw(self, at: Pos2, painter: &Painter, theme: &Theme) {
        let (width, middle) = (self.width(), at + vec2(self.width() / 2.0, 0.0));
        match self {
            Self::Line(colour) => {
                painter.hline(at.x..=at.x + width, at.y, Stroke::new(2.4, colour));
            }
            Self::Dashes(colour) => {
                let ends = [at, at + vec2(width, 0.0)];
                let [dash, gap] = LAST_PATH_DASH;
                let stroke = Stroke::new(2.4, colour);
                painter.extend(Shape::dashed_line(&ends, stroke, dash, gap));
            }
            Self::Node(fill, border) => {
                painter.circle(middle, 5.0, fill, Stroke::new(1.2, border));
            }
            Self::Ring(colour) => {
                painter.circle_stroke(middle, 5.5, Stroke::new(2.0, colour));
            }
            Self::Triangle(colour) => {
                let corners = [vec2(0.0, -4.5), vec2(5.0, 4.5), vec2(-5.0, 4.5)];
                let corners = corners.map(|corner| middle + corner).to_vec();
                painter.add(Shape::convex_polygon(corners, colour, Stroke::NONE));
            }
            Self::SharedRing(colour) => {
                painter.circle_filled(middle, 3.0, colour);
                painter.circle_stroke(middle, 5.5, Stroke::new(1.0, colour));
            }
            Self::Colours(colours) => draw_colours(colours, at, width, painter, theme),
        }
    }
}

/// The colours from one end of the scale to the other.
fn draw_colours(colours: EdgeColours, at: Pos2, width: f32, painter: &Painter, theme: &Theme) {
    for step in 0..42 {
        let heat = step as f32 / 41.0;
        let [red, green, blue] = colours.rgb(theme, heat);
        let left = at.x + (width - 2.0) * heat;
        let part = Rect::from_min_max(pos2(left, at.y - 3.0), pos2(left + 2.0, at.y + 3.0));
        painter.rect_filled(part, 0.0, Color32::from_rgb(red, green, blue));
    }
}

/// An entry with its place in its row.
struct Entry {
    sample: Sample,
    text: Arc<Galley>,
    x: f32,
}

/// Shows the strip below what is left of the window; `names` are the players'.
pub(super) fn show(app: &App, names: Option<[&str; 2]>, ui: &mut Ui, theme: &Theme) {
    let Some(model) = &app.document.model else {
        return;
    };
    let rows = lay_out(entries(app, model, names, theme), ui, theme);
    let height = ROW_HEIGHT * rows.len() as f32 + 2.0 * PADDING;
    Panel::bottom("legend")
        .frame(Frame::new().fill(theme.panel))
        .exact_size(height)
        .resizable(false)
        .show(ui, |ui| {
            let area = ui.available_rect_before_wrap();
            let painter = ui.painter();
            for (index, row) in rows.into_iter().enumerate() {
                let y = area.top() + PADDING + ROW_HEIGHT * (index as f32 + 0.5);
                for Entry { sample, text, x } in row {
                    let at = pos2(area.left() + x, y);
                    sample.draw(at, painter, theme);
                    let left = at.x + sample.width() + TEXT_GAP;
                    let corner = pos2(left, y - text.size().y / 2.0);
                    painter.galley(corner, text, theme.text);
                }
            }
        });
}

/// The entries in rows.
fn lay_out(entries: Vec<(Sample, String)>, ui: &Ui, theme: &Theme) -> Vec<Vec<Entry>> {
    let right = ui.available_width() - SIDE;
    let font = FontId::proportional(12.0);
    let mut rows: Vec<Vec<Entry>> = vec![Vec::new()];
    let mut x = SIDE;
    for (sample, text) in entries {
        let text = ui.painter().layout_no_wrap(text, font.clone(), theme.text);
        let width = sample.width() + TEXT_GAP + text.size().x;
        if x > SIDE && x + width > right {
            rows.push(Vec::new());
            x = SIDE;
        }
        if let Some(row) = rows.last_mut() {
            row.push(Entry { sample, text, x });
        }
        x += width + ENTRY_GAP;
    }
    rows
}

/// The meaning of what is drawn now.
fn entries(
    app: &App,
    model: &TreeModel,
    names: Option<[&str; 2]>,
    theme: &Theme,
) -> Vec<(Sample, String)> {
    let names = names.unwrap_or(["first player", "second player"]);
    let mut entries = Vec::new();
    for (name, is_first) in names.into_iter().zip([true, false]) {
        let (fill, border) = node_colours(theme, model.fills_light(is_first));
        entries.push((Sample::Node(fill, border), format!("{name} decides here")));
    }
    let line = match model.is_classical() {
        true => "chosen line",
        false => "most visited line",
    };
    entries.push((Sample::Line(theme.cool), line.to_owned()));
    // Also at the end of the journal, so that the canvas keeps its size.
    if !model.last_path.is_empty() || app.document.timeline.status.is_some() {
        let text = "path of the last iteration".to_owned();
        entries.push((Sample::Dashes(theme.good), text));
    }
    if let Some(text) = colour_scale_text(app, model) {
        let colours = app.look().scale.measure.colours();
        entries.push((Sample::Colours(colours), text));
    }
    if model.has_shared_nodes() {
        let text = "position that several moves lead to".to_owned();
        entries.push((Sample::SharedRing(theme.dim), text));
    }
    // Always, so that the canvas keeps its size when a node is selected.
    entries.push((Sample::Ring(theme.warm), "selected".to_owned()));
    if !model.folds.is_empty() {
        let text = "+3: folded moves, click to open".to_owned();
        entries.push((Sample::Triangle(theme.dim), text));
    }
    entries
}

/// What the colours of edges mean, with the values at their ends; none if no edge has a value.
fn colour_scale_text(app: &App, model: &TreeModel) -> Option<String> {
    let settings = &app.settings;
    let count = |(least, most): (i32, i32)| {
        (least <= most).then(|| (format_signed(least), format_signed(most)))
    };
    let column = match app.look().scale.measure {
        Measure::Column(index) => (model.columns().get(index)).zip(model.column_range(index)),
        _ => None,
    };
    let column_name = column.map(|(column, _)| escape_invisible(&column.name));
    let (name, ends) = match (settings.measure.as_str(), &column_name) {
        (_, Some(name)) => {
            let (least, most) = column.map_or((1.0, 0.0), |(_, range)| range.whole);
            let ends = (least <= most).then(|| (format!("{least:.3}"), format!("{most:.3}")));
            (&**name, ends)
        }
        ("mean", _) => {
            let [first, second] = value_colour::end_labels(model, &model.value_spread);
            let level = if settings.per_layer {
                ", of each level"
            } else {
                ""
            };
            return Some(format!("edge: {first} … {second}{level}"));
        }
        _ if model.is_classical() => ("nodes searched", count(model.visit_range)),
        ("second", _) if model.meta.is_none() => ("second counter", count(model.second_range)),
        ("second", _) => ("visits in this search", count(model.second_range)),
        _ => ("visits", count(model.visit_range)),
    };
    let scale = match (settings.measure.as_str(), settings.logarithmic) {
        _ if column.is_some() => "",
        (_, true) => ", log scale",
        _ => ", linear scale",
    };
    let (least, most) = ends?;
    Some(match settings.per_layer {
        true => format!("edge: least … most {name} of each level{scale}"),
        false => format!("edge: {least} … {most} {name}{scale}"),
    })
}
