//! Report 000's CSV format: a row a node in pre-order, no header, the columns being move, visits, second counter, mean,
//! state and number of children, names quoted with `|` where they must be. Files of other people that are quoted with
//! `"` are recognised.

use std::io::{self, Read, Write};

use csv::{ByteRecord, QuoteStyle, ReaderBuilder, Terminator, Writer, WriterBuilder};

use super::{Tree, TreeBuilder, TreeError, TreePart, TreeRow};

/// Expected content of the columns, for error messages.
const COLUMNS: [&str; 6] = [
    "move",
    "visits",
    "second counter",
    "mean",
    "state",
    "number of children",
];

/// The longest a field may be, in bytes. A row is read into memory before it is looked at.
pub const MAX_FIELD_BYTES: usize = 1 << 20;
/// No row is longer: two names whose every byte is a doubled bar, and numbers.
const MAX_ROW_BYTES: u64 = 4 * MAX_FIELD_BYTES as u64 + (1 << 16);
/// Size of the read buffer, in bytes.
const BUFFER_BYTES: usize = 1 << 16;

/// Writes a tree row by row. Lines end with a line feed.
pub fn write(tree: &Tree, out: &mut impl Write) -> io::Result<()> {
    // A reader takes a byte order mark at the very beginning for one, unless it is quoted.
    let marked = tree.move_name(0).starts_with('\u{feff}');
    let mut first = 0;
    if marked {
        let mut writer = writer(QuoteStyle::Always, &mut *out);
        write_rows(tree, 0..1, &mut writer)?;
        writer.flush()?;
        first = 1;
    }
    let mut writer = writer(QuoteStyle::Necessary, out);
    write_rows(tree, first..tree.nodes().len(), &mut writer)?;
    writer.flush()
}

fn writer<W: Write>(style: QuoteStyle, out: W) -> Writer<W> {
    WriterBuilder::new()
        .quote(b'|')
        .quote_style(style)
        .terminator(Terminator::Any(b'\n'))
        .buffer_capacity(1 << 16)
        .from_writer(out)
}

/// The name of a column, for messages.
fn column_name(column: usize) -> &'static str {
    COLUMNS.get(column).copied().unwrap_or_default()
}

fn write_rows<W: Write>(
    tree: &Tree,
    rows: std::ops::Range<usize>,
    out: &mut Writer<W>,
) -> io::Result<()> {
    let mut number = Vec::with_capacity(32);
    for row in rows {
        let Some(node) = tree.nodes().get(row) else {
            break;
        };
        for (column, name) in [(0, tree.move_name(row)), (4, tree.state(row))] {
            check_length(column, name.as_bytes(), row + 1).map_err(io::Error::other)?;
        }
        out.write_field(tree.move_name(row))?;
        for counter in [node.visits, node.second] {
            number.clear();
            write!(number, "{counter}")?;
            out.write_field(&number)?;
        }
        number.clear();
        write!(number, "{}", node.mean)?;
        out.write_field(&number)?;
        out.write_field(tree.state(row))?;
        number.clear();
        write!(number, "{}", node.children)?;
        out.write_field(&number)?;
        out.write_record(None::<&[u8]>)?;
    }
    Ok(())
}

/// Reads a tree from what `open` opens. Opens it a second time if the file is no tree with `|` as the quote but is one with
/// `"`.
pub fn read<R: Read>(open: impl FnMut() -> io::Result<R>) -> Result<Tree, TreeError> {
    read_into(TreeBuilder::default, open).map(|part| part.tree)
}

/// The same, as much of it as the builder keeps.
pub fn read_into<R: Read>(
    builder: impl Fn() -> TreeBuilder,
    mut open: impl FnMut() -> io::Result<R>,
) -> Result<TreePart, TreeError> {
    match read_quoted(builder(), open()?, b'|') {
        Err(error @ TreeError::Malformed { .. }) => {
            read_quoted(builder(), open()?, b'"').map_err(|_| error)
        }
        result => result,
    }
}

