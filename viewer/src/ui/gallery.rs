//! A small interface with every kind of widget the viewer uses, painted without a window.
//!
//! `cargo test -p canopy-viewer gallery` writes it to `target/painter-dark.png` and `target/painter-light.png`, for review
//! by people. The test itself checks that each area has its colour, that text is there, and that the same input paints the
//! same picture.

use std::path::PathBuf;

use egui::{
    Align, Align2, Color32, ComboBox, Context, Event, Frame, Grid, Label, Layout, Margin, Panel,
    PointerButton, Pos2, RawInput, Rect, ScrollArea, Slider, TextEdit, Ui, ViewportId, pos2, vec2,
};
use tiny_skia::Pixmap;

use crate::draw::fonts::{self, TextRenderer};
use crate::draw::painter::Painter;
use crate::draw::theme::{self, Theme};

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 800;

/// The values of the gallery's controls.
struct GalleryState {
    name: String,
    exploration: f64,
    iterations: u32,
    speed: f32,
    game: usize,
    follow: bool,
    dot: bool,
    colour: [u8; 3],
    selected: usize,
    /// Where the combo box was shown, to be clicked.
    combo: Option<Pos2>,
    /// And where the colour button was.
    colour_button: Option<Pos2>,
}

impl GalleryState {
    fn new() -> Self {
        Self {
            name: "0027-othello-uct-d3.tree".to_owned(),
            exploration: 1.41,
            iterations: 12_480,
            speed: 0.4,
            game: 1,
            follow: true,
            dot: false,
            colour: [0x58, 0xb7, 0xd9],
            selected: 3,
            combo: None,
            colour_button: None,
        }
    }
}

fn side(theme: &Theme) -> Frame {
    Frame::new()
        .fill(theme.panel)
        .inner_margin(Margin::same(16))
}

fn show_interface(ui: &mut Ui, theme: &Theme, model: &mut GalleryState) {
    let bar = Frame::new()
        .fill(theme.panel)
        .inner_margin(Margin::symmetric(16, 8));
    Panel::top("top")
        .frame(bar)
        .show(ui, |ui| show_top(ui, theme, model));
    Panel::left("left")
        .exact_size(288.0)
        .resizable(false)
        .frame(side(theme))
        .show(ui, |ui| show_left(ui, theme, model));
    Panel::right("right")
        .exact_size(320.0)
        .resizable(false)
        .frame(side(theme))
        .show(ui, |ui| show_right(ui, theme, model));
    Panel::bottom("bottom").frame(bar).show(ui, |ui| {
        ui.horizontal(|ui| {
            for name in ["⏮", "⏵", "⏸", "⏭", "4×"] {
                let _ = ui.button(name);
            }
            ui.spacing_mut().slider_width = 300.0;
            ui.add(Slider::new(&mut model.iterations, 0..=20_000).show_value(false));
            ui.label(theme.strong("12,480"));
            ui.weak("/ 20,000");
        });
    });
}

fn show_top(ui: &mut Ui, theme: &Theme, model: &GalleryState) {
    ui.horizontal(|ui| {
        ui.label(theme.title("Canopy"));
        let _ = ui.button("Open…");
        let _ = ui.button("Folder…");
        ui.weak("matches/othello-live");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let _ = ui.button("?");
            let _ = ui.button("Reset view");
            ui.add_enabled(false, egui::Button::new("Save"));
            ui.weak(&model.name);
        });
    });
}

fn show_left(ui: &mut Ui, theme: &Theme, model: &mut GalleryState) {
    ui.horizontal(|ui| {
        ui.label(theme.title("uct 12 – 7 lgr2"));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.weak("game 20 of 40");
        });
    });
    ui.weak("othello · 20,000 iterations a move");
    ui.add_space(12.0);
    ui.label(theme.heading("Children"));
    ui.separator();
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().interact_size.y = 20.0;
        for row in 0..40_usize {
            let visits = 1_798_000 / (row * row + 7);
            let fill = if row == model.selected {
                theme.selected_fill()
            } else {
                Color32::TRANSPARENT
            };
            Frame::new()
                .fill(fill)
                .corner_radius(4)
                .inner_margin(Margin::symmetric(4, 0))
                .show(ui, |ui| {
                    ui.horizontal(|ui| {
                        ui.add_sized(
                            vec2(32.0, 20.0),
                            Label::new(theme.strong(format!("h{}", row % 8 + 1))),
                        );
                        ui.label(format!("♞ 0.{:03}", 571 - row));
                        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                            ui.label(format!("{},{:03}", visits / 1000, visits % 1000));
                        });
                    });
                });
        }
    });
}

