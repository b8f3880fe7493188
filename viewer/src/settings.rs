//! What is remembered from one start to the next, in the user's configuration directory.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    play::setup::Setup,
    scene::{Look, Measure, Scale},
    theme::Theme,
};

/// So many files and directories are remembered.
const RECENT: usize = 8;

/// What is remembered. What is missing in the file has its default, and what is unknown is ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The dark theme, or the light one.
    pub dark: bool,
    /// The colours of the least and the most visited edges, if not the theme's.
    pub edge_colours: Option<[[u8; 3]; 2]>,
    /// What edges are coloured by: `visits`, `second` or `mean`.
    pub measure: String,
    /// Whether visits count by their logarithm.
    pub logarithmic: bool,
    /// Whether each layer has a range of its own.
    pub per_layer: bool,
    /// Whether edges and nodes are as large as their visits say.
    pub by_size: bool,
    /// Whether there are labels.
    pub labels: bool,
    /// Whether the area on the left is folded away, and the one on the right.
    pub folded: [bool; 2],
    /// Whether boards name their columns and rows.
    pub coordinates: bool,
    /// The size of the window in points.
    pub window: [f32; 2],
    /// Files and directories that were open, the last first.
    pub recent: Vec<PathBuf>,
    /// What was played last.
    #[serde(deserialize_with = "or_default")]
    pub play: Setup,
}

/// What was played last; the default if it cannot be read, which must not cost the rest.
fn or_default<'de, D: Deserializer<'de>>(from: D) -> Result<Setup, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dark: true,
            edge_colours: None,
            measure: "visits".to_owned(),
            logarithmic: true,
            per_layer: false,
            by_size: true,
            labels: true,
            folded: [false, false],
            coordinates: true,
            window: [1400.0, 880.0],
            recent: Vec::new(),
            play: Setup::default(),
        }
    }
}

/// A directory of the user: what a variable says, or what systems have for it, on most of them this one in the home directory.
/// None if the system does not say.
pub fn user_directory(variable: &str, usual: &str) -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    if cfg!(windows) {
        named("APPDATA")
    } else if let Some(directory) = named(variable).filter(|path| path.is_absolute()) {
        Some(directory)
    } else if cfg!(target_os = "macos") {
        Some(named("HOME")?.join("Library/Application Support"))
    } else {
        Some(named("HOME")?.join(usual))
    }
}

impl Settings {
    /// Where they are kept; none if the system does not say.
    pub fn file() -> Option<PathBuf> {
        Some(user_directory("XDG_CONFIG_HOME", ".config")?.join("canopy/viewer.json"))
    }

    /// What was remembered; the defaults if nothing was, or if it cannot be read.
    pub fn load() -> Self {
        let text = Self::file().and_then(|path| fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// Remembers. Nothing depends on it, so that it may fail.
    pub fn store(&self) {
        let Some(path) = Self::file() else { return };
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        if let Some(directory) = path.parent() {
            let _ = fs::create_dir_all(directory);
        }
        let _ = fs::write(path, text + "\n");
    }

    /// A file or directory was opened.
    pub fn remember(&mut self, path: &Path) {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(RECENT);
    }

    /// How trees are drawn.
    pub fn look(&self) -> Look {
        Look {
            scale: Scale {
                measure: match self.measure.as_str() {
                    "second" => Measure::Second,
                    "mean" => Measure::Mean,
                    _ => Measure::Visits,
                },
                logarithmic: self.logarithmic,
                per_layer: self.per_layer,
            },
            by_size: self.by_size,
            labels: self.labels,
        }
    }

    /// The colours.
    pub fn theme(&self) -> Theme {
        let mut theme = if self.dark {
            Theme::dark()
        } else {
            Theme::light()
        };
        if let Some([least, most]) = self.edge_colours {
            let colour = |[red, green, blue]: [u8; 3]| egui::Color32::from_rgb(red, green, blue);
            (theme.edge_least, theme.edge_most) = (colour(least), colour(most));
        }
        theme
    }
}
