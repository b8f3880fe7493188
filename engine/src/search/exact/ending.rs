//! A search that leaves endings to the game's exact solver.

use std::time::Duration;

use super::root_solver::{NewSolver, RootSolver};
use crate::{
    games::{EndingFacts, Game},
    search::{
        BestMove, CompletedDepth, LiveTree, Search, SearchLimits, SearchTask, Searchable,
        Shortfall, budget::Stopwatch,
    },
};

/// The time in which endings of one empty square more than [`EndingFacts::quick`] are left to the solver; it doubles with every
/// further square, as the solver's does.
const MIN_TIME_BEYOND_QUICK: Duration = Duration::from_millis(100);

/// From when on a search leaves the choice of a move to the exact solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExactFrom {
    /// The game's [`EndingFacts::quick`]; under a clock alone as many as it has time for, up to [`EndingFacts::slow`].
    Auto,
    /// With so many empty squares or fewer; 0 for never.
    EmptySquares(u32),
    /// Under a clock alone, whatever squares are empty.
    Clock,
}

impl ExactFrom {
    /// The empty squares up to which the solver is asked under these limits.
    pub fn empty_squares(self, endings: EndingFacts, limits: &SearchLimits) -> u32 {
        let is_counted = limits.node_limit().is_some() || limits.depth.is_some();
        match (self, limits.time) {
            (Self::EmptySquares(count), _) => count,
            (Self::Clock, Some(_)) if !is_counted => u32::MAX,
            (Self::Clock, _) => 0,
            (Self::Auto, Some(time)) if !is_counted => {
                let is_affordable =
                    |more: &u32| time >= MIN_TIME_BEYOND_QUICK.saturating_mul(1 << (more - 1));
                let more = endings.slow.saturating_sub(endings.quick).min(16);
                endings.quick + (1..=more).filter(is_affordable).count() as u32
            }
            (Self::Auto, _) => endings.quick,
        }
    }
}

/// A search that asks the solver where few enough squares are empty. A position that the solver cannot solve in half of the time
/// is searched in the rest.
pub struct ExactEnding<G: Game> {
    search: Box<dyn Search<G>>,
    solver: RootSolver<G>,
    from: ExactFrom,
    endings: EndingFacts,
    last: LastAnswer,
}

/// Who answered last.
enum LastAnswer {
    /// The search, which was not too late in the game.
    Search,
    /// The solver, with a remark on it.
    Solver(String),
    /// The search, because the solver ran out of time; with a remark on it.
    SearchAfterSolver(String),
}

impl<G: Searchable> ExactEnding<G> {
    /// `search` with a solver that `new_solver` makes for the endings.
    pub fn new(
        search: Box<dyn Search<G>>,
        new_solver: Box<NewSolver<G>>,
        from: ExactFrom,
        endings: EndingFacts,
    ) -> Self {
        Self {
            search,
            solver: RootSolver::new(new_solver),
            from,
            endings,
            last: LastAnswer::Search,
        }
    }

    /// The solver's answer, if it is asked and has one.
    fn solve(&mut self, task: &SearchTask<'_, G>) -> Option<BestMove<G::Move>> {
        self.last = LastAnswer::Search;
        let empty = self.endings.empty_squares(task.root.piece_count());
        let most = self.from.empty_squares(self.endings, task.limits);
        if empty > most || most == 0 {
            return None;
        }
        let limits = SearchLimits {
            time: task.limits.time.map(|time| time / 2),
            ..SearchLimits::default()
        };
        let Some(solved) = self.solver.solve(task, &limits) else {
            let remark = match self.from {
                ExactFrom::Clock => "exact: not solved in the time".to_owned(),
                _ => format!("exact: {empty} empty squares were too many for the time"),
            };
            self.last = LastAnswer::SearchAfterSolver(remark);
            return None;
        };
        let value = solved.ranked.first()?.1;
        let nodes = solved.nodes;
        let convention = match self.solver.score_convention() {
            "" => String::new(),
            words => format!(" ({words})"),
        };
        let remark = match self.from {
            ExactFrom::Clock => format!("exact {value}{convention}, {nodes} nodes"),
            _ => format!("exact {value}{convention}, {empty} empty squares, {nodes} nodes"),
        };
        self.last = LastAnswer::Solver(remark);
        solved.into_best_move(task.root)
    }
}

impl<G: Searchable> Search<G> for ExactEnding<G> {
    fn search(&mut self, task: SearchTask<'_, G>) -> BestMove<G::Move> {
        let stopwatch = Stopwatch::start();
        if let Some(best) = self.solve(&task) {
            return best;
        }
        if matches!(self.last, LastAnswer::Search) {
            return self.search.search(task);
        }
        let elapsed = stopwatch.elapsed();
        let limits = task.limits.after(elapsed);
        let pacing = task.pacing.after(elapsed);
        self.search.search(SearchTask {
            pacing,
            ..task.with_limits(&limits)
        })
    }

    fn advance(&mut self, mv: G::Move) {
        self.search.advance(mv);
    }

    fn clear(&mut self) {
        self.solver.clear();
        self.search.clear();
    }

    fn reseed(&mut self, seed: u64) {
        self.search.reseed(seed);
    }

    fn remark(&self) -> Option<String> {
        match &self.last {
            LastAnswer::Solver(remark) => Some(remark.clone()),
            LastAnswer::SearchAfterSolver(remark) => {
                self.search.remark().or_else(|| Some(remark.clone()))
            }
            LastAnswer::Search => self.search.remark(),
        }
    }

    fn shortfalls(&self) -> Vec<Shortfall> {
        self.search.shortfalls()
    }

    fn completed_depths(&self) -> &[CompletedDepth<G::Move>] {
        match self.last {
            LastAnswer::Solver(_) => &[],
            LastAnswer::Search | LastAnswer::SearchAfterSolver(_) => self.search.completed_depths(),
        }
    }

    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        match self.last {
            LastAnswer::Solver(_) => self.solver.tree(),
            LastAnswer::Search | LastAnswer::SearchAfterSolver(_) => self.search.tree(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDINGS: EndingFacts = EndingFacts {
        squares: 64,
        quick: 12,
        slow: 16,
    };

    fn time(millis: u64) -> SearchLimits {
        SearchLimits {
            time: Some(Duration::from_millis(millis)),
            ..SearchLimits::default()
        }
    }

    #[test]
    fn counted_limits_have_a_fixed_ending_and_clocks_one_by_time() {
        let counted = [
            SearchLimits::default(),
            SearchLimits::iterations(5),
            SearchLimits::depth(3),
            SearchLimits {
                nodes: Some(1),
                ..time(60_000)
            },
        ];
        for limits in counted {
            assert_eq!(ExactFrom::Auto.empty_squares(ENDINGS, &limits), 12);
        }
        for limits in counted {
            assert_eq!(ExactFrom::Clock.empty_squares(ENDINGS, &limits), 0);
        }
        assert!(ExactFrom::Clock.empty_squares(ENDINGS, &time(1)) > 64);
        for (millis, expected) in [
            (1, 12),
            (99, 12),
            (100, 13),
            (399, 14),
            (400, 15),
            (800, 16),
            (u64::MAX, 16),
        ] {
            let limits = time(millis);
            assert_eq!(ExactFrom::Auto.empty_squares(ENDINGS, &limits), expected);
            assert_eq!(
                ExactFrom::EmptySquares(9).empty_squares(ENDINGS, &limits),
                9
            );
        }
    }
}
