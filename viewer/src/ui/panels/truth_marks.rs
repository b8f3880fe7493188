//! Exact values in the window: marks at nodes, rings, the choice whether they are shown, and what the marks mean.

use canopy_engine::explain::{ValueClass, truth::regret_text};
use egui::{
    Color32, FontId, Frame, Margin, Painter, Panel, Pos2, Rect, RichText, Shape, Stroke,
    StrokeKind, Ui, pos2, vec2,
};

use super::{
    explain_term,
    form::{Segment, show_segments},
};
use crate::{
    app::{Action, App, NodeTruth, TruthMode},
    draw::theme::{SMALL_SIZE, Theme},
    tree::{model::TreeModel, node_value},
    ui::{
        controls,
        keys::{Command, hint},
    },
};

/// Radius of a mark beside a node with a label, and least room for it, in points.
const MARK_RADIUS: f32 = 7.0;
const MIN_MARK_ROOM: f32 = 17.0;
/// Radius of the ring around a small node, and of the ring of regret.
const SMALL_RING: f32 = 5.5;
const REGRET_RING: f32 = 11.0;

/// How a game ends for the side to move at the root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Win,
    Draw,
    Loss,
}

impl Mark {
    fn colour(self, theme: &Theme) -> Color32 {
        match self {
            Self::Win => theme.good,
            Self::Draw => theme.dim,
            Self::Loss => theme.bad,
        }
    }
}

impl From<ValueClass> for Mark {
    /// Of a value for the side to move at the root.
    fn from(class: ValueClass) -> Self {
        match class {
            ValueClass::Win => Self::Win,
            ValueClass::Draw => Self::Draw,
            ValueClass::Loss => Self::Loss,
        }
    }
}

/// The mark of what a move leads to, for the side to move at the root: the same as at its node.
pub(super) fn draw_class(
    painter: &Painter,
    at: Pos2,
    radius: f32,
    class: ValueClass,
    theme: &Theme,
) {
    draw_mark(painter, at, radius, class.into(), theme);
}

/// A circle with a tick, an equals sign or a cross.
fn draw_mark(painter: &Painter, at: Pos2, radius: f32, mark: Mark, theme: &Theme) {
    let colour = mark.colour(theme);
    let stroke = Stroke::new((radius * 0.2).max(1.3), colour);
    painter.circle(at, radius, theme.canvas, Stroke::new(1.3, colour));
    let line = |from: (f32, f32), to: (f32, f32)| {
        let point = |(x, y): (f32, f32)| at + vec2(x, y) * radius;
        painter.line_segment([point(from), point(to)], stroke);
    };
    match mark {
        Mark::Win => {
            line((-0.45, 0.05), (-0.1, 0.4));
            line((-0.1, 0.4), (0.5, -0.35));
        }
        Mark::Draw => {
            line((-0.4, -0.2), (0.4, -0.2));
            line((-0.4, 0.2), (0.4, 0.2));
        }
        Mark::Loss => {
            line((-0.35, -0.35), (0.35, 0.35));
            line((-0.35, 0.35), (0.35, -0.35));
        }
    }
}

/// Draws the marks of the nodes on the canvas, the most visited first. Returns their places, which labels keep free.
pub(super) fn draw(
    app: &App,
    model: &TreeModel,
    canvas: Rect,
    ui: &Ui,
    theme: &Theme,
) -> Vec<Rect> {
    let mode = app.truth_mode();
    let results = app.lesson_results(model);
    let is_marked = mode != TruthMode::Off || !results.is_empty();
    let Some(camera) = app.navigation.camera.filter(|_| is_marked) else {
        return Vec::new();
    };
    let scale = f64::from(ui.ctx().pixels_per_point());
    let view = &app.navigation.canvas;
    let painter = ui.painter_at(canvas);
    let root_is_first = model.node_states[0].is_first();
    let place = |node: usize| {
        let depth = model.depth_of(node) as f64;
        let (x, y) = camera.to_canvas(view, model.x[node], depth);
        canvas.min + vec2((x / scale) as f32, (y / scale) as f32)
    };
    let mut taken: Vec<Pos2> = Vec::new();
    let mark_of = |node: usize| -> Option<Mark> {
        let told = results.iter().find(|(known, _)| *known == node);
        if let Some((_, class)) = told {
            return Some((*class).into());
        }
        let NodeTruth::Known { winner, .. } = app.node_truth(node) else {
            return None;
        };
        Some(match winner {
            _ if mode == TruthMode::Off => return None,
            None => Mark::Draw,
            Some(winner) if (winner == canopy_engine::games::Player::First) == root_is_first => {
                Mark::Win
            }
            Some(_) => Mark::Loss,
        })
    };
    for node in most_visited(app, model) {
        let Some(mark) = mark_of(node) else { continue };
        let at = place(node);
        let above = at - vec2(0.0, MARK_RADIUS * 2.0 + 2.0);
        let is_free = taken
            .iter()
            .all(|&other| (other - above).length() > MIN_MARK_ROOM);
        if is_free && camera.layer_spacing / scale > 40.0 {
            draw_mark(&painter, above, MARK_RADIUS, mark, theme);
            taken.push(above);
        } else {
            draw_small(&painter, at, mark, theme);
        }
        if mode == TruthMode::Regret && app.is_mistake(model, node) {
            draw_regret_ring(&painter, at, theme);
        }
    }
    label_free(taken)
}

