//! `isbn` of a book, and its barcode on covers.
use std::fs;
use std::process::Command;

use image::GrayImage;
use linepress_printers::{Area, Edition, Paper, Size, cover_sheet};
use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp};
use crate::tools::tool;

const ISBN: &str = "978-3-16-148410-0";
const PIXELS_PER_INCH: u32 = 600;

/// Has a book made that is thick enough for a printer; returns its path.
async fn book(app: &TestApp, ada: &Actor, language: &str) -> String {
    let pages = vec![json!({"title": "A fox"}); 13];
    let body = json!({"book": {"title": "Woodland Friends", "language": language, "pages": pages}});
    let book = app.accepted(ada, "/books", &body).await;
    app.draw_what_is_due().await;
    format!("/books/{}", book.book_id())
}

async fn set(ada: &Actor, book: &str, isbn: &str) -> Value {
    let change = json!({"book": {"isbn": isbn}});
    ada.patch(book, &change).await.expect(200)["book"]["isbn"].clone()
}

#[tokio::test]
async fn an_isbn_is_set_corrected_and_removed() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let path = book(&app, &ada, "en").await;
    assert_eq!(ada.get(&path).await.expect(200)["book"]["isbn"], "");
    assert_eq!(set(&ada, &path, "3-16-148410-X").await, ISBN);
    assert_eq!(set(&ada, &path, "9783161484100").await, ISBN);
    for (isbn, message) in [
        (
            "978-3-16-148410-7",
            "must be a valid ISBN: its check digit does not match, so at least one digit is wrong",
        ),
        ("12", "must be an ISBN of 10 or 13 digits"),
    ] {
        let error = ada.patch(&path, &json!({"book": {"isbn": isbn}})).await;
        let error = error.expect_error(422, "validation_failed");
        assert_eq!(error["details"], json!([{"field": "book.isbn", "message": message}]));
    }
    let copy = ada.post(&format!("{path}/copy"), &json!({})).await.expect(201);
    assert_eq!(copy["book"]["isbn"], "", "two books cannot have the same ISBN");
    // It survives the bin.
    ada.delete(&path).await.expect_no_content();
    let id = path.strip_prefix("/books/").unwrap();
    ada.post_nothing(&format!("/bin/{id}/restore")).await.expect(200);
    assert_eq!(ada.get(&path).await.expect(200)["book"]["isbn"], ISBN);
    for typed in ["978-3-16", "9783161484100"] {
        let found = ada.get(&format!("/books?q={typed}")).await.expect(200);
        assert_eq!(found["books"][0]["isbn"], ISBN, "{typed}");
    }
    assert_eq!(set(&ada, &path, "").await, "");
}

#[tokio::test]
async fn the_barcode_on_a_cover_reads_as_the_isbn_of_the_book() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(60).await;
    for (language, edition, format) in [
        ("en", Edition::Kdp, "us_letter"),
        ("en", Edition::Lulu, "storybook_letter"),
        // Read from right to left: the back is on the right.
        ("ar", Edition::Kdp, "us_letter"),
    ] {
        let path = book(&app, &ada, language).await;
        let query = format!("format={format}&edition={edition}&part=cover");
        let without = ada.get(&format!("{path}/pdf?{query}")).await;
        assert_eq!(without.status, 200, "{}", String::from_utf8_lossy(&without.body));
        set(&ada, &path, ISBN).await;
        let with = ada.get(&format!("{path}/pdf?{query}")).await;
        assert_eq!(with.status, 200, "{}", String::from_utf8_lossy(&with.body));
        let letter = Size {
            width: 215_900,
            height: 279_400,
        };
        let print_check = ada.get(&format!("{path}/print_check?{query}")).await.expect(200);
        assert_eq!(
            print_check["print_check"]["findings"],
            json!([]),
            "{language} {edition}"
        );
        let pages = interior_pages(&ada, &path, &query).await;
        let sheet = cover_sheet(edition, letter, pages, Paper::White).unwrap();
        let sheet = if language == "ar" { sheet.mirrored() } else { sheet };
        let box_of = |pdf: &[u8]| cropped(&page(pdf), sheet.barcode, sheet.bleed);
        assert_eq!(barcode(&box_of(&without.body)), None, "{language} {edition}");
        let digits = barcode(&box_of(&with.body));
        assert_eq!(digits.as_deref(), Some("9783161484100"), "{language} {edition}");
    }
}

