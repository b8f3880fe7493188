//! The classical family: minimax, alpha-beta, iterative deepening, aspiration windows, on any of a game's evaluations.
//!
//! A win is worth more the sooner it comes, a loss less the later. Nodes are counted as report 003 counts them (every
//! position visited below the root, over all iterations), leaves as report 004 does (positions evaluated).

use super::{
    Choice, Limits, LiveTree, Report, Reward, RootMove, Search, Searchable, Stop, Task,
    alpha_beta::{AlphaBeta, INFINITE},
    budget::Budget,
    minimax::Minimax,
    recorder::{CERTAIN, Recorder, proven_by, reward_of},
};
use crate::{
    games::{
        Evaluation, Game, History, Outcome, Player,
        evaluate::{SeenBy, WIN},
    },
    rng::{Rng, child_seed},
};

/// Deeper than any search gets.
const DEEPEST: u32 = 500;

/// Which of two equal moves is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The first in the order of moves.
    #[default]
    First,
    /// One at random, under the seed.
    Random,
}

/// Which lines are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// All of them.
    Minimax,
    /// Those that can matter.
    #[default]
    AlphaBeta,
}

/// A window around an expected value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aspiration {
    /// How far the value may be from the expected one.
    pub half_width: i32,
    /// What is expected of the first iteration; later ones expect what the one before found.
    pub first_guess: i32,
}

/// What can be set about a classical search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassicalConfig {
    /// Which lines are followed.
    pub method: Method,
    /// The greatest depth, whatever other limits there are, unless a search is asked for another depth.
    pub depth: Option<u32>,
    /// The depth if there is neither that nor any limit; as deep as it gets if none.
    pub default_depth: Option<u32>,
    /// Whether depths 1, 2, 3 ... are searched in turn, the moves at the root in the order of their last values, even if
    /// only the depth is limited. Under any other limit they always are: who is interrupted has an answer then.
    pub deepening: bool,
    /// The window of each iteration; the widest if none.
    pub aspiration: Option<Aspiration>,
    /// The evaluation, by name, as it was asked for: what follows a colon is in `arguments`, too. The game's first if none.
    pub evaluation: Option<String>,
    /// Its arguments, in the order of its parameters; defaults where missing.
    pub arguments: Vec<i32>,
    /// Which of equal moves is played.
    pub ties: Ties,
    /// Whether the first move of a game is drawn at random.
    pub random_opening: bool,
    /// Which random numbers.
    pub seed: u64,
    /// Milliseconds, if no limit is given.
    pub millis: Option<u64>,
    /// How many nodes of the last iteration are kept to be looked at.
    pub tree_nodes: usize,
}

impl Default for ClassicalConfig {
    fn default() -> Self {
        Self {
            method: Method::AlphaBeta,
            depth: None,
            default_depth: Some(6),
            deepening: false,
            aspiration: None,
            evaluation: None,
            arguments: Vec::new(),
            ties: Ties::First,
            random_opening: false,
            seed: 1,
            millis: None,
            tree_nodes: 100_000,
        }
    }
}

/// What has been counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) nodes: u64,
    pub(super) leaves: u64,
    /// Whether a position was evaluated because the depth was used up, since this was last set to false.
    pub(super) met_horizon: bool,
}

/// Says what positions are worth.
pub(super) struct Judge<G: Game> {
    function: fn(&G, &[i32]) -> i32,
    seen_by: Option<SeenBy<G>>,
    arguments: Vec<i32>,
    /// Who is to move at the root: an evaluation that looks at one side only looks at this one.
    pub(super) searcher: Player,
}

impl<G: Searchable> Judge<G> {
    /// The evaluation of that name; the game's first if there is none of that name.
    pub(super) fn new(name: Option<&str>, arguments: &[i32]) -> Self {
        let table = G::evaluations();
        let evaluation: &Evaluation<G> = name
            .and_then(|text| text.split(':').next())
            .and_then(|name| table.iter().find(|evaluation| evaluation.name == name))
            .unwrap_or(&table[0]);
        let arguments = evaluation
            .parameters
            .iter()
            .enumerate()
            .map(|(index, parameter)| arguments.get(index).copied().unwrap_or(parameter.default()))
            .collect();
        Self {
            function: evaluation.function,
            seen_by: evaluation.seen_by,
            arguments,
            searcher: Player::First,
        }
    }
}

