//! The protocol server, driven in this process and as a program.

use std::fs;

use canopy_engine::protocol::options;
use support::{
    data,
    transcript::{self, InProcess, Process},
};

mod support;

fn transcripts() -> Vec<(String, String)> {
    let mut found: Vec<_> = fs::read_dir(data("transcripts"))
        .expect("there are transcripts")
        .map(|entry| entry.expect("the folder can be read").path())
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a transcript can be read");
            (path.display().to_string(), text)
        })
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

#[test]
fn transcripts_are_followed_in_this_process() {
    for (name, text) in transcripts() {
        let setup = transcript::setup(&transcript::arguments(&text));
        let mut peer = InProcess::new(&setup).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        if let Err(problem) = transcript::play(&text, &mut peer) {
            panic!("{name}: {problem}");
        }
        assert!(peer.is_over(), "{name}: the server is still there");
    }
}

#[test]
fn transcripts_are_followed_by_the_program() {
    for (name, text) in transcripts() {
        let mut peer = Process::new(&transcript::arguments(&text));
        if let Err(problem) = transcript::play(&text, &mut peer) {
            panic!("{name}: {problem}");
        }
        let (_, well) = peer.wait();
        assert!(well, "{name}: it ended badly");
    }
}

#[test]
fn every_option_stands_in_a_transcript_or_sets_a_search() {
    let all: String = transcripts().into_iter().map(|(_, text)| text).collect();
    for row in options::table() {
        assert!(
            all.contains(&row.name) || row.parameter.is_some(),
            "{} is in no transcript",
            row.name
        );
    }
}
