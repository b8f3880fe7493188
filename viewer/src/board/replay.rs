//! From a game's texts to boards.

use canopy_engine::games::{
    self, History, Outcome, Playable, Player, Visitor,
    notation::{self, Style, move_text, outcome_text, position_text},
};

use super::{
    Board, Kind, Place, chess::Chess, connect_four::ConnectFour, delta::Delta, kalah::Kalah,
    othello::Othello, plain::Plain,
};

/// A position that was reached by moves, and what can be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// The position, to be drawn.
    pub board: Board,
    /// The position as the game writes it.
    pub position: String,
    /// Whose turn it is, as "Black to move"; or how the game ended, and why.
    pub turn: String,
    /// Who is to move; none if the game is over.
    pub to_move: Option<Player>,
    /// How the game ended, if it has.
    pub outcome: Option<Outcome>,
    /// What each side has, first player first, in games that are decided by counting.
    pub score: Option<[u32; 2]>,
    /// The last of the moves.
    pub last: Option<Played>,
    /// All moves in the game's own notation, each with who played it.
    pub line: Vec<(Player, String)>,
    /// All moves in the notation for people: chess as "Nf3", other games in their own.
    pub human: Vec<String>,
    /// What may be played, in the game's own notation; nothing if the game is over.
    pub legal: Vec<String>,
    /// What the first and the second player are called.
    pub players: [&'static str; 2],
    /// The king that is in check.
    pub check: Option<Place>,
    /// On which empty square each player would capture how many discs of othello, first player first.
    pub captures: Vec<(Place, [u32; 2])>,
    /// What is worth telling about the last move, or about the next one, in a few words: "extra turn", "White must pass".
    pub told: Option<String>,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// In the game's own notation.
    pub mv: String,
    /// Who played it.
    pub by: Player,
    /// The places it named when it was played.
    pub places: Vec<Place>,
}

impl Board {
    /// The position after `moves`, in any of the game's notations, from `position`; an empty position is the start.
    /// `game` may carry a variant, such as `kalah:4x3`.
    pub fn replay(
        game: &str,
        position: &str,
        moves: &[impl AsRef<str>],
    ) -> Result<Replayed, String> {
        let moves = moves.iter().map(AsRef::as_ref).collect();
        games::with_game(game, Replay { position, moves }).map_err(|error| error.to_string())?
    }

    /// Reads what the game called `name` writes of a position; none if it has no board of its own.
    fn read(name: &str, text: &str, to_move: Player) -> Option<Self> {
        let kind = match name {
            "chess" => Kind::Chess(Chess::read(text)?),
            "othello" => Kind::Othello(Othello::read(text)?),
            "kalah" => Kind::Kalah(Kalah::read(text)?),
            "connect-four" => Kind::ConnectFour(ConnectFour::read(text)?),
            "delta" => Kind::Delta(Delta::read(text)?),
            _ => return None,
        };
        Some(Self { kind, to_move })
    }
}

/// Plays moves in a game that is known by name only.
struct Replay<'a> {
    position: &'a str,
    moves: Vec<&'a str>,
}

