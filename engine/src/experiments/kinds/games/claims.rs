//! What hypotheses claim of games, and what the games say to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    GameRow, Games, PairNames, PlayerName, pairs_of, starts,
    style::{GameStyle, StyleMeasure},
    tally::{GamesContext, by_colour},
};
use crate::{
    arena::stats::{Encounter, NORMAL_95, RatingError, Ratings, WdlCounts, wilson_interval},
    experiments::{
        document::Problem,
        file::{ExperimentFile, HypothesisForm},
    },
    games::notation::join_words,
    reports::{
        Cell, Column, Hypothesis, Outcome, Table, Verdict,
        comparison::{self, Comparison, outcome_cell},
        numbers,
        verdict::{self, Claim, DEFAULT_MARGIN},
    },
};

/// What a hypothesis claims; exactly one of the keys but margin.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GamesClaim {
    /// In each of these pairs the first player is stronger
    #[serde(default)]
    pub stronger: Vec<PairNames>,
    /// In each of these pairs the players are equally strong
    #[serde(default)]
    pub equal: Vec<PairNames>,
    /// These players, the best first, are stronger from step to step
    #[serde(default)]
    pub ranking: Vec<PlayerName>,
    /// Whoever moves first wins more than a share of the points
    #[serde(default)]
    pub first_player: Option<FirstPlayerClaim>,
    /// In published_starts the columns of the first and of the second player are exchanged
    #[serde(default)]
    pub exchanged: Option<starts::ExchangedClaim>,
    /// How players play, compared with their opponents in the same games
    #[serde(default)]
    pub style: Vec<StyleClaim>,
    /// The smallest difference in score that matters; 0.05 is five points of a hundred
    #[serde(default)]
    #[schemars(range(min = 0.001, max = 0.5))]
    pub margin: Option<f64>,
}

/// A claim about whoever moves first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstPlayerClaim {
    /// The share of the points that is exceeded
    #[schemars(range(min = 0, max = 1))]
    pub above: f64,
    /// The pairs
    pub pairs: Vec<PairNames>,
}

/// A claim about a player's way to play.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StyleClaim {
    /// The player
    pub player: PlayerName,
    /// What is counted
    pub measure: StyleMeasure,
    /// Whether the player has more or fewer than its opponent
    pub than_opponent: MoreOrFewer,
    /// The first and the last move number that count, both sides' moves counted
    pub plies: [u32; 2],
}

/// The direction of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MoreOrFewer {
    /// More
    More,
    /// Fewer
    Fewer,
}

impl GamesClaim {
    fn margin(&self) -> f64 {
        self.margin.unwrap_or(DEFAULT_MARGIN)
    }

    /// How many of its keys are given.
    fn claims(&self) -> usize {
        let given = [
            !self.stronger.is_empty(),
            !self.equal.is_empty(),
            !self.ranking.is_empty(),
            self.first_player.is_some(),
            self.exchanged.is_some(),
            !self.style.is_empty(),
        ];
        given.into_iter().filter(|&given| given).count()
    }
}

/// What is wrong with the claims of a file.
pub(in crate::experiments::kinds) fn check(
    file: &ExperimentFile<Games>,
) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    let pairs = pairs_of(file);
    for (number, hypothesis) in (1..).zip(&file.hypotheses) {
        let claim = &hypothesis.claim;
        let key = format!("hypotheses.{number}.claim");
        if claim.claims() != 1 {
            problems.push(Problem::at(
                key.as_str(),
                "it claims nothing, or several things: expected one of stronger, equal, ranking, first_player, exchanged and style",
            ));
        }
        let first = claim.first_player.iter().flat_map(|claim| &claim.pairs);
        problems.extend(starts::check(file, &key, claim.exchanged.as_ref()));
        for [one, other] in claim.stronger.iter().chain(&claim.equal).chain(first) {
            let indices = (file.player_index(&one.0), file.player_index(&other.0));
            let (Some(one_index), Some(other_index)) = indices else {
                continue;
            };
            let is_played = pairs.contains(&(one_index, other_index))
                || pairs.contains(&(other_index, one_index));
            if !is_played {
                problems.push(Problem::at(
                    key.as_str(),
                    format!(
                        "{} and {} do not meet: expected one of trials.pairs",
                        one.0, other.0
                    ),
                ));
            }
        }
        if claim.ranking.len() == 1 {
            problems.push(Problem::at(
                format!("{key}.ranking"),
                "a single player: expected two or more",
            ));
        }
    }
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems),
    }
}