fn show_right(ui: &mut Ui, theme: &Theme, model: &mut GalleryState) {
    ui.label(theme.heading("Node"));
    ui.label(theme.title("d1 → f2"));
    ui.weak("white decides here");
    ui.add_space(8.0);
    for (name, value) in [
        ("Visits", "2,141"),
        ("Mean", "0.2673"),
        ("Sum", "572.4"),
        ("Node id", "162,631"),
    ] {
        ui.horizontal(|ui| {
            ui.weak(name);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(theme.strong(value));
            });
        });
        ui.separator();
    }
    ui.add_space(8.0);
    ui.label(theme.heading("Search"));
    ui.add(TextEdit::singleline(&mut model.name).desired_width(f32::INFINITY));
    ui.add(Slider::new(&mut model.exploration, 0.0..=4.0).text("exploration"));
    ui.add(Slider::new(&mut model.speed, 0.0..=1.0).text("speed"));
    ui.horizontal(|ui| {
        let combo = ComboBox::from_id_salt("game")
            .selected_text(["othello", "chess", "hex"][model.game])
            .show_ui(ui, |ui| {
                for (index, name) in ["othello", "chess", "hex"].into_iter().enumerate() {
                    ui.selectable_value(&mut model.game, index, name);
                }
            });
        model.combo = Some(combo.response.rect.center());
        ui.add_enabled_ui(false, |ui| ui.button("Dim"));
        let button = ui.color_edit_button_srgb(&mut model.colour);
        model.colour_button = Some(button.rect.center());
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut model.follow, "Follow");
        ui.radio_value(&mut model.dot, true, "Dots");
        ui.radio_value(&mut model.dot, false, "Discs");
    });
    ui.horizontal(|ui| {
        let _ = ui.selectable_label(true, "Mean");
        let _ = ui.selectable_label(false, "Proof");
    });
    ui.add_space(8.0);
    ui.label(theme.heading("Why this child"));
    Grid::new("table")
        .num_columns(4)
        .spacing(vec2(28.0, 4.0))
        .striped(true)
        .show(ui, |ui| {
            for name in ["move", "visits", "mean", "score"] {
                ui.weak(name);
            }
            ui.end_row();
            for (mv, visits, mean, score) in [
                ("h6", "1,798", "0.535", "0.571"),
                ("g2", "134", "0.439", "0.571"),
                ("c8", "105", "0.422", "0.570"),
            ] {
                ui.label(theme.strong(mv));
                for number in [visits, mean, score] {
                    ui.label(number);
                }
                ui.end_row();
            }
        });
    ui.colored_label(theme.bad, "The file ends within a node.");
    ui.colored_label(theme.good, "Following");
}

/// A stand-in for the tree: labels drawn beneath the interface.
fn draw_background(theme: &Theme, text: &mut TextRenderer, pixmap: &mut Pixmap) {
    pixmap.fill(theme::to_skia(theme.canvas));
    let mut canvas = pixmap.as_mut();
    for (line, size) in [9.0, 11.0, 13.0, 15.0, 18.0, 24.0, 36.0]
        .into_iter()
        .enumerate()
    {
        let y = 240.0 + 48.0 * line as f32;
        text.draw(
            &mut canvas,
            "d1 2,404 → f2 ♞",
            320.0,
            y,
            size,
            theme.text,
            Align2::LEFT_CENTER,
        );
        text.draw(
            &mut canvas,
            "1,111,111",
            940.0,
            y - 8.0,
            size.min(15.0),
            theme.dim,
            Align2::RIGHT_CENTER,
        );
        text.draw(
            &mut canvas,
            "8,888,888",
            940.0,
            y + 8.0,
            size.min(15.0),
            theme.dim,
            Align2::RIGHT_CENTER,
        );
    }
}

struct WidgetGallery {
    context: Context,
    painter: Painter,
    text: TextRenderer,
    theme: Theme,
    model: GalleryState,
    pixels_per_point: f32,
    seconds: f64,
}

impl WidgetGallery {
    fn new(theme: Theme, pixels_per_point: f32) -> Self {
        let context = Context::default();
        fonts::install(&context);
        theme.apply(&context);
        Self {
            context,
            painter: Painter::new(),
            text: TextRenderer::regular(),
            theme,
            model: GalleryState::new(),
            pixels_per_point,
            seconds: 0.0,
        }
    }

    /// Runs egui for one frame.
    fn run(&mut self, events: Vec<Event>) -> Vec<egui::ClippedPrimitive> {
        self.seconds += 1.0;
        let size = vec2(WIDTH as f32, HEIGHT as f32);
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            time: Some(self.seconds),
            events,
            ..RawInput::default()
        };
        let viewport = input.viewports.entry(ViewportId::ROOT).or_default();
        viewport.native_pixels_per_point = Some(self.pixels_per_point);
        let (theme, model) = (&self.theme, &mut self.model);
        let output = self
            .context
            .run_ui(input, |ui| show_interface(ui, theme, model));
        self.painter.update(output.textures_delta);
        self.context
            .tessellate(output.shapes, output.pixels_per_point)
    }

    fn picture(&mut self, events: Vec<Event>) -> Pixmap {
        let primitives = self.run(events);
        let scaled = |points: u32| (points as f32 * self.pixels_per_point) as u32;
        let mut pixmap = Pixmap::new(scaled(WIDTH), scaled(HEIGHT)).unwrap();
        draw_background(&self.theme, &mut self.text, &mut pixmap);
        self.painter
            .paint(&mut pixmap.as_mut(), self.pixels_per_point, &primitives);
        pixmap
    }
}

