//! What all dialects share: the session, the options, the running task.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{
    clock::{self, PlayerClock},
    options::{CheckedOption, Options, name, uci_variants},
};
use crate::{
    games::{self, GameFacts, notation::Style},
    search::{SearchLimits, StopFlag},
    session::{self, SearchInfo, SearchRequest, SearchResult, Session, SessionError, SessionEvent},
    tree::{
        confinement::Confinement,
        files::Format,
        retention::TreeRetention,
        snapshot::SnapshotOptions,
        writer::{DEFAULT_MAX_JOURNAL_BYTES, TreeOutput, TreeOutputSettings},
    },
};

/// What comes to a server from other threads.
#[derive(Clone, Debug)]
pub enum ServerEvent {
    /// From the task of that number.
    Task(u64, SessionEvent),
    /// Something went wrong on the side.
    Warning(String),
}

/// Takes notes to the server.
pub type ServerEventSink = Arc<dyn Fn(ServerEvent) + Send + Sync>;

/// When a search is to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GoRequest {
    pub(super) limits: SearchLimits,
    /// A clock from which the time follows.
    pub(super) clock: Option<PlayerClock>,
    /// Not before somebody says stop.
    pub(super) infinite: bool,
    /// On the opponent's time: limits of time count from the beginning, but nothing ends before somebody says so.
    pub(super) ponder: bool,
    /// As soon as a win in so many plies is certain.
    pub(super) mate: Option<u32>,
}

/// A task that runs, or whose answer nobody may hear yet.
struct RunningTask {
    number: u64,
    stop: StopFlag,
    started_at: Duration,
    /// Whether the answer waits for somebody to say stop.
    is_held: bool,
    /// Whether that must be said even if the opponent played what was expected.
    is_infinite: bool,
    /// Whether it ends by itself.
    is_bounded: bool,
    /// For pondering: how long a move may take, counted from the beginning.
    allotted: Option<Duration>,
    /// When it must be stopped.
    deadline: Option<Duration>,
    mate: Option<u32>,
    /// Once it is done: what it answered.
    result: Option<Option<SearchResult>>,
    throttle: ReportThrottle,
}

/// When reports are due.
#[derive(Default)]
struct ReportThrottle {
    last_best_move: String,
    last_report: Option<Duration>,
}

/// What all dialects share.
pub(super) struct ServerCore {
    pub(super) session: Box<dyn Session>,
    pub(super) options: Options,
    /// Whether the session's position is what the client last asked for.
    pub(super) has_valid_position: bool,
    /// How moves and positions are written.
    pub(super) style: Style,
    pub(super) debug: bool,
    pub(super) now: Duration,
    /// Below which trees must stay; none for anywhere.
    pub(super) tree_confinement: Option<Confinement>,
    out: String,
    running: Option<RunningTask>,
    /// What a search told that was over before it was waited for.
    inline_events: VecDeque<ServerEvent>,
    last_was_stopped: bool,
    /// Whether it was said that the memory of this search is full.
    has_reported_full_memory: bool,
    /// What is said beside the protocol, on standard error.
    stderr_messages: Vec<String>,
    event_sink: ServerEventSink,
    number: u64,
    /// Where trees go now, with what it was opened for, and where they went before.
    output: Option<(String, Arc<TreeOutput>)>,
    failed_output: Option<String>,
    outputs: Vec<Arc<TreeOutput>>,
    /// Which of the trees that were written stay.
    retention: Arc<TreeRetention>,
}

/// The variant of the plain `game` that a check option of UCI stands for, if the option `is_wanted`.
fn option_variant(game: &str, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    let facts = games::facts_of(game).filter(|facts| facts.is_called(game))?;
    let option = facts.foreign.variant_option?;
    is_wanted(option.name).then(|| format!("{}:{}", facts.name, option.variant))
}

impl ServerCore {
    pub(super) fn new(event_sink: ServerEventSink) -> Self {
        Self {
            session: session::open(games::DEFAULT.name).expect("the default game is in the table"),
            options: Options::default(),
            has_valid_position: true,
            style: Style::Own,
            debug: false,
            now: Duration::ZERO,
            tree_confinement: None,
            out: String::new(),
            running: None,
            inline_events: VecDeque::new(),
            last_was_stopped: false,
            has_reported_full_memory: false,
            stderr_messages: Vec::new(),
            event_sink,
            number: 0,
            output: None,
            failed_output: None,
            outputs: Vec::new(),
            retention: Arc::default(),
        }
    }

    /// Says a line.
    pub(super) fn send_line(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }

    /// Says something beside the protocol.
    pub(super) fn send_stderr(&mut self, text: impl Into<String>) {
        self.stderr_messages.push(text.into());
    }

