//! Pages, Markdown and CSV.

use std::{fs, path::Path};

use canopy_engine::reports::{
    Axis, BarPlot, Caveat, Cell, Column, Content, DotPlot, DotRow, Hypothesis, Line, LinePlot,
    Mark, Partial, Plot, Point, Provenance, Report, Role, SearchSignature, Section, Table, Unit,
    csv, html, markdown, text,
};

use super::{
    compare_with_golden,
    published::{report_001_e1, report_002_h1, report_003_nodes},
};

fn reports() -> [Report; 3] {
    [report_001_e1(), report_002_h1(), report_003_nodes()]
}

/// The names of a page's elements in order, an end as `/name`; panics if they do not nest.
fn elements(page: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for part in page.split('<').skip(1) {
        let tag = part.split(['>', ' ']).next().expect("a tag");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "closes {name}"),
            None if ["!DOCTYPE", "meta", "br"].contains(&tag) => {}
            None => open.push(tag),
        }
        names.push(tag);
    }
    assert!(open.is_empty(), "{open:?}");
    names
}

fn count(page: &str, name: &str) -> usize {
    elements(page)
        .into_iter()
        .filter(|tag| *tag == name)
        .count()
}

#[test]
fn a_page_has_its_verdict_first_then_plots_tables_and_the_command() {
    let page = html::page(&report_002_h1());
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    let order = [
        "<h1>Do tables and last good replies make UCT stronger?</h1>",
        "<strong>Partly confirmed.</strong>",
        "<svg",
        "<caption>The games</caption>",
        "Hypotheses and tests",
        "What to keep in mind",
        "How it was made",
        "<code>canopy-engine report h1</code>",
    ];
    assert!(order.map(place).is_sorted());
    assert_eq!(count(&page, "svg"), 2);
    assert_eq!(count(&page, "table"), 3);
    // Four hollow and four filled dots, each with its whisker.
    assert_eq!(page.matches("class=\"dot published\"").count(), 4);
    assert_eq!(page.matches("class=\"dot ours\"").count(), 4);
    assert_eq!(page.matches("class=\"whisker ours\"").count(), 12);
    for figure in [
        "0.022", "14.05", "9.09", "0.485", "115.5", "stale", "78 : 98",
    ] {
        place(figure);
    }
}

#[test]
fn a_page_names_its_tables_and_plots_for_those_who_do_not_see_them() {
    for report in reports() {
        let page = html::page(&report);
        assert_eq!(count(&page, "caption"), count(&page, "table"));
        assert_eq!(count(&page, "thead"), count(&page, "table"));
        assert_eq!(count(&page, "desc"), count(&page, "svg"));
        let headings = page.matches("<th ").count();
        assert_eq!(page.matches("scope=\"").count(), headings);
    }
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    for report in reports() {
        let page = html::page(&report);
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for word in ["http:", "https:", "@import", "<script", "src=", "href="] {
            assert!(!page.contains(word), "{word}");
        }
        let urls = page.matches("url(").count();
        assert_eq!(page.matches("url(\"data:font/woff2;base64,").count(), urls);
    }
}

/// The pages that the browser test opens.
#[test]
fn pages_are_written_for_the_browser() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports");
    fs::create_dir_all(&folder).expect("a folder");
    for report in reports() {
        let path = folder.join(format!("{}.html", report.name));
        fs::write(path, html::page(&report)).expect("a page");
    }
}

#[test]
fn markdown_says_the_same() {
    for report in reports() {
        let name = format!("{}.md", report.name);
        compare_with_golden(&name, &markdown::text(&report.without_times()));
    }
}

#[test]
fn tables_and_plotted_values_are_files_for_programs() {
    let report = report_002_h1();
    let files = csv::files(&report);
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "1-score-of-the-variant-against-standard.csv",
            "2-the-games.csv",
            "3-games-won-drawn-and-lost-by.csv",
            "4-tests-h1.csv"
        ]
    );
    let lines: Vec<&str> = files[0].text.lines().collect();
    assert_eq!(lines[0], ",source,score,95 % from,to");
    assert!(
        lines[1].starts_with("Transposition table,published,0.505,0.436"),
        "{}",
        lines[1]
    );
    let lines: Vec<&str> = files[1].text.lines().collect();
    assert_eq!(
        lines[1],
        "standard,TT,14 – 10 – 76,74 – 3 – 23,0.022,0.32653061224489793,not stronger"
    );
    // A cell that reaches down is repeated.
    assert_eq!(
        lines[2],
        "TT,standard,15 – 10 – 75,71 – 1 – 28,0.022,0.32653061224489793,not stronger"
    );
}

#[test]
fn reports_without_times_are_the_same_whenever_they_are_made() {
    let first = report_001_e1();
    let mut second = first.clone();
    second.date = Some("tomorrow".into());
    second.provenance.run = vec![("Time taken".into(), "3 h".into())];
    for section in &mut second.sections {
        match &mut section.content {
            Content::Table(table) => {
                for group in &mut table.groups {
                    for (column, cells) in table.columns.iter().zip(group.rows.iter_mut().flatten())
                    {
                        if column.is_time {
                            *cells = Some(Cell::number(7.0, 2));
                        }
                    }
                }
            }
            _ if section.is_time => section.content = Content::Text(vec!["slow".into()]),
            _ => {}
        }
    }
    assert_ne!(html::page(&first), html::page(&second));
    let [first, second] = [first, second].map(|report| report.without_times());
    assert_eq!(html::page(&first), html::page(&second));
    assert_eq!(markdown::text(&first), markdown::text(&second));
    assert_eq!(csv::files(&first), csv::files(&second));
    assert!(!html::page(&first).contains("127.81"));
}

