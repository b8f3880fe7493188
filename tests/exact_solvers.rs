//! Exact solvers against plain minimax, published values and their own certificates.

#[path = "exact_solvers/certificate.rs"]
mod certificate;
#[path = "exact_solvers/chess.rs"]
mod chess;
#[path = "exact_solvers/delta.rs"]
mod delta;
#[path = "exact_solvers/generic.rs"]
mod generic;
#[path = "exact_solvers/kalah.rs"]
mod kalah;
#[path = "exact_solvers/othello.rs"]
mod othello;
#[path = "exact_solvers/suites.rs"]
mod suites;
mod support;

use canopy_engine::{
    games::{self, Game, Outcome, Playable, Player},
    rng::Rng,
    search::{
        SearchLimits, StopFlag,
        exact::{Exact, ExactValue, SolveContext, ValueClass},
    },
};

const MEGABYTE: usize = 1 << 20;

/// Asks a solver for a value under limits.
fn value_within<G: Game>(
    solver: &mut dyn Exact<G>,
    position: &G,
    limits: &SearchLimits,
) -> Option<ExactValue> {
    with_context(limits, |context| solver.value(position, context))
}

fn with_context<T>(limits: &SearchLimits, ask: impl FnOnce(&mut SolveContext<'_>) -> T) -> T {
    let mut ignore = |_| ();
    let mut context = SolveContext::start(limits, &StopFlag::new(), None, &mut ignore);
    ask(&mut context)
}

/// [`with_context`] without limits, after a stop was requested.
fn with_stop<T>(ask: impl FnOnce(&mut SolveContext<'_>) -> T) -> T {
    let stop = StopFlag::new();
    stop.set();
    let mut ignore = |_| ();
    let limits = SearchLimits::default();
    ask(&mut SolveContext::start(&limits, &stop, None, &mut ignore))
}

fn node_limit(nodes: u64) -> SearchLimits {
    SearchLimits {
        nodes: Some(nodes),
        ..SearchLimits::default()
    }
}

/// Open positions at most `plies` before the end of random games.
fn random_endings<G: Playable>(
    rules: G::Rules,
    plies: usize,
    count: usize,
    rng: &mut Rng,
) -> Vec<G> {
    let mut found = Vec::new();
    while found.len() < count {
        let mut line = vec![G::start(rules)];
        let mut position = line[0].clone();
        while position.play_random(rng) {
            line.push(position.clone());
        }
        let back = 1 + rng.below(plies as u32) as usize;
        if let Some(place) = line.len().checked_sub(1 + back) {
            found.push(line[place].clone());
        }
    }
    found
}

/// The positions that the moves of a position lead to.
fn children<G: Game>(position: &G) -> Vec<G> {
    let successors = games::successors(position).into_iter();
    successors.map(|(_, child)| child).collect()
}

/// Plain minimax to the end of the game: the class, and the difference of scores where games are counted, for the player to
/// move; none if that takes more than `nodes`.
fn minimax<G: Playable>(position: &G, nodes: &mut u32) -> Option<(ValueClass, Option<i32>)> {
    *nodes = nodes.checked_sub(1)?;
    let mover = position.to_move();
    if let Some(outcome) = position.outcome() {
        let score = position.score().map(|[first, second]| {
            let difference = first as i32 - second as i32;
            [difference, -difference][mover.index()]
        });
        return Some((ValueClass::from_outcome(outcome, mover), score));
    }
    let mut best = None;
    for child in children(position) {
        let (class, score) = minimax(&child, nodes)?;
        let value = if child.to_move() == mover {
            (class, score)
        } else {
            (class.for_opponent(), score.map(|score| -score))
        };
        best = best.max(Some(value));
    }
    best
}

/// The fewest plies, at most `plies`, in which `attacker` forces a win, by plain search.
fn forced_win<G: Game>(position: &G, attacker: Player, plies: u32) -> Option<u32> {
    if let Some(outcome) = position.outcome() {
        return (outcome == Outcome::Win(attacker)).then_some(0);
    }
    if plies == 0 {
        return None;
    }
    let mut wins = (children(position).into_iter())
        .map(|child| forced_win(&child, attacker, plies - 1).map(|plies| plies + 1));
    if position.to_move() == attacker {
        wins.flatten().min()
    } else {
        wins.try_fold(0, |longest, win| win.map(|plies| longest.max(plies)))
    }
}

/// Checks that a solver under a node limit finds exactly the wins and losses within `plies` that plain search finds.
fn assert_forced_wins_found<G: Playable>(
    solver: &mut dyn Exact<G>,
    position: &G,
    plies: u32,
    nodes: u64,
) {
    let mover = position.to_move();
    let found = value_within(solver, position, &node_limit(nodes));
    let expected = [
        (mover, ValueClass::Win),
        (mover.opponent(), ValueClass::Loss),
    ]
    .into_iter()
    .find_map(|(attacker, class)| Some((class, forced_win(position, attacker, plies)?)));
    match found {
        // A solver that does not count plies still knows who wins.
        Some(value) if value.plies.is_none() => {
            let class = expected.map_or(value.class, |(class, _)| class);
            assert_eq!(value.class, class, "{position:?}");
        }
        _ => {
            let found = found
                .and_then(|value| Some((value.class, value.plies?)))
                .filter(|&(_, found)| found <= plies);
            assert_eq!(found, expected, "{position:?}");
        }
    }
}
