//! The area on the right: what was compared at each step, what was added, and the words.

use egui::{
    Align, Align2, Color32, DragValue, FontId, Frame, Label, Layout, Margin, Rect, RichText, Sense,
    Stroke, StrokeKind, Ui, pos2, vec2,
};

use super::{Shown, strong};
use crate::{
    app::{Action, StepsAction},
    draw::theme::{SMALL_SIZE, Theme},
    tree::{
        iteration::{Candidate, Phase, ScoreRow, SelectionStep},
        scene::format_thousands,
    },
    ui::{controls, controls::Named as _},
};

/// Height of a row, in points.
const ROW_HEIGHT: f32 = 26.0;
/// Where the columns end, as parts of the width: move, visits, mean, exploration, score.
const COLUMN_ENDS: [f32; 5] = [0.14, 0.325, 0.56, 0.775, 0.975];
/// Rows of a table before the rest is told by its number.
const MAX_ROWS: usize = 8;
/// Size of a card of a move that was never tried, and how many are shown.
const CANDIDATE_SIZE: egui::Vec2 = vec2(74.0, 46.0);
const MAX_CANDIDATES: usize = 12;

/// Shows it; scrolls to what is told now if `scrolls`.
pub(super) fn show(shown: &Shown<'_>, scrolls: bool, ui: &mut Ui, actions: &mut Vec<Action>) {
    show_title(shown, ui, actions);
    let steps = shown.steps;
    let told = match shown.phase {
        Phase::Select(step) => step + 1,
        _ => steps.selection.len(),
    };
    for (index, step) in steps.selection.iter().take(told).enumerate() {
        let before = ui.cursor().top();
        show_choice(index, step, shown.theme, ui);
        scroll_to(ui, before, scrolls && shown.phase == Phase::Select(index));
    }
    if shown.has_reached(Phase::Expand) {
        let before = ui.cursor().top();
        show_expansion(shown, ui);
        scroll_to(ui, before, scrolls && shown.phase == Phase::Expand);
    }
    show_words(shown, ui);
}

/// Brings what was added since `top` into view.
fn scroll_to(ui: &Ui, top: f32, scrolls: bool) {
    if scrolls {
        let (left, bottom) = (ui.min_rect().left(), ui.cursor().top());
        let part = Rect::from_min_max(pos2(left, top), pos2(left + 1.0, bottom));
        ui.scroll_to_rect(part, None);
    }
}

/// The number of the iteration, which can be changed.
fn show_title(shown: &Shown<'_>, ui: &mut Ui, actions: &mut Vec<Action>) {
    let theme = shown.theme;
    ui.horizontal(|ui| {
        ui.label(theme.semibold("Iteration", 17.0));
        let mut iteration = shown.steps.iteration;
        let end = shown.journal.iterations.max(1);
        let field = DragValue::new(&mut iteration).range(1..=end).speed(0.2);
        let field = ui.add(field);
        let field = field.explained("steps iteration", "Drag, or click and type a number");
        if field.changed() && iteration != shown.steps.iteration {
            actions.push(Action::Steps(StepsAction::Iteration(iteration)));
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let text = format!("of {}", format_thousands(end.into()));
            ui.label(RichText::new(text).color(theme.dim));
        });
    });
}

/// A heading with a remark on the right.
fn show_heading(text: &str, remark: &str, theme: &Theme, ui: &mut Ui) {
    ui.add_space(12.0);
    ui.horizontal(|ui| {
        ui.label(theme.heading(text));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.label(RichText::new(remark).small().color(theme.dim));
        });
    });
}

/// "at the root" or "after 3, 5".
fn place_text(after: &[String]) -> String {
    match after {
        [] => "at the root".to_owned(),
        [.., last] if after.len() > 4 => format!("{} moves deep, after {last}", after.len()),
        moves => format!("after {}", moves.join(", ")),
    }
}

