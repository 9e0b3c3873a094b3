//! The leaves of a book, in order.
use linepress_plugin_sdk::layout::{Book, LayoutError, Leaf};
use linepress_plugin_sdk::layouts::{Asked, drawings_for, leaf, leaf_of};

use crate::formats::formats;

/// The pages that are repeated to fill a book that is too thin to be bound.
const FILLERS: [&str; 4] = ["your-drawing", "notes", "your-drawing", "try-colors"];

/// The last sheets of every book.
const CLOSING: [&str; 4] = ["try-colors", "blank", "colophon", "blank"];

/// Returns the pages of a book, starting with the first recto.
///
/// Every section begins on the right, except for the imprint, which is on the back of the title. The last page is
/// blank, because printers add a code there.
pub fn lay_out(book: &Book, format_id: &str) -> Result<Vec<Leaf>, LayoutError> {
    let count = drawings_for(book, &formats(), format_id)?;
    let asked = Asked::of(book)?;
    let mut leaves = vec![leaf("title"), leaf("imprint"), leaf("belongs-to"), leaf("blank")];
    let push = |leaves: &mut Vec<Leaf>, front: Leaf| {
        leaves.push(front);
        if !asked.printed_backs {
            leaves.push(leaf("blank"));
        }
    };
    for index in 0..count {
        push(&mut leaves, leaf_of("drawing", index));
    }
    let mut fillers = FILLERS.iter().cycle();
    while !leaves.len().is_multiple_of(2) || leaves.len() + CLOSING.len() < asked.least_pages {
        push(&mut leaves, leaf(fillers.next().expect("a cycle never ends")));
    }
    leaves.extend(CLOSING.map(leaf));
    Ok(leaves)
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::layout::Aspect;
    use linepress_plugin_sdk::testing;

    use super::*;

    fn book(drawings: usize, backs: &str, least_pages: usize) -> Book {
        Book {
            extra: vec![
                ("backs".to_owned(), backs.to_owned()),
                ("least-pages".to_owned(), least_pages.to_string()),
            ],
            ..testing::book(drawings, Aspect::Portrait)
        }
    }

    fn kinds(leaves: &[Leaf]) -> Vec<&str> {
        leaves.iter().map(|leaf| leaf.kind.as_str()).collect()
    }

    #[test]
    fn a_book_of_one_drawing_has_an_imprint_and_a_page_to_try_colors() {
        let leaves = lay_out(&book(1, "blank", 0), "pod_letter").unwrap();
        let expected = [
            "title",
            "imprint",
            "belongs-to",
            "blank",
            "drawing",
            "blank",
            "try-colors",
            "blank",
            "colophon",
            "blank",
        ];
        assert_eq!(kinds(&leaves), expected);
    }

    #[test]
    fn thin_books_are_filled_with_pages_to_draw_and_write_on() {
        let leaves = lay_out(&book(1, "blank", 24), "pod_8x10").unwrap();
        let fillers = ["your-drawing", "notes", "your-drawing", "try-colors"].iter().cycle();
        let expected: Vec<&str> = fillers.take(7).flat_map(|kind| [*kind, "blank"]).collect();
        assert_eq!(kinds(&leaves)[6..20], expected);
        assert_eq!(leaves.len(), 24);
    }

    #[test]
    fn the_number_of_pages_is_even_and_at_least_the_minimum_of_the_printer() {
        for backs in ["blank", "printed"] {
            for count in [1, 2, 9, 10, 24, 37, 100] {
                for least in [0, 24, 31, 32] {
                    let leaves = lay_out(&book(count, backs, least), "pod_letter").unwrap();
                    assert!(leaves.len().is_multiple_of(2) && leaves.len() >= least);
                    let content = 8 + if backs == "blank" { 2 * count } else { count };
                    assert!(leaves.len() <= content.max(least) + 1, "{count} {backs} {least}");
                    let drawings: Vec<u32> = leaves.iter().filter_map(|leaf| leaf.drawing).collect();
                    assert_eq!(drawings, (0..u32::try_from(count).unwrap()).collect::<Vec<_>>());
                    assert_eq!(kinds(&leaves)[leaves.len() - 4..], CLOSING);
                }
            }
        }
    }

    #[test]
    fn blank_backs_are_blank_and_only_the_title_has_an_imprint_behind_it() {
        let leaves = lay_out(&book(20, "blank", 0), "pod_a4").unwrap();
        for (index, leaf) in leaves.iter().enumerate().skip(2) {
            assert_eq!(leaf.kind == "blank", index % 2 == 1, "page {}", index + 1);
        }
    }

    #[test]
    fn with_printed_backs_drawings_are_consecutive() {
        let leaves = lay_out(&book(5, "printed", 0), "pod_a4").unwrap();
        assert_eq!(
            kinds(&leaves)[4..],
            [
                "drawing",
                "drawing",
                "drawing",
                "drawing",
                "drawing",
                "your-drawing",
                "try-colors",
                "blank",
                "colophon",
                "blank"
            ]
        );
    }

    #[test]
    fn invalid_books_are_refused() {
        for (count, format) in [(1, "us_letter"), (1, "pod_square"), (0, "pod_letter")] {
            let refusal = lay_out(&book(count, "blank", 0), format);
            assert!(matches!(refusal, Err(LayoutError::Invalid(_))), "{format}");
        }
    }
}
