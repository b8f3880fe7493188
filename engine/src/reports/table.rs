//! Tables: columns with headings, groups of rows, cells with a tone.

use serde::{Deserialize, Serialize};

use super::numbers;

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, in groups that are told apart by their ground.
    pub groups: Vec<RowGroup>,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its heading.
    pub heading: String,
    /// A heading above those of neighbours with the same one, such as "Published" and "Ours"; empty for none.
    #[serde(default)]
    pub group: String,
    /// How its cells are aligned.
    pub align: Align,
    /// Whether it has times, which differ between runs.
    #[serde(default)]
    pub is_time: bool,
}

impl Column {
    /// A column of text.
    pub fn text(heading: impl Into<String>) -> Self {
        Self {
            heading: heading.into(),
            ..Self::default()
        }
    }

    /// A column of numbers.
    pub fn number(heading: impl Into<String>) -> Self {
        Self {
            align: Align::Right,
            ..Self::text(heading)
        }
    }

    /// The same under a heading that neighbours share.
    pub fn under(mut self, group: impl Into<String>) -> Self {
        self.group = group.into();
        self
    }

    /// The same as a column of times.
    pub fn time(mut self) -> Self {
        self.is_time = true;
        self
    }
}

/// The side at which the cells of a column line up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    /// Text.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// Rows that belong together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowGroup {
    /// The rows; each has a cell for every column, or none where the cell above reaches down.
    pub rows: Vec<Vec<Option<Cell>>>,
}

impl RowGroup {
    /// A group of one row.
    pub fn row(cells: impl IntoIterator<Item = Cell>) -> Self {
        Self {
            rows: vec![cells.into_iter().map(Some).collect()],
        }
    }

    /// The rows that the cell in this place covers, at least 1.
    pub(super) fn height(&self, row: usize, column: usize) -> usize {
        let below = self.rows.iter().skip(row + 1);
        1 + below
            .take_while(|cells| matches!(cells.get(column), Some(None)))
            .count()
    }
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// A second line, smaller; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The number behind the text, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// How it looks.
    #[serde(default)]
    pub tone: Tone,
}

impl Cell {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Nothing to show.
    pub fn empty() -> Self {
        Self::text("–").tone(Tone::Dim)
    }

    /// A number with this many decimals.
    pub fn number(value: f64, decimals: usize) -> Self {
        Self::value(numbers::decimal(value, decimals), value)
    }

    /// A count.
    pub fn count(count: u64) -> Self {
        Self::number(count as f64, 0)
    }

    /// A share, as per cent.
    pub fn percent(share: f64) -> Self {
        Self::value(numbers::percent(share), share)
    }

    /// A probability.
    pub fn p_value(p: f64) -> Self {
        Self::value(numbers::p_value(p), p)
    }

    /// A test statistic.
    pub fn statistic(value: f64) -> Self {
        Self::value(numbers::statistic(value), value)
    }

    /// A text with the number it stands for.
    pub fn value(text: impl Into<String>, value: f64) -> Self {
        Self {
            value: Some(value),
            ..Self::text(text)
        }
    }

    /// The same with a second line.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The same with another look.
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }
}

/// How a cell looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Plain text.
    #[default]
    Plain,
    /// May be read.
    Dim,
    /// A result of ours: semibold.
    Strong,
    /// As hoped: green.
    Good,
    /// Contrary to what was published, or stale: amber.
    Attention,
    /// A failure: red.
    Bad,
}

impl Tone {
    /// Its class in a page.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Dim => "dim",
            Self::Strong => "strong",
            Self::Good => "good",
            Self::Attention => "attention",
            Self::Bad => "bad",
        }
    }
}

impl Table {
    /// A table of one row after the other; neighbours are not grouped.
    pub fn plain(
        columns: impl IntoIterator<Item = Column>,
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            groups: rows.into_iter().map(RowGroup::row).collect(),
        }
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.rows.is_empty())
    }

    /// The table without columns of times.
    pub(super) fn without_times(&self) -> Self {
        self.retain_columns(|column| !column.is_time)
    }

    /// The table with those columns alone that are wanted.
    pub(super) fn retain_columns(&self, is_wanted: impl Fn(&Column) -> bool) -> Self {
        let keep: Vec<bool> = self.columns.iter().map(&is_wanted).collect();
        let kept = |cells: &Vec<Option<Cell>>| {
            let both = cells.iter().zip(&keep);
            both.filter(|(_, keep)| **keep)
                .map(|(cell, _)| cell.clone())
                .collect()
        };
        Self {
            columns: (self.columns.iter())
                .filter(|column| is_wanted(column))
                .cloned()
                .collect(),
            groups: (self.groups.iter())
                .map(|group| RowGroup {
                    rows: group.rows.iter().map(kept).collect(),
                })
                .collect(),
        }
    }

    /// All rows with every cell filled: one that reaches down is repeated.
    pub(super) fn filled_rows(&self) -> Vec<Vec<Cell>> {
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for group in &self.groups {
            let mut above: Vec<Cell> = vec![Cell::default(); self.columns.len()];
            for row in &group.rows {
                for (place, cell) in above.iter_mut().zip(row) {
                    if let Some(cell) = cell {
                        place.clone_from(cell);
                    }
                }
                rows.push(above.clone());
            }
        }
        rows
    }
}
