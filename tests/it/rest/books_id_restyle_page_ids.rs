//! `POST /books/{id}/restyle` with `page_ids`: chosen pages of a book are drawn again with one order.
use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp};

/// The revisions of the images of these pages.
async fn revisions(ada: &Actor, ids: &[String]) -> Vec<i64> {
    let mut all = Vec::new();
    for id in ids {
        let page = ada.look(&format!("/pages/{id}"), "page").await;
        all.push(page["image"]["revision"].as_i64().unwrap());
    }
    all
}

async fn look(ada: &Actor, path: &str, kind: &str) -> [Value; 4] {
    let shown = ada.look(path, kind).await;
    ["line_weight", "detail", "style", "frame"].map(|field| shown[field].clone())
}

#[tokio::test]
async fn chosen_pages_are_drawn_again_with_one_operation_and_everything_else_remains() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl", "A hare"]).await;
    let path = format!("/books/{book}");
    let ids = ada.page_ids(&book).await;
    let own = json!({"page": {"line_weight": "bold", "frame": "scooped"}});
    ada.patch(&format!("/pages/{}", ids[2]), &own).await.expect(200);
    let wish = json!({"book": {"page_ids": [ids[2], ids[0]]}});
    let reply = ada.generate(&format!("{path}/restyle"), "k1", &wish).await;
    assert_eq!(reply.header("x-service-credits-consumed"), "2");
    let accepted = reply.expect(202);
    let operation = &accepted["operation"];
    assert_eq!(operation["credits"]["charged"], 2);
    let drawn: Vec<_> = operation["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["id"])
        .collect();
    assert_eq!(drawn, [&json!(ids[2]), &json!(ids[0])]);
    let replay = ada.generate(&format!("{path}/restyle"), "k1", &wish).await;
    assert_eq!(replay.expect(202), accepted);
    assert_eq!(replay.header("x-service-credits-consumed"), "0");
    let fewer = json!({"book": {"page_ids": [ids[2]]}});
    ada.generate(&format!("{path}/restyle"), "k1", &fewer)
        .await
        .expect_error(409, "idempotency_conflict");
    app.draw_everything().await;
    assert_eq!(revisions(&ada, &ids).await, [2, 1, 2]);
    // Without a look in the request, each page keeps its own.
    let bold = [json!("bold"), json!("usual"), json!(""), json!("scooped")];
    assert_eq!(look(&ada, &format!("/pages/{}", ids[2]), "page").await, bold);
    assert_eq!(ada.credits().await, 4);

    let wish = json!({"book": {"page_ids": [ids[2]], "detail": "simple"}});
    app.accepted(&ada, &format!("{path}/restyle"), &wish).await;
    app.draw_everything().await;
    let simple = [json!("bold"), json!("simple"), json!(""), json!("scooped")];
    assert_eq!(look(&ada, &format!("/pages/{}", ids[2]), "page").await, simple);
    let usual = [json!("usual"), json!("usual"), json!(""), json!("usual")];
    assert_eq!(look(&ada, &path, "book").await, usual);
    assert_eq!(look(&ada, &format!("/pages/{}", ids[0]), "page").await, usual);
    app.check_books().await;
}

#[tokio::test]
async fn an_imported_page_that_was_chosen_is_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let own = app.imported_page(&ada, "Mine").await;
    ada.post(&format!("/books/{book}/pages"), &json!({"page_id": own}))
        .await
        .expect(200);
    let wish = json!({"book": {"page_ids": [own]}});
    app.accepted(&ada, &format!("/books/{book}/restyle"), &wish).await;
    app.draw_everything().await;
    assert_eq!(revisions(&ada, &[own]).await, [2]);
    assert_eq!(ada.credits().await, 1);
    app.check_books().await;
}

