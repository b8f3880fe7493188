//! A lesson: its text beside the live tree, something to try, a question.

use egui::{
    Align, Align2, Color32, FontFamily, FontId, Frame, Layout, Margin, Panel, Rect, RichText,
    ScrollArea, Sense, Stroke, StrokeKind, TextFormat, Ui, UiBuilder, pos2, text::LayoutJob, vec2,
};

use super::{Panels, form::show_large_button};
use crate::{
    app::{Action, App, LessonAction, LessonState, TriedValue, View, fill_figures},
    board::{Board, Marks, MoveShare},
    draw::{
        fonts,
        theme::{BODY_SIZE, SMALL_SIZE, TITLE_SIZE, Theme},
    },
    play::lesson::{LessonStep, MoveResult},
    tree::model::TreeModel,
    ui::{
        controls::Named as _,
        keys::{Command, hint},
    },
};

mod chart;

/// Bounds of the width of the text in points, and its part of the window.
const USUAL_WIDTH: f32 = 560.0;
const MIN_WIDTH: f32 = 340.0;
const WIDTH_PART: f32 = 0.4;
const PADDING: i8 = 24;
const TEXT_SIZE: f32 = 15.0;
const STEP_TITLE_SIZE: f32 = 22.0;
const BOARD_WIDTH: f32 = 190.0;
/// Where there is less room for tree and board, in points, there is no board.
const MIN_WIDTH_FOR_BOARD: f32 = 560.0;

fn push(actions: &mut Vec<Action>, action: LessonAction) {
    actions.push(Action::Lesson(action));
}

impl Panels {
    /// Shows the text of the lesson that is taken, on the left of whatever view.
    pub(super) fn show_lesson(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let Some(state) = &app.lesson else { return };
        let width = (ui.available_width() * WIDTH_PART).clamp(MIN_WIDTH, USUAL_WIDTH);
        let has_chart = state.part().chart.is_some() && ui.available_height() > 620.0;
        Panel::left("lesson")
            .frame(
                Frame::new()
                    .fill(theme.panel)
                    .inner_margin(Margin::same(PADDING)),
            )
            .exact_size(width)
            .resizable(false)
            .show(ui, |ui| {
                let foot = 56.0;
                let area = ui.available_rect_before_wrap();
                let (mut text, mut buttons) = (area, area);
                text.max.y -= foot;
                buttons.min.y = area.max.y - foot + 8.0;
                let mut ui_text = ui.new_child(UiBuilder::new().max_rect(text));
                ScrollArea::vertical()
                    .id_salt(("lesson", state.step))
                    .auto_shrink(false)
                    .show(&mut ui_text, |ui| show_step(app, state, ui, theme, actions));
                let mut ui = ui.new_child(UiBuilder::new().max_rect(buttons));
                show_foot(state, &mut ui, theme, actions);
            });
        if let Some(chart) = state.part().chart.as_ref().filter(|_| has_chart)
            && app.shown_view() == View::Tree
        {
            Panel::bottom("lesson chart")
                .frame(
                    Frame::new()
                        .fill(theme.panel)
                        .inner_margin(Margin::symmetric(16, 12)),
                )
                .exact_size(220.0)
                .resizable(false)
                .show(ui, |ui| chart::show(chart, state.value, ui, theme));
        }
    }

    /// The board of the lesson's position, or of the selected node, beside the tree.
    pub(super) fn show_lesson_board(&mut self, app: &App, ui: &mut Ui, theme: &Theme) {
        let (Some(state), Some(model)) = (&app.lesson, &app.document.model) else {
            return;
        };
        let Some(meta) = &model.meta else { return };
        if state.part().table || ui.available_width() < MIN_WIDTH_FOR_BOARD {
            return;
        }
        let moves = app.moves_to_selected().unwrap_or_default();
        let Ok(position) = Board::after_moves(&meta.game, &meta.position, &moves) else {
            return;
        };
        let mut marks = Marks {
            last_move: position.last_move.clone(),
            shows_coordinates: true,
            ..Marks::default()
        };
        if moves.is_empty() {
            (marks.moves, marks.chosen) = root_shares(model);
        }
        let shares = match model.is_classical() {
            true => "Yellow: share of the nodes searched.",
            false => "Yellow: share of visits.",
        };
        let text = match (moves.is_empty(), results_text(state.part())) {
            (true, Some(text)) => format!("{shares} With best play: {text}"),
            (true, None) => shares.to_owned(),
            (false, _) => "The selected node.".to_owned(),
        };
        Panel::right("lesson board")
            .frame(
                Frame::new()
                    .fill(theme.panel)
                    .inner_margin(Margin::same(16)),
            )
            .exact_size(BOARD_WIDTH + 32.0)
            .resizable(false)
            .show(ui, |ui| {
                let wide = (BOARD_WIDTH, Sense::hover());
                (self.board_textures).show(ui, &position.board, &marks, wide, theme);
                ui.label(RichText::new(text).small().color(theme.dim));
                ui.add_space(4.0);
                ui.label(RichText::new(&position.turn_text).small());
            });
    }
}

