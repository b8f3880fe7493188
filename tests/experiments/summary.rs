//! `canopy-engine report DIR... --summary`: the verdicts of several runs in one table.

use super::*;

/// Runs [`SMALL`] under a name; the directory.
fn run_small(file: &ExperimentFile, name: &str, flags: &[&str]) -> PathBuf {
    let text = SMALL.replace("name = \"small\"", &format!("name = \"{name}\""));
    fs::write(&file.path, text).expect("a file can be written");
    let out = file.beside(name);
    file.run(&out, flags);
    out
}

#[test]
fn verdicts_of_several_runs_are_one_table() {
    let file = ExperimentFile::new("summary", SMALL);
    let second = run_small(&file, "second", &["--games", "2"]);
    let first = run_small(&file, "first", &["--shard", "1/3"]);
    let arguments = ["report", text(&second), text(&first), "--summary"];
    let (table, _) = success(&mut engine(&arguments));
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "| experiment | question | verdict | trials | searches |",
            "|---|---|---|---|---|"
        ],
        "{table}"
    );
    assert!(
        lines[2].starts_with("| first | Is UCT stronger than chance? | ")
            && lines[2].ends_with(" | PARTIAL: 6 of 18 games | as in this build |"),
        "{table}"
    );
    assert!(
        lines[3].starts_with("| second | ")
            && lines[3].ends_with(" | 6 games, not at full scale | as in this build |"),
        "{table}"
    );
    let said = failure(&mut engine(&["report", text(&second), text(&first)]), 2);
    assert!(
        said.contains("2 directories: expected one, or --summary"),
        "{said}"
    );
}

#[test]
fn the_table_is_put_between_its_marks_in_a_page() {
    let file = ExperimentFile::new("page", SMALL);
    let out = run_small(&file, "one", &["--games", "2"]);
    let page = file.beside("page.md");
    let mark = "<!-- verdicts: written by canopy-engine report --summary -->";
    fs::write(
        &page,
        format!("# Results\n\n{mark}\nold\n<!-- end -->\n\nMore.\n"),
    )
    .expect("written");
    let into = ["report", "--summary", text(&out), "--into", text(&page)];
    success(&mut engine(&into));
    let new = read(&page);
    assert!(
        new.starts_with(&format!("# Results\n\n{mark}\n\n| experiment |")),
        "{new}"
    );
    assert!(
        new.ends_with("\n\n<!-- end -->\n\nMore.\n") && !new.contains("old"),
        "{new}"
    );
    success(&mut engine(&into));
    assert_eq!(read(&page), new, "a second time changes nothing");
    fs::write(&page, "no marks").expect("written");
    let said = failure(&mut engine(&into), 2);
    assert!(
        said.contains("expected a line") && said.contains(mark),
        "{said}"
    );
}

/// A match is no experiment.
#[test]
fn other_runs_are_refused() {
    let scratch = Scratch::new("summary-match");
    let out = scratch.0.join("match");
    let played =
        "match --game kalah:2x2 --engine search=random --engine search=random --games 2 --go";
    let mut arguments: Vec<&str> = played.split(' ').collect();
    arguments.extend(["nodes 1", "--out", text(&out)]);
    success(&mut engine(&arguments));
    let said = failure(&mut engine(&["report", "--summary", text(&out)]), 2);
    assert!(
        said.contains("a match is there: expected experiments"),
        "{said}"
    );
}
