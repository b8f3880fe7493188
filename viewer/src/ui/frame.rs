//! One frame, from the app to pixels: the tree, its overlays, the panels around it. Needs no display.

use std::{sync::Arc, time::Duration};

use egui::{Context, PlatformOutput, RawInput, ViewportId, epaint::ClippedShape};
use tiny_skia::{Pixmap, PixmapMut, PremultipliedColorU8};

use self::side_by_side::SideBySide;
use crate::{
    app::{Action, App},
    draw::{
        damage::Damage,
        fonts,
        painter::{Painter, PixelRect},
        pixel::opaque,
        theme::Theme,
    },
    system::wake::Wake,
    tree::{
        camera::Canvas,
        labels::{Labeller, PlacedLabel},
        raster::{RenderQuality, TreeRenderer},
    },
    ui::{controls, panels::Panels},
    workers::render::{FineRenderer, RenderEvent, RenderView, save},
};

/// Time after the last change of the view until the tree is redrawn at full quality.
const FULL_REDRAW_DELAY: Duration = Duration::from_millis(120);

/// Interval between frames while a replay plays.
const REPLAY_FRAME_INTERVAL: Duration = Duration::from_millis(16);

/// Draws frames.
pub struct FrameRenderer {
    /// The user interface.
    pub context: Context,
    panels: Panels,
    painter: Painter,
    tree_renderer: TreeRenderer,
    labeller: Labeller,
    /// The labels of the last draft, which the picture at full quality has, too.
    labels: Vec<PlacedLabel>,
    /// The last frame, and the shapes of its interface.
    picture: Option<Pixmap>,
    shapes: Vec<ClippedShape>,
    tree: Option<Pixmap>,
    drawn_view: Option<(RenderView, RenderQuality)>,
    /// Where the tree was in the last frame, in pixels.
    drawn_place: egui::Rect,
    last_change: Duration,
    theme: Option<Theme>,
    /// Draws at full quality on a thread; none if the frame itself does, where latency does not matter.
    fine_renderer: Option<FineRenderer>,
    /// The trees of the view Compare.
    side_by_side: SideBySide,
}

/// Copies a part of a picture to where the system wants it.
pub fn copy_pixels(pixmap: &Pixmap, to: &mut [u32], part: PixelRect) {
    let width = pixmap.width() as usize;
    let (pixels, _) = pixmap.data().as_chunks::<4>();
    let (begin, end) = part.columns;
    for row in part.rows.0..part.rows.1 {
        let line = row * width + begin..row * width + end;
        let (Some(to), Some(from)) = (to.get_mut(line.clone()), pixels.get(line)) else {
            return;
        };
        for (to, &[red, green, blue, _]) in to.iter_mut().zip(from) {
            *to = u32::from_be_bytes([0, red, green, blue]);
        }
    }
}

/// Paints the background of the interface in a part of a picture: the tree with its corner at a given place, and one colour
/// around it.
fn paint_background(
    tree: Option<&Pixmap>,
    to: &mut PixmapMut<'_>,
    (left, top): (usize, usize),
    part: PixelRect,
    background: PremultipliedColorU8,
) {
    let width = to.width() as usize;
    let (begin, end) = part.columns;
    let rows = to.pixels_mut().chunks_exact_mut(width).enumerate();
    for (row, pixels) in rows.take(part.rows.1).skip(part.rows.0) {
        let line = row.checked_sub(top).and_then(|row| {
            let tree = tree?;
            tree.pixels().chunks_exact(tree.width() as usize).nth(row)
        });
        let Some(line) = line else {
            pixels[begin..end].fill(background);
            continue;
        };
        let first = left.clamp(begin, end);
        let last = (left + line.len()).clamp(first, end);
        pixels[begin..first].fill(background);
        pixels[last..end].fill(background);
        if first < last {
            pixels[first..last].copy_from_slice(&line[first - left..last - left]);
        }
    }
}

/// A rectangle in points as pixels of the picture that lies at `place`, in pixels.
fn pixels_within(place: egui::Rect, rect: egui::Rect, scale: f32) -> PixelRect {
    let pixel = |points: f32, origin: f32, most: f32| {
        ((points * scale).round() - origin).clamp(0.0, most) as usize
    };
    let x = |points: f32| pixel(points, place.left(), place.width());
    let y = |points: f32| pixel(points, place.top(), place.height());
    PixelRect {
        columns: (x(rect.left()), x(rect.right())),
        rows: (y(rect.top()), y(rect.bottom())),
    }
}

