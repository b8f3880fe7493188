//! A journal as something to watch: the tree after any iteration, in rows, and how the visits of the root's moves went. The
//! game is known by its name only, so that whoever watches need not know of games or searches.

use std::path::Path;

use super::{
    Tree, TreeError,
    extra::Extra,
    growth::{Follower, Growth},
    replay::{Replay, Replayed},
    snapshot::{self, Wanted},
};
use crate::{
    games::{self, Playable, Visitor, notation},
    search::TreeView as _,
};

/// A tree as it was after some iterations.
#[derive(Clone, Debug)]
pub struct Shot {
    /// How many iterations were done.
    pub iteration: u32,
    /// The tree.
    pub tree: Tree,
    /// What is known beside its rows, one for each.
    pub extra: Vec<Extra>,
    /// Whether the figures of a table of positions are known, if the search has one.
    pub has_table: bool,
    /// How many nodes it had, with those that are left out here.
    pub nodes: u64,
    /// The rows along which the last iteration went, the root first, as far as they are there.
    pub path: Vec<u32>,
}

/// How often each of the root's moves had been followed at some times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// The moves, as they are written.
    pub moves: Vec<String>,
    /// By time, and there by move: its visits. The first time is 0 and the last the end; those between part all iterations as
    /// evenly as they are remembered, to less than a thousandth.
    pub visits: Vec<Vec<u32>>,
}

/// A journal to watch, finished or still being written.
pub struct Film {
    replay: Replay,
    game: String,
    position: String,
    /// By node of a tree: which of the root's moves leads to it.
    branches: Vec<u32>,
    tally: Tally,
}

/// How often each of the root's moves was followed, at many times.
struct Tally {
    /// So many iterations lie between two times.
    step: u32,
    /// By time, and there by move: after no iteration, after `step`, and so on. Moves at the end that were not known yet are
    /// missing.
    times: Vec<Vec<u32>>,
    now: Vec<u32>,
    done: u32,
}

impl Tally {
    /// So many times are remembered, or half of them.
    const MOST: usize = 4096;

    fn new() -> Self {
        Self {
            step: 1,
            times: vec![Vec::new()],
            now: Vec::new(),
            done: 0,
        }
    }

    /// Counts one iteration, which followed that of the root's moves.
    fn count(&mut self, branch: Option<usize>) {
        if let Some(count) = branch.and_then(|branch| self.now.get_mut(branch)) {
            *count = count.wrapping_add(1);
        }
        self.done += 1;
        if !self.done.is_multiple_of(self.step) {
            return;
        }
        self.times.push(self.now.clone());
        if self.times.len() > Self::MOST {
            let mut index = 0;
            self.times.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.step = self.step.saturating_mul(2);
        }
    }
}

impl Film {
    /// Opens a journal of a search in this game, from this position.
    pub fn open(path: &Path, game: &str, position: &str) -> Result<Self, TreeError> {
        let mut film = Self {
            replay: Replay::follow(Follower::open(path)?),
            game: game.to_owned(),
            position: position.to_owned(),
            branches: Vec::new(),
            tally: Tally::new(),
        };
        film.extend();
        Ok(film)
    }

    /// Reads what was added since; whether there was anything.
    pub fn poll(&mut self) -> Result<bool, TreeError> {
        let result = self.replay.poll();
        self.extend();
        result
    }

    /// The iterations there are so far.
    pub fn iterations(&self) -> u32 {
        self.replay.growth().iterations()
    }

    /// Whether the journal has ended; and if it has, whether the search went on without it.
    pub fn ended(&self) -> Option<bool> {
        self.replay.growth().ended()
    }

    /// Goes towards the time after so many iterations, at most after the last, by a few steps: for those who have little time.
    pub fn approach(&mut self, iteration: u32, steps: u32) {
        self.replay.approach(iteration, steps);
    }

    /// The iteration it is turned to.
    pub fn at(&self) -> u32 {
        self.replay.at()
    }

