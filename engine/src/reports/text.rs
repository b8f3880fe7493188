//! A report as plain text, for a terminal.

use std::fmt::Write as _;

use super::{
    model::{Content, Report},
    numbers::NO_BREAK,
    table::{Align, Cell, Column, Table},
};
use crate::games::notation::escape_invisible;

/// Blanks between columns.
const COLUMN_GAP: &str = "  ";

/// The verdict, the tables, and the verdicts on the hypotheses. Plots become tables of their values, of lines with many
/// points a few.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a String does not fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report) -> std::fmt::Result {
    let name = format!("{} {}", report.kind, report.name);
    writeln!(out, "{}: {}", plain(name.trim()), plain(report.heading()))?;
    if let Some(partial) = &report.partial {
        write!(out, "{}", plain(&partial.heading()))?;
        match partial.missing.as_str() {
            "" => writeln!(out)?,
            missing => writeln!(out, ", missing: {}", plain(missing))?,
        }
    }
    writeln!(out, "{}", plain(&report.verdict.sentence()))?;
    let stale = report.stale_players();
    if !stale.is_empty() {
        let stale = plain(&stale.join(", "));
        writeln!(
            out,
            "STALE: changed since the trials were done: {stale}. Run it again in a new directory."
        )?;
    }
    for section in &report.sections {
        writeln!(out, "\n{}", plain(&section.heading))?;
        match &section.content {
            Content::Plot(plot) => write_table(out, &plot.overview())?,
            Content::Table(table) => write_table(out, table)?,
            Content::Text(paragraphs) => {
                for paragraph in paragraphs {
                    writeln!(out, "{}", plain(paragraph))?;
                }
            }
        }
    }
    for hypothesis in &report.hypotheses {
        let (id, statement) = (plain(&hypothesis.id), plain(&hypothesis.statement));
        writeln!(out, "\n{id}: {statement}")?;
        if !hypothesis.published.is_empty() {
            writeln!(out, "published: {}", plain(&hypothesis.published))?;
        }
        writeln!(out, "{}", plain(&hypothesis.verdict.sentence()))?;
    }
    Ok(())
}

/// A table with its columns aligned.
fn write_table(out: &mut String, table: &Table) -> std::fmt::Result {
    let heading = |column: &Column| match column.group.as_str() {
        "" => plain(&column.heading),
        group => plain(&format!("{group} {}", column.heading)),
    };
    let cell = |cell: &Cell| match cell.note.as_str() {
        "" => plain(&cell.text),
        note => plain(&format!("{} ({note})", cell.text)),
    };
    let mut lines: Vec<Vec<String>> = vec![table.columns.iter().map(heading).collect()];
    let rows = table.filled_rows();
    lines.extend(rows.iter().map(|row| row.iter().map(cell).collect()));
    let width = |index: usize| {
        let cells = lines.iter().filter_map(|line| line.get(index));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    for line in &lines {
        let cells = line.iter().zip(&table.columns).zip(&widths);
        let padded = cells.map(|((cell, column), &width)| match column.align {
            Align::Left => format!("{cell:<width$}"),
            Align::Right => format!("{cell:>width$}"),
        });
        let line = padded.collect::<Vec<_>>().join(COLUMN_GAP);
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn plain(text: &str) -> String {
    escape_invisible(&text.replace(NO_BREAK, " ")).into_owned()
}
