//! Writes trees to a watched directory: from copies, on a thread of its own, atomically.
//!
//! The search never fails because of the disk: an error is reported once, and again only after a success in between. In a
//! live game, a tree that cannot be written in time is dropped, and the number of dropped trees is reported; a command that
//! was asked for trees waits for the disk instead ([`TreeOutput::open_blocking`]).

use std::{
    any::Any,
    fs::{self, File},
    io::{self, BufWriter, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{
    columns, extra,
    files::{Format, write_atomic, write_atomic_with},
    growth_recorder::GrowthRecorder,
    meta::{self, Meta},
    retention::{TREE_EXTENSIONS, TreeRetention},
    snapshot::{self, Snapshot, SnapshotOptions},
};
use crate::{
    games::Notation,
    search::{Searchable, TreeCopy, TreeView, growth_records::GrowthObserver},
};

/// Where trees go, and which.
#[derive(Clone, Debug)]
pub struct TreeOutputSettings {
    /// The directory; it is made if it is not there.
    pub directory: PathBuf,
    /// The format of the tree files.
    pub format: Format,
    /// Which part of the tree is written.
    pub snapshot: SnapshotOptions,
    /// Interval of snapshots of a running search; none for the final tree only.
    pub snapshot_interval: Option<Duration>,
    /// The most bytes a journal may have; no journal if none.
    pub max_journal_bytes: Option<u64>,
}

/// Default limit of a growth journal, in bytes: about 50 million iterations.
pub const DEFAULT_MAX_JOURNAL_BYTES: u64 = 1 << 30;

/// Receives error messages, one sentence each.
pub type WarningSink = Box<dyn Fn(&str) + Send + Sync>;

/// Something for the writer thread to do.
struct WriteJob {
    work: Box<dyn FnOnce() -> io::Result<()> + Send>,
    /// Whether this is the tree of a finished search, whose loss must be reported.
    is_final: bool,
}

/// State shared by the writer thread and those that queue jobs.
#[derive(Default)]
struct WriterProgress {
    /// Jobs that are not done.
    pending: Mutex<usize>,
    /// Told whenever a job is done.
    done: Condvar,
    /// Trees of finished searches that could not be written.
    lost: AtomicU64,
}

impl WriterProgress {
    fn pending(&self) -> MutexGuard<'_, usize> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish_job(&self) {
        *self.pending() -= 1;
        self.done.notify_all();
    }

    /// Waits until fewer than `count` jobs are pending.
    fn wait_below(&self, count: usize) {
        let is_behind = |pending: &mut usize| *pending >= count;
        drop(self.done.wait_while(self.pending(), is_behind));
    }
}

/// Writes the trees of one search after another.
pub struct TreeOutput {
    settings: Arc<TreeOutputSettings>,
    queue: Option<Sender<WriteJob>>,
    progress: Arc<WriterProgress>,
    blocks_when_full: bool,
    thread: Option<JoinHandle<()>>,
    /// Which trees stay.
    retention: Arc<TreeRetention>,
    /// Whether growth journals have the moves of playouts.
    journals_playouts: bool,
}

impl TreeOutput {
    /// Trees of a live game that may wait for a slow disk; later ones are dropped.
    const MAX_PENDING_TREES: usize = 8;
    /// Queued trees at which a blocking output waits before it copies the next one.
    const MAX_PENDING_COPIES: usize = 2;

    /// Opens the output of a live game, which never blocks on the disk; an error if the directory does not exist and cannot
    /// be created.
    pub fn open(settings: TreeOutputSettings, warn: WarningSink) -> io::Result<Self> {
        Self::start(settings, warn, false)
    }

    /// Opens the output of a command that was asked for trees: when the disk is slow, the search waits.
    pub fn open_blocking(settings: TreeOutputSettings, warn: WarningSink) -> io::Result<Self> {
        Self::start(settings, warn, true)
    }

    fn start(
        settings: TreeOutputSettings,
        warn: WarningSink,
        blocks_when_full: bool,
    ) -> io::Result<Self> {
        fs::create_dir_all(&settings.directory)?;
        remove_leftovers(&settings.directory);
        let (queue, jobs) = channel();
        let progress = Arc::new(WriterProgress::default());
        let mut writer = WriterThread {
            progress: Arc::clone(&progress),
            directory: settings.directory.clone(),
            warn,
            // A blocking command reports losses itself, at its end.
            reports_losses: !blocks_when_full,
            is_failing: false,
            lost: 0,
            reported: 0,
        };
        let thread = thread::Builder::new()
            .name("trees".to_owned())
            .spawn(move || writer.run(&jobs))?;
        Ok(Self {
            settings: Arc::new(settings),
            queue: Some(queue),
            progress,
            blocks_when_full,
            thread: Some(thread),
            retention: Arc::default(),
            journals_playouts: false,
        })
    }

    /// Growth journals have the moves of playouts too, if `journals_playouts`.
    pub fn with_playouts(mut self, journals_playouts: bool) -> Self {
        self.journals_playouts = journals_playouts;
        self
    }

    /// Shares a retention policy with other outputs.
    pub fn with_retention(mut self, retention: Arc<TreeRetention>) -> Self {
        self.retention = retention;
        self
    }

    /// The settings.
    pub fn settings(&self) -> &TreeOutputSettings {
        &self.settings
    }

    /// Whether all queued jobs are written.
    pub fn is_idle(&self) -> bool {
        *self.progress.pending() == 0
    }

    /// Waits until everything is written; returns the number of finished trees that were lost.
    pub fn finish(mut self) -> u64 {
        self.close();
        self.progress.lost.load(Ordering::Relaxed)
    }

    /// Begins the files of a search; `game` and `search` become part of their names.
    pub fn begin_search(&self, game: &str, search: &str) -> SearchFiles<'_> {
        let stem = Arc::new(FileStem::new(&self.settings.directory, game, search));
        let recorder = self.settings.max_journal_bytes.and_then(|most| {
            let recorder = GrowthRecorder::start(Arc::clone(&stem), most, self.blocks_when_full);
            // Without a thread for it there is no journal; the tree says so by not naming one.
            let recorder = recorder.map_err(|error| self.submit_failure(error)).ok()?;
            Some(recorder.with_playouts(self.journals_playouts))
        });
        SearchFiles {
            output: self,
            stem,
            recorder,
            depths: Arc::default(),
        }
    }

    /// The name of the files of a search that is not ours.
    pub fn new_stem(&self, game: &str, search: &str) -> Arc<FileStem> {
        Arc::new(FileStem::new(&self.settings.directory, game, search))
    }

    /// Writes the tree of a search that is not ours.
    pub fn write_tree(
        &self,
        stem: &Arc<FileStem>,
        tree: io::Result<Snapshot>,
        meta: Meta,
        is_final: bool,
    ) {
        let (settings, stem) = (Arc::clone(&self.settings), Arc::clone(stem));
        let retention = Arc::clone(&self.retention);
        let tree = self.wait_for_capacity().and(tree);
        let work = Box::new(move || {
            let write_sidecar = |fill: &mut FillSidecar<'_>| stem.write_sidecar(fill);
            write_snapshot(&tree?, meta, &settings, || stem.name(), write_sidecar)?;
            retention.record_tree(stem.order, &settings.directory, &stem.name());
            Ok(())
        });
        self.submit(WriteJob { work, is_final });
    }

    /// Waits for room for one more tree copy, or fails in a live game: a disk that does not keep up must not fill the memory.
    fn wait_for_capacity(&self) -> io::Result<()> {
        if self.blocks_when_full {
            self.progress.wait_below(Self::MAX_PENDING_COPIES);
        } else if *self.progress.pending() >= Self::MAX_PENDING_TREES {
            return Err(io::Error::other(
                "too many trees are waiting for the disk already",
            ));
        }
        Ok(())
    }

    fn submit(&self, job: WriteJob) {
        let Some(queue) = &self.queue else { return };
        *self.progress.pending() += 1;
        if queue.send(job).is_err() {
            self.progress.finish_job();
        }
    }

    /// Queues the report that a finished search's tree could not be copied.
    fn submit_failure(&self, error: io::Error) {
        self.submit(WriteJob {
            work: Box::new(|| Err(error)),
            is_final: true,
        });
    }

    fn close(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits until everything is written.
impl Drop for TreeOutput {
    fn drop(&mut self) {
        self.close();
    }
}

/// The writer thread's state.
struct WriterThread {
    progress: Arc<WriterProgress>,
    directory: PathBuf,
    warn: WarningSink,
    reports_losses: bool,
    /// Whether the last job failed.
    is_failing: bool,
    /// Trees dropped since the last success, and how many of them were reported.
    lost: u64,
    reported: u64,
}

impl WriterThread {
    fn run(&mut self, jobs: &Receiver<WriteJob>) {
        for WriteJob { work, is_final } in jobs {
            // A fault of ours must not leave anybody waiting for ever.
            let result = catch_unwind(AssertUnwindSafe(work))
                .unwrap_or_else(|panic| Err(io::Error::other(panic_message(&*panic))));
            match result {
                Ok(()) => self.reset_failures(),
                Err(error) => self.record_failure(&error, is_final),
            }
            // A job's outcome is reported before those waiting for it are woken.
            self.progress.finish_job();
        }
        self.report_losses();
    }

    fn record_failure(&mut self, error: &io::Error, is_final: bool) {
        self.lost += u64::from(is_final);
        (self.progress.lost).fetch_add(u64::from(is_final), Ordering::Relaxed);
        if !self.is_failing {
            (self.warn)(&format!(
                "cannot write the tree to {}: {error}; going on without",
                self.directory.display()
            ));
            self.reported = self.lost;
        } else if self.lost >= 10 * self.reported.max(1) {
            self.report_losses();
        }
        self.is_failing = true;
    }

    fn reset_failures(&mut self) {
        self.report_losses();
        (self.is_failing, self.lost, self.reported) = (false, 0, 0);
    }

    fn report_losses(&mut self) {
        if self.reports_losses && self.lost > self.reported {
            (self.warn)(&format!(
                "{} trees could not be written to {}",
                self.lost,
                self.directory.display()
            ));
            self.reported = self.lost;
        }
    }
}

/// The message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = (panic.downcast_ref::<String>().map(String::as_str))
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!(
        "the writer failed: {}",
        message.unwrap_or("for no known reason")
    )
}

/// The files of one search.
pub struct SearchFiles<'a> {
    output: &'a TreeOutput,
    stem: Arc<FileStem>,
    /// Writes the growth journal; none if there is to be none.
    recorder: Option<GrowthRecorder>,
    /// Depths whose trees have been written.
    depths: Arc<Mutex<Vec<u32>>>,
}

