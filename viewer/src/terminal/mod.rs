//! A match without a window: board, score, best moves and progress of the search, drawn in the terminal or printed line by
//! line.

use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use canopy_engine::{
    games::{self, Playable, Player, Visitor, notation},
    tree::meta::MatchMeta,
};

use self::{
    demo_files::{draw_last_trees, match_size, newest_tree},
    screen::{LineStyle, StyledLine, TerminalScreen},
    search_summary::{SearchSummary, printable, search_summary_at},
};
use crate::{
    play::{
        demo_match::{DemoMatch, DemoMatchConfig},
        match_state::{self, MatchState},
    },
    settings::ViewerSettings,
    system::signals,
    tree::node_value::ValueView,
};

mod demo_files;
mod screen;
mod search_summary;

/// Poll interval of a match's folder.
const POLL_INTERVAL: Duration = Duration::from_millis(60);
/// Longest wait of a move's line for the tree of its search.
const MAX_TREE_WAIT: Duration = Duration::from_secs(1);
/// Time after which a demo is stopped, unless its length was chosen: with the pictures it ends within a minute.
pub const DEMO_TIME_LIMIT: Duration = Duration::from_secs(48);
/// Milliseconds between the moves of a demo: two games fit into the limit, and each move can be read.
pub const DEMO_PACE_MS: u32 = 300;
/// The width of the longest bar in characters.
const BAR: usize = 24;
/// The moves of a game that are written below its board, counted from its end.
const MAX_LISTED_MOVES: usize = 16;

/// How a match in the terminal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalEnd {
    /// All games were played, or the time for them is over.
    Over,
    /// Ctrl-C was pressed.
    Stopped,
}

/// Plays a match in the terminal, keeps its trees and draws the last ones; stops it after `limit`. `program` begins the
/// commands that are suggested in the end.
pub fn run_demo(
    config: &DemoMatchConfig,
    limit: Option<Duration>,
    program: &str,
) -> Result<TerminalEnd, String> {
    let name = config.game.replace(':', "-");
    let directory = demo_files::create_demo_directory(&name)
        .map_err(|error| format!("there is nowhere to keep the trees: {error}"))?;
    let wanted = DemoMatchConfig {
        directory: Some(directory.clone()),
        ..config.clone()
    };
    let mut demo_match = DemoMatch::start(&wanted, Arc::new(|| {}))?;
    let mut printer = MatchPrinter {
        should_print_waiting: false,
        ..MatchPrinter::new(&directory, limit)
    };
    let end = loop {
        if let Some(end) = printer.poll()? {
            break end;
        }
        if let Some(problem) = demo_match.take_error() {
            return Err(problem);
        }
        if demo_match.has_ended() && printer.state.is_none() {
            return Err("the match has ended before it began".to_owned());
        }
        thread::sleep(POLL_INTERVAL);
    };
    drop(demo_match);
    if end == TerminalEnd::Stopped {
        printer.print_line(&format!(
            "Stopped; the trees so far are in {}",
            directory.display()
        ))?;
        return Ok(end);
    }
    let pictures = directory.join("pictures");
    let drawn = draw_last_trees(&directory, &pictures)?;
    let (trees, bytes) = match_size(&directory);
    printer.print_line(&format!(
        "{trees} trees ({} MB) are kept; in a window: {program} follow {}",
        bytes.div_ceil(1_000_000),
        shell_quoted(&directory)
    ))?;
    printer.print_final_score()?;
    let count = drawn.len();
    let place = pictures.display();
    printer.print_line(&format!("Pictures of the last {count} trees: {place}"))?;
    let next = game_after(&wanted.game);
    printer.print_line(&format!("Next: {program} demo {next}"))?;
    Ok(end)
}

/// The listed game that follows `game` in the table, the first one after the last.
fn game_after(game: &str) -> &'static str {
    let base = games::facts_of(game).map_or("", |facts| facts.name);
    let mut names = games::NAMES.iter().copied().cycle();
    let next = names
        .by_ref()
        .take(games::NAMES.len())
        .find(|&name| name == base)
        .and_then(|_| names.next());
    next.unwrap_or(games::DEMO.name)
}

