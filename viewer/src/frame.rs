//! A frame of the window, from the app to pixels: the tree, what lies over it, the panels around it. Needs no display.

use std::time::Duration;

use egui::{Context, PlatformOutput, RawInput, ViewportId, epaint::ClippedShape};
use tiny_skia::{Pixmap, PixmapMut, PremultipliedColorU8};

use crate::{
    app::App,
    camera::Canvas,
    controls,
    damage::Damage,
    easel::{Easel, Ready, View, save},
    fonts,
    loader::Wake,
    painter::{Painter, Part},
    panels::Panels,
    pixel::opaque,
    raster::{Care, Raster},
    theme::Theme,
};

/// When the camera has rested so long, the tree is drawn with care.
const REST: Duration = Duration::from_millis(120);

/// How often a tree that grows by itself is drawn.
const PLAYING: Duration = Duration::from_millis(16);

/// Draws frames.
pub struct Frame {
    /// The user interface.
    pub context: Context,
    panels: Panels,
    painter: Painter,
    raster: Raster,
    /// The last frame, and what of the interface is on it.
    picture: Option<Pixmap>,
    shapes: Vec<ClippedShape>,
    tree: Option<Pixmap>,
    drawn: Option<(View, Care)>,
    moved: Duration,
    theme: Option<Theme>,
    /// Who draws with care; nobody but the frame itself where that may take its time.
    easel: Option<Easel>,
}

/// What egui is to hear of a window of that size, in pixels, when nothing happens.
pub fn input(width: f32, height: f32, scale: f32) -> RawInput {
    let mut input = RawInput {
        screen_rect: Some(egui::Rect::from_min_size(
            egui::Pos2::ZERO,
            egui::vec2(width / scale, height / scale),
        )),
        ..RawInput::default()
    };
    if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
        viewport.native_pixels_per_point = Some(scale);
    }
    input
}

/// Copies a part of a picture to where the system wants it.
pub fn copy(pixmap: &Pixmap, to: &mut [u32], part: Part) {
    let width = pixmap.width() as usize;
    let (pixels, _) = pixmap.data().as_chunks::<4>();
    let (begin, end) = part.across;
    for row in part.down.0..part.down.1 {
        let line = row * width + begin..row * width + end;
        let (Some(to), Some(from)) = (to.get_mut(line.clone()), pixels.get(line)) else {
            return;
        };
        for (to, &[red, green, blue, _]) in to.iter_mut().zip(from) {
            *to = u32::from_be_bytes([0, red, green, blue]);
        }
    }
}

/// What lies under the interface, in a part of a picture: the tree with its corner at a place, and one pixel's colour around
/// it.
fn lay_ground(
    tree: Option<&Pixmap>,
    to: &mut PixmapMut<'_>,
    (left, top): (usize, usize),
    part: Part,
    ground: PremultipliedColorU8,
) {
    let width = to.width() as usize;
    let (begin, end) = part.across;
    let rows = to.pixels_mut().chunks_exact_mut(width).enumerate();
    for (row, pixels) in rows.take(part.down.1).skip(part.down.0) {
        let line = row.checked_sub(top).and_then(|row| {
            let tree = tree?;
            tree.pixels().chunks_exact(tree.width() as usize).nth(row)
        });
        let Some(line) = line else {
            pixels[begin..end].fill(ground);
            continue;
        };
        let first = left.clamp(begin, end);
        let last = (left + line.len()).clamp(first, end);
        pixels[begin..first].fill(ground);
        pixels[last..end].fill(ground);
        if first < last {
            pixels[first..last].copy_from_slice(&line[first - left..last - left]);
        }
    }
}

/// What comes out of a frame beside its pixels.
pub struct Drawn {
    /// For the system: the cursor, the clipboard.
    pub platform: PlatformOutput,
    /// When the next frame is wanted, if nothing happens before.
    pub next: Duration,
    /// What of it is different from the last frame.
    pub changed: Vec<Part>,
}

impl Default for Frame {
    fn default() -> Self {
        let context = Context::default();
        fonts::install(&context);
        Self {
            context,
            panels: Panels::default(),
            painter: Painter::new(),
            raster: Raster::default(),
            picture: None,
            shapes: Vec::new(),
            tree: None,
            drawn: None,
            moved: Duration::ZERO,
            theme: None,
            easel: None,
        }
    }
}

impl Frame {
    /// Frames that never take long: what takes care is drawn on another thread, which calls `wake` when it is ready.
    pub fn with_easel(wake: Wake) -> std::io::Result<Self> {
        Ok(Self {
            easel: Some(Easel::start(wake)?),
            ..Self::default()
        })
    }

