//! Checks a file against its schema, the one that editors get: all that is wrong with it, with lines and keys.

use serde_json::Value;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::document::{Document, Problem};
use crate::{
    catalog,
    games::{
        self, Playable, Visitor,
        notation::{join_words, quote},
    },
};

/// The schema's keyword for what a text must name.
pub const REFERENCE_KEYWORD: &str = "x-check";

/// Everything in a document that its schema does not allow, in order of lines.
pub fn problems(document: &Document<'_>, schema: &Value) -> Vec<Problem> {
    let mut checker = Checker {
        document,
        game: document.string("game").unwrap_or_default(),
        players: player_names(document),
        problems: Vec::new(),
    };
    checker.table(schema, document.root(), "", 0);
    checker.repeated_names();
    checker.problems.sort();
    checker.problems
}

/// The names of the players, as far as they are texts.
fn player_names<'d>(document: &'d Document<'_>) -> Vec<&'d str> {
    let players = document.root().get("players");
    let players = players.and_then(|players| players.get_ref().as_array());
    let players = players.into_iter().flat_map(|players| players.iter());
    players
        .map(|player| {
            let name = player
                .get_ref()
                .as_table()
                .and_then(|table| table.get("name"));
            name.and_then(|name| name.get_ref().as_str())
                .unwrap_or_default()
        })
        .collect()
}

struct Checker<'d> {
    document: &'d Document<'d>,
    game: &'d str,
    players: Vec<&'d str>,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn report(&mut self, offset: usize, key: &str, text: String) {
        self.problems.push(Problem {
            line: self.document.line(offset),
            key: key.to_owned(),
            text,
        });
    }

    fn repeated_names(&mut self) {
        for (index, name) in self.players.clone().iter().enumerate() {
            if self.players.iter().take(index).any(|other| other == name) {
                let problem = Problem::at(
                    format!("players.{}.name", index + 1),
                    format!(
                        "a second player called {}: expected another name",
                        quote(name)
                    ),
                );
                self.problems.push(self.document.locate(problem));
            }
        }
    }

    fn table(&mut self, schema: &Value, table: &DeTable<'_>, key: &str, start: usize) {
        let inside = |name: &str| match key {
            "" => name.to_owned(),
            key => format!("{key}.{name}"),
        };
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        for (name, value) in table.iter() {
            let (name, offset) = (name.get_ref(), name.span().start);
            match properties.get(name.as_ref()) {
                Some(property) => self.value(property, value, &inside(name)),
                None => {
                    let known: Vec<&String> = properties.keys().collect();
                    let near = nearest(name, &known);
                    let hint = near.map(|near| format!("; did you mean {near}?"));
                    let text = format!(
                        "no such key: expected {}{}",
                        join_words(&known, "or"),
                        hint.unwrap_or_default()
                    );
                    self.report(offset, &inside(name), text);
                }
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        for name in required.filter(|&name| !table.contains_key(name)) {
            let property = properties.get(name).unwrap_or(&Value::Null);
            let about = property.get("description").and_then(Value::as_str);
            let about = about.map(|about| format!(" ({about})")).unwrap_or_default();
            let text = format!("it is missing: expected {}{about}", expected(property));
            self.report(start, &inside(name), text);
        }
    }

    fn value(&mut self, schema: &Value, value: &Spanned<DeValue<'_>>, key: &str) {
        let schema = without_null(schema);
        let start = value.span().start;
        if !has_type(schema, value.get_ref()) {
            let text = format!(
                "{} is not allowed: expected {}",
                shown(value.get_ref()),
                expected(schema)
            );
            self.report(start, key, text);
            return;
        }
        match value.get_ref() {
            DeValue::Table(table) => self.table(schema, table, key, start),
            DeValue::Array(items) => {
                let Some(item_schema) = schema.get("items") else {
                    return;
                };
                for (number, item) in (1..).zip(items.iter()) {
                    self.value(item_schema, item, &format!("{key}.{number}"));
                }
            }
            DeValue::String(text) => {
                let reference = schema.get(REFERENCE_KEYWORD).and_then(Value::as_str);
                if let Some(problem) = reference.and_then(|what| self.reference(what, text)) {
                    self.report(start, key, problem);
                }
            }
            _ => {}
        }
    }

    /// What is wrong with a text that must name something.
    fn reference(&self, what: &str, text: &str) -> Option<String> {
        match what {
            "game" => games::with_game(text, Known)
                .err()
                .map(|error| error.to_string()),
            "search" => games::with_game(self.game, SearchProblem(text)).ok()?,
            "player" if !self.players.contains(&text) => {
                let known = match self.players.as_slice() {
                    [] => "a [[players]] table with that name".to_owned(),
                    names => join_words(names, "or"),
                };
                Some(format!(
                    "no player is called {}: expected {known}",
                    quote(text)
                ))
            }
            _ => None,
        }
    }
}

/// Whether a game exists.
struct Known;

impl Visitor for Known {
    type Out = ();

    fn visit<G: Playable>(self, _: G::Rules) {}
}

/// What is wrong with a search of a game.
struct SearchProblem<'a>(&'a str);

