//! Last-good-reply playouts (Drake 2009): the winner's reply to a move is tried first in later playouts. With forgetting, the
//! loser's replies are removed (Baier and Drake 2010).
//!
//! The longest match is tried first: replies to two moves, to one, then a random move; illegal replies are skipped. Contexts are
//! the previous plies, whoever made them: a deviation for games in which players do not alternate. Replies are learnt for the
//! player who made them. Draws teach nothing. A truncated playout is won by the player with a reward above 0.5.
//!
//! Moves are those of the game's own frame, also where a graph stores images of positions. The first move of a playout replies to
//! the moves before it, of the tree or of the game.

use std::cmp::Ordering;

use super::playout::{
    LastMoves, Playout, REWARD_ONE, RecordablePlayout, outcome_reward, truncated_playout_reward,
};
use crate::machine::{Work, run_accelerated};
use crate::{
    games::{Player, SearchHints},
    rng::{Rng, mix},
    search::Searchable,
};

/// Upper limit of slots for replies to two moves; pairs beyond it share slots, and later ones replace earlier ones.
const MAX_PAIR_SLOTS: usize = 1 << 18;

/// Bytes of one player's table of replies to one move, and of one slot for two moves.
const fn table_sizes<G: SearchHints>() -> (usize, usize) {
    let one = G::REPLY_CONTEXTS * size_of::<Option<G::Move>>();
    (one, size_of::<(u64, Option<G::Move>)>())
}

/// Number of slots for replies to two moves that a game could use.
fn useful_pair_slots<G: SearchHints>() -> usize {
    let pairs = G::REPLY_CONTEXTS.saturating_mul(G::REPLY_CONTEXTS);
    pairs.min(MAX_PAIR_SLOTS).next_power_of_two()
}

/// A playout policy with reply tables for both players.
pub(super) struct LastGoodReply<G: SearchHints> {
    tables: ReplyTables<G::Move>,
    uses_pairs: bool,
    forgetting: bool,
    limit: Option<u32>,
    /// The plies of the current playout.
    plies: Vec<PlayoutPly<G::Move>>,
}

struct PlayoutPly<M> {
    mover: Player,
    last_moves: LastMoves,
    mv: M,
}

struct ReplyTables<M> {
    single: [Vec<Option<M>>; 2],
    /// The pair of contexts plus 1, and the reply; 0 is empty.
    pairs: [Vec<(u64, Option<M>)>; 2],
}

impl<M: Copy + PartialEq> ReplyTables<M> {
    /// Tables with `pairs` slots for pairs, a power of two or 0.
    fn new(contexts: usize, pairs: usize) -> Self {
        Self {
            single: [vec![None; contexts], vec![None; contexts]],
            pairs: [vec![(0, None); pairs], vec![(0, None); pairs]],
        }
    }

    fn clear(&mut self) {
        for player in 0..2 {
            self.single[player].fill(None);
            self.pairs[player].fill((0, None));
        }
    }

    fn pair_slot(&self, last_moves: LastMoves) -> Option<(u64, usize)> {
        let size = self.pairs[0].len();
        let key = (u64::from(last_moves.previous?) << 32 | u64::from(last_moves.last?)) + 1;
        (size > 0).then(|| (key, mix(key) as usize & (size - 1)))
    }

    fn reply_to_two(&self, mover: Player, last_moves: LastMoves) -> Option<M> {
        let (key, slot) = self.pair_slot(last_moves)?;
        let (stored, reply) = self.pairs[mover.index()][slot];
        if stored == key { reply } else { None }
    }

    fn reply_to_one(&self, mover: Player, last_moves: LastMoves) -> Option<M> {
        self.single[mover.index()][last_moves.last? as usize]
    }

    fn learn(&mut self, ply: &PlayoutPly<M>) {
        let Some(last) = ply.last_moves.last else {
            return;
        };
        let player = ply.mover.index();
        self.single[player][last as usize] = Some(ply.mv);
        if let Some((key, slot)) = self.pair_slot(ply.last_moves) {
            self.pairs[player][slot] = (key, Some(ply.mv));
        }
    }

