//! Every search on every game: legal moves, agreement with a reference search, determinism, limits, memory.

use std::{collections::HashMap, process::Command, time::Duration};

use canopy_engine::{
    catalog::{self, SEARCHES, Spec},
    games::{
        self, Game, History, Outcome, Playable, Player, SearchHints as _, Visitor,
        connect_four::{Column, ConnectFour},
        notation::{self, position_text},
        scripted::{Script, Scripted, ScriptedRules},
    },
    rng::Rng,
    search::{
        BestMove, Search, SearchLimits, SearchTask, Searchable, StopFlag, TreeView,
        classical::{Aspiration, Classical, ClassicalConfig, Method},
        mcts::{
            self, FinalChoice, Grouping, MctsConfig, PlayoutPolicy, SelectFormula, Sharing,
            StoreKind,
        },
    },
};
use support::{check_each_game, every_game};

#[path = "search/classical.rs"]
mod classical;
#[path = "search/depths.rs"]
mod depths;
#[path = "search/limits.rs"]
mod limits;
#[path = "search/margins.rs"]
mod margins;
#[path = "search/memory.rs"]
mod memory;
#[path = "search/presets.rs"]
mod presets;
#[path = "search/proofs.rs"]
mod proofs;
#[path = "search/results_page.rs"]
mod results_page;
#[path = "search/scripted.rs"]
mod scripted;
#[path = "search/statistics.rs"]
mod statistics;
#[path = "search/strong.rs"]
mod strong;
mod support;
#[path = "search/tables.rs"]
mod tables;

/// Searches a position without a game history.
fn search_position<G: Searchable>(
    search: &mut dyn Search<G>,
    root: &G,
    limits: SearchLimits,
) -> BestMove<G::Move> {
    search_with_history(search, root, limits, None, 1)
}

fn search_with_history<G: Searchable>(
    search: &mut dyn Search<G>,
    root: &G,
    limits: SearchLimits,
    moves: Option<&[G::Move]>,
    lines: usize,
) -> BestMove<G::Move> {
    let mut history = History::new();
    history.push(root);
    search.search(SearchTask {
        search_moves: moves,
        multi_pv: lines,
        ..SearchTask::new(root, &history, &limits, &StopFlag::new())
    })
}

/// The search called `name`, which keeps endings to itself where the game's solver would take them.
fn without_solver<G: Playable>(name: &str) -> String {
    match G::FACTS.endings {
        Some(_) => format!("{name},exact_from=0"),
        None => name.to_owned(),
    }
}

/// Unfinished positions of random games, at random plies.
fn sample_positions<G: Playable>(rules: G::Rules, count: usize, seed: u64) -> Vec<G> {
    let mut found = Vec::new();
    let mut rng = Rng::new(seed);
    while found.len() < count {
        let mut position = G::start(rules);
        let mut line = vec![position.clone()];
        while position.play_random(&mut rng) {
            line.push(position.clone());
        }
        line.pop();
        if !line.is_empty() {
            found.push(line[rng.below(line.len() as u32) as usize].clone());
        }
    }
    found
}

const FORMULAS: &[SelectFormula] = SelectFormula::ALL;

const POLICIES: [PlayoutPolicy; 3] = [
    PlayoutPolicy::Uniform,
    PlayoutPolicy::LastGoodReply1,
    PlayoutPolicy::LastGoodReply2,
];

const STORES: [StoreKind; 3] = [StoreKind::Tree, StoreKind::Graph, StoreKind::Bounded];

fn with_small_memory(config: MctsConfig) -> MctsConfig {
    MctsConfig {
        memory_mb: 16,
        entries: 10_000,
        ..config
    }
}

fn classical<G: Searchable>(config: ClassicalConfig) -> Classical<G> {
    Classical::new(config)
}

/// The statistics of all visited nodes as sorted text, each named by its path.
fn tree_statistics<G: Game>(tree: &dyn TreeView<G>) -> Vec<String> {
    let mut found = vec![format!("{:?}", tree.root_stats())];
    let mut pending = vec![(tree.root(), String::new())];
    while let Some((node, path)) = pending.pop() {
        tree.for_each_edge(node, &mut |edge| {
            let path = format!("{path} {:?}", edge.mv);
            if edge.visits > 0 {
                found.push(format!(
                    "{path}: {} {} {:?} {:?}",
                    edge.visits, edge.recent_visits, edge.value, edge.proven
                ));
                if let Some(child) = edge.child {
                    pending.push((child, path));
                }
            }
        });
    }
    found.sort();
    found
}

/// Asserts that two trees have the same statistics, and shows the first difference.
fn assert_same_statistics(one: &[String], other: &[String], what: &dyn std::fmt::Debug) {
    let first = one.iter().zip(other).find(|(one, other)| one != other);
    assert!(
        first.is_none() && one.len() == other.len(),
        "{what:?}: {} and {} rows, {first:?}",
        one.len(),
        other.len()
    );
}

/// Small scripted games with the only best move at the root and its value.
const SCRIPTS: [(&str, char, f64); 7] = [
    ("A[x:- y:+ z:0]", 'y', 1.0),
    ("A[x:B[x:+ y:-] y:B[x:0 y:+]]", 'y', 0.5),
    ("B[x:A[x:+ y:-] y:A[x:- y:-] z:+]", 'y', 0.0),
    // Extra turns: A moves twice, then B twice.
    (
        "A[x:A[x:B[x:- y:+] y:B[x:+ y:B[x:+ y:+]]] y:A[x:0 y:0]]",
        'x',
        1.0,
    ),
    (
        "B[x:B[x:A[x:+ y:+] y:A[x:- y:+]] y:B[x:A[x:- y:0] y:A[x:0 y:-]]]",
        'y',
        0.5,
    ),
    // A trap: most moves after x win for A, but B has the one that does not.
    ("A[x:B[a:+ b:+ c:+ d:- e:+] y:B[a:0 b:0 c:0]]", 'y', 0.5),
    ("A[x:B[x:A[x:A[x:- y:+] y:-] y:A[x:+ y:-]] y:-]", 'x', 1.0),
];

fn scripted(text: &str) -> Scripted {
    Scripted::start(ScriptedRules(Script::leak(text).unwrap()))
}
