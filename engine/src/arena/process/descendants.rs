//! All descendants of an engine process. Children that lead their own session, and orphans, are outside its process group.
//!
//! They are found by their parents, while those live, and by an environment variable that every process of the engine
//! inherits. A process escapes only if it clears its environment and loses its parent between two looks.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::process::{Pid, Signal, kill_process};

/// The variable by which descendants are known. Its value has a word for every match that such a process is part of.
const MARK_VARIABLE: &str = "CANOPY_MATCH_PROCESS";
/// Upper bound of kill rounds against a process that forks faster than it is killed; on a busy machine a process takes
/// several rounds to exit.
const MAX_ROUNDS: u32 = 500;
const ROUND_INTERVAL: Duration = Duration::from_millis(2);
/// Consecutive rounds that must find no process: during `exec` a process has no environment.
const MIN_EMPTY_ROUNDS: u32 = 2;

/// The descendants of one engine.
#[derive(Debug)]
pub(super) struct Descendants {
    /// The word in the variable that is this engine's alone.
    mark: String,
    /// Descendants seen, with their start time, since process ids are reused.
    members: BTreeSet<(i32, u64)>,
}

/// The used fields of `/proc/PID/stat`.
struct ProcStat {
    parent: i32,
    started: u64,
    is_zombie: bool,
}

impl Descendants {
    /// Marks the processes that a command will start.
    pub(super) fn track(command: &mut Command) -> Self {
        static NEXT_MARK: AtomicU64 = AtomicU64::new(0);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let mark = format!(
            "{}-{:x}-{}",
            std::process::id(),
            since.unwrap_or_default().as_nanos(),
            NEXT_MARK.fetch_add(1, Ordering::Relaxed)
        );
        // Processes of a nested match carry both marks.
        let outer = std::env::var(MARK_VARIABLE).unwrap_or_default();
        command.env(MARK_VARIABLE, format!("{outer} {mark}").trim());
        Self {
            mark,
            members: BTreeSet::new(),
        }
    }

    /// Looks for descendants of the engine, which must not have been reaped; those it has lost are found only later, by the
    /// variable.
    pub(super) fn refresh(&mut self, engine: Pid) {
        let processes = list_processes();
        let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
        for (&process, entry) in &processes {
            children.entry(entry.parent).or_default().push(process);
        }
        let is_alive = |&&(process, started): &&(i32, u64)| {
            (processes.get(&process)).is_some_and(|entry| entry.started == started)
        };
        let known = self.members.iter().filter(is_alive);
        let known = known.map(|&(process, _)| process);
        let mut parents: Vec<i32> = known.chain([engine.as_raw_pid()]).collect();
        while let Some(parent) = parents.pop() {
            for &child in children.get(&parent).into_iter().flatten() {
                if let Some(entry) = processes.get(&child)
                    && self.members.insert((child, entry.started))
                {
                    parents.push(child);
                }
            }
        }
    }

    /// Ends them all. The engine itself has been ended, and not been reaped.
    pub(super) fn kill(&mut self) {
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let mut empty_rounds = 0;
        for _ in 0..MAX_ROUNDS {
            let mut is_any_left = false;
            for (process, entry) in list_processes() {
                if process == own || entry.is_zombie {
                    continue;
                }
                let is_member = self.members.contains(&(process, entry.started));
                if (is_member || has_mark(process, &self.mark))
                    && let Some(number) = Pid::from_raw(process)
                {
                    let _ = kill_process(number, Signal::KILL);
                    is_any_left = true;
                }
            }
            empty_rounds = if is_any_left { 0 } else { empty_rounds + 1 };
            if empty_rounds == MIN_EMPTY_ROUNDS {
                return;
            }
            // One of them may just have started another.
            thread::sleep(ROUND_INTERVAL);
        }
    }
}

/// All processes there are at the moment.
fn list_processes() -> BTreeMap<i32, ProcStat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter_map(|number: i32| Some((number, read_proc_stat(number)?)))
        .collect()
}

fn read_proc_stat(process: i32) -> Option<ProcStat> {
    let text = fs::read(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may contain any characters, parentheses and blanks included.
    let name_end = text.iter().rposition(|&byte| byte == b')')?;
    let text = std::str::from_utf8(text.get(name_end + 1..)?).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let is_zombie = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    // The third field is the state, the twenty-second when it started (proc(5)).
    let started = fields.nth(17)?.parse().ok()?;
    Some(ProcStat {
        parent,
        started,
        is_zombie,
    })
}

/// Whether a process has inherited a mark. False for other users' processes, whose environment is unreadable.
fn has_mark(process: i32, mark: &str) -> bool {
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|variable| {
        let value = variable.strip_prefix(MARK_VARIABLE.as_bytes());
        let value = value.and_then(|value| value.strip_prefix(b"="));
        value.is_some_and(|value| {
            let mut words = value.split(|&byte| byte == b' ');
            words.any(|word| word == mark.as_bytes())
        })
    })
}
