//! What a classical search knew of the selected node: its window, its moves with what happened to them, and why it was cut.

use canopy_engine::{explain::Cut, games::Player};
use egui::{
    Align, Align2, FontId, Frame, Layout, Margin, RichText, Sense, Stroke, StrokeKind, Ui, pos2,
    vec2,
};

use super::{display_move, explain_term, node::begin_section, node_details::NodeDetails};
use crate::{
    app::Action,
    draw::{
        fonts,
        theme::{SMALL_SIZE, Theme},
    },
    tree::{
        model::TreeModel,
        node_value::{NodeValues, ValueView},
        scene::format_thousands,
        search_window::{
            ClassicalColumns, ClassicalNode, bounded_text, cut_label, is_decided, signed,
            value_text,
        },
        value_text::NO_DATA,
    },
    ui::controls::{self, Named as _},
};

/// Height of a row of the table, in points.
const ROW_HEIGHT: f32 = 26.0;
/// Moves that are listed; no game has as many, but a file may.
const MAX_MOVES: usize = 1024;
/// Where the columns of value and nodes end, as parts of the width.
const COLUMN_ENDS: [f32; 2] = [0.34, 0.55];

/// Said of trees of classical searches without columns.
const NO_COLUMNS: &str = "This tree was written without windows and cuts. The option TreeExtra (grow --extra) records them where the search keeps them.";

/// Shows the section; false if the tree does not have the figures, which is said.
pub(super) fn show(
    details: &NodeDetails,
    view: ValueView,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) -> bool {
    let model = details.model();
    let Some(columns) = ClassicalColumns::of(model) else {
        ui.add_space(4.0);
        ui.label(RichText::new(NO_COLUMNS).color(theme.dim))
            .named("no windows");
        return false;
    };
    let values = NodeValues::new(model, view);
    let node = details.node();
    let owner = values.owner(node);
    let told = columns.row(model.row(node), values.mean_owner(node), owner);
    show_window(&values, &told, owner, ui, theme);
    if !model.child_rows(node).is_empty() {
        begin_section(ui, theme, "Moves here");
        show_moves(&values, columns, node, ui, theme, actions);
    }
    if let Some(text) = cut_text(&values, columns, node) {
        let card = Frame::new()
            .fill(theme.card)
            .stroke(Stroke::new(1.0, theme.line))
            .corner_radius(6)
            .inner_margin(Margin::symmetric(12, 8));
        ui.add_space(4.0);
        card.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.label(RichText::new(&text).color(theme.text))
                .named(&format!("reason: {text}"));
        });
    }
    true
}

/// Alpha and beta with what they mean, and both on a line with the value.
fn show_window(
    values: &NodeValues<'_>,
    told: &ClassicalNode,
    owner: Player,
    ui: &mut Ui,
    theme: &Theme,
) {
    let Some((alpha, beta)) = told.window else {
        return;
    };
    begin_section(ui, theme, "Window");
    let (name, other) = (
        values.wording.name(owner),
        values.wording.name(owner.opponent()),
    );
    let lines = [
        (
            "α",
            alpha.map_or("−∞".to_owned(), signed),
            match alpha {
                Some(_) => format!("{name} already has this elsewhere"),
                None => format!("{name} has nothing yet"),
            },
        ),
        (
            "β",
            beta.map_or("+∞".to_owned(), signed),
            match beta {
                Some(_) => format!("{other} will not allow more"),
                None => format!("{other} has no limit yet"),
            },
        ),
    ];
    for (letter, limit, meaning) in lines {
        let row = ui.horizontal(|ui| {
            ui.label(theme.strong(format!("{letter} = {limit}")));
            ui.label(RichText::new(meaning).color(theme.dim));
        });
        controls::register(ui.ctx(), &format!("{letter} = {limit}"), row.response.rect);
    }
    draw_scale(told, (alpha, beta), ui, theme);
}