/// Time until the app itself needs another frame.
fn next_frame_delay(app: &App) -> Duration {
    let is_moving = app.document.timeline.is_playing() || app.navigation.is_flying();
    let replay = is_moving.then_some(REPLAY_FRAME_INTERVAL);
    let session = app.session.as_ref();
    let game = session.and_then(|session| session.next_frame_delay(app.now));
    let deadlines = [
        app.message_expires_at(),
        app.retry_at(),
        app.shows_answer_at(),
        app.view_due_at(),
    ];
    let deadlines = deadlines.into_iter().flatten();
    let waits = deadlines.map(|at| at.saturating_sub(app.now));
    waits
        .chain(replay)
        .chain(game)
        .min()
        .unwrap_or(Duration::MAX)
}

/// What comes out of a frame beside its pixels.
pub struct FrameOutput {
    /// For the system: the cursor, the clipboard.
    pub platform: PlatformOutput,
    /// Delay until the next frame, if no event comes earlier.
    pub repaint_delay: Duration,
    /// The parts that differ from the last frame.
    pub changed_rects: Vec<PixelRect>,
}

impl Default for FrameRenderer {
    fn default() -> Self {
        let context = Context::default();
        fonts::install(&context);
        // The size of text is a setting, with keys of its own.
        context.options_mut(|options| options.zoom_with_keyboard = false);
        Self {
            context,
            panels: Panels::default(),
            painter: Painter::new(),
            tree_renderer: TreeRenderer::default(),
            labeller: Labeller::default(),
            labels: Vec::new(),
            picture: None,
            shapes: Vec::new(),
            tree: None,
            drawn_view: None,
            drawn_place: egui::Rect::ZERO,
            last_change: Duration::ZERO,
            theme: None,
            fine_renderer: None,
            side_by_side: SideBySide::default(),
        }
    }
}

impl FrameRenderer {
    /// Frames with low latency: full-quality drawing happens on another thread, which calls `wake` when it is ready.
    pub fn with_fine_renderer(wake: Wake) -> std::io::Result<Self> {
        let mut frames = Self {
            fine_renderer: Some(FineRenderer::start(Arc::clone(&wake))?),
            ..Self::default()
        };
        frames.side_by_side.wake = Some(wake);
        Ok(frames)
    }

    /// Draws a frame of a size in pixels.
    pub fn draw(
        &mut self,
        app: &mut App,
        input: RawInput,
        (width, height): (u32, u32),
    ) -> FrameOutput {
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
        if (self.context.zoom_factor() - app.text_size()).abs() > 1e-3 {
            self.context.set_zoom_factor(app.text_size());
        }
        let panels = &mut self.panels;
        let output = self.context.run_ui(input, |ui| panels.show(app, ui));
        let scale = output.pixels_per_point;
        damage.add_textures(&output.textures_delta, &output.shapes, scale);
        self.painter.update(output.textures_delta);
        let mut repaint_delay = output
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
        let has_canvas = place.width() >= 1.0 && place.height() >= 1.0;
        if std::mem::replace(&mut self.drawn_place, place) != place {
            damage.add_all();
        }
        let compared = self.panels.compared_canvases();
        if let Some(canvases) = compared.filter(|_| app.pending_save.is_none()) {
            let places = canvases.map(|canvas| pixels_within(place, canvas, scale));
            let size = (place.width() as u32, place.height() as u32);
            let about = (size, f64::from(scale));
            let overlays = self.panels.compared_overlays(scale);
            let (wait, changed) = (self.side_by_side).draw(app, (places, overlays), about, &theme);
            repaint_delay = repaint_delay.min(wait.unwrap_or(Duration::MAX));
            if changed {
                damage.add(place);
            }
            self.poll_fine_renderer(app);
        } else if has_canvas || app.pending_save.is_some() {
            // A view without the tree saves it as it was shown last.
            let canvas = match has_canvas {
                true => Canvas {
                    width: f64::from(place.width()),
                    height: f64::from(place.height()),
                    scale: f64::from(scale),
                },
                false => app.navigation.canvas,
            };
            if has_canvas {
                app.navigation.canvas_origin = (left.into(), top.into());
            }
            let (wait, changed) = self.draw_tree(app, canvas, &theme);
            if let Some(wait) = wait {
                repaint_delay = repaint_delay.min(wait);
            }
            if changed {
                damage.add(place);
            }
        } else {
            self.poll_fine_renderer(app);
        }
        repaint_delay = repaint_delay.min(next_frame_delay(app));
        damage.add_changes(&self.shapes, &output.shapes, scale);
        self.shapes.clone_from(&output.shapes);
        let changed_rects = damage.pixel_rects(width, height);
        if let Some(picture) = self.picture.as_mut().filter(|_| !changed_rects.is_empty()) {
            let primitives = self.context.tessellate(output.shapes, scale);
            let mut pixmap = picture.as_mut();
            let at = (left as usize, top as usize);
            let tree = match compared {
                Some(_) => self.side_by_side.picture.as_ref(),
                None => (self.tree.as_ref()).filter(|_| app.document.model.is_some()),
            };
            let tree = tree.filter(|_| has_canvas);
            for &part in &changed_rects {
                paint_background(tree, &mut pixmap, at, part, opaque(theme.canvas));
                self.painter
                    .paint_rect(&mut pixmap, scale, &primitives, part);
            }
        }
        FrameOutput {
            platform: output.platform_output,
            repaint_delay,
            changed_rects,
        }
    }

