//! Rules of every listed game: published perft counts, and one conformance kit for all.

mod support;

use std::collections::HashMap;

use canopy_engine::{
    games::{
        self, History, MAX_MOVE_BITS, MoveCode, Outcome, ParseError, Playable, Symmetry, Visitor,
        evaluate::WIN_VALUE,
        notation::{self, Style, board_text, move_text, position_text},
        perft::{divide, perft},
        playout::many_playouts,
    },
    rng::Rng,
};
use support::{check_each_game, data_lines, every_game, every_variant, read_data};

/// Largest perft count of the quick tests; larger ones are for `--ignored`.
const MAX_QUICK_NODES: u64 = 6_000_000;

struct PerftCounts<'a> {
    position: &'a str,
    depth: u32,
}

impl Visitor for PerftCounts<'_> {
    type Out = Result<(u64, u64), ParseError>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let position: G = notation::read_position(rules, self.position)?;
        let split = divide(&position, self.depth.min(3))
            .iter()
            .map(|(_, count)| count)
            .sum();
        Ok((perft(&position, self.depth), split))
    }
}

fn check_perft(wanted: impl Fn(u64) -> bool) -> usize {
    let mut checked = 0;
    for name in every_game() {
        let mut rows = 0;
        for (number, line) in data_lines(&read_data(&format!("perft/{name}.txt"))) {
            let [game, position, counts] = line.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("perft/{name}.txt:{number}: expected game | position | counts")
            };
            let counts: Vec<u64> = counts
                .split_whitespace()
                .map(|count| count.parse().expect("a count"))
                .collect();
            for (depth, &count) in (1..).zip(&counts).filter(|&(_, &count)| wanted(count)) {
                let (total, split) = games::with_game(game, PerftCounts { position, depth })
                    .unwrap()
                    .unwrap();
                assert_eq!(total, count, "{game} {position} depth {depth}");
                assert_eq!(
                    split,
                    counts[depth.min(3) as usize - 1],
                    "{game} {position} divided"
                );
                checked += 1;
            }
            rows += 1;
        }
        assert!(rows > 0, "{name} has no perft data");
    }
    checked
}

#[test]
fn perft_gives_the_published_counts() {
    assert!(check_perft(|count| count <= MAX_QUICK_NODES) > 60);
}

#[test]
#[ignore = "minutes of counting"]
fn perft_gives_the_published_counts_at_depth() {
    assert!(check_perft(|count| count > MAX_QUICK_NODES) >= 10);
}

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
fn equal_keys_give_equal_futures() {
    fn check<G: Playable>(rules: G::Rules) {
        let mut seen: HashMap<u64, G> = HashMap::new();
        let mut met_again = 0;
        let mut see = |position: &G, moves: &[G::Move]| {
            let Some(twin) = seen.get(&position.key()) else {
                seen.insert(position.key(), position.clone());
                return;
            };
            met_again += 1;
            let mut twin_moves = Vec::new();
            twin.legal_moves(&mut twin_moves);
            assert_eq!(twin.to_move(), position.to_move());
            assert_eq!(twin_moves, moves, "{position:?} and {twin:?}");
            assert_eq!(
                twin.outcome(),
                position.outcome(),
                "{position:?} and {twin:?}"
            );
            // One ply further on they are still alike.
            for &mv in moves.iter().take(3) {
                let (mut one, mut other) = (position.clone(), twin.clone());
                one.play(mv);
                other.play(mv);
                assert_eq!(
                    one.key(),
                    other.key(),
                    "{mv:?} in {position:?} and {twin:?}"
                );
            }
        };
        for_each_position::<G>(rules, 60, |position, _, moves| see(position, moves));
        // All positions three plies deep, where move orders cross.
        let mut level = vec![G::start(rules)];
        for _ in 0..3 {
            let mut next = Vec::new();
            for position in &level {
                let mut moves = Vec::new();
                position.legal_moves(&mut moves);
                see(position, &moves);
                next.extend(moves.into_iter().map(|mv| {
                    let mut child = position.clone();
                    child.play(mv);
                    child
                }));
            }
            level = next;
        }
        assert!(met_again >= 59, "the start position alone comes that often");
    }
    check_each_game!(every_variant(), check);
}

/// A position's text without fields that do not affect its future: in chess the move number and the en passant square.
fn future_text<G: Playable>(position: &G) -> String {
    let text = position_text(position);
    if G::NAME != "chess" {
        return text;
    }
    let fields: Vec<&str> = text.split(' ').collect();
    format!("{} {} {} {}", fields[0], fields[1], fields[2], fields[4])
}

