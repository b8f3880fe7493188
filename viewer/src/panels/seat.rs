//! An engine that is to play a side, on the start screen.

use canopy_engine::arena::engines::Dialect;
use egui::{Align, Button, Checkbox, ComboBox, Label, Layout, RichText, Ui, vec2};

use super::form::{self, Choice, FieldOf, NUMBER, choices, heading, row, small, wrong};
use crate::{
    controls::Named as _,
    play::setup::{
        Adjustable, EngineSetup, Field, Limit, Offers, Problem, REPORTS, help_of, report_of,
        side_name,
    },
    theme::Theme,
};

/// What stands above the list of all parameters, which leaves it out.
const ABOVE: [&str; 4] = ["exploration", "playout_limit", "iterations", "time"];
/// How wide the names of parameters and their fields are, in points.
const NAMES: f32 = 112.0;
const VALUES: f32 = 104.0;

/// One who is to play a side.
pub(super) struct Seat<'a> {
    /// The side, counted from 0.
    pub(super) side: usize,
    /// The game, with its variant.
    pub(super) game: &'a str,
    /// What the game has to offer.
    pub(super) offers: &'a Offers,
    /// Everything that has to be put right.
    pub(super) problems: &'a [Problem],
    /// Whether Enter was pressed in a field.
    pub(super) entered: bool,
}

