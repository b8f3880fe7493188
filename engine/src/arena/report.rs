//! The final table of a match, for people.

use std::fmt::Write as _;

use super::{
    match_log::{EngineBuild, EngineRecord, GameRecord, MatchHeader},
    sprt::{Sprt, SprtRun, SprtVerdict},
    stats::{Variety, WdlByColour, WdlCounts},
};
use crate::{
    catalog::signature::signature_in,
    games::{self, notation::escape_invisible},
};

/// Failures listed in full.
const MAX_LISTED_FAILURES: usize = 3;

/// Statistics of one engine, over a match or against one opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EngineStats {
    /// Wins, draws and losses.
    pub results: WdlByColour,
    /// Its discs or stones at the end of its games, and its opponents'.
    pub pieces: [u64; 2],
    /// Moves it made, microseconds, nodes.
    pub move_totals: [u64; 3],
    /// Games it lost by its own fault.
    pub faults: u64,
    /// Number of remarks.
    pub remarks: u64,
}

impl EngineStats {
    /// Adds a game in which it was the first player (side 0) or the second (side 1).
    fn add_game(&mut self, record: &GameRecord, side: usize) {
        let results = match side {
            0 => &mut self.results.first,
            _ => &mut self.results.second,
        };
        *results = *results + record.wdl_of(side);
        if let Some([first, second]) = record.score {
            let (own, others) = if side == 0 {
                (first, second)
            } else {
                (second, first)
            };
            let [ours, theirs] = &mut self.pieces;
            *ours += u64::from(own);
            *theirs += u64::from(others);
        }
        let totals = record.move_totals(side);
        let [all_moves, all_micros, all_nodes] = &mut self.move_totals;
        *all_moves += totals.moves;
        *all_micros += totals.micros;
        *all_nodes += totals.nodes;
        let digit = side as u8 + 1;
        self.faults += u64::from(record.blame == Some(digit));
        self.remarks += record
            .remarks
            .iter()
            .filter(|(about, _)| *about == digit)
            .count() as u64;
    }

    /// Milliseconds for each move.
    pub fn mean_move_ms(&self) -> f64 {
        let [moves, micros, _] = self.move_totals;
        micros as f64 / 1000.0 / moves.max(1) as f64
    }

    /// Nodes for each move.
    pub fn mean_nodes(&self) -> f64 {
        let [moves, _, nodes] = self.move_totals;
        nodes as f64 / moves.max(1) as f64
    }
}

/// The statistics of each engine over all its games.
pub fn engine_stats(engines: usize, records: &[GameRecord]) -> Vec<EngineStats> {
    let mut sums = vec![EngineStats::default(); engines];
    for record in records {
        for (side, &engine) in record.players.iter().enumerate() {
            if let Some(sum) = sums.get_mut(engine) {
                sum.add_game(record, side);
            }
        }
    }
    sums
}

/// The statistics of `one` against `other`.
pub fn head_to_head(one: usize, other: usize, records: &[GameRecord]) -> EngineStats {
    let mut sum = EngineStats::default();
    for record in records {
        match record.players {
            players if players == [one, other] => sum.add_game(record, 0),
            players if players == [other, one] => sum.add_game(record, 1),
            _ => {}
        }
    }
    sum
}

/// The number of distinct games; the same moves by other players are another game.
pub fn game_variety(records: &[GameRecord]) -> Variety {
    Variety::of(
        records
            .iter()
            .map(|record| (record.players, &record.start, &record.moves)),
    )
}

/// What a report says besides the games.
#[derive(Clone, Debug, Default)]
pub struct ReportOptions {
    /// Leaves out everything that differs when the same games are played again: times and dates.
    pub without_times: bool,
    /// Number of games of the whole match, if some are missing.
    pub partial_of: Option<u64>,
    /// The test of the first engine against the second.
    pub sprt: Option<Sprt>,
    /// Remarks about the match, each a line.
    pub remarks: Vec<String>,
}

/// The whole report. Names and messages of engines are escaped, so that control and bidirectional characters show.
pub fn render(header: &MatchHeader, records: &[GameRecord], options: &ReportOptions) -> String {
    let mut out = String::new();
    let _ = write_report(&mut out, &escape_header(header), records, options);
    out
}

/// A line for each of our own engines whose search has changed since the match.
pub fn stale_engines(header: &MatchHeader) -> Vec<String> {
    let changed = |engine: &EngineRecord| {
        let then = &engine.build.as_ref()?.signature;
        let now = signature_in(&header.game, engine.own_search()?);
        let now = now.as_deref().unwrap_or("none");
        let name = escape_invisible(&engine.name);
        (then != now).then(|| {
            format!("stale: the search of {name} has changed since: its signature is {now} now, not {then}")
        })
    };
    header.engines.iter().filter_map(changed).collect()
}

