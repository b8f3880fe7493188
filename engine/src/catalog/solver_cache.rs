//! Solved values and tables on disk, so that nothing is solved twice.
//!
//! A cache file is an 8-byte magic, a version (u32), the length of the content (u64), its checksum (u64), all little-endian, and
//! the content. Files are written atomically. One that is damaged, cut short or of another version is as good as absent: what it
//! held is computed again. A cache can be removed at any time.

use std::{
    collections::BTreeMap,
    env, fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    process,
    time::{Duration, SystemTime},
};

use byteorder::{ByteOrder as _, LittleEndian};

use crate::{
    games::{self, Playable, notation},
    rng::checksum,
    search::{
        budget::Stopwatch,
        chess::TableStore,
        exact::{Exact, ExactMoves, ExactValue, SolveContext, ValueClass, WinGoal},
    },
    tree::files::write_atomic,
};

const MAGIC: &[u8; 8] = b"CANOPYK1";
const HEADER_BYTES: usize = 28;
const EXTENSION: &str = "canopy-cache";

/// The directory of a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverCache {
    directory: PathBuf,
}

impl SolverCache {
    /// Bytes of all files together; the oldest go first.
    pub const MAX_BYTES: u64 = 1 << 30;

    /// The cache that an option or flag asks for: `auto` for the user's cache directory, nothing or `none` for no cache, else a
    /// directory. No cache, either, if the user has no such directory.
    pub fn from_text(text: &str) -> Option<Self> {
        match text.trim() {
            "" | "none" => None,
            "auto" => user_cache_directory().map(|directory| Self {
                directory: directory.join("canopy"),
            }),
            path => Some(Self::new(path.into())),
        }
    }

    /// Whether a cache is kept where its user has said, and not where programs keep theirs.
    pub fn is_named(text: &str) -> bool {
        !matches!(text.trim(), "" | "none" | "auto")
    }

    /// The same if something can be kept in its directory, which is made; else a sentence that says why not.
    pub fn checked(self) -> Result<Self, String> {
        match self.check_writable() {
            Ok(()) => Ok(self),
            Err(error) => Err(format!(
                "nothing can be kept in the cache directory {} ({error}): name one that can be written, auto or none",
                self.directory.display()
            )),
        }
    }

    fn check_writable(&self) -> io::Result<()> {
        fs::create_dir_all(&self.directory)?;
        let probe = self.directory.join(format!(".probe-{}", process::id()));
        write_atomic(&probe, |_| Ok(()))?;
        fs::remove_file(probe)
    }

    /// The cache in a directory, which need not exist yet.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// The content stored under `name`; none if it is absent, damaged or of another version.
    pub fn load(&self, name: &str, version: u32) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.path(name)).ok()?;
        let (header, content) = bytes.split_at_checked(HEADER_BYTES)?;
        let (magic, rest) = header.split_at_checked(8)?;
        let is_sound = magic == MAGIC
            && LittleEndian::read_u32(rest.get(..4)?) == version
            && LittleEndian::read_u64(rest.get(4..12)?) == content.len() as u64
            && LittleEndian::read_u64(rest.get(12..20)?) == checksum(content);
        is_sound.then(|| bytes.split_off(HEADER_BYTES))
    }

    /// Stores `content` under `name`, then removes the oldest other files until all fit. More than fits alone is refused.
    pub fn store(&self, name: &str, version: u32, content: &[u8]) -> io::Result<()> {
        if (HEADER_BYTES + content.len()) as u64 > Self::MAX_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        fs::create_dir_all(&self.directory)?;
        write_atomic(&self.path(name), |out| {
            out.write_all(MAGIC)?;
            out.write_all(&version.to_le_bytes())?;
            out.write_all(&(content.len() as u64).to_le_bytes())?;
            out.write_all(&checksum(content).to_le_bytes())?;
            out.write_all(content)
        })?;
        self.evict(&self.path(name), Self::MAX_BYTES)
    }

    fn path(&self, name: &str) -> PathBuf {
        let name: String = name
            .chars()
            .map(|symbol| {
                if symbol.is_ascii_alphanumeric() {
                    symbol
                } else {
                    '-'
                }
            })
            .collect();
        self.directory.join(name).with_extension(EXTENSION)
    }

    /// Removes files of the cache, the oldest first, until at most `max_bytes` are left; never `keep`.
    fn evict(&self, keep: &Path, max_bytes: u64) -> io::Result<()> {
        let mut files = Vec::new();
        let mut total = 0;
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            if path
                .extension()
                .is_none_or(|extension| extension != EXTENSION)
            {
                continue;
            }
            let Ok(metadata) = fs::metadata(&path) else {
                continue;
            };
            total += metadata.len();
            if path != keep {
                let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push((modified, metadata.len(), path));
            }
        }
        files.sort();
        for (_, bytes, path) in files {
            if total <= max_bytes {
                break;
            }
            fs::remove_file(path)?;
            total -= bytes;
        }
        Ok(())
    }
}

