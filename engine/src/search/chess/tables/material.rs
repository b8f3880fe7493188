//! What stands on the board of a table: its name, its normal form, and what can become of it.

use cozy_chess::{Color, Piece};

/// Men beside the kings that a table can have.
pub const MAX_EXTRA_MEN: usize = 2;
/// Men of the largest tables.
pub const MAX_MEN: usize = 2 + MAX_EXTRA_MEN;

/// The first king's slot in lists of men; the second king follows, then the other men.
pub(super) const WHITE_KING: usize = 0;
/// The second king's slot.
pub(super) const BLACK_KING: usize = 1;

const PROMOTIONS: [Piece; 4] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight];

/// The men beside the kings, in normal form: White has more men or the stronger one, White's men come first, stronger before weaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Material {
    men: [Option<(bool, Piece)>; MAX_EXTRA_MEN],
}

/// Men on squares (a1 is 0, h8 is 63): the white king, the black king, then the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Colour and kind of the men beside the kings.
    pub extra: [(Color, Piece); MAX_EXTRA_MEN],
    /// How many of `extra` there are.
    pub extra_count: usize,
    /// Squares of the kings and then of the men in `extra`; 0 for those that are absent.
    pub squares: [u8; MAX_MEN],
    /// The side to move.
    pub to_move: Color,
}

impl Placement {
    /// Two kings.
    pub fn kings(white: u8, black: u8, to_move: Color) -> Self {
        Self {
            extra: [(Color::White, Piece::Pawn); MAX_EXTRA_MEN],
            extra_count: 0,
            squares: [white, black, 0, 0],
            to_move,
        }
    }

    /// Adds a man, if there is room for it.
    pub fn push(&mut self, color: Color, piece: Piece, square: u8) {
        if let Some(slot) = self.extra.get_mut(self.extra_count) {
            *slot = (color, piece);
            self.squares[2 + self.extra_count] = square;
            self.extra_count += 1;
        }
    }

    /// How strong a side is: the number of its men, and its strongest man.
    fn strength(&self, color: Color) -> (usize, Option<Piece>) {
        let own = || {
            self.extra[..self.extra_count]
                .iter()
                .filter(move |man| man.0 == color)
        };
        (own().count(), own().map(|man| man.1).max())
    }

    /// Changes colours if Black is stronger, and sorts the men: then they are those of a [`Material`].
    pub fn normalise(&mut self) {
        if self.strength(Color::Black) > self.strength(Color::White) {
            self.squares.swap(WHITE_KING, BLACK_KING);
            for square in &mut self.squares {
                *square ^= 56;
            }
            for (color, _) in &mut self.extra {
                *color = !*color;
            }
            self.to_move = !self.to_move;
        }
        let rank = |(color, piece): (Color, Piece)| (color == Color::White, piece);
        if self.extra_count == MAX_EXTRA_MEN && rank(self.extra[0]) < rank(self.extra[1]) {
            self.extra.swap(0, 1);
            self.squares.swap(2, 3);
        }
    }

    /// The men of a placement in normal form.
    pub fn material(&self) -> Material {
        let mut men = [None; MAX_EXTRA_MEN];
        for (man, &(color, piece)) in men.iter_mut().zip(&self.extra[..self.extra_count]) {
            *man = Some((color == Color::White, piece));
        }
        Material { men }
    }
}

impl Material {
    /// The men of both sides beside the kings, in any order.
    pub fn new(white: &[Piece], black: &[Piece]) -> Self {
        let mut placement = Placement::kings(0, 0, Color::White);
        for (pieces, color) in [(white, Color::White), (black, Color::Black)] {
            for &piece in pieces {
                placement.push(color, piece, 0);
            }
        }
        placement.normalise();
        placement.material()
    }

