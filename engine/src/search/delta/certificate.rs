//! Certificates: a strategy of the winner against every reply, as text that a program knowing only the rules can check.
//!
//! ```text
//! canopy certificate 1
//! game delta
//! root 5/5/5/5/5 b 0
//! claim p1win
//! decisions 2
//! 5/5/2*2/4o/5 b 2<TAB>c3a1
//! ...
//! ```
//!
//! The header names the game with its variant, the root, the winner as in [`Outcome::as_str`], and the number of lines that
//! follow. Each line is a decision: a position with the winner to move, and its move. The lines are sorted by position. Of the
//! images of a position under the board's symmetries only one is listed, and its move is to be seen through the same symmetry.
//! Positions in which a move of the winner ends the game with its win are not listed: that move is the decision.
//!
//! The certificate proves its claim: from the root on, whatever the loser plays, the winner's move leads to a position whose every
//! reply is again decided, or to a win; and play ends, for the number of stones grows until all are on the board, and from there
//! on the moves are those of a quickest win, so that no position recurs. A checker finds the latter by comparing the longest lines
//! from equal boards: if they are equally long, no board can recur.

use std::{collections::HashMap, io};

use super::{prover::Interrupted, solver::DeltaSolver};
use crate::{
    games::{
        Game as _, Outcome, Symmetric as _,
        delta::{Delta, Slide},
        notation::{full_name, move_text, position_text},
    },
    search::exact::{SolveContext, ValueClass},
};

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// Nobody wins.
    #[error("the position is a draw: expected one that a side wins")]
    Draw,
    /// The limits were reached.
    #[error("the limits were reached before the certificate was complete: raise them")]
    Unsolved,
    /// Writing failed.
    #[error("the certificate cannot be written: {0}")]
    Io(#[from] io::Error),
}

impl From<Interrupted> for CertificateError {
    fn from(Interrupted: Interrupted) -> Self {
        Self::Unsolved
    }
}

/// What a certificate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateSummary {
    /// The claim.
    pub outcome: Outcome,
    /// Positions in which the winner decides, up to symmetry, without those in which it wins at once.
    pub decisions: usize,
}

impl DeltaSolver {
    /// Writes a strategy that wins `position` for the side that wins it.
    pub fn write_certificate(
        &mut self,
        position: &Delta,
        context: &mut SolveContext<'_>,
        out: &mut dyn io::Write,
    ) -> Result<CertificateSummary, CertificateError> {
        let mover = position.to_move();
        let winner = match self.class(position, context) {
            Some(ValueClass::Win) => mover,
            Some(ValueClass::Loss) => mover.opponent(),
            Some(ValueClass::Draw) => return Err(CertificateError::Draw),
            None => return Err(CertificateError::Unsolved),
        };
        let mut strategy = Strategy {
            solver: self,
            moves: HashMap::new(),
            pending: Vec::new(),
        };
        if position.outcome().is_none() {
            if winner == mover {
                let open = (!wins_at_once(position)).then(|| canonical(position));
                strategy.pending.extend(open);
            } else {
                strategy.add_replies(position);
            }
        }
        strategy.complete(context)?;
        let mut lines: Vec<String> = (strategy.moves.iter())
            .map(|(position, &mv)| {
                format!("{}\t{}", position_text(position), move_text(position, mv))
            })
            .collect();
        lines.sort_unstable();
        let outcome = Outcome::Win(winner);
        writeln!(out, "canopy certificate 1")?;
        writeln!(out, "game {}", full_name::<Delta>(position.rules()))?;
        writeln!(out, "root {}", position_text(position))?;
        writeln!(out, "claim {}", outcome.as_str())?;
        writeln!(out, "decisions {}", lines.len())?;
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        Ok(CertificateSummary {
            outcome,
            decisions: lines.len(),
        })
    }
}

/// A strategy under construction.
struct Strategy<'a> {
    solver: &'a mut DeltaSolver,
    /// The decisions, by canonical position.
    moves: HashMap<Delta, Slide>,
    /// Canonical positions that may still be to be decided.
    pending: Vec<Delta>,
}

impl Strategy<'_> {
    fn complete(&mut self, context: &mut SolveContext<'_>) -> Result<(), CertificateError> {
        while let Some(position) = self.pending.pop() {
            if self.moves.contains_key(&position) {
                continue;
            }
            let mv = self.winning_move(&position, context)?;
            self.moves.insert(position, mv);
            let mut child = position;
            child.play(mv);
            self.add_replies(&child);
        }
        Ok(())
    }

    /// A move that wins, of a position that is won: of those the one after which the fewest positions are still to be decided.
    fn winning_move(
        &mut self,
        position: &Delta,
        context: &mut SolveContext<'_>,
    ) -> Result<Slide, CertificateError> {
        let plies = self.solver.sufficient_plies(position, context)?;
        let mut candidates: Vec<(usize, Slide, Delta)> = children(position)
            .map(|(mv, child)| {
                let undecided = open_replies(&child)
                    .iter()
                    .filter(|reply| !self.moves.contains_key(reply))
                    .count();
                (undecided, mv, child)
            })
            .collect();
        candidates.sort_unstable_by_key(|&(undecided, mv, _)| (undecided, mv));
        for (_, mv, child) in candidates {
            if self.solver.prove(&child, false, plies - 1, context)? {
                return Ok(mv);
            }
        }
        Err(CertificateError::Unsolved)
    }

    /// The positions that the loser's moves lead to must be decided.
    fn add_replies(&mut self, position: &Delta) {
        self.pending.extend(open_replies(position));
    }
}

fn children(position: &Delta) -> impl Iterator<Item = (Slide, Delta)> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let position = *position;
    moves.into_iter().map(move |mv| {
        let mut child = position;
        child.play(mv);
        (mv, child)
    })
}

/// The canonical positions after every move, each once, but those in which the next move wins.
fn open_replies(position: &Delta) -> Vec<Delta> {
    let mut replies: Vec<Delta> = (children(position))
        .filter(|(_, child)| !wins_at_once(child))
        .map(|(_, child)| canonical(&child))
        .collect();
    replies.sort_unstable_by_key(Delta::stones);
    replies.dedup();
    replies
}

/// Whether a move of the player to move ends the game with its win.
fn wins_at_once(position: &Delta) -> bool {
    let win = Some(Outcome::Win(position.to_move()));
    children(position).any(|(_, child)| child.outcome() == win)
}

/// The image of a position whose stones are the smallest numbers.
fn canonical(position: &Delta) -> Delta {
    let images = (Delta::SYMMETRIES.iter()).map(|&symmetry| position.image(symmetry));
    images.min_by_key(Delta::stones).unwrap_or(*position)
}
