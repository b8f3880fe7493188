//! The tree of an iteration: its nodes with their visits, the path, and what changes along it.

use egui::{
    Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Ui, Vec2, pos2, vec2,
};

use super::Shown;
use crate::{
    draw::{
        fonts,
        theme::{BODY_SIZE, SMALL_SIZE},
    },
    tree::{
        iteration::{NodeUpdate, Phase, StepNode},
        scene::format_thousands,
        value_text::{NO_DATA, percent},
    },
};

/// Radii of nodes, in points.
const RADIUS: (f32, f32) = (3.0, 15.0);
/// Least radius of a node with its visits inside, and the most visits that fit in.
const MIN_RADIUS_FOR_TEXT: f32 = 9.5;
const MAX_VISITS_INSIDE: u64 = 999;
/// Least distance of nodes with a label below, and with one on the right.
const MIN_DISTANCE_FOR_LABELS: f32 = 24.0;
/// Nodes closer than this have their shares without the sign.
const MIN_DISTANCE_FOR_PERCENT: f32 = 42.0;
const MIN_DISTANCE_FOR_SIDE_LABELS: f32 = 108.0;
/// Bounds of the distance between levels.
const LEVEL_HEIGHT: (f32, f32) = (24.0, 136.0);
/// Levels further apart than this have labels below their nodes.
const MIN_LEVEL_FOR_LABELS: f32 = 62.0;
/// Margins above the root and below the last level.
const TOP_MARGIN: f32 = 48.0;
const BOTTOM_MARGIN: f32 = 60.0;

/// Semibold text.
pub(in crate::ui::panels) fn strong(size: f32) -> FontId {
    FontId::new(size, fonts::semibold())
}

/// Where everything is drawn.
struct Drawing<'a> {
    shown: &'a Shown<'a>,
    painter: Painter,
    area: Rect,
    /// Where nodes are.
    span: Rect,
    radius: f32,
    /// The height of every level.
    levels: Vec<f32>,
    level_height: f32,
    /// By level: the least distance of its nodes, in points.
    distances: Vec<f32>,
}

/// Draws the tree; the place of the path's last node.
pub(super) fn draw(shown: &Shown<'_>, area: Rect, board: Rect, ui: &Ui) -> Pos2 {
    let drawing = Drawing::new(shown, area, board, ui);
    drawing.draw_edges();
    let mut leaf = area.center();
    for node in shown.steps.tree.nodes.iter() {
        if drawing.is_there(node) {
            drawing.draw_node(node);
            if node.on_path.is_some() {
                leaf = drawing.place(node);
            }
        }
    }
    if shown.has_reached(Phase::BackUp) {
        for node in &shown.steps.tree.nodes {
            if let Some(update) = drawing.update(node) {
                drawing.draw_card(drawing.place(node), update);
            }
        }
    }
    leaf
}

impl<'a> Drawing<'a> {
    fn new(shown: &'a Shown<'a>, area: Rect, board: Rect, ui: &Ui) -> Self {
        let tree = &shown.steps.tree;
        let (top, bottom) = (area.top() + TOP_MARGIN, area.bottom() - BOTTOM_MARGIN);
        let count = tree.levels.max(2) as f32 - 1.0;
        let height = ((bottom - top) / count).clamp(LEVEL_HEIGHT.0, LEVEL_HEIGHT.1);
        // The first moves stand below the board, if the others can do with less.
        let first = (board.bottom() + 28.0 - top).max(height);
        let rest = (bottom - top - first) / (count - 1.0).max(1.0);
        let is_below = rest >= MIN_LEVEL_FOR_LABELS || tree.levels <= 2;
        let (first, height) = match is_below {
            true => (first, rest.clamp(LEVEL_HEIGHT.0, LEVEL_HEIGHT.1)),
            false => (height, height),
        };
        // Else all levels stand beside it.
        let left = match is_below {
            true => area.left(),
            false => board.right() + 8.0,
        };
        let span = Rect::from_min_max(pos2(left, area.top()), area.max);
        let levels: Vec<f32> = (0..tree.levels)
            .map(|level| match level {
                0 => top,
                level => top + first + height * (level - 1) as f32,
            })
            .collect();
        let least = tree.least_distance() as f32 * span.width();
        let radius = (least * 0.43).min(height * 0.3).clamp(RADIUS.0, RADIUS.1);
        let distances = (0..tree.levels)
            .map(|level| tree.distance_in(level) as f32 * span.width())
            .collect();
        Self {
            shown,
            painter: ui.painter_at(area),
            area,
            span,
            radius,
            levels,
            level_height: height,
            distances,
        }
    }

