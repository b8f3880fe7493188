//! The start screen: game and players, and trees to open instead.

use canopy_engine::games::{self, GameFacts};
use egui::{
    Align, Button, Checkbox, ComboBox, Key, Label, Layout, RichText, ScrollArea, Sense, Stroke, Ui,
    UiBuilder, vec2,
};

use super::{
    Panels,
    engine_form::EngineForm,
    form::{
        self, NUMBER_FIELD_WIDTH, Segment, TextField, show_heading, show_row, show_segments,
        show_separator,
    },
    node,
};
use crate::{
    app::{Action, App},
    board::{Board, Marks},
    draw::theme::{Theme, mix},
    play::{
        GameConfig,
        demo_match::DemoMatchConfig,
        setup::{GameInfo, GameSetup, PlayMode, SetupField, SetupProblem},
    },
    settings::ViewerSettings,
    ui::controls::Named as _,
};

/// Widths of the game column, the engine column and the gap between them, in points.
const GAME_COLUMN_WIDTH: f32 = 428.0;
const ENGINES_COLUMN_WIDTH: f32 = 400.0;
const COLUMN_GAP: f32 = 40.0;
/// Width of the board, in points.
const BOARD_WIDTH: f32 = 232.0;

/// The games to choose from, the proposed one first.
fn games_to_choose() -> Vec<&'static GameFacts> {
    let (mut choices, others): (Vec<_>, Vec<_>) =
        games::listed().partition(|facts| facts.name == games::PROPOSED.name);
    choices.extend(others);
    choices
}

/// A small number in words, as sentences have it.
fn number_word(number: usize) -> String {
    const WORDS: [&str; 10] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    ];
    (WORDS.get(number)).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// Who may play against whom.
const MODE_CHOICES: [(PlayMode, &str, &str, &str); 3] = [
    (
        PlayMode::Engine,
        "mode engine",
        "You and an engine",
        "You play against an engine",
    ),
    (
        PlayMode::Engines,
        "mode engines",
        "Two engines",
        "An engine plays against another",
    ),
    (
        PlayMode::People,
        "mode people",
        "Two people",
        "Two people play on one board",
    ),
];

impl Panels {
    /// The screen shown before there is a tree.
    pub(super) fn show_start_screen(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let mut ui = ui.new_child(UiBuilder::new().max_rect(self.canvas));
        if app.document.sequence.is_reading() {
            ui.vertical_centered(|ui| {
                ui.add_space(240.0);
                ui.label(RichText::new("Reading the tree…").color(theme.dim));
            });
        } else if app.document.sequence.is_empty() && app.waiting_text().is_none() {
            ScrollArea::vertical()
                .auto_shrink(false)
                .show(&mut ui, |ui| self.show_setup(app, ui, theme, actions));
        } else {
            ui.vertical_centered(|ui| self.show_placeholder(app, ui, theme, actions));
        }
    }

    /// Something is open, but there is nothing to see of it.
    fn show_placeholder(
        &mut self,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        if app.session.is_some() {
            // Below the overlay of a finished game.
            ui.add_space(240.0);
            ui.label(theme.title("No tree yet"));
            ui.add_space(4.0);
            let hint = "When an engine moves, or looks at a position, its tree is shown here.";
            ui.label(RichText::new(hint).color(theme.dim));
            return;
        }
        ui.add_space(96.0);
        let awaits = app
            .waiting_text()
            .filter(|_| app.document.sequence.is_empty());
        ui.label(theme.title(match &awaits {
            Some(_) if app.match_state().is_some() => "No trees yet",
            Some(_) => "A match is about to begin",
            None => "This tree cannot be read",
        }));
        ui.add_space(4.0);
        let hint = awaits.as_deref().unwrap_or(
            "Open a tree (.tree or .csv), several, or a folder that an engine writes to; or drop them here.",
        );
        ui.label(RichText::new(hint).color(theme.dim));
        ui.add_space(16.0);
        self.show_open_button(app, ui);
        ui.add_space(16.0);
        if !app.settings.recent.is_empty() {
            ui.label(theme.heading("Recent"));
            show_recent(app, ui, theme, actions);
        }
    }

    fn show_open_button(&mut self, app: &App, ui: &mut Ui) {
        let open = ui.button("Open files or a folder…").named("start open");
        let hint =
            "Trees (.tree or .csv), several, or a folder that an engine writes to (ctrl + o)";
        if open.on_hover_text(hint).clicked() {
            self.open_file_dialog(app, false);
        }
    }

