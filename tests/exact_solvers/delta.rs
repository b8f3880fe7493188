//! Delta's solver.

use canopy_engine::{
    games::{
        Game as _, Notation as _, Outcome, Player, Symmetric as _,
        delta::{Delta, Equaliser, MAX_PLIES},
        notation::{position_text, read_position},
    },
    rng::Rng,
    search::{
        SearchLimits,
        delta::{CertificateError, DeltaSolver},
        exact::{Exact as _, ValueClass},
    },
};

use super::{
    MEGABYTE, assert_forced_wins_found, certificate::check, forced_win, minimax, node_limit,
    random_endings, value_within, with_context, with_stop,
};

const RULES: [Equaliser; 3] = [Equaliser::Optional, Equaliser::Forced, Equaliser::Off];

fn unlimited() -> SearchLimits {
    SearchLimits::default()
}

fn solver(rules: Equaliser) -> DeltaSolver {
    DeltaSolver::new(rules, 16 * MEGABYTE)
}

fn after_first_move(rules: Equaliser, text: &str) -> Delta {
    let mut position = Delta::start(rules);
    position.play(position.parse_move(text).expect("a square"));
    position
}

fn certificate_of(position: &Delta) -> String {
    let mut text = Vec::new();
    let mut solver = solver(position.rules());
    let summary = with_context(&unlimited(), |context| {
        solver.write_certificate(position, context, &mut text)
    });
    let summary = summary.expect("somebody wins");
    let text = String::from_utf8(text).expect("it is text");
    assert_eq!(check(&text), Ok(summary.decisions));
    text
}

#[test]
fn the_first_player_wins_with_every_first_move_under_every_equaliser_rule() {
    for rules in RULES {
        let mut solver = solver(rules);
        for first in ["c3", "b2", "c2", "a1", "b1", "c1"] {
            let position = after_first_move(rules, first);
            let class = with_context(&unlimited(), |context| solver.class(&position, context));
            assert_eq!(class, Some(ValueClass::Loss), "{first} under {rules:?}");
        }
        assert!(solver.table_bytes() <= 16 * MEGABYTE);
    }
}

#[test]
fn with_the_equaliser_the_centre_wins_in_15_plies_and_the_middle_of_a_side_in_19() {
    for rules in [Equaliser::Optional, Equaliser::Forced] {
        let mut solver = solver(rules);
        for (first, replies) in [("c3", 14), ("c1", 18)] {
            let position = after_first_move(rules, first);
            let value = value_within(&mut solver, &position, &unlimited()).expect("it is solved");
            assert_eq!(
                (value.class, value.plies),
                (ValueClass::Loss, Some(replies))
            );
        }
    }
}

/// The six first drops without the equaliser, in plies from the empty board; their class is the test above.
#[test]
fn wins_without_the_equaliser_take_13_or_15_plies() {
    let mut solver = solver(Equaliser::Off);
    let start = Delta::start(Equaliser::Off);
    let values = with_context(&unlimited(), |context| solver.values(&start, context));
    assert_eq!(values.len(), 25);
    for (mv, value) in values {
        let (column, row) = (mv.to % 5, mv.to / 5);
        let is_side_middle = matches!((column, row), (2, 0 | 4) | (0 | 4, 2));
        let expected = if is_side_middle { 13 } else { 15 };
        let value = value.expect("it is solved");
        assert_eq!(value.class, ValueClass::Win);
        assert_eq!(value.plies, Some(expected), "{mv:?}");
    }
    let value = value_within(&mut solver, &start, &unlimited()).expect("it is solved");
    assert_eq!((value.class, value.plies), (ValueClass::Win, Some(13)));
    let line = with_context(&unlimited(), |context| solver.best_line(&start, context));
    assert_eq!(line.len(), 13);
    let end = line.into_iter().fold(start, |mut position, mv| {
        position.play(mv);
        position
    });
    assert_eq!(end.outcome(), Some(Outcome::Win(Player::First)));
}

