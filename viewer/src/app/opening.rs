//! Opening files and folders, and taking in what the loader and the folder watcher report.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{App, FollowedMatch, display_name};
use crate::{
    tree::{model::TreeModel, scene, sequence::Sequence},
    workers::{
        loader::{Listing, LoadError, LoadedTree, LoaderEvent},
        watch::{WatchEvent, WatchScope},
    },
};

/// Least time before a file that is still being written is read again.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// Problems named one by one when several paths cannot be opened.
const MAX_PROBLEMS: usize = 4;

impl App {
    pub(super) fn handle_watch_event(&mut self, event: WatchEvent) {
        match event {
            WatchEvent::Notice(text) => self.show_message(text),
            WatchEvent::Files { changed, gone } => self.update_files(changed, &gone),
            WatchEvent::Match(state) => self.set_match_state(state),
            WatchEvent::Awaited(awaited) => self.set_awaited(awaited),
            WatchEvent::Polling(reason) => {
                self.folder.polling_reason = reason;
                if let Some(status) = (self.folder.status()).filter(|_| self.folder.is_polling()) {
                    self.show_message(status);
                }
            }
            WatchEvent::Listed(paths) => {
                self.folder.has_listing = true;
                self.remember_match();
                let (new, gone) = self.document.sequence.diff(paths);
                self.update_files(new, &gone);
            }
        }
    }

    /// Watches a folder from now on.
    pub(super) fn watch_directory(&mut self, directory: &Path, scope: WatchScope) {
        if let Err(problem) = self.folder.watch(directory, scope, &self.wake) {
            self.show_error(problem);
        }
        self.followed_match = (scope == WatchScope::Match).then(FollowedMatch::default);
    }

    /// Shows the current file's tree if it is cached, and asks for what is missing around it.
    pub(super) fn request_trees(&mut self) {
        if let Some((path, model)) = self.document.cached_to_show() {
            self.show_tree(&path, model);
        }
        self.document.request_files();
    }

    /// Shows the tree of a file.
    fn show_tree(&mut self, path: &Path, model: Arc<TreeModel>) {
        // A message about another file, or about there being none, is out of date.
        let was_incomplete = self.document.incomplete_file.take().is_some();
        let is_error = (self.message.as_ref()).is_some_and(|message| message.is_error);
        if self.document.model.is_none() || is_error || was_incomplete {
            self.message = None;
        }
        let begins_readable = self.begins_readable();
        let document = &mut self.document;
        document.full_model = Some(Arc::clone(&model));
        if document.shown_path.as_deref() != Some(path) {
            document.shown_path = Some(path.to_owned());
            document.model = None;
            document.filter.clear_nodes();
            document.filter.readable = begins_readable;
            document.timeline.reset();
            self.navigation.reset();
        }
        document.open_journal(path, &model);
        // An iteration that was asked for, and the journal of a running search, are shown instead of the file.
        if document.timeline.target.is_none()
            && (document.is_final() || !document.timeline.is_live())
        {
            document.timeline.shown_iteration = None;
            document.show_filtered(path, model, &mut self.navigation);
            self.document.request_extras();
        }
    }

    /// Goes to a tree of the sequence; it is left again for newer ones only if it is the last.
    pub(super) fn go_to_index(&mut self, index: usize) -> bool {
        let is_there = self.document.sequence.go_to(index);
        if is_there {
            self.folder.is_following_newest &= index + 1 == self.document.sequence.len();
            self.request_trees();
        }
        is_there
    }

    /// Takes in new, changed and removed files of the folder; the shown tree stays until there is a newer one.
    pub(super) fn update_files(&mut self, mut changed: Vec<PathBuf>, gone: &[PathBuf]) {
        // A tree may be written after its move was taken back, and news of one may come after it was removed.
        changed.retain(|path| path.exists() && !self.is_outdated(path));
        let is_known = |path: &&PathBuf| self.document.sequence.contains(path);
        let gone = &gone.iter().filter(is_known).cloned().collect::<Vec<_>>()[..];
        let newest = self
            .newest_to_show(&changed)
            .filter(|_| self.folder.is_following_newest);
        self.document.sequence.update(&changed, gone);
        if !changed.is_empty() {
            if let Some(index) = newest.and_then(|path| self.document.sequence.find(&path).ok()) {
                self.document.sequence.go_to(index);
            }
            return self.request_trees();
        }
        if self.document.shown_path.is_none() {
            self.request_trees();
        }
        match gone {
            [] => {}
            [one] => self.show_message(format!("{} is gone", display_name(one))),
            many => self.show_message(format!(
                "{} trees are gone",
                scene::format_thousands(many.len() as u64)
            )),
        }
    }

