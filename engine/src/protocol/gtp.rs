//! GTP version 2, with the extensions of Quarry and GoGui and the analysis commands of Leela Zero and KataGo.

use std::time::Duration;

use self::{
    commands::find_command,
    time::{GtpClocks, TimeLeft, TimeSettings},
};
use super::{
    options::OptionId,
    server::{Flow, LineTiming, ProtocolHandler},
    server_core::ServerCore,
    task::GoRequest,
};
use crate::{
    games::{
        Outcome, Player,
        notation::{Style, quote},
    },
    session::{SearchInfo, SearchResult, Solution, solution::values_text},
};

mod analysis;
mod commands;
mod time;

/// GTP.
#[derive(Default)]
pub(super) struct Gtp {
    /// Number of the running command; empty if it has none.
    id: String,
    task: Option<GtpTask>,
    time: TimeSettings,
    clocks: GtpClocks,
}

#[derive(Clone, Debug, PartialEq)]
enum GtpTask {
    Genmove {
        player: Player,
        plays_move: bool,
    },
    /// Streams analysis: with a player until that player's move is found, without one until the next command.
    Analyse {
        style: AnalysisFormat,
        max_moves: usize,
        player: Option<Player>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnalysisFormat {
    LeelaZero,
    KataGo,
}

/// A command line, taken apart.
#[derive(Clone, Copy)]
struct GtpArguments<'a> {
    /// The command's number; empty if it has none.
    id: &'a str,
    /// Everything after the command's name.
    text: &'a str,
    /// The words of `text`.
    words: &'a [&'a str],
}

/// A command's response or error text; none if the response follows when a task ends.
type GtpReply = Result<Option<String>, String>;

fn empty_reply() -> GtpReply {
    Ok(Some(String::new()))
}

fn text_reply(text: impl Into<String>) -> GtpReply {
    Ok(Some(text.into()))
}

impl Gtp {
    /// Whether a client whose first line is `line` speaks GTP.
    pub(super) fn recognises(line: &str) -> bool {
        let (id, rest) = split_id(line);
        let word = rest.split_whitespace().next().unwrap_or("");
        find_command(word).is_some() && (word != "quit" || !id.is_empty())
    }

    fn respond(core: &mut ServerCore, sign: char, id: &str, text: &str) {
        // An empty line ends a response.
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        // Diagrams begin on their own line.
        let gap = match text.chars().next() {
            None => "",
            Some('\n') => "\n",
            Some(_) => " ",
        };
        core.send_line(format!("{sign}{id}{gap}{}\n", lines.join("\n")));
    }

    /// Runs the command called `word`.
    fn dispatch(&mut self, core: &mut ServerCore, id: &str, word: &str, text: &str) -> GtpReply {
        let command = find_command(word).ok_or("unknown command")?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let arguments = GtpArguments {
            id,
            text,
            words: &words,
        };
        (command.run)(self, core, arguments)
    }

    /// `canopy-values [MS]`: starts solving every move.
    fn values(&mut self, core: &mut ServerCore, arguments: GtpArguments<'_>) -> GtpReply {
        const DEFAULT_MILLIS: u64 = 1000;
        let millis = match arguments.words {
            [] => DEFAULT_MILLIS,
            [millis] => (millis.parse().ok().filter(|millis| *millis > 0))
                .ok_or_else(|| format!("{} is no time: expected milliseconds", quote(millis)))?,
            _ => return Err("expected one number, the milliseconds".to_owned()),
        };
        if !core.has_valid_position {
            return Err("there is no position: the last one was refused".to_owned());
        }
        let started = core.start_solve(Duration::from_millis(millis), true);
        started.map_err(|error| error.to_string())?;
        self.id = arguments.id.to_owned();
        Ok(None)
    }

    fn clear_board(&mut self, core: &mut ServerCore) -> GtpReply {
        core.session.clear_search();
        core.set_position("startpos", "")?;
        self.clocks = GtpClocks::default();
        empty_reply()
    }

