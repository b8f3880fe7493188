//! The strip below the tree that says what its colours, lines and shapes mean.

use std::sync::Arc;

use canopy_engine::games::notation::escape_invisible;
use egui::{
    Color32, FontId, Frame, Galley, Painter, Panel, Pos2, Rect, Sense, Shape, Stroke, StrokeKind,
    Ui, pos2, vec2,
};

use super::{cut_marks, explain_term};
use crate::{
    app::App,
    draw::theme::{SMALL_SIZE, Theme},
    tree::{
        model::TreeModel,
        node_value::wording,
        raster::{LAST_PATH_DASH, node_colours},
        scene::{Measure, format_signed},
        search_window::ClassicalColumns,
        value_colour::{self, EdgeColours},
    },
    ui::controls::Named as _,
};

/// Height of a row, and the space above the first and below the last, in points.
const ROW_HEIGHT: f32 = 20.0;
const PADDING: f32 = 10.0;
/// Distance from the sides, between a sample and its text, and between entries.
const SIDE: f32 = 16.0;
const TEXT_GAP: f32 = 6.0;
const ENTRY_GAP: f32 = 20.0;
/// The strip has more rows than these only where few words need more.
const MAX_ROWS: usize = 2;

/// The sample drawn before an entry's text.
#[derive(Clone, Copy)]
enum Sample {
    /// A line of this colour.
    Line(Color32),
    /// A dashed line of this colour.
    Dashes(Color32),
    /// A node with this fill and border.
    Node(Color32, Color32),
    /// The end of a game.
    Square(Color32, Color32),
    /// The ring around the selected node.
    Ring(Color32),
    /// The triangle of hidden moves.
    Triangle(Color32),
    /// The ring around a shared node.
    SharedRing(Color32),
    /// Moves that were cut off.
    Scissors,
    /// A value from the table of positions.
    Diamond(Color32),
    /// The colours of the edges.
    Colours(EdgeColours),
}

