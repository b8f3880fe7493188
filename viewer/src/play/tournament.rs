//! A tournament of report 001's file, played game by game in the window: which game is next, its results, and where they are kept.
//! Its series, seeds and files are those of `canopy-engine tournament`.

use std::{collections::VecDeque, fs, path::Path, time::Duration};

use canopy_engine::{
    arena::{
        match_log::GameRecord,
        report::ReportOptions,
        tournament::{
            config::TournamentConfig,
            run::{self, TournamentHeader},
            series::{ScheduledSeries, SeriesRecord, SeriesSchedule},
            standings,
        },
    },
    games::Player,
    rng::entropy_seed,
    runs::{
        directory::{RunDirectory, write_atomically},
        part::PartWriter,
        shard::Shard,
    },
};

use super::GameConfig;

/// Minimum time of an engine's move at the beginning; the window can change it.
const MIN_MOVE_TIME: Duration = Duration::from_millis(400);

/// A tournament that is played in the window.
pub struct WindowTournament {
    config: TournamentConfig,
    header: TournamentHeader,
    schedule: SeriesSchedule,
    /// The command that starts our engine for the game.
    own: Vec<String>,
    /// Where results are kept, if they are.
    store: Option<Store>,
    /// Whether the window closes after the last game.
    pub closes_window: bool,
    /// The series that are not over, the running one first.
    pending: VecDeque<ScheduledSeries>,
    /// The games of the running series.
    games: Vec<GameRecord>,
    /// The series that are over.
    records: Vec<SeriesRecord>,
}

/// A run directory, and the part of this window once a series is over.
struct Store {
    directory: RunDirectory,
    part: Option<PartWriter>,
}

/// A game of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentGame {
    /// The game and its players.
    pub config: GameConfig,
    /// The seeds of the first and the second side.
    pub seeds: [u64; 2],
    /// Which game of the tournament it is, such as `series 2 of 6, game 1`.
    pub place: String,
}

/// Reads a tournament's file; an error has a line for each mistake.
pub fn read_config(path: &Path) -> Result<TournamentConfig, String> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
    TournamentConfig::parse(&text).map_err(|problems| {
        let lines = problems.to_string().replace('\n', "\n  ");
        format!("{shown}:\n  {lines}")
    })
}

impl WindowTournament {
    /// The tournament of a file. `own` starts our engine; `out` is a run directory, which may have some of the series already.
    pub fn new(
        config: TournamentConfig,
        own: &[String],
        out: Option<&Path>,
    ) -> Result<Self, String> {
        let own = run::own_command(own, &config.game);
        let seed = config.seed.unwrap_or_else(entropy_seed);
        let mut header = TournamentHeader::new(&config, &own, seed);
        let mut store = None;
        let (mut records, mut is_done) = (Vec::new(), Vec::new());
        if let Some(path) = out {
            let failed = |error: canopy_engine::runs::RunError| error.to_string();
            let directory = header.open_directory(path, &config).map_err(failed)?;
            let run = directory.load(true).map_err(failed)?;
            records = run::records_of(&run, &header).map_err(failed)?;
            is_done = run.done().collect();
            store = Some(Store {
                directory,
                part: None,
            });
        }
        let schedule = header.schedule(config.repetitions);
        records.retain(|record: &SeriesRecord| record.series <= schedule.count());
        let open = (1..=schedule.count()).filter(|number| !is_done.contains(number));
        let pending = open.filter_map(|number| schedule.series(number)).collect();
        Ok(Self {
            config,
            header,
            schedule,
            own,
            store,
            closes_window: false,
            pending,
            games: Vec::new(),
            records,
        })
    }

    /// The game to play now; none if all series are over.
    pub fn next_game(&self) -> Option<TournamentGame> {
        let series = self.pending.front()?;
        let scheduled = series.next_game(&self.games)?;
        let seated = [scheduled.first, scheduled.second].map(|player| {
            let player = self.config.players.get(player)?;
            player.engine(&self.own)
        });
        let count = self.schedule.count();
        let game = self.games.len() + 1;
        Some(TournamentGame {
            config: GameConfig {
                game: self.config.game.clone(),
                position: String::new(),
                participants: seated,
                games: 1,
                animate: false,
                min_move_time: MIN_MOVE_TIME,
            },
            seeds: [Player::First, Player::Second].map(|side| scheduled.engine_seed_of(side)),
            place: format!("series {} of {count}, game {game}", series.number),
        })
    }

    /// Takes in the running game, which is over, and keeps its series if that is over, too.
    pub fn add_game(&mut self, record: GameRecord) -> Result<(), String> {
        let Some(&series) = self.pending.front() else {
            return Ok(());
        };
        let Some(scheduled) = series.next_game(&self.games) else {
            return Ok(());
        };
        self.games.push(GameRecord {
            game: scheduled.number + 1,
            round: scheduled.round + 1,
            pairing: scheduled.pairing + 1,
            players: [scheduled.first, scheduled.second],
            seed: scheduled.seed,
            ..record
        });
        if series.next_game(&self.games).is_some() {
            return Ok(());
        }
        self.pending.pop_front();
        let record = SeriesRecord::new(&series, std::mem::take(&mut self.games));
        self.records.push(record.clone());
        self.records.sort_by_key(|record| record.series);
        let is_over = self.pending.is_empty();
        let count = self.schedule.count();
        if let Some(store) = &mut self.store {
            let kept = store.keep(&record, count, is_over);
            kept.map_err(|error| format!("the series is not kept: {error}"))?;
        }
        self.write_files(is_over)
            .map_err(|error| format!("the results cannot be written: {error}"))
    }

    /// Writes the table of all games, and at the end the files of the run directory.
    fn write_files(&self, is_over: bool) -> std::io::Result<()> {
        if let Some(path) = &self.config.output_file {
            write_atomically(path, &standings::results_csv(&self.header, &self.records)?)?;
        }
        match self.store.as_ref().filter(|_| is_over) {
            Some(store) => standings::write_all(
                store.directory.path(),
                &self.header,
                &self.records,
                &ReportOptions::default(),
            ),
            None => Ok(()),
        }
    }

    /// The points of all players, the best first: `UCT 5.5, UCB1 3`.
    pub fn standings_text(&self) -> String {
        let mut points = vec![0.0; self.config.players.len()];
        for record in &self.records {
            for (player, won) in record.players.into_iter().zip(record.points()) {
                if let Some(points) = points.get_mut(player) {
                    *points += won;
                }
            }
        }
        let mut ranked: Vec<(f64, &str)> = (points.into_iter())
            .zip(
                self.config
                    .players
                    .iter()
                    .map(|player| player.name.as_str()),
            )
            .collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        let texts: Vec<String> = (ranked.iter())
            .map(|(points, name)| format!("{name} {points}"))
            .collect();
        texts.join(", ")
    }
}

impl Store {
    /// Adds a series of a tournament of `count` to the part of this window.
    fn keep(
        &mut self,
        record: &SeriesRecord,
        count: u64,
        is_over: bool,
    ) -> Result<(), canopy_engine::runs::RunError> {
        let part = match &mut self.part {
            Some(part) => part,
            none => none.insert(self.directory.start_part(
                Shard::WHOLE,
                count,
                serde_json::Value::Null,
            )?),
        };
        part.append_result(record.series, record)?;
        part.sync(true)?;
        match self.part.take_if(|_| is_over) {
            Some(part) => part.finish(None),
            None => Ok(()),
        }
    }
}
