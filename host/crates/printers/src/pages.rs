//! The limits on the number of pages of a book.
use std::ops::RangeInclusive;

use crate::area::{INCH, Size};
use crate::edition::Edition;
use crate::trim::trim_of;

/// The reason for which a printer does not print a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unprintable {
    #[error("{} has no pages of {} x {} in", edition.name(), in_inches(size.width), in_inches(size.height))]
    Trim { edition: Edition, size: Size },
    #[error("{} prints {least} to {most} pages of this size, but the book has {found}", edition.name())]
    Pages {
        edition: Edition,
        least: u32,
        most: u32,
        found: u32,
    },
}

impl Unprintable {
    /// The edition that does not print the book.
    pub fn edition(&self) -> Edition {
        match *self {
            Self::Trim { edition, .. } | Self::Pages { edition, .. } => edition,
        }
    }
}

/// A length in inches, rounded to a hundredth, as printers write it.
fn in_inches(micrometers: u32) -> f64 {
    (f64::from(micrometers) * 100.0 / f64::from(INCH)).round() / 100.0
}

/// The numbers of pages that a printer accepts for this page size, blank pages included. `None` where the printer does
/// not offer the size.
pub fn page_limits(edition: Edition, size: Size) -> Option<RangeInclusive<u32>> {
    // KDP: "Print Options". Lulu: paperbacks are glued, which requires 32 pages.
    let least = match edition {
        Edition::Home => 1,
        Edition::Kdp => 24,
        Edition::Lulu => 32,
    };
    trim_of(edition, size).map(|trim| least..=trim.most_pages)
}

/// Fails when the printer does not offer this page size, or does not print this number of pages.
pub fn check_pages(edition: Edition, size: Size, pages: u32) -> Result<(), Unprintable> {
    let limits = page_limits(edition, size).ok_or(Unprintable::Trim { edition, size })?;
    let (&least, &most) = (limits.start(), limits.end());
    if limits.contains(&pages) {
        return Ok(());
    }
    Err(Unprintable::Pages {
        edition,
        least,
        most,
        found: pages,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTER: Size = Size {
        width: 215_900,
        height: 279_400,
    };

    #[test]
    fn page_counts_are_checked_at_each_side_of_each_limit() {
        let is_printed = |edition, pages| check_pages(edition, LETTER, pages).is_ok();
        for (edition, least, most) in [(Edition::Kdp, 24, 590), (Edition::Lulu, 32, 800)] {
            assert!(!is_printed(edition, least - 1));
            assert!(is_printed(edition, least));
            assert!(is_printed(edition, most));
            assert!(!is_printed(edition, most + 1));
        }
        assert!(is_printed(Edition::Home, 1));
    }

    #[test]
    fn the_reason_names_printer_and_limits() {
        let error = check_pages(Edition::Kdp, LETTER, 20).unwrap_err().to_string();
        assert_eq!(
            error,
            "Amazon KDP prints 24 to 590 pages of this size, but the book has 20"
        );
        let landscape = Size {
            width: 297_000,
            height: 210_000,
        };
        let error = check_pages(Edition::Kdp, landscape, 40).unwrap_err().to_string();
        assert_eq!(error, "Amazon KDP has no pages of 11.69 x 8.27 in");
    }
}
