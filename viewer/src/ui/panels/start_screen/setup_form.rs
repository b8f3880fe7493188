//! The form for experts: both players with every parameter, limits, positions and series.

use egui::{
    Align, Checkbox, ComboBox, Key, Label, Layout, RichText, ScrollArea, Sense, Stroke, Ui, vec2,
};

use super::{StartPage, games_to_choose};
use crate::{
    app::{Action, App},
    board::{Board, Marks},
    draw::theme::{CARD_TITLE_SIZE, Theme},
    play::{
        GameConfig,
        setup::{GameInfo, GameSetup, PlayMode, SetupField, SetupProblem},
    },
    settings::ViewerSettings,
    ui::{
        controls::Named as _,
        panels::{
            Panels,
            engine_form::EngineForm,
            engine_options::QueryView,
            form::{
                self, NUMBER_FIELD_WIDTH, Segment, TextField, show_heading, show_large_button,
                show_link, show_row, show_segments, show_separator,
            },
            node,
        },
    },
};

/// Widths of the game column, the engine column and the gap between them, in points.
const GAME_COLUMN_WIDTH: f32 = 428.0;
const ENGINES_COLUMN_WIDTH: f32 = 400.0;
const COLUMN_GAP: f32 = 40.0;
/// Width of the board, in points.
const BOARD_WIDTH: f32 = 232.0;

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
    /// The form for a new game.
    pub(super) fn show_setup_page(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        ScrollArea::vertical()
            .id_salt("setup")
            .auto_shrink(false)
            .show(ui, |ui| self.show_setup(app, ui, theme, actions));
    }

    fn show_setup(&mut self, app: &mut App, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
        let is_free = ui.memory(|memory| memory.focused().is_none());
        let mut setup = app.settings.play.clone();
        let checked = setup.validate(&[]);
        let room = ui.available_size();
        // Changes further down must not move what is above.
        ui.add_space(((room.y - 640.0) / 2.0).clamp(12.0, 64.0).round());
        let offers = GameInfo::of(&setup.game);
        let mut form = SetupForm {
            setup: &mut setup,
            problems: checked.as_ref().err().map_or(&[][..], Vec::as_slice),
            offers: offers.as_ref(),
            is_submitted: false,
        };
        let query = QueryView {
            query: app.option_query.as_ref(),
            now: app.now,
        };
        let mut is_pressed = false;
        let margin = ((room.x - GAME_COLUMN_WIDTH - COLUMN_GAP - ENGINES_COLUMN_WIDTH) / 2.0)
            .max(16.0)
            .round();
        ui.horizontal(|ui| {
            ui.add_space(margin);
            if show_link(ui, theme, "‹ Start", "start back")
                .on_hover_text("Back to the start screen (Escape)")
                .clicked()
            {
                self.start.page = StartPage::Cards;
            }
        });
        ui.add_space(8.0);
        let inner = ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add_space(margin);
            show_column(ui, GAME_COLUMN_WIDTH, |ui| {
                form.show_game(&mut app.settings, ui, theme);
                is_pressed = show_start_button(&checked, ui, theme);
            });
            ui.add_space(COLUMN_GAP);
            show_column(ui, ENGINES_COLUMN_WIDTH, |ui| {
                self.show_engines(&mut form, (query, actions), ui, theme);
            });
        });
        let x = inner.response.rect.left() + margin + GAME_COLUMN_WIDTH + COLUMN_GAP / 2.0;
        let line = Stroke::new(1.0, theme.line);
        (ui.painter()).vline(x.round(), inner.response.rect.y_range(), line);
        ui.add_space(16.0);
        let is_entered = is_free && ui.input(|input| input.key_pressed(Key::Enter));
        let starts_game = is_pressed || self.is_alone() && (is_entered || form.is_submitted);
        if starts_game && let Ok(plan) = setup.validate(&app.own_engine_command) {
            actions.push(Action::StartGame(Box::new(plan)));
        }
        // Both pages are about one game, once it is chosen.
        if setup.game != app.settings.play.game {
            app.settings.quick.game.clone_from(&setup.game);
        }
        app.settings.play = setup;
    }

    /// The engines that play, and the board where there is room for it.
    fn show_engines(
        &mut self,
        form: &mut SetupForm<'_>,
        (query, actions): (QueryView<'_>, &mut Vec<Action>),
        ui: &mut Ui,
        theme: &Theme,
    ) {
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
                query,
                asks_options: false,
            };
            let is_expanded = &mut self.expands_parameters[side];
            engine_form.show(&mut form.setup.engines[side], is_expanded, ui, theme);
            form.is_submitted |= engine_form.is_submitted;
            if engine_form.asks_options {
                actions.push(Action::QueryOptions(side));
            }
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
        let button = ui.add_enabled_ui(checked.is_ok(), |ui| {
            show_large_button(ui, theme, "Start", (vec2(144.0, 36.0), true))
        });
        let button = button.inner.named("start game");
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
        show_heading(ui, theme.semibold("Set up a game", CARD_TITLE_SIZE));
        ui.add_space(4.0);
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
        let about = "The game to play; positions and searches follow";
        let all: Vec<Segment<'_>> = (choices.iter())
            .map(|facts| Segment::new(format!("setup game {}", facts.name), facts.title, about))
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
            let button = node::colour_button(ui, colour).named(name);
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
