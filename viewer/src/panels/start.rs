//! The start screen: what is to be played and by whom, and the trees one may open instead.

use egui::{
    Align, Button, Checkbox, ComboBox, Key, Label, Layout, RichText, ScrollArea, Sense, Stroke, Ui,
    UiBuilder, vec2,
};

use super::{
    Panels,
    form::{self, Choice, FieldOf, NUMBER, choices, hairline, heading, row},
    node,
    seat::Seat,
};
use crate::{
    app::{Action, App},
    board::{Board, Marks},
    controls::Named as _,
    exhibition::Wanted,
    play::{
        Plan,
        setup::{Field, Mode, Offers, Problem, Setup},
    },
    settings::Settings,
    theme::{Theme, mix},
};

/// How wide the column of the game is, that of the engines, and what lies between, in points.
const LEFT: f32 = 428.0;
const RIGHT: f32 = 400.0;
const BETWEEN: f32 = 40.0;
/// How wide the board is, in points.
const BOARD: f32 = 232.0;

/// The games, as they are called here.
const GAMES: [(&str, &str); 5] = [
    ("kalah", "Kalah"),
    ("chess", "Chess"),
    ("othello", "Othello"),
    ("connect-four", "Connect four"),
    ("delta", "Delta"),
];

/// Who may play against whom.
const MODES: [(Mode, &str, &str, &str); 3] = [
    (
        Mode::Engine,
        "mode engine",
        "You and an engine",
        "You play against an engine",
    ),
    (
        Mode::Engines,
        "mode engines",
        "Two engines",
        "An engine plays against another",
    ),
    (
        Mode::People,
        "mode people",
        "Two people",
        "Two people play on one board",
    ),
];

impl Panels {
    /// What is there before a tree is.
    pub(super) fn start(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let mut ui = ui.new_child(UiBuilder::new().max_rect(self.canvas));
        if app.sequence.is_reading() {
            ui.vertical_centered(|ui| {
                ui.add_space(240.0);
                ui.label(RichText::new("Reading the tree…").color(theme.dim));
            });
        } else if app.sequence.is_empty() && app.awaits().is_none() {
            ScrollArea::vertical()
                .auto_shrink(false)
                .show(&mut ui, |ui| self.setup(app, ui, theme, actions));
        } else {
            ui.vertical_centered(|ui| self.nothing_to_see(app, ui, theme, actions));
        }
    }

    /// Something is open, but there is nothing to see of it.
    fn nothing_to_see(&mut self, app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
        if app.playing.is_some() {
            // Below what is said at the end of a game.
            ui.add_space(240.0);
            ui.label(theme.title("No tree yet"));
            ui.add_space(4.0);
            let hint = "When an engine moves, or looks at a position, its tree is shown here.";
            ui.label(RichText::new(hint).color(theme.dim));
            return;
        }
        ui.add_space(96.0);
        let awaits = app.awaits().filter(|_| app.sequence.is_empty());
        ui.label(theme.title(match &awaits {
            Some(_) if app.standing().is_some() => "No trees yet",
            Some(_) => "A match is about to begin",
            None => "This tree cannot be read",
        }));
        ui.add_space(4.0);
        let hint = awaits.as_deref().unwrap_or(
            "Open a tree (.tree or .csv), several, or a folder that an engine writes to; or drop them here.",
        );
        ui.label(RichText::new(hint).color(theme.dim));
        ui.add_space(16.0);
        self.open_button(app, ui);
        ui.add_space(16.0);
        if !app.settings.recent.is_empty() {
            ui.label(theme.heading("Recent"));
            recent(app, ui, theme, actions);
        }
    }

    fn open_button(&mut self, app: &App, ui: &mut Ui) {
        let open = ui.button("Open files or a folder…").named("start open");
        let hint =
            "Trees (.tree or .csv), several, or a folder that an engine writes to (ctrl + o)";
        if open.on_hover_text(hint).clicked() {
            self.ask(app, false);
        }
    }