/// The moves of the root with their shares of the visits, and the place of the chosen one.
fn root_shares(model: &TreeModel) -> (Vec<MoveShare>, Option<usize>) {
    let total = model.visits_below(0).max(1) as f32;
    let moves: Vec<MoveShare> = (model.child_rows(0).into_iter())
        .map(|row| MoveShare {
            mv: model.tree.move_name(row).to_owned(),
            share: model.tree.nodes()[row].visits.max(0) as f32 / total,
        })
        .collect();
    let chosen = (model.meta.as_ref()).and_then(|meta| meta.chosen.clone());
    let place = moves.iter().position(|mv| Some(&mv.mv) == chosen.as_ref());
    (moves, place)
}

/// Which moves win with best play, or that none does; none if it is not known.
fn results_text(step: &LessonStep) -> Option<String> {
    let with = |result: MoveResult| -> Vec<&str> {
        let all = step.results.iter().filter(|(_, known)| **known == result);
        all.map(|(mv, _)| mv.as_str()).collect()
    };
    match (step.results.is_empty(), with(MoveResult::Wins).as_slice()) {
        (true, _) => None,
        (false, [one]) => Some(format!("only {one} wins.")),
        (false, []) => Some("no move wins.".to_owned()),
        (false, many) => Some(format!("{} win.", many.join(", "))),
    }
}

/// A step from its title to its question.
fn show_step(
    app: &App,
    state: &LessonState,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let step = state.part();
    show_progress(state, ui, theme);
    ui.add_space(4.0);
    ui.label(theme.semibold(&step.title, STEP_TITLE_SIZE))
        .named("lesson step");
    ui.add_space(8.0);
    let model = app.lesson_model();
    for paragraph in step.text.trim().split("\n\n") {
        let text = fill_figures(paragraph, model.as_deref());
        ui.label(rich_text(&text, TEXT_SIZE, theme));
        ui.add_space(10.0);
    }
    if let Some(formula) = &step.formula {
        show_formula(formula, ui, theme);
    }
    if let Some(problem) = &state.problem {
        ui.label(RichText::new(problem).color(theme.bad))
            .named("lesson problem");
        ui.add_space(8.0);
    }
    show_task(model.as_deref(), state, ui, theme, actions);
    show_question(state, ui, theme, actions);
}

fn show_progress(state: &LessonState, ui: &mut Ui, theme: &Theme) {
    let count = state.lesson.steps.len();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 12.0), Sense::hover());
    let width = (rect.width() + 8.0) / count as f32 - 8.0;
    for index in 0..count {
        let left = rect.left() + (width + 8.0) * index as f32;
        let bar = Rect::from_min_size(pos2(left, rect.top()), vec2(width, 4.0));
        let colour = if index <= state.step {
            theme.cool
        } else {
            theme.line
        };
        ui.painter().rect_filled(bar, 2.0, colour);
    }
    ui.horizontal(|ui| {
        let text = format!(
            "{} · step {} of {count}",
            state.lesson.title,
            state.step + 1
        );
        ui.label(RichText::new(text).small().color(theme.dim));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let text = format!("about {} minutes", state.lesson.minutes);
            ui.label(RichText::new(text).small().color(theme.dim));
        });
    });
}

/// A text in which words between two pairs of asterisks are semibold.
fn rich_text(text: &str, size: f32, theme: &Theme) -> LayoutJob {
    let mut job = LayoutJob::default();
    for (index, part) in text.split("**").enumerate() {
        let family = match index % 2 {
            0 => FontFamily::Proportional,
            _ => fonts::semibold(),
        };
        let format = TextFormat {
            font_id: FontId::new(size, family),
            color: theme.text,
            line_height: Some(size * 1.45),
            ..TextFormat::default()
        };
        job.append(part, 0.0, format);
    }
    job
}

fn show_formula(formula: &str, ui: &mut Ui, theme: &Theme) {
    let frame = Frame::new()
        .fill(theme.card)
        .stroke(Stroke::new(1.0, theme.line))
        .corner_radius(8)
        .inner_margin(Margin::symmetric(16, 14));
    frame.show(ui, |ui| {
        ui.vertical_centered(|ui| {
            ui.label(RichText::new(formula).size(17.0).color(theme.text));
        });
    });
    ui.add_space(12.0);
}

