//! The cards: watch a match, play a game, open trees; above them the game that they are about.

use std::{sync::Arc, time::SystemTime};

use canopy_engine::games::{self, GameFacts};
use egui::{
    Align, CornerRadius, FontId, Key, Label, Layout, Rect, Response, RichText, ScrollArea, Sense,
    Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2,
};

use super::{
    StartPage,
    card::{
        CARD_RADIUS, CHOICE_LABEL_WIDTH, CardMetrics, MIN_WIDTH_FOR_TWO, PADDING, SENTENCE_SIZE,
        TEXT_WIDTH, card_foot, card_rects, card_ui, fill_card, half_width, has_two_columns,
        is_picture_clicked, ring_card, show_card_title, show_foot, show_sentence, show_side_choice,
        show_strength_choice,
    },
    games_to_choose,
    learn::{learn_height, next_lesson, show_compare_row, show_learn_card},
    recent::{ENTRY_HEIGHT, columns_in},
};
use crate::{
    app::{Action, App, LessonAction},
    board::{Board, Marks, PositionInfo},
    draw::{
        fonts,
        theme::{BODY_SIZE, CARD_TITLE_SIZE, PAGE_TITLE_SIZE, TITLE_SIZE, Theme, mix},
    },
    play::{
        demo_match::{DemoMatchConfig, kept_directory},
        lesson::Lesson,
        setup::PersonSide,
    },
    ui::{
        controls::Named as _,
        keys::{Command, hint},
        panels::{
            Panels,
            form::{keep_in_view, show_large_button, show_link},
        },
    },
    workers::thumbnails::{Subject, Thumbnail, ThumbnailRequest},
};

/// Upper bound of the width of everything, in points.
const MAX_WIDTH: f32 = 1200.0;
/// Height of everything where cards stand side by side, in points.
const USUAL_HEIGHT: f32 = 830.0;
/// Rows of recent trees beside the lessons.
const MAX_RECENT_ROWS: usize = 3;
/// Heights of the title of a card with a button, and of a sentence below it, in points.
const HEADER_HEIGHT: f32 = 36.0;
const SENTENCE_HEIGHT: f32 = 26.0;
/// Sizes of a game's button and its icon, in points.
const GAME_BUTTON_HEIGHT: f32 = 40.0;
const MIN_GAME_BUTTON_WIDTH: f32 = 136.0;
const ICON_SIDE: f32 = 24.0;
/// Lines of the example tree are so much thinner than those of a tree in the window.
const TREE_SCALE: f32 = 0.7;

/// What is said where no tree was opened yet.
const NO_TREES: &str = "No trees yet. Watch a match, and its trees will be listed here.";

/// What the two large cards do.
const ABOUT_WATCH: &str = "Two searches play each other; their trees grow while you watch";
const ABOUT_PLAY: &str = "The game begins at once";

/// Starts a match of the chosen game. Its trees are kept where the games of the user are.
pub(in super::super) fn watch_action(app: &App) -> Action {
    let game = app.settings.quick.facts().name;
    match DemoMatchConfig::new(game, None) {
        Ok(config) => Action::StartDemoMatch(DemoMatchConfig {
            engine: app.own_engine_command.clone(),
            directory: (app.records_directory.as_ref())
                .map(|games| games.with_file_name("matches"))
                .map(|matches| kept_directory(&matches, game, SystemTime::now())),
            ..config
        }),
        Err(problem) => Action::ShowError(problem),
    }
}

/// Starts a game with the choices of the card.
pub(in super::super) fn play_action(app: &App) -> Action {
    match app.settings.quick.config(&app.own_engine_command) {
        Ok(config) => Action::StartGame(Box::new(config)),
        Err(problems) => {
            let texts: Vec<String> = problems.into_iter().map(|problem| problem.text).collect();
            Action::ShowError(texts.join(" "))
        }
    }
}

/// The typical position of a game.
fn example_position(facts: &GameFacts) -> Option<PositionInfo> {
    let moves: Vec<&str> = facts.example.split_whitespace().collect();
    Board::after_moves(facts.name, "", &moves).ok()
}

