//! Lessons: a text in steps beside a search that runs, as a file describes it.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use canopy_engine::{catalog, games};
use serde::Deserialize;

use crate::{board::Board, play::search_run::SearchOrder};

/// The built-in lessons, in the order in which they are taken: the name under which the place is kept, and the file.
const BUILT_IN: [(&str, &str); 8] = [
    (
        "search-tree",
        include_str!("../../lessons/1-search-tree.toml"),
    ),
    (
        "four-steps",
        include_str!("../../lessons/2-four-steps.toml"),
    ),
    ("uct", include_str!("../../lessons/3-uct.toml")),
    (
        "exploration",
        include_str!("../../lessons/4-exploration.toml"),
    ),
    ("playouts", include_str!("../../lessons/5-playouts.toml")),
    (
        "transpositions",
        include_str!("../../lessons/6-transpositions.toml"),
    ),
    (
        "last-good-reply",
        include_str!("../../lessons/7-last-good-reply.toml"),
    ),
    (
        "alpha-beta",
        include_str!("../../lessons/8-alpha-beta.toml"),
    ),
];

/// The largest file that is read as a lesson, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A lesson.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// Under which its place is kept; the file's name.
    #[serde(skip)]
    pub name: String,
    /// What it is about.
    pub title: String,
    /// How long it takes, about.
    pub minutes: u32,
    /// The game, unless a step has another.
    pub game: Option<String>,
    /// The moves that are played first, separated by spaces, unless a step has others.
    pub moves: Option<String>,
    /// The search with its parameters, unless a step has another.
    pub search: Option<String>,
    /// Its playouts; 0 for a search that says itself when it stops.
    pub iterations: Option<u64>,
    /// The pages.
    pub steps: Vec<LessonStep>,
    /// What its texts state, for tests.
    #[serde(default)]
    pub claims: Vec<Claim>,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonStep {
    /// Its title.
    pub title: String,
    /// Its text: paragraphs, with `**strong words**` and `{figures}` of the tree.
    pub text: String,
    /// What is searched, where it differs from the lesson's.
    pub game: Option<String>,
    /// The moves that are played first.
    pub moves: Option<String>,
    /// The search.
    pub search: Option<String>,
    /// Its playouts.
    pub iterations: Option<u64>,
    /// Whether the table of moves with its formula stands beside the tree, instead of the board.
    #[serde(default)]
    pub table: bool,
    /// A formula that stands out.
    pub formula: Option<String>,
    /// Something to do in the tree.
    #[serde(rename = "try")]
    pub task: Option<String>,
    /// A parameter to change; the search runs anew.
    pub slider: Option<LessonSlider>,
    /// A question with an answer at once.
    pub question: Option<Question>,
    /// What a series of searches showed.
    pub chart: Option<LessonChart>,
    /// What exact solutions say of moves: wins, draws or loses.
    #[serde(default)]
    pub results: BTreeMap<String, MoveResult>,
}

/// The result of a move with best play, for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoveResult {
    /// It wins.
    Wins,
    /// It draws.
    Draws,
    /// It loses.
    Loses,
}

/// A parameter to change.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonSlider {
    /// Its name in the search.
    pub parameter: String,
    /// How the text calls it.
    pub label: String,
    /// What it can be, in order.
    pub values: Vec<f64>,
    /// What it is at first.
    pub start: f64,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What is asked.
    pub ask: String,
    /// What can be answered.
    pub answers: Vec<String>,
    /// Which of them is right, counted from 1.
    pub right: usize,
    /// What is said then.
    pub because: String,
}

/// How often searches found something, by a parameter.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonChart {
    /// What was counted.
    pub title: String,
    /// How it was counted.
    pub note: String,
    /// The name of the parameter.
    pub label: String,
    /// The parameter in the search.
    pub parameter: String,
    /// The move that was found.
    pub found_move: String,
    /// Its values.
    pub values: Vec<f64>,
    /// How often the move was found with each of them.
    pub found: Vec<u32>,
    /// Of how many searches each, with the seeds from 1 on.
    pub of: u32,
}

