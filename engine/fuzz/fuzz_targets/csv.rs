//! `.csv` files: what can be read is written and read again as the same tree.
#![no_main]

use canopy_engine::tree::csv;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(tree) = csv::read(|| Ok(data)) {
        let mut again = Vec::new();
        csv::write(&tree, &mut again).expect("memory takes every byte");
        let read = csv::read(|| Ok(&again[..])).expect("what was written");
        assert!(tree == read);
    }
});
