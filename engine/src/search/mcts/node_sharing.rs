//! Which positions share a node of the graph, and under which of its images a position is kept.

use crate::{
    games::Symmetry,
    search::{ReferenceFrame, Searchable},
};

/// Which positions count as the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Only equal ones.
    #[default]
    None,
    /// Also rotated ones.
    Rotations,
    /// Also rotated and mirrored ones.
    Dihedral,
}

/// How a graph groups positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Whether positions share nodes at all; without, the graph is a tree.
    pub transpositions: bool,
    /// The symmetries.
    pub grouping: Grouping,
    /// Whether positions with colours and side to move exchanged count as the same.
    pub invert_colours: bool,
}

impl Sharing {
    fn symmetries<G: Searchable>(&self) -> impl Iterator<Item = Symmetry> {
        let allowed: &[Symmetry] = match self.grouping {
            Grouping::None => &[],
            Grouping::Rotations => &Symmetry::ROTATIONS,
            Grouping::Dihedral => &Symmetry::ALL,
        };
        allowed
            .iter()
            .copied()
            .filter(|symmetry| G::SYMMETRIES.contains(symmetry))
    }

    /// The image under which a position is kept: the one with the smallest key.
    pub(super) fn canonical<G: Searchable>(&self, position: &G) -> (G, Symmetry, bool) {
        let mut best = (position.key(), position.clone(), Symmetry::IDENTITY, false);
        let mut consider = |image: G, symmetry, inverted| {
            let key = image.key();
            if key < best.0 {
                best = (key, image, symmetry, inverted);
            }
        };
        let inverted = if self.invert_colours {
            position.inverted()
        } else {
            None
        };
        for symmetry in self
            .symmetries::<G>()
            .filter(|&symmetry| symmetry != Symmetry::IDENTITY)
        {
            consider(position.image(symmetry), symmetry, false);
            if let Some(inverted) = &inverted {
                consider(inverted.image(symmetry), symmetry, true);
            }
        }
        if let Some(inverted) = inverted {
            consider(inverted, Symmetry::IDENTITY, true);
        }
        (best.1, best.2, best.3)
    }

    /// Whether a position may be kept as another one.
    #[inline(always)]
    pub(super) fn has_grouping(&self) -> bool {
        self.grouping != Grouping::None || self.invert_colours
    }
}

/// The frame in which a position is kept by a graph that groups so.
pub fn canonical_frame<G: Searchable>(position: &G, sharing: Sharing) -> ReferenceFrame {
    if !sharing.has_grouping() {
        return ReferenceFrame::default();
    }
    let (_, symmetry, inverted) = sharing.canonical(position);
    ReferenceFrame {
        symmetry: (symmetry != Symmetry::IDENTITY).then_some(symmetry),
        inverted,
    }
}
