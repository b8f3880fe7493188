//! Drives a real viewer window on a virtual display with xdotool, and reads the state the viewer prints on F12.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{files_of, split_words};

/// Deadline of every wait, generous for a machine that does twenty other things: only a test that fails waits so long.
const UI_TIMEOUT: Duration = Duration::from_secs(240);
/// Pause between two looks at a condition.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Equal readings after which a value counts as being at rest.
const STABLE_READINGS: u32 = 4;
/// Length of a measurement of processor time, whose unit is 10 ms.
const IDLE_INTERVAL: Duration = Duration::from_secs(2);

/// A virtual X display, and the Wayland compositor that has it for its screen, if there is one.
pub(crate) struct Display {
    compositor: Option<Compositor>,
    server: Child,
    name: String,
}

/// Weston, whose screen is a window of an X display: what the display gets from xdotool are its mouse and keyboard.
struct Compositor {
    process: Child,
    /// `XDG_RUNTIME_DIR`, which has the socket.
    runtime: super::Scratch,
}

impl Compositor {
    const SOCKET: &str = "canopy-test";

    /// Starts weston and waits for its socket; the text says why it cannot be.
    fn start(x_display: &str) -> Result<Self, String> {
        let runtime = super::Scratch::new("weston");
        let log = runtime.0.join("log");
        let output = fs::File::create(&log).map_err(|error| error.to_string())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&runtime.0, fs::Permissions::from_mode(0o700))
                .expect("the folder is ours");
        }
        let process = Command::new("weston")
            .args(["--backend=x11-backend.so", "--use-pixman", "--no-config"])
            // The one window fills the screen and has the keyboard.
            .args(["--shell=kiosk-shell.so", "--width=1400", "--height=900"])
            .args(["--idle-time=0", &format!("--socket={}", Self::SOCKET)])
            .env("DISPLAY", x_display)
            .env("XDG_RUNTIME_DIR", &runtime.0)
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(output)
            .spawn()
            .map_err(|error| format!("weston cannot be started: {error}"))?;
        let mut compositor = Self { process, runtime };
        let begun = Instant::now();
        while !compositor.runtime.0.join(Self::SOCKET).exists() {
            let ended = compositor.process.try_wait().expect("it can be asked");
            if ended.is_some() || begun.elapsed() > UI_TIMEOUT {
                let said = fs::read_to_string(log).unwrap_or_default();
                return Err(format!("weston does not run under Xvfb: {said}"));
            }
            thread::sleep(POLL_INTERVAL);
        }
        Ok(compositor)
    }
}

impl Drop for Compositor {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether a program is on the PATH; records that it is not.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(program).exists());
    if !is_there {
        super::untested(&format!("{program} is not installed"));
    }
    is_there
}

impl Display {
    /// Starts Xvfb and weston in it; `None`, recorded as untested, where a program is missing or weston does not run.
    pub(crate) fn start_wayland() -> Option<Self> {
        if !is_installed("weston") {
            return None;
        }
        let mut display = Self::start()?;
        match Compositor::start(&display.name) {
            Ok(compositor) => display.compositor = Some(compositor),
            Err(why) => {
                super::untested(&why);
                return None;
            }
        }
        Some(display)
    }

    /// Has a program open its windows here and nowhere else.
    fn set_environment(&self, command: &mut Command) {
        command.env_remove("WAYLAND_SOCKET");
        match &self.compositor {
            None => command
                .env("DISPLAY", &self.name)
                .env_remove("WAYLAND_DISPLAY"),
            Some(compositor) => command
                .env("WAYLAND_DISPLAY", Compositor::SOCKET)
                .env("XDG_RUNTIME_DIR", &compositor.runtime.0)
                .env_remove("DISPLAY"),
        };
    }

    /// Starts Xvfb; `None`, recorded as untested, where Xvfb or xdotool is not installed.
    pub(crate) fn start() -> Option<Self> {
        if !is_installed("Xvfb") || !is_installed("xdotool") {
            return None;
        }
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1600x1000x24",
                "-nolisten",
                "tcp",
                // Or the server begins anew when xdotool leaves before the window is there, and turns the window away.
                "-noreset",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut number = String::new();
        let output = server.stdout.take().expect("its output is read");
        let mut output = BufReader::new(output);
        output.read_line(&mut number).expect("Xvfb says its number");
        assert!(!number.trim().is_empty(), "Xvfb found no free display");
        // Drain its output, or it blocks on a full pipe.
        thread::spawn(move || {
            let _ = output.read_to_end(&mut Vec::new());
        });
        Some(Self {
            compositor: None,
            server,
            name: format!(":{}", number.trim()),
        })
    }

