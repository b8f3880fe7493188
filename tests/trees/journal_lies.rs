//! Growth journals that lie are refused in a sentence, in little time and memory.

use canopy_engine::search::growth_records::RawTableEntry;

use super::*;

/// Reads a hostile journal. Asserts that time and memory stay proportional to its size.
fn read_malicious_journal(graph: bool, records: &[Vec<u32>]) -> Result<Growth, TreeError> {
    let bytes = journal_bytes(&journal_header(graph, 0), records);
    let begun = Instant::now();
    let (result, most) = measure_peak_memory(|| Growth::read(&bytes[..]));
    let room = 16 * bytes.len() + (1 << 18);
    assert!(most <= room, "{most} bytes for a file of {}", bytes.len());
    // Those that begin again and again take minutes.
    assert!(begun.elapsed() < Duration::from_secs(10));
    result
}

/// Records in a journal that would take hours if each that waits were looked at for each that comes.
const MANY: u32 = 200_000;

/// A journal whose search has begun.
fn after_begin(records: impl Iterator<Item = Vec<u32>>) -> Vec<Vec<u32>> {
    std::iter::once(begin_record()).chain(records).collect()
}

#[test]
fn leaves_that_wait_for_their_nodes_take_no_time() {
    // They wait for nodes that are never made: one each, and all for the same.
    let spread = |index: u32| 1 + index * 20_000;
    for number in [&spread as &dyn Fn(u32) -> u32, &|index| index + 1, &|_| 77] {
        let mut records = after_begin((0..MANY).map(|index| leaf_record(number(index))));
        assert_eq!(
            read_malicious_journal(false, &records)
                .unwrap()
                .iterations(),
            0
        );
        records.push(end_record(true));
        assert_eq!(
            read_malicious_journal(false, &records)
                .unwrap()
                .iterations(),
            0
        );
        records.pop();
        records.push(end_record(false));
        let text = read_malicious_journal(false, &records)
            .unwrap_err()
            .to_string();
        assert!(
            text.contains("200000 records that speak of what was never"),
            "{text}"
        );
        // They are made after all, and whoever waits is taken up.
        records.pop();
        let mut needed: Vec<u32> = (0..MANY).map(number).collect();
        needed.dedup();
        let mut above = 0;
        for &node in &needed {
            records.push(moves_record(above, node, 1));
            above = node;
        }
        records.push(end_record(false));
        assert_eq!(
            read_malicious_journal(false, &records)
                .unwrap()
                .iterations(),
            MANY
        );
    }
}

#[test]
fn records_in_reverse_order_take_no_time() {
    let mut backwards = after_begin((1..MANY).rev().map(|node| moves_record(node, node + 1, 1)));
    backwards.extend((1..MANY).map(leaf_record));
    backwards.push(moves_record(0, 1, 1));
    let growth = read_malicious_journal(false, &backwards).unwrap();
    assert_eq!(
        (growth.iterations(), growth.nodes()),
        (MANY - 1, MANY as usize + 1)
    );
}

#[test]
fn paths_that_learn_of_one_move_at_a_time_take_no_time() {
    // First that it is there and then where it leads.
    for (paths, length) in [(1, MANY), (400, 500)] {
        let edges: Vec<u32> = (1..=length).collect();
        let mut records = after_begin((0..paths).map(|_| path_record(&edges)));
        for edge in 0..length {
            records.push(moves_record(edge, edge + 1, 1));
            records.push(link_record(edge + 1, edge + 1));
        }
        records.push(end_record(false));
        assert_eq!(
            read_malicious_journal(true, &records).unwrap().iterations(),
            paths
        );
        // The other way round.
        records[1 + paths as usize..].reverse();
        records.remove(1 + paths as usize);
        assert_eq!(
            read_malicious_journal(true, &records).unwrap().iterations(),
            paths
        );
    }
}

#[test]
fn paths_that_wait_for_one_link_take_no_time() {
    // They never hear of the next.
    let mut records = after_begin((0..MANY).map(|_| path_record(&[1, 2])));
    records.extend([moves_record(0, 1, 1), link_record(1, 1)]);
    assert_eq!(
        read_malicious_journal(true, &records).unwrap().iterations(),
        0
    );
}

/// Asserts that a journal of a graph or a tree is refused with this sentence.
#[track_caller]
fn assert_refused(graph: bool, records: &[Vec<u32>], sentence: &str) {
    let text = read_malicious_journal(graph, records)
        .unwrap_err()
        .to_string();
    assert!(text.contains(sentence), "{text}");
}

