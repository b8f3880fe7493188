//! A scene as SVG: lines, discs and text that stay sharp at any size.

use std::fmt::Write as _;

use crate::{
    draw::theme::Theme,
    tree::{
        camera::Canvas,
        model::TreeModel,
        raster::{SHARED_RING_GAP, node_colours},
        scene::{EdgeLine, HIDDEN_MARKER_HALF_WIDTH, LABEL_SIZE, Scene},
    },
};

/// The text of an SVG file.
pub fn render(model: &TreeModel, scene: &Scene, canvas: &Canvas, theme: &Theme) -> String {
    let (width, height) = (canvas.width, canvas.height);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        hex(theme.canvas)
    );
    out.push_str("<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
    // Edges of one colour and width are one path.
    for group in (scene.edges).chunk_by(EdgeLine::looks_like) {
        let [red, green, blue] = scene.colours.rgb(theme, group[0].heat);
        let _ = write!(
            out,
            "<path stroke=\"#{red:02x}{green:02x}{blue:02x}\" stroke-width=\"{:.2}\" stroke-opacity=\"{:.2}\" d=\"",
            group[0].width, group[0].opacity
        );
        for edge in group {
            let _ = write!(
                out,
                "M{:.1} {:.1}L{:.1} {:.1}",
                edge.from.0, edge.from.1, edge.to.0, edge.to.1
            );
        }
        out.push_str("\"/>\n");
    }
    for (points, colour, width) in [
        (&scene.pv, theme.cool, 2.4),
        (&scene.last_path, theme.good, 2.0),
        (&scene.selected_path, theme.warm, 1.6),
    ] {
        if points.len() > 1 {
            let list: Vec<String> = (points.iter())
                .map(|(x, y)| format!("{x:.1},{y:.1}"))
                .collect();
            let width = width * canvas.scale;
            let _ = writeln!(
                out,
                "<polyline stroke=\"{}\" stroke-width=\"{width:.2}\" points=\"{}\"/>",
                hex(colour),
                list.join(" ")
            );
        }
    }
    out.push_str("</g>\n");
    for disc in &scene.nodes {
        let decider = model.node_states[disc.node as usize];
        let (fill, border) = node_colours(theme, model.is_light(disc.node as usize));
        let (x, y) = disc.at;
        let _ = if decider.is_terminal() {
            let side = disc.radius * 0.86;
            writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" stroke=\"{}\"/>",
                x - side,
                y - side,
                2.0 * side,
                2.0 * side,
                hex(fill),
                hex(border)
            )
        } else {
            writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\" fill=\"{}\" stroke=\"{}\"/>",
                disc.radius,
                hex(fill),
                hex(border)
            )
        };
    }
    for disc in &scene.nodes {
        if model.is_shared(model.row(disc.node as usize)) {
            let radius = disc.radius + SHARED_RING_GAP * canvas.scale as f32;
            let (x, y) = disc.at;
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"none\" stroke=\"{}\"/>",
                hex(theme.dim)
            );
        }
    }
    let size = LABEL_SIZE * canvas.scale;
    let _ = writeln!(
        out,
        "<g font-family=\"Inter, DejaVu Sans, sans-serif\" font-size=\"{size}\" fill=\"{}\">",
        hex(theme.text)
    );
    for mark in &scene.hidden_markers {
        let (x, y) = (f64::from(mark.at.0), f64::from(mark.at.1));
        let (half, height) = (
            HIDDEN_MARKER_HALF_WIDTH * canvas.scale,
            HIDDEN_MARKER_HALF_WIDTH * 1.2 * canvas.scale,
        );
        let dim = hex(theme.dim);
        let _ = writeln!(
            out,
            "<path fill=\"{dim}\" d=\"M{x:.1} {y:.1}l{half:.1} {height:.1}h{:.1}z\"/>",
            -2.0 * half
        );
        if let Some(text) = &mark.text {
            let below = y + height + 1.06 * size;
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{below:.1}\" fill=\"{dim}\" text-anchor=\"middle\">{text}</text>"
            );
        }
    }
    for label in &scene.labels {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            label.at.0,
            f64::from(label.at.1) + 0.36 * size,
            escape_xml(&label.text)
        );
    }
    out.push_str("</g>\n</svg>\n");
    out
}

fn hex(colour: egui::Color32) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.r(), colour.g(), colour.b())
}

/// Escapes XML markup and drops characters that XML forbids.
fn escape_xml(text: &str) -> String {
    let mut out = String::new();
    for symbol in text.chars() {
        match symbol {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ if symbol.is_control() => {}
            '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(symbol),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out() {
        assert_eq!(escape_xml("<b>\u{1b}&\"x\""), "&lt;b&gt;&amp;&quot;x&quot;");
    }
}
