//! Where one looks at a tree from: which part of it lies where on the canvas.

/// Bounds of the distance between layers, in points. A tree that is too deep for the lower one is fitted all the same.
const MIN_LAYER_SPACING: f64 = 44.0;
const MAX_LAYER_SPACING: f64 = 130.0;
/// Upper bound of the distance between neighbours, in points.
const MAX_SIBLING_SPACING: f64 = 400.0;
/// Free margin around a fitted tree, in points; wider at the top, where controls lie over the canvas.
const MARGIN: f64 = 40.0;
const TOP_MARGIN: f64 = 68.0;
/// The same over a fitted subtree, where the path from the root lies over the canvas, too.
const SUBTREE_TOP_MARGIN: f64 = 116.0;

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Canvas {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Pixels a point.
    pub scale: f64,
}

/// The part of a tree to fit onto the canvas, in units of neighbours and layers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeBounds {
    /// Left edge.
    pub left: f64,
    /// Right edge.
    pub right: f64,
    /// The first layer.
    pub top: f64,
    /// The last layer.
    pub bottom: f64,
}

/// Free margins around a fitted tree, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    /// On the left and on the right.
    pub side: f64,
    /// Above the root.
    pub top: f64,
    /// Below the last layer.
    pub bottom: f64,
}

/// A place to look from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The centre of the canvas, in units of neighbours and layers.
    pub x: f64,
    /// The layer in the middle.
    pub y: f64,
    /// Pixels between neighbours.
    pub sibling_spacing: f64,
    /// Pixels between layers.
    pub layer_spacing: f64,
    /// The same when the whole tree fits: layers never lie closer than then.
    fit_sibling_spacing: f64,
    fit_layer_spacing: f64,
}

impl Camera {
    /// A camera that sees all of `bounds`.
    pub fn fit(bounds: &TreeBounds, canvas: &Canvas) -> Self {
        Self::fit_below(TOP_MARGIN, bounds, canvas)
    }

    fn fit_below(top_margin: f64, bounds: &TreeBounds, canvas: &Canvas) -> Self {
        let margins = Margins {
            side: MARGIN,
            top: top_margin,
            bottom: MARGIN,
        };
        Self::fit_within(&margins, bounds, canvas)
    }

    /// A camera that sees all of `bounds` within these margins.
    pub fn fit_within(margins: &Margins, bounds: &TreeBounds, canvas: &Canvas) -> Self {
        let room = |size: f64, free: f64| (size - free * canvas.scale).max(1.0);
        let width = bounds.right - bounds.left;
        let height = bounds.bottom - bounds.top;
        let spread = |room: f64, size: f64, most: f64| {
            if size > 0.0 {
                (room / size).min(most * canvas.scale)
            } else {
                most * canvas.scale
            }
        };
        let sibling_spacing = spread(
            room(canvas.width, 2.0 * margins.side),
            width,
            MAX_SIBLING_SPACING / 4.0,
        );
        let layer_spacing = spread(
            room(canvas.height, margins.bottom + margins.top),
            height,
            MAX_LAYER_SPACING,
        );
        Self {
            x: f64::midpoint(bounds.left, bounds.right),
            y: f64::midpoint(bounds.top, bounds.bottom)
                - (margins.top - margins.bottom) / 2.0 * canvas.scale / layer_spacing,
            sibling_spacing,
            layer_spacing,
            fit_sibling_spacing: sibling_spacing,
            fit_layer_spacing: layer_spacing,
        }
    }

    /// Where a place of the tree lies on the canvas.
    pub fn to_canvas(&self, canvas: &Canvas, x: f64, y: f64) -> (f64, f64) {
        (
            canvas.width / 2.0 + (x - self.x) * self.sibling_spacing,
            canvas.height / 2.0 + (y - self.y) * self.layer_spacing,
        )
    }

    /// Which place of the tree lies at a pixel.
    pub fn to_tree(&self, canvas: &Canvas, x: f64, y: f64) -> (f64, f64) {
        (
            self.x + (x - canvas.width / 2.0) / self.sibling_spacing,
            self.y + (y - canvas.height / 2.0) / self.layer_spacing,
        )
    }

