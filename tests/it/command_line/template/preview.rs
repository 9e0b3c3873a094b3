//! `linepress template preview`: the pages of a sample book in a browser.
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::super::local_page::LocalPage;
use super::{Designer, GOOD, Typist as _, classic};

/// The path of the book as the page first shows it.
const BOOK: &str = "/book?format=folio&edition=home&part=book";

/// A preview that is open in a browser.
struct Preview(LocalPage);

impl Preview {
    fn open(designer: &Designer, arguments: &[&str]) -> Self {
        let mut command = designer.command(&[&["template", "preview"], arguments].concat());
        command
            .env("LINEPRESS_PRINT_MEMORY_MIB", "512")
            .env("LINEPRESS_PRINT_TIMEOUT_SECONDS", "10");
        Self(LocalPage::open(command))
    }

    fn book(&self) -> Value {
        self.view("")
    }

    /// The book with further choices, such as `&backs=printed`.
    fn view(&self, choices: &str) -> Value {
        self.0.json(&format!("{BOOK}{choices}"))
    }

    fn choices(&self) -> Value {
        self.0.json("/choices")
    }

    /// Polls the book until it satisfies the condition.
    #[track_caller]
    fn book_when(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        self.0.json_when(BOOK, is_so)
    }
}

fn pictures(book: &Value) -> Vec<&str> {
    let pages = book["pages"].as_array().unwrap().iter();
    pages.map(|page| page["picture"].as_str().unwrap()).collect()
}

#[test]
fn a_page_shows_the_templates_again_when_they_change_and_keeps_the_last_good_pages() {
    let designer = Designer::with_folio(GOOD);
    let preview = Preview::open(&designer, &["plugins.d/testbed.folio"]);
    assert!(preview.0.text("/").contains("/preview.js"));
    let choices: Value = serde_json::from_slice(&preview.0.get("/choices")).unwrap();
    assert_eq!(choices["formats"], json!([{"id": "folio", "name": "Folio"}]));

    let first = preview.book();
    assert_eq!(
        (pictures(&first).len(), &first["is_old"]),
        (3, &json!(false)),
        "{first}"
    );
    assert_eq!((&first["diagnostics"], &first["findings"]), (&json!([]), &json!([])));
    assert_eq!(first["pages"][1]["side"], "verso");
    let svg = preview.0.text(pictures(&first)[0]);
    assert!(svg.starts_with("<svg") && !svg.contains("linepress-artwork"), "{svg}");
    let artwork = svg.split("\"/artwork/").nth(1).unwrap().split('"').next().unwrap();
    let artwork = image::load_from_memory(&preview.0.get(&format!("/artwork/{artwork}"))).unwrap();
    assert_eq!(artwork.height(), 1600);

    designer.save(&GOOD.replace("[Ornament]", "[Another ornament]"));
    let second = preview.book_when(|book| pictures(book) != pictures(&first));
    assert_eq!(second["is_old"], json!(false));
    assert_ne!(preview.0.text(pictures(&second)[0]), svg);

    designer.save(&GOOD.replace("[Ornament]", "ornaments"));
    let broken = preview.book_when(|book| book["is_old"] == true);
    assert_eq!(pictures(&broken), pictures(&second));
    let diagnostic = &broken["diagnostics"][0];
    assert_eq!(diagnostic["message"], "unknown variable: ornaments");
    assert_eq!(
        (&diagnostic["place"]["file"], &diagnostic["place"]["line"]),
        (&json!("folio.typ"), &json!(12))
    );
    assert_eq!(diagnostic["place"]["text"], "    ornaments");

    designer.save(
        &GOOD
            .replace("\"Nunito\"", "\"Nunitoo\"")
            .replace("[Ornament]", "[#text(fill: red)[Red]]"),
    );
    let findings = preview.book_when(|book| book["findings"] != json!([]));
    assert!(
        findings["diagnostics"]
            .to_string()
            .contains("unknown font family: nunitoo"),
        "{findings}"
    );
    assert!(
        findings["findings"][0]["what"].as_str().unwrap().contains("colored"),
        "{findings}"
    );
}

#[test]
fn each_element_of_a_page_has_the_line_of_the_template_that_makes_it() {
    let designer = Designer::with_folio(GOOD);
    let editor = "zed://file{file}:{line}";
    let preview = Preview::open(&designer, &["plugins.d/testbed.folio", "--editor", editor]);
    let choices = preview.choices();
    assert_eq!(choices["editor"], editor);
    let folder = choices["folder"].as_str().unwrap();
    assert!(Path::new(folder).join("folio.typ").is_file(), "{folder}");

    let book = preview.book();
    let lines: Vec<(&Value, &Value)> = (book["pages"][1]["sources"].as_array().unwrap().iter())
        .map(|source| {
            let place = &book["places"][source["place"].as_u64().unwrap() as usize];
            (&place["file"], &place["line"])
        })
        .collect();
    let line = |number: u32| (json!("folio.typ"), json!(number));
    let wanted = [line(11), line(12)];
    assert_eq!(
        lines,
        wanted.iter().map(|(file, line)| (file, line)).collect::<Vec<_>>()
    );
    let picture = &book["pages"][1]["sources"][0]["area"];
    assert!((picture["width"].as_f64().unwrap() - 120.0).abs() < 0.01, "{picture}");
    for wrong in ["javascript:alert(1)", "vscode://file"] {
        let told = designer.is_refused(&["template", "preview", "plugins.d/testbed.folio", "--editor", wrong]);
        assert!(told.contains("write a link such as vscode://file{file}"), "{told}");
    }
}

