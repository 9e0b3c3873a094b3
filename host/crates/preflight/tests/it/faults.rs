//! Each fault is found on its pages, and nothing else is found.
use linepress_preflight::{Expected, Rule, check};
use linepress_printers::Edition;
use lopdf::encryption::{EncryptionState, EncryptionVersion, Permissions};
use lopdf::{Document, Object, Stream, dictionary};

use crate::book::{Book, LETTER, LETTER_AT_LULU, checked, font, for_printer, picture, real, rectangle, short};

/// Plants a fault into a book that has none, and returns the findings.
fn planted(plant: impl Fn(&mut Book)) -> Vec<(Rule, String)> {
    let mut book = Book::new(24, LETTER);
    plant(&mut book);
    short(&checked(&book.bytes(), Edition::Kdp).findings)
}

fn found_at_lulu(pages: usize, size: (f32, f32), plant: impl Fn(&mut Book)) -> Vec<(Rule, String)> {
    let mut book = Book::new(pages, size);
    plant(&mut book);
    short(&checked(&book.bytes(), Edition::Lulu).findings)
}

fn one(rule: Rule, pages: &str) -> Vec<(Rule, String)> {
    vec![(rule, pages.to_owned())]
}

#[test]
fn invalid_page_boxes_are_found() {
    let found = planted(|book| {
        book.page(3).remove(b"MediaBox");
    });
    assert_eq!(found, one(Rule::PageBoxes, "3"));
    let found = planted(|book| book.page(4).set("TrimBox", rectangle(0.0, 0.0, 700.0, 792.0)));
    assert_eq!(found, one(Rule::PageBoxes, "4"));
    let found = planted(|book| {
        book.page(5).set("BleedBox", rectangle(10.0, 10.0, 600.0, 700.0));
        book.page(5).set("TrimBox", rectangle(0.0, 0.0, 612.0, 792.0));
    });
    assert_eq!(found, one(Rule::PageBoxes, "5"));
    let found = planted(|book| book.page(6).set("CropBox", rectangle(50.0, 50.0, 562.0, 742.0)));
    assert_eq!(found, one(Rule::PageBoxes, "6"));
    let found = planted(|book| book.page(7).set("CropBox", rectangle(1000.0, 0.0, 1100.0, 100.0)));
    assert_eq!(found, one(Rule::PageBoxes, "7"));
}

#[test]
fn pages_of_another_size_rotation_or_unit_are_found() {
    let found = planted(|book| {
        for page in [5, 6, 7, 9] {
            book.page(page).set("MediaBox", rectangle(0.0, 0.0, 595.0, 842.0));
        }
    });
    assert_eq!(found, one(Rule::PageSizes, "5-7,9"));
    assert_eq!(
        planted(|book| book.page(2).set("Rotate", 180)),
        one(Rule::Rotation, "2")
    );
    let found = planted(|book| {
        book.page(6).set("UserUnit", 2);
        book.page(6).set("MediaBox", rectangle(0.0, 0.0, 306.0, 396.0));
        book.content(6, "q 36 0 0 36 50 50 cm /Im1 Do Q");
    });
    assert_eq!(found, one(Rule::UserUnit, "6"));
}

#[test]
fn sizes_that_the_printer_does_not_offer_are_found() {
    let of_size = |width, height| short(&checked(&Book::new(24, (width, height)).bytes(), Edition::Kdp).findings);
    assert_eq!(of_size(792.0, 612.0), one(Rule::Trim, ""));
    assert_eq!(of_size(626.4, 856.8), one(Rule::Trim, ""));
    // Bleed on all four sides, where KDP has it on three.
    let found = planted(|book| {
        for page in 1..=24 {
            book.page(page).set("MediaBox", rectangle(0.0, 0.0, 630.0, 810.0));
            book.page(page).set("TrimBox", rectangle(9.0, 9.0, 621.0, 801.0));
        }
    });
    assert_eq!(found, one(Rule::Bleed, ""));
    assert_eq!(found_at_lulu(32, LETTER, |_| {}), one(Rule::Bleed, ""));
}

#[test]
fn too_few_and_too_many_pages_are_found() {
    let pages = |count| short(&checked(&Book::new(count, LETTER).bytes(), Edition::Kdp).findings);
    assert_eq!(pages(23), one(Rule::PageCount, ""));
    assert_eq!(pages(590), []);
    assert_eq!(pages(591), one(Rule::PageCount, ""));
    assert_eq!(found_at_lulu(31, LETTER_AT_LULU, |_| {}), one(Rule::PageCount, ""));
}

