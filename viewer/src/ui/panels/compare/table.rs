//! The moves of the root in both searches, with the difference of their shares.

use canopy_engine::explain::truth;
use egui::{Align2, Color32, FontId, Rect, ScrollArea, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use super::{LETTERS, push, side_colour};
use crate::{
    app::{Action, App, CompareAction, TruthMode},
    draw::{
        fonts,
        theme::{BODY_SIZE, SMALL_SIZE, Theme},
    },
    tree::{
        comparison::ComparedMove,
        node_value::{NodeValues, ValueView},
        value_text::{Value, percent},
    },
    ui::controls::Named as _,
};

const ROW_HEIGHT: f32 = 34.0;
/// Space before an exact value.
const EXACT_GAP: f32 = 24.0;
/// Right ends of the columns as parts of the width: move, both shares, the difference, both values; and the exact value, where
/// it is asked for.
const COLUMNS: [f32; 6] = [0.2, 0.33, 0.46, 0.7, 0.85, 1.0];
const COLUMNS_WITH_TRUTH: [f32; 7] = [0.17, 0.28, 0.39, 0.58, 0.69, 0.8, 1.0];

/// The columns that are shown.
fn columns(app: &App) -> &'static [f32] {
    match app.truth_mode() {
        TruthMode::Off => &COLUMNS,
        _ => &COLUMNS_WITH_TRUTH,
    }
}

/// Shows the table.
pub(super) fn show(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let Some(shown) = &app.compare.shown else {
        return;
    };
    let values = NodeValues::new(&shown.sides[0], ValueView::Root);
    let mover = values.wording.name(values.chooser(0));
    ui.label(theme.heading(&format!("Root moves, {mover} to move")));
    ui.add_space(4.0);
    show_titles(
        columns(app),
        values.model().is_classical(),
        mover,
        ui,
        theme,
    );
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for mv in &shown.root_moves {
            show_row(app, mv, &values, ui, theme, actions);
        }
    });
}

fn show_titles(columns: &[f32], is_classical: bool, mover: &str, ui: &mut Ui, theme: &Theme) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let value = |side: usize| match is_classical {
        true => format!("value {}", LETTERS[side]),
        false => format!("{mover} wins, {}", LETTERS[side]),
    };
    let titles = [
        "share A".to_owned(),
        "share B".to_owned(),
        "A − B".to_owned(),
        value(0),
        value(1),
        "exact solver".to_owned(),
    ];
    let font = FontId::proportional(SMALL_SIZE);
    let y = rect.center().y;
    let painter = ui.painter();
    painter.text(
        pos2(rect.left() + 8.0, y),
        Align2::LEFT_CENTER,
        "move",
        font.clone(),
        theme.dim,
    );
    let shown = columns.len() - 1;
    for (index, title) in titles.into_iter().take(shown).enumerate() {
        let (at, align) = match index {
            2 => (bar_middle(columns, rect), Align2::CENTER_CENTER),
            5 => (
                column_end(columns, rect, 5) + EXACT_GAP,
                Align2::LEFT_CENTER,
            ),
            _ => (column_end(columns, rect, index + 1), Align2::RIGHT_CENTER),
        };
        painter.text(pos2(at, y), align, title, font.clone(), theme.dim);
    }
}

fn column_end(columns: &[f32], row: Rect, index: usize) -> f32 {
    row.left() + row.width() * columns[index] - 8.0
}

/// The middle of the bars of differences.
fn bar_middle(columns: &[f32], row: Rect) -> f32 {
    row.left() + row.width() * f32::midpoint(columns[2], columns[3])
}

fn show_row(
    app: &App,
    mv: &ComparedMove,
    values: &NodeValues<'_>,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let size = vec2(ui.available_width(), ROW_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let columns = columns(app);
    let is_selected = mv.node.is_some() && app.compare.selected == mv.node;
    let painter = ui.painter();
    let row = rect.shrink2(vec2(0.0, 2.0));
    if response.hovered() {
        painter.rect_filled(row, 6.0, theme.card);
    }
    if is_selected {
        let line = Stroke::new(1.5, theme.warm);
        painter.rect_stroke(row, 6.0, line, StrokeKind::Inside);
    }
    let (font, strong) = (
        FontId::proportional(BODY_SIZE),
        FontId::new(BODY_SIZE, fonts::semibold()),
    );
    let y = rect.center().y;
    let name = painter.text(
        pos2(rect.left() + 8.0, y),
        Align2::LEFT_CENTER,
        &mv.name,
        strong,
        theme.text,
    );
    show_choosers(mv, pos2(name.right() + 10.0, y), ui, theme);
    let visits = |side: usize| mv.visits[side].unwrap_or(0);
    let share = |side: usize| match mv.visits[side] {
        Some(count) => percent(mv.shares[side], count.max(1001)),
        None => "–".to_owned(),
    };
    let value = |side: usize| match mv.values[side] {
        Value::Unknown => "–".to_owned(),
        value => values.wording.figure(&value),
    };
    for (index, text) in [(1, share(0)), (2, share(1)), (4, value(0)), (5, value(1))] {
        let at = pos2(column_end(columns, rect, index), y);
        painter.text(at, Align2::RIGHT_CENTER, text, font.clone(), theme.text);
    }
    draw_difference(columns, mv, rect, ui, theme);
    if let Some((text, colour)) = exact_text(app, mv, values, theme) {
        let at = pos2(column_end(columns, rect, 5) + EXACT_GAP, y);
        painter.text(at, Align2::LEFT_CENTER, text, font, colour);
    }
    let told = format!(
        "{}: {} visits in A, {} in B",
        mv.name,
        crate::tree::scene::format_thousands(visits(0)),
        crate::tree::scene::format_thousands(visits(1))
    );
    let response = response.explained(&format!("compared move {}", mv.mv), told);
    if response.clicked() {
        let place = mv.node.filter(|_| !is_selected);
        push(actions, CompareAction::Select(place));
    }
}

