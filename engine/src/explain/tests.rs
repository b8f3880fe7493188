//! Sentences about small trees, with every figure worked out by hand.

use super::{
    truth::{Judgement, Truth, judge, parse_values, verdict},
    *,
};
use crate::{
    games::{Outcome, Player},
    tree::{
        Tree, TreeRow,
        columns::{Column, ColumnValues, Columns},
        extra::Extra,
        meta::Meta,
    },
};

/// A row given as move, visits, mean, state and number of children.
type Row = (&'static str, i32, f64, &'static str, u32);

fn tree(rows: &[Row]) -> Tree {
    let rows = (rows.iter()).map(|&(name, visits, mean, state, children)| TreeRow {
        state,
        ..TreeRow::new(name, visits, mean, children)
    });
    Tree::from_rows(rows).expect("a whole tree")
}

/// O is to move; X answers.
const CONNECT_FOUR: [Row; 8] = [
    ("", 100, 0.38, "connect-four", 3),
    ("1", 60, 0.65, "p1", 2),
    ("2", 40, 0.4, "p2", 0),
    ("3", 19, 0.3, "p2", 0),
    ("4", 30, 0.6, "p1", 2),
    ("5", 20, 0.45, "p2", 0),
    ("6", 9, 0.35, "p2", 0),
    ("7", 10, 0.3, "p1", 0),
];

fn meta(game: &str, to_move: u8, chosen: &str, parameter: &str) -> Meta {
    Meta {
        game: game.to_owned(),
        to_move,
        search: if parameter == "depth" {
            "alpha-beta"
        } else {
            "uct,exploration=1"
        }
        .to_owned(),
        parameters: [(parameter.to_owned(), "4".to_owned())].into(),
        chosen: Some(chosen.to_owned()),
        ..Meta::default()
    }
}

fn told(rows: &[Row], meta: &Meta, moves: Option<[&str; 2]>) -> Vec<String> {
    let tree = tree(rows);
    let facts = SearchFacts::new(&tree, Some(meta), None).expect("it has a sidecar");
    let explanation = explain(&facts, moves, None).expect("two moves");
    (explanation.sentences.iter())
        .map(|sentence| sentence_text(sentence))
        .collect()
}

/// Wilson, z = 1.959964, z² = 3.841459. n = 60, p = 0.65: (0.65 + 0.032012) / 1.064024 = 0.640975, ± 1.959964 · sqrt(0.2275 / 60 +
/// 3.841459 / 14400) / 1.064024 = 0.117348: 0.5236 to 0.7583. n = 30, p = 0.6: 0.588648 ± 0.165446: 0.4232 to 0.7541.
/// 20 of 29 are 69.0 %, 40 of 59 67.8 %; O wins what X, whose means they are, does not.
#[test]
fn a_search_by_playouts_is_told_in_four_sentences() {
    let meta = meta("connect-four", 2, "1", "select");
    assert_eq!(
        told(&CONNECT_FOUR, &meta, None),
        [
            "UCT plays the move it visited most: 1 has 60 visits (60 %), 4 has 30 (30 %).",
            "Visits follow results: of the games tried, O wins 65 % after 1 and 60 % after 4. That may still be chance: 95 % intervals 52 to 76 % and 42 to 75 %.",
            "X's best answer to 4 is 5, in 20 of 29 tries (69 %); then O wins 55 %. After 1 it expects 2, in 40 of 59 tries (68 %); then O wins 60 %.",
            "It expects 1 2, instead of 4 5. To be played, 4 needs 31 visits more.",
        ]
    );
}

#[test]
fn other_moves_than_the_best_two_are_told_when_they_are_asked_for() {
    let meta = meta("connect-four", 2, "1", "select");
    let sentences = told(&CONNECT_FOUR, &meta, Some(["7", " 4"]));
    assert_eq!(sentences[0], "7 has 10 visits (10 %), 4 has 30 (30 %).");
    assert!(
        sentences[1]
            .starts_with("4 did better in the games tried: O wins 30 % after 7 and 60 % after 4."),
        "{sentences:?}"
    );
    assert!(!sentences.last().expect("a sentence").contains("needs"));
}

