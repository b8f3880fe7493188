//! The switch of searches that can repeat the defects of a report's own program.

/// A program whose figures a report published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Report 000's viewer of UCT trees.
    Report000,
    /// Report 001's Othello.
    Report001,
    /// Report 004's Reversi.
    Report004,
}

/// Which program's defects a search can repeat, and whether it does. `Default` is a search without such a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Legacy {
    program: Option<Program>,
    is_on: bool,
}

impl Legacy {
    /// A search that can repeat the defects of `program`, and does not.
    pub const fn of(program: Program) -> Self {
        Self {
            program: Some(program),
            is_on: false,
        }
    }

    /// Whether the defects are repeated; `None` if the search has no program to follow.
    pub fn state(self) -> Option<bool> {
        self.program.map(|_| self.is_on)
    }

    /// The program whose defects are repeated.
    pub fn active(self) -> Option<Program> {
        self.program.filter(|_| self.is_on)
    }

    /// Turns the repetition on or off.
    pub fn switch(&mut self, is_on: bool) {
        self.is_on = is_on;
    }
}
