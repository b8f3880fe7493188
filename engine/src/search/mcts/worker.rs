//! One thread's share of the work: down the tree, a playout, and up again.

use super::{
    arena::Plot,
    config::{Config, ExpansionRule},
    playout::{Playout, Trail, pay},
    select::{ChildStats, Four, Select, ln},
    store::{Expansion, News, Step, Store, as_rewards, exchanged},
};
use crate::machine::{Work, accelerated};
use crate::{
    games::{Game, History, Outcome, Player},
    rng::Rng,
    search::Searchable,
};

/// What a thread needs for itself.
pub(super) struct Worker<'a, G: Game> {
    pub(super) playout: &'a mut dyn Playout<G>,
    pub(super) rng: Rng,
    pub(super) path: Vec<Step>,
    pub(super) moves: Vec<G::Move>,
    /// The positions of the game and of the way down, for repetition.
    pub(super) history: History,
    /// Whether memory ran out.
    pub(super) full: bool,
    bundles: Bundles,
    plot: Plot,
}

/// News for nodes that all threads visit all the time, kept back and told a few at a time: a node with a thousand visits can
/// wait for the next one, and memory that many write to is slow for all of them.
struct Bundles {
    slots: Vec<Option<Bundle>>,
}

#[derive(Clone, Copy)]
struct Bundle {
    step: Step,
    news: News,
}

impl Bundles {
    /// A node with so many visits is told in bundles.
    const HEAVY: u32 = 32;
    const SLOTS: usize = 64;

    /// How many at a time: not more than three in a hundred are ever kept back.
    #[inline(always)]
    fn size(visits: u32) -> u32 {
        (visits / 32).clamp(1, 16)
    }

    fn new() -> Self {
        Self {
            slots: vec![None; Self::SLOTS],
        }
    }

    #[inline(always)]
    fn slot(edge: usize) -> usize {
        (edge.wrapping_mul(0x9e37_79b9) >> 16) % Self::SLOTS
    }

    /// Adds what is kept back to what is known of a move, as `mover` of the root's frame sees it: a thread knows its own
    /// visits, however late it tells the others.
    #[inline(always)]
    fn complete(&self, edge: usize, mover: Player, stats: &mut ChildStats) {
        if let Some(held) = &self.slots[Self::slot(edge)]
            && held.step.edge == edge
        {
            let (sum, squares) = held.news.seen_by(mover);
            let visits = f64::from(held.news.visits);
            stats.chosen += visits;
            stats.visits += visits;
            stats.sum += as_rewards(sum);
            stats.squares += as_rewards(squares);
        }
    }

    /// Notes a visit; what must be told now: a bundle that had to make room, and one that is full.
    #[inline(always)]
    fn note(&mut self, step: &Step, news: News, visits: u32) -> [Option<Bundle>; 2] {
        let slot = &mut self.slots[Self::slot(step.edge)];
        let evicted = slot.take_if(|held| held.step.edge != step.edge);
        let held = slot.get_or_insert(Bundle {
            step: *step,
            news: News::default(),
        });
        held.news.add(&news);
        let is_full = held.news.visits >= Self::size(visits);
        [evicted, if is_full { slot.take() } else { None }]
    }
}

/// What all threads share.
pub(super) struct Ground<'a, G: Game, T, S> {
    pub(super) config: &'a Config,
    pub(super) store: &'a T,
    pub(super) select: S,
    /// The root, in its frame.
    pub(super) root: &'a G,
    /// Which of the root's moves may be chosen; none for all.
    pub(super) allowed: Option<&'a [bool]>,
    pub(super) parallel: bool,
}

impl<'a, G: Searchable> Worker<'a, G> {
    pub(super) fn new(
        playout: &'a mut dyn Playout<G>,
        seed: u64,
        history: &History,
        beside_others: bool,
    ) -> Self {
        Self {
            playout,
            rng: Rng::new(seed),
            path: Vec::new(),
            moves: Vec::new(),
            history: history.clone(),
            full: false,
            bundles: Bundles::new(),
            plot: if beside_others {
                Plot::beside_others()
            } else {
                Plot::default()
            },
        }
    }

    /// Tells the store what was kept back; to be called when the work is done.
    pub(super) fn flush<T: Store<G>>(&mut self, store: &T) {
        for bundle in self.bundles.slots.iter_mut().filter_map(Option::take) {
            store.tell(&bundle.step, &bundle.news);
        }
    }

    /// Makes one iteration.
    pub(super) fn iterate<T: Store<G>, S: Select>(&mut self, ground: &Ground<'_, G, T, S>) {
        accelerated(Iteration {
            worker: self,
            ground,
        });
    }
}

struct Iteration<'w, 'a, 'g, G: Game, T, S> {
    worker: &'w mut Worker<'a, G>,
    ground: &'g Ground<'g, G, T, S>,
}

