//! The solver of a session, and its work on the session's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{
    SessionEvent, SessionEventSink, SolveRequest, SolverResources, search_job::panic_text, solution,
};
use crate::{catalog::solvers, games::Playable, search::exact::Exact};

/// A solver and the resources it was created with.
pub(super) struct SessionSolver<G: Playable> {
    resources: SolverResources,
    solver: Box<dyn Exact<G>>,
}

/// Solves `position`, sends the answer and the end of the task, and returns the solver; none if it panicked. `known` is used if it
/// has the right resources.
pub(super) fn run<G: Playable>(
    known: Option<SessionSolver<G>>,
    position: &G,
    request: &SolveRequest,
    resources: SolverResources,
    emit: &SessionEventSink,
) -> Option<SessionSolver<G>> {
    let ask = |solver: &mut dyn Exact<G>| solution::solve(solver, position, request, &mut |_| ());
    let (found, solver) = consult(known, position.rules(), resources, emit, ask);
    emit(SessionEvent::Solved(Box::new(found.unwrap_or_default())));
    emit(SessionEvent::Done(None));
    solver
}

/// Asks a solver with these resources, `known` if it has them, and returns the answer and the solver; neither if it panicked.
pub(super) fn consult<G: Playable, T>(
    known: Option<SessionSolver<G>>,
    rules: G::Rules,
    resources: SolverResources,
    emit: &SessionEventSink,
    ask: impl FnOnce(&mut dyn Exact<G>) -> T,
) -> (Option<T>, Option<SessionSolver<G>>) {
    let work = || {
        let mut solver = match known {
            Some(known) if known.resources == resources => known.solver,
            _ => {
                let SolverResources { config, cache } = resources.clone();
                solvers::cached_solver::<G>(rules, config, cache)
            }
        };
        let answer = ask(&mut *solver);
        (answer, SessionSolver { resources, solver })
    };
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok((answer, solver)) => (Some(answer), Some(solver)),
        Err(panic) => {
            let text = format!("the solver failed: {}", panic_text(&*panic));
            emit(SessionEvent::Warning(text));
            (None, None)
        }
    }
}
