//! The view Compare: two searches side by side.

use egui::{
    Align, Align2, Checkbox, Color32, ComboBox, DragValue, FontId, Frame, Layout, Margin, Panel,
    PointerButton, Rect, RichText, Sense, Stroke, TextEdit, Ui, UiBuilder, pos2, vec2,
};

use super::{
    Panels,
    canvas::boxes_within,
    form::{Segment, show_segments},
    truth_marks,
};
use crate::{
    app::{Action, App, COMPARE_CHILD_COUNTS, CompareAction, CompareCommand, TruthMode},
    draw::{
        fonts,
        theme::{BODY_SIZE, SMALL_SIZE, TITLE_SIZE, Theme},
    },
    tree::{
        labels::LabelBox,
        scene::{Measure, format_thousands},
        title::search_line,
        value_colour::EdgeColours,
    },
    ui::{
        controls::Named as _,
        keys::{Command, hint},
    },
};

mod history;
mod lines;
mod slider;
mod table;

/// Heights of the bars, in points.
const TOOLBAR_HEIGHT: f32 = 44.0;
const HEADER_HEIGHT: f32 = 40.0;
const SLIDER_HEIGHT: f32 = 52.0;
/// Of the area below the trees: its usual height, and its part of what is there in low windows.
const BOTTOM_HEIGHT: f32 = 324.0;
const BOTTOM_PART: f32 = 0.46;
/// Space at the sides of the window.
const SIDE: f32 = 16.0;
/// Windows lower than this have no charts and boards below the trees.
const MIN_HEIGHT_FOR_BOTTOM: f32 = 440.0;
/// The two searches, and what edges can be coloured by.
const LETTERS: [&str; 2] = ["A", "B"];
const MEASURES: [(Measure, &str, &str); 3] = [
    (
        Measure::Difference,
        "Difference",
        "The share of visits in A less that in B",
    ),
    (
        Measure::Visits,
        "Visits",
        "How often a move was tried, in each tree by itself",
    ),
    (Measure::Mean, "Value", "Who wins, in each tree by itself"),
];

/// The state of the view's controls.
#[derive(Default)]
pub(super) struct ComparePanel {
    /// Where the two trees are drawn in this frame; none where there are none.
    canvases: Option<[Rect; 2]>,
    /// What lies over them, in points.
    overlays: [Vec<Rect>; 2],
}

/// The colour of a search.
fn side_colour(theme: &Theme, side: usize) -> Color32 {
    [theme.side_a, theme.side_b][side.min(1)]
}

impl Panels {
    /// Where two trees are drawn side by side, in points.
    pub fn compared_canvases(&self) -> Option<[Rect; 2]> {
        self.compare.canvases
    }

    /// What covers the trees, in pixels from the corners of their canvases.
    pub fn compared_overlays(&self, scale: f32) -> [Vec<LabelBox>; 2] {
        let canvases = self.compare.canvases.unwrap_or([Rect::ZERO; 2]);
        [0, 1].map(|side| boxes_within(&self.compare.overlays[side], canvases[side].min, scale))
    }

    /// Shows the view in what is left of the window.
    pub(super) fn show_compare_view(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        self.show_compare_toolbar(app, ui, theme, actions);
        if app.compare.shown.is_some() && ui.available_height() >= MIN_HEIGHT_FOR_BOTTOM {
            Panel::bottom("compared moves")
                .frame(
                    Frame::new()
                        .fill(theme.panel)
                        .inner_margin(Margin::symmetric(16, 12)),
                )
                .exact_size((ui.available_height() * BOTTOM_PART).min(BOTTOM_HEIGHT))
                .resizable(false)
                .show(ui, |ui| self.show_compare_bottom(app, ui, theme, actions));
        }
        if app.compare.iterations() > 0 && app.compare.shown.is_some() {
            Panel::bottom("compared iterations")
                .frame(
                    Frame::new()
                        .fill(theme.panel)
                        .inner_margin(Margin::symmetric(16, 8)),
                )
                .exact_size(slider_height(app))
                .resizable(false)
                .show(ui, |ui| slider::show(app, ui, theme, actions));
        }
        let (_, area) = ui.allocate_space(ui.available_size());
        if app.compare.shown.is_some() {
            self.show_compared_trees(app, area, ui, theme, actions);
        } else {
            let mut ui = ui.new_child(UiBuilder::new().max_rect(area));
            if show_second_search(app, &mut ui, theme, actions) {
                self.open_second_dialog(app);
            }
        }
    }

