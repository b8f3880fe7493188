//! Where the user looks in a tree: camera, selection, back and forward, search.

use std::time::Duration;

use crate::{
    app::Direction,
    tree::{
        camera::{Camera, Canvas},
        model::{TreeModel, node_path::NodeFinder},
        scene,
    },
};

/// Entries of the selection history that survive a change of the tree.
const MAX_HISTORY: usize = 50;
/// Nodes whose moves are read as people write them in a search for a text.
const MAX_READ_NODES: usize = 20_000;
/// Distance from the canvas edge, in points, within which a selected node counts as out of view.
const SCROLL_MARGIN: f64 = 30.0;
/// The same at the upper edge, where the path from the root may lie over the canvas.
const TOP_SCROLL_MARGIN: f64 = 68.0;

/// How long a flight to a node takes.
const FLIGHT_DURATION: Duration = Duration::from_millis(350);

/// A way of the camera from one place to another.
#[derive(Clone, Copy, Debug)]
struct Flight {
    from: Camera,
    to: Camera,
    began: Duration,
    /// Whether the whole tree is in view in the end.
    ends_fitted: bool,
}

/// Camera, selection and search of the shown tree. Node indices belong to the current model.
pub struct Navigation {
    /// `None` until the next frame fits the tree.
    pub camera: Option<Camera>,
    /// Set while the whole tree is in view because nobody moved the camera.
    is_fitted: bool,
    /// Where the camera is on its way to.
    flight: Option<Flight>,
    /// The canvas of the last frame, in pixels.
    pub canvas: Canvas,
    /// The canvas's top left corner in the window, in pixels.
    pub canvas_origin: (f64, f64),
    /// The selected node.
    pub selected: Option<usize>,
    /// Whether the move that the search led to is to be selected once the tree shows it; not after another selection.
    pub(super) awaits_chosen_move: bool,
    /// Nodes selected before, oldest first, and the current place among them.
    history: Vec<usize>,
    history_index: usize,
    /// The last text searched for, and the node found.
    last_find: (String, usize),
}

impl Default for Navigation {
    fn default() -> Self {
        Self {
            camera: None,
            is_fitted: true,
            flight: None,
            canvas: Canvas::default(),
            canvas_origin: (0.0, 0.0),
            selected: None,
            awaits_chosen_move: true,
            history: Vec::new(),
            history_index: 0,
            last_find: (String::new(), 0),
        }
    }
}

impl Navigation {
    /// The selected node, or else the root.
    pub fn focused_node(&self) -> usize {
        self.selected.unwrap_or(0)
    }

    /// Forgets selection and camera; the history is left to the next tree.
    pub(super) fn clear(&mut self) {
        self.selected = None;
        self.camera = None;
        self.flight = None;
    }

    /// Starts over for another tree.
    pub(super) fn reset(&mut self) {
        self.clear();
        self.awaits_chosen_move = true;
        self.history.clear();
        self.history_index = 0;
        self.is_fitted = true;
    }

    /// Carries selection, history and camera over to another state or part of the same tree. The selected node, or else the root,
    /// stays where it is on the screen.
    pub(super) fn follow_model(&mut self, before: Option<&TreeModel>, model: &TreeModel) {
        self.end_flight();
        let finder = NodeFinder::new(before, model);
        let kept = self.selected.and_then(|node| finder.find(node));
        let here = self.history.get(self.history_index).copied();
        let mut history = Vec::new();
        let mut history_index = 0;
        for &node in self.history.iter().rev().take(MAX_HISTORY).rev() {
            if let Some(found) = finder.find(node) {
                if here == Some(node) {
                    history_index = history.len();
                }
                history.push(found);
            }
        }
        if let (Some(camera), Some(before)) = (&mut self.camera, before) {
            if self.is_fitted {
                self.camera = None;
            } else {
                let (old, new) = self.selected.zip(kept).unwrap_or((0, 0));
                camera.x += model.x[new] - before.x[old];
                camera.y += model.depth_of(new) as f64 - before.depth_of(old) as f64;
                camera.refit(&scene::tree_bounds(model), &self.canvas);
            }
        }
        self.selected = kept;
        (self.history, self.history_index) = (history, history_index);
    }

