//! What the colours, lines and signs of a figure mean, in as few rows as there is room for.

use egui::Color32;

use super::{
    FigureSpec, disc,
    drawing::{Drawing, Line, Typefaces, Weight},
    tree_shapes::print_colours,
    words::scale_text,
};
use crate::tree::{
    model::TreeModel, node_value::wording, raster::LAST_PATH_DASH, value_colour::EdgeColours,
};

/// Lengths in multiples of the size of text.
const LINE_SAMPLE: f32 = 1.45;
const BAR_SAMPLE: f32 = 4.0;
const DISC_SAMPLE: f32 = 0.75;
const TEXT_GAP: f32 = 0.45;
const ENTRY_GAP: f32 = 1.2;

#[derive(Clone, Copy)]
enum Sample {
    Node(Color32, Color32),
    Line(Color32, bool),
    Ring(Color32),
    Colours(EdgeColours),
}

impl Sample {
    fn width(self, text: f32) -> f32 {
        text * match self {
            Self::Line(..) => LINE_SAMPLE,
            Self::Colours(_) => BAR_SAMPLE,
            Self::Node(..) | Self::Ring(_) => DISC_SAMPLE,
        }
    }
}

/// An entry with its place in its row.
pub(super) struct Entry {
    sample: Sample,
    text: String,
    x: f32,
}

/// The entries, row by row.
pub(super) struct Legend {
    pub(super) rows: Vec<Vec<Entry>>,
}

impl Legend {
    pub(super) fn new(
        model: &TreeModel,
        spec: &FigureSpec,
        faces: &mut Typefaces,
        room: f32,
    ) -> Self {
        let size = spec.text_size as f32;
        let mut rows: Vec<Vec<Entry>> = vec![Vec::new()];
        let mut x = 0.0;
        for (sample, text) in meanings(model, spec) {
            let width =
                sample.width(size) + TEXT_GAP * size + faces.width(&text, size, Weight::Regular);
            if x > 0.0 && x + width > room {
                rows.push(Vec::new());
                x = 0.0;
            }
            if let Some(row) = rows.last_mut() {
                row.push(Entry { sample, text, x });
            }
            x += width + ENTRY_GAP * size;
        }
        Self { rows }
    }

    /// Draws the rows; the middle of the first one's left end lies at a point.
    pub(super) fn draw(
        &self,
        (left, top): (f32, f32),
        row_height: f32,
        spec: &FigureSpec,
        faces: &mut Typefaces,
        to: &mut Drawing,
    ) {
        let size = spec.text_size as f32;
        for (index, row) in self.rows.iter().enumerate() {
            let y = top + row_height * index as f32;
            for entry in row {
                let x = left + entry.x;
                draw_sample(entry.sample, (x, y), spec, to);
                let at = (x + entry.sample.width(size) + TEXT_GAP * size, y);
                let path = faces.outline(&entry.text, size, Weight::Regular, at);
                to.fill(path, spec.theme.text);
            }
        }
    }
}

fn draw_sample(sample: Sample, (x, y): (f32, f32), spec: &FigureSpec, to: &mut Drawing) {
    let size = spec.text_size as f32;
    let width = sample.width(size);
    let middle = (x + width / 2.0, y);
    match sample {
        Sample::Node(fill, border) => {
            let path = disc(middle, width * 0.42);
            to.outlined(path, fill, Line::new(border, size * 0.09));
        }
        Sample::Ring(colour) => {
            to.stroke(disc(middle, width * 0.42), Line::new(colour, size * 0.16));
        }
        Sample::Line(colour, is_dashed) => {
            let scale = size / 12.0;
            let line = Line {
                dash: is_dashed.then(|| LAST_PATH_DASH.map(|length| length * scale)),
                is_round: !is_dashed,
                ..Line::new(colour, size * 0.2)
            };
            to.polyline(&[(x, y), (x + width, y)], line);
        }
        Sample::Colours(colours) => {
            const STEPS: usize = 64;
            let part = width / STEPS as f32;
            for step in 0..STEPS {
                let heat = step as f32 / (STEPS - 1) as f32;
                let [red, green, blue] = colours.rgb(&spec.theme, heat);
                // To the end of the bar, so that no gap is seen between two.
                let at = (x + part * step as f32, y - size * 0.33);
                let reach = width - part * step as f32;
                let colour = Color32::from_rgb(red, green, blue);
                to.fill_rect(at, (reach, size * 0.66), colour);
            }
        }
    }
}

fn meanings(model: &TreeModel, spec: &FigureSpec) -> Vec<(Sample, String)> {
    let theme = &spec.theme;
    let names = wording(model).players;
    let mut entries: Vec<(Sample, String)> = (names.into_iter().zip([true, false]))
        .map(|(name, is_first)| {
            let (fill, border) = print_colours(theme, model.fills_light(is_first));
            (Sample::Node(fill, border), format!("{name} decides"))
        })
        .collect();
    let line = match model.is_classical() {
        true => "chosen line",
        false => "expected line",
    };
    entries.push((Sample::Line(theme.cool, false), line.to_owned()));
    if !model.last_path.is_empty() {
        let text = "path of the last iteration".to_owned();
        entries.push((Sample::Line(theme.good, true), text));
    }
    if spec.selected.is_some() {
        entries.push((Sample::Ring(theme.warm), "selected".to_owned()));
    }
    if let Some(text) = scale_text(model, &spec.look.scale) {
        let colours = spec.look.scale.measure.colours();
        entries.push((Sample::Colours(colours), text));
    }
    entries
}
