//! The authorization table: every operation of the OpenAPI document, a valid call of it, and the callers it refuses.
mod scopes;
mod strangers;

use std::collections::BTreeSet;

use crate::testing;
use axum::body::Body;
use linepress_accounts::accounts::{self, Plan};
use serde_json::{Value, json};

use crate::maintenance;
use crate::test_app::{Actor, Form, Reply, Resources, TestApp, operations, pictures};

/// The content that is sent with a call.
enum Sent {
    Nothing,
    Json(fn(&Resources) -> Value),
    /// JSON with a new idempotency key.
    Generation(fn(&Resources) -> Value),
    /// A form with a picture and these texts.
    Picture(&'static [(&'static str, &'static str)]),
}
use Sent::{Generation, Json, Nothing, Picture};

/// The kind of thing on which an operation works. A resource must belong to the caller.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Account,
    Resource,
    /// Something that only operators may see or change.
    Server,
}
use Target::{Account, Resource, Server};

/// Each operation with the resource it works on, the content that is sent, and the status that the owner gets.
#[rustfmt::skip]
const TABLE: &[(&str, Target, Sent, u16)] = &[
    ("GET /me", Account, Nothing, 200),
    ("GET /ledger", Account, Nothing, 200),
    ("GET /usage", Account, Nothing, 200),
    ("GET /requests", Account, Nothing, 200),
    ("GET /keys", Account, Nothing, 200),
    ("POST /keys", Account, Json(|_| json!({"key": {"name": "The shop"}})), 201),
    ("GET /keys/{id}", Resource, Nothing, 200),
    ("DELETE /keys/{id}", Resource, Nothing, 204),
    ("POST /keys/{id}/rotate", Resource, Json(|_| json!({"overlap_hours": 1})), 200),
    ("GET /print_formats", Account, Nothing, 200),
    ("POST /book_plans", Account, Json(|_| json!({"book_plan": {"theme": "Woods", "page_count": 1}})), 200),
    ("GET /operations", Account, Nothing, 200),
    ("GET /operations/{id}", Resource, Nothing, 200),
    ("GET /operations/{id}/events", Resource, Nothing, 200),
    ("POST /operations/{id}/cancel", Resource, Nothing, 200),
    ("GET /characters", Account, Nothing, 200),
    ("POST /characters", Account, Generation(|_| json!({"character": {"name": "Kit"}})), 202),
    ("GET /characters/{id}", Resource, Nothing, 200),
    ("PATCH /characters/{id}", Resource, Json(|_| json!({"character": {"name": "Kit"}})), 200),
    ("PUT /characters/{id}", Resource, Json(|_| json!({"character": {"name": "Kit"}})), 200),
    ("DELETE /characters/{id}", Resource, Nothing, 204),
    ("GET /characters/{id}/reference_image", Resource, Nothing, 200),
    ("POST /characters/{id}/regenerate", Resource, Generation(|_| json!({})), 202),
    ("GET /characters/{id}/attempts", Resource, Nothing, 200),
    ("POST /characters/{id}/attempts/{attempt_id}/choose", Resource, Nothing, 200),
    ("GET /characters/{id}/attempts/{attempt_id}/image", Resource, Nothing, 200),
    ("POST /characters/{id}/restore", Resource, Nothing, 200),
    ("GET /books", Account, Nothing, 200),
    ("POST /books", Account, Generation(|_| json!({"book": {"title": "B", "pages": [{"title": "A"}]}})), 202),
    ("GET /books/{id}", Resource, Nothing, 200),
    ("PATCH /books/{id}", Resource, Json(|_| json!({"book": {"title": "C"}})), 200),
    ("PUT /books/{id}", Resource, Json(|_| json!({"book": {"title": "C"}})), 200),
    ("DELETE /books/{id}", Resource, Nothing, 204),
    ("GET /books/{id}/cover_image", Resource, Nothing, 200),
    ("PUT /books/{id}/cover_image", Resource, Picture(&[]), 200),
    ("POST /books/{id}/cover/regenerate", Resource, Generation(|_| json!({})), 202),
    ("POST /books/{id}/restyle", Resource, Generation(|_| json!({"book": {"detail": "simple"}})), 202),
    ("POST /books/{id}/copy", Resource, Json(|_| json!({})), 201),
    ("GET /books/{id}/cover/attempts", Resource, Nothing, 200),
    ("POST /books/{id}/cover/attempts/{attempt_id}/choose", Resource, Nothing, 200),
    ("GET /books/{id}/cover/attempts/{attempt_id}/image", Resource, Nothing, 200),
    ("GET /books/{id}/pdf", Resource, Nothing, 200),
    ("GET /books/{id}/package", Resource, Nothing, 422),
    ("GET /books/{id}/print_check", Resource, Nothing, 200),
    ("GET /books/{id}/review_links", Resource, Nothing, 200),
    ("POST /books/{id}/review_links", Resource, Json(|_| json!({"review_link": {"days": 7}})), 201),
    ("DELETE /review_links/{id}", Resource, Nothing, 204),
    ("GET /books/{id}/comments", Resource, Nothing, 200),
    ("PATCH /comments/{id}", Resource, Json(|_| json!({"comment": {"resolved": true}})), 200),
    ("DELETE /comments/{id}", Resource, Nothing, 204),
    ("POST /books/{id}/pages", Resource, Generation(|_| json!({"page": {"title": "A"}})), 202),
    ("DELETE /books/{id}/pages/{page_id}", Resource, Nothing, 204),
    ("PATCH /books/{id}/pages/order", Resource, Json(|own| json!({"page_ids": [own.book_page]})), 200),
    ("GET /pages", Account, Nothing, 200),
    ("POST /pages", Account, Generation(|_| json!({"page": {"title": "A"}})), 202),
    ("POST /pages/import", Account, Picture(&[("title", "A")]), 201),
    ("GET /pages/{id}", Resource, Nothing, 200),
    ("PATCH /pages/{id}", Resource, Json(|_| json!({"page": {"title": "B"}})), 200),
    ("PUT /pages/{id}", Resource, Json(|_| json!({"page": {"title": "B"}})), 200),
    ("DELETE /pages/{id}", Resource, Nothing, 204),
    ("GET /pages/{id}/image", Resource, Nothing, 200),
    ("PUT /pages/{id}/image", Resource, Picture(&[]), 200),
    ("POST /pages/{id}/regenerate", Resource, Generation(|_| json!({})), 202),
    ("POST /pages/{id}/refine", Resource, Generation(|_| json!({"page": {"instruction": "B"}})), 202),
    ("GET /pages/{id}/attempts", Resource, Nothing, 200),
    ("POST /pages/{id}/attempts/{attempt_id}/choose", Resource, Nothing, 200),
    ("GET /pages/{id}/attempts/{attempt_id}/image", Resource, Nothing, 200),
    ("GET /bin", Account, Nothing, 200),
    ("DELETE /bin", Account, Nothing, 204),
    ("DELETE /bin/{id}", Resource, Nothing, 204),
    ("POST /bin/{id}/restore", Resource, Nothing, 200),
    ("POST /artwork_uploads", Account, Nothing, 201),
    ("GET /webhooks", Account, Nothing, 200),
    ("POST /webhooks", Account, Json(|_| json!({"webhook": {"url": "https://shop.example.com/events"}})), 201),
    ("GET /webhooks/{id}", Resource, Nothing, 200),
    ("PATCH /webhooks/{id}", Resource, Json(|_| json!({"webhook": {"description": "The shop"}})), 200),
    ("POST /webhooks/{id}/rotate_secret", Resource, Nothing, 200),
    ("POST /callback_secret", Account, Nothing, 200),
    ("POST /webhooks/{id}/test", Resource, Nothing, 200),
    ("GET /webhooks/{id}/deliveries", Resource, Nothing, 200),
    ("POST /webhooks/{id}/deliveries/{delivery_id}/replay", Resource, Nothing, 200),
    ("DELETE /webhooks/{id}", Resource, Nothing, 204),
    ("GET /admin/accounts", Server, Nothing, 200),
    ("POST /admin/accounts", Server, Json(|_| json!({"managed_account": {"email": "i@example.com", "plan": "free"}})), 201),
    ("GET /admin/accounts/{id}", Server, Nothing, 200),
    ("PATCH /admin/accounts/{id}", Server, Json(|_| json!({"managed_account": {"plan": "free"}})), 200),
    ("POST /admin/accounts/{id}/credits", Server, Json(|_| json!({"amount": 1, "reason": "A gift"})), 200),
    ("POST /admin/accounts/{id}/suspend", Server, Json(|_| json!({"reason": "A mistake"})), 200),
    ("POST /admin/accounts/{id}/resume", Server, Nothing, 200),
    ("POST /admin/accounts/{id}/password_link", Server, Nothing, 200),
    ("POST /admin/accounts/{id}/reset_second_factor", Server, Nothing, 200),
    ("POST /admin/accounts/{id}/close", Server, Nothing, 200),
    ("GET /admin/audit_log", Server, Nothing, 200),
    ("GET /admin/operations", Server, Nothing, 200),
    ("GET /admin/operations/{id}", Server, Nothing, 200),
    ("POST /admin/operations/{id}/cancel", Server, Nothing, 200),
    ("POST /admin/operations/{id}/retry", Server, Nothing, 200),
    ("GET /admin/queue", Server, Nothing, 200),
    ("POST /admin/queue/pause", Server, Json(|_| json!({"reason": "Maintenance"})), 200),
    ("POST /admin/queue/resume", Server, Nothing, 200),
    ("GET /admin/providers", Server, Nothing, 200),
    ("GET /admin/spending", Server, Nothing, 200),
    ("POST /admin/providers/{id}/switch_off", Server, Json(|_| json!({"reason": "Too slow"})), 200),
    ("POST /admin/providers/{id}/switch_on", Server, Nothing, 200),
    ("POST /admin/providers/{id}/end_pause", Server, Nothing, 200),
    ("GET /admin/health", Server, Nothing, 200),
    ("GET /admin/backups", Server, Nothing, 200),
    // The settings name no place for backups.
    ("POST /admin/backups", Server, Nothing, 404),
    ("GET /admin/settings", Server, Nothing, 200),
    ("GET /admin/plugins", Server, Nothing, 200),
    ("GET /admin/plugins/{id}", Server, Nothing, 200),
    ("POST /admin/plugins/{id}/allow", Server, Json(|_| json!({"digest": "any"})), 200),
    ("POST /admin/plugins/{id}/deny", Server, Nothing, 200),
    ("GET /admin/plugins/{id}/calls", Server, Nothing, 200),
    ("POST /admin/plugins/{id}/use", Server, Json(|_| json!({})), 200),
    // The only image provider remains in use.
    ("POST /admin/plugins/{id}/stop_using", Server, Nothing, 422),
    ("POST /admin/plugins/{id}/configure", Server, Json(|_| json!({"settings": {}})), 200),
];

