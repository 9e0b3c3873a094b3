//! The sizes of pages: equal on all of them, one that the printer has, and with its bleed.
use std::collections::{BTreeMap, BTreeSet};

use linepress_printers::{Edition, INCH, Size, TOLERANCE, Unprintable, check_pages, interior_sheets, trim_of, trims};

use crate::page::{Page, Rectangle};
use crate::report::{Findings, Rule};

/// A length in inches, to a thousandth.
pub(crate) fn inches(micrometers: u32) -> f64 {
    (f64::from(micrometers) / f64::from(INCH) * 1000.0).round() / 1000.0
}

pub(crate) fn shown(size: Size) -> String {
    format!("{} x {} in", inches(size.width), inches(size.height))
}

/// The boxes of each page by themselves.
pub(crate) fn check_boxes(pages: &[Page<'_>], findings: &mut Findings) {
    let select = |is_wrong: fn(&Page<'_>) -> bool| -> BTreeSet<u32> {
        let wrong = pages.iter().filter(|page| is_wrong(page));
        wrong.map(|page| page.number).collect()
    };
    let mut wrong = |pages: BTreeSet<u32>, message: &str| {
        if !pages.is_empty() {
            let remedy = "set the page boxes anew when you export the file";
            findings.error(Rule::PageBoxes, &pages, message.to_owned(), remedy);
        }
    };
    wrong(
        select(|page| page.media.is_none()),
        "the page has no MediaBox that makes sense",
    );
    wrong(
        select(|page| page.media.is_some() && page.sheet().is_none()),
        "the page's CropBox lies outside its MediaBox",
    );
    wrong(
        select(|page| sticks_out(page.trim, page.media) || sticks_out(page.bleed, page.media)),
        "the page's TrimBox or BleedBox reaches out of its MediaBox",
    );
    wrong(
        select(|page| sticks_out(page.trim, page.bleed)),
        "the page's TrimBox reaches out of its BleedBox",
    );
    let cut = select(|page| sticks_out(page.media, page.sheet()));
    if !cut.is_empty() {
        let message =
            "the page's CropBox is smaller than its MediaBox, and printers differ in which of them they print";
        let remedy = "export the file with a MediaBox as large as the page";
        findings.warning(Rule::PageBoxes, &cut, message.to_owned(), remedy);
    }
    let turned = select(|page| page.rotation.rem_euclid(360.0) != 0.0);
    if !turned.is_empty() {
        let message = "the page is turned for the screen, and printers may print it as it lies".to_owned();
        findings.warning(
            Rule::Rotation,
            &turned,
            message,
            "export the page upright, without a rotation",
        );
    }
    let own_unit = select(|page| (page.unit - 1.0).abs() > 1e-6);
    if !own_unit.is_empty() {
        let message = "the page is measured in units of its own, which printers may not know".to_owned();
        findings.error(Rule::UserUnit, &own_unit, message, "export the page in its real size");
    }
}

fn sticks_out(inner: Option<Rectangle>, outer: Option<Rectangle>) -> bool {
    inner.zip(outer).is_some_and(|(inner, outer)| !outer.holds(&inner))
}

/// The pages of an interior: equal, of a size that the printer has, with its bleed, and as many as it prints. Returns how
/// large the sheets and the trimmed pages are.
pub(crate) fn check_interior(
    pages: &[Page<'_>],
    edition: Edition,
    wanted: Option<Size>,
    findings: &mut Findings,
) -> Option<(Size, Size)> {
    let (sheet, stated) = check_equal(pages, findings)?;
    let everywhere = BTreeSet::new();
    let (printer, found) = (edition.name(), shown(sheet));
    let trim = match wanted.or(stated).or_else(|| trim_of_sheet(edition, sheet)) {
        Some(trim) if trim_of(edition, trim).is_some() => trim,
        _ => {
            let size = shown(stated.unwrap_or(sheet));
            let message = format!("the pages are {size}, and {printer} has no such size");
            findings.error(
                Rule::Trim,
                &everywhere,
                message,
                nearest(edition, stated.unwrap_or(sheet)),
            );
            return None;
        }
    };
    let sheets = interior_sheets(edition, trim);
    if !sheets.iter().any(|expected| expected.is_near(sheet, TOLERANCE)) {
        let expected: Vec<String> = sheets.into_iter().map(shown).collect();
        let message = format!(
            "the pages are {found} in the file, and {printer} wants {} for pages of {}",
            expected.join(" or "),
            shown(trim)
        );
        let remedy = "export the pages with the printer's bleed";
        // What is exactly as large as the trimmed page gets a white border; anything else is another book.
        match trim.is_near(sheet, TOLERANCE) {
            true => findings.warning(Rule::Bleed, &everywhere, message, remedy),
            false => findings.error(Rule::Bleed, &everywhere, message, remedy),
        }
    }
    // More than four billion pages are no file.
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
        false => format!("take pages out, or make several books of {most} pages at most"),
    };
    findings.error(Rule::PageCount, &BTreeSet::new(), error.to_string(), remedy);
}

/// The size that most pages have, and the size they say they are trimmed to.
fn check_equal(pages: &[Page<'_>], findings: &mut Findings) -> Option<(Size, Option<Size>)> {
    // Nobody knows how large a page is printed whose boxes differ, and that has been said.
    let is_whole = |page: &Page<'_>| !sticks_out(page.media, page.sheet());
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
        let message = format!("the page is {}, and most pages are {}", shown(size), shown(usual));
        findings.error(Rule::PageSizes, &others, message, "make all pages equally large");
    }
    let (page, _) = sized().find(|(_, size)| size.is_near(usual, TOLERANCE))?;
    Some((usual, page.stated_trim()))
}

/// What pages of this size are trimmed to: a size of the printer's list, or the whole page.
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

/// Which size to take instead.
fn nearest(edition: Edition, size: Size) -> String {
    let distance = |trim: &Size| trim.width.abs_diff(size.width) + trim.height.abs_diff(size.height);
    let nearest = trims(edition).iter().map(|trim| trim.size).min_by_key(distance);
    match nearest {
        Some(trim) => format!("make the pages {}, which is the nearest size that it has", shown(trim)),
        None => "make the pages as large as the paper".to_owned(),
    }
}
