//! A scene as SVG: lines, discs and text that stay sharp at any size.

use std::fmt::Write as _;

use crate::{
    draw::theme::Theme,
    tree::{
        camera::Canvas,
        labels::{FIRST_LINE, REST_SIZE, SECOND_LINE, TITLE_SIZE},
        model::TreeModel,
        raster::{
            FOLD_DOTS, LAST_PATH_DASH, SHARED_RING_GAP, fold_edge, label_colours, node_colours,
        },
        scene::{EdgeLine, FOLD_HALF_WIDTH, Scene},
    },
};

/// Width of the outline of letters in the colour of the canvas, in points: other programs may have wider letters than the label's
/// box has room for.
pub(super) const HALO_WIDTH: f32 = 4.0;

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
    write_folds(&mut out, scene, canvas, theme);
    let [dash, gap] = LAST_PATH_DASH.map(|length| length * canvas.scale as f32);
    let dashes = format!(" stroke-linecap=\"butt\" stroke-dasharray=\"{dash} {gap}\"");
    for (points, colour, width, dashes) in [
        (&scene.selected_path, theme.warm, 1.6, ""),
        (&scene.pv, theme.cool, 2.4, ""),
        (&scene.last_path, theme.good, 2.4, dashes.as_str()),
    ] {
        if points.len() > 1 {
            let list: Vec<String> = (points.iter())
                .map(|(x, y)| format!("{x:.1},{y:.1}"))
                .collect();
            let width = width * canvas.scale;
            let _ = writeln!(
                out,
                "<polyline stroke=\"{}\" stroke-width=\"{width:.2}\"{dashes} points=\"{}\"/>",
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
    write_labels(&mut out, scene, canvas, theme);
    out.push_str("</svg>\n");
    out
}

/// The triangles of hidden moves on their dotted edges.
fn write_folds(out: &mut String, scene: &Scene, canvas: &Canvas, theme: &Theme) {
    let (dim, edge) = (hex(theme.dim), hex(fold_edge(theme)));
    let (half, scale) = (FOLD_HALF_WIDTH * canvas.scale, canvas.scale);
    for fold in &scene.folds {
        let (x, y) = (f64::from(fold.at.0), f64::from(fold.at.1));
        if let Some((from_x, from_y)) = fold.from {
            let [dot, gap] = FOLD_DOTS.map(|length| f64::from(length) * scale);
            let _ = writeln!(
                out,
                "<path stroke=\"{edge}\" stroke-width=\"{scale}\" stroke-dasharray=\"{dot} {gap}\" d=\"M{from_x:.1} {from_y:.1}L{x:.1} {:.1}\"/>",
                y + half
            );
        }
        let height = 1.8 * half;
        let _ = writeln!(
            out,
            "<path fill=\"{dim}\" d=\"M{x:.1} {y:.1}l{half:.1} {height:.1}h{:.1}z\"/>",
            -2.0 * half
        );
    }
}

/// The labels, each line on its own, with the ground around their letters.
fn write_labels(out: &mut String, scene: &Scene, canvas: &Canvas, theme: &Theme) {
    let scale = canvas.scale as f32;
    let (title_size, size) = (TITLE_SIZE * scale, REST_SIZE * scale);
    let ground = hex(theme.canvas);
    let _ = writeln!(
        out,
        "<g font-family=\"Inter, DejaVu Sans, sans-serif\" font-size=\"{size}\" paint-order=\"stroke\" \
         stroke=\"{ground}\" stroke-width=\"{}\" stroke-linejoin=\"round\">",
        HALO_WIDTH * scale
    );
    for label in &scene.labels {
        let grounds = label.grounds(scale).filter(|_| label.crosses_edges);
        for area in grounds {
            let _ = writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{ground}\" stroke=\"none\"/>",
                area.left,
                area.top,
                area.right - area.left,
                area.bottom - area.top
            );
        }
        let [title, rest, second] = label_colours(label.owner, theme).map(hex);
        let (area, flush) = (&label.area, label.choice.1.alignment());
        let x = area.left + flush * (area.right - area.left);
        let anchor = match flush {
            0.0 => "start",
            1.0 => "end",
            _ => "middle",
        };
        let y = area.top + FIRST_LINE / 2.0 * scale + 0.36 * size;
        // White space at the ends of elements is part of the text.
        let _ = writeln!(
            out,
            "<text xml:space=\"preserve\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{rest}\">\
             <tspan font-size=\"{title_size}\" font-weight=\"600\" fill=\"{title}\">{}</tspan>{}</text>",
            escape_xml(&label.text.title),
            escape_xml(&label.text.rest)
        );
        if !label.text.second.is_empty() {
            let y = area.top + (FIRST_LINE + SECOND_LINE / 2.0) * scale + 0.36 * size;
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{second}\">{}</text>",
                escape_xml(&label.text.second)
            );
        }
    }
    out.push_str("</g>\n");
}

pub(super) fn hex(colour: egui::Color32) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.r(), colour.g(), colour.b())
}

/// Escapes XML markup and drops characters that XML forbids.
pub(super) fn escape_xml(text: &str) -> String {
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
