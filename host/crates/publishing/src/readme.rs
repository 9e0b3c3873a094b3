//! The text that explains the files of a package.
use linepress_core::books::{Book, ChosenFormat};
use linepress_printers::{CoverSheet, Edition, INCH, fewest_pages_for_spine_text};

/// The file `README.txt` of a package.
pub(crate) fn readme(book: &Book, edition: Edition, format: &ChosenFormat, pages: u32, sheet: &CoverSheet) -> String {
    let trim = (
        format.offered.format.trim_width_um,
        format.offered.format.trim_height_um,
    );
    let whole = sheet.size.with_border(sheet.bleed);
    let (printer, upload) = match edition {
        Edition::Kdp => (
            edition.name(),
            "interior.pdf   The pages. At kdp.amazon.com, under \"Paperback Content\", upload it as the manuscript.\n\
             cover.pdf      Back, spine and front as one sheet. Under \"Book Cover\", choose \"Upload a cover you already have\".\n",
        ),
        Edition::Home | Edition::Lulu => (
            edition.name(),
            "interior.pdf   The pages. Upload it as the interior file of a print book.\n\
             cover.pdf      Back, spine and front as one sheet. Upload it as the cover file.\n",
        ),
    };
    let title = &book.title;
    let barcode = barcode(&book.isbn, edition);
    format!(
        "{title}\n\
         The files of this book for {printer}.\n\
         \n\
         {upload}\
         {barcode}\
         front.jpg      The front of the cover as a picture, for shops and posts. Its colors are sRGB.\n\
         kdp-kit.txt    Title, description, keywords, reading age, and which drawings were made with AI. Read it and change it\n\
         \x20              before you use it.\n\
         kdp-kit.json   The same for programs.\n\
         pages          Small pictures of the drawings, for samples. They are too small to print.\n\
         \n\
         Choose these settings at the printer:\n\
         Size after trimming   {} x {} inches ({})\n\
         Pages                 {pages}, blank ones included\n\
         Interior              black and white, on white paper{}\n\
         Spine                 {} inches{}\n\
         Whole cover sheet     {} x {} inches, bleed included\n\
         \n\
         The cover fits this number of pages and this paper only. If you change the book, download all files again.\n",
        inches(trim.0),
        inches(trim.1),
        format.offered.format.name,
        if edition == Edition::Kdp { ", no bleed" } else { "" },
        inches(sheet.spine.width),
        spine_text(edition, pages, sheet),
        inches(whole.width),
        inches(whole.height),
    )
}

/// The words about the text of the spine, where it has none or may have none.
fn spine_text(edition: Edition, pages: u32, sheet: &CoverSheet) -> String {
    match fewest_pages_for_spine_text(edition) {
        Some(fewest) if pages < fewest => {
            let printer = edition.name();
            format!(", without text: {printer} prints text on the spine from {fewest} pages")
        }
        _ if sheet.is_spine_thin() => ", with text if the title fits on it in type of 7 points".to_owned(),
        _ => String::new(),
    }
}

/// The lines about the barcode on the back of the cover.
fn barcode(isbn: &str, edition: Edition) -> String {
    const INDENT: &str = "               ";
    match (isbn, edition) {
        ("", Edition::Kdp) => format!("{INDENT}Amazon prints the barcode into the empty field on the back.\n"),
        ("", Edition::Home | Edition::Lulu) => String::new(),
        (isbn, Edition::Kdp) => format!(
            "{INDENT}The back has the barcode of the ISBN {isbn}. Under \"Print ISBN\", choose \"Use my own ISBN\" and enter it.\n\
             {INDENT}Under \"Book Cover\", state that the cover has a barcode.\n"
        ),
        (isbn, Edition::Home | Edition::Lulu) => {
            format!("{INDENT}The back has the barcode of the ISBN {isbn}. Enter it as your own ISBN.\n")
        }
    }
}

/// Inches with up to three decimals.
fn inches(micrometers: u32) -> String {
    let thousandths = (f64::from(micrometers) * 1000.0 / f64::from(INCH)).round();
    format!("{}", thousandths / 1000.0)
}

#[cfg(test)]
mod tests {
    use linepress_printers::{Edition, Paper, Size, cover_sheet};

    use super::{inches, spine_text};

    #[test]
    fn a_spine_without_text_is_explained() {
        let trim = Size {
            width: 215_900,
            height: 279_400,
        };
        for (pages, expected) in [
            (24, ", without text: Amazon KDP prints text on the spine from 79 pages"),
            (80, ", with text if the title fits on it in type of 7 points"),
            (120, ""),
        ] {
            let sheet = cover_sheet(Edition::Kdp, trim, pages, Paper::White).unwrap();
            assert_eq!(spine_text(Edition::Kdp, pages, &sheet), expected);
        }
    }

    #[test]
    fn inches_have_no_more_decimals_than_they_need() {
        assert_eq!(
            [215_900, 279_400, 1_430].map(inches),
            ["8.5".to_owned(), "11".to_owned(), "0.056".to_owned()]
        );
    }
}
