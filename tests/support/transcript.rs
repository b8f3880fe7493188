//! Protocol transcripts. `$ canopy-engine ARGS` comes first; `> LINE` is sent; `< LINE` is expected, with `*` for any text;
//! `<...` skips lines up to the next expected one.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use canopy_engine::protocol::{ProtocolKind, Server, ServerConfig, ServerEvent};

/// Deadline of a reply, generous for a busy machine.
pub(crate) const REPLY_TIMEOUT: Duration = Duration::from_secs(20);

/// The server's end of a conversation.
pub(crate) trait Peer {
    fn send(&mut self, line: &str);
    /// Closes the server's input.
    fn close(&mut self);
    /// The next line of output; `None` after the end of output or the timeout.
    fn read_line(&mut self, timeout: Duration) -> Option<String>;
}

/// A server in this process, driven without input and output.
pub(crate) struct InProcessServer {
    server: Server,
    notes: Receiver<ServerEvent>,
    started: Instant,
    replies: Vec<String>,
}

impl InProcessServer {
    pub(crate) fn new(setup: &ServerConfig) -> Result<Self, String> {
        let (sender, notes) = channel();
        let tell = move |note| {
            let _ = sender.send(note);
        };
        Ok(Self {
            server: Server::new(setup, Arc::new(tell)).map_err(|problem| problem.to_string())?,
            notes,
            started: Instant::now(),
            replies: Vec::new(),
        })
    }

    fn push_replies(&mut self, text: &str) {
        assert!(
            text.is_empty() || text.ends_with('\n'),
            "not whole lines: {text:?}"
        );
        self.replies.extend(text.lines().map(str::to_owned));
    }

    pub(crate) fn is_over(&self) -> bool {
        self.server.is_over()
    }
}

impl Peer for InProcessServer {
    fn send(&mut self, line: &str) {
        let text = self.server.on_line(line, self.started.elapsed());
        self.push_replies(&text);
    }

    fn close(&mut self) {
        let text = self.server.on_input_closed(self.started.elapsed());
        self.push_replies(&text);
    }

    fn read_line(&mut self, timeout: Duration) -> Option<String> {
        let until = self.started.elapsed() + timeout;
        while self.replies.is_empty() && !self.server.is_over() {
            let timer = self.server.next_timer().unwrap_or(until).min(until);
            let wait = timer.saturating_sub(self.started.elapsed());
            let text = match self.notes.recv_timeout(wait) {
                Ok(note) => self.server.on_event(note, self.started.elapsed()),
                Err(RecvTimeoutError::Timeout) if self.started.elapsed() >= until => return None,
                Err(_) => self.server.on_timer(self.started.elapsed()),
            };
            self.push_replies(&text);
        }
        (!self.replies.is_empty()).then(|| self.replies.remove(0))
    }
}

/// A server as a child process.
pub(crate) struct EngineProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl EngineProcess {
    pub(crate) fn new(arguments: &[String]) -> Self {
        let mut child = Command::new(super::program(option_env!("CARGO_BIN_EXE_canopy-engine")))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().expect("its output is piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
        }
    }

    /// Waits for the process to exit; returns the time that took and whether it succeeded. Gives up after [`REPLY_TIMEOUT`].
    pub(crate) fn wait(&mut self) -> (Duration, bool) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return (begun.elapsed(), status.success());
            }
            if begun.elapsed() > REPLY_TIMEOUT {
                return (begun.elapsed(), false);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer for EngineProcess {
    fn send(&mut self, line: &str) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(format!("{line}\n").as_bytes());
            let _ = stdin.flush();
        }
    }

    fn close(&mut self) {
        self.stdin = None;
    }

    fn read_line(&mut self, timeout: Duration) -> Option<String> {
        self.lines.recv_timeout(timeout).ok()
    }
}

/// True if `text` matches `pattern`, in which `*` stands for any text.
pub(crate) fn matches_pattern(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

/// Splits a command line into words; single and double quotes group.
pub(crate) fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None;
    let mut quote = None;
    for symbol in line.chars() {
        match (symbol, quote) {
            (_, Some(open)) if symbol == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(symbol);
                word.get_or_insert_with(String::new);
            }
            (' ', None) => words.extend(word.take()),
            _ => word.get_or_insert_with(String::new).push(symbol),
        }
    }
    words.extend(word);
    words
}

/// The server configuration of a command line.
pub(crate) fn setup(arguments: &[String]) -> ServerConfig {
    let mut setup = ServerConfig::default();
    for pair in arguments.chunks(2) {
        let [flag, value] = pair else {
            panic!("{arguments:?}: a flag without a value")
        };
        match flag.as_str() {
            "--protocol" => {
                let found = ProtocolKind::from_name(value);
                setup.protocol = Some(found.expect("a dialect"));
            }
            "--game" => setup.game = Some(value.clone()),
            "--option" => {
                let (name, value) = value.split_once('=').expect("NAME=VALUE");
                setup.options.push((name.to_owned(), value.to_owned()));
            }
            _ => panic!("{flag} is no flag of the server"),
        }
    }
    setup
}

/// The arguments in a transcript's command line.
pub(crate) fn arguments(text: &str) -> Vec<String> {
    let first = (text.lines())
        .find(|line| line.starts_with('$'))
        .expect("a transcript begins with the command");
    let rest = first
        .strip_prefix("$ canopy-engine")
        .expect("a transcript is of canopy-engine");
    split_words(rest.trim())
}

/// Plays a transcript with `peer`; the error names the first line that differs.
pub(crate) fn play_transcript(text: &str, peer: &mut dyn Peer) -> Result<(), String> {
    let mut skip = false;
    for (index, line) in text.lines().enumerate() {
        let at = |problem: String| Err(format!("line {}, {line:?}: {problem}", index + 1));
        if let Some(sent) = line.strip_prefix('>') {
            peer.send(sent.strip_prefix(' ').unwrap_or(sent));
        } else if line == "<..." {
            skip = true;
        } else if let Some(pattern) = line.strip_prefix('<') {
            let pattern = pattern.strip_prefix(' ').unwrap_or(pattern);
            loop {
                let Some(heard) = peer.read_line(REPLY_TIMEOUT) else {
                    return at("nothing came".to_owned());
                };
                if matches_pattern(pattern, &heard) {
                    break;
                }
                if !skip {
                    return at(format!("{heard:?} came"));
                }
            }
            skip = false;
        } else if !line.is_empty() && !line.starts_with(['$', '#']) {
            return at("not a line of a transcript".to_owned());
        }
    }
    peer.close();
    while let Some(heard) = peer.read_line(REPLY_TIMEOUT) {
        if !skip {
            return Err(format!("after the end: {heard:?} came"));
        }
    }
    Ok(())
}
