//! The `canopy-engine` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    canopy_engine::cli::main(std::env::args_os(), &[])
}