#[test]
fn text_and_pictures_in_the_margins_are_found() {
    let text =
        |page, place: &'static str| planted(move |book| book.also(page, &format!("BT /F1 9 Tf {place} (text) Tj ET")));
    // 0.375 in is 27 points. It applies at the binding, which is on the left of odd pages.
    assert_eq!(text(3, "28 300 Td"), []);
    assert_eq!(text(3, "20 300 Td"), one(Rule::Margins, "3"));
    assert_eq!(text(4, "20 300 Td"), []);
    assert_eq!(
        text(4, "1 0 0 1 100 100 Tm 14 TL T* T* T* T* T* T* T*"),
        one(Rule::Margins, "4")
    );
    let picture =
        |page, place: &'static str| planted(move |book| book.also(page, &format!("q 72 0 0 72 {place} cm /Im1 Do Q")));
    assert_eq!(picture(3, "522 300"), []);
    assert_eq!(picture(3, "530 300"), one(Rule::Margins, "3"));
    let cropped = planted(|book| book.also(3, "q 530 300 50 72 re W n q 72 0 0 72 530 300 cm /Im1 Do Q Q"));
    assert_eq!(cropped, []);
    // With bleed, a picture may extend to the edge, but text may not.
    let bled = |operators: &str| {
        let mut book = Book::new(24, (621.0, 810.0));
        book.also(5, operators);
        short(&checked(&book.bytes(), Edition::Kdp).findings)
    };
    assert_eq!(bled("q 72 0 0 72 550 0 cm /Im1 Do Q"), []);
    assert_eq!(bled("BT /F1 9 Tf 600 300 Td (text) Tj ET"), one(Rule::Margins, "5"));
    let text = |place: &str| {
        found_at_lulu(32, LETTER_AT_LULU, |book| {
            book.also(6, &format!("BT /F1 9 Tf {place} Td (text) Tj ET"));
        })
    };
    assert_eq!(text("46 300"), []);
    assert_eq!(text("40 300"), one(Rule::Margins, "6"));
}

#[test]
fn too_many_blank_pages_in_a_row_are_found() {
    let blank = |pages: std::ops::RangeInclusive<usize>| {
        planted(move |book| {
            for page in pages.clone() {
                book.content(page, "q 1 0 0 1 0 0 cm Q");
            }
        })
    };
    assert_eq!(blank(7..=8), []);
    assert_eq!(blank(7..=9), one(Rule::BlankPages, "7-9"));
    assert_eq!(blank(15..=24), []);
    assert_eq!(blank(14..=24), one(Rule::BlankPages, "14-24"));
}

#[test]
fn fonts_that_are_not_embedded_are_found() {
    let shown = "BT /F2 12 Tf 100 300 Td (text) Tj ET";
    let found = planted(|book| {
        book.resource(3, "Font", "F2", font("Helvetica", None));
        book.also(3, shown);
    });
    assert_eq!(found, one(Rule::Fonts, "3"));
    let found = planted(|book| {
        let descendant = book.add(font("Descendant", None));
        let font = dictionary! { "Subtype" => "Type0", "DescendantFonts" => vec![descendant.into()] };
        book.resource(4, "Font", "F2", font);
        book.also(4, shown);
    });
    assert_eq!(found, one(Rule::Fonts, "4"));
    let found = planted(|book| {
        let resources = dictionary! { "Font" => dictionary! { "F2" => font("Within", None) } };
        let form = dictionary! { "Subtype" => "Form", "Resources" => resources };
        let form = book.add(Stream::new(form, shown.as_bytes().to_vec()));
        for page in [5, 6] {
            book.resource(page, "XObject", "Fm1", form);
            book.also(page, "/Fm1 Do");
        }
    });
    assert_eq!(found, one(Rule::Fonts, "5-6"));
    // The glyphs of a Type 3 font are operators.
    let found = planted(|book| {
        book.resource(7, "Font", "F2", dictionary! { "Subtype" => "Type3" });
        book.also(7, shown);
    });
    assert_eq!(found, []);
}

