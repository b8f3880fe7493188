//! Tree files that are made for a measurement and removed after it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::TreeForm;
use crate::{
    catalog,
    games::{self, Playable, Visitor},
    search::StopFlag,
    session::grown_tree,
    tree::Tree,
};

/// A tree file in the system's directory for temporary files, removed with the value.
#[derive(Debug)]
pub(super) struct TreeFile {
    path: PathBuf,
    bytes: u64,
}

impl TreeFile {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Its size.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for TreeFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The file of a tree, which is grown when it is first needed.
pub(super) fn get_or_grow<'f>(
    file: &'f mut Option<TreeFile>,
    form: &TreeForm,
    seed: u64,
    stop: &StopFlag,
) -> Result<&'f TreeFile, String> {
    if file.is_none() {
        *file = Some(grow(form, seed, stop)?);
    }
    file.as_ref().ok_or_else(|| "there is no tree".to_owned())
}

/// What is wrong with the search of a tree.
pub(super) fn check(form: &TreeForm) -> Result<(), String> {
    let checked = games::with_game(&form.game, CheckSearch(&form.search));
    checked.map_err(|error| error.to_string())?
}

struct CheckSearch<'a>(&'a str);

impl Visitor for CheckSearch<'_> {
    type Out = Result<(), String>;

    fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
        let parsed = catalog::parse::<G>(self.0);
        parsed.map(|_| ()).map_err(|error| error.to_string())
    }
}

fn grow(form: &TreeForm, seed: u64, stop: &StopFlag) -> Result<TreeFile, String> {
    static FILES: AtomicU64 = AtomicU64::new(0);
    let visitor = GrowTree { form, seed, stop };
    let grown = games::with_game(&form.game, visitor);
    let tree = grown.map_err(|error| error.to_string())??;
    let format = form.format.format();
    let mut bytes = Vec::new();
    let written = format.write(&tree, &mut bytes);
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = format!("canopy-speed-{}-{number}.{format}", std::process::id());
    // From here on the file is removed, whatever happens.
    let file = TreeFile {
        path: env::temp_dir().join(name),
        bytes: bytes.len() as u64,
    };
    (written.and_then(|()| fs::write(&file.path, &bytes)))
        .map_err(|error| format!("{}: {error}", file.path.display()))?;
    Ok(file)
}

struct GrowTree<'a> {
    form: &'a TreeForm,
    seed: u64,
    stop: &'a StopFlag,
}

impl Visitor for GrowTree<'_> {
    type Out = Result<Tree, String>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let Self { form, seed, stop } = self;
        let spec = catalog::parse::<G>(&form.search).map_err(|error| error.to_string())?;
        let spec = spec.with_seed(seed);
        let grown = grown_tree::grow(&spec, &G::start(rules), form.nodes, stop);
        let Some(grown) = grown else {
            return Err(format!(
                "{} grows no tree: expected a search that does",
                form.search
            ));
        };
        match grown.tree.nodes().len() as u64 {
            count if count == form.nodes => Ok(grown.tree),
            count => Err(format!(
                "the tree has {count} nodes: expected {}",
                form.nodes
            )),
        }
    }
}
