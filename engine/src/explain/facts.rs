//! What a tree says about the moves of its root.

use super::{ExplainError, readings::read_line};
use crate::{
    games::{self, GameFacts, Outcome, Player},
    search::Bound,
    tree::{Tree, TreeNode, columns::Columns, extra::Extra, meta::Meta},
};

/// Moves of an expected line.
const MAX_LINE: usize = 64;
/// Upper bound of nodes looked at for a bound.
const MAX_BOUND_NODES: usize = 1_000;

/// What a move is worth to the side to move at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MoveValue {
    /// Nobody knows: it was never tried.
    Unknown,
    /// Share of playouts won, draws counting half.
    Share {
        /// From 0 to 1.
        share: f64,
        /// Playouts.
        visits: u64,
    },
    /// An evaluation in the game's units.
    Points {
        /// Positive if the side to move at the root is ahead.
        points: f64,
        /// Whether it is the value itself.
        bound: Bound,
    },
    /// A proven result: the winner, none for a draw.
    Proven(Option<Player>),
}

/// The next move that a search expects after a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Its row.
    pub row: usize,
    /// As people read it.
    pub text: String,
    /// Who makes it.
    pub player: Player,
    /// How often it was tried, and all moves there; of classical searches the nodes searched.
    pub visits: u64,
    /// Visits of all moves in its place.
    pub of: u64,
    /// What it leads to, for the side to move at the root.
    pub value: MoveValue,
    /// Moves in its place that were cut off.
    pub cut: u64,
}

/// What the tree says about one move of the root.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveFacts {
    /// Its row.
    pub row: usize,
    /// As the file has it.
    pub name: String,
    /// As people read it.
    pub text: String,
    /// Visits; of classical searches the nodes searched.
    pub visits: u64,
    /// Visits of all moves of the root.
    pub of: u64,
    /// What it is worth.
    pub value: MoveValue,
    /// The answer that the search expects; none if it has looked no further.
    pub reply: Option<Reply>,
    /// The expected line, this move first, as the file has it.
    pub line: Vec<String>,
    /// The same as people read it.
    pub line_texts: Vec<String>,
}

impl MoveFacts {
    /// Its part of all visits, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.visits as f64 / self.of.max(1) as f64
    }
}

/// A tree with what is needed to read it.
pub struct SearchFacts<'a> {
    tree: &'a Tree,
    pub(super) meta: &'a Meta,
    extra: Option<&'a [Extra]>,
    columns: Option<&'a Columns>,
    sizes: Vec<u32>,
    pub(super) game: Option<&'static GameFacts>,
}

impl<'a> SearchFacts<'a> {
    /// Reads a tree; fails without a sidecar that names the game.
    pub fn new(
        tree: &'a Tree,
        meta: Option<&'a Meta>,
        extra: Option<&'a [Extra]>,
    ) -> Result<Self, ExplainError> {
        let meta = (meta.filter(|meta| !meta.game.is_empty())).ok_or(ExplainError::NoSidecar)?;
        Ok(Self {
            tree,
            meta,
            extra,
            columns: None,
            sizes: tree.subtree_sizes(),
            game: games::facts_of(&meta.game),
        })
    }

    /// The same with the columns beside the tree, which tell of classical searches why moves were cut off.
    pub fn with_columns(self, columns: Option<&'a Columns>) -> Self {
        Self { columns, ..self }
    }

