//! The table of dialects: a new dialect is a handler and one row here.

use super::{
    gtp::Gtp,
    nboard::NBoard,
    server::ProtocolHandler,
    server_core::ServerCore,
    uci::{Uci, UciFlavour},
};
use crate::games::{Notation as _, othello::Othello};

/// Identifies a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolKind {
    /// Universal Chess Interface.
    Uci,
    /// Universal Game Interface: UCI for any game.
    Ugi,
    /// Go Text Protocol.
    Gtp,
    /// The protocol of NBoard, for othello.
    NBoard,
}

/// A row of the table.
pub(super) struct Dialect {
    kind: ProtocolKind,
    /// The value of `--protocol`.
    name: &'static str,
    /// The only game it can express; none for any.
    only_game: Option<&'static str>,
    /// Whether a client whose first line is this one speaks the dialect.
    recognises: fn(&str) -> bool,
    new_handler: fn() -> Box<dyn ProtocolHandler>,
}

/// The dialects. A first line selects the first row that recognises it: `quit` and `stop` are UCI before they are GTP.
static DIALECTS: [Dialect; 4] = [
    Dialect {
        kind: ProtocolKind::Uci,
        name: "uci",
        only_game: None,
        recognises: |line| Uci::recognises(UciFlavour::Uci, line),
        new_handler: || Box::new(Uci::new(UciFlavour::Uci)),
    },
    Dialect {
        kind: ProtocolKind::Ugi,
        name: "ugi",
        only_game: None,
        recognises: |line| Uci::recognises(UciFlavour::Ugi, line),
        new_handler: || Box::new(Uci::new(UciFlavour::Ugi)),
    },
    Dialect {
        kind: ProtocolKind::Gtp,
        name: "gtp",
        only_game: None,
        recognises: Gtp::recognises,
        new_handler: || Box::new(Gtp::default()),
    },
    Dialect {
        kind: ProtocolKind::NBoard,
        name: "nboard",
        only_game: Some(Othello::NAME),
        recognises: NBoard::recognises,
        new_handler: || Box::new(NBoard::default()),
    },
];

/// The dialect of a client whose first line is `line`.
pub(super) fn detect(line: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| (dialect.recognises)(line))
}

impl Dialect {
    /// Selects the dialect's game, if it has only one, and returns its handler.
    pub(super) fn start(&self, core: &mut ServerCore) -> Result<Box<dyn ProtocolHandler>, String> {
        if let Some(game) = self.only_game {
            core.set_option_text("Game", game)?;
        }
        Ok((self.new_handler)())
    }
}

impl ProtocolKind {
    /// Every dialect, with its name on the command line.
    pub fn all() -> impl Iterator<Item = (&'static str, Self)> {
        DIALECTS.iter().map(|dialect| (dialect.name, dialect.kind))
    }

    /// The dialect called `name`, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, kind)| kind)
    }

    pub(super) fn dialect(self) -> &'static Dialect {
        let [first, ..] = &DIALECTS;
        // Every kind has a row, as the test below checks.
        let row = DIALECTS.iter().find(|dialect| dialect.kind == self);
        row.unwrap_or(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row_and_is_recognised_by_its_first_line() {
        let kinds = [
            (ProtocolKind::Uci, "uci"),
            (ProtocolKind::Ugi, "ugi"),
            (ProtocolKind::Gtp, "1 list_commands"),
            (ProtocolKind::NBoard, "nboard 2"),
        ];
        for (kind, line) in kinds {
            assert_eq!(kind.dialect().kind, kind);
            assert_eq!(
                detect(line).map(|dialect| dialect.kind),
                Some(kind),
                "{line}"
            );
            assert_eq!(ProtocolKind::from_name(kind.dialect().name), Some(kind));
        }
        assert_eq!(
            detect("quit").map(|dialect| dialect.kind),
            Some(ProtocolKind::Uci)
        );
        assert!(detect("hello").is_none() && detect("").is_none());
    }
}
