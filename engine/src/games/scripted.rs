//! A game written as text, for testing searches: every position, its mover and every result stand in the script.
//!
//! `A[x:+ y:B[x:- y:0]]`: the first player (A) can play x and win, or y; then the second player (B) can win or draw. The
//! same letter twice in a row is an extra turn. Moves are single small letters in ascending order.

use super::{
    Evaluate, Game, MoveCode, Outcome, Player, SearchHints, Symmetric, Symmetry, Tactics,
    evaluate::Evaluation,
};
use crate::rng::mix;

/// A whole game.
#[derive(Debug, PartialEq, Eq)]
pub struct Script {
    nodes: Vec<ScriptNode>,
}

#[derive(Debug, PartialEq, Eq)]
enum ScriptNode {
    Turn {
        mover: Player,
        moves: Vec<(u8, usize)>,
    },
    End(Outcome),
}

impl Script {
    /// Parses a script; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let symbols: Vec<u8> = text
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        let mut script = Self { nodes: Vec::new() };
        let end = script.read(&symbols, 0)?;
        if end == symbols.len() {
            Ok(script)
        } else {
            Err(format!("something after the game at {end}"))
        }
    }

    /// A script that lives as long as the program, as rules must.
    pub fn leak(text: &str) -> Result<&'static Self, String> {
        Self::parse(text).map(|script| &*Box::leak(Box::new(script)))
    }

    fn read(&mut self, symbols: &[u8], at: usize) -> Result<usize, String> {
        let symbol = *symbols.get(at).ok_or("the script ends too early")?;
        let mover = match symbol {
            b'+' | b'-' | b'0' => {
                self.nodes.push(ScriptNode::End(match symbol {
                    b'+' => Outcome::Win(Player::First),
                    b'-' => Outcome::Win(Player::Second),
                    _ => Outcome::Draw,
                }));
                return Ok(at + 1);
            }
            b'A' => Player::First,
            b'B' => Player::Second,
            other => {
                return Err(format!(
                    "{:?} at {at}, expected A, B, +, - or 0",
                    other as char
                ));
            }
        };
        let here = self.nodes.len();
        self.nodes.push(ScriptNode::Turn {
            mover,
            moves: Vec::new(),
        });
        if symbols.get(at + 1) != Some(&b'[') {
            return Err(format!("no [ after the player at {at}"));
        }
        let mut at = at + 2;
        let mut found: Vec<(u8, usize)> = Vec::new();
        while symbols.get(at) != Some(&b']') {
            let (Some(&letter @ b'a'..=b'z'), Some(b':')) = (symbols.get(at), symbols.get(at + 1))
            else {
                return Err(format!("no move at {at}"));
            };
            if found.last().is_some_and(|&(before, _)| before >= letter) {
                return Err(format!("moves out of order at {at}"));
            }
            found.push((letter, self.nodes.len()));
            at = self.read(symbols, at + 2)?;
        }
        if found.is_empty() {
            return Err(format!("no moves before {at}"));
        }
        self.nodes[here] = ScriptNode::Turn {
            mover,
            moves: found,
        };
        Ok(at + 1)
    }
}

/// A position of a scripted game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scripted {
    script: ScriptedRules,
    node: usize,
}

/// The script that is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptedRules(pub &'static Script);

impl Default for ScriptedRules {
    fn default() -> Self {
        static NOTHING: Script = Script { nodes: Vec::new() };
        Self(&NOTHING)
    }
}

impl Scripted {
    fn current_node(&self) -> Option<&'static ScriptNode> {
        self.script.0.nodes.get(self.node)
    }

    fn moves(&self) -> &'static [(u8, usize)] {
        match self.current_node() {
            Some(ScriptNode::Turn { moves, .. }) => moves,
            _ => &[],
        }
    }
}

impl Game for Scripted {
    type Rules = ScriptedRules;
    type Move = char;

    const MOVE_BITS: u32 = 7;

    fn move_to_bits(mv: char) -> MoveCode {
        mv as MoveCode
    }

    fn move_from_bits(bits: MoveCode) -> char {
        char::from(bits as u8)
    }

    fn start(script: ScriptedRules) -> Self {
        Self { script, node: 0 }
    }

    fn rules(&self) -> ScriptedRules {
        self.script
    }

    fn to_move(&self) -> Player {
        match self.current_node() {
            Some(ScriptNode::Turn { mover, .. }) => *mover,
            _ => Player::First,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.current_node() {
            Some(ScriptNode::Turn { .. }) => None,
            Some(ScriptNode::End(outcome)) => Some(*outcome),
            None => Some(Outcome::Draw),
        }
    }

    fn legal_moves(&self, out: &mut Vec<char>) {
        out.clear();
        out.extend(self.moves().iter().map(|&(letter, _)| char::from(letter)));
    }

    fn is_legal(&self, mv: char) -> bool {
        self.moves()
            .iter()
            .any(|&(letter, _)| char::from(letter) == mv)
    }

    fn play(&mut self, mv: char) {
        debug_assert!(self.is_legal(mv), "{mv} in {self:?}");
        if let Some(&(_, next)) = self
            .moves()
            .iter()
            .find(|&&(letter, _)| char::from(letter) == mv)
        {
            self.node = next;
        }
    }

    fn key(&self) -> u64 {
        mix(self.node as u64 + 1)
    }

    fn piece_count(&self) -> u32 {
        0
    }
}

impl SearchHints for Scripted {}

impl Tactics for Scripted {}

impl Evaluate for Scripted {
    const EVALUATIONS: &'static [Evaluation<Self>] =
        &[Evaluation::outcome_only(), Evaluation::random()];

    fn cutoff_reward(&self) -> f64 {
        0.5
    }
}

impl Symmetric for Scripted {
    fn image(&self, _: Symmetry) -> Self {
        *self
    }

    fn image_of_move(mv: char, _: Symmetry) -> char {
        mv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read_and_bad_ones_refused() {
        let rules = ScriptedRules(Script::leak("A[x:+ y:A[x:B[x:- y:0]]]").unwrap());
        let mut game = Scripted::start(rules);
        assert_eq!(game.to_move(), Player::First);
        game.play('y');
        assert_eq!((game.to_move(), game.outcome()), (Player::First, None));
        game.play('x');
        assert_eq!(game.to_move(), Player::Second);
        game.play('y');
        assert_eq!(game.outcome(), Some(Outcome::Draw));
        for bad in [
            "",
            "A",
            "A[]",
            "A[x+]",
            "A[y:+ x:-]",
            "A[x:+",
            "++",
            "C[x:+]",
            "A[X:+]",
        ] {
            assert!(Script::parse(bad).is_err(), "{bad}");
        }
    }
}
