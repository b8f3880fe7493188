//! The form of an experiment's file: what is in it whatever its trials are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kinds::TrialKind;
use crate::reports::{Hypothesis, Table, Verdict};

/// An experiment as its file describes it. `K` is the kind of its trials.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "")]
#[schemars(title = "Experiment")]
pub struct ExperimentFile<K: TrialKind> {
    /// The short name, such as 002-h1: letters, digits, - and _
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]+$"))]
    pub name: String,
    /// What it is about, in a few words
    pub title: String,
    /// The question that the verdict answers
    pub question: String,
    /// The hypotheses, by their ids, whose verdicts answer the question together; all if none is listed
    #[serde(default)]
    pub answered_by: Vec<String>,
    /// The publication whose rows are shown
    #[serde(default)]
    pub source: String,
    /// How it is done; paragraphs
    #[serde(default)]
    pub method: Vec<String>,
    /// What a trial is
    pub kind: String,
    /// The game, with a variant if wanted
    #[serde(default)]
    #[schemars(extend("x-check" = "game"))]
    pub game: String,
    /// The seed from which those of all trials follow
    #[serde(default = "default_seed")]
    #[schemars(range(min = 1))]
    pub seed: u64,
    /// Who takes part
    #[serde(default)]
    pub players: Vec<Player>,
    /// Limits of every search that has such a parameter and does not write it itself
    #[serde(default)]
    pub budget: Budget,
    /// Upper bounds of the limits under --scale quick
    #[serde(default)]
    pub quick: Budget,
    /// The trials
    pub trials: K,
    /// What is claimed, and what tests it
    #[serde(default)]
    pub hypotheses: Vec<HypothesisForm<K::Claim>>,
    /// Where it differs from the publication, and what weakens its conclusions
    #[serde(default)]
    pub deviations: Vec<Deviation>,
}

fn default_seed() -> u64 {
    1
}

/// One who takes part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// The name in tables, such as TT
    pub name: String,
    /// The name in plots and sentences, such as Transposition table; the other name if none is given
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// A search of the catalogue with its parameters, such as uct-002,iterations=1000
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("x-check" = "search"))]
    pub search: String,
    /// Another engine instead of a search, written as for canopy-engine match --engine
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub engine: String,
    /// The number by which it differs from the others, such as the size of a table: the axis of plots and correlations
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

impl Player {
    /// Its name in plots and sentences.
    pub fn label(&self) -> &str {
        match self.title.as_str() {
            "" => &self.name,
            title => title,
        }
    }
}

/// Limits of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Playouts for each move
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub iterations: Option<u64>,
    /// Plies
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub depth: Option<u64>,
    /// Milliseconds for each move; results then depend on the machine
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub time: Option<u64>,
}

impl Budget {
    /// The limits by the names of the searches' parameters.
    pub fn named(&self) -> [(&'static str, Option<u64>); 3] {
        [
            ("iterations", self.iterations),
            ("depth", self.depth),
            ("time", self.time),
        ]
    }
}

/// A hypothesis as a file states it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HypothesisForm<C> {
    /// Its short name, such as H1
    pub id: String,
    /// What it says
    pub statement: String,
    /// The question that its verdict answers, if the statement is not enough
    #[serde(default)]
    pub question: String,
    /// What the publication concludes
    #[serde(default)]
    pub published: String,
    /// The test that the publication used
    #[serde(default)]
    pub published_test: String,
    /// The test that answers the question
    #[serde(default)]
    pub proper_test: String,
    /// What it claims, in terms of the trials
    pub claim: C,
}

impl<C> HypothesisForm<C> {
    /// The hypothesis with what the trials say to it.
    pub fn tested(&self, verdict: Verdict, tests: Table) -> Hypothesis {
        Hypothesis {
            id: self.id.clone(),
            statement: self.statement.clone(),
            published: self.published.clone(),
            published_test: self.published_test.clone(),
            proper_test: self.proper_test.clone(),
            verdict,
            tests: Some(tests).filter(|tests| !tests.is_empty()),
        }
    }
}

/// Something to keep in mind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// It, in a short sentence
    pub lead: String,
    /// More about it
    #[serde(default)]
    pub text: String,
}

/// The part of a file that does not depend on the kind of trials.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// The short name.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The question that the verdict answers.
    pub question: String,
    /// The hypotheses that answer it; all if none is listed.
    pub answered_by: Vec<String>,
    /// The publication.
    pub source: String,
    /// How it is done.
    pub method: Vec<String>,
    /// The kind of trials.
    pub kind: String,
    /// The game with its variant; empty if the trials name games themselves.
    pub game: String,
    /// The seed.
    pub seed: u64,
    /// Who takes part.
    pub players: Vec<Player>,
    /// What to keep in mind.
    pub deviations: Vec<Deviation>,
}

impl<K: TrialKind> ExperimentFile<K> {
    /// The part that does not depend on the kind of trials.
    pub fn header(&self) -> Header {
        Header {
            name: self.name.clone(),
            title: self.title.clone(),
            question: self.question.clone(),
            answered_by: self.answered_by.clone(),
            source: self.source.clone(),
            method: self.method.clone(),
            kind: self.kind.clone(),
            game: self.game.clone(),
            seed: self.seed,
            players: self.players.clone(),
            deviations: self.deviations.clone(),
        }
    }

    /// The number of the player with this name.
    pub fn player_index(&self, name: &str) -> Option<usize> {
        self.players.iter().position(|player| player.name == name)
    }
}
