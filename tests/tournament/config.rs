//! The file: keys, defaults, spellings, ranges, colours, and what is said about mistakes.

use canopy_engine::arena::tournament::{
    TournamentMode,
    config::{PlayerKind, TournamentConfig},
};

use super::*;

fn parse(config: &Value) -> TournamentConfig {
    TournamentConfig::parse(&config.to_string()).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The mistakes of a file, one on a line.
fn problems(config: &Value) -> Vec<String> {
    let problems = TournamentConfig::parse(&config.to_string()).expect_err("there is a mistake");
    problems.to_string().lines().map(str::to_owned).collect()
}

fn names(config: &TournamentConfig) -> Vec<&str> {
    (config.players.iter())
        .map(|player| player.name.as_str())
        .collect()
}

fn searches(config: &TournamentConfig) -> Vec<&str> {
    let kinds = config.players.iter().map(|player| &player.kind);
    kinds
        .map(|kind| match kind {
            PlayerKind::Search(search) => search.as_str(),
            PlayerKind::Person => "a person",
            PlayerKind::Engine(text) => text.as_str(),
        })
        .collect()
}

/// The experiment of report 001, section 4.1, as its file has to say it.
#[test]
fn the_file_of_report_001s_experiment_is_read() {
    let config = parse(&json!({
        "game_type": "tournament",
        "game_repetitions": 5,
        "seed": 666,
        "heuristic_simulation_depth": 6,
        "mcts_simulation_count": 300,
        "show_visualisation": false,
        "output_file": "results.csv",
        "players": [
            {"player_type": "mcts_uct"},
            {"player_type": "mcts_ucb1"},
            {"player_type": "mcts_grouping"},
            {"player_type": "heuristic"},
        ],
    }));
    assert_eq!(
        (config.game.as_str(), config.mode),
        ("othello", TournamentMode::Tournament)
    );
    assert_eq!((config.repetitions, config.seed), (5, Some(666)));
    assert!(!config.wants_window());
    assert_eq!(
        config.output_file.as_deref(),
        Some(Path::new("results.csv"))
    );
    assert_eq!(
        searches(&config),
        [
            "uct-001,iterations=300",
            "ucb1-tuned-001,iterations=300",
            "grouping-001,iterations=300",
            "heuristic-001,depth=6"
        ]
    );
    assert_eq!(
        names(&config),
        [
            "MCTSPlayer-UCT",
            "MCTSPlayer-UCB1_TUNED",
            "MCTSPlayer-UCT_GROUPING",
            "AlphaBetaHeuristicPlayer"
        ]
    );
}

#[test]
fn all_but_the_players_have_the_defaults_of_the_report() {
    let types = ["heuristic", "mcts_uct"];
    let config = parse(&json!({"players": types.map(|name| json!({"player_type": name}))}));
    assert_eq!(config.mode, TournamentMode::Match);
    assert_eq!((config.repetitions, config.seed), (1, None));
    assert!(config.shows_window && !config.has_people());
    assert_eq!(config.output_file, None);
    assert_eq!(
        searches(&config),
        ["heuristic-001,depth=6", "uct-001,iterations=300"]
    );
}

#[test]
fn every_type_of_player_has_its_search() {
    let types = ["user", "random", "simple_heuristic"];
    let config = parse(&json!({
        "game_type": "tournament",
        "show_visualisation": false,
        "players": types.map(|name| json!({"player_type": name})),
    }));
    assert_eq!(
        searches(&config),
        ["a person", "random", "simple-heuristic-001"]
    );
    assert!(config.wants_window(), "a user is always shown the games");
}

#[test]
fn the_spellings_of_the_reports_program_are_read_too() {
    let config = parse(&json!({
        "heurstic_simulation_depth": 3,
        "show_visualization": false,
        "players": [{"player_type": "heuristic"}, {"player_type": "heuristic"}],
    }));
    assert!(!config.shows_window);
    assert_eq!(searches(&config), ["heuristic-001,depth=3"; 2]);
    assert_eq!(
        names(&config),
        ["AlphaBetaHeuristicPlayer", "AlphaBetaHeuristicPlayer 2"]
    );
    let both = json!({
        "show_visualization": false,
        "show_visualisation": false,
        "players": [{"player_type": "random"}, {"player_type": "random"}],
    });
    assert_eq!(
        problems(&both),
        [
            "show_visualization: it is given in both spellings: expected show_visualisation or show_visualization"
        ]
    );
}

/// Colours count in a match alone, and only if both players have one and they differ.
#[test]
fn colours_decide_who_begins_a_match() {
    let is_swapped = |kind: &str, game: &str, colours: [Option<&str>; 2]| {
        let player = |colour: Option<&str>| match colour {
            Some(colour) => json!({"player_type": "random", "player_color": colour}),
            None => json!({"player_type": "random"}),
        };
        parse(&json!({"game": game, "game_type": kind, "players": colours.map(player)})).is_swapped
    };
    let (black, white) = (Some("black"), Some("white"));
    for (kind, colours, expected) in [
        ("match", [black, white], false),
        ("match", [white, black], true),
        ("match", [white, None], false),
        ("match", [None, black], false),
        ("match", [white, white], false),
        ("tournament", [white, black], false),
    ] {
        assert_eq!(
            is_swapped(kind, "othello", colours),
            expected,
            "{kind} {colours:?}"
        );
    }
    assert!(
        is_swapped("match", "chess", [black, white]),
        "White begins in chess"
    );
    assert!(is_swapped("match", "kalah", [Some("North"), Some("south")]));
    assert!(is_swapped("match", "connect-four", [Some("o"), Some("x")]));
}

#[test]
fn any_game_search_and_engine_may_play() {
    let config = parse(&json!({
        "game": "mancala:4x3",
        "game_type": "tournament",
        "mcts_simulation_count": 40,
        "players": [
            {"search": "lgr2"},
            {"search": "uct,iterations=20", "name": "small"},
            {"search": "uct", "go": "nodes 50"},
            {"search": "alpha-beta,depth=2"},
            {"engine": "name=other dialect=uci ./other --quiet"},
        ],
    }));
    assert_eq!(config.game, "kalah:4x3");
    assert_eq!(
        searches(&config)[..4],
        [
            "lgr2,iterations=40",
            "uct,iterations=20",
            "uct",
            "alpha-beta,depth=2"
        ],
        "a Monte-Carlo search without a limit takes the one of the file"
    );
    assert_eq!(
        names(&config),
        ["lgr2", "small", "uct", "alpha-beta,depth=2", "other"]
    );
    let engine = config.players[4].engine(&[]).expect("an engine");
    assert_eq!(engine.command, ["./other", "--quiet"]);
}

#[test]
fn five_kinds_of_mistakes_get_five_sentences_at_once() {
    let file = ConfigFile::new(
        "mistakes",
        &json!({
            "game_type": "knockout",
            "game_repetitions": 0,
            "seed": "666",
            "colour": "black",
            "players": [{"player_type": "random"}, {}],
        }),
    );
    let stderr = failure(&mut engine(&["tournament", file.path()]), 2);
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(
        lines[0],
        format!("canopy-engine: {}: 5 mistakes", file.path())
    );
    assert_eq!(
        lines[1..],
        [
            "  colour: there is no such key: expected game, game_type, game_repetitions, seed, heuristic_simulation_depth, \
             mcts_simulation_count, show_visualisation, output_file or players",
            "  game_repetitions: 0 is out of range: expected a whole number from 1 to 1000000",
            "  game_type: \"knockout\" is not known: expected \"match\" or \"tournament\"",
            "  seed: \"666\" is a text: expected a whole number, at least 1",
            "  players[1].player_type: it is missing: expected player_type, search or engine",
        ]
    );
}

#[test]
fn every_other_mistake_is_named_by_its_path() {
    let random = json!({"player_type": "random"});
    let two = |first: Value| json!({"players": [first, random]});
    for (config, expected) in [
        (json!([]), "the file: []: expected an object in braces"),
        (json!({}), "players: it is missing"),
        (
            json!({"players": {}}),
            "players: {} is an object: expected a list",
        ),
        (
            json!({"players": [random]}),
            "players: 1 player: expected a list of 2 to",
        ),
        (
            json!({"players": [random, random, random]}),
            "players: 3 players: expected 2 in a \"match\"",
        ),
        (
            json!({"players": [random, 7]}),
            "players[1]: 7: expected an object",
        ),
        (
            two(json!({"player_type": "mcts"})),
            "players[0].player_type: \"mcts\" is not known: expected \"user\", ",
        ),
        (
            two(json!({"player_type": "random", "search": "uct"})),
            "players[0]: player_type and search are given",
        ),
        (
            two(json!({"search": "uctt"})),
            "players[0].search: \"uctt\": unknown search \"uctt\": expected one of ",
        ),
        (
            two(json!({"search": "uct,iterations=x"})),
            "players[0].search: \"uct,iterations=x\": iterations cannot be",
        ),
        (
            two(json!({"engine": "dialect=ugi"})),
            "players[0].engine: engine \"dialect=ugi\": no command",
        ),
        (
            two(json!({"search": "uct", "go": "fast"})),
            "players[0].go: \"fast\": nothing after fast",
        ),
        (
            two(json!({"player_type": "random", "player_color": "green"})),
            "players[0].player_color: \"green\" is not known: expected \"black\" or \"white\"",
        ),
        (
            two(json!({"player_type": "random", "name": " "})),
            "players[0].name: \" \" is empty",
        ),
        (
            two(json!({"player_type": "random", "color": "black"})),
            "players[0].color: there is no such key",
        ),
        (json!({"game": "go", "players": [random, random]}), "game: "),
        (
            json!({"game": "chess", "players": [{"player_type": "heuristic"}, random]}),
            "players[0].player_type: \"heuristic-001,depth=6\": heuristic-001 cannot play chess",
        ),
        (
            json!({"seed": -1, "players": [random, random]}),
            "seed: -1 is out of range",
        ),
        (
            json!({"seed": 1.5, "players": [random, random]}),
            "seed: 1.5 is out of range",
        ),
        (
            json!({"seed": null, "players": [random, random]}),
            "seed: null is nothing",
        ),
        (
            json!({"show_visualisation": "no", "players": [random, random]}),
            "show_visualisation: \"no\" is a text: expected true",
        ),
        (
            json!({"output_file": true, "players": [random, random]}),
            "output_file: true is true or false: expected a text",
        ),
    ] {
        let problems = problems(&config);
        assert!(
            problems.iter().any(|problem| problem.starts_with(expected)),
            "{config}: {problems:?}"
        );
        assert_eq!(problems.len(), 1, "{config}: {problems:?}");
    }
}

#[test]
fn text_that_is_no_json_is_told_by_line_and_column() {
    let scratch = Scratch::new("tournament-no-json");
    let path = scratch.0.join("config.json");
    fs::write(&path, "{\n  \"players\": [,]\n}").expect("a file can be written");
    let stderr = failure(
        &mut engine(&["tournament", path.to_str().expect("UTF-8")]),
        2,
    );
    assert!(
        stderr.contains("one mistake\n  line 2, column 15: not JSON: "),
        "{stderr}"
    );
    let missing = scratch.0.join("none.json");
    let stderr = failure(
        &mut engine(&["tournament", missing.to_str().expect("UTF-8")]),
        2,
    );
    assert!(stderr.contains("none.json: No such file"), "{stderr}");
}

/// Every property of the schema is a key that is read, and its default is the one that is used.
#[test]
fn the_schema_has_the_keys_that_are_read() {
    let (stdout, _) = success(&mut engine(&["tournament", "--schema"]));
    let schema: Value = serde_json::from_str(&stdout).expect("the schema is JSON");
    assert_eq!(schema["required"], json!(["players"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    let properties = schema["properties"].as_object().expect("an object");
    let players = json!([{"player_type": "random"}, {"player_type": "random"}]);
    let plain = parse(&json!({"players": players}));
    for (name, property) in properties {
        if let Some(default) = property.get("default") {
            assert_eq!(
                parse(&json!({"players": players, name: default})),
                plain,
                "{name}"
            );
        }
    }
    let player = schema["properties"]["players"]["items"]["properties"]
        .as_object()
        .expect("an object");
    let unknown = problems(
        &json!({"x": 1, "players": [{"player_type": "random", "x": 1}, {"player_type": "random"}]}),
    );
    for (listed, names) in unknown.iter().zip([properties, player]) {
        for name in names.keys().filter(|name| {
            !["heurstic_simulation_depth", "show_visualization"].contains(&name.as_str())
        }) {
            assert!(listed.contains(name.as_str()), "{listed} lacks {name}");
        }
    }
    assert_eq!(
        properties["game_type"]["enum"],
        json!(["match", "tournament"])
    );
    assert_eq!(properties["seed"]["minimum"], json!(1));
}
