//! Alpha-beta and minimax as the programs of reports 001 and 004 had them, defects included, so that their games can be repeated.
//!
//! | | report 001 | report 004 |
//! |---|---|---|
//! | depth d | d - 1 plies | d plies |
//! | a pass | takes no ply | takes no ply |
//! | who maximises | the searching player | every second ply, so that a pass exchanges the roles |
//! | leaf | weights of the side to move there, whoever searches; two of them are misprinted | evaluation for the searching player |
//! | finished game | discs of the side to move | 99,999 if somebody has won, else the evaluation |
//! | move order | column by column | row by row |
//!
//! A value is always the searching player's. The searches stop when their budget is used up, with the best move so far.

use super::{column_by_column, skip_pass};
use crate::{
    games::{
        Game as _, Player,
        othello::{Othello, OthelloMove, PASS},
    },
    machine::iter_ones,
    search::{
        BestMove, LiveTree, Reward, RootMove, Search, SearchReport, SearchTask,
        budget::SearchBudget,
        classical::{ClassicalConfig, Evaluator, Method, NodeCounts},
        legacy::Program,
        random::allowed_moves,
        tree_recorder::{NodeHandle, TreeRecorder, value_to_outcome, value_to_reward},
    },
};

/// Report 004's value of a finished game that somebody, no matter who, has won.
const DECIDED: i32 = 99_999;
/// Above every value; the bound of the full window.
const INFINITE: i32 = i32::MAX;
/// No game of othello has more plies.
const MAX_DEPTH: u32 = 60;

/// A search as in the program of a report.
pub struct LegacyAlphaBeta {
    config: ClassicalConfig,
    program: Program,
    evaluator: Evaluator<Othello>,
    tree: TreeRecorder<Othello>,
}

impl LegacyAlphaBeta {
    /// The search of `program`. Of the configuration depth, method, time and, in report 004's program, the evaluation count.
    pub fn new(config: ClassicalConfig, program: Program) -> Self {
        Self {
            evaluator: Evaluator::new(config.evaluation.as_deref(), &config.arguments),
            tree: TreeRecorder::new(config.tree_nodes.max(1)),
            config,
            program,
        }
    }

    /// The depth in plies of a search under these limits.
    fn plies(&self, limit: Option<u32>) -> u32 {
        let depth = limit.or(self.config.depth).or(self.config.default_depth);
        let depth = depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        match self.program {
            Program::Report001 => (depth - 1).max(1),
            _ => depth,
        }
    }

    fn build_report(
        &self,
        root_moves: Vec<RootMove<OthelloMove>>,
        depth: u32,
        counts: NodeCounts,
    ) -> SearchReport<OthelloMove> {
        SearchReport {
            iterations: 0,
            // Report 004 counts leaves and calls them nodes.
            nodes: match self.program {
                Program::Report004 => counts.leaves,
                _ => counts.nodes,
            },
            leaves: counts.leaves,
            depth,
            value: root_moves.first().map_or(Reward::EVEN, |best| best.value),
            root_moves,
            stored_moves: 0,
            memory_bytes: 0,
            memory_full: false,
        }
    }
}

impl Search<Othello> for LegacyAlphaBeta {
    fn search(&mut self, task: SearchTask<'_, Othello>) -> BestMove<OthelloMove> {
        let limits = task.limits.or_default(None, self.config.millis);
        let depth = self.plies(limits.depth);
        let mut budget = SearchBudget::start(&limits, limits.node_limit(), task.stop);
        let mut moves = allowed_moves(&task);
        if self.program == Program::Report001 {
            moves.sort_by_key(|&OthelloMove(square)| (square % 8, square / 8));
        }
        let player = task.root.to_move();
        self.evaluator.root_player = player;
        let mut counts = NodeCounts::default();
        let entry = self.tree.start(task.root);
        let mut walk = Walk {
            program: self.program,
            prunes: self.config.method == Method::AlphaBeta,
            evaluator: &self.evaluator,
            player,
            budget: &mut budget,
            tree: &mut self.tree,
            counts: &mut counts,
        };
        let mut found: Vec<(OthelloMove, i32, u64)> = Vec::new();
        for &mv in &moves {
            // A pass is no choice: the programs did not search it.
            if mv == PASS {
                break;
            }
            let mut values: Vec<i32> = found.iter().map(|&(_, value, _)| value).collect();
            values.sort_unstable_by(|one, other| other.cmp(one));
            let floor = values.get(task.multi_pv.max(1) - 1);
            let window = (floor.copied().unwrap_or(-INFINITE), INFINITE);
            let before = walk.counts.nodes;
            let Some(value) = walk.search_move(task.root, mv, depth, true, window, entry) else {
                break;
            };
            found.push((mv, value, walk.counts.nodes - before));
        }
        let best = found.iter().map(|&(_, value, _)| value).max();
        (self.tree).leave(entry, best.unwrap_or(0), player, counts.nodes + 1);
        // Moves that were not reached come last, without a value.
        let missing = moves.into_iter().skip(found.len());
        found.sort_by_key(|&(_, value, _)| -value);
        let root_moves = (found.into_iter())
            .map(|(mv, value, nodes)| (mv, Some(value), nodes))
            .chain(missing.map(|mv| (mv, None, 0)))
            .map(|(mv, value, visits)| RootMove {
                mv,
                visits,
                value: value_to_reward(value.unwrap_or(0), player),
                score: value,
                proven: value.and_then(|value| value_to_outcome(value, player)),
                pv: vec![mv],
            })
            .collect();
        let report = self.build_report(root_moves, depth, counts);
        let mv = report.root_moves.first().map_or(PASS, |best| best.mv);
        BestMove { mv, report }
    }

