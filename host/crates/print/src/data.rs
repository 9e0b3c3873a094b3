//! `data.json`, the file that the templates read. Every text in it is plain data, never markup.
use std::collections::BTreeMap;

use linepress_model::{Leaf, master_catalog};
use linepress_printers::{Backs, Direction, Edition, Part, Side};
use lopdf::{Document, Object};
use serde::Serialize;

use crate::measures::{Format, Sheet};
use crate::{PrintError, RenderJob};

/// The path of the data file inside the world of a template.
pub(crate) const DATA: &str = "data.json";

/// The path of the cover's artwork inside the world of a template.
pub const COVER: &str = "cover.pdf";

/// The folder of the files of the barcode inside the world in which it is drawn. A layout cannot replace them.
pub(crate) const BARCODE_FOLDER: &str = "barcode/";

/// The path of a drawing's artwork inside the world of a template: `drawings/001.pdf` for index 0.
///
/// The names are the same for every book, because Typst never frees a path that it has seen.
pub fn drawing_path(index: usize) -> String {
    format!("drawings/{:03}.pdf", index + 1)
}

#[derive(Serialize)]
struct Data<'a> {
    book: Book<'a>,
    edition: Edition,
    backs: Backs,
    part: Part,
    formats: BTreeMap<&'a str, Format>,
    cover: Option<Artwork<'a>>,
    drawings: Vec<Artwork<'a>>,
    leaves: Vec<PrintedLeaf<'a>>,
    /// The sheet of the wraparound cover, only when that part is printed.
    sheet: Option<Sheet>,
}

#[derive(Serialize)]
struct Book<'a> {
    title: &'a str,
    subtitle: &'a str,
    author: &'a str,
    description: &'a str,
    audience: &'static str,
    language: &'a str,
}

/// A piece of artwork with its shape. Only a drawing has a caption.
#[derive(Serialize)]
struct Artwork<'a> {
    title: &'a str,
    caption: &'a str,
    /// The alternative text for readers who cannot see the picture.
    alt: String,
    file: String,
    /// In pixels, like `height`.
    width: u32,
    height: u32,
    /// The page of the file, where it is not the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    /// The color of the cover around its picture, only for a cover that is printed in color.
    #[serde(skip_serializing_if = "Option::is_none")]
    ground: Option<String>,
    /// True where the picture fills the front under the title, only for a cover that is printed in color.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fills_front: bool,
}

#[derive(Serialize)]
struct PrintedLeaf<'a> {
    kind: &'a str,
    side: Side,
    drawing: Option<u32>,
    extra: BTreeMap<&'a str, &'a str>,
}

/// Serializes the data that the templates read for this job.
pub(crate) fn data_json(job: &RenderJob<'_>) -> Result<Vec<u8>, PrintError> {
    let (book, format) = (job.book, job.format);
    check_leaves(job.leaves, book.drawings.len())?;
    let artwork = |title, caption, description, file| Artwork {
        title,
        caption,
        alt: alternative_text(title, caption, description),
        file,
        width: format.recommended_width,
        height: format.recommended_height,
        page: None,
        ground: None,
        fills_front: false,
    };
    // The interior of a printing service is printed with black alone.
    let in_color = job.purpose.part == Part::Cover || job.purpose.edition == Edition::Home;
    let cover = book.cover.as_ref().map(|master| {
        let plain = artwork(&book.title, "", "", COVER.to_owned());
        match colors_of(master) {
            None => plain,
            Some(_) if !in_color => Artwork {
                page: Some(GRAY_PAGE),
                ..plain
            },
            Some(CoverColors { ground, fills_front }) => Artwork {
                ground: Some(ground),
                fills_front,
                ..plain
            },
        }
    });
    let data = Data {
        book: Book {
            title: &book.title,
            subtitle: &book.subtitle,
            author: &book.author,
            description: &book.description,
            audience: book.audience.as_str(),
            language: &book.language,
        },
        edition: job.purpose.edition,
        backs: job.purpose.backs,
        part: job.purpose.part,
        formats: BTreeMap::from([(format.id.as_str(), Format::of(job))]),
        cover,
        drawings: (book.drawings.iter().enumerate())
            .map(|(index, drawing)| {
                let file = drawing_path(index);
                artwork(&drawing.title, &drawing.caption, &drawing.alternative_text, file)
            })
            .collect(),
        leaves: job
            .leaves
            .iter()
            .enumerate()
            .map(|(index, leaf)| printed(index, leaf, job.direction()))
            .collect(),
        sheet: job.sheet().map(|sheet| Sheet::of(&sheet, job.pages())),
    };
    Ok(serde_json::to_vec(&data).expect("texts and numbers always serialize"))
}

/// The page of a print master in color that holds the picture in gray.
const GRAY_PAGE: u32 = 2;

/// The properties of a cover in color.
struct CoverColors {
    /// The color of the cover around its picture, as `#rrggbb`.
    ground: String,
    /// True where the picture was drawn for the cover; a customer's own picture is printed whole, next to the title.
    fills_front: bool,
}

/// Reads the properties of a cover in color from its print master; `None` for line art.
fn colors_of(master: &[u8]) -> Option<CoverColors> {
    // Most masters are line art, and parsing them all would take time.
    let key = master_catalog::GROUND.as_bytes();
    master.windows(key.len()).any(|window| window == key).then_some(())?;
    let document = Document::load_mem(master).ok()?;
    let catalog = document.catalog().ok()?;
    let values = catalog.get(key).and_then(Object::as_array).ok()?;
    let value = |index: usize| u8::try_from(values.get(index)?.as_i64().ok()?).ok();
    let (red, green, blue) = (value(0)?, value(1)?, value(2)?);
    Some(CoverColors {
        ground: format!("#{red:02x}{green:02x}{blue:02x}"),
        fills_front: catalog
            .get(master_catalog::FILLS_FRONT.as_bytes())
            .and_then(Object::as_bool)
            .unwrap_or(false),
    })
}

