//! The one implementation of [`Session`], generic over the game.

use std::{
    collections::BTreeMap,
    sync::{Arc, mpsc::channel},
    thread::{self, JoinHandle},
};

use super::{
    OpeningBook, PerftRequest, SearchInfo, SearchRequest, SearchResult, Session, SessionError,
    SessionEvent, SessionEventSink, SolveRequest, SolverResources,
    mate::MateAnswer,
    search_job::{SearchJob, run_perft, shortfall_texts},
    solver::{self, SessionSolver},
};
use crate::{
    catalog::{self, CatalogError, Spec, solver_cache::SolverCache},
    games::{
        History, Outcome, ParseError, Playable, Player,
        notation::{self, Grid, Style, write_square},
    },
    rng::{Rng, child_seed},
    search::{Search, budget::Stopwatch},
};

/// A game of `G` in progress.
pub(super) struct TypedSession<G: Playable> {
    rules: G::Rules,
    /// Arguments of the last [`Session::set_position`], to recognise one that extends it; none after [`Session::play`] or undo.
    source_text: Option<(String, String)>,
    start: G,
    /// The moves from `start` to `position`.
    moves: Vec<G::Move>,
    /// How many of `moves` each undo takes back: 2 for a move after an implied pass, else 1.
    move_groups: Vec<u8>,
    /// Whether the last of `moves` is an implied pass that belongs to the group of the next move.
    has_pending_pass: bool,
    position: G,
    history: History,
    /// The search as requested; its seed may be 0.
    requested: Spec,
    /// The search as it runs: a seed of 0 is replaced by a drawn one.
    spec: Spec,
    /// Where searches that solve positions keep slow answers.
    cache: Option<SolverCache>,
    /// The text that `spec` was parsed from.
    search_name: String,
    search: Option<Box<dyn Search<G>>>,
    /// Start and moves of the position that `search` saw last, to advance its tree.
    last_searched: Option<(G, Vec<G::Move>)>,
    /// The solver and the resources it was created with; kept from one question to the next.
    solver: Option<SessionSolver<G>>,
    search_thread: Option<JoinHandle<TaskParts<G>>>,
    /// True if the search that is running considers only some root moves: it is discarded when it ends.
    was_restricted: bool,
    /// Warnings about the last search, so that each is given once.
    last_warnings: Vec<String>,
}

/// The search and the solver, which a task's thread takes and gives back when it is joined.
struct TaskParts<G: Playable> {
    search: Option<Box<dyn Search<G>>>,
    solver: Option<SessionSolver<G>>,
}

#[expect(
    clippy::expect_used,
    reason = "a test builds every search of the catalogue"
)]
fn default_spec<G: Playable>() -> Spec {
    catalog::parse::<G>(G::FACTS.default_search)
        .expect("a game's default search is in the catalogue")
}

#[expect(
    clippy::expect_used,
    reason = "a search is parsed for the game it is built for"
)]
fn build_search<G: Playable>(spec: &Spec) -> Box<dyn Search<G>> {
    catalog::build::<G>(spec).expect("the search was parsed for this game")
}

impl<G: Playable> TypedSession<G> {
    pub(super) fn new(rules: G::Rules) -> Self {
        let start = G::start(rules);
        let mut history = History::new();
        history.push(&start);
        let spec = default_spec::<G>();
        Self {
            rules,
            source_text: Some(("startpos".to_owned(), String::new())),
            position: start.clone(),
            start,
            moves: Vec::new(),
            move_groups: Vec::new(),
            has_pending_pass: false,
            history,
            requested: spec.clone(),
            spec,
            cache: None,
            search_name: G::FACTS.default_search.to_owned(),
            search: None,
            last_searched: None,
            solver: None,
            search_thread: None,
            was_restricted: false,
            last_warnings: Vec::new(),
        }
    }

