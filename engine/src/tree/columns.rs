//! STEM.columns: figures that a search has beside those of report 000's formats, one column each, with a value for every row of
//! the tree.
//!
//! ```text
//! 8 bytes   "CANOPYC1"
//! 4         bytes of the header
//!           header: JSON, {"rows": N, "columns": [{"name", "type", "unit", "labels"?}]}, filled up with spaces so
//!           that the first column begins at a multiple of 8
//!           the columns, one after the other, each filled up with zeros to a multiple of 8 bytes
//! ```
//!
//! All numbers are little-endian; rows are in the order of the tree's. What follows the last column is ignored.

use std::io::{self, BufReader, Read, Write};

use byteorder::{LittleEndian, ReadBytesExt as _, WriteBytesExt as _};
use serde::{Deserialize, Serialize};

use super::TreeError;

const MAGIC: &[u8; 8] = b"CANOPYC1";
/// Bytes of the longest header that is read.
const MAX_HEADER_BYTES: u32 = 1 << 20;
/// The most columns that are read.
const MAX_COLUMNS: usize = 64;
/// The most letters of a name, a unit or a label.
const MAX_TEXT_CHARS: usize = 100;
/// Bytes that are read at a time: a header may promise more than the file has.
const CHUNK_BYTES: u64 = 1 << 16;

/// The columns of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// How many values each column has.
    pub rows: u64,
    /// The columns, in the order of the file.
    pub columns: Vec<Column>,
}

impl Columns {
    /// The column of that name.
    pub fn find(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The values of these rows.
    pub fn select(&self, rows: &[u32]) -> Self {
        let column = |column: &Column| Column {
            values: column.values.select(rows),
            ..column.clone()
        };
        Self {
            rows: self.rows,
            columns: self.columns.iter().map(column).collect(),
        }
    }

    /// The bytes that the values take.
    pub fn bytes(&self) -> usize {
        let bytes = |column: &Column| column.values.len() * column.values.kind().bytes();
        self.columns.iter().map(bytes).sum()
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// The unit of its values; empty if they are plain numbers.
    pub unit: String,
    /// What the values 0, 1, 2 and so on stand for; empty if they are numbers.
    pub labels: Vec<String>,
    /// One for each row.
    pub values: ColumnValues,
}

impl Column {
    /// The value of a row as a number; not a number if there is none.
    pub fn value(&self, row: usize) -> f64 {
        let found = match &self.values {
            ColumnValues::F64(values) => values.get(row).copied(),
            ColumnValues::F32(values) => values.get(row).copied().map(f64::from),
            ColumnValues::I64(values) => values.get(row).map(|&value| value as f64),
            ColumnValues::I32(values) => values.get(row).copied().map(f64::from),
            ColumnValues::U8(values) => values.get(row).copied().map(f64::from),
        };
        found.unwrap_or(f64::NAN)
    }

    /// What the value of a row stands for, if the column has labels and one for it.
    pub fn label(&self, row: usize) -> Option<&str> {
        let index = match &self.values {
            ColumnValues::F64(_) | ColumnValues::F32(_) => return None,
            ColumnValues::I64(values) => usize::try_from(*values.get(row)?).ok()?,
            ColumnValues::I32(values) => usize::try_from(*values.get(row)?).ok()?,
            ColumnValues::U8(values) => usize::from(*values.get(row)?),
        };
        self.labels.get(index).map(String::as_str)
    }
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum ColumnValues {
    /// `f64`
    F64(Vec<f64>),
    /// `f32`
    F32(Vec<f32>),
    /// `i64`
    I64(Vec<i64>),
    /// `i32`
    I32(Vec<i32>),
    /// `u8`
    U8(Vec<u8>),
}

impl ColumnValues {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::I32(values) => values.len(),
            Self::U8(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn select(&self, rows: &[u32]) -> Self {
        fn pick<T: Copy + Default>(values: &[T], rows: &[u32]) -> Vec<T> {
            let value = |&row: &u32| values.get(row as usize).copied().unwrap_or_default();
            rows.iter().map(value).collect()
        }
        match self {
            Self::F64(values) => Self::F64(pick(values, rows)),
            Self::F32(values) => Self::F32(pick(values, rows)),
            Self::I64(values) => Self::I64(pick(values, rows)),
            Self::I32(values) => Self::I32(pick(values, rows)),
            Self::U8(values) => Self::U8(pick(values, rows)),
        }
    }

    fn kind(&self) -> ColumnType {
        match self {
            Self::F64(_) => ColumnType::F64,
            Self::F32(_) => ColumnType::F32,
            Self::I64(_) => ColumnType::I64,
            Self::I32(_) => ColumnType::I32,
            Self::U8(_) => ColumnType::U8,
        }
    }

    fn empty(kind: ColumnType) -> Self {
        match kind {
            ColumnType::F64 => Self::F64(Vec::new()),
            ColumnType::F32 => Self::F32(Vec::new()),
            ColumnType::I64 => Self::I64(Vec::new()),
            ColumnType::I32 => Self::I32(Vec::new()),
            ColumnType::U8 => Self::U8(Vec::new()),
        }
    }

    /// Takes in the next value from its bytes.
    fn push_bytes(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::F64(values) => values.push(bytes.read_f64::<LittleEndian>()?),
            Self::F32(values) => values.push(bytes.read_f32::<LittleEndian>()?),
            Self::I64(values) => values.push(bytes.read_i64::<LittleEndian>()?),
            Self::I32(values) => values.push(bytes.read_i32::<LittleEndian>()?),
            Self::U8(values) => values.push(bytes.read_u8()?),
        }
        Ok(())
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::F64(values) => {
                (values.iter()).try_for_each(|&v| out.write_f64::<LittleEndian>(v))
            }
            Self::F32(values) => {
                (values.iter()).try_for_each(|&v| out.write_f32::<LittleEndian>(v))
            }
            Self::I64(values) => {
                (values.iter()).try_for_each(|&v| out.write_i64::<LittleEndian>(v))
            }
            Self::I32(values) => {
                (values.iter()).try_for_each(|&v| out.write_i32::<LittleEndian>(v))
            }
            Self::U8(values) => out.write_all(values),
        }
    }
}

/// Bit by bit, so that what is not a number equals itself.
impl PartialEq for ColumnValues {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::F64(one), Self::F64(other)) => (one.iter().map(|value| value.to_bits()))
                .eq(other.iter().map(|value| value.to_bits())),
            (Self::F32(one), Self::F32(other)) => (one.iter().map(|value| value.to_bits()))
                .eq(other.iter().map(|value| value.to_bits())),
            (Self::I64(one), Self::I64(other)) => one == other,
            (Self::I32(one), Self::I32(other)) => one == other,
            (Self::U8(one), Self::U8(other)) => one == other,
            _ => false,
        }
    }
}

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ColumnType {
    F64,
    F32,
    I64,
    I32,
    U8,
}

