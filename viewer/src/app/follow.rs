//! A match that is followed: how it stands, and which of its trees is the newest.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};

use super::{App, Deed, name_of};
use crate::{
    exhibition::{Exhibition, Wanted},
    sequence::order,
    standing::{self, Standing},
    watch::{Awaited, Scope},
};

/// A tree of a match that this window started grows for so long.
const SHOW: Duration = Duration::from_millis(1200);

/// What is known of a match that is followed.
#[derive(Debug, Default)]
pub struct Following {
    /// How it stands, as far as it was told.
    pub standing: Option<Arc<Standing>>,
    /// What is not there yet.
    awaited: Option<Awaited>,
    /// Whether the window closes when the match is over.
    exit: bool,
    /// Whether its directory is to be remembered as soon as it is there.
    is_new: bool,
}

/// Which position the board shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// That of the match, as it stands now.
    Now,
    /// That of the selected node.
    Node,
    /// That of the tree's root.
    Tree,
}

impl App {
    /// How the match that is followed stands.
    pub fn standing(&self) -> Option<&Arc<Standing>> {
        self.following.as_ref()?.standing.as_ref()
    }

    /// Starts a match, and follows it from now on.
    pub(super) fn exhibit(&mut self, wanted: &Wanted) {
        match Exhibition::start(wanted, Arc::clone(&self.wake)) {
            Ok(exhibition) => {
                self.follow_match(exhibition.directory().to_owned(), wanted.exit);
                // It is gone when the window is.
                if let Some(following) = &mut self.following {
                    following.is_new = false;
                }
                self.animates = Some(SHOW);
                self.say(exhibition.introduction());
                self.exhibition = Some(exhibition);
            }
            Err(problem) => self.complain(problem),
        }
    }

    /// Follows a match from now on.
    pub(super) fn follow_match(&mut self, directory: PathBuf, exit: bool) {
        self.playing = None;
        self.watch(&directory, Scope::Match);
        self.following = Some(Following {
            exit,
            is_new: true,
            ..Following::default()
        });
        self.step_through(Vec::new());
    }

    /// The directory that is followed is there; it is remembered once.
    pub(super) fn remember_match(&mut self) {
        let is_new =
            (self.following.as_mut()).is_some_and(|known| std::mem::take(&mut known.is_new));
        if let Some(directory) = self.directory.clone().filter(|_| is_new) {
            self.settings.remember(&directory);
        }
    }

    /// Takes in how the match stands now.
    pub(super) fn stand(&mut self, standing: Arc<Standing>) {
        let Some(following) = &mut self.following else {
            return;
        };
        following.awaited = None;
        self.is_over |= following.exit && standing.is_over();
        following.standing = Some(standing);
    }

    pub(super) fn wait_for(&mut self, awaited: Awaited) {
        if let Some(following) = &mut self.following {
            following.awaited = Some(awaited);
        }
    }

    /// What the window waits for, in a sentence; none if there is something to see.
    pub fn awaits(&self) -> Option<String> {
        let following = self.following.as_ref()?;
        let directory = self.directory.as_deref()?.display();
        let is_over = following
            .standing
            .as_ref()
            .map(|standing| standing.is_over());
        Some(match (is_over, following.awaited) {
            (Some(true), _) => "There are no trees of this match.".to_owned(),
            (Some(false), _) => "Trees are shown as the players write them.".to_owned(),
            (None, Some(Awaited::Directory)) => {
                format!("Waiting for the folder {directory}; it does not exist yet.")
            }
            (None, _) => format!("Waiting for {} in {directory}.", standing::FILE),
        })
    }

    /// Whether there is a tree to see, or it is known what has to appear first. An error is one that the window shows.
    pub fn shows_what_was_asked(&self) -> Result<bool, String> {
        match &self.message {
            Some(message) if message.is_error => Err(message.text.clone()),
            _ => {
                let awaited = self
                    .following
                    .as_ref()
                    .and_then(|following| following.awaited);
                Ok(self.model.is_some() || awaited.is_some())
            }
        }
    }

