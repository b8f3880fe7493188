//! The line of time below the tree: how the root's moves fared, and a handle that turns the tree to any iteration.

use egui::{
    Align, Align2, Button, ComboBox, FontId, Grid, Layout, Rect, Response, RichText, Sense, Stroke,
    Ui, pos2, vec2,
};

use self::charts::{
    Chart, ChartKind, NAMED_MOVES, move_colours, moves_by_visits, share_at, value_at, value_scale,
};
use super::{display_move, explain_term, search_facts::NOT_YET, truth_marks};
use crate::{
    app::{Action, App, SPEEDS, Timeline, TruthMode},
    draw::theme::{SMALL_SIZE, Theme},
    tree::{
        model::TreeModel,
        node_value::NodeValues,
        scene::format_thousands,
        title::middle_ellipsis,
        value_text::{NO_DATA, Value, percent},
    },
    ui::{
        controls::Named as _,
        keys::{Command, hint, keys_text},
    },
    workers::replay::ReplayStatus,
};

pub(super) mod charts;

/// The colours of moves in charts.
pub(super) fn chart_colours(theme: &Theme) -> Vec<egui::Color32> {
    move_colours(theme).to_vec()
}

/// Height of the shares where there is no room for more, in points.
const COMPACT_HEIGHT: f32 = 40.0;
/// Room below a chart for the handle's knob.
const KNOB_HEIGHT: f32 = 14.0;
/// Width of the iteration's label on the right of the compact form.
const ITERATION_WIDTH: f32 = 164.0;
/// Least height of the window for both charts, and least widths of the panel for controls beside them and above them.
const MIN_WINDOW_HEIGHT: f32 = 700.0;
const MIN_WIDE_WIDTH: f32 = 480.0;
const MIN_NARROW_WIDTH: f32 = 360.0;
/// Heights of the two charts, of a caption and of the axis.
const SHARES_HEIGHT: f32 = 52.0;
const VALUES_HEIGHT: f32 = 44.0;
const CAPTION_HEIGHT: f32 = 18.0;
const AXIS_HEIGHT: f32 = 16.0;
/// Widths of the controls on the left, of the scale of values, and of the list of moves.
const CONTROLS_WIDTH: f32 = 132.0;
const SCALE_WIDTH: f32 = 44.0;
const MOVES_WIDTH: f32 = 124.0;
const MOVE_HEIGHT: f32 = 20.0;
const GAP: f32 = 12.0;
/// Upper bound of labels on the axis, and width of one.
const MAX_TICKS: u32 = 6;
const TICK_WIDTH: f32 = 96.0;

/// How the line of time is laid out.
#[derive(Clone, Copy)]
pub(super) enum TimelineForm {
    /// Controls beside both charts.
    Wide,
    /// Controls above both charts.
    Narrow,
    /// Everything in one row.
    Compact,
}

impl TimelineForm {
    /// The form for a width, in points, and for the window's height.
    pub(super) fn fitting(ui: &Ui, width: f32) -> Self {
        match width {
            _ if ui.ctx().content_rect().height() < MIN_WINDOW_HEIGHT => Self::Compact,
            MIN_WIDE_WIDTH.. => Self::Wide,
            MIN_NARROW_WIDTH.. => Self::Narrow,
            _ => Self::Compact,
        }
    }

    /// The name of its panel: each has a height of its own.
    pub(super) fn panel_name(self) -> &'static str {
        match self {
            Self::Wide => "time",
            Self::Narrow => "narrow time",
            Self::Compact => "compact time",
        }
    }
}

/// The line of time.
#[derive(Default)]
pub(super) struct TimelinePanel {
    shares: Chart,
    values: Chart,
}

/// What the charts are about.
struct Subject<'a> {
    timeline: &'a Timeline,
    replay: &'a ReplayStatus,
    model: &'a TreeModel,
    /// "Black wins", and whether that is the first player.
    owner: String,
    is_first: bool,
    /// Whether what comes after the handle is held back.
    is_held: bool,
    /// By time, what the favourite move gives away; none where that is not shown or not known.
    regret: Option<Vec<u32>>,
    theme: &'a Theme,
}

impl<'a> Subject<'a> {
    fn new(app: &'a App, theme: &'a Theme) -> Option<Self> {
        let model = app.document.model.as_deref()?;
        let values = NodeValues::new(model, app.settings.value_view);
        let owner = values.owner(0);
        let share = Value::Share {
            share: 0.5,
            visits: 1,
        };
        Some(Self {
            timeline: &app.document.timeline,
            replay: app.document.timeline.status.as_ref()?,
            model,
            owner: values.wording.subject(owner, &share)?,
            is_first: owner.index() == 0,
            is_held: app.is_answer_held(),
            regret: (app.regret_history()).filter(|_| app.truth_mode() != TruthMode::Off),
            theme,
        })
    }

