//! The game that is played in the window.

use super::App;
use crate::play::Plan;

impl App {
    /// Begins to play.
    pub(super) fn begin_play(&mut self, plan: Plan) {
        let _ = plan;
    }
}
