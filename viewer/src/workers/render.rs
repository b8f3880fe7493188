//! Pictures of a tree: what one looks at, drawn now, or with care on a thread of its own.

use std::{
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use canopy_engine::tree::{
    Tree,
    files::{Format, sidecar_path, write_atomic_synced},
    meta::{self, Meta},
};
use tiny_skia::Pixmap;

use crate::{
    draw::theme::Theme,
    system::wake::Wake,
    tree::{
        camera::{Camera, Canvas},
        model::TreeModel,
        raster::{RenderQuality, TreeRenderer},
        scene::{self, RenderOptions, Scene},
        svg,
    },
};

/// In pictures that are gone in a moment, neighbours closer than this, in pixels, are one.
const QUICK_MERGE_PIXELS: f64 = 2.0;

/// Everything that a picture of a tree depends on.
#[derive(Clone)]
pub struct RenderView {
    /// The tree.
    pub model: Arc<TreeModel>,
    /// Where one looks from.
    pub camera: Camera,
    /// How large the picture is.
    pub canvas: Canvas,
    /// How the tree is drawn.
    pub look: RenderOptions,
    /// The selected node.
    pub selected: Option<usize>,
    /// The colours.
    pub theme: Theme,
}

/// The same tree, seen in the same way.
impl PartialEq for RenderView {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.model, &other.model)
            && (self.camera, self.canvas) == (other.camera, other.canvas)
            && (self.look, self.selected) == (other.look, other.selected)
            && self.theme == other.theme
    }
}

impl RenderView {
    fn scene(&self, care: RenderQuality) -> Scene {
        let grain = match care {
            RenderQuality::Fine => 1.0,
            RenderQuality::Draft => QUICK_MERGE_PIXELS,
        };
        scene::build_scene(
            &self.model,
            &self.camera,
            &self.canvas,
            &self.look,
            self.selected,
            grain,
        )
    }

    /// Draws it over a picture of its size.
    pub fn paint(&self, raster: &mut TreeRenderer, picture: &mut Pixmap, care: RenderQuality) {
        let scene = self.scene(care);
        raster.paint(
            &mut picture.as_mut(),
            &self.model,
            &scene,
            &self.canvas,
            &self.theme,
            care,
        );
    }

    /// A picture of its size; none if that is too large.
    pub fn new_pixmap(&self) -> Option<Pixmap> {
        Pixmap::new(self.canvas.width as u32, self.canvas.height as u32)
    }

    /// The same, so many times as large, with everything on it.
    fn scaled(&self, scale: f64) -> Self {
        let mut view = self.clone();
        view.canvas.width = (view.canvas.width * scale).round();
        view.canvas.height = (view.canvas.height * scale).round();
        view.canvas.scale *= scale;
        view.camera.scale_by(scale);
        view
    }

    /// Writes it to a .png or .svg file, `scale` times as large; an error says what is wrong.
    pub fn save(&self, path: &Path, scale: f64) -> Result<(), String> {
        let view = self.scaled(scale);
        let extension = path.extension().map(|name| name.to_ascii_lowercase());
        let bytes = match extension.as_ref().and_then(|name| name.to_str()) {
            Some("svg") => svg::render(
                &view.model,
                &view.scene(RenderQuality::Fine),
                &view.canvas,
                &view.theme,
            )
            .into_bytes(),
            Some("png") => {
                let mut picture = view.new_pixmap().ok_or("the picture is too large")?;
                view.paint(
                    &mut TreeRenderer::default(),
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

/// What can be saved.
#[derive(Clone, Debug)]
pub enum SaveContent {
    /// What is on the canvas, so many times as large.
    Picture(f64),
    /// The tree.
    Tree(Arc<Tree>, Format, Option<Box<Meta>>),
}

/// Whether a name is that of a picture.
pub fn is_picture(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ["png", "svg"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

/// Writes a file; an error says why it could not be.
pub fn save(path: &Path, view: &RenderView, saving: &SaveContent) -> Result<(), String> {
    match saving {
        SaveContent::Picture(scale) => view.save(path, *scale),
        SaveContent::Tree(tree, format, meta) => {
            write_atomic_synced(path, |out| format.write(tree, out))
                .map_err(|error| error.to_string())?;
            let Some(meta) = meta else { return Ok(()) };
            // What else is known of the search; a file of another kind stays.
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
    Paint(RenderView),
    Save(Box<(PathBuf, RenderView, SaveContent)>),
}

/// Something that is ready.
pub enum RenderEvent {
    /// A picture that was drawn with care.
    Picture(RenderView, Pixmap),
    /// A file that was written, or not.
    Saved(PathBuf, Result<(), String>),
}

/// Draws with care, on a thread of its own.
pub struct FineRenderer {
    commands: Sender<RenderCommand>,
    events: Receiver<RenderEvent>,
}

impl FineRenderer {
    /// Starts the thread; `wake` is called when something is ready.
    pub fn start(wake: Wake) -> std::io::Result<Self> {
        let (commands, command_receiver) = channel();
        let (sender, events) = channel();
        thread::Builder::new()
            .name("easel".to_owned())
            .spawn(move || {
                let mut raster = TreeRenderer::default();
                while let Ok(first) = command_receiver.recv() {
                    for event in run_commands(first, &command_receiver, &mut raster) {
                        if sender.send(event).is_err() {
                            return;
                        }
                        wake();
                    }
                }
            })?;
        Ok(Self { commands, events })
    }

    /// Asks for a picture; one that was asked for before and is not begun is not drawn.
    pub fn paint(&self, view: RenderView) {
        let _ = self.commands.send(RenderCommand::Paint(view));
    }

    /// Asks for a file.
    pub fn save(&self, path: PathBuf, view: RenderView, saving: SaveContent) {
        let command = RenderCommand::Save(Box::new((path, view, saving)));
        let _ = self.commands.send(command);
    }

    /// What has become ready.
    pub fn take_events(&self) -> Vec<RenderEvent> {
        self.events.try_iter().collect()
    }
}

/// Does what has been asked for so far: of pictures only the last.
fn run_commands(
    first: RenderCommand,
    more: &Receiver<RenderCommand>,
    raster: &mut TreeRenderer,
) -> Vec<RenderEvent> {
    let mut picture = None;
    let mut events = Vec::new();
    for command in std::iter::once(first).chain(more.try_iter()) {
        match command {
            RenderCommand::Paint(view) => picture = Some(view),
            RenderCommand::Save(order) => {
                let (path, view, saving) = *order;
                let result = save(&path, &view, &saving);
                events.push(RenderEvent::Saved(path, result));
            }
        }
    }
    if let Some(view) = picture
        && let Some(mut picture) = view.new_pixmap()
    {
        view.paint(raster, &mut picture, RenderQuality::Fine);
        events.push(RenderEvent::Picture(view, picture));
    }
    events
}
