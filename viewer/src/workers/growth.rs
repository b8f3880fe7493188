//! Trees of a growth journal one after another, without a window.

use std::{path::Path, sync::Arc};

use canopy_engine::tree::{
    meta::Meta,
    replay_reader::{ReplayLimits, ReplayReader, RootMoveHistory},
};

use crate::tree::model::{Filter, ModelSource, TreeModel};

/// A journal that is read to its end.
pub struct GrowthJournal {
    reader: ReplayReader,
    meta: Arc<Meta>,
}

impl GrowthJournal {
    /// Opens the journal beside a tree; an error is a sentence.
    pub fn beside(tree: &Path, meta: &Arc<Meta>, limits: ReplayLimits) -> Result<Self, String> {
        let path = tree.with_extension("growth");
        if !path.exists() {
            return Err(format!(
                "there is no {}, which would have the iterations; `canopy-engine grow --journal` writes it",
                path.display()
            ));
        }
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut reader = ReplayReader::open_with_limits(&path, &meta.game, &meta.position, limits)
            .map_err(|error| told(&error))?;
        loop {
            reader.poll().map_err(|error| told(&error))?;
            if !reader.is_behind() {
                break;
            }
        }
        Ok(Self {
            reader,
            meta: Arc::clone(meta),
        })
    }

    /// Its iterations.
    pub fn iterations(&self) -> u32 {
        self.reader.iterations()
    }

    /// Visits of the root's moves over time.
    pub fn history(&self, samples: usize) -> Result<RootMoveHistory, String> {
        self.reader.root_move_history(samples)
    }

    /// The tree after an iteration.
    pub fn tree_at(&mut self, iteration: u32, filter: &Filter) -> Result<TreeModel, String> {
        Ok(TreeModel::filtered(self.source_at(iteration)?, filter))
    }

    /// The same before it is laid out.
    pub fn source_at(&mut self, iteration: u32) -> Result<ModelSource, String> {
        let tree = self.reader.tree_at(iteration, None)?;
        Ok(ModelSource::replayed(Arc::clone(&self.meta), tree))
    }
}
