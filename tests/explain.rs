//! What the games say about their moves and boards agrees with what they play.

mod support;

use std::collections::BTreeMap;

use canopy_engine::{
    games::{
        self, BoardPlace, Explain as _, Game as _, Outcome, Piece, Playable, Player, Step, Visitor,
        notation::{self, Style, move_text},
    },
    rng::Rng,
};
use support::{check_each_game, every_variant};

/// How many of which piece lie where.
type Pieces = BTreeMap<(BoardPlace, Piece), u32>;

fn pieces_of<G: Playable>(position: &G) -> Pieces {
    (position.pieces().into_iter())
        .filter(|(_, _, count)| *count > 0)
        .map(|(place, piece, count)| ((place, piece), count))
        .collect()
}

fn take(pieces: &mut Pieces, place: BoardPlace, piece: Piece, count: u32) {
    let left = pieces.get_mut(&(place, piece)).expect("there are some");
    *left = left.checked_sub(count).expect("enough of them");
    if *left == 0 {
        pieces.remove(&(place, piece));
    }
}

fn put(pieces: &mut Pieces, place: BoardPlace, piece: Piece, count: u32) {
    *pieces.entry((place, piece)).or_default() += count;
}

fn apply(step: Step, pieces: &mut Pieces) {
    match step {
        Step::Place { piece, at } => {
            assert!(pieces.keys().all(|(place, _)| *place != at), "{at:?}");
            put(pieces, at, piece, 1);
        }
        Step::Move { piece, from, to } => {
            assert_ne!(from, to);
            take(pieces, from, piece, 1);
            put(pieces, to, piece, 1);
        }
        Step::Capture { piece, at } => take(pieces, at, piece, 1),
        Step::Flip { at, to } => {
            take(pieces, at, Piece::Disc(to.opponent()), 1);
            put(pieces, at, Piece::Disc(to), 1);
        }
        Step::Promote { at, from, to } => {
            take(pieces, at, from, 1);
            put(pieces, at, to, 1);
        }
        Step::Sow { from, to } => {
            take(pieces, from, Piece::Stone, 1);
            put(pieces, to, Piece::Stone, 1);
        }
        Step::CaptureStones { count, from, to } | Step::Sweep { count, from, to } => {
            take(pieces, from, Piece::Stone, count);
            assert!(!pieces.contains_key(&(from, Piece::Stone)), "{from:?}");
            put(pieces, to, Piece::Stone, count);
        }
    }
}

/// Calls `each` on every position of some random games with the move played there and the position after it.
fn for_each_move<G: Playable>(rules: G::Rules, games: u64, mut each: impl FnMut(&G, G::Move, &G)) {
    for seed in 0..games {
        let mut rng = Rng::new(seed);
        let mut position = G::start(rules);
        while let Some(mv) = position.random_move(&mut rng) {
            let mut after = position.clone();
            after.play(mv);
            each(&position, mv, &after);
            position = after;
        }
    }
}

fn position<G: Playable>(text: &str) -> G {
    notation::read_position(G::Rules::default(), text).unwrap()
}

