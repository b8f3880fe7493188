//! Files that another program drops on the window, by the XDND protocol.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use x11rb::{
    COPY_DEPTH_FROM_PARENT, CURRENT_TIME, NONE,
    connection::Connection as _,
    protocol::{
        Event,
        xproto::{
            AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
            SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, WindowClass,
        },
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::*;

/// Version of the protocol that the source speaks.
const XDND_VERSION: u32 = 5;
/// Time between two looks for an event.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
const TIMEOUT: Duration = Duration::from_secs(60);

/// A file manager of the least kind: it drags files onto a window and lets them go.
struct DragSource {
    connection: RustConnection,
    window: u32,
    target: u32,
    uris: String,
}

impl DragSource {
    fn new(display: &Display, target: u32, files: &[PathBuf]) -> Self {
        let (connection, screen) = RustConnection::connect(Some(display.name())).expect("X");
        let window = connection.generate_id().expect("an id");
        let root = connection.setup().roots[screen].root;
        connection
            .create_window(
                COPY_DEPTH_FROM_PARENT,
                window,
                root,
                0,
                0,
                1,
                1,
                0,
                WindowClass::INPUT_OUTPUT,
                0,
                &CreateWindowAux::new(),
            )
            .expect("a window");
        let uris = files.iter().map(|path| format!("{}\r\n", uri(path)));
        Self {
            uris: uris.collect(),
            connection,
            window,
            target,
        }
    }

    fn atom(&self, name: &str) -> u32 {
        let cookie = self.connection.intern_atom(false, name.as_bytes());
        cookie.expect("sent").reply().expect("an atom").atom
    }

    fn send(&self, name: &str, data: [u32; 4]) {
        let data = [self.window, data[0], data[1], data[2], data[3]];
        let message = ClientMessageEvent::new(32, self.target, self.atom(name), data);
        self.connection
            .send_event(false, self.target, EventMask::NO_EVENT, message)
            .expect("sent");
        self.connection.flush().expect("sent");
    }

    /// The files' names, for who asked.
    fn answer(&self, request: &SelectionRequestEvent) {
        let bytes = self.uris.as_bytes();
        self.connection
            .change_property8(
                PropMode::REPLACE,
                request.requestor,
                request.property,
                request.target,
                bytes,
            )
            .expect("sent");
        let notice = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: request.property,
        };
        self.connection
            .send_event(false, request.requestor, EventMask::NO_EVENT, notice)
            .expect("sent");
        self.connection.flush().expect("sent");
    }

    /// Answers requests for the names until the target sends this message, and returns its data.
    fn wait_for(&self, name: &str) -> [u32; 5] {
        let wanted = self.atom(name);
        let begun = Instant::now();
        loop {
            match self.connection.poll_for_event().expect("X") {
                Some(Event::SelectionRequest(request)) => self.answer(&request),
                Some(Event::ClientMessage(message)) if message.type_ == wanted => {
                    return message.data.as_data32();
                }
                Some(_) => {}
                None => {
                    assert!(begun.elapsed() < TIMEOUT, "no {name}");
                    std::thread::sleep(POLL_INTERVAL);
                }
            }
        }
    }

    fn drop_at(&self, (x, y): (u32, u32)) {
        let aware = self.connection.get_property(
            false,
            self.target,
            self.atom("XdndAware"),
            AtomEnum::ANY,
            0,
            1,
        );
        let aware = aware.expect("sent").reply().expect("a property");
        assert_ne!(aware.type_, NONE, "the window takes no files");
        let selection = self.atom("XdndSelection");
        self.connection
            .set_selection_owner(self.window, selection, CURRENT_TIME)
            .expect("sent");
        let list = self.atom("text/uri-list");
        self.send("XdndEnter", [XDND_VERSION << 24, list, 0, 0]);
        let copy = self.atom("XdndActionCopy");
        self.send("XdndPosition", [0, x << 16 | y, CURRENT_TIME, copy]);
        let status = self.wait_for("XdndStatus");
        assert_eq!(status[1] & 1, 1, "the window refuses the files");
        self.send("XdndDrop", [0, CURRENT_TIME, 0, 0]);
        let finished = self.wait_for("XdndFinished");
        assert_eq!(finished[0], self.target);
    }
}

/// The file URI of a path: all but letters, digits and `/` as `%XX`.
fn uri(path: &Path) -> String {
    let encoded = path_text(path).bytes().map(|byte| match byte {
        b'/' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    format!("file://{}", encoded.collect::<String>())
}

#[test]
fn files_that_are_dropped_on_the_window_are_opened() {
    let Some(display) = Display::start() else {
        return;
    };
    let scratch = Scratch::new("window-drop");
    let trees = scratch.0.join("Bäume und mehr");
    grow_tree(&trees, "--iterations 300");
    grow_tree(&trees, "--iterations 200 --moves 4");
    let graph = scratch.0.join("graph #1.dot");
    fs::write(&graph, "digraph { a -> b; a -> c; c -> d; }\n").expect("written");
    let window = Window::open(&display, &scratch.0, &[]);
    window.wait_for_frame();

    let mut files: Vec<PathBuf> = fs::read_dir(&trees)
        .expect("the trees are there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|name| name == "tree"))
        .collect();
    files.sort();
    DragSource::new(&display, window.x_id(), &files).drop_at((700, 400));
    window.wait_until("both trees are there, the first is shown", |state| {
        state["trees"] == 2 && state["visits"] == 300
    });
    // A file of another program; the window is open and shows a tree already.
    DragSource::new(&display, window.x_id(), &[graph]).drop_at((700, 400));
    window.wait_until("the graph is shown", |state| {
        state["nodes"] == 4 && state["file"] == "graph #1.dot"
    });
    assert!(window.stderr_text().is_empty(), "{}", window.stderr_text());
    assert!(window.close().success());
}
