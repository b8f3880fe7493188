//! Actions of the user.

use std::path::PathBuf;

use super::{CompareAction, GameAction, LessonAction, StepsAction, TruthMode, View, WhyAction};
use crate::{
    play::{GameConfig, demo_match::DemoMatchConfig},
    system::paths::absolute,
    tree::{figure::FigureWords, model::Filter},
};

/// An action, from a key, a control, a drop or the command line.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Open files, or a directory.
    Open(Vec<PathBuf>),
    /// Change to another view.
    ShowView(View),
    /// Show exact values, or not.
    ShowTruth(TruthMode),
    /// Select the next move that the search prefers although it gives something away.
    NextMistake,
    /// Act in the view Why.
    Why(WhyAction),
    /// Act in the view Steps.
    Steps(StepsAction),
    /// Act in the view Compare.
    Compare(CompareAction),
    /// Act in a lesson.
    Lesson(LessonAction),
    /// Step through the sequence of trees.
    StepTree(i64),
    /// Go to a tree by its number from 1, as typed.
    JumpToTree(String),
    /// Follow the match of a directory, which need not exist yet.
    FollowMatch {
        /// The directory.
        directory: PathBuf,
        /// Whether the window closes when the match is over.
        exit: bool,
    },
    /// Go to the tree of the search that chose a move of the game, counted from 0.
    GoToMove(usize),
    /// Go to the current position and the newest tree.
    GoToLatest,
    /// Fit the whole tree into the canvas.
    FitTree,
    /// Fit the selected subtree into the canvas.
    FitSelected,
    /// Zoom by a factor about a pixel of the canvas, or its middle.
    Zoom(f64, Option<(f64, f64)>),
    /// Move the tree by pixels.
    Pan(f64, f64),
    /// Centre on a place, as fractions of the tree's width and depth.
    CentreOn(f64, f64),
    /// Select the node at a pixel of the canvas.
    Click(f64, f64),
    /// Select a node.
    Select(Option<usize>),
    /// Select the parent, the best child or a sibling.
    MoveSelection(Direction),
    /// Go back or forward through the nodes that were selected.
    StepHistory(i64),
    /// Hide or show the children of the selected node.
    ToggleCollapsed,
    /// Hide other nodes.
    Filter(Filter),
    /// Show the readable part of the tree, or all of it.
    ToggleReadable,
    /// Begins or ends presenting.
    Present(bool),
    /// Show the hidden children of a node.
    OpenFold {
        /// The node.
        node: usize,
        /// Whether everything below is shown, too.
        all_below: bool,
    },
    /// Select a node and fly to its subtree.
    GoToNode(usize),
    /// Find a node by its move or state, or the next one.
    Find(String),
    /// Show new trees as they appear, or not.
    FollowNewest(bool),
    /// Save the tree as .csv or .tree, or a picture as .png or .svg, enlarged by a factor.
    Save(PathBuf, f64),
    /// Save a figure of the shown tree as .png, .svg or .pdf.
    SaveFigure(PathBuf, FigureWords),
    /// Switch between the dark and the light theme.
    SwitchTheme,
    /// Show the tree after some iterations.
    Scrub {
        /// The iteration.
        to: u32,
        /// Set while the iteration keeps changing: a preview will do.
        moving: bool,
    },
    /// Step by iterations.
    StepIteration(i64),
    /// Play or pause the replay.
    Play(bool),
    /// Set the replay speed, in iterations per second.
    Speed(u32),
    /// Show the last iteration.
    ShowEnd,
    /// Set the memory for trees and journals, in megabytes, 0 for the default, and the folder of journal indexes, `None` for the default.
    SetMemory {
        /// Megabytes.
        megabytes: u32,
        /// The folder.
        cache: Option<PathBuf>,
    },
    /// Start a match between two engines and follow it.
    StartDemoMatch(DemoMatchConfig),
    /// Play the tournament of a file.
    StartTournament {
        /// The file.
        config: PathBuf,
        /// The run directory of its results; none if they are not kept.
        out: Option<PathBuf>,
        /// Whether the window closes after the last game.
        exit: bool,
    },
    /// Start a game.
    StartGame(Box<GameConfig>),
    /// Ask the program that is set up for a side, counted from 0, for its options.
    QueryOptions(usize),
    /// Go back to the start screen.
    GoHome,
    /// Act in the game that is played.
    Game(GameAction),
    /// Load a game from a file.
    LoadGame(PathBuf),
    /// Show an error.
    ShowError(String),
    /// Close the window.
    Quit,
    /// Copy a text to the clipboard.
    Copy(CopyTarget),
}

impl Action {
    /// The action with absolute paths. Every path a user names passes through here; later code does not depend on the current folder.
    pub(super) fn with_absolute_paths(self) -> Self {
        match self {
            Self::Open(paths) => Self::Open(paths.iter().map(|path| absolute(path)).collect()),
            Self::Compare(CompareAction::Open(paths)) => {
                Self::Compare(CompareAction::Open(paths.map(|path| absolute(&path))))
            }
            Self::Compare(CompareAction::OpenSecond(path)) => {
                Self::Compare(CompareAction::OpenSecond(absolute(&path)))
            }
            Self::Lesson(LessonAction::Open(path)) => {
                Self::Lesson(LessonAction::Open(absolute(&path)))
            }
            Self::FollowMatch { directory, exit } => Self::FollowMatch {
                directory: absolute(&directory),
                exit,
            },
            Self::StartTournament { config, out, exit } => Self::StartTournament {
                config: absolute(&config),
                out: out.map(|path| absolute(&path)),
                exit,
            },
            Self::Save(path, scale) => Self::Save(absolute(&path), scale),
            Self::SaveFigure(path, words) => Self::SaveFigure(absolute(&path), words),
            Self::Game(GameAction::Save(path)) => Self::Game(GameAction::Save(absolute(&path))),
            Self::LoadGame(path) => Self::LoadGame(absolute(&path)),
            Self::SetMemory { megabytes, cache } => Self::SetMemory {
                megabytes,
                cache: cache.map(|path| absolute(&path)),
            },
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

/// A text that can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyTarget {
    /// The moves to the selected node.
    MovesToNode,
    /// The selected node's position.
    Position,
    /// The selected node's statistics.
    Statistics,
    /// The shown position of the game.
    GamePosition,
    /// The moves of the game.
    GameMoves,
}
