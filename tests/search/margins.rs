//! The score-bounded solver against the exact one: what it proves of margins is true, and it proves all there is in short endings.

use canopy_engine::search::{
    LiveTree,
    exact::{Exact as _, SolveContext, generic::GenericSolver},
};

use super::*;

fn bounded_config(threads: usize) -> MctsConfig {
    with_small_memory(MctsConfig {
        score_bounds: true,
        threads,
        ..MctsConfig::default()
    })
}

/// The exact margin of the first player.
fn exact_margin<G: Playable>(solver: &mut GenericSolver<G>, position: &G) -> i32 {
    if position.outcome().is_some() {
        let [first, second] = position.score().expect("the game is decided by counting");
        return first as i32 - second as i32;
    }
    let (limits, stop) = (SearchLimits::default(), StopFlag::new());
    let mut ignore = |_| ();
    let mut context = SolveContext::start(&limits, &stop, None, &mut ignore);
    let value = solver.value(position, &mut context).expect("it is short");
    let score = value.score.expect("the game is decided by counting");
    match position.to_move() {
        Player::First => score,
        Player::Second => -score,
    }
}

/// The position that is `plies` before the end of a random game.
fn ending<G: Playable>(rules: G::Rules, seed: u64, plies: usize) -> G {
    let mut rng = Rng::new(seed);
    let mut line = vec![G::start(rules)];
    while let Some(mv) = line[line.len() - 1].random_move(&mut rng) {
        let mut next = line[line.len() - 1].clone();
        next.play(mv);
        line.push(next);
    }
    line[line.len().saturating_sub(plies + 1)].clone()
}

/// Checks the bounds of the nodes below `node`, at most `left` of them; counts those with a known margin.
fn check_bounds<G: Playable>(
    tree: &dyn LiveTree<G>,
    node: u32,
    position: &G,
    solver: &mut GenericSolver<G>,
    left: &mut usize,
) -> usize {
    let Some(rest) = left.checked_sub(1) else {
        return 0;
    };
    *left = rest;
    let [lower, upper] = tree.margin_bounds(node).expect("it proves margins");
    let exact = exact_margin(solver, position);
    assert!(
        lower <= exact && exact <= upper,
        "{}: {exact} is not from {lower} to {upper}",
        position_text(position)
    );
    let mut known = usize::from(lower == upper);
    let mut edges = Vec::new();
    tree.for_each_edge(node, &mut |edge| edges.push(edge));
    for edge in edges {
        if let Some(child) = edge.child.filter(|_| edge.visits > 0) {
            let mut after = position.clone();
            after.play(edge.mv);
            known += check_bounds(tree, child, &after, solver, left);
        }
    }
    known
}

/// Searches endings of random games; every bound must hold, and every margin be proven in the end.
fn check_endings<G: Playable>(rules: G::Rules, plies: usize, threads: usize) {
    let mut solver = GenericSolver::<G>::new(rules, 16 << 20);
    let mut search = mcts::build::<G>(bounded_config(threads));
    for seed in 0..12 {
        let root: G = ending(rules, seed, plies);
        if root.outcome().is_some() {
            continue;
        }
        let exact = exact_margin(&mut solver, &root);
        let mut known = 0;
        for iterations in [60, 200_000] {
            search.clear();
            let limits = SearchLimits::iterations(iterations);
            let report = search_position(&mut *search, &root, limits).report;
            let tree = search.tree().expect("it grows a tree");
            known += check_bounds(tree, tree.root(), &root, &mut solver, &mut 400);
            if iterations < 1000 {
                continue;
            }
            let text = position_text(&root);
            assert!(
                report.iterations < iterations,
                "{text}: it stops when the margin is known"
            );
            assert_eq!(tree.margin_bounds(tree.root()), Some([exact; 2]), "{text}");
            let mut after = root.clone();
            after.play(report.root_moves[0].mv);
            assert_eq!(
                exact_margin(&mut solver, &after),
                exact,
                "{text}: the best move"
            );
        }
        assert!(known > 0);
    }
}

#[test]
fn proven_margins_are_the_exact_ones() {
    for (game, plies) in [("othello", 8), ("kalah", 6), ("kalah:3x3", 7)] {
        struct Check(usize);
        impl Visitor for Check {
            type Out = ();

            fn visit<G: Playable>(self, rules: G::Rules) {
                check_endings::<G>(rules, self.0, 1);
                check_endings::<G>(rules, self.0, 3);
            }
        }
        games::with_game(game, Check(plies)).expect("a game of the table");
    }
}

#[test]
fn margins_stay_known_when_the_game_goes_on() {
    let mut solver = GenericSolver::new((), 16 << 20);
    let root: games::othello::Othello = ending((), 5, 9);
    let mut search = mcts::build(bounded_config(1));
    let best = search_position(&mut *search, &root, SearchLimits::iterations(200_000));
    let mut after = root;
    after.play(best.mv);
    search.advance(best.mv);
    let report = search_position(&mut *search, &after, SearchLimits::iterations(200_000)).report;
    assert_eq!(report.iterations, 0, "the margin was known");
    let tree = search.tree().expect("the tree is kept");
    let exact = exact_margin(&mut solver, &after);
    assert_eq!(tree.margin_bounds(tree.root()), Some([exact; 2]));
}

#[test]
fn without_scores_the_search_is_the_solver() {
    // Connect four knows no margins, and a graph keeps no bounds.
    let mut rng = Rng::new(3);
    let mut position = ConnectFour::start(());
    for _ in 0..20 {
        let mv = position.random_move(&mut rng).expect("the game goes on");
        position.play(mv);
    }
    for store in [StoreKind::Tree, StoreKind::Graph] {
        let search = |score_bounds| {
            let config = with_small_memory(MctsConfig {
                solver: true,
                score_bounds,
                store,
                ..MctsConfig::default()
            });
            search_position(
                &mut *mcts::build(config),
                &position,
                SearchLimits::iterations(2000),
            )
        };
        let (bounded, plain) = (search(true), search(false));
        assert_eq!(bounded.mv, plain.mv, "{store:?}");
        assert_eq!(
            bounded.report.iterations, plain.report.iterations,
            "{store:?}"
        );
    }
}
