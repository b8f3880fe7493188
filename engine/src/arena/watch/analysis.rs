//! What engines say about moves while they think: `info` lines of UCI and UGI, `VerboseMoveStats`, and the analysis lines of Leela Zero
//! and KataGo in GTP. Whatever is not understood is passed over.

use std::str::SplitWhitespace;

/// The most moves of a line that are read.
pub const MAX_LINE_MOVES: usize = 1_000;

/// What a statement is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatementKind {
    /// A line of expected play.
    #[default]
    Line,
    /// The figures of one move at the root.
    MoveStats,
    /// The move at the root that is being searched (`currmove`).
    CurrentMove,
}

/// A score, for the player to move at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EngineScore {
    /// Centipawns, or the engine's equivalent.
    Centipawns(i32),
    /// Moves (UGI: plies) to the end of the game; negative if the player to move loses.
    Mate(i32),
    /// A win rate from 0 to 1.
    WinRate(f64),
}

impl EngineScore {
    /// As a win rate from 0 to 1, by the scale of [`crate::protocol::score::centipawns`].
    pub fn win_rate(self) -> f64 {
        match self {
            Self::Centipawns(score) => 1.0 / (1.0 + 10_f64.powf(-f64::from(score) / 400.0)),
            Self::Mate(moves) if moves > 0 => 1.0,
            Self::Mate(_) => 0.0,
            Self::WinRate(rate) => rate.clamp(0.0, 1.0),
        }
    }
}

/// One statement of an engine: a line of play, or a move, with its figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statement {
    /// What it is about.
    pub kind: StatementKind,
    /// The moves, as the engine writes them, from the root on.
    pub moves: Vec<String>,
    /// Its place among the best moves, from 1.
    pub multipv: Option<u32>,
    /// Plies looked ahead, and at most.
    pub depth: Option<u32>,
    /// The deepest ply reached.
    pub seldepth: Option<u32>,
    /// Positions or playouts of the whole search so far.
    pub nodes: Option<u64>,
    /// Milliseconds since the search began.
    pub time_ms: Option<u64>,
    /// The score.
    pub score: Option<EngineScore>,
    /// Wins, draws and losses per thousand.
    pub wdl: Option<[u32; 3]>,
    /// Whether the score is only a bound.
    pub is_bound: bool,
    /// Visits of the first move.
    pub visits: Option<u64>,
    /// The prior of the first move, from 0 to 1.
    pub prior: Option<f64>,
}

impl Statement {
    /// The win rate of the player to move at the root: of wins, draws and losses where they are told, else of the score.
    pub fn win_rate(&self) -> Option<f64> {
        match self.wdl {
            Some([won, drawn, lost]) if won + drawn + lost > 0 => {
                let all = f64::from(won + drawn + lost);
                Some((f64::from(won) + f64::from(drawn) / 2.0) / all)
            }
            _ => self.score.map(EngineScore::win_rate),
        }
    }
}

/// Reads an output line of any dialect.
pub fn parse(line: &str, is_kata: bool) -> Vec<Statement> {
    match line.starts_with("info move ") {
        true => parse_gtp(line, is_kata),
        false => parse_uci(line).into_iter().collect(),
    }
}

/// Reads an output line of UCI or UGI; none if it is not about moves.
pub fn parse_uci(line: &str) -> Option<Statement> {
    let mut words = line.split_whitespace();
    if words.next()? != "info" {
        return None;
    }
    let mut statement = Statement::default();
    while let Some(word) = words.next() {
        match word {
            "string" => return parse_move_stats(words),
            "pv" => {
                statement.moves = words
                    .by_ref()
                    .take(MAX_LINE_MOVES)
                    .map(str::to_owned)
                    .collect();
                break;
            }
            "currmove" => {
                statement.kind = StatementKind::CurrentMove;
                statement.moves = words.next().map(str::to_owned).into_iter().collect();
            }
            "multipv" => statement.multipv = parse_next(&mut words),
            "depth" => statement.depth = parse_next(&mut words),
            "seldepth" => statement.seldepth = parse_next(&mut words),
            "nodes" => statement.nodes = parse_next(&mut words),
            "time" => statement.time_ms = parse_next(&mut words),
            "score" => {
                statement.score = match words.next() {
                    Some("cp") => parse_next(&mut words).map(EngineScore::Centipawns),
                    Some("mate") => parse_next(&mut words).map(EngineScore::Mate),
                    _ => None,
                };
            }
            "lowerbound" | "upperbound" => statement.is_bound = true,
            "wdl" => statement.wdl = parse_wdl(&mut words),
            _ => {}
        }
    }
    (!statement.moves.is_empty()).then_some(statement)
}

