//! The parts of a form: labelled rows, segmented choices, fields with error messages.

use egui::{
    Align, Align2, Color32, CornerRadius, CursorIcon, FontId, Key, Label, Layout, Rect, Response,
    RichText, Sense, Stroke, StrokeKind, TextEdit, Ui, UiBuilder, Vec2, pos2, vec2,
};

use crate::{
    draw::{
        fonts,
        theme::{BODY_SIZE, TITLE_SIZE, Theme, mix},
    },
    ui::controls::Named as _,
};

/// Width of row labels, in points.
pub(super) const LABEL_WIDTH: f32 = 88.0;
/// Width of number fields, in points.
pub(super) const NUMBER_FIELD_WIDTH: f32 = 80.0;
/// Height of controls, in points.
const CONTROL_HEIGHT: f32 = 24.0;
/// Between the text of a choice and its edge.
const SEGMENT_PADDING: f32 = 8.0;

/// A row of a form: label, controls, and below them the problem, if any.
pub(super) fn show_row(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    problem: Option<&str>,
    add: impl FnOnce(&mut Ui),
) {
    ui.horizontal(|ui| {
        let middle = Layout::left_to_right(Align::Center);
        ui.allocate_ui_with_layout(vec2(LABEL_WIDTH, CONTROL_HEIGHT), middle, |ui| {
            ui.set_min_width(LABEL_WIDTH);
            ui.label(RichText::new(name).color(theme.dim));
        });
        add(ui);
    });
    if let Some(problem) = problem {
        show_problem(ui, theme, LABEL_WIDTH, problem);
    }
    ui.add_space(4.0);
}

/// The problem with the field above, indented by `right` points.
pub(super) fn show_problem(ui: &mut Ui, theme: &Theme, right: f32, problem: &str) {
    let text = RichText::new(problem).color(theme.bad).small();
    show_small_text(ui, right, text);
}

/// A line of small text, indented by `right` points.
pub(super) fn show_small_text(ui: &mut Ui, right: f32, text: RichText) {
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        ui.horizontal(|ui| {
            ui.add_space(right + ui.spacing().item_spacing.x);
            ui.add(Label::new(text).wrap());
        });
    });
}

/// The heading of a column of rows.
pub(super) fn show_heading(ui: &mut Ui, text: RichText) {
    let middle = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), CONTROL_HEIGHT), middle, |ui| {
        ui.set_min_height(CONTROL_HEIGHT);
        ui.label(text);
    });
    ui.add_space(8.0);
}

/// One segment of a choice.
pub(super) struct Segment<'a> {
    /// Its name as a control.
    pub(super) control_name: String,
    /// Its text.
    pub(super) text: &'a str,
    /// Its tooltip.
    pub(super) hint: &'a str,
    /// Whether it can be chosen.
    pub(super) is_enabled: bool,
}

impl<'a> Segment<'a> {
    /// One that can be chosen.
    pub(super) fn new(control_name: String, text: &'a str, hint: &'a str) -> Self {
        Self {
            control_name,
            text,
            hint,
            is_enabled: true,
        }
    }
}

