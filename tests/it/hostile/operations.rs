//! Valid calls of every operation of the OpenAPI document, and the words that no response may contain.
use axum::body::Body;
use linepress_platform::app::App;
use serde_json::{Value, json};

use crate::test_app::{Actor, Attempts, Form, Reply, Resources, TestApp, operations, pictures};

/// A word that no text contains by chance.
pub(super) const PLANTED: &str = "grimpenmire";

/// Words that reveal internals of the server.
const INTERNAL: [&str; 19] = [
    PLANTED,
    "/root",
    "src/",
    ".rs:",
    "panicked",
    "backtrace",
    "sqlx",
    "SELECT",
    "sqlite",
    "postgres",
    "no such table",
    "relation \"",
    "closed pool",
    "wasm",
    "127.0.0.1",
    "localhost",
    "os error",
    "10.1.2.3",
    "objects/",
];

/// An error message of a provider, a resolver or a web server that contains secrets.
pub(super) fn secret_text() -> String {
    format!("{PLANTED}: GET https://10.1.2.3/v1?key={PLANTED} failed at /root/{PLANTED}/src/main.rs:7")
}

/// Fails if the body or a header of a response reveals internals.
#[track_caller]
pub(super) fn check_nothing_leaks(server: &App, name: &str, reply: &Reply) {
    let body = String::from_utf8_lossy(&reply.body);
    let headers = format!("{:?}", reply.headers);
    let folder = server.config.data_dir.to_str().unwrap();
    for word in INTERNAL.into_iter().chain([folder]) {
        assert!(!headers.contains(word), "{name}: {word} in {headers}");
        assert!(!body.contains(word), "{name}: {word} in {body}");
    }
}

/// An account that calls every operation.
pub(super) struct EveryOperation<'a> {
    app: &'a TestApp,
    ada: Actor,
    prompt: &'static str,
    requests: usize,
    /// Resources that are read and changed, but not deleted.
    resources: Option<Resources>,
    operations: Vec<(String, String, String)>,
}

impl<'a> EveryOperation<'a> {
    /// Prepares an account whose resources all have this prompt. Later generations are refused, which is fast.
    pub(super) async fn prepare(app: &'a TestApp, prompt: &'static str) -> Self {
        let mut every = Self {
            app,
            ada: app.account(1_000).await,
            prompt,
            requests: 0,
            resources: None,
            operations: sorted_operations(app).await,
        };
        let mut resources = every.make().await;
        resources.key = app.unused_key(&every.ada).await;
        (resources.webhook, resources.delivery) = app.webhook_with_delivery(&every.ada).await;
        let reviewed = app.review_link_with_comment(&every.ada, &resources.book).await;
        (resources.review_link, resources.comment) = reviewed;
        app.draw_everything().await;
        let missing = Attempts::missing();
        resources.attempts = Attempts {
            page: app.find_attempt(&resources.page).await.unwrap_or(missing.page),
            cover: app.find_attempt(&resources.book).await.unwrap_or(missing.cover),
            character: app
                .find_attempt(&resources.character)
                .await
                .unwrap_or(missing.character),
        };
        every.resources = Some(resources);
        every.prompt = "refused";
        every
    }

    /// Creates a page, a character and a book without drawing them, and a page that is deleted.
    async fn make(&mut self) -> Resources {
        let id = |resource: &Value| resource["id"].as_str().unwrap().to_owned();
        let mut made = Vec::new();
        for name in ["create_page", "create_character", "create_book", "create_page"] {
            let path = format!("/{}s", name.strip_prefix("create_").unwrap());
            let Some(Content::Json(body)) = self.content(name, None) else {
                panic!("{name} takes JSON")
            };
            self.requests += 1;
            let key = format!("make-{}", self.requests);
            made.push(self.ada.generate(&path, &key, &body).await.expect(202));
        }
        let deleted = id(&made[3]["page"]);
        self.ada.delete(&format!("/pages/{deleted}")).await.expect_no_content();
        Resources {
            webhook: "hook_01KAFMYG00000000000000000A".into(),
            delivery: "dlv_01KAFMYG00000000000000000A".into(),
            deleted,
            page: id(&made[0]["page"]),
            character: id(&made[1]["character"]),
            book: id(&made[2]["book"]),
            book_page: id(&made[2]["book"]["pages"][0]),
            operation: id(&made[2]["operation"]),
            attempts: Attempts::missing(),
            key: "key_01KAFMYG00000000000000000A".into(),
            review_link: "rev_01KAFMYG00000000000000000A".into(),
            comment: "cmt_01KAFMYG00000000000000000A".into(),
            customer: "acct_01KAFMYG00000000000000000A".into(),
        }
    }

