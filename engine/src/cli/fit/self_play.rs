//! The games that a fit learns from: a search against itself after random openings.

use super::{FitArgs, regression::Samples};
use crate::{
    catalog::{self, Spec},
    games::{
        History, Outcome, Playable, Player,
        linear::{FeatureSink, FitTarget, FittedEvaluation, Stage},
    },
    rng::{Rng, child_seed},
    search::{BestMove, SearchLimits, SearchTask, StopFlag},
};

/// Plies in a row with a decided value that end a game.
const DECIDED_PLIES: u32 = 4;

/// Plays games of a fit, each from its number alone.
pub(super) struct SelfPlay<'a, G: Playable> {
    pub(super) start: &'a G,
    pub(super) fitted: &'a FittedEvaluation<G>,
    pub(super) spec: &'a Spec,
    pub(super) arguments: &'a FitArgs,
    pub(super) stop: &'a StopFlag,
}

impl<G: Playable> SelfPlay<'_, G> {
    /// The quiet positions of a game, with its result; none of a game that ended in its random opening.
    pub(super) fn play(&self, game: u64) -> Samples {
        let seed = child_seed(self.arguments.seed, game);
        let mut position = self.start.clone();
        let mut history = History::new();
        history.push(&position);
        self.play_opening(&mut position, &mut history, seed);
        let spec = self.spec.with_seed(seed);
        let Some(mut search) = catalog::build::<G>(&spec) else {
            return Samples::default();
        };
        let limits = SearchLimits {
            nodes: Some(self.arguments.nodes),
            ..SearchLimits::default()
        };
        let mut quiet = Vec::new();
        let mut decided = Decided::new(self.fitted.decided);
        let outcome = loop {
            if let Some(outcome) = history.outcome(&position) {
                break outcome;
            }
            let task = SearchTask::new(&position, &history, &limits, self.stop);
            let choice = search.search(task);
            if self.stop.is_set() {
                return Samples::default();
            }
            if let Some(winner) = decided.by(&position, &choice) {
                break winner;
            }
            quiet.extend(self.quiet_position(&position, &choice));
            search.advance(choice.mv);
            history.play(&mut position, choice.mv);
        };
        self.samples(&quiet, outcome, &position)
    }

    /// Random plies, from none to twice `opening`.
    fn play_opening(&self, position: &mut G, history: &mut History, seed: u64) {
        let mut rng = Rng::new(child_seed(seed, 1 << 40));
        let plies = rng.below(2 * self.arguments.opening + 1);
        for _ in 0..plies {
            if history.outcome(position).is_some() {
                return;
            }
            if let Some(mv) = position.random_move(&mut rng) {
                history.play(position, mv);
            }
        }
    }

    /// The position itself, or else the one that the search expects, if they are quiet.
    fn quiet_position(&self, position: &G, choice: &BestMove<G::Move>) -> Option<G> {
        if (self.fitted.is_quiet)(position) {
            return Some(position.clone());
        }
        let mut leaf = position.clone();
        for &mv in choice.report.pv() {
            if !leaf.is_legal(mv) {
                return None;
            }
            leaf.play(mv);
        }
        (leaf.outcome().is_none() && (self.fitted.is_quiet)(&leaf)).then_some(leaf)
    }

    fn samples(&self, quiet: &[G], outcome: Outcome, end: &G) -> Samples {
        let mut samples = Samples::default();
        let mut sink = FeatureList::new(self.fitted.feature_count());
        // Of a finished game both bounds are the first player's points ahead.
        let margin = end.margin_bounds().map_or(0.0, |[margin, _]| margin as f32);
        for position in quiet {
            let mover = position.to_move();
            let result = match (self.fitted.target, outcome) {
                (FitTarget::Outcome, Outcome::Draw) => 0.5,
                (FitTarget::Outcome, Outcome::Win(winner)) => f32::from(u8::from(winner == mover)),
                (FitTarget::Margin, _) => match mover {
                    Player::First => margin,
                    Player::Second => -margin,
                },
            };
            let stage = sink.list(self.fitted, position);
            samples.push(&sink.found, stage, result);
        }
        samples
    }
}

/// Ends games whose result is no longer in doubt.
struct Decided {
    value: i32,
    plies: u32,
    leader: Option<Outcome>,
}

impl Decided {
    fn new(value: i32) -> Self {
        Self {
            value,
            plies: 0,
            leader: None,
        }
    }

    /// The result, if the value has been decided for long enough.
    fn by<G: Playable>(&mut self, position: &G, choice: &BestMove<G::Move>) -> Option<Outcome> {
        let best = choice.report.root_moves.first()?;
        let score = best.score.unwrap_or(0);
        let mover = position.to_move();
        let leader = match score {
            score if self.value == 0 || score.abs() < self.value => None,
            score if score > 0 => Some(Outcome::Win(mover)),
            _ => Some(Outcome::Win(mover.opponent())),
        };
        self.plies = if leader.is_some() && leader == self.leader {
            self.plies + 1
        } else {
            u32::from(leader.is_some())
        };
        self.leader = leader;
        leader.filter(|_| self.plies >= DECIDED_PLIES)
    }
}

/// Collects the features of a position, each once.
struct FeatureList {
    counts: Vec<i32>,
    touched: Vec<u16>,
    found: Vec<(u16, i16)>,
}

impl FeatureList {
    fn new(features: usize) -> Self {
        Self {
            counts: vec![0; features],
            touched: Vec::new(),
            found: Vec::new(),
        }
    }

    fn list<G>(&mut self, fitted: &FittedEvaluation<G>, position: &G) -> Stage {
        let stage = (fitted.features)(position, self);
        self.touched.sort_unstable();
        self.touched.dedup();
        self.found.clear();
        for feature in self.touched.drain(..) {
            let count = std::mem::take(&mut self.counts[usize::from(feature)]);
            if count != 0 {
                self.found.push((feature, count as i16));
            }
        }
        stage
    }
}

impl FeatureSink for FeatureList {
    fn add(&mut self, feature: usize, count: i32) {
        if count != 0 {
            self.counts[feature] += count;
            self.touched.push(feature as u16);
        }
    }
}
