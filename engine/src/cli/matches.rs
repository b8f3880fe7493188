//! `canopy-engine match`: games between engine processes.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;

use super::{
    CliError, PositionCommand, game_help, game_name, progress::Progress, runs, stop, with_position,
};
use crate::{
    arena::{
        client::{GameSpec as Asked, Timeouts},
        engine_config::EngineConfig,
        match_log::{EngineBuild, EngineRecord, GameRecord, MatchHeader},
        match_run::{self, MatchTerms},
        openings::{self, Opening},
        referee::{Adjudication, AdjudicationRule, RefereeSettings},
        report::{self, ReportOptions},
        runner::{self, MatchEnd, MatchError, MatchEvent, MatchOutput, MatchPlan},
        schedule::{OpeningOrder, Schedule},
        sprt::{Sprt, SprtVerdict},
        stats::WdlCounts,
        time_control::MoveLimits,
    },
    catalog::{self, Spec, signature::search_signature},
    games::{Playable, notation::escape_invisible},
    rng::mix,
    runs::{
        directory::RunDirectory,
        halt::Halt,
        part::PartWriter,
        shard::{NumberList, Shard},
        union::{MAX_VOIDS, Run},
    },
};

#[derive(Args)]
pub(super) struct MatchArgs {
    #[arg(long, value_name = "GAME", help = game_help())]
    game: String,
    /// An engine, given twice or more: its command, as for a shell; before it, if wanted, name=NAME dialect=ugi|uci|gtp
    /// option.NAME=VALUE go='LIMITS' dir=DIRECTORY. search=SEARCH without a command is one of ours
    #[arg(long, value_name = "ENGINE", required = true, num_args = 1)]
    engine: Vec<String>,
    /// How many games, for each two engines
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,
    /// How long a move may take: nodes N, iterations N, depth N, movetime MILLISECONDS, tc SECONDS+INCREMENT or
    /// tc MOVES/SECONDS+INCREMENT
    #[arg(long, value_name = "LIMITS", default_value = "nodes 1000")]
    go: MoveLimits,
    /// A file of openings: positions, moves, or positions with "moves ..." after them, one on a line
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Play the openings in an order that the seed decides
    #[arg(long, requires = "openings")]
    shuffle: bool,
    /// Random plies before the engines are asked, the same for both games of a pair
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    plies: u32,
    /// The seed of the match, from which every game's and every engine's follow
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=256))]
    concurrency: u64,
    /// Where match.json and the engines' trees go, for a viewer to follow
    #[arg(long, value_name = "DIR")]
    trees: Option<PathBuf>,
    /// Directory of the games; the same command continues a stopped match, and several may share the directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Play only shard K of N: every N-th pair of games. N such commands, on any machines that share the directory, play the match
    #[arg(long, value_name = "K/N", requires = "out")]
    shard: Option<Shard>,
    /// Minimum milliseconds between two moves, for people who watch
    #[arg(long, value_name = "MILLIS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3_600_000))]
    pace: u64,
    /// Stop when standard input ends: for programs that start a match and may themselves be ended
    #[arg(long)]
    attended: bool,
    /// Play only these games, counted from 1; with --out they are compared with those on record, or kept if there are none
    #[arg(long, value_name = "5,7,100-120", conflicts_with = "shard")]
    only: Option<NumberList>,
    /// Call a game drawn after this many moves in a row with both scores this near to 0, from this ply on
    #[arg(long, value_name = "moves=8,score=10,after=40", value_parser = parse_adjudication_rule)]
    draw: Option<AdjudicationRule>,
    /// Call a game lost after this many moves in a row with the engine's own score this far below 0
    #[arg(long, value_name = "moves=3,score=700", value_parser = parse_adjudication_rule)]
    resign: Option<AdjudicationRule>,
    /// Call a game drawn after this many plies
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    max_plies: Option<u32>,
    /// Stop as soon as an SPRT has decided: two Elo differences and two error rates
    #[arg(long, value_name = "elo0=0,elo1=5,alpha=0.05,beta=0.05", value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    /// Seconds an engine may take to start, to be ready, for a move without a time limit, to stop when its time is up, and to quit
    #[arg(long, value_name = "start=10,ready=10,move=300,stop=1,quit=2", default_value = "", value_parser = parse_timeouts)]
    timeouts: Timeouts,
    /// Milliseconds a move may be late
    #[arg(long, value_name = "MILLIS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(0..=600_000))]
    margin: u64,
}

