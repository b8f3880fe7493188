//! Reports of experiments, matches and tournaments: what was asked, what was published, what came out here, and a verdict.
//!
//! A [`Report`] is plain data. It is made of results in three steps:
//!
//! 1. [`comparison`]: published and own results side by side. [`comparison::judge`] tests them, corrects for their number, and says what
//!    each shows; [`verdict`] turns that into [`Verdict`]s, also for correlations, limits and rows that must be equal.
//! 2. [`Section`]s: [`comparison::score_plot`], [`comparison::games_table`] and their like make the usual ones; any [`Table`] or [`Plot`] will do.
//! 3. The writers: [`html::page`] (one file, no network), [`markdown::text`], [`csv::files`]. The same report gives the same bytes;
//!    [`Report::without_times`] leaves out what differs between two runs of the same command.
//!
//! ```
//! use canopy_engine::arena::stats::WdlCounts;
//! use canopy_engine::reports::{Provenance, Report, Section, comparison::{self, Comparison, Tally}, html, verdict::Claim};
//!
//! let comparisons = [Comparison {
//!     published: Some(Tally::of(WdlCounts::new(106, 36, 58))),
//!     ours: Some(Tally::of(WdlCounts::new(176, 0, 24))),
//!     ..Comparison::new("Last good reply", ["LGR-1", "standard"])
//! }];
//! let judged = comparison::judge(Claim::Stronger { margin: 0.05 }, &comparisons);
//! let report = Report {
//!     question: "Do last good replies make UCT stronger?".into(),
//!     verdict: comparison::verdict(&comparisons, &judged, "games"),
//!     sections: vec![Section::plot("Score", "95 % intervals", comparison::score_plot(&comparisons))],
//!     provenance: Provenance { command: "canopy-engine experiment run 002-h1 --out h1".into(), ..Provenance::default() },
//!     ..Report::new("Experiment", "002-h1", "Connect four, report 002, hypothesis 1")
//! };
//! assert!(report.verdict.outcome.is_confirmed());
//! assert!(html::page(&report).contains("<svg"));
//! ```

// Names and texts come from other programs and files: none may end the process.
#![deny(clippy::expect_used, clippy::indexing_slicing)]

pub mod comparison;
pub mod csv;
pub mod html;
pub mod markdown;
mod markup;
mod model;
pub mod numbers;
mod plot;
mod plot_svg;
mod table;
pub mod text;
pub mod verdict;

pub use self::{
    model::{Caveat, Content, Hypothesis, Partial, Provenance, Report, SearchSignature, Section},
    plot::{
        Axis, Bar, BarGroup, BarPlot, DotPlot, DotRow, Line, LinePlot, Mark, Palette, Plot, Point,
        Role, Scale, Unit,
    },
    table::{Align, Cell, Column, RowGroup, Table, Tone},
    verdict::{Outcome, Verdict},
};
