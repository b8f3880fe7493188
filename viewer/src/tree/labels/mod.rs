//! Which nodes of a picture are labelled, and where the labels lie.
//!
//! Placement is greedy: candidates come in order of importance, each tries its texts from long to short at a few places around
//! its node, and the first place that is free is taken. Labels never overlap, never touch a node, and lie within the canvas.
//! A label that had a place in the last picture keeps it for as long as it fits, so that nothing jumps while one scrolls.

use self::box_grid::BoxGrid;

mod box_grid;
mod labeller;
#[cfg(test)]
mod tests;
mod texts;

pub use labeller::{LabelledView, Labeller};
pub use texts::{FIRST_LINE, LabelText, REST_SIZE, SECOND_LINE, TITLE_SIZE, short_count};

/// Free distance around a label, in points.
pub const CLEARANCE: f32 = 6.0;
/// What a label that keeps its place may come closer to anything, in pixels: scrolling rounds.
const KEPT_TOLERANCE: f32 = 0.05;
/// How far beside a node's middle a label begins that lies at the side of a mark above it, in points.
const MARK_ROOM: f32 = 10.0;
/// Where marks lie above the middle of a node, in points.
const MARK_HEIGHT: f32 = 16.0;

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelBox {
    /// Left edge.
    pub left: f32,
    /// Upper edge.
    pub top: f32,
    /// Right edge.
    pub right: f32,
    /// Lower edge.
    pub bottom: f32,
}

impl LabelBox {
    /// The square around a disc.
    pub fn around((x, y): (f32, f32), radius: f32) -> Self {
        Self {
            left: x - radius,
            top: y - radius,
            right: x + radius,
            bottom: y + radius,
        }
    }

    /// The same with all edges moved outwards.
    pub fn expanded(&self, by: f32) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    /// Whether the two have a point in common that is not on an edge.
    pub fn intersects(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether a straight line between two points runs through it.
    fn is_crossed_by(&self, from: (f32, f32), to: (f32, f32)) -> bool {
        // The part of the line, from 0 to 1, that lies between both sides of the box in either direction.
        let (mut begin, mut end) = (0.0_f32, 1.0_f32);
        for (from, to, least, most) in [
            (from.0, to.0, self.left, self.right),
            (from.1, to.1, self.top, self.bottom),
        ] {
            let step = to - from;
            if step.abs() < f32::EPSILON {
                if from <= least || from >= most {
                    return false;
                }
                continue;
            }
            let (one, other) = ((least - from) / step, (most - from) / step);
            begin = begin.max(one.min(other));
            end = end.min(one.max(other));
        }
        begin < end
    }

    /// Whether the other lies within it.
    pub fn contains(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }
}

/// The edges between two layers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeRow {
    /// Height of the upper layer, in pixels.
    pub top: f32,
    /// Height of the lower layer.
    pub bottom: f32,
    /// The upper and the lower end of every edge, from left to right. Edges of a layer do not cross: both ends ascend.
    pub lines: Vec<(f32, f32)>,
}

impl EdgeRow {
    /// Number of edges that cross a box, by bisection.
    fn crossings(&self, area: &LabelBox) -> usize {
        let (top, bottom) = (area.top.max(self.top), area.bottom.min(self.bottom));
        if top >= bottom {
            return 0;
        }
        let part = |y: f32| (y - self.top) / (self.bottom - self.top);
        let (upper, lower) = (part(top), part(bottom));
        let at = |line: &(f32, f32), part: f32| line.0 + (line.1 - line.0) * part;
        let begin =
            (self.lines).partition_point(|line| at(line, upper).max(at(line, lower)) < area.left);
        let end =
            (self.lines).partition_point(|line| at(line, upper).min(at(line, lower)) <= area.right);
        end.saturating_sub(begin)
    }
}

/// Where a label lies relative to its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Beside the node on the left.
    Left,
    /// Beside the node on the right.
    Right,
    /// Above the node and to its left.
    AboveLeft,
    /// Above the node and to its right.
    AboveRight,
    /// The same, at the left of a mark that lies above the node.
    BesideMarkLeft,
    /// And at its right.
    BesideMarkRight,
    /// Above the node, centred.
    Above,
    /// Below the node, centred.
    Below,
}

