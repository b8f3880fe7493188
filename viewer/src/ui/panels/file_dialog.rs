//! The dialog for a file's name: a field, the formats to save in, and the folder to browse.

use std::path::{Path, PathBuf};

use canopy_engine::{
    games::{GameFacts, facts::RecordFormat},
    tree::files::Format,
};
use egui::{Button, Checkbox, DragValue, FontId, Key, RichText, ScrollArea, TextEdit, Ui};

use super::{
    elide::elide,
    form::{Segment, show_segments},
};
use crate::{
    app::{Action, CompareAction, GameAction, display_name},
    draw::theme::{BODY_SIZE, Theme},
    play::files::is_game_file,
    system::paths::absolute,
    tree::{
        figure::{self, FigureWords},
        sequence::{is_foreign_tree, is_tree_file},
    },
    ui::{
        controls::{self, Named as _},
        keys::{Command, hint},
    },
    workers::render::is_picture,
};

/// Upper bound of listed files of a folder.
const MAX_LISTED_FILES: usize = 2000;
/// Height of the list of files, in points.
const LIST_HEIGHT: f32 = 260.0;
/// Enlargements of a picture.
const PICTURE_SCALES: [f64; 3] = [1.0, 2.0, 4.0];

/// What a file is wanted for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FilePurpose {
    /// To be opened: trees or a game.
    Open,
    /// To be compared with the shown tree.
    OpenSecond,
    /// To save a tree or a picture of it.
    SaveTree,
    /// To save a game of this kind.
    SaveGame(&'static GameFacts),
}

/// A format to save in.
struct SaveFormat {
    extension: &'static str,
    label: &'static str,
    hint: &'static str,
}

const TREE_FORMATS: [SaveFormat; 5] = [
    SaveFormat {
        extension: "tree",
        label: "Binary (.tree)",
        hint: "Every node in a small file that programs read quickly",
    },
    SaveFormat {
        extension: "csv",
        label: "CSV (.csv)",
        hint: "Every node as a line of text",
    },
    SaveFormat {
        extension: "png",
        label: "Picture (.png)",
        hint: "The tree as it is seen now, in pixels",
    },
    SaveFormat {
        extension: "svg",
        label: "Drawing (.svg)",
        hint: "The tree as it is seen now, sharp at any size",
    },
    SaveFormat {
        extension: "pdf",
        label: "Figure (.pdf)",
        hint: "A figure for a publication, sharp at any size",
    },
];

impl FilePurpose {
    fn is_save(self) -> bool {
        !matches!(self, Self::Open | Self::OpenSecond)
    }

    /// The formats to save in, the usual one first.
    fn formats(self) -> Vec<SaveFormat> {
        match self {
            Self::Open | Self::OpenSecond => Vec::new(),
            Self::SaveTree => TREE_FORMATS.into_iter().collect(),
            Self::SaveGame(facts) => {
                let records = facts.record_formats.iter().map(|format| match format {
                    RecordFormat::Pgn => SaveFormat {
                        extension: format.extension(),
                        label: "PGN (.pgn)",
                        hint: "Portable Game Notation, with names, date and result",
                    },
                    RecordFormat::Ggf => SaveFormat {
                        extension: format.extension(),
                        label: "GGF (.ggf)",
                        hint: "Generic Game Format, with names, date and result",
                    },
                });
                let moves = SaveFormat {
                    extension: "txt",
                    label: "Moves (.txt)",
                    hint: "Names, date, start and the moves, as text",
                };
                records.chain([moves]).collect()
            }
        }
    }

    /// Whether such a file is listed.
    fn lists(self, path: &Path) -> bool {
        match self {
            Self::Open => is_tree_file(path) || is_foreign_tree(path) || is_game_file(path),
            Self::OpenSecond => is_tree_file(path),
            Self::SaveTree => is_tree_file(path) || is_picture(path),
            Self::SaveGame(_) => is_game_file(path),
        }
    }
}

/// An entry of a folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    is_file: bool,
    path: PathBuf,
}

