//! The charts of the view Why: the shares of visits of the two moves over iterations, and their values.

use std::ops::RangeInclusive;

use canopy_engine::{explain::ValueClass, games::Player};
use egui::{Align2, Color32, FontId, Painter, Rect, RichText, Shape, Stroke, Ui, pos2, vec2};

use super::super::{
    timeline::charts::{move_colours, share_at, value_at},
    truth_marks,
};
use crate::{
    app::{App, WhyPage},
    draw::{
        fonts,
        theme::{BODY_SIZE, SMALL_SIZE, Theme},
    },
    tree::{scene::format_thousands, title::middle_ellipsis},
    ui::controls,
};

/// Width of the labels at the left of a chart and at the right end of its lines.
const LEFT_ROOM: f32 = 44.0;
const RIGHT_ROOM: f32 = 96.0;
/// Height above and below a chart.
const TITLE_HEIGHT: f32 = 24.0;
const AXIS_HEIGHT: f32 = 20.0;
/// Least distance between the labels of two lines.
const LABEL_GAP: f32 = 15.0;
/// The part of the time, at the beginning, whose values do not set the scale.
const NOISY_PART: f32 = 0.02;

/// A line of a chart: points with the time from 0 to 1, its label and its colour.
struct Line {
    points: Vec<(f32, f32)>,
    label: String,
    colour: Color32,
}

/// A chart: its title, its lines, exact values across it, and the end of its axis.
struct Chart {
    title: String,
    lines: Vec<Line>,
    /// Values with their labels and colours.
    exact: Vec<(f32, String, Color32)>,
    end: String,
}

/// What the two moves are worth by the exact solver, where that is shown and known: a win 1, a draw one half.
fn exact_lines(app: &App, page: &WhyPage, colours: &[Color32]) -> Vec<(f32, String, Color32)> {
    let moves = page.explanation.moves.iter().enumerate();
    let known = moves.filter_map(|(index, one)| {
        let (class, _) = app.root_truth(&one.name)?;
        let value = match class {
            ValueClass::Win => 1.0,
            ValueClass::Draw => 0.5,
            ValueClass::Loss => 0.0,
        };
        let name = middle_ellipsis(&one.text, 8);
        Some((value, name, colours[[0, 2][index.min(1)]]))
    });
    let mut lines: Vec<(f32, String, Color32)> = Vec::new();
    for (value, name, colour) in known {
        // Two that are worth the same have one line.
        match lines.iter_mut().find(|(other, ..)| *other == value) {
            Some((_, names, _)) => *names = format!("{names}, {name}"),
            None => lines.push((value, name, colour)),
        }
    }
    for (_, names, _) in &mut lines {
        names.push_str(" exact");
    }
    lines
}

/// Shows both charts beside each other.
pub(super) fn show(app: &App, ui: &mut Ui, theme: &Theme) {
    let Some(Ok(page)) = app.why.page() else {
        return;
    };
    let Some(status) = &app.document.timeline.status else {
        let text = match page.explanation.moves[0].of {
            0 => "Nothing has been searched.",
            _ => {
                "There is no growth journal beside this tree. With --journal, the charts show how both moves went over the iterations."
            }
        };
        ui.centered_and_justified(|ui| ui.label(RichText::new(text).color(theme.dim)));
        return;
    };
    let history = &status.shares;
    let places = page.explanation.moves.clone().map(|one| {
        let place = history.moves.iter().position(|name| *name == one.name);
        (place, middle_ellipsis(&one.text, 8))
    });
    let times = shown_times(app, history.visits.len());
    let for_first = page.owner == Player::First;
    let colours = move_colours(theme);
    let line = |index: usize, value: &dyn Fn(usize, usize) -> Option<f32>| {
        let (place, text) = &places[index];
        let last = history.visits.len().saturating_sub(1).max(1) as f32;
        let points: Vec<(f32, f32)> = (0..times)
            .filter_map(|time| Some((time as f32 / last, value(time, (*place)?)?)))
            .collect();
        let end = points.last().map_or(f32::NAN, |&(_, value)| value * 100.0);
        Line {
            label: format!("{text}: {end:.1} %"),
            points,
            colour: colours[[0, 2][index]],
        }
    };
    let share = |time: usize, mv: usize| Some(share_at(history, time, mv) as f32);
    let value = |time: usize, mv: usize| value_at(history, time, mv, for_first);
    let shares = vec![line(0, &share), line(1, &share)];
    let values = vec![line(0, &value), line(1, &value)];
    let area = ui.available_rect_before_wrap();
    let half = vec2((area.width() - 24.0) / 2.0, area.height());
    let left = Rect::from_min_size(area.min, half);
    let right = Rect::from_min_size(area.min + vec2(half.x + 24.0, 0.0), half);
    let painter = ui.painter_at(area);
    let end = format!("{} iterations", format_thousands(status.iterations.into()));
    let share_chart = Chart {
        title: "Share of visits".to_owned(),
        lines: shares,
        exact: Vec::new(),
        end: end.clone(),
    };
    let share_scale = 0.0..=scale_end(&share_chart.lines);
    draw(&painter, left, &share_chart, share_scale, theme);
    let exact = exact_lines(app, page, &colours);
    let value_chart = Chart {
        title: format!("{} wins, mean of the games tried", page.owner_name),
        lines: values,
        exact,
        end,
    };
    let scale = value_scale(&value_chart);
    draw(&painter, right, &value_chart, scale, theme);
    controls::register(ui.ctx(), "why shares", left);
    controls::register(ui.ctx(), "why values", right);
    draw_regret(app, page, &painter, plot_of(left), times, theme);
}

