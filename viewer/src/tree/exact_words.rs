//! What exact values say of moves, in words: of one move, and of the choices of two searches.

use canopy_engine::{
    explain::{
        ExactValue, ValueClass,
        truth::{Judgement, MoveValues, best_value, judge, regret_text, value_of},
    },
    reports::numbers::NO_BREAK,
};

/// What a move does to its player's result, in words.
pub fn judgement_text(judgement: Judgement) -> String {
    match judgement {
        Judgement::Best => "no move is better".to_owned(),
        Judgement::Keeps => "keeps the result".to_owned(),
        Judgement::Loses(halves) => format!("gives {} away", regret_text(halves)),
    }
}

/// A choice of one of two searches: the move as the file has it and as people read it, and its part of that search's visits, from 0
/// to 1; none of a search that counts no visits.
#[derive(Clone, Copy, Debug)]
pub struct ComparedChoice<'a> {
    /// As the file has it.
    pub name: &'a str,
    /// As people read it.
    pub text: &'a str,
    /// Its part of the visits.
    pub share: Option<f64>,
}

/// Which of two searches, A and B, is right: "The solver says A is right: 3 is the only move that wins. B gives 72 % of its visits to
/// 2, which loses." `reading` turns a move of the file into what people read. None unless the values of all moves are known.
pub fn compare_choices(
    values: &MoveValues,
    choices: [ComparedChoice<'_>; 2],
    reading: impl Fn(&str) -> String,
) -> Option<String> {
    let best = best_value(values)?;
    let judged = |choice: &ComparedChoice<'_>| {
        Some((judge(values, choice.name)?, value_of(values, choice.name)?))
    };
    let [one, other] = &choices;
    let lost = [one, other].map(|choice| match judged(choice)?.0 {
        Judgement::Loses(halves) => Some(halves),
        Judgement::Best | Judgement::Keeps => Some(0),
    });
    let [lost_one, lost_other] = [lost[0]?, lost[1]?];
    let does = |choice: &ComparedChoice<'_>| Some(class_verb(judged(choice)?.1));
    let keeping = values.iter().flat_map(|(_, value)| *value);
    let is_only = keeping.filter(|value| value.class == best.class).count() == 1;
    let gives = |letter: &str, choice: &ComparedChoice<'_>| {
        let does = does(choice)?;
        Some(match choice.share {
            Some(share) => format!(
                "{letter} gives {:.0}{NO_BREAK}% of its visits to {}, which {does}.",
                share * 100.0,
                choice.text
            ),
            None => format!("{letter} plays {}, which {does}.", choice.text),
        })
    };
    if one.name == other.name {
        let does = does(one)?;
        return Some(match lost_one {
            0 => format!(
                "The solver says both are right: {} {does}, and no move does better.",
                one.text
            ),
            halves => format!(
                "The solver says both are wrong: {} {does} and gives {} away.",
                one.text,
                regret_text(halves)
            ),
        });
    }
    let right = |letter: &str, choice: &ComparedChoice<'_>| {
        let does = does(choice)?;
        let why = match is_only {
            true => format!("{} is the only move that {does}", choice.text),
            false => format!("{} {does}", choice.text),
        };
        Some(format!("The solver says {letter} is right: {why}."))
    };
    Some(match (lost_one, lost_other) {
        (0, 0) => {
            let verb = match best.class {
                ValueClass::Win => "win",
                ValueClass::Draw => "draw",
                ValueClass::Loss => "lose, as every move does",
            };
            format!(
                "The solver says both are right: {} and {} {verb}.",
                one.text, other.text
            )
        }
        (0, _) => format!("{} {}", right("A", one)?, gives("B", other)?),
        (_, 0) => format!("{} {}", right("B", other)?, gives("A", one)?),
        _ => {
            let is_best = |(_, value): &&(String, Option<ExactValue>)| {
                value.is_some_and(|value| value.rank() >= best.rank())
            };
            let missed = values.iter().find(is_best)?;
            format!(
                "The solver says both are wrong: {} {}. {} {}",
                reading(&missed.0),
                class_verb(best),
                gives("A", one)?,
                gives("B", other)?
            )
        }
    })
}

fn class_verb(value: ExactValue) -> &'static str {
    match value.class {
        ValueClass::Win => "wins",
        ValueClass::Draw => "draws",
        ValueClass::Loss => "loses",
    }
}

#[cfg(test)]
mod tests {
    use canopy_engine::explain::truth::parse_values;

    use super::*;

    #[test]
    fn of_two_searches_the_solver_tells_which_is_right() {
        let values = parse_values("response values 1:draw:0 2:loss:-3:26 3:win:4:21 4:loss:-5:8")
            .expect("values");
        let told = |one: (&'static str, f64), other: (&'static str, f64)| {
            let choices = [one, other].map(|(name, share)| ComparedChoice {
                name,
                text: name,
                share: (share > 0.0).then_some(share),
            });
            let told = compare_choices(&values, choices, str::to_owned);
            told.expect("all values are known").replace(NO_BREAK, " ")
        };
        assert_eq!(
            told(("3", 0.81), ("2", 0.716)),
            "The solver says A is right: 3 is the only move that wins. B gives 72 % of its visits to 2, which loses."
        );
        assert_eq!(
            told(("1", 0.5), ("3", 0.9)),
            "The solver says B is right: 3 is the only move that wins. A gives 50 % of its visits to 1, which draws."
        );
        assert_eq!(
            told(("1", 0.5), ("4", 0.0)),
            "The solver says both are wrong: 3 wins. A gives 50 % of its visits to 1, which draws. B plays 4, which loses."
        );
        assert_eq!(
            told(("3", 0.5), ("3", 0.6)),
            "The solver says both are right: 3 wins, and no move does better."
        );
        assert_eq!(
            told(("1", 0.5), ("1", 0.6)),
            "The solver says both are wrong: 1 draws and gives half a point away."
        );
        let lost = parse_values("response values 1:loss:-2:4 2:loss:-3:26").expect("values");
        let choices = ["1", "2"].map(|name| ComparedChoice {
            name,
            text: name,
            share: None,
        });
        assert_eq!(
            compare_choices(&lost, choices, str::to_owned).as_deref(),
            Some("The solver says both are right: 1 and 2 lose, as every move does.")
        );
        let part = parse_values("response values 1:loss:-2:4 2:unknown").expect("values");
        assert_eq!(compare_choices(&part, choices, str::to_owned), None);
        assert_eq!(
            judgement_text(Judgement::Loses(2)),
            "gives a whole point away"
        );
    }
}
