//! stand-in
use super::solver_cache::{CachedSolver, SolverCache};
use crate::{
    games::Playable,
    search::exact::{Exact, ExactValue, SolveContext},
};
struct Nothing;
impl<G: Playable> Exact<G> for Nothing {
    fn value(&mut self, _: &G, _: &mut SolveContext<'_>) -> Option<ExactValue> {
        None
    }
    fn nodes(&self) -> u64 {
        0
    }
    fn clear(&mut self) {}
}
/// stand-in
pub fn solver<G: Playable>(_: G::Rules, _: usize, _: usize) -> Box<dyn Exact<G>> {
    Box::new(Nothing)
}

/// [`solver`] with a cache, if there is one.
pub fn cached_solver<G: Playable>(
    rules: G::Rules,
    memory: usize,
    threads: usize,
    cache: Option<SolverCache>,
) -> Box<dyn Exact<G>> {
    let solver = solver::<G>(rules, memory, threads);
    match cache {
        Some(cache) => Box::new(CachedSolver::new(solver, rules, cache)),
        None => solver,
    }
}