    /// The tree after so many iterations, at most after the last: all of it, or its most visited part of at most so many
    /// nodes. An error says that the journal is not one of this game.
    pub fn shot(&mut self, iteration: u32, most: Option<u64>) -> Result<Shot, String> {
        self.replay.seek(iteration);
        let visitor = TakeShot {
            replay: &self.replay,
            position: &self.position,
            most,
        };
        games::with_game(&self.game, visitor).map_err(|error| error.to_string())?
    }

    /// How the visits of the root's moves went, at so many times.
    pub fn shares(&self, times: usize) -> Result<Shares, String> {
        let visitor = NameMoves {
            replay: &self.replay,
            position: &self.position,
        };
        let moves = games::with_game(&self.game, visitor).map_err(|error| error.to_string())??;
        let tally = &self.tally;
        let parts = times.max(2) as u64 - 1;
        let inherited: Vec<u32> = root_edges(self.replay.growth())
            .map(|(_, known)| known)
            .collect();
        let at = |part: u64| {
            let until = (u64::from(tally.done) * part / parts) as u32;
            let known = if until == tally.done {
                &tally.now
            } else {
                tally
                    .times
                    .get((until / tally.step) as usize)
                    .unwrap_or(&tally.now)
            };
            // Of moves that were not known yet no more is known now.
            let missing = inherited.iter().skip(known.len());
            known.iter().chain(missing).copied().collect()
        };
        Ok(Shares {
            visits: (0..=parts).map(at).collect(),
            moves,
        })
    }

    /// Which of the root's moves an iteration followed; none if it ended at the root.
    fn branch(&self, iteration: u32) -> Option<usize> {
        let growth = self.replay.growth();
        let index = iteration as usize;
        if growth.kind.graph {
            let begin = path_begin(growth, index);
            let edge = growth.paths[begin..growth.leaves[index] as usize].first()?;
            Some(edge.wrapping_sub(growth.moves[0].0) as usize)
        } else {
            let leaf = growth.leaves[index] as usize;
            (leaf > 0).then(|| self.branches[leaf] as usize)
        }
    }

    /// Takes in what was read.
    fn extend(&mut self) {
        self.extend_branches();
        if self.tally.done == 0 {
            // Before the first iteration more may become known of moves that are there already.
            self.tally = Tally::new();
        }
        let inherited = root_edges(self.replay.growth()).skip(self.tally.now.len());
        self.tally.now.extend(inherited.map(|(_, known)| known));
        if self.tally.done == 0 {
            self.tally.times = vec![self.tally.now.clone()];
        }
        for iteration in self.tally.done..self.iterations() {
            let branch = self.branch(iteration);
            self.tally.count(branch);
        }
    }

    fn extend_branches(&mut self) {
        let growth = self.replay.growth();
        if growth.kind.graph {
            return;
        }
        // A node is numbered after its parent.
        for node in self.branches.len()..growth.nodes() {
            let branch = match node.checked_sub(1).map(|mv| growth.parents[mv]) {
                None => 0,
                Some(0) => (node as u32 - 1).wrapping_sub(growth.moves[0].0),
                Some(parent) => self.branches[parent as usize],
            };
            self.branches.push(branch);
        }
    }
}

fn path_begin(growth: &Growth, iteration: usize) -> usize {
    (iteration.checked_sub(1)).map_or(0, |before| growth.leaves[before] as usize)
}

/// The moves of the root, and how often each had been followed before the search.
fn root_edges(growth: &Growth) -> impl Iterator<Item = (u32, u32)> {
    let (first, end) = growth.moves[0];
    (first..end).map(|edge| {
        let inherited = if growth.kind.graph {
            growth.chosen[edge as usize]
        } else {
            growth.known[edge as usize + 1].0
        };
        (edge, inherited)
    })
}

struct TakeShot<'a> {
    replay: &'a Replay,
    position: &'a str,
    most: Option<u64>,
}

