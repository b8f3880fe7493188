//! The viewer's memory budget, and its shares.

use std::{fs, path::PathBuf};

use canopy_engine::tree::replay_reader;

use crate::{settings::ViewerSettings, system::user_files::user_directory};

const MEGABYTE: usize = 1 << 20;
/// The largest budget that the settings window accepts, in megabytes: a terabyte.
pub const MAX_MEGABYTES: u32 = 1 << 20;
/// The default is never more than this, nor more than a quarter of the machine's memory.
const MAX_DEFAULT_BYTES: usize = 2048 * MEGABYTE;
/// Lower bound of the budget; the window itself takes more.
const MIN_BYTES: usize = 16 * MEGABYTE;
/// Bytes per shown node, the tree itself included; see `TreeModel::bytes`.
pub const NODE_BYTES: usize = 192;

/// The memory budget of trees and journals. In sixteenths: 5 for cached trees of files, 5 for one being read, 3 for the
/// journal, 3 for trees rebuilt from it, of which there are two while one replaces the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryBudget {
    bytes: usize,
    cache: Option<PathBuf>,
}

impl MemoryBudget {
    /// The budget of the settings.
    pub fn from_settings(settings: &ViewerSettings) -> Self {
        let budget = Self::new(settings.memory);
        match &settings.cache {
            Some(cache) => budget.with_cache(Some(cache.clone())),
            None => budget,
        }
    }

    /// A budget in megabytes; 0 for a quarter of the machine's memory, at most 2048.
    pub fn new(megabytes: u32) -> Self {
        let bytes = match megabytes as usize {
            0 => (machine_memory() / 4).min(MAX_DEFAULT_BYTES),
            megabytes => megabytes.saturating_mul(MEGABYTE),
        };
        Self {
            bytes: bytes.max(MIN_BYTES),
            cache: cache_directory(),
        }
    }

    /// All of it.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The same with indexes of journals elsewhere; in memory if nowhere.
    pub fn with_cache(self, cache: Option<PathBuf>) -> Self {
        Self { cache, ..self }
    }

    /// Limit of one tree file, in bytes.
    pub fn max_tree_bytes(&self) -> usize {
        self.bytes / 16 * 5
    }

    /// Limit of all cached trees together, in bytes.
    pub fn max_cached_bytes(&self) -> usize {
        self.bytes / 16 * 5
    }

    /// Largest file that is prefetched, in bytes.
    pub fn max_prefetch_bytes(&self) -> u64 {
        // A tree takes about four times as much as its file.
        (self.bytes / 128) as u64
    }

    /// Limits of a growth journal.
    pub fn journal_limits(&self) -> replay_reader::ReplayLimits {
        replay_reader::ReplayLimits {
            max_bytes: self.bytes / 16 * 3,
            max_nodes: self.bytes / 32 * 3 / NODE_BYTES,
            cache_directory: self.cache.clone(),
        }
    }
}

/// The bytes of the machine's memory; 8 gigabytes if it does not say.
fn machine_memory() -> usize {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = (text.lines())
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<usize>().ok());
    kilobytes.map_or(8192 * MEGABYTE, |kilobytes| kilobytes.saturating_mul(1024))
}

/// Where indexes of journals are kept.
fn cache_directory() -> Option<PathBuf> {
    Some(user_directory("XDG_CACHE_HOME", ".cache")?.join("canopy/journals"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_quarter_of_the_memory_and_at_most_two_gigabytes() {
        let default = MemoryBudget::new(0).bytes();
        assert!((MIN_BYTES..=MAX_DEFAULT_BYTES).contains(&default));
        assert!(default == MAX_DEFAULT_BYTES || default == machine_memory() / 4);
        assert_eq!(MemoryBudget::new(300).bytes(), 300 * MEGABYTE);
    }

    #[test]
    fn the_parts_are_no_more_than_the_whole() {
        let budget = MemoryBudget::new(512);
        let journal = budget.journal_limits();
        let parts = budget.max_tree_bytes()
            + budget.max_cached_bytes()
            + journal.max_bytes
            + 2 * journal.max_nodes * NODE_BYTES;
        assert!(parts <= budget.bytes());
    }
}
