//! The playout below the tree: its positions on boards, or its result alone where its moves are not recorded.

use egui::{Align2, FontId, Pos2, Rect, Shape, Stroke, Ui, UiBuilder, pos2, vec2};

use super::{Shown, draw_texture, show_search_button, strong};
use crate::{
    app::Action,
    board::{Board, BoardTextures, Marks, PositionInfo},
    draw::theme::{BODY_SIZE, SMALL_SIZE},
    ui::controls,
};

/// The largest board, in points.
const BOARD_SIZE: (f32, f32) = (120.0, 88.0);
/// Between boards, and where moves are left out.
const GAP: f32 = 24.0;
const OMISSION_WIDTH: f32 = 76.0;
/// Boards that are drawn at most: more would not be cached.
const MAX_BOARDS: usize = 9;
/// Opacity of the first and the last position of a playout, which the tree does not keep.
const OPACITY: (f32, f32) = (0.6, 0.85);
/// Margins at the sides, and above the boards.
const SIDE: f32 = 24.0;
const TOP: f32 = 30.0;

/// A position of the playout.
struct PlayoutBoard {
    /// How many of the playout's moves were made.
    ply: usize,
    info: PositionInfo,
}

/// The positions that are drawn, computed once for an iteration and a width.
#[derive(Default)]
pub(super) struct PlayoutBoards {
    key: Option<(u32, Vec<String>, usize)>,
    boards: Vec<PlayoutBoard>,
}

impl PlayoutBoards {
    /// The positions of the playout, at most `count`: all of a short one, else those at its beginning and its end.
    fn update(&mut self, shown: &Shown<'_>, count: usize) -> &[PlayoutBoard] {
        let playout = &shown.steps.playout;
        let moves = playout.moves.as_deref().unwrap_or_default();
        let line: Vec<String> = playout.path.iter().chain(moves).cloned().collect();
        let key = (shown.steps.iteration, line, count);
        if self.key.as_ref() == Some(&key) {
            return &self.boards;
        }
        let (game, position) = &shown.steps.game;
        let (_, line, _) = &key;
        let after = |ply: usize| {
            let moves = line.get(..playout.path.len() + ply)?;
            let info = Board::after_moves(game, position, moves).ok()?;
            Some(PlayoutBoard { ply, info })
        };
        self.boards = shown_plies(moves.len(), count)
            .into_iter()
            .filter_map(after)
            .collect();
        self.key = Some(key);
        &self.boards
    }
}

/// The plies of a playout that are drawn: all of them, or the first and the last ones.
fn shown_plies(plies: usize, count: usize) -> Vec<usize> {
    if plies < count {
        return (0..=plies).collect();
    }
    let first = count.div_ceil(2).max(1);
    let last = count.saturating_sub(first).max(1);
    (0..first).chain(plies + 1 - last..=plies).collect()
}

/// Shows it below the tree; `leaf` is the place of the node from which it begins, `aspect` the width of a board divided by its
/// height.
pub(super) fn show(
    shown: &Shown<'_>,
    (boards, textures, aspect): (&mut PlayoutBoards, &mut BoardTextures, Option<f32>),
    (area, leaf): (Rect, Pos2),
    ui: &mut Ui,
    actions: &mut Vec<Action>,
) {
    let steps = shown.steps;
    controls::register(
        ui.ctx(),
        &format!("playout: {}", steps.playout.result),
        area,
    );
    let (Some(moves), Some(aspect)) = (&steps.playout.moves, aspect) else {
        return show_result(shown, area, ui, actions);
    };
    let plies = moves.len();
    let width = BOARD_SIZE.0.min(BOARD_SIZE.1 * aspect);
    let room = area.width() - 2.0 * SIDE;
    let all = ((room + GAP) / (width + GAP)) as usize;
    let count = match plies < all.min(MAX_BOARDS) {
        true => plies + 1,
        false => ((room + GAP - OMISSION_WIDTH) / (width + GAP)) as usize,
    };
    let count = count.clamp(2, MAX_BOARDS);
    let shown_boards = boards.update(shown, count);
    draw_caption(shown, area, plies, ui);
    let mut left = area.left() + SIDE;
    let mut before: Option<usize> = None;
    let total = shown_boards.len();
    for (index, board) in shown_boards.iter().enumerate() {
        let middle = area.top() + TOP + BOARD_SIZE.1 / 2.0;
        if let Some(before) = before {
            left = draw_gap(shown, (left, middle), board.ply - before - 1, ui);
        }
        let opacity = match (board.ply, board.ply == plies) {
            (0, _) | (_, true) => 1.0,
            _ => OPACITY.0 + (OPACITY.1 - OPACITY.0) * index as f32 / total as f32,
        };
        let marks = Marks {
            last_move: board.info.last_move.clone(),
            ..Marks::default()
        };
        let theme = shown.theme;
        let (texture, size) =
            textures.board_texture(ui.ctx(), &board.info.board, &marks, width, theme);
        let place = Rect::from_min_size(pos2(left, middle - size.y / 2.0).round(), size);
        draw_texture(ui, &texture, place, opacity);
        draw_move(shown, board, plies, place, ui);
        if board.ply == 0 {
            draw_connection(shown, leaf, place, ui);
        }
        left += size.x;
        before = Some(board.ply);
    }
}