/// Tells of the match of a directory until it is over.
pub fn follow_match(directory: &Path, program: &str) -> Result<TerminalEnd, String> {
    let mut printer = MatchPrinter::new(directory, None);
    let end = loop {
        if let Some(end) = printer.poll()? {
            break end;
        }
        thread::sleep(POLL_INTERVAL);
    };
    if end == TerminalEnd::Over {
        printer.print_final_score()?;
        if let Some(tree) = newest_tree(directory) {
            printer.print_line(&format!(
                "Next: {program} render {} -o tree.svg",
                shell_quoted(&tree)
            ))?;
        }
    }
    Ok(end)
}

/// A path as a shell reads it.
fn shell_quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |symbol: char| symbol.is_alphanumeric() || "/._-+,=:@%".contains(symbol);
    if text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The part of a match already printed as lines.
#[derive(Default)]
struct PrintedProgress {
    /// The game's number, and the number of its moves.
    game: u64,
    moves: usize,
    /// Whether that game's result was printed.
    has_result: bool,
    /// Since when the next move is known.
    waiting_since: Option<Instant>,
}

/// Tells of a match.
struct MatchPrinter {
    directory: PathBuf,
    screen: TerminalScreen<io::Stdout>,
    started_at: Instant,
    limit: Option<Duration>,
    is_stopped: Arc<AtomicBool>,
    meta: Option<MatchMeta>,
    state: Option<MatchState>,
    /// The summary of the game's last search, and the number of moves before it.
    search_summary: Option<(usize, SearchSummary)>,
    printed: PrintedProgress,
    /// Whose values are told.
    value_view: ValueView,
    /// Whether the message that there is no match yet is still due.
    should_print_waiting: bool,
}

impl MatchPrinter {
    fn new(directory: &Path, limit: Option<Duration>) -> Self {
        Self {
            directory: directory.to_owned(),
            screen: TerminalScreen::stdout(),
            started_at: Instant::now(),
            limit,
            is_stopped: signals::install_termination_flag(
                &(Arc::new(|| {}) as crate::system::wake::Wake),
            ),
            meta: None,
            state: None,
            search_summary: None,
            printed: PrintedProgress::default(),
            value_view: ViewerSettings::load().value_view,
            should_print_waiting: true,
        }
    }

    fn print_line(&mut self, text: &str) -> Result<(), String> {
        self.screen.print_line(text).map_err(write_error)
    }

