//! The exact solver of chess: endgame tables for up to four men, the search for forced mates for everything else.

use std::sync::Arc;

use cozy_chess::{Color, Piece};

use super::{
    table_set::{NoTable, TableSet, TableStore},
    tables::{MAX_EXTRA_MEN, MAX_MEN, Material, Placement, TableValue},
};
use crate::{
    games::{
        self, Game as _, Notation as _,
        chess::{Chess, ChessMove, ChessRules},
    },
    rng::Rng,
    search::exact::{
        self, Exact, ExactMoves, ExactValue, SolveContext, ValueClass, WinGoal,
        generic::GenericSolver,
    },
};

/// Plies without capture or pawn move after which a game is drawn.
const FIFTY_MOVE_PLIES: u32 = 100;

/// Solves positions of chess.
///
/// With three or four men and without castling rights the value comes from a table, which is made when it is first needed: a win or
/// loss with its exact number of plies, or a draw. The tables know nothing of the 50-move rule. A win or loss stands if the mate comes
/// before it; if it does not, the answer is `None`. Elsewhere forced mates are looked for, as [`GenericSolver`] says, and so where a
/// table does not fit into the memory. A position stands for itself: what came before it, and might make a repetition the third, is
/// not known.
pub struct ChessSolver {
    tables: TableSet,
    generic: GenericSolver<Chess>,
    /// Positions looked at in tables and while making them.
    table_nodes: u64,
    /// [`Self::table_nodes`] when the question was asked.
    table_nodes_before: u64,
}

/// What the tables say of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableAnswer {
    /// It is the value, the counter of the 50-move rule considered.
    Exact(TableValue),
    /// There is a mate in so many plies, unless the 50-move rule comes before it.
    TooSlow(TableValue),
    /// The position has no table, or the table does not fit into the memory.
    NoTable,
}

/// The limits ran out.
struct Interrupted;

impl ChessSolver {
    /// A solver that takes at most `memory` bytes, and keeps its tables in `store`.
    pub fn new(rules: ChessRules, memory: usize, store: Option<Arc<dyn TableStore>>) -> Self {
        let search_memory = memory / 4;
        Self {
            tables: TableSet::new(memory - search_memory, store),
            generic: GenericSolver::new(rules, search_memory),
            table_nodes: 0,
            table_nodes_before: 0,
        }
    }

    /// Bytes of the tables and of the search.
    pub fn table_bytes(&self) -> usize {
        self.tables.bytes() + self.generic.table_bytes()
    }

    fn begin_question(&mut self) {
        self.table_nodes_before = self.table_nodes;
        self.generic.begin_question();
    }

    /// Looks a position up, which is not over.
    fn look_up(
        &mut self,
        position: &Chess,
        context: &mut SolveContext<'_>,
    ) -> Result<TableAnswer, Interrupted> {
        let Some((placement, en_passant)) = table_placement(position) else {
            return Ok(TableAnswer::NoTable);
        };
        self.table_nodes += 1;
        if placement.material().is_drawn() {
            return Ok(TableAnswer::Exact(TableValue::DRAW));
        }
        let before = self.table_nodes - self.table_nodes_before;
        let start = self.tables.nodes();
        let found = self.tables.require(placement.material(), &mut |nodes| {
            context.is_exhausted(before + nodes - start)
        });
        self.table_nodes += self.tables.nodes() - start;
        let table = match found {
            Ok(table) => table,
            Err(NoTable::TooLarge) => return Ok(TableAnswer::NoTable),
            Err(NoTable::Interrupted) => return Err(Interrupted),
        };
        let Some(value) = table.value(&placement, en_passant) else {
            return Ok(TableAnswer::NoTable);
        };
        let clock = u32::from(position.board().halfmove_clock());
        Ok(match value.plies() {
            Some(plies) if clock + plies > FIFTY_MOVE_PLIES => TableAnswer::TooSlow(value),
            _ => TableAnswer::Exact(value),
        })
    }

    fn solve(&mut self, position: &Chess, context: &mut SolveContext<'_>) -> Option<ExactValue> {
        if position.outcome().is_some() {
            return self.generic.solve(position, context);
        }
        match self.look_up(position, context).ok()? {
            TableAnswer::Exact(value) => Some(exact_value(value)),
            TableAnswer::TooSlow(_) => None,
            TableAnswer::NoTable => self.generic.solve(position, context),
        }
    }

    /// Whether `attacker` can force a win within `plies`.
    fn can_win(
        &mut self,
        goal: WinGoal<'_, Chess>,
        context: &mut SolveContext<'_>,
    ) -> Option<bool> {
        let position = goal.position;
        if position.outcome().is_none() {
            let is_mover = position.to_move() == goal.attacker;
            match self.look_up(position, context).ok()? {
                TableAnswer::Exact(value) | TableAnswer::TooSlow(value)
                    if value.is_loss() == is_mover
                        || value.plies().is_none_or(|all| all > goal.plies) =>
                {
                    return Some(false);
                }
                TableAnswer::Exact(_) => return Some(true),
                TableAnswer::TooSlow(_) | TableAnswer::NoTable => {}
            }
        }
        self.generic.can_win(goal, context)
    }
}

