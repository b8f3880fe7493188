//! What is shown: the sequence of files, the tree of one of them, its filter and its growth journal, and the workers that make them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crate::{
    app::{Navigation, Timeline},
    settings::{ViewerSettings, memory_budget::MemoryBudget},
    system::wake::Wake,
    tree::{
        formula,
        model::{Filter, TreeModel},
        sequence::Sequence,
    },
    workers::{
        loader::Loader,
        replay::{ReplayRequest, Replayer},
    },
};

/// The shown tree and where it comes from.
pub struct Document {
    /// The files to step through.
    pub sequence: Sequence,
    /// The shown tree, after the filter.
    pub model: Option<Arc<TreeModel>>,
    /// The file of the shown tree.
    pub shown_path: Option<PathBuf>,
    /// The tree of that file, before the filter.
    pub(super) full_model: Option<Arc<TreeModel>>,
    /// Nodes to hide.
    pub filter: Filter,
    /// The growth journal of the shown tree.
    pub timeline: Timeline,
    /// A file that is incomplete and still being written, and when it is read again.
    pub(super) incomplete_file: Option<(PathBuf, Duration)>,
    pub(super) loader: Loader,
    pub(super) replayer: Replayer,
    pub(super) budget: MemoryBudget,
}

impl Document {
    /// An empty document; its workers call `wake`.
    pub(super) fn new(settings: &ViewerSettings, wake: &Wake) -> std::io::Result<Self> {
        let budget = MemoryBudget::from_settings(settings);
        Ok(Self {
            sequence: Sequence::default(),
            model: None,
            shown_path: None,
            full_model: None,
            filter: Filter::default(),
            timeline: Timeline::default(),
            incomplete_file: None,
            loader: Loader::start(Arc::clone(wake), budget.clone())?,
            replayer: Replayer::start(Arc::clone(wake), budget.journal_limits())?,
            budget,
        })
    }

    /// Applies changed memory settings to trees and journals that are opened from now on.
    pub(super) fn apply_budget(&mut self, settings: &ViewerSettings) {
        self.budget = MemoryBudget::from_settings(settings);
        self.loader.set_budget(self.budget.clone());
        self.replayer.set_limits(self.budget.journal_limits());
    }

    /// Bytes in use by trees and journals, and the most they may use.
    pub(super) fn memory(&self) -> (usize, usize) {
        let replay_bytes = (self.timeline.status.as_ref()).map_or(0, |status| status.bytes);
        let shown = [&self.full_model, &self.model].into_iter().flatten();
        let shown_bytes: usize = (shown.filter(|model| !self.sequence.is_cached(model)))
            .map(|model| model.bytes())
            .sum();
        (
            self.sequence.bytes() + shown_bytes + replay_bytes,
            self.budget.bytes(),
        )
    }