impl Visitor for TakeShot<'_> {
    type Out = Result<Shot, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let root: G =
            notation::position(rules, self.position).map_err(|error| error.to_string())?;
        let view = self.replay.view(&root);
        let wanted = Wanted {
            max_nodes: self.most,
            extra: true,
            ..Wanted::default()
        };
        let taken = snapshot::take(&view, &wanted)?;
        let path = last_way(self.replay, &view, &taken.tree);
        Ok(Shot {
            iteration: self.replay.at(),
            nodes: taken.tree.nodes().len() as u64 + taken.cut.left_out,
            tree: taken.tree,
            extra: taken.extra,
            has_table: self.replay.growth().has_table(),
            path,
        })
    }
}

/// Writes the root's moves.
struct NameMoves<'a> {
    replay: &'a Replay,
    position: &'a str,
}

impl Visitor for NameMoves<'_> {
    type Out = Result<Vec<String>, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let root: G =
            notation::position(rules, self.position).map_err(|error| error.to_string())?;
        let frame = self.replay.view(&root).frame(&root);
        let growth = self.replay.growth();
        let (first, end) = growth.moves[0];
        (first..end)
            .map(|edge| {
                let mv = G::move_from_bits(growth.codes[edge as usize].into());
                let mv = snapshot::on_board(&root, frame, mv)
                    .ok_or("a move of the root is not one that the rules allow")?;
                Ok(notation::move_text(&root, mv))
            })
            .collect()
    }
}

/// The moves that the last iteration went along, by number; none if there was no iteration yet.
fn last_moves(replay: &Replay) -> Option<Vec<u32>> {
    let growth = replay.growth();
    let last = (replay.at() as usize).checked_sub(1)?;
    if growth.kind.graph {
        let way = path_begin(growth, last)..growth.leaves[last] as usize;
        return Some(growth.paths[way].to_vec());
    }
    let mut moves = Vec::new();
    let mut node = growth.leaves[last];
    while node > 0 {
        moves.push(node - 1);
        node = growth.parents[node as usize - 1];
    }
    moves.reverse();
    Some(moves)
}

/// The rows that the last iteration went along, as far as they are there.
fn last_way<G: Playable>(replay: &Replay, view: &Replayed<'_, G>, tree: &Tree) -> Vec<u32> {
    let Some(moves) = last_moves(replay) else {
        return Vec::new();
    };
    let sizes = tree.sizes();
    let mut way = vec![0];
    let (mut row, mut position) = (0, view.root_position().clone());
    for mv in moves {
        let mv = G::move_from_bits(replay.growth().codes[mv as usize].into());
        let Some(mv) = snapshot::on_board(&position, view.frame(&position), mv) else {
            break;
        };
        let name = notation::move_text(&position, mv);
        let Some(child) = (tree.children(row, &sizes)).find(|&child| tree.move_name(child) == name)
        else {
            break;
        };
        way.push(child as u32);
        // A shared node is expanded elsewhere, and there it may be seen from another side.
        let elsewhere = (tree.state(child).strip_prefix('='))
            .and_then(|number| number.parse::<usize>().ok()?.checked_sub(1))
            .filter(|&row| row < tree.nodes().len());
        if let Some(elsewhere) = elsewhere {
            let Some(there) = position_of(view.root_position(), tree, elsewhere) else {
                break;
            };
            (row, position) = (elsewhere, there);
        } else {
            position.play(mv);
            row = child;
        }
    }
    way
}

/// The position of a row.
fn position_of<G: Playable>(root: &G, tree: &Tree, row: usize) -> Option<G> {
    let mut rows = Vec::new();
    let mut at = row;
    while at > 0 {
        rows.push(at);
        at = tree.nodes()[at].parent as usize;
    }
    let mut position = root.clone();
    for &row in rows.iter().rev() {
        let mv = position.parse_move(tree.move_name(row)).ok()?;
        position.play(mv);
    }
    Some(position)
}
