//! JSON Lines: a node is a line, an object with its own id and that of its parent, in any order.

use std::{
    collections::HashMap,
    io::{BufRead, Read as _},
};

use super::{
    super::TreeError,
    json::{JsonEvent, JsonReader},
    mapping::{Field, Mapping, scalar_text},
    node_table::NodeTable,
};

/// Bytes of the longest line that is read.
const MAX_LINE_BYTES: u64 = 1 << 24;

/// Reads a file.
pub fn read(mut input: impl BufRead, mapping: &Mapping) -> Result<NodeTable, TreeError> {
    let mut table = NodeTable::default();
    let mut by_id: HashMap<Box<str>, u32> = HashMap::new();
    // Nodes whose parent is named but not known yet, with their lines.
    let mut orphans: Vec<(u32, Box<str>, u64)> = Vec::new();
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let read = input
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut text)?;
        if read == 0 {
            break;
        }
        if read as u64 == MAX_LINE_BYTES {
            let problem = format!("a line of more than {MAX_LINE_BYTES} bytes");
            return Err(TreeError::at_line(line, problem));
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let node = table.add(None, line)?;
        let (id, parent) = read_node(&text, line, node, mapping, &mut table)?;
        let Some(id) = id else {
            let expected = mapping.id.as_deref().unwrap_or("id");
            let problem = format!(
                "the node has no id: expected the key {expected:?}, or another one with --id"
            );
            return Err(TreeError::at_line(line, problem));
        };
        if let Some(parent) = parent {
            match by_id.get(&*parent) {
                Some(&parent) => table.set_parent(node, parent),
                None if *parent == *id => {
                    let problem = format!("the node {id:?} is its own parent");
                    return Err(TreeError::at_line(line, problem));
                }
                None => orphans.push((node, parent.into(), line)),
            }
        }
        if by_id.insert(id.clone().into(), node).is_some() {
            let problem = format!("a second node has the id {id:?}");
            return Err(TreeError::at_line(line, problem));
        }
    }
    for (node, parent, line) in orphans {
        match by_id.get(&parent) {
            Some(&parent) => table.set_parent(node, parent),
            None => {
                let problem = format!("no node has the id {parent:?} of the parent");
                return Err(TreeError::at_line(line, problem));
            }
        }
    }
    Ok(table)
}

/// Reads the object of a line into a node; returns its id and that of its parent.
fn read_node(
    text: &[u8],
    line: u64,
    node: u32,
    mapping: &Mapping,
    table: &mut NodeTable,
) -> Result<(Option<String>, Option<String>), TreeError> {
    // The line's own number replaces that of the reader, which sees one line.
    let place = |error: TreeError| match error {
        TreeError::Malformed { problem, .. } => TreeError::at_line(line, problem),
        error => error,
    };
    let mut json = JsonReader::new(text);
    let (mut id, mut parent, mut key) = (None, None, String::new());
    let mut depth = 0_usize;
    while let Some(event) = json.next_event().map_err(place)? {
        match event {
            JsonEvent::BeginObject => depth += 1,
            JsonEvent::BeginArray if depth == 0 => break,
            JsonEvent::BeginArray => depth += 1,
            JsonEvent::EndObject | JsonEvent::EndArray => depth -= 1,
            JsonEvent::Key(name) if depth == 1 => key = name,
            JsonEvent::Scalar(value) if depth == 1 => match mapping.field(&key) {
                Some(Field::Id) => id = id.or(scalar_text(value)),
                Some(Field::Parent) => parent = scalar_text(value),
                field => table.set(node, &key, field, value, line)?,
            },
            JsonEvent::Scalar(_) if depth == 0 => break,
            JsonEvent::Key(_) | JsonEvent::Scalar(_) => {}
        }
    }
    Ok((id, parent))
}
