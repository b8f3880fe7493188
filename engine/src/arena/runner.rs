//! Plays the games of a match, several at a time, and keeps them in a part of its run directory.

use std::{collections::BTreeSet, path::Path};

use thiserror::Error;

use super::{
    client::{EngineFault, PostMortem},
    engine_config::EngineConfig,
    game_worker::{GameWorker, MatchContext},
    match_log::{GameRecord, MatchHeader},
    match_status::MatchStatusWriter,
    openings::Opening,
    referee::RefereeSettings,
    report,
    schedule::Schedule,
    sprt::{Sprt, SprtRun, SprtVerdict},
    time_control::MoveLimits,
};
use crate::{
    games::Playable,
    runs::{
        RunError,
        execute::{self, Collector, ExecutionEnd, TrialEnd, TrialWorker},
        halt::Halt,
        part::PartWriter,
    },
};

/// A match: games, engines and terms.
#[derive(Debug)]
pub struct MatchPlan<G: Playable> {
    /// What its games depend on.
    pub header: MatchHeader,
    /// Who plays.
    pub engines: Vec<EngineConfig>,
    /// Limits of a move, for engines without limits of their own.
    pub limits: MoveLimits,
    /// Which games.
    pub schedule: Schedule,
    /// Number of games.
    pub games: u64,
    /// How they begin; at least one.
    pub openings: Vec<Opening<G>>,
    /// The terms of each game.
    pub settings: RefereeSettings,
    /// Number of concurrent games.
    pub concurrency: usize,
    /// When the match may stop early.
    pub sprt: Option<Sprt>,
}

/// Events of a match.
#[derive(Debug)]
pub enum MatchEvent<'a> {
    /// A game is over; it is the last of these.
    GameOver(&'a [GameRecord]),
    /// A message for the user.
    Message(String),
    /// Some time has passed.
    Tick,
}

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchEnd {
    /// All games have been played.
    AllGamesPlayed,
    /// The test has decided.
    SprtDecided(SprtVerdict),
    /// A stop was requested.
    Halted,
}

/// Why a match cannot go on.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine cannot be used from the start.
    #[error("{name} {fault}{}", format_post_mortem(post_mortem))]
    Engine {
        /// Its name.
        name: String,
        /// The failure.
        fault: EngineFault,
        /// The evidence.
        post_mortem: Box<PostMortem>,
    },
    /// The games cannot be kept.
    #[error(transparent)]
    Records(#[from] RunError),
    /// The directory of trees cannot be used.
    #[error("{path}: {error}")]
    Trees {
        /// The directory.
        path: String,
        /// The system's error.
        error: std::io::Error,
    },
}

fn format_post_mortem(post_mortem: &PostMortem) -> String {
    let mut text = String::new();
    if !post_mortem.exit.is_empty() {
        text.push_str(&format!("\n  process: {}", post_mortem.exit));
    }
    for (what, lines) in [
        ("last lines", &post_mortem.lines),
        ("standard error", &post_mortem.complaints),
    ] {
        if !lines.is_empty() {
            text.push_str(&format!("\n  {what}:\n    {}", lines.join("\n    ")));
        }
    }
    text
}

/// Where the games of an attempt go.
#[derive(Debug)]
pub struct MatchOutput<'a> {
    /// The part of the run directory, if games are kept.
    pub part: Option<&'a mut PartWriter>,
    /// Numbers of games that are kept already, and are not put into the part again.
    pub kept: &'a BTreeSet<u64>,
    /// The games that are known, to which the new ones are added.
    pub records: &'a mut Vec<GameRecord>,
    /// The directory of match.json and the trees.
    pub trees: Option<&'a Path>,
}

