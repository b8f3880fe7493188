//! Measures a journal as the window shows it: how fast it is indexed, how soon any iteration is there, how smoothly it plays.

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use canopy_engine::tree::{
    TreeError,
    film::{Film, Limits},
    meta,
};

use crate::{
    budget::Budget,
    film::{QUICK, adapted},
    model::{Model, Source},
};

/// So many iterations are looked at, anywhere, and so many one after the other.
const SEEKS: u32 = 200;
const FRAMES: u32 = 300;

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Bytes of the journal.
    pub bytes: u64,
    /// Its iterations, as many as can be shown.
    pub iterations: u32,
    /// The seconds until all of them could be shown, and until the choice of nodes was final.
    pub ready: f64,
    /// See [`Self::ready`].
    pub refined: f64,
    /// Bytes of the index; 0 if the journal fits into memory.
    pub index: u64,
    /// Milliseconds of seeks, in order, each with the tree laid out.
    pub seeks: Vec<f64>,
    /// Milliseconds of frames, in order, when the journal plays from its beginning to its end.
    pub frames: Vec<f64>,
    /// The frames a second of all of them.
    pub rate: f64,
    /// The most bytes that the journal took in memory by its own account.
    pub memory: usize,
    /// The most bytes that the process ever had, if the system tells.
    pub peak: Option<u64>,
    /// Nodes of the last tree, those it shows, and what all others have fewer visits than.
    pub nodes: (u64, u64, u32),
}

impl Measured {
    /// The milliseconds below which so many of a hundred lie.
    pub fn percentile(times: &[f64], part: usize) -> f64 {
        let at = (times.len() * part).div_ceil(100).max(1) - 1;
        times.get(at).copied().unwrap_or(0.0)
    }
}

/// Measures a journal within a budget; its index is built anew, in a directory that is removed afterwards.
pub fn measure(path: &Path, budget: &Budget) -> Result<Measured, String> {
    let wrong = |error: TreeError| format!("{}: {error}", path.display());
    let sidecar = path.with_extension("json");
    let meta = fs::File::open(&sidecar)
        .map_err(TreeError::from)
        .and_then(meta::read)
        .map_err(|error| format!("{}: {error}", sidecar.display()))?;
    let mut limits = budget.journal();
    limits.cache = (limits.cache).map(|cache| cache.join(format!("bench-{}", std::process::id())));
    let begun = Instant::now();
    let opened = Film::open_within(path, &meta.game, &meta.position, limits.clone());
    let mut film = opened.map_err(wrong)?;
    let mut measured = Measured::default();
    let result = read(&mut film, begun, &mut measured)
        .map_err(wrong)
        .and_then(|()| look(&mut film, &limits, &mut measured));
    measured.bytes = fs::metadata(path).map_or(0, |meta| meta.len());
    measured.index = film.index_bytes().unwrap_or(0);
    measured.peak = peak_memory();
    if let Some(cache) = limits.cache {
        let _ = fs::remove_dir_all(cache);
    }
    result.map(|()| measured)
}

fn read(film: &mut Film, begun: Instant, measured: &mut Measured) -> Result<(), TreeError> {
    let mut ready = None;
    loop {
        film.poll()?;
        measured.memory = measured.memory.max(film.bytes());
        let (read, there) = film.progress();
        if read >= there || film.stopped().is_some() {
            ready.get_or_insert_with(|| begun.elapsed());
        }
        if !film.is_behind() {
            break;
        }
    }
    let refined = begun.elapsed();
    measured.ready = ready.unwrap_or(refined).as_secs_f64();
    measured.refined = refined.as_secs_f64();
    measured.iterations = film.iterations();
    Ok(())
}

/// Looks at many iterations.
fn look(film: &mut Film, limits: &Limits, measured: &mut Measured) -> Result<(), String> {
    let total = film.iterations();
    let mut most = QUICK;
    let mut frame = |film: &mut Film, at: u32, measured: &mut Measured| {
        let begun = Instant::now();
        let shot = film.shot(at, Some(most.min(limits.nodes as u64)))?;
        let sought = Instant::now();
        let source = Source {
            left_out: shot.nodes.saturating_sub(shot.tree.nodes().len() as u64),
            ..Source::of(shot.tree)
        };
        let model = Arc::new(Model::new(source));
        most = adapted(most, sought.elapsed());
        measured.nodes = (shot.nodes, model.len() as u64, shot.least_visits);
        measured.memory = measured.memory.max(film.bytes());
        Ok::<Duration, String>(begun.elapsed())
    };
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    // The fractional parts of multiples of the golden section are spread evenly, in no order.
    for step in 1..=SEEKS {
        let part = (f64::from(step) * 0.618_033_988_749_895).fract();
        let at = (part * f64::from(total)) as u32;
        let time = frame(film, at, measured)?;
        measured.seeks.push(millis(time));
    }
    let begun = Instant::now();
    for step in 1..=FRAMES {
        let at = u64::from(total) * u64::from(step) / u64::from(FRAMES);
        let time = frame(film, at as u32, measured)?;
        measured.frames.push(millis(time));
    }
    measured.rate = f64::from(FRAMES) / begun.elapsed().as_secs_f64();
    measured.seeks.sort_by(f64::total_cmp);
    measured.frames.sort_by(f64::total_cmp);
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
