//! The experiments of reports 001 and 004: published totals, quick runs, and report 004's games to the last leaf.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use canopy_engine::{
    experiments::{builtin, experiment, scale::RunOptions},
    reports::{Content, Outcome, Report, Section, Table},
};
use support::Scratch;
use toml::Table as Toml;

mod support;

fn engine(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(arguments)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    match output.status.success() {
        true => Ok(text(output.stdout)),
        false => Err(text(output.stderr)),
    }
}

/// Runs an experiment into `directory` with further arguments, and reads its report.
fn run(name: &str, directory: &Path, arguments: &[&str]) -> Report {
    let out = directory.to_str().expect("a path of text");
    let command = ["experiment", "run", name, "--out", out];
    engine(&[&command, arguments].concat()).unwrap_or_else(|error| panic!("{name}: {error}"));
    read_report(directory)
}

fn read_report(directory: &Path) -> Report {
    let text = read(directory, "report.json");
    serde_json::from_str(&text).expect("a report")
}

fn read(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn section<'r>(report: &'r Report, heading: &str) -> &'r Section {
    let found = report
        .sections
        .iter()
        .find(|section| section.heading == heading);
    found.unwrap_or_else(|| panic!("{}: no section {heading}", report.name))
}

/// The texts of a table's rows; a cell that the one above covers is empty.
fn cells(table: &Table) -> Vec<Vec<&str>> {
    let rows = table.groups.iter().flat_map(|group| &group.rows);
    rows.map(|row| {
        row.iter()
            .map(|cell| cell.as_ref().map_or("", |cell| cell.text.as_str()))
            .collect()
    })
    .collect()
}

fn table<'r>(report: &'r Report, heading: &str) -> &'r Table {
    match &section(report, heading).content {
        Content::Table(table) => table,
        _ => panic!("{heading} is no table"),
    }
}

fn outcomes(report: &Report) -> Vec<(&str, Outcome)> {
    let hypotheses = report.hypotheses.iter();
    hypotheses
        .map(|hypothesis| (hypothesis.id.as_str(), hypothesis.verdict.outcome))
        .collect()
}

/// `[trials]` of an experiment's file.
fn trials(name: &str) -> Toml {
    let file = builtin::find(name).expect(name);
    let file: Toml = file.text.parse().expect(name);
    file["trials"].as_table().expect("a table").clone()
}

/// The tables of a list in `[trials]`.
fn rows(trials: &Toml, key: &str) -> Vec<Toml> {
    let rows = trials[key].as_array().expect("a list").iter();
    rows.map(|row| row.as_table().expect("a table").clone())
        .collect()
}

fn number(row: &Toml, key: &str) -> f64 {
    let value = row.get(key).unwrap_or_else(|| panic!("no {key}"));
    let whole = value.as_integer().map(|value| value as f64);
    whole.or(value.as_float()).expect("a number")
}

/// Wins, draws and losses by player, added up from results of pairs.
fn totals_of_pairs(trials: &Toml) -> BTreeMap<String, [f64; 3]> {
    let mut totals: BTreeMap<String, [f64; 3]> = BTreeMap::new();
    for row in rows(trials, "published") {
        let [won, drawn, lost] = ["won", "drawn", "lost"].map(|key| number(&row, key));
        let players = row["players"].as_array().expect("two names");
        for (player, results) in players.iter().zip([[won, drawn, lost], [lost, drawn, won]]) {
            let name = player.as_str().expect("a name").to_owned();
            let sum = totals.entry(name).or_default();
            for (sum, result) in sum.iter_mut().zip(results) {
                *sum += result;
            }
        }
    }
    totals
}

#[test]
fn the_published_totals_of_report_001_follow_from_its_pairs() {
    for name in ["001-e1", "001-e1-legacy"] {
        let trials = trials(name);
        let by_pairs = totals_of_pairs(&trials);
        let players = rows(&trials, "published_players");
        let points: Vec<(&str, f64, f64)> = (players.iter())
            .map(|row| {
                let player = row["player"].as_str().expect("a name");
                let results = ["won", "drawn", "lost"].map(|key| number(row, key));
                assert_eq!(by_pairs[player], results, "{name}: {player}");
                assert_eq!(results.iter().sum::<f64>(), 30.0);
                let difference = number(row, "pieces") - number(row, "against");
                (player, results[0] + results[1] / 2.0, difference)
            })
            .collect();
        assert_eq!(
            points,
            [
                ("UCT", 20.5, 206.0),
                ("grouping", 18.0, 156.0),
                ("UCB1", 12.0, -96.0),
                ("heuristic", 9.5, -266.0),
            ]
        );
        let sum = |key: &str| players.iter().map(|row| number(row, key)).sum::<f64>();
        assert_eq!((sum("pieces"), sum("against")), (3830.0, 3830.0));
        let black = trials["published_first"].as_table().expect("a table");
        assert_eq!(number(black, "won") + number(black, "drawn") / 2.0, 27.5);
        assert_eq!(number(black, "lost") + number(black, "drawn") / 2.0, 32.5);
    }
}

