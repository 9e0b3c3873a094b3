//! A book without faults, and helpers that check it.
use linepress_preflight::{Expected, Finding, Report, Rule, check};
use linepress_printers::Edition;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

/// US Letter, in points.
pub(crate) const LETTER: (f32, f32) = (612.0, 792.0);
/// The same with Lulu's bleed, in points.
pub(crate) const LETTER_AT_LULU: (f32, f32) = (630.0, 810.0);

/// A text, and a picture of 300 x 300 pixels at 300 ppi.
pub(crate) const CONTENT: &str = "0 g BT /F1 12 Tf 100 200 Td (text) Tj ET q 72 0 0 72 100 100 cm /Im1 Do Q";

pub(crate) fn real(number: f32) -> Object {
    Object::Real(number)
}

pub(crate) fn rectangle(left: f32, bottom: f32, right: f32, top: f32) -> Object {
    Object::Array([left, bottom, right, top].map(Object::Real).to_vec())
}

/// A bilevel picture, whose pixels are irrelevant.
pub(crate) fn picture(width: i64, height: i64, space: impl Into<Object>) -> Stream {
    let dictionary = dictionary! {
        "Type" => "XObject", "Subtype" => "Image", "Width" => width, "Height" => height,
        "ColorSpace" => space, "BitsPerComponent" => 1,
    };
    Stream::new(dictionary, vec![0; 16])
}

pub(crate) struct Book {
    pub(crate) document: Document,
    pub(crate) pages: Vec<ObjectId>,
}

impl Book {
    pub(crate) fn new(pages: usize, (width, height): (f32, f32)) -> Self {
        let mut document = Document::with_version("1.7");
        let file = document.add_object(Stream::new(dictionary! {}, b"shapes".to_vec()));
        let font = document.add_object(font("Sound", Some(file)));
        let image = document.add_object(picture(300, 300, "DeviceGray"));
        let tree = document.new_object_id();
        let pages: Vec<ObjectId> = (0..pages)
            .map(|_| {
                let content = document.add_object(Stream::new(dictionary! {}, CONTENT.as_bytes().to_vec()));
                document.add_object(dictionary! {
                    "Type" => "Page", "Parent" => tree, "Contents" => content,
                    "MediaBox" => rectangle(0.0, 0.0, width, height),
                    "Resources" => dictionary! {
                        "Font" => dictionary! { "F1" => font }, "XObject" => dictionary! { "Im1" => image },
                    },
                })
            })
            .collect();
        let kids: Vec<Object> = pages.iter().map(|&page| page.into()).collect();
        let count = kids.len() as i64;
        document.set_object(
            tree,
            dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count },
        );
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", catalog);
        Self { document, pages }
    }

    /// A page, counted from one.
    pub(crate) fn page(&mut self, number: usize) -> &mut Dictionary {
        self.document.get_dictionary_mut(self.pages[number - 1]).unwrap()
    }

    pub(crate) fn catalog(&mut self) -> &mut Dictionary {
        self.document.catalog_mut().unwrap()
    }

    pub(crate) fn add(&mut self, object: impl Into<Object>) -> ObjectId {
        self.document.add_object(object)
    }

    /// Sets an entry in a category of the page's resources.
    pub(crate) fn resource(&mut self, page: usize, category: &str, name: &str, object: impl Into<Object>) {
        let resources = self
            .page(page)
            .get_mut(b"Resources")
            .and_then(Object::as_dict_mut)
            .unwrap();
        if !resources.has(category.as_bytes()) {
            resources.set(category, Dictionary::new());
        }
        let category = resources
            .get_mut(category.as_bytes())
            .and_then(Object::as_dict_mut)
            .unwrap();
        category.set(name, object);
    }

    /// Adds operators after [`CONTENT`] on a page.
    pub(crate) fn also(&mut self, page: usize, operators: &str) {
        self.content(page, &format!("{CONTENT} {operators}"));
    }

    pub(crate) fn content(&mut self, page: usize, operators: &str) {
        let content = self.add(Stream::new(dictionary! {}, operators.as_bytes().to_vec()));
        self.page(page).set("Contents", content);
    }

    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.document.save_to(&mut bytes).unwrap();
        bytes
    }
}

/// A font that is embedded if `file` is given.
pub(crate) fn font(name: &str, file: Option<ObjectId>) -> Dictionary {
    let mut descriptor = dictionary! { "Type" => "FontDescriptor", "FontName" => name };
    if let Some(file) = file {
        descriptor.set("FontFile2", file);
    }
    dictionary! { "Type" => "Font", "Subtype" => "TrueType", "BaseFont" => name, "FontDescriptor" => descriptor }
}

pub(crate) fn for_printer(edition: Edition) -> Expected {
    Expected {
        edition,
        part: None,
        pages: None,
        trim: None,
        color: false,
        paper: None,
        has_barcode: false,
    }
}

pub(crate) fn checked(bytes: &[u8], edition: Edition) -> Report {
    check(bytes, &for_printer(edition))
}

/// The rules and pages of the findings.
pub(crate) fn short(findings: &[Finding]) -> Vec<(Rule, String)> {
    let pages = |finding: &Finding| {
        let ranges: Vec<String> = finding.pages.iter().map(ToString::to_string).collect();
        ranges.join(",")
    };
    findings.iter().map(|finding| (finding.rule, pages(finding))).collect()
}