impl Panels {
    /// The page of cards. The first one takes the focus of the keyboard if they have just appeared.
    pub(super) fn show_cards(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
        takes_focus: bool,
    ) {
        let is_free = ui.memory(|memory| memory.focused().is_none());
        let is_entered = is_free && ui.input(|input| input.key_pressed(Key::Enter));
        if is_entered && !takes_focus && self.is_alone() {
            actions.push(watch_action(app));
        }
        ScrollArea::vertical()
            .id_salt("cards")
            .auto_shrink(false)
            .show(ui, |ui| {
                let room = ui.available_size();
                let least = if room.x < MIN_WIDTH_FOR_TWO {
                    24.0
                } else {
                    32.0
                };
                let width = (room.x - 2.0 * least).clamp(320.0, MAX_WIDTH).floor();
                ui.spacing_mut().item_spacing = vec2(8.0, 0.0);
                let metrics = CardMetrics::in_height(room.y);
                let spare = room.y - USUAL_HEIGHT;
                ui.add_space((spare / 2.5).clamp(metrics.top, 104.0).round());
                ui.horizontal_top(|ui| {
                    ui.add_space(((room.x - width) / 2.0).round());
                    let layout = Layout::top_down(Align::Min);
                    ui.allocate_ui_with_layout(vec2(width, 0.0), layout, |ui| {
                        ui.set_width(width);
                        self.show_card_column(app, ui, theme, (metrics, takes_focus), actions);
                    });
                });
            });
    }

    fn show_card_column(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        (metrics, takes_focus): (CardMetrics, bool),
        actions: &mut Vec<Action>,
    ) {
        let width = ui.available_width();
        ui.label(theme.semibold(
            "See how a program thinks about its next move.",
            PAGE_TITLE_SIZE,
        ));
        ui.add_space(4.0);
        let what = format!(
            "Canopy plays {} board games and draws every search as a tree: what it tried, how often, and why it chose.",
            number_word(games::NAMES.len())
        );
        ui.label(RichText::new(what).size(TITLE_SIZE).color(theme.dim));
        ui.add_space(metrics.gap - 2.0);
        self.show_games(app, ui, theme);
        ui.add_space(metrics.gap);
        let (watch, play) = card_rects(ui, width, [metrics.height; 2], metrics);
        self.show_watch_card(app, ui, theme, (watch, takes_focus), actions);
        self.show_play_card(app, ui, theme, play, actions);
        ui.add_space(metrics.gap);
        if self.start.lessons.is_empty() {
            self.start.lessons = Lesson::built_in();
        }
        let lessons = self.start.lessons.len();
        if has_two_columns(width) {
            let half = half_width(width);
            let learn = learn_height(lessons, half, metrics);
            let open = open_height(app, half, MAX_RECENT_ROWS, metrics);
            let (learn, open) = card_rects(ui, width, [learn, open], metrics);
            show_learn_card(
                app,
                &self.start.lessons,
                ui,
                theme,
                (learn, metrics),
                actions,
            );
            self.show_open_card(app, ui, theme, (open, MAX_RECENT_ROWS, metrics), actions);
            ui.add_space(metrics.gap);
            self.show_links(app, ui, theme, false, actions);
        } else {
            let size = vec2(width, open_height(app, width, usize::MAX, metrics));
            let (open, _) = ui.allocate_exact_size(size, Sense::hover());
            self.show_open_card(app, ui, theme, (open, usize::MAX, metrics), actions);
            ui.add_space(metrics.gap);
            self.show_links(app, ui, theme, true, actions);
            ui.add_space(metrics.gap);
            let size = vec2(width, learn_height(lessons, width, metrics));
            let (learn, _) = ui.allocate_exact_size(size, Sense::hover());
            show_learn_card(
                app,
                &self.start.lessons,
                ui,
                theme,
                (learn, metrics),
                actions,
            );
        }
        ui.add_space(metrics.gap - 4.0);
        show_compare_row(app, ui, theme, actions);
        ui.add_space(8.0);
    }

