//! Pointer input on the tree, and its overlays: chips, legend, minimap.

use std::sync::Arc;

use canopy_engine::{games::notation::escape_invisible, tree::meta::Meta};
use egui::{Align2, Color32, PointerButton, Rect, RichText, Sense, Stroke, Ui, vec2};

use super::{Panels, move_label, node_details::NodeDetails};
use crate::{
    app::{Action, App},
    board::BoardTextures,
    draw::theme::Theme,
    tree::{
        model::TreeModel,
        raster::node_colours,
        scene::{Measure, format_signed, format_thousands},
        title::middle_ellipsis,
        value_colour,
    },
};

/// Node count from which a tree has a minimap.
const MIN_MINIMAP_NODES: usize = 2000;
/// A canvas narrower or lower than this has no room for it, in points.
const MIN_CANVAS_FOR_MINIMAP: (f32, f32) = (580.0, 300.0);
/// Width of the board shown for the node under the pointer, in points.
const HOVER_CARD_BOARD_WIDTH: f32 = 120.0;

impl Panels {
    /// Turns pointer input on the tree into actions.
    pub(super) fn handle_pointer(
        &mut self,
        app: &App,
        ui: &Ui,
        response: &egui::Response,
        actions: &mut Vec<Action>,
    ) {
        let scale = f64::from(ui.ctx().pixels_per_point());
        let place = |at: egui::Pos2| {
            let at = at - self.canvas.min;
            (f64::from(at.x) * scale, f64::from(at.y) * scale)
        };
        if response.dragged_by(PointerButton::Primary)
            || response.dragged_by(PointerButton::Secondary)
        {
            let by = response.drag_delta();
            actions.push(Action::Pan(
                f64::from(by.x) * scale,
                f64::from(by.y) * scale,
            ));
        }
        let pointer = response.hover_pos();
        if let Some(at) = pointer {
            let (wheel, pinch) =
                ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
            let factor = f64::from((wheel * 0.005).exp() * pinch);
            if factor != 1.0 {
                actions.push(Action::Zoom(factor, Some(place(at))));
            }
        }
        if response.clicked()
            && let Some(at) = response.interact_pointer_pos()
        {
            let (x, y) = place(at);
            match self.minimap_hit(app, at) {
                Some((across, down)) => actions.push(Action::CentreOn(across, down)),
                // The double click applies to the node that the first click selected.
                None if response.double_clicked() => actions.push(Action::FitSelected),
                None => actions.push(Action::Click(x, y)),
            }
        }
        // While a tree grows under a resting pointer, the hovered node would change in every frame.
        let is_resting = ui.input(|input| input.pointer.time_since_last_movement()) > 1.0;
        let shows_card =
            !(response.dragged() || (is_resting && app.document.timeline.is_growing()));
        let hit = pointer.filter(|_| shows_card).and_then(|at| {
            let (x, y) = place(at);
            let (model, camera) = (
                app.document.model.as_ref()?,
                app.navigation.camera.as_ref()?,
            );
            crate::tree::scene::node_at(model, camera, &app.navigation.canvas, x, y, None)
        });
        if let (Some(node), Some(model)) = (hit, &app.document.model)
            && node < model.len()
        {
            let (textures, hovered) = (&mut self.board_textures, &mut self.hovered_details);
            response.clone().on_hover_ui_at_pointer(|ui| {
                let details =
                    NodeDetails::get_or_compute(hovered, model, node, app.settings.value_view);
                show_hover_card(textures, details, model, node, ui, &app.theme());
            });
        }
    }

    /// The map in the corner, where there is one.
    fn minimap_rect(&self, app: &App) -> Option<Rect> {
        app.document
            .model
            .as_ref()
            .filter(|model| model.len() >= MIN_MINIMAP_NODES)?;
        let size = vec2(176.0, 96.0);
        (self.canvas.width() > MIN_CANVAS_FOR_MINIMAP.0
            && self.canvas.height() > MIN_CANVAS_FOR_MINIMAP.1)
            .then(|| Rect::from_min_size(self.canvas.max - size - vec2(16.0, 16.0), size))
    }

    /// Which place of the tree a point of the map means.
    fn minimap_hit(&self, app: &App, at: egui::Pos2) -> Option<(f64, f64)> {
        let map = self.minimap_rect(app)?;
        map.contains(at).then(|| {
            let part = (at - map.min) / map.size();
            (f64::from(part.x), f64::from(part.y))
        })
    }

