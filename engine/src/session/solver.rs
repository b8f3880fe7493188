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
    let work = || {
        let mut solver = match known {
            Some(known) if known.resources == resources => known.solver,
            _ => {
                let SolverResources {
                    memory_bytes,
                    threads,
                    cache,
                } = resources.clone();
                solvers::cached_solver::<G>(position.rules(), memory_bytes, threads, cache)
            }
        };
        let found = solution::solve(&mut *solver, position, request, &mut |_| ());
        (found, SessionSolver { resources, solver })
    };
    let (found, solver) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok((found, solver)) => (found, Some(solver)),
        Err(panic) => {
            let text = format!("the solver failed: {}", panic_text(&*panic));
            emit(SessionEvent::Warning(text));
            Default::default()
        }
    };
    emit(SessionEvent::Solved(Box::new(found)));
    emit(SessionEvent::Done(None));
    solver
}