impl Visitor for SearchProblem<'_> {
    type Out = Option<String>;

    fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
        let error = catalog::parse::<G>(self.0).err();
        error.map(|error| error.to_string())
    }
}

/// The schema of a value that is there, where one that is not is allowed, too.
fn without_null(schema: &Value) -> &Value {
    let choices = schema.get("anyOf").and_then(Value::as_array);
    let real = choices.and_then(|choices| {
        choices
            .iter()
            .find(|choice| choice.get("type").and_then(Value::as_str) != Some("null"))
    });
    real.unwrap_or(schema)
}

/// The words that a text must be one of; none if any will do.
fn allowed_words(schema: &Value) -> Option<Vec<&str>> {
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        return Some(vec![word]);
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return Some(words.iter().filter_map(Value::as_str).collect());
    }
    let choices = schema.get("oneOf").and_then(Value::as_array)?;
    let words = choices.iter().filter_map(allowed_words).flatten();
    Some(words.collect())
}

/// The type of a schema's values.
fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            let mut names = names.iter().filter_map(Value::as_str);
            names.find(|&name| name != "null").unwrap_or_default()
        }
        _ if allowed_words(schema).is_some() => "string",
        _ => "",
    }
}

/// Whether a value has the type and range of a schema; what is in lists and tables is not looked at.
fn has_type(schema: &Value, value: &DeValue<'_>) -> bool {
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    let in_range = |number: f64| {
        limit("minimum").is_none_or(|least| number >= least)
            && limit("maximum").is_none_or(|most| number <= most)
    };
    let in_length = |length: usize| {
        let length = length as f64;
        limit("minItems").is_none_or(|least| length >= least)
            && limit("maxItems").is_none_or(|most| length <= most)
    };
    match (type_of(schema), value) {
        ("integer", DeValue::Integer(_)) => integer(value).is_some_and(in_range),
        ("number", DeValue::Integer(_)) => integer(value).is_some_and(in_range),
        ("number", DeValue::Float(number)) => {
            let number = number.as_str().parse::<f64>();
            number.is_ok_and(|number| number.is_finite() && in_range(number))
        }
        ("boolean", DeValue::Boolean(_)) | ("object", DeValue::Table(_)) => true,
        ("array", DeValue::Array(items)) => in_length(items.len()),
        ("string", DeValue::String(text)) => {
            let has_pattern = schema.get("pattern").is_some();
            let is_name = |text: &str| {
                let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
                !text.is_empty() && text.bytes().all(is_allowed)
            };
            allowed_words(schema).is_none_or(|words| words.contains(&text.as_ref()))
                && (!has_pattern || is_name(text))
        }
        ("", _) => true,
        _ => false,
    }
}

fn integer(value: &DeValue<'_>) -> Option<f64> {
    let number = value.as_integer()?;
    let number = i128::from_str_radix(number.as_str(), number.radix()).ok()?;
    Some(number as f64)
}

/// What a schema allows, in words.
fn expected(schema: &Value) -> String {
    let schema = without_null(schema);
    if let Some(words) = allowed_words(schema) {
        return join_words(&words, "or");
    }
    let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
    let range = match (limit("minimum"), limit("maximum")) {
        (None | Some(0.0), None) => String::new(),
        (Some(least), None) => format!(" from {least}"),
        (None, Some(most)) => format!(" up to {most}"),
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
    };
    match type_of(schema) {
        "integer" => format!("a whole number{range}"),
        "number" => format!("a number{range}"),
        "boolean" => "true or false".to_owned(),
        "array" => {
            let items = schema.get("items").map(expected).unwrap_or_default();
            match (limit("minItems"), limit("maxItems")) {
                (Some(least), Some(most)) if least == most => {
                    format!("a list of {least}, each {items}")
                }
                _ => format!("a list, each item {items}"),
            }
        }
        "object" => "a table".to_owned(),
        "string" if schema.get("pattern").is_some() => {
            "a name of letters, digits, - and _".to_owned()
        }
        "string" => "a text in quotes".to_owned(),
        _ => "another value".to_owned(),
    }
}

/// A value as a message shows it.
fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quote(text),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Array(items) => format!("a list of {}", items.len()),
        DeValue::Table(_) => "a table".to_owned(),
        DeValue::Datetime(time) => time.to_string(),
    }
}

/// The known word that a misspelt one most likely means: the same letters but for a few.
fn nearest<'k>(word: &str, known: &[&'k String]) -> Option<&'k str> {
    let distance = |other: &str| {
        let mut left: Vec<char> = other.chars().collect();
        let missing = word.chars().filter(|symbol| {
            let place = left.iter().position(|known| known == symbol);
            place.map(|place| left.remove(place)).is_none()
        });
        let missing = missing.count();
        missing + left.len()
    };
    let best = known.iter().min_by_key(|known| distance(known))?;
    (distance(best) * 3 <= word.chars().count().max(3)).then_some(best.as_str())
}