    /// Polls the match and prints news; returns the end, once it has ended.
    fn poll(&mut self) -> Result<Option<TerminalEnd>, String> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Ok(Some(TerminalEnd::Stopped));
        }
        let found = match_state::read_match_file(&self.directory).map_err(|error| {
            format!(
                "{}: {error}",
                self.directory.join(match_state::MATCH_FILE).display()
            )
        })?;
        match found {
            Some(meta) if meta.number > 0 && self.meta.as_ref() != Some(&meta) => {
                let is_new = (self.meta.as_ref()).is_none_or(|last| last.number != meta.number);
                if is_new {
                    self.search_summary = None;
                }
                self.state = Some(MatchState::new(meta.clone()));
                self.meta = Some(meta);
            }
            None if self.should_print_waiting && !self.screen.is_terminal() => {
                self.should_print_waiting = false;
                let text = format!("waiting for a match in {}", self.directory.display());
                self.print_line(&text)?;
            }
            _ => {}
        }
        let is_late = self
            .limit
            .is_some_and(|limit| self.started_at.elapsed() >= limit);
        let is_over = self.state.as_ref().is_some_and(MatchState::is_over);
        let is_told = if self.screen.is_terminal() {
            self.update_search_summary();
            let frame = self.frame();
            self.screen.draw(frame).map_err(write_error)?;
            true
        } else {
            self.print_moves(is_late || is_over)?
        };
        Ok((is_late || is_over && is_told).then_some(TerminalEnd::Over))
    }

    /// Where the trees of the game are.
    fn game_directory(&self) -> Option<PathBuf> {
        let name = self.meta.as_ref()?.directory.as_ref()?;
        // A name from a file leads nowhere else.
        let is_name = !name.contains(['/', '\\']) && name != "..";
        is_name.then(|| self.directory.join(name))
    }

    /// Looks for the tree of the search that chose the last move; until it is there, that of the one before is shown.
    fn update_search_summary(&mut self) {
        let moves = self.state.as_ref().map_or(0, |now| now.moves.len());
        let known = self.search_summary.as_ref().map(|(ply, _)| *ply);
        let Some(game) = self.game_directory() else {
            return;
        };
        if let Some(last) = moves.checked_sub(1).filter(|&last| known != Some(last))
            && let Some(info) = search_summary_at(&game, last, self.value_view)
        {
            self.search_summary = Some((last, info));
        }
    }

    /// Prints the moves not printed yet, each with its search's summary; true if all are printed. A move waits a while for
    /// its tree unless `is_pressing`.
    fn print_moves(&mut self, is_pressing: bool) -> Result<bool, String> {
        let (Some(standing), Some(meta)) = (self.state.clone(), self.meta.clone()) else {
            return Ok(true);
        };
        if self.printed.game != meta.number {
            self.printed = PrintedProgress {
                game: meta.number,
                ..PrintedProgress::default()
            };
            self.print_line(&format!(
                "{}: {}",
                standing.game_label(),
                score_line(&standing)
            ))?;
        }
        let (game, view) = (self.game_directory(), self.value_view);
        while self.printed.moves < standing.moves.len() {
            let index = self.printed.moves;
            let info = game
                .as_deref()
                .and_then(|game| search_summary_at(game, index, view));
            let since = *self.printed.waiting_since.get_or_insert_with(Instant::now);
            let is_last = index + 1 == standing.moves.len();
            if info.is_none() && is_last && !is_pressing && since.elapsed() < MAX_TREE_WAIT {
                return Ok(false);
            }
            let line = move_line(&standing, index, info.as_ref());
            self.print_line(&line)?;
            self.printed.moves += 1;
            self.printed.waiting_since = None;
        }
        if meta.result.is_some() && !self.printed.has_result {
            self.printed.has_result = true;
            for line in board_text(&meta).unwrap_or_default().lines() {
                self.print_line(&format!("  {line}"))?;
            }
            self.print_line(&format!(
                "{}: {}",
                standing.game_label(),
                standing.turn_text()
            ))?;
        }
        Ok(true)
    }

    /// Everything there is to see.
    fn frame(&self) -> Vec<StyledLine> {
        let mut frame = Vec::new();
        let mut add = |tone: LineStyle, text: String| frame.push((tone, text));
        let (Some(standing), Some(meta)) = (&self.state, &self.meta) else {
            add(
                LineStyle::Dim,
                format!("waiting for a match in {}", self.directory.display()),
            );
            return frame;
        };
        add(
            LineStyle::Dim,
            format!(
                "Canopy · {} · {}",
                standing.game_name(),
                standing.game_label()
            ),
        );
        add(LineStyle::Bold, score_line(standing));
        add(LineStyle::Plain, String::new());
        match board_text(meta) {
            Some(drawing) => {
                (drawing.lines()).for_each(|line| add(LineStyle::Plain, format!("  {line}")))
            }
            None => add(LineStyle::Dim, "  the position cannot be drawn".to_owned()),
        }
        add(LineStyle::Plain, String::new());
        add(LineStyle::Plain, standing.turn_text());
        let first = standing.moves.len().saturating_sub(MAX_LISTED_MOVES);
        let before = if first > 0 { "… " } else { "" };
        let line = standing.moves[first..].join(" ");
        add(
            LineStyle::Dim,
            format!("{} moves: {before}{line}", standing.moves.len()),
        );
        add(LineStyle::Plain, String::new());
        if let Some((ply, info)) = &self.search_summary {
            add_search_table(standing, *ply, info, &mut add);
        }
        let time = self.started_at.elapsed().as_secs();
        add(
            LineStyle::Dim,
            match self.limit {
                Some(limit) => format!("{time} s of at most {} s; Ctrl-C ends it", limit.as_secs()),
                None => format!("{time} s; Ctrl-C ends it"),
            },
        );
        frame
    }

    /// The score in the end.
    fn print_final_score(&mut self) -> Result<(), String> {
        let Some(standing) = self.state.clone() else {
            return self.print_line("Nothing was played in time.");
        };
        let end = match standing.result_text() {
            Some(verdict) => verdict,
            None => {
                let moves = standing.moves.len();
                format!(
                    "stopped in game {} after {moves} moves",
                    standing.meta.number
                )
            }
        };
        self.print_line(&format!("Score: {} ({end})", score_line(&standing)))
    }
}

