//! The area on the right: the selected node, and why the search prefers a child.

use std::collections::BTreeMap;

use canopy_engine::{explain::ValueClass, games::notation::escape_invisible};
use egui::{
    Align, CollapsingHeader, FontId, Frame, Layout, Margin, Rect, RichText, Sense, Stroke, Ui,
    pos2, vec2,
};

pub(super) use super::look_options::{
    EDGE_COLOUR_NAMES, PALETTES, apply_palette, colour_button, selected_palette,
};
use super::{
    charts_section,
    child_table::{self, ChildTableState, draw_next_mark},
    classical, column_text, display_move,
    elide::elided_label,
    explain_term, move_label,
    node_details::NodeDetails,
    show_explained_figure, show_figure, show_heading, show_phrases, show_text_figure,
};
use crate::{
    app::{Action, App, CopyTarget},
    draw::{
        fonts,
        theme::{SMALL_SIZE, Theme},
    },
    tree::{
        arithmetic, certainty,
        formula::ChildTerms,
        model::TreeModel,
        scene::{format_signed, format_thousands},
        summary::Phrase,
        title::middle_ellipsis,
        value_text::{NO_DATA, decimals, fixed},
    },
    ui::{
        controls::{self, Named as _},
        keys::{Command, hint},
    },
};

/// Size of the selected node's title and of its value, in points.
const SELECTED_SIZE: f32 = 16.0;
/// Height of the bar of a share of wins.
const SHARE_BAR_HEIGHT: f32 = 5.0;
/// Moves of the expected line that are written out.
const MAX_EXPECTED_SHOWN: usize = 12;

/// Shows it.
pub(super) fn show(
    details: &NodeDetails,
    state: &mut ChildTableState,
    app: &mut App,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let model = details.model();
    state.follow(details);
    show_selected(details, ui, theme, actions);
    if let Some(text) = app.truth_text(details.node()) {
        show_explained_figure(ui, theme, ("Truth", "Truth"), text);
    }
    let has_children =
        details.child_scores.hidden > 0 || details.child_scores.all_children().next().is_some();
    if model.is_classical() {
        classical::show_cut_reason(details, ui, theme);
    }
    let view = app.settings.value_view;
    let has_windows = model.is_classical() && classical::show(details, view, ui, theme, actions);
    if has_children && !has_windows {
        let heading = match details.child_scores.formula {
            Some(_) => "Which move next, and why",
            None => "Moves",
        };
        begin_section(ui, theme, heading);
        let rows = details.child_scores.all_children().map(|terms| terms.row);
        let results: BTreeMap<usize, ValueClass> = rows
            .filter_map(|row| Some((row, app.row_result(details.node(), row)?)))
            .collect();
        let result_of = |row: usize| results.get(&row).copied();
        let order = &mut app.settings.child_order;
        child_table::show(details, state, (order, &result_of), ui, theme, actions);
        show_choice(details, state, ui, theme);
    }
    if !details.expected_line.is_empty() {
        begin_section(ui, theme, "Expected line");
        show_expected_line(details, ui, theme, actions);
    }
    show_copy_buttons(ui, theme, actions);
    ui.add_space(12.0);
    let figures = CollapsingHeader::new(theme.heading("Figures"))
        .id_salt("figures")
        .default_open(true)
        .show_unindented(ui, |ui| show_figures(details, model, ui, theme));
    explain_term(figures.header_response.named("figures"), "Figures");
    charts_section::show(app, ui, theme);
}

/// A heading below a hairline.
pub(super) fn begin_section(ui: &mut Ui, theme: &Theme, heading: &str) {
    ui.add_space(8.0);
    ui.separator();
    show_heading(ui, theme, heading);
}