impl SearchFiles<'_> {
    /// The observer of the tree's growth.
    pub fn observer(&self) -> Option<&dyn GrowthObserver> {
        self.recorder
            .as_ref()
            .map(|recorder| -> &dyn GrowthObserver { recorder })
    }

    /// Whether all earlier jobs are written, so that a growing tree need not wait.
    pub fn is_idle(&self) -> bool {
        self.output.is_idle()
    }

    /// Writes a copy of a growing tree. Fills in the fields of the sidecar that follow from the tree.
    pub fn write_growing<G: Searchable + Notation>(
        &self,
        copy: impl FnOnce() -> io::Result<TreeCopy<G>>,
        meta: Meta,
    ) {
        self.write(copy, meta, None, false);
    }

    /// Writes a copy of the tree of a completed depth under a stem of its own. A live game does without if the disk is busy.
    pub fn write_depth<G: Searchable + Notation>(
        &self,
        depth: u32,
        copy: impl FnOnce() -> io::Result<TreeCopy<G>>,
        meta: Meta,
    ) {
        let is_behind = *self.output.progress.pending() >= TreeOutput::MAX_PENDING_TREES / 2;
        if is_behind && !self.output.blocks_when_full {
            return;
        }
        let (settings, stem) = (Arc::clone(&self.output.settings), Arc::clone(&self.stem));
        let retention = Arc::clone(&self.output.retention);
        let written = Arc::clone(&self.depths);
        let tree = self.output.wait_for_capacity().and_then(|()| copy());
        let work = Box::new(move || {
            stem.claim_by_sidecar(&meta)?;
            let name = depth_stem(&stem.name(), depth);
            let sidecar = settings.directory.join(format!("{name}.json"));
            write_files(
                &*tree?,
                meta,
                &settings,
                || name.clone(),
                |fill| write_atomic(&sidecar, fill),
            )?;
            written
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(depth);
            retention.record_stem(stem.order, &settings.directory, name);
            Ok(())
        });
        let is_final = false;
        self.output.submit(WriteJob { work, is_final });
    }

    /// Writes the tree of a finished search and ends its journal. A blocking output waits here for a slow disk.
    pub fn finish<G: Searchable + Notation>(
        mut self,
        copy: impl FnOnce() -> io::Result<TreeCopy<G>>,
        meta: Meta,
    ) {
        let recorder = self.recorder.take();
        self.write(copy, meta, recorder, true);
    }

    fn write<G: Searchable + Notation>(
        &self,
        copy: impl FnOnce() -> io::Result<TreeCopy<G>>,
        meta: Meta,
        recorder: Option<GrowthRecorder>,
        is_final: bool,
    ) {
        let (settings, stem) = (Arc::clone(&self.output.settings), Arc::clone(&self.stem));
        let retention = Arc::clone(&self.output.retention);
        let written = Arc::clone(&self.depths);
        let tree = self.output.wait_for_capacity().and_then(|()| copy());
        let work = Box::new(move || {
            let recorded = recorder.map_or(Ok(()), GrowthRecorder::finish);
            let mut meta = meta;
            let written = written.lock().unwrap_or_else(PoisonError::into_inner);
            for about in meta
                .depths
                .iter_mut()
                .filter(|about| written.contains(&about.depth))
            {
                about.tree = Some(depth_stem(&stem.name(), about.depth));
            }
            write_files(
                &*tree?,
                meta,
                &settings,
                || stem.name(),
                |fill| stem.write_sidecar(fill),
            )?;
            retention.record_tree(stem.order, &settings.directory, &stem.name());
            recorded
        });
        self.output.submit(WriteJob { work, is_final });
    }
}