/// Creates one resource of each kind, including a webhook to which one event was sent.
async fn all_resources(app: &TestApp, owner: &Actor) -> Resources {
    let resources = app.ready_resources(owner).await;
    let (webhook, delivery) = app.webhook_with_delivery(owner).await;
    let (review_link, comment) = app.review_link_with_comment(owner, &resources.book).await;
    Resources {
        review_link,
        comment,
        webhook,
        delivery,
        key: app.unused_key(owner).await,
        ..resources
    }
}

/// Deletes the webhook, of which an account has few, before all resources are created again.
async fn make_room(owner: &Actor, resources: &Resources) {
    let deleted = owner.delete(&format!("/webhooks/{}", resources.webhook)).await;
    assert!(matches!(deleted.status.as_u16(), 204 | 404), "{deleted:?}");
}

/// Returns the account and its resources as their owner sees them.
async fn seen_by(owner: &Actor, resources: &Resources) -> Vec<Value> {
    let mut seen = Vec::new();
    for path in [
        "/me".to_owned(),
        format!("/pages/{}", resources.page),
        format!("/characters/{}", resources.character),
        format!("/books/{}", resources.book),
        format!("/operations/{}", resources.operation),
    ] {
        seen.push(owner.get(&path).await.expect(200));
    }
    seen
}