/// Something that a text states of a search, and that tests check.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The step, counted from 1, whose search it is about.
    pub step: usize,
    /// Another search of that position.
    pub search: Option<String>,
    /// With as many playouts.
    pub iterations: Option<u64>,
    /// The move it chooses.
    pub chosen: Option<String>,
    /// Visits of moves of the root.
    #[serde(default)]
    pub visits: BTreeMap<String, u64>,
    /// Number of moves of the root.
    pub moves: Option<u32>,
    /// Visits of the root.
    pub root_visits: Option<u64>,
    /// Positions that were searched.
    pub searched: Option<u64>,
    /// Nodes of the tree.
    pub nodes: Option<u64>,
}

impl Lesson {
    /// The built-in lessons.
    pub fn built_in() -> Vec<Arc<Self>> {
        let read = |&(name, text): &(&str, &str)| Self::parse(name, text).ok();
        BUILT_IN.iter().filter_map(read).map(Arc::new).collect()
    }

    /// The built-in files, by name, for tests.
    pub fn built_in_files() -> &'static [(&'static str, &'static str)] {
        &BUILT_IN
    }

    /// Reads a file; an error is a sentence with its place.
    pub fn read(path: &Path) -> Result<Self, String> {
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let meta = fs::metadata(path).map_err(|error| told(&error))?;
        if !meta.is_file() || meta.len() > MAX_FILE_BYTES {
            return Err(told(
                &"expected a lesson, which is a file of at most a megabyte",
            ));
        }
        let text = fs::read_to_string(path).map_err(|error| told(&error))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::parse(&name, &text).map_err(|error| told(&error))
    }

    /// Reads a lesson's text; an error is a sentence that begins with its line.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let read: Self = toml::from_str(text).map_err(|error| describe(&error, text))?;
        let lesson = Self {
            name: name.to_owned(),
            ..read
        };
        lesson.check(text)?;
        Ok(lesson)
    }

    /// What is searched in a step; `value` is that of its slider.
    pub fn order(&self, step: usize, value: Option<f64>) -> SearchOrder {
        let part = &self.steps[step];
        let of = |own: &Option<String>, all: &Option<String>| {
            own.clone().or_else(|| all.clone()).unwrap_or_default()
        };
        let mut search = of(&part.search, &self.search);
        if let (Some(slider), Some(value)) = (&part.slider, value) {
            search = format!("{search},{}={value}", slider.parameter);
        }
        let iterations = part.iterations.or(self.iterations).unwrap_or(0);
        SearchOrder {
            game: of(&part.game, &self.game),
            position: String::new(),
            moves: of(&part.moves, &self.moves),
            search,
            iterations: (iterations > 0).then_some(iterations),
            // The view Steps shows them.
            records_playouts: true,
        }
    }

    fn check(&self, text: &str) -> Result<(), String> {
        if self.steps.is_empty() {
            return Err("there is no step: expected [[steps]] with a title and a text".to_owned());
        }
        for (index, step) in self.steps.iter().enumerate() {
            let told = |(key, problem): (&str, String)| {
                let line = line_of_step(text, index, key);
                format!("line {line}: step {}, {key}: {problem}", index + 1)
            };
            self.check_step(index, step).map_err(told)?;
        }
        for claim in &self.claims {
            if claim.step == 0 || claim.step > self.steps.len() {
                return Err(format!(
                    "claims, step: there is no step {}: expected 1 to {}",
                    claim.step,
                    self.steps.len()
                ));
            }
        }
        Ok(())
    }

    /// What is wrong with a step, with the key that is to blame.
    fn check_step(&self, index: usize, step: &LessonStep) -> Result<(), (&'static str, String)> {
        if let Some(question) = &step.question {
            let count = question.answers.len();
            if count < 2 || question.right == 0 || question.right > count {
                let problem = format!(
                    "the right answer is {}: expected 1 to {count}, of at least two",
                    question.right
                );
                return Err(("question", problem));
            }
        }
        if let Some(slider) = &step.slider
            && !slider.values.contains(&slider.start)
        {
            let problem = "start is not one of the values".to_owned();
            return Err(("slider", problem));
        }
        if let Some(chart) = &step.chart
            && (chart.values.len() != chart.found.len()
                || chart.found.iter().any(|&n| n > chart.of))
        {
            let problem = "expected one number of found for each value, none above of".to_owned();
            return Err(("chart", problem));
        }
        let values = match &step.slider {
            Some(slider) => slider.values.iter().copied().map(Some).collect(),
            None => vec![None],
        };
        for value in values {
            check_order(&self.order(index, value))?;
        }
        Ok(())
    }
}

