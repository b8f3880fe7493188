//! Counts the nodes of a depth-first search of a solver, and asks every few hundred of them whether it must stop.

/// A search that was stopped by its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Stopped;

/// The nodes of one search.
pub(in crate::search) struct NodeCounter<'a> {
    /// Positions looked at.
    pub(in crate::search) nodes: u64,
    /// Set once the search must end; it stays set.
    pub(in crate::search) is_stopped: bool,
    next_poll: u64,
    /// True if the search must end after so many nodes.
    is_exhausted: &'a mut dyn FnMut(u64) -> bool,
}

impl<'a> NodeCounter<'a> {
    /// Counts from 0 and asks `is_exhausted` with its nodes.
    pub(in crate::search) fn new(is_exhausted: &'a mut dyn FnMut(u64) -> bool) -> Self {
        Self {
            nodes: 0,
            is_stopped: false,
            next_poll: 0,
            is_exhausted,
        }
    }

    /// Counts a node, and asks every `INTERVAL` nodes; true if the search must end.
    #[inline(always)]
    pub(in crate::search) fn count<const INTERVAL: u64>(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.next_poll = self.nodes + INTERVAL;
            self.is_stopped = self.is_stopped || self.is_exhausted();
        }
        self.is_stopped
    }

    /// True if the search must end now.
    pub(in crate::search) fn is_exhausted(&mut self) -> bool {
        (self.is_exhausted)(self.nodes)
    }

    /// The result of the search, unless it was stopped.
    #[inline(always)]
    pub(in crate::search) fn result<T>(&self, result: T) -> Result<T, Stopped> {
        match self.is_stopped {
            true => Err(Stopped),
            false => Ok(result),
        }
    }
}
