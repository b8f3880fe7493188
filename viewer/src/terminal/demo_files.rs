//! The files of a demo match: its trees, and pictures of the last ones.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use canopy_engine::tree::{files, meta::Meta};

use super::search_summary::{finished_meta, tree_files};
use crate::{
    draw::theme::Theme,
    system::user_files::user_directory,
    tree::{
        camera::{Camera, Canvas},
        model::TreeModel,
        scene::{self, RenderOptions},
        sequence::compare_paths,
    },
    workers::render::RenderView,
};

/// The size of a picture of a tree in pixels.
const PICTURE_SIZE: (f64, f64) = (1600.0, 1000.0);
/// Smaller trees, as the last moves of a game have, are drawn only if there is no larger one.
const MIN_DRAWN_NODES: usize = 300;

/// The games, counted from the end of the match, of which trees are drawn.
const MAX_DRAWN_GAMES: usize = 2;

/// Makes a directory in which a demo's trees stay: in the user's data directory, or in that for temporary files if the system
/// names none.
pub(super) fn create_demo_directory(game: &str) -> io::Result<PathBuf> {
    let within = user_directory("XDG_DATA_HOME", ".local/share")
        .map(|directory| directory.join("canopy/demos"))
        .filter(|directory| fs::create_dir_all(directory).is_ok())
        .unwrap_or_else(|| std::env::temp_dir().join("canopy-demos"));
    fs::create_dir_all(&within)?;
    let mut number = 1;
    loop {
        let directory = within.join(format!("{game}-{number}"));
        match fs::create_dir(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100_000 => {
                number += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// The directories of a match's games, in order.
fn game_directories(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut games: Vec<PathBuf> = (entries.map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .collect();
    games.sort_by(|one, other| compare_paths(&one.join("x"), &other.join("x")));
    games
}

/// The newest tree of a match whose search is over.
pub(super) fn newest_tree(directory: &Path) -> Option<PathBuf> {
    (game_directories(directory).iter().rev())
        .flat_map(|game| tree_files(game).into_iter().rev())
        .find(|tree| finished_meta(tree).is_some())
}

/// Number of a match's trees, and bytes of its files.
pub(super) fn match_size(directory: &Path) -> (usize, u64) {
    let (mut trees, mut bytes) = (0, 0);
    for game in game_directories(directory) {
        trees += tree_files(&game).len();
        let entries = fs::read_dir(&game).into_iter().flatten().flatten();
        let lengths = entries.filter_map(|entry| Some(entry.metadata().ok()?.len()));
        bytes += lengths.sum::<u64>();
    }
    (trees, bytes)
}

/// Draws the last tree worth seeing of either player of the last games; the pictures.
pub(super) fn draw_last_trees(directory: &Path, pictures: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("the trees cannot be drawn: {error}");
    let games = game_directories(directory);
    fs::create_dir_all(pictures).map_err(|error| failed(&error))?;
    let mut drawn = Vec::new();
    for game in games.iter().rev().take(MAX_DRAWN_GAMES).rev() {
        let trees: Vec<(PathBuf, Meta)> = (tree_files(game).into_iter().rev())
            .filter_map(|tree| finished_meta(&tree).map(|meta| (tree, meta)))
            .collect();
        for side in [1, 2] {
            let of_side = || trees.iter().filter(|(_, meta)| meta.to_move == side);
            let is_large = |(tree, _): &&(PathBuf, Meta)| {
                files::read(tree, None)
                    .is_ok_and(|known| known.tree.nodes().len() >= MIN_DRAWN_NODES)
            };
            let Some((tree, meta)) = of_side().find(is_large).or_else(|| of_side().next()) else {
                continue;
            };
            let name = game.file_name().unwrap_or_default().to_string_lossy();
            let picture =
                pictures.join(format!("{name}-move-{}-{}.png", meta.ply + 1, meta.search));
            draw_tree(tree, &picture).map_err(|error| failed(&error))?;
            drawn.push(picture);
        }
    }
    Ok(drawn)
}

/// Draws a whole tree.
fn draw_tree(tree: &Path, picture: &Path) -> Result<(), String> {
    let document = files::read(tree, None).map_err(|error| error.to_string())?;
    let model = TreeModel::new(document);
    let canvas = Canvas {
        width: PICTURE_SIZE.0,
        height: PICTURE_SIZE.1,
        scale: 1.0,
    };
    let view = RenderView {
        camera: Camera::fit(&scene::tree_bounds(&model), &canvas),
        canvas,
        look: RenderOptions::default(),
        overlays: Vec::new(),
        selected: None,
        theme: Theme::dark(),
        model: Arc::new(model),
    };
    view.save(picture, 1.0)
}
