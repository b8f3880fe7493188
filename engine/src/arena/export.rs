//! Files for other programs: a table of the games, and the games in the usual record formats.

use std::{fmt::Write as _, io, path::Path, time::Duration};

use super::{
    client::MATE_SCORE,
    match_log::{self, GameRecord, MatchHeader, MoveTotals},
    report::{self, ReportOptions},
};
use crate::{
    games::{self, GameFacts, Outcome, Player, chess::pgn, facts::RecordFormat, othello::ggf},
    runs::directory::write_atomically,
    tree::writer::timestamp,
};

/// The columns of games.csv. Those of report 001 are among them under their names, and those of report 004 by number of player
/// instead of by colour.
pub const CSV_COLUMNS: [&str; 37] = [
    "game",
    "pairing",
    "round",
    "opening",
    "seed",
    "player1",
    "color1",
    "result1",
    "player2",
    "color2",
    "result2",
    "limits1",
    "limits2",
    "winner",
    "result",
    "ending",
    "reason",
    "blame",
    "score1",
    "score2",
    "moves",
    "game_time",
    "time1",
    "moves1",
    "avg_time1",
    "nodes1",
    "depth1",
    "time2",
    "moves2",
    "avg_time2",
    "nodes2",
    "depth2",
    "start",
    "plies",
    "record",
    "leaves1",
    "leaves2",
];

/// Writes all files of a match into a directory: the match log, the table, the report, and the games for other programs. The
/// games must be in order of their numbers.
pub fn write_all(
    directory: &Path,
    header: &MatchHeader,
    records: &[GameRecord],
    options: &ReportOptions,
) -> io::Result<()> {
    let write = |name: &str, text: &str| write_atomically(&directory.join(name), text.as_bytes());
    let log = match options.without_times {
        true => {
            let records: Vec<GameRecord> = records.iter().map(GameRecord::without_times).collect();
            match_log::to_text(header, &records)
        }
        false => match_log::to_text(header, records),
    };
    write(match_log::FILE_NAME, &log)?;
    write("report.txt", &report::render(header, records, options))?;
    write_games(directory, header, records, options)
}

/// Writes the table of the games, and the games for other programs, into a directory.
pub(super) fn write_games(
    directory: &Path,
    header: &MatchHeader,
    records: &[GameRecord],
    options: &ReportOptions,
) -> io::Result<()> {
    let without_times: Vec<GameRecord>;
    let records = match options.without_times {
        true => {
            without_times = records.iter().map(GameRecord::without_times).collect();
            &without_times
        }
        false => records,
    };
    let write = |name: &str, bytes: &[u8]| write_atomically(&directory.join(name), bytes);
    write("games.csv", &games_csv(header, records)?)?;
    for (name, text) in game_files(header, records) {
        write(name, text.as_bytes())?;
    }
    Ok(())
}

