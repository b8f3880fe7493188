//! Kalah as text: the board literal of the Kalah Game Protocol, and pits counted from the mover's left; open_spiel's
//! numbers for North's pits are read too.

use std::fmt;

use super::{Kalah, KalahRules, Pit, STORE_BYTE, facts};
use crate::games::{
    Game as _, Notation, ParseError, Player,
    facts::GameFacts,
    notation::{Grid, Style, full_name, parse_number, quote},
};

impl Notation for Kalah {
    const FACTS: &'static GameFacts = &facts::FACTS;
    const MOVE_HELP: &'static str = "a pit counted from the left of the player to move";
    const POSITION_HELP: &'static str = "a literal such as <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s: pits on a side, South's \
        store, North's store, South's pits, North's pits, each from its owner's left; then s or n to move";
    const VARIANT_HELP: &'static str =
        "PITSxSTONES such as 4x3, each from 1 to 6, or empty-capture, or both";

    fn parse_variant_word(rules: KalahRules, word: &str) -> Option<KalahRules> {
        if word.eq_ignore_ascii_case("empty-capture") {
            return Some(KalahRules {
                empty_capture: true,
                ..rules
            });
        }
        let (pits, stones) = word.split_once(['x', 'X'])?;
        let number = |text: &str| match text.as_bytes() {
            [digit @ b'1'..=b'6'] => Some(digit - b'0'),
            _ => None,
        };
        Some(KalahRules {
            pits: number(pits)?,
            stones: number(stones)?,
            ..rules
        })
    }

    fn write_variant(rules: KalahRules, out: &mut dyn fmt::Write) -> fmt::Result {
        let KalahRules {
            pits,
            stones,
            empty_capture,
        } = rules;
        if rules != KalahRules::default() {
            write!(out, ":{pits}x{stones}")?;
        }
        if empty_capture {
            out.write_str(":empty-capture")
        } else {
            Ok(())
        }
    }

    fn parse_move(&self, text: &str) -> Result<Pit, ParseError> {
        let text = text.trim();
        let number = parse_number::<u8>(text).filter(|_| !text.starts_with('0'));
        let pit = match number {
            Some(number @ 1..=6) => Pit(number - 1),
            // open_spiel counts on around the board, which has six pits on a side: 7 is South's store.
            Some(number @ 8..=13)
                if self.to_move == Player::Second && self.rules.pits == super::MAX_PITS =>
            {
                Pit(number - 8)
            }
            _ => {
                return Err(ParseError::Move {
                    game: Self::NAME,
                    text: quote(text),
                    expected: format!(
                        "a pit from 1 to {}, counted from the left of the player to move",
                        self.rules.pits
                    ),
                });
            }
        };
        if self.is_legal(pit) {
            return Ok(pit);
        }
        let problem = if self.outcome().is_some() {
            "the game is over".to_owned()
        } else if pit.0 >= self.rules.pits {
            format!("there are only {} pits on a side", self.rules.pits)
        } else {
            "that pit is empty".to_owned()
        };
        Err(ParseError::illegal(self, text, problem))
    }

    fn write_move(&self, Pit(pit): Pit, _: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{}", pit + 1)
    }

