//! What a move did, in marks and words: captures, checks, passes, and other things worth telling.

use super::*;

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
