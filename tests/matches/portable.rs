//! Engines run with threads and the standard library alone, as on systems that are not Unix.

use super::*;

const WITH_THREADS: [(&str, &str); 1] = [("CANOPY_ENGINE_BACKEND", "threads")];

#[test]
fn misbehaving_engines_lose_with_threads_too() {
    referee::check_faults(&WITH_THREADS);
    let crash = play_rogue_with(&WITH_THREADS, "crash", "nodes 10");
    let complaints = crash["remains"]["complaints"].to_string();
    assert!(complaints.contains("out of luck"), "{crash}");
}

#[test]
fn a_match_with_threads_has_the_same_games() {
    let play = |name: &str, variables: &[(&str, &str)]| {
        let scratch = Scratch::new(name);
        let output = Command::new(engine_path())
            .args(match_arguments(&format!(
                "--game|kalah|--engine|search=uct|--engine|search=lgr1|--games|6|--plies|2|--seed|7|--go|nodes 100|--out|{}",
                scratch.0.display()
            )))
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let games = read_games(&scratch.0);
        let moves = games.iter().map(|game| game["moves"].to_string());
        moves.collect::<Vec<String>>()
    };
    let polled = play("backend-polled", &[]);
    assert_eq!(polled.len(), 6);
    assert_eq!(polled, play("backend-threads", &WITH_THREADS));
}
