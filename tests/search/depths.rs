//! Depths of the classical searches: limits, interruptions, and one-sided evaluations.

use canopy_engine::games::{evaluate::WIN_VALUE, othello::Othello};

use super::*;

fn build_preset<G: Playable>(name: &str) -> Box<dyn Search<G>> {
    let spec = catalog::parse::<G>(name).unwrap();
    catalog::build(&spec).unwrap()
}

fn node_limit(count: u64) -> SearchLimits {
    SearchLimits {
        nodes: Some(count),
        ..SearchLimits::default()
    }
}

#[test]
fn under_any_limit_but_depth_every_depth_is_searched_in_turn() {
    let text = "3rkbn1/2pn1b2/2Q5/pp1Np2p/3P3B/5P2/P1P1P1BP/R4K1R w - - 1 23";
    let root: games::chess::Chess = notation::read_position(Default::default(), text).unwrap();
    for name in ["alpha-beta", "minimax", "deepening", "aspiration"] {
        let choice = search_position(&mut *build_preset(name), &root, node_limit(20_000));
        assert!(choice.report.depth >= 1, "{name}: {}", choice.report.depth);
        assert_eq!(
            choice.report.root_moves[0].proven,
            Some(Outcome::Win(Player::First)),
            "{name}"
        );
        let mut after = root.clone();
        after.play(choice.mv);
        assert_eq!(
            after.outcome(),
            Some(Outcome::Win(Player::First)),
            "{name}: {:?}",
            choice.mv
        );
    }
    // A depth alone is searched at once: no position is counted twice.
    let start = ConnectFour::start(());
    let at_once = search_position(
        &mut *build_preset("alpha-beta"),
        &start,
        SearchLimits::depth(5),
    )
    .report;
    let one_by_one = search_position(
        &mut *build_preset("deepening"),
        &start,
        SearchLimits::depth(5),
    )
    .report;
    assert!(at_once.nodes < one_by_one.nodes);
    assert_eq!(at_once.value, one_by_one.value);
}

#[test]
fn a_first_round_that_is_interrupted_does_not_decide() {
    fn check<G: Playable>(rules: G::Rules) {
        for position in sample_positions::<G>(rules, 10, 91) {
            for name in ["alpha-beta", "minimax", "deepening", "aspiration"] {
                let name = &*without_solver::<G>(name);
                let ply =
                    search_position(&mut *build_preset(name), &position, SearchLimits::depth(1));
                let hurried = search_position(&mut *build_preset(name), &position, node_limit(1));
                assert_eq!(hurried.mv, ply.mv, "{name} {position:?}");
                assert_eq!(hurried.report.depth, 1);
                let stop = StopFlag::new();
                stop.set();
                let history = History::new();
                let limits = SearchLimits::depth(12);
                let task = SearchTask::new(&position, &history, &limits, &stop);
                let stopped = build_preset::<G>(name).search(task);
                assert_eq!(stopped.mv, ply.mv, "{name} {position:?}");
            }
        }
    }
    check_each_game!(every_game(), check);
}

#[test]
fn a_depth_that_is_set_holds_under_other_limits_and_a_default_does_not() {
    let root = ConnectFour::start(());
    let depth = |name: &str, limits| {
        search_position(&mut *build_preset(name), &root, limits)
            .report
            .depth
    };
    let long = SearchLimits {
        time: Some(Duration::from_secs(600)),
        ..SearchLimits::default()
    };
    for name in ["alpha-beta", "deepening", "aspiration"] {
        assert_eq!(depth(&format!("{name},depth=4"), long), 4, "{name}");
        assert_eq!(depth(&format!("{name},depth=4"), node_limit(10_000_000)), 4);
        assert_eq!(depth(name, SearchLimits::default()), 6, "{name}");
        assert!(depth(name, node_limit(300_000)) > 6, "{name}");
        assert_eq!(depth(&format!("{name},depth=4"), SearchLimits::depth(5)), 5);
    }
    assert_eq!(depth("minimax", SearchLimits::default()), 4);
    // A report's depth is part of its player.
    let start = Othello::start(());
    let report = search_position(&mut *build_preset("alpha-beta-004,depth=3"), &start, long).report;
    assert_eq!(report.depth, 3);
    let report = search_position(&mut *build_preset("alpha-beta-004"), &start, long).report;
    assert_eq!(report.depth, 5);
}

