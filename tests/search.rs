//! Every search on every game: legal moves, agreement with a reference search, determinism, limits, memory.

#[path = "search/depths.rs"]
mod depths;
#[path = "search/proofs.rs"]
mod proofs;
#[path = "search/results_page.rs"]
mod results_page;
mod support;
#[path = "search/tables.rs"]
mod tables;

use std::{
    collections::{HashMap, HashSet},
    process::Command,
    sync::Mutex,
    time::{Duration, Instant},
};

use canopy_engine::{
    catalog::{self, CatalogError, SEARCHES, Spec},
    games::{
        self, Game, History, Outcome, Playable, Player, SearchHints as _, Visitor,
        connect_four::{Column, ConnectFour},
        notation::{self, position_text},
        scripted::{Script, Scripted, ScriptedRules},
    },
    rng::Rng,
    search::{
        BestMove, ReportCallback, Search, SearchLimits, SearchReport, SearchTask, Searchable,
        StopFlag, TreeView,
        classical::{Aspiration, Classical, ClassicalConfig, Method, TieBreak},
        growth_records::{self, GrowthObserver, GrowthRecord},
        mcts::{
            self, ExpansionRule, FinalChoice, Fpu, Grouping, MctsConfig, PlayoutPolicy,
            RewardRange, SelectFormula, Sharing, StoreKind,
        },
    },
};
use support::{assert_golden, check_each_game, every_game};

/// Searches a position without a game history.
fn search_position<G: Searchable>(
    search: &mut dyn Search<G>,
    root: &G,
    limits: SearchLimits,
) -> BestMove<G::Move> {
    search_with_history(search, root, limits, None, 1)
}

fn search_with_history<G: Searchable>(
    search: &mut dyn Search<G>,
    root: &G,
    limits: SearchLimits,
    moves: Option<&[G::Move]>,
    lines: usize,
) -> BestMove<G::Move> {
    let mut history = History::new();
    history.push(root);
    search.search(SearchTask {
        search_moves: moves,
        multi_pv: lines,
        ..SearchTask::new(root, &history, &limits, &StopFlag::new())
    })
}

/// Unfinished positions of random games, at random plies.
fn sample_positions<G: Playable>(rules: G::Rules, count: usize, seed: u64) -> Vec<G> {
    let mut found = Vec::new();
    let mut rng = Rng::new(seed);
    while found.len() < count {
        let mut position = G::start(rules);
        let mut line = vec![position.clone()];
        while position.play_random(&mut rng) {
            line.push(position.clone());
        }
        line.pop();
        if !line.is_empty() {
            found.push(line[rng.below(line.len() as u32) as usize].clone());
        }
    }
    found
}

const FORMULAS: &[SelectFormula] = SelectFormula::ALL;
const POLICIES: [PlayoutPolicy; 3] = [
    PlayoutPolicy::Uniform,
    PlayoutPolicy::LastGoodReply1,
    PlayoutPolicy::LastGoodReply2,
];
const STORES: [StoreKind; 3] = [StoreKind::Tree, StoreKind::Graph, StoreKind::Bounded];

fn with_small_memory(config: MctsConfig) -> MctsConfig {
    MctsConfig {
        memory_mb: 16,
        entries: 10_000,
        ..config
    }
}

#[test]
fn every_combination_answers_with_a_legal_move_and_counts_its_visits() {
    fn check<G: Playable>(rules: G::Rules) {
        for &formula in FORMULAS {
            for policy in POLICIES {
                for store in STORES {
                    for threads in [1, 2] {
                        let sharing = Sharing {
                            transpositions: true,
                            grouping: Grouping::Dihedral,
                            invert_colours: true,
                        };
                        let config = with_small_memory(MctsConfig {
                            formula,
                            policy,
                            store,
                            threads,
                            sharing,
                            forgetting: threads == 2,
                            playout_limit: (G::NAME == "chess").then_some(20),
                            ..MctsConfig::default()
                        });
                        check_two_moves::<G>(rules, config);
                    }
                }
            }
        }
    }
    fn check_two_moves<G: Playable>(rules: G::Rules, config: MctsConfig) {
        let mut search = mcts::build::<G>(config);
        let mut position = G::start(rules);
        let mut kept = 0;
        for _ in 0..2 {
            let choice = search_position(&mut *search, &position, SearchLimits::iterations(300));
            assert!(position.is_legal(choice.mv), "{config:?}");
            assert_eq!(choice.report.iterations, 300, "{config:?}");
            let (visits, recent, value) = search.tree().expect("it grows a tree").root_stats();
            assert_eq!((visits, recent), (300 + kept, 300), "{config:?}");
            assert!((0.0..=1.0).contains(&value.for_player(Player::First)));
            // Every move's line can be played.
            for root in &choice.report.root_moves {
                let mut line = position.clone();
                for &mv in &root.pv {
                    assert!(line.is_legal(mv), "{config:?}");
                    line.play(mv);
                }
            }
            kept = if config.store == StoreKind::Graph {
                visits_after(&*search, choice.mv)
            } else {
                choice.report.root_moves[0].visits
            };
            search.advance(choice.mv);
            position.play(choice.mv);
        }
    }
    /// Visits of the node after a root move, by all paths.
    fn visits_after<G: Playable>(search: &dyn Search<G>, mv: G::Move) -> u64 {
        let tree = search.tree().unwrap();
        let frame = tree.frame(tree.root_position());
        let mv = frame
            .symmetry
            .map_or(mv, |symmetry| G::image_of_move(mv, symmetry));
        let mut visits = 0;
        tree.for_each_edge(tree.root(), &mut |edge| {
            if edge.mv == mv {
                visits = edge.node_visits;
            }
        });
        visits
    }
    check_each_game!(every_game(), check);
}

