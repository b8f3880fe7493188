//! The columns that searches of the alpha-beta family add to a tree: values, windows, and what was cut off.

use std::collections::TryReserveError;

use super::columns::{Column, ColumnValues};
use crate::search::{Cut, WindowResult};

/// The unit of values and windows.
const UNIT: &str = "hundredths of a point";
const BOUND_LABELS: [&str; 3] = ["exact", "at least", "at most"];
const CUT_LABELS: [&str; 7] = [
    "none",
    "beta",
    "table",
    "null move",
    "reduction",
    "quiescence",
    "not searched",
];

/// What was found at each row so far, for the player who made the move.
#[derive(Default)]
pub(super) struct WindowColumns {
    value: Vec<f32>,
    alpha: Vec<f32>,
    beta: Vec<f32>,
    bound: Vec<u8>,
    cut: Vec<u8>,
    depth: Vec<i32>,
}

impl WindowColumns {
    /// Takes in the next row; with `turned` its values are for the opponent of the player who made the move. A tree has them
    /// for all rows or, if its root has none, for none.
    pub(super) fn push(
        &mut self,
        result: Option<WindowResult>,
        turned: bool,
    ) -> Result<(), TryReserveError> {
        let Some(result) = result else {
            return Ok(());
        };
        self.value.try_reserve(1)?;
        self.alpha.try_reserve(1)?;
        self.beta.try_reserve(1)?;
        self.bound.try_reserve(1)?;
        self.cut.try_reserve(1)?;
        self.depth.try_reserve(1)?;
        let number = |value: i32| if turned { -value as f32 } else { value as f32 };
        let was_searched = result.cut != Cut::NotSearched;
        let limit = |limit: Option<i32>, open: f32| match limit {
            _ if !was_searched => f32::NAN,
            Some(limit) => number(limit),
            None => open,
        };
        let (low, high) = match turned {
            true => (result.beta, result.alpha),
            false => (result.alpha, result.beta),
        };
        let bound = match turned {
            true => result.bound.reversed(),
            false => result.bound,
        };
        self.value.push(result.value.map_or(f32::NAN, number));
        self.alpha.push(limit(low, f32::NEG_INFINITY));
        self.beta.push(limit(high, f32::INFINITY));
        self.bound.push(bound.code());
        self.cut.push(result.cut.code());
        self.depth.push(result.depth.try_into().unwrap_or(i32::MAX));
        Ok(())
    }

    /// The columns; none if not every row has them.
    pub(super) fn into_columns(self, rows: usize) -> Vec<Column> {
        if self.value.len() != rows {
            return Vec::new();
        }
        let column = |name: &str, unit: &str, labels: &[&str], values| Column {
            name: name.to_owned(),
            unit: unit.to_owned(),
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            values,
        };
        vec![
            column("value", UNIT, &[], ColumnValues::F32(self.value)),
            column("alpha", UNIT, &[], ColumnValues::F32(self.alpha)),
            column("beta", UNIT, &[], ColumnValues::F32(self.beta)),
            column("bound", "", &BOUND_LABELS, ColumnValues::U8(self.bound)),
            column("cut", "", &CUT_LABELS, ColumnValues::U8(self.cut)),
            column("depth", "plies", &[], ColumnValues::I32(self.depth)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Bound;

    const RESULT: WindowResult = WindowResult {
        value: Some(30),
        alpha: Some(20),
        beta: None,
        bound: Bound::AtLeast,
        cut: Cut::Table,
        depth: 3,
    };

    fn values(columns: &[Column], row: usize) -> Vec<f64> {
        columns.iter().map(|column| column.value(row)).collect()
    }

    #[test]
    fn windows_are_told_for_the_player_who_moved() {
        let mut columns = WindowColumns::default();
        columns.push(Some(RESULT), false).unwrap();
        columns.push(Some(RESULT), true).unwrap();
        let columns = columns.into_columns(2);
        assert_eq!(
            values(&columns, 0),
            [30.0, 20.0, f64::INFINITY, 1.0, 2.0, 3.0]
        );
        assert_eq!(
            values(&columns, 1),
            [-30.0, f64::NEG_INFINITY, -20.0, 2.0, 2.0, 3.0]
        );
        assert_eq!(columns[4].label(0), Some("table"));
    }

    #[test]
    fn a_move_that_was_not_searched_has_no_numbers() {
        let mut columns = WindowColumns::default();
        let pruned = WindowResult {
            value: None,
            cut: Cut::NotSearched,
            ..RESULT
        };
        columns.push(Some(pruned), true).unwrap();
        let columns = columns.into_columns(1);
        assert!(values(&columns, 0)[..3].iter().all(|value| value.is_nan()));
        assert_eq!(columns[4].label(0), Some("not searched"));
    }
}
