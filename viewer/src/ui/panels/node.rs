//! The area on the right: the selected node, and why the search prefers a child.

use canopy_engine::{
    games::{Outcome, notation::escape_invisible},
    tree::columns::{Column, ColumnValues},
};
use egui::{
    Align, Align2, FontId, Layout, Rect, RichText, Sense, Stroke, StrokeKind, Ui, pos2, vec2,
};

use super::{display_move, move_label, node_details::NodeDetails, show_figure};
use crate::{
    app::{Action, App, CopyTarget},
    draw::theme::Theme,
    settings::ViewerSettings,
    tree::{
        formula::{ChildTerms, SelectionExplanation},
        model::{Filter, TreeModel},
        scene::{format_signed, format_thousands},
    },
    ui::controls::Named as _,
};

/// Report 000's colours of the least and the most visited edges.
const REPORT_COLOURS: [[u8; 3]; 2] = [[255, 0, 0], [0, 255, 0]];
/// The selectable palettes: control name, label and tooltip.
pub(super) const PALETTES: [(&str, &str, &str); 2] = [
    (
        "theme colours",
        "the theme's",
        "Safe for the common kinds of colour blindness",
    ),
    (
        "green and red",
        "green and red",
        "As report 000 draws its trees: linear, over the whole tree",
    ),
];
/// Labels of the two edge colours.
pub(super) const EDGE_COLOUR_NAMES: [&str; 2] = ["Least visited", "Most visited"];
/// Upper bound of listed children.
const MAX_LISTED_CHILDREN: usize = 40;
/// Height of a row of the list, in points.
const ROW_HEIGHT: f32 = 24.0;
/// Where the columns of the list end, in points: move, visits, mean, exploration, score.
const COLUMN_ENDS: [f32; 5] = [58.0, 118.0, 166.0, 216.0, 264.0];

/// Shows it.
pub(super) fn show(
    details: &NodeDetails,
    app: &mut App,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let Some(model) = app.document.model.clone() else {
        return;
    };
    let node = app.navigation.focused_node();
    let figures = model.node(node);
    ui.label(theme.heading("Node"));
    let title = if node == 0 {
        "root".to_owned()
    } else {
        let parent = model.parents[node] as usize;
        format!(
            "{} → {}",
            move_label(&model, parent),
            move_label(&model, node)
        )
    };
    ui.label(theme.title(title));
    ui.label(RichText::new(details.decider_text()).color(theme.dim));
    ui.add_space(8.0);
    let known = |text: String| {
        if figures.visits > 0 {
            text
        } else {
            "no data".to_owned()
        }
    };
    let (mean, of) = (known(format!("{:.4}", figures.mean)), details.mean_owner());
    if model.is_classical() {
        show_figure(ui, theme, "Nodes searched", format_signed(figures.visits));
        show_figure(ui, theme, &format!("Value for {of}"), mean);
    } else {
        show_figure(ui, theme, "Visits", format_signed(figures.visits));
        show_figure(
            ui,
            theme,
            "Visits in this search",
            format_signed(figures.second),
        );
        show_figure(ui, theme, &format!("Mean for {of}"), mean);
        let sum = figures.mean * f64::from(figures.visits);
        show_figure(ui, theme, "Sum", known(format!("{sum:.1}")));
    }
    show_figure(
        ui,
        theme,
        "Children",
        format_thousands(figures.children.into()),
    );
    show_figure(ui, theme, "Depth", model.depth_of(node).to_string());
    show_figure(
        ui,
        theme,
        "Node id",
        format_thousands(u64::from(model.rows[node]) + 1),
    );
    if let Some(extra) = model
        .extra
        .as_ref()
        .and_then(|all| all.get(model.row(node)))
    {
        if extra.cut {
            show_figure(ui, theme, "Cut off", "yes");
        }
        if let Some(proven) = extra.proven {
            let result = match proven {
                Outcome::Win(winner) => format!("{} wins", details.player_name(winner)),
                Outcome::Draw => "draw".to_owned(),
            };
            show_figure(ui, theme, "Certain", result);
        }
    }
    for column in model.columns() {
        if let Some(text) = column_text(column, model.row(node)) {
            show_figure(ui, theme, &escape_invisible(&column.name), text);
        }
    }
    // The files of our own say little of most nodes.
    let state = match &details.board {
        Ok((replayed, _)) => replayed.position.as_str(),
        Err(_) => model.tree.state(model.row(node)),
    };
    let state: String = escape_invisible(state).chars().take(200).collect();
    let state = if state.is_empty() { "no state" } else { &state };
    ui.label(RichText::new(state).color(theme.dim).small());
    ui.horizontal(|ui| {
        ui.label(RichText::new("Copy").color(theme.dim));
        for (text, what, hint) in [
            (
                "line",
                CopyTarget::MovesToNode,
                "The moves that lead here (ctrl + c)",
            ),
            ("position", CopyTarget::Position, "The position here (c)"),
            ("figures", CopyTarget::Statistics, "What stands above (x)"),
        ] {
            let button = ui.small_button(text).named(&format!("copy {text}"));
            if button.on_hover_text(hint).clicked() {
                actions.push(Action::Copy(what));
            }
        }
    });
    if !details.child_scores.children.is_empty() || details.child_scores.hidden > 0 {
        ui.add_space(12.0);
        let order = &mut app.settings.child_order;
        show_children(&model, &details.child_scores, order, ui, theme, actions);
    }
    ui.add_space(12.0);
    show_colours(app, ui, theme);
    ui.add_space(12.0);
    show_filter(app, ui, theme, actions);
}