    /// The form for a new game.
    fn show_setup(&mut self, app: &mut App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
        let is_free = ui.memory(|memory| memory.focused().is_none());
        let mut setup = app.settings.play.clone();
        let checked = setup.validate(&[]);
        let room = ui.available_size();
        // Changes further down must not move what is above.
        ui.add_space(((room.y - 680.0) / 2.0).clamp(12.0, 96.0).round());
        let offers = GameInfo::of(&setup.game);
        let mut form = SetupForm {
            setup: &mut setup,
            problems: checked.as_ref().err().map_or(&[][..], Vec::as_slice),
            offers: offers.as_ref(),
            is_submitted: false,
        };
        let mut is_pressed = false;
        let margin = ((room.x - GAME_COLUMN_WIDTH - COLUMN_GAP - ENGINES_COLUMN_WIDTH) / 2.0)
            .max(16.0)
            .round();
        let game = form.setup.game.clone();
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add_space(margin);
            show_column(
                ui,
                GAME_COLUMN_WIDTH + COLUMN_GAP + ENGINES_COLUMN_WIDTH,
                |ui| show_welcome(app, &game, ui, theme, actions),
            );
        });
        let inner = ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add_space(margin);
            show_column(ui, GAME_COLUMN_WIDTH, |ui| {
                form.show_game(&mut app.settings, ui, theme);
                is_pressed = show_start_button(&checked, ui, theme);
                show_separator(ui);
                self.show_open_trees(app, ui, theme, actions);
            });
            ui.add_space(COLUMN_GAP);
            show_column(ui, ENGINES_COLUMN_WIDTH, |ui| {
                self.show_engines(&mut form, ui, theme)
            });
        });
        let x = inner.response.rect.left() + margin + GAME_COLUMN_WIDTH + COLUMN_GAP / 2.0;
        let line = Stroke::new(1.0, theme.line);
        (ui.painter()).vline(x.round(), inner.response.rect.y_range(), line);
        ui.add_space(16.0);
        let is_alone = self.dialog.is_none() && !self.is_help_open;
        let is_entered = is_free && ui.input(|input| input.key_pressed(Key::Enter));
        let starts_game = is_pressed || is_alone && (is_entered || form.is_submitted);
        if starts_game && let Ok(plan) = setup.validate(&app.own_engine_command) {
            actions.push(Action::StartGame(Box::new(plan)));
        }
        app.settings.play = setup;
    }

    /// The engines that play, and the board where there is room for it.
    fn show_engines(&mut self, form: &mut SetupForm<'_>, ui: &mut Ui, theme: &Theme) {
        let game = form.setup.full_game();
        let Some(offers) = form.offers else { return };
        let mut count = 0;
        for side in [0, 1] {
            if !form.setup.has_engine(side) {
                continue;
            }
            if count > 0 {
                show_separator(ui);
            }
            count += 1;
            let mut engine_form = EngineForm {
                side,
                game: &game,
                offers,
                problems: form.problems,
                is_submitted: false,
            };
            let is_expanded = &mut self.expands_parameters[side];
            engine_form.show(&mut form.setup.engines[side], is_expanded, ui, theme);
            form.is_submitted |= engine_form.is_submitted;
        }
        if count == 2 {
            return;
        }
        if count > 0 {
            show_separator(ui);
        }
        show_heading(ui, theme.heading("Where it begins"));
        if let Ok(start) = Board::after_moves(&game, &form.setup.position, &[""; 0]) {
            let marks = Marks {
                is_flipped: form.setup.mode == PlayMode::Engine && form.setup.plays_second,
                ..Marks::default()
            };
            let wide = (BOARD_WIDTH, Sense::hover());
            self.board_textures
                .show(ui, &start.board, &marks, wide, theme);
            ui.label(RichText::new(start.turn_text).color(theme.dim));
        } else {
            ui.label(RichText::new("The position cannot be shown.").color(theme.dim));
        }
    }

    /// The trees one may open instead.
    fn show_open_trees(
        &mut self,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        show_heading(ui, theme.heading("Or look at trees"));
        ui.horizontal(|ui| {
            self.show_open_button(app, ui);
            ui.label(RichText::new("or drop them here").color(theme.dim));
        });
        ui.add_space(4.0);
        show_recent(app, ui, theme, actions);
    }
}

