//! A frame of the window, from the app to pixels: the tree, what lies over it, the panels around it. Needs no display.

use std::{sync::Arc, time::Duration};

use egui::{Context, PlatformOutput, RawInput, ViewportId};
use tiny_skia::{Pixmap, PixmapMut};

use crate::{
    app::App,
    camera::Canvas,
    controls,
    easel::{Easel, Ready, View},
    fonts,
    loader::Wake,
    painter::Painter,
    panels::Panels,
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

/// Copies a picture to where the system wants it.
pub fn copy(pixmap: &Pixmap, to: &mut [u32]) {
    for (to, from) in to.iter_mut().zip(pixmap.pixels()) {
        *to = u32::from(from.red()) << 16 | u32::from(from.green()) << 8 | u32::from(from.blue());
    }
}

/// Fills a picture with one colour that lets nothing through.
pub fn fill(pixmap: &mut PixmapMut<'_>, colour: egui::Color32) {
    let pixel =
        tiny_skia::ColorU8::from_rgba(colour.r(), colour.g(), colour.b(), 255).premultiply();
    pixmap.pixels_mut().fill(pixel);
}

/// Copies a picture that lets nothing through into another, as far as it fits there.
fn lay_over(picture: &Pixmap, to: &mut PixmapMut<'_>, left: usize, top: usize) {
    let (width, height) = (to.width() as usize, to.height() as usize);
    let across = (picture.width() as usize).min(width.saturating_sub(left));
    let down = (picture.height() as usize).min(height.saturating_sub(top));
    if across == 0 {
        return;
    }
    let from = picture.pixels().chunks_exact(picture.width() as usize);
    let rows = to.pixels_mut().chunks_exact_mut(width).skip(top).take(down);
    for (row, from) in rows.zip(from) {
        row[left..left + across].copy_from_slice(&from[..across]);
    }
}

/// What comes out of a frame beside its pixels.
pub struct Drawn {
    /// For the system: the cursor, the clipboard.
    pub platform: PlatformOutput,
    /// When the next frame is wanted, if nothing happens before.
    pub next: Duration,
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

    /// Draws a frame of the size of `pixmap`.
    pub fn draw(&mut self, app: &mut App, input: RawInput, pixmap: &mut PixmapMut<'_>) -> Drawn {
        let theme = app.theme();
        if self.theme.as_ref() != Some(&theme) {
            theme.apply(&self.context);
            self.theme = Some(theme.clone());
        }
        let panels = &mut self.panels;
        let output = self.context.run_ui(input, |ui| panels.show(app, ui));
        let scale = output.pixels_per_point;
        self.painter.update(output.textures_delta);
        fill(pixmap, theme.canvas);
        let mut next = output
            .viewport_output
            .get(&ViewportId::ROOT)
            .map_or(Duration::MAX, |viewport| viewport.repaint_delay);
        let area = self.panels.canvas();
        let (left, top) = ((area.left() * scale).round(), (area.top() * scale).round());
        let width = (area.right() * scale).round() - left;
        let height = (area.bottom() * scale).round() - top;
        if width >= 1.0 && height >= 1.0 {
            let canvas = Canvas {
                width: f64::from(width),
                height: f64::from(height),
                scale: f64::from(scale),
            };
            app.canvas_at = (left.into(), top.into());
            if let Some(wait) = self.draw_tree(app, canvas, &theme) {
                next = next.min(wait);
            }
            if app.model.is_some()
                && let Some(tree) = &self.tree
            {
                lay_over(tree, pixmap, left as usize, top as usize);
            }
        }
        if app.timeline.is_playing() {
            next = next.min(PLAYING);
        }
        let primitives = self.context.tessellate(output.shapes, scale);
        self.painter.paint(pixmap, scale, &primitives);
        Drawn {
            platform: output.platform_output,
            next,
        }
    }

    /// What there is to know, for tests: the app, and where the controls are.
    pub fn dump(&self, app: &App) -> serde_json::Value {
        let mut state = app.dump();
        state["controls"] = controls::dump(&self.context);
        state["typing"] = self.context.egui_wants_keyboard_input().into();
        state
    }

    /// Draws the tree if anything about it has changed; when it is to be drawn again with more care.
    fn draw_tree(&mut self, app: &mut App, canvas: Canvas, theme: &Theme) -> Option<Duration> {
        self.take_ready(app);
        let camera = app.look_through(canvas)?;
        let model = Arc::clone(app.model.as_ref()?);
        let view = View {
            camera,
            canvas,
            look: app.look(),
            selected: app.selected.filter(|&node| node < model.len()),
            theme: theme.clone(),
            model,
        };
        if let Some((path, scale)) = app.picture.take() {
            match &self.easel {
                Some(easel) => easel.save(path, view.clone(), scale),
                None => {
                    let result = view.save(&path, scale);
                    app.saved(&path, result);
                }
            }
        }
        let is_new = self.drawn.as_ref().is_none_or(|(drawn, _)| *drawn != view);
        if is_new {
            self.moved = app.now;
            self.paint(&view, Care::Quick);
            self.drawn = Some((view, Care::Quick));
        } else if app.now >= self.moved + REST
            && let Some((drawn, care @ Care::Quick)) = &mut self.drawn
        {
            *care = Care::Fine;
            match &self.easel {
                Some(easel) => easel.paint(view),
                None => {
                    let view = drawn.clone();
                    self.paint(&view, Care::Fine);
                }
            }
        }
        let is_quick = matches!(self.drawn, Some((_, Care::Quick)));
        is_quick.then(|| (self.moved + REST).saturating_sub(app.now))
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

    /// Takes in what the other thread has drawn.
    fn take_ready(&mut self, app: &mut App) {
        for ready in self.easel.as_ref().map(Easel::take).unwrap_or_default() {
            match ready {
                Ready::Saved(path, result) => app.saved(&path, result),
                Ready::Picture(view, picture) => {
                    // It may be out of date already.
                    if self.drawn.as_ref().is_some_and(|(drawn, _)| *drawn == view) {
                        self.tree = Some(picture);
                    }
                }
            }
        }
    }
}
