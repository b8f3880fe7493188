//! Places on the board: every legal move has some, hits find them, boards can be turned.

use canopy_engine::games::notation;

use super::*;

/// Whether a game has no board of its own.
fn is_plain(board: &Board) -> bool {
    matches!(board.kind, BoardKind::Plain(_))
}

#[test]
fn every_game_can_be_read_and_every_legal_move_has_places() {
    for game in every_variant() {
        for seed in 0..3 {
            let positions = random_game(&game, seed, 60);
            for pair in positions.windows(2) {
                let [before, after] = pair else { continue };
                let last = after.last_move.as_ref().unwrap();
                assert_eq!(Some(last.by), before.to_move);
                assert_eq!(last.places, before.board.move_places(&last.mv));
            }
            for now in &positions {
                for mv in &now.legal_moves {
                    let places = now.board.move_places(mv);
                    if !is_plain(&now.board) {
                        assert_eq!(places.is_empty(), mv == "pass", "{game} {mv}");
                    }
                    for place in places {
                        let spot =
                            now.board
                                .place_rect(area(300.0, 300.0), &Marks::default(), place);
                        assert!(spot.is_some(), "{game} {mv} {place:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_five_games_have_boards_of_their_own_and_others_have_plain_ones() {
    struct Grids;
    impl games::Visitor for Grids {
        type Out = notation::Grid;

        fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
            G::start(rules).grid()
        }
    }
    for game in every_variant() {
        let now = Board::after_moves(&game, "", &[""; 0]).unwrap();
        let name = game.split(':').next().unwrap();
        let is_drawn = ["chess", "othello", "kalah", "connect-four", "delta"].contains(&name);
        assert_eq!(!is_plain(&now.board), is_drawn, "{game}");
        let plain = PositionInfo {
            board: Board {
                kind: BoardKind::Plain(plain::PlainBoard::new(
                    games::with_game(&game, Grids).unwrap(),
                )),
                ..now.board.clone()
            },
            ..now
        };
        let mut pixmap = Pixmap::new(80, 60).unwrap();
        let marks = all_marks(&plain);
        (plain.board).paint(
            &mut pixmap.as_mut(),
            area(80.0, 60.0),
            &marks,
            &Theme::dark(),
        );
    }
}

#[test]
fn what_is_no_move_has_no_places() {
    for game in every_variant() {
        let board = Board::after_moves(&game, "", &[""; 0]).unwrap().board;
        for text in [
            "", "x", "pass", "żółw", "a", "z9", "99", "0000", "a1a", "-1",
        ] {
            assert_eq!(board.move_places(text), [], "{game} {text}");
        }
    }
}

#[test]
fn a_hit_is_the_place_that_is_drawn_there() {
    for game in every_variant() {
        let now = random_game(&game, 1, 12).pop().unwrap();
        let areas = [
            area(160.0, 160.0),
            area(240.0, 240.0),
            area(701.0, 333.0),
            area(1800.0, 1800.0),
            Rect::from_xywh(-20.5, 13.25, 97.0, 410.0).unwrap(),
        ];
        for (area, flip, coordinates) in areas.iter().flat_map(|&area| {
            [(false, false), (false, true), (true, false), (true, true)]
                .map(|(flip, coordinates)| (area, flip, coordinates))
        }) {
            let marks = Marks {
                is_flipped: flip,
                shows_coordinates: coordinates,
                ..Marks::default()
            };
            let spots = now.board.renderer().place_rects(area, &marks);
            for &(place, spot) in &spots {
                assert_eq!(now.board.place_rect(area, &marks, place), Some(spot));
                let (x, y) = brush::rect_centre(spot);
                assert_eq!(now.board.hit(area, &marks, x, y), Some(place), "{game}");
                let corner = now
                    .board
                    .hit(area, &marks, spot.left() + 0.01, spot.top() + 0.01);
                assert_eq!(corner, Some(place), "{game} {place:?} {spot:?}");
                assert!(
                    spot.left() > area.left() - 1.0 && spot.right() < area.right() + 1.0,
                    "{game} {place:?}"
                );
                assert!(
                    spot.top() > area.top() - 1.0 && spot.bottom() < area.bottom() + 1.0,
                    "{game} {place:?}"
                );
            }
            for (x, y) in [
                (-1e9, 0.0),
                (f32::NAN, 5.0),
                (1e9, 1e9),
                (area.left() - 2.0, area.top() - 2.0),
            ] {
                assert_eq!(now.board.hit(area, &marks, x, y), None, "{game}");
            }
        }
    }
}

#[test]
fn boards_lie_as_people_know_them_and_can_be_turned() {
    let centre = |game: &str, place: BoardPlace, flip: bool| {
        let board = Board::after_moves(game, "", &[""; 0]).unwrap().board;
        let marks = Marks {
            is_flipped: flip,
            ..Marks::default()
        };
        let area = area(200.0, 200.0);
        let (x, y) = brush::rect_centre(board.place_rect(area, &marks, place).unwrap());
        (x < 100.0, y < 100.0)
    };
    // Whether the place is on the left, and whether it is above.
    for (game, place, straight, turned) in [
        ("chess", square(0, 0), (true, false), (false, true)),
        ("othello", square(0, 0), (true, true), (false, false)),
        ("delta", square(0, 0), (true, false), (false, true)),
        ("connect-four", square(0, 0), (true, false), (false, false)),
        (
            "kalah",
            BoardPlace::Pit {
                owner: Player::First,
                number: 0,
            },
            (true, false),
            (false, true),
        ),
        (
            "kalah",
            BoardPlace::Pit {
                owner: Player::Second,
                number: 0,
            },
            (false, true),
            (true, false),
        ),
    ] {
        assert_eq!(centre(game, place, false), straight, "{game}");
        assert_eq!(centre(game, place, true), turned, "{game} turned");
    }
    let owner = Player::First;
    assert!(!centre("kalah", BoardPlace::Store { owner }, false).0);
    assert!(!centre("delta", BoardPlace::Reserve { owner }, false).1);
    assert!(centre("delta", BoardPlace::Reserve { owner }, true).1);
}