/// Plays the games of these numbers, counted from 1.
pub fn run<G: Playable>(
    plan: &MatchPlan<G>,
    games: impl Iterator<Item = u64> + Send,
    output: MatchOutput<'_>,
    halt: &Halt,
    on_event: &mut dyn FnMut(MatchEvent<'_>),
) -> Result<MatchEnd, MatchError> {
    let status_writer = open_status_writer(plan, output.trees, output.records)?;
    let test = (plan.sprt).map(|sprt| report::run_sprt(sprt, output.records));
    if let Some(verdict) = sprt_decision(test.as_ref()) {
        return Ok(MatchEnd::SprtDecided(verdict));
    }
    let context = MatchContext::new(plan, status_writer.as_ref());
    let mut collector = GameCollector {
        status_writer: status_writer.as_ref(),
        output,
        test,
        on_event,
    };
    let worker_halt = Halt::new();
    let end = execute::execute(
        games,
        plan.concurrency,
        (halt, &worker_halt),
        &|worker| MatchWorker(GameWorker::new(&context, worker)),
        &mut collector,
    )?;
    if let Some(part) = &mut collector.output.part {
        part.sync(true)?;
    }
    let end = match (end, sprt_decision(collector.test.as_ref())) {
        (ExecutionEnd::Halted, _) => MatchEnd::Halted,
        (_, Some(verdict)) => MatchEnd::SprtDecided(verdict),
        _ => MatchEnd::AllGamesPlayed,
    };
    // A stopped match may be continued later.
    if let Some(status_writer) = status_writer.as_ref().filter(|_| end != MatchEnd::Halted) {
        let _ = status_writer.finish();
    }
    Ok(end)
}

/// The verdict of the test, once it has decided.
fn sprt_decision(test: Option<&SprtRun>) -> Option<SprtVerdict> {
    let verdict = test?.verdict();
    (verdict != SprtVerdict::Continue).then_some(verdict)
}

fn open_status_writer<G: Playable>(
    plan: &MatchPlan<G>,
    trees: Option<&Path>,
    records: &[GameRecord],
) -> Result<Option<MatchStatusWriter>, MatchError> {
    let open = |path: &Path| {
        MatchStatusWriter::new(path, &plan.header, plan.games, records).map_err(|error| {
            MatchError::Trees {
                path: path.display().to_string(),
                error,
            }
        })
    };
    trees.map(open).transpose()
}

/// Keeps games as they end.
struct GameCollector<'a> {
    status_writer: Option<&'a MatchStatusWriter>,
    output: MatchOutput<'a>,
    /// When the match may stop early.
    test: Option<SprtRun>,
    on_event: &'a mut dyn FnMut(MatchEvent<'_>),
}

impl Collector<Box<GameRecord>, MatchError> for GameCollector<'_> {
    fn on_result(&mut self, trial: u64, record: Box<GameRecord>) -> Result<bool, MatchError> {
        if let Some(part) = &mut self.output.part
            && !self.output.kept.contains(&trial)
        {
            part.append_result(trial, &record)?;
        }
        if let Some(status_writer) = self.status_writer
            && let Err(error) = status_writer.write_score(&record)
        {
            self.on_message(&format!("match.json is not written: {error}"));
        }
        if let Some(test) = &mut self.test {
            report::add_to_sprt(test, &record);
        }
        self.output.records.push(*record);
        (self.on_event)(MatchEvent::GameOver(self.output.records));
        Ok(sprt_decision(self.test.as_ref()).is_none())
    }

    fn on_void(&mut self, trial: u64, reason: &str) -> Result<(), MatchError> {
        if let Some(part) = &mut self.output.part {
            part.append_void(trial, reason)?;
        }
        Ok(())
    }

    fn on_message(&mut self, text: &str) {
        (self.on_event)(MatchEvent::Message(text.to_owned()));
    }

    fn on_tick(&mut self) -> Result<(), MatchError> {
        if let Some(part) = &mut self.output.part {
            part.sync(false)?;
        }
        (self.on_event)(MatchEvent::Tick);
        Ok(())
    }
}

/// Plays one game after the other.
struct MatchWorker<'a, G: Playable>(GameWorker<'a, G, Box<GameRecord>>);

impl<G: Playable> TrialWorker for MatchWorker<'_, G> {
    type Result = Box<GameRecord>;
    type Error = MatchError;

    fn run_trial(&mut self, trial: u64) -> Result<TrialEnd<Self::Result>, MatchError> {
        let schedule = &self.0.plan().schedule;
        let scheduled = schedule.game(trial.saturating_sub(1));
        let record = self.0.play_counted_game(trial, &scheduled)?;
        Ok(record.map_or(TrialEnd::Halted, |record| TrialEnd::Done(Box::new(record))))
    }

    fn finish(&mut self) {
        self.0.quit_engines();
    }
}
