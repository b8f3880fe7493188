//! The sentences of hundreds of pairs of moves, beside figures of our own from the rows of the trees.

use canopy_engine::explain::{self, SearchFacts};
use canopy_engine::tree::{Tree, files::Document};

use crate::pictures::grow_document;

/// Searches: games whose moves are written as the file has them, with the names of their sides.
const SEARCHES: [(&str, &str, [&str; 2], u64); 6] = [
    ("connect-four", "uct", ["X", "O"], 300),
    ("connect-four", "uct-fpu", ["X", "O"], 2500),
    ("connect-four", "lgr2", ["X", "O"], 40),
    ("othello", "uct", ["Black", "White"], 1200),
    ("kalah", "uct", ["South", "North"], 2500),
    ("kalah", "puct", ["South", "North"], 200),
];

/// A tree with the rows below each row.
struct Rows<'a> {
    tree: &'a Tree,
    sizes: Vec<u32>,
    /// Whether the first player is to move at the root.
    is_first: bool,
    /// Whether the side to move there counts as the owner of values everywhere.
    players: [&'a str; 2],
}

impl Rows<'_> {
    fn visits(&self, row: usize) -> u64 {
        self.tree.nodes()[row].visits.unsigned_abs().into()
    }

    fn below(&self, row: usize) -> Vec<usize> {
        self.tree.children(row, &self.sizes).collect()
    }

    fn name(&self, row: usize) -> &str {
        self.tree.move_name(row)
    }

    /// Whether the first player is to move at a row.
    fn is_first_to_move(&self, row: usize) -> Option<bool> {
        match self.tree.state(row).split(' ').next() {
            _ if row == 0 => Some(self.is_first),
            Some("p1") => Some(true),
            Some("p2") => Some(false),
            _ => None,
        }
    }

    /// The share of wins of the side to move at the root, from the mean of the side that made the move.
    fn share(&self, row: usize) -> f64 {
        let node = &self.tree.nodes()[row];
        let maker = self
            .is_first_to_move(node.parent as usize)
            .expect("it goes on there");
        if maker == self.is_first {
            node.mean
        } else {
            1.0 - node.mean
        }
    }

    fn owner(&self) -> &str {
        self.players[usize::from(!self.is_first)]
    }
}

/// A count with commas.
fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A percentage: one decimal above 1,000 visits.
fn percent(share: f64, visits: u64) -> String {
    match visits > 1000 {
        true => format!("{:.1} %", share * 100.0),
        false => format!("{:.0} %", share * 100.0),
    }
}

/// Wilson's interval (1927) with 95 % confidence.
fn wilson(share: f64, visits: u64) -> (f64, f64) {
    let (z, n) = (1.959_963_984_540_054_f64, visits as f64);
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
    (middle - half, middle + half)
}

/// Newcombe's interval (1998, method 10) for the difference is above 0.
fn is_above(one: (f64, u64), other: (f64, u64)) -> bool {
    let (low, _) = wilson(one.0, one.1);
    let (_, high) = wilson(other.0, other.1);
    one.0 - other.0 - ((one.0 - low).powi(2) + (high - other.0).powi(2)).sqrt() > 0.0
}

/// The sentence on visits, without its beginning.
fn visits_sentence(rows: &Rows<'_>, [one, other]: [usize; 2]) -> String {
    let total: u64 = rows.below(0).iter().map(|&row| rows.visits(row)).sum();
    let part = |row: usize| percent(rows.visits(row) as f64 / total as f64, total);
    format!(
        "{} has {} visits ({}), {} has {} ({}).",
        rows.name(one),
        count(rows.visits(one)),
        part(one),
        rows.name(other),
        count(rows.visits(other)),
        part(other)
    )
}

