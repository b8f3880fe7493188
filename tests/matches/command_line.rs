//! The command line of a match is checked before a game is played.

use super::*;

#[test]
fn command_lines_are_checked() {
    let common = "--game|connect-four|--engine|search=uct|--engine|search=lgr1";
    for (text, wanted) in [
        (
            "--game|connect-four|--engine|search=uct".to_owned(),
            "1 engines cannot play a match: expected 2",
        ),
        (
            format!("{common}|--go|nodes many"),
            "\"many\" is no whole number above 0",
        ),
        (format!("{common}|--go|time 3"), "\"time\" is no limit"),
        (format!("{common}|--go|tc 0"), "\"0\" is no time control"),
        (
            format!("{common}|--go|movetime 10 tc 5"),
            "a time for each move and a clock",
        ),
        (
            "--game|connect-four|--engine|'sh x|--engine|search=uct".to_owned(),
            "a quote is not closed",
        ),
        (
            "--game|connect-four|--engine|name=x|--engine|search=uct".to_owned(),
            "no command",
        ),
        (
            "--game|connect-four|--engine|skill=3 sh|--engine|search=uct".to_owned(),
            "no setting \"skill\"",
        ),
        (
            "--game|connect-four|--engine|dialect=xboard sh|--engine|search=uct".to_owned(),
            "no dialect \"xboard\"",
        ),
        (
            format!("{common}|--sprt|elo0=5,elo1=0"),
            "elo0 is 5 and elo1 is 0",
        ),
        (
            format!("{common}|--draw|moves=3"),
            "expected moves, at least 1, and score",
        ),
        (
            format!("{common}|--timeouts|begin=3"),
            "\"begin\" means nothing here: expected start, ready",
        ),
        (
            format!("{common}|--openings|/no/such/file"),
            "/no/such/file: No such file",
        ),
        (format!("{common}|--game|go"), ""),
    ] {
        let message = match_error(&text, 2);
        assert!(message.contains(wanted), "{text}: {message}");
    }
    let scratch = Scratch::new("openings");
    let path = scratch.0.join("list");
    fs::write(&path, "4453\n# a comment\n\n99\n").expect("a file can be written");
    let message = match_error(&format!("{common}|--openings|{}", path.display()), 2);
    assert!(message.contains("line 4"), "{message}");
}

#[test]
fn searches_are_checked_before_the_match() {
    let common = "--game|kalah|--engine|search=random|--games|2|--engine";
    for (search, wanted) in [
        ("uct,exploraton=0.7", "exploraton"),
        ("rules-002", "rules-002"),
        ("dijkstra", "dijkstra"),
    ] {
        let message = match_error(&format!("{common}|search={search}"), 2);
        assert!(message.contains(wanted), "{search}: {message}");
    }
    // One that is given as a command says so itself.
    let own = engine_path();
    let output = run_match(&format!(
        "{common}|option.Search=rules-002 {own} --game kalah --option Seed=3|--go|nodes 5"
    ));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("searching with uct"), "{said}");
}

/// A match without a completed game does not block its directory.
#[test]
fn a_failed_start_leaves_the_directory_free() {
    let scratch = Scratch::new("failed-start");
    let common = format!(
        "--game|connect-four|--games|2|--go|nodes 5|--out|{}|--engine|search=uct|--engine",
        scratch.0.display()
    );
    match_error(&format!("{common}|/no/such/engine"), 1);
    match_report(&format!("{common}|search=random"));
}
