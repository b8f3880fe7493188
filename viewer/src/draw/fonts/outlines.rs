//! The shapes of signs, to be filled and outlined like any other drawing.

use ab_glyph::{Font as _, FontRef, OutlineCurve, Point};
use tiny_skia::{Path, PathBuilder, Rect};

/// The outline of a glyph. One unit is the size of the em, y points downwards.
#[derive(Clone, Debug)]
pub struct GlyphOutline {
    /// The sign as it is printed, to be filled by the winding rule.
    pub glyph: Path,
    /// The area within its outer contours: the glyph without its cut-outs.
    pub silhouette: Path,
}

impl GlyphOutline {
    /// The sign as DejaVu Sans draws it; none if it has no such sign or nothing to draw for it.
    pub fn of(sign: char) -> Option<Self> {
        let font = FontRef::try_from_slice(super::DEJAVU_SANS).ok()?;
        let unit = 1.0 / font.units_per_em()?;
        let outline = font.outline(font.glyph_id(sign))?;
        let contours = contours(&outline.curves);
        // Borders that run the way the largest one runs have ink inside, the others have it outside.
        let main = (contours.iter().map(|contour| area(contour)))
            .max_by(|one, other| one.abs().total_cmp(&other.abs()))?;
        let outer = (contours.iter()).filter(|contour| (area(contour) > 0.0) == (main > 0.0));
        Some(Self {
            silhouette: path(outer, unit)?,
            glyph: path(contours.iter(), unit)?,
        })
    }

    /// The smallest upright rectangle around it.
    pub fn bounds(&self) -> Rect {
        self.silhouette.bounds()
    }
}

/// The closed lines that the curves make up, one after another.
fn contours(curves: &[OutlineCurve]) -> Vec<&[OutlineCurve]> {
    curves
        .chunk_by(|before, after| end(before) == start(after))
        .collect()
}

fn start(curve: &OutlineCurve) -> Point {
    match *curve {
        OutlineCurve::Line(from, _)
        | OutlineCurve::Quad(from, _, _)
        | OutlineCurve::Cubic(from, _, _, _) => from,
    }
}

fn end(curve: &OutlineCurve) -> Point {
    match *curve {
        OutlineCurve::Line(_, to)
        | OutlineCurve::Quad(_, _, to)
        | OutlineCurve::Cubic(_, _, _, to) => to,
    }
}

/// Twice the area of the polygon through the ends of the curves; its sign says which way round they run.
fn area(contour: &[OutlineCurve]) -> f32 {
    contour
        .iter()
        .map(|curve| (start(curve), end(curve)))
        .map(|(from, to)| from.x * to.y - to.x * from.y)
        .sum()
}

fn path<'a>(contours: impl Iterator<Item = &'a &'a [OutlineCurve]>, unit: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    for contour in contours {
        push_contour(&mut path, contour, unit, (0.0, 0.0));
    }
    path.finish()
}

/// Adds the closed lines of curves to a path: `unit` is the length of one of their units, `at` the place of their origin.
pub(super) fn push_curves(
    path: &mut PathBuilder,
    curves: &[OutlineCurve],
    unit: f32,
    at: (f32, f32),
) {
    for contour in contours(curves) {
        push_contour(path, contour, unit, at);
    }
}

fn push_contour(
    path: &mut PathBuilder,
    contour: &[OutlineCurve],
    unit: f32,
    (left, base): (f32, f32),
) {
    let at = |point: Point| (left + point.x * unit, base - point.y * unit);
    let Some(first) = contour.first() else { return };
    let (x, y) = at(start(first));
    path.move_to(x, y);
    for curve in contour {
        let (x, y) = at(end(curve));
        match *curve {
            OutlineCurve::Line(..) => path.line_to(x, y),
            OutlineCurve::Quad(_, bend, _) => {
                let (bend_x, bend_y) = at(bend);
                path.quad_to(bend_x, bend_y, x, y);
            }
            OutlineCurve::Cubic(_, first, second, _) => {
                let ((first_x, first_y), (second_x, second_y)) = (at(first), at(second));
                path.cubic_to(first_x, first_y, second_x, second_y, x, y);
            }
        }
    }
    path.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chess_pieces_have_a_silhouette_larger_than_their_ink() {
        for piece in "♚♛♜♝♞♟".chars() {
            let outline = GlyphOutline::of(piece).unwrap();
            let bounds = outline.bounds();
            assert_eq!(bounds, outline.glyph.bounds(), "{piece}");
            assert!(
                bounds.height() > 0.5 && bounds.height() < 1.0,
                "{piece} {bounds:?}"
            );
            assert!(outline.silhouette.len() <= outline.glyph.len(), "{piece}");
        }
    }

    #[test]
    fn what_has_no_ink_has_no_outline() {
        assert!(GlyphOutline::of(' ').is_none());
    }
}
