//! Graphviz's DOT: nodes, edges and their attributes. Names of attributes are mapped as keys of JSON are; numbers are found in labels
//! such as `e4\nN: 12\nQ = 0.5` too.

use std::{
    collections::{HashMap, HashSet},
    io::{self, BufRead},
};

use super::{
    super::TreeError,
    json::Scalar,
    mapping::{Field, Mapping},
    node_table::NodeTable,
};

/// Bytes of the longest name or attribute.
const MAX_TEXT_BYTES: usize = 1 << 20;
/// The deepest nesting of subgraphs.
const MAX_DEPTH: usize = 100;
/// The most nodes of one edge statement.
const MAX_CHAIN: usize = 100_000;

/// Reads a file.
pub fn read(input: impl BufRead, mapping: &Mapping) -> Result<NodeTable, TreeError> {
    let mut reader = DotReader {
        tokens: Tokens {
            input,
            line: 1,
            peeked: None,
        },
        mapping,
        table: NodeTable::default(),
        by_name: HashMap::new(),
        labelled: HashSet::new(),
    };
    reader.read_graph()?;
    reader.name_moves();
    if reader.table.is_empty() {
        return Err(reader.tokens.error("the graph has no nodes"));
    }
    Ok(reader.table)
}

/// A piece of the file.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name, quoted or not.
    Word(String),
    /// `->` or `--`
    Edge,
    /// One of `{ } [ ] ; , = :`
    Symbol(u8),
}

struct DotReader<'a, R> {
    tokens: Tokens<R>,
    mapping: &'a Mapping,
    table: NodeTable,
    by_name: HashMap<Box<str>, u32>,
    /// Nodes with a label of their own or of the edge to them.
    labelled: HashSet<u32>,
}

struct Attributes {
    /// Where the statement they belong to ends.
    line: u64,
    values: Vec<(String, String)>,
}

