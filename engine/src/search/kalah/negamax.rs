//! Alpha-beta search with null windows, MTD(f) (Plaat et al. 1996), down to the endgame database.

use super::{
    database::Database,
    layout::{Board, Layout, MAX_PITS, Step, stones_in},
    table::{Hash, Known, NO_PIT, Table},
};
use crate::search::exact::{
    crew::InProgress,
    node_counter::{NodeCounter, Stopped},
};

/// The limits are polled after so many nodes, about 100 microseconds.
const POLL_INTERVAL: u64 = 128;
/// Threads share the work on positions with at least so many stones more than the database has. Later the subtrees are small.
const MIN_STONES_FOR_SHARING: usize = 4;

/// What searches read and write together.
#[derive(Clone, Copy)]
pub(super) struct Knowledge<'a> {
    pub(super) layout: &'a Layout,
    pub(super) database: &'a Database,
    pub(super) table: &'a Table,
}

/// One search on a table that others may share.
pub(super) struct Negamax<'a> {
    knowledge: Knowledge<'a>,
    pub(super) counter: NodeCounter<'a>,
    /// What other threads search now; none with one thread.
    in_progress: Option<&'a InProgress>,
}

/// A move that must be searched.
#[derive(Clone, Copy)]
struct Child {
    step: Step,
    hash: Hash,
    stones: usize,
    pit: usize,
    order: u32,
}

impl<'a> Negamax<'a> {
    pub(super) fn new(
        knowledge: Knowledge<'a>,
        is_exhausted: &'a mut dyn FnMut(u64) -> bool,
    ) -> Self {
        Self {
            knowledge,
            counter: NodeCounter::new(is_exhausted),
            in_progress: None,
        }
    }

    /// The same search, which shares the work with others on the same table.
    pub(super) fn sharing(self, in_progress: Option<&'a InProgress>) -> Self {
        Self {
            in_progress,
            ..self
        }
    }

    /// The value of a position.
    pub(super) fn value(&mut self, board: Board) -> Result<i32, Stopped> {
        if let Some(value) = board.final_value() {
            return Ok(value);
        }
        let stones = board.stones() as i32;
        let (mut lower, mut upper) = (-stones, stones);
        let mut guess = stones % 2;
        while lower < upper {
            let goal = if guess <= lower { lower + 2 } else { guess };
            guess = self.bound(board, goal)?;
            if guess >= goal {
                lower = guess;
            } else {
                upper = guess;
            }
        }
        Ok(lower)
    }

    /// A bound of the value of a position: a lower bound of at least `goal`, or an upper bound below it.
    pub(super) fn bound(&mut self, board: Board, goal: i32) -> Result<i32, Stopped> {
        if let Some(value) = board.final_value() {
            return Ok(value);
        }
        let stones = board.stones();
        let hash = Hash::new(self.knowledge.layout.key(board));
        let bound = self.search(board, stones, hash, goal);
        self.counter.result(bound)
    }

    /// [`Self::bound`] of a position that is not over. Meaningless once the search is stopped.
    fn search(&mut self, board: Board, stones: usize, hash: Hash, goal: i32) -> i32 {
        let Knowledge {
            layout,
            database,
            table,
        } = self.knowledge;
        if self.counter.count::<POLL_INTERVAL>() {
            return 0;
        }
        if stones < database.layers().len() {
            return database.get(layout, board, stones);
        }
        let known = table.get(hash, stones);
        if known.lower >= goal {
            return known.lower;
        }
        if known.upper < goal {
            return known.upper;
        }
        let cut_off = |lower: i32, best: usize| {
            let known = Known {
                lower,
                best,
                ..known
            };
            table.put(hash, stones, known, 1);
            lower
        };
        let first_node = self.counter.nodes;
        let mut children = [None; MAX_PITS];
        let mut count = 0;
        let mut best = i32::MIN;
        // Nearest to the store first.
        for pit in (0..layout.pits).rev() {
            if stones_in(board.own, pit) == 0 {
                continue;
            }
            let step = layout.step(board, pit);
            let left = stones - step.gain as usize;
            let (lower, upper) = self.quick_bounds(&step, left);
            if lower >= goal {
                return cut_off(lower, pit);
            }
            if upper < goal {
                best = best.max(upper);
                continue;
            }
            let hash = Hash::new(layout.key(step.board));
            table.prefetch(hash);
            let order = order(&step, pit, known.best);
            children[count] = Some(Child {
                step,
                hash,
                stones: left,
                pit,
                order,
            });
            count += 1;
        }
        let mut kept = 0;
        // What the table knows of the positions after the moves: enhanced transposition cut-off.
        for index in 0..count {
            let Some(child) = children[index] else { break };
            let after = table.get(child.hash, child.stones);
            let (lower, upper) = child_bounds(&child.step, after.lower, after.upper);
            if lower >= goal {
                return cut_off(lower, child.pit);
            }
            if upper < goal {
                best = best.max(upper);
                continue;
            }
            // Sorted by insertion.
            let mut place = kept;
            while place > 0 && children[place - 1].is_some_and(|other| other.order < child.order) {
                children[place] = children[place - 1];
                place -= 1;
            }
            children[place] = Some(child);
            kept += 1;
        }
        let (value, best_pit) = match self.in_progress {
            Some(others) if stones >= database.layers().len() + MIN_STONES_FOR_SHARING => {
                self.best_of_shared(&children[..kept], goal, best, (hash, stones), others)
            }
            _ => self.best_of(&children[..kept], goal, best),
        };
        if self.counter.is_stopped {
            return 0;
        }
        let known = if value >= goal {
            Known {
                lower: value.max(known.lower),
                best: best_pit,
                ..known
            }
        } else {
            Known {
                upper: value.min(known.upper),
                ..known
            }
        };
        table.put(hash, stones, known, self.counter.nodes - first_node + 1);
        if value >= goal {
            known.lower
        } else {
            known.upper
        }
    }

