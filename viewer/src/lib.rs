//! Canopy's viewer: a window that lays search trees out and follows a live search.
//!
//! It stands beside the engine and sees of it only the games' notations and the tree formats.

pub mod fonts;

#[cfg(test)]
mod gallery;

pub mod layout;

pub mod painter;

mod pixel;

pub mod theme;
