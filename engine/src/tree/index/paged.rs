//! A table of words by number of which only so much is held in memory; the rest lies in a scratch file.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
};

/// Words in a page.
const PAGE: usize = 1 << 10;
const SHIFT: u32 = PAGE.trailing_zeros();
/// No slot: the page is in the file, or was never written to.
const NO_SLOT: u32 = u32::MAX;

/// Where a page is.
#[derive(Clone, Copy)]
struct Place {
    slot: u32,
    /// Whether the file has it.
    in_file: bool,
}

/// A page in memory.
struct Slot {
    page: u32,
    /// Whether it was used since the clock's hand last passed.
    is_used: bool,
    is_changed: bool,
    words: Box<[u32; PAGE]>,
}

/// A table of words, all 0 at first. Pages that were not used lately make room for others by the clock algorithm.
pub(super) struct PagedTable {
    pages: Vec<Place>,
    slots: Vec<Slot>,
    max_slots: usize,
    hand: usize,
    scratch: Option<File>,
}

impl PagedTable {
    /// A table that holds about `bytes` in memory. Without a scratch file it is an error to need more.
    pub(super) fn new(bytes: usize, scratch: Option<File>) -> Self {
        Self {
            pages: Vec::new(),
            slots: Vec::new(),
            max_slots: (bytes / (4 * PAGE + size_of::<Slot>())).max(8),
            hand: 0,
            scratch,
        }
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.slots.len() * 4 * PAGE
            + self.slots.capacity() * size_of::<Slot>()
            + self.pages.capacity() * size_of::<Place>()
    }

    #[inline]
    pub(super) fn get(&mut self, number: u32) -> io::Result<u32> {
        let page = number >> SHIFT;
        match self.pages.get(page as usize) {
            None => return Ok(0),
            Some(place) if place.slot == NO_SLOT && !place.in_file => return Ok(0),
            Some(_) => {}
        }
        let slot = self.slot(page)?;
        Ok(slot.words[number as usize % PAGE])
    }

    #[inline]
    pub(super) fn set(&mut self, number: u32, word: u32) -> io::Result<()> {
        *self.entry(number)? = word;
        Ok(())
    }

    /// A word that is about to be changed.
    #[inline]
    pub(super) fn entry(&mut self, number: u32) -> io::Result<&mut u32> {
        let slot = self.slot(number >> SHIFT)?;
        slot.is_changed = true;
        Ok(&mut slot.words[number as usize % PAGE])
    }

    /// Changes every word.
    pub(super) fn for_each(&mut self, mut change: impl FnMut(&mut u32)) -> io::Result<()> {
        for page in 0..self.pages.len() as u32 {
            let place = self.pages[page as usize];
            if place.slot == NO_SLOT && !place.in_file {
                continue;
            }
            let slot = self.slot(page)?;
            slot.is_changed = true;
            slot.words.iter_mut().for_each(&mut change);
        }
        Ok(())
    }

    #[inline]
    fn slot(&mut self, page: u32) -> io::Result<&mut Slot> {
        let at = match self.pages.get(page as usize) {
            Some(place) if place.slot != NO_SLOT => place.slot,
            _ => self.bring(page)?,
        };
        let slot = &mut self.slots[at as usize];
        slot.is_used = true;
        Ok(slot)
    }

    /// Brings a page into memory; its slot.
    #[cold]
    fn bring(&mut self, page: u32) -> io::Result<u32> {
        let index = page as usize;
        if index >= self.pages.len() {
            let nowhere = Place {
                slot: NO_SLOT,
                in_file: false,
            };
            self.pages.resize(index + 1, nowhere);
        }
        let at = if self.slots.len() < self.max_slots {
            self.slots.push(Slot {
                page,
                is_used: false,
                is_changed: false,
                words: Box::new([0; PAGE]),
            });
            self.slots.len() - 1
        } else {
            self.free_slot()?
        };
        let slot = &mut self.slots[at];
        slot.page = page;
        slot.is_changed = false;
        if self.pages[index].in_file
            && let Some(file) = &mut self.scratch
        {
            file.seek(SeekFrom::Start(u64::from(page) * 4 * PAGE as u64))?;
            file.read_exact(bytemuck::cast_slice_mut(&mut slot.words[..]))?;
        } else {
            slot.words.fill(0);
        }
        self.pages[index].slot = at as u32;
        Ok(at as u32)
    }

    /// A slot whose page was put away.
    fn free_slot(&mut self) -> io::Result<usize> {
        loop {
            self.hand = (self.hand + 1) % self.slots.len();
            let slot = &mut self.slots[self.hand];
            if std::mem::take(&mut slot.is_used) {
                continue;
            }
            let place = &mut self.pages[slot.page as usize];
            if slot.is_changed {
                let Some(file) = &mut self.scratch else {
                    return Err(super::out_of_memory(
                        "the journal has more nodes than the memory budget has room for, and nothing can be written to the cache directory",
                    ));
                };
                file.seek(SeekFrom::Start(u64::from(slot.page) * 4 * PAGE as u64))?;
                file.write_all(bytemuck::cast_slice(&slot.words[..]))?;
                place.in_file = true;
            }
            place.slot = NO_SLOT;
            return Ok(self.hand);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> File {
        let path = std::env::temp_dir().join(format!(
            "canopy-paged-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .unwrap();
        std::fs::remove_file(path).unwrap();
        file
    }

    #[test]
    fn a_table_larger_than_its_memory_keeps_every_word() {
        let mut table = PagedTable::new(0, Some(scratch()));
        let number = |index: u32| index.wrapping_mul(2_654_435_761) % 100_000;
        for index in 0..50_000 {
            table.set(number(index), number(index) + 1).unwrap();
        }
        let (mut found, bytes) = (0, table.bytes());
        assert!(bytes < 64 << 10, "{bytes} bytes");
        for at in 0..100_000 {
            let word = table.get(at).unwrap();
            assert!(word == 0 || word == at + 1);
            found += u32::from(word > 0);
        }
        let distinct: std::collections::HashSet<u32> = (0..50_000).map(number).collect();
        assert_eq!(found as usize, distinct.len());
    }

    #[test]
    fn without_a_scratch_file_more_than_the_memory_is_an_error() {
        let mut table = PagedTable::new(0, None);
        let result: io::Result<()> = (0..20).try_for_each(|page| table.set(page << SHIFT, 1));
        assert!(result.unwrap_err().to_string().contains("budget"));
    }
}
