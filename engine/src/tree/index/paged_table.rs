//! A table of words by number with a bounded number of pages in memory; the others are in a scratch file.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
};

/// Words in a page.
const WORDS_PER_PAGE: usize = 1 << 10;
const PAGE_SHIFT: u32 = WORDS_PER_PAGE.trailing_zeros();
/// No slot: the page is in the file, or was never written to.
const NO_SLOT: u32 = u32::MAX;

/// Where a page is.
#[derive(Clone, Copy)]
struct PageLocation {
    slot: u32,
    /// Whether the file has this page.
    in_file: bool,
}

/// A page in memory.
struct PageSlot {
    page: u32,
    /// Reference bit of the clock algorithm: used since the hand last passed.
    is_referenced: bool,
    is_dirty: bool,
    words: Box<[u32; WORDS_PER_PAGE]>,
}

/// A table of words, all 0 at first. Pages that were not used lately make room for others by the clock algorithm.
pub(super) struct PagedTable {
    pages: Vec<PageLocation>,
    slots: Vec<PageSlot>,
    max_slots: usize,
    clock_hand: usize,
    scratch: Option<File>,
}

impl PagedTable {
    /// A table that holds about `bytes` in memory. Without a scratch file it is an error to need more.
    pub(super) fn new(bytes: usize, scratch: Option<File>) -> Self {
        Self {
            pages: Vec::new(),
            slots: Vec::new(),
            max_slots: (bytes / (4 * WORDS_PER_PAGE + size_of::<PageSlot>())).max(8),
            clock_hand: 0,
            scratch,
        }
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.slots.len() * 4 * WORDS_PER_PAGE
            + self.slots.capacity() * size_of::<PageSlot>()
            + self.pages.capacity() * size_of::<PageLocation>()
    }

    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "a remainder is below the length of a page"
    )]
    pub(super) fn get(&mut self, number: u32) -> io::Result<u32> {
        let page = number >> PAGE_SHIFT;
        match self.pages.get(page as usize) {
            None => return Ok(0),
            Some(place) if place.slot == NO_SLOT && !place.in_file => return Ok(0),
            Some(_) => {}
        }
        let slot = self.slot(page)?;
        Ok(slot.words[number as usize % WORDS_PER_PAGE])
    }

    #[inline]
    pub(super) fn set(&mut self, number: u32, word: u32) -> io::Result<()> {
        *self.get_mut(number)? = word;
        Ok(())
    }

    /// A word that is about to be changed.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "a remainder is below the length of a page"
    )]
    pub(super) fn get_mut(&mut self, number: u32) -> io::Result<&mut u32> {
        let slot = self.slot(number >> PAGE_SHIFT)?;
        slot.is_dirty = true;
        Ok(&mut slot.words[number as usize % WORDS_PER_PAGE])
    }

    /// Changes every word.
    #[expect(
        clippy::indexing_slicing,
        reason = "a page is below the number of pages"
    )]
    pub(super) fn for_each(&mut self, mut change: impl FnMut(&mut u32)) -> io::Result<()> {
        for page in 0..self.pages.len() as u32 {
            let place = self.pages[page as usize];
            if place.slot == NO_SLOT && !place.in_file {
                continue;
            }
            let slot = self.slot(page)?;
            slot.is_dirty = true;
            slot.words.iter_mut().for_each(&mut change);
        }
        Ok(())
    }

    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "a location has the place of a slot that was pushed before"
    )]
    fn slot(&mut self, page: u32) -> io::Result<&mut PageSlot> {
        let at = match self.pages.get(page as usize) {
            Some(place) if place.slot != NO_SLOT => place.slot,
            _ => self.load_page(page)?,
        };
        let slot = &mut self.slots[at as usize];
        slot.is_referenced = true;
        Ok(slot)
    }

    /// Brings a page into memory; its slot.
    #[cold]
    #[expect(
        clippy::indexing_slicing,
        reason = "pages are grown to the page, and a slot is pushed or taken from another"
    )]
    fn load_page(&mut self, page: u32) -> io::Result<u32> {
        let index = page as usize;
        if index >= self.pages.len() {
            let nowhere = PageLocation {
                slot: NO_SLOT,
                in_file: false,
            };
            self.pages.resize(index + 1, nowhere);
        }
        let at = if self.slots.len() < self.max_slots {
            self.slots.push(PageSlot {
                page,
                is_referenced: false,
                is_dirty: false,
                words: Box::new([0; WORDS_PER_PAGE]),
            });
            self.slots.len() - 1
        } else {
            self.evict_page()?
        };
        let slot = &mut self.slots[at];
        slot.page = page;
        slot.is_dirty = false;
        if self.pages[index].in_file
            && let Some(file) = &mut self.scratch
        {
            file.seek(SeekFrom::Start(u64::from(page) * 4 * WORDS_PER_PAGE as u64))?;
            file.read_exact(bytemuck::cast_slice_mut(&mut slot.words[..]))?;
        } else {
            slot.words.fill(0);
        }
        self.pages[index].slot = at as u32;
        Ok(at as u32)
    }

    /// A slot whose page was put away.
    #[expect(
        clippy::indexing_slicing,
        reason = "the hand is a remainder, and a slot has the number of a page that was loaded"
    )]
    fn evict_page(&mut self) -> io::Result<usize> {
        loop {
            self.clock_hand = (self.clock_hand + 1) % self.slots.len();
            let slot = &mut self.slots[self.clock_hand];
            if std::mem::take(&mut slot.is_referenced) {
                continue;
            }
            let place = &mut self.pages[slot.page as usize];
            if slot.is_dirty {
                let Some(file) = &mut self.scratch else {
                    return Err(super::out_of_memory_error(
                        "the journal has more nodes than the memory budget has room for, and nothing can be written to the cache directory",
                    ));
                };
                file.seek(SeekFrom::Start(
                    u64::from(slot.page) * 4 * WORDS_PER_PAGE as u64,
                ))?;
                file.write_all(bytemuck::cast_slice(&slot.words[..]))?;
                place.in_file = true;
            }
            place.slot = NO_SLOT;
            return Ok(self.clock_hand);
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
        let result: io::Result<()> = (0..20).try_for_each(|page| table.set(page << PAGE_SHIFT, 1));
        assert!(result.unwrap_err().to_string().contains("budget"));
    }
}
