//! Trees of the alpha-beta family: values, windows and cuts in columns, and a tree for every completed depth.

use std::process::Command;

use super::*;

/// Grows a tree of connect four with extras; returns the directory and the path of the tree of the whole search.
fn grow(search: &str, depth: u32) -> (Scratch, PathBuf) {
    let name: String = search.chars().filter(char::is_ascii_alphabetic).collect();
    let scratch = Scratch::new(&format!("{name}-{depth}"));
    let output = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args([
            "grow",
            "--game",
            "connect-four",
            "--search",
            search,
            "--extra",
        ])
        .args(["--depth", &depth.to_string(), "--moves", "4 4 5 3", "--out"])
        .arg(&scratch.0)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    let whole = scratch
        .files("tree")
        .into_iter()
        .find(|path| !stem_of(path).contains("-d0"))
        .expect("the tree of the search");
    (scratch, whole)
}

fn stem_of(path: &Path) -> String {
    path.file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

fn column<'a>(columns: &'a Columns, name: &str) -> &'a Column {
    columns
        .find(name)
        .unwrap_or_else(|| panic!("no column {name}"))
}

#[test]
fn every_completed_depth_is_a_tree_that_the_sidecar_lists() {
    let (scratch, whole) = grow("strong,full_nodes=true", 5);
    let document = files::read(&whole, None).expect("a tree");
    assert_eq!(document.problems, [""; 0]);
    let meta = document.meta.expect("a sidecar");
    assert_eq!(meta.depths.len(), 5);
    for (index, about) in meta.depths.iter().enumerate() {
        let depth = index as u32 + 1;
        let stem = format!("{}-d{depth:02}", stem_of(&whole));
        assert_eq!((about.depth, about.tree.as_ref()), (depth, Some(&stem)));
        // Small depths may take more than minimax: quiescence looks beyond them.
        let full = about.full_nodes.expect("minimax's nodes are counted");
        assert!(about.nodes > 0 && (depth < 5 || about.nodes < full));
        let path = scratch.0.join(format!("{stem}.tree"));
        let part = files::read(&path, None).expect("the tree of a depth");
        assert_eq!(part.problems, [""; 0]);
        let own = part.meta.expect("a sidecar of its own");
        assert_eq!(own.chosen.as_ref(), Some(&about.best));
        assert_eq!((own.limits.depth, own.is_final), (Some(depth), true));
        // The root's value is told for the opponent of the player to move.
        let columns = part.columns.expect("columns");
        assert_eq!(column(&columns, "value").value(0), -about.value);
        assert_eq!(column(&columns, "depth").value(0), f64::from(depth));
    }
    assert_eq!(scratch.files("tree").len(), 6);
}

#[test]
fn a_search_at_one_depth_writes_one_tree() {
    let (scratch, whole) = grow("alpha-beta", 3);
    let document = files::read(&whole, None).expect("a tree");
    assert_eq!(document.meta.expect("a sidecar").depths.len(), 1);
    assert_eq!(scratch.files("tree").len(), 1);
}

/// What the columns say fits together, for every row: a node's value is the best of its children's, and is a bound exactly if
/// it lies outside its window.
#[test]
fn values_windows_and_cuts_fit_together() {
    for search in [
        "alpha-beta",
        "minimax",
        "strong,extensions=false,quiescence=false",
    ] {
        let (_scratch, whole) = grow(search, 4);
        let document = files::read(&whole, None).expect("a tree");
        let (tree, columns) = (document.tree, document.columns.expect("columns"));
        let sizes = tree.subtree_sizes();
        let find = |name: &str, row: usize| column(&columns, name).value(row);
        let (mut beta_cuts, mut not_searched) = (0, 0);
        for (row, node) in tree.nodes().iter().enumerate() {
            let (value, cut) = (find("value", row), find("cut", row));
            assert_eq!(
                cut == 6.0,
                node.visits == 0 && value.is_nan(),
                "{search}, row {row}"
            );
            not_searched += u32::from(cut == 6.0);
            beta_cuts += u32::from(cut == 1.0);
            if cut == 6.0 {
                continue;
            }
            let (alpha, beta) = (find("alpha", row), find("beta", row));
            assert!(alpha < beta, "{search}, row {row}: {alpha} {beta}");
            match find("bound", row) as u8 {
                1 => assert!(
                    value >= beta || cut == 2.0 || cut == 4.0,
                    "{search}, row {row}"
                ),
                2 => assert!(
                    value <= alpha || cut == 2.0 || cut == 4.0,
                    "{search}, row {row}"
                ),
                _ => {}
            }
            let searched = (tree.children(row, &sizes)).filter(|&child| find("cut", child) != 6.0);
            let best = searched.map(|child| find("value", child)).reduce(f64::max);
            if let Some(best) = best.filter(|_| cut < 2.0) {
                // Players alternate: what is good for the one who moves is bad for the one who moved.
                assert_eq!(value, -best, "{search}, row {row}");
            }
        }
        let has_cuts = search != "minimax";
        assert_eq!(
            (beta_cuts > 0, not_searched > 0),
            (has_cuts, has_cuts),
            "{search}"
        );
    }
}
