//! Runs one search and writes its tree and sidecar.

use super::TreeOutput;
use crate::{
    catalog::{self, Spec},
    games::{Playable, Player, notation},
    search::{
        BestMove, EdgeView, LiveTree, ReportCallback, Reward, RootEdge, Search, SearchReport,
        SearchTask, Shortfall, SnapshotCallback, TreeView, budget::Stopwatch,
        growth_records::GrowthObserver,
    },
    tree::meta::{LimitsMeta, Meta},
};

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
        reports: task.reports.map(ReportCallback::shorten_lifetime),
        snapshots,
        observer: (start_observer.as_ref()).map(|announcer| -> &dyn GrowthObserver { announcer }),
        ..SearchTask::new(position, task.history, task.limits, task.stop)
    });
    let meta = Meta {
        is_final: true,
        chosen: Some(notation::move_text(position, choice.mv)),
        line: pv_texts(position, &choice),
        ..meta(&choice.report)
    };
    if let Some(tree) = search.tree() {
        files.finish(|| tree.copy(), meta);
    }
    choice
}

/// The principal variation of the chosen move, in the game's notation.
fn pv_texts<G: Playable>(position: &G, choice: &BestMove<G::Move>) -> Vec<String> {
    let chosen = (choice.report.root_moves.iter()).find(|known| known.mv == choice.mv);
    let mut position = position.clone();
    (chosen.map_or(&[][..], |chosen| &chosen.pv).iter())
        .map(|&mv| {
            let text = notation::move_text(&position, mv);
            position.play(mv);
            text
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
