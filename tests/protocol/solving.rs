//! The search `exact` over the protocol: its cache and its book.

use super::*;

/// Perfect play of one move from a position at connect four: the output, and the files of the cache.
fn play_exactly(search: &str, position: &str, cache: &Path) -> (String, usize) {
    let script = format!(
        "ugi\nsetoption name CacheDir value {}\nsetoption name Search value {search}\n{position}\ngo movetime 60000\nwait\n",
        cache.display()
    );
    let (text, well) = run_piped(&["--game", "connect-four"], script.as_bytes());
    assert!(well, "{text}");
    let files = fs::read_dir(cache).map_or(0, Iterator::count);
    (text, files)
}

/// The nodes of the last report.
fn last_nodes(text: &str) -> u64 {
    let nodes = text.lines().rev().find_map(|line| {
        let mut words = line.split_whitespace().skip_while(|word| *word != "nodes");
        words.nth(1)?.parse().ok()
    });
    nodes.expect("a report")
}

#[test]
fn perfect_play_keeps_slow_values_in_the_cache() {
    let scratch = Scratch::new("exact-cache");
    let position = "position startpos moves 4 4 4 4 4 2 1 1 2 3 3";
    let play = || play_exactly("exact", position, &scratch.0.join("cache"));
    let ((first, stored), (second, _)) = (play(), play());
    assert_eq!(last_line(&first), last_line(&second));
    // A fast machine may have nothing worth storing.
    if stored > 0 {
        assert!(last_nodes(&second) < last_nodes(&first), "{first}{second}");
    }
    let nowhere = scratch.0.join("none");
    assert_eq!(play_exactly("random", position, &nowhere).1, 0);
}

#[test]
fn perfect_play_opens_by_the_book_at_once() {
    let scratch = Scratch::new("exact-book");
    let (text, _) = play_exactly("exact", "position startpos", &scratch.0.join("cache"));
    assert_eq!(last_line(&text).split(' ').nth(1), Some("4"), "{text}");
    assert!(last_nodes(&text) < 2_000_000, "{text}");
    let script = "ugi\nsetoption name CacheDir value\nposition startpos\nquery value\nwait\nquery values\nwait\n\
                  setoption name Book value false\nquery value movetime 1\nwait\n";
    let (text, well) = run_piped(&["--game", "connect-four"], script.as_bytes());
    assert!(well, "{text}");
    let answers: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("response value"))
        .collect();
    assert!(
        answers[0].starts_with("response value win score 1 plies 41 pv 4"),
        "{text}"
    );
    assert_eq!(
        answers[1],
        "response values 1:loss:-2:40 2:loss:-1:42 3:draw:0:42 4:win:1:41 5:draw:0:42 6:loss:-1:42 7:loss:-2:40"
    );
    assert_eq!(answers[2], "response value unknown");
}
