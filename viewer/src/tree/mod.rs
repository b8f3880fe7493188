//! A search tree from rows to pixels: model, layout, camera, scene, renderers, the terms of its selection formula, and its
//! values in words.

pub mod arithmetic;
pub mod camera;
pub mod certainty;
pub mod comparison;
pub mod depth_list;
pub mod exact_words;
pub mod figure;
pub mod formula;
pub mod iteration;
pub mod labels;
pub mod layout;
pub mod model;
pub mod node_value;
mod proof;
pub mod raster;
pub mod scene;
pub mod search_window;
pub mod sequence;
pub mod summary;
pub mod svg;
pub mod title;
pub mod tree_charts;
pub mod value_colour;
pub mod value_label;
pub mod value_text;
