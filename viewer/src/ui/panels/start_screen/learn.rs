//! The card of lessons, and the search that is compared with another one.

use std::sync::Arc;

use egui::{
    Align2, Color32, DragValue, FontId, Rect, RichText, Sense, Stroke, StrokeKind, TextEdit, Ui,
    UiBuilder, pos2, vec2,
};

use super::card::{CardMetrics, PADDING, SENTENCE_SIZE, fill_card};
use crate::{
    app::{Action, App, CompareAction, LessonAction},
    draw::{
        fonts,
        theme::{BODY_SIZE, CARD_TITLE_SIZE, Theme},
    },
    play::lesson::Lesson,
    settings::LessonPlace,
    ui::controls::Named as _,
};

/// Height of the title, and least widths for two columns and for a sentence beside the title, in points.
const TITLE_HEIGHT: f32 = 32.0;
const MIN_WIDTH_FOR_COLUMNS: f32 = 720.0;
const MIN_WIDTH_FOR_SENTENCE: f32 = 440.0;

/// The first lesson that was not finished.
pub(super) fn next_lesson<'a>(app: &App, lessons: &'a [Arc<Lesson>]) -> Option<&'a Arc<Lesson>> {
    let place = |lesson: &Lesson| app.settings.lessons.get(&lesson.name);
    (lessons.iter()).find(|lesson| !place(lesson).is_some_and(|it| it.is_done))
}

/// Lessons side by side on a card of this width.
fn columns_in(width: f32) -> usize {
    if width >= MIN_WIDTH_FOR_COLUMNS { 2 } else { 1 }
}

/// The height of the card in a width, in points.
pub(super) fn learn_height(lessons: usize, width: f32, metrics: CardMetrics) -> f32 {
    let rows = lessons.div_ceil(columns_in(width));
    2.0 * metrics.padding + TITLE_HEIGHT + rows as f32 * metrics.lesson_height
}

/// Shows the card, with the first lesson that was not finished marked.
pub(super) fn show_learn_card(
    app: &App,
    lessons: &[Arc<Lesson>],
    ui: &mut Ui,
    theme: &Theme,
    (rect, metrics): (Rect, CardMetrics),
    actions: &mut Vec<Action>,
) {
    let columns = columns_in(rect.width());
    let rows = lessons.len().div_ceil(columns);
    fill_card(ui, theme, rect);
    let inner = rect.shrink2(vec2(PADDING, metrics.padding));
    let mut ui = ui.new_child(UiBuilder::new().max_rect(inner));
    ui.horizontal(|ui| {
        ui.set_min_height(TITLE_HEIGHT);
        ui.spacing_mut().item_spacing.x = 16.0;
        ui.label(theme.semibold("Learn", CARD_TITLE_SIZE));
        let about = "Short lessons beside a live tree. Start with no knowledge at all.";
        if ui.available_width() > MIN_WIDTH_FOR_SENTENCE {
            ui.label(RichText::new(about).size(SENTENCE_SIZE).color(theme.dim));
        }
    });
    let area = ui.available_rect_before_wrap();
    let place = |lesson: &Lesson| app.settings.lessons.get(&lesson.name).copied();
    let next = (lessons.iter()).position(|lesson| !place(lesson).is_some_and(|it| it.is_done));
    for (index, lesson) in lessons.iter().enumerate() {
        let (column, row) = (index / rows, index % rows);
        let wide = (area.width() - 24.0 * (columns - 1) as f32) / columns as f32;
        let corner = pos2(
            area.left() + (wide + 24.0) * column as f32,
            area.top() + metrics.lesson_height * row as f32,
        );
        let rect = Rect::from_min_size(corner, vec2(wide, metrics.lesson_height));
        let about = (&**lesson, place(lesson), next == Some(index));
        if show_lesson_row(about, rect, &ui, theme) {
            actions.push(Action::Lesson(LessonAction::Begin(Arc::clone(lesson))));
        }
    }
}

