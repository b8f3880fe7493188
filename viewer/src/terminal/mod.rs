//! A match without a window: the board, the score, the best moves of the last search and how far it has come, drawn in the
//! terminal or told line by line.

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
    kept::{draw_last_trees, newest_tree, size_of},
    screen::{Line, Screen, Tone},
    thought::{Thought, plain, thought_at},
};
use crate::{
    exhibition::{Exhibition, Wanted},
    signals,
    standing::{self, Standing},
};

mod kept;
mod screen;
mod thought;

/// How often the folder of a match is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(60);
/// How long the line of a move waits for the tree of the search that chose it.
const TREE_DELAY: Duration = Duration::from_secs(1);
/// How long a demo plays before it is stopped, unless its length was chosen: with the pictures it ends within a minute.
pub const DEMO_LIMIT: Duration = Duration::from_secs(48);
/// Milliseconds between the moves of a demo: two games fit into the limit, and each move can be read.
pub const DEMO_PACE: u32 = 300;
/// The width of the longest bar in characters.
const BAR: usize = 24;
/// The moves of a game that are written below its board, counted from its end.
const MAX_LINE: usize = 16;

/// The games of demos, in the order in which the next one is proposed.
const GAMES: [&str; 5] = ["connect-four", "othello", "kalah", "chess", "delta"];

/// How a match in the terminal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All games were played, or the time for them is over.
    Over,
    /// Somebody pressed Ctrl-C.
    Stopped,
}

/// Plays a match in the terminal, keeps its trees and draws the last ones; stops it after `limit`. `program` is what the
/// commands begin with that are told in the end.
pub fn demo(wanted: &Wanted, limit: Option<Duration>, program: &str) -> Result<End, String> {
    let name = wanted.game.replace(':', "-");
    let directory = kept::new_directory(&name)
        .map_err(|error| format!("there is nowhere to keep the trees: {error}"))?;
    let wanted = Wanted {
        directory: Some(directory.clone()),
        ..wanted.clone()
    };
    let mut exhibition = Exhibition::start(&wanted, Arc::new(|| {}))?;
    let mut teller = Teller {
        says_what_it_awaits: false,
        ..Teller::new(&directory, limit)
    };
    let end = loop {
        if let Some(end) = teller.look()? {
            break end;
        }
        if let Some(problem) = exhibition.problem() {
            return Err(problem);
        }
        if exhibition.has_ended() && teller.standing.is_none() {
            return Err("the match has ended before it began".to_owned());
        }
        thread::sleep(POLL_INTERVAL);
    };
    drop(exhibition);
    if end == End::Stopped {
        teller.say(&format!(
            "Stopped; the trees so far are in {}",
            directory.display()
        ))?;
        return Ok(end);
    }
    let pictures = directory.join("pictures");
    let drawn = draw_last_trees(&directory, &pictures)?;
    let (trees, bytes) = size_of(&directory);
    teller.say(&format!(
        "{trees} trees ({} MB) are kept; in a window: {program} follow {}",
        bytes.div_ceil(1_000_000),
        quoted(&directory)
    ))?;
    teller.farewell()?;
    let count = drawn.len();
    let place = pictures.display();
    teller.say(&format!("Pictures of the last {count} trees: {place}"))?;
    let base = wanted.game.split(':').next().unwrap_or_default();
    let at = GAMES.iter().position(|game| *game == base).unwrap_or(0);
    let next = GAMES[(at + 1) % GAMES.len()];
    teller.say(&format!("Next: {program} demo {next}"))?;
    Ok(end)
}