impl Seat<'_> {
    /// Shows how the engine is set up.
    pub(super) fn show(
        &mut self,
        engine: &mut EngineSetup,
        lists: &mut bool,
        ui: &mut Ui,
        theme: &Theme,
    ) {
        let player = self.offers.players[self.side];
        let place = side_name(self.side);
        let text = format!("Engine for {player}, {place} to move");
        heading(ui, theme.heading(&text));
        self.program(engine, ui, theme);
        if engine.external {
            self.other(engine, ui, theme);
        } else {
            self.search(engine, ui, theme);
        }
        self.limit(engine, ui, theme);
        self.playouts(engine, ui, theme);
        self.exploration(engine, ui, theme);
        self.all_parameters(engine, lists, ui, theme);
    }

    /// The name of a control of this side.
    fn name(&self, what: &str) -> String {
        format!("setup {what} {}", side_name(self.side))
    }

    /// What is wrong with a field.
    fn problem(&self, field: &Field) -> Option<&str> {
        let found = self.problems.iter().find(|problem| problem.field == *field);
        found.map(|problem| problem.text.as_str())
    }

    fn program(&self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        row(ui, theme, "Program", None, |ui| {
            let all = [
                Choice::new(self.name("ours"), "Canopy", "One of our searches"),
                Choice::new(
                    self.name("other"),
                    "Another engine",
                    "A program that speaks UGI, UCI or GTP",
                ),
            ];
            if let Some(clicked) = choices(ui, theme, &all, Some(engine.external.into())) {
                engine.external = clicked == 1;
            }
        });
    }

    /// The command of another program, and what it speaks.
    fn other(&mut self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem(&Field::Command(self.side)).map(str::to_owned);
        let field = FieldOf {
            name: self.name("command"),
            width: ui.available_width() - form::NAMES - 8.0,
            empty: "program and arguments",
            hint: "As a shell would split it; before it, if wanted: name=NAME option.NAME=VALUE dir=DIRECTORY",
            is_wrong: problem.is_some(),
            is_on: true,
        };
        let entered = &mut self.entered;
        row(ui, theme, "Command", problem.as_deref(), |ui| {
            field.show(&mut engine.command, ui, theme, entered);
        });
        row(ui, theme, "Speaks", None, |ui| {
            let all = [Dialect::Ugi, Dialect::Uci, Dialect::Gtp];
            let shown = all.map(|dialect| {
                let name = self.name(dialect.name());
                (name, dialect.name().to_uppercase())
            });
            let shown = (shown.iter())
                .map(|(name, text)| Choice::new(name.clone(), text, "What the program speaks"))
                .collect::<Vec<_>>();
            let chosen = all.iter().position(|dialect| *dialect == engine.dialect);
            if let Some(clicked) = choices(ui, theme, &shown, chosen) {
                engine.dialect = all[clicked];
            }
        });
    }

    /// Our search: any of them, or a report's player with one click.
    fn search(&self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem(&Field::Search(self.side));
        row(ui, theme, "Search", problem, |ui| {
            let mut chosen = engine.search.clone();
            let combo = ComboBox::from_id_salt(self.name("search"))
                .selected_text(&chosen)
                .width(200.0)
                .height(320.0)
                .show_ui(ui, |ui| self.searches(&mut chosen, ui, theme));
            let combo = combo.response.named(&self.name("search"));
            combo.on_hover_text(help_of(&engine.search));
            if chosen != engine.search {
                engine.choose(self.game, &chosen);
            }
        });
        row(ui, theme, "Report", None, |ui| {
            let hints = REPORTS.map(|(number, _)| match self.offers.player_of(number) {
                Some(search) => format!("{search}: {}", help_of(search)),
                None => format!("Report {number} has no player for this game"),
            });
            let all: Vec<Choice<'_>> = (REPORTS.iter().zip(&hints))
                .map(|(&(number, _), hint)| Choice {
                    is_on: self.offers.player_of(number).is_some(),
                    ..Choice::new(self.name(&format!("report {number}")), number, hint)
                })
                .collect();
            let report = report_of(&engine.search);
            let chosen = REPORTS
                .iter()
                .position(|(number, _)| report == Some(number));
            let clicked = choices(ui, theme, &all, chosen);
            if let Some(search) = clicked.and_then(|index| self.offers.player_of(REPORTS[index].0))
            {
                engine.choose(self.game, search);
            }
        });
    }

    /// The searches there are, ours first.
    fn searches(&self, chosen: &mut String, ui: &mut Ui, theme: &Theme) {
        let groups = std::iter::once(None).chain(REPORTS.iter().map(|(number, _)| Some(*number)));
        for group in groups {
            let mut some = (self.offers.searches.iter())
                .filter(|search| report_of(search) == group)
                .peekable();
            if some.peek().is_some() {
                ui.label(theme.heading(&match group {
                    Some(number) => format!("Report {number}"),
                    None => "Ours".to_owned(),
                }));
            }
            for &search in some {
                let item = ui.selectable_label(chosen == search, search);
                let item = item.named(&self.name(search));
                if item.on_hover_text(help_of(search)).clicked() {
                    *chosen = search.to_owned();
                }
            }
        }
    }

    /// What ends the search for a move.
    fn limit(&mut self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem(&Field::Limit(self.side)).map(str::to_owned);
        let known = engine.limits(self.game);
        let shown = engine.limit(self.game);
        let limit = shown.unwrap_or(engine.limit);
        let field = FieldOf {
            name: self.name(limit.name()),
            width: NUMBER,
            empty: "",
            hint: "For every move",
            is_wrong: problem.is_some(),
            is_on: shown.is_some(),
        };
        let all = Limit::ALL.map(|limit| Choice {
            is_on: known.contains(&limit),
            ..Choice::new(
                self.name(&format!("by {}", limit.name())),
                limit.name(),
                match limit {
                    Limit::Iterations => "So many iterations for every move",
                    Limit::Milliseconds => "So much time for every move",
                    Limit::Plies => "So many plies ahead in every move",
                },
            )
        });
        let entered = &mut self.entered;
        row(ui, theme, "Limit", problem.as_deref(), |ui| {
            let chosen = Limit::ALL.iter().position(|other| Some(*other) == shown);
            if let Some(clicked) = choices(ui, theme, &all, chosen) {
                engine.limit = Limit::ALL[clicked];
            }
            field.show(engine.text_of(limit), ui, theme, entered);
        });
    }

    fn playouts(&mut self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem(&Field::PlayoutLimit(self.side));
        let problem = problem.map(str::to_owned);
        let has = engine.has(self.game, "playout_limit");
        let box_name = self.name("cut playouts");
        let field = FieldOf {
            name: self.name("playout limit"),
            width: NUMBER,
            empty: "",
            hint: "10 to 100,000",
            is_wrong: problem.is_some(),
            is_on: has && engine.cuts_playouts,
        };
        let entered = &mut self.entered;
        row(ui, theme, "Playouts", problem.as_deref(), |ui| {
            let cuts = Checkbox::new(&mut engine.cuts_playouts, "cut off after");
            ui.add_enabled(has, cuts)
                .named(&box_name)
                .on_hover_text("Whether games that are played out end early and are judged");
            field.show(&mut engine.playout_limit, ui, theme, entered);
            ui.add_enabled(
                field.is_on,
                Label::new(RichText::new("plies").color(theme.dim)),
            );
        });
    }

    fn exploration(&mut self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem(&Field::Exploration(self.side));
        let problem = problem.map(str::to_owned);
        let field = FieldOf {
            name: self.name("exploration"),
            width: NUMBER,
            empty: "",
            hint: "The constant C of UCT, 0 to 20; larger looks more widely",
            is_wrong: problem.is_some(),
            is_on: engine.has(self.game, "exploration"),
        };
        let entered = &mut self.entered;
        row(ui, theme, "Exploration", problem.as_deref(), |ui| {
            field.show(&mut engine.exploration, ui, theme, entered);
        });
    }

    /// Everything else that can be set about the search, if one wants to see it.
    fn all_parameters(
        &mut self,
        engine: &mut EngineSetup,
        lists: &mut bool,
        ui: &mut Ui,
        theme: &Theme,
    ) {
        let mut all = Adjustable::all(self.game, &engine.search);
        all.retain(|adjustable| !engine.external && !ABOVE.contains(&adjustable.name));
        let is_open = *lists && !all.is_empty();
        let text = match (is_open, engine.parameters.len()) {
            (true, _) => "▾ All parameters".to_owned(),
            (false, 0) => "▸ All parameters".to_owned(),
            (false, many) => format!("▸ All parameters, {many} changed"),
        };
        ui.horizontal(|ui| {
            let text = RichText::new(text).color(theme.dim);
            let button = Button::new(text).frame(false);
            let button = ui.add_enabled(!all.is_empty(), button);
            let button = button.named(&self.name("parameters"));
            if button
                .on_hover_text("Everything that can be set about this search")
                .clicked()
            {
                *lists ^= true;
            }
            let is_changed = !engine.parameters.is_empty() && !engine.external;
            if is_open && is_changed {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let reset = ui.small_button("Reset").named(&self.name("reset"));
                    if reset
                        .on_hover_text("Everything as the search has it")
                        .clicked()
                    {
                        engine.parameters.clear();
                    }
                });
            }
        });
        if is_open {
            let text = RichText::new("default · range").color(theme.dim).small();
            small(ui, NAMES + 8.0 + VALUES, text);
            for adjustable in &all {
                self.parameter(adjustable, engine, ui, theme);
            }
        }
    }

    /// A parameter: its name, its value, what it may be and what it is if nobody sets it.
    fn parameter(
        &mut self,
        adjustable: &Adjustable,
        engine: &mut EngineSetup,
        ui: &mut Ui,
        theme: &Theme,
    ) {
        let name = adjustable.name;
        let problem = self.problem(&Field::Parameter(self.side, name.to_owned()));
        let problem = problem.map(str::to_owned);
        let set = engine.parameters.get(name);
        let mut value = set.unwrap_or(&adjustable.default).clone();
        ui.horizontal(|ui| {
            let middle = Layout::left_to_right(Align::Center);
            ui.allocate_ui_with_layout(vec2(NAMES, 24.0), middle, |ui| {
                ui.set_min_width(NAMES);
                let colour = if set.is_some() { theme.text } else { theme.dim };
                ui.label(RichText::new(name.replace('_', " ")).color(colour))
                    .on_hover_text(adjustable.help);
            });
            let control = self.name(&format!("parameter {name}"));
            if adjustable.words.is_empty() {
                let field = FieldOf {
                    name: control,
                    width: VALUES,
                    empty: "",
                    hint: adjustable.help,
                    is_wrong: problem.is_some(),
                    is_on: true,
                };
                field.show(&mut value, ui, theme, &mut self.entered);
            } else {
                let combo = ComboBox::from_id_salt(&control)
                    .selected_text(&value)
                    .width(VALUES)
                    .show_ui(ui, |ui| {
                        for &word in &adjustable.words {
                            ui.selectable_value(&mut value, word.to_owned(), word);
                        }
                    });
                let combo = combo.response.named(&control);
                combo.on_hover_text(adjustable.help);
            }
            let about = format!("{} · {}", adjustable.default, adjustable.range);
            let about = RichText::new(about).color(theme.dim).small();
            let about = ui.add(Label::new(about).truncate());
            about.on_hover_text(format!(
                "{}. Without a word {}; it may be {}.",
                adjustable.help, adjustable.default, adjustable.range
            ));
        });
        if let Some(problem) = problem {
            wrong(ui, theme, NAMES, &problem);
        }
        if value == adjustable.default {
            engine.parameters.remove(name);
        } else {
            engine.parameters.insert(name.to_owned(), value);
        }
    }
}
