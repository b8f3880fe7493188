//! What a search answers: its root moves in order, their principal variations, and what they are worth.

use super::{
    ChildStats, FinalChoice, Mcts, Selection, Terms,
    logarithm::ln,
    node_store::SearchStore,
    proof::ProofDepths,
    select::{Select, Uct},
    worker::unflip_outcome,
};
use crate::{
    games::{Outcome, Player},
    search::{EdgeView, ReferenceFrame, Reward, RootMove, SearchReport, Searchable},
};

impl<G: Searchable, T: SearchStore<G>, S: Select> Mcts<G, T, S> {
    /// A move with all there is to know, as those at the board see it.
    fn edge_on_board(&self, edge: usize, frame: ReferenceFrame) -> EdgeView<G::Move> {
        let mut view = self.store.edge_view(edge);
        if let Some(symmetry) = frame.symmetry {
            view.mv = G::image_of_move(view.mv, symmetry.inverse());
        }
        view
    }

    /// The root's moves, the one to play first.
    pub(super) fn ranked_moves(
        &self,
        root: &G,
        moves: Option<&[G::Move]>,
    ) -> Vec<EdgeView<G::Move>> {
        self.ranked_moves_with_proofs(root, moves, &mut ProofDepths::new(&self.store))
    }

    fn ranked_moves_with_proofs(
        &self,
        root: &G,
        moves: Option<&[G::Move]>,
        proofs: &mut ProofDepths<'_, T>,
    ) -> Vec<EdgeView<G::Move>> {
        let (framed, frame) = self.position_in_frame(root);
        let mover = framed.to_move();
        let (first, count) = self.store.edges(self.store.root());
        let visits = self.store.visits(self.store.root());
        let mut ranked: Vec<RankedMove<G::Move>> = (first..first + count)
            .map(|edge| {
                let stats = ChildStats::from(self.store.child_stats(edge, mover));
                let proven = self.store.edge_proven(edge).filter(|_| self.config.solver);
                let rank = match proven {
                    Some(Outcome::Win(winner)) => {
                        let mut after = framed.clone();
                        let (child, _) = self.store.follow(edge, &mut after);
                        // A proof that is too large to be looked at is a long one.
                        let plies = proofs.plies(child, &after).map_or(1e9, f64::from);
                        if winner == mover {
                            (1.0, 1.0, -plies, stats.edge_visits)
                        } else {
                            (-1.0, 1.0, plies, stats.edge_visits)
                        }
                    }
                    _ => self.rank_move(&stats, ln(visits.max(1))),
                };
                RankedMove {
                    rank,
                    is_draw: proven == Some(Outcome::Draw),
                    mean: stats.sum / stats.visits,
                    edge: self.edge_on_board(edge, frame),
                }
            })
            .filter(|one| moves.is_none_or(|moves| moves.contains(&one.edge.mv)))
            .collect();
        ranked.sort_by(|one, other| {
            let better_first = (other.rank)
                .partial_cmp(&one.rank)
                .unwrap_or(std::cmp::Ordering::Equal);
            better_first.then_with(|| one.edge.mv.cmp(&other.edge.mv))
        });
        // Certain draws are not visited any more: how often they were says nothing. They go before the first that promises less.
        let (draws, mut ranked): (Vec<_>, Vec<_>) =
            (ranked.into_iter()).partition(|candidate| candidate.is_draw);
        let place = (ranked.iter()).position(|other| {
            let promises = other.rank.0 > 0.0 || other.rank.0 == 0.0 && other.mean >= 0.5;
            !promises
        });
        let place = place.unwrap_or(ranked.len());
        ranked.splice(place..place, draws);
        ranked.into_iter().map(|candidate| candidate.edge).collect()
    }

    /// How much a root move without a certain winner is to be preferred.
    fn rank_move(&self, stats: &ChildStats, ln_root: f64) -> MoveRank {
        if stats.edge_visits == 0.0 {
            return (0.0, 0.0, f64::NEG_INFINITY, 0.0);
        }
        // The bound is UCT's, on rewards in [0, 1] whatever the formula of the search sees.
        let bound = Uct::new(&Selection {
            exploration: self.config.exploration,
            ..Selection::default()
        });
        let Terms { mean, exploration } = bound.terms(ln_root, stats);
        let visits = stats.edge_visits;
        let (one, two) = match self.config.final_choice {
            FinalChoice::Visits => (visits, mean),
            FinalChoice::Mean => (mean, visits),
            FinalChoice::LowerBound => (mean - exploration, visits),
        };
        (0.0, 1.0, one, two)
    }

    /// Whether a move on the board certainly wins (1) or loses (-1) for who makes it, as far as that is looked at; else 0.
    fn proven_sign(&self, position: &G, edge: &EdgeView<G::Move>) -> i8 {
        let Some(outcome) = edge.proven.filter(|_| self.config.solver) else {
            return 0;
        };
        let mut after = position.clone();
        after.play(edge.mv);
        match unflip_outcome(outcome, self.store.frame(&after).inverted) {
            Outcome::Win(winner) if winner == position.to_move() => 1,
            Outcome::Win(_) => -1,
            Outcome::Draw => 0,
        }
    }

    /// Whether who makes a move on the board can expect less of it than a draw, as far as is known.
    fn is_worse_than_draw(&self, position: &G, edge: &EdgeView<G::Move>) -> bool {
        let mut after = position.clone();
        after.play(edge.mv);
        let inverted = self.store.frame(&after).inverted;
        let first = edge.value.for_player(Player::First);
        let first = if inverted { 1.0 - first } else { first };
        edge.proven.is_none() && Reward::new(first).for_player(position.to_move()) < 0.5
    }