/// The scale of values with the window and the value.
fn draw_scale(
    told: &ClassicalNode,
    (alpha, beta): (Option<f64>, Option<f64>),
    ui: &mut Ui,
    theme: &Theme,
) {
    let all = [told.value, alpha, beta].into_iter().flatten();
    let largest = all.filter(|&value| !is_decided(value)).map(f64::abs);
    let most = (largest.fold(1.0, f64::max) * 1.25).ceil();
    let (area, _) = ui.allocate_exact_size(vec2(ui.available_width(), 56.0), Sense::hover());
    let x = |value: f64| {
        let part = (value.clamp(-most, most) + most) / (2.0 * most);
        area.left() + 8.0 + (area.width() - 16.0) * part as f32
    };
    let painter = ui.painter();
    let y = area.top() + 28.0;
    painter.hline(x(-most)..=x(most), y, Stroke::new(1.0, theme.dim));
    let inside = egui::Rect::from_x_y_ranges(
        x(alpha.unwrap_or(-most))..=x(beta.unwrap_or(most)),
        y - 5.0..=y + 5.0,
    );
    painter.rect_filled(inside, 2.0, theme.selected_fill());
    let small = FontId::proportional(SMALL_SIZE);
    for value in [-most, 0.0, most] {
        painter.vline(x(value), y..=y + 5.0, Stroke::new(1.0, theme.dim));
        let at = pos2(x(value), y + 8.0);
        let align = match value {
            _ if value < 0.0 => Align2::LEFT_TOP,
            _ if value > 0.0 => Align2::RIGHT_TOP,
            _ => Align2::CENTER_TOP,
        };
        painter.text(at, align, signed(value), small.clone(), theme.dim);
    }
    for (limit, letter) in [(alpha, "α"), (beta, "β")] {
        if let Some(limit) = limit {
            painter.vline(x(limit), y - 9.0..=y + 9.0, Stroke::new(2.0, theme.warm));
            let at = pos2(x(limit), y - 10.0);
            painter.text(at, Align2::CENTER_BOTTOM, letter, small.clone(), theme.warm);
        }
    }
    if let Some(value) = told.value {
        let text = format!("value {}", bounded_text(told));
        let at = pos2(x(value), y);
        painter.circle_filled(at, 5.0, theme.warm);
        let is_near =
            |limit: Option<f64>| limit.is_some_and(|limit| (x(limit) - at.x).abs() < 60.0);
        let below = is_near(alpha) || is_near(beta);
        let (place, align) = match (below, value < 0.0) {
            (false, _) => (at - vec2(0.0, 10.0), Align2::CENTER_BOTTOM),
            (true, true) => (at + vec2(-6.0, 10.0), Align2::LEFT_TOP),
            (true, false) => (at + vec2(6.0, 10.0), Align2::RIGHT_TOP),
        };
        let width = 50.0;
        let place = pos2(
            place.x.clamp(area.left() + width, area.right() - width),
            place.y,
        );
        painter.text(place, align, text, small, theme.warm);
    }
}

