//! Pages compared with approved pictures of them in `tests/it/fixtures/looks`. After an intended change of a layout,
//! run the test with `LINEPRESS_TEST_UPDATE_LOOKS=1` to write new pictures, and inspect them.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use image::{GrayImage, imageops};

use crate::rest::layouts::book;
use crate::test_app::TestApp;
use crate::tools::tool;

/// A pixel is about a millimeter: small enough to show the position of everything, and too large for differences in
/// edge smoothing between versions of Poppler.
const PIXELS_PER_INCH: &str = "24";
const PAGES_IN_A_ROW: usize = 7;
const GAP_PIXELS: u32 = 4;
const GAP_TONE: u8 = 160;

/// The tolerated difference in tone of a pixel, and the tolerated number of pixels per thousand with a larger
/// difference.
const MAX_TONE_DIFFERENCE: u8 = 48;
const MAX_DIFFERING_PIXELS_PER_MILLE: f64 = 2.0;

/// The aspect of the book, the print format, and further parameters of the PDF's address.
const LOOKS: [(&str, &str, &str); 7] = [
    ("portrait", "us_letter", ""),
    ("landscape", "a4_landscape", "&backs=printed"),
    ("portrait", "storybook_letter", ""),
    ("square", "storybook_small_square", ""),
    ("portrait", "storybook_letter", "&edition=lulu&part=cover"),
    ("portrait", "pod_letter", ""),
    ("square", "pod_square", "&edition=kdp&part=cover"),
];

#[tokio::test]
async fn pages_look_as_approved() {
    let pdftoppm = tool("pdftoppm");
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(9).await;
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for aspect in ["square", "portrait", "landscape"] {
        paths.push((aspect, book(&app, &ada, aspect, 3).await));
    }
    let mut wrong = Vec::new();
    for (aspect, format, query) in LOOKS {
        let (_, path) = paths.iter().find(|(one, _)| *one == aspect).unwrap();
        let reply = ada.get(&format!("{path}/pdf?format={format}{query}")).await;
        assert_eq!(reply.status, 200, "{format}: {}", String::from_utf8_lossy(&reply.body));
        let pdf = folder.path().join("book.pdf");
        fs::write(&pdf, &reply.body).unwrap();
        let pages = pages(&pdftoppm, &pdf);
        let sheet = contact_sheet(&pages);
        let name = format!("{format}{}", query.replace(['&', '='], "-"));
        let approved = fixture(&name);
        if std::env::var_os("LINEPRESS_TEST_UPDATE_LOOKS").is_some() {
            sheet.save(&approved).unwrap();
            continue;
        }
        let expected = image::open(&approved).unwrap().into_luma8();
        if let Some(difference) = difference(&pages, &expected) {
            let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
            sheet.save(&seen).unwrap();
            wrong.push(format!(
                "{name}: {difference}; compare {} with {}",
                seen.display(),
                approved.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/fixtures/looks");
    folder.join(format!("{name}.png"))
}

fn pages(pdftoppm: &Path, pdf: &Path) -> Vec<GrayImage> {
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new(pdftoppm)
        .args(["-r", PIXELS_PER_INCH, "-gray", "-png"])
        .arg(pdf)
        .arg(folder.path().join("page"))
        .status()
        .unwrap();
    assert!(status.success());
    let mut files: Vec<PathBuf> = fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| image::open(file).unwrap().into_luma8())
        .collect()
}

fn contact_sheet(pages: &[GrayImage]) -> GrayImage {
    let (width, height) = pages[0].dimensions();
    let rows = pages.len().div_ceil(PAGES_IN_A_ROW);
    let side = |count: usize, side: u32| u32::try_from(count).unwrap() * (side + GAP_PIXELS) + GAP_PIXELS;
    let (across, down) = (side(pages.len().min(PAGES_IN_A_ROW), width), side(rows, height));
    let mut sheet = GrayImage::from_pixel(across, down, image::Luma([GAP_TONE]));
    for (number, page) in pages.iter().enumerate() {
        let (x, y) = place(number, page.dimensions());
        imageops::replace(&mut sheet, page, x.into(), y.into());
    }
    sheet
}

/// Returns the position of a page on its sheet.
fn place(number: usize, (width, height): (u32, u32)) -> (u32, u32) {
    let (column, row) = (number % PAGES_IN_A_ROW, number / PAGES_IN_A_ROW);
    let (column, row) = (u32::try_from(column).unwrap(), u32::try_from(row).unwrap());
    (
        GAP_PIXELS + column * (width + GAP_PIXELS),
        GAP_PIXELS + row * (height + GAP_PIXELS),
    )
}

/// Describes the pages that differ from those on an approved sheet, or returns `None`.
fn difference(pages: &[GrayImage], approved: &GrayImage) -> Option<String> {
    let expected = contact_sheet(pages).dimensions();
    if approved.dimensions() != expected {
        return Some(format!(
            "the sheet has {expected:?} pixels instead of {:?}",
            approved.dimensions()
        ));
    }
    let mut different = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let (width, height) = page.dimensions();
        let (x, y) = place(number, (width, height));
        let expected = imageops::crop_imm(approved, x, y, width, height).to_image();
        let (seen, expected) = (imageops::blur(page, 1.0), imageops::blur(&expected, 1.0));
        let pixels = seen.pixels().zip(expected.pixels());
        let differ = pixels
            .filter(|(one, other)| one[0].abs_diff(other[0]) > MAX_TONE_DIFFERENCE)
            .count();
        let share = 1000.0 * differ as f64 / f64::from(width * height);
        if share > MAX_DIFFERING_PIXELS_PER_MILLE {
            different.push(format!("page {} by {share:.1} of a thousand pixels", number + 1));
        }
    }
    (!different.is_empty()).then(|| different.join(", "))
}

#[test]
fn a_shift_of_some_millimeters_is_detected() {
    let page = |left: u32| {
        let mut page = GrayImage::from_pixel(204, 264, image::Luma([255]));
        for (x, y) in (40..200).flat_map(|y| [(left, y), (left + 1, y)]) {
            page.put_pixel(x, y, image::Luma([0]));
        }
        page
    };
    let approved = contact_sheet(&[page(50), page(100)]);
    assert_eq!(difference(&[page(50), page(100)], &approved), None);
    let moved = difference(&[page(50), page(103)], &approved);
    assert!(
        moved.as_ref().is_some_and(|text| text.starts_with("page 2 ")),
        "{moved:?}"
    );
    assert!(difference(&[page(50)], &approved).is_some());
}
