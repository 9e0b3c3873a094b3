//! Books in other alphabets, printed.
use std::fs;
use std::path::Path;

use linepress::config::Config;
use serde_json::json;

use crate::test_app::{Actor, TestApp, id};

async fn book(app: &TestApp, ada: &Actor, language: &str, title: &str) -> String {
    let pages = json!([{"title": title, "caption": title}]);
    let body = json!({"book": {"title": title, "author": "Ada", "language": language, "pages": pages}});
    let accepted = app.accepted(ada, "/books", &body).await;
    app.draw_what_is_due().await;
    format!("/books/{}/pdf", id(&accepted, "book"))
}

/// A font folder with the letters of one Korean title.
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
async fn a_book_with_letters_that_no_font_has_is_refused_with_their_places() {
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
async fn a_font_of_the_system_prints_what_the_layout_lacks_and_its_change_makes_another_pdf() {
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

    // A book whose letters the layout has is printed as before.
    let english = book(&app, &ada, "en", "Woodland Friends").await;
    assert_eq!(ada.get(&english).await.status, 200);
}
