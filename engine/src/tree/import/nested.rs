//! Nested JSON: a node is an object that holds its children.

use std::io::BufRead;

use super::{
    super::TreeError,
    json::{JsonEvent, JsonReader},
    mapping::{Field, Mapping},
    node_table::NodeTable,
};

/// What the reader is in.
enum Frame {
    /// The object around the root, where the mapping says that there is one.
    Wrapper,
    /// A node, with the key whose value comes next.
    Node { node: u32, key: String },
    /// An object inside a node: its fields are the node's, with a prefix.
    Fields {
        node: u32,
        prefix: String,
        key: String,
    },
    /// An array of children.
    List { parent: u32 },
    /// An object of children by move.
    ByMove { parent: u32, key: String },
    /// Something of no interest.
    Skipped,
}

/// Reads a file.
pub fn read(input: impl BufRead, mapping: &Mapping) -> Result<NodeTable, TreeError> {
    let mut reader = NestedReader {
        json: JsonReader::new(input),
        mapping,
        table: NodeTable::default(),
        frames: Vec::new(),
        wrapper_key: String::new(),
        has_children: false,
    };
    while let Some(event) = reader.json.next_event()? {
        reader.take(event)?;
    }
    if reader.table.is_empty() {
        let problem = match &mapping.root {
            Some(root) => format!("there is no object under the key {root:?}: expected the root"),
            None => "there is no object: expected the root".to_owned(),
        };
        return Err(reader.json.error(problem));
    }
    if !reader.has_children {
        let key = mapping.children.as_deref().unwrap_or("children");
        return Err(reader.json.error(format!(
            "no node has the key {key:?}: expected the children under it, or under another one (--children)"
        )));
    }
    Ok(reader.table)
}

struct NestedReader<'a, R> {
    json: JsonReader<R>,
    mapping: &'a Mapping,
    table: NodeTable,
    frames: Vec<Frame>,
    wrapper_key: String,
    /// Whether a node had the key of children.
    has_children: bool,
}

impl<R: BufRead> NestedReader<'_, R> {
    fn take(&mut self, event: JsonEvent) -> Result<(), TreeError> {
        if let (JsonEvent::Key(name), Some(Frame::Node { .. })) = (&event, self.frames.last()) {
            self.has_children |= self.is_children(name);
        }
        match event {
            JsonEvent::BeginObject => {
                let frame = self.begin_object()?;
                self.frames.push(frame);
            }
            JsonEvent::BeginArray => {
                let frame = match self.frames.last() {
                    Some(Frame::Node { node, key }) if self.is_children(key) => {
                        Frame::List { parent: *node }
                    }
                    None => return Err(self.json.error("an array: expected the root, an object")),
                    _ => Frame::Skipped,
                };
                self.frames.push(frame);
            }
            JsonEvent::EndObject | JsonEvent::EndArray => drop(self.frames.pop()),
            JsonEvent::Key(name) => match self.frames.last_mut() {
                Some(
                    Frame::Node { key, .. } | Frame::Fields { key, .. } | Frame::ByMove { key, .. },
                ) => {
                    *key = name;
                }
                Some(Frame::Wrapper) => self.wrapper_key = name,
                _ => {}
            },
            JsonEvent::Scalar(value) => {
                let line = self.json.line();
                let (node, key) = match self.frames.last() {
                    Some(Frame::Node { node, key }) => (*node, key.clone()),
                    Some(Frame::Fields { node, prefix, key }) => (*node, format!("{prefix}.{key}")),
                    None => {
                        return Err(self.json.error("not a tree: expected the root, an object"));
                    }
                    _ => return Ok(()),
                };
                let field = self.mapping.field(&key);
                self.table.set(node, &key, field, value, line)?;
            }
        }
        Ok(())
    }

    fn is_children(&self, key: &str) -> bool {
        self.mapping.field(key) == Some(Field::Children)
    }

    fn begin_object(&mut self) -> Result<Frame, TreeError> {
        let line = self.json.line();
        let frame = match self.frames.last() {
            None if self.mapping.root.is_some() => Frame::Wrapper,
            None => node(self.table.add(None, line)?),
            Some(Frame::Wrapper) if self.mapping.root.as_deref() == Some(&self.wrapper_key) => {
                node(self.table.add(None, line)?)
            }
            Some(Frame::Node { node, key }) if self.is_children(key) => Frame::ByMove {
                parent: *node,
                key: String::new(),
            },
            Some(Frame::Node { node, key }) => Frame::Fields {
                node: *node,
                prefix: key.clone(),
                key: String::new(),
            },
            Some(Frame::List { parent }) => node(self.table.add(Some(*parent), line)?),
            Some(Frame::ByMove { parent, key }) => {
                let child = self.table.add(Some(*parent), line)?;
                self.table.set_move(child, key);
                node(child)
            }
            Some(Frame::Fields { .. } | Frame::Wrapper | Frame::Skipped) => Frame::Skipped,
        };
        Ok(frame)
    }
}

fn node(node: u32) -> Frame {
    Frame::Node {
        node,
        key: String::new(),
    }
}
