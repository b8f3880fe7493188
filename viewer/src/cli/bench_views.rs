//! Measurements of the views Why and Compare: how long an explanation takes, and the frames of two trees side by side.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{CliError, HeadlessWindow, elapsed_ms, read_model};
use crate::app::{Action, App, CompareAction, View, WhyAction};

/// Longest wait for two trees to be read and laid out.
const MAX_WAIT: Duration = Duration::from_secs(300);
/// Pause between looks at what background work has made.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Steps of zoom and pan side by side.
const STEPS: u32 = 200;

/// Times in milliseconds, in order.
#[derive(Default)]
struct Times(Vec<f64>);

/// What frames took: by the clock, and of it on the processor, where the system tells. Other programs make the first longer.
#[derive(Default)]
struct FrameTimes {
    clock: Times,
    processor: Times,
}

impl FrameTimes {
    /// Runs and measures.
    fn measure(&mut self, run: impl FnOnce()) {
        let (begun, busy) = (Instant::now(), processor_ms());
        run();
        self.clock.0.push(elapsed_ms(begun));
        let busy = busy
            .zip(processor_ms())
            .map(|(before, after)| after - before);
        self.processor.0.extend(busy);
    }

    fn sorted(mut self) -> Self {
        self.clock.0.sort_by(f64::total_cmp);
        self.processor.0.sort_by(f64::total_cmp);
        self
    }

    /// "99 % below 8.1 ms" with the processor's part.
    fn text(&self, percent: usize) -> String {
        let clock = self.clock.part(percent);
        match self.processor.0.is_empty() {
            true => format!("{clock:.1} ms"),
            false => format!("{clock:.1} ms ({:.1})", self.processor.part(percent)),
        }
    }
}

/// The milliseconds that this thread has had on a processor, on Linux.
fn processor_ms() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = told.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e6)
}

impl Times {
    fn part(&self, percent: usize) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0
            .get((self.0.len() * percent / 100).min(last))
            .copied()
            .unwrap_or(f64::NAN)
    }
}

/// Writes what both views take: of each tree the frames in which another move is explained, of the first two trees the frames while one
/// zooms and pans. In brackets stands the time on the processor, which other programs do not make longer.
pub(super) fn bench_views(paths: &[PathBuf], json: bool) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let failed = |error: io::Error| CliError::Failed(format!("cannot write the output: {error}"));
    for path in paths {
        let times = bench_why(path)?;
        let name = path.display().to_string();
        let written = match json {
            true => writeln!(
                out,
                "{}",
                serde_json::json!({
                    "file": name,
                    "why_median_ms": times.clock.part(50),
                    "why_max_ms": times.clock.part(100),
                })
            ),
            false => writeln!(
                out,
                "Why: a move is explained in {}, at most {}  {name}",
                times.text(50),
                times.text(100)
            ),
        };
        written.map_err(failed)?;
    }
    let [one, other, ..] = paths else {
        return Ok(());
    };
    let (nodes, times) = bench_compare([one.clone(), other.clone()])?;
    let written = match json {
        true => writeln!(
            out,
            "{}",
            serde_json::json!({
                "nodes": nodes,
                "compare_median_ms": times.clock.part(50),
                "compare_p99_ms": times.clock.part(99),
                "compare_max_ms": times.clock.part(100),
                "compare_processor_p99_ms": times.processor.part(99),
            })
        ),
        false => writeln!(
            out,
            "Compare: {} and {} nodes, a frame takes {}, 99 % below {}, at most {}",
            nodes[0],
            nodes[1],
            times.text(50),
            times.text(99),
            times.text(100)
        ),
    };
    written.map_err(failed)
}

/// The frames in which the view Why explains one move of the root after the other.
fn bench_why(path: &Path) -> Result<FrameTimes, CliError> {
    let mut bench = HeadlessWindow::new()?;
    let model = std::sync::Arc::new(read_model(path)?);
    bench.app.show_single_tree(path, model);
    for _ in 0..3 {
        bench.frame();
    }
    let mut times = FrameTimes::default();
    times.measure(|| {
        bench.app.dispatch(Action::ShowView(View::Why));
        bench.frame();
    });
    let rows: Vec<usize> = match bench.app.why.page() {
        Some(Ok(page)) => page.moves.iter().skip(1).map(|one| one.row).collect(),
        Some(Err(problem)) => {
            return Err(CliError::Input(format!("{}: {problem}", path.display())));
        }
        None => Vec::new(),
    };
    for row in rows {
        times.measure(|| {
            bench.app.dispatch(Action::Why(WhyAction::Choose(1, row)));
            bench.frame();
        });
    }
    Ok(times.sorted())
}

/// The nodes of two trees, and the frames while one zooms and pans over all of them.
fn bench_compare(paths: [PathBuf; 2]) -> Result<([usize; 2], FrameTimes), CliError> {
    let mut bench = HeadlessWindow::new()?;
    bench.frame();
    (bench.app).dispatch(Action::Compare(CompareAction::Open(paths)));
    wait_until(&mut bench, |app| app.compare.shown.is_some())?;
    let some = shown_nodes(&bench.app);
    let all = CompareAction::Children(None);
    bench.app.dispatch(Action::Compare(all));
    // A tree that is shown whole already stays as it is.
    let begun = Instant::now();
    while shown_nodes(&bench.app) == some && begun.elapsed() < Duration::from_secs(20) {
        bench.frame();
        thread::sleep(POLL_INTERVAL);
    }
    for _ in 0..3 {
        bench.frame();
    }
    let mut times = FrameTimes::default();
    for step in 0..STEPS {
        let by = if step % 40 < 20 { 1.25 } else { 0.8 };
        let at = (f64::from(step % 7) * 100.0 + 50.0, 200.0);
        for action in [
            CompareAction::Zoom(0, by, Some(at)),
            CompareAction::Pan(1, 15.0, -5.0),
        ] {
            bench.app.dispatch(Action::Compare(action));
        }
        times.measure(|| {
            bench.frame();
        });
    }
    Ok((shown_nodes(&bench.app), times.sorted()))
}

fn shown_nodes(app: &App) -> [usize; 2] {
    let shown = app.compare.shown.as_ref();
    shown.map_or([0; 2], |shown| [0, 1].map(|side| shown.sides[side].len()))
}

fn wait_until(bench: &mut HeadlessWindow, is_so: impl Fn(&App) -> bool) -> Result<(), CliError> {
    let begun = Instant::now();
    loop {
        bench.frame();
        if let Some(problem) = &bench.app.compare.problem {
            return Err(CliError::Input(problem.clone()));
        }
        if is_so(&bench.app) {
            return Ok(());
        }
        if begun.elapsed() > MAX_WAIT {
            return Err(CliError::Failed(
                "the trees were not laid out in time".to_owned(),
            ));
        }
        thread::sleep(POLL_INTERVAL);
    }
}
