//! Books in other alphabets, printed.
use std::fs;
use std::path::Path;

use linepress_platform::config::Config;
use serde_json::json;

use crate::test_app::{Actor, TestApp};
use crate::tools::{output, tool};

async fn book(app: &TestApp, ada: &Actor, language: &str, title: &str) -> String {
    let pages = json!([{"title": title, "caption": title}]);
    let body = json!({"book": {"title": title, "author": "Ada", "language": language, "pages": pages}});
    let accepted = app.accepted(ada, "/books", &body).await;
    app.draw_what_is_due().await;
    format!("/books/{}/pdf", accepted.book_id())
}

/// Creates a font folder with the letters of one Korean title.
fn korean(folder: &Path, weight: &str) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/fixtures/fonts");
    let font = fixtures.join(format!("NotoSansKR-{weight}.otf"));
    fs::copy(font, folder.join("NotoSansKR-Regular.otf")).unwrap();
}

const KOREAN: &str = "한국어 색칠책";

#[tokio::test]
async fn hindi_and_thai_are_printed_by_every_layout() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(9).await;
    for (language, title) in [("hi", "जंगल के दोस्त"), ("th", "เพื่อนในป่าใหญ่"), ("he", "חברים ביער")]
    {
        let path = book(&app, &ada, language, title).await;
        for format in ["us_letter", "pod_letter", "storybook_letter"] {
            let reply = ada.get(&format!("{path}?format={format}")).await;
            assert_eq!(
                reply.status,
                200,
                "{language} {format}: {}",
                String::from_utf8_lossy(&reply.body)
            );
        }
    }
}

#[tokio::test]
async fn a_book_with_letters_missing_in_all_fonts_is_refused_with_their_places() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "ko", KOREAN).await;
    for path in [path.clone(), path.replace("/pdf", "/print_check")] {
        let error = ada.get(&path).await.expect_error(422, "format_mismatch");
        let fields: Vec<_> = error["details"]
            .as_array()
            .unwrap()
            .iter()
            .map(|detail| &detail["field"])
            .collect();
        assert_eq!(fields, ["title", "pages[0].title", "pages[0].caption"]);
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("국, 색, 어, 책, 칠, 한. Change the texts"),
            "{message}"
        );
        assert!(message.contains("fonts-noto-cjk"), "{message}");
    }
    assert!(!app.objects().iter().any(|key| key.starts_with("prints/")));
}

#[tokio::test]
async fn a_system_font_prints_missing_letters_and_its_change_makes_another_pdf() {
    let folder = tempfile::tempdir().unwrap();
    let fonts = folder.path().join("noto");
    fs::create_dir(&fonts).unwrap();
    let with_fonts = |config: &mut Config| config.font_folders = vec![folder.path().to_owned()];
    let app = TestApp::builder().config(with_fonts).start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "ko", KOREAN).await;
    ada.get(&path).await.expect_error(422, "format_mismatch");

    korean(&fonts, "Regular");
    let regular = ada.get(&path).await;
    assert_eq!(regular.status, 200, "{}", String::from_utf8_lossy(&regular.body));
    assert!(ada.get(&path).await.body == regular.body);

    korean(&fonts, "Bold");
    let bold = ada.get(&path).await;
    assert_eq!(bold.status, 200);
    assert!(bold.body != regular.body);

    // A book whose letters the layout's fonts contain is printed as before.
    let english = book(&app, &ada, "en", "Woodland Friends").await;
    assert_eq!(ada.get(&english).await.status, 200);
}

