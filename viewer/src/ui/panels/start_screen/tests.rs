use std::sync::Arc;

use canopy_engine::games;
use egui::{Context, Event, Key, Modifiers};

use super::{StartPage, games_to_choose};
use crate::{
    app::{Action, App},
    play::setup::GameSetup,
    settings::ViewerSettings,
    ui::{input::idle_input, panels::Panels},
};

/// The actions that these keys trigger on a page, one key a frame.
fn actions_for_keys(app: &mut App, page: StartPage, keys: &[Key]) -> Vec<Action> {
    let context = Context::default();
    crate::draw::fonts::install(&context);
    let theme = app.theme();
    theme.apply(&context);
    let mut panels = Panels::default();
    panels.start.page = page;
    let mut actions = Vec::new();
    for key in [None].into_iter().chain(keys.iter().copied().map(Some)) {
        let mut input = idle_input(1280.0, 800.0, 1.0);
        input.events.extend(key.map(|key| Event::Key {
            key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        }));
        let mut output = context.run_ui(input, |ui| {
            panels.canvas = ui.max_rect();
            panels.show_start_screen(app, ui, &theme, &mut actions);
        });
        output.textures_delta.clear();
    }
    actions
}

fn app() -> App {
    App::new(ViewerSettings::default(), Arc::new(|| {})).expect("threads start")
}

#[test]
fn enter_starts_a_match_and_in_the_form_what_is_set_up() {
    let mut app = app();
    let actions = actions_for_keys(&mut app, StartPage::Cards, &[Key::Enter]);
    assert!(
        matches!(&actions[..], [Action::StartDemoMatch(config)] if config.game == games::DEMO.name)
    );
    let plan = GameSetup::default()
        .validate(&app.own_engine_command)
        .expect("sound");
    let begin = [Action::StartGame(Box::new(plan))];
    let in_form = |app: &mut App, keys: &[Key]| actions_for_keys(app, StartPage::Setup, keys);
    assert_eq!(in_form(&mut app, &[Key::Enter]), begin);
    assert!(in_form(&mut app, &[Key::Tab, Key::Escape]).is_empty());
    app.settings.play.games = "0".to_owned();
    assert!(in_form(&mut app, &[Key::Enter]).is_empty());
}

#[test]
fn listed_games_can_be_chosen_and_the_one_of_demos_stands_first() {
    let choices: Vec<&str> = games_to_choose().iter().map(|facts| facts.name).collect();
    assert_eq!(choices[0], games::DEMO.name);
    assert_eq!(choices.len(), games::NAMES.len());
    assert!(games::NAMES.iter().all(|name| choices.contains(name)));
    assert!(
        games::FACTS.len() > choices.len(),
        "the fixture is not listed"
    );
}

/// Tab goes from the way back over the games to the other choices and the fields; Enter there starts too, and on a button presses it.
#[test]
fn tab_goes_through_the_form() {
    let mut app = app();
    let mut keys = vec![Key::Tab; 2];
    keys.push(Key::Enter);
    assert!(actions_for_keys(&mut app, StartPage::Setup, &keys).is_empty());
    assert_eq!(app.settings.play.game, games::DEMO.name);
    // The way back, five games, the variants that there are not, three modes, two sides.
    let mut keys = vec![Key::Tab; 12];
    keys.push(Key::Enter);
    let actions = actions_for_keys(&mut app, StartPage::Setup, &keys);
    assert!(matches!(&actions[..], [Action::StartGame(plan)] if plan.game == games::DEMO.name));
}
