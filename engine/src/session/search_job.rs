//! What runs on the thread of a session: a search, or a perft.

use std::{
    any::Any,
    cmp::Ordering,
    panic::{AssertUnwindSafe, catch_unwind},
};

use super::{
    MoveInfo, SearchInfo, SearchRequest, SearchResult, SessionEvent, SessionEventSink,
    recorded_search::{self, SearchDescription},
    typed_session::move_text,
};
use crate::{
    catalog::Spec,
    games::{History, Playable, notation::Style, perft},
    search::{
        ReportCallback, Reward, RootMove, Search, SearchLimits, SearchReport, SearchTask, StopFlag,
        budget::Stopwatch,
    },
};

/// Searches of at most this many nodes run inline: they end before a `stop` could arrive.
const MAX_INLINE_NODES: u64 = 4;

/// The message of a panic.
pub(super) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    (panic.downcast_ref::<String>().map(String::as_str))
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("for no known reason")
}

/// Perft divided by first move.
pub(super) fn run_perft<G: Playable>(
    position: &G,
    depth: u32,
    style: Style,
    stop: &StopFlag,
    emit: &SessionEventSink,
) {
    let mut moves = Vec::new();
    position.perft_moves(&mut moves);
    let mut total = 0;
    for mv in moves {
        let mut child = position.clone();
        child.play(mv);
        let count = perft::perft_until(&child, depth - 1, &|| stop.is_set());
        let Some(count) = count else {
            emit(SessionEvent::Text("stopped".to_owned()));
            return;
        };
        total += count;
        let text = move_text(position, mv, style);
        emit(SessionEvent::Text(format!("{text}: {count}")));
    }
    emit(SessionEvent::Text(String::new()));
    emit(SessionEvent::Text(format!("Nodes searched: {total}")));
}

/// Everything a search thread owns.
pub(super) struct SearchJob<G: Playable> {
    pub(super) position: G,
    pub(super) history: History,
    pub(super) search_moves: Vec<G::Move>,
    /// Moves played since the last search, by which the tree advances.
    pub(super) moves_since: Vec<G::Move>,
    /// Sent before the search begins.
    pub(super) warnings: Vec<String>,
    pub(super) spec: Spec,
    pub(super) search_name: String,
    pub(super) ply: u32,
    pub(super) request: SearchRequest,
    pub(super) stopwatch: Stopwatch,
}

impl<G: Playable> SearchJob<G> {
    /// Whether the search is too short to need a thread; see [`MAX_INLINE_NODES`].
    pub(super) fn runs_inline(&self) -> bool {
        let SearchRequest { limits, output, .. } = &self.request;
        let nodes = limits.nodes.or(limits.iterations);
        output.is_none() && nodes.is_some_and(|nodes| nodes <= MAX_INLINE_NODES)
    }

    /// Searches, sends the result, and returns the search; none if it panicked.
    pub(super) fn run(
        self,
        mut search: Box<dyn Search<G>>,
        emit: &SessionEventSink,
    ) -> Option<Box<dyn Search<G>>> {
        let result = catch_unwind(AssertUnwindSafe(|| self.search(&mut *search, emit)));
        match result {
            Ok(answer) => {
                emit(SessionEvent::Done(Some(answer)));
                Some(search)
            }
            Err(panic) => {
                let what = panic_text(&*panic);
                emit(SessionEvent::Done(Some(self.fallback_result(what))));
                None
            }
        }
    }

    fn search(&self, search: &mut dyn Search<G>, emit: &SessionEventSink) -> SearchResult {
        for remark in &self.warnings {
            emit(SessionEvent::Warning(remark.clone()));
        }
        for &mv in &self.moves_since {
            search.advance(mv);
        }
        // Time spent preparing counts.
        let limits = SearchLimits {
            time: (self.request.limits.time)
                .map(|time| time.saturating_sub(self.stopwatch.elapsed())),
            ..self.request.limits
        };
        let mut on_report =
            |report: &SearchReport<G::Move>| emit(SessionEvent::Info(self.search_info(report)));
        let task = SearchTask {
            search_moves: (!self.search_moves.is_empty()).then_some(&*self.search_moves),
            multi_pv: self.request.multi_pv,
            reports: Some(ReportCallback {
                interval: self.request.info_interval,
                callback: &mut on_report,
            }),
            ..SearchTask::new(&self.position, &self.history, &limits, &self.request.stop)
        };
        let about = SearchDescription {
            spec: &self.spec,
            name: &self.search_name,
            ply: self.ply,
        };
        let choice = recorded_search::search_and_record(
            search,
            task,
            &about,
            self.request.output.as_deref(),
        );
        if let Some(remark) = search.remark() {
            emit(SessionEvent::Warning(remark));
        }
        let info = self.search_info(&choice.report);
        let best_move = move_text(&self.position, choice.mv, self.request.style);
        let mut after = self.position.clone();
        after.play(choice.mv);
        let ponder_move = (info.root_moves.first())
            .filter(|line| line.pv.first() == Some(&best_move))
            .filter(|_| after.to_move() != self.position.to_move())
            .and_then(|line| line.pv.get(1).cloned());
        SearchResult {
            best_move,
            ponder_move,
            info,
            failure: None,
        }
    }

    /// The result of a search that panicked: any legal move.
    fn fallback_result(&self, what: &str) -> SearchResult {
        let mut moves = Vec::new();
        self.position.legal_moves(&mut moves);
        let mv = self.search_moves.first().or(moves.first());
        SearchResult {
            best_move: mv.map_or_else(String::new, |&mv| {
                move_text(&self.position, mv, self.request.style)
            }),
            ponder_move: None,
            info: SearchInfo::default(),
            failure: Some(format!(
                "the search failed: {what}; this is just a legal move"
            )),
        }
    }

    fn search_info(&self, report: &SearchReport<G::Move>) -> SearchInfo {
        let root_moves: Vec<MoveInfo> = (report.root_moves.iter())
            .map(|root| self.move_info(root))
            .collect();
        let memory = match &self.spec {
            Spec::Mcts(config) => config.memory_mb << 20,
            _ => 0,
        };
        SearchInfo {
            depth: report.depth,
            sel_depth: (root_moves.iter().map(|line| line.pv.len() as u32))
                .max()
                .unwrap_or(0),
            nodes: report.nodes,
            time: self.stopwatch.elapsed(),
            hashfull: (report.memory_bytes.saturating_mul(1000))
                .checked_div(memory as u64)
                .unwrap_or(0)
                .min(1000) as u32,
            memory_full: report.memory_full,
            root_moves,
        }
    }

    fn move_info(&self, root: &RootMove<G::Move>) -> MoveInfo {
        let mover = self.position.to_move();
        let mut position = self.position.clone();
        let mut history = self.history.clone();
        let mut moves = Vec::new();
        let mut ends_game = false;
        let line: &[G::Move] = if root.pv.is_empty() {
            std::slice::from_ref(&root.mv)
        } else {
            &root.pv
        };
        for &mv in line {
            if ends_game || !position.is_legal(mv) {
                break;
            }
            moves.push(move_text(&position, mv, self.request.style));
            position.play(mv);
            history.push(&position);
            ends_game = history.outcome(&position).is_some();
        }
        let proven = root.proven.map(|outcome| {
            let value = Reward::from_outcome(outcome).for_player(mover);
            value.partial_cmp(&0.5).unwrap_or(Ordering::Equal)
        });
        MoveInfo {
            visits: root.visits,
            value: root.value.for_player(mover),
            proven,
            ends_game,
            pv: moves,
        }
    }
}
