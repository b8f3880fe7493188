//! What a report says.

use serde::{Deserialize, Serialize};

use super::{plot::Plot, table::Table, verdict::Verdict};

/// A whole report. Empty texts and lists are not shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// What was run: "Experiment", "Match", "Tournament".
    pub kind: String,
    /// The short name, such as `002-h1`.
    pub name: String,
    /// What it is about, in a few words.
    pub title: String,
    /// The question that the verdict answers; it is the heading.
    pub question: String,
    /// How it was done; paragraphs.
    pub method: Vec<String>,
    /// The day, for people.
    pub date: Option<String>,
    /// What is missing, if not everything has been played.
    pub partial: Option<Partial>,
    /// The answer.
    pub verdict: Verdict,
    /// The hypotheses one by one.
    pub hypotheses: Vec<Hypothesis>,
    /// Plots and tables.
    pub sections: Vec<Section>,
    /// Deviations from the published experiment, and what weakens conclusions.
    pub caveats: Vec<Caveat>,
    /// Seeds, versions, searches, and the command that repeats it.
    pub provenance: Provenance,
}

/// How much of a run has been done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partial {
    /// Trials done.
    pub done: u64,
    /// All trials.
    pub total: u64,
    /// What they are: "games".
    pub unit: String,
    /// What would complete it: "shards 3, 7"; empty if not known.
    #[serde(default)]
    pub missing: String,
}

impl Partial {
    /// `PARTIAL: 448 of 512 games`
    pub fn heading(&self) -> String {
        format!(
            "PARTIAL: {} of {} {}",
            super::numbers::decimal(self.done as f64, 0),
            super::numbers::decimal(self.total as f64, 0),
            self.unit
        )
    }
}

/// A hypothesis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hypothesis {
    /// Its short name, such as `H1`.
    pub id: String,
    /// What it says.
    pub statement: String,
    /// What the publication concludes: "rejected".
    pub published: String,
    /// The test that the publication used.
    pub published_test: String,
    /// The test that answers the question.
    pub proper_test: String,
    /// The verdict by the proper test.
    pub verdict: Verdict,
    /// The tests' figures.
    pub tests: Option<Table>,
}

/// A part of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// How to read it; empty for none.
    #[serde(default)]
    pub caption: String,
    /// Whether it shows times, which differ between runs.
    #[serde(default)]
    pub is_time: bool,
    /// What it shows.
    pub content: Content,
}

/// What a section shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// A plot.
    Plot(Plot),
    /// A table.
    Table(Table),
    /// Paragraphs.
    Text(Vec<String>),
}

impl Section {
    fn new(heading: impl Into<String>, caption: impl Into<String>, content: Content) -> Self {
        Self {
            heading: heading.into(),
            caption: caption.into(),
            is_time: false,
            content,
        }
    }

    /// A section with a plot.
    pub fn plot(heading: impl Into<String>, caption: impl Into<String>, plot: Plot) -> Self {
        Self::new(heading, caption, Content::Plot(plot))
    }

    /// A section with a table.
    pub fn table(heading: impl Into<String>, caption: impl Into<String>, table: Table) -> Self {
        Self::new(heading, caption, Content::Table(table))
    }

    /// A section of paragraphs.
    pub fn text(heading: impl Into<String>, paragraphs: Vec<String>) -> Self {
        Self::new(heading, "", Content::Text(paragraphs))
    }

    /// The same as a section of times.
    pub fn time(mut self) -> Self {
        self.is_time = true;
        self
    }
}

/// Something to keep in mind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caveat {
    /// It, in a short sentence.
    pub lead: String,
    /// More about it.
    #[serde(default)]
    pub text: String,
}

impl Caveat {
    /// A caveat.
    pub fn new(lead: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            lead: lead.into(),
            text: text.into(),
        }
    }
}

/// Where the figures come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// How much was run: "800 games".
    pub trials: String,
    /// The seeds: "1" or "1 to 200".
    pub seeds: String,
    /// The publication whose rows are shown.
    pub source: String,
    /// Programs and their versions.
    pub versions: Vec<(String, String)>,
    /// The searches that played.
    pub searches: Vec<SearchSignature>,
    /// Facts about this run alone, such as machine and time taken.
    pub run: Vec<(String, String)>,
    /// The command that repeats it.
    pub command: String,
}

/// A search and what identifies its behaviour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchSignature {
    /// The player's name.
    pub player: String,
    /// Its search with parameters, or its command.
    pub search: String,
    /// The signature of the search when the games were played; empty for other programs.
    pub signature: String,
    /// The signature of that search in this build; none if that is not known.
    pub current: Option<String>,
}

impl SearchSignature {
    /// Whether the search has changed since.
    pub fn is_stale(&self) -> bool {
        (self.current.as_ref()).is_some_and(|current| *current != self.signature)
    }
}

impl Report {
    /// An empty report.
    pub fn new(kind: impl Into<String>, name: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            name: name.into(),
            title: title.into(),
            ..Self::default()
        }
    }

    /// The heading: the question, or else the title.
    pub fn heading(&self) -> &str {
        if self.question.is_empty() {
            &self.title
        } else {
            &self.question
        }
    }

    /// The players whose searches have changed since they played.
    pub fn stale_players(&self) -> Vec<&str> {
        let stale = self.provenance.searches.iter();
        stale
            .filter(|search| search.is_stale())
            .map(|search| search.player.as_str())
            .collect()
    }

    /// The report without dates, times and facts about the machine: what two runs of the same command have in common, to the byte.
    pub fn without_times(&self) -> Self {
        let mut report = self.clone();
        report.date = None;
        report.provenance.run.clear();
        report.sections.retain(|section| !section.is_time);
        for section in &mut report.sections {
            if let Content::Table(table) = &mut section.content {
                *table = table.without_times();
            }
        }
        for hypothesis in &mut report.hypotheses {
            hypothesis.tests = hypothesis.tests.as_ref().map(Table::without_times);
        }
        report
    }

    /// The line at the foot of every writer's output.
    pub(super) fn footer(&self) -> String {
        let seeds = match self.provenance.seeds.as_str() {
            "" => String::new(),
            seeds if seeds.contains(|symbol: char| !symbol.is_ascii_digit()) => {
                format!("seeds {seeds}")
            }
            seed => format!("seed {seed}"),
        };
        let name = format!("{} {}", self.kind.to_lowercase(), self.name);
        let parts = ["Canopy", name.trim(), &self.provenance.trials, &seeds];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" · ")
    }
}