    fn play(core: &mut ServerCore, words: &[&str]) -> GtpReply {
        let &[colour, mv] = words else {
            return Err("syntax error: expected play COLOUR MOVE".to_owned());
        };
        Self::ensure_turn(core, colour, Some(mv))?;
        (core.session.play(mv)).map_err(|error| format!("illegal move: {error}"))?;
        empty_reply()
    }

    fn set_game(core: &mut ServerCore, text: &str) -> GtpReply {
        let name = text.trim().to_ascii_lowercase().replace(' ', "-");
        core.set_option_text("Game", &name)?;
        if core.check_search().is_err() {
            core.set_option_text("Search", core.facts().default_search)?;
        }
        core.set_position("startpos", "")?;
        empty_reply()
    }

    fn set_position(core: &mut ServerCore, position: &str) -> GtpReply {
        if position.is_empty() {
            return Err("syntax error: expected set_position POSITION".to_owned());
        }
        core.set_position(position, "")?;
        empty_reply()
    }

    fn get_option(core: &mut ServerCore, name: &str) -> GtpReply {
        let index = (core.options.definitions())
            .position(|row| row.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| format!("unknown option {}", quote(name)))?;
        text_reply(
            core.option_values()
                .into_iter()
                .nth(index)
                .unwrap_or_default(),
        )
    }

    fn list_options(core: &mut ServerCore) -> GtpReply {
        let values = core.option_values();
        let lines: Vec<String> = (core.options.definitions().zip(values))
            .map(|(row, value)| {
                let (name, allowed, help) = (&row.name, row.allowed_values(), row.help);
                format!("{name} = {value} ({allowed}): {help}")
            })
            .collect();
        text_reply(lines.join("\n"))
    }

    fn rules_final_result(core: &ServerCore) -> GtpReply {
        match core.session.outcome() {
            None => empty_reply(),
            Some((Outcome::Draw, reason)) => text_reply(format!("draw ({reason})")),
            Some((Outcome::Win(player), reason)) => {
                text_reply(format!("{} wins ({reason})", colour_of(core, player)))
            }
        }
    }

    /// The side of the smallest square that the board fits into: GoGui's boards are square.
    fn side(core: &ServerCore) -> usize {
        let grid = core.session.grid();
        let columns = usize::from(grid.columns);
        columns.max(grid.stones.len() / columns.max(1))
    }

    fn board_size(core: &mut ServerCore, words: &[&str]) -> GtpReply {
        let wanted = words.first().and_then(|word| word.parse::<usize>().ok());
        match wanted {
            None => Err("syntax error: expected boardsize NUMBER".to_owned()),
            Some(size) if size == Self::side(core) => {
                core.session.clear_search();
                core.set_position("startpos", "")?;
                empty_reply()
            }
            Some(_) => Err("unacceptable size".to_owned()),
        }
    }

    fn rules_board(core: &ServerCore) -> GtpReply {
        let grid = core.session.grid();
        let columns = usize::from(grid.columns);
        let side = Self::side(core);
        let first = colour_of(core, Player::First) == "black";
        let mut text = String::new();
        for row in (0..side).rev() {
            text.push('\n');
            for column in 0..side {
                let index = row * columns + column;
                let stone = (column < columns)
                    .then(|| grid.stones.get(index).copied().flatten())
                    .flatten();
                text.push(match stone {
                    None => '.',
                    Some(player) if (player == Player::First) == first => 'X',
                    Some(_) => 'O',
                });
            }
        }
        text_reply(text)
    }

    fn set_option(core: &mut ServerCore, rest: &str) -> GtpReply {
        let rest = rest.trim();
        // The only option name with a blank in it.
        if rest.eq_ignore_ascii_case("Clear Hash") {
            core.session.clear_search();
            return empty_reply();
        }
        let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
        let before = core.options.clone();
        let checked = core.check_option(name, value)?;
        if let Some(note) = checked.range_warning {
            return Err(note);
        }
        core.set_option(&checked)?;
        if let Err(problem) = core.check_search()
            && checked.id != OptionId::Game
        {
            core.options = before;
            return Err(problem);
        }
        (checked.warnings.into_iter()).for_each(|text| core.send_stderr(text));
        empty_reply()
    }