#[test]
fn the_published_series_of_report_001_add_up() {
    let trials = trials("001-e2");
    let players = rows(&trials, "published_players");
    let sum = |key: &str| players.iter().map(|row| number(row, key)).sum::<f64>();
    // By colour the report has 19 + 12 points and 1056 + 928 discs.
    assert_eq!((sum("games"), sum("points")), (31.0, 14.0));
    assert_eq!(sum("pieces") + sum("against"), 1984.0);
    let series = totals_of_pairs(&trials);
    assert_eq!(series["UCT"], [2.0, 1.0, 0.0]);
    assert_eq!(series["heuristic"], [0.0, 0.0, 3.0]);
    assert_eq!(series["opponent"].iter().sum::<f64>(), 12.0);
}

#[test]
fn the_known_games_of_report_004_are_those_of_the_test_data() {
    let data = fs::read_to_string(support::data("reversi004_legacy_grid.txt")).expect("test data");
    let expected: Vec<String> = (data.lines())
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let depth = words[3].trim_start_matches('d');
            let all = words.last().expect("a row");
            let [black, white] = [words[1], words[2]];
            let figures = words[4..7].join(" ");
            format!("{black} {depth} {white} {depth} {figures} {all}")
        })
        .collect();
    assert_eq!(expected.len(), 41);
    for name in ["004-grid", "004-prune"] {
        let known = rows(&trials(name), "known");
        let table = known.last().expect("a table")["games"].as_str();
        let lines = table
            .expect("a text")
            .lines()
            .filter(|line| !line.is_empty());
        let ours: Vec<String> = lines
            .map(|line| line.split_whitespace().collect::<Vec<&str>>().join(" "))
            .collect();
        assert_eq!(ours, expected, "{name}");
    }
}

#[test]
fn experiments_of_reports_001_and_004_have_their_full_size() {
    let sizes = [
        ("001-e1", 1200),
        ("001-e1-legacy", 1200),
        ("001-style", 300),
        ("001-e2", 400),
        // 25 pairs at six depths, and two games of unequal depths.
        ("004-grid", 152),
        ("004-prune", 160),
        ("004-robust", 1600),
    ];
    for (name, trials) in sizes {
        let text = builtin::find(name).expect(name).text;
        let loaded = experiment::load(text, &RunOptions::default()).expect(name);
        assert_eq!(loaded.trials.count(), trials, "{name}");
    }
}

#[test]
fn a_quick_round_robin_of_report_001_ranks_four_players() {
    for name in ["001-e1", "001-e1-legacy"] {
        let scratch = Scratch::new(name);
        let report = run(name, &scratch.0, &["--scale", "quick"]);
        let ranking = table(&report, "Ranking");
        let shown = cells(ranking);
        let published: Vec<&[&str]> = (shown.iter())
            .filter(|row| row[1] == "published")
            .map(|row| &row[..5])
            .collect();
        assert_eq!(published.len(), 4, "{shown:?}");
        let uct = published.iter().find(|row| row[0] == "MCTS, UCT");
        let expected = [
            "MCTS, UCT",
            "published",
            "20.5",
            "18\u{a0}–\u{a0}5\u{a0}–\u{a0}7",
        ];
        assert_eq!(uct.expect("UCT")[..4], expected);
        let games = read(&scratch.0, "games.csv");
        assert_eq!(games.lines().count(), 1 + 12, "two games of each pair");
        assert!(games.starts_with("game,first,second,result,first_score,second_score,plies,opening,first_nodes,second_nodes,first_leaves,second_leaves,"));
        let ids: Vec<&str> = outcomes(&report).into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, ["H1", "H2", "H3", "ranking"]);
    }
}

#[test]
fn a_quick_run_of_the_style_has_curves_of_discs_and_mobility() {
    let scratch = Scratch::new("style");
    let report = run("001-style", &scratch.0, &["--scale", "quick"]);
    for heading in ["Discs by move number", "Mobility by move number"] {
        let Content::Plot(plot) = &section(&report, heading).content else {
            panic!("{heading} is no plot");
        };
        assert!(plot.table().groups.len() > 4 * 50, "{heading}");
    }
    let corners = cells(table(&report, "Corners"));
    let players: Vec<&str> = corners.iter().map(|row| row[0]).collect();
    assert_eq!(players, ["UCT", "grouping", "UCB1", "heuristic"]);
}

