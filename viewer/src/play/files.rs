//! Games on disk: those that were played in the window, and those that a person saves and opens.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use canopy_engine::{
    arena::{
        client::Timeouts,
        engine_config::EngineConfig,
        export,
        match_log::{GameRecord, MatchHeader},
        match_run,
        referee::Termination,
        report::ReportOptions,
        time_control::MoveLimits,
    },
    games::{
        self, Game as _, History, Notation as _, Outcome, Playable, Player, Visitor,
        chess::{Chess, pgn},
        facts::RecordFormat,
        notation,
        othello::{Othello, ggf},
    },
    runs::{RunError, part::PartWriter, shard::Shard},
    tree::writer::timestamp,
};

use super::{
    GameConfig,
    game_state::{GameHeading, GameState, Turn},
};
use crate::system::user_files::{user_directory, write_text};

/// Longer files than this are no games.
const MAX_GAME_FILE_BYTES: u64 = 1 << 20;
/// Upper bound of a name's letters in a record.
const MAX_NAME_CHARS: usize = 200;

/// A game that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedGame {
    /// The game with its variant.
    pub game: String,
    /// Where it began; empty for the game's own start.
    pub position: String,
    /// The moves.
    pub moves: Vec<String>,
    /// Who played, and when.
    pub heading: GameHeading,
}

