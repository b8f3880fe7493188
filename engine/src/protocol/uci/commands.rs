//! The table of UCI's and UGI's commands.

use super::{Uci, UciFlavour, UciTask, send_info_string};
use crate::{
    games::notation::quote,
    protocol::{server::LineTiming, server_core::ServerCore},
};

/// A command: its name, when it runs while a task runs, and what it does.
pub(super) struct UciCommand {
    pub(super) name: &'static str,
    /// What it does, for `help`.
    help: &'static str,
    /// The only flavour that has it; none for both.
    pub(super) flavour: Option<UciFlavour>,
    pub(super) timing: LineTiming,
    pub(super) run: fn(&mut Uci, &mut ServerCore, &str),
}

pub(super) const QUIT: &str = "quit";

/// The commands: dispatch, timing, `help` and detection of the dialect use this table.
const COMMANDS: &[UciCommand] = &[
    UciCommand {
        flavour: Some(UciFlavour::Uci),
        ..command(
            "uci",
            "starts the UCI dialect: name, options, uciok",
            LineTiming::Now,
            Uci::identify,
        )
    },
    UciCommand {
        flavour: Some(UciFlavour::Ugi),
        ..command(
            "ugi",
            "starts the UGI dialect: name, options, ugiok",
            LineTiming::Now,
            Uci::identify,
        )
    },
    command(
        "debug",
        "debug on or debug off: more or less information",
        LineTiming::Now,
        |_, core, rest| core.debug = rest.trim() == "on",
    ),
    command(
        "isready",
        "answers readyok",
        LineTiming::Now,
        |_, core, _| core.send_line("readyok"),
    ),
    command(
        "setoption",
        "setoption name NAME value VALUE: sets an option",
        LineTiming::StopFirst,
        |_, core, rest| Uci::set_option(core, rest),
    ),
    // Registration is never needed.
    command(
        "register",
        "does nothing: no registration is needed",
        LineTiming::Now,
        |_, _, _| {},
    ),
    command(
        "ucinewgame",
        "the next position is of another game: the tree is discarded",
        LineTiming::StopFirst,
        Uci::new_game,
    ),
    command(
        "uginewgame",
        "the same as ucinewgame",
        LineTiming::StopFirst,
        Uci::new_game,
    ),
    command(
        "position",
        "position startpos or fen FEN, then moves MOVES: sets the position",
        LineTiming::StopFirst,
        |_, core, rest| Uci::position(core, rest),
    ),
    command(
        "go",
        "go with limits (nodes, depth, movetime, clocks, infinite): searches; go perft N counts lines of play",
        LineTiming::StopFirst,
        |uci, core, rest| uci.go(core, rest),
    ),
    command(
        "stop",
        "ends the search with its best move",
        LineTiming::Now,
        |_, core, _| core.stop(),
    ),
    command(
        "ponderhit",
        "the expected move was played: a search by go ponder continues on the clock",
        LineTiming::Now,
        |_, core, _| core.ponder_hit(),
    ),
    // The server quits when the command has run.
    command(QUIT, "ends the program", LineTiming::Now, |_, _, _| {}),
    command(
        "query",
        "query p1turn, gameover or result: answers about the position",
        LineTiming::Now,
        |_, core, rest| Uci::query(core, rest),
    ),
    command(
        "query value",
        "query value [movetime MS]: solves the position and answers its exact value",
        LineTiming::StopFirst,
        |uci, core, rest| uci.query_value(core, rest, UciTask::Value),
    ),
    command(
        "query values",
        "query values [movetime MS]: solves every move and answers their exact values",
        LineTiming::StopFirst,
        |uci, core, rest| uci.query_value(core, rest, UciTask::Values),
    ),
    command(
        "d",
        "draws the position with its legal moves",
        LineTiming::Now,
        |_, core, _| Uci::send_board(core),
    ),
    command(
        "eval",
        "values of the position by the evaluations of the game",
        LineTiming::Now,
        |_, core, _| Uci::send_evaluations(core),
    ),
    command(
        "bench",
        "bench NODES: measures the speed of the search from the start position",
        LineTiming::StopFirst,
        |uci, core, rest| uci.bench(core, rest),
    ),
    command(
        "help",
        "lists the commands; help COMMAND explains one",
        LineTiming::Now,
        Uci::help,
    ),
    // Its timing is its whole effect.
    command(
        "wait",
        "the following commands run when the search has ended",
        LineTiming::Later,
        |_, _, _| {},
    ),
];

impl UciCommand {
    /// Whether the flavour has it.
    pub(super) fn is_in(&self, flavour: UciFlavour) -> bool {
        self.flavour.is_none_or(|only| only == flavour)
    }
}

const fn command(
    name: &'static str,
    help: &'static str,
    timing: LineTiming,
    run: fn(&mut Uci, &mut ServerCore, &str),
) -> UciCommand {
    UciCommand {
        name,
        help,
        flavour: None,
        timing,
        run,
    }
}

/// The command of a line with single blanks between its words, and its arguments. Of `query` and `query value` the longer name
/// counts. Its `run` is the method of [`Uci`] or [`ServerCore`] of that name: [`Uci::go`] for `go`.
pub(super) fn find_command(line: &str) -> Option<(&'static UciCommand, &str)> {
    let arguments = |name: &str| {
        let rest = line.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with(' ')).then_some(rest.trim_start())
    };
    (COMMANDS.iter())
        .filter_map(|command| arguments(command.name).map(|rest| (command, rest)))
        .max_by_key(|(command, _)| command.name.len())
}

impl Uci {
    /// `help [COMMAND]`: a line of the table for each command of the flavour, or for one.
    fn help(&mut self, core: &mut ServerCore, rest: &str) {
        let asked = rest.trim();
        let mut shown = (COMMANDS.iter())
            .filter(|row| row.is_in(self.flavour) && (asked.is_empty() || row.name == asked))
            .peekable();
        if shown.peek().is_none() {
            let text = format!("no command {}: help lists the commands", quote(asked));
            send_info_string(core, &text);
        }
        for row in shown {
            send_info_string(core, &format!("{}: {}", row.name, row.help));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_one_row_with_one_line_of_help() {
        for command in COMMANDS {
            let rows = COMMANDS.iter().filter(|other| other.name == command.name);
            assert_eq!(rows.count(), 1, "{}", command.name);
            let help = command.help;
            assert!(!help.is_empty() && !help.contains('\n'), "{help}");
        }
    }
}