/// A header whose texts can be shown to people.
fn escape_header(header: &MatchHeader) -> MatchHeader {
    let readable = |text: &str| escape_invisible(text).into_owned();
    let engine = |engine: &EngineRecord| EngineRecord {
        name: readable(&engine.name),
        command: engine.command.iter().map(|word| readable(word)).collect(),
        options: (engine.options.iter())
            .map(|(name, value)| (readable(name), readable(value)))
            .collect(),
        ..engine.clone()
    };
    MatchHeader {
        game: readable(&header.game),
        engines: header.engines.iter().map(engine).collect(),
        ..header.clone()
    }
}

/// A test of the first engine against the second that has judged the games on record.
pub fn run_sprt(sprt: Sprt, records: &[GameRecord]) -> SprtRun {
    let mut test = SprtRun::new(sprt);
    for record in records {
        add_to_sprt(&mut test, record);
    }
    test
}

/// Has a test of the first engine against the second take in a game.
pub fn add_to_sprt(test: &mut SprtRun, record: &GameRecord) {
    let result = head_to_head(0, 1, std::slice::from_ref(record))
        .results
        .total();
    test.add(record.game, result);
}

/// The state of an SPRT, in a line.
pub fn format_sprt(test: &SprtRun, header: &MatchHeader) -> String {
    let names = header.names();
    let (sprt, judged) = (test.test(), test.judged());
    let verdict = match test.verdict() {
        SprtVerdict::Continue => "not decided yet",
        SprtVerdict::AcceptH0 => "H0 accepted: no such gain",
        SprtVerdict::AcceptH1 => "H1 accepted: a gain",
    };
    format!(
        "SPRT of {}: LLR {:.2} ({:.2}, {:.2}) after {} games: {verdict}",
        escape_invisible(names.first().copied().unwrap_or_default()),
        sprt.log_likelihood_ratio(judged),
        sprt.lower_bound(),
        sprt.upper_bound(),
        judged.games(),
    )
}

fn write_report(
    out: &mut String,
    header: &MatchHeader,
    records: &[GameRecord],
    options: &ReportOptions,
) -> std::fmt::Result {
    let names = header.names();
    if let Some(total) = options.partial_of {
        writeln!(out, "PARTIAL: {} of {total} games", records.len())?;
    }
    writeln!(
        out,
        "{}, {} games, seed {}",
        header.game,
        records.len(),
        header.seed
    )?;
    for engine in &header.engines {
        write_engine(out, engine)?;
    }
    for remark in &options.remarks {
        writeln!(out, "{remark}")?;
    }
    writeln!(out)?;
    let score_unit = games::facts_of(&header.game).map_or("score", |facts| facts.score_unit);
    write_standings(out, &names, (records, score_unit), options)?;
    for later in 1..names.len() {
        for earlier in 0..later {
            if let (Some(one), Some(other)) = (names.get(earlier), names.get(later)) {
                let sum = head_to_head(earlier, later, records);
                if sum.results.total().games() > 0 {
                    writeln!(out)?;
                    write_pairing(out, one, other, &sum)?;
                }
            }
        }
    }
    writeln!(out)?;
    write_variety(out, records)?;
    write_failures(out, header, records)?;
    if let Some(sprt) = options.sprt {
        writeln!(out, "{}", format_sprt(&run_sprt(sprt, records), header))?;
    }
    Ok(())
}

/// Who an engine is, in a line.
fn write_engine(out: &mut String, engine: &EngineRecord) -> std::fmt::Result {
    let command = match &engine.build {
        Some(EngineBuild { version, signature }) => {
            format!("canopy-engine {version}, signature {signature}")
        }
        None if engine.is_person() => return writeln!(out, "{}: a person", engine.name),
        None => shlex::try_join(engine.command.iter().map(String::as_str)).unwrap_or_default(),
    };
    let limits = match engine.go.as_str() {
        "" => String::new(),
        limits => format!(", {limits}"),
    };
    let dialect = engine.dialect.name();
    write!(out, "{}: {command} ({dialect}{limits})", engine.name)?;
    for (name, value) in &engine.options {
        write!(out, " {name}={value}")?;
    }
    writeln!(out)
}

fn write_standings(
    out: &mut String,
    names: &[&str],
    (records, score_unit): (&[GameRecord], &str),
    options: &ReportOptions,
) -> std::fmt::Result {
    let sums = engine_stats(names.len(), records);
    let mut order: Vec<(&&str, &EngineStats)> = names.iter().zip(&sums).collect();
    order.sort_by(|(_, one), (_, other)| {
        let score = |sum: &EngineStats| sum.results.total().score();
        score(other).total_cmp(&score(one))
    });
    let width = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0)
        .max(6);
    let has_pieces = sums.iter().any(|sum| sum.pieces != [0, 0]);
    write!(
        out,
        "{:width$}  {:>6} {:>6} {:>6} {:>8} {:>7}  {:>15}  {:>15}",
        "engine", "won", "drawn", "lost", "points", "score", "first w-d-l", "second w-d-l"
    )?;
    if has_pieces {
        write!(out, "  {score_unit:>15}")?;
    }
    if !options.without_times {
        write!(out, "  {:>11}", "ms/move")?;
    }
    writeln!(out, "  {:>11}  faults", "nodes/move")?;
    for (name, sum) in order {
        let all = sum.results.total();
        write!(
            out,
            "{name:width$}  {:>6} {:>6} {:>6} {:>8} {:>6.1}%  {:>15}  {:>15}",
            all.wins,
            all.draws,
            all.losses,
            all.points(),
            100.0 * all.score(),
            format_wdl(sum.results.first),
            format_wdl(sum.results.second),
        )?;
        if has_pieces {
            let [own, others] = sum.pieces;
            write!(out, "  {:>15}", format!("{own}:{others}"))?;
        }
        if !options.without_times {
            write!(out, "  {:>11.3}", sum.mean_move_ms())?;
        }
        writeln!(out, "  {:>11.1}  {}", sum.mean_nodes(), sum.faults)?;
    }
    Ok(())
}

