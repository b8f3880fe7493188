//! How the tree grew: which iteration is shown, and what is asked of the journal.

use std::{sync::Arc, time::Duration};

use super::{App, name_of};
use crate::{
    film::{News, Reel, Shot, Wish},
    formula,
    model::{Model, Sift},
};

/// The speeds at which a tree grows, in iterations a second.
pub const SPEEDS: [u32; 7] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
/// A tree grows from its first iteration to the last in about so many seconds, if nothing else is said.
const SHOWTIME: u32 = 10;

/// How the tree grew, where there is a journal.
#[derive(Default)]
pub struct Timeline {
    /// What is known of the journal.
    pub reel: Option<Reel>,
    /// Where one looks: after so many iterations; none for the end.
    pub at: Option<u32>,
    /// The iteration that is shown; none if the tree of the file is.
    pub shown: Option<u32>,
    /// Since when it grows by itself, and from which iteration on.
    playing: Option<(Duration, u32)>,
    /// How fast, in iterations a second; none for whatever takes a few seconds.
    speed: Option<u32>,
    /// The same for a tree that grows because it has just come.
    tempo: Option<u32>,
}

impl Timeline {
    /// How many iterations there are.
    pub fn iterations(&self) -> u32 {
        self.reel.as_ref().map_or(0, |reel| reel.iterations)
    }

    /// The iteration one looks at.
    pub fn position(&self) -> u32 {
        self.at.unwrap_or(u32::MAX).min(self.iterations())
    }

    /// Whether the search still runs, as far as the journal tells.
    pub fn is_live(&self) -> bool {
        (self.reel.as_ref()).is_some_and(|reel| reel.ended.is_none())
    }

    /// Whether the tree grows by itself.
    pub fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// Whether another tree is shown all the time.
    pub fn is_growing(&self) -> bool {
        self.is_playing() || (self.is_live() && self.at.is_none())
    }

    /// Another journal, of which nothing is known yet; how fast trees grow stays.
    pub(super) fn restart(&mut self) {
        *self = Self {
            speed: self.speed,
            ..Self::default()
        };
    }

    /// How fast it grows, in iterations a second.
    pub fn speed(&self) -> u32 {
        self.tempo.or(self.speed).unwrap_or_else(|| {
            let wanted = self.iterations() / SHOWTIME;
            (SPEEDS.into_iter().rev())
                .find(|&speed| speed <= wanted)
                .unwrap_or(SPEEDS[0])
        })
    }
}

impl App {
    /// Takes in what is said of the journal.
    pub(super) fn hear(&mut self, news: News) {
        let (News::Reel(path, _) | News::Shot(path, _) | News::Failed(path, _)) = &news;
        if self.shown.as_deref() != Some(path) {
            return;
        }
        match news {
            News::Failed(path, problem) => {
                let was_elsewhere = self.timeline.shown.is_some();
                self.timeline.restart();
                if let Some(whole) = self.whole.clone().filter(|_| was_elsewhere) {
                    self.show_part_of(&path, whole);
                }
                let name = name_of(&path.with_extension("growth"));
                self.complain(format!("{name}: {problem}"));
            }
            News::Reel(_, reel) => {
                let was_live = self.timeline.is_live();
                let is_new = self.timeline.reel.is_none();
                self.timeline.reel = Some(reel);
                if is_new {
                    self.animate();
                }
                // The tree of a search that is over is in its file, with all that stands beside it.
                let is_live = self.timeline.is_live();
                if self.timeline.at.is_none() && (is_live || was_live) && !self.is_final() {
                    self.wish(u32::MAX, is_live);
                }
                self.ask_for_extras();
            }
            News::Shot(
                _,
                Shot {
                    wish,
                    iteration,
                    model,
                },
            ) => {
                if self.lacks_extras() && wish == Self::wish_for_extras() {
                    return self.take_extras(model);
                }
                // What was asked for may not be wanted any more: the file's own tree is the end.
                let is_wanted = match self.timeline.at {
                    None => wish.iteration == u32::MAX && !self.is_final(),
                    Some(_) => wish.iteration != u32::MAX,
                };
                if is_wanted && wish.sift == self.sift {
                    self.timeline.shown = Some(iteration);
                    self.counters.grew();
                    self.put(model);
                }
            }
        }
    }

    /// Whether the tree of the file is shown without what its formula needs, and the journal of the whole search is there.
    fn lacks_extras(&self) -> bool {
        let is_whole = (self.timeline.reel.as_ref()).is_some_and(|reel| reel.ended == Some(false));
        is_whole
            && self.timeline.at.is_none()
            && self.is_final()
            && (self.whole.as_ref())
                .is_some_and(|whole| whole.extra.is_none() && formula::needs_extras(whole))
    }