/// Raise it when the tables of chess endings change.
const CHESS_TABLES_VERSION: u32 = 1;

impl TableStore for SolverCache {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        Self::load(self, name, CHESS_TABLES_VERSION)
    }

    fn store(&self, name: &str, bytes: &[u8]) {
        // A cache that cannot be written is left as it is.
        let _ = Self::store(self, name, CHESS_TABLES_VERSION, bytes);
    }
}

/// Where the user's programs keep what can be computed again.
fn user_cache_directory() -> Option<PathBuf> {
    let absolute = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}

/// Values that took at least this long are stored.
const MIN_STORED_TIME: Duration = Duration::from_millis(20);
/// New values are written at least this often.
const STORE_INTERVAL: Duration = Duration::from_secs(5);
/// Raise it when a solver's values change their meaning.
const VALUES_VERSION: u32 = 1;
const RECORD_BYTES: usize = 16;

/// A solver whose slow answers are kept in a cache.
pub struct CachedSolver<G: Playable> {
    solver: Box<dyn Exact<G>>,
    cache: SolverCache,
    name: String,
    values: BTreeMap<u64, ExactValue>,
    is_stored: bool,
    since_store: Stopwatch,
}

impl<G: Playable> CachedSolver<G> {
    /// `solver` of a game under `rules`, with the values known to `cache`.
    /// Scores that count something else than usual have a `kind`, by which their file is told apart.
    pub fn new(
        solver: Box<dyn Exact<G>>,
        rules: G::Rules,
        kind: Option<&str>,
        cache: SolverCache,
    ) -> Self {
        let game = notation::full_name::<G>(rules);
        let name = match kind {
            Some(kind) => format!("values-{game}-{kind}"),
            None => format!("values-{game}"),
        };
        let values = load_values(&cache, &name);
        Self {
            solver,
            cache,
            name,
            values,
            is_stored: true,
            since_store: Stopwatch::start(),
        }
    }

    /// Keeps new values, and writes them if that is due.
    fn insert(&mut self, values: impl IntoIterator<Item = (u64, ExactValue)>) {
        for (key, value) in values {
            self.values.insert(key, value);
            self.is_stored = false;
        }
        if self.since_store.elapsed() >= STORE_INTERVAL {
            self.store();
        }
    }

    /// Writes new values, together with those that other processes have written meanwhile. A cache that cannot be written is
    /// left as it is.
    fn store(&mut self) {
        if self.is_stored {
            return;
        }
        let mut values = load_values(&self.cache, &self.name);
        values.append(&mut self.values);
        self.values = values;
        let content: Vec<u8> = self.values.iter().flat_map(encode).collect();
        let _ = self.cache.store(&self.name, VALUES_VERSION, &content);
        self.is_stored = true;
        self.since_store = Stopwatch::start();
    }
}

