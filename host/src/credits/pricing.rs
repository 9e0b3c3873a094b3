//! What things cost, in credits: the one place.

/// A character, drawn for the first time or again.
pub const CHARACTER: i64 = 1;
/// A page, drawn for the first time or again.
pub const PAGE: i64 = 1;
/// A book's cover comes with its pages.
pub const COVER: i64 = 0;
/// Drawn again it is a drawing like any other.
pub const COVER_AGAIN: i64 = 1;

/// A cover that is drawn again: free while the book never had one.
pub fn cover_again(has_cover: bool) -> i64 {
    if has_cover { COVER_AGAIN } else { COVER }
}

/// A book for which so many pages are drawn.
pub fn book(new_pages: usize) -> i64 {
    i64::try_from(new_pages)
        .unwrap_or(i64::MAX)
        .saturating_mul(PAGE)
        .saturating_add(COVER)
}
