//! JSON piece by piece, from a stream, however deep it is nested. Python's `NaN` and `Infinity` are read as numbers.

use std::io::{self, BufRead};

use super::super::TreeError;

/// Bytes of the longest text or number that is read.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// The deepest nesting that is read.
const MAX_DEPTH: usize = 50_000_000;

/// A piece of JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonEvent {
    /// `{`
    BeginObject,
    /// `}`
    EndObject,
    /// `[`
    BeginArray,
    /// `]`
    EndArray,
    /// A key of an object; its value follows.
    Key(String),
    /// A value that is not a container.
    Scalar(Scalar),
}

/// A value that is not a container.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// Nothing.
    Null,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Value,
    /// A value, or the end of an array that has just begun.
    ValueOrEnd,
    /// A key, or the end of an object that has just begun.
    KeyOrEnd,
    Key,
    CommaOrEnd,
    Nothing,
}

/// Reads one JSON value from a stream.
pub struct JsonReader<R> {
    input: R,
    line: u64,
    /// The open containers: true for objects.
    open: Vec<bool>,
    expected: Expected,
}

impl<R: BufRead> JsonReader<R> {
    /// A reader at the beginning of a value.
    pub fn new(input: R) -> Self {
        Self {
            input,
            line: 1,
            open: Vec::new(),
            expected: Expected::Value,
        }
    }

    /// The line it is in, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next piece; none at the end of the value, behind which there may be only blanks.
    pub fn next_event(&mut self) -> Result<Option<JsonEvent>, TreeError> {
        loop {
            let Some(byte) = self.peek_solid()? else {
                return match self.expected {
                    Expected::Nothing => Ok(None),
                    _ => Err(self.error("the file ends in the middle of a value")),
                };
            };
            match (self.expected, byte) {
                (Expected::Nothing, _) => {
                    return Err(self.error("something follows the end of the value: expected one value (JSON Lines end in .jsonl)"));
                }
                (Expected::CommaOrEnd, b',') => {
                    self.input.consume(1);
                    let is_object = self.open.last().copied().unwrap_or(false);
                    self.expected = if is_object {
                        Expected::Key
                    } else {
                        Expected::Value
                    };
                }
                (Expected::CommaOrEnd | Expected::KeyOrEnd, b'}')
                | (Expected::CommaOrEnd | Expected::ValueOrEnd, b']') => {
                    return self.close(byte == b'}').map(Some);
                }
                (Expected::Key | Expected::KeyOrEnd, b'"') => {
                    let key = self.read_text()?;
                    if self.peek_solid()? != Some(b':') {
                        return Err(self.error(format!("no colon after the key {key:?}")));
                    }
                    self.input.consume(1);
                    self.expected = Expected::Value;
                    return Ok(Some(JsonEvent::Key(key)));
                }
                (Expected::Value | Expected::ValueOrEnd, _) => {
                    return self.read_value(byte).map(Some);
                }
                (_, byte) => {
                    let what = match self.expected {
                        Expected::Key | Expected::KeyOrEnd => "a key in quotes",
                        _ => "a comma or the end",
                    };
                    let found = char::from(byte).escape_default();
                    return Err(self.error(format!("'{found}' where {what} was expected")));
                }
            }
        }
    }

    fn read_value(&mut self, byte: u8) -> Result<JsonEvent, TreeError> {
        match byte {
            b'{' | b'[' => {
                self.input.consume(1);
                if self.open.len() >= MAX_DEPTH {
                    return Err(self.error(format!("nested deeper than {MAX_DEPTH}")));
                }
                self.open.push(byte == b'{');
                self.expected = match byte {
                    b'{' => Expected::KeyOrEnd,
                    _ => Expected::ValueOrEnd,
                };
                Ok(match byte {
                    b'{' => JsonEvent::BeginObject,
                    _ => JsonEvent::BeginArray,
                })
            }
            b'"' => {
                let text = self.read_text()?;
                self.end_value();
                Ok(JsonEvent::Scalar(Scalar::Text(text)))
            }
            _ => {
                let word = self.read_word()?;
                let scalar = match word.as_str() {
                    "true" => Scalar::Bool(true),
                    "false" => Scalar::Bool(false),
                    "null" => Scalar::Null,
                    "NaN" => Scalar::Number(f64::NAN),
                    "Infinity" => Scalar::Number(f64::INFINITY),
                    "-Infinity" => Scalar::Number(f64::NEG_INFINITY),
                    number
                        if number
                            .starts_with(|first: char| first == '-' || first.is_ascii_digit()) =>
                    {
                        let number = number
                            .parse()
                            .map_err(|_| self.error(format!("{number:?} is no number")))?;
                        Scalar::Number(number)
                    }
                    other => {
                        return Err(self.error(format!("{other:?} where a value was expected")));
                    }
                };
                self.end_value();
                Ok(JsonEvent::Scalar(scalar))
            }
        }
    }

    fn close(&mut self, is_object: bool) -> Result<JsonEvent, TreeError> {
        if self.open.last() != Some(&is_object) {
            return Err(self.error("a bracket closes another kind of bracket"));
        }
        self.input.consume(1);
        self.open.pop();
        self.end_value();
        Ok(match is_object {
            true => JsonEvent::EndObject,
            false => JsonEvent::EndArray,
        })
    }

    fn end_value(&mut self) {
        self.expected = match self.open.is_empty() {
            true => Expected::Nothing,
            false => Expected::CommaOrEnd,
        };
    }

