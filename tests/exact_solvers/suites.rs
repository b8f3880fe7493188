//! The suites of positions with exact values, and perfect play from them.

use std::collections::BTreeMap;

use canopy_engine::{
    arena::judge::Truth,
    catalog::{
        self,
        solvers::{self, SolverConfig},
    },
    games::{
        self, History, Playable, Visitor, notation,
        position_list::{self, PositionEntry},
    },
    search::{
        Search, SearchLimits, SearchTask, StopFlag,
        exact::{ExactValue, ValueClass, solved},
    },
};

use super::{
    MEGABYTE,
    support::{Scratch, commands::engine_stdout, data, print_uncaptured, read_data},
    with_context,
};

/// The suites: the name of a file and the game of its positions.
fn suites() -> Vec<String> {
    let folder = std::fs::read_dir(data("suites")).expect("the folder is there");
    let mut names: Vec<String> = folder
        .map(|entry| entry.expect("the folder can be read").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn entries(suite: &str) -> Vec<PositionEntry> {
    position_list::parse(&read_data(&format!("suites/{suite}")), None).expect("a list of positions")
}

/// A position of a suite with what the suite says about it.
struct SuitePosition<G: Playable> {
    position: G,
    history: History,
    value: ExactValue,
    truth: Truth<G::Move>,
    level: usize,
    line: usize,
}

fn read<G: Playable>(rules: G::Rules, entry: &PositionEntry) -> SuitePosition<G> {
    let mut position: G = notation::read_position(rules, &entry.position).expect("a position");
    let mut history = History::new();
    history.push(&position);
    notation::play_moves(&mut position, &mut history, &entry.moves, |_, _| ())
        .expect("legal moves");
    let field = |name| entry.field(name).expect(name);
    SuitePosition {
        value: field("value").parse().expect("a value"),
        truth: Truth::parse(&position, field("values")).expect("a value of every move"),
        level: field("level").parse().expect("a number"),
        line: entry.line,
        position,
        history,
    }
}

/// Whether a position is solved in a moment: at chess the tables with four men take seconds to make.
fn is_quick(entry: &PositionEntry) -> bool {
    let board = entry.position.split(' ').next().unwrap_or_default();
    let men = board.chars().filter(char::is_ascii_alphabetic).count();
    entry.game != "chess" || men <= 3
}

/// Calls a check with every position of a suite, or with each `every`th of those that are solved in a moment.
fn visit<V: Visitor<Out = ()>>(suite: &str, every: usize, check: impl Fn(Vec<PositionEntry>) -> V) {
    let entries = entries(suite);
    let game = entries.first().expect("a position").game.clone();
    assert!(entries.iter().all(|entry| entry.game == game), "{suite}");
    let is_chosen = |entry: &PositionEntry| every == 1 || is_quick(entry);
    let chosen = entries
        .into_iter()
        .filter(is_chosen)
        .step_by(every)
        .collect();
    games::with_game(&game, check(chosen)).expect("a game of the table");
}

#[test]
fn a_suite_has_100_positions_of_all_levels_with_values_that_fit_together() {
    struct Check(Vec<PositionEntry>);
    impl Visitor for Check {
        type Out = ();

        fn visit<G: Playable>(self, rules: G::Rules) {
            let mut levels = BTreeMap::new();
            let mut keys = BTreeMap::new();
            for entry in &self.0 {
                let found = read::<G>(rules, entry);
                assert_eq!(found.truth.best(), found.value, "line {}", found.line);
                assert!(found.history.outcome(&found.position).is_none());
                *levels.entry(found.level).or_insert(0) += 1;
                assert_eq!(keys.insert(found.position.key(), found.line), None);
            }
            assert_eq!(self.0.len(), 100, "{}", G::NAME);
            assert_eq!(levels.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
            assert!(levels.values().all(|&count| count == 20), "{levels:?}");
        }
    }
    let expected = [
        "chess.txt",
        "connect-four.txt",
        "delta.txt",
        "kalah.txt",
        "othello.txt",
    ];
    assert_eq!(suites(), expected);
    for suite in suites() {
        visit(&suite, 1, Check);
    }
}

/// Solves each `every`th position of a suite again.
fn check_values(suite: &str, every: usize) {
    struct Check(Vec<PositionEntry>);
    impl Visitor for Check {
        type Out = ();

        fn visit<G: Playable>(self, rules: G::Rules) {
            let mut solver = solvers::solver::<G>(rules, SolverConfig::plain(256 * MEGABYTE));
            for entry in &self.0 {
                let found = read::<G>(rules, entry);
                solver.clear();
                let values = with_context(&SearchLimits::default(), |context| {
                    solver.values(&found.position, context)
                });
                let truth = Truth::new(solved(values).expect("there is no limit"));
                assert_eq!(truth, Some(found.truth), "{} line {}", G::NAME, found.line);
            }
        }
    }
    visit(suite, every, Check);
}

#[test]
fn a_sample_of_every_suite_has_the_values_that_the_solver_finds() {
    for suite in suites() {
        check_values(&suite, 25);
    }
}

#[test]
#[ignore = "minutes; the test above takes four of each hundred"]
fn all_positions_of_the_suites_have_the_values_that_the_solver_finds() {
    for suite in suites() {
        check_values(&suite, 1);
    }
}

#[test]
fn solve_and_judge_read_the_suites() {
    let scratch = Scratch::new("suites");
    for suite in suites() {
        let path = data("suites").join(&suite);
        let path = path.to_str().expect("a path in UTF-8");
        let game = entries(&suite).remove(0).game;
        let judged = engine_stdout(&["judge", "--game", &game, "--search", "random", path]);
        assert!(judged.contains(", 100 positions, one search"), "{judged}");
        let text = read_data(&format!("suites/{suite}"));
        // The last lines: a sample that the test of the values does not take.
        let sample: Vec<&str> = (entries(&suite).iter().rev())
            .filter(|entry| is_quick(entry))
            .filter_map(|entry| text.lines().nth(entry.line - 1))
            .take(2)
            .collect();
        let list = scratch.0.join(&suite);
        std::fs::write(&list, sample.join("\n")).expect("a file can be written");
        let list = list.to_str().expect("a path in UTF-8");
        let solved = engine_stdout(&["solve", "--file", list, "--cache", "none"]);
        assert_eq!(solved.lines().count(), 2, "{solved}");
    }
}

/// Plays a game from a suite's position to its end: perfect play has the side that does not lose, a search under `limits` the
/// other. The result for perfect play, and what it must reach.
fn play_perfectly<G: Playable>(
    found: SuitePosition<G>,
    opponent: &str,
    limits: &SearchLimits,
) -> (ValueClass, ValueClass) {
    let SuitePosition {
        mut position,
        mut history,
        value,
        line,
        ..
    } = found;
    let (player, expected) = match value.class {
        ValueClass::Loss => (position.to_move().opponent(), ValueClass::Win),
        class => (position.to_move(), class),
    };
    let build = |text: &str, seed: usize| -> Box<dyn Search<G>> {
        let spec = catalog::parse::<G>(text).expect("a search of the game");
        catalog::build::<G>(&spec.with_seed(seed as u64)).expect("a search of the game")
    };
    let (mut perfect, mut other) = (build("exact", 1), build(opponent, line));
    let stop = StopFlag::new();
    loop {
        if let Some(outcome) = history.outcome(&position) {
            return (ValueClass::from_outcome(outcome, player), expected);
        }
        let is_perfect = position.to_move() == player;
        let (search, limits) = if is_perfect {
            (&mut perfect, &SearchLimits::default())
        } else {
            (&mut other, limits)
        };
        let task = SearchTask::new(&position, &history, limits, &stop);
        let mv = search.search(task).mv;
        perfect.advance(mv);
        other.advance(mv);
        history.play(&mut position, mv);
    }
}

/// The strongest search at a game, under a limit of so many iterations; at chess of a tenth of them, as a drawn ending lasts until
/// the 50-move rule.
fn opponent<G: Playable>(iterations: u64) -> (&'static str, SearchLimits) {
    match G::NAME {
        "chess" => ("strong", SearchLimits::iterations(iterations / 10)),
        _ => ("uct,solver=true", SearchLimits::iterations(iterations)),
    }
}

/// Plays from each `every`th position of all suites against a search with so many iterations; says how the games of each suite
/// ended.
fn check_perfect_play(every: usize, iterations: u64) {
    struct Check(Vec<PositionEntry>, u64);
    impl Visitor for Check {
        type Out = ();

        fn visit<G: Playable>(self, rules: G::Rules) {
            let mut results = BTreeMap::new();
            for entry in &self.0 {
                let (opponent, limits) = opponent::<G>(self.1);
                let found = read::<G>(rules, entry);
                let (result, expected) = play_perfectly(found, opponent, &limits);
                assert!(result >= expected, "{} line {}", G::NAME, entry.line);
                *results.entry((expected, result)).or_insert(0) += 1;
            }
            let name = notation::full_name::<G>(rules);
            for ((expected, result), count) in results {
                let (expected, result) = (expected.as_str(), result.as_str());
                print_uncaptured(&format!(
                    "{name}: {expected} for perfect play, ended as {result}: {count}\n"
                ));
            }
        }
    }
    for suite in suites() {
        visit(&suite, every, |entries| Check(entries, iterations));
    }
}

#[test]
fn perfect_play_keeps_every_win_and_draw_of_a_sample() {
    check_perfect_play(50, 1_000);
}

#[test]
#[ignore = "an hour: a hundred games of every suite against a strong search"]
fn perfect_play_keeps_every_win_and_draw_of_the_suites() {
    check_perfect_play(1, 100_000);
}
