//! A report as one HTML page: no network, no scripts, light and dark by the reader's preference, ready to print.

use super::{
    comparison::outcome_tone,
    markup::Markup,
    model::{Content, Hypothesis, Report, Section},
    plot_svg,
    table::{Align, Cell, Column, RowGroup, Table},
    verdict::Verdict,
};

/// Colours, type and spacing of the page and its plots.
const STYLE: &str = include_str!("page.css");

/// Inter in two weights, cut down to Latin, Greek and a few signs: the page looks the same where it is not installed. Made of the viewer's
/// fonts by `pyftsubset --layout-features=kern,tnum,calt --flavor=woff2`.
const FONTS: [(&str, &[u8]); 2] = [
    ("400", include_bytes!("fonts/inter-regular.woff2")),
    ("600", include_bytes!("fonts/inter-semibold.woff2")),
];

/// The page may load nothing: what it shows is in it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:";

/// The whole page.
pub fn page(report: &Report) -> String {
    let mut page = Markup::default();
    page.raw("<!DOCTYPE html>\n");
    page.open("html", &[("lang", "en")]).line();
    head(&mut page, report);
    page.open("body", &[]).line().open("main", &[]).line();
    masthead(&mut page, report);
    verdict_card(&mut page, report);
    for (index, section) in report.sections.iter().enumerate() {
        write_section(&mut page, section, &format!("section-{}", index + 1));
    }
    if !report.hypotheses.is_empty() {
        hypotheses(&mut page, report);
    }
    caveats(&mut page, report);
    provenance(&mut page, report);
    page.open("footer", &[])
        .element("span", &[], &report.footer());
    page.close().line();
    page.close().line().close().line().close();
    page.finish() + "\n"
}

fn head(page: &mut Markup, report: &Report) {
    page.open("head", &[]).line();
    page.open("meta", &[("charset", "utf-8")]).line();
    page.open(
        "meta",
        &[
            ("http-equiv", "Content-Security-Policy"),
            ("content", POLICY),
        ],
    )
    .line();
    let viewport = "width=device-width, initial-scale=1";
    page.open("meta", &[("name", "viewport"), ("content", viewport)])
        .line();
    page.open(
        "meta",
        &[("name", "color-scheme"), ("content", "light dark")],
    )
    .line();
    let title = match report.name.as_str() {
        "" => report.heading().to_owned(),
        name => format!("{name}: {}", report.heading()),
    };
    page.element("title", &[], &title).line();
    page.open("style", &[]).line().raw(STYLE);
    for (weight, font) in FONTS {
        page.raw("@font-face { font-family: \"Inter\"; font-weight: ")
            .raw(weight);
        page.raw("; src: url(\"data:font/woff2;base64,")
            .raw(&base64(font));
        page.raw("\") format(\"woff2\"); }").line();
    }
    page.close().line();
    page.close().line();
}

/// Bytes as text (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place)) as usize & 63;
            let digit = DIGITS.get(digit).filter(|_| place <= chunk.len());
            out.push(digit.map_or('=', |&digit| char::from(digit)));
        }
    }
    out
}

fn masthead(page: &mut Markup, report: &Report) {
    page.open("header", &[]).line();
    page.open("p", &[("class", "eyebrow")]);
    let kind = format!("{} {}", report.kind, report.name);
    page.element("span", &[], kind.trim());
    if let Some(date) = &report.date {
        page.element("span", &[("class", "date")], date);
    }
    page.close().line();
    page.element("h1", &[], report.heading()).line();
    let title = Some(&report.title).filter(|title| !title.is_empty() && *title != report.heading());
    for (index, paragraph) in report.method.iter().enumerate() {
        let lead = match title {
            Some(title) if index == 0 => format!("{title}. {paragraph}"),
            _ => paragraph.clone(),
        };
        page.element("p", &[("class", "method")], &lead).line();
    }
    if let (true, Some(title)) = (report.method.is_empty(), title) {
        page.element("p", &[("class", "method")], title).line();
    }
    if let Some(partial) = &report.partial {
        page.open("p", &[("class", "partial"), ("role", "note")]);
        page.element("strong", &[], &partial.heading());
        if !partial.missing.is_empty() {
            page.text(". Missing: ").text(&partial.missing).text(".");
        }
        page.close().line();
    }
    page.close().line();
}