/// Fails when there are no leaves, or when a leaf names a drawing that the book does not have.
fn check_leaves(leaves: &[Leaf], count: usize) -> Result<(), PrintError> {
    if leaves.is_empty() {
        return Err(PrintError::NoLeaves);
    }
    match leaves
        .iter()
        .filter_map(|leaf| leaf.drawing)
        .find(|&index| index as usize >= count)
    {
        Some(index) => Err(PrintError::NoSuchDrawing { index, count }),
        None => Ok(()),
    }
}

fn printed(index: usize, leaf: &Leaf, direction: Direction) -> PrintedLeaf<'_> {
    PrintedLeaf {
        kind: &leaf.kind,
        side: Side::of(index, direction),
        drawing: leaf.drawing,
        extra: leaf
            .extra
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect(),
    }
}

/// The alternative text of a drawing: the description of its picture, or its texts without one.
fn alternative_text(title: &str, caption: &str, description: &str) -> String {
    match (description, caption) {
        ("", "") => title.to_owned(),
        ("", caption) => format!("{title}: {caption}"),
        (description, _) => description.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use linepress_model::{Aspect, Audience, FormatMargins, PrintFormat};
    use serde_json::Value;

    use super::*;
    use crate::{PrintBook, Purpose};

    #[test]
    fn a_description_takes_the_place_of_the_texts() {
        assert_eq!(alternative_text("Fox", "", ""), "Fox");
        assert_eq!(alternative_text("Fox", "Brr!", ""), "Fox: Brr!");
        assert_eq!(
            alternative_text("Fox", "Brr!", "A fox in the snow."),
            "A fox in the snow."
        );
    }

    /// The formats of a sample, read back from its `data.json`, the only file that has their sizes.
    fn formats(sample: &Value) -> Vec<PrintFormat> {
        let micrometers = |length: &Value| (length.as_f64().unwrap() * 1000.0).round() as u32;
        let formats = sample["formats"].as_object().unwrap().iter();
        formats
            .map(|(id, format)| PrintFormat {
                id: id.clone(),
                name: format["name"].as_str().unwrap().to_owned(),
                aspect: Aspect::Portrait,
                trim_width_um: micrometers(&format["width"]),
                trim_height_um: micrometers(&format["height"]),
                bleed_um: 0,
                margins: FormatMargins::default(),
                recommended_width: 1152,
                recommended_height: 1536,
                template: format!("{id}.typ"),
            })
            .collect()
    }

    /// A designer without a server works with the same geometry that the server would pass to the templates.
    #[test]
    fn the_sample_data_has_the_geometry_of_the_server() {
        for layout in ["classic", "print-on-demand", "storybook"] {
            let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../templates");
            let sample = std::fs::read(templates.join(layout).join("data.json")).unwrap();
            let sample: Value = serde_json::from_slice(&sample).unwrap();
            assert_eq!(formats(&sample).len(), 6);
            let leaf = Leaf {
                kind: "blank".into(),
                drawing: None,
                extra: Vec::new(),
            };
            let book = PrintBook {
                title: String::new(),
                subtitle: String::new(),
                author: String::new(),
                description: String::new(),
                audience: Audience::default(),
                language: "en".into(),
                isbn: String::new(),
                cover: None,
                drawings: Vec::new(),
            };
            let mut covers = 0;
            for format in formats(&sample) {
                let leaves = |count: usize| vec![leaf.clone(); count];
                let (inside, all) = (
                    leaves(sample["leaves"].as_array().unwrap().len()),
                    leaves(sample["sheet"]["pages"].as_u64().unwrap() as usize),
                );
                let job = RenderJob {
                    templates: Path::new(""),
                    format: &format,
                    purpose: Purpose::default(),
                    leaves: &inside,
                    book: &book,
                };
                let expected = serde_json::to_value(Format::of(&job)).unwrap();
                assert_eq!(sample["formats"][&format.id], expected, "{}: {expected}", format.id);
                let cover = RenderJob {
                    purpose: Purpose {
                        edition: Edition::Kdp,
                        backs: Backs::Blank,
                        part: Part::Cover,
                    },
                    leaves: &all,
                    ..job
                };
                let sheet = Sheet::of(&cover.sheet().unwrap(), cover.pages());
                covers += usize::from(serde_json::to_value(sheet).unwrap() == sample["sheet"]);
            }
            assert!(covers > 0, "the sheet of {layout} matches none of its formats");
        }
    }

    #[test]
    fn a_leaf_may_only_name_a_drawing_that_exists() {
        let leaf = |drawing| Leaf {
            kind: "drawing".into(),
            drawing,
            extra: Vec::new(),
        };
        assert!(check_leaves(&[leaf(None), leaf(Some(2))], 3).is_ok());
        assert!(matches!(
            check_leaves(&[leaf(Some(3))], 3),
            Err(PrintError::NoSuchDrawing { index: 3, count: 3 })
        ));
        assert!(matches!(check_leaves(&[], 3), Err(PrintError::NoLeaves)));
    }

    #[test]
    fn drawings_are_numbered_from_one() {
        assert_eq!(
            (drawing_path(0), drawing_path(99)),
            ("drawings/001.pdf".into(), "drawings/100.pdf".into())
        );
    }
}