#[test]
fn a_designer_chooses_the_sample_the_backs_and_the_number_of_drawings() {
    let designer = Designer::with_folio(&GOOD.replace("[Ornament]", "[#data.book.title, #data.backs]"));
    let preview = Preview::open(&designer, &["plugins.d/testbed.folio"]);
    let choices = preview.choices();
    assert_eq!(
        (&choices["samples"][0], &choices["samples"][1]),
        (&json!("usual"), &json!("1-drawing"))
    );
    assert_eq!(choices["backs"], json!(["blank", "printed"]));
    let usual = preview.book();
    assert_eq!(pictures(&usual).len(), 3);
    assert_eq!(pictures(&preview.view("&sample=1-drawing")).len(), 1);
    assert_eq!(pictures(&preview.view("&drawings=5")).len(), 5);
    let printed = preview.view("&backs=printed");
    assert_ne!(pictures(&printed)[0], pictures(&usual)[0]);
    let unknown = preview.view("&sample=nobody");
    assert_eq!(
        unknown["problem"],
        "the sample cannot be used: there is no sample nobody"
    );
    let kdp: Value = serde_json::from_slice(&preview.0.get("/book?format=folio&edition=kdp&part=interior")).unwrap();
    assert!(
        kdp["refusal"].as_str().unwrap().contains("Amazon KDP has no pages of"),
        "{kdp}"
    );

    // The designer's own book is the first choice.
    let data = r#"{"book": {"title": "The Deep"}, "drawings": [
        {"file": "drawings/001.pdf", "width": 1152, "height": 1536, "title": "A whale"},
        {"file": "drawings/001.pdf", "width": 1, "height": 1, "title": "A wave"}
    ]}"#;
    let templates = designer.folio().join("templates");
    fs::create_dir(templates.join("drawings")).unwrap();
    fs::copy(classic().join("drawings/002.pdf"), templates.join("drawings/001.pdf")).unwrap();
    fs::write(templates.join("data.json"), data).unwrap();
    let own = preview.book_when(|book| book["is_old"] == false && pictures(book).len() == 2);
    assert_eq!(preview.choices()["samples"][0], "data.json");
    assert_eq!(pictures(&preview.view("&sample=usual")).len(), 3);
    assert_ne!(pictures(&own)[0], pictures(&usual)[0]);
    fs::write(templates.join("data.json"), "{").unwrap();
    let broken = preview.book_when(|book| book["problem"].is_string());
    let problem = broken["problem"].as_str().unwrap();
    assert!(problem.contains("data.json is not the data of a book"), "{problem}");
}

#[test]
fn a_preview_follows_the_formats_and_leaves_of_the_templates() {
    let designer = Designer::with_folio(GOOD);
    let preview = Preview::open(&designer, &["plugins.d/testbed.folio"]);
    assert_eq!(pictures(&preview.book()).len(), 3);
    let file = designer.folio().join("templates/layout.toml");
    let format =
        "[[formats]]\nid = \"tall\"\nname = \"Tall\"\ntemplate = \"folio.typ\"\nwidth-mm = 100\nheight-mm = 150\n";
    let leaf = "[[leaves]]\nkind = \"map\"\nafter = \"epilogue\"\n";
    fs::write(&file, format!("{format}{leaf}")).unwrap();
    let book = preview.book_when(|book| book["diagnostics"] != json!([]));
    let told = book["diagnostics"][0]["message"].as_str().unwrap();
    assert!(
        told.contains("the book has no leaf epilogue, after which it is placed"),
        "{told}"
    );
    assert_eq!(preview.choices()["formats"][1], json!({"id": "tall", "name": "Tall"}));
    fs::write(&file, format!("{format}bleed = 3\n")).unwrap();
    let book = preview.book_when(|book| book["problem"].is_string());
    let problem = book["problem"].as_str().unwrap();
    assert!(problem.contains("unknown field `bleed`"), "{problem}");
    assert_eq!(pictures(&book).len(), 3);
}

#[test]
fn an_endless_or_greedy_template_is_stopped_and_the_next_one_shown() {
    let designer = Designer::with_folio(GOOD);
    let preview = Preview::open(&designer, &["--layout", "testbed.folio"]);
    let good = preview.book();
    for (endless, told) in [
        (
            "#for a in range(1000000) { for b in range(1000000) { } }",
            "endless loop",
        ),
        (
            "#let all = ()\n#for a in range(100000) { all.push(range(100000)) }",
            "print_memory_mib",
        ),
    ] {
        designer.save(&format!("{GOOD}\n{endless}"));
        let stopped = preview.book_when(|book| book["problem"].is_string());
        assert!(stopped["problem"].as_str().unwrap().contains(told), "{stopped}");
        assert_eq!(pictures(&stopped), pictures(&good));
        designer.save(GOOD);
        let again = preview.book_when(|book| book["is_old"] == false);
        assert_eq!(pictures(&again), pictures(&good));
    }
}

#[test]
fn a_preview_is_reachable_only_from_this_machine() {
    let designer = Designer::with_folio(GOOD);
    let preview = Preview::open(&designer, &["plugins.d/testbed.folio/templates"]);
    preview.0.expect_guarded();
}
