//! Where the lines that both searches expect part, on a board.

use egui::{FontId, RichText, Sense, Stroke, StrokeKind, Ui, vec2};

use super::{LETTERS, side_colour};
use crate::{
    app::{Action, App, CompareAction, TruthMode},
    board::{Board, BoardTextures, Marks},
    draw::{
        fonts,
        theme::{BODY_SIZE, SMALL_SIZE, Theme},
    },
    tree::{
        comparison::{ComparedMove, Comparison},
        exact_words::{ComparedChoice, compare_choices},
    },
    ui::{
        controls::Named as _,
        keys::{Command, hint},
    },
};

/// Moves of a line that are shown.
const SHOWN_MOVES: usize = 8;
const BOARD_WIDTH: f32 = 150.0;

/// Shows the board at the point where the lines part, and both lines.
pub(super) fn show(
    app: &App,
    textures: &mut BoardTextures,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let Some(shown) = &app.compare.shown else {
        return;
    };
    ui.label(theme.heading("Where the expected lines part"));
    ui.add_space(8.0);
    let common = shown.common_moves();
    ui.horizontal_top(|ui| {
        show_board(shown, common, textures, ui, theme);
        ui.add_space(8.0);
        ui.vertical(|ui| {
            let text = RichText::new(parting_text(shown, common)).family(fonts::semibold());
            ui.label(text).named("lines part");
            ui.add_space(8.0);
            for side in 0..2 {
                show_line(shown, side, common, ui, theme);
                ui.add_space(6.0);
            }
            ui.add_space(4.0);
            for sentence in sentences(app, shown) {
                ui.label(RichText::new(&sentence).size(BODY_SIZE))
                    .named(&format!("compared: {sentence}"));
                ui.add_space(4.0);
            }
            show_questions(app, shown, ui, actions);
        });
    });
}

/// Asks the exact solver, and leads to the view Why of either search.
fn show_questions(app: &App, shown: &Comparison, ui: &mut Ui, actions: &mut Vec<Action>) {
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        if app.truth_mode() == TruthMode::Off && app.truth_obstacle().is_none() {
            let button = ui.button("Which is right?");
            let about = hint(
                "Asks an exact solver, for two seconds at most",
                Command::Truth,
            );
            if button.explained("compare ask solver", about).clicked() {
                actions.push(Action::ShowTruth(TruthMode::Marks));
            }
        }
        for (side, letter) in LETTERS.into_iter().enumerate() {
            let Some(mv) = shown.root_moves.iter().find(|mv| mv.is_chosen[side]) else {
                continue;
            };
            let button = ui.button(format!("Why {} in {letter}?", mv.name));
            let about = "Why this search prefers its move, in sentences; 4 leads back here";
            let button = button.explained(&format!("compare why {letter}"), about);
            if button.clicked() {
                actions.push(Action::Compare(CompareAction::Why(side)));
            }
        }
    });
}

/// Where the lines part, in words.
fn parting_text(shown: &Comparison, common: usize) -> String {
    let ends = shown.lines.iter().any(|line| line.len() == common);
    match (common, ends) {
        (_, true) if common > 0 => "the shorter line is the beginning of the longer".to_owned(),
        (0, _) => "already at the first move".to_owned(),
        (1, _) => "after one common move".to_owned(),
        (count, _) => format!("after {count} common moves"),
    }
}

