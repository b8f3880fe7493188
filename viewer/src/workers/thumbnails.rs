//! Small pictures for the start screen, drawn on a background thread: of recent files and folders, and of a short search in a game.

use std::{
    collections::BinaryHeap,
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use canopy_engine::{
    catalog,
    games::{self, History, Playable, Visitor, notation::position_text},
    search::{SearchLimits, SearchTask, StopFlag},
    tree::{
        TreeBuilder, TreeNode, TreeRow, files,
        meta::{MatchMeta, Meta},
        snapshot::{self, SnapshotOptions},
    },
};
use tiny_skia::Pixmap;

use crate::{
    board::MoveShare,
    draw::theme::Theme,
    play::match_state::read_match_file,
    settings::memory_budget::NODE_BYTES,
    system::{
        wake::Wake,
        worker::{Mailbox, Task, Worker},
    },
    tree::{
        camera::{Camera, Canvas},
        labels::Labeller,
        model::{Filter, ModelSource, TreeModel},
        raster::{RenderQuality, TreeRenderer},
        scene::{RenderOptions, format_thousands, tree_bounds},
        sequence::{is_tree_file, list_match_trees, list_trees},
    },
    workers::render::RenderView,
};

/// Iterations of the search that is drawn for a game.
const EXAMPLE_ITERATIONS: u64 = 3000;
/// The nodes of that picture, and the most children of one.
const EXAMPLE_NODES: usize = 120;
const MAX_EXAMPLE_CHILDREN: usize = 5;
/// A file larger than this, in bytes, gets no picture.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Bytes of a tree that is read for a picture: its most visited nodes.
const MAX_TREE_BYTES: usize = 8 << 20;
/// Capacity of the cache.
const MAX_CACHED: usize = 48;

/// What a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A short search in the typical position of a game.
    Example(&'static str),
    /// A tree file, or the last tree of a folder.
    File(PathBuf),
}

/// A picture to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct ThumbnailRequest {
    /// What it shows.
    pub subject: Subject,
    /// Width and height, in pixels.
    pub size: [u32; 2],
    /// Pixels a point; smaller for thinner lines.
    pub scale: f32,
    /// The colours.
    pub theme: Theme,
}

/// A picture, and what is said about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thumbnail {
    /// The picture; none if there is no tree, or none that is small enough.
    pub picture: Option<Pixmap>,
    /// What it is, in a few words.
    pub title: String,
    /// How large it is.
    pub detail: String,
    /// When it was written, such as "2 h ago".
    pub age: String,
    /// The visit shares of the root's moves.
    pub shares: Vec<MoveShare>,
}

/// The result of a request.
enum ThumbnailEvent {
    Ready(Box<ThumbnailRequest>, Arc<Thumbnail>),
    Missing(PathBuf),
}

/// Draws on a thread, which starts with the first request, and keeps what was drawn.
pub struct Thumbnails {
    wake: Wake,
    worker: Option<Worker<ThumbnailRequest, ThumbnailEvent>>,
    /// Everything that was asked for, the last first; none until it is drawn.
    cache: Vec<(ThumbnailRequest, Option<Arc<Thumbnail>>)>,
}

impl Thumbnails {
    /// Nothing is drawn yet; `wake` is called whenever something is.
    pub fn new(wake: Wake) -> Self {
        Self {
            wake,
            worker: None,
            cache: Vec::new(),
        }
    }

    /// The picture. Until it is drawn, one of the same subject stands in for it, if there is one.
    pub fn get(&mut self, request: &ThumbnailRequest) -> Option<Arc<Thumbnail>> {
        let known = self.cache.iter().find(|(known, _)| known == request);
        if let Some((_, Some(ready))) = known {
            return Some(Arc::clone(ready));
        }
        if known.is_none() {
            self.order(request);
        }
        (self.cache.iter())
            .filter(|(known, _)| known.subject == request.subject)
            .find_map(|(_, ready)| ready.clone())
    }