/// The results of series: player, series won, drawn and lost, games, points.
fn series(report: &Report) -> Vec<Vec<String>> {
    let shown = cells(table(report, "The series"));
    let columns = [0, 3, 4, 5];
    let row = |row: &Vec<&str>| columns.map(|column| row[column].to_owned()).to_vec();
    shown.iter().map(row).collect()
}

#[test]
fn series_recorded_as_move_lists_make_the_table_that_playing_them_made() {
    let scratch = Scratch::new("series");
    let played = run("001-e2", &scratch.0.join("played"), &["--scale", "quick"]);
    let text = read(&scratch.0.join("played"), "games.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut records = "# Games of Anna.\n".to_owned();
    for row in reader.records() {
        let row = row.expect("a row");
        let person = |name: &str| name.replace("opponent", "Anna");
        let [first, second] = [&row[1], &row[2]].map(person);
        let moves = row.iter().next_back().expect("moves").replace(' ', "");
        records += &format!("{first} - {second}: {moves}\n");
    }
    let path = scratch.0.join("games.txt");
    fs::write(&path, records).expect("it is written");
    let path = path.to_str().expect("a path of text");
    let recorded = run("001-e2", &scratch.0.join("recorded"), &["--records", path]);
    assert_eq!(series(&recorded), series(&played));
    assert_eq!(outcomes(&recorded), outcomes(&played));
    let command = &recorded.provenance.command;
    assert!(
        command.contains("run 001-e2 --records games.txt"),
        "{command}"
    );
    assert!(
        recorded.method.iter().any(|text| text.contains("of Anna")),
        "{:?}",
        recorded.method
    );
}

/// The shortest game of othello: Black takes all in nine moves.
const SHORTEST: [&str; 9] = ["F5", "D6", "C5", "F4", "E7", "F6", "G5", "E6", "E3"];

/// The shortest game between two players, in GGF.
fn shortest_game(black: &str, white: &str) -> String {
    let moves: String = (SHORTEST.iter().zip(["B", "W"].iter().cycle()))
        .map(|(square, side)| format!("{side}[{square}]"))
        .collect();
    let board = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";
    format!("(;GM[Othello]PB[{black}]PW[{white}]{board}{moves};)\n")
}

#[test]
fn recorded_games_in_ggf_are_joined_to_series_of_up_to_three() {
    let scratch = Scratch::new("ggf");
    let pairs = [
        // A lost series of three games, a won one of two, and one that has only begun.
        ("Anna", "uct-001"),
        ("UCT", "Anna"),
        ("Anna", "uct"),
        ("UCT", "Anna"),
        ("UCT", "Anna"),
        ("grouping", "Anna"),
    ];
    let text: String = (pairs.iter())
        .map(|(black, white)| shortest_game(black, white))
        .collect();
    let path = scratch.0.join("anna.ggf");
    fs::write(&path, text).expect("it is written");
    let path = path.to_str().expect("a path of text");
    let report = run("001-e2", &scratch.0.join("out"), &["--records", path]);
    let rows = series(&report);
    let wdl = |text: &str| text.replace("-", "\u{a0}–\u{a0}");
    assert_eq!(rows[0], ["MCTS, UCT", &wdl("1-0-1"), "5", "3.0"]);
    assert_eq!(rows[1], ["MCTS, grouping", &wdl("1-0-0"), "1", "1.0"]);
    let games = read(&scratch.0.join("out"), "games.csv");
    assert!(games.contains("opponent,UCT,p1win,13,0,9,"), "{games}");
}

#[test]
fn wrong_records_are_told_with_their_place() {
    let scratch = Scratch::new("wrong-records");
    let path = scratch.0.join("games.txt");
    let path = path.to_str().expect("a path of text");
    let out = scratch.0.join("out");
    let out = out.to_str().expect("a path of text");
    for (text, expected) in [
        ("", "there are no games"),
        ("\nf5 d6\n", "line 2 of the records"),
        ("UCT - Anna: f5 d6\n", "the game is not over after 2 moves"),
        ("UCT - Anna: a1\n", "line 1 of the records"),
        (
            &format!("UCT - grouping: {}", SHORTEST.concat()),
            "against a person",
        ),
        (
            &format!("Anna - Bob: {}", SHORTEST.concat()),
            "expected one of UCT, grouping, UCB1 and heuristic",
        ),
    ] {
        fs::write(path, text).expect("it is written");
        let arguments = [
            "experiment",
            "run",
            "001-e2",
            "--records",
            path,
            "--out",
            out,
        ];
        let error = engine(&arguments).expect_err(text);
        assert!(error.contains(expected), "{text:?}: {error}");
        assert!(error.contains(path), "{text:?}: {error}");
    }
    let arguments = [
        "experiment",
        "run",
        "001-e1",
        "--records",
        path,
        "--out",
        out,
    ];
    let error = engine(&arguments).expect_err("001-e1 has no series");
    assert!(error.contains("trials.records: no such key"), "{error}");
}

/// The published and the own figures of the games in a section, and the verdict.
fn known_games<'r>(report: &'r Report, source: &str) -> Vec<(Vec<&'r str>, &'r str)> {
    let shown = cells(table(report, &format!("Games of {source}")));
    let row = |row: Vec<&'r str>| {
        let verdict = row[9];
        if verdict == "equal" {
            assert_eq!(row[3..6], row[6..9]);
        }
        (row[..6].to_vec(), verdict)
    };
    shown.into_iter().map(row).collect()
}

