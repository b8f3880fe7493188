//! Trees of classical searches: windows, bounds, cuts and depths, beside a minimax of our own.

use std::{fs, path::PathBuf};

use canopy_engine::{
    games::{Game as _, Notation as _, Player, kalah::Kalah, notation},
    search::Bound,
    tree::{
        Tree, TreeRow,
        columns::{self, Column, ColumnValues, Columns},
        files::{self, Format},
        meta::{self, Meta, RootMeta},
    },
};
use canopy_viewer::{
    app::Action,
    tree::{
        model::{ModelSource, TreeModel},
        node_value::{NodeValues, ValueView},
        search_window::ClassicalColumns,
    },
};

use crate::{
    pictures::{Part, classical_document},
    stage::Harness,
    support::Scratch,
};

/// South's stones less North's in the stores.
fn evaluate(position: &Kalah) -> f64 {
    let [south, north] = position.score().expect("kalah is counted");
    f64::from(south) - f64::from(north)
}

fn successors(position: &Kalah) -> Vec<(String, Kalah)> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let after = |mv| {
        let mut child = *position;
        child.play(mv);
        (notation::move_text(position, mv), child)
    };
    moves.into_iter().map(after).collect()
}

/// The value for South without any cut-off, and the number of nodes.
fn minimax(position: &Kalah, depth: u32) -> (f64, u64) {
    let children = if depth == 0 {
        Vec::new()
    } else {
        successors(position)
    };
    let all: Vec<(f64, u64)> = children
        .iter()
        .map(|(_, child)| minimax(child, depth - 1))
        .collect();
    let nodes = 1 + all.iter().map(|(_, nodes)| nodes).sum::<u64>();
    let values = all.iter().map(|(value, _)| *value);
    let value = match (all.is_empty(), position.to_move()) {
        (true, _) => evaluate(position),
        (false, Player::First) => values.fold(f64::NEG_INFINITY, f64::max),
        (false, Player::Second) => values.fold(f64::INFINITY, f64::min),
    };
    (value, nodes)
}

/// A row of the tree; value and window are South's.
struct SearchedRow {
    mv: String,
    mover: Player,
    position: Kalah,
    depth: u32,
    children: u32,
    nodes: u64,
    value: f64,
    window: (f64, f64),
    bound: u8,
    cut: u8,
}

/// Alpha-beta that writes down what it does, in the order of the tree.
fn alpha_beta(row: SearchedRow, rows: &mut Vec<SearchedRow>) -> (f64, u64) {
    let (position, depth, window) = (row.position, row.depth, row.window);
    let at = rows.len();
    rows.push(row);
    let children = if depth == 0 {
        Vec::new()
    } else {
        successors(&position)
    };
    let is_south = position.to_move() == Player::First;
    let (mut alpha, mut beta) = window;
    let mut best = if is_south {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    };
    let (mut nodes, mut is_cut) = (1, false);
    let count = children.len() as u32;
    for (mv, child) in children {
        let row = SearchedRow {
            mv,
            mover: position.to_move(),
            position: child,
            depth: depth - 1,
            children: 0,
            nodes: 0,
            value: f64::NAN,
            window: (alpha, beta),
            bound: 0,
            cut: 6,
        };
        if is_cut {
            rows.push(row);
            continue;
        }
        let (value, below) = alpha_beta(SearchedRow { cut: 0, ..row }, rows);
        nodes += below;
        best = if is_south {
            best.max(value)
        } else {
            best.min(value)
        };
        if is_south {
            alpha = alpha.max(best);
        } else {
            beta = beta.min(best);
        }
        is_cut = alpha >= beta;
    }
    let value = if count == 0 {
        evaluate(&position)
    } else {
        best
    };
    let row = &mut rows[at];
    (row.children, row.nodes, row.value) = (count, nodes, value);
    row.cut = u8::from(is_cut);
    row.bound = match count {
        0 => 0,
        _ if value <= window.0 => 2,
        _ if value >= window.1 => 1,
        _ => 0,
    };
    (value, nodes)
}