/// A column of a form.
fn show_column(ui: &mut Ui, width: f32, add: impl FnOnce(&mut Ui)) {
    let layout = Layout::top_down(Align::Min);
    ui.allocate_ui_with_layout(vec2(width, 0.0), layout, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.x = 8.0;
        add(ui);
    });
}

/// What Canopy is, and the button for the demo.
fn show_welcome(app: &App, game: &str, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.label(theme.title("See how a program thinks about its next move"));
    let what = format!(
        "Canopy plays {} board games and draws every search as a tree: what it tried, how often, and why it chose.",
        number_word(games::NAMES.len())
    );
    ui.label(RichText::new(what).color(theme.dim));
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let button = ui
            .add(primary_button("Watch a match", theme))
            .named("start watch");
        let hint = "Two searches play each other; their trees grow while you watch";
        if button.on_hover_text(hint).clicked() {
            actions.push(match DemoMatchConfig::new(game, None) {
                Ok(wanted) => Action::StartDemoMatch(DemoMatchConfig {
                    engine: app.own_engine_command.clone(),
                    ..wanted
                }),
                Err(problem) => Action::ShowError(problem),
            });
        }
        let name = games::facts_of(game).map_or(game, |facts| facts.title);
        let text = format!("Two searches play {} by themselves.", name.to_lowercase());
        ui.label(RichText::new(text).color(theme.dim));
    });
    show_separator(ui);
}

/// The primary button.
fn primary_button(text: &str, theme: &Theme) -> Button<'static> {
    Button::new(theme.title(text))
        .fill(mix(
            theme.card,
            theme.cool,
            if theme.is_dark { 0.3 } else { 0.2 },
        ))
        .stroke(Stroke::new(1.0, mix(theme.line, theme.cool, 0.6)))
        .min_size(vec2(144.0, 36.0))
}

/// Recently opened files.
fn show_recent(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    for (index, path) in app.settings.recent.iter().enumerate() {
        let text = RichText::new(path.display().to_string()).color(theme.cool);
        let button = ui.add(Button::new(text).frame(false).truncate());
        let button = button.named(&format!("recent {}", index + 1));
        if button.on_hover_text("Open it again").clicked() {
            actions.push(Action::Open(vec![path.clone()]));
        }
    }
}

/// The button that starts the game; true if it was clicked.
fn show_start_button(
    checked: &Result<GameConfig, Vec<SetupProblem>>,
    ui: &mut Ui,
    theme: &Theme,
) -> bool {
    let mut is_pressed = false;
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.add_space(form::LABEL_WIDTH + ui.spacing().item_spacing.x);
        let button = primary_button("Start", theme);
        let button = ui.add_enabled(checked.is_ok(), button).named("start game");
        let problems = checked.as_ref().err().map_or(&[][..], Vec::as_slice);
        let texts: Vec<&str> = (problems.iter())
            .map(|problem| problem.text.as_str())
            .collect();
        is_pressed = button
            .on_hover_text("Play (Enter)")
            .on_disabled_hover_text(texts.join("\n"))
            .clicked();
        let (text, colour) = match problems.len() {
            0 => ("Enter".to_owned(), theme.dim),
            1 => ("One thing has to be put right.".to_owned(), theme.bad),
            many => (format!("{many} things have to be put right."), theme.bad),
        };
        ui.label(RichText::new(text).color(colour));
    });
    is_pressed
}

/// The part of the form that is about the game.
struct SetupForm<'a> {
    setup: &'a mut GameSetup,
    problems: &'a [SetupProblem],
    offers: Option<&'a GameInfo>,
    /// Whether Enter was pressed in a field.
    is_submitted: bool,
}

