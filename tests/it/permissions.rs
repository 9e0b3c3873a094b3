//! The concepts' own permission checks, without an interface above them: an app without scopes may do nothing, and an
//! app with all scopes is still not the owner. `architecture` checks that no public function lacks such a check.
use linepress_accounts::accounts::{KeyRotation, NewApiKey};
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::IdempotencyKey;
use linepress_accounts::order::{AgreedPrice, Order};
use linepress_accounts::requests::{self, RequestFilter};
use linepress_accounts::sign_in::{self, second_factor};
use linepress_accounts::{accounts, grants, webhooks};
use linepress_core::artwork::{ImageSize, attempts, uploads};
use linepress_core::books::Step;
use linepress_core::deletion::DeletedId;
use linepress_core::{books, characters, deletion, me, operations, pages, statement};
use linepress_planning::{drafts, plans};
use linepress_platform::database::PageRequest;
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::{
    AttemptId, BookId, CharacterId, CommentId, DeliveryId, DraftId, GrantId, KeyId, OperationId, PageId, ReviewLinkId,
    WebhookId,
};
use linepress_platform::month::Month;
use linepress_platform::scopes::Scopes;
use linepress_reviews::{comments, links};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::test_app::TestApp;

async fn app_with(app: &TestApp, scopes: Scopes) -> Caller {
    let granted = app.grant("ada@example.com", scopes, None).await;
    let resource = app.server.config.mcp_url();
    let caller = grants::caller_of_token(&app.server, &granted.access_token, &resource).await;
    caller.unwrap().expect("the token is valid")
}

fn request<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// Fails unless the call was refused for lack of a permission.
fn assert_refused<T>(call: &str, result: Result<T>) {
    match result.map(|_| ()) {
        Err(error)
            if matches!(
                error.kind,
                ErrorKind::InsufficientScope { .. } | ErrorKind::OwnerRequired
            ) => {}
        other => panic!("{call}: {other:?}"),
    }
}

macro_rules! refused {
    ($($call:expr),* $(,)?) => { $(assert_refused(stringify!($call), $call.await);)* };
}

#[tokio::test]
async fn an_app_without_scopes_may_do_nothing() {
    let app = TestApp::start().await;
    app.account(5).await;
    let server = &app.server;
    let caller = &app_with(&app, Scopes::default()).await;
    let key = &IdempotencyKey::parse(Some("k1")).unwrap();
    let order = &Order::new(key.clone(), AgreedPrice::Listed);
    let (book, page) = (&BookId::from_client("book_1"), &PageId::from_client("page_1"));
    let character = &CharacterId::from_client("character_1");
    let attempt = &AttemptId::from_client("att_1");
    let webhook = &WebhookId::from_client("hook_1");
    let comment = &CommentId::from_client("cmt_1");
    let deleted = &DeletedId::from_client("page_1");
    let scope = server.cursors.scope(caller.account_id(), "page_");
    let list = &PageRequest::parse(None, None, scope).unwrap();
    let new_page = request(json!({"title": "A fox"}));
    refused![
        me::me(server, caller),
        plans::plan(server, caller, &request(json!({"theme": "foxes", "page_count": 3}))),
        statement::list(server, caller, None, list),
        statement::usage(server, caller, Month::parse("2026-11").unwrap()),
        operations::get(server, caller, &OperationId::from_client("op_1")),
        operations::list(server, caller, None, list),
        attempts::page_notes(server, caller, &[]),
        uploads::create(server, caller),
        characters::get(server, caller, character),
        characters::list(server, caller, list),
        characters::list_archived(server, caller, list),
        characters::reference_image(server, caller, character),
        characters::list_attempts(server, caller, character, list),
        characters::attempt_image(server, caller, character, attempt),
        characters::choose_attempt(server, caller, character, attempt),
        characters::create(
            server,
            caller,
            order,
            &request(json!({"name": "Rose", "description": "A fox"})),
            None
        ),
        characters::regenerate(server, caller, order, character, &request(json!({})), None),
        characters::update(server, caller, character, &request(json!({}))),
        characters::archive(server, caller, character),
        characters::restore(server, caller, character),
        pages::get(server, caller, page),
        pages::find_all(server, caller, &[page]),
        pages::list(server, caller, None, list),
        pages::image(server, caller, page, ImageSize::Screen),
        pages::list_attempts(server, caller, page, list),
        pages::attempt_image(server, caller, page, attempt),
        pages::choose_attempt(server, caller, page, attempt),
        pages::create(server, caller, order, &new_page, None),
        pages::regenerate(server, caller, order, page, &request(json!({})), None),
        pages::refine(server, caller, order, page, &request(json!({"instruction": "A hat"}))),
        pages::update(server, caller, page, &request(json!({}))),
        pages::import(server, caller, None, &request(json!({"title": "A fox"})), None),
        pages::replace_image(server, caller, None, page, &request(json!({})), None),
        deletion::delete_page(server, caller, page),
        books::get(server, caller, book),
        books::list(server, caller, list),
        books::cover_image(server, caller, book),
        books::list_cover_attempts(server, caller, book, list),
        books::cover_attempt_image(server, caller, book, attempt),
        books::choose_cover_attempt(server, caller, book, attempt),
        books::pdf(server, caller, book, &request(json!({}))),
        books::print_check(server, caller, book, &request(json!({}))),
        linepress_publishing::package(server, caller, book, &request(json!({}))),
        linepress_publishing::prepare(server, caller, book, &request(json!({}))),
        linepress_publishing::listing(server, caller, book),
        links::list(server, caller, book, list),
        links::create(server, caller, book, &request(json!({}))),
        links::withdraw(server, caller, &ReviewLinkId::from_client("rev_1")),
        comments::list(server, caller, book, list),
        comments::update(server, caller, comment, &request(json!({}))),
        comments::delete(server, caller, comment),
        books::create(
            server,
            caller,
            order,
            &request(json!({"title": "Foxes", "pages": [{"title": "A fox"}]}))
        ),
        books::update(server, caller, book, &request(json!({}))),
        books::restyle(server, caller, order, book, &request(json!({}))),
        books::copy(server, caller, None, book, &request(json!({}))),
        deletion::delete_book(server, caller, book),
        deletion::list(server, caller, list),
        deletion::restore(server, caller, deleted),
        deletion::delete_for_good(server, caller, deleted),
        deletion::empty_bin(server, caller),
        books::attach(server, caller, None, book, page, None),
        books::attach_all(server, caller, key, book, std::slice::from_ref(page)),
        books::detach(server, caller, book, page),
        books::reorder(server, caller, book, &[]),
        books::reorder_seen(server, caller, book, &[], &[]),
        books::move_page(server, caller, book, page, Step::Later),
        webhooks::list(server, caller),
        webhooks::get(server, caller, webhook),
        webhooks::create(
            server,
            caller,
            &request(json!({"url": "https://shop.example.com/events"}))
        ),
        webhooks::update(server, caller, webhook, &request(json!({}))),
        webhooks::delete(server, caller, webhook),
        webhooks::rotate_secret(server, caller, webhook, 0),
        webhooks::send_test(server, caller, webhook),
        webhooks::deliveries(server, caller, webhook, list),
        webhooks::replay(server, caller, webhook, &DeliveryId::from_client("dlv_1")),
        requests::list(server, caller, RequestFilter::default(), list),
        drafts::list(server, caller),
        drafts::check_room(server, caller),
        drafts::get(server, caller, &DraftId::from_client("draft_1")),
        drafts::delete(server, caller, &DraftId::from_client("draft_1")),
    ];
    app.check_books().await;
}