/// The card with something to do.
fn show_task(
    model: Option<&TreeModel>,
    state: &LessonState,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let step = state.part();
    if step.task.is_none() && step.slider.is_none() {
        return;
    }
    let frame = Frame::new()
        .stroke(Stroke::new(1.0, theme.warm))
        .corner_radius(8)
        .inner_margin(Margin::same(16));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.label(theme.semibold("Try it", TITLE_SIZE));
        ui.add_space(4.0);
        if let Some(task) = &step.task {
            let text = fill_figures(task, model);
            ui.label(rich_text(&text, BODY_SIZE + 1.0, theme));
        }
        if let Some(slider) = &step.slider {
            ui.add_space(8.0);
            show_slider(state, (&slider.label, &slider.values), ui, theme, actions);
            show_tried(state, ui, theme);
        }
    });
    ui.add_space(12.0);
}

/// A slider whose values are few: it stops at each.
fn show_slider(
    state: &LessonState,
    (label, values): (&str, &[f64]),
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        ui.label(theme.semibold(label, TEXT_SIZE));
        let size = vec2(ui.available_width(), 44.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::CLICK | Sense::DRAG);
        let track = rect.shrink2(vec2(16.0, 0.0));
        let y = rect.top() + 14.0;
        let place = |index: usize| {
            let steps = values.len().saturating_sub(1).max(1) as f32;
            track.left() + track.width() * index as f32 / steps
        };
        let chosen = values.iter().position(|&value| Some(value) == state.value);
        let painter = ui.painter();
        painter.hline(track.x_range(), y, Stroke::new(3.0, theme.line));
        if let Some(index) = chosen {
            let done = Rect::from_min_max(pos2(track.left(), y - 1.5), pos2(place(index), y + 1.5));
            painter.rect_filled(done, 1.0, theme.cool);
        }
        for (index, value) in values.iter().enumerate() {
            let at = pos2(place(index), y + 12.0);
            painter.vline(at.x, y + 5.0..=y + 9.0, Stroke::new(1.0, theme.dim));
            let font = FontId::proportional(SMALL_SIZE);
            painter.text(at, Align2::CENTER_TOP, value.to_string(), font, theme.dim);
        }
        if let Some(index) = chosen {
            painter.circle(
                pos2(place(index), y),
                8.0,
                theme.text,
                Stroke::new(2.0, theme.cool),
            );
        }
        let pointer = response.interact_pointer_pos();
        if let Some(at) = pointer.filter(|_| response.dragged() || response.clicked()) {
            let nearest = (0..values.len()).min_by(|&one, &other| {
                (place(one) - at.x)
                    .abs()
                    .total_cmp(&(place(other) - at.x).abs())
            });
            if let Some(index) = nearest.filter(|&index| Some(index) != chosen) {
                push(actions, LessonAction::Slide(index));
            }
        }
        response.explained("lesson slider", "The search runs anew at each change");
    });
}

/// How the visits were shared with each value that was tried.
fn show_tried(state: &LessonState, ui: &mut Ui, theme: &Theme) {
    if state.tried.is_empty() {
        return;
    }
    ui.add_space(6.0);
    ui.label(
        RichText::new("How the visits are shared among the moves")
            .small()
            .color(theme.dim),
    );
    for tried in &state.tried {
        show_tried_row(tried, state, ui, theme);
    }
}