fn show_board(
    shown: &Comparison,
    common: usize,
    textures: &mut BoardTextures,
    ui: &mut Ui,
    theme: &Theme,
) {
    let Some(meta) = shown.sides[0].meta.as_deref() else {
        return;
    };
    let moves = &shown.lines[0][..common];
    let Ok(position) = Board::after_moves(&meta.game, &meta.position, moves) else {
        return;
    };
    let marks = Marks {
        last_move: position.last_move.clone(),
        shows_coordinates: true,
        ..Marks::default()
    };
    let wide = (BOARD_WIDTH, Sense::hover());
    let board = textures.show(ui, &position.board, &marks, wide, theme);
    for (side, letter) in LETTERS.into_iter().enumerate() {
        let Some(mv) = shown.lines[side].get(common) else {
            continue;
        };
        // The last place that names a move is where a piece goes.
        let places = position.board.move_places(mv);
        let Some(rect) = places.last().and_then(|&place| board.place_rect(place)) else {
            continue;
        };
        let centre = rect.center();
        let radius = rect.width().min(rect.height()) * 0.38;
        ui.painter().circle(
            centre,
            radius,
            theme.canvas,
            Stroke::new(1.5, side_colour(theme, side)),
        );
        let font = FontId::new(SMALL_SIZE, fonts::semibold());
        (ui.painter()).text(
            centre,
            egui::Align2::CENTER_CENTER,
            letter,
            font,
            side_colour(theme, side),
        );
    }
}

/// The moves of a line, those from the parting on in the search's colour.
fn show_line(shown: &Comparison, side: usize, common: usize, ui: &mut Ui, theme: &Theme) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let letter = RichText::new(LETTERS[side]).color(side_colour(theme, side));
        ui.label(letter.family(fonts::semibold()));
        let first = common.saturating_sub(2);
        let line = &shown.lines[side];
        for (index, mv) in line.iter().enumerate().skip(first).take(SHOWN_MOVES) {
            let (font, colour) = match index == common {
                true => (
                    FontId::new(SMALL_SIZE, fonts::semibold()),
                    side_colour(theme, side),
                ),
                false => (FontId::proportional(SMALL_SIZE), theme.text),
            };
            let galley = ui.painter().layout_no_wrap(mv.clone(), font, colour);
            let size = vec2(galley.size().x.max(10.0) + 10.0, 22.0);
            if ui.available_width() < size.x {
                break;
            }
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            let line = Stroke::new(
                1.0,
                if index >= common {
                    side_colour(theme, side)
                } else {
                    theme.line
                },
            );
            (ui.painter()).rect(rect, 11.0, theme.card, line, StrokeKind::Inside);
            let at = rect.center() - galley.size() / 2.0;
            ui.painter().galley(at, galley, colour);
        }
    });
}

/// What both searches think of the moves that they chose, and which of them is right, where an exact solver was asked.
fn sentences(app: &App, shown: &Comparison) -> Vec<String> {
    let chosen = |side: usize| shown.root_moves.iter().find(|mv| mv.is_chosen[side]);
    let (Some(one), Some(other)) = (chosen(0), chosen(1)) else {
        return Vec::new();
    };
    if let Some(verdict) = solver_verdict(app, shown, [one, other]) {
        return vec![verdict];
    }
    if one.mv == other.mv {
        return vec![format!("Both searches chose {}.", one.name)];
    }
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let text = format!(
        "A gives {} of its visits to {}, B {}. B gives {} to {}, A {}.",
        percent(one.shares[0]),
        one.name,
        percent(one.shares[1]),
        percent(other.shares[1]),
        other.name,
        percent(other.shares[0]),
    );
    vec![text]
}

/// Which search is right.
fn solver_verdict(app: &App, shown: &Comparison, chosen: [&ComparedMove; 2]) -> Option<String> {
    if app.truth_mode() == TruthMode::Off {
        return None;
    }
    let choices = [0, 1].map(|side| ComparedChoice {
        name: &chosen[side].mv,
        text: &chosen[side].name,
        share: (!shown.sides[side].is_classical()).then_some(chosen[side].shares[side]),
    });
    let reading = |name: &str| {
        let mut moves = shown.root_moves.iter();
        let known = moves.find(|mv| mv.mv == name);
        known.map_or_else(|| name.to_owned(), |mv| mv.name.clone())
    };
    compare_choices(app.move_values(0)?, choices, reading)
}
