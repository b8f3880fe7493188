//! Nodes by position, depth and player.

use std::collections::BTreeMap;

use super::{Nodes, NodesRow, StateSpace};
use crate::{
    arena::stats::WdlCounts,
    experiments::{
        file::ExperimentFile,
        kinds::{OutputFile, csv_file},
    },
};

/// What reports on nodes are made with.
pub(super) struct NodesContext<'a> {
    /// The experiment.
    pub file: &'a ExperimentFile<Nodes>,
    /// The positions as texts, and their kinds.
    pub positions: Vec<(&'a str, &'a str)>,
}

impl NodesContext<'_> {
    /// A player's name in tables.
    pub(super) fn name(&self, player: usize) -> &str {
        let player = self.file.players.get(player);
        player.map_or("", |player| player.name.as_str())
    }

    /// The kinds of positions, in the order of the list.
    pub(super) fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for (_, kind) in &self.positions {
            if !kinds.contains(kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// The kind of a row's position.
    pub(super) fn kind_of(&self, row: &NodesRow) -> &str {
        self.positions
            .get(row.position)
            .map_or("", |(_, kind)| kind)
    }

    /// Positions and depths that all players searched, and those of them in which all found the same value.
    pub(super) fn equal_values(&self, rows: &[NodesRow]) -> (u64, u64) {
        let mut values: BTreeMap<(usize, u32), Vec<Option<i32>>> = BTreeMap::new();
        for row in rows {
            let place = (row.position, row.depth);
            values.entry(place).or_default().push(row.value);
        }
        values.retain(|_, found| found.len() == self.file.players.len());
        let is_equal = |found: &&Vec<Option<i32>>| {
            let first = found.first().copied().flatten();
            first.is_some() && found.iter().all(|value| *value == first)
        };
        let equal = values.values().filter(is_equal).count();
        (equal as u64, values.len() as u64)
    }
}

/// The nodes of all rows that are wanted, by player.
pub(super) fn sums(
    players: usize,
    rows: &[NodesRow],
    is_wanted: impl Fn(&NodesRow) -> bool,
) -> Vec<u64> {
    let mut sums = vec![0; players];
    for row in rows.iter().filter(|row| is_wanted(row)) {
        if let Some(sum) = sums.get_mut(row.player) {
            *sum += row.nodes;
        }
    }
    sums
}

/// The players with the fewest nodes; none if there are no nodes.
pub(super) fn fewest(nodes: &[u64]) -> Vec<usize> {
    let least = nodes.iter().copied().filter(|&count| count > 0).min();
    (nodes.iter().enumerate())
        .filter(|(_, count)| Some(**count) == least)
        .map(|(player, _)| player)
        .collect()
}

/// Positions in which one player visits fewer nodes than another, as many, and more, of the rows that are wanted.
pub(super) fn fewer(
    rows: &[NodesRow],
    (one, other): (usize, usize),
    is_wanted: impl Fn(&NodesRow) -> bool,
) -> WdlCounts {
    let mut nodes: BTreeMap<usize, [Option<u64>; 2]> = BTreeMap::new();
    for row in rows.iter().filter(|row| is_wanted(row)) {
        let [own, others] = nodes.entry(row.position).or_default();
        if row.player == one {
            *own = Some(row.nodes);
        }
        if row.player == other {
            *others = Some(row.nodes);
        }
    }
    let mut results = WdlCounts::default();
    for counts in nodes.values() {
        let [Some(own), Some(others)] = counts else {
            continue;
        };
        results = results
            + match own.cmp(others) {
                std::cmp::Ordering::Less => WdlCounts::new(1, 0, 0),
                std::cmp::Ordering::Equal => WdlCounts::new(0, 1, 0),
                std::cmp::Ordering::Greater => WdlCounts::new(0, 0, 1),
            };
    }
    results
}

impl StateSpace {
    /// Ways to put exactly so many stones of each side on the board: squares! / (a! b! (squares - a - b)!). None if they do not fit.
    pub(super) fn arrangements_of(&self, [first, second]: [u32; 2]) -> Option<u128> {
        let rest = self.squares.checked_sub(first)?;
        binomial(self.squares, first)?.checked_mul(binomial(rest, second)?)
    }

    /// Ways to put all stones on the board.
    pub(super) fn full(&self) -> Option<u128> {
        self.arrangements_of(self.stones)
    }

    /// Ways to put any number of stones up to all of them on the board.
    pub(super) fn partial(&self) -> Option<u128> {
        let [first, second] = self.stones;
        let mut sum: u128 = 0;
        for own in 0..=first {
            for others in 0..=second {
                let ways = self.arrangements_of([own, others]).unwrap_or(0);
                sum = sum.checked_add(ways)?;
            }
        }
        Some(sum)
    }
}

fn binomial(total: u32, chosen: u32) -> Option<u128> {
    if chosen > total {
        return None;
    }
    // Every quotient is a binomial itself, so it is whole.
    (1..=u128::from(chosen)).try_fold(1u128, |product, step| {
        let factor = u128::from(total) - u128::from(chosen) + step;
        Some(product.checked_mul(factor)? / step)
    })
}

/// Every search as a line.
pub(super) fn nodes_csv(
    context: &NodesContext<'_>,
    rows: &[NodesRow],
    has_times: bool,
) -> OutputFile {
    let mut headings = vec!["search", "position", "kind", "depth", "player", "nodes"];
    headings.extend(["leaves", "reached", "value", "move"]);
    if has_times {
        headings.push("seconds");
    }
    let line = |row: &NodesRow| {
        let position = context.positions.get(row.position);
        let mut cells = vec![
            row.trial.to_string(),
            position.map_or_else(String::new, |(text, _)| (*text).to_owned()),
            context.kind_of(row).to_owned(),
            row.depth.to_string(),
            context.name(row.player).to_owned(),
            row.nodes.to_string(),
            row.leaves.to_string(),
            row.reached.to_string(),
            row.value
                .map_or_else(String::new, |value| value.to_string()),
            row.mv.clone(),
        ];
        if has_times {
            cells.push(format!("{:.3}", row.micros as f64 / 1e6));
        }
        cells
    };
    csv_file("nodes.csv", &headings, rows.iter().map(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_are_counted_by_multinomials() {
        let board = |squares, stones| StateSpace {
            squares,
            stones,
            published: 0,
        };
        // Three squares with one stone each: 3 * 2 ways; with up to one each: 1 + 3 + 3 + 6.
        assert_eq!(board(3, [1, 1]).full(), Some(6));
        assert_eq!(board(3, [1, 1]).partial(), Some(13));
        // With as many stones as squares, every square is empty or has one of two colours.
        assert_eq!(board(7, [7, 7]).partial(), Some(3u128.pow(7)));
        assert_eq!(board(3, [2, 2]).full(), None);
    }
}
