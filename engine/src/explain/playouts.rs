//! Sentences about a search by playouts.

use super::{
    LeadChange, MoveFacts, MoveValue, Phrase, Reply, SearchFacts, Sentence, is_clearly_better,
    words::{count, interval_text, move_name, part_percent, percent, plain, strong},
};

/// Moves of an expected line that are written out.
const MAX_LINE_SHOWN: usize = 8;

/// At most four: how often the two moves were tried, how they did, what answers the second, what is expected.
pub(super) fn sentences(
    facts: &SearchFacts<'_>,
    moves: &[MoveFacts; 2],
    lead: Option<&LeadChange>,
) -> Vec<Sentence> {
    let all = [
        visits_sentence(facts, moves),
        values_sentence(facts, moves, lead),
        reply_sentence(facts, moves),
        lines_sentence(facts, moves),
    ];
    all.into_iter()
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

/// How often the two moves were tried, and whether that decided.
fn visits_sentence(facts: &SearchFacts<'_>, [one, other]: &[MoveFacts; 2]) -> Sentence {
    let chosen = facts.chosen();
    let most = (facts.children(0).iter())
        .map(|&row| facts.visits(row))
        .max();
    let is_most_visited = most == Some(one.visits);
    let begin = match chosen {
        Some(row) if row == one.row && is_most_visited => {
            format!("{} plays the move it visited most: ", facts.search_name())
        }
        Some(row) if row == one.row => {
            let name = move_name(&one.text);
            format!(
                "{} plays {name}, not what it visited most: ",
                facts.search_name()
            )
        }
        _ => String::new(),
    };
    let visits = |one: &MoveFacts| {
        let share = percent(one.share(), one.of);
        format!("{} visits ({share})", count(one.visits))
    };
    let name = move_name(&one.text);
    let mut sentence = vec![plain(begin), strong(format!("{name} has {}", visits(one)))];
    let name = move_name(&other.text);
    sentence.push(plain(match other.visits {
        0 => format!(", and {name} was never tried."),
        // Once "visits" is enough.
        _ => format!(", {name} has {}.", visits(other).replacen(" visits", "", 1)),
    }));
    sentence
}

fn share_of(value: MoveValue) -> Option<(f64, u64)> {
    match value {
        MoveValue::Share { share, visits } => Some((share, visits)),
        _ => None,
    }
}

/// How the two moves did, how sure that is, and since when the first is ahead.
fn values_sentence(
    facts: &SearchFacts<'_>,
    [one, other]: &[MoveFacts; 2],
    lead: Option<&LeadChange>,
) -> Sentence {
    let names = [one, other].map(|facts| move_name(&facts.text));
    let owner = facts.player_name(facts.owner());
    let mut sentence = match (share_of(one.value), share_of(other.value)) {
        (Some(first), Some(second)) => shares_phrases(owner, &names, first, second),
        _ => proven_phrases(facts, [one, other], &names),
    };
    sentence.extend(lead.map(|lead| plain(lead_text(facts, lead, &names))));
    sentence
}

fn shares_phrases(
    owner: &str,
    [one, other]: &[String; 2],
    first: (f64, u64),
    second: (f64, u64),
) -> Sentence {
    let begin = match first.0 >= second.0 {
        true => "Visits follow results: of the games tried, ".to_owned(),
        false => format!("{other} did better in the games tried: "),
    };
    let verdict = match (
        is_clearly_better(first, second),
        is_clearly_better(second, first),
    ) {
        (false, false) => "That may still be chance",
        _ => "That is more than chance",
    };
    let [one_interval, other_interval] =
        [first, second].map(|(share, visits)| interval_text(share, visits));
    let one_share = percent(first.0, first.1);
    let other_share = percent(second.0, second.1);
    vec![
        plain(begin),
        strong(format!("{owner} wins {one_share} after {one}")),
        plain(format!(
            " and {other_share} after {other}. {verdict}: 95 % intervals {one_interval} and {other_interval}."
        )),
    ]
}

/// What is known of the two moves where one of them is proven or was never tried.
fn proven_phrases(
    facts: &SearchFacts<'_>,
    moves: [&MoveFacts; 2],
    names: &[String; 2],
) -> Sentence {
    let mut sentence = Sentence::new();
    for (facts_of_move, name) in moves.into_iter().zip(names) {
        let text = match facts_of_move.value {
            MoveValue::Unknown => continue,
            MoveValue::Proven(None) => format!("{name} is proven to draw"),
            MoveValue::Proven(Some(winner)) if winner == facts.owner() => {
                format!("{name} is proven to win")
            }
            MoveValue::Proven(Some(_)) => format!("{name} is proven to lose"),
            value => format!("after {name} {}", facts.value_text(value)),
        };
        if !sentence.is_empty() {
            sentence.push(plain(", and "));
        }
        sentence.push(strong(text));
    }
    if let Some(first) = sentence.first_mut() {
        first.text = super::words::capitalised(&first.text);
        sentence.push(plain("."));
    }
    sentence
}

/// Since when the first move is ahead, and which answer the other one met before.
fn lead_text(facts: &SearchFacts<'_>, lead: &LeadChange, [one, other]: &[String; 2]) -> String {
    let about = if lead.resolution > 1 { "about " } else { "" };
    let since = count(lead.iteration.into());
    let Some(reply) = &lead.reply else {
        return format!(" {one} has led since {about}iteration {since}.");
    };
    let player = facts.player_name(reply.player);
    let does = match reply.player == facts.owner() {
        true => format!("went on after {other} with"),
        false => format!("answered {other} with"),
    };
    format!(
        " {one} has led since {about}iteration {since}; from iteration {} until then, {player} {does} {} in {} of {} tries.",
        count(reply.since.into()),
        move_name(&reply.text),
        count(reply.tries.into()),
        count(reply.of.into()),
    )
}

/// What a reply is to the move before it.
fn reply_verb(facts: &SearchFacts<'_>, reply: &Reply, after: &str) -> String {
    let player = facts.player_name(reply.player);
    match reply.player == facts.owner() {
        true => format!("After {after} {player} goes on with "),
        false => format!("{player}'s best answer to {after} is "),
    }
}

fn how_often(reply: &Reply) -> String {
    format!(
        "{} of {} tries ({})",
        count(reply.visits),
        count(reply.of),
        part_percent(reply.visits, reply.of)
    )
}

/// The answer that speaks against the second move, and what the first one expects.
fn reply_sentence(facts: &SearchFacts<'_>, [one, other]: &[MoveFacts; 2]) -> Sentence {
    let mut sentence = Sentence::new();
    if let Some(reply) = &other.reply {
        let after = move_name(&other.text);
        let text = move_name(&reply.text);
        sentence.extend([
            plain(reply_verb(facts, reply, &after)),
            strong(format!("{text}, in {}", how_often(reply))),
            plain(format!("{}.", then_text(facts, reply))),
        ]);
    }
    if let Some(reply) = &one.reply {
        let after = move_name(&one.text);
        let space = if sentence.is_empty() { "" } else { " " };
        let text = move_name(&reply.text);
        let how_often = how_often(reply);
        sentence.push(plain(format!(
            "{space}After {after} it expects {text}, in {how_often}{}.",
            then_text(facts, reply)
        )));
    }
    sentence
}

/// What a reply leads to.
fn then_text(facts: &SearchFacts<'_>, reply: &Reply) -> String {
    match reply.value {
        MoveValue::Unknown => String::new(),
        value => format!("; then {}", facts.value_text(value)),
    }
}

/// The two expected lines, and what the second move lacks.
fn lines_sentence(facts: &SearchFacts<'_>, [one, other]: &[MoveFacts; 2]) -> Sentence {
    let line = |facts: &MoveFacts| -> String {
        let texts = facts.line_texts.iter().take(MAX_LINE_SHOWN);
        let texts: Vec<String> = texts.map(|text| move_name(text)).collect();
        texts.join(" ")
    };
    let mut sentence: Vec<Phrase> = vec![plain("It expects "), strong(line(one))];
    if other.visits > 0 {
        sentence.push(plain(format!(", and after {}", line(other))));
        // The line names the move already.
        if let Some(last) = sentence.last_mut() {
            last.text = format!(", instead of {}", line(other));
        }
    }
    sentence.push(plain("."));
    let chooses_by_visits =
        (facts.meta.parameters.get("final_choice")).is_none_or(|choice| choice == "visits");
    if chooses_by_visits && one.visits >= other.visits && facts.chosen() == Some(one.row) {
        let missing = count(one.visits - other.visits + 1);
        sentence.push(plain(format!(
            " To be played, {} needs {missing} visits more.",
            move_name(&other.text)
        )));
    }
    sentence
}