/// Whether a file is a game record, by its extension.
pub fn is_game_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|name| name.to_str());
    extension.is_some_and(|name| {
        (RecordFormat::ALL.into_iter().map(RecordFormat::extension))
            .chain(["txt"])
            .any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Writes a game in the format of the file's extension: one of the game's record formats, or `.txt` for the move list.
pub fn save(path: &Path, game: &GameState) -> Result<(), String> {
    let extension = path
        .extension()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let text = match extension.to_ascii_lowercase().as_str() {
        "txt" => move_list(game),
        other => {
            let format = (RecordFormat::ALL.into_iter())
                .find(|format| format.extension() == other)
                .ok_or_else(expected_extensions)?;
            record_text(game, format).ok_or_else(|| {
                let titles = titles_with(format);
                format!("only games of {titles} can be saved as .{other}")
            })?
        }
    };
    write_text(path, &text).map_err(|error| error.to_string())
}

/// The games that have a record format, in small letters.
fn titles_with(format: RecordFormat) -> String {
    let titles: Vec<String> = games::listed()
        .filter(|facts| facts.record_formats.contains(&format))
        .map(|facts| facts.title.to_lowercase())
        .collect();
    notation::join_words(&titles, "and")
}

fn expected_extensions() -> String {
    let formats = RecordFormat::ALL
        .map(|format| format!(".{} for {}", format.extension(), titles_with(format)));
    format!(
        "expected a name that ends in .txt, or in {}",
        formats.join(", ")
    )
}

/// The record of a game in a format; none if its players do not use it.
fn record_text(game: &GameState, format: RecordFormat) -> Option<String> {
    if !game.facts().record_formats.contains(&format) {
        return None;
    }
    match format {
        RecordFormat::Pgn => to_pgn(game),
        RecordFormat::Ggf => to_ggf(game),
    }
}

/// The move list of a game: what it is, where it began, and the moves.
pub fn move_list(game: &GameState) -> String {
    let meta = &game.match_state().meta;
    let start = match meta.position.as_str() {
        "" => "startpos",
        position => position,
    };
    format!(
        "game: {}\ndate: {}\nfirst: {}\nsecond: {}\nstart: {start}\nmoves: {}\n",
        meta.game,
        date_of(game),
        one_line(game.player_name(Player::First)),
        one_line(game.player_name(Player::Second)),
        game.moves().join(game.facts().move_separator)
    )
}

/// The day of a game as `yyyy.mm.dd`: that of its record, or today.
fn date_of(game: &GameState) -> String {
    let today = || {
        let stamp = timestamp(unix_time());
        let part = |from: usize, to: usize| stamp.get(from..to).unwrap_or("??").to_owned();
        [part(0, 4), part(4, 6), part(6, 8)].join(".")
    };
    game.date().map_or_else(today, one_line)
}

/// A text without line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn outcome_of(game: &GameState) -> Option<Outcome> {
    match game.turn() {
        Turn::Over(outcome) => Some(outcome),
        _ => None,
    }
}

fn to_pgn(game: &GameState) -> Option<String> {
    let meta = &game.match_state().meta;
    let (_, variant) = meta.game.split_once(':').unwrap_or_default();
    let moves = game.moves().iter().map(String::as_str);
    let mut record =
        pgn::PgnRecord::from_moves(variant, position_or_startpos(&meta.position), moves)?;
    record.set_tag("Event", "Canopy");
    record.set_tag("Date", date_of(game));
    record.set_tag("White", game.player_name(Player::First));
    record.set_tag("Black", game.player_name(Player::Second));
    let result = match outcome_of(game) {
        Some(Outcome::Win(Player::First)) => "1-0",
        Some(Outcome::Win(Player::Second)) => "0-1",
        Some(Outcome::Draw) => "1/2-1/2",
        None => "*",
    };
    record.set_tag("Result", result);
    Some(record.to_string())
}

fn to_ggf(game: &GameState) -> Option<String> {
    let meta = &game.match_state().meta;
    let moves = game.moves().iter().map(String::as_str);
    let mut record = ggf::GgfRecord::from_moves(position_or_startpos(&meta.position), moves)?;
    record.place = "Canopy".to_owned();
    record.date = date_of(game);
    record.players =
        [Player::First, Player::Second].map(|player| game.player_name(player).to_owned());
    let score = record
        .position()
        .score()
        .filter(|_| outcome_of(game).is_some());
    record.result = score.map(|[black, white]| ggf::GgfResult {
        margin: f64::from(black) - f64::from(white),
        ending: ggf::GgfEnding::Played,
    });
    Some(format!("{record}\n"))
}

fn position_or_startpos(position: &str) -> &str {
    match position.trim() {
        "" => "startpos",
        position => position,
    }
}

/// Reads a game: PGN, GGF, our list, or bare moves of the game that is named.
pub fn load(path: &Path, game: &str) -> Result<LoadedGame, String> {
    let length = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if length > MAX_GAME_FILE_BYTES {
        return Err("it is longer than a game can be".to_owned());
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    parse_game(&text, game)
}

/// Reads a game from a text.
pub fn parse_game(text: &str, game: &str) -> Result<LoadedGame, String> {
    let trimmed = text.trim();
    if trimmed.starts_with("(;") {
        return parse_ggf(trimmed);
    }
    if trimmed.starts_with('[') || looks_like_pgn(trimmed) {
        return parse_pgn(trimmed);
    }
    let field = |name: &str| {
        let mut lines = trimmed.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
    };
    let listed = field("moves:");
    let is_list = listed.is_some();
    let (game, position, moves) = match listed {
        Some(moves) => (
            field("game:").unwrap_or_else(|| game.to_owned()),
            field("start:").unwrap_or_default(),
            moves,
        ),
        None => (game.to_owned(), String::new(), trimmed.to_owned()),
    };
    let position = match position.as_str() {
        "startpos" => String::new(),
        _ => position,
    };
    let line = ParseMovesVisitor {
        position: &position,
        moves: &moves,
    };
    let moves = games::with_game(&game, line).map_err(|error| error.to_string())??;
    let known = |name: &str| field(name).filter(|_| is_list).unwrap_or_default();
    Ok(LoadedGame {
        heading: GameHeading {
            players: [known("first:"), known("second:")],
            date: known("date:"),
        },
        game,
        position,
        moves,
    })
}

fn looks_like_pgn(text: &str) -> bool {
    text.starts_with("1.")
        && text
            .split_whitespace()
            .any(|word| ["1-0", "0-1", "1/2-1/2", "*"].contains(&word))
}

fn parse_pgn(text: &str) -> Result<LoadedGame, String> {
    let record = pgn::PgnRecord::parse(text).map_err(|error| error.to_string())?;
    let rules = record.start.rules();
    let is_start = record.start == Chess::start(rules);
    let mut position = record.start.clone();
    let mut moves = Vec::new();
    for (mv, _) in &record.moves {
        moves.push(notation::move_text(&position, *mv));
        position.play(*mv);
    }
    Ok(LoadedGame {
        game: notation::full_name::<Chess>(rules),
        position: match is_start {
            true => String::new(),
            false => notation::position_text(&record.start),
        },
        moves,
        heading: GameHeading {
            players: ["White", "Black"].map(|side| known_tag(&record, side)),
            date: known_tag(&record, "Date"),
        },
    })
}

/// A tag of a record; empty if it is missing or says that nothing is known.
fn known_tag(record: &pgn::PgnRecord, name: &str) -> String {
    let tag = record.tag(name).trim();
    let is_known = tag.chars().any(char::is_alphanumeric);
    (tag.chars().filter(|_| is_known))
        .take(MAX_NAME_CHARS)
        .collect()
}

fn parse_ggf(text: &str) -> Result<LoadedGame, String> {
    let record = ggf::GgfRecord::parse(text).map_err(|error| error.to_string())?;
    let mut position = record.start;
    let mut moves = Vec::new();
    for &mv in &record.moves {
        moves.push(notation::move_text(&position, mv));
        position.play(mv);
    }
    Ok(LoadedGame {
        game: notation::full_name::<Othello>(()),
        position: match record.start == Othello::start(()) {
            true => String::new(),
            false => notation::position_text(&record.start),
        },
        moves,
        heading: GameHeading {
            players: record.players,
            date: record.date,
        },
    })
}

/// Reads a line of moves in any of a game's notations.
struct ParseMovesVisitor<'a> {
    position: &'a str,
    moves: &'a str,
}

impl Visitor for ParseMovesVisitor<'_> {
    type Out = Result<Vec<String>, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let read = || {
            let mut position: G =
                notation::read_position(rules, position_or_startpos(self.position))?;
            let mut history = History::new();
            history.push(&position);
            let mut moves = Vec::new();
            notation::play_moves(&mut position, &mut history, self.moves, |before, mv| {
                moves.push(notation::move_text(before, mv));
            })?;
            Ok(moves)
        };
        read().map_err(|error: games::ParseError| error.to_string())
    }
}

