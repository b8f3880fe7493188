//! Trees as web pages: what the data of a page says, and how large it is. A browser opens them in tests/chromium/check_page.py.

use std::{
    collections::BTreeMap,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    process::Command,
};

use canopy_engine::{
    games::{self, BoardPlace, Piece, Playable, Visitor, notation},
    tree::files::{self, Document},
};
use serde_json::Value;

use crate::support::{Scratch, window::grow};

/// The bytes of text in Base64.
fn from_base64(text: &str) -> Vec<u8> {
    let digit = |symbol: u8| match symbol {
        b'A'..=b'Z' => symbol - b'A',
        b'a'..=b'z' => symbol - b'a' + 26,
        b'0'..=b'9' => symbol - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("no digit of Base64: {symbol}"),
    };
    let digits = text.bytes().filter(|&symbol| symbol != b'=').map(digit);
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for digit in digits {
        (bits, held) = (bits << 6 | u32::from(digit), held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

/// Grows a tree and renders it as a page; the tree's file, the page, and the page's data.
fn page_of(scratch: &Scratch, options: &str) -> (PathBuf, String, Value) {
    let directory = scratch.0.join("trees");
    let tree = grow(&directory, options).remove(0);
    let (page, data) = render_page(&tree, &scratch.0.join("page.html"));
    (tree, page, data)
}

fn render_page(tree: &Path, page: &Path) -> (String, Value) {
    let rendered = Command::new(env!("CARGO_BIN_EXE_canopy-viewer"))
        .arg("render")
        .arg(tree)
        .arg("-o")
        .arg(page)
        .output()
        .expect("the program starts");
    assert!(rendered.status.success(), "{rendered:?}");
    let text = fs::read_to_string(page).expect("the page is there");
    let packed = text.split("id=\"data\">").nth(1).expect("there is data");
    let packed = packed.split('<').next().unwrap_or_default();
    let mut json = String::new();
    flate2::read::DeflateDecoder::new(from_base64(packed).as_slice())
        .read_to_string(&mut json)
        .expect("the data is compressed text");
    let data = serde_json::from_str(&json).expect("the data is JSON");
    (text, data)
}

fn numbers(data: &Value, column: &str) -> Vec<f64> {
    let column = data["nodes"][column].as_array().expect("it is a column");
    let numbers = column.iter().map(|number| number.as_f64());
    numbers.map(|number| number.unwrap_or(f64::NAN)).collect()
}

/// The moves from the root to a node of a page.
fn moves_to(data: &Value, mut node: usize) -> Vec<usize> {
    let parents = numbers(data, "parent");
    let mut path = Vec::new();
    while node != 0 {
        path.push(node);
        node = parents[node] as usize;
    }
    path.reverse();
    path
}

/// The board of a node as a page puts it together.
fn board(data: &Value, node: usize) -> BTreeMap<u64, (String, u64)> {
    let mut lies = BTreeMap::new();
    for step in std::iter::once(0).chain(moves_to(data, node)) {
        let changes: Vec<u64> = (data["boards"]["changes"][step].as_array())
            .expect("every node has changes")
            .iter()
            .map(|number| number.as_u64().expect("a number"))
            .collect();
        for change in changes.chunks(3) {
            match change[1] {
                0 => lies.remove(&change[0]),
                piece => {
                    let name = &data["boards"]["pieces"][piece as usize - 1];
                    let name = name.as_str().expect("a name").to_owned();
                    lies.insert(change[0], (name, change[2]))
                }
            };
        }
    }
    lies
}

/// What lies on the board by the rules, by the name of the piece: how many places have it, and how many of it there are.
struct CountPieces<'a>(Vec<&'a str>);

impl Visitor for CountPieces<'_> {
    type Out = BTreeMap<String, (u64, u64)>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let mut position: G = notation::read_position(rules, "startpos").expect("the start");
        for text in self.0 {
            let mv = position.parse_move(text).expect("a legal move");
            position.play(mv);
        }
        let mut counts = BTreeMap::new();
        for (place, piece, count) in position.pieces() {
            let name = match (piece, place) {
                (Piece::Chess(letter), _) => letter.to_string(),
                (Piece::Disc(player), BoardPlace::Square { .. } | BoardPlace::Reserve { .. }) => {
                    (player.index() + 1).to_string()
                }
                _ => String::new(),
            };
            let entry: &mut (u64, u64) = counts.entry(name).or_default();
            *entry = (entry.0 + 1, entry.1 + u64::from(count));
        }
        counts
    }
}

