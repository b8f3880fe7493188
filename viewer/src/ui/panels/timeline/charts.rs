//! The charts above the line of time: how the visits of the root's moves divide, and how the moves' values went.

use std::{ops::RangeInclusive, sync::Arc};

use canopy_engine::tree::replay_reader::RootMoveHistory;
use egui::{Color32, ColorImage, Rect, TextureHandle, TextureOptions, Ui, pos2, vec2};
use tiny_skia::{LineCap, LineJoin, Paint, PathBuilder, Pixmap, Stroke, Transform};

use crate::draw::theme::{Theme, to_skia};

/// Moves with a colour of their own; all others share one.
pub(super) const NAMED_MOVES: usize = 5;
/// Width of the lines, in points.
const LINE_WIDTH: f32 = 1.6;
/// The part of the time, at the beginning, whose values do not set the scale: they are hardly more than chance.
const NOISY_PART: f32 = 0.05;
/// Least height of the scale of values.
const MIN_VALUE_SPAN: f32 = 0.02;

/// The colours of the most visited moves, then that of all others.
pub(in crate::ui::panels) fn move_colours(theme: &Theme) -> [Color32; NAMED_MOVES + 1] {
    let colours = match theme.is_dark {
        true => [
            0xf2_b4_41, 0x58_b7_d9, 0xb7_9c_ff, 0x6f_c3_8b, 0xe5_8f_b6, 0x8b_97_a6,
        ],
        false => [
            0xd0_8a_1d, 0x2e_8f_b5, 0x84_67_d6, 0x3f_9a_68, 0xc2_61_8f, 0xb7_bf_c9,
        ],
    };
    colours.map(|rgb: u32| {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Color32::from_rgb(red, green, blue)
    })
}

/// The moves, the most visited at the last of the first `shown` times first.
pub(super) fn moves_by_visits(history: &RootMoveHistory, shown: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..history.moves.len()).collect();
    if let Some(last) = history.visits.iter().take(shown).next_back() {
        order.sort_by_key(|&mv| std::cmp::Reverse(last.get(mv).copied()));
    }
    order
}

/// The value of a move at a time, for the first or the second player; none before it was visited.
pub(in crate::ui::panels) fn value_at(
    history: &RootMoveHistory,
    time: usize,
    mv: usize,
    for_first: bool,
) -> Option<f32> {
    let visits = *history.visits.get(time)?.get(mv)?;
    let mean = *history.means.get(time)?.get(mv)?;
    (visits > 0).then_some(if for_first { mean } else { 1.0 - mean })
}

/// The share of the root's visits that a move has at a time.
pub(in crate::ui::panels) fn share_at(history: &RootMoveHistory, time: usize, mv: usize) -> f64 {
    let Some(visits) = history.visits.get(time) else {
        return 0.0;
    };
    let total: u64 = visits.iter().map(|&visits| u64::from(visits)).sum();
    f64::from(visits.get(mv).copied().unwrap_or(0)) / total.max(1) as f64
}

/// The lowest and the highest value of the scale, whole hundredths: what the named moves have had in the first `shown` times
/// since it was more than chance; none if nothing was visited.
pub(super) fn value_scale(
    history: &RootMoveHistory,
    shown: usize,
    for_first: bool,
) -> Option<RangeInclusive<f32>> {
    let order = moves_by_visits(history, shown);
    let times = history.visits.len().min(shown);
    let begin = (times as f32 * NOISY_PART) as usize;
    let values = (begin..times).flat_map(|time| {
        let named = order.iter().take(NAMED_MOVES);
        named.filter_map(move |&mv| value_at(history, time, mv, for_first))
    });
    let (least, most) = values.fold(
        (f32::INFINITY, f32::NEG_INFINITY),
        |(least, most), value| (least.min(value), most.max(value)),
    );
    if least > most {
        return None;
    }
    let room = ((MIN_VALUE_SPAN - (most - least)) / 2.0).max(0.0);
    let least = ((least - room) * 100.0).floor().max(0.0) / 100.0;
    let most = ((most + room) * 100.0).ceil().min(100.0) / 100.0;
    Some(least..=most)
}

/// What a chart is made from, to detect changes.
struct ChartKey {
    size: [usize; 2],
    history: Arc<RootMoveHistory>,
    shown: usize,
    theme: Theme,
    for_first: bool,
}

impl PartialEq for ChartKey {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size
            && Arc::ptr_eq(&self.history, &other.history)
            && self.shown == other.shown
            && self.theme == other.theme
            && self.for_first == other.for_first
    }
}