/// The number of pages of the interior that belongs to a cover.
async fn interior_pages(ada: &Actor, path: &str, cover: &str) -> u32 {
    let query = cover.replace("part=cover", "part=interior");
    let interior = ada.get(&format!("{path}/pdf?{query}")).await;
    let pages = lopdf::Document::load_mem(&interior.body).unwrap().get_pages().len();
    u32::try_from(pages).unwrap()
}

/// The first page of a PDF as a picture.
fn page(pdf: &[u8]) -> GrayImage {
    let folder = tempfile::tempdir().unwrap();
    let (file, picture) = (folder.path().join("cover.pdf"), folder.path().join("cover"));
    fs::write(&file, pdf).unwrap();
    let status = Command::new(tool("pdftoppm"))
        .args(["-r", &PIXELS_PER_INCH.to_string(), "-gray", "-png", "-singlefile"])
        .args([&file, &picture])
        .status()
        .unwrap();
    assert!(status.success());
    image::open(picture.with_extension("png")).unwrap().into_luma8()
}

/// An area of the trimmed sheet.
fn cropped(page: &GrayImage, area: Area, bleed: u32) -> GrayImage {
    let pixels = |micrometers: u32| micrometers * PIXELS_PER_INCH / 25_400;
    let (x, y) = (pixels(area.x + bleed), pixels(area.y + bleed));
    image::imageops::crop_imm(page, x, y, pixels(area.width), pixels(area.height)).to_image()
}

/// Reads an EAN-13 barcode in the middle of a picture, as a scanner does; `None` if there is none.
fn barcode(picture: &GrayImage) -> Option<String> {
    let row: Vec<bool> = (0..picture.width())
        .map(|x| picture.get_pixel(x, picture.height() / 2).0[0] < 128)
        .collect();
    let first = row.iter().position(|black| *black)?;
    let last = row.iter().rposition(|black| *black)?;
    let module = (last + 1 - first) as f64 / 95.0;
    let is_black = |number: usize| row[first + ((number as f64 + 0.5) * module) as usize];
    let modules: Vec<u8> = (0..95).map(|number| u8::from(is_black(number))).collect();
    // Quiet zones, and guards at both ends and in the middle.
    assert!(first as f64 >= 11.0 * module && (row.len() - last) as f64 > 7.0 * module);
    assert_eq!(
        [&modules[..3], &modules[45..50], &modules[92..]].concat(),
        [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]
    );
    let (mut digits, mut parity) = (String::new(), 0);
    for seven in modules[3..45].chunks(7) {
        let (digit, is_even) = left_digit(seven)?;
        parity = parity << 1 | u8::from(is_even);
        digits.push(digit);
    }
    for seven in modules[50..92].chunks(7) {
        let inverted: Vec<u8> = seven.iter().map(|module| 1 - module).collect();
        let (digit, is_even) = left_digit(&inverted)?;
        assert!(!is_even);
        digits.push(digit);
    }
    // The first digit selects which of the next six have even parity.
    const FIRST: [u8; 10] = [
        0b00_0000, 0b00_1011, 0b00_1101, 0b00_1110, 0b01_0011, 0b01_1001, 0b01_1100, 0b01_0101, 0b01_0110, 0b01_1010,
    ];
    let first = FIRST.iter().position(|known| *known == parity)?;
    Some(format!("{first}{digits}"))
}

/// The digit of seven modules of the left half, and whether its parity is even.
fn left_digit(modules: &[u8]) -> Option<(char, bool)> {
    // The widths of space, bar, space and bar of each digit with odd parity; with even parity they are in reverse.
    const WIDTHS: [[usize; 4]; 10] = [
        [3, 2, 1, 1],
        [2, 2, 2, 1],
        [2, 1, 2, 2],
        [1, 4, 1, 1],
        [1, 1, 3, 2],
        [1, 2, 3, 1],
        [1, 1, 1, 4],
        [1, 3, 1, 2],
        [1, 2, 1, 3],
        [3, 1, 1, 2],
    ];
    let widths: Vec<usize> = modules.chunk_by(|one, next| one == next).map(<[u8]>::len).collect();
    let reversed: Vec<usize> = widths.iter().rev().copied().collect();
    let find = |widths: &[usize]| WIDTHS.iter().position(|known| known.as_slice() == widths);
    let digit = |number: usize| char::from(b'0' + u8::try_from(number).unwrap());
    match (find(&widths), find(&reversed)) {
        (Some(number), _) => Some((digit(number), false)),
        (None, Some(number)) => Some((digit(number), true)),
        (None, None) => None,
    }
}