/// Reads `key=value` pairs between commas or blanks.
fn parse_pairs(text: &str) -> Result<Vec<(&str, f64)>, String> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let pair = word.split_once('=');
            let pair = pair.and_then(|(key, value)| Some((key, value.parse().ok()?)));
            pair.filter(|(_, value): &(&str, f64)| value.is_finite())
                .ok_or_else(|| format!("{word:?} is not NAME=NUMBER"))
        })
        .collect()
}

fn unknown_key(key: &str, known: &str) -> String {
    format!("{key:?} means nothing here: expected {known}")
}

fn parse_adjudication_rule(text: &str) -> Result<AdjudicationRule, String> {
    let mut rule = AdjudicationRule {
        moves: 0,
        score: -1,
        after: 0,
    };
    for (key, value) in parse_pairs(text)? {
        if !(0.0..=1e6).contains(&value) || value.fract() != 0.0 {
            return Err(format!(
                "{key}={value}: expected a whole number from 0 to 1000000"
            ));
        }
        match key {
            "moves" => rule.moves = value as u32,
            "score" => rule.score = value as i32,
            "after" => rule.after = value as u32,
            _ => return Err(unknown_key(key, "moves, score and after")),
        }
    }
    if rule.moves == 0 || rule.score < 0 {
        return Err("expected moves, at least 1, and score, such as moves=8,score=10".to_owned());
    }
    Ok(rule)
}

pub(super) fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let [mut elo0, mut elo1, mut alpha, mut beta] = [0.0, 5.0, 0.05, 0.05];
    for (key, value) in parse_pairs(text)? {
        match key {
            "elo0" => elo0 = value,
            "elo1" => elo1 = value,
            "alpha" => alpha = value,
            "beta" => beta = value,
            _ => return Err(unknown_key(key, "elo0, elo1, alpha and beta")),
        }
    }
    Sprt::new(elo0, elo1, alpha, beta).map_err(|error| error.to_string())
}

fn parse_timeouts(text: &str) -> Result<Timeouts, String> {
    let mut timeouts = Timeouts::default();
    for (key, value) in parse_pairs(text)? {
        if !(0.001..=1e6).contains(&value) {
            return Err(format!(
                "{key}={value}: expected seconds, from 0.001 to 1000000"
            ));
        }
        let time = Duration::from_secs_f64(value);
        match key {
            "start" => timeouts.start = time,
            "ready" => timeouts.ready = time,
            "move" => timeouts.reply = time,
            "stop" => timeouts.stop = time,
            "quit" => timeouts.quit = time,
            _ => return Err(unknown_key(key, "start, ready, move, stop and quit")),
        }
    }
    Ok(timeouts)
}

/// Plays a match. `own` starts this program as an engine.
pub(super) fn run(
    arguments: &MatchArgs,
    own: &[String],
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let work = MatchCommand { arguments, own };
    with_position(&arguments.game, "startpos", work, out)
}

struct MatchCommand<'a> {
    arguments: &'a MatchArgs,
    own: &'a [String],
}

impl PositionCommand for MatchCommand<'_> {
    fn run<G: Playable>(self, start: G, out: &mut dyn Write) -> Result<(), CliError> {
        let arguments = self.arguments;
        let plan = build_plan(arguments, self.own, &start)?;
        let shard = arguments.shard.unwrap_or(Shard::WHOLE);
        if plan.sprt.is_some() && !shard.is_whole() {
            return Err(CliError::Usage(format!(
                "--sprt with --shard {shard}: a test stops a match that is played in order; expected one of them, and \
                 --sprt of the command report after the last shard"
            )));
        }
        if let Some(only) = (arguments.only.as_ref()).filter(|only| only.greatest() > plan.games) {
            return Err(CliError::Usage(format!(
                "--only {only}: expected games from 1 to {}, the number of games of this match",
                plan.games
            )));
        }
        let halt = Halt::new();
        stop::on_signals(&halt)?;
        if arguments.attended {
            stop::on_end_of_input(&halt)?;
        }
        let store = match &arguments.out {
            Some(directory) => Some(MatchStore::open(directory, &plan, shard)?),
            None => None,
        };
        let attempt = Attempt {
            plan: &plan,
            arguments,
            halt: &halt,
            shard,
            store,
        };
        match &arguments.only {
            Some(only) => attempt.play_selected(only, out),
            None => attempt.play_all(out),
        }
    }
}

