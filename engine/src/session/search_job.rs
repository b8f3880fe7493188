//! What runs on the thread of a session: a search, which writes its tree and sidecar, or a perft.

use std::{
    any::Any,
    cmp::Ordering,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use super::{
    MoveInfo, PerftRequest, SearchInfo, SearchRequest, SearchResult, SessionEvent,
    SessionEventSink, TreeOutput, typed_session::move_text,
};
use crate::{
    catalog::{self, Spec},
    games::{History, Playable, Player, notation, perft},
    search::{
        BestMove, EdgeView, LiveTree, ReportCallback, Reward, RootEdge, RootMove, Search,
        SearchLimits, SearchReport, SearchTask, Shortfall, SnapshotCallback, TreeView,
        budget::Stopwatch, growth_records::GrowthObserver, pacing::Pacing,
    },
    tree::meta::{DepthMeta, LimitsMeta, Meta},
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
    request: &PerftRequest,
    emit: &SessionEventSink,
) {
    let should_stop = || request.stop.is_set();
    let counted = perft::divide_until(position, request.depth, &should_stop, |mv, count| {
        let text = move_text(position, mv, request.style);
        emit(SessionEvent::Text(format!("{text}: {count}")));
    });
    let Some(total) = counted else {
        emit(SessionEvent::Text("stopped".to_owned()));
        return;
    };
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
        output.is_none()
            && self.request.mate.is_none()
            && nodes.is_some_and(|nodes| nodes <= MAX_INLINE_NODES)
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
        let used = self.stopwatch.elapsed();
        let limits = SearchLimits {
            time: (self.request.limits.time).map(|time| time.saturating_sub(used)),
            ..self.request.limits
        };
        let pacing = match catalog::is_published_preset(&self.search_name) {
            true => Pacing::default(),
            false => self.request.pacing.after(used),
        };
        let mut on_report =
            |report: &SearchReport<G::Move>| emit(SessionEvent::Info(self.search_info(report)));
        let task = SearchTask {
            search_moves: (!self.search_moves.is_empty()).then_some(&*self.search_moves),
            multi_pv: self.request.multi_pv,
            pacing,
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
        let choice = search_and_record(search, task, &about, self.request.output.as_deref());
        if let Some(remark) = search.remark() {
            emit(SessionEvent::Warning(remark));
        }
        self.result(&choice)
    }

    /// The chosen move and the report as text.
    pub(super) fn result(&self, choice: &BestMove<G::Move>) -> SearchResult {
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
            Spec::Exact(_) => 0,
            spec => spec.memory_mb().unwrap_or(0) << 20,
        };
        SearchInfo {
            depth: report.depth,
            sel_depth: (root_moves.iter().map(|line| line.pv.len() as u32))
                .max()
                .unwrap_or(0),
            nodes: report.nodes,
            leaves: report.leaves,
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

/// Facts for the sidecar that a search does not know itself.
pub struct SearchDescription<'a> {
    /// The search's parameters.
    pub spec: &'a Spec,
    /// The catalogue text it was parsed from.
    pub name: &'a str,
    /// Plies played before the search.
    pub ply: u32,
}

/// Runs the whole search; copies of the growing tree, the growth journal and the final tree go to `output`.
pub fn search_and_record<G: Playable>(
    search: &mut dyn Search<G>,
    task: SearchTask<'_, G>,
    about: &SearchDescription<'_>,
    output: Option<&TreeOutput>,
) -> BestMove<G::Move> {
    let Some(output) = output else {
        return search.search(task);
    };
    let position = task.root;
    let base = Meta {
        shortfalls: shortfall_texts(&search.shortfalls()),
        ..about.meta(&task)
    };
    let files = output.begin_search(&base.game, &base.search);
    let watch = Stopwatch::start();
    let meta = |report: &SearchReport<G::Move>| Meta {
        iterations: report.iterations,
        nodes: report.nodes,
        milliseconds: watch.elapsed().as_millis() as u64,
        ..base.clone()
    };
    let mut on_snapshot = |tree: &dyn LiveTree<G>, report: &SearchReport<G::Move>| {
        if files.is_idle() {
            files.write_growing(|| tree.copy(), meta(report));
        }
    };
    let snapshots = output
        .settings()
        .snapshot_interval
        .map(|every| SnapshotCallback {
            interval: every,
            callback: &mut on_snapshot,
        });
    let mut on_depth = |tree: &dyn LiveTree<G>, report: &SearchReport<G::Move>| {
        files.write_depth(
            report.depth,
            || tree.copy(),
            depth_meta(position, meta(report), report),
        );
    };
    let depths = output
        .settings()
        .snapshot
        .extra
        .then_some(SnapshotCallback {
            interval: Duration::ZERO,
            callback: &mut on_depth,
        });
    // A viewer finds a growth journal by its tree file, so a root-only tree is written when the journal starts.
    let write_root_tree = || {
        if files.is_idle() {
            files.write_growing(
                || Ok(Box::new(RootOnlyTree(position.clone()))),
                base.clone(),
            );
        }
    };
    let start_observer = files.observer().map(|journal| JournalStartObserver {
        journal,
        on_begin: &write_root_tree,
    });
    let choice = search.search(SearchTask {
        search_moves: task.search_moves,
        multi_pv: task.multi_pv,
        pacing: task.pacing,
        reports: task.reports.map(ReportCallback::shorten_lifetime),
        snapshots,
        depths,
        observer: (start_observer.as_ref()).map(|announcer| -> &dyn GrowthObserver { announcer }),
        ..SearchTask::new(position, task.history, task.limits, task.stop)
    });
    let meta = Meta {
        is_final: true,
        chosen: Some(notation::move_text(position, choice.mv)),
        line: pv_texts(position, choice.mv, &choice.report),
        depths: depth_metas(search, position),
        ..meta(&choice.report)
    };
    if let Some(tree) = search.tree() {
        files.finish(|| tree.copy(), meta);
    }
    choice
}

/// The principal variation of the chosen move, in the game's notation.
fn pv_texts<G: Playable>(position: &G, mv: G::Move, report: &SearchReport<G::Move>) -> Vec<String> {
    let chosen = (report.root_moves.iter()).find(|known| known.mv == mv);
    let mut position = position.clone();
    (chosen.map_or(&[][..], |chosen| &chosen.pv).iter())
        .map(|&mv| {
            let text = notation::move_text(&position, mv);
            position.play(mv);
            text
        })
        .collect()
}

/// The sidecar of the tree of a completed depth.
fn depth_meta<G: Playable>(position: &G, meta: Meta, report: &SearchReport<G::Move>) -> Meta {
    let best = report.root_moves.first().map(|best| best.mv);
    Meta {
        is_final: true,
        chosen: best.map(|mv| notation::move_text(position, mv)),
        line: best.map_or_else(Vec::new, |mv| pv_texts(position, mv, report)),
        limits: LimitsMeta {
            depth: Some(report.depth),
            ..LimitsMeta::default()
        },
        ..meta
    }
}

/// The depths that a search has completed, for the sidecar; the writer knows which trees there are.
fn depth_metas<G: Playable>(search: &dyn Search<G>, position: &G) -> Vec<DepthMeta> {
    let depths = search.completed_depths().iter();
    depths
        .map(|completed| DepthMeta {
            depth: completed.depth,
            value: completed.value.into(),
            nodes: completed.nodes,
            full_nodes: completed.full_nodes,
            best: notation::move_text(position, completed.best),
            tree: None,
        })
        .collect()
}

/// One sentence for each resource the search got less of than requested.
pub fn shortfall_texts(shortfalls: &[Shortfall]) -> Vec<String> {
    shortfalls.iter().map(ToString::to_string).collect()
}

/// Forwards to a growth journal and calls `on_begin` when it starts.
struct JournalStartObserver<'a> {
    journal: &'a dyn GrowthObserver,
    on_begin: &'a (dyn Fn() + Sync),
}

impl GrowthObserver for JournalStartObserver<'_> {
    fn start(&self, root: u32, kind: u32) {
        self.journal.start(root, kind);
        (self.on_begin)();
    }

    fn wants_playouts(&self) -> bool {
        self.journal.wants_playouts()
    }

    fn receive(&self, words: Vec<u32>) -> Vec<u32> {
        self.journal.receive(words)
    }
}