    /// The whole tree as it is in the end.
    fn wish_for_extras() -> Wish {
        Wish {
            iteration: u32::MAX,
            quick: false,
            sift: Sift::default(),
        }
    }

    /// Where there is no file of extras the journal is asked for them.
    pub(super) fn ask_for_extras(&self) {
        if self.lacks_extras() {
            self.projector.wish(Self::wish_for_extras());
        }
    }

    /// Shows the journal's last tree in place of the file's, if it is the same, for the sake of its extras.
    fn take_extras(&mut self, last: Arc<Model>) {
        let is_same = |whole: &Arc<Model>| whole.tree == last.tree;
        if !self.whole.as_ref().is_some_and(is_same) {
            return;
        }
        if let (Some(path), Some(last)) = (self.shown.clone(), Arc::into_inner(last)) {
            let whole = Arc::new(last.without_way());
            (self.sequence).keep(&path, Arc::clone(&whole), self.budget.trees());
            self.whole = Some(Arc::clone(&whole));
            self.show_part_of(&path, whole);
        }
    }

    /// Lets a tree grow that has just come, if that is wanted.
    fn animate(&mut self) {
        let is_over = self
            .timeline
            .reel
            .as_ref()
            .is_some_and(|reel| reel.ended == Some(false));
        let Some(time) = self.animates.filter(|_| self.follow && is_over) else {
            return;
        };
        let speed = f64::from(self.timeline.iterations()) / time.as_secs_f64();
        self.timeline.tempo = Some((speed as u32).max(1));
        self.timeline.playing = Some((self.now, 0));
    }

    /// Whether the file that is shown is of a search that is over.
    pub(super) fn is_final(&self) -> bool {
        let whole = self.whole.as_ref();
        whole.is_some_and(|model| model.meta.as_ref().is_none_or(|meta| meta.is_final))
    }

    pub(super) fn wish(&self, iteration: u32, quick: bool) {
        self.projector.wish(Wish {
            iteration,
            quick,
            sift: self.sift.clone(),
        });
    }

    /// Asks for the next tree while it grows by itself.
    pub(super) fn grow(&mut self) {
        let Some((since, from)) = self.timeline.playing else {
            return;
        };
        let seconds = self.now.saturating_sub(since).as_secs_f64();
        let done = seconds * f64::from(self.timeline.speed());
        let to = (f64::from(from) + done).min(f64::from(u32::MAX)) as u32;
        let end = self.timeline.iterations();
        if to >= end && !self.timeline.is_live() {
            self.timeline.playing = None;
            if self.timeline.tempo.take().is_some() {
                return self.show_end();
            }
            self.timeline.at = Some(end);
            self.wish(end, false);
        } else if self.timeline.at != Some(to.min(end)) {
            self.timeline.at = Some(to.min(end));
            self.wish(to.min(end), true);
        }
    }

    /// Goes to an iteration.
    pub(super) fn scrub(&mut self, to: u32, moving: bool) {
        if self.timeline.reel.is_none() {
            return;
        }
        self.timeline.playing = None;
        let to = to.min(self.timeline.iterations());
        self.timeline.at = Some(to);
        self.wish(to, moving);
    }

    pub(super) fn play(&mut self, plays: bool) {
        if self.timeline.reel.is_none() {
            return;
        }
        let at = self.timeline.position();
        if !plays {
            return self.scrub(at, false);
        }
        let is_over = at >= self.timeline.iterations() && !self.timeline.is_live();
        self.timeline.playing = Some((self.now, if is_over { 0 } else { at }));
    }

    /// Shows the end again.
    pub(super) fn show_end(&mut self) {
        self.timeline.playing = None;
        self.timeline.at = None;
        if self.timeline.is_live() && !self.is_final() {
            self.wish(u32::MAX, true);
        } else if self.timeline.shown.take().is_some()
            && let (Some(path), Some(whole)) = (self.shown.clone(), self.whole.clone())
        {
            self.show_part_of(&path, whole);
            self.point_out();
            self.ask_for_extras();
        }
    }

    /// So many iterations a second from now on.
    pub(super) fn set_speed(&mut self, speed: u32) {
        self.timeline.speed = Some(speed);
        self.timeline.tempo = None;
        if self.timeline.is_playing() {
            self.timeline.playing = Some((self.now, self.timeline.position()));
        }
    }
}