    /// Whether the sequence stands at this file.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        self.sequence.path() == Some(path)
    }

    /// Whether the shown file belongs to a search that has ended.
    pub(super) fn is_final(&self) -> bool {
        let full_model = self.full_model.as_ref();
        full_model.is_some_and(|model| model.meta.as_ref().is_none_or(|meta| meta.is_final))
    }

    /// When an incomplete file is read again.
    pub(super) fn retry_at(&self) -> Option<Duration> {
        let (path, at) = self.incomplete_file.as_ref()?;
        (self.is_current(path) && !self.sequence.is_reading()).then_some(*at)
    }

    /// Replaces the sequence; nothing is shown until a tree is requested.
    pub(super) fn reset(&mut self, files: Vec<PathBuf>) {
        self.sequence = Sequence::new(files);
        self.replayer.close();
        self.timeline.reset();
        self.model = None;
        self.full_model = None;
        self.shown_path = None;
        self.incomplete_file = None;
    }

    /// Puts a tree into the sequence's cache.
    pub(super) fn cache(&mut self, path: &Path, model: &Arc<TreeModel>) {
        let max_bytes = self.budget.max_cached_bytes();
        self.sequence.insert(path, Arc::clone(model), max_bytes);
    }

    /// The tree of the sequence's current file, if it is cached and not shown yet.
    pub(super) fn cached_to_show(&mut self) -> Option<(PathBuf, Arc<TreeModel>)> {
        let path = self.sequence.path()?.to_owned();
        let model = self.sequence.get(&path)?;
        let is_shown = self.shown_path.as_deref() == Some(&path)
            && (self.full_model.as_ref()).is_some_and(|shown| Arc::ptr_eq(shown, &model));
        (!is_shown).then_some((path, model))
    }

    /// Asks for the current file and its neighbours.
    pub(super) fn request_files(&mut self) {
        let wanted = self.sequence.take_requests();
        let cancelled = self.loader.read(wanted, &self.sequence.neighbours());
        for path in cancelled {
            self.sequence.cancel_request(&path);
        }
    }

    /// Opens the journal beside a tree, or hands it what a newer snapshot says.
    pub(super) fn open_journal(&self, path: &Path, model: &TreeModel) {
        match &model.meta {
            Some(meta) if meta.game.is_empty() => self.replayer.close(),
            Some(meta) if self.timeline.status.is_none() => {
                self.replayer.open(path, Arc::clone(meta));
            }
            Some(meta) => self.replayer.update_meta(path, Arc::clone(meta)),
            None => self.replayer.close(),
        }
    }

    /// Shows another state or part of the same tree.
    pub(super) fn replace_model(&mut self, model: Arc<TreeModel>, navigation: &mut Navigation) {
        let before = self.model.take();
        navigation.follow_model(before.as_deref(), &model);
        self.model = Some(model);
    }

    /// Shows a tree after the filter; until it is ready what was shown stays.
    pub(super) fn show_filtered(
        &mut self,
        path: &Path,
        model: Arc<TreeModel>,
        navigation: &mut Navigation,
    ) {
        if self.filter.is_unfiltered() {
            return self.replace_model(model, navigation);
        }
        self.loader
            .filter(path.to_owned(), Arc::clone(&model), self.filter.clone());
        if self.model.is_none() {
            self.replace_model(model, navigation);
        }
    }

    /// Shows the file's own tree again, after the filter.
    pub(super) fn show_full_model(&mut self, navigation: &mut Navigation) {
        if let (Some(path), Some(model)) = (self.shown_path.clone(), self.full_model.clone()) {
            self.show_filtered(&path, model, navigation);
        }
    }

    /// Hides other nodes from now on.
    pub(super) fn set_filter(&mut self, filter: Filter, navigation: &mut Navigation) {
        if filter == self.filter {
            return;
        }
        self.filter = filter;
        if self.timeline.target.is_some() || self.timeline.shown_iteration.is_some() {
            self.request_iteration(self.timeline.target.unwrap_or(u32::MAX), false);
        } else {
            self.show_full_model(navigation);
        }
    }

    /// Asks the journal for the tree after an iteration.
    pub(super) fn request_iteration(&self, iteration: u32, is_preview: bool) {
        self.replayer.request(ReplayRequest {
            iteration,
            is_preview,
            filter: self.filter.clone(),
        });
    }

    /// Whether the shown file lacks the extras of its formula, and the complete journal could supply them.
    pub(super) fn is_missing_extras(&self) -> bool {
        let is_complete =
            (self.timeline.status.as_ref()).is_some_and(|status| status.ended == Some(false));
        is_complete
            && self.timeline.target.is_none()
            && self.is_final()
            && (self.full_model.as_ref())
                .is_some_and(|model| model.extra.is_none() && formula::needs_extras(model))
    }

    /// The request whose answer carries the extras: the whole last tree.
    pub(super) fn extras_request() -> ReplayRequest {
        ReplayRequest {
            iteration: u32::MAX,
            is_preview: false,
            filter: Filter::default(),
        }
    }

    /// Asks the journal for extras if there is no file of them.
    pub(super) fn request_extras(&self) {
        if self.is_missing_extras() {
            self.replayer.request(Self::extras_request());
        }
    }

    /// Shows the journal's last tree in place of the file's, for its extras, if the two are equal.
    pub(super) fn apply_extras(&mut self, last: Arc<TreeModel>, navigation: &mut Navigation) {
        let is_same = |model: &Arc<TreeModel>| model.tree == last.tree;
        if !self.full_model.as_ref().is_some_and(is_same) {
            return;
        }
        if let (Some(path), Some(last)) = (self.shown_path.clone(), Arc::into_inner(last)) {
            let model = Arc::new(last.without_last_path());
            self.cache(&path, &model);
            self.full_model = Some(Arc::clone(&model));
            self.show_filtered(&path, model, navigation);
        }
    }
}
