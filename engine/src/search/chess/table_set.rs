//! The tables that a solver has: made on demand within its memory, or taken from a store.

use std::{sync::Arc, thread::JoinHandle};

use super::tables::{Builder, Material, Placement, Table, TableValue};

/// Where tables are kept from one run of the program to the next.
pub trait TableStore: Send + Sync {
    /// The bytes stored under a name; none if there are none, or damaged ones.
    fn load(&self, name: &str) -> Option<Vec<u8>>;

    /// Stores bytes under a name. A failure is no loss: the table is made again.
    fn store(&self, name: &str, bytes: &[u8]);
}

/// Why there is no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoTable {
    /// The limits ran out. What has been done is kept for the next time.
    Interrupted,
    /// It does not fit into the memory, together with those that are needed to make it.
    TooLarge,
}

/// Tables within a limit of memory.
pub(super) struct TableSet {
    memory: usize,
    store: Option<Arc<dyn TableStore>>,
    /// The least recently used first.
    tables: Vec<Arc<Table>>,
    /// The table that is being made.
    builder: Option<Builder>,
    /// Positions worked on to make tables.
    nodes: u64,
    /// Writes a table to the store.
    writer: Option<JoinHandle<()>>,
}

impl TableSet {
    /// No tables yet, and at most `memory` bytes of them.
    pub(super) fn new(memory: usize, store: Option<Arc<dyn TableStore>>) -> Self {
        Self {
            memory,
            store,
            tables: Vec::new(),
            builder: None,
            nodes: 0,
            writer: None,
        }
    }

    /// Positions worked on to make tables.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Bytes of the tables, and of the one that is being made.
    pub(super) fn bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(|table| table.values().len()).sum();
        let builder = self.builder.as_ref().map(Builder::material);
        let in_builder = builder.map_or((0, 0), Table::sizes);
        tables + in_builder.0 + in_builder.1
    }

    /// The table for this material, which is made first if need be. `is_exhausted` is called with
    /// [`Self::nodes`].
    pub(super) fn require(
        &mut self,
        material: Material,
        is_exhausted: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Arc<Table>, NoTable> {
        if let Some(known) = self.find(material) {
            return Ok(known);
        }
        // To load a table takes milliseconds.
        if is_exhausted(self.nodes) {
            return Err(NoTable::Interrupted);
        }
        if let Some(loaded) = self.load(material) {
            return Ok(loaded);
        }
        // Who holds a table keeps it from being removed.
        let mut needed = Vec::new();
        for successor in material.successors() {
            needed.push(self.require(successor, is_exhausted)?);
        }
        self.build(material, &needed, is_exhausted)
    }

    fn find(&mut self, material: Material) -> Option<Arc<Table>> {
        let index = (self.tables.iter()).position(|table| table.material() == material)?;
        let found = self.tables.remove(index);
        self.tables.push(Arc::clone(&found));
        Some(found)
    }

    fn load(&mut self, material: Material) -> Option<Arc<Table>> {
        let store = Arc::clone(self.store.as_ref()?);
        self.make_room(Table::sizes(material).0).ok()?;
        let values = store.load(&store_name(material))?;
        let table = Arc::new(Table::new(material, values)?);
        self.tables.push(Arc::clone(&table));
        Some(table)
    }

    fn build(
        &mut self,
        material: Material,
        needed: &[Arc<Table>],
        is_exhausted: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Arc<Table>, NoTable> {
        let mut builder = match self.builder.take() {
            Some(builder) if builder.material() == material => builder,
            _ => {
                let (finished, working) = Table::sizes(material);
                self.make_room(finished + working)?;
                Builder::new(material).ok_or(NoTable::TooLarge)?
            }
        };
        let lookup = |placement| look_up(needed, placement);
        // The nodes of a builder count from its beginning.
        let before = self.nodes.wrapping_sub(builder.nodes());
        let is_done = builder.run(&lookup, &mut |nodes| {
            is_exhausted(before.wrapping_add(nodes))
        });
        self.nodes = before.wrapping_add(builder.nodes());
        if !is_done {
            self.builder = Some(builder);
            return Err(NoTable::Interrupted);
        }
        let table = Arc::new(builder.finish().ok_or(NoTable::TooLarge)?);
        self.tables.push(Arc::clone(&table));
        self.write(Arc::clone(&table));
        Ok(table)
    }

    /// Removes tables that nobody holds until there is room for `bytes`.
    fn make_room(&mut self, bytes: usize) -> Result<(), NoTable> {
        if self.bytes() + bytes > self.memory {
            self.builder = None;
        }
        while self.bytes() + bytes > self.memory {
            let unused = (self.tables.iter()).position(|table| Arc::strong_count(table) == 1);
            match (unused, self.writer.take()) {
                (Some(index), writer) => {
                    self.tables.remove(index);
                    self.writer = writer;
                }
                // The writer holds a table.
                (None, Some(writer)) => drop(writer.join()),
                (None, None) => return Err(NoTable::TooLarge),
            }
        }
        Ok(())
    }

    /// Stores a table while the work goes on.
    fn write(&mut self, table: Arc<Table>) {
        let Some(store) = self.store.clone() else {
            return;
        };
        self.finish_writing();
        let write = move || store.store(&store_name(table.material()), table.values());
        self.writer = std::thread::Builder::new().spawn(write).ok();
    }

    /// Waits until all tables are stored.
    fn finish_writing(&mut self) {
        if let Some(writer) = self.writer.take() {
            // A table that could not be written is made again.
            drop(writer.join());
        }
    }
}

impl Drop for TableSet {
    fn drop(&mut self) {
        self.finish_writing();
    }
}

fn store_name(material: Material) -> String {
    format!("chess-{}", material.name())
}

/// The value of a legal position without en passant in one of the tables.
fn look_up(tables: &[Arc<Table>], mut placement: Placement) -> TableValue {
    placement.normalise();
    let material = placement.material();
    let table = tables.iter().find(|table| table.material() == material);
    debug_assert!(table.is_some() || material.is_drawn());
    // Without a table nobody can mate.
    table
        .and_then(|table| table.value(&placement, false))
        .unwrap_or(TableValue::DRAW)
}
