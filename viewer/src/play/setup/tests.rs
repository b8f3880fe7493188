use super::*;

fn own() -> Vec<String> {
    vec!["canopy-viewer".to_owned(), "engine".to_owned()]
}

/// The fields that complain.
fn complaints(setup: &GameSetup) -> Vec<SetupField> {
    match setup.validate(&own()) {
        Ok(_) => Vec::new(),
        Err(problems) => {
            for problem in &problems {
                let is_sentence = problem.text.ends_with('.') && !problem.text.contains('\n');
                assert!(is_sentence, "{}", problem.text);
            }
            problems.into_iter().map(|problem| problem.field).collect()
        }
    }
}

/// Demands that of some texts in one place exactly the bad ones are refused, at that field.
fn demand(field: &SetupField, good: &[&str], bad: &[&str], put: impl Fn(&mut GameSetup, String)) {
    for (texts, expected) in [(good, vec![]), (bad, vec![field.clone()])] {
        for text in texts {
            let mut setup = GameSetup::default();
            put(&mut setup, (*text).to_owned());
            assert_eq!(complaints(&setup), expected, "{text:?} at {field}");
        }
    }
}

const NO_NUMBERS: [&str; 8] = [
    "",
    " ",
    "-1",
    "1e9",
    "abc",
    "1.5",
    "+5",
    "99999999999999999999",
];

