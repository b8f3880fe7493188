//! The toolbar above the tree: what edges are coloured by, which nodes are shown, and menus for the rest.

use canopy_engine::games::notation::escape_invisible;
use egui::{
    Align, Button, DragValue, FontId, Frame, Layout, Margin, Panel, Popup, PopupCloseBehavior,
    PopupKind, Response, RichText, Stroke, Ui, vec2,
};

use super::{
    Panels, explain_term,
    form::{Segment, show_segments, show_separator},
    look_options,
};
use crate::{
    app::{Action, App},
    draw::theme::{BODY_SIZE, Theme},
    tree::{
        model::{Filter, TreeModel},
        scene::format_thousands,
    },
    ui::{
        controls::Named as _,
        glossary,
        keys::{Command, hint},
    },
};

/// Height of the buttons, in points.
const BUTTON_HEIGHT: f32 = 28.0;
/// Space between controls.
const GAP: f32 = 8.0;
/// The choices of how many children are shown.
const CHILD_COUNTS: [u32; 4] = [2, 3, 5, 8];

/// Something that edges can be coloured by: its name in the settings, its label and its tooltip.
struct Colouring {
    measure: String,
    label: String,
    hint: String,
}

/// Everything that the edges of a tree can be coloured by.
fn colourings(model: &TreeModel) -> Vec<Colouring> {
    let is_own = model.meta.is_some();
    let visits = if model.is_classical() {
        ("Nodes", "Nodes searched below a move")
    } else {
        ("Visits", "How often a move was tried")
    };
    let second = match is_own {
        true => (
            "This search",
            "Visits of this search alone, without those kept from the one before",
        ),
        false => ("Second counter", "The second number in the file"),
    };
    let value = ("Value", "Which side wins more, and how surely");
    let mut all: Vec<Colouring> = [("visits", visits), ("mean", value), ("second", second)]
        .into_iter()
        .map(|(measure, (label, about))| Colouring {
            measure: measure.to_owned(),
            label: label.to_owned(),
            hint: hint(&format!("Colour of edges: {about}"), Command::NextColouring),
        })
        .collect();
    if model.has_proofs() {
        let about = glossary::explain("Colour by proof").unwrap_or_default();
        all.push(Colouring {
            measure: "proof".to_owned(),
            label: "Proof".to_owned(),
            hint: hint(about, Command::NextColouring),
        });
    }
    all.extend(model.columns().iter().map(|column| {
        let label = escape_invisible(&column.name).into_owned();
        Colouring {
            measure: format!("column {}", column.name),
            hint: hint(
                &format!("Colour of edges: the column {label}"),
                Command::NextColouring,
            ),
            label,
        }
    }));
    all
}

/// Which of the colourings is chosen; visits if the tree does not have what was chosen for another.
fn chosen_colouring(app: &App, all: &[Colouring]) -> usize {
    let is_chosen = |colouring: &Colouring| colouring.measure == app.settings.measure;
    all.iter().position(is_chosen).unwrap_or(0)
}

/// Colours edges by the next thing there is.
pub(super) fn next_colouring(app: &mut App) {
    let Some(model) = app.document.model.clone() else {
        return;
    };
    let all = colourings(&model);
    let next = (chosen_colouring(app, &all) + 1) % all.len().max(1);
    if let Some(colouring) = all.into_iter().nth(next) {
        app.settings.measure = colouring.measure;
    }
}

/// The filter with the next larger number of children; after the largest all, then the smallest.
pub(super) fn next_best_children(app: &App) -> Option<Filter> {
    let mut filter = explicit_filter(app)?;
    filter.max_children = match filter.max_children {
        None => CHILD_COUNTS.first().copied(),
        Some(now) => CHILD_COUNTS.into_iter().find(|&count| count > now),
    };
    Some(filter)
}

/// The filter of the shown tree, with the numbers of the readable part written out.
fn explicit_filter(app: &App) -> Option<Filter> {
    let model = app.document.model.as_ref()?;
    let root = model.tree.nodes().first()?;
    Some(app.document.filter.explicit(root.visits))
}

