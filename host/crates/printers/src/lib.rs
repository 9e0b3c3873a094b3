//! The requirements of printers, as tables: each rule with its source. The crate reads no files and knows no PDFs.
//!
//! Lengths are micrometers. Sources, read in November 2026:
//! - Amazon KDP: "Set Trim Size, Bleed, and Margins" (GVBQ3CMEQW3W2VL6), "Print Options" (G201834180), "Create a
//!   Paperback Cover" (G201953020), "Paperback Submission Guidelines" (G201857950), "Paperback Manual Review Checklist"
//!   and "Save Your Manuscript File" (GYEKAVKMSE23PFTM).
//! - Lulu: "Book Creation Guide", "PDF Creation Settings" (64000255519), "Interior Formatting" (64000255590), "What is
//!   bleed?" (64000255584), "How is spine width calculated?" (64000254616).
//! - Home printers: 0.25 in on every side, but 7 mm at the bottom, where the printer holds the paper.

/// The source text of every table of this crate. A change in one of them invalidates every result that depends on them.
pub const TABLES: [&str; 10] = [
    include_str!("area.rs"),
    include_str!("cover.rs"),
    include_str!("direction.rs"),
    include_str!("edition.rs"),
    include_str!("file.rs"),
    include_str!("margins.rs"),
    include_str!("pages.rs"),
    include_str!("sheet.rs"),
    include_str!("spine.rs"),
    include_str!("trim.rs"),
];

/// Sizes and rectangles on paper.
mod area;
/// The sheet that is wrapped around a book.
mod cover;
/// The reading direction of a book.
mod direction;
/// The printer of a book, and the part that a file contains.
mod edition;
/// The limits on the content of a file.
mod file;
/// The margins of a page.
mod margins;
/// The limits on the number of pages of a book.
mod pages;
/// The sizes of the sheets of an interior.
mod sheet;
/// The thickness of a book.
mod spine;
/// The sizes of pages.
mod trim;

pub use area::{Area, INCH, Size};
pub use cover::{BARCODE, CoverSheet, cover_sheet, cover_text_distance};
pub use direction::Direction;
pub use edition::{Backs, Edition, Part};
pub use file::{BlankPages, FileRules, file_rules};
pub use margins::{Margins, PageAreas, Side, ends_at_binding, gutter, interior_bleed, page_areas};
pub use pages::{Unprintable, check_pages, page_limits};
pub use sheet::{interior_sheets, is_interior_sheet};
pub use spine::{Paper, fewest_pages_for_spine_text, spine_takes_text, spine_width};
pub use trim::{TOLERANCE, Trim, trim_of, trims};

#[cfg(test)]
mod tests {
    use super::TABLES;

    #[test]
    fn tables_contains_every_source_file() {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for file in std::fs::read_dir(source).unwrap().map(|file| file.unwrap().path()) {
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(
                file.ends_with("lib.rs") || TABLES.contains(&text.as_str()),
                "{}",
                file.display()
            );
        }
    }
}