/// The record of the root's three moves.
fn root_moves() -> Vec<u32> {
    moves_record(0, 10, 3)
}

#[test]
fn records_before_what_they_speak_of_are_refused() {
    assert_refused(
        false,
        &[leaf_record(0)],
        "byte 32: an iteration before the search begins",
    );
    assert_refused(
        false,
        &[begin_record(), begin_record()],
        "byte 36: the search begins a second",
    );
    assert_refused(
        false,
        &[proven_record(5)],
        "byte 32: node 5 before the record that makes it",
    );
    assert_refused(
        false,
        &[moves_record(5, 6, 1)],
        "byte 32: node 5 before the record",
    );
    let known = record_words(GrowthRecord::InheritedStats {
        node: 5,
        visits: 2,
        sum: 1,
    });
    assert_refused(
        false,
        std::slice::from_ref(&known),
        "byte 32: node 5 before the record",
    );
    assert_refused(
        false,
        &[moves_record(0, 5, 1), begin_record(), known],
        "2 visits known",
    );
    let chosen = record_words(GrowthRecord::InheritedEdgeVisits { edge: 5, visits: 2 });
    assert_refused(
        false,
        std::slice::from_ref(&chosen),
        "byte 32: a number of choices where",
    );
    assert_refused(
        true,
        &[chosen],
        "byte 32: a move before the record that makes it",
    );
    assert_refused(
        true,
        &[link_record(5, 6)],
        "byte 32: a move before the record that makes it",
    );
}

#[test]
fn moves_and_numbers_that_are_taken_are_refused() {
    assert_refused(
        false,
        &[moves_record(0, 1, 0)],
        "byte 32: no moves for node 0",
    );
    let again = [root_moves(), moves_record(0, 20, 3)];
    assert_refused(
        false,
        &again,
        "byte 52: 3 moves for node 0, which has moves",
    );
    for first in [0, 8, 12] {
        let sentence = format!("byte 52: 3 numbers from {first} on, one of them taken");
        assert_refused(
            false,
            &[root_moves(), moves_record(10, first, 3)],
            &sentence,
        );
    }
    assert_refused(
        false,
        &[moves_record(0, FIRST_TAG - 2, 3)],
        "byte 32: 3 numbers from 4294967038 on",
    );
    assert_refused(
        false,
        &[moves_record(0, u32::MAX, 3)],
        "byte 32: 3 numbers from 4294967295 on",
    );
    assert_refused(
        true,
        &[begin_record(), moves_record(FIRST_TAG, 1, 1)],
        "byte 36: 0xffffff00, which is no number",
    );
    assert_refused(
        true,
        &[begin_record(), path_record(&[FIRST_TAG])],
        "byte 36: 0xffffff00, which is no number",
    );
    assert_refused(
        true,
        &[root_moves(), link_record(10, FIRST_TAG)],
        "byte 52: 1 numbers from",
    );
}

#[test]
fn iterations_of_the_other_kind_are_refused() {
    assert_refused(
        true,
        &[begin_record(), leaf_record(0)],
        "byte 36: an iteration of a tree in a graph",
    );
    assert_refused(
        false,
        &[begin_record(), path_record(&[])],
        "byte 36: an iteration of a graph in a tree",
    );
    assert_refused(
        false,
        &[begin_record(), link_record(1, 2)],
        "byte 36: move 1 cannot lead to node 2",
    );
}

#[test]
fn a_move_that_leads_to_two_nodes_is_refused() {
    let elsewhere = [root_moves(), link_record(10, 10), link_record(10, 11)];
    assert_refused(
        true,
        &elsewhere,
        "byte 68: move 10 leads to node 11 and elsewhere",
    );
    // A leaf may turn out to be known, but only once, and not when it has moves.
    let joined = [
        root_moves(),
        begin_record(),
        link_record(10, 10),
        link_record(10, 11),
    ];
    assert_eq!(read_malicious_journal(true, &joined).unwrap().nodes(), 3);
    assert_refused(
        true,
        &[&joined[..], &[link_record(10, 12)]].concat(),
        "byte 88: move 10 leads to node 12 and elsewhere",
    );
    let expanded = [
        root_moves(),
        begin_record(),
        link_record(10, 10),
        moves_record(10, 20, 1),
        link_record(10, 11),
    ];
    assert_refused(
        true,
        &expanded,
        "byte 88: move 10 leads to node 11 and elsewhere",
    );
    let turned = record_words(GrowthRecord::Link {
        edge: 10,
        node: 10,
        frame: 1,
    });
    let turned = [root_moves(), link_record(10, 10), turned];
    assert_refused(
        true,
        &turned,
        "byte 68: move 10 leads to node 10 and elsewhere",
    );
}

