//! Bounded transposition tables, too small and large.

use std::collections::BTreeMap;

use super::*;

fn bounded_config(entries: usize, threads: usize) -> MctsConfig {
    MctsConfig {
        store: StoreKind::Bounded,
        entries,
        threads,
        final_choice: FinalChoice::Mean,
        memory_mb: 64,
        ..MctsConfig::default()
    }
}

#[test]
fn a_table_of_one_entry_plays_like_the_tree() {
    // No position of a script is reached in two ways, so there is nothing to share.
    for (text, ..) in SCRIPTS {
        let root = scripted(text);
        for &formula in FORMULAS {
            let rows = [StoreKind::Tree, StoreKind::Bounded].map(|store| {
                let config = MctsConfig {
                    formula,
                    store,
                    ..bounded_config(1, 1)
                };
                let mut search = mcts::build(config);
                search_position(&mut *search, &root, SearchLimits::iterations(2000));
                tree_statistics(search.tree().unwrap())
            });
            assert_same_statistics(&rows[0], &rows[1], &text);
        }
    }
}

#[test]
fn a_small_table_never_knows_less_than_the_tree() {
    let root = ConnectFour::start(());
    let tree = MctsConfig {
        store: StoreKind::Tree,
        ..bounded_config(1, 1)
    };
    let values = |config| -> BTreeMap<Column, (u64, f64, Option<f64>)> {
        let mut search = mcts::build::<ConnectFour>(config);
        search_position(&mut *search, &root, SearchLimits::iterations(30_000));
        let tree = search.tree().unwrap();
        let mut found = BTreeMap::new();
        tree.for_each_edge(tree.root(), &mut |edge| {
            let value = edge.value.for_player(Player::First);
            found.insert(
                edge.mv,
                (edge.visits, value, edge.table.map(|entry| entry.mean)),
            );
        });
        found
    };
    let expected = values(tree);
    for entries in [1, 100, 10_000] {
        for threads in [1, 3] {
            for (mv, (visits, value, table)) in values(bounded_config(entries, threads)) {
                let what = format!("{entries} entries, {threads} threads, {mv:?}");
                if let Some(table) = table.filter(|_| visits > 1000) {
                    assert!((table - value).abs() < 0.05, "{what}: {table} for {value}");
                }
                let (_, plain, _) = expected[&mv];
                assert!((plain - value).abs() < 0.1, "{what}: {value} for {plain}");
            }
        }
    }
}

/// A table with few used entries takes little memory: each touches an ordinary page, not a huge page, which the search would
/// wait for to be found and cleared.
#[test]
#[cfg(target_os = "linux")]
fn a_short_search_does_not_touch_all_of_a_large_table() {
    use std::io::{BufRead as _, BufReader, Write as _};

    let mut child = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["--game", "connect-four"])
        .args(["--option", "Search=transposition-002"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(b"ugi\nposition startpos\ngo nodes 100\n")
        .expect("it listens");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines
        .find(|line| (line.as_ref()).is_ok_and(|line| line.starts_with("bestmove")))
        .expect("it answers")
        .expect("it can be read");
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let resident = (status.lines())
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|text| text.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok())
        .expect("the system says how much memory a process has");
    drop(input);
    assert!(child.wait().expect("it ends").success());
    assert!(
        resident < 40 << 10,
        "{resident} kB after a hundred playouts"
    );
}
