//! Tree files by name: which format, which files stand beside them, and how they are written: under a temporary name, then renamed,
//! so that nobody ever reads half a file.

use std::{
    ffi::OsStr,
    fmt,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{
    OmittedRows, Tree, TreeBuilder, TreeError, TreePart, TreeRow, binary, columns, csv, extra,
    import::{self, ImportFormat, Mapping},
    meta,
};

/// Report 000's two formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// `.tree`.
    #[default]
    Tree,
    /// `.csv`.
    Csv,
}

impl Format {
    /// The format of that name: `tree` or `csv`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "tree" => Some(Self::Tree),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }

    /// The format named by a file's extension.
    pub fn from_path(path: &Path) -> Result<Self, TreeError> {
        path.extension()
            .and_then(OsStr::to_str)
            .and_then(|extension| Self::parse(&extension.to_ascii_lowercase()))
            .ok_or_else(|| {
                TreeError::Name(
                    "its name does not tell its format: expected .tree or .csv at the end"
                        .to_owned(),
                )
            })
    }

    /// Writes a tree in this format, with [`binary::write`] or [`csv::write`].
    pub fn write(self, tree: &Tree, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Tree => binary::write(tree, out),
            Self::Csv => csv::write(tree, out),
        }
    }

    /// Reads a file in this format.
    pub fn read(self, path: &Path) -> Result<Tree, TreeError> {
        (self.read_into(TreeBuilder::default, path)).map(|part| part.tree)
    }

    /// Reads a file in this format, with [`binary::read_into`] or [`csv::read_into`], as much of it as the builder keeps.
    fn read_into(
        self,
        builder: impl Fn() -> TreeBuilder,
        path: &Path,
    ) -> Result<TreePart, TreeError> {
        match self {
            Self::Tree => binary::read_into(builder(), File::open(path)?),
            Self::Csv => csv::read_into(builder, || File::open(path)),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Tree => "tree",
            Self::Csv => "csv",
        })
    }
}

/// A tree with its sidecars.
#[derive(Debug)]
pub struct Document {
    /// The tree.
    pub tree: Tree,
    /// STEM.json.
    pub meta: Option<meta::Meta>,
    /// STEM.extra, if it belongs to this tree.
    pub extra: Option<Vec<extra::Extra>>,
    /// STEM.columns, if it belongs to this tree.
    pub columns: Option<columns::Columns>,
    /// Files beside the tree that could not be used, and why.
    pub problems: Vec<String>,
}

/// Reads a tree file with its sidecars. The format is `format`, or follows from the file's extension. Where the format stores
/// no statistics of the root, they come from STEM.json. A broken sidecar is left out and named in [`Document::problems`].
///
/// ```
/// use canopy_engine::tree::files;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::env::temp_dir().join(format!("canopy-doc-{}.csv", std::process::id()));
/// // Columns: move, visits, visits of this search, mean, state, children.
/// std::fs::write(&path, ",3,3,0.5,connect-four startpos,2\n4,2,2,0.75,p2,0\n1,1,1,0,p2,0\n")?;
/// let document = files::read(&path, None)?;
/// # std::fs::remove_file(&path)?;
///
/// let tree = &document.tree;
/// let sizes = tree.subtree_sizes();
/// let best = tree.children(0, &sizes).max_by_key(|&row| tree.nodes()[row].visits);
/// assert_eq!(best.map(|row| tree.move_name(row)), Some("4"));
/// assert!(document.meta.is_none() && document.problems.is_empty());
/// # Ok(())
/// # }
/// ```
pub fn read(path: &Path, format: Option<Format>) -> Result<Document, TreeError> {
    let format = match format {
        Some(format) => format,
        None => match ImportFormat::from_path(path) {
            Some(format) => return read_foreign(path, format),
            None => Format::from_path(path)?,
        },
    };
    read_with(path, format, TreeBuilder::default).map(|(document, _)| document)
}

