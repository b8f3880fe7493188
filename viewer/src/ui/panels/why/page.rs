//! The text of the view Why: the question, the verdict, the sentences, two boards, all moves.

use canopy_engine::explain::{
    Bound, MoveFacts, MoveValue, Phrase, ValueClass,
    truth::{Judgement, Verdict},
};
use egui::{
    Align, Align2, Color32, ComboBox, FontFamily, FontId, Frame, Label, Layout, Painter, Pos2,
    Rect, RichText, Sense, Slider, Stroke, StrokeKind, TextFormat, Ui, pos2, text::LayoutJob, vec2,
};

use super::super::{explain_term, show_heading, timeline::charts::move_colours, truth_marks};
use crate::{
    app::{Action, App, RootMove, TruthMode, WhyAction, WhyPage},
    board::{Board, BoardTextures, Marks, PositionInfo},
    draw::{
        fonts,
        theme::{SMALL_SIZE, Theme},
    },
    tree::{
        exact_words::judgement_text, scene::format_thousands, title::middle_ellipsis,
        value_text::percent,
    },
    ui::{
        controls::{self, Named as _},
        keys::{Command, hint},
    },
};

/// Size of the question and of the sentences, in points.
const QUESTION_SIZE: f32 = 20.0;
const SENTENCE_SIZE: f32 = 14.0;
/// Room for the words that say who is to move.
const TURN_WIDTH: f32 = 110.0;
/// Width of the number before a sentence.
const NUMBER_WIDTH: f32 = 32.0;
/// Widest board.
const MAX_BOARD_WIDTH: f32 = 250.0;
/// Letters of a move.
const MAX_MOVE_CHARS: usize = 12;
/// Size of a card of a move.
const CARD_SIZE: [f32; 2] = [76.0, 66.0];
/// Width of one that tells the nodes of a classical search.
const WIDE_CARD: f32 = 104.0;

/// Shows it.
pub(super) fn show(
    textures: &mut BoardTextures,
    app: &App,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let Some(Ok(page)) = app.why.page() else {
        return;
    };
    show_question(page, ui, theme, actions);
    ui.add_space(12.0);
    if let Some(verdict) = &page.verdict {
        let class = app.root_truth(&page.explanation.moves[0].name);
        show_verdict(verdict, class.map(|(class, _)| class), ui, theme);
        ui.add_space(12.0);
    }
    for (index, sentence) in page.sentences.iter().enumerate() {
        show_sentence(index + 1, sentence, ui, theme);
        ui.add_space(8.0);
    }
    if let Some(found) = app.found_best_after().filter(|_| page.verdict.is_some()) {
        let text = match found {
            Some(iteration) => {
                let iteration = format_thousands(iteration.into());
                format!("This search found the best result after about {iteration} iterations.")
            }
            None => "This search did not find the best result.".to_owned(),
        };
        ui.label(RichText::new(text).color(theme.dim))
            .named("found best");
        ui.add_space(8.0);
    }
    show_truth_question(app, page, ui, theme, actions);
    ui.separator();
    show_heading(ui, theme, "What it expects, step by step");
    ui.add_space(4.0);
    show_boards(textures, app, page, ui, theme);
    show_steps(app, ui, theme, actions);
    ui.add_space(8.0);
    ui.separator();
    show_heading(ui, theme, "All moves, the best first");
    ui.add_space(4.0);
    show_cards(app, page, ui, theme, actions);
}

/// Offers to ask the exact solver, or says what came of it, while there is no verdict.
fn show_truth_question(
    app: &App,
    page: &WhyPage,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    if page.verdict.is_some() || app.truth_obstacle().is_some() {
        return;
    }
    let told = match (app.truth_mode(), app.truth_waiting()) {
        (TruthMode::Off, _) if app.is_truth_chosen() => return,
        (TruthMode::Off, _) => {
            let button = ui.button("Is that right? Ask the exact solver");
            let about = hint("At most two seconds a position", Command::Truth);
            if button.explained("ask solver", about).clicked() {
                actions.push(Action::ShowTruth(TruthMode::Regret));
            }
            ui.add_space(8.0);
            return;
        }
        (_, 0) => "Not solved: the exact solver did not finish in two seconds.",
        _ => "The exact solver is at work.",
    };
    ui.label(RichText::new(told).color(theme.dim)).named(told);
    ui.add_space(8.0);
}