/// The run directory of a match, and what was in it.
struct MatchStore {
    directory: RunDirectory,
    run: Run,
    /// The games on record, if the whole match is played here.
    records: Vec<GameRecord>,
}

impl MatchStore {
    fn open<G: Playable>(path: &Path, plan: &MatchPlan<G>, shard: Shard) -> Result<Self, CliError> {
        let run_plan = match_run::plan_of(&plan.header, plan.games, is_repeatable(plan));
        let commands: Vec<_> = (plan.engines.iter())
            .map(|engine| engine.command.clone())
            .collect();
        let directory = match_run::create(path, run_plan, &plan.header, &commands)?;
        let run = directory.load(shard.is_whole())?;
        let mut records = match shard.is_whole() {
            true => match_run::records_of(&run, &plan.header)?,
            false => Vec::new(),
        };
        records.retain(|record| record.game <= plan.games);
        Ok(Self {
            directory,
            run,
            records,
        })
    }

    fn start_part<G: Playable>(
        &self,
        plan: &MatchPlan<G>,
        shard: Shard,
    ) -> Result<PartWriter, CliError> {
        let terms = match plan.sprt {
            Some(_) => serde_json::to_value(MatchTerms { sprt: plan.sprt }).unwrap_or_default(),
            None => serde_json::Value::Null,
        };
        Ok(self.directory.start_part(shard, plan.games, terms)?)
    }
}

/// Whether a game has the same moves whenever and wherever it is played: the engines are ours, take their seeds, and nothing in
/// their limits and searches depends on time or on other threads.
fn is_repeatable<G: Playable>(plan: &MatchPlan<G>) -> bool {
    let is_fixed = |(record, engine): (&EngineRecord, &EngineConfig)| {
        let limits = engine.limits.as_ref().unwrap_or(&plan.limits);
        let has_time = limits.movetime.is_some() || limits.clock.is_some();
        let threads = (engine.options.iter())
            .find(|(name, _)| name.eq_ignore_ascii_case("threads"))
            .is_none_or(|(_, value)| value.trim() == "1");
        let spec = record
            .own_search()
            .and_then(|search| catalog::parse::<G>(search).ok());
        let is_single = match spec {
            Some(Spec::Mcts(config)) => config.threads <= 1,
            // A solver counts fewer nodes where its cache has the answer.
            Some(Spec::Exact(_)) | None => false,
            Some(_) => true,
        };
        !has_time && threads && is_single
    };
    plan.header.engines.iter().zip(&plan.engines).all(is_fixed)
}

/// One call of the command.
struct Attempt<'a, G: Playable> {
    plan: &'a MatchPlan<G>,
    arguments: &'a MatchArgs,
    halt: &'a Halt,
    shard: Shard,
    store: Option<MatchStore>,
}

