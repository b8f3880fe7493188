//! Good moves by player, position and run.

use super::{MoveRow, Positions};
use crate::{
    arena::{
        judge::{JudgeScore, Verdict},
        stats::{Sample, WdlCounts},
    },
    experiments::{
        file::{ExperimentFile, Player},
        kinds::{OutputFile, csv_file},
    },
    reports::comparison::{Comparison, Tally},
};

/// What reports on positions are made with.
pub(super) struct PositionsContext<'a> {
    /// The experiment.
    pub file: &'a ExperimentFile<Positions>,
    /// The positions as texts.
    pub positions: Vec<&'a str>,
}

impl PositionsContext<'_> {
    /// The players with their numbers.
    pub(super) fn players(&self) -> impl Iterator<Item = (usize, &Player)> {
        self.file.players.iter().enumerate()
    }

    /// The published number of good moves of a player.
    pub(super) fn published(&self, player: usize) -> Option<f64> {
        let name = &self.file.players.get(player)?.name;
        let mut rows = self.file.trials.published.iter();
        let row = rows.find(|row| row.player.0 == *name);
        row.map(|row| row.good)
    }

    /// The number of good moves in each whole run of a player.
    pub(super) fn runs(&self, rows: &[MoveRow], player: usize) -> Vec<f64> {
        let runs = rows.iter().map(|row| row.run + 1).max().unwrap_or(0);
        let mut good = vec![(0usize, 0usize); runs as usize];
        for row in rows.iter().filter(|row| row.player == player) {
            if let Some((searched, found)) = good.get_mut(row.run as usize) {
                *searched += 1;
                *found += usize::from(row.good);
            }
        }
        let whole = good
            .into_iter()
            .filter(|&(searched, _)| searched == self.positions.len());
        whole.map(|(_, found)| found as f64).collect()
    }

    /// Mean and spread of [`Self::runs`].
    pub(super) fn sample(&self, rows: &[MoveRow], player: usize) -> Option<Sample> {
        Sample::of(&self.runs(rows, player))
    }

    /// One player against another in the same position and run: won where it alone has a good move.
    pub(super) fn comparison(&self, rows: &[MoveRow], (one, other): (usize, usize)) -> Comparison {
        let found = |player: usize| {
            let own = rows.iter().filter(move |row| row.player == player);
            own.map(|row| ((row.run, row.position), row.good))
        };
        let others: std::collections::BTreeMap<(u64, usize), bool> = found(other).collect();
        let mut results = WdlCounts::default();
        for (place, good) in found(one) {
            results = results
                + match (good, others.get(&place)) {
                    (_, None) => continue,
                    (true, Some(false)) => WdlCounts::new(1, 0, 0),
                    (false, Some(true)) => WdlCounts::new(0, 0, 1),
                    _ => WdlCounts::new(0, 1, 0),
                };
        }
        let name = |player: usize| {
            let player = self.file.players.get(player);
            player.map_or("", |player| player.name.as_str())
        };
        let sides = [name(one), name(other)];
        Comparison {
            ours: Some(Tally::of(results)).filter(|tally| tally.total.games() > 0),
            ..Comparison::new(format!("{} – {}", sides[0], sides[1]), sides)
        }
    }
}

/// All moves of a player, judged.
pub(super) fn score(rows: &[MoveRow], player: usize) -> JudgeScore {
    let mut score = JudgeScore::default();
    for row in rows.iter().filter(|row| row.player == player) {
        score.add(Verdict {
            is_optimal: row.optimal,
            keeps_result: row.good,
            points_lost: row.points_lost,
            score_lost: row.score_lost,
        });
    }
    score
}

/// Every search as a line.
pub(super) fn moves_csv(
    context: &PositionsContext<'_>,
    rows: &[MoveRow],
    has_times: bool,
) -> OutputFile {
    let mut headings = vec!["search", "player", "position", "run", "move"];
    headings.extend(["good", "optimal", "points_lost", "score_lost", "nodes"]);
    if has_times {
        headings.push("seconds");
    }
    let line = |row: &MoveRow| {
        let player = context.file.players.get(row.player);
        let position = context.positions.get(row.position);
        let mut cells = vec![
            row.trial.to_string(),
            player.map_or_else(String::new, |player| player.name.clone()),
            position.map_or_else(String::new, |&text| text.to_owned()),
            (row.run + 1).to_string(),
            row.mv.clone(),
            row.good.to_string(),
            row.optimal.to_string(),
            row.points_lost.to_string(),
            row.score_lost.to_string(),
            row.nodes.to_string(),
        ];
        if has_times {
            cells.push(format!("{:.3}", row.micros as f64 / 1e6));
        }
        cells
    };
    csv_file("moves.csv", &headings, rows.iter().map(line))
}
