//! Notations of other programs: Fairy-Stockfish's, compared with its own output, EPD, open_spiel's action numbers, GGF.

mod support;

use canopy_engine::{
    games::{
        Game as _, History, Notation as _, Outcome, ParseError, Playable, Player, SearchHints as _,
        chess::{self, Chess},
        connect_four::ConnectFour,
        kalah::{Kalah, Pit},
        notation::{self, Style, move_text, position_text},
        othello::{
            Othello, OthelloMove, PASS,
            ggf::{GgfClock, GgfEnding, GgfRecord, GgfResult, MAX_GGF_BYTES},
        },
    },
    rng::Rng,
};
use proptest::prelude::*;
use support::{data_lines, read_data};

fn parse_position<G: Playable>(text: &str) -> Result<G, ParseError> {
    notation::read_position(Default::default(), text)
}

fn fairy_move<G: Playable>(position: &G, mv: G::Move) -> String {
    let mut text = String::new();
    position.write_move(mv, Style::Fairy, &mut text).unwrap();
    text
}

fn fairy_position<G: Playable>(position: &G) -> String {
    let mut text = String::new();
    position.write_position(Style::Fairy, &mut text).unwrap();
    text
}

/// Expands the counts of the data's hands to pyffish's form: `[P2p1]` becomes `[PPp]`.
fn expand_hand(text: &str) -> String {
    let (board, rest) = text.split_once("[P").expect("discs in hand");
    let (hand, rest) = rest.split_once(']').expect("discs in hand");
    let (first, second) = hand.split_once('p').expect("both sides' discs");
    let [first, second] = [first, second].map(|count| count.parse().expect("a count"));
    format!("{board}[{}{}]{rest}", "P".repeat(first), "p".repeat(second))
}

/// Board and side to move of a FEN: the fields our positions have.
fn board_and_side(fen: &str) -> (&str, &str) {
    let (board, rest) = fen.split_once('[').expect("discs in hand");
    (board, rest.split(' ').nth(1).expect("a side"))
}

/// Replays the games of a file in the format of tests/data/pyffish/dump.py. Returns the number of games, of passes, and of
/// passes by which flipello continues after neither side can move, where the game is over for us.
fn compare_with_pyffish<G: Playable>(data: &str) -> [usize; 3] {
    let [mut games, mut passes, mut early] = [0; 3];
    let mut position = G::start(Default::default());
    let mut passed = false;
    let mut moves = Vec::new();
    for (number, line) in data_lines(data) {
        let [fen, listed, played] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("line {number}: expected position | moves | move")
        };
        let fen = expand_hand(fen);
        let ours = fairy_position(&position);
        // Passes are no part of a position of ours; at the end, where flipello makes both sides pass, nor is the side.
        if !passed {
            assert_eq!(ours, fen, "line {number}");
        } else if position.outcome().is_none() {
            assert_eq!(board_and_side(&ours), board_and_side(&fen), "line {number}");
        } else {
            assert_eq!(
                board_and_side(&ours).0,
                board_and_side(&fen).0,
                "line {number}"
            );
        }
        if !passed || position.outcome().is_none() {
            assert_eq!(
                parse_position::<G>(&fen).as_ref(),
                Ok(&position),
                "line {number}"
            );
        }
        let drop = |word: &str| match word.len() {
            2 => format!("P@{word}"),
            _ => word.to_owned(),
        };
        let mut listed: Vec<String> = listed.split_whitespace().map(drop).collect();
        listed.sort();
        position.legal_moves(&mut moves);
        let mut texts: Vec<String> = moves.iter().map(|&mv| fairy_move(&position, mv)).collect();
        texts.sort();
        if position.outcome().is_some() && !listed.is_empty() {
            // Ours is over; there both sides have to pass first.
            assert!(
                listed.len() == 1 && !listed[0].contains('@'),
                "line {number}"
            );
            early += usize::from(played != "-");
            passed = true;
            continue;
        }
        assert_eq!(texts, listed, "line {number}: {}", position_text(&position));
        if played == "-" {
            assert!(position.outcome().is_some(), "line {number}");
            position = G::start(Default::default());
            passed = false;
            games += 1;
            continue;
        }
        let played = drop(played);
        if !played.contains('@') {
            passed = true;
            passes += 1;
            // Any square will do.
            for square in ["a1a1", "e4e4", "h8h8"] {
                assert_eq!(position.parse_move(square), Ok(moves[0]), "line {number}");
            }
        }
        position.play(position.parse_move(&played).unwrap());
    }
    [games, passes, early]
}