    fn order(&mut self, request: &ThumbnailRequest) {
        if self.worker.is_none() {
            let new_task = |mailbox| ThumbnailTask {
                mailbox,
                renderer: TreeRenderer::default(),
                current: None,
            };
            // Without a thread there are no pictures; everything else works.
            self.worker = Worker::start("thumbnails", Arc::clone(&self.wake), new_task).ok();
        }
        if let Some(worker) = &self.worker {
            worker.send(request.clone());
        }
        self.cache.insert(0, (request.clone(), None));
        self.cache.truncate(MAX_CACHED);
    }

    /// Whether everything that was asked for is drawn.
    pub fn is_idle(&self) -> bool {
        self.cache.iter().all(|(_, ready)| ready.is_some())
    }

    /// Takes in what was drawn; the files and folders that are gone.
    pub fn poll(&mut self) -> Vec<PathBuf> {
        let mut gone = Vec::new();
        for event in self.worker.iter().flat_map(Worker::take_events) {
            match event {
                ThumbnailEvent::Ready(request, thumbnail) => {
                    let entry = (self.cache.iter_mut()).find(|(known, _)| *known == *request);
                    if let Some((_, ready)) = entry {
                        *ready = Some(thumbnail);
                    }
                }
                ThumbnailEvent::Missing(path) => {
                    let is_it =
                        |subject: &Subject| matches!(subject, Subject::File(of) if *of == path);
                    self.cache.retain(|(known, _)| !is_it(&known.subject));
                    gone.push(path);
                }
            }
        }
        gone
    }

    /// Looks at files again when they are next asked for: they may have changed.
    pub fn forget_files(&mut self) {
        (self.cache).retain(|(known, _)| matches!(known.subject, Subject::Example(_)));
    }
}

struct ThumbnailTask {
    mailbox: Mailbox<ThumbnailRequest, ThumbnailEvent>,
    renderer: TreeRenderer,
    /// The request being drawn, for the case of a panic.
    current: Option<ThumbnailRequest>,
}

impl Task for ThumbnailTask {
    fn step(&mut self) -> ControlFlow<()> {
        let Some(request) = self.mailbox.recv() else {
            return ControlFlow::Break(());
        };
        self.current = Some(request.clone());
        let event = match self.draw(&request) {
            Some(thumbnail) => ThumbnailEvent::Ready(Box::new(request), Arc::new(thumbnail)),
            None => match request.subject {
                Subject::File(path) => ThumbnailEvent::Missing(path),
                Subject::Example(_) => {
                    ThumbnailEvent::Ready(Box::new(request), Arc::new(Thumbnail::default()))
                }
            },
        };
        self.current = None;
        self.mailbox.send(event)
    }

    /// A tree that cannot be drawn has a name all the same.
    fn recover(&mut self, _: &str) -> ControlFlow<()> {
        self.renderer = TreeRenderer::default();
        let Some(request) = self.current.take() else {
            return ControlFlow::Continue(());
        };
        let thumbnail = match &request.subject {
            Subject::File(path) => named_after(path),
            Subject::Example(_) => Thumbnail::default(),
        };
        let event = ThumbnailEvent::Ready(Box::new(request), Arc::new(thumbnail));
        self.mailbox.send(event)
    }
}

impl ThumbnailTask {
    /// Draws a picture; none if there is no such file or game.
    fn draw(&mut self, request: &ThumbnailRequest) -> Option<Thumbnail> {
        match &request.subject {
            Subject::Example(game) => {
                let model = games::with_game(game, ExampleVisitor).ok().flatten()?;
                Some(Thumbnail {
                    shares: root_shares(&model),
                    picture: self.paint(prune(&model)?, request),
                    ..Thumbnail::default()
                })
            }
            Subject::File(path) => self.draw_path(path, request),
        }
    }

