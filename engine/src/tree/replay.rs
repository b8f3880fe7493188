//! A tree as it was after any number of iterations, rebuilt from its journal.

use super::growth::{Growth, NONE};
use crate::{
    games::Outcome,
    search::{
        Edge, Frame, Reward, RootEdge, Searchable, TreeView,
        mcts::{Grouping, Sharing, frame_of},
    },
};

/// The figures of a tree at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Figures {
    at: u32,
    /// By node.
    visits: Vec<u32>,
    sums: Vec<u64>,
    /// By move, in a graph.
    chosen: Vec<u32>,
}

/// A journal that can be turned to any iteration. Turning takes a few milliseconds: from the nearest of some times that it
/// remembers it walks forwards or backwards, for whole numbers can be taken back exactly.
#[derive(Debug)]
pub struct Replay {
    growth: Growth,
    figures: Figures,
    remembered: Vec<Figures>,
}

impl Replay {
    /// So many times are remembered.
    const REMEMBERED: u32 = 8;
    /// Journals shorter than this have no need to remember.
    const SHORT: u32 = 20_000;

    /// A replay that stands before the first iteration.
    pub fn new(growth: Growth) -> Self {
        let figures = Figures {
            at: 0,
            visits: growth.known.iter().map(|&(visits, _)| visits).collect(),
            sums: growth.known.iter().map(|&(_, sum)| sum).collect(),
            chosen: growth.chosen.clone(),
        };
        let mut replay = Self {
            growth,
            figures,
            remembered: Vec::new(),
        };
        let total = replay.growth.iterations();
        if total > Self::SHORT {
            for part in 0..=Self::REMEMBERED {
                replay.walk(
                    (u64::from(total) * u64::from(part) / u64::from(Self::REMEMBERED)) as u32,
                );
                replay.remembered.push(replay.figures.clone());
            }
            replay.seek(0);
        }
        replay
    }

    /// The journal.
    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    /// How many iterations are done where it stands.
    pub fn at(&self) -> u32 {
        self.figures.at
    }

    /// Turns to the time after so many iterations, at most to the end.
    pub fn seek(&mut self, iterations: u32) {
        let to = iterations.min(self.growth.iterations());
        let distance = |figures: &Figures| figures.at.abs_diff(to);
        let nearest = self
            .remembered
            .iter()
            .min_by_key(|figures| distance(figures));
        // Copying the figures of every node is worth thousands of iterations.
        if let Some(nearest) = nearest
            && distance(nearest) + Self::SHORT / 2 < distance(&self.figures)
        {
            self.figures.clone_from(nearest);
        }
        self.walk(to);
    }

    fn walk(&mut self, to: u32) {
        while self.figures.at < to {
            self.apply(self.figures.at, true);
            self.figures.at += 1;
        }
        while self.figures.at > to {
            self.figures.at -= 1;
            self.apply(self.figures.at, false);
        }
    }

    /// Adds an iteration to the figures, or takes it back.
    fn apply(&mut self, iteration: u32, forwards: bool) {
        let Self {
            growth, figures, ..
        } = self;
        let index = iteration as usize;
        let reward = growth.rewards[index];
        let mut visit = |node: usize, reward: u64| {
            let (visits, sum) = (&mut figures.visits[node], &mut figures.sums[node]);
            if forwards {
                *visits = visits.wrapping_add(1);
                *sum = sum.wrapping_add(reward);
            } else {
                *visits = visits.wrapping_sub(1);
                *sum = sum.wrapping_sub(reward);
            }
        };
        if growth.kind.graph {
            let begin = index
                .checked_sub(1)
                .map_or(0, |before| growth.leaves[before] as usize);
            visit(0, reward);
            let mut flipped = false;
            for &edge in &growth.paths[begin..growth.leaves[index] as usize] {
                flipped ^= growth.frames[edge as usize] & INVERTED != 0;
                let node = growth.targets[edge as usize] as usize;
                visit(node, if flipped { ONE - reward } else { reward });
                let chosen = &mut figures.chosen[edge as usize];
                *chosen = if forwards {
                    chosen.wrapping_add(1)
                } else {
                    chosen.wrapping_sub(1)
                };
            }
        } else {
            let mut node = growth.leaves[index];
            loop {
                visit(node as usize, reward);
                if node == 0 {
                    break;
                }
                node = growth.parents[node as usize - 1];
            }
        }
    }

