//! The state of a match: the players with their points, and the moves of the game.

use std::sync::Arc;

use canopy_engine::arena::stats::WdlCounts;
use egui::{
    Align, Align2, Color32, FontId, Galley, InputState, Label, Layout, Rect, RichText, ScrollArea,
    Sense, Stroke, Ui, UiBuilder, pos2, vec2,
};

use super::{elide::elided_label, game::draw_disc};
use crate::{
    app::{Action, App},
    draw::{
        fonts,
        theme::{BODY_SIZE, SMALL_SIZE, TITLE_SIZE, Theme},
    },
    play::match_state::{MatchPlayer, MatchState, TurnMoves},
    tree::title::game_title,
    ui::controls::Named as _,
};

/// Height of a line of small text, in points.
const SMALL_LINE_HEIGHT: f32 = 16.0;
/// Height of a turn in the list, in points, and the number of visible turns.
const ROW_HEIGHT: f32 = 20.0;
const MAX_VISIBLE_ROWS: usize = 6;
const MIN_VISIBLE_ROWS: usize = 3;
/// Width of turn numbers, in points.
const TURN_NUMBER_WIDTH: f32 = 32.0;
/// Between two moves of one turn, and between columns.
const COLUMN_GAP: f32 = 8.0;

/// Shows the players and their scores.
pub(super) fn show(standing: &MatchState, ui: &mut Ui, theme: &Theme) {
    let middle = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(
        vec2(ui.available_width(), SMALL_LINE_HEIGHT),
        middle,
        |ui| {
            let which = standing.game_label();
            let is_over = standing.is_over();
            ui.label(theme.heading(if is_over { "Match over" } else { &which }));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let title = game_title(&standing.game_name());
                let drawn = match standing.meta.score.drawn {
                    0 => title,
                    drawn => format!("{title} · {drawn} drawn"),
                };
                let text = RichText::new(drawn).color(theme.dim).small();
                ui.add(Label::new(text).truncate());
            });
        },
    );
    if let Some(verdict) = standing.result_text() {
        ui.add(Label::new(theme.title(verdict)).wrap());
        ui.add_space(4.0);
    }
    let rows: Vec<PlayerRow> = (standing.players().into_iter())
        .map(|player| PlayerRow::new(player, standing, ui, theme))
        .collect();
    // A column is as wide as its widest text, so that all end at one line.
    let widest = |column: usize| {
        (rows.iter().flat_map(|row| &row.columns[column]))
            .map(|galley| galley.size().x + COLUMN_GAP)
            .fold(0.0, f32::max)
    };
    let widths = [0, 1, 2].map(widest);
    for row in &rows {
        row.show(widths, standing, ui, theme);
    }
    if let Some((name, counts)) = standing.first_counts() {
        show_error_bar(&name, counts, ui, theme);
    }
    ui.add_space(4.0);
    ui.separator();
    ui.add_space(4.0);
}

