//! Canopy's viewer: a window that lays search trees out, follows live searches and matches, and lets people play.
//!
//! It stands beside the engine and sees of it only the games' notations, the tree formats, the list of searches and how to talk
//! to an engine, which is always a process. Layers, lowest first; each knows only those before it:
//!
//! | layer | what it is |
//! |---|---|
//! | [`system`] | paths, temporary folders, signals, open files, displays, background threads |
//! | [`draw`] | fonts, colours, triangles into pixels, changed rectangles |
//! | [`tree`] | a tree from rows to pixels: model, layout, camera, scene, renderer, formula |
//! | [`board`] | positions of every game, drawn and animated |
//! | [`play`] | a game between people and engines, and a match that the window starts |
//! | [`settings`] | what is remembered, and how much memory may be used |
//! | [`workers`] | threads: loader, growth replay, fine renderer, folder watcher |
//! | [`app`] | the window's state without a window |
//! | [`ui`] | panels, frames, the system window |
//! | [`terminal`] | a match shown without a window |
//! | [`cli`] | the command line |

pub mod system;

pub mod draw;

pub mod tree;

pub mod board;

pub mod play;

pub mod settings;

pub mod workers;

pub mod app;

pub mod ui;

pub mod terminal;

pub mod cli;
