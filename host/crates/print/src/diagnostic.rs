//! What Typst has to say about a template, with the place and the line that it is about.
//!
//! Not by `typst-kit`'s `emit-diagnostics`: it writes a text for a terminal, by way of crates that the server would build twice
//! in different versions, and the preview wants the parts.
use std::fmt;

use serde::{Deserialize, Serialize};
use typst::diag::{Severity, SourceDiagnostic};
use typst::syntax::{DiagSpan, Source};
use typst::{World, WorldExt as _};

/// An error or a warning of Typst.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub is_error: bool,
    pub message: String,
    /// Nothing where Typst names no place.
    pub place: Option<Place>,
    /// What to do about it.
    pub hints: Vec<String>,
    /// What was being done, from the inside out, each with its place.
    pub trace: Vec<String>,
}

/// Where in the template folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    /// From one; nothing where the file is no text.
    pub line: Option<usize>,
    pub column: Option<usize>,
    /// The line itself.
    pub text: Option<String>,
}

/// How much of a line is repeated.
const LONGEST_LINE: usize = 200;

impl Diagnostic {
    pub(crate) fn of(world: &impl World, diagnostic: &SourceDiagnostic) -> Self {
        let at = |span: DiagSpan| {
            Place::of(world, span)
                .map(|place| format!(" ({place})"))
                .unwrap_or_default()
        };
        Self {
            is_error: diagnostic.severity == Severity::Error,
            message: diagnostic.message.to_string(),
            place: Place::of(world, diagnostic.span),
            hints: diagnostic
                .hints
                .iter()
                .map(|hint| format!("{}{}", hint.v, at(hint.span)))
                .collect(),
            trace: diagnostic
                .trace
                .iter()
                .map(|point| format!("{}{}", point.v, at(point.span.into())))
                .collect(),
        }
    }
}

impl Place {
    pub(crate) fn of(world: &impl World, span: impl Into<DiagSpan>) -> Option<Self> {
        let span = span.into();
        let id = span.id()?;
        let file = id.vpath().get_without_slash().to_owned();
        let found = world.range(span).and_then(|range| {
            let source: Source = world.source(id).ok()?;
            let (line, column) = source.lines().byte_to_line_column(range.start)?;
            let text = source.text().lines().nth(line)?.chars().take(LONGEST_LINE).collect();
            Some((line + 1, column + 1, text))
        });
        Some(match found {
            Some((line, column, text)) => Self {
                file,
                line: Some(line),
                column: Some(column),
                text: Some(text),
            },
            None => Self {
                file,
                line: None,
                column: None,
                text: None,
            },
        })
    }
}

/// `file:line:column`, as editors open it.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(formatter, ":{number}")?;
        }
        Ok(())
    }
}

/// A line for the message, and one for each hint.
impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
        }
        formatter.write_str(&self.message)?;
        for hint in &self.hints {
            write!(formatter, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}
