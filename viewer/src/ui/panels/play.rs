//! The left panel during a game in the window: board, players, controls.

use std::time::Duration;

use canopy_engine::games::Player;
use egui::{
    Align, Align2, Area, Button, ComboBox, FontId, Frame, Key, Label, Layout, Margin, Order,
    ProgressBar, RichText, Sense, Stroke, TextEdit, Ui, pos2, vec2,
};

use super::{dialect_hint, elide::elided_label, game::draw_disc, match_score::MoveList};
use crate::{
    app::{Action, App, CopyTarget, GameAction},
    board::{BoardPlace, BoardResponse, BoardTextures, Marks},
    draw::{
        fonts,
        theme::{BODY_SIZE, TITLE_SIZE, Theme},
    },
    play::{
        game_state::Turn,
        session::{EngineFailure, GameSession},
        setup::{GameInfo, GameSetup},
    },
    tree::{scene::format_thousands, title::game_title},
    ui::{
        controls::{self, Named as _},
        keys::{Command, hint},
    },
};

/// Speeds of games between engines, in milliseconds a move.
const MOVE_DELAYS: [(u32, &str); 4] = [
    (0, "at once"),
    (300, "fast"),
    (1000, "slow"),
    (3000, "very slow"),
];
/// The least and the largest width of the panel, in points.
const MIN_PANEL_WIDTH: f32 = 320.0;
const MAX_PANEL_WIDTH: f32 = 640.0;
/// Height of everything above and below the board with a short list of moves, in points; of what stands below that list; of the
/// row that games between engines have in addition; and minimum height of the board.
const CONTROLS_HEIGHT: f32 = 500.0;
const FOOT_HEIGHT: f32 = 96.0;
const PACE_HEIGHT: f32 = 32.0;
const MIN_BOARD_HEIGHT: f32 = 180.0;
/// Width of what stands beside a player's name, in points: the side, the points and the clock.
const PLAYER_FIGURES_WIDTH: f32 = 148.0;
/// Width of an engine's progress bar, in points.
const PROGRESS_BAR_WIDTH: f32 = 120.0;

/// The state of the area.
#[derive(Default)]
pub(super) struct PlayPanel {
    move_text: String,
    focuses_move_field: bool,
    /// Whether a restart was requested and awaits confirmation.
    confirms_restart: bool,
    /// The move count of the finished game whose overlay was dismissed.
    dismissed_after_moves: Option<usize>,
    /// A requested file dialog: true to save, false to open.
    file_request: Option<bool>,
    /// Whether the rules were asked for.
    rules_request: bool,
    /// The search for analysis, and its limit.
    analysis_search: String,
    analysis_limit: String,
    /// The place of the board under the pointer.
    hovered_place: Option<BoardPlace>,
}

/// The resources the panel needs.
pub(super) struct PlayPanelResources<'a> {
    pub(super) board_textures: &'a mut BoardTextures,
    pub(super) move_list: &'a mut MoveList,
}

impl PlayPanel {
    /// The usual width of the area, in points, in a window that is so wide.
    pub(super) fn usual_width(window: f32) -> f32 {
        (window * 0.34).clamp(MIN_PANEL_WIDTH, MAX_PANEL_WIDTH)
    }

    /// The widths, in points, that the area can be dragged to where there is so much room.
    pub(super) fn width_range(room: f32) -> std::ops::RangeInclusive<f32> {
        MIN_PANEL_WIDTH..=room.clamp(MIN_PANEL_WIDTH, MAX_PANEL_WIDTH)
    }

    /// The field for a move is to be typed into.
    pub(super) fn focus_move_field(&mut self) {
        self.focuses_move_field = true;
    }

