//! Whole games, ply by ply: our own golden files, games refereed by open_spiel, and games between people.

mod support;

use std::fmt::Write as _;

use canopy_engine::{
    games::{
        self, Game as _, History, Notation as _, Outcome, Playable, Player, Visitor,
        chess::Chess,
        delta::Delta,
        notation::{self, board_text, full_name, move_text, outcome_text, position_text},
    },
    rng::Rng,
};
use support::{assert_golden, data_lines, every_game, every_variant, read_data};

/// Plies of each game shown in a golden file.
const SHOWN_PLIES: usize = 70;

/// A random game with every query of the rules answered at every position.
struct Playthrough;

impl Visitor for Playthrough {
    type Out = String;

    fn visit<G: Playable>(self, rules: G::Rules) -> String {
        let mut text = format!("# {}\n", full_name::<G>(rules));
        let mut rng = Rng::new(2024);
        let mut position = G::start(rules);
        let mut history = History::new();
        let mut moves = Vec::new();
        for ply in 0..SHOWN_PLIES {
            history.push(&position);
            position.legal_moves(&mut moves);
            let texts: Vec<String> = moves.iter().map(|&mv| move_text(&position, mv)).collect();
            writeln!(text, "\nply {ply}: {}", position_text(&position)).unwrap();
            writeln!(text, "key {:016x}", position.key()).unwrap();
            let values: Vec<String> = G::EVALUATIONS
                .iter()
                .map(|evaluation| format!("{} {}", evaluation.name, evaluation.value(&position)))
                .collect();
            writeln!(
                text,
                "worth {}; cut off {:.6}",
                values.join(", "),
                position.cutoff_reward()
            )
            .unwrap();
            if let Some(outcome) = history.outcome(&position) {
                let reason = if position.outcome().is_some() {
                    position.end_reason()
                } else {
                    "threefold repetition"
                };
                writeln!(text, "{}", outcome_text::<G>(outcome, reason)).unwrap();
                break;
            }
            writeln!(
                text,
                "{} has {}",
                G::PLAYERS[position.to_move().index()],
                texts.join(" ")
            )
            .unwrap();
            // Not through the fast random move: a faster one need not change this file.
            let mv = moves[rng.below(moves.len() as u32) as usize];
            writeln!(text, "plays {}", move_text(&position, mv)).unwrap();
            position.play(mv);
        }
        writeln!(text, "\n{}", board_text(&position)).unwrap();
        text
    }
}

#[test]
fn goldens_are_as_they_were() {
    for name in every_game() {
        let mut text = String::new();
        for variant in every_variant()
            .iter()
            .filter(|variant| variant.split(':').next() == Some(name))
        {
            text += &games::with_game(variant, Playthrough).unwrap();
        }
        assert_golden(&format!("playthroughs/{name}.txt"), &text);
    }
}

/// Replays games of open_spiel, in the format of tests/data/open_spiel/dump.py; returns their number.
struct OpenSpielGames<'a>(&'a str);

impl Visitor for OpenSpielGames<'_> {
    type Out = usize;

    fn visit<G: Playable>(self, rules: G::Rules) -> usize {
        let mut games = 0;
        let mut moves = Vec::new();
        for (number, line) in data_lines(self.0) {
            let mut words = line.split(' ');
            let result: i32 = words
                .next()
                .and_then(|word| word.parse().ok())
                .expect("a result");
            let mut position = G::start(rules);
            let mut history = History::new();
            for (ply, word) in words.enumerate() {
                let place = format!(
                    "{} game {number}, ply {ply}: {}",
                    G::NAME,
                    position_text(&position)
                );
                history.push(&position);
                assert_eq!(history.outcome(&position), None, "{place}");
                let [played, count, hash] = word.split(':').collect::<Vec<_>>()[..] else {
                    panic!("{place}: {word}")
                };
                let (player, played) = played.split_at(1);
                assert_eq!(
                    position.to_move().index() + 1,
                    player.parse::<usize>().unwrap(),
                    "{place}"
                );
                position.legal_moves(&mut moves);
                let mut texts: Vec<String> =
                    moves.iter().map(|&mv| move_text(&position, mv)).collect();
                texts.sort();
                assert_eq!(texts.len().to_string(), count, "{place}: {texts:?}");
                assert_eq!(
                    format!("{:08x}", fnv1a(&texts.join(" "))),
                    hash,
                    "{place}: {texts:?}"
                );
                position.play(position.parse_move(played).unwrap());
            }
            history.push(&position);
            let expected = match result {
                1 => Outcome::Win(Player::First),
                -1 => Outcome::Win(Player::Second),
                _ => Outcome::Draw,
            };
            let outcome = history.outcome(&position);
            assert_eq!(
                outcome,
                Some(expected),
                "{} game {number}: {}",
                G::NAME,
                position_text(&position)
            );
            games += 1;
        }
        games
    }
}

fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[test]
fn open_spiel_agrees_on_every_ply_and_result() {
    for (name, expected) in [
        ("othello", 300),
        ("connect-four", 300),
        ("kalah", 300),
        ("chess", 50),
    ] {
        let text = read_data(&format!("open_spiel/{name}.txt"));
        assert_eq!(
            games::with_game(name, OpenSpielGames(&text)).unwrap(),
            expected
        );
    }
}

fn play_delta(record: &str) -> Delta {
    let mut position = Delta::start(Default::default());
    notation::play_moves(&mut position, &mut History::new(), record, |_, _| {})
        .unwrap_or_else(|error| panic!("{record}: {error}"));
    position
}

#[test]
fn delta_games_that_people_played_are_legal() {
    // Published on the AISE pages (spec.md 3.2), with threats marked as they were.
    let resigned =
        play_delta("1.b2 b4 2.b2e2 b4b1 3. d2b4 b2d2 4. e2e4 c2a4 5. e3e1+ b1d3 6. e4c4+");
    assert_eq!(resigned.outcome(), None);
    let four = play_delta("1. b2 c2 2. b2e5 c5 3. d4b4 c2e2 4. e5a1");
    assert_eq!(
        four.outcome(),
        None,
        "resigned: black threatens in several ways"
    );
    let pick_up = play_delta(
        "1. b2 c3 2. b2b5 b3 3. b5e5 b3d1 4. b4e4 c3a3 5. d5a5 a3c5 6. a5a1+ c5c3+ 7. a1c1 c3e3+ 8. d4b2 d3d5+ \
         9. c3e1 c4e2+",
    );
    assert!(pick_up.is_pick_up());
    assert_eq!(
        [Player::First, Player::Second].map(|player| pick_up.reserve(player)),
        [0, 0]
    );
    let last = play_delta(
        "1. c3 d3 2. c3a3 c3 3. a3a1 d3d1 4. b3b5 d1a4 5. a1e1 c3c5 6. d1a1+ c4c1 7. b4d4 c5e5 8. c4e2+ c2c4+",
    );
    assert_eq!(last.outcome(), None);
    // The drop square may be named, and must be right: the page prints c1 for d1a1, where only b1 can be meant.
    let before = play_delta("c3 d3 c3a3 c3 a3a1 d3d1 b3b5 d1a4 a1e1 c3c5");
    assert!(before.parse_move("d1a1/b1+").is_ok());
    assert!(
        before
            .parse_move("d1a1/c1")
            .unwrap_err()
            .to_string()
            .contains("last square")
    );
}

#[test]
fn delta_positions_of_report_003_have_their_moves() {
    let figure_2 = "o.*..\n.*...\n.*oo*\n.*.o.\n*...o\n";
    let position: Delta = notation::read_position(Default::default(), figure_2).unwrap();
    assert_eq!(position.to_move(), Player::Second);
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    assert_eq!(moves.len(), 9);

    // Of figure 1 only this is told: the white stone on b2 slides to d2, e2, d4 and e5, dropping c2, d2, c3 and d4. The
    // black stones are ours.
    let position: Delta =
        notation::read_position(Default::default(), "*..../...../.*.../.o.../..... w").unwrap();
    position.legal_moves(&mut moves);
    let slides: Vec<(String, u8)> = moves
        .iter()
        .filter(|mv| mv.from == 6)
        .map(|&mv| (move_text(&position, mv), mv.drop_square()))
        .collect();
    let expected = [("b2d2", 7), ("b2e2", 8), ("b2d4", 12), ("b2e5", 18)];
    assert_eq!(slides, expected.map(|(text, drop)| (text.to_owned(), drop)));
}

