//! Section 1 of the specification: the typical flow, from a theme to a printed book.
use serde_json::json;

use crate::test_app::{Form, TestApp, id, pictures};
use crate::testing;

#[tokio::test]
async fn a_book_is_planned_reviewed_generated_polled_repaired_and_printed() {
    let app = TestApp::builder()
        .image_provider(
            "testbed.flaky",
            json!({"fail": "refused", "seeds": "all", "prompt": "thunder"}),
        )
        .all_plugins()
        .start()
        .await;
    let ada = app.account(10).await;

    let wish = json!({"book_plan": {"theme": "A day in the woods", "page_count": 3}});
    let plan = ada.post("/book_plans", &wish).await.expect(200)["book_plan"].clone();
    assert_eq!(plan["page_concepts"].as_array().unwrap().len(), 3);
    let mut request = plan["generation_request"].clone();
    request["book"]["pages"][2]["prompt"] = "A thunderstorm".into();

    let accepted = ada.generate("/books", "a-new-key", &request).await;
    assert_eq!(
        accepted.header("x-service-credits-consumed"),
        plan["credit_estimate"]["credits"].to_string()
    );
    let operation = accepted.header("location").to_owned();
    let ended = loop {
        let poll = ada.get(&operation).await;
        let now = poll.expect(200)["operation"].clone();
        if !poll.headers.contains_key("retry-after") {
            break now;
        }
        assert!(testing::work_once(&app.server).await.unwrap());
    };
    assert_eq!(ended["status"], "partially_succeeded");
    assert_eq!(ended["credits"], json!({"charged": 3, "refunded": 1}));

    let book = id(&accepted.json(), "book");
    let broken = ada.page_ids(&book).await[2].clone();
    ada.get(&format!("/books/{book}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
    let repaired = Form::image(&pictures::png(1152, 1536));
    ada.send_form("PUT", &format!("/pages/{broken}/image"), repaired)
        .await
        .expect(200);

    let formats = ada.get("/print_formats").await.expect(200)["print_formats"].clone();
    let aspect = ada.look(&format!("/books/{book}"), "book").await["aspect"].clone();
    let format = formats
        .as_array()
        .unwrap()
        .iter()
        .find(|format| format["aspect"] == aspect);
    let format = format.unwrap()["id"].as_str().unwrap();
    let pdf = ada.get(&format!("/books/{book}/pdf?format={format}")).await;
    assert_eq!(
        (pdf.status.as_u16(), pdf.header("content-type")),
        (200, "application/pdf")
    );
    assert!(pdf.body.starts_with(b"%PDF-"));
    assert_eq!(ada.credits().await, 8);
    app.check_ledger().await;
}
