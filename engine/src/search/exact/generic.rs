//! A solver for every game: exhaustive search with a bounded table. It reaches endings, small boards and mates.

use super::{
    Exact, ExactMoves, ExactValue, SolveContext, ValueClass, WinGoal,
    bounds_table::BoundsTable,
    full_search::{self, Scale},
    values_of_moves,
    win_search::{self, Answer, MAX_PLIES},
};
use crate::games::Playable;

/// Solves any game by looking at everything that can matter.
///
/// Where no position can recur (it has no [`repetition_key`](crate::games::Game::repetition_key), and nor have those after it)
/// the game is searched to its end: the value is the class, and the difference of the scores in games decided by counting
/// ([`score`](crate::games::Notation::score): stones in kalah; discs in othello, where empty squares count for nobody). The number
/// of plies is not known.
///
/// Where positions can recur only forced wins are looked for, within 1, 2, 3 and so on plies: a win or loss comes with its exact
/// number of plies (a mate in n moves is a win in 2 n - 1), a draw is proven once neither side can win in any number of plies, and
/// everything else ends at the limits. A position stands for itself: what came before it, and might make a repetition the third,
/// is not known.
#[derive(Debug)]
pub struct GenericSolver<G: Playable> {
    table: BoundsTable,
    rules: G::Rules,
    moves: Vec<G::Move>,
    nodes: u64,
    /// [`Self::nodes`] when the question was asked.
    nodes_before: u64,
}

/// Bytes for everything but the table.
const OTHER_BYTES: usize = 256 << 10;
/// Nodes between two looks at the limits: with all its children a node may take 50 us.
const NODES_PER_CHECK: u64 = 16;

/// Why a search has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// The limits ran out.
    Interrupted,
    /// Positions can recur, or the game is too long or its scores too large for this way of search.
    Unsuitable,
}

/// What the searches of one question share.
pub(super) struct Question<'a, 'c, G: Playable> {
    pub(super) table: &'a mut BoundsTable,
    pub(super) context: &'a mut SolveContext<'c>,
    pub(super) moves: &'a mut Vec<G::Move>,
    /// Nodes since the question was asked.
    pub(super) nodes: u64,
}

impl<G: Playable> Question<'_, '_, G> {
    #[inline(always)]
    pub(super) fn count_node(&mut self) -> Result<(), Halt> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_CHECK) && self.context.is_exhausted(self.nodes) {
            return Err(Halt::Interrupted);
        }
        Ok(())
    }
}

impl<G: Playable> GenericSolver<G> {
    /// A solver that takes at most `memory` bytes.
    pub fn new(rules: G::Rules, memory: usize) -> Self {
        Self {
            table: BoundsTable::new(memory.saturating_sub(OTHER_BYTES)),
            rules,
            moves: Vec::new(),
            nodes: 0,
            nodes_before: 0,
        }
    }

    /// Bytes of the table, which is nearly all of the solver.
    pub fn table_bytes(&self) -> usize {
        self.table.words.bytes()
    }

    /// Nodes count from here against the limits.
    pub(in crate::search) fn begin_question(&mut self) {
        self.nodes_before = self.nodes;
    }

    /// [`Exact::value`] as a part of a question.
    pub(in crate::search) fn solve(
        &mut self,
        position: &G,
        context: &mut SolveContext<'_>,
    ) -> Option<ExactValue> {
        self.ask(position, context, |question| {
            match full_value(question, position) {
                Err(Halt::Unsuitable) => forced_value(question, position),
                value => value,
            }
        })
    }

    /// [`Exact::wins_within`] as a part of a question.
    pub(in crate::search) fn can_win(
        &mut self,
        goal: WinGoal<'_, G>,
        context: &mut SolveContext<'_>,
    ) -> Option<bool> {
        let WinGoal {
            position,
            attacker,
            plies: all,
        } = goal;
        let plies = u16::try_from(all).map_or(MAX_PLIES, |plies| plies.min(MAX_PLIES));
        self.ask(position, context, |question| {
            for plies in 0..=plies {
                match win_search::wins_within(question, position, attacker, plies)? {
                    Answer::Won => return Ok(true),
                    Answer::NotYet => {}
                    Answer::Never => return Ok(false),
                }
            }
            if u32::from(plies) < all {
                return Err(Halt::Unsuitable);
            }
            Ok(false)
        })
    }

    /// Searches for an answer about a position.
    fn ask<T>(
        &mut self,
        position: &G,
        context: &mut SolveContext<'_>,
        search: impl FnOnce(&mut Question<'_, '_, G>) -> Result<T, Halt>,
    ) -> Option<T> {
        if self.rules != position.rules() {
            self.rules = position.rules();
            self.table.words.clear();
        }
        let mut question = Question {
            table: &mut self.table,
            context,
            moves: &mut self.moves,
            nodes: self.nodes - self.nodes_before,
        };
        let answer = search(&mut question);
        self.nodes = self.nodes_before + question.nodes;
        answer.ok()
    }
}

/// The value of a finished game, or by a search to the end of the game.
fn full_value<G: Playable>(
    question: &mut Question<'_, '_, G>,
    position: &G,
) -> Result<ExactValue, Halt> {
    let scale = Scale::of(position);
    if let Some(outcome) = position.outcome() {
        let score = (scale == Scale::Points).then(|| scale.final_value(position));
        return Ok(ExactValue {
            class: ValueClass::from_outcome(outcome, position.to_move()),
            score,
            plies: Some(0),
        });
    }
    let value = full_search::solve(question, position, scale)?;
    Ok(ExactValue {
        class: match value.signum() {
            1 => ValueClass::Win,
            0 => ValueClass::Draw,
            _ => ValueClass::Loss,
        },
        score: (scale == Scale::Points).then_some(value),
        plies: None,
    })
}

/// The value by wins within 1, 2, 3 and so on plies.
fn forced_value<G: Playable>(
    question: &mut Question<'_, '_, G>,
    position: &G,
) -> Result<ExactValue, Halt> {
    let mover = position.to_move();
    for plies in 1..=MAX_PLIES {
        let mut nobody_wins = true;
        for (attacker, class) in [
            (mover, ValueClass::Win),
            (mover.opponent(), ValueClass::Loss),
        ] {
            let answer = win_search::wins_within(question, position, attacker, plies)?;
            if answer == Answer::Won {
                return Ok(ExactValue {
                    class,
                    score: None,
                    plies: Some(plies.into()),
                });
            }
            nobody_wins &= answer == Answer::Never;
        }
        if nobody_wins {
            return Ok(ExactValue {
                class: ValueClass::Draw,
                score: None,
                plies: None,
            });
        }
    }
    Err(Halt::Unsuitable)
}

impl<G: Playable> Exact<G> for GenericSolver<G> {
    fn value(&mut self, position: &G, context: &mut SolveContext<'_>) -> Option<ExactValue> {
        self.begin_question();
        self.solve(position, context)
    }

    /// The node limit is one for all moves.
    fn values(&mut self, position: &G, context: &mut SolveContext<'_>) -> ExactMoves<G> {
        self.begin_question();
        values_of_moves(position, |child| self.solve(child, context))
    }

    fn wins_within(
        &mut self,
        goal: WinGoal<'_, G>,
        context: &mut SolveContext<'_>,
    ) -> Option<bool> {
        self.begin_question();
        self.can_win(goal, context)
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
