//! The state that all dialects share: session, options, running task, output text.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use super::{
    book_file::BookFile,
    options::{CheckedOption, OptionId, Options, uci_variants},
    task::{GoRequest, RunningTask},
    tree_outputs::TreeOutputs,
};
use crate::{
    catalog::{solver_cache::SolverCache, solvers::SolverConfig},
    games::{self, GameFacts, Player, notation::Style},
    search::{SearchLimits, StopFlag},
    session::{
        self, MateRequest, PerftRequest, SearchInfo, SearchRequest, SearchResult, Session,
        SessionError, SessionEvent, SessionEventSink, SolveRequest, SolverResources,
    },
};

/// A message to a server from another thread.
#[derive(Clone, Debug)]
pub enum ServerEvent {
    /// From the task with this number.
    Task(u64, SessionEvent),
    /// A problem outside any task, such as a tree that could not be written.
    Warning(String),
}

/// Delivers events to the server.
pub type ServerEventSink = Arc<dyn Fn(ServerEvent) + Send + Sync>;

/// Shared state of a server; a dialect reads and changes it, and adds only rendering.
pub(super) struct ServerCore {
    pub(super) session: Box<dyn Session>,
    pub(super) options: Options,
    /// False after a position was refused, until another is accepted.
    pub(super) has_valid_position: bool,
    /// Notation of moves and positions.
    pub(super) style: Style,
    pub(super) debug: bool,
    /// Time of the current input, since the server started.
    pub(super) now: Duration,
    out: String,
    running: Option<RunningTask>,
    /// Events of a search that ran inline, not handled yet.
    inline_events: VecDeque<ServerEvent>,
    /// Whether the last finished task had been stopped.
    last_was_stopped: bool,
    /// Set once the client was told that this search's memory is full.
    has_reported_full_memory: bool,
    /// Messages outside the protocol, for standard error.
    stderr_messages: Vec<String>,
    event_sink: ServerEventSink,
    /// Number of the last task.
    number: u64,
    pub(super) trees: TreeOutputs,
    book: BookFile,
}

