//! `canopy-engine import`, `convert` to formats of other programs, and the readers behind them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use canopy_engine::{
    rng::Rng,
    tree::{
        files::{self, Document},
        import::{ImportFormat, Mapping, dot, json_lines, nested},
        summary,
    },
};
use support::{Scratch, data};

mod support;

const ENGINE: &str = env!("CARGO_BIN_EXE_canopy-engine");

fn run_engine(arguments: &[&str]) -> Output {
    Command::new(ENGINE)
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// Reads a text in a format; the error as a sentence.
fn read(format: ImportFormat, text: &[u8], mapping: &Mapping) -> Result<Document, String> {
    let table = match format {
        ImportFormat::Json => nested::read(text, mapping),
        ImportFormat::JsonLines => json_lines::read(text, mapping),
        ImportFormat::Dot => dot::read(text, mapping),
    };
    (table.and_then(|table| table.finish(mapping))).map_err(|error| error.to_string())
}

/// The rows as `depth move visits mean state`.
fn rows(document: &Document) -> Vec<String> {
    let tree = &document.tree;
    let mut depths = vec![0; tree.nodes().len()];
    let mut rows = Vec::new();
    for (row, node) in tree.nodes().iter().enumerate() {
        if row > 0 {
            depths[row] = depths[node.parent as usize] + 1;
        }
        let (mv, state) = (tree.move_name(row), tree.state(row));
        rows.push(format!(
            "{} {mv} {} {:.2} {state}",
            depths[row], node.visits, node.mean
        ));
    }
    rows
}

fn column(document: &Document, name: &str) -> Vec<f64> {
    let columns = document.columns.as_ref().expect("there are columns");
    let column = columns.find(name).expect("the column is there");
    (0..document.tree.nodes().len())
        .map(|row| column.value(row))
        .collect()
}

#[test]
fn nested_json_needs_no_mapping_where_its_names_are_common() {
    let text = br#"{"state":"start","N":6,"Q":0.5,"children":[
        {"action":3,"N":4,"Q":0.75,"P":0.5,"depth":1,"children":[]},
        {"action":"pass","N":2,"Q":0,"P":0.25,"stats":{"variance":0.125}}]}"#;
    let document = read(ImportFormat::Json, text, &Mapping::default()).expect("it is a tree");
    assert_eq!(
        rows(&document),
        ["0  6 0.50 start", "1 3 4 0.75 ", "1 pass 2 0.00 "]
    );
    assert_eq!(column(&document, "prior")[1..], [0.5, 0.25]);
    assert_eq!(column(&document, "stats.variance")[2], 0.125);
    assert!(column(&document, "depth")[2].is_nan());
    let by_move = br#"{"visits":3,"children":{"a":{"visits":2,"children":{"b":{"visits":1}}},"c":{"visits":1}}}"#;
    let document = read(ImportFormat::Json, by_move, &Mapping::default()).expect("it is a tree");
    assert_eq!(
        rows(&document),
        ["0  3 0.50 ", "1 a 2 0.50 ", "2 b 1 0.50 ", "1 c 1 0.50 "]
    );
}

#[test]
fn a_mapping_names_every_field_and_says_what_values_mean() {
    let mapping = "root = \"tree\"\nchildren = \"kids\"\nmove = \"m\"\nvisits = \"count\"\nvalue = \"v\"\nrange = \"-1..1\"\nvalue_for = \"to-move\"\ngame = \"connect-four\"";
    let mapping = Mapping::parse(mapping).expect("it is a mapping");
    let text = br#"{"visits":99,"tree":{"count":3,"v":1,"kids":[{"m":4,"count":3,"v":-0.5,"visits":12}]},"more":{"kids":[{}]}}"#;
    let document = read(ImportFormat::Json, text, &mapping).expect("it is a tree");
    assert_eq!(
        rows(&document),
        ["0  3 0.00 connect-four startpos", "1 4 3 0.75 "]
    );
    assert_eq!(
        document.meta.expect("there is a sidecar").game,
        "connect-four"
    );
    // What is called visits is a number like any other now.
    let wrong = Mapping::parse("children = 3").expect_err("not a text");
    assert!(wrong.contains("children"), "{wrong}");
    let unknown = Mapping::parse("childs = \"x\"").expect_err("no such field");
    assert!(unknown.contains("childs"), "{unknown}");
}

