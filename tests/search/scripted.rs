//! Games with known values: every search plays them right, means converge, and the solver proves them.

use canopy_engine::search::mcts::RewardRange;

use super::*;

#[test]
fn scripted_games_are_played_right_by_every_search() {
    for (text, right, value) in SCRIPTS {
        let root = scripted(text);
        for method in [Method::Minimax, Method::AlphaBeta] {
            for deepening in [false, true] {
                let config = ClassicalConfig {
                    method,
                    deepening,
                    depth: Some(6),
                    ..ClassicalConfig::default()
                };
                let choice =
                    search_position(&mut classical(config), &root, SearchLimits::default());
                assert_eq!(choice.mv, right, "{text}");
                assert_eq!(
                    choice.report.value.for_player(Player::First),
                    value,
                    "{text}"
                );
            }
        }
        for &formula in FORMULAS {
            for policy in POLICIES {
                for store in STORES {
                    for final_choice in [
                        FinalChoice::Visits,
                        FinalChoice::Mean,
                        FinalChoice::LowerBound,
                    ] {
                        for reward_range in [RewardRange::ZeroToOne, RewardRange::MinusOneToOne] {
                            for threads in [1, 2] {
                                let config = with_small_memory(MctsConfig {
                                    formula,
                                    policy,
                                    store,
                                    final_choice,
                                    reward_range,
                                    threads,
                                    ..MctsConfig::default()
                                });
                                let choice = search_position(
                                    &mut *mcts::build(config),
                                    &root,
                                    SearchLimits::iterations(3000),
                                );
                                assert_eq!(choice.mv, right, "{text} {config:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn means_come_closer_to_the_true_value_as_iterations_grow() {
    for (text, right, value) in SCRIPTS {
        let root = scripted(text);
        let error = |iterations| {
            let mut search = mcts::build(with_small_memory(MctsConfig::default()));
            let report =
                search_position(&mut *search, &root, SearchLimits::iterations(iterations)).report;
            let best = report
                .root_moves
                .iter()
                .find(|found| found.mv == right)
                .unwrap();
            (best.value.for_player(Player::First) - value).abs()
        };
        let (early, late) = (error(100), error(100_000));
        assert!(
            late <= early + 1e-9 && late < 0.02,
            "{text}: {early} then {late}"
        );
    }
}

#[test]
fn the_solver_proves_what_is_certain() {
    for (text, right, value) in SCRIPTS {
        let root = scripted(text);
        for store in STORES {
            let config = with_small_memory(MctsConfig {
                solver: true,
                store,
                ..MctsConfig::default()
            });
            let choice = search_position(
                &mut *mcts::build(config),
                &root,
                SearchLimits::iterations(10_000),
            );
            assert_eq!(choice.mv, right, "{text}");
            let expected = match value {
                1.0 => Outcome::Win(Player::First),
                0.0 => Outcome::Win(Player::Second),
                _ => Outcome::Draw,
            };
            assert_eq!(
                choice.report.root_moves[0].proven,
                Some(expected),
                "{text} {store:?}"
            );
            assert!(
                choice.report.iterations < 10_000,
                "{text}: it stops when all is known"
            );
        }
    }
    // A real game: X to move wins by force in four plies or so (two open ends on the bottom row).
    let position: ConnectFour = notation::read_position((), "4455").unwrap();
    let config = with_small_memory(MctsConfig {
        solver: true,
        ..MctsConfig::default()
    });
    let choice = search_position(
        &mut *mcts::build(config),
        &position,
        SearchLimits::iterations(200_000),
    );
    assert_eq!(
        choice.report.root_moves[0].proven,
        Some(Outcome::Win(Player::First))
    );
    assert!([Column(2), Column(5)].contains(&choice.mv));
}
