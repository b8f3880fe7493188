//! What results are worth: points, Wilson's intervals, Elo and likelihood of superiority, as published and as other programs print them.

use super::*;

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
