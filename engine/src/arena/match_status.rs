//! match.json, by which others follow a match while it is played.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{
    match_log::{GameRecord, MatchHeader},
    referee::GameStatus,
    schedule::ScheduledGame,
};
use crate::tree::meta::{self, MatchMeta, ScoreMeta};

/// The directory that is followed. Of games that are played at the same time one is shown, until it is over.
#[derive(Debug)]
pub struct MatchStatusWriter {
    directory: PathBuf,
    state: Mutex<MatchStatus>,
}

#[derive(Debug)]
struct MatchStatus {
    /// The game that is shown; none if the next one may be.
    game: Option<u64>,
    meta: MatchMeta,
}

impl MatchStatusWriter {
    /// Starts the status of a match of `games` games, some of which may be over.
    pub fn new(
        directory: &Path,
        header: &MatchHeader,
        games: u64,
        records: &[GameRecord],
    ) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let names = header.names().into_iter().map(str::to_owned).collect();
        let meta = MatchMeta {
            format: meta::FORMAT_VERSION,
            game: header.game.clone(),
            games,
            score: ScoreMeta {
                names,
                ..ScoreMeta::default()
            },
            ..MatchMeta::default()
        };
        let mut shown = MatchStatus { game: None, meta };
        shown.meta.score.won = vec![0; header.engines.len()];
        for record in records {
            shown.count_result(record);
        }
        Ok(Self {
            directory: directory.to_owned(),
            state: Mutex::new(shown),
        })
    }

    /// The directory of a game's trees, made now.
    pub fn create_tree_dir(&self, scheduled: &ScheduledGame) -> io::Result<PathBuf> {
        let directory = self.directory.join(game_dir_name(scheduled));
        fs::create_dir_all(&directory)?;
        directory.canonicalize()
    }

    /// Writes the status of a game, if it is the one shown.
    pub fn write_game(
        &self,
        scheduled: &ScheduledGame,
        start: &str,
        status: &GameStatus<'_>,
    ) -> io::Result<()> {
        let mut shown = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *shown.game.get_or_insert(scheduled.number) != scheduled.number {
            return Ok(());
        }
        let meta = &mut shown.meta;
        meta.number = scheduled.number + 1;
        meta.position = start.to_owned();
        meta.moves = status.moves.iter().map(|(_, text)| text.clone()).collect();
        meta.players = [scheduled.first, scheduled.second]
            .map(|engine| meta.score.names.get(engine).cloned().unwrap_or_default())
            .to_vec();
        meta.clocks = status.clocks.remaining_ms();
        meta.directory = Some(game_dir_name(scheduled));
        (meta.result, meta.reason) = match status.result {
            Some((outcome, reason)) => (Some(outcome.as_str().to_owned()), Some(reason.to_owned())),
            None => (None, None),
        };
        // The score follows when the game is in the journal.
        self.write(meta)
    }

    /// Tells the score after a game.
    pub fn write_score(&self, record: &GameRecord) -> io::Result<()> {
        let mut shown = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        shown.count_result(record);
        if shown.game.is_some_and(|game| game + 1 == record.game) {
            shown.game = None;
        }
        self.write(&shown.meta)
    }

    /// Tells that the match is over.
    pub fn finish(&self) -> io::Result<()> {
        let mut shown = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        shown.meta.over = true;
        self.write(&shown.meta)
    }

    fn write(&self, meta: &MatchMeta) -> io::Result<()> {
        let hidden = self.directory.join(".match.json.tmp");
        let written = fs::write(&hidden, meta::to_json(meta))
            .and_then(|()| fs::rename(&hidden, self.directory.join("match.json")));
        if written.is_err() {
            let _ = fs::remove_file(&hidden);
        }
        written
    }
}

impl MatchStatus {
    fn count_result(&mut self, record: &GameRecord) {
        let Some(side) = record.winning_side() else {
            self.meta.score.drawn += 1;
            return;
        };
        let winner = record.players.get(side).copied();
        if let Some(won) = winner.and_then(|engine| self.meta.score.won.get_mut(engine)) {
            *won += 1;
        }
    }
}

fn game_dir_name(scheduled: &ScheduledGame) -> String {
    format!("game-{:04}", scheduled.number + 1)
}
