//! What a test needs to be there before it begins.
use std::sync::atomic::Ordering;

use linepress::drawing;
use serde_json::{Value, json};

use super::{Actor, Form, House, pictures};

/// The id of the resource of this kind in an answer.
pub fn id(body: &Value, kind: &str) -> String {
    body[kind]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("no {kind}: {body}"))
        .to_owned()
}

impl House {
    /// An idempotency key that nobody used before.
    pub fn new_key(&self) -> String {
        format!("made-up-{}", self.keys.fetch_add(1, Ordering::Relaxed))
    }

    /// What a generation under a new key answers; nothing is drawn yet.
    pub async fn accepted(&self, actor: &Actor, path: &str, body: &Value) -> Value {
        actor.generate(path, &self.new_key(), body).await.expect(202)
    }

    /// Draws what is due now, without moving the clock.
    pub async fn draw_what_is_due(&self) {
        while drawing::work_once(&self.app).await.unwrap() {}
    }

    /// The id of a portrait page that has been drawn, for a credit.
    pub async fn ready_page(&self, actor: &Actor, title: &str) -> String {
        let body = json!({"page": {"title": title}});
        let accepted = self.accepted(actor, "/pages", &body).await;
        self.draw_what_is_due().await;
        id(&accepted, "page")
    }

    /// The id of a page of line art that was imported, for nothing.
    pub async fn imported_page(&self, actor: &Actor, title: &str) -> String {
        let form = Form::image(&pictures::png(576, 768)).text("title", title);
        id(
            &actor.send_form("POST", "/pages/import", form).await.expect(201),
            "page",
        )
    }

    /// The id of a character that has been drawn, for a credit.
    pub async fn ready_character(&self, actor: &Actor, name: &str) -> String {
        let body = json!({"character": {"name": name}});
        let accepted = self.accepted(actor, "/characters", &body).await;
        self.draw_what_is_due().await;
        id(&accepted, "character")
    }

    /// The id of a portrait book that has been drawn, for a credit a page.
    pub async fn ready_book(&self, actor: &Actor, titles: &[&str]) -> String {
        let pages: Vec<_> = titles.iter().map(|title| json!({"title": title})).collect();
        let body = json!({"book": {"title": "Woodland Friends", "pages": pages}});
        let accepted = self.accepted(actor, "/books", &body).await;
        self.draw_what_is_due().await;
        id(&accepted, "book")
    }
}

impl Actor {
    /// One field of a resource as `GET` shows it now.
    pub async fn look(&self, path: &str, kind: &str) -> Value {
        self.get(path).await.expect(200)[kind].clone()
    }

    /// The ids of a book's pages, in order.
    pub async fn page_ids(&self, book: &str) -> Vec<String> {
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

    /// How many resources a list holds that fits into one answer.
    pub async fn count(&self, list: &str) -> usize {
        let body = self.get(&format!("/{list}?limit=100")).await.expect(200);
        body[list].as_array().unwrap().len()
    }
}
