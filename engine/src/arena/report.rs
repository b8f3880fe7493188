//! The final table of a match, for people.

use std::fmt::Write as _;

use super::{
    journal::{EngineText, Heading, Record},
    sprt::{Sequential, Sprt, Verdict},
    stats::{ByColour, Tally, Variety},
};
use crate::games::notation::visible;

/// So many failures are told in full.
const MOST_FAILURES: usize = 3;

/// What one engine did in a match, or against one other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// Wins, draws and losses.
    pub results: ByColour,
    /// Its discs or stones, and its opponents'.
    pub men: [u64; 2],
    /// Moves it made, microseconds, nodes.
    pub effort: [u64; 3],
    /// Games it lost by its own fault.
    pub faults: u64,
    /// Other things to be said of it.
    pub remarks: u64,
}

impl Sum {
    /// Adds a game in which it was the first player (side 0) or the second (side 1).
    fn add(&mut self, record: &Record, side: usize) {
        let results = match side {
            0 => &mut self.results.first,
            _ => &mut self.results.second,
        };
        let game = match (record.result.as_str(), side) {
            ("p1win", 0) | ("p2win", 1) => Tally::new(1, 0, 0),
            ("draw", _) => Tally::new(0, 1, 0),
            _ => Tally::new(0, 0, 1),
        };
        *results = *results + game;
        if let Some([first, second]) = record.score {
            let (own, others) = if side == 0 {
                (first, second)
            } else {
                (second, first)
            };
            let [ours, theirs] = &mut self.men;
            *ours += u64::from(own);
            *theirs += u64::from(others);
        }
        let (moves, micros, nodes) = record.effort(side);
        let [all_moves, all_micros, all_nodes] = &mut self.effort;
        *all_moves += moves;
        *all_micros += micros;
        *all_nodes += nodes;
        let digit = side as u8 + 1;
        self.faults += u64::from(record.blame == Some(digit));
        self.remarks += record
            .remarks
            .iter()
            .filter(|(about, _)| *about == digit)
            .count() as u64;
    }

    /// Milliseconds for each move.
    pub fn mean_time(&self) -> f64 {
        let [moves, micros, _] = self.effort;
        micros as f64 / 1000.0 / moves.max(1) as f64
    }

    /// Nodes for each move.
    pub fn mean_nodes(&self) -> f64 {
        let [moves, _, nodes] = self.effort;
        nodes as f64 / moves.max(1) as f64
    }
}

/// What each engine did in all its games.
pub fn sums(engines: usize, records: &[Record]) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); engines];
    for record in records {
        for (side, &engine) in record.players.iter().enumerate() {
            if let Some(sum) = sums.get_mut(engine) {
                sum.add(record, side);
            }
        }
    }
    sums
}

/// What `one` did in its games against `other`.
pub fn against(one: usize, other: usize, records: &[Record]) -> Sum {
    let mut sum = Sum::default();
    for record in records {
        match record.players {
            players if players == [one, other] => sum.add(record, 0),
            players if players == [other, one] => sum.add(record, 1),
            _ => {}
        }
    }
    sum
}

/// How many games differ; the same moves by other players are another game.
pub fn variety(records: &[Record]) -> Variety {
    Variety::of(
        records
            .iter()
            .map(|record| (record.players, &record.start, &record.moves)),
    )
}

/// The whole report. What engines are called and have said is written so that nothing in it deceives the eye.
pub fn text(heading: &Heading, records: &[Record]) -> String {
    let mut out = String::new();
    let _ = write(&mut out, &readable(heading), records);
    out
}

/// A heading whose texts can be shown to people.
fn readable(heading: &Heading) -> Heading {
    let readable = |text: &str| visible(text).into_owned();
    let engine = |engine: &EngineText| EngineText {
        name: readable(&engine.name),
        command: engine.command.iter().map(|word| readable(word)).collect(),
        options: (engine.options.iter())
            .map(|(name, value)| (readable(name), readable(value)))
            .collect(),
        ..engine.clone()
    };
    Heading {
        game: readable(&heading.game),
        engines: heading.engines.iter().map(engine).collect(),
        ..heading.clone()
    }
}

/// A test of the first engine against the second that has judged the games on record.
pub fn sequential(sprt: Sprt, records: &[Record]) -> Sequential {
    let mut test = Sequential::new(sprt);
    for record in records {
        judge(&mut test, record);
    }
    test
}

/// Has a test of the first engine against the second take in a game.
pub fn judge(test: &mut Sequential, record: &Record) {
    let result = against(0, 1, std::slice::from_ref(record)).results.total();
    test.add(record.game, result);
}

/// What an SPRT says, in a line.
pub fn sprt_line(test: &Sequential, heading: &Heading) -> String {
    let names = heading.names();
    let (sprt, judged) = (test.test(), test.judged());
    let verdict = match test.verdict() {
        Verdict::Continue => "not decided yet",
        Verdict::AcceptH0 => "H0 accepted: no such gain",
        Verdict::AcceptH1 => "H1 accepted: a gain",
    };
    format!(
        "SPRT of {}: LLR {:.2} ({:.2}, {:.2}) after {} games: {verdict}",
        visible(names.first().copied().unwrap_or_default()),
        sprt.log_likelihood_ratio(judged),
        sprt.lower_bound(),
        sprt.upper_bound(),
        judged.games(),
    )
}

