//! The opening book that `BookFile` names, read when it is first needed.

use super::tree_outputs::TreeOutputs;
use crate::session::OpeningBook;

/// A book, and the value of `BookFile` it was read for.
#[derive(Default)]
pub(super) struct BookFile {
    /// None before the first search.
    path: Option<String>,
    /// None if it could not be read.
    book: Option<OpeningBook>,
}

impl BookFile {
    /// The book at `path`. Without one, the error is a sentence for the client the first time, and then nothing.
    pub(super) fn get(
        &mut self,
        trees: &TreeOutputs,
        path: &str,
    ) -> Result<&OpeningBook, Option<String>> {
        if self.path.as_deref() != Some(path) {
            self.path = Some(path.to_owned());
            self.book = None;
            match Self::read(trees, path) {
                Ok(book) => self.book = Some(book),
                Err(problem) => return Err(Some(format!("{problem}; searching without a book"))),
            }
        }
        self.book.as_ref().ok_or(None)
    }

    fn read(trees: &TreeOutputs, path: &str) -> Result<OpeningBook, String> {
        let resolved = trees.resolve("BookFile", path)?;
        let path = resolved.ok_or("OwnBook needs an opening book: set BookFile")?;
        OpeningBook::read(&path).map_err(|error| error.to_string())
    }
}
