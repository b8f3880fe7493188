//! A followed match: its state, and which of its trees is shown.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};

use super::{App, GameAction, display_name};
use crate::{
    play::{
        demo_match::{DemoMatch, DemoMatchConfig},
        match_state::{self, MatchState},
    },
    tree::sequence::compare_paths,
    workers::watch::{Awaited, WatchScope},
};

/// Length of the growth animation in a match that this window started.
const DEMO_GROWTH_DURATION: Duration = Duration::from_millis(1200);

/// A match that is followed.
#[derive(Debug, Default)]
pub struct FollowedMatch {
    /// Its newest state; `None` until match.json is read.
    pub(super) state: Option<Arc<MatchState>>,
    /// The state that is shown, which may be an earlier one.
    pub(super) shown_state: Option<Arc<MatchState>>,
    /// When the newest state arrived.
    pub(super) changed_at: Duration,
    /// What it still lacks.
    awaited: Option<Awaited>,
    /// Whether the window closes when the match is over.
    close_when_over: bool,
    /// Whether to add its directory to the recent ones once it exists.
    should_remember: bool,
}

/// Which position the board shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownPosition {
    /// The match's current position.
    Now,
    /// The selected node's.
    Node,
    /// The tree's root.
    Tree,
}

impl App {
    /// State of the followed match, as far as it is shown.
    pub fn match_state(&self) -> Option<&Arc<MatchState>> {
        self.followed_match.as_ref()?.shown_state.as_ref()
    }

    /// Starts a match and follows it.
    pub(super) fn start_demo_match(&mut self, config: &DemoMatchConfig) {
        match DemoMatch::start(config, Arc::clone(&self.wake)) {
            Ok(demo_match) => {
                self.follow_match(demo_match.directory().to_owned(), config.close_when_over);
                // A temporary directory is removed with the window.
                if let Some(following) = &mut self.followed_match {
                    following.should_remember = config.directory.is_some();
                }
                self.growth_animation = Some(DEMO_GROWTH_DURATION);
                self.show_message(demo_match.description());
                self.demo_match = Some(demo_match);
            }
            Err(problem) => self.show_error(problem),
        }
    }

    /// Follows the match in a directory, which need not exist yet.
    pub(super) fn follow_match(&mut self, directory: PathBuf, exit: bool) {
        self.session = None;
        self.watch_directory(&directory, WatchScope::Match);
        self.followed_match = Some(FollowedMatch {
            close_when_over: exit,
            should_remember: true,
            ..FollowedMatch::default()
        });
        self.show_sequence(Vec::new());
    }

    /// Adds the followed directory to the recent ones, once.
    pub(super) fn remember_match(&mut self) {
        let is_new = (self.followed_match.as_mut())
            .is_some_and(|known| std::mem::take(&mut known.should_remember));
        if let Some(directory) = self.folder.directory.clone().filter(|_| is_new) {
            self.settings.add_recent(&directory);
        }
    }

    /// Takes in a new state of the match.
    pub(super) fn set_match_state(&mut self, state: Arc<MatchState>) {
        let Some(following) = &mut self.followed_match else {
            return;
        };
        following.awaited = None;
        self.is_closing |= following.close_when_over && state.is_over();
        following.state = Some(state);
        following.changed_at = self.now;
        self.update_shown_state();
    }

    pub(super) fn set_awaited(&mut self, awaited: Awaited) {
        if let Some(following) = &mut self.followed_match {
            following.awaited = Some(awaited);
        }
    }

    /// A sentence about what the window waits for; `None` if no match is followed.
    pub fn waiting_text(&self) -> Option<String> {
        let following = self.followed_match.as_ref()?;
        let directory = self.folder.directory.as_deref()?.display();
        let is_over = following.state.as_ref().map(|standing| standing.is_over());
        Some(match (is_over, following.awaited) {
            (Some(true), _) => "There are no trees of this match.".to_owned(),
            (Some(false), _) => "Trees are shown as the players write them.".to_owned(),
            (None, Some(Awaited::Directory)) => {
                format!("Waiting for the folder {directory}; it does not exist yet.")
            }
            (None, _) => format!("Waiting for {} in {directory}.", match_state::MATCH_FILE),
        })
    }

    /// Whether there is a tree to show or something to wait for; an error is the shown one.
    pub fn is_ready_to_show(&self) -> Result<bool, String> {
        match &self.message {
            Some(message) if message.is_error => Err(message.text.clone()),
            _ => {
                let awaited = self
                    .followed_match
                    .as_ref()
                    .and_then(|following| following.awaited);
                Ok(self.document.model.is_some() || awaited.is_some())
            }
        }
    }

