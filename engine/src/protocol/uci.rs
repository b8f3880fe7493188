//! UCI, and UGI, which is UCI for any game.

use std::{fmt::Write as _, time::Duration};

use super::{
    clock::Clock,
    core::{Core, Wish},
    options::name,
    score::{self, Score},
    server::{Dialect, During, Flow},
};
use crate::{
    games::{
        Outcome, Player,
        notation::{quote, visible},
    },
    search::Limits,
    session::{Answer, Line, SessionError, Thought},
};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    /// Chess programs'.
    Uci,
    /// For any game.
    Ugi,
}

/// UCI or UGI.
pub(super) struct Uci {
    flavour: Flavour,
    /// What the running task is.
    task: Task,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// A search that ends in a best move.
    Go,
    /// Lines of play are counted.
    Perft,
    /// A search whose speed is wanted.
    Bench,
}

/// The words that mean something here.
const WORDS: &[&str] = &[
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "uginewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
    "query",
    "d",
    "eval",
    "bench",
    "wait",
];

/// The move that is none.
const NO_MOVE: &str = "0000";

impl Uci {
    pub(super) fn new(flavour: Flavour) -> Self {
        Self {
            flavour,
            task: Task::Go,
        }
    }

    /// Whether a client that begins with `word` talks UCI.
    pub(super) fn knows(word: &str) -> bool {
        WORDS.contains(&word)
    }

    fn introduce(&self, core: &mut Core) {
        core.say(concat!("id name Canopy ", env!("CARGO_PKG_VERSION")));
        core.say("id author the Canopy authors");
        let lines: Vec<String> = (core.options.rows().iter())
            .filter(|row| self.flavour == Flavour::Uci || !row.is_uci_only())
            .map(|row| row.declaration())
            .collect();
        for line in lines {
            core.say(line);
        }
        core.say(match self.flavour {
            Flavour::Uci => "uciok",
            Flavour::Ugi => "ugiok",
        });
    }

    fn set_option(core: &mut Core, rest: &str) {
        let Some((name, value)) = split_option(rest) else {
            return remark(
                core,
                "setoption wants name NAME, and value VALUE if there is one",
            );
        };
        match core.set_option_text(&name, &value) {
            Ok(checked) => {
                if let Some(note) = &checked.note {
                    remark(core, &format!("{note}, so it is {}", checked.value));
                }
                checked.remarks.iter().for_each(|text| remark(core, text));
            }
            Err(problem) => remark(core, &problem),
        }
    }

    fn position(core: &mut Core, rest: &str) {
        let (position, moves) = split_moves(rest);
        let position = match position.split_once(' ') {
            Some(("fen", fen)) => fen.trim(),
            None if position == "startpos" => position,
            _ => {
                core.valid = false;
                let text = quote(rest);
                return remark(
                    core,
                    &format!(
                        "no position: {text}; expected startpos or fen FEN, then moves if there are any"
                    ),
                );
            }
        };
        if let Err(problem) = core.set_position(position, moves) {
            remark(core, &format!("no position now: {problem}"));
        }
    }

    fn go(&mut self, core: &mut Core, rest: &str) {
        let go = Go::parse(rest, core.session.to_move());
        go.problems.iter().for_each(|text| remark(core, text));
        match go.perft {
            Perft::No => {}
            // It has been told what is wrong, and no move is wanted.
            Perft::Refused => return,
            Perft::Depth(depth) => return self.perft(core, depth),
        }
        self.task = Task::Go;
        let held = go.wish.infinite || go.wish.ponder;
        if !core.valid {
            remark(
                core,
                "there is no position to search: the last one was refused",
            );
            return Self::answer_at_once(core, NO_MOVE, held);
        }
        let lines = core.options.number(name::MULTI_PV).max(1) as usize;
        match core.start(&go.wish, go.moves.clone(), lines, None) {
            Ok(remarks) => remarks.iter().for_each(|text| remark(core, text)),
            Err(SessionError::Over(reason)) => {
                let mover = core.session.to_move();
                let score = match core.session.outcome() {
                    Some((Outcome::Win(winner), _)) if winner == mover => {
                        format!("cp {}", score::MOST)
                    }
                    Some((Outcome::Win(_), _)) => "mate 0".to_owned(),
                    _ => "cp 0".to_owned(),
                };
                remark(core, &format!("the game is over ({reason})"));
                core.say(format!("info depth 0 score {score}"));
                let none = match self.flavour {
                    Flavour::Uci => "(none)",
                    Flavour::Ugi => NO_MOVE,
                };
                Self::answer_at_once(core, none, held);
            }
            // Moves that cannot be played are no reason not to search.
            Err(error) if !go.moves.is_empty() => {
                remark(core, &format!("searchmoves are ignored: {error}"));
                match core.start(&go.wish, Vec::new(), lines, None) {
                    Ok(remarks) => remarks.iter().for_each(|text| remark(core, text)),
                    Err(error) => Self::give_up(core, &error, held),
                }
            }
            Err(error) => Self::give_up(core, &error, held),
        }
    }

