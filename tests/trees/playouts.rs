//! Playouts in growth journals: their moves, the iterations they belong to, and journals without them.

use canopy_engine::{
    games::{self, MoveCode, Visitor},
    search::growth_records::encode_playout,
    tree::replay_reader::IterationRecord,
};

use crate::support::every_game;

use super::*;

/// Stores, formulas and playout policies, in graphs that group images of positions too.
const SEARCHES: &[&str] = &[
    "uct",
    "uct,expansion=one,expand_on=1",
    "lgr1",
    "lgr2,forgetting=true",
    "ucb1-tuned,expansion=all-random",
    "transposition",
    "grouping",
    "grouping,playout=lgr2",
    "grouping,playout=lgr1,invert_colours=true",
    "transposition-002,entries=500",
    "uct,threads=3",
    "grouping,playout=lgr2,threads=2",
];

/// The files of a search of so many iterations: its tree and its journal, with the moves of playouts or without.
fn grown<G: Playable>(name: &str, root: &G, iterations: u64, playouts: bool) -> (Scratch, PathBuf) {
    let scratch = Scratch::new(&format!("playouts-{}-{}", G::NAME, name.replace(',', "-")));
    let output = open_with_journal(&scratch.0, DEFAULT_MAX_JOURNAL_BYTES).with_playouts(playouts);
    let mut history = History::new();
    history.push(root);
    let spec = catalog::parse::<G>(name).unwrap();
    let mut search = catalog::build::<G>(&spec).unwrap();
    search_and_write(&mut *search, root, &history, iterations, Some(&output));
    drop(output);
    let journal = scratch.files("growth").remove(0);
    (scratch, journal)
}

/// Plays the moves of an iteration by the rules alone; the position after them.
fn play_iteration<G: Playable>(root: &G, record: &IterationRecord) -> G {
    let mut position = root.clone();
    let moves = record.path.iter().chain(record.playout.iter().flatten());
    for text in moves {
        let mv = position.parse_move(text).unwrap();
        position.play(mv);
    }
    position
}

struct CheckPlayouts;

impl Visitor for CheckPlayouts {
    type Out = ();

    fn visit<G: Playable>(self, rules: G::Rules) {
        let root = G::start(rules);
        let position = notation::position_text(&root);
        let iterations = if G::NAME == "chess" { 25 } else { 200 };
        for name in SEARCHES {
            // To the end, also where a game usually has a limit.
            let name = &format!("{name},playout_limit=0");
            let Ok(spec) = catalog::parse::<G>(name) else {
                continue;
            };
            if catalog::build::<G>(&spec).is_none() {
                continue;
            }
            let (_scratch, journal) = grown(name, &root, iterations, true);
            let reader = ReplayReader::open(&journal, G::NAME, &position).unwrap();
            // An iteration that ends where the game is over needs no playout.
            let (mut plies, mut played) = (0, 0);
            for iteration in 1..=iterations as u32 {
                let record = reader.iteration_record(iteration).unwrap().unwrap();
                let end = play_iteration(&root, &record);
                let reward = match end.outcome() {
                    Some(Outcome::Win(Player::First)) => 1.0,
                    Some(Outcome::Win(Player::Second)) => 0.0,
                    Some(Outcome::Draw) => 0.5,
                    None => panic!("{} {name}: playout {iteration} does not end", G::NAME),
                };
                assert_eq!(record.reward, reward, "{} {name}: {iteration}", G::NAME);
                assert_eq!(record.outcome, end.outcome());
                if let Some(playout) = &record.playout {
                    (plies, played) = (plies + playout.len(), played + 1);
                }
            }
            assert_eq!(reader.recorded_playouts(), played, "{} {name}", G::NAME);
            assert!(played >= iterations as usize * 9 / 10, "{played}");
            assert!(plies > 2 * iterations as usize, "{plies}");
        }
    }
}

#[test]
fn every_playout_is_played_by_the_rules_and_ends_with_its_reward() {
    for game in every_game() {
        games::with_game(game, CheckPlayouts).unwrap();
    }
}

#[test]
fn a_playout_that_is_cut_off_has_as_many_moves_as_the_limit() {
    let (start, _) = start_position();
    let (_scratch, journal) = grown("uct,playout_limit=5", &start, 50, true);
    let position = notation::position_text(&start);
    let reader = ReplayReader::open(&journal, "connect-four", &position).unwrap();
    for iteration in 1..=50 {
        let record = reader.iteration_record(iteration).unwrap().unwrap();
        assert_eq!(record.playout.unwrap().len(), 5);
        assert_eq!(record.outcome, None);
    }
}

