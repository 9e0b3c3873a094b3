//! The authorization table: every operation of the OpenAPI document, how it is called for real, and who is refused.
use std::collections::BTreeSet;

use axum::body::Body;
use linepress::accounts::{self, Plan};
use serde_json::{Value, json};

use crate::house::{Actor, Form, House, Reply, id, pictures};

/// What is sent with a call.
enum Sent {
    Nothing,
    Json(fn(&Shelf) -> Value),
    /// With a new idempotency key.
    Generation(fn(&Shelf) -> Value),
    /// A form with a picture and these texts.
    Picture(&'static [(&'static str, &'static str)]),
}
use Sent::{Generation, Json, Nothing, Picture};

/// Whether an operation works on one resource, which must be the caller's.
#[derive(Clone, Copy, PartialEq)]
enum On {
    Account,
    Resource,
}
use On::{Account, Resource};

/// Each operation, what it works on, what is sent, and what its owner gets.
#[rustfmt::skip]
const TABLE: &[(&str, On, Sent, u16)] = &[
    ("GET /me", Account, Nothing, 200),
    ("GET /print_formats", Account, Nothing, 200),
    ("POST /book_plans", Account, Json(|_| json!({"book_plan": {"theme": "Woods", "page_count": 1}})), 200),
    ("GET /operations", Account, Nothing, 200),
    ("GET /operations/{id}", Resource, Nothing, 200),
    ("GET /characters", Account, Nothing, 200),
    ("POST /characters", Account, Generation(|_| json!({"character": {"name": "Kit"}})), 202),
    ("GET /characters/{id}", Resource, Nothing, 200),
    ("PATCH /characters/{id}", Resource, Json(|_| json!({"character": {"name": "Kit"}})), 200),
    ("PUT /characters/{id}", Resource, Json(|_| json!({"character": {"name": "Kit"}})), 200),
    ("DELETE /characters/{id}", Resource, Nothing, 204),
    ("GET /characters/{id}/reference_image", Resource, Nothing, 200),
    ("POST /characters/{id}/regenerate", Resource, Generation(|_| json!({})), 202),
    ("POST /characters/{id}/restore", Resource, Nothing, 200),
    ("GET /books", Account, Nothing, 200),
    ("POST /books", Account, Generation(|_| json!({"book": {"title": "B", "pages": [{"title": "A"}]}})), 202),
    ("GET /books/{id}", Resource, Nothing, 200),
    ("PATCH /books/{id}", Resource, Json(|_| json!({"book": {"title": "C"}})), 200),
    ("PUT /books/{id}", Resource, Json(|_| json!({"book": {"title": "C"}})), 200),
    ("DELETE /books/{id}", Resource, Nothing, 204),
    ("GET /books/{id}/cover_image", Resource, Nothing, 200),
    ("GET /books/{id}/pdf", Resource, Nothing, 200),
    ("POST /books/{id}/pages", Resource, Generation(|_| json!({"page": {"title": "A"}})), 202),
    ("DELETE /books/{id}/pages/{page_id}", Resource, Nothing, 204),
    ("PATCH /books/{id}/pages/order", Resource, Json(|shelf| json!({"page_ids": [shelf.page]})), 200),
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
    ("POST /artwork_uploads", Account, Nothing, 201),
];

/// One of everything, all of it ready; the page stands in the book.
struct Shelf {
    page: String,
    character: String,
    book: String,
    operation: String,
}

impl Shelf {
    async fn fill(house: &House, owner: &Actor) -> Self {
        let page = house.imported_page(owner, "A fox").await;
        let character = house.ready_character(owner, "Pip").await;
        let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
        let made = house.accepted(owner, "/books", &body).await;
        house.draw_what_is_due().await;
        Self {
            page,
            character,
            book: id(&made, "book"),
            operation: id(&made, "operation"),
        }
    }

    /// The method and path of an operation on what stands here.
    fn address<'a>(&self, operation: &'a str) -> (&'a str, String) {
        let (method, path) = operation.split_once(' ').unwrap();
        let id = match path.split('/').nth(1).unwrap() {
            "pages" => &self.page,
            "books" => &self.book,
            "characters" => &self.character,
            _ => &self.operation,
        };
        (method, path.replace("{id}", id).replace("{page_id}", &self.page))
    }

    /// Everything that `owner` can see of it.
    async fn seen_by(&self, owner: &Actor) -> Vec<Value> {
        let mut seen = Vec::new();
        for path in [
            "/me".to_owned(),
            format!("/pages/{}", self.page),
            format!("/characters/{}", self.character),
            format!("/books/{}", self.book),
            format!("/operations/{}", self.operation),
        ] {
            seen.push(owner.get(&path).await.expect(200));
        }
        seen
    }
}

