//! The barcode of a book's ISBN, which the server draws into the box that a layout leaves empty on the back of a cover.
use std::collections::BTreeMap;
use std::sync::Arc;

use barcoders::sym::ean13::EAN13;
use serde::{Deserialize, Serialize};
use typst::diag::Warned;
use typst::layout::{Abs, Frame, FrameItem, Point};
use typst_layout::PagedDocument;

use crate::data::BARCODE_FOLDER;
use crate::measures::Rectangle;
use crate::world::{TemplateWorld, Templates};

/// The template of the barcode.
const TEMPLATE: &str = include_str!("barcode.typ");

/// The sources that determine the appearance of a barcode, for the digest of everything but the book that a PDF depends
/// on.
pub(crate) const SOURCES: [&str; 2] = [TEMPLATE, include_str!("barcode.rs")];

/// The modules of the guard bars, which extend below the others: at both ends and in the middle. A module is as wide as
/// the narrowest bar.
const GUARDS: [std::ops::Range<usize>; 3] = [0..3, 45..50, 92..95];

/// A barcode and its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Barcode {
    /// With hyphens.
    isbn: String,
    digits: String,
    bars: Vec<Bar>,
    /// The box on the sheet, in millimeters.
    area: Rectangle,
}

/// A black bar, measured in modules from the left end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Bar {
    start: usize,
    width: usize,
    is_guard: bool,
}

impl Barcode {
    /// The barcode of an ISBN of 13 digits. `None` if the text is not a valid ISBN of 13 digits.
    pub(crate) fn new(isbn: &str, area: Rectangle) -> Option<Self> {
        let digits: String = isbn.chars().filter(char::is_ascii_digit).collect();
        if digits.len() != 13 {
            return None;
        }
        let modules = EAN13::new(&digits).ok()?.encode();
        Some(Self {
            isbn: isbn.to_owned(),
            digits,
            bars: bars(&modules),
            area,
        })
    }
}

/// Joins neighboring black modules.
fn bars(modules: &[u8]) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for (start, _) in modules.iter().enumerate().filter(|(_, module)| **module == 1) {
        match bars.last_mut() {
            Some(bar) if bar.start + bar.width == start => bar.width += 1,
            _ => bars.push(Bar {
                start,
                width: 1,
                is_guard: GUARDS.iter().any(|guard| guard.contains(&start)),
            }),
        }
    }
    bars
}

/// The values that the template of the barcode reads.
#[derive(Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    barcode: &'a Barcode,
    /// The typeface of the digits.
    font: Option<&'a str>,
}

/// Draws the barcode on the first page.
pub(crate) fn add(document: &mut PagedDocument, templates: &Arc<Templates>, barcode: &Barcode) -> anyhow::Result<()> {
    let font = most_used_font(document);
    let data = Data {
        barcode,
        font: font.as_deref(),
    };
    let template = format!("{BARCODE_FOLDER}barcode.typ");
    let files = vec![
        (template.clone(), TEMPLATE.as_bytes().to_vec()),
        (format!("{BARCODE_FOLDER}barcode.json"), serde_json::to_vec(&data)?),
    ];
    let world = TemplateWorld::new(templates.clone(), &template, files)?;
    let Warned { output, .. } = typst::compile::<PagedDocument>(&world);
    let drawn = output.map_err(|errors| anyhow::anyhow!("the barcode cannot be drawn: {errors:?}"))?;
    let frame = drawn.pages().first().map(|page| page.frame.clone());
    let frame = frame.ok_or_else(|| anyhow::anyhow!("the barcode has no page"))?;
    let mut pages = document.pages().to_vec();
    if let Some(cover) = pages.first_mut() {
        let corner = Point::new(Abs::mm(barcode.area.x), Abs::mm(barcode.area.y));
        cover.frame.push_frame(corner, frame);
    }
    *document = PagedDocument::new(pages.into_iter().collect(), document.info_mut().clone());
    Ok(())
}

/// The family of the font in which most of the document is set, among those that have digits.
fn most_used_font(document: &PagedDocument) -> Option<String> {
    let mut glyphs = BTreeMap::new();
    for page in document.pages() {
        count(&page.frame, &mut glyphs);
    }
    let most = glyphs.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(family, _)| family)
}

fn count(frame: &Frame, glyphs: &mut BTreeMap<String, usize>) {
    for (_, item) in frame.items() {
        match item {
            FrameItem::Group(group) => count(&group.frame, glyphs),
            FrameItem::Text(text) => {
                let info = text.font.info();
                if info.coverage.contains('0'.into()) {
                    *glyphs.entry(info.family.clone()).or_default() += text.glyphs.len();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rectangle = Rectangle {
        x: 0.0,
        y: 0.0,
        width: 50.8,
        height: 30.48,
    };

    /// The modules of the bars as text, which GS1's General Specifications give for each digit.
    fn modules(isbn: &str) -> String {
        let mut modules = ["0"; 95];
        for bar in Barcode::new(isbn, AREA).unwrap().bars {
            modules[bar.start..bar.start + bar.width].fill("1");
        }
        modules.concat()
    }

    #[test]
    fn an_isbn_is_encoded_as_ean_13() {
        // 9 selects the sets ABBABA of the left half: 7 A, 8 B, 3 B, 1 A, 6 B, 1 A; all of the right half are in set C.
        let left = "0111011 0001001 0100001 0011001 0000101 0011001";
        let right = "1011100 1001000 1011100 1100110 1110010 1110010";
        let expected = format!("101 {left} 01010 {right} 101").replace(' ', "");
        assert_eq!(modules("978-3-16-148410-0"), expected);
    }

    #[test]
    fn guard_bars_are_at_both_ends_and_in_the_middle() {
        let barcode = Barcode::new("978-3-16-148410-0", AREA).unwrap();
        let guards: Vec<usize> = barcode
            .bars
            .iter()
            .filter(|bar| bar.is_guard)
            .map(|bar| bar.start)
            .collect();
        assert_eq!(guards, [0, 2, 46, 48, 92, 94]);
        assert_eq!(barcode.digits, "9783161484100");
    }

    #[test]
    fn a_text_that_is_not_an_isbn_has_no_barcode() {
        for text in ["", "978", "978-3-16-148410-1"] {
            assert_eq!(Barcode::new(text, AREA), None, "{text}");
        }
    }
}
