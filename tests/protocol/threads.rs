//! Options and time: ranges of numbers, and many threads that answer in time.

use super::*;

/// Option ranges fit into 32 bits, for clients that parse them as such.
#[test]
fn ranges_fit_32_bits() {
    for row in options::option_definitions() {
        if let options::OptionKind::Spin { default, min, max } = row.kind {
            for number in [default, min, max] {
                assert!(i32::try_from(number).is_ok(), "{}: {number}", row.name);
            }
        }
    }
}

/// Too many threads are clamped and reported; the rest respect the time limit.
#[test]
fn many_threads_are_clamped_and_keep_the_time() {
    let mut process = EngineProcess::new(&[]);
    process.send("uci");
    process.send("setoption name Threads value 512");
    let said = std::iter::from_fn(|| process.read_line(REPLY_TIMEOUT))
        .find(|line| line.starts_with("info string"))
        .expect("it is told");
    assert!(
        said.starts_with("info string 512 threads are more than this machine"),
        "{said}"
    );
    process.send("setoption name Search value uct,threads=500");
    let said = process.read_line(REPLY_TIMEOUT).expect("it is told");
    assert!(
        said.starts_with("info string 500 threads are more than"),
        "{said}"
    );
    assert!(movetime_latency(&mut process, 200) < Duration::from_secs(5));
}

/// Time from `go movetime` to `bestmove`.
fn movetime_latency(process: &mut EngineProcess, millis: u64) -> Duration {
    let begun = Instant::now();
    process.send(&format!("go movetime {millis}"));
    while !process
        .read_line(REPLY_TIMEOUT)
        .expect("an answer comes")
        .starts_with("bestmove ")
    {}
    begun.elapsed()
}

#[test]
#[ignore = "for an idle machine"]
fn sixty_four_threads_answer_within_a_tenth_of_a_second() {
    let mut process = EngineProcess::new(&["--option".to_owned(), "Threads=64".to_owned()]);
    process.send("uci");
    while process
        .read_line(REPLY_TIMEOUT)
        .expect("it introduces itself")
        != "uciok"
    {}
    for _ in 0..20 {
        let time = movetime_latency(&mut process, 200);
        assert!(time < Duration::from_millis(300), "{time:?}");
        process.send("ucinewgame");
    }
}
