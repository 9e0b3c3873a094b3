//! The size of a cover: two pages, the spine between them, and bleed.
use std::collections::BTreeSet;

use linepress_printers::{
    CoverSheet, Edition, INCH, Paper, Size, TOLERANCE, cover_sheet, page_limits, spine_width, trim_of, trims,
};

use crate::page::Page;
use crate::report::{Findings, Rule};
use crate::size::{check_count, format_size, inches};

/// A sheet whose width differs by more than this from the width for every listed size has another page size.
const MAX_WIDTH_DIFFERENCE: u32 = INCH / 2;

/// Returns true when a one-page file must be a cover, because the printer has no page that wide.
pub(crate) fn is_cover(edition: Edition, pages: &[Page<'_>]) -> bool {
    let [page] = pages else { return false };
    let widest = trims(edition).iter().map(|trim| trim.size.width).max();
    let highest = trims(edition).iter().map(|trim| trim.size.height).max();
    let (Some(sheet), Some(widest), Some(highest)) = (page.sheet_size(), widest, highest) else {
        return false;
    };
    sheet.width > widest + MAX_WIDTH_DIFFERENCE && sheet.height <= highest + MAX_WIDTH_DIFFERENCE
}

/// Checks the size of a cover. Returns its areas where the number of pages is known and the sheet has the right size.
pub(crate) fn check_cover(
    pages: &[Page<'_>],
    edition: Edition,
    page_count: Option<u32>,
    wanted: Option<Size>,
    papers: &[Paper],
    findings: &mut Findings,
) -> Option<CoverSheet> {
    let everywhere = BTreeSet::new();
    if pages.len() != 1 {
        let message = format!(
            "a cover is one page with back, spine and front, but the file has {} pages",
            pages.len()
        );
        findings.error(Rule::PageCount, &everywhere, message, "export the cover as one page");
    }
    let sheet = pages.first().and_then(Page::sheet_size)?;
    let candidates: Vec<Size> = match wanted {
        Some(trim) => vec![trim],
        None => trims(edition).iter().map(|trim| trim.size).collect(),
    };
    let as_high: Vec<Size> = candidates
        .into_iter()
        .filter(|trim| height(edition, *trim).is_some_and(|height| height.abs_diff(sheet.height) <= TOLERANCE))
        .collect();
    let custom = custom_trim(edition, sheet, page_count.unwrap_or(100)).filter(|_| wanted.is_none());
    if as_high.is_empty() {
        // A sheet of a custom size matches no listed height.
        match (custom, page_count) {
            (Some(trim), Some(count)) => check_count(edition, trim, count, findings),
            (Some(_), None) => report_unchecked_spine(sheet, None, findings),
            (None, _) => {
                let message = format!(
                    "the cover is {}, but {} has no pages of that height",
                    format_size(sheet),
                    edition.name()
                );
                let remedy = match wanted.and_then(|trim| height(edition, trim)) {
                    Some(height) => format!("make it {} in high", inches(height)),
                    None => {
                        "make it as high as the pages, plus 0.125 in of bleed at the top and at the bottom".to_owned()
                    }
                };
                findings.error(Rule::CoverSize, &everywhere, message, remedy);
            }
        }
        return None;
    }
    match page_count {
        Some(count) => check_width(edition, sheet, &as_high, custom, count, papers, findings),
        None => {
            report_unchecked_spine(sheet, fitting_page_counts(edition, sheet, &as_high), findings);
            None
        }
    }
}

/// Checks the width of a cover for a known number of pages.
fn check_width(
    edition: Edition,
    sheet: Size,
    trims: &[Size],
    custom: Option<Size>,
    count: u32,
    papers: &[Paper],
    findings: &mut Findings,
) -> Option<CoverSheet> {
    let widths = |trim: Size| {
        papers
            .iter()
            .map(move |&paper| (paper, width(edition, trim, count, paper)))
    };
    let nearest = trims
        .iter()
        .flat_map(|&trim| {
            widths(trim).filter_map(move |(paper, width)| Some((width?.abs_diff(sheet.width), trim, paper)))
        })
        .min_by_key(|(distance, ..)| *distance);
    let (distance, trim, paper) = nearest?;
    if let Some(custom) = custom.filter(|_| distance > MAX_WIDTH_DIFFERENCE) {
        check_count(edition, custom, count, findings);
        return None;
    }
    if distance > TOLERANCE {
        let mut widths: Vec<(f64, Paper)> = widths(trim)
            .filter_map(|(paper, width)| Some((inches(width?), paper)))
            .collect();
        widths.dedup_by_key(|(width, _)| *width);
        let words = |(width, paper): &(f64, Paper)| match (widths.len(), paper) {
            (1, _) => width.to_string(),
            (_, Paper::White) => format!("{width} (white paper)"),
            (_, Paper::Cream) => format!("{width} (cream)"),
            (_, Paper::PremiumColor) => format!("{width} (premium color)"),
        };
        let message = format!(
            "the cover is {} in wide, but around {count} pages of {} it must be {} in wide",
            inches(sheet.width),
            format_size(trim),
            widths.iter().map(words).collect::<Vec<_>>().join(" or ")
        );
        let remedy = "make the cover again for the final number of pages and for its paper";
        findings.error(Rule::Spine, &BTreeSet::new(), message, remedy);
    }
    check_count(edition, trim, count, findings);
    cover_sheet(edition, trim, count, paper).filter(|_| distance <= TOLERANCE)
}

/// Reports that the spine cannot be checked, because the number of pages is unknown.
fn report_unchecked_spine(sheet: Size, fitting: Option<(u32, u32)>, findings: &mut Findings) {
    let width = inches(sheet.width);
    let message = match fitting {
        Some((least, most)) if least == most => format!("a cover {width} in wide fits around {least} pages"),
        Some((least, most)) => format!("a cover {width} in wide fits around {least} to {most} pages"),
        None => format!("it is unknown whether a cover {width} in wide fits its pages"),
    };
    let remedy = "give the number of pages of the interior, so that the spine can be checked";
    findings.warning(Rule::Spine, &BTreeSet::new(), message, remedy);
}

/// The smallest and the largest number of pages that such a cover fits around.
fn fitting_page_counts(edition: Edition, sheet: Size, trims: &[Size]) -> Option<(u32, u32)> {
    let counts = trims.iter().flat_map(|&trim| {
        let fits = move |count: &u32| {
            let widths = [Paper::White, Paper::Cream].map(|paper| width(edition, trim, *count, paper));
            widths
                .into_iter()
                .flatten()
                .any(|width| width.abs_diff(sheet.width) <= TOLERANCE)
        };
        page_limits(edition, trim).into_iter().flatten().filter(fits)
    });
    counts.fold(None, |range, count| match range {
        None => Some((count, count)),
        Some((least, most)) => Some((count.min(least), count.max(most))),
    })
}

fn width(edition: Edition, trim: Size, count: u32, paper: Paper) -> Option<u32> {
    let CoverSheet { size, bleed, .. } = cover_sheet(edition, trim, count, paper)?;
    Some(size.with_border(bleed).width)
}

fn height(edition: Edition, trim: Size) -> Option<u32> {
    let CoverSheet { size, bleed, .. } = cover_sheet(edition, trim, 0, Paper::White)?;
    Some(size.with_border(bleed).height)
}

/// The size of the pages that such a cover fits around, where the printer accepts custom sizes.
fn custom_trim(edition: Edition, sheet: Size, count: u32) -> Option<Size> {
    let CoverSheet { bleed, .. } = cover_sheet(edition, sheet, count, Paper::White)?;
    let spine = spine_width(edition, Paper::White, count)?;
    let trim = Size {
        width: sheet.width.checked_sub(2 * bleed + spine)? / 2,
        height: sheet.height.checked_sub(2 * bleed)?,
    };
    trim_of(edition, trim).map(|_| trim)
}
