//! What searches of the alpha-beta family find at a node: values with windows and bounds, and what was cut off.

/// What a search of the alpha-beta family found at a node. Values are in the units of the evaluation, for the player to move there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowResult {
    /// The value; `None` if the node was not searched.
    pub value: Option<i32>,
    /// Values up to it were of no use; `None` for no bound.
    pub alpha: Option<i32>,
    /// Values from it on were of no use; `None` for no bound.
    pub beta: Option<i32>,
    /// How the value is to be read.
    pub bound: Bound,
    /// What ended the search of the node.
    pub cut: Cut,
    /// Plies that were left to search.
    pub depth: u32,
}

/// How a value with a window is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bound {
    /// It is the value.
    #[default]
    Exact,
    /// The value is at least that.
    AtLeast,
    /// The value is at most that.
    AtMost,
}

impl Bound {
    /// All bounds, by their numbers in a tree's columns.
    const ALL: [Self; 3] = [Self::Exact, Self::AtLeast, Self::AtMost];

    /// Its number in a tree's columns.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The bound with this number; [`Self::Exact`] if there is none.
    pub fn from_code(code: f64) -> Self {
        *Self::ALL.get(code as usize).unwrap_or(&Self::Exact)
    }

    /// What a value in a window tells; values outside are bounds.
    #[inline(always)]
    pub fn of(value: i32, alpha: i32, beta: i32) -> Self {
        if value >= beta {
            Self::AtLeast
        } else if value <= alpha {
            Self::AtMost
        } else {
            Self::Exact
        }
    }

    /// The bound as the other player sees it.
    pub fn reversed(self) -> Self {
        match self {
            Self::Exact => Self::Exact,
            Self::AtLeast => Self::AtMost,
            Self::AtMost => Self::AtLeast,
        }
    }

    /// What stands before a value in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::AtLeast => "at least ",
            Self::AtMost => "at most ",
        }
    }

    /// What stands before a value in a table.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::AtLeast => "≥ ",
            Self::AtMost => "≤ ",
        }
    }
}

/// What ended the search of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// Nothing: all moves were searched, or the depth or the game ended.
    #[default]
    None,
    /// A move that was too good for the opponent to allow the position.
    Beta,
    /// The transposition table knew the value.
    Table,
    /// Passing, or the evaluation alone, was good enough already.
    NullMove,
    /// The node was searched less deeply, and turned out bad for whoever moved there.
    Reduction,
    /// Beyond the depth only captures and threats were followed.
    Quiescence,
    /// The move was not searched.
    NotSearched,
}

impl Cut {
    /// All reasons, by their numbers in a tree's columns.
    const ALL: [Self; 7] = [
        Self::None,
        Self::Beta,
        Self::Table,
        Self::NullMove,
        Self::Reduction,
        Self::Quiescence,
        Self::NotSearched,
    ];

    /// Its number in a tree's columns.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The reason with this number; [`Self::None`] if there is none.
    pub fn from_code(code: f64) -> Self {
        *Self::ALL.get(code as usize).unwrap_or(&Self::None)
    }
}