    /// The next byte that is no blank.
    fn peek_solid(&mut self) -> Result<Option<u8>, TreeError> {
        while let Some(byte) = self.peek()? {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                // A byte order mark.
                0xef if self.open.is_empty() && self.expected == Expected::Value => {
                    self.skip_byte_order_mark()?;
                    continue;
                }
                _ => return Ok(Some(byte)),
            }
            self.input.consume(1);
        }
        Ok(None)
    }

    fn skip_byte_order_mark(&mut self) -> Result<(), TreeError> {
        for expected in [0xef, 0xbb, 0xbf] {
            if self.peek()? != Some(expected) {
                return Err(self.error("no JSON: expected {"));
            }
            self.input.consume(1);
        }
        Ok(())
    }

    fn peek(&mut self) -> Result<Option<u8>, TreeError> {
        loop {
            match self.input.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn take(&mut self) -> Result<u8, TreeError> {
        let byte = self.peek()?;
        let byte = byte.ok_or_else(|| self.error("the file ends in the middle of a text"))?;
        self.input.consume(1);
        Ok(byte)
    }

    fn read_word(&mut self) -> Result<String, TreeError> {
        let mut word = String::new();
        while let Some(byte) = self.peek()? {
            let is_part = byte.is_ascii_alphanumeric() || b"+-._".contains(&byte);
            if !is_part {
                break;
            }
            if word.len() >= 400 {
                return Err(self.error("a number of more than 400 digits"));
            }
            word.push(char::from(byte));
            self.input.consume(1);
        }
        if word.is_empty() {
            let found = self.peek()?.map_or(' ', char::from).escape_default();
            return Err(self.error(format!("'{found}' where a value was expected")));
        }
        Ok(word)
    }

    fn read_text(&mut self) -> Result<String, TreeError> {
        self.input.consume(1);
        let mut bytes = Vec::new();
        loop {
            match self.take()? {
                b'"' => break,
                b'\\' => self.read_escape(&mut bytes)?,
                b'\n' => return Err(self.error("a text is not closed at the end of its line")),
                byte => bytes.push(byte),
            }
            if bytes.len() > MAX_TEXT_BYTES {
                return Err(self.error(format!("a text of more than {MAX_TEXT_BYTES} bytes")));
            }
        }
        String::from_utf8(bytes).map_err(|_| self.error("a text is not UTF-8"))
    }

    fn read_escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), TreeError> {
        let escaped = match self.take()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'u' => {
                let symbol = self.read_unicode_escape()?;
                let mut buffer = [0; 4];
                bytes.extend_from_slice(symbol.encode_utf8(&mut buffer).as_bytes());
                return Ok(());
            }
            byte => {
                let found = char::from(byte).escape_default();
                return Err(self.error(format!("'\\{found}' is no escape of JSON")));
            }
        };
        bytes.push(escaped);
        Ok(())
    }

    /// The symbol behind `\u`; half of a pair becomes the replacement character.
    fn read_unicode_escape(&mut self) -> Result<char, TreeError> {
        let first = self.read_hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        if (self.take()?, self.take()?) != (b'\\', b'u') {
            return Err(self.error("half of a pair of \\u escapes"));
        }
        let second = self.read_hex()?;
        let low = second.wrapping_sub(0xdc00);
        if low >= 0x400 {
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        let code = 0x1_0000 + ((first - 0xd800) << 10) + low;
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn read_hex(&mut self) -> Result<u32, TreeError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = char::from(self.take()?).to_digit(16);
            code = code * 16
                + digit.ok_or_else(|| self.error("\\u without four hexadecimal digits"))?;
        }
        Ok(code)
    }

    /// An error where the reader is.
    pub fn error(&self, problem: impl Into<String>) -> TreeError {
        TreeError::at_line(self.line, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &[u8]) -> Result<usize, TreeError> {
        let mut reader = JsonReader::new(text);
        let mut count = 0;
        while reader.next_event()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    #[test]
    fn whatever_serde_json_reads_is_read_alike() {
        for text in [
            "{}",
            "[]",
            "3",
            "\"a\"",
            "null",
            "[1,2,{\"a\":[]}]",
            "{\"a\":{\"b\":-1.5e3},\"c\":true}",
            "[\"\\u00e9\\ud83d\\ude00\\n\\\"\"]",
            " [ 1 , 2 ] \n",
        ] {
            assert!(
                serde_json::from_str::<serde_json::Value>(text).is_ok(),
                "{text}"
            );
            assert!(events(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn whatever_is_no_json_is_refused_with_its_line() {
        for text in [
            "",
            "{",
            "[1,",
            "[1 2]",
            "{a:1}",
            "{\"a\" 1}",
            "{\"a\":}",
            "[1]]",
            "[1}",
            "{]",
            "\"a",
            "[tru]",
            "[-]",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\":1}{",
            "[\"\\x\"]",
            "[\"\\u12g4\"]",
            "[\"\n\"]",
            ",",
        ] {
            assert!(
                serde_json::from_str::<serde_json::Value>(text).is_err(),
                "{text}"
            );
            assert!(events(text.as_bytes()).is_err(), "{text}");
        }
        assert!(events(b"[\"\xff\"]").is_err());
        let error = events(b"{\n\"a\":\n oops}").map_err(|error| error.to_string());
        assert_eq!(
            error,
            Err("line 3: \"oops\" where a value was expected".to_owned())
        );
    }

    #[test]
    fn texts_keep_their_symbols() {
        let mut reader = JsonReader::new("\"\\u00e9\\ud83d\\ude00ż\"".as_bytes());
        let text = reader.next_event().ok().flatten();
        assert_eq!(
            text,
            Some(JsonEvent::Scalar(Scalar::Text("é😀ż".to_owned())))
        );
    }

    #[test]
    fn a_million_brackets_are_no_danger() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(events(deep.as_bytes()).ok(), Some(2_000_000));
    }
}