    /// Answers with some move though no search could begin.
    fn give_up(core: &mut Core, error: &SessionError, held: bool) {
        remark(core, &error.to_string());
        let style = core.style;
        let moves = core.session.moves(style);
        let first = moves.first().map_or(NO_MOVE, String::as_str);
        Self::answer_at_once(core, first, held);
    }

    fn answer_at_once(core: &mut Core, best: &str, held: bool) {
        if held {
            core.hold(Answer {
                best: best.to_owned(),
                reply: None,
                thought: Thought::default(),
                failure: None,
            });
        } else {
            core.say(format!("bestmove {best}"));
        }
    }

    fn perft(&mut self, core: &mut Core, depth: u32) {
        self.task = Task::Perft;
        if !core.valid {
            return remark(core, "there is no position: the last one was refused");
        }
        if let Err(error) = core.start_perft(depth) {
            remark(core, &error.to_string());
        }
    }

    /// Searches the start of the game with a fixed budget, for the speed of it.
    fn bench(&mut self, core: &mut Core, rest: &str) {
        let nodes = rest.split(' ').next().and_then(|word| word.parse().ok());
        let nodes = nodes.unwrap_or(10_000_u64).max(1);
        if let Err(problem) = core.set_position("startpos", "") {
            return remark(core, &problem);
        }
        core.session.forget();
        let wish = Wish {
            limits: Limits {
                nodes: Some(nodes),
                ..Limits::default()
            },
            ..Wish::default()
        };
        self.task = Task::Bench;
        match core.start(&wish, Vec::new(), 1, None) {
            Ok(remarks) => remarks.iter().for_each(|text| remark(core, text)),
            Err(error) => remark(core, &error.to_string()),
        }
    }

    fn query(core: &mut Core, rest: &str) {
        // Without a position the game can only be called off.
        let outcome = core.session.outcome().map(|(outcome, _)| outcome);
        let response = match rest.trim() {
            "p1turn" => (core.session.to_move() == Player::First).to_string(),
            "gameover" => (outcome.is_some() || !core.valid).to_string(),
            "result" => match outcome.filter(|_| core.valid) {
                Some(Outcome::Win(Player::First)) => "p1win",
                Some(Outcome::Win(Player::Second)) => "p2win",
                Some(Outcome::Draw) => "draw",
                None => "none",
            }
            .to_owned(),
            other => {
                let other = quote(other);
                let text = format!("no query {other}: expected p1turn, gameover or result");
                return remark(core, &text);
            }
        };
        core.say(format!("response {response}"));
    }

    fn show(core: &mut Core) {
        let drawing = core.session.drawing();
        core.say(drawing.trim_end());
        core.say("");
        let game = core.session.game();
        core.say(format!("game:     {game}"));
        let position = core.session.position(core.style);
        core.say(format!("position: {position}"));
        let to_move = core.session.players()[core.session.to_move().index()];
        match core.session.outcome() {
            Some((outcome, reason)) => {
                let result = match outcome {
                    Outcome::Draw => "draw".to_owned(),
                    Outcome::Win(player) => {
                        format!("{} wins", core.session.players()[player.index()])
                    }
                };
                core.say(format!("result:   {result} ({reason})"));
            }
            None => {
                core.say(format!("to move:  {to_move}"));
                let moves = core.session.moves(core.style);
                core.say(format!("moves:    {} ({})", moves.join(" "), moves.len()));
            }
        }
        if !core.valid {
            core.say("the last position was refused; this is the one before");
        }
    }

    fn evaluate(core: &mut Core) {
        for (name, value) in core.session.evaluations() {
            let text = format!(
                "{name}: {}{}.{:02} for {}",
                if value < 0 { "-" } else { "" },
                value.unsigned_abs() / 100,
                value.unsigned_abs() % 100,
                core.session.players()[core.session.to_move().index()]
            );
            core.say(text);
        }
    }

