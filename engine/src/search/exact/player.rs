//! The perfect player: plays by the values of an exact solver, and leaves what is out of its reach to another search.

use std::time::Duration;

use super::root_solver::{NewSolver, RootSolver};
use crate::{
    games::Game,
    search::{
        BestMove, LiveTree, Search, SearchLimits, SearchTask, Searchable, Shortfall,
        budget::Stopwatch, random::allowed_moves,
    },
};

/// Nodes a solver may look at under a limit that says nothing about solvers, such as a depth.
const DEFAULT_MAX_NODES: u64 = 1_000_000;

/// Nodes a solver may look at in a search without limits, so that the fallback gets its turn before the search is stopped.
const UNLIMITED_MAX_NODES: u64 = 50_000_000;

/// Iterations of the fallback in a search without limits.
const UNLIMITED_ITERATIONS: u64 = 100_000;

/// Time for the value of a forced move that may be answered early.
const FORCED_MOVE_TIME: Duration = Duration::from_millis(10);

/// Plays a move of the best value. A position that the solver cannot solve in two thirds of the time is searched by `fallback`
/// in the rest.
pub struct ExactPlayer<G: Game> {
    solver: RootSolver<G>,
    fallback: Box<dyn Search<G>>,
    fallback_name: &'static str,
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
            solver: RootSolver::new(new_solver),
            fallback,
            fallback_name,
            was_unsolved: false,
        }
    }
}

/// The part of a search's limits that the solver may use.
fn solver_limits<G: Searchable>(task: &SearchTask<'_, G>) -> SearchLimits {
    let limits = task.limits;
    let is_forced = task.pacing.allows_early_stop(limits) && allowed_moves(task).len() == 1;
    let max_time = if is_forced {
        FORCED_MOVE_TIME
    } else {
        Duration::MAX
    };
    SearchLimits {
        time: limits.time.map(|time| max_time.min(time * 2 / 3)),
        nodes: limits.node_limit().or(match limits.time {
            Some(_) => None,
            None if *limits == SearchLimits::default() => Some(UNLIMITED_MAX_NODES),
            None => Some(DEFAULT_MAX_NODES),
        }),
        ..SearchLimits::default()
    }
}

impl<G: Searchable> Search<G> for ExactPlayer<G> {
    fn search(&mut self, task: SearchTask<'_, G>) -> BestMove<G::Move> {
        let stopwatch = Stopwatch::start();
        let solved = self.solver.solve(&task, &solver_limits(&task));
        self.was_unsolved = solved.is_none();
        if let Some(best) = solved.and_then(|solved| solved.into_best_move(task.root)) {
            return best;
        }
        let elapsed = stopwatch.elapsed();
        let limits = task
            .limits
            .or_default(Some(UNLIMITED_ITERATIONS), None)
            .after(elapsed);
        let pacing = task.pacing.after(elapsed);
        self.fallback.search(SearchTask {
            pacing,
            ..task.with_limits(&limits)
        })
    }

    fn advance(&mut self, mv: G::Move) {
        self.fallback.advance(mv);
    }

    fn clear(&mut self) {
        self.solver.clear();
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
            self.solver.tree()
        }
    }
}
