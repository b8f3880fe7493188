//! Trees in the formats of other programs: nested JSON, DOT, and rows with every position.

use std::io::{self, Write};

use super::{Tree, TreeBuilder, TreeRow, files::Document};
use crate::games::{self, Playable, Visitor, notation};

/// A format that can be written and, by [`super::import`], read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Nested JSON.
    Json,
    /// Graphviz.
    Dot,
}

impl ExportFormat {
    /// The format that a file's extension names.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "dot" | "gv" => Some(Self::Dot),
            _ => None,
        }
    }

    /// Writes a tree with its columns.
    pub fn write(self, document: &Document, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Json => write_json(document, out),
            Self::Dot => write_dot(document, out),
        }
    }
}

/// Writes nested JSON, a node a line: the columns of the tree, those of STEM.columns, and `children`.
pub fn write_json(document: &Document, out: &mut impl Write) -> io::Result<()> {
    let tree = &document.tree;
    // How many children of the open nodes are still to come.
    let mut open: Vec<u32> = Vec::new();
    for (row, node) in tree.nodes().iter().enumerate() {
        write!(out, "{{")?;
        if row > 0 {
            write!(out, "\"move\":{},", json_text(tree.move_name(row)))?;
        }
        write!(out, "\"visits\":{}", node.visits)?;
        if node.second != node.visits {
            write!(out, ",\"second\":{}", node.second)?;
        }
        if node.mean.is_finite() {
            write!(out, ",\"mean\":{}", node.mean)?;
        }
        if !tree.state(row).is_empty() {
            write!(out, ",\"state\":{}", json_text(tree.state(row)))?;
        }
        for column in document.columns.iter().flat_map(|columns| &columns.columns) {
            let value = column.value(row);
            if value.is_finite() {
                write!(out, ",{}:{value}", json_text(&column.name))?;
            }
        }
        if node.children > 0 {
            writeln!(out, ",\"children\":[")?;
            open.push(node.children);
            continue;
        }
        // A reader knows by the key that the file is a tree.
        let end = if row == 0 { ",\"children\":[]}" } else { "}" };
        write!(out, "{end}")?;
        while let Some(left) = open.last_mut() {
            *left -= 1;
            if *left > 0 {
                writeln!(out, ",")?;
                break;
            }
            write!(out, "]}}")?;
            open.pop();
        }
    }
    writeln!(out)
}

/// Writes DOT: nodes are named by their rows, from 1, and labelled with move, visits and mean. A row that stands for a node that is
/// expanded elsewhere is an edge to it.
pub fn write_dot(document: &Document, out: &mut impl Write) -> io::Result<()> {
    let tree = &document.tree;
    writeln!(out, "digraph tree {{")?;
    writeln!(out, "  node [shape=box];")?;
    for (row, node) in tree.nodes().iter().enumerate() {
        let parent = node.parent + 1;
        let mv = dot_text(tree.move_name(row));
        if let Some(target) = tree.state(row).strip_prefix('=') {
            if let Ok(target) = target.parse::<u32>() {
                writeln!(
                    out,
                    "  n{parent} -> n{target} [label=\"{mv}\", visits={}];",
                    node.visits
                )?;
            }
            continue;
        }
        let state = dot_text(tree.state(row));
        write!(
            out,
            "  n{} [label=\"{mv}\\nvisits: {}",
            row + 1,
            node.visits
        )?;
        if node.mean.is_finite() {
            write!(out, "\\nmean: {}", node.mean)?;
        }
        writeln!(out, "\", state=\"{state}\"];")?;
        if row > 0 {
            writeln!(out, "  n{parent} -> n{} [label=\"{mv}\"];", row + 1)?;
        }
    }
    writeln!(out, "}}")
}

fn json_text(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn dot_text(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace(['\n', '\r'], " ")
}

/// The tree with every position in its states; the error is a sentence that says why that is impossible.
pub fn with_positions(document: &Document) -> Result<Tree, String> {
    let meta = document.meta.as_ref().filter(|meta| !meta.game.is_empty());
    let (game, position) = match meta {
        Some(meta) => (meta.game.clone(), meta.position.clone()),
        None => {
            let state = document.tree.state(0);
            let (game, position) = state.split_once(' ').unwrap_or((state, "startpos"));
            (game.to_owned(), position.to_owned())
        }
    };
    let work = StateWriter {
        tree: &document.tree,
        position: &position,
    };
    games::with_game(&game, work).map_err(|error| error.to_string())?
}

struct StateWriter<'a> {
    tree: &'a Tree,
    position: &'a str,
}

impl Visitor for StateWriter<'_> {
    type Out = Result<Tree, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let root = notation::read_position::<G>(rules, self.position);
        let root = root.map_err(|error| error.to_string())?;
        let tree = self.tree;
        let mut builder = TreeBuilder::default();
        // The positions above the row, with how many children are to come.
        let mut above: Vec<(G, u32)> = Vec::new();
        for (row, node) in tree.nodes().iter().enumerate() {
            let mut position = above
                .last()
                .map_or_else(|| root.clone(), |(above, _)| above.clone());
            if row > 0 {
                let mv = position
                    .parse_move(tree.move_name(row))
                    .map_err(|error| format!("row {}: {error}", row + 1))?;
                position.play(mv);
            }
            let state = tree.state(row);
            let state = match (row, state.split(' ').next().unwrap_or_default()) {
                (0, _) => format!(
                    "{} {}",
                    notation::full_name::<G>(rules),
                    notation::position_text(&position)
                ),
                (_, word) if word.starts_with('=') => word.to_owned(),
                (_, word) => format!("{word} {}", notation::position_text(&position)),
            };
            let row = TreeRow {
                state: &state,
                ..tree.row(row)
            };
            builder.push(&row)?;
            if let Some((_, left)) = above.last_mut() {
                *left -= 1;
            }
            above.push((position, node.children));
            while above.last().is_some_and(|&(_, left)| left == 0) {
                above.pop();
            }
        }
        builder.finish()
    }
}