/// The children with the terms of the formula that chooses among them.
fn show_children(
    model: &TreeModel,
    scores: &SelectionExplanation,
    order: &mut String,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    ui.label(theme.heading("Why this child"));
    show_child_order(model, order, ui, theme);
    let visits = |terms: &ChildTerms| model.tree.nodes()[terms.row].visits;
    let most = scores
        .children
        .first()
        .map_or(1, |first| visits(first).max(1));
    let small = FontId::proportional(10.5);
    let (rect, _) = ui.allocate_exact_size(vec2(COLUMN_ENDS[4], 18.0), Sense::hover());
    let headings = match model.is_classical() {
        true => ["move", "nodes", "value", "", ""],
        false => ["move", "visits", "mean", "+ explore", "= score"],
    };
    for (heading, column) in headings.into_iter().zip(COLUMN_ENDS) {
        let (x, align) = if column == COLUMN_ENDS[0] {
            (rect.left() + 4.0, Align2::LEFT_CENTER)
        } else {
            (rect.left() + column - 2.0, Align2::RIGHT_CENTER)
        };
        let at = pos2(x, rect.center().y);
        ui.painter()
            .text(at, align, heading, small.clone(), theme.dim);
    }
    let children = ordered_children(model, &scores.children, order);
    for terms in children.into_iter().take(MAX_LISTED_CHILDREN) {
        let (rect, response) =
            ui.allocate_exact_size(vec2(COLUMN_ENDS[4], ROW_HEIGHT), Sense::click());
        let response = response.named(&format!("child {}", terms.row + 1));
        let is_next = scores.next_row == Some(terms.row);
        show_child(
            model,
            terms,
            most,
            (rect, is_next, response.hovered()),
            ui,
            theme,
        );
        let Some(node) = terms.node else {
            continue;
        };
        let figures = (model.columns().iter()).filter_map(|column| {
            let text = column_text(column, terms.row)?;
            Some(format!(" · {} {text}", escape_invisible(&column.name)))
        });
        let figures: String = figures.collect();
        let hint = format!("Select {}{figures}", move_label(model, node));
        if response.on_hover_text(hint).clicked() {
            actions.push(Action::Select(Some(node)));
        }
    }
    if scores.children.len() > MAX_LISTED_CHILDREN {
        let more = format_thousands((scores.children.len() - MAX_LISTED_CHILDREN) as u64);
        ui.label(RichText::new(format!("and {more} more")).color(theme.dim));
    }
    if scores.hidden > 0 {
        show_hidden_children(scores, ui, theme);
    }
    ui.label(RichText::new(&scores.text).color(theme.dim).small());
}

/// The choice of what children are listed by, where there is one.
fn show_child_order(model: &TreeModel, order: &mut String, ui: &mut Ui, theme: &Theme) {
    if model.columns().is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("by").color(theme.dim));
        let is_column = model.column(order).is_some();
        let by_visits = ui.selectable_label(!is_column, "visits");
        if by_visits.named("order by visits").clicked() {
            order.clear();
        }
        for Column { name, .. } in model.columns() {
            let label = ui.selectable_label(order == name, &*escape_invisible(name));
            if label.named(&format!("order by {name}")).clicked() {
                order.clone_from(name);
            }
        }
    });
}

