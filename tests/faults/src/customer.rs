//! A customer: orders, repeats, reads and deletes at random while faults occur, and remembers every reply.
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fastrand::Rng;
use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::time;

use crate::api::{Api, Reply, Request};

/// The number of operations under way at which the customer waits before it orders more.
const MAX_OPEN_OPERATIONS: usize = 6;

/// The time between two requests, in milliseconds.
const PAUSE_MILLISECONDS: std::ops::Range<u64> = 50..400;

/// Prompts that the provider of square pages fails to draw, so that credits are refunded. Failures that are retried for
/// hours are left out.
const FAILING_PROMPTS: [&str; 4] = ["a fox refused", "a fox invalid", "a fox trap", "a fox other"];

/// A prompt that every provider draws.
const ORDINARY_PROMPT: &str = "a fox";

/// An order that was acknowledged.
pub(crate) struct Order {
    pub request: Request,
    pub reply: Value,
    pub operation: String,
    pub price: i64,
}

/// A book with the pages that it must have.
pub(crate) struct Book {
    pub id: String,
    pub pages: Vec<String>,
}

pub(crate) struct Customer {
    pub api: Api,
    pub email: String,
    pub orders: Vec<Order>,
    pub books: Vec<Book>,
    /// The ids of all pages that were ordered and not deleted.
    pub pages: Vec<String>,
    /// Descriptions of replies that contradict the specification.
    pub violations: Vec<String>,
    name: String,
    random: Rng,
    /// Operations that had not ended when they were last read.
    open: VecDeque<String>,
    keys: usize,
}

impl Customer {
    pub(crate) fn new(name: String, email: String, api: Api, random: Rng) -> Self {
        Self {
            api,
            email,
            orders: Vec::new(),
            books: Vec::new(),
            pages: Vec::new(),
            violations: Vec::new(),
            name,
            random,
            open: VecDeque::new(),
            keys: 0,
        }
    }

    /// Sends requests until this time, and then awaits the definite reply to the last one.
    pub(crate) async fn shop(mut self, until: Instant) -> Self {
        while Instant::now() < until {
            if self.has_room().await {
                self.act().await;
            }
            time::sleep(Duration::from_millis(self.random.u64(PAUSE_MILLISECONDS))).await;
        }
        self
    }

    /// Returns true if few enough operations are under way.
    async fn has_room(&mut self) -> bool {
        if self.open.len() < MAX_OPEN_OPERATIONS {
            return true;
        }
        let Some(first) = self.open.pop_front() else {
            return true;
        };
        let reply = self.api.ask_once(&Request::get(format!("/operations/{first}"))).await;
        let has_ended = reply.is_ok_and(|reply| reply.json()["operation"]["finished_at"].is_string());
        if !has_ended {
            self.open.push_back(first);
        }
        false
    }

    async fn act(&mut self) {
        match self.random.u32(0..100) {
            0..35 => self.order_page().await,
            35..50 => self.order_book().await,
            50..58 => self.add_page().await,
            58..68 => self.redraw_page().await,
            68..73 => self.order_character().await,
            73..77 => self.delete_page().await,
            77..79 => self.delete_book().await,
            79..86 => self.repeat_order().await,
            86..89 => self.read_image().await,
            89..96 => self.upload_image().await,
            _ => self.print_book().await,
        }
    }

    async fn order_page(&mut self) {
        let aspect = self.aspect();
        let mut page = self.new_page(aspect);
        page["aspect"] = aspect.into();
        if let Some(reply) = self.order("/pages".into(), json!({"page": page}), 1).await {
            self.pages.extend(id_of(&reply["page"]));
        }
    }

    async fn order_book(&mut self) {
        let aspect = self.aspect();
        let count = self.random.usize(2..=4);
        let pages = (0..count).map(|_| self.new_page(aspect)).collect();
        self.order_book_of(aspect, pages).await;
    }

    /// Orders a book of one page with a prompt that each provider draws.
    pub(crate) async fn order_ordinary_book(&mut self) {
        let aspect = self.aspect();
        let page = json!({"title": "A page", "prompt": ORDINARY_PROMPT});
        self.order_book_of(aspect, vec![page]).await;
    }

