//! Properties of all games' boards, golden pictures, and sheets for people to look at.
//!
//! `cargo test --workspace --lib board` writes sheets of boards to `target/board-dark-240.png` and the like.

use std::path::PathBuf;

use canopy_engine::{
    games::{self, FACTS, Playable, notation},
    rng::Rng,
};
use tiny_skia::Pixmap;

use super::*;
use crate::draw::theme;

const THEMES: [fn() -> Theme; 2] = [Theme::dark, Theme::light];

fn square(column: u8, row: u8) -> BoardPlace {
    BoardPlace::Square { column, row }
}

/// Whether a game has no board of its own.
fn is_plain(board: &Board) -> bool {
    matches!(board.kind, BoardKind::Plain(_))
}

fn area(width: f32, height: f32) -> Rect {
    Rect::from_xywh(0.0, 0.0, width, height).unwrap()
}

/// Every game with every variant that is worth showing.
fn every_variant() -> Vec<String> {
    struct Variants;
    impl games::Visitor for Variants {
        type Out = Vec<String>;

        fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
            let plain = [G::NAME.to_owned()].into_iter();
            let named = (G::VARIANTS.iter()).map(|variant| format!("{}:{variant}", G::NAME));
            plain.chain(named).collect()
        }
    }
    (FACTS.iter())
        .flat_map(|facts| games::with_game(facts.name, Variants).unwrap())
        .collect()
}

/// Every position of a random game, from the start to its end or to `most` moves.
fn random_game(game: &str, seed: u64, most: usize) -> Vec<PositionInfo> {
    let mut rng = Rng::new(seed);
    let mut moves: Vec<String> = Vec::new();
    let mut positions = Vec::new();
    loop {
        let now = Board::after_moves(game, "", &moves).unwrap();
        let legal = now.legal_moves.clone();
        positions.push(now);
        if legal.is_empty() || moves.len() == most {
            return positions;
        }
        moves.push(legal[rng.below(legal.len() as u32) as usize].clone());
    }
}