/// The node's title, its value and how often it was visited.
fn show_selected(details: &NodeDetails, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let (model, node) = (details.model(), details.node());
    show_heading(ui, theme, "Selected");
    let turn = details.turn_text();
    ui.horizontal(|ui| {
        let side = ui
            .painter()
            .layout_no_wrap(turn.clone(), FontId::proportional(13.0), theme.dim)
            .size()
            .x;
        let room = (ui.available_width() - side - 16.0).max(60.0);
        let font = FontId::new(SELECTED_SIZE, fonts::semibold());
        elided_label(ui, &title(model, node), (&font, theme.text), room).named("selected node");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let turn = ui.label(RichText::new(turn).color(theme.dim));
            explain_term(turn, "Player to move");
        });
    });
    ui.add_space(4.0);
    show_value(details, ui, theme);
    let figures = model.node(node);
    let visits = figures.visits > 0;
    let count = |number: i32| match visits {
        true => format_signed(number),
        false => NO_DATA.to_owned(),
    };
    match (model.is_classical(), model.shared_visits(model.row(node))) {
        (true, _) => show_figure(ui, theme, "Nodes searched", count(figures.visits)),
        (false, Some(all)) => {
            show_figure(ui, theme, "Visits by this move", count(figures.visits));
            let text = format_thousands(all);
            show_figure(ui, theme, "Visits of the position", text);
        }
        (false, None) => {
            let name = if model.is_of_lines() {
                "Lines"
            } else {
                "Visits"
            };
            show_figure(ui, theme, name, count(figures.visits));
        }
    }
    show_shared(model, node, ui, theme, actions);
    if let Some(moves) = moves_text(details) {
        show_figure(ui, theme, "Moves", moves);
    }
}

/// The way to a node, such as "Root → c2 → b4".
fn title(model: &TreeModel, node: usize) -> String {
    let names = model.path(node);
    let names = names.iter().skip(1).map(|&node| move_label(model, node));
    std::iter::once("Root".to_owned())
        .chain(names)
        .collect::<Vec<_>>()
        .join(" → ")
}

/// The value with its owner, and a bar for a share of wins.
fn show_value(details: &NodeDetails, ui: &mut Ui, theme: &Theme) {
    let (subject, figure) = &details.value_parts;
    let row = ui.horizontal(|ui| {
        let subject = subject.as_deref().unwrap_or("Value");
        ui.label(RichText::new(subject).color(theme.dim));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if let Some((share, visits)) = details.share {
                let margin = certainty::margin_text(share, visits);
                let told = format!("how sure: {margin}");
                let text = format!("{margin} by chance");
                let label = ui.label(RichText::new(text).color(theme.dim));
                let about = certainty::margin_explanation(share, visits);
                label.explained(&told, about);
            }
            let font = FontId::new(SELECTED_SIZE, fonts::semibold());
            ui.label(RichText::new(figure).font(font).color(theme.text));
        });
    });
    let told = format!("value: {}", details.value_text);
    controls::register(ui.ctx(), &told, row.response.rect);
    explain_term(row.response, "Value");
    let Some((share, visits)) = details.share else {
        return;
    };
    let size = vec2(ui.available_width(), SHARE_BAR_HEIGHT + 4.0);
    let (room, _) = ui.allocate_exact_size(size, Sense::hover());
    let bar = Rect::from_center_size(room.center(), vec2(room.width(), SHARE_BAR_HEIGHT));
    let painter = ui.painter();
    painter.rect_filled(bar, 2.0, theme.line);
    let x = |share: f64| bar.left() + bar.width() * (share as f32).clamp(0.0, 1.0);
    let until = |share: f64| Rect::from_min_max(bar.min, pos2(x(share), bar.bottom()));
    painter.rect_filled(until(share), 2.0, theme.warm);
    // Where the true share is likely to lie.
    let interval = certainty::interval(share, visits);
    let likely = Rect::from_x_y_ranges(x(interval.low)..=x(interval.high), room.y_range());
    painter.rect_filled(likely, 2.0, theme.warm.gamma_multiply(0.45));
    // Equal chances.
    let half = Stroke::new(1.5, theme.text);
    painter.vline(room.center().x, room.y_range(), half);
    ui.add_space(2.0);
}

/// Where other moves lead to the same node.
fn show_shared(
    model: &TreeModel,
    node: usize,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let row = model.row(node);
    let ways = model.ways_to(row);
    if ways < 2 {
        return;
    }
    let ways = format_thousands(ways as u64);
    let text = format!("Shared: {ways} moves of this tree lead to the position.");
    explain_term(ui.label(RichText::new(text).color(theme.dim)), "Shared");
    let expanded = model.expanded_elsewhere(row);
    let expanded = expanded.and_then(|row| model.find_row(row as u32));
    if let Some(expanded) = expanded {
        let link = ui.link("Go to its moves");
        let about = "The position is drawn with its moves elsewhere in the tree";
        if link.explained("shared node", about).clicked() {
            actions.push(Action::Select(Some(expanded)));
        }
    }
}