    /// Plays the moves of `record`; all or none.
    fn play_record(&mut self, record: &str) -> Result<(), ParseError> {
        let mut position = self.position.clone();
        let mut history = self.history.clone();
        let before = self.moves.len();
        let (moves, groups) = (&mut self.moves, &mut self.move_groups);
        let note = |_: &G, mv| {
            moves.push(mv);
            groups.push(1);
        };
        let result = notation::play_moves(&mut position, &mut history, record, note);
        if result.is_err() {
            self.moves.truncate(before);
            self.move_groups.truncate(before);
        } else {
            self.position = position;
            self.history = history;
        }
        result
    }

    fn play_move(&mut self, mv: G::Move) {
        self.history.play(&mut self.position, mv);
        self.moves.push(mv);
    }

    /// Undoes the last `count` moves.
    fn undo_moves(&mut self, count: usize) {
        self.clear_source_text();
        self.moves.truncate(self.moves.len() - count);
        let mut history = History::new();
        let mut position = self.start.clone();
        history.push(&position);
        for &mv in &self.moves {
            history.play(&mut position, mv);
        }
        self.position = position;
        self.history = history;
    }

    /// Called when the game departs from the text it was set from.
    fn clear_source_text(&mut self) {
        self.source_text = None;
    }

    /// Parses a move in the game's notation or as a square of the grid.
    fn parse_move(position: &G, text: &str) -> Result<G::Move, ParseError> {
        position.parse_move(text).or_else(|error| {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let found = moves.into_iter().find(|&mv| {
                square_text(position, mv).is_some_and(|square| square.eq_ignore_ascii_case(text))
            });
            found.ok_or(error)
        })
    }

    /// Takes the search out for its thread, with the moves by which its tree must advance.
    fn take_search(&mut self) -> (Box<dyn Search<G>>, Vec<G::Move>) {
        let search = self.search.take();
        let moves_since = self.last_searched.as_ref().and_then(|(start, moves)| {
            let is_same = *start == self.start && self.moves.starts_with(moves);
            let moves_since = self.moves.get(moves.len()..).unwrap_or_default();
            is_same.then(|| moves_since.to_vec())
        });
        self.last_searched = Some((self.start.clone(), self.moves.clone()));
        let search = search.unwrap_or_else(|| build_search(&self.spec));
        (search, moves_since.unwrap_or_default())
    }

    /// Warnings about this search that the previous one did not give.
    fn new_warnings(&mut self, search: &dyn Search<G>) -> Vec<String> {
        let mut remarks = shortfall_texts(&search.shortfalls());
        let before = std::mem::replace(&mut self.last_warnings, remarks.clone());
        remarks.retain(|remark| !before.contains(remark));
        remarks
    }

    /// Keeps a search for the next request unless it was restricted.
    fn store_search(&mut self, search: Option<Box<dyn Search<G>>>) {
        self.search = search.filter(|_| !std::mem::take(&mut self.was_restricted));
    }

    fn take_parts(&mut self) -> TaskParts<G> {
        TaskParts {
            search: self.search.take(),
            solver: self.solver.take(),
        }
    }

    fn spawn(
        &mut self,
        work: impl FnOnce() -> TaskParts<G> + Send + 'static,
    ) -> Result<(), SessionError> {
        // Recursive searches overflow the default stack in deep lines.
        let thread = thread::Builder::new()
            .stack_size(16 << 20)
            .name("search".to_owned())
            .spawn(work)?;
        self.search_thread = Some(thread);
        Ok(())
    }
}

impl<G: Playable> Session for TypedSession<G> {
    fn game(&self) -> String {
        notation::full_name::<G>(self.rules)
    }

