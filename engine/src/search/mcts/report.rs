//! What others see of a search: its report (root moves in order of preference, their values and principal variations), and its
//! tree as a [`TreeView`], while the search runs and copied.

use std::io;

use super::{
    ChildStats, ExpansionRule, FinalChoice, Mcts, Selection, Terms,
    logarithm::ln,
    node_store::SearchStore,
    proof::ProofDepths,
    select::{Select, Uct},
    worker::unflip_outcome,
};
use crate::{
    games::{Outcome, Player},
    search::{
        EdgeView, LiveTree, ReferenceFrame, Reward, RootEdge, RootMove, SearchReport, Searchable,
        TreeCopy, TreeView,
    },
};

impl<G: Searchable, T: SearchStore<G>, S: Select> Mcts<G, T, S> {
    /// An edge view with its move in the game's own frame.
    fn edge_on_board(&self, edge: usize, frame: ReferenceFrame) -> EdgeView<G::Move> {
        let mut view = self.store.edge_view(edge);
        if let Some(symmetry) = frame.symmetry {
            view.mv = G::image_of_move(view.mv, symmetry.inverse());
        }
        view
    }

    /// The root's edges, the one to play first.
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
                    Some(Outcome::Win(winner)) if self.proves_margins(&framed) => {
                        let sign = if winner == mover { 1.0 } else { -1.0 };
                        let bounds = self.store.score_bounds(edge as u32).for_player(mover);
                        (sign, 1.0, bounds.lower.into(), stats.edge_visits)
                    }
                    Some(Outcome::Win(winner)) => {
                        let mut after = framed.clone();
                        let (child, _) = self.store.follow(edge, &mut after);
                        // A proof too large to be measured counts as a long one.
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
        // Proven draws are no longer visited, so their visits say nothing: they go before the first move with a mean below 0.5.
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

    /// The rank of a root move without a proven winner.
    fn rank_move(&self, stats: &ChildStats, ln_root: f64) -> MoveRank {
        if stats.edge_visits == 0.0 {
            return (0.0, 0.0, f64::NEG_INFINITY, 0.0);
        }
        // UCT's bound on rewards in [0, 1], whatever the search's formula and reward range.
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

    /// True if the solver proves margins.
    fn proves_margins(&self, root: &G) -> bool {
        self.store.keeps_score_bounds() && root.margin_bounds().is_some()
    }

    /// The least margin that a move with a proven winner brings the player to move, if margins are proven; else 0.
    fn proven_margin(&self, position: &G, edge: &EdgeView<G::Move>) -> i32 {
        match edge.child {
            Some(child)
                if self.proven_sign(position, edge) != 0 && self.proves_margins(position) =>
            {
                let bounds = self.store.score_bounds(child);
                bounds.for_player(position.to_move()).lower
            }
            _ => 0,
        }
    }

    /// 1 if a move is a proven win for the player to move, -1 if a proven loss, else 0; 0 without the solver.
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

    /// True if an unproven move has a mean below 0.5 for the player to move.
    fn is_worse_than_draw(&self, position: &G, edge: &EdgeView<G::Move>) -> bool {
        let mut after = position.clone();
        after.play(edge.mv);
        let inverted = self.store.frame(&after).inverted;
        let first = edge.value.for_player(Player::First);
        let first = if inverted { 1.0 - first } else { first };
        edge.proven.is_none() && Reward::new(first).for_player(position.to_move()) < 0.5
    }

    /// `mv` and best play after it by proof, in the game's own frame: the winner takes the shortest line, the loser the longest.
    /// `None` if `mv` has no proven winner; `mv` alone if the proof is too large to be measured.
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

    /// `mv` and the most visited moves after it, in the game's own frame; proven wins go before all others, proven losses last, and
    /// a proven draw before a move with a mean below 0.5.
    pub(super) fn pv(&self, root: &G, mv: G::Move) -> Vec<G::Move> {
        self.pv_with_proofs(root, mv, &mut ProofDepths::new(&self.store))
    }

    fn pv_with_proofs(
        &self,
        root: &G,
        mv: G::Move,
        proofs: &mut ProofDepths<'_, T>,
    ) -> Vec<G::Move> {
        if !self.proves_margins(root)
            && let Some(pv) = self.proven_pv(root, mv, proofs)
        {
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
                // `max_by_key` returns the last of equals: reversed, the first.
                None => (views.clone().rev())
                    .max_by_key(|view| {
                        let sign = self.proven_sign(&position, view);
                        (sign, self.proven_margin(&position, view), view.visits)
                    })
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

    /// Ranks the moves of the root, and gathers the counters of the search so far.
    pub(super) fn build_report(
        &self,
        root: &G,
        moves: Option<&[G::Move]>,
        iterations: u64,
        memory_full: bool,
    ) -> SearchReport<G::Move> {
        let mut proofs = ProofDepths::new(&self.store);
        let edges = self.ranked_moves_with_proofs(root, moves, &mut proofs);
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
        let (_, _, value) = root_stats(&self.store, root);
        SearchReport {
            iterations,
            nodes: iterations,
            leaves: 0,
            depth: root_moves.first().map_or(0, |best| best.pv.len() as u32),
            value,
            root_moves,
            stored_moves: usage.1,
            memory_bytes: usage.0 as u64 * 8,
            memory_full,
        }
    }
}

/// The sort key of a root move: proven sign, visited at all, then the measures of the final choice.
type MoveRank = (f64, f64, f64, f64);

/// A root move with its sort key.
struct RankedMove<M> {
    rank: MoveRank,
    /// True if it is a proven draw and the solver is on.
    is_draw: bool,
    /// Mean reward for the player to move.
    mean: f64,
    edge: EdgeView<M>,
}

impl<G: Searchable, T: SearchStore<G>, S: Select> LiveTree<G> for Mcts<G, T, S> {
    fn copy(&self) -> io::Result<TreeCopy<G>> {
        Ok(Box::new(MctsCopy {
            store: self.store.try_clone()?,
            root: self.root_position().clone(),
            expansion: self.config.expansion,
            unvisited_mean: self.config.unvisited_mean(),
        }))
    }
}

/// A copy of the tree; the search may continue.
struct MctsCopy<G, T> {
    store: T,
    root: G,
    expansion: ExpansionRule,
    unvisited_mean: f64,
}

impl<G: Searchable, T: SearchStore<G>, S: Select> TreeView<G> for Mcts<G, T, S> {
    fn root_position(&self) -> &G {
        self.root.as_ref().expect("lent out only with a root")
    }

    fn root(&self) -> u32 {
        self.store.root()
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        root_stats(&self.store, self.root_position())
    }

    fn frame(&self, position: &G) -> ReferenceFrame {
        self.store.frame(position)
    }

    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>)) {
        for_each_edge(&self.store, node, self.config.expansion, visit);
    }

    fn unvisited_mean(&self) -> f64 {
        self.config.unvisited_mean()
    }

    fn is_graph(&self) -> bool {
        T::IS_GRAPH
    }

    fn root_edge(&self) -> RootEdge {
        self.store.root_edge()
    }

    fn margin_bounds(&self, node: u32) -> Option<[i32; 2]> {
        margin_bounds(&self.store, node)
    }
}

impl<G: Searchable, T: SearchStore<G>> TreeView<G> for MctsCopy<G, T> {
    fn root_position(&self) -> &G {
        &self.root
    }

    fn root(&self) -> u32 {
        self.store.root()
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        root_stats(&self.store, &self.root)
    }

    fn frame(&self, position: &G) -> ReferenceFrame {
        self.store.frame(position)
    }

    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>)) {
        for_each_edge(&self.store, node, self.expansion, visit);
    }