#[test]
fn flipello_is_read_and_written_as_pyffish_does() {
    let [games, passes, early] =
        compare_with_pyffish::<Othello>(&read_data("pyffish/flipello.txt"));
    assert_eq!(games, 18);
    assert!(passes >= 10 && early >= 4, "{passes} {early}");
}

#[test]
fn cfour_is_read_and_written_as_pyffish_does() {
    assert_eq!(
        compare_with_pyffish::<ConnectFour>(&read_data("pyffish/cfour.txt")),
        [24, 0, 0]
    );
}

#[test]
fn flipello_is_read_in_all_its_forms() {
    let start = Othello::start(());
    let hand = "P".repeat(60) + &"p".repeat(60);
    for tail in [" w 0 1", " w - - 0 1", " w - -", " w", " W 12 7"] {
        for hand in ["", "[]", "[Pp]", &format!("[{hand}]")] {
            let text = format!("8/8/8/3pP3/3Pp3/8/8/8{hand}{tail}");
            assert_eq!(parse_position(&text), Ok(start), "{text}");
        }
    }
    // Rows from the bottom in a drop, from the top in a move of our own.
    let d3 = OthelloMove(2 * 8 + 3);
    for text in ["d3", "D3", "P@d6", "p@D6"] {
        assert_eq!(start.parse_move(text), Ok(d3), "{text}");
    }
    assert_eq!(fairy_move(&start, d3), "P@d6");
    assert_eq!(
        parse_position::<Othello>("8/8/8/3Pp3/3pP3/8/8/8 w"),
        Ok(Othello::mirrored_start())
    );
    // OBF with / between its rows is still OBF.
    let rows = "--------/--------/--------/---OX---/---XO---/--------/--------/-------- X";
    assert_eq!(parse_position(rows), Ok(start));
}

#[test]
fn flipello_records_are_played_with_their_passes_or_without() {
    let play = |record: &str| {
        let mut position = Othello::start(());
        notation::play_moves(&mut position, &mut History::new(), record, |_, _| {}).unwrap();
        position
    };
    for seed in 0..100 {
        let record = random_ggf_game(seed, usize::MAX);
        let mut position = record.start;
        let mut texts = Vec::new();
        for &mv in &record.moves {
            texts.push(fairy_move(&position, mv));
            position.play(mv);
        }
        assert_eq!(play(&texts.join(" ")), position, "{texts:?}");
        texts.retain(|text| text.contains('@'));
        assert_eq!(play(&texts.join(" ")), position, "{texts:?}");
    }
}

proptest! {
    #[test]
    fn any_othello_board_comes_back_in_both_styles(own in any::<u64>(), other in any::<u64>(), thin in any::<u64>(), first in any::<bool>()) {
        let centre = 1u64 << 27 | 1 << 28 | 1 << 35 | 1 << 36;
        let (black, white) = (own & (thin | centre), (other | centre) & !(own & (thin | centre)));
        let mut text: String = (0..64)
            .map(|square| match (black >> square & 1, white >> square & 1) { (1, _) => 'X', (_, 1) => 'O', _ => '-' })
            .collect();
        text += if first { " X" } else { " O" };
        let position: Othello = parse_position(&text).unwrap();
        prop_assert_eq!(position_text(&position), text);
        prop_assert_eq!(parse_position(&fairy_position(&position)), Ok(position));
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        for mv in moves {
            prop_assert_eq!(position.parse_move(&fairy_move(&position, mv)), Ok(mv));
        }
    }

    #[test]
    fn mutilated_flipello_never_panics(at in any::<proptest::sample::Index>(), symbol in any::<char>(), cut in any::<bool>()) {
        let mut text: Vec<char> = fairy_position(&Othello::start(())).chars().collect();
        let at = at.index(text.len());
        if cut { text.truncate(at) } else { text[at] = symbol }
        let text: String = text.into_iter().collect();
        if let Ok(position) = parse_position::<Othello>(&text) {
            prop_assert_eq!(parse_position(&position_text(&position)), Ok(position));
        }
    }
}

#[test]
fn epd_is_read_wherever_fen_is() {
    let board = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq -";
    let fen = |clock: u32, number: u32| {
        parse_position::<Chess>(&format!("{board} {clock} {number}")).unwrap()
    };
    for (operations, expected) in [
        ("bm O-O;", fen(0, 1)),
        ("bm Nf3 O-O; id \"a; b\";", fen(0, 1)),
        ("hmvc 7; fmvn 12;", fen(7, 12)),
        ("fmvn 12; bm O-O; hmvc 7; c0 \"hmvc 3;\";", fen(7, 12)),
        ("  acd 3;acs 1 ;  noop;  ", fen(0, 1)),
        ("4 9 bm O-O;", fen(4, 9)),
        ("4 9 hmvc 5;", fen(5, 9)),
        ("hmvc 1000;", fen(100, 1)),
    ] {
        assert_eq!(
            parse_position(&format!("{board} {operations}")),
            Ok(expected),
            "{operations}"
        );
    }
    let chess960 = chess::ChessRules { chess960: true };
    let text = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - hmvc 3; bm Kxg1;";
    let position: Chess = notation::read_position(chess960, text).unwrap();
    assert_eq!(
        position_text(&position),
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 3 1"
    );
}

