//! STEM.extra: statistics without a column in report 000's formats, one fixed-size record per row of the tree.
//!
//! ```text
//! header   8 bytes   "CANOPYX1"
//!          4         bytes in a record: 48; 32 in older files, which end before the last two fields
//!          4         0
//!          8         number of records
//! record   8         sum of squared rewards of the player who made the move; NaN if the search keeps none
//!          8         visits of the node, by this move or others
//!          8         the transposition table's mean for the same player; NaN if there is none
//!          1         proven result: 0 none, 1 the first player wins, 2 the second player wins, 3 drawn
//!          1         bit 0: the move was pruned
//!          6         0
//!          8         number of rewards in that mean; 0 if there is none
//!          8         sum of their squares, for the same player; NaN if there is none
//! ```

use std::io::{self, BufReader, Read, Write};

use byteorder::{LittleEndian, ReadBytesExt as _, WriteBytesExt as _};

use super::TreeError;
use crate::games::{Outcome, Player};

const MAGIC: &[u8; 8] = b"CANOPYX1";
const RECORD_BYTES: u32 = 48;
const MIN_RECORD_BYTES: u32 = 32;

/// Statistics of a row that have no column in the tree file.
#[derive(Clone, Copy, Debug)]
pub struct Extra {
    /// Sum of squared rewards of the player who made the move; NaN if there is none.
    pub squares: f64,
    /// Visits of the node, by this move or others.
    pub node_visits: u64,
    /// The transposition table's entry, seen by the same player, if it has one.
    pub table: Option<ExtraTableEntry>,
    /// The proven result, if there is one.
    pub proven: Option<Outcome>,
    /// Whether the move was pruned.
    pub cut: bool,
}

/// The entry of a position in a table.
#[derive(Clone, Copy, Debug)]
pub struct ExtraTableEntry {
    /// Number of rewards in the mean; 0 if unknown.
    pub visits: u64,
    /// Their mean.
    pub mean: f64,
    /// The sum of their squares; NaN if there is none.
    pub squares: f64,
}

impl Default for Extra {
    fn default() -> Self {
        Self {
            squares: f64::NAN,
            node_visits: 0,
            table: None,
            proven: None,
            cut: false,
        }
    }
}

impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        let key = |extra: &Self| {
            (
                extra.squares.to_bits(),
                extra.node_visits,
                extra
                    .table
                    .map(|table| (table.visits, table.mean.to_bits(), table.squares.to_bits())),
                extra.proven,
                extra.cut,
            )
        };
        key(self) == key(other)
    }
}

/// Writes the records.
pub fn write(rows: &[Extra], out: &mut impl Write) -> io::Result<()> {
    out.write_all(MAGIC)?;
    out.write_u32::<LittleEndian>(RECORD_BYTES)?;
    out.write_u32::<LittleEndian>(0)?;
    out.write_u64::<LittleEndian>(rows.len() as u64)?;
    for row in rows {
        out.write_f64::<LittleEndian>(row.squares)?;
        out.write_u64::<LittleEndian>(row.node_visits)?;
        let table = row.table.unwrap_or(ExtraTableEntry {
            visits: 0,
            mean: f64::NAN,
            squares: f64::NAN,
        });
        out.write_f64::<LittleEndian>(table.mean)?;
        out.write_all(&[
            outcome_code(row.proven),
            u8::from(row.cut),
            0,
            0,
            0,
            0,
            0,
            0,
        ])?;
        out.write_u64::<LittleEndian>(table.visits)?;
        out.write_f64::<LittleEndian>(table.squares)?;
    }
    Ok(())
}

/// Reads the records. Longer records than ours are of a later version, and their rest is skipped.
pub fn read(input: impl Read) -> Result<Vec<Extra>, TreeError> {
    read_rows(input, None).map(|(rows, _)| rows)
}

/// Reads the records of these rows, which are in order, or of all; also returns the number of records in the file.
pub fn read_rows(input: impl Read, wanted: Option<&[u32]>) -> Result<(Vec<Extra>, u64), TreeError> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut magic = [0; 8];
    let short = |at: u64| {
        move |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => TreeError::at_byte(at, "the file ends too early"),
            _ => error.into(),
        }
    };
    input.read_exact(&mut magic).map_err(short(0))?;
    if magic != *MAGIC {
        return Err(TreeError::at_byte(
            0,
            "not a file of extras: expected CANOPYX1",
        ));
    }
    let size = input.read_u32::<LittleEndian>().map_err(short(8))?;
    if !(MIN_RECORD_BYTES..=1 << 16).contains(&size) {
        return Err(TreeError::at_byte(
            8,
            format!("records of {size} bytes: expected {MIN_RECORD_BYTES} or more"),
        ));
    }
    input.read_u32::<LittleEndian>().map_err(short(12))?;
    let count = input.read_u64::<LittleEndian>().map_err(short(16))?;
    let mut rows = Vec::new();
    let mut record = vec![0; size as usize];
    for index in 0..count {
        let at = 24 + index * u64::from(size);
        input.read_exact(&mut record).map_err(short(at))?;
        let is_wanted = wanted.is_none_or(|wanted| {
            (wanted.get(rows.len())).is_some_and(|&row| u64::from(row) == index)
        });
        if !is_wanted {
            continue;
        }
        let mut fields = &record[..];
        let squares = fields.read_f64::<LittleEndian>()?;
        let node_visits = fields.read_u64::<LittleEndian>()?;
        let mean = fields.read_f64::<LittleEndian>()?;
        let (mut visits, mut table_squares) = (0, f64::NAN);
        let (mut flags, mut behind) = fields.split_at_checked(8).unwrap_or((fields, &[]));
        let (result, cut) = (flags.read_u8()?, flags.read_u8()?);
        if size >= RECORD_BYTES {
            visits = behind.read_u64::<LittleEndian>()?;
            table_squares = behind.read_f64::<LittleEndian>()?;
        }
        rows.push(Extra {
            squares,
            node_visits,
            table: (!mean.is_nan()).then_some(ExtraTableEntry {
                visits,
                mean,
                squares: table_squares,
            }),
            proven: outcome_from_code(result).ok_or_else(|| {
                TreeError::at_byte(at + 24, format!("the result is {result}: expected 0 to 3"))
            })?,
            cut: cut & 1 == 1,
        });
    }
    Ok((rows, count))
}

/// A proven result as a number: 0 for none.
pub(super) fn outcome_code(outcome: Option<Outcome>) -> u8 {
    match outcome {
        None => 0,
        Some(Outcome::Win(Player::First)) => 1,
        Some(Outcome::Win(Player::Second)) => 2,
        Some(Outcome::Draw) => 3,
    }
}

/// Inverse of [`outcome_code`]; none for any other number.
pub(super) fn outcome_from_code(code: u8) -> Option<Option<Outcome>> {
    match code {
        0 => Some(None),
        1 => Some(Some(Outcome::Win(Player::First))),
        2 => Some(Some(Outcome::Win(Player::Second))),
        3 => Some(Some(Outcome::Draw)),
        _ => None,
    }
}
