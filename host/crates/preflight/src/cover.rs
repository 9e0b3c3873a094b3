//! The size of a cover: two pages, the spine between them, and bleed.
use std::collections::BTreeSet;

use linepress_printers::{
    CoverSheet, Edition, INCH, Paper, Size, TOLERANCE, cover_sheet, page_limits, spine_width, trim_of, trims,
};

use crate::page::Page;
use crate::report::{Findings, Rule};
use crate::size::{check_count, inches, shown};

/// A width that is farther from that of every listed page is that of a page of another size.
const ANOTHER_PAGE: u32 = INCH / 2;

/// Whether a file of one page this large must be a cover: no page of the printer is as wide.
pub(crate) fn is_cover(edition: Edition, pages: &[Page<'_>]) -> bool {
    let [page] = pages else { return false };
    let widest = trims(edition).iter().map(|trim| trim.size.width).max();
    let highest = trims(edition).iter().map(|trim| trim.size.height).max();
    let (Some(sheet), Some(widest), Some(highest)) = (page.sheet_size(), widest, highest) else {
        return false;
    };
    sheet.width > widest + ANOTHER_PAGE && sheet.height <= highest + ANOTHER_PAGE
}

/// A cover's one page. Returns its areas, where the number of pages is known and the sheet is as large as it must be.
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
            "a cover is one page with back, spine and front, and the file has {}",
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
    let custom = own_size(edition, sheet, page_count.unwrap_or(100)).filter(|_| wanted.is_none());
    if as_high.is_empty() {
        // A size of the customer's own is as high as it is.
        match (custom, page_count) {
            (Some(trim), Some(count)) => check_count(edition, trim, count, findings),
            (Some(_), None) => unchecked(sheet, None, findings),
            (None, _) => {
                let message = format!(
                    "the cover is {}, and {} has no pages that high",
                    shown(sheet),
                    edition.name()
                );
                let remedy = match wanted.and_then(|trim| height(edition, trim)) {
                    Some(height) => format!("make it {} in high", inches(height)),
                    None => {
                        "make it as high as the pages, and 0.125 in of bleed at the top and at the bottom".to_owned()
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
            unchecked(sheet, fitting(edition, sheet, &as_high), findings);
            None
        }
    }
}

/// For a known number of pages.
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
    if let Some(custom) = custom.filter(|_| distance > ANOTHER_PAGE) {
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
            "the cover is {} in wide, and around {count} pages of {} it must be {} in wide",
            inches(sheet.width),
            shown(trim),
            widths.iter().map(words).collect::<Vec<_>>().join(" or ")
        );
        let remedy = "make the cover again for the final number of pages and for its paper";
        findings.error(Rule::Spine, &BTreeSet::new(), message, remedy);
    }
    check_count(edition, trim, count, findings);
    cover_sheet(edition, trim, count, paper).filter(|_| distance <= TOLERANCE)
}

/// Without the number of pages nobody can say whether a spine is right.
fn unchecked(sheet: Size, fitting: Option<(u32, u32)>, findings: &mut Findings) {
    let width = inches(sheet.width);
    let message = match fitting {
        Some((least, most)) if least == most => format!("a cover {width} in wide fits around {least} pages"),
        Some((least, most)) => format!("a cover {width} in wide fits around {least} to {most} pages"),
        None => format!("nobody can say whether a cover {width} in wide fits"),
    };
    let remedy = "say how many pages the interior has, so that the spine can be checked";
    findings.warning(Rule::Spine, &BTreeSet::new(), message, remedy);
}

/// The least and the most pages that such a cover fits around.
fn fitting(edition: Edition, sheet: Size, trims: &[Size]) -> Option<(u32, u32)> {
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

/// The pages that such a cover fits around, where the printer takes sizes of the customer's own.
fn own_size(edition: Edition, sheet: Size, count: u32) -> Option<Size> {
    let CoverSheet { bleed, .. } = cover_sheet(edition, sheet, count, Paper::White)?;
    let spine = spine_width(edition, Paper::White, count)?;
    let trim = Size {
        width: sheet.width.checked_sub(2 * bleed + spine)? / 2,
        height: sheet.height.checked_sub(2 * bleed)?,
    };
    trim_of(edition, trim).map(|_| trim)
}
