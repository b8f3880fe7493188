//! Recorded games are read, replayed and painted at any size.

use super::*;

const THEMES: [fn() -> Theme; 2] = [Theme::dark, Theme::light];

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
