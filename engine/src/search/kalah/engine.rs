//! The solver without the game's types: its table and database, and when either grows.
//!
//! A layer of the database is built when the search has gone on for long enough since the last one: so short
//! questions build next to nothing, and long ones soon have all layers that the memory allows.

use super::{
    build::{Builder, LayerBuild, working_bytes},
    database::{Database, Layer, layer_bytes, layer_positions},
    layout::{Board, Layout, MAX_STONES},
    negamax::{Knowledge, Negamax},
    table::Table,
};
use crate::{
    games::kalah::KalahRules,
    search::exact::{
        SolveContext,
        crew::{self, InProgress, NodeRange, Pause, Questions},
        node_counter::Stopped,
    },
};

/// Positions of the next layer for each node of the search since the last. Their time is about that of four nodes: a long search is
/// worth it, for with 20 layers at hand it takes a third of the nodes.
const POSITIONS_PER_NODE: u64 = 128;
/// Bytes for everything but the table and the database.
const OTHER_BYTES: usize = 256 << 10;

/// Solves positions of one board and capture rule.
pub(super) struct Engine {
    layout: Layout,
    table: Table,
    database: Database,
    builder: Builder,
    /// Layers that the memory allows.
    max_layers: usize,
    threads: usize,
    /// Nodes since the last layer was built.
    nodes_since_layer: u64,
    /// Nodes that made entries in the table.
    nodes_in_table: u64,
    pub(super) nodes: u64,
}

/// Layers whose database, with what it takes to build it, fits into `bytes`.
fn layers_within(layout: &Layout, bytes: usize, threads: usize) -> usize {
    let mut total = 0;
    let fits = |&stones: &usize| {
        total += layer_bytes(layout, stones);
        total + working_bytes(layout, stones, threads) <= bytes
    };
    (0..=MAX_STONES).take_while(fits).count()
}

impl Engine {
    /// An engine that takes at most `bytes`.
    pub(super) fn new(rules: KalahRules, bytes: usize, threads: usize) -> Self {
        let layout = Layout::new(rules);
        let table_bytes = 1 << (bytes / 2).max(1).ilog2();
        let database_bytes = bytes.saturating_sub(table_bytes + OTHER_BYTES);
        let max_layers = layers_within(&layout, database_bytes, threads);
        Self {
            table: Table::with_memory(table_bytes),
            database: Database::new(),
            builder: Builder::new(),
            max_layers,
            threads: threads.max(1),
            nodes_since_layer: 0,
            nodes_in_table: 0,
            nodes: 0,
            layout,
        }
    }