/// How much is written on the bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// Everything, with headings.
    Full,
    /// Colours side by side, numbers in few words.
    Short,
    /// Colours in a menu.
    Menus,
    /// What is shown in one menu, too.
    Least,
    /// Everything in one menu.
    OneMenu,
}

impl Detail {
    const ALL: [Self; 5] = [
        Self::Full,
        Self::Short,
        Self::Menus,
        Self::Least,
        Self::OneMenu,
    ];
}

/// What the bar says of a tree.
struct Toolbar<'a> {
    theme: &'a Theme,
    colourings: Vec<Colouring>,
    chosen: usize,
    filter: Filter,
    root_visits: i32,
    detail: Detail,
}

impl Panels {
    /// Shows the bar over what is left of the window.
    pub(super) fn show_toolbar(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        /// Height of the bar, and the space at its sides.
        const HEIGHT: f32 = 44.0;
        const SIDE: f32 = 16.0;
        let (Some(model), Some(filter)) = (app.document.model.clone(), explicit_filter(app)) else {
            return;
        };
        let colourings = colourings(&model);
        let mut toolbar = Toolbar {
            theme,
            chosen: chosen_colouring(app, &colourings),
            colourings,
            filter,
            root_visits: model.tree.nodes().first().map_or(0, |root| root.visits),
            detail: Detail::OneMenu,
        };
        let room = ui.available_width() - 2.0 * SIDE;
        let fitting = Detail::ALL
            .into_iter()
            .find(|&detail| toolbar.width(detail, ui) <= room);
        toolbar.detail = fitting.unwrap_or(Detail::OneMenu);
        let bar = Frame::new()
            .fill(theme.panel)
            .inner_margin(Margin::symmetric(SIDE as i8, 8));
        let is_more_open = &mut self.is_more_open;
        Panel::top("toolbar")
            .frame(bar)
            .exact_size(HEIGHT)
            .resizable(false)
            .show(ui, |ui| {
                ui.horizontal_centered(|ui| {
                    ui.spacing_mut().item_spacing.x = GAP;
                    ui.spacing_mut().interact_size.y = BUTTON_HEIGHT;
                    if toolbar.detail < Detail::OneMenu {
                        toolbar.show_colours(app, ui);
                        toolbar.show_filters(app, ui, actions);
                    }
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        toolbar.show_legend_button(app, ui);
                        toolbar.show_more(app, is_more_open, ui, actions);
                    });
                });
            });
    }
}

