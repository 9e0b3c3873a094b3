//! `GET /books/{id}/pdf`.
use serde_json::json;

use crate::test_app::{Actor, TestApp};

async fn book(app: &TestApp, ada: &Actor, aspect: &str) -> String {
    let body = json!({"book": {"title": "Woodland Friends", "author": "Ada", "aspect": aspect,
        "pages": [{"title": "A fox", "caption": "Hello, fox!"}, {"title": "An owl"}]}});
    let book = app.accepted(ada, "/books", &body).await;
    app.draw_what_is_due().await;
    format!("/books/{}", book["book"]["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_pdf_has_the_size_of_its_format_and_only_matching_ones_are_made() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "portrait").await;
    let pdf = ada.get(&format!("{path}/pdf")).await;
    assert_eq!(pdf.status, 200, "{}", String::from_utf8_lossy(&pdf.body));
    assert_eq!(pdf.header("content-type"), "application/pdf");
    assert_eq!(
        pdf.header("content-disposition"),
        "attachment; filename=\"woodland-friends-us_letter.pdf\""
    );
    assert!(pdf.body.starts_with(b"%PDF-"));
    assert_eq!(ada.get(&format!("{path}/pdf?format=us_letter")).await.body, pdf.body);
    assert_ne!(ada.get(&format!("{path}/pdf?format=a4")).await.body, pdf.body);
    let error = ada
        .get(&format!("{path}/pdf?format=square"))
        .await
        .expect_error(422, "format_mismatch");
    assert!(error["message"].as_str().unwrap().contains("us_letter, a4"));
    ada.get(&format!("{path}/pdf?format=broadsheet"))
        .await
        .expect_error(400, "invalid_request");
    ada.get("/books/book_none/pdf").await.expect_error(404, "not_found");
}

#[tokio::test]
async fn a_second_download_is_read_and_not_made() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let path = book(&app, &ada, "square").await;
    let first = ada.get(&format!("{path}/pdf")).await;
    assert_eq!(first.status, 200);
    // What is cached is what is sent: a mark put into it comes back.
    let prints = app.server.config.objects_dir().join("prints");
    let cached: Vec<_> = std::fs::read_dir(&prints)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(cached.len(), 1);
    std::fs::write(&cached[0], b"%PDF-marked %%EOF").unwrap();
    assert_eq!(ada.get(&format!("{path}/pdf")).await.body, "%PDF-marked %%EOF");
    // What a power cut left is made again.
    std::fs::write(&cached[0], &first.body[..first.body.len() / 2]).unwrap();
    assert_eq!(ada.get(&format!("{path}/pdf")).await.body, first.body);
    // Another picture, another PDF.
    let page = ada.get(&path).await.expect(200)["book"]["pages"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    ada.generate(&format!("/pages/{page}/regenerate"), "k9", &json!({}))
        .await
        .expect(202);
    ada.get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
    app.draw_everything().await;
    let again = ada.get(&format!("{path}/pdf")).await;
    assert!(again.body.len() > 1000 && again.body != first.body);
}

#[tokio::test]
async fn a_pdf_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let path = book(&app, &ada, "portrait").await;
    let pdf = ada.get(&format!("{path}/pdf")).await;
    pdf.expect_free();
    assert_eq!(pdf.header("x-service-credits-available"), "0");
    assert_eq!(pdf.header("cache-control"), "private, no-store");
}

#[tokio::test]
async fn a_book_is_not_ready_while_a_page_is_not_and_the_response_names_the_pages() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A fox"}, {"title": "An owl"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let path = format!("/books/{}", accepted["book"]["id"].as_str().unwrap());
    let page = |index: usize| accepted["book"]["pages"][index]["id"].as_str().unwrap().to_owned();
    let error = ada
        .get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
    assert_eq!(
        error["details"],
        json!([
            {"field": "pages[0]", "message": format!("{} is generating", page(0))},
            {"field": "pages[1]", "message": format!("{} is generating", page(1))},
            {"field": "cover", "message": "is generating"},
        ])
    );
    app.draw_what_is_due().await;
    assert_eq!(ada.get(&format!("{path}/pdf")).await.status, 200);

    app.accepted(&ada, &format!("/pages/{}/regenerate", page(1)), &json!({}))
        .await;
    let error = ada
        .get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
    assert_eq!(
        error["details"],
        json!([{"field": "pages[1]", "message": format!("{} is generating", page(1))}])
    );
    // Without that page nothing is missing.
    ada.delete(&format!("{path}/pages/{}", page(1)))
        .await
        .expect_no_content();
    assert_eq!(ada.get(&format!("{path}/pdf")).await.status, 200);
    ada.delete(&format!("{path}/pages/{}", page(0)))
        .await
        .expect_no_content();
    ada.get(&format!("{path}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
}
