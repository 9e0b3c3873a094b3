//! Error messages: they say what is wrong and what to do.
use linepress_accounts::accounts::Plan;
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, TestApp, pictures};

async fn message_of_import(ada: &Actor, form: Form) -> String {
    let reply = ada.import(form).await;
    assert!(reply.status.is_client_error());
    reply.json()["error"]["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_file_in_the_wrong_field_gets_the_right_field_name() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let form = Form::titled("A fox").file("file", "fox.png", &pictures::png(576, 768));
    let error = ada.import(form).await.expect_error(422, "validation_failed");
    assert_eq!(
        error["details"],
        json!([{"field": "file", "message": "must not be a file: send the file in the field image"}])
    );
    let form = Form::new()
        .bytes("title", b"\xff\xfe")
        .picture("fox.png", &pictures::png(576, 768));
    let error = ada.import(form).await.expect_error(422, "validation_failed");
    assert_eq!(
        error["details"],
        json!([{"field": "title", "message": "must be text in UTF-8"}])
    );
}

#[tokio::test]
async fn a_picture_that_does_not_fit_gets_the_expected_size() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let form = |width, height| Form::image(&pictures::png(width, height)).text("title", "A fox");
    assert_eq!(
        message_of_import(&ada, form(300, 600)).await,
        "The image has the wrong shape (300 x 600 pixels): it may differ by 10% from 1152 x 1536, the recommended pixels \
         of a portrait page."
    );
    assert_eq!(
        message_of_import(&ada, form(90, 120)).await,
        "The image is too small (90 x 120 pixels): its shorter side has at least 256, and 1152 x 1536 are recommended."
    );
}

#[tokio::test]
async fn a_missing_image_says_whether_it_is_still_being_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let page = app.new_page(&ada, "A fox").await.page_id();
    let path = format!("/pages/{page}/image");
    let error = ada.get(&path).await.expect_error(404, "not_found");
    assert_eq!(
        error["message"],
        "The image of this page is still being drawn. Wait until its operation has ended."
    );
    app.draw_everything().await;
    assert_eq!(ada.get(&path).await.status, 200);
    let error = ada
        .get("/pages/page_of_nobody/image")
        .await
        .expect_error(404, "not_found");
    assert_eq!(error["message"], "There is no such page.");
}

#[tokio::test]
async fn a_malformed_key_is_not_called_revoked() {
    let app = TestApp::start().await;
    let anonymous = app.anonymous();
    let basic = [("authorization", "Basic YWRhOng=")];
    let reply = anonymous.send("GET", "/me", &basic, axum::body::Body::empty()).await;
    let error = reply.expect_error(401, "unauthorized");
    assert_eq!(
        error["message"],
        "The Authorization header is malformed. Send the API key as: Authorization: Bearer <API_KEY>."
    );
}

#[tokio::test]
async fn a_single_credit_is_singular() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    let reply = ada.generate("/pages", "k", &json!({"page": {"title": "A fox"}})).await;
    let error = reply.expect_error(402, "insufficient_credits");
    assert_eq!(
        error["message"],
        "This needs 1 credit and the account has 0. The operator of this server can add some."
    );
}

#[tokio::test]
async fn a_book_that_is_not_ready_names_the_page_and_its_operation() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let accepted = ada
        .generate(&format!("/pages/{page}/regenerate"), "k", &json!({}))
        .await;
    let operation = accepted.expect(202)["operation"]["id"].as_str().unwrap().to_owned();
    let error = ada
        .get(&format!("/books/{book}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
    assert_eq!(
        error["details"],
        json!([{"field": "pages[0]", "message": format!("{page} is generating, by {operation}")}])
    );
    // The old image remains available meanwhile.
    assert_eq!(ada.get(&format!("/pages/{page}/image")).await.status, 200);
}

#[tokio::test]
async fn a_character_can_be_named_while_it_is_drawn_again() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let pip = app.ready_character(&ada, "Pip").await;
    ada.generate(&format!("/characters/{pip}/regenerate"), "k1", &json!({}))
        .await
        .expect(202);
    let body = json!({"page": {"title": "Pip reads", "character_ids": [pip]}});
    ada.generate("/pages", "k2", &body).await.expect(202);
    // A character that has never been drawn cannot be named.
    let kit = app.new_character(&ada, "Kit").await.character_id();
    let body = json!({"page": {"title": "Kit reads", "character_ids": [kit]}});
    ada.generate("/pages", "k3", &body)
        .await
        .expect_fields(&["page.character_ids[0]"]);
    app.draw_everything().await;
    app.check_books().await;
}

