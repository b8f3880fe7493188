//! The iterations of both searches, and where they favour different moves.

use canopy_engine::tree::replay_reader::RootMoveHistory;
use egui::{Rect, RichText, Sense, Stroke, Ui, pos2, vec2};

use super::{LETTERS, push, side_colour};
use crate::{
    app::{Action, App, CompareAction, CompareCommand},
    draw::theme::Theme,
    tree::scene::format_thousands,
    ui::{
        controls::Named as _,
        keys::{Command, hint},
    },
};

const FIGURES_WIDTH: f32 = 232.0;

/// Shows one slider, or one for each search.
pub(super) fn show(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    if app.compare.has_one_iteration {
        return show_slider(app, None, ui, theme, actions);
    }
    for side in 0..2 {
        show_slider(app, Some(side), ui, theme, actions);
    }
}

fn show_slider(
    app: &App,
    side: Option<usize>,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let state = &app.compare;
    let end = side.map_or(state.iterations(), |side| state.iterations_of(side));
    let at = match side {
        Some(side) => state.iteration(side),
        None => state.iteration(0).max(state.iteration(1)),
    };
    ui.horizontal(|ui| {
        match side {
            None => show_buttons(app, at, ui, actions),
            Some(side) => {
                let letter = RichText::new(LETTERS[side]).color(side_colour(theme, side));
                ui.label(letter);
            }
        }
        ui.label(RichText::new("Iteration").color(theme.dim));
        let width = (ui.available_width() - FIGURES_WIDTH).max(80.0);
        let sense = Sense::CLICK | Sense::DRAG;
        let (rect, response) = ui.allocate_exact_size(vec2(width, 30.0), sense);
        let track = Rect::from_min_max(
            pos2(rect.left() + 8.0, rect.center().y - 1.5),
            pos2(rect.right() - 8.0, rect.center().y + 1.5),
        );
        draw_track(track, at, end, ui, theme);
        if side.is_none() {
            draw_disagreement(app, track, ui, theme);
        }
        let pointer = response.interact_pointer_pos();
        if let Some(to) = pointer.filter(|_| response.dragged() || response.clicked()) {
            let part = ((to.x - track.left()) / track.width()).clamp(0.0, 1.0);
            let to = (f64::from(part) * f64::from(end)).round() as u32;
            push(actions, CompareAction::Scrub(side.unwrap_or(0), to));
        }
        let name = side.map_or("iterations".to_owned(), |side| {
            format!("iterations {}", LETTERS[side])
        });
        let about = match side {
            None => "Click or drag to an iteration. Amber: A and B favour different moves",
            Some(_) => "Click or drag to an iteration",
        };
        response.explained(&name, about);
        let text = match side {
            None => format!(
                "{} of {}, both searches",
                format_thousands(at.into()),
                format_thousands(end.into())
            ),
            Some(_) => format!(
                "{} of {}",
                format_thousands(at.into()),
                format_thousands(end.into())
            ),
        };
        ui.label(text);
    });
}

fn show_buttons(app: &App, at: u32, ui: &mut Ui, actions: &mut Vec<Action>) {
    let playing = app.compare.is_playing();
    let play = ui.button(if playing { "⏸" } else { "⏵" });
    let about = hint(
        "Play the growth of both trees",
        Command::Compare(CompareCommand::Play),
    );
    if play.explained("compare play", about).clicked() {
        push(actions, CompareAction::Play(!playing));
    }
    for (text, by, command) in [
        ("‹ 1", -1, CompareCommand::Step(-1)),
        ("1 ›", 1, CompareCommand::Step(1)),
    ] {
        let button = ui.button(text);
        let about = hint("One iteration", Command::Compare(command));
        if button
            .explained(&format!("compare step {by}"), about)
            .clicked()
        {
            let to = (i64::from(at) + by).max(1) as u32;
            push(actions, CompareAction::Scrub(0, to));
        }
    }
}