impl<R: BufRead> DotReader<'_, R> {
    fn read_graph(&mut self) -> Result<(), TreeError> {
        const KEYWORDS: [&str; 3] = ["strict", "graph", "digraph"];
        let is_graph = |word: &str| {
            KEYWORDS
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known))
        };
        match self.tokens.peek()? {
            Some(Token::Word(word)) if is_graph(word) => {}
            _ => {
                return Err(self
                    .tokens
                    .error("no DOT: expected digraph or graph at the beginning"));
            }
        }
        while let Some(Token::Word(_)) = self.tokens.peek()? {
            self.tokens.next()?;
        }
        if self.tokens.next()? != Some(Token::Symbol(b'{')) {
            return Err(self.tokens.error("no { after the name of the graph"));
        }
        self.read_statements(0).map(drop)
    }

    /// A node without a label is labelled with its name, as Graphviz has it.
    #[expect(clippy::iter_over_hash_type, reason = "no node depends on another")]
    fn name_moves(&mut self) {
        for (name, &node) in &self.by_name {
            if !self.labelled.contains(&node) && !self.table.has_move(node) {
                self.table.set_move(node, name);
            }
        }
    }

    /// Reads up to the closing bracket; returns the nodes that are named.
    fn read_statements(&mut self, depth: usize) -> Result<Vec<u32>, TreeError> {
        let mut named = Vec::new();
        loop {
            match self.tokens.peek()? {
                None => {
                    return Err(self
                        .tokens
                        .error("the file ends before the graph does: expected }"));
                }
                Some(Token::Symbol(b'}')) => {
                    self.tokens.next()?;
                    return Ok(named);
                }
                Some(Token::Symbol(b';' | b',')) => drop(self.tokens.next()?),
                _ => named.extend(self.read_statement(depth)?),
            }
            if depth == 0 {
                named.clear();
            }
        }
    }

    fn read_statement(&mut self, depth: usize) -> Result<Vec<u32>, TreeError> {
        if let Some(Token::Word(word)) = self.tokens.peek()? {
            let word = word.to_lowercase();
            let is_default = ["graph", "node", "edge"].contains(&word.as_str());
            if is_default && !self.tokens.last_was_quoted() {
                self.tokens.next()?;
                self.read_attributes()?;
                return Ok(Vec::new());
            }
        }
        let mut groups = vec![self.read_group(depth)?];
        // An attribute of the graph.
        if self.tokens.peek()? == Some(&Token::Symbol(b'=')) {
            self.tokens.next()?;
            self.tokens.next()?;
            return Ok(Vec::new());
        }
        while self.tokens.peek()? == Some(&Token::Edge) {
            self.tokens.next()?;
            groups.push(self.read_group(depth)?);
            if groups.len() > MAX_CHAIN {
                return Err(self
                    .tokens
                    .error(format!("an edge statement of more than {MAX_CHAIN} nodes")));
            }
        }
        let attributes = self.read_attributes()?;
        let groups: Vec<Vec<u32>> = groups
            .into_iter()
            .map(|group| self.resolve(group))
            .collect::<Result<_, _>>()?;
        match groups.as_slice() {
            [only] => {
                for &node in only {
                    self.set_node_attributes(node, &attributes)?;
                }
            }
            chain => {
                for pair in chain.windows(2) {
                    if let [from, to] = pair {
                        self.add_edges(from, to, &attributes)?;
                    }
                }
            }
        }
        Ok(groups.into_iter().flatten().collect())
    }

    /// A node, or all nodes of a subgraph.
    fn read_group(&mut self, depth: usize) -> Result<Group, TreeError> {
        if let Some(Token::Word(word)) = self.tokens.peek()?
            && word.eq_ignore_ascii_case("subgraph")
        {
            self.tokens.next()?;
            if let Some(Token::Word(_)) = self.tokens.peek()? {
                self.tokens.next()?;
            }
        }
        let line = self.tokens.line;
        match self.tokens.next()? {
            Some(Token::Word(name)) => {
                // A port, and a compass point.
                while self.tokens.peek()? == Some(&Token::Symbol(b':')) {
                    self.tokens.next()?;
                    self.tokens.next()?;
                }
                Ok(Group::Name(name, line))
            }
            Some(Token::Symbol(b'{')) if depth < MAX_DEPTH => {
                self.read_statements(depth + 1).map(Group::Nodes)
            }
            Some(Token::Symbol(b'{')) => Err(self.tokens.error("subgraphs are nested too deeply")),
            _ => Err(self.tokens.error("expected the name of a node")),
        }
    }

    fn resolve(&mut self, group: Group) -> Result<Vec<u32>, TreeError> {
        match group {
            Group::Nodes(nodes) => Ok(nodes),
            Group::Name(name, line) => {
                if let Some(&node) = self.by_name.get(name.as_str()) {
                    return Ok(vec![node]);
                }
                let node = self.table.add(None, line)?;
                self.by_name.insert(name.into(), node);
                Ok(vec![node])
            }
        }
    }

    fn read_attributes(&mut self) -> Result<Attributes, TreeError> {
        let line = self.tokens.line;
        let mut values = Vec::new();
        while self.tokens.peek()? == Some(&Token::Symbol(b'[')) {
            self.tokens.next()?;
            loop {
                match self.tokens.next()? {
                    Some(Token::Symbol(b']')) => break,
                    Some(Token::Symbol(b',' | b';')) => {}
                    Some(Token::Word(name)) => {
                        let mut value = "true".to_owned();
                        if self.tokens.peek()? == Some(&Token::Symbol(b'=')) {
                            self.tokens.next()?;
                            value = match self.tokens.next()? {
                                Some(Token::Word(value)) => value,
                                _ => {
                                    return Err(self
                                        .tokens
                                        .error(format!("no value after {name}=")));
                                }
                            };
                        }
                        values.push((name, value));
                    }
                    _ => {
                        return Err(self
                            .tokens
                            .error("expected NAME=VALUE or ] in a list of attributes"));
                    }
                }
            }
        }
        Ok(Attributes { line, values })
    }

    fn add_edges(
        &mut self,
        from: &[u32],
        to: &[u32],
        attributes: &Attributes,
    ) -> Result<(), TreeError> {
        let label = attributes
            .values
            .iter()
            .find(|(name, _)| self.is_move(name));
        let label = label.or_else(|| attributes.values.iter().find(|(name, _)| name == "label"));
        let mv = label.map_or("", |(_, value)| first_line(value)).to_owned();
        for &from in from {
            for &to in to {
                if from == to {
                    let problem = "an edge leads from a node to itself: expected a tree, or a graph without cycles";
                    return Err(TreeError::at_line(attributes.line, problem));
                }
                if self.table.has_parent(to) {
                    let visits = attributes
                        .values
                        .iter()
                        .find(|(name, _)| self.mapping.field(name) == Some(Field::Visits));
                    let visits = visits.and_then(|(_, value)| value.parse().ok());
                    let visits = visits.filter(|&visits: &f64| visits >= 0.0);
                    self.table.add_shared_edge(from, to, &mv, visits);
                    continue;
                }
                self.table.set_parent(to, from);
                if label.is_some() {
                    self.labelled.insert(to);
                }
                if !mv.is_empty() {
                    self.table.set_move(to, &mv);
                }
                self.set_numbers(to, attributes)?;
            }
        }
        Ok(())
    }

    fn is_move(&self, name: &str) -> bool {
        self.mapping.field(name) == Some(Field::Move)
    }

    fn set_node_attributes(&mut self, node: u32, attributes: &Attributes) -> Result<(), TreeError> {
        for (name, value) in &attributes.values {
            let field = self.mapping.field(name);
            if name == "label" {
                let title = first_line(value);
                let is_figure = figure(title).is_some();
                if !is_figure {
                    self.labelled.insert(node);
                }
                if !is_figure && !self.table.has_move(node) {
                    self.table.set_move(node, title);
                }
            } else if matches!(field, Some(Field::Move | Field::State)) {
                self.table.set(
                    node,
                    name,
                    field,
                    Scalar::Text(value.clone()),
                    attributes.line,
                )?;
            }
        }
        self.set_numbers(node, attributes)
    }

    /// Sets what attributes and lines of labels say in numbers.
    fn set_numbers(&mut self, node: u32, attributes: &Attributes) -> Result<(), TreeError> {
        for (name, value) in &attributes.values {
            let figures = label_lines(value).filter_map(figure);
            let own = value
                .trim()
                .parse()
                .ok()
                .map(|number| (name.as_str(), number));
            let is_label = name == "label" || name == "xlabel";
            let found: Vec<(&str, f64)> = match (is_label, own) {
                (false, Some(own)) if !DRAWING.contains(&name.as_str()) => vec![own],
                (true, _) => figures.collect(),
                _ => continue,
            };
            for (key, number) in found {
                let field = self.mapping.field(key);
                if !matches!(field, Some(Field::Move | Field::State)) {
                    self.table
                        .set(node, key, field, Scalar::Number(number), attributes.line)?;
                }
            }
        }
        Ok(())
    }
}