    fn draw_path(&mut self, path: &Path, request: &ThumbnailRequest) -> Option<Thumbnail> {
        let data = fs::metadata(path).ok()?;
        let age = data.modified().map_or_else(|_| String::new(), age_text);
        if data.is_dir() {
            let found = read_match_file(path).ok().flatten();
            let trees = match found {
                Some(_) => list_match_trees(path),
                None => list_trees(path),
            };
            let trees = trees.unwrap_or_default();
            let count = count_text(trees.len() as u64, "tree");
            let model = trees.last().and_then(|tree| read_model(tree).ok());
            return Some(Thumbnail {
                title: found.as_ref().map_or_else(|| file_name(path), match_title),
                detail: count,
                age,
                picture: model.and_then(|model| self.paint(readable(&model), request)),
                ..Thumbnail::default()
            });
        }
        let mut thumbnail = Thumbnail {
            age,
            ..named_after(path)
        };
        if !data.is_file() || data.len() > MAX_FILE_BYTES || !is_tree_file(path) {
            return Some(thumbnail);
        }
        let Ok(model) = read_model(path) else {
            thumbnail.detail = "cannot be read".to_owned();
            return Some(thumbnail);
        };
        if let Some(meta) = &model.meta {
            thumbnail.title = tree_title(meta);
        }
        thumbnail.detail = match &model.meta {
            Some(meta) if meta.iterations > 0 => count_text(meta.iterations, "iteration"),
            _ => count_text(model.tree.nodes().len() as u64, "node"),
        };
        thumbnail.picture = self.paint(readable(&model), request);
        Some(thumbnail)
    }

    /// Draws the whole of a tree, without labels.
    fn paint(&mut self, model: TreeModel, request: &ThumbnailRequest) -> Option<Pixmap> {
        let [width, height] = request.size.map(f64::from);
        let scale = f64::from(request.scale);
        let canvas = Canvas {
            width,
            height,
            scale,
        };
        let bounds = tree_bounds(&model);
        // A camera leaves room for controls, of which a small picture has none.
        let roomy = Canvas {
            width: width + 60.0 * scale,
            height: height + 84.0 * scale,
            scale,
        };
        let mut camera = Camera::fit(&bounds, &roomy);
        camera.y = f64::midpoint(bounds.top, bounds.bottom);
        let view = RenderView {
            model: Arc::new(model),
            camera,
            canvas,
            look: RenderOptions {
                shows_labels: false,
                ..RenderOptions::default()
            },
            selected: None,
            theme: request.theme.clone(),
            overlays: Vec::new(),
        };
        let mut picture = view.new_pixmap()?;
        view.paint(
            &mut self.renderer,
            &mut Labeller::default(),
            &mut picture,
            RenderQuality::Fine,
        );
        Some(picture)
    }
}

/// The part of a tree that can be told apart in a small picture: the most visited nodes, and few children of each.
fn readable(model: &TreeModel) -> TreeModel {
    let filter = Filter {
        min_visits: u32::try_from(model.visits(0)).unwrap_or_default() / 200,
        max_children: Some(3),
        sort_by_visits: true,
        ..Filter::default()
    };
    TreeModel::filtered(model.source(), &filter)
}

/// The most visited nodes of a tree as a tree of its own, with the most visited child of every node on the left. Unlike a filter it
/// leaves no signs of what is missing.
fn prune(model: &TreeModel) -> Option<TreeModel> {
    let children = |node: usize| {
        let mut children: Vec<usize> = model.children_of(node).collect();
        children.retain(|&child| model.visits(child) > 0);
        children.sort_by_key(|&child| std::cmp::Reverse(model.visits(child)));
        children.truncate(MAX_EXAMPLE_CHILDREN);
        children
    };
    let mut kept = vec![false; model.len()];
    let mut frontier = BinaryHeap::from([(i32::MAX, 0)]);
    for _ in 0..EXAMPLE_NODES {
        let Some((_, node)) = frontier.pop() else {
            break;
        };
        if let Some(is_kept) = kept.get_mut(node) {
            *is_kept = true;
        }
        frontier.extend((children(node).into_iter()).map(|child| (model.visits(child), child)));
    }
    let mut builder = TreeBuilder::default();
    let mut stack = vec![0];
    while let Some(node) = stack.pop() {
        let mut below = children(node);
        below.retain(|&child| kept.get(child) == Some(&true));
        let TreeNode {
            visits,
            second,
            mean,
            ..
        } = *model.node(node);
        let row = TreeRow {
            move_name: &model.move_text(node),
            visits,
            second,
            mean,
            state: model.tree.state(model.row(node)),
            children: below.len() as u32,
        };
        builder.push(&row).ok()?;
        stack.extend(below.into_iter().rev());
    }
    Some(TreeModel::new(ModelSource {
        meta: model.meta.clone(),
        ..ModelSource::of(builder.finish().ok()?)
    }))
}

