//! Titles of trees in words, and long names with their middle left out.

use canopy_engine::{
    games::{self, notation::escape_invisible},
    tree::meta::Meta,
};

/// Words of search names that are written in capitals.
const ACRONYMS: &[&str] = &["uct", "puct", "ucb1", "lgr1", "lgr2", "fpu"];

/// The title of a tree, such as "Othello · move 7 · UCT"; none if nothing is known of it.
pub fn tree_title(meta: &Meta) -> Option<String> {
    let game = game_title(&meta.game);
    let search = search_title(&meta.search);
    if game.is_empty() && search.is_empty() {
        return None;
    }
    let mv = format!("move {}", u64::from(meta.ply) + 1);
    let parts = [game, mv, search];
    let parts: Vec<&str> = (parts.iter().map(String::as_str))
        .filter(|part| !part.is_empty())
        .collect();
    Some(parts.join(" · "))
}

/// A game as people write it, with its variant.
pub fn game_title(name: &str) -> String {
    let title = games::facts_of(name).map(|facts| facts.title);
    let variant = name.split_once(':').map(|(_, variant)| variant);
    match (title, variant) {
        (Some(title), Some(variant)) => format!("{title} {}", escape_invisible(variant)),
        (Some(title), None) => title.to_owned(),
        (None, _) => escape_invisible(name).into_owned(),
    }
}

/// A search as people write it: "UCT", "Alpha-beta", "LGR2, exploration=0.7".
pub fn search_title(name: &str) -> String {
    let name = escape_invisible(name);
    let (name, parameters) = name.split_once(',').unwrap_or((&name, ""));
    let words = name.split('-').enumerate().map(|(index, word)| {
        if ACRONYMS.contains(&word) {
            word.to_uppercase()
        } else if index == 0 {
            capitalised(word)
        } else {
            word.to_owned()
        }
    });
    let title = words.collect::<Vec<_>>().join("-");
    if parameters.is_empty() {
        title
    } else {
        format!("{title}, {}", parameters.replace(',', ", "))
    }
}

/// A search with what matters most of its parameters: "UCT, C = 1.41" or "Alpha-beta, depth 8".
pub fn search_line(meta: &Meta) -> String {
    let name = meta.search.split(',').next().unwrap_or_default();
    let title = search_title(name);
    let parameter = |name: &str| {
        meta.parameters
            .get(name)
            .map(|value| escape_invisible(value))
    };
    // Older sidecars name a constant for UCB1-tuned, too, which has none.
    let is_tuned = parameter("select").is_some_and(|select| select == "ucb1-tuned");
    match (parameter("exploration"), parameter("depth")) {
        (Some(constant), _) if !is_tuned => format!("{title}, C = {constant}"),
        (None, Some(depth)) => format!("{title}, depth {depth}"),
        _ => title,
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// A text of at most `max_chars` letters: where it is longer, its middle is an ellipsis.
pub fn middle_ellipsis(text: &str, max_chars: usize) -> String {
    // A file may have names of any length: only as much of them is looked at as decides.
    if text.chars().nth(max_chars).is_none() {
        return text.to_owned();
    }
    let kept = max_chars.saturating_sub(1);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    let end = text.char_indices().rev().take(tail).last();
    let begin: String = text.chars().take(head).collect();
    let end = end.map_or("", |(at, _)| &text[at..]);
    format!("{begin}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_called_by_game_move_and_search() {
        let title = |game: &str, ply: u32, search: &str| {
            tree_title(&Meta {
                game: game.to_owned(),
                ply,
                search: search.to_owned(),
                ..Meta::default()
            })
        };
        let is = |one: Option<String>, other: &str| assert_eq!(one.as_deref(), Some(other));
        is(title("othello", 6, "uct"), "Othello · move 7 · UCT");
        is(
            title("connect-four", 0, "transposition-lgr2-002"),
            "Connect four · move 1 · Transposition-LGR2-002",
        );
        is(
            title("kalah:4x3", 2, "alpha-beta"),
            "Kalah 4x3 · move 3 · Alpha-beta",
        );
        is(title("", 1, "ucb1-tuned"), "move 2 · UCB1-tuned");
        assert_eq!(title("", 0, ""), None);
        assert_eq!(
            search_title("lgr2,exploration=0.7"),
            "LGR2, exploration=0.7"
        );
    }

    #[test]
    fn a_search_is_told_with_its_constant_or_its_depth() {
        let line = |search: &str, parameters: &[(&str, &str)]| {
            search_line(&Meta {
                search: search.to_owned(),
                parameters: (parameters.iter())
                    .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
                ..Meta::default()
            })
        };
        let constant = ("exploration", "0.5");
        assert_eq!(line("uct", &[constant]), "UCT, C = 0.5");
        assert_eq!(line("uct,exploration=0.5", &[constant]), "UCT, C = 0.5");
        assert_eq!(
            line("ucb1-tuned", &[("select", "ucb1-tuned"), constant]),
            "UCB1-tuned"
        );
        assert_eq!(line("alpha-beta", &[("depth", "8")]), "Alpha-beta, depth 8");
    }

    #[test]
    fn the_middle_of_a_long_name_is_left_out() {
        assert_eq!(middle_ellipsis("short", 5), "short");
        assert_eq!(middle_ellipsis("abcdefghij", 7), "abc…hij");
        assert_eq!(middle_ellipsis("abcdefghij", 6), "abc…ij");
        assert_eq!(middle_ellipsis("日本語の名前", 4), "日本…前");
        assert_eq!(middle_ellipsis("abc", 1), "…");
    }
}
