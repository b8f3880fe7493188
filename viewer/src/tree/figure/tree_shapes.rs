//! A scene as shapes of a figure.

use egui::Color32;
use tiny_skia::{PathBuilder, Rect};

use super::{
    disc,
    drawing::{Drawing, Line, Typefaces, Weight, through},
};
use crate::{
    draw::theme::{Theme, mix},
    tree::{
        labels::{FIRST_LINE, PlacedLabel, REST_SIZE, SECOND_LINE, TITLE_SIZE},
        model::TreeModel,
        raster::{
            FOLD_DOTS, LAST_PATH_DASH, SHARED_RING_GAP, fold_edge, label_colours, node_colours,
        },
        scene::{EdgeLine, FOLD_HALF_WIDTH, FoldMarker, NodeDisc, Scene},
        svg::HALO_WIDTH,
    },
};

/// Adds a tree to a drawing, moved down by `top`.
pub(super) struct TreeShapes<'a> {
    pub(super) model: &'a TreeModel,
    pub(super) theme: &'a Theme,
    pub(super) scale: f32,
    pub(super) top: f32,
    pub(super) faces: &'a mut Typefaces,
    pub(super) drawing: &'a mut Drawing,
}

impl TreeShapes<'_> {
    pub(super) fn add(&mut self, scene: &Scene) {
        self.add_edges(scene);
        for fold in &scene.folds {
            self.add_fold(fold);
        }
        for (points, colour, width, dash) in [
            (&scene.selected_path, self.theme.warm, 1.6, None),
            (&scene.pv, self.theme.cool, 2.4, None),
            (&scene.last_path, self.theme.good, 2.4, Some(LAST_PATH_DASH)),
        ] {
            let points: Vec<_> = points.iter().map(|&at| self.at(at)).collect();
            let line = Line {
                dash: dash.map(|lengths| lengths.map(|length| length * self.scale)),
                is_round: dash.is_none(),
                ..Line::new(colour, width * self.scale)
            };
            self.drawing.polyline(&points, line);
        }
        for disc in &scene.nodes {
            self.add_node(disc);
        }
        self.add_selection(scene);
        for label in &scene.labels {
            self.add_label(label);
        }
    }

    fn at(&self, (x, y): (f32, f32)) -> (f32, f32) {
        (x, y + self.top)
    }

    fn add_edges(&mut self, scene: &Scene) {
        for group in (scene.edges).chunk_by(EdgeLine::looks_like) {
            let mut path = PathBuilder::new();
            for edge in group {
                let (from, to) = (self.at(edge.from), self.at(edge.to));
                path.move_to(from.0, from.1);
                path.line_to(to.0, to.1);
            }
            let [red, green, blue] = scene.colours.rgb(self.theme, group[0].heat);
            let ink = Color32::from_rgb(red, green, blue);
            // Print knows no half-transparent ink: it is mixed with the ground.
            let colour = mix(self.theme.canvas, ink, group[0].opacity);
            self.drawing
                .stroke(path.finish(), Line::new(colour, group[0].width));
        }
    }

    fn add_fold(&mut self, fold: &FoldMarker) {
        let (x, y) = self.at(fold.at);
        let half = FOLD_HALF_WIDTH as f32 * self.scale;
        if let Some(from) = fold.from {
            let dots = Line {
                dash: Some(FOLD_DOTS.map(|length| length * self.scale)),
                is_round: false,
                ..Line::new(fold_edge(self.theme), self.scale)
            };
            let points = [self.at(from), (x, y + half)];
            self.drawing.stroke(through(&points), dots);
        }
        let mut path = PathBuilder::new();
        path.move_to(x, y);
        path.line_to(x + half, y + 1.8 * half);
        path.line_to(x - half, y + 1.8 * half);
        path.close();
        self.drawing.fill(path.finish(), self.theme.dim);
    }

    fn add_node(&mut self, node: &NodeDisc) {
        let index = node.node as usize;
        let (x, y) = self.at(node.at);
        let path = if self.model.node_states[index].is_terminal() {
            let side = node.radius * 0.86;
            Rect::from_ltrb(x - side, y - side, x + side, y + side).map(PathBuilder::from_rect)
        } else {
            disc((x, y), node.radius)
        };
        let (fill, border) = print_colours(self.theme, self.model.is_light(index));
        let width = (node.radius * 0.25).clamp(0.6 * self.scale, 1.2 * self.scale);
        self.drawing.outlined(path, fill, Line::new(border, width));
        if self.model.is_shared(self.model.row(index)) {
            let ring = disc((x, y), node.radius + SHARED_RING_GAP * self.scale);
            self.drawing
                .stroke(ring, Line::new(self.theme.dim, self.scale));
        }
    }

    fn add_selection(&mut self, scene: &Scene) {
        let Some(&at) = scene.selected_path.last() else {
            return;
        };
        let is_it = |disc: &&NodeDisc| {
            (disc.at.0 - at.0).abs() < 0.5 * self.scale
                && (disc.at.1 - at.1).abs() < 0.5 * self.scale
        };
        let radius = (scene.nodes.iter().find(is_it)).map_or(3.0 * self.scale, |disc| disc.radius);
        let ring = disc(self.at(at), radius + 3.5 * self.scale);
        self.drawing
            .stroke(ring, Line::new(self.theme.warm, 2.2 * self.scale));
    }

    fn add_label(&mut self, label: &PlacedLabel) {
        let scale = self.scale;
        let (title_size, size) = (TITLE_SIZE * scale, REST_SIZE * scale);
        let (text, area) = (&label.text, &label.area);
        let flush = label.choice.1.alignment();
        let start = |width: f32| area.left + flush * (area.right - area.left - width);
        let title_width = self.faces.width(&text.title, title_size, Weight::Semibold);
        let rest_width = self.faces.width(&text.rest, size, Weight::Regular);
        let left = start(title_width + rest_width);
        let y = area.top + FIRST_LINE / 2.0 * scale + self.top;
        let second_width = self.faces.width(&text.second, size, Weight::Regular);
        let second_y = area.top + (FIRST_LINE + SECOND_LINE / 2.0) * scale + self.top;
        let colours = label_colours(label.owner, self.theme);
        let runs = [
            (&text.title, title_size, Weight::Semibold, (left, y)),
            (&text.rest, size, Weight::Regular, (left + title_width, y)),
            (
                &text.second,
                size,
                Weight::Regular,
                (start(second_width), second_y),
            ),
        ];
        for ((text, size, weight, at), colour) in runs.into_iter().zip(colours) {
            let path = self.faces.outline(text, size, weight, at);
            if label.crosses_edges {
                let halo = Line::new(self.theme.canvas, HALO_WIDTH * scale);
                self.drawing.stroke(path.clone(), halo);
            }
            self.drawing.fill(path, colour);
        }
    }
}

/// The colours of a node; on paper a light one has a border as dark as the text.
pub(super) fn print_colours(theme: &Theme, is_light: bool) -> (Color32, Color32) {
    match (theme.is_dark, is_light) {
        (false, true) => (theme.light_player, theme.text),
        (false, false) => (theme.dark_player, theme.dark_player),
        _ => node_colours(theme, is_light),
    }
}
