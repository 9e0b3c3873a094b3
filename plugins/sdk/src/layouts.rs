//! What layouts have in common: print formats, leaves, and what the server asks for beside a book's texts.

use crate::layout::{Aspect, Book, Format, LayoutError, Leaf, Pixels};

/// A print format without bleed, for drawings of one aspect; its template is `<id>.typ`. Width and height are those of the
/// trimmed page, in micrometers.
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

/// A page without a drawing of the book.
pub fn leaf(kind: &str) -> Leaf {
    Leaf {
        kind: kind.to_owned(),
        drawing: None,
        extra: Vec::new(),
    }
}

/// A page about one of the book's drawings.
pub fn leaf_of(kind: &str, drawing: u32) -> Leaf {
    Leaf {
        drawing: Some(drawing),
        ..leaf(kind)
    }
}

/// What the server asks of a layout in a book's `extra`. Whoever asks for nothing gets blank backs and as few pages as
/// there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Whether the backs of drawings are printed too.
    pub printed_backs: bool,
    /// The fewest pages that the printer binds.
    pub least_pages: usize,
}

impl Asked {
    pub fn of(book: &Book) -> Result<Self, LayoutError> {
        let value = |wanted: &str| {
            let found = book.extra.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        let unknown = |what: &str, value: &str| LayoutError::Invalid(format!("{value} is no {what}"));
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

/// Returns how many drawings the book has, or why it cannot be printed in this format.
pub fn drawings_for(book: &Book, formats: &[Format], format_id: &str) -> Result<u32, LayoutError> {
    let invalid = |reason: String| Err(LayoutError::Invalid(reason));
    let Some(format) = formats.iter().find(|format| format.id == format_id) else {
        return invalid(format!("there is no format {format_id}"));
    };
    if format.aspect != book.aspect {
        return invalid(format!("{format_id} does not have the shape of this book"));
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
    fn a_book_that_asks_for_nothing_gets_blank_backs() {
        let asked = Asked::of(&book(1, Aspect::Square)).unwrap();
        assert_eq!((asked.printed_backs, asked.least_pages), (false, 0));
    }

    #[test]
    fn what_is_asked_is_read_and_nonsense_refused() {
        let asked = |name: &str, value: &str| {
            let mut book = book(1, Aspect::Square);
            book.extra = vec![(name.to_owned(), value.to_owned())];
            Asked::of(&book)
        };
        assert!(asked("backs", "printed").unwrap().printed_backs);
        assert_eq!(asked("least-pages", "32").unwrap().least_pages, 32);
        assert!(asked("edition", "kdp").is_ok());
        for (name, value) in [("backs", "striped"), ("least-pages", "many")] {
            assert!(matches!(asked(name, value), Err(LayoutError::Invalid(_))), "{name}");
        }
    }

    #[test]
    fn only_formats_of_the_books_shape_are_for_it() {
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