    /// What is to be played.
    fn setup(&mut self, app: &mut App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
        let is_free = ui.memory(|memory| memory.focused().is_none());
        let mut setup = app.settings.play.clone();
        let checked = setup.check(&[]);
        let room = ui.available_size();
        // Nothing below may move what stands above.
        ui.add_space(((room.y - 680.0) / 2.0).clamp(12.0, 96.0).round());
        let offers = Offers::of(&setup.game);
        let mut form = Form {
            setup: &mut setup,
            problems: checked.as_ref().err().map_or(&[][..], Vec::as_slice),
            offers: offers.as_ref(),
            entered: false,
        };
        let mut is_pressed = false;
        let margin = ((room.x - LEFT - BETWEEN - RIGHT) / 2.0).max(16.0).round();
        let game = form.setup.game.clone();
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add_space(margin);
            column(ui, LEFT + BETWEEN + RIGHT, |ui| {
                welcome(app, &game, ui, theme, actions)
            });
        });
        let inner = ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add_space(margin);
            column(ui, LEFT, |ui| {
                form.game(&mut app.settings, ui, theme);
                is_pressed = start_button(&checked, ui, theme);
                hairline(ui);
                self.trees(app, ui, theme, actions);
            });
            ui.add_space(BETWEEN);
            column(ui, RIGHT, |ui| self.seats(&mut form, ui, theme));
        });
        let x = inner.response.rect.left() + margin + LEFT + BETWEEN / 2.0;
        let line = Stroke::new(1.0, theme.line);
        (ui.painter()).vline(x.round(), inner.response.rect.y_range(), line);
        ui.add_space(16.0);
        let is_alone = self.dialog.is_none() && !self.help;
        let is_entered = is_free && ui.input(|input| input.key_pressed(Key::Enter));
        let is_asked = is_pressed || is_alone && (is_entered || form.entered);
        if is_asked && let Ok(plan) = setup.check(&app.own_engine) {
            actions.push(Action::Begin(Box::new(plan)));
        }
        app.settings.play = setup;
    }

    /// The engines that play, and the board where there is room for it.
    fn seats(&mut self, form: &mut Form<'_>, ui: &mut Ui, theme: &Theme) {
        let game = form.setup.full_game();
        let Some(offers) = form.offers else { return };
        let mut count = 0;
        for side in [0, 1] {
            if !form.setup.has_engine(side) {
                continue;
            }
            if count > 0 {
                hairline(ui);
            }
            count += 1;
            let mut seat = Seat {
                side,
                game: &game,
                offers,
                problems: form.problems,
                entered: false,
            };
            let lists = &mut self.lists_parameters[side];
            seat.show(&mut form.setup.engines[side], lists, ui, theme);
            form.entered |= seat.entered;
        }
        if count == 2 {
            return;
        }
        if count > 0 {
            hairline(ui);
        }
        heading(ui, theme.heading("Where it begins"));
        if let Ok(start) = Board::replay(&game, &form.setup.position, &[""; 0]) {
            let marks = Marks {
                flip: form.setup.mode == Mode::Engine && form.setup.plays_second,
                ..Marks::default()
            };
            let wide = (BOARD, Sense::hover());
            self.pictures.show(ui, &start.board, &marks, wide, theme);
            ui.label(RichText::new(start.turn).color(theme.dim));
        } else {
            ui.label(RichText::new("The position cannot be shown.").color(theme.dim));
        }
    }

    /// The trees one may open instead.
    fn trees(&mut self, app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
        heading(ui, theme.heading("Or look at trees"));
        ui.horizontal(|ui| {
            self.open_button(app, ui);
            ui.label(RichText::new("or drop them here").color(theme.dim));
        });
        ui.add_space(4.0);
        recent(app, ui, theme, actions);
    }
}

/// A column of a form.
fn column(ui: &mut Ui, width: f32, add: impl FnOnce(&mut Ui)) {
    let layout = Layout::top_down(Align::Min);
    ui.allocate_ui_with_layout(vec2(width, 0.0), layout, |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.x = 8.0;
        add(ui);
    });
}

/// What Canopy is, and the quickest way to see it.
fn welcome(app: &App, game: &str, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    ui.label(theme.title("See how a program thinks about its next move"));
    let what = "Canopy plays five board games and draws every search as a tree: what it tried, how often, and why it chose.";
    ui.label(RichText::new(what).color(theme.dim));
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let button = ui
            .add(primary_button("Watch a match", theme))
            .named("start watch");
        let hint = "Two searches play each other; their trees grow while you watch";
        if button.on_hover_text(hint).clicked() {
            actions.push(match Wanted::new(game, None) {
                Ok(wanted) => Action::Exhibit(Wanted {
                    engine: app.own_engine.clone(),
                    ..wanted
                }),
                Err(problem) => Action::Complain(problem),
            });
        }
        let name = (GAMES.iter().find(|(known, _)| *known == game)).map_or(game, |(_, name)| name);
        let text = format!("Two searches play {} by themselves.", name.to_lowercase());
        ui.label(RichText::new(text).color(theme.dim));
    });
    hairline(ui);
}

/// The button of what one most likely came for.
fn primary_button(text: &str, theme: &Theme) -> Button<'static> {
    Button::new(theme.title(text))
        .fill(mix(
            theme.card,
            theme.cool,
            if theme.dark { 0.3 } else { 0.2 },
        ))
        .stroke(Stroke::new(1.0, mix(theme.line, theme.cool, 0.6)))
        .min_size(vec2(144.0, 36.0))
}