#[test]
fn pictures_with_too_few_pixels_are_found() {
    let low = |page, operators: &'static str| planted(move |book| book.also(page, operators));
    assert_eq!(
        low(4, "q 80 0 0 72 100 300 cm /Im1 Do Q"),
        one(Rule::LowResolution, "4")
    );
    // Rotated, and scaled in two steps.
    assert_eq!(
        low(5, "q 0 1 -1 0 400 100 cm 2 0 0 2 0 0 cm 36 0 0 40 0 0 cm /Im1 Do Q"),
        one(Rule::LowResolution, "5")
    );
    // `Q` restores the earlier transformation.
    assert_eq!(
        low(
            6,
            "q 10 0 0 10 0 0 cm Q q 7.2 0 0 7.2 100 100 cm q 10 0 0 10 0 0 cm Q 10 0 0 10 0 0 cm /Im1 Do Q"
        ),
        []
    );
    let within = "q 72 0 0 72 100 300 cm BI /W 100 /H 100 /BPC 1 /CS /G /F /CCF ID \x01\x02 EI Q";
    assert_eq!(low(7, within), one(Rule::LowResolution, "7"));
    let found = planted(|book| {
        let matrix: Vec<Object> = [1.5, 0.0, 0.0, 1.5, 0.0, 0.0].map(real).to_vec();
        let form = dictionary! { "Subtype" => "Form", "Matrix" => matrix };
        let form = book.add(Stream::new(form, b"72 0 0 72 100 100 cm /Im1 Do".to_vec()));
        book.resource(8, "XObject", "Fm1", form);
        book.also(8, "/Fm1 Do");
    });
    assert_eq!(found, one(Rule::LowResolution, "8"));
    let found = planted(|book| {
        let image = book.document.get_dictionary(book.pages[0]).unwrap();
        let xobjects = image
            .get(b"Resources")
            .unwrap()
            .as_dict()
            .unwrap()
            .get(b"XObject")
            .unwrap()
            .clone();
        let pattern = dictionary! {
            "PatternType" => 1, "PaintType" => 1, "Resources" => dictionary! { "XObject" => xobjects },
            "Matrix" => [2.0, 0.0, 0.0, 2.0, 0.0, 0.0].map(real).to_vec(),
        };
        let pattern = book.add(Stream::new(pattern, b"72 0 0 72 100 100 cm /Im1 Do".to_vec()));
        book.resource(9, "Pattern", "P1", pattern);
        book.also(9, "/Pattern cs /P1 scn 60 60 400 400 re f");
    });
    assert_eq!(found, one(Rule::LowResolution, "9"));
}

#[test]
fn pictures_with_too_many_pixels_are_found() {
    let found = found_at_lulu(32, LETTER_AT_LULU, |book| {
        book.also(10, "q 72 0 0 35 100 300 cm /Im1 Do Q");
    });
    assert_eq!(found, one(Rule::HighResolution, "10"));
    assert_eq!(planted(|book| book.also(10, "q 72 0 0 35 100 300 cm /Im1 Do Q")), []);
}

#[test]
fn colors_in_a_black_and_white_interior_are_found() {
    for operators in [
        "1 0 0 rg",
        "0 0 1 RG",
        "1 0 0 0 k",
        "0 1 0 0 K",
        "/DeviceRGB cs 0 0 1 sc",
        "/DeviceCMYK CS 1 0 0 0 SC",
    ] {
        let found = planted(|book| book.also(11, &format!("{operators} 100 400 10 10 re B")));
        assert_eq!(found, one(Rule::Ink, "11"), "{operators}");
    }
    let place = "q 72 0 0 72 100 300 cm /Im2 Do Q";
    let found = planted(|book| {
        let image = book.add(picture(300, 300, "DeviceRGB"));
        book.resource(12, "XObject", "Im2", image);
        book.also(12, place);
    });
    assert_eq!(found, one(Rule::Ink, "12"));
    let found = planted(|book| {
        let profile = book.add(Stream::new(dictionary! { "N" => 4 }, Vec::new()));
        let palette = vec![
            "Indexed".into(),
            vec!["ICCBased".into(), profile.into()].into(),
            1.into(),
        ];
        let image = book.add(picture(300, 300, palette));
        book.resource(13, "XObject", "Im2", image);
        book.also(13, place);
    });
    assert_eq!(found, one(Rule::Ink, "13"));
    let found = planted(|book| {
        let shading = dictionary! { "ShadingType" => 2, "ColorSpace" => "DeviceRGB" };
        book.resource(14, "Shading", "Sh1", shading);
        book.also(14, "/Sh1 sh");
    });
    assert_eq!(found, one(Rule::Ink, "14"));
}

#[test]
fn a_color_interior_may_have_colors() {
    let mut book = Book::new(24, LETTER);
    book.also(9, "1 0 0 rg 100 400 10 10 re f");
    let expected = Expected {
        color: true,
        ..for_printer(Edition::Kdp)
    };
    assert_eq!(check(&book.bytes(), &expected).findings, []);
    assert_eq!(
        short(&checked(&book.bytes(), Edition::Kdp).findings),
        one(Rule::Ink, "9")
    );
}

