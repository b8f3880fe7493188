//! The index file of a journal: its checkpoints, and where they are. It lies in the user's cache directory, or in memory
//! where nothing can be written.
//!
//! ```text
//! header       8 bytes   "CANOPYI3"
//!              8         bytes of the journal's records that the index covers
//!              8         where the directory begins; 0 while the index is built
//!              8         a hash of the directory
//! checkpoints            see `codec`, one after the other
//! directory              varints: a hash of the journal's beginning and one of its end, eight bytes each; bit 0: the journal
//!                        ended early, bit 1: the index is as good as it gets; number of checkpoints, and for each its last iteration, its length and its hash
//!                        (eight bytes); the rest is the tally
//! ```

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use byteorder::{ByteOrder as _, LittleEndian};

use super::codec::{ByteReader, put_varint};

const MAGIC: &[u8; 8] = b"CANOPYI3";
const HEADER_BYTES: usize = 32;
/// A file that was left behind by a process that ended is removed after this time.
const MAX_TEMPORARY_AGE: Duration = Duration::from_secs(24 * 3600);
/// Age since its last use at which an index is removed.
const MAX_UNUSED_AGE: Duration = Duration::from_secs(30 * 24 * 3600);
const INDEX_EXTENSION: &str = "index";

/// One checkpoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckpointEntry {
    /// The iteration it stands at; it covers those after the checkpoint before it.
    pub(super) end: u32,
    offset: u64,
    len: u32,
    hash: u64,
}

/// Where bytes go.
enum IndexStorage {
    File {
        file: File,
        /// Its name as long as it is built, and then.
        temporary: Option<PathBuf>,
        path: PathBuf,
    },
    Memory(Vec<u8>),
}

/// The checkpoints of a journal.
pub(super) struct CheckpointStore {
    storage: IndexStorage,
    pub(super) entries: Vec<CheckpointEntry>,
    /// Bytes written.
    len: u64,
}

/// The journal that an index belongs to, and the index's progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JournalIdentity {
    /// Bytes of records.
    pub(super) bytes: u64,
    /// Hashes of the beginning and the end of these.
    pub(super) hashes: [u64; 2],
    /// Whether it ended before the search did.
    pub(super) ended_early: bool,
    /// Whether the choice of nodes cannot be made better.
    pub(super) is_refined: bool,
}

/// FNV-1a with eight bytes at a time.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3);
        hash ^= hash >> 29;
    }
    for &byte in chunks.remainder() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// The name of a journal's index in a directory.
pub(super) fn index_path(directory: &Path, journal: &Path) -> PathBuf {
    let whole = fs::canonicalize(journal).unwrap_or_else(|_| journal.to_owned());
    let name = hash(whole.as_os_str().as_encoded_bytes());
    directory.join(format!("{name:016x}.{INDEX_EXTENSION}"))
}

/// A scratch file for data that exceeds memory: unlinked at once, or removed later where that is impossible.
pub(super) fn create_scratch_file(directory: &Path, name: &str) -> Option<File> {
    let path = directory.join(format!(".{}-{name}.tmp", std::process::id()));
    let _ = fs::remove_file(&path);
    let file = create_new_file(&path).ok()?;
    // Where an open file cannot be removed it is swept later.
    let _ = fs::remove_file(&path);
    Some(file)
}

fn create_new_file(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
}

impl CheckpointStore {
    /// A new index: in a file if there is a directory that can be written to, else in memory.
    pub(super) fn create(directory: Option<&Path>, journal: &Path) -> Self {
        let file = directory.and_then(|directory| {
            fs::create_dir_all(directory).ok()?;
            remove_stale_files(directory);
            let path = index_path(directory, journal);
            let name = path.file_name()?.to_str()?;
            static BUILT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
            let built = BUILT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let process = std::process::id();
            let temporary = directory.join(format!(".{process}-{built}-{name}.tmp"));
            let _ = fs::remove_file(&temporary);
            let mut file = create_new_file(&temporary).ok()?;
            file.write_all(&[0; HEADER_BYTES]).ok()?;
            Some(IndexStorage::File {
                file,
                temporary: Some(temporary),
                path,
            })
        });
        Self {
            len: HEADER_BYTES as u64,
            storage: file.unwrap_or(IndexStorage::Memory(vec![0; HEADER_BYTES])),
            entries: Vec::new(),
        }
    }