fn search(root: &Kalah, depth: u32) -> Vec<SearchedRow> {
    let mut rows = Vec::new();
    let row = SearchedRow {
        mv: String::new(),
        mover: root.to_move().opponent(),
        position: *root,
        depth,
        children: 0,
        nodes: 0,
        value: 0.0,
        window: (f64::NEG_INFINITY, f64::INFINITY),
        bound: 0,
        cut: 0,
    };
    alpha_beta(row, &mut rows);
    rows
}

/// A position after some moves of each side, South to move.
fn middle_game() -> Kalah {
    let mut position = Kalah::start(Default::default());
    for mv in ["3", "6", "2", "1", "5", "2", "4"] {
        if let Ok(mv) = position.parse_move(mv) {
            position.play(mv);
        }
    }
    while position.to_move() != Player::First {
        let (_, next) = successors(&position).swap_remove(0);
        position = next;
    }
    position
}

/// The chosen line: from the root the first move with the best value, and so on.
fn chosen_line(rows: &[SearchedRow]) -> Vec<String> {
    let mut line = Vec::new();
    let (mut at, mut next) = (0, 1);
    while rows[at].children > 0 {
        let mut found = None;
        for _ in 0..rows[at].children {
            if found.is_none() && rows[next].cut != 6 && rows[next].value == rows[at].value {
                found = Some(next);
            }
            next += subtree(rows, next);
        }
        let Some(child) = found else { break };
        line.push(rows[child].mv.clone());
        (at, next) = (child, child + 1);
    }
    line
}

fn subtree(rows: &[SearchedRow], row: usize) -> usize {
    let mut size = 1;
    for _ in 0..rows[row].children {
        size += subtree(rows, row + size);
    }
    size
}

/// The columns as the contract has them: for the player who made the move.
fn columns_of(rows: &[SearchedRow]) -> Columns {
    let for_mover = |row: &SearchedRow, value: f64| match row.mover {
        Player::First => value,
        Player::Second => -value,
    };
    let real = |name: &str, value: &dyn Fn(&SearchedRow) -> f64| Column {
        name: name.to_owned(),
        unit: "stones".to_owned(),
        labels: Vec::new(),
        values: ColumnValues::F64(rows.iter().map(value).collect()),
    };
    let small = |name: &str, value: &dyn Fn(&SearchedRow) -> u8| Column {
        name: name.to_owned(),
        unit: String::new(),
        labels: Vec::new(),
        values: ColumnValues::U8(rows.iter().map(value).collect()),
    };
    let is_first = |row: &SearchedRow| row.mover == Player::First;
    let bound = |row: &SearchedRow| match (row.bound, is_first(row)) {
        (1, false) => 2,
        (2, false) => 1,
        (bound, _) => bound,
    };
    let alpha = |row: &SearchedRow| {
        if is_first(row) {
            row.window.0
        } else {
            -row.window.1
        }
    };
    let beta = |row: &SearchedRow| {
        if is_first(row) {
            row.window.1
        } else {
            -row.window.0
        }
    };
    Columns {
        rows: rows.len() as u64,
        columns: vec![
            real("value", &|row| for_mover(row, row.value)),
            real("alpha", &alpha),
            real("beta", &beta),
            small("bound", &bound),
            small("cut", &|row| row.cut),
            small("depth", &|row| row.depth as u8),
        ],
    }
}

fn tree_of(rows: &[SearchedRow]) -> Tree {
    let mean = |row: &SearchedRow| {
        let value = if row.mover == Player::First {
            row.value
        } else {
            -row.value
        };
        0.5 + 0.5 * value * 100.0 / (value.abs() * 100.0 + 200.0)
    };
    let rows = rows.iter().map(|row| TreeRow {
        state: match row.position.to_move() {
            Player::First => "p1",
            Player::Second => "p2",
        },
        ..TreeRow::new(
            &row.mv,
            row.nodes as i32,
            if row.cut == 6 { 0.0 } else { mean(row) },
            row.children,
        )
    });
    Tree::from_rows(rows).expect("a whole tree")
}

