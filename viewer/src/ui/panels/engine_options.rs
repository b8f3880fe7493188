//! The options that another program declares, as a form.

use std::time::Duration;

use canopy_engine::arena::client::{EngineOption, EngineOptionKind};
use egui::{Button, Checkbox, ComboBox, RichText, Ui};

use super::{
    dialect_hint,
    engine_form::{EngineForm, PARAMETER_FIELD_WIDTH, ParameterRow},
    form::{TextField, show_problem},
};
use crate::{
    draw::theme::Theme,
    play::{
        option_query::OptionQuery,
        setup::{EngineSetup, SetupField},
    },
    tree::scene::format_thousands,
    ui::controls::Named as _,
};

/// How an option is told whose default is no text.
const EMPTY_DEFAULT: &str = "empty";

/// A program that is asked for its options, if any is, and the time now.
#[derive(Clone, Copy)]
pub(super) struct QueryView<'a> {
    pub(super) query: Option<&'a OptionQuery>,
    pub(super) now: Duration,
}

impl EngineForm<'_> {
    /// The options of another program, if expanded, and the button that asks for them. True if it is to be asked.
    pub(super) fn show_options(
        &mut self,
        engine: &mut EngineSetup,
        is_expanded: &mut bool,
        ui: &mut Ui,
        theme: &Theme,
    ) -> bool {
        let query = (self.query.query).filter(|query| query.program == engine.program());
        let declared = engine.declared_options().map(<[EngineOption]>::to_vec);
        let mut is_asked = false;
        ui.horizontal(|ui| {
            if let Some(options) = &declared {
                self.show_options_header(
                    (options.len(), engine.options.len()),
                    is_expanded,
                    ui,
                    theme,
                );
            }
            let text = match declared {
                Some(_) => "Ask again",
                None => "Ask for its options",
            };
            let is_running = query.is_some_and(|query| query.failure_text().is_none());
            let can_ask = engine.external_engine().is_ok() && !is_running;
            let button = ui.add_enabled(can_ask, Button::new(text));
            let about = "Start the program, list the options that it declares, and end it";
            is_asked = (button.explained(&self.control_name("options"), about)).clicked();
            if is_running {
                ui.label(RichText::new("asking …").color(theme.dim));
            }
        });
        if let Some(query) = query {
            is_asked |= self.show_query(query, engine, ui, theme);
        }
        if *is_expanded {
            for option in declared.iter().flatten() {
                self.show_option(option, engine, ui, theme);
            }
        }
        is_asked
    }

    /// How many options there are, and how many of them are changed; a click folds or unfolds them.
    fn show_options_header(
        &self,
        (count, changed): (usize, usize),
        is_expanded: &mut bool,
        ui: &mut Ui,
        theme: &Theme,
    ) {
        let what = match count {
            0 => "It declares no options".to_owned(),
            1 => "Its option".to_owned(),
            many => format!("Its {many} options"),
        };
        let sign = if *is_expanded { "▾" } else { "▸" };
        let changed = match changed {
            0 => String::new(),
            many => format!(", {many} changed"),
        };
        let text = RichText::new(format!("{sign} {what}{changed}")).color(theme.dim);
        let button = ui.add_enabled(count > 0, Button::new(text).frame(false));
        let about = "Everything that the program lets one set";
        let name = self.control_name("option list");
        if button.explained(&name, about).clicked() {
            *is_expanded ^= true;
        }
    }

    /// What is known of a program that is asked; true if it is to be asked again, in another dialect.
    fn show_query(
        &self,
        query: &OptionQuery,
        engine: &mut EngineSetup,
        ui: &mut Ui,
        theme: &Theme,
    ) -> bool {
        if let Some(failure) = query.failure_text() {
            show_problem(ui, theme, 0.0, &failure);
        }
        let now = self.query.now;
        let Some(hint) = query.dialect_hint(now) else {
            if query.failure_text().is_none() {
                let wait = query.hint_due_at().saturating_sub(now);
                ui.ctx().request_repaint_after(wait);
            }
            return false;
        };
        match dialect_hint::show(&hint, ui, theme) {
            Some(dialect) => {
                engine.dialect = dialect;
                true
            }
            None => false,
        }
    }

    /// An option: its name, value, allowed values and default.
    fn show_option(
        &mut self,
        option: &EngineOption,
        engine: &mut EngineSetup,
        ui: &mut Ui,
        theme: &Theme,
    ) {
        let name = &option.name;
        let problem = self.problem_text(&SetupField::Option(self.side, name.clone()));
        let problem = problem.map(str::to_owned);
        let set = engine.options.get(name).cloned();
        let range = range_text(&option.kind);
        let default = match option.default.as_str() {
            "" => EMPTY_DEFAULT,
            default => default,
        };
        let row = ParameterRow {
            name,
            help: name,
            is_changed: set.is_some(),
            about: match option.kind {
                EngineOptionKind::Button => range.clone(),
                _ => format!("{default} · {range}"),
            },
            about_hint: format!("{name}: {range}. Without a word {default}."),
            problem: problem.as_deref(),
        };
        let control = self.control_name(&format!("option {name}"));
        let mut value = set.clone().unwrap_or_else(|| option.default.clone());
        let mut is_pressed = set.is_some();
        row.show(ui, theme, |ui| {
            let about = format!("{name}: {range}");
            match &option.kind {
                EngineOptionKind::Check => {
                    let mut is_on = value == "true";
                    ui.add(Checkbox::without_text(&mut is_on))
                        .explained(&control, about);
                    value = is_on.to_string();
                }
                EngineOptionKind::Button => {
                    ui.add(Checkbox::new(&mut is_pressed, "press"))
                        .explained(&control, "Press it before the first game");
                }
                EngineOptionKind::Combo(choices) => {
                    show_choices((&control, &about), choices, &mut value, ui);
                }
                EngineOptionKind::Spin { .. } | EngineOptionKind::Text => {
                    let field = TextField {
                        control_name: control,
                        width: PARAMETER_FIELD_WIDTH,
                        placeholder: "",
                        hint: &about,
                        has_problem: problem.is_some(),
                        is_enabled: true,
                    };
                    field.show(&mut value, ui, theme, &mut self.is_submitted);
                }
            }
        });
        match option.kind {
            EngineOptionKind::Button if !is_pressed => {
                engine.options.remove(name);
            }
            _ => engine.set_option(option, value),
        }
    }
}

/// A list of words to choose from; the name of the control and its tooltip.
pub(super) fn show_choices(
    (control, about): (&str, &str),
    choices: &[String],
    value: &mut String,
    ui: &mut Ui,
) {
    let combo = ComboBox::from_id_salt(control)
        .selected_text(value.as_str())
        .width(PARAMETER_FIELD_WIDTH)
        .show_ui(ui, |ui| {
            for word in choices {
                let item = ui.selectable_value(value, word.clone(), word);
                item.named(&format!("{control} {word}"));
            }
        });
    combo.response.explained(control, about);
}

/// The values that an option takes, in words.
fn range_text(kind: &EngineOptionKind) -> String {
    let number = |number: i64| match u64::try_from(number) {
        Ok(number) => format_thousands(number),
        Err(_) => format!("-{}", format_thousands(number.unsigned_abs())),
    };
    match kind {
        EngineOptionKind::Check => "on or off".to_owned(),
        EngineOptionKind::Spin { min, max } => format!("{} to {}", number(*min), number(*max)),
        EngineOptionKind::Combo(choices) => format!("one of {}", choices.len()),
        EngineOptionKind::Button => "done before the first game".to_owned(),
        EngineOptionKind::Text => "any text".to_owned(),
    }
}
