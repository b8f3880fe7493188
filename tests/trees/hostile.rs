//! Hostile files: truncated, changed, lying and enormous ones are refused in a sentence and in little memory.

use canopy_engine::tree::meta::MatchMeta;

use super::*;

/// Reads every truncation of a file and every change of one byte. Asserts that each gives an error with its place or a valid
/// result, in memory proportional to the file.
fn corrupt_every_byte(bytes: &[u8], read: &dyn Fn(&[u8]) -> Result<(), TreeError>) {
    let room = 16 * bytes.len() + (1 << 18);
    let check = |bytes: &[u8]| {
        let (result, most) = measure_peak_memory(|| read(bytes));
        assert!(most <= room, "{most} bytes for a file of {}", bytes.len());
        if let Err(error) = result {
            let text = error.to_string();
            assert!(text.contains("line ") || text.contains("byte "), "{text}");
        }
    };
    read(bytes).unwrap();
    for end in 0..bytes.len() {
        check(&bytes[..end]);
    }
    let mut changed = bytes.to_vec();
    for place in 0..bytes.len() {
        for value in 0..=255 {
            changed[place] = value;
            check(&changed);
        }
        changed[place] = bytes[place];
    }
}

#[test]
fn changed_trees_are_told_of() {
    for format in FORMATS {
        let name = format!("trees/small.{format}");
        let bytes = fs::read(data(&name)).unwrap();
        corrupt_every_byte(&bytes, &|bytes| from_bytes(bytes, format).map(drop));
    }
}

#[test]
fn changed_sidecars_are_told_of() {
    let meta = Meta {
        game: "kalah".to_owned(),
        ..Meta::default()
    };
    corrupt_every_byte(meta::to_json(&meta).as_bytes(), &|bytes| {
        meta::read(bytes).map(drop)
    });
    let rows = [Extra {
        squares: 1.5,
        node_visits: 3,
        table: Some(extra::ExtraTableEntry {
            visits: 2,
            mean: 0.25,
            squares: 0.5,
        }),
        proven: Some(Outcome::Draw),
        cut: true,
    }; 3];
    let mut bytes = Vec::new();
    extra::write(&rows, &mut bytes).unwrap();
    corrupt_every_byte(&bytes, &|bytes| extra::read(bytes).map(drop));
    let values = ColumnValues::I32(vec![1, -2, 3]);
    let columns = Columns {
        rows: 3,
        columns: vec![Column {
            name: "a".to_owned(),
            unit: String::new(),
            labels: Vec::new(),
            values,
        }],
    };
    let mut bytes = Vec::new();
    columns::write(&columns, &mut bytes).unwrap();
    corrupt_every_byte(&bytes, &|bytes| columns::read(bytes).map(drop));
}

