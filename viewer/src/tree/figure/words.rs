//! The words of a figure: its title, its caption and what its colours mean.

use canopy_engine::games::notation::escape_invisible;

use super::drawing::{Typefaces, Weight};
use crate::tree::{
    model::TreeModel,
    node_value::{NodeValues, ValueView, wording},
    scene::{ColourScale, Measure, format_signed, format_thousands},
    title::{game_title, search_line, search_title},
    value_colour,
};

/// The usual title of a tree: "Connect four, move 14: UCT, 20,000 iterations". `iteration` is the one that is shown, if it is
/// not the last. None if nothing is known of the tree.
pub fn title(model: &TreeModel, iteration: Option<u32>) -> Option<String> {
    let meta = model.meta.as_ref()?;
    let game = game_title(&meta.game);
    let search = search_title(meta.search.split(',').next().unwrap_or_default());
    if game.is_empty() || search.is_empty() {
        return None;
    }
    let position = format!("{game}, move {}", u64::from(meta.ply) + 1);
    let iterations = iteration.map_or(meta.iterations, u64::from);
    let effort = match (model.is_classical(), iterations) {
        (true, _) => format!("{} nodes", format_thousands(meta.nodes)),
        (false, 1) => "1 iteration".to_owned(),
        (false, count) => format!("{} iterations", format_thousands(count)),
    };
    Some(format!("{position}: {search}, {effort}"))
}

/// The usual caption: what is shown, who is to move, what was chosen and with which parameters.
pub fn caption(model: &TreeModel, iteration: Option<u32>) -> String {
    let values = NodeValues::new(model, ValueView::Root);
    let mover = values.wording.name(values.chooser(0));
    let is_whole = model.hidden == 0 && model.left_out == 0;
    let what = match is_whole {
        true => "All nodes of the tree",
        false => "The most visited moves",
    };
    let mut text = format!("{what}, {mover} to move.");
    if let Some(meta) = &model.meta {
        let chosen = meta.chosen.as_deref().filter(|_| iteration.is_none());
        match (chosen, search_line(meta)) {
            (Some(chosen), line) if !line.is_empty() => {
                let row = (model.child_rows(0).into_iter())
                    .find(|&row| model.tree.move_name(row) == chosen);
                let reading = row.map_or(chosen.into(), |row| model.row_reading(row));
                text += &format!(" {line}, chose {}.", escape_invisible(&reading));
            }
            (None, line) if !line.is_empty() => text += &format!(" {line}."),
            _ => {}
        }
    }
    if !is_whole {
        let total = model.tree.nodes().len() as u64 + model.left_out;
        text += &format!(
            " {} of {} nodes are shown.",
            format_thousands(model.len() as u64),
            format_thousands(total)
        );
    }
    text
}

/// What the colours of edges mean, with the values at their ends; none if no edge has a value.
pub(super) fn scale_text(model: &TreeModel, scale: &ColourScale) -> Option<String> {
    let (name, ends) = match scale.measure {
        Measure::Proof => {
            let [first, second] = wording(model).players;
            return Some(format!("{first} wins … draw … {second} wins"));
        }
        Measure::Mean => {
            let [first, second] = value_colour::end_labels(model, &model.value_spread);
            return Some(format!("{first} … {second}"));
        }
        Measure::Difference => return None,
        Measure::Column(index) => {
            let (least, most) = model.column_range(index)?.whole;
            let name = escape_invisible(&model.columns().get(index)?.name).into_owned();
            let ends = (least <= most).then(|| (format!("{least:.3}"), format!("{most:.3}")));
            (name, ends)
        }
        Measure::Visits | Measure::SearchVisits => {
            let (name, (least, most)) = match scale.measure {
                Measure::SearchVisits => ("visits in this search", model.second_range),
                _ if model.is_classical() => ("nodes searched", model.visit_range),
                _ => ("visits", model.visit_range),
            };
            let ends = (least <= most).then(|| (format_signed(least), format_signed(most)));
            let log = if scale.logarithmic { ", log" } else { "" };
            (format!("{name}{log}"), ends)
        }
    };
    let (least, most) = ends?;
    Some(match scale.per_layer {
        true => format!("least … most {name}, of each level"),
        false => format!("{least} … {most} {name}"),
    })
}

/// Breaks a text into lines that have room, each as runs of one weight: "Figure 1." at its beginning is semibold.
pub(super) fn wrap(
    text: &str,
    room: f32,
    size: f32,
    faces: &mut Typefaces,
) -> Vec<Vec<(String, Weight)>> {
    let strong = strong_words(text);
    let mut lines: Vec<Vec<(String, Weight)>> = Vec::new();
    let mut x = 0.0;
    for (index, word) in text.split_whitespace().enumerate() {
        let weight = match index < strong {
            true => Weight::Semibold,
            false => Weight::Regular,
        };
        let space = faces.width(" ", size, weight);
        let width = faces.width(word, size, weight);
        match lines.last_mut() {
            Some(line) if x + space + width <= room => {
                line.push((format!(" {word}"), weight));
                x += space + width;
            }
            _ => {
                lines.push(vec![(word.to_owned(), weight)]);
                x = width;
            }
        }
    }
    lines
}

/// How many words at the beginning number the figure: two in "Figure 1. ...", else none.
fn strong_words(text: &str) -> usize {
    let mut words = text.split_whitespace();
    let is_figure = matches!(words.next(), Some("Figure" | "Fig."));
    let is_number = |word: &str| word.ends_with(['.', ':']) && word.starts_with(char::is_numeric);
    match is_figure && words.next().is_some_and(is_number) {
        true => 2,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caption_is_broken_where_there_is_no_room_and_its_number_is_semibold() {
        let mut faces = Typefaces::default();
        let text = "Figure 1. Most visited moves after 13 discs, and their share of visits.";
        let lines = wrap(text, 100.0, 6.0, &mut faces);
        assert!(lines.len() > 1);
        for line in &lines {
            let width: f32 = (line.iter())
                .map(|(word, weight)| faces.width(word, 6.0, *weight))
                .sum();
            assert!(width <= 100.0, "{line:?}");
        }
        let all = lines.concat();
        let joined: Vec<&str> = all.iter().map(|(word, _)| word.trim()).collect();
        assert_eq!(joined.join(" "), text);
        let strong = all.iter().filter(|(_, weight)| *weight == Weight::Semibold);
        assert_eq!(strong.count(), 2);
        assert_eq!(strong_words("Figure it out."), 0);
        assert!(wrap("", 100.0, 6.0, &mut faces).is_empty());
    }
}
