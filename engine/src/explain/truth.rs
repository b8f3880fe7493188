//! Moves judged by exact values: what keeps the result of the game, what throws it away, and how much that costs.

use std::fmt::Write as _;

use super::{
    MoveFacts, SearchFacts,
    words::{Sentence, capitalised, count, move_name, part_percent, plain, strong},
};
use crate::{
    games::{Player, notation::join_words},
    search::exact::{ExactValue, ValueClass},
};

/// Every move of a position with its exact value for the player who moves, as far as it is known.
pub type MoveValues = Vec<(String, Option<ExactValue>)>;

/// Reads the answer to `query values`: `response values MOVE:CLASS[:SCORE[:PLIES]] ...`. None if it is no such answer.
pub fn parse_values(line: &str) -> Option<MoveValues> {
    let rest = line.trim().strip_prefix("response values")?;
    let word = |word: &str| {
        let (name, value) = word.split_once(':')?;
        match value {
            "unknown" => Some((name.to_owned(), None)),
            value => Some((name.to_owned(), Some(value.parse().ok()?))),
        }
    };
    rest.split_whitespace().map(word).collect()
}

/// What a move does to the result that its player could have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// No move is better, by score and length either.
    Best,
    /// The result stays, if not in the best way.
    Keeps,
    /// The result is thrown away: so many half points.
    Loses(u32),
}

/// How a move stands to the best of all moves; none unless the values of all are known.
pub fn judge(values: &MoveValues, name: &str) -> Option<Judgement> {
    let best = best_value(values)?;
    let value = value_of(values, name)?;
    let points = |value: ExactValue| value.class as u32;
    Some(match points(best) - points(value).min(points(best)) {
        0 if value.rank() >= best.rank() => Judgement::Best,
        0 => Judgement::Keeps,
        halves => Judgement::Loses(halves),
    })
}

/// The value of a move.
pub fn value_of(values: &MoveValues, name: &str) -> Option<ExactValue> {
    let mut found = values.iter();
    found.find(|(known, _)| known == name)?.1
}

/// The value of the best move; none unless the values of all are known.
pub fn best_value(values: &MoveValues) -> Option<ExactValue> {
    let known: Option<Vec<ExactValue>> = values.iter().map(|(_, value)| *value).collect();
    known?.into_iter().max_by_key(ExactValue::rank)
}

/// The winner of a value for `player`; none for a draw.
pub fn winner(value: ExactValue, player: Player) -> Option<Player> {
    match value.class {
        ValueClass::Win => Some(player),
        ValueClass::Draw => None,
        ValueClass::Loss => Some(player.opponent()),
    }
}

/// The winner's own moves to the end of the game, if a move with this value is the next one and the sides alternate.
fn own_moves(value: ExactValue) -> Option<u32> {
    let plies = value.plies?;
    Some(match value.class {
        ValueClass::Win => plies.div_ceil(2),
        ValueClass::Draw => return None,
        ValueClass::Loss => plies / 2,
    })
}

/// Points given away, in words.
pub fn regret_text(halves: u32) -> &'static str {
    match halves {
        0 => "nothing",
        1 => "half a point",
        _ => "a whole point",
    }
}

/// A verdict with what it is based on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// "UCT chose 1, which only draws. 4 wins."
    pub title: String,
    /// The exact values of the two moves, and the regret.
    pub detail: String,
    /// What the first move does.
    pub judgement: Judgement,
}

/// The exact values around two moves of a root: of the root's moves, and of the answers to each of the two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// Of the root's moves.
    pub root: Option<MoveValues>,
    /// Of the answers to the first and to the second move.
    pub replies: [Option<MoveValues>; 2],
}

/// What exact values say of two moves; none unless those of all moves of the root are known.
pub fn verdict(facts: &SearchFacts<'_>, moves: &[MoveFacts; 2], truth: &Truth) -> Option<Verdict> {
    let values = truth.root.as_ref()?;
    let [one, other] = moves;
    let judgement = judge(values, &one.name)?;
    let value = value_of(values, &one.name)?;
    let best = best_value(values)?;
    // Of several best moves the one that is asked about.
    let is_best = |name: &str| value_of(values, name).is_some_and(|it| it.rank() >= best.rank());
    let best_name = match is_best(&other.name) {
        true => other.name.clone(),
        false => (values.iter().find(|(name, _)| is_best(name)))?.0.clone(),
    };
    let best_text = reading(facts, &best_name);
    let name = move_name(&one.text);
    let does = match facts.chosen() == Some(one.row) {
        true => format!("{} chose {name}", facts.search_name()),
        false => format!("It is about {name}"),
    };
    let title = match judgement {
        Judgement::Best => format!("{does}, and no move is better: it {}.", class_verb(value)),
        Judgement::Keeps => format!(
            "{does}, which {} as well as {best_text}, if less well.",
            class_verb(value)
        ),
        Judgement::Loses(_) => format!(
            "{does}, which {}. {} {}.",
            only_verb(value),
            capitalised(&best_text),
            class_verb(best)
        ),
    };
    let mut detail = "Exact solver: ".to_owned();
    let mut names = vec![&one.name, &other.name];
    if !is_best(&one.name) && !is_best(&other.name) {
        names.push(&best_name);
    }
    let texts: Vec<String> = (names.into_iter())
        .filter_map(|name| {
            let value = value_of(values, name)?;
            Some(format!(
                "{} {}",
                reading(facts, name),
                value_phrase(facts, value)
            ))
        })
        .collect();
    detail += &texts.join(", ");
    match judgement {
        Judgement::Loses(halves) => {
            let _ = write!(detail, ". Regret: {}.", regret_text(halves));
        }
        _ => detail.push('.'),
    }
    Some(Verdict {
        title,
        detail,
        judgement,
    })
}

