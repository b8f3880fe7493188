//! One thread's share of the work: down the tree, a playout, and up again.

use super::{
    arena::Plot,
    config::{Config, ExpansionRule},
    playout::{Playout, Trail, pay},
    select::{ChildStats, Select, ln},
    store::{Expansion, News, Outlook, Settled, Step, Store, exchanged},
};
use crate::{
    games::{Game, History, Outcome, Player, Symmetry},
    machine::{Floats as _, LaneWork, Lanes, in_lanes},
    rng::Rng,
    search::{
        Searchable,
        growth::{Record, Teller},
    },
};

/// What a thread needs for itself.
pub(super) struct Worker<'a, G: Game> {
    pub(super) playout: &'a mut dyn Playout<G>,
    pub(super) rng: Rng,
    pub(super) path: Vec<Step>,
    pub(super) moves: Vec<G::Move>,
    /// The positions of the game and of the way down, for repetition.
    pub(super) history: History,
    /// How many of them are of the game.
    played: usize,
    /// Whether memory ran out.
    pub(super) full: bool,
    pub(super) teller: Teller<'a>,
    camp: Option<Camp<G>>,
    plot: Plot,
    /// The way down on the board of the game, for playouts that follow the trail through a graph of other frames.
    board: Option<Board<G>>,
}

/// A position as it stands in the game, where the node has an image of it: what is learnt from playouts is learnt on this
/// board, whichever frames the nodes are in.
#[derive(Clone)]
pub(super) struct Board<G> {
    pub(super) position: G,
    /// Turns the board into the node's frame.
    pub(super) symmetry: Symmetry,
}

/// Where a thread that works beside others stays for a while. Memory that many write to is slow for all of them, and the
/// upper nodes of a tree are such memory; so a thread that has come down to a node of many visits makes several iterations
/// from there before it tells the nodes above. They are few beside the visits that the node has, so that hardly a
/// choice above comes out otherwise, and their visits are counted at once, which keeps the other threads elsewhere.
struct Camp<G> {
    /// How many steps of the path lead here.
    steps: usize,
    position: G,
    trail: Trail,
    board: Option<Board<G>>,
    /// The positions noted when it was reached.
    noted: usize,
    /// Iterations that are still to be made from here.
    left: u32,
    /// What the nodes down to here are to be told.
    news: News,
}

impl<G> Camp<G> {
    /// A node where it is worth staying: with so many visits for each thread.
    const VISITS: u32 = 128;

    /// How many iterations are made from a node: the threads together one for every sixteen visits it has.
    #[inline(always)]
    fn iterations(visits: u32, threads: u32) -> u32 {
        (visits / 16 / threads).clamp(1, 16)
    }
}

/// What all threads share.
pub(super) struct Ground<'a, G: Game, T, S> {
    pub(super) config: &'a Config,
    pub(super) store: &'a T,
    pub(super) select: S,
    /// The root, in its frame.
    pub(super) root: &'a G,
    /// The root on the board, if playouts are to be played there.
    pub(super) board: Option<Board<G>>,
    /// The moves that led to the root.
    pub(super) trail: Trail,
    /// Which of the root's moves may be chosen; none for all.
    pub(super) allowed: Option<&'a [bool]>,
    /// Whether the moves of every node were and are followed for the first time in their order, one a visit at most.
    pub(super) in_order: bool,
    pub(super) threads: u32,
}

impl<G: Game, T, S> Ground<'_, G, T, S> {
    #[inline(always)]
    pub(super) fn parallel(&self) -> bool {
        self.threads > 1
    }
}

impl<'a, G: Searchable> Worker<'a, G> {
    pub(super) fn new(
        playout: &'a mut dyn Playout<G>,
        seed: u64,
        history: &History,
        beside_others: bool,
        teller: Teller<'a>,
    ) -> Self {
        Self {
            playout,
            rng: Rng::new(seed),
            path: Vec::new(),
            moves: Vec::new(),
            history: history.clone(),
            played: history.mark(),
            full: false,
            teller,
            camp: None,
            plot: if beside_others {
                Plot::beside_others()
            } else {
                Plot::default()
            },
            board: None,
        }
    }