    fn show_compare_toolbar(
        &self,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let frame = Frame::new()
            .fill(theme.panel)
            .inner_margin(Margin::symmetric(16, 8));
        Panel::top("compare bar")
            .frame(frame)
            .exact_size(TOOLBAR_HEIGHT)
            .resizable(false)
            .show(ui, |ui| {
                ui.add_enabled_ui(app.compare.shown.is_some(), |ui| {
                    ui.horizontal(|ui| {
                        show_measures(app, ui, theme, actions);
                        ui.add_space(8.0);
                        show_children(app, ui, theme, actions);
                        ui.add_space(8.0);
                        show_links(app, ui, actions);
                        show_scale(app, ui, theme);
                    });
                });
            });
    }

    fn show_compared_trees(
        &mut self,
        app: &App,
        area: Rect,
        ui: &Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let middle = area.center().x.round();
        let top = area.top() + HEADER_HEIGHT;
        let canvases = [(area.left(), middle - 3.0), (middle + 3.0, area.right())]
            .map(|(left, right)| Rect::from_min_max(pos2(left, top), pos2(right, area.bottom())));
        self.canvas = Rect::from_min_max(pos2(area.left(), top), area.max);
        self.compare.canvases = Some(canvases);
        for (side, canvas) in canvases.into_iter().enumerate() {
            let header = Rect::from_min_max(pos2(canvas.left(), area.top()), canvas.right_top());
            ui.painter().rect_filled(header, 0.0, theme.canvas);
            show_header(app, side, header, ui, theme);
            handle_pointer(side, canvas, ui, actions);
            self.compare.overlays[side] = truth_marks::draw_compared(app, side, canvas, ui, theme);
        }
        let gap = Rect::from_min_max(
            pos2(middle - 3.0, area.top()),
            pos2(middle + 3.0, area.bottom()),
        );
        ui.painter().rect_filled(gap, 0.0, theme.panel);
        for x in [gap.left(), gap.right() - 1.0] {
            (ui.painter()).vline(x, gap.y_range(), Stroke::new(1.0, theme.line));
        }
    }

    /// The table, where the expected lines part, and the shares over time.
    fn show_compare_bottom(
        &mut self,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let area = ui.available_rect_before_wrap();
        let has_history = app.compare.iterations() > 0;
        let widths: &[f32] = match (area.width() >= 1000.0, area.width() >= 720.0) {
            (true, _) if has_history => &[0.46, 0.3, 0.24],
            (_, true) => &[0.6, 0.4],
            _ => &[1.0],
        };
        let mut left = area.left();
        for (index, part) in widths.iter().enumerate() {
            let right = left + area.width() * part;
            if index > 0 {
                (ui.painter()).vline(left, area.y_range(), Stroke::new(1.0, theme.line));
            }
            let inset = if index > 0 { SIDE } else { 0.0 };
            let place = Rect::from_min_max(
                pos2(left + inset, area.top()),
                pos2(right - SIDE, area.bottom()),
            );
            let mut ui = ui.new_child(UiBuilder::new().max_rect(place));
            ui.set_clip_rect(place.expand(2.0));
            match index {
                0 => table::show(app, &mut ui, theme, actions),
                1 => lines::show(app, &mut self.board_textures, &mut ui, theme, actions),
                _ => history::show(app, &mut ui, theme),
            }
            left = right;
        }
    }

