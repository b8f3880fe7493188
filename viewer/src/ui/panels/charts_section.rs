//! Charts of the whole tree: depth, branching, visits by level, how sure the moves are, and when the choice last changed.

use std::sync::Arc;

use egui::{Align2, CollapsingHeader, FontId, Id, Rect, RichText, Sense, Stroke, Ui, pos2, vec2};

use super::explain_term;
use crate::{
    app::App,
    draw::theme::{SMALL_SIZE, Theme},
    tree::{
        model::TreeModel,
        scene::format_thousands,
        tree_charts::{MoveInterval, TreeCharts},
        value_text::percent,
    },
    ui::controls::Named as _,
};

/// Height of a chart without its title, in points.
const CHART_HEIGHT: f32 = 64.0;
/// Height of a move's interval.
const MOVE_HEIGHT: f32 = 20.0;
/// Where the scale of intervals begins and ends, as parts of the width.
const SCALE: (f32, f32) = (0.16, 0.72);

/// The charts of a tree, computed once.
#[derive(Clone)]
struct Cached {
    /// The tree, whether its journal is known and how long that is.
    key: (usize, u32),
    charts: Arc<TreeCharts>,
}

/// Shows the section, folded at first.
pub(super) fn show(app: &mut App, ui: &mut Ui, theme: &Theme) {
    let Some(model) = app.document.model.clone() else {
        return;
    };
    let section = CollapsingHeader::new(theme.heading("Charts"))
        .id_salt("charts")
        .show_unindented(ui, |ui| {
            let charts = cached(app, &model, ui);
            for (title, bars) in charts.bar_charts() {
                draw_bars(&title, &bars, ui, theme);
            }
            if let Some(mean) = charts.mean_branching() {
                let text = format!("{mean:.2} visited children on average");
                ui.label(RichText::new(text).color(theme.dim));
            }
            show_moves(&charts, ui, theme);
            if let Some(text) = charts.change_text() {
                ui.label(RichText::new(&text).color(theme.text))
                    .named(&text);
            }
            ui.horizontal(|ui| {
                let about = "All figures of these charts, for a spreadsheet";
                if ui
                    .button("Copy as CSV")
                    .explained("copy charts csv", about)
                    .clicked()
                {
                    app.clipboard_text = Some(charts.to_csv());
                }
                let about =
                    "The charts as a picture; canopy-viewer charts TREE -o FILE writes a file";
                if ui
                    .button("Copy as SVG")
                    .explained("copy charts svg", about)
                    .clicked()
                {
                    app.clipboard_text = Some(charts.to_svg());
                }
            });
        });
    explain_term(section.header_response.named("charts"), "Charts");
}

/// The charts of a tree; those of the last frame if it is the same one.
fn cached(app: &App, model: &Arc<TreeModel>, ui: &Ui) -> Arc<TreeCharts> {
    let status = app.document.timeline.status.as_ref();
    let end = status.map_or(0, |status| status.iterations);
    let key = (Arc::as_ptr(model) as usize, end);
    let id = Id::unique("charts of the tree");
    let known: Option<Cached> = ui.data(|data| data.get_temp(id));
    if let Some(known) = known.filter(|known| known.key == key) {
        return known.charts;
    }
    let history = status.map(|status| (&*status.shares, status.iterations));
    let charts = Arc::new(TreeCharts::new(model, history));
    let cached = Cached {
        key,
        charts: Arc::clone(&charts),
    };
    ui.data_mut(|data| data.insert_temp(id, cached));
    charts
}

fn draw_bars(title: &str, bars: &[(String, f64)], ui: &mut Ui, theme: &Theme) {
    ui.add_space(4.0);
    ui.label(RichText::new(title).small().color(theme.dim));
    let size = vec2(ui.available_width(), CHART_HEIGHT);
    let (area, response) = ui.allocate_exact_size(size, Sense::hover());
    let most = bars.iter().map(|(_, value)| *value).fold(1.0, f64::max);
    let step = area.width() / bars.len().max(1) as f32;
    let base = area.bottom() - 16.0;
    let painter = ui.painter();
    painter.hline(area.x_range(), base, Stroke::new(1.0, theme.grid));
    let every = (24.0 / step).ceil().max(1.0) as usize;
    for (index, (label, value)) in bars.iter().enumerate() {
        let left = area.left() + step * index as f32;
        let height = (base - area.top() - 4.0) * (*value / most) as f32;
        let bar = Rect::from_min_max(
            pos2(
                left + step * 0.1,
                base - height.max(if *value > 0.0 { 1.0 } else { 0.0 }),
            ),
            pos2(left + step * 0.9, base),
        );
        painter.rect_filled(bar, 1.0, theme.cool);
        if index % every == 0 {
            let at = pos2(left + step / 2.0, base + 2.0);
            let font = FontId::proportional(SMALL_SIZE);
            painter.text(at, Align2::CENTER_TOP, label, font, theme.dim);
        }
    }
    if let Some(at) = response.hover_pos() {
        let index = ((at.x - area.left()) / step.max(0.1)).max(0.0) as usize;
        if let Some((label, value)) = bars.get(index) {
            let text = format!("{label}: {}", format_thousands(*value as u64));
            response.on_hover_text_at_pointer(text);
        }
    }
}

/// The most visited moves with their intervals.
fn show_moves(charts: &TreeCharts, ui: &mut Ui, theme: &Theme) {
    if charts.moves.is_empty() {
        return;
    }
    ui.add_space(4.0);
    let title = format!("{} wins, by move, with 95 % intervals", charts.owner);
    ui.label(RichText::new(title).small().color(theme.dim));
    for one in &charts.moves {
        draw_interval(one, ui, theme);
    }
}

fn draw_interval(one: &MoveInterval, ui: &mut Ui, theme: &Theme) {
    let size = vec2(ui.available_width(), MOVE_HEIGHT);
    let (area, _) = ui.allocate_exact_size(size, Sense::hover());
    let painter = ui.painter();
    let part = |at: f32| area.left() + area.width() * at;
    let x = |share: f64| part(SCALE.0 + (SCALE.1 - SCALE.0) * share as f32);
    let y = area.center().y;
    let small = FontId::proportional(SMALL_SIZE);
    painter.text(
        area.left_center(),
        Align2::LEFT_CENTER,
        &one.name,
        small.clone(),
        theme.text,
    );
    painter.hline(x(0.0)..=x(1.0), y, Stroke::new(1.0, theme.grid));
    painter.hline(x(one.low)..=x(one.high), y, Stroke::new(2.0, theme.cool));
    painter.circle_filled(pos2(x(one.share), y), 3.5, theme.cool);
    let text = percent(one.share, one.visits);
    painter.text(
        area.right_center(),
        Align2::RIGHT_CENTER,
        text,
        small,
        theme.text,
    );
}
