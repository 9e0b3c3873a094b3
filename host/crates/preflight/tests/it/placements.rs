//! The resolution at which pictures are placed.
use linepress_preflight::{Placement, placements};
use lopdf::{Stream, dictionary};

use crate::book::{Book, LETTER, picture};

#[test]
fn a_placement_has_the_lowest_and_highest_resolution_of_a_picture() {
    let mut book = Book::new(2, LETTER);
    let image = book.add(picture(1200, 600, "DeviceGray"));
    let form = dictionary! {
        "Subtype" => "Form", "Resources" => dictionary! { "XObject" => dictionary! { "Im2" => image } },
    };
    let form = book.add(Stream::new(form, b"q 72 0 0 72 0 0 cm /Im2 Do Q".to_vec()));
    book.resource(1, "XObject", "Im2", image);
    book.resource(2, "XObject", "Fm1", form);
    book.content(1, "q 144 0 0 144 0 0 cm /Im2 Do Q");
    book.content(2, "q 3 0 0 3 0 0 cm /Fm1 Do Q q 0.5 0 0 0.5 0 0 cm /Fm1 Do Q");
    let found = placements(&book.document).unwrap();
    let expected = Placement {
        smallest: (400.0, 200.0),
        largest: (2400.0, 1200.0),
    };
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [(image, expected)]);
}
