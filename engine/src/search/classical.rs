//! Depth-first searches on any of a game's evaluations: minimax and alpha-beta, at a fixed depth or with iterative deepening
//! and aspiration windows (Slate and Atkin 1977).
//!
//! A win at ply n is worth `WIN_VALUE` - n: the winner hurries, the loser delays. Where margins count it is worth the more the
//! larger its margin. Nodes are counted as in report 003, every
//! position visited below the root over all iterations; leaves as in report 004, evaluated positions and finished games.

pub use super::alpha_beta::Enhancements;
use super::{
    BestMove, Bound, CompletedDepth, Cut, LiveTree, Reward, RootMove, Search, SearchLimits,
    SearchReport, SearchTask, Searchable, StopFlag, WindowResult,
    alpha_beta::{AlphaBeta, CoreMemory, INFINITE, Table, Window},
    budget::SearchBudget,
    depth_first::{DepthFirst, DepthFirstNode, Repetitions},
    exact::ExactFrom,
    full_nodes::FullNodeCounter,
    legacy::Legacy,
    minimax::Minimax,
    tree_recorder::{MIN_WIN_VALUE, TreeRecorder, value_to_outcome, value_to_reward},
};
use std::cmp::Reverse;

use crate::{
    games::{
        Evaluation, Game, History, Outcome, Player, SearchHints,
        evaluate::{PlayerEvaluationFn, WIN_VALUE},
    },
    rng::{Rng, child_seed},
};

/// More than the margin of any win.
const MAX_MARGIN: i32 = 1_000;

/// Bound of iterative deepening, in plies.
const MAX_DEPTH: u32 = 500;

/// Choice among root moves of equal value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieBreak {
    /// The first in the order of move generation.
    #[default]
    First,
    /// A random one, determined by the seed.
    Random,
}

/// Search algorithm below the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Minimax without pruning.
    Minimax,
    /// Fail-soft alpha-beta.
    #[default]
    AlphaBeta,
}

/// An aspiration window around an expected value. A result outside the window is searched again with that side opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aspiration {
    /// Distance of alpha and beta from the expected value, in the units of the evaluation.
    pub half_width: i32,
    /// Centre of the first window; later iterations use the value of the one before.
    pub first_guess: i32,
}

/// Configuration of a classical search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassicalConfig {
    /// Search algorithm.
    pub method: Method,
    /// Maximum depth in plies under any limits; a depth limit of the request overrides it.
    pub depth: Option<u32>,
    /// Depth in plies if neither `depth` nor any limit is set; `None` for as deep as possible.
    pub default_depth: Option<u32>,
    /// Iterative deepening, with root moves sorted by their last values. Always on under a time or node limit, so that an
    /// interrupted search has a result.
    pub deepening: bool,
    /// Aspiration window of each iteration; the full window if `None`.
    pub aspiration: Option<Aspiration>,
    /// Evaluation as it was requested, `NAME` or `NAME:ARGUMENT:...`; the game's first if `None`.
    pub evaluation: Option<String>,
    /// The evaluation's arguments, parsed, in parameter order; defaults where missing.
    pub arguments: Vec<i32>,
    /// Choice among equal root moves.
    pub tie_break: TieBreak,
    /// Play a random move on an empty board, as report 003 does.
    pub random_opening: bool,
    /// Prefer large wins and small losses to quick wins and slow losses, in games where the margin counts. No parameter: the
    /// catalogue sets it for all but the reports' players.
    pub wins_by_margin: bool,
    /// When the game's exact solver takes over; none in games without one. The catalogue builds it around this search.
    pub exact_from: Option<ExactFrom>,
    /// Whether the game's exact solver is asked first on a clock; none in games that it does not solve in seconds. The catalogue builds
    /// it around this search.
    pub exact_first: Option<bool>,
    /// Seed of tie-breaks and random openings.
    pub seed: u64,
    /// Time limit in milliseconds if the request has no limit.
    pub millis: Option<u64>,
    /// Maximum number of nodes of the last iteration that are recorded for viewing.
    pub tree_nodes: usize,
    /// What alpha-beta does beyond the plain algorithm.
    pub enhancements: Enhancements,
    /// Megabytes of the transposition table, if there is one.
    pub table_mb: usize,
    /// Count the nodes of minimax for every completed depth, up to 10 million.
    pub full_nodes: bool,
    /// The program whose defects can be repeated.
    pub legacy: Legacy,
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
            wins_by_margin: false,
            exact_from: None,
            exact_first: None,
            seed: 1,
            millis: None,
            tree_nodes: 100_000,
            enhancements: Enhancements::NONE,
            table_mb: 32,
            full_nodes: false,
            legacy: Legacy::default(),
        }
    }
}

