//! The area on the left: the game and the search.

use egui::{Align, Layout, RichText, Sense, Stroke, Ui, vec2};

use super::{figure, glance::Glance};
use crate::{
    app::App,
    board::{Pictures, Replayed},
    scene::thousands,
    theme::Theme,
};

/// Shows it.
pub(super) fn show(
    pictures: &mut Pictures,
    glance: &Glance,
    app: &App,
    ui: &mut Ui,
    theme: &Theme,
) {
    let Some(model) = &app.model else { return };
    let Some(meta) = &model.meta else { return };
    ui.label(theme.title(if meta.game.is_empty() {
        "unknown game"
    } else {
        &meta.game
    }));
    ui.label(RichText::new(&meta.search).color(theme.dim));
    ui.add_space(8.0);
    match &glance.board {
        Ok((replayed, marks)) => {
            let wide = (ui.available_width(), Sense::hover());
            pictures.show(ui, &replayed.board, marks, wide, theme);
            turn(ui, replayed, theme);
        }
        Err(why) => {
            let text = RichText::new("The position cannot be shown.").color(theme.dim);
            ui.label(text).on_hover_text(why);
        }
    }
    ui.add_space(12.0);
    if !glance.line.is_empty() {
        ui.label(theme.heading("Line"));
        ui.label(&glance.line);
        ui.add_space(12.0);
    }
    ui.label(theme.heading("Search"));
    let iterations = app.timeline.shown.map_or(meta.iterations, u64::from);
    figure(ui, theme, "Iterations", thousands(iterations));
    // The first snapshot of a search with a journal is written as it begins.
    let time = match meta.milliseconds {
        0 if !meta.is_final => "–".to_owned(),
        time => format!("{} ms", thousands(time)),
    };
    figure(ui, theme, "Time", time);
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

/// Whose turn it is, with a disc of that player's colour, and the score on the right.
fn turn(ui: &mut Ui, replayed: &Replayed, theme: &Theme) {
    ui.horizontal(|ui| {
        if let Some(player) = replayed.to_move {
            let (rect, _) = ui.allocate_exact_size(vec2(12.0, 16.0), Sense::hover());
            let tone = replayed.board.tone(player, theme);
            let stroke = Stroke::new(1.0, theme.dim);
            ui.painter().circle(rect.center(), 5.0, tone.fill, stroke);
        }
        ui.label(RichText::new(&replayed.turn).color(theme.text));
        if let Some([first, second]) = replayed.score {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let score = format!("{first} – {second} {}", replayed.board.counted());
                ui.label(RichText::new(score).color(theme.dim));
            });
        }
    });
}
