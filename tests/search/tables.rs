//! Bounded tables that are too small.

use super::*;

fn bounded(entries: usize, threads: usize) -> Config {
    Config {
        store: StoreKind::Bounded,
        entries,
        threads,
        final_choice: FinalChoice::Mean,
        memory_mb: 64,
        ..Config::default()
    }
}

#[test]
fn a_table_of_one_entry_plays_like_the_tree() {
    // No position of a script is reached in two ways, so there is nothing to share.
    for (text, ..) in SCRIPTS {
        let root = scripted(text);
        for formula in FORMULAS {
            let rows = [StoreKind::Tree, StoreKind::Bounded].map(|store| {
                let config = Config {
                    formula,
                    store,
                    ..bounded(1, 1)
                };
                let mut search = mcts::build(config);
                ask(&mut *search, &root, Limits::iterations(2000));
                statistics(search.tree().unwrap())
            });
            assert_same(&rows[0], &rows[1], &text);
        }
    }
}

#[test]
fn a_small_table_never_knows_less_than_the_tree() {
    let root = ConnectFour::start(());
    let tree = Config {
        store: StoreKind::Tree,
        ..bounded(1, 1)
    };
    let values = |config| -> HashMap<Column, (u64, f64, Option<f64>)> {
        let mut search = mcts::build::<ConnectFour>(config);
        ask(&mut *search, &root, Limits::iterations(30_000));
        let tree = search.tree().unwrap();
        let mut found = HashMap::new();
        tree.edges(tree.root(), &mut |edge| {
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
            for (mv, (visits, value, table)) in values(bounded(entries, threads)) {
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
