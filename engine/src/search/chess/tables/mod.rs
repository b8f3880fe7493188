//! Endgame tables: the distance to mate of every position with three or four men, a byte each, by retrograde analysis.

mod builder;
mod layout;
mod material;
mod moves;

pub use builder::Builder;
pub use layout::{Layout, TablePosition};
pub use material::{MAX_EXTRA_MEN, MAX_MEN, Material, Placement};

/// The value of a position for the player to move, in a byte: 0 for a draw, else one more than the plies to mate. A win takes an odd
/// number of plies, a loss an even one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableValue(u8);

impl TableValue {
    /// Nobody can force mate.
    pub const DRAW: Self = Self(0);
    /// The player to move is mated.
    pub const MATED: Self = Self(1);

    /// The value of a byte.
    #[inline(always)]
    pub fn from_code(code: u8) -> Self {
        Self(code)
    }

    /// The byte.
    #[inline(always)]
    pub fn code(self) -> u8 {
        self.0
    }

    /// Plies to mate; none for a draw.
    pub fn plies(self) -> Option<u32> {
        self.0.checked_sub(1).map(u32::from)
    }

    /// Whether the player to move is mated in the end.
    #[inline(always)]
    pub fn is_loss(self) -> bool {
        self.0 & 1 == 1
    }

    /// The value of the move that leads to a position of this value, for the player who moves; none for a draw.
    #[inline(always)]
    pub fn before(self) -> Option<Self> {
        (self.0 != 0).then(|| Self(self.0 + 1))
    }
}

/// The values of all positions with some material.
#[derive(Debug)]
pub struct Table {
    layout: Layout,
    material: Material,
    values: Vec<u8>,
}

impl Table {
    /// A table of these values in the order of [`Layout`]; none if they are too many or too few.
    pub fn new(material: Material, values: Vec<u8>) -> Option<Self> {
        let layout = Layout::new(material);
        (values.len() == layout.entries()).then_some(Self {
            layout,
            material,
            values,
        })
    }

    /// What the table is for.
    pub fn material(&self) -> Material {
        self.material
    }

    /// The order of the values.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The values as they are stored.
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    /// Bytes of a table, and of the work to make one.
    pub fn sizes(material: Material) -> (usize, usize) {
        let len = Layout::new(material).entries();
        (len, len * builder::BUILDER_BYTES_PER_ENTRY)
    }

    /// The value of an entry; none if it is no legal position.
    pub fn entry(&self, index: usize) -> Option<TableValue> {
        let code = *self.values.get(index)?;
        (code != builder::ILLEGAL).then_some(TableValue(code))
    }

    /// The value of a position in normal form with the table's material; none if it is not legal. `en_passant` says that the
    /// pawn that can be taken so has just made its double step.
    pub fn value(&self, placement: &Placement, en_passant: bool) -> Option<TableValue> {
        let position = TablePosition {
            squares: placement.squares,
            to_move: placement.to_move,
            en_passant: false,
        };
        let position = match moves::with_en_passant(&self.layout, &position) {
            Some(position) if en_passant => position,
            _ => position,
        };
        self.entry(self.layout.index(&position))
    }
}
