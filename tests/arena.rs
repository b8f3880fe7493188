//! Match statistics, sequential tests and schedules.
//!
//! Figures marked "computed" come from scipy 1.17, statsmodels 0.15 and mpmath, with the formula stated. Figures marked
//! "published" are what other programs or papers print.

use std::collections::{BTreeMap, HashSet};

use canopy_engine::{
    arena::{
        schedule::{MAX_ENGINES, OpeningOrder, Schedule, ScheduleError, ScheduledGame},
        sprt::{Sprt, SprtError, SprtRun, SprtVerdict},
        stats::{CHI_SQUARED_95, Elo, NORMAL_95, Variety, WdlByColour, WdlCounts},
    },
    games::Player,
};

/// Asserts that two numbers agree within `tolerance`, relative to `expected`, or absolute if that is below 1.
#[track_caller]
fn assert_near(actual: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(1.0);
    assert!(
        (actual - expected).abs() <= tolerance * scale,
        "{actual} is not {expected}"
    );
}

/// Asserts that two numbers agree within a relative `tolerance`, however small they are.
#[track_caller]
fn assert_same_size(actual: f64, expected: f64, tolerance: f64) {
    assert!(
        (actual - expected).abs() <= tolerance * expected.abs(),
        "{actual:e} is not {expected:e}"
    );
}

/// Every combination of 0 to `most` wins, draws and losses.
fn all_results_up_to(most: u32) -> impl Iterator<Item = WdlCounts> {
    (0..=most).flat_map(move |wins| {
        (0..=most).flat_map(move |draws| {
            (0..=most).map(move |losses| WdlCounts::new(wins, draws, losses))
        })
    })
}

/// Results beyond any real match, balanced and lopsided.
fn extreme_results() -> impl Iterator<Item = WdlCounts> {
    const SIZES: [u32; 6] = [0, 1, 1000, 1_000_000, u32::MAX - 1, u32::MAX];
    SIZES.into_iter().flat_map(|wins| {
        SIZES.into_iter().flat_map(move |draws| {
            SIZES
                .into_iter()
                .map(move |losses| WdlCounts::new(wins, draws, losses))
        })
    })
}

fn sprt_test(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Sprt {
    Sprt::new(elo0, elo1, alpha, beta).expect("a sound test")
}

/// Elo difference with the ends of its 95 % interval.
fn elo_interval(results: WdlCounts) -> (f64, f64, f64) {
    match results.elo() {
        Elo::Known {
            difference,
            low,
            high,
        } => (difference, low, high),
        other => panic!("{results:?} gives {other}"),
    }
}

// ---- what results are worth ---------------------------------------------------------------------------------------

#[test]
fn points_and_scores() {
    let results = WdlCounts::new(7, 2, 1);
    assert_eq!((results.games(), results.decisive()), (10, 8));
    assert_eq!((results.points(), results.score()), (8.0, 0.8));
    // (7 * 0.2^2 + 2 * 0.3^2 + 1 * 0.8^2) / 10
    assert_near(results.variance(), 0.11, 1e-15);
    assert_eq!(results.reversed(), WdlCounts::new(1, 2, 7));
    assert_eq!(results + WdlCounts::new(0, 1, 3), WdlCounts::new(7, 3, 4));
    let by_colour = WdlByColour {
        first: WdlCounts::new(5, 1, 0),
        second: WdlCounts::new(2, 1, 1),
    };
    assert_eq!(by_colour.total(), results);
    assert_eq!(by_colour.reversed().total(), results.reversed());
    assert_eq!(by_colour.reversed().first, WdlCounts::new(1, 1, 2));
    assert_eq!(by_colour.first_player(), WdlCounts::new(6, 2, 2));
    assert_eq!(
        by_colour.reversed().first_player(),
        by_colour.first_player()
    );
}

/// An empty match has defined statistics.
#[test]
fn nothing_played_says_nothing() {
    let nothing = WdlCounts::default();
    assert_eq!((nothing.score(), nothing.variance()), (0.5, 0.0));
    assert_eq!(
        (
            nothing.wilson_interval().low,
            nothing.wilson_interval().high
        ),
        (0.0, 1.0)
    );
    assert_eq!(nothing.elo(), Elo::Unknown);
    assert_eq!(
        (nothing.likelihood_of_superiority(), nothing.sign_test()),
        (0.5, 1.0)
    );
    assert_eq!(nothing.mcnemar().chi_squared, 0.0);
    assert_eq!(
        sprt_test(0.0, 5.0, 0.05, 0.05).log_likelihood_ratio(nothing),
        0.0
    );
}

/// Published: Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
/// table I, method 3.
#[test]
fn wilson_intervals_as_published() {
    for (wins, games, low, high) in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ] {
        let interval = WdlCounts::new(wins, 0, games - wins).wilson_interval();
        assert!((interval.low - low).abs() < 0.00005, "{interval:?}");
        assert!((interval.high - high).abs() < 0.00005, "{interval:?}");
    }
}

