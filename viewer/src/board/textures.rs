//! A cache of painted boards as egui textures.

use std::time::Duration;

use canopy_engine::games::Player;
use egui::{
    Color32, ColorImage, Context, Pos2, Response, Sense, TextureHandle, TextureOptions, Ui, Vec2,
    pos2, vec2,
};
use tiny_skia::{Pixmap, Rect};

use super::{Board, BoardPlace, Marks, MoveAnimation, Promotion, place_at};
use crate::draw::theme::Theme;

/// Capacity of the cache.
const MAX_CACHED_TEXTURES: usize = 12;
/// Largest side of a texture in pixels, which is also egui's limit.
const MAX_TEXTURE_SIDE: f32 = 2048.0;

/// Paints each board once and shows it from a texture.
#[derive(Default)]
pub struct BoardTextures {
    /// Most recently used first.
    cache: Vec<CachedTexture>,
    /// The current frame of an animation; its texture is reused for the next.
    animation_texture: Option<TextureHandle>,
}

/// Everything a texture depends on.
#[derive(Clone, PartialEq)]
struct TextureKey {
    content: TextureContent,
    size: [u32; 2],
    theme: Theme,
}

/// What a texture shows.
#[derive(Clone, PartialEq)]
enum TextureContent {
    Board(Board, Box<Marks>),
    Promotion(Promotion, Player),
    /// The middle of a board.
    Icon(Board),
}

struct CachedTexture {
    key: TextureKey,
    texture: TextureHandle,
}

/// The result of showing a board.
pub struct BoardResponse {
    /// egui's response.
    pub response: Response,
    /// The place that was clicked.
    pub clicked: Option<BoardPlace>,
    /// The place under the pointer.
    pub hovered: Option<BoardPlace>,
    /// Rectangles of the places, in pixels from the texture's corner.
    place_rects: Vec<(BoardPlace, Rect)>,
    scale: f32,
    texture: TextureHandle,
}

impl BoardResponse {
    /// The place at a point of the window.
    pub fn place_at(&self, at: Pos2) -> Option<BoardPlace> {
        let at = (at - self.response.rect.min) * self.scale;
        place_at(&self.place_rects, at.x, at.y)
    }

    /// Paints a place again, moved sideways by so many points, with an outline.
    pub fn paint_moved(&self, ui: &Ui, place: BoardPlace, by: f32, theme: &Theme) {
        let Some(place) = self.place_rect(place) else {
            return;
        };
        let board = self.response.rect;
        let part = |at: Pos2| ((at - board.min) / board.size()).to_pos2();
        let uv = egui::Rect::from_min_max(part(place.min), part(place.max));
        let moved = place.translate(vec2(by, 0.0));
        let painter = ui.painter();
        painter.image(self.texture.id(), moved, uv, Color32::WHITE);
        painter.rect_stroke(
            moved,
            2.0,
            egui::Stroke::new(1.5, theme.bad),
            egui::StrokeKind::Inside,
        );
    }

    /// The rectangle of a place in the window.
    pub fn place_rect(&self, place: BoardPlace) -> Option<egui::Rect> {
        let (_, spot) = self.place_rects.iter().find(|(other, _)| *other == place)?;
        let corner = self.response.rect.min + vec2(spot.left(), spot.top()) / self.scale;
        let size = vec2(spot.width(), spot.height()) / self.scale;
        Some(egui::Rect::from_min_size(corner, size))
    }
}

impl BoardTextures {
    /// A texture of the board, about `width_points` wide, and its exact size in points: a whole number of pixels each way.
    /// It is sharp only if aligned to a pixel, as [`Self::show`] does.
    pub fn board_texture(
        &mut self,
        context: &Context,
        board: &Board,
        marks: &Marks,
        width_points: f32,
        theme: &Theme,
    ) -> (TextureHandle, Vec2) {
        let scale = context.pixels_per_point();
        let key = TextureKey {
            content: TextureContent::Board(board.clone(), Box::new(marks.clone())),
            size: size_in_pixels(board, marks, width_points * scale),
            theme: theme.clone(),
        };
        self.get_or_draw(context, key)
    }