impl ColumnType {
    /// Bytes of a value.
    fn bytes(self) -> usize {
        match self {
            Self::F64 | Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::U8 => 1,
        }
    }
}

/// The header of a file. Keys that are not known are ignored.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    rows: u64,
    columns: Vec<ColumnHeader>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ColumnHeader {
    name: String,
    #[serde(rename = "type")]
    kind: ColumnType,
    #[serde(default)]
    unit: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
}

/// Writes the columns, each of which has as many values as there are rows.
pub fn write(columns: &Columns, out: &mut impl Write) -> io::Result<()> {
    let of_column = |column: &Column| ColumnHeader {
        name: column.name.clone(),
        kind: column.values.kind(),
        unit: column.unit.clone(),
        labels: column.labels.clone(),
    };
    let header = Header {
        rows: columns.rows,
        columns: columns.columns.iter().map(of_column).collect(),
    };
    let mut text = serde_json::to_vec(&header).map_err(io::Error::other)?;
    let begun = MAGIC.len() + 4 + text.len();
    text.resize(text.len() + begun.next_multiple_of(8) - begun, b' ');
    out.write_all(MAGIC)?;
    out.write_u32::<LittleEndian>(u32::try_from(text.len()).map_err(io::Error::other)?)?;
    out.write_all(&text)?;
    for column in &columns.columns {
        if column.values.len() as u64 != columns.rows {
            return Err(io::Error::other(format!(
                "the column {} has {} values for {} rows",
                column.name,
                column.values.len(),
                columns.rows
            )));
        }
        column.values.write(out)?;
        let bytes = column.values.len() * column.values.kind().bytes();
        for _ in bytes..bytes.next_multiple_of(8) {
            out.write_all(&[0])?;
        }
    }
    Ok(())
}

/// Reads the columns.
pub fn read(input: impl Read) -> Result<Columns, TreeError> {
    read_rows(input, None)
}