/// The variant of the plain `game` that a check option of UCI stands for, if the option `is_wanted`.
fn option_variant(game: &str, is_wanted: impl Fn(&'static str) -> bool) -> Option<String> {
    let facts = games::facts_of(game).filter(|facts| facts.is_called(game))?;
    let option = facts.foreign.variant_option?;
    is_wanted(option.name).then(|| format!("{}:{}", facts.name, option.variant))
}

impl ServerCore {
    #[expect(
        clippy::expect_used,
        reason = "the table of games is fixed at build time"
    )]
    pub(super) fn new(event_sink: ServerEventSink) -> Self {
        Self {
            session: session::open(games::DEFAULT.name).expect("the default game is in the table"),
            options: Options::default(),
            has_valid_position: true,
            style: Style::Own,
            debug: false,
            now: Duration::ZERO,
            out: String::new(),
            running: None,
            inline_events: VecDeque::new(),
            last_was_stopped: false,
            has_reported_full_memory: false,
            stderr_messages: Vec::new(),
            event_sink,
            number: 0,
            trees: TreeOutputs::default(),
            book: BookFile::default(),
        }
    }

    /// The name of a side in this game.
    pub(super) fn player_name(&self, player: Player) -> &'static str {
        let [first, second] = self.session.players();
        match player {
            Player::First => first,
            Player::Second => second,
        }
    }

    /// Appends a line to the output.
    pub(super) fn send_line(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }

    /// Queues a message for standard error.
    pub(super) fn send_stderr(&mut self, text: impl Into<String>) {
        self.stderr_messages.push(text.into());
    }

    pub(super) fn take_stderr_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.stderr_messages)
    }

    pub(super) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Checks an option's value without setting it.
    pub(super) fn check_option(&self, name: &str, value: &str) -> Result<CheckedOption, String> {
        self.options.check(self.session.base_name(), name, value)
    }

    /// Sets a checked option and applies its effect.
    pub(super) fn set_option(&mut self, checked: &CheckedOption) -> Result<(), String> {
        match checked.id {
            OptionId::Game => self.set_game(&checked.value, Style::Own)?,
            OptionId::Variant => {
                let variants = uci_variants();
                let found = variants.iter().find(|known| known.word == checked.value);
                let variant = found.ok_or("no such variant")?;
                self.set_game(variant.game.name, variant.style)?;
            }
            OptionId::GameVariant(name) => {
                let base = self.session.base_name();
                if let Some(variant) = option_variant(base, |option| option == name) {
                    let game = match checked.value.as_str() {
                        "true" => variant,
                        _ => base.to_owned(),
                    };
                    if self.session.game() != game {
                        self.change_game(&game, self.style)?;
                    }
                }
            }
            OptionId::ClearHash => self.session.clear_search(),
            OptionId::TreeDir => drop(self.trees.resolve("TreeDir", &checked.value)?),
            OptionId::CacheDir => self.check_cache(&checked.value)?,
            _ => {}
        }
        self.options.set(checked);
        Ok(())
    }

    /// Checks and sets an option by name; returns the value with its warnings.
    pub(super) fn set_option_text(
        &mut self,
        name: &str,
        value: &str,
    ) -> Result<CheckedOption, String> {
        let checked = self.check_option(name, value)?;
        self.set_option(&checked)?;
        Ok(checked)
    }

    /// The effective value of every option, in the order of the table: parameters as the search has them.
    pub(super) fn option_values(&mut self) -> Vec<String> {
        let used = match self.check_search() {
            Ok(()) => self.session.search_settings(),
            Err(_) => BTreeMap::new(),
        };
        (self.options.values())
            .map(|(row, value)| {
                let used = row.parameter_name().and_then(|name| used.get(name));
                used.map_or(value, String::as_str).to_owned()
            })
            .collect()
    }

    /// The facts of the session's game.
    pub(super) fn facts(&self) -> &'static GameFacts {
        games::facts_of(self.session.base_name()).unwrap_or(games::DEFAULT)
    }

    /// Selects a game; a plain one in the variant that an option asks for.
    pub(super) fn set_game(&mut self, game: &str, style: Style) -> Result<(), String> {
        let variant = option_variant(game, |option| {
            self.options.flag(OptionId::GameVariant(option))
        });
        self.change_game(variant.as_deref().unwrap_or(game), style)
    }

    fn change_game(&mut self, game: &str, style: Style) -> Result<(), String> {
        let session = session::open(game).map_err(|error| error.to_string())?;
        self.style = style;
        if session.game() == self.session.game() {
            return self.set_position("startpos", "");
        }
        self.session = session;
        self.has_valid_position = true;
        Ok(())
    }

    /// Sets the position; after an error there is no valid position until another is set.
    pub(super) fn set_position(&mut self, position: &str, moves: &str) -> Result<(), String> {
        let result = self.session.set_position(position, moves);
        self.has_valid_position = result.is_ok();
        result.map_err(|error| error.to_string())
    }

    /// Configures the search from the options: `Search` is the first row of the catalogue, `uct`, unless a client has set it. After an
    /// error it is the game's default search.
    fn set_search(&mut self, solve: bool) -> Result<(), String> {
        let mut settings = self.options.search_settings();
        if solve {
            settings.push(("solver".to_owned(), "true".to_owned()));
        }
        let search = self.options.get(OptionId::Search).to_owned();
        let default = self.facts().default_search;
        let cache = self.solver_cache();
        self.session.set_cache(cache);
        let result = self.session.set_search(&search, &settings);
        result.map_err(|error| {
            let plain = self.session.set_search(default, &settings);
            if plain.is_err() {
                let _ = self.session.set_search(default, &[]);
            }
            error.to_string()
        })
    }

    /// Checks that the configured search can play this game.
    pub(super) fn check_search(&mut self) -> Result<(), String> {
        self.set_search(false)
    }

    /// Starts a search; returns remarks for the client.
    pub(super) fn start(&mut self, go: &GoRequest) -> Result<Vec<String>, SessionError> {
        let mut remarks = Vec::new();
        if let Err(problem) = self.set_search(go.mate.is_some()) {
            let default = self.facts().default_search;
            remarks.push(format!("{problem}; searching with {default}"));
        }
        if self.answer_from_book(go, &mut remarks) {
            return Ok(remarks);
        }
        let output = (self.trees)
            .open(&self.options, &self.event_sink)
            .unwrap_or_else(|warning| {
                remarks.push(warning);
                None
            });
        let (mut limits, pacing) = go.resolve_limits(&self.options, &*self.session);
        if let Some(plies) = go.mate
            && !self.session.has_playouts()
        {
            limits.depth = Some(limits.depth.map_or(plies, |depth| depth.min(plies)));
        }
        let is_bounded = limits != SearchLimits::default() || go.mate.is_none();
        let held = go.infinite || go.ponder;
        let allotted = limits.time.filter(|_| go.ponder);
        if held {
            limits.time = None;
        }
        if self.debug {
            remarks.push(format!("limits: {limits:?}"));
        }
        // A new best move is reported early, at most ten times a second.
        let interval = Duration::from_millis(self.options.number(OptionId::InfoInterval));
        let early_interval = interval.min(Duration::from_millis(100));
        let stop = StopFlag::new();
        let request = SearchRequest {
            limits,
            pacing,
            multi_pv: go.multi_pv.max(1),
            search_moves: go.search_moves.clone(),
            style: self.style,
            info_interval: go.info_interval.unwrap_or(early_interval),
            stop: stop.clone(),
            output,
            mate: go.mate.map(|plies| MateRequest {
                plies,
                resources: self.solver_resources(),
            }),
        };
        let number = self.number + 1;
        let emit = self.task_sink(number);
        let early = self.session.start(request, emit)?;
        (self.inline_events).extend(
            early
                .into_iter()
                .map(|event| ServerEvent::Task(number, event)),
        );
        self.number = number;
        self.has_reported_full_memory = false;
        self.running = Some(RunningTask {
            is_held: held,
            is_infinite: go.infinite,
            is_bounded: is_bounded && !held,
            allotted,
            mate: go.mate,
            ..RunningTask::new(self.number, stop, self.now)
        });
        Ok(remarks)
    }

    /// Answers from the opening book, if `OwnBook` is on and the book has the position; a book that cannot be read is a remark.
    /// Only a move to be played is looked up, not an analysis.
    fn answer_from_book(&mut self, go: &GoRequest, remarks: &mut Vec<String>) -> bool {
        let is_held = go.infinite || go.ponder;
        let is_plain = go.mate.is_none() && go.search_moves.is_empty() && go.multi_pv <= 1;
        if !self.options.flag(OptionId::OwnBook) || !go.is_for_play || is_held || !is_plain {
            return false;
        }
        let path = self.options.get(OptionId::BookFile);
        let book = match self.book.get(&self.trees, path) {
            Ok(book) => book,
            Err(problem) => {
                remarks.extend(problem);
                return false;
            }
        };
        let seed = self.options.number(OptionId::Parameter("seed"));
        let Some(result) = self.session.book_result(book, seed, self.style) else {
            return false;
        };
        remarks.push("book".to_owned());
        self.number += 1;
        let done = SessionEvent::Done(Some(result));
        (self.inline_events).push_back(ServerEvent::Task(self.number, done));
        self.running = Some(RunningTask::new(self.number, StopFlag::new(), self.now));
        true
    }

    /// Starts a perft.
    pub(super) fn start_perft(&mut self, depth: u32) -> Result<(), SessionError> {
        let stop = StopFlag::new();
        let request = PerftRequest {
            depth,
            style: self.style,
            stop: stop.clone(),
        };
        let emit = self.task_sink(self.number + 1);
        self.session.start_perft(request, emit)?;
        self.number += 1;
        self.running = Some(RunningTask::new(self.number, stop, self.now));
        Ok(())
    }

    /// Starts solving the position, with the value of every move or a best line.
    pub(super) fn start_solve(
        &mut self,
        time: Duration,
        wants_moves: bool,
    ) -> Result<(), SessionError> {
        let stop = StopFlag::new();
        let request = SolveRequest {
            limits: SearchLimits {
                time: Some(time),
                ..SearchLimits::default()
            },
            wants_moves,
            wants_pv: !wants_moves,
            style: self.style,
            stop: stop.clone(),
        };
        let resources = self.solver_resources();
        let emit = self.task_sink(self.number + 1);
        self.session.start_solve(request, resources, emit)?;
        self.number += 1;
        self.running = Some(RunningTask::new(self.number, stop, self.now));
        Ok(())
    }

    /// What a solver may use by the options.
    fn solver_resources(&self) -> SolverResources {
        let number = |name| self.options.number(OptionId::Parameter(name)) as usize;
        SolverResources {
            config: SolverConfig {
                memory_bytes: number("memory") << 20,
                threads: number("threads"),
                uses_book: self.options.get(OptionId::Parameter("book")) != "false",
                empties_to_winner: self.options.flag(OptionId::EmptiesToWinner),
            },
            cache: self.solver_cache(),
        }
    }

    /// The cache that `CacheDir` names.
    fn solver_cache(&self) -> Option<SolverCache> {
        let text = self.options.get(OptionId::CacheDir);
        self.resolve_cache(text).unwrap_or_default()
    }

    /// An error if a value of `CacheDir` names a directory in which nothing can be kept.
    fn check_cache(&self, text: &str) -> Result<(), String> {
        match self.resolve_cache(text)? {
            Some(cache) if SolverCache::is_named(text) => cache.checked().map(drop),
            _ => Ok(()),
        }
    }

    /// The cache that a value of `CacheDir` means; an error if its directory lies outside the confinement.
    fn resolve_cache(&self, text: &str) -> Result<Option<SolverCache>, String> {
        match SolverCache::from_text(text) {
            Some(_) if SolverCache::is_named(text) => {
                let directory = self.trees.resolve("CacheDir", text.trim())?;
                Ok(directory.map(SolverCache::new))
            }
            cache => Ok(cache),
        }
    }

    /// Receives the events of the task with this number.
    fn task_sink(&self, number: u64) -> SessionEventSink {
        let event_sink = Arc::clone(&self.event_sink);
        Arc::new(move |event| event_sink(ServerEvent::Task(number, event)))
    }

    /// Starts a task whose result is known and held back until `stop`.
    pub(super) fn hold_result(&mut self, result: SearchResult) {
        self.running = Some(RunningTask {
            is_held: true,
            is_bounded: false,
            result: Some(Some(result)),
            ..RunningTask::new(self.number, StopFlag::new(), self.now)
        });
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Whether the running task ends only at `stop`.
    pub(super) fn is_open_ended(&self) -> bool {
        self.running.as_ref().is_some_and(|task| !task.is_bounded)
    }

    /// Whether the running task's result is held back until `stop`.
    pub(super) fn is_held(&self) -> bool {
        self.running.as_ref().is_some_and(|task| task.is_held)
    }

    /// Whether the task that just ended had been stopped.
    pub(super) fn was_stopped(&self) -> bool {
        self.last_was_stopped
    }

    /// Whether the running task is being stopped.
    pub(super) fn is_stopping(&self) -> bool {
        self.running.as_ref().is_some_and(|task| task.stop.is_set())
    }

    /// Stops the running task and releases its result.
    pub(super) fn stop(&mut self) {
        if let Some(task) = &mut self.running {
            task.stop.set();
            task.is_held = false;
            task.deadline = None;
        }
    }

    /// Turns a ponder search into a timed one; its time has been running since it began.
    pub(super) fn ponder_hit(&mut self) {
        let Some(task) = &mut self.running else {
            return;
        };
        if task.is_held && !task.is_infinite {
            task.is_held = false;
            task.is_bounded = true;
            task.deadline = task.allotted.map(|allotted| task.started_at + allotted);
        }
    }

    /// The next event of a search that ran inline.
    pub(super) fn take_inline_event(&mut self) -> Option<ServerEvent> {
        self.inline_events.pop_front()
    }

    /// Stores a task's result; results of earlier tasks are dropped.
    pub(super) fn finish_task(&mut self, number: u64, result: Option<SearchResult>) {
        if let Some(task) = &mut self.running
            && task.number == number
            && task.result.is_none()
        {
            task.result = Some(result);
            self.session.finish();
        }
    }

    pub(super) fn is_current(&self, number: u64) -> bool {
        (self.running.as_ref()).is_some_and(|task| task.number == number && task.result.is_none())
    }

    /// Ends the running task if its result is there and not held back.
    pub(super) fn take_result(&mut self) -> Option<Option<SearchResult>> {
        let task = self.running.as_mut().filter(|task| !task.is_held)?;
        let answer = task.result.take()?;
        self.last_was_stopped = task.stop.is_set();
        self.running = None;
        Some(answer)
    }

    /// When [`Self::on_timer`] is due.
    pub(super) fn next_timer(&self) -> Option<Duration> {
        self.running.as_ref()?.deadline
    }

    pub(super) fn on_timer(&mut self) {
        if self
            .next_timer()
            .is_some_and(|deadline| self.now >= deadline)
        {
            self.stop();
        }
    }

    /// Whether this report is due. Stops a `go mate` search that has found its mate.
    pub(super) fn should_report(&mut self, info: &SearchInfo) -> bool {
        let interval = Duration::from_millis(self.options.number(OptionId::InfoInterval));
        let (Some(task), Some(line)) = (&mut self.running, info.root_moves.first()) else {
            return false;
        };
        let is_win = line.proven == Some(std::cmp::Ordering::Greater) && line.ends_game;
        if is_win && task.mate.is_some_and(|plies| line.pv.len() as u32 <= plies) {
            task.stop.set();
        }
        let best = line.pv.first().map_or("", String::as_str);
        task.throttle.is_due(best, self.now, interval)
    }

    /// Whether to report that memory is full; true once per search.
    pub(super) fn should_report_full_memory(&mut self, info: &SearchInfo) -> bool {
        info.memory_full && !std::mem::replace(&mut self.has_reported_full_memory, true)
    }
}