/// The text of games.csv.
pub fn games_csv(header: &MatchHeader, records: &[GameRecord]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(CSV_COLUMNS)?;
    let facts = games::facts_of(&header.game);
    let colours = facts.map_or_else(Default::default, GameFacts::players_lowercase);
    for record in records {
        writer.write_record(csv_row(header, record, &colours))?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

fn csv_row(header: &MatchHeader, record: &GameRecord, colours: &[String; 2]) -> Vec<String> {
    let names = header.names();
    let [first, second] = record.players;
    let name = |engine: usize| names.get(engine).copied().unwrap_or_default().to_owned();
    let limits = |engine: usize| {
        let engine = header.engines.get(engine);
        engine.map(|engine| engine.go.clone()).unwrap_or_default()
    };
    let points = points_of(record.result);
    // Discs or stones where they are counted, else points, as report 001 has it.
    let result = |side: usize| match record.score {
        Some(score) => score.get(side).map(u32::to_string).unwrap_or_default(),
        None => points
            .get(side)
            .map(|points| points.to_string())
            .unwrap_or_default(),
    };
    let score = |side: usize| {
        let score = record.score.and_then(|score| score.get(side).copied());
        score.map(|score| score.to_string()).unwrap_or_default()
    };
    let winner = match record.result {
        Outcome::Win(Player::First) => name(first),
        Outcome::Win(Player::Second) => name(second),
        Outcome::Draw => "draw".to_owned(),
    };
    let blame = match record.blame {
        Some(1) => name(first),
        Some(_) => name(second),
        None => String::new(),
    };
    let millis = |micros: u64| match record.has_times() {
        true => format!("{:.3}", micros as f64 / 1000.0),
        false => String::new(),
    };
    let effort = |side: usize| {
        let MoveTotals {
            moves,
            micros,
            nodes,
            ..
        } = record.move_totals(side);
        let average = micros.checked_div(moves).unwrap_or(0);
        let depths: Vec<u32> = (record.engine_moves())
            .filter(|&(mover, _)| mover == side)
            .filter_map(|(_, index)| record.depths.get(index).copied())
            .collect();
        let sum: u64 = depths.iter().map(|&depth| u64::from(depth)).sum();
        let depth = sum as f64 / depths.len().max(1) as f64;
        [
            millis(micros),
            moves.to_string(),
            millis(average),
            nodes.to_string(),
            format!("{depth:.2}"),
        ]
    };
    let [colour1, colour2] = colours.clone();
    let mut row = vec![
        record.game.to_string(),
        record.pairing.to_string(),
        record.round.to_string(),
        record.opening.to_string(),
        record.seed.to_string(),
        name(first),
        colour1,
        result(0),
        name(second),
        colour2,
        result(1),
        limits(first),
        limits(second),
        winner,
        record.result.as_str().to_owned(),
        record.ending.description().to_owned(),
        record.reason.clone(),
        blame,
        score(0),
        score(1),
        record.movers.len().to_string(),
        millis(record.micros.iter().sum()),
    ];
    row.extend(effort(0));
    row.extend(effort(1));
    row.push(match record.start.as_str() {
        "" => "startpos".to_owned(),
        start => start.to_owned(),
    });
    row.push(record.plies.to_string());
    row.push(record.moves.clone());
    row.extend([0, 1].map(|side| match record.move_totals(side).leaves {
        0 => String::new(),
        leaves => leaves.to_string(),
    }));
    row
}

/// What both sides got.
fn points_of(result: Outcome) -> [f64; 2] {
    match result {
        Outcome::Win(Player::First) => [1.0, 0.0],
        Outcome::Win(Player::Second) => [0.0, 1.0],
        Outcome::Draw => [0.5, 0.5],
    }
}

/// The files of games: the move list, and the game's own record formats.
fn game_files(header: &MatchHeader, records: &[GameRecord]) -> Vec<(&'static str, String)> {
    let mut list = String::new();
    let facts = games::facts_of(&header.game);
    let separator = facts.map_or(" ", |facts| facts.move_separator);
    let _ = writeln!(
        list,
        "# {}: result, moves, and the start if it is another",
        header.game
    );
    for record in records {
        let moves = record.moves.replace(' ', separator);
        let start = match record.start.as_str() {
            "" => String::new(),
            start => format!(" # from {start}"),
        };
        let _ = writeln!(list, "{} {moves}{start}", record.result.as_str());
    }
    let mut files = vec![("games.txt", list)];
    let all = |write: &dyn Fn(&GameRecord) -> Option<String>| -> String {
        records.iter().filter_map(write).collect()
    };
    for format in facts.map_or(&[][..], |facts| facts.record_formats) {
        files.push(match format {
            RecordFormat::Pgn => (
                "games.pgn",
                all(&|record| Some(to_pgn(header, record)? + "\n")),
            ),
            RecordFormat::Ggf => (
                "games.ggf",
                all(&|record| Some(to_ggf(header, record)? + "\n")),
            ),
        });
    }
    files
}

fn start_position(record: &GameRecord) -> &str {
    match record.start.as_str() {
        "" => "startpos",
        start => start,
    }
}

fn player_names<'a>(header: &'a MatchHeader, record: &GameRecord) -> [&'a str; 2] {
    let names = header.names();
    record
        .players
        .map(|engine| names.get(engine).copied().unwrap_or_default())
}

fn to_pgn(header: &MatchHeader, record: &GameRecord) -> Option<String> {
    let variant = header
        .game
        .split_once(':')
        .map_or("", |(_, variant)| variant);
    let mut game = pgn::PgnRecord::from_moves(
        variant,
        start_position(record),
        record.moves.split_whitespace(),
    )?;
    let [white, black] = player_names(header, record);
    let result = match record.result {
        Outcome::Win(Player::First) => "1-0",
        Outcome::Win(Player::Second) => "0-1",
        Outcome::Draw => "1/2-1/2",
    };
    let date = match record.began {
        0 => String::from("????????"),
        began => timestamp(Duration::from_millis(began)),
    };
    let part = |from: usize, to: usize| date.get(from..to).unwrap_or("??");
    game.set_tag("Event", "Canopy match");
    game.set_tag(
        "Date",
        format!("{}.{}.{}", part(0, 4), part(4, 6), part(6, 8)),
    );
    game.set_tag("Round", record.game.to_string());
    game.set_tag("White", white);
    game.set_tag("Black", black);
    game.set_tag("Result", result);
    game.set_tag("Termination", record.ending.description());
    for (index, (_, comment_text)) in game.moves.iter_mut().enumerate() {
        *comment_text = match index.checked_sub(record.plies) {
            None => "book".to_owned(),
            Some(own) => move_comment(record, own),
        };
    }
    if let Some((_, comment)) = game.moves.last_mut() {
        let _ = write!(comment, ", {}", record.reason);
    }
    Some(game.to_string())
}

/// An engine's report on its move as a PGN comment: `+0.35/12 0.53s`.
fn move_comment(record: &GameRecord, index: usize) -> String {
    let time = match record.has_times() {
        true => {
            let micros = record.micros.get(index).copied().unwrap_or(0);
            format!("{:.3}s", micros as f64 / 1e6)
        }
        false => String::new(),
    };
    let depth = record.depths.get(index).copied().unwrap_or(0);
    let score = match record.scores.get(index).copied().flatten() {
        Some(score) if score.abs() > MATE_SCORE / 2 => {
            let sign = if score > 0 { '+' } else { '-' };
            format!("{sign}M{}/{depth} ", MATE_SCORE - score.abs())
        }
        Some(score) => format!("{:+.2}/{depth} ", f64::from(score) / 100.0),
        None => String::new(),
    };
    format!("{score}{time}").trim_end().to_owned()
}

fn to_ggf(header: &MatchHeader, record: &GameRecord) -> Option<String> {
    let mut game =
        ggf::GgfRecord::from_moves(start_position(record), record.moves.split_whitespace())?;
    game.place = "Canopy match".to_owned();
    game.players = player_names(header, record).map(str::to_owned);
    let [black, white] = record.score.unwrap_or_default().map(f64::from);
    let (margin, ending) = match (record.result, record.ending) {
        (_, super::referee::Termination::Rules) => (black - white, ggf::GgfEnding::Played),
        // Who loses otherwise loses everything.
        (Outcome::Win(Player::First), ending) => (64.0, to_ggf_ending(ending)),
        (Outcome::Win(Player::Second), ending) => (-64.0, to_ggf_ending(ending)),
        (Outcome::Draw, ending) => (0.0, to_ggf_ending(ending)),
    };
    game.result = Some(ggf::GgfResult { margin, ending });
    Some(game.to_string())
}

fn to_ggf_ending(ending: super::referee::Termination) -> ggf::GgfEnding {
    use super::referee::Termination;
    match ending {
        Termination::Late | Termination::Silent => ggf::GgfEnding::TimeOut,
        Termination::DrawAgreed | Termination::TooLong => ggf::GgfEnding::Agreed,
        _ => ggf::GgfEnding::Resigned,
    }
}