fn short(text: &str) -> String {
    middle_ellipsis(text, MAX_MOVE_CHARS)
}

/// "Why [4] and not [5]?", and who is to move.
fn show_question(page: &WhyPage, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        let title = |text: &str| Label::new(theme.semibold(text, QUESTION_SIZE)).selectable(false);
        ui.add(title("Why"));
        show_choice(page, 0, ui, actions);
        ui.add(title("and not"));
        show_choice(page, 1, ui, actions);
        ui.add(title("?"));
        let turn = format!("{} to move", page.owner_name);
        let turn = RichText::new(turn).color(theme.dim);
        // Beside the question where there is room, else below it.
        if ui.available_size_before_wrap().x > TURN_WIDTH {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                explain_term(ui.label(turn), "Player to move");
            });
        } else {
            ui.end_row();
            explain_term(ui.label(turn), "Player to move");
        }
    });
}

/// The choice of the first or the second move.
fn show_choice(page: &WhyPage, place: usize, ui: &mut Ui, actions: &mut Vec<Action>) {
    let now = &page.explanation.moves[place.min(1)];
    let name = ["why move", "not move"][place.min(1)];
    let shown = ComboBox::from_id_salt(name)
        .width(64.0)
        .selected_text(short(&now.text))
        .show_ui(ui, |ui| {
            for one in &page.moves {
                let item = ui.selectable_label(one.row == now.row, short(&one.text));
                if item.named(&format!("{name} {}", one.text)).clicked() {
                    actions.push(Action::Why(WhyAction::Choose(place, one.row)));
                }
            }
        });
    let about = [
        "The move that is asked about",
        "The move that it is compared with",
    ];
    shown.response.explained(name, about[place.min(1)]);
}

/// The card with what exact values say.
fn show_verdict(verdict: &Verdict, class: Option<ValueClass>, ui: &mut Ui, theme: &Theme) {
    let line = match verdict.judgement {
        Judgement::Loses(_) => theme.bad,
        _ => theme.line,
    };
    let card = Frame::new()
        .fill(theme.card)
        .stroke(Stroke::new(1.0, line))
        .corner_radius(8)
        .inner_margin(12);
    let shown = card.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_top(|ui| {
            let (place, _) = ui.allocate_exact_size(vec2(28.0, 28.0), Sense::hover());
            if let Some(class) = class {
                truth_marks::draw_class(ui.painter(), place.center(), 11.0, class, theme);
            }
            ui.vertical(|ui| {
                ui.add(Label::new(theme.title(&verdict.title)).wrap());
                let detail = RichText::new(&verdict.detail).color(theme.dim);
                ui.add(Label::new(detail.size(SMALL_SIZE)).wrap());
            });
        });
    });
    controls::register(ui.ctx(), "verdict", shown.response.rect);
}

/// A sentence with its number in a disc.
fn show_sentence(number: usize, sentence: &[Phrase], ui: &mut Ui, theme: &Theme) {
    let mut job = LayoutJob::default();
    for Phrase { text, is_strong } in sentence {
        let family = match is_strong {
            true => fonts::semibold(),
            false => FontFamily::Proportional,
        };
        let format = TextFormat {
            font_id: FontId::new(SENTENCE_SIZE, family),
            color: theme.text,
            line_height: Some(20.0),
            ..TextFormat::default()
        };
        job.append(text, 0.0, format);
    }
    let shown = ui.horizontal_top(|ui| {
        let (place, _) = ui.allocate_exact_size(vec2(NUMBER_WIDTH - 8.0, 20.0), Sense::hover());
        let at = pos2(place.left() + 10.0, place.center().y);
        let painter = ui.painter();
        painter.circle_filled(at, 10.0, theme.raised);
        write_number(number, at, SMALL_SIZE, painter, theme);
        ui.add(Label::new(job).wrap());
    });
    controls::register(ui.ctx(), &format!("sentence {number}"), shown.response.rect);
}

/// The two expected lines on boards.
fn show_boards(
    textures: &mut BoardTextures,
    app: &App,
    page: &WhyPage,
    ui: &mut Ui,
    theme: &Theme,
) {
    let gap = 24.0;
    let width = ((ui.available_width() - gap) / 2.0).min(MAX_BOARD_WIDTH);
    let (step, _) = app.why.steps();
    let colours = move_colours(theme);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        for (place, one) in page.explanation.moves.iter().enumerate() {
            let down = Layout::top_down(Align::Min);
            ui.allocate_ui_with_layout(vec2(width, 0.0), down, |ui| {
                ui.set_width(width);
                ui.spacing_mut().item_spacing.x = 4.0;
                let colour = colours[[0, 2][place.min(1)]];
                show_line_title(app, one, page, colour, ui, theme);
                show_line_board(textures, app, one, (step, width), ui, theme);
                ui.add_space(4.0);
                show_line_moves(one, step, ui, theme);
            });
        }
    });
}