fn format_wdl(tally: WdlCounts) -> String {
    format!("{}-{}-{}", tally.wins, tally.draws, tally.losses)
}

fn write_pairing(out: &mut String, one: &str, other: &str, sum: &EngineStats) -> std::fmt::Result {
    let all = sum.results.total();
    let interval = all.wilson_interval();
    let mcnemar = all.mcnemar();
    writeln!(
        out,
        "{one} against {other}: {} won, {} drawn, {} lost",
        all.wins, all.draws, all.losses
    )?;
    writeln!(
        out,
        "  score        {:.1} %, 95 % interval {:.1} to {:.1} % (Wilson)",
        100.0 * all.score(),
        100.0 * interval.low,
        100.0 * interval.high
    )?;
    writeln!(out, "  Elo          {}", all.elo())?;
    writeln!(
        out,
        "  superiority  {:.1} %",
        100.0 * all.likelihood_of_superiority()
    )?;
    writeln!(out, "  sign test    p = {:.4}", all.sign_test())?;
    writeln!(
        out,
        "  McNemar      {:.2}, {} at 5 %",
        mcnemar.chi_squared,
        if mcnemar.is_significant() {
            "significant"
        } else {
            "not significant"
        }
    )?;
    let first = sum.results.first_player();
    writeln!(
        out,
        "  first player {} won, {} drawn, {} lost",
        first.wins, first.draws, first.losses
    )
}

fn write_variety(out: &mut String, records: &[GameRecord]) -> std::fmt::Result {
    let variety = game_variety(records);
    writeln!(
        out,
        "{} of {} games are different",
        variety.distinct, variety.games
    )?;
    if variety.is_low() {
        writeln!(
            out,
            "warning: games were played again and again, and say less than the intervals claim; openings (--openings) or random plies \
             (--plies) make them differ"
        )?;
    }
    Ok(())
}

/// The failures: the first games in full, the others counted.
fn write_failures(
    out: &mut String,
    header: &MatchHeader,
    records: &[GameRecord],
) -> std::fmt::Result {
    let names = header.names();
    let name = |record: &GameRecord, digit: u8| {
        let side = usize::from(digit == 2);
        let engine = record.players.get(side).copied().unwrap_or(0);
        names.get(engine).copied().unwrap_or_default()
    };
    let failed: Vec<&GameRecord> = (records.iter())
        .filter(|record| record.ending.is_fault())
        .collect();
    for record in failed.iter().take(MAX_LISTED_FAILURES) {
        let who = name(record, record.blame.unwrap_or(1));
        writeln!(out)?;
        let reason = escape_invisible(&record.reason);
        writeln!(out, "game {}: {who} {reason}", record.game)?;
        writeln!(out, "  position: {}", escape_invisible(&record.position))?;
        writeln!(out, "  moves:    {}", escape_invisible(&record.moves))?;
        if let Some(post_mortem) = &record.remains {
            writeln!(out, "  process:  {}", escape_invisible(&post_mortem.exit))?;
            for (what, lines) in [
                ("last lines", &post_mortem.lines),
                ("standard error", &post_mortem.complaints),
            ] {
                if !lines.is_empty() {
                    writeln!(out, "  {what}:")?;
                }
                for line in lines {
                    writeln!(out, "    {}", escape_invisible(line))?;
                }
            }
        }
    }
    if failed.len() > MAX_LISTED_FAILURES {
        writeln!(
            out,
            "and {} more games ended by a fault",
            failed.len() - MAX_LISTED_FAILURES
        )?;
    }
    let mut remarks = Vec::new();
    for record in records {
        for (about, text) in &record.remarks {
            remarks.push(format!(
                "game {}: {} {}",
                record.game,
                name(record, *about),
                escape_invisible(text)
            ));
        }
    }
    for remark in remarks.iter().take(MAX_LISTED_FAILURES) {
        writeln!(out, "{remark}")?;
    }
    if remarks.len() > MAX_LISTED_FAILURES {
        writeln!(
            out,
            "and {} more such remarks",
            remarks.len() - MAX_LISTED_FAILURES
        )?;
    }
    Ok(())
}