/// Every kind of mark that the position offers.
fn all_marks(now: &PositionInfo) -> Marks {
    let count = now.legal_moves.len() as f32;
    let places: Vec<BoardPlace> = (now.legal_moves.iter())
        .flat_map(|mv| now.board.move_places(mv))
        .collect();
    Marks {
        last_move: now.last_move.clone(),
        moves: (now.legal_moves.iter())
            .map(|mv| MoveShare {
                mv: mv.clone(),
                share: 1.0 / count,
            })
            .collect(),
        chosen: Some(0),
        selected: places.first().copied(),
        ghost: places.last().copied(),
        targets: places,
        checked_king: now.checked_king,
        captures: now.captures.clone(),
        is_flipped: false,
        shows_coordinates: true,
    }
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

#[test]
fn painting_never_fails_at_any_size() {
    for game in every_variant() {
        let positions = random_game(&game, 7, 30);
        for now in [positions.first(), positions.last()].into_iter().flatten() {
            for (width, height) in [(1, 1), (8, 8), (3, 200), (200, 3), (64, 64), (900, 700)] {
                for theme in THEMES {
                    let mut pixmap = Pixmap::new(width, height).unwrap();
                    let whole = area(width as f32, height as f32);
                    let mut marks = all_marks(now);
                    now.board
                        .paint(&mut pixmap.as_mut(), whole, &marks, &theme());
                    marks.is_flipped = true;
                    now.board
                        .paint(&mut pixmap.as_mut(), whole, &marks, &theme());
                }
            }
            let mut pixmap = Pixmap::new(20, 20).unwrap();
            for far in [
                Rect::from_xywh(-1e6, 5.0, 100.0, 100.0),
                Rect::from_xywh(0.0, 0.0, 1e6, 1e6),
                Rect::from_xywh(0.0, 0.0, 1e-6, 1e-6),
            ] {
                let marks = all_marks(now);
                let theme = Theme::dark();
                now.board
                    .paint(&mut pixmap.as_mut(), far.unwrap(), &marks, &theme);
            }
        }
    }
}

/// The games of a golden file: name with variant, then positions with the moves played there.
fn playthroughs(name: &str) -> Vec<(String, Vec<(String, String)>)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/data/playthroughs")
        .join(format!("{name}.txt"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut games: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for line in text.lines() {
        if let Some(game) = line.strip_prefix("# ") {
            games.push((game.to_owned(), Vec::new()));
        }
        let Some((_, positions)) = games.last_mut() else {
            continue;
        };
        if let Some(rest) = line.strip_prefix("ply ") {
            let (_, position) = rest.split_once(": ").unwrap();
            positions.push((position.to_owned(), String::new()));
        }
        if let (Some(mv), Some((_, played))) = (line.strip_prefix("plays "), positions.last_mut()) {
            mv.clone_into(played);
        }
    }
    games
}

#[test]
fn all_playthroughs_can_be_read_and_painted() {
    for (game, positions) in FACTS.iter().flat_map(|facts| playthroughs(facts.name)) {
        assert!(!positions.is_empty(), "{game}");
        let mut pixmap = Pixmap::new(96, 96).unwrap();
        for ((position, mv), (next, _)) in positions.iter().zip(&positions[1..]) {
            let now = Board::after_moves(&game, position, &[mv]).unwrap();
            let then = Board::after_moves(&game, next, &[""; 0]).unwrap();
            assert_eq!(now.board, then.board, "{game} {next}");
            let marks = all_marks(&now);
            let (whole, theme) = (area(96.0, 96.0), Theme::light());
            now.board.paint(&mut pixmap.as_mut(), whole, &marks, &theme);
        }
    }
}

#[test]
fn a_replay_says_whose_turn_it_is_and_how_it_ended() {
    let start = Board::after_moves("othello", "", &[""; 0]).unwrap();
    assert_eq!(start.turn_text, "Black to move");
    assert_eq!(start.score, Some([2, 2]));
    assert_eq!(start.last_move, None);
    assert_eq!(start.legal_moves, ["d3", "c4", "f5", "e6"]);
    assert_eq!(start.board.score_unit(), "discs");
    let mate = Board::after_moves("chess", "startpos", &["f3", "e5", "g2g4", "Qh4"]).unwrap();
    assert_eq!(mate.turn_text, "Black wins (checkmate)");
    assert_eq!((mate.to_move, mate.legal_moves.len()), (None, 0));
    assert_eq!(mate.last_move.unwrap().mv, "d8h4");
    let back_and_forth = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
    let drawn = Board::after_moves("chess", "", &back_and_forth).unwrap();
    assert_eq!(drawn.turn_text, "draw (threefold repetition)");
    assert_eq!(drawn.to_move, None);
}

#[test]
fn what_cannot_be_replayed_is_told() {
    for (game, position, moves) in [
        ("go", "", vec![]),
        ("chess", "nonsense", vec![]),
        ("chess", "", vec!["e2e5"]),
        ("kalah:9x9", "", vec![]),
    ] {
        assert!(
            Board::after_moves(game, position, &moves).is_err(),
            "{game}"
        );
    }
}

#[test]
fn clicks_lead_to_moves() {
    let start = Board::after_moves("chess", "8/P6k/8/8/8/8/7K/8 w - - 0 1", &[""; 0]).unwrap();
    let reach = |clicks: &[BoardPlace]| start.board.click_targets(&start.legal_moves, clicks);
    assert_eq!(reach(&[]).next.len(), 2, "king and pawn");
    assert_eq!(reach(&[square(0, 6)]).next, [square(0, 7)]);
    assert_eq!(reach(&[square(0, 6), square(0, 7)]).complete.len(), 4);
    assert_eq!(reach(&[square(4, 4)]), ClickTargets::default());

    let four = Board::after_moves("connect-four", "", &["4"]).unwrap();
    let high = four.board.click_targets(&four.legal_moves, &[square(3, 5)]);
    assert_eq!(high.complete, [3], "anywhere in the column");
    let pass = "-".repeat(26) + "-OX-----XO" + &"-".repeat(28) + " X";
    if let Ok(now) = Board::after_moves("othello", &pass, &[""; 0]) {
        assert_eq!(
            now.board.click_targets(&["pass"], &[]),
            ClickTargets::default()
        );
    }
}

#[test]
fn moves_that_go_the_same_way_are_put_together() {
    let start = Board::after_moves("chess", "8/P6k/8/8/8/8/7K/8 w - - 0 1", &[""; 0]).unwrap();
    let weight = |mv: &str, share: f32| MoveShare {
        mv: mv.to_owned(),
        share,
    };
    let marks = Marks {
        moves: vec![
            weight("a7a8q", 0.5),
            weight("a7a8n", 0.25),
            weight("h2h3", 0.25),
            weight("pass", f32::NAN),
            weight("h2g2", f32::NAN),
        ],
        chosen: Some(2),
        ..Marks::default()
    };
    let groups = start.board.group_moves(&marks);
    let shares: Vec<f32> = groups.iter().map(|group| group.share).collect();
    assert_eq!(shares, [0.0, 0.75, 0.25]);
    assert!(groups.last().unwrap().is_chosen);
}

/// The next places and the complete moves after some clicks.
fn clicked(
    (game, position, moves): (&str, &str, &[&str]),
    clicks: &[BoardPlace],
) -> (Vec<BoardPlace>, Vec<String>) {
    let now = Board::after_moves(game, position, moves).unwrap();
    let reach = now.board.click_targets(&now.legal_moves, clicks);
    let named = (reach.complete.iter()).map(|&index| now.legal_moves[index].clone());
    (reach.next, named.collect())
}

#[test]
fn castling_and_taking_in_passing_are_two_clicks() {
    let castles = ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", &[][..]);
    let king = square(4, 0);
    let (targets, named) = clicked(castles, &[king]);
    assert!(targets.contains(&square(6, 0)) && targets.contains(&square(2, 0)));
    assert!(named.is_empty());
    assert_eq!(clicked(castles, &[king, square(6, 0)]).1, ["e1g1"]);
    assert_eq!(clicked(castles, &[king, square(2, 0)]).1, ["e1c1"]);
    let castles = ("chess:960", "4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", &[][..]);
    assert_eq!(clicked(castles, &[king, square(7, 0)]).1, ["e1h1"]);
    let passing = ("chess", "", &["e4", "a6", "e5", "d5"][..]);
    assert_eq!(clicked(passing, &[square(4, 4), square(3, 5)]).1, ["e5d6"]);
}

#[test]
fn a_pawn_may_become_a_knight() {
    let position = ("chess", "3r3k/4P3/8/8/8/8/7K/8 w - - 0 1", &[][..]);
    let board = Board::after_moves("chess", position.1, &[""; 0])
        .unwrap()
        .board;
    for (to, start) in [(square(4, 7), "e7e8"), (square(3, 7), "e7d8")] {
        let (next, named) = clicked(position, &[square(4, 6), to]);
        assert!(next.is_empty());
        let choices = board.promotions(&named);
        let told: Vec<(String, &str)> = (choices.iter())
            .map(|choice| (choice.mv.clone(), choice.piece_name))
            .collect();
        let expected = [
            ("q", "Queen"),
            ("r", "Rook"),
            ("b", "Bishop"),
            ("n", "Knight"),
        ]
        .map(|(letter, name)| (format!("{start}{letter}"), name));
        assert_eq!(told, expected);
    }
    assert_eq!(board.promotions(&["h2h3".to_owned()]), []);
    assert_eq!(board.promotions(&[]), []);
    let draughts = Board::after_moves("delta", "", &[""; 0]).unwrap().board;
    assert_eq!(draughts.promotions(&["b2b5xc3".to_owned()]), []);
}

#[test]
fn choices_are_drawn_in_the_colour_of_the_player() {
    let choice = |mv: &str| Promotion {
        mv: mv.to_owned(),
        piece_name: "",
    };
    let picture = |mv: &str, player: Player| {
        let mut pixmap = Pixmap::new(48, 40).unwrap();
        let (whole, theme) = (area(48.0, 40.0), Theme::dark());
        Board::paint_promotion(&mut pixmap.as_mut(), whole, &choice(mv), player, &theme);
        pixmap.data().to_vec()
    };
    let queen = picture("e7e8q", Player::First);
    assert_ne!(queen, picture("e7e8q", Player::Second));
    assert_ne!(queen, picture("e7e8n", Player::First));
    for nothing in ["e7e8", "", "e7e8?"] {
        let empty = picture(nothing, Player::First);
        assert!(empty.iter().all(|&byte| byte == 0), "{nothing}");
    }
}

#[test]
fn delta_takes_one_click_or_two_or_three() {
    assert_eq!(clicked(("delta", "", &[]), &[square(1, 1)]).1, ["b2"]);
    let slides = ("delta", "", &["c3", "b2"][..]);
    assert_eq!(clicked(slides, &[]).0, [square(2, 2)]);
    assert!(clicked(slides, &[square(2, 2)]).0.contains(&square(2, 4)));
    let named = clicked(slides, &[square(2, 2), square(2, 4)]).1;
    assert_eq!(named, ["c3c5"]);
    // The equaliser: a placement, or a slide.
    let either = ("delta", "", &["c3", "b2", "c3c5"][..]);
    assert_eq!(clicked(either, &[square(4, 0)]).1, ["e1"]);
    let (targets, named) = clicked(either, &[square(1, 1)]);
    assert!(!targets.is_empty() && named.is_empty());

    let late = ("delta", "1*1o*/1o1o*/1o1oo/**o*o/1**o* b 18", &[][..]);
    let (sources, _) = clicked(late, &[]);
    let from = sources[0];
    let (targets, named) = clicked(late, &[from]);
    assert!(named.is_empty());
    let (picks, named) = clicked(late, &[from, targets[0]]);
    assert_eq!((picks.len(), named.len()), (8, 0), "any of the others");
    assert!(!picks.contains(&from));
    for pick in picks {
        let (next, named) = clicked(late, &[from, targets[0], pick]);
        assert_eq!((next.len(), named.len()), (0, 1));
    }
}

#[test]
fn every_legal_move_can_be_made_by_clicks() {
    for game in every_variant() {
        for seed in 0..3 {
            for now in random_game(&game, seed, 80) {
                for (index, mv) in now.legal_moves.iter().enumerate() {
                    let places = now.board.move_places(mv);
                    for made in 0..places.len() {
                        let reach = now.board.click_targets(&now.legal_moves, &places[..made]);
                        assert!(reach.next.contains(&places[made]), "{game} {mv}");
                    }
                    let reach = now.board.click_targets(&now.legal_moves, &places);
                    assert_eq!(reach.complete.contains(&index), mv != "pass", "{game} {mv}");
                    let is_only = reach.complete.len() == 1;
                    let is_choice = !now.board.promotions(&now.legal_moves).is_empty();
                    assert!(mv == "pass" || is_only || is_choice, "{game} {mv}");
                }
            }
        }
    }
}

#[test]
fn a_click_on_an_illegal_place_reaches_nothing() {
    let nothing = (vec![], vec![]);
    assert_eq!(clicked(("othello", "", &[]), &[square(0, 0)]), nothing);
    assert_eq!(clicked(("othello", "", &[]), &[square(2, 3)]).1, ["c4"]);
    let pit = |owner: Player, number: u8| BoardPlace::Pit { owner, number };
    let kalah = ("kalah", "", &["3"][..]);
    let first = Player::First;
    assert_eq!(clicked(kalah, &[pit(first, 3)]).1, ["4"], "it moves again");
    assert_eq!(clicked(kalah, &[pit(first, 2)]), nothing, "an empty pit");
    assert_eq!(clicked(kalah, &[pit(Player::Second, 3)]), nothing);
    let store = BoardPlace::Store { owner: first };
    assert_eq!(clicked(kalah, &[store]), nothing);
}

#[test]
fn captures_are_what_playing_the_move_turns() {
    for seed in 0..40 {
        for now in random_game("othello", seed, 60) {
            let mut expected = Vec::new();
            let position = now.position.split(' ').next().unwrap();
            for (index, side) in ["X", "O"].into_iter().enumerate() {
                let turn = format!("{position} {side}");
                let Ok(here) = Board::after_moves("othello", &turn, &[""; 0]) else {
                    continue;
                };
                for mv in here.legal_moves.iter().filter(|mv| *mv != "pass") {
                    let then = Board::after_moves("othello", &turn, &[mv]).unwrap();
                    let [before, after] = [&here, &then].map(|now| now.score.unwrap()[1 - index]);
                    expected.push((here.board.move_places(mv)[0], index, before - after));
                }
            }
            let found: Vec<(BoardPlace, usize, u32)> = (0..2)
                .flat_map(|index| {
                    (now.captures.iter()).map(move |(at, counts)| (*at, index, counts[index]))
                })
                .filter(|(_, _, count)| *count > 0)
                .collect();
            assert_eq!(found, expected, "{}", now.position);
        }
    }
    assert_eq!(
        Board::after_moves("delta", "", &["c3"]).unwrap().captures,
        []
    );
}

#[test]
fn a_king_is_in_check_when_the_notation_says_so() {
    let mut checks = 0;
    for seed in 0..30 {
        for now in random_game("chess", seed, 120) {
            let says = (now.display_moves.last()).is_some_and(|mv| mv.ends_with(['+', '#']));
            assert_eq!(now.checked_king.is_some(), says, "{}", now.position);
            checks += usize::from(says);
            let told = (says && now.outcome.is_none()).then_some("check");
            assert_eq!(now.note.as_deref(), told);
        }
    }
    assert!(checks > 50);
    for (position, king) in [
        ("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", Some(square(4, 0))),
        ("4k3/8/8/8/8/3p4/8/4K3 w - - 0 1", None),
        ("4k3/8/8/1B6/8/8/8/4K3 b - - 0 1", Some(square(4, 7))),
        ("4k3/3p4/8/1B6/8/8/8/4K3 b - - 0 1", None),
        ("4k3/8/3N4/8/8/8/8/4K3 b - - 0 1", Some(square(4, 7))),
    ] {
        let now = Board::after_moves("chess", position, &[""; 0]).unwrap();
        assert_eq!(now.checked_king, king, "{position}");
    }
    let mate = Board::after_moves("chess", "", &["f3", "e5", "g4", "Qh4"]).unwrap();
    assert_eq!((mate.checked_king, mate.note), (Some(square(4, 0)), None));
    assert_eq!(mate.display_moves, ["f3", "e5", "g4", "Qh4#"]);
}

#[test]
fn what_is_worth_telling_is_told() {
    let told = |game: &str, position: &str, moves: &[&str]| {
        Board::after_moves(game, position, moves).unwrap().note
    };
    for (game, position, moves, expected) in [
        ("kalah", "", &["3"][..], Some("extra turn")),
        ("kalah", "", &["1"], None),
        ("kalah", "", &[], None),
        (
            "kalah",
            "<6,3,4,1,0,4,4,4,4,4,4,4,4,4,4> s",
            &["1"],
            Some("captured 5 stones"),
        ),
        (
            "kalah:3x1:empty-capture",
            "<3,1,1,1,0,1,1,0,1> s",
            &["1"],
            Some("captured 1 stone"),
        ),
        (
            "kalah:3x1",
            "<3,2,1,0,0,1,1,1,0> s",
            &["3"],
            Some("North keeps 2 stones"),
        ),
        ("delta", "", &["c3", "b2"], None),
        (
            "delta",
            "",
            &["c3", "b2", "c3c5"],
            Some("White may place a stone again (equaliser)"),
        ),
        (
            "delta:forced",
            "",
            &["c3", "b2", "c3c5"],
            Some("White must place a stone again (equaliser)"),
        ),
        ("delta:off", "", &["c3", "b2", "c3c5"], None),
        (
            "delta",
            "",
            &["c3", "b2", "c3c5", "e1"],
            Some("White placed a stone again (equaliser)"),
        ),
        ("connect-four", "", &["4"], None),
    ] {
        assert_eq!(
            told(game, position, moves).as_deref(),
            expected,
            "{game} {moves:?}"
        );
    }
    let late = Board::after_moves("delta", "1*1o*/1o1o*/1o1oo/**o*o/1**o* b 18", &[""; 0]).unwrap();
    let now = late.note.unwrap();
    assert_eq!(
        now,
        "Black has no stones left: after a slide one is picked up"
    );
    let mv = &late.legal_moves[0];
    let (_, picked) = mv.split_once('x').unwrap();
    let then = told("delta", &late.position, &[mv]);
    assert_eq!(then, Some(format!("Black picked up {picked}")));
}

#[test]
fn passes_are_told() {
    let mut passes = 0;
    for seed in 0..60 {
        for now in random_game("othello", seed, 80) {
            let players = ["Black", "White"];
            let passed = now.last_move.as_ref().filter(|last| last.mv == "pass");
            let expected = if now.legal_moves == ["pass"] {
                passes += 1;
                Some(format!(
                    "{} must pass",
                    players[now.to_move.unwrap().index()]
                ))
            } else {
                passed.map(|last| format!("{} has no move and passes", players[last.by.index()]))
            };
            assert_eq!(now.note, expected);
        }
    }
    assert!(passes > 5);
}

// ---- Pictures for people --------------------------------------------------------------------------------------------

/// Positions worth looking at, with the marks of a search.
fn samples() -> Vec<(&'static str, PositionInfo, Marks)> {
    let mut samples = Vec::new();
    let othello = "f5 d6 c3 d3 c4 f4 e3 f3 e6 c5 b4 g5 d2 e2 f6 b5 g4 c6 c7";
    let chess = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 c8g4 h2h3 h7h5 d2d3 d8f6";
    let four = "4 4 4 5 3 3 5 2 5 5 6";
    for (game, position, moves) in [
        ("othello", "", othello),
        ("chess", "", chess),
        ("connect-four", "", four),
        ("kalah", "", "3 6 2 5 1 2 4"),
        ("delta", "", "c3 b2 c3c5 e1"),
        ("kalah:4x3", "<4,7,5,0,9,1,0,2,0,0,0> s", ""),
        ("kalah", "<6,13,2,0,1,0,12,0,0,8,0,1,1,0,10> n", ""),
    ] {
        let now = after_legal(game, position, moves);
        let marks = viewer_marks(&now);
        samples.push((game, now, marks));
    }
    let picks_up = |now: &PositionInfo| now.legal_moves.iter().any(|mv| mv.contains('x'));
    let late = (0..)
        .flat_map(|seed| random_game("delta", seed, 19))
        .find(picks_up)
        .unwrap();
    let marks = viewer_marks(&late);
    samples.insert(5, ("delta", late, marks));
    samples
}

/// The position after the moves; illegal ones are skipped.
fn after_legal(game: &str, position: &str, moves: &str) -> PositionInfo {
    let mut played: Vec<&str> = Vec::new();
    for mv in moves.split_whitespace() {
        played.push(mv);
        if Board::after_moves(game, position, &played).is_err() {
            played.pop();
        }
    }
    Board::after_moves(game, position, &played).unwrap()
}

/// Marks as of a search: falling visit shares, the first move chosen.
fn viewer_marks(now: &PositionInfo) -> Marks {
    let mut left = 1.0;
    let count = now.legal_moves.len();
    let mut moves: Vec<MoveShare> = (0..count)
        .map(|index| {
            let share = if index == 0 { 0.55 } else { left * 0.35 };
            left -= share;
            MoveShare {
                mv: now.legal_moves[index * 7 % count].clone(),
                share,
            }
        })
        .collect();
    moves.dedup_by(|one, other| one.mv == other.mv);
    Marks {
        last_move: now.last_move.clone(),
        moves,
        chosen: Some(0),
        ..Marks::default()
    }
}

/// A page of [`samples`]; `hands` shows them as a person sees them who has taken hold of a piece.
fn sheet(theme: &Theme, width: u32, coordinates: bool, hands: bool) -> Page {
    let boards = samples().into_iter().map(|(_, now, marks)| {
        let mut marks = Marks {
            shows_coordinates: coordinates,
            ..marks
        };
        if hands {
            marks.moves.clear();
            let first = now.board.click_targets(&now.legal_moves, &[]).next;
            let last = *first.last().unwrap();
            marks.targets = now.board.click_targets(&now.legal_moves, &[last]).next;
            if marks.targets.is_empty() {
                marks.targets = first;
            } else {
                marks.selected = Some(last);
            }
            marks.is_flipped = true;
        }
        (now.board, marks)
    });
    let across = if width > 400 { 3 } else { 4 };
    board_page(theme, (width, across), boards.collect())
}

/// A page of boards with their marks.
fn board_page(theme: &Theme, size: (u32, usize), boards: Vec<(Board, Marks)>) -> Page {
    let aspects: Vec<f32> = (boards.iter())
        .map(|(board, marks)| board.aspect(marks))
        .collect();
    page(theme, size, &aspects, |index, pixmap, area| {
        let (board, marks) = &boards[index];
        board.paint(&mut pixmap.as_mut(), area, marks, theme);
    })
}

/// Several pictures on one ground.
struct Page {
    pixmap: Pixmap,
    /// The share of each picture's area that is not the bare ground, from 0 to 1.
    painted: Vec<f32>,
}

/// Lays out pictures of one width in rows; `aspects` are their widths divided by their heights.
fn page(
    theme: &Theme,
    (width, across): (u32, usize),
    aspects: &[f32],
    mut paint: impl FnMut(usize, &mut Pixmap, Rect),
) -> Page {
    let gap = 16.0;
    let heights: Vec<f32> = (aspects.iter())
        .map(|aspect| (width as f32 / aspect).round())
        .collect();
    let rows: Vec<f32> = heights
        .chunks(across)
        .map(|row| row.iter().fold(0.0_f32, |high, &height| high.max(height)))
        .collect();
    let high: f32 = rows.iter().map(|row| row + gap).sum::<f32>() + gap;
    let wide = across as f32 * (width as f32 + gap) + gap;
    let mut pixmap = Pixmap::new(wide as u32, high as u32).unwrap();
    pixmap.fill(theme::to_skia(theme.panel));
    let mut painted = Vec::new();
    let mut top = gap;
    for (row, chunk) in heights.chunks(across).enumerate() {
        for (column, &height) in chunk.iter().enumerate() {
            let left = gap + column as f32 * (width as f32 + gap);
            let area = Rect::from_xywh(left, top, width as f32, height).unwrap();
            paint(row * across + column, &mut pixmap, area);
            painted.push(painted_share(&pixmap, area, theme.panel));
        }
        top += rows[row] + gap;
    }
    Page { pixmap, painted }
}

/// The share of an area's pixels that are not of the ground's colour.
fn painted_share(pixmap: &Pixmap, area: Rect, ground: Color32) -> f32 {
    let ground = theme::to_skia(ground).premultiply().to_color_u8();
    let (mut painted, mut all) = (0, 0);
    for y in area.top() as u32..area.bottom() as u32 {
        for x in area.left() as u32..area.right() as u32 {
            all += 1;
            painted += u32::from(pixmap.pixel(x, y) != Some(ground));
        }
    }
    painted as f32 / all as f32
}

/// Keeps a page for people to look at, and demands that every picture on it covers most of its area.
fn keep_page(page: &Page, name: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("board-{name}.png"));
    page.pixmap.save_png(path).unwrap();
    for (index, share) in page.painted.iter().enumerate() {
        assert!(*share > 0.6, "picture {index} of {name} covers {share}");
    }
}

fn named_themes() -> [(Theme, &'static str); 2] {
    [(Theme::dark(), "dark"), (Theme::light(), "light")]
}

#[test]
fn sheets_of_boards_for_people() {
    for (theme, name) in named_themes() {
        for width in [120, 240, 700] {
            let page = sheet(&theme, width, width != 120, false);
            assert_eq!(page.painted.len(), samples().len());
            keep_page(&page, &format!("{name}-{width}"));
        }
    }
}

#[test]
fn sheets_of_boards_in_hand_show_what_is_held() {
    for (theme, name) in named_themes() {
        let held = sheet(&theme, 240, false, true);
        keep_page(&held, &format!("{name}-hands"));
        let untouched = (samples().into_iter()).map(|(_, now, marks)| {
            let marks = Marks {
                moves: Vec::new(),
                is_flipped: true,
                ..marks
            };
            (now.board, marks)
        });
        let untouched = board_page(&theme, (240, 4), untouched.collect());
        assert!(held.pixmap != untouched.pixmap, "{name}");
    }
}

#[test]
fn sheets_of_boards_while_playing() {
    for (theme, name) in named_themes() {
        for width in [160, 600] {
            let page = playing_page(&theme, (width, 4), false);
            keep_page(&page, &format!("{name}-playing-{width}"));
        }
    }
}

/// Boards as they look while a person plays.
fn playing() -> Vec<(Board, Marks)> {
    let pit = |number: u8| BoardPlace::Pit {
        owner: Player::First,
        number,
    };
    let at = |game: &str, position: &str, moves: &str, clicks: &[BoardPlace]| {
        let now = after_legal(game, position, moves);
        let marks = Marks {
            last_move: now.last_move.clone(),
            selected: clicks.first().copied(),
            targets: now.board.click_targets(&now.legal_moves, clicks).next,
            checked_king: now.checked_king,
            captures: now.captures,
            shows_coordinates: true,
            ..Marks::default()
        };
        (now.board, marks)
    };
    let opening = "e4 e5 Nf3 Nc6 Bc4 Nd4 Nxe5 Qg5";
    let check = "1rb1k1nr/pppp1ppp/2n5/4p3/2B1P3/5q2/PPPP2PP/RNBQK1NR b KQk - 0 4";
    let discs = "f5 d6 c3 d3 c4 f4 e3 f3 e6 c5 b4 g5 d2 e2 f6 b5 g4 c6 c7";
    let late = "1*1o*/1o1o*/1o1oo/**o*o/1**o* b 18";
    let mut boards = vec![
        at("chess", "", opening, &[square(4, 4)]),
        at("chess", check, "Qf2", &[]),
        at("othello", "", discs, &[]),
        at("othello", "", discs, &[]),
        at("connect-four", "", "4 4 4 5 3 3 5 2 5 5 6", &[]),
        at("kalah", "", "3 6 2 5", &[]),
        at("delta", "", "c3 b2 c3c5 e1", &[square(2, 4)]),
        at("delta", late, "", &[]),
    ];
    let (_, discs) = &mut boards[3];
    discs.captures.clear();
    discs.ghost = discs.targets.first().copied();
    let (_, four) = &mut boards[4];
    four.targets.clear();
    four.ghost = Some(square(6, 4));
    let (_, kalah) = &mut boards[5];
    kalah.ghost = Some(pit(3));
    // The slide is chosen; the stone to pick up is not.
    let (board, delta) = &mut boards[7];
    let legal = Board::after_moves("delta", late, &[""; 0])
        .unwrap()
        .legal_moves;
    let from = delta.targets[0];
    let to = board.click_targets(&legal, &[from]).next[0];
    (delta.selected, delta.ghost) = (Some(from), Some(to));
    delta.targets = board.click_targets(&legal, &[from, to]).next;
    boards
}

/// Compares a picture with its golden file; with `UPDATE=1` in the environment, writes the file.
fn looks_as_it_did(actual: &Pixmap, name: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data/pictures");
    let path = folder.join(format!("{name}.png"));
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        actual.save_png(&path).unwrap();
        return;
    }
    let expected = Pixmap::load_png(&path).unwrap();
    if *actual != expected {
        let kept = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/pictures");
        std::fs::create_dir_all(&kept).unwrap();
        actual.save_png(kept.join(format!("{name}.png"))).unwrap();
        panic!("{name} looks different: see target/pictures/{name}.png; UPDATE=1 accepts it");
    }
}

/// A page of [`playing`], from one side or the other.
fn playing_page(theme: &Theme, size: (u32, usize), flip: bool) -> Page {
    let boards = playing().into_iter().map(|(board, marks)| {
        let marks = Marks {
            is_flipped: flip,
            ..marks
        };
        (board, marks)
    });
    board_page(theme, size, boards.collect())
}

#[test]
fn boards_to_play_on_look_as_they_did() {
    for (theme, name) in named_themes() {
        let picture = playing_page(&theme, (272, 4), false);
        looks_as_it_did(&picture.pixmap, &format!("boards-playing-{name}"));
    }
    let picture = playing_page(&Theme::dark(), (160, 4), true);
    looks_as_it_did(&picture.pixmap, "boards-playing-small");
}

/// Animations to compare: game, position, moves of which the last is animated, and the share of its duration.
const MOVES: [(&str, &str, &str, f32); 8] = [
    ("connect-four", "", "4 4 4 5 3 3", 0.4),
    ("othello", "", "f5 d6 c3 d3 c4", 0.5),
    ("kalah", "", "3 6", 0.0),
    ("kalah", "", "3 6", 0.55),
    ("kalah", "<6,3,4,1,0,4,4,4,4,4,4,4,4,4,4> s", "1", 0.8),
    ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 0.4),
    ("delta", "", "c3 b2 c3c5", 0.6),
    ("delta", "1*1o*/1o1o*/1o1oo/**o*o/1**o* b 18", "", 0.6),
];

#[test]
fn moves_under_way_look_as_they_did() {
    let marks = Marks {
        shows_coordinates: true,
        ..Marks::default()
    };
    let motions = MOVES.map(|(game, position, moves, part)| {
        let mut moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
        if moves.is_empty() {
            let now = Board::after_moves(game, position, &moves).unwrap();
            moves.push(now.legal_moves[0].clone());
        }
        (MoveAnimation::new(game, position, &moves).unwrap(), part)
    });
    let aspects = motions
        .clone()
        .map(|(motion, _)| motion.final_board().aspect(&marks));
    for (theme, name) in named_themes() {
        let picture = page(&theme, (240, 4), &aspects, |index, pixmap, area| {
            let (motion, part) = &motions[index];
            let at = motion.duration().mul_f32(*part);
            motion.paint(at, &mut pixmap.as_mut(), area, &marks, &theme);
        });
        looks_as_it_did(&picture.pixmap, &format!("boards-moving-{name}"));
    }
}
