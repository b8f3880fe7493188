//! The operating system: paths, temporary folders, signals, open files, displays, background threads.

pub mod display;
pub mod paths;
pub mod signals;
pub mod temporary;
pub mod user_files;
pub mod wake;
pub mod worker;
pub mod writers;
