//! Growth journals made record by record: the bytes, the order of records, and other versions.

use super::*;

#[test]
fn our_small_journal_has_these_bytes() {
    let records = [
        moves_record(7, 20, 2),
        record_words(GrowthRecord::InheritedStats {
            node: 21,
            visits: 3,
            sum: 1 << 32,
        }),
        begin_record(),
        leaf_record(21),
        proven_record(21),
        end_record(false),
    ];
    let wanted = "43414e4f50594731 00000000 07000000 4c00000000000000 0000000000000000 \
        00ffffff 07000000 14000000 02000000 01000000 \
        04ffffff 15000000 03000000 00000000 01000000 \
        06ffffff 15000000 00000080 00000000 03ffffff 15000000 01000000 07ffffff 00000000";
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    let bytes = journal_bytes(&journal_header(false, 7), &records);
    assert_eq!(hex(&bytes), wanted.replace(' ', ""));
    assert_eq!(Growth::read(&bytes[..]).unwrap().nodes(), 3);
    let records = [
        moves_record(1, 2, 3),
        link_record(3, 3),
        record_words(GrowthRecord::InheritedEdgeVisits { edge: 3, visits: 9 }),
        begin_record(),
        path_record(&[3]),
        end_record(true),
    ];
    let wanted = "43414e4f50594731 01000000 01000000 5000000000000000 0000000000000000 \
        00ffffff 01000000 02000000 03000000 01000200 \
        01ffffff 03000000 03000000 00000000 05ffffff 03000000 09000000 \
        06ffffff 02ffffff 01000000 03000000 00000000 01000000 07ffffff 01000000";
    let bytes = journal_bytes(&journal_header(true, 1), &records);
    assert_eq!(hex(&bytes), wanted.replace(' ', ""));
    assert_eq!(Growth::read(&bytes[..]).unwrap().nodes(), 2);
}

#[test]
fn records_of_later_versions_are_skipped() {
    let plain = [
        moves_record(7, 20, 2),
        begin_record(),
        leaf_record(21),
        end_record(false),
    ];
    let unknown = [
        vec![0xffff_ff20, 0],
        vec![0xffff_ff20, 2, 0xffff_ff07, 0],
        vec![0xffff_fffe, 3, 1, 2, 3],
    ];
    let [one, two, three, four] = plain.clone();
    let [a, b, c] = unknown;
    let mixed = [one, a, two, b, three, c, four];
    let mut header = journal_header(false, 7);
    header[24] = 9;
    let read = |records: &[Vec<u32>]| Growth::read(&journal_bytes(&header, records)[..]).unwrap();
    assert!(read(&mixed) == read(&plain));
    // A record that is known may have got longer.
    let root = record_words(GrowthRecord::InheritedSquares {
        node: 7,
        squares: 0,
    });
    let mut longer = root.clone();
    longer[1] += 2;
    longer.extend([5, 6]);
    assert!(read(&[longer, begin_record()]) == read(&[root, begin_record()]));
}

/// Journals of version 0 have no sums of squares. They are known nonetheless unless rewards were inherited.
#[test]
fn the_squares_of_old_journals_are_known_unless_there_were_some_before() {
    let (start, _) = start_position();
    let squares = |version: u8, records: &[Vec<u32>]| {
        let mut header = journal_header(false, 0);
        header[24] = version;
        let growth = Growth::read(&journal_bytes(&header, records)[..]).unwrap();
        let mut replay = GrowthReplay::new(growth);
        replay.seek(u32::MAX);
        tree_extras(&replay.view(&start))[0].squares
    };
    // The first player has lost so often; the root's squares are the second player's.
    let known = |node: u32, visits: u32| {
        record_words(GrowthRecord::InheritedStats {
            node,
            visits,
            sum: 0,
        })
    };
    let before = |squares: u64| record_words(GrowthRecord::InheritedSquares { node: 0, squares });
    assert_eq!(
        squares(0, &[begin_record(), leaf_record(0), leaf_record(0)]),
        0.5
    );
    assert!(squares(0, &[known(0, 2), begin_record(), leaf_record(0)]).is_nan());
    assert!(squares(1, &[begin_record(), leaf_record(0)]).is_nan());
    let told = [known(0, 2), before(0), begin_record(), leaf_record(0)];
    assert_eq!(squares(1, &told), 2.25);
}

