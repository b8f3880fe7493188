//! The alpha-beta family: values, lines and trees agree with minimax.

use std::collections::BTreeSet;

use canopy_engine::{games::delta::Delta, search::classical::TieBreak};

use super::*;

#[test]
fn the_classical_family_agrees_with_minimax() {
    fn check<G: Playable>(rules: G::Rules) {
        let (count, deepest) = if G::NAME == "chess" {
            (200, 3)
        } else {
            (300, 4)
        };
        for evaluation in G::EVALUATIONS {
            let count = if evaluation.name == G::EVALUATIONS[0].name {
                count
            } else {
                count / 6
            };
            for position in sample_positions::<G>(rules, count, 17) {
                for depth in 1..=deepest {
                    compare(&position, depth, evaluation.name);
                }
            }
        }
    }
    fn compare<G: Playable>(position: &G, depth: u32, evaluation: &str) {
        let base = ClassicalConfig {
            depth: Some(depth),
            evaluation: Some(evaluation.into()),
            tree_nodes: 10,
            ..ClassicalConfig::default()
        };
        let aspiration = |half_width, first_guess| {
            Some(Aspiration {
                half_width,
                first_guess,
            })
        };
        let run = |config: ClassicalConfig| {
            search_position(&mut classical(config), position, SearchLimits::default()).report
        };
        let minimax = run(ClassicalConfig {
            method: Method::Minimax,
            ..base.clone()
        });
        let alpha_beta = run(base.clone());
        let value = minimax.root_moves[0].score;
        assert_eq!(
            alpha_beta.root_moves[0].score,
            value,
            "{}",
            position_text(position)
        );
        assert!(alpha_beta.nodes <= minimax.nodes && alpha_beta.leaves <= minimax.leaves);
        assert_eq!(
            alpha_beta.root_moves[0].mv, minimax.root_moves[0].mv,
            "the first of equals"
        );
        for config in [
            ClassicalConfig {
                deepening: true,
                ..base.clone()
            },
            ClassicalConfig {
                deepening: true,
                aspiration: aspiration(20, 0),
                ..base.clone()
            },
            ClassicalConfig {
                deepening: true,
                aspiration: aspiration(1, 300),
                ..base.clone()
            },
            ClassicalConfig {
                aspiration: aspiration(5, -40),
                ..base.clone()
            },
            ClassicalConfig {
                tie_break: TieBreak::Random,
                ..base.clone()
            },
        ] {
            let report = run(config.clone());
            // Deepening stops early when it has found a forced result, which the full depth then confirms, or when no line
            // goes on any more.
            if report.depth == depth || report.root_moves[0].proven.is_none() {
                assert_eq!(
                    report.root_moves[0].score,
                    value,
                    "{config:?} in {}",
                    position_text(position)
                );
            } else {
                let proven = report.root_moves[0].proven;
                assert!(
                    proven.is_some() && proven == minimax.root_moves[0].proven,
                    "{config:?}"
                );
            }
        }
    }
    check_each_game!(every_game(), check);
}

#[test]
fn as_many_lines_as_asked_for_have_exact_values() {
    fn check<G: Playable>(rules: G::Rules) {
        for position in sample_positions::<G>(rules, 20, 23) {
            let base = ClassicalConfig {
                depth: Some(3),
                ..ClassicalConfig::default()
            };
            let minimax = ClassicalConfig {
                method: Method::Minimax,
                ..base.clone()
            };
            let exact =
                search_position(&mut classical(minimax), &position, SearchLimits::default()).report;
            let found = search_with_history(
                &mut classical(base),
                &position,
                SearchLimits::default(),
                None,
                3,
            )
            .report;
            for (one, other) in exact.root_moves.iter().zip(&found.root_moves).take(3) {
                assert_eq!(one.score, other.score, "{}", position_text(&position));
            }
        }
    }
    check_each_game!(every_game(), check);
}

#[test]
fn classical_trees_show_what_was_searched_and_what_was_cut() {
    let root: ConnectFour = notation::read_position((), "4453").unwrap();
    let run = |method, most| {
        let config = ClassicalConfig {
            method,
            depth: Some(3),
            tree_nodes: most,
            ..ClassicalConfig::default()
        };
        let mut search = Classical::<ConnectFour>::new(config);
        let report = search_position(&mut search, &root, SearchLimits::default()).report;
        let tree = search.tree().unwrap();
        let (mut nodes, mut cut) = (0, 0);
        let mut pending = vec![tree.root()];
        while let Some(node) = pending.pop() {
            tree.for_each_edge(node, &mut |edge| {
                if edge.pruned {
                    assert_eq!(edge.visits, 0);
                    cut += 1;
                } else {
                    nodes += 1;
                    pending.extend(edge.child);
                }
            });
        }
        (report, nodes, cut, tree.root_stats().0)
    };
    let (minimax, nodes, cut, visits) = run(Method::Minimax, 1_000_000);
    assert_eq!((nodes, cut, visits), (minimax.nodes, 0, minimax.nodes + 1));
    let (alpha_beta, pruned, cut, visits) = run(Method::AlphaBeta, 1_000_000);
    assert_eq!((pruned, visits), (alpha_beta.nodes, alpha_beta.nodes + 1));
    assert!(cut > 0 && pruned < nodes);
    let (_, capped, ..) = run(Method::Minimax, 50);
    assert!(capped < 50);
}

/// Report 003: the first move is drawn, and so is the choice among moves of equal value.
#[test]
fn report_003s_players_open_and_break_ties_at_random() {
    let first_moves = |search: &str, position: &Delta| -> BTreeSet<String> {
        let spec = catalog::parse::<Delta>(search).expect(search);
        let choices = (1..=20).map(|seed| {
            let mut search = catalog::build::<Delta>(&spec.with_seed(seed)).expect("a search");
            let choice = search_position(&mut *search, position, SearchLimits::depth(1));
            notation::move_text(position, choice.mv)
        });
        choices.collect()
    };
    let start = Delta::start(Default::default());
    for name in ["alpha-beta-003", "deepening-003", "aspiration-003"] {
        let count = first_moves(name, &start).len();
        assert!(count > 5, "{name}: {count} first moves of 20");
        let fixed = format!("{name},random_opening=false,ties=first");
        assert_eq!(first_moves(&fixed, &start).len(), 1, "{fixed}");
    }
    // After the first move of each, every reply of an outcome-only search has the same value.
    let mut position = start;
    for _ in 0..2 {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        position.play(moves[0]);
    }
    let count = first_moves("three-valued-003,time=0", &position).len();
    assert!(count > 1, "{count} of 20");
}

/// Report 003 takes the depth off the value of a win: whoever loses does so as late as possible, whoever wins as soon.
#[test]
fn a_loser_delays_and_a_winner_hurries() {
    let scripts = [
        ("A[x:B[x:A[x:- y:-] y:A[x:- y:-]] y:-]", 'x'),
        ("A[x:B[x:A[x:+ y:+] y:A[x:+ y:+]] y:+]", 'y'),
    ];
    for (text, right) in scripts {
        for deepening in [false, true] {
            let config = ClassicalConfig {
                deepening,
                depth: Some(6),
                ..ClassicalConfig::default()
            };
            let root = scripted(text);
            let choice = search_position(&mut classical(config), &root, SearchLimits::default());
            assert_eq!(choice.mv, right, "{text}");
        }
    }
}