/// What an exact solver says of a move, if it was asked: "O wins in 11".
fn exact_text(
    app: &App,
    mv: &ComparedMove,
    values: &NodeValues<'_>,
    theme: &Theme,
) -> Option<(String, Color32)> {
    if app.truth_mode() == TruthMode::Off {
        return None;
    }
    let not_solved = || ("not solved".to_owned(), theme.dim);
    let Some(known) = app.move_values(0) else {
        return Some(match app.truth_waiting() {
            0 => not_solved(),
            _ => ("…".to_owned(), theme.dim),
        });
    };
    let Some(value) = truth::value_of(known, &mv.mv) else {
        return Some(not_solved());
    };
    let mover = values.chooser(0);
    Some(match truth::winner(value, mover) {
        None => ("= draw".to_owned(), theme.dim),
        Some(winner) => {
            let (sign, colour) = match winner == mover {
                true => ("✓", theme.good),
                false => ("×", theme.bad),
            };
            // A winner's own moves: the first ply is the mover's.
            let moves = value.plies.map(|plies| match winner == mover {
                true => plies.div_ceil(2),
                false => plies / 2,
            });
            let length = moves.map_or(String::new(), |moves| format!(" in {moves}"));
            let name = values.wording.name(winner);
            (format!("{sign} {name} wins{length}"), colour)
        }
    })
}

/// Which search chose the move.
fn show_choosers(mv: &ComparedMove, mut at: egui::Pos2, ui: &Ui, theme: &Theme) {
    let text = match mv.is_chosen {
        [true, true] => Some(("both chose", theme.text)),
        [true, false] => Some(("A chose", theme.side_a)),
        [false, true] => Some(("B chose", theme.side_b)),
        [false, false] => None,
    };
    let Some((text, colour)) = text else { return };
    let font = FontId::proportional(SMALL_SIZE);
    let galley = ui.painter().layout_no_wrap(text.to_owned(), font, colour);
    let pill = Rect::from_center_size(
        pos2(at.x + galley.size().x / 2.0 + 8.0, at.y),
        galley.size() + vec2(16.0, 6.0),
    );
    let line = Stroke::new(1.0, theme.line);
    (ui.painter()).rect(pill, 10.0, theme.card, line, StrokeKind::Inside);
    at = pill.center() - galley.size() / 2.0;
    ui.painter().galley(at, galley, colour);
}

/// A bar to the side of the search with the larger share, and the difference in points of a hundred.
fn draw_difference(columns: &[f32], mv: &ComparedMove, row: Rect, ui: &Ui, theme: &Theme) {
    let difference = mv.difference();
    let middle = bar_middle(columns, row);
    let half = row.width() * (columns[3] - columns[2]) / 2.0 - 8.0;
    let y = row.center().y;
    let painter = ui.painter();
    painter.vline(middle, y - 9.0..=y + 9.0, Stroke::new(1.0, theme.dim));
    let side = usize::from(difference < 0.0);
    // To the right for A, to the left for B: the figure stands on the free side.
    let length = (difference.abs() as f32 * half).max(0.0);
    let end = if side == 0 {
        middle + length
    } else {
        middle - length
    };
    let bar = Rect::from_two_pos(pos2(middle, y - 7.0), pos2(end, y + 7.0));
    painter.rect_filled(bar, 0.0, side_colour(theme, side));
    let text = match difference * 100.0 {
        points if points.abs() < 0.05 => "0.0".to_owned(),
        points if points > 0.0 => format!("+{points:.1}"),
        points => format!("−{:.1}", -points),
    };
    let (at, align) = match side {
        0 => (middle - 6.0, Align2::RIGHT_CENTER),
        _ => (middle + 6.0, Align2::LEFT_CENTER),
    };
    let colour: Color32 = theme.text;
    painter.text(
        pos2(at, y),
        align,
        text,
        FontId::proportional(BODY_SIZE),
        colour,
    );
}
