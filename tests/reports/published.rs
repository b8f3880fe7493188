//! Two published experiments as reports: report 001's round robin, with its own figures alone, and report 002's first hypothesis, beside
//! games of ours with a fifth of its iterations.

use canopy_engine::{
    arena::stats::{Encounter, Ratings, WdlByColour, WdlCounts},
    reports::{
        Axis, Bar, BarGroup, BarPlot, Caveat, Cell, Column, DotPlot, DotRow, Hypothesis, Line,
        LinePlot, Mark, Palette, Plot, Point, Provenance, Report, Role, SearchSignature, Section,
        Table, Tone, Unit, Verdict,
        comparison::{self, Comparison, Tally},
        numbers,
        verdict::{self, Claim, DEFAULT_MARGIN, Outcome},
    },
};

type Wdl = (u32, u32, u32);

fn wdl((wins, draws, losses): Wdl) -> WdlCounts {
    WdlCounts::new(wins, draws, losses)
}

/// Results of a side, from those of the first player when its opponent begins and when it begins.
fn by_starter(opponent_first: Wdl, side_first: Wdl) -> Tally {
    Tally::by_colour(WdlByColour {
        first: wdl(side_first),
        second: wdl(opponent_first).reversed(),
    })
}

/// A row of report 002's table 1: name, side; first player's results when the standard search begins and when the side begins, published
/// and ours (20,000 iterations); the printed statistic.
type ReportRow = (&'static str, &'static str, [Wdl; 2], [Wdl; 2], f64);

#[rustfmt::skip]
const TABLE_1: [ReportRow; 4] = [
    ("Transposition table", "TT", [(14, 10, 76), (15, 10, 75)], [(74, 3, 23), (71, 1, 28)], 0.022),
    ("Last good reply, one move", "LGR-1", [(11, 3, 86), (20, 33, 47)], [(14, 0, 86), (90, 0, 10)], 14.05),
    ("Last good reply, two moves", "LGR-2", [(14, 1, 85), (23, 23, 54)], [(14, 1, 85), (96, 1, 3)], 9.09),
    ("Table and LGR-2", "TT + LGR-2", [(24, 1, 75), (23, 23, 54)], [(19, 3, 78), (92, 2, 6)], 0.485),
];

/// Report 002, table 1, with our games.
pub(super) fn table_1() -> Vec<Comparison> {
    let row = |(name, side, published, ours, chi_squared): ReportRow| Comparison {
        note: side.to_owned(),
        published: Some(by_starter(published[0], published[1])),
        published_chi_squared: Some(chi_squared),
        ours: Some(by_starter(ours[0], ours[1])),
        ..Comparison::new(name, [side, "standard"])
    };
    TABLE_1.into_iter().map(row).collect()
}

