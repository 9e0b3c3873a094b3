//! Resources that a test needs before it begins.
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::{Actor, Form, TestApp, pictures};

/// The id of the resource of this kind in a response.
pub(crate) fn id(body: &Value, kind: &str) -> String {
    body[kind]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("no {kind}: {body}"))
        .to_owned()
}

/// A request for a book of so many new pages.
pub(crate) fn book_of(pages: usize) -> Value {
    let pages: Vec<_> = (0..pages)
        .map(|number| json!({"title": format!("Page {number}")}))
        .collect();
    json!({"book": {"title": "B", "pages": pages}})
}

/// The ids of one of everything, all of the same account.
pub(crate) struct Resources {
    pub page: String,
    pub character: String,
    pub book: String,
    /// The only page of the book, and in no other.
    pub book_page: String,
    /// The operation that made the book.
    pub operation: String,
}

impl Resources {
    /// An address of the OpenAPI document, with these ids in the places of its parameters.
    pub(crate) fn fill(&self, path: &str) -> String {
        let id = match path.split('/').nth(1).unwrap() {
            "pages" => &self.page,
            "characters" => &self.character,
            "books" => &self.book,
            _ => &self.operation,
        };
        path.replace("{id}", id).replace("{page_id}", &self.book_page)
    }
}

impl TestApp {
    /// An idempotency key that nobody used before.
    pub(crate) fn new_key(&self) -> String {
        format!("made-up-{}", self.keys.fetch_add(1, Ordering::Relaxed))
    }

    /// The response to a generation under a new key; nothing is drawn yet.
    pub(crate) async fn accepted(&self, actor: &Actor, path: &str, body: &Value) -> Value {
        actor.generate(path, &self.new_key(), body).await.expect(202)
    }

    /// The same, to a portrait page of this title.
    pub(crate) async fn new_page(&self, actor: &Actor, title: &str) -> Value {
        self.accepted(actor, "/pages", &json!({"page": {"title": title}})).await
    }

    /// The same, to a character of this name.
    pub(crate) async fn new_character(&self, actor: &Actor, name: &str) -> Value {
        self.accepted(actor, "/characters", &json!({"character": {"name": name}}))
            .await
    }

    /// The id of a portrait page that has been drawn, for a credit.
    pub(crate) async fn ready_page(&self, actor: &Actor, title: &str) -> String {
        let accepted = self.new_page(actor, title).await;
        self.draw_what_is_due().await;
        id(&accepted, "page")
    }

    /// The id of a page of line art that was imported, for nothing.
    pub(crate) async fn imported_page(&self, actor: &Actor, title: &str) -> String {
        let form = Form::image(&pictures::png(576, 768)).text("title", title);
        id(&actor.import(form).await.expect(201), "page")
    }

    /// The id of a character that has been drawn, for a credit.
    pub(crate) async fn ready_character(&self, actor: &Actor, name: &str) -> String {
        let accepted = self.new_character(actor, name).await;
        self.draw_what_is_due().await;
        id(&accepted, "character")
    }

    /// The id of a portrait book that has been drawn, for a credit a page.
    pub(crate) async fn ready_book(&self, actor: &Actor, titles: &[&str]) -> String {
        let pages: Vec<_> = titles.iter().map(|title| json!({"title": title})).collect();
        let body = json!({"book": {"title": "Woodland Friends", "pages": pages}});
        let accepted = self.accepted(actor, "/books", &body).await;
        self.draw_what_is_due().await;
        id(&accepted, "book")
    }

    /// One of everything, all of it drawn, for three credits.
    pub(crate) async fn ready_resources(&self, owner: &Actor) -> Resources {
        let page = self.ready_page(owner, "A fox").await;
        let character = self.ready_character(owner, "Pip").await;
        let body = json!({"book": {"title": "Woodland Friends", "pages": [{"title": "An owl"}]}});
        let accepted = self.accepted(owner, "/books", &body).await;
        self.draw_what_is_due().await;
        Resources {
            page,
            character,
            book: id(&accepted, "book"),
            book_page: accepted["book"]["pages"][0]["id"].as_str().unwrap().to_owned(),
            operation: id(&accepted, "operation"),
        }
    }
}

impl Actor {
    /// A resource as `GET` shows it now.
    pub(crate) async fn look(&self, path: &str, kind: &str) -> Value {
        self.get(path).await.expect(200)[kind].clone()
    }

    /// The operation of an accepted generation, as it is now.
    pub(crate) async fn operation(&self, accepted: &Value) -> Value {
        self.look(accepted["operation"]["url"].as_str().unwrap(), "operation")
            .await
    }

    /// The status of that operation.
    pub(crate) async fn status(&self, accepted: &Value) -> String {
        self.operation(accepted).await["status"].as_str().unwrap().into()
    }

    /// An address that takes a file: the whole `artwork_upload`.
    pub(crate) async fn new_upload(&self) -> Value {
        self.post_nothing("/artwork_uploads").await.expect(201)["artwork_upload"].clone()
    }

    /// The id of its account.
    pub(crate) async fn account_id(&self) -> String {
        self.look("/me", "account").await["id"].as_str().unwrap().to_owned()
    }

    /// The ids of a book's pages, in order.
    pub(crate) async fn page_ids(&self, book: &str) -> Vec<String> {
        let book = self.look(&format!("/books/{book}"), "book").await;
        let pages = book["pages"].as_array().unwrap();
        let positions: Vec<_> = pages.iter().map(|page| page["position"].as_u64().unwrap()).collect();
        let unbroken: Vec<_> = (1..=pages.len() as u64).collect();
        assert_eq!(positions, unbroken);
        pages
            .iter()
            .map(|page| page["id"].as_str().unwrap().to_owned())
            .collect()
    }

    /// How many resources a list holds that fits into one response.
    pub(crate) async fn count(&self, list: &str) -> usize {
        let body = self.get(&format!("/{list}?limit=100")).await.expect(200);
        body[list].as_array().unwrap().len()
    }
}
