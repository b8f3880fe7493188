//! `.tree` files: what can be read is written again byte for byte.
#![no_main]

use canopy_engine::tree::binary;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(tree) = binary::read(data) {
        let mut again = Vec::new();
        binary::write(&tree, &mut again).expect("memory takes every byte");
        assert_eq!(again, data);
    }
});
