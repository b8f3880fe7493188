//! From data to verdicts.

use canopy_engine::{
    arena::stats::{Correlation, PairCounts, Sample, WdlCounts},
    reports::{
        Outcome, Verdict,
        comparison::{self, Comparison, Tally},
        verdict::{
            Claim, Finding, Relation, judge_correlation, judge_limit, judge_ranking, judge_rows,
            judge_share, test_games,
        },
    },
};

use super::published::{games, ratings, table_1};

const STRONGER: Claim = Claim::Stronger { margin: 0.05 };
const EQUAL: Claim = Claim::Equal { margin: 0.05 };

fn outcome(claim: Claim, wins: u32, draws: u32, losses: u32) -> Outcome {
    test_games(claim, &[(WdlCounts::new(wins, draws, losses), None)])[0].outcome
}

fn is_unsettled(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::NotSettled { more: Some(_) })
}

#[test]
fn a_clear_result_confirms_or_rejects() {
    assert_eq!(outcome(STRONGER, 176, 0, 24), Outcome::Confirmed);
    assert_eq!(outcome(STRONGER, 24, 0, 176), Outcome::Rejected);
    assert_eq!(outcome(EQUAL, 176, 0, 24), Outcome::Rejected);
    assert_eq!(outcome(STRONGER, 0, 0, 0), Outcome::NotTested);
}

#[test]
fn many_even_games_exclude_a_difference_that_matters() {
    assert_eq!(outcome(STRONGER, 1000, 0, 1000), Outcome::Rejected);
    assert_eq!(outcome(EQUAL, 1000, 0, 1000), Outcome::Confirmed);
    // Stronger for certain, and by less than matters.
    assert_eq!(outcome(EQUAL, 10_300, 0, 9700), Outcome::Confirmed);
    assert_eq!(outcome(STRONGER, 10_300, 0, 9700), Outcome::Confirmed);
}

#[test]
fn few_games_settle_nothing_and_the_verdict_says_how_many_would() {
    let few = outcome(STRONGER, 112, 0, 88);
    let Outcome::NotSettled { more: Some(more) } = few else {
        panic!("{few:?}")
    };
    // 56 % of 200 games: about 550 are needed.
    assert!((300..=400).contains(&more), "{more}");
    let verdict = Verdict::new(few, "games", "");
    assert_eq!(
        verdict.sentence(),
        format!("Not settled: {more} more games would settle it.")
    );
    assert!(is_unsettled(outcome(EQUAL, 10, 0, 10)));
    assert!(is_unsettled(outcome(STRONGER, 1, 0, 0)));
}

#[test]
fn the_promise_is_kept_when_games_go_on_as_they_did() {
    for wins in [104u32, 106, 110, 112, 114] {
        let before = WdlCounts::new(wins, 0, 200 - wins);
        let Outcome::NotSettled { more: Some(more) } = outcome(STRONGER, wins, 0, 200 - wins)
        else {
            panic!("{wins} is settled");
        };
        let all = 200 + more as u32;
        let later_wins = (before.score() * f64::from(all)).round() as u32;
        let later = outcome(STRONGER, later_wins, 0, all - later_wins);
        assert!(!is_unsettled(later), "{wins}: {more} more games");
    }
}

#[test]
fn many_comparisons_need_stronger_evidence() {
    // p = 0.039: significant alone, not among four.
    let close = WdlCounts::new(59, 0, 38);
    let alone = test_games(STRONGER, &[(close, None)]);
    assert_eq!(alone[0].outcome, Outcome::Confirmed);
    let even = WdlCounts::new(50, 0, 50);
    let among = test_games(
        STRONGER,
        &[(close, None), (even, None), (even, None), (even, None)],
    );
    assert!(is_unsettled(among[0].outcome), "{among:?}");
    assert!((among[0].corrected_p - 4.0 * alone[0].p_value).abs() < 1e-12);
}

#[test]
fn pairs_of_games_are_tested_as_pairs() {
    let pairs = PairCounts {
        by_points: [0, 0, 88, 0, 12],
    };
    let results = WdlCounts::new(112, 0, 88);
    let by_games = test_games(STRONGER, &[(results, None)]);
    let by_pairs = test_games(STRONGER, &[(results, Some(pairs))]);
    assert!(is_unsettled(by_games[0].outcome));
    assert_eq!(by_pairs[0].outcome, Outcome::Confirmed);
    assert!(by_pairs[0].interval.low > by_games[0].interval.low);
}

