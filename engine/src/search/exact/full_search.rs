//! Alpha-beta to the end of the game, by null windows (MTD(f), Plaat et al. 1996), for games in which no position recurs.

use super::{
    bounds_table::{Bounds, NO_MOVE},
    generic::{Halt, Question},
};
use crate::games::{Playable, Player};

/// Deeper games than this are left unsolved.
const MAX_DEPTH: usize = 600;

/// A move, the position it leads to, and how promising it is: greater is searched first.
struct Child<G: Playable> {
    order: i64,
    mv: G::Move,
    position: G,
}

/// What a value of a finished game is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// The difference of the two scores of games that are decided by counting.
    Points,
    /// 1 for a win, 0 for a draw, -1 for a loss.
    Class,
}

impl Scale {
    /// The scale of a game.
    pub(super) fn of<G: Playable>(position: &G) -> Self {
        match position.score() {
            Some(_) => Self::Points,
            None => Self::Class,
        }
    }

    /// The value of a finished game for the player to move.
    pub(super) fn final_value<G: Playable>(self, position: &G) -> i32 {
        let mover = position.to_move();
        match (self, position.score()) {
            (Self::Points, Some([first, second])) => {
                let difference = first as i32 - second as i32;
                if mover == Player::First {
                    difference
                } else {
                    -difference
                }
            }
            _ => super::ValueClass::from_outcome(position.final_outcome(), mover) as i32 - 1,
        }
    }
}

/// The exact value of a position for the player to move.
pub(super) fn solve<G: Playable>(
    question: &mut Question<'_, '_, G>,
    position: &G,
    scale: Scale,
) -> Result<i32, Halt> {
    let (mut lower, mut upper) = match scale {
        Scale::Points => (i32::from(i16::MIN), i32::from(i16::MAX)),
        Scale::Class => (-1, 1),
    };
    let mut search = FullSearch {
        question,
        scale,
        spare: Vec::new(),
    };
    let mut guess = 0;
    while lower < upper {
        let goal = if guess == lower { guess + 1 } else { guess };
        guess = search.test(position, goal, 0)?;
        if guess < goal {
            upper = guess;
        } else {
            lower = guess;
        }
    }
    Ok(guess)
}

struct FullSearch<'q, 'a, 'c, G: Playable> {
    question: &'q mut Question<'a, 'c, G>,
    scale: Scale,
    /// Lists of children that are not in use.
    spare: Vec<Vec<Child<G>>>,
}

impl<G: Playable> FullSearch<'_, '_, '_, G> {
    /// Whether the value is at least `goal`: a lower bound of it that is, or else an upper bound that is not.
    fn test(&mut self, position: &G, goal: i32, depth: usize) -> Result<i32, Halt> {
        self.question.count_node()?;
        if position.repetition_key().is_some() || depth > MAX_DEPTH {
            return Err(Halt::Unsuitable);
        }
        let key = position.key();
        let (known, best) = self.question.table.get(key);
        if i32::from(known.lower) >= goal {
            return Ok(known.lower.into());
        }
        if i32::from(known.upper) < goal {
            return Ok(known.upper.into());
        }
        let nodes_before = self.question.nodes;
        let mut children = self.spare.pop().unwrap_or_default();
        children.clear();
        let found = match self.expand(position, goal, best, &mut children) {
            Some(found) => Ok(found),
            None => self.search_children(position, goal, depth, &children),
        };
        children.clear();
        self.spare.push(children);
        let (value, best) = found?;
        let nodes = self.question.nodes - nodes_before;
        let bound = i16::try_from(value).map_err(|_| Halt::Unsuitable)?;
        let bounds = if value >= goal {
            Bounds {
                lower: bound,
                ..known
            }
        } else {
            Bounds {
                upper: bound,
                ..known
            }
        };
        self.question.table.store(key, bounds, best, nodes);
        Ok(value)
    }

    /// Lists the children, the most promising first; or the value and the move, if the rules or the table decide the node.
    fn expand(
        &mut self,
        position: &G,
        goal: i32,
        best: u16,
        children: &mut Vec<Child<G>>,
    ) -> Option<(i32, u16)> {
        let mover = position.to_move();
        let moves = &mut self.question.moves;
        position.legal_moves(moves);
        if moves.is_empty() {
            return Some((self.scale.final_value(position), NO_MOVE));
        }
        for &mv in moves.iter() {
            let mut child = position.clone();
            child.play(mv);
            let bits = G::move_to_bits(mv);
            let same_mover = child.to_move() == mover;
            let (known, _) = self.question.table.get(child.key());
            let lower = if same_mover {
                i32::from(known.lower)
            } else {
                -i32::from(known.upper)
            };
            if lower >= goal {
                return Some((lower, bits));
            }
            children.push(Child {
                order: order(&child, same_mover, bits == best),
                mv,
                position: child,
            });
        }
        children.sort_by_key(|child| std::cmp::Reverse(child.order));
        None
    }

    fn search_children(
        &mut self,
        position: &G,
        goal: i32,
        depth: usize,
        children: &[Child<G>],
    ) -> Result<(i32, u16), Halt> {
        let mut highest = i32::MIN;
        for child in children {
            let value = if child.position.to_move() == position.to_move() {
                self.test(&child.position, goal, depth + 1)?
            } else {
                -self.test(&child.position, 1 - goal, depth + 1)?
            };
            highest = highest.max(value);
            if value >= goal {
                return Ok((value, G::move_to_bits(child.mv)));
            }
        }
        Ok((highest, NO_MOVE))
    }
}

/// The move of the table first, then moves that leave the turn or the fewest replies, then by the game's own evaluation.
fn order<G: Playable>(child: &G, same_mover: bool, is_best: bool) -> i64 {
    if is_best {
        return i64::MAX;
    }
    let replies = child.perft_count() as i64;
    let evaluation = i64::from(G::EVALUATIONS[0].value(child));
    if same_mover {
        (1 << 40) + evaluation
    } else {
        -(replies << 30) - evaluation
    }
}
