//! The reasons for which a book could not be printed.
use std::time::Duration;

/// The reason for which a book could not be printed. The text is for the operator's log; none of it is sent to a
/// client.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    #[error("the layout names the drawing with index {index}, but the book has {count} drawings")]
    NoSuchDrawing { index: u32, count: usize },
    #[error("the layout returned no leaves")]
    NoLeaves,
    /// A mistake in the template, with Typst's diagnostics.
    #[error("the template {template} failed:\n{diagnostics}")]
    Template { template: String, diagnostics: String },
    #[error("no font has {}", characters.iter().map(char::to_string).collect::<Vec<_>>().join(", "))]
    MissingGlyphs { characters: Vec<char> },
    /// The template folder cannot be read or contains a forbidden entry.
    #[error("the templates cannot be used: {0}")]
    Templates(linepress_files::FileError),
    #[error("typesetting took longer than {0:?}")]
    TimedOut(Duration),
    /// The process was killed by a signal, for example because it exceeded its memory or processor time.
    #[error("the typesetting process ended with {status}:\n{diagnostics}")]
    Crashed { status: String, diagnostics: String },
    #[error("the finished book is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the typeset PDF could not be finished")]
    Finishing(#[source] lopdf::Error),
    /// The caller's sink fails, for example because its disk is full.
    #[error("the PDF cannot be written")]
    Sink(#[source] std::io::Error),
    #[error("cannot {action}")]
    Io {
        action: &'static str,
        #[source]
        source: std::io::Error,
    },
}

impl PrintError {
    pub(crate) fn io(action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, source }
    }
}