fn click(at: Pos2) -> Vec<Event> {
    let button = |pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    vec![Event::PointerMoved(at), button(true), button(false)]
}

fn save(pixmap: &Pixmap, name: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target");
    std::fs::create_dir_all(&folder).unwrap();
    pixmap.save_png(folder.join(name)).unwrap();
}

/// Number of pixels of a rectangle that have exactly this colour.
fn count(pixmap: &Pixmap, area: [u32; 4], colour: Color32) -> usize {
    let [left, top, right, bottom] = area;
    (top..bottom)
        .flat_map(|y| (left..right).map(move |x| (x, y)))
        .filter(|&(x, y)| {
            let pixel = pixmap.pixel(x, y).unwrap();
            [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()] == colour.to_array()
        })
        .count()
}

#[test]
fn the_gallery_is_painted_in_both_themes() {
    for (theme, name) in [(Theme::dark(), "dark"), (Theme::light(), "light")] {
        let mut gallery = WidgetGallery::new(theme.clone(), 1.0);
        let first = gallery.picture(vec![]);
        let plain = gallery.picture(vec![]);
        assert!(first == plain, "the same interface is the same picture");

        let left = count(&plain, [0, 60, 288, 800], theme.panel);
        assert!(left > 180_000, "the left panel has its ground: {left}");
        assert!(
            count(&plain, [0, 60, 288, 800], theme.text) > 500,
            "and text in full strength"
        );
        assert_eq!(count(&plain, [400, 60, 900, 200], theme.canvas), 500 * 140);
        // A hairline is one pixel of one colour.
        assert_eq!(count(&plain, [287, 100, 289, 700], theme.line), 600);

        gallery.run(click(gallery.model.combo.unwrap()));
        gallery.run(vec![]);
        let point = Event::PointerMoved(pos2(120.0, 22.0));
        gallery.run(vec![point.clone()]);
        let opened = gallery.picture(vec![point]);
        assert!(opened != plain, "a list has opened");
        save(&opened, &format!("painter-{name}.png"));

        gallery.run(click(gallery.model.colour_button.unwrap()));
        gallery.run(vec![]);
        let picker = gallery.picture(vec![]);
        assert!(picker != opened && picker != plain, "a picker has opened");
        save(&picker, &format!("painter-{name}-picker.png"));

        let mut doubled = WidgetGallery::new(theme, 2.0);
        doubled.run(vec![]);
        save(&doubled.picture(vec![]), &format!("painter-{name}-2x.png"));
    }
}

/// Prints the time of a frame. Run it with `cargo test --release -p canopy-viewer frame_time -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, not a test"]
#[expect(clippy::print_stdout, reason = "the measurement is its output")]
fn frame_time() {
    for pixels_per_point in [1.0, 2.0] {
        let mut gallery = WidgetGallery::new(Theme::dark(), pixels_per_point);
        gallery.run(vec![]);
        let mut pixmap = gallery.picture(vec![]);
        let (mut logic, mut paint, mut labels) = (vec![], vec![], vec![]);
        let mut triangles = 0;
        for _ in 0..200 {
            let start = std::time::Instant::now();
            let primitives = gallery.run(vec![]);
            logic.push(start.elapsed());
            let start = std::time::Instant::now();
            gallery
                .painter
                .paint(&mut pixmap.as_mut(), pixels_per_point, &primitives);
            paint.push(start.elapsed());
            let start = std::time::Instant::now();
            for label in 0..60 {
                let (x, y) = (
                    (label % 6) as f32 * 100.0 + 300.0,
                    (label / 6) as f32 * 60.0 + 80.0,
                );
                let ink = gallery.theme.text;
                gallery.text.draw(
                    &mut pixmap.as_mut(),
                    "d1 2,404",
                    x,
                    y,
                    11.0,
                    ink,
                    Align2::LEFT_CENTER,
                );
            }
            labels.push(start.elapsed());
            triangles = primitives
                .iter()
                .map(|primitive| match &primitive.primitive {
                    egui::epaint::Primitive::Mesh(mesh) => mesh.indices.len() / 3,
                    egui::epaint::Primitive::Callback(_) => 0,
                })
                .sum();
        }
        for times in [&mut logic, &mut paint, &mut labels] {
            times.sort();
        }
        println!(
            "{pixels_per_point} pixels per point, {triangles} triangles: egui {:?}, painter {:?} (best {:?}), 60 labels {:?}",
            logic[100], paint[100], paint[0], labels[100]
        );
    }
}