#[test]
fn spot_colors_are_found() {
    let found = planted(|book| {
        let gold = vec![
            "Separation".into(),
            "Gold".into(),
            "DeviceCMYK".into(),
            dictionary! {}.into(),
        ];
        book.resource(15, "ColorSpace", "Ink", gold);
        book.also(15, "/Ink cs 1 scn 100 400 10 10 re f");
    });
    assert_eq!(found, one(Rule::SpotColor, "15"));
}

#[test]
fn transparency_is_found() {
    let found = planted(|book| book.page(16).set("Group", dictionary! { "S" => "Transparency" }));
    assert_eq!(found, one(Rule::Transparency, "16"));
    for state in [
        dictionary! { "ca" => real(0.5) },
        dictionary! { "CA" => real(0.99) },
        dictionary! { "BM" => "Multiply" },
        dictionary! { "SMask" => dictionary! { "S" => "Luminosity" } },
    ] {
        let found = planted(|book| {
            book.resource(17, "ExtGState", "Gs1", state.clone());
            book.also(17, "/Gs1 gs");
        });
        assert_eq!(found, one(Rule::Transparency, "17"), "{state:?}");
    }
    let opaque = dictionary! { "ca" => 1, "CA" => 1, "BM" => "Normal", "SMask" => "None" };
    let found = planted(|book| {
        book.resource(17, "ExtGState", "Gs1", opaque.clone());
        book.also(17, "/Gs1 gs");
    });
    assert_eq!(found, []);
    let found = planted(|book| {
        let mask = book.add(picture(300, 300, "DeviceGray"));
        let mut image = picture(300, 300, "DeviceGray");
        image.dict.set("SMask", mask);
        let image = book.add(image);
        book.resource(18, "XObject", "Im2", image);
        book.also(18, "q 72 0 0 72 100 300 cm /Im2 Do Q");
    });
    assert_eq!(found, one(Rule::Transparency, "18"));
}

#[test]
fn links_bookmarks_actions_and_layers_are_found() {
    let found = planted(|book| {
        let link = dictionary! { "Type" => "Annot", "Subtype" => "Link" };
        book.page(19).set("Annots", vec![link.into()]);
    });
    assert_eq!(found, one(Rule::Annotations, "19"));
    let found = planted(|book| {
        let outlines = book.add(dictionary! { "First" => dictionary! { "Title" => "One" } });
        book.catalog().set("Outlines", outlines);
    });
    assert_eq!(found, one(Rule::Bookmarks, ""));
    let named = |kind: &'static str| {
        planted(move |book| {
            let tree = dictionary! { "Names" => vec!["one".into(), dictionary! {}.into()] };
            book.catalog().set("Names", dictionary! { kind => tree });
        })
    };
    assert_eq!(named("JavaScript"), one(Rule::Actions, ""));
    assert_eq!(named("EmbeddedFiles"), one(Rule::Attachments, ""));
    assert_eq!(named("Dests"), []);
    let opening =
        |kind: &'static str| planted(move |book| book.catalog().set("OpenAction", dictionary! { "S" => kind }));
    assert_eq!(opening("Launch"), one(Rule::Actions, ""));
    assert_eq!(opening("GoTo"), []);
    let found = planted(|book| {
        let group = book.add(dictionary! { "Type" => "OCG", "Name" => "Notes" });
        book.catalog()
            .set("OCProperties", dictionary! { "OCGs" => vec![group.into()] });
    });
    assert_eq!(found, one(Rule::Layers, ""));
}

#[test]
fn a_form_is_found_without_fields_on_its_pages() {
    let form = |form: lopdf::Dictionary| planted(move |book| book.catalog().set("AcroForm", form.clone()));
    let field = dictionary! { "T" => "name" };
    assert_eq!(
        form(dictionary! { "Fields" => vec![field.into()] }),
        one(Rule::Annotations, "")
    );
    assert_eq!(form(dictionary! { "XFA" => "<xdp/>" }), one(Rule::Annotations, ""));
    assert_eq!(form(dictionary! { "Fields" => Vec::<Object>::new() }), []);
}

#[test]
fn small_type_and_thin_lines_are_found() {
    let text = |operators: &'static str| planted(move |book| book.also(6, operators));
    assert_eq!(text("BT /F1 7 Tf 100 300 Td (text) Tj ET"), []);
    assert_eq!(text("BT /F1 3 Tf 100 300 Td (text) Tj ET"), one(Rule::SmallType, "6"));
    assert_eq!(
        text("BT /F1 12 Tf 0.25 0 0 0.25 100 300 Tm (text) Tj ET"),
        one(Rule::SmallType, "6")
    );
    assert_eq!(text("0.75 w 100 300 m 200 300 l S"), []);
    assert_eq!(text("0.05 w 100 300 m 200 300 l S"), one(Rule::ThinLines, "6"));
    assert_eq!(
        text("q 0.1 0 0 0.1 0 0 cm 2 w 1000 3000 1000 1000 re s Q"),
        one(Rule::ThinLines, "6")
    );
}

