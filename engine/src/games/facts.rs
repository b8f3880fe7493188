//! What a game states about itself beside its rules: names, sides, formats and defaults, as plain data.
//!
//! Whatever protocols, files, command line and viewer need to know of a particular game stands here. None of them asks for a
//! game by name (`tests/game_names.rs` checks that).

use super::Player;

/// The facts of one game.
///
/// A game writes what differs from [`GameFacts::new`], the facts of a plain game of stones on squares.
#[derive(Clone, Debug, PartialEq)]
pub struct GameFacts {
    /// The name on the command line, in options and in files; lower case, words joined by `-`.
    pub name: &'static str,
    /// The name in sentences and on buttons, such as "Connect four".
    pub title: &'static str,
    /// Other names that are read wherever [`Self::name`] is.
    pub aliases: &'static [&'static str],
    /// Whether lists, options, the start screen and help texts show the game. An unlisted game is accepted by name everywhere.
    pub is_listed: bool,
    /// The sides, the one that begins first.
    pub players: [&'static str; 2],
    /// The unit of evaluations in sentences, as in "South +3 stones"; empty where players know it without being told.
    pub value_unit: &'static str,
    /// What the players' counts at the end of a game count, in the plural.
    pub score_unit: &'static str,
    /// How a win of known length is told, as in "White mates in 5".
    pub win_verb: &'static str,
    /// The side with the lighter pieces: nodes of trees where it decides are filled light.
    pub light_player: Player,
    /// Variants worth showing and testing, as written after the colon; the plain game is not listed.
    pub variants: &'static [&'static str],
    /// Names and conventions of other programs.
    pub foreign: ForeignNames,
    /// Record formats besides the move list, which every game has; the first one is proposed for saving.
    pub record_formats: &'static [RecordFormat],
    /// What stands between the moves of a move list.
    pub move_separator: &'static str,
    /// What the viewer needs for its controls.
    pub board: BoardFacts,
    /// The catalogue's name of the search used where none is chosen or the chosen one cannot play the game.
    pub default_search: &'static str,
    /// Defaults of the presets that carry no report's number.
    pub presets: PresetDefaults,
    /// From when on searches leave the game to its exact solver; none in games whose endings are not within reach.
    pub endings: Option<EndingFacts>,
    /// Whether the exact solver takes seconds from the start of the game on: the search `strong` then asks it first on a clock.
    pub is_solved_on_clock: bool,
    /// The two engines of a demo, as `canopy-engine match --engine` reads them, without the command.
    pub demo_players: [&'static str; 2],
    /// The rules in half a page, for people who do not know the game; see [`Self::rule_sections`]. Empty if there are none.
    pub rules: &'static str,
    /// The moves to a typical position, separated by spaces, for pictures of the game.
    pub example: &'static str,
    /// Positions that take an exact solver seconds: `bench protocol` measures how soon it stops at them.
    pub slow_to_solve: &'static [&'static str],
}

/// What other programs call a game, and how they are told to play it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignNames {
    /// The word of `UCI_Variant` for which Fairy-Stockfish's notation is spoken.
    pub fairy_stockfish: Option<&'static str>,
    /// The game's id in GTP (`list_games`, `gogui-rules_game_id`).
    pub gtp: &'static str,
    /// The side of the board that GTP engines are told with `boardsize`; none if they are not told.
    pub gtp_board_size: Option<u8>,
    /// Whether a UCI engine plays the game without being told to.
    pub is_uci_default: bool,
    /// A check option of UCI that stands for a variant.
    pub variant_option: Option<VariantOption>,
}

/// A check option of UCI that stands for a variant of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantOption {
    /// The option's name.
    pub name: &'static str,
    /// The variant that it switches on, as written after the colon.
    pub variant: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
}

/// A file format of finished games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordFormat {
    /// Portable Game Notation.
    Pgn,
    /// Generic Game Format.
    Ggf,
}

impl RecordFormat {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Pgn, Self::Ggf];

    /// The extension of its files, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Ggf => "ggf",
        }
    }
}

/// The board as controls and coordinates need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardFacts {
    /// The first and last name of a column, such as "a–h".
    pub coordinate_range: &'static str,
    /// Whether each player sits at an edge of the board, so that it is turned for a person who plays second.
    pub has_home_sides: bool,
    /// Whether the viewer marks where the first click of a move may go. Needless where people know it without marks.
    pub marks_first_click: bool,
}

/// Endings of a game whose board fills up, as its exact solver reaches them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndingFacts {
    /// The squares of the board.
    pub squares: u32,
    /// With so many of them empty the solver takes milliseconds.
    pub quick: u32,
    /// With so many of them empty it takes less than a second.
    pub slow: u32,
}

impl EndingFacts {
    /// The empty squares of a position with so many pieces.
    pub fn empty_squares(self, pieces: u32) -> u32 {
        self.squares.saturating_sub(pieces)
    }
}

