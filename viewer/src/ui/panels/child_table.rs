//! The table of a node's children: all of them, with the terms by which the search chooses among them.

use std::collections::BTreeSet;

use canopy_engine::{
    explain::ValueClass, games::notation::escape_invisible, tree::columns::Column,
};
use egui::{
    Align2, Color32, FontId, Pos2, Rect, RichText, Sense, Shape, Stroke, StrokeKind, Ui, pos2, vec2,
};

use super::{
    column_text, display_move, elide::elide, explain_term, node_details::NodeDetails, truth_marks,
};
use crate::{
    app::Action,
    draw::{fonts, theme::Theme},
    tree::{
        arithmetic::{TableDecimals, score_text},
        formula::ChildTerms,
        model::TreeModel,
        scene::{format_signed, format_thousands},
        value_text::{NO_DATA, fixed},
    },
    ui::controls::Named as _,
};

/// Bounds of the children listed before the rest is a row that unfolds.
const LISTED_CHILDREN: (usize, usize) = (7, 40);
/// Height of everything above and below the table, in points. As many children are listed as leave it in view.
const HEIGHT_BESIDE: f32 = 517.0;
/// Upper bound of rows however many there are; no game has as many moves, but a file may.
const MAX_UNFOLDED_CHILDREN: usize = 1024;
/// Height of a row, in points.
const ROW_HEIGHT: f32 = 26.0;
/// Space between rows.
const ROW_GAP: f32 = 2.0;
/// Where the columns end, as shares of the width: move, visits, mean, exploration, score.
const COLUMN_ENDS: [f32; 5] = [0.14, 0.325, 0.56, 0.765, 0.985];
/// The same where there is a value instead of the terms of a formula.
const VALUE_COLUMN_ENDS: [f32; 3] = [0.3, 0.58, 0.985];
/// The mark of an exact result beside a move: its radius and the room that it takes.
const RESULT_RADIUS: f32 = 6.0;
const RESULT_ROOM: f32 = 16.0;
/// Size of the table's text and of its headings.
const TEXT_SIZE: f32 = 13.0;
const HEADING_SIZE: f32 = 12.0;

/// What the user has done to the table; forgotten when another node is selected.
#[derive(Default)]
pub(super) struct ChildTableState {
    /// The line of the node it belongs to.
    path: String,
    /// The move whose arithmetic is shown.
    chosen: Option<String>,
    /// Whether hidden children are listed.
    is_unfolded: bool,
}

impl ChildTableState {
    /// Forgets what belongs to another node.
    pub(super) fn follow(&mut self, details: &NodeDetails) {
        if self.path != details.path {
            *self = Self {
                path: details.path.clone(),
                ..Self::default()
            };
        }
    }

    /// The child whose arithmetic is shown: the one clicked, else the one the search would play.
    pub(super) fn chosen_child<'a>(&self, details: &'a NodeDetails) -> Option<&'a ChildTerms> {
        let (model, why) = (details.model(), &details.child_scores);
        let clicked = self.chosen.as_deref().and_then(|name| {
            let mut all = why.all_children();
            all.find(|terms| model.tree.move_name(terms.row) == name)
        });
        let best = model.best_child(details.node()).map(|node| model.row(node));
        clicked
            .or_else(|| why.all_children().find(|terms| Some(terms.row) == best))
            .or_else(|| why.all_children().next())
    }
}

/// The table's place, columns and colours.
struct Table<'a> {
    details: &'a NodeDetails,
    model: &'a TreeModel,
    theme: &'a Theme,
    decimals: TableDecimals,
    /// The most visits of a child.
    most: i32,
    width: f32,
    /// Children listed before the rest is a row that unfolds.
    max_listed: usize,
    /// What an exact solver says of a row.
    result_of: &'a dyn Fn(usize) -> Option<ValueClass>,
}

/// How a row is marked.
struct RowMarks {
    is_next: bool,
    is_chosen: bool,
    is_hidden: bool,
    is_hovered: bool,
}

/// Children that are listed in a panel of this height.
fn max_listed(height: f32) -> usize {
    let (least, most) = LISTED_CHILDREN;
    let rows = (height - HEIGHT_BESIDE).max(0.0) / (ROW_HEIGHT + ROW_GAP);
    (rows as usize).clamp(least, most)
}

