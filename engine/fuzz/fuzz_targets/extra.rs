//! Files of extras.
#![no_main]

use canopy_engine::tree::extra;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(rows) = extra::read(data) {
        let mut again = Vec::new();
        extra::write(&rows, &mut again).expect("memory takes every byte");
        assert!(extra::read(&again[..]).expect("what was written") == rows);
    }
});
