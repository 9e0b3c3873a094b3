//! Sample books, which designers look at and templates are tested with.
use bytes::Bytes;
use linepress_model::{Aspect, Audience, PrintFormat};
use linepress_plugin_host::{LaidOut, Layout};
use linepress_print::{PrintBook, PrintDrawing, Purpose};

use super::making::lay_out_reporting;
use super::{Manuscript, ManuscriptDrawing, OfferedFormat};
use linepress_platform::error::Result;

/// A sample book of one aspect, with its artwork.
#[derive(Clone, Debug)]
pub struct SampleBook {
    /// The name of the property that it tests.
    pub name: &'static str,
    pub aspect: Aspect,
    pub book: PrintBook,
}

/// Print masters of one aspect: a cover and drawings.
struct Artwork {
    cover: &'static [u8],
    drawings: [&'static [u8]; 3],
}

macro_rules! artwork {
    ($folder:literal) => {
        Artwork {
            cover: include_bytes!(concat!("../../../../../templates/", $folder, "/cover.pdf")),
            drawings: [
                include_bytes!(concat!("../../../../../templates/", $folder, "/drawings/001.pdf")),
                include_bytes!(concat!("../../../../../templates/", $folder, "/drawings/002.pdf")),
                include_bytes!(concat!("../../../../../templates/", $folder, "/drawings/003.pdf")),
            ],
        }
    };
}

static PORTRAIT: Artwork = artwork!("classic");
static SQUARE: Artwork = artwork!("samples/square");
static LANDSCAPE: Artwork = artwork!("samples/landscape");

fn artwork(aspect: Aspect) -> &'static Artwork {
    match aspect {
        Aspect::Portrait => &PORTRAIT,
        Aspect::Square => &SQUARE,
        Aspect::Landscape => &LANDSCAPE,
    }
}

/// Titles and captions: a long caption, none, and a short one.
const TEXTS: [(&str, &str); 3] = [
    (
        "At home",
        "The cat keeps watch while the butterfly visits the sunflower.",
    ),
    ("Under the volcano", ""),
    ("By the sea", "What color is an octopus?"),
];

/// The default sample book.
pub fn sample_book(aspect: Aspect) -> SampleBook {
    sample("usual", aspect, 3, |_| {})
}

/// Books that a template must be able to print: of different lengths, with unusually long texts, and in many scripts.
pub fn difficult_books(aspect: Aspect) -> Vec<SampleBook> {
    let with = |name, change: fn(&mut PrintBook)| sample(name, aspect, 3, change);
    vec![
        sample("1-drawing", aspect, 1, |_| {}),
        sample("24-drawings", aspect, 24, |_| {}),
        sample("100-drawings", aspect, 100, |_| {}),
        with("long-titles", |book| {
            "The Extraordinarily Long and Winding Adventures of the Garden Cat, Her Seventeen Friends and a Hot-Air Balloon"
                .clone_into(&mut book.title);
            "A coloring book of small and not so small adventures for everybody between three and ninety-three years of age"
                .clone_into(&mut book.subtitle);
            "Donaudampfschifffahrtsgesellschaftskapitänswitwe Wilhelmine von Hohenstein-Lichtenberg und Töchter"
                .clone_into(&mut book.author);
            set_texts(
                book,
                "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz",
                "While the butterfly visits the sunflower the cat keeps watch, the hedgehog counts the apples, the mole digs \
                 another tunnel below the strawberries, and nobody at all notices that somebody has eaten the last of the cake.",
            );
        }),
        with("right-to-left", |book| {
            "he".clone_into(&mut book.language);
            "החתולה בגינה וחבריה הרבים".clone_into(&mut book.title);
            "مغامرات صغيرة للتلوين".clone_into(&mut book.subtitle);
            "דנה כהן".clone_into(&mut book.author);
            set_texts(book, "في البيت", "القطة تراقب الفراشة وهي تزور زهرة عباد الشمس.");
        }),
        with("chinese-japanese", |book| {
            "zh".clone_into(&mut book.language);
            "花园里的猫和她的朋友们在美丽的春天里的小小冒险故事".clone_into(&mut book.title);
            "にわのねことともだちのぬりえ".clone_into(&mut book.subtitle);
            "王小明".clone_into(&mut book.author);
            set_texts(
                book,
                "在家里",
                "猫が見守る中、蝶がひまわりを訪れます。猫在一旁静静地看着蝴蝶飞向向日葵。",
            );
        }),
        with("thai-hindi", |book| {
            "th".clone_into(&mut book.language);
            "เพื่อนในป่าใหญ่กับการผจญภัยเล็ก ๆ".clone_into(&mut book.title);
            "जंगल के प्यारे दोस्त".clone_into(&mut book.subtitle);
            "สมชาย".clone_into(&mut book.author);
            set_texts(
                book,
                "आशा और लोमड़ी",
                "लोमड़ी, उल्लू और साही को नींद नहीं आती। สุนัขจิ้งจอกกับนกฮูกไม่ยอมนอน",
            );
        }),
        with("emoji", |book| {
            "🦊 The Fox & the 🌻 Sunflower 🦋".clone_into(&mut book.title);
            "🎨 Color me! 🖍".clone_into(&mut book.subtitle);
            "🐻 Bear".clone_into(&mut book.author);
            set_texts(book, "🐱", "🐱 🦋 🌻 What a day! 🎉");
        }),
        with("no-captions", |book| {
            book.drawings.iter_mut().for_each(|drawing| drawing.caption.clear());
        }),
        with("title-alone", |book| {
            book.cover = None;
            for text in [&mut book.subtitle, &mut book.author, &mut book.description] {
                text.clear();
            }
            set_texts(book, "", "");
        }),
    ]
}