    /// The value for `DISPLAY`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Kills the X server while windows are open.
    pub(crate) fn crash(&self) {
        let number = self.server.id().to_string();
        let killed = Command::new("kill").args(["-KILL", &number]).status();
        assert!(killed.is_ok_and(|status| status.success()));
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A viewer process and its window.
pub(crate) struct Window<'a> {
    display: &'a Display,
    program: Child,
    lines: Receiver<String>,
    complaints: Arc<Mutex<String>>,
    id: String,
}

impl<'a> Window<'a> {
    /// Starts the viewer with `home` for its configuration, data and temporary files, and waits for its window.
    pub(crate) fn open(display: &'a Display, home: &Path, arguments: &[&str]) -> Self {
        Self::open_in(display, home, Path::new("."), arguments)
    }

    /// [`Self::open`] with a working directory, against which relative paths resolve.
    pub(crate) fn open_in(
        display: &'a Display,
        home: &Path,
        folder: &Path,
        arguments: &[&str],
    ) -> Self {
        let mut command = Command::new(viewer());
        display.set_environment(&mut command);
        let mut program = command
            .args(arguments)
            .current_dir(folder)
            .env("XDG_CONFIG_HOME", home)
            .env("XDG_DATA_HOME", home)
            .env("TMPDIR", home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the viewer starts");
        let (sender, lines) = channel();
        let output = program.stdout.take().expect("its output is read");
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let complaints = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&complaints);
        let errors = program.stderr.take().expect("its errors are read");
        thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                let mut kept = kept.lock().expect("nobody panics with it");
                kept.push_str(&line);
                kept.push('\n');
            }
        });
        let mut window = Self {
            display,
            program,
            lines,
            complaints,
            id: String::new(),
        };
        let is_wayland = display.compositor.is_some();
        // xdotool does not read weston's name for its window.
        let (by, name) = match is_wayland {
            true => ("--class", "^Weston"),
            false => ("--name", "^Canopy"),
        };
        let begun = Instant::now();
        let mut is_open = false;
        while !is_open {
            assert!(
                begun.elapsed() < UI_TIMEOUT,
                "no window: {}",
                window.stderr_text()
            );
            if let Ok(Some(status)) = window.program.try_wait() {
                panic!("no window, {status}: {}", window.stderr_text());
            }
            thread::sleep(POLL_INTERVAL);
            let found = window.xdotool(&["search", "--onlyvisible", by, name]);
            window.id = found.lines().next().unwrap_or_default().to_owned();
            is_open = match is_wayland {
                false => !window.id.is_empty(),
                true => window.answers_keys(),
            };
        }
        if !is_wayland {
            window.resize(1400, 900);
        }
        if !is_wayland && arguments.is_empty() {
            // The controls of the first frames of the start screen have the places of another size.
            window.wait_for_frame();
            window.wait_for_frame();
        }
        window
    }

    /// Under Wayland: whether the window has the keyboard, which weston gives it when it is there.
    fn answers_keys(&self) -> bool {
        self.xdotool(&["windowmove", &self.id, "0", "0"]);
        self.xdotool(&["windowfocus", &self.id]);
        self.press_keys(&["F12"]);
        self.lines.recv_timeout(10 * POLL_INTERVAL).is_ok()
    }

    /// The number of the window on the X display.
    pub(crate) fn x_id(&self) -> u32 {
        self.id.parse().expect("xdotool tells a number")
    }

    /// Standard error so far.
    pub(crate) fn stderr_text(&self) -> String {
        self.complaints
            .lock()
            .expect("nobody panics with it")
            .clone()
    }

    fn xdotool(&self, arguments: &[&str]) -> String {
        let output = Command::new("xdotool")
            .args(arguments)
            .env("DISPLAY", &self.display.name)
            .stderr(Stdio::null())
            .output()
            .expect("xdotool runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Moves the window to the corner, resizes it and gives it the keyboard focus.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let (width, height) = (width.to_string(), height.to_string());
        self.xdotool(&["windowmove", &self.id, "0", "0"]);
        self.xdotool(&["windowsize", "--sync", &self.id, &width, &height]);
        self.xdotool(&["windowfocus", &self.id]);
    }

    /// Presses keys in sequence, by their X names.
    pub(crate) fn press_keys(&self, keys: &[&str]) {
        for key in keys {
            self.xdotool(&["key", key]);
        }
    }

    pub(crate) fn type_text(&self, text: &str) {
        self.xdotool(&["type", "--delay", "2", "--", text]);
    }

    /// Moves the pointer, in pixels of the display.
    pub(crate) fn move_pointer(&self, (x, y): (f64, f64)) {
        self.xdotool(&["mousemove", &format!("{x:.0}"), &format!("{y:.0}")]);
    }

    /// Clicks with the left button.
    pub(crate) fn click(&self, at: (f64, f64)) {
        self.move_pointer(at);
        self.xdotool(&["click", "1"]);
    }

    /// Turns the wheel `steps` notches at a place; up if positive.
    pub(crate) fn wheel(&self, at: (f64, f64), steps: i32) {
        self.move_pointer(at);
        let button = if steps > 0 { "4" } else { "5" };
        for _ in 0..steps.abs() {
            self.xdotool(&["click", button]);
        }
    }

    /// Drags from one place to another; every step is drawn before the next.
    pub(crate) fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        self.move_pointer(from);
        self.wait_for_frame();
        self.xdotool(&["mousedown", "1"]);
        for part in 1..=4 {
            self.wait_for_frame();
            let part = f64::from(part) / 4.0;
            self.move_pointer((
                from.0 + (to.0 - from.0) * part,
                from.1 + (to.1 - from.1) * part,
            ));
        }
        self.wait_for_frame();
        self.xdotool(&["mouseup", "1"]);
    }

    /// Waits for a frame that shows all input so far. Events arrive in order, and the key that asks for the state is drawn as well.
    pub(crate) fn wait_for_frame(&self) {
        let frames = |state: &Value| state["counters"]["frames"].as_u64();
        let before = frames(&self.state());
        self.wait_until("a frame is drawn", |state| frames(state) > before);
    }

    /// Waits until a value has come to rest: [`STABLE_READINGS`] frames in a row show the same.
    pub(crate) fn wait_until_stable(&self, what: &str, value: impl Fn(&Value) -> Value) -> Value {
        let begun = Instant::now();
        let mut last = self.state();
        let mut readings = 1;
        while readings < STABLE_READINGS {
            assert!(begun.elapsed() < UI_TIMEOUT, "not at rest: {what}");
            self.wait_for_frame();
            let state = self.state();
            readings = if value(&state) == value(&last) {
                readings + 1
            } else {
                1
            };
            last = state;
        }
        last
    }

    /// Waits until the program uses less than 2 % of a processor over [`IDLE_INTERVAL`]; nothing more is on its way then. Returns at once
    /// where the system does not say.
    pub(crate) fn wait_until_idle(&self) {
        let begun = Instant::now();
        while let Some(before) = self.cpu_seconds() {
            let measured_from = Instant::now();
            while measured_from.elapsed() < IDLE_INTERVAL {
                thread::sleep(POLL_INTERVAL);
            }
            let used = self.cpu_seconds().unwrap_or(before) - before;
            if used < 0.02 * measured_from.elapsed().as_secs_f64() {
                return;
            }
            assert!(
                begun.elapsed() < UI_TIMEOUT,
                "it works while nothing happens: {used} s"
            );
        }
    }

    /// Clicks a control by its name.
    pub(crate) fn press(&self, control: &str) {
        let state = self.wait_until(&format!("there is a control {control}"), |state| {
            state["controls"][control]["on"] == true
        });
        self.click(control_at(&state, control));
    }

    /// The viewer's current state: presses F12 and parses the line it prints.
    pub(crate) fn state(&self) -> Value {
        while self.lines.try_recv().is_ok() {}
        self.press_keys(&["F12"]);
        match self.lines.recv_timeout(UI_TIMEOUT) {
            Ok(line) => serde_json::from_str(&line).expect("the state is JSON"),
            Err(RecvTimeoutError::Timeout) => panic!("no answer: {}", self.stderr_text()),
            Err(RecvTimeoutError::Disconnected) => panic!("it ended: {}", self.stderr_text()),
        }
    }

    /// Polls the state until `is_so` holds and returns it. At the deadline saves a screenshot and panics.
    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let state = self.state();
            if is_so(&state) {
                return state;
            }
            if begun.elapsed() > UI_TIMEOUT {
                self.save_screenshot("window-failed");
                let mut state = state;
                state["controls"] = Value::Null;
                panic!("not so: {what}; {state}");
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Saves a screenshot of the display under target/, where ImageMagick's `import` is installed.
    pub(crate) fn save_screenshot(&self, name: &str) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../target/{name}.png"));
        let _ = Command::new("import")
            .args(["-window", "root"])
            .arg(path)
            .env("DISPLAY", &self.display.name)
            .stderr(Stdio::null())
            .status();
    }

    /// Saves a picture of the window at a place in the repository, where ImageMagick's `import` is installed.
    #[allow(
        dead_code,
        reason = "only one of the test programs makes pictures for people"
    )]
    pub(crate) fn save_picture(&self, path: &str) {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(path);
        let status = Command::new("import")
            .args([
                "-window",
                &self.id,
                "-strip",
                "-define",
                "png:compression-level=9",
            ])
            .arg(path)
            .env("DISPLAY", &self.display.name)
            .status();
        assert!(status.is_ok_and(|status| status.success()));
    }

    /// Processor time used, in seconds; `None` without /proc.
    pub(crate) fn cpu_seconds(&self) -> Option<f64> {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.program.id())).ok()?;
        let after_name = text.rsplit_once(')')?.1;
        let mut words = after_name.split_whitespace().skip(11);
        let mut next = || words.next()?.parse::<f64>().ok();
        Some((next()? + next()?) / 100.0)
    }

    /// Closes the window with Ctrl+Q and waits for the process to exit.
    pub(crate) fn close(self) -> ExitStatus {
        self.press_keys(&["ctrl+q"]);
        self.wait_for_exit()
    }

    /// Waits for the process to exit; returns standard error too.
    pub(crate) fn wait_for_exit_with_stderr(self) -> (ExitStatus, String) {
        let complaints = Arc::clone(&self.complaints);
        let status = self.wait_for_exit();
        // The last lines may still be in the pipe.
        let begun = Instant::now();
        loop {
            let said = complaints.lock().expect("nobody panics with it").clone();
            if !said.is_empty() || begun.elapsed() > UI_TIMEOUT {
                return (status, said);
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits for the process to exit.
    pub(crate) fn wait_for_exit(mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.program.try_wait().expect("it can be asked") {
                return status;
            }
            assert!(begun.elapsed() < UI_TIMEOUT, "it does not end");
            thread::sleep(POLL_INTERVAL);
        }
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Runs `test` with a window on a display of its own and the window's home directory; then closes the window, which must exit
/// with success.
pub(crate) fn in_window(name: &str, test: impl FnOnce(&Window<'_>, &Path)) {
    let Some(display) = Display::start() else {
        return;
    };
    let home = super::Scratch::new(name);
    let window = Window::open(&display, &home.0, &[]);
    test(&window, &home.0);
    assert!(window.close().success());
}

/// The path of the viewer's executable.
pub(crate) fn viewer() -> &'static str {
    super::program(option_env!("CARGO_BIN_EXE_canopy-viewer"))
}

/// Runs the viewer's built-in engine; returns standard output.
pub(crate) fn engine(arguments: &[&str]) -> String {
    let output = engine_command(arguments).output().expect("the engine runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The command `grow --out DIRECTORY` of the viewer's built-in engine, with more options as people write them.
pub(crate) fn grow_command(directory: &Path, options: &str) -> Command {
    let mut command = engine_command(&["grow", "--out"]);
    command.arg(directory).args(split_words(options));
    command
}

/// Grows trees in a directory; all trees that are there then, sorted by path.
pub(crate) fn grow(directory: &Path, options: &str) -> Vec<PathBuf> {
    let mut command = grow_command(directory, options);
    let output = command.output().expect("the engine runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{options}: {said}");
    files_of(directory, "tree")
}

/// A command that starts the viewer's built-in engine.
pub(crate) fn engine_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(viewer());
    command.arg("engine").args(arguments).stdin(Stdio::null());
    command
}

/// The centre of a control, in pixels of the display.
pub(crate) fn control_at(state: &Value, control: &str) -> (f64, f64) {
    let at = &state["controls"][control]["at"];
    let coordinate = |index: usize| at[index].as_f64().expect("the control has a place");
    (coordinate(0), coordinate(1))
}
