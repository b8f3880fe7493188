//! Settings kept from one start to the next, in the user's configuration directory.

pub mod memory_budget;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    draw::{
        palette::{PALETTES, REPORT, REPORT_COLOURS, THEME},
        theme::Theme,
    },
    play::setup::{GameSetup, QuickGame},
    system::user_files::{user_directory, write_text},
    tree::{
        node_value::ValueView,
        scene::{ColourScale, LabelStyle, Measure, RenderOptions},
    },
};

/// Upper bound of remembered files and directories.
const MAX_RECENT: usize = 8;

/// The smallest window in points. Nothing is drawn below that.
pub const MIN_WINDOW_SIZE: [f32; 2] = [800.0, 560.0];
/// The largest remembered window in points; above 65,535 pixels X11 libraries fail.
const MAX_WINDOW_SIZE: [f32; 2] = [7680.0, 4320.0];
/// The panels on the left and right: smallest, usual and largest width in points.
pub const PANEL_WIDTHS: [(f32, f32, f32); 2] = [(216.0, 272.0, 480.0), (320.0, 376.0, 640.0)];
/// The selectable sizes of text, relative to the usual one.
pub const TEXT_SIZES: [f32; 5] = [0.9, 1.0, 1.15, 1.3, 1.5];
/// Upper bound of a settings file, in bytes; a longer one is not read.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The settings. Missing keys have their defaults, unknown ones are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewerSettings {
    /// The dark theme, or the light one.
    pub dark: bool,
    /// The colours of the least and the most visited edges, if not the theme's.
    pub edge_colours: Option<[[u8; 3]; 2]>,
    /// The palette's name; the theme's colours if there is none of that name.
    pub palette: String,
    /// Whose values are shown, everywhere alike.
    pub value_view: ValueView,
    /// The size of all text, relative to the usual one.
    pub text_size: f32,
    /// Widths of the panels on the left and right in points.
    pub panel_widths: [f32; 2],
    /// What edges are coloured by: `visits`, `second`, `mean`, or `column NAME` for a column beside the tree.
    pub measure: String,
    /// Whether visits are scaled logarithmically.
    pub logarithmic: bool,
    /// The column by which children are listed, the largest value first; by their visits if there is none of that name.
    pub child_order: String,
    /// Whether each layer has a range of its own.
    pub per_layer: bool,
    /// Whether edge widths and node sizes follow the visits.
    pub by_size: bool,
    /// Whether nodes have labels.
    pub labels: bool,
    /// Whether the strip that explains colours and shapes is shown.
    pub legend: bool,
    /// Whether trees begin with their readable part; if nobody has chosen, only in games and in small windows.
    pub readable: Option<bool>,
    /// Whether the left and the right panel are folded.
    pub folded: [bool; 2],
    /// Whether boards show coordinates.
    pub coordinates: bool,
    /// Whether a move is shown before the tree of its search has grown.
    pub show_answer: bool,
    /// The size of the window in points.
    pub window: [f32; 2],
    /// The megabytes that trees and journals may take; 0 for a quarter of the machine's memory, and at most 2048.
    pub memory: u32,
    /// Where indexes of long journals are kept, if not in the user's cache directory.
    pub cache: Option<PathBuf>,
    /// Files and directories that were open, the last first.
    pub recent: Vec<PathBuf>,
    /// The last game's setup.
    #[serde(deserialize_with = "or_default")]
    pub play: GameSetup,
    /// The places of the lessons that were begun, by their names.
    #[serde(deserialize_with = "or_default")]
    pub lessons: BTreeMap<String, LessonPlace>,
    /// The engine's strength and the person's side, as chosen on the start screen.
    #[serde(deserialize_with = "or_default")]
    pub quick: QuickGame,
}

/// How far a lesson was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonPlace {
    /// The step, counted from 0.
    pub step: usize,
    /// Whether it was taken to its end.
    pub is_done: bool,
}

