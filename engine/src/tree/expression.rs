//! Arithmetic over the figures of a node, as STEM.json states the formula of another program: `mean + 1.5 * prior * sqrt(parent_visits)
//! / (1 + visits)`.

/// The deepest nesting of brackets and signs.
const MAX_DEPTH: usize = 50;
/// The longest text.
const MAX_BYTES: usize = 2_000;

/// An expression that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Name(String),
    Negative(Box<Self>),
    Binary(u8, Box<Self>, Box<Self>),
    Call(Function, Vec<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Sqrt,
    Ln,
    Exp,
    Abs,
    Min,
    Max,
}

impl Function {
    fn parse(name: &str) -> Option<(Self, usize)> {
        Some(match name {
            "sqrt" => (Self::Sqrt, 1),
            "ln" | "log" => (Self::Ln, 1),
            "exp" => (Self::Exp, 1),
            "abs" => (Self::Abs, 1),
            "min" => (Self::Min, 2),
            "max" => (Self::Max, 2),
            _ => return None,
        })
    }
}

impl Expression {
    /// Reads an expression of numbers, names, `+ - * / ^`, brackets, and `sqrt ln log exp abs min max`. The error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_BYTES {
            return Err(format!(
                "a formula of {} bytes: expected at most {MAX_BYTES}",
                text.len()
            ));
        }
        let mut parser = Parser {
            rest: text,
            depth: 0,
        };
        let node = parser.sum()?;
        match parser.rest.trim_start() {
            "" => Ok(Self(node)),
            rest => Err(format!(
                "{rest:?} is left over: expected the end of the formula"
            )),
        }
    }

    /// The names in it, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.0.collect_names(&mut names);
        names
    }

    /// Its value, `value` telling those of names; not a number if one is unknown.
    pub fn value(&self, value: &dyn Fn(&str) -> Option<f64>) -> f64 {
        self.0.value(value)
    }
}

impl Node {
    fn collect_names<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Number(_) => {}
            Self::Name(name) if names.contains(&name.as_str()) => {}
            Self::Name(name) => names.push(name),
            Self::Negative(node) => node.collect_names(names),
            Self::Binary(_, left, right) => {
                left.collect_names(names);
                right.collect_names(names);
            }
            Self::Call(_, nodes) => nodes.iter().for_each(|node| node.collect_names(names)),
        }
    }

    fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Name(name) => of(name).unwrap_or(f64::NAN),
            Self::Negative(node) => -node.value(of),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.value(of), right.value(of));
                match operator {
                    b'+' => left + right,
                    b'-' => left - right,
                    b'*' => left * right,
                    b'/' => left / right,
                    _ => left.powf(right),
                }
            }
            Self::Call(function, nodes) => {
                let mut values = nodes.iter().map(|node| node.value(of));
                let first = values.next().unwrap_or(f64::NAN);
                let second = values.next().unwrap_or(f64::NAN);
                match function {
                    Function::Sqrt => first.sqrt(),
                    Function::Ln => first.ln(),
                    Function::Exp => first.exp(),
                    Function::Abs => first.abs(),
                    Function::Min => first.min(second),
                    Function::Max => first.max(second),
                }
            }
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    /// Takes one of these symbols if it comes next.
    fn take(&mut self, symbols: &[u8]) -> Option<u8> {
        self.rest = self.rest.trim_start();
        let first = *self.rest.as_bytes().first()?;
        let is_taken = symbols.contains(&first);
        if is_taken {
            self.rest = self.rest.get(1..).unwrap_or_default();
        }
        is_taken.then_some(first)
    }

    fn sum(&mut self) -> Result<Node, String> {
        let mut left = self.product()?;
        while let Some(operator) = self.take(b"+-") {
            left = Node::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut left = self.signed()?;
        while let Some(operator) = self.take(b"*/") {
            left = Node::Binary(operator, Box::new(left), Box::new(self.signed()?));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("a formula nested deeper than {MAX_DEPTH}"));
        }
        let node = match self.take(b"+-") {
            Some(b'-') => Node::Negative(Box::new(self.signed()?)),
            Some(_) => self.signed()?,
            None => {
                let base = self.atom()?;
                match self.take(b"^") {
                    Some(operator) => {
                        Node::Binary(operator, Box::new(base), Box::new(self.signed()?))
                    }
                    None => base,
                }
            }
        };
        self.depth -= 1;
        Ok(node)
    }

    fn atom(&mut self) -> Result<Node, String> {
        if self.take(b"(").is_some() {
            let inner = self.sum()?;
            return match self.take(b")") {
                Some(_) => Ok(inner),
                None => Err("a bracket is not closed".to_owned()),
            };
        }
        let is_part = |symbol: char| symbol.is_alphanumeric() || symbol == '_' || symbol == '.';
        let end = self
            .rest
            .find(|symbol: char| !is_part(symbol))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            let found = self
                .rest
                .chars()
                .next()
                .map_or("the end".to_owned(), |symbol| format!("{symbol:?}"));
            return Err(format!("{found} where a number or a name was expected"));
        }
        self.rest = rest;
        if word.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            let number: Option<f64> = word.parse().ok();
            return number
                .map(Node::Number)
                .ok_or_else(|| format!("{word:?} is no number"));
        }
        match Function::parse(word) {
            Some((function, count)) if self.take(b"(").is_some() => {
                self.call(word, function, count)
            }
            _ => Ok(Node::Name(word.to_owned())),
        }
    }

    fn call(&mut self, name: &str, function: Function, count: usize) -> Result<Node, String> {
        let mut arguments = vec![self.sum()?];
        while self.take(b",").is_some() {
            arguments.push(self.sum()?);
        }
        if self.take(b")").is_none() {
            return Err(format!("the bracket of {name} is not closed"));
        }
        if arguments.len() != count {
            return Err(format!(
                "{name} has {} arguments: expected {count}",
                arguments.len()
            ));
        }
        Ok(Node::Call(function, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<f64> {
        let known = |name: &str| match name {
            "n" => Some(4.0),
            "Q.mean" => Some(0.5),
            _ => None,
        };
        Expression::parse(text)
            .ok()
            .map(|expression| expression.value(&known))
    }

    #[test]
    fn arithmetic_is_as_people_write_it() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("-2 ^ 2", -4.0),
            ("2 ^ 3 ^ 0", 2.0),
            ("8 / 4 / 2", 1.0),
            ("1 - 2 - 3", -4.0),
            ("sqrt(n) + Q.mean", 2.5),
            ("max(n, 5) - min(n, 5) * abs(-1)", 1.0),
            ("ln(exp(2))", 2.0),
            (" .5*n ", 2.0),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        assert!(value("n + unknown").is_some_and(f64::is_nan));
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        let deep = "(".repeat(1_000);
        let signs = "-".repeat(1_000) + "1";
        for text in [
            "",
            "1 +",
            "(1",
            "sqrt(1, 2)",
            "max(1)",
            "1 2",
            "1..2",
            "§",
            "sqrt(",
            "*",
            &deep,
            &signs,
        ] {
            assert!(Expression::parse(text).is_err(), "{text}");
        }
    }
}