    /// The games, of which one is chosen for all cards.
    fn show_games(&mut self, app: &mut App, ui: &mut Ui, theme: &Theme) {
        let chosen = app.settings.quick.facts();
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(8.0, 8.0);
            for facts in games_to_choose() {
                if self
                    .show_game_button(ui, theme, facts, facts == chosen)
                    .clicked()
                {
                    app.settings.quick.game = facts.name.to_owned();
                    app.settings.play.set_game(facts.name);
                }
            }
            ui.add_space(4.0);
            let middle = Layout::left_to_right(Align::Center);
            ui.allocate_ui_with_layout(vec2(160.0, GAME_BUTTON_HEIGHT), middle, |ui| {
                let text = format!("Rules of {}", chosen.title.to_lowercase());
                let link = show_link(ui, theme, &text, "start rules");
                let about = hint("The rules in half a page", Command::Rules);
                if link.on_hover_text(about).clicked() {
                    self.rules.open(chosen);
                }
            });
        });
    }

    /// The button of a game: a piece of its board, and its name.
    fn show_game_button(
        &mut self,
        ui: &mut Ui,
        theme: &Theme,
        facts: &'static GameFacts,
        is_chosen: bool,
    ) -> Response {
        let family = if is_chosen {
            fonts::semibold()
        } else {
            egui::FontFamily::Proportional
        };
        let font = FontId::new(BODY_SIZE, family);
        let galley = (ui.painter()).layout_no_wrap(facts.title.to_owned(), font, theme.text);
        let width = (galley.size().x + ICON_SIDE + 40.0).max(MIN_GAME_BUTTON_WIDTH);
        let size = vec2(width.round(), GAME_BUTTON_HEIGHT);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let ground = if is_chosen {
            theme.selected
        } else {
            theme.card
        };
        let fill = match () {
            () if response.is_pointer_button_down_on() => mix(ground, theme.text, 0.03),
            () if response.hovered() && !is_chosen => theme.raised,
            () => ground,
        };
        let line = match () {
            () if response.has_focus() => theme.focus_stroke(),
            () if is_chosen => Stroke::new(1.0, theme.cool),
            () => Stroke::new(1.0, theme.line),
        };
        (ui.painter()).rect(rect, 6.0, fill, line, StrokeKind::Inside);
        if let Some(position) = example_position(facts) {
            let (texture, size) =
                self.board_textures
                    .icon_texture(ui.ctx(), &position.board, ICON_SIDE, theme);
            let corner = pos2(rect.left() + 12.0, rect.center().y - size.y / 2.0).round();
            let image = egui::Image::new((texture.id(), size)).corner_radius(4);
            image.paint_at(ui, Rect::from_min_size(corner, size));
        }
        let at = pos2(
            rect.left() + ICON_SIDE + 24.0,
            rect.center().y - galley.size().y / 2.0,
        );
        ui.painter().galley(at, galley, theme.text);
        keep_in_view(&response);
        let about = format!("All cards below are about {}", facts.title.to_lowercase());
        response.explained(&format!("setup game {}", facts.name), about)
    }

    fn show_watch_card(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        (rect, takes_focus): (Rect, bool),
        actions: &mut Vec<Action>,
    ) {
        let facts = app.settings.quick.facts();
        fill_card(ui, theme, rect);
        let split = (rect.left() + PADDING + TEXT_WIDTH + PADDING).round();
        let area = Rect::from_min_max(pos2(split, rect.top()), rect.max).shrink(1.0);
        let clicks_picture = self.show_tree(app, ui, theme, area);
        let mut ui = card_ui(ui, rect);
        show_card_title(&mut ui, theme, "Watch a match");
        let text = format!(
            "Two programs play {}. Their trees grow while you watch; pause at any iteration.",
            facts.title.to_lowercase()
        );
        show_sentence(&mut ui, theme, &text);
        let [first, second] = facts.demo_names();
        let foot = card_foot(rect);
        let players = RichText::new(format!("{first} against {second}")).color(theme.text);
        let line = Rect::from_min_size(foot.min - vec2(0.0, 32.0), vec2(TEXT_WIDTH, 20.0));
        let mut row = ui.new_child(UiBuilder::new().max_rect(line));
        row.add(Label::new(players).truncate());
        let button = show_foot(&mut ui, theme, foot, ("Watch", "W", true));
        let button = button.named("start watch");
        if takes_focus && self.is_alone() {
            button.request_focus();
            ui.ctx().request_repaint();
        }
        ring_card(&ui, theme, rect, &button);
        let button = button.on_hover_text(hint(ABOUT_WATCH, Command::Watch));
        if button.clicked() || clicks_picture {
            actions.push(watch_action(app));
        }
    }

    /// The tree of a short search in the game; true if it was clicked.
    fn show_tree(&mut self, app: &mut App, ui: &mut Ui, theme: &Theme, area: Rect) -> bool {
        let facts = app.settings.quick.facts();
        let east = CornerRadius {
            ne: CARD_RADIUS - 1,
            se: CARD_RADIUS - 1,
            ..CornerRadius::ZERO
        };
        ui.painter().rect_filled(area, east, theme.canvas);
        let place = area.shrink(PADDING).round();
        self.start.example = example_thumbnail(app, ui, theme, (place, facts));
        if let Some(thumbnail) = &self.start.example
            && let Some(texture) = self.start.thumbnails.texture(ui.ctx(), thumbnail)
        {
            egui::Image::new((texture, place.size())).paint_at(ui, place);
        }
        is_picture_clicked(ui, area, "start watch picture", ABOUT_WATCH)
    }

    fn show_play_card(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        rect: Rect,
        actions: &mut Vec<Action>,
    ) {
        let facts = app.settings.quick.facts();
        fill_card(ui, theme, rect);
        let split = rect.left() + CHOICE_LABEL_WIDTH + TEXT_WIDTH;
        let area = Rect::from_min_max(pos2(split, rect.top()), rect.max).shrink(PADDING);
        let clicks_picture = self.show_board(app, ui, theme, area);
        let mut ui = card_ui(ui, rect);
        show_card_title(&mut ui, theme, "Play a game");
        let text =
            "You against the program, or two people. After each move you can look into its tree.";
        show_sentence(&mut ui, theme, text);
        ui.add_space(8.0);
        show_side_choice(app, &mut ui, theme, facts);
        ui.add_space(8.0);
        show_strength_choice(app, &mut ui, theme);
        let button = show_foot(&mut ui, theme, card_foot(rect), ("Play", "P", true));
        let button = button.named("start play");
        ring_card(&ui, theme, rect, &button);
        let button = button.on_hover_text(hint(ABOUT_PLAY, Command::Play));
        if button.clicked() || clicks_picture {
            actions.push(play_action(app));
        }
    }

    /// The board of the game with the visits of a short search; true if it was clicked.
    fn show_board(&mut self, app: &App, ui: &mut Ui, theme: &Theme, area: Rect) -> bool {
        let facts = app.settings.quick.facts();
        let Some(position) = example_position(facts) else {
            return false;
        };
        let is_flipped = app.settings.quick.side == PersonSide::Second;
        let mut marks = Marks {
            is_flipped: is_flipped && facts.board.has_home_sides,
            last_move: position.last_move.clone(),
            ..Marks::default()
        };
        if let Some(thumbnail) = &self.start.example {
            marks.moves.clone_from(&thumbnail.shares);
            let best = (marks.moves.iter().enumerate())
                .max_by(|(_, one), (_, other)| one.share.total_cmp(&other.share));
            marks.chosen = best.map(|(index, _)| index);
        }
        let aspect = position.board.aspect(&marks);
        let width = area.width().min(area.height() * aspect);
        let place = Rect::from_center_size(area.center(), vec2(width, width / aspect));
        let mut child = ui.new_child(UiBuilder::new().max_rect(place));
        let shown = self.board_textures.show(
            &mut child,
            &position.board,
            &marks,
            (width, Sense::hover()),
            theme,
        );
        is_picture_clicked(ui, shown.response.rect, "start play picture", ABOUT_PLAY)
    }

    fn show_open_card(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        (rect, max_rows, metrics): (Rect, usize, CardMetrics),
        actions: &mut Vec<Action>,
    ) {
        fill_card(ui, theme, rect);
        let inner = rect.shrink2(vec2(PADDING, metrics.padding));
        let mut ui = ui.new_child(UiBuilder::new().max_rect(inner));
        ui.spacing_mut().item_spacing.y = 0.0;
        let button = ui.horizontal(|ui| {
            ui.set_min_height(HEADER_HEIGHT);
            ui.label(theme.semibold("Open trees", CARD_TITLE_SIZE));
            let right = Layout::right_to_left(Align::Center);
            let button = ui.with_layout(right, |ui| {
                ui.label(RichText::new("O").color(theme.dim));
                ui.add_space(4.0);
                show_large_button(ui, theme, "Open…", (vec2(104.0, HEADER_HEIGHT), false))
            });
            button.inner
        });
        let about = hint("Choose files or a folder", Command::Open);
        let button = button.inner.explained("start open", about);
        if button.clicked() {
            self.open_open_dialog(app);
        }
        ring_card(&ui, theme, rect, &button);
        let about = "Tree files, folders, games, or drop them anywhere in this window.";
        let sentence = RichText::new(about).size(SENTENCE_SIZE).color(theme.dim);
        let bottom = ui.cursor().top() + SENTENCE_HEIGHT;
        ui.add(Label::new(sentence).truncate());
        ui.add_space(bottom - ui.cursor().top());
        if app.settings.recent.is_empty() {
            ui.add_space(8.0);
            ui.label(RichText::new(NO_TREES).size(SENTENCE_SIZE).color(theme.dim));
        } else {
            // The pictures stand in line with the title.
            let list = ui.available_rect_before_wrap().translate(vec2(-4.0, 0.0));
            let mut ui = ui.new_child(UiBuilder::new().max_rect(list));
            let room = (list.width() + 8.0, max_rows);
            let thumbnails = &mut self.start.thumbnails;
            thumbnails.show_recent(app, &mut ui, theme, room, actions);
        }
    }

    /// The way to the form with every setting.
    fn show_links(
        &mut self,
        app: &mut App,
        ui: &mut Ui,
        theme: &Theme,
        has_lesson: bool,
        actions: &mut Vec<Action>,
    ) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(8.0, 4.0);
            let next = next_lesson(app, &self.start.lessons);
            if let Some(lesson) = next.filter(|_| has_lesson) {
                ui.label(RichText::new("New here?").color(theme.dim));
                let text = format!("Lesson: {}", lesson.title);
                let about = "A short lesson beside a live tree; all of them are below";
                let link = show_link(ui, theme, &text, "start lesson").on_hover_text(about);
                if link.clicked() {
                    actions.push(Action::Lesson(LessonAction::Begin(Arc::clone(lesson))));
                }
                ui.label(RichText::new("·").color(theme.dim));
            }
            ui.label(RichText::new("For experts:").color(theme.dim));
            let form = "set up both players, limits, positions and series";
            let about = "Every setting of a game, as report 000 asks for them";
            let link = show_link(ui, theme, form, "start setup").on_hover_text(about);
            if link.clicked() {
                self.start.page = StartPage::Setup;
            }
            ui.label(RichText::new("·").color(theme.dim));
            let engine = "connect another engine (UCI, UGI, GTP)";
            let about = "Another program plays, against you or against a search of Canopy";
            let link = show_link(ui, theme, engine, "start engine").on_hover_text(about);
            if link.clicked() {
                self.start.page = StartPage::Setup;
                app.settings.play.connect_engine();
            }
        });
    }
}

