//! Series of games: who plays which with which seed, when a series is over, and its record.
//!
//! For every repetition each player meets each later one, in the order of the file. A series is the trial of a run: everything about
//! it follows from the seed of the tournament and its number. In a best of three the player listed first has the first side in game 1
//! and the second in game 2; the sides of game 3 are drawn. Every game has a seed of its own, so that game 3 of two random players
//! is none of the two before, as it was in report 001.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::TournamentMode;
use crate::{
    arena::{client::PostMortem, match_log::GameRecord, schedule::ScheduledGame},
    rng::{Rng, child_seed},
};

/// The seeds of repetitions are below this, as in report 001.
const REPETITION_SEED_BOUND: u32 = 1_000_000_000;
/// The child of a series' seed by which the sides of its third game are drawn.
const SIDES_SEED_INDEX: u64 = u64::MAX;
/// Half points that end a best of three.
const WINNING_HALF_POINTS: u64 = 4;

/// Tells of each series by its number.
#[derive(Clone, Debug)]
pub struct SeriesSchedule {
    mode: TournamentMode,
    /// Whether the player listed second begins a match.
    is_swapped: bool,
    /// The players of each pairing, the one listed earlier first.
    pairings: Vec<[usize; 2]>,
    /// The seed of each repetition.
    seeds: Vec<u64>,
}

impl SeriesSchedule {
    /// The series of so many players, repeated so often.
    pub fn new(
        mode: TournamentMode,
        is_swapped: bool,
        players: usize,
        seed: u64,
        repetitions: u64,
    ) -> Self {
        let pairings =
            (0..players).flat_map(|one| (one + 1..players).map(move |other| [one, other]));
        Self {
            mode,
            is_swapped,
            pairings: pairings.collect(),
            seeds: repetition_seeds(seed, repetitions),
        }
    }

    /// Number of series.
    pub fn count(&self) -> u64 {
        self.pairings.len() as u64 * self.seeds.len() as u64
    }

    /// The series of a number, counted from 1.
    pub fn series(&self, number: u64) -> Option<ScheduledSeries> {
        let index = number.checked_sub(1)?;
        let pairings = self.pairings.len() as u64;
        let repetition = index.checked_div(pairings)?;
        let pairing = (index % pairings) as usize;
        let seed = *self.seeds.get(repetition as usize)?;
        Some(ScheduledSeries {
            number,
            repetition,
            pairing,
            players: *self.pairings.get(pairing)?,
            seed: child_seed(seed, pairing as u64),
            mode: self.mode,
            is_swapped: self.is_swapped,
        })
    }
}

/// Distinct seeds, one for each repetition; a longer list begins with a shorter one.
fn repetition_seeds(seed: u64, repetitions: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let (mut seeds, mut seen) = (Vec::new(), BTreeSet::new());
    while (seeds.len() as u64) < repetitions {
        let drawn = rng.below(REPETITION_SEED_BOUND - 1) + 1;
        if seen.insert(drawn) {
            seeds.push(drawn.into());
        }
    }
    seeds
}

/// One series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledSeries {
    /// Its number in the tournament, from 1.
    pub number: u64,
    /// Its repetition, from 0.
    pub repetition: u64,
    /// Which two players meet, from 0.
    pub pairing: usize,
    /// The players, the one listed earlier first.
    pub players: [usize; 2],
    /// The seed of this series and no other.
    pub seed: u64,
    mode: TournamentMode,
    is_swapped: bool,
}

impl ScheduledSeries {
    /// A best of three of two players, the one that has the first side in game 1 first.
    pub fn best_of_three(number: u64, players: [usize; 2], seed: u64) -> Self {
        Self {
            number,
            repetition: 0,
            pairing: 0,
            players,
            seed,
            mode: TournamentMode::Tournament,
            is_swapped: false,
        }
    }

    /// The next game after those that were played; none if the series is over.
    pub fn next_game(&self, played: &[GameRecord]) -> Option<ScheduledGame> {
        self.next_after(played.len(), half_points(self.players, played))
    }