#[test]
fn different_positions_have_different_keys() {
    fn check<G: Playable>(rules: G::Rules) {
        let mut seen: HashMap<u64, String> = HashMap::new();
        for_each_position::<G>(rules, 60, |position, _, _| {
            let text = future_text(position);
            let known = seen.entry(position.key()).or_insert_with(|| text.clone());
            assert_eq!(*known, text);
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn counters_that_end_games_are_in_the_key() {
    struct KeyOfPosition<'a>(&'a str);
    impl Visitor for KeyOfPosition<'_> {
        type Out = u64;

        fn visit<G: Playable>(self, rules: G::Rules) -> u64 {
            notation::read_position::<G>(rules, self.0).unwrap().key()
        }
    }
    let key = |game: &str, text: &str| games::with_game(game, KeyOfPosition(text)).unwrap();
    let chess = |clock: u32, number: u32| {
        key(
            "chess",
            &format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} {number}"),
        )
    };
    assert_eq!(chess(7, 10), chess(7, 60));
    assert_ne!(chess(7, 10), chess(8, 10));
    let delta = |ply: u32| key("delta", &format!("1*1o*/1o1o*/1o1oo/**o*o/1**o* b {ply}"));
    assert_ne!(delta(18), delta(20));
    // En passant counts where it can be played, and only there.
    let pawns = |black: &str, square: &str| {
        key(
            "chess",
            &format!("4k3/8/8/8/4P{black}/8/8/4K3 b - {square} 0 1"),
        )
    };
    assert_ne!(pawns("p2", "e3"), pawns("p2", "-"));
    assert_eq!(pawns("1p1", "e3"), pawns("1p1", "-"));
}

#[test]
fn the_games_have_the_symmetries_their_rules_have() {
    struct CountSymmetries;
    impl Visitor for CountSymmetries {
        type Out = (usize, bool);

        fn visit<G: Playable>(self, rules: G::Rules) -> (usize, bool) {
            (G::SYMMETRIES.len(), G::start(rules).inverted().is_some())
        }
    }
    for (game, symmetries, inverts) in [
        ("chess", 1, false),
        ("othello", 8, true),
        ("kalah", 1, true),
        ("connect-four", 2, false),
        ("delta", 8, false),
        ("tic-tac-toe", 8, false),
    ] {
        assert_eq!(
            games::with_game(game, CountSymmetries).unwrap(),
            (symmetries, inverts),
            "{game}"
        );
    }
}

#[test]
fn symmetries_and_colour_inversion_commute_with_play() {
    fn image_of_outcome(outcome: Option<Outcome>) -> Option<Outcome> {
        outcome.map(|outcome| match outcome {
            Outcome::Win(player) => Outcome::Win(player.opponent()),
            Outcome::Draw => Outcome::Draw,
        })
    }
    fn check<G: Playable>(rules: G::Rules) {
        assert_eq!(G::SYMMETRIES[0], Symmetry::IDENTITY);
        for_each_position::<G>(rules, 20, |position, _, moves| {
            for &symmetry in G::SYMMETRIES {
                let image = position.image(symmetry);
                assert_eq!(image.image(symmetry.inverse()), *position);
                assert_eq!(
                    (image.to_move(), image.outcome()),
                    (position.to_move(), position.outcome())
                );
                let mut images: Vec<_> = moves
                    .iter()
                    .map(|&mv| G::image_of_move(mv, symmetry))
                    .collect();
                images.sort_unstable();
                let mut listed = Vec::new();
                image.legal_moves(&mut listed);
                assert_eq!(images, listed, "{symmetry:?} of {position:?}");
                for &mv in moves.iter().take(5) {
                    let (mut after, mut image) = (position.clone(), image.clone());
                    after.play(mv);
                    image.play(G::image_of_move(mv, symmetry));
                    assert_eq!(
                        after.image(symmetry),
                        image,
                        "{mv:?} under {symmetry:?} in {position:?}"
                    );
                }
            }
            if let Some(inverted) = position.inverted() {
                assert_eq!(inverted.to_move(), position.to_move().opponent());
                assert_eq!(inverted.outcome(), image_of_outcome(position.outcome()));
                let mut listed = Vec::new();
                inverted.legal_moves(&mut listed);
                assert_eq!(listed, moves);
                for &mv in moves.iter().take(5) {
                    let (mut after, mut other) = (position.clone(), inverted.clone());
                    after.play(mv);
                    other.play(mv);
                    assert_eq!(after.inverted(), Some(other));
                }
            }
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
        let evaluations = G::evaluations();
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