fn parse_wdl(words: &mut SplitWhitespace<'_>) -> Option<[u32; 3]> {
    let mut part = || parse_next::<u32>(words).filter(|&part| part <= 1_000_000);
    Some([part()?, part()?, part()?])
}

/// Reads what follows `info string` where it is the figures of a move: ours, `e2e4 N: 212 Q: 0.0312`, and Lc0's,
/// `e2e4  (322 ) N:     212 (+ 5) (P: 12.34%) ... (Q:  0.03120)`.
fn parse_move_stats(words: SplitWhitespace<'_>) -> Option<Statement> {
    let mut words = words.map(|word| word.trim_matches(['(', ')']));
    let name = words.next().filter(|&name| name != "node")?;
    let mut statement = Statement {
        kind: StatementKind::MoveStats,
        moves: vec![name.to_owned()],
        ..Statement::default()
    };
    while let Some(word) = words.next() {
        let Some((key, value)) = word.split_once(':') else {
            continue;
        };
        let mut value = || match value {
            "" => words.next().unwrap_or_default(),
            value => value,
        };
        match key {
            "N" => statement.visits = Some(value().parse().ok()?),
            "P" => {
                let percent: Option<f64> = value().trim_end_matches('%').parse().ok();
                statement.prior = percent.map(|percent| percent / 100.0);
            }
            "Q" => {
                let value: Option<f64> = value().parse().ok();
                let rate = value
                    .filter(|value| value.is_finite())
                    .map(|value| (value + 1.0) / 2.0);
                statement.score = rate.map(EngineScore::WinRate);
            }
            _ => {}
        }
    }
    statement.visits.is_some().then_some(statement)
}

/// Reads an analysis line of GTP, with one statement for each move. Leela Zero's rates are out of ten thousand, KataGo's from 0 to 1.
pub fn parse_gtp(line: &str, is_kata: bool) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut words = line.split_whitespace().peekable();
    if words.peek() != Some(&"info") {
        return statements;
    }
    let scale = if is_kata { 1.0 } else { 10_000.0 };
    while let Some(word) = words.next() {
        if word == "info" {
            statements.push(Statement::default());
        }
        let Some(statement) = statements.last_mut() else {
            break;
        };
        let rate = |word: Option<&str>| {
            let rate: Option<f64> = word.and_then(|word| word.parse().ok());
            rate.filter(|rate| rate.is_finite())
                .map(|rate| rate / scale)
        };
        match word {
            "move" => statement.moves = words.next().map(str::to_owned).into_iter().collect(),
            "visits" => statement.visits = words.next().and_then(|word| word.parse().ok()),
            "winrate" => statement.score = rate(words.next()).map(EngineScore::WinRate),
            "prior" => statement.prior = rate(words.next()),
            "order" => {
                let order: Option<u32> = words.next().and_then(|word| word.parse().ok());
                statement.multipv = order.map(|order| order.saturating_add(1));
            }
            "pv" => {
                let is_move = |word: &&str| !PV_ENDS.contains(word);
                let mut line = Vec::new();
                while let Some(mv) = words.next_if(is_move) {
                    if line.len() < MAX_LINE_MOVES {
                        line.push(mv.to_owned());
                    }
                }
                if !line.is_empty() {
                    statement.moves = line;
                }
            }
            // What follows is about the position, not about moves.
            "rootInfo" | "ownership" => break,
            _ => {}
        }
    }
    statements.retain(|statement| !statement.moves.is_empty());
    statements
}

