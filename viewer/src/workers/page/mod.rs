//! A tree as a web page: one file without references to others, which pans, zooms, selects, and shows boards and formulas.
//!
//! The page holds its data as JSON, compressed (raw deflate) and in Base64; `page.html` has what draws it. Everything that takes
//! knowledge is worked out here: positions, boards, values in words, and the terms of the formula.

use std::{collections::HashMap, io::Write as _};

use canopy_engine::games::Player;
use flate2::{Compression, write::DeflateEncoder};
use serde::Serialize;

use self::boards::PageBoards;
use crate::tree::{
    formula::{self, SelectionExplanation},
    model::{Filter, NodeState, TreeModel},
    node_value::{NodeValues, ValueView},
    scene::format_thousands,
    title,
};

mod boards;

/// The most nodes of a page: the most visited ones.
pub const MAX_NODES: usize = 50_000;

const TEMPLATE: &str = include_str!("page.html");
/// Where the template has the data, and the title.
const DATA_MARK: &str = "@DATA@";
const TITLE_MARK: &str = "@TITLE@";

/// The filter of the most visited nodes of a tree, [`MAX_NODES`] at most.
pub fn filter_of(file: &TreeModel, filter: Filter) -> Filter {
    let mut visits: Vec<i32> = (file.tree.nodes().iter().skip(1))
        .map(|row| row.visits)
        .collect();
    let Some(cut) = visits
        .len()
        .checked_sub(MAX_NODES - 1)
        .filter(|&cut| cut > 0)
    else {
        return filter;
    };
    // Of nodes with equal visits all are left out, or none.
    let (_, &mut highest_hidden, _) = visits.select_nth_unstable(cut - 1);
    let least = u32::try_from(highest_hidden).unwrap_or(0).saturating_add(1);
    Filter {
        min_visits: filter.min_visits.max(least),
        ..filter
    }
}

/// What the page is made from.
#[derive(Serialize)]
struct PageData {
    title: String,
    /// How many nodes the page shows of how many.
    extent: String,
    /// The formula by which the search chooses, or why there is none.
    formula: String,
    players: [String; 2],
    /// Whether nodes in which the first player decides are filled light.
    is_first_light: bool,
    /// Moves and values, each text once.
    names: Vec<String>,
    values: Vec<String>,
    nodes: NodeColumns,
    pv: Vec<usize>,
    boards: Option<PageBoards>,
}

/// The nodes, layer by layer; the children of a node stand together.
#[derive(Default, Serialize)]
struct NodeColumns {
    parent: Vec<u32>,
    /// Index of the move into the node, in reading notation.
    name: Vec<u32>,
    visits: Vec<i32>,
    /// Horizontal position, in widths of a node.
    x: Vec<f64>,
    /// Index of the value in words.
    value: Vec<u32>,
    /// Who decides, 0 or 1; 2 and 3 if that player has won, 4 after a draw.
    state: Vec<u8>,
    /// Children that the page leaves out.
    hidden: Vec<u32>,
    /// The terms of the formula: the mean for the player who chooses, and what is added for exploring.
    mean: Vec<Option<f64>>,
    bonus: Vec<Option<f64>>,
    /// Whether the next iteration would choose the node among its siblings.
    next: Vec<u8>,
}

/// Texts, each of them once.
#[derive(Default)]
struct TextTable {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl TextTable {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// The page of a tree. `total` is the number of nodes of the whole tree.
pub fn render(model: &TreeModel, total: usize) -> Result<String, String> {
    let title = (model.meta.as_ref())
        .and_then(|meta| title::tree_title(meta))
        .unwrap_or_else(|| "Search tree".to_owned());
    let (mut names, mut values) = (TextTable::default(), TextTable::default());
    let told = NodeValues::new(model, ValueView::Root);
    let mut nodes = NodeColumns::default();
    for node in 0..model.len() {
        nodes
            .parent
            .push(model.parents.get(node).copied().unwrap_or(0));
        nodes.name.push(names.number(&model.reading(node)));
        nodes.visits.push(model.visits(node));
        nodes
            .x
            .push(round(model.x.get(node).copied().unwrap_or(0.0), 100.0));
        nodes.value.push(values.number(&told.label(node)));
        nodes.state.push(state_code(model, node));
        nodes.hidden.push(model.hidden_below(node));
    }
    let formula = add_terms(model, &mut nodes);
    let data = PageData {
        extent: match total.saturating_sub(model.len()) {
            0 => format!("{} nodes", format_thousands(model.len() as u64)),
            _ => format!(
                "the {} most visited of {} nodes",
                format_thousands(model.len() as u64),
                format_thousands(total as u64)
            ),
        },
        formula,
        players: [Player::First, Player::Second].map(|player| told.wording.name(player).to_owned()),
        is_first_light: model.fills_light(true),
        names: names.texts,
        values: values.texts,
        nodes,
        pv: model.pv.clone(),
        boards: boards::of_model(model),
        title,
    };
    let json = serde_json::to_vec(&data).map_err(|error| error.to_string())?;
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(&json)
        .map_err(|error| error.to_string())?;
    let packed = encoder.finish().map_err(|error| error.to_string())?;
    Ok(TEMPLATE
        .replace(TITLE_MARK, &escape_html(&data.title))
        .replace(DATA_MARK, &base64(&packed)))
}

/// Fills in the terms of all children; returns the formula in words.
fn add_terms(model: &TreeModel, nodes: &mut NodeColumns) -> String {
    nodes.mean = vec![None; model.len()];
    nodes.bonus = vec![None; model.len()];
    nodes.next = vec![0; model.len()];
    let mut text = String::new();
    for node in 0..model.len() {
        if model.children_of(node).is_empty() {
            continue;
        }
        let why = formula::explain_selection(model, node, None);
        if node == 0 {
            text.clone_from(&why.text);
        }
        add_terms_of(&why, nodes);
    }
    text
}

fn add_terms_of(why: &SelectionExplanation, nodes: &mut NodeColumns) {
    for terms in &why.children {
        let Some(child) = terms.node else { continue };
        if let (Some(mean), Some(bonus), Some(next)) = (
            nodes.mean.get_mut(child),
            nodes.bonus.get_mut(child),
            nodes.next.get_mut(child),
        ) {
            *mean = terms.mean.map(|mean| round(mean, 1e5));
            *bonus = (terms.exploration)
                .filter(|bonus| bonus.is_finite())
                .map(|bonus| round(bonus, 1e5));
            *next = u8::from(why.next_row == Some(terms.row));
        }
    }
}

fn state_code(model: &TreeModel, node: usize) -> u8 {
    match model.node_states.get(node) {
        Some(NodeState::First) | None => 0,
        Some(NodeState::Second) => 1,
        Some(NodeState::FirstWins) => 2,
        Some(NodeState::SecondWins) => 3,
        Some(NodeState::Draw) => 4,
    }
}

/// A number with as many digits as `unit` has zeros.
fn round(number: f64, unit: f64) -> f64 {
    (number * unit).round() / unit
}

/// Text between tags and in attributes.
fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Base64 of RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().enumerate().fold(0, |group, (index, &byte)| {
            group | u32::from(byte) << (16 - 8 * index)
        });
        for digit in 0..4 {
            let value = (group >> (18 - 6 * digit) & 63) as usize;
            let symbol = DIGITS.get(value).copied().unwrap_or(b'=');
            text.push(if digit <= chunk.len() {
                symbol.into()
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
