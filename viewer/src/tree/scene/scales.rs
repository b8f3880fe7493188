//! From figures to colours and sizes.

use super::{ColourScale, Measure};
use crate::tree::{
    model::TreeModel,
    value_colour::{self, ValueSpread},
};

/// Radius of nodes, in points: from the least visited to the most visited.
pub(super) const NODE_RADIUS: (f64, f64) = (2.2, 6.5);
/// Width of edges, in points: from the least visited to the most visited.
pub(super) const EDGE_WIDTH: (f64, f64) = (1.0, 2.4);
/// Power of the colour scale on a logarithmic scale: few nodes have many visits, and only those are warm.
const LOG_HEAT_POWER: f64 = 2.2;

/// The range of shares.
const WHOLE_RANGE: (f64, f64) = (0.0, 1.0);
/// The range of a column that is not there.
const NO_RANGE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// Width of edges coloured by difference, in points: from equal shares to all in one tree.
const DIFFERENCE_WIDTH: (f64, f64) = (1.0, 5.5);
/// Power of that scale: differences of a few hundredths are seen, too.
const DIFFERENCE_POWER: f32 = 0.6;

/// From figures to colours.
#[derive(Clone, Copy)]
pub(super) struct HeatScale {
    pub(super) scale: ColourScale,
    /// The ends of the range, on the colour scale.
    least: f64,
    most: f64,
    is_classical: bool,
}

impl HeatScale {
    /// For the whole tree.
    pub(super) fn new(model: &TreeModel, scale: ColourScale) -> Self {
        Self::from_range(
            (scale, model.is_classical()),
            match scale.measure {
                Measure::Visits => to_f64_range(model.visit_range),
                Measure::SearchVisits => to_f64_range(model.second_range),
                Measure::Mean => value_range(model.value_spread),
                Measure::Proof | Measure::Difference => WHOLE_RANGE,
                Measure::Column(index) => {
                    (model.column_range(index)).map_or(NO_RANGE, |range| range.whole)
                }
            },
        )
    }

    /// The same for one layer.
    pub(super) fn for_layer(&self, model: &TreeModel, depth: usize) -> Self {
        let ranges = &model.layer_ranges[depth];
        Self::from_range(
            (self.scale, self.is_classical),
            match self.scale.measure {
                Measure::Visits => to_f64_range(ranges.visits),
                Measure::SearchVisits => to_f64_range(ranges.second),
                Measure::Mean => value_range(ranges.value_spread),
                Measure::Proof | Measure::Difference => WHOLE_RANGE,
                Measure::Column(index) => {
                    (model.column_range(index)).map_or(NO_RANGE, |range| range.layers[depth])
                }
            },
        )
    }

    fn from_range((scale, is_classical): (ColourScale, bool), (least, most): (f64, f64)) -> Self {
        let flat = Self {
            scale,
            least,
            most,
            is_classical,
        };
        Self {
            least: flat.transform(least),
            most: flat.transform(most),
            ..flat
        }
    }

    fn is_logarithmic(&self) -> bool {
        self.scale.logarithmic && self.scale.measure.is_count()
    }

    fn transform(&self, value: f64) -> f64 {
        if self.is_logarithmic() {
            (value.max(0.0) + 1.0).ln()
        } else {
            value
        }
    }

    /// The place on the colour scale of the edge into a node, and its opacity.
    pub(super) fn heat_and_opacity(&self, model: &TreeModel, node: usize) -> (f32, f32) {
        let measure = self.scale.measure;
        match measure {
            Measure::Proof => return value_colour::proof_colour(model, node),
            Measure::Difference => return (0.5 - 0.5 * difference_part(model, node), 1.0),
            _ => {}
        }
        let heat = self.heat_of(model, node);
        let visits = model.visits(node);
        let opacity = (measure.colours()).opacity(heat, visits, self.is_classical);
        (heat, opacity)
    }

    /// The width of an edge coloured by difference: the more, the wider.
    pub(super) fn difference_width(&self, model: &TreeModel, node: usize) -> f64 {
        let (least, most) = DIFFERENCE_WIDTH;
        least + (most - least) * f64::from(difference_part(model, node).abs())
    }

    fn heat_of(&self, model: &TreeModel, node: usize) -> f32 {
        let value = measured_value(model, node, self.scale.measure);
        if self.scale.measure == Measure::Mean {
            return value_colour::heat(value, (self.most - self.least) / 2.0);
        }
        // Where all are alike, all are the most.
        if self.most == self.least && value.is_finite() {
            return 1.0;
        }
        let part = (self.transform(value) - self.least) / (self.most - self.least);
        if part.is_finite() {
            let part = part.clamp(0.0, 1.0);
            if self.is_logarithmic() {
                part.powf(LOG_HEAT_POWER) as f32
            } else {
                part as f32
            }
        } else {
            0.0
        }
    }
}

/// The difference of a node between two trees on its scale, from -1 to 1; 0 in a tree that is compared with none.
fn difference_part(model: &TreeModel, node: usize) -> f32 {
    let told = (model.comparison.as_ref()).and_then(|told| told.difference.get(node));
    let difference = told.copied().unwrap_or(0.0);
    difference.signum() * difference.abs().min(1.0).powf(DIFFERENCE_POWER)
}

/// The ends of the scale of values, for the first player.
fn value_range(spread: ValueSpread) -> (f64, f64) {
    let half = spread.half_width();
    (0.5 - half, 0.5 + half)
}

fn to_f64_range((least, most): (i32, i32)) -> (f64, f64) {
    (f64::from(least), f64::from(most))
}

fn measured_value(model: &TreeModel, node: usize, measure: Measure) -> f64 {
    match measure {
        Measure::Visits => f64::from(model.visits(node)),
        Measure::SearchVisits => f64::from(model.node(node).second),
        Measure::Difference => f64::from(difference_part(model, node)),
        Measure::Mean | Measure::Proof => value_colour::first_share(model, node),
        Measure::Column(index) => {
            (model.columns().get(index)).map_or(f64::NAN, |column| column.value(model.row(node)))
        }
    }
}

/// From visits to sizes.
#[derive(Clone, Copy)]
pub(super) struct SizeScale {
    /// Logarithm of the most visits.
    most: f64,
}

impl SizeScale {
    pub(super) fn new(model: &TreeModel) -> Self {
        let most = model.visits(0).max(model.visit_range.1).max(1);
        Self {
            most: (f64::from(most) + 1.0).ln(),
        }
    }

    /// Where a node lies between no visits and the most, on a logarithmic scale.
    fn part(&self, model: &TreeModel, node: usize) -> f64 {
        (f64::from(model.visits(node).max(0)) + 1.0).ln() / self.most
    }

    pub(super) fn node_radius(&self, model: &TreeModel, node: usize) -> f64 {
        let (least, most) = NODE_RADIUS;
        least + (most - least) * self.part(model, node).powf(2.5)
    }

    pub(super) fn edge_width(&self, model: &TreeModel, node: usize) -> f64 {
        let (least, most) = EDGE_WIDTH;
        least + (most - least) * self.part(model, node).powi(3)
    }
}