    /// A square texture of a promotion piece, about `side_points` wide, and its exact size in points.
    pub fn promotion_texture(
        &mut self,
        context: &Context,
        (choice, player): (&Promotion, Player),
        side_points: f32,
        theme: &Theme,
    ) -> (TextureHandle, Vec2) {
        let content = TextureContent::Promotion(choice.clone(), player);
        self.square_texture(context, content, side_points, theme)
    }

    /// A square texture of the four places in the middle of the board, about `side_points` wide, and its exact size in points.
    pub fn icon_texture(
        &mut self,
        context: &Context,
        board: &Board,
        side_points: f32,
        theme: &Theme,
    ) -> (TextureHandle, Vec2) {
        let content = TextureContent::Icon(board.clone());
        self.square_texture(context, content, side_points, theme)
    }

    /// A square texture, about `side_points` wide, and its exact size in points.
    fn square_texture(
        &mut self,
        context: &Context,
        content: TextureContent,
        side_points: f32,
        theme: &Theme,
    ) -> (TextureHandle, Vec2) {
        let side = side_points * context.pixels_per_point();
        // NaN becomes 0, then 1.
        let side = (side.round().clamp(1.0, MAX_TEXTURE_SIDE) as u32).max(1);
        let key = TextureKey {
            content,
            size: [side, side],
            theme: theme.clone(),
        };
        self.get_or_draw(context, key)
    }

    /// The texture for a key, painted on a cache miss, and its size in points.
    fn get_or_draw(&mut self, context: &Context, key: TextureKey) -> (TextureHandle, Vec2) {
        let size = size_in_points(context, key.size);
        let found = self.cache.iter().position(|picture| picture.key == key);
        let picture = match found {
            Some(index) => self.cache.remove(index),
            None => CachedTexture {
                texture: context.load_texture(
                    "board",
                    render_content(&key),
                    TextureOptions::NEAREST,
                ),
                key,
            },
        };
        let texture = picture.texture.clone();
        self.cache.insert(0, picture);
        self.cache.truncate(MAX_CACHED_TEXTURES);
        (texture, size)
    }

    /// Adds the board to a layout, aligned to pixels. Clicks are reported only if `sense` includes them.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        board: &Board,
        marks: &Marks,
        (width_points, sense): (f32, Sense),
        theme: &Theme,
    ) -> BoardResponse {
        let picture = self.board_texture(ui.ctx(), board, marks, width_points, theme);
        show_texture(ui, picture, sense, (board, marks))
    }

    /// Shows an animation at a time since its start, as [`Self::show`] does; after the end, the final board with its marks.
    /// The size is the same throughout. The caller requests the next repaint.
    pub fn show_animation(
        &mut self,
        ui: &mut Ui,
        (motion, at): (&MoveAnimation, Duration),
        marks: &Marks,
        (width_points, sense): (f32, Sense),
        theme: &Theme,
    ) -> BoardResponse {
        let board = motion.final_board();
        if motion.is_over(at) {
            self.animation_texture = None;
            return self.show(ui, board, marks, (width_points, sense), theme);
        }
        let context = ui.ctx();
        let pixels = size_in_pixels(board, marks, width_points * context.pixels_per_point());
        let image = render_image(pixels, |pixmap, area| {
            motion.paint(at, &mut pixmap.as_mut(), area, marks, theme);
        });
        let texture = match self.animation_texture.take() {
            Some(mut texture) => {
                texture.set(image, TextureOptions::NEAREST);
                texture
            }
            None => context.load_texture("motion", image, TextureOptions::NEAREST),
        };
        self.animation_texture = Some(texture.clone());
        let picture = (texture, size_in_points(context, pixels));
        show_texture(ui, picture, sense, (board, marks))
    }
}

