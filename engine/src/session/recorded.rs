//! One search whose tree, if anybody wants it, goes to files.

use super::Output;
use crate::{
    catalog::{self, Spec},
    games::{Playable, Player, notation},
    search::{
        Choice, Edge, LiveTree, Report, Reports, Reward, RootEdge, Search, Shortfall, Snapshots,
        Task, TreeView, budget::Stopwatch, growth::Observer,
    },
    tree::meta::{LimitsMeta, Meta},
};

/// What a sidecar says that a search does not know of itself.
pub struct About<'a> {
    /// How the search is set up.
    pub spec: &'a Spec,
    /// What it is called.
    pub name: &'a str,
    /// How many plies had been played.
    pub ply: u32,
}

/// Searches as `task` says; the tree goes to `output` while it grows and in the end.
pub fn choose<G: Playable>(
    search: &mut dyn Search<G>,
    task: Task<'_, G>,
    about: &About<'_>,
    output: Option<&Output>,
) -> Choice<G::Move> {
    let Some(output) = output else {
        return search.choose(task);
    };
    let position = task.root;
    let base = Meta {
        shortfalls: texts(&search.shortfalls()),
        ..about.meta(&task)
    };
    let files = output.begin(&base.game, &base.search);
    let watch = Stopwatch::start();
    let meta = |report: &Report<G::Move>| Meta {
        iterations: report.iterations,
        nodes: report.nodes,
        milliseconds: watch.elapsed().as_millis() as u64,
        ..base.clone()
    };
    let mut look = |tree: &dyn LiveTree<G>, report: &Report<G::Move>| {
        if files.is_idle() {
            files.snapshot(|| tree.copy(), meta(report));
        }
    };
    let snapshots = output.settings().every.map(|every| Snapshots {
        every,
        look: &mut look,
    });
    // A journal is followed from its beginning by those who find it: by a tree that is its root alone.
    let announce = || {
        if files.is_idle() {
            files.snapshot(|| Ok(Box::new(Alone(position.clone()))), base.clone());
        }
    };
    let announcer = files.observer().map(|journal| Announcer {
        journal,
        announce: &announce,
    });
    let choice = search.choose(Task {
        moves: task.moves,
        lines: task.lines,
        reports: task.reports.map(Reports::for_now),
        snapshots,
        observer: (announcer.as_ref()).map(|announcer| -> &dyn Observer { announcer }),
        ..Task::new(position, task.history, task.limits, task.stop)
    });
    let meta = Meta {
        is_final: true,
        chosen: Some(notation::move_text(position, choice.best)),
        line: expected_line(position, &choice),
        ..meta(&choice.report)
    };
    if let Some(tree) = search.tree() {
        files.finish(|| tree.copy(), meta);
    }
    choice
}

/// The line that is expected after the chosen move, that move included, as the game writes it.
fn expected_line<G: Playable>(position: &G, choice: &Choice<G::Move>) -> Vec<String> {
    let chosen = (choice.report.root.iter()).find(|known| known.mv == choice.best);
    let mut position = position.clone();
    (chosen.map_or(&[][..], |chosen| &chosen.line).iter())
        .map(|&mv| {
            let text = notation::move_text(&position, mv);
            position.play(mv);
            text
        })
        .collect()
}

/// What a search has less of than was asked for, in sentences.
pub fn texts(shortfalls: &[Shortfall]) -> Vec<String> {
    shortfalls.iter().map(ToString::to_string).collect()
}

/// Hears for a journal, and says when it begins.
struct Announcer<'a> {
    journal: &'a dyn Observer,
    announce: &'a (dyn Fn() + Sync),
}

impl Observer for Announcer<'_> {
    fn begin(&self, root: u32, kind: u32) {
        self.journal.begin(root, kind);
        (self.announce)();
    }

    fn hear(&self, words: Vec<u32>) -> Vec<u32> {
        self.journal.hear(words)
    }
}

/// A tree that has not grown yet.
struct Alone<G>(G);

impl<G: Playable> TreeView<G> for Alone<G> {
    fn root_position(&self) -> &G {
        &self.0
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_figures(&self) -> (u64, u64, Reward) {
        (0, 0, Reward::new(0.5))
    }

    fn edges(&self, _: u32, _: &mut dyn FnMut(Edge<G::Move>)) {}

    fn root_edge(&self) -> RootEdge {
        RootEdge::default()
    }
}

impl About<'_> {
    fn meta<G: Playable>(&self, task: &Task<'_, G>) -> Meta {
        let position = task.root;
        let parameters = catalog::settings(self.spec);
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
