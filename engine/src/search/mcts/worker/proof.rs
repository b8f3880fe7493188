//! Proven results (MCTS-Solver) and margins (score-bounded MCTS-Solver); nothing without `solver=true`.

use super::{SearchContext, Worker};
use crate::{
    games::{Game, Outcome, Player},
    search::{
        Searchable,
        growth_records::GrowthRecord,
        mcts::{node_store::SearchStore, playout::outcome_reward, score_bounds::MarginBounds},
    },
};

impl<G: Game, T, S> SearchContext<'_, G, T, S> {
    /// True if nothing is left to learn of a node: its result is proven, and its margin if margins are proven.
    pub(in crate::search::mcts) fn is_closed(&self, node: u32) -> bool
    where
        G: Searchable,
        T: SearchStore<G>,
    {
        match self.proves_margins {
            true => self.store.score_bounds(node).is_exact(),
            false => self.store.proven(node).is_some(),
        }
    }
}

/// The score of an edge by which selection respects the bounds of margins. What is known, or cannot get `mover` more than the
/// `guaranteed` margin, comes last; before it a proven loss, behind which the margin may be better still.
pub(super) fn bounded_score<G: Searchable>(
    store: &impl SearchStore<G>,
    edge: usize,
    mover: Player,
    guaranteed: i32,
    score: f64,
) -> f64 {
    // Only trees keep bounds: an edge is its child.
    let bounds = store.score_bounds(edge as u32).for_player(mover);
    if bounds.is_exact() || bounds.upper <= guaranteed {
        -1e300
    } else if bounds.upper < 0 {
        1e290 * f64::from(bounds.upper)
    } else {
        score
    }
}

impl<G: Searchable> Worker<'_, G> {
    /// Stores a proven result and records it.
    pub(super) fn record_proven<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
        node: u32,
        outcome: Outcome,
    ) {
        context.store.set_proven(node, outcome);
        if self.growth.is_enabled() {
            self.growth.push(GrowthRecord::Proven { node, outcome });
        }
    }

    /// Backpropagates a proven result as far as it proves the nodes above (MCTS-Solver, Winands, Björnsson and Saito 2008). A
    /// deviation: draws are proven, too.
    pub(super) fn backpropagate_proof<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
    ) {
        let store = context.store;
        for index in (0..self.path.len() - 1).rev() {
            let (here, below) = (self.path[index], self.path[index + 1]);
            if store.proven(here.node).is_some() {
                continue;
            }
            let mover = below.mover;
            let (first, count) = store.edges(here.node);
            let mut best = Some(Outcome::Win(mover.opponent()));
            for edge in first..first + count {
                match store.edge_proven(edge) {
                    Some(Outcome::Win(winner)) if winner == mover => {
                        best = Some(Outcome::Win(mover));
                        break;
                    }
                    Some(Outcome::Win(_)) => {}
                    Some(Outcome::Draw) => best = best.and(Some(Outcome::Draw)),
                    None => best = None,
                }
            }
            match best {
                Some(outcome) => self.record_proven(context, here.node, outcome),
                None => return,
            }
        }
    }

    /// Stores what a position itself says about its margin.
    pub(super) fn record_own_bounds<T: SearchStore<G>, S>(
        &self,
        context: &SearchContext<'_, G, T, S>,
        node: u32,
        position: &G,
    ) {
        if context.proves_margins
            && let Some(bounds) = position.margin_bounds()
        {
            (context.store).tighten_score_bounds(node, MarginBounds::new(bounds));
        }
    }

    /// The margin that is proven for `mover` at the last node of the path whatever it does next; `None` if no margins are proven. At
    /// a root with a restricted choice nothing is guaranteed.
    pub(super) fn guaranteed_margin<T: SearchStore<G>, S>(
        &self,
        context: &SearchContext<'_, G, T, S>,
        mover: Player,
    ) -> Option<i32> {
        let here = self.path.last().filter(|_| context.proves_margins)?;
        if self.path.len() == 1 && context.allowed.is_some() {
            return Some(i32::MIN);
        }
        Some(
            context
                .store
                .score_bounds(here.node)
                .for_player(mover)
                .lower,
        )
    }

    /// Backpropagates bounds of the margin as far as they become tighter, and the results they prove.
    pub(super) fn backpropagate_bounds<T: SearchStore<G>, S>(
        &mut self,
        context: &SearchContext<'_, G, T, S>,
    ) {
        let store = context.store;
        for index in (0..self.path.len() - 1).rev() {
            let (node, mover) = (self.path[index].node, self.path[index + 1].mover);
            let (first, count) = store.edges(node);
            let children = (first..first + count).map(|edge| store.score_bounds(edge as u32));
            let bounds = MarginBounds::of_choice(children, mover);
            let is_new = store.tighten_score_bounds(node, bounds);
            // The node above the leaf may have been expanded just now, which tells it of its own bounds alone.
            if !is_new && index + 2 < self.path.len() {
                return;
            }
            if store.proven(node).is_none()
                && let Some(outcome) = store.score_bounds(node).outcome()
            {
                self.record_proven(context, node, outcome);
            }
        }
    }

    /// The reward of the path's first node with a proven result.
    pub(super) fn proven_reward<T: SearchStore<G>, S>(
        &self,
        context: &SearchContext<'_, G, T, S>,
    ) -> Option<u64> {
        (self.path.iter())
            .find_map(|step| context.store.proven(step.node))
            .map(outcome_reward)
    }
}