    /// The last frame; none before the first, or if there was no memory for it.
    pub fn picture(&self) -> Option<&Pixmap> {
        self.picture.as_ref()
    }

    /// The state for tests: the app, the positions of the controls, and the labels of the tree.
    pub fn dump(&self, app: &App) -> serde_json::Value {
        let mut state = app.dump();
        state["controls"] = controls::dump(&self.context);
        let texts = self.labels.iter().map(|label| label.text.to_string());
        state["labels"] = texts.collect();
        state["compared_labels"] = serde_json::json!(self.side_by_side.label_texts());
        state["typing"] = self.context.text_edit_focused().into();
        state
    }

    /// Redraws the tree if anything about it has changed. Returns when it is to be redrawn at full quality, and whether it
    /// looks different now.
    fn draw_tree(
        &mut self,
        app: &mut App,
        canvas: Canvas,
        theme: &Theme,
    ) -> (Option<Duration>, bool) {
        let mut changed = self.poll_fine_renderer(app);
        let (Some(camera), Some(model)) = (app.update_camera(canvas), app.document.model.clone())
        else {
            let had_one = self.drawn_view.take().is_some();
            return (None, had_one);
        };
        let view = RenderView {
            camera,
            canvas,
            look: app.look(),
            selected: app.navigation.selected,
            theme: theme.clone(),
            overlays: self.panels.canvas_overlays(canvas.scale as f32),
            model,
        };
        if let Some((path, saving)) = app.pending_save.take() {
            match &self.fine_renderer {
                Some(fine_renderer) => fine_renderer.save(path, view.clone(), saving),
                None => {
                    let result = save(&path, &view, &saving);
                    app.report_saved(&path, result);
                }
            }
        }
        let is_new = self
            .drawn_view
            .as_ref()
            .is_none_or(|(drawn, _)| *drawn != view);
        if is_new {
            self.last_change = app.now;
            self.paint(&view, RenderQuality::Draft);
            self.drawn_view = Some((view, RenderQuality::Draft));
            changed = true;
        } else if app.now >= self.last_change + FULL_REDRAW_DELAY
            && let Some((drawn, quality @ RenderQuality::Draft)) = &mut self.drawn_view
        {
            *quality = RenderQuality::Fine;
            match &self.fine_renderer {
                Some(fine_renderer) => fine_renderer.paint(view, self.labels.clone()),
                None => {
                    let view = drawn.clone();
                    self.paint(&view, RenderQuality::Fine);
                    changed = true;
                }
            }
        }
        let is_quick = matches!(self.drawn_view, Some((_, RenderQuality::Draft)));
        let wait = is_quick.then(|| (self.last_change + FULL_REDRAW_DELAY).saturating_sub(app.now));
        (wait, changed)
    }

    fn paint(&mut self, view: &RenderView, quality: RenderQuality) {
        let (width, height) = (view.canvas.width as u32, view.canvas.height as u32);
        let fits = (self.tree.as_ref())
            .is_some_and(|tree| (tree.width(), tree.height()) == (width, height));
        if !fits {
            self.tree = view.new_pixmap();
        }
        if let Some(tree) = &mut self.tree {
            let (renderer, labels) = (&mut self.tree_renderer, &mut self.labels);
            match quality {
                RenderQuality::Draft => {
                    *labels = view.paint(renderer, &mut self.labeller, tree, quality);
                }
                RenderQuality::Fine => view.paint_labelled(renderer, labels.clone(), tree),
            }
        }
    }

    /// Takes a finished full-quality picture; true if the tree looks different now.
    fn poll_fine_renderer(&mut self, app: &mut App) -> bool {
        let mut changed = false;
        for ready in self
            .fine_renderer
            .as_ref()
            .map(FineRenderer::take_events)
            .unwrap_or_default()
        {
            match ready {
                RenderEvent::Saved(path, result) => app.report_saved(&path, result),
                RenderEvent::Failed(problem) => app.dispatch(Action::ShowError(problem)),
                RenderEvent::Picture(view, picture) => {
                    // It may be out of date already.
                    if self
                        .drawn_view
                        .as_ref()
                        .is_some_and(|(drawn, _)| *drawn == *view)
                    {
                        self.tree = Some(picture);
                        changed = true;
                    }
                }
            }
        }
        changed
    }
}

mod side_by_side;
#[cfg(test)]
mod tests;
