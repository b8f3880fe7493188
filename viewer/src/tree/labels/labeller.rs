//! From a scene to the candidates for labels, and what is remembered from picture to picture.

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Arc, Weak},
};

use super::{
    LabelBox, LabelCandidate, LabelOwner, MARK_HEIGHT, Place, PlacedLabel, SizedText, Surroundings,
    place_labels,
    texts::{TextMeasure, fold_texts, node_texts, plain_texts},
};
use crate::tree::{
    camera::{Camera, Canvas},
    model::TreeModel,
    scene::{FOLD_HALF_WIDTH, LabelStyle, NodeDisc, RenderOptions, Scene},
};

/// Upper bound of nodes that are candidates, the most visited of those in view.
const MAX_CANDIDATES: usize = 300;

/// What labels depend on beside the scene.
#[derive(Clone, Copy)]
pub struct LabelledView<'a> {
    /// The tree.
    pub model: &'a Arc<TreeModel>,
    /// The part of the tree in view.
    pub camera: &'a Camera,
    /// The size of the picture.
    pub canvas: &'a Canvas,
    /// Whether there are labels at all.
    pub options: &'a RenderOptions,
    /// The selected node.
    pub selected: Option<usize>,
    /// What covers parts of the picture, in pixels.
    pub overlays: &'a [LabelBox],
}

/// Labels pictures of trees.
#[derive(Default)]
pub struct Labeller {
    measure: TextMeasure,
    last: Option<LastPicture>,
}

/// The labels of the last picture, and what they were placed for.
struct LastPicture {
    model: Weak<TreeModel>,
    spacing: (f64, f64),
    scale: f64,
    options: RenderOptions,
    selected: Option<usize>,
    choices: HashMap<LabelOwner, (usize, Place)>,
}

impl LastPicture {
    /// Whether labels keep their places: the tree may have been scrolled, but it is the same at the same zoom.
    fn is_kept(&self, view: &LabelledView<'_>) -> bool {
        self.model.as_ptr() == Arc::as_ptr(view.model)
            && self.spacing == (view.camera.sibling_spacing, view.camera.layer_spacing)
            && self.scale == view.canvas.scale
            && self.options == *view.options
    }
}

impl Labeller {
    /// The labels of a scene.
    pub fn place(&mut self, scene: &Scene, view: &LabelledView<'_>) -> Vec<PlacedLabel> {
        /// Free distance from the edges of the canvas, in points.
        const CANVAS_MARGIN: f32 = 4.0;
        if !view.options.shows_labels {
            self.last = None;
            return Vec::new();
        }
        let last = self.last.take().filter(|last| last.is_kept(view));
        let scale = view.canvas.scale as f32;
        let (obstacles, discs) = obstacles(scene, view);
        let mut candidates = self.node_candidates(scene, view, &discs);
        candidates.extend(self.fold_candidates(scene, view, discs.len()));
        for candidate in &mut candidates {
            let is_selected = |selected: Option<usize>| {
                selected.map(|node| LabelOwner::Node(node as u32)) == Some(candidate.owner)
            };
            let choice =
                (last.as_ref()).and_then(|last| last.choices.get(&candidate.owner).copied());
            // A node that was selected or is no longer has other texts.
            let has_changed = (last.as_ref()).is_some_and(|last| {
                last.selected != view.selected
                    && (is_selected(last.selected) || is_selected(view.selected))
            });
            candidate.kept = choice.filter(|_| !has_changed);
            candidate.comes_first = has_changed && is_selected(view.selected);
        }
        let canvas = LabelBox {
            left: 0.0,
            top: 0.0,
            right: view.canvas.width as f32,
            bottom: view.canvas.height as f32,
        };
        let placed = place_labels(
            &candidates,
            &Surroundings {
                canvas: canvas.expanded(-CANVAS_MARGIN * scale),
                obstacles: &obstacles,
                edges: &scene.edge_rows,
                lines: &scene.pv,
                scale,
            },
        );
        self.last = Some(LastPicture {
            model: Arc::downgrade(view.model),
            spacing: (view.camera.sibling_spacing, view.camera.layer_spacing),
            scale: view.canvas.scale,
            options: *view.options,
            selected: view.selected,
            choices: (placed.iter())
                .map(|label| (label.owner, label.choice))
                .collect(),
        });
        placed
    }

