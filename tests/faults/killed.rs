//! Engines that are killed or share a directory leave no half file.

use super::*;

fn kill_at_random_moments(times: u32) {
    let scratch = Scratch::new("killed");
    let mut rng = Rng::new(1);
    let mut most = 0;
    for round in 0..times {
        let directory = scratch.0.join(format!("round-{round}"));
        let more = [
            "--iterations",
            "20000",
            "--every",
            "5",
            "--extra",
            "--journal",
        ];
        let mut child = grow_command(&directory, 1000, &more).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(u64::from(rng.below(150_000))));
        child.kill().unwrap();
        child.wait().unwrap();
        if directory.exists() {
            most = most.max(count_whole_trees(&directory));
            // The next process clears up what this one could not.
            let (moves, errors, code) = wait_for_output(
                grow_command(&directory, 1, &["--iterations", "10"])
                    .spawn()
                    .unwrap(),
            );
            assert_eq!((moves.len(), errors.as_str(), code), (1, "", Some(0)));
            let left = fs::read_dir(&directory).unwrap().filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                name.to_string_lossy().starts_with('.')
            });
            assert_eq!(left.count(), 0);
            fs::remove_dir_all(&directory).unwrap();
        }
    }
    assert!(most > 0, "the engine never got as far as a tree");
}

#[test]
fn a_killed_engine_leaves_no_half_file() {
    kill_at_random_moments(10);
}

#[test]
#[ignore = "takes a minute"]
fn an_engine_killed_at_200_moments_leaves_no_half_file() {
    kill_at_random_moments(200);
}

#[test]
fn two_engines_share_a_directory() {
    let scratch = Scratch::new("shared");
    let start = || {
        grow_command(&scratch.0, 8, &["--iterations", "2000", "--journal"])
            .spawn()
            .unwrap()
    };
    for child in [start(), start(), start()] {
        let (moves, errors, code) = wait_for_output(child);
        assert_eq!((moves.len(), errors.as_str(), code), (8, "", Some(0)));
    }
    assert_eq!(count_whole_trees(&scratch.0), 24);
}
