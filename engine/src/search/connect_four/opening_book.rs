//! The embedded book: the scores of all positions of the first plies.
//!
//! Made by `canopy-engine book make --game connect-four --plies N --out FILE.cbook`, and from it by `canopy-engine book pack
//! FILE.cbook --out leaf_values.bin`. How many plies it has is written in the file.

use std::sync::OnceLock;

use crate::{
    games::{Game as _, connect_four::ConnectFour},
    search::exact::leaf_values::{LeafValues, OpeningValues, plies_of},
};

/// The file.
pub static LEAF_VALUES: &[u8] = include_bytes!("leaf_values.bin");

/// The score of a position for the player to move, or none if the book does not have it. The first call works out the values of
/// all positions, which takes a moment.
pub fn score(position: &ConnectFour) -> Option<i32> {
    static VALUES: OnceLock<Option<OpeningValues>> = OnceLock::new();
    if position.plies() > plies_of(LEAF_VALUES)? {
        return None;
    }
    let values = VALUES.get_or_init(|| {
        let leaves = LeafValues::from_bytes(LEAF_VALUES).ok()?;
        OpeningValues::new(&ConnectFour::start(()), &leaves)
    });
    values.as_ref()?.get(position).map(i32::from)
}
