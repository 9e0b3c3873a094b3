//! Examples of an operation in four languages. `cargo xtask clients` checks the syntax of all of them, and the types of
//! those that use the official clients.
mod curl;
mod python;
mod rust;
mod typescript;

use crate::document::{Document, Operation};

/// An example.
pub(crate) struct Sample {
    /// The name of the language, as a word of HTML.
    pub(crate) language: &'static str,
    pub(crate) title: &'static str,
    pub(crate) code: String,
}

/// The examples of an operation.
pub(crate) fn of(document: &Document<'_>, operation: &Operation<'_>) -> [Sample; 4] {
    [
        Sample {
            language: "sh",
            title: "curl",
            code: curl::sample(operation),
        },
        Sample {
            language: "py",
            title: "Python",
            code: python::sample(document, operation),
        },
        Sample {
            language: "ts",
            title: "TypeScript",
            code: typescript::sample(operation),
        },
        Sample {
            language: "rs",
            title: "Rust",
            code: rust::sample(operation),
        },
    ]
}

/// What a response is saved as, if it is a file.
fn file_name(operation: &Operation<'_>) -> Option<&'static str> {
    match operation.reply_type()? {
        "application/pdf" => Some("book.pdf"),
        "application/zip" => Some("package.zip"),
        "image/png" => Some("picture.png"),
        _ => None,
    }
}

/// The operations that take a picture as a form.
fn takes_form(operation: &Operation<'_>) -> bool {
    operation.bodies().contains_key("multipart/form-data")
}

/// The operations that take the bytes of a file.
fn takes_bytes(operation: &Operation<'_>) -> bool {
    operation.bodies().contains_key("application/octet-stream")
}

/// The text with each line but the first indented.
fn indented(text: &str, width: usize) -> String {
    text.replace('\n', &format!("\n{}", " ".repeat(width)))
}
