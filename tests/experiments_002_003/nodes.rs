//! Experiment 003-nodes.

use std::collections::BTreeMap;

use canopy_engine::{
    games::{
        Game as _,
        delta::{Delta, Equaliser},
        notation::read_position,
    },
    reports::{Content, Outcome},
};

use super::quick;

#[test]
fn the_searches_of_report_003_agree_and_are_counted_by_its_rule() {
    let finished = quick("nodes-quick", "003-nodes");
    assert_eq!(finished.end.done, 18 * 4 * 3, "to depth 4");
    assert_eq!(finished.hypothesis("V").verdict.outcome, Outcome::Confirmed);
    let mut values: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut reader = csv::Reader::from_reader(finished.file("nodes.csv").as_bytes());
    for record in reader.records() {
        let record = record.expect("it is CSV");
        let [position, depth, nodes, value] = [1, 3, 5, 8].map(|index| record[index].to_owned());
        if depth == "1" {
            // Every legal move is visited once, and the root is not counted; a window that is searched again counts again.
            let delta: Delta = read_position(Equaliser::Optional, &position).expect("a position");
            let mut moves = Vec::new();
            delta.legal_moves(&mut moves);
            let nodes: usize = nodes.parse().expect("a number");
            match &record[4] {
                "aspiration" => assert!(nodes >= moves.len(), "{position}"),
                _ => assert_eq!(nodes, moves.len(), "{position}"),
            }
        }
        values.entry((position, depth)).or_default().push(value);
    }
    assert_eq!(values.len(), 18 * 4);
    for (place, found) in values {
        assert!(
            !found[0].is_empty() && found.iter().all(|one| *one == found[0]),
            "{place:?}: {found:?}"
        );
    }
}

#[test]
fn the_number_of_boards_is_as_published_for_boards_with_all_stones() {
    let finished = quick("nodes-space", "003-nodes");
    let section = (finished.report.sections.iter())
        .find(|section| section.heading == "The number of positions")
        .expect("it is told");
    let Content::Text(text) = &section.content else {
        panic!("{section:?}");
    };
    assert!(
        text[0].contains("= 23,371,634,000 (as published)"),
        "{text:?}"
    );
    // 3^25
    assert!(text[1].contains("847,288,609,443"), "{text:?}");
}
