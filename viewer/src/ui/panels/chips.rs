//! The chips in the upper corner of the canvas: what is shown, and how much of it.

use canopy_engine::{games::notation::escape_invisible, tree::meta::Meta};
use egui::{FontId, Rect, Sense, Stroke, StrokeKind, Ui, pos2, text::LayoutJob, vec2};

use crate::{
    app::{Action, App},
    draw::theme::Theme,
    tree::{model::TreeModel, scene::format_thousands},
    ui::controls::Named as _,
};

/// Trees of fewer nodes are readable as they are.
const MIN_NODES_TO_FOLD: usize = 30;

/// A chip: its text, and what a click on it does.
struct Chip {
    text: String,
    link: Option<&'static str>,
}

impl Chip {
    fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            link: None,
        }
    }
}

/// Shows the chips. Returns their places.
pub(super) fn show(
    app: &App,
    model: &TreeModel,
    area: Rect,
    ui: &Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) -> Vec<Rect> {
    let painter = ui.painter_at(area);
    let corner = area.min + vec2(16.0, 12.0);
    let mut at = corner;
    let mut places = Vec::new();
    for (index, chip) in chips(app, model).into_iter().enumerate() {
        let font = FontId::proportional(12.0);
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
        let mut line = theme.line;
        if chip.link.is_some() {
            let response = ui.interact(rect, ui.scope_id().with(("chip", index)), Sense::click());
            let response = response.named("shown nodes");
            if response.hovered() {
                line = theme.cool;
            }
            if response
                .on_hover_text("The main lines, or the whole tree (a)")
                .clicked()
            {
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
        if app.settings.folded[0] && app.session.is_none() {
            if !meta.game.is_empty() {
                chips.push(Chip::new(escape_invisible(&meta.game)));
            }
            chips.push(Chip::new(search_chip_text(meta)));
        }
        let iterations = app
            .document
            .timeline
            .shown_iteration
            .map_or(meta.iterations, u64::from);
        if iterations > 0 {
            chips.push(Chip::new(format!(
                "{} iterations",
                format_thousands(iterations)
            )));
        }
    }
    chips.push(node_chip(app, model));
    if model.left_out > 0 && model.least_visits > 0 {
        chips.push(Chip::new(omitted_nodes_text(
            model.left_out,
            model.least_visits,
        )));
    } else if model.left_out > 0 {
        chips.push(Chip::new(format!(
            "{} more in the search",
            format_thousands(model.left_out)
        )));
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
        format!("{shown} {nodes} · depth {}", model.depth() - 1)
    };
    Chip {
        text,
        link: match app.document.filter.readable {
            true => Some("show all"),
            false if model.len() >= MIN_NODES_TO_FOLD => Some("main lines"),
            false => None,
        },
    }
}

/// The search, with its constant if it has one. Older sidecars name one for UCB1-tuned, too.
fn search_chip_text(meta: &Meta) -> String {
    let parameter = |name| meta.parameters.get(name).map(String::as_str);
    match parameter("exploration") {
        Some(constant) if parameter("select") != Some("ucb1-tuned") => {
            format!(
                "{} · C {}",
                escape_invisible(&meta.search),
                escape_invisible(constant)
            )
        }
        _ => escape_invisible(&meta.search).into_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_is_shown_with_searches_that_have_one() {
        let chip = |select: &str| {
            let parameters = [("select", select), ("exploration", "0.5")];
            search_chip_text(&Meta {
                search: "some".to_owned(),
                parameters: (parameters.iter())
                    .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
                ..Meta::default()
            })
        };
        assert_eq!(chip("uct"), "some · C 0.5");
        assert_eq!(chip("ucb1-tuned"), "some");
    }
}
