//! From a game's texts to boards.

use canopy_engine::games::{
    self, History, Outcome, Playable, Player, Visitor,
    notation::{self, Style, move_text, outcome_text, position_text},
};

use super::{
    Board, BoardKind, BoardPlace, BoardReader, chess, connect_four, delta, kalah, othello,
    plain::PlainBoard,
};

/// The games with a board of their own.
const READERS: [BoardReader; 5] = [
    chess::READER,
    othello::READER,
    kalah::READER,
    connect_four::READER,
    delta::READER,
];

/// A position that was reached by moves, and what can be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionInfo {
    /// The position, to be drawn.
    pub board: Board,
    /// The position as the game writes it.
    pub position: String,
    /// Whose turn it is, as "Black to move"; or how the game ended, and why.
    pub turn_text: String,
    /// Who is to move; none if the game is over.
    pub to_move: Option<Player>,
    /// How the game ended, if it has.
    pub outcome: Option<Outcome>,
    /// Why it ended, if it has, such as "checkmate".
    pub end_reason: Option<&'static str>,
    /// What each side has, first player first, in games that are decided by counting.
    pub score: Option<[u32; 2]>,
    /// The last of the moves.
    pub last_move: Option<LastMove>,
    /// All moves in the game's own notation, each with who played it.
    pub moves: Vec<(Player, String)>,
    /// All moves in the notation for people: chess as "Nf3", other games in their own.
    pub display_moves: Vec<String>,
    /// What may be played, in the game's own notation; nothing if the game is over.
    pub legal_moves: Vec<String>,
    /// What the first and the second player are called.
    pub players: [&'static str; 2],
    /// The king that is in check.
    pub checked_king: Option<BoardPlace>,
    /// On which empty square each player would capture how many discs of othello, first player first.
    pub captures: Vec<(BoardPlace, [u32; 2])>,
    /// What is worth telling about the last move, or about the next one, in a few words: "extra turn", "White must pass".
    pub note: Option<String>,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct LastMove {
    /// In the game's own notation.
    pub mv: String,
    /// Who played it.
    pub by: Player,
    /// The places it named when it was played.
    pub places: Vec<BoardPlace>,
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

    /// Reads what the game called `name` writes of a position; none if it has no board of its own.
    fn read(name: &str, text: &str, to_move: Player) -> Option<Self> {
        let reader = READERS.iter().find(|reader| reader.game == name)?;
        let kind = (reader.read)(text)?;
        Some(Self { kind, to_move })
    }
}

/// Plays moves in a game that is known by name only.
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
        let mut last = None;
        let (mut moves, mut display_moves) = (Vec::new(), Vec::new());
        for (index, text) in self.moves.iter().enumerate() {
            let mv = position
                .parse_move(text)
                .map_err(|error| error.to_string())?;
            let (by, own) = (position.to_move(), move_text(&position, mv));
            moves.push((by, own.clone()));
            display_moves.push(human_text(&position, mv));
            if index + 1 == self.moves.len() {
                let before = board_from_position(&position);
                let places = before.move_places(&own);
                last = Some((
                    before,
                    LastMove {
                        places,
                        by,
                        mv: own,
                    },
                ));
            }
            position.play(mv);
            history.push(&position);
        }
        let mut now = describe_position(&position, &history);
        let rules = notation::full_name::<G>(rules);
        now.note = now.compute_note(last.as_ref(), &rules);
        Ok(PositionInfo {
            last_move: last.map(|(_, last)| last),
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

impl PositionInfo {
    /// What is worth telling; `last` is the last move with the board before it.
    fn compute_note(&self, last: Option<&(Board, LastMove)>, rules: &str) -> Option<String> {
        match &self.board.kind {
            BoardKind::Chess(_) => {
                let is_check = self.checked_king.is_some() && self.outcome.is_none();
                is_check.then(|| "check".to_owned())
            }
            BoardKind::Othello(_) => self.pass_note(last),
            BoardKind::Kalah(_) => {
                let (before, last) = last?;
                let BoardKind::Kalah(before) = &before.kind else {
                    return None;
                };
                before.sowing_note(*last.places.first()?, rules, self.players)
            }
            BoardKind::Delta(_) => self.delta_note(last),
            BoardKind::ConnectFour(_) | BoardKind::Plain(_) => None,
        }
    }

    fn player_name(&self, player: Player) -> &'static str {
        self.players[player.index()]
    }

    fn pass_note(&self, last: Option<&(Board, LastMove)>) -> Option<String> {
        if self.legal_moves == ["pass"] {
            return Some(format!(
                "{} must pass",
                self.player_name(self.board.to_move)
            ));
        }
        let (_, last) = last.filter(|(_, last)| last.mv == "pass")?;
        Some(format!(
            "{} has no move and passes",
            self.player_name(last.by)
        ))
    }

    /// Delta's exceptions: a second placement of the second player, and stones that are picked up.
    fn delta_note(&self, last: Option<&(Board, LastMove)>) -> Option<String> {
        let places = |mv: &str| self.board.move_places(mv).len();
        let is_equaliser = |player: Player, stones: usize| player == Player::Second && stones == 3;
        let next = self.player_name(self.board.to_move);
        if let (Some(player), BoardKind::Delta(board)) = (self.to_move, &self.board.kind)
            && is_equaliser(player, board.stone_count())
            && self.legal_moves.iter().any(|mv| places(mv) == 1)
        {
            let must = self.legal_moves.iter().all(|mv| places(mv) == 1);
            let verb = if must { "must" } else { "may" };
            return Some(format!("{next} {verb} place a stone again (equaliser)"));
        }
        if let Some((before, last)) = last {
            match (
                last.places.as_slice(),
                &before.kind,
                last.mv.split_once('x'),
            ) {
                ([_], BoardKind::Delta(before), _)
                    if is_equaliser(last.by, before.stone_count()) =>
                {
                    let who = self.player_name(last.by);
                    return Some(format!("{who} placed a stone again (equaliser)"));
                }
                (_, _, Some((_, picked))) => {
                    return Some(format!("{} picked up {picked}", self.player_name(last.by)));
                }
                _ => {}
            }
        }
        let picks_up = self.legal_moves.first().is_some_and(|mv| places(mv) == 3);
        picks_up.then(|| format!("{next} has no stones left: after a slide one is picked up"))
    }
}

/// What can be said about a position without the moves that led there.
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
    let board = board_from_position(position);
    PositionInfo {
        checked_king: board.checked_king(),
        captures: board.captures(),
        note: None,
        board,
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

/// The board of a position, read from the text that the game writes of it; else from its grid of stones.
fn board_from_position<G: Playable>(position: &G) -> Board {
    let text = position_text(position);
    let to_move = position.to_move();
    Board::read(G::NAME, &text, to_move).unwrap_or_else(|| Board {
        kind: BoardKind::Plain(PlainBoard::new(position.grid())),
        to_move,
    })
}
