//! The window without a window: an app and its frames.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use canopy_viewer::{
    app::{Action, App},
    frame::{self, Frame},
    model::Model,
    settings::Settings,
};

const WIDTH: u32 = 1100;
const HEIGHT: u32 = 680;

/// The window without a window.
pub(crate) struct Stage {
    pub(crate) app: App,
    pub(crate) frame: Frame,
    /// Pixels a point.
    pub(crate) scale: f32,
    /// Its size in points.
    pub(crate) size: (u32, u32),
    now: Duration,
    /// When time passes as it does for everybody: since when.
    begun: Option<Instant>,
    events: Vec<egui::Event>,
}

impl Stage {
    pub(crate) fn new(settings: Settings) -> Self {
        let mut app = App::new(settings, Arc::new(|| {})).expect("threads start");
        app.records = None;
        Self {
            app,
            frame: Frame::default(),
            scale: 1.0,
            size: (WIDTH, HEIGHT),
            now: Duration::ZERO,
            begun: None,
            events: Vec::new(),
        }
    }

    pub(crate) fn dark() -> Self {
        Self::new(Settings::default())
    }

    /// A stage on which time passes as it does for engines.
    pub(crate) fn in_time() -> Self {
        Self {
            begun: Some(Instant::now()),
            ..Self::dark()
        }
    }

    pub(crate) fn light() -> Self {
        Self::new(Settings {
            dark: false,
            ..Settings::default()
        })
    }

    pub(crate) fn show(&mut self, name: &str, model: Model) -> &mut Self {
        self.app.show_alone(Path::new(name), Arc::new(model));
        self.frame();
        self
    }

    pub(crate) fn act(&mut self, action: Action) -> &mut Self {
        self.app.act(action);
        self.frame();
        self
    }

    pub(crate) fn press(&mut self, key: egui::Key) -> &mut Self {
        self.events.push(egui::Event::Key {
            key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: egui::Modifiers::NONE,
        });
        self.frame();
        self
    }

    /// Moves the pointer over a place of the canvas, in pixels, and leaves it there.
    pub(crate) fn point(&mut self, (x, y): (f64, f64)) -> &mut Self {
        let (left, top) = self.app.canvas_at;
        let at = egui::pos2((left + x) as f32, (top + y) as f32);
        for step in [1.0, 0.0] {
            let at = at + egui::vec2(step, 0.0);
            self.events.push(egui::Event::PointerMoved(at));
            self.frame();
        }
        self
    }

    /// Types a text into whatever is typed into, and Enter.
    pub(crate) fn enter(&mut self, text: &str) -> &mut Self {
        self.events.push(egui::Event::Text(text.to_owned()));
        self.frame();
        self.press(egui::Key::Enter)
    }

    /// Clicks a control by its name.
    pub(crate) fn click(&mut self, control: &str) -> &mut Self {
        self.frame();
        let state = self.frame.dump(&self.app);
        let at = &state["controls"][control]["at"];
        let coordinate = |index: usize| {
            at[index]
                .as_f64()
                .unwrap_or_else(|| panic!("there is no {control}"))
        };
        let pos = egui::pos2(coordinate(0) as f32, coordinate(1) as f32) / self.scale;
        self.events.push(egui::Event::PointerMoved(pos));
        self.frame();
        for pressed in [true, false] {
            self.events.push(egui::Event::PointerButton {
                pos,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: egui::Modifiers::NONE,
            });
            self.frame();
        }
        self
    }

    /// Types into a field by its name, in place of what is there.
    pub(crate) fn fill(&mut self, control: &str, text: &str) -> &mut Self {
        self.click(control);
        self.events.push(egui::Event::Key {
            key: egui::Key::A,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: egui::Modifiers::COMMAND,
        });
        self.frame();
        if text.is_empty() {
            return self.press(egui::Key::Backspace);
        }
        self.events.push(egui::Event::Text(text.to_owned()));
        self.frame();
        self
    }

    /// Draws a frame, a while after the last.
    pub(crate) fn frame(&mut self) {
        self.now = match self.begun {
            Some(begun) => begun.elapsed(),
            None => self.now + Duration::from_millis(200),
        };
        self.app.update(self.now);
        let size = |points: u32| (points as f32 * self.scale) as u32;
        let (width, height) = (size(self.size.0), size(self.size.1));
        let mut input = frame::input(width as f32, height as f32, self.scale);
        input.time = Some(self.now.as_secs_f64());
        input.events.append(&mut self.events);
        self.frame.draw(&mut self.app, input, (width, height));
    }

    /// Lets time pass in which nothing happens.
    pub(crate) fn skip(&mut self, time: Duration) -> &mut Self {
        self.begun = self.begun.and_then(|begun| begun.checked_sub(time));
        self.now += time;
        self.frame();
        self
    }

    /// Waits until something is so.
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&App) -> bool) -> &mut Self {
        let begun = Instant::now();
        while !is_so(&self.app) {
            let state = self.app.dump();
            assert!(begun.elapsed() < Duration::from_secs(60), "{what}: {state}");
            std::thread::sleep(Duration::from_millis(2));
            self.frame();
        }
        self
    }
}