#[tokio::test]
async fn an_app_with_all_scopes_manages_neither_keys_nor_webhooks_nor_apps() {
    let app = TestApp::start().await;
    app.account(5).await;
    let server = &app.server;
    let caller = &app_with(&app, Scopes::ALL).await;
    let scope = server.cursors.scope(caller.account_id(), "key_");
    let list = &PageRequest::parse(None, None, scope).unwrap();
    assert!(me::me(server, caller).await.is_ok());
    let webhook = &WebhookId::from_client("hook_1");
    refused![
        webhooks::create(server, caller, &request(json!({"url": "https://shop.test/events"}))),
        webhooks::update(server, caller, webhook, &webhooks::WebhookChange::default()),
        webhooks::rotate_secret(server, caller, webhook, 0),
        webhooks::delete(server, caller, webhook),
        accounts::own_keys(server, caller),
        accounts::list_own_keys(server, caller, list),
        accounts::own_key(server, caller, &KeyId::from_client("key_1")),
        accounts::create_own_key(server, caller, None, &NewApiKey::named("A key")),
        accounts::rotate_own_key(
            server,
            caller,
            None,
            &KeyId::from_client("key_1"),
            KeyRotation::default()
        ),
        accounts::revoke_own_key(server, caller, &KeyId::from_client("key_1")),
        grants::list_for(server, caller),
        grants::revoke(server, caller, &GrantId::from_client("grant_1")),
        sign_in::has_password(server, caller),
        second_factor::status(server, caller),
        second_factor::begin_enrolment(server, caller, "a session", "a password", "::1"),
        second_factor::confirm(server, caller, "a session", "123456"),
        second_factor::turn_off(server, caller, "a password", "123456", "::1"),
    ];
}

#[tokio::test]
async fn reading_does_not_allow_changes_nor_do_changes_allow_spending() {
    let app = TestApp::start().await;
    app.account(5).await;
    let server = &app.server;
    let page = &PageId::from_client("page_1");
    let key = IdempotencyKey::parse(Some("k1")).unwrap();
    let order = &Order::new(key, AgreedPrice::Listed);
    let reader = &app_with(&app, Scopes::parse("books:read")).await;
    assert!(pages::get(server, reader, page).await.unwrap().is_none());
    refused![deletion::delete_page(server, reader, page)];
    let writer = &app_with(&app, Scopes::parse("books:write")).await;
    assert!(!deletion::delete_page(server, writer, page).await.unwrap());
    refused![pages::create(
        server,
        writer,
        order,
        &request(json!({"title": "A fox"})),
        None
    )];
}
