//! The leaves of a book, in order.
use linepress_plugin_sdk::layout::{Book, LayoutError, Leaf};
use linepress_plugin_sdk::layouts::{Asked, drawings_for, leaf, leaf_of};

use crate::formats::formats;

/// Returns the pages of a book, starting with the first recto.
///
/// Unless the book has printed backs, every sheet is printed on its front only: markers bleed through paper, also on
/// the title page, and a page can be cut out for the wall without losing another.
pub fn lay_out(book: &Book, format_id: &str) -> Result<Vec<Leaf>, LayoutError> {
    let count = drawings_for(book, &formats(), format_id)?;
    let printed_backs = Asked::of(book)?.printed_backs;
    let mut leaves = vec![leaf("title"), leaf("blank"), leaf("belongs-to"), leaf("blank")];
    for index in 0..count {
        leaves.push(leaf_of("drawing", index));
        if !printed_backs {
            leaves.push(leaf("blank"));
        }
    }
    if !leaves.len().is_multiple_of(2) {
        leaves.push(leaf("blank"));
    }
    leaves.extend([leaf("colophon"), leaf("blank")]);
    Ok(leaves)
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::layout::Aspect;
    use linepress_plugin_sdk::testing;

    use super::*;

    fn book(drawings: usize) -> Book {
        testing::book(drawings, Aspect::Portrait)
    }

    fn with_printed_backs(drawings: usize) -> Book {
        Book {
            extra: vec![("backs".to_owned(), "printed".to_owned())],
            ..book(drawings)
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
    fn drawings_are_on_the_right_in_order_with_blank_backs() {
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
    fn with_printed_backs_drawings_are_consecutive_and_other_pages_are_on_the_right() {
        for count in [1, 2, 37, 100] {
            let leaves = lay_out(&with_printed_backs(count), "us_letter").unwrap();
            assert!(leaves.len().is_multiple_of(2));
            let drawings: Vec<Option<u32>> = leaves.iter().skip(4).take(count).map(|leaf| leaf.drawing).collect();
            assert_eq!(
                drawings,
                (0..u32::try_from(count).unwrap()).map(Some).collect::<Vec<_>>()
            );
            for (index, leaf) in leaves.iter().enumerate() {
                let may_be_on_the_left = matches!(leaf.kind.as_str(), "blank" | "drawing");
                assert!(
                    index % 2 == 0 || may_be_on_the_left,
                    "page {}: {}",
                    index + 1,
                    leaf.kind
                );
            }
            assert_eq!(leaves.len(), 6 + count.next_multiple_of(2));
        }
    }

    #[test]
    fn invalid_books_are_refused() {
        for (book, format) in [(book(1), "a3"), (book(1), "square"), (book(0), "a4")] {
            assert!(
                matches!(lay_out(&book, format), Err(LayoutError::Invalid(_))),
                "{format}"
            );
        }
    }
}