    /// The last iteration, at least 1.
    fn end(&self) -> u32 {
        self.replay.iterations.max(1)
    }

    /// The place of the handle, from 0 to 1.
    fn handle(&self) -> f32 {
        (self.timeline.position() as f32 / self.end() as f32).clamp(0.0, 1.0)
    }

    /// The sample nearest to a part of the time.
    fn time_at(&self, part: f32) -> usize {
        let last = self.replay.shares.visits.len().saturating_sub(1);
        (part * last as f32).round() as usize
    }

    /// How many samples are shown: all, or those up to the handle.
    fn shown_times(&self) -> usize {
        let last = self.replay.shares.visits.len().saturating_sub(1);
        match self.is_held {
            true => (self.handle() * last as f32) as usize + 1,
            false => last + 1,
        }
    }

    /// The moves, the most visited of what is shown first.
    fn ordered_moves(&self) -> Vec<usize> {
        moves_by_visits(&self.replay.shares, self.shown_times())
    }

    /// A move of the root as people read it.
    fn move_name(&self, mv: usize) -> String {
        let Some(text) = self.replay.shares.moves.get(mv) else {
            return String::new();
        };
        let mut children = self.model.children_of(0);
        let shown = children.find(|&node| self.model.move_text(node) == *text);
        match shown {
            Some(node) => display_move(&self.model.reading(node)),
            None => display_move(text),
        }
    }
}

impl TimelinePanel {
    /// Shows it.
    pub(super) fn show(
        &mut self,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let Some(subject) = Subject::new(app, theme) else {
            return;
        };
        match TimelineForm::fitting(ui, ui.available_width()) {
            TimelineForm::Wide => self.show_wide(&subject, ui, actions),
            TimelineForm::Narrow => self.show_narrow(&subject, ui, actions),
            TimelineForm::Compact => self.show_compact(&subject, ui, actions),
        }
    }

    /// One row: buttons, the shares, the iteration.
    fn show_compact(&mut self, subject: &Subject<'_>, ui: &mut Ui, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            show_step_buttons(subject.timeline, ui, actions);
            show_speed(subject.timeline, 76.0, ui, actions);
            ui.add_space(4.0);
            let width = (ui.available_width() - ITERATION_WIDTH).max(40.0);
            let size = vec2(width, COMPACT_HEIGHT + KNOB_HEIGHT);
            let (rect, response) = ui.allocate_exact_size(size, Sense::CLICK | Sense::DRAG);
            let corner = rect.min + vec2(0.0, 4.0);
            let area = Rect::from_min_size(corner, vec2(width, COMPACT_HEIGHT));
            self.draw_shares(subject, area, ui);
            draw_handle(area, subject, ui);
            scrub(response, area, subject, ui, actions);
            ui.vertical(|ui| {
                show_iteration(subject, ui);
                show_state(subject, ui, actions);
            });
        });
    }

    /// The controls on the left, both charts on one axis, and the moves on the right.
    fn show_wide(&mut self, subject: &Subject<'_>, ui: &mut Ui, actions: &mut Vec<Action>) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 8.0;
            ui.vertical(|ui| {
                ui.set_width(CONTROLS_WIDTH);
                ui.add_space(CAPTION_HEIGHT);
                ui.horizontal(|ui| show_step_buttons(subject.timeline, ui, actions));
                show_speed(subject.timeline, CONTROLS_WIDTH - 16.0, ui, actions);
                ui.add_space(4.0);
                ui.spacing_mut().item_spacing.y = 2.0;
                ui.spacing_mut().interact_size.y = MOVE_HEIGHT;
                show_iteration(subject, ui);
                show_state(subject, ui, actions);
            });
            self.show_charts(subject, ui, actions);
        });
    }

    /// The controls above both charts and the moves.
    fn show_narrow(&mut self, subject: &Subject<'_>, ui: &mut Ui, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            show_step_buttons(subject.timeline, ui, actions);
            show_speed(subject.timeline, 76.0, ui, actions);
            show_iteration(subject, ui);
            show_state(subject, ui, actions);
        });
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 8.0;
            self.show_charts(subject, ui, actions);
        });
    }

    /// Both charts on one axis, and the moves on the right.
    fn show_charts(&mut self, subject: &Subject<'_>, ui: &mut Ui, actions: &mut Vec<Action>) {
        let theme = subject.theme;
        let width = ui.available_width() - MOVES_WIDTH - GAP;
        let height = 2.0 * CAPTION_HEIGHT + SHARES_HEIGHT + VALUES_HEIGHT + AXIS_HEIGHT;
        let size = vec2(width.max(80.0), height + 4.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::CLICK | Sense::DRAG);
        let left = rect.left() + SCALE_WIDTH;
        let area = |top: f32, height: f32| {
            Rect::from_min_max(pos2(left, top), pos2(rect.right(), top + height))
        };
        let shares = area(rect.top() + CAPTION_HEIGHT, SHARES_HEIGHT);
        let values = area(shares.bottom() + CAPTION_HEIGHT, VALUES_HEIGHT);
        show_caption(shares, "Share of visits", "Share of visits", ui, theme);
        let text = format!("{}, by move", subject.owner);
        show_caption(values, &text, &subject.owner, ui, theme);
        self.draw_shares(subject, shares, ui);
        let history = (&subject.replay.shares, subject.shown_times());
        let kind = ChartKind::Values;
        (self.values).draw(kind, history, subject.is_first, values, ui, theme);
        draw_scale(values, subject, ui);
        draw_axis(values, subject, ui);
        if let Some(regret) = &subject.regret {
            let times = (regret.as_slice(), subject.shown_times());
            truth_marks::draw_regret(times, shares, ui.painter(), theme);
        }
        let both = shares.union(values);
        draw_handle(both, subject, ui);
        scrub(response, both, subject, ui, actions);
        ui.add_space(GAP - 8.0);
        ui.vertical(|ui| show_moves(subject, ui));
    }

    fn draw_shares(&mut self, subject: &Subject<'_>, area: Rect, ui: &Ui) {
        let history = (&subject.replay.shares, subject.shown_times());
        let kind = ChartKind::Shares;
        (self.shares).draw(kind, history, subject.is_first, area, ui, subject.theme);
    }
}