impl Toolbar<'_> {
    /// The width of everything, in points.
    fn width(&self, detail: Detail, ui: &Ui) -> f32 {
        /// Width of a button beside its text.
        const BUTTON_PADDING: f32 = 24.0;
        /// More columns than these are a menu even where there is room.
        const MAX_SEGMENTS: usize = 6;
        let text = |text: &str| {
            let font = FontId::proportional(BODY_SIZE);
            let galley = (ui.painter()).layout_no_wrap(text.to_owned(), font, self.theme.text);
            galley.size().x
        };
        let button = |label: String| text(&label) + BUTTON_PADDING + GAP;
        // The space between the two sides.
        let right = button(menu_text("More")) + button("Legend".to_owned()) + GAP;
        if detail == Detail::OneMenu {
            return right;
        }
        let colours = if detail <= Detail::Short {
            if self.colourings.len() > MAX_SEGMENTS {
                return f32::INFINITY;
            }
            let labels = self.colourings.iter().map(|one| text(&one.label) + 16.0);
            labels.sum::<f32>() + GAP
        } else {
            button(menu_text(&self.chosen_label()))
        };
        let headings = match detail {
            Detail::Full => text("Colour") + text("Show") + 4.0 * GAP,
            _ => 0.0,
        };
        let filters = match detail {
            Detail::Least => button(menu_text("Show")),
            _ => {
                let labels = [self.children_label(detail), self.visits_label(detail)];
                labels.map(|label| button(menu_text(&label))).iter().sum()
            }
        };
        colours + headings + filters + right
    }

    fn chosen_label(&self) -> String {
        let chosen = self.colourings.get(self.chosen);
        chosen.map_or_else(String::new, |colouring| colouring.label.clone())
    }

    fn children_label(&self, detail: Detail) -> String {
        let noun = match detail {
            Detail::Full => " children",
            _ => "",
        };
        match self.filter.max_children {
            None => "all children".to_owned(),
            Some(count) => format!("best {}{noun}", format_thousands(count.into())),
        }
    }

    fn visits_label(&self, detail: Detail) -> String {
        let visits = format_thousands(self.filter.min_visits.into());
        match (self.filter.min_visits, detail) {
            (0, _) => "any visits".to_owned(),
            (_, Detail::Full) => format!("at least {visits} visits"),
            _ => format!("≥ {visits} visits"),
        }
    }

    /// The choice of what edges are coloured by.
    fn show_colours(&self, app: &mut App, ui: &mut Ui) {
        if self.detail <= Detail::Short {
            if self.detail == Detail::Full {
                self.show_heading(ui, "Colour");
            }
            let segments: Vec<Segment<'_>> = (self.colourings.iter())
                .map(|one| Segment::new(control_name(one), &one.label, &one.hint))
                .collect();
            let clicked = show_segments(ui, self.theme, &segments, Some(self.chosen));
            if let Some(colouring) = clicked.and_then(|index| self.colourings.get(index)) {
                app.settings.measure.clone_from(&colouring.measure);
            }
            return;
        }
        let text = menu_text(&self.chosen_label());
        let about = hint("What edges are coloured by", Command::NextColouring);
        let button = ui.button(text).explained("colour menu", about);
        Popup::menu(&button).show(|ui| self.show_colour_items(app, ui));
    }

    /// What edges can be coloured by, one below the other.
    fn show_colour_items(&self, app: &mut App, ui: &mut Ui) {
        for (index, colouring) in self.colourings.iter().enumerate() {
            let item = ui.selectable_label(index == self.chosen, &colouring.label);
            let item = item.explained(&control_name(colouring), &colouring.hint);
            if item.clicked() {
                app.settings.measure.clone_from(&colouring.measure);
            }
        }
    }

    fn show_heading(&self, ui: &mut Ui, text: &str) {
        explain_term(ui.label(RichText::new(text).color(self.theme.dim)), text);
    }

    /// The choices of which nodes are shown.
    fn show_filters(&self, app: &App, ui: &mut Ui, actions: &mut Vec<Action>) {
        let mut filter = self.filter.clone();
        let children = hint(
            "Of every node so many children, the most visited ones",
            Command::BestChildren,
        );
        let visits = "Only nodes with so many visits";
        if self.detail == Detail::Least {
            let button = ui.button(menu_text("Show"));
            let button = button.explained("show menu", "Which nodes are shown");
            filter_menu(&button).show(|ui| self.show_filter_items(&mut filter, ui));
        } else {
            if self.detail == Detail::Full {
                ui.add_space(GAP);
                self.show_heading(ui, "Show");
            }
            let button = ui.button(menu_text(&self.children_label(self.detail)));
            let button = button.explained("best children", children);
            filter_menu(&button).show(|ui| show_child_counts(&mut filter, ui));
            let button = ui.button(menu_text(&self.visits_label(self.detail)));
            let button = button.explained("least visits", visits);
            filter_menu(&button).show(|ui| self.show_visit_counts(&mut filter, ui));
        }
        self.apply_filter(app, filter, actions);
    }

    /// How many children and which visits are shown, one below the other.
    fn show_filter_items(&self, filter: &mut Filter, ui: &mut Ui) {
        show_child_counts(filter, ui);
        ui.separator();
        self.show_visit_counts(filter, ui);
    }

    fn apply_filter(&self, app: &App, filter: Filter, actions: &mut Vec<Action>) {
        if filter != self.filter && filter != app.document.filter {
            actions.push(Action::Filter(filter));
        }
    }

    fn show_visit_counts(&self, filter: &mut Filter, ui: &mut Ui) {
        /// The choices of the least visits.
        const VISIT_COUNTS: [u32; 6] = [10, 100, 1000, 10_000, 100_000, 1_000_000];
        let root = self.root_visits.max(0).unsigned_abs();
        let counts = VISIT_COUNTS.into_iter().filter(|&count| count < root);
        for count in [0].into_iter().chain(counts) {
            let text = match count {
                0 => "any visits".to_owned(),
                _ => format!("at least {} visits", format_thousands(count.into())),
            };
            let item = ui.selectable_label(filter.min_visits == count, text);
            let item = item.explained(
                &format!("least visits {count}"),
                glossary::explain("Visits").unwrap_or_default(),
            );
            if item.clicked() {
                filter.min_visits = count;
            }
        }
        ui.horizontal(|ui| {
            ui.label("at least");
            let field = ui.add(DragValue::new(&mut filter.min_visits).speed(1.0));
            field.explained("least visits field", "Drag, or click and type a number");
        });
    }

    fn show_legend_button(&self, app: &mut App, ui: &mut Ui) {
        let about = hint("What colours, lines and shapes mean", Command::Legend);
        let button = toggle_button("Legend", app.settings.legend, self.theme);
        if ui.add(button).explained("legend", about).clicked() {
            app.settings.legend ^= true;
        }
    }

    /// The button of the menu with everything else, and the menu.
    fn show_more(&self, app: &mut App, is_open: &mut bool, ui: &mut Ui, actions: &mut Vec<Action>) {
        let button = toggle_button("More ▾", *is_open, self.theme);
        let about = "Whose values are told, order, size and labels of nodes, scale and colours";
        let button = ui.add(button).explained("more", about);
        if button.clicked() {
            *is_open ^= true;
        }
        // A colour picker lies over the menu and does not close it.
        let behavior = match Popup::is_any_open(ui.ctx()) || button.clicked() {
            true => PopupCloseBehavior::IgnoreClicks,
            false => PopupCloseBehavior::CloseOnClickOutside,
        };
        Popup::from_response(&button)
            .kind(PopupKind::Popup)
            .open_bool(is_open)
            .close_behavior(behavior)
            .show(|ui| {
                if self.detail == Detail::OneMenu {
                    ui.label(self.theme.heading("Colour"));
                    self.show_colour_items(app, ui);
                    show_separator(ui);
                    ui.label(self.theme.heading("Show"));
                    let mut filter = self.filter.clone();
                    self.show_filter_items(&mut filter, ui);
                    self.apply_filter(app, filter, actions);
                    show_separator(ui);
                }
                look_options::show_menu(app, ui, self.theme, actions);
            });
    }
}