/// Sends a valid call with additional headers.
async fn call(
    app: &TestApp,
    actor: &Actor,
    resources: &Resources,
    operation: &str,
    sent: &Sent,
    more: &[(&str, &str)],
) -> Reply {
    let (method, path) = operation.split_once(' ').unwrap();
    let key = app.new_key();
    let (headers, body): (Vec<(&str, String)>, Body) = match sent {
        Nothing => (vec![], Body::empty()),
        Json(body) => (
            vec![("content-type", "application/json".into())],
            body(resources).to_string().into(),
        ),
        Generation(body) => (
            vec![("content-type", "application/json".into()), ("idempotency-key", key)],
            body(resources).to_string().into(),
        ),
        Picture(texts) => {
            let form = Form::image(&pictures::png(576, 768));
            let form = texts.iter().fold(form, |form, (name, text)| form.text(name, text));
            let (kind, body) = (Form::media_type(), form.finish());
            (vec![("content-type", kind)], body.into())
        }
    };
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str()));
    let headers: Vec<_> = headers.chain(more.iter().copied()).collect();
    actor.send(method, &resources.fill(path), &headers, body).await
}

#[tokio::test]
async fn the_table_lists_exactly_the_operations_of_the_document() {
    let app = TestApp::start().await;
    let listed: BTreeSet<String> = TABLE.iter().map(|(operation, ..)| (*operation).to_owned()).collect();
    assert_eq!(listed.len(), TABLE.len(), "the table lists an operation twice");
    let document = app.openapi_document().await;
    let documented: BTreeSet<String> = operations(&document)
        .into_iter()
        .map(|(method, path, _)| format!("{} {path}", method.to_uppercase()))
        .collect();
    assert_eq!(documented, listed);
}

