//! The classical family: minimax, alpha-beta, iterative deepening, aspiration windows, on any of a game's evaluations.
//!
//! A win is worth more the sooner it comes, a loss less the later. Nodes are counted as report 003 counts them (every
//! position visited below the root, over all iterations), leaves as report 004 does (positions evaluated).

use super::{
    BestMove, LiveTree, Reward, RootMove, Search, SearchLimits, SearchReport, SearchTask,
    Searchable, StopFlag,
    alpha_beta::{AlphaBeta, INFINITE},
    budget::SearchBudget,
    minimax::Minimax,
    tree_recorder::{MIN_WIN_VALUE, TreeRecorder, value_to_outcome, value_to_reward},
};
use crate::{
    games::{
        Evaluation, Game, History, Outcome, Player,
        evaluate::{PlayerEvaluationFn, WIN_VALUE},
    },
    rng::{Rng, child_seed},
};

/// Deeper than any search gets.
const MAX_DEPTH: u32 = 500;

/// Which of two equal moves is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieBreak {
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
    pub tie_break: TieBreak,
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
            tie_break: TieBreak::First,
            random_opening: false,
            seed: 1,
            millis: None,
            tree_nodes: 100_000,
        }
    }
}

/// What has been counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeCounts {
    pub(super) nodes: u64,
    pub(super) leaves: u64,
    /// Whether a position was evaluated because the depth was used up, since this was last set to false.
    pub(super) reached_horizon: bool,
}

/// Says what positions are worth.
pub(super) struct Evaluator<G: Game> {
    function: fn(&G, &[i32]) -> i32,
    player_function: Option<PlayerEvaluationFn<G>>,
    arguments: Vec<i32>,
    /// Who is to move at the root: an evaluation that looks at one side only looks at this one.
    pub(super) root_player: Player,
}

impl<G: Searchable> Evaluator<G> {
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
            player_function: evaluation.player_function,
            arguments,
            root_player: Player::First,
        }
    }
}