    /// The next game after `played` games in which the players made these points, a win being two; none if the series is over.
    pub fn next_after(&self, played: usize, half_points: [u64; 2]) -> Option<ScheduledGame> {
        let index = played as u64;
        let most = half_points.into_iter().max().unwrap_or(0);
        if index >= self.mode.max_games() || most >= WINNING_HALF_POINTS {
            return None;
        }
        let is_swapped = match (self.mode, index) {
            (TournamentMode::Match, _) => self.is_swapped,
            (TournamentMode::Tournament, 0 | 1) => index == 1,
            (TournamentMode::Tournament, _) => child_seed(self.seed, SIDES_SEED_INDEX) & 1 == 1,
        };
        let [one, other] = self.players;
        let (first, second) = if is_swapped {
            (other, one)
        } else {
            (one, other)
        };
        let games = self.mode.max_games();
        Some(ScheduledGame {
            number: (self.number - 1) * games + index,
            pairing: self.pairing,
            round: self.repetition * games + index,
            first,
            second,
            opening: None,
            opening_seed: 0,
            seed: child_seed(self.seed, index),
        })
    }
}

/// The points of two players, a win being two.
fn half_points(players: [usize; 2], games: &[GameRecord]) -> [u64; 2] {
    players.map(|player| {
        let points = games.iter().map(|game| {
            let side = game.players.iter().position(|&seated| seated == player);
            let counts = side.map(|side| game.wdl_of(side)).unwrap_or_default();
            u64::from(2 * counts.wins + counts.draws)
        });
        points.sum()
    })
}

/// A series that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesRecord {
    /// Its number in the tournament, from 1.
    pub series: u64,
    /// Its repetition, from 1.
    pub repetition: u64,
    /// Which two players met, from 1.
    pub pairing: usize,
    /// The players, from 0, the one listed earlier first.
    pub players: [usize; 2],
    /// Its games in order, without times.
    games: Vec<GameRecord>,
    /// What differs when a game is played again, one for each.
    times: Vec<GameTimes>,
}

/// What differs when a game is played again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct GameTimes {
    began: u64,
    micros: Vec<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remains: Option<PostMortem>,
}

impl SeriesRecord {
    /// The field of the record that differs when a series is played again.
    pub(super) const TIME_FIELD: &'static str = "times";

    /// The record of a series with its games.
    pub fn new(scheduled: &ScheduledSeries, games: Vec<GameRecord>) -> Self {
        let times = games.iter().map(|game| GameTimes {
            began: game.began,
            micros: game.micros.clone(),
            remains: game.remains.clone(),
        });
        Self {
            series: scheduled.number,
            repetition: scheduled.repetition + 1,
            pairing: scheduled.pairing + 1,
            players: scheduled.players,
            times: times.collect(),
            games: games.iter().map(GameRecord::without_times).collect(),
        }
    }

    /// Its games, with their times.
    pub fn games(&self) -> impl Iterator<Item = GameRecord> {
        (self.games.iter().zip(&self.times)).map(|(game, times)| GameRecord {
            began: times.began,
            micros: times.micros.clone(),
            remains: times.remains.clone(),
            ..game.clone()
        })
    }

    /// The points of its players, a win being one.
    pub fn points(&self) -> [f64; 2] {
        half_points(self.players, &self.games).map(|half| half as f64 / 2.0)
    }

    /// What is wrong with a series of a tournament of so many players.
    pub(super) fn check(&self, number: u64, players: usize) -> Result<(), String> {
        if self.series != number {
            return Err(format!("it is series {}", self.series));
        }
        let is_seated =
            |game: &GameRecord| (game.players.iter()).all(|seat| self.players.contains(seat));
        if self.games.is_empty()
            || self.games.len() != self.times.len()
            || !self.games.iter().all(is_seated)
        {
            return Err("a series that cannot have been played".to_owned());
        }
        self.games.iter().try_for_each(|game| game.check(players))
    }
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::{
        arena::referee::{FinishedGame, Termination},
        games::{Outcome, Player},
    };

    /// A finished game of a schedule.
    fn game(scheduled: &ScheduledGame, outcome: Outcome) -> GameRecord {
        let finished = FinishedGame {
            outcome,
            ending: Termination::Rules,
            reason: String::new(),
            blame: None,
            post_mortem: None,
            position: String::new(),
            score: None,
            moves: Vec::new(),
            infos: Vec::new(),
            remarks: Vec::new(),
            is_engine_unusable: false,
            is_stopped_externally: false,
        };
        GameRecord::new(scheduled, String::new(), 0, 0, finished)
    }