/// Things to choose from, side by side; which one was clicked.
pub(super) fn show_segments(
    ui: &mut Ui,
    theme: &Theme,
    all: &[Segment<'_>],
    chosen: Option<usize>,
) -> Option<usize> {
    let widths: Vec<f32> = (all.iter())
        .map(|choice| segment_width(ui, choice.text))
        .collect();
    let size = vec2(widths.iter().sum(), CONTROL_HEIGHT);
    let (whole, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect_filled(whole, 6.0, theme.card);
    let mut clicked = None;
    let mut left = whole.left();
    for (index, (choice, width)) in all.iter().zip(widths).enumerate() {
        let place = Rect::from_min_size(pos2(left, whole.top()), vec2(width, CONTROL_HEIGHT));
        left += width;
        if index > 0 {
            let line = Stroke::new(1.0, theme.line);
            ui.painter()
                .vline(place.left().round(), place.y_range().shrink(1.0), line);
        }
        let corners = segment_corners(index == 0, index + 1 == all.len());
        if show_segment(ui, theme, choice, (place, corners), chosen == Some(index)) {
            clicked = Some(index);
        }
    }
    let line = Stroke::new(1.0, theme.line);
    (ui.painter()).rect_stroke(whole, 6.0, line, StrokeKind::Inside);
    clicked.filter(|&index| chosen != Some(index))
}

/// The width of segments with these texts, in points.
pub(super) fn segments_width(ui: &Ui, texts: &[String]) -> f32 {
    texts.iter().map(|text| segment_width(ui, text)).sum()
}

fn segment_width(ui: &Ui, text: &str) -> f32 {
    let font = FontId::proportional(BODY_SIZE);
    let galley = (ui.painter()).layout_no_wrap(text.to_owned(), font, Color32::WHITE);
    (galley.size().x + 2.0 * SEGMENT_PADDING).round()
}

fn segment_corners(is_first: bool, is_last: bool) -> CornerRadius {
    let (west, east) = (if is_first { 6 } else { 0 }, if is_last { 6 } else { 0 });
    CornerRadius {
        nw: west,
        sw: west,
        ne: east,
        se: east,
    }
}

/// One of the choices; true if it was clicked.
fn show_segment(
    ui: &mut Ui,
    theme: &Theme,
    choice: &Segment<'_>,
    (place, corners): (Rect, CornerRadius),
    is_chosen: bool,
) -> bool {
    let mut ui = ui.new_child(
        UiBuilder::new()
            .max_rect(place)
            .id_salt(&choice.control_name),
    );
    if !choice.is_enabled {
        ui.disable();
    }
    let response = ui.interact(place, ui.scope_id().with("choice"), Sense::click());
    let fill = match () {
        () if is_chosen => Some(theme.selected_fill()),
        () if response.is_pointer_button_down_on() => Some(mix(theme.card, theme.text, 0.03)),
        () if response.hovered() && choice.is_enabled => Some(mix(theme.card, theme.text, 0.08)),
        () => None,
    };
    let painter = ui.painter();
    if let Some(fill) = fill {
        painter.rect_filled(place, corners, fill);
    }
    if response.has_focus() {
        painter.rect_stroke(place, 6.0, theme.focus_stroke(), StrokeKind::Inside);
    }
    let colour = if is_chosen || choice.is_enabled {
        theme.text
    } else {
        theme.dim
    };
    let (font, middle) = (FontId::proportional(BODY_SIZE), place.center());
    painter.text(middle, Align2::CENTER_CENTER, choice.text, font, colour);
    keep_in_view(&response);
    let response = response.named(&choice.control_name);
    let response = if choice.hint.is_empty() {
        response
    } else {
        response
            .on_hover_text(choice.hint)
            .on_disabled_hover_text(choice.hint)
    };
    response.clicked()
}

/// A large button of that size: the primary one of a screen, or a plain one.
pub(super) fn show_large_button(
    ui: &mut Ui,
    theme: &Theme,
    text: &str,
    (size, is_primary): (Vec2, bool),
) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let (ground, colour, line) = match (ui.is_enabled(), is_primary) {
        (true, true) => (theme.primary, Color32::WHITE, theme.cool),
        (true, false) => (theme.card, theme.text, theme.line),
        (false, _) => (theme.panel, theme.dim, theme.line),
    };
    let fill = match () {
        () if !ui.is_enabled() => ground,
        () if response.is_pointer_button_down_on() => mix(ground, Color32::BLACK, 0.12),
        () if response.hovered() => mix(ground, colour, 0.1),
        () => ground,
    };
    let line = if response.has_focus() {
        theme.focus_stroke()
    } else {
        Stroke::new(1.0, line)
    };
    let painter = ui.painter();
    painter.rect(rect, 6.0, fill, line, StrokeKind::Inside);
    let font = if is_primary {
        FontId::new(TITLE_SIZE, fonts::semibold())
    } else {
        FontId::proportional(BODY_SIZE)
    };
    painter.text(rect.center(), Align2::CENTER_CENTER, text, font, colour);
    keep_in_view(&response);
    response
}

/// Scrolls to what has just got the focus of the keyboard.
pub(super) fn keep_in_view(response: &Response) {
    if response.gained_focus() {
        response.scroll_to_me(None);
    }
}

/// A link: text in the colour of links, underlined under the pointer.
pub(super) fn show_link(ui: &mut Ui, theme: &Theme, text: &str, control_name: &str) -> Response {
    let font = FontId::proportional(BODY_SIZE);
    let galley = (ui.painter()).layout_no_wrap(text.to_owned(), font, theme.cool);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::click());
    if response.hovered() {
        let line = Stroke::new(1.0, theme.cool);
        ui.painter().hline(rect.x_range(), rect.bottom(), line);
        ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
    }
    if response.has_focus() {
        let ring = rect.expand2(vec2(4.0, 2.0));
        (ui.painter()).rect_stroke(ring, 4.0, theme.focus_stroke(), StrokeKind::Inside);
    }
    ui.painter().galley(rect.min, galley, theme.cool);
    keep_in_view(&response);
    response.named(control_name)
}

/// A field to type into.
pub(super) struct TextField<'a> {
    /// Its name as a control.
    pub(super) control_name: String,
    /// Its width, in points.
    pub(super) width: f32,
    /// Text shown while it is empty.
    pub(super) placeholder: &'a str,
    /// Its tooltip.
    pub(super) hint: &'a str,
    /// Whether the typed value is invalid.
    pub(super) has_problem: bool,
    /// Whether it can be used.
    pub(super) is_enabled: bool,
}

impl TextField<'_> {
    /// Shows the field. Enter in it is remembered in `entered`.
    pub(super) fn show(
        &self,
        text: &mut String,
        ui: &mut Ui,
        theme: &Theme,
        is_submitted: &mut bool,
    ) -> Response {
        let edit = TextEdit::singleline(text)
            .id_salt(&self.control_name)
            .desired_width(self.width)
            .hint_text(self.placeholder.to_owned())
            .align(Align2::LEFT_CENTER)
            .min_size(vec2(0.0, CONTROL_HEIGHT));
        let response = ui
            .add_enabled(self.is_enabled, edit)
            .named(&self.control_name);
        if self.has_problem {
            let line = Stroke::new(1.0, theme.bad);
            (ui.painter()).rect_stroke(response.rect, 6.0, line, StrokeKind::Inside);
        }
        *is_submitted |= response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if self.hint.is_empty() {
            response
        } else {
            response.on_hover_text(self.hint)
        }
    }
}

/// A hairline between two groups of rows.
pub(super) fn show_separator(ui: &mut Ui) {
    ui.add_space(8.0);
    ui.separator();
    ui.add_space(8.0);
}
