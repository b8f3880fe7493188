//! The match.json of a followed match.

use std::{path::Path, sync::Arc};

use canopy_engine::tree::meta::MatchMeta;

use super::{Awaited, WatchEvent};
use crate::play::match_state::{self, MatchState};

/// What was last reported of match.json.
#[derive(Default)]
pub(super) struct MatchFileState {
    last_meta: Option<MatchMeta>,
    /// Whether an invalid, or a missing, file was reported.
    has_reported_invalid: bool,
    pub(super) has_reported_missing: bool,
}

impl MatchFileState {
    /// Reads the file; an event if there is news. An invalid file is reported once.
    pub(super) fn poll(&mut self, directory: &Path) -> Option<WatchEvent> {
        match match_state::read_match_file(directory) {
            Ok(Some(meta)) => {
                self.has_reported_invalid = false;
                if self.last_meta.as_ref() == Some(&meta) {
                    return None;
                }
                self.last_meta = Some(meta.clone());
                Some(WatchEvent::Match(Arc::new(MatchState::new(meta))))
            }
            Ok(None) if self.last_meta.is_none() && !self.has_reported_missing => {
                self.has_reported_missing = true;
                Some(WatchEvent::Awaited(Awaited::Match))
            }
            Ok(None) => None,
            Err(_) if self.has_reported_invalid => None,
            Err(error) => {
                self.has_reported_invalid = true;
                Some(WatchEvent::Notice(format!(
                    "{}: {error}",
                    match_state::MATCH_FILE
                )))
            }
        }
    }
}
