//! `canopy-engine show`.

use std::io::Write;

use clap::{Args, ValueEnum};

use super::{CliError, LineArgs, PositionCommand, game_name};
use crate::games::{
    History, Outcome, Playable, Player,
    notation::{self, Style, board_text, move_text, outcome_text, position_text},
};

#[derive(Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    line: LineArgs,
    /// What is printed: a drawing with the legal moves, or the bare board as the file of report 003 (delta only)
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    format: ShowFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// A drawing with the legal moves.
    Text,
    /// The bare board, in games that have a file of it.
    Board,
}

pub(super) fn run(arguments: &ShowArgs, out: &mut dyn Write) -> Result<(), CliError> {
    arguments.line.position.with_position(arguments, out)
}

impl PositionCommand for &ShowArgs {
    fn run<G: Playable>(self, mut position: G, out: &mut dyn Write) -> Result<(), CliError> {
        let mut history = History::new();
        history.push(&position);
        notation::play_moves(&mut position, &mut history, &self.line.moves, |_, _| {})?;

        if self.format == ShowFormat::Board {
            let mut text = String::new();
            let written = position.write_board_file(&mut text).is_some();
            return match written {
                true => Ok(out.write_all(text.as_bytes())?),
                false => Err(CliError::Usage(format!(
                    "{} has no file of the bare board: expected --format text",
                    G::FACTS.title
                ))),
            };
        }
        write!(out, "{}", board_text(&position))?;
        writeln!(out)?;
        writeln!(out, "game:     {}", game_name(&position))?;
        writeln!(out, "position: {}", position_text(&position))?;
        let Some(outcome) = history.outcome(&position) else {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            writeln!(out, "to move:  {}", side_name::<G>(position.to_move()))?;
            let texts: Vec<String> = moves
                .iter()
                .map(|&mv| move_with_human_notation(&position, mv))
                .collect();
            writeln!(out, "moves:    {} ({})", texts.join(" "), texts.len())?;
            return Ok(());
        };
        let reason = if position.outcome().is_some() {
            position.end_reason()
        } else {
            "threefold repetition"
        };
        writeln!(
            out,
            "result:   {}{}",
            outcome_text::<G>(outcome, reason),
            score_text(&position, outcome)
        )?;
        Ok(())
    }
}

fn side_name<G: Playable>(player: Player) -> String {
    let ordinal = ["first", "second"][player.index()];
    format!("{} ({ordinal} player)", G::PLAYERS[player.index()])
}

/// The move as it is written, with the notation of people behind it where that differs.
fn move_with_human_notation<G: Playable>(position: &G, mv: G::Move) -> String {
    let own = move_text(position, mv);
    let mut human = String::new();
    let _ = position.write_move(mv, Style::Human, &mut human);
    if human == own {
        own
    } else {
        format!("{own}={human}")
    }
}

fn score_text<G: Playable>(position: &G, outcome: Outcome) -> String {
    match (position.score(), outcome) {
        (Some([first, second]), Outcome::Win(Player::Second)) => format!(", {second} to {first}"),
        (Some([first, second]), _) => format!(", {first} to {second}"),
        (None, _) => String::new(),
    }
}
