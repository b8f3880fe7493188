use super::*;

fn own() -> Vec<String> {
    vec!["canopy-viewer".to_owned(), "engine".to_owned()]
}

/// The fields that complain.
fn complaints(setup: &Setup) -> Vec<Field> {
    match setup.check(&own()) {
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
fn demand(field: &Field, good: &[&str], bad: &[&str], put: impl Fn(&mut Setup, String)) {
    for (texts, expected) in [(good, vec![]), (bad, vec![field.clone()])] {
        for text in texts {
            let mut setup = Setup::default();
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
    let plan = Setup::default().check(&own()).expect("sound");
    let engine = Engine {
        name: "uct-000".to_owned(),
        command: ["canopy-viewer", "engine", "--game", "kalah"]
            .map(str::to_owned)
            .to_vec(),
        dialect: Dialect::Ugi,
        options: vec![("Search".to_owned(), "uct-000".to_owned())],
        go: "nodes 30".parse().ok(),
        ..Engine::default()
    };
    let expected = Plan {
        game: "kalah".to_owned(),
        position: String::new(),
        seats: [None, Some(engine)],
        games: 1,
        animate: false,
        pause: Duration::from_millis(500),
    };
    assert_eq!(plan, expected);
}

#[test]
fn iterations_are_checked() {
    let bad = no_numbers_and(&["0", "10001"]);
    demand(
        &Field::Limit(1),
        &["1", "10000", " 30 "],
        &bad,
        |setup, text| {
            setup.engines[1].iterations = text;
        },
    );
    let bad = no_numbers_and(&["0", "10000001"]);
    demand(
        &Field::Limit(1),
        &["1", "10001", "10000000"],
        &bad,
        |setup, text| {
            setup.engines[1].choose("kalah", "uct");
            setup.engines[1].iterations = text;
        },
    );
}

#[test]
fn times_are_checked() {
    let bad = no_numbers_and(&["0", "999", "120001"]);
    demand(
        &Field::Limit(1),
        &["1000", "120000"],
        &bad,
        |setup, text| {
            setup.engines[1].limit = Limit::Milliseconds;
            setup.engines[1].milliseconds = text;
        },
    );
    let bad = no_numbers_and(&["0", "9", "3600001"]);
    demand(&Field::Limit(1), &["10", "3600000"], &bad, |setup, text| {
        setup.engines[1].choose("kalah", "lgr2");
        setup.engines[1].limit = Limit::Milliseconds;
        setup.engines[1].milliseconds = text;
    });
}

#[test]
fn the_other_numbers_are_checked() {
    let bad = no_numbers_and(&["0", "9", "100001"]);
    demand(
        &Field::PlayoutLimit(1),
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
        &Field::Exploration(1),
        &["0", "20", "1.5", "0.70"],
        &bad,
        |setup, text| {
            setup.engines[1].exploration = text;
        },
    );
    let bad = no_numbers_and(&["0", "100"]);
    demand(&Field::Games, &["1", "99"], &bad, |setup, text| {
        setup.games = text
    });
    let bad = no_numbers_and(&["60001"]);
    demand(&Field::Pause, &["0", "60000"], &bad, |setup, text| {
        setup.pause = text
    });
    let bad = no_numbers_and(&["0", "501"]);
    demand(&Field::Limit(1), &["1", "500"], &bad, |setup, text| {
        setup.engines[1].choose("kalah", "alpha-beta");
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
        let field = Field::Parameter(1, name.to_owned());
        demand(&field, &[good], &[bad, "", "1,2"], |setup, text| {
            setup.take_game("othello");
            setup.engines[1].choose("othello", search);
            setup.engines[1].parameters.insert(name.to_owned(), text);
        });
    }
}

#[test]
fn games_and_positions_are_checked() {
    demand(
        &Field::Game,
        &["", "4x3", "6x4:empty-capture"],
        &["7x7", ":", "x"],
        |setup, text| {
            setup.variant = text;
        },
    );
    let over = "<6,24,24,0,0,0,0,0,0,0,0,0,0,0,0> s";
    let good = ["", "startpos", "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n"];
    demand(
        &Field::Position,
        &good,
        &["nowhere", "<6> s", over],
        |setup, text| {
            setup.position = text;
        },
    );
    let mut setup = Setup {
        game: "go".to_owned(),
        ..Setup::default()
    };
    assert_eq!(complaints(&setup), [Field::Game]);
    setup = Setup::default();
    setup.engines[1].search = "rules-002".to_owned();
    assert_eq!(complaints(&setup), [Field::Search(1)]);
    setup.engines[1].search = "stockfish".to_owned();
    assert_eq!(complaints(&setup), [Field::Search(1)]);
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
    demand(&Field::Command(1), &good, &bad, |setup, text| {
        setup.engines[1].external = true;
        setup.engines[1].command = text;
    });
    let mut setup = Setup::default();
    setup.engines[1] = EngineSetup {
        external: true,
        command: "name=deep ./engine --quiet".to_owned(),
        dialect: Dialect::Gtp,
        limit: Limit::Plies,
        // What has no say here is not looked at.
        exploration: "much".to_owned(),
        ..EngineSetup::default()
    };
    let plan = setup.check(&own()).expect("sound");
    let engine = plan.seats[1].as_ref().expect("an engine");
    assert_eq!(engine.name, "deep");
    assert_eq!(engine.command, ["./engine", "--quiet"]);
    assert_eq!(engine.dialect, Dialect::Gtp);
    assert_eq!(engine.go, "depth 6".parse().ok());
    assert!(engine.options.is_empty());
}

#[test]
fn nobody_is_asked_who_does_not_play() {
    let mut setup = Setup::default();
    setup.engines[0].iterations = "none".to_owned();
    assert_eq!(complaints(&setup), []);
    setup.mode = Mode::Engines;
    assert_eq!(complaints(&setup), [Field::Limit(0)]);
    setup.mode = Mode::People;
    assert_eq!(complaints(&setup), []);
}

#[test]
fn what_is_changed_is_told_to_the_engine() {
    let told = |change: &dyn Fn(&mut EngineSetup)| {
        let mut setup = Setup::default();
        setup.engines[1].choose("kalah", "uct-002");
        change(&mut setup.engines[1]);
        let plan = setup.check(&own()).expect("sound");
        let engine = plan.seats[1].clone().expect("an engine");
        assert_eq!(engine.go, "nodes 100000".parse().ok());
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
    let mut setup = Setup::default();
    setup.engines[1].cuts_playouts = false;
    let plan = setup.check(&own()).expect("sound");
    let engine = plan.seats[1].as_ref().expect("an engine");
    assert_eq!(engine.options[0].1, "uct-000,playout_limit=0");
}

#[test]
fn every_game_can_be_played_in_every_way() {
    for game in games::NAMES {
        let offers = Offers::of(game).expect("a game");
        for &search in &offers.searches {
            for mode in [Mode::Engine, Mode::Engines, Mode::People] {
                let mut setup = Setup::default();
                setup.take_game(game);
                setup.mode = mode;
                for engine in &mut setup.engines {
                    engine.choose(game, search);
                }
                let plan = setup.check(&own()).expect("sound");
                assert_eq!(plan.game, *game);
                let engines: Vec<&Engine> = plan.seats.iter().flatten().collect();
                assert_eq!(engines.len(), [1, 2, 0][mode as usize]);
                assert!(engines.iter().all(|engine| engine.go.is_some()));
                for engine in &engines {
                    assert_eq!(engine.options[0].1, search, "as it was published");
                }
                if let [first, second] = &engines[..] {
                    assert_ne!(first.name, second.name);
                }
            }
        }
        for variant in offers.variants {
            let mut setup = Setup::default();
            setup.take_game(game);
            setup.variant = (*variant).to_owned();
            let plan = setup.check(&own()).expect("sound");
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
        let offers = Offers::of(game).expect("a game");
        let has = REPORTS.map(|(number, _)| offers.player_of(number).is_some());
        assert_eq!(has, expected, "{game}");
    }
    let mut engine = EngineSetup::default();
    engine.choose("othello", "alpha-beta-004");
    assert_eq!((engine.limit, engine.plies.as_str()), (Limit::Plies, "5"));
    assert!(!engine.has("othello", "exploration"));
    engine.choose("othello", "three-valued-003");
    assert_eq!(engine.limit, Limit::Milliseconds);
    assert_eq!(engine.milliseconds, "1000");
    engine.choose("othello", "uct-001");
    assert_eq!(
        (engine.limit, engine.iterations.as_str()),
        (Limit::Iterations, "300")
    );
    assert_eq!(
        (engine.exploration.as_str(), engine.cuts_playouts),
        ("1.4142", false)
    );
    engine.choose("othello", "uct-000");
    let other = EngineSetup::default();
    assert_eq!(
        (&engine.iterations, &engine.exploration),
        (&other.iterations, &other.exploration)
    );
    assert!(engine.cuts_playouts);
    engine.choose("othello", "random");
    assert_eq!(engine.limit("othello"), None);
}

#[test]
fn another_game_leaves_behind_what_it_cannot_use() {
    let mut setup = Setup {
        variant: "4x3".to_owned(),
        position: "startpos".to_owned(),
        ..Setup::default()
    };
    setup.engines[1].choose("kalah", "uct");
    setup.engines[0].exploration = "0.5".to_owned();
    setup.take_game("chess");
    assert!(setup.variant.is_empty() && setup.position.is_empty());
    assert!(setup.engines[1].cuts_playouts, "playouts of chess are long");
    assert_eq!(setup.engines[0].exploration, "0.5");
    setup.take_game("othello");
    setup.engines[1].choose("othello", "minimax-004");
    setup.engines[1].external = true;
    setup.take_game("delta");
    assert_eq!(setup.engines[1].search, "uct");
    assert!(setup.engines[1].external);
}

#[test]
fn the_engine_follows_when_sides_are_changed() {
    let mut setup = Setup::default();
    setup.engines[1].choose("kalah", "lgr2");
    setup.take_side(true);
    assert_eq!(setup.engines[0].search, "lgr2");
    let plan = setup.check(&own()).expect("sound");
    assert!(plan.seats[0].is_some() && plan.seats[1].is_none());
    setup.take_side(true);
    assert_eq!(setup.engines[0].search, "lgr2");
}
