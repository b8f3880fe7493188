//! An engine that is to play a side, on the start screen.

use canopy_engine::arena::engine_config::EngineProtocol;
use egui::{Align, Button, Checkbox, ComboBox, FontId, Label, Layout, RichText, Ui, vec2};

use super::{
    elide::elided_label,
    engine_options::{QueryView, show_choices},
    form::{
        self, NUMBER_FIELD_WIDTH, Segment, TextField, show_heading, show_problem, show_row,
        show_segments, show_small_text,
    },
};
use crate::{
    draw::theme::{BODY_SIZE, Theme},
    play::setup::{
        EngineSetup, GameInfo, LimitKind, REPORTS, SearchParameter, SetupField, SetupProblem,
        report_of, search_help, side_name,
    },
    ui::controls::Named as _,
};

/// Parameters with controls of their own, left out of the list of all parameters.
const SEPARATE_PARAMETERS: [&str; 4] = ["exploration", "playout_limit", "iterations", "time"];
/// Width of parameter names, and of their fields, in points.
const PARAMETER_NAME_WIDTH: f32 = 112.0;
pub(super) const PARAMETER_FIELD_WIDTH: f32 = 104.0;

/// The form of one side's engine.
pub(super) struct EngineForm<'a> {
    /// The side, counted from 0.
    pub(super) side: usize,
    /// The game, with its variant.
    pub(super) game: &'a str,
    /// The game's choices.
    pub(super) offers: &'a GameInfo,
    /// Everything that has to be put right.
    pub(super) problems: &'a [SetupProblem],
    /// Whether Enter was pressed in a field.
    pub(super) is_submitted: bool,
    /// A program that is asked for its options.
    pub(super) query: QueryView<'a>,
    /// Whether this side's program is to be asked.
    pub(super) asks_options: bool,
}

/// A row of a parameter or option: its name, a control, and its default and range.
pub(super) struct ParameterRow<'a> {
    pub(super) name: &'a str,
    /// The tooltip of the name.
    pub(super) help: &'a str,
    /// Whether it differs from the default.
    pub(super) is_changed: bool,
    /// Default and range.
    pub(super) about: String,
    /// The same in a sentence, for the tooltip.
    pub(super) about_hint: String,
    /// What is wrong with its value.
    pub(super) problem: Option<&'a str>,
}

impl ParameterRow<'_> {
    /// Shows the row with this control.
    pub(super) fn show(self, ui: &mut Ui, theme: &Theme, add_control: impl FnOnce(&mut Ui)) {
        ui.horizontal(|ui| {
            let middle = Layout::left_to_right(Align::Center);
            ui.allocate_ui_with_layout(vec2(PARAMETER_NAME_WIDTH, 24.0), middle, |ui| {
                ui.set_min_width(PARAMETER_NAME_WIDTH);
                let colour = if self.is_changed {
                    theme.text
                } else {
                    theme.dim
                };
                let font = FontId::proportional(BODY_SIZE);
                let name = elided_label(ui, self.name, (&font, colour), PARAMETER_NAME_WIDTH);
                name.on_hover_text(self.help);
            });
            add_control(ui);
            let about = RichText::new(self.about).color(theme.dim).small();
            let about = ui.add(Label::new(about).truncate());
            about.on_hover_text(self.about_hint);
        });
        if let Some(problem) = self.problem {
            show_problem(ui, theme, PARAMETER_NAME_WIDTH, problem);
        }
    }
}