    fn base_name(&self) -> &'static str {
        G::NAME
    }

    fn players(&self) -> [&'static str; 2] {
        G::PLAYERS
    }

    fn set_position(&mut self, position: &str, moves: &str) -> Result<(), ParseError> {
        if let Some((start, record)) = &self.source_text
            && start == position
            && let Some(rest) = moves.strip_prefix(record.as_str())
            && (rest.is_empty() || record.is_empty() || rest.starts_with(' '))
        {
            if !rest.trim().is_empty() {
                self.play_record(rest)?;
                if let Some((_, record)) = &mut self.source_text {
                    record.push_str(rest);
                }
            }
            return Ok(());
        }
        let start: G = notation::read_position(self.rules, position)?;
        let mut history = History::new();
        history.push(&start);
        let mut reached = start.clone();
        let mut played = Vec::new();
        let note = |_: &G, mv| played.push(mv);
        notation::play_moves(&mut reached, &mut history, moves, note)?;
        self.move_groups = vec![1; played.len()];
        self.has_pending_pass = false;
        self.moves = played;
        self.start = start;
        self.position = reached;
        self.history = history;
        self.source_text = Some((position.to_owned(), moves.to_owned()));
        Ok(())
    }

    fn play(&mut self, text: &str) -> Result<(), SessionError> {
        if let Some((_, reason)) = self.outcome() {
            return Err(SessionError::GameOver(reason));
        }
        let error = match Self::parse_move(&self.position, text) {
            Ok(mv) => {
                self.clear_source_text();
                self.play_move(mv);
                let passes = u8::from(std::mem::take(&mut self.has_pending_pass));
                self.move_groups.push(1 + passes);
                return Ok(());
            }
            Err(error) => error,
        };
        let Some(implied) = self.position.implied_move() else {
            return Err(error.into());
        };
        let mut after = self.position.clone();
        after.play(implied);
        let mv = Self::parse_move(&after, text).map_err(|_| error)?;
        self.clear_source_text();
        self.play_move(implied);
        self.play_move(mv);
        self.move_groups.push(2);
        Ok(())
    }

    fn play_implied_pass(&mut self) -> bool {
        let Some(implied) = self.position.implied_move() else {
            return false;
        };
        self.clear_source_text();
        self.play_move(implied);
        self.has_pending_pass = true;
        true
    }

    fn undo_implied_pass(&mut self) {
        if std::mem::take(&mut self.has_pending_pass) {
            self.undo_moves(1);
        }
    }

    fn undo(&mut self) -> Result<(), SessionError> {
        self.undo_implied_pass();
        let group = self.move_groups.pop().ok_or(SessionError::NothingToUndo)?;
        self.undo_moves(usize::from(group));
        Ok(())
    }

    fn to_move(&self) -> Player {
        self.position.to_move()
    }

    fn expected_plies_left(&self) -> Option<u32> {
        self.position.expected_plies_left()
    }

    fn plies(&self) -> usize {
        self.moves.len()
    }

    fn outcome(&self) -> Option<(Outcome, &'static str)> {
        match self.position.outcome() {
            Some(outcome) => Some((outcome, self.position.end_reason())),
            None => (self.history.outcome(&self.position))
                .map(|outcome| (outcome, "threefold repetition")),
        }
    }

    fn score(&self) -> Option<[u32; 2]> {
        self.position.score()
    }

    fn position(&self, style: Style) -> String {
        let mut text = String::new();
        let _ = self.position.write_position(style, &mut text);
        text
    }

    fn drawing(&self) -> String {
        notation::board_text(&self.position)
    }

    fn moves(&self, style: Style) -> Vec<String> {
        let mut moves = Vec::new();
        if self.outcome().is_none() {
            self.position.legal_moves(&mut moves);
        }
        (moves.into_iter())
            .map(|mv| move_text(&self.position, mv, style))
            .collect()
    }

    fn evaluations(&self) -> Vec<(&'static str, i32)> {
        (G::EVALUATIONS.iter())
            .map(|evaluation| (evaluation.name, evaluation.value(&self.position)))
            .collect()
    }

    fn grid(&self) -> Grid {
        self.position.grid()
    }

    fn grid_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        if self.outcome().is_none() {
            self.position.legal_moves(&mut moves);
        }
        let text = |mv| {
            square_text(&self.position, mv)
                .unwrap_or_else(|| move_text(&self.position, mv, Style::Own))
        };
        moves.into_iter().map(text).collect()
    }

    fn set_search(
        &mut self,
        text: &str,
        settings: &[(String, String)],
    ) -> Result<(), CatalogError> {
        let requested = catalog::configure::<G>(text, settings)?.with_cache(self.cache.clone());
        if requested != self.requested {
            let spec = requested.with_resolved_seed();
            // A new seed alone keeps the allocated memory.
            if let Some(search) = &mut self.search
                && spec == self.spec.with_seed(spec.seed())
            {
                search.clear();
                search.reseed(spec.seed());
                self.last_searched = None;
            } else {
                self.search = None;
            }
            self.spec = spec;
            self.requested = requested;
        }
        self.search_name = text.to_owned();
        Ok(())
    }

    fn set_cache(&mut self, cache: Option<SolverCache>) {
        self.cache = cache;
    }

    fn search_settings(&self) -> BTreeMap<String, String> {
        catalog::parameter_values(&self.spec)
    }

    fn has_own_limits(&self) -> bool {
        catalog::has_default_limit(&self.spec)
    }

    fn has_playouts(&self) -> bool {
        matches!(self.spec, Spec::Mcts(_))
    }

    fn clear_search(&mut self) {
        self.spec = self.requested.with_resolved_seed();
        if let Some(search) = &mut self.search {
            search.clear();
            if self.requested.seed() == 0 {
                search.reseed(self.spec.seed());
            }
        }
        self.last_searched = None;
    }

    fn book_result(&self, book: &OpeningBook, seed: u64, style: Style) -> Option<SearchResult> {
        if self.outcome().is_some() {
            return None;
        }
        // Another draw at every move of the game, the same in every run.
        let mut rng = Rng::new(child_seed(seed, self.position.key()));
        let mv = book.choose(&self.position, &mut rng)?;
        Some(SearchResult {
            best_move: move_text(&self.position, mv, style),
            ponder_move: None,
            info: SearchInfo::default(),
            failure: None,
        })
    }

    fn start(
        &mut self,
        request: SearchRequest,
        emit: SessionEventSink,
    ) -> Result<Vec<SessionEvent>, SessionError> {
        if let Some((_, reason)) = self.outcome() {
            return Err(SessionError::GameOver(reason));
        }
        let stopwatch = Stopwatch::start();
        let search_moves = (request.search_moves.iter())
            .map(|text| Self::parse_move(&self.position, text))
            .collect::<Result<Vec<G::Move>, ParseError>>()?;
        self.was_restricted = !search_moves.is_empty();
        let (search, moves_since) = self.take_search();
        let warnings = self.new_warnings(&*search);
        let job = SearchJob {
            position: self.position.clone(),
            history: self.history.clone(),
            search_moves,
            moves_since,
            warnings,
            spec: self.spec.clone(),
            search_name: self.search_name.clone(),
            ply: self.moves.len() as u32,
            request,
            stopwatch,
        };
        if job.runs_inline() {
            let (sender, events) = channel();
            let emit: SessionEventSink = Arc::new(move |event| {
                let _ = sender.send(event);
            });
            let search = job.run(search, &emit);
            self.store_search(search);
            return Ok(events.try_iter().collect());
        }
        let solver = self.solver.take();
        self.spawn(move || {
            let (answer, solver) = job.find_mate(solver, &emit);
            let search = match answer {
                MateAnswer::Found(result) => {
                    emit(SessionEvent::Done(Some(*result)));
                    Some(search)
                }
                MateAnswer::Absent => job.bounded().run(search, &emit),
                MateAnswer::Open => job.run(search, &emit),
            };
            TaskParts { search, solver }
        })?;
        Ok(Vec::new())
    }

    fn start_perft(
        &mut self,
        request: PerftRequest,
        emit: SessionEventSink,
    ) -> Result<(), SessionError> {
        let position = self.position.clone();
        let parts = self.take_parts();
        self.spawn(move || {
            run_perft(&position, &request, &emit);
            emit(SessionEvent::Done(None));
            parts
        })
    }

    fn start_solve(
        &mut self,
        request: SolveRequest,
        resources: SolverResources,
        emit: SessionEventSink,
    ) -> Result<(), SessionError> {
        let position = self.position.clone();
        let TaskParts { search, solver } = self.take_parts();
        self.spawn(move || TaskParts {
            search,
            solver: solver::run(solver, &position, &request, resources, &emit),
        })
    }

    fn finish(&mut self) {
        if let Some(thread) = self.search_thread.take() {
            let (search, solver) = match thread.join() {
                Ok(TaskParts { search, solver }) => (search, solver),
                Err(_) => (None, None),
            };
            self.solver = solver;
            self.store_search(search);
        }
        if self.search.is_none() {
            self.last_searched = None;
        }
    }
}