impl<G: Playable> Attempt<'_, G> {
    /// Plays what is missing of the shard, and shows the table.
    fn play_all(mut self, out: &mut dyn Write) -> Result<(), CliError> {
        let (plan, shard) = (self.plan, self.shard);
        let mut records = (self.store.as_mut())
            .map(|store| std::mem::take(&mut store.records))
            .unwrap_or_default();
        let is_pending = |trial: &u64| match &self.store {
            Some(store) => store.run.is_pending(*trial, shard),
            None => true,
        };
        let is_decided = plan.sprt.is_some_and(|sprt| {
            report::run_sprt(sprt, &records).verdict() != SprtVerdict::Continue
        });
        let has_work = !is_decided && (1..=plan.games).any(|trial| is_pending(&trial));
        let mut part = match &self.store {
            Some(store) if has_work => {
                self.tell_known_games();
                Some(store.start_part(plan, shard)?)
            }
            _ => None,
        };
        let before = records.len();
        let mut progress = MatchProgress::new(plan, &records);
        let end = runner::run(
            plan,
            (1..=plan.games).filter(is_pending),
            MatchOutput {
                part: part.as_mut(),
                kept: &BTreeSet::new(),
                records: &mut records,
                trees: self.arguments.trees.as_deref(),
            },
            self.halt,
            &mut |event| progress.handle_event(&event),
        );
        progress.progress.finish();
        records.sort_by_key(|record| record.game);
        if let (Some(store), Some(part)) = (&self.store, part) {
            let decided = |sprt| report::run_sprt(sprt, &records).judged().games();
            match &end {
                Ok(MatchEnd::SprtDecided(_)) => part.finish(plan.sprt.map(decided))?,
                Ok(MatchEnd::AllGamesPlayed) if part.has_lines() => part.finish(None)?,
                _ => store.directory.remove_empty_part(part),
            }
        }
        let end = end?;
        let played = records.len() - before;
        match self.shard.is_whole() {
            true => self.show_table(&records, end, out)?,
            false => self.show_shard(played, out)?,
        }
        out.flush()?;
        if end == MatchEnd::Halted {
            return Err(self.interrupted(records.len()));
        }
        self.check_void()
    }

    /// Plays these games, whether they are on record or not, and shows them.
    fn play_selected(self, only: &NumberList, out: &mut dyn Write) -> Result<(), CliError> {
        let kept: BTreeSet<u64> = (self.store.iter())
            .flat_map(|store| store.records.iter().map(|record| record.game))
            .collect();
        let mut part = match &self.store {
            Some(store) => Some(store.start_part(self.plan, self.shard)?),
            None => None,
        };
        let mut played = Vec::new();
        let end = runner::run(
            self.plan,
            (1..=self.plan.games).filter(|&trial| only.contains(trial)),
            MatchOutput {
                part: part.as_mut(),
                kept: &kept,
                records: &mut played,
                trees: self.arguments.trees.as_deref(),
            },
            self.halt,
            &mut |event| {
                if let MatchEvent::Message(text) = event {
                    super::print_message(&text);
                }
            },
        );
        if let (Some(store), Some(part)) = (&self.store, part) {
            store.directory.remove_empty_part(part);
        }
        let end = end?;
        played.sort_by_key(|record| record.game);
        for record in &played {
            show_game(&self.plan.header, record, out)?;
            let Some(store) = &self.store else { continue };
            let known = store.records.iter().find(|known| known.game == record.game);
            let text = match known {
                None => "it is on record now",
                Some(known) if known.moves == record.moves && known.result == record.result => {
                    "it is the same as on record"
                }
                Some(_) => "it is another one than on record",
            };
            writeln!(out, "{text}")?;
        }
        match end {
            MatchEnd::Halted => Err(self.interrupted(played.len())),
            _ => Ok(()),
        }
    }

    fn tell_known_games(&self) {
        let Some(store) = &self.store else { return };
        let known = store
            .run
            .done()
            .filter(|&trial| trial <= self.plan.games)
            .count();
        if known > 0 {
            super::print_message(&format!(
                "going on after {known} games that are in {}",
                store.directory.path().display()
            ));
        }
    }

    /// Prints the table and, if the match is over, writes the records.
    fn show_table(
        &self,
        records: &[GameRecord],
        end: MatchEnd,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let is_partial = end == MatchEnd::Halted || (records.len() as u64) < self.plan.games;
        let options = ReportOptions {
            partial_of: (is_partial && !matches!(end, MatchEnd::SprtDecided(_)))
                .then_some(self.plan.games),
            sprt: self.plan.sprt,
            ..ReportOptions::default()
        };
        let header = &self.plan.header;
        out.write_all(report::render(header, records, &options).as_bytes())?;
        match &self.store {
            Some(store) if end != MatchEnd::Halted => {
                runs::write_match(store.directory.path(), header, records, &options)
            }
            _ => Ok(()),
        }
    }

    /// Prints how far the shard is; the table needs all of them.
    fn show_shard(&self, played: usize, out: &mut dyn Write) -> Result<(), CliError> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let units = store.run.plan().units;
        let own = (1..=self.plan.games).filter(|&trial| self.shard.has_unit(units.unit_of(trial)));
        let (mut total, mut known) = (0, 0);
        for trial in own {
            total += 1;
            known += usize::from(store.run.is_done(trial));
        }
        let path = store.directory.path().display();
        writeln!(
            out,
            "shard {}: {} of {total} games, {played} of them played now; canopy-engine status {path} shows all shards",
            self.shard,
            known + played,
        )?;
        Ok(())
    }

    fn interrupted(&self, games: usize) -> CliError {
        super::print_message(&format!(
            "stopped after {games} of {} games; {}",
            self.plan.games,
            match &self.store {
                Some(_) => "the same command goes on from there",
                None => "they were not kept: --out DIR keeps them",
            }
        ));
        CliError::Interrupted
    }

    /// Fails if games of the shard were given up.
    fn check_void(&self) -> Result<(), CliError> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let units = store.run.plan().units;
        let void = store.run.void_trials().into_iter().find(|void| {
            void.count >= MAX_VOIDS
                && void.trial <= self.plan.games
                && self.shard.has_unit(units.unit_of(void.trial))
        });
        match void {
            None => Ok(()),
            Some(void) => Err(CliError::Failed(format!(
                "game {} could not be played {} times and was left out: {}; --only {} plays it again",
                void.trial, void.count, void.reason, void.trial
            ))),
        }
    }
}

