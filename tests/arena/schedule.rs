//! Which game is played by whom, with which colours, opening and seed.

use std::collections::{BTreeMap, HashSet};

use canopy_engine::{
    arena::schedule::{MAX_ENGINES, OpeningOrder, Schedule, ScheduleError, ScheduledGame},
    games::Player,
};

fn schedule(engines: usize, openings: usize, seed: u64) -> Schedule {
    Schedule::new(engines, openings, OpeningOrder::Shuffled, seed).expect("engines to play")
}

/// The first games of a match, in order.
fn first_games(schedule: &Schedule, games: u64) -> impl Iterator<Item = ScheduledGame> {
    (0..games).map(|number| schedule.game(number))
}

#[test]
fn everybody_meets_everybody_equally_often_with_both_colours() {
    for engines in [2, 3, 4, 7] {
        let schedule = schedule(engines, 5, 1);
        let pairings = engines * (engines - 1) / 2;
        assert_eq!(schedule.game_count(1), pairings as u64);
        for each in [2, 6] {
            let mut met = BTreeMap::new();
            for game in first_games(&schedule, schedule.game_count(each)) {
                assert_ne!(game.first, game.second);
                *met.entry((game.first, game.second)).or_insert(0) += 1;
            }
            assert_eq!(met.len(), engines * (engines - 1));
            assert!(met.values().all(|&games| games == each / 2), "{met:?}");
        }
    }
}

/// After any number of games pairings differ by at most one game, and the sides of a pairing by at most one start.
#[test]
fn every_beginning_of_a_match_is_balanced() {
    let schedule = schedule(4, 3, 9);
    let mut started =
        BTreeMap::from_iter(first_games(&schedule, 6).map(|game| (game.pairing, [0; 2])));
    for game in first_games(&schedule, 100) {
        let later = usize::from(game.first > game.second);
        started.get_mut(&game.pairing).expect("a known pairing")[later] += 1;
        let games = started.values().map(|[one, two]| one + two);
        assert!(games.clone().max() <= games.min().map(|least| least + 1));
        assert!(
            started
                .values()
                .all(|[one, two]| one - two <= 1 && two <= one)
        );
    }
}

#[test]
fn pairs_of_games_share_their_opening() {
    for engines in [2, 4] {
        let schedule = schedule(engines, 3, 5);
        let mut pairs: BTreeMap<(usize, u64), Vec<ScheduledGame>> = BTreeMap::new();
        for game in first_games(&schedule, schedule.game_count(14)) {
            pairs
                .entry((game.pairing, game.round / 2))
                .or_default()
                .push(game);
        }
        for pair in pairs.values() {
            let [one, two] = pair.as_slice() else {
                panic!("{pair:?} are not two");
            };
            assert_eq!((one.first, one.second), (two.second, two.first));
            assert_eq!(one.opening, two.opening);
            assert_eq!(one.opening_seed, two.opening_seed);
            assert_ne!(one.seed, two.seed);
        }
    }
}

/// Every opening is used once before any is used again, in either order.
#[test]
fn openings_take_turns() {
    for order in [OpeningOrder::Listed, OpeningOrder::Shuffled] {
        let schedule = Schedule::new(2, 7, order, 3).expect("two engines");
        let openings: Vec<usize> = first_games(&schedule, 28)
            .step_by(2)
            .filter_map(|game| game.opening)
            .collect();
        let mut sorted = openings[..7].to_vec();
        assert_eq!(openings[..7], openings[7..]);
        assert_eq!(sorted.is_sorted(), order == OpeningOrder::Listed);
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
    }
    assert_ne!(schedule(2, 50, 1), schedule(2, 50, 2));
    let without = schedule(2, 0, 1);
    assert!(first_games(&without, 10).all(|game| game.opening.is_none()));
}