    /// Leaves the node where it stayed and tells the store what was kept back; to be called when the work is done.
    pub(super) fn break_camp<T: Store<G>>(&mut self, store: &T) {
        if let Some(camp) = self.camp.take() {
            let mut news = camp.news;
            news.visits -= i64::from(camp.left);
            for step in &self.path[..camp.steps] {
                store.tell(step, &news);
            }
        }
    }

    /// Makes one iteration.
    pub(super) fn iterate<T: Store<G>, S: Select>(&mut self, ground: &Ground<'_, G, T, S>) {
        in_lanes(Iteration {
            worker: self,
            ground,
        });
    }
}

struct Iteration<'w, 'a, 'g, G: Game, T, S> {
    worker: &'w mut Worker<'a, G>,
    ground: &'g Ground<'g, G, T, S>,
}

impl<G: Searchable, T: Store<G>, S: Select> LaneWork for Iteration<'_, '_, '_, G, T, S> {
    type Out = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { worker, ground } = self;
        let store = ground.store;
        let parallel = ground.parallel();
        let follows = worker.playout.follows_trail();
        let root = Step {
            edge: store.root() as usize,
            node: store.root(),
            mover: ground.root.to_move().opponent(),
            flipped: false,
        };
        let staying = parallel && worker.camp.is_some();
        let (mut here, mut position, mut trail);
        match &worker.camp {
            Some(camp) if parallel => {
                worker.path.truncate(camp.steps);
                worker.history.forget_after(camp.noted);
                here = worker.path[camp.steps - 1];
                position = camp.position.clone();
                trail = camp.trail;
                if follows {
                    worker.board.clone_from(&camp.board);
                }
            }
            _ => {
                worker.path.clear();
                worker.history.forget_after(worker.played);
                here = root;
                position = ground.root.clone();
                trail = ground.trail;
                if follows {
                    worker.board.clone_from(&ground.board);
                }
                worker.push(ground, here);
            }
        }
        let mut certain = false;
        let reward = loop {
            let outlook = store.outlook(&here);
            let Outlook { visits, count, .. } = outlook;
            let is_open = count > 0 && (!ground.config.solver || worker.path.len() == 1);
            if !is_open && let Some(outcome) = store.proven(here.node) {
                certain = true;
                break pay(outcome);
            }
            // A new move ends the way down, even if the position behind it turned out to be known.
            if T::IS_GRAPH && count > 0 && worker.is_new(&outlook, parallel) {
                break worker.play_out(&position, trail);
            }
            if parallel && !staying && visits >= Camp::<G>::VISITS * ground.threads {
                worker.camp = Some(Camp {
                    steps: worker.path.len(),
                    position: position.clone(),
                    trail,
                    board: worker.board.clone(),
                    noted: worker.history.mark(),
                    left: 0,
                    news: News::default(),
                });
            }
            let (edge, new_move) = if count == 0 {
                match worker.expand(ground, here, &position) {
                    Leaf::Over(outcome) => {
                        certain = true;
                        break pay(outcome);
                    }
                    Leaf::PlayOut => break worker.play_out(&position, trail),
                    Leaf::Elsewhere(node) => {
                        here.node = node;
                        continue;
                    }
                    Leaf::Follow(edge, mv) => (edge, Some(mv)),
                }
            } else if let Some(new) = worker.next_in_order(ground, &position, &outlook) {
                new
            } else {
                let chosen = worker.choose::<L, _, _>(ground, &position, &outlook);
                (chosen, None)
            };
            let context = follows.then(|| worker.context(&position, store.move_of(edge)));
            let is_news = T::IS_GRAPH && worker.teller.is_heard() && store.is_unfollowed(edge);
            let mover = position.to_move();
            let (node, inverted) = match new_move {
                Some(mv) => store.follow_new(edge, mv, &mut position),
                None => store.follow(edge, &mut position),
            };
            here = Step {
                edge,
                node,
                mover,
                flipped: here.flipped ^ inverted,
            };
            if let Some(context) = context {
                trail.push(context);
                worker.turn_board(store.frame_bits(edge));
            }
            if is_news {
                worker.tell_link(store, &here);
            }
            worker.push(ground, here);
            if worker.repeats(&position) {
                break pay(Outcome::Draw);
            }
            if count == 0 {
                break worker.play_out(&position, trail);
            }
        };
        // Playouts pay the first player of the frame they were played in.
        let reward = if here.flipped {
            pay(Outcome::Win(Player::First)) - reward
        } else {
            reward
        };
        if certain && ground.config.solver {
            worker.pass_up(ground);
        }
        if worker.teller.is_heard() {
            worker.tell_iteration::<T>(reward);
        }
        if parallel {
            worker.tell(ground, &News::of_counted(reward), staying);
        } else {
            store.tell_all(&worker.path, reward);
        }
    }
}

