//! Printed books, checked with the programs that printers use.
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linepress_imaging::{prepare_drawing, prepare_import};
use linepress_model::{Aspect, Audience};
use linepress_model::{Leaf, PrintFormat};
use linepress_print::{PrintBook, PrintDrawing, PrintError, Purpose, RenderJob, RenderSettings, Renderer};
use linepress_printers::{Edition, Part};
use tempfile::TempDir;

use crate::test_app::{binary, pictures};
use crate::tools::{output, tool};

fn classic_templates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates/classic")
}

fn formats() -> Vec<PrintFormat> {
    [
        ("square", Aspect::Square, 215_900, 215_900),
        ("small_square", Aspect::Square, 190_500, 190_500),
        ("us_letter", Aspect::Portrait, 215_900, 279_400),
        ("a4", Aspect::Portrait, 210_000, 297_000),
        ("us_letter_landscape", Aspect::Landscape, 279_400, 215_900),
        ("a4_landscape", Aspect::Landscape, 297_000, 210_000),
    ]
    .into_iter()
    .map(|(id, aspect, trim_width_um, trim_height_um)| PrintFormat {
        id: id.to_owned(),
        name: id.to_owned(),
        aspect,
        trim_width_um,
        trim_height_um,
        bleed_um: 0,
        recommended_width: aspect.recommended_pixels().0,
        recommended_height: aspect.recommended_pixels().1,
        template: format!("{id}.typ"),
    })
    .collect()
}

fn us_letter() -> PrintFormat {
    formats().swap_remove(2)
}

/// The master of a drawing: rings, as large as the page allows.
fn master(aspect: Aspect) -> bytes::Bytes {
    let (width, height) = aspect.recommended_pixels();
    let image = image::GrayImage::from_fn(width, height, |x, y| {
        let from_center = (f64::from(x) - f64::from(width) / 2.0).hypot(f64::from(y) - f64::from(height) / 2.0);
        image::Luma([if from_center % 90.0 < 6.0 { 0 } else { 255 }])
    });
    let mut png = std::io::Cursor::new(Vec::new());
    image
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("a small picture is written");
    prepare_drawing(png.get_ref(), aspect, Audience::Child)
        .expect("rings are a drawing")
        .master
        .into()
}

fn book(aspect: Aspect, drawings: usize) -> PrintBook {
    let master = master(aspect);
    let drawing = |index: usize| PrintDrawing {
        title: format!("Rings {index}"),
        caption: if index == 1 {
            String::new()
        } else {
            "Round and round".to_owned()
        },
        master: master.clone(),
    };
    PrintBook {
        title: "Rings & Things".to_owned(),
        subtitle: "A coloring book".to_owned(),
        author: "Ada Lines".to_owned(),
        description: "Rings to color".to_owned(),
        audience: Audience::Child,
        language: "en".to_owned(),
        cover: Some(master.clone()),
        drawings: (0..drawings).map(drawing).collect(),
    }
}

fn leaves(drawings: u32) -> Vec<Leaf> {
    let leaf = |kind: &str, drawing| Leaf {
        kind: kind.to_owned(),
        drawing,
        extra: Vec::new(),
    };
    let fronts = [leaf("title", None), leaf("belongs-to", None)]
        .into_iter()
        .chain((0..drawings).map(|index| leaf("drawing", Some(index))))
        .chain([leaf("colophon", None)]);
    fronts.flat_map(|front| [front, leaf("blank", None)]).collect()
}

fn renderer() -> Renderer {
    renderer_with(Duration::from_secs(60), 4 << 30)
}

fn renderer_with(timeout: Duration, memory_limit_bytes: u64) -> Renderer {
    Renderer::new(RenderSettings {
        program: binary(),
        timeout,
        memory_limit_bytes,
        max_concurrent: 1,
    })
}

/// Prints a book with a template of the test's own.
async fn print_with(renderer: &Renderer, template: &str) -> Result<Vec<u8>, PrintError> {
    let folder = folder_with(template);
    print_from(renderer, folder.path()).await
}

fn folder_with(template: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    fs::write(folder.path().join("us_letter.typ"), template).expect("the template is written");
    fs::create_dir(folder.path().join("fonts")).expect("a folder for fonts");
    let font = "fonts/Nunito-Regular.ttf";
    fs::copy(classic_templates().join(font), folder.path().join(font)).expect("a font is copied");
    folder
}

