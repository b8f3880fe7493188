//! A search tree from rows to pixels: model, layout, camera, scene, renderers, the terms of its selection formula, and its
//! values in words.

pub mod arithmetic;
pub mod camera;
pub mod formula;
pub mod labels;
pub mod layout;
pub mod model;
pub mod node_value;
mod proof;
pub mod raster;
pub mod scene;
pub mod sequence;
pub mod svg;
pub mod title;
pub mod value_colour;
pub mod value_label;
pub mod value_text;
