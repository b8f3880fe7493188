//! Thinking on the opponent's time over UCI: `go ponder`, then `ponderhit` or `stop`.

use std::time::Instant;

use super::{EngineConnection, EngineFault, EnginePhase};

/// What an engine ponders on.
#[derive(Debug, Default)]
pub(super) struct Pondering {
    /// The `position` command it was sent, with the move that it expects; none while it does not ponder.
    position: Option<String>,
}

impl Pondering {
    /// The engine thinks ahead from this position.
    pub(super) fn begin(&mut self, position: String) {
        self.position = Some(position);
    }

    /// True if the engine has been thinking about `position`, and was told that it is on the board: its move is awaited. Otherwise
    /// it does not think ahead any more.
    pub(super) fn hit(
        &mut self,
        connection: &mut EngineConnection,
        position: &str,
    ) -> Result<bool, EngineFault> {
        if self.position.as_deref() == Some(position) {
            self.position = None;
            connection.process.send("ponderhit\n");
            return Ok(true);
        }
        self.end(connection)?;
        Ok(false)
    }

    /// Ends pondering; the move that the engine answers with is dropped.
    pub(super) fn end(&mut self, connection: &mut EngineConnection) -> Result<(), EngineFault> {
        if self.position.take().is_none() {
            return Ok(());
        }
        connection.process.send("stop\n");
        let deadline = Instant::now() + connection.timeouts.stop;
        loop {
            let line = connection.read_line(EnginePhase::Move, deadline)?;
            if line.split_whitespace().next() == Some("bestmove") {
                return Ok(());
            }
        }
    }
}
