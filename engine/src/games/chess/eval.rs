//! Evaluation of chess: material, and report 000's curve from material to reward.

use std::sync::LazyLock;

use cozy_chess::{Color, Piece};

use super::{Chess, tapered};
use crate::games::{Evaluate, evaluate::Evaluation, linear::FittedEvaluation};

const PIECE_VALUES: [(Piece, i32); 5] = [
    (Piece::Pawn, 1),
    (Piece::Knight, 3),
    (Piece::Bishop, 3),
    (Piece::Rook, 5),
    (Piece::Queen, 9),
];
/// Material of a side at the start, in pawns; the reward curve is clamped there.
const MAX_MATERIAL: i32 = 39;
/// Report 000's divisor of the material.
const SOFTNESS: i32 = 4;

impl Evaluate for Chess {
    const EVALUATIONS: &'static [Evaluation<Self>] = &[
        Evaluation {
            name: "material",
            help: "Pawn 100, knight and bishop 300, rook 500, queen 900.",
            parameters: &[],
            function: |position, _| {
                let side = position.board.side_to_move();
                100 * (material(position, side) - material(position, !side))
            },
            player_function: None,
        },
        Evaluation {
            name: "tapered",
            help: "Material, squares, mobility, pawns, threats and kings' safety, from a middle game to an end game.",
            parameters: &[],
            function: |position, _| tapered::value(position),
            player_function: None,
        },
        Evaluation::outcome_only(),
        Evaluation::random(),
    ];

    const FITTED: Option<FittedEvaluation<Self>> = Some(tapered::FITTED);

    /// Report 000's arctangent of the material ahead, each side counting 39 at most.
    #[inline]
    fn cutoff_reward(&self) -> f64 {
        let [white, black] =
            [Color::White, Color::Black].map(|side| material(self, side).min(MAX_MATERIAL));
        REWARDS[(white - black + MAX_MATERIAL) as usize]
    }
}

fn material(position: &Chess, side: Color) -> i32 {
    PIECE_VALUES
        .iter()
        .map(|&(piece, value)| value * position.board.colored_pieces(side, piece).len() as i32)
        .sum()
}

/// Report 000's reward by material difference in pawns, -39 to 39.
static REWARDS: LazyLock<[f64; 2 * MAX_MATERIAL as usize + 1]> =
    LazyLock::new(|| std::array::from_fn(|index| reward(index as i32 - MAX_MATERIAL, SOFTNESS)));

fn reward(ahead: i32, softness: i32) -> f64 {
    // libm's arctangent, not the platform's: the same bits on every machine.
    0.3 * (libm::atan(f64::from(ahead) / f64::from(softness)) * std::f64::consts::FRAC_2_PI + 1.0)
        + 0.2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game as _, notation::read_position};

    #[test]
    fn the_reward_curve_has_the_published_values() {
        for (ahead, published) in [
            (0, 0.5),
            (1, 0.546787),
            (3, 0.622900),
            (5, 0.671134),
            (9, 0.720125),
            (39, 0.780480),
        ] {
            assert!(
                (reward(ahead, SOFTNESS) - published).abs() < 5e-7,
                "{ahead}: {}",
                reward(ahead, SOFTNESS)
            );
            assert!((reward(ahead, SOFTNESS) + reward(-ahead, SOFTNESS) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn rewards_are_the_first_players_and_values_the_movers() {
        let lost: Chess = read_position(Default::default(), "4k3/8/8/8/8/8/8/3QK3 b - -").unwrap();
        assert!((lost.cutoff_reward() - 0.720125).abs() < 5e-7);
        assert_eq!(Chess::EVALUATIONS[0].value(&lost), -900);
        assert_eq!(Chess::start(Default::default()).cutoff_reward(), 0.5);
    }

    #[test]
    fn each_side_is_capped_at_what_it_starts_with() {
        let rich: Chess =
            read_position(Default::default(), "4k3/8/8/8/8/8/QQQ1P3/QQQ1K3 w - - 0 1").unwrap();
        assert!((rich.cutoff_reward() - 0.780480).abs() < 5e-7);
    }
}
