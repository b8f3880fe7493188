//! The MCTS solver: what it proves, how it plays proven positions, and how many plies to a win it reports.

use canopy_engine::games::evaluate::WIN_VALUE;

use super::{depths::drawn_endings, *};

fn solver_config(store: StoreKind) -> MctsConfig {
    with_small_memory(MctsConfig {
        solver: true,
        store,
        ..MctsConfig::default()
    })
}

#[test]
fn drawn_endings_are_proven_to_be_drawn() {
    for position in drawn_endings(7, 12) {
        for store in STORES {
            let mut search = mcts::build(solver_config(store));
            let report =
                search_position(&mut *search, &position, SearchLimits::iterations(100_000)).report;
            assert_eq!(
                report.root_moves[0].proven,
                Some(Outcome::Draw),
                "{store:?} {}",
                position_text(&position)
            );
            assert!(report.iterations < 100_000, "it stops when all is known");
        }
    }
}

#[test]
fn a_certain_draw_goes_before_a_move_that_promises_less() {
    // Behind y there is more than can be looked at, all of it lost for A in one game and won in the other.
    fn long_script(plies: usize, end: &str) -> String {
        if plies == 0 {
            return end.to_owned();
        }
        let mover = if plies.is_multiple_of(2) { 'A' } else { 'B' };
        let rest = long_script(plies - 1, end);
        format!("{mover}[a:{rest} b:{rest} c:{rest}]")
    }
    for store in STORES {
        for final_choice in [FinalChoice::Visits, FinalChoice::Mean] {
            let config = MctsConfig {
                final_choice,
                ..solver_config(store)
            };
            for (end, right) in [("-", 'x'), ("+", 'y')] {
                let root = scripted(&format!("A[x:0 y:{}]", long_script(7, end)));
                let report = search_position(
                    &mut *mcts::build(config),
                    &root,
                    SearchLimits::iterations(50),
                )
                .report;
                let other = report
                    .root_moves
                    .iter()
                    .find(|found| found.mv == 'y')
                    .unwrap();
                assert_eq!(
                    other.proven, None,
                    "{store:?}: there is more to be looked at"
                );
                assert_eq!(report.root_moves[0].mv, right, "{store:?} {final_choice:?}");
            }
        }
    }
}

/// Plies to the end after a move with a proven winner, by a walk over the proven part of the tree.
fn proof_plies(
    tree: &dyn TreeView<ConnectFour>,
    node: u32,
    position: &ConnectFour,
    winner: Player,
) -> u32 {
    if position.outcome().is_some() {
        return 0;
    }
    let mut plies = Vec::new();
    tree.for_each_edge(node, &mut |edge| {
        if edge.proven == Some(Outcome::Win(winner))
            && let Some(child) = edge.child
        {
            let mut after = *position;
            after.play(edge.mv);
            plies.push(1 + proof_plies(tree, child, &after, winner));
        }
    });
    if position.to_move() == winner {
        plies.into_iter().min().unwrap()
    } else {
        plies.into_iter().max().unwrap()
    }
}

#[test]
fn a_proven_win_is_said_to_take_as_long_as_its_proof() {
    let mut wins = 0;
    for position in sample_positions::<ConnectFour>((), 60, 95) {
        for store in [StoreKind::Tree, StoreKind::Graph] {
            let mut search = mcts::build(solver_config(store));
            let report =
                search_position(&mut *search, &position, SearchLimits::iterations(3000)).report;
            let tree = search.tree().unwrap();
            for root in &report.root_moves {
                let Some(Outcome::Win(winner)) = root.proven else {
                    continue;
                };
                let mut child = None;
                tree.for_each_edge(tree.root(), &mut |edge| {
                    if edge.mv == root.mv {
                        child = edge.child;
                    }
                });
                let mut after = position;
                after.play(root.mv);
                let plies = 1 + proof_plies(tree, child.unwrap(), &after, winner);
                assert_eq!(root.pv.len() as u32, plies, "{position:?} {:?}", root.mv);
                let mut end = position;
                for &mv in &root.pv {
                    end.play(mv);
                }
                assert_eq!(end.outcome(), Some(Outcome::Win(winner)));
            }
            // It cannot be sooner than by best play.
            if let Some(Outcome::Win(winner)) = report.root_moves[0].proven
                && winner == position.to_move()
            {
                wins += 1;
                let line = report.root_moves[0].pv.len() as u32;
                let spec = catalog::parse::<ConnectFour>("alpha-beta").unwrap();
                let mut exact = catalog::build::<ConnectFour>(&spec).unwrap();
                let best =
                    search_position(&mut *exact, &position, SearchLimits::depth(line)).report;
                let soonest = WIN_VALUE - best.root_moves[0].score.unwrap();
                assert!(
                    soonest <= line as i32,
                    "{position:?}: {line} plies said, {soonest} needed"
                );
            }
        }
    }
    assert!(wins > 10, "{wins}");
}