/// The moves of a node with their values and what happened to them.
fn show_moves(
    values: &NodeValues<'_>,
    columns: ClassicalColumns<'_>,
    node: usize,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let model = values.model();
    let owner = values.owner(node);
    let small = FontId::proportional(SMALL_SIZE);
    let width = ui.available_width();
    let (head, _) = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover());
    let column = |index: usize| head.left() + width * COLUMN_ENDS[index];
    let middle = head.center().y;
    let painter = ui.painter().clone();
    for (x, align, text) in [
        (head.left() + 8.0, Align2::LEFT_CENTER, "move"),
        (column(0), Align2::RIGHT_CENTER, "value"),
        (column(1), Align2::RIGHT_CENTER, "nodes"),
        (head.right() - 8.0, Align2::RIGHT_CENTER, "what happened"),
    ] {
        painter.text(pos2(x, middle), align, text, small.clone(), theme.dim);
    }
    let refuting = refutation(values, columns, node);
    let shown = model.shown_rows(node);
    ui.spacing_mut().item_spacing.y = 2.0;
    for row in model.child_rows(node).into_iter().take(MAX_MOVES) {
        let told = columns.row(row, values.chooser(node), owner);
        let nodes = model
            .tree
            .nodes()
            .get(row)
            .map_or(0, |node| node.visits.max(0));
        let is_refuting = refuting == Some(row);
        let happened = match (is_refuting, told.cut) {
            (true, _) => "refutes: cut off here",
            // A cut below it is told there.
            (false, Cut::Beta) => "refuted by a reply",
            (false, cut) => cut_label(cut),
        };
        let (place, response) = ui.allocate_exact_size(vec2(width, ROW_HEIGHT), Sense::CLICK);
        let stroke = Stroke::new(1.0, theme.warm);
        if is_refuting {
            painter.rect(place, 6.0, theme.card, stroke, StrokeKind::Inside);
        } else if response.hovered() {
            painter.rect_filled(place, 6.0, theme.raised);
        }
        let is_dim = told.cut == Cut::NotSearched;
        let text_colour = if is_dim { theme.dim } else { theme.text };
        let name = display_move(&model.row_reading(row));
        let middle = place.center().y;
        let bold = FontId::new(13.0, fonts::semibold());
        let plain = FontId::proportional(13.0);
        let count = match is_dim {
            true => NO_DATA.to_owned(),
            false => format_thousands(u64::from(nodes.unsigned_abs())),
        };
        let value = bounded_text(&told);
        let colour = if is_refuting { theme.warm } else { theme.dim };
        for (x, align, text, font, colour) in [
            (
                place.left() + 8.0,
                Align2::LEFT_CENTER,
                name.clone(),
                bold,
                text_colour,
            ),
            (
                column(0),
                Align2::RIGHT_CENTER,
                value.clone(),
                plain.clone(),
                text_colour,
            ),
            (
                column(1),
                Align2::RIGHT_CENTER,
                count,
                plain.clone(),
                text_colour,
            ),
            (
                place.right() - 8.0,
                Align2::RIGHT_CENTER,
                happened.to_owned(),
                plain,
                colour,
            ),
        ] {
            painter.text(pos2(x, middle), align, text, font, colour);
        }
        let child = shown
            .iter()
            .find(|&&(other, _)| other == row)
            .and_then(|&(_, node)| node);
        let response = response.named(&format!("tried {name}: {value}, {happened}"));
        if let Some(child) = child.filter(|_| response.clicked()) {
            actions.push(Action::Select(Some(child)));
        }
    }
    ui.spacing_mut().item_spacing.y = 4.0;
}

/// The row of the move that ended the search of a node: the best for the player who chooses there, if the node was cut.
fn refutation(
    values: &NodeValues<'_>,
    columns: ClassicalColumns<'_>,
    node: usize,
) -> Option<usize> {
    let model = values.model();
    let chooser = values.chooser(node);
    if columns.cut(model.row(node)) != Cut::Beta {
        return None;
    }
    let mut best: Option<(usize, f64)> = None;
    for row in model.child_rows(node) {
        if let Some(value) = columns.row(row, chooser, chooser).value
            && best.is_none_or(|(_, most)| value > most)
        {
            best = Some((row, value));
        }
    }
    best.map(|(row, _)| row)
}

/// Why a node was cut, in sentences.
fn cut_text(values: &NodeValues<'_>, columns: ClassicalColumns<'_>, node: usize) -> Option<String> {
    let model: &TreeModel = values.model();
    let refuting = refutation(values, columns, node)?;
    let chooser = values.chooser(node);
    let other = chooser.opponent();
    let (here, there) = (values.wording.name(chooser), values.wording.name(other));
    let told = columns.row(model.row(node), values.mean_owner(node), other);
    let has = told.window.and_then(|(alpha, _)| alpha)?;
    let reply = display_move(&model.row_reading(refuting));
    let held = value_text(told.value?);
    let rest = match columns.unsearched(model, node) {
        0 => String::new(),
        1 => format!(" {there} will not come here, so {here}’s other move need not be looked at."),
        moves => format!(
            " {there} will not come here, so {here}’s other {moves} moves need not be looked at."
        ),
    };
    Some(format!(
        "{there} can already get {} elsewhere. Here {here} answers {reply} and holds {there} to {held} or less.{rest}",
        value_text(has)
    ))
}

/// The value's row says how it stands to the true value.
pub(super) fn show_cut_reason(details: &NodeDetails, ui: &mut Ui, theme: &Theme) {
    let model = details.model();
    let Some(columns) = ClassicalColumns::of(model) else {
        return;
    };
    let cut = columns.cut(model.row(details.node()));
    if cut == Cut::None {
        return;
    }
    ui.horizontal(|ui| {
        ui.label(RichText::new("What happened").color(theme.dim));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            explain_term(ui.label(theme.strong(cut_label(cut))), "What happened");
        });
    });
}
