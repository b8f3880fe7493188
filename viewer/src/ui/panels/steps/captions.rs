//! The four phases below the tree, what happens in the one that is shown, and the controls.

use egui::{
    Align, Align2, Button, FontId, Layout, Rect, RichText, Sense, Stroke, StrokeKind, TextFormat,
    Ui, pos2, text::LayoutJob, vec2,
};

use super::{Shown, strong};
use crate::{
    app::{Action, SlowMotion, StepsAction, StepsCommand, StepsState},
    draw::theme::{SMALL_SIZE, Theme},
    tree::{iteration::Phase, scene::format_thousands, value_text::percent},
    ui::{
        controls::Named as _,
        keys::{Command, hint},
        panels::form::{Segment, show_segments},
    },
};

/// Height of a card of a phase, in points.
const CARD_HEIGHT: f32 = 50.0;
/// Room for the controls on the right of the caption.
const CONTROLS_WIDTH: f32 = 372.0;
/// Height of the caption and the controls.
const CAPTION_HEIGHT: f32 = 68.0;
/// Size of the caption's text.
const CAPTION_SIZE: f32 = 14.0;
/// The cards are no wider than this with a second line.
const MIN_WIDTH_FOR_REMARKS: f32 = 150.0;

/// Shows them.
pub(super) fn show(shown: &Shown<'_>, state: &StepsState, ui: &mut Ui, actions: &mut Vec<Action>) {
    show_phases(shown, ui, actions);
    ui.add_space(8.0);
    let is_wide = ui.available_width() > 2.0 * CONTROLS_WIDTH;
    let width = match is_wide {
        true => ui.available_width() - CONTROLS_WIDTH,
        false => ui.available_width(),
    };
    ui.horizontal_top(|ui| {
        ui.allocate_ui_with_layout(
            vec2(width, CAPTION_HEIGHT),
            Layout::top_down(Align::Min),
            |ui| {
                ui.set_min_size(vec2(width, CAPTION_HEIGHT));
                let caption = caption(shown);
                let text = ui.label(layout(&caption, shown.theme));
                text.named("caption");
            },
        );
        if is_wide {
            ui.vertical(|ui| show_controls(shown, state, ui, actions));
        }
    });
    if !is_wide {
        show_controls(shown, state, ui, actions);
    }
}

/// The cards of the phases.
fn show_phases(shown: &Shown<'_>, ui: &mut Ui, actions: &mut Vec<Action>) {
    let theme = shown.theme;
    let first_choice = match shown.steps.selection.is_empty() {
        true => Phase::Expand,
        false => Phase::Select(0),
    };
    let phases = [
        ("Select", "the best score, each time", first_choice),
        ("Expand", "add one new node", Phase::Expand),
        ("Play out", "to the end of the game", Phase::PlayOut),
        ("Back up", "count it, up the path", Phase::BackUp),
    ];
    let gap = 8.0;
    let width = ((ui.available_width() - 3.0 * gap) / 4.0).max(60.0);
    let has_remarks = width >= MIN_WIDTH_FOR_REMARKS;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        for (index, (title, remark, phase)) in phases.into_iter().enumerate() {
            let (place, response) = ui.allocate_exact_size(vec2(width, CARD_HEIGHT), Sense::CLICK);
            let is_on = match shown.phase {
                Phase::Select(_) => index == 0,
                phase => {
                    index
                        == 1 + usize::from(phase > Phase::Expand)
                            + usize::from(phase > Phase::PlayOut)
                }
            };
            draw_card(
                ui,
                place,
                (index + 1, title),
                has_remarks.then_some(remark),
                is_on,
                theme,
            );
            let name = format!("phase {}", title.to_lowercase());
            if response.explained(&name, remark).clicked() {
                actions.push(Action::Steps(StepsAction::GoTo(phase)));
            }
        }
    });
}