/// The name of the control that chooses a colouring.
fn control_name(colouring: &Colouring) -> String {
    let measure = &colouring.measure;
    let name = measure.strip_prefix("column ").unwrap_or(measure);
    format!("colour by {name}")
}

/// A button that is on or off.
fn toggle_button<'a>(text: &'a str, is_on: bool, theme: &Theme) -> Button<'a> {
    let button = Button::new(text).min_size(vec2(0.0, BUTTON_HEIGHT));
    match is_on {
        true => button
            .fill(theme.selected_fill())
            .stroke(Stroke::new(1.0, theme.cool)),
        false => button,
    }
}

/// The text of a button that opens a menu.
fn menu_text(text: &str) -> String {
    format!("{text} ▾")
}

/// A menu that stays open while numbers are tried.
fn filter_menu(button: &Response) -> Popup<'_> {
    Popup::menu(button).close_behavior(PopupCloseBehavior::CloseOnClickOutside)
}

fn show_child_counts(filter: &mut Filter, ui: &mut Ui) {
    for count in [None].into_iter().chain(CHILD_COUNTS.map(Some)) {
        let (text, name) = match count {
            None => ("all children".to_owned(), "all".to_owned()),
            Some(count) => (format!("best {count} children"), count.to_string()),
        };
        let item = ui.selectable_label(filter.max_children == count, text);
        let item = item.explained(
            &format!("best children {name}"),
            "The others become a grey triangle",
        );
        if item.clicked() {
            filter.max_children = count;
        }
    }
    ui.horizontal(|ui| {
        ui.label("best");
        let mut count = filter.max_children.unwrap_or(0);
        let field = ui.add(DragValue::new(&mut count).range(0..=1000));
        field.explained("best children field", "Drag, or click and type; 0 for all");
        filter.max_children = (count > 0).then_some(count);
    });
}
