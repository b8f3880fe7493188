//! The `canopy-viewer` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    canopy_viewer::cli::main(std::env::args_os())
}
