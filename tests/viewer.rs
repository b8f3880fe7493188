//! The viewer's state and drawing, without a window system.

#[path = "viewer/acts.rs"]
mod acts;
#[path = "viewer/classical.rs"]
mod classical;
#[path = "viewer/compare.rs"]
mod compare;
#[path = "viewer/dialogs.rs"]
mod dialogs;
#[path = "viewer/figures.rs"]
mod figures;
#[path = "viewer/folder.rs"]
mod folder;
#[path = "viewer/follow.rs"]
mod follow;
#[path = "viewer/foreign.rs"]
mod foreign;
#[path = "viewer/formula.rs"]
mod formula;
#[path = "viewer/formula_definitions.rs"]
mod formula_definitions;
#[path = "viewer/game_screen.rs"]
mod game_screen;
#[path = "viewer/glossary.rs"]
mod glossary;
#[path = "viewer/held_answer.rs"]
mod held_answer;
#[path = "viewer/hostile.rs"]
mod hostile;
#[path = "viewer/keyboard.rs"]
mod keyboard;
#[path = "viewer/layout.rs"]
mod layout;
#[path = "viewer/lessons.rs"]
mod lessons;
#[path = "viewer/memory.rs"]
mod memory;
#[path = "viewer/page.rs"]
mod page;
#[path = "viewer/pictures.rs"]
mod pictures;
#[path = "viewer/play.rs"]
mod play;
#[path = "viewer/readable.rs"]
mod readable;
#[path = "viewer/setup.rs"]
mod setup;
#[path = "viewer/stage.rs"]
mod stage;
#[path = "viewer/start.rs"]
mod start;
#[path = "viewer/steps.rs"]
mod steps;
mod support;
#[path = "viewer/tournament.rs"]
mod tournament;
#[path = "viewer/tree_details.rs"]
mod tree_details;
#[path = "viewer/truth.rs"]
mod truth;
#[path = "viewer/values.rs"]
mod values;
#[path = "viewer/views.rs"]
mod views;
#[path = "viewer/why.rs"]
mod why;
#[path = "viewer/why_sentences.rs"]
mod why_sentences;
