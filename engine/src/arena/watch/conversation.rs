//! The dialogue between a client and an engine: which searches there are, where they begin, and which lines belong to them.

use std::collections::VecDeque;

use super::{
    line_board::RootPosition,
    recorder::{LineEvent, SearchStart},
};
use crate::{
    arena::engine_config::EngineProtocol,
    games::{self, facts_of},
    tree::meta::LimitsMeta,
};

/// Searches and commands that may wait for their answers; a client that sends more is not understood.
const MAX_PENDING: usize = 1_000;

/// Follows a dialogue, line by line, and tells what a recorder should hear.
#[derive(Debug)]
pub struct Conversation {
    /// None until the first command tells it.
    dialect: Option<EngineProtocol>,
    /// The game, with its variant if there is one.
    game: String,
    /// Whether the client may choose another game by options.
    follows_options: bool,
    /// The engine's name; its program until it introduces itself.
    engine: String,
    position: RootPosition,
    /// UCI: searches whose answer is awaited, the running one first. GTP: commands without a response.
    searches: VecDeque<SearchStart>,
    commands: VecDeque<GtpCommand>,
    /// The response that is being received.
    response: Option<GtpResponse>,
}

/// A command that has no response yet.
#[derive(Debug)]
struct GtpCommand {
    words: Vec<String>,
}

#[derive(Debug)]
struct GtpResponse {
    is_accepted: bool,
    /// Set while the response is a search's analysis.
    is_search: bool,
    /// The last word of the answer, of commands that answer a move.
    answer: Option<String>,
}

impl Conversation {
    /// A dialogue with the engine that this program is, about this game; none if the client and the dialect tell it.
    pub fn new(dialect: Option<EngineProtocol>, game: Option<&str>, engine: &str) -> Self {
        Self {
            dialect,
            game: game.map_or_else(String::new, str::to_owned),
            follows_options: game.is_none(),
            engine: engine.to_owned(),
            position: RootPosition::default(),
            searches: VecDeque::new(),
            commands: VecDeque::new(),
            response: None,
        }
    }

    /// The game as far as it is known: the one that was named, else what UCI engines play.
    pub fn game(&self) -> &str {
        match (self.game.as_str(), self.dialect) {
            ("", Some(EngineProtocol::Uci)) => games::DEFAULT.name,
            ("", _) => "unknown",
            (game, _) => game,
        }
    }

