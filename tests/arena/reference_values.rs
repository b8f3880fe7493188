//! Statistics compared with scipy and statsmodels: every line of tests/data/statistics/values.txt, which says how it was made.

use canopy_engine::arena::stats::{
    Correlation, Encounter, PairCounts, RatingError, Ratings, Sample, distributions,
    growth_exponent, holm,
    power::{self, Question},
};

use super::*;

/// A line of the file: what goes in and what comes out.
struct Case {
    name: String,
    input: Vec<f64>,
    output: Vec<f64>,
}

impl Case {
    fn counts(&self) -> Vec<u32> {
        self.input.iter().map(|&value| value as u32).collect()
    }

    #[track_caller]
    fn compare(&self, actual: &[f64], tolerance: f64) {
        assert_eq!(actual.len(), self.output.len(), "{}", self.name);
        for (&actual, &expected) in actual.iter().zip(&self.output) {
            // Near the smallest numbers digits are lost.
            if expected.abs() > 1e-290 {
                assert_same_size(actual, expected, tolerance);
            }
        }
    }
}

/// The cases with this name; there must be some.
fn cases(name: &str) -> Vec<Case> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/data/statistics/values.txt"
    );
    let text = std::fs::read_to_string(path).expect("the file is there");
    let numbers = |text: &str| -> Vec<f64> {
        let words = text.split_whitespace();
        words.map(|word| word.parse().expect("a number")).collect()
    };
    let cases: Vec<Case> = (text.lines().filter(|line| !line.starts_with('#')))
        .filter_map(|line| line.split_once(' '))
        .filter(|(word, _)| *word == name)
        .map(|(name, rest)| {
            let (input, output) = rest.split_once('=').expect("a result");
            Case {
                name: format!("{name} {input}"),
                input: numbers(input),
                output: numbers(output),
            }
        })
        .collect();
    assert!(!cases.is_empty(), "no line {name}");
    cases
}

#[test]
fn tails_and_quantiles_of_distributions() {
    for case in cases("chi_squared_tail") {
        let tail = distributions::chi_squared_tail(case.input[0], case.input[1] as u32);
        case.compare(&[tail], 1e-11);
    }
    for case in cases("student_two_sided") {
        let tail = distributions::student_two_sided(case.input[0], case.input[1]);
        case.compare(&[tail], 1e-9);
    }
    for case in cases("student_quantile") {
        let point = distributions::student_two_sided_quantile(case.input[0], case.input[1]);
        case.compare(&[point], 1e-10);
    }
    for case in cases("normal_quantile") {
        case.compare(&[distributions::normal_quantile(case.input[0])], 1e-9);
    }
}

#[test]
fn exponents_of_power_laws() {
    for case in cases("growth_exponent") {
        let points: Vec<(f64, f64)> = (case.input.chunks_exact(2))
            .map(|point| (point[0], point[1]))
            .collect();
        case.compare(&[growth_exponent(&points).expect("two sizes")], 1e-12);
    }
    for points in [
        &[][..],
        &[(2.0, 3.0)],
        &[(2.0, 3.0), (2.0, 4.0)],
        &[(1.0, 0.0), (2.0, 4.0)],
    ] {
        assert_eq!(growth_exponent(points), None, "{points:?}");
    }
}

#[test]
fn pearson_correlations() {
    for case in cases("pearson") {
        let points: Vec<(f64, f64)> = (case.input.chunks(2))
            .map(|point| (point[0], point[1]))
            .collect();
        let ours = Correlation::pearson(&points).expect("values that vary");
        let interval = ours.interval();
        case.compare(&[ours.r, ours.p_value(), interval.low, interval.high], 1e-9);
    }
}

/// Report 002, H4: the size of the table and the number of good moves. The report prints p = 0.9.
#[test]
fn report_002_finds_no_correlation() {
    let sizes = [1e4, 2.5e4, 5e4, 1e5, 2.5e5, 5e5, 1e6, 8e6];
    let good = [18.0, 18.0, 20.0, 19.0, 19.0, 20.0, 17.0, 19.0];
    let by = |scale: fn(f64) -> f64| {
        let points: Vec<(f64, f64)> = sizes.map(scale).into_iter().zip(good).collect();
        let ours = Correlation::pearson(&points).expect("values that vary");
        (format!("{:.3}", ours.r), format!("{:.3}", ours.p_value()))
    };
    assert_eq!(by(|size| size), ("0.050".into(), "0.906".into()));
    assert_eq!(by(libm::log10), ("0.077".into(), "0.856".into()));
}