/// A fixed seed gives a fixed order, whatever version of rand there is: an old match can be continued. Computed in another
/// language.
#[test]
fn the_shuffled_order_of_a_seed_never_changes() {
    for (seed, order) in [
        (1, [0, 2, 6, 5, 7, 8, 3, 4, 1, 9]),
        (77, [3, 6, 2, 4, 7, 1, 0, 9, 8, 5]),
    ] {
        let schedule = Schedule::new(2, 10, OpeningOrder::Shuffled, seed).expect("two engines");
        let openings: Vec<usize> = (first_games(&schedule, 20).step_by(2))
            .filter_map(|game| game.opening)
            .collect();
        assert_eq!(openings, order, "seed {seed}");
    }
}

#[test]
fn seeds_differ() {
    for run in [0, 1, u64::MAX] {
        let schedule = schedule(5, 4, run);
        let mut seeds = HashSet::new();
        let mut opening_seeds = HashSet::new();
        for game in first_games(&schedule, 2000) {
            assert!(seeds.insert(game.seed));
            for player in [Player::First, Player::Second] {
                assert!(seeds.insert(game.seed_of(player)));
            }
            opening_seeds.insert(game.opening_seed);
        }
        // 2,000 games of 10 pairings are 100 pairs of games each.
        assert_eq!(opening_seeds.len(), 100);
        assert!(seeds.is_disjoint(&opening_seeds));
    }
    let first = |run| schedule(2, 4, run).game(0);
    assert_ne!(first(1).seed, first(2).seed);
    assert_ne!(first(1).opening_seed, first(2).opening_seed);
}

/// Computed in another language from (run, pairing, game): a game of an old record can be replayed.
#[test]
fn seeds_never_change() {
    let game = schedule(2, 0, 1).game(0);
    assert_eq!(game.seed, 0xe1eb_599e_ba28_44e0);
    assert_eq!(game.seed_of(Player::Second), 0x1965_aef3_1533_30f5);
    assert_eq!(game.opening_seed, 0x904c_37b3_d297_5719);
    let later = schedule(2, 0, 1).game(7);
    assert_eq!(later.opening_seed, 0xa3cc_9631_1644_f0f0);
    assert_eq!(schedule(2, 0, 1).game(1).seed, 0x22bc_64bd_a1c3_4fa7);
    // Three engines make three pairings: game 17 is the third pairing's sixth.
    let third = schedule(3, 0, 7).game(17);
    assert_eq!((third.pairing, third.round), (2, 5));
    assert_eq!((third.first, third.second), (2, 1));
    assert_eq!(third.engine_of(Player::First), 2);
    assert_eq!(third.seed, 0x208f_04b4_9549_277e);
}

/// A game depends only on its number, not on the length of the match; its seed stays when engines are added.
#[test]
fn a_game_depends_on_its_number_alone() {
    let schedule = schedule(3, 10, 77);
    let long: Vec<ScheduledGame> = first_games(&schedule, 600).collect();
    for (number, game) in (0..).zip(&long) {
        assert_eq!(game.number, number);
        assert_eq!(schedule.game(number), *game);
    }
    assert!(first_games(&schedule, 31).eq(long.iter().copied().take(31)));
    let seeds = |engines| -> BTreeMap<_, _> {
        let schedule =
            Schedule::new(engines, 10, OpeningOrder::Shuffled, 77).expect("engines to play");
        first_games(&schedule, schedule.game_count(20))
            .map(|game| ((game.first, game.second, game.round), game.seed))
            .collect()
    };
    let (few, more) = (seeds(3), seeds(5));
    assert!(few.iter().all(|(game, seed)| more.get(game) == Some(seed)));
}

#[test]
fn schedules_of_any_size() {
    for engines in [0, 1, MAX_ENGINES + 1, usize::MAX] {
        let refused = Schedule::new(engines, 1, OpeningOrder::Listed, 1);
        assert_eq!(refused, Err(ScheduleError::Engines(engines)));
    }
    let largest =
        Schedule::new(MAX_ENGINES, usize::MAX, OpeningOrder::Listed, 1).expect("just allowed");
    assert_eq!(largest.game_count(u64::MAX), u64::MAX);
    let last = largest.game(u64::MAX);
    assert!(last.first < MAX_ENGINES && last.second < MAX_ENGINES);
    assert_ne!(last.first, last.second);
}
