//! The player to move at each node, or the result there.

use canopy_engine::{
    games::{Outcome, Player},
    tree::{Tree, meta::Meta},
};

/// The player to move at a node, or the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// The first player.
    First,
    /// The second player.
    Second,
    /// The game is over: the first player won.
    FirstWins,
    /// The game is over: the second player won.
    SecondWins,
    /// The game is over: drawn.
    Draw,
}

impl NodeState {
    /// Whether the node is drawn in the first player's colour: the player to move, or the winner.
    pub fn is_first(self) -> bool {
        matches!(self, Self::First | Self::FirstWins)
    }

    /// Whether the game is over there.
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::First | Self::Second)
    }
}

/// The player to move, or the result, at each row: as the states say, as the players of children's moves say, or in turns.
pub(super) fn node_states(tree: &Tree, meta: Option<&Meta>) -> Vec<NodeState> {
    let root_is_second = meta.is_some_and(|meta| meta.to_move == 2);
    let nodes = tree.nodes();
    let mut deciders: Vec<NodeState> = Vec::with_capacity(nodes.len());
    for (row, node) in nodes.iter().enumerate() {
        let state = tree.state(row);
        let word = state.split(' ').next().unwrap_or("");
        let said = match (word, Outcome::parse(word)) {
            ("p1", _) => Some(NodeState::First),
            ("p2", _) => Some(NodeState::Second),
            (_, Some(Outcome::Win(Player::First))) => Some(NodeState::FirstWins),
            (_, Some(Outcome::Win(Player::Second))) => Some(NodeState::SecondWins),
            (_, Some(Outcome::Draw)) => Some(NodeState::Draw),
            _ => parse_foreign_state(tree, row, state),
        };
        let decider = said.unwrap_or_else(|| {
            let is_first = match row {
                0 => !root_is_second,
                _ => !deciders[node.parent as usize].is_first(),
            };
            if is_first {
                NodeState::First
            } else {
                NodeState::Second
            }
        });
        deciders.push(decider);
    }
    deciders
}

/// The player to move at a node of another program's tree, as far as its texts say.
fn parse_foreign_state(tree: &Tree, row: usize, state: &str) -> Option<NodeState> {
    let of_number = |text: &str| match text.trim_start().chars().next()? {
        '1' => Some(NodeState::First),
        '2' => Some(NodeState::Second),
        _ => None,
    };
    if let Some((_, number)) = state.split_once("Current player:") {
        return of_number(number);
    }
    let node = &tree.nodes()[row];
    if node.children == 0 {
        return None;
    }
    // The first child's move names who makes it.
    let mv = tree.move_name(row + 1);
    if mv.starts_with("white ") {
        Some(NodeState::First)
    } else if mv.starts_with("black ") {
        Some(NodeState::Second)
    } else if let Some(number) = mv.strip_prefix("Player ") {
        of_number(number)
    } else {
        let (inside, number) = mv.strip_prefix('[')?.split_once(']')?;
        (!inside.is_empty()).then(|| of_number(number)).flatten()
    }
}
