//! `canopy-engine check`: tells whether an engine keeps to its protocol.

use std::{io::Write, time::Duration};

use clap::Args;

use super::{CliError, stop};
use crate::{
    arena::check::{self, CheckPlan, CheckedDialect, StepReport, Verdict},
    games::{self, notation::escape_invisible},
    runs::halt::Halt,
};

#[derive(Args)]
pub(super) struct CheckArgs {
    /// The dialect: uci, ugi, gtp or nboard
    #[arg(long, default_value = "uci", value_parser = parse_dialect)]
    dialect: CheckedDialect,
    /// The game; of one that is not ours nothing is checked by its rules. Chess, in NBoard othello, if none is named
    #[arg(long)]
    game: Option<String>,
    /// How many milliseconds later than asked for an answer may come
    #[arg(long, value_name = "MILLIS", default_value_t = 500)]
    margin: u64,
    /// The engine: a program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

fn parse_dialect(name: &str) -> Result<CheckedDialect, String> {
    CheckedDialect::parse(name).ok_or_else(|| "expected uci, ugi, gtp or nboard".to_owned())
}

pub(super) fn run(arguments: &CheckArgs, out: &mut dyn Write) -> Result<(), CliError> {
    let default = match arguments.dialect {
        CheckedDialect::Nboard => NBOARD_GAME,
        _ => games::DEFAULT.name,
    };
    let game = arguments.game.clone().unwrap_or_else(|| default.to_owned());
    let plan = CheckPlan {
        command: arguments.command.clone(),
        dialect: arguments.dialect,
        // An alias is given its name, so that engines are told what they know.
        game: games::full_name(&game).unwrap_or(game),
        margin: Duration::from_millis(arguments.margin),
    };
    let halt = Halt::new();
    stop::on_signals(&halt)?;
    let mut written = Ok(());
    let reports = check::run(&plan, &halt, &mut |report| {
        if written.is_ok() {
            written = write_step(report, out);
        }
    });
    written?;
    if halt.is_requested() {
        return Err(CliError::Interrupted);
    }
    let count = |is_counted: fn(&Verdict) -> bool| {
        reports
            .iter()
            .filter(|report| is_counted(&report.verdict))
            .count()
    };
    let failed = count(|verdict| matches!(verdict, Verdict::Fail(_)));
    let skipped = count(|verdict| matches!(verdict, Verdict::Skip(_)));
    let passed = reports.len() - failed - skipped;
    writeln!(out, "{passed} passed, {failed} failed, {skipped} skipped")?;
    match failed {
        0 => Ok(()),
        1 => Err(CliError::Failed("a step failed".to_owned())),
        failed => Err(CliError::Failed(format!("{failed} steps failed"))),
    }
}

/// The game that NBoard is for.
const NBOARD_GAME: &str = games::TOURNAMENT.name;

fn write_step(report: &StepReport, out: &mut dyn Write) -> std::io::Result<()> {
    let (word, reason) = match &report.verdict {
        Verdict::Pass => ("pass", ""),
        Verdict::Fail(reason) => ("FAIL", reason.as_str()),
        Verdict::Skip(reason) => ("skip", reason.as_str()),
    };
    let colon = if reason.is_empty() { "" } else { ": " };
    let reason = escape_invisible(reason);
    writeln!(
        out,
        "{:>2} {word}  {}{colon}{reason}",
        report.number, report.name
    )?;
    for line in &report.exchange {
        writeln!(out, "         {}", escape_invisible(line))?;
    }
    out.flush()
}
