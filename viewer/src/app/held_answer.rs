//! Holding the answer back: while the tree of a search grows in the window, the move that it led to is not shown.

use std::{path::Path, sync::Arc, time::Duration};

use canopy_engine::tree::meta::MatchMeta;

use super::{App, Document, Timeline};
use crate::play::match_state::MatchState;

/// How long a move waits for its tree, or for the end of a journal that may never end.
const HOLD_LIMIT: Duration = Duration::from_secs(3);

/// What keeps the newest state of a match from being shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HoldReason {
    /// The tree of the search that began after this many moves is growing.
    Growing(usize),
    /// The tree of the last move is not there yet, or the last one of another game still grows.
    Awaited,
}

impl Timeline {
    /// Whether the shown tree is that of an earlier iteration than the last.
    fn is_before_end(&self) -> bool {
        self.status.is_some() && self.target.is_some_and(|target| target < self.iterations())
    }
}

impl Document {
    /// Plies before the search whose tree is shown, if the file lies in that directory.
    fn shown_ply_in(&self, directory: Option<&Path>) -> Option<usize> {
        let parent = self.shown_path.as_deref().and_then(Path::parent);
        let meta = self.full_model.as_ref()?.meta.as_ref()?;
        (directory.is_some() && parent == directory).then_some(meta.ply as usize)
    }
}

impl App {
    /// Shows the newest state of the match, or, while its last tree grows, the state before that tree's move.
    pub(super) fn update_shown_state(&mut self) {
        let reason = self.hold_reason();
        let Some(following) = &mut self.followed_match else {
            return;
        };
        let Some(latest) = &following.state else {
            return;
        };
        let shown = &mut following.shown_state;
        match (reason, shown.as_ref()) {
            (None, _) => *shown = Some(Arc::clone(latest)),
            (Some(HoldReason::Awaited), Some(_)) => {}
            (Some(HoldReason::Awaited), None) => {
                let plies = latest.meta.moves.len().saturating_sub(1);
                *shown = Some(state_at(latest, plies, None));
            }
            (Some(HoldReason::Growing(plies)), before) => {
                let is_there = before.is_some_and(|before| {
                    before.meta.number == latest.meta.number && before.meta.moves.len() == plies
                });
                if !is_there {
                    *shown = Some(state_at(latest, plies, before.map(|state| &state.meta)));
                }
            }
        }
    }

    /// Why the newest state of the followed match is not shown yet; none if it is.
    fn hold_reason(&self) -> Option<HoldReason> {
        let following = self.followed_match.as_ref()?;
        let latest = following.state.as_ref()?;
        let is_told = self.settings.show_answer || self.session.is_some();
        if is_told || !self.folder.is_following_newest {
            return None;
        }
        let is_fresh = self.now < following.changed_at + HOLD_LIMIT;
        let timeline = &self.document.timeline;
        let is_live = timeline.is_live() && timeline.target.is_none() && !self.document.is_final();
        let is_growing = timeline.is_playing() || timeline.is_before_end() || is_live && is_fresh;
        let move_count = latest.meta.moves.len();
        let ply_of_tree = |state: &MatchState| {
            let directory = self.trees_of(state);
            self.document.shown_ply_in(directory.as_deref())
        };
        let shown_ply = ply_of_tree(latest);
        if let Some(plies) = shown_ply.filter(|&plies| is_growing && plies < move_count) {
            return Some(HoldReason::Growing(plies));
        }
        let is_last_game = |state: &MatchState| state.meta.number == latest.meta.number;
        let before = (following.shown_state.as_deref()).filter(|state| !is_last_game(state));
        let is_behind = is_growing && before.and_then(ply_of_tree).is_some();
        let is_missing = shown_ply != move_count.checked_sub(1) || self.is_about_to_grow();
        let will_grow = self.growth_animation.is_some() && is_fresh;
        let is_awaited = is_behind || will_grow && move_count > 0 && is_missing;
        is_awaited.then_some(HoldReason::Awaited)
    }

    /// Whether the shown tree is to grow as soon as its journal is open.
    pub(super) fn is_about_to_grow(&self) -> bool {
        let has_journal = (self.document.full_model.as_ref())
            .and_then(|model| model.meta.as_ref())
            .is_some_and(|meta| meta.growth.is_some());
        self.growth_animation.is_some()
            && self.folder.is_following_newest
            && self.document.timeline.status.is_none()
            && has_journal
    }

    /// Whether the move of the engine to move waits for the tree of its search to grow.
    pub(super) fn is_move_held(&self) -> bool {
        let Some(playing) = &self.session else {
            return false;
        };
        let directory = self.trees_of(playing.game.match_state());
        let shown_ply = self.document.shown_ply_in(directory.as_deref());
        let is_shown = shown_ply == Some(playing.game.moves().len());
        let timeline = &self.document.timeline;
        let is_growing =
            timeline.is_playing() || timeline.is_before_end() || self.is_about_to_grow();
        self.folder.is_following_newest && (!is_shown || !self.document.is_final() || is_growing)
    }

    /// Whether the move that the shown search led to is held back, and with it all that tells it.
    pub fn is_answer_held(&self) -> bool {
        if self.hides_answer() {
            return true;
        }
        if self.settings.show_answer || !self.folder.is_following_newest {
            return false;
        }
        let state = match &self.session {
            Some(playing) => Some(playing.game.match_state()),
            None => self.match_state(),
        };
        let Some(state) = state else {
            return false;
        };
        let directory = self.trees_of(state);
        let shown_ply = self.document.shown_ply_in(directory.as_deref());
        let timeline = &self.document.timeline;
        let is_growing =
            timeline.is_playing() || timeline.is_before_end() || self.is_about_to_grow();
        is_growing && shown_ply.is_some_and(|ply| ply >= state.meta.moves.len())
    }

    /// When a state that is held back is shown at the latest.
    pub fn shows_answer_at(&self) -> Option<Duration> {
        let following = self.followed_match.as_ref()?;
        let is_held = match (&following.state, &following.shown_state) {
            (Some(latest), Some(shown)) => !Arc::ptr_eq(latest, shown),
            _ => false,
        };
        let at = following.changed_at + HOLD_LIMIT;
        (is_held && at > self.now).then_some(at)
    }
}

/// The match when `plies` moves of its game were made; with the score of `before`, which a game that is over has changed.
fn state_at(latest: &MatchState, plies: usize, before: Option<&MatchMeta>) -> Arc<MatchState> {
    let mut meta = latest.meta.clone();
    meta.moves.truncate(plies);
    (meta.result, meta.reason, meta.over) = (None, None, false);
    if let Some(before) = before.filter(|before| before.score.names == meta.score.names) {
        meta.score = before.score.clone();
    }
    Arc::new(MatchState::new(meta))
}