fn no_numbers_and(more: &[&'static str]) -> Vec<&'static str> {
    NO_NUMBERS.iter().chain(more).copied().collect()
}

#[test]
fn the_defaults_are_those_of_report_000() {
    let plan = GameSetup::default().validate(&own()).expect("sound");
    let engine = EngineConfig {
        name: "uct-000".to_owned(),
        command: ["canopy-viewer", "engine", "--game", "kalah"]
            .map(str::to_owned)
            .to_vec(),
        protocol: EngineProtocol::Ugi,
        options: vec![("Search".to_owned(), "uct-000".to_owned())],
        limits: "nodes 30".parse().ok(),
        ..EngineConfig::default()
    };
    let expected = GameConfig {
        game: "kalah".to_owned(),
        position: String::new(),
        participants: [None, Some(engine)],
        games: 1,
        animate: false,
        min_move_time: Duration::from_millis(500),
    };
    assert_eq!(plan, expected);
}

#[test]
fn iterations_are_checked() {
    let bad = no_numbers_and(&["0", "10001"]);
    demand(
        &SetupField::Limit(1),
        &["1", "10000", " 30 "],
        &bad,
        |setup, text| {
            setup.engines[1].iterations = text;
        },
    );
    let bad = no_numbers_and(&["0", "10000001"]);
    demand(
        &SetupField::Limit(1),
        &["1", "10001", "10000000"],
        &bad,
        |setup, text| {
            setup.engines[1].set_search("kalah", "uct");
            setup.engines[1].iterations = text;
        },
    );
}

#[test]
fn times_are_checked() {
    let bad = no_numbers_and(&["0", "999", "120001"]);
    demand(
        &SetupField::Limit(1),
        &["1000", "120000"],
        &bad,
        |setup, text| {
            setup.engines[1].limit = LimitKind::Milliseconds;
            setup.engines[1].milliseconds = text;
        },
    );
    let bad = no_numbers_and(&["0", "9", "3600001"]);
    demand(
        &SetupField::Limit(1),
        &["10", "3600000"],
        &bad,
        |setup, text| {
            setup.engines[1].set_search("kalah", "lgr2");
            setup.engines[1].limit = LimitKind::Milliseconds;
            setup.engines[1].milliseconds = text;
        },
    );
}

#[test]
fn the_other_numbers_are_checked() {
    let bad = no_numbers_and(&["0", "9", "100001"]);
    demand(
        &SetupField::PlayoutLimit(1),
        &["10", "100000"],
        &bad,
        |setup, text| {
            setup.engines[1].playout_limit = text;
        },
    );
    let bad = [
        "", "-1", "20.1", "1e9", "abc", "NaN", "inf", "1,seed=7", "1,41",
    ];
    demand(
        &SetupField::Exploration(1),
        &["0", "20", "1.5", "0.70"],
        &bad,
        |setup, text| {
            setup.engines[1].exploration = text;
        },
    );
    let bad = no_numbers_and(&["0", "100"]);
    demand(&SetupField::Games, &["1", "99"], &bad, |setup, text| {
        setup.games = text
    });
    let bad = no_numbers_and(&["60001"]);
    demand(&SetupField::Pause, &["0", "60000"], &bad, |setup, text| {
        setup.pause = text
    });
    let bad = no_numbers_and(&["0", "501"]);
    demand(&SetupField::Limit(1), &["1", "500"], &bad, |setup, text| {
        setup.engines[1].set_search("kalah", "alpha-beta");
        setup.engines[1].plies = text;
    });
}

#[test]
fn parameters_are_checked() {
    for (search, name, good, bad) in [
        ("uct", "memory", "64", "0"),
        ("uct", "final_choice", "mean", "best"),
        ("uct", "reuse", "false", "perhaps"),
        ("uct", "seed", "7", "-7"),
        ("deepening", "first_guess", "-20", "1.5"),
        ("greedy", "evaluation", "mobility", "luck"),
    ] {
        let field = SetupField::Parameter(1, name.to_owned());
        demand(&field, &[good], &[bad, "", "1,2"], |setup, text| {
            setup.set_game("othello");
            setup.engines[1].set_search("othello", search);
            setup.engines[1].parameters.insert(name.to_owned(), text);
        });
    }
}

#[test]
fn games_and_positions_are_checked() {
    demand(
        &SetupField::Game,
        &["", "4x3", "6x4:empty-capture"],
        &["7x7", ":", "x"],
        |setup, text| {
            setup.variant = text;
        },
    );
    let over = "<6,24,24,0,0,0,0,0,0,0,0,0,0,0,0> s";
    let good = ["", "startpos", "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n"];
    demand(
        &SetupField::Position,
        &good,
        &["nowhere", "<6> s", over],
        |setup, text| {
            setup.position = text;
        },
    );
    let mut setup = GameSetup {
        game: "go".to_owned(),
        ..GameSetup::default()
    };
    assert_eq!(complaints(&setup), [SetupField::Game]);
    setup = GameSetup::default();
    setup.engines[1].search = "rules-002".to_owned();
    assert_eq!(complaints(&setup), [SetupField::Search(1)]);
    setup.engines[1].search = "stockfish".to_owned();
    assert_eq!(complaints(&setup), [SetupField::Search(1)]);
}

#[test]
fn commands_are_checked() {
    let good = ["engine", "name=deep option.Depth=6 './my engine' --quiet"];
    let bad = [
        "",
        "  ",
        "engine 'open",
        "name=x",
        "search=uct",
        "colour=red engine",
    ];
    demand(&SetupField::Command(1), &good, &bad, |setup, text| {
        setup.engines[1].external = true;
        setup.engines[1].command = text;
    });
    let mut setup = GameSetup::default();
    setup.engines[1] = EngineSetup {
        external: true,
        command: "name=deep ./engine --quiet".to_owned(),
        dialect: EngineProtocol::Gtp,
        limit: LimitKind::Plies,
        // What has no say here is not looked at.
        exploration: "much".to_owned(),
        ..EngineSetup::default()
    };
    let plan = setup.validate(&own()).expect("sound");
    let engine = plan.participants[1].as_ref().expect("an engine");
    assert_eq!(engine.name, "deep");
    assert_eq!(engine.command, ["./engine", "--quiet"]);
    assert_eq!(engine.protocol, EngineProtocol::Gtp);
    assert_eq!(engine.limits, "depth 6".parse().ok());
    assert!(engine.options.is_empty());
}

#[test]
fn nobody_is_asked_who_does_not_play() {
    let mut setup = GameSetup::default();
    setup.engines[0].iterations = "none".to_owned();
    assert_eq!(complaints(&setup), []);
    setup.mode = PlayMode::Engines;
    assert_eq!(complaints(&setup), [SetupField::Limit(0)]);
    setup.mode = PlayMode::People;
    assert_eq!(complaints(&setup), []);
}

#[test]
fn what_is_changed_is_told_to_the_engine() {
    let told = |change: &dyn Fn(&mut EngineSetup)| {
        let mut setup = GameSetup::default();
        setup.engines[1].set_search("kalah", "uct-002");
        change(&mut setup.engines[1]);
        let plan = setup.validate(&own()).expect("sound");
        let engine = plan.participants[1].clone().expect("an engine");
        assert_eq!(engine.limits, "nodes 100000".parse().ok());
        engine.options[0].1.clone()
    };
    assert_eq!(told(&|_| {}), "uct-002", "the root of two is as published");
    assert_eq!(
        told(&|engine| {
            engine.exploration = "0.7".to_owned();
            engine.cuts_playouts = true;
            engine.playout_limit = "40".to_owned();
            engine.parameters.insert("seed".to_owned(), "9".to_owned());
            engine.parameters.insert("depth".to_owned(), "9".to_owned());
        }),
        "uct-002,exploration=0.7,playout_limit=40,seed=9"
    );
    let mut setup = GameSetup::default();
    setup.engines[1].cuts_playouts = false;
    let plan = setup.validate(&own()).expect("sound");
    let engine = plan.participants[1].as_ref().expect("an engine");
    assert_eq!(engine.options[0].1, "uct-000,playout_limit=0");
}

#[test]
fn every_game_can_be_played_in_every_way() {
    for game in games::FACTS.iter().map(|facts| facts.name) {
        let offers = GameInfo::of(game).expect("a game");
        for &search in &offers.searches {
            for mode in [PlayMode::Engine, PlayMode::Engines, PlayMode::People] {
                let mut setup = GameSetup::default();
                setup.set_game(game);
                setup.mode = mode;
                for engine in &mut setup.engines {
                    engine.set_search(game, search);
                }
                let plan = setup.validate(&own()).expect("sound");
                assert_eq!(plan.game, game);
                let engines: Vec<&EngineConfig> = plan.participants.iter().flatten().collect();
                assert_eq!(engines.len(), [1, 2, 0][mode as usize]);
                assert!(engines.iter().all(|engine| engine.limits.is_some()));
                for engine in &engines {
                    assert_eq!(engine.options[0].1, search, "as it was published");
                }
                if let [first, second] = &engines[..] {
                    assert_ne!(first.name, second.name);
                }
            }
        }
        for variant in offers.variants {
            let mut setup = GameSetup::default();
            setup.set_game(game);
            setup.variant = (*variant).to_owned();
            let plan = setup.validate(&own()).expect("sound");
            assert_eq!(plan.game, format!("{game}:{variant}"));
        }
    }
}

#[test]
fn reports_have_their_players() {
    for (game, expected) in [
        ("kalah", [true, true, true, true, false]),
        ("othello", [true, true, true, true, true]),
    ] {
        let offers = GameInfo::of(game).expect("a game");
        let has = REPORTS.map(|(number, _)| offers.report_search(number).is_some());
        assert_eq!(has, expected, "{game}");
    }
    let mut engine = EngineSetup::default();
    engine.set_search("othello", "alpha-beta-004");
    assert_eq!(
        (engine.limit, engine.plies.as_str()),
        (LimitKind::Plies, "5")
    );
    assert!(!engine.has_parameter("othello", "exploration"));
    engine.set_search("othello", "three-valued-003");
    assert_eq!(engine.limit, LimitKind::Milliseconds);
    assert_eq!(engine.milliseconds, "1000");
    engine.set_search("othello", "uct-001");
    assert_eq!(
        (engine.limit, engine.iterations.as_str()),
        (LimitKind::Iterations, "300")
    );
    assert_eq!(
        (engine.exploration.as_str(), engine.cuts_playouts),
        ("1.4142", false)
    );
    engine.set_search("othello", "uct-000");
    let other = EngineSetup::default();
    assert_eq!(
        (&engine.iterations, &engine.exploration),
        (&other.iterations, &other.exploration)
    );
    assert!(engine.cuts_playouts);
    engine.set_search("othello", "random");
    assert_eq!(engine.effective_limit("othello"), None);
}

#[test]
fn another_game_leaves_behind_what_it_cannot_use() {
    let mut setup = GameSetup {
        variant: "4x3".to_owned(),
        position: "startpos".to_owned(),
        ..GameSetup::default()
    };
    setup.engines[1].set_search("kalah", "uct");
    setup.engines[0].exploration = "0.5".to_owned();
    setup.set_game("chess");
    assert!(setup.variant.is_empty() && setup.position.is_empty());
    assert!(setup.engines[1].cuts_playouts, "playouts of chess are long");
    assert_eq!(setup.engines[0].exploration, "0.5");
    setup.set_game("othello");
    setup.engines[1].set_search("othello", "minimax-004");
    setup.engines[1].external = true;
    setup.set_game("delta");
    assert_eq!(setup.engines[1].search, "uct");
    assert!(setup.engines[1].external);
}

#[test]
fn the_engine_follows_when_sides_are_changed() {
    let mut setup = GameSetup::default();
    setup.engines[1].set_search("kalah", "lgr2");
    setup.set_side(true);
    assert_eq!(setup.engines[0].search, "lgr2");
    let plan = setup.validate(&own()).expect("sound");
    assert!(plan.participants[0].is_some() && plan.participants[1].is_none());
    setup.set_side(true);
    assert_eq!(setup.engines[0].search, "lgr2");
}

#[test]
fn the_limits_of_report_000_are_those_of_its_form_alone() {
    let mut form = GameSetup::default();
    form.engines[1].iterations = "10001".to_owned();
    let problems = form.validate(&[]).expect_err("more than the report allows");
    assert_eq!(problems[0].field, SetupField::Limit(1));
    let analyst = GameSetup::analysis_engine("kalah", REPORT_000_SEARCH, "10001", &[]);
    let limits = analyst.expect("any number").limits.expect("a limit");
    assert_eq!(limits.nodes, Some(10_001));
    assert!(GameSetup::analysis_engine("kalah", REPORT_000_SEARCH, "0", &[]).is_err());
}

#[test]
fn another_engine_takes_the_place_of_the_one_that_plays() {
    let mut form = GameSetup::default();
    form.connect_engine();
    assert_eq!(
        form.engines.clone().map(|engine| engine.external),
        [false, true]
    );
    let mut form = GameSetup {
        mode: PlayMode::People,
        plays_second: true,
        ..GameSetup::default()
    };
    form.connect_engine();
    assert!(form.mode == PlayMode::Engine && form.engines[0].external);
}