/// What stands over a chart, and the term that explains it.
fn show_caption(chart: Rect, text: &str, term: &str, ui: &Ui, theme: &Theme) {
    let at = pos2(chart.left(), chart.top() - 3.0);
    let font = FontId::proportional(SMALL_SIZE);
    let written = (ui.painter()).text(at, Align2::LEFT_BOTTOM, text, font, theme.dim);
    let id = ui.scope_id().with(("caption", term));
    explain_term(ui.interact(written, id, Sense::hover()), term);
}

/// Turns the tree to where the charts are clicked or dragged, and says what stands under the pointer.
fn scrub(
    response: Response,
    area: Rect,
    subject: &Subject<'_>,
    ui: &Ui,
    actions: &mut Vec<Action>,
) {
    let response = response.named("timeline");
    let part = |x: f32| ((x - area.left()) / area.width()).clamp(0.0, 1.0);
    if let Some(at) = response.interact_pointer_pos() {
        let to = (f64::from(part(at.x)) * f64::from(subject.end())).round() as u32;
        let moving = response.dragged() && !response.drag_stopped();
        if moving || response.clicked() || response.drag_stopped() {
            actions.push(Action::Scrub { to, moving });
        }
    }
    if let Some(at) = response.hover_pos() {
        let part = part(at.x);
        let x = area.left() + area.width() * part;
        let line = Stroke::new(1.0, subject.theme.dim);
        ui.painter().vline(x, area.y_range(), line);
        response.on_hover_ui_at_pointer(|ui| show_moves_at(subject, part, ui));
    }
}

/// Lets the tree grow, and steps.
fn show_step_buttons(timeline: &Timeline, ui: &mut Ui, actions: &mut Vec<Action>) {
    let (text, about) = match timeline.is_playing() {
        true => ("⏸", "Pause"),
        false => ("▶", "Let the tree grow"),
    };
    let play = ui.add(Button::new(text).min_size(vec2(32.0, 28.0)));
    let play = play.explained("play", hint(about, Command::PlayReplay));
    if play.clicked() {
        actions.push(Action::Play(!timeline.is_playing()));
    }
    let at = timeline.position();
    let about = format!(
        "{}; 100 with {}",
        hint("One iteration back", Command::PreviousIteration),
        keys_text(Command::HundredBack)
    );
    let back = ui.add_enabled(at > 0, Button::new("‹1").min_size(vec2(28.0, 28.0)));
    if back.explained("iteration back", about).clicked() {
        actions.push(Action::StepIteration(-1));
    }
    let about = format!(
        "{}; 100 with {}",
        hint("One iteration on", Command::NextIteration),
        keys_text(Command::HundredOn)
    );
    let has_more = at < timeline.iterations();
    let on = ui.add_enabled(has_more, Button::new("1›").min_size(vec2(28.0, 28.0)));
    if on.explained("iteration on", about).clicked() {
        actions.push(Action::StepIteration(1));
    }
}

