//! Files of columns.
#![no_main]

use canopy_engine::tree::columns;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(read) = columns::read(data) {
        let mut again = Vec::new();
        columns::write(&read, &mut again).expect("memory takes every byte");
        assert!(columns::read(&again[..]).expect("what was written") == read);
    }
});
