//! `linepress template`: the commands of designers.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Typist, command_in};
use crate::test_app::{copy_folder, from_environment};

mod preview;

/// A user with a folder of plugins, and no server.
struct Designer {
    folder: TempDir,
}

/// A template that is quickly typeset and breaks no rule.
const GOOD: &str = r#"
#let data = json("data.json")
#let paper = data.formats.folio
#set page(width: paper.width * 1mm, height: paper.height * 1mm, margin: 0mm, bleed: paper.bleed * 1mm)
#set text(font: "Nunito", size: 14pt, fill: black)
#for (index, leaf) in data.leaves.enumerate() {
  if index > 0 { pagebreak() }
  let safe = paper.at(leaf.side).safe
  let art = data.drawings.at(leaf.drawing)
  place(dx: safe.x * 1mm, dy: safe.y * 1mm, box(width: safe.width * 1mm, height: safe.height * 1mm, {
    image(art.file, width: 120mm)
    [Ornament]
  }))
}
"#;

impl Designer {
    fn new() -> Self {
        let designer = Self {
            folder: TempDir::new().unwrap(),
        };
        fs::create_dir(designer.plugins()).unwrap();
        designer
    }

    /// Creates a designer whose layout has this template.
    fn with_folio(template: &str) -> Self {
        let designer = Self::new();
        let (from, to) = (
            from_environment("LINEPRESS_TEST_TESTBED").join("testbed.folio"),
            designer.folio(),
        );
        fs::create_dir_all(to.join("templates/fonts")).unwrap();
        for file in ["plugin.toml", "plugin.wasm"] {
            fs::copy(from.join(file), to.join(file)).unwrap();
        }
        let font = "fonts/Nunito-Regular.ttf";
        fs::copy(classic().join(font), to.join("templates").join(font)).unwrap();
        designer.save(template);
        designer
    }

    fn with_classic() -> Self {
        let designer = Self::new();
        let classic = from_environment("LINEPRESS_TEST_PLUGINS").join("linepress.classic");
        copy_folder(&classic, &designer.plugins().join("linepress.classic"));
        designer
    }

    fn plugins(&self) -> PathBuf {
        self.path("plugins.d")
    }

    fn folio(&self) -> PathBuf {
        self.plugins().join("testbed.folio")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Saves the template as editors do: under another name first.
    fn save(&self, template: &str) {
        let path = self.folio().join("templates/folio.typ");
        fs::write(path.with_extension("typ~"), template).unwrap();
        fs::rename(path.with_extension("typ~"), path).unwrap();
    }
}

impl Typist for Designer {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command_in(self.folder.path());
        command.args(arguments);
        command
    }
}

fn classic() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates/classic")
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn templates_that_break_no_rule_pass() {
    let designer = Designer::with_folio(GOOD);
    let told = designer.reads(&[
        "template",
        "check",
        "--layout",
        "testbed.folio",
        "--samples",
        "1-drawing,no-captions",
    ]);
    assert!(told.ends_with("no problems.\n"), "{told}");
    assert!(!designer.path("template-check").exists());
}