/// Fills the file of a sidecar.
type FillSidecar<'a> = dyn FnMut(&mut BufWriter<File>) -> io::Result<()> + 'a;

/// The stem of the tree of a completed depth.
fn depth_stem(stem: &str, depth: u32) -> String {
    format!("{stem}-d{depth:02}")
}

/// Writes the files called `name`, which may change until `write_sidecar` has written the sidecar, the first of them.
fn write_files<G: Searchable + Notation>(
    tree: &dyn TreeView<G>,
    meta: Meta,
    settings: &TreeOutputSettings,
    name: impl Fn() -> String,
    write_sidecar: impl FnOnce(&mut FillSidecar<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let snapshot = snapshot::take(tree, &settings.snapshot).map_err(io::Error::other)?;
    write_snapshot(&snapshot, meta, settings, name, write_sidecar)
}

/// [`write_files`] of rows.
fn write_snapshot(
    snapshot: &Snapshot,
    mut meta: Meta,
    settings: &TreeOutputSettings,
    name: impl Fn() -> String,
    write_sidecar: impl FnOnce(&mut FillSidecar<'_>) -> io::Result<()>,
) -> io::Result<()> {
    meta.format = meta::FORMAT_VERSION;
    meta.root = snapshot.root;
    meta.cut = snapshot.cut;
    meta.saturated = snapshot.saturated;
    let has_columns = !snapshot.columns.columns.is_empty();
    let file_name = |extension: &str| format!("{}.{extension}", name());
    let path = |extension: &str| settings.directory.join(file_name(extension));
    // The sidecar comes first: it is what makes the stem ours.
    write_sidecar(&mut |out| {
        meta.growth = Some(file_name("growth")).filter(|_| path("growth").exists());
        meta.extra = settings.snapshot.extra.then(|| file_name("extra"));
        meta.columns = has_columns.then(|| file_name("columns"));
        out.write_all(meta::to_json(&meta).as_bytes())
    })?;
    if settings.snapshot.extra {
        write_atomic(&path("extra"), |out| extra::write(&snapshot.extra, out))?;
    }
    if has_columns {
        write_atomic(&path("columns"), |out| {
            columns::write(&snapshot.columns, out)
        })?;
    }
    write_atomic(&path(&settings.format.to_string()), |out| {
        settings.format.write(&snapshot.tree, out)
    })
}

/// The common beginning of a search's file names.
pub struct FileStem {
    directory: PathBuf,
    /// Which search of the process it is of, from 1.
    order: u64,
    /// Text before and after the number that makes the stem unique.
    prefix: String,
    suffix: String,
    /// The number, and whether the stem is claimed.
    number: Mutex<(u64, bool)>,
}

impl FileStem {
    fn new(directory: &Path, game: &str, search: &str) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let plain = |name: &str| -> String {
            let fine = |symbol: char| symbol.is_ascii_alphanumeric() || symbol == '-';
            name.chars()
                .map(|symbol| if fine(symbol) { symbol } else { '_' })
                .take(40)
                .collect()
        };
        let order = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            directory: directory.to_owned(),
            order,
            prefix: format!("{}-{:010}-", timestamp(since), std::process::id()),
            suffix: format!("-{}-{}", plain(game), plain(search)),
            number: Mutex::new((order, false)),
        }
    }

    /// The stem.
    pub fn name(&self) -> String {
        let number = self.number().0;
        format!("{}{number:06}{}", self.prefix, self.suffix)
    }

    fn number(&self) -> MutexGuard<'_, (u64, bool)> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the first file of this stem with `make`, which must not replace a file: if one exists, it belongs to another
    /// process, and the next number is tried.
    pub(super) fn claim<T>(
        &self,
        extension: &str,
        mut make: impl FnMut(&Path) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            let path = self.directory.join(format!("{}.{extension}", self.name()));
            let result = make(&path);
            match &result {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    self.number().0 += 1_000;
                }
                Err(_) => return result,
                Ok(_) => {
                    self.number().1 = true;
                    return result;
                }
            }
        }
    }

    /// Writes STEM.json of a search that goes on, if the stem is not ours yet.
    fn claim_by_sidecar(&self, meta: &Meta) -> io::Result<()> {
        let is_ours = self.number().1;
        if is_ours {
            return Ok(());
        }
        let meta = Meta {
            format: meta::FORMAT_VERSION,
            is_final: false,
            ..meta.clone()
        };
        self.write_sidecar(|out| out.write_all(meta::to_json(&meta).as_bytes()))
    }

    /// Writes STEM.json, the first time without replacing a file.
    fn write_sidecar(
        &self,
        mut fill: impl FnMut(&mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let is_ours = self.number().1;
        if is_ours {
            let path = self.directory.join(format!("{}.json", self.name()));
            return write_atomic(&path, fill);
        }
        self.claim("json", |path| {
            write_atomic_with(path, &mut fill, rename_without_replacing)
        })
    }
}