    /// `mv` and the best play after it as far as it is proven, on the board: a winner hurries, a loser delays. None if
    /// `mv` has no certain winner, and `mv` alone if the proof is too large to be looked at.
    fn proven_pv(
        &self,
        root: &G,
        mv: G::Move,
        proofs: &mut ProofDepths<'_, T>,
    ) -> Option<Vec<G::Move>> {
        let mut pv = vec![mv];
        let mut position = root.clone();
        let mut node = self.store.root();
        let (mut image, mut frame) = self.position_in_frame(&position);
        let (first, count) = self.store.edges(node);
        let mut edge =
            (first..first + count).find(|&edge| self.edge_on_board(edge, frame).mv == mv)?;
        let proven = self.store.edge_proven(edge).filter(|_| self.config.solver);
        if !matches!(proven, Some(Outcome::Win(_))) {
            return None;
        }
        let alone = pv.clone();
        loop {
            node = self.store.follow(edge, &mut image).0;
            position.play(pv[pv.len() - 1]);
            let (first, count) = self.store.edges(node);
            if count == 0 {
                return Some(pv);
            }
            frame = self.store.frame(&position);
            let wins = self.store.proven(node) == Some(Outcome::Win(image.to_move()));
            let mut best: Option<(u32, usize)> = None;
            for next in first..first + count {
                let Some(plies) = proofs.plies_of_move(node, next, &image) else {
                    return Some(alone);
                };
                let is_better = |plies: u32| {
                    best.is_none_or(|(most, _)| if wins { plies < most } else { plies > most })
                };
                if let Some(plies) = plies.filter(|&plies| is_better(plies)) {
                    best = Some((plies, next));
                }
            }
            let Some((_, next)) = best else {
                return Some(alone);
            };
            edge = next;
            pv.push(self.edge_on_board(edge, frame).mv);
        }
    }

    /// `mv` and the most visited moves after it, on the board; but certain wins before all others, certain losses last, and
    /// a certain draw before a move that promises less.
    pub(super) fn pv(&self, root: &G, mv: G::Move) -> Vec<G::Move> {
        self.pv_with_proofs(root, mv, &mut ProofDepths::new(&self.store))
    }

    fn pv_with_proofs(
        &self,
        root: &G,
        mv: G::Move,
        proofs: &mut ProofDepths<'_, T>,
    ) -> Vec<G::Move> {
        if let Some(pv) = self.proven_pv(root, mv, proofs) {
            return pv;
        }
        let mut position = root.clone();
        let mut node = self.store.root();
        let mut pv = Vec::new();
        let mut wanted = Some(mv);
        loop {
            let frame = self.store.frame(&position);
            let (first, count) = self.store.edges(node);
            let mut views = (first..first + count).map(|edge| self.edge_on_board(edge, frame));
            let next = match wanted.take() {
                Some(mv) => views.find(|view| view.mv == mv),
                // The last of equals is wanted first by `max_by_key`, so count them from behind.
                None => (views.clone().rev())
                    .max_by_key(|view| (self.proven_sign(&position, view), view.visits))
                    .filter(|view| view.visits > 0),
            };
            let Some(mut next) = next else { return pv };
            if self.config.solver && !pv.is_empty() && self.is_worse_than_draw(&position, &next) {
                let is_draw = |view: &EdgeView<G::Move>| view.proven == Some(Outcome::Draw);
                let draws = views.rev().filter(|view| is_draw(view) && view.visits > 0);
                next = draws.max_by_key(|view| view.visits).unwrap_or(next);
            }
            pv.push(next.mv);
            position.play(next.mv);
            match next.child {
                Some(child) if next.visits > 0 => node = child,
                _ => return pv,
            }
        }
    }

    pub(super) fn build_report(
        &self,
        root: &G,
        moves: Option<&[G::Move]>,
        iterations: u64,
        memory_full: bool,
    ) -> SearchReport<G::Move> {
        let mut proofs = ProofDepths::new(&self.store);
        let edges = self.ranked_moves_with_proofs(root, moves, &mut proofs);
        let (_, _, first) = self.store.root_stats();
        let inverted = self.store.frame(root).inverted;
        let usage = self.store.usage();
        let root_moves: Vec<RootMove<G::Move>> = edges
            .iter()
            .map(|edge| {
                let mut after = root.clone();
                after.play(edge.mv);
                let flipped = self.store.frame(&after).inverted;
                let value = if flipped {
                    Reward::from_player(Player::Second, edge.value.for_player(Player::First))
                } else {
                    edge.value
                };
                RootMove {
                    mv: edge.mv,
                    visits: edge.visits,
                    value,
                    score: None,
                    proven: edge.proven.map(|outcome| unflip_outcome(outcome, flipped)),
                    pv: self.pv_with_proofs(root, edge.mv, &mut proofs),
                }
            })
            .collect();
        let first = if inverted { 1.0 - first } else { first };
        SearchReport {
            iterations,
            nodes: iterations,
            leaves: 0,
            depth: root_moves.first().map_or(0, |best| best.pv.len() as u32),
            value: Reward::new(first),
            root_moves,
            stored_moves: usage.1,
            memory_bytes: usage.0 as u64 * 8,
            memory_full,
        }
    }
}

/// A root move's claim to be played: certain results, visited at all, then the chosen measures.
type MoveRank = (f64, f64, f64, f64);

/// A root move that may be played.
struct RankedMove<M> {
    rank: MoveRank,
    /// Whether it certainly leads to a draw, where that is looked at.
    is_draw: bool,
    /// Its mean for the player to move.
    mean: f64,
    edge: EdgeView<M>,
}