impl Place {
    /// The box of a label of this size.
    fn label_box(self, (x, y): (f32, f32), radius: f32, size: (f32, f32), scale: f32) -> LabelBox {
        /// Distance between a node and the label beside it, in points.
        const NODE_GAP: f32 = 5.0;
        /// Distance between a node and the label above or below it, in points.
        const ABOVE_GAP: f32 = 2.0;
        const BELOW_GAP: f32 = 4.0;
        let (width, height) = size;
        let beside = radius + NODE_GAP * scale;
        let left = match self {
            Self::Left => x - beside - width,
            Self::Right => x + beside,
            Self::AboveLeft => x - width,
            Self::AboveRight => x,
            Self::BesideMarkLeft => x - MARK_ROOM * scale - width,
            Self::BesideMarkRight => x + MARK_ROOM * scale,
            Self::Above | Self::Below => x - width / 2.0,
        };
        let top = match self {
            Self::Left | Self::Right => y - height / 2.0,
            Self::AboveLeft
            | Self::AboveRight
            | Self::BesideMarkLeft
            | Self::BesideMarkRight
            | Self::Above => y - radius - ABOVE_GAP * scale - height,
            Self::Below => y + radius + BELOW_GAP * scale,
        };
        LabelBox {
            left,
            top,
            right: left + width,
            bottom: top + height,
        }
    }

    /// Which end of a label's lines is flush, as the part of the free width that is left of a line.
    pub fn alignment(self) -> f32 {
        match self {
            Self::Left | Self::AboveLeft | Self::BesideMarkLeft => 1.0,
            Self::Right | Self::AboveRight | Self::BesideMarkRight => 0.0,
            Self::Above | Self::Below => 0.5,
        }
    }
}

/// What a label belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LabelOwner {
    /// A node.
    Node(u32),
    /// The triangle that stands for the hidden children of a node.
    Fold(u32),
}

/// A text with its size in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct SizedText {
    /// The text.
    pub text: LabelText,
    /// Width and height of its box.
    pub size: (f32, f32),
    /// Widths of its lines; 0 for the second if there is none.
    pub line_widths: [f32; 2],
}

/// A label that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelCandidate {
    /// Its node, or fold.
    pub owner: LabelOwner,
    /// Centre of the node, in pixels.
    pub at: (f32, f32),
    /// Radius of the node.
    pub radius: f32,
    /// The node among the obstacles, which its own label may come close to.
    pub obstacle: Option<usize>,
    /// Places to try, in this order.
    pub places: Vec<Place>,
    /// Texts to try, from long to short.
    pub texts: Vec<SizedText>,
    /// Number of edges that the label may cross.
    pub max_crossings: usize,
    /// The choice of the last picture: the index of the text, and the place.
    pub kept: Option<(usize, Place)>,
    /// Whether it is placed before labels that keep their places.
    pub comes_first: bool,
}

/// A label with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedLabel {
    /// Its node, or fold.
    pub owner: LabelOwner,
    /// Its box, in pixels.
    pub area: LabelBox,
    /// Its text.
    pub text: LabelText,
    /// Widths of its lines, in pixels; 0 for the second if there is none.
    pub line_widths: [f32; 2],
    /// Index of the text among the candidate's, and the place.
    pub choice: (usize, Place),
    /// Whether edges run behind it.
    pub crosses_edges: bool,
}

impl PlacedLabel {
    /// The ground of its lines where edges run behind it: they break there. It reaches a little beyond the text at either end, and no
    /// farther than other labels and nodes keep clear.
    pub fn grounds(&self, scale: f32) -> impl Iterator<Item = LabelBox> {
        /// How far the ground behind a label reaches beyond its text, in points.
        const GROUND_MARGIN: f32 = 4.0;
        let (area, flush) = (self.area, self.choice.1.alignment());
        let margin = GROUND_MARGIN * scale;
        let middle = area.top + FIRST_LINE * scale;
        let rows = [(area.top, middle), (middle, area.bottom)];
        let lines = self.line_widths.into_iter().zip(rows);
        lines
            .filter(|&(width, _)| width > 0.0)
            .map(move |(width, (top, bottom))| {
                let left = area.left + flush * (area.right - area.left - width);
                LabelBox {
                    left: left - margin,
                    top,
                    right: left + width + margin,
                    bottom,
                }
            })
    }
}

