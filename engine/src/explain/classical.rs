//! Sentences about a search that looks ahead to a depth.

use super::{
    MoveFacts, MoveValue, SearchFacts, Sentence,
    words::{count, move_name, plain, strong},
};
use crate::search::Bound;

/// Moves of an expected line that are written out.
const MAX_LINE_SHOWN: usize = 8;

/// At most four: the two values, what refutes the second move, what was cut off there, the two lines.
pub(super) fn sentences(facts: &SearchFacts<'_>, moves: &[MoveFacts; 2]) -> Vec<Sentence> {
    let all = [
        values_sentence(facts, moves),
        refutation_sentence(facts, moves),
        cut_sentence(facts, moves),
        lines_sentence(moves),
    ];
    all.into_iter()
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

fn values_sentence(facts: &SearchFacts<'_>, [one, other]: &[MoveFacts; 2]) -> Sentence {
    let names = [one, other].map(|facts| move_name(&facts.text));
    let begin = match facts.chosen() == Some(one.row) {
        true => format!("{} plays ", facts.search_name()),
        false => String::new(),
    };
    let depth = (facts.meta.limits.depth.map(u64::from))
        .or_else(|| facts.meta.parameters.get("depth")?.parse().ok())
        .filter(|&depth| depth > 0);
    let ahead = match depth {
        Some(1) => ", looking one ply ahead".to_owned(),
        Some(depth) => format!(", looking {} plies ahead", count(depth)),
        None => String::new(),
    };
    let value = |value: MoveValue| match value {
        MoveValue::Unknown => format!("{} was not looked at.", names[1]),
        value => format!("After {}: {}.", names[1], facts.value_text(value)),
    };
    let first = match one.value {
        MoveValue::Unknown => format!("{} was not looked at", names[0]),
        found => format!("{}: {}", names[0], facts.value_text(found)),
    };
    vec![
        plain(begin),
        strong(first),
        plain(format!("{ahead}. {}", value(other.value))),
    ]
}

/// The answer that decides what the second move is worth.
fn refutation_sentence(facts: &SearchFacts<'_>, [one, other]: &[MoveFacts; 2]) -> Sentence {
    let Some(reply) = &other.reply else {
        return Sentence::new();
    };
    let player = facts.player_name(reply.player);
    let (name, answer) = (move_name(&other.text), move_name(&reply.text));
    let mut sentence = match reply.player == facts.owner() {
        true => vec![
            plain(format!("After {name} {player} goes on with ")),
            strong(answer),
        ],
        false => vec![
            plain(format!("{player}'s answer to {name} is ")),
            strong(answer),
        ],
    };
    let value = facts.value_text(other.value);
    sentence.push(plain(match other.value {
        MoveValue::Points {
            bound: Bound::AtMost,
            ..
        } => format!(
            ": {value}, and {} gives {} already.",
            move_name(&one.text),
            facts.value_text(one.value)
        ),
        MoveValue::Unknown => ".".to_owned(),
        _ => format!(": {value}."),
    }));
    sentence
}

/// Where moves were cut off, and how little work that took.
fn cut_sentence(facts: &SearchFacts<'_>, [one, other]: &[MoveFacts; 2]) -> Sentence {
    let Some(reply) = &other.reply else {
        return Sentence::new();
    };
    let name = move_name(&other.text);
    let deep = |row: usize| match facts.searched_depth(row) {
        Some(1) => " (one ply)".to_owned(),
        Some(depth) => format!(" ({depth} plies)"),
        None => String::new(),
    };
    let work = format!(
        "{name} took {} nodes{}, {} {}{}",
        count(other.visits),
        deep(other.row),
        move_name(&one.text),
        count(one.visits),
        deep(one.row)
    );
    let player = facts.player_name(reply.player);
    let reason = facts.cut_reason(other.row);
    let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
    match reply.cut {
        0 => vec![plain(format!("No answer to {name} was cut off: {work}."))],
        1 => vec![
            strong(format!("One more move of {player} there was cut off")),
            plain(format!("{reason}: it could not change the choice. {work}.")),
        ],
        cut => vec![
            strong(format!(
                "{} more moves of {player} there were cut off",
                count(cut)
            )),
            plain(format!(
                "{reason}: they could not change the choice. {work}."
            )),
        ],
    }
}

fn lines_sentence([one, other]: &[MoveFacts; 2]) -> Sentence {
    let line = |facts: &MoveFacts| -> String {
        let texts = facts.line_texts.iter().take(MAX_LINE_SHOWN);
        let texts: Vec<String> = texts.map(|text| move_name(text)).collect();
        texts.join(" ")
    };
    if other.visits == 0 {
        return vec![plain("It expects "), strong(line(one)), plain(".")];
    }
    vec![
        plain("It expects "),
        strong(line(one)),
        plain(format!(", instead of {}.", line(other))),
    ]
}