fn load_values(cache: &SolverCache, name: &str) -> BTreeMap<u64, ExactValue> {
    let content = cache.load(name, VALUES_VERSION).unwrap_or_default();
    content
        .chunks_exact(RECORD_BYTES)
        .filter_map(decode)
        .collect()
}

/// Key, class, a byte of which score and plies are known, plies (u16), score (i32).
fn encode((key, value): (&u64, &ExactValue)) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    let known = u8::from(value.score.is_some()) | u8::from(value.plies.is_some()) << 1;
    let plies = value.plies.and_then(|plies| u16::try_from(plies).ok());
    LittleEndian::write_u64(&mut record[..8], *key);
    record[8] = value.class as u8;
    record[9] = known;
    LittleEndian::write_u16(&mut record[10..12], plies.unwrap_or(0));
    LittleEndian::write_i32(&mut record[12..], value.score.unwrap_or(0));
    record
}

fn decode(record: &[u8]) -> Option<(u64, ExactValue)> {
    let known = *record.get(9)?;
    let score = LittleEndian::read_i32(record.get(12..16)?);
    let plies = LittleEndian::read_u16(record.get(10..12)?);
    let class = match record.get(8)? {
        0 => ValueClass::Loss,
        1 => ValueClass::Draw,
        2 => ValueClass::Win,
        _ => return None,
    };
    let value = ExactValue {
        class,
        score: (known & 1 != 0).then_some(score),
        plies: (known & 2 != 0).then_some(plies.into()),
    };
    Some((LittleEndian::read_u64(record.get(..8)?), value))
}

impl<G: Playable> Exact<G> for CachedSolver<G> {
    fn value(&mut self, position: &G, context: &mut SolveContext<'_>) -> Option<ExactValue> {
        let key = position.key();
        if let Some(value) = self.values.get(&key) {
            return Some(*value);
        }
        let begun = context.elapsed();
        let value = self.solver.value(position, context)?;
        if context.elapsed() - begun >= MIN_STORED_TIME {
            self.insert([(key, value)]);
        }
        Some(value)
    }

    /// The solver's own way to all values, unless all are known.
    fn values(&mut self, position: &G, context: &mut SolveContext<'_>) -> ExactMoves<G> {
        let children = games::successors(position);
        let is_same = |child: &G| child.to_move() == position.to_move();
        let known: Option<Vec<_>> = (children.iter())
            .map(|(mv, child)| {
                let value = self.values.get(&child.key())?;
                Some((*mv, Some(value.before_move(is_same(child)))))
            })
            .collect();
        if let Some(known) = known {
            return known;
        }
        let begun = context.elapsed();
        let found = self.solver.values(position, context);
        if context.elapsed() - begun >= MIN_STORED_TIME {
            let solved = children
                .iter()
                .zip(&found)
                .filter_map(|((_, child), (_, value))| {
                    Some((child.key(), (*value)?.after_move(is_same(child))))
                });
            self.insert(solved);
        }
        found
    }

    fn best_line(&mut self, position: &G, context: &mut SolveContext<'_>) -> Vec<G::Move> {
        self.solver.best_line(position, context)
    }

    fn wins_within(
        &mut self,
        goal: WinGoal<'_, G>,
        context: &mut SolveContext<'_>,
    ) -> Option<bool> {
        self.solver.wins_within(goal, context)
    }

    fn nodes(&self) -> u64 {
        self.solver.nodes()
    }

    fn clear(&mut self) {
        self.solver.clear();
    }

    fn score_convention(&self) -> &'static str {
        self.solver.score_convention()
    }
}

impl<G: Playable> Drop for CachedSolver<G> {
    fn drop(&mut self) {
        self.store();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::{Game as _, connect_four::ConnectFour},
        search::{SearchLimits, StopFlag},
    };