    pub(super) fn handle_loader_event(&mut self, event: LoaderEvent) {
        match event {
            LoaderEvent::Listed(paths, listing) => self.open_listing(&paths, listing),
            LoaderEvent::Located(path) => self.go_to_tree(path.as_deref()),
            LoaderEvent::Failed(problem) => self.show_error(problem),
            LoaderEvent::Skipped(path) => {
                self.document.sequence.cancel_request(&path);
                if self.document.is_current(&path) {
                    self.request_trees();
                }
            }
            LoaderEvent::Read(path, number, _)
                if !self.document.sequence.is_pending(&path, number) =>
            {
                self.request_trees()
            }
            LoaderEvent::Read(path, _, Ok(LoadedTree { model, problems })) => {
                self.document.cache(&path, &model);
                if self.document.is_current(&path) {
                    self.show_tree(&path, model);
                    if let Some(problem) = problems.into_iter().next() {
                        self.show_error(problem);
                    }
                }
            }
            LoaderEvent::Read(path, _, Err(unread)) => {
                self.document.sequence.cancel_request(&path);
                if self.document.is_current(&path) {
                    self.handle_load_error(&path, unread);
                }
            }
            LoaderEvent::Filtered(path, model, filter) => {
                let is_file = self.document.timeline.shown_iteration.is_none();
                if is_file
                    && self.document.shown_path.as_deref() == Some(&path)
                    && filter == self.document.filter
                {
                    self.document.replace_model(model, &mut self.navigation);
                }
            }
        }
    }

    /// Reports that the current file could not be read, or not yet; the shown tree stays.
    fn handle_load_error(&mut self, path: &Path, error: LoadError) {
        match error {
            LoadError::Failed(problem) => {
                self.document.incomplete_file = None;
                self.show_error(format!("{}: {problem}", display_name(path)));
            }
            LoadError::Incomplete(took) => {
                let pause = (took * 4).max(RETRY_INTERVAL);
                self.document.incomplete_file = Some((path.to_owned(), self.now + pause));
                self.show_message(format!(
                    "waiting for {}: it is incomplete, and still being written",
                    display_name(path)
                ));
            }
        }
    }

    /// Asks the loader for the trees in these paths; the shown tree stays until they are listed.
    pub(super) fn open(&mut self, paths: &[PathBuf]) {
        self.document.loader.list(paths.to_vec());
    }

    /// Opens listed trees. If there is nothing to open, the shown tree stays.
    pub(super) fn open_listing(&mut self, paths: &[PathBuf], listing: Listing) {
        let Listing {
            files,
            first_tree: first,
            directory,
            is_match,
            mut problems,
        } = listing;
        if files.is_empty() && directory.is_none() {
            let none = "there are no trees here".to_owned();
            return self.show_error(summarise_problems(&problems).unwrap_or(none));
        }
        // What is opened replaces a game that is played.
        self.session = None;
        self.folder.close();
        self.followed_match = None;
        if let Some(directory) = &directory {
            let scope = if is_match {
                WatchScope::Match
            } else {
                WatchScope::Trees
            };
            self.watch_directory(directory, scope);
        }
        let is_kept = |path: &&PathBuf| path.exists() && !self.is_own_search(path);
        let kept: Vec<&PathBuf> = paths.iter().filter(is_kept).collect();
        if kept.len() == paths.len() {
            // Something else than the lesson's tree is opened.
            self.lesson = None;
        }
        for path in kept {
            self.settings.add_recent(path);
        }
        if files.is_empty() && !is_match {
            self.show_message("there are no trees here yet; they are shown as they appear");
        }
        let first = files.first().cloned().zip(first);
        self.reset_sequence(files);
        if let Some((path, loaded)) = first {
            self.document.cache(&path, &loaded.model);
            problems.extend(loaded.problems);
        }
        self.request_trees();
        if let Some(problem) = summarise_problems(&problems) {
            self.show_error(problem);
        }
    }

    /// Shows the first of these trees, or the last of a watched folder.
    pub(super) fn show_sequence(&mut self, files: Vec<PathBuf>) {
        self.reset_sequence(files);
        self.request_trees();
    }

    /// Replaces the sequence without requesting a tree.
    fn reset_sequence(&mut self, files: Vec<PathBuf>) {
        let many = files.len();
        self.document.reset(files);
        self.navigation.clear();
        self.folder.is_following_newest = self.folder.directory.is_some();
        if self.folder.is_following_newest && many > 0 {
            self.document.sequence.go_to(many - 1);
        }
    }

    pub(super) fn jump_to_tree(&mut self, text: &str) {
        let count = self.document.sequence.len();
        let wanted = text
            .trim()
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        match wanted {
            Some(index) if self.go_to_index(index) => {}
            _ => self.show_error(format!("Invalid tree number! Expected 1 to {count}.")),
        }
    }

    /// Shows a tree that is in memory, without the files around it.
    pub fn show_single_tree(&mut self, path: &Path, model: Arc<TreeModel>) {
        if self.document.sequence.path() != Some(path) {
            self.document.sequence = Sequence::new(vec![path.to_owned()]);
        }
        self.document.cache(path, &model);
        self.show_tree(path, model);
    }
}

/// Several problems in one sentence, the first [`MAX_PROBLEMS`] in full; `None` if there is none.
fn summarise_problems(problems: &[String]) -> Option<String> {
    let (named, rest) = problems.split_at(problems.len().min(MAX_PROBLEMS));
    let text = named.join("; ");
    match (named.len(), rest.len()) {
        (0, _) => None,
        (_, 0) => Some(text),
        (_, more) => Some(format!("{text}; and {more} more")),
    }
}
