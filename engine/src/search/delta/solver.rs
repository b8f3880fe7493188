//! The exact solver of Delta: who wins, and in how many plies.

use super::{
    proof_table::ProofTable,
    prover::{Child, Interrupted, Node, PICK_UP_PLY, Prover},
};
use crate::{
    games::{
        Game as _, Player,
        delta::{Delta, Equaliser, MAX_PLIES},
    },
    search::exact::{Exact, ExactMoves, ExactValue, SolveContext, ValueClass, values_of_moves},
};

/// Solves positions of Delta. From the empty board on it takes about a second.
///
/// A win or loss comes with its exact number of plies. A draw is proven only where the 200th ply is near: in the pick-up phase
/// the tree soon outgrows any limit, and the answer is `None`. A position stands for itself: what came before it, and might make a
/// repetition the third, is not known.
#[derive(Debug)]
pub struct DeltaSolver {
    table: ProofTable,
    /// The rules of the positions in the table: they differ in the first four plies.
    equaliser: Equaliser,
    children: Vec<Child>,
    nodes: u64,
    /// [`Self::nodes`] when the question was asked.
    nodes_before: u64,
}

/// Bytes for everything but the table.
const OTHER_BYTES: usize = 64 << 10;
/// A larger table is slower for the first moves, for it leaves the processor's cache.
const MAX_TABLE_BYTES: usize = 12 << 20;
/// The first questions ask for wins within 1, 2, 3 and so on plies up to this: they are cheap, and spare a deep proof of the
/// wrong side.
const MAX_SHALLOW_PLIES: u32 = 6;
/// With stones in reserve the next question is about wins up to this ply: a few plies of the pick-up phase more cost little, and
/// the first move c1 needs one.
const FIRST_HORIZON_PLY: u32 = PICK_UP_PLY as u32 + 2;

/// Up to this ply the first player's win is asked for first, for it has one on the empty board; later the mover's.
const MAX_OPENING_PLY: u8 = 4;

/// What is known of one side's quickest win: it takes more than `above` plies, and at most `at_most` if that is some.
#[derive(Clone, Copy, Debug)]
struct Attack {
    is_mover: bool,
    above: u32,
    at_most: Option<u32>,
}

impl Attack {
    fn new(is_mover: bool) -> Self {
        Self {
            is_mover,
            above: 0,
            at_most: None,
        }
    }

    /// The largest number of plies up to `plies` in which this side can end the game.
    fn round_down(self, plies: u32) -> u32 {
        plies - u32::from((plies % 2 == 1) != self.is_mover && plies > 0)
    }
}

impl DeltaSolver {
    /// A solver that takes at most `memory` bytes.
    pub fn new(equaliser: Equaliser, memory: usize) -> Self {
        Self {
            table: ProofTable::new(memory.saturating_sub(OTHER_BYTES).min(MAX_TABLE_BYTES)),
            equaliser,
            children: Vec::new(),
            nodes: 0,
            nodes_before: 0,
        }
    }

    /// Bytes of the table, which is all but a few thousand bytes of the solver.
    pub fn table_bytes(&self) -> usize {
        self.table.words.bytes()
    }

    /// Who wins, without the number of plies: a third to a half of the nodes of [`Exact::value`].
    pub fn class(
        &mut self,
        position: &Delta,
        context: &mut SolveContext<'_>,
    ) -> Option<ValueClass> {
        self.nodes_before = self.nodes;
        if let Some(outcome) = position.outcome() {
            return Some(ValueClass::from_outcome(outcome, position.to_move()));
        }
        let (class, _) = self.decide(position, context).ok()?;
        Some(class)
    }

    /// The class, and the attack that proves it.
    fn decide(
        &mut self,
        position: &Delta,
        context: &mut SolveContext<'_>,
    ) -> Result<(ValueClass, Attack), Interrupted> {
        let plies_left = u32::from(MAX_PLIES - position.ply());
        let mut attacks = [Attack::new(true), Attack::new(false)];
        if position.ply() <= MAX_OPENING_PLY && position.to_move() == Player::Second {
            attacks.reverse();
        }
        let to_horizon = FIRST_HORIZON_PLY.saturating_sub(position.ply().into());
        let mut plies = 1;
        loop {
            for attack in &mut attacks {
                self.deepen(position, attack, plies.min(plies_left), context)?;
                if attack.at_most.is_some() {
                    let class = if attack.is_mover {
                        ValueClass::Win
                    } else {
                        ValueClass::Loss
                    };
                    return Ok((class, *attack));
                }
            }
            if plies >= plies_left {
                return Ok((ValueClass::Draw, attacks[0]));
            }
            plies = if plies < MAX_SHALLOW_PLIES || plies >= to_horizon {
                plies + 1
            } else {
                to_horizon
            };
        }
    }

