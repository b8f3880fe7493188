//! Presenting to an audience: large type, the tree without the panels beside it, and the answer hidden until it is asked for.

use super::App;

/// How much larger everything is while one presents.
const TEXT_FACTOR: f32 = 1.5;

/// Whether the window is shown to an audience.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presentation {
    /// It is not.
    #[default]
    Off,
    /// The audience is to guess what the search plays.
    AnswerHidden,
    /// The audience sees everything.
    AnswerShown,
}

impl App {
    /// Begins or ends presenting.
    pub(super) fn present(&mut self, begins: bool) {
        self.presentation = match begins {
            true => Presentation::AnswerHidden,
            false => Presentation::Off,
        };
    }

    /// Whether the window is shown to an audience.
    pub fn is_presenting(&self) -> bool {
        self.presentation != Presentation::Off
    }

    /// Shows the answer if it was hidden from an audience; false if it was not.
    pub fn reveal_answer(&mut self) -> bool {
        let is_hidden = self.hides_answer();
        if is_hidden {
            self.presentation = Presentation::AnswerShown;
        }
        is_hidden
    }

    /// Whether the answer is hidden from an audience.
    pub fn hides_answer(&self) -> bool {
        self.presentation == Presentation::AnswerHidden
    }

    /// How large everything is; 1 is usual.
    pub fn text_size(&self) -> f32 {
        match self.presentation {
            Presentation::Off => self.settings.text_size,
            _ => self.settings.text_size * TEXT_FACTOR,
        }
    }

    /// Whether the panel on a side, 0 for the left one, is put away.
    pub fn is_panel_folded(&self, side: usize) -> bool {
        self.is_presenting() || self.settings.folded[side]
    }
}
