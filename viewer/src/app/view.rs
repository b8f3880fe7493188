//! The views of a tree: what fills the window between the bar and the status line.

use std::time::Duration;

use super::{App, compare, steps};

/// A way to look at a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The tree, with the board and the selected node beside it.
    #[default]
    Tree,
    /// Why one move and not another.
    Why,
    /// One iteration in its four phases.
    Steps,
    /// Two searches side by side.
    Compare,
}

impl View {
    /// All views, in the order of their buttons and keys.
    pub const ALL: [Self; 4] = [Self::Tree, Self::Why, Self::Steps, Self::Compare];

    /// Its name, on its button.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "Tree",
            Self::Why => "Why",
            Self::Steps => "Steps",
            Self::Compare => "Compare",
        }
    }

    /// What it shows, for the tooltip.
    pub fn about(self) -> &'static str {
        match self {
            Self::Tree => "The whole tree, and the selected node",
            Self::Why => "Why one move and not another",
            Self::Steps => "One iteration, phase by phase",
            Self::Compare => "Two searches side by side",
        }
    }

    /// Whether this program has the view. One that it has not has no button and no key.
    pub fn exists(self) -> bool {
        match self {
            Self::Tree | Self::Why => true,
            Self::Steps => steps::EXISTS,
            Self::Compare => compare::EXISTS,
        }
    }
}

impl App {
    /// The view that is shown.
    pub fn shown_view(&self) -> View {
        match self.is_at_start() || self.view_obstacle(self.view).is_some() {
            true => View::Tree,
            false => self.view,
        }
    }

    /// Why a view cannot be shown just now, in a sentence; `None` if it can. Its button is dim then.
    pub fn view_obstacle(&self, view: View) -> Option<&'static str> {
        match view {
            _ if !view.exists() => Some("This view is not part of this version."),
            View::Tree | View::Why => None,
            View::Steps => self.steps_obstacle(),
            View::Compare => self.compare_obstacle(),
        }
    }

    /// Changes to another view, or says why not.
    pub(super) fn show_view(&mut self, view: View) {
        match self.view_obstacle(view) {
            _ if !view.exists() => {}
            Some(obstacle) => self.show_message(obstacle),
            None => {
                match view {
                    _ if view == self.view => {}
                    View::Compare => self.suggest_second_search(),
                    View::Why => self.ask_about_selected(),
                    View::Tree | View::Steps => {}
                }
                self.view = view;
            }
        }
    }

    /// Takes in what background work has made for the views, whichever is shown.
    pub(super) fn update_views(&mut self) {
        self.update_truth();
        self.update_why();
        self.update_steps();
        self.update_compare();
    }

    /// When the shown view needs another frame by itself; `None` if it rests.
    pub fn view_due_at(&self) -> Option<Duration> {
        match self.shown_view() {
            View::Tree => None,
            View::Why => self.why.due_at(),
            View::Steps => self.steps.due_at(),
            View::Compare => self.compare.due_at(),
        }
    }

    /// The views' state, for tests.
    pub(super) fn dump_views(&self) -> serde_json::Value {
        serde_json::json!({
            "view": self.shown_view().name().to_lowercase(),
            "why": self.why.dump(),
            "truth": self.dump_truth(),
            "steps": self.steps.dump(),
            "compare": self.compare.dump(),
            "lesson": self.dump_lesson(),
        })
    }
}