impl<G: Game> Evaluator<G> {
    /// The value of a finished game for the player to move; none if the game goes on.
    #[inline]
    pub(super) fn terminal_value(&self, position: &G, history: &History, ply: u32) -> Option<i32> {
        match position.outcome() {
            Some(Outcome::Draw) => Some(0),
            Some(Outcome::Win(winner)) => {
                let value = WIN_VALUE - ply as i32;
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

    /// [`Self::terminal_value`], and what the evaluation says when `depth` is used up.
    #[inline]
    pub(super) fn leaf_value(
        &self,
        position: &G,
        history: &History,
        ply: u32,
        depth: u32,
        counts: &mut NodeCounts,
    ) -> Option<i32> {
        let value = self.terminal_value(position, history, ply).or_else(|| {
            (depth == 0).then(|| {
                counts.reached_horizon = true;
                self.static_evaluation(position)
            })
        })?;
        counts.leaves += 1;
        Some(value)
    }

    /// The evaluation's word on a game that goes on, for the player to move.
    pub(super) fn static_evaluation(&self, position: &G) -> i32 {
        let value = match self.player_function {
            Some(seen_by) => {
                let value = seen_by(position, self.root_player, &self.arguments);
                if position.to_move() == self.root_player {
                    value
                } else {
                    -value
                }
            }
            None => (self.function)(position, &self.arguments),
        };
        value.clamp(1 - MIN_WIN_VALUE, MIN_WIN_VALUE - 1)
    }
}

/// A classical search, put together.
pub struct Classical<G: Game> {
    config: ClassicalConfig,
    evaluator: Evaluator<G>,
    /// The tree of the iteration under way and of the last finished one.
    current: TreeRecorder<G>,
    finished: TreeRecorder<G>,
    searches: u64,
}

/// A root move as an iteration found it.
#[derive(Clone)]
struct RootMoveValue<M> {
    mv: M,
    /// For the player to move. Exact for the best ones, a bound for the rest.
    value: i32,
    nodes: u64,
    pv: Vec<M>,
}

/// What an iteration found.
struct IterationResult<M> {
    moves: Vec<RootMoveValue<M>>,
    /// Whether it got through all moves before time ran out.
    finished: bool,
    /// Values up to here are bounds from above and cannot be compared with each other.
    floor: i32,
}

impl<M> IterationResult<M> {
    fn best_value(&self) -> i32 {
        self.moves
            .iter()
            .map(|found| found.value)
            .max()
            .unwrap_or(0)
    }
}

/// What a search has used up.
struct SearchUsage {
    budget: SearchBudget,
    counts: NodeCounts,
}

impl<G: Searchable> Classical<G> {
    /// The search that a configuration describes.
    pub fn new(config: ClassicalConfig) -> Self {
        Self {
            evaluator: Evaluator::new(config.evaluation.as_deref(), &config.arguments),
            current: TreeRecorder::new(config.tree_nodes.max(1)),
            finished: TreeRecorder::new(config.tree_nodes.max(1)),
            config,
            searches: 0,
        }
    }

    /// One iteration over the root's moves.
    fn search_root(
        &mut self,
        task: &SearchTask<'_, G>,
        order: &[G::Move],
        depth: u32,
        window: (i32, i32),
        spent: &mut SearchUsage,
    ) -> IterationResult<G::Move> {
        let SearchUsage { budget, counts } = spent;
        counts.reached_horizon = false;
        let mut found: Vec<RootMoveValue<G::Move>> = Vec::new();
        let mut history = task.history.clone();
        let entry = self.current.start(task.root);
        let mut ply_buffers = Vec::new();
        let begun = counts.nodes;
        for (index, &mv) in order.iter().enumerate() {
            let before = counts.nodes;
            let answer = match self.config.method {
                Method::Minimax => {
                    let mut minimax = Minimax {
                        evaluator: &self.evaluator,
                        budget,
                        history: &mut history,
                        recorder: &mut self.current,
                        counts,
                    };
                    minimax.search_move(task.root, mv, depth, 0, entry)
                }
                Method::AlphaBeta => {
                    // As many moves as lines are wanted have exact values; equals of the last are told apart from
                    // worse ones only if one of them is to be drawn.
                    let mut values: Vec<i32> = found.iter().map(|found| found.value).collect();
                    values.sort_unstable_by(|one, other| other.cmp(one));
                    let floor = values
                        .get(task.multi_pv.max(1) - 1)
                        .copied()
                        .unwrap_or(-INFINITE);
                    let slack =
                        i32::from(self.config.tie_break == TieBreak::Random && floor > -INFINITE);
                    let alpha = window.0.max(floor - slack);
                    if alpha >= window.1 {
                        self.current.record_pruned(entry, &order[index..]);
                        break;
                    }
                    let mut search = AlphaBeta {
                        evaluator: &self.evaluator,
                        budget,
                        history: &mut history,
                        recorder: &mut self.current,
                        counts,
                        ply_buffers: &mut ply_buffers,
                    };
                    let value = search.search_move(task.root, mv, depth, 0, alpha, window.1, entry);
                    value.map(|value| (value, search.pv(1).to_vec()))
                }
            };
            let Some((value, pv)) = answer else {
                return IterationResult {
                    moves: found,
                    finished: false,
                    floor: window.0,
                };
            };
            let pv = std::iter::once(mv).chain(pv).collect();
            found.push(RootMoveValue {
                mv,
                value,
                nodes: counts.nodes - before,
                pv,
            });
        }
        let round = IterationResult {
            moves: found,
            finished: true,
            floor: window.0,
        };
        let nodes = counts.nodes - begun + 1;
        self.current
            .leave(entry, round.best_value(), task.root.to_move(), nodes);
        round
    }

    /// One iteration inside the window that is expected, and again with a wider one if the value lies outside.
    fn search_with_aspiration(
        &mut self,
        task: &SearchTask<'_, G>,
        order: &[G::Move],
        depth: u32,
        guess: i32,
        spent: &mut SearchUsage,
    ) -> IterationResult<G::Move> {
        let mut window = match self.config.aspiration {
            Some(Aspiration { half_width, .. }) => (
                guess.saturating_sub(half_width).max(-INFINITE),
                guess.saturating_add(half_width).min(INFINITE),
            ),
            None => (-INFINITE, INFINITE),
        };
        loop {
            let round = self.search_root(task, order, depth, window, spent);
            if round.finished && round.best_value() <= window.0 && window.0 > -INFINITE {
                window.0 = -INFINITE;
            } else if round.finished && round.best_value() >= window.1 && window.1 < INFINITE {
                window.1 = INFINITE;
            } else {
                return round;
            }
        }
    }

    fn build_report(
        &self,
        task: &SearchTask<'_, G>,
        found: &[RootMoveValue<G::Move>],
        depth: u32,
        counts: NodeCounts,
    ) -> SearchReport<G::Move> {
        let mover = task.root.to_move();
        let mut ranked: Vec<&RootMoveValue<G::Move>> = found.iter().collect();
        ranked.sort_by_key(|found| -found.value);
        let root: Vec<RootMove<G::Move>> = ranked
            .into_iter()
            .map(|found| RootMove {
                mv: found.mv,
                visits: found.nodes,
                value: value_to_reward(found.value, mover),
                score: Some(found.value),
                proven: value_to_outcome(found.value, mover),
                pv: found.pv.clone(),
            })
            .collect();
        SearchReport {
            iterations: 0,
            nodes: counts.nodes,
            leaves: counts.leaves,
            depth,
            value: root.first().map_or(Reward::EVEN, |best| best.value),
            root_moves: root,
            stored_moves: 0,
            memory_bytes: 0,
            memory_full: false,
        }
    }
}

impl<G: Searchable> Search<G> for Classical<G> {
    fn search(&mut self, mut task: SearchTask<'_, G>) -> BestMove<G::Move> {
        let mut rng = Rng::new(child_seed(self.config.seed, self.searches));
        self.searches += 1;
        let mut order = Vec::new();
        task.root.legal_moves(&mut order);
        order.retain(|mv| task.search_moves.is_none_or(|moves| moves.contains(mv)));
        let limits = task.limits.or_default(None, self.config.millis);
        let budget = SearchBudget::start(&limits, limits.node_limit(), task.stop).with_timers(
            task.reports.as_ref().map(|reports| reports.interval),
            task.snapshots.as_ref().map(|snapshots| snapshots.interval),
        );
        let mut spent = SearchUsage {
            budget,
            counts: NodeCounts::default(),
        };
        self.evaluator.root_player = task.root.to_move();
        let may_be_interrupted = limits.time.is_some() || limits.node_limit().is_some();
        let depth = (limits.depth.or(self.config.depth))
            .or(self.config.default_depth.filter(|_| !may_be_interrupted));
        let max_depth = depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let deepening = self.config.deepening || may_be_interrupted || depth.is_none();
        let mut guess = self
            .config
            .aspiration
            .map_or(0, |aspiration| aspiration.first_guess);
        // Until something is known, every move is as good as the first.
        let unknown = |mv: G::Move| RootMoveValue {
            mv,
            value: 0,
            nodes: 0,
            pv: vec![mv],
        };
        let mut best: Vec<RootMoveValue<G::Move>> = order.iter().map(|&mv| unknown(mv)).collect();
        let mut reached = 0;
        let mut depth = if deepening { 1 } else { max_depth };
        while depth <= max_depth {
            let mut round = self.search_with_aspiration(&task, &order, depth, guess, &mut spent);
            if !round.finished && reached == 0 {
                // Nothing can be said for the moves that were seen against those that were not. One ply takes no time.
                depth = 1;
                let budget = SearchBudget::start(&SearchLimits::default(), None, &StopFlag::new());
                let budget = std::mem::replace(&mut spent.budget, budget);
                round = self.search_with_aspiration(&task, &order, depth, guess, &mut spent);
                spent.budget = budget;
            }
            if !round.finished {
                // Time ran out. The best move of the last depth was looked at first: those that were found to be better
                // now are, but values that only failed to reach the window say nothing.
                if round.best_value() > round.floor {
                    merge_partial_iteration(&mut best, round.moves);
                }
                break;
            }
            best = round.moves;
            reached = depth;
            std::mem::swap(&mut self.current, &mut self.finished);
            // Moves that the window cut off at the root come last, in their old order.
            let seen: Vec<G::Move> = best.iter().map(|found| found.mv).collect();
            best.extend(
                order
                    .iter()
                    .filter(|mv| !seen.contains(mv))
                    .map(|&mv| RootMoveValue {
                        value: -INFINITE,
                        ..unknown(mv)
                    }),
            );
            let mut ranked: Vec<(i32, G::Move)> =
                best.iter().map(|found| (found.value, found.mv)).collect();
            ranked.sort_by_key(|&(value, _)| -value);
            order = ranked.iter().map(|&(_, mv)| mv).collect();
            guess = ranked[0].0;
            if spent.budget.is_report_due() {
                let report = self.build_report(&task, &best, depth, spent.counts);
                if let Some(reports) = &mut task.reports {
                    (reports.callback)(&report);
                }
            }
            if spent.budget.is_snapshot_due() && !self.finished.is_empty() {
                let report = self.build_report(&task, &best, depth, spent.counts);
                if let Some(snapshots) = &mut task.snapshots {
                    (snapshots.callback)(&self.finished, &report);
                }
            }
            // Deeper searches would find the same: a win, or no line that goes on.
            if guess.abs() >= MIN_WIN_VALUE || !spent.counts.reached_horizon {
                break;
            }
            depth += 1;
        }
        best.retain(|found| found.value > -INFINITE);
        let mut report = self.build_report(&task, &best, reached, spent.counts);
        let pick = self.pick_move(&task, &report, &mut rng);
        report.root_moves[..=pick].rotate_right(1);
        BestMove {
            mv: report.root_moves[0].mv,
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
    fn pick_move(
        &self,
        task: &SearchTask<'_, G>,
        report: &SearchReport<G::Move>,
        rng: &mut Rng,
    ) -> usize {
        let count = report.root_moves.len();
        if self.config.random_opening && task.root.piece_count() == 0 {
            return rng.below(count as u32) as usize;
        }
        let best = report.root_moves[0].score;
        let equal = report
            .root_moves
            .iter()
            .take_while(|root| root.score == best)
            .count();
        match self.config.tie_break {
            TieBreak::First => 0,
            TieBreak::Random => rng.below(equal as u32) as usize,
        }
    }
}

/// Puts what an unfinished iteration found in the place of what was known before.
fn merge_partial_iteration<M: PartialEq + Clone>(
    best: &mut Vec<RootMoveValue<M>>,
    found: Vec<RootMoveValue<M>>,
) {
    if found.is_empty() {
        return;
    }
    let rest: Vec<RootMoveValue<M>> = best
        .iter()
        .filter(|old| found.iter().all(|new| new.mv != old.mv))
        // Not looked at this deep: behind everything that was.
        .map(|old| RootMoveValue {
            value: -INFINITE + 1,
            ..old.clone()
        })
        .collect();
    *best = found;
    best.extend(rest);
}
