//! What one can do in the window.

use std::path::PathBuf;

use super::GameAction;
use crate::{
    play::{GameConfig, demo_match::DemoMatchConfig},
    system::paths::absolute,
    tree::model::Filter,
};

/// Something that happens in the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Open files, or a directory.
    Open(Vec<PathBuf>),
    /// The tree so many further in the sequence.
    StepTree(i64),
    /// The tree of that number, counted from 1, as it was typed.
    JumpToTree(String),
    /// Follow the match of a directory, which need not be there yet; with `exit` the window closes when it is over.
    FollowMatch {
        /// The directory.
        directory: PathBuf,
        /// Whether the window closes when the match is over.
        exit: bool,
    },
    /// The tree of the search that chose a move of the game that is played, counted from 0.
    GoToMove(usize),
    /// The game as it stands now, and the newest tree.
    GoToLatest,
    /// See the whole tree.
    FitTree,
    /// See the selected node's subtree.
    FitSelected,
    /// Larger or smaller, at a pixel of the canvas or in its middle.
    Zoom(f64, Option<(f64, f64)>),
    /// Move the tree by pixels.
    Pan(f64, f64),
    /// Look at a place, given in parts of the whole tree.
    CentreOn(f64, f64),
    /// Select what lies at a pixel.
    Click(f64, f64),
    /// Select a node.
    Select(Option<usize>),
    /// Select the parent, the first or last visited child, or a sibling.
    MoveSelection(Direction),
    /// Through what was selected before.
    StepHistory(i64),
    /// Hide or show the children of the selected node.
    ToggleCollapsed,
    /// Show another part of the tree.
    Filter(Filter),
    /// Find a node by its move or state, or the next one.
    Find(String),
    /// Follow what appears in the directory, or not.
    FollowNewest(bool),
    /// Write the tree to a file, .csv or .tree, or a picture, .png or .svg, so many times as large as on the screen.
    Save(PathBuf, f64),
    /// The other theme.
    SwitchTheme,
    /// The tree after so many iterations; `moving` if the next one follows at once.
    Scrub {
        /// After how many iterations.
        to: u32,
        /// Whether the next one follows at once.
        moving: bool,
    },
    /// So many iterations on.
    StepIteration(i64),
    /// Let the tree grow, or stop it.
    Play(bool),
    /// So many iterations a second.
    Speed(u32),
    /// The tree as it is in the end, or as far as the search is.
    ShowEnd,
    /// Start a match between two engines, and follow it.
    StartDemoMatch(DemoMatchConfig),
    /// Play games.
    StartGame(Box<GameConfig>),
    /// Leave whatever is played or shown, and go back to the start screen.
    GoHome,
    /// Do something with the game that is played.
    Game(GameAction),
    /// Lay out a game from a file.
    LoadGame(PathBuf),
    /// Say what is wrong.
    ShowError(String),
    /// Close the window.
    Quit,
    /// Copy something about the selected node.
    Copy(CopyTarget),
}

impl Action {
    /// The same with absolute paths. Everything a person names comes through here, from the command line, a dialog, a drop or the
    /// list of recent files: nothing behind it meets a path that depends on the current folder.
    pub(super) fn with_absolute_paths(self) -> Self {
        match self {
            Self::Open(paths) => Self::Open(paths.iter().map(|path| absolute(path)).collect()),
            Self::FollowMatch { directory, exit } => Self::FollowMatch {
                directory: absolute(&directory),
                exit,
            },
            Self::Save(path, scale) => Self::Save(absolute(&path), scale),
            Self::Game(GameAction::Save(path)) => Self::Game(GameAction::Save(absolute(&path))),
            Self::LoadGame(path) => Self::LoadGame(absolute(&path)),
            other => other,
        }
    }
}

/// A step in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the parent.
    Up,
    /// To the most visited child.
    Down,
    /// To the sibling on the left.
    Left,
    /// To the sibling on the right.
    Right,
}

/// What can be copied of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyTarget {
    /// The moves that lead to it.
    MovesToNode,
    /// Its position.
    Position,
    /// Its figures.
    Statistics,
    /// The position of the game that is played, as it is shown.
    GamePosition,
    /// The moves of that game.
    GameMoves,
}