    /// All materials with three and four men, those with few men and pawns first.
    pub fn all() -> Vec<Self> {
        let kinds = [
            Piece::Queen,
            Piece::Rook,
            Piece::Bishop,
            Piece::Knight,
            Piece::Pawn,
        ];
        let mut all: Vec<Self> = kinds.map(|kind| Self::new(&[kind], &[])).to_vec();
        for (index, &first) in kinds.iter().enumerate() {
            for &second in &kinds[index..] {
                all.push(Self::new(&[first, second], &[]));
                all.push(Self::new(&[first], &[second]));
            }
        }
        all.sort_by_key(|material| (material.extra().count(), material.pawns()));
        all
    }

    /// The men beside the kings.
    pub fn extra(&self) -> impl Iterator<Item = (Color, Piece)> {
        let color = |is_white| {
            if is_white { Color::White } else { Color::Black }
        };
        self.men
            .into_iter()
            .flatten()
            .map(move |(is_white, piece)| (color(is_white), piece))
    }

    /// The number of pawns.
    pub fn pawns(&self) -> usize {
        self.extra().filter(|man| man.1 == Piece::Pawn).count()
    }

    /// Whether nobody can ever mate, however they play: bare kings, or a single minor piece. Two bishops of one colour are
    /// found by their squares.
    pub fn is_drawn(&self) -> bool {
        let mut extra = self.extra();
        match (extra.next(), extra.next()) {
            (None, _) => true,
            (Some((_, piece)), None) => matches!(piece, Piece::Bishop | Piece::Knight),
            _ => false,
        }
    }

    /// The name, such as `KQKR`.
    pub fn name(&self) -> String {
        let men = |wanted: Color| -> String {
            (self.extra().filter(|man| man.0 == wanted))
                .map(|man| piece_letter(man.1))
                .collect()
        };
        format!("K{}K{}", men(Color::White), men(Color::Black))
    }

    /// The material of a name such as `KQKR` or `KBKQ`; none if there is no such table.
    pub fn parse(name: &str) -> Option<Self> {
        let sides: Vec<&str> = name.strip_prefix('K')?.split('K').collect();
        let pieces = |text: &str| -> Option<Vec<Piece>> {
            text.chars()
                .map(piece_of_letter)
                .collect::<Option<Vec<_>>>()
        };
        let [white, black] = sides.as_slice() else {
            return None;
        };
        let (white, black) = (pieces(white)?, pieces(black)?);
        (1..=MAX_EXTRA_MEN)
            .contains(&(white.len() + black.len()))
            .then(|| Self::new(&white, &black))
    }

    /// What a capture or a promotion can make of it, without what is drawn by its material.
    pub fn successors(&self) -> Vec<Self> {
        let mut found = Vec::new();
        let men: Vec<(Color, Piece)> = self.extra().collect();
        let mut add = |men: &[(Color, Piece)]| {
            let of = |color| -> Vec<Piece> {
                (men.iter().filter(|man| man.0 == color))
                    .map(|man| man.1)
                    .collect()
            };
            let material = Self::new(&of(Color::White), &of(Color::Black));
            if !material.is_drawn() && !found.contains(&material) {
                found.push(material);
            }
        };
        for index in 0..men.len() {
            let mut without = men.clone();
            without.remove(index);
            add(&without);
            if men[index].1 != Piece::Pawn {
                continue;
            }
            for piece in PROMOTIONS {
                let mut promoted = men.clone();
                promoted[index].1 = piece;
                add(&promoted);
                // The promoting pawn may capture as well.
                for other in 0..men.len() {
                    if men[other].0 != men[index].0 {
                        let mut promoted = promoted.clone();
                        promoted.remove(other);
                        add(&promoted);
                    }
                }
            }
        }
        found
    }
}

/// The letter of a man in names.
fn piece_letter(piece: Piece) -> char {
    match piece {
        Piece::Pawn => 'P',
        Piece::Knight => 'N',
        Piece::Bishop => 'B',
        Piece::Rook => 'R',
        Piece::Queen => 'Q',
        Piece::King => 'K',
    }
}

fn piece_of_letter(letter: char) -> Option<Piece> {
    Some(match letter {
        'P' => Piece::Pawn,
        'N' => Piece::Knight,
        'B' => Piece::Bishop,
        'R' => Piece::Rook,
        'Q' => Piece::Queen,
        _ => return None,
    })
}
