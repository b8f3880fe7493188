//! Trees of other programs: nested JSON, JSON Lines with the ids of parents, and DOT.
//!
//! [`mapping`] says which field is what, [`json`] reads JSON piece by piece, [`nested`], [`json_lines`] and [`dot`] read the three
//! formats, and [`node_table`] makes a tree of the nodes they find. All of them read streams: memory holds the nodes, never the text.

use std::{fs::File, io::BufReader, path::Path};

use super::{TreeError, files::Document};

pub mod dot;
pub mod json;
pub mod json_lines;
pub mod mapping;
pub mod nested;
pub mod node_table;

pub use mapping::Mapping;

/// The formats that are imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    /// A node is an object that holds its children.
    Json,
    /// A node is a line, an object with its own id and that of its parent.
    JsonLines,
    /// Graphviz.
    Dot,
}

impl ImportFormat {
    /// The format of that name: `json`, `jsonl` or `dot`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "dot" | "gv" => Some(Self::Dot),
            _ => None,
        }
    }

    /// The format that a file's extension names.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Self::parse(&extension.to_ascii_lowercase())
    }
}

/// Reads a file of another program.
pub fn read(path: &Path, format: ImportFormat, mapping: &Mapping) -> Result<Document, TreeError> {
    let input = BufReader::with_capacity(1 << 16, File::open(path)?);
    let table = match format {
        ImportFormat::Json => nested::read(input, mapping),
        ImportFormat::JsonLines => json_lines::read(input, mapping),
        ImportFormat::Dot => dot::read(input, mapping),
    }?;
    table.finish(mapping)
}