/// The tree of a short search in a game's typical position.
struct ExampleVisitor;

impl Visitor for ExampleVisitor {
    type Out = Option<TreeModel>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let mut position = G::start(rules);
        let mut history = History::new();
        history.push(&position);
        for text in G::FACTS.example.split_whitespace() {
            position.play(position.parse_move(text).ok()?);
            history.push(&position);
        }
        let spec = catalog::parse::<G>(G::FACTS.default_search).ok()?;
        let mut search = catalog::build::<G>(&spec)?;
        let (limits, stop) = (
            SearchLimits::iterations(EXAMPLE_ITERATIONS),
            StopFlag::new(),
        );
        search.search(SearchTask::new(&position, &history, &limits, &stop));
        let taken = snapshot::take(search.tree()?, &SnapshotOptions::default()).ok()?;
        let meta = Meta {
            game: G::NAME.to_owned(),
            position: position_text(&position),
            to_move: 1 + position.to_move().index() as u8,
            root: taken.root,
            ..Meta::default()
        };
        Some(TreeModel::new(ModelSource {
            meta: Some(Arc::new(meta)),
            ..ModelSource::of(taken.tree)
        }))
    }
}

/// The visit shares of the root's moves.
fn root_shares(model: &TreeModel) -> Vec<MoveShare> {
    let children = model.children_of(0);
    let total: i64 = (children.clone())
        .map(|child| i64::from(model.visits(child)))
        .sum();
    children
        .map(|child| MoveShare {
            mv: model.move_text(child).into_owned(),
            share: model.visits(child) as f32 / total.max(1) as f32,
        })
        .collect()
}

/// Reads a tree, or its most visited part.
fn read_model(path: &Path) -> io::Result<TreeModel> {
    let (document, left_out) = files::read_with_byte_limit(path, MAX_TREE_BYTES, NODE_BYTES)
        .map_err(|error| io::Error::other(error.to_string()))?;
    let mut source = ModelSource::from(document);
    source.left_out += left_out.nodes;
    Ok(TreeModel::new(source))
}

