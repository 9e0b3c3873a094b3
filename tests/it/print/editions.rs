//! Every format, checked with the programs that printers use.
use std::fs;
use std::path::Path;

use linepress_imaging::{prepare_color_drawing, prepare_color_import, prepare_import};
use linepress_model::{Aspect, PrintFormat};
use linepress_print::{PrintBook, Purpose, RenderJob};
use linepress_printers::{Edition, Part};

use super::{book, classic_templates, formats, leaves, print_from, print_into, renderer, us_letter};
use crate::test_app::{from_environment, pictures};
use crate::tools::{output, tool};

#[tokio::test]
async fn every_format_satisfies_the_requirements_of_printers() {
    let folder = tempfile::tempdir().unwrap();
    for format in formats() {
        let file = print_into(folder.path(), &format, &book(format.aspect, 2)).await;
        is_sound(&file);
        has_its_fonts(&file);
        has_its_boxes(&file, &format, leaves(2).len());
        // Every front is printed and every back is blank.
        prints_with_black_alone(&file, 5);
        keeps_the_masters(&file);
    }
}

#[tokio::test]
async fn a_photograph_keeps_its_tones_and_is_printed_with_black_alone() {
    let (photograph, _) = prepare_import(&pictures::photograph(1500, 2000), Some(Aspect::Portrait)).unwrap();
    let mut book = book(Aspect::Portrait, 1);
    book.drawings[0].master = photograph.master.into();
    let folder = tempfile::tempdir().unwrap();
    let file = print_into(folder.path(), &us_letter(), &book).await;
    is_sound(&file);
    prints_with_black_alone(&file, 4);
    let images = images(&file);
    let kinds: Vec<&[String]> = images
        .iter()
        .filter(|columns| columns[8] == "jpeg")
        .map(|columns| &columns[3..9])
        .collect();
    assert_eq!(kinds, [["1500", "2000", "gray", "1", "8", "jpeg"]], "{images:?}");
}

/// The columns of `pdfimages -list` for each image of the file.
fn images(file: &Path) -> Vec<Vec<String>> {
    let text = output(&tool("pdfimages"), &["-list"], file);
    let columns = |image: &str| image.split_whitespace().map(str::to_owned).collect();
    text.lines().skip(2).map(columns).collect()
}

