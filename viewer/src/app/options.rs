//! Asking programs for their options, for the form of a new game.

use std::sync::Arc;

use super::App;
use crate::play::option_query::OptionQuery;

impl App {
    /// Asks the program that is set up for a side, counted from 0. One program is asked at a time.
    pub(super) fn query_options(&mut self, side: usize) {
        let setup = &self.settings.play;
        let Some(engine) = setup.engines.get(side) else {
            return;
        };
        let started = engine.external_engine().and_then(|config| {
            let clock = (self.now, Arc::clone(&self.wake));
            OptionQuery::start(engine.program(), config, &setup.full_game(), clock)
        });
        match started {
            Ok(query) => self.option_query = Some(query),
            Err(problem) => self.show_error(problem),
        }
    }

    /// Takes in the answer of a program that was asked.
    pub(super) fn update_option_query(&mut self) {
        let Some(query) = &mut self.option_query else {
            return;
        };
        let Some(options) = query.take_options() else {
            return;
        };
        for engine in &mut self.settings.play.engines {
            engine.set_declared_options(&query.program, &query.game, options.clone());
        }
        self.option_query = None;
    }
}