    async fn order_book_of(&mut self, aspect: &str, pages: Vec<Value>) {
        let count = pages.len();
        let body = json!({"book": {"title": "A day in the woods", "aspect": aspect, "pages": pages}});
        let price = i64::try_from(count).unwrap_or(i64::MAX);
        let Some(reply) = self.order("/books".into(), body, price).await else {
            return;
        };
        let pages: Vec<String> = pages_of(&reply["book"]);
        if pages.len() != count {
            self.violated(format!("a book of {count} pages has {pages:?}"));
        }
        self.pages.extend(pages.iter().cloned());
        self.books.extend(id_of(&reply["book"]).map(|id| Book { id, pages }));
    }

    async fn add_page(&mut self) {
        let Some(number) = self.pick(self.books.len()) else {
            return;
        };
        let path = format!("/books/{}/pages", self.books[number].id);
        let body = json!({"page": {"title": "One more", "prompt": "an owl"}});
        if let Some(reply) = self.order(path, body, 1).await
            && let Some(id) = id_of(&reply["page"])
        {
            self.books[number].pages.push(id.clone());
            self.pages.push(id);
        }
    }

    async fn redraw_page(&mut self) {
        let Some(number) = self.pick(self.pages.len()) else {
            return;
        };
        let path = format!("/pages/{}/regenerate", self.pages[number]);
        let page = json!({"prompt": format!("a hen, version {}", self.keys)});
        self.order(path, json!({"page": page}), 1).await;
    }

    async fn order_character(&mut self) {
        let body = json!({"character": {"name": "Pip", "description": "A small fox with a red scarf."}});
        self.order("/characters".into(), body, 1).await;
    }

    async fn delete_page(&mut self) {
        let Some(number) = self.pick(self.pages.len()) else {
            return;
        };
        let page = self.pages.swap_remove(number);
        self.delete(&format!("/pages/{page}")).await;
        for book in &mut self.books {
            book.pages.retain(|other| *other != page);
        }
    }

    /// Deletes a book. Some of its pages are deleted with it, so the customer forgets all of them.
    async fn delete_book(&mut self) {
        let Some(number) = self.pick(self.books.len()) else {
            return;
        };
        let Book { id, pages } = self.books.swap_remove(number);
        self.delete(&format!("/books/{id}")).await;
        self.pages.retain(|page| !pages.contains(page));
    }

    async fn delete(&mut self, path: &str) {
        let Some(reply) = self.ask(&Request::delete(path)).await else {
            return;
        };
        // After a reply that was lost, the resource is gone.
        if reply.status != StatusCode::NO_CONTENT && reply.status != StatusCode::NOT_FOUND {
            self.violated(format!("DELETE {path}: {}", reply.summary()));
        }
    }

    /// Repeats an order that was acknowledged.
    async fn repeat_order(&mut self) {
        let Some(number) = self.pick(self.orders.len()) else {
            return;
        };
        self.api.figures.repeats.add_one();
        if let Some(violation) = repeat(&self.api, &self.orders[number]).await {
            self.violated(violation);
        }
    }

    /// Reads an image from whichever node is next, without the patience of an order.
    async fn read_image(&mut self) {
        let Some(number) = self.pick(self.pages.len()) else {
            return;
        };
        let request = Request::get(format!("/pages/{}/image", self.pages[number]));
        if let Ok(reply) = self.api.ask_once(&request).await
            && reply.status == StatusCode::OK
            && reply.body.is_empty()
        {
            self.violated(format!("{} is empty", request.path));
        }
    }

