//! Pictures of a tree: drawn at once, or at full quality on a background thread; files saved from the window.

use std::{
    fs::File,
    io::Write as _,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use canopy_engine::tree::{
    Tree,
    files::{Format, sidecar_path, write_atomic_synced},
    meta::{self, Meta},
};
use tiny_skia::Pixmap;

use crate::{
    draw::theme::Theme,
    system::{
        wake::Wake,
        worker::{Mailbox, Task, Worker},
    },
    tree::{
        camera::{Camera, Canvas},
        figure::{self, FigureSpec, FigureWords, POINTS_PER_MM},
        labels::{LabelBox, LabelledView, Labeller, PlacedLabel},
        model::TreeModel,
        raster::{RenderQuality, TreeRenderer},
        scene::{self, LabelStyle, RenderOptions, Scene},
        svg,
    },
};

/// Neighbours closer than this, in pixels, are merged in drafts.
const QUICK_MERGE_PIXELS: f64 = 2.0;

/// Everything a picture of a tree depends on; equal views give equal pictures.
#[derive(Clone)]
pub struct RenderView {
    /// The tree.
    pub model: Arc<TreeModel>,
    /// The part of the tree in view.
    pub camera: Camera,
    /// The size of the picture.
    pub canvas: Canvas,
    /// Colours and shapes of nodes.
    pub look: RenderOptions,
    /// The selected node.
    pub selected: Option<usize>,
    /// The colours.
    pub theme: Theme,
    /// What lies over the picture, in pixels: no label is placed there.
    pub overlays: Vec<LabelBox>,
}

/// Models are compared by identity.
impl PartialEq for RenderView {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.model, &other.model)
            && (self.camera, self.canvas) == (other.camera, other.canvas)
            && (self.look, self.selected) == (other.look, other.selected)
            && (&self.theme, &self.overlays) == (&other.theme, &other.overlays)
    }
}

impl RenderView {
    /// The shapes, without labels.
    fn scene(&self, quality: RenderQuality) -> Scene {
        let merge_distance = match quality {
            RenderQuality::Fine => 1.0,
            RenderQuality::Draft => QUICK_MERGE_PIXELS,
        };
        scene::build_scene(
            &self.model,
            &self.camera,
            &self.canvas,
            &self.look,
            self.selected,
            merge_distance,
        )
    }

    /// The shapes with labels.
    fn labelled_scene(&self, labeller: &mut Labeller, quality: RenderQuality) -> Scene {
        let mut scene = self.scene(quality);
        scene.labels = labeller.place(
            &scene,
            &LabelledView {
                model: &self.model,
                camera: &self.camera,
                canvas: &self.canvas,
                options: &self.look,
                selected: self.selected,
                overlays: &self.overlays,
            },
        );
        scene
    }

    /// Draws over a picture of the view's size. Returns the labels.
    pub fn paint(
        &self,
        renderer: &mut TreeRenderer,
        labeller: &mut Labeller,
        picture: &mut Pixmap,
        quality: RenderQuality,
    ) -> Vec<PlacedLabel> {
        let scene = self.labelled_scene(labeller, quality);
        self.paint_scene(renderer, &scene, picture, quality);
        scene.labels
    }

    /// Draws over a picture of the view's size, at full quality and with labels that were placed before.
    pub fn paint_labelled(
        &self,
        renderer: &mut TreeRenderer,
        labels: Vec<PlacedLabel>,
        picture: &mut Pixmap,
    ) {
        let scene = Scene {
            labels,
            ..self.scene(RenderQuality::Fine)
        };
        self.paint_scene(renderer, &scene, picture, RenderQuality::Fine);
    }

    fn paint_scene(
        &self,
        renderer: &mut TreeRenderer,
        scene: &Scene,
        picture: &mut Pixmap,
        quality: RenderQuality,
    ) {
        let (model, canvas, theme) = (&self.model, &self.canvas, &self.theme);
        renderer.paint(&mut picture.as_mut(), model, scene, canvas, theme, quality);
    }

