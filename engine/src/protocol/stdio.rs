//! The server between standard input and output: one thread reads, this one talks, a search runs on its own.

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
    Note, Server, Setup,
    client::{self, Loss},
};
use crate::search::budget::Stopwatch;

/// Longer lines are not read.
pub const LONGEST_LINE: usize = 1 << 20;
/// So many lines may wait; then the reader does.
const WAITING: usize = 256;
/// After quit, trees that wait for the disk get so long.
const TREES_AFTER_QUIT: Duration = Duration::from_secs(2);

enum Input {
    Line(String),
    LongLine,
    End,
    Note(Note),
    Lost(Loss),
}

/// Serves until the client says quit or goes away; `aside` hears what has no place in the dialect. An error says what is wrong with the set-up.
pub fn serve<R: BufRead + Send + 'static>(
    setup: &Setup,
    input: R,
    out: &mut dyn Write,
    aside: &mut dyn FnMut(&str),
) -> Result<io::Result<()>, String> {
    let (sender, inputs) = sync_channel(WAITING);
    let notes = sender.clone();
    let tell = move |note| {
        let _ = notes.send(Input::Note(note));
    };
    let server = Server::new(setup, Arc::new(tell))?;
    let losses = sender.clone();
    let watch = client::watch(move |loss| losses.send(Input::Lost(loss)).is_ok());
    if let Err(error) = watch {
        return Ok(Err(error));
    }
    let reader = thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || read(input, &sender));
    if let Err(error) = reader {
        return Ok(Err(error));
    }
    Ok(talk(server, &inputs, out, aside))
}

fn read(mut input: impl BufRead, sender: &SyncSender<Input>) {
    loop {
        let read = match read_line(&mut input) {
            Ok(Some(read)) => read,
            // What cannot be read has ended.
            Ok(None) | Err(_) => Input::End,
        };
        let is_end = matches!(read, Input::End);
        if sender.send(read).is_err() || is_end {
            return;
        }
    }
}

/// The next line; none at the end. A line that is too long is passed over without being kept.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Input>> {
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
        let part = &buffer[..end.unwrap_or(buffer.len())];
        is_long |= line.len() + part.len() > LONGEST_LINE;
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
        Input::LongLine
    } else {
        Input::Line(String::from_utf8_lossy(&line).into_owned())
    }))
}

fn talk(
    mut server: Server,
    inputs: &Receiver<Input>,
    out: &mut dyn Write,
    aside: &mut dyn FnMut(&str),
) -> io::Result<()> {
    let watch = Stopwatch::start();
    let mut result = Ok(());
    let (mut is_closed, mut is_read) = (false, true);
    for text in server.take_asides() {
        aside(&text);
    }
    while !server.is_over() {
        let received = match server.next_timer() {
            None => inputs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(at) => inputs.recv_timeout(at.saturating_sub(watch.elapsed())),
        };
        let now = watch.elapsed();
        let text = match received {
            Ok(Input::Line(line)) => server.on_line(&line, now),
            Ok(Input::LongLine) => server.on_long_line(now),
            Ok(Input::Note(note)) => server.on_note(note, now),
            Ok(Input::Lost(Loss::Parent)) => server.on_client_gone(now),
            Ok(Input::Lost(Loss::Output)) => {
                is_read = false;
                String::new()
            }
            Ok(Input::End) | Err(RecvTimeoutError::Disconnected) => {
                is_closed = true;
                server.on_end(now)
            }
            Err(RecvTimeoutError::Timeout) => server.on_timer(now),
        };
        // Nobody says anything more, and nobody hears the answer.
        if is_closed && !is_read && !server.is_quitting() {
            server.on_client_gone(now);
        }
        for text in server.take_asides() {
            aside(&text);
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
    while !server.is_written()
        && (!server.is_quitting() || watch.elapsed() < ended + TREES_AFTER_QUIT)
    {
        tell_late_notes(&mut server, inputs, out, watch.elapsed());
        thread::sleep(Duration::from_millis(1));
    }
    if server.is_written() {
        server.close_trees();
    }
    tell_late_notes(&mut server, inputs, out, watch.elapsed());
    result
}

/// Tells what has gone wrong after the last answer, if there is still somebody to hear it.
fn tell_late_notes(
    server: &mut Server,
    inputs: &Receiver<Input>,
    out: &mut dyn Write,
    now: Duration,
) {
    while let Ok(input) = inputs.try_recv() {
        if let Input::Note(note) = input {
            let text = server.on_note(note, now);
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_megabyte_are_read_and_longer_ones_are_passed_over() {
        let fits = "x".repeat(LONGEST_LINE);
        let text = format!("a\n{fits}\n{fits}x\nb");
        let mut input = io::BufReader::with_capacity(1000, text.as_bytes());
        let mut next = || read_line(&mut input).expect("memory can be read");
        assert!(matches!(next(), Some(Input::Line(line)) if line == "a"));
        assert!(matches!(next(), Some(Input::Line(line)) if line == fits));
        assert!(matches!(next(), Some(Input::LongLine)));
        assert!(matches!(next(), Some(Input::Line(line)) if line == "b"));
        assert!(next().is_none());
    }
}