    /// Moves the tree by this many pixels.
    pub fn pan(&mut self, dx: f64, dy: f64) {
        self.x -= dx / self.sibling_spacing;
        self.y -= dy / self.layer_spacing;
    }

    /// Magnification relative to the fitted tree.
    pub fn zoom(&self) -> f64 {
        self.sibling_spacing / self.fit_sibling_spacing
    }

    /// Zooms by `factor`; the point under the pixel (`x`, `y`) stays in place.
    pub fn zoom_at(&mut self, canvas: &Canvas, factor: f64, x: f64, y: f64) {
        let (tree_x, tree_y) = self.to_tree(canvas, x, y);
        let least = self.fit_sibling_spacing / 8.0;
        let most = (MAX_SIBLING_SPACING * canvas.scale).max(self.fit_sibling_spacing);
        let usual_before = self.usual_layer_spacing(canvas);
        self.sibling_spacing = (self.sibling_spacing * factor).clamp(least, most);
        let usual = self.usual_layer_spacing(canvas);
        self.layer_spacing = if self.zoom() <= 1.0 {
            usual
        } else {
            // A subtree may have been fitted with other distances: they change alike.
            let (least, most) = self.layer_spacing_bounds(canvas);
            (self.layer_spacing * usual / usual_before).clamp(least, most)
        };
        self.x = tree_x - (x - canvas.width / 2.0) / self.sibling_spacing;
        self.y = tree_y - (y - canvas.height / 2.0) / self.layer_spacing;
    }

    /// Bounds of the distance between layers in pixels: far enough apart to be read, unless the tree is too deep for that.
    fn layer_spacing_bounds(&self, canvas: &Canvas) -> (f64, f64) {
        (
            (MIN_LAYER_SPACING * canvas.scale).min(self.fit_layer_spacing),
            (MAX_LAYER_SPACING * canvas.scale).max(self.fit_layer_spacing),
        )
    }

    /// The distance between layers at this zoom: both axes scale alike between the bounds.
    fn usual_layer_spacing(&self, canvas: &Canvas) -> f64 {
        let (least, most) = self.layer_spacing_bounds(canvas);
        (self.fit_layer_spacing * self.zoom()).clamp(least, most)
    }

    /// Scales everything, the canvas included.
    pub fn scale_by(&mut self, scale: f64) {
        for length in [
            &mut self.sibling_spacing,
            &mut self.layer_spacing,
            &mut self.fit_sibling_spacing,
            &mut self.fit_layer_spacing,
        ] {
            *length *= scale;
        }
    }

    /// A place on the way from one camera to another, at a part of it from 0 to 1. Distances grow by equal factors, and what
    /// stays in place at both ends does so all the way.
    pub fn between(from: &Self, to: &Self, part: f64) -> Self {
        let axis = |(from_at, from_spacing): (f64, f64), (to_at, to_spacing): (f64, f64)| {
            let spacing = from_spacing * (to_spacing / from_spacing).powf(part);
            let change = from_spacing / to_spacing - 1.0;
            let gone = match change.abs() > 1e-6 {
                true => (from_spacing / spacing - 1.0) / change,
                false => part,
            };
            (from_at + (to_at - from_at) * gone, spacing)
        };
        let (x, sibling_spacing) = axis((from.x, from.sibling_spacing), (to.x, to.sibling_spacing));
        let (y, layer_spacing) = axis((from.y, from.layer_spacing), (to.y, to.layer_spacing));
        Self {
            x,
            y,
            sibling_spacing,
            layer_spacing,
            ..*to
        }
    }

    /// The whole tree has other bounds now; nothing moves.
    pub fn refit(&mut self, bounds: &TreeBounds, canvas: &Canvas) {
        let fitting = Self::fit(bounds, canvas);
        (self.fit_sibling_spacing, self.fit_layer_spacing) =
            (fitting.fit_sibling_spacing, fitting.fit_layer_spacing);
    }