/// A file dialog.
pub(super) struct FileDialog {
    purpose: FilePurpose,
    /// What stands in the field: a full path, or how many files are chosen.
    text: String,
    /// Whether the field takes the keyboard focus.
    focuses_field: bool,
    /// Files to be opened together.
    selected: Vec<PathBuf>,
    /// Size of a saved picture relative to the screen.
    picture_scale: f64,
    /// The words of a figure, and whether one is saved where the format leaves the choice.
    figure: Option<(FigureWords, bool)>,
    /// The folder that is listed, and its entries.
    listing: Option<(PathBuf, Vec<Entry>)>,
    /// Why the answer was rejected.
    problem: Option<String>,
    /// The existing file for which the user has been warned that it will be replaced.
    confirmed_replacement: Option<PathBuf>,
}

impl FileDialog {
    /// A dialog that begins with a path: of a folder to open from, or of the file to save.
    pub(super) fn new(purpose: FilePurpose, path: &Path) -> Self {
        Self {
            purpose,
            text: path.display().to_string(),
            focuses_field: true,
            selected: Vec::new(),
            picture_scale: 1.0,
            figure: None,
            listing: None,
            problem: None,
            confirmed_replacement: None,
        }
    }

    /// The same for a tree of which a figure with these words can be made.
    pub(super) fn with_figure(self, words: FigureWords) -> Self {
        Self {
            figure: Some((words, false)),
            ..self
        }
    }

