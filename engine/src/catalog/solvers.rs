//! The exact solver of each game.

use std::{
    any::{Any, TypeId},
    io,
    sync::Arc,
};

use super::solver_cache::{CachedSolver, SolverCache};
use crate::{
    games::{
        Playable, chess::Chess, connect_four::ConnectFour, delta::Delta, kalah::Kalah,
        othello::Othello,
    },
    rng::Rng,
    search::{
        chess::{self, ChessSolver, TableStore},
        connect_four::solver::ConnectFourSolver,
        delta::{CertificateError, CertificateSummary, DeltaSolver},
        exact::{Exact, SolveContext, generic::GenericSolver},
        kalah::KalahSolver,
        othello::endgame::{EmptySquares, OthelloSolver},
    },
};

/// What a solver may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverConfig {
    /// Bytes, never exceeded.
    pub memory_bytes: usize,
    /// Threads, in solvers that can share the work.
    pub threads: usize,
    /// Whether values of the first plies are taken from the embedded book, in games that have one.
    pub uses_book: bool,
    /// Whether empty squares at the end count for the winner, in the scores of games that count squares; else for nobody.
    pub empties_to_winner: bool,
}

impl SolverConfig {
    /// One thread and no book: the solver itself.
    pub fn plain(memory_bytes: usize) -> Self {
        Self {
            memory_bytes,
            threads: 1,
            uses_book: false,
            empties_to_winner: false,
        }
    }
}

/// The solver of `G`: the game's own if it has one, else the one for all games.
pub fn solver<G: Playable>(rules: G::Rules, config: SolverConfig) -> Box<dyn Exact<G>> {
    solver_with_tables(rules, config, None)
}

/// [`solver`], with a store for the tables that it makes.
fn solver_with_tables<G: Playable>(
    rules: G::Rules,
    config: SolverConfig,
    tables: Option<Arc<dyn TableStore>>,
) -> Box<dyn Exact<G>> {
    let SolverConfig {
        memory_bytes: memory,
        threads,
        uses_book,
        empties_to_winner,
    } = config;
    let empty_squares = if empties_to_winner {
        EmptySquares::ToWinner
    } else {
        EmptySquares::ToNobody
    };
    let special = [
        special::<G, ConnectFour>(rules, |()| {
            let solver = ConnectFourSolver::with_memory(memory, threads);
            Box::new(if uses_book {
                solver.with_book()
            } else {
                solver
            })
        }),
        special::<G, Delta>(rules, |rules| Box::new(DeltaSolver::new(rules, memory))),
        special::<G, Kalah>(rules, |rules| {
            Box::new(KalahSolver::new(rules, memory, threads))
        }),
        special::<G, Chess>(rules, |rules| {
            Box::new(ChessSolver::new(rules, memory, tables))
        }),
        special::<G, Othello>(rules, |()| {
            Box::new(OthelloSolver::with_memory(memory, empty_squares))
        }),
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
    config: SolverConfig,
    cache: Option<SolverCache>,
) -> Box<dyn Exact<G>> {
    let Some(cache) = cache else {
        return solver::<G>(rules, config);
    };
    let solver = solver_with_tables::<G>(rules, config, Some(Arc::new(cache.clone())));
    let kind = config.empties_to_winner.then_some("empties-to-winner");
    Box::new(CachedSolver::new(solver, rules, kind, cache))
}

/// A random position with so many men, in games whose endings with few men have tables of their own.
pub fn random_ending<G: Playable>(rules: G::Rules, men: usize, rng: &mut Rng) -> Option<G> {
    let rules = (&rules as &dyn Any).downcast_ref().copied()?;
    let position: Box<dyn Any> = Box::new(chess::random_ending(rules, men, rng)?);
    position.downcast().ok().map(|position| *position)
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