/// Gives a complete temporary file its own name, unless there is a file of that name.
pub(super) fn rename_without_replacing(temporary: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, path) {
        Ok(()) => fs::remove_file(temporary),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system has hard links.
        Err(_) if !path.exists() => fs::rename(temporary, path),
        Err(error) => Err(error),
    }
}

/// A time as `yyyymmddThhmmss.mmm`.
pub fn timestamp(since_epoch: Duration) -> String {
    let seconds = since_epoch.as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March end with the leap day; 400 of them are an era of 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}{month:02}{day:02}T{:02}{:02}{:02}.{:03}",
        second / 3_600,
        second / 60 % 60,
        second % 60,
        since_epoch.subsec_millis()
    )
}

/// The process that made a temporary file of a tree: none for any name but `.PID-STEM.EXTENSION.tmp`, the stem being of the
/// same process.
fn temporary_file_owner(name: &str) -> Option<u32> {
    let rest = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (maker, rest) = rest.split_once('-')?;
    let maker: u32 = maker.parse().ok()?;
    let (stem, extension) = rest.rsplit_once('.')?;
    let mut parts = stem.splitn(4, '-');
    let (time, process, number) = (parts.next()?, parts.next()?, parts.next()?);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (date, clock) = time.split_once('T')?;
    let (seconds, millis) = clock.split_once('.')?;
    let is_ours = TREE_EXTENSIONS.contains(&extension)
        && [date, seconds, millis, process, number]
            .into_iter()
            .all(is_digits)
        && (date.len(), seconds.len(), millis.len()) == (8, 6, 3)
        && process == format!("{maker:010}")
        && number.len() >= 6
        && parts.next().is_some();
    is_ours.then_some(maker)
}