    /// Looks so that `bounds` fit, or their top if they are too deep for layers that can be read.
    pub fn zoom_to(&mut self, bounds: &TreeBounds, canvas: &Canvas) {
        let close = Self::fit_below(SUBTREE_TOP_MARGIN, bounds, canvas);
        let (least, most) = self.layer_spacing_bounds(canvas);
        self.sibling_spacing = close.sibling_spacing;
        self.layer_spacing = close.layer_spacing.clamp(least, most);
        self.x = close.x;
        let is_whole = self.layer_spacing <= close.layer_spacing;
        self.y = if is_whole {
            close.y
        } else {
            let middle = canvas.height / 2.0 - SUBTREE_TOP_MARGIN * canvas.scale;
            bounds.top + middle / self.layer_spacing
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANVAS: Canvas = Canvas {
        width: 1600.0,
        height: 1000.0,
        scale: 1.0,
    };

    #[test]
    fn a_tree_that_fits_lies_within_the_margins() {
        for (right, bottom) in [(460_000.0, 11.0), (0.0, 0.0), (3.0, 1e6), (100.0, 1.0)] {
            let bounds = TreeBounds {
                right,
                bottom,
                ..TreeBounds::default()
            };
            let camera = Camera::fit(&bounds, &CANVAS);
            for (x, y) in [(0.0, 0.0), (right, bottom)] {
                let (x, y) = camera.to_canvas(&CANVAS, x, y);
                assert!(
                    (39.9..=1560.1).contains(&x) && (39.9..=960.1).contains(&y),
                    "{x} {y}"
                );
            }
        }
    }

    #[test]
    fn a_flight_keeps_in_place_what_its_ends_do() {
        let bounds = TreeBounds {
            right: 1000.0,
            bottom: 12.0,
            ..TreeBounds::default()
        };
        let from = Camera::fit(&bounds, &CANVAS);
        let mut to = from;
        to.zoom_at(&CANVAS, 9.0, 300.0, 200.0);
        let (x, y) = from.to_tree(&CANVAS, 300.0, 200.0);
        for step in 0..=10 {
            let camera = Camera::between(&from, &to, f64::from(step) / 10.0);
            let (at_x, at_y) = camera.to_canvas(&CANVAS, x, y);
            assert!((at_x - 300.0).abs() < 1e-6 && (at_y - 200.0).abs() < 1e-6);
            assert!(camera.zoom() >= from.zoom() - 1e-9 && camera.zoom() <= to.zoom() + 1e-9);
        }
        let mut beside = from;
        beside.pan(50.0, 0.0);
        let half = Camera::between(&from, &beside, 0.5);
        assert!((half.x - f64::midpoint(from.x, beside.x)).abs() < 1e-9);
    }

    #[test]
    fn what_lies_under_the_pointer_stays_there() {
        let bounds = TreeBounds {
            right: 1000.0,
            bottom: 12.0,
            ..TreeBounds::default()
        };
        let mut camera = Camera::fit(&bounds, &CANVAS);
        for factor in [1.1, 3.0, 20.0, 0.5, 1e9, 1e-9, 1.0] {
            let before = camera.to_tree(&CANVAS, 300.0, 200.0);
            camera.zoom_at(&CANVAS, factor, 300.0, 200.0);
            let after = camera.to_tree(&CANVAS, 300.0, 200.0);
            assert!((before.0 - after.0).abs() < 1e-6 && (before.1 - after.1).abs() < 1e-6);
            let (x, y) = camera.to_canvas(&CANVAS, after.0, after.1);
            assert!((x - 300.0).abs() < 1e-6 && (y - 200.0).abs() < 1e-6);
        }
        camera.pan(10.0, -20.0);
        let place = camera.to_tree(&CANVAS, 310.0, 180.0);
        camera.pan(-10.0, 20.0);
        let (x, y) = camera.to_canvas(&CANVAS, place.0, place.1);
        assert!((x - 300.0).abs() < 1e-6 && (y - 200.0).abs() < 1e-6);
    }
}