impl<G: Searchable, T: Store<G>, S: Select> Work for Iteration<'_, '_, '_, G, T, S> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        let Self { worker, ground } = self;
        let store = ground.store;
        let begin = worker.history.mark();
        worker.path.clear();
        let mut position = ground.root.clone();
        let mut trail = Trail::default();
        let follows = worker.playout.follows_trail();
        let root = Step {
            edge: 0,
            node: store.root(),
            mover: position.to_move().opponent(),
            flipped: false,
            announced: false,
        };
        let mut here = root;
        worker.push(ground, here);
        let mut certain = false;
        let reward = loop {
            if let Some(outcome) = store.proven(here.node)
                && (ground.config.solver && here.edge != root.edge || store.edges(here.node).1 == 0)
            {
                certain = true;
                break pay(outcome);
            }
            let (first, count) = store.edges(here.node);
            let edge = if count == 0 {
                match worker.expand(ground, here, &position) {
                    Leaf::Over(outcome) => {
                        certain = true;
                        break pay(outcome);
                    }
                    Leaf::PlayOut => break worker.playout.run(&position, trail, &mut worker.rng),
                    Leaf::Follow(edge) => edge,
                }
            } else {
                match worker.choose(ground, here, position.to_move(), first, count) {
                    Some(edge) => edge,
                    None => break worker.playout.run(&position, trail, &mut worker.rng),
                }
            };
            // A reply is remembered by the move in the frame of the node, as all moves on the way are.
            let context = follows.then(|| position.reply_context(store.move_of(edge)));
            let Some(next) = store.follow(edge, &mut position, here.flipped, &mut worker.plot)
            else {
                worker.full = true;
                break worker.playout.run(&position, trail, &mut worker.rng);
            };
            if let Some(context) = context {
                trail.push(context);
            }
            here = next;
            worker.push(ground, here);
            if worker.repeats(&position) {
                break pay(Outcome::Draw);
            }
            if count == 0 {
                break worker.playout.run(&position, trail, &mut worker.rng);
            }
        };
        // Playouts pay the first player of the frame they were played in.
        let reward = if here.flipped {
            pay(Outcome::Win(Player::First)) - reward
        } else {
            reward
        };
        let news = News::of(reward);
        if ground.parallel {
            for step in &worker.path {
                if step.announced {
                    store.tell(step, &news.counted());
                } else {
                    let visits = store.visits(step.node);
                    for bundle in worker.bundles.note(step, news, visits).iter().flatten() {
                        store.tell(&bundle.step, &bundle.news);
                    }
                }
            }
        } else {
            for step in &worker.path {
                store.tell(step, &news);
            }
        }
        worker.history.forget_after(begin);
        if certain && ground.config.solver {
            worker.pass_up(ground);
        }
    }
}

/// What to do at a leaf.
enum Leaf {
    Over(Outcome),
    PlayOut,
    Follow(usize),
}