    fn unvisited_mean(&self) -> f64 {
        self.unvisited_mean
    }

    fn is_graph(&self) -> bool {
        T::IS_GRAPH
    }

    fn root_edge(&self) -> RootEdge {
        self.store.root_edge()
    }

    fn margin_bounds(&self, node: u32) -> Option<[i32; 2]> {
        margin_bounds(&self.store, node)
    }
}

/// See [`TreeView::root_stats`].
fn root_stats<G: Searchable>(store: &impl SearchStore<G>, root: &G) -> (u64, u64, Reward) {
    let (visits, recent, first) = store.root_stats();
    let inverted = store.frame(root).inverted;
    let first = if inverted { 1.0 - first } else { first };
    (visits, recent, Reward::new(first))
}

/// See [`TreeView::for_each_edge`].
fn for_each_edge<G: Searchable, T: SearchStore<G>>(
    store: &T,
    node: u32,
    expansion: ExpansionRule,
    visit: &mut dyn FnMut(EdgeView<G::Move>),
) {
    let (first, count) = store.edges(node);
    for edge in first..first + count {
        let edge = store.edge_view(edge);
        if edge.visits > 0 || expansion != ExpansionRule::One {
            visit(edge);
        }
    }
}

/// See [`TreeView::margin_bounds`].
fn margin_bounds<G: Searchable>(store: &impl SearchStore<G>, node: u32) -> Option<[i32; 2]> {
    let bounds = store.score_bounds(node);
    store
        .keeps_score_bounds()
        .then_some([bounds.lower, bounds.upper])
}