/// Computed: `proportion_confint(wins + draws / 2, games, method="wilson")` of statsmodels.
#[test]
fn wilson_intervals_with_draws() {
    for ((wins, draws, losses), low, high) in [
        ((1, 0, 0), 0.2065493143772374, 1.0),
        ((0, 1, 0), 0.05462075552885198, 0.945379244471148),
        ((0, 0, 1), 0.0, 0.7934506856227627),
        ((7, 2, 1), 0.49016247153664183, 0.9433178485456247),
        ((10, 0, 0), 0.7224672001371106, 1.0),
        ((20, 20, 20), 0.37735024241555765, 0.6226497575844423),
        ((55, 30, 15), 0.6041514536665332, 0.7810511470506724),
        ((76, 123, 89), 0.42042065038642007, 0.5350346161390014),
        ((136, 111, 96), 0.5053980678351326, 0.6099283990065338),
        (
            (1_000_000, 1_000_000, 999_000),
            0.4996008352316448,
            0.500732608822736,
        ),
    ] {
        let interval = WdlCounts::new(wins, draws, losses).wilson_interval();
        assert_near(interval.low, low, 1e-12);
        assert_near(interval.high, high, 1e-12);
    }
}

/// The ends of Wilson's interval are the true scores from which the observed one is 1.96 standard deviations away.
#[test]
fn wilson_intervals_solve_their_equation() {
    for results in all_results_up_to(20).filter(|results| results.games() > 0) {
        let (interval, score) = (results.wilson_interval(), results.score());
        for end in [interval.low, interval.high] {
            let away = (score - end).powi(2);
            let allowed = NORMAL_95.powi(2) * end * (1.0 - end) / results.games() as f64;
            assert!((away - allowed).abs() < 1e-12, "{results:?} {interval:?}");
        }
    }
}

/// Computed with 40 digits: 400 log10(s / (1 - s)) at s and at s ± 1.95996 sqrt(variance / games).
#[test]
fn elo_with_error_bars() {
    for ((wins, draws, losses), difference, low, high) in [
        (
            (20, 20, 20),
            0.0,
            -72.827_848_967_537_45,
            72.827_848_967_537_45,
        ),
        (
            (55, 30, 15),
            147.19071411783776,
            90.95651272550009,
            211.8864782109143,
        ),
        (
            (76, 123, 89),
            -15.693520705432283,
            -46.27235419975313,
            14.643647234207764,
        ),
        (
            (136, 111, 96),
            40.70245818652709,
            10.586756298651308,
            71.44119218585327,
        ),
        (
            (0, 20, 20),
            -190.84850188786498,
            -272.3603825798858,
            -125.01260274016565,
        ),
        (
            (120, 0, 80),
            70.4365036222725,
            22.339473723632366,
            121.37322405237084,
        ),
        (
            (1_000_000, 1_000_000, 999_000),
            0.11585048296071021,
            -0.20518447243865803,
            0.4368856361864875,
        ),
    ] {
        let elo = elo_interval(WdlCounts::new(wins, draws, losses));
        assert_near(elo.0, difference, 1e-10);
        assert_near(elo.1, low, 1e-10);
        assert_near(elo.2, high, 1e-10);
    }
}