#[test]
fn points_without_a_correlation_have_none() {
    for points in [
        &[][..],
        &[(1.0, 2.0), (2.0, 3.0)],
        &[(1.0, 2.0), (1.0, 3.0), (1.0, 4.0)],
        &[(1.0, f64::NAN), (2.0, 3.0), (3.0, 4.0)],
        &[(1.0, f64::INFINITY), (2.0, 3.0), (3.0, 4.0)],
    ] {
        assert_eq!(Correlation::pearson(points), None, "{points:?}");
    }
    let line = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0), (4.0, 8.0)];
    let line = Correlation::pearson(&line).expect("values that vary");
    assert_near(line.r, 1.0, 1e-15);
    assert!(line.p_value() < 1e-15);
    assert_near(line.interval().low, 1.0, 1e-12);
}

#[test]
fn wilson_intervals() {
    for case in cases("wilson") {
        let [wins, draws, losses] = case.counts()[..] else {
            panic!("three counts")
        };
        let interval = WdlCounts::new(wins, draws, losses).wilson_interval();
        // Where statsmodels rounds to just beside 0 and 1, ours is exact.
        assert_near(interval.low, case.output[0], 1e-13);
        assert_near(interval.high, case.output[1], 1e-13);
    }
}

#[test]
fn mcnemar_as_published_and_exact() {
    for case in cases("mcnemar") {
        let [wins, losses] = case.counts()[..] else {
            panic!("two counts")
        };
        let results = WdlCounts::new(wins, 7, losses);
        let mcnemar = results.mcnemar();
        let ours = [mcnemar.chi_squared, mcnemar.p_value(), results.sign_test()];
        case.compare(&ours, 1e-12);
    }
}

/// Report 001 draws conclusions from ten games a pair: UCT against grouping, the heuristic against UCT, UCT against UCB1-tuned.
#[test]
fn report_001_by_sign_tests() {
    let p = |wins, losses| format!("{:.2}", WdlCounts::new(wins, 2, losses).sign_test());
    assert_eq!(p(5, 3), "0.73");
    assert_eq!(p(4, 6), "0.75");
    assert_eq!(
        format!("{:.3}", WdlCounts::new(7, 3, 0).sign_test()),
        "0.016"
    );
}

#[test]
fn many_tests_corrected_by_holm() {
    for case in cases("holm") {
        case.compare(&holm(&case.input), 1e-13);
    }
    assert_eq!(holm(&[]), [0.0; 0]);
}

#[test]
fn elo_of_pairs_of_games() {
    for case in cases("pairs") {
        let by_points = case.counts().try_into().expect("five counts");
        let ours = PairCounts { by_points };
        let Elo::Known {
            difference,
            low,
            high,
        } = ours.elo()
        else {
            panic!("a finite difference");
        };
        let actual = [ours.score(), ours.variance(), difference, low, high];
        case.compare(&actual, 1e-10);
        assert_near(ours.score() + ours.reversed().score(), 1.0, 1e-14);
    }
}

/// Where both games of every pair are independent of each other, pairs say what games say; where an opening decides both, they say more.
#[test]
fn pairs_take_the_opening_out_of_the_error() {
    let independent = PairCounts {
        by_points: [25, 0, 50, 0, 25],
    };
    let games = WdlCounts::new(100, 0, 100);
    let width = |elo: Elo| elo.margin().expect("two ends");
    assert_near(width(independent.elo()), width(games.elo()), 1e-12);
    let decided = PairCounts {
        by_points: [2, 0, 96, 0, 2],
    };
    assert!(width(decided.elo()) < width(games.elo()) / 3.0);
    assert_eq!(independent.likelihood_of_superiority(), 0.5);
    assert_eq!(decided.pairs_won(), WdlCounts::new(2, 96, 2));
}

#[test]
fn few_or_one_sided_pairs_stay_finite() {
    let counts = |by_points| PairCounts { by_points };
    assert_eq!(counts([0; 5]).elo(), Elo::Unknown);
    assert!(matches!(counts([0, 0, 0, 0, 3]).elo(), Elo::Above(low) if low.is_finite()));
    assert!(matches!(counts([3, 0, 0, 0, 0]).elo(), Elo::Below(high) if high.is_finite()));
    let even = counts([0, 0, 9, 0, 0]);
    assert!(even.interval().low < 0.5 && even.interval().high > 0.5);
    assert_eq!(even.likelihood_of_superiority(), 0.5);
    let pair = |wins, draws, losses| WdlCounts::new(wins, draws, losses);
    let pairs = [
        pair(2, 0, 0),
        pair(1, 0, 1),
        pair(0, 2, 0),
        pair(0, 1, 1),
        pair(1, 0, 0),
    ];
    assert_eq!(PairCounts::of(pairs).by_points, [0, 1, 2, 0, 1]);
}