#[tokio::test]
async fn locked_pages_are_named_and_nothing_is_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl", "A hare"]).await;
    let path = format!("/books/{book}/restyle");
    let ids = ada.page_ids(&book).await;
    let lock = async |id: &str| {
        let change = json!({"page": {"locked": true}});
        ada.patch(&format!("/pages/{id}"), &change).await.expect(200);
    };
    lock(&ids[1]).await;
    let wish = json!({"book": {"page_ids": ids}});
    let refused = ada.generate(&path, "k1", &wish).await;
    assert_eq!(
        refused.expect_error(409, "page_locked")["message"],
        "This page is locked, so nothing is drawn again: “An owl”. Unlock it first, or leave it out."
    );
    refused.expect_free();
    lock(&ids[0]).await;
    let refused = ada.generate(&path, "k1", &wish).await;
    assert_eq!(
        refused.expect_error(409, "page_locked")["message"],
        "These pages are locked, so nothing is drawn again: “A fox”, “An owl”. Unlock them first, or \
         leave them out."
    );
    assert_eq!(ada.credits().await, 6);
    assert_eq!(ada.look(&format!("/books/{book}"), "book").await["status"], "ready");
    // The others are drawn without it, under the same key.
    let wish = json!({"book": {"page_ids": [ids[2]]}});
    ada.generate(&path, "k1", &wish).await.expect(202);
    app.draw_everything().await;
    assert_eq!(revisions(&ada, &ids).await, [1, 1, 2]);
    app.check_books().await;
}

#[tokio::test]
async fn a_wrong_list_of_pages_is_refused() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let other = app.ready_page(&ada, "A hare").await;
    let path = format!("/books/{book}/restyle");
    let ids = ada.page_ids(&book).await;
    let many = vec![ids[0].clone(); 101];
    for (wish, field, message) in [
        (json!([]), "book.page_ids", "must name 1 to 100 pages"),
        (json!(many), "book.page_ids", "must name 1 to 100 pages"),
        (
            json!([ids[0], other]),
            "book.page_ids[1]",
            "names a page that is not in the book",
        ),
        (
            json!(["page_1"]),
            "book.page_ids[0]",
            "names a page that is not in the book",
        ),
        (
            json!([ids[0], ids[0]]),
            "book.page_ids[1]",
            "names a page for the second time",
        ),
    ] {
        let body = json!({"book": {"page_ids": wish}});
        let error = ada
            .generate(&path, "k1", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(
            error["details"],
            json!([{"field": field, "message": message}]),
            "{body}"
        );
    }
    assert_eq!(ada.credits().await, 6);
    assert_eq!(revisions(&ada, &ids).await, [1, 1]);
    // A page that is being drawn is refused, and so is a list that costs more than there is.
    app.accepted(&ada, &format!("/pages/{}/regenerate", ids[0]), &json!({}))
        .await;
    let wish = json!({"book": {"page_ids": [ids[0]]}});
    ada.generate(&path, "k2", &wish)
        .await
        .expect_error(409, "generation_active");
    app.draw_everything().await;
    let ben = app
        .account_named("ben@example.com", linepress_accounts::accounts::Plan::Business, 1)
        .await;
    ben.generate(&path, "k2", &wish).await.expect_error(404, "not_found");
    app.check_books().await;
}

#[tokio::test]
async fn an_order_beyond_the_balance_draws_none_of_its_pages() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let ids = ada.page_ids(&book).await;
    let wish = json!({"book": {"page_ids": ids}});
    ada.generate(&format!("/books/{book}/restyle"), "k1", &wish)
        .await
        .expect_error(402, "insufficient_credits");
    assert_eq!(ada.credits().await, 1);
    assert_eq!(ada.look(&format!("/books/{book}"), "book").await["status"], "ready");
    app.check_books().await;
}

#[tokio::test]
async fn an_agent_confirms_the_price_of_the_chosen_pages() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox", "An owl", "A hare"]).await;
    let ids = ada.page_ids(&book).await;
    let agent = app.agent("ada@example.com").await;
    let arguments = |credits: i64| {
        let page_ids = &ids[..2];
        json!({"book_id": book, "page_ids": page_ids, "idempotency_key": "k1", "confirm_credits": credits})
    };
    let unconfirmed = agent.call("restyle_book", arguments(3)).await;
    assert!(
        unconfirmed.text().contains("confirm_credits: 2"),
        "{}",
        unconfirmed.text()
    );
    assert_eq!(ada.credits().await, 6);
    let ordered = agent.call("restyle_book", arguments(2)).await;
    assert!(ordered.text().contains("for 2 credits"), "{}", ordered.text());
    app.draw_everything().await;
    assert_eq!(revisions(&ada, &ids).await, [2, 2, 1]);
    assert_eq!(ada.credits().await, 4);
}