#[tokio::test]
async fn every_operation_serves_its_owner() {
    let app = TestApp::start().await;
    let ada = app.account(500).await;
    app.make_operator("ada@example.com").await;
    let mut resources = all_resources(&app, &ada).await;
    let customer = app.account_named("ben@example.com", Plan::Business, 0).await;
    resources.customer = customer.account_id().await;
    for (operation, _, sent, status) in TABLE {
        let reply = call(&app, &ada, &resources, operation, sent, &[]).await;
        assert_eq!(reply.status, *status, "{operation}: {:?}", reply.body);
        let consumed = if *status == 202 { "1" } else { "0" };
        assert_eq!(reply.header("x-service-credits-consumed"), consumed, "{operation}");
        // The next operation finds all resources, none of which is being drawn.
        app.draw_what_is_due().await;
        if operation.starts_with("DELETE") {
            make_room(&ada, &resources).await;
            let customer = resources.customer;
            resources = Resources {
                customer,
                ..all_resources(&app, &ada).await
            };
        }
    }
}

/// The operations that only read, although they do not use GET.
const READING: [&str; 1] = ["POST /book_plans"];

#[tokio::test]
async fn every_operation_that_may_change_something_is_refused_in_maintenance() {
    let app = TestApp::start().await;
    let ada = app.account(50).await;
    app.make_operator("ada@example.com").await;
    let mut resources = all_resources(&app, &ada).await;
    let customer = app.account_named("ben@example.com", Plan::Business, 0).await;
    resources.customer = customer.account_id().await;
    maintenance::begin(&app).await;
    let before = maintenance::stored(&app.server).await;
    for (operation, _, sent, status) in TABLE {
        let reply = call(&app, &ada, &resources, operation, sent, &[]).await;
        if operation.starts_with("GET ") || READING.contains(operation) {
            assert_eq!(reply.status, *status, "{operation}: {:?}", reply.body);
        } else {
            let error = reply.expect_error(503, "maintenance");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(maintenance::MESSAGE), "{operation}: {message}");
            assert_eq!(reply.header("retry-after"), "60", "{operation}");
        }
        reply.expect_free();
    }
    assert_eq!(maintenance::stored(&app.server).await, before);
}

#[tokio::test]
async fn every_operation_refuses_a_missing_or_invalid_key_and_a_cookie() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let resources = all_resources(&app, &ada).await;
    let before = seen_by(&ada, &resources).await;
    let key = format!("lp_{}", "x".repeat(43));
    for (operation, _, sent, _) in TABLE {
        for (client, more) in [
            (app.anonymous(), &[][..]),
            (app.with_key("lp_nonsense"), &[]),
            (app.with_key(&key), &[]),
            (
                app.anonymous(),
                &[("cookie", "session=lp_anything; linepress=lp_anything")],
            ),
            (app.anonymous(), &[("authorization", "Basic YWRhQGV4YW1wbGUuY29tOng=")]),
        ] {
            let reply = call(&app, &client, &resources, operation, sent, more).await;
            reply.expect_error(401, "unauthorized");
            assert_eq!(reply.header("www-authenticate"), "Bearer", "{operation}");
            assert_eq!(reply.header("cache-control"), "private, no-store");
            assert_eq!(reply.header("x-service-api-version"), "v1");
            // The response reveals no balance.
            assert!(!reply.headers.contains_key("x-service-credits-available"));
        }
    }
    assert_eq!(seen_by(&ada, &resources).await, before);
}

#[tokio::test]
async fn every_operation_refuses_an_account_without_a_business_plan() {
    let app = TestApp::start().await;
    let ada = app.account(11).await;
    let resources = all_resources(&app, &ada).await;
    let before = seen_by(&ada, &resources).await;
    let account = accounts::find(&app.server, "ada@example.com").await.unwrap().unwrap();
    testing::set_plan(&app.server, &account, Plan::Free).await.unwrap();
    // The operation is refused even on the account's own resources.
    for (operation, _, sent, _) in TABLE {
        let reply = call(&app, &ada, &resources, operation, sent, &[]).await;
        reply.expect_error(403, "plan_required");
        assert_eq!(reply.header("x-service-credits-available"), "8", "{operation}");
        reply.expect_free();
    }
    testing::set_plan(&app.server, &account, Plan::Business).await.unwrap();
    assert_eq!(seen_by(&ada, &resources).await, before);
}

#[tokio::test]
async fn every_operation_for_operators_refuses_other_accounts() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let operator = app.operator().await;
    let mut resources = all_resources(&app, &ada).await;
    let log = operator.get("/admin/audit_log").await.expect(200);
    // These addresses refuse a customer's own account as well.
    resources.customer = ada.account_id().await;
    for (operation, on, sent, _) in TABLE {
        assert_eq!(*on == Server, operation.contains(" /admin/"), "{operation}");
        if *on == Server {
            let reply = call(&app, &ada, &resources, operation, sent, &[]).await;
            reply.expect_error(403, "operator_required");
            reply.expect_free();
        }
    }
    assert_eq!(operator.get("/admin/audit_log").await.expect(200), log);
}