    /// Chips, legend and map.
    pub(super) fn show_canvas_overlays(&mut self, app: &App, ui: &Ui, theme: &Theme) {
        let Some(model) = app.document.model.clone() else {
            return;
        };
        let painter = ui.painter_at(self.canvas);
        let font = egui::FontId::proportional(12.0);
        let corner = self.canvas.min + vec2(16.0, 12.0);
        let mut at = corner;
        for chip in chip_texts(app, &model) {
            let text = painter.layout_no_wrap(chip, font.clone(), theme.text);
            let size = text.size() + vec2(16.0, 8.0);
            if at.x > corner.x && at.x + size.x > self.canvas.right() - 16.0 {
                at = egui::pos2(corner.x, at.y + size.y + 8.0);
            }
            let rect = Rect::from_min_size(at, size);
            painter.rect(
                rect,
                10.0,
                theme.card,
                Stroke::new(1.0, theme.line),
                egui::StrokeKind::Inside,
            );
            painter.galley(rect.min + vec2(8.0, 4.0), text, theme.text);
            at.x = rect.right() + 8.0;
        }
        let names = self
            .selected_details
            .as_ref()
            .map(|details| details.players);
        let right = self
            .minimap_rect(app)
            .map_or(self.canvas.right(), |map| map.left());
        let room = Rect::from_min_max(self.canvas.min, egui::pos2(right, self.canvas.bottom()));
        draw_colour_scale(app, &model, &painter, room, theme);
        draw_legend(
            &legend_entries(app, &model, names, theme),
            &painter,
            room,
            theme,
        );
        if let (Some(map), Some(camera)) = (self.minimap_rect(app), &app.navigation.camera) {
            painter.rect(
                map,
                4.0,
                theme.card.gamma_multiply(0.9),
                Stroke::new(1.0, theme.line),
                egui::StrokeKind::Inside,
            );
            let colour = theme.edge_least.gamma_multiply(0.8);
            for &part in Minimap::get_or_compute(&mut self.minimap, &model, map) {
                painter.rect_filled(part, 0.0, colour);
            }
            let (left, right) = model.extent;
            let width = (right - left).max(1e-9);
            let depth = (model.depth() as f64 - 1.0).max(1.0);
            let part = |x: f64, y: f64| {
                egui::pos2(
                    map.left() + map.width() * (((x - left) / width).clamp(0.0, 1.0) as f32),
                    map.top() + map.height() * ((y / depth).clamp(0.0, 1.0) as f32),
                )
            };
            let (from_x, from_y) = camera.to_tree(&app.navigation.canvas, 0.0, 0.0);
            let (to_x, to_y) = camera.to_tree(
                &app.navigation.canvas,
                app.navigation.canvas.width,
                app.navigation.canvas.height,
            );
            let view = Rect::from_two_pos(part(from_x, from_y), part(to_x, to_y));
            let view = Rect::from_center_size(view.center(), view.size().max(vec2(4.0, 4.0)));
            painter.rect_stroke(
                view,
                2.0,
                Stroke::new(1.5, theme.warm),
                egui::StrokeKind::Inside,
            );
        }
    }
}

fn chip_texts(app: &App, model: &TreeModel) -> Vec<String> {
    let mut chips = Vec::new();
    if let Some(meta) = &model.meta {
        if !meta.game.is_empty() {
            chips.push(escape_invisible(&meta.game).into_owned());
        }
        chips.push(search_chip_text(meta));
        let iterations = app
            .document
            .timeline
            .shown_iteration
            .map_or(meta.iterations, u64::from);
        if iterations > 0 {
            chips.push(format!("{} iterations", format_thousands(iterations)));
        }
    }
    let nodes = format_thousands(model.len() as u64);
    chips.push(format!("{nodes} nodes · depth {}", model.depth() - 1));
    if model.hidden > 0 {
        chips.push(format!(
            "{} hidden",
            format_thousands(u64::from(model.hidden))
        ));
    }
    if model.left_out > 0 && model.least_visits > 0 {
        chips.push(omitted_nodes_text(model.left_out, model.least_visits));
    } else if model.left_out > 0 {
        chips.push(format!(
            "{} more in the search",
            format_thousands(model.left_out)
        ));
    }
    chips
}

/// The search, with its constant if it has one. Older sidecars name one for UCB1-tuned, too.
fn search_chip_text(meta: &Meta) -> String {
    let parameter = |name| meta.parameters.get(name).map(String::as_str);
    match parameter("exploration") {
        Some(constant) if parameter("select") != Some("ucb1-tuned") => {
            format!(
                "{} · C {}",
                escape_invisible(&meta.search),
                escape_invisible(constant)
            )
        }
        _ => escape_invisible(&meta.search).into_owned(),
    }
}

/// The note on nodes left out for lack of memory or time.
fn omitted_nodes_text(nodes: u64, least_visits: u32) -> String {
    let (nodes, visits) = (
        format_thousands(nodes),
        format_thousands(least_visits.into()),
    );
    format!("{nodes} nodes below {visits} visits not shown")
}

