//! What the solver's marks say of nodes of another game than connect four, beside looking at every line.

use std::collections::HashMap;

use canopy_engine::{
    explain::truth::Judgement,
    games::{self, Outcome, Playable, Visitor, notation},
    rng::Rng,
};
use canopy_viewer::{
    app::{App, NodeTruth, TruthMode},
    tree::model::TreeModel,
};
use egui::Key;

use crate::{pictures::grow_document, stage::Harness};

/// Half points for the first player at the end of a game played well: 2 for a win, 1 for a draw.
fn value_by_force<G: Playable>(position: &G, known: &mut HashMap<String, u32>) -> u32 {
    match position.outcome() {
        Some(Outcome::Win(winner)) => return if winner.index() == 0 { 2 } else { 0 },
        Some(Outcome::Draw) => return 1,
        None => {}
    }
    let text = notation::position_text(position);
    if let Some(&value) = known.get(&text) {
        return value;
    }
    let is_first = position.to_move().index() == 0;
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let values = moves.into_iter().map(|mv| {
        let mut next = position.clone();
        next.play(mv);
        value_by_force(&next, known)
    });
    let value = match is_first {
        true => values.max(),
        false => values.min(),
    };
    let value = value.expect("the game goes on");
    known.insert(text, value);
    value
}

/// A game by lot until so many plies before its end, as the moves that lead there.
struct LateMoves {
    seed: u64,
    before_end: usize,
}

impl Visitor for LateMoves {
    type Out = Vec<String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Vec<String> {
        let mut rng = Rng::new(self.seed);
        let mut position = G::start(rules);
        let mut moves = Vec::new();
        while let Some(mv) = position.random_move(&mut rng) {
            moves.push(notation::move_text(&position, mv));
            position.play(mv);
        }
        moves.truncate(moves.len().saturating_sub(self.before_end));
        moves
    }
}

/// Compares what is known of the nodes of the shown tree; tells how many.
struct CheckNodes<'a> {
    app: &'a App,
    model: &'a TreeModel,
    moves: &'a [String],
}

impl Visitor for CheckNodes<'_> {
    type Out = usize;

    fn visit<G: Playable>(self, rules: G::Rules) -> usize {
        let after = |more: &[&str]| {
            let mut position = G::start(rules);
            for text in self
                .moves
                .iter()
                .map(String::as_str)
                .chain(more.iter().copied())
            {
                position.play(position.parse_move(text).expect("a legal move"));
            }
            position
        };
        let mut known = HashMap::new();
        let mut checked = 0;
        for node in 1..self.model.len() {
            let NodeTruth::Known { winner, judgement } = self.app.node_truth(node) else {
                continue;
            };
            let moves = self.model.moves_to(node);
            let above = after(&moves[..moves.len() - 1]);
            let value = value_by_force(&after(&moves), &mut known);
            let told = winner.map_or(1, |player| if player.index() == 0 { 2 } else { 0 });
            assert_eq!(told, value, "{moves:?} after {:?}", self.moves);
            let best = value_by_force(&above, &mut known);
            let lost = match judgement.expect("all moves are solved") {
                Judgement::Loses(halves) => halves,
                Judgement::Best | Judgement::Keeps => 0,
            };
            assert_eq!(
                lost,
                best.abs_diff(value),
                "{moves:?} after {:?}",
                self.moves
            );
            let text = self.app.truth_text(node).expect("it is shown");
            assert_eq!(text.contains("away"), lost > 0, "{text}");
            assert_eq!(text.contains("draw"), value == 1, "{text}");
            checked += 1;
        }
        checked
    }
}

#[test]
fn marks_at_othello_agree_with_looking_at_every_line() {
    let mut checked = 0;
    for (game, seed, before_end) in [("othello", 2, 7), ("othello", 6, 7), ("othello", 9, 7)] {
        let moves = games::with_game(game, LateMoves { seed, before_end }).expect("a game");
        let mut stage = Harness::with_real_time();
        stage.app.own_engine_command = vec![
            crate::support::window::viewer().to_owned(),
            "engine".to_owned(),
        ];
        let document = grow_document(game, &moves, "uct", 300);
        stage.show_model("late.tree", TreeModel::new(document));
        // A dozen positions are enough; the others may be solved later.
        stage
            .press_key(Key::V)
            .wait_until("some are solved", |app| {
                let positions = app.dump()["truth"]["positions"].as_u64().unwrap_or(0);
                app.truth_mode() == TruthMode::Marks
                    && app.move_values(0).is_some()
                    && (app.truth_waiting() == 0 || positions >= 12)
            });
        let model = stage.app.document.model.clone().expect("a tree");
        let check = CheckNodes {
            app: &stage.app,
            model: &model,
            moves: &moves,
        };
        let nodes = games::with_game(game, check).expect("a game");
        assert!(nodes > 0, "{game}, seed {seed}");
        checked += nodes;
    }
    assert!(checked > 30, "{checked} nodes");
}

#[test]
fn a_node_that_nobody_asked_about_says_so() {
    let mut stage = Harness::dark();
    let document = grow_document("connect-four", &[], "uct", 300);
    stage.show_model("start.tree", TreeModel::new(document));
    assert_eq!(stage.app.truth_text(1), None, "the marks are off");
    // Without an engine nothing is solved.
    stage.app.own_engine_command = vec!["/does/not/exist".to_owned()];
    stage.press_key(Key::V);
    let last = stage
        .app
        .document
        .model
        .as_ref()
        .map_or(0, |model| model.len() - 1);
    assert_eq!(stage.app.truth_text(last).as_deref(), Some("not asked"));
    stage.wait_until("the engine is missed", |app| {
        app.truth_text(1).as_deref() == Some("not solved")
    });
    stage.app.navigation.selected = Some(1);
    stage.draw_frame();
    assert!(stage.has_control("Truth: not solved"));
}
