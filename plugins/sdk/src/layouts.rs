//! Helpers for layouts: print formats, leaves, and the print options in a book's `extra`.

use crate::layout::{Aspect, Book, Format, LayoutError, Leaf, Pixels};

/// Creates a print format without bleed, for drawings of one aspect, with the template `<id>.typ`. Width and height are
/// those of the trimmed page in micrometers.
pub fn format(id: &str, name: &str, aspect: Aspect, trim_width: u32, trim_height: u32) -> Format {
    let (width, height) = match aspect {
        Aspect::Square => (1024, 1024),
        Aspect::Portrait => (1152, 1536),
        Aspect::Landscape => (1536, 1152),
    };
    Format {
        id: id.to_owned(),
        name: name.to_owned(),
        aspect,
        trim_width,
        trim_height,
        bleed: 0,
        recommended: Pixels { width, height },
        template: format!("{id}.typ"),
        extra: Vec::new(),
    }
}

/// Creates a leaf without a drawing of the book.
pub fn leaf(kind: &str) -> Leaf {
    Leaf {
        kind: kind.to_owned(),
        drawing: None,
        extra: Vec::new(),
    }
}

/// Creates a leaf for one of the book's drawings, given by its index.
pub fn leaf_with_drawing(kind: &str, drawing: u32) -> Leaf {
    Leaf {
        drawing: Some(drawing),
        ..leaf(kind)
    }
}

/// Print options in a book's `extra`. The defaults are blank backs and no minimum number of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// True if the backs of drawings are printed as well.
    pub printed_backs: bool,
    /// Minimum number of pages that the printer binds.
    pub least_pages: usize,
}

impl PrintOptions {
    /// Reads the options of a book. Returns [`LayoutError::Invalid`] for an unknown value.
    pub fn from_book(book: &Book) -> Result<Self, LayoutError> {
        let value = |wanted: &str| {
            let found = book.extra.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let unknown = |what: &str, value: &str| LayoutError::Invalid(format!("{value} is not a valid {what}"));
        let printed_backs = match value("backs") {
            None | Some("blank") => false,
            Some("printed") => true,
            Some(other) => return Err(unknown("way to print backs", other)),
        };
        let least_pages = match value("least-pages") {
            None => 0,
            Some(text) => text.parse().map_err(|_| unknown("number of pages", text))?,
        };
        Ok(Self {
            printed_backs,
            least_pages,
        })
    }
}

/// Returns the number of drawings of the book, or an error if the book cannot be printed in this format.
pub fn drawings_for(book: &Book, formats: &[Format], format_id: &str) -> Result<u32, LayoutError> {
    let invalid = |reason: String| Err(LayoutError::Invalid(reason));
    let Some(format) = formats.iter().find(|format| format.id == format_id) else {
        return invalid(format!("there is no format {format_id}"));
    };
    if format.aspect != book.aspect {
        return invalid(format!("{format_id} does not have the aspect of this book"));
    }
    match u32::try_from(book.drawings.len()) {
        Ok(0) => invalid("the book has no drawings".to_owned()),
        Ok(count) => Ok(count),
        Err(_) => invalid("the book has too many drawings".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::book;

    #[test]
    fn a_book_without_options_gets_blank_backs() {
        let options = PrintOptions::from_book(&book(1, Aspect::Square)).unwrap();
        assert_eq!((options.printed_backs, options.least_pages), (false, 0));
    }

    #[test]
    fn options_are_read_and_unknown_values_refused() {
        let options = |name: &str, value: &str| {
            let mut book = book(1, Aspect::Square);
            book.extra = vec![(name.to_owned(), value.to_owned())];
            PrintOptions::from_book(&book)
        };
        assert!(options("backs", "printed").unwrap().printed_backs);
        assert_eq!(options("least-pages", "32").unwrap().least_pages, 32);
        assert!(options("edition", "kdp").is_ok());
        for (name, value) in [("backs", "striped"), ("least-pages", "many")] {
            assert!(matches!(options(name, value), Err(LayoutError::Invalid(_))), "{name}");
        }
    }

    #[test]
    fn a_book_needs_a_format_of_its_aspect() {
        let formats = [
            format("wide", "Wide", Aspect::Landscape, 297_000, 210_000),
            format("tall", "Tall", Aspect::Portrait, 210_000, 297_000),
        ];
        assert_eq!(formats[1].template, "tall.typ");
        assert_eq!(drawings_for(&book(3, Aspect::Portrait), &formats, "tall").unwrap(), 3);
        for (count, id) in [(3, "wide"), (3, "other"), (0, "tall")] {
            assert!(
                drawings_for(&book(count, Aspect::Portrait), &formats, id).is_err(),
                "{count} in {id}"
            );
        }
    }
}