/// Adds a board's texture to a layout, aligned to pixels.
fn show_texture(
    ui: &mut Ui,
    (texture, size): (TextureHandle, Vec2),
    sense: Sense,
    (board, marks): (&Board, &Marks),
) -> BoardResponse {
    let (rect, response) = ui.allocate_exact_size(size, sense);
    let scale = ui.ctx().pixels_per_point();
    let corner = pos2(
        (rect.min.x * scale).round() / scale,
        (rect.min.y * scale).round() / scale,
    );
    let rect = egui::Rect::from_min_size(corner, size);
    let response = response.with_new_rect(rect);
    let whole = egui::Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
    ui.painter()
        .image(texture.id(), rect, whole, Color32::WHITE);
    let area = Rect::from_xywh(0.0, 0.0, size.x * scale, size.y * scale);
    let mut shown = BoardResponse {
        clicked: None,
        hovered: None,
        place_rects: area.map_or_else(Vec::new, |area| board.renderer().place_rects(area, marks)),
        response,
        scale,
        texture,
    };
    let clicked = (shown.response.interact_pointer_pos()).filter(|_| shown.response.clicked());
    shown.clicked = clicked.and_then(|at| shown.place_at(at));
    shown.hovered = (shown.response.hover_pos()).and_then(|at| shown.place_at(at));
    shown
}

fn size_in_points(context: &Context, [width, height]: [u32; 2]) -> Vec2 {
    vec2(width as f32, height as f32) / context.pixels_per_point()
}

/// A board's size in pixels for a width: at least 1 by 1.
fn size_in_pixels(board: &Board, marks: &Marks, width: f32) -> [u32; 2] {
    let aspect = board.aspect(marks);
    let widest = MAX_TEXTURE_SIDE.min(MAX_TEXTURE_SIDE * aspect);
    // NaN becomes 1.
    let width = width.round().max(1.0).min(widest.floor());
    let height = (width / aspect).round().clamp(1.0, MAX_TEXTURE_SIDE);
    [width as u32, height as u32]
}

fn render_content(key: &TextureKey) -> ColorImage {
    render_image(key.size, |pixmap, area| match &key.content {
        TextureContent::Board(board, marks) => {
            board.paint(&mut pixmap.as_mut(), area, marks, &key.theme)
        }
        TextureContent::Promotion(choice, player) => {
            Board::paint_promotion(&mut pixmap.as_mut(), area, choice, *player, &key.theme);
        }
        TextureContent::Icon(board) => {
            if let Some(whole) = icon_area(board, area) {
                board.paint(&mut pixmap.as_mut(), whole, &Marks::default(), &key.theme);
            }
        }
    })
}

/// Where a board must be painted so that the four places in its middle fill `area`.
fn icon_area(board: &Board, area: Rect) -> Option<Rect> {
    let unit = Rect::from_xywh(0.0, 0.0, board.aspect(&Marks::default()), 1.0)?;
    let middle = middle_rect(board, unit)?;
    let scale = area.width() / middle.width().max(middle.height());
    let whole = Rect::from_xywh(0.0, 0.0, unit.width() * scale, unit.height() * scale)?;
    // Boards are drawn in whole pixels, so that their middle is known only now.
    let middle = middle_rect(board, whole)?;
    let left = area.left() + (area.width() - middle.width()) / 2.0 - middle.left();
    let top = area.top() + (area.height() - middle.height()) / 2.0 - middle.top();
    Rect::from_xywh(left.round(), top.round(), whole.width(), whole.height())
}

