//! Files that an experiment's file names: their text takes the place of their name, so that the file alone says everything.

use std::{fs, path::Path};

use toml::de::DeValue;

use super::document::{Document, Problem};

/// The keys of `[trials]` that name a file beside the experiment's, and the keys that have its text instead.
const FILE_KEYS: &[(&str, &str)] = &[("positions_file", "positions")];

/// The text of an experiment's file with the texts of the files it names, which lie in `directory`. Its lines keep their numbers. A
/// file that is no TOML is left as it is.
pub fn embed(text: &str, directory: &Path) -> Result<String, Problem> {
    let Ok(document) = Document::parse(text) else {
        return Ok(text.to_owned());
    };
    let trials = document.root().get("trials");
    let Some(DeValue::Table(trials)) = trials.map(|trials| trials.get_ref()) else {
        return Ok(text.to_owned());
    };
    for (file_key, text_key) in FILE_KEYS {
        let Some((key, value)) = trials.get_key_value(*file_key) else {
            continue;
        };
        let Some(name) = value.get_ref().as_str() else {
            continue;
        };
        let failed = |problem: &dyn std::fmt::Display| {
            let text = format!("cannot read {name}: {problem}");
            document.locate(Problem::at(format!("trials.{file_key}"), text))
        };
        if trials.contains_key(*text_key) {
            return Err(failed(&format!(
                "{text_key} is given, too: expected one of them"
            )));
        }
        let bytes = fs::read(directory.join(name)).map_err(|error| failed(&error))?;
        let content = String::from_utf8(bytes).map_err(|_| failed(&"expected text in UTF-8"))?;
        let (start, end) = (key.span().start, value.span().end);
        let (before, after) = (text.get(..start), text.get(end..));
        return Ok(format!(
            "{}{text_key} = {}{}",
            before.unwrap_or_default(),
            basic_string(&content),
            after.unwrap_or_default()
        ));
    }
    Ok(text.to_owned())
}

/// A text as a TOML string of one line.
fn basic_string(text: &str) -> String {
    let mut out = String::from("\"");
    for symbol in text.chars() {
        match symbol {
            '"' | '\\' => out.extend(['\\', symbol]),
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            symbol if symbol.is_control() => out += &format!("\\u{:04X}", u32::from(symbol)),
            symbol => out.push(symbol),
        }
    }
    out + "\""
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail")]
mod tests {
    use super::*;

    #[test]
    fn a_text_on_one_line_is_read_back_as_it_was() {
        let text = "a \"quoted\" \\ word\n\ttab\u{7f}\r\nend";
        let line = basic_string(text);
        assert!(!line.contains('\n'), "{line}");
        let read: toml::Table = toml::from_str(&format!("key = {line}")).expect("it is TOML");
        assert_eq!(read.get("key").and_then(|value| value.as_str()), Some(text));
    }
}