/// Shows the table.
pub(super) fn show(
    details: &NodeDetails,
    state: &mut ChildTableState,
    (order, result_of): (&mut String, &dyn Fn(usize) -> Option<ValueClass>),
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let (model, why) = (details.model(), &details.child_scores);
    show_child_order(model, order, ui, theme);
    let visits = |terms: &ChildTerms| model.tree.nodes()[terms.row].visits;
    let table = Table {
        details,
        model,
        theme,
        decimals: TableDecimals::new(why),
        most: why.all_children().map(visits).max().unwrap_or(1).max(1),
        width: ui.available_width(),
        max_listed: max_listed(ui.clip_rect().height()),
        result_of,
    };
    table.show_headings(ui);
    let gap = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, ROW_GAP);
    let chosen = state.chosen_child(details).map(|terms| terms.row);
    let hidden_rows: BTreeSet<usize> = why.hidden_children.iter().map(|terms| terms.row).collect();
    let rows = listed_rows(&table, state, order);
    for &terms in &rows {
        let size = vec2(table.width, ROW_HEIGHT);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let response = response.named(&format!("child {}", terms.row + 1));
        let marks = RowMarks {
            is_next: why.next_row == Some(terms.row),
            is_chosen: chosen == Some(terms.row),
            is_hidden: hidden_rows.contains(&terms.row),
            is_hovered: response.hovered(),
        };
        table.show_row(terms, rect, &marks, ui);
        if response.clicked() {
            state.chosen = Some(model.tree.move_name(terms.row).to_owned());
            ui.ctx().request_repaint();
        }
        if let Some(node) = terms.node.filter(|_| response.double_clicked()) {
            actions.push(Action::Select(Some(node)));
        }
        response.on_hover_text(table.hint(terms));
    }
    table.show_rest(&rows, state, ui);
    ui.spacing_mut().item_spacing.y = gap;
}

/// The children that have rows: those that the tree shows, as far as there is room, or all of them once the table is unfolded;
/// and always the one that the next iteration goes to.
fn listed_rows<'a>(table: &Table<'a>, state: &ChildTableState, order: &str) -> Vec<&'a ChildTerms> {
    let (model, why) = (table.model, &table.details.child_scores);
    // A folded node keeps its table.
    let lists_hidden = state.is_unfolded || why.children.is_empty();
    let hidden = why.hidden_children.iter().filter(|_| lists_hidden);
    let best = model.best_child(table.details.node());
    let best = best.map(|node| model.row(node));
    let mut rows = ordered_children(model, why.children.iter().chain(hidden), order, best);
    let limit = match state.is_unfolded {
        true => MAX_UNFOLDED_CHILDREN,
        false => table.max_listed,
    };
    let is_next = |terms: &&ChildTerms| Some(terms.row) == why.next_row;
    if let Some(next) = why.all_children().find(is_next)
        && !rows.iter().take(limit).any(is_next)
    {
        rows.truncate(limit - 1);
        rows.push(next);
    }
    rows.truncate(limit);
    rows
}