/// Reads the most visited part of a tree file that fits into `bytes`, a node counting as `node_bytes` besides its names.
/// Also returns what was left out.
pub fn read_with_byte_limit(
    path: &Path,
    bytes: usize,
    node_bytes: usize,
) -> Result<(Document, OmittedRows), TreeError> {
    let extra = if sidecar_path(path, "extra").exists() {
        size_of::<extra::Extra>()
    } else {
        0
    };
    let columns = File::open(sidecar_path(path, "columns"))
        .map_or(0, |file| columns::row_bytes(file).unwrap_or(0));
    if let Some(format) = ImportFormat::from_path(path) {
        return cut_document(read_foreign(path, format)?, bytes, node_bytes);
    }
    let builder = || TreeBuilder::with_byte_limit(bytes, node_bytes + extra + columns);
    read_with(path, Format::from_path(path)?, builder)
}

/// Reads a file of another program, by the mapping file STEM.toml beside it if there is one.
fn read_foreign(path: &Path, format: ImportFormat) -> Result<Document, TreeError> {
    let tree = sidecar_path(path, "tree");
    if format == ImportFormat::Json && (tree.exists() || sidecar_path(path, "csv").exists()) {
        let problem = format!("it is the sidecar of {}: open that", tree.display());
        return Err(TreeError::Name(problem));
    }
    let beside = sidecar_path(path, "toml");
    let mapping = match std::fs::read_to_string(&beside) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Mapping::default(),
        Err(error) => return Err(error.into()),
        Ok(text) => Mapping::parse(&text)
            .map_err(|problem| TreeError::Name(format!("{}: {problem}", beside.display())))?,
    };
    import::read(path, format, &mapping)
}

/// The most visited part of a document that fits into `bytes`.
fn cut_document(
    document: Document,
    bytes: usize,
    node_bytes: usize,
) -> Result<(Document, OmittedRows), TreeError> {
    let figures = document
        .columns
        .as_ref()
        .map_or(0, |columns| 8 * columns.columns.len());
    let mut builder = TreeBuilder::with_byte_limit(bytes, node_bytes + figures);
    let whole = &document.tree;
    for (row, node) in whole.nodes().iter().enumerate() {
        let row = TreeRow {
            move_name: whole.move_name(row),
            visits: node.visits,
            second: node.second,
            mean: node.mean,
            state: whole.state(row),
            children: node.children,
        };
        builder
            .push(&row)
            .map_err(|problem| TreeError::at_line(1, problem))?;
    }
    let part = builder
        .finish_part()
        .map_err(|problem| TreeError::at_line(1, problem))?;
    let columns = match &part.rows {
        None => document.columns,
        Some(rows) => document.columns.map(|columns| columns.select(rows)),
    };
    let document = Document {
        tree: part.tree,
        columns,
        ..document
    };
    Ok((document, part.omitted))
}

