//! Sidecars and the match file.
#![no_main]

use canopy_engine::tree::meta;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(value) = meta::read(data) {
        let again = meta::read(meta::to_json(&value).as_bytes()).expect("what was written");
        assert_eq!(value, again);
    }
    if let Ok(value) = meta::read_match(data) {
        let again = meta::read_match(meta::to_json(&value).as_bytes()).expect("what was written");
        assert_eq!(value, again);
    }
});
