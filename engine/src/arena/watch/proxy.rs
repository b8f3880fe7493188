//! A transparent proxy: bytes pass between a client and an engine unchanged and at once, and a copy of them becomes trees.

use std::{
    io::{self, Read, Write},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use super::{conversation::Conversation, recorder::LineRecorder};

/// A longer line is no statement of an engine; its bytes pass, but it is not read.
const MAX_LINE_BYTES: usize = 1 << 20;

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    Client,
    Engine,
}

/// Starts the engine and stands between it and our own standard input and output until it ends. `watch_child` is given the process's
/// number, so that signals can be passed on.
pub fn run(
    words: &[String],
    conversation: Conversation,
    recorder: LineRecorder,
    watch_child: impl FnOnce(u32),
) -> io::Result<ExitStatus> {
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no program is named"))?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    watch_child(child.id());
    let (copies, received) = channel();
    let listener = thread::Builder::new()
        .name("listener".to_owned())
        .spawn(move || listen(&received, conversation, &recorder))?;
    pass_input(&mut child, copies.clone())?;
    if let Some(output) = child.stdout.take() {
        pass_bytes(output, io::stdout(), Speaker::Engine, &copies);
    }
    drop(copies);
    let status = child.wait()?;
    // The thread of the input may wait for a client that stays; the listener ends with the engine's output.
    let _ = listener.join();
    Ok(status)
}

/// Passes our input on, on a thread that is never waited for.
fn pass_input(child: &mut Child, copies: Sender<Heard>) -> io::Result<()> {
    if let Some(input) = child.stdin.take() {
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || pass_bytes(io::stdin(), input, Speaker::Client, &copies))?;
    }
    Ok(())
}

/// What the listener hears.
enum Heard {
    Bytes(Speaker, Vec<u8>),
    EngineEnded,
}

fn pass_bytes(mut from: impl Read, mut to: impl Write, speaker: Speaker, copies: &Sender<Heard>) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        // What a client says is heard before the engine can answer.
        if speaker == Speaker::Client {
            let _ = copies.send(Heard::Bytes(speaker, bytes.to_vec()));
        }
        let passed = to.write_all(bytes).and_then(|()| to.flush());
        if speaker == Speaker::Engine {
            let _ = copies.send(Heard::Bytes(speaker, bytes.to_vec()));
        }
        if passed.is_err() {
            break;
        }
    }
    if speaker == Speaker::Engine {
        let _ = copies.send(Heard::EngineEnded);
    }
}

fn listen(received: &Receiver<Heard>, mut conversation: Conversation, recorder: &LineRecorder) {
    let (mut client, mut engine) = (Lines::default(), Lines::default());
    for heard in received {
        match heard {
            Heard::Bytes(Speaker::Client, bytes) => client.push(&bytes, |line| {
                conversation.hear_client(line, &mut |event| recorder.record(event));
            }),
            Heard::Bytes(Speaker::Engine, bytes) => engine.push(&bytes, |line| {
                conversation.hear_engine(line, &mut |event| recorder.record(event));
            }),
            Heard::EngineEnded => return,
        }
    }
}

/// Bytes as lines.
#[derive(Default)]
struct Lines {
    partial: Vec<u8>,
    is_skipping: bool,
}

impl Lines {
    fn push(&mut self, bytes: &[u8], mut each: impl FnMut(&str)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let (line, after) = rest.split_at(end);
            self.partial.extend_from_slice(line);
            if !std::mem::take(&mut self.is_skipping) {
                let text = String::from_utf8_lossy(&self.partial);
                each(text.trim_end_matches('\r'));
            }
            self.partial.clear();
            rest = after.get(1..).unwrap_or_default();
        }
        self.partial.extend_from_slice(rest);
        if self.partial.len() > MAX_LINE_BYTES {
            self.partial.clear();
            self.is_skipping = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_put_together_from_pieces_and_monsters_are_skipped() {
        let mut lines = Lines::default();
        let mut heard: Vec<String> = Vec::new();
        for piece in ["go de", "pth 3\r\nst", "op\n\n"] {
            lines.push(piece.as_bytes(), |line| heard.push(line.to_owned()));
        }
        assert_eq!(heard, ["go depth 3", "stop", ""]);
        heard.clear();
        for _ in 0..40 {
            lines.push(&[b'x'; 1 << 16], |line| heard.push(line.to_owned()));
        }
        lines.push(b"\nquit\n", |line| heard.push(line.to_owned()));
        assert_eq!(heard, ["quit"]);
        assert!(lines.partial.is_empty());
    }
}