#[test]
fn short_wins_are_those_of_a_plain_search() {
    let mut rng = Rng::new(11);
    for rules in RULES {
        let mut solver = solver(rules);
        for position in random_endings::<Delta>(rules, 8, 700, &mut rng) {
            let plies = if position.is_pick_up() { 1 } else { 3 };
            assert_forced_wins_found(&mut solver, &position, plies, 3_000);
        }
    }
}

/// The same board one or two plies before the last.
fn near_the_last_ply(position: &Delta) -> Delta {
    let text = position_text(position);
    let (board, _) = text.rsplit_once(' ').expect("plies stand last");
    let ply = MAX_PLIES - 1 - (position.ply() + 1) % 2;
    read_position(position.rules(), &format!("{board} {ply}")).expect("the same side is to move")
}

/// Positions of the pick-up phase just before the 200th ply, where plain minimax sees the end.
#[test]
fn near_the_last_ply_values_are_those_of_minimax_draws_included() {
    let mut rng = Rng::new(5);
    let mut solver = solver(Equaliser::Optional);
    let mut classes = [0; 3];
    for position in random_endings::<Delta>(Equaliser::Optional, 12, 4_000, &mut rng) {
        if !position.is_pick_up() {
            continue;
        }
        let late = near_the_last_ply(&position);
        let (expected, _) = minimax(&late, &mut 1_000_000).expect("it is near");
        let value = value_within(&mut solver, &late, &unlimited()).expect("it is solved");
        assert_eq!(value.class, expected, "{late:?}");
        classes[expected as usize] += 1;
    }
    assert!(classes.iter().all(|&count| count > 10), "{classes:?}");
}

#[test]
fn images_have_the_same_value() {
    let mut rng = Rng::new(3);
    for position in random_endings::<Delta>(Equaliser::Optional, 9, 150, &mut rng) {
        let values = Delta::SYMMETRIES.iter().map(|&symmetry| {
            let image = position.image(symmetry);
            let mut solver = solver(Equaliser::Optional);
            value_within(&mut solver, &image, &node_limit(20_000))
        });
        let mut values: Vec<_> = values.flatten().collect();
        values.dedup();
        assert!(values.len() <= 1, "{position:?}: {values:?}");
    }
}

#[test]
fn limits_are_kept_and_what_was_learnt_stays() {
    let position = after_first_move(Equaliser::Optional, "c3");
    let mut solver = solver(Equaliser::Optional);
    assert_eq!(
        value_within(&mut solver, &position, &node_limit(5_000)),
        None
    );
    assert!((5_000..5_100).contains(&solver.nodes()));
    let mut asked = 0;
    while with_context(&node_limit(5_000), |context| {
        solver.class(&position, context)
    })
    .is_none()
    {
        asked += 1;
        assert!(asked < 200, "every question brings it nearer");
    }
    assert!(asked > 1);

    solver.clear();
    let start = Delta::start(Equaliser::Optional);
    assert_eq!(with_stop(|context| solver.value(&start, context)), None);
    assert!(solver.nodes() < 100);
}

#[test]
fn the_table_stays_within_the_memory_and_values_are_the_same_in_little() {
    let position = after_first_move(Equaliser::Off, "c1");
    let mut values = Vec::new();
    for memory in [0, 100_000, MEGABYTE, 64 * MEGABYTE] {
        let mut solver = DeltaSolver::new(Equaliser::Off, memory);
        values.push(value_within(&mut solver, &position, &unlimited()));
        assert!(solver.table_bytes() <= memory.max(4096), "{memory}");
    }
    values.dedup();
    assert_eq!(values.len(), 1, "{values:?}");
}

#[test]
fn certificates_of_the_first_moves_pass_the_checker() {
    for (rules, first) in [(Equaliser::Off, "c1"), (Equaliser::Optional, "c3")] {
        let text = certificate_of(&after_first_move(rules, first));
        assert!(text.contains("\nclaim p1win\n"));
        assert!(text.lines().count() < 10_000);
    }
}