/// Draws the marks of the root's moves on one of two trees side by side. Returns their places, which labels keep free.
pub(super) fn draw_compared(
    app: &App,
    side: usize,
    canvas: Rect,
    ui: &Ui,
    theme: &Theme,
) -> Vec<Rect> {
    let (Some(shown), Some(camera)) = (&app.compare.shown, app.compare.camera(side)) else {
        return Vec::new();
    };
    let scale = f64::from(ui.ctx().pixels_per_point());
    let (model, view) = (&shown.sides[side], &app.compare.canvases[side]);
    let painter = ui.painter_at(canvas);
    let mut taken = Vec::new();
    for mv in &shown.root_moves {
        let place = mv.node.and_then(|place| shown.node(side, place));
        let (Some(node), Some((class, _))) = (place, app.root_truth(&mv.mv)) else {
            continue;
        };
        let (x, y) = camera.to_canvas(view, model.x[node], 1.0);
        let at = canvas.min + vec2((x / scale) as f32, (y / scale) as f32);
        let above = at - vec2(0.0, MARK_RADIUS * 2.0 + 2.0);
        let is_free = (taken.iter()).all(|&other: &Pos2| (other - above).length() > MIN_MARK_ROOM);
        if is_free {
            draw_mark(&painter, above, MARK_RADIUS, class.into(), theme);
            taken.push(above);
        } else {
            draw_small(&painter, at, class.into(), theme);
        }
    }
    label_free(taken)
}

/// What labels keep free around marks: they keep some distance by themselves, and those beside a node are to stay.
fn label_free(marks: Vec<Pos2>) -> Vec<Rect> {
    let size = vec2(0.5, 1.5) * MARK_RADIUS;
    (marks.into_iter())
        .map(|at| Rect::from_center_size(at, size))
        .collect()
}

/// A ring for a win, a square for a loss, nothing for a draw.
fn draw_small(painter: &Painter, at: Pos2, mark: Mark, theme: &Theme) {
    let stroke = Stroke::new(1.6, mark.colour(theme));
    match mark {
        Mark::Win => {
            painter.circle_stroke(at, SMALL_RING, stroke);
        }
        Mark::Loss => {
            let square = Rect::from_center_size(at, vec2(2.0, 2.0) * SMALL_RING);
            painter.rect_stroke(square, 0.0, stroke, StrokeKind::Middle);
        }
        Mark::Draw => {}
    }
}

/// A dashed ring.
fn draw_regret_ring(painter: &Painter, at: Pos2, theme: &Theme) {
    let points: Vec<Pos2> = (0..=40)
        .map(|step| {
            let angle = step as f32 / 40.0 * std::f32::consts::TAU;
            at + REGRET_RING * vec2(angle.cos(), angle.sin())
        })
        .collect();
    painter.extend(Shape::dashed_line(
        &points,
        Stroke::new(2.0, theme.bad),
        4.0,
        3.0,
    ));
}

/// Draws a strip below a chart at the times, of so many that are shown, at which the favourite move gives something away.
pub(super) fn draw_regret(
    (regret, shown): (&[u32], usize),
    plot: Rect,
    painter: &Painter,
    theme: &Theme,
) {
    let step = plot.width() / regret.len().saturating_sub(1).max(1) as f32;
    let wrong = (regret.iter().enumerate().take(shown)).filter(|(_, halves)| **halves > 0);
    for (time, _) in wrong {
        let left = plot.left() + (time as f32 - 0.5).max(0.0) * step;
        let right = (left + step + 0.5).min(plot.right());
        let strip = Rect::from_min_max(pos2(left, plot.bottom()), pos2(right, plot.bottom() + 3.0));
        painter.rect_filled(strip, 0.0, theme.bad);
    }
}

