//! The perfect player: plays by the values of an exact solver, and leaves what is out of its reach to another search.

use std::time::Duration;

use super::{Exact, ExactValue, SolveContext};
use crate::{
    games::Game,
    search::{
        BestMove, LiveTree, ReportCallback, Reward, RootMove, Search, SearchLimits, SearchReport,
        SearchTask, Searchable, Shortfall, SnapshotCallback, budget::Stopwatch,
        random::allowed_moves, tree_recorder::TreeRecorder,
    },
};

/// Nodes a solver may look at under a limit that says nothing about solvers, such as a depth.
const DEFAULT_MAX_NODES: u64 = 1_000_000;

/// Nodes a solver may look at in a search without limits, so that the fallback gets its turn before the search is stopped.
const UNLIMITED_MAX_NODES: u64 = 50_000_000;

/// Iterations of the fallback in a search without limits.
const UNLIMITED_ITERATIONS: u64 = 100_000;

/// Nodes of the tree of a solved position: the root, its moves and the best line.
const MAX_TREE_NODES: usize = 4096;

/// Makes a solver for a game under these rules.
pub type NewSolver<G> = dyn Fn(<G as Game>::Rules) -> Box<dyn Exact<G>> + Send;

/// Plays a move of the best value. A position that the solver cannot solve in two thirds of the time is searched by `fallback`
/// in the rest.
pub struct ExactPlayer<G: Game> {
    new_solver: Box<NewSolver<G>>,
    /// The solver and the rules it is for; none before the first search.
    solver: Option<(G::Rules, Box<dyn Exact<G>>)>,
    fallback: Box<dyn Search<G>>,
    fallback_name: &'static str,
    /// The tree of the last position, if it was solved.
    tree: TreeRecorder<G>,
    /// Whether the last position was left to the fallback.
    was_unsolved: bool,
}

impl<G: Searchable> ExactPlayer<G> {
    /// A player by the solver that `new_solver` makes; `fallback` is called `fallback_name` in remarks.
    pub fn new(
        new_solver: Box<NewSolver<G>>,
        fallback: Box<dyn Search<G>>,
        fallback_name: &'static str,
    ) -> Self {
        Self {
            new_solver,
            solver: None,
            fallback,
            fallback_name,
            tree: TreeRecorder::new(MAX_TREE_NODES),
            was_unsolved: false,
        }
    }

    /// The best moves first with their values, and the line of the best one; none if a limit was reached before the best move
    /// was known.
    fn solve(&mut self, task: &SearchTask<'_, G>) -> Option<SolvedRoot<G>> {
        let limits = SearchLimits {
            time: task.limits.time.map(|time| time * 2 / 3),
            nodes: task.limits.node_limit().or(match task.limits.time {
                Some(_) => None,
                None if *task.limits == SearchLimits::default() => Some(UNLIMITED_MAX_NODES),
                None => Some(DEFAULT_MAX_NODES),
            }),
            ..SearchLimits::default()
        };
        let rules = task.root.rules();
        if self
            .solver
            .as_ref()
            .is_none_or(|(known, _)| *known != rules)
        {
            self.solver = Some((rules, (self.new_solver)(rules)));
        }
        let (_, solver) = self.solver.as_mut()?;
        let nodes_before = solver.nodes();
        let mut on_progress = |_| ();
        let mut context = SolveContext::start(&limits, task.stop, None, &mut on_progress);
        let root_value = solver.value(task.root, &mut context)?;
        let allowed = allowed_moves(task);
        let mut values = solver.values(task.root, &mut context);
        values.retain(|(mv, _)| allowed.contains(mv));
        let is_complete = values.iter().all(|(_, value)| value.is_some());
        let mut ranked: Vec<(G::Move, ExactValue)> = values
            .into_iter()
            .filter_map(|(mv, value)| Some((mv, value?)))
            .collect();
        ranked.sort_by_key(|(_, value)| std::cmp::Reverse(value.rank()));
        let &(best, value) = ranked.first()?;
        // With moves missing, the best one is known if it is worth as much as the position.
        if !is_complete && value.class < root_value.class {
            return None;
        }
        let mut after = task.root.clone();
        after.play(best);
        let mut line = vec![best];
        line.extend(solver.best_line(&after, &mut context));
        Some(SolvedRoot {
            ranked,
            line,
            nodes: solver.nodes() - nodes_before,
        })
    }

