//! A figure as a PDF page of exactly its size, after ISO 32000-1: one compressed content stream, no fonts.

use std::{fmt::Write as _, io::Write as _};

use flate2::{Compression, write::ZlibEncoder};
use tiny_skia::{Path, PathSegment, Point};

use super::drawing::{Drawing, Shape};

/// The bytes of a PDF file.
pub fn render(drawing: &Drawing) -> Result<Vec<u8>, String> {
    let content = content(drawing);
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = (packed.write_all(content.as_bytes()))
        .and_then(|()| packed.finish())
        .map_err(|error| error.to_string())?;
    let mut file = PdfFile::default();
    file.add(b"<< /Type /Catalog /Pages 2 0 R >>");
    file.add(b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    file.add(
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.3} {:.3}] /Contents 4 0 R /Resources << >> >>",
            drawing.width, drawing.height
        )
        .as_bytes(),
    );
    let mut stream = format!(
        "<< /Length {} /Filter /FlateDecode >>\nstream\n",
        packed.len()
    )
    .into_bytes();
    stream.extend(packed);
    stream.extend(b"\nendstream");
    file.add(&stream);
    file.add(
        format!(
            "<< /Title {} /Subject {} /Producer (Canopy) >>",
            text_string(&drawing.title),
            text_string(&drawing.description)
        )
        .as_bytes(),
    );
    Ok(file.finish())
}

/// Numbered objects, and where each begins.
struct PdfFile {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl Default for PdfFile {
    fn default() -> Self {
        Self {
            // The second line says to programs that copy files that this one is binary.
            bytes: b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n".to_vec(),
            offsets: Vec::new(),
        }
    }
}

impl PdfFile {
    fn add(&mut self, object: &[u8]) {
        self.offsets.push(self.bytes.len());
        let number = self.offsets.len();
        self.bytes.extend(format!("{number} 0 obj\n").bytes());
        self.bytes.extend(object);
        self.bytes.extend(b"\nendobj\n");
    }

    /// Adds the table of objects. The first is the catalogue, the last the document's information.
    fn finish(mut self) -> Vec<u8> {
        let table = self.bytes.len();
        let count = self.offsets.len() + 1;
        let mut tail = format!("xref\n0 {count}\n0000000000 65535 f \n");
        for offset in &self.offsets {
            let _ = writeln!(tail, "{offset:010} 00000 n ");
        }
        let _ = write!(
            tail,
            "trailer\n<< /Size {count} /Root 1 0 R /Info {} 0 R >>\nstartxref\n{table}\n%%EOF\n",
            count - 1
        );
        self.bytes.extend(tail.bytes());
        self.bytes
    }
}

/// A text as UTF-16 in hexadecimal digits, which needs no escapes.
fn text_string(text: &str) -> String {
    let digits: String = text
        .encode_utf16()
        .map(|unit| format!("{unit:04X}"))
        .collect();
    format!("<FEFF{digits}>")
}

/// The page in PDF's operators.
fn content(drawing: &Drawing) -> String {
    let mut out = String::new();
    let (width, height) = (drawing.width, drawing.height);
    push_colour(&mut out, drawing.ground, "rg");
    let _ = writeln!(out, "0 0 {width:.3} {height:.3} re f");
    // Our y points downwards.
    let _ = writeln!(out, "1 0 0 -1 0 {height:.3} cm");
    for shape in &drawing.shapes {
        push_shape(&mut out, shape);
    }
    out
}

fn push_shape(out: &mut String, shape: &Shape) {
    out.push_str("q\n");
    if let Some(colour) = shape.fill {
        push_colour(out, colour, "rg");
    }
    if let Some(line) = &shape.line {
        push_colour(out, line.colour, "RG");
        let (cap, join) = if line.is_round { (1, 1) } else { (0, 0) };
        let _ = writeln!(out, "{:.3} w {cap} J {join} j", line.width);
        if let Some([dash, gap]) = line.dash {
            let _ = writeln!(out, "[{dash:.3} {gap:.3}] 0 d");
        }
    }
    push_path(out, &shape.path);
    out.push_str(match (shape.fill.is_some(), shape.line.is_some()) {
        (true, true) => "B\n",
        (true, false) => "f\n",
        _ => "S\n",
    });
    out.push_str("Q\n");
}

fn push_colour(out: &mut String, colour: egui::Color32, operator: &str) {
    let [red, green, blue, _] = colour
        .to_srgba_unmultiplied()
        .map(|part| f32::from(part) / 255.0);
    let _ = writeln!(out, "{red:.3} {green:.3} {blue:.3} {operator}");
}

fn push_path(out: &mut String, path: &Path) {
    let mut at = Point::zero();
    for segment in path.segments() {
        let _ = match segment {
            PathSegment::MoveTo(to) => writeln!(out, "{:.2} {:.2} m", to.x, to.y),
            PathSegment::LineTo(to) => writeln!(out, "{:.2} {:.2} l", to.x, to.y),
            PathSegment::QuadTo(bend, to) => {
                // PDF has cubic curves alone: the same curve with two bends.
                let part = |from: f32, to: f32| from + (to - from) * (2.0 / 3.0);
                let bends =
                    [at, to].map(|end| Point::from_xy(part(end.x, bend.x), part(end.y, bend.y)));
                push_cubic(out, bends, to)
            }
            PathSegment::CubicTo(one, two, to) => push_cubic(out, [one, two], to),
            PathSegment::Close => writeln!(out, "h"),
        };
        if let PathSegment::MoveTo(to)
        | PathSegment::LineTo(to)
        | PathSegment::QuadTo(_, to)
        | PathSegment::CubicTo(_, _, to) = segment
        {
            at = to;
        }
    }
}

fn push_cubic(out: &mut String, [one, two]: [Point; 2], to: Point) -> std::fmt::Result {
    writeln!(
        out,
        "{:.2} {:.2} {:.2} {:.2} {:.2} {:.2} c",
        one.x, one.y, two.x, two.y, to.x, to.y
    )
}
