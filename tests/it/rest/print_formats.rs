//! `GET /print_formats`.
use serde_json::json;

use crate::test_app::TestApp;

/// A page size and a leaf that a designer added to a layout.
const ADDITIONS: &str = r#"
[[formats]]
id = "trade"
name = "Trade paperback"
template = "trade.typ"
width-mm = 152.4
height-mm = 228.6
bleed-mm = 3
printers = ["kdp", "lulu"]

[[leaves]]
kind = "dedication"
behind = "belongs-to"

[[leaves]]
kind = "map"
before = "drawing"
"#;

/// A template that prints one page for each leaf.
const TEMPLATE: &str = r#"
#for (index, leaf) in json("data.json").leaves.enumerate() {
  if index > 0 { pagebreak() }
  box(width: 1pt, height: 1pt)
}
"#;

#[tokio::test]
async fn every_print_format_prints_the_books_of_its_aspect() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let formats = ada.get("/print_formats").await.expect(200);
    insta::assert_json_snapshot!(formats);
    for aspect in ["square", "portrait", "landscape"] {
        let body = json!({"book": {"title": "Woodland Friends", "aspect": aspect, "pages": [{"title": "A fox"}]}});
        let path = format!("/books/{}", app.accepted(&ada, "/books", &body).await.book_id());
        app.draw_what_is_due().await;
        let matching: Vec<_> = formats["print_formats"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|format| format["aspect"] == aspect)
            .map(|format| format["id"].clone())
            .collect();
        assert_eq!(matching.len(), 2);
        assert_eq!(
            ada.get(&path).await.expect(200)["book"]["print_formats"],
            json!(matching)
        );
        for format in matching {
            assert_eq!(
                ada.get(&format!("{path}/pdf?format={}", format.as_str().unwrap()))
                    .await
                    .status,
                200,
                "{format}"
            );
        }
    }
}

#[tokio::test]
async fn print_formats_are_listed_for_nothing() {
    let app = TestApp::start().await;
    let reply = app.account(0).await.get("/print_formats").await;
    reply.expect(200);
    reply.expect_free();
}

#[tokio::test]
async fn each_aspect_has_the_sizes_and_pixels_of_the_specification() {
    let app = TestApp::start().await;
    let formats = app.account(0).await.get("/print_formats").await.expect(200);
    let formats = formats["print_formats"].as_array().unwrap();
    let told: Vec<_> = formats
        .iter()
        .map(|format| {
            json!([
                format["aspect"],
                format["recommended_image"]["width"],
                format["recommended_image"]["height"],
                format["id"]
            ])
        })
        .collect();
    for expected in [
        json!(["square", 1024, 1024, "square"]),
        json!(["square", 1024, 1024, "small_square"]),
        json!(["portrait", 1152, 1536, "us_letter"]),
        json!(["portrait", 1152, 1536, "a4"]),
        json!(["landscape", 1536, 1152, "us_letter_landscape"]),
        json!(["landscape", 1536, 1152, "a4_landscape"]),
    ] {
        assert!(told.contains(&expected), "{expected}");
    }
}

#[tokio::test]
async fn a_page_size_in_a_layouts_templates_is_offered_in_all_interfaces_and_printed() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.own_plugin("linepress.classic", |copy| {
        let templates = copy.join("templates");
        std::fs::create_dir(&templates).unwrap();
        let own = [
            "square",
            "small_square",
            "us_letter",
            "a4",
            "us_letter_landscape",
            "a4_landscape",
        ];
        for name in own.into_iter().chain(["trade"]) {
            std::fs::write(templates.join(name).with_extension("typ"), TEMPLATE).unwrap();
        }
        std::fs::write(templates.join("layout.toml"), ADDITIONS).unwrap();
    });
    app.server.plugins.reload().await.unwrap();

    let formats = ada.get("/print_formats").await.expect(200);
    let trade = formats["print_formats"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&trade["id"], &trade["layout"]),
        (&json!("trade"), &json!("linepress.classic"))
    );
    assert_eq!(
        (&trade["trim"]["width_in"], &trade["bleed_mm"], &trade["aspect"]),
        (&json!(6.0), &json!(3.0), &json!("portrait"))
    );
    let book = app.ready_book(&ada, &["A fox"]).await;
    // The dedication is on a page that was empty, and the map has a sheet of its own.
    let check = ada
        .get(&format!("/books/{book}/print_check?format=trade"))
        .await
        .expect(200);
    assert_eq!(check["print_check"]["page_count"], 10);

    let agent = app.agent("ada@example.com").await;
    let listed = agent.call("list_print_formats", json!({})).await;
    assert!(
        listed.text().lines().any(|line| line.starts_with("trade: ")),
        "{}",
        listed.text()
    );
    let mut browser = app.browser_of("ada@example.com").await;
    let page = browser.get(&format!("/library/books/{book}")).await;
    page.expect(200, "Trade paperback").expect(200, "format=trade");
}
