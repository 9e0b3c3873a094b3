//! A layout that prints one drawing on each sheet, after a title page.
wit_bindgen::generate!({ path: "wit", world: "book-layout", generate_all });

use exports::linepress::layout::layout::{Book, Description, Format, Guest, LayoutError, Leaf};
use linepress::types::types::{Aspect, Pixels};

struct Quilt;

impl Guest for Quilt {
    fn describe() -> Description {
        Description {
            id: "acme.quilt".into(),
            name: "Quilt".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            formats: formats(),
            extra: Vec::new(),
        }
    }

    fn lay_out(book: Book, format_id: String) -> Result<Vec<Leaf>, LayoutError> {
        leaves(&book, &format_id)
    }
}

#[cfg(target_family = "wasm")] // native linkers reject the names of the exports
export!(Quilt);

/// The print formats, with the preferred format of each aspect first. Ids must differ from those of other layouts.
fn formats() -> Vec<Format> {
    vec![
        format(
            "acme_quilt_square",
            "Quilt Square",
            Aspect::Square,
            (215_900, 215_900),
            (1024, 1024),
            "square.typ",
        ),
        format(
            "acme_quilt_letter",
            "Quilt US Letter",
            Aspect::Portrait,
            (215_900, 279_400),
            (1152, 1536),
            "letter.typ",
        ),
        format(
            "acme_quilt_landscape",
            "Quilt US Letter Landscape",
            Aspect::Landscape,
            (279_400, 215_900),
            (1536, 1152),
            "landscape.typ",
        ),
    ]
}

/// A format without bleed. `trim` is the size of the paper in micrometers, and `pixels` that of a picture.
fn format(id: &str, name: &str, aspect: Aspect, trim: (u32, u32), pixels: (u32, u32), template: &str) -> Format {
    Format {
        id: id.into(),
        name: name.into(),
        aspect,
        trim_width: trim.0,
        trim_height: trim.1,
        bleed: 0,
        recommended: Pixels {
            width: pixels.0,
            height: pixels.1,
        },
        template: template.into(),
        extra: Vec::new(),
    }
}

/// Arranges the pages of the book, starting with the first right-hand page. Backs are blank unless the book asks for
/// printed ones, because markers bleed through paper.
fn leaves(book: &Book, format_id: &str) -> Result<Vec<Leaf>, LayoutError> {
    let formats = formats();
    let format = formats.iter().find(|format| format.id == format_id);
    if !format.is_some_and(|format| format.aspect == book.aspect) {
        return Err(LayoutError::Invalid(format!(
            "{format_id} does not print books of this aspect"
        )));
    }
    let has_printed_backs = book
        .extra
        .iter()
        .any(|(name, value)| name == "backs" && value == "printed");
    let mut leaves = vec![leaf("title", None), leaf("blank", None)];
    for drawing in 0..book.drawings.len() as u32 {
        leaves.push(leaf("drawing", Some(drawing)));
        if !has_printed_backs {
            leaves.push(leaf("blank", None));
        }
    }
    Ok(leaves)
}

/// A page. The template prints it by its kind.
fn leaf(kind: &str, drawing: Option<u32>) -> Leaf {
    Leaf {
        kind: kind.into(),
        drawing,
        extra: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use exports::linepress::layout::layout::Drawing;
    use linepress::types::types::Audience;

    fn book(drawings: usize) -> Book {
        Book {
            title: "Foxes".into(),
            subtitle: String::new(),
            author: String::new(),
            description: String::new(),
            audience: Audience::Child,
            aspect: Aspect::Portrait,
            has_cover: true,
            drawings: vec![
                Drawing {
                    title: "Fox".into(),
                    caption: String::new()
                };
                drawings
            ],
            language: "en".into(),
            extra: Vec::new(),
        }
    }

    #[test]
    fn drawings_are_on_the_right_unless_backs_are_printed() {
        let mut book = book(3);
        let drawn = |leaves: Vec<Leaf>| leaves.iter().map(|leaf| leaf.drawing).collect::<Vec<_>>();
        let leaves_of = |book: &Book| drawn(leaves(book, "acme_quilt_letter").unwrap());
        assert_eq!(
            leaves_of(&book),
            [None, None, Some(0), None, Some(1), None, Some(2), None]
        );
        book.extra.push(("backs".into(), "printed".into()));
        assert_eq!(leaves_of(&book), [None, None, Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn a_format_of_another_aspect_is_refused() {
        for format in ["acme_quilt_square", "a4"] {
            assert!(
                matches!(leaves(&book(1), format), Err(LayoutError::Invalid(_))),
                "{format}"
            );
        }
    }
}