/// Which of the two charts it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChartKind {
    /// The visits, one above the other.
    Shares,
    /// The values, as lines.
    Values,
}

/// A chart as a picture, drawn again only if it has changed.
#[derive(Default)]
pub(super) struct Chart(Option<(ChartKey, TextureHandle)>);

impl Chart {
    /// Draws the first `shown` times of the chart into an area; values are those for the first or the second player.
    pub(super) fn draw(
        &mut self,
        kind: ChartKind,
        (history, shown): (&Arc<RootMoveHistory>, usize),
        for_first: bool,
        area: Rect,
        ui: &Ui,
        theme: &Theme,
    ) {
        let scale = ui.ctx().pixels_per_point();
        let pixels = |points: f32| (points * scale).round().max(1.0) as usize;
        let size = [pixels(area.width()), pixels(area.height())];
        let key = ChartKey {
            size,
            history: Arc::clone(history),
            shown,
            theme: theme.clone(),
            for_first,
        };
        if self.0.as_ref().is_none_or(|(drawn, _)| *drawn != key) {
            let image = match kind {
                ChartKind::Shares => shares_image((history, shown), size, theme),
                ChartKind::Values => values_image((history, shown), for_first, size, scale, theme),
            };
            match &mut self.0 {
                Some((drawn, texture)) => {
                    texture.set(image, TextureOptions::NEAREST);
                    *drawn = key;
                }
                None => {
                    let name = format!("{kind:?}");
                    let texture = (ui.ctx()).load_texture(name, image, TextureOptions::NEAREST);
                    self.0 = Some((key, texture));
                }
            }
        }
        if let Some((_, texture)) = &self.0 {
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            // Snapped to whole pixels, so that the picture is not resampled.
            let snap = |points: f32| (points * scale).round() / scale;
            let place = Rect::from_min_size(
                pos2(snap(area.left()), snap(area.top())),
                vec2(size[0] as f32 / scale, size[1] as f32 / scale),
            );
            (ui.painter()).image(texture.id(), place, whole, Color32::WHITE);
        }
    }
}

/// The visits of every move at each of the first `shown` times, one above the other.
fn shares_image(
    (history, shown): (&RootMoveHistory, usize),
    [width, height]: [usize; 2],
    theme: &Theme,
) -> ColorImage {
    let mut image = ColorImage::filled([width, height], theme.card);
    let order = moves_by_visits(history, shown);
    let colours = move_colours(theme);
    let times = history.visits.len();
    for column in 0..width {
        let time = column * times.saturating_sub(1) / width.max(1);
        let time = if time + 1 < times { time + 1 } else { time };
        let Some(visits) = history.visits.get(time).filter(|_| time < shown) else {
            break;
        };
        let total: u64 = visits.iter().map(|&visits| u64::from(visits)).sum();
        if total == 0 {
            continue;
        }
        let mut sum = 0;
        let mut top = 0;
        for (place, &mv) in order.iter().enumerate() {
            sum += u64::from(visits[mv]);
            let bottom = (sum * height as u64 / total) as usize;
            let colour = colours[place.min(NAMED_MOVES)];
            for row in top..bottom {
                image.pixels[row * width + column] = colour;
            }
            top = bottom;
        }
    }
    image
}