/// The score of the first player with its 95 % interval: a bar from no point to all points, a whisker and a dot.
fn show_error_bar(name: &str, counts: WdlCounts, ui: &mut Ui, theme: &Theme) {
    /// Heights of the score's bar and of the ends of its interval, in points.
    const ERROR_BAR_HEIGHT: f32 = 16.0;
    const WHISKER_HEIGHT: f32 = 8.0;
    let (score, interval) = (counts.score(), counts.wilson_interval());
    let size = vec2(ui.available_width(), ERROR_BAR_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let painter = ui.painter();
    let x = |part: f64| egui::lerp(rect.x_range(), part as f32);
    let (middle, half) = (rect.center().y, WHISKER_HEIGHT / 2.0);
    painter.hline(rect.x_range(), middle, Stroke::new(1.0, theme.line));
    // Equal strength.
    let ends = middle - half..=middle + half;
    painter.vline(x(0.5), rect.y_range(), Stroke::new(1.0, theme.dim));
    let whisker = Stroke::new(2.0, theme.cool);
    painter.hline(x(interval.low)..=x(interval.high), middle, whisker);
    for end in [interval.low, interval.high] {
        painter.vline(x(end), ends.clone(), whisker);
    }
    painter.circle_filled(pos2(x(score), middle), 4.0, theme.cool);
    let percent = |part: f64| format!("{:.0}", part * 100.0);
    let games = counts.games();
    let text = format!(
        "{name}: {} % of {games} {} (95 %: {} to {})",
        percent(score),
        if games == 1 { "game" } else { "games" },
        percent(interval.low),
        percent(interval.high)
    );
    let hint = "The share of points so far. With 95 % confidence the true share lies within the bar (Wilson's interval); \
                the line in the middle is equal strength.";
    response.on_hover_text(hint).named("score bar");
    let font = FontId::proportional(SMALL_SIZE.max(12.0));
    let room = ui.available_width();
    elided_label(ui, &text, (&font, theme.dim), room)
        .on_hover_text(hint)
        .named(&text);
}

/// A player: the disc of the side, the name, and in columns that side's name, the clock and the points.
struct PlayerRow {
    player: MatchPlayer,
    columns: [Option<Arc<Galley>>; 3],
}

impl PlayerRow {
    fn new(player: MatchPlayer, standing: &MatchState, ui: &Ui, theme: &Theme) -> Self {
        let text = |text: String, font: FontId, colour: Color32| {
            ui.painter().layout_no_wrap(text, font, colour)
        };
        let (body, title) = (
            FontId::proportional(BODY_SIZE),
            FontId::new(TITLE_SIZE, fonts::semibold()),
        );
        let now = standing.board.as_ref().ok();
        let side = (player.side.zip(now)).map(|(side, now)| now.players[side.index()].to_owned());
        let is_running = player.side.is_some() && player.side == standing.to_move();
        let running = if is_running { theme.text } else { theme.dim };
        let is_winner = standing.winner().is_some_and(|name| name == player.name);
        let won = if is_winner { theme.good } else { theme.text };
        let columns = [
            side.map(|side| text(side, body.clone(), theme.dim)),
            (player.clock).map(|clock| text(format_clock(clock), body, running)),
            (player.points.clone()).map(|points| text(points, title, won)),
        ];
        Self { player, columns }
    }

    fn show(&self, widths: [f32; 3], standing: &MatchState, ui: &mut Ui, theme: &Theme) {
        let size = vec2(ui.available_width(), ROW_HEIGHT + 4.0);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        if let Some((side, now)) = self.player.side.zip(standing.board.as_ref().ok()) {
            let at = pos2(rect.left() + 6.0, rect.center().y);
            draw_disc(
                ui.painter(),
                at,
                now.board.piece_colours(side, theme).fill,
                theme,
            );
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
        let left = rect.left() + 12.0 + COLUMN_GAP;
        let room = Rect::from_min_max(pos2(left, rect.top()), pos2(right.max(left), rect.bottom()));
        let room = UiBuilder::new()
            .max_rect(room)
            .layout(Layout::left_to_right(Align::Center));
        ui.scope_builder(room, |ui| {
            let font = FontId::new(BODY_SIZE, fonts::semibold());
            let room = ui.available_width();
            elided_label(ui, &self.player.name, (&font, theme.text), room);
        });
    }
}

/// A clock's remaining time; with tenths when it is short.
fn format_clock(milliseconds: u64) -> String {
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
    /// The turn that is kept in sight.
    scrolled_to: Option<usize>,
    /// Set once the list was scrolled by hand: it stays there until another turn is to be seen.
    is_released: bool,
}

impl MoveList {
    /// Shows them, a turn in each row. Long games are scrolled, to the end or to the move of the tree that is looked at.
    /// What comes below needs `reserved` points.
    pub(super) fn show(
        &mut self,
        (standing, reserved): (&MatchState, f32),
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        if standing.moves.is_empty() {
            return;
        }
        let is_other = !app.folder.is_following_newest && !app.is_current_game();
        ui.label(if is_other {
            theme.heading(&format!("Moves of game {}", standing.meta.number))
        } else {
            theme.heading("Moves")
        });
        let marked = app.shown_move();
        // As many rows as are in sight.
        let below = ui.clip_rect().bottom() - ui.cursor().top() - reserved;
        let visible_rows =
            ((below / ROW_HEIGHT) as usize).clamp(MIN_VISIBLE_ROWS, MAX_VISIBLE_ROWS);
        let row_of = |index: usize| {
            (standing.turns.iter())
                .position(|turn| turn.moves.iter().flatten().any(|&mv| mv >= index))
        };
        let last = standing.turns.len() - 1;
        let wanted = marked.map_or(last, |marked| row_of(marked).unwrap_or(last));
        let height = ROW_HEIGHT * visible_rows.min(standing.turns.len()) as f32;
        let spacing = ui.spacing().item_spacing;
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut area = ScrollArea::vertical()
            .id_salt("moves")
            .max_height(height)
            .auto_shrink([false, true]);
        if self.scrolled_to != Some(wanted) {
            (self.scrolled_to, self.is_released) = (Some(wanted), false);
        }
        // In every frame: what lies above the list may come later, and leave it fewer rows.
        if !self.is_released {
            let above = wanted.saturating_sub(visible_rows - 1);
            area = area.vertical_scroll_offset(above as f32 * ROW_HEIGHT);
        }
        let shown = area.show_rows(ui, ROW_HEIGHT, standing.turns.len(), |ui, rows| {
            for row in rows {
                if let Some(turn) = standing.turns.get(row) {
                    show_turn(row, turn, (standing, marked), ui, theme, actions);
                }
            }
        });
        let is_scrolled = |input: &InputState| {
            input.smooth_scroll_delta().y != 0.0 || input.pointer.primary_down()
        };
        if ui.rect_contains_pointer(shown.inner_rect) && ui.input(is_scrolled) {
            self.is_released = true;
        }
        ui.spacing_mut().item_spacing = spacing;
        ui.add_space(12.0);
    }
}

/// A turn: its number, the first player's moves and the second's.
fn show_turn(
    row: usize,
    turn: &TurnMoves,
    (standing, marked): (&MatchState, Option<usize>),
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::hover());
    let font = FontId::proportional(BODY_SIZE);
    let at = rect.left_center();
    let number = (row + 1).to_string();
    (ui.painter()).text(at, Align2::LEFT_CENTER, number, font.clone(), theme.dim);
    let width = (rect.width() - TURN_NUMBER_WIDTH) / 2.0;
    for (column, moves) in turn.moves.iter().enumerate() {
        let left = rect.left() + TURN_NUMBER_WIDTH + width * column as f32;
        let cell = Rect::from_min_size(pos2(left, rect.top()), vec2(width, ROW_HEIGHT));
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
        show_moves(moves, cell, (standing, marked), ui, theme, actions);
    }
}

/// The moves that a player made in one turn. A click goes to the tree of a move.
fn show_moves(
    moves: &[usize],
    cell: Rect,
    (standing, marked): (&MatchState, Option<usize>),
    ui: &Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let mut left = cell.left();
    for &index in moves {
        let is_last = index + 1 == standing.moves.len();
        let (font, colour) = match () {
            () if marked == Some(index) => (FontId::new(BODY_SIZE, fonts::semibold()), theme.cool),
            () if is_last => (FontId::new(BODY_SIZE, fonts::semibold()), theme.warm),
            () => (FontId::proportional(BODY_SIZE), theme.text),
        };
        let text = standing.moves[index].clone();
        let galley = ui.painter().layout_no_wrap(text, font, colour);
        let place = Rect::from_min_size(pos2(left, cell.top()), vec2(galley.size().x, ROW_HEIGHT));
        left = place.right() + COLUMN_GAP;
        if place.right() > cell.right() {
            let at = place.left_center();
            let font = FontId::proportional(BODY_SIZE);
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
    use super::format_clock;

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
            assert_eq!(format_clock(milliseconds), expected);
        }
    }
}
