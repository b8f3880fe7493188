//! Plots as data: dots with whiskers, bars, lines.

use serde::{Deserialize, Serialize};

use super::{
    numbers,
    table::{Cell, Column, Table},
};
use crate::arena::stats::Interval;

/// Points of a line plot that are listed one by one in a text.
const MAX_LISTED_POINTS: usize = 40;
/// Rows of the overview of a line plot with more points.
const OVERVIEW_ROWS: usize = 16;

/// A plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Plot {
    /// Values with intervals, a row for each item.
    Dots(DotPlot),
    /// Amounts, as report 001's figure 5 and report 002's figures 2 to 4.
    Bars(BarPlot),
    /// Values along an axis.
    Lines(LinePlot),
}

/// Dots with whiskers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DotPlot {
    /// The axis of the values.
    pub axis: Axis,
    /// A value with a dashed line, such as the score of equal sides.
    pub reference: Option<f64>,
    /// The rows, from the top.
    pub rows: Vec<DotRow>,
}

/// A row of dots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DotRow {
    /// What is measured.
    pub label: String,
    /// A second line; empty for none.
    #[serde(default)]
    pub note: String,
    /// The values.
    pub marks: Vec<Mark>,
}

/// A value with an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Whose value.
    pub role: Role,
    /// The value.
    pub value: f64,
    /// Where the true value lies.
    pub interval: Option<Interval>,
}

/// Bars.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BarPlot {
    /// The axis of the amounts, which begins at 0.
    pub axis: Axis,
    /// The names of the parts of a bar. One name: bars are plain, and it is not shown.
    pub parts: Vec<String>,
    /// The colours of the parts.
    pub palette: Palette,
    /// The groups of bars, from the top.
    pub groups: Vec<BarGroup>,
}

/// Bars with one label.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BarGroup {
    /// What is measured.
    pub label: String,
    /// A second line; empty for none.
    #[serde(default)]
    pub note: String,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// Whose amounts.
    pub role: Role,
    /// The amounts of its parts, in the order of [`BarPlot::parts`].
    pub values: Vec<f64>,
}

/// The colours of the parts of bars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Palette {
    /// By whose they are.
    #[default]
    Roles,
    /// The first side, equal, the second side: won, drawn, lost.
    Sides,
}

/// Lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinePlot {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its name, shown at its right end.
    pub name: String,
    /// Whose values.
    pub role: Role,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Where.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Where the true value lies.
    #[serde(default)]
    pub interval: Option<Interval>,
}

/// Whose a value is. Published values are hollow, ours filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The report's.
    Published,
    /// Ours.
    #[default]
    Ours,
    /// One of several series of ours, by number from 0; the colours repeat after five.
    Series(u8),
}

impl Role {
    /// Its class in a page.
    pub(super) fn class(self) -> String {
        match self {
            Self::Published => "published".to_owned(),
            Self::Ours => "ours".to_owned(),
            Self::Series(number) => format!("series-{}", number % 5),
        }
    }

    /// Its name beside a value.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Ours => "ours",
            Self::Series(_) => "",
        }
    }
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What it measures.
    pub label: String,
    /// In what unit.
    pub unit: Unit,
    /// How values are spread.
    #[serde(default)]
    pub scale: Scale,
}

impl Axis {
    /// An axis of this unit.
    pub fn new(label: impl Into<String>, unit: Unit) -> Self {
        Self {
            label: label.into(),
            unit,
            scale: Scale::Linear,
        }
    }

    /// The same with a logarithmic scale.
    pub fn logarithmic(mut self) -> Self {
        self.scale = Scale::Logarithmic;
        self
    }
}

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm; values that are not positive are left out.
    Logarithmic,
}

/// The unit of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Plain numbers.
    #[default]
    Number,
    /// Shares from 0 to 1, shown as per cent.
    Percent,
    /// Elo differences.
    Elo,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// A value of this unit.
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Number => numbers::short(value),
            Self::Percent => numbers::percent(value),
            Self::Elo => {
                let sign = if value > 0.0 { "+" } else { "" };
                format!("{sign}{}", numbers::decimal(value, 0))
            }
            Self::Seconds => format!("{}{}s", numbers::decimal(value, 2), numbers::NO_BREAK),
        }
    }

    /// A value at a tick of an axis.
    pub(super) fn format_tick(self, value: f64) -> String {
        match self {
            Self::Percent => format!("{}{}%", numbers::short(100.0 * value), numbers::NO_BREAK),
            Self::Seconds => format!("{}{}s", numbers::short(value), numbers::NO_BREAK),
            Self::Number | Self::Elo => numbers::short(value),
        }
    }

    /// `43.6 % to 57.4 %`
    pub fn format_interval(self, interval: Interval) -> String {
        format!(
            "{} to {}",
            self.format(interval.low),
            self.format(interval.high)
        )
    }

    fn cell(self, value: f64) -> Cell {
        Cell::value(self.format(value), value)
    }
}