/// A setup; the default if it is unreadable, without losing the other settings.
fn or_default<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(
    from: D,
) -> Result<T, D::Error> {
    let value = Value::deserialize(from)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

impl Default for ViewerSettings {
    fn default() -> Self {
        Self {
            dark: true,
            edge_colours: None,
            palette: String::new(),
            value_view: ValueView::default(),
            text_size: 1.0,
            panel_widths: PANEL_WIDTHS.map(|(_, usual, _)| usual),
            measure: "visits".to_owned(),
            logarithmic: true,
            child_order: String::new(),
            per_layer: false,
            by_size: true,
            labels: true,
            legend: true,
            readable: None,
            folded: [false, false],
            coordinates: true,
            show_answer: false,
            window: [1400.0, 880.0],
            memory: 0,
            cache: None,
            recent: Vec::new(),
            play: GameSetup::default(),
            lessons: BTreeMap::new(),
            quick: QuickGame::default(),
        }
    }
}

impl ViewerSettings {
    /// Where they are kept; none if the system does not say.
    pub fn file() -> Option<PathBuf> {
        Some(user_directory("XDG_CONFIG_HOME", ".config")?.join("canopy/viewer.json"))
    }

    /// Loads the settings; the defaults if there are none or they are unreadable.
    pub fn load() -> Self {
        let text = Self::file().and_then(|path| {
            let found = fs::metadata(&path).ok()?;
            // Whatever stands there, it does not hold up a start: no pipe, no device, nothing huge.
            let is_likely = found.is_file() && found.len() <= MAX_FILE_BYTES;
            is_likely.then(|| fs::read_to_string(path).ok())?
        });
        text.map(|text| Self::parse(&text)).unwrap_or_default()
    }

    /// Parses a settings file. An unusable value gets its default without affecting others.
    fn parse(text: &str) -> Self {
        let Ok(Value::Object(found)) = serde_json::from_str(text) else {
            return Self::default();
        };
        let whole = Value::Object(found.clone());
        let read = serde_json::from_value::<Self>(whole).unwrap_or_else(|_| {
            let mut usable = serde_json::Map::new();
            for (name, value) in found {
                let alone = serde_json::Map::from_iter([(name.clone(), value.clone())]);
                if serde_json::from_value::<Self>(Value::Object(alone)).is_ok() {
                    usable.insert(name, value);
                }
            }
            serde_json::from_value(Value::Object(usable)).unwrap_or_default()
        });
        read.clamped()
    }

    /// The same with sizes that a window can have.
    fn clamped(mut self) -> Self {
        let usual = Self::default().window;
        for (axis, length) in self.window.iter_mut().enumerate() {
            *length = if length.is_finite() {
                length.clamp(MIN_WINDOW_SIZE[axis], MAX_WINDOW_SIZE[axis])
            } else {
                usual[axis]
            };
        }
        for (width, (least, usual, most)) in self.panel_widths.iter_mut().zip(PANEL_WIDTHS) {
            *width = match width.is_finite() {
                true => width.clamp(least, most),
                false => usual,
            };
        }
        self.text_size = match self.text_size.is_finite() {
            true => self
                .text_size
                .clamp(TEXT_SIZES[0], TEXT_SIZES[TEXT_SIZES.len() - 1]),
            false => 1.0,
        };
        self.recent.truncate(MAX_RECENT);
        self
    }

    /// Remembers. Nothing depends on it, so that it may fail.
    pub fn save(&self) {
        let Some(path) = Self::file() else { return };
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        if let Some(directory) = path.parent() {
            let _ = fs::create_dir_all(directory);
        }
        let _ = write_text(&path, &(text + "\n"));
    }

    /// A file or directory was opened.
    pub fn add_recent(&mut self, path: &Path) {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT);
    }

    /// The column that edges are coloured by, if it is one.
    pub fn measured_column(&self) -> Option<&str> {
        self.measure.strip_prefix("column ")
    }

    /// How trees are drawn; by visits if edges are coloured by a column, which only a tree can tell.
    pub fn look(&self) -> RenderOptions {
        RenderOptions {
            scale: ColourScale {
                measure: match self.measure.as_str() {
                    "second" => Measure::SearchVisits,
                    "mean" => Measure::Mean,
                    "proof" => Measure::Proof,
                    _ => Measure::Visits,
                },
                logarithmic: self.logarithmic,
                per_layer: self.per_layer,
            },
            size_by_visits: self.by_size,
            shows_labels: self.labels,
            shows_line: true,
            label_style: LabelStyle::default(),
            value_view: self.value_view,
        }
    }

    /// Takes the next larger or smaller size of text, or the usual one for 0.
    pub fn step_text_size(&mut self, steps: i32) {
        let mut sizes = TEXT_SIZES.into_iter();
        let now = self.text_size;
        self.text_size = match steps {
            0 => 1.0,
            1.. => sizes.find(|&size| size > now + 0.01).unwrap_or(now),
            _ => sizes.rfind(|&size| size < now - 0.01).unwrap_or(now),
        };
    }

    /// Which of the palettes is chosen; none if the colours are one's own.
    pub fn selected_palette(&self) -> Option<usize> {
        match self.edge_colours {
            Some(REPORT_COLOURS) => Some(REPORT),
            Some(_) => None,
            None => {
                let known = PALETTES.iter().position(|other| other.name == self.palette);
                Some(known.unwrap_or(THEME))
            }
        }
    }

    /// Takes one of the palettes: other hues, and nothing else.
    pub fn select_palette(&mut self, index: usize) {
        self.edge_colours = (index == REPORT).then_some(REPORT_COLOURS);
        self.palette = match index {
            THEME | REPORT => String::new(),
            _ => PALETTES
                .get(index)
                .map_or("", |palette| palette.name)
                .to_owned(),
        };
    }

    /// The colours.
    pub fn theme(&self) -> Theme {
        let mut theme = if self.dark {
            Theme::dark()
        } else {
            Theme::light()
        };
        if let Some(index) = self.selected_palette() {
            PALETTES[index].apply(&mut theme);
        }
        if let Some([least, most]) = self.edge_colours {
            let colour = |[red, green, blue]: [u8; 3]| egui::Color32::from_rgb(red, green, blue);
            (theme.edge_least, theme.edge_most) = (colour(least), colour(most));
        }
        theme
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absurd_window_is_clamped() {
        let window = |text: &str| ViewerSettings::parse(&format!("{{\"window\": {text}}}")).window;
        assert_eq!(window("[1e9, 1e9]"), MAX_WINDOW_SIZE);
        assert_eq!(window("[1e30, 100000]"), MAX_WINDOW_SIZE);
        assert_eq!(window("[-5, 0]"), MIN_WINDOW_SIZE);
        assert_eq!(window("[1000, 700]"), [1000.0, 700.0]);
        let usual = ViewerSettings::default().window;
        for nonsense in [
            "[]",
            "[1e999, 1]",
            "[1e39, 1e39]",
            "\"wide\"",
            "null",
            "[[1], 2]",
        ] {
            let window = window(nonsense);
            assert!(
                window == usual || window == MAX_WINDOW_SIZE,
                "{nonsense}: {window:?}"
            );
        }
    }

    #[test]
    fn panels_and_text_keep_to_sizes_that_can_be_used() {
        let parse = |text: &str| ViewerSettings::parse(text);
        assert_eq!(
            parse("{\"panel_widths\": [1, 1e9]}").panel_widths,
            [216.0, 640.0]
        );
        assert_eq!(
            parse("{\"panel_widths\": [300, 400]}").panel_widths,
            [300.0, 400.0]
        );
        assert_eq!(parse("{\"text_size\": 20}").text_size, 1.5);
        assert_eq!(parse("{\"text_size\": \"large\"}").text_size, 1.0);
        let mut settings = ViewerSettings::default();
        let sizes = [1, 1, 1, 1, -1, 0, -1, -1].map(|steps| {
            settings.step_text_size(steps);
            settings.text_size
        });
        assert_eq!(sizes, [1.15, 1.3, 1.5, 1.5, 1.3, 1.0, 0.9, 0.9]);
        assert_eq!(
            parse("{\"value_view\": \"mover\"}").value_view,
            ValueView::Mover
        );
        assert_eq!(
            parse("{\"value_view\": \"nobody\"}").value_view,
            ValueView::Root
        );
    }

    #[test]
    fn a_palette_changes_hues_and_no_other_setting() {
        let plain = ViewerSettings {
            logarithmic: true,
            per_layer: true,
            measure: "mean".to_owned(),
            ..ViewerSettings::default()
        };
        for index in 0..PALETTES.len() {
            let mut settings = plain.clone();
            settings.select_palette(index);
            assert_eq!(settings.selected_palette(), Some(index));
            assert_eq!(settings.look(), plain.look());
            let hues = (
                settings.edge_colours.take(),
                std::mem::take(&mut settings.palette),
            );
            assert_eq!(settings, plain, "{hues:?}");
        }
    }

    #[test]
    fn one_value_that_cannot_be_used_does_not_cost_the_others() {
        let text =
            "{\"dark\": false, \"labels\": 7, \"play\": [], \"window\": \"x\", \"unknown\": {}}";
        let expected = ViewerSettings {
            dark: false,
            ..ViewerSettings::default()
        };
        assert_eq!(ViewerSettings::parse(text), expected);
        for text in ["", "[]", "null", "{\"dark\":", "\u{0}"] {
            assert_eq!(
                ViewerSettings::parse(text),
                ViewerSettings::default(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn what_is_remembered_is_read_again() {
        let settings = ViewerSettings {
            dark: false,
            window: [1000.0, 700.0],
            recent: vec!["/a".into()],
            ..ViewerSettings::default()
        };
        let text = serde_json::to_string(&settings).expect("settings are JSON");
        assert_eq!(ViewerSettings::parse(&text), settings);
    }

    #[cfg(unix)]
    #[test]
    fn a_text_replaces_what_a_link_leads_to_and_not_the_link() {
        let temporary =
            crate::system::temporary::TemporaryDirectory::new().expect("it can be made");
        let directory = temporary.path().join("settings");
        fs::create_dir(&directory).expect("it can be made");
        let (file, link) = (directory.join("file"), directory.join("link"));
        fs::write(&file, "old").expect("a file can be written");
        std::os::unix::fs::symlink(&file, &link).expect("a link can be made");
        write_text(&link, "new").expect("it can be written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
        let names = fs::read_dir(&directory).expect("it can be listed").count();
        assert_eq!(names, 2, "nothing temporary is left");
    }
}
