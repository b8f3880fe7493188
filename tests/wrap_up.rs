//! The last test program of `cargo test --workspace` (cargo sorts by package and name): lists what the others could not test
//! on this machine.

use support::{parent_id, print_uncaptured, take_untested};

mod support;

#[test]
fn what_was_not_tested_is_listed_last() {
    let notes = take_untested(parent_id());
    if notes.is_empty() {
        return;
    }
    let list: String = notes.iter().map(|note| format!("  - {note}\n")).collect();
    print_uncaptured(&format!(
        "\nNOT TESTED on this machine, {} of them (CANOPY_TEST_ALL=1 makes it a failure):\n{list}\n",
        notes.len()
    ));
}