/// "If 4", and what it is worth.
fn show_line_title(
    app: &App,
    one: &MoveFacts,
    page: &WhyPage,
    colour: Color32,
    ui: &mut Ui,
    theme: &Theme,
) {
    ui.horizontal(|ui| {
        if let Some((class, _)) = app.root_truth(&one.name) {
            let (place, _) = ui.allocate_exact_size(vec2(18.0, 18.0), Sense::hover());
            truth_marks::draw_class(ui.painter(), place.center(), 8.0, class, theme);
        } else {
            let (place, _) = ui.allocate_exact_size(vec2(10.0, 18.0), Sense::hover());
            ui.painter().circle_filled(place.center(), 4.0, colour);
        }
        ui.label(theme.strong(format!("If {}", short(&one.text))));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let known = page.moves.iter().find(|known| known.row == one.row);
            let value = known.map_or("", |known| known.value_text.as_str());
            ui.add(Label::new(RichText::new(value).color(theme.dim)).truncate());
        });
    });
}

/// An evaluation for the side to move: "+3", "≤ +1", "even".
fn points_text(points: f64, bound: Bound) -> String {
    if bound == Bound::Exact && points.abs() < 0.05 {
        return "even".to_owned();
    }
    let sign = bound.symbol();
    let decimals = usize::from((points * 10.0).round() % 10.0 != 0.0);
    format!("{sign}{points:+.decimals$}").replace('-', "−")
}

/// The position after some moves of a line, with the moves numbered.
fn show_line_board(
    textures: &mut BoardTextures,
    app: &App,
    one: &MoveFacts,
    (step, width): (usize, f32),
    ui: &mut Ui,
    theme: &Theme,
) {
    let Some(meta) = app
        .document
        .model
        .as_ref()
        .and_then(|model| model.meta.clone())
    else {
        return;
    };
    let shown = step.min(one.line.len());
    let after = |moves: usize| Board::after_moves(&meta.game, &meta.position, &one.line[..moves]);
    let Ok(position) = after(shown) else {
        ui.label(RichText::new("The position cannot be shown.").color(theme.dim));
        return;
    };
    let marks = Marks {
        last_move: position.last_move.clone(),
        checked_king: position.checked_king,
        shows_coordinates: app.settings.coordinates,
        ..Marks::default()
    };
    let board = textures.show(ui, &position.board, &marks, (width, Sense::hover()), theme);
    let numbered: Vec<(usize, PositionInfo)> = (1..=shown)
        .filter_map(|number| Some((number, after(number).ok()?)))
        .collect();
    for (number, position) in &numbered {
        let place = (position.last_move.as_ref()).and_then(|last| last.places.last().copied());
        if let Some(rect) = place.and_then(|place| board.place_rect(place)) {
            draw_number(*number, rect, ui, theme);
        }
    }
}

/// The number of a move in the corner of its place.
fn draw_number(number: usize, place: Rect, ui: &Ui, theme: &Theme) {
    let radius = (place.width() * 0.26).clamp(6.0, 9.0);
    let at = place.right_top() + vec2(-radius * 0.8, radius * 0.8);
    let painter = ui.painter();
    painter.circle(at, radius, theme.panel, Stroke::new(1.0, theme.dim));
    write_number(number, at, radius * 1.35, painter, theme);
}

/// A number in the middle of its circle.
fn write_number(number: usize, at: Pos2, size: f32, painter: &Painter, theme: &Theme) {
    let font = FontId::new(size, fonts::semibold());
    let number = number.to_string();
    painter.text(at, Align2::CENTER_CENTER, number, font, theme.text);
}

