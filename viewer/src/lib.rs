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
//!
//! The way of one tree file from `canopy-viewer FILE` to pixels, by the functions that hand it on:
//!
//! - The request: [`cli::main`] makes an `Action::Open`, [`ui::window::run`] passes it to [`app::App::dispatch`], and `App::open`
//!   asks the [`workers::loader`] for it.
//! - The model: on its thread, the loader lists the paths (`list_all`) and reads the file with its sidecars (`load_tree`,
//!   [`canopy_engine::tree::files::read_with_byte_limit`]). [`tree::model::TreeModel::new`] orders the nodes by layers, and
//!   [`tree::layout::layout`] places them (called by
//!   `model::folds::layout_with_folds`).
//! - The document: the loader wakes the window (`Viewer::user_event`), [`app::App::update`] takes its event in
//!   (`handle_loader_event`, `open_listing`), and `App::show_tree` makes the model the one that is shown. In games and in small
//!   windows the loader filters it once more, for the main lines.
//! - The picture: `Viewer::draw` asks for a frame ([`ui::frame::FrameRenderer::draw`]). The panels leave a canvas; its camera
//!   shows the whole shown tree at first (`Navigation::update_camera`, [`tree::camera::Camera::fit`]). [`workers::render::RenderView::paint`] makes shapes of what
//!   is in view ([`tree::scene::build_scene`]), places labels ([`tree::labels`]) and draws both
//!   ([`tree::raster::TreeRenderer::paint`]): a draft at once, and full quality on a thread when the view is still.
//! - The window: where something changed ([`draw::damage`]), [`draw::painter::Painter::paint_rect`] paints the panels over the
//!   tree, and [`ui::frame::copy_pixels`] hands these pixels to the system.

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