fn verdict_card(page: &mut Markup, report: &Report) {
    page.open(
        "section",
        &[("class", "card verdict"), ("aria-labelledby", "verdict")],
    )
    .line();
    page.element("h2", &[("id", "verdict"), ("class", "label")], "Verdict")
        .line();
    page.open("p", &[]);
    verdict_text(page, &report.verdict);
    page.close().line();
    if report.hypotheses.len() > 1 {
        page.open("ul", &[("class", "outcomes")]);
        for hypothesis in &report.hypotheses {
            page.open("li", &[])
                .element("b", &[], &hypothesis.id)
                .text(" ");
            page.element("span", &[], &hypothesis.statement).text(" ");
            outcome(page, &hypothesis.verdict);
            page.close();
        }
        page.close().line();
    }
    let stale = report.stale_players();
    if !stale.is_empty() {
        page.open("p", &[("class", "stale")]);
        page.element("strong", &[], "Stale.").text(" ");
        page.text("Changed since the games were played: ")
            .text(&stale.join(", "));
        page.text(". Run it again.").close().line();
    }
    page.close().line();
}

fn verdict_text(page: &mut Markup, verdict: &Verdict) {
    page.element("strong", &[], &verdict.lead());
    if !verdict.text.is_empty() {
        page.text(" ").text(&verdict.text);
    }
}

/// The outcome in its colour, in a word or two.
fn outcome(page: &mut Markup, verdict: &Verdict) {
    let class = outcome_tone(verdict.outcome).class();
    page.element(
        "span",
        &[("class", class)],
        &verdict.outcome.label(&verdict.unit),
    );
}

fn write_section(page: &mut Markup, section: &Section, id: &str) {
    page.open("section", &[("aria-labelledby", id)]).line();
    page.element("h2", &[("id", id)], &section.heading).line();
    if !section.caption.is_empty() {
        page.element("p", &[("class", "caption")], &section.caption)
            .line();
    }
    match &section.content {
        Content::Plot(plot) if plot.is_empty() => {
            page.element("p", &[("class", "dim")], "Nothing to show yet.")
                .line();
        }
        Content::Plot(plot) => {
            page.open("figure", &[]).line();
            plot_svg::draw(page, plot, &format!("{id}-plot"), &section.heading);
            page.close().line();
        }
        Content::Table(table) => write_table(page, table, &section.heading),
        Content::Text(paragraphs) => {
            for paragraph in paragraphs {
                page.element("p", &[], paragraph).line();
            }
        }
    }
    page.close().line();
}

fn write_table(page: &mut Markup, table: &Table, title: &str) {
    page.open("div", &[("class", "wide")]);
    page.open("table", &[]).line();
    page.element("caption", &[], title).line();
    table_head(page, &table.columns);
    for group in &table.groups {
        page.open("tbody", &[]).line();
        for (row, cells) in group.rows.iter().enumerate() {
            page.open("tr", &[]);
            for (column, cell) in cells.iter().enumerate() {
                if let (Some(cell), Some(heading)) = (cell, table.columns.get(column)) {
                    let height = group.height(row, column);
                    table_cell(page, cell, heading, column == 0, height);
                }
            }
            page.close().line();
        }
        page.close().line();
    }
    page.close().close().line();
}

/// One row of headings, or two where columns share one.
fn table_head(page: &mut Markup, columns: &[Column]) {
    page.open("thead", &[]).line();
    if columns.iter().any(|column| !column.group.is_empty()) {
        page.open("tr", &[("class", "shared")]);
        for columns in columns.chunk_by(|one, other| one.group == other.group) {
            let [first, ..] = columns else { continue };
            let width = columns.len().to_string();
            let whose = match first.group.as_str() {
                "Published" => "published",
                "Ours" => "ours",
                _ => "dim",
            };
            // A heading over several columns stands in their middle, with a line below.
            let place = if columns.len() > 1 {
                "several"
            } else {
                align(first)
            };
            let class = format!("{place} {whose}");
            let attributes = [("colspan", width.as_str()), ("class", &class)];
            if first.group.is_empty() {
                page.element("td", &attributes, "");
            } else {
                let scope = [("scope", "colgroup")];
                page.element("th", &[&scope[..], &attributes[..]].concat(), &first.group);
            }
        }
        page.close().line();
    }
    page.open("tr", &[]);
    for column in columns {
        if column.heading.is_empty() {
            page.element("td", &[("class", align(column))], "");
        } else {
            page.element(
                "th",
                &[("scope", "col"), ("class", align(column))],
                &column.heading,
            );
        }
    }
    page.close().line().close().line();
}

fn align(column: &Column) -> &'static str {
    match column.align {
        Align::Left => "left",
        Align::Right => "right",
    }
}

fn table_cell(page: &mut Markup, cell: &Cell, column: &Column, is_first: bool, height: usize) {
    let class = format!("{} {}", align(column), cell.tone.class());
    let rows = height.to_string();
    let mut attributes = vec![("class", class.as_str())];
    if height > 1 {
        attributes.push(("rowspan", &rows));
    }
    // The first cell names its row, or its rows.
    let name = if is_first { "th" } else { "td" };
    if is_first {
        let scope = if height > 1 { "rowgroup" } else { "row" };
        attributes.push(("scope", scope));
    }
    page.open(name, &attributes).text(&cell.text);
    if !cell.note.is_empty() {
        page.open("br", &[]).element("small", &[], &cell.note);
    }
    page.close();
}

