//! Damage tracking: the parts of a frame that differ from the previous one and must be repainted.

use egui::{
    Rect, TextureId, TexturesDelta,
    epaint::{ClippedShape, ImageDelta},
};

use crate::draw::painter::PixelRect;

/// More parts than this are not worth going through the interface for.
const MAX_AREAS: usize = 8;
/// Pixels repainted in vain up to which two rectangles are merged.
const MAX_WASTED_PIXELS: f32 = 4096.0;
/// Shapes to look ahead for the point where two lists match again.
const MAX_LOOKAHEAD: usize = 48;

/// The damaged part of a frame: a few rectangles, in pixels. They may overlap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Damage {
    areas: Vec<Rect>,
}

impl Damage {
    /// Everything.
    pub fn add_all(&mut self) {
        self.areas = vec![Rect::EVERYTHING];
    }

    /// A rectangle.
    pub fn add(&mut self, area: Rect) {
        if !area.is_positive() {
            return;
        }
        let mut area = area;
        // A merged rectangle may be close enough to a third.
        loop {
            let waste = |other: &Rect| {
                let both = area.union(*other);
                if both == *other {
                    f32::NEG_INFINITY
                } else {
                    both.area() - area.area() - other.area()
                }
            };
            let nearest = (self.areas.iter().map(waste).enumerate())
                .min_by(|(_, one), (_, other)| one.total_cmp(other));
            match nearest {
                Some((index, waste))
                    if waste <= MAX_WASTED_PIXELS || self.areas.len() >= MAX_AREAS =>
                {
                    area = area.union(self.areas.swap_remove(index));
                }
                _ => break self.areas.push(area),
            }
        }
    }

    /// Where one interface looks different from another, textures aside.
    pub fn add_changes(&mut self, before: &[ClippedShape], now: &[ClippedShape], scale: f32) {
        let (mut gone, mut new) = (before, now);
        loop {
            match (gone, new) {
                ([old, rest @ ..], [same, others @ ..]) if old == same => {
                    (gone, new) = (rest, others);
                }
                ([], []) => return,
                _ => {
                    let (skipped, more) = skip_to_match(gone, new);
                    for shape in gone[..skipped].iter().chain(&new[..more]) {
                        self.add_shape(shape, scale);
                    }
                    (gone, new) = (&gone[skipped..], &new[more..]);
                }
            }
        }
    }

    /// Where textures are shown that are different now.
    pub fn add_textures(&mut self, delta: &TexturesDelta, shown: &[ClippedShape], scale: f32) {
        // Letters are added where there were none, but for when all are drawn anew.
        let letters = TextureId::default();
        let is_anew = |deltas: &[ImageDelta]| deltas.iter().any(ImageDelta::is_whole);
        if delta
            .set
            .get(&letters)
            .is_some_and(|deltas| is_anew(deltas))
        {
            return self.add_all();
        }
        for shape in shown {
            let id = shape.shape.texture_id();
            if id != letters && delta.set.contains_key(&id) {
                self.add_shape(shape, scale);
            }
        }
    }

    fn add_shape(&mut self, shape: &ClippedShape, scale: f32) {
        let rect = shape.transform_after_tessellation * shape.shape.visual_bounding_rect();
        let rect = rect.expand(1.0).intersect(shape.clip_rect);
        if rect.is_positive() {
            let area = Rect::from_min_max(rect.min * scale, rect.max * scale);
            // Edges are rounded to whole pixels.
            self.add(area.expand(1.0));
        }
    }

    /// The pixels of it in a picture of that size.
    pub fn pixel_rects(&self, width: u32, height: u32) -> Vec<PixelRect> {
        let begin = |at: f32, most: u32| (at.floor().max(0.0) as usize).min(most as usize);
        let end = |at: f32, most: u32| (at.ceil().max(0.0) as usize).min(most as usize);
        let part = |area: &Rect| PixelRect {
            columns: (begin(area.min.x, width), end(area.max.x, width)),
            rows: (begin(area.min.y, height), end(area.max.y, height)),
        };
        let has_pixels =
            |part: &PixelRect| part.columns.0 < part.columns.1 && part.rows.0 < part.rows.1;
        self.areas.iter().map(part).filter(has_pixels).collect()
    }
}

/// Shapes of each list to skip until they match again, or to the end of both.
fn skip_to_match(gone: &[ClippedShape], new: &[ClippedShape]) -> (usize, usize) {
    for sum in 1..=MAX_LOOKAHEAD {
        for skipped in 0..=sum.min(gone.len()) {
            let more = sum - skipped;
            if let (Some(old), Some(same)) = (gone.get(skipped), new.get(more))
                && old == same
            {
                return (skipped, more);
            }
        }
    }
    // Nothing alike is near: one of each, and on.
    match (gone.len(), new.len()) {
        (0, more) => (0, more),
        (skipped, 0) => (skipped, 0),
        _ => (1, 1),
    }
}

#[cfg(test)]
mod tests {
    use egui::{
        Color32, ColorImage, TextureOptions,
        epaint::{ImageDelta, Shape},
        pos2, vec2,
    };

