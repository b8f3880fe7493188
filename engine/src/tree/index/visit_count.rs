//! Counts the final visits of every node of a journal, by which a second pass chooses the nodes of its checkpoints.

use super::{super::TreeError, CheckpointStore, FinalVisits, IndexPhase, JournalIndex, PagedTable};
use crate::search::growth_records::{GrowthRecord, decode};

/// The visits of each node at the end of a journal, as far as they are counted.
pub(super) struct VisitCount {
    pub(super) visits: PagedTable,
    /// Where pieces of whole records begin, and where the last ends.
    pub(super) chunk_offsets: Vec<u64>,
    pub(super) is_forwards: bool,
}

impl JournalIndex {
    pub(super) fn begin_visit_count(&mut self) -> Result<(), TreeError> {
        let scratch = self.create_scratch_file("visits");
        self.phase = IndexPhase::CountVisits(Box::new(VisitCount {
            visits: PagedTable::new(self.budget.final_visits_bytes, scratch),
            chunk_offsets: vec![0],
            is_forwards: true,
        }));
        Ok(())
    }

    /// Counts visits in a piece of the journal.
    pub(super) fn count_visits(&mut self, mut count: VisitCount) -> Result<(), TreeError> {
        let committed = self.file.committed();
        if count.is_forwards {
            let begin = count.chunk_offsets.last().copied().unwrap_or(0);
            self.file
                .read_words(begin, self.budget.chunk_bytes, &mut self.words)?;
            let mut rest = &self.words[..];
            while let Ok((record, behind)) = decode(rest) {
                if let GrowthRecord::TreeIteration { node, .. } = record {
                    let visits = count.visits.get_mut(node)?;
                    *visits = visits.saturating_add(1);
                }
                rest = behind;
            }
            let read = 4 * (self.words.len() - rest.len()) as u64;
            // The first pass has read this already: a record longer than a chunk has no visits.
            let read = if read == 0 {
                self.budget.chunk_bytes as u64
            } else {
                read
            };
            count.chunk_offsets.push((begin + read).min(committed));
            count.is_forwards = begin + read < committed;
        } else if let [.., begin, end] = count.chunk_offsets[..] {
            count.chunk_offsets.pop();
            self.file
                .read_words(begin, (end - begin) as usize, &mut self.words)?;
            let mut made = Vec::new();
            let mut rest = &self.words[..];
            while let Ok((record, behind)) = decode(rest) {
                if let GrowthRecord::Moves { node, first, codes } = record {
                    made.push((node, first, codes.count()));
                }
                rest = behind;
            }
            for (node, first, moves) in made.into_iter().rev() {
                let mut sum = 0_u32;
                for child in first..first.saturating_add(moves) {
                    sum = sum.saturating_add(count.visits.get(child)?);
                }
                let visits = count.visits.get_mut(node)?;
                *visits = visits.saturating_add(sum);
            }
        } else {
            let guide = FinalVisits {
                visits: count.visits,
                iterations: self.iterations(),
            };
            let tracker = self.tracker(Some(guide))?;
            let store = CheckpointStore::create(self.cache_directory.as_deref(), &self.path);
            self.phase = IndexPhase::SecondPass(Box::new((tracker, store)));
            return Ok(());
        }
        self.phase = IndexPhase::CountVisits(Box::new(count));
        Ok(())
    }
}
