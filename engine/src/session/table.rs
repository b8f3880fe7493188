//! A table of one game: its position, the way there, and the search.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc::channel},
    thread::{self, JoinHandle},
};

use super::{
    Answer, Event, Line, Request, SessionError, Table, Tell, Thought,
    recorded::{self, About},
};
use crate::{
    catalog::{self, CatalogError, Spec},
    games::{
        History, Outcome, ParseError, Playable, Player,
        notation::{self, Grid, Style, write_square},
        perft,
    },
    search::{Limits, Report, Reports, Reward, RootMove, Search, Stop, Task, budget::Stopwatch},
};

/// A table at which `G` is played.
pub(super) struct GameTable<G: Playable> {
    rules: G::Rules,
    /// What the position was set from, to know a game that just goes on; none once it went on by other means.
    text: Option<(String, String)>,
    start: G,
    /// The moves played, each with the move that was left out before it, if any, as a group.
    moves: Vec<G::Move>,
    groups: Vec<u8>,
    /// Whether the last of the moves is in no group yet: it was left out before a move that is still to come.
    passed: bool,
    position: G,
    history: History,
    spec: Spec,
    /// What the search is called, and how it was set up.
    name: String,
    search: Option<Box<dyn Search<G>>>,
    /// Where the search looked last: the start and the moves from there.
    looked: Option<(G, Vec<G::Move>)>,
    running: Option<JoinHandle<Option<Box<dyn Search<G>>>>>,
    /// Whether the search looked at some of the moves only: then its tree is of no use to the next.
    restricted: bool,
    /// What was said of the last search.
    remarks: Vec<String>,
}

/// A search of so few nodes needs no thread of its own: nobody could say stop before it is over.
const FEW_NODES: u64 = 4;

const DEFAULT_SEARCH: &str = "uct";

impl<G: Playable> GameTable<G> {
    pub(super) fn new(rules: G::Rules) -> Self {
        let start = G::start(rules);
        let mut history = History::new();
        history.push(&start);
        Self {
            rules,
            text: Some(("startpos".to_owned(), String::new())),
            position: start.clone(),
            start,
            moves: Vec::new(),
            groups: Vec::new(),
            passed: false,
            history,
            spec: catalog::parse::<G>(DEFAULT_SEARCH).expect("the catalogue has its first entry"),
            name: DEFAULT_SEARCH.to_owned(),
            search: None,
            looked: None,
            running: None,
            restricted: false,
            remarks: Vec::new(),
        }
    }