#[test]
fn each_fault_of_a_template_is_reported_with_its_page_its_place_and_a_picture() {
    for (fault, told) in [
        (
            "[#text(fill: rgb(\"#333333\"))[Dark]]",
            "the text “Dark” is colored (#333333)",
        ),
        ("[#text(fill: rgb(0, 0, 0))[Rich]]", "is a black of several inks"),
        ("[#text(fill: luma(40%))[Gray]]", "is gray"),
        ("rect(fill: black.transparentize(50%))", "is transparent"),
        ("rect(fill: gradient.linear(black, white))", "is a gradient"),
        ("[\u{12000}]", "no font has \u{12000} (U+12000)"),
        ("place(top + left, dx: -4mm)[Edge]", "mm past the safe box"),
        ("place(top + left, dx: -13mm, line(length: 5mm))", "a line extends"),
        (
            "place(top + left, dx: -13mm, line(length: 5mm))",
            "mm past the live box",
        ),
        ("place(top + left, dx: -30mm, rect(width: 20mm))", "mm past the page"),
        (
            "box(width: 30mm, height: 8mm, box(width: 90mm)[This line is far too long for its box])",
            "mm out of a box",
        ),
        ("[#link(\"https://example.com\")[There]]", "a link"),
    ] {
        let designer = Designer::with_folio(&GOOD.replace("[Ornament]", fault));
        let all = designer.is_refused(&["template", "check", "plugins.d/testbed.folio", "--samples", "1-drawing"]);
        let line = all
            .lines()
            .find(|line| line.contains(told))
            .unwrap_or_else(|| panic!("{told}: {all}"));
        assert!(line.starts_with("folio/1-drawing/1: "), "{line}");
        let picture = line.split('[').next_back().unwrap().trim_end_matches(']');
        let picture = fs::read_to_string(designer.path(picture)).unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("#d1242f"), "{told}");
        assert!(picture.contains("data:image/png;base64,") && !picture.contains("linepress-artwork"));
    }
}

#[test]
fn an_overfull_leaf_and_a_failing_template_are_reported() {
    let designer = Designer::with_folio(&format!("{GOOD}\n#pagebreak()\nToo much"));
    let told = designer.is_refused(&["template", "check", "plugins.d/testbed.folio", "--samples", "1-drawing"]);
    assert!(
        told.contains("folio/1-drawing/1: 1 leaves became 2 pages: make what the leaf holds fit"),
        "{told}"
    );
    designer.save(&GOOD.replace("\"Nunito\"", "\"Baloo\""));
    let told = designer.is_refused(&["template", "check", "plugins.d/testbed.folio", "--samples", "1-drawing"]);
    assert!(
        told.contains(
            "folio/1-drawing: folio.typ:5:17: unknown font family: baloo; hint: the folder fonts has: Nunito"
        ),
        "{told}"
    );
}

#[test]
fn hints_name_what_templates_cannot_do_and_no_option_of_another_program() {
    for (reach, told) in [
        ("#import \"@preview/cetz:0.3.1\"", "hint: templates cannot use packages"),
        ("#plugin(\"a.wasm\")", "hint: templates cannot run WebAssembly"),
        (
            "#read(\"../secret\")",
            "hint: cannot access files outside of the project",
        ),
    ] {
        let designer = Designer::with_folio(reach);
        let reported = designer.is_refused(&["template", "check", "plugins.d/testbed.folio", "--samples", "1-drawing"]);
        assert!(reported.contains(told) && !reported.contains("--root"), "{reported}");
    }
}

#[test]
fn the_classic_layout_prints_difficult_books() {
    let designer = Designer::with_classic();
    let samples = "1-drawing,long-titles,right-to-left,chinese-japanese,emoji,title-alone";
    let told = designer.reads(&["template", "check", "--format", "square", "--samples", samples]);
    assert!(told.ends_with("no problems.\n"), "{told}");
}