/// Whether a search can be run.
fn check_order(order: &SearchOrder) -> Result<(), (&'static str, String)> {
    if games::facts_of(&order.game).is_none() {
        return Err(("game", format!("there is no game \"{}\"", order.game)));
    }
    let moves: Vec<&str> = order.moves.split_whitespace().collect();
    Board::after_moves(&order.game, "", &moves).map_err(|problem| ("moves", problem))?;
    catalog::check_search(&order.game, &order.search)
        .map_err(|problem| ("search", problem.to_string()))
}

/// The line of a key of a step in a file, counted from 1; that of the step where the key is the lesson's.
fn line_of_step(text: &str, step: usize, key: &str) -> usize {
    let mut number = 0;
    let mut begin = 1;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line == "[[steps]]" {
            number += 1;
            begin = if number == step + 1 { index + 1 } else { begin };
        }
        let is_key = line.starts_with(&format!("{key} ")) || line.starts_with(&format!("{key}="));
        let is_table = line == format!("[steps.{key}]");
        if number == step + 1 && (is_key || is_table) {
            return index + 1;
        }
    }
    begin
}

/// A mistake in the form of a file, with its line and, where it is about one, its key.
fn describe(error: &toml::de::Error, text: &str) -> String {
    let begin = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.get(..begin).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let words = text.lines().nth(line - 1).unwrap_or_default();
    let key = words.split_once('=').map(|(key, _)| key.trim());
    let message = error.message().replace('\n', " ");
    match key.filter(|key| !key.is_empty() && !message.contains(*key)) {
        Some(key) => format!("line {line}, {key}: {message}"),
        None => format!("line {line}: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "title = \"Small\"\nminutes = 1\ngame = \"connect-four\"\nmoves = \"4 4\"\nsearch = \"uct\"\niterations = 10\n\n[[steps]]\ntitle = \"One\"\ntext = \"Look.\"\n";

    #[test]
    fn a_small_lesson_is_read() {
        let lesson = Lesson::parse("small", SMALL).expect("it is sound");
        assert_eq!((lesson.name.as_str(), lesson.steps.len()), ("small", 1));
        let order = lesson.order(0, None);
        assert_eq!((order.moves.as_str(), order.iterations), ("4 4", Some(10)));
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_key() {
        let told = |from: &str, to: &str| {
            Lesson::parse("x", &SMALL.replace(from, to)).expect_err("it is wrong")
        };
        for (from, to, line, word) in [
            ("minutes = 1", "minutes = \"one\"", "line 2", "minutes"),
            ("text = \"Look.\"", "texts = \"Look.\"", "line 10", "texts"),
            ("text = \"Look.\"", "", "line 8", "text"),
            ("title = \"One\"", "title = \"One", "line 9", ""),
            (
                "text = \"Look.\"",
                "text = \"Look.\"\nmoves = \"9\"",
                "line 11",
                "moves",
            ),
            (
                "text = \"Look.\"",
                "text = \"Look.\"\nsearch = \"uctt\"",
                "line 11",
                "search",
            ),
            (
                "game = \"connect-four\"",
                "game = \"connect-five\"",
                "line 8",
                "game",
            ),
        ] {
            let problem = told(from, to);
            assert!(
                problem.contains(line) && problem.contains(word),
                "{to}: {problem}"
            );
        }
        assert!(
            told(
                "[[steps]]\ntitle = \"One\"\ntext = \"Look.\"\n",
                "steps = []\n"
            )
            .contains("no step")
        );
    }

    #[test]
    fn all_built_in_lessons_are_sound() {
        for (name, text) in BUILT_IN {
            if let Err(problem) = Lesson::parse(name, text) {
                panic!("{name}: {problem}");
            }
        }
        assert_eq!(Lesson::built_in().len(), BUILT_IN.len());
    }
}
