//! The readable part of a tree, and the nodes that are opened in it.

use std::sync::Arc;

use super::{App, Document, Navigation};
use crate::tree::model::{Filter, TreeModel, node_path::path_to};

/// Windows narrower or lower than this begin with the readable part of a tree, in points.
const SMALL_WINDOW: [f32; 2] = [1000.0, 640.0];

impl App {
    /// Whether another tree begins with its readable part: as the user last chose, or else in games and in small windows.
    pub(super) fn begins_readable(&self) -> bool {
        let [width, height] = self.settings.window;
        let is_small = width < SMALL_WINDOW[0] || height < SMALL_WINDOW[1];
        (self.settings.readable)
            .unwrap_or(self.session.is_some() || self.lesson.is_some() || is_small)
    }

    /// Shows the whole tree where the filter may hide a part of it, else the readable part, and remembers the choice.
    pub(super) fn toggle_readable(&mut self) {
        let mut filter = self.document.filter.clone();
        if filter.may_hide() {
            filter.show_all();
        } else {
            filter.readable = true;
            filter.clear_nodes();
        }
        self.settings.readable = Some(filter.readable);
        self.navigation.fit_tree();
        self.set_filter(filter);
    }

    /// Hides other nodes from now on.
    pub(super) fn set_filter(&mut self, filter: Filter) {
        if filter.readable != self.document.filter.readable {
            self.settings.readable = Some(filter.readable);
        }
        self.document.set_filter(filter, &mut self.navigation);
    }
}

impl Document {
    /// Shows the hidden children of a node, or everything below it.
    pub(super) fn open_fold(&mut self, node: usize, all_below: bool, navigation: &mut Navigation) {
        let Some(model) = self.model.as_ref().filter(|model| node < model.len()) else {
            return;
        };
        let steps = steps_to(model, node);
        let mut filter = self.filter.clone();
        filter.collapsed.retain(|known| *known != steps);
        let opened = match all_below {
            true => &mut filter.opened_below,
            false => &mut filter.opened,
        };
        let is_collapsed = model.fold_of(node).is_some_and(|fold| fold.is_collapsed);
        if !opened.contains(&steps) && (all_below || !is_collapsed) {
            opened.push(steps);
        }
        self.set_filter(filter, navigation);
    }

    /// Hides the children of the selected node, or shows them.
    pub(super) fn toggle_collapsed(&mut self, navigation: &mut Navigation) {
        let (Some(model), Some(node)) = (&self.model, navigation.selected) else {
            return;
        };
        if model.children[node] == 0 {
            if model.fold_of(node).is_some() {
                self.open_fold(node, false, navigation);
            }
            return;
        }
        let mut filter = self.filter.clone();
        filter.collapsed.push(steps_to(model, node));
        self.set_filter(filter, navigation);
    }
}

/// The moves to a node, by which it is found again.
fn steps_to(model: &TreeModel, node: usize) -> Arc<Vec<(String, u32)>> {
    let sizes = model.tree.subtree_sizes();
    Arc::new(path_to(&model.tree, &sizes, model.row(node)))
}