    fn place(&self, node: &StepNode) -> Pos2 {
        let y = self.levels.get(node.depth).copied();
        pos2(
            self.span.left() + self.span.width() * node.x as f32,
            y.unwrap_or(self.area.top()),
        )
    }

    /// Whether a node is there already: the new one comes with the expansion.
    fn is_there(&self, node: &StepNode) -> bool {
        !self.is_new(node) || self.shown.has_reached(Phase::Expand)
    }

    fn is_new(&self, node: &StepNode) -> bool {
        let last = self.shown.steps.updates.len().checked_sub(1);
        self.shown.steps.tree.has_new && node.on_path.is_some() && node.on_path == last
    }

    /// What the iteration changed of a node of the path.
    fn update(&self, node: &StepNode) -> Option<&NodeUpdate> {
        self.shown.steps.updates.get(node.on_path?)
    }

    /// Whether the path was told down to a node.
    fn is_reached(&self, node: &StepNode) -> bool {
        node.on_path.is_some_and(|index| match self.shown.phase {
            Phase::Select(step) => index <= step + 1,
            _ => true,
        })
    }

    /// Whether the choice that is shown is made among the node and its siblings.
    fn is_compared(&self, node: &StepNode) -> bool {
        let Phase::Select(step) = self.shown.phase else {
            return false;
        };
        let parent = self.shown.steps.tree.nodes.get(node.parent);
        node.depth > 0 && parent.is_some_and(|parent| parent.on_path == Some(step))
    }

    fn draw_edges(&self) {
        let theme = self.shown.theme;
        let nodes = &self.shown.steps.tree.nodes;
        let edges = || nodes.iter().skip(1).filter(|node| self.is_there(node));
        let line = |node: &StepNode| {
            let above = nodes.get(node.parent).unwrap_or(node);
            [self.place(above), self.place(node)]
        };
        for node in edges().filter(|node| !self.is_reached(node)) {
            let stroke = Stroke::new(1.2, theme.edge_least);
            self.painter.line_segment(line(node), stroke);
        }
        for node in edges().filter(|node| self.is_reached(node)) {
            let stroke = Stroke::new(3.0, theme.last);
            match self.is_new(node) {
                true => {
                    let dashes = Shape::dashed_line(&line(node), stroke, 9.0, 4.0);
                    self.painter.extend(dashes);
                }
                false => {
                    self.painter.line_segment(line(node), stroke);
                }
            }
            if self.shown.has_reached(Phase::BackUp) {
                self.draw_arrow(line(node));
            }
        }
    }

    /// An arrow from the node up to the one above it.
    fn draw_arrow(&self, [above, node]: [Pos2; 2]) {
        let direction = (above - node).normalized();
        let across = vec2(-direction.y, direction.x);
        let size = (self.level_height * 0.09).clamp(4.0, 8.0);
        let tip = node.lerp(above, 0.5) + direction * size;
        let foot = tip - direction * size * 1.8;
        let points = vec![tip, foot + across * size, foot - across * size];
        let shape = Shape::convex_polygon(points, self.shown.theme.warm, Stroke::NONE);
        self.painter.add(shape);
    }

    /// The visits that are shown: those before the iteration until it counts.
    fn visits(&self, node: &StepNode) -> u64 {
        match self.update(node) {
            Some(update) if !self.shown.has_reached(Phase::BackUp) => update.visits.0,
            Some(update) => update.visits.1,
            None => node.visits,
        }
    }

