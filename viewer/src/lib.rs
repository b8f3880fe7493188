//! Canopy's viewer: a window that lays search trees out, follows live searches and matches, and lets people play.
//!
//! It stands beside the engine and sees of it only the games' notations, the tree formats, the list of searches and how to talk
//! to an engine, which is always a process. From a file to the screen:
//! [`loader`] reads on a thread of its own, [`model`] holds a tree breadth-first, [`layout`] says where its nodes stand,
//! [`camera`] from where one looks, [`scene`] what of it is drawn, [`raster`] draws it. [`paths`] makes paths absolute,
//! [`watch`] tells what appears in a directory, [`writers`] who still writes there, [`match_state`] how the match in it stands,
//! [`replay`] makes trees of journals, and [`render`] draws with care what rests. [`play`] is a game between people and engines,
//! [`demo_match`] a match that the window starts, [`temporary`] where their trees are as long as they last. [`app`] is what the
//! window knows and does; [`panels`] stands around the tree with what [`formula`] explains, [`controls`] tells where things
//! are, [`counters`] how well it goes, [`board`] draws the game's position, [`frame`] puts all together and paints what
//! [`damage`] says is new, [`window`] shows it, [`display`] says why it cannot, and
//! [`terminal`] shows a match without one.

pub mod app;

pub mod board;

pub mod memory_budget;

pub mod camera;

pub mod cli;

pub mod controls;

pub mod counters;

pub mod damage;

pub mod display;

pub mod render;

pub mod demo_match;

pub mod replay;

pub mod fonts;

pub mod formula;

pub mod frame;

#[cfg(test)]
mod gallery;

pub mod journal_bench;

pub mod layout;

pub mod loader;

pub mod model;

pub mod painter;

pub mod panels;

pub mod paths;

mod pixel;

pub mod play;

pub mod raster;

pub mod scene;

pub mod sequence;

pub mod settings;

pub mod signals;

pub mod match_state;

pub mod svg;

pub mod temporary;

pub mod terminal;

pub mod theme;

pub mod watch;

pub mod window;

pub mod writers;
