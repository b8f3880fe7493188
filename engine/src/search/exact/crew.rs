//! Several threads that solve positions together, on one table.
//!
//! Each takes positions of its own as long as there are any, then helps with those that others have not finished. Threads on the
//! same position share its tree by ABDADA (Weill 1996) as simplified by Kerrigan: a thread puts off moves that another one is
//! searching, and comes back to them last, when the table mostly knows them.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::SolveContext;

/// Binary logarithm of the positions that [`InProgress`] tells apart.
const SLOT_BITS: u32 = 10;
/// No value.
const UNSOLVED: i32 = i32::MIN;

/// A position's key of so many bits, mixed one to one so that its upper bits choose the bucket. The multiplier is odd, so that it
/// has an inverse; otherwise it is arbitrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct MixedKey<const BITS: u32, const MULTIPLIER: u64>(u64);

impl<const BITS: u32, const MULTIPLIER: u64> MixedKey<BITS, MULTIPLIER> {
    #[inline(always)]
    pub(in crate::search) fn new(key: u64) -> Self {
        Self(key.wrapping_mul(MULTIPLIER) & ((1 << BITS) - 1))
    }

    /// A key that was mixed before.
    #[inline(always)]
    pub(in crate::search) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The highest `bits` bits.
    #[inline(always)]
    pub(in crate::search) fn upper_bits(self, bits: u32) -> usize {
        (self.0 >> (BITS - bits)) as usize
    }

    #[inline(always)]
    pub(in crate::search) fn to_bits(self) -> u64 {
        self.0
    }
}

/// The positions that threads are searching. A position that is missed, or seen although nobody searches it, costs time only.
pub(in crate::search) struct InProgress {
    slots: [AtomicU64; 1 << SLOT_BITS],
}

impl InProgress {
    fn new() -> Self {
        Self {
            slots: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    fn slot<const B: u32, const M: u64>(&self, key: MixedKey<B, M>) -> &AtomicU64 {
        &self.slots[key.upper_bits(SLOT_BITS)]
    }

    pub(in crate::search) fn contains<const B: u32, const M: u64>(
        &self,
        key: MixedKey<B, M>,
    ) -> bool {
        self.slot(key).load(Relaxed) == key.to_bits()
    }

    pub(in crate::search) fn enter<const B: u32, const M: u64>(&self, key: MixedKey<B, M>) {
        self.slot(key).store(key.to_bits(), Relaxed);
    }

    pub(in crate::search) fn leave<const B: u32, const M: u64>(&self, key: MixedKey<B, M>) {
        self.slot(key).store(0, Relaxed);
    }
}

/// Positions and their values as far as they are known.
pub(in crate::search) struct Questions<B> {
    pub(in crate::search) boards: Vec<B>,
    values: Vec<AtomicI32>,
}

impl<B> Questions<B> {
    pub(in crate::search) fn new(boards: Vec<B>) -> Self {
        let values = boards.iter().map(|_| UNSOLVED.into()).collect();
        Self { boards, values }
    }

    fn is_solved(&self, index: usize) -> bool {
        self.values[index].load(Relaxed) != UNSOLVED
    }

    /// The positions without a value.
    pub(in crate::search) fn unsolved(&self) -> impl Iterator<Item = &B> {
        let unsolved = (0..self.boards.len()).filter(|&index| !self.is_solved(index));
        unsolved.map(|index| &self.boards[index])
    }

    pub(in crate::search) fn into_values(self) -> Vec<Option<i32>> {
        let values = self.values.into_iter().map(AtomicI32::into_inner);
        values
            .map(|value| Some(value).filter(|&value| value != UNSOLVED))
            .collect()
    }
}

/// When [`search`] pauses: at so many nodes of all threads, of which some have been made before.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct NodeRange {
    pub(in crate::search) made: u64,
    pub(in crate::search) pause_at: u64,
}

/// How [`search`] ended.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Pause {
    /// Nodes of all threads, those before it included.
    pub(in crate::search) nodes: u64,
    /// Whether the limits were reached.
    pub(in crate::search) is_halted: bool,
}

/// How one thread searches a position: it asks with its nodes whether it must end, heeds what others search, and gives the value,
/// if it was found, and its nodes.
pub(in crate::search) type SolveOne<'a, B> =
    dyn Fn(&B, &mut dyn FnMut(u64) -> bool, Option<&InProgress>) -> (Option<i32>, u64) + Sync + 'a;

/// What the threads share.
struct Crew<'a, B> {
    solve: &'a SolveOne<'a, B>,
    questions: &'a Questions<B>,
    /// The next position that no thread has taken.
    next: AtomicUsize,
    nodes: AtomicU64,
    /// Nodes at which the search pauses.
    pause_at: u64,
    must_end: AtomicBool,
    is_halted: AtomicBool,
    /// None for a thread alone.
    in_progress: Option<InProgress>,
}

/// Solves `questions` by so many threads until all are solved, the limits are reached, or the nodes are made.
pub(in crate::search) fn search<B: Sync>(
    solve: &SolveOne<'_, B>,
    threads: usize,
    questions: &Questions<B>,
    nodes: NodeRange,
    context: &mut SolveContext<'_>,
) -> Pause {
    let crew = Crew {
        solve,
        questions,
        next: 0.into(),
        nodes: nodes.made.into(),
        pause_at: nodes.pause_at,
        must_end: false.into(),
        is_halted: false.into(),
        in_progress: (threads > 1).then(InProgress::new),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let mut budget = context.helper_budget();
            let crew = &crew;
            scope.spawn(move || crew.work(&mut |nodes| budget.is_exhausted(nodes)));
        }
        crew.work(&mut |nodes| context.is_exhausted(nodes));
    });
    Pause {
        nodes: crew.nodes.into_inner(),
        is_halted: crew.is_halted.into_inner(),
    }
}

impl<B> Crew<'_, B> {
    /// Solves positions until all are solved or the search must end. `is_exhausted` is asked with the nodes of all threads.
    fn work(&self, is_exhausted: &mut dyn FnMut(u64) -> bool) {
        loop {
            let index = self.next.fetch_add(1, Relaxed);
            if index >= self.questions.boards.len() {
                break;
            }
            self.solve(index, is_exhausted);
        }
        if self.in_progress.is_some() {
            for index in 0..self.questions.boards.len() {
                self.solve(index, is_exhausted);
            }
        }
    }

    fn solve(&self, index: usize, is_exhausted: &mut dyn FnMut(u64) -> bool) {
        let mut counted = 0;
        let mut must_end = |own_nodes: u64| {
            let new = own_nodes - counted;
            counted = own_nodes;
            let nodes = self.nodes.fetch_add(new, Relaxed) + new;
            if is_exhausted(nodes) {
                self.is_halted.store(true, Relaxed);
                self.must_end.store(true, Relaxed);
            }
            if nodes >= self.pause_at {
                self.must_end.store(true, Relaxed);
            }
            self.must_end.load(Relaxed) || self.questions.is_solved(index)
        };
        if must_end(0) {
            return;
        }
        let board = &self.questions.boards[index];
        let (value, own_nodes) = (self.solve)(board, &mut must_end, self.in_progress.as_ref());
        if let Some(value) = value {
            self.questions.values[index].store(value, Relaxed);
        }
        must_end(own_nodes);
    }
}
