//! The parts of a card: ground and ring, title and sentence, choices and button.

use canopy_engine::games::GameFacts;
use egui::{
    Align, Label, Layout, Rect, Response, RichText, Sense, Stroke, StrokeKind, Ui, UiBuilder, pos2,
    vec2,
};

use crate::{
    app::App,
    draw::theme::{CARD_TITLE_SIZE, Theme},
    play::setup::{PersonSide, Strength},
    tree::scene::format_thousands,
    ui::{
        controls::Named as _,
        panels::form::{Segment, show_large_button, show_segments},
    },
};

/// Width below which the cards stand one below the other, in points.
pub(super) const MIN_WIDTH_FOR_TWO: f32 = 900.0;
/// Space between cards side by side and within cards, in points.
const COLUMN_GAP: f32 = 20.0;
pub(super) const PADDING: f32 = 24.0;
/// Windows that leave less room than this to the cards have them closer together, in points.
const MIN_ROOMY_HEIGHT: f32 = 800.0;
/// Corner radius of cards.
pub(super) const CARD_RADIUS: u8 = 12;
/// Width of the texts on a card, and of the labels of its choices, in points.
pub(super) const TEXT_WIDTH: f32 = 232.0;
pub(super) const CHOICE_LABEL_WIDTH: f32 = 64.0;
/// Text size of a card's sentences.
pub(super) const SENTENCE_SIZE: f32 = 14.0;

/// Distances on the page of cards, in points.
#[derive(Clone, Copy)]
pub(super) struct CardMetrics {
    /// Space above everything.
    pub(super) top: f32,
    /// Space between cards one below the other.
    pub(super) gap: f32,
    /// Height of the cards that start something.
    pub(super) height: f32,
    /// Space above and below the content of the other cards.
    pub(super) padding: f32,
    /// Height of a lesson.
    pub(super) lesson_height: f32,
}

impl CardMetrics {
    /// The distances where the page has this height.
    pub(super) fn in_height(height: f32) -> Self {
        if height < MIN_ROOMY_HEIGHT {
            Self {
                top: 10.0,
                gap: 14.0,
                height: 260.0,
                padding: 14.0,
                lesson_height: 22.0,
            }
        } else {
            Self {
                top: 16.0,
                gap: 20.0,
                height: 280.0,
                padding: 20.0,
                lesson_height: 28.0,
            }
        }
    }
}

/// Whether two cards stand side by side in a width.
pub(super) fn has_two_columns(width: f32) -> bool {
    width >= MIN_WIDTH_FOR_TWO - 64.0
}

/// The width of each of two cards side by side.
pub(super) fn half_width(width: f32) -> f32 {
    ((width - COLUMN_GAP) / 2.0).floor()
}