    fn share_text(&self, node: &StepNode) -> String {
        let share = match self.update(node) {
            Some(update) if !self.shown.has_reached(Phase::BackUp) => update.share.0,
            Some(update) => Some(update.share.1),
            None => Some(node.share),
        };
        let visits = self.visits(node);
        share.map_or(NO_DATA.to_owned(), |share| percent(share, visits))
    }

    fn draw_node(&self, node: &StepNode) {
        let theme = self.shown.theme;
        let at = self.place(node);
        let (fill, text) = match node.is_light {
            true => (theme.light_player, theme.dark_player),
            false => (theme.dark_player, theme.light_player),
        };
        let outline = match theme.is_dark {
            true => theme.light_player,
            false => theme.dark_player,
        };
        self.painter
            .circle(at, self.radius, fill, Stroke::new(1.5, outline));
        if self.is_reached(node) {
            let ring = self.radius + 1.5;
            self.painter
                .circle_stroke(at, ring, Stroke::new(3.0, theme.last));
        }
        let visits = self.visits(node);
        let fits = self.radius >= MIN_RADIUS_FOR_TEXT && visits <= MAX_VISITS_INSIDE;
        if fits {
            let font = strong(SMALL_SIZE);
            self.painter
                .text(at, Align2::CENTER_CENTER, visits.to_string(), font, text);
        }
        self.draw_label(node, at, (!fits).then_some(visits));
    }

    /// The move, with the score where it is compared, else the share of wins.
    fn draw_label(&self, node: &StepNode, at: Pos2, visits: Option<u64>) {
        let shows_card = self.shown.has_reached(Phase::BackUp) && node.on_path.is_some();
        if node.depth == 0 || shows_card {
            return;
        }
        let theme = self.shown.theme;
        let distance = self.distances.get(node.depth).copied().unwrap_or(0.0);
        let has_levels = self.level_height >= MIN_LEVEL_FOR_LABELS;
        let is_beside = distance >= MIN_DISTANCE_FOR_SIDE_LABELS;
        if !is_beside && (distance < MIN_DISTANCE_FOR_LABELS || !has_levels) {
            if node.on_path.is_some() && self.is_reached(node) {
                let at = at + vec2(self.radius + 6.0, 0.0);
                self.write(
                    at,
                    Align2::LEFT_CENTER,
                    &node.name,
                    strong(SMALL_SIZE),
                    theme.text,
                );
            }
            return;
        }
        let (score, is_chosen) = self.score(node);
        let (second, colour) = match score {
            Some(score) if is_chosen => (score, theme.last),
            Some(score) => (score, theme.text),
            None => (self.share_text(node), theme.dim),
        };
        let second = match (is_beside, self.is_compared(node)) {
            (true, true) => format!("score {second}"),
            (true, false) => format!("{} wins {second}", self.shown.steps.owner),
            (false, false) if distance < MIN_DISTANCE_FOR_PERCENT => {
                second.trim_end_matches(" %").to_owned()
            }
            (false, _) => second,
        };
        let name = match visits {
            Some(visits) if is_beside => format!("{} · {}", node.name, format_thousands(visits)),
            _ => node.name.clone(),
        };
        let font = FontId::proportional(SMALL_SIZE);
        let (first_at, align, gap) = match is_beside {
            true => (at + vec2(self.radius + 8.0, -14.0), Align2::LEFT_TOP, 15.0),
            false => (at + vec2(0.0, self.radius + 4.0), Align2::CENTER_TOP, 15.0),
        };
        self.write(first_at, align, &name, strong(SMALL_SIZE), theme.text);
        self.write(first_at + vec2(0.0, gap), align, &second, font, colour);
    }

    /// The score of a node where it is compared, and whether it is the one chosen.
    fn score(&self, node: &StepNode) -> (Option<String>, bool) {
        let Phase::Select(step) = self.shown.phase else {
            return (None, false);
        };
        let compared = self.is_compared(node);
        let choice = self.shown.steps.selection.get(step).filter(|_| compared);
        let row = choice.and_then(|choice| choice.rows.iter().find(|row| row.name == node.name));
        let is_chosen = row.is_some_and(|row| row.is_chosen);
        (row.map(|row| row.score.clone()), is_chosen)
    }

