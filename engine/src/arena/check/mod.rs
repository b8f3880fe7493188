//! Tells whether an engine keeps to its protocol, step by step, with the exchange that shows where it does not.
//!
//! [`session`] is a conversation with deadlines, [`sample_game`] a short game to ask about, `uci` has the steps of UCI and UGI,
//! `gtp` and `nboard` those of the other dialects.

use std::time::Duration;

use sample_game::SampleGame;
use session::Session;

use crate::{games, runs::halt::Halt};

pub mod sample_game;
pub mod session;

mod gtp;
mod nboard;
mod uci;

/// The dialects that can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckedDialect {
    /// UCI.
    Uci,
    /// UGI.
    Ugi,
    /// GTP.
    Gtp,
    /// NBoard.
    Nboard,
}

impl CheckedDialect {
    /// The dialect of that name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "uci" => Some(Self::Uci),
            "ugi" => Some(Self::Ugi),
            "gtp" => Some(Self::Gtp),
            "nboard" => Some(Self::Nboard),
            _ => None,
        }
    }
}

/// What is checked.
#[derive(Clone, Debug)]
pub struct CheckPlan {
    /// The engine: a program and its arguments.
    pub command: Vec<String>,
    /// Its dialect.
    pub dialect: CheckedDialect,
    /// The game; of one that is not ours nothing is checked by its rules.
    pub game: String,
    /// How much later than asked for an answer may come.
    pub margin: Duration,
}

/// How a step went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should.
    Pass,
    /// Otherwise, in a sentence.
    Fail(String),
    /// It does not apply, for this reason.
    Skip(String),
}

/// A step that was done.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// Its number, from 1.
    pub number: usize,
    /// What it is about.
    pub name: &'static str,
    /// How it went.
    pub verdict: Verdict,
    /// The last lines to (`> `) and from (`< `) the engine, of a step that failed.
    pub exchange: Vec<String>,
}

/// Why a step did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    Fail(String),
    Skip(String),
}

impl From<String> for Problem {
    fn from(sentence: String) -> Self {
        Self::Fail(sentence)
    }
}

fn skip<T>(reason: &str) -> Result<T, Problem> {
    Err(Problem::Skip(reason.to_owned()))
}

fn fail<T>(sentence: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Fail(sentence.into()))
}

type StepResult = Result<(), Problem>;

/// A step: what it is about, and how it is done.
type Step = (&'static str, fn(&mut Checker<'_>) -> StepResult);

/// The state of a check.
struct Checker<'a> {
    plan: &'a CheckPlan,
    session: Session,
    /// A game of the one that is checked, in the engine's notation; none of games that are not ours.
    sample: Option<SampleGame>,
    /// Options that the engine declared; of GTP its commands.
    options: Vec<crate::arena::client::EngineOption>,
    commands: Vec<String>,
    /// Output lines of searches that break the grammar, and lines of play that are illegal: first of each.
    grammar_problem: Option<String>,
    pv_problem: Option<String>,
    /// How many lines of play were checked.
    checked_lines: usize,
}

/// Does all steps and tells of each as soon as it is done. Ends early on a stop request.
pub fn run(plan: &CheckPlan, halt: &Halt, on_step: &mut dyn FnMut(&StepReport)) -> Vec<StepReport> {
    let steps: &[Step] = match plan.dialect {
        CheckedDialect::Uci | CheckedDialect::Ugi => uci::STEPS,
        CheckedDialect::Gtp => gtp::STEPS,
        CheckedDialect::Nboard => nboard::STEPS,
    };
    let mut checker = Checker {
        plan,
        session: Session::new(&plan.command, halt),
        sample: games::facts_of(&plan.game).and_then(|_| SampleGame::new(&plan.game)),
        options: Vec::new(),
        commands: Vec::new(),
        grammar_problem: None,
        pv_problem: None,
        checked_lines: 0,
    };
    let mut reports = Vec::new();
    for (number, &(name, step)) in (1..).zip(steps) {
        if halt.is_requested() {
            break;
        }
        checker.session.begin_step();
        let verdict = match checker.prepare(number).and_then(|()| step(&mut checker)) {
            Ok(()) => Verdict::Pass,
            Err(Problem::Skip(reason)) => Verdict::Skip(reason),
            Err(Problem::Fail(sentence)) => Verdict::Fail(sentence),
        };
        let has_failed = matches!(verdict, Verdict::Fail(_));
        let report = StepReport {
            number,
            name,
            verdict,
            exchange: match has_failed {
                true => checker.session.exchange(),
                false => Vec::new(),
            },
        };
        if has_failed {
            // The next step begins with a new process.
            checker.session.kill();
        }
        on_step(&report);
        reports.push(report);
    }
    checker.session.kill();
    reports
}

impl Checker<'_> {
    /// Has a running engine that has been introduced to, except for the first step, which does that itself.
    fn prepare(&mut self, number: usize) -> StepResult {
        if self.session.is_running() {
            return Ok(());
        }
        self.session.start()?;
        if number == 1 {
            return Ok(());
        }
        match self.plan.dialect {
            CheckedDialect::Uci | CheckedDialect::Ugi => uci::introduce(self),
            CheckedDialect::Gtp => gtp::introduce(self),
            CheckedDialect::Nboard => nboard::introduce(self),
        }
    }

    /// The sample game, in games of ours.
    fn sample(&self) -> Result<SampleGame, Problem> {
        match &self.sample {
            Some(sample) => Ok(sample.clone()),
            None => skip("the game is not one of ours"),
        }
    }
}
