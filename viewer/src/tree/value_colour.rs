//! Edges coloured by value: a diverging scale centred on one half, in evaluation units on 0, with the first player at one
//! end and the second at the other, whoever is to move.

use canopy_engine::games::{Outcome, Player};

use crate::{
    draw::theme::{Theme, mix},
    tree::{
        model::TreeModel,
        node_value::{classical_value, wording},
        proof,
    },
};

/// Visits from which an edge has its full colour; below, it fades.
pub const CONFIDENT_VISITS: i32 = 30;
/// Ends of the scale are rounded up to multiples of this share.
const STEP: f64 = 0.05;

/// The two kinds of colour scales.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeColours {
    /// From the least to the most.
    #[default]
    Sequential,
    /// From the first player's end over the middle to the second's.
    Diverging,
}

impl EdgeColours {
    /// The colour of a place on the scale, from 0 to 1.
    pub fn rgb(self, theme: &Theme, heat: f32) -> [u8; 3] {
        let colour = match self {
            Self::Sequential => mix_linear(theme.edge_least, theme.edge_most, heat),
            Self::Diverging if heat < 0.5 => mix(theme.side_a, theme.side_mid, heat * 2.0),
            Self::Diverging => mix(theme.side_mid, theme.side_b, heat * 2.0 - 1.0),
        };
        [colour.r(), colour.g(), colour.b()]
    }

    /// The opacity of an edge at a place on the scale, with a number of visits.
    pub fn opacity(self, heat: f32, visits: i32, is_classical: bool) -> f32 {
        match self {
            // Rarely visited ones recede.
            Self::Sequential => 0.6 + 0.4 * heat,
            Self::Diverging if is_classical => 1.0,
            // One visit is the least that is drawn.
            Self::Diverging => (visits.max(1) as f32 / CONFIDENT_VISITS as f32).min(1.0),
        }
    }
}

fn mix_linear(least: egui::Color32, most: egui::Color32, heat: f32) -> egui::Color32 {
    let mix = |least: u8, most: u8| {
        (f32::from(least) + (f32::from(most) - f32::from(least)) * heat).round() as u8
    };
    egui::Color32::from_rgb(
        mix(least.r(), most.r()),
        mix(least.g(), most.g()),
        mix(least.b(), most.b()),
    )
}

/// How far the values of a tree lie from one half. A few nodes far out would leave all others grey: the scale ends at twice
/// the root mean square of the distances, each weighted by visits, unless all of them lie within.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueSpread {
    most: f64,
    weight: f64,
    squares: f64,
}

impl ValueSpread {
    /// That of one node.
    pub fn of(mean: f64, visits: i32) -> Self {
        let (distance, weight) = ((mean - 0.5).abs(), f64::from(visits));
        Self {
            most: distance,
            weight,
            squares: weight * distance * distance,
        }
    }

    /// That of both.
    pub fn merge(self, other: Self) -> Self {
        Self {
            most: self.most.max(other.most),
            weight: self.weight + other.weight,
            squares: self.squares + other.squares,
        }
    }

    /// Half the width of the scale, rounded up; the whole range if nothing is known.
    pub fn half_width(&self) -> f64 {
        if self.weight <= 0.0 || self.most <= 0.0 {
            return 0.5;
        }
        let spread = self.most.min(2.0 * (self.squares / self.weight).sqrt());
        ((spread / STEP - 1e-9).ceil() * STEP).clamp(STEP, 0.5)
    }

    /// Whether values lie beyond the ends.
    fn is_exceeded(&self) -> bool {
        self.most > self.half_width() + 1e-9
    }
}

/// The place on the scale of a node whose share for the first player is `share`: 0 for the first player's end.
pub fn heat(share: f64, half_width: f64) -> f32 {
    let part = 0.5 - (share - 0.5) / (2.0 * half_width);
    if part.is_finite() {
        part.clamp(0.0, 1.0) as f32
    } else {
        0.5
    }
}

/// The share of a node for the first player; not a number without data.
pub fn first_share(model: &TreeModel, node: usize) -> f64 {
    let stats = model.node(node);
    match stats.visits > 0 {
        true if model.is_mean_of_first(node) => stats.mean,
        true => 1.0 - stats.mean,
        false => f64::NAN,
    }
}

/// The opacity of edges to nodes whose result is not proven, coloured by proof.
const UNPROVEN_OPACITY: f32 = 0.5;

/// The place on the scale of the edge into a node by its proven result, and its opacity: pale in the middle if there is none.
pub fn proof_colour(model: &TreeModel, node: usize) -> (f32, f32) {
    match proof::proven(model, model.row(node)) {
        Some(Outcome::Win(Player::First)) => (0.0, 1.0),
        Some(Outcome::Win(Player::Second)) => (1.0, 1.0),
        Some(Outcome::Draw) => (0.5, 1.0),
        None => (0.5, UNPROVEN_OPACITY),
    }
}