#[test]
fn a_whole_is_judged_by_its_parts() {
    use Outcome::*;
    let unsettled = |more| NotSettled { more: Some(more) };
    assert_eq!(Outcome::of_all(&[Confirmed, Confirmed]), Confirmed);
    assert_eq!(
        Outcome::of_all(&[Confirmed, Rejected, unsettled(8)]),
        PartlyConfirmed
    );
    assert_eq!(Outcome::of_all(&[Rejected, unsettled(8)]), Rejected);
    assert_eq!(
        Outcome::of_all(&[Confirmed, unsettled(8), unsettled(90)]),
        unsettled(90)
    );
    assert_eq!(
        Outcome::of_all(&[Confirmed, NotTested]),
        NotSettled { more: None }
    );
    assert_eq!(Outcome::of_all(&[]), NotTested);
}

/// Report 002, table 1: the report's own figures and ours, by the same test.
#[test]
fn report_002_is_judged_row_by_row() {
    let comparisons = table_1();
    let judged = comparison::judge(STRONGER, &comparisons);
    let findings = |test: fn(&comparison::Judgement) -> Finding| -> Vec<Finding> {
        judged.iter().map(test).collect()
    };
    assert_eq!(
        findings(|row| row.published.expect("published").finding),
        [
            Finding::Unclear,
            Finding::Stronger,
            Finding::Stronger,
            Finding::NotWeaker
        ]
    );
    assert_eq!(
        findings(|row| row.ours.expect("ours").finding),
        [
            Finding::NotStronger,
            Finding::Stronger,
            Finding::Stronger,
            Finding::Stronger
        ]
    );
    let relations: Vec<_> = judged.iter().filter_map(|row| row.relation()).collect();
    assert_eq!(relations[1], Relation::MoreThanPublished);
    assert_eq!(relations[0], Relation::AsPublished);
    assert_eq!(relations[3].label(), "published: no effect found");
    let verdict = comparison::verdict(&comparisons, &judged, "games");
    assert_eq!(
        verdict.sentence(),
        "Partly confirmed. It holds for Last good reply, one move, Last good reply, two moves and Table and LGR-2; it does not hold for \
         Transposition table."
    );
}

#[test]
fn report_001_settles_none_of_its_steps() {
    let ratings = ratings();
    let steps: Vec<_> = (0..3)
        .filter_map(|rank| ratings.difference(rank, rank + 1))
        .collect();
    for outcome in judge_ranking(&steps, 10) {
        assert!(is_unsettled(outcome), "{outcome:?}");
    }
    // The best and the last are apart for certain.
    let all = ratings.difference(0, 3).expect("two players");
    assert!(all.p_value() < 0.05);
    // UCT lost none of its games against UCB1-tuned.
    assert_eq!(
        test_games(STRONGER, &[(games(0, 2), None)])[0].outcome,
        Outcome::Confirmed
    );
}

#[test]
fn results_without_published_ones_are_judged_alone() {
    let comparison = Comparison {
        ours: Some(Tally::of(WdlCounts::new(150, 0, 50))),
        ..Comparison::new("a", ["a", "b"])
    };
    let judged = comparison::judge(STRONGER, std::slice::from_ref(&comparison));
    assert_eq!(judged[0].relation(), None);
    let verdict = comparison::verdict(&[comparison], &judged, "games");
    assert_eq!(verdict.sentence(), "Confirmed.");
}

#[test]
fn correlations_are_judged_by_their_test_and_their_interval() {
    let of = |points, r| Correlation { points, r };
    assert_eq!(judge_correlation(of(50, 0.8), 0.3), Outcome::Confirmed);
    assert_eq!(judge_correlation(of(500, 0.01), 0.3), Outcome::Rejected);
    assert!(is_unsettled(judge_correlation(of(8, 0.05), 0.3)));
    assert!(is_unsettled(judge_correlation(of(8, 0.0), 0.3)));
}

#[test]
fn limits_shares_and_rows_are_judged() {
    let sample = |values: &[f64]| Sample::of(values).expect("values");
    assert_eq!(
        judge_limit(sample(&[0.9, 1.0, 1.1]), 3.0),
        Outcome::Confirmed
    );
    assert_eq!(
        judge_limit(sample(&[3.9, 4.0, 4.1]), 3.0),
        Outcome::Rejected
    );
    assert!(is_unsettled(judge_limit(sample(&[2.0, 3.0, 3.9]), 3.0)));
    assert!(is_unsettled(judge_limit(sample(&[2.0]), 3.0)));
    assert_eq!(judge_share(74.0, 100, 0.5), Outcome::Confirmed);
    assert_eq!(judge_share(14.0, 100, 0.5), Outcome::Rejected);
    assert!(is_unsettled(judge_share(55.0, 100, 0.5)));
    assert_eq!(judge_share(0.0, 0, 0.5), Outcome::NotTested);
    assert_eq!(judge_rows(8, 8), Outcome::Confirmed);
    assert_eq!(judge_rows(7, 8), Outcome::Rejected);
    assert_eq!(judge_rows(0, 0), Outcome::NotTested);
}
