//! Clicks on the board lead to moves.

use super::*;

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
