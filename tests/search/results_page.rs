//! The generated tables of engine/RESULTS.md. `UPDATE=1 cargo test --test search` rewrites them.

use std::collections::BTreeMap;

use super::*;

/// The parameters of a search at one game; none if the search cannot play it.
fn parameters(game: &str, search: &str) -> Option<BTreeMap<String, String>> {
    struct Parameters<'a>(&'a str);
    impl Visitor for Parameters<'_> {
        type Out = Option<BTreeMap<String, String>>;

        fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
            let spec = catalog::parse::<G>(self.0).ok()?;
            Some(catalog::parameter_values(&spec))
        }
    }
    games::with_game(game, Parameters(search)).expect("listed games exist")
}

/// Which parameters make a search: those whose values differ from the plain search of its family.
#[test]
fn the_results_page_says_how_the_searches_differ() {
    let mut table =
        String::from("| search | games | what it is | parameters |\n|---|---|---|---|\n");
    for entry in SEARCHES {
        let game = entry.only_game.unwrap_or("connect-four");
        let own = parameters(game, entry.name).expect("a search plays its game");
        let plain = ["uct", "alpha-beta"]
            .iter()
            .filter_map(|name| parameters(game, name))
            .find(|plain| own.keys().filter(|&key| plain.contains_key(key)).count() * 2 > own.len())
            .unwrap_or_default();
        let changed: Vec<String> = (own.iter())
            .filter(|&(key, value)| plain.get(key) != Some(value))
            .map(|(key, value)| format!("`{key}={value}`"))
            .collect();
        table += &format!(
            "| `{}` | {} | {} | {} |\n",
            entry.name,
            entry.only_game.unwrap_or("all"),
            entry.help,
            changed.join(" ")
        );
    }
    support::assert_page_table("engine/RESULTS.md", "searches", &table);
}

/// The constants of `uct` at each game.
#[test]
fn the_results_page_has_the_defaults_of_each_game() {
    let mut table = String::from("| game | `exploration` | `playout_limit` |\n|---|---|---|\n");
    for game in games::NAMES {
        let values = parameters(game, "uct").expect("uct plays every game");
        table += &format!(
            "| {game} | {} | {} |\n",
            values["exploration"], values["playout_limit"]
        );
    }
    support::assert_page_table("engine/RESULTS.md", "defaults", &table);
}
