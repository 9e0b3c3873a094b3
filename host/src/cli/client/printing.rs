//! The PDF that a command downloads.
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use linepress_printers::{Backs, Edition, Part};
use url::form_urlencoded::Serializer;

#[derive(Args)]
pub(super) struct Printing {
    /// Wait until the book is drawn, and save its PDF here. An existing file is replaced when the PDF is complete.
    #[arg(long, value_name = "FILE")]
    pub(super) pdf: Option<PathBuf>,
    /// The print format of the PDF, such as us_letter; by default, the first one that fits.
    #[arg(long, requires = "pdf")]
    format: Option<String>,
    /// The printer that the PDF is for; a printer at home by default.
    #[arg(long, requires = "pdf", value_parser = PossibleValuesParser::new(Edition::ALL.iter().map(|one| one.as_str())))]
    edition: Option<String>,
    /// The part of the book; the interior by default, and the whole book at home.
    #[arg(long, requires = "pdf", value_parser = PossibleValuesParser::new(Part::ALL.iter().map(|one| one.as_str())))]
    part: Option<String>,
    /// The backs of the drawings; blank by default.
    #[arg(long, requires = "pdf", value_parser = PossibleValuesParser::new(Backs::ALL.iter().map(|one| one.as_str())))]
    backs: Option<String>,
}

impl Printing {
    /// The address of the PDF of a book.
    pub(super) fn path(&self, book: &str) -> String {
        let mut query = Serializer::new(String::new());
        for (name, value) in self.named() {
            query.append_pair(name, value);
        }
        format!("/books/{book}/pdf?{}", query.finish())
    }

    /// The arguments with which another command downloads the same PDF.
    pub(super) fn arguments(&self) -> String {
        let pdf = self
            .pdf
            .iter()
            .map(|path| format!(" --pdf {}", quoted(&path.to_string_lossy())));
        let others = self.named().map(|(name, value)| format!(" --{name} {}", quoted(value)));
        pdf.chain(others).collect()
    }

    fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let values = [
            ("format", &self.format),
            ("edition", &self.edition),
            ("part", &self.part),
            ("backs", &self.backs),
        ];
        values
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }
}

/// The text as a word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_command_gets_the_same_arguments() {
        let printing = Printing {
            pdf: Some("it's mine.pdf".into()),
            format: Some("pod letter".into()),
            edition: Some("kdp".into()),
            part: None,
            backs: None,
        };
        assert_eq!(
            printing.arguments(),
            r" --pdf 'it'\''s mine.pdf' --format 'pod letter' --edition kdp"
        );
        assert_eq!(
            printing.path("book_1"),
            "/books/book_1/pdf?format=pod+letter&edition=kdp"
        );
    }
}
