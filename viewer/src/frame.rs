//! A frame of the window, from the app to pixels: the tree, what lies over it, the panels around it. Needs no display.

use std::{path::Path, sync::Arc, time::Duration};

use egui::{Context, PlatformOutput, RawInput, ViewportId};
use tiny_skia::{Pixmap, PixmapMut, PixmapPaint, Transform};

use crate::{
    app::App,
    camera::{Camera, Canvas},
    fonts,
    model::Model,
    painter::Painter,
    panels::Panels,
    raster::{Care, Raster},
    scene::{self, Look},
    svg,
    theme::Theme,
};

/// When the camera has rested so long, the tree is drawn with care.
const REST: Duration = Duration::from_millis(120);

/// How often a tree that grows by itself is drawn.
const PLAYING: Duration = Duration::from_millis(16);

/// Everything that a picture of a tree depends on.
#[derive(Clone, PartialEq)]
struct Key {
    model: usize,
    camera: Camera,
    canvas: Canvas,
    look: Look,
    selected: Option<usize>,
    theme: Theme,
}

/// Draws frames.
pub struct Frame {
    /// The user interface.
    pub context: Context,
    panels: Panels,
    painter: Painter,
    raster: Raster,
    tree: Option<Pixmap>,
    drawn: Option<(Key, Care)>,
    moved: Duration,
    theme: Option<Theme>,
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
        }
    }
}

impl Frame {
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
        pixmap.fill(tiny_skia::Color::from_rgba8(
            theme.canvas.r(),
            theme.canvas.g(),
            theme.canvas.b(),
            255,
        ));
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
            if let Some(wait) = self.draw_tree(app, canvas, &theme) {
                next = next.min(wait);
            }
            if app.model.is_some()
                && let Some(tree) = &self.tree
            {
                pixmap.draw_pixmap(
                    left as i32,
                    top as i32,
                    tree.as_ref(),
                    &PixmapPaint::default(),
                    Transform::identity(),
                    None,
                );
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

    /// Draws the tree if anything about it has changed; when it is to be drawn again with more care.
    fn draw_tree(&mut self, app: &mut App, canvas: Canvas, theme: &Theme) -> Option<Duration> {
        let camera = app.look_through(canvas)?;
        let model = Arc::clone(app.model.as_ref()?);
        let key = Key {
            model: Arc::as_ptr(&model).addr(),
            camera,
            canvas,
            look: app.look(),
            selected: app.selected.filter(|&node| node < model.len()),
            theme: theme.clone(),
        };
        let is_new = self.drawn.as_ref().is_none_or(|(drawn, _)| *drawn != key);
        if is_new {
            self.moved = app.now;
        }
        let rested = app.now >= self.moved + REST;
        let care = if rested { Care::Fine } else { Care::Quick };
        if is_new
            || (care == Care::Fine
                && self
                    .drawn
                    .as_ref()
                    .is_some_and(|&(_, before)| before != care))
        {
            let (width, height) = (canvas.width as u32, canvas.height as u32);
            let fits = (self.tree.as_ref())
                .is_some_and(|tree| (tree.width(), tree.height()) == (width, height));
            if !fits {
                self.tree = Pixmap::new(width, height);
            }
            let scene = scene::scene(&model, &camera, &canvas, &key.look, key.selected);
            if let Some(tree) = &mut self.tree {
                self.raster
                    .paint(&mut tree.as_mut(), &model, &scene, &canvas, theme, care);
            }
            self.drawn = Some((key.clone(), care));
        }
        if let Some(path) = app.picture.take() {
            let result = self.save(&path, &model, &key, theme);
            app.saved(&path, result);
        }
        (care == Care::Quick).then(|| (self.moved + REST).saturating_sub(app.now))
    }

    /// Writes what is on the canvas to a file, with care.
    fn save(&mut self, path: &Path, model: &Model, key: &Key, theme: &Theme) -> Result<(), String> {
        let scene = scene::scene(model, &key.camera, &key.canvas, &key.look, key.selected);
        let is_svg = path
            .extension()
            .is_some_and(|name| name.eq_ignore_ascii_case("svg"));
        let bytes = if is_svg {
            svg::text(model, &scene, &key.canvas, theme).into_bytes()
        } else {
            let mut picture = Pixmap::new(key.canvas.width as u32, key.canvas.height as u32)
                .ok_or("the picture is too large")?;
            self.raster.paint(
                &mut picture.as_mut(),
                model,
                &scene,
                &key.canvas,
                theme,
                Care::Fine,
            );
            picture.encode_png().map_err(|error| error.to_string())?
        };
        std::fs::write(path, bytes).map_err(|error| error.to_string())
    }
}
