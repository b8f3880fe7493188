//! `query value` and `query values`: what a position is worth under best play.

use std::{fmt::Write as _, time::Duration};

use super::{Uci, UciTask, go::parse_number, send_info_string};
use crate::{
    games::notation::quote,
    protocol::server_core::ServerCore,
    session::{Solution, solution::values_text},
};

/// Time for an answer if none is given.
const DEFAULT_TIME: Duration = Duration::from_millis(1000);

impl Uci {
    /// Starts solving; the answer follows when the solver ends.
    pub(super) fn query_value(&mut self, core: &mut ServerCore, rest: &str, task: UciTask) {
        self.task = task;
        let time = parse_time(rest).unwrap_or_else(|problem| {
            send_info_string(core, &problem);
            DEFAULT_TIME
        });
        if !core.has_valid_position {
            send_info_string(
                core,
                "there is no position to solve: the last one was refused",
            );
            return self.send_solution(core, &Solution::default());
        }
        let wants_moves = task == UciTask::Values;
        if let Err(error) = core.start_solve(time, wants_moves) {
            send_info_string(core, &error.to_string());
            self.send_solution(core, &Solution::default());
        }
    }

    /// Answers the query of the running task.
    pub(super) fn send_solution(&self, core: &mut ServerCore, solution: &Solution) {
        if self.task == UciTask::Values {
            let text = format!("response values {}", values_text(&solution.moves));
            return core.send_line(text.trim_end());
        }
        let Some(value) = solution.value else {
            return core.send_line("response value unknown");
        };
        let mut text = format!("response value {}", value.class.as_str());
        if let Some(score) = value.score {
            let _ = write!(text, " score {score}");
        }
        if let Some(plies) = value.plies {
            let _ = write!(text, " plies {plies}");
        }
        if !solution.pv.is_empty() {
            let _ = write!(text, " pv {}", solution.pv.join(" "));
        }
        core.send_line(text);
    }
}

/// The time that the arguments give.
fn parse_time(rest: &str) -> Result<Duration, String> {
    let mut words = rest.split_whitespace();
    let number = match (words.next(), words.next(), words.next()) {
        (None, ..) => return Ok(DEFAULT_TIME),
        (Some("movetime"), Some(number), None) => parse_number(number, true),
        _ => None,
    };
    match number {
        Some(millis) => Ok(Duration::from_millis(millis.max(1) as u64)),
        None => Err(format!(
            "the time is {} ms: expected movetime and milliseconds, not {}",
            DEFAULT_TIME.as_millis(),
            quote(rest)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_or_explained() {
        assert_eq!(parse_time(""), Ok(DEFAULT_TIME));
        assert_eq!(parse_time("movetime 250"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_time("movetime -3"), Ok(Duration::from_millis(1)));
        for wrong in ["movetime", "movetime x", "nodes 5", "movetime 5 6"] {
            let problem = parse_time(wrong).expect_err(wrong);
            assert!(
                problem.contains(wrong) && problem.contains("expected movetime"),
                "{problem}"
            );
        }
    }
}
