//! The arguments of UCI's and UGI's `go`.

use std::time::Duration;

use crate::{
    games::{Player, notation::quote},
    protocol::{clock::PlayerClock, task::GoRequest},
};

/// The arguments of `go`.
#[derive(Default)]
pub(super) struct ParsedGo {
    pub(super) request: GoRequest,
    pub(super) perft: ParsedPerft,
    /// Arguments that could not be read, as sentences.
    pub(super) problems: Vec<String>,
}

/// The perft part of `go`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ParsedPerft {
    #[default]
    No,
    /// Its depth could not be read.
    Refused,
    Depth(u32),
}

impl ParsedGo {
    /// Reads the arguments of `go`, as `movetime 100`: limits and the clock of `to_move` into `request`, sentences about what
    /// cannot be read into `problems`. Unknown words are ignored.
    pub(super) fn parse(rest: &str, to_move: Player) -> Self {
        const GO_KEYWORDS: &[&str] = &[
            "searchmoves",
            "ponder",
            "infinite",
            "wtime",
            "btime",
            "winc",
            "binc",
            "p1time",
            "p2time",
            "p1inc",
            "p2inc",
            "movestogo",
            "depth",
            "nodes",
            "iterations",
            "mate",
            "movetime",
            "perft",
        ];
        /// Keywords with milliseconds; some clients send fractions.
        const TIME_KEYWORDS: &[&str] = &[
            "wtime", "btime", "winc", "binc", "p1time", "p2time", "p1inc", "p2inc", "movetime",
        ];
        let mut go = Self::default();
        let mut left = [None; 2];
        let mut increment = [None; 2];
        let mut moves_to_go = None;
        let mut words = rest.split_whitespace().peekable();
        while let Some(key) = words.next() {
            match key {
                "searchmoves" => {
                    while let Some(word) = words.next_if(|word| !GO_KEYWORDS.contains(word)) {
                        go.request.search_moves.push(word.to_owned());
                    }
                    continue;
                }
                "ponder" => {
                    go.request.ponder = true;
                    continue;
                }
                "infinite" => {
                    go.request.infinite = true;
                    continue;
                }
                _ if !GO_KEYWORDS.contains(&key) => continue,
                _ => {}
            }
            let text = words
                .next_if(|word| !GO_KEYWORDS.contains(word))
                .unwrap_or("");
            let Some(number) = parse_number(text, TIME_KEYWORDS.contains(&key)) else {
                let text = quote(text);
                let what = if key == "perft" {
                    go.perft = ParsedPerft::Refused;
                    "nothing is counted: perft"
                } else {
                    &format!("{key} is ignored: it")
                };
                go.problems
                    .push(format!("{what} wants a whole number, not {text}"));
                continue;
            };
            let count = number.max(1) as u64;
            let plies = u32::try_from(count).unwrap_or(u32::MAX);
            match key {
                "wtime" | "p1time" => left[0] = Some(number),
                "btime" | "p2time" => left[1] = Some(number),
                "winc" | "p1inc" => increment[0] = Some(number),
                "binc" | "p2inc" => increment[1] = Some(number),
                "movestogo" => moves_to_go = Some(u32::try_from(number.max(0)).unwrap_or(u32::MAX)),
                "depth" => go.request.limits.depth = Some(plies),
                "nodes" => go.request.limits.nodes = Some(count),
                "iterations" => go.request.limits.iterations = Some(count),
                "mate" => go.request.mate = Some(plies.saturating_mul(2).saturating_sub(1)),
                "movetime" => go.request.limits.time = Some(Duration::from_millis(count)),
                _ => go.perft = ParsedPerft::Depth(plies.min(64)),
            }
        }
        // Only our own clock matters; the opponent's may be missing.
        let own = |[first, second]: [Option<i64>; 2]| match to_move {
            Player::First => first,
            Player::Second => second,
        };
        let (left, increment) = (own(left), own(increment));
        if let Some(time) = left.or(increment.map(|_| 0)) {
            go.request.clock = Some(PlayerClock {
                remaining_ms: time,
                increment_ms: increment.unwrap_or(0),
                moves_to_go,
            });
        }
        go
    }
}

/// Parses a whole number, saturating at 64 bits. With `allows_fraction`, digits after a decimal point are dropped.
pub(super) fn parse_number(text: &str, allows_fraction: bool) -> Option<i64> {
    let text = match text.split_once('.') {
        Some((whole, part))
            if allows_fraction && part.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            whole
        }
        _ => text,
    };
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::SearchLimits;

    fn go(text: &str) -> ParsedGo {
        let go = ParsedGo::parse(text, Player::First);
        assert!(go.problems.is_empty(), "{text}: {:?}", go.problems);
        go
    }

    #[test]
    fn limits_stand_in_any_order() {
        let parsed = go(
            "nodes 5 searchmoves e2e4 d2d4 wtime 100 btime 200 winc 1 binc 2 movestogo 7 depth 3",
        );
        assert_eq!(parsed.request.search_moves, ["e2e4", "d2d4"]);
        assert_eq!(parsed.request.limits.nodes, Some(5));
        assert_eq!(parsed.request.limits.depth, Some(3));
        let clock = PlayerClock {
            remaining_ms: 100,
            increment_ms: 1,
            moves_to_go: Some(7),
        };
        assert_eq!(parsed.request.clock, Some(clock));
        assert!(go("infinite").request.infinite);
        assert!(go("ponder wtime 5").request.ponder);
        assert_eq!(go("mate 2").request.mate, Some(3));
        assert_eq!(go("btime 100").request.clock, None);
        assert_eq!(
            go("wtime -5").request.clock.map(|clock| clock.remaining_ms),
            Some(-5)
        );
        assert_eq!(go("nodes -3").request.limits.nodes, Some(1));
        assert_eq!(
            go("nodes 99999999999999999999").request.limits.nodes,
            Some(i64::MAX as u64)
        );
        assert_eq!(go("fast nodes 7 please").request.limits.nodes, Some(7));
        assert_eq!(
            go("wtime 100.5")
                .request
                .clock
                .map(|clock| clock.remaining_ms),
            Some(100)
        );
        assert_eq!(go("perft 3").perft, ParsedPerft::Depth(3));
        // What cannot be read is left out, and nothing else.
        for text in ["infinite nodes", "nodes x infinite", "infinite wtime abc"] {
            let go = ParsedGo::parse(text, Player::First);
            assert!(go.problems.len() == 1 && go.request.infinite, "{text}");
            assert_eq!(
                (go.request.limits, go.request.clock),
                (SearchLimits::default(), None),
                "{text}"
            );
        }
        // Counts have no parts, and a perft without a depth is no search.
        for text in ["depth 2.5", "nodes 1e6", "mate 1.0", "movestogo 2.5"] {
            let go = ParsedGo::parse(text, Player::First);
            assert_eq!(
                (go.problems.len(), go.request),
                (1, GoRequest::default()),
                "{text}"
            );
        }
        for text in ["perft", "perft x", "perft 2.5 nodes 7"] {
            let go = ParsedGo::parse(text, Player::First);
            assert_eq!(
                (go.problems.len(), go.perft),
                (1, ParsedPerft::Refused),
                "{text}"
            );
        }
    }
}