    /// Checks that it is this colour's turn, playing an implied pass if needed.
    fn ensure_turn(
        core: &mut ServerCore,
        colour: &str,
        mv: Option<&str>,
    ) -> Result<Player, String> {
        let player = player_of(core, colour)
            .ok_or_else(|| format!("syntax error: {} is no colour", quote(colour)))?;
        if core.session.to_move() != player && core.session.outcome().is_none() {
            let says_pass = mv.is_some_and(|mv| mv.eq_ignore_ascii_case("pass"));
            if says_pass || !core.session.play_implied_pass() {
                let turn = colour_of(core, core.session.to_move());
                return Err(format!("illegal move: it is the turn of {turn}"));
            }
        }
        Ok(player)
    }

    fn genmove(
        &mut self,
        core: &mut ServerCore,
        arguments: GtpArguments<'_>,
        plays: bool,
    ) -> GtpReply {
        let [colour] = *arguments.words else {
            return Err("syntax error: expected one colour".to_owned());
        };
        let player = Self::ensure_turn(core, colour, None)?;
        self.start(
            core,
            arguments.id,
            GtpTask::Genmove {
                player,
                plays_move: plays,
            },
            Vec::new(),
            None,
        )
    }

    fn start(
        &mut self,
        core: &mut ServerCore,
        id: &str,
        task: GtpTask,
        moves: Vec<String>,
        every: Option<Duration>,
    ) -> GtpReply {
        if !core.has_valid_position {
            return Err("there is no position: the last one was refused".to_owned());
        }
        let mut go = match &task {
            GtpTask::Analyse { player: None, .. } => GoRequest {
                infinite: true,
                ..GoRequest::default()
            },
            GtpTask::Genmove { player, .. }
            | GtpTask::Analyse {
                player: Some(player),
                ..
            } => self.go_request(*player),
        };
        go.is_for_play = matches!(task, GtpTask::Genmove { .. });
        go.search_moves = moves;
        go.info_interval = every;
        go.multi_pv = match &task {
            GtpTask::Analyse {
                max_moves: most, ..
            } => (*most).min(core.session.moves(Style::Own).len()),
            GtpTask::Genmove { .. } => 1,
        };
        match core.start(&go) {
            Ok(remarks) => {
                remarks.into_iter().for_each(|text| core.send_stderr(text));
                if matches!(task, GtpTask::Analyse { .. }) {
                    core.send_line(format!("={id}"));
                }
                self.id = id.to_owned();
                self.task = Some(task);
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        }
    }

    fn final_score(core: &ServerCore) -> GtpReply {
        let Some((outcome, _)) = core.session.outcome() else {
            return Err("cannot score: the game is not over".to_owned());
        };
        let Outcome::Win(player) = outcome else {
            return text_reply("0");
        };
        let margin = core
            .session
            .score()
            .map_or(1, |[first, second]| first.abs_diff(second));
        let letter = if colour_of(core, player) == "black" {
            'B'
        } else {
            'W'
        };
        text_reply(format!("{letter}+{}", margin.max(1)))
    }
}

/// The colour of a player.
fn colour_of(core: &ServerCore, player: Player) -> &'static str {
    let [first, second] = core.facts().colours();
    match player {
        Player::First => first,
        Player::Second => second,
    }
}

fn player_of(core: &ServerCore, colour: &str) -> Option<Player> {
    let colour = match colour.to_ascii_lowercase().as_str() {
        "b" | "black" => "black",
        "w" | "white" => "white",
        _ => return None,
    };
    let is_first = colour_of(core, Player::First) == colour;
    Some(if is_first {
        Player::First
    } else {
        Player::Second
    })
}

/// Strips comment and control characters and turns tabs into blanks, as GTP demands.
fn normalise_line(line: &str) -> String {
    let line = line.split('#').next().unwrap_or("");
    let tabless = line
        .chars()
        .map(|symbol| if symbol == '\t' { ' ' } else { symbol });
    let plain: String = tabless.filter(|symbol| !symbol.is_control()).collect();
    plain.trim().to_owned()
}