/// Reads the values of these rows, which are in order, or of all. [`Columns::rows`] says how many there are in all.
pub fn read_rows(input: impl Read, wanted: Option<&[u32]>) -> Result<Columns, TreeError> {
    let mut input = BufReader::with_capacity(CHUNK_BYTES as usize, input);
    let (header, length) = read_header(&mut input)?;
    let mut at = 12 + u64::from(length);
    let mut columns = Vec::new();
    for about in header.columns {
        let (values, end) = read_values(&mut input, &about, header.rows, wanted, at)?;
        at = end;
        columns.push(Column {
            name: about.name,
            unit: about.unit,
            labels: about.labels,
            values,
        });
    }
    Ok(Columns {
        rows: header.rows,
        columns,
    })
}

/// The bytes that the values of one row take, by the header.
pub fn row_bytes(input: impl Read) -> Result<usize, TreeError> {
    let (header, _) = read_header(&mut BufReader::new(input))?;
    let bytes = header.columns.iter().map(|column| column.kind.bytes());
    Ok(bytes.sum())
}

/// Reads and checks the header; and how many bytes it has.
fn read_header(input: &mut impl Read) -> Result<(Header, u32), TreeError> {
    let mut magic = [0; 8];
    input.read_exact(&mut magic).map_err(too_short(0))?;
    if magic != *MAGIC {
        return Err(TreeError::at_byte(
            0,
            "not a file of columns: expected CANOPYC1",
        ));
    }
    let length = input.read_u32::<LittleEndian>().map_err(too_short(8))?;
    if length > MAX_HEADER_BYTES {
        return Err(TreeError::at_byte(
            8,
            format!("a header of {length} bytes: expected at most {MAX_HEADER_BYTES}"),
        ));
    }
    let mut text = Vec::new();
    input.take(length.into()).read_to_end(&mut text)?;
    if text.len() < length as usize {
        return Err(TreeError::at_byte(
            12 + text.len() as u64,
            "the file ends too early",
        ));
    }
    let header: Header = serde_json::from_slice(&text)
        .map_err(|error| TreeError::at_byte(12, format!("the header cannot be read: {error}")))?;
    check_header(&header)?;
    Ok((header, length))
}

/// Refuses a header that no tree can have.
fn check_header(header: &Header) -> Result<(), TreeError> {
    let refuse = |problem: String| Err(TreeError::at_byte(12, problem));
    // Rows of a tree are numbered with 32 bits.
    if header.rows > u64::from(u32::MAX) {
        return refuse(format!(
            "{} rows: expected at most {}",
            header.rows,
            u32::MAX
        ));
    }
    if header.columns.len() > MAX_COLUMNS {
        return refuse(format!(
            "{} columns: expected at most {MAX_COLUMNS}",
            header.columns.len()
        ));
    }
    for (index, column) in header.columns.iter().enumerate() {
        let ColumnHeader {
            name, unit, labels, ..
        } = column;
        let is_long = |text: &String| text.chars().count() > MAX_TEXT_CHARS;
        if name.is_empty() || is_long(name) || is_long(unit) || labels.iter().any(is_long) {
            return refuse(format!(
                "the texts of column {} are empty or too long: expected at most {MAX_TEXT_CHARS} letters",
                index + 1
            ));
        }
        if (header.columns.iter().take(index)).any(|other| other.name == *name) {
            return refuse(format!("two columns are called {name}"));
        }
    }
    Ok(())
}

/// Reads the values of a column that begins at byte `at`; and where the next one begins.
fn read_values(
    input: &mut impl Read,
    about: &ColumnHeader,
    rows: u64,
    wanted: Option<&[u32]>,
    at: u64,
) -> Result<(ColumnValues, u64), TreeError> {
    let size = about.kind.bytes() as u64;
    let bytes = rows * size;
    let padded = bytes.next_multiple_of(8);
    let mut values = ColumnValues::empty(about.kind);
    let mut chunk = vec![0; CHUNK_BYTES.min(padded) as usize];
    let mut done = 0;
    while done < padded {
        let count = CHUNK_BYTES.min(padded - done) as usize;
        // Only the last chunk is shorter.
        chunk.truncate(count);
        input.read_exact(&mut chunk).map_err(too_short(at + done))?;
        // Chunks and padding are multiples of every size.
        let first = done / size;
        for (row, value) in (first..rows).zip(chunk.chunks_exact(size as usize)) {
            let is_wanted = wanted.is_none_or(|wanted| {
                (wanted.get(values.len())).is_some_and(|&wanted| u64::from(wanted) == row)
            });
            if is_wanted {
                values.push_bytes(value)?;
            }
        }
        done += count as u64;
    }
    Ok((values, at + padded))
}

fn too_short(at: u64) -> impl Fn(io::Error) -> TreeError {
    move |error| match error.kind() {
        io::ErrorKind::UnexpectedEof => TreeError::at_byte(at, "the file ends too early"),
        _ => error.into(),
    }
}