impl<G: Searchable> Worker<'_, G> {
    #[inline(always)]
    fn push<T: Store<G>, S>(&mut self, ground: &Ground<'_, G, T, S>, step: Step) {
        let mut step = step;
        if ground.parallel && ground.store.visits(step.node) < Bundles::HEAVY {
            ground.store.announce(&step);
            step.announced = true;
        }
        self.path.push(step);
    }

    /// Whether the game is drawn here by repetition, on this way.
    #[inline(always)]
    fn repeats(&mut self, position: &G) -> bool {
        if position.repetition_key().is_none() {
            return false;
        }
        self.history.note(position);
        self.history.is_threefold(position)
    }

    #[inline(always)]
    fn expand<T: Store<G>, S>(
        &mut self,
        ground: &Ground<'_, G, T, S>,
        here: Step,
        position: &G,
    ) -> Leaf {
        let Config {
            expansion,
            expand_on,
            ..
        } = *ground.config;
        let at_root = here.edge == 0;
        // An only child has been made for its own playout, which is not counted among its visits here; the root has not.
        let wait = match expansion {
            ExpansionRule::One if !at_root => expand_on,
            _ => expand_on - 1,
        };
        let announced = self.path.last().is_some_and(|step| step.announced);
        let visits = ground.store.visits(here.node) - u32::from(announced);
        if visits < wait {
            return Leaf::PlayOut;
        }
        position.legal_moves(&mut self.moves);
        if self.moves.is_empty() {
            let outcome = position.final_outcome();
            ground.store.prove(here.node, outcome);
            return Leaf::Over(outcome);
        }
        match ground
            .store
            .expand(here.node, position, &self.moves, &mut self.plot)
        {
            Expansion::Busy => return Leaf::PlayOut,
            Expansion::Full => {
                self.full = true;
                return Leaf::PlayOut;
            }
            Expansion::Done => {}
        }
        let (first, count) = ground.store.edges(here.node);
        let mut pick = match expansion {
            ExpansionRule::AllRandom => self.rng.below(count as u32) as usize,
            _ => 0,
        };
        if at_root && let Some(allowed) = ground.allowed {
            pick = (pick..count)
                .chain(0..pick)
                .find(|&index| allowed[index])
                .unwrap_or(pick);
        }
        Leaf::Follow(first + pick * T::STRIDE)
    }

    /// The move with the highest score, the first of equals; one that was never chosen goes before all others.
    #[inline(always)]
    fn choose<T: Store<G>, S: Select>(
        &mut self,
        ground: &Ground<'_, G, T, S>,
        here: Step,
        mover: Player,
        first: usize,
        count: usize,
    ) -> Option<usize> {
        let store = ground.store;
        let ln_parent = ln(store.visits(here.node).max(1));
        if here.edge == 0 && ground.allowed.is_some() || ground.config.solver || self.full {
            return self.choose_with_care(ground, here, mover, first, count, ln_parent);
        }
        let heavy = ground.parallel && store.visits(here.node) >= Bundles::HEAVY;
        let root_mover = if here.flipped {
            mover.opponent()
        } else {
            mover
        };
        // Four scores at a time, so that the compiler can work them out side by side.
        let mut best = first;
        let mut best_score = f64::NEG_INFINITY;
        let mut index = 0;
        while index < count {
            let edges: [usize; 4] =
                std::array::from_fn(|lane| first + (index + lane).min(count - 1) * T::STRIDE);
            let mut four = Four::default();
            for (lane, &edge) in edges.iter().enumerate() {
                let mut stats = store.stats(edge, mover);
                if heavy {
                    self.bundles.complete(edge, root_mover, &mut stats);
                }
                four.set(lane, &stats);
            }
            let scores = four.scores(&ground.select, ln_parent);
            for lane in 0..4 {
                let better = scores[lane] > best_score;
                best_score = if better { scores[lane] } else { best_score };
                best = if better { edges[lane] } else { best };
            }
            if best_score == f64::INFINITY {
                break;
            }
            index += 4;
        }
        Some(best)
    }

    /// [`Self::choose`] where some moves are not to be chosen: restricted, certainly lost, or without memory for them.
    fn choose_with_care<T: Store<G>, S: Select>(
        &mut self,
        ground: &Ground<'_, G, T, S>,
        here: Step,
        mover: Player,
        first: usize,
        count: usize,
        ln_parent: f64,
    ) -> Option<usize> {
        let store = ground.store;
        let allowed = if here.edge == 0 { ground.allowed } else { None };
        let mut best = None;
        let mut best_score = f64::NEG_INFINITY;
        for index in 0..count {
            let edge = first + index * T::STRIDE;
            if allowed.is_some_and(|allowed| !allowed[index]) {
                continue;
            }
            let stats = store.stats(edge, mover);
            if stats.chosen == 0.0 && self.full && !store.can_follow(edge) {
                continue;
            }
            let mut score = match stats.chosen {
                0.0 => f64::INFINITY,
                _ => ground.select.score(ln_parent, &stats),
            };
            if ground.config.solver
                && let Some(outcome) = store.edge_proven(edge)
            {
                score = match outcome {
                    Outcome::Win(winner) if winner == mover => f64::INFINITY,
                    // Worse than anything open, but better than nothing.
                    Outcome::Win(_) => -1e300,
                    Outcome::Draw => score.min(0.5),
                };
            }
            if score > best_score {
                best_score = score;
                best = Some(edge);
            }
        }
        best
    }

    /// Passes a certain result up as far as it goes.
    fn pass_up<T: Store<G>, S>(&mut self, ground: &Ground<'_, G, T, S>) {
        let store = ground.store;
        for index in (0..self.path.len() - 1).rev() {
            let (here, below) = (self.path[index], self.path[index + 1]);
            if store.proven(here.node).is_some() {
                continue;
            }
            let mover = below.mover;
            let (first, count) = store.edges(here.node);
            let mut best = Some(Outcome::Win(mover.opponent()));
            for edge in (0..count).map(|index| first + index * T::STRIDE) {
                match store.edge_proven(edge) {
                    Some(Outcome::Win(winner)) if winner == mover => {
                        best = Some(Outcome::Win(mover));
                        break;
                    }
                    Some(Outcome::Win(_)) => {}
                    Some(Outcome::Draw) => best = best.and(Some(Outcome::Draw)),
                    None => best = None,
                }
            }
            match best {
                Some(outcome) => store.prove(here.node, outcome),
                None => return,
            }
        }
    }
}

/// A result at a node of `flipped` frame, as the root's players see it.
pub(super) fn unflipped(outcome: Outcome, flipped: bool) -> Outcome {
    if flipped { exchanged(outcome) } else { outcome }
}
