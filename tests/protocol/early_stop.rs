//! `EarlyStop`: what ends a search on a clock or with a move time, and what does not.

use super::*;

/// Far more time than a test has: who uses it up never answers.
const LONG_GO: [&str; 2] = ["go movetime 600000", "go wtime 6000000 btime 6000000"];

/// Chess: Black has one legal move.
const FORCED: &str = "position fen k7/8/1K6/8/8/8/8/7R b - - 0 1";

fn server(options: &[&str]) -> InProcessServer {
    let options = options.iter().flat_map(|&option| ["--option", option]);
    let words: Vec<String> = (["--protocol", "ugi"].into_iter().chain(options))
        .map(str::to_owned)
        .collect();
    InProcessServer::new(&transcript::setup(&words)).expect("the options are right")
}

/// Sends a `go`; returns the best move, and the figure called `what` of the last report.
fn play(peer: &mut InProcessServer, go: &str, what: &str) -> (String, u64) {
    peer.send(go);
    let mut figure = 0;
    loop {
        let line = peer
            .read_line(REPLY_TIMEOUT)
            .unwrap_or_else(|| panic!("no answer to {go}"));
        if let Some(best) = line.strip_prefix("bestmove ") {
            return (best.to_owned(), figure);
        }
        let mut words = line.split(' ').skip_while(|&word| word != what).skip(1);
        figure = words
            .next()
            .and_then(|word| word.parse().ok())
            .unwrap_or(figure);
    }
}

#[test]
fn a_forced_move_is_answered_at_once_with_a_tree() {
    let scratch = Scratch::new("early-stop");
    let searches = [
        "uct",
        "puct",
        "transposition",
        "deepening",
        "aspiration",
        "exact",
        "uct,solver=true",
    ];
    for (index, search) in searches.into_iter().enumerate() {
        let trees = format!("TreeDir={}", scratch.0.display());
        let mut peer = server(&[&format!("Search={search}"), &trees, "CacheDir="]);
        for (part, go) in LONG_GO.into_iter().enumerate() {
            peer.send(FORCED);
            assert_eq!(play(&mut peer, go, "nodes").0, "a8b8", "{search}: {go}");
            let expected = index * LONG_GO.len() + part + 1;
            peer.send("isready");
            while peer.read_line(REPLY_TIMEOUT).expect("it is ready") != "readyok" {}
            let begun = Instant::now();
            while scratch.files("tree").len() < expected && begun.elapsed() < REPLY_TIMEOUT {
                std::thread::sleep(Duration::from_millis(2));
            }
            assert_eq!(scratch.files("tree").len(), expected, "{search}: {go}");
        }
    }
    for path in scratch.files("tree") {
        let document = files::read(&path, None).expect("the tree is whole");
        assert!(
            document.tree.nodes().len() > 1,
            "{}: only a root",
            path.display()
        );
    }
}

#[test]
fn a_forced_move_uses_up_every_other_limit() {
    let mut peer = server(&[]);
    peer.send(FORCED);
    assert_eq!(play(&mut peer, "go nodes 700", "nodes").1, 700);
    assert_eq!(play(&mut peer, "go iterations 300", "nodes").1, 300);
    assert_eq!(
        play(&mut peer, "go movetime 600000 nodes 900", "nodes").1,
        900
    );
    for go in ["go infinite", "go ponder wtime 600000 btime 600000"] {
        peer.send(go);
        // Half a second is more than enough for an early answer.
        let until = Instant::now() + Duration::from_millis(500);
        while let Some(rest) = until.checked_duration_since(Instant::now()) {
            let line = peer.read_line(rest).unwrap_or_default();
            assert!(!line.starts_with("bestmove"), "{go}: {line}");
        }
        assert_eq!(play(&mut peer, "stop", "nodes").0, "a8b8", "{go}");
    }
}

#[test]
fn without_the_option_and_in_published_presets_a_forced_move_takes_its_time() {
    for options in [
        &["EarlyStop=false"][..],
        &["Search=uct-002"],
        &["MultiPV=2"],
    ] {
        let mut peer = server(options);
        peer.send(FORCED);
        let (_, millis) = play(&mut peer, "go movetime 150", "time");
        assert!(millis >= 150, "{options:?}: {millis} ms");
    }
}

#[test]
fn a_decided_choice_is_answered_early() {
    let decided = [
        // A win in one move, which needs no solver; all moves but one lose at once, which does.
        ("uct", "position startpos moves 1 7 1 7 1 7", "1"),
        (
            "uct,solver=true",
            "position startpos moves 1 7 1 7 2 7",
            "7",
        ),
        ("deepening", "position startpos moves 7 1 7 1 6 1", "1"),
    ];
    for (search, position, best) in decided {
        let mut peer = server(&["Game=connect-four", &format!("Search={search}")]);
        peer.send(position);
        for go in LONG_GO {
            assert_eq!(
                play(&mut peer, &go.replace("wtime", "p1time"), "nodes").0,
                best,
                "{search}"
            );
        }
    }
}

#[test]
fn a_lead_that_cannot_be_overtaken_saves_time() {
    let mut peer = server(&["Game=connect-four", "Search=uct,reuse=false"]);
    // The one move that does not lose is chosen nearly always.
    peer.send("position startpos moves 1 7 1 7 2 7");
    let (best, millis) = play(&mut peer, "go movetime 2000", "time");
    assert_eq!(best, "7");
    assert!((500..1900).contains(&millis), "{millis} ms");
}
