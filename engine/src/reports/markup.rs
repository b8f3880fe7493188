//! HTML and SVG with every text and attribute escaped.

use crate::games::notation::escape_invisible;

/// Elements without an end tag.
const VOID: &[&str] = &["meta", "br"];

/// A document under construction. Elements close in the order they were opened.
#[derive(Debug, Default)]
pub(super) struct Markup {
    out: String,
    open: Vec<&'static str>,
}

/// An attribute; numbers and texts both become texts.
pub(super) type Attribute<'a> = (&'static str, &'a str);

impl Markup {
    /// Opens an element.
    pub(super) fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) -> &mut Self {
        self.out.push('<');
        self.out.push_str(name);
        for (attribute, value) in attributes {
            self.out.push(' ');
            self.out.push_str(attribute);
            self.out.push_str("=\"");
            escape_into(&mut self.out, value);
            self.out.push('"');
        }
        self.out.push('>');
        if !VOID.contains(&name) {
            self.open.push(name);
        }
        self
    }

    /// Closes the element that was opened last.
    pub(super) fn close(&mut self) -> &mut Self {
        if let Some(name) = self.open.pop() {
            self.out.push_str("</");
            self.out.push_str(name);
            self.out.push('>');
        }
        self
    }

    /// Text.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        escape_into(&mut self.out, text);
        self
    }

    /// An element with text alone.
    pub(super) fn element(
        &mut self,
        name: &'static str,
        attributes: &[Attribute<'_>],
        text: &str,
    ) -> &mut Self {
        self.open(name, attributes).text(text).close()
    }

    /// A line break in the source, for people who read it.
    pub(super) fn line(&mut self) -> &mut Self {
        self.out.push('\n');
        self
    }

    /// Text that is markup already: ours, such as a style sheet.
    pub(super) fn raw(&mut self, text: &str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    /// The document; what is open is closed.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }
}

/// Characters that are markup become entities, invisible ones their codes.
fn escape_into(out: &mut String, text: &str) {
    for symbol in escape_invisible(text).chars() {
        match symbol {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            symbol => out.push(symbol),
        }
    }
}
