//! The enhancements of alpha-beta: those that are sound keep minimax's value, all of them find wins, and nothing depends on chance.

use canopy_engine::{games::chess::Chess, search::classical::Enhancements};

use super::*;

/// Configurations that differ from plain alpha-beta in nothing but nodes.
fn sound_configs(depth: u32) -> Vec<ClassicalConfig> {
    let base = ClassicalConfig {
        depth: Some(depth),
        tree_nodes: 500,
        table_mb: 1,
        ..ClassicalConfig::default()
    };
    let sound = Enhancements::SOUND;
    let table = Enhancements {
        table: true,
        ..Enhancements::NONE
    };
    let pvs = Enhancements {
        pvs: true,
        ..Enhancements::NONE
    };
    let with = |enhancements, deepening| ClassicalConfig {
        enhancements,
        deepening,
        ..base.clone()
    };
    vec![
        with(sound, true),
        with(sound, false),
        with(table, true),
        with(pvs, false),
        ClassicalConfig {
            aspiration: Some(Aspiration {
                half_width: 30,
                first_guess: 0,
            }),
            ..with(sound, true)
        },
        ClassicalConfig {
            wins_by_margin: true,
            ..with(sound, true)
        },
    ]
}

/// Minimax's value of a position with a history.
fn minimax_value<G: Playable>(config: &ClassicalConfig, root: &G, history: &History) -> i32 {
    let minimax = ClassicalConfig {
        method: Method::Minimax,
        deepening: false,
        aspiration: None,
        ..config.clone()
    };
    value_of(&mut classical(minimax), root, history)
}

fn value_of<G: Playable>(search: &mut dyn Search<G>, root: &G, history: &History) -> i32 {
    let limits = SearchLimits::default();
    let report = (search.search(SearchTask::new(root, history, &limits, &StopFlag::new()))).report;
    report.root_moves[0].score.expect("a value")
}

#[test]
fn sound_enhancements_keep_the_value_of_minimax() {
    fn check<G: Playable>(rules: G::Rules) {
        let (count, deepest) = match G::NAME {
            "chess" | "delta" => (40, 3),
            _ => (60, 5),
        };
        for position in sample_positions::<G>(rules, count, 24) {
            let mut history = History::new();
            history.push(&position);
            for depth in 1..=deepest {
                for config in sound_configs(depth) {
                    let expected = minimax_value(&config, &position, &history);
                    let mut search = classical(config.clone());
                    // The second search finds the table of the first.
                    for _ in 0..2 {
                        let value = value_of(&mut search, &position, &history);
                        // Deepening ends with the first win it finds.
                        let is_quicker = value.abs() > expected.abs() && value.abs() > 900_000;
                        let text = position_text(&position);
                        assert!(
                            value == expected || is_quicker,
                            "{value}, {expected}: {text}"
                        );
                    }
                }
            }
        }
    }
    check_each_game!(every_game(), check);
}

/// Draws by repetition depend on the way to a position, which a table does not know.
#[test]
fn a_table_does_not_confuse_draws_by_repetition() {
    let root: Chess =
        notation::read_position(Default::default(), "7k/6p1/8/8/8/8/1P6/K5R1 w - - 0 1")
            .expect("a position");
    let mut rng = Rng::new(3);
    for _ in 0..40 {
        // Kings and rook walk about in corners, so that positions come back.
        let (mut position, mut history) = (root.clone(), History::new());
        history.push(&position);
        for _ in 0..24 {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let back: Vec<_> = (moves.iter().copied())
                .filter(|&mv| {
                    let mut after = position.clone();
                    after.play(mv);
                    history.occurrences(&after) == 1
                })
                .collect();
            let choices = if back.is_empty() { &moves } else { &back };
            if choices.is_empty() || history.outcome(&position).is_some() {
                break;
            }
            let mv = choices[rng.below(choices.len() as u32) as usize];
            history.play(&mut position, mv);
        }
        if history.outcome(&position).is_some() {
            continue;
        }
        for depth in 1..=4 {
            let config = sound_configs(depth).swap_remove(0);
            let expected = minimax_value(&config, &position, &history);
            let value = value_of(&mut classical(config), &position, &history);
            assert_eq!(value, expected, "{}", position_text(&position));
        }
    }
}