    /// Opens a complete index of this journal, with its tally; none if there is none, or if it belongs to another journal or
    /// is damaged. `hashes` computes those of the journal's beginning and end, if it has at least the given bytes.
    pub(super) fn open(
        cache: &Path,
        journal: &Path,
        mut hashes: impl FnMut(u64) -> Option<[u64; 2]>,
    ) -> Option<(Self, JournalIdentity, Vec<u8>)> {
        let path = index_path(cache, journal);
        let mut file = File::open(&path).ok()?;
        let mut header = [0; HEADER_BYTES];
        file.read_exact(&mut header).ok()?;
        let covered = LittleEndian::read_u64(&header[8..]);
        let begin = LittleEndian::read_u64(&header[16..]);
        let directory_hash = LittleEndian::read_u64(&header[24..]);
        let len = file.metadata().ok()?.len();
        if header[..8] != *MAGIC
            || begin < HEADER_BYTES as u64
            || begin > len
            || len > covered.saturating_add(4096)
        {
            return None;
        }
        file.seek(SeekFrom::Start(begin)).ok()?;
        let mut directory = Vec::new();
        file.read_to_end(&mut directory).ok()?;
        if hash(&directory) != directory_hash {
            return None;
        }
        let mut bytes = ByteReader(&directory);
        let found = JournalIdentity {
            bytes: covered,
            hashes: [bytes.read_u64()?, bytes.read_u64()?],
            ended_early: false,
            is_refined: false,
        };
        let flags = bytes.read_byte()?;
        let found = JournalIdentity {
            ended_early: flags & 1 == 1,
            is_refined: flags & 2 == 2,
            ..found
        };
        if hashes(covered)? != found.hashes {
            return None;
        }
        let count = bytes.read_varint()?;
        let (mut entries, mut offset) = (Vec::new(), HEADER_BYTES as u64);
        for _ in 0..count {
            let entry = CheckpointEntry {
                end: u32::try_from(bytes.read_varint()?).ok()?,
                offset,
                len: u32::try_from(bytes.read_varint()?).ok()?,
                hash: bytes.read_u64()?,
            };
            offset += u64::from(entry.len);
            entries.push(entry);
        }
        if offset != begin {
            return None;
        }
        let store = Self {
            storage: IndexStorage::File {
                file,
                temporary: None,
                path,
            },
            entries,
            len,
        };
        let tally = bytes.0.to_vec();
        // It is in use.
        if let Ok(file) = File::options()
            .append(true)
            .open(index_path(cache, journal))
        {
            let _ = file.set_modified(SystemTime::now());
        }
        Some((store, found, tally))
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        let inside = match &self.storage {
            IndexStorage::File { .. } => 0,
            IndexStorage::Memory(bytes) => bytes.capacity(),
        };
        inside + self.entries.capacity() * size_of::<CheckpointEntry>()
    }

    /// Whether it is in memory only.
    pub(super) fn is_in_memory(&self) -> bool {
        matches!(self.storage, IndexStorage::Memory(_))
    }