impl SetupForm<'_> {
    fn problem_text(&self, field: &SetupField) -> Option<String> {
        let found = self.problems.iter().find(|problem| problem.field == *field);
        found.map(|problem| problem.text.clone())
    }

    fn show_game(&mut self, settings: &mut ViewerSettings, ui: &mut Ui, theme: &Theme) {
        show_heading(ui, theme.title("Play a game"));
        self.show_game_choice(ui, theme);
        self.show_variant(ui, theme);
        self.show_mode(ui, theme);
        self.show_side(ui, theme);
        show_separator(ui);
        self.show_series(ui, theme);
        self.show_position(ui, theme);
        self.show_delay(ui, theme);
        show_edge_colours(settings, ui, theme);
    }

    fn show_game_choice(&mut self, ui: &mut Ui, theme: &Theme) {
        let choices = games_to_choose();
        let all: Vec<Segment<'_>> = (choices.iter())
            .map(|facts| Segment::new(format!("setup game {}", facts.name), facts.title, ""))
            .collect();
        let chosen = (choices.iter()).position(|facts| facts.name == self.setup.game);
        show_row(ui, theme, "Game", None, |ui| {
            if let Some(clicked) = show_segments(ui, theme, &all, chosen) {
                self.setup.set_game(choices[clicked].name);
            }
        });
    }

    fn show_variant(&mut self, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem_text(&SetupField::Game);
        let variants = self.offers.map_or(&[][..], |offers| offers.variants);
        let plain = |variant: &str| match variant {
            "" => "the plain game".to_owned(),
            variant => variant.replace(':', ", "),
        };
        show_row(ui, theme, "Variant", problem.as_deref(), |ui| {
            let has_some = !variants.is_empty() || !self.setup.variant.is_empty();
            ui.add_enabled_ui(has_some, |ui| {
                let variant = &mut self.setup.variant;
                let before = variant.clone();
                let combo = ComboBox::from_id_salt("setup variant")
                    .selected_text(plain(variant))
                    .width(160.0)
                    .show_ui(ui, |ui| {
                        for &other in [""].iter().chain(variants) {
                            let item = ui.selectable_value(variant, other.to_owned(), plain(other));
                            item.named(&format!("setup variant {other}"));
                        }
                    });
                let combo = combo.response.named("setup variant");
                combo.on_hover_text("Other rules, or another board");
                // A position of one variant is seldom one of another.
                if before != self.setup.variant {
                    self.setup.position.clear();
                }
            });
        });
    }

    fn show_mode(&mut self, ui: &mut Ui, theme: &Theme) {
        let all = MODE_CHOICES
            .map(|(_, name, text, hint)| Segment::new(format!("setup {name}"), text, hint));
        let chosen = MODE_CHOICES
            .iter()
            .position(|mode| mode.0 == self.setup.mode);
        show_row(ui, theme, "Players", None, |ui| {
            if let Some(clicked) = show_segments(ui, theme, &all, chosen) {
                self.setup.mode = MODE_CHOICES[clicked].0;
            }
        });
    }

    fn show_side(&mut self, ui: &mut Ui, theme: &Theme) {
        let players = (self.offers).map_or(["first", "second"], |offers| offers.players);
        let texts = [
            format!("{}, first", players[0]),
            format!("{}, second", players[1]),
        ];
        let is_on = self.setup.mode == PlayMode::Engine;
        let all = ["first", "second"].map(|side| Segment {
            is_enabled: is_on,
            ..Segment::new(
                format!("setup person {side}"),
                &texts[usize::from(side == "second")],
                "The side you play; the engine has the other",
            )
        });
        let chosen = is_on.then_some(usize::from(self.setup.plays_second));
        show_row(ui, theme, "You play", None, |ui| {
            if let Some(clicked) = show_segments(ui, theme, &all, chosen) {
                self.setup.set_side(clicked == 1);
            }
        });
    }

    fn show_series(&mut self, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem_text(&SetupField::Games);
        let field = number_field(
            "setup games",
            "1 to 99; sides are swapped after each",
            &problem,
        );
        show_row(ui, theme, "Series", problem.as_deref(), |ui| {
            ui.label(RichText::new("best of").color(theme.dim));
            field.show(&mut self.setup.games, ui, theme, &mut self.is_submitted);
            let text = match self.setup.games.trim() {
                "1" => "game",
                _ => "games, sides swapped",
            };
            ui.label(RichText::new(text).color(theme.dim));
        });
    }

    fn show_position(&mut self, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem_text(&SetupField::Position);
        let hint = match self.offers {
            Some(offers) => format!("Empty, or {}", offers.position_help),
            None => String::new(),
        };
        let field = TextField {
            width: GAME_COLUMN_WIDTH - form::LABEL_WIDTH - 8.0,
            placeholder: "where the game begins",
            ..number_field("setup position", &hint, &problem)
        };
        show_row(ui, theme, "Position", problem.as_deref(), |ui| {
            field.show(&mut self.setup.position, ui, theme, &mut self.is_submitted);
        });
    }

    fn show_delay(&mut self, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem_text(&SetupField::Pause);
        let field = number_field(
            "setup delay",
            "An engine's move takes at least so long, so that one sees it; 0 to 60,000",
            &problem,
        );
        let has_engine = self.setup.mode != PlayMode::People;
        show_row(ui, theme, "Delay", problem.as_deref(), |ui| {
            let is_on = has_engine;
            let field = TextField {
                is_enabled: is_on,
                ..field
            };
            field.show(&mut self.setup.pause, ui, theme, &mut self.is_submitted);
            let unit = Label::new(RichText::new("milliseconds a move").color(theme.dim));
            ui.add_enabled(has_engine, unit);
        });
        show_row(ui, theme, "Trees", None, |ui| {
            let animate = Checkbox::new(&mut self.setup.animate, "show how they grow");
            ui.add_enabled(has_engine, animate)
                .named("setup animate")
                .on_hover_text("Every iteration of an engine's search, while it thinks");
        });
    }
}