/// Prints a game.
fn show_game(
    header: &MatchHeader,
    record: &GameRecord,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let names = header.names();
    let [first, second] = (record.players)
        .map(|index| escape_invisible(names.get(index).copied().unwrap_or_default()));
    writeln!(out, "game {}: {first} against {second}", record.game)?;
    if !record.start.is_empty() {
        writeln!(out, "start:  {}", record.start)?;
    }
    writeln!(out, "moves:  {}", record.moves)?;
    writeln!(
        out,
        "result: {} ({})",
        record.result.as_str(),
        escape_invisible(&record.reason)
    )?;
    Ok(())
}

/// Set by tests of documented commands, to `GAMESxPLIES`: no match has more games, and no game more plies.
const MATCH_CAP_VARIABLE: &str = "CANOPY_TEST_GAMES";

fn match_cap_from_env() -> Option<(u64, u32)> {
    let text = std::env::var(MATCH_CAP_VARIABLE).ok()?;
    let (games, plies) = text.split_once('x')?;
    Some((games.parse().ok()?, plies.parse().ok()?))
}

fn build_plan<G: Playable>(
    arguments: &MatchArgs,
    own: &[String],
    start: &G,
) -> Result<MatchPlan<G>, CliError> {
    let cap = match_cap_from_env();
    let game = game_name(start);
    let mut own = own.to_vec();
    own.extend(["--game".to_owned(), game.clone()]);
    let usage = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
    let mut engines = (arguments.engine.iter())
        .map(|text| EngineConfig::parse(text, &own).map_err(|error| usage(&error)))
        .collect::<Result<Vec<EngineConfig>, CliError>>()?;
    for engine in engines.iter().filter(|engine| engine.command == own) {
        let search = engine.options.iter().find(|(name, _)| name == "Search");
        if let Some((_, search)) = search {
            catalog::configure::<G>(search, &[])?;
            super::print_remarks(search);
        }
    }
    EngineConfig::make_names_unique(&mut engines);
    let listed = match &arguments.openings {
        Some(path) => read_openings::<G>(path, start.rules())?,
        None => Vec::new(),
    };
    let order = if arguments.shuffle {
        OpeningOrder::Shuffled
    } else {
        OpeningOrder::Listed
    };
    let schedule = Schedule::new(engines.len(), listed.len(), order, arguments.seed)
        .map_err(|error| usage(&error))?;
    if arguments.sprt.is_some() && engines.len() != 2 {
        return Err(CliError::Usage(format!(
            "--sprt with {} engines: expected two",
            engines.len()
        )));
    }
    let timeouts = Timeouts {
        margin: Duration::from_millis(arguments.margin),
        ..arguments.timeouts
    };
    let adjudication = Adjudication {
        draw: arguments.draw,
        resign: arguments.resign,
        plies: (arguments.max_plies.into_iter())
            .chain(cap.map(|(_, plies)| plies))
            .min(),
    };
    let mut header = MatchHeader::new(game.clone(), &engines, &arguments.go, &timeouts);
    header.seed = arguments.seed;
    header.plies = arguments.plies;
    header.openings = (listed.len(), openings_digest(&listed, arguments.shuffle));
    header.adjudication = adjudication;
    for (record, engine) in header.engines.iter_mut().zip(&engines) {
        if engine.command == own
            && let Some((_, search)) = engine.options.iter().find(|(name, _)| name == "Search")
        {
            record.set_build(EngineBuild {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                signature: search_signature(search, start)?,
            });
        }
    }
    Ok(MatchPlan {
        header,
        engines,
        limits: arguments.go.clone(),
        games: schedule
            .game_count(cap.map_or(arguments.games, |(games, _)| games.min(arguments.games))),
        schedule,
        openings: match listed.is_empty() {
            true => vec![Opening::from_start(start.rules())],
            false => listed,
        },
        settings: RefereeSettings {
            game: Asked::of::<G>(start.rules()),
            timeouts,
            adjudication,
            move_delay: Duration::from_millis(arguments.pace),
        },
        concurrency: arguments.concurrency as usize,
        sprt: arguments.sprt,
    })
}

