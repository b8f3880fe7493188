//! The table of searches: every entry plays, and its parameters are checked, documented and reproducible.

use canopy_engine::catalog::CatalogError;

use crate::support::assert_golden;

use super::*;

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
    assert_eq!(SEARCHES.len(), 34);
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
            "lgr1",
            "lgr2",
            "transposition",
            "grouping",
        ] {
            assert_eq!(constants(name), own, "{name} in {}", G::NAME);
        }
        assert_eq!(constants("puct"), ("2".to_owned(), own.1.clone()));
        assert_eq!(constants("ucb1-tuned"), (String::new(), own.1));
        let report = |name: &str| constants(name).0[..4].to_owned();
        assert_eq!(constants("uct-000"), ("1.41".to_owned(), "25".to_owned()));
        assert_eq!([report("uct-001"), report("uct-002")], ["1.41", "1.41"]);
    }
    check_each_game!(every_game(), check);
}

fn parse(text: &str) -> Result<Spec, String> {
    catalog::parse::<ConnectFour>(text).map_err(|error| error.to_string())
}

#[test]
fn requests_for_searches_are_checked() {
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
            "evaluation cannot be \"weights\": expected one of lines, threats, outcome, random",
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
}

#[test]
fn only_formulas_with_a_constant_have_an_exploration() {
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
}

#[test]
fn every_parameter_can_be_set_to_what_it_is() {
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
