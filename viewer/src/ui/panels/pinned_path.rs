//! The strip above the tree while its root is out of view: the way from the root to what is in view.

use std::sync::Arc;

use egui::{
    Align2, FontId, Galley, Painter, Rect, Sense, Stroke, StrokeKind, Ui, pos2, text::LayoutJob,
    vec2,
};

use super::{explain_term, move_label};
use crate::{
    app::{Action, App},
    draw::{fonts, theme::Theme},
    tree::{
        camera::{Camera, Canvas},
        labels::short_count,
        model::TreeModel,
        node_value::ValueView,
        raster::node_colours,
        scene::format_thousands,
        value_label::value_label,
    },
    ui::controls::Named as _,
};

/// Height of the strip and of its pills, in points.
const HEIGHT: f32 = 56.0;
const PILL_HEIGHT: f32 = 36.0;
/// Length of the line between two pills, and the distance from the canvas's sides.
const JOIN: f32 = 20.0;
const SIDE: f32 = 16.0;

/// A part of the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A node.
    Node(usize),
    /// Nodes that are left out, and the lowest of them.
    Skipped { count: usize, lowest: usize },
}

impl Step {
    /// What a click does.
    fn about(self) -> &'static str {
        match self {
            Self::Node(_) => "A node above what is in view; click to fly there",
            Self::Skipped { .. } => "Nodes between; click to fly to the lowest",
        }
    }

    fn node(self) -> usize {
        match self {
            Self::Node(node) | Self::Skipped { lowest: node, .. } => node,
        }
    }
}

/// Shows the strip if the root is out of view. Returns its place.
pub(super) fn show(
    app: &App,
    model: &TreeModel,
    area: Rect,
    ui: &Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) -> Option<Rect> {
    /// Width of the word before the pills.
    const WORD_WIDTH: f32 = 52.0;
    let camera = app.navigation.camera.as_ref()?;
    let path = pinned_path(
        model,
        camera,
        &app.navigation.canvas,
        app.navigation.selected,
    )?;
    let strip = Rect::from_min_size(area.min, vec2(area.width(), HEIGHT));
    let painter = ui.painter_at(strip);
    painter.rect_filled(strip, 0.0, theme.panel);
    let line = Stroke::new(1.0, theme.line);
    painter.hline(strip.x_range(), strip.bottom() - 0.5, line);
    // Drags on the strip do not move the tree.
    let id = ui.scope_id().with("pinned path");
    ui.interact(strip, id, Sense::CLICK | Sense::DRAG);
    let steps = shortened(&path);
    let mut left = strip.left() + SIDE;
    let has_word = strip.width() > 600.0;
    if has_word {
        let at = pos2(left, strip.center().y);
        let font = FontId::proportional(12.0);
        let written = painter.text(at, Align2::LEFT_CENTER, "Above", font, theme.dim);
        let id = ui.scope_id().with("pinned path word");
        explain_term(ui.interact(written, id, Sense::hover()), "Above");
        left += WORD_WIDTH;
    }
    let room = strip.right() - SIDE - left;
    let texts = fitting_texts(&steps, model, app.settings.value_view, room, ui, theme);
    for (index, (step, text)) in steps.into_iter().zip(texts).enumerate() {
        let size = vec2(text.size().x + pill_padding(step), PILL_HEIGHT);
        let pill = Rect::from_min_size(pos2(left, strip.center().y - PILL_HEIGHT / 2.0), size);
        if index > 0 {
            let is_expected = model.pv.get(model.depth_of(step.node())) == Some(&step.node());
            let (width, colour) = match is_expected {
                true => (2.4, theme.cool),
                false => (1.5, theme.line),
            };
            let ends = left - JOIN..=left;
            painter.hline(ends, pill.center().y, Stroke::new(width, colour));
        }
        let response = ui.interact(pill, ui.scope_id().with(("pill", index)), Sense::click());
        let response = response.explained(&format!("pinned {}", index + 1), step.about());
        let is_selected = app.navigation.selected == Some(step.node());
        let outline = match (is_selected, response.hovered()) {
            (true, _) => Stroke::new(2.0, theme.warm),
            (false, true) => Stroke::new(1.0, theme.cool),
            (false, false) => Stroke::new(1.0, theme.line),
        };
        draw_pill(step, text, (pill, outline), model, &painter, theme);
        if response.clicked() {
            actions.push(Action::GoToNode(step.node()));
        }
        left = pill.right() + JOIN;
    }
    Some(strip)
}

/// A pill with its node and its text.
fn draw_pill(
    step: Step,
    text: Arc<Galley>,
    (pill, outline): (Rect, Stroke),
    model: &TreeModel,
    painter: &Painter,
    theme: &Theme,
) {
    let radius = PILL_HEIGHT / 2.0;
    painter.rect(pill, radius, theme.card, outline, StrokeKind::Inside);
    let mut left = pill.left() + pill_padding(step) / 2.0;
    if let Step::Node(node) = step {
        let (fill, border) = node_colours(theme, model.is_light(node));
        let at = pos2(pill.left() + 18.0, pill.center().y);
        painter.circle(at, 6.0, fill, Stroke::new(1.4, border));
        left = pill.left() + 30.0;
    }
    let top = pill.center().y - text.size().y / 2.0;
    painter.galley(pos2(left, top), text, theme.text);
}

