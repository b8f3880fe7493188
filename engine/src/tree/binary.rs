//! Report 000's binary format, `.tree`: no header; the root's state and number of children, then node by node the move's
//! name, both counters, the mean, the state's name and the number of children. Integers are 4 bytes, means 8, little-endian;
//! names are UTF-8 after their length in bytes. The root's own move and statistics are not stored.

use std::io::{self, BufRead as _, BufReader, Read, Write};

use byteorder::{LittleEndian, ReadBytesExt as _, WriteBytesExt as _};

use super::{Tree, TreeBuilder, TreeError, TreePart, TreeRow};

/// Writes a tree row by row, in the layout above.
pub fn write(tree: &Tree, out: &mut impl Write) -> io::Result<()> {
    for (row, node) in tree.nodes().iter().enumerate() {
        if row > 0 {
            write_name(tree.move_name(row), out)?;
            out.write_i32::<LittleEndian>(node.visits)?;
            out.write_i32::<LittleEndian>(node.second)?;
            out.write_f64::<LittleEndian>(node.mean)?;
        }
        write_name(tree.state(row), out)?;
        out.write_i32::<LittleEndian>(to_i32(node.children as usize)?)?;
    }
    Ok(())
}

fn write_name(name: &str, out: &mut impl Write) -> io::Result<()> {
    out.write_i32::<LittleEndian>(to_i32(name.len())?)?;
    out.write_all(name.as_bytes())
}

fn to_i32(number: usize) -> io::Result<i32> {
    i32::try_from(number)
        .map_err(|_| io::Error::other(format!("{number} is too large a number for a .tree file")))
}

/// Reads a tree to the end of the input. The root's move is empty and its statistics are 0.
pub fn read(input: impl Read) -> Result<Tree, TreeError> {
    read_into(TreeBuilder::default(), input).map(|part| part.tree)
}

/// Reads as much of a tree to the end of the input as the builder keeps.
pub fn read_into(mut builder: TreeBuilder, input: impl Read) -> Result<TreePart, TreeError> {
    let mut source = BinaryReader {
        input: BufReader::with_capacity(1 << 16, input),
        offset: 0,
    };
    let (mut state, mut move_name) = (Vec::new(), Vec::new());
    while !builder.is_complete() {
        let begin = source.offset;
        let mut row = TreeRow::default();
        if !builder.is_empty() {
            row.move_name = source.read_name("a move's name", &mut move_name)?;
            row.visits = source.read_i32("a number of visits")?;
            row.second = source.read_i32("a second counter")?;
            row.mean = source.read_f64("a mean")?;
        }
        row.state = source.read_name("a state's name", &mut state)?;
        let at = source.offset;
        let children = source.read_i32("a number of children")?;
        row.children = u32::try_from(children).map_err(|_| {
            TreeError::at_byte(at, format!("{children} children: expected 0 or more"))
        })?;
        builder
            .push(&row)
            .map_err(|problem| TreeError::at_byte(begin, problem))?;
    }
    if !source.input.fill_buf()?.is_empty() {
        return Err(TreeError::at_byte(
            source.offset,
            "the tree is complete, but the file goes on",
        ));
    }
    let at = source.offset;
    builder
        .finish_part()
        .map_err(|problem| TreeError::at_byte(at, problem))
}

struct BinaryReader<R> {
    input: BufReader<R>,
    offset: u64,
}

impl<R: Read> BinaryReader<R> {
    /// Longer names are read a piece at a time: their length may be a lie.
    const MAX_CHUNK_BYTES: usize = 1 << 16;

    fn end_error(&self, error: io::Error, what: &str) -> TreeError {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            TreeError::at_byte(
                self.offset,
                format!("the file ends where {what} should be: the tree is not complete"),
            )
        } else {
            error.into()
        }
    }

    #[inline]
    fn read_i32(&mut self, what: &str) -> Result<i32, TreeError> {
        let number = self
            .input
            .read_i32::<LittleEndian>()
            .map_err(|error| self.end_error(error, what))?;
        self.offset += 4;
        Ok(number)
    }

    #[inline]
    fn read_f64(&mut self, what: &str) -> Result<f64, TreeError> {
        let number = self
            .input
            .read_f64::<LittleEndian>()
            .map_err(|error| self.end_error(error, what))?;
        self.offset += 8;
        Ok(number)
    }

    #[inline]
    fn read_name<'b>(&mut self, what: &str, buffer: &'b mut Vec<u8>) -> Result<&'b str, TreeError> {
        let at = self.offset;
        let len = self.read_i32(what)?;
        let len = usize::try_from(len).map_err(|_| {
            TreeError::at_byte(at, format!("{what} of {len} bytes: expected 0 or more"))
        })?;
        buffer.clear();
        while buffer.len() < len {
            let begin = buffer.len();
            buffer.resize(len.min(begin + Self::MAX_CHUNK_BYTES), 0);
            let (_, chunk) = buffer.split_at_mut(begin);
            self.input
                .read_exact(chunk)
                .map_err(|error| self.end_error(error, what))?;
        }
        self.offset += len as u64;
        std::str::from_utf8(buffer).map_err(|error| {
            let byte = at + 4 + error.valid_up_to() as u64;
            TreeError::at_byte(byte, format!("{what} is not UTF-8"))
        })
    }
}