    /// Plays what `record` says; at an error nothing has happened.
    fn play_record(&mut self, record: &str) -> Result<(), ParseError> {
        let mut position = self.position.clone();
        let mut history = self.history.clone();
        let before = self.moves.len();
        let (moves, groups) = (&mut self.moves, &mut self.groups);
        let note = |_: &G, mv| {
            moves.push(mv);
            groups.push(1);
        };
        let result = notation::play_moves(&mut position, &mut history, record, note);
        if result.is_err() {
            self.moves.truncate(before);
            self.groups.truncate(before);
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

    /// Takes so many of the moves back.
    fn take_back(&mut self, count: usize) {
        self.detach();
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

    /// The game is no longer what it was set from.
    fn detach(&mut self) {
        self.text = None;
    }

    /// The move that `text` means, also as a square of the grid.
    fn read_move(position: &G, text: &str) -> Result<G::Move, ParseError> {
        position.parse_move(text).or_else(|error| {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let found = moves.into_iter().find(|&mv| {
                square_text(position, mv).is_some_and(|square| square.eq_ignore_ascii_case(text))
            });
            found.ok_or(error)
        })
    }

    /// The search, up to date with the game; taken out, for a thread to have it.
    fn take_search(&mut self) -> (Box<dyn Search<G>>, Vec<G::Move>) {
        let search = self.search.take();
        let went_on = self.looked.as_ref().and_then(|(start, moves)| {
            let is_same = *start == self.start && self.moves.starts_with(moves);
            is_same.then(|| self.moves[moves.len()..].to_vec())
        });
        self.looked = Some((self.start.clone(), self.moves.clone()));
        let search = search.unwrap_or_else(|| {
            catalog::build::<G>(&self.spec).expect("the search was parsed for this game")
        });
        (search, went_on.unwrap_or_default())
    }

    /// What is to be said of a search that was not said of the one before.
    fn new_remarks(&mut self, search: &dyn Search<G>) -> Vec<String> {
        let mut remarks = recorded::texts(&search.shortfalls());
        let before = std::mem::replace(&mut self.remarks, remarks.clone());
        remarks.retain(|remark| !before.contains(remark));
        remarks
    }

    /// Keeps a search for the next time, if what it knows is of use then.
    fn put_back(&mut self, search: Option<Box<dyn Search<G>>>) {
        self.search = search.filter(|_| !std::mem::take(&mut self.restricted));
    }

    fn spawn(
        &mut self,
        work: impl FnOnce() -> Option<Box<dyn Search<G>>> + Send + 'static,
    ) -> Result<(), SessionError> {
        // Deep lines of searches that call themselves want more than threads have by default.
        let thread = thread::Builder::new()
            .stack_size(16 << 20)
            .name("search".to_owned())
            .spawn(work)?;
        self.running = Some(thread);
        Ok(())
    }
}

impl<G: Playable> Table for GameTable<G> {
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
        if let Some((start, record)) = &self.text
            && start == position
            && let Some(rest) = moves.strip_prefix(record.as_str())
            && (rest.is_empty() || record.is_empty() || rest.starts_with(' '))
        {
            if !rest.trim().is_empty() {
                self.play_record(rest)?;
                if let Some((_, record)) = &mut self.text {
                    record.push_str(rest);
                }
            }
            return Ok(());
        }
        let start: G = notation::position(self.rules, position)?;
        let mut history = History::new();
        history.push(&start);
        let mut reached = start.clone();
        let mut played = Vec::new();
        let note = |_: &G, mv| played.push(mv);
        notation::play_moves(&mut reached, &mut history, moves, note)?;
        self.groups = vec![1; played.len()];
        self.passed = false;
        self.moves = played;
        self.start = start;
        self.position = reached;
        self.history = history;
        self.text = Some((position.to_owned(), moves.to_owned()));
        Ok(())
    }

    fn play(&mut self, text: &str) -> Result<(), SessionError> {
        if let Some((_, reason)) = self.outcome() {
            return Err(SessionError::Over(reason.to_owned()));
        }
        let error = match Self::read_move(&self.position, text) {
            Ok(mv) => {
                self.detach();
                self.play_move(mv);
                let passes = u8::from(std::mem::take(&mut self.passed));
                self.groups.push(1 + passes);
                return Ok(());
            }
            Err(error) => error,
        };
        let Some(implied) = self.position.implied_move() else {
            return Err(error.into());
        };
        let mut after = self.position.clone();
        after.play(implied);
        let mv = Self::read_move(&after, text).map_err(|_| error)?;
        self.detach();
        self.play_move(implied);
        self.play_move(mv);
        self.groups.push(2);
        Ok(())
    }

    fn pass_if_implied(&mut self) -> bool {
        let Some(implied) = self.position.implied_move() else {
            return false;
        };
        self.detach();
        self.play_move(implied);
        self.passed = true;
        true
    }

    fn take_pass_back(&mut self) {
        if std::mem::take(&mut self.passed) {
            self.take_back(1);
        }
    }

    fn undo(&mut self) -> Result<(), SessionError> {
        self.take_pass_back();
        let group = self.groups.pop().ok_or(SessionError::Start)?;
        self.take_back(usize::from(group));
        Ok(())
    }

    fn to_move(&self) -> Player {
        self.position.to_move()
    }

    fn plies(&self) -> usize {
        self.moves.len()
    }

    fn outcome(&self) -> Option<(Outcome, &'static str)> {
        match self.position.outcome() {
            Some(outcome) => Some((outcome, self.position.reason())),
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
        notation::drawing(&self.position)
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
        (G::evaluations().iter())
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
        let spec = catalog::configure::<G>(text, settings)?;
        if spec != self.spec {
            // Other random numbers are no reason to get memory anew.
            if let Some(search) = &mut self.search
                && spec == self.spec.with_seed(spec.seed())
            {
                search.clear();
                search.reseed(spec.seed());
                self.looked = None;
            } else {
                self.search = None;
            }
            self.spec = spec;
        }
        self.name = text.to_owned();
        Ok(())
    }

    fn search_settings(&self) -> BTreeMap<String, String> {
        catalog::settings(&self.spec)
    }

    fn has_own_limits(&self) -> bool {
        catalog::stops_by_itself(&self.spec)
    }

    fn has_playouts(&self) -> bool {
        matches!(self.spec, Spec::Mcts(_))
    }

    fn forget(&mut self) {
        if let Some(search) = &mut self.search {
            search.clear();
        }
        self.looked = None;
    }

    fn start(&mut self, request: Request, tell: Tell) -> Result<Vec<Event>, SessionError> {
        if let Some((_, reason)) = self.outcome() {
            return Err(SessionError::Over(reason.to_owned()));
        }
        let watch = Stopwatch::start();
        let allowed = (request.moves.iter())
            .map(|text| Self::read_move(&self.position, text))
            .collect::<Result<Vec<G::Move>, ParseError>>()?;
        self.restricted = !allowed.is_empty();
        let (search, went_on) = self.take_search();
        let remarks = self.new_remarks(&*search);
        let asked = Asked {
            position: self.position.clone(),
            history: self.history.clone(),
            allowed,
            went_on,
            remarks,
            spec: self.spec.clone(),
            name: self.name.clone(),
            ply: self.moves.len() as u32,
            request,
            watch,
        };
        if asked.is_short() {
            let (told, events) = channel();
            let tell: Tell = Arc::new(move |event| {
                let _ = told.send(event);
            });
            let search = asked.answer(search, &tell);
            self.put_back(search);
            return Ok(events.try_iter().collect());
        }
        self.spawn(move || asked.answer(search, &tell))?;
        Ok(Vec::new())
    }

    fn start_perft(
        &mut self,
        depth: u32,
        style: Style,
        stop: Stop,
        tell: Tell,
    ) -> Result<(), SessionError> {
        let position = self.position.clone();
        let search = self.search.take();
        self.spawn(move || {
            count_lines(&position, depth, style, &stop, &tell);
            tell(Event::Done(None));
            search
        })
    }

    fn finish(&mut self) {
        if let Some(thread) = self.running.take() {
            let search = thread.join().ok().flatten();
            self.put_back(search);
        }
        if self.search.is_none() {
            self.looked = None;
        }
    }
}

/// Counts lines of play, and says how many begin with each move.
fn count_lines<G: Playable>(position: &G, depth: u32, style: Style, stop: &Stop, tell: &Tell) {
    let mut moves = Vec::new();
    position.perft_moves(&mut moves);
    let mut total = 0;
    for mv in moves {
        let mut child = position.clone();
        child.play(mv);
        let count = perft::perft_unless(&child, depth - 1, &|| stop.is_set());
        let Some(count) = count else {
            tell(Event::Said("stopped".to_owned()));
            return;
        };
        total += count;
        let text = move_text(position, mv, style);
        tell(Event::Said(format!("{text}: {count}")));
    }
    tell(Event::Said(String::new()));
    tell(Event::Said(format!("Nodes searched: {total}")));
}

/// Everything a search thread needs.
struct Asked<G: Playable> {
    position: G,
    history: History,
    allowed: Vec<G::Move>,
    /// Moves played since the search looked last.
    went_on: Vec<G::Move>,
    /// What is to be said before the search begins.
    remarks: Vec<String>,
    spec: Spec,
    name: String,
    ply: u32,
    request: Request,
    watch: Stopwatch,
}

impl<G: Playable> Asked<G> {
    /// Whether the search is over sooner than a thread could begin it.
    fn is_short(&self) -> bool {
        let Request { limits, output, .. } = &self.request;
        let nodes = limits.nodes.or(limits.iterations);
        output.is_none() && nodes.is_some_and(|nodes| nodes <= FEW_NODES)
    }

    /// Searches, tells the answer, and gives the search back; none if it failed.
    fn answer(self, mut search: Box<dyn Search<G>>, tell: &Tell) -> Option<Box<dyn Search<G>>> {
        let result = catch_unwind(AssertUnwindSafe(|| self.search(&mut *search, tell)));
        match result {
            Ok(answer) => {
                tell(Event::Done(Some(answer)));
                Some(search)
            }
            Err(panic) => {
                let what = (panic.downcast_ref::<String>().map(String::as_str))
                    .or_else(|| panic.downcast_ref::<&str>().copied())
                    .unwrap_or("for no known reason");
                tell(Event::Done(Some(self.some_move(what))));
                None
            }
        }
    }

    fn search(&self, search: &mut dyn Search<G>, tell: &Tell) -> Answer {
        for remark in &self.remarks {
            tell(Event::Remark(remark.clone()));
        }
        for &mv in &self.went_on {
            search.advance(mv);
        }
        // Getting ready counts.
        let limits = Limits {
            time: (self.request.limits.time).map(|time| time.saturating_sub(self.watch.elapsed())),
            ..self.request.limits
        };
        let mut hear = |report: &Report<G::Move>| tell(Event::Thought(self.thought(report)));
        let task = Task {
            moves: (!self.allowed.is_empty()).then_some(&*self.allowed),
            lines: self.request.lines,
            reports: Some(Reports {
                every: self.request.every,
                hear: &mut hear,
            }),
            ..Task::new(&self.position, &self.history, &limits, &self.request.stop)
        };
        let about = About {
            spec: &self.spec,
            name: &self.name,
            ply: self.ply,
        };
        let choice = recorded::choose(search, task, &about, self.request.output.as_deref());
        let thought = self.thought(&choice.report);
        let best = move_text(&self.position, choice.best, self.request.style);
        let mut after = self.position.clone();
        after.play(choice.best);
        let reply = (thought.lines.first())
            .filter(|line| line.moves.first() == Some(&best))
            .filter(|_| after.to_move() != self.position.to_move())
            .and_then(|line| line.moves.get(1).cloned());
        Answer {
            best,
            reply,
            thought,
            failure: None,
        }
    }

    /// The answer of a search that failed.
    fn some_move(&self, what: &str) -> Answer {
        let mut moves = Vec::new();
        self.position.legal_moves(&mut moves);
        let mv = self.allowed.first().or(moves.first());
        Answer {
            best: mv.map_or_else(String::new, |&mv| {
                move_text(&self.position, mv, self.request.style)
            }),
            reply: None,
            thought: Thought::default(),
            failure: Some(format!(
                "the search failed: {what}; this is just a legal move"
            )),
        }
    }

    fn thought(&self, report: &Report<G::Move>) -> Thought {
        let lines: Vec<Line> = (report.root.iter()).map(|root| self.line(root)).collect();
        let memory = match &self.spec {
            Spec::Mcts(config) => config.memory_mb << 20,
            _ => 0,
        };
        Thought {
            depth: report.depth,
            longest: (lines.iter().map(|line| line.moves.len() as u32))
                .max()
                .unwrap_or(0),
            nodes: report.nodes,
            time: self.watch.elapsed(),
            full: (report.bytes.saturating_mul(1000))
                .checked_div(memory as u64)
                .unwrap_or(0)
                .min(1000) as u32,
            memory_full: report.memory_full,
            lines,
        }
    }

    fn line(&self, root: &RootMove<G::Move>) -> Line {
        let mover = self.position.to_move();
        let mut position = self.position.clone();
        let mut history = self.history.clone();
        let mut moves = Vec::new();
        let mut ends = false;
        let line: &[G::Move] = if root.line.is_empty() {
            std::slice::from_ref(&root.mv)
        } else {
            &root.line
        };
        for &mv in line {
            if ends || !position.is_legal(mv) {
                break;
            }
            moves.push(move_text(&position, mv, self.request.style));
            position.play(mv);
            history.push(&position);
            ends = history.outcome(&position).is_some();
        }
        let certain = root.proven.map(|outcome| {
            let value = Reward::of_outcome(outcome).for_player(mover);
            value.partial_cmp(&0.5).unwrap_or(Ordering::Equal)
        });
        Line {
            visits: root.visits,
            value: root.value.for_player(mover),
            certain,
            ends,
            moves,
        }
    }
}

fn move_text<G: Playable>(position: &G, mv: G::Move, style: Style) -> String {
    let mut text = String::new();
    let _ = position.write_move(mv, style, &mut text);
    text
}

/// A move as a square of the grid, if it is one.
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
    use crate::{games::kalah::Kalah, search::Choice};

    struct Broken;

    impl Search<Kalah> for Broken {
        fn choose(&mut self, _: Task<'_, Kalah>) -> Choice<<Kalah as crate::games::Game>::Move> {
            panic!("broken on purpose")
        }

        fn reseed(&mut self, _: u64) {}
    }

    /// A search that fails is told, a legal move comes all the same, and the next search is a sound one.
    #[test]
    fn a_search_that_panics_costs_neither_move_nor_game() {
        let mut table = GameTable::<Kalah>::new(crate::games::kalah::Rules::default());
        table.search = Some(Box::new(Broken));
        let (sender, events) = channel();
        let tell: Tell = Arc::new(move |event| {
            let _ = sender.send(event);
        });
        for fails in [true, false] {
            let request = Request {
                limits: Limits::iterations(10),
                lines: 1,
                moves: Vec::new(),
                style: Style::Own,
                every: Duration::from_secs(1),
                stop: Stop::new(),
                output: None,
            };
            table
                .start(request, Arc::clone(&tell))
                .expect("a thread starts");
            let Ok(Event::Done(Some(answer))) = events.recv() else {
                panic!("expected an answer")
            };
            table.finish();
            assert_eq!(answer.failure.is_some(), fails, "{answer:?}");
            if let Some(failure) = &answer.failure {
                assert!(failure.contains("broken on purpose"), "{failure}");
            }
            assert!(table.moves(Style::Own).contains(&answer.best));
            assert_eq!(table.search.is_none(), fails);
        }
    }
}
