//! The page sizes that a printer offers.
use crate::area::{INCH, Size};
use crate::edition::Edition;

/// A page size, and the highest number of pages of a book of that size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trim {
    pub size: Size,
    /// The limit for black ink on white paper.
    pub most_pages: u32,
}

/// A size given in hundredths of an inch.
const fn inches(width: u32, height: u32) -> Size {
    Size {
        width: width * INCH / 100,
        height: height * INCH / 100,
    }
}

const fn trim(size: Size, most_pages: u32) -> Trim {
    Trim { size, most_pages }
}

const A4: Size = Size {
    width: 210_000,
    height: 297_000,
};
const A4_LANDSCAPE: Size = Size {
    width: 297_000,
    height: 210_000,
};

/// The sizes in KDP's "Print Options", for paperbacks with black ink on white paper.
const KDP: [Trim; 16] = [
    trim(inches(500, 800), 828),
    trim(inches(506, 781), 828),
    trim(inches(525, 800), 828),
    trim(inches(550, 850), 828),
    trim(inches(600, 900), 828),
    trim(inches(614, 921), 828),
    trim(inches(669, 961), 828),
    trim(inches(700, 1000), 828),
    trim(inches(744, 969), 828),
    trim(inches(750, 925), 828),
    trim(inches(800, 1000), 828),
    trim(inches(825, 600), 800),
    trim(inches(825, 825), 800),
    trim(inches(850, 850), 590),
    trim(inches(850, 1100), 590),
    trim(A4, 780),
];

/// KDP's custom sizes, from 4 x 6 in to 8.5 x 11.69 in. KDP does not publish a limit on their pages; this is the lowest
/// limit of all listed sizes.
const KDP_CUSTOM_MIN_SIZE: Size = inches(400, 600);
const KDP_CUSTOM_MAX_SIZE: Size = inches(850, 1169);
const KDP_CUSTOM_MAX_PAGES: u32 = 590;

/// The sizes of Lulu's paperbacks.
const LULU: [Trim; 16] = [
    trim(inches(425, 688), 800),
    trim(inches(500, 800), 800),
    trim(inches(550, 850), 800),
    trim(inches(583, 827), 800),
    trim(inches(614, 921), 800),
    trim(inches(600, 900), 800),
    trim(inches(663, 1025), 800),
    trim(inches(700, 1000), 800),
    trim(inches(744, 968), 800),
    trim(inches(750, 750), 800),
    trim(A4, 800),
    trim(inches(850, 850), 800),
    trim(inches(850, 1100), 800),
    trim(inches(900, 700), 800),
    trim(inches(1100, 850), 800),
    trim(A4_LANDSCAPE, 800),
];

/// The tolerance of sizes, in micrometers. The published tables and the tools of printers round to a hundredth of an
/// inch.
pub const TOLERANCE: u32 = 300;

/// The sizes that a printer lists. The list is empty for a printer at home, which prints on any paper.
pub fn trims(edition: Edition) -> &'static [Trim] {
    match edition {
        Edition::Home => &[],
        Edition::Kdp => &KDP,
        Edition::Lulu => &LULU,
    }
}

/// Returns the printer's entry for a page of this size, or `None` where it does not offer the size.
pub fn trim_of(edition: Edition, size: Size) -> Option<Trim> {
    let listed = trims(edition).iter().find(|trim| trim.size.is_near(size, TOLERANCE));
    match edition {
        Edition::Home => Some(trim(size, u32::MAX)),
        Edition::Kdp => listed.copied().or_else(|| {
            let within = |least: u32, length: u32, most: u32| (least..=most + TOLERANCE).contains(&length);
            let is_custom = within(KDP_CUSTOM_MIN_SIZE.width, size.width, KDP_CUSTOM_MAX_SIZE.width)
                && within(KDP_CUSTOM_MIN_SIZE.height, size.height, KDP_CUSTOM_MAX_SIZE.height);
            is_custom.then_some(trim(size, KDP_CUSTOM_MAX_PAGES))
        }),
        Edition::Lulu => listed.copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letter_and_a4_have_the_page_limits_of_the_published_tables() {
        let most = |edition, size| trim_of(edition, size).map(|trim| trim.most_pages);
        assert_eq!(most(Edition::Kdp, inches(850, 1100)), Some(590));
        assert_eq!(most(Edition::Kdp, inches(850, 850)), Some(590));
        assert_eq!(most(Edition::Kdp, A4), Some(780));
        assert_eq!(most(Edition::Kdp, inches(825, 600)), Some(800));
        assert_eq!(most(Edition::Kdp, inches(600, 900)), Some(828));
        assert_eq!(most(Edition::Lulu, inches(850, 1100)), Some(800));
        assert_eq!(most(Edition::Home, A4_LANDSCAPE), Some(u32::MAX));
    }

    #[test]
    fn lulu_offers_landscape_sizes_and_kdp_does_not() {
        for size in [inches(1100, 850), A4_LANDSCAPE] {
            assert_eq!(trim_of(Edition::Kdp, size), None);
            assert!(trim_of(Edition::Lulu, size).is_some());
        }
    }

    #[test]
    fn kdp_accepts_custom_sizes_and_lulu_does_not() {
        let small_square = inches(750, 750);
        assert_eq!(trim_of(Edition::Kdp, small_square).unwrap().most_pages, 590);
        assert!(trim_of(Edition::Lulu, inches(780, 900)).is_none());
        assert!(trim_of(Edition::Kdp, inches(390, 900)).is_none());
        assert!(trim_of(Edition::Kdp, inches(850, 1180)).is_none());
    }
}