fn draw_card(
    ui: &Ui,
    place: Rect,
    (number, title): (usize, &str),
    remark: Option<&str>,
    is_on: bool,
    theme: &Theme,
) {
    let painter = ui.painter();
    let (fill, line) = match is_on {
        true => (theme.selected_fill(), theme.cool),
        false => (theme.card, theme.line),
    };
    painter.rect(place, 6.0, fill, Stroke::new(1.0, line), StrokeKind::Inside);
    let centre = pos2(place.left() + 26.0, place.center().y);
    let (disc, digit) = match is_on {
        true => (theme.cool, theme.canvas),
        false => (theme.raised, theme.text),
    };
    painter.circle_filled(centre, 13.0, disc);
    painter.text(
        centre,
        Align2::CENTER_CENTER,
        number.to_string(),
        strong(14.0),
        digit,
    );
    let left = centre.x + 24.0;
    let Some(remark) = remark else {
        let at = pos2(left, place.center().y);
        painter.text(at, Align2::LEFT_CENTER, title, strong(14.0), theme.text);
        return;
    };
    let at = pos2(left, place.top() + 8.0);
    painter.text(at, Align2::LEFT_TOP, title, strong(14.0), theme.text);
    let at = pos2(left, place.bottom() - 8.0);
    let room = place.right() - 8.0 - left;
    let font = FontId::proportional(SMALL_SIZE);
    let galley = painter.layout_no_wrap(remark.to_owned(), font, theme.dim);
    if galley.size().x <= room {
        let corner = pos2(at.x, at.y - galley.size().y);
        let colour = if is_on { theme.text } else { theme.dim };
        painter.galley_with_override_text_color(corner, galley, colour);
    }
}

/// Steps, the next iteration and slow motion.
fn show_controls(shown: &Shown<'_>, state: &StepsState, ui: &mut Ui, actions: &mut Vec<Action>) {
    let theme = shown.theme;
    let mut act = |action| actions.push(Action::Steps(action));
    let iteration = shown.steps.iteration;
    ui.horizontal(|ui| {
        let back = ui.add_enabled(
            iteration > 1 || state.stage > 0,
            Button::new("‹ Step").min_size(vec2(84.0, 30.0)),
        );
        let about = hint("One stage back", Command::Steps(StepsCommand::Back));
        if back.explained("step back", about).clicked() {
            act(StepsAction::Step(-1));
        }
        let has_more = iteration < shown.journal.iterations;
        let is_last = state.stage + 1 >= shown.steps.stages();
        let text = RichText::new("Step ›").color(egui::Color32::WHITE);
        let on = Button::new(text)
            .fill(theme.primary)
            .min_size(vec2(84.0, 30.0));
        let on = ui.add_enabled(has_more || !is_last, on);
        let about = hint("One stage on", Command::Steps(StepsCommand::On));
        if on.explained("step on", about).clicked() {
            act(StepsAction::Step(1));
        }
        let next = Button::new("Next iteration").min_size(vec2(150.0, 30.0));
        let next = ui.add_enabled(has_more, next);
        let command = Command::Steps(StepsCommand::NextIteration);
        let about = hint("The beginning of the next iteration", command);
        if next.explained("next iteration", about).clicked() {
            act(StepsAction::Iteration(iteration + 1));
        }
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Slow motion").color(theme.dim));
        let segments: Vec<Segment<'_>> = (SlowMotion::ALL.into_iter())
            .map(|speed| {
                let name = format!("slow motion {}", speed.label());
                Segment::new(name, speed.label(), "How fast the stages follow each other")
            })
            .collect();
        let chosen = SlowMotion::ALL
            .iter()
            .position(|&speed| speed == state.speed);
        let clicked = show_segments(ui, theme, &segments, chosen);
        if let Some(&speed) = clicked.and_then(|index| SlowMotion::ALL.get(index)) {
            act(StepsAction::Speed(speed));
        }
        let (text, about) = match state.is_playing() {
            true => ("⏸", "Pause"),
            false => ("▶", "Stage after stage in slow motion"),
        };
        let play = ui.add(Button::new(text).min_size(vec2(56.0, 26.0)));
        let about = hint(about, Command::Steps(StepsCommand::Play));
        if play.explained("play steps", about).clicked() {
            act(StepsAction::Play(!state.is_playing()));
        }
    });
}