#[test]
fn lines_may_come_in_any_order() {
    let text = br#"{"id":3,"parent":2,"visits":1,"move":"b"}

{"id":2,"parent":"root","visits":2,"move":"a","list":[1,{"id":9}]}
{"id":"root","visits":2}
"#;
    let document = read(ImportFormat::JsonLines, text, &Mapping::default()).expect("it is a tree");
    assert_eq!(
        rows(&document),
        ["0  2 0.50 ", "1 a 2 0.50 ", "2 b 1 0.50 "]
    );
}

#[test]
fn dot_has_moves_and_figures_in_labels_and_attributes() {
    let text = br#"/* a tree */ strict digraph "T" { rankdir=LR; node [shape=box];
        root [label="start\nN: 6\nQ = 0.5"] # the root
        root -> a [label="e4", visits=4]; a [Q=0.75 width=3]
        subgraph cluster_1 { root -> { b c } [label=d4]; b [label="N: 2"]; }
        a -> x:n -> y; }"#;
    let document = read(ImportFormat::Dot, text, &Mapping::default()).expect("it is a tree");
    assert_eq!(
        rows(&document),
        [
            "0  6 0.50 ",
            "1 e4 4 0.75 ",
            "2 x 0 0.50 ",
            "3 y 0 0.50 ",
            "1 d4 2 0.50 ",
            "1 d4 0 0.50 "
        ]
    );
}

#[test]
fn commas_and_escapes_in_labels_of_dot_part_figures_and_not_moves() {
    let text = br#"digraph { r -> a [label="x(0,1)"]; r -> b [label="e4, N: 3, Q: 0.25"];
        r -> c [label="d4\rN: 2\rQ: 0.75\r"]; r -> d [label="{c4|N: 1, Q: 1}"]; }"#;
    let document = read(ImportFormat::Dot, text, &Mapping::default()).expect("it is a tree");
    assert_eq!(
        rows(&document)[1..],
        [
            "1 x(0,1) 0 0.50 ",
            "1 e4 3 0.25 ",
            "1 d4 2 0.75 ",
            "1 c4 1 1.00 "
        ]
    );
}

#[test]
fn a_second_way_to_a_node_is_a_row_that_refers_to_it() {
    let text = b"digraph { a -> b -> d; a -> c -> d [label=\"m\"]; }";
    let document = read(ImportFormat::Dot, text, &Mapping::default()).expect("it is a graph");
    // Without visits, nodes at and below are counted, those of a shared node on both ways.
    assert_eq!(
        rows(&document),
        [
            "0  5 0.50 ",
            "1 b 2 0.50 ",
            "2 d 1 0.50 ",
            "1 m 2 0.50 ",
            "2 m 1 0.50 =3"
        ]
    );
    assert!(summary::summarize(&document).inconsistencies.is_empty());
}

