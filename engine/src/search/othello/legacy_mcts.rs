//! Monte-Carlo tree search as report 001's program had it, defects included, so that its ranking can be examined.
//!
//! - An iteration adds one child: the last move not yet tried, column by column. A pass takes no node.
//! - Every playout begins with the same random numbers, because every node has a generator of the same seed.
//! - Results are +1, 0 and -1. On the way up the result changes its sign at every node in which the opponent is to move, and the
//!   changed result is handed on. Signs therefore follow the depth as -, -, +, + instead of alternating.
//! - UCT and UCB1-tuned are applied to these results, and UCB1-tuned bounds the variance by 1/4, which is meant for [0, 1].
//! - Grouping, while few discs are down, shares statistics between positions that are rotations of each other. It ignores whose
//!   turn it is, and keeps the statistics through a game.

use std::collections::HashMap;

use super::{column_by_column, skip_pass};
use crate::{
    games::{
        Game as _, Outcome, Player, SearchHints as _, Symmetric as _, Symmetry,
        othello::{Othello, OthelloMove, PASS},
    },
    rng::Rng,
    search::{
        BestMove, Reward, RootMove, Search, SearchLimits, SearchReport, SearchTask,
        budget::SearchBudget,
        mcts::{MctsConfig, SelectFormula, ln},
        random::allowed_moves,
    },
};

/// Report 001's seed of playouts from grouped positions, whatever the player's seed.
const GROUPING_SEED: u64 = 10;
/// How often the program turns a position before it looks it up: by this much each time.
const TURN: Symmetry = Symmetry::ROTATIONS[3];
/// Upper bound of a node's size with its moves, for the memory limit.
const NODE_BYTES: usize = 256;

/// The search as in report 001's program.
pub struct LegacyMcts {
    config: MctsConfig,
    /// Statistics of positions, in grouping kept from move to move.
    states: Vec<State>,
    /// The states that are shared, by the discs of both players when they were first met.
    groups: HashMap<[u64; 2], usize>,
}

/// A position and its statistics, seen as the program signs them.
#[derive(Clone, Debug)]
struct State {
    position: Othello,
    visits: u32,
    wins: u32,
    losses: u32,
}

impl State {
    fn new(position: Othello) -> Self {
        Self {
            position,
            visits: 0,
            wins: 0,
            losses: 0,
        }
    }

    fn mean(&self) -> f64 {
        (f64::from(self.wins) - f64::from(self.losses)) / f64::from(self.visits)
    }
}

/// A node of the search's tree; several may share a state.
struct Node {
    state: usize,
    parent: Option<usize>,
    /// The move that leads here, on the board of the parent's state.
    mv: OthelloMove,
    /// Moves without a child; the last is tried first.
    untried: Vec<u8>,
    children: Vec<usize>,
}

impl LegacyMcts {
    /// The search; of the configuration formula, exploration, iterations, time, memory, seed and the opening's settings count.
    pub fn new(config: MctsConfig) -> Self {
        Self {
            config,
            states: Vec::new(),
            groups: HashMap::new(),
        }
    }

    /// Whether the position is one of the opening, which is grouped.
    fn groups_at(&self, root: &Othello) -> bool {
        root.piece_count() < self.config.opening_pieces
    }

    fn limits(&self, task: &SearchTask<'_, Othello>) -> SearchLimits {
        let limits = task
            .limits
            .or_default(self.config.iterations, self.config.millis);
        let mut iterations = limits.node_limit();
        if self.groups_at(task.root) {
            let part = |count: u64| (count as f64 * self.config.opening_fraction) as u64;
            iterations = iterations.map(|count| part(count).max(1));
        }
        SearchLimits {
            iterations,
            ..limits
        }
    }
}