/// What to do at a leaf.
enum Leaf<M> {
    Over(Outcome),
    PlayOut,
    /// To follow this move, which nobody has.
    Follow(usize, M),
    /// To go on from this node, where the step leads now.
    Elsewhere(u32),
}

impl<G: Searchable> Worker<'_, G> {
    #[inline(always)]
    fn push<T: Store<G>, S>(&mut self, ground: &Ground<'_, G, T, S>, step: Step) {
        // Two threads may come at the same time, and both say so.
        if T::HAS_TABLE && self.teller.is_heard() && ground.store.visits(step.node) == 0 {
            ground.store.tell_entry(step.node, &mut self.teller);
        }
        if ground.parallel() {
            ground.store.announce(&step, 1);
        }
        self.path.push(step);
    }

    /// Tells the nodes of the path, those above the camp when the last iteration from there is made.
    #[inline(always)]
    fn tell<T: Store<G>, S>(&mut self, ground: &Ground<'_, G, T, S>, news: &News, staying: bool) {
        let store = ground.store;
        let mut above = 0;
        if let Some(camp) = &mut self.camp {
            above = camp.steps;
            camp.news.add(news);
            if staying {
                camp.left -= 1;
            } else {
                let node = self.path[above - 1].node;
                camp.left = Camp::<G>::iterations(store.visits(node), ground.threads) - 1;
                for step in &self.path[..above] {
                    store.announce(step, camp.left);
                }
            }
        }
        for step in &self.path[above..] {
            store.tell(step, news);
        }
        let is_over = |camp: &mut Camp<G>| {
            camp.left == 0
                || ground.config.solver && store.proven(self.path[above - 1].node).is_some()
        };
        if self.camp.as_mut().is_some_and(is_over) {
            self.break_camp(store);
        }
    }

    /// Whether the move of the last step was never chosen before.
    #[inline(always)]
    fn is_new(&self, outlook: &Outlook, parallel: bool) -> bool {
        // Beside other threads this time is counted already.
        outlook.chosen == u32::from(parallel) && self.path.len() > 1
    }

    /// Plays the game out from the position at the end of the way; what it pays the first player of its frame.
    #[inline(always)]
    fn play_out(&mut self, position: &G, trail: Trail) -> u64 {
        let Some(board) = &self.board else {
            return self.playout.run(position, trail, &mut self.rng);
        };
        let reward = self.playout.run(&board.position, trail, &mut self.rng);
        if board.position.to_move() == position.to_move() {
            reward
        } else {
            pay(Outcome::Win(Player::First)) - reward
        }
    }

    /// How replies to a move of a node are remembered: by the move on the board. It is played there, too.
    #[inline(never)]
    fn context(&mut self, position: &G, mv: G::Move) -> usize {
        let Some(board) = &mut self.board else {
            return position.reply_context(mv);
        };
        let mv = G::image_of_move(mv, board.symmetry.inverse());
        let context = board.position.reply_context(mv);
        board.position.play(mv);
        context
    }

    /// The way down goes on in another frame, which comes from the one before as [`Store::frame_bits`] says.
    fn turn_board(&mut self, frame: u32) {
        if let Some(board) = &mut self.board {
            board.symmetry = board.symmetry.then(Symmetry::from_bits(frame as u8));
        }
    }

    /// Notes a certain result.
    fn prove<T: Store<G>, S>(&mut self, ground: &Ground<'_, G, T, S>, node: u32, outcome: Outcome) {
        ground.store.prove(node, outcome);
        if self.teller.is_heard() {
            self.teller.tell(Record::Proven { node, outcome });
        }
    }

    /// Tells where the move of a step leads.
    fn tell_link<T: Store<G>>(&mut self, store: &T, step: &Step) {
        self.teller.tell(Record::Link {
            edge: step.edge as u32,
            node: step.node,
            frame: store.frame_bits(step.edge),
        });
    }

    /// Tells of an iteration that ends with `reward` for the first player of the root's frame.
    fn tell_iteration<T: Store<G>>(&mut self, reward: u64) {
        if T::IS_GRAPH {
            let edges = self.path[1..].iter().map(|step| step.edge as u32);
            self.teller.tell_path(edges, reward);
        } else {
            let node = self.path.last().map_or(0, |step| step.node);
            self.teller.tell(Record::Leaf { node, reward });
        }
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

    /// Apart from the loop, whose other steps would have to carry all that is needed here.
    #[inline(never)]
    fn expand<T: Store<G>, S>(
        &mut self,
        ground: &Ground<'_, G, T, S>,
        here: Step,
        position: &G,
    ) -> Leaf<G::Move> {
        let Config {
            expansion,
            expand_on,
            ..
        } = *ground.config;
        let at_root = self.path.len() == 1;
        // An only child has been made for its own playout, which is not counted among its visits here; the root has not.
        let wait = match expansion {
            ExpansionRule::One if !at_root => expand_on,
            _ => expand_on - 1,
        };
        // This visit does not count.
        let visits = ground.store.visits(here.node) - u32::from(ground.parallel());
        if visits < wait {
            return Leaf::PlayOut;
        }
        match ground.store.settle(&here, position) {
            Settled::Here => {}
            Settled::Elsewhere(node) => {
                let step = Step { node, ..here };
                if let Some(last) = self.path.last_mut() {
                    *last = step;
                }
                if self.teller.is_heard() {
                    self.tell_link(ground.store, &step);
                }
                return Leaf::Elsewhere(node);
            }
            Settled::NoRoom => {
                self.full = true;
                return Leaf::PlayOut;
            }
        }
        position.legal_moves(&mut self.moves);
        if self.moves.is_empty() {
            let outcome = position.final_outcome();
            self.prove(ground, here.node, outcome);
            return Leaf::Over(outcome);
        }
        match ground
            .store
            .expand(&here, position, &self.moves, &mut self.plot)
        {
            Expansion::Busy => return Leaf::PlayOut,
            Expansion::Full => {
                self.full = true;
                return Leaf::PlayOut;
            }
            Expansion::Done => {}
        }
        let (first, count) = ground.store.edges(here.edge as u32);
        if self.teller.is_heard() {
            let codes = self.moves.iter().map(|&mv| G::move_to_bits(mv));
            self.teller.tell_moves(here.node, first as u32, codes);
        }
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
        Leaf::Follow(first + pick, self.moves[pick])
    }

    /// The next of a graph's moves to be followed for the first time, if the node has few visits and its moves are followed
    /// in their order; and which move it is, where finding out takes less time than looking.
    ///
    /// Every visit but the first takes the next move. Not quite: a visit ends here if the move before was new and the node
    /// was not. Then a move is left out, and comes to its turn when the others have had theirs. So the visits say which
    /// move it is, and nothing needs to be read of it, which would be far away.
    #[inline(always)]
    fn next_in_order<T: Store<G>, S>(
        &mut self,
        ground: &Ground<'_, G, T, S>,
        position: &G,
        outlook: &Outlook,
    ) -> Option<(usize, Option<G::Move>)> {
        // A visit may also end here by repetition, in chess.
        if !T::IS_GRAPH || !ground.in_order || position.repetition_key().is_some() {
            return None;
        }
        let next = ground.config.moves_followed(outlook.visits);
        if next >= outlook.count {
            return None;
        }
        let mv = if G::LISTS_QUICKLY {
            position.legal_moves(&mut self.moves);
            self.moves.get(next).copied()
        } else {
            None
        };
        Some((outlook.first + next, mv))
    }

    /// The move with the highest score, the first of equals; one that was never chosen goes before all others.
    #[inline(always)]
    fn choose<L: Lanes, T: Store<G>, S: Select>(
        &self,
        ground: &Ground<'_, G, T, S>,
        position: &G,
        outlook: &Outlook,
    ) -> usize {
        let store = ground.store;
        let Outlook {
            visits,
            first,
            count,
            ..
        } = *outlook;
        let mover = position.to_move();
        let ln_parent = ln(visits.max(1));
        let restricted = self.path.len() == 1 && ground.allowed.is_some();
        let careful = restricted || ground.config.solver;
        // A node of so few visits is likely to have a move that was never chosen, and then nothing else needs to be known.
        if !careful && visits <= count as u32 + ground.config.expand_on {
            let chosen = ground.config.moves_followed(visits);
            if let Some(new) = self.first_unchosen(ground, chosen, first, count) {
                return new;
            }
        }
        if careful || count < 4 {
            return self.choose_with_care(ground, mover, first, count, ln_parent);
        }
        let scores_from = |start: usize| {
            let four = store.four_tallies::<L>(first + start, mover);
            four.scores(&ground.select, ln_parent)
        };
        // The last four may begin with some that were seen already: they are not better than themselves.
        let last = count - 4;
        let best = if count <= 8 {
            let (low, high) = (scores_from(0), scores_from(last));
            let highest = low.max(high).highest();
            let places = low.equals(highest).signs() | high.equals(highest).signs() << last;
            places.trailing_zeros() as usize
        } else {
            let lanes = L::from([0, 1, 2, 3]);
            let (mut highest, mut places) = (scores_from(0), lanes);
            for start in (4..last).step_by(4).chain([last]) {
                let scores = scores_from(start);
                let better = highest.is_below(scores);
                places = better.pick(lanes + L::splat(start as u64), places);
                highest = highest.max(scores);
            }
            let is_best = highest.equals(highest.highest());
            let places = is_best.pick(places, L::splat(u64::MAX)).to_array();
            places.into_iter().fold(u64::MAX, u64::min) as usize
        };
        // Scores that are not numbers equal nothing; no formula gives such, but then no harm is done.
        first + best.min(count - 1)
    }

    /// The first move of a node that was never chosen, if there is one; `chosen` says how many probably were.
    #[inline(always)]
    fn first_unchosen<T: Store<G>, S>(
        &self,
        ground: &Ground<'_, G, T, S>,
        chosen: usize,
        first: usize,
        count: usize,
    ) -> Option<usize> {
        let is_new = |&edge: &usize| ground.store.chosen(edge) == 0;
        // Where moves are chosen in their order, one that never was behind one that was is the first such.
        if ground.config.expansion != ExpansionRule::AllRandom && (1..count).contains(&chosen) {
            let next = first + chosen;
            if !is_new(&(next - 1)) && is_new(&next) {
                return Some(next);
            }
        }
        (first..first + count).find(is_new)
    }

    /// [`Self::choose`] for few moves, or where some are not to be chosen: restricted, or certainly drawn or lost.
    fn choose_with_care<T: Store<G>, S: Select>(
        &self,
        ground: &Ground<'_, G, T, S>,
        mover: Player,
        first: usize,
        count: usize,
        ln_parent: f64,
    ) -> usize {
        let store = ground.store;
        let allowed = ground.allowed.filter(|_| self.path.len() == 1);
        let mut best = first;
        let mut best_score = f64::NEG_INFINITY;
        for index in 0..count {
            let edge = first + index;
            if allowed.is_some_and(|allowed| !allowed[index]) {
                continue;
            }
            let stats = ChildStats::from(store.tally(edge, mover));
            let mut score = match stats.chosen {
                0.0 => f64::INFINITY,
                _ => ground.select.score(ln_parent, &stats),
            };
            if ground.config.solver
                && let Some(outcome) = store.edge_proven(edge)
            {
                score = match outcome {
                    Outcome::Win(winner) if winner == mover => f64::INFINITY,
                    // There is nothing to find out any more: worse than anything open, but better than nothing.
                    Outcome::Draw => -1e299,
                    Outcome::Win(_) => -1e300,
                };
            }
            if score > best_score {
                best_score = score;
                best = edge;
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
            for edge in first..first + count {
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
                Some(outcome) => self.prove(ground, here.node, outcome),
                None => return,
            }
        }
    }
}

/// A result at a node of `flipped` frame, as the root's players see it.
pub(super) fn unflipped(outcome: Outcome, flipped: bool) -> Outcome {
    if flipped { exchanged(outcome) } else { outcome }
}
