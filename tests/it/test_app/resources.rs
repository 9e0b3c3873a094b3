//! Resources that a test needs before it begins.
use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::accepted::Upload;
use super::{Accepted, Actor, Form, TestApp, pictures};

/// Returns the id of the resource of this kind in a response.
pub(crate) fn id(body: &Value, kind: &str) -> String {
    body[kind]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("no {kind}: {body}"))
        .to_owned()
}

/// Returns a request for a book with this number of new pages.
pub(crate) fn book_of(pages: usize) -> Value {
    let pages: Vec<_> = (0..pages)
        .map(|number| json!({"title": format!("Page {number}")}))
        .collect();
    json!({"book": {"title": "B", "pages": pages}})
}

/// The ids of one resource of each kind, all of the same account.
pub(crate) struct Resources {
    pub page: String,
    pub character: String,
    pub book: String,
    /// The only page of the book. It is in no other book.
    pub book_page: String,
    /// The operation that created the book.
    pub operation: String,
    /// The only attempts of the page, of the book's cover and of the character.
    pub attempts: Attempts,
    /// A webhook, a delivery to it, and an API key that no client uses. They do not exist unless the test creates them.
    pub webhook: String,
    pub delivery: String,
    pub key: String,
    /// A review link to the book, and a comment that was made with it. They do not exist unless the test creates them.
    pub review_link: String,
    pub comment: String,
    /// A page in the bin.
    pub deleted: String,
    /// The account that an operator manages. It does not exist unless the test creates it.
    pub customer: String,
}

/// The ids of attempts.
#[derive(Clone)]
pub(crate) struct Attempts {
    pub page: String,
    pub cover: String,
    pub character: String,
}

impl Attempts {
    /// Ids that name nothing.
    pub(crate) fn missing() -> Self {
        let id = || "att_01KAFMYG00000000000000000A".to_owned();
        Self {
            page: id(),
            cover: id(),
            character: id(),
        }
    }
}

impl Resources {
    /// Replaces the parameters in a path of the OpenAPI document with these ids.
    pub(crate) fn fill(&self, path: &str) -> String {
        let id: &str = match path.split('/').nth(1).unwrap() {
            "admin" if path.starts_with("/admin/accounts") => &self.customer,
            "admin" if path.starts_with("/admin/providers") || path.starts_with("/admin/plugins") => "testbed.plain",
            "pages" => &self.page,
            "characters" => &self.character,
            "books" => &self.book,
            "webhooks" => &self.webhook,
            "keys" => &self.key,
            "review_links" => &self.review_link,
            "comments" => &self.comment,
            "bin" => &self.deleted,
            _ => &self.operation,
        };
        let attempt = match path.split('/').nth(1).unwrap() {
            "pages" => &self.attempts.page,
            "characters" => &self.attempts.character,
            _ => &self.attempts.cover,
        };
        path.replace("{id}", id)
            .replace("{page_id}", &self.book_page)
            .replace("{attempt_id}", attempt)
            .replace("{delivery_id}", &self.delivery)
    }
}