/// The height of the card of recent trees in a width, in points.
fn open_height(app: &App, width: f32, max_rows: usize, metrics: CardMetrics) -> f32 {
    let columns = columns_in(width - 2.0 * PADDING + 8.0);
    let rows = app.settings.recent.len().div_ceil(columns).max(1);
    let list = rows.min(max_rows) as f32 * ENTRY_HEIGHT;
    2.0 * metrics.padding + HEADER_HEIGHT + SENTENCE_HEIGHT + list
}

/// The picture of a short search in a game; none until it is drawn.
fn example_thumbnail(
    app: &mut App,
    ui: &Ui,
    theme: &Theme,
    (place, facts): (Rect, &'static GameFacts),
) -> Option<Arc<Thumbnail>> {
    let scale = ui.ctx().pixels_per_point();
    let pixels = |points: f32| (points * scale).round().max(1.0) as u32;
    app.thumbnails.get(&ThumbnailRequest {
        subject: Subject::Example(facts.name),
        size: [pixels(place.width()), pixels(place.height())],
        scale: scale * TREE_SCALE,
        theme: theme.clone(),
    })
}

/// A small number in words, as sentences have it.
fn number_word(number: usize) -> String {
    const WORDS: [&str; 10] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    ];
    (WORDS.get(number)).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}