/// Report 002, hypothesis 1.
pub(super) fn report_002_h1() -> Report {
    let comparisons = table_1();
    let judged = comparison::judge(
        Claim::Stronger {
            margin: DEFAULT_MARGIN,
        },
        &comparisons,
    );
    let counted = comparison::verdict(&comparisons, &judged, "games");
    let search = |player: &str, search: &str, current: &str| SearchSignature {
        player: player.into(),
        search: format!("{search},iterations=20000"),
        signature: "9465282f638b9a79".into(),
        current: Some(current.into()),
    };
    Report {
        question: "Do tables and last good replies make UCT stronger?".into(),
        method: vec![
            "Each variant plays 200 games against standard UCT and moves first in half of them. Ours uses 20,000 iterations a move, the \
             report 100,000."
                .into(),
        ],
        date: Some("17 November 2026".into()),
        verdict: Verdict {
            text: "Last good replies help, and far more than published (88 to 91 % instead of 60 to 62 %). A transposition table alone \
                   makes no difference, as published. With both, ours is clearly stronger; the report saw no effect."
                .into(),
            ..counted.clone()
        },
        sections: vec![
            Section::plot(
                "Score of the variant against standard UCT",
                "points of 200 games; dot: score, bar: 95 % interval (Wilson, computed here for both); right of the dashed line the variant \
                 is stronger",
                comparison::score_plot(&comparisons),
            ),
            Section::table(
                "The games",
                "wins, draws and losses of the side that moves first, 100 games a row; χ²: McNemar on wins, critical value 3.84",
                comparison::games_table(&comparisons, &judged),
            ),
            Section::plot(
                "Games won, drawn and lost by the variant",
                "of 200 games, as report 002's figure 2 shows them",
                comparison::results_plot(&comparisons),
            ),
        ],
        hypotheses: vec![Hypothesis {
            id: "H1".into(),
            statement: "Transposition tables, last good replies, and both together make UCT stronger.".into(),
            published: "rejected, as two of four variants bring no improvement".into(),
            published_test: "McNemar's statistic (a - b)² / (a + b) on games won, 1 degree of freedom, no continuity correction".into(),
            proper_test: "exact two-sided sign test on decisive games, corrected for four comparisons by Holm's method; no gain of 5 points \
                          of 100 or more counts as no effect"
                .into(),
            verdict: counted,
            tests: Some(comparison::tests_table(&comparisons, &judged, "games")),
        }],
        caveats: vec![
            Caveat::new(
                "The published rows for the table look exchanged.",
                "They give the first player 14 and 15 wins of 100; in ours the first player wins 74 and 71.",
            ),
            Caveat::new(
                "χ² of the last row was recomputed.",
                "The report prints 0.485; its own table gives 78 : 98 wins and 2.27.",
            ),
            Caveat::new(
                "Fewer iterations.",
                "Ours ran with a fifth of the published iterations. The sizes, not the directions, may change with all of them.",
            ),
        ],
        provenance: Provenance {
            trials: "800 games".into(),
            seeds: "1".into(),
            source: "report 002, tables 1 and 2".into(),
            versions: vec![("canopy-engine".into(), "0.1.0".into())],
            searches: vec![
                search("standard", "uct-002", "9465282f638b9a79"),
                search("LGR-1", "lgr1-002", "0000000000000000"),
            ],
            run: vec![("Time taken".into(), "41 min on 2 cores".into())],
            command: "canopy-engine experiment run 002-h1 --iterations 20000 --seed 1 --out h1\ncanopy-engine report h1".into(),
        },
        ..Report::new("Experiment", "002-h1", "Connect four, report 002, hypothesis 1")
    }
}

/// Report 001's players, by rank.
const PLAYERS: [&str; 4] = ["MCTS basic", "MCTS grouping", "MCTS UCB1", "heuristic"];

/// Report 001, by pair: players by rank, results of the first.
const PAIRS: [(usize, usize, Wdl); 6] = [
    (3, 0, (4, 0, 6)),
    (3, 2, (2, 0, 8)),
    (3, 1, (3, 1, 6)),
    (0, 2, (7, 3, 0)),
    (0, 1, (5, 2, 3)),
    (2, 1, (2, 1, 7)),
];

/// Report 001's ranking: discs for and against, mean time of a game in seconds.
const RANKING: [(f64, f64, f64); 4] = [
    (1062.0, 856.0, 127.81),
    (1038.0, 882.0, 119.76),
    (908.0, 1004.0, 125.02),
    (822.0, 1088.0, 51.99),
];

/// The games of one player against another.
pub(super) fn games(one: usize, other: usize) -> WdlCounts {
    let mut all = WdlCounts::default();
    for (first, second, results) in PAIRS {
        if (first, second) == (one, other) {
            all = all + wdl(results);
        } else if (second, first) == (one, other) {
            all = all + wdl(results).reversed();
        }
    }
    all
}

pub(super) fn ratings() -> Ratings {
    let encounters: Vec<Encounter> = (PAIRS.iter())
        .map(|&(one, other, results)| Encounter {
            players: [one, other],
            results: wdl(results),
        })
        .collect();
    Ratings::bradley_terry(PLAYERS.len(), &encounters).expect("everybody lost a game")
}