/// What the two ends of the scale mean, the first player's first: "Black wins 70 %" and "White wins 70 %", or "South +4
/// stones" and "North +4 stones".
pub fn end_labels(model: &TreeModel, spread: &ValueSpread) -> [String; 2] {
    let wording = wording(model);
    let end = 0.5 + spread.half_width();
    let more = if spread.is_exceeded() { " or more" } else { "" };
    [Player::First, Player::Second].map(|player| {
        let name = wording.name(player);
        if end >= 1.0 {
            return format!("{name} wins");
        }
        if model.is_classical() {
            return wording.label(player, &classical_value(end, player)) + more;
        }
        format!("{name} wins {:.0} %{more}", end * 100.0)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{Tree, TreeRow, extra::Extra, meta::Meta};
    use egui::Color32;

    use super::*;
    use crate::{
        draw::palette::contrast,
        tree::{
            camera::{Camera, Canvas},
            model::ModelSource,
            scene::{RenderOptions, build_scene, tree_bounds},
        },
    };

    /// A root with children of these visits and means.
    fn model(parameter: &str, game: &str, children: &[(i32, f64)]) -> TreeModel {
        let root = TreeRow::new("m", 100, 0.5, children.len() as u32);
        let rows = (children.iter()).map(|&(visits, mean)| TreeRow::new("m", visits, mean, 0));
        let tree = Tree::from_rows([root].into_iter().chain(rows)).expect("a whole tree");
        TreeModel::new(ModelSource {
            meta: Some(Arc::new(Meta {
                game: game.to_owned(),
                parameters: [(parameter.to_owned(), "4".to_owned())].into(),
                ..Meta::default()
            })),
            ..ModelSource::of(tree)
        })
    }

    #[test]
    fn the_scale_is_centred_and_names_both_sides() {
        // 0.62 is 0.12 from one half, which rounds up to 0.15; the third child has too few visits to count.
        let othello = model("select", "othello", &[(60, 0.62), (40, 0.45), (2, 1.0)]);
        assert_eq!(
            end_labels(&othello, &othello.value_spread),
            ["Black wins 65 %", "White wins 65 %"]
        );
        let half = othello.value_spread.half_width();
        assert!((heat(0.5, half) - 0.5).abs() < 1e-6);
        assert_eq!((heat(0.65, half), heat(0.35, half)), (0.0, 1.0));
        assert_eq!(heat(f64::NAN, half), 0.5);
        // All children were the first player's moves.
        assert_eq!(first_share(&othello, 1), 0.62);
        let fresh = model("select", "othello", &[(1, 1.0)]);
        assert_eq!(
            end_labels(&fresh, &fresh.value_spread),
            ["Black wins", "White wins"]
        );
    }

    /// Of 1,060 visits 60 lie 0.4 from one half, the others 0.02: twice √((60 · 0.16 + 1,000 · 0.0004) / 1,060) is 0.194.
    #[test]
    fn a_few_values_far_out_do_not_leave_all_others_grey() {
        let model = model("select", "othello", &[(1_000, 0.52), (60, 0.9)]);
        assert!((model.value_spread.half_width() - 0.2).abs() < 1e-9);
        assert_eq!(
            end_labels(&model, &model.value_spread)[0],
            "Black wins 70 % or more"
        );
    }

    /// 0.7: part 0.4, 2 · 0.4 / 0.6 = 1.333 stones; rounded up to 0.7 already. Proven wins do not widen the scale.
    #[test]
    fn the_scale_of_a_classical_search_is_in_its_units() {
        let kalah = model("depth", "kalah", &[(3, 0.7), (2, 0.45), (2, 1.0)]);
        assert_eq!(
            end_labels(&kalah, &kalah.value_spread),
            ["South +1.3 stones", "North +1.3 stones"]
        );
    }

    #[test]
    fn proven_results_have_the_colours_of_their_winners_and_the_rest_is_pale() {
        let mut source = model(
            "select",
            "othello",
            &[(4, 0.9), (4, 0.1), (4, 0.5), (4, 0.9)],
        )
        .source();
        let proven = [
            None,
            Some(Outcome::Win(Player::First)),
            Some(Outcome::Win(Player::Second)),
            Some(Outcome::Draw),
            None,
        ];
        let extra = proven.map(|proven| Extra {
            proven,
            ..Extra::default()
        });
        assert!(!TreeModel::new(source.clone()).has_proofs());
        source.extra = Some(Arc::new(extra.to_vec()));
        let model = TreeModel::new(source);
        assert!(model.has_proofs());
        let colours: Vec<(f32, f32)> = (1..5).map(|node| proof_colour(&model, node)).collect();
        let pale = UNPROVEN_OPACITY;
        assert_eq!(colours, [(0.0, 1.0), (1.0, 1.0), (0.5, 1.0), (0.5, pale)]);
    }

    #[test]
    fn one_visit_leaves_fade() {
        let opacity = |visits| EdgeColours::Diverging.opacity(0.2, visits, false);
        assert!((opacity(15) - 0.5).abs() < 1e-6);
        assert_eq!((opacity(30), opacity(3_000)), (1.0, 1.0));
        assert!(opacity(1) < 0.04 && opacity(1) > 0.0);
    }

    /// The colour of an edge as it is seen on the canvas.
    fn seen(theme: &Theme, rgb: [u8; 3], opacity: f32) -> Color32 {
        let [red, green, blue] = rgb;
        mix(theme.canvas, Color32::from_rgb(red, green, blue), opacity)
    }

    #[test]
    fn edges_of_equal_visits_stand_out_from_the_canvas() {
        let canvas = Canvas {
            width: 800.0,
            height: 600.0,
            scale: 1.0,
        };
        for visits in [0, 1, 25, 400_000] {
            let model = model("select", "othello", &[(visits, 0.5); 4]);
            for theme in crate::draw::palette::safe_themes() {
                let options = RenderOptions::default();
                let camera = Camera::fit(&tree_bounds(&model), &canvas);
                let scene = build_scene(&model, &camera, &canvas, &options, None, 1.0);
                assert_eq!(scene.edges.len(), 4);
                for edge in &scene.edges {
                    let rgb = scene.colours.rgb(&theme, edge.heat);
                    let colour = seen(&theme, rgb, edge.opacity * edge.width.min(1.0));
                    let ratio = contrast(colour, theme.canvas);
                    assert!(ratio >= 3.0, "{visits} visits: {ratio} in {theme:?}");
                }
            }
        }
    }
}