pub(super) fn move_text<G: Playable>(position: &G, mv: G::Move, style: Style) -> String {
    let mut text = String::new();
    let _ = position.write_move(mv, style, &mut text);
    text
}

/// The move as a square of the grid, where a move is one square.
fn square_text<G: Playable>(position: &G, mv: G::Move) -> Option<String> {
    let square = position.grid_square(mv)?;
    let mut text = String::new();
    let _ = write_square(square, &mut text);
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        games::kalah::Kalah,
        search::{BestMove, SearchLimits, SearchTask, StopFlag},
    };

    struct Broken;

    impl Search<Kalah> for Broken {
        fn search(
            &mut self,
            _: SearchTask<'_, Kalah>,
        ) -> BestMove<<Kalah as crate::games::Game>::Move> {
            panic!("broken on purpose")
        }

        fn reseed(&mut self, _: u64) {}
    }

    /// A seed of 0 is drawn when the search is set up and again for a new game; any other stays.
    #[test]
    fn a_seed_of_zero_is_drawn_and_told() {
        let mut session = TypedSession::<Kalah>::new(crate::games::kalah::KalahRules::default());
        let mut seed_after = |seed: &str, clears: bool| {
            let settings = [("seed".to_owned(), seed.to_owned())];
            session
                .set_search("uct", &settings)
                .expect("uct has a seed");
            if clears {
                session.clear_search();
            }
            session.search_settings().get("seed").cloned()
        };
        assert_eq!(seed_after("7", true).as_deref(), Some("7"));
        let drawn = seed_after("0", false);
        assert_ne!(drawn.as_deref(), Some("0"));
        assert_eq!(drawn, seed_after("0", false), "nothing has changed");
        assert_ne!(drawn, seed_after("0", true), "another game");
    }

    /// A panic is reported, a legal move is still returned, and the next search starts afresh.
    #[test]
    fn a_search_that_panics_costs_neither_move_nor_game() {
        let mut session = TypedSession::<Kalah>::new(crate::games::kalah::KalahRules::default());
        session.search = Some(Box::new(Broken));
        let (sender, received) = channel();
        let emit: SessionEventSink = Arc::new(move |event| {
            let _ = sender.send(event);
        });
        for fails in [true, false] {
            let request = SearchRequest {
                limits: SearchLimits::iterations(10),
                pacing: Default::default(),
                multi_pv: 1,
                search_moves: Vec::new(),
                style: Style::Own,
                info_interval: Duration::from_secs(1),
                stop: StopFlag::new(),
                output: None,
                mate: None,
            };
            session
                .start(request, Arc::clone(&emit))
                .expect("a thread starts");
            let Ok(SessionEvent::Done(Some(answer))) = received.recv() else {
                panic!("expected an answer")
            };
            session.finish();
            assert_eq!(answer.failure.is_some(), fails, "{answer:?}");
            if let Some(failure) = &answer.failure {
                assert!(failure.contains("broken on purpose"), "{failure}");
            }
            assert!(session.moves(Style::Own).contains(&answer.best_move));
            assert_eq!(session.search.is_none(), fails);
        }
    }
}
