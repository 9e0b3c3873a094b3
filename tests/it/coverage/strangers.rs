//! Resources of another account, which no operation finds.
use linepress_accounts::accounts::Plan;
use serde_json::json;

use super::{Account, Resource, TABLE, all_resources, call, seen_by};
use crate::test_app::{Resources, TestApp};

#[tokio::test]
async fn every_operation_on_a_resource_finds_nothing_of_another_account() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 9).await;
    let resources = all_resources(&app, &ada).await;
    let before = seen_by(&ada, &resources).await;
    for (operation, ..) in TABLE.iter().filter(|(operation, ..)| operation.contains('{')) {
        assert!(
            TABLE.iter().any(|(name, on, ..)| name == operation && *on != Account),
            "{operation}"
        );
    }
    for (operation, _, sent, _) in TABLE.iter().filter(|(_, on, ..)| *on == Resource) {
        let reply = call(&app, &ben, &resources, operation, sent, &[]).await;
        reply.expect_error(404, "not_found");
        assert_eq!(reply.header("x-service-credits-available"), "9", "{operation}");
        reply.expect_free();
    }
    assert_eq!(seen_by(&ada, &resources).await, before);
    for list in ["pages", "characters", "books", "operations"] {
        assert_eq!(ben.count(list).await, 0, "{list}");
    }
    app.check_books().await;
}

#[tokio::test]
async fn every_reference_to_a_resource_of_another_account_is_refused_by_its_field() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let ben = app.account_named("ben@example.com", Plan::Business, 11).await;
    let Resources { page, character, .. } = all_resources(&app, &ada).await;
    let own = all_resources(&app, &ben).await;
    let (book, own_page) = (&own.book, &own.page);
    for (method, path, body, field) in [
        (
            "POST",
            "/pages",
            json!({"page": {"title": "B", "character_ids": [character]}}),
            "page.character_ids[0]",
        ),
        (
            "PATCH",
            &format!("/pages/{own_page}"),
            json!({"page": {"character_ids": [character]}}),
            "page.character_ids[0]",
        ),
        (
            "POST",
            "/books",
            json!({"book": {"title": "B", "pages": [{"page_id": page}]}}),
            "book.pages[0].page_id",
        ),
        (
            "POST",
            "/books",
            json!({"book": {"title": "B", "character_ids": [character], "pages": [{"title": "A"}]}}),
            "book.character_ids[0]",
        ),
        (
            "POST",
            "/books",
            json!({"book": {"title": "B", "pages": [{"title": "A", "character_ids": [character]}]}}),
            "book.pages[0].character_ids[0]",
        ),
        (
            "PATCH",
            &format!("/books/{book}"),
            json!({"book": {"character_ids": [character]}}),
            "book.character_ids[0]",
        ),
        (
            "POST",
            &format!("/books/{book}/pages"),
            json!({"page_id": page}),
            "page_id",
        ),
        (
            "POST",
            &format!("/books/{book}/pages"),
            json!({"page": {"title": "B", "character_ids": [character]}}),
            "page.character_ids[0]",
        ),
        (
            "PATCH",
            &format!("/books/{book}/pages/order"),
            json!({"page_ids": [page]}),
            "page_ids[0]",
        ),
        (
            "POST",
            "/book_plans",
            json!({"book_plan": {"theme": "Woods", "page_count": 1, "character_ids": [character]}}),
            "book_plan.character_ids[0]",
        ),
    ] {
        let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
        let reply = ben.send(method, path, &headers, body.to_string().into()).await;
        reply.expect_fields(&[field]);
        reply.expect_free();
    }
    assert_eq!(ben.credits().await, 8);
}