#[tokio::test]
async fn without_a_provider_a_generation_is_refused_and_costs_nothing() {
    let app = TestApp::builder()
        .config(|config| config.image_providers = vec!["acme.nowhere".into()])
        .start()
        .await;
    let ada = app.account_named("ada@example.com", Plan::Business, 5).await;
    let bodies: [(&str, Value); 3] = [
        ("/pages", json!({"page": {"title": "A fox"}})),
        ("/characters", json!({"character": {"name": "Pip"}})),
        (
            "/books",
            json!({"book": {"title": "Woods", "pages": [{"title": "A fox"}]}}),
        ),
    ];
    for (path, body) in &bodies {
        let reply = ada.generate(path, "k", body).await;
        reply.expect_error(503, "generation_unavailable");
        assert_eq!(reply.header("retry-after"), "30");
        assert_eq!(reply.header("x-service-credits-consumed"), "0");
    }
    assert_eq!(ada.credits().await, 5);
    assert_eq!(ada.count("operations").await, 0);
    assert_eq!(
        ada.get("/me").await.expect(200)["account"]["capabilities"]["generate"],
        false
    );
}

#[tokio::test]
async fn an_unknown_form_field_gets_the_known_ones() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let form = Form::titled("A fox")
        .text("colour", "red")
        .picture("fox.png", &pictures::png(576, 768));
    let error = ada.import(form).await.expect_error(422, "validation_failed");
    assert_eq!(
        error["details"],
        json!([{"field": "colour",
            "message": "is not known here; the fields are title, caption, aspect, character_ids, image"}])
    );
}

#[tokio::test]
async fn a_conflict_with_a_generation_names_its_operation() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let (page, operation) = (accepted.page_id(), accepted.operation_id());
    let again = ada
        .generate(&format!("/pages/{page}/regenerate"), "k", &json!({}))
        .await;
    assert_eq!(
        again.expect_error(409, "generation_active")["message"],
        format!("This page already has a generation under way. Wait until its operation {operation} has ended.")
    );
    let book = app.imported_page(&ada, "An owl").await;
    let book = json!({"book": {"title": "B", "pages": [{"page_id": book}]}});
    let book = app.accepted(&ada, "/books", &book).await.book_id();
    let attached = ada
        .post(&format!("/books/{book}/pages"), &json!({"page_id": page}))
        .await;
    assert_eq!(
        attached.expect_error(422, "validation_failed")["details"][0]["message"],
        format!("names a page that is being drawn; wait until its operation {operation} has ended")
    );
}

#[tokio::test]
async fn a_reached_limit_says_what_makes_room() {
    let app = TestApp::builder()
        .config(|config| config.limits.books = 1)
        .start()
        .await;
    let ada = app.account(5).await;
    let book = json!({"book": {"title": "B", "pages": [{"title": "A fox"}]}});
    app.accepted(&ada, "/books", &book).await;
    let refused = ada.generate("/books", "k", &book).await;
    assert_eq!(
        refused.expect_error(422, "account_limit_reached")["message"],
        "The limit of this account for books is 1, and this would be more. Delete some that you do not need. \
         GET /me shows every limit and its use."
    );
}

#[tokio::test]
async fn a_duplicate_header_is_named() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let twice = [("authorization", "Bearer another")];
    let reply = ada.send("GET", "/me", &twice, axum::body::Body::empty()).await;
    assert_eq!(
        reply.expect_error(401, "unauthorized")["message"],
        "Send one Authorization header, not several."
    );
    let twice = [
        ("content-type", "application/json"),
        ("idempotency-key", "a"),
        ("idempotency-key", "b"),
    ];
    let body = json!({"page": {"title": "A fox"}}).to_string();
    let reply = ada.send("POST", "/pages", &twice, body.into()).await;
    assert_eq!(
        reply.expect_error(400, "idempotency_key_required")["message"],
        "Send one Idempotency-Key header, not several."
    );
}