    use super::*;

    fn block(left: f32, top: f32, grey: u8) -> ClippedShape {
        let rect = Rect::from_min_size(pos2(left, top), vec2(10.0, 10.0));
        let clip = Rect::from_min_size(pos2(0.0, 0.0), vec2(1000.0, 1000.0));
        ClippedShape::new(
            clip,
            Shape::rect_filled(rect, 0.0, Color32::from_gray(grey)),
        )
    }

    fn changes(before: &[ClippedShape], now: &[ClippedShape]) -> Vec<PixelRect> {
        let mut damage = Damage::default();
        damage.add_changes(before, now, 1.0);
        damage.pixel_rects(1000, 1000)
    }

    /// Whether the rectangles together cover a pixel.
    fn covers(parts: &[PixelRect], (x, y): (usize, usize)) -> bool {
        let has = |part: &PixelRect| {
            (part.columns.0..part.columns.1).contains(&x) && (part.rows.0..part.rows.1).contains(&y)
        };
        parts.iter().any(has)
    }

    #[test]
    fn what_is_the_same_is_not_painted() {
        let shapes = [block(0.0, 0.0, 1), block(500.0, 500.0, 2)];
        assert_eq!(changes(&shapes, &shapes), []);
        let parts = changes(&shapes, &[block(0.0, 0.0, 1), block(500.0, 500.0, 3)]);
        assert_eq!(parts.len(), 1);
        assert!(covers(&parts, (505, 505)) && !covers(&parts, (5, 5)));
    }

    #[test]
    fn what_comes_and_goes_between_others_is_found() {
        let many: Vec<ClippedShape> = (0..20).map(|at| block(at as f32 * 40.0, 0.0, 9)).collect();
        let mut fewer = many.clone();
        fewer.remove(3);
        fewer.insert(10, block(300.0, 900.0, 9));
        for parts in [changes(&many, &fewer), changes(&fewer, &many)] {
            assert_eq!(parts.len(), 2, "{parts:?}");
            assert!(covers(&parts, (125, 5)) && covers(&parts, (305, 905)));
        }
        // All of the one, all of the other.
        let parts = changes(&many, &[]);
        assert!((0..20).all(|at| covers(&parts, (at * 40 + 5, 5))));
        let lower: Vec<ClippedShape> = (0..90).map(|at| block(0.0, at as f32 * 11.0, 7)).collect();
        let parts = changes(&many, &lower);
        assert!((0..20).all(|at| covers(&parts, (at * 40 + 5, 5))));
        assert!((0..90).all(|at| covers(&parts, (5, at * 11 + 5))));
    }

    #[test]
    fn there_are_few_parts_whatever_happens() {
        let mut damage = Damage::default();
        for at in 0..40_u16 {
            let corner = pos2(f32::from(at % 7) * 140.0, f32::from(at % 11) * 90.0);
            damage.add(Rect::from_min_size(corner, vec2(3.0, 3.0)));
        }
        let parts = damage.pixel_rects(1000, 1000);
        assert!(parts.len() <= MAX_AREAS, "{parts:?}");
        for at in 0..40 {
            assert!(covers(&parts, (at % 7 * 140 + 1, at % 11 * 90 + 1)));
        }
        damage.add_all();
        damage.add(Rect::from_min_size(pos2(1.0, 1.0), vec2(1.0, 1.0)));
        assert_eq!(damage.pixel_rects(30, 20), [PixelRect::whole(30, 20)]);
        assert_eq!(Damage::default().pixel_rects(30, 20), []);
    }

    #[test]
    fn a_picture_that_changes_is_painted_where_it_is() {
        let id = TextureId::Managed(5);
        let rect = Rect::from_min_size(pos2(100.0, 100.0), vec2(50.0, 50.0));
        let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        let picture = ClippedShape::new(rect, Shape::image(id, rect, uv, Color32::WHITE));
        let shown = [block(0.0, 0.0, 1), picture];
        let image = || ColorImage::filled([2, 2], Color32::RED);
        let set = |id: TextureId, pos: Option<[usize; 2]>| {
            let delta = match pos {
                Some(pos) => ImageDelta::partial(pos, image(), TextureOptions::NEAREST),
                None => ImageDelta::full(image(), TextureOptions::NEAREST),
            };
            let mut damage = Damage::default();
            let mut changed = TexturesDelta::default();
            changed.push(id, delta);
            damage.add_textures(&changed, &shown, 1.0);
            changed.clear();
            damage.pixel_rects(1000, 1000)
        };
        let parts = set(id, None);
        assert!(covers(&parts, (125, 125)) && !covers(&parts, (5, 5)));
        assert_eq!(set(TextureId::Managed(6), None), []);
        // Letters that are new, and all of them anew.
        assert_eq!(set(TextureId::default(), Some([0, 0])), []);
        assert_eq!(
            set(TextureId::default(), None),
            [PixelRect::whole(1000, 1000)]
        );
    }
}
