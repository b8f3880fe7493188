//! The formats byte for byte: trees, extras and columns are read as they were written.

use crate::support::untested_data;

use super::*;

#[test]
fn our_small_tree_has_these_bytes() {
    let bytes = fs::read(data("trees/small.tree")).unwrap();
    let text = fs::read(data("trees/small.csv")).unwrap();
    let quoted = fs::read(data("trees/quoted.csv")).unwrap();
    let tree = from_bytes(&text, Format::Csv).unwrap();
    assert_eq!(to_bytes(&tree, Format::Tree), bytes);
    assert_eq!(to_bytes(&tree, Format::Csv), text);
    assert!(from_bytes(&quoted, Format::Csv).unwrap() == tree);
    assert_eq!(tree.nodes().len(), 7);
    assert_eq!(tree.move_name(2), "bar | and \"quotes\"");
    assert_eq!(tree.state(2), "two\nlines");
    let mut binary = from_bytes(&bytes, Format::Tree).unwrap();
    assert_eq!((binary.nodes()[0].visits, binary.nodes()[0].mean), (0, 0.0));
    binary.set_root_stats(10, 10, 0.45);
    assert!(binary == tree);
    let parents: Vec<u32> = tree.nodes().iter().map(|node| node.parent).collect();
    assert_eq!(parents, [0, 0, 0, 2, 2, 0, 5]);
    assert_eq!(tree.subtree_sizes(), [7, 1, 3, 1, 1, 2, 1]);
}

/// A folder of third-party files; `None`, recorded as untested, where it is missing.
fn foreign_files(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/others-data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    untested_data(&format!("{} is not there", path.display()));
    None
}