    /// The tree as it stands, `root` being the position at its root. The moves in a journal are only as good as the file:
    /// what is made of them must check that they are legal.
    pub fn view<'a, G: Searchable>(&'a self, root: &'a G) -> Replayed<'a, G> {
        Replayed { replay: self, root }
    }

    fn sharing(&self) -> Sharing {
        let kind = self.growth.kind;
        Sharing {
            transpositions: kind.graph,
            grouping: match kind.grouping {
                0 => Grouping::None,
                1 => Grouping::Rotations,
                _ => Grouping::Dihedral,
            },
            invert_colours: kind.invert_colours,
        }
    }

    fn value(&self, node: usize) -> f64 {
        match self.figures.visits[node] {
            0 => 0.5,
            visits => {
                (self.figures.sums[node] as i64) as f64 * (1.0 / ONE as f64) / f64::from(visits)
            }
        }
    }

    fn proven(&self, node: u32) -> Option<Outcome> {
        let (since, outcome) = self.growth.results[node as usize]?;
        (since <= self.figures.at).then_some(outcome)
    }
}

const ONE: u64 = 1 << 32;
/// The bit of a frame that says that colours are exchanged.
const INVERTED: u8 = 8;

/// A tree of a [`Replay`], to be looked at as one that a search lends out.
pub struct Replayed<'a, G> {
    replay: &'a Replay,
    root: &'a G,
}

impl<G: Searchable> TreeView<G> for Replayed<'_, G> {
    fn root_position(&self) -> &G {
        self.root
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_figures(&self) -> (u64, u64, Reward) {
        let visits = self.replay.figures.visits[0];
        let inherited = self.replay.growth.known[0].0;
        let first = self.replay.value(0);
        let inverted = self.frame(self.root).inverted;
        (
            visits.into(),
            u64::from(visits.wrapping_sub(inherited)),
            Reward::new(if inverted { 1.0 - first } else { first }),
        )
    }

    fn frame(&self, position: &G) -> Frame {
        frame_of(position, self.replay.sharing())
    }

    fn edges(&self, node: u32, visit: &mut dyn FnMut(Edge<G::Move>)) {
        let Replay {
            growth, figures, ..
        } = self.replay;
        if growth.expanded[node as usize] > figures.at {
            return;
        }
        let (first, end) = growth.moves[node as usize];
        for edge in first..end {
            let index = edge as usize;
            let graph = growth.kind.graph;
            let child = if !graph {
                Some(edge + 1)
            } else {
                (growth.linked[index] <= figures.at).then_some(growth.targets[index])
            };
            let child = child.filter(|&child| child != NONE);
            let node_visits = child.map_or(0, |child| figures.visits[child as usize]);
            let (visits, inherited) = if graph {
                (figures.chosen[index], growth.chosen[index])
            } else {
                (node_visits, growth.known[edge as usize + 1].0)
            };
            if visits == 0 && growth.kind.hides_unvisited {
                continue;
            }
            visit(Edge {
                mv: G::move_from_bits(growth.codes[index].into()),
                child,
                visits: visits.into(),
                recent_visits: u64::from(visits.wrapping_sub(inherited)),
                node_visits: node_visits.into(),
                value: Reward::new(child.map_or(0.5, |child| self.replay.value(child as usize))),
                proven: child.and_then(|child| self.replay.proven(child)),
                cut: false,
                squares: f64::NAN,
                table: f64::NAN,
            });
        }
    }

    fn is_graph(&self) -> bool {
        self.replay.growth.kind.graph
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            proven: self.replay.proven(0),
            ..RootEdge::default()
        }
    }
}
