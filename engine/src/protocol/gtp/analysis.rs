//! The analysis commands of Leela Zero and KataGo.

use std::{fmt::Write as _, time::Duration};

use super::{AnalysisFormat, Gtp, GtpArguments, GtpReply, GtpTask, player_of};
use crate::{
    games::notation::{Style, quote},
    protocol::{score, server_core::ServerCore},
    session::SearchInfo,
};

impl Gtp {
    pub(super) fn analyse(
        &mut self,
        core: &mut ServerCore,
        arguments: GtpArguments<'_>,
        style: AnalysisFormat,
        plays: bool,
    ) -> GtpReply {
        let mut words = arguments.words.iter().copied().peekable();
        let colour = words.next_if(|word| player_of(core, word).is_some());
        let player = match colour {
            Some(colour) => Self::ensure_turn(core, colour, None)?,
            None => core.session.to_move(),
        };
        let mut interval = 100.0;
        let mut max_moves = usize::MAX;
        let mut allowed: Option<Vec<String>> = None;
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|word| word.parse::<f64>().ok());
            match word {
                "interval" => interval = number().ok_or("syntax error: interval wants a number")?,
                "minmoves" => {
                    number().ok_or("syntax error: minmoves wants a number")?;
                }
                "maxmoves" => {
                    max_moves = number()
                        .ok_or("syntax error: maxmoves wants a number")?
                        .clamp(1.0, 1e6) as usize;
                }
                // KataGo fields that Canopy does not compute.
                "ownership" | "ownershipStdev" | "movesOwnership" | "rootInfo" | "pvVisits" => {
                    words.next();
                }
                "avoid" | "allow" => {
                    let (_, list, _) = (words.next(), words.next(), words.next());
                    let listed: Vec<String> = (list.unwrap_or(""))
                        .split(',')
                        .map(str::to_ascii_lowercase)
                        .collect();
                    let before = allowed.unwrap_or_else(|| core.session.moves(Style::Own));
                    let keep = |mv: &String| listed.contains(mv) == (word == "allow");
                    allowed = Some(before.into_iter().filter(keep).collect());
                }
                _ => match word.parse::<f64>() {
                    Ok(number) => interval = number,
                    Err(_) => {
                        return Err(format!(
                            "syntax error: {}; expected a colour, hundredths of a second, interval, minmoves, maxmoves, \
                             avoid or allow",
                            quote(word)
                        ));
                    }
                },
            }
        }
        if allowed.as_ref().is_some_and(Vec::is_empty) {
            return Err("no move is left to analyse".to_owned());
        }
        let task = GtpTask::Analyse {
            style,
            max_moves,
            player: plays.then_some(player),
        };
        let every = Duration::from_secs_f64((interval / 100.0).clamp(0.01, 3600.0));
        self.start(
            core,
            arguments.id,
            task,
            allowed.unwrap_or_default(),
            Some(every),
        )
    }

    pub(super) fn send_analysis(
        core: &mut ServerCore,
        info: &SearchInfo,
        style: AnalysisFormat,
        max_moves: usize,
    ) {
        let count = info.root_moves.len().max(1) as f64;
        let mut text = String::new();
        for (order, line) in info.root_moves.iter().take(max_moves).enumerate() {
            let Some(mv) = line.pv.first() else {
                continue;
            };
            let (rate, bound, prior) =
                (line.value, score::lower_confidence_bound(line), 1.0 / count);
            let blank = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{blank}info move {mv} visits {}", line.visits);
            let _ = match style {
                AnalysisFormat::LeelaZero => write!(
                    text,
                    " winrate {} prior {} lcb {}",
                    per_myriad(rate),
                    per_myriad(prior),
                    per_myriad(bound)
                ),
                AnalysisFormat::KataGo => write!(
                    text,
                    " utility {:.6} winrate {rate:.6} scoreMean 0 scoreStdev 0 scoreLead 0 scoreSelfplay 0 \
                     prior {prior:.6} lcb {bound:.6} utilityLcb {:.6}",
                    2.0 * rate - 1.0,
                    2.0 * bound - 1.0
                ),
            };
            let _ = write!(text, " order {order} pv {}", line.pv.join(" "));
        }
        if !text.is_empty() {
            core.send_line(text);
        }
    }
}

fn per_myriad(value: f64) -> u32 {
    (value.clamp(0.0, 1.0) * 10_000.0).round() as u32
}