    fn scratch(name: &str) -> SolverCache {
        let directory = env::temp_dir().join(format!("canopy-cache-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&directory);
        SolverCache { directory }
    }

    fn remove(cache: &SolverCache) {
        fs::remove_dir_all(&cache.directory).expect("the scratch directory can be removed");
    }

    #[test]
    fn what_is_stored_is_loaded_and_damage_is_noticed() {
        let cache = scratch("damage");
        assert_eq!(cache.load("table", 1), None);
        let content: Vec<u8> = (0..1000_u32).map(|number| number as u8).collect();
        cache.store("table", 1, &content).expect("it is stored");
        assert_eq!(cache.load("table", 1), Some(content));
        assert_eq!(cache.load("table", 2), None, "another version");
        let path = cache.path("table");
        let whole = fs::read(&path).expect("it is there");
        for place in [0, 9, 13, 21, HEADER_BYTES, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[place] ^= 1;
            fs::write(&path, damaged).expect("it is written");
            assert_eq!(cache.load("table", 1), None, "byte {place} is wrong");
        }
        for length in [0, HEADER_BYTES - 1, whole.len() - 1] {
            fs::write(&path, &whole[..length]).expect("it is written");
            assert_eq!(cache.load("table", 1), None, "cut after {length} bytes");
        }
        remove(&cache);
    }

    #[test]
    fn the_oldest_files_go_first_and_other_files_stay() {
        let cache = scratch("evict");
        for (age, name) in [(30, "old"), (20, "middle"), (10, "new")] {
            cache.store(name, 1, &[0; 100]).expect("it is stored");
            let file = fs::File::options().write(true).open(cache.path(name));
            let time = SystemTime::now() - Duration::from_secs(age);
            file.and_then(|file| file.set_modified(time))
                .expect("its time can be set");
        }
        let other = cache.directory.join("notes.txt");
        fs::write(&other, [0; 500]).expect("it is written");
        let size = (100 + HEADER_BYTES) as u64;
        cache
            .evict(&cache.path("new"), 2 * size)
            .expect("the folder is read");
        assert_eq!(cache.load("old", 1), None);
        assert!(cache.load("middle", 1).is_some() && other.exists());
        cache
            .evict(&cache.path("middle"), 0)
            .expect("the folder is read");
        assert!(
            cache.load("middle", 1).is_some(),
            "the file just written stays"
        );
        remove(&cache);
    }

    #[test]
    fn a_directory_is_named_found_or_refused() {
        assert_eq!(SolverCache::from_text(""), None);
        assert_eq!(SolverCache::from_text("none"), None);
        let named = SolverCache::from_text("a/b").expect("a directory");
        assert_eq!(named.directory, Path::new("a/b"));
    }

    /// Answers after a while, and counts how often it was asked.
    struct Slow(std::sync::Arc<std::sync::atomic::AtomicU64>);

    impl Exact<ConnectFour> for Slow {
        fn value(&mut self, _: &ConnectFour, context: &mut SolveContext<'_>) -> Option<ExactValue> {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let begun = context.elapsed();
            while context.elapsed() - begun < MIN_STORED_TIME {
                std::thread::yield_now();
            }
            Some(ExactValue {
                class: ValueClass::Win,
                score: Some(-3),
                plies: None,
            })
        }

        fn nodes(&self) -> u64 {
            0
        }

        fn clear(&mut self) {}
    }

    #[test]
    fn a_slow_answer_is_given_again_by_the_next_solver() {
        let cache = scratch("values");
        let asked = std::sync::Arc::default();
        for _ in 0..2 {
            let slow = Box::new(Slow(std::sync::Arc::clone(&asked)));
            let mut solver = CachedSolver::new(slow, (), None, cache.clone());
            let mut on_progress = |_| ();
            let (limits, stop) = (SearchLimits::default(), StopFlag::new());
            let mut context = SolveContext::start(&limits, &stop, None, &mut on_progress);
            let value = solver.value(&ConnectFour::start(()), &mut context);
            assert_eq!(
                value.map(|value| value.to_string()),
                Some("win:-3".to_owned())
            );
        }
        assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 1);
        remove(&cache);
    }
}
