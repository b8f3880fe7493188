//! A TOML file whose values know their lines.

use std::fmt;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// Something wrong with an experiment's file: where, what, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The line, from 1; 0 if it is not known yet.
    pub line: usize,
    /// The key, with the numbers of list items from 1: `players.2.search`; empty for the whole file.
    pub key: String,
    /// What is wrong, and what was expected.
    pub text: String,
}

impl Problem {
    /// A problem of the value of a key.
    pub fn at(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            line: 0,
            key: key.into(),
            text: text.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(out, "line {}: ", self.line)?;
        }
        match self.key.as_str() {
            "" => out.write_str(&self.text),
            key => write!(out, "{key}: {}", self.text),
        }
    }
}

/// A parsed file.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t str,
    root: Spanned<DeTable<'t>>,
}

impl<'t> Document<'t> {
    /// Parses a file.
    pub fn parse(text: &'t str) -> Result<Self, Problem> {
        match DeTable::parse(text) {
            Ok(root) => Ok(Self { text, root }),
            Err(error) => {
                let start = error.span().map_or(0, |span| span.start);
                Err(Problem {
                    line: line_of(text, start),
                    key: String::new(),
                    text: format!("not TOML: {}", error.message().replace('\n', ", ")),
                })
            }
        }
    }

    /// The file as it was written.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// All top-level keys.
    pub fn root(&self) -> &DeTable<'t> {
        self.root.get_ref()
    }

    /// The line of a place in the text.
    pub fn line(&self, offset: usize) -> usize {
        line_of(self.text, offset)
    }

    /// The text of a top-level key.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.root().get(key)?.get_ref().as_str()
    }

    /// Gives a problem the line of its key, or of the innermost table around it that is there.
    pub fn locate(&self, mut problem: Problem) -> Problem {
        if problem.line > 0 {
            return problem;
        }
        let mut words = problem.key.split('.');
        let mut found = words.next().and_then(|word| self.root().get(word));
        problem.line = 1;
        while let Some(value) = found {
            problem.line = self.line(value.span().start);
            found = words.next().and_then(|word| match value.get_ref() {
                DeValue::Table(table) => table.get(word),
                DeValue::Array(items) => {
                    let number: usize = word.parse().ok()?;
                    items.get(number.checked_sub(1)?)
                }
                _ => None,
            });
        }
        problem
    }

    /// A problem in a line, counted from 1, of the text that is the value of a key.
    pub fn locate_in_text(&self, problem: Problem, inner_line: usize) -> Problem {
        let mut problem = self.locate(problem);
        let begins_below = self.begins_below(problem.line);
        problem.line += inner_line - usize::from(!begins_below && inner_line > 0);
        problem
    }

    /// [`Self::locate_in_text`] for a text that may stand on one line.
    pub fn locate_in_list(&self, problem: Problem, inner_line: usize) -> Problem {
        let located = self.locate(problem);
        match self.begins_below(located.line) {
            true => Problem {
                line: located.line + inner_line,
                ..located
            },
            false => located,
        }
    }

    /// Whether the text that begins on a line has its first line on the next.
    fn begins_below(&self, line: usize) -> bool {
        let mut lines = self.text.lines().skip(line.saturating_sub(1));
        let opening = lines.next().unwrap_or_default().trim_end();
        opening.ends_with("\"\"\"") || opening.ends_with("'''")
    }
}

/// The line, from 1, of a place in a text.
fn line_of(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or(text);
    1 + before.bytes().filter(|&byte| byte == b'\n').count()
}