fn meta_of(root: &Kalah, rows: &[SearchedRow], depth: u32) -> Meta {
    let line = chosen_line(rows);
    Meta {
        format: meta::FORMAT_VERSION,
        is_final: true,
        game: "kalah".to_owned(),
        position: notation::position_text(root),
        to_move: 1,
        search: "alpha-beta".to_owned(),
        parameters: [("depth".to_owned(), depth.to_string())].into(),
        nodes: rows[0].nodes,
        chosen: line.first().cloned(),
        line,
        root: RootMeta {
            visits: rows[0].nodes,
            second: rows[0].nodes,
            mean: 0.5,
        },
        ..Meta::default()
    }
}

fn model_of(root: &Kalah, depth: u32) -> (TreeModel, Vec<SearchedRow>) {
    let rows = search(root, depth);
    let model = TreeModel::new(ModelSource {
        meta: Some(meta_of(root, &rows, depth).into()),
        columns: Some(columns_of(&rows).into()),
        ..ModelSource::of(tree_of(&rows))
    });
    (model, rows)
}

#[test]
fn whatever_is_told_of_a_node_holds_without_cut_offs_too() {
    let root = middle_game();
    let (model, rows) = model_of(&root, 4);
    let columns = ClassicalColumns::of(&model).expect("it has them");
    let values = NodeValues::new(&model, ValueView::First);
    let mut bounds = [0; 3];
    for node in 0..model.len() {
        let row = model.row(node);
        let told = columns.row(row, values.mean_owner(node), Player::First);
        assert_eq!(told.value.is_none(), rows[row].cut == 6);
        let Some(value) = told.value else { continue };
        let (full, _) = minimax(&rows[row].position, rows[row].depth);
        let holds = match told.bound {
            Bound::Exact => value == full,
            Bound::AtLeast => full >= value,
            Bound::AtMost => full <= value,
        };
        assert!(holds, "row {row}: {told:?}, minimax {full}");
        bounds[told.bound as usize] += 1;
    }
    // Many of each kind were compared.
    assert!(bounds.iter().all(|&count| count > 10), "{bounds:?}");
    let (full, nodes) = minimax(&root, 4);
    assert_eq!(rows[0].value, full);
    assert!(rows[0].nodes * 2 < nodes, "{} of {nodes}", rows[0].nodes);
}

/// The files of a deepening search to some depth, with a tree for every depth; the tree of the last.
fn write_search(scratch: &Scratch, depth: u32) -> PathBuf {
    let root = middle_game();
    let mut list = Vec::new();
    for depth in 1..=depth {
        let rows = search(&root, depth);
        let (value, full) = minimax(&root, depth);
        let name = format!("kalah-d{depth:02}");
        list.push(serde_json::json!({
            "depth": depth, "value": value, "nodes": rows[0].nodes, "full_nodes": full,
            "best": chosen_line(&rows).first(), "tree": name,
        }));
        write_files(scratch, &name, &root, &rows, depth, None);
    }
    let rows = search(&root, depth);
    write_files(scratch, "kalah", &root, &rows, depth, Some(list));
    scratch.0.join("kalah.tree")
}