#[test]
fn strong_finds_mates_and_their_distance() {
    let mates = [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 3),
        ("k7/8/2K5/8/8/8/8/7R w - - 0 1", 3),
        // The mated side counts plies, too.
        ("7k/8/6K1/8/8/8/8/R7 b - - 0 1", -2),
    ];
    for (fen, plies) in mates {
        let root: Chess = notation::read_position(Default::default(), fen).expect(fen);
        let spec = catalog::parse::<Chess>("strong,depth=6").expect("a search");
        let mut search = catalog::build::<Chess>(&spec).expect("a search of chess");
        let report = search_position(&mut *search, &root, SearchLimits::default()).report;
        let expected = match plies {
            0.. => 1_000_000 - plies,
            _ => -1_000_000 - plies,
        };
        assert_eq!(report.root_moves[0].score, Some(expected), "{fen}");
        assert_eq!(report.pv().len() as i32, plies.abs(), "{fen}");
    }
}

#[test]
fn strong_repeats_itself_and_needs_fewer_nodes_than_plain_alpha_beta() {
    fn check<G: Playable>(rules: G::Rules) {
        let nodes = |name: &str, position: &G| {
            let text = format!("{},depth=5", without_solver::<G>(name));
            let spec = catalog::parse::<G>(&text).expect("a search");
            let run = || {
                let mut search = catalog::build::<G>(&spec).expect("a search of the game");
                search_position(&mut *search, position, SearchLimits::default()).report
            };
            let report = run();
            assert_eq!(report, run(), "{name} in {}", position_text(position));
            report.nodes
        };
        let (mut strong, mut plain) = (0, 0);
        for position in sample_positions::<G>(rules, 6, 31) {
            strong += nodes("strong", &position);
            plain += nodes("alpha-beta", &position);
        }
        assert!(strong < plain, "{}: {strong} and {plain}", G::NAME);
    }
    check_each_game!(&["chess", "othello", "kalah"][..], check);
}

#[test]
fn every_enhancement_is_a_parameter_that_can_be_switched() {
    let strong = catalog::parse::<Chess>("strong").expect("a search");
    let plain = catalog::parse::<Chess>("alpha-beta").expect("a search");
    let value = |spec: &Spec, name: &str| catalog::parameter_values(spec).get(name).cloned();
    for name in catalog::ENHANCEMENTS {
        assert_eq!(value(&strong, name).as_deref(), Some("true"), "{name}");
        assert_eq!(value(&plain, name).as_deref(), Some("false"), "{name}");
        let text = format!("strong,{name}=false");
        let spec = catalog::parse::<Chess>(&text).expect("a search");
        assert_ne!(spec, strong, "{name}");
        assert_eq!(value(&spec, name).as_deref(), Some("false"), "{name}");
    }
    let minimax = catalog::parse::<Chess>("minimax").expect("a search");
    assert_eq!(value(&minimax, "table"), None);
    // The size of the table is a parameter where there is one.
    assert_eq!(value(&plain, "memory"), None);
    let sized = catalog::parse::<Chess>("alpha-beta,table=true,memory=8").expect("a search");
    assert_eq!(value(&sized, "memory").as_deref(), Some("8"));
}

#[test]
fn full_nodes_are_those_of_minimax() {
    let root: ConnectFour = notation::read_position((), "4453").expect("a position");
    let spec = catalog::parse::<ConnectFour>("strong,depth=5,full_nodes=true").expect("a search");
    let mut search = catalog::build::<ConnectFour>(&spec).expect("a search");
    search_position(&mut *search, &root, SearchLimits::default());
    let completed = search.completed_depths().to_vec();
    assert_eq!(completed.len(), 5);
    let deepest = completed.len();
    for (index, about) in completed.into_iter().enumerate() {
        let config = ClassicalConfig {
            method: Method::Minimax,
            depth: Some(about.depth),
            ..ClassicalConfig::default()
        };
        let minimax = search_position(&mut classical(config), &root, SearchLimits::default());
        assert_eq!(about.full_nodes, Some(minimax.report.nodes));
        // Small depths may take more: quiescence looks beyond them.
        assert!(index + 1 < deepest || about.nodes < minimax.report.nodes / 2);
    }
}

/// Nodes of 20 positions a game with all enhancements and without each.
#[test]
fn the_nodes_of_every_enhancement_are_as_they_were() {
    let output = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["bench", "nodes", "--signature", "--depth", "4"])
        .output()
        .expect("the program starts");
    assert!(output.status.success());
    let rows = String::from_utf8(output.stdout).expect("text");
    support::assert_golden("bench_nodes.txt", &rows);
}