/// Splits a command's optional number from the rest.
fn split_id(line: &str) -> (&str, &str) {
    let line = line.trim_start();
    let end = line
        .find(|symbol: char| !symbol.is_ascii_digit())
        .unwrap_or(line.len());
    let (id, rest) = line.split_at(end);
    if id.is_empty() || rest.starts_with(' ') || rest.is_empty() {
        (id, rest.trim_start())
    } else {
        ("", line)
    }
}

impl ProtocolHandler for Gtp {
    fn line_timing(&self, _: &ServerCore, line: &str, queued: bool) -> LineTiming {
        let is_analysis = matches!(&self.task, Some(GtpTask::Analyse { player: None, .. }));
        let (_, rest) = split_id(line);
        let is_quit = rest.split_whitespace().next() == Some("quit");
        if (is_analysis && !queued) || is_quit {
            LineTiming::StopFirst
        } else {
            LineTiming::Later
        }
    }

    fn on_line(&mut self, core: &mut ServerCore, line: &str) -> Flow {
        let line = normalise_line(line);
        if line.is_empty() {
            return Flow::Continue;
        }
        let (id, rest) = split_id(&line);
        let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        match self.dispatch(core, id, word, rest) {
            Ok(Some(text)) => Self::respond(core, '=', id, &text),
            Ok(None) => {}
            Err(text) => {
                // A failed command changes nothing.
                core.session.undo_implied_pass();
                Self::respond(core, '?', id, &text);
            }
        }
        if word == "quit" {
            Flow::Quit
        } else {
            Flow::Continue
        }
    }

    fn on_info(&mut self, core: &mut ServerCore, info: &SearchInfo) {
        if let Some(GtpTask::Analyse {
            style,
            max_moves: most,
            ..
        }) = self.task
        {
            Self::send_analysis(core, info, style, most);
        }
    }

    fn on_text(&mut self, _: &mut ServerCore, _: &str) {}

    fn on_solution(&mut self, core: &mut ServerCore, solution: &Solution) {
        let id = std::mem::take(&mut self.id);
        Self::respond(core, '=', &id, &values_text(&solution.moves));
    }

    fn on_done(&mut self, core: &mut ServerCore, result: Option<SearchResult>) {
        let (Some(task), Some(result)) = (self.task.take(), result) else {
            return;
        };
        let id = std::mem::take(&mut self.id);
        if let GtpTask::Genmove {
            plays_move: false, ..
        }
        | GtpTask::Analyse { player: None, .. } = task
        {
            core.session.undo_implied_pass();
        }
        match task {
            GtpTask::Genmove {
                player,
                plays_move: plays,
            } => {
                if let Some(left) = self.clocks.get_mut(player) {
                    left.seconds -= result.info.time.as_secs_f64();
                } else if let Some((main, ..)) = self.time.settings
                    && main > 0.0
                {
                    let seconds = main - result.info.time.as_secs_f64();
                    *self.clocks.get_mut(player) = Some(TimeLeft { seconds, stones: 0 });
                }
                if plays && let Err(error) = core.session.play(&result.best_move) {
                    return Self::respond(core, '?', &id, &error.to_string());
                }
                Self::respond(core, '=', &id, &result.best_move);
            }
            GtpTask::Analyse {
                style,
                max_moves: most,
                player,
            } => {
                Self::send_analysis(core, &result.info, style, most);
                if player.is_some() {
                    let _ = core.session.play(&result.best_move);
                    core.send_line(format!("play {}", result.best_move));
                }
                core.send_line("");
            }
        }
    }

    fn on_warning(&mut self, core: &mut ServerCore, text: &str) {
        core.send_stderr(text);
    }

    fn on_long_line(&mut self, core: &mut ServerCore, text: &str) {
        Self::respond(core, '?', "", &format!("syntax error: {text}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_tidied_as_the_standard_says() {
        assert_eq!(normalise_line("\u{1}7\tname # comment"), "7 name");
        assert_eq!(split_id("12 play b d3"), ("12", "play b d3"));
        assert_eq!(split_id("name"), ("", "name"));
        assert_eq!(split_id("12"), ("12", ""));
        assert_eq!(split_id("1d"), ("", "1d"));
    }
}
