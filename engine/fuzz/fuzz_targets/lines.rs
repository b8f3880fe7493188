//! What engines say: a dialogue of any bytes, whose lines begin with `>` for the client, becomes trees that can be written.
#![no_main]

use canopy_engine::{
    arena::watch::{
        analysis,
        conversation::Conversation,
        line_board,
        line_tree::LineTree,
        recorder::LineEvent,
    },
    tree::binary,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let mut conversation = Conversation::new(None, None, "engine");
    let mut tree: Option<LineTree> = None;
    for line in text.lines() {
        let mut tell = |event: LineEvent| match event {
            LineEvent::Begin(start) => {
                tree = Some(LineTree::new(line_board::open(&start.game, &start.position).0));
            }
            LineEvent::Line(line) => {
                for statement in analysis::parse(&line, true) {
                    tree.iter_mut().for_each(|tree| drop(tree.add(&statement)));
                }
            }
            LineEvent::Engine(_) | LineEvent::End(_) => {}
        };
        match line.strip_prefix('>') {
            Some(line) => conversation.hear_client(line, &mut tell),
            None => conversation.hear_engine(line, &mut tell),
        }
    }
    if let Some(tree) = tree {
        let snapshot = tree.snapshot().expect("the tree can be copied");
        let mut bytes = Vec::new();
        binary::write(&snapshot.tree, &mut bytes).expect("memory takes every byte");
        assert!(binary::read(&bytes[..]).is_ok());
    }
});