/// The rectangle around the four places in the middle of a board that is painted into `area`.
fn middle_rect(board: &Board, area: Rect) -> Option<Rect> {
    let spots = board.renderer().place_rects(area, &Marks::default());
    let across = |spot: &Rect| spot.left() + spot.width() / 2.0 - area.width() / 2.0;
    let down = |spot: &Rect| spot.top() + spot.height() / 2.0 - area.height() / 2.0;
    let distance = |spot: &Rect| across(spot).hypot(down(spot));
    let nearest = (spots.iter().map(|(_, spot)| *spot))
        .min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
    // Places of other sizes, such as the stores of kalah, are not of the grid; rounding makes a difference of a pixel.
    let is_like = |spot: &Rect| {
        let difference = (spot.width() - nearest.width()).abs();
        difference.max((spot.height() - nearest.height()).abs()) < nearest.width() * 0.15
    };
    let grid = || (spots.iter().map(|(_, spot)| spot)).filter(|spot| is_like(spot));
    let step = nearest.width() / 4.0;
    let (left, right) = middle_pair(grid().map(across), step);
    let (top, bottom) = middle_pair(grid().map(down), step);
    Rect::from_ltrb(
        left + (area.width() - nearest.width()) / 2.0,
        top + (area.height() - nearest.height()) / 2.0,
        right + (area.width() + nearest.width()) / 2.0,
        bottom + (area.height() + nearest.height()) / 2.0,
    )
}

/// The two values nearest to 0 that differ by more than `step`, the smaller first; of two that are as near, the negative one counts as
/// nearer. One value stands for both if there is no other.
fn middle_pair(values: impl Iterator<Item = f32>, step: f32) -> (f32, f32) {
    let mut values: Vec<f32> = values.collect();
    let rank = |value: f32| value.abs() + value * 0.05;
    values.sort_by(|one, other| rank(*one).total_cmp(&rank(*other)));
    let Some(&first) = values.first() else {
        return (0.0, 0.0);
    };
    let other = values.iter().find(|value| (**value - first).abs() > step);
    let second = other.copied().unwrap_or(first);
    (first.min(second), first.max(second))
}

/// Paints a picture of that size as an egui image.
fn render_image([width, height]: [u32; 2], paint: impl FnOnce(&mut Pixmap, Rect)) -> ColorImage {
    let mut image = ColorImage::filled([width as usize, height as usize], Color32::TRANSPARENT);
    let area = Rect::from_xywh(0.0, 0.0, width as f32, height as f32);
    if let (Some(mut pixmap), Some(area)) = (Pixmap::new(width, height), area) {
        paint(&mut pixmap, area);
        for (texel, pixel) in image.pixels.iter_mut().zip(pixmap.pixels()) {
            *texel = Color32::from_rgba_premultiplied(
                pixel.red(),
                pixel.green(),
                pixel.blue(),
                pixel.alpha(),
            );
        }
    }
    image
}

#[cfg(test)]
mod tests {
    use egui::{Event, RawInput, ViewportId};

    use super::*;
    use crate::draw::{
        painter::Painter,
        pixel::{Rgba, over},
    };

    fn board(game: &str) -> Board {
        Board::after_moves(game, "", &[""; 0]).unwrap().board
    }

    fn marks() -> Marks {
        Marks {
            shows_coordinates: true,
            ..Marks::default()
        }
    }

    /// An interface of one frame after another.
    struct TestScreen {
        context: Context,
        painter: Painter,
        scale: f32,
    }

    impl TestScreen {
        fn new(scale: f32) -> Self {
            Self {
                context: Context::default(),
                painter: Painter::new(),
                scale,
            }
        }

        /// Shows something on a grey ground.
        fn draw(&mut self, events: Vec<Event>, mut show: impl FnMut(&mut Ui)) -> Pixmap {
            let size = vec2(320.0, 320.0);
            let mut input = RawInput {
                screen_rect: Some(egui::Rect::from_min_size(Pos2::ZERO, size)),
                events,
                ..RawInput::default()
            };
            let viewport = input.viewports.entry(ViewportId::ROOT).or_default();
            viewport.native_pixels_per_point = Some(self.scale);
            let output = self.context.run_ui(input, |ui| show(ui));
            self.painter.update(output.textures_delta);
            let side = (320.0 * self.scale) as u32;
            let mut pixmap = Pixmap::new(side, side).unwrap();
            pixmap.fill(tiny_skia::Color::from_rgba8(90, 90, 90, 255));
            let primitives = self.context.tessellate(output.shapes, self.scale);
            self.painter
                .paint(&mut pixmap.as_mut(), self.scale, &primitives);
            pixmap
        }
    }