    /// The tree of a solved position: every move with its result, and the best line.
    fn record(&mut self, root: &G, solved: &SolvedRoot<G>) {
        let mover = root.to_move();
        let top = self.tree.start(root);
        let outcome = |value: &ExactValue| value.class.to_outcome(mover);
        let mut visits = 1;
        for (index, (mv, value)) in solved.ranked.iter().enumerate() {
            let line: &[G::Move] = if index == 0 { &solved.line } else { &[*mv] };
            let mut entry = top;
            for (&mv, rest) in line.iter().zip((1..=line.len() as u64).rev()) {
                entry = self.tree.enter(entry, mv);
                self.tree.record_proven(entry, outcome(value), rest);
            }
            visits += line.len() as u64;
        }
        if let Some((_, best)) = solved.ranked.first() {
            self.tree.record_proven(top, outcome(best), visits);
        }
    }
}

/// What a solver said about the root.
struct SolvedRoot<G: Game> {
    /// Moves and their values for the player to move, best first.
    ranked: Vec<(G::Move, ExactValue)>,
    /// The best move and best play after it.
    line: Vec<G::Move>,
    nodes: u64,
}

impl<G: Searchable> SolvedRoot<G> {
    fn into_best_move(self, root: &G) -> Option<BestMove<G::Move>> {
        let mover = root.to_move();
        let best = self.ranked.first()?.0;
        let root_moves: Vec<RootMove<G::Move>> = (self.ranked.iter())
            .map(|(mv, value)| {
                let outcome = value.class.to_outcome(mover);
                RootMove {
                    mv: *mv,
                    visits: 1,
                    value: Reward::from_outcome(outcome),
                    score: None,
                    proven: Some(outcome),
                    pv: if *mv == best {
                        self.line.clone()
                    } else {
                        vec![*mv]
                    },
                }
            })
            .collect();
        Some(BestMove {
            mv: best,
            report: SearchReport {
                iterations: 0,
                nodes: self.nodes,
                leaves: 0,
                depth: self.line.len() as u32,
                value: root_moves.first().map_or(Reward::EVEN, |best| best.value),
                root_moves,
                stored_moves: 0,
                memory_bytes: 0,
                memory_full: false,
            },
        })
    }
}

impl<G: Searchable> Search<G> for ExactPlayer<G> {
    fn search(&mut self, task: SearchTask<'_, G>) -> BestMove<G::Move> {
        let stopwatch = Stopwatch::start();
        let solved = self.solve(&task);
        self.was_unsolved = solved.is_none();
        if let Some(solved) = solved {
            self.record(task.root, &solved);
            if let Some(best) = solved.into_best_move(task.root) {
                return best;
            }
        }
        let limits = SearchLimits {
            time: task.limits.time.map(|time| {
                time.saturating_sub(stopwatch.elapsed())
                    .max(Duration::from_millis(1))
            }),
            ..task.limits.or_default(Some(UNLIMITED_ITERATIONS), None)
        };
        self.fallback.search(SearchTask {
            search_moves: task.search_moves,
            multi_pv: task.multi_pv,
            reports: task.reports.map(ReportCallback::shorten_lifetime),
            snapshots: task.snapshots.map(SnapshotCallback::shorten_lifetime),
            observer: task.observer,
            ..SearchTask::new(task.root, task.history, &limits, task.stop)
        })
    }

    fn advance(&mut self, mv: G::Move) {
        self.fallback.advance(mv);
    }

    fn clear(&mut self) {
        if let Some((_, solver)) = &mut self.solver {
            solver.clear();
        }
        self.fallback.clear();
    }

    fn reseed(&mut self, seed: u64) {
        self.fallback.reseed(seed);
    }

    fn remark(&self) -> Option<String> {
        self.was_unsolved.then(|| {
            let name = self.fallback_name;
            format!("the position was not solved within the limits: searched with {name}")
        })
    }

    fn shortfalls(&self) -> Vec<Shortfall> {
        self.fallback.shortfalls()
    }

    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        if self.was_unsolved {
            self.fallback.tree()
        } else {
            (!self.tree.is_empty()).then_some(&self.tree)
        }
    }
}
