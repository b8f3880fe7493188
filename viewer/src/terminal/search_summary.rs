//! A search's opinion of a move in a match, from the tree it wrote.

use std::{
    fs,
    path::{Path, PathBuf},
};

use canopy_engine::{
    games::{Player, notation::escape_invisible},
    tree::{
        TreeNode, files,
        meta::{self, Meta},
    },
};

use crate::{
    board::Board,
    tree::{
        node_value::{ValueView, classical_value},
        scene::format_thousands,
        sequence::is_tree_file,
        value_text::{Value, Wording},
    },
};

/// Upper bound of listed moves, the best first.
const MAX_MOVES: usize = 5;

/// The summary of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SearchSummary {
    /// Who is to move.
    pub(super) player: Player,
    /// The effort of the search, in a few words.
    pub(super) effort_text: String,
    /// The unit of the shares.
    pub(super) unit: &'static str,
    /// What the values of moves are: "Black wins", or "White’s value" for a search without playouts.
    pub(super) value_heading: String,
    /// The best moves, the chosen one first.
    pub(super) moves: Vec<SearchedMove>,
}

/// A move that a search looked at.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SearchedMove {
    /// The move as people write it.
    pub(super) text: String,
    /// Which part of the search went into it, from 0 to 1.
    pub(super) share: f64,
    /// Its value, as a sentence and as a figure under the heading.
    pub(super) value: (String, String),
}

/// The finished search of a game that chose the move after `ply` moves; none if its tree is not there, or not yet.
pub(super) fn search_summary_at(
    directory: &Path,
    ply: usize,
    view: ValueView,
) -> Option<SearchSummary> {
    // The newest come first: the latest choice is requested most often.
    (tree_files(directory).into_iter().rev())
        .map_while(|path| {
            finished_meta(&path).map_or(Some(None), |meta| {
                let is_later = meta.ply as usize >= ply;
                is_later.then_some(Some((path, meta)))
            })
        })
        .flatten()
        .find(|(_, meta)| meta.ply as usize == ply)
        .and_then(|(path, meta)| SearchSummary::read(&path, &meta, view))
}

/// The trees of a game's directory in the order in which their searches began.
pub(super) fn tree_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut trees: Vec<_> = (entries.map(|entry| entry.path()))
        .filter(|path| is_tree_file(path))
        .collect();
    trees.sort_unstable();
    trees
}

/// The sidecar of a tree whose search is over.
pub(super) fn finished_meta(path: &Path) -> Option<Meta> {
    let file = fs::File::open(files::sidecar_path(path, "json")).ok()?;
    meta::read(file).ok().filter(|meta| meta.is_final)
}

impl SearchSummary {
    fn read(path: &Path, meta: &Meta, view: ValueView) -> Option<Self> {
        let tree = files::read(path, None).ok()?.tree;
        let nodes = tree.nodes();
        let children = || (1..nodes.len()).filter(|&row| nodes[row].parent == 0);
        let whole: f64 = children()
            .map(|row| f64::from(nodes[row].visits.max(0)))
            .sum();
        let mut order: Vec<usize> = children().collect();
        // The sidecar is renamed before the tree: until that follows, the file is the root alone.
        if order.is_empty() {
            return None;
        }
        let is_chosen = |row: usize| meta.chosen.as_deref() == Some(tree.move_name(row));
        let is_classical = meta.iterations == 0;
        order.sort_by(|&one, &other| {
            let by_visits = nodes[other].visits.cmp(&nodes[one].visits);
            let by_value = nodes[other].mean.total_cmp(&nodes[one].mean);
            let rest = if is_classical { by_value } else { by_visits };
            is_chosen(other).cmp(&is_chosen(one)).then(rest)
        });
        let player = match meta.to_move {
            2 => Player::Second,
            _ => Player::First,
        };
        let wording = Wording::of_game(&meta.game);
        let owner = match view {
            ValueView::First => Player::First,
            ValueView::Root | ValueView::Mover => player,
        };
        // The means of the root's children are those of the player to move there.
        let share = |node: &TreeNode| match owner == player {
            true => node.mean,
            false => 1.0 - node.mean,
        };
        let value = |node: &TreeNode| match (node.visits, is_classical) {
            (..=0, _) => Value::Unknown,
            (_, true) => classical_value(share(node), owner),
            (visits, false) => Value::Share {
                share: share(node),
                visits: visits.unsigned_abs().into(),
            },
        };
        let moves = (order.into_iter().take(MAX_MOVES))
            .map(|row| {
                let (node, own) = (&nodes[row], tree.move_name(row));
                let human = Board::after_moves(&meta.game, &meta.position, &[own]);
                SearchedMove {
                    text: human
                        .ok()
                        .and_then(|replayed| replayed.display_moves.into_iter().next())
                        .unwrap_or_else(|| printable(own)),
                    share: f64::from(node.visits.max(0)) / whole.max(1.0),
                    value: (
                        wording.sentence(owner, &value(node)),
                        wording.figure(&value(node)),
                    ),
                }
            })
            .collect();
        let name = wording.name(owner);
        let (count, unit, value_heading) = if is_classical {
            (meta.nodes, "nodes", format!("{name}’s value"))
        } else {
            (meta.iterations, "playouts", format!("{name} wins"))
        };
        Some(Self {
            player,
            effort_text: format!("{} {unit}", format_thousands(count)),
            unit,
            value_heading,
            moves,
        })
    }
}

/// The beginning of a text from a file, with nothing in it that a terminal would obey.
pub(super) fn printable(text: &str) -> String {
    escape_invisible(text).chars().take(60).collect()
}