/// What was open before.
fn recent(app: &App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    for (index, path) in app.settings.recent.iter().enumerate() {
        let text = RichText::new(path.display().to_string()).color(theme.cool);
        let button = ui.add(Button::new(text).frame(false).truncate());
        let button = button.named(&format!("recent {}", index + 1));
        if button.on_hover_text("Open it again").clicked() {
            actions.push(Action::Open(vec![path.clone()]));
        }
    }
}

/// The button that starts the game; whether it was pressed.
fn start_button(checked: &Result<Plan, Vec<Problem>>, ui: &mut Ui, theme: &Theme) -> bool {
    let mut is_pressed = false;
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.add_space(form::NAMES + ui.spacing().item_spacing.x);
        let button = primary_button("Start", theme);
        let button = ui.add_enabled(checked.is_ok(), button).named("start game");
        let problems = checked.as_ref().err().map_or(&[][..], Vec::as_slice);
        let told: Vec<&str> = (problems.iter())
            .map(|problem| problem.text.as_str())
            .collect();
        is_pressed = button
            .on_hover_text("Play (Enter)")
            .on_disabled_hover_text(told.join("\n"))
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
struct Form<'a> {
    setup: &'a mut Setup,
    problems: &'a [Problem],
    offers: Option<&'a Offers>,
    /// Whether Enter was pressed in a field.
    entered: bool,
}

impl Form<'_> {
    fn problem(&self, field: &Field) -> Option<String> {
        let found = self.problems.iter().find(|problem| problem.field == *field);
        found.map(|problem| problem.text.clone())
    }

    fn game(&mut self, settings: &mut Settings, ui: &mut Ui, theme: &Theme) {
        heading(ui, theme.title("Play a game"));
        self.which_game(ui, theme);
        self.variant(ui, theme);
        self.players(ui, theme);
        self.side(ui, theme);
        hairline(ui);
        self.series(ui, theme);
        self.position(ui, theme);
        self.pace(ui, theme);
        colours(settings, ui, theme);
    }

    fn which_game(&mut self, ui: &mut Ui, theme: &Theme) {
        let all = GAMES.map(|(name, text)| Choice::new(format!("setup game {name}"), text, ""));
        let chosen = (GAMES.iter()).position(|(name, _)| *name == self.setup.game);
        row(ui, theme, "Game", None, |ui| {
            if let Some(clicked) = choices(ui, theme, &all, chosen) {
                self.setup.take_game(GAMES[clicked].0);
            }
        });
    }

    fn variant(&mut self, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem(&Field::Game);
        let variants = self.offers.map_or(&[][..], |offers| offers.variants);
        let plain = |variant: &str| match variant {
            "" => "the plain game".to_owned(),
            variant => variant.replace(':', ", "),
        };
        row(ui, theme, "Variant", problem.as_deref(), |ui| {
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

    fn players(&mut self, ui: &mut Ui, theme: &Theme) {
        let all =
            MODES.map(|(_, name, text, hint)| Choice::new(format!("setup {name}"), text, hint));
        let chosen = MODES.iter().position(|mode| mode.0 == self.setup.mode);
        row(ui, theme, "Players", None, |ui| {
            if let Some(clicked) = choices(ui, theme, &all, chosen) {
                self.setup.mode = MODES[clicked].0;
            }
        });
    }

    fn side(&mut self, ui: &mut Ui, theme: &Theme) {
        let players = (self.offers).map_or(["first", "second"], |offers| offers.players);
        let texts = [
            format!("{}, first", players[0]),
            format!("{}, second", players[1]),
        ];
        let is_on = self.setup.mode == Mode::Engine;
        let all = ["first", "second"].map(|side| Choice {
            is_on,
            ..Choice::new(
                format!("setup person {side}"),
                &texts[usize::from(side == "second")],
                "The side you play; the engine has the other",
            )
        });
        let chosen = is_on.then_some(usize::from(self.setup.plays_second));
        row(ui, theme, "You play", None, |ui| {
            if let Some(clicked) = choices(ui, theme, &all, chosen) {
                self.setup.take_side(clicked == 1);
            }
        });
    }

    fn series(&mut self, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem(&Field::Games);
        let field = number(
            "setup games",
            "1 to 99; sides are swapped after each",
            &problem,
        );
        row(ui, theme, "Series", problem.as_deref(), |ui| {
            ui.label(RichText::new("best of").color(theme.dim));
            field.show(&mut self.setup.games, ui, theme, &mut self.entered);
            let text = match self.setup.games.trim() {
                "1" => "game",
                _ => "games, sides swapped",
            };
            ui.label(RichText::new(text).color(theme.dim));
        });
    }

    fn position(&mut self, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem(&Field::Position);
        let hint = match self.offers {
            Some(offers) => format!("Empty, or {}", offers.position_help),
            None => String::new(),
        };
        let field = FieldOf {
            width: LEFT - form::NAMES - 8.0,
            empty: "where the game begins",
            ..number("setup position", &hint, &problem)
        };
        row(ui, theme, "Position", problem.as_deref(), |ui| {
            field.show(&mut self.setup.position, ui, theme, &mut self.entered);
        });
    }

    fn pace(&mut self, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem(&Field::Pause);
        let field = number(
            "setup delay",
            "An engine's move takes at least so long, so that one sees it; 0 to 60,000",
            &problem,
        );
        let has_engine = self.setup.mode != Mode::People;
        row(ui, theme, "Delay", problem.as_deref(), |ui| {
            let is_on = has_engine;
            let field = FieldOf { is_on, ..field };
            field.show(&mut self.setup.pause, ui, theme, &mut self.entered);
            let unit = Label::new(RichText::new("milliseconds a move").color(theme.dim));
            ui.add_enabled(has_engine, unit);
        });
        row(ui, theme, "Trees", None, |ui| {
            let animate = Checkbox::new(&mut self.setup.animate, "show how they grow");
            ui.add_enabled(has_engine, animate)
                .named("setup animate")
                .on_hover_text("Every iteration of an engine's search, while it thinks");
        });
    }
}

/// A field for a number.
fn number<'a>(name: &str, hint: &'a str, problem: &Option<String>) -> FieldOf<'a> {
    FieldOf {
        name: name.to_owned(),
        width: NUMBER,
        empty: "",
        hint,
        is_wrong: problem.is_some(),
        is_on: true,
    }
}