#[test]
fn a_match_file_is_read_as_it_was_written() {
    let standing = MatchMeta {
        format: meta::FORMAT_VERSION,
        game: "kalah:4x3".to_owned(),
        number: 3,
        moves: vec!["1".to_owned(), "4".to_owned()],
        players: vec!["a".to_owned(), "b".to_owned()],
        result: Some("draw".to_owned()),
        directory: Some("game-0003".to_owned()),
        ..MatchMeta::default()
    };
    let text = meta::to_json(&standing);
    assert_eq!(meta::read_match(text.as_bytes()).unwrap(), standing);
    corrupt_every_byte(text.as_bytes(), &|bytes| meta::read_match(bytes).map(drop));
    // Somebody else's may say less, and more.
    let short = meta::read_match(&br#"{"game": "chess", "weather": "fine"}"#[..]).unwrap();
    assert_eq!((short.game.as_str(), short.moves.len()), ("chess", 0));
    let later = meta::read(&br#"{"format": 2}"#[..]).unwrap_err();
    assert_eq!(
        later.to_string(),
        "line 1: format 2 is of a later version: expected 1"
    );
}

#[test]
fn changed_journals_are_told_of() {
    for (name, playouts) in [
        ("uct", false),
        ("uct", true),
        ("transposition", false),
        ("ucb1-tuned", false),
        ("transposition-002,entries=3", false),
    ] {
        let scratch = Scratch::new(&format!("changed-{name}"));
        let output = TreeOutput::open(
            TreeOutputSettings {
                max_journal_bytes: Some(DEFAULT_MAX_JOURNAL_BYTES),
                ..writer_settings(&scratch.0)
            },
            no_warning(),
        )
        .unwrap()
        .with_playouts(playouts);
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        let (start, history) = start_position();
        search_and_write(
            &mut *catalog::build(&spec).unwrap(),
            &start,
            &history,
            if playouts { 4 } else { 12 },
            Some(&output),
        );
        drop(output);
        let bytes = fs::read(&scratch.files("growth")[0]).unwrap();
        corrupt_every_byte(&bytes, &|bytes| {
            let growth = Growth::read(bytes)?;
            let iterations = growth.iterations();
            let mut replay = GrowthReplay::new(growth);
            for at in [iterations, iterations / 2, 0] {
                replay.seek(at);
                // Moves that are not legal are refused, in a sentence.
                let _ = snapshot::take(&replay.view(&start), &SnapshotOptions::default());
            }
            Ok(())
        });
    }
}

/// Asserts that a file is refused with this sentence and in little memory.
#[track_caller]
fn assert_refused(bytes: &[u8], format: Format, sentence: &str) {
    let (result, most) = measure_peak_memory(|| from_bytes(bytes, format));
    let text = result.map(drop).unwrap_err().to_string();
    assert!(text.contains(sentence), "{text}");
    assert!(most < 1 << 19, "{most} bytes for {text}");
}

/// A number as tree files have it.
fn int(number: i32) -> Vec<u8> {
    number.to_le_bytes().to_vec()
}

/// The root of a tree file.
fn root(children: i32) -> Vec<u8> {
    [int(2), b"aa".to_vec(), int(children)].concat()
}

#[test]
fn trees_that_lie_about_lengths_and_children_are_refused_without_memory() {
    assert_refused(
        &root(i32::MAX),
        Format::Tree,
        "byte 10: the file ends where a move's name",
    );
    assert_refused(
        &root(-1),
        Format::Tree,
        "byte 6: -1 children: expected 0 or more",
    );
    assert_refused(
        &int(i32::MAX),
        Format::Tree,
        "byte 4: the file ends where a state's name",
    );
    assert_refused(&int(-5), Format::Tree, "byte 0: a state's name of -5 bytes");
    assert_refused(
        &[],
        Format::Tree,
        "byte 0: the file ends where a state's name",
    );
    assert_refused(
        &[root(0), vec![7]].concat(),
        Format::Tree,
        "byte 10: the tree is complete",
    );
}

#[test]
fn trees_with_impossible_means_and_names_are_refused_without_memory() {
    let child = |mean: f64, state: &[u8]| {
        [
            root(1),
            int(1),
            b"x".to_vec(),
            int(3),
            int(3),
            mean.to_le_bytes().to_vec(),
            int(state.len() as i32),
            state.to_vec(),
            int(0),
        ]
        .concat()
    };
    assert_refused(
        &child(f64::NAN, b"s"),
        Format::Tree,
        "byte 10: the mean of 3 visits is NaN",
    );
    assert_refused(
        &child(f64::INFINITY, b"s"),
        Format::Tree,
        "the mean of 3 visits is inf",
    );
    assert_refused(
        &child(0.5, b"s\xff"),
        Format::Tree,
        "byte 36: a state's name is not UTF-8",
    );
}

#[test]
fn csv_files_that_lie_are_refused_without_memory() {
    for (text, sentence) in [
        ("", "line 1: there is no root"),
        (",1,1,0.5,s\n", "line 1: 5 columns: expected 6"),
        (
            ",1,1,0.5,s,1\n",
            "line 1: the file ends before the tree does: row 1 still lacks 1 of its 1",
        ),
        (
            ",1,1,0.5,s,2000000000\nx,1,1,0,s,0\n",
            "row 1 still lacks 1999999999",
        ),
        (
            ",1,1,0.5,s,-1\n",
            "line 1: the number of children is -1: expected 0 or more",
        ),
        (
            ",1,1,0.5,s,99999999999\n",
            "\"99999999999\": expected a whole number below 2^31",
        ),
        (
            ",1,1,0.5,s,0\nx,1,1,0,s,0\n",
            "line 2: a row after the end of the tree",
        ),
        (
            ",one,1,0.5,s,0\n",
            "line 1: the visits is \"one\": expected a whole number",
        ),
        (
            ",1,1,half,s,0\n",
            "line 1: the mean is \"half\": expected a number",
        ),
        (",1,1,nan,s,0\n", "line 1: the mean of 1 visits is NaN"),
    ] {
        assert_refused(text.as_bytes(), Format::Csv, sentence);
    }
    assert_refused(
        b",1,1,0.5,\xff,0\n",
        Format::Csv,
        "line 1: the state is not UTF-8",
    );
}

#[test]
fn a_field_of_csv_has_a_longest_length() {
    let row = |length: usize| format!(",1,1,0.5,s,1\nx,1,1,0.5,{},0\n", "s".repeat(length));
    assert!(from_bytes(row(csv::MAX_FIELD_BYTES).as_bytes(), Format::Csv).is_ok());
    let error = from_bytes(row(csv::MAX_FIELD_BYTES + 1).as_bytes(), Format::Csv);
    assert_eq!(
        error.map(drop).unwrap_err().to_string(),
        "line 2: the state of row 2 has 1048577 bytes: expected at most 1048576 bytes"
    );
}

#[test]
fn the_mean_of_no_visits_may_be_anything() {
    assert!(from_bytes(b",0,0,nan,s,0\n", Format::Csv).is_ok());
}

#[test]
fn a_field_of_300_megabytes_costs_little_memory() {
    // A name that never ends, whatever it is quoted with, behind a sound row.
    let open = || {
        let begin = &b",1,1,0.5,s,1\nx,1,1,0.5,"[..];
        Ok(io::Read::chain(
            begin,
            io::Read::take(io::repeat(b'x'), 300 << 20),
        ))
    };
    let (result, most) = measure_peak_memory(|| csv::read(open));
    assert_eq!(
        result.map(drop).unwrap_err().to_string(),
        "line 2: row 2 has a field that is too long: expected at most 1048576 bytes"
    );
    assert!(most < 24 << 20, "{most} bytes");
}

#[test]
fn a_name_that_csv_has_no_room_for_is_not_written() {
    let mut builder = TreeBuilder::default();
    let state = "s".repeat(csv::MAX_FIELD_BYTES + 1);
    let row = TreeRow {
        state: &state,
        ..TreeRow::default()
    };
    builder.push(&row).unwrap();
    let tree = builder.finish().unwrap();
    let error = Format::Csv.write(&tree, &mut Vec::new()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the state of row 1 has 1048577 bytes"),
        "{error}"
    );
    assert_eq!(to_bytes(&tree, Format::Tree).len(), state.len() + 8);
}

fn chain_tree(length: usize) -> Tree {
    let mut builder = TreeBuilder::default();
    for row in 0..length {
        builder
            .push(&TreeRow {
                move_name: if row == 0 { "" } else { "m" },
                visits: 1,
                second: 1,
                mean: 0.5,
                state: "p1",
                children: u32::from(row + 1 < length),
            })
            .unwrap();
    }
    builder.finish().unwrap()
}

fn check_deep_tree(length: usize) {
    let tree = chain_tree(length);
    for format in FORMATS {
        let bytes = to_bytes(&tree, format);
        let (back, most) = measure_peak_memory(|| from_bytes(&bytes, format).unwrap());
        assert_eq!(back.nodes().len(), length);
        assert!(most < 8 * bytes.len().max(40 * length), "{most}");
    }
    let document = files::Document {
        tree,
        meta: None,
        extra: None,
        columns: None,
        problems: Vec::new(),
    };
    let summary = summary::summarize(&document);
    assert_eq!(summary.widths.len(), length);
    assert_eq!(summary.pv.len(), length - 1);
    assert_eq!(summary.inconsistencies, []);
}

#[test]
fn a_chain_of_a_million_nodes_is_fine() {
    check_deep_tree(1_000_000);
}

#[test]
#[ignore = "takes some gigabytes"]
fn a_chain_of_ten_million_nodes_is_fine() {
    check_deep_tree(10_000_000);
}

#[test]
fn what_does_not_add_up_is_found() {
    let text = ",10,10,0.5,root,2\na,8,9,0.5,p2,1\nb,9,0,0.5,p1,0\nc,-1,0,3.5,=9,0\n";
    let document = files::Document {
        tree: from_bytes(text.as_bytes(), Format::Csv).unwrap(),
        meta: None,
        extra: None,
        columns: None,
        problems: Vec::new(),
    };
    let summary = summary::summarize(&document);
    let faults: Vec<(&str, u64, usize)> = summary
        .inconsistencies
        .iter()
        .map(|fault| (fault.what, fault.count, fault.row))
        .collect();
    assert_eq!(
        faults,
        [
            ("the second counter is above the visits", 2, 2),
            ("a counter is below 0", 1, 4),
            ("the node it shares is not in the tree", 1, 4),
            ("its children have more visits than it has", 1, 2),
        ]
    );
    assert_eq!(summary.widths, [1, 2, 1]);
    assert_eq!(summary.pv, ["a", "b"]);
}