/// Node counters of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeCounts {
    pub(super) nodes: u64,
    pub(super) leaves: u64,
    /// Set when a leaf is evaluated at the depth limit; without it a deeper search finds nothing new.
    pub(super) reached_horizon: bool,
}

/// Evaluates leaves: finished games exactly, others by one of the game's evaluations.
pub(super) struct Evaluator<G: Game> {
    function: fn(&G, &[i32]) -> i32,
    player_function: Option<PlayerEvaluationFn<G>>,
    arguments: Vec<i32>,
    /// [`ClassicalConfig::wins_by_margin`].
    wins_by_margin: bool,
    /// The player to move at the root, whose side a one-sided evaluation takes at every leaf.
    pub(super) root_player: Player,
}

impl<G: Searchable> Evaluator<G> {
    /// The evaluation called `name`; the game's first if `name` is `None` or unknown.
    pub(super) fn new(name: Option<&str>, arguments: &[i32]) -> Self {
        let table = G::EVALUATIONS;
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
            wins_by_margin: false,
            root_player: Player::First,
        }
    }
}

impl<G: Game + SearchHints> Evaluator<G> {
    /// Value of a finished game for the player to move; `None` if the game continues. A third repetition is a draw.
    #[inline]
    pub(super) fn terminal_value(&self, position: &G, history: &History, ply: u32) -> Option<i32> {
        self.outcome_value(position, ply).or_else(|| {
            (position.repetition_key().is_some() && history.is_threefold(position)).then_some(0)
        })
    }

    /// Value for the player to move of a game that is finished whatever came before; `None` if it is not.
    #[inline]
    pub(super) fn outcome_value(&self, position: &G, ply: u32) -> Option<i32> {
        let winner = match position.outcome()? {
            Outcome::Draw => return Some(0),
            Outcome::Win(winner) => winner,
        };
        let value = match self.wins_by_margin {
            true => WIN_VALUE - MAX_MARGIN + position.final_margin() as i32,
            false => WIN_VALUE - ply as i32,
        };
        Some(if winner == position.to_move() {
            value
        } else {
            -value
        })
    }

    /// Whether values depend on which player searches.
    pub(super) fn is_one_sided(&self) -> bool {
        self.player_function.is_some()
    }

    /// Whether a win counts by its margin and not by its distance from the root.
    pub(super) fn counts_margins(&self) -> bool {
        self.wins_by_margin
    }

    /// [`Self::terminal_value`], or the static evaluation at depth 0; `None` for inner nodes.
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

    /// Static evaluation of an unfinished game for the player to move, clamped to less than a proven win.
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

/// A classical search.
pub struct Classical<G: Game> {
    config: ClassicalConfig,
    evaluator: Evaluator<G>,
    /// Trees of the running iteration and of the last completed one.
    current: TreeRecorder<G>,
    finished: TreeRecorder<G>,
    /// Made by the first search of a game; for the rules that it has.
    memory: Option<(CoreMemory<G>, G::Rules)>,
    completed: Vec<CompletedDepth<G::Move>>,
    searches: u64,
}

/// A root move's result in one iteration.
#[derive(Clone)]
struct RootMoveValue<M> {
    mv: M,
    /// For the player to move. Exact for the `multi_pv` best moves, an upper bound for the rest.
    value: i32,
    nodes: u64,
    pv: Vec<M>,
}

/// Root moves of one iteration, in search order.
struct IterationResult<M> {
    moves: Vec<RootMoveValue<M>>,
    /// False if the budget ran out before all moves were searched.
    finished: bool,
    /// Alpha of the root window: values up to it are upper bounds, which do not rank moves.
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

/// Budget and counters of a search.
struct SearchUsage<G: Game> {
    budget: SearchBudget,
    counts: NodeCounts,
    memory: CoreMemory<G>,
}

impl<G: Searchable> Classical<G> {
    /// A search with this configuration.
    pub fn new(config: ClassicalConfig) -> Self {
        Self {
            evaluator: Evaluator {
                wins_by_margin: config.wins_by_margin,
                ..Evaluator::new(config.evaluation.as_deref(), &config.arguments)
            },
            current: TreeRecorder::new(config.tree_nodes.max(1)),
            finished: TreeRecorder::new(config.tree_nodes.max(1)),
            memory: None,
            completed: Vec::new(),
            config,
            searches: 0,
        }
    }

