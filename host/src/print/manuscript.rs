//! A book as it is to be printed; artwork by the keys of its print masters.
use linepress_model::{Aspect, Audience};
use serde::Serialize;

/// A book as it is printed, whatever the printer.
#[derive(Clone, Debug, Serialize)]
pub struct Manuscript {
    pub title: String,
    pub subtitle: String,
    pub author: String,
    pub description: String,
    pub audience: Audience,
    pub aspect: Aspect,
    /// BCP 47.
    pub language: String,
    pub cover: Option<String>,
    pub drawings: Vec<ManuscriptDrawing>,
}

impl Manuscript {
    /// All that may be printed in letters, each text by the field of the book that it is in.
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

/// A drawing and what is printed under it.
#[derive(Clone, Debug, Serialize)]
pub struct ManuscriptDrawing {
    pub title: String,
    pub caption: String,
    pub master: String,
}