/// The sentence on results, without what a journal tells.
fn results_sentence(rows: &Rows<'_>, [one, other]: [usize; 2]) -> String {
    let told = [one, other].map(|row| (rows.share(row), rows.visits(row)));
    let begin = match told[0].0 >= told[1].0 {
        true => "Visits follow results: of the games tried, ".to_owned(),
        false => format!("{} did better in the games tried: ", rows.name(other)),
    };
    let sure = match is_above(told[0], told[1]) || is_above(told[1], told[0]) {
        true => "That is more than chance",
        false => "That may still be chance",
    };
    let [first, second] = told.map(|(share, visits)| percent(share, visits));
    let [first_interval, second_interval] = told.map(|(share, visits)| {
        let (low, high) = wilson(share, visits);
        let low = percent(low, visits).replace(" %", "");
        format!("{low} to {}", percent(high, visits))
    });
    format!(
        "{begin}{} wins {first} after {} and {second} after {}. {sure}: 95 % intervals {first_interval} and {second_interval}.",
        rows.owner(),
        rows.name(one),
        rows.name(other)
    )
}

/// What is said of the answer to a move: which, how often, and what it leads to.
fn answer(rows: &Rows<'_>, row: usize) -> Option<(usize, String)> {
    let answers = rows.below(row);
    let most = answers
        .iter()
        .copied()
        .rev()
        .max_by_key(|&row| rows.visits(row))?;
    if rows.visits(most) == 0 {
        return None;
    }
    let all: u64 = answers.iter().map(|&row| rows.visits(row)).sum();
    let part = rows.visits(most) as f64 / all as f64 * 100.0;
    let mut text = format!(
        "{}, in {} of {} tries ({part:.0} %)",
        rows.name(most),
        count(rows.visits(most)),
        count(all)
    );
    // Where the game is over, that is told instead of a share.
    if rows.is_first_to_move(most).is_some() {
        let share = percent(rows.share(most), rows.visits(most));
        text += &format!("; then {} wins {share}", rows.owner());
        text.push('.');
    }
    Some((most, text))
}

fn check_tree(document: &Document, players: [&str; 2]) -> usize {
    let meta = document.meta.as_ref().expect("a sidecar");
    let rows = Rows {
        tree: &document.tree,
        sizes: document.tree.subtree_sizes(),
        is_first: meta.to_move == 1,
        players,
    };
    let facts = SearchFacts::new(&document.tree, Some(meta), None).expect("a sidecar");
    let is_open = |&row: &usize| rows.is_first_to_move(row).is_some() && rows.visits(row) > 0;
    let moves: Vec<usize> = rows.below(0).into_iter().filter(is_open).collect();
    let mut checked = 0;
    for &one in &moves {
        for &other in moves.iter().filter(|&&other| other != one) {
            let names = [rows.name(one), rows.name(other)];
            let told = explain::explain(&facts, Some(names), None).expect("two moves");
            let texts: Vec<String> = (told.sentences.iter())
                .map(|sentence| explain::sentence_text(sentence))
                .collect();
            let pair = [one, other];
            let visits = visits_sentence(&rows, pair);
            assert!(texts[0].ends_with(&visits), "{visits}: {texts:#?}");
            assert_eq!(texts[1], results_sentence(&rows, pair), "{texts:#?}");
            for (row, begin) in [(other, "answer to"), (one, "it expects")] {
                let Some((_, expected)) = answer(&rows, row) else {
                    continue;
                };
                let is_same_side = rows.is_first_to_move(row) == Some(rows.is_first);
                let begin = match (begin, is_same_side) {
                    ("answer to", false) => {
                        let player = rows.players[usize::from(rows.is_first)];
                        format!("{player}'s best answer to {} is ", rows.name(row))
                    }
                    ("answer to", true) => {
                        format!("After {} {} goes on with ", rows.name(row), rows.owner())
                    }
                    _ => format!("After {} it expects ", rows.name(row)),
                };
                let expected = begin + &expected;
                assert!(texts[2].contains(&expected), "{expected}: {texts:#?}");
            }
            checked += 1;
        }
    }
    checked
}

#[test]
fn the_figures_of_hundreds_of_pairs_are_those_of_the_rows() {
    let mut checked = 0;
    for (game, search, players, iterations) in SEARCHES {
        let mut moves: Vec<String> = Vec::new();
        // The start, and what the search itself plays from there: each side is to move in turn.
        for _ in 0..4 {
            let document = grow_document(game, &moves, search, iterations);
            checked += check_tree(&document, players);
            let chosen = document.meta.and_then(|meta| meta.chosen);
            moves.push(chosen.expect("it has chosen"));
        }
    }
    assert!(checked > 400, "{checked} pairs");
}