    /// Forgets where the trees of the last frame were.
    pub(super) fn clear_compared_canvases(&mut self) {
        self.compare.canvases = None;
    }

    /// Carries out a key of the view.
    pub(super) fn run_compare_command(
        &mut self,
        app: &mut App,
        command: CompareCommand,
        actions: &mut Vec<Action>,
    ) {
        let state = &app.compare;
        actions.push(Action::Compare(match command {
            CompareCommand::Exchange => CompareAction::Exchange,
            CompareCommand::Link => CompareAction::Link(!state.is_linked),
            CompareCommand::Play => CompareAction::Play(!state.is_playing()),
            CompareCommand::Step(by) => {
                let at = i64::from(state.iteration(0)) + i64::from(by);
                CompareAction::Scrub(0, at.clamp(1, i64::from(u32::MAX)) as u32)
            }
            CompareCommand::Fit => CompareAction::Fit,
            CompareCommand::Zoom(is_closer) => {
                let factor = if is_closer { 1.25 } else { 0.8 };
                CompareAction::Zoom(0, factor, None)
            }
        }));
    }
}

fn slider_height(app: &App) -> f32 {
    match app.compare.has_one_iteration {
        true => SLIDER_HEIGHT,
        false => SLIDER_HEIGHT + 32.0,
    }
}

fn push(actions: &mut Vec<Action>, action: CompareAction) {
    actions.push(Action::Compare(action));
}

fn show_measures(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.label(RichText::new("Colour").color(theme.dim));
    let segments: Vec<Segment<'_>> = (MEASURES.iter())
        .map(|&(_, name, about)| {
            Segment::new(format!("compare by {}", name.to_lowercase()), name, about)
        })
        .collect();
    let chosen = (MEASURES.iter()).position(|(measure, ..)| *measure == app.compare.measure);
    if let Some(index) = show_segments(ui, theme, &segments, chosen) {
        push(actions, CompareAction::Measure(MEASURES[index].0));
    }
}

fn show_children(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.label(RichText::new("Show").color(theme.dim));
    let text = |best: Option<u32>| match best {
        Some(best) => format!("best {best} children"),
        None => "all nodes".to_owned(),
    };
    let shown = app.compare.filter().max_children;
    let menu = ComboBox::from_id_salt("compared children")
        .selected_text(text(shown))
        .width(128.0)
        .show_ui(ui, |ui| {
            for count in COMPARE_CHILD_COUNTS {
                let best = (count > 0).then_some(count);
                let choice = ui.selectable_label(best == shown, text(best));
                if choice.named(&format!("compare {}", text(best))).clicked() {
                    push(actions, CompareAction::Children(best));
                }
            }
        });
    let about = "The moves with the most visits in both trees together; of the root all";
    menu.response.explained("compared children", about);
}

fn show_links(app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
    let mut is_linked = app.compare.is_linked;
    let box_ = ui.add(Checkbox::new(&mut is_linked, "Linked camera"));
    let about = hint(
        "Both trees move together",
        Command::Compare(CompareCommand::Link),
    );
    if box_.explained("link", about).changed() {
        push(actions, CompareAction::Link(is_linked));
    }
    if app.compare.iterations() > 0 {
        let mut is_one = app.compare.has_one_iteration;
        let box_ = ui.add(Checkbox::new(&mut is_one, "One iteration"));
        let about = "Both trees after as many iterations, or each by itself";
        if box_.explained("one iteration", about).changed() {
            push(actions, CompareAction::ShareIteration(is_one));
        }
    }
    let mut has_truth = app.truth_mode() != TruthMode::Off;
    let can_ask = app.truth_obstacle();
    let box_ = Checkbox::new(&mut has_truth, "Exact solver");
    let box_ = ui.add_enabled(can_ask.is_none(), box_);
    let about = can_ask.unwrap_or("What an exact solver says of the root's moves");
    if box_.explained("compare truth", about).changed() {
        let mode = match has_truth {
            true => TruthMode::Marks,
            false => TruthMode::Off,
        };
        actions.push(Action::ShowTruth(mode));
    }
    let exchange = ui.button("Exchange");
    let about = hint("A becomes B", Command::Compare(CompareCommand::Exchange));
    if exchange.explained("exchange", about).clicked() {
        push(actions, CompareAction::Exchange);
    }
}