fn published_pair(name: &str, one: usize, other: usize) -> Comparison {
    Comparison {
        published: Some(Tally::of(games(one, other))),
        ..Comparison::new(name, [PLAYERS[one], PLAYERS[other]])
    }
}

/// A hypothesis that a player is stronger than others.
fn hypothesis_001(
    id: &str,
    statement: &str,
    published: &str,
    one: usize,
    others: &[usize],
) -> Hypothesis {
    let comparisons: Vec<Comparison> = (others.iter())
        .map(|&other| {
            published_pair(
                &format!("{} – {}", PLAYERS[one], PLAYERS[other]),
                one,
                other,
            )
        })
        .collect();
    let judged = comparison::judge(
        Claim::Stronger {
            margin: DEFAULT_MARGIN,
        },
        &comparisons,
    );
    Hypothesis {
        id: id.into(),
        statement: statement.into(),
        published: published.into(),
        published_test: "none: the order of points".into(),
        proper_test: "exact two-sided sign test on decisive games, corrected by Holm's method"
            .into(),
        verdict: comparison::verdict(&comparisons, &judged, "games"),
        tests: Some(comparison::tests_table(&comparisons, &judged, "games")),
    }
}

fn rating_plot(ratings: &Ratings) -> Plot {
    let row = |player: usize| {
        let rating = ratings.rating(player).expect("a player");
        DotRow {
            label: PLAYERS[player].into(),
            note: format!("{} points of 30", all_games(player).points()),
            marks: vec![Mark {
                role: Role::Published,
                value: rating.elo,
                interval: Some(rating.interval()),
            }],
        }
    };
    Plot::Dots(DotPlot {
        axis: Axis::new("Elo", Unit::Elo),
        reference: Some(0.0),
        rows: (0..PLAYERS.len()).map(row).collect(),
    })
}

fn all_games(player: usize) -> WdlCounts {
    let others = 0..PLAYERS.len();
    others.fold(WdlCounts::default(), |all, other| {
        all + games(player, other)
    })
}

fn ranking_table() -> Table {
    let columns = [
        Column::text("player"),
        Column::number("points"),
        Column::number("won – drawn – lost"),
        Column::number("for").under("discs"),
        Column::number("against").under("discs"),
        Column::number("seconds a game").time(),
    ];
    let rows = RANKING
        .iter()
        .enumerate()
        .map(|(player, &(own, other, seconds))| {
            let all = all_games(player);
            vec![
                Cell::text(PLAYERS[player]),
                Cell::number(all.points(), 1).tone(Tone::Strong),
                Cell::text(numbers::wdl(all)),
                Cell::number(own, 0),
                Cell::number(other, 0),
                Cell::number(seconds, 2),
            ]
        });
    Table::plain(columns, rows)
}

/// Report 001 by colour: results, discs for and against.
fn by_colour_table() -> Table {
    let columns = [
        Column::text("colour"),
        Column::number("won – drawn – lost"),
        Column::number("points"),
        Column::number("score"),
        Column::number("95 % interval"),
        Column::number("for").under("discs"),
        Column::number("against").under("discs"),
    ];
    let black = wdl((24, 7, 29));
    let rows = [
        ("Black", black, 1885, 1945),
        ("White", black.reversed(), 1945, 1885),
    ];
    let rows = rows.map(|(colour, results, own, other)| {
        vec![
            Cell::text(colour),
            Cell::text(numbers::wdl(results)),
            Cell::number(results.points(), 1),
            Cell::percent(results.score()).tone(Tone::Strong),
            Cell::text(numbers::percent_interval(results.wilson_interval())),
            Cell::count(own),
            Cell::count(other),
        ]
    });
    Table::plain(columns, rows)
}

/// Report 001's figure 5.
fn time_plot() -> Plot {
    let group = |(player, row): (usize, &(f64, f64, f64))| BarGroup {
        label: PLAYERS[player].into(),
        note: String::new(),
        bars: vec![Bar {
            role: Role::Published,
            values: vec![row.2],
        }],
    };
    Plot::Bars(BarPlot {
        axis: Axis::new("seconds a game", Unit::Seconds),
        parts: vec!["seconds a game".into()],
        palette: Palette::Roles,
        groups: RANKING.iter().enumerate().map(group).collect(),
    })
}

