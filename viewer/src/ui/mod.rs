//! The window: panels around the tree, frames, and the system window itself. Modules name only those before them; tests/layering.rs
//! checks it.

pub mod controls;

pub mod keys;

pub mod glossary;

pub mod input;

pub mod panels;

pub mod frame;

pub mod window;

#[cfg(test)]
mod gallery;
