//! The area on the left: the game and the search.

use canopy_engine::games::notation::escape_invisible;
use egui::{Align, Color32, Layout, Painter, Pos2, RichText, Sense, Stroke, Ui, vec2};

use super::{
    match_score::{self, MoveList},
    node_details::NodeDetails,
    show_figure,
};
use crate::{
    app::{Action, App, ShownPosition},
    board::{BoardTextures, Marks, PositionInfo},
    draw::theme::Theme,
    play::match_state::MatchState,
    tree::{
        model::TreeModel,
        scene::format_thousands,
        title::{game_title, search_title},
        value_text::NO_DATA,
    },
    ui::controls::Named as _,
};

/// The state and resources the panel needs.
pub(super) struct GamePanel<'a> {
    pub(super) board_textures: &'a mut BoardTextures,
    pub(super) move_list: &'a mut MoveList,
    /// The node that is looked at, if there is a tree.
    pub(super) details: Option<&'a NodeDetails>,
}

impl GamePanel<'_> {
    /// Shows it.
    pub(super) fn show(
        &mut self,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        match app.match_state() {
            Some(standing) => self.show_match(standing, app, ui, theme, actions),
            None => self.show_single_tree(app, ui, theme),
        }
        if let (Some(model), Some(details)) = (&app.document.model, self.details) {
            if !details.path.is_empty() {
                ui.label(theme.heading("Line"));
                ui.label(&details.path);
                ui.add_space(12.0);
            }
            show_search(app, model, ui, theme);
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
        ui.label(theme.title(game));
        ui.label(RichText::new(search_title(&meta.search)).color(theme.dim));
        ui.add_space(8.0);
        self.show_node_board(ui, theme);
        ui.add_space(12.0);
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
            self.show_current_board(standing, ui, theme);
        } else {
            self.show_node_board(ui, theme);
        }
        ui.add_space(12.0);
        self.move_list.show(standing, app, ui, theme, actions);
    }

    /// The board of the node that is looked at.
    fn show_node_board(&mut self, ui: &mut Ui, theme: &Theme) {
        match self.details.map(|details| &details.board) {
            Some(Ok((replayed, marks))) => {
                self.show_board(replayed, marks, ui, theme);
                let player = replayed.to_move;
                let tone = player.map(|player| replayed.board.piece_colours(player, theme).fill);
                show_turn(ui, (&replayed.turn_text, tone), replayed, theme);
            }
            Some(Err(why)) => show_missing_board(why, ui, theme),
            None => {}
        }
    }

    /// The board of the match. If the newest tree has this position at its root, its moves are marked.
    fn show_current_board(&mut self, standing: &MatchState, ui: &mut Ui, theme: &Theme) {
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
        self.show_board(now, &marks, ui, theme);
        let tone = (standing.to_move()).map(|player| now.board.piece_colours(player, theme).fill);
        show_turn(ui, (&standing.turn_text(), tone), now, theme);
    }

    fn show_board(&mut self, replayed: &PositionInfo, marks: &Marks, ui: &mut Ui, theme: &Theme) {
        let wide = (ui.available_width(), Sense::hover());
        self.board_textures
            .show(ui, &replayed.board, marks, wide, theme);
    }
}

fn show_missing_board(why: &str, ui: &mut Ui, theme: &Theme) {
    let text = RichText::new("The position cannot be shown.").color(theme.dim);
    ui.label(text).on_hover_text(why);
}

/// Stands for what only the end of a search tells.
const NOT_YET: &str = "not yet";

/// The chosen move as people read it.
fn chosen_reading(model: &TreeModel, chosen: &str) -> String {
    let mut rows = model.child_rows(0).into_iter();
    let row = rows.find(|&row| model.tree.move_name(row) == chosen);
    row.map_or_else(
        || chosen.to_owned(),
        |row| model.row_reading(row).into_owned(),
    )
}

/// The facts about the search.
fn show_search(app: &App, model: &TreeModel, ui: &mut Ui, theme: &Theme) {
    let Some(meta) = &model.meta else { return };
    ui.label(theme.heading("Search"));
    if model.is_classical() {
        show_figure(ui, theme, "Nodes", format_thousands(meta.nodes));
    } else {
        let iterations = app
            .document
            .timeline
            .shown_iteration
            .map_or(meta.iterations, u64::from);
        show_figure(ui, theme, "Iterations", format_thousands(iterations));
    }
    // At an earlier iteration nothing has been chosen, and the sidecar's time is that of the end.
    let is_over = meta.is_final && app.document.timeline.shown_iteration.is_none();
    match meta.milliseconds {
        _ if !is_over => show_figure(ui, theme, "Time", NOT_YET),
        0 => show_figure(ui, theme, "Time", "under 1 ms"),
        time => show_figure(ui, theme, "Time", format!("{} ms", format_thousands(time))),
    }
    show_figure(ui, theme, "Seed", meta.seed.to_string());
    show_figure(ui, theme, "Threads", meta.threads.to_string());
    let chosen = match &meta.chosen {
        _ if !is_over => NOT_YET.to_owned(),
        Some(chosen) => escape_invisible(&chosen_reading(model, chosen)).into_owned(),
        None => NO_DATA.to_owned(),
    };
    show_figure(ui, theme, "Move chosen", chosen);
    let widest = model
        .layers
        .windows(2)
        .map(|layer| layer[1] - layer[0])
        .max();
    show_figure(
        ui,
        theme,
        "Widest level",
        format_thousands(widest.unwrap_or(0).into()),
    );
    if !meta.parameters.is_empty() {
        ui.add_space(12.0);
        ui.label(theme.heading("Parameters"));
    }
    for (name, value) in &meta.parameters {
        ui.horizontal(|ui| {
            ui.set_min_height(14.0);
            ui.spacing_mut().item_spacing.x = 6.0;
            ui.label(
                RichText::new(name.replace('_', " "))
                    .color(theme.dim)
                    .small(),
            );
            ui.label(RichText::new(value).small());
        });
    }
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
        ui.label(RichText::new(text).color(theme.text));
        if let Some([first, second]) = replayed.score {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let score = format!("{first} – {second} {}", replayed.board.score_unit());
                ui.label(RichText::new(score).color(theme.dim));
            });
        }
    });
}
