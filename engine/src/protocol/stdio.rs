//! The server on standard input and output: a reader thread, a writer (the caller's thread) and the search thread.

use std::{
    io::{self, BufRead, Write},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use super::{
    ConfigError, Server, ServerConfig, ServerEvent,
    client_watch::{self, ClientLoss},
};
use crate::search::budget::Stopwatch;

/// Longest line that is read; longer ones are skipped.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// Input queue capacity; the reader thread blocks when it is full.
const INPUT_QUEUE_CAPACITY: usize = 256;
/// How long a quitting server waits for trees to reach the disk.
const TREE_WRITE_TIMEOUT: Duration = Duration::from_secs(2);

enum ServerInput {
    Line(String),
    LongLine,
    End,
    Event(ServerEvent),
    ClientLost(ClientLoss),
}

/// Why a server did not start, or did not end as asked.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A game, option or search of the configuration is refused.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// No thread could be started, or the output could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Serves until the client quits or goes away. `write_stderr` receives messages that have no place in the dialect.
pub fn serve<R: BufRead + Send + 'static>(
    config: &ServerConfig,
    input: R,
    out: &mut dyn Write,
    write_stderr: &mut dyn FnMut(&str),
) -> Result<(), ServeError> {
    let (sender, inputs) = sync_channel(INPUT_QUEUE_CAPACITY);
    let event_sender = sender.clone();
    let event_sink = move |event| {
        let _ = event_sender.send(ServerInput::Event(event));
    };
    let server = Server::new(config, Arc::new(event_sink))?;
    let loss_sender = sender.clone();
    client_watch::watch(move |loss| loss_sender.send(ServerInput::ClientLost(loss)).is_ok())?;
    thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || read_lines(input, &sender))?;
    run_server(server, &inputs, out, write_stderr)?;
    Ok(())
}

fn read_lines(mut input: impl BufRead, sender: &SyncSender<ServerInput>) {
    loop {
        let read = match read_line(&mut input) {
            Ok(Some(read)) => read,
            // A read error ends the input.
            Ok(None) | Err(_) => ServerInput::End,
        };
        let is_end = matches!(read, ServerInput::End);
        if sender.send(read).is_err() || is_end {
            return;
        }
    }
}

/// The next line; none at the end of input. A line over [`MAX_LINE_BYTES`] is skipped without being stored.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<ServerInput>> {
    let mut line = Vec::new();
    let mut is_long = false;
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if buffer.is_empty() {
            if line.is_empty() && !is_long {
                return Ok(None);
            }
            break;
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = buffer
            .split(|&byte| byte == b'\n')
            .next()
            .unwrap_or_default();
        is_long |= line.len() + part.len() > MAX_LINE_BYTES;
        if is_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(Some(if is_long {
        ServerInput::LongLine
    } else {
        ServerInput::Line(String::from_utf8_lossy(&line).into_owned())
    }))
}

fn run_server(
    mut server: Server,
    inputs: &Receiver<ServerInput>,
    out: &mut dyn Write,
    write_stderr: &mut dyn FnMut(&str),
) -> io::Result<()> {
    let watch = Stopwatch::start();
    let mut result = Ok(());
    let (mut is_closed, mut is_output_open) = (false, true);
    for text in server.take_stderr_messages() {
        write_stderr(&text);
    }
    while !server.is_over() {
        let received = match server.next_timer() {
            None => inputs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(at) => inputs.recv_timeout(at.saturating_sub(watch.elapsed())),
        };
        let now = watch.elapsed();
        let text = match received {
            Ok(ServerInput::Line(line)) => server.on_line(&line, now),
            Ok(ServerInput::LongLine) => server.on_long_line(now),
            Ok(ServerInput::Event(event)) => server.on_event(event, now),
            Ok(ServerInput::ClientLost(ClientLoss::Parent)) => server.on_client_gone(now),
            Ok(ServerInput::ClientLost(ClientLoss::Output)) => {
                is_output_open = false;
                String::new()
            }
            Ok(ServerInput::End) | Err(RecvTimeoutError::Disconnected) => {
                is_closed = true;
                server.on_input_closed(now)
            }
            Err(RecvTimeoutError::Timeout) => server.on_timer(now),
        };
        // Neither side of the connection is left.
        if is_closed && !is_output_open && !server.is_quitting() {
            server.on_client_gone(now);
        }
        for text in server.take_stderr_messages() {
            write_stderr(&text);
        }
        if !text.is_empty() {
            result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            if result.is_err() {
                server.on_client_gone(now);
                break;
            }
        }
    }
    let ended = watch.elapsed();
    while !server.are_trees_written()
        && (!server.is_quitting() || watch.elapsed() < ended + TREE_WRITE_TIMEOUT)
    {
        write_late_events(&mut server, inputs, out, watch.elapsed());
        thread::sleep(Duration::from_millis(1));
    }
    if server.are_trees_written() {
        server.close_trees();
    } else {
        let seconds = TREE_WRITE_TIMEOUT.as_secs();
        write_stderr(&format!(
            "the disk did not take the last trees within {seconds} s of quit: some are missing. Wait for isready before quit, or write to a faster disk"
        ));
    }
    write_late_events(&mut server, inputs, out, watch.elapsed());
    result
}

/// Writes warnings that arrived after the last answer.
fn write_late_events(
    server: &mut Server,
    inputs: &Receiver<ServerInput>,
    out: &mut dyn Write,
    now: Duration,
) {
    while let Ok(input) = inputs.try_recv() {
        if let ServerInput::Event(event) = input {
            let text = server.on_event(event, now);
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_megabyte_are_read_and_longer_ones_are_passed_over() {
        let fits = "x".repeat(MAX_LINE_BYTES);
        let text = format!("a\n{fits}\n{fits}x\nb");
        let mut input = io::BufReader::with_capacity(1000, text.as_bytes());
        let mut next = || read_line(&mut input).expect("memory can be read");
        assert!(matches!(next(), Some(ServerInput::Line(line)) if line == "a"));
        assert!(matches!(next(), Some(ServerInput::Line(line)) if line == fits));
        assert!(matches!(next(), Some(ServerInput::LongLine)));
        assert!(matches!(next(), Some(ServerInput::Line(line)) if line == "b"));
        assert!(next().is_none());
    }
}