/// Report 001's round robin, published figures alone.
pub(super) fn report_001_e1() -> Report {
    let ratings = ratings();
    let steps: Vec<_> = (1..PLAYERS.len())
        .filter_map(|player| ratings.difference(player - 1, player))
        .collect();
    let outcomes = verdict::judge_ranking(&steps, 10);
    assert!(
        outcomes
            .iter()
            .all(|outcome| matches!(outcome, Outcome::NotSettled { .. }))
    );
    Report {
        question: "Which of four othello players is the strongest?".into(),
        method: vec!["Four players, each pair ten games, five with either colour; 300 simulations a move, alpha-beta to depth 6.".into()],
        verdict: Verdict::new(
            Outcome::of_all(&outcomes),
            "games a pair",
            "The published order is basic, grouping, UCB1, heuristic. None of its three steps is significant with ten games a pair.",
        ),
        sections: vec![
            Section::table("Ranking", "one point a win, half a point a draw; 30 games each", ranking_table()),
            Section::plot(
                "Strength",
                "Elo by maximum likelihood (Bradley and Terry) with 95 % intervals; the mean of all four is 0",
                rating_plot(&ratings),
            ),
            Section::table(
                "By pair",
                "won, drawn and lost by the player of the row",
                comparison::cross_table(&PLAYERS, games),
            ),
            Section::table(
                "By colour",
                "all 60 games; Black moves first",
                by_colour_table(),
            ),
            Section::plot("Mean time of a game", "as report 001's figure 5 shows it", time_plot()).time(),
        ],
        hypotheses: vec![
            hypothesis_001("H1", "UCT beats the heuristic.", "confirmed", 0, &[3]),
            hypothesis_001("H2", "UCB1-tuned beats UCT and the heuristic.", "rejected", 2, &[0, 3]),
            hypothesis_001("H3", "Grouping is the best.", "rejected (second)", 1, &[0, 2, 3]),
        ],
        caveats: vec![Caveat::new(
            "Ten games a pair.",
            "With so few, only differences of about 300 Elo are found reliably.",
        )],
        provenance: Provenance {
            trials: "60 games".into(),
            seeds: "1 to 5".into(),
            source: "report 001, tables 1 and 2, figure 5".into(),
            command: "canopy-engine experiment run 001-e1 --out e1".into(),
            ..Provenance::default()
        },
        ..Report::new("Experiment", "001-e1", "Othello, report 001, experiment 1")
    }
}

/// Report 003's first table, as lines on a logarithmic axis.
pub(super) fn report_003_nodes() -> Report {
    let line = |number, name: &str, nodes: [u32; 7]| Line {
        name: name.into(),
        role: Role::Series(number),
        points: (1u32..)
            .zip(nodes)
            .map(|(depth, nodes)| Point {
                x: f64::from(depth),
                y: f64::from(nodes),
                interval: None,
            })
            .collect(),
    };
    let plot = Plot::Lines(LinePlot {
        x: Axis::new("depth", Unit::Number),
        y: Axis::new("nodes", Unit::Number).logarithmic(),
        lines: vec![
            line(0, "alpha-beta", [11, 31, 277, 1457, 19963, 75730, 949_308]),
            line(1, "aspiration", [11, 53, 97, 2116, 8569, 128_428, 406_426]),
            line(2, "deepening", [11, 53, 198, 2052, 14598, 126_221, 605_253]),
        ],
    });
    Report {
        question: "Which search visits the fewest nodes?".into(),
        verdict: Verdict::new(
            Outcome::NotTested,
            "positions",
            "The published positions are pictures.",
        ),
        sections: vec![Section::plot(
            "Nodes by depth",
            "report 003, table 1, as published",
            plot,
        )],
        ..Report::new("Experiment", "003-nodes", "Delta, report 003")
    }
}
