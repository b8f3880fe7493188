//! The exact solver of each game.

use std::{
    any::{Any, TypeId},
    io,
};

use super::solver_cache::{CachedSolver, SolverCache};
use crate::{
    games::{Playable, connect_four::ConnectFour, delta::Delta},
    search::{
        connect_four::solver::ConnectFourSolver,
        delta::{CertificateError, CertificateSummary, DeltaSolver},
        exact::{Exact, SolveContext, generic::GenericSolver},
    },
};

/// The solver of `G`, which takes at most `memory` bytes: the game's own if it has one, else the one for all games. Solvers that
/// can share the work use up to `threads` threads.
pub fn solver<G: Playable>(rules: G::Rules, memory: usize, threads: usize) -> Box<dyn Exact<G>> {
    let special = [
        special::<G, ConnectFour>(rules, |()| {
            Box::new(ConnectFourSolver::with_memory(memory, threads))
        }),
        special::<G, Delta>(rules, |rules| Box::new(DeltaSolver::new(rules, memory))),
    ];
    (special.into_iter().flatten().next())
        .unwrap_or_else(|| Box::new(GenericSolver::<G>::new(rules, memory)))
}

/// The solver that `create` makes for the game `Only`, if `G` is that game.
fn special<G: Playable, Only: Playable>(
    rules: G::Rules,
    create: impl FnOnce(Only::Rules) -> Box<dyn Exact<Only>>,
) -> Option<Box<dyn Exact<G>>> {
    if TypeId::of::<G>() != TypeId::of::<Only>() {
        return None;
    }
    let rules = *(&rules as &dyn Any).downcast_ref::<Only::Rules>()?;
    let solver: Box<dyn Any> = Box::new(create(rules));
    solver.downcast().ok().map(|solver| *solver)
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

/// Writes a winning strategy for `position` that can be checked without a solver; `None` if the game's solver writes none.
pub fn write_certificate<G: Playable>(
    position: &G,
    memory: usize,
    context: &mut SolveContext<'_>,
    out: &mut dyn io::Write,
) -> Option<Result<CertificateSummary, CertificateError>> {
    let position = (position as &dyn Any).downcast_ref::<Delta>()?;
    let mut solver = DeltaSolver::new(crate::games::Game::rules(position), memory);
    Some(solver.write_certificate(position, context, out))
}