/// Times that are shown: while the answer is held back, those up to the shown iteration.
fn shown_times(app: &App, all: usize) -> usize {
    let timeline = &app.document.timeline;
    if !app.is_answer_held() || timeline.iterations() == 0 {
        return all;
    }
    let part = f64::from(timeline.position()) / f64::from(timeline.iterations());
    ((all as f64 * part) as usize + 1).min(all)
}

/// The upper end of the scale of shares: the next quarter.
fn scale_end(lines: &[Line]) -> f32 {
    let most = (lines.iter())
        .flat_map(|line| line.points.iter().map(|&(_, value)| value))
        .fold(0.0, f32::max);
    ((most * 4.0).ceil() / 4.0).clamp(0.25, 1.0)
}

/// The scale of values, in whole tenths.
fn value_scale(chart: &Chart) -> RangeInclusive<f32> {
    let values = (chart.lines.iter())
        .flat_map(|line| line.points.iter())
        .filter(|&&(time, _)| time >= NOISY_PART)
        .map(|&(_, value)| value);
    let values = values.chain(chart.exact.iter().map(|&(value, ..)| value));
    let (least, most) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), one| {
        (least.min(one), most.max(one))
    });
    if least > most {
        return 0.0..=1.0;
    }
    let least = ((least * 10.0).floor() / 10.0).max(0.0);
    let most = ((most * 10.0).ceil() / 10.0).min(1.0);
    least..=most.max(least + 0.1)
}

/// The place of a chart's lines.
fn plot_of(area: Rect) -> Rect {
    Rect::from_min_max(
        area.min + vec2(LEFT_ROOM, TITLE_HEIGHT),
        area.max - vec2(RIGHT_ROOM, AXIS_HEIGHT),
    )
}

/// Draws one chart.
fn draw(painter: &Painter, area: Rect, chart: &Chart, scale: RangeInclusive<f32>, theme: &Theme) {
    let plot = plot_of(area);
    if plot.width() < 40.0 || plot.height() < 20.0 {
        return;
    }
    let bold = FontId::new(BODY_SIZE, fonts::semibold());
    let title = &chart.title;
    painter.text(area.min, Align2::LEFT_TOP, title, bold.clone(), theme.text);
    let small = FontId::proportional(SMALL_SIZE);
    let (low, high) = (*scale.start(), *scale.end());
    let y = |value: f32| {
        let part = ((value - low) / (high - low)).clamp(0.0, 1.0);
        plot.bottom() - part * plot.height()
    };
    for part in [0.0, 0.5, 1.0] {
        let value = low + (high - low) * part;
        painter.hline(plot.x_range(), y(value), Stroke::new(1.0, theme.grid));
        let at = pos2(plot.left() - 8.0, y(value));
        let text = format!("{:.0} %", value * 100.0);
        painter.text(at, Align2::RIGHT_CENTER, text, small.clone(), theme.dim);
    }
    painter.text(
        plot.left_bottom() + vec2(0.0, 4.0),
        Align2::LEFT_TOP,
        "0",
        small.clone(),
        theme.dim,
    );
    let corner = plot.right_bottom() + vec2(0.0, 4.0);
    painter.text(
        corner,
        Align2::RIGHT_TOP,
        &chart.end,
        small.clone(),
        theme.dim,
    );
    let mut label_places: Vec<f32> = Vec::new();
    for (value, label, colour) in &chart.exact {
        let at = y(*value);
        let ends = [pos2(plot.left(), at), pos2(plot.right(), at)];
        painter.extend(Shape::dashed_line(
            &ends,
            Stroke::new(1.2, *colour),
            5.0,
            4.0,
        ));
        let place = pos2(plot.right() + 8.0, at);
        painter.text(place, Align2::LEFT_CENTER, label, small.clone(), *colour);
        label_places.push(at);
    }
    for line in &chart.lines {
        let points: Vec<_> = (line.points.iter())
            .map(|&(time, value)| pos2(plot.left() + time * plot.width(), y(value)))
            .collect();
        let Some(&last) = points.last() else { continue };
        painter.line(points, Stroke::new(1.6, line.colour));
        let mut at = last.y;
        if let Some(&taken) = label_places
            .iter()
            .find(|&&taken| (taken - at).abs() < LABEL_GAP)
        {
            at = if at <= taken {
                taken - LABEL_GAP
            } else {
                taken + LABEL_GAP
            };
        }
        label_places.push(at);
        let place = pos2(last.x + 8.0, at);
        painter.text(
            place,
            Align2::LEFT_CENTER,
            &line.label,
            bold.clone(),
            line.colour,
        );
    }
}

/// Under the axis of the shares: when the favourite move gave something away, where exact values are shown and known.
fn draw_regret(
    app: &App,
    page: &WhyPage,
    painter: &Painter,
    plot: Rect,
    times: usize,
    theme: &Theme,
) {
    let Some(regret) = app.regret_history().filter(|_| page.verdict.is_some()) else {
        return;
    };
    truth_marks::draw_regret((&regret, times), plot, painter, theme);
    if regret.iter().take(times).any(|&halves| halves > 0) {
        let font = FontId::proportional(SMALL_SIZE);
        let at = pos2(plot.right(), plot.top() - TITLE_HEIGHT);
        let text = "red: the favourite gives something away";
        painter.text(at, Align2::RIGHT_TOP, text, font, theme.dim);
    }
}