#[test]
fn a_copied_layout_does_not_replace_the_original() {
    let designer = Designer::with_classic();
    let told = designer.reads(&["template", "new", "acme.ocean", "--from", "classic"]);
    assert!(told.contains("linepress template preview acme.ocean"), "{told}");
    let ocean = designer.path("acme.ocean");
    let data = json_of(&ocean.join("templates/data.json"));
    let classic_data = json_of(&classic().join("data.json"));
    assert_eq!(data["leaves"], classic_data["leaves"]);
    let mut letter = data["formats"]["ocean_us_letter"].clone();
    assert_eq!(letter["name"], "US Letter, Ocean");
    letter["name"] = json!("US Letter");
    assert_eq!(letter, classic_data["formats"]["us_letter"]);
    let template = fs::read_to_string(ocean.join("templates/us_letter.typ")).unwrap();
    assert!(template.contains("format: \"ocean_us_letter\""), "{template}");

    fs::rename(&ocean, designer.plugins().join("acme.ocean")).unwrap();
    let listed: Value = serde_json::from_str(&designer.reads(&["plugin", "list", "--json"])).unwrap();
    let rows = listed.as_array().unwrap().iter();
    let states: Vec<_> = rows.map(|row| (&row["id"], &row["state"])).collect();
    assert_eq!(
        states,
        [
            (&json!("acme.ocean"), &json!("loadable")),
            (&json!("linepress.classic"), &json!("loadable"))
        ]
    );
    let told = designer.reads(&[
        "template",
        "check",
        "--layout",
        "acme.ocean",
        "--format",
        "ocean_a4",
        "--samples",
        "1-drawing",
    ]);
    assert!(told.ends_with("no problems.\n"), "{told}");

    // A layout can also begin as a copy of that one.
    designer.reads(&[
        "template",
        "new",
        "acme.deep-sea",
        "--from",
        "acme.ocean",
        "--out",
        "mine",
    ]);
    let manifest = fs::read_to_string(designer.path("mine/plugin.toml")).unwrap();
    assert!(manifest.contains("of = \"linepress.classic\""), "{manifest}");
    let template = fs::read_to_string(designer.path("mine/templates/us_letter.typ")).unwrap();
    assert!(template.contains("format: \"deep_sea_us_letter\""), "{template}");
}

const OCEAN: &str = r#"
[[formats]]
id = "ocean_8x10"
name = "8 x 10 in, Ocean"
template = "8x10.typ"
width-mm = 203.2
height-mm = 254
bleed-mm = 3
margins-mm = { inner = 22 }
printers = ["kdp"]

[[leaves]]
kind = "dedication"
after = "belongs-to"
"#;

#[test]
fn a_designer_adds_a_page_size_and_a_leaf_without_rust() {
    let designer = Designer::with_classic();
    designer.reads(&["template", "new", "acme.ocean", "--from", "classic"]);
    let templates = designer.path("acme.ocean/templates");
    let check = |designer: &Designer| {
        let arguments = [
            "template",
            "check",
            "acme.ocean",
            "--format",
            "ocean_8x10",
            "--samples",
            "24-drawings",
        ];
        designer.types(&arguments)
    };
    fs::write(templates.join("layout.toml"), OCEAN).unwrap();
    let (succeeded, told) = check(&designer);
    assert!(
        !succeeded && told.contains("names the template \"8x10.typ\", which is not in templates"),
        "{told}"
    );

    let page = "#import \"interior.typ\": book, kinds\n#book(json(\"data.json\"), format: \"ocean_8x10\"";
    fs::write(templates.join("8x10.typ"), format!("{page})\n")).unwrap();
    let (succeeded, told) = check(&designer);
    assert!(
        !succeeded && told.contains("this layout has no leaf of the kind dedication"),
        "{told}"
    );

    let dedication = "#let dedication(data, leaf, box-size) = align(center + horizon)[For my sister]";
    let page = format!("{dedication}\n{page}, kinds: kinds + (dedication: dedication))\n");
    fs::write(templates.join("8x10.typ"), page).unwrap();
    let (succeeded, told) = check(&designer);
    assert!(succeeded && told.ends_with("no problems.\n"), "{told}");
    designer.reads(&["template", "sample", "acme.ocean", "--out", "sample"]);
    let format = json_of(&designer.path("sample/data.json"))["formats"]["ocean_8x10"].clone();
    assert_eq!(
        (&format["width"], &format["bleed"], &format["bleeds"]),
        (&json!(203.2), &json!(3.0), &json!(true))
    );
    assert_eq!(format["recto"]["safe"]["x"], json!(22.0));

    let elsewhere = OCEAN.replace("belongs-to", "epilogue");
    fs::write(templates.join("layout.toml"), elsewhere).unwrap();
    let (succeeded, told) = check(&designer);
    let placed =
        "layout.toml: the leaf dedication is not printed: the book has no leaf epilogue, after which it is placed";
    assert!(!succeeded && told.contains(placed), "{told}");
    fs::write(templates.join("layout.toml"), OCEAN.replace("kdp", "lulu")).unwrap();
    let (succeeded, told) = check(&designer);
    assert!(!succeeded && told.contains("Lulu has no pages of 8 x 10 in"), "{told}");

    // A copy of this layout has the format under its own id.
    fs::write(templates.join("layout.toml"), OCEAN).unwrap();
    designer.reads(&["template", "new", "acme.reef", "--from", "acme.ocean"]);
    for file in ["layout.toml", "8x10.typ"] {
        let text = fs::read_to_string(designer.path("acme.reef/templates").join(file)).unwrap();
        assert!(
            text.contains("\"reef_8x10\"") && !text.contains("ocean_8x10"),
            "{file}: {text}"
        );
    }
}