    /// Shows it.
    pub(super) fn show(
        &mut self,
        resources: &mut PlayPanelResources<'_>,
        app: &App,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let Some(playing) = &app.session else { return };
        show_header(playing, ui, theme, actions);
        for player in [Player::First, Player::Second] {
            show_player(playing, player, app.now, ui, theme);
        }
        ui.add_space(8.0);
        let board_state = (&mut *resources.board_textures, &mut self.hovered_place);
        show_board(board_state, playing, app, ui, theme, actions);
        show_position_note(playing, ui, theme);
        if let Some(error) = &playing.failure {
            show_engine_error(error, ui, theme, actions);
        }
        if let Some((seat, hint)) = playing.dialect_hint(app.now)
            && let Some(dialect) = dialect_hint::show(&hint, ui, theme)
        {
            actions.push(Action::Game(GameAction::SetDialect(seat, dialect)));
        }
        ui.spacing_mut().item_spacing.y = 8.0;
        ui.horizontal(|ui| {
            self.show_move_field(playing, ui, actions);
            show_progress(playing, app.now, ui, theme);
        });
        self.show_controls(playing, ui, theme, actions);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            show_step_buttons(playing, ui, theme, actions);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                show_view_buttons(playing, ui, actions);
                let about = hint("The rules in half a page", Command::Rules);
                let rules = ["Rules", "rules of game", &about];
                self.rules_request |= is_button_clicked(ui, true, rules);
            });
        });
        let standing = playing.game.match_state();
        (resources.move_list).show((standing, FOOT_HEIGHT), app, ui, theme, actions);
        self.show_analysis(app, playing, ui, actions);
        self.show_record_buttons(ui, actions);
    }

    /// Takes the requested file dialog: true to save, false to open.
    pub(super) fn take_file_request(&mut self) -> Option<bool> {
        self.file_request.take()
    }

    /// Whether the rules were asked for since the last call.
    pub(super) fn take_rules_request(&mut self) -> bool {
        std::mem::take(&mut self.rules_request)
    }

    /// Any search looks at the position that is shown.
    fn show_analysis(
        &mut self,
        app: &App,
        playing: &GameSession,
        ui: &mut Ui,
        actions: &mut Vec<Action>,
    ) {
        let game = &playing.game.config().game;
        let offers = GameInfo::of(game);
        let searches = offers.map(|offers| offers.searches).unwrap_or_default();
        if !searches.contains(&self.analysis_search.as_str()) {
            self.analysis_search = playing.game.facts().default_search.to_owned();
            self.analysis_limit = "2000".to_owned();
        }
        ui.horizontal(|ui| {
            let combo = ComboBox::from_id_salt("analyst")
                .selected_text(&self.analysis_search)
                .width(140.0)
                .show_ui(ui, |ui| {
                    for search in searches {
                        ui.selectable_value(&mut self.analysis_search, search.to_owned(), search);
                    }
                });
            let about = "The search that looks at the position";
            combo.response.explained("analyst", about);
            let field = TextEdit::singleline(&mut self.analysis_limit).desired_width(72.0);
            let about = "Iterations, or plies for a search without playouts";
            ui.add(field).explained("analysis effort", about);
            if playing.is_analysing {
                if is_button_clicked(ui, true, ["Stop", "stop analysis", "No more of it"]) {
                    actions.push(Action::Game(GameAction::StopAnalysis));
                }
                return;
            }
            let is_on = playing.game.shown_position().outcome.is_none();
            let button = ui.add_enabled(is_on, Button::new("Analyse"));
            let about = "Have this search look at the position; no move is made";
            if button.explained("analyse", about).clicked() {
                actions.push(
                    match GameSetup::analysis_engine(
                        game,
                        &self.analysis_search,
                        &self.analysis_limit,
                        &app.own_engine_command,
                    ) {
                        Ok(engine) => Action::Game(GameAction::Analyse(Box::new(engine))),
                        Err(problem) => Action::ShowError(problem),
                    },
                );
            }
        });
    }

    /// Buttons that copy, save and open the game.
    fn show_record_buttons(&mut self, ui: &mut Ui, actions: &mut Vec<Action>) {
        ui.horizontal_wrapped(|ui| {
            if is_button_clicked(
                ui,
                true,
                [
                    "Copy position",
                    "copy position",
                    "The position that is shown, as text",
                ],
            ) {
                actions.push(Action::Copy(CopyTarget::GamePosition));
            }
            if is_button_clicked(
                ui,
                true,
                ["Copy moves", "copy moves", "The moves of the game, as text"],
            ) {
                actions.push(Action::Copy(CopyTarget::GameMoves));
            }
            if is_button_clicked(
                ui,
                true,
                ["Save…", "save game", "The game as .pgn, .ggf or .txt"],
            ) {
                self.file_request = Some(true);
            }
            if is_button_clicked(
                ui,
                true,
                ["Open…", "open game", "A game in a .pgn, .ggf or .txt file"],
            ) {
                self.file_request = Some(false);
            }
        });
    }

    /// The controls of the game.
    fn show_controls(
        &mut self,
        playing: &GameSession,
        ui: &mut Ui,
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let table = &playing.game;
        let is_over = matches!(table.turn(), Turn::Over(_));
        let has_engine = table.config().participants.iter().any(Option::is_some);
        let engines_only = table.config().participants.iter().all(Option::is_some);
        let has_moves = !table.moves().is_empty();
        ui.horizontal_wrapped(|ui| {
            let about = hint("Take the last move back, and the reply", Command::Undo);
            let undo = ["Undo", "undo", &about];
            if is_button_clicked(ui, table.can_undo(), undo) {
                actions.push(Action::Game(GameAction::Undo));
            }
            self.confirms_restart &= has_moves;
            if self.confirms_restart {
                ui.label(RichText::new("Begin again?").color(theme.dim));
                if is_button_clicked(ui, true, ["Yes", "start over yes", "From the first move"]) {
                    self.confirms_restart = false;
                    actions.push(Action::Game(GameAction::Restart));
                }
                if is_button_clicked(ui, true, ["No", "start over no", "The game goes on"]) {
                    self.confirms_restart = false;
                }
            } else {
                let over = [
                    "Start over",
                    "start over",
                    "The same game from its beginning",
                ];
                self.confirms_restart |= is_button_clicked(ui, has_moves, over);
            }
            let is_paused = playing.is_paused;
            let text = if is_paused { "Go on" } else { "Pause" };
            let about = hint("Let engines wait, and go on", Command::PauseGame);
            let pause = [text, "pause", &about];
            if is_button_clicked(ui, has_engine && !is_over, pause) {
                actions.push(Action::Game(GameAction::Pause(!is_paused)));
            }
            let about = hint("One move of an engine that waits", Command::SingleMove);
            let next = ["Next move", "next move", &about];
            if is_button_clicked(ui, playing.can_step(), next) {
                actions.push(Action::Game(GameAction::SingleMove));
            }
            // Where the overlay is put away.
            if is_over && self.dismissed_after_moves.is_some() {
                let again = [
                    next_game_label(playing),
                    "again",
                    "The next game of this kind",
                ];
                if is_button_clicked(ui, true, again) {
                    actions.push(Action::Game(GameAction::NextGame));
                }
            }
        });
        if engines_only {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new("Pace").color(theme.dim));
                for (milliseconds, text) in MOVE_DELAYS {
                    let is_chosen =
                        playing.min_move_time == Duration::from_millis(milliseconds.into());
                    let about = match milliseconds {
                        0 => "Moves as soon as they are found".to_owned(),
                        _ => format!("{milliseconds} ms a move, or more"),
                    };
                    let button = ui
                        .selectable_label(is_chosen, text)
                        .explained(&format!("pace {milliseconds}"), about);
                    if button.clicked() {
                        actions.push(Action::Game(GameAction::Pace(milliseconds)));
                    }
                }
            });
        }
    }

    /// The field in which a move is typed.
    fn show_move_field(&mut self, playing: &GameSession, ui: &mut Ui, actions: &mut Vec<Action>) {
        let is_on = playing.game.is_person_to_move();
        let field = TextEdit::singleline(&mut self.move_text)
            .hint_text("type a move")
            .desired_width(120.0);
        let about = hint("A move as the game writes it, and Enter", Command::TypeMove);
        let field = ui.add_enabled(is_on, field).explained("move field", about);
        if std::mem::take(&mut self.focuses_move_field) && is_on {
            field.request_focus();
        }
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if is_entered && !self.move_text.trim().is_empty() {
            let text = std::mem::take(&mut self.move_text);
            actions.push(Action::Game(GameAction::Move(text)));
            self.focuses_move_field = true;
        }
        if let Some(forced) = playing.game.forced_pass() {
            let button = ui.button(forced).named("forced");
            if button.on_hover_text("The only move there is").clicked() {
                actions.push(Action::Game(GameAction::Move(forced.to_owned())));
            }
        }
    }

    /// Puts the overlay of a game of so many moves away.
    fn dismiss_result(&mut self, move_count: usize, actions: &mut Vec<Action>) {
        self.dismissed_after_moves = Some(move_count);
        actions.push(Action::Game(GameAction::CancelNextGame));
    }

    /// The overlay shown when a game is over; `is_covered` if something lies over it.
    pub(super) fn show_game_over(
        &mut self,
        app: &App,
        ui: &Ui,
        (canvas, is_covered): (egui::Rect, bool),
        theme: &Theme,
        actions: &mut Vec<Action>,
    ) {
        let Some(playing) = &app.session else { return };
        let table = &playing.game;
        let is_over = matches!(table.turn(), Turn::Over(_)) && table.is_at_end();
        if !is_over {
            self.dismissed_after_moves = None;
            return;
        }
        if self.dismissed_after_moves == Some(table.moves().len()) {
            return;
        }
        if !is_covered && ui.input(|input| input.key_pressed(Key::Escape)) {
            self.dismiss_result(table.moves().len(), actions);
            return;
        }
        let (status, reason) = table.status_text();
        let frame = Frame::new()
            .fill(theme.card)
            .stroke(Stroke::new(1.0, theme.line))
            .corner_radius(8)
            .inner_margin(Margin::symmetric(24, 16));
        // Dialogs are of the same order, and lie above: what is covered cannot be clicked to the top.
        Area::new(egui::Id::unique("over"))
            .order(Order::Middle)
            .interactable(!is_covered)
            .pivot(Align2::CENTER_TOP)
            .fixed_pos(pos2(canvas.center().x, canvas.top() + 64.0))
            .show(ui.ctx(), |ui| {
                frame.show(ui, |ui| {
                    ui.set_width(320.0);
                    ui.vertical_centered(|ui| {
                        let font = FontId::new(TITLE_SIZE, fonts::semibold());
                        let room = ui.available_width();
                        elided_label(ui, &status, (&font, theme.text), room).named("result");
                        if let Some(reason) = reason {
                            ui.label(RichText::new(reason).color(theme.dim));
                        }
                        if let Some(series) = series_text(playing) {
                            ui.add_space(4.0);
                            ui.label(series);
                        }
                        ui.add_space(12.0);
                        // Before its size is known the box is not where it will be.
                        let is_placed = !ui.is_sizing_pass();
                        let again = next_game_label(playing);
                        let button = |ui: &mut Ui, [text, name, tip]: [&str; 3]| {
                            let button =
                                ui.add_sized([ui.available_width(), 24.0], Button::new(text));
                            is_placed && button.explained(name, tip).clicked()
                        };
                        let look = hint("Back to the board as it stands", Command::Close);
                        ui.columns_const(|[left, middle, right]| {
                            let about = "The next game of this kind";
                            if button(left, [again, "play again", about]) {
                                actions.push(Action::Game(GameAction::NextGame));
                            }
                            let about = "Back to the start screen";
                            if button(middle, ["New game…", "new game", about]) {
                                actions.push(Action::GoHome);
                            }
                            if button(right, ["Look at it", "look", &look]) {
                                self.dismiss_result(table.moves().len(), actions);
                            }
                        });
                    });
                });
            });
    }
}