    /// The title of its window.
    pub(super) fn title(&self) -> &'static str {
        match self.purpose {
            FilePurpose::Open => "Open",
            FilePurpose::OpenSecond => "Open a second tree",
            FilePurpose::SaveTree => "Save the tree",
            FilePurpose::SaveGame(_) => "Save the game",
        }
    }

    /// Shows the dialog; true once it is answered.
    pub(super) fn show(&mut self, ui: &mut Ui, theme: &Theme, actions: &mut Vec<Action>) -> bool {
        let is_save = self.purpose.is_save();
        let about = match is_save {
            true => "Where to, and in which format",
            false => "A folder, a tree file, or several: click them in the list; or a game",
        };
        ui.label(RichText::new(about).color(theme.dim));
        let is_entered = self.show_field(ui);
        if is_save {
            self.show_formats(ui, theme);
        }
        self.show_files(ui, theme);
        if let Some(problem) = &self.problem {
            ui.label(RichText::new(problem).color(theme.bad))
                .named("dialog problem");
        }
        let mut is_done = false;
        ui.horizontal(|ui| {
            let (verb, about) = match is_save {
                true => ("Save", "Write the file (Enter)"),
                false => ("Open", "Open what stands in the field (Enter)"),
            };
            let is_pressed = ui.button(verb).explained("dialog yes", about).clicked();
            if (is_pressed || is_entered) && !self.text.trim().is_empty() {
                self.problem = is_save.then(|| self.validate()).flatten();
                if self.problem.is_none() {
                    actions.push(self.to_action());
                    is_done = true;
                }
            }
            let about = hint("Leave everything as it is", Command::Close);
            is_done |= (ui.button("Cancel").explained("dialog no", about)).clicked();
        });
        is_done
    }

    /// The field with the path; true if Enter was pressed in it.
    fn show_field(&mut self, ui: &mut Ui) -> bool {
        let field = TextEdit::singleline(&mut self.text).desired_width(f32::INFINITY);
        let about = match self.selected.len() {
            0 | 1 => "The whole path; type it, or choose below",
            _ => "So many files are opened together; those chosen below",
        };
        let field = ui.add(field).explained("dialog path", about);
        controls::register(ui.ctx(), &format!("path: {}", self.text), field.rect);
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if field.changed() {
            self.selected.clear();
            self.problem = None;
        }
        if std::mem::take(&mut self.focuses_field) || is_entered {
            field.request_focus();
        }
        is_entered
    }

    /// The formats, and the size of a picture.
    fn show_formats(&mut self, ui: &mut Ui, theme: &Theme) {
        let formats = self.purpose.formats();
        let segments: Vec<Segment<'_>> = (formats.iter())
            .map(|format| {
                let name = format!("format {}", format.extension);
                Segment::new(name, format.label, format.hint)
            })
            .collect();
        let path = PathBuf::from(self.text.trim());
        let ending = path.extension().unwrap_or_default();
        let chosen =
            (formats.iter()).position(|known| ending.eq_ignore_ascii_case(known.extension));
        ui.horizontal(|ui| {
            ui.label(RichText::new("Format").color(theme.dim));
            let clicked = show_segments(ui, theme, &segments, chosen);
            if let Some(format) = clicked.and_then(|index| formats.get(index)) {
                self.set_path(&path.with_extension(format.extension));
            }
        });
        let is_figure = self.show_figure(&ending.to_string_lossy(), ui, theme);
        if ending.eq_ignore_ascii_case("png") && !is_figure {
            ui.horizontal(|ui| {
                ui.label(RichText::new("Size of the picture").color(theme.dim));
                for scale in PICTURE_SCALES {
                    let text = format!("{scale}×");
                    let choice = ui.selectable_value(&mut self.picture_scale, scale, &text);
                    let about = format!("{scale} times as many pixels each way as on the screen");
                    choice.explained(&format!("picture {text}"), about);
                }
            });
        }
    }

    /// The choice of a figure for a publication, and its words; true if one is saved.
    fn show_figure(&mut self, ending: &str, ui: &mut Ui, theme: &Theme) -> bool {
        let is_picture = figure::FORMATS
            .iter()
            .any(|name| ending.eq_ignore_ascii_case(name));
        let Some((words, is_chosen)) = self.figure.as_mut().filter(|_| is_picture) else {
            return false;
        };
        let mut is_figure = *is_chosen || ending.eq_ignore_ascii_case("pdf");
        let can_choose = !ending.eq_ignore_ascii_case("pdf");
        let text = "Figure for a publication: title, legend and caption on white";
        let choice = ui.add_enabled(can_choose, Checkbox::new(&mut is_figure, text));
        let about = "Every text an outline, 300 dots an inch in pixels";
        if choice.explained("figure", about).changed() {
            *is_chosen = is_figure;
        }
        if !is_figure {
            return false;
        }
        let name = |ui: &mut Ui, text: &str| {
            ui.label(RichText::new(text).color(theme.dim));
        };
        name(ui, "Title");
        ui.add(TextEdit::singleline(&mut words.title).desired_width(f32::INFINITY))
            .named("figure title");
        name(ui, "Caption");
        ui.add(
            TextEdit::multiline(&mut words.caption)
                .desired_width(f32::INFINITY)
                .desired_rows(2),
        )
        .named("figure caption");
        ui.horizontal(|ui| {
            name(ui, "Width");
            let field = DragValue::new(&mut words.width_mm)
                .range(20.0..=2000.0)
                .suffix(" mm");
            ui.add(field)
                .explained("figure width", "On paper; a column has about 88 mm");
        });
        true
    }

    /// The words of the figure that is saved; none if none is.
    fn chosen_figure(&self, path: &Path) -> Option<FigureWords> {
        let (words, is_chosen) = self.figure.as_ref()?;
        let is_pdf = path
            .extension()
            .is_some_and(|name| name.eq_ignore_ascii_case("pdf"));
        (is_pdf || (*is_chosen && is_picture(path))).then(|| words.clone())
    }

    /// Another path stands in the field.
    fn set_path(&mut self, path: &Path) {
        self.text = path.display().to_string();
        self.problem = None;
        self.focuses_field = true;
    }

    /// Why the file cannot be saved there, if so. An existing file is replaced on the second confirmation.
    fn validate(&mut self) -> Option<String> {
        let path = PathBuf::from(self.text.trim());
        if !is_game_file(&path) && !is_picture(&path) && Format::from_path(&path).is_err() {
            return Some(
                "The name says what is saved: expected .tree, .csv, .png, .svg, .pdf, or a game's .txt, .pgn or .ggf.".to_owned(),
            );
        }
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Some(format!("There is no folder {}.", folder.display()));
        }
        if path.exists() && self.confirmed_replacement.as_ref() != Some(&path) {
            self.confirmed_replacement = Some(path);
            return Some("There is a file of that name; Save once more replaces it.".to_owned());
        }
        None
    }

    fn to_action(&self) -> Action {
        let path = PathBuf::from(self.text.trim());
        let first = self.selected.first().unwrap_or(&path);
        if self.purpose == FilePurpose::OpenSecond {
            Action::Compare(CompareAction::OpenSecond(first.clone()))
        } else if is_game_file(first) && self.purpose.is_save() {
            Action::Game(GameAction::Save(path))
        } else if is_game_file(first) {
            Action::LoadGame(first.clone())
        } else if let Some(words) = self.chosen_figure(&path).filter(|_| self.purpose.is_save()) {
            Action::SaveFigure(path, words)
        } else if self.purpose.is_save() {
            Action::Save(path, self.picture_scale)
        } else if self.selected.is_empty() {
            Action::Open(vec![path])
        } else {
            Action::Open(self.selected.clone())
        }
    }

    /// The folder to list: that of the chosen files, or the one that the field names.
    fn directory(&self) -> Option<PathBuf> {
        if let Some(chosen) = self.selected.first() {
            return chosen.parent().map(Path::to_owned);
        }
        let path = absolute(Path::new(self.text.trim()));
        match path.is_dir() {
            true => Some(path),
            false => path.parent().map(Path::to_owned),
        }
    }

    /// Lists the folder that the path points to.
    fn show_files(&mut self, ui: &mut Ui, theme: &Theme) {
        let Some(directory) = self.directory() else {
            return;
        };
        let is_listed = |(listed, _): &(PathBuf, Vec<Entry>)| *listed == directory;
        let entries = match self.listing.take().filter(is_listed) {
            Some((_, entries)) => entries,
            None => list_directory(&directory, self.purpose),
        };
        let mut clicked = None;
        ScrollArea::vertical()
            .max_height(LIST_HEIGHT)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                if let Some(above) = directory.parent() {
                    let up = ui.add(Button::new("↑ ..").frame(false));
                    let about = above.display().to_string();
                    if up.explained("folder above", about).clicked() {
                        clicked = Some(Entry {
                            is_file: false,
                            path: above.to_owned(),
                        });
                    }
                }
                for entry in &entries {
                    let is_chosen = self.selected.contains(&entry.path);
                    if show_entry(entry, is_chosen, ui, theme) {
                        clicked = Some(entry.clone());
                    }
                }
            });
        self.listing = Some((directory, entries));
        if let Some(entry) = clicked {
            self.choose(entry);
        }
    }

    /// Takes an entry of the list that was clicked.
    fn choose(&mut self, entry: Entry) {
        let Entry { is_file, path } = entry;
        match (self.purpose, is_file) {
            (FilePurpose::Open, true) => self.toggle(path),
            (FilePurpose::Open | FilePurpose::OpenSecond, false) => {
                self.selected.clear();
                self.set_path(&path);
            }
            (_, true) => self.set_path(&path),
            (_, false) => {
                let name = PathBuf::from(self.text.trim());
                let name = name.file_name().unwrap_or_default();
                self.set_path(&path.join(name));
            }
        }
    }

    /// Chooses a file to be opened, or no longer; the field says which, or how many there are.
    fn toggle(&mut self, path: PathBuf) {
        match self.selected.iter().position(|chosen| *chosen == path) {
            Some(at) => {
                self.selected.remove(at);
            }
            None => self.selected.push(path.clone()),
        }
        match self.selected.as_slice() {
            [] => self.set_path(path.parent().unwrap_or(&path)),
            [one] => self.set_path(&one.clone()),
            many => {
                self.text = format!("{} files", many.len());
                self.focuses_field = true;
            }
        }
    }
}

