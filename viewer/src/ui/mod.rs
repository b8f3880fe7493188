//! The window: panels around the tree, frames, and the system window itself.

pub mod controls;
pub mod frame;
pub mod panels;
pub mod window;

#[cfg(test)]
mod gallery;
