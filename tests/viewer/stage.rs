//! A test harness for the viewer without a window: the app, synthetic input, and rendered frames.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use canopy_viewer::{
    app::{Action, App},
    settings::ViewerSettings,
    tree::model::TreeModel,
    ui::{frame::FrameRenderer, input::idle_input},
};

const WIDTH: u32 = 1100;
const HEIGHT: u32 = 680;

/// Runs the viewer's app frame by frame, with synthetic input and time.
pub(crate) struct Harness {
    pub(crate) app: App,
    pub(crate) frame: FrameRenderer,
    /// Pixels per point.
    pub(crate) scale: f32,
    /// Window size in points.
    pub(crate) size: (u32, u32),
    now: Duration,
    /// Start of the clock in real time; `None` for synthetic time, 200 ms per frame.
    real_start: Option<Instant>,
    events: Vec<egui::Event>,
}

impl Harness {
    pub(crate) fn new(settings: ViewerSettings) -> Self {
        let mut app = App::new(settings, Arc::new(|| {})).expect("threads start");
        app.records_directory = None;
        Self {
            app,
            frame: FrameRenderer::default(),
            scale: 1.0,
            size: (WIDTH, HEIGHT),
            now: Duration::ZERO,
            real_start: None,
            events: Vec::new(),
        }
    }

    pub(crate) fn dark() -> Self {
        Self::new(ViewerSettings::default())
    }

    /// A harness in real time, for tests with engines.
    pub(crate) fn with_real_time() -> Self {
        Self {
            real_start: Some(Instant::now()),
            ..Self::dark()
        }
    }

    pub(crate) fn light() -> Self {
        Self::new(ViewerSettings {
            dark: false,
            ..ViewerSettings::default()
        })
    }

    pub(crate) fn show_model(&mut self, name: &str, model: TreeModel) -> &mut Self {
        self.app.show_single_tree(Path::new(name), Arc::new(model));
        self.draw_frame();
        self
    }

    pub(crate) fn run_action(&mut self, action: Action) -> &mut Self {
        self.app.dispatch(action);
        self.draw_frame();
        self
    }

    pub(crate) fn press_key(&mut self, key: egui::Key) -> &mut Self {
        self.press_key_with(egui::Modifiers::NONE, key)
    }

    pub(crate) fn press_key_with(
        &mut self,
        modifiers: egui::Modifiers,
        key: egui::Key,
    ) -> &mut Self {
        self.events.push(egui::Event::Key {
            key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers,
        });
        self.draw_frame();
        self
    }

    /// Moves the pointer to a place of the canvas, in pixels, and leaves it there.
    pub(crate) fn move_pointer(&mut self, (x, y): (f64, f64)) -> &mut Self {
        let (left, top) = self.app.navigation.canvas_origin;
        let at = egui::pos2((left + x) as f32, (top + y) as f32);
        for step in [1.0, 0.0] {
            let at = at + egui::vec2(step, 0.0);
            self.events.push(egui::Event::PointerMoved(at));
            self.draw_frame();
        }
        self
    }

    /// Moves the pointer to a place of the window, in points, and leaves it there.
    pub(crate) fn hover_at(&mut self, at: egui::Pos2) -> &mut Self {
        for step in [1.0, 0.0] {
            let at = at + egui::vec2(step, 0.0);
            self.events.push(egui::Event::PointerMoved(at));
            self.draw_frame();
        }
        self
    }

    /// The place of a control, in pixels.
    pub(crate) fn place_of(&self, control: &str) -> Option<egui::Pos2> {
        let at = &self.frame.dump(&self.app)["controls"][control]["at"];
        let coordinate = |index: usize| at[index].as_f64().map(|number| number as f32);
        Some(egui::pos2(coordinate(0)?, coordinate(1)?))
    }

    /// Types a text into the focused field, then Enter.
    pub(crate) fn type_and_enter(&mut self, text: &str) -> &mut Self {
        self.events.push(egui::Event::Text(text.to_owned()));
        self.draw_frame();
        self.press_key(egui::Key::Enter)
    }

