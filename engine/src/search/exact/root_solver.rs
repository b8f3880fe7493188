//! The moves of a root position by an exact solver, as a search reports them.

use super::{Exact, ExactValue, SolveContext};
use crate::{
    games::Game,
    search::{
        BestMove, LiveTree, Reward, RootMove, SearchLimits, SearchReport, SearchTask, Searchable,
        random::allowed_moves, tree_recorder::TreeRecorder,
    },
};

/// Nodes of the tree of a solved position: the root, its moves and the best line.
const MAX_TREE_NODES: usize = 4096;

/// Makes a solver for a game under these rules.
pub type NewSolver<G> = dyn Fn(<G as Game>::Rules) -> Box<dyn Exact<G>> + Send;

/// A solver that is created when it is first needed, and the tree of what it solved last.
pub(super) struct RootSolver<G: Game> {
    new_solver: Box<NewSolver<G>>,
    /// The solver and the rules it is for; none before the first search.
    solver: Option<(G::Rules, Box<dyn Exact<G>>)>,
    /// The tree of the last position that was solved.
    tree: TreeRecorder<G>,
}

impl<G: Searchable> RootSolver<G> {
    pub(super) fn new(new_solver: Box<NewSolver<G>>) -> Self {
        Self {
            new_solver,
            solver: None,
            tree: TreeRecorder::new(MAX_TREE_NODES),
        }
    }

    pub(super) fn clear(&mut self) {
        if let Some((_, solver)) = &mut self.solver {
            solver.clear();
        }
    }

    /// The tree of the last position that was solved; none if there was none.
    pub(super) fn tree(&self) -> Option<&dyn LiveTree<G>> {
        (!self.tree.is_empty()).then_some(&self.tree)
    }

    /// What the solver's scores count; empty if there is nothing to say.
    pub(super) fn score_convention(&self) -> &'static str {
        self.solver
            .as_ref()
            .map_or("", |(_, solver)| solver.score_convention())
    }

    /// The best moves first with their values, and the line of the best one; none if a limit was reached before the best move
    /// was known.
    pub(super) fn solve(
        &mut self,
        task: &SearchTask<'_, G>,
        limits: &SearchLimits,
    ) -> Option<SolvedRoot<G>> {
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
        let mut context = SolveContext::start(limits, task.stop, None, &mut on_progress);
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
        let solved = SolvedRoot {
            ranked,
            line,
            nodes: solver.nodes() - nodes_before,
        };
        self.record(task.root, &solved);
        Some(solved)
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
pub(super) struct SolvedRoot<G: Game> {
    /// Moves and their values for the player to move, best first.
    pub(super) ranked: Vec<(G::Move, ExactValue)>,
    /// The best move and best play after it.
    line: Vec<G::Move>,
    pub(super) nodes: u64,
}

impl<G: Searchable> SolvedRoot<G> {
    /// The answer of a search of `root`.
    pub(super) fn into_best_move(self, root: &G) -> Option<BestMove<G::Move>> {
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