fn show_tried_row(tried: &TriedValue, state: &LessonState, ui: &mut Ui, theme: &Theme) {
    let result = state.part().results.get(&tried.chosen);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let is_current = Some(tried.value) == state.value;
    let painter = ui.painter();
    let font = match is_current {
        true => FontId::new(SMALL_SIZE, fonts::semibold()),
        false => FontId::proportional(SMALL_SIZE),
    };
    let y = rect.center().y;
    let name = tried.value.to_string();
    painter.text(
        pos2(rect.left() + 34.0, y),
        Align2::RIGHT_CENTER,
        name,
        font.clone(),
        theme.text,
    );
    let bar = Rect::from_min_max(
        pos2(rect.left() + 44.0, rect.top() + 3.0),
        pos2(rect.right() - 128.0, rect.bottom() - 3.0),
    );
    // The largest first; a move has one colour in all rows.
    let mut order: Vec<usize> = (0..tried.shares.len()).collect();
    order.sort_by(|&one, &other| tried.shares[other].1.total_cmp(&tried.shares[one].1));
    let mut left = bar.left();
    for index in order {
        let (mv, share) = &tried.shares[index];
        let width = bar.width() * *share as f32;
        let part = Rect::from_min_max(
            pos2(left, bar.top()),
            pos2((left + width - 1.0).max(left), bar.bottom()),
        );
        painter.rect_filled(part, 0.0, move_colour(theme, index));
        if width > 14.0 {
            let ink = if theme.is_dark {
                theme.canvas
            } else {
                Color32::WHITE
            };
            let font = FontId::new(SMALL_SIZE, fonts::semibold());
            painter.text(part.center(), Align2::CENTER_CENTER, mv, font, ink);
        }
        left += width;
    }
    let (sign, colour) = match result {
        Some(MoveResult::Wins) => ("wins", theme.good),
        Some(MoveResult::Draws) => ("draws", theme.dim),
        Some(MoveResult::Loses) => ("loses", theme.bad),
        None => ("", theme.text),
    };
    let text = match sign {
        "" => format!("chose {}", tried.chosen),
        _ => format!("chose {}, {sign}", tried.chosen),
    };
    let at = pos2(bar.right() + 12.0, y);
    let drawn = painter.text(at, Align2::LEFT_CENTER, text, font, colour);
    crate::ui::controls::register(ui.ctx(), &format!("tried {}", tried.value), drawn);
}

/// The colour of a move in all bars.
fn move_colour(theme: &Theme, index: usize) -> Color32 {
    let colours = super::timeline::chart_colours(theme);
    colours[index % colours.len()]
}

fn show_question(state: &LessonState, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let Some(question) = &state.part().question else {
        return;
    };
    ui.label(theme.semibold(&question.ask, TEXT_SIZE));
    ui.add_space(6.0);
    for (index, answer) in question.answers.iter().enumerate() {
        let is_chosen = state.answer == Some(index);
        let (ground, line) = match is_chosen {
            true => (theme.selected_fill(), theme.cool),
            false => (theme.card, theme.line),
        };
        let job = rich_text(answer, BODY_SIZE + 1.0, theme);
        let wrap = ui.available_width() - 56.0;
        let galley = ui.painter().layout_job(LayoutJob {
            wrap: egui::text::TextWrapping {
                max_width: wrap,
                ..Default::default()
            },
            ..job
        });
        let size = vec2(ui.available_width(), (galley.size().y + 16.0).max(36.0));
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let stroke = match response.has_focus() {
            true => theme.focus_stroke(),
            false => Stroke::new(1.0, line),
        };
        ui.painter()
            .rect(rect, 6.0, ground, stroke, StrokeKind::Inside);
        let middle = pos2(rect.left() + 20.0, rect.center().y);
        ui.painter()
            .circle_stroke(middle, 6.0, Stroke::new(1.5, theme.dim));
        if is_chosen {
            ui.painter().circle_filled(middle, 3.0, theme.cool);
        }
        let at = pos2(rect.left() + 40.0, rect.center().y - galley.size().y / 2.0);
        ui.painter().galley(at, galley, theme.text);
        let response = response.named(&format!("lesson answer {}", index + 1));
        if response.clicked() {
            push(actions, LessonAction::Answer(index));
        }
        ui.add_space(4.0);
    }
    if let Some(answer) = state.answer {
        let is_right = answer + 1 == question.right;
        let (word, colour) = match is_right {
            true => ("Right.", theme.good),
            false => ("Not quite.", theme.bad),
        };
        ui.add_space(6.0);
        ui.label(RichText::new(word).size(TEXT_SIZE).color(colour))
            .named("lesson verdict");
        ui.label(rich_text(&question.because, BODY_SIZE + 1.0, theme));
    }
}

fn show_foot(state: &LessonState, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.add_enabled_ui(state.step > 0, |ui| {
            let back = show_large_button(ui, theme, "‹ Back", (vec2(96.0, 40.0), false));
            let about = hint("The step before", Command::TurnLesson(-1));
            if back.explained("lesson back", about).clicked() {
                push(actions, LessonAction::Turn(-1));
            }
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let text = if state.is_last() {
                "Finish"
            } else {
                "Next step ›"
            };
            let next = show_large_button(ui, theme, text, (vec2(136.0, 40.0), true));
            let about = if state.is_last() {
                "Back to the start"
            } else {
                "The next step"
            };
            let about = hint(about, Command::TurnLesson(1));
            if next.explained("lesson next", about).clicked() {
                push(actions, LessonAction::Turn(1));
            }
            ui.label(
                RichText::new("Esc leaves; your place is kept")
                    .small()
                    .color(theme.dim),
            );
        });
    });
}
