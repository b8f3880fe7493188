//! How background threads wake the window.

use std::sync::Arc;

/// Called from any thread when there are events for the window.
pub type Wake = Arc<dyn Fn() + Send + Sync>;