/// An interrupted iteration may change the chosen move only to one that is better at that depth, as minimax confirms, than the
/// best of the depth before.
#[test]
fn an_interrupted_round_changes_the_choice_only_for_the_better() {
    fn check<G: Playable>(rules: G::Rules) {
        let mut changed = 0;
        for position in sample_positions::<G>(rules, 8, 92) {
            let config = ClassicalConfig {
                deepening: true,
                evaluation: Some("random".to_owned()),
                aspiration: Some(Aspiration {
                    half_width: 3,
                    first_guess: 0,
                }),
                ..ClassicalConfig::default()
            };
            // What each move is worth to the player to move.
            let worth = |depth| -> HashMap<G::Move, i32> {
                let minimax = ClassicalConfig {
                    method: Method::Minimax,
                    deepening: false,
                    aspiration: None,
                    ..config.clone()
                };
                let report = search_position(
                    &mut classical(minimax),
                    &position,
                    SearchLimits::depth(depth),
                )
                .report;
                (report.root_moves.iter())
                    .map(|root| (root.mv, root.score.unwrap()))
                    .collect()
            };
            let finished = |depth| {
                search_position(
                    &mut classical::<G>(config.clone()),
                    &position,
                    SearchLimits::depth(depth),
                )
            };
            let total = finished(3).report.nodes;
            let (second, third) = (worth(2), worth(3));
            for count in (1..total).step_by(total as usize / 60 + 1) {
                let choice = search_position(
                    &mut classical::<G>(config.clone()),
                    &position,
                    node_limit(count),
                );
                let deeper = match choice.report.depth {
                    1 => &second,
                    2 => &third,
                    _ => continue,
                };
                let before = finished(choice.report.depth).mv;
                if choice.mv != before {
                    changed += 1;
                    assert!(
                        deeper[&choice.mv] > deeper[&before],
                        "{count} nodes of {position:?}: {:?} ({}) for {before:?} ({})",
                        choice.mv,
                        deeper[&choice.mv],
                        deeper[&before]
                    );
                }
            }
        }
        assert!(changed > 0, "rounds must have been interrupted");
    }
    check_each_game!(every_game(), check);
}

/// The game-theoretic value for the first player, by full search with memory: 1, 0 or -1.
fn exact_value(position: &ConnectFour, known: &mut HashMap<u64, i8>) -> i8 {
    match position.outcome() {
        Some(Outcome::Win(Player::First)) => return 1,
        Some(Outcome::Win(Player::Second)) => return -1,
        Some(Outcome::Draw) => return 0,
        None => {}
    }
    if let Some(&value) = known.get(&position.key()) {
        return value;
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let values: Vec<i8> = (moves.into_iter())
        .map(|mv| {
            let mut after = *position;
            after.play(mv);
            exact_value(&after, known)
        })
        .collect();
    let value = match position.to_move() {
        Player::First => values.into_iter().max(),
        Player::Second => values.into_iter().min(),
    };
    *known.entry(position.key()).or_insert(value.unwrap())
}

/// Positions of random games with `free` empty cells that are drawn with best play but can still be lost.
pub(super) fn drawn_endings(count: usize, free: u32) -> Vec<ConnectFour> {
    let mut rng = Rng::new(94);
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = ConnectFour::start(());
        while position.piece_count() < 42 - free && position.play_random(&mut rng) {}
        if position.outcome().is_some() || position.piece_count() < 42 - free {
            continue;
        }
        let mut known = HashMap::new();
        if exact_value(&position, &mut known) == 0 && known.values().any(|&value| value != 0) {
            found.push(position);
        }
    }
    found
}

