//! The start screen: cards that lead to a match, a game or trees, and the form for experts one link further.

use std::sync::Arc;

use canopy_engine::games::{self, GameFacts};
use egui::{RichText, Ui, UiBuilder};

use super::Panels;
use crate::{
    app::{Action, App},
    draw::theme::Theme,
    play::lesson::Lesson,
    ui::{
        controls::Named as _,
        keys::{Command, hint},
    },
    workers::thumbnails::Thumbnail,
};
pub(super) use cards::{play_action, watch_action};
use recent::ThumbnailTextures;

mod card;
mod cards;
mod learn;
mod recent;
mod setup_form;
#[cfg(test)]
mod tests;

/// What the start screen shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StartPage {
    /// Things to do, one click each.
    #[default]
    Cards,
    /// The form for experts.
    Setup,
}

/// The state of the start screen.
#[derive(Default)]
pub(super) struct StartScreen {
    page: StartPage,
    /// Whether the cards were shown in the last frame. When they appear, the first one takes the keyboard's focus.
    has_cards: bool,
    thumbnails: ThumbnailTextures,
    /// The search that the cards show; none until it is drawn.
    example: Option<Arc<Thumbnail>>,
    /// The built-in lessons; empty until they are shown.
    lessons: Vec<Arc<Lesson>>,
}

impl StartScreen {
    /// The first card takes the focus of the keyboard again.
    pub(super) fn focus_first_card(&mut self) {
        self.has_cards = false;
    }

    /// Whether the cards are shown, where there is no tree.
    pub(super) fn shows_cards(&self) -> bool {
        self.page == StartPage::Cards
    }

    /// Goes back to the cards; false if they are shown already.
    pub(super) fn go_back(&mut self) -> bool {
        std::mem::take(&mut self.page) != StartPage::Cards
    }
}

/// The games to choose from, the one of demos first.
fn games_to_choose() -> Vec<&'static GameFacts> {
    let (mut choices, others): (Vec<_>, Vec<_>) =
        games::listed().partition(|facts| facts.name == games::DEMO.name);
    choices.extend(others);
    choices
}

impl Panels {
    /// The screen shown before there is a tree.
    pub(super) fn show_start_screen(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let mut ui = ui.new_child(UiBuilder::new().max_rect(self.canvas));
        let had_cards = std::mem::take(&mut self.start.has_cards);
        if app.document.sequence.is_reading() {
            ui.vertical_centered(|ui| {
                ui.add_space(240.0);
                ui.label(RichText::new("Reading the tree…").color(theme.dim));
            });
        } else if !app.is_at_start() {
            ui.vertical_centered(|ui| self.show_placeholder(app, ui, theme, actions));
        } else {
            // The ground of the tree is darker.
            ui.painter().rect_filled(self.canvas, 0.0, theme.window);
            match self.start.page {
                StartPage::Setup => self.show_setup_page(app, &mut ui, theme, actions),
                StartPage::Cards => {
                    self.start.has_cards = true;
                    self.show_cards(app, &mut ui, theme, actions, !had_cards);
                }
            }
        }
    }

    /// The game that the shown page is about.
    pub(super) fn start_game(&self, app: &App) -> &'static GameFacts {
        let of_form = games::facts_of(&app.settings.play.game);
        match (self.start.page, of_form) {
            (StartPage::Setup, Some(facts)) => facts,
            _ => app.settings.quick.facts(),
        }
    }

    /// Something is open, but there is nothing to see of it.
    fn show_placeholder(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        if app.lesson.is_some() {
            ui.add_space(240.0);
            ui.label(RichText::new("Searching…").color(theme.dim));
            return;
        }
        if app.session.is_some() {
            // Below the overlay of a finished game.
            ui.add_space(240.0);
            ui.label(theme.title("No tree yet"));
            ui.add_space(4.0);
            let hint = "When an engine moves, or looks at a position, its tree is shown here.";
            ui.label(RichText::new(hint).color(theme.dim));
            return;
        }
        ui.add_space(96.0);
        let awaits = app
            .waiting_text()
            .filter(|_| app.document.sequence.is_empty());
        ui.label(theme.title(match &awaits {
            Some(_) if app.match_state().is_some() => "No trees yet",
            Some(_) => "A match is about to begin",
            None => "This tree cannot be read",
        }));
        ui.add_space(4.0);
        let sentence = awaits.as_deref().unwrap_or(
            "Open a tree (.tree or .csv), several, or a folder that an engine writes to; or drop them here.",
        );
        ui.label(RichText::new(sentence).color(theme.dim));
        ui.add_space(16.0);
        let open = ui.button("Open files or a folder…");
        let about = "Trees (.tree or .csv), several, or a folder that an engine writes to";
        let open = open.explained("start open", hint(about, Command::Open));
        if open.clicked() {
            self.open_open_dialog(app);
        }
        ui.add_space(16.0);
        if !app.settings.recent.is_empty() {
            ui.label(theme.heading("Recent"));
            let width = ui.available_width().min(560.0);
            ui.allocate_ui(egui::vec2(width, 0.0), |ui| {
                self.start
                    .thumbnails
                    .show_recent(app, ui, theme, (width, usize::MAX), actions);
            });
        }
    }
}
