//! Where a server writes search trees, as its options say.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{
    options::{OptionId, Options},
    server_core::{ServerEvent, ServerEventSink},
};
use crate::tree::{
    confinement::Confinement,
    files::Format,
    retention::TreeRetention,
    snapshot::SnapshotOptions,
    writer::{DEFAULT_MAX_JOURNAL_BYTES, TreeOutput, TreeOutputSettings},
};

/// The current tree output and those whose writers are still busy.
#[derive(Default)]
pub(super) struct TreeOutputs {
    /// The directory that trees must stay below; none for anywhere.
    pub(super) confinement: Option<Confinement>,
    /// The current output, with the option values it was opened for.
    current: Option<(Vec<String>, Arc<TreeOutput>)>,
    /// Option values whose output could not be opened, so that the failure is reported once.
    failed: Option<Vec<String>>,
    /// Every output that may still be writing, the current one among them.
    all: Vec<Arc<TreeOutput>>,
    /// Removes old trees across outputs.
    retention: Arc<TreeRetention>,
}

impl TreeOutputs {
    /// The directory that an option names; none if empty, an error if it lies outside the confinement.
    pub(super) fn resolve(&self, option: &str, text: &str) -> Result<Option<PathBuf>, String> {
        match &self.confinement {
            _ if text.is_empty() => Ok(None),
            None => Ok(Some(PathBuf::from(text))),
            Some(confinement) => (confinement.resolve(Path::new(text)))
                .map(Some)
                .map_err(|problem| format!("{option} {problem}")),
        }
    }

    /// The output for the next search: the directory of `TreeDir` with its writer thread, reopened by [`TreeOutput::open`] if a
    /// tree option changed; none if `TreeDir` is empty. A directory that cannot be opened is an error once, then none.
    pub(super) fn open(
        &mut self,
        options: &Options,
        event_sink: &ServerEventSink,
    ) -> Result<Option<Arc<TreeOutput>>, String> {
        self.retention
            .set_max_trees(options.number(OptionId::TreeKeep) as usize);
        let key: Vec<String> = (options.values())
            .filter(|(row, _)| row.id.is_tree_setting())
            .map(|(_, value)| value.to_owned())
            .collect();
        if let Some((opened, output)) = &self.current
            && *opened == key
        {
            return Ok(Some(Arc::clone(output)));
        }
        // Resolved again: links may have changed since the option was set.
        let directory = options.get(OptionId::TreeDir);
        let resolved = self.resolve("TreeDir", directory)?;
        self.current = None;
        let Some(resolved) = resolved else {
            return Ok(None);
        };
        let event_sink = Arc::clone(event_sink);
        let warn = move |warning: &str| event_sink(ServerEvent::Warning(warning.to_owned()));
        let output = match TreeOutput::open(settings(options, resolved), Box::new(warn)) {
            Ok(output) => Arc::new(
                output
                    .with_retention(Arc::clone(&self.retention))
                    .with_playouts(options.flag(OptionId::TreePlayouts)),
            ),
            Err(_) if self.failed.as_ref() == Some(&key) => return Ok(None),
            Err(error) => {
                self.failed = Some(key);
                let problem = match error.kind() {
                    io::ErrorKind::AlreadyExists => "it is not a directory".to_owned(),
                    _ => error.to_string(),
                };
                return Err(format!(
                    "cannot write trees to {directory}: {problem}; going on without"
                ));
            }
        };
        self.failed = None;
        self.all.retain(|output| !output.is_idle());
        self.all.push(Arc::clone(&output));
        self.current = Some((key, Arc::clone(&output)));
        Ok(Some(output))
    }

    /// Whether every tree has been written.
    pub(super) fn are_idle(&self) -> bool {
        self.all.iter().all(|output| output.is_idle())
    }

    /// Closes all outputs.
    pub(super) fn close(&mut self) {
        self.current = None;
        self.all.clear();
    }
}

fn settings(options: &Options, directory: PathBuf) -> TreeOutputSettings {
    TreeOutputSettings {
        directory,
        format: Format::parse(options.get(OptionId::TreeFormat)).unwrap_or(Format::Tree),
        snapshot: SnapshotOptions {
            states: options.get(OptionId::TreeStates) == "all",
            extra: options.flag(OptionId::TreeExtra),
            max_nodes: options.positive(OptionId::TreeMaxNodes),
            min_visits: options.number(OptionId::TreeMinVisits),
        },
        snapshot_interval: (options.positive(OptionId::TreeEvery)).map(Duration::from_millis),
        max_journal_bytes: options
            .flag(OptionId::TreeJournal)
            .then_some(DEFAULT_MAX_JOURNAL_BYTES),
    }
}