impl TestApp {
    /// Returns a new idempotency key.
    pub(crate) fn new_key(&self) -> String {
        format!("made-up-{}", self.keys.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the response to a generation with a new key, before anything is drawn.
    pub(crate) async fn accepted(&self, actor: &Actor, path: &str, body: &Value) -> Accepted {
        actor.generate(path, &self.new_key(), body).await.accepted()
    }

    /// Returns the response to the generation of a portrait page with this title.
    pub(crate) async fn new_page(&self, actor: &Actor, title: &str) -> Accepted {
        self.accepted(actor, "/pages", &json!({"page": {"title": title}})).await
    }

    /// Returns the response to the generation of a character with this name.
    pub(crate) async fn new_character(&self, actor: &Actor, name: &str) -> Accepted {
        self.accepted(actor, "/characters", &json!({"character": {"name": name}}))
            .await
    }

    /// Has a book of one page drawn, for one credit, whose cover the provider `testbed.flaky` refuses as it is asked
    /// to; returns its id.
    pub(crate) async fn book_with_refused_cover(&self, actor: &Actor) -> String {
        let body = json!({"book": {"title": "B", "cover": {"prompt": "refused"}, "pages": [{"title": "A fox"}]}});
        let book = self.accepted(actor, "/books", &body).await.book_id();
        self.draw_everything().await;
        book
    }

    /// Has a portrait page drawn, for one credit; returns its id.
    pub(crate) async fn ready_page(&self, actor: &Actor, title: &str) -> String {
        let accepted = self.new_page(actor, title).await;
        self.draw_what_is_due().await;
        accepted.page_id()
    }

    /// Imports a page of line art, for nothing; returns its id.
    pub(crate) async fn imported_page(&self, actor: &Actor, title: &str) -> String {
        let form = Form::image(&pictures::png(576, 768)).text("title", title);
        id(&actor.import(form).await.expect(201), "page")
    }

    /// Has a character drawn, for one credit; returns its id.
    pub(crate) async fn ready_character(&self, actor: &Actor, name: &str) -> String {
        let accepted = self.new_character(actor, name).await;
        self.draw_what_is_due().await;
        accepted.character_id()
    }

    /// Has a portrait book drawn, for one credit per page; returns its id.
    pub(crate) async fn ready_book(&self, actor: &Actor, titles: &[&str]) -> String {
        let pages: Vec<_> = titles.iter().map(|title| json!({"title": title})).collect();
        let body = json!({"book": {"title": "Woodland Friends", "pages": pages}});
        let accepted = self.accepted(actor, "/books", &body).await;
        self.draw_what_is_due().await;
        accepted.book_id()
    }

    /// Returns the id of the chosen attempt of a page, a character or, for its cover, a book. It sends no request.
    pub(crate) async fn chosen_attempt(&self, target: &str) -> String {
        self.find_attempt(target).await.expect("it has a picture")
    }

    /// Returns the same, or `None` if there is no picture.
    pub(crate) async fn find_attempt(&self, target: &str) -> Option<String> {
        sqlx::query_scalar("SELECT id FROM attempts WHERE target_id = $1 AND replaced_at IS NULL")
            .bind(target)
            .fetch_optional(&self.server.database.read)
            .await
            .unwrap()
    }

    /// Creates and draws one resource of each kind, for three credits.
    pub(crate) async fn ready_resources(&self, owner: &Actor) -> Resources {
        let page = self.ready_page(owner, "A fox").await;
        let character = self.ready_character(owner, "Pip").await;
        let body = json!({"book": {"title": "Woodland Friends", "pages": [{"title": "An owl"}]}});
        let accepted = self.accepted(owner, "/books", &body).await;
        self.draw_what_is_due().await;
        let attempts = Attempts {
            page: self.chosen_attempt(&page).await,
            cover: self.chosen_attempt(&accepted.book_id()).await,
            character: self.chosen_attempt(&character).await,
        };
        let deleted = self.imported_page(owner, "A wolf").await;
        owner.delete(&format!("/pages/{deleted}")).await.expect_no_content();
        Resources {
            deleted,
            attempts,
            page,
            character,
            book: accepted.book_id(),
            book_page: accepted.book().pages[0].id.to_string(),
            operation: accepted.operation_id(),
            webhook: "hook_01KAFMYG00000000000000000A".into(),
            delivery: "dlv_01KAFMYG00000000000000000A".into(),
            key: "key_01KAFMYG00000000000000000A".into(),
            review_link: "rev_01KAFMYG00000000000000000A".into(),
            comment: "cmt_01KAFMYG00000000000000000A".into(),
            customer: "acct_01KAFMYG00000000000000000A".into(),
        }
    }
}

impl TestApp {
    /// Creates an API key that no client uses; returns its id.
    pub(crate) async fn unused_key(&self, owner: &Actor) -> String {
        id(
            &owner
                .post("/keys", &json!({"key": {"name": "unused"}}))
                .await
                .expect(201),
            "key",
        )
    }
}

impl TestApp {
    /// Creates a webhook with a delivery; returns the ids of both.
    pub(crate) async fn webhook_with_delivery(&self, owner: &Actor) -> (String, String) {
        let new = json!({"webhook": {"url": "https://shop.example.com/events"}});
        let webhook = id(&owner.post("/webhooks", &new).await.expect(201), "webhook");
        let sent = owner
            .post_nothing(&format!("/webhooks/{webhook}/test"))
            .await
            .expect(200);
        (webhook, id(&sent, "delivery"))
    }
}

impl TestApp {
    /// Makes a review link to a book; returns its id and the path of its page.
    pub(crate) async fn review_link(&self, owner: &Actor, book: &str) -> (String, String) {
        let path = format!("/books/{book}/review_links");
        let made = owner.post(&path, &json!({"review_link": {}})).await.expect(201);
        let url = made["url"].as_str().unwrap();
        (
            id(&made, "review_link"),
            url[url.find("/review/").unwrap()..].to_owned(),
        )
    }

    /// Makes a review link to a book and a comment on the book as a whole; returns the ids of both.
    pub(crate) async fn review_link_with_comment(&self, owner: &Actor, book: &str) -> (String, String) {
        let (link, path) = self.review_link(owner, book).await;
        let fields = [("name", "Grandma"), ("text", "The fox needs a longer tail")];
        let sent = self.browser().post(&format!("{path}/comments"), &fields).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
        let comments = owner.get(&format!("/books/{book}/comments")).await.expect(200);
        (link, comments["comments"][0]["id"].as_str().unwrap().to_owned())
    }
}

impl Actor {
    /// Returns the current state of a resource.
    pub(crate) async fn look(&self, path: &str, kind: &str) -> Value {
        self.get(path).await.expect(200)[kind].clone()
    }

    /// Creates an address that takes a file.
    pub(crate) async fn new_upload(&self) -> Upload {
        let created = self.post_nothing("/artwork_uploads").await.expect(201)["artwork_upload"].clone();
        serde_json::from_value(created).unwrap()
    }

    /// Returns the id of the client's account.
    pub(crate) async fn account_id(&self) -> String {
        self.look("/me", "account").await["id"].as_str().unwrap().to_owned()
    }

    /// Returns the ids of a book's pages, in order.
    pub(crate) async fn page_ids(&self, book: &str) -> Vec<String> {
        let pages = self.book(book).await.pages;
        assert!((1..).zip(&pages).all(|(position, page)| page.position == position));
        pages.into_iter().map(|page| page.id.to_string()).collect()
    }

    /// Returns the number of resources in a list that fits into one response.
    pub(crate) async fn count(&self, list: &str) -> usize {
        let body = self.get(&format!("/{list}?limit=100")).await.expect(200);
        body[list].as_array().unwrap().len()
    }
}