/// Width of a pill beside its text.
fn pill_padding(step: Step) -> f32 {
    /// Width of a pill beside its text: its node, and the room around.
    const PILL_PADDING: f32 = 42.0;
    match step {
        Step::Node(_) => PILL_PADDING,
        Step::Skipped { .. } => 28.0,
    }
}

/// The nodes from the root to the topmost node in view above the selected or else the most visited one in view; none while
/// the root itself is in view.
fn pinned_path(
    model: &TreeModel,
    camera: &Camera,
    canvas: &Canvas,
    selected: Option<usize>,
) -> Option<Vec<usize>> {
    let top = f64::from(HEIGHT) * canvas.scale;
    let is_within = |(x, y): (f64, f64), top: f64| {
        (0.0..=canvas.width).contains(&x) && (top..=canvas.height).contains(&y)
    };
    let place = |node: usize| {
        let depth = model.depth_of(node) as f64;
        camera.to_canvas(canvas, model.x[node], depth)
    };
    if is_within(place(0), 0.0) {
        return None;
    }
    let is_seen = |node: &usize| is_within(place(*node), top);
    let anchor = (selected.filter(|&node| node < model.len() && is_seen(&node)))
        .or_else(|| most_visited_in_view(model, camera, canvas, top))?;
    let mut path = model.path(anchor);
    let first_seen = path.iter().position(is_seen)?;
    path.truncate(first_seen + 1);
    Some(path)
}

/// The most visited node below a height of the canvas.
fn most_visited_in_view(
    model: &TreeModel,
    camera: &Camera,
    canvas: &Canvas,
    top: f64,
) -> Option<usize> {
    let (left, first) = camera.to_tree(canvas, 0.0, top);
    let (right, last) = camera.to_tree(canvas, canvas.width, canvas.height);
    let first = first.max(0.0).ceil() as usize;
    let last = last.floor().min((model.depth() - 1) as f64);
    if last < 0.0 {
        return None;
    }
    (first..=last as usize)
        .filter_map(|depth| {
            let layer = model.layer(depth);
            let xs = &model.x[layer.clone()];
            let begin = layer.start + xs.partition_point(|&x| x < left);
            let end = layer.start + xs.partition_point(|&x| x <= right);
            (begin < end).then(|| model.most_visited(begin..end))
        })
        .max_by_key(|&node| (model.visits(node), std::cmp::Reverse(node)))
}

/// The path with its middle left out if it is long.
fn shortened(path: &[usize]) -> Vec<Step> {
    /// More nodes than these are shortened in the middle.
    const MAX_PILLS: usize = 4;
    let node = |&node: &usize| Step::Node(node);
    match path {
        [first, middle @ .., before, last] if path.len() > MAX_PILLS => vec![
            Step::Node(*first),
            Step::Skipped {
                count: middle.len(),
                lowest: middle.last().copied().unwrap_or(*first),
            },
            Step::Node(*before),
            Step::Node(*last),
        ],
        _ => path.iter().map(node).collect(),
    }
}

/// The texts of the pills, the longest for which there is room.
fn fitting_texts(
    steps: &[Step],
    model: &TreeModel,
    view: ValueView,
    room: f32,
    ui: &Ui,
    theme: &Theme,
) -> Vec<Arc<Galley>> {
    let mut texts = Vec::new();
    for length in [3, 2, 1, 0] {
        texts = (steps.iter())
            .map(|&step| {
                ui.painter()
                    .layout_job(pill_text(step, model, view, length, theme))
            })
            .collect();
        let padding: f32 = steps.iter().map(|&step| pill_padding(step)).sum();
        let width: f32 = texts.iter().map(|text| text.size().x).sum();
        if padding + width + JOIN * (steps.len() as f32 - 1.0) <= room {
            break;
        }
    }
    texts
}

/// The move, with its visits and its value as far as `length` allows.
fn pill_text(
    step: Step,
    model: &TreeModel,
    view: ValueView,
    length: u32,
    theme: &Theme,
) -> LayoutJob {
    let strong = FontId::new(13.0, fonts::semibold());
    let node = match step {
        Step::Skipped { count, .. } => {
            return LayoutJob::simple_singleline(format!("+{count}"), strong, theme.dim);
        }
        Step::Node(node) => node,
    };
    let mut name = move_label(model, node);
    if name.chars().count() > 16 {
        name = name.chars().take(15).collect::<String>() + "…";
    }
    let mut job = LayoutJob::simple_singleline(name, strong, theme.text);
    let visits = u64::from(model.node(node).visits.max(0).unsigned_abs());
    let count = match length {
        _ if visits == 0 => None,
        3 | 2 => Some(format_thousands(visits)),
        1 => Some(short_count(visits)),
        _ => None,
    };
    let value = (length == 3)
        .then(|| value_label(model, node, view))
        .flatten();
    let rest: Vec<String> = count.into_iter().chain(value).collect();
    if !rest.is_empty() {
        let format = egui::TextFormat::simple(FontId::proportional(12.0), theme.dim);
        job.append(&rest.join(" · "), 8.0, format);
    }
    job
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ways_are_shortened_in_the_middle() {
        let steps = |count: usize| shortened(&(0..count).collect::<Vec<_>>());
        assert_eq!(steps(4), [0, 1, 2, 3].map(Step::Node));
        let skipped = Step::Skipped {
            count: 3,
            lowest: 3,
        };
        let expected = [Step::Node(0), skipped, Step::Node(4), Step::Node(5)];
        assert_eq!(steps(6), expected);
    }
}