#[test]
fn a_lie_that_waits_is_told_of_where_it_stands() {
    let late = [
        begin_record(),
        path_record(&[10, 10]),
        root_moves(),
        link_record(10, 10),
    ];
    assert_refused(
        true,
        &late,
        "byte 36: a path with move 10, which is made elsewhere",
    );
    let late = [
        begin_record(),
        moves_record(11, 30, 1),
        moves_record(11, 40, 1),
        root_moves(),
    ];
    assert_refused(
        false,
        &late,
        "byte 52: 1 moves for node 11, which has moves",
    );
}

#[test]
fn incomplete_records_and_records_after_the_end_are_refused() {
    assert_refused(
        false,
        &[end_record(true), begin_record()],
        "byte 40: a record after the end",
    );
    assert_refused(
        false,
        &[vec![0xffff_ffff]],
        "byte 32: a record that is not complete",
    );
    assert_refused(
        false,
        &[vec![0xffff_ffff, 3, 0, 0]],
        "byte 32: a record that is not complete",
    );
    assert_refused(
        false,
        &[vec![0xffff_ff08, 2, 0, 0]],
        "byte 32: a record of 2 words: expected 3",
    );
}

#[test]
fn squares_that_cannot_be_known_are_refused() {
    let squares = record_words(GrowthRecord::InheritedSquares {
        node: 0,
        squares: 1,
    });
    assert_refused(
        false,
        std::slice::from_ref(&squares),
        "byte 32: squares of 1 with 0 visits known",
    );
    assert_refused(
        false,
        &[begin_record(), squares],
        "byte 36: squares known after the search began",
    );
}

#[test]
fn table_entries_that_cannot_be_are_refused() {
    let table = |entries: u64| {
        record_words(GrowthRecord::Table {
            entries,
            verified: true,
        })
    };
    let entry_of = |key: u64, told: Option<RawTableEntry>| {
        record_words(GrowthRecord::TableEntry {
            node: 0,
            key,
            stats: told,
        })
    };
    let entry = |told: Option<RawTableEntry>| entry_of(5, told);
    assert_refused(
        true,
        &[table(3)],
        "byte 32: a table of positions where there can be none",
    );
    assert_refused(
        false,
        &[table(0)],
        "byte 32: a table of positions without entries",
    );
    assert_refused(
        false,
        &[table(3), table(3)],
        "byte 52: a table of positions where there can be none",
    );
    assert_refused(
        false,
        &[entry(None)],
        "byte 32: an entry for node 0 without a table",
    );
    assert_refused(
        false,
        &[table(3), entry(None), begin_record(), entry_of(6, None)],
        "byte 76: another key for node 0",
    );
    // Two threads may come at the same time.
    let twice = [table(3), entry(None), begin_record(), entry(None)];
    assert!(read_malicious_journal(false, &twice).is_ok());
    let impossible = RawTableEntry {
        visits: 1,
        sum: 2 << 32,
        squares: 0,
    };
    for told in [impossible, RawTableEntry::default()] {
        assert_refused(
            false,
            &[table(3), entry(Some(told))],
            "byte 52: an entry for node 0 that cannot be",
        );
    }
}

#[test]
fn records_with_impossible_lengths_and_results_are_refused() {
    assert_refused(
        false,
        &[vec![0xffff_ff03, 0, 4]],
        "byte 32: the result is 4: expected 1",
    );
    let mut long = path_record(&[]);
    long[1] = u32::MAX;
    assert_refused(
        true,
        &[begin_record(), long],
        "byte 36: a record that is not complete",
    );
    let mut long = moves_record(0, 1, 9);
    long.pop();
    assert_refused(
        true,
        &[begin_record(), long],
        "byte 36: a record that is not complete",
    );
}

#[test]
fn headers_that_lie_are_refused() {
    let mut bytes = journal_bytes(&journal_header(false, 0), &[begin_record(), leaf_record(0)]);
    let with = |bytes: &[u8]| Growth::read(bytes).map(drop).unwrap_err().to_string();
    bytes[12..16].fill(255);
    assert!(with(&bytes).contains("byte 12: the root is node 4294967295"));
    bytes[12..16].fill(0);
    bytes[16] = 14;
    assert!(with(&bytes).contains("byte 36: a record that is not complete"));
    bytes[16] = 4 + 3;
    assert!(with(&bytes).contains("byte 36: a record that is not complete"));
    bytes[16..24].fill(255);
    assert!(with(&bytes).contains("byte 48: the file ends, but its header promises"));
}