impl Search<Othello> for LegacyMcts {
    fn search(&mut self, task: SearchTask<'_, Othello>) -> BestMove<OthelloMove> {
        let moves = allowed_moves(&task);
        let limits = self.limits(&task);
        let mut budget = SearchBudget::start(&limits, limits.iterations, task.stop);
        let is_grouping = self.groups_at(task.root);
        if !is_grouping {
            self.clear();
        }
        let max_nodes = (self.config.memory_mb << 20) / NODE_BYTES;
        let player = task.root.to_move();
        let mut growth = Growth {
            config: &self.config,
            states: &mut self.states,
            groups: is_grouping.then_some(&mut self.groups),
            nodes: Vec::new(),
            player,
        };
        let mut iterations = 0;
        let mut is_full = false;
        if moves.first() != Some(&PASS) {
            growth.add_root(task.root, &moves);
            while !is_full && !budget.is_exhausted(iterations) {
                growth.iterate();
                iterations += 1;
                is_full = growth.states.len() >= max_nodes;
            }
        }
        let root_moves = growth.ranked_moves(&moves);
        let value = root_moves.first().map_or(Reward::EVEN, |best| best.value);
        let report = SearchReport {
            iterations,
            nodes: iterations,
            leaves: 0,
            depth: u32::from(iterations > 0),
            value,
            root_moves,
            stored_moves: growth.nodes.len().saturating_sub(1) as u64,
            memory_bytes: (growth.states.len() * NODE_BYTES) as u64,
            memory_full: is_full,
        };
        let mv = report.root_moves.first().map_or(PASS, |best| best.mv);
        BestMove { mv, report }
    }

    fn clear(&mut self) {
        self.states.clear();
        self.groups.clear();
    }

    fn reseed(&mut self, seed: u64) {
        self.config.seed = seed;
    }
}

/// The tree of one search while it grows.
struct Growth<'a> {
    config: &'a MctsConfig,
    states: &'a mut Vec<State>,
    groups: Option<&'a mut HashMap<[u64; 2], usize>>,
    nodes: Vec<Node>,
    player: Player,
}