fn set_texts(book: &mut PrintBook, title: &str, caption: &str) {
    for drawing in &mut book.drawings {
        title.clone_into(&mut drawing.title);
        caption.clone_into(&mut drawing.caption);
    }
}

fn sample(name: &'static str, aspect: Aspect, drawings: usize, change: impl FnOnce(&mut PrintBook)) -> SampleBook {
    let artwork = artwork(aspect);
    let drawing = |(master, (title, caption)): (&&'static [u8], &(&str, &str))| PrintDrawing {
        title: (*title).to_owned(),
        caption: (*caption).to_owned(),
        alternative_text: String::new(),
        master: Bytes::from_static(master),
    };
    let usual = artwork.drawings.iter().zip(&TEXTS).map(drawing);
    let mut book = PrintBook {
        title: "The Garden Cat and Her Friends".into(),
        subtitle: "A coloring book of small adventures".into(),
        author: "Ada Lines".into(),
        description:
            "The garden cat has friends wherever she looks: a butterfly, a volcano, an octopus. Follow her from \
                      the doorstep to the sea, and give every one of them a color."
                .into(),
        audience: Audience::default(),
        language: "en".into(),
        isbn: String::new(),
        cover: Some(Bytes::from_static(artwork.cover)),
        drawings: usual.cycle().take(drawings).collect(),
    };
    change(&mut book);
    SampleBook { name, aspect, book }
}

/// The leaves of the book, from the layout, and a sentence about each leaf that the book does not have.
pub async fn leaves_of(
    layout: &Layout,
    format: &PrintFormat,
    purpose: Purpose,
    aspect: Aspect,
    book: &PrintBook,
) -> Result<LaidOut> {
    let drawings = book.drawings.iter().map(|drawing| ManuscriptDrawing {
        title: drawing.title.clone(),
        caption: drawing.caption.clone(),
        // Layouts do not use the artwork.
        alternative_text: String::new(),
        master: String::new(),
    });
    let manuscript = Manuscript {
        title: book.title.clone(),
        subtitle: book.subtitle.clone(),
        author: book.author.clone(),
        description: book.description.clone(),
        audience: book.audience,
        aspect,
        language: book.language.clone(),
        isbn: book.isbn.clone(),
        cover: book.cover.as_ref().map(|_| String::new()),
        drawings: drawings.collect(),
    };
    let offered = OfferedFormat {
        format: format.clone(),
        layout: layout.clone(),
    };
    lay_out_reporting(&manuscript, &offered, purpose).await
}
