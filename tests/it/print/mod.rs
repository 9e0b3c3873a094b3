//! Printed books, and the process that prints them.
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linepress_imaging::prepare_drawing;
use linepress_model::{Aspect, Audience, FormatMargins, Leaf, PrintFormat};
use linepress_print::{PrintBook, PrintDrawing, PrintError, Purpose, RenderJob, RenderSettings, Renderer};
use linepress_printers::{Edition, Part};
use tempfile::TempDir;

use crate::test_app::binary;

mod bleed;
mod editions;
mod ornaments;
mod processes;
mod templates;

pub(crate) use editions::{has_its_fonts, is_sound, prints_with_black_alone};

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
        margins: FormatMargins::default(),
        recommended_width: aspect.recommended_pixels().0,
        recommended_height: aspect.recommended_pixels().1,
        template: format!("{id}.typ"),
    })
    .collect()
}

fn us_letter() -> PrintFormat {
    formats().swap_remove(2)
}

/// Returns the print master of a drawing: rings that fill the page.
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
        alternative_text: String::new(),
        master: master.clone(),
    };
    PrintBook {
        title: "Rings & Things".to_owned(),
        subtitle: "A coloring book".to_owned(),
        author: "Ada Lines".to_owned(),
        description: "Rings to color".to_owned(),
        audience: Audience::Child,
        language: "en".to_owned(),
        isbn: String::new(),
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
        font_folders: Vec::new(),
    })
}

/// Prints a book with a single template file.
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

/// Prints a book at home in this format; returns the file, which is in the folder.
async fn print_into(folder: &Path, format: &PrintFormat, book: &PrintBook) -> PathBuf {
    let templates = classic_templates();
    let job = RenderJob {
        templates: &templates,
        format,
        purpose: Purpose::default(),
        leaves: &leaves(u32::try_from(book.drawings.len()).unwrap()),
        book,
    };
    let file = folder.join("book.pdf");
    fs::write(&file, renderer().render(job).await.unwrap()).unwrap();
    file
}

/// Prints a book with this number of drawings in each format.
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
