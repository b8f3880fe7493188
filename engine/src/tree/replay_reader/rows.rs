//! From a journal to rows, which need the types of the game: trees, paths through them, and names of moves.

use super::{
    super::{
        Tree,
        growth::Growth,
        index::{PartialTree, View},
        replay::GrowthReplay,
        snapshot::{self, Snapshot, SnapshotOptions},
    },
    ReplayTree,
};
use crate::{
    games::{MoveCode, Playable, Visitor, notation},
    search::{ReferenceFrame, TreeView},
};

/// What a tree is shown from.
pub(super) enum TreeSource<'a> {
    /// A journal in memory, where it stands.
    Replay(&'a GrowthReplay),
    /// A part of a tree, and the last node of the last iteration's path that it has.
    Part(&'a PartialTree, Option<u32>),
}

/// Makes rows of a tree: of all of it, or of its most visited part.
pub(super) struct ShowTree<'a> {
    pub(super) source: TreeSource<'a>,
    pub(super) position: &'a str,
    pub(super) max_nodes: Option<u64>,
}

impl Visitor for ShowTree<'_> {
    type Out = Result<ReplayTree, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let root: G =
            notation::read_position(rules, self.position).map_err(|error| error.to_string())?;
        match self.source {
            TreeSource::Replay(replay) => {
                let codes = last_move_codes(replay);
                let shown = take_rows(&replay.view(&root), self.max_nodes, codes)?;
                Ok(ReplayTree {
                    iteration: replay.current_iteration(),
                    has_table: replay.growth().has_table(),
                    ..shown
                })
            }
            TreeSource::Part(part, last) => {
                let view = View { part, root: &root };
                let codes = last.map(|last| part.move_codes_to(last));
                let shown = take_rows(&view, self.max_nodes, codes)?;
                Ok(ReplayTree {
                    iteration: part.iteration,
                    total_nodes: part.total_nodes,
                    min_visits: shown.min_visits.max(part.min_visits),
                    ..shown
                })
            }
        }
    }
}

/// The rows of a tree, and those along the moves of the last iteration; the iteration is left to the caller.
fn take_rows<G: Playable>(
    view: &dyn TreeView<G>,
    max_nodes: Option<u64>,
    codes: Option<Vec<MoveCode>>,
) -> Result<ReplayTree, String> {
    let wanted = SnapshotOptions {
        max_nodes,
        extra: true,
        ..SnapshotOptions::default()
    };
    let taken = snapshot::take(view, &wanted)?;
    Ok(ReplayTree {
        iteration: 0,
        path: rows_along_moves(codes, view, &taken.tree),
        total_nodes: taken.tree.nodes().len() as u64 + taken.cut.left_out,
        min_visits: omitted_below(&taken),
        tree: taken.tree,
        extra: taken.extra,
        has_table: false,
    })
}

/// Omitted nodes have fewer visits than this; 0 if none was omitted.
fn omitted_below(taken: &Snapshot) -> u32 {
    if taken.cut.left_out == 0 {
        return 0;
    }
    let visits = taken.tree.nodes().iter().skip(1).map(|node| node.visits);
    // Of those with the fewest some may be there, and some not.
    visits.min().map_or(u32::MAX, |fewest| fewest as u32 + 1)
}

/// Writes the root's moves.
pub(super) struct FormatRootMoves<'a> {
    /// Where positions may be in a frame.
    pub(super) replay: Option<&'a GrowthReplay>,
    /// The codes of the moves; the second field is unused here.
    pub(super) moves: &'a [(MoveCode, u32)],
    pub(super) position: &'a str,
}

impl Visitor for FormatRootMoves<'_> {
    /// The moves as they are written, and whether the root's frame exchanges the sides.
    type Out = Result<(Vec<String>, bool), String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let root: G =
            notation::read_position(rules, self.position).map_err(|error| error.to_string())?;
        let frame = (self.replay).map_or_else(ReferenceFrame::default, |replay| {
            replay.view(&root).frame(&root)
        });
        let moves: Result<Vec<String>, String> = (self.moves.iter())
            .map(|&(code, _)| {
                let mv = G::move_from_bits(code);
                let mv = snapshot::to_board_move(&root, frame, mv)
                    .ok_or("a move of the root is not one that the rules allow")?;
                Ok(notation::move_text(&root, mv))
            })
            .collect();
        Ok((moves?, frame.inverted))
    }
}

/// Where the path of a graph's iteration begins in the list of all paths.
pub(super) fn path_start(growth: &Growth, iteration: usize) -> usize {
    let before = iteration.checked_sub(1);
    before
        .and_then(|before| growth.leaves.get(before))
        .map_or(0, |&end| end as usize)
}

/// The codes of the moves that the last iteration went along; none if there was no iteration yet.
fn last_move_codes(replay: &GrowthReplay) -> Option<Vec<MoveCode>> {
    iteration_codes(
        replay,
        (replay.current_iteration() as usize).checked_sub(1)?,
    )
}

/// The codes of the moves that an iteration went along, the first being 0; none if there is no such iteration.
#[expect(
    clippy::indexing_slicing,
    reason = "the tables of a `Growth` are of the lengths that its builder has checked"
)]
pub(super) fn iteration_codes(replay: &GrowthReplay, iteration: usize) -> Option<Vec<MoveCode>> {
    let growth = replay.growth();
    let &end = growth.leaves.get(iteration)?;
    let code = |mv: &u32| growth.codes[*mv as usize];
    if growth.kind.is_graph {
        let range = path_start(growth, iteration)..end as usize;
        return Some(growth.paths[range].iter().map(code).collect());
    }
    let mut codes = Vec::new();
    let mut node = end;
    while node > 0 {
        codes.push(code(&(node - 1)));
        node = growth.parents[node as usize - 1];
    }
    codes.reverse();
    Some(codes)
}

/// The rows that moves lead along, as far as they are there.
fn rows_along_moves<G: Playable>(
    codes: Option<Vec<MoveCode>>,
    view: &dyn TreeView<G>,
    tree: &Tree,
) -> Vec<u32> {
    let Some(codes) = codes else {
        return Vec::new();
    };
    let sizes = tree.subtree_sizes();
    let mut path = vec![0];
    let (mut row, mut position) = (0, view.root_position().clone());
    for code in codes {
        let mv = G::move_from_bits(code);
        let Some(mv) = snapshot::to_board_move(&position, view.frame(&position), mv) else {
            break;
        };
        let name = notation::move_text(&position, mv);
        let Some(child) = (tree.children(row, &sizes)).find(|&child| tree.move_name(child) == name)
        else {
            break;
        };
        path.push(child as u32);
        // A shared node is expanded elsewhere, and there it may be seen from another side.
        let elsewhere = (tree.state(child).strip_prefix('='))
            .and_then(|number| number.parse::<usize>().ok()?.checked_sub(1))
            .filter(|&row| row < tree.nodes().len());
        if let Some(elsewhere) = elsewhere {
            let Some(there) = position_at_row(view.root_position(), tree, elsewhere) else {
                break;
            };
            (row, position) = (elsewhere, there);
        } else {
            position.play(mv);
            row = child;
        }
    }
    path
}

/// The position of a row.
fn position_at_row<G: Playable>(root: &G, tree: &Tree, row: usize) -> Option<G> {
    let mut rows = Vec::new();
    let mut at = row;
    while at > 0 {
        rows.push(at);
        at = tree.nodes().get(at)?.parent as usize;
    }
    let mut position = root.clone();
    for &row in rows.iter().rev() {
        let mv = position.parse_move(tree.move_name(row)).ok()?;
        position.play(mv);
    }
    Some(position)
}
