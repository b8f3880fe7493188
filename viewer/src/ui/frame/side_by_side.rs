//! Two trees beside each other in one picture, each drawn at once and, when it rests, at full quality on a thread.

use std::{sync::Arc, time::Duration};

use tiny_skia::Pixmap;

use super::FULL_REDRAW_DELAY;
use crate::{
    app::{Action, App},
    draw::{painter::PixelRect, pixel::opaque, theme::Theme},
    system::wake::Wake,
    tree::{
        camera::Canvas,
        labels::{LabelBox, Labeller, PlacedLabel},
        raster::{RenderQuality, TreeRenderer},
    },
    workers::render::{FineRenderer, RenderEvent, RenderView},
};

/// The two trees.
#[derive(Default)]
pub(super) struct SideBySide {
    sides: [SidePicture; 2],
    /// Both in one picture; none while there is nothing to compare.
    pub(super) picture: Option<Pixmap>,
    /// Wakes the window when a picture at full quality is ready; none if the frame itself draws it.
    pub(super) wake: Option<Wake>,
}

#[derive(Default)]
struct SidePicture {
    renderer: TreeRenderer,
    labeller: Labeller,
    labels: Vec<PlacedLabel>,
    tree: Option<Pixmap>,
    drawn: Option<(RenderView, RenderQuality)>,
    last_change: Duration,
    fine: Option<FineRenderer>,
}

impl SideBySide {
    /// Draws what has changed; `places` are those of the trees within the picture, `overlays` what covers them. Returns when it is to
    /// be redrawn at full quality, and whether it looks different now.
    pub(super) fn draw(
        &mut self,
        app: &mut App,
        (places, overlays): ([PixelRect; 2], [Vec<LabelBox>; 2]),
        (size, scale): ((u32, u32), f64),
        theme: &Theme,
    ) -> (Option<Duration>, bool) {
        if app.compare.shown.is_none() {
            return (None, self.picture.take().is_some());
        }
        let mut wait: Option<Duration> = None;
        let fits = (self.picture.as_ref())
            .is_some_and(|picture| (picture.width(), picture.height()) == size);
        let mut changed = !fits;
        if !fits {
            self.picture = Pixmap::new(size.0, size.1);
        }
        for (side, (place, covered)) in places.into_iter().zip(overlays).enumerate() {
            let canvas = Canvas {
                width: (place.columns.1 - place.columns.0) as f64,
                height: (place.rows.1 - place.rows.0) as f64,
                scale,
            };
            let Some(view) = side_view(app, side, (canvas, covered), theme) else {
                continue;
            };
            let picture = &mut self.sides[side];
            picture.start_thread(self.wake.as_ref());
            changed |= picture.draw(app, view);
            let due = picture.due_at();
            wait = wait
                .into_iter()
                .chain(due.map(|at| at.saturating_sub(app.now)))
                .min();
        }
        if changed {
            self.join(places, theme);
        }
        (wait, changed)
    }

    /// Puts both trees into one picture.
    fn join(&mut self, places: [PixelRect; 2], theme: &Theme) {
        let Some(picture) = &mut self.picture else {
            return;
        };
        let width = picture.width() as usize;
        picture.pixels_mut().fill(opaque(theme.canvas));
        for (side, place) in self.sides.iter().zip(places) {
            let Some(tree) = &side.tree else { continue };
            let own = tree.width() as usize;
            let rows = tree.pixels().chunks_exact(own);
            for (row, pixels) in (place.rows.0..place.rows.1).zip(rows) {
                let begin = row * width + place.columns.0;
                if let Some(to) = picture.pixels_mut().get_mut(begin..begin + own) {
                    to.copy_from_slice(pixels);
                }
            }
        }
    }
}

/// What a side shows.
fn side_view(
    app: &mut App,
    side: usize,
    (canvas, overlays): (Canvas, Vec<LabelBox>),
    theme: &Theme,
) -> Option<RenderView> {
    let camera = app.compare.update_camera(side, canvas)?;
    let shown = app.compare.shown.as_ref()?;
    Some(RenderView {
        model: Arc::clone(&shown.sides[side]),
        camera,
        canvas,
        look: app.compare.look(app.settings.look()),
        selected: app.compare.selected_node(side),
        theme: theme.clone(),
        overlays,
    })
}

impl SidePicture {
    /// Starts the thread for full quality, once, where the window has such threads.
    fn start_thread(&mut self, wake: Option<&Wake>) {
        if let (None, Some(wake)) = (&self.fine, wake) {
            // Without a thread the frame draws at full quality itself.
            self.fine = FineRenderer::start(Arc::clone(wake)).ok();
        }
    }

    fn due_at(&self) -> Option<Duration> {
        let is_draft = matches!(self.drawn, Some((_, RenderQuality::Draft)));
        is_draft.then(|| self.last_change + FULL_REDRAW_DELAY)
    }

    /// Draws the tree if it looks different now; true if so.
    fn draw(&mut self, app: &mut App, view: RenderView) -> bool {
        let mut changed = self.take_fine_picture(app);
        let is_new = (self.drawn.as_ref()).is_none_or(|(drawn, _)| *drawn != view);
        if is_new {
            self.last_change = app.now;
            self.paint(&view, RenderQuality::Draft);
            self.drawn = Some((view, RenderQuality::Draft));
            changed = true;
        } else if self.due_at().is_some_and(|at| app.now >= at) {
            match &self.fine {
                Some(fine) => fine.paint(view.clone(), self.labels.clone()),
                None => {
                    self.paint(&view, RenderQuality::Fine);
                    changed = true;
                }
            }
            self.drawn = Some((view, RenderQuality::Fine));
        }
        changed
    }

    fn paint(&mut self, view: &RenderView, quality: RenderQuality) {
        let size = (view.canvas.width as u32, view.canvas.height as u32);
        let fits = (self.tree.as_ref()).is_some_and(|tree| (tree.width(), tree.height()) == size);
        if !fits {
            self.tree = view.new_pixmap();
        }
        let Some(tree) = &mut self.tree else { return };
        match quality {
            RenderQuality::Draft => {
                self.labels = view.paint(&mut self.renderer, &mut self.labeller, tree, quality);
            }
            RenderQuality::Fine => {
                view.paint_labelled(&mut self.renderer, self.labels.clone(), tree);
            }
        }
    }

    /// Takes a picture from the thread; true if it is of what is shown.
    fn take_fine_picture(&mut self, app: &mut App) -> bool {
        let mut changed = false;
        let events = self.fine.as_ref().map(FineRenderer::take_events);
        for event in events.unwrap_or_default() {
            match event {
                RenderEvent::Picture(view, picture)
                    if (self.drawn.as_ref()).is_some_and(|(drawn, _)| *drawn == *view) =>
                {
                    self.tree = Some(picture);
                    changed = true;
                }
                RenderEvent::Failed(problem) => app.dispatch(Action::ShowError(problem)),
                _ => {}
            }
        }
        changed
    }

    /// The texts of the labels, for tests.
    pub(super) fn label_texts(&self) -> Vec<String> {
        self.labels
            .iter()
            .map(|label| label.text.to_string())
            .collect()
    }
}

impl SideBySide {
    /// The texts of the labels of both trees, for tests.
    pub(super) fn label_texts(&self) -> [Vec<String>; 2] {
        [0, 1].map(|side| self.sides[side].label_texts())
    }
}
