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
    files::{Format, sidecar, write_durably},
    meta::{self, Meta},
};
use tiny_skia::Pixmap;

use crate::{
    camera::{Camera, Canvas},
    loader::Wake,
    model::Model,
    raster::{Care, Raster},
    scene::{self, Look, Scene},
    svg,
    theme::Theme,
};

/// In pictures that are gone in a moment, neighbours closer than this, in pixels, are one.
const QUICK_GRAIN: f64 = 2.0;

/// Everything that a picture of a tree depends on.
#[derive(Clone)]
pub struct View {
    /// The tree.
    pub model: Arc<Model>,
    /// Where one looks from.
    pub camera: Camera,
    /// How large the picture is.
    pub canvas: Canvas,
    /// How the tree is drawn.
    pub look: Look,
    /// The selected node.
    pub selected: Option<usize>,
    /// The colours.
    pub theme: Theme,
}

/// The same tree, seen in the same way.
impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.model, &other.model)
            && (self.camera, self.canvas) == (other.camera, other.canvas)
            && (self.look, self.selected) == (other.look, other.selected)
            && self.theme == other.theme
    }
}

impl View {
    fn scene(&self, care: Care) -> Scene {
        let grain = match care {
            Care::Fine => 1.0,
            Care::Quick => QUICK_GRAIN,
        };
        scene::scene(
            &self.model,
            &self.camera,
            &self.canvas,
            &self.look,
            self.selected,
            grain,
        )
    }

    /// Draws it over a picture of its size.
    pub fn paint(&self, raster: &mut Raster, picture: &mut Pixmap, care: Care) {
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
    pub fn picture(&self) -> Option<Pixmap> {
        Pixmap::new(self.canvas.width as u32, self.canvas.height as u32)
    }

    /// The same, so many times as large, with everything on it.
    fn enlarged(&self, scale: f64) -> Self {
        let mut view = self.clone();
        view.canvas.width = (view.canvas.width * scale).round();
        view.canvas.height = (view.canvas.height * scale).round();
        view.canvas.scale *= scale;
        view.camera.enlarge(scale);
        view
    }

    /// Writes it to a .png or .svg file, `scale` times as large; an error says what is wrong.
    pub fn save(&self, path: &Path, scale: f64) -> Result<(), String> {
        let view = self.enlarged(scale);
        let extension = path.extension().map(|name| name.to_ascii_lowercase());
        let bytes = match extension.as_ref().and_then(|name| name.to_str()) {
            Some("svg") => svg::text(
                &view.model,
                &view.scene(Care::Fine),
                &view.canvas,
                &view.theme,
            )
            .into_bytes(),
            Some("png") => {
                let mut picture = view.picture().ok_or("the picture is too large")?;
                view.paint(&mut Raster::default(), &mut picture, Care::Fine);
                picture.encode_png().map_err(|error| error.to_string())?
            }
            _ => return Err("expected a name that ends in .png or .svg".to_owned()),
        };
        write_durably(path, |out| out.write_all(&bytes)).map_err(|error| error.to_string())
    }
}

/// What can be saved.
#[derive(Clone, Debug)]
pub enum Saving {
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
pub fn save(path: &Path, view: &View, saving: &Saving) -> Result<(), String> {
    match saving {
        Saving::Picture(scale) => view.save(path, *scale),
        Saving::Tree(tree, format, meta) => {
            write_durably(path, |out| format.write(tree, out))
                .map_err(|error| error.to_string())?;
            let Some(meta) = meta else { return Ok(()) };
            // What else is known of the search; a file of another kind stays.
            let beside = sidecar(path, "json");
            let is_ours = |file: File| meta::read(file).is_ok();
            if File::open(&beside).is_ok_and(|file| !is_ours(file)) {
                return Ok(());
            }
            let text = meta::text(meta.as_ref());
            write_durably(&beside, |out| out.write_all(text.as_bytes()))
                .map_err(|error| error.to_string())
        }
    }
}

enum Order {
    Paint(View),
    Save(Box<(PathBuf, View, Saving)>),
}

/// Something that is ready.
pub enum Ready {
    /// A picture that was drawn with care.
    Picture(View, Pixmap),
    /// A file that was written, or not.
    Saved(PathBuf, Result<(), String>),
}

/// Draws with care, on a thread of its own.
pub struct Easel {
    orders: Sender<Order>,
    ready: Receiver<Ready>,
}

impl Easel {
    /// Starts the thread; `wake` is called when something is ready.
    pub fn start(wake: Wake) -> std::io::Result<Self> {
        let (orders, wanted) = channel();
        let (sender, ready) = channel();
        thread::Builder::new()
            .name("easel".to_owned())
            .spawn(move || {
                let mut raster = Raster::default();
                while let Ok(first) = wanted.recv() {
                    for piece in work(first, &wanted, &mut raster) {
                        if sender.send(piece).is_err() {
                            return;
                        }
                        wake();
                    }
                }
            })?;
        Ok(Self { orders, ready })
    }

    /// Asks for a picture; one that was asked for before and is not begun is not drawn.
    pub fn paint(&self, view: View) {
        let _ = self.orders.send(Order::Paint(view));
    }

    /// Asks for a file.
    pub fn save(&self, path: PathBuf, view: View, saving: Saving) {
        let order = Order::Save(Box::new((path, view, saving)));
        let _ = self.orders.send(order);
    }

    /// What has become ready.
    pub fn take(&self) -> Vec<Ready> {
        self.ready.try_iter().collect()
    }
}

/// Does what has been asked for so far: of pictures only the last.
fn work(first: Order, more: &Receiver<Order>, raster: &mut Raster) -> Vec<Ready> {
    let mut picture = None;
    let mut ready = Vec::new();
    for order in std::iter::once(first).chain(more.try_iter()) {
        match order {
            Order::Paint(view) => picture = Some(view),
            Order::Save(order) => {
                let (path, view, saving) = *order;
                let result = save(&path, &view, &saving);
                ready.push(Ready::Saved(path, result));
            }
        }
    }
    if let Some(view) = picture
        && let Some(mut picture) = view.picture()
    {
        view.paint(raster, &mut picture, Care::Fine);
        ready.push(Ready::Picture(view, picture));
    }
    ready
}