#[test]
fn report_000s_trees_go_to_the_other_format_and_back() {
    let Some(folder) = foreign_files("report000-trees") else {
        return;
    };
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let tree = Format::from_path(&path)
            .unwrap()
            .read(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(from_bytes(&to_bytes(&tree, Format::Csv), Format::Csv).unwrap() == tree);
        let root = tree.nodes()[0];
        let mut back = from_bytes(&to_bytes(&tree, Format::Tree), Format::Tree).unwrap();
        back.set_root_stats(root.visits, root.second, root.mean);
        assert_eq!(back.nodes().len(), tree.nodes().len());
        // The root's move is the one thing that has no other place.
        let lost = !tree.move_name(0).is_empty();
        assert!(lost || back == tree, "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 10);
}

#[test]
fn the_reference_file_is_reproduced() {
    let (Some(tree), Some(text)) = (
        foreign_files("serialization_test.tree"),
        foreign_files("serialization_test.csv"),
    ) else {
        return;
    };
    let bytes = fs::read(tree).unwrap();
    assert_eq!(bytes.len(), 134);
    let read = csv::read(|| fs::File::open(&text)).unwrap();
    assert_eq!(to_bytes(&read, Format::Tree), bytes);
}

/// Random trees with names that need quoting and escaping.
fn arbitrary_trees() -> impl Strategy<Value = Tree> {
    let name = prop_oneof![
        Just(String::new()),
        "[a-h][1-8]",
        "[,|\"\n\r =]{1,6}",
        any::<String>(),
        Just("🌲🌳".to_owned()),
        Just("\u{feff}mark".to_owned()),
    ];
    let row = (
        name.clone(),
        any::<i32>(),
        any::<i32>(),
        any::<f64>(),
        name,
        0_u32..4,
    );
    prop::collection::vec(row, 1..40).prop_map(|rows| {
        let mut builder = TreeBuilder::default();
        let mut open = 1_i64;
        for (index, (move_name, visits, second, mean, state, children)) in rows.iter().enumerate() {
            // Close the tree with the last rows.
            let left = (rows.len() - index - 1) as i64;
            let children = i64::from(*children).min(left - (open - 1)).max(0);
            let children = if open == 1 && left > 0 {
                children.max(1)
            } else {
                children
            };
            open += children - 1;
            let visits = if mean.is_finite() { *visits } else { 0 };
            builder
                .push(&TreeRow {
                    move_name,
                    visits,
                    second: *second,
                    mean: *mean,
                    state,
                    children: children as u32,
                })
                .unwrap();
            if open == 0 {
                break;
            }
        }
        builder.finish().unwrap()
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(tree in arbitrary_trees()) {
        let text = to_bytes(&tree, Format::Csv);
        let read_back = from_bytes(&text, Format::Csv).unwrap();
        // Text has one way to say "not a number", bits have many.
        let nan = tree.nodes().iter().any(|node| node.mean.is_nan());
        prop_assert!(nan || read_back == tree);
        prop_assert_eq!(to_bytes(&read_back, Format::Csv), text);
        let bytes = to_bytes(&tree, Format::Tree);
        let mut read_back = from_bytes(&bytes, Format::Tree).unwrap();
        let root = tree.nodes()[0];
        read_back.set_root_stats(root.visits, root.second, root.mean);
        prop_assert!(read_back == tree || !tree.move_name(0).is_empty());
        prop_assert_eq!(to_bytes(&read_back, Format::Tree), bytes);
    }

    #[test]
    fn extras_are_read_as_they_were_written(
        rows in prop::collection::vec(
            (any::<f64>(), any::<u64>(), any::<Option<(u64, f64, f64)>>(), 0..4, any::<bool>()),
            0..20,
        )
    ) {
        let outcomes = [
            None,
            Some(Outcome::Win(Player::First)),
            Some(Outcome::Win(Player::Second)),
            Some(Outcome::Draw),
        ];
        let rows: Vec<Extra> = rows
            .into_iter()
            .map(|(squares, node_visits, table, proven, cut)| Extra {
                squares,
                node_visits,
                table: table.map(|(visits, mean, squares)| extra::ExtraTableEntry { visits, mean, squares }),
                proven: outcomes[proven as usize],
                cut,
            })
            .collect();
        let mut bytes = Vec::new();
        extra::write(&rows, &mut bytes).unwrap();
        prop_assert!(extra::read(&bytes[..]).unwrap() == rows);
    }

    #[test]
    fn columns_are_read_as_they_were_written(
        rows in prop::collection::vec(
            (any::<f64>(), any::<f32>(), any::<i64>(), any::<i32>(), any::<u8>()),
            0..40,
        ),
        kept in prop::collection::btree_set(0_u32..40, 0..20),
    ) {
        let column = |name: &str, values| Column {
            name: name.to_owned(),
            unit: "plies".to_owned(),
            labels: vec!["none".to_owned(), "ä".to_owned()],
            values,
        };
        let of_rows = |rows: &[(f64, f32, i64, i32, u8)]| vec![
            column("real", ColumnValues::F64(rows.iter().map(|row| row.0).collect())),
            column("short", ColumnValues::F32(rows.iter().map(|row| row.1).collect())),
            column("byte", ColumnValues::U8(rows.iter().map(|row| row.4).collect())),
            column("long", ColumnValues::I64(rows.iter().map(|row| row.2).collect())),
            column("whole", ColumnValues::I32(rows.iter().map(|row| row.3).collect())),
        ];
        let written = Columns { rows: rows.len() as u64, columns: of_rows(&rows) };
        let mut bytes = Vec::new();
        columns::write(&written, &mut bytes).unwrap();
        prop_assert_eq!(bytes.len() % 8, 0);
        prop_assert!(columns::read(&bytes[..]).unwrap() == written);
        let kept: Vec<u32> = kept.into_iter().filter(|&row| (row as usize) < rows.len()).collect();
        let part: Vec<_> = kept.iter().map(|&row| rows[row as usize]).collect();
        let read = columns::read_rows(&bytes[..], Some(&kept)).unwrap();
        let expected = Columns { rows: written.rows, columns: of_rows(&part) };
        prop_assert!(read == expected);
    }
}

/// A file of one column of bytes, with any header.
fn column_bytes(header: &str, values: &[u8]) -> Vec<u8> {
    let mut bytes = b"CANOPYC1".to_vec();
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values);
    bytes
}

#[test]
fn columns_by_hand() {
    let header =
        r#"{"rows":3,"columns":[{"name":"class","type":"u8","labels":["leaf","inner"],"more":1}]}"#;
    let columns = columns::read(&column_bytes(header, &[1, 0, 7, 0, 0, 0, 0, 0])[..]).unwrap();
    let class = columns.find("class").unwrap();
    assert_eq!(
        [0, 1, 2, 3].map(|row| class.label(row)),
        [Some("inner"), Some("leaf"), None, None]
    );
    assert_eq!((class.value(2), class.unit.as_str()), (7.0, ""));
    assert!(class.value(3).is_nan());
    for (header, fragment) in [
        ("{", "the header cannot be read"),
        (r#"{"rows":3,"columns":[{"name":"a","type":"u9"}]}"#, "u9"),
        (
            r#"{"rows":5000000000,"columns":[]}"#,
            "rows: expected at most",
        ),
        (
            r#"{"rows":3,"columns":[{"name":"","type":"u8"}]}"#,
            "column 1",
        ),
        (
            r#"{"rows":0,"columns":[{"name":"a","type":"u8"},{"name":"a","type":"u8"}]}"#,
            "two columns are called a",
        ),
        (
            r#"{"rows":4000000000,"columns":[{"name":"a","type":"f64"}]}"#,
            "ends too early",
        ),
    ] {
        let problem = columns::read(&column_bytes(header, &[0; 8])[..]).unwrap_err();
        assert!(
            problem.to_string().contains(fragment),
            "{header}: {problem}"
        );
    }
    let mut long = b"CANOPYC1".to_vec();
    long.extend(u32::MAX.to_le_bytes());
    let problem = columns::read(&long[..]).unwrap_err().to_string();
    assert!(problem.contains("header of 4294967295 bytes"), "{problem}");
}

/// PUCT's priors stand in a column beside the tree, written with the extras, and go with the tree.
#[test]
fn priors_are_a_column_of_the_tree() {
    let (start, history) = start_position();
    for (name, kept_rows) in [("puct", None), ("transposition,select=puct", Some(50))] {
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        let scratch = Scratch::new(&format!("priors-{}", name.replace(',', "-")));
        let settings = |extra| TreeOutputSettings {
            snapshot: SnapshotOptions {
                extra,
                max_nodes: kept_rows,
                ..SnapshotOptions::default()
            },
            ..writer_settings(&scratch.0)
        };
        let output = TreeOutput::open(settings(false), no_warning()).unwrap();
        let mut grown = catalog::build(&spec).unwrap();
        search_and_write(&mut *grown, &start, &history, 500, Some(&output));
        drop(output);
        assert_eq!(scratch.files("columns"), [""; 0].map(PathBuf::from));
        let output = TreeOutput::open(settings(true), no_warning()).unwrap();
        search_and_write(&mut *grown, &start, &history, 500, Some(&output));
        drop(output);
        let file = scratch.files("columns").pop().unwrap();
        let document = files::read(&file.with_extension("tree"), None).unwrap();
        assert_eq!(document.problems, [""; 0]);
        let named = document.meta.unwrap().columns;
        assert_eq!(named.as_deref(), file.file_name().unwrap().to_str());
        let columns = document.columns.unwrap();
        let prior = columns.find("prior").unwrap();
        assert_eq!(prior.values.len(), document.tree.nodes().len());
        assert!(prior.value(0).is_nan(), "no move leads to the root");
        let is_sound = |row: usize| prior.value(row) > 0.0 && prior.value(row) <= 1.0;
        assert!((1..prior.values.len()).all(is_sound), "{name}");
        assert_eq!(prior.value(1), 1.0 / 7.0);
        // Of another tree's rows nothing is taken.
        let mut bytes = Vec::new();
        let other = Columns {
            rows: 2,
            columns: Vec::new(),
        };
        columns::write(&other, &mut bytes).unwrap();
        fs::write(&file, bytes).unwrap();
        let document = files::read(&file.with_extension("tree"), None).unwrap();
        assert!(document.columns.is_none());
        assert!(document.problems[0].contains("columns of 2 rows"));
    }
}

/// Extra records had 32 bytes before they held the visits and squares of table entries.
#[test]
fn old_extras_are_read() {
    let mut bytes = b"CANOPYX1".to_vec();
    bytes.extend([32, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(2.5_f64.to_le_bytes());
    bytes.extend(7_u64.to_le_bytes());
    bytes.extend(0.75_f64.to_le_bytes());
    bytes.extend([3, 0, 0, 0, 0, 0, 0, 0]);
    let expected = Extra {
        squares: 2.5,
        node_visits: 7,
        table: Some(extra::ExtraTableEntry {
            visits: 0,
            mean: 0.75,
            squares: f64::NAN,
        }),
        proven: Some(Outcome::Draw),
        cut: false,
    };
    assert!(extra::read(&bytes[..]).unwrap() == [expected]);
}