/// Keeps the games that are played in the window, as a match keeps its games.
#[derive(Debug)]
pub struct GameRecorder {
    directory: PathBuf,
    heading: MatchHeader,
    part: Option<PartWriter>,
    records: Vec<GameRecord>,
}

impl GameRecorder {
    /// For the games of a plan, in a directory of their own under this one; nothing is written before one is over.
    pub fn new(config: &GameConfig, names: [&str; 2], directory: &Path) -> Self {
        let engines: Vec<EngineConfig> = (config.participants.iter().zip(names))
            .map(|(seat, name)| match seat {
                Some(engine) => EngineConfig {
                    name: name.to_owned(),
                    ..engine.clone()
                },
                None => EngineConfig {
                    name: name.to_owned(),
                    ..EngineConfig::default()
                },
            })
            .collect();
        let heading = MatchHeader::new(
            config.game.clone(),
            &engines,
            &MoveLimits::default(),
            &Timeouts::default(),
        );
        let began = timestamp(unix_time());
        let game = config.game.replace(':', "-");
        let name = format!("{began}-{}-{game}", std::process::id());
        Self {
            directory: directory.join(name),
            heading,
            part: None,
            records: Vec::new(),
        }
    }

    /// Where the games are kept.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Keeps the game of a table, which is over.
    pub fn record_game(&mut self, game: &GameState, seed: u64) -> Result<(), String> {
        let number = self.records.len() as u64 + 1;
        let Some(record) = finished_record(game, number, seed) else {
            return Ok(());
        };
        self.keep(&record).map_err(|error| error.to_string())?;
        self.records.push(record);
        let options = ReportOptions::default();
        let written = export::write_all(&self.directory, &self.heading, &self.records, &options);
        written.map_err(|error: io::Error| error.to_string())
    }

    /// Adds a game to the part of the run directory, which is made for the first one.
    fn keep(&mut self, record: &GameRecord) -> Result<(), RunError> {
        let part = match &mut self.part {
            Some(part) => part,
            none => {
                // How many games there will be is not known, and people do not repeat themselves.
                let plan = match_run::plan_of(&self.heading, 0, false);
                let directory = match_run::create(&self.directory, plan, &self.heading, &[])?;
                none.insert(directory.start_part(Shard::WHOLE, 0, serde_json::Value::Null)?)
            }
        };
        part.append_result(record.game, record)?;
        part.sync(true)
    }
}

/// The record of a finished game by its number; none while it goes on.
pub fn finished_record(table: &GameState, game: u64, seed: u64) -> Option<GameRecord> {
    let efforts = table.move_stats();
    let now = table.match_state().board.as_ref().ok()?;
    let movers = now.moves.iter().map(|(player, _)| match player {
        Player::First => '1',
        Player::Second => '2',
    });
    let (_, reason) = table.status_text();
    Some(GameRecord {
        game,
        round: game,
        pairing: 1,
        players: [Player::First, Player::Second].map(|player| table.participant_of(player)),
        seed,
        opening: 0,
        start: table.config().position.clone(),
        plies: 0,
        moves: table.moves().join(" "),
        movers: movers.collect(),
        result: outcome_of(table)?,
        ending: match table.has_resigned() {
            true => Termination::Resigned,
            false => Termination::Rules,
        },
        reason: reason.unwrap_or_default(),
        blame: None,
        score: now.score,
        micros: efforts
            .iter()
            .map(|effort| effort.time.as_micros() as u64)
            .collect(),
        nodes: efforts.iter().map(|effort| effort.nodes).collect(),
        leaves: match efforts.iter().any(|effort| effort.leaves > 0) {
            true => efforts.iter().map(|effort| effort.leaves).collect(),
            false => Vec::new(),
        },
        depths: efforts.iter().map(|effort| effort.depth).collect(),
        scores: efforts.iter().map(|effort| effort.score).collect(),
        began: unix_time().as_millis() as u64,
        position: String::new(),
        remains: None,
        remarks: Vec::new(),
    })
}

fn unix_time() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// Where the games that are played in the window are kept; none if the system does not say.
pub fn games_directory() -> Option<PathBuf> {
    Some(user_directory("XDG_DATA_HOME", ".local/share")?.join("canopy/games"))
}
