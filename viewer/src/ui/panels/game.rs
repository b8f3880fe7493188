//! The area on the left: the game and the search.

use canopy_engine::{games, tree::meta::Meta};
use egui::{Align, Color32, Layout, Painter, Pos2, Rect, RichText, Sense, Stroke, Ui, vec2};

use super::{
    explain_term,
    form::show_link,
    match_score::{self, MoveList},
    node_details::NodeDetails,
    search_facts, show_heading,
};
use crate::{
    app::{Action, App, ShownPosition},
    board::{Board, BoardTextures, LastMoveMark, Marks, PositionInfo},
    draw::theme::Theme,
    play::match_state::MatchState,
    tree::{scene::format_thousands, title::game_title},
    ui::{
        controls::Named as _,
        keys::{Command, hint},
    },
};

/// Widths of a board as shares of the window's height, alone and below the score of a match, and its least width in points: what
/// stands below it says more than a larger board does.
const BOARD_SHARE: f32 = 0.3;
const MATCH_BOARD_SHARE: f32 = 0.24;
const MIN_BOARD_WIDTH: f32 = 190.0;

/// The state and resources the panel needs.
pub(super) struct GamePanel<'a> {
    pub(super) board_textures: &'a mut BoardTextures,
    pub(super) move_list: &'a mut MoveList,
    /// The node that is looked at, if there is a tree.
    pub(super) details: Option<&'a NodeDetails>,
    /// Set where the rules of the game are asked for.
    pub(super) rules_request: &'a mut bool,
}

impl GamePanel<'_> {
    /// Shows it.
    pub(super) fn show(mut self, app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
        match app.match_state() {
            Some(standing) => {
                search_facts::tighten_rows(ui);
                self.show_match(standing, app, ui, theme, actions);
            }
            None => self.show_single_tree(app, ui, theme),
        }
        if let (Some(model), Some(details)) = (&app.document.model, self.details) {
            if !details.path.is_empty() {
                show_heading(ui, theme, "Line");
                ui.label(&details.path);
                ui.add_space(12.0);
            }
            search_facts::show(app, model, ui, theme);
        }
    }

    /// The game of a tree.
    fn show_single_tree(&mut self, app: &App, ui: &mut Ui, theme: &Theme) {
        let meta = app
            .document
            .model
            .as_ref()
            .and_then(|model| model.meta.as_ref());
        let Some(meta) = meta else { return };
        let game = game_title(&meta.game);
        let game = if game.is_empty() {
            "Unknown game"
        } else {
            &game
        };
        ui.horizontal(|ui| {
            ui.label(theme.title(game));
            self.show_rules_link(&meta.game, ui, theme);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let when = self.position_text(meta);
                ui.label(RichText::new(when).color(theme.dim).small());
            });
        });
        ui.add_space(8.0);
        self.show_node_board(app, ui, theme);
        self.show_in_words(ui, theme);
        ui.add_space(12.0);
    }

    /// The way to the rules of a known game.
    fn show_rules_link(&mut self, game: &str, ui: &mut Ui, theme: &Theme) {
        if games::facts_of(game).is_none() {
            return;
        }
        let about = hint("The rules in half a page", Command::Rules);
        let link = show_link(ui, theme, "Rules", "rules of game");
        *self.rules_request |= link.on_hover_text(about).clicked();
    }

    /// What the figures say: directly below the board, because it says most, and small windows cut off what stands lower.
    fn show_in_words(&self, ui: &mut Ui, theme: &Theme) {
        if let Some(details) = self.details {
            search_facts::show_in_words(details, ui, theme);
        }
    }

    /// Which position the board of a tree shows.
    fn position_text(&self, meta: &Meta) -> String {
        let is_root = self.details.is_none_or(|details| details.node() == 0);
        match meta.ply {
            _ if !is_root => "at the selected node".to_owned(),
            0 => "at the start".to_owned(),
            1 => "after 1 move".to_owned(),
            moves => format!("after {} moves", format_thousands(moves.into())),
        }
    }

    /// The match, and its game as it stands or as the tree has it.
    fn show_match(
        &mut self,
        standing: &MatchState,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        match_score::show(standing, ui, theme);
        let sight = app.shown_position();
        let heading = match sight {
            ShownPosition::Now if standing.is_over() => "Last game".to_owned(),
            ShownPosition::Now if standing.meta.result.is_some() => "Game over".to_owned(),
            ShownPosition::Now => "Game now".to_owned(),
            ShownPosition::Node => "Selected node".to_owned(),
            ShownPosition::Tree => app.tree_label(),
        };
        ui.horizontal(|ui| {
            ui.label(theme.heading(&heading));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                self.show_rules_link(&standing.game_name(), ui, theme);
                if sight == ShownPosition::Now {
                    return;
                }
                let button = ui.small_button("now").named("now");
                let button = button.on_hover_text("The game as it stands, and the newest tree");
                if button.clicked() {
                    actions.push(Action::GoToLatest);
                }
            });
        });
        ui.add_space(4.0);
        if sight == ShownPosition::Now {
            self.show_current_board(standing, app, ui, theme);
        } else {
            self.show_node_board(app, ui, theme);
        }
        self.show_in_words(ui, theme);
        ui.add_space(4.0);
        let reserved = match self.details {
            Some(_) => search_facts::height(ui),
            None => 0.0,
        };
        self.move_list
            .show((standing, reserved), app, ui, theme, actions);
    }

    /// Whether the discs on the board stand for nodes searched instead of visits.
    fn counts_nodes(&self) -> bool {
        (self.details).is_some_and(|details| details.model().is_classical())
    }

    /// The board of the node that is looked at.
    fn show_node_board(&mut self, app: &App, ui: &mut Ui, theme: &Theme) {
        match self.details.map(|details| &details.board) {
            Some(Ok((replayed, marks))) => {
                self.show_board(replayed, marks.clone(), app, ui, theme);
                let player = replayed.to_move;
                let tone = player.map(|player| replayed.board.piece_colours(player, theme).fill);
                show_turn(ui, (&replayed.turn_text, tone), replayed, theme);
                show_marks_legend(&replayed.board, marks, self.counts_nodes(), ui, theme);
            }
            Some(Err(why)) => show_missing_board(why, ui, theme),
            None => {}
        }
    }

    /// The board of the match. If the newest tree has this position at its root, its moves are marked.
    fn show_current_board(&mut self, standing: &MatchState, app: &App, ui: &mut Ui, theme: &Theme) {
        let now = match &standing.board {
            Ok(now) => now,
            Err(why) => return show_missing_board(why, ui, theme),
        };
        let mut marks = standing.marks();
        if let Some(Ok((replayed, tried))) = self.details.map(|details| &details.board)
            && standing.meta.result.is_none()
            && replayed.board == now.board
            && replayed.position == now.position
        {
            (marks.moves, marks.chosen) = (tried.moves.clone(), tried.chosen);
        }
        self.show_board(now, marks.clone(), app, ui, theme);
        let tone = (standing.to_move()).map(|player| now.board.piece_colours(player, theme).fill);
        show_turn(ui, (&standing.turn_text(), tone), now, theme);
        show_marks_legend(&now.board, &marks, self.counts_nodes(), ui, theme);
    }

    fn show_board(
        &mut self,
        replayed: &PositionInfo,
        marks: Marks,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
    ) {
        let share = match app.match_state() {
            Some(_) => MATCH_BOARD_SHARE,
            None => BOARD_SHARE,
        };
        let room = ui.available_width();
        let high = (share * ui.ctx().content_rect().height()).max(MIN_BOARD_WIDTH);
        let width = room.min(high.round());
        let marks = Marks {
            shows_coordinates: app.settings.coordinates,
            ..marks
        };
        ui.horizontal(|ui| {
            ui.add_space(((room - width) / 2.0).round());
            let wide = (width, Sense::hover());
            self.board_textures
                .show(ui, &replayed.board, &marks, wide, theme);
        });
    }
}

