//! A program that is silent may speak another dialect than it was set up with.

use canopy_engine::arena::engine_config::EngineProtocol;
use egui::{Label, RichText, Ui};

use crate::{draw::theme::Theme, play::session::DialectHint, ui::controls::Named as _};

/// Shows the hint with the other dialects; the one that was clicked.
pub(super) fn show(hint: &DialectHint, ui: &mut Ui, theme: &Theme) -> Option<EngineProtocol> {
    ui.add_space(4.0);
    let text = format!(
        "{} does not answer in {}. Does it speak another dialect?",
        hint.name,
        hint.dialect.name().to_uppercase()
    );
    ui.add(Label::new(RichText::new(text).color(theme.warm)).wrap())
        .named("dialect hint");
    let mut chosen = None;
    ui.horizontal(|ui| {
        let others = EngineProtocol::ALL.into_iter();
        for dialect in others.filter(|dialect| *dialect != hint.dialect) {
            let name = dialect.name();
            let button = ui.button(format!("Try {}", name.to_uppercase()));
            let about = "Start the program again, and speak this dialect with it";
            if button.explained(&format!("try {name}"), about).clicked() {
                chosen = Some(dialect);
            }
        }
    });
    chosen
}