/// The colour scale with its values.
fn draw_colour_scale(
    app: &App,
    model: &TreeModel,
    painter: &egui::Painter,
    canvas: Rect,
    theme: &Theme,
) {
    let settings = &app.settings;
    let count = |(least, most): (i32, i32)| {
        (least <= most).then(|| (format_signed(least), format_signed(most)))
    };
    let column = match app.look().scale.measure {
        Measure::Column(index) => (model.columns().get(index)).zip(model.column_range(index)),
        _ => None,
    };
    let column_name = column.map(|(column, _)| escape_invisible(&column.name));
    let sides = value_colour::end_labels(model, &model.value_spread);
    let (name, ends) = match (settings.measure.as_str(), &column_name) {
        (_, Some(name)) => {
            let (least, most) = column.map_or((1.0, 0.0), |(_, range)| range.whole);
            let ends = (least <= most).then(|| (format!("{least:.3}"), format!("{most:.3}")));
            (&**name, ends)
        }
        ("mean", _) => (sides[0].as_str(), Some((String::new(), String::new()))),
        _ if model.is_classical() => ("nodes searched", count(model.visit_range)),
        ("second", _) if model.meta.is_none() => ("second counter", count(model.second_range)),
        ("second", _) => ("visits in this search", count(model.second_range)),
        _ => ("visits", count(model.visit_range)),
    };
    let font = egui::FontId::proportional(12.0);
    let at = egui::pos2(canvas.left() + 16.0, canvas.bottom() - 20.0);
    let text = painter.text(at, Align2::LEFT_CENTER, name, font.clone(), theme.dim);
    let bar = Rect::from_min_size(egui::pos2(text.right() + 8.0, at.y - 3.0), vec2(130.0, 6.0));
    for step in 0..65 {
        let heat = step as f32 / 64.0;
        let [red, green, blue] = app.look().scale.measure.colours().rgb(theme, heat);
        let left = bar.left() + bar.width() * heat * 0.985;
        let part = Rect::from_min_max(
            egui::pos2(left, bar.top()),
            egui::pos2(left + 3.0, bar.bottom()),
        );
        painter.rect_filled(part, 0.0, Color32::from_rgb(red, green, blue));
    }
    let how = match (settings.measure.as_str(), settings.logarithmic) {
        _ if column.is_some() => "",
        ("mean", _) => "",
        (_, true) => " log",
        _ => " linear",
    };
    let text = match ends {
        None => return,
        Some(_) if name == sides[0] && settings.per_layer => format!("{}, of each level", sides[1]),
        Some(_) if name == sides[0] => sides[1].clone(),
        Some(_) if settings.per_layer => format!("least … most of each level{how}"),
        Some((least, most)) => format!("{least} … {most}{how}, whole tree"),
    };
    painter.text(
        egui::pos2(bar.right() + 8.0, at.y),
        Align2::LEFT_CENTER,
        text,
        font,
        theme.dim,
    );
}

/// The sample drawn before a legend entry's text.
enum LegendSample {
    /// A line of this colour.
    Line(Color32),
    /// A node with this fill and border.
    Node(Color32, Color32),
    /// A node in a ring of this colour.
    Ring(Color32),
    /// Figures as they stand beside nodes.
    Figures,
}

/// The meaning of the tree's lines, fills and figures.
fn legend_entries(
    app: &App,
    model: &TreeModel,
    names: Option<[&str; 2]>,
    theme: &Theme,
) -> Vec<(LegendSample, String)> {
    let is_classical = model.is_classical();
    let blue = match is_classical {
        true => "chosen line",
        false => "most visited line",
    };
    let mut entries = vec![(LegendSample::Line(theme.cool), blue.to_owned())];
    if !model.last_path.is_empty() {
        let text = "way of the last iteration".to_owned();
        entries.push((LegendSample::Line(theme.good), text));
    }
    let names = names.unwrap_or(["first player", "second player"]);
    for (name, is_first) in names.into_iter().zip([true, false]) {
        let (fill, border) = node_colours(theme, model.fills_light(is_first));
        entries.push((LegendSample::Node(fill, border), format!("{name} decides")));
    }
    if model.has_shared_nodes() {
        let text = "position that several moves lead to".to_owned();
        entries.push((LegendSample::Ring(theme.dim), text));
    }
    if app.settings.labels {
        let figures = match is_classical {
            true => "nodes searched · value",
            false => "visits · value",
        };
        entries.push((LegendSample::Figures, figures.to_owned()));
    }
    entries
}