/// Writes a tree with its sidecars, which become those of `path`. Each file appears whole.
pub fn write_document(path: &Path, format: Format, document: &Document) -> io::Result<()> {
    let name = |extension: &str| {
        let path = sidecar_path(path, extension);
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let mut meta = document.meta.clone().unwrap_or_default();
    meta.extra = document.extra.as_ref().and_then(|_| name("extra"));
    meta.columns = document.columns.as_ref().and_then(|_| name("columns"));
    let text = meta::to_json(&meta);
    write_atomic_synced(&sidecar_path(path, "json"), |out| {
        out.write_all(text.as_bytes())
    })?;
    if let Some(extra) = &document.extra {
        write_atomic_synced(&sidecar_path(path, "extra"), |out| extra::write(extra, out))?;
    }
    if let Some(columns) = &document.columns {
        write_atomic_synced(&sidecar_path(path, "columns"), |out| {
            columns::write(columns, out)
        })?;
    }
    write_atomic_synced(path, |out| format.write(&document.tree, out))
}

fn read_with(
    path: &Path,
    format: Format,
    builder: impl Fn() -> TreeBuilder,
) -> Result<(Document, OmittedRows), TreeError> {
    let TreePart {
        mut tree,
        rows,
        omitted,
    } = format.read_into(builder, path)?;
    let mut problems = Vec::new();
    let meta = read_sidecar(path, "json", meta::read, &mut problems);
    if let (Format::Tree, Some(meta)) = (format, &meta) {
        let (visits, second) = (
            saturate_counter(meta.root.visits).0,
            saturate_counter(meta.root.second).0,
        );
        tree.set_root_stats(visits, second, meta.root.mean);
    }
    let read_extra = |file| extra::read_rows(file, rows.as_deref());
    let mut extra = read_sidecar(path, "extra", read_extra, &mut problems);
    let all = tree.nodes().len() as u64 + omitted.nodes;
    if let Some((_, records)) = extra
        && records != all
    {
        problems.push(format!(
            "{}: {records} records for a tree of {all} rows",
            sidecar_path(path, "extra").display(),
        ));
        extra = None;
    }
    let read_columns = |file| columns::read_rows(file, rows.as_deref());
    let mut columns = read_sidecar(path, "columns", read_columns, &mut problems);
    if let Some(found) = columns.take_if(|columns| columns.rows != all) {
        problems.push(format!(
            "{}: columns of {} rows for a tree of {all}",
            sidecar_path(path, "columns").display(),
            found.rows
        ));
    }
    let document = Document {
        tree,
        meta,
        extra: extra.map(|(rows, _)| rows),
        columns,
        problems,
    };
    Ok((document, omitted))
}

fn read_sidecar<T>(
    path: &Path,
    extension: &str,
    read: impl FnOnce(File) -> Result<T, TreeError>,
    problems: &mut Vec<String>,
) -> Option<T> {
    let path = sidecar_path(path, extension);
    let found = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => Err(error.into()),
        Ok(file) => read(file),
    };
    match found {
        Ok(value) => Some(value),
        Err(error) => {
            problems.push(format!("{}: {error}", path.display()));
            None
        }
    }
}

/// The file beside a tree file that ends in `extension`.
pub fn sidecar_path(path: &Path, extension: &str) -> PathBuf {
    path.with_extension(extension)
}

/// Clamps a counter to the formats' range; true if it was clamped.
pub fn saturate_counter(counter: u64) -> (i32, bool) {
    match i32::try_from(counter) {
        Ok(counter) => (counter, false),
        Err(_) => (i32::MAX, true),
    }
}

/// Writes a file under a temporary name that begins with a dot, and gives it its own name when it is complete; on an error
/// the temporary file is removed.
pub fn write_atomic(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    write_atomic_with(path, fill, |from, to| std::fs::rename(from, to))
}

/// [`write_atomic`] for files that a person saves: syncs the content before the rename, so that a power failure leaves the
/// old file or the new one. Takes milliseconds, too long for trees of a live game.
pub fn write_atomic_synced(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    write_atomic(path, |out| {
        fill(out)?;
        out.flush()?;
        out.get_ref().sync_all()
    })
}

/// [`write_atomic`], the last step being `publish`, from the temporary name to the file's own.
pub(super) fn write_atomic_with(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    publish: impl FnOnce(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let (file, temporary) = create_temporary(path)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let result = fill(&mut out)
        .and_then(|()| out.flush())
        .and_then(|()| publish(&temporary, path));
    if result.is_err() {
        // Nothing more is to be written to it, not even when it goes out of scope.
        let _ = out.into_parts();
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

/// A new file that is going to be `path`, under a temporary name that begins with a dot; and that name.
pub(super) fn create_temporary(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::other("not the name of a file"))?;
    let mut hidden = std::ffi::OsString::from(format!(".{}-", std::process::id()));
    hidden.push(name);
    hidden.push(".tmp");
    let temporary = path.with_file_name(hidden);
    let create = || {
        File::options()
            .write(true)
            .create_new(true)
            .open(&temporary)
    };
    let created = match create() {
        // Left behind by a process with the same id, or planted: never written through.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(&temporary)?;
            create()
        }
        result => result,
    };
    created.map(|file| (file, temporary))
}