/// A folder or file in the list; true if it was clicked.
fn show_entry(entry: &Entry, is_chosen: bool, ui: &mut Ui, theme: &Theme) -> bool {
    let name = display_name(&entry.path);
    let font = FontId::proportional(BODY_SIZE);
    let room = ui.available_width() - 2.0 * ui.spacing().button_padding.x;
    let about = entry.path.display().to_string();
    if entry.is_file {
        let (text, _) = elide(ui.painter(), &name, (&font, theme.text), room);
        let file = ui.selectable_label(is_chosen, text);
        return file.explained(&format!("file {name}"), about).clicked();
    }
    let text = format!("{name}/");
    let (text, _) = elide(ui.painter(), &text, (&font, theme.cool), room);
    let folder = ui.add(Button::new(text).frame(false));
    folder.explained(&format!("folder {name}"), about).clicked()
}

/// The folders of a folder, and the files that may be wanted; folders first.
fn list_directory(directory: &Path, purpose: FilePurpose) -> Vec<Entry> {
    let mut entries: Vec<Entry> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| {
            let is_folder = entry
                .file_type()
                .is_ok_and(|kind| kind.is_dir() || kind.is_symlink() && entry.path().is_dir());
            Entry {
                is_file: !is_folder,
                path: entry.path(),
            }
        })
        .filter(|entry| !entry.is_file || purpose.lists(&entry.path))
        .collect();
    entries.sort();
    entries.truncate(MAX_LISTED_FILES);
    entries
}