/// A sentence whose parts between asterisks matter most.
fn layout(text: &str, theme: &Theme) -> LayoutJob {
    let mut job = LayoutJob::default();
    for (index, part) in text.split('*').enumerate() {
        let font = match index % 2 {
            0 => FontId::proportional(CAPTION_SIZE),
            _ => strong(CAPTION_SIZE),
        };
        let format = TextFormat {
            font_id: font,
            color: theme.text,
            line_height: Some(20.0),
            ..TextFormat::default()
        };
        job.append(part, 0.0, format);
    }
    job
}

/// What happens in the phase, in sentences; what matters most stands between asterisks.
fn caption(shown: &Shown<'_>) -> String {
    let steps = shown.steps;
    match shown.phase {
        Phase::Select(index) => choice_text(shown, index),
        Phase::Expand => match steps.expansion.new_move() {
            Some(name) => {
                let text = steps.expansion.text.as_str();
                match text.rsplit_once(name) {
                    Some((before, after)) => format!("{before}*{name}*{after}"),
                    None => text.to_owned(),
                }
            }
            None => steps.expansion.text.clone(),
        },
        Phase::PlayOut => playout_text(shown),
        Phase::BackUp => back_up_text(shown),
    }
}

fn choice_text(shown: &Shown<'_>, index: usize) -> String {
    let Some(step) = shown.steps.selection.get(index) else {
        return String::new();
    };
    let place = match step.after.last() {
        None => "At the root".to_owned(),
        Some(name) => format!("After {name}"),
    };
    let chooser = step.chooser;
    let Some(chosen) = step.chosen() else {
        return format!("{place} {chooser} chooses.");
    };
    let name = &chosen.name;
    let equals = step
        .rows
        .iter()
        .filter(|row| row.score == chosen.score)
        .count();
    let tie = match equals > 1 {
        true => " Of equal scores the first is followed.",
        false => "",
    };
    match step.rows.len() {
        1 => format!("{place} {chooser} has only one move that is in the tree: *{name}*."),
        _ if step.remark.is_some() => format!("{place} {chooser} chooses *{name}*."),
        moves => format!(
            "{place} {chooser} chooses among {moves} moves. The highest score is followed: *{name}* with *{}*, mean {} and {} for exploring.{tie}",
            chosen.score, chosen.mean, chosen.exploration
        ),
    }
}

fn playout_text(shown: &Shown<'_>) -> String {
    let playout = &shown.steps.playout;
    let result = &playout.result;
    match &playout.moves {
        _ if playout.is_certain => format!("Nothing is played out: *{result}* here."),
        None => format!("A game was played out from here: *{result}*."),
        Some(moves) if moves.len() == 1 => {
            format!("The game is played on, one move, by the search’s simple rule: *{result}*.")
        }
        Some(moves) => format!(
            "The game is played on quickly, {} moves, by lot or by a simple rule: *{result}*. None of them becomes a node.",
            moves.len()
        ),
    }
}

fn back_up_text(shown: &Shown<'_>) -> String {
    let steps = shown.steps;
    let result = &steps.playout.result;
    let Some(root) = steps.updates.first() else {
        return String::new();
    };
    let count = |number: u64| format_thousands(number);
    let (before, after) = root.visits;
    let now = percent(root.share.1, after);
    let changed = match root.share.0 {
        Some(share) => format!(
            "*{now}* of {} games, before {} of {}",
            count(after),
            percent(share, before),
            count(before)
        ),
        None => format!("*{now}* of {} games", count(after)),
    };
    format!(
        "The result: *{result}*. Every node on the green path counts *one more visit* and takes the result in: at the root {} now wins {changed}.",
        steps.owner
    )
}
