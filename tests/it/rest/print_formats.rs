//! `GET /print_formats`.
use serde_json::json;

use crate::test_app::TestApp;

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