fn write_error(error: io::Error) -> String {
    format!("cannot write the output: {error}")
}

/// The score of both players: `UCT 1½ – ½ Alpha-beta`.
fn score_line(state: &MatchState) -> String {
    let players = state.players();
    match players.as_slice() {
        [one, other] => {
            let points = |points: &Option<String>| points.clone().unwrap_or_else(|| "0".to_owned());
            format!(
                "{} {} – {} {}",
                one.name,
                points(&one.points),
                points(&other.points),
                other.name
            )
        }
        many => {
            let told = many.iter().map(|player| match &player.points {
                Some(points) => format!("{} {points}", player.name),
                None => player.name.clone(),
            });
            told.collect::<Vec<_>>().join(", ")
        }
    }
}

/// The game's name of a side, and its player.
fn side_names(state: &MatchState, player: Player) -> (&'static str, String) {
    let names =
        (state.board.as_ref()).map_or(["the first player", "the second player"], |now| now.players);
    let index = player.index();
    let who = state
        .meta
        .players
        .get(index)
        .map_or(String::new(), |name| printable(name));
    (names[index], who)
}

/// A move as a line: its player, and the search's alternatives.
fn move_line(state: &MatchState, index: usize, summary: Option<&SearchSummary>) -> String {
    let mv = &state.moves[index];
    let player = match (summary, &state.board) {
        (_, Ok(now)) => now.moves.get(index).map(|(player, _)| *player),
        (Some(info), _) => Some(info.player),
        _ => None,
    };
    let (name, who) = player.map_or(("", String::new()), |player| side_names(state, player));
    let mut line = format!("  {:>3}. {who} ({name}) {mv}", index + 1);
    if let Some(info) = summary {
        let _ = write!(line, "   {}:", info.effort_text);
        for tried in info.moves.iter().take(3) {
            let _ = write!(line, " {} {:.0} %", tried.text, tried.share * 100.0);
        }
        if let Some(best) = info.moves.first() {
            let _ = write!(line, "; {}", best.value.0);
        }
    }
    line
}

/// The best moves of a search with their shares, as rows.
fn add_search_table(
    state: &MatchState,
    ply: usize,
    summary: &SearchSummary,
    add: &mut impl FnMut(LineStyle, String),
) {
    let (name, who) = side_names(state, summary.player);
    let played = state.moves.get(ply).map_or("", String::as_str);
    add(
        LineStyle::Plain,
        format!(
            "{who} ({name}) chose {played} after {}",
            summary.effort_text
        ),
    );
    let width = (summary.moves.iter())
        .map(|tried| tried.text.chars().count())
        .max()
        .unwrap_or(0)
        .max(4);
    let share = format!("share of {}", summary.unit);
    add(
        LineStyle::Dim,
        format!(
            "  {:<width$}  {share:<room$}  {}",
            "move",
            summary.value_heading,
            room = BAR + 6
        ),
    );
    for (index, tried) in summary.moves.iter().enumerate() {
        let length = (tried.share * BAR as f64).round() as usize;
        let bar = "█".repeat(length.min(BAR));
        let value = &tried.value.1;
        let tone = if index == 0 {
            LineStyle::Highlight
        } else {
            LineStyle::Plain
        };
        add(
            tone,
            format!(
                "  {:<width$}  {bar:<BAR$} {:>3.0} %  {value}",
                tried.text,
                tried.share * 100.0
            ),
        );
    }
    add(LineStyle::Plain, String::new());
}

/// The drawing of a game's position; none if the position cannot be read.
fn board_text(meta: &MatchMeta) -> Option<String> {
    struct BoardTextVisitor<'a>(&'a MatchMeta);

    impl Visitor for BoardTextVisitor<'_> {
        type Out = Option<String>;

        fn visit<G: Playable>(self, rules: G::Rules) -> Option<String> {
            let start = match self.0.position.trim() {
                "" => "startpos",
                position => position,
            };
            let mut position: G = notation::read_position(rules, start).ok()?;
            for text in &self.0.moves {
                let mv = position.parse_move(text).ok()?;
                position.play(mv);
            }
            Some(notation::board_text(&position))
        }
    }
    games::with_game(&meta.game, BoardTextVisitor(meta))
        .ok()
        .flatten()
}
