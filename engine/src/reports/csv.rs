//! A report's tables and plotted values as CSV, for other programs: numbers in full, texts as they are.

use super::{
    model::{Content, Report},
    numbers::NO_BREAK,
    table::{Cell, Column, Table},
};

/// A CSV file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvFile {
    /// Its name: the section's number and heading, such as `2-the-games.csv`.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A file for each section with a table or plot, then one for the tests of each hypothesis.
pub fn files(report: &Report) -> Vec<CsvFile> {
    let sections = report.sections.iter().filter_map(|section| {
        let table = match &section.content {
            Content::Plot(plot) => plot.table(),
            Content::Table(table) => table.clone(),
            Content::Text(_) => return None,
        };
        Some((section.heading.clone(), table))
    });
    let tests = report.hypotheses.iter().filter_map(|hypothesis| {
        let name = format!("tests {}", hypothesis.id);
        Some((name, hypothesis.tests.clone()?))
    });
    let all = sections.chain(tests).enumerate();
    all.map(|(index, (heading, table))| CsvFile {
        name: format!("{}-{}.csv", index + 1, slug(&heading)),
        text: write(&table),
    })
    .collect()
}

/// A heading as part of a file name.
fn slug(heading: &str) -> String {
    let words = heading.split(|symbol: char| !symbol.is_ascii_alphanumeric());
    let words: Vec<String> = (words.filter(|word| !word.is_empty()).take(6))
        .map(str::to_ascii_lowercase)
        .collect();
    match words.join("-") {
        words if words.is_empty() => "table".to_owned(),
        words => words,
    }
}

fn write(table: &Table) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let heading = |column: &Column| {
        let group = if column.group.is_empty() { "" } else { " " };
        plain(&format!("{}{group}{}", column.group, column.heading))
    };
    let headings: Vec<String> = table.columns.iter().map(heading).collect();
    // Writing to memory does not fail, and every row has a cell for every column.
    let _ = writer.write_record(&headings);
    for row in table.filled_rows() {
        let _ = writer.write_record(row.iter().map(value));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// A number in full, or a text; what is not known is empty.
fn value(cell: &Cell) -> String {
    match cell.value {
        Some(value) if value.is_finite() => value.to_string(),
        _ if *cell == Cell::empty() => String::new(),
        _ => plain(&cell.text),
    }
}

fn plain(text: &str) -> String {
    text.replace(NO_BREAK, " ")
}
