//! How the shares of the moves that the searches chose went over the iterations.

use canopy_engine::tree::replay_reader::RootMoveHistory;
use egui::{Align2, FontId, Rect, RichText, Sense, Shape, Stroke, Ui, pos2, vec2};

use super::{LETTERS, side_colour, slider::parts_for_good};
use crate::{
    app::App,
    draw::{
        fonts,
        theme::{SMALL_SIZE, Theme},
    },
    tree::{comparison::ComparedMove, scene::format_thousands},
};

const SCALE_WIDTH: f32 = 44.0;
const NAME_WIDTH: f32 = 56.0;

/// Shows a chart for each of the moves that were chosen.
pub(super) fn show(app: &App, ui: &mut Ui, theme: &Theme) {
    let (Some(shown), Some(searches)) = (&app.compare.shown, &app.compare.searches) else {
        return;
    };
    ui.label(theme.heading("Share of visits over iterations"));
    let mut moves: Vec<&ComparedMove> = Vec::new();
    for side in 0..2 {
        let chosen = shown.root_moves.iter().find(|mv| mv.is_chosen[side]);
        moves.extend(chosen.filter(|mv| !moves.iter().any(|other| other.mv == mv.mv)));
    }
    let histories =
        [0, 1].map(|side| (searches[side].history.as_deref(), searches[side].iterations));
    let end = app.compare.iterations();
    let height = match moves.len() {
        0 | 1 => 150.0,
        _ => 72.0,
    };
    for mv in moves {
        ui.add_space(4.0);
        ui.label(
            RichText::new(format!("Move {}", mv.name))
                .small()
                .family(fonts::semibold()),
        );
        show_chart(&mv.mv, histories, end, height, ui, theme);
    }
    if let [(Some(one), first), (Some(other), second)] = histories
        && let Some(from) = parts_for_good(one, other, [first, second])
    {
        let text = format!(
            "Amber at the slider: A and B favour different moves, for good from about iteration {} on.",
            format_thousands(from.into())
        );
        ui.label(RichText::new(text).small().color(theme.dim));
    }
}

fn show_chart(
    mv: &str,
    histories: [(Option<&RootMoveHistory>, u32); 2],
    end: u32,
    height: f32,
    ui: &mut Ui,
    theme: &Theme,
) {
    let size = vec2(ui.available_width(), height);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let area = Rect::from_min_max(
        pos2(rect.left() + SCALE_WIDTH, rect.top() + 8.0),
        pos2(rect.right() - NAME_WIDTH, rect.bottom() - 8.0),
    );
    let font = FontId::proportional(SMALL_SIZE);
    for (part, text) in [(0.0, "100 %"), (0.5, "50 %"), (1.0, "0 %")] {
        let y = area.top() + area.height() * part;
        (ui.painter()).hline(area.x_range(), y, Stroke::new(1.0, theme.grid));
        let at = pos2(area.left() - 6.0, y);
        (ui.painter()).text(at, Align2::RIGHT_CENTER, text, font.clone(), theme.dim);
    }
    let mut ends: Vec<(f32, usize, f64)> = Vec::new();
    for (side, (history, iterations)) in histories.into_iter().enumerate() {
        let Some(history) = history else { continue };
        let points = points_of(history, mv, iterations, end, area);
        if let Some(&last) = points.last() {
            let share = f64::from((area.bottom() - last.y) / area.height());
            ends.push((last.y, side, share));
        }
        let stroke = Stroke::new(1.6, side_colour(theme, side));
        ui.painter().add(Shape::line(points, stroke));
    }
    // Names that would lie on one another are moved apart.
    if let [one, other] = &mut ends[..]
        && (one.0 - other.0).abs() < 14.0
    {
        let up = if one.0 <= other.0 { 1.0 } else { -1.0 };
        let middle = f32::midpoint(one.0, other.0);
        (one.0, other.0) = (middle - up * 7.0, middle + up * 7.0);
    }
    for (y, side, share) in ends {
        let text = format!("{} {:.0} %", LETTERS[side], share * 100.0);
        let at = pos2(area.right() + 6.0, y.clamp(area.top(), area.bottom()));
        let font = FontId::new(SMALL_SIZE, fonts::semibold());
        (ui.painter()).text(
            at,
            Align2::LEFT_CENTER,
            text,
            font,
            side_colour(theme, side),
        );
    }
}

/// The share of a move over time.
fn points_of(
    history: &RootMoveHistory,
    mv: &str,
    iterations: u32,
    end: u32,
    area: Rect,
) -> Vec<egui::Pos2> {
    let Some(index) = history.moves.iter().position(|other| other == mv) else {
        return Vec::new();
    };
    let last = history.visits.len().saturating_sub(1).max(1) as f32;
    let reach = iterations as f32 / end.max(1) as f32;
    let times = history.visits.iter().enumerate();
    times
        .filter_map(|(time, visits)| {
            let total: u64 = visits.iter().map(|&visits| u64::from(visits)).sum();
            let share = f64::from(*visits.get(index)?) / total as f64;
            let x = area.left() + area.width() * reach * time as f32 / last;
            (total > 0).then(|| pos2(x, area.bottom() - area.height() * share as f32))
        })
        .collect()
}