    fn reseed(&mut self, _: u64) {}

    fn tree(&self) -> Option<&dyn LiveTree<Othello>> {
        (!self.tree.is_empty()).then_some(&self.tree)
    }
}

/// One descent from the root, depth first.
struct Walk<'a> {
    program: Program,
    prunes: bool,
    evaluator: &'a Evaluator<Othello>,
    player: Player,
    budget: &'a mut SearchBudget,
    tree: &'a mut TreeRecorder<Othello>,
    counts: &'a mut NodeCounts,
}

impl Walk<'_> {
    /// The value of a move; `None` if the budget is used up. `maximises` is report 004's flag, for the player of the move.
    fn search_move(
        &mut self,
        position: &Othello,
        mv: OthelloMove,
        depth: u32,
        maximises: bool,
        window: (i32, i32),
        entry: NodeHandle,
    ) -> Option<i32> {
        if self.budget.is_exhausted(self.counts.nodes) {
            return None;
        }
        let mut after = *position;
        after.play(mv);
        self.counts.nodes += 1;
        let begun = self.counts.nodes;
        let entry = self.tree.enter(entry, mv);
        let value = self.search(&after, depth - 1, !maximises, window, entry)?;
        let nodes = self.counts.nodes - begun + 1;
        self.tree.leave(entry, value, self.player, nodes);
        Some(value)
    }

    /// The value of a position: fail-soft within (alpha, beta).
    fn search(
        &mut self,
        position: &Othello,
        depth: u32,
        maximises: bool,
        (mut alpha, mut beta): (i32, i32),
        entry: NodeHandle,
    ) -> Option<i32> {
        let moved = skip_pass(position);
        let squares = moved.legal_squares();
        if depth == 0 || squares == 0 {
            self.counts.leaves += 1;
            return Some(self.leaf_value(position, squares == 0));
        }
        let passed = moved.to_move() != position.to_move();
        let begun = self.counts.nodes;
        // A pass has a node in the tree, which the programs' trees had not, so that the moves below it are legal.
        let inner = if passed {
            self.tree.enter(entry, PASS)
        } else {
            entry
        };
        let maximises_here = match self.program {
            Program::Report004 => maximises,
            _ => moved.to_move() == self.player,
        };
        let mut best = if maximises_here { -INFINITE } else { INFINITE };
        let mut order: [u8; 64] = [0; 64];
        let order = self.ordered(squares, &mut order);
        for (index, &square) in order.iter().enumerate() {
            let mv = OthelloMove(square);
            let value = self.search_move(&moved, mv, depth, maximises, (alpha, beta), inner)?;
            if maximises_here {
                best = best.max(value);
                alpha = alpha.max(best);
            } else {
                best = best.min(value);
                beta = beta.min(best);
            }
            if self.prunes && beta <= alpha {
                let skipped = order.iter().skip(index + 1);
                let skipped: Vec<OthelloMove> = skipped.copied().map(OthelloMove).collect();
                self.tree.record_pruned(inner, &skipped);
                break;
            }
        }
        if passed {
            let nodes = self.counts.nodes - begun + 1;
            self.tree.leave(inner, best, self.player, nodes);
        }
        Some(best)
    }

    /// The squares in the program's order.
    fn ordered<'b>(&self, squares: u64, buffer: &'b mut [u8; 64]) -> &'b [u8] {
        let count = squares.count_ones() as usize;
        match self.program {
            Program::Report001 => (buffer.iter_mut())
                .zip(column_by_column(squares))
                .for_each(|(place, square)| *place = square),
            _ => (buffer.iter_mut())
                .zip(iter_ones(squares))
                .for_each(|(place, square)| *place = square),
        }
        buffer.get(..count).unwrap_or(&[])
    }

    fn leaf_value(&self, position: &Othello, is_over: bool) -> i32 {
        if self.program == Program::Report001 {
            let own = position.discs()[position.to_move().index()];
            return match is_over {
                true => own.count_ones() as i32,
                false => Othello::misprinted_weights_001(own),
            };
        }
        let [first, second] = position.discs().map(u64::count_ones);
        if is_over && first != second {
            return DECIDED;
        }
        let value = self.evaluator.static_evaluation(position);
        if position.to_move() == self.player {
            value
        } else {
            -value
        }
    }
}
