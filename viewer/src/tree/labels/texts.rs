//! The words of labels.

use std::fmt;

use canopy_engine::games::notation::escape_invisible;

use super::SizedText;
use crate::{
    draw::fonts::TextRenderer,
    tree::{
        model::TreeModel,
        node_value::{NodeValues, ValueView, wording},
        scene::format_thousands,
        value_label::value_label,
        value_text::percent,
    },
};

/// Size of the move, in points.
pub const TITLE_SIZE: f32 = 13.0;
/// Size of everything after the move, in points.
pub const REST_SIZE: f32 = 12.0;
/// Height of the first line, in points.
pub const FIRST_LINE: f32 = 15.0;
/// Height of the second line, in points.
pub const SECOND_LINE: f32 = 14.0;
/// Upper bound of a name's letters.
const MAX_NAME_CHARS: usize = 24;

/// The text of a label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelText {
    /// The move, in semibold.
    pub title: String,
    /// What follows it on the first line.
    pub rest: String,
    /// The second line; empty if there is none.
    pub second: String,
}

impl LabelText {
    /// Whether it tells nothing but the move.
    pub(super) fn is_name_only(&self) -> bool {
        self.rest.is_empty() && self.second.is_empty()
    }
}

/// As one line.
impl fmt::Display for LabelText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.title, self.rest)?;
        match self.second.as_str() {
            "" => Ok(()),
            second => write!(f, " {second}"),
        }
    }
}

/// Measures texts in the two weights that labels have.
pub(super) struct TextMeasure {
    semibold: TextRenderer,
    regular: TextRenderer,
}

impl Default for TextMeasure {
    fn default() -> Self {
        Self {
            semibold: TextRenderer::semibold(),
            regular: TextRenderer::regular(),
        }
    }
}

impl TextMeasure {
    /// A text with the size of its box.
    pub(super) fn sized(&mut self, text: LabelText, scale: f32) -> SizedText {
        let first = self.semibold.width(&text.title, TITLE_SIZE * scale)
            + self.regular.width(&text.rest, REST_SIZE * scale);
        let second = self.regular.width(&text.second, REST_SIZE * scale);
        let height = match text.second.is_empty() {
            true => FIRST_LINE,
            false => FIRST_LINE + SECOND_LINE,
        };
        SizedText {
            size: (first.max(second).ceil(), (height * scale).ceil()),
            line_widths: [first, second],
            text,
        }
    }
}

/// The texts of a node from long to short; with a `value_view`, the longest has a second line with its value.
pub(super) fn node_texts(
    model: &TreeModel,
    node: usize,
    value_view: Option<ValueView>,
) -> Vec<LabelText> {
    let visits = u64::from(model.node(node).visits.max(0).unsigned_abs());
    let name = match node {
        0 => "root".to_owned(),
        _ => shorten(&model.reading(node)),
    };
    let (long, short) = (format_thousands(visits), short_count(visits));
    let counts = match (node, visits) {
        // Nothing is known of a node that was never visited.
        (_, 0) => Vec::new(),
        (0, 1) if !model.is_classical() => {
            let unit = model.visits_unit().trim_end_matches('s');
            vec![format!(" {long} {unit}")]
        }
        (0, _) => {
            let unit = model.visits_unit();
            vec![format!(" {long} {unit}"), format!(" {short}")]
        }
        _ if name.is_empty() => vec![long, short],
        _ => vec![format!(" · {long}"), format!(" · {short}")],
    };
    let value = value_view
        .filter(|_| node != 0)
        .and_then(|view| value_label(model, node, view));
    let mut texts = Vec::new();
    if let (Some(second), Some(rest)) = (value, counts.first()) {
        texts.push(LabelText {
            title: name.clone(),
            rest: rest.clone(),
            second,
        });
    }
    let is_unnamed = name.is_empty();
    for rest in counts {
        texts.push(LabelText {
            title: name.clone(),
            rest,
            second: String::new(),
        });
    }
    if !is_unnamed {
        texts.push(LabelText {
            title: name,
            ..LabelText::default()
        });
    }
    texts.dedup();
    texts
}

/// The texts of a node for a figure: its move, and if wanted the root's moves with their shares of the visits. The root has the
/// side to move.
pub(super) fn plain_texts(model: &TreeModel, node: usize, has_share: bool) -> Vec<LabelText> {
    let alone = |title: String| LabelText {
        title,
        ..LabelText::default()
    };
    if node == 0 {
        let player = NodeValues::new(model, ValueView::Root).chooser(0);
        let name = wording(model).name(player);
        return vec![LabelText {
            rest: format!("{name} to move"),
            ..LabelText::default()
        }];
    }
    let name = shorten(&model.reading(node));
    let total = model.visits_below(0);
    let is_shared = has_share && model.parents[node] == 0 && total > 0;
    let share = is_shared.then(|| {
        let visits = u64::from(model.node(node).visits.max(0).unsigned_abs());
        percent(visits as f64 / total as f64, 0)
    });
    let mut texts = Vec::new();
    if let Some(share) = share {
        texts.push(LabelText {
            rest: format!(" · {share}"),
            ..alone(name.clone())
        });
    }
    texts.push(alone(name));
    texts
}

/// The texts of the triangle that stands for hidden moves.
pub(super) fn fold_texts(moves: u32, is_at_root: bool) -> Vec<LabelText> {
    let count = format!("+{}", format_thousands(moves.into()));
    let long = is_at_root.then(|| format!("{count} more"));
    (long.into_iter().chain([count]))
        .map(|rest| LabelText {
            rest,
            ..LabelText::default()
        })
        .collect()
}

/// A count in few letters: "992", "5.5 k", "553 k", "1.5 M".
pub fn short_count(count: u64) -> String {
    let tenths = |unit: u64| (count + unit / 20) / (unit / 10);
    match count {
        0..=999 => count.to_string(),
        1_000..=9_949 => {
            let tenths = tenths(1_000);
            format!("{}.{} k", tenths / 10, tenths % 10)
        }
        9_950..=999_499 => format!("{} k", (count + 500) / 1_000),
        _ => {
            let tenths = tenths(1_000_000);
            format!("{}.{} M", format_thousands(tenths / 10), tenths % 10)
        }
    }
}

/// A name that is not too long for a label.
fn shorten(name: &str) -> String {
    let plain: String = (escape_invisible(name).chars())
        .take(MAX_NAME_CHARS + 1)
        .collect();
    if plain.chars().count() <= MAX_NAME_CHARS {
        plain
    } else {
        let short: String = plain.chars().take(MAX_NAME_CHARS - 1).collect();
        short + "…"
    }
}
