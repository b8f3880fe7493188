//! Replays moves given as text, and describes the position they lead to.

use std::sync::Arc;

use canopy_engine::games::{
    self, History, Outcome, Piece, Playable, Player, Step, Visitor,
    notation::{self, Style, move_text, outcome_text, position_text},
};

use super::{
    Board, BoardFacts, BoardKind, BoardPlace,
    chess::{self, ChessBoard},
    connect_four::{self, ConnectFourBoard},
    delta::{self, DeltaBoard},
    kalah::{self, KalahBoard},
    othello::{self, OthelloBoard},
    plain::PlainBoard,
};

/// Makes a board with these pieces; see [`canopy_engine::games::Explain::pieces`].
type BoardConstructor = fn(&[(BoardPlace, Piece, u32)]) -> BoardKind;

/// The games with a board of their own, by name.
const CONSTRUCTORS: [(&str, BoardConstructor); 5] = [
    (chess::GAME, |pieces| {
        BoardKind::Chess(ChessBoard::new(pieces))
    }),
    (othello::GAME, |pieces| {
        BoardKind::Othello(OthelloBoard::new(pieces))
    }),
    (kalah::GAME, |pieces| {
        BoardKind::Kalah(KalahBoard::new(pieces))
    }),
    (connect_four::GAME, |pieces| {
        BoardKind::ConnectFour(ConnectFourBoard::new(pieces))
    }),
    (delta::GAME, |pieces| {
        BoardKind::Delta(DeltaBoard::new(pieces))
    }),
];

/// A position after a sequence of moves, with everything the panels show of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionInfo {
    /// The board to paint.
    pub board: Board,
    /// The position in the game's own notation.
    pub position: String,
    /// "Black to move", or the result and its reason.
    pub turn_text: String,
    /// The player to move; none if the game is over.
    pub to_move: Option<Player>,
    /// The result; none while the game goes on.
    pub outcome: Option<Outcome>,
    /// Why it ended, if it has, such as "checkmate".
    pub end_reason: Option<&'static str>,
    /// The score, first player first, in games that are decided by counting.
    pub score: Option<[u32; 2]>,
    /// The last move; none at the start.
    pub last_move: Option<LastMove>,
    /// All moves in the game's own notation, each with its player.
    pub moves: Vec<(Player, String)>,
    /// All moves in the notation for people: chess as "Nf3", other games in their own.
    pub display_moves: Vec<String>,
    /// The legal moves in the game's own notation; none if the game is over.
    pub legal_moves: Vec<String>,
    /// Names of the first and the second player.
    pub players: [&'static str; 2],
    /// The square of the king in check.
    pub checked_king: Option<BoardPlace>,
    /// How many discs of othello each player would flip on an empty square, first player first.
    pub captures: Vec<(BoardPlace, [u32; 2])>,
    /// A remark of the rules about the last move or the next one: "extra turn", "White must pass".
    pub note: Option<String>,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct LastMove {
    /// In the game's own notation.
    pub mv: String,
    /// The player who made it.
    pub by: Player,
    /// The places that name it, in the order of clicks.
    pub places: Vec<BoardPlace>,
    /// Its effects on the board, in order.
    pub steps: Vec<Step>,
}

impl Board {
    /// The position after `moves`, in any of the game's notations, from `position`; an empty position is the start.
    /// `game` may carry a variant, such as `kalah:4x3`.
    pub fn after_moves(
        game: &str,
        position: &str,
        moves: &[impl AsRef<str>],
    ) -> Result<PositionInfo, String> {
        let moves = moves.iter().map(AsRef::as_ref).collect();
        games::with_game(game, ReplayMoves { position, moves })
            .map_err(|error| error.to_string())?
    }
}

impl BoardKind {
    /// The board of the game called `name` with these pieces; none if it has no board of its own.
    fn new(name: &str, pieces: &[(BoardPlace, Piece, u32)]) -> Option<Self> {
        let (_, construct) = CONSTRUCTORS.iter().find(|(game, _)| *game == name)?;
        Some(construct(pieces))
    }
}

/// Replays moves in a game known only by name.
struct ReplayMoves<'a> {
    position: &'a str,
    moves: Vec<&'a str>,
}

impl Visitor for ReplayMoves<'_> {
    type Out = Result<PositionInfo, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let start = match self.position.trim() {
            "" => "startpos",
            position => position,
        };
        let mut position: G =
            notation::read_position(rules, start).map_err(|error| error.to_string())?;
        let mut history = History::new();
        history.push(&position);
        let (mut last_move, mut move_note) = (None, None);
        let (mut moves, mut display_moves) = (Vec::new(), Vec::new());
        for (index, text) in self.moves.iter().enumerate() {
            let mv = position
                .parse_move(text)
                .map_err(|error| error.to_string())?;
            let (by, own) = (position.to_move(), move_text(&position, mv));
            moves.push((by, own.clone()));
            display_moves.push(human_text(&position, mv));
            if index + 1 == self.moves.len() {
                move_note = position.move_note(mv);
                last_move = Some(LastMove {
                    places: position.move_places(mv),
                    steps: position.steps(mv),
                    by,
                    mv: own,
                });
            }
            position.play(mv);
            history.push(&position);
        }
        let now = describe_position(&position, &history);
        Ok(PositionInfo {
            note: move_note.or(now.note),
            last_move,
            moves,
            display_moves,
            ..now
        })
    }
}

/// A move in the notation for people.
fn human_text<G: Playable>(position: &G, mv: G::Move) -> String {
    let mut text = String::new();
    match position.write_move(mv, Style::Human, &mut text) {
        Ok(()) => text,
        Err(_) => move_text(position, mv),
    }
}

/// Describes a position; what depends on the moves that led there is left empty.
fn describe_position<G: Playable>(position: &G, history: &History) -> PositionInfo {
    let outcome = history.outcome(position);
    let mut moves = Vec::new();
    if outcome.is_none() {
        position.legal_moves(&mut moves);
    }
    // A position knows why it is the end of a game, but not that it came before.
    let end_reason = outcome.map(|_| match position.outcome() {
        Some(_) => position.end_reason(),
        None => "threefold repetition",
    });
    let turn_text = match outcome {
        Some(outcome) => outcome_text::<G>(outcome, end_reason.unwrap_or_default()),
        None => format!("{} to move", G::PLAYERS[position.to_move().index()]),
    };
    PositionInfo {
        checked_king: position.checked_king(),
        captures: position.flip_counts(),
        note: (outcome.is_none())
            .then(|| position.position_note())
            .flatten(),
        board: board_from_position(position),
        position: position_text(position),
        turn_text,
        to_move: outcome.is_none().then(|| position.to_move()),
        outcome,
        end_reason,
        score: position.score(),
        last_move: None,
        moves: Vec::new(),
        display_moves: Vec::new(),
        legal_moves: moves.iter().map(|&mv| move_text(position, mv)).collect(),
        players: G::PLAYERS,
    }
}

/// The board of a position; stones on the squares of its grid if the game has no board of its own.
fn board_from_position<G: Playable>(position: &G) -> Board {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    Board {
        kind: BoardKind::new(G::NAME, &position.pieces())
            .unwrap_or_else(|| BoardKind::Plain(PlainBoard::new(position.grid()))),
        to_move: position.to_move(),
        facts: Arc::new(BoardFacts {
            move_places: (moves.into_iter())
                .map(|mv| (move_text(position, mv), position.move_places(mv)))
                .collect(),
            winning_lines: position.winning_lines(),
        }),
    }
}