#[test]
fn the_steps_of_a_move_lead_from_the_board_before_to_the_board_after() {
    fn check<G: Playable>(rules: G::Rules) {
        for_each_move::<G>(rules, 40, |before, mv, after| {
            let mut pieces = pieces_of(before);
            let steps = before.steps(mv);
            for &step in &steps {
                apply(step, &mut pieces);
            }
            assert_eq!(pieces, pieces_of(after), "{before:?} {mv:?} {steps:?}");
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn special_chess_moves_are_told_step_by_step() {
    struct Steps<'a>(&'a str, &'a str);
    impl Visitor for Steps<'_> {
        type Out = Vec<Step>;

        fn visit<G: Playable>(self, rules: G::Rules) -> Vec<Step> {
            let position: G = notation::read_position(rules, self.0).unwrap();
            position.steps(position.parse_move(self.1).unwrap())
        }
    }
    let steps =
        |game: &str, position: &str, mv: &str| games::with_game(game, Steps(position, mv)).unwrap();
    let square = |column: u8, row: u8| BoardPlace::Square { column, row };
    let captured = |letter: char, at: BoardPlace| Step::Capture {
        piece: Piece::Chess(letter),
        at,
    };
    let moved = |letter: char, from: BoardPlace, to: BoardPlace| Step::Move {
        piece: Piece::Chess(letter),
        from,
        to,
    };
    let castles = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    assert_eq!(
        steps("chess", castles, "e1c1"),
        [
            moved('K', square(4, 0), square(2, 0)),
            moved('R', square(0, 0), square(3, 0)),
        ]
    );
    // King and rook change places; then a rook that stays where it is.
    assert_eq!(
        steps("chess:960", "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1"),
        [
            moved('K', square(5, 0), square(6, 0)),
            moved('R', square(6, 0), square(5, 0)),
        ]
    );
    assert_eq!(
        steps("chess:960", "4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1"),
        [moved('K', square(4, 0), square(6, 0))]
    );
    let passing = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    assert_eq!(
        steps("chess", passing, "e5d6"),
        [
            moved('P', square(4, 4), square(3, 5)),
            captured('p', square(3, 4)),
        ]
    );
    let promotes = "4k3/8/8/8/8/8/p6K/1N6 b - - 0 1";
    assert_eq!(
        steps("chess", promotes, "a2b1n"),
        [
            moved('p', square(0, 1), square(1, 0)),
            captured('N', square(1, 0)),
            Step::Promote {
                at: square(1, 0),
                from: Piece::Chess('p'),
                to: Piece::Chess('n'),
            },
        ]
    );
}

#[test]
fn a_lap_sows_the_pit_it_came_from_and_skips_the_opponents_store() {
    use games::kalah::{Kalah, Pit};
    let position: Kalah = position("<6,3,0,13,1,1,1,1,1,4,4,4,4,4,7> s");
    let sown: Vec<BoardPlace> = (position.steps(Pit(0)).into_iter())
        .filter_map(|step| match step {
            Step::Sow { to, .. } => Some(to),
            _ => None,
        })
        .collect();
    let pits = |owner: Player| (0..6).map(move |number| BoardPlace::Pit { owner, number });
    let lap: Vec<BoardPlace> = (pits(Player::First).skip(1))
        .chain([BoardPlace::Store {
            owner: Player::First,
        }])
        .chain(pits(Player::Second))
        .chain(pits(Player::First).take(1))
        .collect();
    assert_eq!(sown, lap);
}

#[test]
fn places_name_a_move_and_a_pass_has_none() {
    fn check<G: Playable>(rules: G::Rules) {
        for_each_move::<G>(rules, 20, |before, mv, _| {
            let mut moves = Vec::new();
            before.legal_moves(&mut moves);
            let named = before.move_places(mv);
            assert_eq!(named.is_empty(), before.steps(mv).is_empty(), "{mv:?}");
            // Only what a pawn becomes is no place.
            let text = move_text(before, mv);
            let same = (moves.iter()).filter(|&&other| {
                before.move_places(other) == named
                    && move_text(before, other).get(..4) == text.get(..4)
            });
            assert!(matches!(same.count(), 1 | 4), "{before:?} {text}");
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn a_king_is_in_check_exactly_where_the_move_is_written_with_a_sign() {
    fn check<G: Playable>(rules: G::Rules) {
        for_each_move::<G>(rules, 20, |before, mv, after| {
            let mut text = String::new();
            before.write_move(mv, Style::Human, &mut text).unwrap();
            let king = after.checked_king();
            assert_eq!(king.is_some(), text.ends_with(['+', '#']), "{text}");
            if let Some(king) = king {
                let letter = ['K', 'k'][after.to_move().index()];
                assert!(pieces_of(after).contains_key(&(king, Piece::Chess(letter))));
            }
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn discs_are_counted_that_a_move_would_flip() {
    use games::othello::Othello;
    for_each_move::<Othello>((), 20, |before, _, _| {
        let counts = before.flip_counts();
        let other = before.with_turn_passed();
        for position in [before, &other] {
            let mover = position.to_move().index();
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let squares = counts.iter().filter(|(_, counts)| counts[mover] > 0);
            let mut flips = BTreeMap::new();
            for mv in moves {
                let steps = position.steps(mv);
                if let Some(&place) = position.move_places(mv).first() {
                    flips.insert(place, steps.len() as u32 - 1);
                }
            }
            let expected: BTreeMap<_, _> = squares
                .map(|&(place, counts)| (place, counts[mover]))
                .collect();
            assert_eq!(flips, expected, "{position:?}");
        }
    });
}

#[test]
fn lines_are_four_pieces_of_the_winner_in_a_row() {
    fn check<G: Playable>(rules: G::Rules) {
        for_each_move::<G>(rules, 60, |_, _, after| {
            let lines = after.winning_lines();
            let is_won_by_line = after.outcome().is_some() && after.end_reason() == "four in line";
            assert_eq!(!lines.is_empty(), is_won_by_line, "{after:?}");
            let pieces = pieces_of(after);
            for line in lines {
                let squares: Vec<(i32, i32)> = (line.iter())
                    .map(|place| match *place {
                        BoardPlace::Square { column, row } => (column.into(), row.into()),
                        _ => panic!("{place:?} is no square"),
                    })
                    .collect();
                let step = (squares[1].0 - squares[0].0, squares[1].1 - squares[0].1);
                assert!(step.0.abs() <= 1 && step.1.abs() <= 1 && step != (0, 0));
                for (index, square) in (0..4).zip(&squares) {
                    let expected = (squares[0].0 + index * step.0, squares[0].1 + index * step.1);
                    assert_eq!(*square, expected);
                }
                assert_eq!(squares.len(), 4);
                let Some(Outcome::Win(winner)) = after.outcome() else {
                    panic!("a line wins")
                };
                for place in line {
                    assert!(pieces.contains_key(&(place, Piece::Disc(winner))));
                }
            }
        });
    }
    check_each_game!(every_variant(), check);
}

#[test]
fn seven_in_line_are_four_lines() {
    use games::connect_four::{Column, ConnectFour};
    let mut position: ConnectFour = position("......./......./......./......./OOO.OOO/XXX.XXX X");
    assert_eq!(position.winning_lines().len(), 0);
    position.play(Column(3));
    assert_eq!(position.winning_lines().len(), 4);
}
