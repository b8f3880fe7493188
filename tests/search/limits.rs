//! Limits of a search: iterations, nodes, time, the stop flag, and restricted root moves.

use std::time::Instant;

use canopy_engine::search::{ReportCallback, SearchReport};

use super::*;

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
}

#[test]
fn presets_have_limits_that_a_request_replaces() {
    let root = ConnectFour::start(());
    let preset = |name: &str, limits| {
        let spec = catalog::parse::<ConnectFour>(name).unwrap();
        search_position(&mut *catalog::build(&spec).unwrap(), &root, limits)
            .report
            .iterations
    };
    assert_eq!(preset("uct-000", SearchLimits::default()), 30);
    assert_eq!(preset("uct-001,iterations=41", SearchLimits::default()), 41);
    assert_eq!(preset("uct-000", SearchLimits::iterations(9)), 9);
}

#[test]
fn grouping_001_searches_half_as_long_in_the_opening_of_othello() {
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
}

#[test]
fn classical_searches_keep_limits_of_depth_and_nodes() {
    let root = ConnectFour::start(());
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
fn a_search_goes_on_from_a_restricted_one() {
    fn check<G: Playable>(rules: G::Rules) {
        for position in sample_positions::<G>(rules, 8, 43) {
            let mut legal = Vec::new();
            position.legal_moves(&mut legal);
            for name in ["uct", "transposition", "grouping"] {
                let name = &*without_solver::<G>(name);
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