    pub(super) fn knowledge(&self) -> Knowledge<'_> {
        Knowledge {
            layout: &self.layout,
            database: &self.database,
            table: &self.table,
        }
    }

    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.database = Database::new();
        self.builder.clear();
        self.nodes_since_layer = 0;
        self.nodes_in_table = 0;
        self.nodes = 0;
    }

    /// Bytes of the table and the database.
    pub(super) fn bytes(&self) -> usize {
        let layers = 0..self.database.layers().len();
        self.table.bytes()
            + layers
                .map(|stones| layer_bytes(&self.layout, stones))
                .sum::<usize>()
    }

    /// The most bytes that table, database and its building ever take.
    pub(super) fn max_bytes(&self) -> usize {
        let layers: usize = (0..self.max_layers)
            .map(|stones| layer_bytes(&self.layout, stones))
            .sum();
        let working = self.max_layers.checked_sub(1).map_or(0, |stones| {
            working_bytes(&self.layout, stones, self.threads)
        });
        self.table.max_bytes() + layers + working + OTHER_BYTES
    }

    /// Layers of the database.
    pub(super) fn layers(&self) -> usize {
        self.database.layers().len()
    }

    /// See [`super::KalahSolver::build_database`].
    pub(super) fn build_database(
        &mut self,
        stones: usize,
        context: &mut SolveContext<'_>,
    ) -> Option<u64> {
        while self.layers() < self.max_layers.min(stones + 1) {
            if !self.build_layer(context, 0) {
                return None;
            }
        }
        Some(
            (0..self.layers())
                .map(|stones| layer_positions(&self.layout, stones))
                .sum(),
        )
    }

    /// The values of `boards`; none where the limits were reached.
    pub(super) fn values(
        &mut self,
        boards: Vec<Board>,
        context: &mut SolveContext<'_>,
    ) -> Vec<Option<i32>> {
        let questions = Questions::new(boards);
        let first_node = self.nodes;
        while let Some(stones) = questions.unsolved().map(|board| board.stones()).max() {
            let layer = self.layers();
            let can_build = layer < self.max_layers && layer <= stones;
            let mut left = u64::MAX;
            if can_build {
                let cost = layer_positions(&self.layout, layer) / POSITIONS_PER_NODE;
                left = cost.saturating_sub(self.nodes_since_layer);
            }
            let may_grow = self.table.can_grow();
            if may_grow {
                left = left.min((self.table.words() / 2).saturating_sub(self.nodes_in_table));
            }
            if left > 0 {
                let before = self.nodes - first_node;
                let range = NodeRange {
                    made: before,
                    pause_at: before.saturating_add(left),
                };
                let pause = self.search(&questions, range, context);
                let new = pause.nodes - before;
                self.nodes += new;
                self.nodes_since_layer += new;
                self.nodes_in_table += new;
                if pause.is_halted {
                    break;
                }
                continue;
            }
            let nodes = self.nodes - first_node;
            if may_grow && self.nodes_in_table >= self.table.words() / 2 {
                self.table.grow(&mut || context.is_exhausted(nodes));
            } else if !self.build_layer(context, nodes) {
                break;
            }
        }
        questions.into_values()
    }

    /// Searches on as the table and the database are.
    fn search(
        &self,
        questions: &Questions<Board>,
        nodes: NodeRange,
        context: &mut SolveContext<'_>,
    ) -> Pause {
        let knowledge = self.knowledge();
        let solve = |board: &Board,
                     must_end: &mut dyn FnMut(u64) -> bool,
                     in_progress: Option<&InProgress>| {
            let mut negamax = Negamax::new(knowledge, must_end).sharing(in_progress);
            (negamax.value(*board).ok(), negamax.counter.nodes)
        };
        crew::search(&solve, self.threads, questions, nodes, context)
    }

    /// Builds the next layer of the database; false if the limits were reached.
    pub(super) fn build_layer(&mut self, context: &mut SolveContext<'_>, nodes: u64) -> bool {
        let Some(layer) = self.fill_layer(context, nodes) else {
            return false;
        };
        match layer {
            Ok(layer) => {
                self.database.push(layer);
                self.nodes_since_layer = 0;
                if self.layers() >= self.max_layers {
                    self.builder.clear();
                }
            }
            // Without memory the search does without it.
            Err(_) => self.max_layers = self.layers(),
        }
        true
    }

    /// The next layer, or why there is no memory for it; none if the limits were reached.
    fn fill_layer(
        &mut self,
        context: &mut SolveContext<'_>,
        nodes: u64,
    ) -> Option<std::io::Result<Layer>> {
        let layer = match self
            .builder
            .prepare(&self.layout, self.database.layers().len())
        {
            Ok(layer) => layer,
            Err(error) => return Some(Err(error)),
        };
        let build = LayerBuild::new(&self.layout, &self.builder, &self.database, &layer);
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                let mut budget = context.helper_budget();
                let build = &build;
                scope.spawn(move || build.work(&mut || budget.is_exhausted(nodes)));
            }
            build.work(&mut || context.is_exhausted(nodes));
        });
        let is_halted = build.is_halted();
        (!is_halted).then_some(Ok(layer))
    }

    /// Runs `search` on this thread with the table and database as they are.
    pub(super) fn run<T>(
        &mut self,
        context: &mut SolveContext<'_>,
        nodes_before: u64,
        search: impl FnOnce(&mut Negamax<'_>) -> Result<T, Stopped>,
    ) -> Option<T> {
        let mut is_exhausted = |new| context.is_exhausted(nodes_before + new);
        let mut negamax = Negamax::new(self.knowledge(), &mut is_exhausted);
        let result = search(&mut negamax);
        self.nodes += negamax.counter.nodes;
        result.ok()
    }
}
