//! Lists of positions, one a line: suites for solvers and judges of searches.
//!
//! A line is `GAME<TAB>POSITION[<TAB>MOVES][<TAB>KEY=VALUE ...]`. Empty lines and lines that begin with `#` are passed over. If a
//! game is known beforehand, lines without tabs are read, too: first as a test set of other programs
//! ([`Notation::parse_test_line`]), else as a bare position.

use super::{
    History, Notation, ParseError, Playable, Visitor,
    notation::{self, quote},
};

/// One line of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionEntry {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The game, with its variant.
    pub game: String,
    /// The position from which the moves are played; `startpos` for the start of the game.
    pub position: String,
    /// The moves, with spaces between them.
    pub moves: String,
    /// What else is said, in order: keys and values.
    pub fields: Vec<(String, String)>,
}

impl PositionEntry {
    /// The value said for `key`.
    pub fn field(&self, key: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(name, _)| name == key);
        found.next().map(|(_, value)| value.as_str())
    }

    /// Whether it is of the game `G` with these rules.
    pub fn is_of_game<G: Playable>(&self, rules: G::Rules) -> bool {
        let (word, variant) = self.game.split_once(':').unwrap_or((&self.game, ""));
        G::FACTS.is_called(word.trim())
            && notation::parse_variant::<G>(variant).is_ok_and(|other| other == rules)
    }

    /// The position after the moves, and its history.
    pub fn read<G: Playable>(&self, rules: G::Rules) -> Result<(G, History), ParseError> {
        let mut position: G = notation::read_position(rules, &self.position)?;
        let mut history = History::new();
        history.push(&position);
        notation::play_moves(&mut position, &mut history, &self.moves, |_, _| ())?;
        Ok((position, history))
    }
}

/// Why a list was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct PositionListError {
    /// The number of the line, counted from 1.
    pub line: usize,
    /// What is wrong with it, and what was expected.
    pub problem: String,
}

/// Reads a list. `game` is the game of lines that do not name theirs.
pub fn parse(text: &str, game: Option<&str>) -> Result<Vec<PositionEntry>, PositionListError> {
    let mut entries = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text
            .trim_start_matches('\u{feff}')
            .trim_end_matches([' ', '\r']);
        if text.trim().is_empty() || text.trim_start().starts_with('#') {
            continue;
        }
        let entry =
            parse_line(text, game).map_err(|problem| PositionListError { line, problem })?;
        entries.push(PositionEntry { line, ..entry });
    }
    Ok(entries)
}

fn parse_line(text: &str, game: Option<&str>) -> Result<PositionEntry, String> {
    if !text.contains('\t') {
        let game = game.ok_or_else(|| {
            let text = quote(text);
            format!("no tab in {text}: expected a game, a tab and a position, or --game")
        })?;
        return super::with_game(game, ParseTestLine { game, text })
            .map_err(|error| error.to_string());
    }
    let mut columns = text.split('\t').map(str::trim);
    let game = columns.next().unwrap_or_default();
    super::facts_of(game)
        .ok_or_else(|| ParseError::unknown_game(game, super::NAMES).to_string())?;
    let position = columns.next().unwrap_or_default();
    if position.is_empty() {
        return Err("no position after the game: expected one, or startpos".to_owned());
    }
    let mut entry = PositionEntry {
        game: game.to_owned(),
        position: position.to_owned(),
        ..PositionEntry::default()
    };
    for (index, column) in columns.enumerate() {
        let is_moves = index == 0 && column.split_whitespace().all(|word| field(word).is_none());
        if is_moves {
            entry.moves = column.to_owned();
            continue;
        }
        for word in column.split_whitespace() {
            let field = field(word).ok_or_else(|| {
                let word = quote(word);
                format!("{word} says nothing here: expected KEY=VALUE")
            })?;
            entry.fields.push(field);
        }
    }
    Ok(entry)
}

/// A `KEY=VALUE` word. Keys have small letters only, so that a promotion (`e7e8=Q`) is none.
fn field(word: &str) -> Option<(String, String)> {
    let (key, value) = word.split_once('=')?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_'));
    is_key.then(|| (key.to_owned(), value.to_owned()))
}

struct ParseTestLine<'a> {
    game: &'a str,
    text: &'a str,
}

impl Visitor for ParseTestLine<'_> {
    type Out = PositionEntry;

    fn visit<G: Playable>(self, _: G::Rules) -> PositionEntry {
        let entry = <G as Notation>::parse_test_line(self.text).unwrap_or_else(|| PositionEntry {
            position: self.text.trim().to_owned(),
            ..PositionEntry::default()
        });
        PositionEntry {
            game: self.game.to_owned(),
            ..entry
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str, game: Option<&str>) -> PositionEntry {
        let mut entries = parse(text, game).expect("the list can be read");
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.remove(0)
    }

    #[test]
    fn a_line_names_game_position_moves_and_fields() {
        let text =
            "# a comment\n\nconnect-four\tstartpos\t4 4 3\tvalue=win:2 level=3\tsource=ours\n";
        let entry = only(text, None);
        assert_eq!((entry.line, entry.game.as_str()), (3, "connect-four"));
        assert_eq!(
            (entry.position.as_str(), entry.moves.as_str()),
            ("startpos", "4 4 3")
        );
        assert_eq!(entry.field("level"), Some("3"));
        assert_eq!(entry.field("source"), Some("ours"));
        assert_eq!(entry.field("nothing"), None);
    }

    #[test]
    fn moves_may_be_left_out_and_promotions_are_no_fields() {
        let entry = only("chess\tstartpos\tvalue=draw", None);
        assert_eq!(
            (entry.moves.as_str(), entry.field("value")),
            ("", Some("draw"))
        );
        let entry = only("chess\t8/P7/8/8/8/8/8/K1k5 w - - 0 1\ta8=Q", None);
        assert_eq!(entry.moves, "a8=Q");
    }

    #[test]
    fn test_sets_of_other_programs_are_read() {
        let entry = only("32461175 4\n", Some("connect-four"));
        assert_eq!(
            (entry.moves.as_str(), entry.field("value")),
            ("32461175", Some("4"))
        );
        let line = "63742577753471 -11,-,-11,3,2,-12,-11 good=45 best=3";
        let entry = only(line, Some("connect-four"));
        assert_eq!(
            entry.field("values"),
            Some("1:-11,3:-11,4:3,5:2,6:-12,7:-11")
        );
        assert_eq!(entry.field("value"), Some("3"));
        let board = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------";
        let entry = only(&format!("{board} X; A2:+38; C7:+36;"), Some("othello"));
        assert_eq!(entry.position, format!("{board} X"));
        assert_eq!(entry.field("values"), Some("a2:38,c7:36"));
        assert_eq!(entry.field("value"), Some("38"));
    }

    #[test]
    fn a_bare_line_is_a_position_of_the_game_that_is_known() {
        let entry = only("8/8/8/8/8/8/8/K1k5 w - - 0 1", Some("chess"));
        assert_eq!(entry.position, "8/8/8/8/8/8/8/K1k5 w - - 0 1");
    }

    #[test]
    fn a_wrong_line_is_named_with_what_was_expected() {
        for (text, message) in [
            (
                "chess\tstartpos\nstartpos",
                "line 2: no tab in \"startpos\": expected a game",
            ),
            (
                "go\tstartpos",
                "line 1: unknown game \"go\": expected chess",
            ),
            ("chess\t\t", "line 1: no position after the game"),
            (
                "chess\tstartpos\te4\twhat",
                "line 1: \"what\" says nothing here: expected KEY=VALUE",
            ),
        ] {
            let error = parse(text, None).expect_err(text).to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