/// Makes the call as it is made for real, with further headers.
async fn call(
    house: &House,
    actor: &Actor,
    shelf: &Shelf,
    operation: &str,
    sent: &Sent,
    more: &[(&str, &str)],
) -> Reply {
    let (method, path) = shelf.address(operation);
    let key = house.new_key();
    let (headers, body): (Vec<(&str, String)>, Body) = match sent {
        Nothing => (vec![], Body::empty()),
        Json(body) => (
            vec![("content-type", "application/json".into())],
            body(shelf).to_string().into(),
        ),
        Generation(body) => (
            vec![("content-type", "application/json".into()), ("idempotency-key", key)],
            body(shelf).to_string().into(),
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
    actor.send(method, &path, &headers, body).await
}

async fn documented(house: &House) -> BTreeSet<String> {
    let document = house.stranger().get("/openapi.json").await.expect(200);
    let mut operations = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            operations.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    operations
}

#[tokio::test]
async fn every_operation_of_the_document_stands_in_the_table_and_no_other() {
    let house = House::open().await;
    let listed: BTreeSet<String> = TABLE.iter().map(|(operation, ..)| (*operation).to_owned()).collect();
    assert_eq!(listed.len(), TABLE.len(), "an operation stands in the table twice");
    assert_eq!(documented(&house).await, listed);
}

#[tokio::test]
async fn every_operation_answers_its_owner() {
    let house = House::open().await;
    let ada = house.account(500).await;
    for (operation, _, sent, status) in TABLE {
        let shelf = Shelf::fill(&house, &ada).await;
        let reply = call(&house, &ada, &shelf, operation, sent, &[]).await;
        assert_eq!(reply.status, *status, "{operation}: {:?}", reply.body);
        let consumed = if *status == 202 { "1" } else { "0" };
        assert_eq!(reply.header("x-service-credits-consumed"), consumed, "{operation}");
    }
}

#[tokio::test]
async fn every_operation_refuses_a_missing_or_invalid_key_and_a_cookie() {
    let house = House::open().await;
    let ada = house.account(9).await;
    let shelf = Shelf::fill(&house, &ada).await;
    let before = shelf.seen_by(&ada).await;
    let key = format!("lp_{}", "x".repeat(43));
    for (operation, _, sent, _) in TABLE {
        for (stranger, more) in [
            (house.stranger(), &[][..]),
            (house.with_key("lp_nonsense"), &[]),
            (house.with_key(&key), &[]),
            (
                house.stranger(),
                &[("cookie", "session=lp_anything; linepress=lp_anything")],
            ),
            (house.stranger(), &[("authorization", "Basic YWRhQGV4YW1wbGUuY29tOng=")]),
        ] {
            let reply = call(&house, &stranger, &shelf, operation, sent, more).await;
            reply.expect_error(401, "unauthorized");
            assert_eq!(reply.header("www-authenticate"), "Bearer", "{operation}");
            assert_eq!(reply.header("cache-control"), "private, no-store");
            assert_eq!(reply.header("x-service-api-version"), "v1");
            // Nobody's balance is told to nobody.
            assert!(!reply.headers.contains_key("x-service-credits-available"));
        }
    }
    assert_eq!(shelf.seen_by(&ada).await, before);
}

#[tokio::test]
async fn every_operation_refuses_an_account_without_a_business_plan() {
    let house = House::open().await;
    let ada = house.account(9).await;
    let shelf = Shelf::fill(&house, &ada).await;
    let before = shelf.seen_by(&ada).await;
    let account = accounts::find(&house.app, "ada@example.com").await.unwrap().unwrap();
    accounts::set_plan(&house.app, &account, Plan::Free).await.unwrap();
    // Even on its own resources.
    for (operation, _, sent, _) in TABLE {
        let reply = call(&house, &ada, &shelf, operation, sent, &[]).await;
        reply.expect_error(403, "plan_required");
        assert_eq!(reply.header("x-service-credits-available"), "8", "{operation}");
        reply.expect_free();
    }
    accounts::set_plan(&house.app, &account, Plan::Business).await.unwrap();
    assert_eq!(shelf.seen_by(&ada).await, before);
}

#[tokio::test]
async fn every_operation_on_a_resource_finds_nothing_that_is_somebody_elses() {
    let house = House::open().await;
    let ada = house.account(9).await;
    let ben = house.account_named("ben@example.com", Plan::Business, 9).await;
    let shelf = Shelf::fill(&house, &ada).await;
    let before = shelf.seen_by(&ada).await;
    for (operation, ..) in TABLE.iter().filter(|(operation, ..)| operation.contains('{')) {
        assert!(
            TABLE.iter().any(|(name, on, ..)| name == operation && *on == Resource),
            "{operation}"
        );
    }
    for (operation, _, sent, _) in TABLE.iter().filter(|(_, on, ..)| *on == Resource) {
        let reply = call(&house, &ben, &shelf, operation, sent, &[]).await;
        reply.expect_error(404, "not_found");
        assert_eq!(reply.header("x-service-credits-available"), "9", "{operation}");
        reply.expect_free();
    }
    assert_eq!(shelf.seen_by(&ada).await, before);
    for list in ["pages", "characters", "books", "operations"] {
        assert_eq!(ben.count(list).await, 0, "{list}");
    }
    house.check_books().await;
}

#[tokio::test]
async fn every_reference_in_a_body_to_what_is_somebody_elses_is_refused_by_its_field() {
    let house = House::open().await;
    let ada = house.account(9).await;
    let ben = house.account_named("ben@example.com", Plan::Business, 9).await;
    let Shelf { page, character, .. } = Shelf::fill(&house, &ada).await;
    let own = Shelf::fill(&house, &ben).await;
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
            "page_ids",
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
