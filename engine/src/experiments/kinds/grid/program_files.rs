//! The files of report 004's program: a table for each depth and kind of search, and what it printed of every game.

use std::fmt::Write as _;

use super::{GridContext, GridGame};
use crate::{
    experiments::kinds::{OutputFile, games::GameRow},
    games::{Outcome, Player},
};

/// The columns of a table.
const HEADER: &str = "Black Heuristic, White Heuristic, Depth, Prune, Winner, Strategy, Black Score, White Score, Moves, Game Time, \
                      Black Time, Black Moves, Black Avg Time, White Time, White Moves, White Avg Time, Black Nodes, White Nodes";

/// `depth_<depth>_<True|False>.csv` for each depth that both players of some games have, and `console.txt`. Without times, their
/// columns are empty.
pub(super) fn all(
    context: &GridContext<'_>,
    prunes: impl Fn(&GameRow) -> bool,
    has_times: bool,
) -> Vec<OutputFile> {
    let mut files: Vec<OutputFile> = Vec::new();
    let mut console = String::new();
    for &(game, row) in &context.played {
        let lines = GameLines {
            context,
            game,
            row,
            prunes: prunes(row),
            has_times,
        };
        if !console.is_empty() {
            console.push('\n');
        }
        console += &lines.console();
        let [depth, second] = game.depths;
        if depth != second {
            continue;
        }
        let name = format!("depth_{depth}_{}.csv", lines.prune_word());
        let line = lines.table_row() + "\n";
        match files.iter_mut().find(|file| file.name == name) {
            Some(file) => file.text += &line,
            None => files.push(OutputFile {
                name,
                text: format!("{HEADER}\n{line}"),
            }),
        }
    }
    files.push(OutputFile {
        name: "console.txt".to_owned(),
        text: console,
    });
    files
}

/// A game as the program wrote it.
struct GameLines<'a> {
    context: &'a GridContext<'a>,
    game: GridGame,
    row: &'a GameRow,
    prunes: bool,
    has_times: bool,
}

impl GameLines<'_> {
    fn prune_word(&self) -> &'static str {
        match self.prunes {
            true => "True",
            false => "False",
        }
    }

    /// The side that has won and its player; a draw is White's.
    fn winner(&self) -> (&'static str, &str) {
        let [black, white] = self.row.players.map(|player| self.context.name(player));
        match self.row.result {
            Outcome::Win(Player::First) => ("BLACK", black),
            _ => ("WHITE", white),
        }
    }

    /// Milliseconds of both sides, and for a move.
    fn times(&self) -> [[String; 2]; 2] {
        let [black, white] = self.row.searched;
        let [first, second] = self.row.micros;
        [(first, black), (second, white)].map(|(micros, moves)| {
            let ms = micros / 1000;
            match self.has_times {
                true => [ms.to_string(), rounded(ms as f64 / (moves as f64).max(1.0))],
                false => [String::new(), String::new()],
            }
        })
    }

    /// Milliseconds of the whole game.
    fn game_time(&self) -> String {
        let [black, white] = self.row.micros.map(|micros| micros / 1000);
        match self.has_times {
            true => (black + white).to_string(),
            false => String::new(),
        }
    }

    fn table_row(&self) -> String {
        let [black, white] = self.row.players.map(|player| self.context.name(player));
        let (winner, strategy) = self.winner();
        let [black_score, white_score] = self.row.score.unwrap_or_default();
        let [black_moves, white_moves] = self.row.searched;
        let [[black_time, black_average], [white_time, white_average]] = self.times();
        let [black_nodes, white_nodes] = self.row.leaves;
        let [depth, _] = self.game.depths;
        let cells = [
            black.to_owned(),
            white.to_owned(),
            depth.to_string(),
            self.prune_word().to_owned(),
            winner.to_owned(),
            strategy.to_owned(),
            black_score.to_string(),
            white_score.to_string(),
            (black_moves + white_moves).to_string(),
            self.game_time(),
            black_time,
            black_moves.to_string(),
            black_average,
            white_time,
            white_moves.to_string(),
            white_average,
            black_nodes.to_string(),
            white_nodes.to_string(),
        ];
        cells.join(", ")
    }

    fn console(&self) -> String {
        let [black, white] = self.row.players.map(|player| self.context.name(player));
        let [black_depth, white_depth] = self.game.depths;
        let [black_moves, white_moves] = self.row.searched;
        let [black_score, white_score] = self.row.score.unwrap_or_default();
        let [black_nodes, white_nodes] = self.row.leaves;
        let (winner, strategy) = self.winner();
        let prune = self.prune_word();
        let mut text = format!(
            "Testing: {black} depth: {black_depth} against {white} depth: {white_depth} | prune: {prune}\n\
             winner: {winner}\n\
             strategy: {strategy}\n\
             BLACK ({black}) {black_score} - {white_score} WHITE ({white})\n\
             moves: {} / 60\n",
            black_moves + white_moves
        );
        if self.has_times {
            let _ = writeln!(text, "gameTime: {}ms", self.game_time());
        }
        let sides = [("black", black_moves), ("white", white_moves)];
        for ((side, moves), [time, average]) in sides.into_iter().zip(self.times()) {
            let _ = match self.has_times {
                true => writeln!(
                    text,
                    "{side}Time: {time}ms with {moves} moves. avg: {average}ms"
                ),
                false => writeln!(text, "{side}Time: {moves} moves"),
            };
        }
        let _ = writeln!(text, "blackNodes: {black_nodes}\nwhiteNodes: {white_nodes}");
        text
    }
}

/// A number with at most two decimals, as the program wrote averages: `4.27`, `7.7`, `3`.
fn rounded(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