    /// Runs `broken`, then calls every operation and checks that no response reveals internals; returns the responses
    /// by operation.
    pub(super) async fn call_all(&mut self, broken: impl AsyncFnOnce()) -> Vec<(String, Reply)> {
        self.app.draw_everything().await;
        let mut to_delete = self.make().await;
        let kept = self.resources.as_ref().unwrap();
        to_delete.key = kept.key.clone();
        to_delete.webhook = kept.webhook.clone();
        to_delete.review_link = kept.review_link.clone();
        to_delete.comment = kept.comment.clone();
        broken().await;
        let mut replies = Vec::new();
        for (name, method, path) in self.operations.clone() {
            let resources = if method == "DELETE" {
                &to_delete
            } else {
                self.resources.as_ref().unwrap()
            };
            let reply = self.call(&name, &method, &resources.fill(&path)).await;
            check_nothing_leaks(&self.app.server, &name, &reply);
            if reply.status.is_client_error() || reply.status.is_server_error() {
                reply.expect_error(reply.status.as_u16(), reply.json()["error"]["code"].as_str().unwrap());
            }
            replies.push((name, reply));
            self.requests += 1;
        }
        replies
    }

    async fn call(&self, name: &str, method: &str, path: &str) -> Reply {
        let key = format!("call-{}", self.requests);
        let (kind, body) = match self.content(name, self.resources.as_ref()) {
            None => (String::new(), Body::empty()),
            Some(Content::Json(json)) => ("application/json".into(), json.to_string().into()),
            Some(Content::Form(form)) => (Form::media_type(), form.finish().into()),
        };
        let headers = [("idempotency-key", &*key), ("content-type", &*kind)];
        let headers = if kind.is_empty() { &headers[..1] } else { &headers[..] };
        self.ada.send(method, path, headers, body).await
    }

    fn content(&self, name: &str, resources: Option<&Resources>) -> Option<Content> {
        let prompt = self.prompt;
        let page = json!({"title": "A page", "prompt": prompt, "aspect": "square"});
        let picture = || pictures::png(512, 512);
        Some(match name {
            "create_key" => Content::Json(json!({"key": {"name": "The shop"}})),
            "create_webhook" => Content::Json(json!({"webhook": {"url": "https://shop.example.com/events"}})),
            "update_webhook" => Content::Json(json!({"webhook": {"description": "The shop"}})),
            "plan_book" => Content::Json(json!({"book_plan": {"theme": "Woods", "page_count": 2}})),
            "create_book" => Content::Json(json!({"book": {
                "title": "A book", "aspect": "square", "cover": {"prompt": prompt}, "pages": [{"title": "A page", "prompt": prompt}],
            }})),
            "update_book" | "put_book" => Content::Json(json!({"book": {"title": "Another"}})),
            "add_book_page" | "create_page" => Content::Json(json!({"page": page})),
            "reorder_book_pages" => Content::Json(json!({"page_ids": [resources?.book_page]})),
            "create_character" => {
                Content::Json(json!({"character": {"name": "Pip", "description": prompt, "public_preview": true}}))
            }
            "update_character" | "put_character" => Content::Json(json!({"character": {"name": "Pippa"}})),
            "regenerate_character" => Content::Json(json!({"character": {"description": prompt}})),
            "regenerate_page" => Content::Json(json!({"page": {"prompt": prompt}})),
            "refine_page" => Content::Json(json!({"page": {"instruction": prompt}})),
            "update_page" | "put_page" => Content::Json(json!({"page": {"title": "Another"}})),
            "create_review_link" => Content::Json(json!({"review_link": {"name": "Grandma"}})),
            "update_comment" => Content::Json(json!({"comment": {"resolved": true}})),
            "restyle_book" => Content::Json(json!({"book": {"style": "Woodcut"}})),
            "regenerate_book_cover" => Content::Json(json!({"cover": {"prompt": prompt}})),
            "replace_book_cover_image" => Content::Form(Form::new().picture("mine.png", &picture())),
            "import_page" => Content::Form(Form::titled("Mine").picture("mine.png", &picture())),
            "replace_page_image" => Content::Form(Form::new().picture("mine.png", &picture())),
            _ => return None,
        })
    }
}

enum Content {
    Json(Value),
    Form(Form),
}

/// Returns the name, method and path of every operation: first those that read, then those that change, create and
/// delete.
async fn sorted_operations(app: &TestApp) -> Vec<(String, String, String)> {
    let document = app.openapi_document().await;
    let mut operations: Vec<_> = operations(&document)
        .into_iter()
        .map(|(method, path, operation)| {
            let name = operation["operationId"].as_str().unwrap();
            (name.to_owned(), method.to_uppercase(), path.to_owned())
        })
        // Operators see internals: addresses of clients, and the states of plugins.
        .filter(|(name, ..)| !name.starts_with("admin_"))
        .collect();
    let order = ["GET", "PATCH", "PUT", "POST", "DELETE"];
    let place = |method: &str| order.iter().position(|other| *other == method);
    // A page is detached from its book before either is deleted, and deleted for good before the bin is emptied.
    operations.sort_by_key(|(_, method, path)| {
        let is_deletion = method == "DELETE" && !path.ends_with("{page_id}");
        (place(method), is_deletion, is_deletion && path == "/bin")
    });
    assert!(operations.len() >= 36, "{operations:?}");
    operations
}