/// What the ends of the colours mean, on the right.
fn show_scale(app: &App, ui: &mut Ui, theme: &Theme) {
    if app.compare.measure != Measure::Difference || app.compare.shown.is_none() {
        return;
    }
    let [one, other] = app.compare.names();
    let needed = 340.0 + 6.5 * (one.len() + other.len()) as f32;
    // Both ends are named, however little room there is.
    let verb = match ui.available_width() < needed {
        true => "",
        false => "more visits in ",
    };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let text = |text: String, side| RichText::new(text).small().color(side_colour(theme, side));
        ui.label(text(format!("{verb}{other}"), 1));
        let (rect, _) = ui.allocate_exact_size(vec2(128.0, 10.0), Sense::hover());
        for step in 0..64 {
            let heat = step as f32 / 63.0;
            let [red, green, blue] = EdgeColours::Diverging.rgb(theme, heat);
            let left = rect.left() + rect.width() * step as f32 / 64.0;
            let part = Rect::from_min_max(
                pos2(left, rect.top()),
                pos2(left + rect.width() / 64.0 + 0.5, rect.bottom()),
            );
            (ui.painter()).rect_filled(part, 0.0, Color32::from_rgb(red, green, blue));
        }
        (ui.painter()).vline(
            rect.center().x,
            rect.y_range().expand(2.0),
            Stroke::new(1.0, theme.text),
        );
        ui.label(text(format!("{verb}{one}"), 0));
    });
}

/// Which search a tree is of, and what it chose.
fn show_header(app: &App, side: usize, area: Rect, ui: &Ui, theme: &Theme) {
    let Some(shown) = &app.compare.shown else {
        return;
    };
    let meta = shown.sides[side].meta.as_deref();
    let line = meta.map(search_line).unwrap_or_default();
    let (name, rest) = line.split_once(", ").unwrap_or((&line, ""));
    let is_end = app.compare.iteration(side) >= app.compare.iterations_of(side);
    let count = match (is_end, meta) {
        (false, _) => u64::from(app.compare.iteration(side)),
        (true, Some(meta)) => meta.iterations,
        (true, None) => 0,
    };
    let mut facts: Vec<String> = vec![];
    if !rest.is_empty() {
        facts.push(rest.replace(" = ", " "));
    }
    if count > 0 {
        facts.push(format!("{} iterations", format_thousands(count)));
    }
    let only = shown.only_in(side);
    if only > 0 {
        facts.push(format!(
            "{} nodes here alone",
            format_thousands(only as u64)
        ));
    }
    let painter = ui.painter().with_clip_rect(area);
    let at = pos2(area.left() + SIDE, area.center().y);
    let strong = FontId::new(TITLE_SIZE, fonts::semibold());
    let title = format!("{}  {name}", LETTERS[side]);
    let drawn = painter.text(
        at,
        Align2::LEFT_CENTER,
        title,
        strong,
        side_colour(theme, side),
    );
    let at = pos2(drawn.right() + 12.0, at.y);
    let small = FontId::proportional(SMALL_SIZE);
    painter.text(at, Align2::LEFT_CENTER, facts.join(" · "), small, theme.dim);
    let chosen = shown.root_moves.iter().find(|mv| mv.is_chosen[side]);
    if let Some(mv) = chosen {
        let verb = if is_end { "chose" } else { "would choose" };
        let at = pos2(area.right() - SIDE, area.center().y);
        let font = FontId::new(BODY_SIZE, fonts::semibold());
        let text = format!("{verb} {}", mv.name);
        let (x, _) = (area.right(), ());
        if drawn.right() + 40.0 < x {
            let back = painter.layout_no_wrap(text.clone(), font.clone(), theme.text);
            let ground = Rect::from_min_max(pos2(at.x - back.size().x - 8.0, area.top()), area.max);
            painter.rect_filled(ground, 0.0, theme.canvas);
            painter.text(at, Align2::RIGHT_CENTER, text, font, theme.text);
        }
    }
}

