//! Measures a journal as the window shows it: how fast it is indexed, how soon any iteration is there, how smoothly it plays.

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use canopy_engine::tree::{
    TreeError, meta,
    replay_reader::{ReplayLimits, ReplayReader},
};

use crate::{
    settings::memory_budget::MemoryBudget,
    tree::model::{ModelSource, TreeModel},
    workers::replay::{MAX_PREVIEW_NODES, adapt_preview_nodes},
};

/// So many iterations are looked at, anywhere, and so many one after the other.
const SEEK_COUNT: u32 = 200;
const FRAME_COUNT: u32 = 300;

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct JournalBenchResult {
    /// Bytes of the journal.
    pub bytes: u64,
    /// Its iterations, as many as can be shown.
    pub iterations: u32,
    /// The seconds until all of them could be shown, and until the choice of nodes was final.
    pub ready_seconds: f64,
    /// See [`Self::ready_seconds`].
    pub refined_seconds: f64,
    /// Bytes of the index; 0 if the journal fits into memory.
    pub index_bytes: u64,
    /// Milliseconds of seeks, in order, each with the tree laid out.
    pub seek_ms: Vec<f64>,
    /// Milliseconds of frames, in order, when the journal plays from its beginning to its end.
    pub frame_ms: Vec<f64>,
    /// The frames a second of all of them.
    pub frames_per_second: f64,
    /// The most bytes that the journal took in memory by its own account.
    pub max_journal_bytes: usize,
    /// The most bytes that the process ever had, if the system tells.
    pub peak_bytes: Option<u64>,
    /// Nodes of the last tree, those it shows, and what all others have fewer visits than.
    pub nodes: (u64, u64, u32),
}

impl JournalBenchResult {
    /// The milliseconds below which so many of a hundred lie.
    pub fn percentile(times: &[f64], part: usize) -> f64 {
        let at = (times.len() * part).div_ceil(100).max(1) - 1;
        times.get(at).copied().unwrap_or(0.0)
    }
}

/// Measures a journal within a budget; its index is built anew, in a directory that is removed afterwards.
pub fn bench_journal(path: &Path, budget: &MemoryBudget) -> Result<JournalBenchResult, String> {
    let wrong = |error: TreeError| format!("{}: {error}", path.display());
    let sidecar = path.with_extension("json");
    let meta = fs::File::open(&sidecar)
        .map_err(TreeError::from)
        .and_then(meta::read)
        .map_err(|error| format!("{}: {error}", sidecar.display()))?;
    let mut limits = budget.journal_limits();
    limits.cache_directory =
        (limits.cache_directory).map(|cache| cache.join(format!("bench-{}", std::process::id())));
    let begun = Instant::now();
    let opened = ReplayReader::open_with_limits(path, &meta.game, &meta.position, limits.clone());
    let mut reader = opened.map_err(wrong)?;
    let mut measured = JournalBenchResult::default();
    let result = index_journal(&mut reader, begun, &mut measured)
        .map_err(wrong)
        .and_then(|()| measure_frames(&mut reader, &limits, &mut measured));
    measured.bytes = fs::metadata(path).map_or(0, |meta| meta.len());
    measured.index_bytes = reader.index_bytes().unwrap_or(0);
    measured.peak_bytes = peak_memory();
    if let Some(cache) = limits.cache_directory {
        let _ = fs::remove_dir_all(cache);
    }
    result.map(|()| measured)
}

fn index_journal(
    reader: &mut ReplayReader,
    begun: Instant,
    measured: &mut JournalBenchResult,
) -> Result<(), TreeError> {
    let mut ready = None;
    loop {
        reader.poll()?;
        measured.max_journal_bytes = measured.max_journal_bytes.max(reader.bytes());
        let (read, there) = reader.progress();
        if read >= there || reader.stop_reason().is_some() {
            ready.get_or_insert_with(|| begun.elapsed());
        }
        if !reader.is_behind() {
            break;
        }
    }
    let refined = begun.elapsed();
    measured.ready_seconds = ready.unwrap_or(refined).as_secs_f64();
    measured.refined_seconds = refined.as_secs_f64();
    measured.iterations = reader.iterations();
    Ok(())
}

/// Looks at many iterations.
fn measure_frames(
    reader: &mut ReplayReader,
    limits: &ReplayLimits,
    measured: &mut JournalBenchResult,
) -> Result<(), String> {
    let total = reader.iterations();
    let mut max_nodes = MAX_PREVIEW_NODES;
    let mut frame = |reader: &mut ReplayReader, at: u32, measured: &mut JournalBenchResult| {
        let begun = Instant::now();
        let snapshot = reader.tree_at(at, Some(max_nodes.min(limits.max_nodes as u64)))?;
        let sought = Instant::now();
        let source = ModelSource {
            left_out: snapshot
                .total_nodes
                .saturating_sub(snapshot.tree.nodes().len() as u64),
            ..ModelSource::of(snapshot.tree)
        };
        let model = Arc::new(TreeModel::new(source));
        max_nodes = adapt_preview_nodes(max_nodes, sought.elapsed());
        measured.nodes = (
            snapshot.total_nodes,
            model.len() as u64,
            snapshot.min_visits,
        );
        measured.max_journal_bytes = measured.max_journal_bytes.max(reader.bytes());
        Ok::<Duration, String>(begun.elapsed())
    };
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    // The fractional parts of multiples of the golden section are spread evenly, in no order.
    for step in 1..=SEEK_COUNT {
        let part = (f64::from(step) * 0.618_033_988_749_895).fract();
        let at = (part * f64::from(total)) as u32;
        let time = frame(reader, at, measured)?;
        measured.seek_ms.push(millis(time));
    }
    let begun = Instant::now();
    for step in 1..=FRAME_COUNT {
        let at = u64::from(total) * u64::from(step) / u64::from(FRAME_COUNT);
        let time = frame(reader, at as u32, measured)?;
        measured.frame_ms.push(millis(time));
    }
    measured.frames_per_second = f64::from(FRAME_COUNT) / begun.elapsed().as_secs_f64();
    measured.seek_ms.sort_by(f64::total_cmp);
    measured.frame_ms.sort_by(f64::total_cmp);
    Ok(())
}

/// The most memory this process ever had, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