/// The label of the button after a finished game.
fn next_game_label(playing: &GameSession) -> &'static str {
    if playing.game.has_next_game() || playing.tournament_place.is_some() {
        "Next game"
    } else {
        "Play again"
    }
}

/// A button with its text, name and tooltip; true if it was clicked.
fn is_button_clicked(ui: &mut Ui, is_on: bool, [text, name, tip]: [&str; 3]) -> bool {
    let button = ui.add_enabled(is_on, Button::new(text));
    button.explained(name, tip).clicked()
}

/// How the game stands, which one it is, and the way out of it.
fn show_header(playing: &GameSession, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let table = &playing.game;
    let (status, reason) = table.status_text();
    ui.horizontal(|ui| {
        let title = game_title(&table.config().game);
        let which = match (&playing.tournament_place, table.config().games) {
            (Some(place), _) => format!("{title} · {place}"),
            (None, 1) => title,
            (None, games) => format!("{title} · game {} of {games}", table.game_number()),
        };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if is_button_clicked(ui, true, ["Leave", "leave", "Back to the start screen"]) {
                actions.push(Action::GoHome);
            }
            ui.label(RichText::new(which).color(theme.dim).small());
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let font = FontId::new(TITLE_SIZE, fonts::semibold());
                let room = ui.available_width();
                elided_label(ui, &status, (&font, theme.text), room).named("status");
            });
        });
    });
    if let Some(reason) = reason {
        ui.label(RichText::new(reason).color(theme.dim));
    }
}