impl<G: Game> Judge<G> {
    /// The value of a finished game for the player to move; none if the game goes on.
    #[inline]
    pub(super) fn at_end(&self, position: &G, history: &History, ply: u32) -> Option<i32> {
        match position.outcome() {
            Some(Outcome::Draw) => Some(0),
            Some(Outcome::Win(winner)) => {
                let value = WIN - ply as i32;
                Some(if winner == position.to_move() {
                    value
                } else {
                    -value
                })
            }
            None => {
                (position.repetition_key().is_some() && history.is_threefold(position)).then_some(0)
            }
        }
    }

    /// [`Self::at_end`], and what the evaluation says when `depth` is used up.
    #[inline]
    pub(super) fn at_leaf(
        &self,
        position: &G,
        history: &History,
        ply: u32,
        depth: u32,
        tally: &mut Tally,
    ) -> Option<i32> {
        let value = self.at_end(position, history, ply).or_else(|| {
            (depth == 0).then(|| {
                tally.met_horizon = true;
                self.opinion(position)
            })
        })?;
        tally.leaves += 1;
        Some(value)
    }

    /// The evaluation's word on a game that goes on, for the player to move.
    pub(super) fn opinion(&self, position: &G) -> i32 {
        let value = match self.seen_by {
            Some(seen_by) => {
                let value = seen_by(position, self.searcher, &self.arguments);
                if position.to_move() == self.searcher {
                    value
                } else {
                    -value
                }
            }
            None => (self.function)(position, &self.arguments),
        };
        value.clamp(1 - CERTAIN, CERTAIN - 1)
    }
}

/// A classical search, put together.
pub struct Classical<G: Game> {
    config: ClassicalConfig,
    judge: Judge<G>,
    /// The tree of the iteration under way and of the last finished one.
    current: Recorder<G>,
    finished: Recorder<G>,
    searches: u64,
}

/// A root move as an iteration found it.
#[derive(Clone)]
struct Found<M> {
    mv: M,
    /// For the player to move. Exact for the best ones, a bound for the rest.
    value: i32,
    nodes: u64,
    line: Vec<M>,
}

/// What an iteration found.
struct Round<M> {
    found: Vec<Found<M>>,
    /// Whether it got through all moves before time ran out.
    finished: bool,
    /// Values up to here are bounds from above and cannot be compared with each other.
    floor: i32,
}

impl<M> Round<M> {
    fn best(&self) -> i32 {
        self.found
            .iter()
            .map(|found| found.value)
            .max()
            .unwrap_or(0)
    }
}

/// What a search has used up.
struct Spent {
    budget: Budget,
    tally: Tally,
}

impl<G: Searchable> Classical<G> {
    /// The search that a configuration describes.
    pub fn new(config: ClassicalConfig) -> Self {
        Self {
            judge: Judge::new(config.evaluation.as_deref(), &config.arguments),
            current: Recorder::new(config.tree_nodes.max(1)),
            finished: Recorder::new(config.tree_nodes.max(1)),
            config,
            searches: 0,
        }
    }

    /// One iteration over the root's moves.
    fn iteration(
        &mut self,
        task: &Task<'_, G>,
        order: &[G::Move],
        depth: u32,
        window: (i32, i32),
        spent: &mut Spent,
    ) -> Round<G::Move> {
        let Spent { budget, tally } = spent;
        tally.met_horizon = false;
        let mut found: Vec<Found<G::Move>> = Vec::new();
        let mut history = task.history.clone();
        let entry = self.current.begin(task.root);
        let mut levels = Vec::new();
        let begun = tally.nodes;
        for (index, &mv) in order.iter().enumerate() {
            let before = tally.nodes;
            let answer = match self.config.method {
                Method::Minimax => {
                    let mut minimax = Minimax {
                        judge: &self.judge,
                        budget,
                        history: &mut history,
                        recorder: &mut self.current,
                        tally,
                    };
                    minimax.child(task.root, mv, depth, 0, entry)
                }
                Method::AlphaBeta => {
                    // As many moves as lines are wanted have exact values; equals of the last are told apart from
                    // worse ones only if one of them is to be drawn.
                    let mut values: Vec<i32> = found.iter().map(|found| found.value).collect();
                    values.sort_unstable_by(|one, other| other.cmp(one));
                    let floor = values
                        .get(task.lines.max(1) - 1)
                        .copied()
                        .unwrap_or(-INFINITE);
                    let slack = i32::from(self.config.ties == Ties::Random && floor > -INFINITE);
                    let alpha = window.0.max(floor - slack);
                    if alpha >= window.1 {
                        self.current.cut(entry, &order[index..]);
                        break;
                    }
                    let mut search = AlphaBeta {
                        judge: &self.judge,
                        budget,
                        history: &mut history,
                        recorder: &mut self.current,
                        tally,
                        levels: &mut levels,
                    };
                    let value = search.child(task.root, mv, depth, 0, alpha, window.1, entry);
                    value.map(|value| (value, search.line(1).to_vec()))
                }
            };
            let Some((value, line)) = answer else {
                return Round {
                    found,
                    finished: false,
                    floor: window.0,
                };
            };
            let line = std::iter::once(mv).chain(line).collect();
            found.push(Found {
                mv,
                value,
                nodes: tally.nodes - before,
                line,
            });
        }
        let round = Round {
            found,
            finished: true,
            floor: window.0,
        };
        let nodes = tally.nodes - begun + 1;
        self.current
            .leave(entry, round.best(), task.root.to_move(), nodes);
        round
    }