#[tokio::test]
async fn a_book_that_is_read_from_right_to_left_is_bound_on_the_right() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(9).await;
    let hebrew = book(&app, &ada, "he", "חברים ביער").await;
    let english = book(&app, &ada, "en", "Woodland Friends").await;
    let (mut sheets, mut imprints) = (Vec::new(), Vec::new());
    for path in [&hebrew, &english] {
        let interior = ada.get(&format!("{path}?edition=kdp&format=pod_letter")).await;
        let cover = ada
            .get(&format!("{path}?edition=kdp&format=pod_letter&part=cover"))
            .await;
        assert_eq!((interior.status.as_u16(), cover.status.as_u16()), (200, 200));
        sheets.push((middle(&interior.body, 5), middle(&cover.body, 1)));
        imprints.push(middle(&interior.body, 2));
    }
    // The lines of the imprint begin on the right in Hebrew, and on the left in English.
    assert!(imprints[0] > 400.0 && imprints[1] < 220.0, "{imprints:?}");
    // A caption is centered between the binding, whose margin is wider, and the edge: 0.0625 in off the center of an
    // 8.5 in page.
    let (hebrew_page, hebrew_cover) = sheets[0];
    let (english_page, english_cover) = sheets[1];
    assert!(
        (hebrew_page - 301.5).abs() < 3.0 && (english_page - 310.5).abs() < 3.0,
        "{sheets:?}"
    );
    // The author is only on the front.
    assert!(hebrew_cover < 620.0 && english_cover > 620.0, "{sheets:?}");

    let check = hebrew.replace("/pdf", "/print_check?edition=kdp&format=pod_letter");
    assert_eq!(ada.get(&check).await.expect(200)["print_check"]["findings"], json!([]));
    let error = ada
        .get(&format!("{hebrew}?edition=lulu"))
        .await
        .expect_error(422, "format_mismatch");
    assert_eq!(error["details"][0]["field"], "edition");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("Lulu binds books on the left"), "{message}");
}

/// Returns the horizontal center of the last line of text on a page, in points from the left.
fn middle(pdf: &[u8], page: u32) -> f64 {
    let pdftotext = tool("pdftotext");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("book.pdf");
    fs::write(&file, pdf).unwrap();
    let page = page.to_string();
    output(&pdftotext, &["-bbox", "-f", &page, "-l", &page], &file);
    let text = fs::read_to_string(file.with_extension("html")).unwrap();
    let field = |line: &str, name: &str| -> f64 {
        let rest = line.split_once(&format!("{name}=\"")).unwrap().1;
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    let words = text.lines().filter(|line| line.contains("<word "));
    let words: Vec<_> = words
        .map(|line| (field(line, "yMin"), field(line, "xMin"), field(line, "xMax")))
        .collect();
    let lowest = words.iter().map(|word| word.0).fold(0.0, f64::max);
    let line = || words.iter().filter(|word| lowest - word.0 < 3.0);
    let left = line().map(|word| word.1).fold(f64::MAX, f64::min);
    let right = line().map(|word| word.2).fold(0.0, f64::max);
    f64::midpoint(left, right)
}

#[tokio::test]
async fn the_layouts_texts_are_translated_for_supported_languages() {
    let app = TestApp::builder().all_plugins().start().await;
    let ada = app.account(20).await;
    let pdftotext = tool("pdftotext");
    let folder = tempfile::tempdir().unwrap();
    for (language, words) in [
        ("nl", "Dit boek is van"),
        ("pl", "Ta książka należy do"),
        ("ja", "この本のもちぬし"),
        ("zh-CN", "这本书属于"),
        ("zh-TW", "This book belongs to"),
        ("ko", "This book belongs to"),
    ] {
        let path = book(&app, &ada, language, "Woodland Friends").await;
        for format in ["us_letter", "pod_letter", "storybook_letter"] {
            let pdf = ada.get(&format!("{path}?format={format}")).await;
            assert_eq!(pdf.status, 200, "{language}: {}", String::from_utf8_lossy(&pdf.body));
            let file = folder.path().join("book.pdf");
            fs::write(&file, &pdf.body).unwrap();
            output(&pdftotext, &["-layout"], &file);
            let text = fs::read_to_string(file.with_extension("txt")).unwrap();
            // `pdftotext` adds spaces to Japanese and Chinese, which are set without any.
            let (text, words) = (without_spaces(&text), without_spaces(words));
            assert!(
                format == "storybook_letter" || text.contains(&words),
                "{language} {format}: {text}"
            );
        }
    }
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}
