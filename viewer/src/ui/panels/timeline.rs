//! The line of time below the tree: how the visits of the root's moves went, and a handle that turns the tree to any iteration.

use std::sync::Arc;

use canopy_engine::tree::replay_reader::RootVisitHistory;
use egui::{
    Button, Color32, ColorImage, ComboBox, Rect, RichText, Sense, Stroke, TextureHandle,
    TextureOptions, Ui, pos2, vec2,
};

use crate::{
    app::{Action, App, SPEEDS, Timeline},
    draw::theme::Theme,
    tree::scene::format_thousands,
    ui::controls::Named as _,
    workers::replay::ReplayStatus,
};

/// Height of the visit-share picture, in points.
const SHARES_HEIGHT: f32 = 40.0;
/// Width of the labels on the right, in points.
const LABELS_WIDTH: f32 = 164.0;
/// Upper bound of moves named under the pointer.
const MAX_NAMED_MOVES: usize = 6;

/// The inputs of the visit-share picture, to detect changes.
struct SharesKey {
    size: [usize; 2],
    shares: Arc<RootVisitHistory>,
    theme: Theme,
}

impl PartialEq for SharesKey {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size
            && Arc::ptr_eq(&self.shares, &other.shares)
            && self.theme == other.theme
    }
}

/// The line of time.
#[derive(Default)]
pub(super) struct TimelinePanel {
    shares_texture: Option<(SharesKey, TextureHandle)>,
}

impl TimelinePanel {
    /// Shows it.
    pub(super) fn show(
        &mut self,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let timeline = &app.document.timeline;
        let Some(replay) = &timeline.status else {
            return;
        };
        ui.horizontal(|ui| {
            show_buttons(timeline, ui, actions);
            ui.add_space(4.0);
            let width = (ui.available_width() - LABELS_WIDTH).max(40.0);
            let (rect, response) =
                ui.allocate_exact_size(vec2(width, SHARES_HEIGHT + 14.0), Sense::click_and_drag());
            let response = response.named("timeline");
            let area = Rect::from_min_size(rect.min + vec2(0.0, 4.0), vec2(width, SHARES_HEIGHT));
            self.draw_shares(replay, area, ui, theme);
            let end = replay.iterations.max(1);
            if let Some(at) = response.interact_pointer_pos() {
                let part = ((at.x - area.left()) / area.width()).clamp(0.0, 1.0);
                let to = (f64::from(part) * f64::from(end)).round() as u32;
                let moving = response.dragged() && !response.drag_stopped();
                if moving || response.clicked() || response.drag_stopped() {
                    actions.push(Action::Scrub { to, moving });
                }
            }
            let part = timeline.position() as f32 / end as f32;
            draw_handle(area, part, ui, theme);
            if let Some(at) = response.hover_pos() {
                let part = ((at.x - area.left()) / area.width()).clamp(0.0, 1.0);
                response.on_hover_ui_at_pointer(|ui| show_shares_at(replay, part, ui, theme));
            }
            show_iteration(timeline, replay, ui, theme, actions);
        });
    }

    /// The shares as a picture, drawn again only if they have changed.
    fn draw_shares(&mut self, replay: &ReplayStatus, area: Rect, ui: &Ui, theme: &Theme) {
        let scale = ui.ctx().pixels_per_point();
        let size = [
            (area.width() * scale).round().max(1.0) as usize,
            (area.height() * scale).round().max(1.0) as usize,
        ];
        let key = SharesKey {
            size,
            shares: Arc::clone(&replay.shares),
            theme: theme.clone(),
        };
        if self
            .shares_texture
            .as_ref()
            .is_none_or(|(drawn, _)| *drawn != key)
        {
            let image = shares_image(&replay.shares, size, theme);
            match &mut self.shares_texture {
                Some((drawn, texture)) => {
                    texture.set(image, TextureOptions::NEAREST);
                    *drawn = key;
                }
                None => {
                    let texture = ui
                        .ctx()
                        .load_texture("shares", image, TextureOptions::NEAREST);
                    self.shares_texture = Some((key, texture));
                }
            }
        }
        if let Some((_, texture)) = &self.shares_texture {
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            // Snapped to whole pixels, so that the picture is not resampled.
            let left_top = pos2(
                (area.left() * scale).round() / scale,
                (area.top() * scale).round() / scale,
            );
            let place = Rect::from_min_size(
                left_top,
                vec2(size[0] as f32 / scale, size[1] as f32 / scale),
            );
            ui.painter()
                .image(texture.id(), place, whole, Color32::WHITE);
        }
    }
}