/// How many moves there are, and how many of them were tried; none at the end of a game.
fn moves_text(details: &NodeDetails) -> Option<String> {
    let why = &details.child_scores;
    let legal = details
        .board
        .as_ref()
        .ok()
        .map(|(board, _)| board.legal_moves.len());
    let known = why.all_children().count();
    let all = legal.unwrap_or(known).max(known);
    let tried = why
        .all_children()
        .filter(|terms| terms.is_visited())
        .count();
    let told = format_thousands(all as u64);
    match (all, tried) {
        (0, _) => None,
        _ if tried == all => Some(format!("{told}, all tried")),
        (_, 0) => Some(format!("{told}, none tried")),
        _ => Some(format!("{told}, {} tried", format_thousands(tried as u64))),
    }
}

/// The arithmetic of the chosen child, and where the next iteration goes.
fn show_choice(details: &NodeDetails, state: &ChildTableState, ui: &mut Ui, theme: &Theme) {
    let why = &details.child_scores;
    let lines = (state.chosen_child(details))
        .and_then(|terms| Some((terms, arithmetic::in_full(why, terms)?)));
    if let Some((terms, lines)) = lines {
        ui.add_space(4.0);
        show_arithmetic(details, terms, &lines, ui, theme);
    }
    let next = why.next_row.and_then(|row| {
        let name = display_move(&details.model().row_reading(row));
        Some((arithmetic::next_text(why, &name)?, name))
    });
    match next {
        Some((text, name)) => {
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(8.0, 16.0), Sense::hover());
                draw_next_mark(ui, pos2(rect.right(), rect.center().y), theme.good);
                let phrases = with_strong_part(&text, &name);
                let label = ui.vertical(|ui| show_phrases(&phrases, ui, theme)).inner;
                explain_term(label.named("next choice"), "Next choice");
            });
        }
        // Why it is not known; that a classical search has no formula goes without saying.
        None if details.model().is_classical() => {}
        None => {
            ui.label(RichText::new(&why.text).color(theme.dim));
        }
    }
}

/// A sentence with one part of it, the first of its kind, in semibold.
fn with_strong_part(text: &str, part: &str) -> Vec<Phrase> {
    let (before, after) = text.split_once(part).unwrap_or((text, ""));
    let name = if before.len() < text.len() { part } else { "" };
    let texts = [(before, false), (name, true), (after, false)];
    let phrase = |(text, is_strong): (&str, bool)| Phrase {
        text: text.to_owned(),
        is_strong,
    };
    texts.map(phrase).to_vec()
}

/// The formula of a child with its numbers, in a card.
fn show_arithmetic(
    details: &NodeDetails,
    terms: &ChildTerms,
    lines: &[String],
    ui: &mut Ui,
    theme: &Theme,
) {
    let model = details.model();
    let card = Frame::new()
        .fill(theme.card)
        .stroke(Stroke::new(1.0, theme.line))
        .corner_radius(6)
        .inner_margin(Margin::symmetric(12, 8));
    card.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let owner = details.chooser();
        let caption = format!("mean = {owner}’s share of wins");
        let small = FontId::proportional(SMALL_SIZE.max(12.0));
        ui.horizontal(|ui| {
            let side = ui
                .painter()
                .layout_no_wrap(caption.clone(), small.clone(), theme.dim)
                .size()
                .x;
            let name = display_move(&model.row_reading(terms.row));
            let room = (ui.available_width() - side - 16.0).max(40.0);
            elided_label(ui, &format!("{name} in full"), (&small, theme.dim), room);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let caption = RichText::new(caption).font(small.clone()).color(theme.dim);
                explain_term(ui.label(caption), "Mean");
            });
        });
        for (index, line) in lines.iter().enumerate() {
            // The result is what matters.
            match line.rsplit_once(" = ").filter(|_| index + 1 == lines.len()) {
                Some((sum, score)) => {
                    let row = ui.horizontal(|ui| {
                        ui.spacing_mut().item_spacing.x = 4.0;
                        ui.label(format!("{sum} ="));
                        ui.label(theme.strong(score));
                    });
                    explain_term(row.response, "Score");
                }
                None => {
                    explain_term(ui.label(line), "Explore");
                }
            }
        }
        if let Some(all) = model.shared_visits(terms.row) {
            let own = format_thousands(terms.stats.edge_visits as u64);
            let text = format!(
                "The position is shared: its mean is that of {} visits, {own} of them by this move.",
                format_thousands(all)
            );
            ui.label(RichText::new(text).font(small).color(theme.dim));
        }
    })
    .response
    .named("arithmetic");
}