    fn pixel(pixmap: &Pixmap, x: u32, y: u32) -> Rgba {
        let pixel = pixmap.pixel(x, y).unwrap();
        [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
    }

    #[test]
    fn every_pixel_arrives_as_it_was_drawn() {
        for scale in [1.0, 1.25, 1.5, 1.7, 2.0] {
            for game in ["chess", "kalah", "delta"] {
                let (board, marks, theme) = (board(game), marks(), Theme::dark());
                let mut pictures = BoardTextures::default();
                let mut screen = TestScreen::new(scale);
                let mut corner = Pos2::ZERO;
                let mut show = |ui: &mut Ui| {
                    // An awkward place to begin.
                    ui.add_space(7.37);
                    let shown = pictures.show(ui, &board, &marks, (150.3, Sense::hover()), &theme);
                    corner = shown.response.rect.min;
                };
                screen.draw(vec![], &mut show);
                let seen = screen.draw(vec![], &mut show);
                let size = size_in_pixels(&board, &marks, 150.3 * scale);
                let image = render_content(&TextureKey {
                    content: TextureContent::Board(board.clone(), Box::new(marks.clone())),
                    size,
                    theme: theme.clone(),
                });
                let [left, top] = [corner.x, corner.y].map(|at| (at * scale).round() as u32);
                for (index, texel) in image.pixels.iter().enumerate() {
                    let (x, y) = (index as u32 % size[0], index as u32 / size[0]);
                    let expected = over(texel.to_array(), [90, 90, 90, 255]);
                    let found = pixel(&seen, left + x, top + y);
                    assert_eq!(found, expected, "{game} at {x}, {y}, scale {scale}");
                }
            }
        }
    }

    #[test]
    fn a_picture_is_drawn_once_and_few_are_kept() {
        let context = Context::default();
        let mut pictures = BoardTextures::default();
        let (chess, kalah, theme) = (board("chess"), board("kalah"), Theme::dark());
        let mut id = |board: &Board, marks: &Marks, width: f32, theme: &Theme| {
            let (texture, _) = pictures.board_texture(&context, board, marks, width, theme);
            (texture.id(), pictures.cache.len())
        };
        let (first, _) = id(&chess, &marks(), 100.0, &theme);
        assert_eq!(id(&chess, &marks(), 100.0, &theme), (first, 1));
        let turned = Marks {
            is_flipped: true,
            ..marks()
        };
        for (board, marks, width, theme) in [
            (&kalah, &marks(), 100.0, &theme),
            (&chess, &turned, 100.0, &theme),
            (&chess, &marks(), 101.0, &theme),
            (&chess, &marks(), 100.0, &Theme::light()),
        ] {
            assert_ne!(id(board, marks, width, theme).0, first);
        }
        assert_eq!(id(&chess, &marks(), 100.0, &theme), (first, 5));
        for width in 0..20 {
            assert!(id(&kalah, &marks(), 50.0 + width as f32, &theme).1 <= MAX_CACHED_TEXTURES);
        }
        assert_ne!(id(&chess, &marks(), 100.0, &theme).0, first, "forgotten");
    }

    #[test]
    fn any_width_gives_a_picture() {
        for game in ["chess", "kalah:1x1", "kalah", "delta"] {
            let board = board(game);
            for width in [0.0, -5.0, f32::NAN, 1.0, 1e9, f32::INFINITY] {
                let [width, height] = size_in_pixels(&board, &marks(), width);
                assert!((1..=2048).contains(&width) && (1..=2048).contains(&height));
            }
        }
    }

    #[test]
    fn a_click_tells_its_place() {
        let (board, marks, theme) = (board("othello"), Marks::default(), Theme::dark());
        let mut pictures = BoardTextures::default();
        let mut screen = TestScreen::new(2.0);
        let mut corner = Pos2::ZERO;
        screen.draw(vec![], |ui| {
            let shown = pictures.show(ui, &board, &marks, (165.2, Sense::click()), &theme);
            corner = shown.response.rect.min;
            assert_eq!(shown.clicked, None);
        });
        let place = BoardPlace::Square { column: 2, row: 3 };
        let [width, height] = size_in_pixels(&board, &marks, 165.2 * 2.0);
        let area = Rect::from_xywh(0.0, 0.0, width as f32, height as f32).unwrap();
        let spot = board.place_rect(area, &marks, place).unwrap();
        let at = corner + vec2(spot.left() + 3.0, spot.top() + 3.0) / 2.0;
        for events in [
            vec![Event::PointerMoved(at)],
            vec![button(at, true)],
            vec![button(at, false)],
        ] {
            let is_release = matches!(
                events.first(),
                Some(Event::PointerButton { pressed: false, .. })
            );
            let mut clicked = None;
            screen.draw(events, |ui| {
                clicked = pictures
                    .show(ui, &board, &marks, (165.2, Sense::click()), &theme)
                    .clicked;
            });
            assert_eq!(clicked, is_release.then_some(place));
        }
    }

    #[test]
    fn every_place_is_found_where_it_is_shown() {
        for scale in [1.0, 1.25, 1.7, 2.0] {
            for game in ["chess", "othello", "kalah", "connect-four", "delta"] {
                let (board, theme) = (board(game), Theme::light());
                let marks = Marks {
                    is_flipped: scale > 1.5,
                    ..marks()
                };
                let mut pictures = BoardTextures::default();
                TestScreen::new(scale).draw(vec![], |ui| {
                    ui.add_space(3.21);
                    let shown = pictures.show(ui, &board, &marks, (211.3, Sense::click()), &theme);
                    assert!(shown.place_rects.len() > 12);
                    for &(place, _) in &shown.place_rects {
                        let spot = shown.place_rect(place).unwrap();
                        assert!(shown.response.rect.expand(0.5).contains_rect(spot));
                        assert_eq!(shown.place_at(spot.center()), Some(place), "{game}");
                    }
                    let outside = shown.response.rect.min - vec2(5.0, 5.0);
                    assert_eq!(shown.place_at(outside), None);
                });
            }
        }
    }

    #[test]
    fn a_motion_takes_the_room_of_its_board_and_ends_as_a_kept_picture() {
        let (marks, theme) = (marks(), Theme::dark());
        let motion = MoveAnimation::new("connect-four", "", &["4", "4"]).unwrap();
        let lasts = motion.duration();
        let mut pictures = BoardTextures::default();
        let mut screen = TestScreen::new(2.0);
        let mut seen = Vec::new();
        let mut rects = Vec::new();
        for at in [Duration::ZERO, lasts / 3, lasts / 3, lasts] {
            let picture = screen.draw(vec![], |ui| {
                let wide = (150.0, Sense::click());
                let shown = pictures.show_animation(ui, (&motion, at), &marks, wide, &theme);
                rects.push(shown.response.rect);
            });
            seen.push(picture);
        }
        assert!(rects.windows(2).all(|pair| pair[0] == pair[1]));
        assert!(seen[0] != seen[1] && seen[1] == seen[2] && seen[2] != seen[3]);
        assert_eq!(pictures.cache.len(), 1, "only the board at the end");
        let still = screen.draw(vec![], |ui| {
            let wide = (150.0, Sense::click());
            pictures.show(ui, motion.final_board(), &marks, wide, &theme);
        });
        assert!(still == seen[3]);
    }

    #[test]
    fn choices_are_pictures_too() {
        let context = Context::default();
        let mut pictures = BoardTextures::default();
        let knight = Promotion {
            mv: "e7e8n".to_owned(),
            piece_name: "Knight",
        };
        let theme = Theme::dark();
        for side in [40.0, 0.0, -3.0, f32::NAN, f32::INFINITY] {
            let (_, size) =
                pictures.promotion_texture(&context, (&knight, Player::First), side, &theme);
            assert!((1.0..=MAX_TEXTURE_SIDE).contains(&size.x) && size.x == size.y);
        }
    }

    fn button(pos: Pos2, pressed: bool) -> Event {
        Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        }
    }
}
