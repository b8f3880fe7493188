//! The verdicts of several runs in one table.

use super::report::REDUCED_SCALE;
use crate::reports::{Caveat, Cell, Column, Report, Table, markdown};

/// What the beginning of the generated part of a page says.
pub const BEGIN_MARK: &str = "<!-- verdicts: written by canopy-engine report --summary -->";
/// The end of the generated part of a page.
pub const END_MARK: &str = "<!-- end -->";

/// A Markdown table with a row for every report, by name.
pub fn table(reports: &[Report]) -> String {
    let columns = [
        Column::text("experiment"),
        Column::text("question"),
        Column::text("verdict"),
        Column::text("trials"),
        Column::text("searches"),
    ];
    let mut reports: Vec<&Report> = reports.iter().collect();
    reports.sort_by_key(|report| report.name.as_str());
    let rows = reports.iter().map(|report| {
        let cells = [
            report.name.clone(),
            report.heading().to_owned(),
            report.verdict.sentence(),
            trials(report),
            signature_state(report),
        ];
        cells.into_iter().map(Cell::text).collect()
    });
    markdown::table(&Table::plain(columns, rows))
}

/// How much was done, and what is missing.
fn trials(report: &Report) -> String {
    let done = match &report.partial {
        Some(partial) => partial.heading(),
        None => report.provenance.trials.clone(),
    };
    let is_reduced = |caveat: &Caveat| caveat.lead == REDUCED_SCALE;
    match report.caveats.iter().any(is_reduced) {
        true => format!("{done}, not at full scale"),
        false => done,
    }
}

/// Whether the searches of a report are those of this build.
fn signature_state(report: &Report) -> String {
    let searches = &report.provenance.searches;
    let stale = report.stale_players();
    if !stale.is_empty() {
        return format!("stale: {}", stale.join(", "));
    }
    match searches.iter().any(|search| search.current.is_some()) {
        true => "as in this build".to_owned(),
        false => "none of ours".to_owned(),
    }
}

/// Puts a table between the marks of a page; none if the page lacks them.
pub fn insert(page: &str, table: &str) -> Option<String> {
    insert_after(page, BEGIN_MARK, table)
}

/// Puts a table between a mark of a page and the next [`END_MARK`]; none if the page lacks them.
pub fn insert_after(page: &str, begin_mark: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(begin_mark)?;
    let (_, after) = rest.split_once(END_MARK)?;
    let table = table.trim();
    Some(format!(
        "{before}{begin_mark}\n\n{table}\n\n{END_MARK}{after}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_replaces_what_is_between_the_marks() {
        let page = format!("above\n{BEGIN_MARK}\nold\n{END_MARK}\nbelow\n{END_MARK}\n");
        let new = insert(&page, "| new |\n");
        let expected = format!("above\n{BEGIN_MARK}\n\n| new |\n\n{END_MARK}\nbelow\n{END_MARK}\n");
        assert_eq!(new.as_deref(), Some(expected.as_str()));
        assert_eq!(
            insert(&expected, "| new |").as_deref(),
            Some(expected.as_str())
        );
        assert_eq!(insert("a page without marks", "| new |"), None);
    }
}