/// A tree without edges.
struct RootOnlyTree<G>(G);

impl<G: Playable> TreeView<G> for RootOnlyTree<G> {
    fn root_position(&self) -> &G {
        &self.0
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        (0, 0, Reward::new(0.5))
    }

    fn for_each_edge(&self, _: u32, _: &mut dyn FnMut(EdgeView<G::Move>)) {}

    fn root_edge(&self) -> RootEdge {
        RootEdge::default()
    }
}

impl SearchDescription<'_> {
    fn meta<G: Playable>(&self, task: &SearchTask<'_, G>) -> Meta {
        let position = task.root;
        let parameters = catalog::parameter_values(self.spec);
        let whole = |name: &str| parameters.get(name).and_then(|value| value.parse().ok());
        Meta {
            game: notation::full_name::<G>(position.rules()),
            position: notation::position_text(position),
            ply: self.ply,
            to_move: if position.to_move() == Player::First {
                1
            } else {
                2
            },
            search: self.name.split(',').next().unwrap_or_default().to_owned(),
            seed: whole("seed").unwrap_or(0),
            threads: whole("threads").unwrap_or(1) as u32,
            limits: LimitsMeta {
                iterations: task.limits.iterations,
                nodes: task.limits.nodes,
                depth: task.limits.depth,
                milliseconds: task.limits.time.map(|time| time.as_millis() as u64),
            },
            parameters,
            ..Meta::default()
        }
    }
}