impl Sample {
    fn width(self) -> f32 {
        match self {
            Self::Line(_) | Self::Dashes(_) => 22.0,
            Self::Scissors | Self::Diamond(_) => 14.0,
            Self::Node(..)
            | Self::Square(..)
            | Self::Ring(_)
            | Self::SharedRing(_)
            | Self::Triangle(_) => 12.0,
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
            Self::Square(fill, border) => {
                let square = Rect::from_center_size(middle, vec2(9.0, 9.0));
                let line = Stroke::new(1.2, border);
                painter.rect(square, 0.0, fill, line, StrokeKind::Middle);
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
            Self::Scissors => cut_marks::draw_scissors(middle, painter, theme),
            Self::Diamond(colour) => cut_marks::draw_diamond(middle, colour, painter, theme),
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

/// What a sample means.
struct Meaning {
    sample: Sample,
    text: String,
    /// The same in fewer words.
    short: Option<&'static str>,
    /// The term that explains it.
    term: &'static str,
    /// Whether it is not in the tree just now.
    is_absent: bool,
}

impl Meaning {
    fn new(sample: Sample, text: impl Into<String>, term: &'static str) -> Self {
        Self {
            sample,
            text: text.into(),
            short: None,
            term,
            is_absent: false,
        }
    }

    /// The same, dim if it is not in the tree just now.
    fn absent_if(self, is_absent: bool) -> Self {
        Self { is_absent, ..self }
    }

    fn full_text(&self) -> &str {
        &self.text
    }

    fn short_text(&self) -> &str {
        self.short.unwrap_or(&self.text)
    }

    fn or(self, short: &'static str) -> Self {
        Self {
            short: Some(short),
            ..self
        }
    }
}

/// An entry with its place in its row.
#[derive(Clone)]
struct Entry {
    sample: Sample,
    text: Arc<Galley>,
    term: &'static str,
    x: f32,
}

impl Entry {
    fn width(&self) -> f32 {
        self.sample.width() + TEXT_GAP + self.text.size().x
    }
}

/// Shows the strip below what is left of the window; `names` are the players'.
pub(super) fn show(app: &App, names: Option<[&str; 2]>, ui: &mut Ui, theme: &Theme) {
    let Some(model) = app.document.model.as_ref().filter(|_| app.settings.legend) else {
        return;
    };
    let rows = lay_out(&meanings(app, model, names, theme), ui, theme);
    let height = ROW_HEIGHT * rows.len() as f32 + 2.0 * PADDING;
    Panel::bottom("legend")
        .frame(Frame::new().fill(theme.panel))
        .exact_size(height)
        .resizable(false)
        .show(ui, |ui| {
            let area = ui.available_rect_before_wrap();
            for (index, row) in rows.into_iter().enumerate() {
                let y = area.top() + PADDING + ROW_HEIGHT * (index as f32 + 0.5);
                for entry in row {
                    show_entry(entry, pos2(area.left(), y), ui, theme);
                }
            }
        });
}

/// Shows an entry in the row whose left end is at a point.
fn show_entry(entry: Entry, left: Pos2, ui: &Ui, theme: &Theme) {
    let Entry {
        sample,
        text,
        term,
        x,
    } = entry;
    let at = left + vec2(x, 0.0);
    sample.draw(at, ui.painter(), theme);
    let corner = at + vec2(sample.width() + TEXT_GAP, -text.size().y / 2.0);
    let right = corner.x + text.size().x;
    ui.painter().galley(corner, text, theme.text);
    let place = Rect::from_min_max(
        at - vec2(0.0, ROW_HEIGHT / 2.0),
        pos2(right, at.y + ROW_HEIGHT / 2.0),
    );
    let id = ui.scope_id().with(("legend", term, x as i32));
    let response = ui.interact(place, id, Sense::hover());
    explain_term(response.named(&format!("legend {term}")), term);
}

/// The entries in rows: in columns where two rows have room for them, else one after the other, in fewer words if they
/// would need more than two rows.
fn lay_out(meanings: &[Meaning], ui: &Ui, theme: &Theme) -> Vec<Vec<Entry>> {
    let right = ui.available_width() - SIDE;
    let full = written(meanings, Meaning::full_text, ui, theme);
    let rows = in_turn(full.clone(), right);
    match rows.len() {
        1 => rows,
        count => in_columns(&full, right).unwrap_or_else(|| match count {
            ..=MAX_ROWS => rows,
            _ => in_turn(written(meanings, Meaning::short_text, ui, theme), right),
        }),
    }
}

/// The entries with their texts, at the left end.
fn written(meanings: &[Meaning], text: fn(&Meaning) -> &str, ui: &Ui, theme: &Theme) -> Vec<Entry> {
    let font = FontId::proportional(SMALL_SIZE);
    let entries = meanings.iter().map(|meaning| {
        let text = text(meaning).to_owned();
        let colour = match meaning.is_absent {
            true => theme.dim,
            false => theme.text,
        };
        Entry {
            sample: meaning.sample,
            text: (ui.painter()).layout_no_wrap(text, font.clone(), colour),
            term: meaning.term,
            x: SIDE,
        }
    });
    entries.collect()
}

/// Two rows whose entries stand below each other; none if there is no room for that.
fn in_columns(entries: &[Entry], right: f32) -> Option<Vec<Vec<Entry>>> {
    let mut rows = vec![Vec::new(); MAX_ROWS];
    let mut x = SIDE;
    for column in entries.chunks(MAX_ROWS) {
        let width = column.iter().map(Entry::width).fold(0.0, f32::max);
        if x + width > right {
            return None;
        }
        for (row, entry) in rows.iter_mut().zip(column) {
            row.push(Entry { x, ..entry.clone() });
        }
        x += width + ENTRY_GAP;
    }
    Some(rows)
}

/// One after the other, in as many rows as they need.
fn in_turn(entries: Vec<Entry>, right: f32) -> Vec<Vec<Entry>> {
    let mut rows: Vec<Vec<Entry>> = vec![Vec::new()];
    let mut x = SIDE;
    for entry in entries {
        let width = entry.width();
        if x > SIDE && x + width > right {
            rows.push(Vec::new());
            x = SIDE;
        }
        if let Some(row) = rows.last_mut() {
            row.push(Entry { x, ..entry });
        }
        x += width + ENTRY_GAP;
    }
    rows
}

/// The meaning of what is drawn now.
fn meanings(app: &App, model: &TreeModel, names: Option<[&str; 2]>, theme: &Theme) -> Vec<Meaning> {
    let names = names.unwrap_or(["first player", "second player"]);
    let mut meanings = Vec::new();
    for (name, is_first) in names.into_iter().zip([true, false]) {
        let (fill, border) = node_colours(theme, model.fills_light(is_first));
        let sample = Sample::Node(fill, border);
        meanings.push(Meaning::new(sample, format!("{name} decides here"), "Node"));
    }
    let is_absent = app.hides_answer();
    let line = Sample::Line(if is_absent { theme.dim } else { theme.cool });
    let meaning = match model.is_classical() {
        true => Meaning::new(line, "chosen line", "Chosen line"),
        false => {
            let text = "most visited line (principal variation)";
            Meaning::new(line, text, "Expected line").or("most visited line")
        }
    };
    meanings.push(meaning.absent_if(is_absent));
    // Also at the end of the journal, so that the canvas keeps its size.
    if !model.last_path.is_empty() || app.document.timeline.status.is_some() {
        let is_absent = model.last_path.is_empty();
        let colour = match is_absent {
            true => theme.dim,
            false => theme.good,
        };
        let dashes = Sample::Dashes(colour);
        let meaning = Meaning::new(dashes, "path of the last iteration", "Last iteration");
        meanings.push(meaning.or("last iteration").absent_if(is_absent));
    }
    if let Some(text) = colour_scale_text(app, model) {
        let measure = app.look().scale.measure;
        let term = match measure {
            Measure::Mean => "Colour by value",
            Measure::Proof => "Colour by proof",
            Measure::Column(_) => "Colour by a column",
            _ => "Colour by visits",
        };
        meanings.push(Meaning::new(Sample::Colours(measure.colours()), text, term));
    }
    if ClassicalColumns::of(model).is_some() {
        let text = "cut off: so many moves not looked at";
        meanings.push(Meaning::new(Sample::Scissors, text, "What happened").or("cut off"));
        let diamond = Sample::Diamond(theme.good);
        let meaning = Meaning::new(diamond, "value from the table", "What happened");
        meanings.push(meaning.or("from the table"));
    }
    if model.has_ends() {
        let (fill, border) = node_colours(theme, true);
        let text = "game over, fill: the winner";
        let square = Meaning::new(Sample::Square(fill, border), text, "End of a game");
        meanings.push(square.or("game over"));
    }
    if model.has_shared_nodes() {
        let ring = Sample::SharedRing(theme.dim);
        let meaning = Meaning::new(ring, "position that several moves lead to", "Shared");
        meanings.push(meaning.or("shared position"));
    }
    // Always, so that the canvas keeps its size when a node is selected.
    let is_absent = app.navigation.selected.is_none();
    let colour = match is_absent {
        true => theme.dim,
        false => theme.warm,
    };
    let text = "selected, and the way to it";
    let meaning = Meaning::new(Sample::Ring(colour), text, "Selected").or("selected");
    meanings.push(meaning.absent_if(is_absent));
    if !model.folds.is_empty() {
        let triangle = Sample::Triangle(theme.dim);
        let meaning = Meaning::new(triangle, "+3: folded moves, click to open", "Folded moves");
        meanings.push(meaning.or("+3: folded moves"));
    }
    meanings
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
        ("proof", _) if model.has_proofs() => {
            let [first, second] = wording(model).players;
            return Some(format!(
                "edge: {first} wins … draw … {second} wins; pale: not proven"
            ));
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