#[test]
fn report_004s_games_to_depth_4_are_repeated_to_the_last_leaf() {
    let scratch = Scratch::new("grid");
    let report = run("004-grid", &scratch.0, &["--scale", "quick"]);
    let published = known_games(&report, "report 004");
    // The two games with a search of depth 5 are left to the full scale.
    assert_eq!(published.len(), 6);
    assert!(published.iter().all(|(_, verdict)| *verdict == "equal"));
    let wanted = [
        "Count",
        "Weighted",
        "4",
        "15 – 49",
        "30 / 30",
        "10,330 / 11,821",
    ];
    assert!(
        published.iter().any(|(row, _)| row[..] == wanted),
        "{published:?}"
    );
    let grid = known_games(&report, "an independent program");
    assert_eq!(grid.len(), 41);
    assert!(grid.iter().all(|(_, verdict)| *verdict == "equal"));
    assert_eq!(report.verdict.outcome, Outcome::Confirmed);
    check_program_files(&scratch.0);
    let path = scratch.0.to_str().expect("a path of text");
    engine(&["report", path, "--no-times"]).expect("a report");
    let table = read(&scratch.0, "depth_2_True.csv");
    let row = "Count, Weighted, 2, True, BLACK, Count, 13, 0, 9, , , 5, , , 4, , 58, 86";
    assert!(table.lines().any(|line| line == row), "{table}");
}

/// The files of report 004's program: the rows that it prints, but for the times.
fn check_program_files(directory: &Path) {
    let text = read(directory, "depth_4_True.csv");
    let header: Vec<&str> = text.lines().next().expect("a header").split(", ").collect();
    assert_eq!(header.len(), 18);
    assert_eq!((header[0], header[17]), ("Black Heuristic", "White Nodes"));
    assert_eq!(text.lines().count(), 1 + 25);
    let rows = text
        .lines()
        .map(|line| line.split(", ").collect::<Vec<&str>>());
    let row = rows
        .into_iter()
        .find(|row| row[..2] == ["Weighted", "Count"]);
    let row = row.expect("the game");
    let times = [9, 10, 12, 13, 15];
    for column in times {
        assert!(row[column].parse::<f64>().is_ok(), "{row:?}");
    }
    let figures: Vec<&str> = (row.iter().enumerate())
        .filter(|(column, _)| !times.contains(column))
        .map(|(_, cell)| *cell)
        .collect();
    let expected = "Weighted Count 4 True BLACK Weighted 34 30 60 30 30 19746 22351";
    assert_eq!(figures.join(" "), expected);
    let console = read(directory, "console.txt");
    let block = console
        .split("\n\n")
        .find(|block| {
            block.starts_with("Testing: Weighted depth: 3 against Count depth: 3 | prune: True\n")
        })
        .expect("a block for the game");
    let lines: Vec<&str> = block.lines().collect();
    assert_eq!(
        lines[1..5],
        [
            "winner: BLACK",
            "strategy: Weighted",
            "BLACK (Weighted) 41 - 23 WHITE (Count)",
            "moves: 60 / 60"
        ]
    );
    assert!(lines[6].starts_with("blackTime: ") && lines[6].contains("ms with 31 moves. avg: "));
    assert_eq!(lines[8..], ["blackNodes: 8155", "whiteNodes: 3976"]);
}