/// A player: colour, name, points in a series, time used.
fn show_player(playing: &GameSession, player: Player, now: Duration, ui: &mut Ui, theme: &Theme) {
    let table = &playing.game;
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(12.0, 20.0), Sense::hover());
        let tone = table
            .shown_position()
            .board
            .piece_colours(player, theme)
            .fill;
        draw_disc(ui.painter(), rect.center(), tone, theme);
        let is_turn = table.shown_position().to_move == Some(player);
        let name = table.player_name(player);
        let family = match is_turn {
            true => fonts::semibold(),
            false => egui::FontFamily::Proportional,
        };
        let font = FontId::new(BODY_SIZE, family);
        let room = (ui.available_width() - PLAYER_FIGURES_WIDTH).max(40.0);
        elided_label(ui, name, (&font, theme.text), room);
        let side = table
            .shown_position()
            .players
            .get(player.index())
            .copied()
            .unwrap_or_default();
        ui.label(RichText::new(side).color(theme.dim));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let seconds = playing.time_used(player, now).as_secs();
            let clock = format!("{}:{:02}", seconds / 60, seconds % 60);
            ui.label(RichText::new(clock).color(if is_turn { theme.text } else { theme.dim }));
            let score = &table.match_state().meta.score;
            if let Some(won) = score
                .won
                .get(table.participant_of(player))
                .filter(|_| table.config().games > 1)
            {
                let points = *won as f64 + score.drawn as f64 / 2.0;
                ui.label(theme.title(points.to_string()));
            }
        });
    });
}