    /// One iteration inside the window that is expected, and again with a wider one if the value lies outside.
    fn aspire(
        &mut self,
        task: &Task<'_, G>,
        order: &[G::Move],
        depth: u32,
        guess: i32,
        spent: &mut Spent,
    ) -> Round<G::Move> {
        let mut window = match self.config.aspiration {
            Some(Aspiration { half_width, .. }) => (
                guess.saturating_sub(half_width).max(-INFINITE),
                guess.saturating_add(half_width).min(INFINITE),
            ),
            None => (-INFINITE, INFINITE),
        };
        loop {
            let round = self.iteration(task, order, depth, window, spent);
            if round.finished && round.best() <= window.0 && window.0 > -INFINITE {
                window.0 = -INFINITE;
            } else if round.finished && round.best() >= window.1 && window.1 < INFINITE {
                window.1 = INFINITE;
            } else {
                return round;
            }
        }
    }

    fn report(
        &self,
        task: &Task<'_, G>,
        found: &[Found<G::Move>],
        depth: u32,
        tally: Tally,
    ) -> Report<G::Move> {
        let mover = task.root.to_move();
        let mut ranked: Vec<&Found<G::Move>> = found.iter().collect();
        ranked.sort_by_key(|found| -found.value);
        let root: Vec<RootMove<G::Move>> = ranked
            .into_iter()
            .map(|found| RootMove {
                mv: found.mv,
                visits: found.nodes,
                value: reward_of(found.value, mover),
                score: Some(found.value),
                proven: proven_by(found.value, mover),
                line: found.line.clone(),
            })
            .collect();
        Report {
            iterations: 0,
            nodes: tally.nodes,
            leaves: tally.leaves,
            depth,
            value: root.first().map_or(Reward::EVEN, |best| best.value),
            root,
            stored: 0,
            bytes: 0,
            memory_full: false,
        }
    }
}