/// A field for a number.
fn number_field<'a>(name: &str, hint: &'a str, problem: &Option<String>) -> TextField<'a> {
    TextField {
        control_name: name.to_owned(),
        width: NUMBER_FIELD_WIDTH,
        placeholder: "",
        hint,
        has_problem: problem.is_some(),
        is_enabled: true,
    }
}

/// The colours of edges.
fn show_edge_colours(settings: &mut ViewerSettings, ui: &mut Ui, theme: &Theme) {
    show_row(ui, theme, "Edges", None, |ui| {
        let mut colours = [theme.edge_least, theme.edge_most];
        let before = colours;
        for (colour, name) in colours.iter_mut().zip(node::EDGE_COLOUR_NAMES) {
            let button = ui.color_edit_button_srgba(colour).named(name);
            button.on_hover_text(name);
        }
        if colours != before {
            let parts = colours.map(|colour| [colour.r(), colour.g(), colour.b()]);
            settings.edge_colours = Some(parts);
        }
        let all =
            node::PALETTES.map(|(name, text, hint)| Segment::new(name.to_owned(), text, hint));
        if let Some(clicked) = show_segments(ui, theme, &all, node::selected_palette(settings)) {
            node::apply_palette(settings, clicked);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egui::{Context, Event, Modifiers};

    use super::*;
    use crate::ui::input::idle_input;

    /// The actions that these keys trigger, one key a frame.
    fn actions_for_keys(app: &mut App, keys: &[Key]) -> Vec<Action> {
        let context = Context::default();
        crate::draw::fonts::install(&context);
        let theme = app.theme();
        theme.apply(&context);
        let mut panels = Panels::default();
        let mut actions = Vec::new();
        for key in keys {
            let mut input = idle_input(1280.0, 800.0, 1.0);
            input.events.push(Event::Key {
                key: *key,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: Modifiers::NONE,
            });
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
    fn enter_starts_what_is_set_up() {
        let mut app = app();
        let plan = GameSetup::default()
            .validate(&app.own_engine_command)
            .expect("sound");
        let begin = [Action::StartGame(Box::new(plan))];
        assert_eq!(actions_for_keys(&mut app, &[Key::Enter]), begin);
        assert!(actions_for_keys(&mut app, &[Key::Tab, Key::Escape]).is_empty());
        app.settings.play.games = "0".to_owned();
        assert!(actions_for_keys(&mut app, &[Key::Enter]).is_empty());
    }

    #[test]
    fn listed_games_can_be_chosen_and_the_proposed_one_stands_first() {
        let choices: Vec<&str> = games_to_choose().iter().map(|facts| facts.name).collect();
        assert_eq!(choices[0], games::PROPOSED.name);
        assert_eq!(choices.len(), games::NAMES.len());
        assert!(games::NAMES.iter().all(|name| choices.contains(name)));
        assert!(
            games::FACTS.len() > choices.len(),
            "the fixture is not listed"
        );
    }

    /// Tab goes from the match to watch and the games over all that can be chosen to the fields; Enter there starts too, and on a button presses it.
    #[test]
    fn tab_goes_through_the_form() {
        let mut app = app();
        let mut keys = vec![Key::Tab; 5];
        keys.push(Key::Enter);
        assert!(actions_for_keys(&mut app, &keys).is_empty());
        assert_eq!(app.settings.play.game, "connect-four");
        // The match to watch, five games, the variants that there are not, three modes, two sides.
        let mut keys = vec![Key::Tab; 12];
        keys.push(Key::Enter);
        let actions = actions_for_keys(&mut app, &keys);
        assert!(matches!(&actions[..], [Action::StartGame(plan)] if plan.game == "connect-four"));
    }
}