/// What the marks on a board mean: the discs of visit shares, and the last move.
fn show_marks_legend(board: &Board, marks: &Marks, counts_nodes: bool, ui: &mut Ui, theme: &Theme) {
    let has_shares = marks.moves.iter().any(|mv| mv.share > 0.0);
    if !has_shares && marks.last_move.is_none() {
        return;
    }
    ui.horizontal(|ui| {
        let sign = |ui: &mut Ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(12.0, 16.0), Sense::hover());
            rect.center()
        };
        let text = |ui: &mut Ui, text: &str| ui.label(RichText::new(text).color(theme.dim).small());
        if has_shares {
            let at = sign(ui);
            let colour = Board::visit_colour(theme);
            ui.painter().circle_filled(at, 5.0, colour);
            let told = match counts_nodes {
                true => "area = share of nodes",
                false => "area = share of visits",
            };
            explain_term(text(ui, told), "Visit discs");
        }
        if let Some(last) = &marks.last_move {
            let at = sign(ui);
            let painter = ui.painter();
            match board.last_move_mark(last.by, theme) {
                LastMoveMark::Dot(colour) => {
                    painter.circle_filled(at, 3.5, colour);
                }
                LastMoveMark::Ring(colour) => {
                    painter.circle_stroke(at, 4.5, Stroke::new(1.5, colour));
                }
                LastMoveMark::Squares(colour) => {
                    let square = Rect::from_center_size(at, vec2(10.0, 10.0));
                    painter.rect_filled(square, 0.0, colour.gamma_multiply(0.5));
                }
            }
            explain_term(text(ui, "last move"), "Last move");
        }
    });
}

fn show_missing_board(why: &str, ui: &mut Ui, theme: &Theme) {
    let text = RichText::new("The position cannot be shown.").color(theme.dim);
    ui.label(text).on_hover_text(why);
}

/// A disc of a player's colour.
pub(super) fn draw_disc(painter: &Painter, at: Pos2, tone: Color32, theme: &Theme) {
    painter.circle(at, 5.0, tone, Stroke::new(1.0, theme.dim));
}

/// Whose turn it is, with a disc of that player's colour, and the score on the right.
fn show_turn(
    ui: &mut Ui,
    (text, tone): (&str, Option<Color32>),
    replayed: &PositionInfo,
    theme: &Theme,
) {
    ui.horizontal(|ui| {
        if let Some(tone) = tone {
            let (rect, _) = ui.allocate_exact_size(vec2(12.0, 16.0), Sense::hover());
            draw_disc(ui.painter(), rect.center(), tone, theme);
        }
        let turn = ui.label(RichText::new(text).color(theme.text));
        explain_term(turn, "Player to move");
        if let Some([first, second]) = replayed.score {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let score = format!("{first} – {second} {}", replayed.board.score_unit());
                ui.label(RichText::new(score).color(theme.dim));
            });
        }
    });
}
