//! Figures for publications: a tree with title, legend, scale and caption on one page, as shapes in typographic points.

use std::sync::Arc;

use tiny_skia::PathBuilder;

use self::{
    drawing::{Drawing, Line, Typefaces, Weight},
    legend::Legend,
};
use crate::{
    draw::theme::Theme,
    tree::{
        camera::{Camera, Canvas, Margins, TreeBounds},
        labels::{LabelledView, Labeller, REST_SIZE},
        model::{Filter, TreeModel},
        scene::{self, LabelStyle, RenderOptions},
    },
};

pub mod animation;
pub mod drawing;
mod gif;
mod legend;
pub mod pdf;
pub mod pixels;
pub mod svg;
mod tree_shapes;
pub mod words;

/// Points in a millimetre.
pub const POINTS_PER_MM: f64 = 72.0 / 25.4;
/// Size of text, in points, in a column of 88 mm.
pub const DEFAULT_TEXT_SIZE: f64 = 6.0;
/// Width of a column, in millimetres.
pub const DEFAULT_WIDTH_MM: f64 = 88.0;

/// The following lengths are multiples of the size of text.
const MARGIN: f64 = 1.05;
const CAPTION_LINE: f64 = 1.3;
const LEGEND_ROW: f64 = 1.55;
const GAP: f64 = 0.75;

/// What a figure shows beside the tree, and how large it is.
#[derive(Clone, Debug)]
pub struct FigureSpec {
    /// Width in points.
    pub width: f64,
    /// Height in points; none for as much as the layers need.
    pub height: Option<f64>,
    /// Size of text in points.
    pub text_size: f64,
    /// The title above the tree; none if there is none.
    pub title: Option<String>,
    /// The caption below; a leading "Figure 1." is set in semibold.
    pub caption: Option<String>,
    /// Whether it says what colours and signs mean.
    pub has_legend: bool,
    /// The colours.
    pub theme: Theme,
    /// Colours and shapes of nodes.
    pub look: RenderOptions,
    /// The selected node.
    pub selected: Option<usize>,
    /// What the page has room for; none for the tree that is shown.
    pub bounds: Option<TreeBounds>,
}

impl FigureSpec {
    /// A figure of so many points on white ground, without title and caption.
    pub fn new(width: f64) -> Self {
        Self {
            width,
            height: None,
            text_size: DEFAULT_TEXT_SIZE,
            title: None,
            caption: None,
            has_legend: true,
            theme: print_theme(false),
            look: RenderOptions {
                label_style: LabelStyle::Shares,
                ..RenderOptions::default()
            },
            selected: None,
            bounds: None,
        }
    }
}

/// The colours of a figure: on white, or the dark ones of the screen.
pub fn print_theme(is_dark: bool) -> Theme {
    match is_dark {
        true => Theme::dark(),
        false => Theme {
            canvas: egui::Color32::WHITE,
            ..Theme::light()
        },
    }
}

/// What a figure shows of a large tree unless something else is asked for: the best four, three and two children of three
/// levels, with at least two hundredths of the visits.
pub fn default_filter(root_visits: i32) -> Filter {
    Filter {
        max_children_by_level: vec![4, 3, 2],
        max_levels: Some(3),
        min_visits: (root_visits / 50).max(0).unsigned_abs(),
        sort_by_visits: true,
        folds_root_alone: true,
        ..Filter::default()
    }
}

/// The words and the width of a figure of what is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureWords {
    /// The title; empty for none.
    pub title: String,
    /// The caption; empty for none.
    pub caption: String,
    /// Width in millimetres.
    pub width_mm: f64,
}

/// The formats of a figure, as files' names end.
pub const FORMATS: [&str; 3] = ["png", "svg", "pdf"];

/// The bytes of a file in one of [`FORMATS`]; `dpi` is the resolution of pixels.
pub fn encode(drawing: &Drawing, extension: &str, dpi: f64) -> Result<Vec<u8>, String> {
    match extension.to_ascii_lowercase().as_str() {
        "png" => pixels::png(drawing, dpi),
        "svg" => Ok(svg::render(drawing).into_bytes()),
        "pdf" => pdf::render(drawing),
        _ => Err("expected a name that ends in .png, .svg or .pdf".to_owned()),
    }
}

/// Lays a figure out.
pub fn compose(model: &Arc<TreeModel>, spec: &FigureSpec) -> Drawing {
    let mut page = Page::new(model, spec);
    page.add_title();
    let below = page.height_below();
    page.add_tree(below);
    page.add_notes();
    page.drawing
}

/// A figure in the making, from the top to the bottom.
struct Page<'a> {
    model: &'a Arc<TreeModel>,
    spec: &'a FigureSpec,
    faces: Typefaces,
    drawing: Drawing,
    legend: Option<Legend>,
    caption: Vec<Vec<(String, Weight)>>,
    margin: f32,
    text: f32,
    y: f32,
}

impl<'a> Page<'a> {
    fn new(model: &'a Arc<TreeModel>, spec: &'a FigureSpec) -> Self {
        let mut faces = Typefaces::default();
        let (text, margin) = (spec.text_size as f32, (spec.text_size * MARGIN) as f32);
        let room = spec.width as f32 - 2.0 * margin;
        let legend = (spec.has_legend).then(|| Legend::new(model, spec, &mut faces, room));
        let caption = spec.caption.as_deref().unwrap_or_default();
        let caption = words::wrap(caption, room, text, &mut faces);
        Self {
            drawing: Drawing {
                width: spec.width as f32,
                height: 0.0,
                ground: spec.theme.canvas,
                shapes: Vec::new(),
                title: spec.title.clone().unwrap_or_default(),
                description: spec.caption.clone().unwrap_or_default(),
            },
            model,
            spec,
            faces,
            legend,
            caption,
            margin,
            text,
            y: margin,
        }
    }