#[test]
fn a_drawn_game_without_open_lines_is_not_searched_any_deeper() {
    let long = SearchLimits {
        time: Some(Duration::from_secs(600)),
        ..SearchLimits::default()
    };
    let root = scripted("A[x:B[x:0 y:A[x:0 y:-]] y:B[x:- y:0]]");
    for method in [Method::Minimax, Method::AlphaBeta] {
        let config = ClassicalConfig {
            method,
            ..ClassicalConfig::default()
        };
        let report = search_position(&mut classical(config), &root, long).report;
        assert_eq!((report.depth, report.root_moves[0].score), (3, Some(0)));
    }
    for root in drawn_endings(3, 8) {
        let report = search_position(&mut *build_preset("alpha-beta"), &root, long).report;
        assert!(report.depth <= 8, "{}", report.depth);
        assert_eq!(report.root_moves[0].score, Some(0));
    }
}

/// Report 001's square weights.
const WEIGHTS: [i32; 64] = [
    120, -20, 20, 5, 5, 20, -20, 120, //
    -20, -40, -5, -5, -5, -5, -40, -20, //
    20, -5, 15, 3, 3, 15, -5, 20, //
    5, -5, 3, 3, 3, 3, -5, 5, //
    5, -5, 3, 3, 3, 3, -5, 5, //
    20, -5, 15, 3, 3, 15, -5, 20, //
    -20, -40, -5, -5, -5, -5, -40, -20, //
    120, -20, 20, 5, 5, 20, -20, 120,
];

/// Sum of the weights of `player`'s squares, from the position's text.
fn weight_sum(position: &Othello, player: Player) -> i32 {
    let disc = if player == Player::First { b'X' } else { b'O' };
    let text = position_text(position);
    (text.bytes().zip(WEIGHTS))
        .filter(|&(symbol, _)| symbol == disc)
        .map(|(_, weight)| weight)
        .sum()
}

/// The minimax value of a position for `searcher`, without pruning.
fn minimax_value(searcher: Player, position: &Othello, depth: u32, ply: i32) -> i32 {
    match position.outcome() {
        Some(Outcome::Draw) => return 0,
        Some(Outcome::Win(winner)) if winner == searcher => return WIN_VALUE - ply,
        Some(Outcome::Win(_)) => return ply - WIN_VALUE,
        None if depth == 0 => return weight_sum(position, searcher),
        None => {}
    }
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let values = moves.into_iter().map(|mv| {
        let mut after = *position;
        after.play(mv);
        minimax_value(searcher, &after, depth - 1, ply + 1)
    });
    if position.to_move() == searcher {
        values.max().unwrap()
    } else {
        values.min().unwrap()
    }
}

#[test]
fn ones_own_weights_are_the_searching_players_at_every_depth() {
    for position in sample_positions::<Othello>((), 12, 93) {
        for depth in 1..=4 {
            let expected = minimax_value(position.to_move(), &position, depth, 0);
            for name in [
                "heuristic-001,evaluation=weights:own",
                "minimax,evaluation=weights:own",
                "aspiration,evaluation=weights:own",
            ] {
                let report = search_position(
                    &mut *build_preset(&without_solver::<Othello>(name)),
                    &position,
                    SearchLimits::depth(depth),
                )
                .report;
                assert_eq!(
                    report.root_moves[0].score,
                    Some(expected),
                    "{name} at depth {depth} of {}",
                    position_text(&position)
                );
            }
        }
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let after = |mv| {
            let mut after = position;
            after.play(mv);
            after
        };
        let greedy = search_position(
            &mut *build_preset("greedy,evaluation=weights:own"),
            &position,
            SearchLimits::default(),
        );
        if moves.iter().all(|&mv| after(mv).outcome().is_none()) {
            let most = (moves.iter())
                .map(|&mv| weight_sum(&after(mv), position.to_move()))
                .max();
            let found = weight_sum(&after(greedy.mv), position.to_move());
            assert_eq!(Some(found), most, "{}", position_text(&position));
        }
    }
}