/// A file of which only the name is known.
fn named_after(path: &Path) -> Thumbnail {
    Thumbnail {
        title: file_name(path),
        ..Thumbnail::default()
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    games::notation::escape_invisible(&name.to_string_lossy()).into_owned()
}

/// A tree in words: "Othello, move 7, uct".
fn tree_title(meta: &Meta) -> String {
    let game = game_title(&meta.game);
    match meta.search.as_str() {
        "" => format!("{game}, move {}", meta.ply + 1),
        search => format!("{game}, move {}, {search}", meta.ply + 1),
    }
}

/// A match in words: "Connect four: UCT – Last good reply".
fn match_title(meta: &MatchMeta) -> String {
    let game = game_title(&meta.game);
    match meta.score.names.as_slice() {
        [first, second] => format!("{game}: {first} – {second}"),
        _ => format!("{game} match"),
    }
}

fn game_title(game: &str) -> String {
    games::facts_of(game).map_or_else(|| game.to_owned(), |facts| facts.title.to_owned())
}

fn count_text(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", format_thousands(count))
}

/// How long ago a file was written, in two words.
fn age_text(written: SystemTime) -> String {
    let age = SystemTime::now().duration_since(written);
    age_in_words(age.unwrap_or_default())
}

fn age_in_words(age: Duration) -> String {
    let (minutes, hours, days) = (
        age.as_secs() / 60,
        age.as_secs() / 3600,
        age.as_secs() / 86_400,
    );
    match () {
        () if minutes < 1 => "just now".to_owned(),
        () if hours < 1 => format!("{minutes} min ago"),
        () if days < 1 => format!("{hours} h ago"),
        () if days == 1 => "yesterday".to_owned(),
        () => format!("{} days ago", format_thousands(days)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc::channel};

    use super::*;
    use crate::system::temporary::TemporaryDirectory;

    fn request(subject: Subject) -> ThumbnailRequest {
        ThumbnailRequest {
            subject,
            size: [64, 44],
            scale: 0.5,
            theme: Theme::dark(),
        }
    }

    /// Waits until everything is drawn; the paths that were gone.
    fn draw_all(requests: &[ThumbnailRequest]) -> (Thumbnails, Vec<PathBuf>) {
        let (sender, woken) = channel();
        let sender = Mutex::new(sender);
        let mut thumbnails = Thumbnails::new(Arc::new(move || {
            let _ = sender.lock().map(|sender| sender.send(()));
        }));
        for request in requests {
            assert!(thumbnails.get(request).is_none(), "nothing is drawn yet");
        }
        let mut gone = Vec::new();
        while !thumbnails.is_idle() {
            (woken.recv_timeout(Duration::from_secs(60))).expect("pictures are drawn");
            gone.extend(thumbnails.poll());
        }
        (thumbnails, gone)
    }

    #[test]
    fn every_game_has_a_picture_of_a_search_and_the_shares_of_its_moves() {
        let all: Vec<_> = games::listed()
            .map(|facts| request(Subject::Example(facts.name)))
            .collect();
        let (mut thumbnails, _) = draw_all(&all);
        for request in &all {
            let drawn = thumbnails.get(request).expect("it is drawn");
            assert!(drawn.picture.is_some(), "{request:?}");
            let sum: f32 = drawn.shares.iter().map(|share| share.share).sum();
            assert!((sum - 1.0).abs() < 1e-3, "{request:?}: {sum}");
        }
    }

    #[test]
    fn files_have_names_and_what_is_gone_is_told() {
        let temporary = TemporaryDirectory::new().expect("it can be made");
        let directory = temporary.path().join("folder");
        fs::create_dir(&directory).expect("it can be made");
        fs::write(directory.join("one.csv"), ",3,0,0.5,,1\nx,2,0,0.5,,0\n").expect("written");
        fs::write(directory.join("broken.tree"), "no tree").expect("written");
        let [tree, broken, folder, none] = [
            directory.join("one.csv"),
            directory.join("broken.tree"),
            directory.clone(),
            directory.join("none.tree"),
        ]
        .map(|path| request(Subject::File(path)));
        let all = [tree, broken, folder, none];
        let (mut thumbnails, gone) = draw_all(&all);
        assert_eq!(gone, [directory.join("none.tree")]);
        let [tree, broken, folder, _] = all;
        let tree = thumbnails.get(&tree).expect("it is drawn");
        assert_eq!(
            (tree.title.as_str(), tree.detail.as_str()),
            ("one.csv", "2 nodes")
        );
        assert!(tree.picture.is_some() && tree.age == "just now");
        let broken = thumbnails.get(&broken).expect("it is named");
        assert_eq!(
            (broken.title.as_str(), broken.detail.as_str()),
            ("broken.tree", "cannot be read")
        );
        assert!(broken.picture.is_none());
        let folder = thumbnails.get(&folder).expect("it is drawn");
        assert_eq!(
            (folder.title.as_str(), folder.detail.as_str()),
            ("folder", "2 trees")
        );
    }

    #[test]
    fn ages_are_two_words() {
        let age = |seconds| age_in_words(Duration::from_secs(seconds));
        assert_eq!(age(0), "just now");
        assert_eq!(age(61), "1 min ago");
        assert_eq!(age(7_300), "2 h ago");
        assert_eq!(age(100_000), "yesterday");
        assert_eq!(age(864_000), "10 days ago");
    }
}
