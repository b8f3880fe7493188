//! How a background thread asks the window for another turn.

use std::sync::Arc;

/// Called when something is ready, from another thread.
pub type Wake = Arc<dyn Fn() + Send + Sync>;
