//! Drawing without trees: fonts, colours, triangles into pixels, and which pixels changed.

pub mod damage;
pub mod fonts;
pub mod painter;
pub mod palette;
pub mod theme;

pub(crate) mod pixel;
