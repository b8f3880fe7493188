//! Files of other programs, read by `import::dot`: whatever can be read is a tree that can be written and read again.
#![no_main]

use canopy_engine::tree::{
    binary,
    import::{Mapping, dot},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mapping = Mapping::default();
    if let Ok(document) = dot::read(data, &mapping).and_then(|table| table.finish(&mapping)) {
        let mut again = Vec::new();
        binary::write(&document.tree, &mut again).expect("memory takes every byte");
        let read = binary::read(&again[..]).expect("what was written");
        assert_eq!(read.nodes().len(), document.tree.nodes().len());
    }
});