#[test]
fn pruning_changes_no_game_at_depths_2_and_3() {
    let scratch = Scratch::new("prune");
    let report = run("004-prune", &scratch.0, &["--scale", "quick"]);
    let expected = ["games", "cost", "grid"].map(|id| (id, Outcome::Confirmed));
    assert_eq!(outcomes(&report), expected);
    let sentence = report.hypotheses[0].verdict.sentence();
    assert!(sentence.contains("32 of 32 games"), "{sentence}");
    // The leaves of the data, added up by hand for depth 2.
    let cost = cells(table(&report, "Cost by depth"));
    assert_eq!(cost[0][..2], ["2", "16"]);
    let text = read(&scratch.0, "depth_2_False.csv");
    let nodes: u64 = (text.lines().skip(1))
        .flat_map(|line| line.split(", ").skip(16))
        .map(|cell| cell.parse::<u64>().expect("a count"))
        .sum();
    assert_eq!(nodes, leaves_of_minimax(2));
}

/// The leaves of all games of a depth without pruning, by the test data.
fn leaves_of_minimax(depth: u32) -> u64 {
    let text = fs::read_to_string(support::data("reversi004_legacy_grid.txt")).expect("test data");
    let depth = format!(" d{depth} ");
    let lines = text.lines().filter(|line| line.contains(&depth));
    let leaves = lines.flat_map(|line| {
        let last = line.split_whitespace().next_back().expect("a row");
        last.split('/')
            .map(|count| count.parse::<u64>().expect("a count"))
    });
    leaves.sum()
}

#[test]
fn weighted_and_count_play_both_colours_of_balanced_openings() {
    let scratch = Scratch::new("robust");
    let report = run("004-robust", &scratch.0, &["--scale", "quick"]);
    let text = read(&scratch.0, "games.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 16);
    // Both games of an opening, and those of all depths, begin with the same plies.
    let opening = |row: &csv::StringRecord| {
        let moves = row.iter().next_back().expect("moves");
        moves.split(' ').take(8).collect::<Vec<&str>>().join(" ")
    };
    let openings: Vec<String> = rows.iter().map(opening).collect();
    assert!(openings[..8].iter().all(|one| *one == openings[0]));
    assert!(openings[8..].iter().all(|one| *one == openings[8]));
    assert_ne!(openings[0], openings[8]);
    assert_eq!(report.hypotheses.len(), 2);
}

#[test]
fn shards_of_series_and_of_a_grid_make_the_report_of_a_whole_run() {
    for name in ["001-e2", "004-prune"] {
        let scratch = Scratch::new(&format!("shards-{name}"));
        let file = scratch.0.join("experiment.toml");
        let text = builtin::find(name).expect(name).text;
        let small = text.replace("quick_depth = 3", "quick_depth = 2");
        fs::write(&file, small).expect("it is written");
        let file = file.to_str().expect("a path of text");
        let directories = ["whole", "parts"].map(|name| scratch.0.join(name));
        let [whole, parts] = (directories.each_ref()).map(|path| path.to_str().expect("text"));
        let quick = ["experiment", "run", file, "--scale", "quick", "--out"];
        engine(&[&quick[..], &[whole]].concat()).expect("a run");
        for shard in ["2/2", "1/2"] {
            engine(&[&quick[..], &[parts, "--shard", shard]].concat()).expect("a shard");
        }
        for directory in [whole, parts] {
            engine(&["report", directory, "--no-times"]).expect("a report");
        }
        for file in ["report.json", "report.html", "games.csv"] {
            let [one, other] = directories.each_ref().map(|path| read(path, file));
            assert_eq!(one, other, "{name}: {file}");
        }
    }
}

#[test]
#[ignore = "plays all games to depth 7: minutes"]
fn all_eight_published_games_of_report_004_are_repeated_to_the_last_leaf() {
    let scratch = Scratch::new("whole-grid");
    let report = run("004-grid", &scratch.0, &[]);
    let published = known_games(&report, "report 004");
    assert_eq!(published.len(), 8);
    assert!(published.iter().all(|(_, verdict)| *verdict == "equal"));
    assert_eq!(report.verdict.outcome, Outcome::Confirmed);
}

/// Report 003's file has five lines: `*` is Black, `o` White. A slide from b2 to e2 leaves a stone on d2.
#[test]
fn show_prints_the_five_lines_of_report_003() {
    let moves = "b2 b4 b2e2";
    let command = [
        "show", "--game", "delta", "--format", "board", "--moves", moves,
    ];
    let text = engine(&command).expect("a board");
    assert_eq!(text, ".....\n.o...\n.....\n...**\n.....\n");
}