/// The points of a series by colour, in a line.
fn series_text(playing: &GameSession) -> Option<String> {
    let table = &playing.game;
    if table.config().games < 2 {
        return None;
    }
    let score = &table.match_state().meta.score;
    let names = &score.names;
    let [first, second] = table.by_colour();
    let points = |[won, drawn, _]: [u32; 3]| f64::from(won) + f64::from(drawn) / 2.0;
    let total = points(first) + points(second);
    let games = f64::from(first.iter().sum::<u32>() + second.iter().sum::<u32>());
    let (name, other) = (names.first()?, names.get(1)?);
    let result = match total.total_cmp(&(games - total)) {
        _ if table.has_next_game() => String::new(),
        std::cmp::Ordering::Less => format!("{other} wins the series.\n"),
        std::cmp::Ordering::Equal => "The series is drawn.\n".to_owned(),
        std::cmp::Ordering::Greater => format!("{name} wins the series.\n"),
    };
    Some(format!(
        "{result}{name}: {total}, {other}: {}\n{name} as first player: {}, as second: {}",
        games - total,
        points(first),
        points(second),
    ))
}

/// The board, on which a person clicks.
fn show_board(
    (textures, hovered): (&mut BoardTextures, &mut Option<BoardPlace>),
    playing: &GameSession,
    app: &App,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let table = &playing.game;
    let marks = Marks {
        is_flipped: playing.is_flipped,
        shows_coordinates: app.settings.coordinates,
        ..table.marks(*hovered)
    };
    let view = table.shown_position();
    // The controls must stay visible too.
    let engines_only = table.config().participants.iter().all(Option::is_some);
    let pace = if engines_only { PACE_HEIGHT } else { 0.0 };
    let room = ui.ctx().content_rect().height() - CONTROLS_HEIGHT - pace;
    let tall = room.max(MIN_BOARD_HEIGHT) * view.board.aspect(&marks);
    // It is no stop of the Tab key: moves are typed.
    let wide = (ui.available_width().min(tall), Sense::CLICK);
    let shown = ui.vertical_centered(|ui| match playing.motion(app.now) {
        Some(motion) => textures.show_animation(ui, motion, &marks, wide, theme),
        None => textures.show(ui, &view.board, &marks, wide, theme),
    });
    let shown = shown.inner;
    if let Some((place, by)) = playing.shaken_place(app.now) {
        shown.paint_moved(ui, place, by, theme);
    }
    if let Some(place) = shown.clicked {
        actions.push(Action::Game(GameAction::Click(place)));
    }
    if *hovered != shown.hovered {
        *hovered = shown.hovered;
        ui.ctx().request_repaint();
    }
    register_places(&view.board, &marks, shown.response.rect, ui);
    show_promotions(textures, playing, &shown, ui, theme, actions);
    shown.response.named("board");
}