/// What stands on one side of an edge.
enum Group {
    Name(String, u64),
    Nodes(Vec<u32>),
}

/// Attributes of drawings, which say nothing of a search.
const DRAWING: [&str; 12] = [
    "width",
    "height",
    "penwidth",
    "fontsize",
    "peripheries",
    "sides",
    "rank",
    "margin",
    "labelfontsize",
    "arrowsize",
    "minlen",
    "skew",
];

/// The lines of a label; `\n`, `\l` and `\r` end one, and a comma before a figure does, which that of `x(0,1)` is not.
/// Fields of records are lines, too.
fn label_lines(label: &str) -> impl Iterator<Item = &str> {
    let inner = label.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    (inner.unwrap_or(label).split(['\n', '|']))
        .flat_map(|line| line.split("\\n"))
        .flat_map(|line| line.split("\\l"))
        .flat_map(|line| line.split("\\r"))
        .flat_map(|line| {
            let is_list = line.split(',').skip(1).all(|part| figure(part).is_some());
            let parts = if is_list { usize::MAX } else { 1 };
            line.splitn(parts, ',')
        })
}

fn first_line(label: &str) -> &str {
    label_lines(label).next().unwrap_or_default().trim()
}

/// `N: 12` or `Q = 0.5` as a name and a number.
fn figure(line: &str) -> Option<(&str, f64)> {
    let (name, value) = line.split_once([':', '='])?;
    let number: f64 = value.trim().parse().ok()?;
    let name = name.trim();
    (!name.is_empty() && number.is_finite()).then_some((name, number))
}

/// The pieces of a stream.
struct Tokens<R> {
    input: R,
    line: u64,
    peeked: Option<(Token, bool)>,
}

impl<R: BufRead> Tokens<R> {
    fn error(&self, problem: impl Into<String>) -> TreeError {
        TreeError::at_line(self.line, problem)
    }

    /// Whether the peeked word stood in quotes.
    fn last_was_quoted(&self) -> bool {
        self.peeked
            .as_ref()
            .is_some_and(|(_, is_quoted)| *is_quoted)
    }

    fn peek(&mut self) -> Result<Option<&Token>, TreeError> {
        if self.peeked.is_none() {
            self.peeked = self.read()?;
        }
        Ok(self.peeked.as_ref().map(|(token, _)| token))
    }

    fn next(&mut self) -> Result<Option<Token>, TreeError> {
        match self.peeked.take() {
            Some((token, _)) => Ok(Some(token)),
            None => Ok(self.read()?.map(|(token, _)| token)),
        }
    }

