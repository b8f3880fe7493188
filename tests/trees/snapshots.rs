//! Snapshots: what of a tree is written, and what its rows say.

use super::*;

#[test]
fn the_most_visited_part_stays() {
    let (start, history) = start_position();
    for name in ["uct", "transposition", "alpha-beta,depth=4"] {
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        let mut grown = catalog::build(&spec).unwrap();
        search_and_write(&mut *grown, &start, &history, 3000, None);
        let view = grown.tree().unwrap();
        let all = snapshot::take(view, &SnapshotOptions::default()).unwrap();
        assert_eq!(all.cut.left_out, 0);
        let total = all.tree.nodes().len();
        for most in [1, 2, 10, 500, total - 1, total, total + 1] {
            let wanted = SnapshotOptions {
                max_nodes: Some(most as u64),
                ..SnapshotOptions::default()
            };
            let cut = snapshot::take(view, &wanted).unwrap();
            let kept = cut.tree.nodes();
            assert!(kept.len() <= most);
            assert_eq!(cut.cut.left_out as usize, total - kept.len());
            if name != "transposition" {
                assert_eq!(kept.len(), most.min(total), "{name}");
            }
            // Nothing that was left out has more visits than what stayed.
            let mut visits: Vec<i32> = all.tree.nodes()[1..]
                .iter()
                .map(|node| node.visits)
                .collect();
            visits.sort_unstable_by(|one, other| other.cmp(one));
            let least = visits.get(most.saturating_sub(2)).copied().unwrap_or(0);
            assert!(kept[1..].iter().all(|node| node.visits >= least));
        }
        let wanted = SnapshotOptions {
            min_visits: 5,
            ..SnapshotOptions::default()
        };
        let cut = snapshot::take(view, &wanted).unwrap();
        let expected = all.tree.nodes()[1..]
            .iter()
            .filter(|node| node.visits >= 5)
            .count();
        if name != "transposition" {
            assert_eq!(cut.tree.nodes().len(), expected + 1);
        }
        assert!(cut.tree.nodes()[1..].iter().all(|node| node.visits >= 5));
    }
}

#[test]
fn states_say_who_decides_and_where() {
    let (start, history) = start_position();
    let spec = catalog::parse::<ConnectFour>("transposition").unwrap();
    let mut grown = catalog::build(&spec).unwrap();
    search_and_write(&mut *grown, &start, &history, 2000, None);
    let wanted = SnapshotOptions {
        states: true,
        extra: true,
        ..SnapshotOptions::default()
    };
    let taken = snapshot::take(grown.tree().unwrap(), &wanted).unwrap();
    let tree = &taken.tree;
    assert!(tree.state(0).starts_with("connect-four "));
    let mut shared = 0;
    for row in 1..tree.nodes().len() {
        match tree.state(row).split_once(' ') {
            Some((who, position)) => {
                assert!(["p1", "p2", "p1win", "p2win", "draw"].contains(&who));
                let text = notation::read_position::<ConnectFour>((), position).unwrap();
                let decides = if text.to_move() == Player::First {
                    "p1"
                } else {
                    "p2"
                };
                assert!(who == decides || text.outcome().is_some());
            }
            None => {
                let target: usize = tree.state(row).strip_prefix('=').unwrap().parse().unwrap();
                assert!(target <= row && !tree.state(target - 1).starts_with('='));
                assert_eq!(tree.nodes()[row].children, 0);
                // The node is one: both rows know its visits and its mean.
                assert_eq!(
                    taken.extra[row].node_visits,
                    taken.extra[target - 1].node_visits
                );
                if taken.extra[row].node_visits > 0 {
                    assert_eq!(tree.nodes()[row].mean, tree.nodes()[target - 1].mean);
                }
                shared += 1;
            }
        }
    }
    assert!(shared > 10, "{shared}");
}

#[test]
fn a_classical_tree_marks_what_was_cut_off() {
    let (start, history) = start_position();
    let spec = catalog::parse::<ConnectFour>("alpha-beta,depth=5").unwrap();
    let scratch = Scratch::new("classical");
    let output = TreeOutput::open(
        TreeOutputSettings {
            snapshot: SnapshotOptions {
                extra: true,
                ..SnapshotOptions::default()
            },
            format: Format::Csv,
            ..writer_settings(&scratch.0)
        },
        no_warning(),
    )
    .unwrap();
    search_and_write(
        &mut *catalog::build(&spec).unwrap(),
        &start,
        &history,
        1_000_000,
        Some(&output),
    );
    drop(output);
    let document = files::read(&scratch.files("csv")[0], None).unwrap();
    assert_eq!(document.problems, [""; 0]);
    let extra = document.extra.unwrap();
    assert_eq!(extra.len(), document.tree.nodes().len());
    let cut: Vec<usize> = (0..extra.len()).filter(|&row| extra[row].cut).collect();
    assert!(!cut.is_empty());
    assert!(
        cut.iter()
            .all(|&row| document.tree.nodes()[row].visits == 0)
    );
    assert!(document.meta.unwrap().is_final);
}

/// Extra records suffice for the formulas: UCB1-tuned's squares and means give the variance of the rewards.
#[test]
fn extras_hold_what_the_formulas_need() {
    let (start, history) = start_position();
    for name in ["ucb1-tuned", "transposition,select=ucb1-tuned"] {
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        let mut grown = catalog::build(&spec).unwrap();
        search_and_write(&mut *grown, &start, &history, 3000, None);
        let wanted = SnapshotOptions {
            extra: true,
            ..SnapshotOptions::default()
        };
        let taken = snapshot::take(grown.tree().unwrap(), &wanted).unwrap();
        for (node, extra) in taken.tree.nodes().iter().zip(&taken.extra) {
            if extra.node_visits == 0 {
                continue;
            }
            // Rewards are 0, 1/2 and 1: squares lie between a half and all of the sum.
            let sum = node.mean * extra.node_visits as f64;
            assert!(
                extra.squares <= sum + 1e-6 && extra.squares >= sum / 2.0 - 1e-6,
                "{name}"
            );
        }
    }
}