/// Computed: the Elo of the ends of statsmodels' Wilson interval, used where the normal interval leaves the range of scores.
#[test]
fn elo_of_few_and_of_one_sided_games() {
    for ((wins, draws, losses), low, high) in [
        ((0, 1, 0), -495.2993440556238, 495.2993440556236),
        ((0, 10, 0), -203.50161162773193, 203.50161162773193),
        ((1, 0, 1), -392.51931609757577, 392.51931609757577),
        ((7, 2, 1), -6.836697194360681, 488.48469025673063),
        ((16, 4, 0), 146.33649346457557, 617.0575140868842),
        ((9, 1, 0), 111.72475748341962, 911.2781232788424),
    ] {
        let elo = elo_interval(WdlCounts::new(wins, draws, losses));
        assert_near(elo.1, low, 1e-10);
        assert_near(elo.2, high, 1e-10);
    }
    for (wins, bound) in [(1, -233.79847281610907), (10, 166.20152718389082)] {
        match WdlCounts::new(wins, 0, 0).elo() {
            Elo::Above(low) => assert_near(low, bound, 1e-10),
            other => panic!("{other}"),
        }
        match WdlCounts::new(0, 0, wins).elo() {
            Elo::Below(high) => assert_near(high, -bound, 1e-10),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn elo_in_words() {
    assert_eq!(WdlCounts::default().elo().to_string(), "unknown");
    assert_eq!(WdlCounts::new(10, 0, 0).elo().to_string(), "> +166.2");
    assert_eq!(WdlCounts::new(0, 0, 10).elo().to_string(), "< -166.2");
    assert_eq!(
        WdlCounts::new(136, 111, 96).elo().to_string(),
        "+40.7 [+10.6, +71.4]"
    );
    assert_eq!(WdlCounts::new(10, 0, 0).elo().margin(), None);
}

/// Published: fastchess, app/tests/elo_test.cpp, "EloWDL 1" and "EloWDL 2". Its likelihood of superiority counts drawn games,
/// which changes the fourth digit.
#[test]
fn elo_and_superiority_as_fastchess_has_them() {
    let results = WdlCounts::new(136, 111, 96);
    assert_near(elo_interval(results).0, 40.70, 0.0002);
    assert_near(results.elo().margin().expect("two ends"), 30.43, 0.0002);
    assert!((results.likelihood_of_superiority() - 0.9960).abs() < 0.0006);
    assert!((WdlCounts::new(76, 123, 89).likelihood_of_superiority() - 0.1553).abs() < 0.0006);
}

/// Published: what cutechess-cli printed in github.com/cutechess/cutechess/issues/543, dede1751/carp/pull/5,
/// jw1912/Chess-Challenge/pull/22, jw1912/monty/pull/4, brunocodutra/cinder/pull/570, JoAnnP38/Pedantic/pull/8,
/// princesslana/princhess/pull/256 and JoAnnP38/PedanticRF/pull/51. Its margins rest on an approximation of 1.96 that is a
/// quarter of a percent small.
#[test]
fn elo_and_superiority_as_cutechess_prints_them() {
    for ((wins, draws, losses), elo, margin, superiority) in [
        ((880, 1863, 759), 12.0, 7.9, 99.9),
        ((1448, 1679, 1320), 10.0, 8.0, 99.3),
        ((195, 85, 110), 77.0, 31.1, 100.0),
        ((89, 4, 4), 472.4, 159.3, 100.0),
        ((1038, 1925, 1037), 0.1, 7.7, 50.9),
        ((332, 352, 316), 5.6, 17.3, 73.5),
        ((289, 417, 294), -1.7, 16.4, 41.8),
        ((1013, 1998, 896), 10.4, 7.6, 99.6),
    ] {
        let results = WdlCounts::new(wins, draws, losses);
        let ours = results.elo().margin().expect("two ends");
        assert!(
            (elo_interval(results).0 - elo).abs() <= 0.0501,
            "{results:?}"
        );
        assert!(
            (ours - margin).abs() <= 0.0501 + 0.003 * margin,
            "{results:?} {ours}"
        );
        assert!((100.0 * results.likelihood_of_superiority() - superiority).abs() <= 0.0501);
    }
}

/// Computed: `norm.cdf((wins - losses) / sqrt(wins + losses))` of scipy.
#[test]
fn likelihood_of_superiority() {
    for ((wins, losses), expected) in [
        ((1, 0), 0.8413447460685429),
        ((0, 1), 0.15865525393145707),
        ((7, 1), 0.9830525732376554),
        ((10, 0), 0.9992172988709987),
        ((76, 89), 0.1557574017788549),
        ((0, 20), 3.872108215522035e-06),
        ((1_000_000, 999_000), 0.7603048799872953),
    ] {
        for draws in [0, 9] {
            let ours = WdlCounts::new(wins, draws, losses).likelihood_of_superiority();
            assert_same_size(ours, expected, 1e-12);
        }
    }
}

/// Computed: `binomtest(wins, wins + losses).pvalue` of scipy.
#[test]
fn sign_tests() {
    for ((wins, losses), expected) in [
        ((10, 0), 0.001953125),
        ((9, 1), 0.021484375),
        ((8, 2), 0.109375),
        ((5, 5), 1.0),
        ((6, 5), 1.0),
        ((140, 60), 1.507061557352626e-08),
        ((2, 998), 9.341987486489591e-296),
        ((0, 1000), 1.8665272370064378e-301),
        ((200, 800), 1.6449987355774717e-85),
        ((5000, 5200), 0.04878796312682234),
        ((1_000_000, 1_003_000), 0.034088365079432),
    ] {
        for draws in [0, 33] {
            let ours = WdlCounts::new(wins, draws, losses).sign_test();
            assert_same_size(ours, expected, 1e-9);
        }
    }
}

/// The same by summing binomial coefficients in integers.
#[test]
fn sign_tests_by_counting() {
    for results in all_results_up_to(20).filter(|results| results.draws == 0) {
        let (games, fewer) = (results.decisive(), results.wins.min(results.losses));
        let (mut ways, mut at_most) = (1u128, 0u128);
        for heads in 0..=u128::from(fewer) {
            at_most += ways;
            ways = ways * (u128::from(games) - heads) / (heads + 1);
        }
        let all = 1u128 << games;
        let expected = ((2 * at_most) as f64 / all as f64).min(1.0);
        assert_same_size(results.sign_test(), expected, 1e-13);
    }
}

/// Report 002, table 1: (wins, draws, losses) of the standard search when it moves first, of the other one when that moves
/// first; published statistic, recomputed statistic, probability. The last published statistic does not follow from the table.
/// Computed: `mcnemar(table, exact=False, correction=False)` of statsmodels and `binomtest` of scipy.
#[test]
fn report_002_table_1() {
    type ReportRow = (&'static str, [(u32, u32, u32); 2], f64, f64, f64, f64);
    const TABLE: [ReportRow; 4] = [
        (
            "TT",
            [(14, 10, 76), (15, 10, 75)],
            0.022,
            0.022222222222222223,
            0.8814974521910135,
            0.940611736709258,
        ),
        (
            "LGR1",
            [(11, 3, 86), (20, 33, 47)],
            14.05,
            14.048780487804878,
            0.0001781293054554634,
            0.0002207062450252376,
        ),
        (
            "LGR2",
            [(14, 1, 85), (23, 23, 54)],
            9.09,
            9.090909090909092,
            0.0025688315270227116,
            0.0031719670751109356,
        ),
        (
            "TT+LGR2",
            [(24, 1, 75), (23, 23, 54)],
            0.485,
            2.272727272727273,
            0.13166801602281455,
            0.15188924140346732,
        ),
    ];
    for (name, [standard, other], published, figure, probability, sign) in TABLE {
        let tally = |(wins, draws, losses)| WdlCounts::new(wins, draws, losses);
        let results = WdlByColour {
            first: tally(other),
            second: tally(standard).reversed(),
        };
        assert_eq!(results.first.games(), 100);
        assert_eq!(results.total().games(), 200);
        let ours = results.total().mcnemar();
        assert_near(ours.chi_squared, figure, 1e-14);
        let tail = libm::erfc((ours.chi_squared / 2.0).sqrt());
        assert_same_size(tail, probability, 1e-12);
        assert_same_size(results.total().sign_test(), sign, 1e-12);
        assert_eq!(ours.is_significant(), name.starts_with("LGR"), "{name}");
        let follows = (ours.chi_squared - published).abs() < 0.005;
        assert_eq!(follows, name != "TT+LGR2", "{name}");
    }
    // What the last published figure would have needed.
    assert_near(
        WdlCounts::new(62, 0, 70).mcnemar().chi_squared,
        0.4848484848484848,
        1e-14,
    );
    assert_near(CHI_SQUARED_95, NORMAL_95 * NORMAL_95, 1e-15);
}

/// Report 002, table 3, whose statistics follow from it.
#[test]
fn report_002_table_3() {
    for (wins, draws, losses, published) in [
        (15 + 76, 23 + 3, 62 + 21, 0.368),
        (60 + 27, 16 + 12, 24 + 61, 0.023),
        (61 + 25, 15 + 14, 24 + 61, 0.0058),
    ] {
        let ours = WdlCounts::new(wins, draws, losses).mcnemar();
        assert!((ours.chi_squared - published).abs() < 0.0005);
        assert!(!ours.is_significant());
    }
}

#[test]
fn every_number_is_finite() {
    let tests = [
        sprt_test(0.0, 5.0, 0.05, 0.05),
        sprt_test(-2000.0, 2000.0, f64::MIN_POSITIVE, 0.49),
    ];
    for results in all_results_up_to(20).chain(extreme_results()) {
        let mut numbers = vec![
            results.points(),
            results.score(),
            results.variance(),
            results.wilson_interval().low,
            results.wilson_interval().high,
            results.likelihood_of_superiority(),
            results.mcnemar().chi_squared,
            results.sign_test(),
        ];
        match results.elo() {
            Elo::Unknown => assert_eq!(results.games(), 0),
            Elo::Below(elo) => {
                assert_eq!(results.points(), 0.0);
                numbers.push(elo);
            }
            Elo::Above(elo) => {
                assert_eq!((results.draws, results.losses), (0, 0));
                numbers.push(elo);
            }
            Elo::Known {
                difference,
                low,
                high,
            } => {
                assert!(low <= difference && difference <= high, "{results:?}");
                assert!(low < high, "{results:?}");
                numbers.extend([difference, low, high]);
            }
        }
        for test in &tests {
            numbers.push(test.log_likelihood_ratio(results));
            numbers.extend([test.lower_bound(), test.upper_bound()]);
        }
        assert!(
            numbers.iter().all(|number| number.is_finite()),
            "{results:?} {numbers:?}"
        );
    }
}

#[test]
fn intervals_hold_the_score() {
    for results in all_results_up_to(20).chain(extreme_results()) {
        let interval = results.wilson_interval();
        assert!(interval.contains(results.score()), "{results:?}");
        assert!(0.0 <= interval.low && interval.high <= 1.0);
        assert!((0.0..=1.0).contains(&results.likelihood_of_superiority()));
        assert!((0.0..=1.0).contains(&results.sign_test()));
    }
}

/// Swapping the sides negates Elo differences and mirrors intervals.
#[test]
fn both_sides_see_the_same_match() {
    let (ours, theirs) = (
        sprt_test(-3.0, 17.0, 0.05, 0.1),
        sprt_test(-17.0, 3.0, 0.1, 0.05),
    );
    for results in all_results_up_to(20) {
        let other = results.reversed();
        assert_near(results.score() + other.score(), 1.0, 1e-15);
        assert_near(
            results.wilson_interval().low + other.wilson_interval().high,
            1.0,
            1e-12,
        );
        assert_near(
            results.likelihood_of_superiority() + other.likelihood_of_superiority(),
            1.0,
            1e-12,
        );
        assert_eq!(results.sign_test(), other.sign_test());
        assert_eq!(results.mcnemar(), other.mcnemar());
        match (results.elo(), other.elo()) {
            (
                Elo::Known {
                    difference, low, ..
                },
                Elo::Known {
                    difference: negative,
                    high,
                    ..
                },
            ) => {
                assert_near(difference, -negative, 1e-9);
                assert_near(low, -high, 1e-9);
            }
            (Elo::Above(low), Elo::Below(high)) | (Elo::Below(high), Elo::Above(low)) => {
                assert_near(low, -high, 1e-9);
            }
            (left, right) => assert_eq!((left, right), (Elo::Unknown, Elo::Unknown)),
        }
        let ratio = ours.log_likelihood_ratio(results);
        assert_near(ratio, -theirs.log_likelihood_ratio(other), 1e-9);
    }
    assert_near(ours.upper_bound(), -theirs.lower_bound(), 1e-12);
}

/// Every statistic is monotonic in the result. The likelihood ratio may stay equal: for two sides without a win, draws and
/// losses are equal evidence.
#[test]
fn better_results_count_for_more() {
    let test = sprt_test(0.0, 10.0, 0.05, 0.05);
    for worse in all_results_up_to(20) {
        let draw_saved =
            WdlCounts::new(worse.wins, worse.draws + 1, worse.losses.saturating_sub(1));
        let win_gained =
            WdlCounts::new(worse.wins + 1, worse.draws.saturating_sub(1), worse.losses);
        for better in [draw_saved, win_gained] {
            if better.games() != worse.games() {
                continue;
            }
            assert!(better.score() > worse.score());
            assert!(better.wilson_interval().low > worse.wilson_interval().low);
            assert!(better.wilson_interval().high >= worse.wilson_interval().high);
            assert!(better.likelihood_of_superiority() > worse.likelihood_of_superiority());
            let ratios = [better, worse].map(|results| test.log_likelihood_ratio(results));
            assert!(
                ratios[0] > ratios[1] - 1e-12,
                "{better:?} {worse:?} {ratios:?}"
            );
            if let (
                Elo::Known {
                    difference: more, ..
                },
                Elo::Known {
                    difference: less, ..
                },
            ) = (better.elo(), worse.elo())
            {
                assert!(more > less);
            }
        }
    }
}

/// More games at the same score narrow the interval.
#[test]
fn more_games_say_more() {
    for once in all_results_up_to(20).filter(|results| results.games() > 0) {
        let twice = once + once;
        let width =
            |results: WdlCounts| results.wilson_interval().high - results.wilson_interval().low;
        assert!(width(twice) < width(once));
        assert!(twice.sign_test() <= once.sign_test());
        match (once.elo(), twice.elo()) {
            (Elo::Known { .. }, Elo::Known { .. }) => {}
            (Elo::Above(few), Elo::Above(many)) => assert!(many > few),
            (Elo::Below(few), Elo::Below(many)) => assert!(many < few),
            (few, many) => panic!("{few} {many}"),
        }
    }
}

#[test]
fn few_different_games_are_noticed() {
    let all = Variety::of(["1", "2", "3"]);
    assert_eq!((all.games, all.distinct, all.is_low()), (3, 3, false));
    let few = Variety::of((0..100).map(|game| game % 2));
    assert_eq!((few.games, few.distinct, few.is_low()), (100, 2, true));
    assert!(!Variety::of((0..100).map(|game| game % 90)).is_low());
    assert!(Variety::of((0..100).map(|game| game % 89)).is_low());
    let none = Variety::of(Vec::<u8>::new());
    assert_eq!((none.rate(), none.is_low()), (1.0, false));
}

// ---- when a match may stop ----------------------------------------------------------------------------------------

/// Published: fastchess, app/tests/sprt_test.cpp, "logistic trinomial 1" and "2"; cutechess,
/// projects/lib/tests/sprt/tst_sprt.cpp, "test1" and "test2"; what cutechess-cli printed in
/// github.com/cutechess/cutechess/issues/543 (confirmed there by a script of others) and brunocodutra/cinder/pull/570.
#[test]
fn ratios_as_published() {
    for ((wins, draws, losses), (elo0, elo1), published, tolerance) in [
        ((21404, 40708, 21184), (0.5, 2.5), -1.57, 0.005),
        ((57433, 106593, 57030), (0.0, 2.0), -2.59, 0.005),
        ((1477, 2942, 1351), (0.0, 10.0), 2.52, 0.01),
        ((555, 298, 555), (0.0, 10.0), -0.74, 0.01),
        ((880, 1863, 759), (0.0, 5.0), 2.95, 0.01),
        ((1038, 1925, 1037), (-5.0, 5.0), 0.0555, 0.0001),
    ] {
        let test = sprt_test(elo0, elo1, 0.05, 0.05);
        let ratio = test.log_likelihood_ratio(WdlCounts::new(wins, draws, losses));
        assert!((ratio - published).abs() <= tolerance, "{ratio}");
    }
}

/// Computed with 40 digits: maximum-likelihood probabilities by bisection of `sum p (x - s) / (1 + t (x - s)) = 0` for t where
/// every outcome needed occurs, else by golden-section search for the best probability of a draw.
#[test]
fn ratios_worked_out() {
    for ((wins, draws, losses), (elo0, elo1), expected) in [
        ((21404, 40708, 21184), (0.5, 2.5), -1.5718887926921763),
        ((57433, 106593, 57030), (0.0, 2.0), -2.5930241635240585),
        ((880, 1863, 759), (0.0, 5.0), 2.9472241137316435),
        ((3, 1, 149), (0.0, 10.0), -4.293261139026399),
        ((120, 60, 20), (0.0, 100.0), 30.686465341812433),
        ((20, 20, 20), (-3.0, 17.0), -0.10430611636053733),
        ((1, 1, 1), (0.0, 5.0), -0.0004659589953689943),
        ((10, 0, 5), (0.0, 10.0), 0.13769926412734054),
        ((0, 6, 9), (-20.0, 20.0), -1.7269388197455342),
        ((12, 7, 0), (0.0, 35.0), 1.8177789172551642),
        ((0, 0, 7), (0.0, 10.0), -0.2043752709232131),
        ((9, 0, 0), (0.0, 10.0), 0.2553134404509578),
        ((0, 12, 0), (0.0, 10.0), -0.3503576072969367),
        ((3, 0, 0), (-50.0, -10.0), 0.3751044692630364),
        ((5, 1_000_000, 3), (0.0, 2.0), -5734.630691176166),
        ((1, 4_000_000_000, 2), (-1.0, 1.0), -16.568713347529883),
        (
            (1, 4_000_000_000, 4_000_000_000),
            (-1.0, 1.0),
            -46051701.84261114,
        ),
    ] {
        let test = sprt_test(elo0, elo1, 0.05, 0.05);
        let results = WdlCounts::new(wins, draws, losses);
        // Each game's part is rounded, which shows when billions of them nearly cancel.
        let rounding = results.games() as f64 * f64::EPSILON;
        let ratio = test.log_likelihood_ratio(results);
        assert_near(ratio, expected, rounding.max(1e-9));
    }
}

/// The same by search: the maximum likelihood under each hypothesis over the probability of a draw.
#[test]
fn ratios_by_search() {
    let greatest = |results: WdlCounts, elo: f64| {
        let score = 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
        let part = |count: u32, probability: f64| match count {
            0 => 0.0,
            count => f64::from(count) * probability.max(1e-300).ln(),
        };
        let likelihood = |draw: f64| {
            part(results.wins, score - draw / 2.0)
                + part(results.draws, draw)
                + part(results.losses, 1.0 - score - draw / 2.0)
        };
        let (mut low, mut high) = (0.0, 2.0 * score.min(1.0 - score));
        for _ in 0..60 {
            let third = (high - low) / 3.0;
            if likelihood(low + third) < likelihood(high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        likelihood((low + high) / 2.0)
    };
    for (elo0, elo1) in [(0.0, 10.0), (-150.0, 60.0)] {
        let test = sprt_test(elo0, elo1, 0.05, 0.05);
        for results in all_results_up_to(12) {
            let expected = greatest(results, elo1) - greatest(results, elo0);
            assert_near(test.log_likelihood_ratio(results), expected, 1e-7);
        }
    }
}

/// Published: the bounds that cutechess and fastchess print for these rates (the tests and threads named above;
/// brunocodutra/cinder/pull/836 for unequal rates).
#[test]
fn bounds_as_published() {
    for (alpha, beta, lower, upper) in [
        (0.05, 0.05, -2.94, 2.94),
        (0.01, 0.01, -4.60, 4.60),
        (0.05, 0.10, -2.25, 2.89),
    ] {
        let test = sprt_test(0.0, 5.0, alpha, beta);
        assert!((test.lower_bound() - lower).abs() < 0.0051);
        assert!((test.upper_bound() - upper).abs() < 0.0051);
    }
}

#[test]
fn verdicts() {
    let test = sprt_test(0.0, 5.0, 0.05, 0.05);
    // Published: cutechess stopped at this result (issue 543).
    assert_eq!(
        test.verdict(WdlCounts::new(880, 1863, 759)),
        SprtVerdict::AcceptH1
    );
    assert_eq!(
        test.verdict(WdlCounts::new(879, 1863, 760)),
        SprtVerdict::Continue
    );
    assert_eq!(
        test.verdict(WdlCounts::new(759, 1863, 880)),
        SprtVerdict::AcceptH0
    );
    assert_eq!(test.verdict(WdlCounts::default()), SprtVerdict::Continue);
}

/// The test takes games in the order of their numbers, whatever order they finish in; games after the decision are ignored.
#[test]
fn a_sequential_test_judges_games_by_their_numbers() {
    let results: Vec<(u64, WdlCounts)> = (1..=400)
        .map(|game| match game % 5 {
            0 => (game, WdlCounts::new(0, 0, 1)),
            1 | 3 => (game, WdlCounts::new(0, 1, 0)),
            _ => (game, WdlCounts::new(1, 0, 0)),
        })
        .collect();
    let judge = |games: &[(u64, WdlCounts)]| {
        let mut test = SprtRun::new(sprt_test(0.0, 60.0, 0.05, 0.05));
        for &(game, result) in games {
            test.add(game, result);
        }
        (test.verdict(), test.judged())
    };
    let in_order = judge(&results);
    assert_eq!(in_order.0, SprtVerdict::AcceptH1);
    let decided = in_order.1.games() as usize;
    assert!(decided < 400, "{decided}");
    let mut rng = canopy_engine::rng::Rng::new(3);
    for _ in 0..50 {
        let mut shuffled = results.clone();
        for last in (1..shuffled.len()).rev() {
            shuffled.swap(last, rng.below(last as u32 + 1) as usize);
        }
        assert_eq!(judge(&shuffled), in_order);
    }
    // A gap holds everything up that comes after it, and a game counts once.
    let gap: Vec<_> = results
        .iter()
        .filter(|(game, _)| *game != 7)
        .copied()
        .collect();
    assert_eq!(judge(&gap).1.games(), 6);
    assert_eq!(judge(&[&results[..5], &results[..5]].concat()).1.games(), 5);
}

#[test]
fn unsound_tests_are_refused() {
    let rate = |alpha, beta| Sprt::new(0.0, 5.0, alpha, beta);
    for bad in [0.0, -0.1, 0.5, 1.0, f64::INFINITY] {
        assert_eq!(rate(bad, 0.05), Err(SprtError::Rate(bad)));
        assert_eq!(rate(0.05, bad), Err(SprtError::Rate(bad)));
    }
    assert!(rate(f64::NAN, 0.05).is_err());
    assert!(Sprt::new(f64::NAN, 5.0, 0.05, 0.05).is_err());
    assert!(Sprt::new(0.0, f64::INFINITY, 0.05, 0.05).is_err());
    let error = Sprt::new(5.0, 5.0, 0.05, 0.05).expect_err("nothing to tell apart");
    assert_eq!(
        error.to_string(),
        "elo0 is 5 and elo1 is 5: expected elo0 to be the smaller one"
    );
}

// ---- which game is played by whom ---------------------------------------------------------------------------------

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
