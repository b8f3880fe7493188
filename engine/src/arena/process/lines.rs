//! What both ways to run an engine share: bytes that become lines, and the end of a conversation kept for reports.

use std::collections::VecDeque;

/// Longer lines are passed over.
pub(super) const MAX_LINE_BYTES: usize = 1 << 20;
/// Unread output at which reading pauses, so that the engine blocks.
pub(super) const MAX_UNREAD_BYTES: usize = 4 << 20;
/// Lines of each direction kept for reports, and bytes of each line.
const MAX_LOG_LINES: usize = 10;
const MAX_LOG_LINE_BYTES: usize = 400;

/// What an engine and we say to each other.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// Its output that has not been read as lines yet.
    pub(super) output: LineBuffer,
    /// The last lines: `> ` sent, `< ` received.
    log: VecDeque<String>,
}

impl Conversation {
    /// Logs lines that are sent to it.
    pub(super) fn log_sent(&mut self, lines: &str) {
        for line in lines.lines() {
            push_log_line(&mut self.log, "> ", line);
        }
    }

    /// The next line of its output.
    pub(super) fn next_line(&mut self) -> Option<String> {
        let line = self.output.next_line()?;
        push_log_line(&mut self.log, "< ", &line);
        Some(line)
    }

    /// The last lines of the conversation.
    pub(super) fn tail(&self) -> Vec<String> {
        self.log.iter().cloned().collect()
    }
}

/// What an engine has written to standard error.
#[derive(Debug, Default)]
pub(super) struct ErrorLog {
    /// Bytes that are not in the log yet.
    pub(super) lines: LineBuffer,
    log: VecDeque<String>,
}

impl ErrorLog {
    /// Logs the lines that are complete.
    pub(super) fn log_lines(&mut self) {
        while let Some(line) = self.lines.next_line() {
            push_log_line(&mut self.log, "", &line);
        }
    }

    /// The last lines, and what there is of an unfinished one.
    pub(super) fn tail(&self) -> Vec<String> {
        let partial_line = self.lines.partial_line();
        let lines = self.log.iter().cloned();
        lines
            .chain((!partial_line.is_empty()).then_some(partial_line))
            .collect()
    }
}

/// Keeps a line in place of the oldest of its direction, so that flooded output does not displace our own lines.
fn push_log_line(lines: &mut VecDeque<String>, mark: &str, line: &str) {
    let alike = || {
        lines
            .iter()
            .enumerate()
            .filter(|(_, kept)| kept.starts_with(mark))
    };
    if alike().count() >= MAX_LOG_LINES
        && let Some((oldest, _)) = alike().next()
    {
        lines.remove(oldest);
    }
    let mut end = line.len().min(MAX_LOG_LINE_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let rest = if end < line.len() { "..." } else { "" };
    lines.push_back(format!(
        "{mark}{}{rest}",
        line.get(..end).unwrap_or_default()
    ));
}

/// Bytes that become lines.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to here there is no line feed.
    scanned: usize,
    /// Whether the current line is too long and being skipped.
    is_skipping: bool,
}

impl LineBuffer {
    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start == self.bytes.len() {
            self.bytes.clear();
            (self.start, self.scanned) = (0, 0);
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// End of output: the rest is a line.
    pub(super) fn finish(&mut self) {
        if self.len() > 0 {
            self.bytes.push(b'\n');
        }
    }

    pub(super) fn next_line(&mut self) -> Option<String> {
        loop {
            let fresh = self.bytes.get(self.scanned..).unwrap_or_default();
            let Some(at) = fresh.iter().position(|&byte| byte == b'\n') else {
                self.scanned = self.bytes.len();
                if self.len() > MAX_LINE_BYTES {
                    self.bytes.clear();
                    (self.start, self.scanned, self.is_skipping) = (0, 0, true);
                }
                return None;
            };
            let end = self.scanned + at;
            let line = self.bytes.get(self.start..end).unwrap_or_default();
            let line = String::from_utf8_lossy(line)
                .trim_end_matches('\r')
                .to_owned();
            (self.start, self.scanned) = (end + 1, end + 1);
            if self.start > MAX_LINE_BYTES {
                self.bytes.drain(..self.start);
                (self.start, self.scanned) = (0, 0);
            }
            if !std::mem::take(&mut self.is_skipping) {
                return Some(line);
            }
        }
    }

    fn partial_line(&self) -> String {
        let bytes = self.bytes.get(self.start..).unwrap_or_default();
        String::from_utf8_lossy(
            bytes
                .get(..bytes.len().min(MAX_LOG_LINE_BYTES))
                .unwrap_or_default(),
        )
        .into_owned()
    }
}