    /// Sends the picture of a page to an upload address, as before an import. The node receives it on its disk.
    async fn upload_image(&mut self) {
        let Some(number) = self.pick(self.pages.len()) else {
            return;
        };
        let image = Request::get(format!("/pages/{}/image", self.pages[number]));
        let image = self.api.ask_once(&image).await.ok();
        let Some(image) = image.filter(|image| image.status == StatusCode::OK) else {
            return;
        };
        let Some(reply) = self.ask(&Request::post("/artwork_uploads")).await else {
            return;
        };
        let url = reply.json()["artwork_upload"]["url"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let Some(token) = url.rsplit_once("/uploads/").map(|(_, token)| token) else {
            self.violated(format!("/artwork_uploads returned no address: {}", reply.summary()));
            return;
        };
        let Some(sent) = self.ask(&Request::file(format!("/uploads/{token}"), image.body)).await else {
            return;
        };
        if sent.status == StatusCode::NO_CONTENT {
            self.api.figures.uploads.add_one();
        } else {
            self.violated(format!("an upload address returned {}", sent.summary()));
        }
    }

    async fn print_book(&mut self) {
        let Some(number) = self.pick(self.books.len()) else {
            return;
        };
        let request = Request::get(format!("/books/{}/pdf", self.books[number].id));
        if let Ok(reply) = self.api.ask_once(&request).await
            && reply.status == StatusCode::OK
        {
            self.api.figures.pdfs.add_one();
            if !reply.body.starts_with(b"%PDF-") {
                self.violated(format!("{} is not a PDF", request.path));
            }
        }
    }

    /// Sends an order until it is acknowledged or rejected. Returns the reply of an order that was acknowledged.
    async fn order(&mut self, path: String, body: Value, price: i64) -> Option<Value> {
        self.keys += 1;
        let request = Request::order(path, body, format!("{}-{}", self.name, self.keys));
        let reply = self.ask(&request).await?;
        let is_expected = match reply.status {
            StatusCode::ACCEPTED => true,
            // The target is being drawn.
            StatusCode::CONFLICT => reply.error_code() == "generation_active",
            _ => false,
        };
        if !is_expected {
            self.violated(format!("{}: {}", request.path, reply.summary()));
        }
        if reply.status != StatusCode::ACCEPTED {
            self.api.figures.refusals.add_one();
            return None;
        }
        let reply = reply.json();
        let Some(operation) = id_of(&reply["operation"]) else {
            self.violated(format!("{} was accepted without an operation: {reply}", request.path));
            return None;
        };
        self.open.push_back(operation.clone());
        self.orders.push(Order {
            request,
            reply: reply.clone(),
            operation,
            price,
        });
        Some(reply)
    }

    async fn ask(&mut self, request: &Request) -> Option<Reply> {
        match self.api.ask(request).await {
            Ok(reply) => Some(reply),
            Err(error) => {
                self.violated(format!("{error:#}"));
                None
            }
        }
    }

    fn new_page(&mut self, aspect: &str) -> Value {
        let failing = self.random.choice(FAILING_PROMPTS).filter(|_| aspect == "square");
        let prompt = failing.filter(|_| self.random.bool()).unwrap_or(ORDINARY_PROMPT);
        json!({"title": "A page", "prompt": prompt})
    }

    fn aspect(&mut self) -> &'static str {
        if self.random.bool() { "square" } else { "portrait" }
    }

    /// Returns a random position in a list of this length, or nothing if the list is empty.
    fn pick(&mut self, count: usize) -> Option<usize> {
        (count > 0).then(|| self.random.usize(..count))
    }

    fn violated(&mut self, violation: String) {
        self.violations.push(format!("{}: {violation}", self.name));
    }
}

/// Repeats an acknowledged order. Returns a description of a reply that is not the first one, or that cost something.
pub(crate) async fn repeat(api: &Api, order: &Order) -> Option<String> {
    let path = &order.request.path;
    let reply = match api.ask(&order.request).await {
        Ok(reply) => reply,
        Err(error) => return Some(format!("{error:#}")),
    };
    let is_same = reply.status == StatusCode::ACCEPTED && reply.json() == order.reply;
    let is_free = reply.is_replayed() && reply.consumed() == Some(0);
    let key = order.request.idempotency_key.as_deref().unwrap_or_default();
    (!is_same || !is_free).then(|| {
        format!(
            "the repeat of {path} with the key {key} returned {}, replayed {}, for {:?} credits; the first reply was {}",
            reply.summary(),
            reply.is_replayed(),
            reply.consumed(),
            order.reply
        )
    })
}

pub(crate) fn id_of(resource: &Value) -> Option<String> {
    Some(resource["id"].as_str()?.to_owned())
}

/// Returns the ids of the pages of a book, in their order.
pub(crate) fn pages_of(book: &Value) -> Vec<String> {
    book["pages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(id_of)
        .collect()
}