    /// The client has sent a line.
    pub fn hear_client(&mut self, line: &str, tell: &mut dyn FnMut(LineEvent)) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let Some(first) = words.first() else { return };
        let dialect = *self.dialect.get_or_insert(match first.as_str() {
            "uci" => EngineProtocol::Uci,
            "ugi" => EngineProtocol::Ugi,
            "position" | "go" | "setoption" | "isready" | "ucinewgame" => EngineProtocol::Uci,
            _ => EngineProtocol::Gtp,
        });
        match dialect {
            EngineProtocol::Gtp => self.hear_gtp_command(words),
            EngineProtocol::Uci | EngineProtocol::Ugi => self.hear_uci_command(line, &words, tell),
        }
    }

    /// The engine has sent a line.
    pub fn hear_engine(&mut self, line: &str, tell: &mut dyn FnMut(LineEvent)) {
        match self.dialect {
            Some(EngineProtocol::Gtp) => self.hear_gtp_response(line, tell),
            _ => self.hear_uci_reply(line, tell),
        }
    }

    fn hear_uci_command(&mut self, line: &str, words: &[String], tell: &mut dyn FnMut(LineEvent)) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["position", ..] => {
                self.position = RootPosition::parse_command(line).unwrap_or_default();
            }
            ["setoption", "name", name, "value", value @ ..] => {
                self.hear_option(name, &value.join(" "));
            }
            ["go", "perft", ..] => {}
            ["go", limits @ ..] if self.searches.len() < MAX_PENDING => {
                let start = SearchStart {
                    limits: parse_limits(limits),
                    ..self.search_start(false)
                };
                if self.searches.is_empty() {
                    tell(LineEvent::Begin(Box::new(start.clone())));
                }
                self.searches.push_back(start);
            }
            _ => {}
        }
    }

    fn search_start(&self, is_kata: bool) -> SearchStart {
        SearchStart {
            game: self.game().to_owned(),
            engine: self.engine.clone(),
            position: self.position.clone(),
            limits: LimitsMeta::default(),
            is_kata,
        }
    }

    /// An option that chooses the game.
    fn hear_option(&mut self, name: &str, value: &str) {
        if !self.follows_options {
            return;
        }
        let is_called = |option: &str| name.eq_ignore_ascii_case(option);
        if is_called("UCI_Variant") || is_called("Game") {
            let mut facts = games::FACTS.iter();
            let known = facts.find(|facts| facts.foreign.fairy_stockfish == Some(value));
            let known = known.copied().or_else(|| facts_of(value));
            self.game = match known {
                Some(facts) if facts.foreign.fairy_stockfish == Some(value) => {
                    facts.name.to_owned()
                }
                _ => value.to_owned(),
            };
            return;
        }
        let variant = |facts: &&games::GameFacts| {
            facts
                .foreign
                .variant_option
                .is_some_and(|option| is_called(option.name))
        };
        if let Some(facts) = games::FACTS.iter().copied().find(variant)
            && let Some(option) = facts.foreign.variant_option
        {
            self.game = match value {
                "true" => format!("{}:{}", facts.name, option.variant),
                _ => facts.name.to_owned(),
            };
        }
    }

    fn hear_uci_reply(&mut self, line: &str, tell: &mut dyn FnMut(LineEvent)) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("id") if words.next() == Some("name") => {
                self.engine = words.collect::<Vec<&str>>().join(" ");
                for search in &mut self.searches {
                    search.engine.clone_from(&self.engine);
                }
                tell(LineEvent::Engine(self.engine.clone()));
            }
            Some("info") if !self.searches.is_empty() => tell(LineEvent::Line(line.to_owned())),
            Some("bestmove") => {
                let none = ["(none)", "0000", "none"];
                let chosen = words.next().filter(|word| !none.contains(word));
                if self.searches.pop_front().is_some() {
                    tell(LineEvent::End(chosen.map(str::to_owned)));
                }
                if let Some(next) = self.searches.front() {
                    tell(LineEvent::Begin(Box::new(next.clone())));
                }
            }
            _ => {}
        }
    }

    fn hear_gtp_command(&mut self, mut words: Vec<String>) {
        let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        if words.first().is_some_and(is_number) {
            words.remove(0);
        }
        let is_comment = words.first().is_none_or(|word| word.starts_with('#'));
        if !is_comment && self.commands.len() < MAX_PENDING {
            self.commands.push_back(GtpCommand { words });
        }
    }

    fn hear_gtp_response(&mut self, line: &str, tell: &mut dyn FnMut(LineEvent)) {
        if self.response.is_none() {
            let is_accepted = line.starts_with('=');
            if is_accepted || line.starts_with('?') {
                self.begin_gtp_response(line, is_accepted, tell);
            }
            return;
        }
        if line.trim().is_empty() {
            self.end_gtp_response(tell);
            return;
        }
        let Some(response) = &mut self.response else {
            return;
        };
        if line.starts_with("info ") && response.is_search {
            tell(LineEvent::Line(line.to_owned()));
        } else if let Some(mv) = line.strip_prefix("play ") {
            response.answer = Some(mv.trim().to_owned());
        }
    }

    fn begin_gtp_response(
        &mut self,
        line: &str,
        is_accepted: bool,
        tell: &mut dyn FnMut(LineEvent),
    ) {
        let command = self.commands.front();
        let name = command.and_then(|command| command.words.first());
        let name = name.map_or("", String::as_str);
        let is_search = is_accepted && name.contains("analyze");
        let text = line.trim_start_matches('=');
        let text = text
            .trim_start_matches(|symbol: char| symbol.is_ascii_digit())
            .trim();
        self.response = Some(GtpResponse {
            is_accepted,
            is_search,
            answer: (!text.is_empty()).then(|| text.to_owned()),
        });
        if is_search {
            let is_kata = name.starts_with("kata");
            tell(LineEvent::Begin(Box::new(self.search_start(is_kata))));
            if text.starts_with("info ") {
                tell(LineEvent::Line(text.to_owned()));
            }
        }
    }

    fn end_gtp_response(&mut self, tell: &mut dyn FnMut(LineEvent)) {
        let (Some(response), Some(command)) = (self.response.take(), self.commands.pop_front())
        else {
            return;
        };
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let name = words.first().copied().unwrap_or_default();
        let is_genmove = name.contains("genmove");
        let answer = response.answer.filter(|_| is_genmove || name == "name");
        if response.is_search {
            tell(LineEvent::End(answer.clone()));
        }
        if !response.is_accepted {
            return;
        }
        match words.as_slice() {
            ["play", _, mv, ..] => self.position.moves.push((*mv).to_owned()),
            ["undo", ..] => drop(self.position.moves.pop()),
            [
                "clear_board" | "boardsize" | "loadsgf" | "fixed_handicap" | "set_free_handicap",
                ..,
            ] => {
                self.position = RootPosition::default();
            }
            ["set_game", name, ..] => {
                if self.follows_options {
                    let known = facts_of(name);
                    self.game = known.map_or_else(|| (*name).to_owned(), |_| name.to_lowercase());
                }
                self.position = RootPosition::default();
            }
            ["set_position", position @ ..] => {
                let position = position.join(" ");
                self.position = RootPosition {
                    start: (position != "startpos").then_some(position),
                    moves: Vec::new(),
                };
            }
            ["name", ..] => self.engine = answer.unwrap_or_default(),
            [name, ..] if is_genmove && !name.starts_with("reg_") => {
                let mv = answer.filter(|mv| !mv.eq_ignore_ascii_case("resign"));
                self.position.moves.extend(mv);
            }
            _ => {}
        }
    }
}

