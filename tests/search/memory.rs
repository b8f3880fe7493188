//! Memory limits: the statistics and the whole process stay within them, and the search goes on.

use super::*;

#[test]
fn memory_is_never_exceeded_and_the_search_goes_on() {
    fn check<G: Playable>(rules: G::Rules) {
        for store in STORES {
            for threads in [1, 2] {
                let config = MctsConfig {
                    memory_mb: 1,
                    entries: 5000,
                    store,
                    threads,
                    playout_limit: Some(3),
                    ..MctsConfig::default()
                };
                let mut search = mcts::build::<G>(config);
                let report = search_position(
                    &mut *search,
                    &G::start(rules),
                    SearchLimits::iterations(60_000),
                )
                .report;
                assert_eq!(report.iterations, 60_000);
                assert!(
                    report.memory_full || report.stored_moves < 20_000,
                    "{store:?} on {}",
                    G::NAME
                );
                assert!(
                    report.memory_bytes <= 1 << 20,
                    "{} bytes in {store:?} on {}",
                    report.memory_bytes,
                    G::NAME
                );
            }
        }
    }
    check_each_game!(every_game(), check);
}

/// The short form of the minute's run: peak memory of a process, measured by the operating system.
#[test]
#[cfg(target_os = "linux")]
fn a_process_under_a_limit_does_not_outgrow_it() {
    check_process_memory("uct", 64, "1500000");
    check_process_memory("transposition", 64, "1500000");
}

#[test]
#[ignore = "two minutes of searching"]
#[cfg(target_os = "linux")]
fn a_process_under_a_limit_does_not_outgrow_it_in_a_minute() {
    check_process_memory("uct", 64, "12000000");
    check_process_memory("transposition", 64, "12000000");
}

#[cfg(target_os = "linux")]
fn check_process_memory(search: &str, limit_mb: u64, iterations: &str) {
    /// Memory beside the node store: code, stacks, reply tables.
    const OVERHEAD_MB: u64 = 12;
    let search = format!("{search},memory={limit_mb}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args([
            "bench",
            "rate",
            "--game",
            "connect-four",
            "--search",
            &search,
            "--iterations",
            iterations,
            "--json",
        ])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0;
    while child.try_wait().expect("it can be waited for").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kb = peak.and_then(|peak| {
            peak.trim()
                .trim_end_matches(" kB")
                .trim()
                .parse::<u64>()
                .ok()
        });
        peak_kb = peak_kb.max(kb.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        peak_kb > limit_mb * 1024 * 3 / 4,
        "{peak_kb} kB: the limit was not even reached"
    );
    assert!(
        peak_kb <= (limit_mb + OVERHEAD_MB) * 1024,
        "{peak_kb} kB under a limit of {limit_mb} MB"
    );
}

/// Fills a search's memory, lets the game continue, fills it again. Asserts that the process stays within the limit plus its
/// overhead.
#[cfg(target_os = "linux")]
fn check_full_memory(game: &str, search: &str, threads: usize, limit_mb: u64) {
    use std::io::{BufRead as _, Write as _};

    /// Memory beside the node store: code, stacks, reply tables; and without the code.
    const OVERHEAD_MB: u64 = 12;
    const OWN_OVERHEAD_MB: u64 = 6;
    /// Each round doubles the node limit: a search that does not reuse its tree must fill the memory in one round.
    const MAX_ROUNDS: u32 = 12;
    let mut child = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["--protocol", "ugi", "--game", game])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("there is a pipe");
    let mut lines = std::io::BufReader::new(child.stdout.take().expect("there is a pipe")).lines();
    write!(
        input,
        "setoption name Search value {search}\nsetoption name Hash value {limit_mb}\n\
         setoption name Threads value {threads}\nsetoption name PlayoutLimit value 2\n"
    )
    .expect("it listens");
    let mut moves = String::new();
    for _ in 0..2 {
        let mut best = String::new();
        let mut is_full = false;
        for round in 0.. {
            assert!(
                round < MAX_ROUNDS,
                "{search} of {threads} threads never fills {limit_mb} MB with {game}"
            );
            let nodes = 20_000_u64 << round;
            writeln!(input, "position startpos moves {moves}\ngo nodes {nodes}")
                .expect("it listens");
            while best.is_empty() {
                let line = lines.next().expect("it answers").expect("in text");
                is_full |= line.contains("memory is full");
                if let Some(mv) = line.strip_prefix("bestmove ") {
                    mv.split(' ')
                        .next()
                        .unwrap_or_default()
                        .clone_into(&mut best);
                }
            }
            if is_full {
                break;
            }
            best.clear();
        }
        moves = format!("{moves} {best}");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.expect("the process is there");
    let kilobytes = |name: &str| -> u64 {
        let value = status.lines().find_map(|line| line.strip_prefix(name));
        value
            .and_then(|value| value.trim().trim_end_matches(" kB").parse().ok())
            .expect("the system tells it")
    };
    let (peak_kb, file_kb) = (kilobytes("VmHWM:"), kilobytes("RssFile:"));
    drop(input);
    child.wait().expect("it ends");
    let own_kb = peak_kb.saturating_sub(file_kb);
    assert!(
        own_kb <= (limit_mb + OWN_OVERHEAD_MB) * 1024,
        "{search} of {threads} threads took {own_kb} kB of its own with {game} under a limit of {limit_mb} MB"
    );
    // The code of a build for tests is much larger than the product's, and its pages count as the process's.
    assert!(
        cfg!(debug_assertions) || peak_kb <= (limit_mb + OVERHEAD_MB) * 1024,
        "{search} of {threads} threads took {peak_kb} kB with {game} under a limit of {limit_mb} MB"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_memory_is_the_limit_and_12_megabytes() {
    for (game, search, threads) in [
        ("connect-four", "uct", 1),
        ("connect-four", "lgr2", 16),
        ("othello", "transposition", 16),
        ("chess", "lgr2", 4),
        ("delta", "ucb1-tuned", 2),
        ("kalah", "transposition-002", 8),
    ] {
        check_full_memory(game, search, threads, 4);
    }
}

#[test]
#[ignore = "many minutes: every search, every game, 1 to 16 threads"]
#[cfg(target_os = "linux")]
fn a_full_memory_is_the_limit_and_12_megabytes_for_every_search() {
    fn check<G: Playable>(_: G::Rules) {
        // The fixture has too few positions to fill a memory.
        if !G::FACTS.is_listed {
            return;
        }
        for name in catalog::names::<G>() {
            let spec = catalog::parse::<G>(name).expect("listed searches exist");
            if matches!(spec, Spec::Mcts(_)) {
                for threads in 1..=16 {
                    check_full_memory(G::NAME, name, threads, 8);
                }
            }
        }
    }
    check_each_game!(every_game(), check);
}