fn draw_track(track: Rect, at: u32, end: u32, ui: &Ui, theme: &Theme) {
    let part = at as f32 / end.max(1) as f32;
    let x = track.left() + track.width() * part;
    let painter = ui.painter();
    painter.rect_filled(track, 1.5, theme.line);
    let done = Rect::from_min_max(track.min, pos2(x, track.bottom()));
    painter.rect_filled(done, 1.5, theme.cool);
    let line = Stroke::new(2.0, theme.cool);
    painter.circle(pos2(x, track.center().y), 7.0, theme.text, line);
}

/// A line in amber below the iterations at which the searches favour different moves.
fn draw_disagreement(app: &App, track: Rect, ui: &Ui, theme: &Theme) {
    let Some([one, other]) = &app.compare.searches else {
        return;
    };
    let (Some(first), Some(second)) = (&one.history, &other.history) else {
        return;
    };
    let end = app.compare.iterations();
    let ends = [one.iterations, other.iterations];
    let columns = track.width() as usize / 2;
    let top = track.bottom() + 9.0;
    for column in 0..columns {
        let part = (column as f64 + 0.5) / columns as f64;
        let at = (part * f64::from(end)) as u32;
        if differs_at(first, second, ends, at) {
            let left = track.left() + column as f32 * 2.0;
            let rect = Rect::from_min_size(pos2(left, top), vec2(2.0, 4.0));
            ui.painter().rect_filled(rect, 0.0, theme.warm);
        }
    }
}

/// Whether both searches favour different moves at an iteration.
pub(super) fn differs_at(
    one: &RootMoveHistory,
    other: &RootMoveHistory,
    ends: [u32; 2],
    at: u32,
) -> bool {
    let favourite = |history: &RootMoveHistory, end: u32| -> Option<String> {
        let last = history.visits.len().checked_sub(1)?;
        let part = f64::from(at.min(end)) / f64::from(end.max(1));
        let visits = &history.visits[(part * last as f64).round() as usize];
        let best = visits
            .iter()
            .enumerate()
            .rev()
            .max_by_key(|(_, visits)| **visits)?;
        (*best.1 > 0).then(|| history.moves.get(best.0).cloned())?
    };
    match (favourite(one, ends[0]), favourite(other, ends[1])) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}

/// From which iteration on the searches favour different moves for good; none if they agree in the end.
pub(super) fn parts_for_good(
    one: &RootMoveHistory,
    other: &RootMoveHistory,
    ends: [u32; 2],
) -> Option<u32> {
    let end = ends[0].max(ends[1]);
    let steps = one.visits.len().max(other.visits.len()).max(2) as u32 - 1;
    let at = |step: u32| (u64::from(end) * u64::from(step) / u64::from(steps)) as u32;
    let agrees = |step: &u32| !differs_at(one, other, ends, at(*step));
    match (0..=steps).rev().find(agrees) {
        None => Some(0),
        Some(last) if last == steps => None,
        Some(last) => Some(at(last + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(visits: &[[u32; 2]]) -> RootMoveHistory {
        RootMoveHistory {
            moves: vec!["a".to_owned(), "b".to_owned()],
            visits: visits.iter().map(|both| both.to_vec()).collect(),
            means: vec![vec![0.0; 2]; visits.len()],
        }
    }

    #[test]
    fn searches_part_for_good_after_the_last_time_they_agree() {
        let one = history(&[[0, 0], [6, 4], [15, 5], [25, 5], [35, 5]]);
        let other = history(&[[0, 0], [3, 7], [15, 5], [12, 18], [10, 30]]);
        let ends = [40, 40];
        let told: Vec<bool> = [0, 10, 20, 30, 40]
            .map(|at| differs_at(&one, &other, ends, at))
            .to_vec();
        assert_eq!(told, [false, true, false, true, true]);
        assert_eq!(parts_for_good(&one, &other, ends), Some(30));
        assert_eq!(parts_for_good(&one, &one, ends), None);
    }
}