    /// Asks whether the attack wins within `plies`, unless that is known.
    fn deepen(
        &mut self,
        position: &Delta,
        attack: &mut Attack,
        plies: u32,
        context: &mut SolveContext<'_>,
    ) -> Result<(), Interrupted> {
        let plies = attack.round_down(plies);
        if plies <= attack.above {
            return Ok(());
        }
        if self.prove(position, attack.is_mover, plies, context)? {
            attack.at_most = Some(plies);
        } else {
            attack.above = plies;
        }
        Ok(())
    }

    /// Whether the mover, or else its opponent, wins within `plies`.
    pub(super) fn prove(
        &mut self,
        position: &Delta,
        mover_attacks: bool,
        plies: u32,
        context: &mut SolveContext<'_>,
    ) -> Result<bool, Interrupted> {
        let [own, opponent] = position.to_move().own_first(position.stones());
        if self.equaliser != position.rules() {
            self.equaliser = position.rules();
            self.table.words.clear();
        }
        self.children.clear();
        let mut prover = Prover {
            table: &mut self.table,
            context,
            equaliser: self.equaliser,
            nodes: self.nodes - self.nodes_before,
            children: &mut self.children,
        };
        let node = Node {
            own,
            opponent,
            ply: position.ply().min(PICK_UP_PLY),
        };
        let answer = prover.attacker_wins(node, mover_attacks, plies);
        self.nodes = self.nodes_before + prover.nodes;
        answer
    }

    /// The fewest plies in which the attack wins, of which some number is known to be enough.
    fn quickest(
        &mut self,
        position: &Delta,
        mut attack: Attack,
        context: &mut SolveContext<'_>,
    ) -> Result<u32, Interrupted> {
        // From below: refuting a win in fewer plies costs less than proving one in hardly more than are needed.
        while let Some(enough) = attack.at_most {
            if enough <= attack.above + 2 {
                return Ok(enough);
            }
            attack.at_most = None;
            let plies = attack.above + 2;
            self.deepen(position, &mut attack, plies, context)?;
            attack.at_most = attack.at_most.or(Some(enough));
        }
        Err(Interrupted)
    }

    /// Plies within which the mover, who wins, can force its win: a few more than needed while stones are in reserve, the fewest in
    /// the pick-up phase.
    pub(super) fn sufficient_plies(
        &mut self,
        position: &Delta,
        context: &mut SolveContext<'_>,
    ) -> Result<u32, Interrupted> {
        let (_, attack) = self.decide(position, context)?;
        if position.is_pick_up() {
            return self.quickest(position, attack, context);
        }
        attack.at_most.ok_or(Interrupted)
    }

    fn solve(&mut self, position: &Delta, context: &mut SolveContext<'_>) -> Option<ExactValue> {
        if let Some(outcome) = position.outcome() {
            return Some(ExactValue {
                class: ValueClass::from_outcome(outcome, position.to_move()),
                score: None,
                plies: Some(0),
            });
        }
        let (class, attack) = self.decide(position, context).ok()?;
        let plies = match class {
            ValueClass::Draw => None,
            _ => Some(self.quickest(position, attack, context).ok()?),
        };
        Some(ExactValue {
            class,
            score: None,
            plies,
        })
    }
}

impl Exact<Delta> for DeltaSolver {
    fn value(&mut self, position: &Delta, context: &mut SolveContext<'_>) -> Option<ExactValue> {
        self.nodes_before = self.nodes;
        self.solve(position, context)
    }

    /// The node limit is one for all moves.
    fn values(&mut self, position: &Delta, context: &mut SolveContext<'_>) -> ExactMoves<Delta> {
        self.nodes_before = self.nodes;
        values_of_moves(position, |child| self.solve(child, context))
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn clear(&mut self) {
        self.table.words.clear();
        self.nodes = 0;
        self.nodes_before = 0;
    }
}
