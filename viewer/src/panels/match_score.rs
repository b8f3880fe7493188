//! How a match stands: the players with their points, and the moves of the game.

use std::sync::Arc;

use egui::{
    Align, Align2, Color32, FontId, Galley, Label, Layout, Rect, RichText, ScrollArea, Sense, Ui,
    UiBuilder, pos2, vec2,
};

use super::game::disc;
use crate::{
    app::{Action, App},
    controls::Named as _,
    fonts,
    standing::{Contestant, Standing, Turn},
    theme::{BODY, TITLE, Theme},
};

/// How high a line of small text is, in points.
const LINE: f32 = 16.0;
/// How high a turn of the list is, in points, and how many are seen at once.
const ROW: f32 = 20.0;
const MOST_ROWS: usize = 6;
const FEWEST_ROWS: usize = 3;
/// How much room the number of a turn has, in points.
const NUMBER: f32 = 32.0;
/// Between two moves of one turn, and between columns.
const GAP: f32 = 8.0;

/// Shows who plays, and what each has won.
pub(super) fn show(standing: &Standing, ui: &mut Ui, theme: &Theme) {
    let middle = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), LINE), middle, |ui| {
        let which = standing.which();
        let is_over = standing.is_over();
        ui.label(theme.heading(if is_over { "Match over" } else { &which }));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let drawn = match standing.meta.score.drawn {
                0 => standing.game(),
                drawn => format!("{} · {drawn} drawn", standing.game()),
            };
            let text = RichText::new(drawn).color(theme.dim).small();
            ui.add(Label::new(text).truncate());
        });
    });
    if let Some(verdict) = standing.verdict() {
        ui.add(Label::new(theme.title(verdict)).wrap());
        ui.add_space(4.0);
    }
    let rows: Vec<Row> = (standing.contestants().into_iter())
        .map(|player| Row::new(player, standing, ui, theme))
        .collect();
    // A column is as wide as its widest text, so that all end at one line.
    let widest = |column: usize| {
        (rows.iter().flat_map(|row| &row.columns[column]))
            .map(|galley| galley.size().x + GAP)
            .fold(0.0, f32::max)
    };
    let widths = [0, 1, 2].map(widest);
    for row in &rows {
        row.show(widths, standing, ui, theme);
    }
    ui.add_space(4.0);
    ui.separator();
    ui.add_space(4.0);
}

/// A player: the disc of the side, the name, and in columns that side's name, the clock and the points.
struct Row {
    player: Contestant,
    columns: [Option<Arc<Galley>>; 3],
}

impl Row {
    fn new(player: Contestant, standing: &Standing, ui: &Ui, theme: &Theme) -> Self {
        let text = |text: String, font: FontId, colour: Color32| {
            ui.painter().layout_no_wrap(text, font, colour)
        };
        let (body, title) = (
            FontId::proportional(BODY),
            FontId::new(TITLE, fonts::semibold()),
        );
        let now = standing.board.as_ref().ok();
        let side = (player.side.zip(now)).map(|(side, now)| now.players[side.index()].to_owned());
        let is_running = player.side.is_some() && player.side == standing.to_move();
        let running = if is_running { theme.text } else { theme.dim };
        let is_winner = standing.champion().is_some_and(|name| name == player.name);
        let won = if is_winner { theme.good } else { theme.text };
        let columns = [
            side.map(|side| text(side, body.clone(), theme.dim)),
            (player.clock).map(|clock| text(time(clock), body, running)),
            (player.points.clone()).map(|points| text(points, title, won)),
        ];
        Self { player, columns }
    }

    fn show(&self, widths: [f32; 3], standing: &Standing, ui: &mut Ui, theme: &Theme) {
        let size = vec2(ui.available_width(), ROW + 4.0);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        if let Some((side, now)) = self.player.side.zip(standing.board.as_ref().ok()) {
            let at = pos2(rect.left() + 6.0, rect.center().y);
            disc(ui.painter(), at, now.board.tone(side, theme).fill, theme);
        }
        let mut right = rect.right();
        for (galley, width) in self.columns.iter().zip(widths).rev() {
            if let Some(galley) = galley {
                let at = vec2(galley.size().x, galley.size().y / 2.0);
                let at = pos2(right, rect.center().y) - at;
                ui.painter().galley(at, Arc::clone(galley), theme.text);
            }
            right -= width;
        }
        let left = rect.left() + 12.0 + GAP;
        let room = Rect::from_min_max(pos2(left, rect.top()), pos2(right.max(left), rect.bottom()));
        let room = UiBuilder::new()
            .max_rect(room)
            .layout(Layout::left_to_right(Align::Center));
        ui.scope_builder(room, |ui| {
            let name = Label::new(theme.strong(&self.player.name)).truncate();
            ui.add(name).on_hover_text(&self.player.name);
        });
    }
}

/// What is left on a clock; tenths where they matter.
fn time(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{:02}", seconds % 60)
    } else if seconds < 10 {
        format!("0:{seconds:02}.{}", milliseconds / 100 % 10)
    } else {
        format!("{minutes}:{:02}", seconds % 60)
    }
}