    fn forget(&mut self, ply: &PlayoutPly<M>) {
        let player = ply.mover.index();
        if self.reply_to_one(ply.mover, ply.last_moves) == Some(ply.mv)
            && let Some(last) = ply.last_moves.last
        {
            self.single[player][last as usize] = None;
        }
        if self.reply_to_two(ply.mover, ply.last_moves) == Some(ply.mv)
            && let Some((_, slot)) = self.pair_slot(ply.last_moves)
        {
            self.pairs[player][slot] = (0, None);
        }
    }
}

impl<G: SearchHints> LastGoodReply<G> {
    /// A policy whose tables take about `bytes` at most: with less room, more pairs of moves share a slot.
    pub(super) fn with_memory_limit(
        bytes: usize,
        two: bool,
        forgetting: bool,
        limit: Option<u32>,
    ) -> Self {
        let pairs = if two {
            Self::pair_slots_within(bytes)
        } else {
            0
        };
        Self {
            tables: ReplyTables::new(G::REPLY_CONTEXTS, pairs),
            uses_pairs: two,
            forgetting,
            limit,
            plies: Vec::new(),
        }
    }

    /// Slots for pairs under a limit of `bytes`: a power of two, or 0.
    fn pair_slots_within(bytes: usize) -> usize {
        let (one, slot) = table_sizes::<G>();
        let room = (bytes / 2).saturating_sub(one) / slot;
        match room.min(useful_pair_slots::<G>()) {
            0 => 0,
            pairs => 1 << pairs.ilog2(),
        }
    }

    /// Bytes that the tables of [`Self::with_memory_limit`] take.
    pub(super) fn table_bytes(bytes: usize, two: bool) -> usize {
        let (one, slot) = table_sizes::<G>();
        let pairs = if two {
            Self::pair_slots_within(bytes)
        } else {
            0
        };
        2 * (one + slot * pairs)
    }

    /// Slots for pairs under a limit of `bytes`, and slots that the game could use.
    pub(super) fn pair_slot_counts(bytes: usize) -> (u64, u64) {
        (
            Self::pair_slots_within(bytes) as u64,
            useful_pair_slots::<G>() as u64,
        )
    }

    #[inline(always)]
    fn reply(&self, position: &G, last_moves: LastMoves) -> Option<G::Move> {
        let mover = position.to_move();
        let legal = |mv: &G::Move| position.is_legal(*mv);
        let longest = if self.uses_pairs {
            self.tables.reply_to_two(mover, last_moves).filter(legal)
        } else {
            None
        };
        longest.or_else(|| self.tables.reply_to_one(mover, last_moves).filter(legal))
    }

    /// Learns from the recorded playout; `reward` is the first player's.
    fn learn(&mut self, reward: u64) {
        let winner = match reward.cmp(&(REWARD_ONE / 2)) {
            Ordering::Greater => Player::First,
            Ordering::Less => Player::Second,
            Ordering::Equal => return,
        };
        for ply in &self.plies {
            if ply.mover == winner {
                self.tables.learn(ply);
            } else if self.forgetting {
                self.tables.forget(ply);
            }
        }
    }
}

impl<G: Searchable> Playout<G> for LastGoodReply<G> {
    fn uses_last_moves(&self) -> bool {
        true
    }

    fn simulate(&mut self, position: &G, last_moves: LastMoves, rng: &mut Rng) -> u64 {
        run_accelerated(RunReplyPlayout {
            policy: self,
            position,
            last_moves,
            rng,
        })
    }

    fn clear(&mut self) {
        self.tables.clear();
    }
}

impl<G: Searchable> RecordablePlayout<G> for LastGoodReply<G> {
    fn simulate_recorded(
        &mut self,
        position: &G,
        last_moves: LastMoves,
        rng: &mut Rng,
        moves: &mut Vec<G::Move>,
    ) -> u64 {
        let reward = self.simulate(position, last_moves, rng);
        moves.extend(self.plies.iter().map(|ply| ply.mv));
        reward
    }
}

struct RunReplyPlayout<'a, G: SearchHints> {
    policy: &'a mut LastGoodReply<G>,
    position: &'a G,
    last_moves: LastMoves,
    rng: &'a mut Rng,
}