    /// Searches the root moves in `order` to one depth within `window`.
    fn search_root(
        &mut self,
        task: &SearchTask<'_, G>,
        order: &[G::Move],
        depth: u32,
        window: (i32, i32),
        spent: &mut SearchUsage<G>,
    ) -> IterationResult<G::Move> {
        let SearchUsage {
            budget,
            counts,
            memory,
        } = spent;
        counts.reached_horizon = false;
        let enhancements = self.config.enhancements;
        let mut found: Vec<RootMoveValue<G::Move>> = Vec::new();
        let mut history = task.history.clone();
        let entry = self.current.start(task.root);
        let repetitions = match (enhancements.early_draws, enhancements.table) {
            (true, _) => Repetitions::SecondIsDraw(history.mark()),
            (false, true) => Repetitions::ThirdIsDrawTracked,
            (false, false) => Repetitions::ThirdIsDraw,
        };
        let root = DepthFirstNode {
            position: task.root,
            depth,
            ply: 0,
            handle: entry,
            is_repetition: false,
            repeated: match repetitions {
                Repetitions::ThirdIsDraw => 0,
                _ => history.repeated_key(),
            },
            is_threatened: false,
            is_after_pass: false,
        };
        let begun = counts.nodes;
        for (index, &mv) in order.iter().enumerate() {
            let before = counts.nodes;
            let state = DepthFirst {
                evaluator: &self.evaluator,
                budget,
                history: &mut history,
                recorder: &mut self.current,
                counts,
                repetitions,
            };
            let answer = match self.config.method {
                Method::Minimax => Minimax { state }.search_move(&root, mv),
                Method::AlphaBeta => {
                    // The `multi_pv` best moves get exact values. A random tie-break must also tell equals of the last of them
                    // from worse moves, so alpha is one lower.
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
                        state.recorder.record_pruned(entry, &order[index..]);
                        break;
                    }
                    let mut search = AlphaBeta {
                        state,
                        enhancements,
                        memory,
                        root_depth: depth,
                    };
                    let index = found.len().saturating_sub(task.multi_pv.max(1) - 1);
                    let window = Window {
                        alpha,
                        beta: window.1,
                    };
                    let value = search.search_move(&root, mv, (index, false), window);
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
        let value = round.best_value();
        self.current.leave(entry, value, task.root.to_move(), nodes);
        let (alpha, beta) = window;
        self.current.record_window(entry, || WindowResult {
            value: Some(value),
            alpha: Some(alpha).filter(|&alpha| alpha > -INFINITE),
            beta: Some(beta).filter(|&beta| beta < INFINITE),
            bound: Bound::of(value, alpha, beta),
            cut: if value >= beta { Cut::Beta } else { Cut::None },
            depth,
        });
        round
    }

    /// Searches one depth with an aspiration window around `guess`. A result outside opens that side and searches again.
    fn search_with_aspiration(
        &mut self,
        task: &SearchTask<'_, G>,
        order: &[G::Move],
        depth: u32,
        guess: i32,
        spent: &mut SearchUsage<G>,
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
        spent: &SearchUsage<G>,
    ) -> SearchReport<G::Move> {
        let counts = spent.counts;
        let table = spent.memory.table.as_ref();
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
            memory_bytes: table.map_or(0, |table| table.stored() * Table::ENTRY_BYTES),
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
            memory: self.take_memory(task.root.rules()),
        };
        self.evaluator.root_player = task.root.to_move();
        let may_be_interrupted = limits.time.is_some() || limits.node_limit().is_some();
        let depth = (limits.depth.or(self.config.depth))
            .or(self.config.default_depth.filter(|_| !may_be_interrupted));
        let max_depth = depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let deepening = self.config.deepening || may_be_interrupted || depth.is_none();
        if self.config.enhancements.move_order {
            order.sort_by_cached_key(|&mv| Reverse(task.root.move_order(mv, max_depth)));
        }
        let mut guess = self
            .config
            .aspiration
            .map_or(0, |aspiration| aspiration.first_guess);
        // Result of a move before the first completed iteration.
        let unknown = |mv: G::Move| RootMoveValue {
            mv,
            value: 0,
            nodes: 0,
            pv: vec![mv],
        };
        let mut best: Vec<RootMoveValue<G::Move>> = order.iter().map(|&mv| unknown(mv)).collect();
        let may_stop_early = task.pacing.allows_early_stop(&limits);
        self.completed.clear();
        let mut reached = 0;
        let mut depth = if deepening { 1 } else { max_depth };
        while depth <= max_depth {
            let nodes_before = spent.counts.nodes;
            let mut round = self.search_with_aspiration(&task, &order, depth, guess, &mut spent);
            if !round.finished && reached == 0 {
                // An incomplete first iteration cannot rank searched against unsearched moves. Depth 1 without limits can, and
                // takes no time.
                depth = 1;
                let budget = SearchBudget::start(&SearchLimits::default(), None, &StopFlag::new());
                let budget = std::mem::replace(&mut spent.budget, budget);
                round = self.search_with_aspiration(&task, &order, depth, guess, &mut spent);
                spent.budget = budget;
            }
            if !round.finished {
                // Interrupted. The best move of the last iteration was searched first, so a better value is a real improvement;
                // values that failed low are no evidence.
                if round.best_value() > round.floor {
                    merge_partial_iteration(&mut best, round.moves);
                }
                break;
            }
            best = round.moves;
            reached = depth;
            std::mem::swap(&mut self.current, &mut self.finished);
            // Moves behind a beta cutoff at the root come last, in their old order.
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
            self.completed.push(CompletedDepth {
                depth,
                value: guess,
                nodes: spent.counts.nodes - nodes_before,
                full_nodes: None,
                best: order[0],
            });
            if deepening && task.depths.is_some() {
                let report = self.build_report(&task, &best, depth, &spent);
                if let Some(depths) = &mut task.depths {
                    (depths.callback)(&self.finished, &report);
                }
            }
            if spent.budget.is_report_due() {
                let report = self.build_report(&task, &best, depth, &spent);
                if let Some(reports) = &mut task.reports {
                    (reports.callback)(&report);
                }
            }
            if spent.budget.is_snapshot_due() && !self.finished.is_empty() {
                let report = self.build_report(&task, &best, depth, &spent);
                if let Some(snapshots) = &mut task.snapshots {
                    (snapshots.callback)(&self.finished, &report);
                }
            }
            // A deeper search cannot change the result: it is proven, or no leaf was cut off by the depth.
            // A line that was extended may be longer than the shortest win.
            let is_proven = guess.abs() >= MIN_WIN_VALUE
                && !self.config.wins_by_margin
                && WIN_VALUE - guess.abs() <= depth as i32;
            if is_proven || !spent.counts.reached_horizon {
                break;
            }
            // Nothing is left to choose: the values of the others are upper bounds, and all are losses.
            if may_stop_early
                && ranked
                    .iter()
                    .skip(1)
                    .all(|&(value, _)| value <= -MIN_WIN_VALUE)
            {
                break;
            }
            depth += 1;
        }
        best.retain(|found| found.value > -INFINITE);
        let mut report = self.build_report(&task, &best, reached, &spent);
        self.memory = Some((spent.memory, task.root.rules()));
        self.count_full_nodes(&task);
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

    fn completed_depths(&self) -> &[CompletedDepth<G::Move>] {
        &self.completed
    }

    fn clear(&mut self) {
        self.searches = 0;
        self.memory = None;
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
    /// The memory of the last search if it was of a game under the same rules, ready for the next search.
    fn take_memory(&mut self, rules: G::Rules) -> CoreMemory<G> {
        let kept = self.memory.take().filter(|(_, known)| *known == rules);
        let mut memory = kept.map_or_else(
            || CoreMemory::new(&self.config.enhancements, self.config.table_mb),
            |(memory, _)| memory,
        );
        memory.begin_search();
        memory
    }

    /// Counts what minimax would visit at the completed depths, as far as that was asked for and is within reach.
    fn count_full_nodes(&mut self, task: &SearchTask<'_, G>) {
        // A search among some moves only is not compared.
        if !self.config.full_nodes || task.search_moves.is_some() {
            return;
        }
        let mut counter = FullNodeCounter::new(task.history, task.stop);
        for completed in &mut self.completed {
            completed.full_nodes = counter.count(task.root, completed.depth);
            if completed.full_nodes.is_none() {
                break;
            }
        }
    }

    /// Index of the ranked move to play: random on an empty board if configured, else by the tie-break.
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

/// Replaces the results of the last complete iteration by those of an interrupted one.
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
        // Not searched to this depth: rank behind all that were.
        .map(|old| RootMoveValue {
            value: -INFINITE + 1,
            ..old.clone()
        })
        .collect();
    *best = found;
    best.extend(rest);
}
