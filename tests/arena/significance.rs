//! Statistical tests, and what every statistic keeps: finite, symmetric, and larger for better results.

use canopy_engine::arena::stats::{CHI_SQUARED_95, Variety};

use super::*;

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
