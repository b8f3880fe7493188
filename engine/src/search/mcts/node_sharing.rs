//! Which positions share a node of the graph, and as which of its images a position is stored.

use crate::{
    games::Symmetry,
    search::{ReferenceFrame, Searchable},
};

/// The symmetries under which positions share a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Equal positions only.
    #[default]
    None,
    /// Rotations.
    Rotations,
    /// Rotations and reflections.
    Dihedral,
}

/// Which positions share a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// True if positions share nodes at all; without, the graph is a tree.
    pub transpositions: bool,
    /// The symmetries that are used.
    pub grouping: Grouping,
    /// True if positions that differ by an exchange of colours and side to move share a node.
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

    /// The image as which a position is stored, the one with the smallest key; with the symmetry and colour exchange that lead to
    /// it.
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

    /// True if a position may be stored as another image.
    #[inline(always)]
    pub(super) fn has_grouping(&self) -> bool {
        self.grouping != Grouping::None || self.invert_colours
    }
}

/// The reference frame in which a graph with this sharing stores a position.
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
