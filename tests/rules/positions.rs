//! Positions and their keys: equal keys give equal futures, and symmetries commute with play.

use canopy_engine::games::{Outcome, Symmetry};

use super::*;

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