fn read_quoted(
    mut builder: TreeBuilder,
    input: impl Read,
    quote: u8,
) -> Result<TreePart, TreeError> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .quote(quote)
        .buffer_capacity(BUFFER_BYTES)
        .from_reader(RowLimitedReader {
            input,
            bytes_read: 0,
            max_offset: 0,
        });
    let mut record = ByteRecord::new();
    let mut line = 1;
    loop {
        let begin = reader.position().clone();
        reader.get_mut().max_offset = begin.byte() + MAX_ROW_BYTES + BUFFER_BYTES as u64;
        let row = builder.len() + 1;
        match reader.read_byte_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {}
            Err(_) if reader.get_ref().is_exhausted() => {
                let problem = format!("row {row} has a field that is too long: {FIELD_LIMIT_TEXT}");
                return Err(TreeError::at_line(begin.line(), problem));
            }
            Err(error) => return Err(io_error(error)),
        }
        line = record.position().map_or(line, csv::Position::line);
        (record.iter().enumerate())
            .try_for_each(|(column, field)| check_length(column, field, row))
            .and_then(|()| push_record(&record, &mut builder))
            .map_err(|problem| TreeError::at_line(line, problem))?;
    }
    builder
        .finish_part()
        .map_err(|problem| TreeError::at_line(line, problem))
}

/// Error message for a field that is too long.
const FIELD_LIMIT_TEXT: &str = "expected at most 1048576 bytes";

fn check_length(column: usize, field: &[u8], row: usize) -> Result<(), String> {
    const { assert!(MAX_FIELD_BYTES == 1_048_576) };
    if field.len() <= MAX_FIELD_BYTES {
        return Ok(());
    }
    let name = COLUMNS.get(column).copied().unwrap_or("field behind them");
    Err(format!(
        "the {name} of row {row} has {} bytes: {FIELD_LIMIT_TEXT}",
        field.len()
    ))
}

/// Input that ends with an error beyond `max_offset`, which the reader moves on with every row.
struct RowLimitedReader<R> {
    input: R,
    bytes_read: u64,
    /// Counted from the beginning of the file.
    max_offset: u64,
}

impl<R> RowLimitedReader<R> {
    fn is_exhausted(&self) -> bool {
        self.bytes_read > self.max_offset
    }
}

impl<R: Read> Read for RowLimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_exhausted() {
            return Err(io::Error::other("a row that is too long"));
        }
        let count = self.input.read(buffer)?;
        self.bytes_read += count as u64;
        Ok(count)
    }
}

fn io_error(error: csv::Error) -> TreeError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => TreeError::Io(error),
        // Records of any length are read as bytes: nothing else can go wrong.
        other => TreeError::Io(io::Error::other(format!("{other:?}"))),
    }
}

fn push_record(record: &ByteRecord, builder: &mut TreeBuilder) -> Result<(), String> {
    if record.len() != COLUMNS.len() {
        return Err(format!(
            "{} columns: expected {} ({})",
            record.len(),
            COLUMNS.len(),
            COLUMNS.join(", ")
        ));
    }
    let text = |column: usize| {
        std::str::from_utf8(&record[column])
            .map_err(|_| format!("the {} is not UTF-8", column_name(column)))
    };
    let whole = |column: usize| {
        let text = text(column)?;
        text.trim().parse::<i32>().map_err(|_| {
            format!(
                "the {} is {}: expected a whole number below 2^31",
                column_name(column),
                quote_start(text)
            )
        })
    };
    let mean = text(3)?;
    let children = whole(5)?;
    builder.push(&TreeRow {
        move_name: text(0)?,
        visits: whole(1)?,
        second: whole(2)?,
        mean: mean
            .trim()
            .parse()
            .map_err(|_| format!("the mean is {}: expected a number", quote_start(mean)))?,
        state: text(4)?,
        children: u32::try_from(children)
            .map_err(|_| format!("the number of children is {children}: expected 0 or more"))?,
    })
}

/// A piece of the file, as it can be shown in a message.
fn quote_start(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("{short:?}{dots}")
}
