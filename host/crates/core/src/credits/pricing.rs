//! Prices in credits. No other module defines a price.

/// A character, drawn for the first time or again.
pub const CHARACTER: i64 = 1;
/// A page, drawn for the first time or again.
pub const PAGE: i64 = 1;
/// The cover that is drawn together with a new book's pages.
pub const COVER: i64 = 0;
/// A cover that is drawn again.
pub(crate) const COVER_AGAIN: i64 = 1;

/// The price of drawing a cover again: free while the book has never had one.
pub fn cover_again(has_cover: bool) -> i64 {
    if has_cover { COVER_AGAIN } else { COVER }
}

/// The price of a book for which `new_pages` pages are drawn.
pub fn book(new_pages: usize) -> i64 {
    i64::try_from(new_pages)
        .unwrap_or(i64::MAX)
        .saturating_mul(PAGE)
        .saturating_add(COVER)
}