/// The children by the values of a column, the largest first and those without one last; as they come, the most visited
/// first, if there is no such column.
fn ordered_children<'a>(
    model: &TreeModel,
    children: &'a [ChildTerms],
    order: &str,
) -> Vec<&'a ChildTerms> {
    let mut ordered: Vec<&ChildTerms> = children.iter().collect();
    if let Some(column) = model.column(order) {
        let value = |terms: &ChildTerms| {
            let value = column.value(terms.row);
            if value.is_nan() {
                f64::NEG_INFINITY
            } else {
                value
            }
        };
        ordered.sort_by(|one, other| value(other).total_cmp(&value(one)));
    }
    ordered
}

/// The value of a row in a column with its unit, or what it stands for; none if there is none.
fn column_text(column: &Column, row: usize) -> Option<String> {
    if let Some(label) = column.label(row) {
        return Some(escape_invisible(label).into_owned());
    }
    let value = column.value(row);
    let number = match &column.values {
        ColumnValues::F64(_) | ColumnValues::F32(_) => format!("{value:.4}"),
        _ => format!("{value}"),
    };
    let unit = escape_invisible(&column.unit);
    let space = if unit.is_empty() { "" } else { " " };
    (!value.is_nan()).then(|| format!("{number}{space}{unit}"))
}

/// The row that stands for the children that are not shown.
fn show_hidden_children(scores: &SelectionExplanation, ui: &mut Ui, theme: &Theme) {
    let (rect, response) = ui.allocate_exact_size(vec2(COLUMN_ENDS[4], ROW_HEIGHT), Sense::hover());
    let response = response.named("hidden children");
    if scores.is_next_hidden() {
        highlight_row(rect, ui, theme);
    }
    let font = FontId::proportional(12.5);
    let count = format!("+{} hidden", format_thousands(scores.hidden as u64));
    let left = pos2(rect.left() + 4.0, rect.center().y);
    let painter = ui.painter();
    painter.text(left, Align2::LEFT_CENTER, count, font.clone(), theme.dim);
    if scores.hidden_visits > 0 {
        let visits = format_thousands(scores.hidden_visits.unsigned_abs());
        let right = pos2(rect.left() + COLUMN_ENDS[2], rect.center().y);
        let visits = format!("{visits} visits");
        painter.text(right, Align2::RIGHT_CENTER, visits, font, theme.dim);
    }
    response.on_hover_text("The search chooses among all children, whatever is shown of them");
}

/// Marks the row that the next descent goes to.
fn highlight_row(rect: Rect, ui: &Ui, theme: &Theme) {
    let stroke = Stroke::new(1.0, theme.cool);
    let fill = theme.cool.gamma_multiply(0.16);
    ui.painter()
        .rect(rect, 4.0, fill, stroke, StrokeKind::Inside);
}

/// A row of the list.
fn show_child(
    model: &TreeModel,
    terms: &ChildTerms,
    most: i32,
    (rect, is_next, is_hovered): (Rect, bool, bool),
    ui: &Ui,
    theme: &Theme,
) {
    let painter = ui.painter();
    if is_next {
        highlight_row(rect, ui, theme);
    } else if is_hovered {
        painter.rect_filled(rect, 4.0, theme.card);
    }
    let font = FontId::proportional(13.0);
    let mut name = display_move(model.tree.move_name(terms.row));
    let width = COLUMN_ENDS[0] - 8.0;
    let layout = |name: &str| painter.layout_no_wrap(name.to_owned(), font.clone(), theme.text);
    let mut galley = layout(&name);
    while galley.size().x > width && name.chars().count() > 2 {
        let kept = name.chars().count() * 3 / 4;
        name = name.chars().take(kept.max(1)).collect::<String>() + "…";
        galley = layout(&name);
    }
    let top = rect.center().y - galley.size().y / 2.0;
    painter.galley(pos2(rect.left() + 4.0, top), galley, theme.text);
    let visits = model.tree.nodes()[terms.row].visits;
    let room = Rect::from_min_max(
        pos2(rect.left() + COLUMN_ENDS[0], rect.top() + 4.0),
        pos2(rect.left() + COLUMN_ENDS[1], rect.bottom() - 4.0),
    );
    painter.rect_filled(room, 2.0, theme.card);
    let part = (visits as f32 / most as f32).clamp(0.0, 1.0);
    let bar = Rect::from_min_size(room.min, vec2(room.width() * part, room.height()));
    painter.rect_filled(bar, 2.0, theme.warm.gamma_multiply(0.5));
    let unknown = if model.is_classical() { "" } else { "–" };
    let term = |value: Option<f64>| {
        value.map_or_else(|| unknown.to_owned(), |value| format!("{value:.3}"))
    };
    // A search with a solver ignores the scores of proven children.
    let verdict = terms
        .proven_result()
        .map(|verdict| verdict.label().to_owned());
    let score = verdict.unwrap_or_else(|| term(terms.score()));
    let texts = [
        (
            format_thousands(visits.unsigned_abs().into()),
            COLUMN_ENDS[1] - 4.0,
            theme.text,
        ),
        (term(terms.mean), COLUMN_ENDS[2], theme.text),
        (term(terms.exploration), COLUMN_ENDS[3], theme.dim),
        (score, COLUMN_ENDS[4] - 2.0, theme.text),
    ];
    for (text, right, colour) in texts {
        let at = pos2(rect.left() + right, rect.center().y);
        let font = FontId::proportional(12.5);
        painter.text(at, Align2::RIGHT_CENTER, text, font, colour);
    }
}