    /// Clicks a control by name.
    pub(crate) fn click(&mut self, control: &str) -> &mut Self {
        self.draw_frame();
        let state = self.frame.dump(&self.app);
        let at = &state["controls"][control]["at"];
        let coordinate = |index: usize| {
            at[index]
                .as_f64()
                .unwrap_or_else(|| panic!("there is no {control}"))
        };
        let pos = egui::pos2(coordinate(0) as f32, coordinate(1) as f32);
        self.click_at(pos, egui::Modifiers::NONE)
    }

    /// Clicks a place of the window, in pixels.
    pub(crate) fn click_at(&mut self, at: egui::Pos2, modifiers: egui::Modifiers) -> &mut Self {
        let pos = at / self.scale;
        self.events.push(egui::Event::ModifiersChanged(modifiers));
        self.events.push(egui::Event::PointerMoved(pos));
        self.draw_frame();
        for pressed in [true, false] {
            self.events.push(egui::Event::PointerButton {
                pos,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers,
            });
            self.draw_frame();
        }
        let released = egui::Event::ModifiersChanged(egui::Modifiers::NONE);
        self.events.push(released);
        self
    }

    /// Presses the pointer at one point of the window, moves it to another and lets go.
    pub(crate) fn drag(&mut self, from: egui::Pos2, to: egui::Pos2) -> &mut Self {
        let button = |pos, pressed| egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        for event in [
            egui::Event::PointerMoved(from),
            button(from, true),
            egui::Event::PointerMoved(from.lerp(to, 0.5)),
            egui::Event::PointerMoved(to),
            button(to, false),
        ] {
            self.events.push(event);
            self.draw_frame();
        }
        self
    }

    /// Whether the last frame has a control of this name.
    pub(crate) fn has_control(&self, name: &str) -> bool {
        !self.frame.dump(&self.app)["controls"][name].is_null()
    }

    /// The names of the last frame's controls that begin with a text, without it.
    pub(crate) fn controls_after(&self, beginning: &str) -> Vec<String> {
        let dump = self.frame.dump(&self.app);
        let names = dump["controls"].as_object().into_iter().flatten();
        names
            .filter_map(|(name, _)| name.strip_prefix(beginning).map(str::to_owned))
            .collect()
    }

    /// Replaces the text of a field by name.
    pub(crate) fn fill_field(&mut self, control: &str, text: &str) -> &mut Self {
        self.click(control);
        self.press_key_with(egui::Modifiers::COMMAND, egui::Key::A);
        if text.is_empty() {
            return self.press_key(egui::Key::Backspace);
        }
        self.events.push(egui::Event::Text(text.to_owned()));
        self.draw_frame();
        self
    }

    /// Advances the time, updates the app and renders a frame.
    pub(crate) fn draw_frame(&mut self) {
        self.now = match self.real_start {
            Some(begun) => begun.elapsed(),
            None => self.now + Duration::from_millis(200),
        };
        self.app.update(self.now);
        let size = |points: u32| (points as f32 * self.scale) as u32;
        let (width, height) = (size(self.size.0), size(self.size.1));
        let mut input = idle_input(width as f32, height as f32, self.scale);
        input.time = Some(self.now.as_secs_f64());
        input.events.append(&mut self.events);
        self.frame.draw(&mut self.app, input, (width, height));
    }

    /// Advances the time without input.
    pub(crate) fn advance_time(&mut self, time: Duration) -> &mut Self {
        self.real_start = self.real_start.and_then(|begun| begun.checked_sub(time));
        self.now += time;
        self.draw_frame();
        self
    }

    /// Draws frames until panels have their sizes and animations have ended.
    pub(crate) fn settle(&mut self) -> &mut Self {
        for _ in 0..4 {
            self.advance_time(Duration::from_secs(1));
        }
        self
    }

    /// Draws frames until `is_so` holds; panics with the app's state after a minute.
    pub(crate) fn wait_until(&mut self, what: &str, is_so: impl Fn(&App) -> bool) -> &mut Self {
        let begun = Instant::now();
        while !is_so(&self.app) {
            let state = self.app.dump();
            assert!(begun.elapsed() < Duration::from_secs(60), "{what}: {state}");
            std::thread::sleep(Duration::from_millis(2));
            self.draw_frame();
        }
        self
    }
}
