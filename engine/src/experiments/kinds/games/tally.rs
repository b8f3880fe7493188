//! Results of games by pair, player and colour.

use std::collections::BTreeMap;

use super::{GameRow, Games, PairNames, PublishedPair};
use crate::{
    arena::stats::{PairCounts, WdlByColour, WdlCounts},
    experiments::{file::ExperimentFile, kinds::OutputFile},
    games::{Outcome, Player},
    reports::comparison::{Comparison, Tally},
};

/// What reports on games are made with.
pub(in crate::experiments::kinds) struct GamesContext<'a> {
    /// The experiment.
    pub file: &'a ExperimentFile<Games>,
    /// Who meets whom.
    pub pairs: &'a [(usize, usize)],
    /// The names of the sides, the one that begins first.
    pub sides: [&'static str; 2],
    /// Whether both games of a pair begin with the same opening.
    pub has_openings: bool,
    /// What is tested: "games" or "series".
    pub unit: &'static str,
}

impl GamesContext<'_> {
    /// The number of pairs that take turns, if both games of an opening are one unit.
    fn stride(&self) -> Option<usize> {
        self.has_openings.then_some(self.pairs.len())
    }

    /// A player's name in tables.
    pub(in crate::experiments::kinds) fn name(&self, player: usize) -> &str {
        let player = self.file.players.get(player);
        player.map_or("", |player| player.name.as_str())
    }

    /// The players' names of a game.
    pub(in crate::experiments::kinds) fn names(&self, row: &GameRow) -> [String; 2] {
        row.players.map(|player| self.name(player).to_owned())
    }

    /// A player's name in plots and sentences.
    pub(in crate::experiments::kinds) fn label(&self, player: usize) -> &str {
        let player = self.file.players.get(player);
        player.map_or("", |player| player.label())
    }

    /// The number of a player; names have been checked.
    pub(super) fn index(&self, name: &str) -> usize {
        self.file.player_index(name).unwrap_or(usize::MAX)
    }

    /// The numbers of a pair.
    pub(super) fn indices(&self, [one, other]: &PairNames) -> (usize, usize) {
        (self.index(&one.0), self.index(&other.0))
    }

    /// What is published of a pair and what the games show, for the first of the two.
    pub(in crate::experiments::kinds) fn comparison(
        &self,
        rows: &[GameRow],
        pair: (usize, usize),
    ) -> Comparison {
        let (one, other) = pair;
        let same_opponent = self.pairs.iter().all(|&(_, second)| second == other);
        let (name, note) = match same_opponent {
            true if self.label(one) != self.name(one) => {
                (self.label(one).to_owned(), self.name(one))
            }
            true => (self.label(one).to_owned(), ""),
            false => (format!("{} – {}", self.name(one), self.name(other)), ""),
        };
        let published = self.published(pair);
        Comparison {
            note: note.to_owned(),
            published_chi_squared: published.1,
            published: published.0,
            ours: Some(tally(rows, pair, self.stride())).filter(|tally| tally.total.games() > 0),
            ..Comparison::new(name, [self.name(one), self.name(other)])
        }
    }

    /// Published results of a pair, for the first of the two, and the printed statistic.
    fn published(&self, (one, other): (usize, usize)) -> (Option<Tally>, Option<f64>) {
        let mut colours = WdlByColour::default();
        let mut total = WdlCounts::default();
        let (mut is_known, mut has_colours, mut printed) = (false, true, None);
        for row in &self.file.trials.published {
            let players = self.indices(&row.players);
            let is_reversed = players == (other, one) && one != other;
            if players != (one, other) && !is_reversed {
                continue;
            }
            is_known = true;
            printed = printed.or(row.chi_squared);
            let results = wdl(row);
            has_colours &= !row.both_colours;
            if is_reversed {
                colours.second = colours.second + results.reversed();
                total = total + results.reversed();
            } else {
                colours.first = colours.first + results;
                total = total + results;
            }
        }
        let tally = is_known.then(|| match has_colours {
            true => Tally::by_colour(colours),
            false => Tally::of(total),
        });
        (tally, printed)
    }
}

fn wdl(row: &PublishedPair) -> WdlCounts {
    WdlCounts::new(row.won, row.drawn, row.lost)
}

/// The result of a game for the side in this seat, 0 for the first player.
pub(super) fn result_of(row: &GameRow, seat: usize) -> WdlCounts {
    match (row.result, seat) {
        (Outcome::Draw, _) => WdlCounts::new(0, 1, 0),
        (Outcome::Win(Player::First), 0) | (Outcome::Win(Player::Second), 1) => {
            WdlCounts::new(1, 0, 0)
        }
        _ => WdlCounts::new(0, 0, 1),
    }
}