/// A picture in color: a red disc on blue.
fn color_picture() -> Vec<u8> {
    let picture = image::RgbImage::from_fn(1152, 1536, |x, y| {
        let inside = (f64::from(x) - 576.0).hypot(f64::from(y) - 768.0) < 300.0;
        image::Rgb(if inside { [220, 30, 40] } else { [30, 90, 200] })
    });
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

/// The pixels of the picture in color in a file with one page, and their number per inch.
fn placed(file: &Path) -> [String; 3] {
    let images = images(file);
    let in_color: Vec<_> = images.iter().filter(|columns| columns[5] == "rgb").collect();
    assert_eq!(in_color.len(), 1, "{images:?}");
    [3, 4, 12].map(|column| in_color[0][column].clone())
}

/// The shares of cyan, magenta, yellow and black on each page.
fn inks(file: &Path) -> Vec<[f64; 4]> {
    let text = output(&tool("gs"), &["-q", "-o", "-", "-sDEVICE=inkcov"], file);
    let page = |line: &str| {
        let mut inks = line.split_whitespace().map(|ink| ink.parse().unwrap());
        std::array::from_fn(|_| inks.next().unwrap())
    };
    text.lines().map(page).collect()
}

#[tokio::test]
async fn a_cover_in_color_is_printed_in_color_and_every_interior_of_a_printer_with_black_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut book = book(Aspect::Portrait, 16);
    let drawn = prepare_color_drawing(&color_picture(), Aspect::Portrait).unwrap();
    book.cover = Some(drawn.master.into());
    let leaves = leaves(16);
    for layout in ["classic", "storybook", "print-on-demand"] {
        // The built folders: the sources of some layouts link to fonts of others.
        let plugins = from_environment("LINEPRESS_TEST_PLUGINS");
        let templates = plugins.join(format!("linepress.{layout}")).join("templates");
        let format = match layout {
            "classic" => us_letter(),
            layout => {
                let prefix = if layout == "storybook" { "storybook" } else { "pod" };
                PrintFormat {
                    id: format!("{prefix}_letter"),
                    template: format!("{prefix}_letter.typ"),
                    ..us_letter()
                }
            }
        };
        for (edition, part) in [
            (Edition::Home, Part::Book),
            (Edition::Kdp, Part::Interior),
            (Edition::Lulu, Part::Interior),
            (Edition::Kdp, Part::Cover),
            (Edition::Lulu, Part::Cover),
        ] {
            if layout != "classic" && part != Part::Cover {
                // Their leaves come from their own components.
                continue;
            }
            let purpose = Purpose {
                edition,
                part,
                ..Purpose::default()
            };
            let job = RenderJob {
                templates: &templates,
                format: &format,
                purpose,
                leaves: &leaves,
                book: &book,
            };
            let pdf = renderer().render(job).await.unwrap();
            let file = folder.path().join("book.pdf");
            fs::write(&file, pdf).unwrap();
            is_sound(&file);
            let inks = inks(&file);
            let colored: Vec<bool> = inks.iter().map(|page| page[..3] != [0.0; 3]).collect();
            let front = edition == Edition::Home || part == Part::Cover;
            assert_eq!(colored[0], front, "{layout} {purpose:?}: {inks:?}");
            assert!(!colored[1..].contains(&true), "{layout} {purpose:?}: {inks:?}");
            assert!(inks[0][3] > 0.0 || front, "the title page has a picture: {inks:?}");
            if part == Part::Cover {
                // The ground and the picture cover the sheet up to its bleed.
                assert!(inks[0][0] > 0.4, "{layout} {purpose:?}: {inks:?}");
                // The picture is 8.625 inches wide: the front from its fold to the end of its bleed.
                assert_eq!(placed(&file), ["2700", "3600", "313"], "{layout} {purpose:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_customers_own_cover_in_color_is_printed_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut book = book(Aspect::Portrait, 16);
    let (own, _) = prepare_color_import(&color_picture(), Some(Aspect::Portrait)).unwrap();
    book.cover = Some(own.master.into());
    let (templates, format, leaves) = (classic_templates(), us_letter(), leaves(16));
    let job = RenderJob {
        templates: &templates,
        format: &format,
        purpose: Purpose {
            edition: Edition::Kdp,
            part: Part::Cover,
            ..Purpose::default()
        },
        leaves: &leaves,
        book: &book,
    };
    let file = folder.path().join("cover.pdf");
    fs::write(&file, renderer().render(job).await.unwrap()).unwrap();
    let [width, height, per_inch] = placed(&file);
    assert_eq!([width, height], ["2400", "3200"]);
    // It lies between the title and the author, less than 7 inches wide.
    assert!(per_inch.parse::<u32>().unwrap() > 343, "{per_inch}");
}

pub(crate) fn is_sound(file: &Path) {
    let qpdf = tool("qpdf");
    let text = output(&qpdf, &["--check"], file);
    assert!(text.contains("No syntax or stream encoding errors found"), "{text}");
}

pub(crate) fn has_its_fonts(file: &Path) {
    let pdffonts = tool("pdffonts");
    let text = output(&pdffonts, &[], file);
    let fonts: Vec<&str> = text.lines().skip(2).collect();
    assert!(!fonts.is_empty());
    for font in fonts {
        let columns: Vec<&str> = font.split_whitespace().rev().collect();
        assert_eq!(columns[4], "yes", "embedded: {font}");
    }
}

fn has_its_boxes(file: &Path, format: &PrintFormat, pages: usize) {
    let pdfinfo = tool("pdfinfo");
    let text = output(&pdfinfo, &["-box"], file);
    let field = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("{name} in {text}"));
        line[name.len() + 1..].trim().to_owned()
    };
    assert_eq!(field("Pages"), pages.to_string());
    assert_eq!(
        (field("Title"), field("Author")),
        ("Rings & Things".to_owned(), "Ada Lines".to_owned())
    );
    assert!(!text.contains("CreationDate"), "{text}");
    let points = |micrometers: u32| f64::from(micrometers) / 25_400.0 * 72.0;
    for name in ["MediaBox", "CropBox", "BleedBox", "TrimBox"] {
        let corners = field(name);
        let corners: Vec<f64> = corners
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        let expected = [0.0, 0.0, points(format.trim_width_um), points(format.trim_height_um)];
        for (found, expected) in corners.iter().zip(expected) {
            assert!((found - expected).abs() < 0.01, "{name} of {}: {corners:?}", format.id);
        }
    }
}

pub(crate) fn prints_with_black_alone(file: &Path, pages: usize) {
    let gs = tool("gs");
    let text = output(&gs, &["-q", "-o", "-", "-sDEVICE=inkcov"], file);
    let mut black_pages = 0;
    for line in text.lines() {
        let inks: Vec<f64> = line
            .split_whitespace()
            .take(4)
            .map(|ink| ink.parse().unwrap())
            .collect();
        assert_eq!(inks[..3], [0.0, 0.0, 0.0], "{line}");
        black_pages += usize::from(inks[3] > 0.0);
    }
    assert_eq!(black_pages, pages);
}

fn keeps_the_masters(file: &Path) {
    for image in images(file) {
        assert_eq!(image[7..9], ["1", "ccitt"], "{image:?}");
        let resolution: f64 = image[12].parse().unwrap();
        assert!(resolution >= 600.0, "{image:?}");
    }
}

#[tokio::test]
async fn the_same_book_gives_the_same_bytes() {
    let renderer = renderer();
    let once = print_from(&renderer, &classic_templates()).await.unwrap();
    assert_eq!(once, print_from(&renderer, &classic_templates()).await.unwrap());
}

#[tokio::test]
async fn titles_are_text_and_never_markup() {
    let pdftotext = tool("pdftotext");
    let title = "#read(\"a\") $x$ *b* \\ @c <d> ]";
    let book = PrintBook {
        title: title.to_owned(),
        ..book(Aspect::Portrait, 1)
    };
    let folder = tempfile::tempdir().unwrap();
    let file = print_into(folder.path(), &us_letter(), &book).await;
    // The text of the colophon, on page seven, is written to a file next to the PDF.
    output(&pdftotext, &["-f", "7", "-l", "7", "-layout"], &file);
    let text = fs::read_to_string(file.with_extension("txt")).unwrap();
    assert!(text.contains(title), "{text}");
}

#[tokio::test]
async fn the_lines_of_a_title_end_after_a_colon_and_before_the_number_of_a_volume() {
    let pdftotext = tool("pdftotext");
    let folder = tempfile::tempdir().unwrap();
    for (title, ends) in [
        ("Forest Friends: Tea Time, Volume 2", ["Friends:", "Volume 2"]),
        ("Woodland Friends, Volume 12", ["Friends,", "Volume 12"]),
    ] {
        let book = PrintBook {
            title: title.to_owned(),
            ..book(Aspect::Portrait, 1)
        };
        let file = print_into(folder.path(), &us_letter(), &book).await;
        output(&pdftotext, &["-f", "1", "-l", "1", "-layout"], &file);
        // The space of "Volume 2" does not break.
        let text = fs::read_to_string(file.with_extension("txt"))
            .unwrap()
            .replace('\u{a0}', " ");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for end in ends {
            assert!(
                lines.iter().any(|line| line.ends_with(end)),
                "{end} ends no line: {text}"
            );
        }
        assert!(!lines.iter().any(|line| line.ends_with("Volume")), "{text}");
    }
}
