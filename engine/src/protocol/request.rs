//! A request to search, before options and clock have turned it into limits.

use std::time::Duration;

use super::{
    clock::{self, PlayerClock},
    options::{OptionId, Options},
};
use crate::{games::notation::Style, search::SearchLimits, session::Session};

/// Time for a move that no limit, option or search bounds.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);
/// Time for a forced move on a clock.
const FORCED_MOVE_TIME: Duration = Duration::from_millis(10);

/// When a search is to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GoRequest {
    pub(super) limits: SearchLimits,
    /// A clock from which the time for the move follows.
    pub(super) clock: Option<PlayerClock>,
    /// The answer is held back until `stop`.
    pub(super) infinite: bool,
    /// The answer is held back until `ponderhit` or `stop`; time limits count from the start.
    pub(super) ponder: bool,
    /// Stop once a win within this many plies is proven.
    pub(super) mate: Option<u32>,
}

impl GoRequest {
    /// The limits of the search: as requested, else from the clock, else from the options, else the search's own.
    pub(super) fn resolve_limits(&self, options: &Options, session: &dyn Session) -> SearchLimits {
        let mut limits = self.limits;
        if let Some(clock) = &self.clock {
            let overhead = Duration::from_millis(options.number(OptionId::MoveOverhead));
            let mut time = clock::allocate_time(clock, overhead);
            if session.moves(Style::Own).len() == 1 {
                time = time.min(FORCED_MOVE_TIME);
            }
            limits.time = Some(limits.time.map_or(time, |other| other.min(time)));
        }
        let is_open = self.infinite || self.mate.is_some();
        if limits == SearchLimits::default() && !is_open {
            limits.nodes = options.positive(OptionId::Nodes);
            limits.time = (options.positive(OptionId::MoveTime)).map(Duration::from_millis);
            if limits == SearchLimits::default() && !session.has_own_limits() {
                limits.time = Some(DEFAULT_MOVE_TIME);
            }
        }
        limits
    }
}