    /// Tells a search's figures, a line for each of the best moves.
    fn inform(&self, core: &mut Core, thought: &Thought) {
        if core.is_memory_news(thought) {
            remark(
                core,
                "memory is full: the search goes on, but its tree grows no more",
            );
        }
        let count = core.options.number(name::MULTI_PV).max(1) as usize;
        let shows_wdl = core.options.flag(name::SHOW_WDL);
        let millis = thought.time.as_millis().max(1);
        let rate = u128::from(thought.nodes) * 1000 / millis;
        for (index, line) in thought.lines.iter().take(count).enumerate() {
            let mut text = format!(
                "info depth {} seldepth {} multipv {} score {}",
                thought.depth,
                thought.longest.max(thought.depth),
                index + 1,
                self.score(line)
            );
            if shows_wdl {
                let [wins, draws, losses] = score::win_draw_loss(line);
                let _ = write!(text, " wdl {wins} {draws} {losses}");
            }
            let _ = write!(
                text,
                " nodes {} nps {rate} hashfull {} time {}",
                thought.nodes,
                thought.full,
                thought.time.as_millis()
            );
            if !line.moves.is_empty() {
                let _ = write!(text, " pv {}", line.moves.join(" "));
            }
            core.say(text);
        }
        if core.options.flag(name::VERBOSE) {
            for line in &thought.lines {
                let certain = match line.certain {
                    None => "",
                    Some(std::cmp::Ordering::Less) => " certain: loss",
                    Some(std::cmp::Ordering::Equal) => " certain: draw",
                    Some(std::cmp::Ordering::Greater) => " certain: win",
                };
                remark(
                    core,
                    &format!(
                        "{} N: {} Q: {:.5}{certain}",
                        line.moves.first().map_or("", String::as_str),
                        line.visits,
                        2.0 * line.value - 1.0
                    ),
                );
            }
        }
    }

    fn score(&self, line: &Line) -> String {
        match score::score(line) {
            Score::Centipawns(score) => format!("cp {score}"),
            Score::Mate(plies, wins) => {
                // UCI counts moves of the player to move, UGI plies.
                let count = match self.flavour {
                    Flavour::Uci => plies.div_ceil(2),
                    Flavour::Ugi => plies,
                };
                format!("mate {}{count}", if wins { "" } else { "-" })
            }
        }
    }
}

impl Dialect for Uci {
    fn during(&self, core: &Core, line: &str, queued: bool) -> During {
        if queued {
            return During::Later;
        }
        match line.split_whitespace().next() {
            Some("setoption" | "ucinewgame" | "uginewgame" | "position" | "go" | "bench") => {
                During::StopFirst
            }
            // Waiting for what waits for us would take for ever.
            Some("wait") if !core.is_held() => During::Later,
            _ => During::Now,
        }
    }

    fn line(&mut self, core: &mut Core, line: &str) -> Flow {
        let line = tidy(line);
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "uci" if self.flavour == Flavour::Uci => self.introduce(core),
            "ugi" if self.flavour == Flavour::Ugi => self.introduce(core),
            "debug" => core.debug = rest.trim() == "on",
            "isready" => core.say("readyok"),
            "setoption" => Self::set_option(core, rest),
            "ucinewgame" | "uginewgame" => core.session.forget(),
            "position" => Self::position(core, rest),
            "go" => self.go(core, rest),
            "stop" => core.stop(),
            "ponderhit" => core.ponder_hit(),
            "query" => Self::query(core, rest),
            "d" => Self::show(core),
            "eval" => Self::evaluate(core),
            "bench" => self.bench(core, rest),
            "quit" => return Flow::Quit,
            _ => {}
        }
        Flow::GoOn
    }

    fn thought(&mut self, core: &mut Core, thought: &Thought) {
        if core.is_due(thought) && self.task == Task::Go {
            self.inform(core, thought);
        }
    }

    fn said(&mut self, core: &mut Core, text: &str) {
        core.say(text);
    }

    fn done(&mut self, core: &mut Core, answer: Option<Answer>) {
        let Some(answer) = answer else {
            return;
        };
        if let Some(failure) = &answer.failure {
            remark(core, failure);
        }
        let thought = &answer.thought;
        if self.task == Task::Bench {
            let millis = thought.time.as_millis().max(1);
            core.say(format!("Total time (ms) : {millis}"));
            core.say(format!("Nodes searched  : {}", thought.nodes));
            let rate = u128::from(thought.nodes) * 1000 / millis;
            core.say(format!("Nodes/second    : {rate}"));
            return;
        }
        if thought.lines.is_empty() {
            core.say("info depth 0 score cp 0");
        } else {
            self.inform(core, thought);
        }
        let mut text = format!("bestmove {}", answer.best);
        if self.flavour == Flavour::Uci
            && let Some(reply) = &answer.reply
        {
            let _ = write!(text, " ponder {reply}");
        }
        core.say(text);
    }

    fn warning(&mut self, core: &mut Core, text: &str) {
        remark(core, text);
    }

    fn too_long(&mut self, core: &mut Core, text: &str) {
        core.valid = false;
        remark(core, text);
    }
}