/// What differs from game to game in presets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PresetDefaults {
    /// The exploration constant C of the selection formula.
    pub exploration: f64,
    /// The length at which playouts are cut off and evaluated, in plies; none plays to the end.
    pub playout_limit: Option<u32>,
    /// The evaluation of the search `strong`; none for the game's first.
    pub strong_evaluation: Option<&'static str>,
}

impl PresetDefaults {
    /// By measurement, in duels against C = 1.41 at equal iterations: 68 % of the points in connect four, 64 % in othello,
    /// 60 % in kalah, 66 % in delta.
    pub const COMMON: Self = Self {
        exploration: 0.5,
        playout_limit: None,
        strong_evaluation: None,
    };
}

impl GameFacts {
    /// A listed game of stones on squares named a to h; `gtp` is its title with every word capitalised.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        gtp: &'static str,
        players: [&'static str; 2],
    ) -> Self {
        Self {
            name,
            title,
            aliases: &[],
            is_listed: true,
            players,
            value_unit: "points",
            score_unit: "points",
            win_verb: "wins",
            light_player: Player::First,
            variants: &[],
            foreign: ForeignNames {
                fairy_stockfish: None,
                gtp,
                gtp_board_size: None,
                is_uci_default: false,
                variant_option: None,
            },
            record_formats: &[],
            move_separator: " ",
            board: BoardFacts {
                coordinate_range: "a–h",
                has_home_sides: false,
                marks_first_click: true,
            },
            default_search: "uct",
            presets: PresetDefaults::COMMON,
            endings: None,
            is_solved_on_clock: false,
            demo_players: [
                "name=UCT search=uct go='nodes 2500'",
                "name='Last good reply' search=lgr2 go='nodes 2500'",
            ],
            rules: "",
            example: "",
            slow_to_solve: &[],
        }
    }

    /// The paragraphs of [`Self::rules`], each with the heading above it, which is empty for the first ones. A line of the text that
    /// begins with `# ` is a heading, any other line is a paragraph.
    pub fn rule_sections(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let mut sections = vec![("", Vec::new())];
        for line in self.rules.lines().filter(|line| !line.trim().is_empty()) {
            match (line.strip_prefix("# "), sections.last_mut()) {
                (Some(heading), _) => sections.push((heading, Vec::new())),
                (None, Some((_, paragraphs))) => paragraphs.push(line),
                (None, None) => {}
            }
        }
        sections
    }

    /// The names of the two engines of a demo.
    pub fn demo_names(&self) -> [&'static str; 2] {
        self.demo_players.map(|player| {
            let name = player.split_once("name=").map_or(player, |(_, rest)| rest);
            match name.strip_prefix('\'') {
                Some(quoted) => quoted.split('\'').next().unwrap_or(quoted),
                None => name.split(' ').next().unwrap_or(name),
            }
        })
    }

    /// Whether `word` is one of the game's names, in any case.
    pub fn is_called(&self, word: &str) -> bool {
        let mut names = [self.name].into_iter().chain(self.aliases.iter().copied());
        names.any(|name| name.eq_ignore_ascii_case(word))
    }

    /// The sides in small letters.
    pub fn players_lowercase(&self) -> [String; 2] {
        self.players.map(str::to_lowercase)
    }

    /// The sides in programs that know only black and white. The first player is black unless it is called White.
    pub fn colours(&self) -> [&'static str; 2] {
        match self.players[0] {
            "White" => ["white", "black"],
            _ => ["black", "white"],
        }
    }

    /// The extension of the record that is proposed for saving a game.
    pub fn record_extension(&self) -> &'static str {
        self.record_formats
            .first()
            .map_or("txt", |format| format.extension())
    }
}

#[cfg(test)]
mod tests {
    use crate::games::{self, Playable, Visitor, facts::GameFacts};

    /// Whether a game goes on after its example.
    struct ExampleVisitor;

    impl Visitor for ExampleVisitor {
        type Out = bool;

        fn visit<G: Playable>(self, rules: G::Rules) -> bool {
            let mut position = G::start(rules);
            for text in G::FACTS.example.split(' ') {
                position.play(position.parse_move(text).expect("a legal move"));
            }
            position.outcome().is_none()
        }
    }

    #[test]
    fn every_game_explains_itself_in_half_a_page_and_shows_a_typical_position() {
        for facts in games::FACTS {
            let sections = facts.rule_sections();
            assert!(
                matches!(&sections[0], ("", goal) if goal.len() == 1),
                "{sections:?}"
            );
            let is_whole = |(heading, paragraphs): &(&str, Vec<&str>)| {
                !heading.is_empty() && paragraphs.iter().all(|text| text.ends_with(['.', ')']))
            };
            assert!(sections[1..].iter().all(is_whole), "{sections:?}");
            assert!(
                facts.rules.len() < 1800,
                "{}: {}",
                facts.name,
                facts.rules.len()
            );
            assert_eq!(
                games::with_game(facts.name, ExampleVisitor),
                Ok(true),
                "{}",
                facts.name
            );
        }
    }

    #[test]
    fn a_demo_names_its_players() {
        let facts = GameFacts::new("x", "X", "X", ["X", "O"]);
        assert_eq!(facts.demo_names(), ["UCT", "Last good reply"]);
    }
}
