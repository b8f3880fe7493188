//! What a match writes while it runs and leaves behind: records, reports, openings and trees.

use super::*;

/// Followers see the last move and the result of every game.
#[test]
fn the_end_of_every_game_can_be_followed() {
    let scratch = Scratch::new("every-end");
    let mut child = spawn_match(&format!(
        "--game|connect-four|--engine|search=uct|--engine|search=random|--games|3|--go|nodes 20|--pace|60|--trees|{}",
        scratch.0.display()
    ));
    let mut seen = BTreeSet::new();
    while child.try_wait().expect("it can be asked").is_none() {
        let text = fs::read_to_string(scratch.0.join("match.json")).unwrap_or_default();
        if let Ok(meta) = canopy_engine::tree::meta::read_match(text.as_bytes())
            && meta.result.is_some()
        {
            seen.insert(meta.number);
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(child.wait().expect("it ends").success());
    assert_eq!(seen, BTreeSet::from([1, 2, 3]));
}

/// Records are written for every game, in the formats of their readers.
#[test]
fn records_are_written_for_every_game() {
    for (game, file, wanted) in [
        ("chess", "games.pgn", "[White \"uct\"]"),
        (
            "othello",
            "games.ggf",
            "(;GM[Othello]PC[Canopy match]PB[uct]PW[random]RE[",
        ),
        ("connect-four", "games.txt", "win "),
        ("delta", "games.txt", "win "),
        ("kalah", "games.txt", "win "),
    ] {
        let scratch = Scratch::new(&format!("records-{game}"));
        match_report(&format!(
            "--game|{game}|--engine|search=uct,playout_limit=10 option.ExactFrom=0|--engine|name=random search=random|--games|4|--go|nodes 30|--max-plies|60|--out|{}",
            scratch.0.display()
        ).replace("search=uct,", "name=uct search=uct,"));
        let text = fs::read_to_string(scratch.0.join(file)).expect("there are records");
        assert!(text.contains(wanted), "{game}: {text}");
        let mut reader =
            csv::Reader::from_path(scratch.0.join("games.csv")).expect("there is a table");
        let header = reader.headers().expect("it has a header").clone();
        // Report 001's columns, in its order.
        let joined = header.iter().collect::<Vec<_>>().join(",");
        assert!(
            joined.contains("player1,color1,result1,player2,color2,result2"),
            "{joined}"
        );
        let rows: Vec<csv::StringRecord> = reader
            .records()
            .map(|row| row.expect("a sound row"))
            .collect();
        assert_eq!(rows.len(), 4, "{game}");
        let at = |row: &csv::StringRecord, name: &str| -> String {
            let index = header
                .iter()
                .position(|column| column == name)
                .expect("the column is there");
            row[index].to_owned()
        };
        for (row, number) in rows.iter().zip(1..) {
            assert_eq!(at(row, "game"), number.to_string());
            let names = [at(row, "player1"), at(row, "player2")];
            let expected = if number % 2 == 1 {
                ["uct", "random"]
            } else {
                ["random", "uct"]
            };
            assert_eq!(names, expected, "{game}");
            let moves: u32 = at(row, "moves").parse().expect("a number");
            let sides =
                ["moves1", "moves2"].map(|name| at(row, name).parse::<u32>().expect("a number"));
            assert_eq!(moves, sides[0] + sides[1], "{game}");
            assert_eq!(at(row, "record").split_whitespace().count(), moves as usize);
            let nodes =
                ["nodes1", "nodes2"].map(|name| at(row, name).parse::<u64>().expect("a number"));
            let uct = usize::from(number % 2 == 0);
            assert_eq!(nodes[uct], u64::from(sides[uct]) * 30, "{game}");
        }
    }
}

/// Control and bidirectional characters in names and last words are escaped.
#[test]
fn reports_deceive_no_eye() {
    let scratch = Scratch::new("escape");
    let name = "name='a\u{1b}[31mb\u{202e}c' search=random";
    let text = match_report(&format!(
        "--game|connect-four|--engine|{name}|--engine|{}|--games|1|--go|nodes 1|{SHORT_TIMEOUTS}|--out|{}",
        rogue_engine("crash"),
        scratch.0.display()
    ));
    let kept = fs::read_to_string(scratch.0.join("report.txt")).expect("there is a report");
    for text in [text, kept] {
        assert!(text.contains("a\\u{1b}[31mb\\u{202e}c"), "{text:?}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}

/// Each opening is played by both sides, in order.
#[test]
fn openings_are_played_twice_each() {
    let scratch = Scratch::new("book");
    let path = scratch.0.join("list");
    fs::write(
        &path,
        "44\nstartpos moves 1 2 3\n......./......./......./......./......./...X... O\n",
    )
    .expect("a file can be written");
    match_report(&format!(
        "--game|connect-four|--engine|search=uct|--engine|search=lgr1|--games|6|--go|nodes 20|--openings|{}|--out|{}",
        path.display(),
        scratch.0.display()
    ));
    let mut played = read_games(&scratch.0);
    played.sort_by_key(|game| game["game"].as_u64());
    let begins = |index: usize, text: &str| {
        played[index]["moves"]
            .as_str()
            .is_some_and(|moves| moves.starts_with(text))
    };
    assert!(begins(0, "4 4 ") && begins(1, "4 4 ") && begins(2, "1 2 3 ") && begins(3, "1 2 3 "));
    assert_eq!(
        played[4]["start"],
        "......./......./......./......./......./...X... O"
    );
    assert_eq!(
        played[4]["movers"]
            .as_str()
            .and_then(|movers| movers.chars().next()),
        Some('2')
    );
    assert_eq!(played[0]["players"], serde_json::json!([0, 1]));
    assert_eq!(played[1]["players"], serde_json::json!([1, 0]));
}

/// Repeated games are counted and warned of.
#[test]
fn games_that_repeat_themselves_are_told() {
    let text = match_report(
        "--game|connect-four|--engine|search=alpha-beta,depth=2|--engine|search=alpha-beta,depth=1|--games|10|--go|depth 2",
    );
    assert!(
        text.contains("2 of 10 games are different\nwarning: "),
        "{text}"
    );
    for word in ["inf", "NaN", "nan"] {
        assert!(
            !text.split_whitespace().any(|found| found == word),
            "{text}"
        );
    }
}

/// A match leaves what a viewer follows: match.json after every move, and a directory of trees for each game.
///
/// An engine drops a tree while eight wait for the disk, and one that does not quit in time is killed with those that wait. So
/// that a busy machine writes them all, an engine has at most seven trees in a game here, and a minute to quit.
#[test]
fn a_match_can_be_followed() {
    let scratch = Scratch::new("followed");
    match_report(&format!(
        "--game|connect-four|--engine|search=uct|--engine|search=lgr1|--games|2|--go|nodes 50|--max-plies|14|--timeouts|start=60,ready=60,quit=60|--trees|{}",
        scratch.0.display()
    ));
    let text = fs::read_to_string(scratch.0.join("match.json")).expect("there is a match.json");
    let meta = canopy_engine::tree::meta::read_match(text.as_bytes()).expect("it is sound");
    assert_eq!(
        (meta.number, meta.games, meta.game.as_str()),
        (2, 2, "connect-four")
    );
    assert_eq!(meta.players, ["lgr1", "uct"]);
    assert_eq!(meta.score.names, ["uct", "lgr1"]);
    assert_eq!(meta.score.won.iter().sum::<u64>() + meta.score.drawn, 2);
    assert!(meta.result.is_some() && meta.reason.is_some() && meta.over);
    assert_eq!(meta.directory.as_deref(), Some("game-0002"));
    let trees = fs::read_dir(scratch.0.join("game-0002")).expect("there are trees");
    let trees = trees
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|name| name == "tree"));
    assert_eq!(trees.count(), meta.moves.len());
}
