//! A search tree from rows to pixels: model, layout, camera, scene, renderers, and the terms of its selection formula.

pub mod camera;
pub mod formula;
pub mod layout;
pub mod model;
pub mod raster;
pub mod scene;
pub mod sequence;
pub mod svg;