    /// Text over edges, which it interrupts.
    fn write(&self, at: Pos2, align: Align2, text: &str, font: FontId, colour: Color32) {
        let galley = (self.painter).layout_no_wrap(text.to_owned(), font, colour);
        let place = align.anchor_size(at, galley.size());
        let ground = self.shown.theme.canvas;
        self.painter
            .rect_filled(place.expand2(vec2(2.0, -1.0)), 2.0, ground);
        self.painter.galley(place.min, galley, colour);
    }

    /// What changed at a node of the path: "29 → 30 +1" and "X wins 31 % → 33 %".
    fn draw_card(&self, at: Pos2, update: &NodeUpdate) {
        let theme = self.shown.theme;
        let (small, bold) = (FontId::proportional(SMALL_SIZE), strong(BODY_SIZE));
        let count = |number: u64| format_thousands(number);
        let (before, after) = update.visits;
        let share = |share: Option<f64>, visits: u64| {
            share.map_or(NO_DATA.to_owned(), |share| percent(share, visits))
        };
        let is_low = self.level_height < MIN_LEVEL_FOR_LABELS;
        let owner = format!("{} wins ", self.shown.steps.owner);
        let visits = [
            (update.name.clone(), bold.clone(), theme.text),
            (format!("   {} → ", count(before)), small.clone(), theme.dim),
            (count(after), bold.clone(), theme.text),
            (
                format!("  +{}", after - before.min(after)),
                bold.clone(),
                theme.warm,
            ),
        ];
        let shares = [
            (owner, small.clone(), theme.dim),
            (
                format!("{} → ", share(update.share.0, before)),
                small,
                theme.dim,
            ),
            (share(Some(update.share.1), after), bold, theme.text),
        ];
        let rows: Vec<Vec<_>> = match is_low {
            true => vec![visits.to_vec()],
            false => vec![visits.to_vec(), shares.to_vec()],
        };
        self.draw_rows(at, &rows);
    }

    /// A card beside a node with rows of differently written parts.
    fn draw_rows(&self, at: Pos2, rows: &[Vec<(String, FontId, Color32)>]) {
        const ROW: f32 = 18.0;
        let theme = self.shown.theme;
        let laid: Vec<Vec<_>> = (rows.iter())
            .map(|row| {
                (row.iter())
                    .map(|(text, font, colour)| {
                        let (text, font) = (text.clone(), font.clone());
                        (self.painter.layout_no_wrap(text, font, *colour), *colour)
                    })
                    .collect()
            })
            .collect();
        let width_of = |row: &Vec<(std::sync::Arc<egui::Galley>, Color32)>| -> f32 {
            row.iter().map(|(galley, _)| galley.size().x).sum()
        };
        let width = laid.iter().map(width_of).fold(0.0_f32, f32::max) + 20.0;
        let size = Vec2::new(width, ROW * rows.len() as f32 + 12.0);
        let gap = self.radius + 8.0;
        let right = at + vec2(gap, -size.y / 2.0);
        let corner = match right.x + size.x > self.area.right() - 4.0 {
            true => pos2(at.x - gap - size.x, right.y),
            false => right,
        };
        let card = Rect::from_min_size(corner.round(), size);
        self.painter.rect(
            card,
            6.0,
            theme.card,
            Stroke::new(1.0, theme.last),
            StrokeKind::Inside,
        );
        for (index, row) in laid.into_iter().enumerate() {
            let middle = card.top() + 6.0 + ROW * (index as f32 + 0.5);
            let mut left = card.left() + 10.0;
            for (galley, colour) in row {
                let size = galley.size();
                let at = pos2(left, middle - size.y / 2.0);
                self.painter.galley(at, galley, colour);
                left += size.x;
            }
        }
    }
}