fn write_files(
    scratch: &Scratch,
    name: &str,
    root: &Kalah,
    rows: &[SearchedRow],
    depth: u32,
    depths: Option<Vec<serde_json::Value>>,
) {
    let path = |extension: &str| scratch.0.join(format!("{name}.{extension}"));
    let mut bytes = Vec::new();
    Format::Tree
        .write(&tree_of(rows), &mut bytes)
        .expect("a tree");
    fs::write(path("tree"), bytes).expect("it can be written");
    let mut bytes = Vec::new();
    columns::write(&columns_of(rows), &mut bytes).expect("columns");
    fs::write(path("columns"), bytes).expect("it can be written");
    let meta = Meta {
        columns: Some(format!("{name}.columns")),
        ..meta_of(root, rows, depth)
    };
    let mut sidecar: serde_json::Value = serde_json::from_str(&meta::to_json(&meta)).expect("JSON");
    if let Some(depths) = depths {
        sidecar["depths"] = depths.into();
    }
    fs::write(path("json"), sidecar.to_string()).expect("it can be written");
    assert!(
        files::read(&path("tree"), None)
            .expect("a tree")
            .columns
            .is_some()
    );
}

fn open_search(mut stage: Harness, tree: PathBuf) -> Harness {
    stage.size = (1280, 800);
    stage
        .run_action(Action::Open(vec![tree]))
        .wait_until("the tree is there", |app| app.document.model.is_some());
    stage
}

/// The first node that was cut off and has moves that were not looked at.
fn cut_node(stage: &Harness) -> usize {
    let model = stage.app.document.model.clone().expect("a tree");
    let columns = ClassicalColumns::of(&model).expect("columns");
    let is_cut = |&node: &usize| model.depth_of(node) == 1 && columns.unsearched(&model, node) > 1;
    (0..model.len()).find(is_cut).expect("a node that was cut")
}

#[test]
fn a_classical_tree_in_pictures_and_words() {
    let scratch = Scratch::new("classical-view");
    let tree = write_search(&scratch, 3);
    for (stage, name) in [
        (Harness::dark(), "classical-dark"),
        (Harness::light(), "classical-light"),
    ] {
        let mut stage = open_search(stage, tree.clone());
        let node = cut_node(&stage);
        stage.run_action(Action::Select(Some(node)));
        stage.assert_part(name, Part::Window);
        let sentences = stage.controls_after("reason: ");
        assert_eq!(sentences.len(), 1, "{sentences:?}");
        assert!(
            sentences[0].contains("South can already get")
                && sentences[0].contains("need not be looked at")
        );
        let tried = stage.controls_after("tried ");
        assert!(
            tried
                .iter()
                .any(|row| row.ends_with("refutes: cut off here")),
            "{tried:?}"
        );
        assert!(
            tried.iter().any(|row| row.ends_with("–, not looked at")),
            "{tried:?}"
        );
        let cards = stage.controls_after("depth ");
        assert_eq!(cards.len(), 3, "{cards:?}");
        assert!(cards[2].contains("saved "), "{cards:?}");
        // No words of Monte-Carlo searches.
        let words = ["mean", "Mean", "Iterations", "Sum"];
        let terms = stage.controls_after("term ");
        assert!(
            terms
                .iter()
                .all(|term| words.iter().all(|word| !term.starts_with(word))),
            "{terms:?}"
        );
    }
}

#[test]
fn a_card_opens_the_tree_of_its_depth() {
    let scratch = Scratch::new("classical-cards");
    let mut stage = open_search(Harness::dark(), write_search(&scratch, 3));
    let card = stage.controls_after("depth ").remove(1);
    stage
        .click(&format!("depth {card}"))
        .wait_until("the tree of depth 2", |app| {
            app.dump()["file"] == "kalah-d02.tree"
                && app
                    .document
                    .model
                    .as_ref()
                    .is_some_and(|model| model.depth() == 3)
        });
    // The list of depths stays.
    assert_eq!(stage.controls_after("depth ").len(), 3);
}

#[test]
fn an_older_tree_says_what_it_lacks() {
    let mut stage = Harness::dark();
    let document = classical_document("kalah", "", 2);
    stage.show_model("kalah.tree", TreeModel::new(document));
    assert!(stage.has_control("no windows"));
}
