//! The operating system: paths, temporary folders, signals, who has a file open, why there is no display.

pub mod display;
pub mod paths;
pub mod signals;
pub mod temporary;
pub mod user_files;
pub mod wake;
pub mod writers;
