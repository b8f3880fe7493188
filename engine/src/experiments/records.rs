//! Recorded games as trials: a text with games of people, from a file.
//!
//! Two forms, which one text may mix: GGF, in games that have it, and move lists, one game a line:
//! `first player - second player: moves`. Empty lines and lines that begin with `#` are ignored.

use super::play::PlayedGame;
use crate::games::{
    Game as _, History, Outcome, Playable, Player,
    facts::RecordFormat,
    notation::{self, move_text, position_text, quote},
    othello::ggf::GgfRecord,
};

/// The beginning and the end of a game in GGF.
const GGF_BOUNDS: [&str; 2] = ["(;", ";)"];

/// A game that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    /// The players' names, the one that began first.
    pub names: [String; 2],
    /// The game; nothing is known of the players' thought.
    pub game: PlayedGame,
}

/// Something wrong with a text of recorded games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordProblem {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub text: String,
}

/// Reads all games of a text.
pub fn parse<G: Playable>(rules: G::Rules, text: &str) -> Result<Vec<RecordedGame>, RecordProblem> {
    let mut games = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while !rest.is_empty() {
        let [begin, end] = GGF_BOUNDS;
        let body = rest.trim_start();
        line += lines_between(rest, body);
        rest = body;
        let is_ggf =
            rest.starts_with(begin) && G::FACTS.record_formats.contains(&RecordFormat::Ggf);
        let taken = match is_ggf {
            true => rest.find(end).map_or(rest.len(), |place| place + end.len()),
            false => rest.find('\n').unwrap_or(rest.len()),
        };
        let (record, after) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        let game = match is_ggf {
            true => from_ggf::<G>(rules, record).map(Some),
            false => from_line::<G>(rules, record.trim()),
        };
        games.extend(game.map_err(|text| RecordProblem { line, text })?);
        line += lines_between(rest, after);
        rest = after;
    }
    Ok(games)
}

/// The line ends in the part of `text` before its end `rest`.
fn lines_between(text: &str, rest: &str) -> usize {
    let before = text.len().saturating_sub(rest.len());
    let bytes = text.bytes().take(before);
    bytes.filter(|&byte| byte == b'\n').count()
}

/// A line of a move list; none if it holds no game.
fn from_line<G: Playable>(rules: G::Rules, line: &str) -> Result<Option<RecordedGame>, String> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let parts = line.split_once(": ");
    let parts = parts.and_then(|(names, moves)| Some((names.split_once(" - ")?, moves)));
    let Some(((first, second), moves)) = parts else {
        return Err(format!(
            "{} is no game: expected first player - second player: moves",
            quote(line)
        ));
    };
    let start = G::start(rules);
    let names = [first, second].map(|name| name.trim().to_owned());
    let game = replay(&start, moves, None)?;
    Ok(Some(RecordedGame { names, game }))
}

/// A game in GGF. A game that was given up counts with its printed result.
fn from_ggf<G: Playable>(rules: G::Rules, text: &str) -> Result<RecordedGame, String> {
    let record = GgfRecord::parse(text).map_err(|error| error.to_string())?;
    let start = notation::read_position::<G>(rules, &position_text(&record.start))
        .map_err(|error| error.to_string())?;
    let mut position = record.start;
    let mut words = Vec::new();
    for &mv in &record.moves {
        words.push(move_text(&position, mv));
        position.play(mv);
    }
    let printed = record.result.map(|result| match result.margin {
        margin if margin > 0.0 => Outcome::Win(Player::First),
        margin if margin < 0.0 => Outcome::Win(Player::Second),
        _ => Outcome::Draw,
    });
    Ok(RecordedGame {
        names: record.players,
        game: replay(&start, &words.join(" "), printed)?,
    })
}

/// A game by its moves. If they do not end it, it has the printed result.
fn replay<G: Playable>(
    start: &G,
    moves: &str,
    printed: Option<Outcome>,
) -> Result<PlayedGame, String> {
    let (mut position, mut history) = (start.clone(), History::new());
    history.push(&position);
    let (mut words, mut searched) = (Vec::new(), [0; 2]);
    notation::play_moves(&mut position, &mut history, moves, |before: &G, mv| {
        words.push(move_text(before, mv));
        if let Some(count) = searched.get_mut(before.to_move().index()) {
            *count += u64::from(before.implied_move().is_none());
        }
    })
    .map_err(|error| error.to_string())?;
    let Some(result) = history.outcome(&position).or(printed) else {
        return Err(format!(
            "the game is not over after {} moves: expected all moves, or a record with a result",
            words.len()
        ));
    };
    Ok(PlayedGame {
        moves: words.join(" "),
        opening_plies: 0,
        result,
        score: position.score(),
        nodes: [0; 2],
        leaves: [0; 2],
        searched,
        micros: [0; 2],
    })
}
