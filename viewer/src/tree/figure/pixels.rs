//! A figure as a picture with a resolution.

use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Pixmap, PixmapMut, Stroke, StrokeDash, Transform,
};

use super::drawing::{Drawing, Line};
use crate::draw::{pixel::opaque, theme::to_skia};

/// Points in an inch.
pub const POINTS_PER_INCH: f64 = 72.0;
/// Millimetres in an inch.
const MM_PER_INCH: f64 = 25.4;

/// Draws with so many pixels a point; none if that is too large.
pub fn paint(drawing: &Drawing, scale: f32) -> Option<Pixmap> {
    let size = |points: f32| (points * scale).round().max(1.0) as u32;
    let mut picture = Pixmap::new(size(drawing.width), size(drawing.height))?;
    picture.pixels_mut().fill(opaque(drawing.ground));
    let transform = Transform::from_scale(scale, scale);
    for shape in &drawing.shapes {
        if let Some(colour) = shape.fill {
            let paint = paint_of(colour);
            picture.fill_path(&shape.path, &paint, FillRule::Winding, transform, None);
        }
        if let Some(line) = &shape.line {
            stroke(&mut picture.as_mut(), &shape.path, line, transform);
        }
    }
    Some(picture)
}

fn paint_of(colour: egui::Color32) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(to_skia(colour));
    paint.anti_alias = true;
    paint
}

fn stroke(to: &mut PixmapMut<'_>, path: &tiny_skia::Path, line: &Line, transform: Transform) {
    let (line_cap, line_join) = match line.is_round {
        true => (LineCap::Round, LineJoin::Round),
        false => (LineCap::Butt, LineJoin::Miter),
    };
    let stroke = Stroke {
        width: line.width,
        line_cap,
        line_join,
        dash: line
            .dash
            .and_then(|dash| StrokeDash::new(dash.to_vec(), 0.0)),
        ..Stroke::default()
    };
    to.stroke_path(path, &paint_of(line.colour), &stroke, transform, None);
}

/// A PNG file that says how large it is on paper.
pub fn png(drawing: &Drawing, dpi: f64) -> Result<Vec<u8>, String> {
    let picture =
        paint(drawing, (dpi / POINTS_PER_INCH) as f32).ok_or("the figure is too large")?;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Rgb);
    let per_metre = (dpi / MM_PER_INCH * 1000.0).round() as u32;
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: per_metre,
        yppu: per_metre,
        unit: png::Unit::Meter,
    }));
    (encoder.add_itxt_chunk("Title".to_owned(), drawing.title.clone()))
        .and_then(|()| encoder.write_header())
        .and_then(|mut writer| {
            writer.write_image_data(&rgb(&picture))?;
            writer.finish()
        })
        .map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// The three channels of an opaque picture.
pub fn rgb(picture: &Pixmap) -> Vec<u8> {
    (picture.pixels().iter())
        .flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()])
        .collect()
}
