//! What a classical search knew of a node: its value, the window it was searched with, and why moves were left out. The figures
//! are columns beside the tree; see section 4.9 of the contract.

use canopy_engine::{
    explain::{Bound, Cut, SignedPoints},
    games::Player,
    tree::columns::Column,
};

use crate::tree::{model::TreeModel, value_text::NO_DATA};

/// Limits from here on stand for no limit.
const INFINITE_FROM: f64 = 1e5;

/// Values from here on, in points, are wins that the search has found.
const WIN_FROM: f64 = 9_000.0;

/// Why a node was searched no further, in a few words.
pub fn cut_label(cut: Cut) -> &'static str {
    match cut {
        Cut::None => "searched",
        Cut::Beta => "cut off here",
        Cut::Table => "known from the table",
        Cut::NullMove => "cut: passing was enough",
        Cut::Reduction => "searched less deep",
        Cut::Quiescence => "captures and threats only",
        Cut::NotSearched => "not looked at",
    }
}

/// A bound of a window; none if there is no limit.
pub type Limit = Option<f64>;

/// What is known of a node, for one player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassicalNode {
    /// The value in the evaluation's units; none if it was not searched.
    pub value: Option<f64>,
    /// Whether that is the value itself.
    pub bound: Bound,
    /// Alpha and beta: what the player has already, and what the other side will not allow.
    pub window: Option<(Limit, Limit)>,
    /// Why it was searched no further.
    pub cut: Cut,
    /// Plies that were left to be searched.
    pub depth: Option<i64>,
}

/// The columns of a classical search.
#[derive(Clone, Copy, Debug)]
pub struct ClassicalColumns<'a> {
    value: &'a Column,
    alpha: Option<&'a Column>,
    beta: Option<&'a Column>,
    bound: Option<&'a Column>,
    cut: Option<&'a Column>,
    depth: Option<&'a Column>,
    scale: f64,
}

impl<'a> ClassicalColumns<'a> {
    /// Those of a tree; none if it was written without them.
    pub fn of(model: &'a TreeModel) -> Option<Self> {
        if !model.is_classical() {
            return None;
        }
        let value = model.column("value")?;
        let is_hundredths = ["centi", "hundredth"]
            .iter()
            .any(|word| value.unit.contains(word));
        Some(Self {
            value,
            alpha: model.column("alpha"),
            beta: model.column("beta"),
            bound: model.column("bound"),
            cut: model.column("cut"),
            depth: model.column("depth"),
            scale: if is_hundredths { 0.01 } else { 1.0 },
        })
    }

    /// Points in a unit of the columns and of the sidecar's depths.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// What is known of a row. The columns speak for `teller`, the player whose the mean is; the result for `owner`.
    pub fn row(&self, row: usize, teller: Player, owner: Player) -> ClassicalNode {
        let known = |column: Option<&Column>| {
            let value = column?.value(row);
            (!value.is_nan()).then_some(value)
        };
        let is_turned = teller != owner;
        let sign = if is_turned { -self.scale } else { self.scale };
        let cut = known(self.cut).map_or(Cut::None, Cut::from_code);
        let value = known(Some(self.value))
            .filter(|_| cut != Cut::NotSearched)
            .map(|value| value * sign);
        let bound = known(self.bound).map_or(Bound::Exact, Bound::from_code);
        let limit = |value: f64| (value.abs() < INFINITE_FROM).then_some(value * sign);
        let window = known(self.alpha)
            .zip(known(self.beta))
            .map(|(alpha, beta)| match is_turned {
                false => (limit(alpha), limit(beta)),
                true => (limit(beta), limit(alpha)),
            });
        ClassicalNode {
            value,
            bound: if is_turned { bound.reversed() } else { bound },
            window: window.filter(|_| cut != Cut::NotSearched),
            cut,
            depth: known(self.depth).map(|depth| depth as i64),
        }
    }

    /// Why a row was searched no further.
    pub fn cut(&self, row: usize) -> Cut {
        self.cut
            .map_or(Cut::None, |column| Cut::from_code(column.value(row)))
    }

    /// Moves of a node that were not looked at: those that the tree has and were never searched.
    pub fn unsearched(&self, model: &TreeModel, node: usize) -> usize {
        let is_unsearched = |row: &usize| match self.cut {
            Some(_) => self.cut(*row) == Cut::NotSearched,
            None => model
                .tree
                .nodes()
                .get(*row)
                .is_some_and(|node| node.visits <= 0),
        };
        model
            .child_rows(node)
            .iter()
            .filter(|row| is_unsearched(row))
            .count()
    }
}

/// Whether a value is a win or a loss that the search has found.
pub fn is_decided(value: f64) -> bool {
    value.abs() >= WIN_FROM
}

/// A value as it is written: "+3", "−0.4"; "wins" or "loses" where the search has found that.
pub fn value_text(value: f64) -> String {
    match is_decided(value) {
        true if value > 0.0 => "wins".to_owned(),
        true => "loses".to_owned(),
        false => signed(value),
    }
}

