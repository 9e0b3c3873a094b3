//! The manuscript of a book, with artwork by the keys of its print masters.
use linepress_model::{Aspect, Audience};
use serde::Serialize;

/// The contents of a book for printing, independent of the printer.
#[derive(Clone, Debug, Serialize)]
pub struct Manuscript {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub audience: Audience,
    pub aspect: Aspect,
    /// A BCP 47 tag.
    pub language: String,
    pub cover: Option<String>,
    pub drawings: Vec<ManuscriptDrawing>,
}

impl Manuscript {
    /// All texts that may be printed, each with the path of its field in the book.
    pub(super) fn texts(&self) -> impl Iterator<Item = (String, &str)> {
        let own = [
            ("title", &self.title),
            ("subtitle", &self.subtitle),
            ("author", &self.author),
            ("description", &self.description),
        ];
        let own = own.into_iter().map(|(field, text)| (field.to_owned(), text.as_str()));
        let drawings = self.drawings.iter().enumerate();
        own.chain(drawings.flat_map(|(index, drawing)| {
            [
                (format!("pages[{index}].title"), drawing.title.as_str()),
                (format!("pages[{index}].caption"), drawing.caption.as_str()),
            ]
        }))
    }
}

/// A drawing, its title and its caption.
#[derive(Clone, Debug, Serialize)]
pub struct ManuscriptDrawing {
    pub title: String,
    pub caption: String,
    pub master: String,
}