/// Tells of the match of a directory until it is over.
pub fn follow(directory: &Path, program: &str) -> Result<End, String> {
    let mut teller = Teller::new(directory, None);
    let end = loop {
        if let Some(end) = teller.look()? {
            break end;
        }
        thread::sleep(POLL_INTERVAL);
    };
    if end == End::Over {
        teller.farewell()?;
        if let Some(tree) = newest_tree(directory) {
            teller.say(&format!(
                "Next: {program} render {} -o tree.svg",
                quoted(&tree)
            ))?;
        }
    }
    Ok(end)
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let is_plain = |symbol: char| symbol.is_alphanumeric() || "/._-+,=:@%".contains(symbol);
    if text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// How much of a match was told in lines.
#[derive(Default)]
struct Told {
    /// Which game, and how many of its moves.
    game: u64,
    moves: usize,
    /// Whether the end of that game was told.
    result: bool,
    /// Since when the next move is known.
    since: Option<Instant>,
}

/// Tells of a match.
struct Teller {
    directory: PathBuf,
    screen: Screen<io::Stdout>,
    begun: Instant,
    limit: Option<Duration>,
    is_stopped: Arc<AtomicBool>,
    meta: Option<MatchMeta>,
    standing: Option<Standing>,
    /// What the last search of the game thought, and after how many moves it was.
    thought: Option<(usize, Thought)>,
    told: Told,
    /// Whether a line still has to say that there is no match yet.
    says_what_it_awaits: bool,
}

impl Teller {
    fn new(directory: &Path, limit: Option<Duration>) -> Self {
        Self {
            directory: directory.to_owned(),
            screen: Screen::standard(),
            begun: Instant::now(),
            limit,
            is_stopped: signals::heed(&(Arc::new(|| {}) as crate::loader::Wake)),
            meta: None,
            standing: None,
            thought: None,
            told: Told::default(),
            says_what_it_awaits: true,
        }
    }

    fn say(&mut self, text: &str) -> Result<(), String> {
        self.screen.line(text).map_err(unwritten)
    }

    /// Looks at the match, and tells what is new; how it ended if it has.
    fn look(&mut self) -> Result<Option<End>, String> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Ok(Some(End::Stopped));
        }
        let found = standing::read(&self.directory).map_err(|error| {
            format!("{}: {error}", self.directory.join(standing::FILE).display())
        })?;
        match found {
            Some(meta) if meta.number > 0 && self.meta.as_ref() != Some(&meta) => {
                let is_new = (self.meta.as_ref()).is_none_or(|last| last.number != meta.number);
                if is_new {
                    self.thought = None;
                }
                self.standing = Some(Standing::new(meta.clone()));
                self.meta = Some(meta);
            }
            None if self.says_what_it_awaits && !self.screen.is_terminal() => {
                self.says_what_it_awaits = false;
                let text = format!("waiting for a match in {}", self.directory.display());
                self.say(&text)?;
            }
            _ => {}
        }
        let is_late = self
            .limit
            .is_some_and(|limit| self.begun.elapsed() >= limit);
        let is_over = self.standing.as_ref().is_some_and(Standing::is_over);
        let is_told = if self.screen.is_terminal() {
            self.find_thought();
            let frame = self.frame();
            self.screen.draw(frame).map_err(unwritten)?;
            true
        } else {
            self.tell_lines(is_late || is_over)?
        };
        Ok((is_late || is_over && is_told).then_some(End::Over))
    }

    /// Where the trees of the game are.
    fn game_directory(&self) -> Option<PathBuf> {
        let name = self.meta.as_ref()?.directory.as_ref()?;
        // A name from a file leads nowhere else.
        let is_name = !name.contains(['/', '\\']) && name != "..";
        is_name.then(|| self.directory.join(name))
    }

    /// Looks for the tree of the search that chose the last move; until it is there, that of the one before is shown.
    fn find_thought(&mut self) {
        let moves = self.standing.as_ref().map_or(0, |now| now.moves.len());
        let known = self.thought.as_ref().map(|(ply, _)| *ply);
        let Some(game) = self.game_directory() else {
            return;
        };
        if let Some(last) = moves.checked_sub(1).filter(|&last| known != Some(last))
            && let Some(thought) = thought_at(&game, last)
        {
            self.thought = Some((last, thought));
        }
    }

    /// Tells the moves that are not told yet, each with what its search thought; whether all are told. A move waits for its
    /// tree for a while unless it is `pressing`.
    fn tell_lines(&mut self, is_pressing: bool) -> Result<bool, String> {
        let (Some(standing), Some(meta)) = (self.standing.clone(), self.meta.clone()) else {
            return Ok(true);
        };
        if self.told.game != meta.number {
            self.told = Told {
                game: meta.number,
                ..Told::default()
            };
            self.say(&format!("{}: {}", standing.which(), score_line(&standing)))?;
        }
        let game = self.game_directory();
        while self.told.moves < standing.moves.len() {
            let index = self.told.moves;
            let thought = game.as_deref().and_then(|game| thought_at(game, index));
            let since = *self.told.since.get_or_insert_with(Instant::now);
            let is_last = index + 1 == standing.moves.len();
            if thought.is_none() && is_last && !is_pressing && since.elapsed() < TREE_DELAY {
                return Ok(false);
            }
            let line = move_line(&standing, index, thought.as_ref());
            self.say(&line)?;
            self.told.moves += 1;
            self.told.since = None;
        }
        if meta.result.is_some() && !self.told.result {
            self.told.result = true;
            for line in drawing(&meta).unwrap_or_default().lines() {
                self.say(&format!("  {line}"))?;
            }
            self.say(&format!("{}: {}", standing.which(), standing.turn()))?;
        }
        Ok(true)
    }

    /// Everything there is to see.
    fn frame(&self) -> Vec<Line> {
        let mut frame = Vec::new();
        let mut add = |tone: Tone, text: String| frame.push((tone, text));
        let (Some(standing), Some(meta)) = (&self.standing, &self.meta) else {
            add(
                Tone::Dim,
                format!("waiting for a match in {}", self.directory.display()),
            );
            return frame;
        };
        add(
            Tone::Dim,
            format!("Canopy · {} · {}", standing.game(), standing.which()),
        );
        add(Tone::Strong, score_line(standing));
        add(Tone::Plain, String::new());
        match drawing(meta) {
            Some(drawing) => {
                (drawing.lines()).for_each(|line| add(Tone::Plain, format!("  {line}")))
            }
            None => add(Tone::Dim, "  the position cannot be drawn".to_owned()),
        }
        add(Tone::Plain, String::new());
        add(Tone::Plain, standing.turn());
        let first = standing.moves.len().saturating_sub(MAX_LINE);
        let before = if first > 0 { "… " } else { "" };
        let line = standing.moves[first..].join(" ");
        add(
            Tone::Dim,
            format!("{} moves: {before}{line}", standing.moves.len()),
        );
        add(Tone::Plain, String::new());
        if let Some((ply, thought)) = &self.thought {
            table(standing, *ply, thought, &mut add);
        }
        let time = self.begun.elapsed().as_secs();
        add(
            Tone::Dim,
            match self.limit {
                Some(limit) => format!("{time} s of at most {} s; Ctrl-C ends it", limit.as_secs()),
                None => format!("{time} s; Ctrl-C ends it"),
            },
        );
        frame
    }

    /// The score in the end.
    fn farewell(&mut self) -> Result<(), String> {
        let Some(standing) = self.standing.clone() else {
            return self.say("Nothing was played in time.");
        };
        let end = match standing.verdict() {
            Some(verdict) => verdict,
            None => {
                let moves = standing.moves.len();
                format!(
                    "stopped in game {} after {moves} moves",
                    standing.meta.number
                )
            }
        };
        self.say(&format!("Score: {} ({end})", score_line(&standing)))
    }
}

