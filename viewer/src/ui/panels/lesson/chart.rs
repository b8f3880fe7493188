//! How often searches found something, with intervals.

use egui::{Align2, FontId, Rect, RichText, Stroke, Ui, pos2};

use crate::{
    draw::{
        fonts,
        theme::{SMALL_SIZE, Theme},
    },
    play::lesson::LessonChart,
    ui::controls::Named as _,
};

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_964;

/// Shows a chart; the point of `value` stands out.
pub(super) fn show(chart: &LessonChart, value: Option<f64>, ui: &mut Ui, theme: &Theme) {
    ui.horizontal(|ui| {
        let title = RichText::new(&chart.title).family(fonts::semibold());
        ui.label(title).named("lesson chart");
        ui.label(RichText::new(&chart.note).small().color(theme.dim));
    });
    let area = ui.available_rect_before_wrap();
    let plot = Rect::from_min_max(
        pos2(area.left() + 48.0, area.top() + 12.0),
        pos2(area.right() - 24.0, area.bottom() - 40.0),
    );
    let painter = ui.painter();
    let font = FontId::proportional(SMALL_SIZE);
    let y = |share: f64| plot.bottom() - plot.height() * share as f32;
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        painter.hline(plot.x_range(), y(part), Stroke::new(1.0, theme.grid));
        let text = format!("{:.0} %", part * 100.0);
        let at = pos2(plot.left() - 8.0, y(part));
        painter.text(at, Align2::RIGHT_CENTER, text, font.clone(), theme.dim);
    }
    let step = plot.width() / chart.values.len().max(1) as f32;
    let mut before = None;
    for (index, (&at, &found)) in chart.values.iter().zip(&chart.found).enumerate() {
        let x = plot.left() + step * (index as f32 + 0.5);
        let point = pos2(x, y(f64::from(found) / f64::from(chart.of)));
        let (low, high) = wilson(found, chart.of);
        let is_current = value == Some(at);
        let colour = if is_current { theme.warm } else { theme.cool };
        painter.vline(x, y(high)..=y(low), Stroke::new(2.0, theme.dim));
        if let Some(before) = before {
            painter.line_segment([before, point], Stroke::new(1.5, theme.cool));
        }
        painter.circle_filled(point, if is_current { 5.5 } else { 4.0 }, colour);
        before = Some(point);
        let ink = if is_current { theme.warm } else { theme.dim };
        let top = pos2(x, plot.bottom() + 6.0);
        painter.text(top, Align2::CENTER_TOP, at.to_string(), font.clone(), ink);
        let count = format!("{found} of {}", chart.of);
        let low = pos2(x, plot.bottom() + 22.0);
        painter.text(low, Align2::CENTER_TOP, count, font.clone(), theme.text);
    }
    let at = pos2(plot.left() - 8.0, plot.bottom() + 6.0);
    painter.text(at, Align2::RIGHT_TOP, &chart.label, font, theme.dim);
}

/// Wilson's interval (1927) of a share at 95 %.
fn wilson(found: u32, of: u32) -> (f64, f64) {
    let (n, p) = (
        f64::from(of.max(1)),
        f64::from(found) / f64::from(of.max(1)),
    );
    let square = Z * Z;
    let middle = (p + square / (2.0 * n)) / (1.0 + square / n);
    let half = Z / (1.0 + square / n) * (p * (1.0 - p) / n + square / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected figures were computed with Python from the formula.
    #[test]
    fn intervals_are_wilsons() {
        for (found, of, low, high) in [
            (16, 40, 0.2635, 0.5540),
            (39, 40, 0.8712, 0.9956),
            (0, 10, 0.0, 0.2775),
        ] {
            let told = wilson(found, of);
            assert!(
                (told.0 - low).abs() < 5e-4 && (told.1 - high).abs() < 5e-4,
                "{told:?}"
            );
        }
    }
}