/// Removes temporary files of processes that are no more, and nothing else.
fn remove_leftovers(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if let Some(owner) = name.to_str().and_then(temporary_file_owner)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && cfg!(target_os = "linux")
            && !Path::new(&format!("/proc/{owner}")).exists()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_we_made_are_leftovers() {
        let stem = "20261117T203449.088-0000015389-000001-connect-four-uct";
        for (name, maker) in [
            (format!(".15389-{stem}.tree.tmp"), Some(15_389)),
            (format!(".15389-{stem}.growth.tmp"), Some(15_389)),
            // Of another process, of another kind, of others.
            (format!(".15388-{stem}.tree.tmp"), None),
            (format!(".15389-{stem}.doc.tmp"), None),
            (format!("15389-{stem}.tree.tmp"), None),
            (".15389-notes.txt.tmp".to_owned(), None),
            (".15389-2026-15389-000001-x.tree.tmp".to_owned(), None),
            (".15389-.tmp".to_owned(), None),
        ] {
            assert_eq!(temporary_file_owner(&name), maker, "{name}");
        }
    }

    #[test]
    fn times_are_written_as_people_know_them() {
        let at = |seconds, millis: u32| timestamp(Duration::new(seconds, millis * 1_000_000));
        assert_eq!(at(0, 0), "19700101T000000.000");
        // 29 February 2000, 12:34:56, and the second before a year ends.
        assert_eq!(at(951_827_696, 7), "20000229T123456.007");
        assert_eq!(at(1_767_225_599, 999), "20251231T235959.999");
        assert_eq!(at(1_767_225_600, 0), "20260101T000000.000");
    }
}