impl Plot {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Dots(plot) => plot.rows.iter().all(|row| row.marks.is_empty()),
            Self::Bars(plot) => plot.groups.iter().all(|group| group.bars.is_empty()),
            Self::Lines(plot) => plot.lines.iter().all(|line| line.points.is_empty()),
        }
    }

    /// The plotted values as a table, a row for each.
    pub fn table(&self) -> Table {
        match self {
            Self::Dots(plot) => plot.table(),
            Self::Bars(plot) => plot.table(),
            Self::Lines(plot) => plot.table(),
        }
    }

    /// The plotted values for a reader: of lines with many points a few, side by side.
    pub(super) fn overview(&self) -> Table {
        match self {
            Self::Lines(plot) if plot.point_count() > MAX_LISTED_POINTS => plot.overview(),
            _ => self.table(),
        }
    }
}

fn interval_cells(unit: Unit, interval: Option<Interval>) -> [Cell; 2] {
    match interval {
        Some(Interval { low, high }) => [unit.cell(low), unit.cell(high)],
        None => [Cell::empty(), Cell::empty()],
    }
}

impl DotPlot {
    fn table(&self) -> Table {
        let columns = [
            Column::text(""),
            Column::text("source"),
            Column::number(&self.axis.label),
            Column::number("95 % from"),
            Column::number("to"),
        ];
        let rows = self.rows.iter().flat_map(|row| {
            row.marks.iter().map(|mark| {
                let [low, high] = interval_cells(self.axis.unit, mark.interval);
                let label = [Cell::text(&row.label), Cell::text(mark.role.name())];
                let values = [self.axis.unit.cell(mark.value), low, high];
                label.into_iter().chain(values).collect()
            })
        });
        Table::plain(columns, rows)
    }
}

impl BarPlot {
    fn table(&self) -> Table {
        let mut columns = vec![Column::text(""), Column::text("source")];
        columns.extend(self.parts.iter().map(Column::number));
        let rows = self.groups.iter().flat_map(|group| {
            group.bars.iter().map(|bar| {
                let mut cells = vec![Cell::text(&group.label), Cell::text(bar.role.name())];
                cells.extend(bar.values.iter().map(|&value| self.axis.unit.cell(value)));
                cells
            })
        });
        Table::plain(columns, rows)
    }
}

impl LinePlot {
    fn point_count(&self) -> usize {
        self.lines.iter().map(|line| line.points.len()).sum()
    }

    /// A column for each line, a row for each of a few places along the axis.
    fn overview(&self) -> Table {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let mut places: Vec<f64> = points.map(|point| point.x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let step = places.len().div_ceil(OVERVIEW_ROWS);
        let rows = places.into_iter().step_by(step.max(1)).map(|x| {
            let values = self.lines.iter().map(|line| {
                let point = line.points.iter().find(|point| point.x == x);
                point.map_or_else(Cell::empty, |point| self.y.unit.cell(point.y))
            });
            std::iter::once(self.x.unit.cell(x)).chain(values).collect()
        });
        let first = Column::number(&self.x.label);
        let names = self.lines.iter().map(|line| Column::number(&line.name));
        Table::plain(std::iter::once(first).chain(names), rows)
    }

    fn table(&self) -> Table {
        let columns = [
            Column::text("line"),
            Column::number(&self.x.label),
            Column::number(&self.y.label),
            Column::number("95 % from"),
            Column::number("to"),
        ];
        let rows = self.lines.iter().flat_map(|line| {
            line.points.iter().map(|point| {
                let [low, high] = interval_cells(self.y.unit, point.interval);
                let place = [self.x.unit.cell(point.x), self.y.unit.cell(point.y)];
                let name = std::iter::once(Cell::text(&line.name));
                name.chain(place).chain([low, high]).collect()
            })
        });
        Table::plain(columns, rows)
    }
}