/// The values of the named moves over the first `shown` times, the most visited one on top.
fn values_image(
    (history, shown): (&RootMoveHistory, usize),
    for_first: bool,
    size: [usize; 2],
    scale: f32,
    theme: &Theme,
) -> ColorImage {
    let (width, height) = (size[0] as f32, size[1] as f32);
    let mut image = ColorImage::filled(size, theme.panel);
    let Some((mut pixmap, values)) =
        Pixmap::new(size[0] as u32, size[1] as u32).zip(value_scale(history, shown, for_first))
    else {
        return image;
    };
    pixmap.fill(to_skia(theme.panel));
    let y = |value: f32| (values.end() - value) / (values.end() - values.start()) * height;
    let stroke = |width: f32| Stroke {
        width: width * scale,
        line_cap: LineCap::Round,
        line_join: LineJoin::Round,
        ..Stroke::default()
    };
    let mut draw = |builder: PathBuilder, colour: Color32, width: f32| {
        let mut paint = Paint::default();
        paint.set_color(to_skia(colour));
        if let Some(path) = builder.finish() {
            pixmap.stroke_path(&path, &paint, &stroke(width), Transform::identity(), None);
        }
    };
    for at in [0.5 * scale, height / 2.0, height - 0.5 * scale] {
        let mut line = PathBuilder::new();
        line.move_to(0.0, at);
        line.line_to(width, at);
        draw(line, theme.grid, 1.0);
    }
    let colours = move_colours(theme);
    let last = history.visits.len().saturating_sub(1).max(1) as f32;
    let order = moves_by_visits(history, shown);
    for (place, &mv) in order.iter().enumerate().take(NAMED_MOVES).rev() {
        let mut line = PathBuilder::new();
        for time in 0..history.visits.len().min(shown) {
            if let Some(value) = value_at(history, time, mv, for_first) {
                let at = (time as f32 / last * width, y(value));
                match line.is_empty() {
                    true => line.move_to(at.0, at.1),
                    false => line.line_to(at.0, at.1),
                }
            }
        }
        draw(line, colours[place], LINE_WIDTH);
    }
    for (pixel, drawn) in image.pixels.iter_mut().zip(pixmap.pixels()) {
        *pixel = Color32::from_rgb(drawn.red(), drawn.green(), drawn.blue());
    }
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> RootMoveHistory {
        RootMoveHistory {
            moves: ["a", "b", "c"].map(str::to_owned).to_vec(),
            visits: vec![vec![0, 0, 0], vec![1, 3, 0], vec![2, 6, 2]],
            means: vec![
                vec![0.0, 0.0, 0.0],
                vec![1.0, 0.6, 0.0],
                vec![0.5, 0.6, 0.4],
            ],
        }
    }

    #[test]
    fn every_column_is_shared_out_among_the_moves() {
        let theme = Theme::dark();
        let image = shares_image((&history(), 3), [20, 40], &theme);
        let colours = move_colours(&theme);
        // In the end b has the most visits, then a and c.
        let count = |column: usize, colour: Color32| {
            (0..40)
                .filter(|row| image.pixels[row * 20 + column] == colour)
                .count()
        };
        assert_eq!(count(0, colours[0]), 30);
        assert_eq!(count(0, colours[1]), 10);
        assert_eq!([0, 1, 2].map(|place| count(19, colours[place])), [24, 8, 8]);
        let empty = shares_image((&RootMoveHistory::default(), 0), [3, 3], &theme);
        assert!(empty.pixels.iter().all(|&pixel| pixel == theme.card));
    }

    #[test]
    fn values_are_told_for_either_player_from_the_first_visit_on() {
        let history = history();
        assert_eq!(value_at(&history, 1, 2, true), None);
        assert_eq!(value_at(&history, 2, 2, true), Some(0.4));
        assert_eq!(value_at(&history, 2, 2, false), Some(0.6));
        assert_eq!(value_scale(&history, 3, true), Some(0.4..=1.0));
        assert_eq!(value_scale(&RootMoveHistory::default(), 0, true), None);
        let theme = Theme::light();
        // Strokes wide enough to have pixels of their colour alone.
        let image = values_image((&history, 3), true, [60, 30], 4.0, &theme);
        let has = |colour: Color32| image.pixels.contains(&colour);
        let colours = move_colours(&theme);
        assert!(has(colours[0]) && has(theme.panel));
        assert!(!has(colours[3]), "there are three moves");
    }

    #[test]
    fn what_comes_after_the_shown_times_changes_nothing() {
        let theme = Theme::dark();
        let one = history();
        let mut other = history();
        // In the end another move is the most visited, and better than all before.
        (other.visits[2], other.means[2]) = (vec![2, 3, 9], vec![0.1, 0.2, 0.99]);
        assert_eq!(moves_by_visits(&one, 2), moves_by_visits(&other, 2));
        assert_ne!(moves_by_visits(&one, 3), moves_by_visits(&other, 3));
        assert_eq!(value_scale(&one, 2, true), value_scale(&other, 2, true));
        let shares = |history: &RootMoveHistory, shown: usize| {
            shares_image((history, shown), [20, 40], &theme).pixels
        };
        let values = |history: &RootMoveHistory, shown: usize| {
            values_image((history, shown), true, [60, 30], 4.0, &theme).pixels
        };
        assert!(shares(&one, 2) == shares(&other, 2) && values(&one, 2) == values(&other, 2));
        assert!(shares(&one, 3) != shares(&other, 3) && values(&one, 3) != values(&other, 3));
        assert_eq!(shares(&one, 2)[19], theme.card, "nothing is drawn yet");
    }
}