#[test]
fn records_may_stand_together_and_leave_out_passes() {
    struct ReplayRecord<'a>(&'a str);
    impl Visitor for ReplayRecord<'_> {
        type Out = (String, usize);

        fn visit<G: Playable>(self, rules: G::Rules) -> (String, usize) {
            let mut position = G::start(rules);
            let mut plies = 0;
            notation::play_moves(&mut position, &mut History::new(), self.0, |_, _| {
                plies += 1
            })
            .unwrap();
            (position_text(&position), plies)
        }
    }
    let replay = |game: &str, record: &str| games::with_game(game, ReplayRecord(record)).unwrap();
    assert_eq!(replay("othello", "f5d6c3"), replay("othello", "F5 D6 C3"));
    assert_eq!(replay("othello", "").1, 0);
    assert_eq!(
        replay("connect-four", "4453"),
        replay("connect-four", "4 P@d2 5 3")
    );
    // One of open_spiel's games with passes, with and without them.
    let text = read_data("open_spiel/othello.txt");
    let game = text
        .lines()
        .find(|line| line.contains("pass:"))
        .expect("some game has a pass");
    let words = game.split(' ').skip(1);
    let moves: Vec<&str> = words
        .filter_map(|word| word.get(1..)?.split(':').next())
        .collect();
    let squares: Vec<&str> = moves.iter().copied().filter(|&mv| mv != "pass").collect();
    assert_eq!(
        replay("othello", &moves.join(" ")),
        replay("othello", &squares.concat())
    );
    assert_eq!(
        replay("othello", &moves.concat()),
        replay("othello", &squares.concat())
    );
    assert_eq!(
        replay("othello", &moves.concat().replace("pass", "PA")).1,
        moves.len()
    );
    assert_eq!(
        replay("chess", "1. e4 e5 2.Nf3 2...Nc6"),
        replay("chess", "e2e4 e7e5 g1f3 b8c6")
    );
}

/// Plays the moves of `record` from the position `start`.
fn play_record<G: Playable>(
    start: &str,
    record: &str,
) -> (G, History, Result<(), notation::ParseError>) {
    let mut position: G = notation::read_position(Default::default(), start).unwrap();
    let mut history = History::new();
    history.push(&position);
    let result = notation::play_moves(&mut position, &mut history, record, |_, _| {});
    (position, history, result)
}

#[test]
fn repetition_is_a_draw_in_play() {
    let dance = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
    let (position, history, result) = play_record::<Chess>("startpos", dance);
    assert_eq!((result, history.outcome(&position)), (Ok(()), None));
    let (position, history, result) = play_record::<Chess>("startpos", &format!("{dance} f6g8"));
    assert_eq!(result, Ok(()));
    assert_eq!(history.occurrences(&position), 3);
    assert_eq!(history.outcome(&position), Some(Outcome::Draw));
    let (.., result) = play_record::<Chess>("startpos", &format!("{dance} f6g8 e2e4"));
    assert!(
        result
            .unwrap_err()
            .to_string()
            .contains("threefold repetition")
    );

    // En passant counts only while it can be played: after 1.e4 and a dance the position is the same as without.
    let dance = "e2e4 g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1";
    let (position, history, _) = play_record::<Chess>("startpos", dance);
    assert_eq!(history.outcome(&position), Some(Outcome::Draw));
    // Here it can be played the first time.
    let start = "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let (position, history, _) = play_record::<Chess>(start, dance);
    assert_eq!(history.outcome(&position), None);

    let once = "e4e2xe5 b3d1xa4 e3e5xe2 c2a4xd1";
    let start = "o.***/o*o**/ooo*./.o.o./o**.. b 18";
    let (position, history, _) = play_record::<Delta>(start, once);
    assert_eq!(
        (history.occurrences(&position), history.outcome(&position)),
        (2, None)
    );
    let (position, history, _) = play_record::<Delta>(start, &format!("{once} {once}"));
    assert_eq!(history.outcome(&position), Some(Outcome::Draw));
}

#[test]
fn insufficient_material_is_a_draw_and_little_else_is() {
    for (fen, is_draw) in [
        ("4k3/8/8/8/8/8/8/4K3 w - -", true),
        ("4k3/8/8/8/8/8/8/3NK3 w - -", true),
        ("4k3/8/8/8/8/8/8/3BK3 w - -", true),
        ("2b1k3/8/8/8/8/8/8/3BK3 w - -", true),
        ("3bk3/8/8/8/8/8/8/3BK3 w - -", false),
        ("7k/8/8/8/8/1B1B1B1B/B1B1B1B1/K4b1b w - -", true),
        ("3nk3/8/8/8/8/8/8/3BK3 w - -", false),
        ("4k3/8/8/8/8/8/8/2NNK3 w - -", false),
        ("4k3/8/8/8/8/8/7P/4K3 w - -", false),
        ("4k3/8/8/8/8/8/8/3RK3 w - -", false),
    ] {
        let position: Chess = notation::read_position(Default::default(), fen).unwrap();
        let expected = is_draw.then_some(Outcome::Draw);
        assert_eq!(position.outcome(), expected, "{fen}");
    }
}