/// All games of one player against another by colour; of a player against itself, those of the first player are first.
pub(in crate::experiments::kinds) fn by_colour(
    rows: &[GameRow],
    (one, other): (usize, usize),
) -> WdlByColour {
    let mut colours = WdlByColour::default();
    for row in rows {
        if row.players == [one, other] {
            colours.first = colours.first + result_of(row, 0);
        } else if row.players == [other, one] {
            colours.second = colours.second + result_of(row, 1);
        }
    }
    colours
}

/// The results of one player against another. With `stride`, the number of pairs that take turns, the two games of an opening are one
/// unit.
pub(super) fn tally(rows: &[GameRow], pair: (usize, usize), stride: Option<usize>) -> Tally {
    let mut tally = Tally::by_colour(by_colour(rows, pair));
    let Some(stride) = stride.filter(|_| pair.0 != pair.1) else {
        return tally;
    };
    let mut openings: BTreeMap<u64, WdlCounts> = BTreeMap::new();
    for row in rows {
        let result = match row.players {
            players if players == [pair.0, pair.1] => result_of(row, 0),
            players if players == [pair.1, pair.0] => result_of(row, 1),
            _ => continue,
        };
        let round = row.trial.saturating_sub(1) / stride.max(1) as u64;
        let sum = openings.entry(round / 2).or_default();
        *sum = *sum + result;
    }
    tally.pairs = Some(PairCounts::of(openings.into_values()));
    tally
}

/// Sums of a player over all its games.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::experiments::kinds) struct PlayerSums {
    /// Results by colour.
    pub results: WdlByColour,
    /// Discs or stones at the end, own and the opponents'.
    pub pieces: [u64; 2],
    /// Whether the game counts pieces.
    pub has_pieces: bool,
    /// Seconds of thought.
    pub seconds: f64,
}

impl PlayerSums {
    /// Sums the games of a player.
    pub(in crate::experiments::kinds) fn of(rows: &[GameRow], player: usize) -> Self {
        let mut sums = Self::default();
        for row in rows {
            for (seat, micros) in (0..).zip(row.micros) {
                if row.players.get(seat) != Some(&player) {
                    continue;
                }
                let result = result_of(row, seat);
                match seat {
                    0 => sums.results.first = sums.results.first + result,
                    _ => sums.results.second = sums.results.second + result,
                }
                sums.seconds += micros as f64 / 1e6;
                if let Some([first, second]) = row.score {
                    let [own, other] = if seat == 0 {
                        [first, second]
                    } else {
                        [second, first]
                    };
                    let [all_own, all_other] = sums.pieces;
                    sums.pieces = [all_own + u64::from(own), all_other + u64::from(other)];
                    sums.has_pieces = true;
                }
            }
        }
        sums
    }
}

/// Every game as a line; `names` knows those of its players.
pub(in crate::experiments::kinds) fn games_csv(
    names: impl Fn(&GameRow) -> [String; 2],
    rows: &[GameRow],
    has_times: bool,
) -> OutputFile {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut headings = vec!["game", "first", "second", "result"];
    headings.extend(["first_score", "second_score", "plies", "opening"]);
    headings.extend([
        "first_nodes",
        "second_nodes",
        "first_leaves",
        "second_leaves",
    ]);
    if has_times {
        headings.extend(["first_seconds", "second_seconds"]);
    }
    headings.push("moves");
    // Writing to memory does not fail.
    let _ = writer.write_record(&headings);
    for row in rows {
        let [first, second] = names(row);
        let mut cells = vec![row.trial.to_string(), first, second];
        cells.push(row.result.as_str().to_owned());
        let score = row.score.map(|score| score.map(|side| side.to_string()));
        cells.extend(score.unwrap_or_default());
        cells.push(row.moves.split_whitespace().count().to_string());
        cells.push(row.opening.to_string());
        cells.extend(row.nodes.map(|count| count.to_string()));
        cells.extend(row.leaves.map(|count| count.to_string()));
        if has_times {
            cells.extend(
                row.micros
                    .map(|micros| format!("{:.3}", micros as f64 / 1e6)),
            );
        }
        cells.push(row.moves.clone());
        let _ = writer.write_record(&cells);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    OutputFile {
        name: "games.csv".to_owned(),
        text: String::from_utf8(bytes).unwrap_or_default(),
    }
}