fn hypotheses(page: &mut Markup, report: &Report) {
    page.open("section", &[("aria-labelledby", "tests")]).line();
    page.element("h2", &[("id", "tests")], "Hypotheses and tests")
        .line();
    for hypothesis in &report.hypotheses {
        write_hypothesis(page, hypothesis);
    }
    page.close().line();
}

fn write_hypothesis(page: &mut Markup, hypothesis: &Hypothesis) {
    page.open("h3", &[]);
    if !hypothesis.id.is_empty() {
        page.text(&hypothesis.id).text(". ");
    }
    page.text(&hypothesis.statement).close().line();
    page.open("dl", &[("class", "facts")]).line();
    let facts = [
        ("Published", &hypothesis.published),
        ("Test as published", &hypothesis.published_test),
        ("Test as it should be", &hypothesis.proper_test),
    ];
    for (term, text) in facts.iter().filter(|(_, text)| !text.is_empty()) {
        page.element("dt", &[], term)
            .element("dd", &[], text)
            .line();
    }
    page.element("dt", &[], "Verdict").open("dd", &[]);
    outcome(page, &hypothesis.verdict);
    if !hypothesis.verdict.text.is_empty() {
        page.text(". ").text(&hypothesis.verdict.text);
    }
    page.close().line().close().line();
    if let Some(tests) = &hypothesis.tests {
        let title = format!("Tests of {}", hypothesis.id);
        write_table(page, tests, &title);
    }
}

fn caveats(page: &mut Markup, report: &Report) {
    if report.caveats.is_empty() {
        return;
    }
    page.open("section", &[("aria-labelledby", "caveats")])
        .line();
    page.element("h2", &[("id", "caveats")], "What to keep in mind")
        .line();
    page.open("ul", &[("class", "caveats")]).line();
    for caveat in &report.caveats {
        page.open("li", &[]).element("strong", &[], &caveat.lead);
        page.text(" ").text(&caveat.text).close().line();
    }
    page.close().line().close().line();
}

fn provenance(page: &mut Markup, report: &Report) {
    let provenance = &report.provenance;
    let mut facts: Vec<(&str, &str)> = vec![
        ("Published figures", &provenance.source),
        ("Played", &provenance.trials),
        ("Seeds", &provenance.seeds),
    ];
    let pairs = provenance.versions.iter().chain(&provenance.run);
    facts.extend(pairs.map(|(name, value)| (name.as_str(), value.as_str())));
    facts.retain(|(_, text)| !text.is_empty());
    if !facts.is_empty() || !provenance.searches.is_empty() {
        page.open("section", &[("aria-labelledby", "provenance")])
            .line();
        page.element("h2", &[("id", "provenance")], "How it was made")
            .line();
        page.open("dl", &[("class", "facts")]).line();
        for (term, text) in facts {
            page.element("dt", &[], term)
                .element("dd", &[], text)
                .line();
        }
        page.close().line();
        if !provenance.searches.is_empty() {
            write_table(
                page,
                &searches_table(report),
                "Players and the signatures of their searches",
            );
        }
        page.close().line();
    }
    if !provenance.command.is_empty() {
        page.open(
            "section",
            &[("class", "card repeat"), ("aria-labelledby", "repeat")],
        )
        .line();
        page.element("h2", &[("id", "repeat"), ("class", "label")], "Repeat it")
            .line();
        page.open("pre", &[]).line();
        for command in provenance.command.lines() {
            page.element("code", &[], command).line();
        }
        page.close().line().close().line();
    }
}

/// Players, searches and signatures; stale ones marked.
pub(super) fn searches_table(report: &Report) -> Table {
    use super::table::Tone;
    let columns = ["player", "search", "signature", "state"].map(Column::text);
    let rows = report.provenance.searches.iter().map(|search| {
        let state = match (&search.current, search.is_stale()) {
            (_, true) => Cell::text("stale").tone(Tone::Attention),
            (Some(_), false) => Cell::text("current"),
            (None, false) => Cell::empty(),
        };
        let signature = match search.signature.as_str() {
            "" => Cell::empty(),
            signature => Cell::text(signature),
        };
        vec![
            Cell::text(&search.player),
            Cell::text(&search.search),
            signature,
            state,
        ]
    });
    Table {
        columns: columns.to_vec(),
        groups: rows.map(RowGroup::row).collect(),
    }
}