#[test]
fn the_journal_adds_since_when_the_first_move_leads() {
    let (tree, meta) = (tree(&CONNECT_FOUR), meta("connect-four", 2, "1", "select"));
    let facts = SearchFacts::new(&tree, Some(&meta), None).expect("a sidecar");
    let lead = LeadChange {
        iteration: 1234,
        resolution: 1,
        reply: Some(LeadReply {
            text: "5".to_owned(),
            player: Player::First,
            tries: 8,
            of: 11,
            since: 617,
        }),
    };
    let explanation = explain(&facts, None, Some(&lead)).expect("two moves");
    let text = sentence_text(&explanation.sentences[1]);
    assert!(
        text.ends_with("1 has led since iteration 1,234; from iteration 617 until then, X answered 4 with 5 in 8 of 11 tries."),
        "{text}"
    );
}

/// South chooses; one move of North after 2 was cut off.
const KALAH: [Row; 6] = [
    ("", 10, 0.2, "kalah", 2),
    ("1", 5, 0.8, "p2", 1),
    ("4", 4, 0.2, "p1", 0),
    ("2", 3, 0.6, "p2", 2),
    ("3", 1, 0.4, "p1", 0),
    ("5", 0, 0.0, "p1", 0),
];

/// South chooses. 0.8 is 0.5 + 0.5 · 300 / 500: +3 stones; 0.6 is 0.5 + 0.5 · 50 / 250: half a stone. After 2 one move of North was
/// not looked at, so that North has at least what was found.
#[test]
fn a_classical_search_is_told_by_values_bounds_and_cuts() {
    let meta = meta("kalah", 1, "1", "depth");
    assert_eq!(
        told(&KALAH, &meta, None),
        [
            "Alpha-beta plays 1: South +3 stones, looking 4 plies ahead. After 2: South at most +0.5 stones.",
            "North's answer to 2 is 3: South at most +0.5 stones, and 1 gives South +3 stones already.",
            "One more move of North there was cut off: it could not change the choice. 2 took 3 nodes, 1 5.",
            "It expects 1 4, instead of 2 3.",
        ]
    );
}

#[test]
fn columns_tell_why_moves_were_cut_off_and_how_deep_was_looked() {
    let tree = tree(&KALAH);
    let meta = meta("kalah", 1, "1", "depth");
    let column = |name: &str, values: [u8; 6]| Column {
        name: name.to_owned(),
        unit: String::new(),
        labels: Vec::new(),
        values: ColumnValues::U8(values.to_vec()),
    };
    let columns = Columns {
        rows: 6,
        columns: vec![
            column("cut", [0, 0, 0, 3, 0, 6]),
            column("depth", [4, 3, 2, 1, 0, 0]),
            // South's 250 and 40 hundredths, of which the second is an upper bound.
            column("value", [0, 250, 0, 40, 0, 0]),
            column("bound", [0, 0, 0, 2, 0, 0]),
        ],
    };
    let facts = SearchFacts::new(&tree, Some(&meta), None).expect("a sidecar");
    let facts = facts.with_columns(Some(&columns));
    let explanation = explain(&facts, None, None).expect("two moves");
    assert_eq!(
        sentence_text(&explanation.sentences[0]),
        "Alpha-beta plays 1: South +2.5 stones, looking 4 plies ahead. After 2: South at most +0.4 stones."
    );
    assert_eq!(
        sentence_text(&explanation.sentences[2]),
        "One more move of North there was cut off (null move): it could not change the choice. 2 took 3 nodes (one ply), 1 5 (3 plies)."
    );
}

#[test]
fn proven_moves_and_moves_never_tried_are_told_as_such() {
    let tree = tree(&[
        ("", 10, 0.2, "connect-four", 2),
        ("1", 10, 0.9, "p2", 0),
        ("2", 0, 0.0, "p2", 0),
    ]);
    let meta = meta("connect-four", 1, "1", "select");
    let proven = |winner| Extra {
        proven: winner,
        ..Extra::default()
    };
    let extra = [None, Some(Outcome::Win(Player::First)), None].map(proven);
    let facts = SearchFacts::new(&tree, Some(&meta), Some(&extra)).expect("a sidecar");
    let explanation = explain(&facts, None, None).expect("two moves");
    let texts: Vec<String> = (explanation.sentences.iter())
        .map(|one| sentence_text(one))
        .collect();
    assert!(texts[0].ends_with("2 was never tried."), "{texts:?}");
    assert_eq!(texts[1], "1 is proven to win.");
}