fn exact_value(value: TableValue) -> ExactValue {
    let class = match value.plies() {
        None => ValueClass::Draw,
        Some(_) if value.is_loss() => ValueClass::Loss,
        Some(_) => ValueClass::Win,
    };
    ExactValue {
        class,
        score: None,
        plies: value.plies(),
    }
}

/// The men of a position as the tables have them, and whether there is a capture en passant; none with more men or castling
/// rights.
fn table_placement(position: &Chess) -> Option<(Placement, bool)> {
    let board = position.board();
    let has_castling = Color::ALL.iter().any(|&color| {
        let rights = board.castle_rights(color);
        rights.short.is_some() || rights.long.is_some()
    });
    if board.occupied().len() as usize > MAX_MEN || has_castling {
        return None;
    }
    let king = |color| board.king(color) as u8;
    let mut placement =
        Placement::kings(king(Color::White), king(Color::Black), board.side_to_move());
    for color in Color::ALL {
        for piece in Piece::ALL.into_iter().filter(|&piece| piece != Piece::King) {
            for square in board.colored_pieces(color, piece) {
                placement.push(color, piece, square as u8);
            }
        }
    }
    placement.normalise();
    Some((placement, position.has_en_passant()))
}

impl Exact<Chess> for ChessSolver {
    fn value(&mut self, position: &Chess, context: &mut SolveContext<'_>) -> Option<ExactValue> {
        self.begin_question();
        self.solve(position, context)
    }

    /// The node limit is one for all moves.
    fn values(&mut self, position: &Chess, context: &mut SolveContext<'_>) -> ExactMoves<Chess> {
        self.begin_question();
        games::successors(position)
            .into_iter()
            .map(|(mv, child)| {
                let value = self.solve(&child, context);
                (mv, value.map(|value| value.before_move(false)))
            })
            .collect()
    }

    /// A line to the mate; in a drawn position one move that keeps the draw.
    fn best_line(&mut self, position: &Chess, context: &mut SolveContext<'_>) -> Vec<ChessMove> {
        self.begin_question();
        let Some(value) = self.solve(position, context) else {
            return Vec::new();
        };
        let attacker = match value.class {
            ValueClass::Win => position.to_move(),
            ValueClass::Loss => position.to_move().opponent(),
            ValueClass::Draw => {
                let mut is_draw = |child: &Chess| {
                    let value = self.solve(child, context);
                    value.is_some_and(|value| value.class == ValueClass::Draw)
                };
                let mut drawn = games::successors(position).into_iter();
                let first = drawn.find(|(_, child)| is_draw(child));
                return first.map(|(mv, _)| mv).into_iter().collect();
            }
        };
        exact::forced_line(self, position, attacker, value.plies.unwrap_or(0), context)
    }

    fn wins_within(
        &mut self,
        goal: WinGoal<'_, Chess>,
        context: &mut SolveContext<'_>,
    ) -> Option<bool> {
        self.begin_question();
        self.can_win(goal, context)
    }

    fn nodes(&self) -> u64 {
        self.table_nodes + self.generic.nodes()
    }

    /// Tables stay: they are true of chess, and the same whenever they are made.
    fn clear(&mut self) {
        self.generic.clear();
        self.table_nodes = 0;
        self.table_nodes_before = 0;
    }
}

/// A random position with so many men, three or four, and enough of them to mate.
pub fn random_ending(rules: ChessRules, men: usize, rng: &mut Rng) -> Option<Chess> {
    const KINDS: [(char, Piece); 5] = [
        ('Q', Piece::Queen),
        ('R', Piece::Rook),
        ('B', Piece::Bishop),
        ('N', Piece::Knight),
        ('P', Piece::Pawn),
    ];
    let extra = men.checked_sub(2)?;
    if !(1..=MAX_EXTRA_MEN).contains(&extra) {
        return None;
    }
    loop {
        let mut letters = vec!['K', 'k'];
        let mut sides = [Vec::new(), Vec::new()];
        for _ in 0..extra {
            let (letter, piece) = KINDS[rng.below(KINDS.len() as u32) as usize];
            let side = rng.below(2) as usize;
            sides[side].push(piece);
            letters.push(if side == 0 {
                letter
            } else {
                letter.to_ascii_lowercase()
            });
        }
        let mut board = ['1'; 64];
        for &letter in &letters {
            board[rng.below(64) as usize] = letter;
        }
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let side = if rng.below(2) == 0 { 'w' } else { 'b' };
        let text = format!("{} {side} - - 0 1", ranks.join("/"));
        // Impossible positions are refused, and so are those in which two men met on a square.
        if !Material::new(&sides[0], &sides[1]).is_drawn()
            && let Ok(position) = Chess::parse_position(rules, &text)
            && position.piece_count() as usize == men
        {
            return Some(position);
        }
    }
}