    /// Bounds of the value of a move without a search.
    #[inline(always)]
    fn quick_bounds(&self, step: &Step, left: usize) -> (i32, i32) {
        let Knowledge {
            layout, database, ..
        } = self.knowledge;
        let exact = if let Some(value) = step.board.final_value() {
            value
        } else if left < database.layers().len() {
            database.get(layout, step.board, left)
        } else {
            let sure = layout.exact_pits(step.board.own).count_ones() as i32;
            return child_bounds(step, 2 * sure - left as i32, left as i32);
        };
        let value = step.value(exact);
        (value, value)
    }

    #[inline(always)]
    fn search_child(&mut self, child: &Child, goal: i32) -> i32 {
        let Child {
            step, hash, stones, ..
        } = child;
        let goal = if step.moves_again {
            goal - step.gain
        } else {
            step.gain - goal + 2
        };
        step.value(self.search(step.board, *stones, *hash, goal))
    }

    /// The greatest bound of the moves, or the first of at least `goal`, and its move. Meaningless once the search is stopped.
    fn best_of(&mut self, children: &[Option<Child>], goal: i32, mut best: i32) -> (i32, usize) {
        for child in children.iter().flatten() {
            let value = self.search_child(child, goal);
            if self.counter.is_stopped || value >= goal {
                return (value, child.pit);
            }
            best = best.max(value);
        }
        (best, NO_PIT)
    }

    /// [`Self::best_of`] of a position that `others` may search, too: moves that another thread searches now come last, and what
    /// another thread has found out about the position meanwhile ends the loop.
    fn best_of_shared(
        &mut self,
        children: &[Option<Child>],
        goal: i32,
        mut best: i32,
        (hash, stones): (Hash, usize),
        others: &InProgress,
    ) -> (i32, usize) {
        let mut put_off = [None; MAX_PITS];
        let mut is_first = true;
        for may_put_off in [true, false] {
            let moves = if may_put_off {
                children
            } else {
                &put_off.clone()
            };
            for (index, child) in moves.iter().enumerate() {
                let Some(child) = child else { continue };
                if may_put_off && !is_first && others.contains(child.hash) {
                    put_off[index] = Some(*child);
                    continue;
                }
                is_first = false;
                others.enter(child.hash);
                let value = self.search_child(child, goal);
                others.leave(child.hash);
                if self.counter.is_stopped || value >= goal {
                    return (value, child.pit);
                }
                best = best.max(value);
                let known = self.knowledge.table.get(hash, stones);
                if known.lower >= goal {
                    return (known.lower, known.best);
                }
                if known.upper < goal {
                    return (known.upper, NO_PIT);
                }
            }
        }
        (best, NO_PIT)
    }
}

/// Bounds of the value of a move by those of the position after it.
#[inline(always)]
fn child_bounds(step: &Step, lower: i32, upper: i32) -> (i32, i32) {
    if step.moves_again {
        (step.value(lower), step.value(upper))
    } else {
        (step.value(upper), step.value(lower))
    }
}

/// How early a move is searched: the table's first, then those that move again, captures, and the pits nearest to the store.
#[inline(always)]
fn order(step: &Step, pit: usize, best: usize) -> u32 {
    if pit == best {
        return u32::MAX;
    }
    let kind = if step.moves_again {
        200
    } else if step.gain > 1 {
        100
    } else {
        0
    };
    kind + pit as u32
}