    /// Which of these files that have appeared is to be shown, if what appears is followed. In a match late trees of
    /// earlier searches, and of other games than the one that is told of, are not.
    pub(super) fn newest(&self, paths: &[PathBuf]) -> Option<PathBuf> {
        let leads = |path: &&PathBuf| {
            let (Some(_), Some(shown)) = (&self.following, self.sequence.path()) else {
                return true;
            };
            let is_later = order(path, shown).is_ge();
            let is_in_game = |path: &Path| {
                let game = self.game_directory();
                game.is_some() && path.parent() == game.as_deref()
            };
            is_later || is_in_game(path) && !is_in_game(shown)
        };
        paths.iter().rev().find(leads).cloned()
    }

    /// Where the trees of the game are that is played now.
    fn game_directory(&self) -> Option<PathBuf> {
        let name = self.standing()?.meta.directory.as_ref()?;
        Some(self.directory.as_ref()?.join(name))
    }

    /// Which position the board shows.
    pub fn sight(&self) -> Sight {
        if self.standing().is_some() && self.model.is_none() {
            Sight::Now
        } else if self.selected.is_some() {
            Sight::Node
        } else if self.standing().is_some() && self.follow {
            Sight::Now
        } else {
            Sight::Tree
        }
    }

    /// Whether the tree that is shown is of the game that is played now.
    pub fn is_current_game(&self) -> bool {
        let game = self.game_directory();
        let parent = self.shown.as_deref().and_then(Path::parent);
        game.is_some() && parent == game.as_deref()
    }

    /// Of which game the tree is that is shown, and how far that had come, in a few words.
    pub fn which_tree(&self) -> String {
        let parent = self.shown.as_deref().and_then(Path::parent).map(name_of);
        let number = |name: &str| -> Option<u64> {
            let figures = name.trim_start_matches(|symbol: char| !symbol.is_ascii_digit());
            figures.parse().ok()
        };
        let game = match (self.standing(), parent) {
            (Some(standing), _) if self.is_current_game() => {
                format!("Game {}", standing.meta.number)
            }
            (_, Some(name)) => number(&name).map_or(name, |number| format!("Game {number}")),
            (_, None) => "Tree".to_owned(),
        };
        let meta = self.model.as_ref().and_then(|model| model.meta.as_ref());
        match meta.map(|meta| meta.ply) {
            None => game,
            Some(0) => format!("{game} at the start"),
            Some(1) => format!("{game} after 1 move"),
            Some(ply) => format!("{game} after {ply} moves"),
        }
    }

    /// Which move of the list is looked at; none if what comes last is.
    pub fn shown_move(&self) -> Option<usize> {
        if let Some(playing) = &self.playing {
            let shown = playing.table.shown().checked_sub(1);
            return shown.filter(|_| !playing.table.is_at_end());
        }
        let meta = self.model.as_ref()?.meta.as_ref()?;
        (!self.follow && self.is_current_game()).then_some(meta.ply as usize)
    }

    /// Looks for the tree of a move.
    pub(super) fn go_to_move(&mut self, index: usize) {
        if self.playing.is_some() {
            self.do_deed(Deed::Show(index + 1));
        }
        if let (Some(game), Ok(ply)) = (self.game_directory(), u32::try_from(index)) {
            self.loader.locate(self.sequence.within(&game), ply);
        }
    }

    /// Shows the tree that was looked for.
    pub(super) fn go_to_tree(&mut self, path: Option<&Path>) {
        match path.and_then(|path| self.sequence.find(path).ok()) {
            Some(index) => {
                self.select(None);
                self.sequence.go_to(index);
                self.follow = false;
                self.ask();
            }
            // In a game of one's own the board shows the move.
            None if self.playing.is_some() => {}
            None => self.say("there is no tree of this move"),
        }
    }

    /// What there is to know of the match, for tests.
    pub(super) fn dump_match(&self) -> Value {
        let Some(standing) = self.standing() else {
            return Value::Null;
        };
        let meta = &standing.meta;
        json!({
            "names": meta.score.names,
            "won": meta.score.won,
            "drawn": meta.score.drawn,
            "number": meta.number,
            "games": meta.games,
            "players": meta.players,
            "clocks": meta.clocks,
            "moves": standing.moves.len(),
            "last": standing.moves.last(),
            "to_move": standing.turn(),
            "position": standing.board.as_ref().ok().map(|now| &now.position),
            "result": meta.result,
            "reason": meta.reason,
            "directory": meta.directory,
            "over": standing.is_over(),
            "verdict": standing.verdict(),
        })
    }
}
