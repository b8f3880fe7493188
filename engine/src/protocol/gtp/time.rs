//! GTP's time: `time_settings`, `time_left`, and the clock of a search.

use super::{Gtp, GtpReply, empty_reply, player_of};
use crate::{
    games::Player,
    protocol::{clock::PlayerClock, server_core::ServerCore, task::GoRequest},
};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TimeSettings {
    /// Main time in seconds, then a period in seconds for a number of stones; none before `time_settings`.
    pub(super) settings: Option<(f64, f64, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeLeft {
    pub(super) seconds: f64,
    pub(super) stones: u32,
}

/// Remaining time of each player, where known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct GtpClocks {
    first: Option<TimeLeft>,
    second: Option<TimeLeft>,
}

impl GtpClocks {
    pub(super) fn get(&self, player: Player) -> Option<TimeLeft> {
        match player {
            Player::First => self.first,
            Player::Second => self.second,
        }
    }

    pub(super) fn get_mut(&mut self, player: Player) -> &mut Option<TimeLeft> {
        match player {
            Player::First => &mut self.first,
            Player::Second => &mut self.second,
        }
    }
}

impl Gtp {
    /// A request on this player's clock; without limits if no time was set.
    pub(super) fn go_request(&self, player: Player) -> GoRequest {
        let Some((main, period, stones)) = self.time.settings else {
            return GoRequest::default();
        };
        // GTP's encoding of unlimited time.
        if main <= 0.0 && period > 0.0 && stones == 0 {
            return GoRequest::default();
        }
        // Once the main time is nearly used up, the period gives more.
        let share = period / f64::from(stones.max(1));
        let (left, stones) = match self.clocks.get(player) {
            Some(left) if left.stones > 0 => (left.seconds, left.stones),
            Some(left) if left.seconds > share || period <= 0.0 => (left.seconds, 0),
            None if main > share => (main, 0),
            _ => (period, stones.max(1)),
        };
        GoRequest {
            clock: Some(PlayerClock {
                remaining_ms: (left * 1000.0).clamp(0.0, 1e15) as i64,
                increment_ms: 0,
                moves_to_go: (stones > 0).then_some(stones),
            }),
            ..GoRequest::default()
        }
    }

    pub(super) fn time_settings(&mut self, words: &[&str]) -> GtpReply {
        let [main, period, stones] = *words else {
            return Err("syntax error: expected time_settings MAIN PERIOD STONES".to_owned());
        };
        let seconds = |word: &str| {
            word.parse::<f64>()
                .ok()
                .filter(|value| value.is_finite() && *value >= 0.0)
        };
        match (seconds(main), seconds(period), stones.parse::<u32>()) {
            (Some(main), Some(period), Ok(stones)) => {
                self.time.settings = Some((main, period, stones));
                self.clocks = GtpClocks::default();
                empty_reply()
            }
            _ => {
                Err("syntax error: expected two times in seconds and a number of stones".to_owned())
            }
        }
    }

    pub(super) fn time_left(&mut self, core: &ServerCore, words: &[&str]) -> GtpReply {
        let [colour, seconds, stones] = *words else {
            return Err("syntax error: expected time_left COLOUR SECONDS STONES".to_owned());
        };
        let player = player_of(core, colour);
        let seconds = seconds.parse::<f64>().ok().filter(|time| time.is_finite());
        let (Some(player), Some(seconds), Ok(stones)) = (player, seconds, stones.parse()) else {
            return Err(
                "syntax error: expected a colour, seconds and a number of stones".to_owned(),
            );
        };
        *self.clocks.get_mut(player) = Some(TimeLeft { seconds, stones });
        if self.time.settings.is_none() {
            self.time.settings = Some((seconds.max(0.001), 0.0, 0));
        }
        empty_reply()
    }
}