#[test]
fn castling_goes_out_as_the_variant_writes_it() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let plain: Chess = parse_position(fen).unwrap();
    let chess960: Chess =
        notation::read_position(chess::ChessRules { chess960: true }, fen).unwrap();
    for (king, rook) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
        let mv = plain.parse_move(king).unwrap();
        assert_eq!(move_text(&plain, mv), king);
        assert!(plain.parse_move(rook).is_err(), "{rook}");
        for text in [king, rook] {
            let mv = chess960.parse_move(text).unwrap();
            assert_eq!(move_text(&chess960, mv), rook);
        }
    }
}

#[test]
fn kalah_takes_open_spiel_s_numbers_from_north() {
    let north: Kalah = parse_position("<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n").unwrap();
    for pit in 0..6 {
        for number in [pit + 1, pit + 8] {
            assert_eq!(
                north.parse_move(&number.to_string()),
                Ok(Pit(pit)),
                "{number}"
            );
        }
    }
    assert_eq!(move_text(&north, Pit(5)), "6");
}

const GGF_GAME: &str = "(;GM[Othello]PC[here]DT[2001-02-03 04:05:06 GMT]PB[one]PW[two \\] \\\\]RE[-4.00:r]TI[5:00/0:03/2:00]TY[8]\
    BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[f6/-1.50]B[E6//12.3]W[F4/0.1/2];)";

#[test]
fn a_record_in_ggf_is_read_and_written() {
    let record = GgfRecord::parse(GGF_GAME).unwrap();
    assert_eq!(record.place, "here");
    assert_eq!(record.players, ["one", "two ] \\"]);
    let clock = GgfClock {
        main: 300,
        increment: 3,
        grace: Some(120),
    };
    assert_eq!(record.clocks, [Some(clock); 2]);
    assert_eq!(
        record.result,
        Some(GgfResult {
            margin: -4.0,
            ending: GgfEnding::Resigned
        })
    );
    assert_eq!(record.start, Othello::start(()));
    assert_eq!(record.moves, [37, 45, 44, 29].map(OthelloMove));
    assert_eq!(
        record.to_string(),
        "(;GM[Othello]PC[here]DT[2001-02-03 04:05:06 GMT]PB[one]PW[two \\] \\\\]RE[-4:r]TI[5:00/0:03/2:00]TY[8]\
         BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[F6]B[E6]W[F4];)"
    );
    assert_eq!(GgfRecord::parse(&record.to_string()), Ok(record));
    // Lines, blanks, rows apart, another order, properties nobody knows, and more than one value.
    let loose = " (;\n BO [8 -------- -------- -------- ---O*--- ---*O---\r\n -------- -------- -------- *]\nXX[a][b\\]]\nkm[0]\n\
        B[d3]\tW[C3//]\nPB[]GM[othello]\n;)\n";
    let record = GgfRecord::parse(loose).unwrap();
    assert_eq!(record.moves, [OthelloMove(19), OthelloMove(18)]);
    assert_eq!((record.clocks, record.result), ([None; 2], None));
}