    fn add_title(&mut self) {
        /// Size of the title and height of its line, in multiples of the size of text.
        const TITLE_SIZE: f64 = 1.2;
        const TITLE_HEIGHT: f64 = 2.2;
        let Some(title) = self.spec.title.as_deref().filter(|title| !title.is_empty()) else {
            return;
        };
        let room = self.drawing.width - 2.0 * self.margin;
        // A long title is set smaller, down to the size of the text.
        let wanted = self.text * TITLE_SIZE as f32;
        let width = self.faces.width(title, wanted, Weight::Semibold);
        let size = (wanted * (room / width).min(1.0)).max(self.text);
        let height = self.text * TITLE_HEIGHT as f32;
        self.add_text(
            title,
            size,
            Weight::Semibold,
            (self.margin, self.y + size * 0.6),
        );
        self.y += height;
    }

    fn add_text(&mut self, text: &str, size: f32, weight: Weight, at: (f32, f32)) {
        let path = self.faces.outline(text, size, weight, at);
        self.drawing.fill(path, self.spec.theme.text);
    }

    /// The height of the legend and the caption with the rule above them and the margin below.
    fn height_below(&self) -> f32 {
        let rows = self.legend.as_ref().map_or(0, |legend| legend.rows.len());
        let rows = rows as f32 * self.text * LEGEND_ROW as f32;
        let lines = self.caption.len() as f32 * self.text * CAPTION_LINE as f32;
        let gap = self.text * GAP as f32;
        let is_empty = rows + lines <= 0.0;
        rows + lines + self.margin + if is_empty { 0.0 } else { 2.0 * gap }
    }

    fn add_tree(&mut self, below: f32) {
        /// Distance between layers where the height of the figure is not given, in multiples of the size of text.
        const LAYER_SPACING: f64 = 3.7;
        /// Free margins of the tree, in the same unit.
        const TREE_SIDE: f64 = 3.2;
        const TREE_TOP: f64 = 2.4;
        const TREE_BOTTOM: f64 = 2.2;
        /// Edges whose ends are closer than this are one, in points of print.
        const MERGE_DISTANCE: f64 = 0.2;
        let spec = self.spec;
        let bounds = (spec.bounds).unwrap_or_else(|| scene::tree_bounds(self.model));
        let text = spec.text_size;
        let free = (TREE_TOP + TREE_BOTTOM) * text;
        let height = match spec.height {
            Some(height) => height - f64::from(self.y + below),
            None => free + (bounds.bottom - bounds.top) * LAYER_SPACING * text,
        }
        .max(free);
        let canvas = Canvas {
            width: spec.width,
            height,
            scale: text / f64::from(REST_SIZE),
        };
        let points = f64::from(REST_SIZE);
        let margins = Margins {
            side: TREE_SIDE * points,
            top: TREE_TOP * points,
            bottom: TREE_BOTTOM * points,
        };
        let camera = Camera::fit_within(&margins, &bounds, &canvas);
        let mut scene = scene::build_scene(
            self.model,
            &camera,
            &canvas,
            &spec.look,
            spec.selected,
            MERGE_DISTANCE,
        );
        scene.labels = Labeller::default().place(
            &scene,
            &LabelledView {
                model: self.model,
                camera: &camera,
                canvas: &canvas,
                options: &spec.look,
                selected: spec.selected,
                overlays: &[],
            },
        );
        let mut shapes = tree_shapes::TreeShapes {
            model: self.model,
            theme: &spec.theme,
            scale: canvas.scale as f32,
            top: self.y,
            faces: &mut self.faces,
            drawing: &mut self.drawing,
        };
        shapes.add(&scene);
        self.y += height as f32;
    }

    /// The rule, the legend and the caption.
    fn add_notes(&mut self) {
        let gap = self.text * GAP as f32;
        if self.legend.is_some() || !self.caption.is_empty() {
            let right = self.drawing.width - self.margin;
            let rule = Line {
                is_round: false,
                ..Line::new(self.spec.theme.line, self.text * 0.06)
            };
            (self.drawing).polyline(&[(self.margin, self.y), (right, self.y)], rule);
            self.y += gap;
        }
        if let Some(legend) = self.legend.take() {
            let row = self.text * LEGEND_ROW as f32;
            let at = (self.margin, self.y + row / 2.0);
            legend.draw(at, row, self.spec, &mut self.faces, &mut self.drawing);
            self.y += row * legend.rows.len() as f32 + gap / 2.0;
        }
        let line = self.text * CAPTION_LINE as f32;
        for words in std::mem::take(&mut self.caption) {
            let mut x = self.margin;
            for (text, weight) in words {
                self.add_text(&text, self.text, weight, (x, self.y + line / 2.0));
                x += self.faces.width(&text, self.text, weight);
            }
            self.y += line;
        }
        let natural = self.y + self.margin;
        self.drawing.height = (self.spec.height).map_or(natural, |height| height as f32);
    }
}

/// A closed disc.
fn disc((x, y): (f32, f32), radius: f32) -> Option<tiny_skia::Path> {
    PathBuilder::from_circle(x, y, radius)
}
