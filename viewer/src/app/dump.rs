//! The app's state as JSON, for tests that drive the window from outside.

use super::{App, display_name};
use crate::tree::scene;

impl App {
    /// Row, from 1, and window position in pixels of the focused node and its children.
    fn node_locations(&self) -> Vec<(u32, f64, f64)> {
        let (Some(model), Some(camera)) = (&self.document.model, &self.navigation.camera) else {
            return Vec::new();
        };
        let node = self.navigation.focused_node();
        let depth = model.depth_of(node) as f64;
        let children = model
            .children_of(node)
            .take(100)
            .map(|child| (child, depth + 1.0));
        (std::iter::once((node, depth)).chain(children))
            .map(|(node, depth)| {
                let (x, y) = camera.to_canvas(&self.navigation.canvas, model.x[node], depth);
                (
                    model.rows[node] + 1,
                    self.navigation.canvas_origin.0 + x,
                    self.navigation.canvas_origin.1 + y,
                )
            })
            .collect()
    }

    /// Row, from 1, hidden moves, and window position in pixels of the triangles beside the first layers.
    fn fold_locations(&self) -> Vec<(u32, u32, f64, f64)> {
        let (Some(model), Some(camera)) = (&self.document.model, &self.navigation.camera) else {
            return Vec::new();
        };
        let origin = self.navigation.canvas_origin;
        let canvas = &self.navigation.canvas;
        (model.folds.iter().take(100))
            .filter(|fold| scene::is_fold_drawn(fold, camera, canvas))
            .filter_map(|fold| {
                let depth = model.depth_of(fold.node as usize) as f64 + 1.0;
                let (x, y) = camera.to_canvas(canvas, fold.x?, depth);
                let row = model.rows[fold.node as usize] + 1;
                Some((row, fold.moves, origin.0 + x, origin.1 + y))
            })
            .collect()
    }

    /// The game setup and its problems.
    fn dump_setup(&self) -> serde_json::Value {
        let problems = self.settings.play.validate(&self.own_engine_command).err();
        let problems: Vec<serde_json::Value> = (problems.unwrap_or_default().iter())
            .map(|problem| {
                serde_json::json!({"field": problem.field.to_string(), "text": problem.text})
            })
            .collect();
        serde_json::json!({"chosen": self.settings.play, "problems": problems})
    }

    /// The whole state.
    pub fn dump(&self) -> serde_json::Value {
        let parts = [
            self.dump_tree(),
            self.dump_window(),
            self.dump_replay(),
            self.dump_views(),
        ];
        let keys = parts.into_iter().filter_map(|part| match part {
            serde_json::Value::Object(keys) => Some(keys),
            _ => None,
        });
        serde_json::Value::Object(keys.flatten().collect())
    }

    /// The shown tree and how it is shown.
    fn dump_tree(&self) -> serde_json::Value {
        let model = self.document.model.as_ref();
        serde_json::json!({
            "trees": self.document.sequence.len(),
            "tree": if self.document.sequence.is_empty() { 0 } else { self.document.sequence.index() + 1 },
            "file": self.document.shown_path.as_deref().map(display_name),
            "nodes": model.map(|model| model.len()),
            "hidden": model.map(|model| model.hidden),
            "readable": self.document.filter.readable,
            "folds": self.fold_locations(),
            "depth": model.map(|model| model.depth()),
            "selected": self.navigation.selected.zip(model).map(|(node, model)| model.rows[node] + 1),
            "moves": self.moves_to_selected(),
            "zoom": self.navigation.camera.map(|camera| camera.zoom()),
            "camera": self.navigation.camera.map(|camera| [camera.x, camera.y]),
            "canvas": [self.navigation.canvas.width, self.navigation.canvas.height],
            "canvas_at": self.navigation.canvas_origin,
            "places": self.node_locations(),
            "visits": model.map(|model| model.node(0).visits),
            "final": model.and_then(|model| model.meta.as_ref()).map(|meta| meta.is_final),
            "way": model.map(|model| model.last_path.len()),
            "left_out": model.map(|model| model.left_out),
            "least_visits": model.map(|model| model.least_visits),
        })
    }

    /// Settings, folder, match and game, and what is said.
    fn dump_window(&self) -> serde_json::Value {
        serde_json::json!({
            "colours": self.settings.edge_colours,
            "measure": self.settings.measure,
            "setup": self.dump_setup(),
            "theme": if self.settings.dark { "dark" } else { "light" },
            "follow": self.folder.is_following_newest,
            "directory": self.folder.directory.as_ref().map(|path| path.display().to_string()),
            "watching": self.folder.status(),
            "listed": self.folder.has_listing,
            "match": self.dump_match(),
            "game": self.dump_game(),
            "counters": self.counters.dump(),
            "awaits": self.waiting_text().filter(|_| self.document.model.is_none()),
            "board": format!("{:?}", self.shown_position()).to_lowercase(),
            "memory": self.memory(),
            "copied": self.clipboard_text,
            "message": self.message.as_ref().map(|message| message.text.clone()),
            "error": self.message.as_ref().map(|message| message.is_error),
        })
    }

    /// The replay of a growth journal.
    fn dump_replay(&self) -> serde_json::Value {
        let timeline = &self.document.timeline;
        serde_json::json!({
            "iterations": timeline.status.as_ref().map(|status| status.iterations),
            "iteration": timeline.shown_iteration,
            "live": timeline.is_live(),
            "playing": timeline.is_playing(),
            "indexing": timeline.status.as_ref().and_then(|status| status.progress),
        })
    }
}
