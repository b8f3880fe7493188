//! Rules of every listed game: published perft counts, and one conformance kit for all.

use std::collections::HashMap;

use canopy_engine::{
    games::{
        self, History, MAX_MOVE_BITS, MoveCode, Playable, Visitor,
        evaluate::WIN_VALUE,
        notation::{self, Style, board_text, move_text, position_text},
        random_games::many_playouts,
    },
    rng::Rng,
};
use support::{check_each_game, every_variant};

#[path = "rules/perft.rs"]
mod perft;
#[path = "rules/positions.rs"]
mod positions;
mod support;

/// Calls `each` on every position of `games` random games, final positions included.
fn for_each_position<G: Playable>(
    rules: G::Rules,
    games: u64,
    mut each: impl FnMut(&G, &History, &[G::Move]),
) {
    let mut moves = Vec::new();
    for seed in 0..games {
        let mut rng = Rng::new(seed);
        let mut position = G::start(rules);
        let mut history = History::new();
        loop {
            history.push(&position);
            position.legal_moves(&mut moves);
            each(&position, &history, &moves);
            if history.outcome(&position).is_some() {
                break;
            }
            let mv = position
                .random_move(&mut rng)
                .expect("an open game has a move");
            position.play(mv);
        }
    }
}

#[test]
fn moves_are_sorted_unique_and_there_exactly_while_the_game_goes_on() {
    fn check<G: Playable>(rules: G::Rules) {
        for_each_position::<G>(rules, 200, |position, _, moves| {
            assert!(
                moves.is_sorted_by(|left, right| left < right),
                "{position:?}: {moves:?}"
            );
            assert_eq!(
                moves.is_empty(),
                position.outcome().is_some(),
                "{position:?}"
            );
            assert_eq!(
                moves.is_empty(),
                position.random_move(&mut Rng::new(1)).is_none(),
                "{position:?}"
            );
            assert_eq!(
                moves.is_empty(),
                !position.clone().play_random(&mut Rng::new(1)),
                "{position:?}"
            );
            if !moves.is_empty() {
                assert_eq!(position.perft_count(), moves.len() as u64, "{position:?}");
            }
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn legality_agrees_with_the_list() {
    fn check<G: Playable>(rules: G::Rules) {
        // Every move seen in some games is asked of every position of others.
        let mut universe = Vec::new();
        for_each_position::<G>(rules, 10, |_, _, moves| universe.extend_from_slice(moves));
        universe.sort_unstable();
        universe.dedup();
        for_each_position::<G>(rules, 20, |position, _, moves| {
            for &mv in &universe {
                assert_eq!(
                    position.is_legal(mv),
                    moves.binary_search(&mv).is_ok(),
                    "{mv:?} in {position:?}"
                );
            }
            for &mv in moves {
                assert!(position.is_legal(mv));
                assert!(G::move_to_bits(mv) < 1 << G::MOVE_BITS && G::MOVE_BITS <= MAX_MOVE_BITS);
                assert_eq!(G::move_from_bits(G::move_to_bits(mv)), mv);
                assert!(position.reply_context(mv) < G::REPLY_CONTEXTS);
            }
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn any_code_of_a_move_can_be_asked_for() {
    fn check<G: Playable>(rules: G::Rules) {
        for_each_position::<G>(rules, 1, |position, _, _| {
            for code in 0..=MoveCode::MAX {
                let mv = G::move_from_bits(code);
                if position.is_legal(mv) {
                    position.clone().play(mv);
                }
            }
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn texts_of_moves_and_positions_come_back() {
    fn check<G: Playable>(rules: G::Rules) {
        assert_eq!(
            notation::parse_variant::<G>(
                notation::full_name::<G>(rules)
                    .split_once(':')
                    .unwrap_or(("", ""))
                    .1
            ),
            Ok(rules)
        );
        for_each_position::<G>(rules, 30, |position, _, moves| {
            for style in [Style::Own, Style::Fairy, Style::Human] {
                let mut text = String::new();
                position.write_position(style, &mut text).unwrap();
                assert_eq!(
                    notation::read_position::<G>(rules, &text).as_ref(),
                    Ok(position),
                    "{text}"
                );
                for &mv in moves {
                    let mut text = String::new();
                    position.write_move(mv, style, &mut text).unwrap();
                    assert_eq!(
                        position.parse_move(&text),
                        Ok(mv),
                        "{text} in {}",
                        position_text(position)
                    );
                    assert!(!text.contains(char::is_whitespace), "{text:?}");
                }
            }
            let texts: Vec<String> = moves.iter().map(|&mv| move_text(position, mv)).collect();
            let mut distinct = texts.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), texts.len(), "{texts:?}");
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn random_moves_are_uniform() {
    fn check<G: Playable>(rules: G::Rules) {
        let mut rng = Rng::new(99);
        let mut countdown = 0;
        for_each_position::<G>(rules, 12, |position, _, moves| {
            // Not every position: a few hundred draws for each move take time.
            countdown = if countdown == 0 { 6 } else { countdown - 1 };
            if moves.len() < 2 || countdown != 0 {
                return;
            }
            let draws = 300 * moves.len();
            let mut by_move = vec![0u32; moves.len()];
            let mut by_key: HashMap<u64, (u32, u32)> = HashMap::new();
            for &mv in moves {
                let mut after = position.clone();
                after.play(mv);
                by_key.entry(after.key()).or_default().0 += 1;
            }
            for _ in 0..draws {
                let mv = position.random_move(&mut rng).expect("there are moves");
                by_move[moves.binary_search(&mv).expect("a legal move")] += 1;
                let mut after = position.clone();
                assert!(after.play_random(&mut rng));
                by_key
                    .get_mut(&after.key())
                    .expect("a position after a legal move")
                    .1 += 1;
            }
            let chi = |pairs: &mut dyn Iterator<Item = (u32, u32)>| -> f64 {
                pairs
                    .map(|(ways, seen)| {
                        let expected = 300.0 * f64::from(ways);
                        (f64::from(seen) - expected).powi(2) / expected
                    })
                    .sum()
            };
            // Mean n - 1 and variance 2 (n - 1): beyond this once in about ten million.
            let freedom = moves.len() as f64 - 1.0;
            let bound = freedom + 6.0 * (2.0 * freedom).sqrt() + 12.0;
            let listed = chi(&mut by_move.iter().map(|&seen| (1, seen)));
            let played = chi(&mut by_key.values().copied());
            assert!(
                listed < bound,
                "chi-squared {listed} of random_move over {} moves in {position:?}",
                moves.len()
            );
            assert!(
                played < bound,
                "chi-squared {played} of play_random over {} moves in {position:?}",
                moves.len()
            );
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn drawings_and_evaluations_never_fail() {
    fn check<G: Playable>(rules: G::Rules) {
        let evaluations = G::EVALUATIONS;
        assert!(
            evaluations
                .iter()
                .any(|evaluation| evaluation.name == "outcome"),
            "{} lacks win, 0, loss",
            G::NAME
        );
        for_each_position::<G>(rules, 20, |position, _, _| {
            let drawing = board_text(position);
            assert!(
                drawing.ends_with('\n') && drawing.lines().count() >= 5,
                "{drawing}"
            );
            for evaluation in evaluations {
                let value = evaluation.value(position);
                let bound = if position.outcome().is_some() {
                    WIN_VALUE
                } else {
                    WIN_VALUE - 1
                };
                assert!(
                    value.abs() <= bound,
                    "{} of {position:?} is {value}",
                    evaluation.name
                );
            }
            assert!(
                (0.2..=0.8).contains(&position.cutoff_reward()),
                "{position:?}"
            );
            if position.outcome().is_some() {
                assert!(!position.end_reason().is_empty());
            }
        });
        let mut names: Vec<_> = evaluations
            .iter()
            .map(|evaluation| evaluation.name)
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), evaluations.len());
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn evaluations_are_the_same_in_every_image_of_a_position() {
    fn check<G: Playable>(rules: G::Rules) {
        for_each_position::<G>(rules, 10, |position, _, _| {
            for evaluation in G::EVALUATIONS
                .iter()
                .filter(|evaluation| evaluation.name != "random")
            {
                let value = evaluation.value(position);
                let images = G::SYMMETRIES
                    .iter()
                    .map(|&symmetry| position.image(symmetry));
                for image in images.chain(position.inverted()) {
                    assert_eq!(
                        evaluation.value(&image),
                        value,
                        "{} of {image:?}",
                        evaluation.name
                    );
                }
            }
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn playouts_repeat_under_one_seed_and_end() {
    fn check<G: Playable>(rules: G::Rules) {
        let start = G::start(rules);
        let one = many_playouts(&start, &mut Rng::new(5), 50);
        assert_eq!(one, many_playouts(&start, &mut Rng::new(5), 50));
        assert_ne!(one.plies, 0);
        assert_eq!(one.first_wins + one.second_wins + one.draws, 50);
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn random_delta_games_end_as_independent_ones_do() {
    struct PlayoutRates(u64);
    impl Visitor for PlayoutRates {
        type Out = (f64, f64);

        fn visit<G: Playable>(self, rules: G::Rules) -> (f64, f64) {
            let tally = many_playouts(&G::start(rules), &mut Rng::new(1), self.0);
            (
                tally.first_wins as f64 / self.0 as f64,
                tally.plies as f64 / self.0 as f64,
            )
        }
    }
    // 200,000 games by a program that walks over a list of squares: the first player won 55.4 %, with a standard error
    // of 0.11 %; and 16.4 plies a game, which the specification's own sample has too.
    let (first, plies) = games::with_game("delta", PlayoutRates(1_000_000)).unwrap();
    assert!((first - 0.554).abs() < 0.003, "{first}");
    assert!((plies - 16.4).abs() < 0.05, "{plies}");
}

#[test]
fn games_are_found_under_all_their_names() {
    struct FullName;
    impl Visitor for FullName {
        type Out = String;

        fn visit<G: Playable>(self, rules: G::Rules) -> String {
            notation::full_name::<G>(rules)
        }
    }
    let name = |text: &str| games::with_game(text, FullName).map_err(|error| error.to_string());
    for (given, expected) in [
        ("Chess", "chess"),
        ("chess:960", "chess:960"),
        ("reversi", "othello"),
        ("flipello", "othello"),
        ("mancala", "kalah"),
        ("connect4", "connect-four"),
        ("connect_four", "connect-four"),
        ("kalah:6x4", "kalah"),
        ("kalah:4x3", "kalah:4x3"),
        ("kalah:empty-capture", "kalah:6x4:empty-capture"),
        ("kalah:6x4:empty-capture", "kalah:6x4:empty-capture"),
        ("delta:optional", "delta"),
        ("delta:forced", "delta:forced"),
        ("delta:off", "delta:off"),
    ] {
        assert_eq!(name(given).as_deref(), Ok(expected));
    }
    for (given, fragment) in [
        ("go", "unknown game \"go\": expected chess, othello"),
        ("", "unknown game \"\""),
        (
            "kalah:7x4",
            "unknown variant \"7x4\" of kalah: expected PITSxSTONES",
        ),
        ("kalah:0x4", "unknown variant"),
        ("kalah:6x", "unknown variant"),
        ("kalah:6x999999999999", "unknown variant"),
        ("delta:maybe", "expected optional, forced or off"),
        ("othello:10x10", "no variants"),
        ("chess:959", "expected 960"),
        ("chess:", "expected 960"),
        ("kalah:::", "unknown variant"),
        ("kalah:+4x+3", "unknown variant \"+4x+3\""),
        ("kalah:4x3:5x2", "unknown variant \"4x3:5x2\""),
        ("delta:forced:off", "unknown variant \"forced:off\""),
    ] {
        let error = name(given).unwrap_err();
        assert!(error.contains(fragment), "{given}: {error}");
    }
}
