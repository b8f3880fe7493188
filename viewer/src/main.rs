//! The `canopy-viewer` program. It carries the engine too, as a hidden first word, so that one file is enough to play.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|word| word == "engine") {
        // What is left begins with the program's name, as a program's arguments do.
        arguments.remove(1);
        return canopy_engine::cli::main(arguments, &["engine"]);
    }
    canopy_viewer::cli::main(arguments)
}
