//! One iteration of a journal as text: the moves to its leaf, and those of its playout.

use super::{
    super::{replay::GrowthReplay, snapshot},
    rows::iteration_codes,
};
use crate::{
    games::{MoveCode, Outcome, Playable, Visitor, notation},
    search::TreeView as _,
};

/// What a journal says of one iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationRecord {
    /// The moves from the root to the leaf, selection and expansion, as they are written.
    pub path: Vec<String>,
    /// The moves of the playout from the leaf on; none if they are not recorded, or there was no playout.
    pub playout: Option<Vec<String>>,
    /// The reward for the first player, from 0 to 1.
    pub reward: f64,
    /// The result of the game at the end of these moves; none if it was not played to its end. Draws by repetition are not
    /// seen here.
    pub outcome: Option<Outcome>,
}

/// Reads an iteration, which needs the type of the game.
pub(super) struct ReadIteration<'a> {
    pub(super) replay: &'a GrowthReplay,
    pub(super) position: &'a str,
    /// Its number, from 0.
    pub(super) iteration: u32,
    /// The codes of its playout, in the leaf's frame.
    pub(super) playout: Option<Vec<MoveCode>>,
}

impl Visitor for ReadIteration<'_> {
    type Out = Result<Option<IterationRecord>, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let root: G =
            notation::read_position(rules, self.position).map_err(|error| error.to_string())?;
        let index = self.iteration as usize;
        let (Some(reward), Some(codes)) = (
            self.replay.reward_of(index),
            iteration_codes(self.replay, index),
        ) else {
            return Ok(None);
        };
        let view = self.replay.view(&root);
        let mut position = root.clone();
        let mut path = Vec::new();
        for code in codes {
            let frame = view.frame(&position);
            let mv = snapshot::to_board_move(&position, frame, G::move_from_bits(code));
            path.push(play(&mut position, mv)?);
        }
        // The leaf's frame stays that of the playout.
        let frame = view.frame(&position);
        let playout: Option<Result<Vec<String>, String>> = self.playout.map(|codes| {
            let read = |code| {
                let mv = snapshot::to_board_move(&position, frame, G::move_from_bits(code));
                play(&mut position, mv)
            };
            codes.into_iter().map(read).collect()
        });
        let playout = playout.transpose()?;
        let inverted = view.frame(&root).inverted;
        Ok(Some(IterationRecord {
            path,
            playout,
            reward: if inverted { 1.0 - reward } else { reward },
            outcome: position.outcome(),
        }))
    }
}

/// Plays a move that was found legal; its text.
fn play<G: Playable>(position: &mut G, mv: Option<G::Move>) -> Result<String, String> {
    let mv = mv.ok_or("an iteration goes along a move that the rules do not allow")?;
    let text = notation::move_text(position, mv);
    position.play(mv);
    Ok(text)
}
