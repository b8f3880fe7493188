//! Every term on screen is explained by the table of terms.

use std::collections::BTreeSet;

use canopy_engine::tree::columns::{Column, ColumnValues, Columns};
use canopy_viewer::{
    app::{Action, Direction},
    tree::model::TreeModel,
    ui::glossary,
};
use egui::Key;

use crate::{
    pictures::{classical_document, grow_document, grow_model, grow_with_journal, six_node_model},
    stage::Harness,
    support::Scratch,
};

/// The terms of the last frame, all of them explained.
fn explained_terms(stage: &mut Harness) -> BTreeSet<String> {
    stage.draw_frame();
    let terms: BTreeSet<String> = stage.controls_after("term ").into_iter().collect();
    let unknown: Vec<&String> = (terms.iter())
        .filter(|term| glossary::explain(term).is_none())
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    terms
}

fn assert_has(terms: &BTreeSet<String>, wanted: &[&str]) {
    for term in wanted {
        assert!(terms.contains(*term), "{term} is not in {terms:?}");
    }
}

#[test]
fn every_term_of_a_growing_tree_is_explained() {
    let scratch = Scratch::new("glossary-growth");
    let mut stage = Harness::dark();
    stage.size = (1600, 1400);
    stage.run_action(Action::Open(vec![grow_with_journal(&scratch)]));
    stage.wait_until("it is there", |app| {
        app.document.model.is_some() && app.document.timeline.status.is_some()
    });
    let terms = explained_terms(&mut stage);
    assert_has(
        &terms,
        &[
            "Colour",
            "Expected line",
            "Explore",
            "Figures",
            "Iterations",
            "Last iteration",
            "Mean",
            "Move chosen",
            "Next choice",
            "Nodes",
            "Parameters",
            "Score",
            "Search",
            "Selected",
            "Share of visits",
            "Show",
            "Value",
            "Visit discs",
            "Visits",
            "What the numbers say",
            "X wins",
            "X’s mean",
        ],
    );
}

#[test]
fn every_term_of_folded_and_distant_nodes_is_explained() {
    let mut stage = Harness::dark();
    stage.size = (1600, 1400);
    stage.show_model("othello.tree", grow_model("othello", "uct", 3000));
    stage
        .press_key(Key::A)
        .wait_until("nodes are folded", |app| {
            (app.document.model.as_ref()).is_some_and(|model| !model.folds.is_empty())
        });
    for _ in 0..2 {
        stage.run_action(Action::MoveSelection(Direction::Down));
    }
    stage.run_action(Action::FitSelected);
    let terms = explained_terms(&mut stage);
    assert_has(&terms, &["Above", "Folded moves", "Line"]);
}

#[test]
fn every_term_of_shared_nodes_is_explained() {
    let mut stage = Harness::light();
    stage.size = (1600, 1400);
    let model = grow_model("othello", "transposition", 3000);
    let shared = (0..model.len()).find(|&node| model.ways_to(model.row(node)) > 1);
    stage.show_model("shared.tree", model);
    stage.run_action(Action::Select(Some(shared.expect("a shared node"))));
    assert_has(&explained_terms(&mut stage), &["Shared"]);
}

#[test]
fn every_term_of_a_classical_and_of_a_foreign_tree_is_explained() {
    let mut stage = Harness::dark();
    stage.size = (1600, 1400);
    let classical = TreeModel::new(classical_document("kalah", "3 6", 4));
    stage.show_model("kalah.tree", classical);
    let terms = explained_terms(&mut stage);
    assert_has(&terms, &["Chosen line", "Nodes searched"]);
    assert!(!terms.contains("Iterations"), "it has none");
    stage.show_model("six.tree", six_node_model());
    let terms = explained_terms(&mut stage);
    assert_has(&terms, &["Second counter", "Mean for Black"]);
}

#[test]
fn columns_that_only_the_files_know_are_explained_as_such() {
    let mut document = grow_document("othello", &[], "uct", 300);
    let rows = document.tree.nodes().len();
    document.columns = Some(Columns {
        rows: rows as u64,
        columns: vec![Column {
            name: "surprise".to_owned(),
            unit: String::new(),
            labels: Vec::new(),
            values: ColumnValues::F64(vec![0.5; rows]),
        }],
    });
    let mut stage = Harness::dark();
    stage.size = (1600, 1400);
    stage.show_model("columns.tree", TreeModel::new(document));
    stage.app.settings.measure = "column surprise".to_owned();
    let terms = explained_terms(&mut stage);
    assert_has(&terms, &["Column", "Colour by a column"]);
}

#[test]
fn a_term_tells_its_sentence_under_the_pointer() {
    let mut stage = Harness::dark();
    stage.size = (1600, 1400);
    stage.show_model("othello.tree", grow_model("othello", "uct", 500));
    stage.frame.context.all_styles_mut(|style| {
        style.interaction.tooltip_delay = 0.0;
        style.interaction.show_tooltips_only_when_still = false;
    });
    let mut texts = BTreeSet::new();
    for term in [
        "Visits",
        "Value",
        "Score",
        "legend Expected line",
        "Iterations",
    ] {
        let control = match term.strip_prefix("legend ") {
            Some(_) => term.to_owned(),
            None => format!("term {term}"),
        };
        let at = stage.place_of(&control).expect(term);
        stage.hover_at(at);
        stage.draw_frame();
        let layers = stage.frame.context.memory(|memory| {
            let layers = memory.layer_ids();
            layers
                .filter(|layer| layer.order == egui::Order::Tooltip)
                .count()
        });
        assert!(layers > 0, "{term}");
        texts.insert(glossary::explain(term.trim_start_matches("legend ")));
    }
    assert_eq!(texts.len(), 5);
}