/// Says something that programs pass over.
fn remark(core: &mut Core, text: &str) {
    for line in text.lines() {
        core.say(format!("info string {}", visible(line)));
    }
}

/// A line with single blanks between its words.
fn tidy(line: &str) -> std::borrow::Cow<'_, str> {
    let trimmed = line.trim();
    let is_tidy = !trimmed
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b' ' && pair[1] == b' ')
        && !trimmed.contains(|symbol: char| symbol.is_whitespace() && symbol != ' ');
    if is_tidy {
        return trimmed.into();
    }
    let words: Vec<&str> = trimmed.split_whitespace().collect();
    words.join(" ").into()
}

/// What comes before `moves`, and what after it.
fn split_moves(rest: &str) -> (&str, &str) {
    if let Some((position, moves)) = rest.split_once(" moves ") {
        return (position, moves);
    }
    match rest.strip_suffix(" moves") {
        Some(position) => (position, ""),
        None => (rest, ""),
    }
}

/// The name and the value in `name NAME value VALUE`.
fn split_option(rest: &str) -> Option<(String, String)> {
    let words: Vec<&str> = rest.split(' ').collect();
    let is = |word: &str, what: &str| word.eq_ignore_ascii_case(what);
    let (first, words) = words.split_first()?;
    if !is(first, "name") {
        return None;
    }
    let value = words.iter().position(|word| is(word, "value"));
    let name = words[..value.unwrap_or(words.len())].join(" ");
    let value = value.map_or_else(String::new, |at| words[at + 1..].join(" "));
    (!name.is_empty()).then_some((name, value))
}

/// What `go` asks for.
#[derive(Default)]
struct Go {
    wish: Wish,
    moves: Vec<String>,
    perft: Perft,
    /// What could not be read.
    problems: Vec<String>,
}

/// Whether lines of play are to be counted instead of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Perft {
    #[default]
    No,
    /// To a depth that could not be read.
    Refused,
    Depth(u32),
}

impl Go {
    fn parse(rest: &str, to_move: Player) -> Self {
        const KEYS: &[&str] = &[
            "searchmoves",
            "ponder",
            "infinite",
            "wtime",
            "btime",
            "winc",
            "binc",
            "p1time",
            "p2time",
            "p1inc",
            "p2inc",
            "movestogo",
            "depth",
            "nodes",
            "iterations",
            "mate",
            "movetime",
            "perft",
        ];
        /// Milliseconds, of which some programs write parts.
        const TIMES: &[&str] = &[
            "wtime", "btime", "winc", "binc", "p1time", "p2time", "p1inc", "p2inc", "movetime",
        ];
        let mut go = Self::default();
        let mut left = [None; 2];
        let mut increment = [None; 2];
        let mut moves_to_go = None;
        let mut words = rest.split_whitespace().peekable();
        while let Some(key) = words.next() {
            match key {
                "searchmoves" => {
                    while let Some(word) = words.next_if(|word| !KEYS.contains(word)) {
                        go.moves.push(word.to_owned());
                    }
                    continue;
                }
                "ponder" => {
                    go.wish.ponder = true;
                    continue;
                }
                "infinite" => {
                    go.wish.infinite = true;
                    continue;
                }
                _ if !KEYS.contains(&key) => continue,
                _ => {}
            }
            let text = words.next_if(|word| !KEYS.contains(word)).unwrap_or("");
            let Some(number) = parse_number(text, TIMES.contains(&key)) else {
                let text = quote(text);
                let what = if key == "perft" {
                    go.perft = Perft::Refused;
                    "nothing is counted: perft"
                } else {
                    &format!("{key} is ignored: it")
                };
                go.problems
                    .push(format!("{what} wants a whole number, not {text}"));
                continue;
            };
            let count = number.max(1) as u64;
            let plies = u32::try_from(count).unwrap_or(u32::MAX);
            match key {
                "wtime" | "p1time" => left[0] = Some(number),
                "btime" | "p2time" => left[1] = Some(number),
                "winc" | "p1inc" => increment[0] = Some(number),
                "binc" | "p2inc" => increment[1] = Some(number),
                "movestogo" => moves_to_go = Some(u32::try_from(number.max(0)).unwrap_or(u32::MAX)),
                "depth" => go.wish.limits.depth = Some(plies),
                "nodes" => go.wish.limits.nodes = Some(count),
                "iterations" => go.wish.limits.iterations = Some(count),
                "mate" => go.wish.mate = Some(plies.saturating_mul(2).saturating_sub(1)),
                "movetime" => go.wish.limits.time = Some(Duration::from_millis(count)),
                _ => go.perft = Perft::Depth(plies.min(64)),
            }
        }
        let own = to_move.index();
        // The opponent's clock says nothing about ours, and may be missing.
        if let Some(time) = left[own].or(increment[own].map(|_| 0)) {
            go.wish.clock = Some(Clock {
                left: time,
                increment: increment[own].unwrap_or(0),
                moves_to_go,
            });
        }
        go
    }
}