#[test]
fn a_new_layout_overwrites_nothing() {
    let designer = Designer::with_classic();
    for (name, from, told) in [
        ("Ocean", "classic", "joined by dots"),
        ("ocean", "classic", "joined by dots"),
        ("acme.ocean", "nobody", "there is no layout nobody"),
    ] {
        let refused = designer.is_refused(&["template", "new", name, "--from", from]);
        assert!(refused.contains(told), "{refused}");
    }
    fs::create_dir(designer.path("acme.ocean")).unwrap();
    let refused = designer.is_refused(&["template", "new", "acme.ocean", "--from", "classic"]);
    assert!(refused.contains("already exists"), "{refused}");
    assert_eq!(fs::read_dir(designer.path("acme.ocean")).unwrap().count(), 0);
    let left = fs::read_dir(designer.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left
        .filter(|name| name.to_string_lossy().starts_with(".new-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A designer without a server sees the data that the server would pass to the template.
#[test]
fn a_sample_without_a_folder_leaves_installed_layouts_as_they_are() {
    let designer = Designer::with_classic();
    let data = designer.plugins().join("linepress.classic/templates/data.json");
    fs::write(&data, "{}").unwrap();
    let told = designer.is_refused(&["template", "sample"]);
    assert!(
        told.contains("name the folder of your layout, or the folder to write to with --out"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(&data).unwrap(), "{}");
    designer.reads(&["template", "sample", "plugins.d/linepress.classic"]);
    assert_ne!(fs::read_to_string(&data).unwrap(), "{}");
}

#[test]
fn faults_that_a_buyer_would_notice_are_found() {
    let fault = |body: &str, found: &str| {
        let template = GOOD.replace("    [Ornament]\n", &format!("    [Ornament]\n{body}\n"));
        let designer = Designer::with_folio(&template);
        let told = designer.is_refused(&["template", "check", "plugins.d/testbed.folio", "--samples", "1-drawing"]);
        assert!(told.contains(found), "{body}: {told}");
    };
    fault("place(top + left, text(size: 3pt)[tiny])", "is set at 3.0 pt");
    fault("place(bottom + left, text(fill: white)[ghost])", "is white on white");
    fault(
        "place(bottom + left, line(length: 20mm, stroke: 0.05pt))",
        "is drawn 0.05 pt thick",
    );
    fault(
        "place(top + left, dx: 20mm, dy: 20mm, text(size: 30pt)[across])",
        "is printed across a drawing",
    );
    fault(
        "place(bottom + left, image(art.file, width: 5mm, height: 15mm, fit: \"stretch\"))",
        "is stretched",
    );

    let without = GOOD.replace("image(art.file, width: 120mm)", "[no drawing]");
    let designer = Designer::with_folio(&without);
    let check = ["template", "check", "plugins.d/testbed.folio", "--samples", "1-drawing"];
    let told = designer.is_refused(&check);
    assert!(told.contains("the drawing of this leaf is not on its page"), "{told}");

    let designer = Designer::with_folio(GOOD);
    designer.reads(&check);
    fs::write(designer.folio().join("templates/fonts/Broken.ttf"), "no font").unwrap();
    fs::write(designer.folio().join("templates/fonts/Web.woff2"), "wOF2").unwrap();
    let told = designer.is_refused(&check);
    for font in ["fonts/Broken.ttf", "fonts/Web.woff2"] {
        assert!(told.contains(&format!("{font} cannot be read as a font")), "{told}");
    }
}

#[test]
fn an_ornament_in_color_with_a_link_is_found() {
    let template = GOOD.replace("    [Ornament]\n", "    image(\"rose.pdf\", width: 10mm)\n");
    let designer = Designer::with_folio(&template);
    let rose = b"%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R
/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] >>] >> endobj
4 0 obj << /Length 33 >> stream
1 0 0 rg 10 10 50 50 re f        
endstream endobj
trailer << /Root 1 0 R /Size 5 >>
%%EOF";
    fs::write(designer.folio().join("templates/rose.pdf"), rose).unwrap();
    let told = designer.is_refused(&["template", "check", "plugins.d/testbed.folio", "--samples", "1-drawing"]);
    assert!(told.contains("in a PDF that is placed here"), "{told}");
    // The color and the link are two faults at one place.
    assert!(
        told.contains("links") && told.contains(", and 1 more like it"),
        "{told}"
    );
    assert!(told.contains("grayscale"), "{told}");
}

#[test]
fn an_svg_of_black_and_white_shapes_passes_and_other_svgs_are_reported() {
    let template = GOOD.replace("    [Ornament]\n", "    image(\"rose.svg\", width: 20mm)\n");
    let designer = Designer::with_folio(&template);
    let check = ["template", "check", "plugins.d/testbed.folio", "--samples", "1-drawing"];
    let draw = |content: &str| {
        let svg = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">{content}</svg>"#);
        fs::write(designer.folio().join("templates/rose.svg"), svg).unwrap();
    };
    draw(r#"<circle cx="10" cy="10" r="8" fill="white" stroke="black" stroke-width="1"/>"#);
    assert!(designer.reads(&check).ends_with("no problems.\n"));
    for (content, told) in [
        (
            r#"<circle cx="10" cy="10" r="8" fill="red"/>"#,
            "a picture has color (#ff0000)",
        ),
        (
            r#"<circle cx="5" cy="5" r="4" fill="gray"/><circle cx="15" cy="15" r="4" fill="red"/>"#,
            "a picture has color (#ff0000), has gray (#808080) (folio.typ:12:5)",
        ),
        (
            r#"<text x="1" y="15" font-family="Nunito" font-size="9">Rose</text>"#,
            "a picture has text",
        ),
        (
            r#"<circle cx="10" cy="10" r="8" fill="none" stroke="black" stroke-width=".1"/>"#,
            "a line of a picture is drawn 0.28 pt thick",
        ),
    ] {
        draw(content);
        let reported = designer.is_refused(&check);
        assert!(
            reported.contains(told) && reported.contains("folio.typ:12:5"),
            "{told}: {reported}"
        );
    }
}

#[test]
fn the_sample_in_the_repository_is_what_the_command_writes() {
    let designer = Designer::with_classic();
    designer.reads(&["template", "sample", "--layout", "linepress.classic", "--out", "sample"]);
    assert_eq!(
        json_of(&designer.path("sample/data.json")),
        json_of(&classic().join("data.json"))
    );
    for file in ["cover.pdf", "drawings/001.pdf", "drawings/002.pdf", "drawings/003.pdf"] {
        let written = fs::read(designer.path("sample").join(file)).unwrap();
        assert!(written == fs::read(classic().join(file)).unwrap(), "{file}");
    }
}