impl Table<'_> {
    fn has_formula(&self) -> bool {
        self.details.child_scores.formula.is_some()
    }

    fn headings(&self) -> Vec<(String, f32)> {
        let visits = self.model.visits_unit();
        let names: Vec<String> = if self.has_formula() {
            let owner = self.details.chooser();
            let mean = format!("{owner}’s mean");
            ["move", visits, &mean, "+ explore", "= score"]
                .map(str::to_owned)
                .to_vec()
        } else {
            let value = self.details.child_value_heading.clone();
            vec!["move".to_owned(), visits.to_owned(), value]
        };
        names.into_iter().zip(self.column_ends()).collect()
    }

    fn column_ends(&self) -> Vec<f32> {
        let shares: &[f32] = if self.has_formula() {
            &COLUMN_ENDS
        } else {
            &VALUE_COLUMN_ENDS
        };
        shares
            .iter()
            .map(|share| share * self.width - 4.0)
            .collect()
    }

    fn show_headings(&self, ui: &mut Ui) {
        let (rect, _) = ui.allocate_exact_size(vec2(self.width, 20.0), Sense::hover());
        let font = FontId::proportional(HEADING_SIZE);
        for (index, (text, end)) in self.headings().into_iter().enumerate() {
            let (x, align) = match index {
                0 => (rect.left() + 6.0, Align2::LEFT_CENTER),
                _ => (rect.left() + end, Align2::RIGHT_CENTER),
            };
            let at = pos2(x, rect.center().y);
            let written = (ui.painter()).text(at, align, &text, font.clone(), self.theme.dim);
            let term = text.trim_start_matches(['+', '=', ' ']);
            let place = written.expand2(vec2(4.0, 2.0));
            let id = ui.scope_id().with(("heading", index));
            explain_term(ui.interact(place, id, Sense::hover()), term);
        }
    }

    /// A child as a row.
    fn show_row(&self, terms: &ChildTerms, rect: Rect, marks: &RowMarks, ui: &Ui) {
        let (theme, painter) = (self.theme, ui.painter());
        if marks.is_hovered {
            painter.rect_filled(rect, 4.0, theme.card);
        }
        let text = if marks.is_hidden {
            theme.dim
        } else {
            theme.text
        };
        let ends = self.column_ends();
        self.show_move(terms, rect, ends[0], (text, marks.is_next), ui);
        self.show_visits(terms, rect, (ends[0] + 6.0, ends[1]), text, ui);
        let figures = FontId::proportional(TEXT_SIZE);
        let write = |column: usize, text: String, font: &FontId, colour: Color32| {
            let at = pos2(rect.left() + ends[column], rect.center().y);
            painter.text(at, Align2::RIGHT_CENTER, text, font.clone(), colour);
        };
        if self.has_formula() {
            let term = |value: Option<f64>| {
                value.map_or_else(
                    || NO_DATA.to_owned(),
                    |value| fixed(value, self.decimals.terms),
                )
            };
            write(2, term(terms.mean), &figures, text);
            write(3, term(terms.exploration), &figures, theme.dim);
            let score = score_text(terms, self.decimals.scores);
            if marks.is_next {
                let strong = FontId::new(TEXT_SIZE, fonts::semibold());
                write(4, score, &strong, theme.good);
            } else {
                write(4, score, &figures, text);
            }
        } else {
            let value = self.details.child_value(terms.row);
            write(2, value.to_owned(), &figures, text);
        }
        if marks.is_chosen {
            let stroke = Stroke::new(1.5, theme.warm);
            painter.rect_stroke(rect, 4.0, stroke, StrokeKind::Inside);
        }
    }

    /// The move with its marks: next, shared.
    fn show_move(
        &self,
        terms: &ChildTerms,
        rect: Rect,
        end: f32,
        (colour, is_next): (Color32, bool),
        ui: &Ui,
    ) {
        let painter = ui.painter();
        let is_shared = self.model.is_shared(terms.row);
        let result = (self.result_of)(terms.row);
        let marks = 12.0 * (f32::from(is_next) + f32::from(is_shared))
            + RESULT_ROOM * f32::from(result.is_some());
        let name = display_move(&self.model.row_reading(terms.row));
        let font = FontId::new(TEXT_SIZE, fonts::semibold());
        let room = end - 6.0 - marks;
        let (galley, _) = elide(painter, &name, (&font, colour), room);
        let size = galley.size();
        let middle = rect.center().y;
        let left = rect.left() + 6.0;
        painter.galley(pos2(left, middle - size.y / 2.0), galley, colour);
        if is_shared {
            draw_diamond(ui, pos2(left + size.x + 7.0, middle), self.theme.dim);
        }
        if let Some(class) = result {
            let x = left + size.x + 10.0 + 12.0 * f32::from(is_shared);
            truth_marks::draw_class(painter, pos2(x, middle), RESULT_RADIUS, class, self.theme);
        }
        if is_next {
            draw_next_mark(ui, pos2(rect.left() + end - 4.0, middle), self.theme.good);
        }
    }

    /// The visits with a bar.
    fn show_visits(
        &self,
        terms: &ChildTerms,
        rect: Rect,
        (from, to): (f32, f32),
        colour: Color32,
        ui: &Ui,
    ) {
        let (theme, painter) = (self.theme, ui.painter());
        let visits = self.model.tree.nodes()[terms.row].visits;
        let room = Rect::from_min_max(
            pos2(rect.left() + from, rect.top() + 5.0),
            pos2(rect.left() + to, rect.bottom() - 5.0),
        );
        painter.rect_filled(room, 2.0, theme.line);
        let part = (visits as f32 / self.most as f32).clamp(0.0, 1.0);
        let bar = Rect::from_min_size(room.min, vec2(room.width() * part, room.height()));
        painter.rect_filled(bar, 2.0, theme.warm.gamma_multiply(0.5));
        let at = pos2(room.right() - 3.0, room.center().y);
        let font = FontId::proportional(TEXT_SIZE);
        painter.text(
            at,
            Align2::RIGHT_CENTER,
            format_signed(visits),
            font,
            colour,
        );
    }

    /// What stands under the pointer: the whole name, visits of a shared node, and further figures.
    fn hint(&self, terms: &ChildTerms) -> String {
        let name = self.model.row_reading(terms.row);
        let mut text: String = name.chars().take(400).collect();
        if let Some(all) = self.model.shared_visits(terms.row) {
            let own = format_signed(self.model.tree.nodes()[terms.row].visits);
            text += &format!(
                "\nShared: {own} visits by this move, {} of the position by all moves.",
                format_thousands(all)
            );
        } else if self.model.is_shared(terms.row) {
            text += "\nShared: other moves lead to this position, too.";
        }
        for column in self.model.columns() {
            if let Some(value) = column_text(column, terms.row) {
                text += &format!("\n{} {value}", escape_invisible(&column.name));
            }
        }
        text + match terms.node {
            Some(_) => "\nClick for its arithmetic, double-click to go there.",
            None => "\nNot shown in the tree. Click for its arithmetic.",
        }
    }

    /// The row that stands for children that are not listed, which unfolds.
    fn show_rest(&self, rows: &[&ChildTerms], state: &mut ChildTableState, ui: &mut Ui) {
        let (theme, why) = (self.theme, &self.details.child_scores);
        let absent = why.hidden - why.hidden_children.len();
        let unlisted = why.all_children().count() - rows.len();
        if state.is_unfolded {
            if unlisted > 0 {
                let more = format_thousands(unlisted as u64);
                ui.label(RichText::new(format!("and {more} more")).color(theme.dim));
            }
            if !why.hidden_children.is_empty() || why.children.len() > self.max_listed {
                let fold = ui.link("fewer");
                let fold =
                    fold.explained("fewer children", "Only the children that the tree shows");
                if fold.clicked() {
                    state.is_unfolded = false;
                    ui.ctx().request_repaint();
                }
            }
        }
        let folded = if state.is_unfolded { 0 } else { unlisted };
        if folded + absent == 0 {
            return;
        }
        let size = vec2(self.width, ROW_HEIGHT);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let response = response.named("hidden children");
        let colour = if response.hovered() {
            theme.text
        } else {
            theme.dim
        };
        let count = format!("+{} hidden", format_thousands((folded + absent) as u64));
        let font = FontId::proportional(TEXT_SIZE);
        let left = pos2(rect.left() + 6.0, rect.center().y);
        let painter = ui.painter();
        painter.text(left, Align2::LEFT_CENTER, count, font.clone(), colour);
        let visits = |terms: &ChildTerms| i64::from(self.model.tree.nodes()[terms.row].visits);
        let all: i64 = why.all_children().map(visits).sum();
        let hidden = all - rows.iter().map(|terms| visits(terms)).sum::<i64>();
        if hidden > 0 && folded > 0 {
            let visits = format!("{} visits", format_thousands(hidden.unsigned_abs()));
            let right = pos2(rect.right() - 4.0, rect.center().y);
            painter.text(right, Align2::RIGHT_CENTER, visits, font, theme.dim);
        }
        if response.clicked() && folded > 0 {
            state.is_unfolded = true;
            ui.ctx().request_repaint();
        }
        response.on_hover_text(match folded {
            0 => "The file does not have these children.",
            _ => "Click to list them. The search chooses among all children, whatever is shown of them.",
        });
    }
}

