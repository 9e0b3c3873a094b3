//! The sizes of pages: equal on all pages, offered by the printer, and with its bleed.
use std::collections::{BTreeMap, BTreeSet};

use linepress_printers::{
    Edition, INCH, Size, TOLERANCE, Unprintable, check_pages, interior_sheets, is_interior_sheet, trim_of, trims,
};

use crate::page::{Page, Rectangle};
use crate::report::{Findings, Rule};

/// A length in inches, rounded to a thousandth.
pub(crate) fn inches(micrometers: u32) -> f64 {
    (f64::from(micrometers) / f64::from(INCH) * 1000.0).round() / 1000.0
}

pub(crate) fn format_size(size: Size) -> String {
    format!("{} x {} in", inches(size.width), inches(size.height))
}

/// Checks the boxes of each page.
pub(crate) fn check_boxes(pages: &[Page<'_>], findings: &mut Findings) {
    let select = |is_wrong: fn(&Page<'_>) -> bool| -> BTreeSet<u32> {
        let wrong = pages.iter().filter(|page| is_wrong(page));
        wrong.map(|page| page.number).collect()
    };
    let mut wrong = |pages: BTreeSet<u32>, message: &str| {
        if !pages.is_empty() {
            let remedy = "set the page boxes again when you export the file";
            findings.error(Rule::PageBoxes, &pages, message.to_owned(), remedy);
        }
    };
    wrong(select(|page| page.media.is_none()), "the page has no valid MediaBox");
    wrong(
        select(|page| page.media.is_some() && page.sheet().is_none()),
        "the page's CropBox lies outside its MediaBox",
    );
    wrong(
        select(|page| extends_past(page.trim, page.media) || extends_past(page.bleed, page.media)),
        "the page's TrimBox or BleedBox extends past its MediaBox",
    );
    wrong(
        select(|page| extends_past(page.trim, page.bleed)),
        "the page's TrimBox extends past its BleedBox",
    );
    let cut = select(|page| extends_past(page.media, page.sheet()));
    if !cut.is_empty() {
        let message =
            "the page's CropBox is smaller than its MediaBox, and printers differ in which of the two they print";
        let remedy = "export the file with a MediaBox as large as the page";
        findings.warning(Rule::PageBoxes, &cut, message.to_owned(), remedy);
    }
    let turned = select(|page| page.rotation.rem_euclid(360.0) != 0.0);
    if !turned.is_empty() {
        let message = "the page is rotated for viewing, but printers may print it unrotated".to_owned();
        findings.warning(
            Rule::Rotation,
            &turned,
            message,
            "export the page upright, without a rotation",
        );
    }
    let own_unit = select(|page| (page.unit - 1.0).abs() > 1e-6);
    if !own_unit.is_empty() {
        let message = "the page has a user unit, which printers may not support".to_owned();
        findings.error(
            Rule::UserUnit,
            &own_unit,
            message,
            "export the page without a user unit, in its real size",
        );
    }
}

fn extends_past(inner: Option<Rectangle>, outer: Option<Rectangle>) -> bool {
    inner.zip(outer).is_some_and(|(inner, outer)| !outer.encloses(&inner))
}

/// Checks the pages of an interior: equal, of a size that the printer offers, with its bleed, and within its limits on
/// the number of pages. Returns the sizes of the sheet and of the trimmed page.
pub(crate) fn check_interior(
    pages: &[Page<'_>],
    edition: Edition,
    wanted: Option<Size>,
    findings: &mut Findings,
) -> Option<(Size, Size)> {
    let (sheet, stated) = check_equal(pages, findings)?;
    let everywhere = BTreeSet::new();
    let (printer, found) = (edition.name(), format_size(sheet));
    let trim = match wanted.or(stated).or_else(|| trim_of_sheet(edition, sheet)) {
        Some(trim) if trim_of(edition, trim).is_some() => trim,
        _ => {
            let size = format_size(stated.unwrap_or(sheet));
            let message = format!("the pages are {size}, but {printer} does not offer that size");
            findings.error(
                Rule::Trim,
                &everywhere,
                message,
                nearest_size_advice(edition, stated.unwrap_or(sheet)),
            );
            return None;
        }
    };
    if !is_interior_sheet(edition, trim, sheet) {
        let sheets = interior_sheets(edition, trim);
        let expected: Vec<String> = sheets.into_iter().map(format_size).collect();
        let message = format!(
            "the pages are {found} in the file, but {printer} requires {} for pages of {}",
            expected.join(" or "),
            format_size(trim)
        );
        let remedy = "export the pages with the printer's bleed";
        // A sheet of the trimmed size gets a white border; a sheet of any other size belongs to another book.
        match trim.is_near(sheet, TOLERANCE) {
            true => findings.warning(Rule::Bleed, &everywhere, message, remedy),
            false => findings.error(Rule::Bleed, &everywhere, message, remedy),
        }
    }
    // A file never has more than four billion pages.
    let count = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    check_count(edition, trim, count, findings);
    Some((sheet, trim))
}

pub(crate) fn check_count(edition: Edition, trim: Size, count: u32, findings: &mut Findings) {
    let Err(error @ Unprintable::Pages { least, most, .. }) = check_pages(edition, trim, count) else {
        return;
    };
    let remedy = match count < least {
        true => format!("add pages until there are {least}"),
        false => format!("remove pages, or make several books of at most {most} pages"),
    };
    findings.error(Rule::PageCount, &BTreeSet::new(), error.to_string(), remedy);
}

/// Returns the size that most pages have, and the trimmed size that they declare.
fn check_equal(pages: &[Page<'_>], findings: &mut Findings) -> Option<(Size, Option<Size>)> {
    // The printed size of a page whose boxes differ is unknown, and the boxes have been reported.
    let is_whole = |page: &Page<'_>| !extends_past(page.media, page.sheet());
    let any_is_whole = pages.iter().any(is_whole);
    let sized = || {
        let pages = pages.iter().filter(|page| !any_is_whole || is_whole(page));
        pages.filter_map(|page| Some((page, page.sheet_size()?)))
    };
    let mut counts: BTreeMap<(u32, u32), (usize, Size)> = BTreeMap::new();
    for (_, size) in sized() {
        counts.entry((size.width, size.height)).or_insert((0, size)).0 += 1;
    }
    let (_, usual) = counts.into_values().max_by_key(|(count, _)| *count)?;
    let others: BTreeSet<u32> = sized()
        .filter(|(_, size)| !size.is_near(usual, TOLERANCE))
        .map(|(page, _)| page.number)
        .collect();
    if let Some((_, size)) = sized().find(|(page, _)| others.contains(&page.number)) {
        let message = format!(
            "the page is {}, but most pages are {}",
            format_size(size),
            format_size(usual)
        );
        findings.error(Rule::PageSizes, &others, message, "make all pages the same size");
    }
    let (page, _) = sized().find(|(_, size)| size.is_near(usual, TOLERANCE))?;
    Some((usual, page.stated_trim()))
}

/// The trimmed size of such a sheet: a size of the printer's list, or the whole sheet.
fn trim_of_sheet(edition: Edition, sheet: Size) -> Option<Size> {
    let listed = || trims(edition).iter().map(|trim| trim.size);
    listed()
        .find(|trim| trim.is_near(sheet, TOLERANCE))
        .or_else(|| {
            listed().find(|trim| {
                let sheets = interior_sheets(edition, *trim);
                sheets.iter().any(|expected| expected.is_near(sheet, TOLERANCE))
            })
        })
        .or_else(|| trim_of(edition, sheet).map(|trim| trim.size))
}

/// Advises a page size that the printer offers.
fn nearest_size_advice(edition: Edition, size: Size) -> String {
    let distance = |trim: &Size| trim.width.abs_diff(size.width) + trim.height.abs_diff(size.height);
    let nearest = trims(edition).iter().map(|trim| trim.size).min_by_key(distance);
    match nearest {
        Some(trim) => format!(
            "make the pages {}, the nearest size that the printer offers",
            format_size(trim)
        ),
        None => "make the pages as large as the paper".to_owned(),
    }
}
