//! Which field of another program's file is what.

use serde::Deserialize;

use super::{super::expression::Expression, json::Scalar};

/// Names of fields, and what values mean. Every field has the names that other programs commonly use until it is named.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mapping {
    /// The key that holds the root, where it is not the whole file.
    pub root: Option<String>,
    /// The key of the children: an array of nodes, or an object of nodes by move.
    pub children: Option<String>,
    /// The move into a node.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// Visits.
    pub visits: Option<String>,
    /// The mean value.
    pub value: Option<String>,
    /// The sum of values, where there is no mean.
    pub sum: Option<String>,
    /// The prior of the move.
    pub prior: Option<String>,
    /// The state.
    pub state: Option<String>,
    /// The node's own id, in JSON Lines.
    pub id: Option<String>,
    /// The id of the parent, in JSON Lines.
    pub parent: Option<String>,
    /// Which values there are.
    pub range: ValueRange,
    /// Whose values they are.
    pub value_for: ValueFor,
    /// The game, for the sidecar; of one of ours the viewer shows the board.
    pub game: Option<String>,
    /// The position of the root.
    pub position: Option<String>,
    /// The search, for the sidecar.
    pub search: Option<String>,
    /// What the search prefers among children, over the names of columns.
    pub formula: Option<String>,
}

/// The range of a file's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ValueRange {
    /// From -1 to 1 if one is negative and none is outside, else as they are.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// From 0, lost, to 1, won.
    #[serde(rename = "0..1")]
    Unit,
    /// From -1, lost, to 1, won.
    #[serde(rename = "-1..1")]
    Signed,
}

impl ValueRange {
    /// The range of that name: `auto`, `0..1` or `-1..1`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "0..1" => Some(Self::Unit),
            "-1..1" => Some(Self::Signed),
            _ => None,
        }
    }
}

/// Whose values a file has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueFor {
    /// The player who made the move.
    #[default]
    Mover,
    /// The player to move in the node.
    ToMove,
    /// The player to move at the root, in every node; players alternate.
    Root,
}

impl ValueFor {
    /// The one of that name: `mover`, `to-move` or `root`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "mover" => Some(Self::Mover),
            "to-move" => Some(Self::ToMove),
            "root" => Some(Self::Root),
            _ => None,
        }
    }
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The children.
    Children,
    /// The move.
    Move,
    /// Visits.
    Visits,
    /// The mean.
    Value,
    /// The sum of values.
    Sum,
    /// The prior.
    Prior,
    /// The state.
    State,
    /// The node's id.
    Id,
    /// The parent's id.
    Parent,
}

/// The fields with the names that are understood until a mapping says something else.
const COMMON_NAMES: [(Field, &[&str]); 9] = [
    (Field::Children, &["children", "child_nodes", "successors"]),
    (Field::Move, &["move", "action", "edge"]),
    (
        Field::Visits,
        &["visits", "N", "visit_count", "explore_count", "n"],
    ),
    (Field::Value, &["value", "mean", "Q", "q", "value_mean"]),
    (Field::Sum, &["sum", "W", "total_reward", "value_sum"]),
    (Field::Prior, &["prior", "P", "prior_probability"]),
    (Field::State, &["state", "position", "fen"]),
    (Field::Id, &["id", "node", "name"]),
    (Field::Parent, &["parent", "parent_id"]),
];

impl Mapping {
    /// Reads a mapping file, TOML.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mapping: Self =
            toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        mapping.check()?;
        Ok(mapping)
    }

    /// Refuses a formula that is none.
    pub fn check(&self) -> Result<(), String> {
        let formula = self
            .formula
            .as_deref()
            .map_or(Ok(()), |formula| Expression::parse(formula).map(drop));
        formula.map_err(|problem| format!("formula: {problem}"))
    }

    fn named(&self, field: Field) -> Option<&str> {
        let name = match field {
            Field::Children => &self.children,
            Field::Move => &self.mv,
            Field::Visits => &self.visits,
            Field::Value => &self.value,
            Field::Sum => &self.sum,
            Field::Prior => &self.prior,
            Field::State => &self.state,
            Field::Id => &self.id,
            Field::Parent => &self.parent,
        };
        name.as_deref()
    }

    /// What the field of that name is; none for other fields.
    pub fn field(&self, key: &str) -> Option<Field> {
        let fields = || COMMON_NAMES.iter().map(|&(field, names)| (field, names));
        let named = fields().find(|&(field, _)| self.named(field) == Some(key));
        let common =
            || fields().find(|&(field, names)| self.named(field).is_none() && names.contains(&key));
        named.or_else(common).map(|(field, _)| field)
    }
}

/// A scalar as the name of a move or a state; none for `null`.
pub fn scalar_text(scalar: Scalar) -> Option<String> {
    match scalar {
        Scalar::Text(text) => Some(text),
        // Rust writes whole numbers without a point.
        Scalar::Number(number) => Some(format!("{number}")),
        Scalar::Bool(value) => Some(value.to_string()),
        Scalar::Null => None,
    }
}