    /// Adds a checkpoint. A file that cannot be written any more is given up for memory.
    pub(super) fn add(&mut self, end: u32, bytes: &[u8]) -> io::Result<()> {
        let entry = CheckpointEntry {
            end,
            offset: self.len,
            len: u32::try_from(bytes.len()).map_err(io::Error::other)?,
            hash: hash(bytes),
        };
        self.write(bytes)?;
        self.entries.push(entry);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let IndexStorage::File { file, .. } = &mut self.storage {
            let written = file
                .seek(SeekFrom::Start(self.len))
                .and_then(|_| file.write_all(bytes));
            if written.is_err() {
                self.move_to_memory()?;
            }
        }
        if let IndexStorage::Memory(kept) = &mut self.storage {
            kept.extend_from_slice(bytes);
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Continues in memory after the disk is full.
    fn move_to_memory(&mut self) -> io::Result<()> {
        let IndexStorage::File {
            file, temporary, ..
        } = &mut self.storage
        else {
            return Ok(());
        };
        let mut kept = vec![0; usize::try_from(self.len).map_err(io::Error::other)?];
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut kept)?;
        if let Some(temporary) = temporary.take() {
            let _ = fs::remove_file(temporary);
        }
        self.storage = IndexStorage::Memory(kept);
        Ok(())
    }

    /// The bytes of a checkpoint; none if they are damaged.
    pub(super) fn read(&mut self, entry: CheckpointEntry) -> io::Result<Option<Vec<u8>>> {
        let bytes = match &mut self.storage {
            IndexStorage::Memory(kept) => {
                let begin = entry.offset as usize;
                match kept.get(begin..begin + entry.len as usize) {
                    Some(bytes) => bytes.to_vec(),
                    None => return Ok(None),
                }
            }
            IndexStorage::File { file, .. } => {
                let mut bytes = vec![0; entry.len as usize];
                file.seek(SeekFrom::Start(entry.offset))?;
                match file.read_exact(&mut bytes) {
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                    result => result?,
                }
                bytes
            }
        };
        Ok((hash(&bytes) == entry.hash).then_some(bytes))
    }

    /// Bytes that [`Self::finish`] adds beside the tally.
    pub(super) fn directory_bytes(&self) -> u64 {
        32 + 20 * self.entries.len() as u64
    }

    /// The index is complete: it gets its own name. Nothing depends on it, so that it may fail.
    pub(super) fn finish(&mut self, journal: &JournalIdentity, tally: &[u8]) {
        if self.is_in_memory() {
            return;
        }
        let mut directory = Vec::new();
        for hash in journal.hashes {
            directory.extend_from_slice(&hash.to_le_bytes());
        }
        directory.push(u8::from(journal.ended_early) | u8::from(journal.is_refined) << 1);
        put_varint(self.entries.len() as u64, &mut directory);
        for entry in &self.entries {
            put_varint(entry.end.into(), &mut directory);
            put_varint(entry.len.into(), &mut directory);
            directory.extend_from_slice(&entry.hash.to_le_bytes());
        }
        directory.extend_from_slice(tally);
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(MAGIC);
        LittleEndian::write_u64(&mut header[8..], journal.bytes);
        LittleEndian::write_u64(&mut header[16..], self.len);
        LittleEndian::write_u64(&mut header[24..], hash(&directory));
        if self.write(&directory).is_err() {
            return;
        }
        if let IndexStorage::File {
            file,
            temporary,
            path,
        } = &mut self.storage
            && let Some(from) = temporary
        {
            let named = file
                .seek(SeekFrom::Start(0))
                .and_then(|_| file.write_all(&header))
                .and_then(|()| fs::rename(&from, path));
            if named.is_ok() {
                *temporary = None;
            }
        }
    }

    /// Removes the useless file.
    pub(super) fn remove(self) {
        if let IndexStorage::File { path, .. } = &self.storage {
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for CheckpointStore {
    fn drop(&mut self) {
        if let IndexStorage::File {
            temporary: Some(temporary),
            ..
        } = &self.storage
        {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Removes index files of dead processes, and indexes unused for [`MAX_UNUSED_AGE`].
fn remove_stale_files(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let is_left = name.starts_with('.') && name.ends_with(".tmp");
        let is_index = name.ends_with(&format!(".{INDEX_EXTENSION}"));
        let age = (entry.metadata().ok())
            .and_then(|meta| meta.modified().ok())
            .and_then(|modified| SystemTime::now().duration_since(modified).ok());
        let is_old = |limit: Duration| age.is_some_and(|age| age > limit);
        if is_left && is_old(MAX_TEMPORARY_AGE) || is_index && is_old(MAX_UNUSED_AGE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