/// A choice: its table and the arithmetic of the chosen move.
fn show_choice(index: usize, step: &SelectionStep, theme: &Theme, ui: &mut Ui) {
    let title = format!("Select, step {}: {} chooses", index + 1, step.chooser);
    let visits = format_thousands(step.parent_visits);
    let place = format!("{}, N = {visits}", place_text(&step.after));
    show_heading(&title, &place, theme, ui);
    let mean = format!("{}’s mean", step.chooser);
    let heads = ["move", "visits", &mean, "+ explore", "= score"];
    let small = FontId::proportional(SMALL_SIZE);
    let (place, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    write_row(
        ui,
        place,
        &heads.map(|head| (head, small.clone(), theme.dim)),
    );
    ui.spacing_mut().item_spacing.y = 2.0;
    for row in shown_rows(&step.rows) {
        show_row(row, index, theme, ui);
    }
    ui.spacing_mut().item_spacing.y = 4.0;
    if step.rows.len() > MAX_ROWS {
        let more = step.rows.len() - MAX_ROWS;
        let text = format!("+{more} more with lower scores");
        ui.label(RichText::new(text).small().color(theme.dim));
    }
    let chosen = step
        .chosen()
        .map(|row| row.name.as_str())
        .unwrap_or_default();
    match (step.arithmetic.as_slice(), &step.remark) {
        ([], Some(remark)) => {
            ui.label(RichText::new(remark).color(theme.dim));
        }
        (lines, _) => {
            for (number, line) in lines.iter().enumerate() {
                let text = match number {
                    0 => format!("{chosen}: {line}"),
                    _ => line.clone(),
                };
                ui.label(RichText::new(text).color(theme.text));
            }
        }
    }
}

/// The rows that are listed: the first ones and the chosen one.
fn shown_rows(rows: &[ScoreRow]) -> impl Iterator<Item = &ScoreRow> {
    let late = rows
        .iter()
        .position(|row| row.is_chosen)
        .filter(|&at| at >= MAX_ROWS);
    let first = MAX_ROWS - usize::from(late.is_some());
    let late = late.and_then(|at| rows.get(at));
    rows.iter().take(first).chain(late)
}

fn show_row(row: &ScoreRow, step: usize, theme: &Theme, ui: &mut Ui) {
    let size = vec2(ui.available_width(), ROW_HEIGHT);
    let (place, _) = ui.allocate_exact_size(size, Sense::hover());
    if row.is_chosen {
        let stroke = Stroke::new(1.0, theme.last);
        ui.painter()
            .rect(place, 6.0, theme.card, stroke, StrokeKind::Inside);
    }
    let plain = FontId::proportional(13.0);
    let visits = format_thousands(row.visits);
    let (score_font, score_colour) = match row.is_chosen {
        true => (strong(13.0), theme.last),
        false => (plain.clone(), theme.text),
    };
    let cells = [
        (row.name.as_str(), strong(13.0), theme.text),
        (visits.as_str(), plain.clone(), theme.text),
        (row.mean.as_str(), plain.clone(), theme.text),
        (row.exploration.as_str(), plain, theme.dim),
        (row.score.as_str(), score_font, score_colour),
    ];
    let told = format!(
        "step {}: {} {} {} {} {}{}",
        step + 1,
        row.name,
        visits,
        row.mean,
        row.exploration,
        row.score,
        if row.is_chosen { " chosen" } else { "" }
    );
    controls::register(ui.ctx(), &told, place);
    write_row(ui, place, &cells);
}

/// Writes cells at the ends of their columns; the first at the left.
fn write_row(ui: &Ui, place: Rect, cells: &[(&str, FontId, Color32); 5]) {
    let middle = place.center().y;
    for (index, ((text, font, colour), end)) in cells.iter().zip(COLUMN_ENDS).enumerate() {
        let (x, align) = match index {
            0 => (place.left() + 10.0, Align2::LEFT_CENTER),
            _ => (place.left() + place.width() * end, Align2::RIGHT_CENTER),
        };
        (ui.painter()).text(pos2(x, middle), align, *text, font.clone(), *colour);
    }
}

/// The moves that were never tried, and the one that became a node.
fn show_expansion(shown: &Shown<'_>, ui: &mut Ui) {
    let (theme, expansion) = (shown.theme, &shown.steps.expansion);
    show_heading("Expand", &place_text(&expansion.after), theme, ui);
    let count = expansion.candidates.len();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(8.0, 8.0);
        let new = |candidate: &&Candidate| candidate.is_new;
        let late = expansion.candidates.iter().skip(MAX_CANDIDATES).find(new);
        for candidate in expansion.candidates.iter().take(MAX_CANDIDATES).chain(late) {
            show_candidate(candidate, theme, ui);
        }
        if count > MAX_CANDIDATES + usize::from(late.is_some()) {
            let more = count - MAX_CANDIDATES - usize::from(late.is_some());
            ui.label(RichText::new(format!("+{more} more")).color(theme.dim));
        }
    });
    ui.add_space(4.0);
    ui.label(RichText::new(&expansion.text).color(theme.text));
}