#[test]
fn chess_moves_are_read_and_found_in_algebraic_notation() {
    let rows = [
        ("", 30, 0.5, "chess", 2),
        ("e2e4", 20, 0.5, "p2", 1),
        ("b8c6", 9, 0.5, "p1", 0),
        ("g1f3", 10, 0.5, "p2", 0),
    ];
    let meta = meta("chess", 1, "e2e4", "select");
    let sentences = told(&rows, &meta, Some(["e4", "g1f3"]));
    assert!(sentences[0].contains("e4 has 20 visits") && sentences[0].contains("Nf3 has 10"));
    assert!(
        sentences[2].contains("After e4 it expects Nc6"),
        "{sentences:?}"
    );
}

#[test]
fn what_cannot_be_explained_is_told_clearly() {
    let (tree, meta) = (tree(&CONNECT_FOUR), meta("connect-four", 2, "1", "select"));
    let problem = SearchFacts::new(&tree, None, None)
        .err()
        .expect("a problem");
    assert!(problem.to_string().contains(".json"));
    let facts = SearchFacts::new(&tree, Some(&meta), None).expect("a sidecar");
    let refused = |moves| {
        explain(&facts, Some(moves), None)
            .expect_err("a problem")
            .to_string()
    };
    assert!(refused(["1", "x"]).ends_with("expected one of 1 4 7"));
    assert!(refused(["1", "1"]).contains("two different moves"));
    let lone = Tree::from_rows([TreeRow::new("", 1, 0.5, 0)]).expect("a tree");
    let facts = SearchFacts::new(&lone, Some(&meta), None).expect("a sidecar");
    assert_eq!(
        explain(&facts, None, None).err(),
        Some(ExplainError::TooFewMoves)
    );
}

/// Newcombe (1998), table II, examples (a) and (d).
#[test]
fn a_lead_is_clear_where_newcombes_interval_is_above_zero() {
    assert!(is_clearly_better((56.0 / 70.0, 70), (48.0 / 80.0, 80)));
    assert!(!is_clearly_better((5.0 / 56.0, 56), (0.0, 29)));
}

#[test]
fn moves_are_judged_by_the_best_value() {
    let values = parse_values("response values 1:draw:0 4:win:4:27 5:win:2:31 7:loss:-3:10")
        .expect("values");
    let found = ["4", "5", "1", "7"].map(|name| judge(&values, name));
    assert_eq!(
        found,
        [
            Some(Judgement::Best),
            Some(Judgement::Keeps),
            Some(Judgement::Loses(1)),
            Some(Judgement::Loses(2))
        ]
    );
    let part = parse_values("response values 1:draw:0 4:unknown").expect("values");
    assert_eq!(judge(&part, "1"), None, "4 might be better");
    assert_eq!(parse_values("response value win"), None);
    assert_eq!(parse_values("info string no"), None);
}

#[test]
fn the_verdict_names_the_move_that_was_missed() {
    let (tree, meta) = (tree(&CONNECT_FOUR), meta("connect-four", 2, "1", "select"));
    let facts = SearchFacts::new(&tree, Some(&meta), None).expect("a sidecar");
    let explanation = explain(&facts, None, None).expect("two moves");
    let truth = Truth {
        root: parse_values("response values 1:draw:0 4:win:4:27 7:loss:-3:10"),
        replies: [
            parse_values("response values 2:loss:-1:5 3:draw:0"),
            parse_values("response values 5:loss:-4:26 6:loss:-5:20"),
        ],
    };
    let found = verdict(&facts, &explanation.moves, &truth).expect("a verdict");
    assert_eq!(found.title, "UCT chose 1, which only draws. 4 wins.");
    assert_eq!(
        found.detail,
        "Exact solver: 1 is a draw, 4 wins for O in 14 moves. Regret: half a point."
    );
    let sentences = truth::sentences(&facts, &explanation.moves, &truth);
    let texts: Vec<String> = sentences.iter().map(|one| sentence_text(one)).collect();
    assert_eq!(
        texts,
        [
            "It reads 1 too well. X has one answer that saves the draw, 3, tried in 19 of 59 visits (32 %). It expects the weaker answer 2.",
            "After 4 every answer of X loses.",
        ]
    );
}