#[test]
fn every_search_of_the_catalogue_plays_every_game_it_claims_to() {
    fn check<G: Playable>(rules: G::Rules) {
        for name in catalog::names::<G>() {
            let mut spec = catalog::parse::<G>(name).unwrap();
            if let Spec::Mcts(config) = &mut spec {
                *config = with_small_memory(*config);
            }
            let mut search = catalog::build::<G>(&spec).expect(name);
            for position in sample_positions::<G>(rules, 3, 5) {
                let limits = if matches!(spec, Spec::Mcts(_)) {
                    SearchLimits::iterations(50)
                } else {
                    SearchLimits::depth(2)
                };
                let choice = search_position(&mut *search, &position, limits);
                assert!(
                    position.is_legal(choice.mv),
                    "{name} in {}",
                    position_text(&position)
                );
                assert_eq!(choice.report.root_moves[0].mv, choice.mv, "{name}");
                let mut legal = Vec::new();
                position.legal_moves(&mut legal);
                assert!(
                    choice
                        .report
                        .root_moves
                        .iter()
                        .all(|root| legal.contains(&root.mv)),
                    "{name}"
                );
            }
        }
    }
    check_each_game!(every_game(), check);
    assert_eq!(SEARCHES.len(), 32);
}

fn classical<G: Searchable>(config: ClassicalConfig) -> Classical<G> {
    Classical::new(config)
}

