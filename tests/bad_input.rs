//! Bad positions and moves give a typed error that names the culprit and what was expected. Nothing panics.

mod support;

use canopy_engine::games::{
    self, History, Playable, Visitor,
    notation::{self, ParseError, position_text},
    othello::ggf::GgfRecord,
};
use proptest::prelude::*;
use support::{data_lines, every_variant, read_data};

/// Parses a position, then `mv` in it if given; returns what was parsed, as text.
struct ReadPosition<'a> {
    position: &'a str,
    mv: Option<&'a str>,
}

impl Visitor for ReadPosition<'_> {
    type Out = Result<String, ParseError>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let position: G = notation::read_position(rules, self.position)?;
        let Some(mv) = self.mv else {
            return Ok(position_text(&position));
        };
        position
            .parse_move(mv)
            .map(|mv| notation::move_text(&position, mv))
    }
}

fn read_position(game: &str, position: &str, mv: Option<&str>) -> Result<String, ParseError> {
    games::with_game(game, ReadPosition { position, mv }).expect("a known game")
}

#[test]
fn the_table_of_bad_input_is_refused_with_reasons() {
    let mut refused = 0;
    for (number, line) in data_lines(&read_data("bad_input.txt")) {
        let [game, kind, text, fragment] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("line {number}: expected four columns")
        };
        let read = match kind.strip_prefix("move @ ") {
            None if kind == "ggf" => GgfRecord::parse(text).map(|record| record.to_string()),
            None => read_position(game, text, None),
            Some(position) => {
                read_position(game, position, None)
                    .unwrap_or_else(|error| panic!("line {number}: the place itself: {error}"));
                read_position(game, position, Some(text))
            }
        };
        // A row without a message stands beside bad ones, to show how little it takes: it must be accepted.
        if fragment.is_empty() {
            read.unwrap_or_else(|error| panic!("line {number}: {error}"));
            continue;
        }
        let error = read.expect_err(&format!("line {number}")).to_string();
        assert!(error.contains(fragment), "line {number}: {error}");
        assert!(error.contains("expected "), "line {number}: {error}");
        assert!(!error.contains('\n'), "line {number}: {error}");
        refused += 1;
    }
    assert!(refused >= 150, "{refused} rows");
}

#[test]
fn a_flood_of_garbage_is_refused_in_a_short_sentence() {
    let floods = [
        "8/".repeat(5000),
        "X".repeat(10_240),
        "<6,".repeat(3000),
        "\u{1F332}".repeat(2560),
        "4".repeat(10_240),
    ];
    for game in every_variant() {
        for flood in &floods {
            for read in [
                read_position(&game, flood, None),
                read_position(&game, "startpos", Some(flood)),
            ] {
                let error = read.expect_err(&game).to_string();
                assert!(
                    error.contains("bytes") && error.len() < 800,
                    "{game}: {error}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,80}") {
        for game in every_variant() {
            let _ = read_position(&game, &text, None);
            let _ = read_position(&game, "startpos", Some(&text));
        }
        struct Anything;
        impl Visitor for Anything {
            type Out = ();

            fn visit<G: Playable>(self, _: G::Rules) {}
        }
        let _ = games::with_game(&text, Anything);
    }

    #[test]
    fn nearly_right_text_never_panics_and_what_is_accepted_reads_back(
        game in 0..every_variant().len(),
        text in "[-0-9a-hA-HnswbprqkNPRQK*oXO.<>,/ \\[\\]@:;%]{0,90}",
    ) {
        let game = &every_variant()[game];
        if let Ok(accepted) = read_position(game, &text, None) {
            prop_assert_eq!(read_position(game, &accepted, None), Ok(accepted));
        }
        let _ = read_position(game, "startpos", Some(&text));
    }

    #[test]
    fn records_of_nonsense_never_panic(game in 0..every_variant().len(), record in "[-a-h1-8x+@/ Pż]{0,40}") {
        struct ParseMoves<'a>(&'a str);
        impl Visitor for ParseMoves<'_> {
            type Out = ();

            fn visit<G: Playable>(self, rules: G::Rules) {
                let _ = notation::play_moves(&mut G::start(rules), &mut History::new(), self.0, |_, _| {});
            }
        }
        games::with_game(&every_variant()[game], ParseMoves(&record)).unwrap();
    }

    #[test]
    fn mutilated_positions_never_panic(
        game in 0..every_variant().len(), at in any::<proptest::sample::Index>(), symbol in any::<char>(), cut in any::<bool>(),
    ) {
        let game = &every_variant()[game];
        let mut text: Vec<char> = read_position(game, "startpos", None).unwrap().chars().collect();
        let at = at.index(text.len());
        if cut { text.truncate(at) } else { text[at] = symbol }
        let text: String = text.into_iter().collect();
        if let Ok(accepted) = read_position(game, &text, None) {
            prop_assert_eq!(read_position(game, &accepted, None), Ok(accepted));
        }
    }
}
