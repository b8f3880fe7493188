//! The chips in the upper corner of the canvas: what is shown, and how much of it.

use egui::{FontId, Rect, Sense, Stroke, StrokeKind, Ui, pos2, text::LayoutJob, vec2};

use super::explain_term;
use crate::{
    app::{Action, App},
    draw::theme::Theme,
    tree::{
        model::TreeModel,
        scene::format_thousands,
        title::{game_title, search_line},
    },
    ui::{
        controls::{self, Named as _},
        keys::{Command, hint},
    },
};

/// Trees of fewer nodes are readable as they are.
const MIN_NODES_TO_FOLD: usize = 30;

/// A chip: its text, the term that explains it, and what a click on it does.
struct Chip {
    text: String,
    term: &'static str,
    link: Option<&'static str>,
}

impl Chip {
    fn new(text: impl Into<String>, term: &'static str) -> Self {
        Self {
            text: text.into(),
            term,
            link: None,
        }
    }
}

/// Shows the chips. Returns their places.
pub(super) fn show(
    app: &App,
    area: Rect,
    ui: &Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) -> Vec<Rect> {
    let Some(model) = &app.document.model else {
        return Vec::new();
    };
    let painter = ui.painter_at(area);
    let corner = area.min + vec2(16.0, 12.0);
    let mut at = corner;
    let mut places = Vec::new();
    for (index, chip) in chips(app, model).into_iter().enumerate() {
        let font = FontId::proportional(12.0);
        let told = format!("chip: {}", chip.text);
        let mut job = LayoutJob::simple_singleline(chip.text, font.clone(), theme.text);
        if let Some(link) = chip.link {
            let format = egui::TextFormat::simple(font, theme.cool);
            job.append(link, 6.0, format);
        }
        let text = painter.layout_job(job);
        let size = text.size() + vec2(20.0, 8.0);
        if at.x > corner.x && at.x + size.x > area.right() - 16.0 {
            at = pos2(corner.x, at.y + size.y + 8.0);
        }
        let rect = Rect::from_min_size(at, size);
        controls::register(ui.ctx(), &told, rect);
        let mut line = theme.line;
        let id = ui.scope_id().with(("chip", index));
        if chip.link.is_none() {
            explain_term(ui.interact(rect, id, Sense::hover()), chip.term);
        } else {
            let response = ui.interact(rect, id, Sense::click());
            let about = hint("The main lines, or the whole tree", Command::Readable);
            let response = response.explained("shown nodes", about);
            if response.hovered() || response.has_focus() {
                line = theme.cool;
            }
            if response.clicked() {
                actions.push(Action::ToggleReadable);
            }
        }
        painter.rect(
            rect,
            rect.height() / 2.0,
            theme.card,
            Stroke::new(1.0, line),
            StrokeKind::Inside,
        );
        painter.galley(rect.min + vec2(10.0, 4.0), text, theme.text);
        at.x = rect.right() + 8.0;
        places.push(rect);
    }
    places
}

fn chips(app: &App, model: &TreeModel) -> Vec<Chip> {
    let mut chips = Vec::new();
    if let Some(meta) = &model.meta {
        // The panel on the left says this, too.
        if app.is_panel_folded(0) && app.session.is_none() {
            if !meta.game.is_empty() {
                chips.push(Chip::new(game_title(&meta.game), "Game"));
            }
            chips.push(Chip::new(search_line(meta), "Search"));
        }
        let iterations = app
            .document
            .timeline
            .shown_iteration
            .map_or(meta.iterations, u64::from);
        if iterations > 0 {
            let text = format!("{} iterations", format_thousands(iterations));
            chips.push(Chip::new(text, "Iterations"));
        }
    }
    chips.push(node_chip(app, model));
    if app.hides_answer() {
        let text = hint("answer hidden", Command::Readable);
        chips.push(Chip::new(text, "Move chosen"));
    }
    if model.left_out > 0 && model.least_visits > 0 {
        let text = omitted_nodes_text(model.left_out, model.least_visits);
        chips.push(Chip::new(text, "Nodes"));
    } else if model.left_out > 0 {
        let text = format!("{} more in the search", format_thousands(model.left_out));
        chips.push(Chip::new(text, "Nodes"));
    }
    chips
}

/// How many nodes are shown, and the way to the others or to the main lines.
fn node_chip(app: &App, model: &TreeModel) -> Chip {
    let shown = format_thousands(model.len() as u64);
    let text = if model.hidden > 0 {
        let all = format_thousands(model.tree.nodes().len() as u64);
        format!("{shown} of {all} nodes shown")
    } else {
        let nodes = if model.len() == 1 { "node" } else { "nodes" };
        let depth = model.depth() - 1;
        match model.left_out {
            0 if model.len() > 1 => format!("all {shown} nodes shown · depth {depth}"),
            _ => format!("{shown} {nodes} · depth {depth}"),
        }
    };
    Chip {
        text,
        term: "Show",
        link: match app.document.filter.may_hide() {
            true => Some("show all"),
            false if model.len() >= MIN_NODES_TO_FOLD => Some("main lines only"),
            false => None,
        },
    }
}

/// The note on nodes left out for lack of memory or time.
fn omitted_nodes_text(nodes: u64, least_visits: u32) -> String {
    let (nodes, visits) = (
        format_thousands(nodes),
        format_thousands(least_visits.into()),
    );
    format!("{nodes} nodes below {visits} visits not shown")
}