#[test]
fn a_report_survives_being_stored() {
    for report in reports() {
        let text = serde_json::to_string(&report).expect("plain data");
        let read: Report = serde_json::from_str(&text).expect("the same form");
        assert_eq!(read, report);
    }
}

#[test]
fn what_is_missing_or_stale_is_said_at_the_top() {
    let report = Report {
        partial: Some(Partial {
            done: 448,
            total: 512,
            unit: "games".into(),
            missing: "shard 7".into(),
        }),
        ..report_002_h1()
    };
    let page = html::page(&report);
    let end = page.find("</section>").expect("the verdict");
    assert!(page[..end].contains("<strong>PARTIAL: 448 of 512 games</strong>. Missing: shard 7."));
    assert!(page[..end].contains("Changed since the games were played: LGR-1."));
    let text = markdown::text(&report);
    assert!(text.contains("**PARTIAL: 448 of 512 games** Missing: shard 7."));
    assert!(text.contains("**Stale.**"));
    assert!(text.contains("| LGR-1 | lgr1-002,iterations=20000 | 9465282f638b9a79 | stale |"));
}

/// A report of which every text is hostile.
fn hostile_report(evil: &str) -> Report {
    let text = || evil.to_owned();
    let mark = |role, value| Mark {
        role,
        value,
        interval: None,
    };
    let dots = DotPlot {
        axis: Axis::new(evil, Unit::Number),
        reference: Some(f64::NAN),
        rows: vec![DotRow {
            label: text(),
            note: text(),
            marks: vec![
                mark(Role::Series(200), f64::INFINITY),
                mark(Role::Ours, f64::NAN),
            ],
        }],
    };
    let empty = [
        Plot::Bars(BarPlot::default()),
        Plot::Lines(LinePlot::default()),
    ];
    let table = Table::plain(
        [Column::text(evil).under(evil)],
        [vec![Cell::text(evil).note(evil)]],
    );
    let mut sections = vec![
        Section::plot(evil, evil, Plot::Dots(dots)),
        Section::table(evil, evil, table.clone()),
        Section::text(evil, vec![text()]),
    ];
    sections.extend(empty.map(|plot| Section::plot(evil, evil, plot)));
    let mut report = Report {
        question: text(),
        method: vec![text()],
        date: Some(text()),
        sections,
        caveats: vec![Caveat::new(evil, evil)],
        hypotheses: vec![Hypothesis {
            id: text(),
            statement: text(),
            published: text(),
            tests: Some(table),
            ..Hypothesis::default()
        }],
        provenance: Provenance {
            trials: text(),
            seeds: text(),
            versions: vec![(text(), text())],
            searches: vec![SearchSignature {
                player: text(),
                search: text(),
                signature: text(),
                current: Some("other".into()),
            }],
            command: text(),
            ..Provenance::default()
        },
        ..Report::new(evil, evil, evil)
    };
    report.verdict.text = text();
    report
}

#[test]
fn names_cannot_break_out_of_a_page() {
    let evil = "</title></svg><script>alert(1)</script>\" onload='x' & \u{202e}|`*_\n# head";
    let report = hostile_report(evil);
    let page = html::page(&report);
    assert!(!elements(&page).contains(&"script"));
    assert!(!page.contains("onload='x'") && !page.contains('\u{202e}'));
    assert!(
        !page.contains("NaN") || page.contains(">NaN<"),
        "no coordinate is NaN"
    );
    let text = markdown::text(&report);
    assert!(!text.contains("<script") || text.contains("\\<script"));
    assert!(text.lines().all(|line| !line.starts_with("# head")));
    for file in csv::files(&report) {
        assert!(!file.name.contains(['/', '<', ' ']), "{}", file.name);
    }
}

#[test]
fn an_empty_report_is_a_page_too() {
    let page = html::page(&Report::default());
    assert!(page.contains("Not tested."));
    elements(&page);
    assert_eq!(csv::files(&Report::default()), []);
    assert!(markdown::text(&Report::default()).contains("**Not tested.**"));
}

/// A line plot with as many points of each of two lines, the second beginning a place later.
fn two_lines(points: u32) -> Report {
    let line = |name: &str, first: u32| Line {
        name: name.to_owned(),
        role: Role::Ours,
        points: (first..first + points)
            .map(|x| Point {
                x: f64::from(x),
                y: f64::from(2 * x),
                interval: None,
            })
            .collect(),
    };
    let plot = LinePlot {
        x: Axis::new("move", Unit::Number),
        y: Axis::new("discs", Unit::Number),
        lines: vec![line("UCT", 1), line("heuristic", 2)],
    };
    Report {
        sections: vec![Section::plot("Discs", "", Plot::Lines(plot))],
        ..Report::default()
    }
}

#[test]
fn long_lines_are_told_in_a_few_rows_and_kept_whole_in_their_file() {
    let short = text::text(&two_lines(7));
    assert_eq!(short.matches("UCT").count(), 7, "{short}");
    let report = two_lines(60);
    let long = text::text(&report);
    let rows: Vec<Vec<&str>> = (long.lines().skip_while(|line| !line.starts_with("move")))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows[0], ["move", "UCT", "heuristic"], "{long}");
    assert_eq!(rows[1], ["1", "2", "–"], "{long}");
    assert_eq!(rows[2], ["5", "10", "10"], "{long}");
    assert!(rows.len() <= 17, "{long}");
    let files = csv::files(&report);
    assert_eq!(files[0].text.lines().count(), 1 + 2 * 60);
}
