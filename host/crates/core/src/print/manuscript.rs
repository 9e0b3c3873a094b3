//! The manuscript of a book, with artwork by the keys of its print masters.
use linepress_model::{Aspect, Audience};
use linepress_platform::error::UnprintableText;
use linepress_platform::field::Field;
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
    /// The ISBN with hyphens; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub isbn: String,
    pub cover: Option<String>,
    pub drawings: Vec<ManuscriptDrawing>,
}

impl Manuscript {
    /// All texts that may be printed, each with the path of its field in the book.
    pub(super) fn texts(&self) -> impl Iterator<Item = (Field, &str)> {
        let own = [
            (Field::title(), self.title.as_str()),
            (Field::subtitle(), self.subtitle.as_str()),
            (Field::author(), self.author.as_str()),
            (Field::description(), self.description.as_str()),
        ];
        let page = |index| Field::pages().at(index);
        let drawings = self.drawings.iter().enumerate();
        own.into_iter().chain(drawings.flat_map(move |(index, drawing)| {
            [
                (page(index).then(Field::title()), drawing.title.as_str()),
                (page(index).then(Field::caption()), drawing.caption.as_str()),
            ]
        }))
    }

    /// The texts that contain some of these characters, each with its own.
    pub(super) fn texts_with(&self, characters: &[char]) -> Vec<UnprintableText> {
        let with = self.texts().map(|(field, text)| UnprintableText {
            field,
            characters: characters
                .iter()
                .copied()
                .filter(|letter| text.contains(*letter))
                .collect(),
        });
        with.filter(|text| !text.characters.is_empty()).collect()
    }
}

/// A drawing, its title and its caption.
#[derive(Clone, Debug, Serialize)]
pub struct ManuscriptDrawing {
    pub title: String,
    pub caption: String,
    /// A description of the picture; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub alternative_text: String,
    pub master: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_lists_its_own_characters_only() {
        let manuscript = Manuscript {
            title: "한국".into(),
            subtitle: "A fox".into(),
            author: String::new(),
            description: "책".into(),
            audience: Audience::default(),
            aspect: Aspect::default(),
            language: "ko".into(),
            isbn: String::new(),
            cover: None,
            drawings: vec![ManuscriptDrawing {
                title: "An owl".into(),
                caption: "국".into(),
                alternative_text: String::new(),
                master: String::new(),
            }],
        };
        let found = manuscript.texts_with(&['국', '책', '한']);
        let found: Vec<_> = found
            .iter()
            .map(|text| (text.field.to_string(), text.listed()))
            .collect();
        assert_eq!(
            found,
            [
                ("title".to_owned(), "국, 한".to_owned()),
                ("description".to_owned(), "책".to_owned()),
                ("pages[0].caption".to_owned(), "국".to_owned()),
            ]
        );
    }
}