/// The choice of how fast the tree grows.
fn show_speed(timeline: &Timeline, width: f32, ui: &mut Ui, actions: &mut Vec<Action>) {
    let speed = timeline.speed();
    let list = ComboBox::from_id_salt("speed")
        .width(width)
        .selected_text(format!("{} / s", format_thousands(speed.into())))
        .show_ui(ui, |ui| {
            for choice in SPEEDS {
                let text = format!("{} iterations a second", format_thousands(choice.into()));
                if ui.selectable_label(choice == speed, text).clicked() {
                    actions.push(Action::Speed(choice));
                }
            }
        });
    list.response.explained("speed", "How fast the tree grows");
}

fn draw_handle(area: Rect, subject: &Subject<'_>, ui: &Ui) {
    let x = area.left() + area.width() * subject.handle();
    let painter = ui.painter();
    let stroke = Stroke::new(2.0, subject.theme.text);
    painter.vline(x, area.top() - 4.0..=area.bottom() + 4.0, stroke);
    painter.circle_filled(pos2(x, area.bottom() + 6.0), 4.5, subject.theme.text);
}

/// The ends of the scale of values.
fn draw_scale(area: Rect, subject: &Subject<'_>, ui: &Ui) {
    let Some(scale) = value_scale(
        &subject.replay.shares,
        subject.shown_times(),
        subject.is_first,
    ) else {
        return;
    };
    for (value, y, align) in [
        (*scale.end(), area.top() - 2.0, Align2::RIGHT_TOP),
        (*scale.start(), area.bottom() + 2.0, Align2::RIGHT_BOTTOM),
    ] {
        let text = percent(value.into(), 0);
        let font = FontId::proportional(SMALL_SIZE);
        let at = pos2(area.left() - 8.0, y);
        (ui.painter()).text(at, align, text, font, subject.theme.dim);
    }
}

/// The distance between labels of an axis with so much room for them: 1, 2 or 5 times a power of ten.
fn tick_step(end: u32, ticks: u32) -> u64 {
    let least = u64::from(end).div_ceil(u64::from(ticks.max(1))).max(1);
    let power = 10_u64.pow(least.ilog10());
    let steps = [1, 2, 5, 10].map(|factor| factor * power);
    steps
        .into_iter()
        .find(|&step| step >= least)
        .unwrap_or(least)
}

/// Iterations below the charts.
fn draw_axis(area: Rect, subject: &Subject<'_>, ui: &Ui) {
    let end = subject.end();
    let ticks = ((area.width() / TICK_WIDTH) as u32).clamp(1, MAX_TICKS);
    let step = tick_step(end, ticks);
    for iteration in (0..=u64::from(end)).step_by(step as usize) {
        let x = area.left() + area.width() * (iteration as f64 / f64::from(end)) as f32;
        let align = match iteration {
            0 => Align2::LEFT_TOP,
            _ if x + TICK_WIDTH / 3.0 > area.right() => Align2::RIGHT_TOP,
            _ => Align2::CENTER_TOP,
        };
        let text = format_thousands(iteration);
        let font = FontId::proportional(SMALL_SIZE);
        let at = pos2(x, area.bottom() + 3.0);
        (ui.painter()).text(at, align, text, font, subject.theme.dim);
    }
}

/// The current iteration.
fn show_iteration(subject: &Subject<'_>, ui: &mut Ui) {
    let at = subject.timeline.shown_iteration;
    let at = at.unwrap_or(subject.replay.iterations);
    let text = format!("iteration {}", format_thousands(at.into()));
    explain_term(ui.label(subject.theme.strong(text)), "Iteration");
}