async fn print_from(renderer: &Renderer, templates: &Path) -> Result<Vec<u8>, PrintError> {
    let (format, leaves, book) = (us_letter(), leaves(1), book(Aspect::Portrait, 1));
    renderer
        .render(RenderJob {
            templates,
            format: &format,
            purpose: Purpose::default(),
            leaves: &leaves,
            book: &book,
        })
        .await
}

/// Each format, printed with so many drawings.
pub(crate) async fn printed(edition: Edition, part: Part, drawings: u32) -> Vec<(PrintFormat, Vec<u8>)> {
    let (renderer, templates) = (renderer(), classic_templates());
    let mut printed = Vec::new();
    for format in formats() {
        let (book, leaves) = (book(format.aspect, drawings as usize), leaves(drawings));
        let job = RenderJob {
            templates: &templates,
            format: &format,
            purpose: Purpose {
                edition,
                part,
                ..Purpose::default()
            },
            leaves: &leaves,
            book: &book,
        };
        let pdf = renderer.render(job).await.unwrap();
        printed.push((format, pdf));
    }
    printed
}

#[tokio::test]
async fn every_format_satisfies_the_printers() {
    let folder = tempfile::tempdir().unwrap();
    for format in formats() {
        let (book, leaves) = (book(format.aspect, 2), leaves(2));
        let templates = classic_templates();
        let job = RenderJob {
            templates: &templates,
            format: &format,
            purpose: Purpose::default(),
            leaves: &leaves,
            book: &book,
        };
        let pdf = renderer().render(job).await.unwrap();
        let file = folder.path().join("book.pdf");
        fs::write(&file, pdf).unwrap();
        is_sound(&file);
        has_its_fonts(&file);
        has_its_boxes(&file, &format, leaves.len());
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
    let (templates, format, leaves) = (classic_templates(), us_letter(), leaves(1));
    let job = RenderJob {
        templates: &templates,
        format: &format,
        purpose: Purpose::default(),
        leaves: &leaves,
        book: &book,
    };
    let pdf = renderer().render(job).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("book.pdf");
    fs::write(&file, pdf).unwrap();
    is_sound(&file);
    prints_with_black_alone(&file, 4);
    let Some(pdfimages) = tool("pdfimages") else { return };
    let text = output(&pdfimages, &["-list"], &file);
    let kinds: Vec<Vec<&str>> = text
        .lines()
        .map(|image| image.split_whitespace().collect::<Vec<_>>())
        .filter(|columns| columns.contains(&"jpeg"))
        .map(|columns| columns[3..9].to_vec())
        .collect();
    assert_eq!(kinds, [["1500", "2000", "gray", "1", "8", "jpeg"]], "{text}");
}

pub(crate) fn is_sound(file: &Path) {
    let Some(qpdf) = tool("qpdf") else { return };
    let text = output(&qpdf, &["--check"], file);
    assert!(text.contains("No syntax or stream encoding errors found"), "{text}");
}

pub(crate) fn has_its_fonts(file: &Path) {
    let Some(pdffonts) = tool("pdffonts") else {
        return;
    };
    let text = output(&pdffonts, &[], file);
    let fonts: Vec<&str> = text.lines().skip(2).collect();
    assert!(!fonts.is_empty());
    for font in fonts {
        let columns: Vec<&str> = font.split_whitespace().rev().collect();
        assert_eq!(columns[4], "yes", "embedded: {font}");
    }
}

fn has_its_boxes(file: &Path, format: &PrintFormat, pages: usize) {
    let Some(pdfinfo) = tool("pdfinfo") else {
        return;
    };
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
    let Some(gs) = tool("gs") else { return };
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
    let Some(pdfimages) = tool("pdfimages") else {
        return;
    };
    let text = output(&pdfimages, &["-list"], file);
    for image in text.lines().skip(2) {
        let columns: Vec<&str> = image.split_whitespace().collect();
        assert_eq!(columns[7..9], ["1", "ccitt"], "{image}");
        let resolution: f64 = columns[12].parse().unwrap();
        assert!(resolution >= 600.0, "{image}");
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
    let Some(pdftotext) = tool("pdftotext") else { return };
    let title = "#read(\"a\") $x$ *b* \\ @c <d> ]";
    let (format, leaves) = (us_letter(), leaves(1));
    let book = PrintBook {
        title: title.to_owned(),
        ..book(Aspect::Portrait, 1)
    };
    let templates = classic_templates();
    let job = RenderJob {
        templates: &templates,
        format: &format,
        purpose: Purpose::default(),
        leaves: &leaves,
        book: &book,
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("book.pdf");
    fs::write(&file, renderer().render(job).await.unwrap()).unwrap();
    // The text of the colophon, which is the seventh page, is written beside the PDF.
    output(&pdftotext, &["-f", "7", "-l", "7", "-layout"], &file);
    let text = fs::read_to_string(file.with_extension("txt")).unwrap();
    assert!(text.contains(title), "{text}");
}

#[tokio::test]
async fn a_mistake_in_a_template_names_its_place() {
    let error = print_with(&renderer(), "#let a = 1\n#unknown-function()")
        .await
        .unwrap_err();
    let PrintError::Template { template, diagnostics } = error else {
        panic!("{error}")
    };
    assert_eq!(template, "us_letter.typ");
    assert!(
        diagnostics.starts_with("us_letter.typ:2:2: unknown variable"),
        "{diagnostics}"
    );
}

#[tokio::test]
async fn a_missing_font_stops_the_book() {
    let error = print_with(&renderer(), "#set text(font: \"Nowhere Sans\")\nHello")
        .await
        .unwrap_err();
    assert!(
        matches!(&error, PrintError::Template { diagnostics, .. } if diagnostics.contains("nowhere sans")),
        "{error}"
    );
}

#[tokio::test]
async fn a_template_reaches_nothing_but_its_folder_and_the_book() {
    let renderer = renderer();
    for reach in [
        "#read(\"/etc/hostname\")",
        "#read(\"../secret\")",
        "#import \"@preview/cetz:0.3.1\"",
        "#datetime.today()",
        "#image(\"drawings/002.pdf\")",
    ] {
        let error = print_with(&renderer, reach).await.unwrap_err();
        assert!(matches!(error, PrintError::Template { .. }), "{reach}: {error}");
    }
    assert!(print_with(&renderer, "#image(\"drawings/001.pdf\")").await.is_ok());
}

const ENDLESS: &str = "#let n = 0\n#for a in range(1000000) { for b in range(1000000) { n += a * b } }";

/// The processes of a program, as Linux describes them.
#[cfg(target_os = "linux")]
fn processes_of(program: &Path) -> Vec<String> {
    let folders = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let own = folders.filter(|folder| {
        let line = fs::read_to_string(folder.join("cmdline")).unwrap_or_default();
        line.split('\0').next().is_some_and(|name| Path::new(name) == program)
    });
    own.filter_map(|folder| fs::read_to_string(folder.join("status")).ok())
        .collect()
}

/// What confining takes away is tested where it is done; here, that it is done before a template runs.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_template_runs_in_a_process_that_has_confined_itself() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("linepress");
    std::os::unix::fs::symlink(binary(), &program).unwrap();
    let renderer = Renderer::new(RenderSettings {
        program: program.clone(),
        timeout: Duration::from_secs(10),
        memory_limit_bytes: 4 << 30,
        max_concurrent: 1,
    });
    let confined = async {
        // Only a process that can gain no rights may give some up.
        while !processes_of(&program)
            .iter()
            .any(|status| status.contains("NoNewPrivs:\t1"))
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        ended = print_with(&renderer, ENDLESS) => panic!("no process confined itself: {:?}", ended.map(drop)),
        () = confined => {}
    }
}

#[tokio::test]
async fn a_template_runs_no_webassembly() {
    let folder = folder_with("");
    fs::write(folder.path().join("a.wasm"), b"\0asm\x01\0\0\0").unwrap();
    for (template, message) in [
        ("#plugin(\"a.wasm\")", "us_letter.typ:1:2: unknown variable: plugin"),
        (
            "#std.plugin(\"a.wasm\")",
            "us_letter.typ:1:6: module `global` does not contain `plugin`",
        ),
    ] {
        fs::write(folder.path().join("us_letter.typ"), template).unwrap();
        let error = print_from(&renderer(), folder.path()).await.unwrap_err();
        assert!(
            matches!(&error, PrintError::Template { diagnostics, .. } if diagnostics.starts_with(message)),
            "{template}: {error}"
        );
    }
}

#[tokio::test]
async fn a_template_folder_with_too_much_in_it_stops_the_book() {
    let folder = folder_with("Hello");
    let large = fs::File::create(folder.path().join("large.png")).unwrap();
    large.set_len(20 << 30).unwrap();
    let error = print_from(&renderer(), folder.path()).await.unwrap_err();
    assert!(matches!(error, PrintError::Templates(_)), "{error}");
    assert!(
        error
            .to_string()
            .contains("large.png has 21474836480 bytes, and at most 67108864 are read"),
        "{error}"
    );
}

#[tokio::test]
async fn a_template_without_end_is_stopped() {
    let renderer = renderer_with(Duration::from_millis(1500), 4 << 30);
    let error = print_with(&renderer, ENDLESS).await.unwrap_err();
    // Whichever limit strikes first: the parent's patience or the child's own processor time.
    assert!(
        matches!(error, PrintError::TimedOut(_) | PrintError::Crashed { .. }),
        "{error}"
    );
    // The permit is free again.
    assert!(print_with(&renderer, "Hello").await.is_ok());
}

#[tokio::test]
async fn a_process_that_stays_prints_each_book_as_a_new_one_would() {
    let staying = renderer();
    let templates = classic_templates();
    let books = [
        ("us_letter", book(Aspect::Portrait, 3)),
        ("a4", book(Aspect::Portrait, 1)),
        (
            "us_letter",
            PrintBook {
                title: "Another".to_owned(),
                cover: None,
                language: "de".to_owned(),
                ..book(Aspect::Portrait, 2)
            },
        ),
        ("us_letter", book(Aspect::Portrait, 3)),
    ];
    for (id, book) in &books {
        let format = formats().into_iter().find(|format| format.id == *id).unwrap();
        let leaves = leaves(u32::try_from(book.drawings.len()).unwrap());
        let job = RenderJob {
            templates: &templates,
            format: &format,
            purpose: Purpose::default(),
            leaves: &leaves,
            book,
        };
        let again = staying.render(job).await.unwrap();
        let alone = renderer().render(job).await.unwrap();
        assert!(again == alone, "{}", book.title);
    }
}

#[tokio::test]
async fn templates_that_change_print_the_next_book() {
    let Some(pdftotext) = tool("pdftotext") else { return };
    let renderer = renderer();
    let folder = folder_with("#set text(font: \"Nunito\")\nHello");
    for word in ["Hello", "Goodbye"] {
        let template = format!("#set text(font: \"Nunito\")\n{word}");
        fs::write(folder.path().join("us_letter.typ"), template).unwrap();
        let file = folder.path().join("book.pdf");
        let pdf = print_from(&renderer, folder.path()).await.unwrap();
        fs::write(&file, pdf).unwrap();
        output(&pdftotext, &[], &file);
        let text = fs::read_to_string(file.with_extension("txt")).unwrap();
        assert!(text.contains(word), "{text}");
        fs::remove_file(&file).unwrap();
        fs::remove_file(file.with_extension("txt")).unwrap();
    }
}

#[tokio::test]
async fn after_a_failure_the_next_book_has_a_process_of_its_own() {
    let renderer = renderer();
    let folder = folder_with("Hello");
    assert!(print_from(&renderer, folder.path()).await.is_ok());
    for broken in ["#unknown-function()", "#range(1000000000).len()"] {
        fs::write(folder.path().join("us_letter.typ"), broken).unwrap();
        assert!(print_from(&renderer, folder.path()).await.is_err());
        fs::write(folder.path().join("us_letter.typ"), "Hello").unwrap();
        assert!(print_from(&renderer, folder.path()).await.is_ok());
    }
}

#[tokio::test]
async fn a_greedy_template_takes_down_only_itself() {
    let renderer = renderer_with(Duration::from_secs(30), 1 << 30);
    let greedy = "#range(1000000000).len()";
    let error = print_with(&renderer, greedy).await.unwrap_err();
    assert!(matches!(error, PrintError::Crashed { .. }), "{error}");
}