    /// Why the moves after a row were not all searched, in a few words; none where the columns do not say.
    pub(super) fn cut_reason(&self, row: usize) -> Option<&'static str> {
        match self.columns?.find("cut")?.value(row) as i64 {
            1 => Some("beta cutoff"),
            2 => Some("value from the table"),
            3 => Some("null move"),
            4 => Some("reduction"),
            5 => Some("quiescence"),
            _ => None,
        }
    }

    /// How many plies were looked ahead after a row; none where the columns do not say.
    pub(super) fn searched_depth(&self, row: usize) -> Option<u64> {
        let depth = self.columns?.find("depth")?.value(row);
        (depth >= 0.0).then_some(depth as u64)
    }

    /// Whether the search looks ahead to a depth and chooses by value instead of by playouts.
    pub fn is_classical(&self) -> bool {
        let parameters = &self.meta.parameters;
        parameters.contains_key("depth") && !parameters.contains_key("select")
    }

    /// The side whose values are told: that to move at the root.
    pub fn owner(&self) -> Player {
        match self.meta.to_move {
            2 => Player::Second,
            _ => Player::First,
        }
    }

    fn node(&self, row: usize) -> Option<&TreeNode> {
        self.tree.nodes().get(row)
    }

    /// The move into a row, as the file has it.
    pub fn name(&self, row: usize) -> &'a str {
        match row < self.tree.nodes().len() {
            true => self.tree.move_name(row),
            false => "",
        }
    }

    pub(super) fn visits(&self, row: usize) -> u64 {
        self.node(row)
            .map_or(0, |node| u64::try_from(node.visits).unwrap_or(0))
    }

    /// The rows of a node's moves, in the order of the file.
    pub fn children(&self, row: usize) -> Vec<usize> {
        match row < self.tree.nodes().len() {
            true => self.tree.children(row, &self.sizes).collect(),
            false => Vec::new(),
        }
    }

    /// The row in which a shared node is expanded; the row itself where it is not shared. None if that is seen from another side.
    fn expanded(&self, row: usize) -> Option<usize> {
        let Some(number) = self.tree.state(row).strip_prefix('=') else {
            return Some(row);
        };
        let is = |name: &str, plain: &str| {
            let value = self.meta.parameters.get(name);
            value.is_none_or(|value| value == plain)
        };
        let is_same_frame = is("symmetry", "none") && is("invert_colours", "false");
        let row = number.parse::<usize>().ok()?.checked_sub(1)?;
        (is_same_frame && row < self.tree.nodes().len()).then_some(row)
    }

    /// Who is to move at a row; where the file does not say, the sides alternate.
    pub fn mover(&self, row: usize) -> Player {
        if row == 0 {
            return self.owner();
        }
        let place = self.expanded(row).unwrap_or(row);
        match self.tree.state(place).split(' ').next() {
            Some("p1") => Player::First,
            Some("p2") => Player::Second,
            _ => self.maker(row).opponent(),
        }
    }

    /// Who made the move into a row.
    fn maker(&self, row: usize) -> Player {
        match self.node(row) {
            Some(node) if (node.parent as usize) < row => self.mover(node.parent as usize),
            _ => self.owner(),
        }
    }

    /// The result of a row that is certain.
    fn proven(&self, row: usize) -> Option<Outcome> {
        let word = self.tree.state(row).split(' ').next().unwrap_or_default();
        let told = self.extra.and_then(|all| all.get(row));
        Outcome::parse(word).or_else(|| told.and_then(|extra| extra.proven))
    }

    /// What a row is worth to the side to move at the root.
    pub fn value(&self, row: usize) -> MoveValue {
        match self.proven(row) {
            Some(Outcome::Win(winner)) => return MoveValue::Proven(Some(winner)),
            Some(Outcome::Draw) => return MoveValue::Proven(None),
            None => {}
        }
        let Some(node) = self.node(row).filter(|node| node.visits > 0) else {
            return MoveValue::Unknown;
        };
        if !(0.0..=1.0).contains(&node.mean) {
            return MoveValue::Unknown;
        }
        let (owner, maker) = (self.owner(), self.maker(row));
        let share = match maker == owner {
            true => node.mean,
            false => 1.0 - node.mean,
        };
        if !self.is_classical() {
            let visits = self.visits(row);
            return MoveValue::Share { share, visits };
        }
        match share {
            1.0 => MoveValue::Proven(Some(owner)),
            0.0 => MoveValue::Proven(Some(owner.opponent())),
            // Files have 0.5 + 0.5 v / (|v| + 200) for v hundredths of a point.
            _ => {
                if let Some((points, bound)) = self.column_value(row) {
                    return match maker == owner {
                        true => MoveValue::Points { points, bound },
                        false => MoveValue::Points {
                            points: -points,
                            bound: bound.reversed(),
                        },
                    };
                }
                let part = 2.0 * share - 1.0;
                let bound = self.bound(row, &mut { MAX_BOUND_NODES });
                let bound = match self.mover(row) == owner {
                    true => bound,
                    false => bound.reversed(),
                };
                let points = 2.0 * part / (1.0 - part.abs());
                MoveValue::Points { points, bound }
            }
        }
    }

    /// The value of a row for the player who made the move, and what it is, where the columns have them.
    fn column_value(&self, row: usize) -> Option<(f64, Bound)> {
        let value = self.columns?.find("value")?.value(row);
        let bound = Bound::from_code(self.columns?.find("bound")?.value(row));
        // Columns have hundredths of a point.
        value.is_finite().then_some((value / 100.0, bound))
    }

    /// What the value of a classical search's row is for the side to move there: where moves were cut off it is at least what was
    /// found; where the best move's value is a bound, so is the row's.
    fn bound(&self, row: usize, budget: &mut usize) -> Bound {
        let rows = self.children(row);
        if rows.iter().any(|&row| self.visits(row) == 0) {
            return Bound::AtLeast;
        }
        if rows.is_empty() || *budget < rows.len() {
            return Bound::Exact;
        }
        *budget -= rows.len();
        let mean = |row: usize| self.node(row).map_or(f64::NEG_INFINITY, |node| node.mean);
        let best = rows
            .iter()
            .map(|&row| mean(row))
            .fold(f64::NEG_INFINITY, f64::max);
        let mut found = None;
        for row in rows.into_iter().filter(|&row| mean(row) == best) {
            let is_same_side = self.node(row).map(|node| self.mover(node.parent as usize))
                == Some(self.mover(row));
            let bound = self.bound(row, budget);
            match if is_same_side {
                bound
            } else {
                bound.reversed()
            } {
                // One exact value among equals is enough.
                Bound::Exact => return Bound::Exact,
                bound => found = found.or(Some(bound)),
            }
        }
        found.unwrap_or_default()
    }

    /// The move that the search expects at a row: the most visited, of a classical search the best for the side to move. Of equals
    /// the first.
    pub(super) fn best_child(&self, row: usize) -> Option<usize> {
        let children = self.children(row).into_iter();
        let tried = children.filter(|&child| self.visits(child) > 0);
        tried.reduce(|best, other| {
            let is_better = match self.is_classical() {
                true => {
                    self.node(other).map(|node| node.mean) > self.node(best).map(|node| node.mean)
                }
                false => self.visits(other) > self.visits(best),
            };
            if is_better { other } else { best }
        })
    }

    /// The rows of the expected line from a row on, that row first.
    fn expected_rows(&self, row: usize) -> Vec<usize> {
        let mut rows = vec![row];
        let mut at = Some(row);
        while let Some(best) = at
            .and_then(|row| self.expanded(row))
            .and_then(|row| self.best_child(row))
            .filter(|_| rows.len() < MAX_LINE)
        {
            rows.push(best);
            at = Some(best);
        }
        rows
    }

    fn texts(&self, rows: &[usize]) -> (Vec<String>, Vec<String>) {
        let names: Vec<String> = rows
            .iter()
            .map(|&row| self.tree.move_name(row).to_owned())
            .collect();
        let texts = read_line(&self.meta.game, &self.meta.position, &names);
        (names, texts)
    }

    /// Everything about one move of the root.
    pub fn move_facts(&self, row: usize) -> MoveFacts {
        let rows = self.expected_rows(row);
        let (line, line_texts) = self.texts(&rows);
        let total = |row: usize| -> u64 {
            let children = self.children(row);
            children.iter().map(|&child| self.visits(child)).sum()
        };
        let reply = rows.get(1).map(|&reply| {
            let above = self.node(reply).map_or(0, |node| node.parent as usize);
            let untried = |&&child: &&usize| self.visits(child) == 0;
            Reply {
                row: reply,
                text: line_texts.get(1).cloned().unwrap_or_default(),
                player: self.mover(above),
                visits: self.visits(reply),
                of: total(above),
                value: self.value(reply),
                cut: self.children(above).iter().filter(untried).count() as u64,
            }
        });
        MoveFacts {
            row,
            name: line.first().cloned().unwrap_or_default(),
            text: line_texts.first().cloned().unwrap_or_default(),
            visits: self.visits(row),
            of: total(0),
            value: self.value(row),
            reply,
            line,
            line_texts,
        }
    }

    /// The rows of the root's moves, the chosen one first, then the best: by visits, of a classical search by value.
    pub fn ranked_moves(&self) -> Vec<usize> {
        let mut rows = self.children(0);
        let mean = |row: usize| match self.node(row) {
            Some(node) if node.visits > 0 => node.mean,
            _ => f64::NEG_INFINITY,
        };
        match self.is_classical() {
            true => rows.sort_by(|&one, &other| mean(other).total_cmp(&mean(one))),
            false => rows.sort_by_key(|&row| std::cmp::Reverse(self.visits(row))),
        }
        let chosen = self.chosen();
        rows.sort_by_key(|&row| Some(row) != chosen);
        rows
    }

    /// The row of the move that was chosen; none while the search runs.
    pub fn chosen(&self) -> Option<usize> {
        let chosen = self.meta.chosen.as_deref()?;
        let mut rows = self.children(0).into_iter();
        rows.find(|&row| self.tree.move_name(row) == chosen)
    }

    /// The rows of the two moves to be compared.
    pub(super) fn choose_moves(
        &self,
        moves: Option<[&str; 2]>,
    ) -> Result<[usize; 2], ExplainError> {
        let ranked = self.ranked_moves();
        let Some([one, other]) = moves else {
            return match *ranked.as_slice() {
                [one, other, ..] => Ok([one, other]),
                _ => Err(ExplainError::TooFewMoves),
            };
        };
        let found = [self.find_move(one)?, self.find_move(other)?];
        match found {
            [one_row, other_row] if one_row == other_row => {
                Err(ExplainError::SameMove(other.trim().to_owned()))
            }
            rows => Ok(rows),
        }
    }

    /// The row of a move of the root, as the file or as people write it.
    fn find_move(&self, name: &str) -> Result<usize, ExplainError> {
        let name = name.trim();
        let rows = self.children(0);
        let reading = |row: usize| self.texts(&[row]).1.pop().unwrap_or_default();
        let written = rows.iter().find(|&&row| self.tree.move_name(row) == name);
        let found = written.or_else(|| rows.iter().find(|&&row| reading(row) == name));
        found.copied().ok_or_else(|| ExplainError::NoSuchMove {
            name: name.to_owned(),
            known: rows.iter().map(|&row| reading(row)).collect(),
        })
    }

    /// The moves of a row with the texts by which people know them, for those that judge them.
    pub fn moves_of(&self, row: usize) -> Vec<(usize, String)> {
        let above = self.line_to(row);
        (self.children(row).into_iter())
            .map(|child| {
                let mut rows = above.clone();
                rows.push(child);
                (child, self.texts(&rows).1.pop().unwrap_or_default())
            })
            .collect()
    }

    /// The rows that lead to a row, without the root.
    fn line_to(&self, row: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut at = row;
        while at > 0 {
            rows.push(at);
            at = self.node(at).map_or(0, |node| node.parent as usize);
        }
        rows.reverse();
        rows
    }
}