fn show_colours(app: &mut App, ui: &mut Ui, theme: &Theme) {
    ui.label(theme.heading("Colour"));
    let model = app.document.model.clone();
    let settings = &mut app.settings;
    ui.horizontal(|ui| {
        for (name, text) in [
            ("visits", "visits"),
            ("second", "this search"),
            ("mean", "mean"),
        ] {
            let chosen = settings.measure == name;
            let measure = ui
                .selectable_label(chosen, text)
                .named(&format!("colour by {name}"));
            if measure.clicked() {
                settings.measure = name.to_owned();
            }
        }
        for Column { name, .. } in model.iter().flat_map(|model| model.columns()) {
            let chosen = settings.measured_column() == Some(name.as_str());
            let measure = ui
                .selectable_label(chosen, &*escape_invisible(name))
                .named(&format!("colour by {name}"));
            if measure.clicked() {
                settings.measure = format!("column {name}");
            }
        }
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut settings.logarithmic, "logarithmic")
            .named("logarithmic");
        ui.checkbox(&mut settings.per_layer, "per level")
            .named("per level");
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut settings.by_size, "size by visits");
        ui.checkbox(&mut settings.labels, "labels");
    });
    let mut colours = [theme.edge_least, theme.edge_most];
    let before = colours;
    for (colour, name) in colours.iter_mut().zip(EDGE_COLOUR_NAMES) {
        ui.horizontal(|ui| {
            ui.label(RichText::new(name).color(theme.dim));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.color_edit_button_srgba(colour).named(name);
            });
        });
    }
    if colours != before {
        settings.edge_colours = Some(colours.map(|colour| [colour.r(), colour.g(), colour.b()]));
    }
    let chosen = selected_palette(settings);
    ui.horizontal(|ui| {
        for (index, (name, text, hint)) in PALETTES.into_iter().enumerate() {
            let label = ui.selectable_label(chosen == Some(index), text).named(name);
            if label.on_hover_text(hint).clicked() {
                apply_palette(settings, index);
            }
        }
    });
}

/// Which of the palettes is chosen; none if the colours are one's own.
pub(super) fn selected_palette(settings: &ViewerSettings) -> Option<usize> {
    match settings.edge_colours {
        None => Some(0),
        Some(REPORT_COLOURS) => Some(1),
        Some(_) => None,
    }
}

/// Takes one of the palettes.
pub(super) fn apply_palette(settings: &mut ViewerSettings, index: usize) {
    if index == 0 {
        settings.edge_colours = None;
    } else {
        settings.edge_colours = Some(REPORT_COLOURS);
        settings.logarithmic = false;
        settings.per_layer = false;
    }
}

fn show_filter(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.label(theme.heading("Show"));
    let mut filter = app.document.filter.clone();
    ui.checkbox(&mut filter.sort_by_visits, "most visited on the left")
        .named("by visits");
    ui.checkbox(&mut filter.merge_turns, "whole turns as one edge")
        .named("whole turns")
        .on_hover_text("Moves that one player makes in a row, as in kalah");
    ui.horizontal(|ui| {
        ui.label(RichText::new("at least so many visits").color(theme.dim));
        ui.add(egui::DragValue::new(&mut filter.min_visits).speed(1.0));
    });
    ui.horizontal(|ui| {
        ui.label(RichText::new("only the best children").color(theme.dim));
        let mut best = filter.max_children.unwrap_or(0);
        ui.add(egui::DragValue::new(&mut best).range(0..=1000))
            .on_hover_text("0 for all");
        filter.max_children = (best > 0).then_some(best);
    });
    if !filter.is_unfiltered() && ui.button("Show everything").clicked() {
        filter = Filter::default();
    }
    if filter != app.document.filter {
        actions.push(Action::Filter(filter));
    }
}