impl Visitor for Replay<'_> {
    type Out = Result<Replayed, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let start = match self.position.trim() {
            "" => "startpos",
            position => position,
        };
        let mut position: G =
            notation::position(rules, start).map_err(|error| error.to_string())?;
        let mut history = History::new();
        history.push(&position);
        let mut last = None;
        let (mut line, mut human) = (Vec::new(), Vec::new());
        for (index, text) in self.moves.iter().enumerate() {
            let mv = position
                .parse_move(text)
                .map_err(|error| error.to_string())?;
            let (by, own) = (position.to_move(), move_text(&position, mv));
            line.push((by, own.clone()));
            human.push(human_text(&position, mv));
            if index + 1 == self.moves.len() {
                let before = board_of(&position);
                let places = before.places_of(&own);
                last = Some((
                    before,
                    Played {
                        places,
                        by,
                        mv: own,
                    },
                ));
            }
            position.play(mv);
            history.push(&position);
        }
        let mut now = replayed(&position, &history);
        let rules = notation::full_name::<G>(rules);
        now.told = now.told(last.as_ref(), &rules);
        Ok(Replayed {
            last: last.map(|(_, last)| last),
            line,
            human,
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

impl Replayed {
    /// What is worth telling; `last` is the last move with the board before it.
    fn told(&self, last: Option<&(Board, Played)>, rules: &str) -> Option<String> {
        match &self.board.kind {
            Kind::Chess(_) => {
                let is_check = self.check.is_some() && self.outcome.is_none();
                is_check.then(|| "check".to_owned())
            }
            Kind::Othello(_) => self.told_of_passes(last),
            Kind::Kalah(_) => {
                let (before, last) = last?;
                let Kind::Kalah(before) = &before.kind else {
                    return None;
                };
                before.told(*last.places.first()?, rules, self.players)
            }
            Kind::Delta(_) => self.told_of_delta(last),
            Kind::ConnectFour(_) | Kind::Plain(_) => None,
        }
    }

    fn name(&self, player: Player) -> &'static str {
        self.players[player.index()]
    }

    fn told_of_passes(&self, last: Option<&(Board, Played)>) -> Option<String> {
        if self.legal == ["pass"] {
            return Some(format!("{} must pass", self.name(self.board.to_move)));
        }
        let (_, last) = last.filter(|(_, last)| last.mv == "pass")?;
        Some(format!("{} has no move and passes", self.name(last.by)))
    }

    /// Delta's exceptions: a second placement of the second player, and stones that are picked up.
    fn told_of_delta(&self, last: Option<&(Board, Played)>) -> Option<String> {
        let places = |mv: &str| self.board.places_of(mv).len();
        let is_equaliser = |player: Player, stones: usize| player == Player::Second && stones == 3;
        let next = self.name(self.board.to_move);
        if let (Some(player), Kind::Delta(board)) = (self.to_move, &self.board.kind)
            && is_equaliser(player, board.placed())
            && self.legal.iter().any(|mv| places(mv) == 1)
        {
            let must = self.legal.iter().all(|mv| places(mv) == 1);
            let verb = if must { "must" } else { "may" };
            return Some(format!("{next} {verb} place a stone again (equaliser)"));
        }
        if let Some((before, last)) = last {
            match (
                last.places.as_slice(),
                &before.kind,
                last.mv.split_once('x'),
            ) {
                ([_], Kind::Delta(before), _) if is_equaliser(last.by, before.placed()) => {
                    let who = self.name(last.by);
                    return Some(format!("{who} placed a stone again (equaliser)"));
                }
                (_, _, Some((_, picked))) => {
                    return Some(format!("{} picked up {picked}", self.name(last.by)));
                }
                _ => {}
            }
        }
        let picks_up = self.legal.first().is_some_and(|mv| places(mv) == 3);
        picks_up.then(|| format!("{next} has no stones left: after a slide one is picked up"))
    }
}

/// What can be said about a position without the moves that led there.
fn replayed<G: Playable>(position: &G, history: &History) -> Replayed {
    let outcome = history.outcome(position);
    let mut moves = Vec::new();
    if outcome.is_none() {
        position.legal_moves(&mut moves);
    }
    let turn = match outcome {
        // A position knows why it is the end of a game, but not that it came before.
        Some(outcome) if position.outcome().is_some() => {
            outcome_text::<G>(outcome, position.reason())
        }
        Some(outcome) => outcome_text::<G>(outcome, "threefold repetition"),
        None => format!("{} to move", G::PLAYERS[position.to_move().index()]),
    };
    let board = board_of(position);
    Replayed {
        check: board.check(),
        captures: board.captures(),
        told: None,
        board,
        position: position_text(position),
        turn,
        to_move: outcome.is_none().then(|| position.to_move()),
        outcome,
        score: position.score(),
        last: None,
        line: Vec::new(),
        human: Vec::new(),
        legal: moves.iter().map(|&mv| move_text(position, mv)).collect(),
        players: G::PLAYERS,
    }
}

/// The board of a position, read from the text that the game writes of it; else from its grid of stones.
fn board_of<G: Playable>(position: &G) -> Board {
    let text = position_text(position);
    let to_move = position.to_move();
    Board::read(G::NAME, &text, to_move).unwrap_or_else(|| Board {
        kind: Kind::Plain(Plain::new(position.grid())),
        to_move,
    })
}
