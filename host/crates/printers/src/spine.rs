//! The thickness of a book.
use crate::area::INCH;
use crate::edition::Edition;

/// The paper of an interior.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paper {
    #[default]
    White,
    Cream,
    /// White paper for a color interior of higher quality.
    PremiumColor,
}

/// Returns the width of the spine for the final number of pages, or `None` at home, where a book has no glued spine.
pub fn spine_width(edition: Edition, paper: Paper, pages: u32) -> Option<u32> {
    // The thickness of a page, and the addition for the cover, in millionths of an inch.
    let (page, cover) = match (edition, paper) {
        (Edition::Home, _) => return None,
        // Source: KDP, "Create a Paperback Cover".
        (Edition::Kdp, Paper::White) => (2_252.0, 0.0),
        (Edition::Kdp, Paper::Cream) => (2_500.0, 0.0),
        (Edition::Kdp, Paper::PremiumColor) => (2_347.0, 0.0),
        // Lulu, "How is spine width calculated?": 444 pages per inch, plus 0.06 in, on either paper.
        (Edition::Lulu, _) => (1_000_000.0 / 444.0, 60_000.0),
    };
    let inches = (f64::from(pages) * page + cover) / 1_000_000.0;
    Some((inches * f64::from(INCH)).round() as u32)
}

/// Returns true when a spine around this number of pages may have text.
pub fn spine_takes_text(edition: Edition, pages: u32) -> bool {
    fewest_pages_for_spine_text(edition).is_some_and(|fewest| pages >= fewest)
}

/// The number of pages from which a spine may have text, or `None` at home, where a book has no spine.
pub fn fewest_pages_for_spine_text(edition: Edition) -> Option<u32> {
    match edition {
        Edition::Home => None,
        // Source: KDP, "Create a Paperback Cover".
        Edition::Kdp => Some(79),
        // Lulu, "Book Creation Guide": no text at 80 pages or fewer.
        Edition::Lulu => Some(81),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inches(edition: Edition, paper: Paper, pages: u32) -> f64 {
        let width = spine_width(edition, paper, pages).unwrap();
        (f64::from(width) / f64::from(INCH) * 1000.0).round() / 1000.0
    }

    #[test]
    fn spines_have_the_width_that_the_printers_publish() {
        assert_eq!(inches(Edition::Kdp, Paper::White, 24), 0.054);
        assert_eq!(inches(Edition::Kdp, Paper::White, 200), 0.45);
        assert_eq!(inches(Edition::Kdp, Paper::White, 590), 1.329);
        assert_eq!(inches(Edition::Kdp, Paper::Cream, 200), 0.5);
        assert_eq!(inches(Edition::Kdp, Paper::PremiumColor, 200), 0.469);
        assert_eq!(inches(Edition::Lulu, Paper::White, 32), 0.132);
        assert_eq!(inches(Edition::Lulu, Paper::White, 444), 1.06);
        assert_eq!(spine_width(Edition::Home, Paper::White, 100), None);
    }

    #[test]
    fn thin_spines_have_no_text() {
        assert_eq!(
            [78, 79].map(|pages| spine_takes_text(Edition::Kdp, pages)),
            [false, true]
        );
        assert_eq!(
            [80, 81].map(|pages| spine_takes_text(Edition::Lulu, pages)),
            [false, true]
        );
        assert!(!spine_takes_text(Edition::Home, 300));
    }
}
