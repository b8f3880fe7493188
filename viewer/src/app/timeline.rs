//! How the tree grew: which iteration is shown, and what is asked of the journal.

use std::{sync::Arc, time::Duration};

use super::{App, display_name};
use crate::{
    tree::{
        formula,
        model::{Filter, TreeModel},
    },
    workers::replay::{ReplayEvent, ReplayRequest, ReplayResponse, ReplayStatus},
};

/// The speeds at which a tree grows, in iterations a second.
pub const SPEEDS: [u32; 7] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
/// A tree grows from its first iteration to the last in about so many seconds, if nothing else is said.
const DEFAULT_REPLAY_SECONDS: u32 = 10;

/// How the tree grew, where there is a journal.
#[derive(Default)]
pub struct Timeline {
    /// What is known of the journal.
    pub status: Option<ReplayStatus>,
    /// Where one looks: after so many iterations; none for the end.
    pub target: Option<u32>,
    /// The iteration that is shown; none if the tree of the file is.
    pub shown_iteration: Option<u32>,
    /// Since when it grows by itself, and from which iteration on.
    play_start: Option<(Duration, u32)>,
    /// How fast, in iterations a second; none for whatever takes a few seconds.
    speed: Option<u32>,
    /// The same for a tree that grows because it has just come.
    animation_speed: Option<u32>,
}

impl Timeline {
    /// How many iterations there are.
    pub fn iterations(&self) -> u32 {
        self.status.as_ref().map_or(0, |reel| reel.iterations)
    }

    /// The iteration one looks at.
    pub fn position(&self) -> u32 {
        self.target.unwrap_or(u32::MAX).min(self.iterations())
    }

    /// Whether the search still runs, as far as the journal tells.
    pub fn is_live(&self) -> bool {
        (self.status.as_ref()).is_some_and(|reel| reel.ended.is_none())
    }

    /// Whether the tree grows by itself.
    pub fn is_playing(&self) -> bool {
        self.play_start.is_some()
    }

    /// Whether another tree is shown all the time.
    pub fn is_growing(&self) -> bool {
        self.is_playing() || (self.is_live() && self.target.is_none())
    }

    /// Another journal, of which nothing is known yet; how fast trees grow stays.
    pub(super) fn reset(&mut self) {
        *self = Self {
            speed: self.speed,
            ..Self::default()
        };
    }

    /// How fast it grows, in iterations a second.
    pub fn speed(&self) -> u32 {
        self.animation_speed.or(self.speed).unwrap_or_else(|| {
            let wanted = self.iterations() / DEFAULT_REPLAY_SECONDS;
            (SPEEDS.into_iter().rev())
                .find(|&speed| speed <= wanted)
                .unwrap_or(SPEEDS[0])
        })
    }
}

impl App {
    /// Takes in what is said of the journal.
    pub(super) fn handle_replay_event(&mut self, event: ReplayEvent) {
        let (ReplayEvent::Status(path, _)
        | ReplayEvent::Tree(path, _)
        | ReplayEvent::Failed(path, _)) = &event;
        if self.shown_path.as_deref() != Some(path) {
            return;
        }
        match event {
            ReplayEvent::Failed(path, problem) => {
                let was_elsewhere = self.timeline.shown_iteration.is_some();
                self.timeline.reset();
                if let Some(whole) = self.full_model.clone().filter(|_| was_elsewhere) {
                    self.show_filtered(&path, whole);
                }
                let name = display_name(&path.with_extension("growth"));
                self.show_error(format!("{name}: {problem}"));
            }
            ReplayEvent::Status(_, status) => {
                let was_live = self.timeline.is_live();
                let is_new = self.timeline.status.is_none();
                self.timeline.status = Some(status);
                if is_new {
                    self.start_animation();
                }
                // The tree of a search that is over is in its file, with all that stands beside it.
                let is_live = self.timeline.is_live();
                if self.timeline.target.is_none() && (is_live || was_live) && !self.is_final() {
                    self.request_iteration(u32::MAX, is_live);
                }
                self.request_extras();
            }
            ReplayEvent::Tree(
                _,
                ReplayResponse {
                    request: wish,
                    iteration,
                    model,
                },
            ) => {
                if self.is_missing_extras() && wish == Self::extras_request() {
                    return self.apply_extras(model);
                }
                // What was asked for may not be wanted any more: the file's own tree is the end.
                let is_wanted = match self.timeline.target {
                    None => wish.iteration == u32::MAX && !self.is_final(),
                    Some(_) => wish.iteration != u32::MAX,
                };
                if is_wanted && wish.filter == self.filter {
                    self.timeline.shown_iteration = Some(iteration);
                    self.counters.mark_grown();
                    self.replace_model(model);
                }
            }
        }
    }

