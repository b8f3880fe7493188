//! How a tree grows, told as it happens: what a journal is made of.
//!
//! A search that is asked to tell speaks in runs of words, each run from one thread and in its order; runs of different
//! threads mix, so that a node may be spoken of before the run in which it was made has arrived. Nodes and moves have
//! whatever numbers the store gives them.

use crate::games::Outcome;

/// Hears how a tree grows.
pub trait Observer: Sync {
    /// Takes a run of words, which [`records`] understands.
    fn hear(&self, words: Vec<u32>);
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// Before anything else: the root, and what kind of tree it is.
    Root {
        /// The root.
        node: u32,
        /// Bit 0: a graph; bit 1: moves that were never followed are not shown; bits 2-3: the symmetries by which positions
        /// are grouped, none, rotations, reflections too; bit 4: and by an exchange of colours.
        kind: u32,
    },
    /// A node got its moves: `codes`, numbered one after the other from `first` on. In a tree a move and the node it leads to
    /// have the same number.
    Moves {
        /// The node.
        node: u32,
        /// The number of the first move.
        first: u32,
        /// The moves, as [`crate::games::Game::move_to_bits`] numbers them.
        codes: &'a [u32],
    },
    /// In a graph, a move was found to lead to a node.
    Link {
        /// The move.
        edge: u32,
        /// The node.
        node: u32,
        /// How the node's frame comes from the position: see [`super::Frame`].
        frame: u32,
    },
    /// An iteration in a tree.
    Leaf {
        /// The node in which the walk ended.
        node: u32,
        /// What it paid the first player of the root's frame; 1 is 2^32.
        reward: u64,
    },
    /// An iteration in a graph.
    Path {
        /// The moves that were followed.
        edges: &'a [u32],
        /// What it paid, as for a leaf.
        reward: u64,
    },
    /// A result became certain, in the node's frame.
    Proven {
        /// The node.
        node: u32,
        /// The result.
        outcome: Outcome,
    },
    /// What was known of a node before this search.
    Known {
        /// The node.
        node: u32,
        /// Its visits.
        visits: u32,
        /// Its sum of rewards for the first player of its frame.
        sum: u64,
    },
    /// In a graph, how often a move had been followed before this search.
    Chosen {
        /// The move.
        edge: u32,
        /// How often.
        visits: u32,
    },
    /// All that was known before has been told.
    Begin,
}

const MOVES: u32 = 0;
const LINK: u32 = 1;
const LEAF: u32 = 2;
const PATH: u32 = 3;
const PROVEN: u32 = 4;
const KNOWN: u32 = 5;
const CHOSEN: u32 = 6;
const BEGIN: u32 = 7;
const ROOT: u32 = 8;

/// The records in a run of words.
pub fn records(words: &[u32]) -> impl Iterator<Item = Record<'_>> {
    let mut rest = words;
    std::iter::from_fn(move || {
        let (&head, tail) = rest.split_first()?;
        let count = (head >> 8) as usize;
        let reward = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let (record, len) = match head & 0xff {
            MOVES => {
                let codes = tail.get(2..2 + count)?;
                let (node, first) = (tail[0], tail[1]);
                (Record::Moves { node, first, codes }, 2 + count)
            }
            PATH => {
                let edges = tail.get(2..2 + count)?;
                let reward = reward(tail[0], tail[1]);
                (Record::Path { edges, reward }, 2 + count)
            }
            LINK => {
                let &[edge, node, frame] = tail.first_chunk()?;
                (Record::Link { edge, node, frame }, 3)
            }
            LEAF => {
                let &[node, low, high] = tail.first_chunk()?;
                let reward = reward(low, high);
                (Record::Leaf { node, reward }, 3)
            }
            PROVEN => {
                let &[node] = tail.first_chunk()?;
                let outcome = super::mcts::outcome_of_bits(count as u64)?;
                (Record::Proven { node, outcome }, 1)
            }
            KNOWN => {
                let &[node, visits, low, high] = tail.first_chunk()?;
                let sum = reward(low, high);
                (Record::Known { node, visits, sum }, 4)
            }
            CHOSEN => {
                let &[edge, visits] = tail.first_chunk()?;
                (Record::Chosen { edge, visits }, 2)
            }
            BEGIN => (Record::Begin, 0),
            ROOT => {
                let &[node, kind] = tail.first_chunk()?;
                (Record::Root { node, kind }, 2)
            }
            _ => return None,
        };
        rest = &tail[len..];
        Some(record)
    })
}

