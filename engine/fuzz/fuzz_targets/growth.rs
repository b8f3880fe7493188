//! Journals: read, turned to every iteration, and made rows of as if they were of connect four.
#![no_main]

use canopy_engine::{
    games::{Game, connect_four::ConnectFour},
    tree::{
        growth::Growth,
        replay::Replay,
        snapshot::{self, Wanted},
    },
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(growth) = Growth::read(data) else {
        return;
    };
    let root = ConnectFour::start(());
    let iterations = growth.iterations();
    let mut replay = Replay::new(growth);
    for at in [0, iterations / 2, iterations, 1, 0] {
        replay.seek(at);
        let wanted = Wanted {
            states: true,
            extra: true,
            ..Wanted::default()
        };
        let _ = snapshot::take(&replay.view(&root), &wanted);
    }
});