fn show_buttons(timeline: &Timeline, ui: &mut Ui, actions: &mut Vec<Action>) {
    let (text, hint) = if timeline.is_playing() {
        ("⏸", "Stop (p)")
    } else {
        ("▶", "Let the tree grow (p)")
    };
    let play = ui.add(Button::new(text).min_size(vec2(32.0, 28.0)));
    if play.named("play").on_hover_text(hint).clicked() {
        actions.push(Action::Play(!timeline.is_playing()));
    }
    let at = timeline.position();
    let back = ui.add_enabled(at > 0, Button::new("‹1").min_size(vec2(28.0, 28.0)));
    if back
        .named("iteration back")
        .on_hover_text("One iteration back (,)")
        .clicked()
    {
        actions.push(Action::StepIteration(-1));
    }
    let on = ui.add_enabled(
        at < timeline.iterations(),
        Button::new("1›").min_size(vec2(28.0, 28.0)),
    );
    if on
        .named("iteration on")
        .on_hover_text("One iteration on (.)")
        .clicked()
    {
        actions.push(Action::StepIteration(1));
    }
    let speed = timeline.speed();
    ComboBox::from_id_salt("speed")
        .width(76.0)
        .selected_text(format!("{}/s", format_thousands(speed.into())))
        .show_ui(ui, |ui| {
            for choice in SPEEDS {
                let text = format!("{} iterations a second", format_thousands(choice.into()));
                if ui.selectable_label(choice == speed, text).clicked() {
                    actions.push(Action::Speed(choice));
                }
            }
        })
        .response
        .on_hover_text("How fast the tree grows");
}

fn draw_handle(area: Rect, part: f32, ui: &Ui, theme: &Theme) {
    let x = area.left() + area.width() * part.clamp(0.0, 1.0);
    let painter = ui.painter();
    painter.line_segment(
        [pos2(x, area.top() - 4.0), pos2(x, area.bottom() + 4.0)],
        Stroke::new(2.0, theme.text),
    );
    painter.circle_filled(pos2(x, area.bottom() + 6.0), 4.5, theme.text);
}

/// The current iteration, and the number of iterations.
fn show_iteration(
    timeline: &Timeline,
    replay: &ReplayStatus,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    ui.vertical(|ui| {
        let at = timeline.shown_iteration.unwrap_or(replay.iterations);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            ui.label(theme.strong(format_thousands(at.into())));
            let total = format!("/ {}", format_thousands(replay.iterations.into()));
            ui.label(RichText::new(total).color(theme.dim));
        });
        if let Some((read, there)) = replay.progress {
            let percent = 100 * read / there.max(1);
            let text = RichText::new(format!("indexing {percent} %")).color(theme.warm);
            let label = ui.label(text.small());
            label
                .on_hover_text("The journal is read; the part up to here can be looked at already");
            return;
        }
        if let Some(why) = &replay.stop_reason {
            ui.label(RichText::new("memory is used up").color(theme.bad).small())
                .on_hover_text(why);
            return;
        }
        let (text, hint) = match replay.ended {
            None => ("● live", "Show the newest (end)"),
            Some(true) => (
                "journal ends early",
                "The journal has a limit; the search went on. Show the tree of the file (end)",
            ),
            Some(false) => ("iterations", "Show the end (end)"),
        };
        let colour = if replay.ended.is_none() && timeline.target.is_none() {
            theme.good
        } else {
            theme.dim
        };
        let end = ui.add(Button::new(RichText::new(text).color(colour).small()).frame(false));
        if end.named("end").on_hover_text(hint).clicked() {
            actions.push(Action::ShowEnd);
        }
    });
}