/// Adds a record to a run of words.
#[inline]
pub fn encode(record: Record<'_>, words: &mut Vec<u32>) {
    let halves = |number: u64| [number as u32, (number >> 32) as u32];
    match record {
        Record::Leaf { node, reward } => {
            let [low, high] = halves(reward);
            words.extend_from_slice(&[LEAF, node, low, high]);
        }
        Record::Path { edges, reward } => {
            let [low, high] = halves(reward);
            words.extend_from_slice(&[PATH | (edges.len() as u32) << 8, low, high]);
            words.extend_from_slice(edges);
        }
        Record::Moves { node, first, codes } => {
            let head = MOVES | (codes.len() as u32) << 8;
            words.extend_from_slice(&[head, node, first]);
            words.extend_from_slice(codes);
        }
        Record::Link { edge, node, frame } => {
            words.extend_from_slice(&[LINK, edge, node, frame]);
        }
        Record::Proven { node, outcome } => {
            let head = PROVEN | (super::mcts::outcome_bits(outcome) as u32) << 8;
            words.extend_from_slice(&[head, node]);
        }
        Record::Known { node, visits, sum } => {
            let [low, high] = halves(sum);
            words.extend_from_slice(&[KNOWN, node, visits, low, high]);
        }
        Record::Chosen { edge, visits } => words.extend_from_slice(&[CHOSEN, edge, visits]),
        Record::Begin => words.push(BEGIN),
        Record::Root { node, kind } => words.extend_from_slice(&[ROOT, node, kind]),
    }
}

/// Collects what one thread has to tell.
pub(super) struct Teller<'a> {
    observer: Option<&'a dyn Observer>,
    words: Vec<u32>,
}

impl<'a> Teller<'a> {
    /// A run is handed over when it has so many words.
    const RUN: usize = 1 << 14;

    pub(super) fn new(observer: Option<&'a dyn Observer>) -> Self {
        Self {
            observer,
            words: Vec::new(),
        }
    }

    /// Whether somebody hears.
    #[inline(always)]
    pub(super) fn is_heard(&self) -> bool {
        self.observer.is_some()
    }

    #[cold]
    pub(super) fn hand_over(&mut self) {
        if let Some(observer) = self.observer
            && !self.words.is_empty()
        {
            observer.hear(std::mem::take(&mut self.words));
            self.words.reserve(Self::RUN + 1024);
        }
    }

    /// Says which moves a node got; see [`Record::Moves`].
    pub(super) fn tell_moves(
        &mut self,
        node: u32,
        first: u32,
        codes: impl ExactSizeIterator<Item = u32>,
    ) {
        let head = MOVES | (codes.len() as u32) << 8;
        self.words.extend_from_slice(&[head, node, first]);
        self.words.extend(codes);
    }

    /// Says along which moves an iteration went; see [`Record::Path`].
    pub(super) fn tell_path(&mut self, edges: impl ExactSizeIterator<Item = u32>, reward: u64) {
        let head = PATH | (edges.len() as u32) << 8;
        self.words
            .extend_from_slice(&[head, reward as u32, (reward >> 32) as u32]);
        self.words.extend(edges);
        if self.words.len() >= Self::RUN {
            self.hand_over();
        }
    }

    /// Says something.
    #[inline]
    pub(super) fn tell(&mut self, record: Record<'_>) {
        encode(record, &mut self.words);
        if self.words.len() >= Self::RUN {
            self.hand_over();
        }
    }
}