    /// The camera for a frame of this size; fitted if there is none yet.
    pub(super) fn update_camera(&mut self, model: &TreeModel, canvas: Canvas) -> Camera {
        let bounds = scene::tree_bounds(model);
        if canvas != self.canvas {
            self.end_flight();
            if self.is_fitted {
                self.camera = None;
            } else if let Some(camera) = &mut self.camera {
                camera.refit(&bounds, &canvas);
            }
        }
        self.canvas = canvas;
        *(self.camera).get_or_insert_with(|| Camera::fit(&bounds, &canvas))
    }

    /// Shows the whole tree.
    pub(super) fn fit_tree(&mut self) {
        self.flight = None;
        self.camera = None;
        self.is_fitted = true;
    }

    /// Shows the subtree of the selected node.
    pub(super) fn fit_selected(&mut self, model: &TreeModel) {
        let bounds = scene::subtree_bounds(model, self.focused_node());
        let canvas = self.canvas;
        self.move_camera(|camera| camera.zoom_to(&bounds, &canvas));
    }

    /// Selects a node and flies to its subtree.
    pub(super) fn fly_to_node(&mut self, model: &TreeModel, node: usize, now: Duration) {
        if node >= model.len() {
            return;
        }
        self.select(model.len(), Some(node));
        let Some(from) = self.camera else {
            return;
        };
        let mut to = from;
        match node {
            0 => to = Camera::fit(&scene::tree_bounds(model), &self.canvas),
            _ => to.zoom_to(&scene::subtree_bounds(model, node), &self.canvas),
        }
        self.is_fitted = false;
        self.flight = Some(Flight {
            from,
            to,
            began: now,
            ends_fitted: node == 0,
        });
    }

    /// Whether the camera is on its way to a node.
    pub fn is_flying(&self) -> bool {
        self.flight.is_some()
    }

    /// Moves the camera to where its flight has come.
    pub(super) fn advance_flight(&mut self, now: Duration) {
        let Some(flight) = self.flight else {
            return;
        };
        let gone = now.saturating_sub(flight.began).as_secs_f64();
        let part = gone / FLIGHT_DURATION.as_secs_f64();
        if part >= 1.0 {
            return self.end_flight();
        }
        // It begins and ends slowly.
        let eased = part * part * (3.0 - 2.0 * part);
        self.camera = Some(Camera::between(&flight.from, &flight.to, eased));
    }

    /// Arrives at once.
    fn end_flight(&mut self) {
        if let Some(flight) = self.flight.take() {
            self.camera = Some(flight.to);
            self.is_fitted = flight.ends_fitted;
        }
    }

    /// Zooms by a factor, about a pixel of the canvas or its middle.
    pub(super) fn zoom(&mut self, factor: f64, at: Option<(f64, f64)>) {
        let canvas = self.canvas;
        let (x, y) = at.unwrap_or((canvas.width / 2.0, canvas.height / 2.0));
        self.move_camera(|camera| camera.zoom_at(&canvas, factor, x, y));
    }

    /// Moves the tree by pixels.
    pub(super) fn pan(&mut self, dx: f64, dy: f64) {
        self.move_camera(|camera| camera.pan(dx, dy));
    }

    /// Looks at a place, given as fractions of the tree's width and depth.
    pub(super) fn centre_on(&mut self, model: &TreeModel, across: f64, down: f64) {
        let (left, right) = model.extent;
        self.move_camera(|camera| {
            camera.x = left + (right - left) * across;
            camera.y = (model.depth() - 1) as f64 * down;
        });
    }

    /// Moves the camera on behalf of the user; from then on it is not fitted by itself.
    fn move_camera(&mut self, change: impl FnOnce(&mut Camera)) {
        self.flight = None;
        if let Some(camera) = &mut self.camera {
            change(camera);
            self.is_fitted = false;
        }
    }

