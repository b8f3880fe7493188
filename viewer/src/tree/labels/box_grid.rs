//! Boxes on a canvas, found by where they lie.

use super::LabelBox;

/// Side of a cell in pixels.
const CELL: f32 = 64.0;
/// Upper bound of cells along each side; the cells of larger canvases are larger.
const MAX_CELLS: usize = 64;

/// Boxes by the cells of a grid. What lies beyond the grid belongs to the cells at its border.
pub(super) struct BoxGrid {
    boxes: Vec<LabelBox>,
    cells: Vec<Vec<u32>>,
    columns: usize,
    rows: usize,
    origin: (f32, f32),
    cell: (f32, f32),
}

impl BoxGrid {
    /// An empty grid over a canvas.
    pub(super) fn new(canvas: &LabelBox) -> Self {
        let axis = |from: f32, to: f32| {
            let length = (to - from).max(1.0);
            let count = ((length / CELL).ceil() as usize).clamp(1, MAX_CELLS);
            (count, length / count as f32)
        };
        let (columns, width) = axis(canvas.left, canvas.right);
        let (rows, height) = axis(canvas.top, canvas.bottom);
        Self {
            boxes: Vec::new(),
            cells: vec![Vec::new(); columns * rows],
            columns,
            rows,
            origin: (canvas.left, canvas.top),
            cell: (width, height),
        }
    }

    /// Adds a box; they are numbered from 0 in the order of insertion.
    pub(super) fn insert(&mut self, area: LabelBox) {
        let index = self.boxes.len() as u32;
        self.boxes.push(area);
        let (columns, rows) = self.cells_of(&area);
        for row in rows {
            for column in columns.clone() {
                self.cells[row * self.columns + column].push(index);
            }
        }
    }

    /// Whether any box other than `except` overlaps this one.
    pub(super) fn intersects(&self, area: &LabelBox, except: Option<usize>) -> bool {
        let (columns, rows) = self.cells_of(area);
        rows.flat_map(|row| columns.clone().map(move |column| (row, column)))
            .flat_map(|(row, column)| &self.cells[row * self.columns + column])
            .any(|&index| {
                let index = index as usize;
                except != Some(index) && self.boxes[index].intersects(area)
            })
    }

    /// The columns and rows that a box reaches into.
    fn cells_of(
        &self,
        area: &LabelBox,
    ) -> (
        std::ops::RangeInclusive<usize>,
        std::ops::RangeInclusive<usize>,
    ) {
        let index = |at: f32, origin: f32, size: f32, count: usize| {
            (((at - origin) / size).max(0.0) as usize).min(count - 1)
        };
        let column = |x: f32| index(x, self.origin.0, self.cell.0, self.columns);
        let row = |y: f32| index(y, self.origin.1, self.cell.1, self.rows);
        (
            column(area.left)..=column(area.right),
            row(area.top)..=row(area.bottom),
        )
    }
}