/// What no format takes, and why: `\n` is the end of a line, `\xff` that byte.
const REFUSED_JSON: &str = r#"
=> line 1: the file ends in the middle of a value
[1] => line 1: an array: expected the root, an object
3 => line 1: not a tree
{"children":[\n{"visits":-3}]} => line 2: "visits" is below 0
{"visits":1} => no node has the key "children"
{"visits":"many"} => line 1: "visits" is "many": expected a number
{"visits":1e999} => "visits" is inf: expected a finite number
{"value":-Infinity} => "value" is -inf
{"visits":1}\n{"visits":2} => line 2: something follows the end of the value
{"a":"\xff"} => line 1: a text is not UTF-8
"#;
const REFUSED_JSON_LINES: &str = r#"
=> there is no node
{"visits":1} => line 1: the node has no id
{"id":0}\n{"id":1,"parent":1} => line 2: the node "1" is its own parent
{"id":1}\n{"id":1} => line 2: a second node has the id "1"
{"id":1}\n\n{"id":2} => line 3: a second node without a parent; the first is in line 1
{"id":1}\n{"id":2,"parent":3}\n => line 2: no node has the id "3" of the parent
{"id":1,"parent":2}\n{"id":2,"parent":3}\n{"id":3,"parent":4}\n{"id":4,"parent":5}\n{"id":5,"parent":1} => there is no root: every node has a parent
{"id":0}\n{"id":1,"parent":2}\n{"id":2,"parent":1}\n => line 2: the node cannot be reached from the root: its parents form a cycle
{"id":1}\n{"id":2,"parent":1,"visits":} => line 2: '}' where a value was expected
"#;
const REFUSED_DOT: &str = r#"
{} => line 1: no DOT
digraph { => the file ends before the graph does
digraph {} => the graph has no nodes
digraph { a -> a } => an edge leads from a node to itself
digraph { r -> a -> b -> c -> a } => lies on a cycle
digraph { a -> b -> a } => there is no root
digraph { a; b } => a second node without a parent
digraph { a [label="x } => a quote is not closed
digraph { a [label="\xff"] } => a name is not UTF-8
digraph { a [visits=-3] } => "visits" is below 0
digraph { a [=3] } => expected NAME=VALUE
"#;

/// Every format refuses these, with a line and a reason.
#[test]
fn damaged_and_hostile_files_are_refused_with_line_and_key() {
    for (format, cases) in [
        (ImportFormat::Json, REFUSED_JSON),
        (ImportFormat::JsonLines, REFUSED_JSON_LINES),
        (ImportFormat::Dot, REFUSED_DOT),
    ] {
        for case in cases.trim().lines() {
            let (text, expected) = case.split_once("=> ").expect("a text and its error");
            let text = text.trim_end().replace("\\n", "\n");
            let pieces: Vec<&[u8]> = text.split("\\xff").map(str::as_bytes).collect();
            let error = read(format, &pieces.join(&0xff), &Mapping::default()).expect_err(expected);
            assert!(error.contains(expected), "{expected:?} but {error}");
        }
    }
}

#[test]
fn values_that_are_no_numbers_are_none_and_large_counters_are_clamped() {
    let text = b"{\"visits\":1e15,\"value\":NaN,\"prior\":null,\"huge\":1e999,\"children\":[null,{\"visits\":2.6,\"x\":true}]}";
    let document = read(ImportFormat::Json, text, &Mapping::default()).expect("it is a tree");
    assert_eq!(rows(&document), ["0  2147483647 0.50 ", "1  3 0.50 "]);
    assert!(document.meta.as_ref().is_some_and(|meta| meta.saturated));
    assert_eq!(column(&document, "x")[1], 1.0);
}

#[test]
fn depth_is_no_danger() {
    let depth = 200_000;
    let json = "{\"children\":[".repeat(depth) + "{}" + &"]}".repeat(depth);
    let document =
        read(ImportFormat::Json, json.as_bytes(), &Mapping::default()).expect("it is a tree");
    assert_eq!(document.tree.nodes().len(), depth + 1);
    let dot = format!("digraph {{{}", "{".repeat(depth));
    let error = read(ImportFormat::Dot, dot.as_bytes(), &Mapping::default()).expect_err("too deep");
    assert!(error.contains("nested too deeply"), "{error}");
}

/// Cut and damaged at every place, a file is read or refused, and never a panic.
#[test]
fn no_damage_is_a_panic() {
    let files: [(ImportFormat, &[u8]); 3] = [
        (ImportFormat::Json, br#"{"N":6,"Q":-0.5,"children":[{"action":3,"N":4,"s":{"x":[1]},"children":{"b":{}}}]}"#),
        (ImportFormat::JsonLines, b"{\"id\":1,\"N\":2}\n{\"id\":\"a\\u00e9\",\"parent\":1,\"x\":null}\n"),
        (ImportFormat::Dot, b"digraph g { a [label=\"x\\nN: 3\"]; a -> {b c} [label=<b>]; b -- d:n; subgraph s { c -> d } }"),
    ];
    for (format, whole) in files {
        assert!(
            read(format, whole, &Mapping::default()).is_ok(),
            "{format:?}"
        );
        for at in 0..whole.len() {
            let _ = read(format, &whole[..at], &Mapping::default());
            for byte in [0, b'"', b'{', b'}', b'[', b'\\', b'-', b'9', 0xff] {
                let mut damaged = whole.to_vec();
                damaged[at] = byte;
                let _ = read(format, &damaged, &Mapping::default());
            }
        }
    }
}

#[test]
fn shapes_of_mctx_and_tamago_have_mappings() {
    let scratch = Scratch::new("import-shapes");
    for (file, expected) in [
        (
            "mctx.jsonl",
            &["0  8 0.38 ", "1 3 5 0.75 ", "2 4 3 0.00 ", "1 0 2 0.25 "][..],
        ),
        (
            "tamago.json",
            &[
                "0  10 0.60 ",
                "1 D4 7 0.70 ",
                "2 Q16 3 0.30 ",
                "1 C3 3 0.20 ",
            ],
        ),
    ] {
        let output = scratch.0.join("out.tree");
        let input = data("import").join(file).display().to_string();
        let run = run_engine(&["import", &input, &output.display().to_string()]);
        assert!(run.status.success(), "{run:?}");
        let document = files::read(&output, None).expect("it was written");
        assert_eq!(rows(&document), expected, "{file}");
        assert!(document.columns.is_some() && document.problems.is_empty());
        // The same without a tree file: the mapping lies beside the file.
        let direct = files::read(Path::new(&input), None).expect("it can be opened");
        assert_eq!(direct.tree.nodes().len(), expected.len());
    }
    let tamago = files::read(&data("import/tamago.json"), None).expect("it can be opened");
    let formula = tamago
        .meta
        .and_then(|meta| meta.formula)
        .unwrap_or_default();
    assert!(formula.contains("prior"), "{formula}");
}

#[test]
fn options_take_the_place_of_the_mapping_file() {
    let scratch = Scratch::new("import-options");
    let (input, output) = (scratch.0.join("in.json"), scratch.0.join("out.csv"));
    fs::write(&input, r#"{"w":2,"sub":[{"w":2,"m":"x","r":-1}]}"#).expect("it can be written");
    fs::write(
        scratch.0.join("in.toml"),
        "visits = \"nothing\"\nchildren = \"sub\"",
    )
    .expect("it can be written");
    let (input, output) = (input.display().to_string(), output.display().to_string());
    let run = run_engine(&[
        "import", &input, &output, "--visits", "w", "--move", "m", "--value", "r", "--range",
        "-1..1",
    ]);
    assert!(run.status.success(), "{run:?}");
    assert_eq!(
        fs::read_to_string(&output).expect("it is there"),
        ",2,2,0.5,,1\nx,2,2,0,,0\n"
    );
    let own = scratch.0.join("in.tree").display().to_string();
    let refused = run_engine(&["import", &input, &own]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("would replace the input"));
}

/// The tree of a small search, with columns.
fn grown_tree(scratch: &Scratch) -> PathBuf {
    grow(scratch, "--extra")
}

fn grow(scratch: &Scratch, flag: &str) -> PathBuf {
    let line = format!("grow --game othello --search uct,select=puct --iterations 60 {flag} --out");
    let mut arguments: Vec<&str> = line.split(' ').collect();
    let out = scratch.0.display().to_string();
    arguments.push(&out);
    let run = run_engine(&arguments);
    assert!(run.status.success(), "{run:?}");
    scratch.files("tree").remove(0)
}

#[test]
fn json_and_dot_come_back_as_the_same_tree() {
    let scratch = Scratch::new("convert-foreign");
    let tree = grown_tree(&scratch);
    let original = files::read(&tree, None).expect("it was written");
    for extension in ["json", "dot"] {
        let foreign = scratch.0.join(format!("foreign.{extension}"));
        let run = run_engine(&[
            "convert",
            &tree.display().to_string(),
            &foreign.display().to_string(),
        ]);
        assert!(run.status.success(), "{run:?}");
        let back = files::read(&foreign, None).expect("it can be read");
        assert_eq!(rows(&back)[1..], rows(&original)[1..], "{extension}");
        let again = scratch.0.join(format!("again-{extension}.tree"));
        let run = run_engine(&[
            "convert",
            &foreign.display().to_string(),
            &again.display().to_string(),
        ]);
        assert!(run.status.success(), "{run:?}");
        let again = fs::read(again).expect("it was written");
        if extension == "json" {
            assert!(
                again == fs::read(&tree).expect("it is there"),
                "not the same bytes"
            );
            assert_eq!(column(&back, "prior")[1..], column(&original, "prior")[1..]);
        }
    }
    let sidecar = tree.with_extension("json").display().to_string();
    let refused = run_engine(&["convert", &tree.display().to_string(), &sidecar]);
    assert_eq!(refused.status.code(), Some(2));
    let opened = files::read(Path::new(&sidecar), None).expect_err("a sidecar is no tree");
    assert!(
        opened.to_string().contains("it is the sidecar of"),
        "{opened}"
    );
}

#[test]
fn positions_can_be_written_into_the_states() {
    let scratch = Scratch::new("convert-positions");
    let tree = grown_tree(&scratch).display().to_string();
    let csv = scratch.0.join("positions.csv");
    let run = run_engine(&["convert", "--positions", &tree, &csv.display().to_string()]);
    assert!(run.status.success(), "{run:?}");
    let document = files::read(&csv, None).expect("it can be read");
    assert!(
        document.tree.state(1).starts_with("p2 ---"),
        "{}",
        document.tree.state(1)
    );
    // The engine itself writes the same with --states.
    let states = Scratch::new("convert-positions-grown");
    let grown = files::read(&grow(&states, "--states"), None).expect("it was written");
    let of = |document: &Document| -> Vec<String> {
        (0..document.tree.nodes().len())
            .map(|row| document.tree.state(row).to_owned())
            .collect()
    };
    assert_eq!(of(&document), of(&grown));
}

/// Random edits of sound files, for as long as CANOPY_FUZZ_SECONDS says (10): pieces copied, cut, repeated and overwritten.
#[test]
#[ignore = "seconds to minutes of random damage"]
fn random_damage_is_no_panic() {
    let seconds = std::env::var("CANOPY_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(10));
    let seeds: [(ImportFormat, &[u8]); 4] = [
        (ImportFormat::Json, br#"{"state":"s","N":6,"Q":-0.5,"children":[{"action":3,"N":4,"P":0.5,"children":{"b":{"x":{"y":1e3}}}},{"N":2,"children":[null]}]}"#),
        (ImportFormat::JsonLines, b"{\"id\":1,\"N\":2}\n{\"id\":\"a\\u00e9\\ud83d\\ude00\",\"parent\":1,\"Q\":null}\n\n{\"id\":3,\"parent\":\"a\",\"z\":[{}]}\n"),
        (ImportFormat::Dot, b"strict digraph \"g\" { node [shape=box]; a [label=\"e4\\nN: 3\"]; a -> {b c} [label=<b>]; b -- d:n; subgraph s { c -> d } /* x */ }"),
        (ImportFormat::Dot, b"graph { 1 -- 2 -- 3 [visits=3, Q=.5]; 1 -- 4; 4 -- 3 // two ways\n }"),
    ];
    let mut rng = Rng::new(27);
    let (mut runs, mut sound) = (0_u64, 0_u64);
    while Instant::now() < end {
        let (format, seed) = seeds[rng.below(seeds.len() as u32) as usize];
        let mut bytes = seed.to_vec();
        for _ in 0..=rng.below(6) {
            if bytes.is_empty() {
                break;
            }
            let at = rng.below(bytes.len() as u32) as usize;
            let to = (at + rng.below(24) as usize).min(bytes.len());
            match rng.below(4) {
                0 => bytes[at] = b"{}[]\":,\\-0919eNt\n\xff\x00"[rng.below(19) as usize],
                1 => drop(bytes.drain(at..to)),
                2 => {
                    let piece = bytes[at..to].to_vec();
                    let place = rng.below(bytes.len() as u32) as usize;
                    bytes.splice(place..place, piece);
                }
                _ => {
                    let piece = bytes[at..to].repeat(1 + rng.below(40) as usize);
                    bytes.splice(at..at, piece);
                }
            }
        }
        runs += 1;
        if let Ok(document) = read(format, &bytes, &Mapping::default()) {
            sound += 1;
            let summary = summary::summarize(&document);
            assert_eq!(
                summary.widths.iter().sum::<u64>() as usize,
                document.tree.nodes().len()
            );
        }
    }
    assert!(sound > 0, "{runs} runs");
    support::print_uncaptured(&format!("{runs} damaged files, {sound} of them read\n"));
}