    /// An empty picture of the view's size; `None` if that is too large.
    pub fn new_pixmap(&self) -> Option<Pixmap> {
        Pixmap::new(self.canvas.width as u32, self.canvas.height as u32)
    }

    /// The same view, enlarged with everything on it.
    fn scaled(&self, scale: f64) -> Self {
        let mut view = self.clone();
        view.canvas.width = (view.canvas.width * scale).round();
        view.canvas.height = (view.canvas.height * scale).round();
        view.canvas.scale *= scale;
        view.camera.scale_by(scale);
        // Panels are not part of a saved picture.
        view.overlays.clear();
        view
    }

    /// Writes a .png or .svg file, `scale` times as large; an error is a sentence.
    pub fn save(&self, path: &Path, scale: f64) -> Result<(), String> {
        let view = self.scaled(scale);
        let extension = path.extension().map(|name| name.to_ascii_lowercase());
        let bytes = match extension.as_ref().and_then(|name| name.to_str()) {
            Some("svg") => svg::render(
                &view.model,
                &view.labelled_scene(&mut Labeller::default(), RenderQuality::Fine),
                &view.canvas,
                &view.theme,
            )
            .into_bytes(),
            Some("png") => {
                let mut picture = view.new_pixmap().ok_or("the picture is too large")?;
                view.paint(
                    &mut TreeRenderer::default(),
                    &mut Labeller::default(),
                    &mut picture,
                    RenderQuality::Fine,
                );
                picture.encode_png().map_err(|error| error.to_string())?
            }
            _ => return Err("expected a name that ends in .png or .svg".to_owned()),
        };
        write_atomic_synced(path, |out| out.write_all(&bytes)).map_err(|error| error.to_string())
    }
}

/// Pixels an inch of a figure that is saved from the window.
const FIGURE_DPI: f64 = 300.0;

impl RenderView {
    /// Writes what is shown, with all of it in view, as a figure on white.
    fn save_figure(&self, path: &Path, words: &FigureWords) -> Result<(), String> {
        let text = |text: &String| Some(text.clone()).filter(|text| !text.trim().is_empty());
        let spec = FigureSpec {
            title: text(&words.title),
            caption: text(&words.caption),
            selected: self.selected,
            look: RenderOptions {
                label_style: LabelStyle::Shares,
                ..self.look
            },
            ..FigureSpec::new(words.width_mm * POINTS_PER_MM)
        };
        let drawing = figure::compose(&self.model, &spec);
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let bytes = figure::encode(&drawing, &extension, FIGURE_DPI)?;
        write_atomic_synced(path, |out| out.write_all(&bytes)).map_err(|error| error.to_string())
    }
}

/// What a saved file holds.
#[derive(Clone, Debug)]
pub enum SaveContent {
    /// The canvas, enlarged by a factor.
    Picture(f64),
    /// What is shown as a figure for a publication.
    Figure(FigureWords),
    /// The tree.
    Tree(Arc<Tree>, Format, Option<Box<Meta>>),
}

