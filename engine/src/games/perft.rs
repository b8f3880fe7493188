//! Perft: the number of lines of play of exactly N plies. A line that ends early is not counted at greater depths.

use super::SearchHints;

/// The number of lines of exactly `depth` plies from `position`. Draws that are declared rather than played
/// (repetition, 50 moves, insufficient material) are not looked at.
pub fn perft<G: SearchHints>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.perft_count(),
        _ => divide(position, depth)
            .into_iter()
            .map(|(_, count)| count)
            .sum(),
    }
}

/// [`perft`], split by first move; `depth` must not be 0.
pub fn divide<G: SearchHints>(position: &G, depth: u32) -> Vec<(G::Move, u64)> {
    // One list of moves per level, filled again and again.
    let mut buffers = vec![Vec::new(); depth as usize];
    let mut moves = Vec::new();
    position.perft_moves(&mut moves);
    moves
        .into_iter()
        .map(|mv| {
            let mut child = position.clone();
            child.play(mv);
            (mv, count_paths(&child, &mut buffers[1..]))
        })
        .collect()
}

/// [`divide`] that calls `report` with each move's count, and is given up, with none, once `should_stop` returns true; it is
/// asked every few thousand positions. Returns the sum of all counts.
pub fn divide_until<G: SearchHints>(
    position: &G,
    depth: u32,
    should_stop: &dyn Fn() -> bool,
    mut report: impl FnMut(G::Move, u64),
) -> Option<u64> {
    let mut moves = Vec::new();
    position.perft_moves(&mut moves);
    let mut total = 0;
    for mv in moves {
        let mut child = position.clone();
        child.play(mv);
        let count = perft_until(&child, depth - 1, should_stop)?;
        report(mv, count);
        total += count;
    }
    Some(total)
}

/// [`perft`] that is given up, with none, once `should_stop` returns true.
fn perft_until<G: SearchHints>(
    position: &G,
    depth: u32,
    should_stop: &dyn Fn() -> bool,
) -> Option<u64> {
    // Subtrees of this depth are counted between two checks for a stop.
    const MAX_UNINTERRUPTED_DEPTH: u32 = 2;
    if depth <= MAX_UNINTERRUPTED_DEPTH {
        return (!should_stop()).then(|| perft(position, depth));
    }
    divide_until(position, depth, should_stop, |_, _| ())
}

fn count_paths<G: SearchHints>(position: &G, buffers: &mut [Vec<G::Move>]) -> u64 {
    let Some((moves, deeper)) = buffers.split_first_mut() else {
        return 1;
    };
    if deeper.is_empty() {
        return position.perft_count();
    }
    position.perft_moves(moves);
    let mut total = 0;
    for &mv in moves.iter() {
        let mut child = position.clone();
        child.play(mv);
        total += count_paths(&child, deeper);
    }
    total
}
