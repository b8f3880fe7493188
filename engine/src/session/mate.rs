//! `go mate`: a forced win is asked of the solver before anything is searched.

use std::time::Duration;

use super::{
    SearchResult, SessionEvent, SessionEventSink,
    search_job::SearchJob,
    solver::{SessionSolver, consult},
};
use crate::{
    games::{Outcome, Playable},
    search::{
        BestMove, Reward, RootMove, SearchLimits, SearchReport,
        exact::{SolveContext, quickest_win},
    },
};

/// Time for the move if there is no win and no limit.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(1);

/// What came of the question for a forced win.
pub(super) enum MateAnswer {
    Found(Box<SearchResult>),
    /// There is none within the plies.
    Absent,
    /// Nothing was asked, or the limits left it open.
    Open,
}

impl<G: Playable> SearchJob<G> {
    /// Asks for the win that the request wants, in two thirds of the time.
    pub(super) fn find_mate(
        &self,
        solver: Option<SessionSolver<G>>,
        emit: &SessionEventSink,
    ) -> (MateAnswer, Option<SessionSolver<G>>) {
        let Some(mate) = &self.request.mate else {
            return (MateAnswer::Open, solver);
        };
        let limits = SearchLimits {
            time: self.request.limits.time.map(|time| time * 2 / 3),
            nodes: self.request.limits.node_limit(),
            ..SearchLimits::default()
        };
        let (position, moves) = (&self.position, &self.search_moves);
        let (answer, solver) = consult(
            solver,
            position.rules(),
            mate.resources.clone(),
            emit,
            |solver| {
                let nodes_before = solver.nodes();
                let mut ignore = |_| ();
                let stop = &self.request.stop;
                let mut context = SolveContext::start(&limits, stop, None, &mut ignore);
                let win = quickest_win(solver, position, moves, mate.plies, &mut context);
                (win, solver.nodes() - nodes_before)
            },
        );
        let answer = match answer {
            Some((Some(Some(line)), nodes)) => match self.mate_result(line, nodes) {
                Some(result) => MateAnswer::Found(Box::new(result)),
                None => MateAnswer::Open,
            },
            Some((Some(None), _)) => {
                let moves = mate.plies.div_ceil(2);
                let text = format!("there is no mate in {moves} moves");
                emit(SessionEvent::Warning(text));
                MateAnswer::Absent
            }
            _ => MateAnswer::Open,
        };
        (answer, solver)
    }

    /// The job with a limit, if it has none: no win is left to wait for.
    pub(super) fn bounded(mut self) -> Self {
        let limits = &mut self.request.limits;
        if *limits == SearchLimits::default() {
            limits.time = Some(self.stopwatch.elapsed() + DEFAULT_MOVE_TIME);
        }
        self
    }

    /// The result of a search that found this win.
    fn mate_result(&self, line: Vec<G::Move>, nodes: u64) -> Option<SearchResult> {
        let &mv = line.first()?;
        let outcome = Outcome::Win(self.position.to_move());
        let value = Reward::from_outcome(outcome);
        let report = SearchReport {
            iterations: 0,
            nodes,
            leaves: 0,
            depth: line.len() as u32,
            value,
            root_moves: vec![RootMove {
                mv,
                visits: 1,
                value,
                score: None,
                proven: Some(outcome),
                pv: line,
            }],
            stored_moves: 0,
            memory_bytes: 0,
            memory_full: false,
        };
        Some(self.result(&BestMove { mv, report }))
    }
}
