//! A search tree from rows to pixels: model, layout, camera, scene, pictures, and what its formula says.

pub mod camera;
pub mod formula;
pub mod layout;
pub mod model;
pub mod raster;
pub mod scene;
pub mod sequence;
pub mod svg;