fn read_openings<G: Playable>(path: &Path, rules: G::Rules) -> Result<Vec<Opening<G>>, CliError> {
    let text = fs::read_to_string(path)
        .map_err(|error| CliError::Usage(format!("{}: {error}", path.display())))?;
    let openings = openings::parse_list(rules, &text).map_err(|(line, error)| {
        CliError::Usage(format!("{}, line {line}: {error}", path.display()))
    })?;
    if openings.is_empty() {
        return Err(CliError::Usage(format!(
            "{}: there is no opening in it",
            path.display()
        )));
    }
    Ok(openings)
}

/// Identifies a list of openings in the match log.
fn openings_digest<G: Playable>(openings: &[Opening<G>], is_shuffled: bool) -> u64 {
    let mut sum = u64::from(is_shuffled);
    for opening in openings {
        let (position, _) = opening.final_position();
        for part in [
            opening.start.key(),
            position.key(),
            opening.moves.len() as u64,
        ] {
            sum = mix(sum ^ part);
        }
    }
    sum
}

/// Progress of a match with the score of the first engine, on standard error.
struct MatchProgress {
    progress: Progress,
    /// The first engine's name.
    name: String,
    /// Games that were there before.
    resumed_games: usize,
    results: WdlCounts,
}

impl MatchProgress {
    fn new<G: Playable>(plan: &MatchPlan<G>, records: &[GameRecord]) -> Self {
        let mut progress = Progress::new("games");
        progress.begin(plan.games, records.len() as u64);
        let names = plan.header.names();
        let sums = report::engine_stats(plan.engines.len(), records);
        Self {
            progress,
            name: escape_invisible(names.first().copied().unwrap_or_default()).into_owned(),
            resumed_games: records.len(),
            results: sums
                .first()
                .map_or(WdlCounts::default(), |sum| sum.results.total()),
        }
    }

    fn handle_event(&mut self, event: &MatchEvent<'_>) {
        match event {
            MatchEvent::Message(text) => self.progress.tell(text),
            MatchEvent::GameOver(records) => {
                if let Some(record) = records.last()
                    && let Some(side) = record.players.iter().position(|&engine| engine == 0)
                {
                    self.results = self.results + record.wdl_of(side);
                }
                let results = self.results;
                let WdlCounts {
                    wins,
                    draws,
                    losses,
                } = results;
                let score = 100.0 * results.score();
                let name = &self.name;
                self.progress
                    .set_note(format!("{name} {wins}-{draws}-{losses} {score:.1} %"));
                let new = records.len().saturating_sub(self.resumed_games);
                self.progress.advance_to(new as u64);
            }
            MatchEvent::Tick => self.progress.tick(),
        }
    }
}

impl From<MatchError> for CliError {
    fn from(error: MatchError) -> Self {
        match error {
            MatchError::Records(error) => error.into(),
            error => Self::Failed(error.to_string()),
        }
    }
}