#[test]
fn clocks_and_results_of_ggf_are_read_or_none() {
    let read = |property: &str| {
        let board = "BO[8 ---------------------------O*------*O--------------------------- *]";
        GgfRecord::parse(&format!("(;GM[Othello]{property}{board};)")).unwrap()
    };
    let clock = |main, increment, grace| {
        Some(GgfClock {
            main,
            increment,
            grace,
        })
    };
    for (text, expected) in [
        ("15:00", clock(900, 0, None)),
        ("01:00/00:00/02:00", clock(60, 0, Some(120))),
        ("05:00//02:00", clock(300, 0, Some(120))),
        ("1:02:03", clock(3723, 0, None)),
        ("1.00:00:10", clock(86410, 0, None)),
        ("90/2", clock(90, 2, None)),
        ("0/5", clock(0, 5, None)),
        ("0", None),
        ("0//0", None),
        ("", None),
        ("-5:00", None),
        ("5:xx", None),
        ("1:2:3:4", None),
        ("1.5", None),
        ("99999999999", None),
        ("4000000000:00", None),
        ("1/2/3/4", None),
    ] {
        assert_eq!(read(&format!("TI[{text}]")).clocks, [expected; 2], "{text}");
    }
    let sides = read("TB[1:00]TW[2:00/0:01]");
    assert_eq!(sides.clocks, [clock(60, 0, None), clock(120, 1, None)]);
    assert_eq!(GgfRecord::parse(&sides.to_string()), Ok(sides));
    let score = |margin, ending| Some(GgfResult { margin, ending });
    for (text, expected) in [
        ("+12", score(12.0, GgfEnding::Played)),
        ("-56.00", score(-56.0, GgfEnding::Played)),
        ("+0.000", score(0.0, GgfEnding::Played)),
        ("+64.00:t", score(64.0, GgfEnding::TimeOut)),
        ("-2:s", score(-2.0, GgfEnding::Agreed)),
        ("?", None),
        ("", None),
        ("+2:q", None),
        ("inf", None),
        ("NaN", None),
    ] {
        let record = read(&format!("RE[{text}]"));
        assert_eq!(record.result, expected, "{text}");
        assert_eq!(GgfRecord::parse(&record.to_string()), Ok(record), "{text}");
    }
}

/// A random game of at most `plies` moves.
fn random_ggf_game(seed: u64, plies: usize) -> GgfRecord {
    let mut record = GgfRecord::new(Othello::start(()));
    record.players = ["Black ]".into(), "\\".into()];
    let mut position = record.start;
    let mut rng = Rng::new(seed);
    while record.moves.len() < plies {
        let Some(mv) = position.random_move(&mut rng) else {
            break;
        };
        position.play(mv);
        record.moves.push(mv);
    }
    record
}

#[test]
fn random_records_come_back_with_their_passes_or_without() {
    let mut passes = 0;
    for seed in 0..300 {
        let record = random_ggf_game(seed, usize::MAX);
        let text = record.to_string();
        assert_eq!(GgfRecord::parse(&text).as_ref(), Ok(&record), "{text}");
        let end = record.position();
        assert!(end.outcome().is_some());
        passes += record.moves.iter().filter(|&&mv| mv == PASS).count();
        let silent = text.replace("B[PA]", "").replace("W[PA]", "");
        assert_eq!(GgfRecord::parse(&silent).as_ref(), Ok(&record), "{silent}");
        // Some programs pass once or twice more at the end.
        let more = text.replace(";)", "W[PA]B[pass];)");
        assert_eq!(GgfRecord::parse(&more).as_ref(), Ok(&record), "{more}");
    }
    assert!(passes > 100, "{passes}");
}

#[test]
fn a_record_that_was_put_together_wrongly_is_written_up_to_the_fault() {
    let mut record = GgfRecord::new(Othello::start(()));
    record.moves = vec![OthelloMove(19), OthelloMove(0), OthelloMove(255)];
    record.result = Some(GgfResult {
        margin: f64::NAN,
        ending: GgfEnding::Played,
    });
    assert!(record.to_string().ends_with(" *]B[D3];)"), "{record}");
    assert_eq!(record.position().to_move(), Player::Second);
    assert_eq!(record.position().outcome(), None::<Outcome>);
}

#[test]
fn a_long_record_is_refused() {
    let text = format!("(;GM[Othello]PC[{}];)", "x".repeat(MAX_GGF_BYTES));
    let error = GgfRecord::parse(&text).unwrap_err().to_string();
    assert!(
        error.contains("more than 65536 bytes") && error.len() < 400,
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_records_never_panic(text in "\\PC{0,200}", bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = GgfRecord::parse(&text);
        let _ = GgfRecord::parse(&format!("(;{text};)"));
        let _ = GgfRecord::parse(&String::from_utf8_lossy(&bytes));
        let _ = GgfRecord::parse(&format!("(;{};)", String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn mutilated_records_never_panic_and_what_is_accepted_reads_back(
        seed in 0..50u64,
        plies in 0..60usize,
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), "[-\\[\\]()\\\\;*OBWPATIRE0-9:./ \na-hż]", 0..3u8), 1..4),
    ) {
        let mut text: Vec<char> = random_ggf_game(seed, plies).to_string().chars().collect();
        for (at, symbol, kind) in changes {
            let at = at.index(text.len().max(1));
            let symbol = symbol.chars().next().unwrap_or(' ');
            match kind {
                _ if text.is_empty() => {}
                0 => text.truncate(at),
                1 => text[at] = symbol,
                _ => text.insert(at, symbol),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(record) = GgfRecord::parse(&text) {
            prop_assert_eq!(GgfRecord::parse(&record.to_string()), Ok(record));
        }
    }
}