    /// The candidates among the nodes: the root, the selection, the principal variation, then the most visited.
    fn node_candidates(
        &mut self,
        scene: &Scene,
        view: &LabelledView<'_>,
        radii: &[f32],
    ) -> Vec<LabelCandidate> {
        /// Nodes with fewer visits than one in this many of the most visited in view below the root have no labels.
        const MIN_VISIT_SHARE: i64 = 1000;
        /// Layers closer than this, in points, have no labels but the root's.
        const MIN_ROW_HEIGHT: f64 = 20.0;
        let model = view.model;
        let is_tight = view.camera.layer_spacing < MIN_ROW_HEIGHT * view.canvas.scale;
        let rank = |disc: &NodeDisc| {
            let node = disc.node as usize;
            let group = match node {
                0 => 0,
                _ if view.selected == Some(node) => 1,
                _ if model.pv.get(model.depth_of(node)) == Some(&node) => 2,
                _ => 3,
            };
            (group, Reverse(model.visits(node)), disc.node)
        };
        // Nodes beyond the edges may be drawn, and stand for their neighbours.
        let (width, height) = (view.canvas.width as f32, view.canvas.height as f32);
        let visits = |disc: &NodeDisc| i64::from(model.visits(disc.node as usize));
        let below_root = scene.nodes.iter().filter(|disc| disc.node != 0);
        let most = below_root.map(visits).max().unwrap_or(0);
        let is_wanted = |disc: &NodeDisc| {
            let is_named = disc.node == 0 || view.selected == Some(disc.node as usize);
            let has_weight = visits(disc) * MIN_VISIT_SHARE >= most;
            let (x, y) = disc.at;
            (is_named || (!is_tight && has_weight))
                && (0.0..=width).contains(&x)
                && (0.0..=height).contains(&y)
        };
        let mut wanted: Vec<_> = (scene.nodes.iter().enumerate())
            .filter(|(_, disc)| is_wanted(disc))
            .map(|(index, disc)| (rank(disc), index))
            .collect();
        if wanted.len() > MAX_CANDIDATES {
            wanted.select_nth_unstable(MAX_CANDIDATES);
            wanted.truncate(MAX_CANDIDATES);
        }
        wanted.sort_unstable();
        let mut candidates = Vec::with_capacity(wanted.len());
        for (_, index) in wanted {
            candidates.push(self.node_candidate(&scene.nodes[index], (index, radii[index]), view));
        }
        candidates
    }

    fn node_candidate(
        &mut self,
        disc: &NodeDisc,
        (index, radius): (usize, f32),
        view: &LabelledView<'_>,
    ) -> LabelCandidate {
        /// Edges that labels of the first layer may cross; the others cross none.
        const MAX_FIRST_LAYER_CROSSINGS: usize = 3;
        /// Neighbours at least this far apart, in points, have their values in their labels.
        const MIN_SPACING_FOR_VALUES: f64 = 110.0;
        let (model, node) = (view.model, disc.node as usize);
        let depth = model.depth_of(node);
        let is_close = view.camera.sibling_spacing > MIN_SPACING_FOR_VALUES * view.canvas.scale;
        let has_value = depth == 1 || view.selected == Some(node) || is_close;
        let texts = match view.options.label_style {
            LabelStyle::Full => {
                node_texts(model, node, has_value.then_some(view.options.value_view))
            }
            LabelStyle::Visits => node_texts(model, node, None),
            LabelStyle::Shares => plain_texts(model, node, true),
            LabelStyle::Moves => plain_texts(model, node, false),
        };
        let mut places = node_places(model, node);
        let (x, y) = disc.at;
        let mark = LabelBox::around((x, y - MARK_HEIGHT * view.canvas.scale as f32), 0.5);
        if view
            .overlays
            .iter()
            .any(|overlay| overlay.intersects(&mark))
        {
            let is_left = places.iter().position(|place| *place == Place::Left)
                < places.iter().position(|place| *place == Place::Right);
            places.extend(match is_left {
                true => [Place::BesideMarkLeft, Place::BesideMarkRight],
                false => [Place::BesideMarkRight, Place::BesideMarkLeft],
            });
        }
        LabelCandidate {
            owner: LabelOwner::Node(disc.node),
            at: disc.at,
            radius,
            obstacle: Some(index),
            places,
            texts: self.sized(texts, view.canvas.scale as f32),
            max_crossings: if depth == 1 {
                MAX_FIRST_LAYER_CROSSINGS
            } else {
                0
            },
            kept: None,
            comes_first: false,
        }
    }