/// The promotion choices, beside the target square.
fn show_promotions(
    textures: &mut BoardTextures,
    playing: &GameSession,
    shown: &BoardResponse,
    ui: &Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    let view = playing.game.shown_position();
    let choices = view.board.promotions(playing.game.choices());
    let (Some(player), false) = (view.to_move, choices.is_empty()) else {
        return;
    };
    let target = choices
        .first()
        .map(|choice| view.board.move_places(&choice.mv));
    let board = shown.response.rect;
    let square = target
        .and_then(|places| shown.place_rect(*places.last()?))
        .unwrap_or(egui::Rect::from_center_size(
            board.center(),
            vec2(48.0, 48.0),
        ));
    // The first choice lies over the square, the others towards the middle of the board.
    let goes_down = square.center().y < board.center().y;
    let (pivot, corner, layout) = if goes_down {
        let layout = Layout::top_down(Align::Min);
        (Align2::LEFT_TOP, square.left_top(), layout)
    } else {
        let layout = Layout::bottom_up(Align::Min);
        (Align2::LEFT_BOTTOM, square.left_bottom(), layout)
    };
    let frame = Frame::new()
        .fill(theme.card)
        .stroke(Stroke::new(1.5, theme.warm))
        .shadow(ui.style().visuals.popup_shadow)
        .corner_radius(4);
    let whole = vec2(square.width(), square.height() * choices.len() as f32);
    Area::new(egui::Id::unique("promotion"))
        .order(Order::Foreground)
        .pivot(pivot)
        .fixed_pos(corner)
        .show(ui.ctx(), |ui| {
            frame.show(ui, |ui| {
                ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
                ui.spacing_mut().button_padding = vec2(0.0, 0.0);
                ui.allocate_ui_with_layout(whole, layout, |ui| {
                    for choice in &choices {
                        let side = square.width();
                        let picture =
                            textures.promotion_texture(ui.ctx(), (choice, player), side, theme);
                        let (texture, size) = picture;
                        let button = ui.add(Button::image((texture.id(), size)).frame(false));
                        let button = button.named(&format!("choose {}", choice.mv));
                        if button.on_hover_text(choice.piece_name).clicked() {
                            actions.push(Action::Game(GameAction::Move(choice.mv.clone())));
                        }
                    }
                });
            });
        });
}

/// Registers the positions of the board's places, for tests that drive the window from outside.
fn register_places(board: &crate::board::Board, marks: &Marks, rect: egui::Rect, ui: &Ui) {
    let Some(area) =
        tiny_skia::Rect::from_ltrb(rect.left(), rect.top(), rect.right(), rect.bottom())
    else {
        return;
    };
    let mut places: Vec<(String, BoardPlace)> = Vec::new();
    for column in 0..8 {
        for row in 0..8 {
            let name = format!("{}{}", char::from(b'a' + column), row + 1);
            places.push((name, BoardPlace::Square { column, row }));
        }
    }
    for (owner, whose) in [(Player::First, "first"), (Player::Second, "second")] {
        for number in 0..6 {
            places.push((
                format!("{whose} pit {}", number + 1),
                BoardPlace::Pit { owner, number },
            ));
        }
    }
    for (name, place) in places {
        if let Some(spot) = board.place_rect(area, marks, place) {
            let spot = egui::Rect::from_min_max(
                pos2(spot.left(), spot.top()),
                pos2(spot.right(), spot.bottom()),
            );
            controls::register(ui.ctx(), &format!("square {name}"), spot);
        }
    }
}