/// A move of the root as people read it.
fn reading(facts: &SearchFacts<'_>, name: &str) -> String {
    let mut moves = facts.moves_of(0).into_iter();
    let found = moves.find(|(row, _)| facts.name(*row) == name);
    move_name(&found.map_or_else(|| name.to_owned(), |(_, text)| text))
}

fn class_verb(value: ExactValue) -> &'static str {
    match value.class {
        ValueClass::Win => "wins",
        ValueClass::Draw => "draws",
        ValueClass::Loss => "loses",
    }
}

fn only_verb(value: ExactValue) -> &'static str {
    match value.class {
        ValueClass::Draw => "only draws",
        _ => class_verb(value),
    }
}

/// "wins for O in 14 moves", "is a draw".
fn value_phrase(facts: &SearchFacts<'_>, value: ExactValue) -> String {
    let Some(winner) = winner(value, facts.owner()) else {
        return "is a draw".to_owned();
    };
    let name = facts.player_name(winner);
    match own_moves(value) {
        Some(1) => format!("wins for {name} in 1 move"),
        Some(moves) => format!("wins for {name} in {moves} moves"),
        None => format!("wins for {name}"),
    }
}

/// What the answers say: those that the search underrates after the first move, and what all of them do after the second. They take
/// the place of the sentences about answers and lines.
pub fn sentences(facts: &SearchFacts<'_>, moves: &[MoveFacts; 2], truth: &Truth) -> Vec<Sentence> {
    let [one, other] = moves;
    let [after_one, after_other] = &truth.replies;
    let first = (after_one.as_ref()).and_then(|values| underrated(facts, one, values));
    let second = (after_other.as_ref()).and_then(|values| all_replies(facts, other, values));
    first.into_iter().chain(second).collect()
}

/// The best answers to a move, and how often the search tried them.
fn underrated(facts: &SearchFacts<'_>, one: &MoveFacts, values: &MoveValues) -> Option<Sentence> {
    let reply = one.reply.as_ref()?;
    let best = best_value(values)?;
    let player = facts.player_name(reply.player);
    let replies = facts.moves_of(one.row);
    let saving: Vec<(u64, String)> = (values.iter())
        .filter(|(_, value)| value.is_some_and(|value| value.class == best.class))
        .filter_map(|(name, _)| {
            let found = replies.iter().find(|(row, _)| facts.name(*row) == name);
            let (row, text) = found?;
            Some((facts.visits(*row), move_name(text)))
        })
        .collect();
    let name = move_name(&one.text);
    if saving.len() == values.len() {
        let does = class_verb(best);
        return Some(vec![
            plain(format!("After {name} ")),
            strong(format!("every answer of {player} {does}")),
            plain("."),
        ]);
    }
    let tried: u64 = saving.iter().map(|(visits, _)| visits).sum();
    let texts: Vec<&str> = saving.iter().map(|(_, text)| text.as_str()).collect();
    let does = match best.class {
        ValueClass::Win => "that win",
        ValueClass::Draw => "that save the draw",
        ValueClass::Loss => return None,
    };
    let answers = match texts.as_slice() {
        [one] => format!(
            "one answer {}, {one}",
            does.replacen("win", "wins", 1).replacen("save", "saves", 1)
        ),
        many => format!("{} answers {does}, {}", many.len(), join_words(many, "and")),
    };
    let expects = reply.text.clone();
    let is_expected = texts.contains(&expects.as_str());
    let begin = match is_expected {
        true => format!("After {name} {player} has "),
        false => format!("It reads {name} too well. {player} has "),
    };
    let mut sentence = vec![
        plain(begin),
        strong(answers),
        plain(format!(
            ", tried in {} of {} visits ({}).",
            count(tried),
            count(reply.of),
            part_percent(tried, reply.of)
        )),
    ];
    if !is_expected {
        let text = format!(" It expects the weaker answer {}.", move_name(&expects));
        sentence.push(plain(text));
    }
    Some(sentence)
}

/// What the answers to a move lead to.
fn all_replies(
    facts: &SearchFacts<'_>,
    other: &MoveFacts,
    values: &MoveValues,
) -> Option<Sentence> {
    let best = best_value(values)?;
    let player = facts.player_name(facts.mover(other.row));
    let name = move_name(&other.text);
    let is_all =
        (values.iter()).all(|(_, value)| value.is_some_and(|value| value.class == best.class));
    let does = class_verb(best);
    Some(match is_all {
        true => vec![
            plain(format!("After {name} ")),
            strong(format!("every answer of {player} {does}")),
            plain("."),
        ],
        false => {
            let can = match best.class {
                ValueClass::Draw => "can draw",
                _ => does,
            };
            let is_best = |row: usize| {
                let value = value_of(values, facts.name(row));
                value.is_some_and(|value| value.class == best.class)
            };
            let replies = facts.moves_of(other.row).into_iter();
            let texts: Vec<String> = replies
                .filter(|(row, _)| is_best(*row))
                .map(|(_, text)| move_name(&text))
                .collect();
            vec![
                plain(format!("After {name} {player} {can}, with ")),
                strong(join_words(&texts, "and")),
                plain("."),
            ]
        }
    })
}
