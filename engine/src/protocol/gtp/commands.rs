//! The table of GTP's commands.

use super::{AnalysisFormat, Gtp, GtpArguments, GtpReply, colour_of, empty_reply, text_reply};
use crate::{
    games::{self, notation::quote},
    protocol::server_core::ServerCore,
};

/// A command: its name and what it does.
pub(super) struct GtpCommand {
    name: &'static str,
    /// What it does, for `canopy-help`.
    help: &'static str,
    pub(super) run: fn(&mut Gtp, &mut ServerCore, GtpArguments<'_>) -> GtpReply,
}

/// The commands, in alphabetical order: dispatch, `list_commands`, `known_command`, `canopy-help` and
/// detection of the dialect use this table.
const COMMANDS: &[GtpCommand] = &[
    command(
        "boardsize",
        "boardsize N: accepts the side of the board, and sets the start position",
        |_, core, arguments| Gtp::board_size(core, arguments.words),
    ),
    command(
        "canopy-help",
        "canopy-help [COMMAND]: what the commands do, or what one does",
        |_, _, arguments| help(arguments.words),
    ),
    command(
        "canopy-values",
        "canopy-values [MS]: the exact value of every move, MOVE:CLASS[:SCORE[:PLIES]]",
        |gtp, core, arguments| gtp.values(core, arguments),
    ),
    command(
        "clear_board",
        "sets the start position and discards the tree",
        |gtp, core, _| gtp.clear_board(core),
    ),
    command("clear_cache", "discards the tree", |_, core, _| {
        core.session.clear_search();
        empty_reply()
    }),
    command(
        "final_score",
        "the result of a game that is over, such as B+4",
        |_, core, _| Gtp::final_score(core),
    ),
    command(
        "genmove",
        "genmove COLOUR: searches, plays the move and answers it",
        |gtp, core, arguments| gtp.genmove(core, arguments, true),
    ),
    command(
        "get_option",
        "get_option NAME: the value of an option",
        |_, core, arguments| Gtp::get_option(core, arguments.text.trim()),
    ),
    command(
        "gogui-rules_board",
        "the stones of the board",
        |_, core, _| Gtp::rules_board(core),
    ),
    command(
        "gogui-rules_board_size",
        "the side of the smallest square that the board fits into",
        |_, core, _| text_reply(Gtp::side(core).to_string()),
    ),
    command(
        "gogui-rules_final_result",
        "the result in words; empty while the game goes on",
        |_, core, _| Gtp::rules_final_result(core),
    ),
    command(
        "gogui-rules_game_id",
        "the name of the game",
        |_, core, _| text_reply(core.facts().foreign.gtp),
    ),
    command(
        "gogui-rules_legal_moves",
        "the legal moves",
        |_, core, _| text_reply(core.session.grid_moves().join(" ")),
    ),
    command(
        "gogui-rules_side_to_move",
        "whose turn it is",
        |_, core, _| text_reply(colour_of(core, core.session.to_move())),
    ),
    command(
        "kata-analyze",
        "kata-analyze [COLOUR] [INTERVAL]: analyses in KataGo's format until the next command",
        |gtp, core, arguments| gtp.analyse(core, arguments, AnalysisFormat::KataGo, false),
    ),
    command(
        "kata-genmove_analyze",
        "kata-genmove_analyze [COLOUR] [INTERVAL]: searches for a move with KataGo's analysis",
        |gtp, core, arguments| gtp.analyse(core, arguments, AnalysisFormat::KataGo, true),
    ),
    command(
        "kata-set-param",
        "the same as set_option",
        |_, core, arguments| Gtp::set_option(core, arguments.text),
    ),
    command(
        "known_command",
        "known_command NAME: true or false",
        |_, _, arguments| {
            let word = arguments.words.first().copied().unwrap_or("");
            text_reply(find_command(word).is_some().to_string())
        },
    ),
    command(
        "komi",
        "komi NUMBER: accepted and ignored",
        |_, _, arguments| match arguments.words.first().map(|word| word.parse::<f64>()) {
            Some(Ok(_)) => empty_reply(),
            _ => Err("syntax error: komi wants a number, which is ignored".to_owned()),
        },
    ),
    command("list_commands", "the names of all commands", |_, _, _| {
        let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
        text_reply(names.join("\n"))
    }),
    command(
        "list_games",
        "the games, by the names of set_game",
        |_, _, _| {
            let names: Vec<&str> = games::listed().map(|facts| facts.foreign.gtp).collect();
            text_reply(names.join("\n"))
        },
    ),
    command(
        "list_options",
        "the options, with values and what they mean",
        |_, core, _| Gtp::list_options(core),
    ),
    command(
        "loadsgf",
        "is refused: games are set up with set_position and play",
        |_, _, _| Err("cannot read SGF: set the game up with set_position and play".to_owned()),
    ),
    command(
        "lz-analyze",
        "lz-analyze [COLOUR] [INTERVAL]: analyses in Leela Zero's format until the next command",
        |gtp, core, arguments| gtp.analyse(core, arguments, AnalysisFormat::LeelaZero, false),
    ),
    command(
        "lz-genmove_analyze",
        "lz-genmove_analyze [COLOUR] [INTERVAL]: searches for a move with Leela Zero's analysis",
        |gtp, core, arguments| gtp.analyse(core, arguments, AnalysisFormat::LeelaZero, true),
    ),
    command("name", "the name of the program", |_, _, _| {
        text_reply("Canopy")
    }),
    command(
        "play",
        "play COLOUR MOVE: plays a move",
        |_, core, arguments| Gtp::play(core, arguments.words),
    ),
    command("protocol_version", "the version of GTP: 2", |_, _, _| {
        text_reply("2")
    }),
    command("quit", "ends the program", |_, _, _| empty_reply()),
    command(
        "reg_genmove",
        "reg_genmove COLOUR: searches and answers the move without playing it",
        |gtp, core, arguments| gtp.genmove(core, arguments, false),
    ),
    command(
        "set_game",
        "set_game NAME: another game, at its start position",
        |_, core, arguments| Gtp::set_game(core, arguments.text),
    ),
    command(
        "set_option",
        "set_option NAME VALUE: sets an option",
        |_, core, arguments| Gtp::set_option(core, arguments.text),
    ),
    command(
        "set_position",
        "set_position POSITION: sets a position",
        |_, core, arguments| Gtp::set_position(core, arguments.text.trim()),
    ),
    command("showboard", "draws the position", |_, core, _| {
        text_reply(format!("\n{}", core.session.drawing()))
    }),
    // Any line ends an analysis; this one does nothing else.
    command("stop", "ends an analysis", |_, _, _| empty_reply()),
    command(
        "time_left",
        "time_left COLOUR SECONDS STONES: the remaining time of a player",
        |gtp, core, arguments| gtp.time_left(core, arguments.words),
    ),
    command(
        "time_settings",
        "time_settings MAIN PERIOD STONES: the time of both players",
        |gtp, _, arguments| gtp.time_settings(arguments.words),
    ),
    command(
        "undo",
        "takes the last move back",
        |_, core, _| match core.session.undo() {
            Ok(()) => empty_reply(),
            Err(_) => Err("cannot undo".to_owned()),
        },
    ),
    command("version", "the version of the program", |_, _, _| {
        text_reply(env!("CARGO_PKG_VERSION"))
    }),
];

const fn command(
    name: &'static str,
    help: &'static str,
    run: fn(&mut Gtp, &mut ServerCore, GtpArguments<'_>) -> GtpReply,
) -> GtpCommand {
    GtpCommand { name, help, run }
}

pub(super) fn find_command(name: &str) -> Option<&'static GtpCommand> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// A line of the table for each command, or for the one that is named.
fn help(words: &[&str]) -> GtpReply {
    let lines: Vec<String> = (COMMANDS.iter())
        .filter(|row| words.first().is_none_or(|name| *name == row.name))
        .map(|row| format!("{}: {}", row.name, row.help))
        .collect();
    match words.first() {
        Some(name) if lines.is_empty() => Err(format!(
            "no command {}: list_commands lists the commands",
            quote(name)
        )),
        _ => text_reply(lines.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_commands_is_sorted_and_names_none_twice() {
        assert!(COMMANDS.is_sorted_by(|one, other| one.name < other.name));
    }

    #[test]
    fn every_command_has_one_line_of_help() {
        for command in COMMANDS {
            let help = command.help;
            assert!(!help.is_empty() && !help.contains('\n'), "{help}");
        }
    }
}