impl<G: Searchable> Work for RunReplyPlayout<'_, G> {
    type Out = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Self {
            policy,
            position,
            mut last_moves,
            rng,
        } = self;
        let mut position = position.clone();
        policy.plies.clear();
        let mut left = policy.limit.unwrap_or(u32::MAX);
        let reward = loop {
            if left == 0 {
                break truncated_playout_reward(&position);
            }
            left -= 1;
            let mv = match policy.reply(&position, last_moves) {
                Some(reply) => reply,
                None => match position.random_move(rng) {
                    Some(mv) => mv,
                    None => break outcome_reward(position.final_outcome()),
                },
            };
            policy.plies.push(PlayoutPly {
                mover: position.to_move(),
                last_moves,
                mv,
            });
            last_moves.push(position.reply_context(mv));
            position.play(mv);
        };
        policy.learn(reward);
        reward
    }
}

#[cfg(test)]
mod tests {
    use super::{super::playout::to_fixed_point, *};
    use crate::games::{
        Game as _,
        connect_four::{Column, ConnectFour},
    };

    /// The plies of a connect four game, from the empty board.
    fn plies_of_game(columns: &str) -> Vec<PlayoutPly<Column>> {
        let mut position = ConnectFour::start(());
        let mut last_moves = LastMoves::default();
        let mut plies = Vec::new();
        for digit in columns.bytes() {
            let mv = Column(digit - b'1');
            plies.push(PlayoutPly {
                mover: position.to_move(),
                last_moves,
                mv,
            });
            last_moves.push(position.reply_context(mv));
            position.play(mv);
        }
        plies
    }

    #[test]
    fn the_tables_after_a_written_playout() {
        let mut policy = LastGoodReply::<ConnectFour>::with_memory_limit(1 << 20, true, true, None);
        // X a1, O b1, X a2, O b2, X a3, O b3, X a4: X wins. Cells are column * 7 + row.
        policy.plies = plies_of_game("1212121");
        policy.learn(REWARD_ONE);
        let one = |table: &LastGoodReply<ConnectFour>, player: Player| -> Vec<(usize, u8)> {
            let replies = table.tables.single[player.index()].iter().enumerate();
            replies
                .filter_map(|(cell, reply)| reply.map(|mv| (cell, mv.0)))
                .collect()
        };
        // X's answers to b1, b2 and b3; its first move answers nothing. The loser learns nothing.
        assert_eq!(one(&policy, Player::First), [(7, 0), (8, 0), (9, 0)]);
        assert_eq!(one(&policy, Player::Second), []);
        let after = |before, last| LastMoves {
            previous: Some(before),
            last: Some(last),
        };
        assert_eq!(
            policy.tables.reply_to_two(Player::First, after(0, 7)),
            Some(Column(0))
        );
        assert_eq!(policy.tables.reply_to_two(Player::First, after(1, 7)), None);
        // Longest match first: the pair says column 3, the single move says column 1.
        policy.tables.learn(&PlayoutPly {
            mover: Player::First,
            last_moves: after(21, 7),
            mv: Column(2),
        });
        policy.tables.single[0][7] = Some(Column(0));
        let mut position = ConnectFour::start(());
        position.play(Column(3));
        position.play(Column(1));
        assert_eq!(policy.reply(&position, after(21, 7)), Some(Column(2)));
        assert_eq!(policy.reply(&position, after(14, 7)), Some(Column(0)));
        assert_eq!(policy.reply(&position, after(14, 13)), None);
        // Forgetting: X answers b1 with column 1 again, and loses.
        policy.plies = plies_of_game("121");
        policy.learn(0);
        assert_eq!(one(&policy, Player::First), [(8, 0), (9, 0)]);
        assert_eq!(policy.tables.reply_to_two(Player::First, after(0, 7)), None);
        // A draw teaches nothing.
        policy.plies = plies_of_game("7656");
        policy.learn(REWARD_ONE / 2);
        assert_eq!(one(&policy, Player::Second), [(0, 1)]);
        // A truncated playout teaches by its reward.
        policy.plies = plies_of_game("7656");
        policy.learn(to_fixed_point(0.45));
        assert_eq!(one(&policy, Player::Second), [(0, 1), (28, 5), (42, 5)]);
    }
}