/// What labels must keep clear of.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Where labels may lie.
    pub canvas: LabelBox,
    /// Nodes, and whatever covers the canvas.
    pub obstacles: &'a [LabelBox],
    /// The edges, layer by layer.
    pub edges: &'a [EdgeRow],
    /// Points of lines that no label may cross: the principal variation.
    pub lines: &'a [(f32, f32)],
    /// Pixels a point.
    pub scale: f32,
}

/// Places labels, the most important candidates first.
pub fn place_labels(
    candidates: &[LabelCandidate],
    surroundings: &Surroundings<'_>,
) -> Vec<PlacedLabel> {
    let mut taken = BoxGrid::new(&surroundings.canvas);
    for &obstacle in surroundings.obstacles {
        taken.insert(obstacle);
    }
    let mut placed = Vec::new();
    let mut add = |label: Option<PlacedLabel>, taken: &mut BoxGrid| {
        let is_placed = label.is_some();
        if let Some(label) = label {
            taken.insert(label.area);
            placed.push(label);
        }
        is_placed
    };
    let mut waiting = Vec::new();
    for candidate in candidates {
        let found = match candidate.kept {
            _ if candidate.comes_first => first_free(candidate, surroundings, &taken),
            Some(choice) => try_choice(candidate, choice, KEPT_TOLERANCE, surroundings, &taken)
                .map(|(_, label)| label),
            None => None,
        };
        if !add(found, &mut taken) {
            waiting.push(candidate);
        }
    }
    for candidate in waiting {
        let found = first_free(candidate, surroundings, &taken);
        add(found, &mut taken);
    }
    placed
}

/// The longest text at the first place that is free and has no edges behind it, as long as it tells more than the name; else the
/// one with the fewest edges behind it.
fn first_free(
    candidate: &LabelCandidate,
    surroundings: &Surroundings<'_>,
    taken: &BoxGrid,
) -> Option<PlacedLabel> {
    let mut crossing: Option<(usize, PlacedLabel)> = None;
    for (index, sized) in candidate.texts.iter().enumerate() {
        if sized.text.is_name_only() && crossing.is_some() {
            break;
        }
        for &place in &candidate.places {
            match try_choice(candidate, (index, place), 0.0, surroundings, taken) {
                Some((0, label)) => return Some(label),
                Some((count, label)) if crossing.as_ref().is_none_or(|best| count < best.0) => {
                    crossing = Some((count, label));
                }
                _ => {}
            }
        }
    }
    crossing.map(|(_, label)| label)
}

/// The label with this text at this place and the number of edges behind it, if it is free.
fn try_choice(
    candidate: &LabelCandidate,
    (index, place): (usize, Place),
    tolerance: f32,
    surroundings: &Surroundings<'_>,
    taken: &BoxGrid,
) -> Option<(usize, PlacedLabel)> {
    let text = candidate.texts.get(index)?;
    let scale = surroundings.scale;
    let area = place.label_box(candidate.at, candidate.radius, text.size, scale);
    if !surroundings.canvas.contains(&area)
        || taken.intersects(
            &area.expanded(CLEARANCE * scale - tolerance),
            candidate.obstacle,
        )
    {
        return None;
    }
    let edges = surroundings.edges.iter();
    let inner = area.expanded(-tolerance);
    let mut lines = surroundings.lines.windows(2);
    if lines.any(|line| inner.is_crossed_by(line[0], line[1])) {
        return None;
    }
    let crossings: usize = edges.map(|row| row.crossings(&inner)).sum();
    (crossings <= candidate.max_crossings).then(|| {
        let label = PlacedLabel {
            owner: candidate.owner,
            area,
            text: text.text.clone(),
            line_widths: text.line_widths,
            choice: (index, place),
            crosses_edges: crossings > 0,
        };
        (crossings, label)
    })
}