/// The chevron between two boards, or how many moves are not drawn; where the next board begins.
fn draw_gap(shown: &Shown<'_>, (left, middle): (f32, f32), omitted: usize, ui: &Ui) -> f32 {
    let theme = shown.theme;
    let painter = ui.painter();
    if omitted == 0 {
        let at = pos2(left + GAP / 2.0, middle);
        let stroke = Stroke::new(1.5, theme.dim);
        let points = vec![
            at + vec2(-3.0, -5.0),
            at + vec2(3.0, 0.0),
            at + vec2(-3.0, 5.0),
        ];
        painter.add(Shape::line(points, stroke));
        return left + GAP;
    }
    let at = pos2(left + (GAP + OMISSION_WIDTH) / 2.0, middle);
    let text = match omitted {
        1 => "1 move".to_owned(),
        moves => format!("{moves} moves"),
    };
    let font = FontId::proportional(SMALL_SIZE);
    painter.text(
        at,
        Align2::CENTER_CENTER,
        format!("› {text} ›"),
        font,
        theme.dim,
    );
    left + GAP + OMISSION_WIDTH
}

/// What stands over the boards.
fn draw_caption(shown: &Shown<'_>, area: Rect, plies: usize, ui: &Ui) {
    let count = match plies {
        0 => "no move".to_owned(),
        1 => "one move".to_owned(),
        plies => format!("{plies} moves"),
    };
    let text =
        format!("playout: {count} until the game ends; these positions are not kept in the tree");
    let text = match shown.steps.playout.result.starts_with("cut off") {
        true => format!(
            "playout: {count}, then it was cut off; these positions are not kept in the tree"
        ),
        false => text,
    };
    let at = pos2(area.left() + SIDE + 88.0, area.top() + TOP - 8.0);
    let font = FontId::proportional(SMALL_SIZE);
    (ui.painter()).text(at, Align2::LEFT_BOTTOM, text, font, shown.theme.dim);
}

/// The move that led to a position, and the result below the last one.
fn draw_move(shown: &Shown<'_>, board: &PlayoutBoard, plies: usize, place: Rect, ui: &Ui) {
    let theme = shown.theme;
    let at = pos2(place.center().x, place.bottom() + 8.0);
    let name = (board.info.last_move.as_ref())
        .zip(board.info.display_moves.last())
        .map(|(last, name)| format!("{} {name}", shown.steps.players[last.by.index()]));
    let name = name.unwrap_or_default();
    let result = &shown.steps.playout.result;
    let (text, font, colour) = match board.ply {
        0 => ("new node".to_owned(), strong(SMALL_SIZE), theme.last),
        ply if ply == plies && result.starts_with("cut off") => {
            (name, strong(SMALL_SIZE), theme.warm)
        }
        ply if ply == plies => (format!("{name}: {result}"), strong(SMALL_SIZE), theme.warm),
        _ => (name, FontId::proportional(SMALL_SIZE), theme.dim),
    };
    let text = match (board.ply, shown.steps.tree.has_new) {
        (0, false) => "leaf".to_owned(),
        _ => text,
    };
    (ui.painter()).text(at, Align2::CENTER_TOP, text, font, colour);
}

/// The dotted way from the leaf to the first board.
fn draw_connection(shown: &Shown<'_>, leaf: Pos2, board: Rect, ui: &Ui) {
    let turn = board.top() - 28.0;
    let foot = pos2(board.center().x, turn);
    let points = [
        leaf + vec2(0.0, 18.0),
        pos2(leaf.x, turn),
        foot,
        board.center_top(),
    ];
    let dots = Shape::dotted_line(&points, shown.theme.dim, 5.0, 1.0);
    ui.painter().extend(dots);
}

/// The result, where there are no boards.
fn show_result(shown: &Shown<'_>, area: Rect, ui: &mut Ui, actions: &mut Vec<Action>) {
    let (theme, playout) = (shown.theme, &shown.steps.playout);
    let inner = area.shrink2(vec2(SIDE, 16.0));
    ui.scope_builder(UiBuilder::new().max_rect(inner), |ui| {
        ui.label(theme.semibold(format!("result: {}", playout.result), BODY_SIZE + 3.0));
        ui.add_space(4.0);
        // A journal that has the others has no moves of this one because there were none.
        if playout.is_certain || shown.journal.playouts > 0 {
            let text = "There is no playout: the game is over here, or its result is proven.";
            ui.label(egui::RichText::new(text).color(theme.dim));
            return;
        }
        let text = "The journal does not have the moves of this playout. The option TreePlayouts (grow --journal --playouts) records them.";
        ui.label(egui::RichText::new(text).color(theme.dim));
        ui.add_space(8.0);
        show_search_button(ui, actions);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_playout_is_drawn_whole_and_a_long_one_at_both_ends() {
        assert_eq!(shown_plies(0, 7), [0]);
        assert_eq!(shown_plies(6, 7), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(shown_plies(7, 7), [0, 1, 2, 3, 5, 6, 7]);
        assert_eq!(shown_plies(40, 5), [0, 1, 2, 39, 40]);
        assert_eq!(shown_plies(40, 2), [0, 40]);
    }
}