    /// Whether the tree of the file is shown without what its formula needs, and the journal of the whole search is there.
    fn is_missing_extras(&self) -> bool {
        let is_whole =
            (self.timeline.status.as_ref()).is_some_and(|reel| reel.ended == Some(false));
        is_whole
            && self.timeline.target.is_none()
            && self.is_final()
            && (self.full_model.as_ref())
                .is_some_and(|whole| whole.extra.is_none() && formula::needs_extras(whole))
    }

    /// The whole tree as it is in the end.
    fn extras_request() -> ReplayRequest {
        ReplayRequest {
            iteration: u32::MAX,
            is_preview: false,
            filter: Filter::default(),
        }
    }

    /// Where there is no file of extras the journal is asked for them.
    pub(super) fn request_extras(&self) {
        if self.is_missing_extras() {
            self.replayer.request(Self::extras_request());
        }
    }

    /// Shows the journal's last tree in place of the file's, if it is the same, for the sake of its extras.
    fn apply_extras(&mut self, last: Arc<TreeModel>) {
        let is_same = |whole: &Arc<TreeModel>| whole.tree == last.tree;
        if !self.full_model.as_ref().is_some_and(is_same) {
            return;
        }
        if let (Some(path), Some(last)) = (self.shown_path.clone(), Arc::into_inner(last)) {
            let whole = Arc::new(last.without_last_path());
            (self.sequence).insert(&path, Arc::clone(&whole), self.budget.max_cached_bytes());
            self.full_model = Some(Arc::clone(&whole));
            self.show_filtered(&path, whole);
        }
    }

    /// Lets a tree grow that has just come, if that is wanted.
    fn start_animation(&mut self) {
        let is_over = self
            .timeline
            .status
            .as_ref()
            .is_some_and(|reel| reel.ended == Some(false));
        let Some(time) = self
            .growth_animation
            .filter(|_| self.is_following_newest && is_over)
        else {
            return;
        };
        let speed = f64::from(self.timeline.iterations()) / time.as_secs_f64();
        self.timeline.animation_speed = Some((speed as u32).max(1));
        self.timeline.play_start = Some((self.now, 0));
    }

    /// Whether the file that is shown is of a search that is over.
    pub(super) fn is_final(&self) -> bool {
        let whole = self.full_model.as_ref();
        whole.is_some_and(|model| model.meta.as_ref().is_none_or(|meta| meta.is_final))
    }

    pub(super) fn request_iteration(&self, iteration: u32, quick: bool) {
        self.replayer.request(ReplayRequest {
            iteration,
            is_preview: quick,
            filter: self.filter.clone(),
        });
    }

    /// Asks for the next tree while it grows by itself.
    pub(super) fn advance_replay(&mut self) {
        let Some((since, from)) = self.timeline.play_start else {
            return;
        };
        let seconds = self.now.saturating_sub(since).as_secs_f64();
        let done = seconds * f64::from(self.timeline.speed());
        let to = (f64::from(from) + done).min(f64::from(u32::MAX)) as u32;
        let end = self.timeline.iterations();
        if to >= end && !self.timeline.is_live() {
            self.timeline.play_start = None;
            if self.timeline.animation_speed.take().is_some() {
                return self.show_end();
            }
            self.timeline.target = Some(end);
            self.request_iteration(end, false);
        } else if self.timeline.target != Some(to.min(end)) {
            self.timeline.target = Some(to.min(end));
            self.request_iteration(to.min(end), true);
        }
    }

    /// Goes to an iteration.
    pub(super) fn scrub(&mut self, to: u32, moving: bool) {
        if self.timeline.status.is_none() {
            return;
        }
        self.timeline.play_start = None;
        let to = to.min(self.timeline.iterations());
        self.timeline.target = Some(to);
        self.request_iteration(to, moving);
    }

    pub(super) fn set_playing(&mut self, plays: bool) {
        if self.timeline.status.is_none() {
            return;
        }
        let at = self.timeline.position();
        if !plays {
            return self.scrub(at, false);
        }
        let is_over = at >= self.timeline.iterations() && !self.timeline.is_live();
        self.timeline.play_start = Some((self.now, if is_over { 0 } else { at }));
    }

    /// Shows the end again.
    pub(super) fn show_end(&mut self) {
        self.timeline.play_start = None;
        self.timeline.target = None;
        if self.timeline.is_live() && !self.is_final() {
            self.request_iteration(u32::MAX, true);
        } else if self.timeline.shown_iteration.take().is_some()
            && let (Some(path), Some(whole)) = (self.shown_path.clone(), self.full_model.clone())
        {
            self.show_filtered(&path, whole);
            self.select_chosen_move();
            self.request_extras();
        }
    }

    /// So many iterations a second from now on.
    pub(super) fn set_speed(&mut self, speed: u32) {
        self.timeline.speed = Some(speed);
        self.timeline.animation_speed = None;
        if self.timeline.is_playing() {
            self.timeline.play_start = Some((self.now, self.timeline.position()));
        }
    }
}