fn encounters(flat: &[u32]) -> Vec<Encounter> {
    flat.chunks(5)
        .map(|row| Encounter {
            players: [row[0] as usize, row[1] as usize],
            results: WdlCounts::new(row[2], row[3], row[4]),
        })
        .collect()
}

#[test]
fn ratings_of_round_robins() {
    for case in cases("bradley_terry") {
        let counts = case.counts();
        let players = counts[0] as usize;
        let ratings = Ratings::bradley_terry(players, &encounters(&counts[1..]));
        let ratings = ratings.expect("everybody lost a point");
        let all: Vec<_> = (0..players)
            .map(|player| ratings.rating(player).expect("a player"))
            .collect();
        let elo = all.iter().map(|rating| rating.elo);
        let errors = all.iter().map(|rating| rating.standard_error);
        case.compare(&elo.chain(errors).collect::<Vec<f64>>(), 1e-7);
    }
}

/// Two players have the Elo difference of their score, and its standard error by the binomial distribution.
#[test]
fn two_players_are_rated_by_their_score() {
    let results = WdlCounts::new(150, 0, 50);
    let players = [0, 1];
    let ratings = Ratings::bradley_terry(2, &[Encounter { players, results }]);
    let difference = ratings.expect("both won").difference(0, 1).expect("both");
    assert_near(difference.elo, 400.0 * 3f64.log10(), 1e-9);
    let unit = 400.0 / std::f64::consts::LN_10;
    let expected = unit / (200.0f64 * 0.75 * 0.25).sqrt();
    assert_near(difference.standard_error, expected, 1e-9);
    assert!(difference.p_value() < 1e-8);
    assert!(difference.interval().contains(difference.elo));
}

#[test]
fn players_that_lost_everything_have_no_rating() {
    let lost = Ratings::bradley_terry(3, &encounters(&[0, 1, 1, 0, 1, 0, 2, 5, 0, 0]));
    let error = lost.expect_err("nobody lost to the third player");
    assert_eq!(error, RatingError::Unbounded(vec![0, 1]));
    assert_eq!(
        error.to_string(),
        "no finite ratings: the players [0, 1] gave no point to the others, or did not play them"
    );
    let apart = Ratings::bradley_terry(4, &encounters(&[0, 1, 1, 0, 1, 2, 3, 1, 0, 1]));
    assert_eq!(apart, Err(RatingError::Unbounded(vec![0, 1])));
    let stranger = Ratings::bradley_terry(2, &encounters(&[0, 2, 1, 0, 1]));
    assert_eq!(stranger, Err(RatingError::Players(0, 2, 2)));
    assert!(Ratings::bradley_terry(0, &[]).is_ok());
}

#[test]
fn sizes_of_experiments() {
    for case in cases("trials_needed") {
        let [effect, deviation, alpha] = case.input[..] else {
            panic!("three numbers")
        };
        case.compare(&[power::trials_needed(effect, deviation, alpha)], 1e-9);
    }
}

#[test]
fn close_scores_need_more_games_and_decided_ones_fewer() {
    let strong = Question::IsStronger { margin: 0.05 };
    let equal = Question::IsEqual { margin: 0.05 };
    let needed = |wins, losses, question| {
        power::games_needed(WdlCounts::new(wins, 0, losses), question, 0.05)
    };
    // A score of 55 % of 200 games: 785 games find such a difference in four of five experiments.
    let close = needed(111, 91, strong).expect("a number");
    assert!((750..=850).contains(&close), "{close}");
    assert!(needed(60, 40, strong) < needed(55, 45, strong));
    // Equal scores are settled by the margin: a lead of 0 is 0.05 from it.
    let even = needed(99, 99, strong).expect("a number");
    assert!((780..=790).contains(&even), "{even}");
    assert_eq!(needed(99, 99, equal), Some(even));
    // The first few games promise nothing.
    assert!(needed(2, 0, strong) > Some(20));
    assert_eq!(needed(0, 0, Question::IsStronger { margin: 0.0 }), None);
}

#[test]
fn means_of_samples() {
    for case in cases("sample") {
        let ours = Sample::of(&case.input).expect("values");
        let interval = ours.interval().expect("more than one value");
        case.compare(&[ours.mean, interval.low, interval.high], 1e-10);
    }
    assert_eq!(Sample::of(&[]), None);
    assert_eq!(Sample::of(&[f64::NAN]), None);
    assert_eq!(Sample::of(&[3.0]).and_then(Sample::interval), None);
}
