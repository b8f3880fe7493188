//! Journals: read, turned to some iterations, and made rows of as if they were of each game in turn.
#![no_main]

use canopy_engine::{
    games::{self, Playable, Visitor},
    tree::{
        growth::Growth,
        replay::GrowthReplay,
        snapshot::{self, SnapshotOptions},
    },
};
use libfuzzer_sys::fuzz_target;

struct Rows<'a>(&'a GrowthReplay);

impl Visitor for Rows<'_> {
    type Out = ();

    fn visit<G: Playable>(self, rules: G::Rules) {
        let wanted = SnapshotOptions {
            states: true,
            extra: true,
            ..SnapshotOptions::default()
        };
        let _ = snapshot::take(&self.0.view(&G::start(rules)), &wanted);
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(growth) = Growth::read(data) else {
        return;
    };
    let iterations = growth.iterations();
    let mut replay = GrowthReplay::new(growth);
    for at in [0, iterations / 2, iterations, 0] {
        replay.seek(at);
        for name in games::NAMES {
            let _ = games::with_game(name, Rows(&replay));
        }
    }
});
