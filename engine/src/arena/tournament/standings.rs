//! What a tournament shows: the table of its players, and files for other programs.

use std::{fmt::Write as _, io, path::Path};

use super::{TournamentMode, run::TournamentHeader, series::SeriesRecord};
use crate::{
    arena::{
        export,
        match_log::GameRecord,
        report::{self, EngineStats, ReportOptions},
        stats::WdlCounts,
    },
    games::{self, GameFacts, Outcome, notation::escape_invisible},
    runs::directory::write_atomically,
};

/// The file of all games, six columns each, in a run directory.
pub const RESULTS_FILE: &str = "results.csv";
/// The columns of report 001's file of games.
const COLUMNS: [&str; 6] = [
    "player1", "color1", "result1", "player2", "color2", "result2",
];

/// The games of all series, in order.
fn games_of(series: &[SeriesRecord]) -> Vec<GameRecord> {
    series.iter().flat_map(SeriesRecord::games).collect()
}

/// Writes all files of a tournament into its run directory. The series must be in order of their numbers.
pub fn write_all(
    directory: &Path,
    header: &TournamentHeader,
    series: &[SeriesRecord],
    options: &ReportOptions,
) -> io::Result<()> {
    let write = |name: &str, bytes: &[u8]| write_atomically(&directory.join(name), bytes);
    write(RESULTS_FILE, &results_csv(header, series)?)?;
    write("report.txt", render(header, series, options).as_bytes())?;
    export::write_games(directory, &header.header, &games_of(series), options)
}

/// Report 001's file of games: names, sides and results of both players, the one listed earlier first. A result is discs or stones
/// where they are counted, else points; empty squares are nobody's.
pub fn results_csv(header: &TournamentHeader, series: &[SeriesRecord]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    let names = header.header.names();
    let facts = games::facts_of(&header.header.game);
    let sides = facts.map_or_else(Default::default, GameFacts::players_lowercase);
    for record in series {
        for game in record.games() {
            let mut row = Vec::new();
            for player in record.players {
                let side = usize::from(game.players.last() == Some(&player));
                row.push(names.get(player).copied().unwrap_or_default().to_owned());
                row.push(sides.get(side).cloned().unwrap_or_default());
                row.push(result_of(&game, side));
            }
            writer.write_record(row)?;
        }
    }
    writer.into_inner().map_err(|error| error.into_error())
}

/// The result of one side, 0 or 1.
fn result_of(game: &GameRecord, side: usize) -> String {
    match (game.score, game.result) {
        (Some(score), _) => score.get(side).map(u32::to_string).unwrap_or_default(),
        (None, Outcome::Draw) => "0.5".to_owned(),
        (None, Outcome::Win(winner)) => u32::from(winner.index() == side).to_string(),
    }
}

/// The whole report: the table of the players, points by side, then everything that a match of the same games shows.
pub fn render(
    header: &TournamentHeader,
    series: &[SeriesRecord],
    options: &ReportOptions,
) -> String {
    let mut out = String::new();
    let _ = write_standings(&mut out, header, series, options);
    let inner = ReportOptions {
        partial_of: None,
        ..options.clone()
    };
    out + &report::render(&header.header, &games_of(series), &inner)
}

/// A player's place in the table.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    player: usize,
    series: WdlCounts,
    stats: EngineStats,
}

impl Standing {
    /// Seconds of its moves, for each game.
    fn mean_game_seconds(&self) -> f64 {
        let [_, micros, _] = self.stats.move_totals;
        micros as f64 / 1e6 / f64::from(self.stats.results.total().games().max(1) as u32)
    }
}

/// The players, the one with the most points first.
fn standings(players: usize, series: &[SeriesRecord]) -> Vec<Standing> {
    let stats = report::engine_stats(players, &games_of(series));
    let mut standings: Vec<Standing> = (stats.into_iter().enumerate())
        .map(|(player, stats)| Standing {
            player,
            stats,
            series: WdlCounts::default(),
        })
        .collect();
    for record in series {
        let [one, other] = record.points();
        for (player, difference) in record.players.into_iter().zip([one - other, other - one]) {
            let won = difference.partial_cmp(&0.0).map_or(0, |order| order as i8);
            let result =
                WdlCounts::new(u32::from(won > 0), u32::from(won == 0), u32::from(won < 0));
            if let Some(standing) = standings.get_mut(player) {
                standing.series = standing.series + result;
            }
        }
    }
    standings.sort_by(|one, other| {
        let points = |standing: &Standing| standing.stats.results.total().points();
        points(other).total_cmp(&points(one))
    });
    standings
}

fn write_standings(
    out: &mut String,
    header: &TournamentHeader,
    series: &[SeriesRecord],
    options: &ReportOptions,
) -> std::fmt::Result {
    if let Some(total) = options.partial_of {
        writeln!(out, "PARTIAL: {} of {total} series", series.len())?;
    }
    let kind = match header.mode {
        TournamentMode::Match => "single games",
        TournamentMode::Tournament => "best of three",
    };
    writeln!(out, "tournament of {} series, {kind}", series.len())?;
    let names = header.header.names();
    let name = |player: usize| escape_invisible(names.get(player).copied().unwrap_or_default());
    let table = standings(names.len(), series);
    let width = (table.iter())
        .map(|standing| name(standing.player).chars().count())
        .max()
        .unwrap_or(0)
        .max(6);
    let has_pieces = table.iter().any(|standing| standing.stats.pieces != [0, 0]);
    write!(
        out,
        "  #  {:width$}  {:>6}  {:>11}  {:>11}",
        "player", "points", "games w-d-l", "series w-d-l"
    )?;
    if has_pieces {
        write!(out, "  {:>6}  {:>7}  {:>6}", "for", "against", "diff")?;
    }
    if !options.without_times {
        write!(out, "  {:>7}", "s/game")?;
    }
    writeln!(out)?;
    let wdl = |counts: WdlCounts| format!("{}-{}-{}", counts.wins, counts.draws, counts.losses);
    for (standing, place) in table.iter().zip(1..) {
        let all = standing.stats.results.total();
        write!(
            out,
            "{place:>3}  {:width$}  {:>6}  {:>11}  {:>12}",
            name(standing.player),
            all.points(),
            wdl(all),
            wdl(standing.series)
        )?;
        if has_pieces {
            let [own, others] = standing.stats.pieces;
            write!(
                out,
                "  {own:>6}  {others:>7}  {:>+6}",
                own as i64 - others as i64
            )?;
        }
        if !options.without_times {
            write!(out, "  {:>7.2}", standing.mean_game_seconds())?;
        }
        writeln!(out)?;
    }
    write_sides(out, header, &table)?;
    writeln!(out)
}

/// Points and discs or stones by side: each game counts once for the first player and once for the second.
fn write_sides(
    out: &mut String,
    header: &TournamentHeader,
    table: &[Standing],
) -> std::fmt::Result {
    let facts = games::facts_of(&header.header.game);
    let [first, second] = facts.map_or(["the first player", "the second player"], |facts| {
        facts.players
    });
    let games = table.iter().fold(WdlCounts::default(), |sum, standing| {
        sum + standing.stats.results.first
    });
    writeln!(
        out,
        "{first} {} points, {second} {} of {} games",
        games.points(),
        f64::from(games.games() as u32) - games.points(),
        games.games()
    )
}
