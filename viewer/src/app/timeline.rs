//! The growth journal of the shown tree: which iteration is shown, playing and scrubbing.

use std::time::Duration;

use super::{App, Document, display_name};
use crate::workers::replay::{ReplayEvent, ReplayResponse, ReplayStatus};

/// Replay speeds to choose from, in iterations per second.
pub const SPEEDS: [u32; 7] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
/// Length of a whole replay at the default speed.
const DEFAULT_REPLAY_SECONDS: u32 = 10;

/// The state of a replay; empty if there is no journal.
#[derive(Default)]
pub struct Timeline {
    /// The journal's state; `None` until it is open.
    pub status: Option<ReplayStatus>,
    /// The requested iteration; `None` for the end.
    pub target: Option<u32>,
    /// The shown iteration; `None` while the file's own tree is shown.
    pub shown_iteration: Option<u32>,
    /// When playing began, and at which iteration.
    play_start: Option<(Duration, u32)>,
    /// Chosen speed, in iterations per second; `None` for [`DEFAULT_REPLAY_SECONDS`] in all.
    speed: Option<u32>,
    /// Speed of the animation of a new tree.
    animation_speed: Option<u32>,
}

impl Timeline {
    /// Iterations in the journal.
    pub fn iterations(&self) -> u32 {
        self.status.as_ref().map_or(0, |status| status.iterations)
    }

    /// The requested iteration, or the last.
    pub fn position(&self) -> u32 {
        self.target.unwrap_or(u32::MAX).min(self.iterations())
    }

    /// Whether the journal is still growing.
    pub fn is_live(&self) -> bool {
        (self.status.as_ref()).is_some_and(|status| status.ended.is_none())
    }

    /// Whether the replay plays.
    pub fn is_playing(&self) -> bool {
        self.play_start.is_some()
    }

    /// Whether the shown tree keeps changing.
    pub fn is_growing(&self) -> bool {
        self.is_playing() || (self.is_live() && self.target.is_none())
    }

    /// Forgets the journal; the chosen speed stays.
    pub(super) fn reset(&mut self) {
        *self = Self {
            speed: self.speed,
            ..Self::default()
        };
    }

    /// Speed in iterations per second.
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
    /// Takes in an event of the replay worker; ignored if another tree is shown by now.
    pub(super) fn handle_replay_event(&mut self, event: ReplayEvent) {
        let (ReplayEvent::Status(path, _)
        | ReplayEvent::Tree(path, _)
        | ReplayEvent::Lead(path, ..)
        | ReplayEvent::Failed(path, _)) = &event;
        if self.document.shown_path.as_deref() != Some(path) {
            return;
        }
        match event {
            ReplayEvent::Failed(path, problem) => {
                let was_elsewhere = self.document.timeline.shown_iteration.is_some();
                self.document.timeline.reset();
                if let Some(whole) = self.document.full_model.clone().filter(|_| was_elsewhere) {
                    self.document
                        .show_filtered(&path, whole, &mut self.navigation);
                }
                let name = display_name(&path.with_extension("growth"));
                self.show_error(format!("{name}: {problem}"));
            }
            ReplayEvent::Lead(path, moves, lead) => self.take_lead(path, moves, lead),
            ReplayEvent::Status(_, status) => {
                let was_live = self.document.timeline.is_live();
                let is_new = self.document.timeline.status.is_none();
                self.document.timeline.status = Some(status);
                if is_new {
                    self.start_animation();
                }
                // The final tree is shown from its file, which has the sidecar and the extras.
                let is_live = self.document.timeline.is_live();
                if self.document.timeline.target.is_none()
                    && (is_live || was_live)
                    && !self.document.is_final()
                {
                    self.document.request_iteration(u32::MAX, is_live);
                }
                self.document.request_extras();
            }
            ReplayEvent::Tree(
                _,
                ReplayResponse {
                    request,
                    iteration,
                    model,
                },
            ) => {
                if self.document.is_missing_extras() && request == Document::extras_request() {
                    return (self.document).apply_extras(model, &mut self.navigation);
                }
                // The answer may be out of date: a final file's own tree is the end.
                let is_wanted = match self.document.timeline.target {
                    None => request.iteration == u32::MAX && !self.document.is_final(),
                    Some(_) => request.iteration != u32::MAX,
                };
                if is_wanted && request.filter == self.document.filter {
                    self.document.timeline.shown_iteration = Some(iteration);
                    self.counters.mark_grown();
                    self.document.replace_model(model, &mut self.navigation);
                }
            }
        }
    }

    /// Starts the growth animation of a new tree, if it is on.
    fn start_animation(&mut self) {
        let is_over = self
            .document
            .timeline
            .status
            .as_ref()
            .is_some_and(|status| status.ended == Some(false));
        let Some(time) = self
            .growth_animation
            .filter(|_| self.folder.is_following_newest && is_over)
        else {
            return;
        };
        let speed = f64::from(self.document.timeline.iterations()) / time.as_secs_f64();
        self.document.timeline.animation_speed = Some((speed as u32).max(1));
        self.document.timeline.play_start = Some((self.now, 0));
    }

    /// Requests the next iteration while playing.
    pub(super) fn advance_replay(&mut self) {
        let Some((since, from)) = self.document.timeline.play_start else {
            return;
        };
        let seconds = self.now.saturating_sub(since).as_secs_f64();
        let done = seconds * f64::from(self.document.timeline.speed());
        let to = (f64::from(from) + done).min(f64::from(u32::MAX)) as u32;
        let end = self.document.timeline.iterations();
        if to >= end && !self.document.timeline.is_live() {
            self.document.timeline.play_start = None;
            if self.document.timeline.animation_speed.take().is_some() {
                return self.show_end();
            }
            self.document.timeline.target = Some(end);
            self.document.request_iteration(end, false);
        } else if self.document.timeline.target != Some(to.min(end)) {
            self.document.timeline.target = Some(to.min(end));
            self.document.request_iteration(to.min(end), true);
        }
    }

    /// Goes to an iteration.
    pub(super) fn scrub(&mut self, to: u32, moving: bool) {
        if self.document.timeline.status.is_none() {
            return;
        }
        self.document.timeline.play_start = None;
        let to = to.min(self.document.timeline.iterations());
        self.document.timeline.target = Some(to);
        self.document.request_iteration(to, moving);
    }

    pub(super) fn set_playing(&mut self, plays: bool) {
        if self.document.timeline.status.is_none() {
            return;
        }
        let at = self.document.timeline.position();
        if !plays {
            return self.scrub(at, false);
        }
        let is_over =
            at >= self.document.timeline.iterations() && !self.document.timeline.is_live();
        self.document.timeline.play_start = Some((self.now, if is_over { 0 } else { at }));
    }

    /// Shows the last iteration and keeps following it.
    pub(super) fn show_end(&mut self) {
        self.document.timeline.play_start = None;
        self.document.timeline.target = None;
        if self.document.timeline.is_live() && !self.document.is_final() {
            self.document.request_iteration(u32::MAX, true);
            return;
        }
        if self.document.timeline.shown_iteration.take().is_some() {
            self.document.show_full_model(&mut self.navigation);
            self.document.request_extras();
        }
    }

    /// Sets the speed, in iterations per second.
    pub(super) fn set_speed(&mut self, speed: u32) {
        self.document.timeline.speed = Some(speed);
        self.document.timeline.animation_speed = None;
        if self.document.timeline.is_playing() {
            self.document.timeline.play_start = Some((self.now, self.document.timeline.position()));
        }
    }
}