/// A lesson; true if it was clicked.
fn show_lesson_row(
    (lesson, place, is_next): (&Lesson, Option<LessonPlace>, bool),
    rect: Rect,
    ui: &Ui,
    theme: &Theme,
) -> bool {
    let id = ui.scope_id().with(("lesson", &lesson.name));
    let response = ui.interact(rect, id, Sense::click());
    let painter = ui.painter();
    let ground = rect.shrink2(vec2(-8.0, 1.0));
    if is_next || response.hovered() {
        painter.rect_filled(ground, 6.0, theme.card);
    }
    if response.has_focus() {
        painter.rect_stroke(ground, 6.0, theme.focus_stroke(), StrokeKind::Inside);
    }
    let middle = pos2(rect.left() + 10.0, rect.center().y);
    let is_done = place.is_some_and(|it| it.is_done);
    if is_done {
        painter.circle_filled(middle, 8.0, theme.good);
        let ink = if theme.is_dark {
            theme.canvas
        } else {
            Color32::WHITE
        };
        let tick = [vec2(-3.5, 0.0), vec2(-1.0, 3.0), vec2(4.0, -3.0)].map(|at| middle + at);
        painter.line(tick.to_vec(), Stroke::new(1.8, ink));
    } else {
        painter.circle_stroke(middle, 8.0, Stroke::new(1.4, theme.dim));
        if place.is_some() {
            painter.circle_filled(middle, 4.0, theme.warm);
        }
    }
    let right = match place.filter(|it| !it.is_done && it.step > 0) {
        Some(it) => (
            format!("Continue, step {} of {}", it.step + 1, lesson.steps.len()),
            theme.cool,
        ),
        None => (format!("{} min", lesson.minutes), theme.dim),
    };
    let font = FontId::proportional(BODY_SIZE);
    let end = painter.text(
        pos2(rect.right() - 8.0, rect.center().y),
        Align2::RIGHT_CENTER,
        right.0,
        font.clone(),
        right.1,
    );
    let family = match is_next {
        true => fonts::semibold(),
        false => egui::FontFamily::Proportional,
    };
    let clipped = painter.with_clip_rect(Rect::from_min_max(
        rect.min,
        pos2(end.left() - 8.0, rect.bottom()),
    ));
    clipped.text(
        pos2(rect.left() + 28.0, rect.center().y),
        Align2::LEFT_CENTER,
        &lesson.title,
        FontId::new(BODY_SIZE, family),
        theme.text,
    );
    let about = format!("{}: {} steps", lesson.title, lesson.steps.len());
    response
        .explained(&format!("lesson {}", lesson.name), about)
        .clicked()
}

/// Two searches of the chosen game's start, to be compared.
pub(super) fn show_compare_row(
    app: &mut App,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(8.0, 4.0);
        ui.label(RichText::new("Compare two searches:").color(theme.dim));
        for side in 0..2 {
            let (search, _) = &mut app.compare.form[side];
            let name = ["compare first", "compare second"][side];
            ui.add(TextEdit::singleline(search).desired_width(150.0))
                .explained(
                    name,
                    "A search with its parameters, such as uct,exploration=1.41",
                );
        }
        let mut iterations = app.compare.form[0].1;
        let field = DragValue::new(&mut iterations)
            .range(1..=10_000_000)
            .speed(100.0);
        ui.add(field)
            .explained("compare iterations", "Playouts of each search");
        for form in &mut app.compare.form {
            form.1 = iterations;
        }
        ui.label(RichText::new("iterations").color(theme.dim));
        let go = ui.button("Compare");
        let about = "Both searches of the chosen game's start, side by side";
        if go.explained("start compare", about).clicked() {
            let game = Some(app.settings.quick.facts().name.to_owned());
            actions.push(Action::Compare(CompareAction::Search { game }));
        }
    });
}
