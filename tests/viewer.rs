//! The viewer, from outside.

#[path = "viewer/layout.rs"]
mod layout;
