//! The leaves of a book, in order.
use linepress_plugin_sdk::layout::{Book, LayoutError, Leaf};
use linepress_plugin_sdk::layouts::{Asked, drawings_for, leaf, leaf_of};

use crate::formats::formats;

/// Returns the pages of a book, starting with the first recto.
///
/// Every drawing is on the right and faces its caption on the left, so that backs are always printed. A book that is
/// too thin to be bound is filled with spreads on which readers write a story.
pub fn lay_out(book: &Book, format_id: &str) -> Result<Vec<Leaf>, LayoutError> {
    let count = drawings_for(book, &formats(), format_id)?;
    let least_pages = Asked::of(book)?.least_pages;
    let frontispiece = if book.has_cover { "frontispiece" } else { "blank" };
    let mut leaves = vec![
        leaf("half-title"),
        leaf(frontispiece),
        leaf("title"),
        leaf("blank"),
        leaf("belongs-to"),
    ];
    leaves.extend((0..count).flat_map(|index| [leaf_of("story", index), leaf_of("drawing", index)]));
    leaves.extend([leaf("the-end"), leaf("your-drawing")]);
    // The colophon is the last page, on the left.
    while leaves.len() + 1 < least_pages {
        leaves.extend([leaf("your-story"), leaf("your-drawing")]);
    }
    leaves.push(leaf("colophon"));
    Ok(leaves)
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::layout::Aspect;
    use linepress_plugin_sdk::testing::book;

    use super::*;

    fn kinds(leaves: &[Leaf]) -> Vec<&str> {
        leaves.iter().map(|leaf| leaf.kind.as_str()).collect()
    }

    #[test]
    fn a_book_of_one_drawing_has_ten_pages() {
        let leaves = lay_out(&book(1, Aspect::Square), "storybook_square").unwrap();
        assert_eq!(
            kinds(&leaves),
            [
                "half-title",
                "blank",
                "title",
                "blank",
                "belongs-to",
                "story",
                "drawing",
                "the-end",
                "your-drawing",
                "colophon"
            ]
        );
    }

    #[test]
    fn the_cover_drawing_faces_the_title() {
        let mut book = book(1, Aspect::Square);
        book.has_cover = true;
        let leaves = lay_out(&book, "storybook_square").unwrap();
        assert_eq!(kinds(&leaves)[1..3], ["frontispiece", "title"]);
    }

    #[test]
    fn each_drawing_on_the_right_faces_its_caption_on_the_left() {
        for count in [1, 2, 37, 100] {
            let leaves = lay_out(&book(count, Aspect::Portrait), "storybook_a4").unwrap();
            assert!(leaves.len().is_multiple_of(2));
            let of_kind = |wanted: &str| -> Vec<(usize, u32)> {
                let numbered = leaves.iter().enumerate().filter(|(_, leaf)| leaf.kind == wanted);
                numbered.map(|(index, leaf)| (index, leaf.drawing.unwrap())).collect()
            };
            let (words, drawings) = (of_kind("story"), of_kind("drawing"));
            assert_eq!(words.len(), count);
            for (number, ((left, told), (right, shown))) in words.into_iter().zip(drawings).enumerate() {
                assert_eq!((left % 2, right), (1, left + 1));
                assert_eq!((told as usize, shown as usize), (number, number));
            }
        }
    }

    #[test]
    fn thin_books_are_filled_with_spreads_for_a_story_of_the_reader() {
        for (least, pages) in [(0, 10), (10, 10), (11, 12), (24, 24), (31, 32), (32, 32)] {
            let mut book = book(1, Aspect::Landscape);
            book.extra = vec![("least-pages".to_owned(), least.to_string())];
            let leaves = lay_out(&book, "storybook_letter_landscape").unwrap();
            assert_eq!(leaves.len(), pages, "at least {least}");
            assert_eq!(leaves.last().unwrap().kind, "colophon");
            let stories = leaves.iter().enumerate().filter(|(_, leaf)| leaf.kind == "your-story");
            for (index, _) in stories {
                assert_eq!((index % 2, leaves[index + 1].kind.as_str()), (1, "your-drawing"));
            }
        }
    }

    #[test]
    fn invalid_books_are_refused() {
        for (count, format) in [(1, "square"), (1, "storybook_a4"), (0, "storybook_square")] {
            let refusal = lay_out(&book(count, Aspect::Square), format);
            assert!(matches!(refusal, Err(LayoutError::Invalid(_))), "{format}");
        }
    }
}