/// The places of two cards with these heights: side by side, or one below the other.
pub(super) fn card_rects(
    ui: &mut Ui,
    width: f32,
    heights: [f32; 2],
    metrics: CardMetrics,
) -> (Rect, Rect) {
    if !has_two_columns(width) {
        let (first, _) = ui.allocate_exact_size(vec2(width, heights[0]), Sense::hover());
        ui.add_space(metrics.gap);
        let (second, _) = ui.allocate_exact_size(vec2(width, heights[1]), Sense::hover());
        return (first, second);
    }
    let height = heights[0].max(heights[1]);
    let (whole, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let size = vec2(half_width(width), height);
    let second = pos2(whole.left() + size.x + COLUMN_GAP, whole.top());
    (
        Rect::from_min_size(whole.min, size),
        Rect::from_min_size(second, size),
    )
}

/// The ground and the outline of a card.
pub(super) fn fill_card(ui: &Ui, theme: &Theme, rect: Rect) {
    let line = Stroke::new(1.0, theme.line);
    (ui.painter()).rect(rect, CARD_RADIUS, theme.panel, line, StrokeKind::Inside);
}

/// A ring around the card whose button has the focus of the keyboard.
pub(super) fn ring_card(ui: &Ui, theme: &Theme, rect: Rect, button: &Response) {
    if button.has_focus() {
        let line = theme.focus_stroke();
        (ui.painter()).rect_stroke(rect, CARD_RADIUS, line, StrokeKind::Inside);
    }
}

/// The content of a card.
pub(super) fn card_ui(ui: &mut Ui, rect: Rect) -> Ui {
    let mut ui = ui.new_child(UiBuilder::new().max_rect(rect.shrink(PADDING)));
    ui.spacing_mut().item_spacing = vec2(8.0, 0.0);
    ui
}

/// The place of a card's button.
pub(super) fn card_foot(rect: Rect) -> Rect {
    let corner = pos2(rect.left() + PADDING, rect.bottom() - PADDING - 40.0);
    Rect::from_min_size(corner, vec2(120.0, 40.0))
}

/// A card's button, and its key beside it.
pub(super) fn show_foot(
    ui: &mut Ui,
    theme: &Theme,
    foot: Rect,
    (text, key, is_primary): (&str, &str, bool),
) -> Response {
    let wide = Rect::from_min_size(foot.min, foot.size() + vec2(40.0, 0.0));
    let middle = Layout::left_to_right(Align::Center);
    let mut ui = ui.new_child(UiBuilder::new().max_rect(wide).layout(middle));
    let button = show_large_button(&mut ui, theme, text, (foot.size(), is_primary));
    ui.add_space(4.0);
    ui.label(RichText::new(key).color(theme.dim));
    button
}

/// The title of a card.
pub(super) fn show_card_title(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.label(theme.semibold(text, CARD_TITLE_SIZE));
    ui.add_space(8.0);
}

/// A sentence of a card, in the width of its texts.
pub(super) fn show_sentence(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.scope(|ui| {
        ui.set_max_width(TEXT_WIDTH);
        let text = RichText::new(text).size(SENTENCE_SIZE).color(theme.dim);
        ui.add(Label::new(text.line_height(Some(20.0))).wrap());
    });
}

/// A choice of a card with its label.
fn show_choice(
    ui: &mut Ui,
    theme: &Theme,
    label: &str,
    (all, chosen): (&[Segment<'_>], Option<usize>),
) -> Option<usize> {
    let row = ui.horizontal(|ui| {
        let middle = Layout::left_to_right(Align::Center);
        ui.allocate_ui_with_layout(vec2(CHOICE_LABEL_WIDTH, 24.0), middle, |ui| {
            ui.set_min_width(CHOICE_LABEL_WIDTH);
            ui.label(RichText::new(label).color(theme.dim));
        });
        show_segments(ui, theme, all, chosen)
    });
    row.inner
}

/// Which side the person plays.
pub(super) fn show_side_choice(app: &mut App, ui: &mut Ui, theme: &Theme, facts: &GameFacts) {
    let [first, second] = facts.players;
    let hints = [
        format!("You play {first} and begin"),
        format!("You play {second}; the program begins"),
        "Two people play on one board".to_owned(),
    ];
    let all = [
        Segment::new("quick side first".to_owned(), first, &hints[0]),
        Segment::new("quick side second".to_owned(), second, &hints[1]),
        Segment::new("quick side both".to_owned(), "Two people", &hints[2]),
    ];
    let chosen = (PersonSide::ALL.iter()).position(|side| *side == app.settings.quick.side);
    let clicked = show_choice(ui, theme, "You play", (&all, chosen));
    if let Some(side) = clicked.and_then(|index| PersonSide::ALL.get(index)) {
        app.settings.quick.side = *side;
    }
}

/// How strong the program plays.
pub(super) fn show_strength_choice(app: &mut App, ui: &mut Ui, theme: &Theme) {
    let hints = Strength::ALL.map(|strength| {
        let iterations = format_thousands(strength.iterations().into());
        format!("{iterations} iterations for every move")
    });
    let has_engine = app.settings.quick.side != PersonSide::Both;
    let all: Vec<Segment<'_>> = (Strength::ALL.iter().zip(&hints))
        .map(|(strength, hint)| Segment {
            is_enabled: has_engine,
            ..Segment::new(
                format!("quick strength {}", strength.name().to_lowercase()),
                strength.name(),
                hint,
            )
        })
        .collect();
    let chosen = (Strength::ALL.iter())
        .position(|strength| *strength == app.settings.quick.strength)
        .filter(|_| has_engine);
    let clicked = show_choice(ui, theme, "Strength", (&all, chosen));
    if let Some(strength) = clicked.and_then(|index| Strength::ALL.get(index)) {
        app.settings.quick.strength = *strength;
    }
}

/// Whether a picture was clicked. It is no stop of the Tab key: the button beside it does the same.
pub(super) fn is_picture_clicked(ui: &Ui, rect: Rect, name: &str, about: &str) -> bool {
    let response = ui.interact(rect, ui.scope_id().with(name), Sense::CLICK);
    let response = response.on_hover_cursor(egui::CursorIcon::PointingHand);
    response.explained(name, about).clicked()
}