fn unwritten(error: io::Error) -> String {
    format!("cannot write the output: {error}")
}

/// What both players have: `UCT 1½ – ½ Alpha-beta`.
fn score_line(standing: &Standing) -> String {
    let players = standing.contestants();
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

/// What a side is called by the game, and who plays it.
fn side(standing: &Standing, player: Player) -> (&'static str, String) {
    let names = (standing.board.as_ref())
        .map_or(["the first player", "the second player"], |now| now.players);
    let index = player.index();
    let who = standing
        .meta
        .players
        .get(index)
        .map_or(String::new(), |name| plain(name));
    (names[index], who)
}

/// A move in a line: who played it, and what else the search thought of.
fn move_line(standing: &Standing, index: usize, thought: Option<&Thought>) -> String {
    let mv = &standing.moves[index];
    let player = match (thought, &standing.board) {
        (_, Ok(now)) => now.line.get(index).map(|(player, _)| *player),
        (Some(thought), _) => Some(thought.player),
        _ => None,
    };
    let (name, who) = player.map_or(("", String::new()), |player| side(standing, player));
    let mut line = format!("  {:>3}. {who} ({name}) {mv}", index + 1);
    if let Some(thought) = thought {
        let _ = write!(line, "   {}:", thought.effort);
        for tried in thought.moves.iter().take(3) {
            let _ = write!(line, " {} {:.0} %", tried.text, tried.share * 100.0);
        }
        if let Some(mean) = thought.moves.first().and_then(|best| best.mean) {
            let _ = write!(line, "; {} for {name} {mean:.2}", thought.worth);
        }
    }
    line
}

/// The best moves of a search with their shares, as rows.
fn table(standing: &Standing, ply: usize, thought: &Thought, add: &mut impl FnMut(Tone, String)) {
    let (name, who) = side(standing, thought.player);
    let played = standing.moves.get(ply).map_or("", String::as_str);
    add(
        Tone::Plain,
        format!("{who} ({name}) chose {played} after {}", thought.effort),
    );
    let width = (thought.moves.iter())
        .map(|tried| tried.text.chars().count())
        .max()
        .unwrap_or(0)
        .max(4);
    let share = format!("share of {}", thought.unit);
    add(
        Tone::Dim,
        format!(
            "  {:<width$}  {share:<room$}  {} for {name}",
            "move",
            thought.worth,
            room = BAR + 6
        ),
    );
    for (index, tried) in thought.moves.iter().enumerate() {
        let length = (tried.share * BAR as f64).round() as usize;
        let bar = "█".repeat(length.min(BAR));
        let mean = tried
            .mean
            .map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"));
        let tone = if index == 0 { Tone::Cool } else { Tone::Plain };
        add(
            tone,
            format!(
                "  {:<width$}  {bar:<BAR$} {:>3.0} %  {mean}",
                tried.text,
                tried.share * 100.0
            ),
        );
    }
    add(Tone::Plain, String::new());
}

/// The position of a game as the game draws it; none if nobody can.
fn drawing(meta: &MatchMeta) -> Option<String> {
    struct Draw<'a>(&'a MatchMeta);

    impl Visitor for Draw<'_> {
        type Out = Option<String>;

        fn visit<G: Playable>(self, rules: G::Rules) -> Option<String> {
            let start = match self.0.position.trim() {
                "" => "startpos",
                position => position,
            };
            let mut position: G = notation::position(rules, start).ok()?;
            for text in &self.0.moves {
                let mv = position.parse_move(text).ok()?;
                position.play(mv);
            }
            Some(notation::drawing(&position))
        }
    }
    games::with_game(&meta.game, Draw(meta)).ok().flatten()
}