/// The moves that the search expects, each a link.
fn show_expected_line(
    details: &NodeDetails,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let model = details.model();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 10.0;
        for (index, &node) in details.expected_line.iter().enumerate() {
            if index == MAX_EXPECTED_SHOWN {
                ui.label(RichText::new("…").color(theme.dim));
                break;
            }
            let name = middle_ellipsis(&move_label(model, node), 24);
            let text = theme.strong(name).color(theme.cool);
            let link = ui.add(egui::Label::new(text).sense(Sense::click()));
            let name = format!("expected {}", index + 1);
            if link.explained(&name, "Click to go there").clicked() {
                actions.push(Action::Select(Some(node)));
            }
        }
    });
}

fn show_copy_buttons(ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Copy").color(theme.dim));
        for (text, what, about) in [
            (
                "line",
                CopyTarget::MovesToNode,
                hint("The moves that lead here", Command::CopyLine),
            ),
            (
                "position",
                CopyTarget::Position,
                hint("The position here", Command::CopyPosition),
            ),
            (
                "figures",
                CopyTarget::Statistics,
                hint("The figures of the node", Command::CopyFigures),
            ),
        ] {
            let button = ui.button(text).explained(&format!("copy {text}"), about);
            if button.clicked() {
                actions.push(Action::Copy(what));
            }
        }
    });
}

/// Everything that the files have of a node.
fn show_figures(details: &NodeDetails, model: &TreeModel, ui: &mut Ui, theme: &Theme) {
    let (node, row) = (details.node(), model.row(details.node()));
    let figures = model.node(node);
    let known = |text: String| match figures.visits > 0 {
        true => text,
        false => NO_DATA.to_owned(),
    };
    show_figure(ui, theme, "Id", format_thousands(row as u64 + 1));
    show_text_figure(ui, theme, "Move", &move_label(model, node));
    show_text_figure(ui, theme, "State", &state_text(details, model, row));
    let turn = details.turn_text();
    let player = turn.strip_suffix(" to move").unwrap_or(&turn);
    show_figure(ui, theme, "Player to move", player);
    show_figure(
        ui,
        theme,
        "Children",
        format_thousands(figures.children.into()),
    );
    show_figure(ui, theme, "Depth", model.depth_of(node).to_string());
    let owner = details.mean_owner;
    if model.is_classical() {
        show_figure(
            ui,
            theme,
            "Nodes searched",
            known(format_signed(figures.visits)),
        );
        show_figure(ui, theme, "Value", details.value_text.clone());
    } else {
        show_figure(ui, theme, "Visits", known(format_signed(figures.visits)));
        let second = match model.meta {
            Some(_) => "Visits in this search",
            None => "Second counter",
        };
        show_figure(ui, theme, second, known(format_signed(figures.second)));
        let digits = decimals(figures.visits.max(0).unsigned_abs().into());
        let mean = known(fixed(figures.mean, digits));
        show_figure(ui, theme, &format!("Mean for {owner}"), mean);
        let sum = figures.mean * f64::from(figures.visits);
        show_figure(ui, theme, &format!("Sum for {owner}"), known(fixed(sum, 1)));
    }
    let cut = model.extra.as_ref().and_then(|all| all.get(row));
    if cut.is_some_and(|extra| extra.cut) {
        show_figure(ui, theme, "Cut off", "yes");
    }
    for column in model.columns() {
        if let Some(text) = column_text(column, row) {
            let name = escape_invisible(&column.name);
            show_explained_figure(ui, theme, (&name, "Column"), text);
        }
    }
    let nodes = format_thousands(model.tree.nodes().len() as u64);
    show_figure(ui, theme, "Nodes in the tree", nodes);
}

/// The state of a node: the position where it is known, since the files of our own say little of most nodes.
fn state_text(details: &NodeDetails, model: &TreeModel, row: usize) -> String {
    let state = match &details.board {
        Ok((replayed, _)) => replayed.position.as_str(),
        Err(_) => model.tree.state(row),
    };
    match state {
        "" => NO_DATA.to_owned(),
        state => escape_invisible(state).chars().take(1_000).collect(),
    }
}
