//! Counts of the lines of play agree with published ones.

use canopy_engine::games::{
    ParseError,
    perft::{divide, perft},
};

use crate::support::{data_lines, every_game, read_data};

use super::*;

/// Largest perft count of the quick tests; larger ones are for `--ignored`.
const MAX_QUICK_NODES: u64 = 6_000_000;

struct PerftCounts<'a> {
    position: &'a str,
    depth: u32,
}

impl Visitor for PerftCounts<'_> {
    type Out = Result<(u64, u64), ParseError>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let position: G = notation::read_position(rules, self.position)?;
        let split = divide(&position, self.depth.min(3))
            .iter()
            .map(|(_, count)| count)
            .sum();
        Ok((perft(&position, self.depth), split))
    }
}

fn check_perft(wanted: impl Fn(u64) -> bool) -> usize {
    let mut checked = 0;
    for name in every_game() {
        let mut rows = 0;
        for (number, line) in data_lines(&read_data(&format!("perft/{name}.txt"))) {
            let [game, position, counts] = line.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("perft/{name}.txt:{number}: expected game | position | counts")
            };
            let counts: Vec<u64> = counts
                .split_whitespace()
                .map(|count| count.parse().expect("a count"))
                .collect();
            for (depth, &count) in (1..).zip(&counts).filter(|&(_, &count)| wanted(count)) {
                let (total, split) = games::with_game(game, PerftCounts { position, depth })
                    .unwrap()
                    .unwrap();
                assert_eq!(total, count, "{game} {position} depth {depth}");
                assert_eq!(
                    split,
                    counts[depth.min(3) as usize - 1],
                    "{game} {position} divided"
                );
                checked += 1;
            }
            rows += 1;
        }
        assert!(rows > 0, "{name} has no perft data");
    }
    checked
}

#[test]
fn perft_gives_the_published_counts() {
    assert!(check_perft(|count| count <= MAX_QUICK_NODES) > 60);
}

#[test]
#[ignore = "minutes of counting"]
fn perft_gives_the_published_counts_at_depth() {
    assert!(check_perft(|count| count > MAX_QUICK_NODES) >= 10);
}
