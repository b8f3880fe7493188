//! Saving trees and pictures, and copying to the clipboard.

use std::{path::Path, sync::Arc};

use canopy_engine::tree::{
    files::Format,
    meta::{CutMeta, Meta, RootMeta},
};

use super::{App, CopyTarget};
use crate::{
    board::Board,
    tree::{
        figure::{DEFAULT_WIDTH_MM, FigureWords, words},
        model::{TreeModel, root_only_meta},
        node_value::{NodeValues, ValueView},
        scene,
        sequence::is_tree_file,
    },
    workers::render::{SaveContent, is_picture},
};

impl App {
    /// Has the shown tree or a picture of it saved with the next frame.
    pub(super) fn save(&mut self, path: &Path, scale: f64) {
        let Some(model) = &self.document.model else {
            return self.show_error("there is no tree to save");
        };
        let content = match Format::from_path(path) {
            Ok(format) => {
                let meta = meta_to_save(model, format);
                SaveContent::Tree(Arc::clone(&model.tree), format, meta.map(Box::new))
            }
            Err(_) if is_figure_alone(path) => SaveContent::Figure(self.figure_words()),
            Err(_) if is_picture(path) => SaveContent::Picture(scale),
            Err(_) => {
                return self.show_error(format!(
                    "{}: expected a name that ends in .tree, .csv, .png, .svg or .pdf",
                    path.display()
                ));
            }
        };
        self.pending_save = Some((path.to_owned(), content));
    }

    /// The usual words of a figure of the shown tree.
    pub fn figure_words(&self) -> FigureWords {
        let iteration = self.document.timeline.shown_iteration;
        let model = self.document.model.as_deref();
        FigureWords {
            title: model
                .and_then(|model| words::title(model, iteration))
                .unwrap_or_default(),
            caption: model
                .map(|model| words::caption(model, iteration))
                .unwrap_or_default(),
            width_mm: DEFAULT_WIDTH_MM,
        }
    }

    /// Has a figure of the shown tree saved with the next frame.
    pub(super) fn save_figure(&mut self, path: &Path, words: FigureWords) {
        match self.document.model {
            None => self.show_error("there is no tree to save"),
            Some(_) => self.pending_save = Some((path.to_owned(), SaveContent::Figure(words))),
        }
    }

    /// Copies a text about the game, or about the selected node or else the root.
    pub(super) fn copy(&mut self, target: CopyTarget) {
        let copied = match (target, &self.session) {
            (CopyTarget::GamePosition, Some(playing)) => {
                let position = playing.game.shown_position().position.clone();
                Ok((position, "the position"))
            }
            (CopyTarget::GameMoves, Some(playing)) => {
                Ok((playing.game.moves().join(" "), "the moves"))
            }
            (CopyTarget::GamePosition | CopyTarget::GameMoves, None) => return,
            _ => {
                let Some(model) = &self.document.model else {
                    return;
                };
                node_text(model, self.navigation.focused_node(), target)
            }
        };
        match copied {
            Ok((text, name)) => {
                self.show_message(format!("copied {name}"));
                self.clipboard_text = Some(text);
            }
            Err(problem) => self.show_error(problem),
        }
    }

    /// Reports the result of a save.
    pub fn report_saved(&mut self, path: &Path, result: Result<(), String>) {
        let left_out = self
            .document
            .model
            .as_ref()
            .map_or(0, |model| model.left_out);
        let is_tree = is_tree_file(path);
        match result {
            Ok(()) if is_tree && left_out > 0 => self.show_message(format!(
                "saved {} without the {} nodes that are not shown",
                path.display(),
                scene::format_thousands(left_out)
            )),
            Ok(()) => self.show_message(format!("saved {}", path.display())),
            Err(error) => self.show_error(format!("cannot write {}: {error}", path.display())),
        }
    }
}

/// Whether a file's format is only that of figures.
fn is_figure_alone(path: &Path) -> bool {
    path.extension()
        .is_some_and(|name| name.eq_ignore_ascii_case("pdf"))
}

/// The sidecar of a saved tree. The shown tree may be an earlier iteration or a part, so its own root and cut replace the search's.
fn meta_to_save(model: &TreeModel, format: Format) -> Option<Meta> {
    let node = model.node(0);
    let root = RootMeta {
        visits: u64::try_from(node.visits).unwrap_or(0),
        second: u64::try_from(node.second).unwrap_or(0),
        mean: node.mean,
    };
    if let Some(meta) = &model.meta {
        return Some(Meta {
            root,
            cut: CutMeta {
                left_out: model.left_out,
                ..meta.cut
            },
            extra: None,
            columns: None,
            growth: None,
            ..Meta::clone(meta)
        });
    }
    // The format has no row for the root: its statistics need a sidecar unless they follow from the children.
    let figures = (node.visits, node.second, node.mean);
    let is_lost = format == Format::Tree && figures != model.tree.root_stats_from_children();
    is_lost.then(|| root_only_meta(root))
}

/// A text about a node and its name for the message; an error is a sentence.
fn node_text(
    model: &TreeModel,
    node: usize,
    target: CopyTarget,
) -> Result<(String, &'static str), String> {
    let moves = model.moves_to(node);
    match target {
        CopyTarget::Position => {
            let meta = (model.meta.as_ref())
                .ok_or("nothing says which game this is, so there is no position to copy")?;
            let replayed = Board::after_moves(&meta.game, &meta.position, &moves)?;
            Ok((replayed.position, "the position of the node"))
        }
        CopyTarget::Statistics => {
            let stats = model.node(node);
            let values = NodeValues::new(model, ValueView::default());
            let owner = values.wording.name(values.mean_owner(node));
            let text = format!(
                "node {} move {} visits {} second {} mean for {owner} {} state {}",
                model.rows[node] + 1,
                model.move_text(node),
                stats.visits,
                stats.second,
                stats.mean,
                model.tree.state(model.row(node)),
            );
            Ok((text, "the figures of the node"))
        }
        _ => Ok((moves.join(" "), "the line of the node")),
    }
}