/// Tests a hypothesis.
pub(in crate::experiments::kinds) fn test(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    styles: &[GameStyle],
    form: &HypothesisForm<GamesClaim>,
) -> Hypothesis {
    let claim = &form.claim;
    let (verdict, tests) = if !claim.stronger.is_empty() {
        let kind = Claim::Stronger {
            margin: claim.margin(),
        };
        test_pairs(context, rows, kind, &claim.stronger)
    } else if !claim.equal.is_empty() {
        let kind = Claim::Equal {
            margin: claim.margin(),
        };
        test_pairs(context, rows, kind, &claim.equal)
    } else if !claim.ranking.is_empty() {
        test_ranking(context, rows, &claim.ranking)
    } else if let Some(first) = &claim.first_player {
        test_first_player(context, rows, first)
    } else if let Some(exchanged) = &claim.exchanged {
        starts::test_exchanged(context, rows, exchanged)
    } else {
        test_style(context, rows, styles, &claim.style)
    };
    form.tested(verdict, tests)
}

/// The comparisons of these pairs.
pub(super) fn comparisons(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    pairs: &[PairNames],
) -> Vec<Comparison> {
    let indices = pairs.iter().map(|pair| context.indices(pair));
    indices.map(|pair| context.comparison(rows, pair)).collect()
}

fn test_pairs(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    claim: Claim,
    pairs: &[PairNames],
) -> (Verdict, Table) {
    let comparisons = comparisons(context, rows, pairs);
    let judged = comparison::judge(claim, &comparisons);
    let mut verdict = comparison::verdict(&comparisons, &judged, context.unit);
    let scores: Vec<String> = (comparisons.iter())
        .filter_map(|row| {
            let ours = numbers::percent(row.ours?.total.score());
            let name = match row.note.as_str() {
                "" => &row.name,
                note => note,
            };
            Some(match row.published {
                Some(published) => {
                    let published = numbers::percent(published.total.score());
                    format!("{name} {ours} (published {published})")
                }
                None => format!("{name} {ours}"),
            })
        })
        .collect();
    if !scores.is_empty() {
        let text = format!("{} Score: {}.", verdict.text, scores.join(", "));
        verdict.text = text.trim().to_owned();
    }
    let tests = comparison::tests_table(&comparisons, &judged, context.unit);
    (verdict, tests)
}

/// The strengths of the players by all games.
pub(super) fn ratings(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    players: &[usize],
) -> Result<Ratings, RatingError> {
    let mut encounters = Vec::new();
    for (place, &one) in players.iter().enumerate() {
        for (other_place, &other) in players.iter().enumerate().skip(place + 1) {
            let results = by_colour(rows, (one, other)).total();
            if results.games() > 0 {
                encounters.push(Encounter {
                    players: [place, other_place],
                    results,
                });
            }
        }
    }
    let _ = context;
    Ratings::bradley_terry(players.len(), &encounters)
}

fn test_ranking(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    ranking: &[PlayerName],
) -> (Verdict, Table) {
    let players: Vec<usize> = ranking.iter().map(|name| context.index(&name.0)).collect();
    let columns = [
        Column::text("step"),
        Column::number("Elo apart"),
        Column::number("95 % interval"),
        Column::number("p"),
        Column::number("verdict"),
    ];
    let Ok(ratings) = ratings(context, rows, &players) else {
        let text = "A player took no points, or all: too few games for ratings.";
        let verdict = Verdict::new(Outcome::NotSettled { more: None }, "games a pair", text);
        return (verdict, Table::plain(columns, Vec::new()));
    };
    let steps: Vec<_> = (1..players.len())
        .filter_map(|place| ratings.difference(place - 1, place))
        .collect();
    let pairs = (players.len() * players.len().saturating_sub(1) / 2).max(1);
    let is_between = |row: &&GameRow| row.players.iter().all(|player| players.contains(player));
    let games_each = rows.iter().filter(is_between).count() as u64 / pairs as u64;
    let mut outcomes = verdict::judge_ranking(&steps, games_each);
    for (outcome, step) in outcomes.iter_mut().zip(&steps) {
        // A step that is significant in the other direction contradicts the ranking.
        if outcome.is_confirmed() && step.elo < 0.0 {
            *outcome = Outcome::Rejected;
        }
    }
    let names: Vec<String> = (players.windows(2))
        .map(|pair| match pair {
            [one, other] => format!("{} over {}", context.name(*one), context.name(*other)),
            _ => String::new(),
        })
        .collect();
    let table = Table::plain(
        columns,
        (names.iter().zip(&steps).zip(&outcomes)).map(|((name, step), outcome)| {
            let interval = step.interval();
            vec![
                Cell::text(name),
                Cell::number(step.elo, 0),
                Cell::text(format!(
                    "{} to {}",
                    numbers::decimal(interval.low, 0),
                    numbers::decimal(interval.high, 0)
                )),
                Cell::p_value(step.p_value()),
                outcome_cell(*outcome, "games a pair"),
            ]
        }),
    );
    let part = |wanted: fn(&Outcome) -> bool, what: &str| {
        let named: Vec<&String> = (names.iter().zip(&outcomes))
            .filter(|(_, outcome)| wanted(outcome))
            .map(|(name, _)| name)
            .collect();
        match named.as_slice() {
            [] => None,
            names => Some(format!("{}: {what}", join_words(names, "and"))),
        }
    };
    let parts = [
        part(|outcome| outcome.is_confirmed(), "significant"),
        part(
            |outcome| *outcome == Outcome::Rejected,
            "the other way round",
        ),
        part(
            |outcome| matches!(outcome, Outcome::NotSettled { .. }),
            "not settled",
        ),
    ];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let verdict = Verdict::new(
        Outcome::of_all(&outcomes),
        "games a pair",
        format!("{text}."),
    );
    (verdict, table)
}