impl EngineForm<'_> {
    /// Shows how the engine is set up.
    pub(super) fn show(
        &mut self,
        engine: &mut EngineSetup,
        is_expanded: &mut bool,
        ui: &mut Ui,
        theme: &Theme,
    ) {
        let player = self.offers.players[self.side];
        let place = side_name(self.side);
        let text = format!("Engine for {player}, {place} to move");
        show_heading(ui, theme.heading(&text));
        self.show_program(engine, ui, theme);
        if engine.external {
            self.show_command(engine, ui, theme);
        } else {
            self.show_search(engine, ui, theme);
        }
        self.show_limit(engine, ui, theme);
        self.show_playout_limit(engine, ui, theme);
        self.show_exploration(engine, ui, theme);
        if engine.external {
            self.asks_options = self.show_options(engine, is_expanded, ui, theme);
        } else {
            self.show_parameters(engine, is_expanded, ui, theme);
        }
    }

    /// The name of a control of this side.
    pub(super) fn control_name(&self, what: &str) -> String {
        format!("setup {what} {}", side_name(self.side))
    }

    /// The problem with a field, if any.
    pub(super) fn problem_text(&self, field: &SetupField) -> Option<&str> {
        let found = self.problems.iter().find(|problem| problem.field == *field);
        found.map(|problem| problem.text.as_str())
    }

    fn show_program(&self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        show_row(ui, theme, "Program", None, |ui| {
            let all = [
                Segment::new(self.control_name("ours"), "Canopy", "One of our searches"),
                Segment::new(
                    self.control_name("other"),
                    "Another engine",
                    "A program that speaks UGI, UCI or GTP",
                ),
            ];
            if let Some(clicked) = show_segments(ui, theme, &all, Some(engine.external.into())) {
                engine.external = clicked == 1;
            }
        });
    }

    /// The command of another program, and its dialect.
    fn show_command(&mut self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self
            .problem_text(&SetupField::Command(self.side))
            .map(str::to_owned);
        let field = TextField {
            control_name: self.control_name("command"),
            width: ui.available_width() - form::LABEL_WIDTH - 8.0,
            placeholder: "program and arguments",
            hint: "As a shell would split it; before it, if wanted: name=NAME option.NAME=VALUE dir=DIRECTORY",
            has_problem: problem.is_some(),
            is_enabled: true,
        };
        let is_submitted = &mut self.is_submitted;
        show_row(ui, theme, "Command", problem.as_deref(), |ui| {
            field.show(&mut engine.command, ui, theme, is_submitted);
        });
        show_row(ui, theme, "Speaks", None, |ui| {
            let all = [
                EngineProtocol::Ugi,
                EngineProtocol::Uci,
                EngineProtocol::Gtp,
            ];
            let shown = all.map(|dialect| {
                let name = self.control_name(dialect.name());
                (name, dialect.name().to_uppercase())
            });
            let shown = (shown.iter())
                .map(|(name, text)| Segment::new(name.clone(), text, "What the program speaks"))
                .collect::<Vec<_>>();
            let chosen = all.iter().position(|dialect| *dialect == engine.dialect);
            if let Some(clicked) = show_segments(ui, theme, &shown, chosen) {
                engine.set_dialect(all[clicked]);
            }
        });
    }

    /// Our search: any of them, or a report's player with one click.
    fn show_search(&self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem_text(&SetupField::Search(self.side));
        show_row(ui, theme, "Search", problem, |ui| {
            let mut chosen = engine.search.clone();
            let combo = ComboBox::from_id_salt(self.control_name("search"))
                .selected_text(&chosen)
                .width(200.0)
                .height(320.0)
                .show_ui(ui, |ui| self.show_search_list(&mut chosen, ui, theme));
            let combo = combo.response.named(&self.control_name("search"));
            combo.on_hover_text(search_help(&engine.search));
            if chosen != engine.search {
                engine.set_search(self.game, &chosen);
            }
        });
        show_row(ui, theme, "Report", None, |ui| {
            let hints = REPORTS.map(|(number, _)| match self.offers.report_search(number) {
                Some(search) => format!("{search}: {}", search_help(search)),
                None => format!("Report {number} has no player for this game"),
            });
            let all: Vec<Segment<'_>> = (REPORTS.iter().zip(&hints))
                .map(|(&(number, _), hint)| Segment {
                    is_enabled: self.offers.report_search(number).is_some(),
                    ..Segment::new(self.control_name(&format!("report {number}")), number, hint)
                })
                .collect();
            let report = report_of(&engine.search);
            let chosen = REPORTS
                .iter()
                .position(|(number, _)| report == Some(number));
            let clicked = show_segments(ui, theme, &all, chosen);
            if let Some(search) =
                clicked.and_then(|index| self.offers.report_search(REPORTS[index].0))
            {
                engine.set_search(self.game, search);
            }
        });
    }

    /// The searches there are, ours first.
    fn show_search_list(&self, chosen: &mut String, ui: &mut Ui, theme: &Theme) {
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
                let item = item.named(&self.control_name(search));
                if item.on_hover_text(search_help(search)).clicked() {
                    *chosen = search.to_owned();
                }
            }
        }
    }

    /// The limit of a search.
    fn show_limit(&mut self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self
            .problem_text(&SetupField::Limit(self.side))
            .map(str::to_owned);
        let known = engine.available_limits(self.game);
        let shown = engine.effective_limit(self.game);
        let limit = shown.unwrap_or(engine.limit);
        let field = TextField {
            control_name: self.control_name(limit.name()),
            width: NUMBER_FIELD_WIDTH,
            placeholder: "",
            hint: "For every move",
            has_problem: problem.is_some(),
            is_enabled: shown.is_some(),
        };
        let all = LimitKind::ALL.map(|limit| Segment {
            is_enabled: known.contains(&limit),
            ..Segment::new(
                self.control_name(&format!("by {}", limit.name())),
                limit.name(),
                match limit {
                    LimitKind::Iterations => "So many iterations for every move",
                    LimitKind::Milliseconds => "So much time for every move",
                    LimitKind::Plies => "So many plies ahead in every move",
                },
            )
        });
        let is_submitted = &mut self.is_submitted;
        show_row(ui, theme, "Limit", problem.as_deref(), |ui| {
            let chosen = LimitKind::ALL
                .iter()
                .position(|other| Some(*other) == shown);
            if let Some(clicked) = show_segments(ui, theme, &all, chosen) {
                engine.limit = LimitKind::ALL[clicked];
            }
            field.show(engine.limit_text_mut(limit), ui, theme, is_submitted);
        });
    }

    fn show_playout_limit(&mut self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem_text(&SetupField::PlayoutLimit(self.side));
        let problem = problem.map(str::to_owned);
        let has = engine.has_parameter(self.game, "playout_limit");
        let box_name = self.control_name("cut playouts");
        let field = TextField {
            control_name: self.control_name("playout limit"),
            width: NUMBER_FIELD_WIDTH,
            placeholder: "",
            hint: "10 to 100,000",
            has_problem: problem.is_some(),
            is_enabled: has && engine.cuts_playouts,
        };
        let is_submitted = &mut self.is_submitted;
        show_row(ui, theme, "Playouts", problem.as_deref(), |ui| {
            let cuts = Checkbox::new(&mut engine.cuts_playouts, "cut off after");
            ui.add_enabled(has, cuts)
                .named(&box_name)
                .on_hover_text("Whether games that are played out end early and are judged");
            field.show(&mut engine.playout_limit, ui, theme, is_submitted);
            ui.add_enabled(
                field.is_enabled,
                Label::new(RichText::new("plies").color(theme.dim)),
            );
        });
    }

    fn show_exploration(&mut self, engine: &mut EngineSetup, ui: &mut Ui, theme: &Theme) {
        let problem = self.problem_text(&SetupField::Exploration(self.side));
        let problem = problem.map(str::to_owned);
        let field = TextField {
            control_name: self.control_name("exploration"),
            width: NUMBER_FIELD_WIDTH,
            placeholder: "",
            hint: "The constant C of UCT, 0 to 20; larger looks more widely",
            has_problem: problem.is_some(),
            is_enabled: engine.has_parameter(self.game, "exploration"),
        };
        let entered = &mut self.is_submitted;
        show_row(ui, theme, "Exploration", problem.as_deref(), |ui| {
            field.show(&mut engine.exploration, ui, theme, entered);
        });
    }

    /// All other parameters of the search, if expanded.
    fn show_parameters(
        &mut self,
        engine: &mut EngineSetup,
        is_expanded: &mut bool,
        ui: &mut Ui,
        theme: &Theme,
    ) {
        let mut all = SearchParameter::all(self.game, &engine.search);
        all.retain(|adjustable| !SEPARATE_PARAMETERS.contains(&adjustable.name));
        let is_open = *is_expanded && !all.is_empty();
        let text = match (is_open, engine.parameters.len()) {
            (true, _) => "▾ All parameters".to_owned(),
            (false, 0) => "▸ All parameters".to_owned(),
            (false, many) => format!("▸ All parameters, {many} changed"),
        };
        ui.horizontal(|ui| {
            let text = RichText::new(text).color(theme.dim);
            let button = Button::new(text).frame(false);
            let button = ui.add_enabled(!all.is_empty(), button);
            let button = button.named(&self.control_name("parameters"));
            if button
                .on_hover_text("Everything that can be set about this search")
                .clicked()
            {
                *is_expanded ^= true;
            }
            let is_changed = !engine.parameters.is_empty();
            if is_open && is_changed {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let reset = ui.small_button("Reset").named(&self.control_name("reset"));
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
            show_small_text(ui, PARAMETER_NAME_WIDTH + 8.0 + PARAMETER_FIELD_WIDTH, text);
            for adjustable in &all {
                self.show_parameter(adjustable, engine, ui, theme);
            }
        }
    }

    /// A parameter: its name, value, allowed values and default.
    fn show_parameter(
        &mut self,
        adjustable: &SearchParameter,
        engine: &mut EngineSetup,
        ui: &mut Ui,
        theme: &Theme,
    ) {
        let name = adjustable.name;
        let problem = self.problem_text(&SetupField::Parameter(self.side, name.to_owned()));
        let problem = problem.map(str::to_owned);
        let set = engine.parameters.get(name);
        let mut value = set.unwrap_or(&adjustable.default).clone();
        let row = ParameterRow {
            name: &name.replace('_', " "),
            help: adjustable.help,
            is_changed: set.is_some(),
            about: format!("{} · {}", adjustable.default, adjustable.range),
            about_hint: format!(
                "{}. Without a word {}; it may be {}.",
                adjustable.help, adjustable.default, adjustable.range
            ),
            problem: problem.as_deref(),
        };
        let control = self.control_name(&format!("parameter {name}"));
        row.show(ui, theme, |ui| {
            if adjustable.choices.is_empty() {
                let field = TextField {
                    control_name: control,
                    width: PARAMETER_FIELD_WIDTH,
                    placeholder: "",
                    hint: adjustable.help,
                    has_problem: problem.is_some(),
                    is_enabled: true,
                };
                field.show(&mut value, ui, theme, &mut self.is_submitted);
            } else {
                let words: Vec<String> = (adjustable.choices.iter())
                    .map(|word| (*word).to_owned())
                    .collect();
                show_choices((&control, adjustable.help), &words, &mut value, ui);
            }
        });
        if value == adjustable.default {
            engine.parameters.remove(name);
        } else {
            engine.parameters.insert(name.to_owned(), value);
        }
    }
}