impl<G: Searchable> Search<G> for Classical<G> {
    fn choose(&mut self, mut task: Task<'_, G>) -> Choice<G::Move> {
        let mut rng = Rng::new(child_seed(self.config.seed, self.searches));
        self.searches += 1;
        let mut order = Vec::new();
        task.root.legal_moves(&mut order);
        order.retain(|mv| task.moves.is_none_or(|moves| moves.contains(mv)));
        let limits = task.limits.or_default(None, self.config.millis);
        let budget = Budget::start(&limits, limits.count(), task.stop).with_timers(
            task.reports.as_ref().map(|reports| reports.every),
            task.snapshots.as_ref().map(|snapshots| snapshots.every),
        );
        let mut spent = Spent {
            budget,
            tally: Tally::default(),
        };
        self.judge.searcher = task.root.to_move();
        let may_be_interrupted = limits.time.is_some() || limits.count().is_some();
        let depth = (limits.depth.or(self.config.depth))
            .or(self.config.default_depth.filter(|_| !may_be_interrupted));
        let deepest = depth.unwrap_or(DEEPEST).clamp(1, DEEPEST);
        let deepening = self.config.deepening || may_be_interrupted || depth.is_none();
        let mut guess = self
            .config
            .aspiration
            .map_or(0, |aspiration| aspiration.first_guess);
        // Until something is known, every move is as good as the first.
        let unknown = |mv: G::Move| Found {
            mv,
            value: 0,
            nodes: 0,
            line: vec![mv],
        };
        let mut best: Vec<Found<G::Move>> = order.iter().map(|&mv| unknown(mv)).collect();
        let mut reached = 0;
        let mut depth = if deepening { 1 } else { deepest };
        while depth <= deepest {
            let mut round = self.aspire(&task, &order, depth, guess, &mut spent);
            if !round.finished && reached == 0 {
                // Nothing can be said for the moves that were seen against those that were not. One ply takes no time.
                depth = 1;
                let budget = Budget::start(&Limits::default(), None, &Stop::new());
                let budget = std::mem::replace(&mut spent.budget, budget);
                round = self.aspire(&task, &order, depth, guess, &mut spent);
                spent.budget = budget;
            }
            if !round.finished {
                // Time ran out. The best move of the last depth was looked at first: those that were found to be better
                // now are, but values that only failed to reach the window say nothing.
                if round.best() > round.floor {
                    merge(&mut best, round.found);
                }
                break;
            }
            best = round.found;
            reached = depth;
            std::mem::swap(&mut self.current, &mut self.finished);
            // Moves that the window cut off at the root come last, in their old order.
            let seen: Vec<G::Move> = best.iter().map(|found| found.mv).collect();
            best.extend(
                order
                    .iter()
                    .filter(|mv| !seen.contains(mv))
                    .map(|&mv| Found {
                        value: -INFINITE,
                        ..unknown(mv)
                    }),
            );
            let mut ranked: Vec<(i32, G::Move)> =
                best.iter().map(|found| (found.value, found.mv)).collect();
            ranked.sort_by_key(|&(value, _)| -value);
            order = ranked.iter().map(|&(_, mv)| mv).collect();
            guess = ranked[0].0;
            if spent.budget.wants_report() {
                let report = self.report(&task, &best, depth, spent.tally);
                if let Some(reports) = &mut task.reports {
                    (reports.hear)(&report);
                }
            }
            if spent.budget.wants_snapshot() && !self.finished.is_empty() {
                let report = self.report(&task, &best, depth, spent.tally);
                if let Some(snapshots) = &mut task.snapshots {
                    (snapshots.look)(&self.finished, &report);
                }
            }
            // Deeper searches would find the same: a win, or no line that goes on.
            if guess.abs() >= CERTAIN || !spent.tally.met_horizon {
                break;
            }
            depth += 1;
        }
        best.retain(|found| found.value > -INFINITE);
        let mut report = self.report(&task, &best, reached, spent.tally);
        let pick = self.pick(&task, &report, &mut rng);
        report.root[..=pick].rotate_right(1);
        Choice {
            best: report.root[0].mv,
            report,
        }
    }

    fn reseed(&mut self, seed: u64) {
        self.config.seed = seed;
    }

    fn clear(&mut self) {
        self.searches = 0;
    }

    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        let tree = if self.finished.is_empty() {
            &self.current
        } else {
            &self.finished
        };
        (!tree.is_empty()).then_some(tree)
    }
}

impl<G: Searchable> Classical<G> {
    /// Which of the ranked moves is played.
    fn pick(&self, task: &Task<'_, G>, report: &Report<G::Move>, rng: &mut Rng) -> usize {
        let count = report.root.len();
        if self.config.random_opening && task.root.men() == 0 {
            return rng.below(count as u32) as usize;
        }
        let best = report.root[0].score;
        let equal = report
            .root
            .iter()
            .take_while(|root| root.score == best)
            .count();
        match self.config.ties {
            Ties::First => 0,
            Ties::Random => rng.below(equal as u32) as usize,
        }
    }
}

/// Puts what an unfinished iteration found in the place of what was known before.
fn merge<M: PartialEq + Clone>(best: &mut Vec<Found<M>>, found: Vec<Found<M>>) {
    if found.is_empty() {
        return;
    }
    let rest: Vec<Found<M>> = best
        .iter()
        .filter(|old| found.iter().all(|new| new.mv != old.mv))
        // Not looked at this deep: behind everything that was.
        .map(|old| Found {
            value: -INFINITE + 1,
            ..old.clone()
        })
        .collect();
    *best = found;
    best.extend(rest);
}