/// The moves of the game.
#[derive(Default)]
pub(super) struct MoveList {
    /// The turn that was last brought into sight.
    seen: Option<usize>,
}

impl MoveList {
    /// Shows them, a turn in each row. Long games are scrolled, to the end or to the move of the tree that is looked at.
    pub(super) fn show(
        &mut self,
        standing: &Standing,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        if standing.moves.is_empty() {
            return;
        }
        let is_other = !app.follow && !app.is_current_game();
        ui.label(if is_other {
            theme.heading(&format!("Moves of game {}", standing.meta.number))
        } else {
            theme.heading("Moves")
        });
        let marked = app.shown_move();
        // As many rows as are in sight.
        let below = ui.clip_rect().bottom() - ui.cursor().top();
        let most_rows = ((below / ROW) as usize).clamp(FEWEST_ROWS, MOST_ROWS);
        let row_of = |index: usize| {
            (standing.turns.iter())
                .position(|turn| turn.moves.iter().flatten().any(|&mv| mv >= index))
        };
        let last = standing.turns.len() - 1;
        let wanted = marked.map_or(last, |marked| row_of(marked).unwrap_or(last));
        let height = ROW * most_rows.min(standing.turns.len()) as f32;
        let spacing = ui.spacing().item_spacing;
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut area = ScrollArea::vertical()
            .id_salt("moves")
            .max_height(height)
            .auto_shrink([false, true]);
        if self.seen != Some(wanted) {
            self.seen = Some(wanted);
            let above = wanted.saturating_sub(most_rows - 1);
            area = area.vertical_scroll_offset(above as f32 * ROW);
        }
        area.show_rows(ui, ROW, standing.turns.len(), |ui, rows| {
            for row in rows {
                if let Some(turn) = standing.turns.get(row) {
                    turn_row(row, turn, (standing, marked), ui, theme, actions);
                }
            }
        });
        ui.spacing_mut().item_spacing = spacing;
        ui.add_space(12.0);
    }
}

/// A turn: its number, the first player's moves and the second's.
fn turn_row(
    row: usize,
    turn: &Turn,
    (standing, marked): (&Standing, Option<usize>),
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let font = FontId::proportional(BODY);
    let at = rect.left_center();
    let number = (row + 1).to_string();
    (ui.painter()).text(at, Align2::LEFT_CENTER, number, font.clone(), theme.dim);
    let width = (rect.width() - NUMBER) / 2.0;
    for (column, moves) in turn.moves.iter().enumerate() {
        let left = rect.left() + NUMBER + width * column as f32;
        let cell = Rect::from_min_size(pos2(left, rect.top()), vec2(width, ROW));
        if moves.is_empty() && column == 0 {
            let painter = ui.painter();
            painter.text(
                cell.left_center(),
                Align2::LEFT_CENTER,
                "…",
                font.clone(),
                theme.dim,
            );
        }
        cell_of(moves, cell, (standing, marked), ui, theme, actions);
    }
}

/// The moves that a player made in one turn. A click goes to the tree of a move.
fn cell_of(
    moves: &[usize],
    cell: Rect,
    (standing, marked): (&Standing, Option<usize>),
    ui: &Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let mut left = cell.left();
    for &index in moves {
        let is_last = index + 1 == standing.moves.len();
        let (font, colour) = match () {
            () if marked == Some(index) => (FontId::new(BODY, fonts::semibold()), theme.cool),
            () if is_last => (FontId::new(BODY, fonts::semibold()), theme.warm),
            () => (FontId::proportional(BODY), theme.text),
        };
        let text = standing.moves[index].clone();
        let galley = ui.painter().layout_no_wrap(text, font, colour);
        let place = Rect::from_min_size(pos2(left, cell.top()), vec2(galley.size().x, ROW));
        left = place.right() + GAP;
        if place.right() > cell.right() {
            let at = place.left_center();
            let font = FontId::proportional(BODY);
            ui.painter()
                .text(at, Align2::LEFT_CENTER, "…", font, theme.dim);
            return;
        }
        let touched = place.expand2(vec2(4.0, 0.0));
        let response = ui.interact(touched, ui.scope_id().with(("move", index)), Sense::click());
        let response = response.named(&format!("move {}", index + 1));
        if response.hovered() {
            ui.painter().rect_filled(touched, 4.0, theme.card);
        }
        let top = place.center().y - galley.size().y / 2.0;
        ui.painter().galley(pos2(place.left(), top), galley, colour);
        if response.on_hover_text("The tree of this move").clicked() {
            actions.push(Action::GoToMove(index));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn clocks_are_told_as_clocks() {
        for (milliseconds, expected) in [
            (0, "0:00.0"),
            (9_949, "0:09.9"),
            (10_000, "0:10"),
            (61_999, "1:01"),
            (3_600_000, "1:00:00"),
            (36_061_000, "10:01:01"),
        ] {
            assert_eq!(time(milliseconds), expected);
        }
    }
}