    /// Selects the node at a pixel of the canvas.
    pub(super) fn click(&mut self, model: &TreeModel, x: f64, y: f64) {
        if let Some(camera) = &self.camera {
            let hit = scene::node_at(model, camera, &self.canvas, x, y, self.selected);
            self.select(model.len(), hit);
        }
    }

    /// Selects a node of a tree of `node_count` nodes. A node beyond it is ignored: the tree may have changed since it was chosen.
    pub(super) fn select(&mut self, node_count: usize, node: Option<usize>) {
        let node = node.filter(|&node| node < node_count);
        self.selected = node;
        self.awaits_chosen_move = false;
        if let Some(node) = node
            && self.history.get(self.history_index) != Some(&node)
        {
            self.history.truncate(self.history_index + 1);
            self.history.push(node);
            self.history_index = self.history.len() - 1;
        }
    }

    /// Goes back or forward through the nodes that were selected.
    pub(super) fn step_history(&mut self, model: Option<&TreeModel>, by: i64) {
        let to = self.history_index as i64 + by;
        if let Some(&node) = usize::try_from(to).ok().and_then(|to| self.history.get(to)) {
            self.history_index = to as usize;
            self.selected = Some(node);
            if let Some(model) = model {
                self.scroll_to_selected(model);
            }
        }
    }

    /// Selects the parent, the best child or a sibling.
    pub(super) fn move_selection(&mut self, model: &TreeModel, direction: Direction) {
        let node = self.focused_node();
        let siblings = model.children_of(model.parents[node] as usize);
        let to = match direction {
            Direction::Up => Some(model.parents[node] as usize),
            Direction::Down => (model.best_child(node)).or_else(|| model.children_of(node).next()),
            Direction::Left => (node > 0 && node > siblings.start).then(|| node - 1),
            Direction::Right => (node > 0 && node + 1 < siblings.end).then_some(node + 1),
        };
        if let Some(to) = to {
            self.select(model.len(), Some(to));
            self.scroll_to_selected(model);
        }
    }

    /// Moves the camera if the selected node is not on the canvas.
    pub(super) fn scroll_to_selected(&mut self, model: &TreeModel) {
        self.end_flight();
        let (Some(camera), Some(node)) = (&mut self.camera, self.selected) else {
            return;
        };
        let (x, depth) = (model.x[node], model.depth_of(node) as f64);
        let (at_x, at_y) = camera.to_canvas(&self.canvas, x, depth);
        let margin = SCROLL_MARGIN * self.canvas.scale;
        if !(margin..self.canvas.width - margin).contains(&at_x) {
            camera.x = x;
            self.is_fitted = false;
        }
        let top = TOP_SCROLL_MARGIN * self.canvas.scale;
        if !(top..self.canvas.height - margin).contains(&at_y) {
            camera.y = depth;
            self.is_fitted = false;
        }
    }

    /// Selects the next node whose move or state contains `text`, ignoring case; an error says that there is none.
    pub(super) fn find(&mut self, model: &TreeModel, text: &str) -> Result<(), String> {
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return Ok(());
        }
        let begin = if self.last_find.0 == text {
            self.last_find.1 + 1
        } else {
            0
        };
        let is_match = |&node: &usize| {
            let state = model.tree.state(model.row(node));
            model.move_text(node).to_lowercase().contains(&text)
                || state.to_lowercase().contains(&text)
        };
        let count = model.len();
        let mut nodes = (0..count).map(|step| (begin + step) % count);
        // As people read moves, among the nodes that are likely to be meant.
        let is_read_so = |&node: &usize| model.reading(node).to_lowercase().contains(&text);
        let mut readable = (0..count)
            .map(|step| (begin + step) % count)
            .take(MAX_READ_NODES);
        let found = nodes.find(is_match);
        let Some(node) = found.or_else(|| readable.find(is_read_so)) else {
            return Err(format!("no move or state contains \"{text}\""));
        };
        self.last_find = (text, node);
        self.select(count, Some(node));
        self.scroll_to_selected(model);
        Ok(())
    }
}