    /// Draws a frame of a size in pixels.
    pub fn draw(&mut self, app: &mut App, input: RawInput, (width, height): (u32, u32)) -> Drawn {
        let theme = app.theme();
        let is_new = (self.picture.as_ref())
            .is_none_or(|picture| (picture.width(), picture.height()) != (width, height));
        let mut damage = Damage::default();
        if is_new {
            self.picture = Pixmap::new(width, height);
            damage.add_all();
        }
        if self.theme.as_ref() != Some(&theme) {
            theme.apply(&self.context);
            self.theme = Some(theme.clone());
            damage.add_all();
        }
        let panels = &mut self.panels;
        let output = self.context.run_ui(input, |ui| panels.show(app, ui));
        let scale = output.pixels_per_point;
        damage.add_textures(&output.textures_delta, &output.shapes, scale);
        self.painter.update(output.textures_delta);
        let mut next = output
            .viewport_output
            .get(&ViewportId::ROOT)
            .map_or(Duration::MAX, |viewport| viewport.repaint_delay);
        let area = self.panels.canvas();
        let edge = |points: f32| (points * scale).round();
        let (left, top) = (edge(area.left()), edge(area.top()));
        let place = egui::Rect::from_min_max(
            egui::pos2(left, top),
            egui::pos2(edge(area.right()), edge(area.bottom())),
        );
        if place.width() >= 1.0 && place.height() >= 1.0 {
            let canvas = Canvas {
                width: f64::from(place.width()),
                height: f64::from(place.height()),
                scale: f64::from(scale),
            };
            app.canvas_at = (left.into(), top.into());
            let (wait, changed) = self.draw_tree(app, canvas, &theme);
            if let Some(wait) = wait {
                next = next.min(wait);
            }
            if changed {
                damage.add(place);
            }
        }
        if app.timeline.is_playing() {
            next = next.min(PLAYING);
        }
        if let Some(pause) = app
            .playing
            .as_ref()
            .and_then(|game| game.next_frame(app.now))
        {
            next = next.min(pause);
        }
        for due in [app.message_ends(), app.retries_at()].into_iter().flatten() {
            next = next.min(due.saturating_sub(app.now));
        }
        damage.add_changes(&self.shapes, &output.shapes, scale);
        self.shapes.clone_from(&output.shapes);
        let changed = damage.within(width, height);
        if let Some(picture) = self.picture.as_mut().filter(|_| !changed.is_empty()) {
            let primitives = self.context.tessellate(output.shapes, scale);
            let mut pixmap = picture.as_mut();
            let at = (left as usize, top as usize);
            let tree = self.tree.as_ref().filter(|_| app.model.is_some());
            for &part in &changed {
                lay_ground(tree, &mut pixmap, at, part, opaque(theme.canvas));
                self.painter
                    .paint_part(&mut pixmap, scale, &primitives, part);
            }
        }
        Drawn {
            platform: output.platform_output,
            next,
            changed,
        }
    }

    /// What the last frame looks like; none before the first, or if there was no memory for it.
    pub fn picture(&self) -> Option<&Pixmap> {
        self.picture.as_ref()
    }

    /// What there is to know, for tests: the app, and where the controls are.
    pub fn dump(&self, app: &App) -> serde_json::Value {
        let mut state = app.dump();
        state["controls"] = controls::dump(&self.context);
        state["typing"] = self.context.egui_wants_keyboard_input().into();
        state
    }

    /// Draws the tree if anything about it has changed: when it is to be drawn again with more care, and whether it looks
    /// different now.
    fn draw_tree(
        &mut self,
        app: &mut App,
        canvas: Canvas,
        theme: &Theme,
    ) -> (Option<Duration>, bool) {
        let mut changed = self.take_ready(app);
        let (Some(camera), Some(model)) = (app.look_through(canvas), app.model.clone()) else {
            let had_one = self.drawn.take().is_some();
            return (None, had_one);
        };
        let view = View {
            camera,
            canvas,
            look: app.look(),
            selected: app.selected,
            theme: theme.clone(),
            model,
        };
        if let Some((path, saving)) = app.saving.take() {
            match &self.easel {
                Some(easel) => easel.save(path, view.clone(), saving),
                None => {
                    let result = save(&path, &view, &saving);
                    app.saved(&path, result);
                }
            }
        }
        let is_new = self.drawn.as_ref().is_none_or(|(drawn, _)| *drawn != view);
        if is_new {
            self.moved = app.now;
            self.paint(&view, Care::Quick);
            self.drawn = Some((view, Care::Quick));
            changed = true;
        } else if app.now >= self.moved + REST
            && let Some((drawn, care @ Care::Quick)) = &mut self.drawn
        {
            *care = Care::Fine;
            match &self.easel {
                Some(easel) => easel.paint(view),
                None => {
                    let view = drawn.clone();
                    self.paint(&view, Care::Fine);
                    changed = true;
                }
            }
        }
        let is_quick = matches!(self.drawn, Some((_, Care::Quick)));
        let wait = is_quick.then(|| (self.moved + REST).saturating_sub(app.now));
        (wait, changed)
    }

    fn paint(&mut self, view: &View, care: Care) {
        let (width, height) = (view.canvas.width as u32, view.canvas.height as u32);
        let fits = (self.tree.as_ref())
            .is_some_and(|tree| (tree.width(), tree.height()) == (width, height));
        if !fits {
            self.tree = view.picture();
        }
        if let Some(tree) = &mut self.tree {
            view.paint(&mut self.raster, tree, care);
        }
    }

    /// Takes in what the other thread has drawn; whether the tree looks different now.
    fn take_ready(&mut self, app: &mut App) -> bool {
        let mut changed = false;
        for ready in self.easel.as_ref().map(Easel::take).unwrap_or_default() {
            match ready {
                Ready::Saved(path, result) => app.saved(&path, result),
                Ready::Picture(view, picture) => {
                    // It may be out of date already.
                    if self.drawn.as_ref().is_some_and(|(drawn, _)| *drawn == view) {
                        self.tree = Some(picture);
                        changed = true;
                    }
                }
            }
        }
        changed
    }
}
