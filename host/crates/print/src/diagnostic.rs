//! Typst's errors and warnings about a template, with the place and the source line that each concerns.
//!
//! We do not use `emit-diagnostics` of `typst-kit`: it formats text for a terminal, depends on crates that the server
//! would then build in two versions, and the preview needs the separate parts.
use std::fmt;

use serde::{Deserialize, Serialize};
use typst::diag::{Severity, SourceDiagnostic};
use typst::syntax::{DiagSpan, Source};
use typst::{World, WorldExt as _};

/// An error or a warning from Typst.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub is_error: bool,
    pub message: String,
    /// `None` where Typst gives no place.
    pub place: Option<Place>,
    /// Suggestions for a fix.
    pub hints: Vec<String>,
    /// The calls that led to the error, innermost first, each with its place.
    pub trace: Vec<String>,
}

/// A place in the template folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    /// The line, counted from 1, or `None` where the file is not text.
    pub line: Option<usize>,
    /// The column, counted from 1.
    pub column: Option<usize>,
    /// The source line itself, cut off after 200 characters.
    pub text: Option<String>,
}

/// The maximum length of a quoted source line.
const MAX_LINE_CHARS: usize = 200;

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
                .filter(|hint| !hint.v.contains("`--root`"))
                .map(|hint| format!("{}{}", hint.v, at(hint.span)))
                .chain(own_hint(&diagnostic.message).map(str::to_owned))
                .collect(),
            trace: diagnostic
                .trace
                .iter()
                .map(|point| format!("{}{}", point.v, at(point.span.into())))
                .collect(),
        }
    }
}

/// A hint about what templates cannot do here, in place of Typst's hints about its own command line.
fn own_hint(message: &str) -> Option<&'static str> {
    let hints = [
        (
            "package not found",
            "templates cannot use packages: copy the functions that you need into the folder",
        ),
        ("unknown variable: plugin", "templates cannot run WebAssembly"),
    ];
    let fitting = hints.into_iter().find(|(part, _)| message.contains(part));
    fitting.map(|(_, hint)| hint)
}

impl Place {
    pub(crate) fn of(world: &impl World, span: impl Into<DiagSpan>) -> Option<Self> {
        let span = span.into();
        let id = span.id()?;
        let file = id.vpath().get_without_slash().to_owned();
        let found = world.range(span).and_then(|range| {
            let source: Source = world.source(id).ok()?;
            let (line, column) = source.lines().byte_to_line_column(range.start)?;
            let text = source.text().lines().nth(line)?.chars().take(MAX_LINE_CHARS).collect();
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

/// Formats the place as `file:line:column`, which editors can open.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(formatter, ":{number}")?;
        }
        Ok(())
    }
}

/// Formats the message on one line and each hint on a line below.
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