/// Words that may follow the moves of a `pv` in GTP.
const PV_ENDS: [&str; 6] = [
    "info",
    "pvVisits",
    "pvEdgeVisits",
    "rootInfo",
    "ownership",
    "movesOwnership",
];

fn parse_next<T: std::str::FromStr>(words: &mut SplitWhitespace<'_>) -> Option<T> {
    words.next()?.parse().ok()
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stockfish_is_read() {
        let line = "info depth 12 seldepth 16 multipv 2 score cp -34 lowerbound nodes 31337 nps 1 hashfull 0 tbhits 0 time 15 pv e2e4 e7e5";
        let statement = parse_uci(line).unwrap_or_default();
        assert_eq!(statement.moves, ["e2e4", "e7e5"]);
        assert_eq!(
            (statement.depth, statement.seldepth, statement.multipv),
            (Some(12), Some(16), Some(2))
        );
        assert_eq!(
            (statement.nodes, statement.time_ms),
            (Some(31_337), Some(15))
        );
        assert_eq!(statement.score, Some(EngineScore::Centipawns(-34)));
        assert!(statement.is_bound);
    }

    #[test]
    fn lines_without_moves_say_nothing() {
        for line in [
            "info depth 3",
            "info string NNUE evaluation using nn.nnue enabled",
            "info string node  (  20) N: 30 (Q: 0.1)",
            "info pv",
            "bestmove e2e4",
            "",
            "info score cp",
            "info nodes 99999999999999999999999",
        ] {
            assert_eq!(parse_uci(line), None, "{line}");
        }
    }

    #[test]
    fn win_rates_follow_from_scores_and_are_taken_from_wdl_where_it_is_told() {
        let even = parse_uci("info score cp 0 pv a").and_then(|line| line.win_rate());
        assert_eq!(even, Some(0.5));
        let told =
            parse_uci("info score cp 0 wdl 300 600 100 pv a").and_then(|line| line.win_rate());
        assert_eq!(told, Some(0.6));
        let mate = parse_uci("info score mate -3 pv a").and_then(|line| line.win_rate());
        assert_eq!(mate, Some(0.0));
        let ten_to_one = EngineScore::Centipawns(400).win_rate();
        assert!((ten_to_one - 10.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn figures_of_moves_are_read_as_we_and_as_lc0_write_them() {
        let ours = parse_uci("info string d3 N: 212 Q: -0.5").unwrap_or_default();
        assert_eq!((ours.visits, ours.win_rate()), (Some(212), Some(0.25)));
        let lc0 = "info string e2e4  (322 ) N:     212 (+ 5) (P: 12.50%) (WL:  0.03) (D: 0.512) (Q:  0.50000) (V:  -.----)";
        let lc0 = parse_uci(lc0).unwrap_or_default();
        assert_eq!(lc0.moves, ["e2e4"]);
        assert_eq!((lc0.visits, lc0.prior), (Some(212), Some(0.125)));
        assert_eq!(lc0.win_rate(), Some(0.75));
    }

    #[test]
    fn analysis_lines_of_leela_zero_and_katago_have_a_statement_for_each_move() {
        let leela = "info move D4 visits 3 winrate 4750 prior 1250 lcb 4000 order 0 pv D4 Q16 info move Q4 visits 1 winrate 4500 prior 1000 order 1 pv Q4";
        let leela = parse_gtp(leela, false);
        assert_eq!(leela.len(), 2);
        assert_eq!(leela[0].moves, ["D4", "Q16"]);
        assert_eq!(
            (leela[0].visits, leela[0].prior, leela[0].win_rate()),
            (Some(3), Some(0.125), Some(0.475))
        );
        assert_eq!(leela[1].multipv, Some(2));
        let kata = "info move C3 visits 7 utility 0.1 winrate 0.25 scoreMean 1 prior 0.5 order 0 pv C3 D4 pvVisits 7 3 ownership 0.1 0.2";
        let kata = parse_gtp(kata, true);
        assert_eq!(kata.len(), 1);
        assert_eq!(kata[0].moves, ["C3", "D4"]);
        assert_eq!(kata[0].win_rate(), Some(0.25));
        assert_eq!(parse_gtp("= D4", true), []);
    }
}