/// Turns pointer input on a tree into actions.
fn handle_pointer(side: usize, canvas: Rect, ui: &Ui, actions: &mut Vec<Action>) {
    let scale = f64::from(ui.ctx().pixels_per_point());
    let id = ui.scope_id().with(("compared tree", side));
    let response = ui.interact(canvas, id, Sense::CLICK | Sense::DRAG);
    let place = |at: egui::Pos2| {
        let at = at - canvas.min;
        (f64::from(at.x) * scale, f64::from(at.y) * scale)
    };
    let is_dragged = response.dragged_by(PointerButton::Primary)
        || response.dragged_by(PointerButton::Secondary);
    if is_dragged {
        let by = response.drag_delta();
        let (dx, dy) = (f64::from(by.x) * scale, f64::from(by.y) * scale);
        push(actions, CompareAction::Pan(side, dx, dy));
    }
    if let Some(at) = response.hover_pos() {
        let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = f64::from((wheel * 0.005).exp() * pinch);
        if factor != 1.0 {
            push(actions, CompareAction::Zoom(side, factor, Some(place(at))));
        }
    }
    if response.clicked()
        && let Some(at) = response.interact_pointer_pos()
    {
        let (x, y) = place(at);
        push(actions, CompareAction::Click(side, x, y));
    }
    response.named(&format!("compared tree {}", LETTERS[side]));
}

/// What is said until there are two trees: why not, or how to get them. True if a file is to be chosen.
fn show_second_search(
    app: &mut App,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) -> bool {
    let mut wants_file = false;
    ui.painter().rect_filled(ui.max_rect(), 0.0, theme.canvas);
    ui.vertical_centered(|ui| {
        ui.add_space((ui.available_height() / 2.0 - 120.0).max(16.0));
        if let Some(problem) = &app.compare.problem {
            ui.label(RichText::new(problem).color(theme.bad))
                .named("compare problem");
            ui.add_space(16.0);
        } else if app.compare.is_waiting() {
            let text = match app.compare.is_searching() {
                true => "Searching…",
                false => "Reading both trees…",
            };
            ui.label(RichText::new(text).color(theme.dim))
                .named("compare waits");
            return;
        }
        ui.label(theme.title("A second search of this position"));
        ui.add_space(8.0);
        let about = "Drop a second tree here, or open one.";
        ui.label(RichText::new(about).color(theme.dim));
        ui.add_space(12.0);
        let open = ui.button("Open a second tree…");
        let about = "A tree or journal of the same position";
        wants_file = open.explained("open second", about).clicked();
        ui.add_space(24.0);
        let about = "Or search the position of the shown tree once more:";
        ui.label(RichText::new(about).color(theme.dim));
        ui.add_space(12.0);
        let width = 520.0_f32.min(ui.available_width());
        ui.allocate_ui(vec2(width, 40.0), |ui| {
            ui.horizontal(|ui| {
                let (search, iterations) = &mut app.compare.form[1];
                ui.label(RichText::new("Search").color(theme.dim));
                ui.add(TextEdit::singleline(search).desired_width(200.0))
                    .explained(
                        "second search",
                        "A search with its parameters, such as lgr2,exploration=1.41",
                    );
                ui.label(RichText::new("Iterations").color(theme.dim));
                ui.add(
                    DragValue::new(iterations)
                        .range(1..=10_000_000)
                        .speed(100.0),
                )
                .named("second iterations");
                let go = ui
                    .button("Go")
                    .explained("second go", "Search, and compare");
                if go.clicked() {
                    push(actions, CompareAction::Search { game: None });
                }
            });
        });
    });
    wants_file
}