fn show_candidate(candidate: &Candidate, theme: &Theme, ui: &mut Ui) {
    let (place, _) = ui.allocate_exact_size(CANDIDATE_SIZE, Sense::hover());
    let line = match candidate.is_new {
        true => theme.last,
        false => theme.line,
    };
    let painter = ui.painter();
    let stroke = Stroke::new(1.0, line);
    painter.rect(place, 6.0, theme.card, stroke, StrokeKind::Inside);
    let small = FontId::proportional(SMALL_SIZE);
    let (top, bottom) = (
        place.left_top() + vec2(10.0, 7.0),
        place.left_bottom() + vec2(10.0, -6.0),
    );
    painter.text(
        top,
        Align2::LEFT_TOP,
        &candidate.name,
        strong(13.0),
        theme.text,
    );
    if candidate.is_new {
        let at = place.right_top() + vec2(-8.0, 7.0);
        painter.text(at, Align2::RIGHT_TOP, "new", small.clone(), theme.last);
    }
    let score = format!("score {}", candidate.score);
    painter.text(bottom, Align2::LEFT_BOTTOM, score, small, theme.dim);
}

/// What the words mean, and the legend.
fn show_words(shown: &Shown<'_>, ui: &mut Ui) {
    let theme = shown.theme;
    ui.add_space(12.0);
    ui.separator();
    ui.label(theme.heading("The words"));
    for (word, meaning) in [
        ("visits", "how often the search went through this move"),
        ("mean", "share of those games won by the side that chooses"),
        ("explore", "grows while a move is neglected"),
        ("score", "mean + explore; the highest is followed"),
    ] {
        ui.horizontal_top(|ui| {
            let left = ui.cursor().left();
            ui.label(theme.strong(word));
            ui.add_space((left + 68.0 - ui.cursor().left()).max(0.0));
            ui.add(Label::new(RichText::new(meaning).color(theme.dim)).wrap());
        });
    }
    ui.add_space(4.0);
    let [first, second] = shown.steps.players;
    let sides = match shown.steps.first_is_light {
        true => [(first, true), (second, false)],
        false => [(second, true), (first, false)],
    };
    for (name, is_light) in sides {
        show_key(&format!("{name} decides here"), theme, ui, |ui, place| {
            let (fill, line) = match is_light {
                true => (theme.light_player, theme.dark_player),
                false => (theme.dark_player, theme.light_player),
            };
            let line = if theme.is_dark {
                theme.light_player
            } else {
                line
            };
            ui.painter()
                .circle(place.center(), 7.0, fill, Stroke::new(1.5, line));
        });
    }
    show_key("path of this iteration", theme, ui, |ui, place| {
        let stroke = Stroke::new(3.0, theme.last);
        ui.painter()
            .hline(place.x_range(), place.center().y, stroke);
    });
}

/// A line of the legend.
fn show_key(text: &str, theme: &Theme, ui: &mut Ui, draw: impl FnOnce(&Ui, Rect)) {
    let frame = Frame::new().inner_margin(Margin::symmetric(0, 1));
    frame.show(ui, |ui| {
        ui.horizontal(|ui| {
            let (place, _) = ui.allocate_exact_size(vec2(24.0, 16.0), Sense::hover());
            draw(ui, place);
            ui.label(RichText::new(text).color(theme.text));
        });
    });
}