    /// The counts at the triangles, which come after all nodes; `first` is the number of the first triangle among the obstacles.
    fn fold_candidates(
        &mut self,
        scene: &Scene,
        view: &LabelledView<'_>,
        first: usize,
    ) -> Vec<LabelCandidate> {
        let scale = view.canvas.scale as f32;
        let mut candidates = Vec::new();
        for (index, fold) in scene.folds.iter().enumerate().take(MAX_CANDIDATES) {
            let radius = FOLD_HALF_WIDTH as f32 * scale;
            let texts = fold_texts(fold.moves, fold.node == 0);
            candidates.push(LabelCandidate {
                owner: LabelOwner::Fold(fold.node),
                at: (fold.at.0, fold.at.1 + radius),
                radius,
                obstacle: Some(first + index),
                places: vec![Place::Below, Place::Right],
                texts: self.sized(texts, scale),
                max_crossings: 0,
                kept: None,
                comes_first: false,
            });
        }
        candidates
    }

    fn sized(&mut self, texts: Vec<super::LabelText>, scale: f32) -> Vec<SizedText> {
        (texts.into_iter())
            .map(|text| self.measure.sized(text, scale))
            .collect()
    }
}

/// The places around a node, in the order in which they are tried: where its edges leave room.
fn node_places(model: &TreeModel, node: usize) -> Vec<Place> {
    if node == 0 {
        return vec![Place::Above, Place::Right, Place::Left];
    }
    let is_left = model.x[node] < model.x[model.parents[node] as usize];
    let (away, other) = match is_left {
        true => (
            [Place::Left, Place::AboveLeft],
            [Place::Right, Place::AboveRight],
        ),
        false => (
            [Place::Right, Place::AboveRight],
            [Place::Left, Place::AboveLeft],
        ),
    };
    let around = [away[0], other[0], away[1], other[1]];
    let below = (model.children[node] == 0).then_some(Place::Below);
    below.into_iter().chain(around).collect()
}

/// The boxes of nodes, triangles and overlays, in this order, and the radii of the nodes.
fn obstacles(scene: &Scene, view: &LabelledView<'_>) -> (Vec<LabelBox>, Vec<f32>) {
    /// Additional radius of the selected node, for its ring, in points.
    const RING_WIDTH: f32 = 5.0;
    let scale = view.canvas.scale as f32;
    let radii: Vec<f32> = (scene.nodes.iter())
        .map(|disc| match view.selected == Some(disc.node as usize) {
            true => disc.radius + RING_WIDTH * scale,
            false => disc.radius,
        })
        .collect();
    let nodes =
        (scene.nodes.iter().zip(&radii)).map(|(disc, &radius)| LabelBox::around(disc.at, radius));
    // Near its corner on top a triangle is narrow, and may be close to a text.
    let half = FOLD_HALF_WIDTH as f32 * scale;
    let (middle, radius) = (1.4 * half, 0.6 * half);
    let folds =
        (scene.folds.iter()).map(|fold| LabelBox::around((fold.at.0, fold.at.1 + middle), radius));
    let boxes = nodes
        .chain(folds)
        .chain(view.overlays.iter().copied())
        .collect();
    (boxes, radii)
}