impl Growth<'_> {
    fn add_root(&mut self, root: &Othello, moves: &[OthelloMove]) {
        self.states.push(State::new(*root));
        let mut untried: Vec<u8> = column_by_column(root.legal_squares()).collect();
        untried.retain(|&square| moves.contains(&OthelloMove(square)));
        self.nodes.push(Node {
            state: self.states.len() - 1,
            parent: None,
            mv: PASS,
            untried,
            children: Vec::new(),
        });
    }

    /// Selection, expansion, playout, backpropagation.
    fn iterate(&mut self) {
        let mut node = 0;
        loop {
            if let Some(square) = self.nodes[node].untried.pop() {
                node = self.expand(node, OthelloMove(square));
                break;
            }
            match self.best_child(node) {
                Some(child) => node = child,
                None => break,
            }
        }
        let mut result = self.play_out(node);
        let mut next = Some(node);
        while let Some(index) = next {
            let Node { state, parent, .. } = self.nodes[index];
            let state = &mut self.states[state];
            if state.position.to_move() != self.player {
                result = -result;
            }
            state.visits += 1;
            state.wins += u32::from(result > 0);
            state.losses += u32::from(result < 0);
            next = parent;
        }
    }

    fn expand(&mut self, parent: usize, mv: OthelloMove) -> usize {
        let mut position = self.states[self.nodes[parent].state].position;
        position.play(mv);
        let state = self.state_of(position);
        // Who cannot move passes, and the statistics are signed by who moves then; so they are where nobody can.
        let here = &mut self.states[state].position;
        let squares = match here.legal_squares() {
            0 => {
                *here = here.with_turn_passed();
                here.legal_squares()
            }
            squares => squares,
        };
        self.nodes.push(Node {
            state,
            parent: Some(parent),
            mv,
            untried: column_by_column(squares).collect(),
            children: Vec::new(),
        });
        let child = self.nodes.len() - 1;
        self.nodes[parent].children.push(child);
        child
    }

    /// The state of a position: a new one, or in grouping that of a rotation.
    fn state_of(&mut self, position: Othello) -> usize {
        let new = self.states.len();
        let Some(groups) = &mut self.groups else {
            self.states.push(State::new(position));
            return new;
        };
        let mut turned = position;
        for turn in 0..4 {
            if turn > 0 {
                turned = turned.image(TURN);
            }
            if let Some(&known) = groups.get(&turned.discs()) {
                return known;
            }
        }
        groups.insert(position.discs(), new);
        // The program leaves the board as it lies after the last turn.
        self.states.push(State::new(turned));
        new
    }

    /// The child with the highest score, the first of equals; `None` if there is none.
    fn best_child(&self, node: usize) -> Option<usize> {
        let Node {
            state, children, ..
        } = &self.nodes[node];
        let logarithm = ln(self.states[*state].visits.max(1));
        let score = |child: usize| {
            let state = &self.states[self.nodes[child].state];
            let visits = f64::from(state.visits);
            let mean = state.mean();
            let constant = match self.config.formula {
                SelectFormula::Ucb1Tuned => {
                    let squares = f64::from(state.wins + state.losses) / visits;
                    let variance = squares - mean * mean + (2.0 * logarithm / visits).sqrt();
                    variance.min(0.25).sqrt()
                }
                _ => self.config.exploration,
            };
            mean + constant * (logarithm / visits).sqrt()
        };
        first_highest(children, score)
    }

    /// The result of a random game from a node for the searching player: 1, 0 or -1.
    fn play_out(&self, node: usize) -> i32 {
        let Node { state, parent, .. } = self.nodes[node];
        let is_grouped = self.groups.is_some() && parent.is_some();
        let mut rng = Rng::new(match is_grouped {
            true => GROUPING_SEED,
            false => self.config.seed,
        });
        let mut position = self.states[state].position;
        loop {
            position = skip_pass(&position);
            let squares = position.legal_squares();
            let count = squares.count_ones();
            if count == 0 {
                break;
            }
            let rank = rng.below(count) as usize;
            let Some(square) = column_by_column(squares).nth(rank) else {
                break;
            };
            position.play(OthelloMove(square));
        }
        match position.final_outcome() {
            Outcome::Draw => 0,
            Outcome::Win(winner) if winner == self.player => 1,
            Outcome::Win(_) => -1,
        }
    }

    /// The root's moves, that of the highest mean first, then in the order in which they were tried; untried ones last.
    fn ranked_moves(&self, moves: &[OthelloMove]) -> Vec<RootMove<OthelloMove>> {
        let tried: &[usize] = self.nodes.first().map_or(&[], |root| &root.children);
        let mut found: Vec<(OthelloMove, &State)> = (tried.iter())
            .map(|&child| (self.nodes[child].mv, &self.states[self.nodes[child].state]))
            .collect();
        found.sort_by(|(_, one), (_, other)| other.mean().total_cmp(&one.mean()));
        let untried = (moves.iter())
            .filter(|mv| found.iter().all(|(other, _)| other != *mv))
            .map(|&mv| (mv, 0, Reward::EVEN));
        (found.iter())
            .map(|&(mv, state)| {
                let value = Reward::from_player(self.player, (state.mean() + 1.0) / 2.0);
                (mv, u64::from(state.visits), value)
            })
            .chain(untried)
            .map(|(mv, visits, value)| RootMove {
                mv,
                visits,
                value,
                score: None,
                proven: None,
                pv: vec![mv],
            })
            .collect()
    }
}

/// The first of the nodes with the highest score.
fn first_highest(nodes: &[usize], score: impl Fn(usize) -> f64) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for &node in nodes {
        let score = score(node);
        if best.is_none_or(|(_, most)| score > most) {
            best = Some((node, score));
        }
    }
    best.map(|(node, _)| node)
}
