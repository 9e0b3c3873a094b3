//! What printers ask of a book, as tables: one row a rule, each with its source. Pure: no files, no PDFs.
//!
//! Lengths are micrometers. Sources, read in November 2026:
//! - Amazon KDP: "Set Trim Size, Bleed, and Margins" (GVBQ3CMEQW3W2VL6), "Print Options" (G201834180), "Create a
//!   Paperback Cover" (G201953020), "Paperback Submission Guidelines" (G201857950), "Paperback Manual Review Checklist"
//!   and "Save Your Manuscript File" (GYEKAVKMSE23PFTM).
//! - Lulu: "Book Creation Guide", "PDF Creation Settings" (64000255519), "Interior Formatting" (64000255590), "What is
//!   bleed?" (64000255584), "How is spine width calculated?" (64000254616).
//! - Home printers: 0.25 in all round, 7 mm at the bottom, where the paper is held.

/// The source of every table of this crate. What is made by them is made anew when one of them changes.
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

/// Rectangles on paper.
mod area;
/// The sheet that is wrapped around a book.
mod cover;
/// The direction that a book is read in.
mod direction;
/// For whom a book is printed, and what of it.
mod edition;
/// What a file may hold.
mod file;
/// Where on a page ink may be.
mod margins;
/// How many pages a book may have.
mod pages;
/// How large the sheets of an interior are when they are handed in.
mod sheet;
/// How thick a book is.
mod spine;
/// The sizes of pages.
mod trim;

pub use area::{Area, INCH, Size};
pub use cover::{CoverSheet, cover_sheet};
pub use direction::Direction;
pub use edition::{Backs, Edition, Part};
pub use file::{BlankPages, FileRules, file_rules};
pub use margins::{Margins, PageAreas, Side, gutter, interior_bleed, page_areas};
pub use pages::{Unprintable, check_pages, page_limits};
pub use sheet::interior_sheets;
pub use spine::{Paper, spine_takes_text, spine_width};
pub use trim::{TOLERANCE, Trim, trim_of, trims};

#[cfg(test)]
mod tests {
    use super::TABLES;

    #[test]
    fn no_table_is_left_out() {
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