/// A whole number, which may be too large to be kept and is then the largest. What follows a decimal point is left out if
/// there may be one.
fn parse_number(text: &str, has_parts: bool) -> Option<i64> {
    let text = match text.split_once('.') {
        Some((whole, part)) if has_parts && part.bytes().all(|byte| byte.is_ascii_digit()) => whole,
        _ => text,
    };
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(text: &str) -> Go {
        let go = Go::parse(text, Player::First);
        assert!(go.problems.is_empty(), "{text}: {:?}", go.problems);
        go
    }

    #[test]
    fn limits_stand_in_any_order() {
        let parsed = go(
            "nodes 5 searchmoves e2e4 d2d4 wtime 100 btime 200 winc 1 binc 2 movestogo 7 depth 3",
        );
        assert_eq!(parsed.moves, ["e2e4", "d2d4"]);
        assert_eq!(parsed.wish.limits.nodes, Some(5));
        assert_eq!(parsed.wish.limits.depth, Some(3));
        let clock = Clock {
            left: 100,
            increment: 1,
            moves_to_go: Some(7),
        };
        assert_eq!(parsed.wish.clock, Some(clock));
        assert!(go("infinite").wish.infinite);
        assert!(go("ponder wtime 5").wish.ponder);
        assert_eq!(go("mate 2").wish.mate, Some(3));
        assert_eq!(go("btime 100").wish.clock, None);
        assert_eq!(go("wtime -5").wish.clock.map(|clock| clock.left), Some(-5));
        assert_eq!(go("nodes -3").wish.limits.nodes, Some(1));
        assert_eq!(
            go("nodes 99999999999999999999").wish.limits.nodes,
            Some(i64::MAX as u64)
        );
        assert_eq!(go("fast nodes 7 please").wish.limits.nodes, Some(7));
        assert_eq!(
            go("wtime 100.5").wish.clock.map(|clock| clock.left),
            Some(100)
        );
        assert_eq!(go("perft 3").perft, Perft::Depth(3));
        // What cannot be read is left out, and nothing else.
        for text in ["infinite nodes", "nodes x infinite", "infinite wtime abc"] {
            let go = Go::parse(text, Player::First);
            assert!(go.problems.len() == 1 && go.wish.infinite, "{text}");
            assert_eq!(
                (go.wish.limits, go.wish.clock),
                (Limits::default(), None),
                "{text}"
            );
        }
        // Counts have no parts, and a perft without a depth is no search.
        for text in ["depth 2.5", "nodes 1e6", "mate 1.0", "movestogo 2.5"] {
            let go = Go::parse(text, Player::First);
            assert_eq!((go.problems.len(), go.wish), (1, Wish::default()), "{text}");
        }
        for text in ["perft", "perft x", "perft 2.5 nodes 7"] {
            let go = Go::parse(text, Player::First);
            assert_eq!((go.problems.len(), go.perft), (1, Perft::Refused), "{text}");
        }
    }

    #[test]
    fn options_have_blanks_in_names_and_values() {
        let split = |text| split_option(text);
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(split("name Clear Hash"), pair("Clear Hash", ""));
        assert_eq!(split("name TreeDir value a b"), pair("TreeDir", "a b"));
        assert_eq!(split("NAME x VALUE y"), pair("x", "y"));
        assert_eq!(split("Hash 5"), None);
        assert_eq!(split(""), None);
    }

    #[test]
    fn moves_may_be_missing_or_empty() {
        assert_eq!(split_moves("startpos moves 1 2"), ("startpos", "1 2"));
        assert_eq!(split_moves("startpos moves"), ("startpos", ""));
        assert_eq!(split_moves("startpos"), ("startpos", ""));
        assert_eq!(tidy("  go \t nodes  5\r"), "go nodes 5");
    }
}
