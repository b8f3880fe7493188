//! When a match may stop: the sequential probability ratio test.

use canopy_engine::arena::sprt::{SprtError, SprtRun, SprtVerdict};

use super::*;

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