/// Writes the key in rows that end above the colours.
fn draw_legend(
    entries: &[(LegendSample, String)],
    painter: &egui::Painter,
    room: Rect,
    theme: &Theme,
) {
    const ROW_HEIGHT: f32 = 18.0;
    const SAMPLE_WIDTH: f32 = 18.0;
    let font = egui::FontId::proportional(12.0);
    let (left, right) = (room.left() + 16.0, room.right() - 16.0);
    let mut rows: Vec<Vec<_>> = vec![Vec::new()];
    let mut x = left;
    for (sample, text) in entries {
        let wide = match sample {
            LegendSample::Figures => {
                painter
                    .layout_no_wrap("n · m".to_owned(), font.clone(), theme.text)
                    .size()
                    .x
            }
            _ => SAMPLE_WIDTH,
        };
        let text = painter.layout_no_wrap(text.clone(), font.clone(), theme.dim);
        let width = wide + 6.0 + text.size().x;
        if x > left && x + width > right {
            rows.push(Vec::new());
            x = left;
        }
        if let Some(row) = rows.last_mut() {
            row.push((sample, x, wide, text));
        }
        x += width + 16.0;
    }
    let bottom = room.bottom() - 20.0;
    // The lowest layers of a tree may reach down here.
    let background = theme.canvas.gamma_multiply(0.85);
    for (index, row) in rows.iter().rev().enumerate() {
        let y = bottom - ROW_HEIGHT * (index as f32 + 1.0);
        for (sample, x, wide, text) in row {
            let middle = egui::pos2(x + wide / 2.0, y);
            let width = wide + 6.0 + text.size().x;
            let behind = Rect::from_min_size(
                egui::pos2(x - 4.0, y - ROW_HEIGHT / 2.0),
                vec2(width + 8.0, ROW_HEIGHT),
            );
            painter.rect_filled(behind, 0.0, background);
            match sample {
                LegendSample::Line(colour) => {
                    painter.hline(*x..=x + wide, y, Stroke::new(2.4, *colour));
                }
                LegendSample::Node(fill, border) => {
                    painter.circle(middle, 5.0, *fill, Stroke::new(1.2, *border));
                }
                LegendSample::Ring(colour) => {
                    painter.circle_filled(middle, 3.0, *colour);
                    painter.circle_stroke(middle, 5.5, Stroke::new(1.0, *colour));
                }
                LegendSample::Figures => {
                    painter.text(
                        middle,
                        Align2::CENTER_CENTER,
                        "n · m",
                        font.clone(),
                        theme.text,
                    );
                }
            }
            let at = egui::pos2(x + wide + 6.0, y - text.size().y / 2.0);
            painter.galley(at, text.clone(), theme.dim);
        }
    }
}

/// The shape of a whole tree, for the minimap: the extent of every layer.
pub(super) struct Minimap {
    model: Arc<TreeModel>,
    rect: Rect,
    parts: Vec<Rect>,
}

impl Minimap {
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
            parts: minimap_parts(model, map),
        });
        &silhouette.parts
    }
}

/// Stretches of layers without a gap of more than a pixel or two.
fn minimap_parts(model: &TreeModel, map: Rect) -> Vec<Rect> {
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
                        egui::pos2(at(start), y - half),
                        egui::pos2(at(column), y + half),
                    ));
                    begin = None;
                }
                _ => {}
            }
        }
    }
    parts
}

/// A few words about a node under the pointer.
fn show_hover_card(
    textures: &mut BoardTextures,
    details: &NodeDetails,
    model: &TreeModel,
    node: usize,
    ui: &mut Ui,
    theme: &Theme,
) {
    let figures = model.node(node);
    ui.label(theme.strong(middle_ellipsis(&move_label(model, node), 48)));
    let text = if figures.visits > 0 {
        let visits = format_thousands(u64::from(figures.visits.unsigned_abs()));
        let visited = match model.is_classical() {
            true => "nodes searched",
            false => "visits",
        };
        let shared = match model.shared_visits(model.row(node)) {
            Some(all) => format!(" by this move, {} in all", format_thousands(all)),
            None => String::new(),
        };
        format!("{visits} {visited}{shared} · {}", details.value_text)
    } else {
        "never visited".to_owned()
    };
    ui.label(RichText::new(text).color(theme.dim));
    ui.label(RichText::new(details.turn_text()).color(theme.dim));
    if let Ok((replayed, marks)) = &details.board {
        ui.add_space(4.0);
        let wide = (HOVER_CARD_BOARD_WIDTH, Sense::hover());
        textures.show(ui, &replayed.board, marks, wide, theme);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_is_shown_with_searches_that_have_one() {
        let chip = |select: &str| {
            let parameters = [("select", select), ("exploration", "0.5")];
            search_chip_text(&Meta {
                search: "some".to_owned(),
                parameters: (parameters.iter())
                    .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
                ..Meta::default()
            })
        };
        assert_eq!(chip("uct"), "some · C 0.5");
        assert_eq!(chip("ucb1-tuned"), "some");
    }
}