/// Nodes on the canvas, the most visited first.
fn most_visited(app: &App, model: &TreeModel) -> Vec<usize> {
    /// Nodes with a mark.
    const MAX_MARKS: usize = 80;
    /// Nodes looked at to find them.
    const MAX_LOOKED_AT: usize = 3_000;
    let mut heap =
        std::collections::BinaryHeap::from([(model.visits(0), std::cmp::Reverse(0_usize))]);
    let mut found = Vec::new();
    for _ in 0..MAX_LOOKED_AT {
        let Some((_, std::cmp::Reverse(node))) = heap.pop() else {
            break;
        };
        if node > 0 && app.is_on_canvas(model, node) {
            found.push(node);
            if found.len() >= MAX_MARKS {
                break;
            }
        }
        let children = model.children_of(node);
        heap.extend(children.map(|child| (model.visits(child), std::cmp::Reverse(child))));
    }
    found
}

/// Shows the choice of the marks and what they mean, in a strip above the tree.
pub(super) fn show_bar(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let bar = Frame::new()
        .fill(theme.panel)
        .inner_margin(Margin::symmetric(16, 6));
    Panel::top("truth")
        .frame(bar)
        .resizable(false)
        .show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 8.0;
                let heading = ui.label(RichText::new("Truth").color(theme.dim));
                explain_term(heading, "Truth");
                show_modes(app, ui, theme, actions);
                show_state(app, ui, theme);
            });
        });
}

fn show_modes(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let obstacle = app.truth_obstacle();
    let about = hint(
        "What an exact solver says of the moves on screen",
        Command::Truth,
    );
    let text = obstacle.unwrap_or(&about);
    let segments: Vec<Segment<'_>> = (TruthMode::ALL.iter())
        .map(|mode| Segment {
            is_enabled: obstacle.is_none(),
            ..Segment::new(
                format!("truth {}", mode.name().to_lowercase()),
                mode.name(),
                text,
            )
        })
        .collect();
    let now = app.truth_mode();
    let chosen = TruthMode::ALL.iter().position(|&mode| mode == now);
    let clicked = show_segments(ui, theme, &segments, chosen);
    if let Some(&mode) = clicked.and_then(|index| TruthMode::ALL.get(index)) {
        actions.push(Action::ShowTruth(mode));
    }
}

/// What the marks mean, as far as there is room, or what is waited for.
fn show_state(app: &App, ui: &mut Ui, theme: &Theme) {
    let Some(model) = app.document.model.as_ref() else {
        return;
    };
    if app.truth_mode() == TruthMode::Off {
        return;
    }
    let [first, second] = node_value::wording(model).players;
    let (owner, other) = match model.node_states[0].is_first() {
        true => (first, second),
        false => (second, first),
    };
    let entries = [
        (Mark::Win, format!("{owner} wins")),
        (Mark::Draw, "draw".to_owned()),
        (Mark::Loss, format!("{other} wins")),
    ];
    for (mark, text) in entries {
        if ui.available_width() < 90.0 {
            return;
        }
        let (place, _) = ui.allocate_exact_size(vec2(16.0, 20.0), egui::Sense::hover());
        draw_mark(ui.painter(), place.center(), MARK_RADIUS, mark, theme);
        ui.label(RichText::new(text).size(SMALL_SIZE));
    }
    let mistakes = app.mistakes();
    let waiting = app.truth_waiting();
    let text = match (waiting, mistakes.first()) {
        (1.., _) => format!("solving, {waiting} positions left"),
        (0, None) => "nothing given away in what is solved".to_owned(),
        (0, Some(&(_, halves))) => {
            let more = mistakes.len();
            let worst = regret_text(halves);
            hint(
                &format!("dashed: gives {worst} away, {more} in all"),
                Command::NextMistake,
            )
        }
    };
    let font = FontId::proportional(SMALL_SIZE);
    let galley = ui.painter().layout_no_wrap(text, font, theme.dim);
    if galley.size().x <= ui.available_width() {
        let (place, _) = ui.allocate_exact_size(galley.size(), egui::Sense::hover());
        controls::register(ui.ctx(), "truth state", place);
        ui.painter()
            .galley(pos2(place.left(), place.top()), galley, theme.dim);
    }
}
