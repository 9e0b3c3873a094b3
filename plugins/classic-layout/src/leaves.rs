//! The leaves of a book in their order.
use linepress_plugin_sdk::layout::{Book, LayoutError, Leaf};

use crate::formats::formats;

/// The pages of a book from the first recto on.
///
/// Every sheet is printed on its front alone: markers bleed through paper, the title invites coloring as much as the
/// drawings do, and a page may be cut out for the wall without losing another.
pub fn lay_out(book: &Book, format_id: &str) -> Result<Vec<Leaf>, LayoutError> {
    let format = formats()
        .into_iter()
        .find(|format| format.id == format_id)
        .ok_or_else(|| LayoutError::Invalid(format!("there is no format {format_id}")))?;
    if format.aspect != book.aspect {
        return Err(LayoutError::Invalid(format!(
            "{format_id} does not have the shape of this book"
        )));
    }
    let count = u32::try_from(book.drawings.len())
        .map_err(|_| LayoutError::Invalid("the book has too many drawings".to_owned()))?;
    if count == 0 {
        return Err(LayoutError::Invalid("the book has no drawings".to_owned()));
    }
    let fronts = [front("title"), front("belongs-to")]
        .into_iter()
        .chain((0..count).map(|index| Leaf {
            drawing: Some(index),
            ..front("drawing")
        }))
        .chain([front("colophon")]);
    Ok(fronts.flat_map(|front_leaf| [front_leaf, front("blank")]).collect())
}

fn front(kind: &str) -> Leaf {
    Leaf {
        kind: kind.to_owned(),
        drawing: None,
        extra: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::layout::Drawing;
    use linepress_plugin_sdk::layout::{Aspect, Audience};

    use super::*;

    fn book(drawings: usize) -> Book {
        let drawing = Drawing {
            title: "Cat".to_owned(),
            caption: String::new(),
        };
        Book {
            title: "Cats".to_owned(),
            subtitle: String::new(),
            author: String::new(),
            description: String::new(),
            audience: Audience::Child,
            aspect: Aspect::Portrait,
            has_cover: false,
            drawings: vec![drawing; drawings],
            language: "en".to_owned(),
            extra: Vec::new(),
        }
    }

    fn kinds(leaves: &[Leaf]) -> Vec<&str> {
        leaves.iter().map(|leaf| leaf.kind.as_str()).collect()
    }

    #[test]
    fn a_book_of_one_drawing_has_four_sheets() {
        let leaves = lay_out(&book(1), "a4").unwrap();
        assert_eq!(
            kinds(&leaves),
            [
                "title",
                "blank",
                "belongs-to",
                "blank",
                "drawing",
                "blank",
                "colophon",
                "blank"
            ]
        );
    }

    #[test]
    fn drawings_stand_on_the_right_in_their_order_with_blank_backs() {
        for count in [1, 2, 37, 100] {
            let leaves = lay_out(&book(count), "us_letter").unwrap();
            assert!(leaves.len().is_multiple_of(2));
            let drawings: Vec<u32> = leaves.iter().filter_map(|leaf| leaf.drawing).collect();
            assert_eq!(drawings, (0..u32::try_from(count).unwrap()).collect::<Vec<_>>());
            for (index, leaf) in leaves.iter().enumerate() {
                assert_eq!(leaf.kind == "blank", index % 2 == 1, "page {}", index + 1);
            }
        }
    }

    #[test]
    fn what_cannot_be_printed_is_refused() {
        for (book, format) in [(book(1), "a3"), (book(1), "square"), (book(0), "a4")] {
            assert!(
                matches!(lay_out(&book, format), Err(LayoutError::Invalid(_))),
                "{format}"
            );
        }
    }
}
