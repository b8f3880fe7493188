//! The window: the only room that knows of windows.

use std::{
    num::NonZeroU32,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use egui::ViewportId;
use winit::{
    application::ApplicationHandler,
    dpi::LogicalSize,
    event::{ElementState, KeyEvent, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop},
    keyboard::{Key, NamedKey},
    window::{Window, WindowId},
};

use self::clipboard::Clipboard;
use crate::{
    app::{Action, App},
    draw::painter::PixelRect,
    settings::{MIN_WINDOW_SIZE, ViewerSettings},
    system::{
        display::{WindowError, catch_library_panics, no_window_error, window_ended_error},
        signals, temporary,
        wake::Wake,
    },
    ui::frame::{FrameRenderer, copy_pixels},
};

mod clipboard;

/// Minimum time between frames that no user input asked for.
const MIN_FRAME_INTERVAL: Duration = Duration::from_millis(10);

/// Set by the tests of documented commands: the window closes once its content is visible.
const CLOSE_ENV_VAR: &str = "CANOPY_TEST_CLOSE";

/// Libraries that talk to the window system: their panics are reported as display errors.
const WINDOW_LIBRARIES: [&str; 10] = [
    "winit-",
    "egui-winit-",
    "x11-dl-",
    "x11rb-",
    "xkbcommon-dl-",
    "softbuffer-",
    "smithay-",
    "wayland-",
    "calloop-",
    "arboard-",
];

/// Opens the window, performs the first action, and runs until it is closed. An error says why there is no window.
pub fn run(first: Option<Action>) -> Result<(), WindowError> {
    let build = || EventLoop::<()>::with_user_event().build();
    let event_loop = catch_library_panics(&WINDOW_LIBRARIES, build)
        .and_then(|built| built.map_err(|error| error.to_string()))
        .map_err(|said| no_window_error(&said))?;
    let proxy = event_loop.create_proxy();
    let wake: Wake = Arc::new(move || {
        let _ = proxy.send_event(());
    });
    let no_thread =
        |error: std::io::Error| WindowError::Ended(format!("no thread could be started: {error}"));
    let quit_requested = signals::install_termination_flag(&wake);
    let frame = FrameRenderer::with_fine_renderer(Arc::clone(&wake)).map_err(no_thread)?;
    temporary::remove_abandoned();
    let mut app = App::new(ViewerSettings::load(), wake).map_err(no_thread)?;
    let closes_after_first_frame = std::env::var_os(CLOSE_ENV_VAR).is_some();
    let is_start_screen = first.is_none();
    if let Some(first) = first {
        app.dispatch(first);
    }
    let mut viewer = Viewer {
        app,
        frame,
        open_window: None,
        started: Instant::now(),
        last_drawn: None,
        next_redraw: None,
        unanswered_click: None,
        clipboard: Clipboard::default(),
        quit_requested,
        closes_after_first_frame,
        is_start_screen,
        failure: None,
    };
    let ran = catch_library_panics(&WINDOW_LIBRARIES, || event_loop.run_app(&mut viewer))
        .and_then(|ran| ran.map_err(|error| error.to_string()));
    viewer.app.settings.save();
    viewer.app.shut_down();
    match viewer.failure.map_or(ran, Err) {
        Ok(()) => Ok(()),
        Err(said) if viewer.last_drawn.is_none() => Err(no_window_error(&said)),
        Err(said) => Err(window_ended_error(&said)),
    }
}

struct Viewer {
    app: App,
    frame: FrameRenderer,
    open_window: Option<OpenWindow>,
    started: Instant,
    /// Time of the last frame, and of the next one due.
    last_drawn: Option<Instant>,
    next_redraw: Option<Instant>,
    /// Time of a click whose effect is not drawn yet.
    unanswered_click: Option<Instant>,
    clipboard: Clipboard,
    /// Set when the system asks the program to end.
    quit_requested: Arc<AtomicBool>,
    /// Whether the window closes after its first complete frame, for tests.
    closes_after_first_frame: bool,
    /// Whether the window was opened on the start screen.
    is_start_screen: bool,
    failure: Option<String>,
}

struct OpenWindow {
    window: Rc<Window>,
    surface: softbuffer::Surface<Rc<Window>, Rc<Window>>,
    input: egui_winit::State,
    /// The surface has this size.
    surface_size: (u32, u32),
}

impl Viewer {
    fn open(&self, event_loop: &ActiveEventLoop) -> Result<OpenWindow, String> {
        let [mut width, mut height] = self.app.settings.window;
        // The screen may be smaller than that of the last time.
        let mut screens = event_loop.available_monitors();
        if let Some(screen) = event_loop.primary_monitor().or_else(|| screens.next()) {
            let room = screen.size().to_logical::<f32>(screen.scale_factor());
            if room.width > 0.0 && room.height > 0.0 {
                (width, height) = (width.min(room.width), height.min(room.height));
            }
        }
        let [least_width, least_height] = MIN_WINDOW_SIZE;
        let attributes = Window::default_attributes()
            .with_title("Canopy")
            .with_inner_size(LogicalSize::new(width, height))
            .with_min_inner_size(LogicalSize::new(least_width, least_height));
        let window = Rc::new(
            event_loop
                .create_window(attributes)
                .map_err(|error| error.to_string())?,
        );
        let context =
            softbuffer::Context::new(Rc::clone(&window)).map_err(|error| error.to_string())?;
        let surface = softbuffer::Surface::new(&context, Rc::clone(&window))
            .map_err(|error| error.to_string())?;
        let input = egui_winit::State::new(
            self.frame.context.clone(),
            ViewportId::ROOT,
            &*window,
            Some(window.scale_factor() as f32),
            None,
            None,
        );
        Ok(OpenWindow {
            window,
            surface,
            input,
            surface_size: (0, 0),
        })
    }

    fn draw(&mut self) -> Result<(), String> {
        let Some(shown) = &mut self.open_window else {
            return Ok(());
        };
        let size = shown.window.inner_size();
        let (Some(width), Some(height)) =
            (NonZeroU32::new(size.width), NonZeroU32::new(size.height))
        else {
            return Ok(());
        };
        if shown.surface_size != (size.width, size.height) {
            shown
                .surface
                .resize(width, height)
                .map_err(|error| error.to_string())?;
            shown.surface_size = (size.width, size.height);
        }
        self.app.update(self.started.elapsed());
        let input = shown.input.take_egui_input(&shown.window);
        let drawn = self.frame.draw(&mut self.app, input, shown.surface_size);
        self.clipboard.after_frame(&drawn.platform);
        shown
            .input
            .handle_platform_output(&shown.window, drawn.platform);
        let mut buffer = shown
            .surface
            .buffer_mut()
            .map_err(|error| error.to_string())?;
        // The system may hand out the buffer of the last frame, or another.
        let parts = if buffer.age() == 1 {
            drawn.changed_rects
        } else {
            vec![PixelRect::whole(size.width, size.height)]
        };
        let picture = self.frame.picture().ok_or("the window is too large")?;
        for part in parts {
            copy_pixels(picture, &mut buffer, part);
        }
        shown.window.pre_present_notify();
        buffer.present().map_err(|error| error.to_string())?;
        if let Some(clicked) = self.unanswered_click.take() {
            self.app.counters.record_click_latency(clicked.elapsed());
        }
        self.app.counters.record_frame(self.started.elapsed());
        if self.closes_after_first_frame {
            self.app.is_closing |= self.is_start_screen || self.app.is_ready_to_show()?;
        }
        let now = Instant::now();
        self.last_drawn = Some(now);
        self.next_redraw = now.checked_add(drawn.repaint_delay);
        if drawn.repaint_delay.is_zero() {
            shown.window.request_redraw();
        }
        Ok(())
    }

    /// Closes the window, and saves its size.
    fn close(&mut self, event_loop: &ActiveEventLoop) {
        if let Some(shown) = &self.open_window {
            let scale = shown.window.scale_factor();
            let size = shown.window.inner_size().to_logical::<f32>(scale);
            self.app.settings.window = [size.width, size.height];
        }
        event_loop.exit();
    }

    fn redraw(&self) {
        if let Some(shown) = &self.open_window {
            shown.window.request_redraw();
        }
    }
}

impl ApplicationHandler for Viewer {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.open_window.is_none() {
            match self.open(event_loop) {
                Ok(shown) => {
                    shown.window.request_redraw();
                    self.open_window = Some(shown);
                }
                Err(error) => {
                    self.failure = Some(error);
                    event_loop.exit();
                }
            }
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, (): ()) {
        // A worker has finished; a hidden window takes the result too.
        self.app.update(self.started.elapsed());
        self.app.is_closing |= self.quit_requested.load(Ordering::Relaxed);
        if self.app.is_closing {
            return self.close(event_loop);
        }
        // Workers may finish in quick succession; user input is answered at once.
        match self.last_drawn.map(|drawn| drawn + MIN_FRAME_INTERVAL) {
            Some(due) if due > Instant::now() => {
                self.next_redraw = Some(self.next_redraw.map_or(due, |next| next.min(due)));
            }
            _ => self.redraw(),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shown) = &mut self.open_window else {
            return;
        };
        if matches!(event, WindowEvent::MouseInput { .. }) {
            self.unanswered_click.get_or_insert_with(Instant::now);
        }
        if event == WindowEvent::RedrawRequested {
            match self.draw() {
                Ok(()) if self.app.is_closing => self.close(event_loop),
                Ok(()) => {}
                Err(error) => {
                    self.failure = Some(error);
                    event_loop.exit();
                }
            }
            return;
        }
        self.clipboard.before_event(&event, &mut shown.input);
        let response = shown.input.on_window_event(&shown.window, &event);
        match event {
            WindowEvent::CloseRequested => return self.close(event_loop),
            WindowEvent::KeyboardInput {
                event:
                    KeyEvent {
                        logical_key: Key::Named(NamedKey::F12),
                        state: ElementState::Pressed,
                        ..
                    },
                ..
            } => dump(&self.frame.dump(&self.app)),
            _ => {}
        }
        if response.repaint {
            self.redraw();
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        match self.next_redraw {
            Some(next) if next <= Instant::now() => {
                self.next_redraw = None;
                self.redraw();
                event_loop.set_control_flow(ControlFlow::Wait);
            }
            Some(next) => event_loop.set_control_flow(ControlFlow::WaitUntil(next)),
            None => event_loop.set_control_flow(ControlFlow::Wait),
        }
    }
}

/// Prints the state for tests.
#[expect(clippy::print_stdout, reason = "tests read it there")]
fn dump(state: &serde_json::Value) {
    println!("{state}");
}