/// Of some nodes: the page's board has the pieces that the rules put there. Nothing is left out, so that the children of a node
/// stand in the page as in the file.
fn check_boards(game: &str, document: &Document, data: &Value) {
    let tree = &document.tree;
    let sizes = tree.subtree_sizes();
    let parents = numbers(data, "parent");
    for node in (0..parents.len()).step_by(1 + parents.len() / 60) {
        let (mut row, mut moves) = (0, Vec::new());
        for step in moves_to(data, node) {
            let siblings = (1..step).filter(|&other| parents[other] == parents[step]);
            row = (tree.children(row, &sizes))
                .nth(siblings.count())
                .expect("the file has the page's node");
            moves.push(tree.move_name(row));
        }
        let expected = games::with_game(game, CountPieces(moves)).expect("a game");
        let mut shown: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for (piece, count) in board(data, node).into_values() {
            let entry = shown.entry(piece).or_default();
            *entry = (entry.0 + 1, entry.1 + count);
        }
        assert_eq!(shown, expected, "{game}: node {node}");
    }
}

#[test]
fn a_page_has_the_tree_with_its_boards_and_terms() {
    for game in games::NAMES {
        let scratch = Scratch::new(&format!("page-{game}"));
        let (tree, text, data) = page_of(
            &scratch,
            &format!("--game {game} --search uct --iterations 400"),
        );
        // The name of SVG's elements is the only address in it.
        let addresses: Vec<&str> = text.split("http").skip(1).collect();
        assert!(
            addresses.len() == 1 && addresses[0].starts_with("://www.w3.org/2000/svg"),
            "{game}: {addresses:?}"
        );
        let document = files::read(&tree, None).expect("the tree can be read");
        let visits = numbers(&data, "visits");
        assert_eq!(visits.len(), document.tree.nodes().len(), "{game}");
        let mut in_file: Vec<i32> = (document.tree.nodes()[1..].iter())
            .map(|row| row.visits)
            .collect();
        let mut in_page: Vec<i32> = visits[1..].iter().map(|&visits| visits as i32).collect();
        in_file.sort_unstable();
        in_page.sort_unstable();
        assert_eq!(in_page, in_file, "{game}");
        check_boards(game, &document, &data);
        // UCT: the bonus is C times the square root of ln N over n.
        let (parents, bonus) = (numbers(&data, "parent"), numbers(&data, "bonus"));
        let root = visits[0];
        let child = parents
            .iter()
            .skip(1)
            .position(|&parent| parent == 0.0)
            .expect("a child")
            + 1;
        let constant = bonus[child] / (root.ln() / visits[child]).sqrt();
        assert!((0.05..1.5).contains(&constant), "{game}: C = {constant}");
    }
}

#[test]
fn a_page_of_a_large_tree_has_its_most_visited_nodes_in_three_megabytes() {
    let scratch = Scratch::new("page-large");
    let (tree, text, data) = page_of(&scratch, "--game othello --search uct --iterations 120000");
    let document = files::read(&tree, None).expect("the tree can be read");
    let shown = numbers(&data, "visits");
    assert!(document.tree.nodes().len() > 50_000);
    assert!((10_000..=50_000).contains(&shown.len()), "{}", shown.len());
    assert!(text.len() <= 3_000_000, "{} bytes", text.len());
    let least = shown.iter().copied().fold(f64::INFINITY, f64::min);
    let left_out = (document.tree.nodes()[1..].iter())
        .filter(|row| f64::from(row.visits) >= least)
        .count();
    assert_eq!(
        left_out,
        shown.len() - 1,
        "nodes of as many visits are all there"
    );
    assert!(data["extent"].as_str().unwrap().contains("most visited of"));
}