/// Calls `see` with `order` followed by every permutation of `left`.
fn for_each_permutation(
    order: &mut Vec<Vec<u32>>,
    left: &mut Vec<Vec<u32>>,
    see: &mut dyn FnMut(&[Vec<u32>]),
) {
    if left.is_empty() {
        see(order);
    }
    for index in 0..left.len() {
        order.push(left.remove(index));
        for_each_permutation(order, left, see);
        left.insert(index, order.pop().unwrap());
    }
}

#[test]
fn records_may_come_in_any_order() {
    let scratch = Scratch::new("orders");
    let (start, _) = start_position();
    let tree = vec![
        moves_record(100, 5_000_000, 7),
        leaf_record(5_000_003),
        moves_record(5_000_003, 1, 7),
        leaf_record(2),
        proven_record(2),
    ];
    let graph = vec![
        moves_record(1, 10, 7),
        link_record(13, 13),
        moves_record(13, 0xffff_fe00, 7),
        link_record(0xffff_fe02, 15),
        // Two threads may find out at the same time.
        link_record(0xffff_fe02, 15),
        path_record(&[13, 0xffff_fe02]),
        proven_record(15),
    ];
    // What happened after the last iteration is not seen, so there is one more.
    let tree = (
        tree,
        journal_header(false, 100),
        [leaf_record(100), end_record(false)],
    );
    let graph = (
        graph,
        journal_header(true, 1),
        [path_record(&[]), end_record(false)],
    );
    for (mut records, header, last) in [tree, graph] {
        let mut first = None;
        let mut order = vec![begin_record()];
        for_each_permutation(&mut order, &mut records, &mut |order| {
            let order = [order, &last[..]].concat();
            let whole = Growth::read(&journal_bytes(&header, &order)[..]).unwrap();
            assert!(
                whole == follow_journal(&scratch, &header, &order, 1),
                "{order:x?}"
            );
            assert_eq!(whole.ended(), Some(false));
            let mut replay = GrowthReplay::new(whole);
            replay.seek(u32::MAX);
            let mut rows = Vec::new();
            let wanted = SnapshotOptions {
                extra: true,
                ..SnapshotOptions::default()
            };
            let taken = snapshot::take(&replay.view(&start), &wanted).unwrap();
            extra::write(&taken.extra, &mut rows).unwrap();
            let all = (taken.tree, rows, replay.current_iteration());
            let first = first.get_or_insert_with(|| all.clone());
            assert!(*first == all, "{order:x?}");
        });
    }
}

#[test]
fn whatever_numbers_a_journal_has_the_tree_is_the_same() {
    let grown = |number: &dyn Fn(u32) -> u32, early: bool| {
        let mut rng = Rng::new(3);
        let mut records = vec![begin_record()];
        let mut later = Vec::new();
        for index in 0..100_000 {
            let node = rng.below(index + 1);
            records.push(leaf_record(number(node)));
            // Half of the nodes are told of only when many others have been.
            let made = moves_record(number(index), number(index + 1), 1);
            if early && index > 50_000 && rng.below(2) == 0 {
                later.push(made);
            } else {
                records.push(made);
            }
        }
        records.extend(later);
        records.push(end_record(false));
        let bytes = journal_bytes(&journal_header(false, number(0)), &records);
        let room = 16 * bytes.len() + (1 << 18);
        let (growth, most) = measure_peak_memory(|| Growth::read(&bytes[..]).unwrap());
        assert!(most <= room, "{most} bytes for a file of {}", bytes.len());
        assert_eq!((growth.iterations(), growth.nodes()), (100_000, 100_001));
        growth
    };
    let dense = |node| node;
    // Odd factors, so that no two nodes get one number.
    let scattered = |node: u32| node.wrapping_mul(0x9e37_79b1) % (1 << 31) * 2 % FIRST_TAG;
    let apart = |node: u32| FIRST_TAG - 1 - node * 40_000;
    for early in [false, true] {
        let plain = grown(&dense, early);
        assert!(plain == grown(&scattered, early));
        assert!(plain == grown(&apart, early));
    }
}