/// The colours of edges.
fn colours(settings: &mut Settings, ui: &mut Ui, theme: &Theme) {
    row(ui, theme, "Edges", None, |ui| {
        let mut colours = [theme.edge_least, theme.edge_most];
        let before = colours;
        for (colour, name) in colours.iter_mut().zip(node::EDGES) {
            let button = ui.color_edit_button_srgba(colour).named(name);
            button.on_hover_text(name);
        }
        if colours != before {
            let parts = colours.map(|colour| [colour.r(), colour.g(), colour.b()]);
            settings.edge_colours = Some(parts);
        }
        let all = node::PALETTES.map(|(name, text, hint)| Choice::new(name.to_owned(), text, hint));
        if let Some(clicked) = choices(ui, theme, &all, node::palette(settings)) {
            node::take_palette(settings, clicked);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egui::{Context, Event, Modifiers};

    use super::*;
    use crate::frame;

    /// What is asked for when these keys are pressed, one a frame.
    fn asked(app: &mut App, keys: &[Key]) -> Vec<Action> {
        let context = Context::default();
        crate::fonts::install(&context);
        let theme = app.theme();
        theme.apply(&context);
        let mut panels = Panels::default();
        let mut actions = Vec::new();
        for key in keys {
            let mut input = frame::input(1280.0, 800.0, 1.0);
            input.events.push(Event::Key {
                key: *key,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: Modifiers::NONE,
            });
            let mut output = context.run_ui(input, |ui| {
                panels.canvas = ui.max_rect();
                panels.start(app, ui, &theme, &mut actions);
            });
            output.textures_delta.clear();
        }
        actions
    }

    fn app() -> App {
        App::new(Settings::default(), Arc::new(|| {})).expect("threads start")
    }

    #[test]
    fn enter_starts_what_is_set_up() {
        let mut app = app();
        let plan = Setup::default().check(&app.own_engine).expect("sound");
        let begin = [Action::Begin(Box::new(plan))];
        assert_eq!(asked(&mut app, &[Key::Enter]), begin);
        assert!(asked(&mut app, &[Key::Tab, Key::Escape]).is_empty());
        app.settings.play.games = "0".to_owned();
        assert!(asked(&mut app, &[Key::Enter]).is_empty());
    }

    /// Tab goes from the match to watch and the games over all that can be chosen to the fields; Enter there starts too, and on a button presses it.
    #[test]
    fn tab_goes_through_the_form() {
        let mut app = app();
        let mut keys = vec![Key::Tab; 5];
        keys.push(Key::Enter);
        assert!(asked(&mut app, &keys).is_empty());
        assert_eq!(app.settings.play.game, "connect-four");
        // The match to watch, five games, the variants that there are not, three modes, two sides.
        let mut keys = vec![Key::Tab; 12];
        keys.push(Key::Enter);
        let actions = asked(&mut app, &keys);
        assert!(matches!(&actions[..], [Action::Begin(plan)] if plan.game == "connect-four"));
    }
}
