//! `canopy-engine man` and `completions`: manual pages and shell completions, made from the description of the command line
//! itself, so that they cannot differ from it. The viewer's command line uses this file, too.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::tree::files;

/// Arguments of `man`.
#[derive(Args)]
pub struct ManArgs {
    /// Where to write a page for the program and one for each command; without it the program's page goes to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Arguments of `completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell; see the manual of your shell for where its completions belong
    #[arg(value_enum)]
    shell: Shell,
}

/// A directory or file that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ManualError {
    /// Standard output failed.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// A page or its directory failed.
    #[error("{path}: {error}")]
    Page {
        /// The page or directory.
        path: String,
        /// Why.
        error: io::Error,
    },
}

/// Writes the manual pages of `program`, in the format of `man`, and tells how many there are.
pub fn run_man(
    program: Command,
    arguments: &ManArgs,
    out: &mut dyn Write,
) -> Result<(), ManualError> {
    let Some(directory) = &arguments.out else {
        return (clap_mangen::Man::new(program).render(out)).map_err(ManualError::Output);
    };
    let failed = |path: &Path, error| ManualError::Page {
        path: path.display().to_string(),
        error,
    };
    std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    let pages = pages(program);
    for (name, page) in &pages {
        let path = directory.join(name);
        files::write_atomic(&path, |file| file.write_all(page))
            .map_err(|error| failed(&path, error))?;
    }
    writeln!(out, "{} pages in {}", pages.len(), directory.display()).map_err(ManualError::Output)
}

/// The page of a program, and one for every command that its help lists: `program.1`, `program-command.1`.
fn pages(mut program: Command) -> Vec<(String, Vec<u8>)> {
    program.build();
    let mut pages = Vec::new();
    add_pages(&program, &mut pages);
    pages
}

fn add_pages(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) {
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned();
    let man = clap_mangen::Man::new(command.clone())
        .source(concat!("Canopy ", env!("CARGO_PKG_VERSION")))
        .manual("Canopy");
    let mut page = Vec::new();
    // A Vec takes whatever is written.
    if man.render(&mut page).is_ok() {
        pages.push((format!("{name}.1"), page));
    }
    for inner in command.get_subcommands() {
        if !inner.is_hide_set() && inner.get_name() != "help" {
            add_pages(inner, pages);
        }
    }
}

/// Writes the completions of `program` for a shell.
pub fn run_completions(
    mut program: Command,
    arguments: &CompletionsArgs,
    out: &mut dyn Write,
) -> Result<(), ManualError> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, name, &mut script);
    out.write_all(&script).map_err(ManualError::Output)
}