#[test]
fn hidden_text_and_missing_glyphs_are_found() {
    let found = planted(|book| book.also(7, "BT 3 Tr /F1 12 Tf 100 300 Td (text) Tj ET"));
    assert_eq!(found, one(Rule::HiddenText, "7"));
    let wide = |operators: &'static str| {
        planted(move |book| {
            let file = book.add(Stream::new(dictionary! {}, b"shapes".to_vec()));
            let descendant = book.add(font("Wide", Some(file)));
            let wide = dictionary! {
                "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "Wide", "Encoding" => "Identity-H",
                "DescendantFonts" => vec![descendant.into()],
            };
            book.resource(8, "Font", "F2", wide);
            book.also(8, operators);
        })
    };
    assert_eq!(
        wide("BT /F2 12 Tf 100 300 Td [<00410000> 20 (\\000B)] TJ ET"),
        one(Rule::Fonts, "8")
    );
    assert_eq!(wide("BT /F2 12 Tf 100 300 Td <00410042> Tj ET"), []);
}

#[test]
fn shapes_in_the_margins_are_found() {
    let shape = |operators: &'static str| planted(move |book| book.also(3, operators));
    assert_eq!(shape("100 100 300 300 re S"), []);
    // A frame five points from the edges, a white page below everything, and a shape that is clipped there.
    assert_eq!(shape("1 w 5 5 602 782 re S"), one(Rule::Margins, "3"));
    assert_eq!(shape("1 g 0 0 612 792 re f"), []);
    assert_eq!(shape("q 100 100 200 200 re W n 0 0 612 792 re f Q"), []);
    assert_eq!(
        shape("q 1 0 0 1 -90 0 cm 100 100 m 300 300 l S Q"),
        one(Rule::Margins, "3")
    );
}

#[test]
fn newer_versions_and_encrypted_files_are_found() {
    assert_eq!(
        planted(|book| book.document.version = "2.0".into()),
        one(Rule::PdfVersion, "")
    );
    let found = |password: &str| {
        let mut book = Book::new(24, LETTER);
        let id = Object::string_literal("0123456789abcdef");
        book.document.trailer.set("ID", vec![id.clone(), id]);
        let state = EncryptionState::try_from(EncryptionVersion::V2 {
            document: &book.document,
            owner_password: "owner",
            user_password: password,
            key_length: 128,
            permissions: Permissions::PRINTABLE,
        });
        book.document.encrypt(&state.unwrap()).unwrap();
        short(&checked(&book.bytes(), Edition::Kdp).findings)
    };
    assert_eq!(found(""), one(Rule::Encryption, ""));
    assert_eq!(found("secret"), one(Rule::Encryption, ""));
}

#[test]
fn damaged_files_are_found() {
    let damaged = |bytes: &[u8]| short(&checked(bytes, Edition::Kdp).findings);
    assert_eq!(damaged(b"no PDF at all"), one(Rule::Damaged, ""));
    assert_eq!(damaged(b""), one(Rule::Damaged, ""));
    let whole = Book::new(24, LETTER).bytes();
    // Without its object table, which can be rebuilt from the objects.
    let table = whole.windows(5).rposition(|window| window == b"xref\n").unwrap();
    assert_eq!(damaged(&whole[..table]), one(Rule::Damaged, ""));
    let cut = damaged(&whole[..whole.len() / 2]);
    assert!(cut.contains(&(Rule::Damaged, String::new())), "{cut:?}");
    assert_eq!(planted(|book| book.also(20, "/Nowhere Do")), one(Rule::Damaged, "20"));
    assert_eq!(
        planted(|book| book.also(21, "/Nowhere 12 Tf")),
        one(Rule::Damaged, "21")
    );
    assert_eq!(
        planted(|book| book.also(22, "0 0 m nonsense")),
        one(Rule::Damaged, "22")
    );
    assert_eq!(planted(|book| book.also(23, "[ (breaks off")), one(Rule::Damaged, "23"));
    let mut empty = Document::with_version("1.4");
    let pages = empty.add_object(dictionary! { "Type" => "Pages", "Kids" => Vec::<Object>::new(), "Count" => 0 });
    let catalog = empty.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    empty.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    empty.save_to(&mut bytes).unwrap();
    assert_eq!(damaged(&bytes), one(Rule::Damaged, ""));
}