/// A win that needs the pick-up phase, and one of the player to move.
#[test]
fn certificates_of_endings_pass_the_checker() {
    let mut rng = Rng::new(17);
    let mut solver = solver(Equaliser::Optional);
    let (mut in_pick_up, mut second_wins) = (0, 0);
    for position in random_endings::<Delta>(Equaliser::Optional, 6, 400, &mut rng) {
        let value = value_within(&mut solver, &position, &node_limit(3_000));
        if value.is_none_or(|value| value.class == ValueClass::Draw) {
            continue;
        }
        let text = certificate_of(&position);
        in_pick_up += usize::from(position.is_pick_up());
        second_wins += usize::from(text.contains("claim p2win"));
    }
    assert!(
        in_pick_up > 5 && second_wins > 20,
        "{in_pick_up} {second_wins}"
    );
}

#[test]
fn a_damaged_certificate_is_refused() {
    let text = certificate_of(&after_first_move(Equaliser::Off, "c1"));
    let lines: Vec<&str> = text.lines().collect();
    let decisions = lines.len() - 5;
    let rejoin = |lines: &[String]| lines.join("\n") + "\n";
    let owned: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    assert_eq!(check(&rejoin(&owned)), Ok(decisions));
    let mut altered_and_refused = 0;
    for place in (5..lines.len()).step_by(decisions / 40) {
        // One decision less, announced as such.
        let mut shorter = owned.clone();
        shorter.remove(place);
        shorter[4] = format!("decisions {}", decisions - 1);
        assert!(check(&rejoin(&shorter)).is_err(), "{}", lines[place]);

        // Another move, after which the loser wins at once.
        let (position, _) = lines[place].split_once('\t').expect("a tab");
        let decided: Delta = read_position(Equaliser::Off, position).expect("a position");
        let mut moves = Vec::new();
        decided.legal_moves(&mut moves);
        let other = moves.into_iter().find(|&other| {
            let mut child = decided;
            child.play(other);
            forced_win(&child, child.to_move(), 1).is_some()
        });
        let Some(other) = other else { continue };
        let mut altered = owned.clone();
        let other = canopy_engine::games::notation::move_text(&decided, other);
        altered[place] = format!("{position}\t{other}");
        assert!(check(&rejoin(&altered)).is_err(), "{}", altered[place]);
        altered_and_refused += 1;
    }
    assert!(altered_and_refused > 5);
    for (line, wrong) in [
        (0, "canopy certificate 2"),
        (1, "game delta"),
        (1, "game go"),
        (3, "claim p2win"),
        (3, "claim draw"),
        (4, "decisions 1"),
    ] {
        let mut altered = owned.clone();
        altered[line] = wrong.to_owned();
        assert!(check(&rejoin(&altered)).is_err(), "{wrong}");
    }
}

#[test]
fn there_is_no_certificate_of_a_draw_or_beyond_the_limits() {
    let mut solver = solver(Equaliser::Optional);
    let mut out = Vec::new();
    let drawn = random_endings::<Delta>(Equaliser::Optional, 12, 200, &mut Rng::new(1))
        .iter()
        .filter(|position| position.is_pick_up())
        .map(near_the_last_ply)
        .find(|position| {
            minimax(position, &mut 1_000_000).is_some_and(|(class, _)| class == ValueClass::Draw)
        })
        .expect("there are draws");
    let refused = with_context(&unlimited(), |context| {
        solver.write_certificate(&drawn, context, &mut out)
    });
    assert!(
        matches!(refused, Err(CertificateError::Draw)),
        "{refused:?}"
    );
    let start = Delta::start(Equaliser::Optional);
    let refused = with_context(&node_limit(1_000), |context| {
        solver.write_certificate(&start, context, &mut out)
    });
    assert!(
        matches!(refused, Err(CertificateError::Unsolved)),
        "{refused:?}"
    );
    assert!(out.is_empty());
}
