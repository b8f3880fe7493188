//! The `canopy-viewer` program.

use std::process::ExitCode;

#[expect(
    clippy::print_stdout,
    reason = "a program's one sentence to the person who started it"
)]
fn main() -> ExitCode {
    println!(
        "canopy-viewer has no window yet. Try `cargo run --release -p canopy-engine -- show --game othello`."
    );
    ExitCode::SUCCESS
}