fn write(out: &mut String, heading: &Heading, records: &[Record]) -> std::fmt::Result {
    let names = heading.names();
    writeln!(
        out,
        "{}, {} games, seed {}",
        heading.game,
        records.len(),
        heading.seed
    )?;
    for engine in &heading.engines {
        let command =
            shlex::try_join(engine.command.iter().map(String::as_str)).unwrap_or_default();
        write!(
            out,
            "{}: {command} ({}, {})",
            engine.name,
            engine.dialect.name(),
            engine.go
        )?;
        for (name, value) in &engine.options {
            write!(out, " {name}={value}")?;
        }
        writeln!(out)?;
    }
    writeln!(out)?;
    standings(out, &names, records)?;
    for later in 1..names.len() {
        for earlier in 0..later {
            if let (Some(one), Some(other)) = (names.get(earlier), names.get(later)) {
                let sum = against(earlier, later, records);
                if sum.results.total().games() > 0 {
                    writeln!(out)?;
                    pairing(out, one, other, &sum)?;
                }
            }
        }
    }
    writeln!(out)?;
    different(out, records)?;
    failures(out, heading, records)
}

fn standings(out: &mut String, names: &[&str], records: &[Record]) -> std::fmt::Result {
    let sums = sums(names.len(), records);
    let mut order: Vec<(&&str, &Sum)> = names.iter().zip(&sums).collect();
    order.sort_by(|(_, one), (_, other)| {
        let score = |sum: &Sum| sum.results.total().score();
        score(other).total_cmp(&score(one))
    });
    let width = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0)
        .max(6);
    let counts_men = sums.iter().any(|sum| sum.men != [0, 0]);
    write!(
        out,
        "{:width$}  {:>6} {:>6} {:>6} {:>8} {:>7}  {:>15}  {:>15}",
        "engine", "won", "drawn", "lost", "points", "score", "first w-d-l", "second w-d-l"
    )?;
    if counts_men {
        write!(out, "  {:>15}", "men")?;
    }
    writeln!(out, "  {:>11} {:>11}  faults", "ms/move", "nodes/move")?;
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
            triple(sum.results.first),
            triple(sum.results.second),
        )?;
        if counts_men {
            let [own, others] = sum.men;
            write!(out, "  {:>15}", format!("{own}:{others}"))?;
        }
        writeln!(
            out,
            "  {:>11.3} {:>11.1}  {}",
            sum.mean_time(),
            sum.mean_nodes(),
            sum.faults
        )?;
    }
    Ok(())
}

fn triple(tally: Tally) -> String {
    format!("{}-{}-{}", tally.wins, tally.draws, tally.losses)
}

fn pairing(out: &mut String, one: &str, other: &str, sum: &Sum) -> std::fmt::Result {
    let all = sum.results.total();
    let interval = all.wilson();
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
    writeln!(out, "  superiority  {:.1} %", 100.0 * all.superiority())?;
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

fn different(out: &mut String, records: &[Record]) -> std::fmt::Result {
    let variety = variety(records);
    writeln!(
        out,
        "{} of {} games are different",
        variety.different, variety.games
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

/// What went wrong: the first games in full, the others counted.
fn failures(out: &mut String, heading: &Heading, records: &[Record]) -> std::fmt::Result {
    let names = heading.names();
    let name = |record: &Record, digit: u8| {
        let side = usize::from(digit == 2);
        let engine = record.players.get(side).copied().unwrap_or(0);
        names.get(engine).copied().unwrap_or_default()
    };
    let failed: Vec<&Record> = (records.iter())
        .filter(|record| record.ending.is_fault())
        .collect();
    for record in failed.iter().take(MOST_FAILURES) {
        let who = name(record, record.blame.unwrap_or(1));
        writeln!(out)?;
        let reason = visible(&record.reason);
        writeln!(out, "game {}: {who} {reason}", record.game)?;
        writeln!(out, "  position: {}", visible(&record.position))?;
        writeln!(out, "  moves:    {}", visible(&record.moves))?;
        if let Some(remains) = &record.remains {
            writeln!(out, "  process:  {}", visible(&remains.exit))?;
            for (what, lines) in [
                ("last lines", &remains.lines),
                ("standard error", &remains.complaints),
            ] {
                if !lines.is_empty() {
                    writeln!(out, "  {what}:")?;
                }
                for line in lines {
                    writeln!(out, "    {}", visible(line))?;
                }
            }
        }
    }
    if failed.len() > MOST_FAILURES {
        writeln!(
            out,
            "and {} more games ended by a fault",
            failed.len() - MOST_FAILURES
        )?;
    }
    let mut remarks = Vec::new();
    for record in records {
        for (about, text) in &record.remarks {
            remarks.push(format!(
                "game {}: {} {}",
                record.game,
                name(record, *about),
                visible(text)
            ));
        }
    }
    for remark in remarks.iter().take(MOST_FAILURES) {
        writeln!(out, "{remark}")?;
    }
    if remarks.len() > MOST_FAILURES {
        writeln!(
            out,
            "and {} more such remarks",
            remarks.len() - MOST_FAILURES
        )?;
    }
    Ok(())
}