/// Whether a file name ends as a picture's does.
pub fn is_picture(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    figure::FORMATS
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

/// Writes a file; an error is a sentence.
pub fn save(path: &Path, view: &RenderView, saving: &SaveContent) -> Result<(), String> {
    match saving {
        SaveContent::Picture(scale) => view.save(path, *scale),
        SaveContent::Figure(words) => view.save_figure(path, words),
        SaveContent::Tree(tree, format, meta) => {
            write_atomic_synced(path, |out| format.write(tree, out))
                .map_err(|error| error.to_string())?;
            let Some(meta) = meta else { return Ok(()) };
            // A file beside it that is not a sidecar is kept.
            let beside = sidecar_path(path, "json");
            let is_ours = |file: File| meta::read(file).is_ok();
            if File::open(&beside).is_ok_and(|file| !is_ours(file)) {
                return Ok(());
            }
            let text = meta::to_json(meta.as_ref());
            write_atomic_synced(&beside, |out| out.write_all(text.as_bytes()))
                .map_err(|error| error.to_string())
        }
    }
}

enum RenderCommand {
    Paint(Box<(RenderView, Vec<PlacedLabel>)>),
    Save(Box<(PathBuf, RenderView, SaveContent)>),
    /// Panics.
    #[cfg(test)]
    Panic,
}

/// The result of a command.
pub enum RenderEvent {
    /// A picture at full quality.
    Picture(Box<RenderView>, Pixmap),
    /// A file that was written, or why it was not.
    Saved(PathBuf, Result<(), String>),
    /// Drawing panicked; a sentence for the user.
    Failed(String),
}

/// Draws at full quality and saves files on a thread.
pub struct FineRenderer {
    worker: Worker<RenderCommand, RenderEvent>,
}

impl FineRenderer {
    /// Starts the thread; `wake` is called after every event.
    pub fn start(wake: Wake) -> std::io::Result<Self> {
        let new_task = |mailbox| RenderTask {
            mailbox,
            renderer: TreeRenderer::default(),
            saving: None,
        };
        let worker = Worker::start("fine-renderer", wake, new_task)?;
        Ok(Self { worker })
    }

    /// Asks for a picture with these labels; replaces a queued request for one.
    pub fn paint(&self, view: RenderView, labels: Vec<PlacedLabel>) {
        self.worker.edit_queue(|commands| {
            commands.retain(|command| !matches!(command, RenderCommand::Paint(..)));
            commands.push_back(RenderCommand::Paint(Box::new((view, labels))));
        });
    }

    /// Asks for a file.
    pub fn save(&self, path: PathBuf, view: RenderView, saving: SaveContent) {
        let command = RenderCommand::Save(Box::new((path, view, saving)));
        self.worker.send(command);
    }

    /// Has the thread panic.
    #[cfg(test)]
    pub(crate) fn panic_on_purpose(&self) {
        self.worker.send(RenderCommand::Panic);
    }

    /// The events since the last call.
    pub fn take_events(&self) -> Vec<RenderEvent> {
        self.worker.take_events()
    }
}

struct RenderTask {
    mailbox: Mailbox<RenderCommand, RenderEvent>,
    renderer: TreeRenderer,
    /// The file being written, for the report of a panic.
    saving: Option<PathBuf>,
}

impl Task for RenderTask {
    fn step(&mut self) -> ControlFlow<()> {
        match self.mailbox.recv() {
            None => ControlFlow::Break(()),
            Some(RenderCommand::Save(order)) => {
                let (path, view, saving) = *order;
                self.saving = Some(path.clone());
                #[cfg(test)]
                assert!(!path.ends_with("broken.png"), "broken on purpose");
                let result = save(&path, &view, &saving);
                self.saving = None;
                self.mailbox.send(RenderEvent::Saved(path, result))
            }
            #[cfg(test)]
            Some(RenderCommand::Panic) => panic!("broken on purpose"),
            Some(RenderCommand::Paint(order)) => {
                let (view, labels) = *order;
                let Some(mut picture) = view.new_pixmap() else {
                    return ControlFlow::Continue(());
                };
                view.paint_labelled(&mut self.renderer, labels, &mut picture);
                self.mailbox
                    .send(RenderEvent::Picture(Box::new(view), picture))
            }
        }
    }

    /// The renderer's buffers may be half written: it is made anew.
    fn recover(&mut self, panic: &str) -> ControlFlow<()> {
        self.renderer = TreeRenderer::default();
        self.mailbox.send(match self.saving.take() {
            Some(path) => RenderEvent::Saved(path, Err(format!("drawing it failed: {panic}"))),
            None => RenderEvent::Failed(format!("drawing the tree failed: {panic}")),
        })
    }
}