#[test]
fn recording_playouts_changes_nothing_of_the_search() {
    let (start, _) = start_position();
    for name in SEARCHES.iter().filter(|name| !name.contains("threads")) {
        if catalog::parse::<ConnectFour>(name).is_err() {
            continue;
        }
        let (with, journal_with) = grown(name, &start, 300, true);
        let read = |scratch: &Scratch| fs::read(&scratch.files("tree")[0]).unwrap();
        let tree_with = read(&with);
        let (header, mut records) = split_journal(&fs::read(journal_with).unwrap());
        drop(with);
        let (without, journal_without) = grown(name, &start, 300, false);
        assert!(tree_with == read(&without), "{name}");
        let (_, records_without) = split_journal(&fs::read(journal_without).unwrap());
        records.retain(|record| record[0] != 0xffff_ff0b);
        assert!(records == records_without, "{name}");
        let growth = Growth::read(&journal_bytes(&header, &records)[..]).unwrap();
        assert_eq!(growth.recorded_playouts(), 0);
    }
}

/// The record of a playout of these columns, counted from 0.
fn playout_record(columns: &[MoveCode]) -> Vec<u32> {
    let mut words = Vec::new();
    encode_playout(columns.iter().copied(), &mut words);
    words
}

#[test]
fn a_playout_is_a_record_with_a_length_that_other_readers_skip() {
    let words = |columns: &[MoveCode]| playout_record(columns);
    assert_eq!(words(&[]), [0xffff_ff0b, 1, 0]);
    assert_eq!(words(&[6]), [0xffff_ff0b, 1, 0x0006_0001]);
    assert_eq!(words(&[3, 4]), [0xffff_ff0b, 2, 0x0003_0002, 4]);
    let mut long = Vec::new();
    encode_playout((0..70_000).map(|_| 1), &mut long);
    assert!(long.is_empty(), "longer playouts are left out");
}

/// The playouts of iterations 1 to 3 of a journal of connect four.
fn playouts_of(records: &[Vec<u32>], graph: bool) -> Vec<Option<Vec<String>>> {
    let scratch = Scratch::new("playout-order");
    let path = scratch.0.join("made.growth");
    fs::write(&path, journal_bytes(&journal_header(graph, 0), records)).unwrap();
    let (start, _) = start_position();
    let position = notation::position_text(&start);
    let reader = ReplayReader::open(&path, "connect-four", &position).unwrap();
    let record = |iteration| reader.iteration_record(iteration).unwrap();
    (1..=3)
        .filter_map(|iteration| Some(record(iteration)?.playout))
        .collect()
}

#[test]
fn a_playout_stays_with_its_iteration_in_whatever_order_they_come() {
    let column = |text: &str| Some(vec![text.to_owned()]);
    // The first waits for its node; the second has no playout; a playout that nothing follows is nobody's.
    let tree = [
        begin_record(),
        playout_record(&[1]),
        leaf_record(4),
        leaf_record(0),
        playout_record(&[2]),
        leaf_record(0),
        playout_record(&[5]),
        moves_record(0, 1, 7),
        end_record(false),
    ];
    assert_eq!(playouts_of(&tree, false), [None, column("3"), column("2")]);
    let graph = [
        begin_record(),
        playout_record(&[1]),
        path_record(&[3]),
        playout_record(&[2]),
        path_record(&[]),
        moves_record(0, 1, 7),
        link_record(3, 9),
        end_record(false),
    ];
    assert_eq!(playouts_of(&graph, true), [column("3"), column("2")]);
}

#[test]
fn playouts_that_break_the_rules_are_refused_in_a_sentence() {
    let read = |columns: &[MoveCode]| {
        let scratch = Scratch::new("playout-lies");
        let path = scratch.0.join("made.growth");
        let records = [begin_record(), playout_record(columns), leaf_record(0)];
        fs::write(&path, journal_bytes(&journal_header(false, 0), &records)).unwrap();
        let (start, _) = start_position();
        let reader =
            ReplayReader::open(&path, "connect-four", &notation::position_text(&start)).unwrap();
        reader.iteration_record(1).unwrap_err()
    };
    for columns in [&[7][..], &[0; 7], &[0, 1, 0, 1, 0, 1, 0, 1]] {
        let text = read(columns);
        assert!(
            text.contains("a move that the rules do not allow"),
            "{text}"
        );
    }
    let mut short = playout_record(&[1, 2, 3]);
    short[2] = 9;
    let bytes = journal_bytes(&journal_header(false, 0), &[begin_record(), short]);
    let text = Growth::read(&bytes[..]).map(drop).unwrap_err().to_string();
    assert!(
        text.contains("byte 36: a playout of more moves than"),
        "{text}"
    );
}

#[test]
fn damaged_journals_with_playouts_never_panic() {
    let (start, _) = start_position();
    let (scratch, journal) = grown("grouping", &start, 20, true);
    let sound = fs::read(journal).unwrap();
    let position = notation::position_text(&start);
    let path = scratch.0.join("damaged.growth");
    let mut rng = Rng::new(5);
    let mut accepted = 0;
    for _ in 0..2000 {
        fs::write(&path, damage::damage(&mut rng, &sound)).unwrap();
        let Ok(reader) = ReplayReader::open(&path, "connect-four", &position) else {
            continue;
        };
        accepted += 1;
        for iteration in 0..=reader.iterations() + 1 {
            if let Err(sentence) = reader.iteration_record(iteration) {
                assert!(sentence.contains(' '), "{sentence:?}");
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}
