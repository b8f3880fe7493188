//! Lines, areas and texts in typographic points, from which pixels, SVG and PDF are made.

use egui::Color32;
use tiny_skia::{Path, PathBuilder, Rect, Transform};

use crate::draw::fonts::TextRenderer;

/// A line along a path. All colours are opaque.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its colour.
    pub colour: Color32,
    /// Its width.
    pub width: f32,
    /// Lengths of dashes and gaps; none for a line without gaps.
    pub dash: Option<[f32; 2]>,
    /// Whether its ends and corners are round.
    pub is_round: bool,
}

impl Line {
    /// A line without gaps.
    pub fn new(colour: Color32, width: f32) -> Self {
        Self {
            colour,
            width,
            dash: None,
            is_round: true,
        }
    }
}

/// A path with its ink.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Where it lies.
    pub path: Path,
    /// The colour within it, by the winding rule.
    pub fill: Option<Color32>,
    /// The line along it, over the fill.
    pub line: Option<Line>,
}

/// A text in one of the two weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// For everything.
    Regular,
    /// For titles and moves.
    Semibold,
}

/// The two typefaces.
pub struct Typefaces {
    regular: TextRenderer,
    semibold: TextRenderer,
}

impl Default for Typefaces {
    fn default() -> Self {
        Self {
            regular: TextRenderer::regular(),
            semibold: TextRenderer::semibold(),
        }
    }
}

impl Typefaces {
    fn of(&mut self, weight: Weight) -> &mut TextRenderer {
        match weight {
            Weight::Regular => &mut self.regular,
            Weight::Semibold => &mut self.semibold,
        }
    }

    /// The width of a text.
    pub fn width(&mut self, text: &str, size: f32, weight: Weight) -> f32 {
        self.of(weight).width(text, size)
    }

    /// The outlines of a text that begins at a point, its line's middle at that height.
    pub fn outline(
        &mut self,
        text: &str,
        size: f32,
        weight: Weight,
        (x, middle): (f32, f32),
    ) -> Option<Path> {
        let face = self.of(weight);
        let baseline = middle + face.baseline_drop() * size;
        let path = face.outline(text, size)?;
        path.transform(Transform::from_translate(x, baseline))
    }
}

/// A page of shapes, the first at the bottom.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Width in points.
    pub width: f32,
    /// Height in points.
    pub height: f32,
    /// The ground.
    pub ground: Color32,
    /// What is drawn on it.
    pub shapes: Vec<Shape>,
    /// Its title, for programs that read pictures to people.
    pub title: String,
    /// What it shows, likewise.
    pub description: String,
}

impl Drawing {
    /// Fills a path.
    pub fn fill(&mut self, path: Option<Path>, colour: Color32) {
        self.shapes.extend(path.map(|path| Shape {
            path,
            fill: Some(colour),
            line: None,
        }));
    }

    /// Draws a line along a path.
    pub fn stroke(&mut self, path: Option<Path>, line: Line) {
        self.shapes.extend(path.map(|path| Shape {
            path,
            fill: None,
            line: Some(line),
        }));
    }

    /// Fills a path and draws a line along it.
    pub fn outlined(&mut self, path: Option<Path>, fill: Color32, line: Line) {
        self.shapes.extend(path.map(|path| Shape {
            path,
            fill: Some(fill),
            line: Some(line),
        }));
    }

    /// Fills a rectangle.
    pub fn fill_rect(&mut self, (left, top): (f32, f32), (width, height): (f32, f32), c: Color32) {
        let rect = Rect::from_xywh(left, top, width, height);
        self.fill(rect.map(PathBuilder::from_rect), c);
    }

    /// Draws a line through points.
    pub fn polyline(&mut self, points: &[(f32, f32)], line: Line) {
        self.stroke(through(points), line);
    }
}

/// The path through points; none for fewer than two.
pub fn through(points: &[(f32, f32)]) -> Option<Path> {
    let (&(x, y), rest) = points.split_first()?;
    if rest.is_empty() {
        return None;
    }
    let mut path = PathBuilder::new();
    path.move_to(x, y);
    for &(x, y) in rest {
        path.line_to(x, y);
    }
    path.finish()
}