/// The limits of a `go` command.
pub fn parse_limits(words: &[&str]) -> LimitsMeta {
    let after = |name: &str| {
        let at = words.iter().position(|&word| word == name)?;
        words.get(at + 1)?.parse::<u64>().ok()
    };
    LimitsMeta {
        iterations: after("iterations"),
        nodes: after("nodes"),
        depth: after("depth").and_then(|depth| u32::try_from(depth).ok()),
        milliseconds: after("movetime"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a recorder hears of a dialogue: lines of the client begin with `> `.
    fn events(dialect: Option<EngineProtocol>, game: Option<&str>, dialogue: &str) -> Vec<String> {
        let mut conversation = Conversation::new(dialect, game, "prog");
        let mut heard = Vec::new();
        for line in dialogue.lines().map(str::trim_start) {
            let mut tell = |event: LineEvent| {
                heard.push(match event {
                    LineEvent::Begin(start) => format!(
                        "begin {} {} {:?} {}",
                        start.game,
                        start.engine,
                        start.position.start,
                        start.position.moves.join(",")
                    ),
                    LineEvent::Engine(name) => format!("engine {name}"),
                    LineEvent::Line(line) => line,
                    LineEvent::End(chosen) => format!("end {chosen:?}"),
                });
            };
            match line.strip_prefix("> ") {
                Some(line) => conversation.hear_client(line, &mut tell),
                None => conversation.hear_engine(line, &mut tell),
            }
        }
        heard
    }

    #[test]
    fn searches_of_uci_begin_with_go_and_end_with_bestmove() {
        let dialogue = "> uci
            id name Fish 3
            uciok
            > position startpos moves e2e4
            info string loaded
            > go depth 3
            info depth 1 pv e7e5
            bestmove e7e5 ponder d2d4
            info depth 9 pv a";
        assert_eq!(
            events(None, None, dialogue),
            [
                "engine Fish 3",
                "begin chess Fish 3 None e2e4",
                "info depth 1 pv e7e5",
                "end Some(\"e7e5\")"
            ]
        );
    }

    #[test]
    fn a_search_that_is_asked_for_before_the_last_has_ended_begins_when_it_has() {
        let dialogue = "> uci
            > position startpos
            > go infinite
            > stop
            > position startpos moves a
            > go infinite
            info pv old
            bestmove old
            info pv new
            bestmove (none)";
        assert_eq!(
            events(None, None, dialogue),
            [
                "begin chess prog None ",
                "info pv old",
                "end Some(\"old\")",
                "begin chess prog None a",
                "info pv new",
                "end None"
            ]
        );
    }

    #[test]
    fn options_choose_the_game_unless_it_was_named() {
        let dialogue = "> uci
            > setoption name UCI_Variant value cfour
            > go nodes 1
            bestmove 4
            > setoption name UCI_Variant value xiangqi
            > go nodes 1
            bestmove a
            > setoption name UCI_Chess960 value true
            > go nodes 1";
        let begins = |heard: Vec<String>| -> Vec<String> {
            let begins = heard.iter().filter_map(|line| line.strip_prefix("begin "));
            begins
                .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
                .collect()
        };
        assert_eq!(
            begins(events(None, None, dialogue)),
            ["connect-four", "xiangqi", "chess:960"]
        );
        assert_eq!(
            begins(events(None, Some("othello"), dialogue)),
            ["othello"; 3]
        );
    }

    #[test]
    fn gtp_has_a_position_made_of_plays_and_answers() {
        let dialogue = "> 1 name
            =1 Leela

            > boardsize 19
            =

            > play b D4
            =

            > play w Z9
            ? illegal move

            > genmove w
            = Q16

            > lz-analyze b 50
            =
            info move C3 visits 1 order 0 pv C3

            > kata-genmove_analyze b
            =
            info move C3 visits 2 order 0 pv C3
            play C3

            > undo
            =

            > lz-analyze b
            =

            ";
        assert_eq!(
            events(None, Some("go"), dialogue),
            [
                "begin go Leela None D4,Q16",
                "info move C3 visits 1 order 0 pv C3",
                "end None",
                "begin go Leela None D4,Q16",
                "info move C3 visits 2 order 0 pv C3",
                "end Some(\"C3\")",
                "begin go Leela None D4,Q16",
                "end None"
            ]
        );
    }
}
