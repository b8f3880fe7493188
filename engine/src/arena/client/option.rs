//! Options that an engine declares when it introduces itself (UCI and UGI).

/// An option as its engine declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    /// Its name, as the engine writes it.
    pub name: String,
    /// The values that it takes.
    pub kind: EngineOptionKind,
    /// Its value while nobody sets it.
    pub default: String,
}

/// The values that an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineOptionKind {
    /// `true` or `false`.
    Check,
    /// A whole number between two others.
    Spin {
        /// The least.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// One of these.
    Combo(Vec<String>),
    /// None: it is pressed.
    Button,
    /// Any text.
    Text,
}

impl EngineOption {
    /// Reads an `option` line; none if it is another line, or not sound.
    pub fn parse(line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("option name ")?;
        let (name, rest) = rest.split_once(" type ")?;
        let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let fields = fields(rest);
        let field = |wanted: &str| {
            let found = fields.iter().find(|(key, _)| *key == wanted);
            found.map_or("", |(_, value)| value.as_str())
        };
        let kind = match kind {
            "check" => EngineOptionKind::Check,
            "spin" => EngineOptionKind::Spin {
                min: field("min").parse().unwrap_or(i64::MIN),
                max: field("max").parse().unwrap_or(i64::MAX),
            },
            "combo" => {
                let choices = fields.iter().filter(|(key, _)| *key == "var");
                EngineOptionKind::Combo(choices.map(|(_, value)| value.clone()).collect())
            }
            "button" => EngineOptionKind::Button,
            "string" | "filename" => EngineOptionKind::Text,
            _ => return None,
        };
        let default = match field("default") {
            "<empty>" => "",
            default => default,
        };
        Some(Self {
            name: name.trim().to_owned(),
            kind,
            default: default.to_owned(),
        })
    }

    /// Why a value cannot be sent; none if it can.
    pub fn problem_with(&self, value: &str) -> Option<String> {
        let name = &self.name;
        match &self.kind {
            EngineOptionKind::Check if !["true", "false"].contains(&value) => {
                Some(format!("{name} is true or false."))
            }
            EngineOptionKind::Spin { min, max } => {
                let number = value.parse::<i64>().ok();
                let is_sound = number.is_some_and(|number| (*min..=*max).contains(&number));
                (!is_sound).then(|| format!("{name} is a whole number from {min} to {max}."))
            }
            EngineOptionKind::Combo(choices) if !choices.iter().any(|choice| choice == value) => {
                Some(format!("{name} is one of {}.", choices.join(", ")))
            }
            _ => None,
        }
    }
}

/// The keywords of a declaration, each with the words up to the next one.
fn fields(text: &str) -> Vec<(&str, String)> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    for word in text.split_whitespace() {
        match (word, fields.last_mut()) {
            ("default" | "min" | "max" | "var", _) => fields.push((word, String::new())),
            (word, Some((_, value))) => {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(word);
            }
            (_, None) => {}
        }
    }
    fields
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn parse(line: &str) -> EngineOption {
        EngineOption::parse(line).expect("an option")
    }

    #[test]
    fn declarations_of_every_kind_are_read() {
        let hash = parse("option name Hash type spin default 16 min 1 max 1024");
        assert_eq!((hash.name.as_str(), hash.default.as_str()), ("Hash", "16"));
        assert_eq!(hash.kind, EngineOptionKind::Spin { min: 1, max: 1024 });
        let style =
            parse("option name Style type combo default Very Solid var Very Solid var Risky");
        let choices = ["Very Solid", "Risky"].map(str::to_owned).to_vec();
        assert_eq!(style.kind, EngineOptionKind::Combo(choices));
        assert_eq!(style.default, "Very Solid");
        let book = parse("option name Book File type string default <empty>");
        assert_eq!(
            (book.name.as_str(), book.kind, book.default.as_str()),
            ("Book File", EngineOptionKind::Text, "")
        );
        assert_eq!(
            parse("option name Clear Hash type button").kind,
            EngineOptionKind::Button
        );
        for wrong in ["uciok", "option name X", "option name X type cake"] {
            assert_eq!(EngineOption::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn values_that_an_engine_would_refuse_are_told_of() {
        let hash = parse("option name Hash type spin default 16 min 1 max 1024");
        let told = "Hash is a whole number from 1 to 1024.".to_owned();
        assert_eq!(hash.problem_with("0"), Some(told.clone()));
        assert_eq!(hash.problem_with("many"), Some(told));
        assert_eq!(hash.problem_with("64"), None);
        let ponder = parse("option name Ponder type check default false");
        assert!(ponder.problem_with("yes").is_some() && ponder.problem_with("true").is_none());
    }
}