    /// The newest of the changed files, to be shown next. In a match, late trees of earlier searches and of other games are passed over.
    pub(super) fn newest_to_show(&self, paths: &[PathBuf]) -> Option<PathBuf> {
        let leads = |path: &&PathBuf| {
            let (Some(_), Some(shown)) = (&self.followed_match, self.document.sequence.path())
            else {
                return true;
            };
            let is_later = compare_paths(path, shown).is_ge();
            let is_in_game = |path: &Path| {
                let game = self.game_directory();
                game.is_some() && path.parent() == game.as_deref()
            };
            is_later || is_in_game(path) && !is_in_game(shown)
        };
        paths.iter().rev().find(leads).cloned()
    }

    /// Directory of the current game's trees.
    fn game_directory(&self) -> Option<PathBuf> {
        let state = self.followed_match.as_ref()?.state.as_ref()?;
        self.trees_of(state)
    }

    /// Directory of the trees of a state's game.
    pub(super) fn trees_of(&self, state: &MatchState) -> Option<PathBuf> {
        let name = state.meta.directory.as_ref()?;
        Some(self.folder.directory.as_ref()?.join(name))
    }

    /// Which position the board shows.
    pub fn shown_position(&self) -> ShownPosition {
        if self.match_state().is_some() && self.document.model.is_none() {
            ShownPosition::Now
        } else if self.navigation.selected.is_some() {
            ShownPosition::Node
        } else if self.match_state().is_some() && self.folder.is_following_newest {
            ShownPosition::Now
        } else {
            ShownPosition::Tree
        }
    }

    /// Whether the shown tree belongs to the current game.
    pub fn is_current_game(&self) -> bool {
        let game = self.game_directory();
        let parent = self.document.shown_path.as_deref().and_then(Path::parent);
        game.is_some() && parent == game.as_deref()
    }

    /// Game and ply of the shown tree, for display.
    pub fn tree_label(&self) -> String {
        let parent = self
            .document
            .shown_path
            .as_deref()
            .and_then(Path::parent)
            .map(display_name);
        let number = |name: &str| -> Option<u64> {
            let figures = name.trim_start_matches(|symbol: char| !symbol.is_ascii_digit());
            figures.parse().ok()
        };
        let game = match (self.match_state(), parent) {
            (Some(standing), _) if self.is_current_game() => {
                format!("Game {}", standing.meta.number)
            }
            (_, Some(name)) => number(&name).map_or(name, |number| format!("Game {number}")),
            (_, None) => "Tree".to_owned(),
        };
        let meta = self
            .document
            .model
            .as_ref()
            .and_then(|model| model.meta.as_ref());
        match meta.map(|meta| meta.ply) {
            None => game,
            Some(0) => format!("{game} at the start"),
            Some(1) => format!("{game} after 1 move"),
            Some(ply) => format!("{game} after {ply} moves"),
        }
    }

    /// Index of the shown move; `None` for the latest.
    pub fn shown_move(&self) -> Option<usize> {
        if let Some(playing) = &self.session {
            let shown = playing.game.shown_ply().checked_sub(1);
            return shown.filter(|_| !playing.game.is_at_end());
        }
        let meta = self.document.model.as_ref()?.meta.as_ref()?;
        (!self.folder.is_following_newest && self.is_current_game()).then_some(meta.ply as usize)
    }

    /// Goes to the tree of a move.
    pub(super) fn go_to_move(&mut self, index: usize) {
        if self.session.is_some() {
            self.dispatch_game_action(GameAction::ShowPly(index + 1));
        }
        if let (Some(game), Ok(ply)) = (self.game_directory(), u32::try_from(index)) {
            self.document
                .loader
                .locate(self.document.sequence.in_directory(&game), ply);
        }
    }

    /// Shows the tree that the loader located.
    pub(super) fn go_to_tree(&mut self, path: Option<&Path>) {
        match path.and_then(|path| self.document.sequence.find(path).ok()) {
            Some(index) => {
                self.select(None);
                self.document.sequence.go_to(index);
                self.folder.is_following_newest = false;
                self.request_trees();
            }
            // In a game played here the board shows the move.
            None if self.session.is_some() => {}
            None => self.show_message("there is no tree of this move"),
        }
    }

    /// The state of the match, for tests.
    pub(super) fn dump_match(&self) -> Value {
        let Some(state) = self.match_state() else {
            return Value::Null;
        };
        let meta = &state.meta;
        json!({
            "names": meta.score.names,
            "won": meta.score.won,
            "drawn": meta.score.drawn,
            "number": meta.number,
            "games": meta.games,
            "players": meta.players,
            "clocks": meta.clocks,
            "moves": state.moves.len(),
            "last": state.moves.last(),
            "to_move": state.turn_text(),
            "position": state.board.as_ref().ok().map(|now| &now.position),
            "result": meta.result,
            "reason": meta.reason,
            "directory": meta.directory,
            "over": state.is_over(),
            "verdict": state.result_text(),
        })
    }
}
