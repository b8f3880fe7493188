//! A tournament in the window: one game after the other, and its end.

use std::path::Path;

use super::App;
use crate::play::{
    files,
    game_state::Turn,
    tournament::{self, WindowTournament},
};

impl App {
    /// Begins the tournament of a file, or goes on with the one in `out`.
    pub(super) fn start_tournament(&mut self, config: &Path, out: Option<&Path>, exit: bool) {
        let made = tournament::read_config(config)
            .and_then(|config| WindowTournament::new(config, &self.own_engine_command, out));
        match made {
            Ok(mut made) => {
                made.closes_window = exit;
                self.tournament = Some(made);
                self.play_next_tournament_game();
            }
            Err(problem) => self.show_error(problem),
        }
    }

    /// Whether a game of a tournament is shown that is over.
    pub(super) fn is_tournament_game_over(&self) -> bool {
        let is_over = |turn| matches!(turn, Turn::Over(_));
        let playing = self.session.as_ref();
        self.tournament.is_some() && playing.is_some_and(|playing| is_over(playing.game.turn()))
    }

    /// Takes in the result of the game that is over, and begins the next one.
    pub(super) fn finish_tournament_game(&mut self) {
        let Some(playing) = &mut self.session else {
            return;
        };
        playing.next_game_at = None;
        // The tournament knows the game's number and seed.
        let Some(record) = files::finished_record(&playing.game, 1, 0) else {
            return;
        };
        let added =
            (self.tournament.as_mut()).map_or(Ok(()), |tournament| tournament.add_game(record));
        self.play_next_tournament_game();
        if let Err(problem) = added {
            self.show_error(problem);
        }
    }

    fn play_next_tournament_game(&mut self) {
        let Some(tournament) = &self.tournament else {
            return;
        };
        let Some(game) = tournament.next_game() else {
            let text = format!("The tournament is over: {}", tournament.standings_text());
            self.is_closing |= tournament.closes_window;
            self.tournament = None;
            self.show_message(text);
            return;
        };
        let mut config = game.config;
        if let Some(before) = &self.session {
            config.min_move_time = before.min_move_time;
        }
        let (seeds, place) = (game.seeds, game.place);
        self.start_session(config, |playing| playing.join_tournament(seeds, place));
    }
}