/// The moves, the most visited in the end first.
fn moves_by_visits(shares: &RootVisitHistory) -> Vec<usize> {
    let mut order: Vec<usize> = (0..shares.moves.len()).collect();
    if let Some(last) = shares.visits.last() {
        order.sort_by_key(|&mv| std::cmp::Reverse(last[mv]));
    }
    order
}

/// The colours of the most visited moves; all others have the last.
fn move_colours(theme: &Theme) -> [Color32; 7] {
    let calm = |colour: Color32| {
        let mix = |one: u8, other: u8| (f32::from(one) * 0.72 + f32::from(other) * 0.28) as u8;
        let panel = theme.panel;
        Color32::from_rgb(
            mix(colour.r(), panel.r()),
            mix(colour.g(), panel.g()),
            mix(colour.b(), panel.b()),
        )
    };
    [
        theme.warm,
        theme.cool,
        theme.good,
        Color32::from_rgb(142, 110, 190),
        theme.bad,
        Color32::from_rgb(90, 120, 150),
        theme.dim,
    ]
    .map(calm)
}

fn shares_image(
    shares: &RootVisitHistory,
    [width, height]: [usize; 2],
    theme: &Theme,
) -> ColorImage {
    let mut image = ColorImage::filled([width, height], theme.card);
    let order = moves_by_visits(shares);
    let colours = move_colours(theme);
    let times = shares.visits.len();
    for column in 0..width {
        let time = column * times.saturating_sub(1) / width.max(1);
        let Some(visits) = shares.visits.get(time + 1).or(shares.visits.get(time)) else {
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
            let colour = colours[place.min(colours.len() - 1)];
            for row in top..bottom {
                image.pixels[row * width + column] = colour;
            }
            top = bottom;
        }
    }
    image
}

/// How the visits were shared at a time.
fn show_shares_at(replay: &ReplayStatus, part: f32, ui: &mut Ui, theme: &Theme) {
    let iteration = (f64::from(part) * f64::from(replay.iterations)).round() as u64;
    ui.label(theme.strong(format!("iteration {}", format_thousands(iteration))));
    let shares = &replay.shares;
    let last = shares.visits.len().saturating_sub(1);
    let time = (part * last as f32).round() as usize;
    let Some(visits) = shares.visits.get(time) else {
        return;
    };
    let total: u64 = visits.iter().map(|&visits| u64::from(visits)).sum();
    let colours = move_colours(theme);
    for (place, &mv) in moves_by_visits(shares)
        .iter()
        .enumerate()
        .take(MAX_NAMED_MOVES)
    {
        let share = f64::from(visits[mv]) / total.max(1) as f64;
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
            ui.painter()
                .rect_filled(rect, 2.0, colours[place.min(colours.len() - 1)]);
            ui.label(&shares.moves[mv]);
            ui.label(RichText::new(format!("{:.1} %", 100.0 * share)).color(theme.dim));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_shared_out_among_the_moves() {
        let shares = RootVisitHistory {
            moves: ["a", "b", "c"].map(str::to_owned).to_vec(),
            visits: vec![vec![0, 0, 0], vec![1, 3, 0], vec![2, 6, 2]],
        };
        let theme = Theme::dark();
        let image = shares_image(&shares, [20, 40], &theme);
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
        let empty = shares_image(&RootVisitHistory::default(), [3, 3], &theme);
        assert!(empty.pixels.iter().all(|&pixel| pixel == theme.card));
    }
}
