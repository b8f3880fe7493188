//! A match directory, written move by move as the engine writes it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use canopy_engine::{
    games::{self, Playable, Visitor, notation::position_text},
    tree::{
        Tree, TreeRow,
        files::Format,
        meta::{self, MatchMeta, Meta},
    },
};

/// Writes a file atomically, as the engine does: to a temporary name, then renamed.
pub(crate) fn write_file(path: &Path, bytes: impl AsRef<[u8]>) {
    let name = path.file_name().expect("a name").to_string_lossy();
    let hidden = path.with_file_name(format!(".{name}.tmp"));
    fs::write(&hidden, bytes).expect("a file can be written");
    fs::rename(&hidden, path).expect("a file can be renamed");
}

/// Writes a tree file and its sidecar.
pub(crate) fn write_tree_file(path: &Path, tree: &Tree, about: &Meta) {
    let mut bytes = Vec::new();
    let format = Format::from_path(path).expect("a format");
    format.write(tree, &mut bytes).expect("written to memory");
    write_file(&path.with_extension("json"), meta::to_json(about));
    write_file(path, bytes);
}

/// A match in progress and its directory.
pub(crate) struct MatchFixture {
    pub(crate) directory: PathBuf,
    pub(crate) meta: MatchMeta,
    trees: u32,
}

impl MatchFixture {
    /// A match of `games` games. Writes nothing yet; the directory need not exist.
    pub(crate) fn new(directory: PathBuf, game: &str, games: u64) -> Self {
        let mut meta = MatchMeta {
            format: 1,
            game: game.to_owned(),
            games,
            ..MatchMeta::default()
        };
        meta.score.names = vec!["uct".to_owned(), "lgr2".to_owned()];
        meta.score.won = vec![0, 0];
        Self {
            directory,
            meta,
            trees: 0,
        }
    }

    /// The directory of the current game's trees.
    pub(crate) fn game_directory(&self) -> PathBuf {
        (self.directory).join(self.meta.directory.as_deref().expect("a game has begun"))
    }

    /// Writes match.json atomically.
    pub(crate) fn write_match_json(&self) {
        write_file(
            &self.directory.join("match.json"),
            meta::to_json(&self.meta),
        );
    }

    /// Starts the next game with sides swapped. Writes nothing.
    pub(crate) fn begin_game(&mut self) {
        let number = self.meta.number + 1;
        self.meta.number = number;
        self.meta.directory = Some(format!("game-{number:04}"));
        self.meta.moves.clear();
        (self.meta.result, self.meta.reason) = (None, None);
        self.meta.players = self.meta.score.names.clone();
        if number.is_multiple_of(2) {
            self.meta.players.reverse();
        }
    }

    /// The path of the current game's next tree.
    pub(crate) fn next_tree_path(&mut self) -> PathBuf {
        self.trees += 1;
        self.game_directory()
            .join(format!("{:06}.tree", self.trees))
    }

    /// Writes a tree of the current position with these root moves and visits; returns its path.
    pub(crate) fn write_tree(&mut self, moves: &[(&str, i32)]) -> PathBuf {
        let path = self.next_tree_path();
        self.write_tree_at(&path, moves);
        path
    }

    /// [`Self::write_tree`] at a given path.
    pub(crate) fn write_tree_at(&self, path: &Path, moves: &[(&str, i32)]) {
        let about = Meta {
            format: 1,
            is_final: true,
            game: self.meta.game.clone(),
            position: self.position(),
            ply: self.meta.moves.len() as u32,
            search: "uct".to_owned(),
            ..Meta::default()
        };
        fs::create_dir_all(path.parent().expect("a game")).expect("it can be made");
        write_tree_file(path, &build_tree(moves), &about);
    }

    /// The current position as text.
    pub(crate) fn position(&self) -> String {
        games::with_game(&self.meta.game, PositionAfterMoves(&self.meta.moves)).expect("a game")
    }

    /// Plays a move and writes match.json.
    pub(crate) fn play(&mut self, mv: &str) {
        self.meta.moves.push(mv.to_owned());
        self.write_match_json();
    }

    /// Ends the game and writes match.json. `winner` is an index into the match's players, `None` for a draw.
    pub(crate) fn end_game(&mut self, winner: Option<usize>, reason: &str) {
        let name = winner.map(|winner| {
            self.meta.score.won[winner] += 1;
            &self.meta.score.names[winner]
        });
        if winner.is_none() {
            self.meta.score.drawn += 1;
        }
        let result = match name {
            None => "draw",
            Some(name) if *name == self.meta.players[0] => "p1win",
            Some(_) => "p2win",
        };
        self.meta.result = Some(result.to_owned());
        self.meta.reason = Some(reason.to_owned());
        self.write_match_json();
    }
}

/// The text of the position after these moves from the start.
struct PositionAfterMoves<'a>(&'a [String]);

impl Visitor for PositionAfterMoves<'_> {
    type Out = String;

    fn visit<G: Playable>(self, rules: G::Rules) -> String {
        let mut position = G::start(rules);
        for text in self.0 {
            let mv = position.parse_move(text).expect("a legal move");
            position.play(mv);
        }
        position_text(&position)
    }
}

/// A tree of depth 1 with these root moves and visits.
fn build_tree(moves: &[(&str, i32)]) -> Tree {
    let root = TreeRow {
        visits: moves.iter().map(|(_, visits)| visits).sum(),
        children: moves.len() as u32,
        ..TreeRow::default()
    };
    let rows = (moves.iter()).map(|&(name, visits)| TreeRow::new(name, visits, 0.5, 0));
    Tree::from_rows([root].into_iter().chain(rows)).expect("a whole tree")
}