/// Whether the journal grows, is read or has ended, and the way to its end.
fn show_state(subject: &Subject<'_>, ui: &mut Ui, actions: &mut Vec<Action>) {
    let (timeline, replay, theme) = (subject.timeline, subject.replay, subject.theme);
    if let Some((read, there)) = replay.progress {
        let percent = 100 * read / there.max(1);
        let text = RichText::new(format!("indexing {percent} %")).color(theme.warm);
        let about = "The journal is read; the part up to here can be looked at already";
        ui.label(text.small()).on_hover_text(about);
        return;
    }
    if let Some(why) = &replay.stop_reason {
        let text = RichText::new("memory is used up").color(theme.bad);
        ui.label(text.small()).on_hover_text(why);
        return;
    }
    let total = format_thousands(replay.iterations.into());
    let (text, about) = match replay.ended {
        None => (format!("● live, {total}"), "Show the newest"),
        Some(true) => (
            "journal ends early".to_owned(),
            "The journal has a limit; the search went on. Show the tree of the file",
        ),
        Some(false) => (format!("of {total}"), "Show the end"),
    };
    let colour = if replay.ended.is_none() && timeline.target.is_none() {
        theme.good
    } else {
        theme.dim
    };
    let end = ui.add(Button::new(RichText::new(text).color(colour).small()).frame(false));
    let end = end.explained("end", hint(about, Command::ShowEnd));
    if end.clicked() {
        actions.push(Action::ShowEnd);
    }
}

/// The square of a colour before a move.
fn show_colour(place: usize, subject: &Subject<'_>, ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
    let colour = move_colours(subject.theme)[place.min(NAMED_MOVES)];
    ui.painter().rect_filled(rect, 2.0, colour);
}

/// The moves with their colours and their shares at the handle.
fn show_moves(subject: &Subject<'_>, ui: &mut Ui) {
    let history = &subject.replay.shares;
    let time = (subject.time_at(subject.handle())).min(subject.shown_times() - 1);
    let order = subject.ordered_moves();
    let share = |mv: &usize| share_at(history, time, *mv);
    let (named, others) = order.split_at(order.len().min(NAMED_MOVES));
    let mut rows: Vec<(String, f64)> = (named.iter())
        .map(|mv| (subject.move_name(*mv), share(mv)))
        .collect();
    if !others.is_empty() {
        let text = match others.len() {
            1 => "1 other".to_owned(),
            count => format!("{} others", format_thousands(count as u64)),
        };
        rows.push((text, others.iter().map(share).sum()));
    }
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.spacing_mut().interact_size.y = MOVE_HEIGHT;
    ui.add_space(CAPTION_HEIGHT - 4.0);
    for (place, (name, share)) in rows.into_iter().enumerate() {
        let row = ui.horizontal(|ui| {
            show_colour(place, subject, ui);
            let name = middle_ellipsis(&name, 9);
            ui.label(name);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(format!("{:.1} %", 100.0 * share));
            });
        });
        explain_term(row.response, "Share of visits");
    }
}

/// How the moves stood at a time: their shares and their values.
fn show_moves_at(subject: &Subject<'_>, part: f32, ui: &mut Ui) {
    let (replay, theme) = (subject.replay, subject.theme);
    let iteration = (f64::from(part) * f64::from(replay.iterations)).round() as u64;
    let title = format!("Iteration {}", format_thousands(iteration));
    ui.label(theme.strong(title));
    if subject.is_held && part > subject.handle() {
        ui.label(RichText::new(NOT_YET).color(theme.dim));
        return;
    }
    let history = &replay.shares;
    let time = subject.time_at(part).min(subject.shown_times() - 1);
    Grid::new("moves at a time")
        .num_columns(4)
        .spacing(vec2(10.0, 2.0))
        .show(ui, |ui| {
            for text in ["", "move", "visits", subject.owner.as_str()] {
                ui.label(RichText::new(text).color(theme.dim).small());
            }
            ui.end_row();
            let order = subject.ordered_moves();
            for (place, &mv) in order.iter().enumerate().take(NAMED_MOVES) {
                show_colour(place, subject, ui);
                ui.label(subject.move_name(mv));
                let share = 100.0 * share_at(history, time, mv);
                ui.label(format!("{share:.1} %"));
                let visits = history.visits.get(time).and_then(|all| all.get(mv));
                let value = value_at(history, time, mv, subject.is_first);
                let text = value.map(|value| {
                    let visits = visits.copied().unwrap_or(0);
                    percent(value.into(), visits.into())
                });
                ui.label(text.unwrap_or_else(|| NO_DATA.to_owned()));
                ui.end_row();
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_round_numbers_and_no_more_of_them_than_fit() {
        assert_eq!(tick_step(1_500_000, 4), 500_000);
        assert_eq!(tick_step(2000, 4), 500);
        assert_eq!(tick_step(3, 4), 1);
        assert_eq!(tick_step(u32::MAX, 1), 5_000_000_000);
        for end in [1, 7, 99, 1234, 87_654_321] {
            for ticks in 1..=6 {
                let step = tick_step(end, ticks);
                assert!(
                    u64::from(end) / step <= u64::from(ticks),
                    "{end} {ticks} {step}"
                );
            }
        }
    }
}