    fn tournament(players: usize, repetitions: u64) -> SeriesSchedule {
        SeriesSchedule::new(TournamentMode::Tournament, false, players, 666, repetitions)
    }

    /// Plays a series in which the players listed first and second win as told, by their place; none is a draw.
    fn play(series: &ScheduledSeries, winners: &[Option<usize>]) -> Vec<GameRecord> {
        let mut games = Vec::new();
        for winner in winners {
            let scheduled = series.next_game(&games).expect("it is not over");
            let outcome = match winner.and_then(|place| series.players.get(place)) {
                None => Outcome::Draw,
                Some(&player) if player == scheduled.first => Outcome::Win(Player::First),
                Some(_) => Outcome::Win(Player::Second),
            };
            games.push(game(&scheduled, outcome));
        }
        games
    }

    #[test]
    fn every_two_players_meet_in_every_repetition() {
        let schedule = tournament(4, 5);
        assert_eq!(schedule.count(), 30);
        let players: Vec<[usize; 2]> = (1..=6)
            .map(|number| schedule.series(number).expect("a series").players)
            .collect();
        assert_eq!(players, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(schedule.series(7).expect("a series").players, [0, 1]);
        assert!(schedule.series(0).is_none() && schedule.series(31).is_none());
        let seeds: BTreeSet<u64> = (1..=30)
            .map(|number| schedule.series(number).expect("a series").seed)
            .collect();
        assert_eq!(seeds.len(), 30, "no two series have the same games");
        let more = tournament(4, 6);
        assert_eq!(
            more.series(30),
            schedule.series(30),
            "a longer tournament keeps its series"
        );
    }

    #[test]
    fn repetitions_have_distinct_seeds_below_a_thousand_million() {
        let seeds = repetition_seeds(666, 10_000);
        let distinct: BTreeSet<u64> = seeds.iter().copied().collect();
        assert_eq!(distinct.len(), 10_000);
        assert!(seeds.iter().all(|seed| (1..1_000_000_000).contains(seed)));
    }

    #[test]
    fn a_best_of_three_ends_with_two_points() {
        let series = tournament(3, 1).series(3).expect("a series");
        let (one, other) = (Some(0), Some(1));
        for (winners, is_over) in [
            (&[one][..], false),
            (&[one, one], true),
            (&[other, other], true),
            (&[one, other], false),
            (&[one, None], false),
            (&[None, None], false),
            (&[None, None, None], true),
            (&[one, other, one], true),
        ] {
            let games = play(&series, winners);
            assert_eq!(series.next_game(&games).is_none(), is_over, "{winners:?}");
        }
    }

    #[test]
    fn sides_are_swapped_in_the_second_game_and_drawn_in_the_third() {
        let schedule = tournament(2, 200);
        let mut swapped = 0;
        for number in 1..=200 {
            let series = schedule.series(number).expect("a series");
            let first = series.next_game(&[]).expect("a game");
            assert_eq!((first.first, first.second), (0, 1));
            let games = play(&series, &[None]);
            let second = series.next_game(&games).expect("a game");
            assert_eq!((second.first, second.second), (1, 0));
            let games = play(&series, &[None, None]);
            let third = series.next_game(&games).expect("a game");
            swapped += third.first;
            assert!(first.seed != third.seed && second.seed != third.seed);
        }
        assert!((70..=130).contains(&swapped), "{swapped} of 200");
    }

    #[test]
    fn a_match_is_one_game_with_the_sides_of_the_file() {
        for is_swapped in [false, true] {
            let schedule = SeriesSchedule::new(TournamentMode::Match, is_swapped, 2, 1, 3);
            let series = schedule.series(2).expect("a series");
            let scheduled = series.next_game(&[]).expect("a game");
            assert_eq!(scheduled.first, usize::from(is_swapped));
            let games = play(&series, &[Some(0)]);
            assert!(series.next_game(&games).is_none());
            let record = SeriesRecord::new(&series, games);
            assert_eq!(record.points(), [1.0, 0.0]);
            assert_eq!(record.check(2, 2), Ok(()));
            assert!(record.check(3, 2).is_err());
        }
    }
}