    fn parse_position(rules: KalahRules, text: &str) -> Result<Self, ParseError> {
        let error = |problem: String| ParseError::position::<Self>(text, problem);
        let (literal, turn) = text
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'))
            .ok_or_else(|| error("no < at the start or no > after it".into()))?;
        let mut numbers = Vec::new();
        for word in literal.split(',') {
            let number = parse_number::<u8>(word.trim())
                .filter(|&number| u32::from(number) <= KalahRules::MAX_TOTAL_STONES);
            numbers.push(number.ok_or_else(|| error(format!("number {}", quote(word.trim()))))?);
        }
        let pits = usize::from(rules.pits);
        if numbers[0] != rules.pits {
            let expected = format!(
                "{} first, for {} has so many pits on a side",
                pits,
                full_name::<Self>(rules)
            );
            return Err(ParseError::bad_position::<Self>(
                text,
                format!("{} pits", numbers[0]),
                expected,
            ));
        }
        if numbers.len() != 3 + 2 * pits {
            let expected = format!(
                "{} numbers: pits, two stores, and {pits} pits for each side",
                3 + 2 * pits
            );
            return Err(ParseError::bad_position::<Self>(
                text,
                format!("{} numbers", numbers.len()),
                expected,
            ));
        }
        let total: u32 = numbers[1..].iter().copied().map(u32::from).sum();
        if total != rules.total_stones() {
            let expected = format!(
                "{} in all, for that is what {} has",
                rules.total_stones(),
                full_name::<Self>(rules)
            );
            return Err(ParseError::bad_position::<Self>(
                text,
                format!("{total} stones"),
                expected,
            ));
        }
        let to_move = match turn.trim() {
            "s" | "S" | "" => Player::First,
            "n" | "N" => Player::Second,
            other => return Err(error(format!("side {}", quote(other)))),
        };
        let side = |store: u8, pits: &[u8]| {
            let pits = pits.iter().enumerate().fold(0, |side, (pit, &stones)| {
                side | u64::from(stones) << (8 * pit)
            });
            pits | u64::from(store) << (8 * STORE_BYTE)
        };
        let south = side(numbers[1], &numbers[3..3 + pits]);
        let north = side(numbers[2], &numbers[3 + pits..]);
        let (own, other) = if to_move == Player::First {
            (south, north)
        } else {
            (north, south)
        };
        Ok(Self::new(rules, own, other, to_move))
    }

    fn write_position(&self, _: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(
            out,
            "<{},{},{}",
            self.rules.pits,
            self.store(Player::First),
            self.store(Player::Second)
        )?;
        for stones in self.pits(Player::First).chain(self.pits(Player::Second)) {
            write!(out, ",{stones}")?;
        }
        write!(
            out,
            "> {}",
            if self.to_move == Player::First {
                's'
            } else {
                'n'
            }
        )
    }

    fn draw(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let pits = usize::from(self.rules.pits);
        let numbers: Vec<String> = (1..=pits).map(|pit| format!("{pit:4}")).collect();
        let mut north: Vec<String> = self
            .pits(Player::Second)
            .map(|stones| format!("{stones:4}"))
            .collect();
        north.reverse();
        let south: Vec<String> = self
            .pits(Player::First)
            .map(|stones| format!("{stones:4}"))
            .collect();
        let rule = "-".repeat(4 * pits + 2);
        writeln!(
            out,
            "pit   {}",
            numbers.iter().rev().map(String::as_str).collect::<String>()
        )?;
        writeln!(out, "      {rule}")?;
        writeln!(out, "North {}", north.concat())?;
        let [south_store, north_store] =
            [Player::First, Player::Second].map(|player| self.store(player));
        writeln!(
            out,
            "{north_store:5} {}{south_store:5}",
            " ".repeat(4 * pits)
        )?;
        writeln!(out, "South {}", south.concat())?;
        writeln!(out, "      {rule}")?;
        writeln!(out, "pit   {}", numbers.concat())
    }

    /// South's pits are row 1, North's row 2; a pit that is not empty is a stone of its owner.
    fn grid(&self) -> Grid {
        Grid::new(self.rules.pits, 2, |column, row| {
            let (player, pit) = match row {
                0 => (Player::First, column),
                _ => (Player::Second, self.rules.pits - 1 - column),
            };
            let stones = self.pits(player).nth(usize::from(pit))?;
            (stones > 0).then_some(player)
        })
    }

    fn grid_square(&self, Pit(pit): Pit) -> Option<(u8, u8)> {
        Some(match self.to_move() {
            Player::First => (pit, 0),
            Player::Second => (self.rules.pits - 1 - pit, 1),
        })
    }

    fn end_reason(&self) -> &'static str {
        "one side is empty"
    }

    fn score(&self) -> Option<[u32; 2]> {
        Some([Player::First, Player::Second].map(|player| self.store(player).into()))
    }
}

impl KalahRules {
    /// The stones of the largest variant.
    const MAX_TOTAL_STONES: u32 = super::MAX_STONES as u32;
}