/// The moves of a line; those that are not made yet are dim.
fn show_line_moves(one: &MoveFacts, step: usize, ui: &mut Ui, theme: &Theme) {
    let mut job = LayoutJob::default();
    for (index, text) in one.line_texts.iter().take(step.max(8)).enumerate() {
        let colour = if index < step { theme.cool } else { theme.dim };
        let family = match index + 1 == step {
            true => fonts::semibold(),
            false => FontFamily::Proportional,
        };
        let gap = if index > 0 { 6.0 } else { 0.0 };
        let text = canopy_engine::games::notation::escape_invisible(text);
        let font = FontId::new(SMALL_SIZE, family);
        job.append(&text, gap, TextFormat::simple(font, colour));
    }
    ui.add(Label::new(job).wrap());
}

/// The slider that steps through both lines.
fn show_steps(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let (step, longest) = app.why.steps();
    if longest == 0 {
        return;
    }
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Step").color(theme.dim));
        ui.spacing_mut().slider_width = (ui.available_width() - 90.0).clamp(60.0, 240.0);
        let mut to = step;
        let slider = Slider::new(&mut to, 0..=longest).show_value(false);
        let slider = ui.add(slider);
        slider.explained("line step", "Moves of both lines on the boards (↑ ↓)");
        ui.label(theme.strong(format!("{step} of {longest}")));
        if to != step {
            actions.push(Action::Why(WhyAction::ShowStep(to)));
        }
    });
}

/// A card for every move of the root; a click asks about it.
fn show_cards(app: &App, page: &WhyPage, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(8.0, 8.0);
        for one in &page.moves {
            let [narrow, height] = CARD_SIZE;
            let width = if page.is_classical { WIDE_CARD } else { narrow };
            let (place, response) = ui.allocate_exact_size(vec2(width, height), Sense::click());
            draw_card(app, page, one, place, response.hovered(), ui, theme);
            if response.has_focus() {
                ui.painter()
                    .rect_stroke(place, 8.0, theme.focus_stroke(), StrokeKind::Inside);
            }
            let about = match app.root_truth(&one.name) {
                Some((_, Some(judgement))) => format!(
                    "Why not {}? Exact solver: {}.",
                    one.text,
                    judgement_text(judgement)
                ),
                _ => format!("Why not {}?", one.text),
            };
            let is_first = page.explanation.moves[0].row == one.row;
            let response = response.explained(&format!("why card {}", one.text), about);
            if response.clicked() && !is_first {
                actions.push(Action::Why(WhyAction::Choose(1, one.row)));
            }
        }
    });
}

fn draw_card(
    app: &App,
    page: &WhyPage,
    one: &RootMove,
    place: Rect,
    is_hovered: bool,
    ui: &Ui,
    theme: &Theme,
) {
    let colours = move_colours(theme);
    let asked = page
        .explanation
        .moves
        .iter()
        .position(|asked| asked.row == one.row);
    let line = asked.map_or(theme.line, |place| colours[[0, 2][place.min(1)]]);
    let fill = if is_hovered { theme.raised } else { theme.card };
    let painter = ui.painter();
    painter.rect(place, 8.0, fill, Stroke::new(1.0, line), StrokeKind::Inside);
    let left = place.left() + 8.0;
    let text = |at: Pos2, text: String, font: FontId, colour: Color32| {
        painter.text(at, Align2::LEFT_TOP, text, font, colour);
    };
    let name = middle_ellipsis(&one.text, 6);
    let bold = FontId::new(SENTENCE_SIZE, fonts::semibold());
    text(pos2(left, place.top() + 6.0), name, bold, theme.text);
    let visits = page.explanation.moves[0].of;
    let small = FontId::proportional(SMALL_SIZE);
    let share = match page.is_classical {
        true => format!("{} nodes", format_thousands(one.visits)),
        false => percent(one.share, visits),
    };
    text(
        pos2(left, place.top() + 27.0),
        share,
        small.clone(),
        theme.text,
    );
    let value = match one.value {
        MoveValue::Unknown => "–".to_owned(),
        MoveValue::Share { share, .. } => format!("wins {}", percent(share, 0)),
        MoveValue::Points { points, bound } => points_text(points, bound),
        MoveValue::Proven(None) => "draw".to_owned(),
        MoveValue::Proven(Some(winner)) if winner == page.owner => "win".to_owned(),
        MoveValue::Proven(Some(_)) => "loss".to_owned(),
    };
    text(pos2(left, place.top() + 44.0), value, small, theme.dim);
    if let Some((class, _)) = app.root_truth(&one.name) {
        let at = pos2(place.right() - 14.0, place.top() + 14.0);
        truth_marks::draw_class(painter, at, 7.0, class, theme);
    }
}