/// The note about the position.
fn show_position_note(playing: &GameSession, ui: &mut Ui, theme: &Theme) {
    let view = playing.game.shown_position();
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if let Some([first, second]) = view.score {
                let score = format!("{first} – {second} {}", view.board.score_unit());
                ui.label(RichText::new(score).color(theme.dim));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.label(RichText::new(&view.turn_text).color(theme.text));
                if let Some(told) = &view.note {
                    // A note wider than the panel would widen it, and move the board under the pointer.
                    let note = Label::new(RichText::new(told).color(theme.warm)).truncate();
                    ui.add(note).named("told");
                }
            });
        });
    });
}

/// An engine's failure, and the possible remedies.
fn show_engine_error(
    trouble: &EngineFailure,
    ui: &mut Ui,
    theme: &Theme,
    actions: &mut Vec<Action>,
) {
    ui.add_space(4.0);
    ui.add(Label::new(RichText::new(&trouble.text).color(theme.bad)).wrap());
    for line in &trouble.last_output {
        ui.add(Label::new(RichText::new(line).color(theme.dim).small()).truncate());
    }
    ui.horizontal(|ui| {
        if is_button_clicked(
            ui,
            true,
            ["Start it again", "revive", "The game is as it was"],
        ) {
            actions.push(Action::Game(GameAction::RestartEngine));
        }
        let wait = ["Wait", "wait", "It may be slow; wait as long again"];
        if trouble.is_unresponsive && is_button_clicked(ui, true, wait) {
            actions.push(Action::Game(GameAction::KeepWaiting));
        }
    });
}

/// The progress of the engine's search.
fn show_progress(playing: &GameSession, now: Duration, ui: &mut Ui, theme: &Theme) {
    let Some(thinking) = playing.search else {
        return;
    };
    let name = playing.game.player_name(thinking.player);
    let text = match thinking.nodes {
        0 => format!("{name} thinks"),
        nodes => format!("{name}: {}", format_thousands(nodes)),
    };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if let Some(part) = playing.progress(now) {
            let bar = ProgressBar::new(part).desired_height(6.0);
            ui.add(bar.desired_width(PROGRESS_BAR_WIDTH).fill(theme.cool));
        }
        let text = RichText::new(text).color(theme.dim).small();
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.add(Label::new(text).truncate());
        });
    });
}

/// Through the moves of the game.
fn show_step_buttons(playing: &GameSession, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) {
    let (shown, count) = (playing.game.shown_ply(), playing.game.moves().len());
    let back = hint("A move back", Command::PreviousPly);
    let on = hint("A move on", Command::NextPly);
    for (button, is_on, game_action) in [
        (
            ["«", "first position", "The start"],
            shown > 0,
            GameAction::ShowPly(0),
        ),
        (
            ["‹", "position back", &back],
            shown > 0,
            GameAction::StepPly(-1),
        ),
        (
            ["›", "position on", &on],
            shown < count,
            GameAction::StepPly(1),
        ),
        (
            ["»", "last position", "The end"],
            shown < count,
            GameAction::ShowPly(count),
        ),
    ] {
        if is_button_clicked(ui, is_on, button) {
            actions.push(Action::Game(game_action));
        }
    }
    let text = format!("{shown} / {count}");
    let label = ui.label(RichText::new(text).color(theme.dim));
    label.on_hover_text("The moves that are made on the board, of all that were played");
}

/// Buttons to flip the board and to show coordinates, right-aligned.
fn show_view_buttons(playing: &GameSession, ui: &mut Ui, actions: &mut Vec<Action>) {
    let names = playing.game.facts().board.coordinate_range;
    if is_button_clicked(ui, true, ["Flip", "flip", "Look from the other side"]) {
        actions.push(Action::Game(GameAction::Flip));
    }
    if is_button_clicked(ui, true, [names, "coordinates", "Name columns and rows"]) {
        actions.push(Action::Game(GameAction::ToggleCoordinates));
    }
}