/// A triangle that points to where the next iteration goes; `at` is its tip.
pub(super) fn draw_next_mark(ui: &Ui, at: Pos2, colour: Color32) {
    let points = vec![at, at + vec2(-8.0, -5.0), at + vec2(-8.0, 5.0)];
    ui.painter()
        .add(Shape::convex_polygon(points, colour, Stroke::NONE));
}

/// The mark of a shared node.
fn draw_diamond(ui: &Ui, at: Pos2, colour: Color32) {
    let points = [(0.0, -4.0), (4.0, 0.0), (0.0, 4.0), (-4.0, 0.0)];
    let points = points.map(|(x, y)| at + vec2(x, y)).to_vec();
    let outline = Stroke::new(1.2, colour);
    ui.painter().add(Shape::closed_line(points, outline));
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
        let about = "The most visited child first";
        if by_visits.explained("order by visits", about).clicked() {
            order.clear();
        }
        for Column { name, .. } in model.columns() {
            let label = ui.selectable_label(order == name, &*escape_invisible(name));
            let about = format!("The child with the most {} first", escape_invisible(name));
            let label = label.explained(&format!("order by {name}"), about);
            if label.clicked() {
                order.clone_from(name);
            }
        }
    });
}

/// The children by the values of a column, the largest first and those without one last. If there is no such column, by
/// what the search chooses by: values in a classical search, else visits.
fn ordered_children<'a>(
    model: &TreeModel,
    children: impl Iterator<Item = &'a ChildTerms>,
    order: &str,
    chosen: Option<usize>,
) -> Vec<&'a ChildTerms> {
    let mut ordered: Vec<&ChildTerms> = children.collect();
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
    } else if model.is_classical() {
        let value = |terms: &ChildTerms| terms.mean.unwrap_or(f64::NEG_INFINITY);
        // Of equal values that of the chosen move is known best.
        ordered.sort_by(|one, other| {
            let is_chosen = |terms: &ChildTerms| Some(terms.row) == chosen;
            let by_value = value(other).total_cmp(&value(one));
            by_value.then(is_chosen(other).cmp(&is_chosen(one)))
        });
    } else {
        ordered.sort_by_key(|terms| std::cmp::Reverse(model.tree.nodes()[terms.row].visits));
    }
    ordered
}
