//! match.json, by which others follow a match while it is played.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{
    journal::{Heading, Record},
    referee::{Standing, result_word},
    schedule::Fixture,
};
use crate::tree::meta::{self, MatchMeta, ScoreMeta};

/// The directory that is followed. Of games that are played at the same time one is shown, until it is over.
#[derive(Debug)]
pub struct Live {
    directory: PathBuf,
    shown: Mutex<Shown>,
}

#[derive(Debug)]
struct Shown {
    /// The game that is shown; none if the next one may be.
    game: Option<u64>,
    meta: MatchMeta,
}

impl Live {
    /// Begins to tell of a match of so many games, some of which may be over.
    pub fn new(
        directory: &Path,
        heading: &Heading,
        games: u64,
        records: &[Record],
    ) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let names = heading.names().into_iter().map(str::to_owned).collect();
        let meta = MatchMeta {
            format: meta::FORMAT,
            game: heading.game.clone(),
            games,
            score: ScoreMeta {
                names,
                ..ScoreMeta::default()
            },
            ..MatchMeta::default()
        };
        let mut shown = Shown { game: None, meta };
        shown.meta.score.won = vec![0; heading.engines.len()];
        for record in records {
            shown.count(record);
        }
        Ok(Self {
            directory: directory.to_owned(),
            shown: Mutex::new(shown),
        })
    }

    /// The directory of a game's trees, made now.
    pub fn trees(&self, fixture: &Fixture) -> io::Result<PathBuf> {
        let directory = self.directory.join(name_of(fixture));
        fs::create_dir_all(&directory)?;
        directory.canonicalize()
    }

    /// Tells how a game stands, if it is the one that is shown.
    pub fn tell(&self, fixture: &Fixture, start: &str, standing: &Standing<'_>) -> io::Result<()> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if *shown.game.get_or_insert(fixture.number) != fixture.number {
            return Ok(());
        }
        let meta = &mut shown.meta;
        meta.number = fixture.number + 1;
        meta.position = start.to_owned();
        meta.moves = standing
            .moves
            .iter()
            .map(|(_, text)| text.clone())
            .collect();
        meta.players = [fixture.first, fixture.second]
            .map(|engine| meta.score.names.get(engine).cloned().unwrap_or_default())
            .to_vec();
        meta.clocks = standing.clocks.milliseconds();
        meta.directory = Some(name_of(fixture));
        (meta.result, meta.reason) = match standing.over {
            Some((outcome, reason)) => (
                Some(result_word(outcome).to_owned()),
                Some(reason.to_owned()),
            ),
            None => (None, None),
        };
        // The score follows when the game is in the journal.
        self.write(meta)
    }

    /// Tells the score after a game.
    pub fn score(&self, record: &Record) -> io::Result<()> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.count(record);
        if shown.game.is_some_and(|game| game + 1 == record.game) {
            shown.game = None;
        }
        self.write(&shown.meta)
    }

    /// Tells that the match is over.
    pub fn finish(&self) -> io::Result<()> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.meta.over = true;
        self.write(&shown.meta)
    }

    fn write(&self, meta: &MatchMeta) -> io::Result<()> {
        let hidden = self.directory.join(".match.json.tmp");
        let written = fs::write(&hidden, meta::text(meta))
            .and_then(|()| fs::rename(&hidden, self.directory.join("match.json")));
        if written.is_err() {
            let _ = fs::remove_file(&hidden);
        }
        written
    }
}

impl Shown {
    fn count(&mut self, record: &Record) {
        let [first, second] = record.players;
        let winner = match record.result.as_str() {
            "p1win" => first,
            "p2win" => second,
            _ => {
                self.meta.score.drawn += 1;
                return;
            }
        };
        if let Some(won) = self.meta.score.won.get_mut(winner) {
            *won += 1;
        }
    }
}

fn name_of(fixture: &Fixture) -> String {
    format!("game-{:04}", fixture.number + 1)
}