    pub(super) fn take_stderr_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.stderr_messages)
    }

    pub(super) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Reads a value for an option; or says what was wrong with it.
    pub(super) fn check_option(&self, name: &str, value: &str) -> Result<CheckedOption, String> {
        self.options.check(self.session.base_name(), name, value)
    }

    /// Sets an option; or says why that cannot be.
    pub(super) fn set_option(&mut self, checked: &CheckedOption) -> Result<(), String> {
        match checked.name.as_str() {
            name::GAME => self.set_game(&checked.value, Style::Own)?,
            name::VARIANT => {
                let variants = uci_variants();
                let found = variants.iter().find(|known| known.word == checked.value);
                let variant = found.ok_or("no such variant")?;
                self.set_game(variant.game.name, variant.style)?;
            }
            name::CLEAR => self.session.clear_search(),
            name::TREE_DIR => drop(self.tree_directory(&checked.value)?),
            other => {
                let base = self.session.base_name();
                if let Some(variant) = option_variant(base, |option| option == other) {
                    let game = match checked.value.as_str() {
                        "true" => variant,
                        _ => base.to_owned(),
                    };
                    if self.session.game() != game {
                        self.change_game(&game, self.style)?;
                    }
                }
            }
        }
        self.options.set(checked);
        Ok(())
    }

    /// Sets an option by name; what was read and is to be told of.
    pub(super) fn set_option_text(
        &mut self,
        name: &str,
        value: &str,
    ) -> Result<CheckedOption, String> {
        let checked = self.check_option(name, value)?;
        self.set_option(&checked)?;
        Ok(checked)
    }

    /// What every option comes to, in the order of the table: for those that set something about the search, what it really
    /// has.
    pub(super) fn option_values(&mut self) -> Vec<String> {
        let used = match self.check_search() {
            Ok(()) => self.session.search_settings(),
            Err(_) => BTreeMap::new(),
        };
        let rows = self.options.definitions().iter();
        rows.map(|row| {
            let value = row.parameter.and_then(|name| used.get(name));
            value.map_or_else(|| self.options.get(&row.name).to_owned(), String::clone)
        })
        .collect()
    }

    /// The facts of the session's game.
    pub(super) fn facts(&self) -> &'static GameFacts {
        games::facts_of(self.session.base_name()).unwrap_or(games::DEFAULT)
    }

    /// Chooses a game; a plain one in the variant that an option asks for.
    pub(super) fn set_game(&mut self, game: &str, style: Style) -> Result<(), String> {
        let variant = option_variant(game, |option| self.options.flag(option));
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

    /// Sets the position; at an error there is none until another is set.
    pub(super) fn set_position(&mut self, position: &str, moves: &str) -> Result<(), String> {
        let result = self.session.set_position(position, moves);
        self.has_valid_position = result.is_ok();
        result.map_err(|error| error.to_string())
    }

    /// Sets the search up as the options say. If that cannot be, what is wrong; then the search is the plain one.
    fn set_search(&mut self, solve: bool) -> Result<(), String> {
        let mut settings = self.options.search_settings();
        if solve {
            settings.push(("solver".to_owned(), "true".to_owned()));
        }
        let search = self.options.get(name::SEARCH).to_owned();
        let default = self.facts().default_search;
        let result = self.session.set_search(&search, &settings);
        result.map_err(|error| {
            let plain = self.session.set_search(default, &settings);
            if plain.is_err() {
                let _ = self.session.set_search(default, &[]);
            }
            error.to_string()
        })
    }

    /// Whether the search that the options name can be had for this game; or what is wrong.
    pub(super) fn check_search(&mut self) -> Result<(), String> {
        self.set_search(false)
    }

    /// The limits that a wish comes to here.
    fn resolve_limits(&self, go: &GoRequest) -> SearchLimits {
        let mut limits = go.limits;
        if let Some(clock) = &go.clock {
            let overhead = Duration::from_millis(self.options.number(name::OVERHEAD));
            let mut time = clock::allocate_time(clock, overhead);
            // There is nothing to think about.
            if self.session.moves(Style::Own).len() == 1 {
                time = time.min(Duration::from_millis(10));
            }
            limits.time = Some(limits.time.map_or(time, |other| other.min(time)));
        }
        let is_open = go.infinite || go.mate.is_some();
        if limits == SearchLimits::default() && !is_open {
            let number = |name| Some(self.options.number(name)).filter(|&number| number > 0);
            limits.nodes = number(name::NODES);
            limits.time = number(name::MOVE_TIME).map(Duration::from_millis);
            if limits == SearchLimits::default() && !self.session.has_own_limits() {
                limits.time = Some(Duration::from_secs(1));
            }
        }
        limits
    }

    /// Starts a search. What is to be said about it, if anything; an error if there is nothing to search.
    pub(super) fn start(
        &mut self,
        go: &GoRequest,
        search_moves: Vec<String>,
        multi_pv: usize,
        info_interval: Option<Duration>,
    ) -> Result<Vec<String>, SessionError> {
        let mut remarks = Vec::new();
        if let Err(problem) = self.set_search(go.mate.is_some()) {
            remarks.push(format!("{problem}; searching with uct"));
        }
        let output = self.tree_output().unwrap_or_else(|warning| {
            remarks.push(warning);
            None
        });
        let mut limits = self.resolve_limits(go);
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
        // New best moves are told soon, but not more than ten times a second.
        let interval = Duration::from_millis(self.options.number(name::INFO_INTERVAL));
        let info_interval = info_interval.unwrap_or(interval.min(Duration::from_millis(100)));
        let stop = StopFlag::new();
        let request = SearchRequest {
            limits,
            multi_pv,
            search_moves,
            style: self.style,
            info_interval,
            stop: stop.clone(),
            output,
        };
        let number = self.number + 1;
        let event_sink = Arc::clone(&self.event_sink);
        let emit = Arc::new(move |event| event_sink(ServerEvent::Task(number, event)));
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
            ..self.new_task(stop)
        });
        Ok(remarks)
    }

    fn new_task(&self, stop: StopFlag) -> RunningTask {
        RunningTask {
            number: self.number,
            stop,
            started_at: self.now,
            is_held: false,
            is_infinite: false,
            is_bounded: true,
            allotted: None,
            deadline: None,
            mate: None,
            result: None,
            throttle: ReportThrottle::default(),
        }
    }

    /// Starts to count lines of play.
    pub(super) fn start_perft(&mut self, depth: u32) -> Result<(), SessionError> {
        let stop = StopFlag::new();
        let number = self.number + 1;
        let event_sink = Arc::clone(&self.event_sink);
        let emit = Arc::new(move |event| event_sink(ServerEvent::Task(number, event)));
        self.session
            .start_perft(depth, self.style, stop.clone(), emit)?;
        self.number = number;
        self.running = Some(self.new_task(stop));
        Ok(())
    }

    /// A task whose answer is known already and waits for somebody to say stop.
    pub(super) fn hold_result(&mut self, result: SearchResult) {
        self.running = Some(RunningTask {
            is_held: true,
            is_bounded: false,
            result: Some(Some(result)),
            ..self.new_task(StopFlag::new())
        });
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Whether the running task goes on until somebody says stop.
    pub(super) fn is_open_ended(&self) -> bool {
        self.running.as_ref().is_some_and(|task| !task.is_bounded)
    }

    /// Whether the running task waits for somebody to say stop.
    pub(super) fn is_held(&self) -> bool {
        self.running.as_ref().is_some_and(|task| task.is_held)
    }

    /// Whether the task that is just over had been told to stop.
    pub(super) fn was_stopped(&self) -> bool {
        self.last_was_stopped
    }

    /// Whether the running task has been told to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.running.as_ref().is_some_and(|task| task.stop.is_set())
    }

    /// Stops the running task, if there is one.
    pub(super) fn stop(&mut self) {
        if let Some(task) = &mut self.running {
            task.stop.set();
            task.is_held = false;
            task.deadline = None;
        }
    }

    /// The opponent played what was expected: the time of a pondering search counts from now on.
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

    /// The next thing that a search told before it was waited for.
    pub(super) fn take_inline_event(&mut self) -> Option<ServerEvent> {
        self.inline_events.pop_front()
    }

    /// Takes in that a task is done; whether it was the one that runs.
    pub(super) fn finish_task(&mut self, number: u64, result: Option<SearchResult>) -> bool {
        match &mut self.running {
            Some(task) if task.number == number && task.result.is_none() => {
                task.result = Some(result);
                self.session.finish();
                true
            }
            _ => false,
        }
    }

    pub(super) fn is_current(&self, number: u64) -> bool {
        (self.running.as_ref()).is_some_and(|task| task.number == number && task.result.is_none())
    }

    /// The answer of a task that is done and need not wait; the task is over then.
    pub(super) fn take_result(&mut self) -> Option<Option<SearchResult>> {
        let task = self.running.as_mut().filter(|task| !task.is_held)?;
        let answer = task.result.take()?;
        self.last_was_stopped = task.stop.is_set();
        self.running = None;
        Some(answer)
    }

    /// When something must be done though nobody says anything.
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

    /// Whether a report should be told: the best move is another, or the last report is long ago. Stops a search for a mate
    /// that has found it.
    pub(super) fn should_report(&mut self, info: &SearchInfo) -> bool {
        let interval = Duration::from_millis(self.options.number(name::INFO_INTERVAL));
        let now = self.now;
        let Some(task) = &mut self.running else {
            return false;
        };
        let Some(line) = info.root_moves.first() else {
            return false;
        };
        let is_win = line.proven == Some(std::cmp::Ordering::Greater) && line.ends_game;
        if is_win && task.mate.is_some_and(|plies| line.pv.len() as u32 <= plies) {
            task.stop.set();
        }
        let best = line.pv.first().map_or("", String::as_str);
        let is_new = task.throttle.last_best_move != best;
        let is_late = task
            .throttle
            .last_report
            .is_none_or(|last| now >= last + interval);
        if is_new || is_late {
            best.clone_into(&mut task.throttle.last_best_move);
            task.throttle.last_report = Some(now);
        }
        is_new || is_late
    }

    /// Whether to say that memory is full: once a search.
    pub(super) fn should_report_full_memory(&mut self, info: &SearchInfo) -> bool {
        info.memory_full && !std::mem::replace(&mut self.has_reported_full_memory, true)
    }

    /// The directory that `TreeDir` means; none if it is empty, and an error if trees must not go there.
    fn tree_directory(&self, text: &str) -> Result<Option<PathBuf>, String> {
        match &self.tree_confinement {
            _ if text.is_empty() => Ok(None),
            None => Ok(Some(PathBuf::from(text))),
            Some(confinement) => {
                let admitted = confinement.resolve(Path::new(text));
                admitted
                    .map(Some)
                    .map_err(|problem| format!("TreeDir {problem}"))
            }
        }
    }

    /// Where trees go, as the options say; opened when they have changed.
    fn tree_output(&mut self) -> Result<Option<Arc<TreeOutput>>, String> {
        let options = &self.options;
        let directory = options.get(name::TREE_DIR);
        self.retention
            .set_max_trees(options.number(name::TREE_KEEP) as usize);
        let mut key = String::new();
        for row in options
            .definitions()
            .iter()
            .filter(|row| row.name.starts_with("Tree"))
        {
            let _ = writeln!(key, "{}", options.get(&row.name));
        }
        if let Some((opened, output)) = &self.output
            && *opened == key
        {
            return Ok(Some(Arc::clone(output)));
        }
        // Links may have changed since the option was set.
        let Some(place) = self.tree_directory(directory)? else {
            self.output = None;
            return Ok(None);
        };
        let number = |name| Some(options.number(name)).filter(|&number| number > 0);
        let settings = TreeOutputSettings {
            directory: place,
            format: Format::parse(options.get(name::TREE_FORMAT)).unwrap_or(Format::Tree),
            snapshot: SnapshotOptions {
                states: options.get(name::TREE_STATES) == "all",
                extra: options.flag(name::TREE_EXTRA),
                max_nodes: number(name::TREE_MAX_NODES),
                min_visits: options.number(name::TREE_MIN_VISITS),
            },
            snapshot_interval: number(name::TREE_EVERY).map(Duration::from_millis),
            max_journal_bytes: options
                .flag(name::TREE_JOURNAL)
                .then_some(DEFAULT_MAX_JOURNAL_BYTES),
        };
        let event_sink = Arc::clone(&self.event_sink);
        let warn = move |warning: &str| event_sink(ServerEvent::Warning(warning.to_owned()));
        self.output = None;
        let output = match TreeOutput::open(settings, Box::new(warn)) {
            Ok(output) => output.with_retention(Arc::clone(&self.retention)),
            // Said once, until something else is asked for.
            Err(_) if self.failed_output.as_ref() == Some(&key) => return Ok(None),
            Err(error) => {
                let problem = match error.kind() {
                    std::io::ErrorKind::AlreadyExists => "it is not a directory".to_owned(),
                    _ => error.to_string(),
                };
                let directory = directory.to_owned();
                self.failed_output = Some(key);
                return Err(format!(
                    "cannot write trees to {directory}: {problem}; going on without"
                ));
            }
        };
        self.failed_output = None;
        let output = Arc::new(output);
        self.outputs.retain(|output| !output.is_idle());
        self.outputs.push(Arc::clone(&output));
        self.output = Some((key, Arc::clone(&output)));
        Ok(Some(output))
    }

    /// Trees go nowhere any more.
    pub(super) fn close_outputs(&mut self) {
        self.output = None;
        self.outputs.clear();
    }

    /// Whether every tree has been written.
    pub(super) fn are_trees_written(&self) -> bool {
        self.outputs.iter().all(|output| output.is_idle())
    }
}
