//! A report as Markdown, for repositories and mail.

use std::fmt::Write as _;

use super::{
    html::searches_table,
    model::{Content, Hypothesis, Report},
    numbers::NO_BREAK,
    table::{Align, Cell, Table},
    verdict::Verdict,
};
use crate::games::notation::escape_invisible;

/// The whole text. Plots become tables of their values.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report) -> std::fmt::Result {
    writeln!(out, "# {}\n", escape(report.heading()))?;
    if let Some(partial) = &report.partial {
        write!(out, "**{}**", escape(&partial.heading()))?;
        match partial.missing.as_str() {
            "" => writeln!(out, "\n")?,
            missing => writeln!(out, " Missing: {}.\n", escape(missing))?,
        }
    }
    writeln!(out, "{}\n", verdict(&report.verdict))?;
    let stale = report.stale_players();
    if !stale.is_empty() {
        let stale = escape(&stale.join(", "));
        writeln!(
            out,
            "**Stale.** Changed since the games were played: {stale}. Run it again.\n"
        )?;
    }
    if report.title != report.heading() && !report.title.is_empty() {
        writeln!(out, "{}.\n", escape(&report.title))?;
    }
    for paragraph in &report.method {
        writeln!(out, "{}\n", escape(paragraph))?;
    }
    for section in &report.sections {
        writeln!(out, "## {}\n", escape(&section.heading))?;
        if !section.caption.is_empty() {
            writeln!(out, "{}\n", escape(&section.caption))?;
        }
        match &section.content {
            Content::Plot(plot) => write_table(out, &plot.table())?,
            Content::Table(table) => write_table(out, table)?,
            Content::Text(paragraphs) => {
                for paragraph in paragraphs {
                    writeln!(out, "{}\n", escape(paragraph))?;
                }
            }
        }
    }
    if !report.hypotheses.is_empty() {
        writeln!(out, "## Hypotheses and tests\n")?;
    }
    for hypothesis in &report.hypotheses {
        write_hypothesis(out, hypothesis)?;
    }
    if !report.caveats.is_empty() {
        writeln!(out, "## What to keep in mind\n")?;
        for caveat in &report.caveats {
            let line = format!("**{}** {}", escape(&caveat.lead), escape(&caveat.text));
            writeln!(out, "- {}", line.trim_end())?;
        }
        writeln!(out)?;
    }
    write_provenance(out, report)
}

fn verdict(verdict: &Verdict) -> String {
    let text = format!("**{}** {}", escape(&verdict.lead()), escape(&verdict.text));
    text.trim_end().to_owned()
}

fn write_hypothesis(out: &mut String, hypothesis: &Hypothesis) -> std::fmt::Result {
    let name = match hypothesis.id.as_str() {
        "" => String::new(),
        id => format!("{}. ", escape(id)),
    };
    writeln!(out, "### {name}{}\n", escape(&hypothesis.statement))?;
    for (term, text) in [
        ("Published", &hypothesis.published),
        ("Test as published", &hypothesis.published_test),
        ("Test as it should be", &hypothesis.proper_test),
    ] {
        if !text.is_empty() {
            writeln!(out, "- {term}: {}", escape(text))?;
        }
    }
    writeln!(out, "- Verdict: {}\n", verdict(&hypothesis.verdict))?;
    match &hypothesis.tests {
        Some(tests) => write_table(out, tests),
        None => Ok(()),
    }
}

fn write_provenance(out: &mut String, report: &Report) -> std::fmt::Result {
    let provenance = &report.provenance;
    writeln!(out, "## How it was made\n")?;
    let named = [
        ("Published figures", &provenance.source),
        ("Played", &provenance.trials),
        ("Seeds", &provenance.seeds),
    ];
    let pairs = provenance.versions.iter().chain(&provenance.run);
    let facts = named
        .into_iter()
        .chain(pairs.map(|(name, value)| (name.as_str(), value)));
    for (term, text) in facts.filter(|(_, text)| !text.is_empty()) {
        writeln!(out, "- {}: {}", escape(term), escape(text))?;
    }
    writeln!(out)?;
    if !provenance.searches.is_empty() {
        write_table(out, &searches_table(report))?;
    }
    if !provenance.command.is_empty() {
        writeln!(out, "Repeat it:\n")?;
        // An indented block cannot be ended by what stands in it.
        for line in provenance.command.lines() {
            writeln!(out, "    {}", escape_invisible(line))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{}", escape(&report.footer()))
}

/// A table alone.
pub fn table(table: &Table) -> String {
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = write_table(&mut out, table);
    out
}

fn write_table(out: &mut String, table: &Table) -> std::fmt::Result {
    let headings = table.columns.iter().map(|column| {
        let group = match column.group.as_str() {
            "" => String::new(),
            group => format!("{group}: "),
        };
        escape(&format!("{group}{}", column.heading))
    });
    writeln!(out, "| {} |", headings.collect::<Vec<_>>().join(" | "))?;
    let rule = table.columns.iter().map(|column| match column.align {
        Align::Left => "---",
        Align::Right => "---:",
    });
    writeln!(out, "|{}|", rule.collect::<Vec<_>>().join("|"))?;
    for row in table.filled_rows() {
        let cells: Vec<String> = row.iter().map(cell).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    writeln!(out)
}

fn cell(cell: &Cell) -> String {
    match cell.note.as_str() {
        "" => escape(&cell.text),
        note => format!("{} ({})", escape(&cell.text), escape(note)),
    }
}

/// A text that Markdown shows as it is.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // A number with a dot or a sign at the start would begin a list; texts that do are rare, and the escape shows nowhere.
    let mut is_start = true;
    for symbol in escape_invisible(text).chars() {
        match symbol {
            NO_BREAK => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' => {
                out.push('\\');
                out.push(symbol);
            }
            '#' | '+' | '-' | '=' if is_start => {
                out.push('\\');
                out.push(symbol);
            }
            symbol => out.push(symbol),
        }
        is_start = false;
    }
    out
}