    fn byte(&mut self) -> Result<Option<u8>, TreeError> {
        loop {
            match self.input.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn skip(&mut self, byte: u8) {
        self.input.consume(1);
        self.line += u64::from(byte == b'\n');
    }

    fn read(&mut self) -> Result<Option<(Token, bool)>, TreeError> {
        loop {
            let Some(byte) = self.byte()? else {
                return Ok(None);
            };
            match byte {
                byte if byte.is_ascii_whitespace() => self.skip(byte),
                b'#' => self.skip_line()?,
                b'/' => self.skip_comment()?,
                b'{' | b'}' | b'[' | b']' | b';' | b',' | b'=' | b':' => {
                    self.skip(byte);
                    return Ok(Some((Token::Symbol(byte), false)));
                }
                b'"' => {
                    return self
                        .read_quoted()
                        .map(|word| Some((Token::Word(word), true)));
                }
                b'<' => return self.read_html().map(|word| Some((Token::Word(word), true))),
                _ => return self.read_bare().map(|token| Some((token, false))),
            }
        }
    }

    fn skip_line(&mut self) -> Result<(), TreeError> {
        while let Some(byte) = self.byte()? {
            self.skip(byte);
            if byte == b'\n' {
                break;
            }
        }
        Ok(())
    }

    fn skip_comment(&mut self) -> Result<(), TreeError> {
        self.skip(b'/');
        match self.byte()? {
            Some(b'/') => self.skip_line(),
            Some(b'*') => {
                let mut last = 0;
                while let Some(byte) = self.byte()? {
                    self.skip(byte);
                    if (last, byte) == (b'*', b'/') {
                        return Ok(());
                    }
                    last = byte;
                }
                Err(self.error("a comment is not closed"))
            }
            _ => Err(self.error("a / outside quotes")),
        }
    }

    fn finish_text(&self, bytes: Vec<u8>) -> Result<String, TreeError> {
        String::from_utf8(bytes).map_err(|_| self.error("a name is not UTF-8"))
    }

    fn push(&self, bytes: &mut Vec<u8>, byte: u8) -> Result<(), TreeError> {
        if bytes.len() >= MAX_TEXT_BYTES {
            return Err(self.error(format!("a name of more than {MAX_TEXT_BYTES} bytes")));
        }
        bytes.push(byte);
        Ok(())
    }

    fn read_quoted(&mut self) -> Result<String, TreeError> {
        self.skip(b'"');
        let mut bytes = Vec::new();
        loop {
            let byte = self
                .byte()?
                .ok_or_else(|| self.error("a quote is not closed"))?;
            self.skip(byte);
            match byte {
                b'"' => return self.finish_text(bytes),
                b'\\' => match self.byte()? {
                    // Only the quote has an escape; others are the label's own. A line may be continued.
                    Some(b'"') => {
                        self.skip(b'"');
                        self.push(&mut bytes, b'"')?;
                    }
                    Some(b'\n') => self.skip(b'\n'),
                    _ => self.push(&mut bytes, b'\\')?,
                },
                byte => self.push(&mut bytes, byte)?,
            }
        }
    }

    fn read_html(&mut self) -> Result<String, TreeError> {
        let mut bytes = Vec::new();
        let mut depth = 0_usize;
        loop {
            let byte = self
                .byte()?
                .ok_or_else(|| self.error("a < is not closed"))?;
            self.skip(byte);
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => {}
            }
            self.push(&mut bytes, byte)?;
            if depth == 0 {
                return self.finish_text(bytes);
            }
        }
    }

    fn read_bare(&mut self) -> Result<Token, TreeError> {
        let mut bytes = Vec::new();
        while let Some(byte) = self.byte()? {
            let is_part =
                byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || byte >= 0x80;
            match byte {
                b'-' if bytes.is_empty() => {
                    self.skip(byte);
                    if matches!(self.byte()?, Some(b'>' | b'-')) {
                        self.skip(b'-');
                        return Ok(Token::Edge);
                    }
                    bytes.push(b'-');
                }
                byte if is_part => {
                    self.skip(byte);
                    self.push(&mut bytes, byte)?;
                }
                _ => break,
            }
        }
        if bytes.is_empty() {
            let found = self.byte()?.map_or(' ', char::from).escape_default();
            return Err(self.error(format!("'{found}' outside quotes")));
        }
        self.finish_text(bytes).map(Token::Word)
    }
}
