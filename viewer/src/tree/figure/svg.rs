//! A figure as SVG: every text is an outline, so that it looks the same wherever it is shown.

use std::fmt::Write as _;

use tiny_skia::{Path, PathSegment};

use super::{POINTS_PER_MM, drawing::Drawing};
use crate::tree::svg::{escape_xml, hex};

/// The text of an SVG file.
pub fn render(drawing: &Drawing) -> String {
    let (width, height) = (drawing.width, drawing.height);
    let mm = |points: f32| f64::from(points) / POINTS_PER_MM;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.3}mm\" height=\"{:.3}mm\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>{}</title>\n<desc>{}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        mm(width),
        mm(height),
        escape_xml(&drawing.title),
        escape_xml(&drawing.description),
        hex(drawing.ground)
    );
    for shape in &drawing.shapes {
        let fill = shape.fill.map_or("none".to_owned(), hex);
        let _ = write!(out, "<path fill=\"{fill}\"");
        if let Some(line) = &shape.line {
            let _ = write!(
                out,
                " stroke=\"{}\" stroke-width=\"{:.3}\"",
                hex(line.colour),
                line.width
            );
            if line.is_round {
                out.push_str(" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
            }
            if let Some([dash, gap]) = line.dash {
                let _ = write!(out, " stroke-dasharray=\"{dash:.2} {gap:.2}\"");
            }
        }
        out.push_str(" d=\"");
        push_path(&mut out, &shape.path);
        out.push_str("\"/>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn push_path(out: &mut String, path: &Path) {
    for segment in path.segments() {
        let _ = match segment {
            PathSegment::MoveTo(to) => write!(out, "M{:.2} {:.2}", to.x, to.y),
            PathSegment::LineTo(to) => write!(out, "L{:.2} {:.2}", to.x, to.y),
            PathSegment::QuadTo(bend, to) => {
                write!(out, "Q{:.2} {:.2} {:.2} {:.2}", bend.x, bend.y, to.x, to.y)
            }
            PathSegment::CubicTo(one, two, to) => write!(
                out,
                "C{:.2} {:.2} {:.2} {:.2} {:.2} {:.2}",
                one.x, one.y, two.x, two.y, to.x, to.y
            ),
            PathSegment::Close => write!(out, "Z"),
        };
    }
}
