//! The viewer's state and drawing, without a window system.

#[path = "viewer/acts.rs"]
mod acts;
#[path = "viewer/folder.rs"]
mod folder;
#[path = "viewer/follow.rs"]
mod follow;
#[path = "viewer/formula.rs"]
mod formula;
#[path = "viewer/hostile.rs"]
mod hostile;
#[path = "viewer/layout.rs"]
mod layout;
#[path = "viewer/memory.rs"]
mod memory;
#[path = "viewer/pictures.rs"]
mod pictures;
#[path = "viewer/play.rs"]
mod play;
#[path = "viewer/readable.rs"]
mod readable;
#[path = "viewer/setup.rs"]
mod setup;
#[path = "viewer/stage.rs"]
mod stage;
#[path = "viewer/start.rs"]
mod start;
mod support;
#[path = "viewer/values.rs"]
mod values;