#[test]
fn the_classical_family_agrees_with_minimax() {
    fn check<G: Playable>(rules: G::Rules) {
        let (count, deepest) = if G::NAME == "chess" {
            (200, 3)
        } else {
            (300, 4)
        };
        for evaluation in G::evaluations() {
            let count = if evaluation.name == G::evaluations()[0].name {
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

/// The statistics of all visited nodes as sorted text, each named by its path.
fn tree_statistics<G: Game>(tree: &dyn TreeView<G>) -> Vec<String> {
    let mut found = vec![format!("{:?}", tree.root_stats())];
    let mut pending = vec![(tree.root(), String::new())];
    while let Some((node, path)) = pending.pop() {
        tree.for_each_edge(node, &mut |edge| {
            let path = format!("{path} {:?}", edge.mv);
            if edge.visits > 0 {
                found.push(format!(
                    "{path}: {} {} {:?} {:?}",
                    edge.visits, edge.recent_visits, edge.value, edge.proven
                ));
                if let Some(child) = edge.child {
                    pending.push((child, path));
                }
            }
        });
    }
    found.sort();
    found
}

/// Asserts that two trees have the same statistics, and shows the first difference.
fn assert_same_statistics(one: &[String], other: &[String], what: &dyn std::fmt::Debug) {
    let first = one.iter().zip(other).find(|(one, other)| one != other);
    assert!(
        first.is_none() && one.len() == other.len(),
        "{what:?}: {} and {} rows, {first:?}",
        one.len(),
        other.len()
    );
}

/// Searches, plays the chosen move, searches again with the reused tree; returns its statistics.
fn grow_twice<G: Searchable>(config: MctsConfig, root: &G, iterations: u64) -> Vec<String> {
    let mut search = mcts::build::<G>(with_small_memory(config));
    let choice = search_position(&mut *search, root, SearchLimits::iterations(iterations));
    let mut position = root.clone();
    search.advance(choice.mv);
    position.play(choice.mv);
    if position.outcome().is_none() {
        search_position(
            &mut *search,
            &position,
            SearchLimits::iterations(iterations),
        );
    }
    search
        .tree()
        .map(|tree| tree_statistics(tree))
        .unwrap_or_default()
}

#[test]
fn a_graph_that_shares_nothing_is_the_tree() {
    fn check<G: Playable>(rules: G::Rules) {
        for (index, position) in sample_positions::<G>(rules, 6, 31).iter().enumerate() {
            for &formula in FORMULAS {
                for expansion in [
                    ExpansionRule::AllFirst,
                    ExpansionRule::AllRandom,
                    ExpansionRule::One,
                ] {
                    let config = MctsConfig {
                        formula,
                        expansion,
                        expand_on: 1 + index as u32 % 2,
                        solver: index % 3 == 0,
                        fpu: [Fpu::Infinite, Fpu::Constant(0.9), Fpu::Reduction(0.1)]
                            [index / 2 % 3],
                        playout_limit: Some(30),
                        ..MctsConfig::default()
                    };
                    let apart = Sharing {
                        transpositions: false,
                        ..Sharing::default()
                    };
                    let graph = MctsConfig {
                        store: StoreKind::Graph,
                        sharing: apart,
                        ..config
                    };
                    assert_same_statistics(
                        &grow_twice(config, position, 400),
                        &grow_twice(graph, position, 400),
                        &config,
                    );
                }
            }
        }
    }
    check_each_game!(every_game(), check);
}

#[test]
fn urgency_decides_when_a_move_is_tried_for_the_first_time() {
    let visited_moves = |fpu: Fpu, formula: SelectFormula| {
        let config = MctsConfig {
            formula,
            fpu,
            ..MctsConfig::default()
        };
        let mut search = mcts::build::<ConnectFour>(config);
        let root = ConnectFour::start(());
        let choice = search_position(&mut *search, &root, SearchLimits::iterations(300));
        let moves = choice.report.root_moves.iter();
        moves.filter(|root| root.visits > 0).count()
    };
    // A score is positive: a move that counts less than nothing is never tried.
    assert_eq!(visited_moves(Fpu::Constant(-1.0), SelectFormula::Uct), 1);
    assert_eq!(visited_moves(Fpu::Constant(1.1), SelectFormula::Uct), 7);
    assert_eq!(visited_moves(Fpu::Infinite, SelectFormula::Uct), 7);
    // PUCT adds its exploration term, which grows until the move is tried.
    assert_eq!(visited_moves(Fpu::Constant(-1.0), SelectFormula::Puct), 7);
}

#[test]
fn a_table_that_is_large_enough_is_as_good_as_a_larger_one() {
    fn check<G: Playable>(rules: G::Rules) {
        for &formula in FORMULAS {
            let config = |entries| MctsConfig {
                formula,
                store: StoreKind::Bounded,
                entries,
                memory_mb: 512,
                playout_limit: Some(30),
                ..MctsConfig::default()
            };
            let mut reports = [2_000_000, 5_000_003].map(|entries| {
                let mut search = mcts::build::<G>(config(entries));
                search_position(
                    &mut *search,
                    &G::start(rules),
                    SearchLimits::iterations(300),
                )
                .report
            });
            // The larger table takes more memory, and that is all.
            reports[1].memory_bytes = reports[0].memory_bytes;
            assert_eq!(reports[0], reports[1]);
        }
    }
    check_each_game!(every_game(), check);
}

#[test]
fn one_seed_repeats_itself_and_another_does_not() {
    fn check<G: Playable>(rules: G::Rules) {
        for store in STORES {
            for policy in POLICIES {
                let config = MctsConfig {
                    store,
                    policy,
                    playout_limit: Some(40),
                    ..MctsConfig::default()
                };
                let root = G::start(rules);
                assert_same_statistics(
                    &grow_twice(config, &root, 500),
                    &grow_twice(config, &root, 500),
                    &config,
                );
                assert!(
                    grow_twice(config, &root, 500)
                        != grow_twice(MctsConfig { seed: 2, ..config }, &root, 500)
                );
            }
        }
        // A cleared search is as good as new.
        let mut search = mcts::build::<G>(with_small_memory(MctsConfig {
            policy: PlayoutPolicy::LastGoodReply2,
            ..MctsConfig::default()
        }));
        let first = search_position(&mut *search, &G::start(rules), SearchLimits::iterations(50));
        search.clear();
        assert_eq!(
            search_position(&mut *search, &G::start(rules), SearchLimits::iterations(50)),
            first
        );
    }
    check_each_game!(every_game(), check);
}

/// Small scripted games with the only best move at the root and its value.
const SCRIPTS: [(&str, char, f64); 7] = [
    ("A[x:- y:+ z:0]", 'y', 1.0),
    ("A[x:B[x:+ y:-] y:B[x:0 y:+]]", 'y', 0.5),
    ("B[x:A[x:+ y:-] y:A[x:- y:-] z:+]", 'y', 0.0),
    // Extra turns: A moves twice, then B twice.
    (
        "A[x:A[x:B[x:- y:+] y:B[x:+ y:B[x:+ y:+]]] y:A[x:0 y:0]]",
        'x',
        1.0,
    ),
    (
        "B[x:B[x:A[x:+ y:+] y:A[x:- y:+]] y:B[x:A[x:- y:0] y:A[x:0 y:-]]]",
        'y',
        0.5,
    ),
    // A trap: most moves after x win for A, but B has the one that does not.
    ("A[x:B[a:+ b:+ c:+ d:- e:+] y:B[a:0 b:0 c:0]]", 'y', 0.5),
    ("A[x:B[x:A[x:A[x:- y:+] y:-] y:A[x:+ y:-]] y:-]", 'x', 1.0),
];

fn scripted(text: &str) -> Scripted {
    Scripted::start(ScriptedRules(Script::leak(text).unwrap()))
}

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

#[test]
fn limits_are_kept_and_the_first_reached_counts() {
    let root = ConnectFour::start(());
    let iterations = |limits| {
        search_position(
            &mut *mcts::build(with_small_memory(MctsConfig::default())),
            &root,
            limits,
        )
        .report
        .iterations
    };
    assert_eq!(iterations(SearchLimits::iterations(77)), 77);
    assert_eq!(
        iterations(SearchLimits {
            nodes: Some(55),
            ..SearchLimits::iterations(77)
        }),
        55
    );
    assert_eq!(
        iterations(SearchLimits {
            time: Some(Duration::from_secs(600)),
            ..SearchLimits::iterations(88)
        }),
        88
    );
    assert!(
        iterations(SearchLimits {
            depth: Some(4),
            ..SearchLimits::default()
        }) > 0
    );
    let preset = |name: &str, limits| {
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        search_position(&mut *catalog::build(&spec).unwrap(), &root, limits)
            .report
            .iterations
    };
    assert_eq!(preset("uct-000", SearchLimits::default()), 30);
    assert_eq!(preset("uct-001,iterations=41", SearchLimits::default()), 41);
    assert_eq!(preset("uct-000", SearchLimits::iterations(9)), 9);
    // Half the iterations in othello's opening, all of them later.
    let grouping = |moves: &str| {
        let mut position = games::othello::Othello::start(());
        notation::play_moves(&mut position, &mut History::new(), moves, |_, _| {}).unwrap();
        let spec = catalog::parse::<games::othello::Othello>("grouping-001").unwrap();
        search_position(
            &mut *catalog::build(&spec).unwrap(),
            &position,
            SearchLimits::default(),
        )
        .report
        .iterations
    };
    assert_eq!(grouping("f5"), 150);
    assert_eq!(grouping("f5d6c3d3c4f4f6g5e6d7e3"), 300);

    let classical =
        |limits, config| search_position(&mut Classical::new(config), &root, limits).report;
    let deepening = ClassicalConfig {
        deepening: true,
        depth: None,
        ..ClassicalConfig::default()
    };
    assert_eq!(
        classical(SearchLimits::depth(5), deepening.clone()).depth,
        5
    );
    let report = classical(
        SearchLimits {
            nodes: Some(5000),
            ..SearchLimits::default()
        },
        deepening.clone(),
    );
    assert!(report.nodes <= 5001 && report.depth >= 3, "{report:?}");
    let report = classical(
        SearchLimits {
            nodes: Some(3),
            ..SearchLimits::default()
        },
        deepening,
    );
    assert!(root.is_legal(report.root_moves[0].mv));
}

#[test]
fn time_and_the_stop_flag_are_obeyed_by_every_search() {
    fn check<G: Playable>(rules: G::Rules) {
        let root = G::start(rules);
        let mut history = History::new();
        history.push(&root);
        for name in [
            "uct",
            "transposition",
            "transposition-002",
            "uct,threads=2",
            "deepening",
            "minimax,depth=60",
        ] {
            for by_flag in [false, true] {
                let stop = StopFlag::new();
                let time = if by_flag {
                    None
                } else {
                    Some(Duration::from_millis(30))
                };
                // Searches of the reports have a number of iterations that must not end them first.
                let limits = SearchLimits {
                    time,
                    iterations: Some(u64::MAX),
                    ..SearchLimits::default()
                };
                let mut spec = catalog::parse::<G>(name).unwrap();
                if let Spec::Mcts(config) = &mut spec {
                    *config = MctsConfig {
                        memory_mb: 64,
                        ..with_small_memory(*config)
                    };
                }
                let mut search = catalog::build::<G>(&spec).unwrap();
                let setter = stop.clone();
                let waiter = std::thread::spawn(move || {
                    if by_flag {
                        std::thread::sleep(Duration::from_millis(30));
                        setter.set();
                    }
                });
                let begun = Instant::now();
                let choice = search.search(SearchTask::new(&root, &history, &limits, &stop));
                waiter.join().unwrap();
                assert!(root.is_legal(choice.mv));
                // Generous, for the machine may be busy; a search that does not look would run for ever.
                assert!(
                    begun.elapsed() < Duration::from_secs(5),
                    "{name} on {}",
                    G::NAME
                );
            }
        }
        // A flag that is set before the start still gets a legal move.
        let stop = StopFlag::new();
        stop.set();
        for name in catalog::names::<G>() {
            let mut spec = catalog::parse::<G>(name).unwrap();
            if let Spec::Mcts(config) = &mut spec {
                *config = with_small_memory(*config);
            }
            let choice = catalog::build::<G>(&spec).unwrap().search(SearchTask::new(
                &root,
                &history,
                &SearchLimits::default(),
                &stop,
            ));
            assert!(root.is_legal(choice.mv), "{name}");
        }
    }
    check_each_game!(every_game(), check);
}

#[test]
fn progress_is_reported_while_a_search_runs() {
    let root = ConnectFour::start(());
    let mut history = History::new();
    history.push(&root);
    for name in ["uct", "uct,threads=2", "deepening,depth=0"] {
        let mut reports: Vec<SearchReport<Column>> = Vec::new();
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        catalog::build(&spec).unwrap().search(SearchTask {
            reports: Some(ReportCallback {
                interval: Duration::from_millis(20),
                callback: &mut |report: &SearchReport<Column>| reports.push(report.clone()),
            }),
            ..SearchTask::new(
                &root,
                &history,
                &SearchLimits {
                    time: Some(Duration::from_millis(300)),
                    ..SearchLimits::default()
                },
                &StopFlag::new(),
            )
        });
        assert!(!reports.is_empty(), "{name}");
        assert!(
            reports
                .windows(2)
                .all(|pair| pair[0].nodes <= pair[1].nodes)
        );
        let last = reports.last().unwrap();
        assert!(
            !last.pv().is_empty() && last.root_moves.len() == 7,
            "{name}: {last:?}"
        );
    }
}

#[test]
fn an_iteration_in_a_graph_ends_with_the_first_move_that_is_new() {
    #[derive(Default)]
    struct RecordingObserver(Mutex<Vec<u32>>);

    impl GrowthObserver for RecordingObserver {
        fn start(&self, _: u32, _: u32) {}

        fn receive(&self, words: Vec<u32>) -> Vec<u32> {
            self.0.lock().unwrap().extend(words);
            Vec::new()
        }
    }

    fn check<G: Playable>(rules: G::Rules) {
        let start = G::start(rules);
        let mut history = History::new();
        history.push(&start);
        let (limits, stop, hearer) = (
            SearchLimits::iterations(3000),
            StopFlag::new(),
            RecordingObserver::default(),
        );
        let spec = catalog::parse::<G>("transposition").unwrap();
        catalog::build::<G>(&spec).unwrap().search(SearchTask {
            observer: Some(&hearer),
            ..SearchTask::new(&start, &history, &limits, &stop)
        });
        let words = hearer.0.into_inner().unwrap();
        let (mut expanded, mut linked, mut followed) =
            (HashSet::new(), HashMap::new(), HashSet::<u32>::new());
        let (mut paths, mut known) = (0, 0);
        let mut rest = &words[..];
        while !rest.is_empty() {
            let (record, others) = growth_records::decode(rest).unwrap();
            rest = others;
            match record {
                GrowthRecord::Moves { node, .. } => _ = expanded.insert(node),
                GrowthRecord::Link { edge, node, .. } => _ = linked.insert(edge, node),
                GrowthRecord::GraphIteration { edges, .. } => {
                    paths += 1;
                    let new = edges.iter().position(|edge| !followed.contains(edge));
                    followed.extend(edges);
                    if let Some(new) = new {
                        assert_eq!(new, edges.len() - 1, "{}: {edges:?}", G::NAME);
                        known += usize::from(expanded.contains(&linked[&edges[new]]));
                    }
                }
                _ => {}
            }
        }
        assert_eq!(paths, 3000);
        // In chess and kalah the same position seldom comes about in two ways, and not within so few iterations.
        let is_seldom = matches!(G::NAME, "chess" | "kalah");
        assert!(known > 0 || is_seldom, "{}", G::NAME);
    }
    check_each_game!(every_game(), check);
}

#[test]
fn a_search_goes_on_from_a_restricted_one() {
    fn check<G: Playable>(rules: G::Rules) {
        for position in sample_positions::<G>(rules, 8, 43) {
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            for name in ["uct", "transposition", "grouping"] {
                let mut search = catalog::build::<G>(&catalog::parse::<G>(name).unwrap()).unwrap();
                let few = SearchLimits::iterations(3);
                search_with_history(
                    &mut *search,
                    &position,
                    few,
                    Some(&legal[legal.len() / 2..]),
                    1,
                );
                let many = 3 * legal.len() as u64;
                let choice = search_with_history(
                    &mut *search,
                    &position,
                    SearchLimits::iterations(many),
                    None,
                    1,
                );
                let visits = choice.report.root_moves.iter().map(|root| root.visits);
                // All but the first visit of the root follow a move, and every move is followed.
                let text = position_text(&position);
                assert_eq!(
                    visits.clone().sum::<u64>(),
                    3 + many - 1,
                    "{name} in {text}"
                );
                assert!(visits.min() > Some(0), "{name} in {text}");
            }
        }
    }
    check_each_game!(every_game(), check);
}

#[test]
fn the_root_may_be_restricted_have_one_move_or_be_a_ply_from_the_end() {
    fn check<G: Playable>(rules: G::Rules) {
        for position in sample_positions::<G>(rules, 8, 41) {
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            let wanted = [legal[legal.len() - 1], legal[legal.len() / 2]];
            for name in catalog::names::<G>() {
                let mut spec = catalog::parse::<G>(name).unwrap();
                if let Spec::Mcts(config) = &mut spec {
                    *config = with_small_memory(*config);
                }
                let limits = if matches!(spec, Spec::Mcts(_)) {
                    SearchLimits::iterations(60)
                } else {
                    SearchLimits::depth(2)
                };
                let mut search = catalog::build::<G>(&spec).unwrap();
                let choice = search_with_history(&mut *search, &position, limits, Some(&wanted), 1);
                assert!(
                    wanted.contains(&choice.mv),
                    "{name} in {}",
                    position_text(&position)
                );
                assert!(
                    choice
                        .report
                        .root_moves
                        .iter()
                        .all(|root| wanted.contains(&root.mv)),
                    "{name}"
                );
                let choice =
                    search_with_history(&mut *search, &position, limits, Some(&wanted[..1]), 1);
                assert_eq!(choice.mv, wanted[0], "{name}");
            }
        }
    }
    check_each_game!(every_game(), check);
    // Mate in one and four in line: every search that looks ahead finds them.
    for (game, position, best) in [
        ("chess", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - -", "a1a8"),
        ("connect-four", "112233", "4"),
    ] {
        struct FindBestMove<'a>(&'a str, &'a str);
        impl Visitor for FindBestMove<'_> {
            type Out = ();

            fn visit<G: Playable>(self, rules: G::Rules) {
                let position: G = notation::read_position(rules, self.0).unwrap();
                for name in [
                    "uct",
                    "ucb1-tuned",
                    "lgr2",
                    "grouping",
                    "transposition-002",
                    "deepening",
                    "minimax,depth=2",
                ] {
                    let mut spec = catalog::parse::<G>(name).unwrap();
                    if let Spec::Mcts(config) = &mut spec {
                        *config = with_small_memory(*config);
                    }
                    let limits = if matches!(spec, Spec::Mcts(_)) {
                        SearchLimits::iterations(3000)
                    } else {
                        SearchLimits::depth(2)
                    };
                    let choice =
                        search_position(&mut *catalog::build(&spec).unwrap(), &position, limits);
                    assert_eq!(
                        notation::move_text(&position, choice.mv),
                        self.1,
                        "{name} on {}",
                        G::NAME
                    );
                }
            }
        }
        games::with_game(game, FindBestMove(position, best)).unwrap();
    }
}

#[test]
fn trees_are_reused_and_both_counters_kept() {
    let mut search = mcts::build::<ConnectFour>(with_small_memory(MctsConfig::default()));
    let mut position = ConnectFour::start(());
    let first = search_position(&mut *search, &position, SearchLimits::iterations(5000));
    let expected = &first.report.root_moves[0];
    search.advance(first.mv);
    position.play(first.mv);
    // The same statistics stand there, inherited.
    let reply = expected.pv[1];
    let report = search_position(&mut *search, &position, SearchLimits::iterations(1000)).report;
    let (visits, recent, _) = search.tree().unwrap().root_stats();
    assert_eq!((visits, recent), (expected.visits + 1000, 1000));
    let mut sums = (0, 0);
    search
        .tree()
        .unwrap()
        .for_each_edge(search.tree().unwrap().root(), &mut |edge| {
            sums.0 += edge.visits;
            sums.1 += edge.recent_visits;
        });
    assert_eq!(sums.1, 1000);
    assert!(report.root_moves.iter().any(|root| root.mv == reply));
    // A move that nobody expected, and one that is not the search's own, are taken as well.
    search.advance(Column(6));
    position.play(Column(6));
    assert!(
        position
            .is_legal(search_position(&mut *search, &position, SearchLimits::iterations(100)).mv)
    );
    // Without reuse nothing is kept.
    let mut search = mcts::build::<ConnectFour>(with_small_memory(MctsConfig {
        reuse: false,
        ..MctsConfig::default()
    }));
    let choice = search_position(
        &mut *search,
        &ConnectFour::start(()),
        SearchLimits::iterations(500),
    );
    search.advance(choice.mv);
    let mut position = ConnectFour::start(());
    position.play(choice.mv);
    search_position(&mut *search, &position, SearchLimits::iterations(100));
    assert_eq!(search.tree().unwrap().root_stats().0, 100);
}

#[test]
fn groups_share_what_is_alike() {
    // The four first moves of othello are images of each other: one node, with all visits.
    let sharing = Sharing {
        transpositions: true,
        grouping: Grouping::Dihedral,
        invert_colours: true,
    };
    let config = with_small_memory(MctsConfig {
        store: StoreKind::Graph,
        sharing,
        ..MctsConfig::default()
    });
    let mut search = mcts::build::<games::othello::Othello>(config);
    search_position(
        &mut *search,
        &games::othello::Othello::start(()),
        SearchLimits::iterations(2000),
    );
    let tree = search.tree().unwrap();
    let mut children = HashMap::new();
    tree.for_each_edge(tree.root(), &mut |edge| {
        *children.entry(edge.child).or_insert(0) += edge.visits
    });
    assert_eq!(children.len(), 1, "{children:?}");
    assert_eq!(children.values().sum::<u64>(), 1999);
    // Transpositions: 1 2 3 and 3 2 1 lead to one position.
    let mut search = mcts::build::<ConnectFour>(with_small_memory(MctsConfig {
        store: StoreKind::Graph,
        ..MctsConfig::default()
    }));
    search_position(
        &mut *search,
        &ConnectFour::start(()),
        SearchLimits::iterations(5000),
    );
    let tree = search.tree().unwrap();
    let child = |node: u32, column: u8| {
        let mut found = None;
        tree.for_each_edge(node, &mut |edge| {
            if edge.mv == Column(column) {
                found = edge.child;
            }
        });
        found.expect("5000 iterations reach every third move")
    };
    let [one, other] = [[0, 1, 2], [2, 1, 0]].map(|line| {
        line.iter()
            .fold(tree.root(), |node, &column| child(node, column))
    });
    assert_eq!(one, other);
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

#[test]
fn memory_is_never_exceeded_and_the_search_goes_on() {
    fn check<G: Playable>(rules: G::Rules) {
        for store in STORES {
            for threads in [1, 2] {
                let config = MctsConfig {
                    memory_mb: 1,
                    entries: 5000,
                    store,
                    threads,
                    playout_limit: Some(3),
                    ..MctsConfig::default()
                };
                let mut search = mcts::build::<G>(config);
                let report = search_position(
                    &mut *search,
                    &G::start(rules),
                    SearchLimits::iterations(60_000),
                )
                .report;
                assert_eq!(report.iterations, 60_000);
                assert!(
                    report.memory_full || report.stored_moves < 20_000,
                    "{store:?} on {}",
                    G::NAME
                );
                assert!(
                    report.memory_bytes <= 1 << 20,
                    "{} bytes in {store:?} on {}",
                    report.memory_bytes,
                    G::NAME
                );
            }
        }
    }
    check_each_game!(every_game(), check);
}

/// The short form of the minute's run: peak memory of a process, measured by the operating system.
#[test]
#[cfg(target_os = "linux")]
fn a_process_under_a_limit_does_not_outgrow_it() {
    check_process_memory("uct", 64, "1500000");
    check_process_memory("transposition", 64, "1500000");
}

#[test]
#[ignore = "two minutes of searching"]
#[cfg(target_os = "linux")]
fn a_process_under_a_limit_does_not_outgrow_it_in_a_minute() {
    check_process_memory("uct", 64, "12000000");
    check_process_memory("transposition", 64, "12000000");
}

#[cfg(target_os = "linux")]
fn check_process_memory(search: &str, limit_mb: u64, iterations: &str) {
    /// Memory beside the node store: code, stacks, reply tables.
    const OVERHEAD_MB: u64 = 12;
    let search = format!("{search},memory={limit_mb}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args([
            "bench",
            "rate",
            "--game",
            "connect-four",
            "--search",
            &search,
            "--iterations",
            iterations,
            "--json",
        ])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0;
    while child.try_wait().expect("it can be waited for").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kb = peak.and_then(|peak| {
            peak.trim()
                .trim_end_matches(" kB")
                .trim()
                .parse::<u64>()
                .ok()
        });
        peak_kb = peak_kb.max(kb.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        peak_kb > limit_mb * 1024 * 3 / 4,
        "{peak_kb} kB: the limit was not even reached"
    );
    assert!(
        peak_kb <= (limit_mb + OVERHEAD_MB) * 1024,
        "{peak_kb} kB under a limit of {limit_mb} MB"
    );
}

/// Fills a search's memory, lets the game continue, fills it again. Asserts that the process stays within the limit plus its
/// overhead.
#[cfg(target_os = "linux")]
fn check_full_memory(game: &str, search: &str, threads: usize, limit_mb: u64) {
    use std::io::{BufRead as _, Write as _};

    const OVERHEAD_MB: u64 = 12;
    /// Each round doubles the node limit: a search that does not reuse its tree must fill the memory in one round.
    const MAX_ROUNDS: u32 = 12;
    let mut child = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["--protocol", "ugi", "--game", game])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("there is a pipe");
    let mut lines = std::io::BufReader::new(child.stdout.take().expect("there is a pipe")).lines();
    write!(
        input,
        "setoption name Search value {search}\nsetoption name Hash value {limit_mb}\n\
         setoption name Threads value {threads}\nsetoption name PlayoutLimit value 2\n"
    )
    .expect("it listens");
    let mut moves = String::new();
    for _ in 0..2 {
        let mut best = String::new();
        let mut is_full = false;
        for round in 0.. {
            assert!(
                round < MAX_ROUNDS,
                "{search} of {threads} threads never fills {limit_mb} MB with {game}"
            );
            let nodes = 20_000_u64 << round;
            writeln!(input, "position startpos moves {moves}\ngo nodes {nodes}")
                .expect("it listens");
            while best.is_empty() {
                let line = lines.next().expect("it answers").expect("in text");
                is_full |= line.contains("memory is full");
                if let Some(mv) = line.strip_prefix("bestmove ") {
                    mv.split(' ')
                        .next()
                        .unwrap_or_default()
                        .clone_into(&mut best);
                }
            }
            if is_full {
                break;
            }
            best.clear();
        }
        moves = format!("{moves} {best}");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.expect("the process is there");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak_kb: u64 = peak
        .and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok())
        .expect("the system tells the peak");
    drop(input);
    child.wait().expect("it ends");
    assert!(
        peak_kb <= (limit_mb + OVERHEAD_MB) * 1024,
        "{search} of {threads} threads took {peak_kb} kB with {game} under a limit of {limit_mb} MB"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_memory_is_the_limit_and_12_megabytes() {
    for (game, search, threads) in [
        ("connect-four", "uct", 1),
        ("connect-four", "lgr2", 16),
        ("othello", "transposition", 16),
        ("chess", "lgr2", 4),
        ("delta", "ucb1-tuned", 2),
        ("kalah", "transposition-002", 8),
    ] {
        check_full_memory(game, search, threads, 4);
    }
}

#[test]
#[ignore = "many minutes: every search, every game, 1 to 16 threads"]
#[cfg(target_os = "linux")]
fn a_full_memory_is_the_limit_and_12_megabytes_for_every_search() {
    fn check<G: Playable>(_: G::Rules) {
        // The fixture has too few positions to fill a memory.
        if !G::FACTS.is_listed {
            return;
        }
        for name in catalog::names::<G>() {
            let spec = catalog::parse::<G>(name).expect("listed searches exist");
            if matches!(spec, Spec::Mcts(_)) {
                for threads in 1..=16 {
                    check_full_memory(G::NAME, name, threads, 8);
                }
            }
        }
    }
    check_each_game!(every_game(), check);
}

#[test]
fn the_bench_signature_is_as_it_was_and_the_same_twice() {
    let output = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["bench", "--signature", "--repeat", "2"])
        .output()
        .expect("the program starts");
    assert!(output.status.success());
    let twice = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<&str> = twice.lines().collect();
    let (first, second) = rows.split_at(rows.len() / 2);
    assert!(first.len() >= 5 * 22, "{}", first.len());
    assert_eq!(first, second);
    assert_golden("bench.txt", &(first.join("\n") + "\n"));
}

/// The tables of searches and parameters in protocol.md are the catalogue's.
#[test]
fn the_documented_tables_are_the_catalogues() {
    let mut text = String::from("| search | what it is |\n|---|---|\n");
    for entry in SEARCHES {
        let only = entry
            .only_game
            .map_or(String::new(), |game| format!("; {game} only"));
        text += &format!("| `{}` | {}{only} |\n", entry.name, entry.help);
    }
    text += "\n| parameter | what it does | values |\n|---|---|---|\n";
    for parameter in catalog::PARAMETERS {
        text += &format!(
            "| `{}` | {} | {} |\n",
            parameter.name, parameter.help, parameter.kind
        );
    }
    support::assert_doc_table("the catalogue", &text);
}

#[test]
fn our_presets_have_measured_constants_and_the_reports_their_own() {
    fn check<G: Playable>(_: G::Rules) {
        let constants = |name: &str| {
            let settings = catalog::parameter_values(&catalog::parse::<G>(name).unwrap());
            let get = |name: &str| settings.get(name).cloned().unwrap_or_default();
            (get("exploration"), get("playout_limit"))
        };
        let own = if G::NAME == "chess" {
            ("0.1", "5")
        } else {
            ("0.5", "0")
        };
        let own = (own.0.to_owned(), own.1.to_owned());
        for name in [
            "uct",
            "uct-fpu",
            "puct",
            "lgr1",
            "lgr2",
            "transposition",
            "grouping",
        ] {
            assert_eq!(constants(name), own, "{name} in {}", G::NAME);
        }
        assert_eq!(constants("ucb1-tuned"), (String::new(), own.1));
        let report = |name: &str| constants(name).0[..4].to_owned();
        assert_eq!(constants("uct-000"), ("1.41".to_owned(), "25".to_owned()));
        assert_eq!([report("uct-001"), report("uct-002")], ["1.41", "1.41"]);
    }
    check_each_game!(every_game(), check);
}

#[test]
fn requests_for_searches_are_checked() {
    let parse = |text: &str| catalog::parse::<ConnectFour>(text).map_err(|error| error.to_string());
    for (text, fragment) in [
        ("uctt", "unknown search \"uctt\": expected one of uct, "),
        ("", "unknown search \"\""),
        (
            "heuristic-001",
            "heuristic-001 cannot play connect-four: expected othello",
        ),
        (
            "uct,speed=9",
            "uct has no parameter \"speed\": expected one of select, exploration",
        ),
        ("uct,depth=4", "uct has no parameter \"depth\""),
        (
            "random,exploration=1",
            "random has no parameter \"exploration\": expected one of seed",
        ),
        (
            "uct,exploration=21",
            "exploration cannot be \"21\": expected a number from 0 to 20",
        ),
        ("uct,exploration=nan", "exploration cannot be \"nan\""),
        ("uct,exploration", "exploration cannot be \"\""),
        (
            "uct,iterations=-1",
            "iterations cannot be \"-1\": expected a whole number from 0",
        ),
        ("uct,iterations=1e3", "iterations cannot be \"1e3\""),
        (
            "uct,threads=0",
            "threads cannot be \"0\": expected a whole number from 1 to 512",
        ),
        (
            "uct,store=forest",
            "store cannot be \"forest\": expected tree, graph, bounded",
        ),
        (
            "uct,reuse=yes",
            "reuse cannot be \"yes\": expected true or false",
        ),
        (
            "alpha-beta,evaluation=weights",
            "evaluation cannot be \"weights\": expected one of lines, outcome, random",
        ),
        (
            "alpha-beta,evaluation=lines:5:5:5",
            "expected lines with at most 2 arguments",
        ),
        (
            "alpha-beta,evaluation=lines:-5",
            "expected two from 0 to 1000",
        ),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.contains(fragment), "{text}: {error}");
    }
    assert!(matches!(
        catalog::parse::<ConnectFour>("x"),
        Err(CatalogError::Search { .. })
    ));
    // UCB1-tuned has no constant, but a final choice by a lower bound has.
    assert!(parse("ucb1-tuned,exploration=1").is_err());
    assert!(parse("ucb1-tuned,final_choice=lower-bound,exploration=1").is_ok());
    for (name, has) in [
        ("uct", true),
        ("ucb1-tuned", false),
        ("ucb1-tuned-001", false),
    ] {
        let settings = catalog::parameter_values(&parse(name).unwrap());
        assert_eq!(settings.contains_key("exploration"), has, "{name}");
    }
    // Every parameter can be set to what it is, and reads back.
    for entry in SEARCHES {
        let Ok(spec) = catalog::parse::<ConnectFour>(entry.name) else {
            continue;
        };
        for parameter in catalog::PARAMETERS {
            let Some(value) = (parameter.get)(&spec).filter(|value| !value.is_empty()) else {
                continue;
            };
            let text = format!("{},{}={value}", entry.name, parameter.name);
            let settings = parse(&text).map(|spec| catalog::parameter_values(&spec));
            assert_eq!(settings, Ok(catalog::parameter_values(&spec)), "{text}");
        }
    }
}