/// A limit or a value with its sign.
pub fn signed(value: f64) -> String {
    SignedPoints::new(value).to_string()
}

/// A window: "[+3, +∞]".
pub fn window_text((alpha, beta): (Limit, Limit)) -> String {
    let low = alpha.map_or("−∞".to_owned(), signed);
    let high = beta.map_or("+∞".to_owned(), signed);
    format!("[{low}, {high}]")
}

/// A value with its bound: "≤ +1"; a dash if there is none.
pub fn bounded_text(node: &ClassicalNode) -> String {
    node.value.map_or(NO_DATA.to_owned(), |value| {
        format!("{}{}", node.bound.symbol(), value_text(value))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{
        Tree, TreeRow,
        columns::{ColumnValues, Columns},
        meta::Meta,
    };

    use super::*;
    use crate::tree::model::ModelSource;

    /// A small alpha-beta search of kalah: South has +3 with pit 4; North's answer to pit 6 holds South to +1, so that its
    /// other two moves are not looked at.
    pub(crate) fn sample() -> TreeModel {
        let rows = [
            ("", 9, 2),
            ("4", 4, 2),
            ("5", 2, 0),
            ("2", 1, 0),
            ("6", 4, 3),
            ("4", 2, 0),
            ("5", 0, 0),
            ("6", 0, 0),
        ];
        let rows = rows.map(|(name, visits, children)| TreeRow::new(name, visits, 0.5, children));
        let column = |name: &str, values: &[f64]| Column {
            name: name.to_owned(),
            unit: "stones".to_owned(),
            labels: Vec::new(),
            values: ColumnValues::F64(values.to_vec()),
        };
        let nan = f64::NAN;
        // For the player who made the move: at the root for North, who is not to move.
        let columns = [
            column("value", &[-3.0, 3.0, -3.0, -4.0, 1.0, -1.0, nan, nan]),
            column("alpha", &[-1e9, -1e9, -1e9, -1e9, 3.0, -1e9, nan, nan]),
            column("beta", &[1e9, 1e9, 1e9, 1e9, 1e9, -3.0, nan, nan]),
            column("bound", &[0.0, 0.0, 0.0, 1.0, 2.0, 0.0, nan, nan]),
            column("cut", &[0.0, 0.0, 0.0, 2.0, 1.0, 0.0, 6.0, 6.0]),
        ];
        let meta = Meta {
            game: "kalah".to_owned(),
            to_move: 1,
            chosen: Some("4".to_owned()),
            parameters: [("depth".to_owned(), "2".to_owned())].into(),
            ..Meta::default()
        };
        TreeModel::new(ModelSource {
            meta: Some(Arc::new(meta)),
            columns: Some(Arc::new(Columns {
                rows: 8,
                columns: columns.to_vec(),
            })),
            ..ModelSource::of(Tree::from_rows(rows).expect("a whole tree"))
        })
    }

    fn told(row: usize, teller: Player) -> (String, Option<String>, Cut) {
        let model = sample();
        let columns = ClassicalColumns::of(&model).expect("it has them");
        let node = columns.row(row, teller, Player::First);
        (bounded_text(&node), node.window.map(window_text), node.cut)
    }

    #[test]
    fn everything_is_told_for_one_side() {
        let written = |text: &str| Some(text.to_owned());
        let (first, second) = (Player::First, Player::Second);
        assert_eq!(
            told(0, second),
            ("+3".to_owned(), written("[−∞, +∞]"), Cut::None)
        );
        assert_eq!(
            told(1, first),
            ("+3".to_owned(), written("[−∞, +∞]"), Cut::None)
        );
        assert_eq!(
            told(4, first),
            ("≤ +1".to_owned(), written("[+3, +∞]"), Cut::Beta)
        );
        // North's move: what is −1 for North is +1 for South, and North's limit of −3 is South's +3.
        assert_eq!(
            told(5, second),
            ("+1".to_owned(), written("[+3, +∞]"), Cut::None)
        );
        // "At least −4" for North is "at most +4" for South.
        assert_eq!(told(3, second).0, "≤ +4");
        assert_eq!(told(6, second), ("–".to_owned(), None, Cut::NotSearched));
    }

    #[test]
    fn moves_that_were_not_looked_at_are_counted() {
        let model = sample();
        let columns = ClassicalColumns::of(&model).expect("it has them");
        let counts: Vec<usize> = (0..3)
            .map(|node| columns.unsearched(&model, node))
            .collect();
        assert_eq!(counts, [0, 0, 2]);
    }

    #[test]
    fn wins_are_told_in_words_and_open_windows_without_numbers() {
        assert_eq!(value_text(9_999.97), "wins");
        assert_eq!(value_text(-9_990.0), "loses");
        assert_eq!(value_text(-0.44), "−0.4");
        assert_eq!(window_text((Some(3.0), None)), "[+3, +∞]");
    }

    #[test]
    fn a_tree_without_columns_has_none() {
        let source = ModelSource {
            columns: None,
            ..sample().source()
        };
        assert!(ClassicalColumns::of(&TreeModel::new(source)).is_none());
    }
}