/// The results of whoever moves first in a pair.
pub(super) fn first_player(rows: &[GameRow], pair: (usize, usize)) -> WdlCounts {
    let colours = by_colour(rows, pair);
    match pair.0 == pair.1 {
        true => colours.first,
        false => colours.first_player(),
    }
}

fn test_first_player(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    claim: &FirstPlayerClaim,
) -> (Verdict, Table) {
    let columns = [
        Column::text("pair"),
        Column::number("won – drawn – lost"),
        Column::number("first player's share"),
        Column::number("95 % interval"),
        Column::number("sign test p"),
        Column::number("verdict"),
    ];
    let (mut outcomes, mut cells, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for names in &claim.pairs {
        let pair = context.indices(names);
        let results = first_player(rows, pair);
        let games = results.games();
        let outcome = verdict::judge_share(results.points(), games, claim.above);
        let interval = wilson_interval(results.score(), games as f64, NORMAL_95);
        let name = pair_name(context, pair);
        texts.push(format!("{name} {}", numbers::percent(results.score())));
        cells.push(vec![
            Cell::text(name),
            Cell::text(numbers::wdl(results)),
            Cell::percent(results.score()),
            Cell::text(numbers::percent_interval(interval)),
            Cell::p_value(results.sign_test()),
            outcome_cell(outcome, "games"),
        ]);
        outcomes.push(outcome);
    }
    let text = format!("The first player's share: {}.", texts.join(", "));
    let verdict = Verdict::new(Outcome::of_all(&outcomes), "games", text);
    (verdict, Table::plain(columns, cells))
}

/// The name of a pair: one name for a player that meets itself.
pub(super) fn pair_name(context: &GamesContext<'_>, (one, other): (usize, usize)) -> String {
    match one == other {
        true => context.label(one).to_owned(),
        false => format!("{} – {}", context.name(one), context.name(other)),
    }
}

fn test_style(
    context: &GamesContext<'_>,
    rows: &[GameRow],
    styles: &[GameStyle],
    claims: &[StyleClaim],
) -> (Verdict, Table) {
    let columns = [
        Column::text("claim"),
        Column::number("own mean"),
        Column::number("opponents' mean"),
        Column::number("games that agree"),
        Column::number("that do not"),
        Column::number("sign test p"),
        Column::number("verdict"),
    ];
    let (mut outcomes, mut cells) = (Vec::new(), Vec::new());
    for claim in claims {
        let player = context.index(&claim.player.0);
        let mut results = WdlCounts::default();
        let mut sums = [0.0; 2];
        for (row, style) in rows.iter().zip(styles) {
            // A game of a player against itself compares nothing.
            let seats = row.players.map(|index| index == player);
            let seat = match seats {
                [true, false] => 0,
                [false, true] => 1,
                _ => continue,
            };
            let Some([own, other]) = style.means(claim.measure, claim.plies, seat) else {
                continue;
            };
            let [own_sum, other_sum] = sums;
            sums = [own_sum + own, other_sum + other];
            let agrees = match claim.than_opponent {
                MoreOrFewer::More => own > other,
                MoreOrFewer::Fewer => own < other,
            };
            results = results
                + match (agrees, own == other) {
                    (_, true) => WdlCounts::new(0, 1, 0),
                    (true, _) => WdlCounts::new(1, 0, 0),
                    (false, _) => WdlCounts::new(0, 0, 1),
                };
        }
        let tests = verdict::test_games(
            Claim::Stronger {
                margin: DEFAULT_MARGIN,
            },
            &[(results, None)],
        );
        let outcome = tests
            .first()
            .map_or(Outcome::NotTested, |test| test.outcome);
        let games = (results.games() as f64).max(1.0);
        let [own, other] = sums;
        let direction = match claim.than_opponent {
            MoreOrFewer::More => "more",
            MoreOrFewer::Fewer => "fewer",
        };
        let [from, to] = claim.plies;
        cells.push(vec![
            Cell::text(format!(
                "{}: {direction} {} in moves {from} to {to}",
                claim.player.0,
                claim.measure.name()
            )),
            Cell::number(own / games, 2),
            Cell::number(other / games, 2),
            Cell::count(u64::from(results.wins)),
            Cell::count(u64::from(results.losses)),
            Cell::p_value(results.sign_test()),
            outcome_cell(outcome, "games"),
        ]);
        outcomes.push(outcome);
    }
    let verdict = Verdict::new(Outcome::of_all(&outcomes), "games", "");
    (verdict, Table::plain(columns, cells))
}
