//! The second line of a node's label.

use super::{
    model::TreeModel,
    node_value::{NodeValues, ValueView},
};

/// The value of a node in a few words: "Black wins 48.6 %". None for a node that was never visited.
pub fn value_label(model: &TreeModel, node: usize, view: ValueView) -> Option<String> {
    (model.node(node).visits > 0).then(|| NodeValues::new(model, view).label(node))
}
