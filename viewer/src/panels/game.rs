//! The area on the left: the game and the search.

use egui::{Align, Color32, Layout, Painter, Pos2, RichText, Sense, Stroke, Ui, vec2};

use super::{
    figure,
    glance::Glance,
    match_score::{self, MoveList},
};
use crate::{
    app::{Action, App, Sight},
    board::{Marks, Pictures, Replayed},
    controls::Named as _,
    model::Model,
    scene::thousands,
    standing::Standing,
    theme::Theme,
};

/// What the area needs to be shown.
pub(super) struct GamePanel<'a> {
    pub(super) pictures: &'a mut Pictures,
    pub(super) moves: &'a mut MoveList,
    /// The node that is looked at, if there is a tree.
    pub(super) glance: Option<&'a Glance>,
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
        match app.standing() {
            Some(standing) => self.contest(standing, app, ui, theme, actions),
            None => self.alone(app, ui, theme),
        }
        if let (Some(model), Some(glance)) = (&app.model, self.glance) {
            if !glance.line.is_empty() {
                ui.label(theme.heading("Line"));
                ui.label(&glance.line);
                ui.add_space(12.0);
            }
            search(app, model, ui, theme);
        }
    }

    /// The game of a tree.
    fn alone(&mut self, app: &App, ui: &mut Ui, theme: &Theme) {
        let meta = app.model.as_ref().and_then(|model| model.meta.as_ref());
        let Some(meta) = meta else { return };
        ui.label(theme.title(if meta.game.is_empty() {
            "unknown game"
        } else {
            &meta.game
        }));
        ui.label(RichText::new(&meta.search).color(theme.dim));
        ui.add_space(8.0);
        self.board_of_node(ui, theme);
        ui.add_space(12.0);
    }

    /// The match, and its game as it stands or as the tree has it.
    fn contest(
        &mut self,
        standing: &Standing,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        match_score::show(standing, ui, theme);
        let sight = app.sight();
        let heading = match sight {
            Sight::Now if standing.is_over() => "Last game".to_owned(),
            Sight::Now if standing.meta.result.is_some() => "Game over".to_owned(),
            Sight::Now => "Game now".to_owned(),
            Sight::Node => "Selected node".to_owned(),
            Sight::Tree => app.which_tree(),
        };
        ui.horizontal(|ui| {
            ui.label(theme.heading(&heading));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if sight == Sight::Now {
                    return;
                }
                let button = ui.small_button("now").named("now");
                let button = button.on_hover_text("The game as it stands, and the newest tree");
                if button.clicked() {
                    actions.push(Action::GoToNow);
                }
            });
        });
        ui.add_space(4.0);
        if sight == Sight::Now {
            self.board_now(standing, ui, theme);
        } else {
            self.board_of_node(ui, theme);
        }
        ui.add_space(12.0);
        self.moves.show(standing, app, ui, theme, actions);
    }

    /// The board of the node that is looked at.
    fn board_of_node(&mut self, ui: &mut Ui, theme: &Theme) {
        match self.glance.map(|glance| &glance.board) {
            Some(Ok((replayed, marks))) => {
                self.board(replayed, marks, ui, theme);
                let player = replayed.to_move;
                let tone = player.map(|player| replayed.board.tone(player, theme).fill);
                turn(ui, (&replayed.turn, tone), replayed, theme);
            }
            Some(Err(why)) => no_board(why, ui, theme),
            None => {}
        }
    }

    /// The board of the match. While the newest tree is of this very position, what it tried lies over it.
    fn board_now(&mut self, standing: &Standing, ui: &mut Ui, theme: &Theme) {
        let now = match &standing.board {
            Ok(now) => now,
            Err(why) => return no_board(why, ui, theme),
        };
        let mut marks = standing.marks();
        if let Some(Ok((replayed, tried))) = self.glance.map(|glance| &glance.board)
            && standing.meta.result.is_none()
            && replayed.board == now.board
            && replayed.position == now.position
        {
            (marks.moves, marks.chosen) = (tried.moves.clone(), tried.chosen);
        }
        self.board(now, &marks, ui, theme);
        let tone = (standing.to_move()).map(|player| now.board.tone(player, theme).fill);
        turn(ui, (&standing.turn(), tone), now, theme);
    }

    fn board(&mut self, replayed: &Replayed, marks: &Marks, ui: &mut Ui, theme: &Theme) {
        let wide = (ui.available_width(), Sense::hover());
        self.pictures.show(ui, &replayed.board, marks, wide, theme);
    }
}

fn no_board(why: &str, ui: &mut Ui, theme: &Theme) {
    let text = RichText::new("The position cannot be shown.").color(theme.dim);
    ui.label(text).on_hover_text(why);
}

/// What there is to know of the search.
fn search(app: &App, model: &Model, ui: &mut Ui, theme: &Theme) {
    let Some(meta) = &model.meta else { return };
    ui.label(theme.heading("Search"));
    if model.is_classical() {
        figure(ui, theme, "Nodes", thousands(meta.nodes));
    } else {
        let iterations = app.timeline.shown.map_or(meta.iterations, u64::from);
        figure(ui, theme, "Iterations", thousands(iterations));
    }
    // The first snapshot of a search with a journal is written as it begins.
    match meta.milliseconds {
        0 if !meta.is_final => figure(ui, theme, "Time", "–"),
        0 => figure(ui, theme, "Time", "under 1 ms"),
        time => figure(ui, theme, "Time", format!("{} ms", thousands(time))),
    }
    figure(ui, theme, "Seed", meta.seed.to_string());
    figure(ui, theme, "Threads", meta.threads.to_string());
    let chosen = match &meta.chosen {
        Some(chosen) => chosen.clone(),
        None if meta.is_final => "–".to_owned(),
        None => "still searching".to_owned(),
    };
    figure(ui, theme, "Chosen", chosen);
    let widest = model
        .layers
        .windows(2)
        .map(|layer| layer[1] - layer[0])
        .max();
    figure(
        ui,
        theme,
        "Widest level",
        thousands(widest.unwrap_or(0).into()),
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
pub(super) fn disc(painter: &Painter, at: Pos2, tone: Color32, theme: &Theme) {
    painter.circle(at, 5.0, tone, Stroke::new(1.0, theme.dim));
}

/// Whose turn it is, with a disc of that player's colour, and the score on the right.
fn turn(ui: &mut Ui, (text, tone): (&str, Option<Color32>), replayed: &Replayed, theme: &Theme) {
    ui.horizontal(|ui| {
        if let Some(tone) = tone {
            let (rect, _) = ui.allocate_exact_size(vec2(12.0, 16.0), Sense::hover());
            disc(ui.painter(), rect.center(), tone, theme);
        }
        ui.label(RichText::new(text).color(theme.text));
        if let Some([first, second]) = replayed.score {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let score = format!("{first} – {second} {}", replayed.board.counted());
                ui.label(RichText::new(score).color(theme.dim));
            });
        }
    });
}
